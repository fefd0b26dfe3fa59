//! What is looked up where strings stand in the order of their ids: ids in order, a tree, a table of hashes.

use super::super::builder::Given;
use super::super::footer::{Footer, Kind};
use super::super::hash::part_of;
use super::super::out::Out;
use super::super::table::SLOT_BYTES;
use super::tree;

/// Slots for ten strings.
const SLOTS_FOR_TEN: u64 = 14;

pub fn write_index(given: &Given, hashes: &[(u64, u32)], footer: &mut Footer, out: &mut Out) {
    match footer.kind {
        Kind::Binary => {
            footer.regions.index = out.array(4, sorted(given).into_iter().map(u64::from))
        }
        Kind::Tree if given.count() > 0 => {
            footer.resident = tree::write(given, &sorted(given), out)
        }
        Kind::Hash => write_table(hashes, footer, out),
        _ => {}
    }
}

/// Ids in the order of their strings.
fn sorted(given: &Given) -> Vec<u32> {
    let mut ids: Vec<u32> = (0..given.count()).collect();
    ids.sort_unstable_by_key(|id| given.get(*id));
    ids
}

fn write_table(hashes: &[(u64, u32)], footer: &mut Footer, out: &mut Out) {
    let slots = hashes.len() as u64 * SLOTS_FOR_TEN / 10 + 1;
    let parts = u32::try_from(slots).unwrap_or(u32::MAX);
    footer.parts = parts;
    let mut next = 0u64;
    let mut slots = Vec::with_capacity(hashes.len());
    for (hash, _) in hashes {
        next = next.max(u64::from(part_of(*hash, parts)));
        slots.push(next);
        next += 1;
    }
    let filled = hashes
        .iter()
        .zip(&slots)
        .scan(0, |free, ((hash, id), slot)| {
            let empty = usize::try_from(slot - *free).unwrap_or(0);
            *free = slot + 1;
            let content = (hash & u64::from(u32::MAX)) | (u64::from(*id) + 1) << 32;
            Some(std::iter::repeat_n(0, empty).chain([content]))
        });
    // An empty slot behind all that a string stands in, and behind all that one is for.
    let behind = (u64::from(parts) + 1).saturating_sub(next).max(1);
    let behind = std::iter::repeat_n(0, usize::try_from(behind).unwrap_or(1));
    footer.regions.index = out.array(SLOT_BYTES, filled.flatten().chain(behind));
}
