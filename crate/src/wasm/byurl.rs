//! Rows of an archive by their URL, for replay.

use wasm_bindgen::prelude::*;

use crate::byurl::{ByUrl, How, Wanted};

#[wasm_bindgen]
pub struct RowsByUrl {
    table: ByUrl,
}

#[wasm_bindgen]
impl RowsByUrl {
    /// The two halves of a number that was drawn by lot.
    #[wasm_bindgen(constructor)]
    pub fn new(high: u32, low: u32) -> RowsByUrl {
        RowsByUrl {
            table: ByUrl::new(u64::from(high) << 32 | u64::from(low)),
        }
    }

    /// Takes in rows as the engine tells them; false where they are none.
    pub fn add(&mut self, rows: &[u8]) -> bool {
        self.table.add(rows)
    }

    /// Numbers of rows, the nearest in time first. `how`: 0 of this URL, 1 of one that differs in nothing that matters, 2 of
    /// any query at its path. The date is in seconds since 1970.
    pub fn find(
        &self,
        url: &str,
        how: u8,
        date: Option<u32>,
        count: usize,
        is_of_requests: bool,
    ) -> Vec<u32> {
        let how = match how {
            0 => How::Same,
            1 => How::Alike,
            _ => How::Below,
        };
        let wanted = Wanted {
            how,
            date,
            count,
            is_of_requests,
        };
        self.table.find(url, wanted)
    }
}
