//! Records of an archive asked what no index knows of them.

use wasm_bindgen::prelude::*;

use super::engine::Index;
use super::picks::Picks;
use super::seam::{offset_in, offset_out, thrown};
use crate::archive::Feed;
use crate::examine::Examiner;

/// Rows of one file.
#[wasm_bindgen]
pub struct Examination {
    examiner: Examiner,
    picks: Picks,
}

#[wasm_bindgen]
impl Examination {
    /// Asks what of a query records are read for.
    #[wasm_bindgen(constructor)]
    pub fn new(query: &str) -> Result<Examination, JsValue> {
        Ok(Examination {
            examiner: Examiner::new(query).map_err(thrown)?,
            picks: Picks::default(),
        })
    }

    /// Picks a record by its row, before the last one that was picked is read.
    pub fn pick(&mut self, index: &Index, row: usize) -> bool {
        match self.picks.of(index, row) {
            Some(pick) => self.examiner.pick(pick),
            None => self.examiner.pass_over(row),
        }
        true
    }

    /// How many wait that were picked.
    pub fn waiting(&self) -> usize {
        self.examiner.waiting()
    }

    pub fn wanted(&self) -> f64 {
        offset_out(self.examiner.wanted())
    }

    pub fn feed(&mut self, bytes: &[u8]) -> usize {
        self.examiner.feed(bytes)
    }

    pub fn finish(&mut self, end: f64) -> bool {
        self.examiner.finish(offset_in(end))
    }

    /// Rows that were read since the last call, each with what came of it: 1 where it holds, 0 where not, 2 where that is
    /// not known.
    pub fn take(&mut self) -> Vec<u32> {
        let taken = self.examiner.take().into_iter();
        let pairs =
            taken.map(|(row, outcome)| [u32::try_from(row).unwrap_or(u32::MAX), outcome.number()]);
        pairs.flatten().collect()
    }
}
