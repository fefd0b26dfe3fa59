//! Hash: a table of slots, each with half of a hash and the id of its string, found by the other half.
//!
//!   slot := hash:u32 (its lower half) id_plus_one:u32
//! Slots are in the order of hashes, a string in the first free one from that of its hash on. An empty slot ends the
//! search; there is one behind them all.

use super::array::{Array, per_page};
use super::hash::{Hashing, part_of};
use super::heap::Strings;
use super::layout::{Layout, Progress};
use super::pages::{Source, Stop};

pub const SLOT_BYTES: u32 = 8;

pub struct Table {
    pub strings: Strings,
    pub count: u32,
    pub slots: Array,
    /// Slots that strings are for by their hashes; a few more are behind them.
    pub parts: u32,
    pub hashing: Hashing,
}

impl Layout for Table {
    fn lookup_id(
        &self,
        string: &[u8],
        progress: &mut Progress,
        source: &mut Source,
    ) -> Result<Option<u32>, Stop> {
        let hash = self.hashing.of(string);
        progress.begin(u64::from(part_of(hash, self.parts)), 0);
        loop {
            let Some(id) = self.next(hash, progress, source)? else {
                return Ok(None);
            };
            if self.strings.is(id, string, progress, source)? {
                return Ok(Some(id));
            }
            progress.low += 1;
        }
    }

    fn lookup_string(
        &self,
        id: u32,
        into: &mut Vec<u8>,
        progress: &mut Progress,
        source: &mut Source,
    ) -> Result<(), Stop> {
        self.strings.copy(id, into, progress, source)
    }
}

impl Table {
    /// The next string whose slot has this hash, or none.
    fn next(
        &self,
        hash: u64,
        progress: &mut Progress,
        source: &mut Source,
    ) -> Result<Option<u32>, Stop> {
        let each = per_page(self.slots.page_bytes, SLOT_BYTES);
        let mut halves = [0; 4];
        halves.copy_from_slice(&hash.to_le_bytes()[..4]);
        loop {
            let (place, from) = self.slots.place(progress.low);
            let content = source.read(place)?;
            let in_page = each - progress.low % each;
            let bytes = usize::try_from(in_page * u64::from(SLOT_BYTES)).unwrap_or(0);
            let slots = content.get(from..from + bytes).unwrap_or_default();
            for slot in slots.chunks_exact(SLOT_BYTES as usize) {
                let id = u32::from_le_bytes([slot[4], slot[5], slot[6], slot[7]]);
                if id == 0 {
                    return Ok(None);
                }
                if slot[..4] == halves {
                    if id > self.count {
                        return Err(source.damaged(place));
                    }
                    return Ok(Some(id - 1));
                }
                progress.low += 1;
            }
            if slots.is_empty() {
                return Err(source.damaged(place));
            }
        }
    }
}
