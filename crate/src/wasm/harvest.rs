//! Documents gathered while an archive is read, or once more.

use wasm_bindgen::prelude::*;

use super::engine::Index;
use super::picks::Picks;
use super::seam::{offset_in, offset_out};
use crate::archive::Feed;
use crate::harvest::{self, Harvest, may_be_document};

/// Gathers documents of what is read from now on, as long as not too many wait to be taken.
#[wasm_bindgen]
pub fn begin_harvest(index: &mut Index) {
    index.harvest = Some(Harvest::new());
}

/// Gathers no more, and forgets what was gathered.
#[wasm_bindgen]
pub fn stop_harvest(index: &mut Index) {
    index.harvest = None;
}

/// Bytes that wait to be taken, and the row before which nothing does.
#[wasm_bindgen]
pub fn harvested(index: &Index) -> Vec<f64> {
    let held = index.harvest.as_ref().map_or(0, Harvest::held_bytes);
    vec![offset_out(held as u64), offset_out(up_to(index))]
}

/// The first row whose document was passed over, as those of all rows after it; none of none.
#[wasm_bindgen]
pub fn passed_over(index: &Index) -> Option<f64> {
    let passed = index.harvest.as_ref().and_then(Harvest::passed_over);
    passed.map(offset_out)
}

/// Some of what waits, at least one if there is any:
///
///   taken := up_to:f64 found*         nothing that waits is of a row before `up_to`; found as `document::Found` has it
#[wasm_bindgen]
pub fn take_harvest(index: &mut Index, bytes_max: usize) -> Vec<u8> {
    let mut taken = vec![0; 8];
    if let Some(harvest) = &mut index.harvest {
        harvest.take(bytes_max, &mut taken);
    }
    told(taken, up_to(index))
}

fn up_to(index: &Index) -> u64 {
    let rows = index.captures.len() as u64;
    let harvest = index.harvest.as_ref();
    harvest.map_or(rows, |harvest| harvest.taken_up_to(rows))
}

fn told(mut taken: Vec<u8>, up_to: u64) -> Vec<u8> {
    taken[..8].copy_from_slice(&offset_out(up_to).to_le_bytes());
    taken
}

/// Documents of rows of one file that are there already.
#[wasm_bindgen]
#[derive(Default)]
pub struct DocumentsAgain {
    again: harvest::DocumentsAgain,
    picks: Picks,
}

#[wasm_bindgen]
impl DocumentsAgain {
    #[wasm_bindgen(constructor)]
    pub fn new() -> DocumentsAgain {
        DocumentsAgain::default()
    }

    /// Picks a record by its row, before the last one that was picked is read, if it may be a document.
    pub fn pick(&mut self, index: &Index, row: usize) -> bool {
        let is_wanted = may_be_document(&index.captures, row);
        match is_wanted.then(|| self.picks.of(index, row)).flatten() {
            Some(pick) => self.again.pick(pick),
            None => self.again.pass_over(row),
        }
        true
    }

    /// How many wait that were picked.
    pub fn waiting(&self) -> usize {
        self.again.waiting()
    }

    pub fn wanted(&self) -> f64 {
        offset_out(self.again.wanted())
    }

    pub fn feed(&mut self, bytes: &[u8]) -> usize {
        self.again.feed(bytes)
    }

    pub fn finish(&mut self, end: f64) -> bool {
        self.again.finish(offset_in(end))
    }

    pub fn is_full(&self) -> bool {
        self.again.is_full()
    }

    /// As `harvested` tells it of what is read.
    pub fn harvested(&mut self) -> Vec<f64> {
        let held = self.again.harvest().held_bytes();
        vec![
            offset_out(held as u64),
            offset_out(self.again.taken_up_to()),
        ]
    }

    /// As `take_harvest` does.
    pub fn take(&mut self, bytes_max: usize) -> Vec<u8> {
        let mut taken = vec![0; 8];
        self.again.harvest().take(bytes_max, &mut taken);
        told(taken, self.again.taken_up_to())
    }
}
