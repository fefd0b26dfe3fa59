//! Pages of all dictionaries that are open: so many bytes of them and of the dictionaries themselves, those pages that were
//! used of late.
//!
//!   sealed := checksum:u64 content
//! The checksum is xxh64 of the content, seeded with the dictionary's id plus the place's offset: a page of another
//! dictionary or from another place is noticed like a flipped bit.
//!
//! What is to go is found by the clock: a page that was used since the hand passed it stays for another round.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use xxhash_rust::xxh64::xxh64;

use crate::limits::DICTIONARY_SPAN_BYTES_MAX;

pub const CHECKSUM_BYTES: usize = 8;
/// A look-up needs fewer pages at once.
const SLOTS_MIN: usize = 16;
/// What a page takes besides its bytes: its slot, its entry in the index, the room that both leave for more and are moved
/// through when they grow, and what the allocator keeps of it.
pub(super) const SLOT_BYTES: usize = 160;
/// Filters are asked while they take no more than one of so many parts of the memory.
const FILTERS_PART: u64 = 4;

/// Part of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The host's number for the file.
    pub file: u32,
    pub offset: u64,
    pub length: u32,
}

/// Why something cannot be told yet, or at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Read this, provide it, and call again.
    Missing(Span),
    /// This is not what was written there.
    Damaged(Span),
}

/// Where in its file something sealed stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    pub offset: u64,
    pub length: u32,
}

struct Slot {
    key: (u32, u64),
    /// Empty where it is not what was written there.
    bytes: Vec<u8>,
    is_used: bool,
}

/// What is known of a dictionary.
#[derive(Clone, Copy)]
pub(super) struct Told {
    pub id: u64,
    /// Bytes of memory that it takes besides its pages.
    pub bytes: usize,
    /// And that the pages of its filter would take.
    pub filter_bytes: u64,
}

pub struct Pages {
    bytes_max: usize,
    bytes: usize,
    is_verified: bool,
    slots: Vec<Slot>,
    hand: usize,
    index: HashMap<(u32, u64), usize, BuildHasherDefault<PlaceHasher>>,
    /// Dictionaries by their files.
    open: HashMap<u32, Told>,
    /// Bytes of memory that all filters would take.
    filter_bytes: u64,
    reads: u64,
}

impl Pages {
    pub fn new(bytes_max: usize) -> Pages {
        Pages {
            bytes_max,
            bytes: 0,
            is_verified: true,
            slots: Vec::new(),
            hand: 0,
            index: HashMap::default(),
            open: HashMap::new(),
            filter_bytes: 0,
            reads: 0,
        }
    }

    /// For tests of what checksums would hide: takes any bytes for what was written.
    #[doc(hidden)]
    pub fn unverified(bytes_max: usize) -> Pages {
        Pages {
            is_verified: false,
            ..Pages::new(bytes_max)
        }
    }

    /// Bytes of memory that the pages take, and the dictionaries that are open.
    pub fn resident(&self) -> usize {
        self.bytes
    }

    /// How many spans were provided.
    pub fn reads(&self) -> u64 {
        self.reads
    }

    /// Takes in what `Stop::Missing` named, shorter where the file ends before.
    pub fn provide(&mut self, span: Span, bytes: &[u8]) {
        self.reads += 1;
        let is_whole = bytes.len() == span.length as usize;
        let is_sound = is_whole && self.is_sound(span, bytes);
        let key = (span.file, span.offset);
        let mut kept = self.room(key, bytes.len());
        kept.clear();
        if is_sound {
            kept.extend_from_slice(bytes);
        }
        self.bytes += kept.capacity() + SLOT_BYTES;
        self.index.insert(key, self.slots.len());
        self.slots.push(Slot {
            key,
            bytes: kept,
            is_used: true,
        });
    }

    /// Forgets a file: it is gone, or is another one from now on.
    pub fn forget(&mut self, file: u32) {
        if let Some(told) = self.open.remove(&file) {
            self.bytes -= told.bytes;
            self.filter_bytes -= told.filter_bytes;
        }
        for at in (0..self.slots.len()).rev() {
            if self.slots[at].key.0 == file {
                self.remove(at);
            }
        }
    }

    /// There is a dictionary in this file.
    pub(super) fn tell(&mut self, file: u32, told: Told) {
        self.forget(file);
        self.make_room(told.bytes);
        self.open.insert(file, told);
        self.bytes += told.bytes;
        self.filter_bytes += told.filter_bytes;
    }

    pub(super) fn is_sealed(&self, bytes: &[u8], seed: u64) -> bool {
        let Some((stated, content)) = bytes.split_first_chunk() else {
            return false;
        };
        !self.is_verified || u64::from_le_bytes(*stated) == xxh64(content, seed)
    }

    fn is_sound(&self, span: Span, bytes: &[u8]) -> bool {
        let open = self.open.get(&span.file);
        open.is_some_and(|told| self.is_sealed(bytes, told.id.wrapping_add(span.offset)))
    }

    /// What stands at a place of a file.
    fn read(&mut self, file: u32, place: Place) -> Result<&[u8], Stop> {
        let span = Span {
            file,
            offset: place.offset,
            length: place.length,
        };
        let Some(&at) = self.index.get(&(file, place.offset)) else {
            return Err(Stop::Missing(span));
        };
        let slot = &mut self.slots[at];
        slot.is_used = true;
        if slot.bytes.len() != place.length as usize {
            // One that is asked for by another length was named by something that is damaged, or is itself.
            return Err(Stop::Damaged(span));
        }
        slot.bytes.get(CHECKSUM_BYTES..).ok_or(Stop::Damaged(span))
    }

    /// Makes room for so many bytes at a place, and gives memory to be used again.
    fn room(&mut self, key: (u32, u64), length: usize) -> Vec<u8> {
        let own = self.index.get(&key).copied().map(|at| self.remove(at));
        let freed = self.make_room(length + SLOT_BYTES);
        // Memory of about the length: what is longer would count for more than it holds.
        let fits = |memory: &Vec<u8>| (length..=length + length / 4).contains(&memory.capacity());
        own.into_iter().chain(freed).find(fits).unwrap_or_default()
    }

    /// Lets pages go until there is room for so many bytes; gives the memory of the last one.
    fn make_room(&mut self, bytes: usize) -> Option<Vec<u8>> {
        let mut freed = None;
        while self.slots.len() >= SLOTS_MIN && self.bytes + bytes > self.bytes_max {
            let at = self.next_to_go();
            freed = Some(self.remove(at));
        }
        freed
    }

    fn next_to_go(&mut self) -> usize {
        loop {
            if self.hand >= self.slots.len() {
                self.hand = 0;
            }
            let slot = &mut self.slots[self.hand];
            if !std::mem::take(&mut slot.is_used) {
                return self.hand;
            }
            self.hand += 1;
        }
    }

    fn remove(&mut self, at: usize) -> Vec<u8> {
        let Slot { key, bytes, .. } = self.slots.swap_remove(at);
        self.index.remove(&key);
        if let Some(moved) = self.slots.get(at) {
            self.index.insert(moved.key, at);
        }
        self.bytes -= bytes.capacity() + SLOT_BYTES;
        bytes
    }
}

/// One dictionary's pages, as its layout reads them.
pub struct Source<'a> {
    pub(super) file: u32,
    /// Of the file.
    pub(super) bytes: u64,
    pub(super) pages: &'a mut Pages,
}

impl Source<'_> {
    pub(super) fn read(&mut self, place: Place) -> Result<&[u8], Stop> {
        let end = place.offset.checked_add(u64::from(place.length));
        if place.length > DICTIONARY_SPAN_BYTES_MAX || end.is_none_or(|end| end > self.bytes) {
            return Err(self.damaged(place));
        }
        self.pages.read(self.file, place)
    }

    /// Whether there is memory for the filters of all dictionaries, and most of it for other pages still.
    pub(super) fn has_room_for_filters(&self) -> bool {
        self.pages.filter_bytes <= self.pages.bytes_max as u64 / FILTERS_PART
    }

    /// What is there cannot have been written.
    pub(super) fn damaged(&self, place: Place) -> Stop {
        Stop::Damaged(Span {
            file: self.file,
            offset: place.offset,
            length: place.length,
        })
    }
}

/// Places are not chosen by anybody who could gain from a slow index: two multiplications do.
#[derive(Default)]
struct PlaceHasher(u64);

impl Hasher for PlaceHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(23) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_kept_than_may_be_and_what_is_used_stays() {
        let mut pages = Pages::new(64 << 10);
        let told = Told {
            id: 5,
            bytes: 0,
            filter_bytes: 0,
        };
        pages.tell(1, told);
        let place = |n: u64| Place {
            offset: n * 1008,
            length: 1008,
        };
        let sealed = |n: u64| {
            let content = [7; 1000];
            let mut bytes = xxh64(&content, 5 + n * 1008).to_le_bytes().to_vec();
            bytes.extend(content);
            bytes
        };
        let mut source = Source {
            file: 1,
            bytes: u64::MAX,
            pages: &mut pages,
        };
        let mut missed = 0;
        for n in (0..500).flat_map(|n| [n, 3]) {
            if let Err(Stop::Missing(span)) = source.read(place(n)) {
                missed += 1;
                source.pages.provide(span, &sealed(n));
            }
            assert!(source.read(place(n)).is_ok());
            assert!(source.pages.resident() <= 64 << 10);
        }
        assert!((500..=510).contains(&missed), "{missed}");
        source.pages.forget(1);
        assert_eq!(source.pages.resident(), 0);
    }
}
