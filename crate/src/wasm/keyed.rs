//! Rows of the table of records, as an index that is kept takes them.

use wasm_bindgen::prelude::*;

use super::engine::Index;

/// Rows with their parts, and the keys of their URLs.
#[wasm_bindgen]
pub fn keyed_rows(index: &Index, from: usize, count: usize) -> Vec<u8> {
    index.captures.keyed_rows(from, count)
}
