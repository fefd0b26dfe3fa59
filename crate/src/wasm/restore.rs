//! A table of records that is kept: its state, and the table made again of that and of kept rows.

use wasm_bindgen::prelude::*;

use super::engine::Index;
use super::ranges::Splitting;
use super::seam::{offset_in, offset_out, thrown};
use crate::captures::{Awaited, Captures, Restored};
use crate::error::{Error, code};

/// What a table is besides its rows, at the last place within the first rows from which reading can go on.
#[wasm_bindgen]
pub fn kept_state(index: &Index, rows: usize) -> Vec<u8> {
    index.captures.state(rows)
}

/// Makes an index of a state and of the rows that follow.
#[wasm_bindgen]
pub struct Restoring {
    captures: Option<Captures>,
    awaited: Awaited,
}

#[wasm_bindgen]
impl Restoring {
    #[wasm_bindgen(constructor)]
    pub fn new(state: &[u8]) -> Result<Restoring, JsValue> {
        let Restored { captures, awaited } =
            Restored::read(state).ok_or_else(|| not_kept("state"))?;
        Ok(Restoring {
            captures: Some(captures),
            awaited,
        })
    }

    /// The index, which has no rows yet; once.
    pub fn take_index(&mut self) -> Index {
        Index::of(self.captures.take().unwrap_or_default())
    }

    /// How many rows it is to have.
    pub fn rows(&self) -> usize {
        self.awaited.rows
    }

    /// How many files were begun, the one under way included.
    pub fn files(&self) -> usize {
        self.awaited.files
    }

    /// Where the reading of the last file goes on; nothing where all that were begun are read.
    pub fn goes_on_at(&self) -> Option<f64> {
        let way_on = self.awaited.way_on?;
        Some(offset_out(way_on.joint.offset))
    }

    /// Goes on with the last file, whose first bytes need not be fed again. False where that cannot be.
    pub fn go_on(&self, index: &mut Index, size: Option<f64>) -> bool {
        index.parser = self.awaited.parser(&index.captures, size.map(offset_in));
        index.parser.is_some()
    }

    /// Puts the rest of the last file together from ranges; nothing where that is of a format that is not split.
    pub fn split(
        &self,
        index: &Index,
        size: f64,
        range_bytes: f64,
        workers: usize,
    ) -> Option<Splitting> {
        let (size, range_bytes) = (offset_in(size), offset_in(range_bytes));
        let splitter = self
            .awaited
            .splitter(&index.captures, size, range_bytes, workers)?;
        Some(Splitting { splitter })
    }

    /// Takes rows as they are kept; those behind the last one that it is to have are left.
    pub fn take_rows(&self, index: &mut Index, rows: &[u8]) -> Result<(), JsValue> {
        if self.awaited.take_rows(&mut index.captures, rows) {
            return Ok(());
        }
        Err(not_kept("rows"))
    }
}

fn not_kept(what: &str) -> JsValue {
    let message = format!(
        "The kept {what} of this archive cannot be used: they are damaged, or of another version of Stackroom. It must be indexed again."
    );
    thrown(Error::new(code::NOT_A_STATE, message))
}
