//! Documents gathered while an archive is read.

use wasm_bindgen::prelude::*;

use super::engine::Index;
use super::seam::offset_out;
use crate::harvest::Harvest;

/// Gathers documents of what is read from now on.
#[wasm_bindgen]
pub fn begin_harvest(index: &mut Index) {
    index.harvest = Some(Harvest::new());
}

/// Gathers no more, and forgets what was gathered.
#[wasm_bindgen]
pub fn stop_harvest(index: &mut Index) {
    index.harvest = None;
}

/// Whether reading is to wait until some are taken.
#[wasm_bindgen]
pub fn is_harvest_full(index: &Index) -> bool {
    index.harvest.as_ref().is_some_and(Harvest::is_full)
}

/// Bytes that wait to be taken, and the row before which nothing does.
#[wasm_bindgen]
pub fn harvested(index: &Index) -> Vec<f64> {
    let held = index.harvest.as_ref().map_or(0, Harvest::held_bytes);
    vec![offset_out(held as u64), offset_out(up_to(index))]
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
    let up_to = offset_out(up_to(index));
    taken[..8].copy_from_slice(&up_to.to_le_bytes());
    taken
}

fn up_to(index: &Index) -> u64 {
    let waiting = index.harvest.as_ref().and_then(Harvest::first_row);
    waiting.unwrap_or(index.captures.len() as u64)
}
