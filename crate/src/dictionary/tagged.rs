//! Tagged pages: the page of a string is computed from its hash, and of all that is in a page only strings with the same
//! tag, a byte of the hash, are looked at.
//!
//!   page  := count:u16 0:u16 further:u32 moved:u64 tag:u8{count} id:u32{count} end:u16{count} string*
//! `further` says how many pages behind this one may have strings that are for this one, which had no room, and `moved`
//! has a bit for each of these. Nothing is resident: a look-up is one read, and one more for the few that stand further.
//! Where there is memory for the filter, most strings that are not there are none.
//! Where the highest bit of `end` is set there is, instead of a string, where in the heap a long one is: start:u64
//! length:u32 hash:u64.

use crate::codec::Reader;

use super::array::Array;
use super::filter::Filter;
use super::hash::{Hashing, part_of};
use super::heap::{Heap, Range};
use super::layout::{Layout, Progress};
use super::pages::{Place, Source, Stop};

pub const HEAD_BYTES: usize = 2 + 2 + 4 + 8;
/// What a string takes besides its own bytes.
pub const ENTRY_BYTES: usize = 1 + 4 + 2;
pub const LONG_BYTES: usize = 8 + 4 + 8;
pub const IS_LONG: u16 = 1 << 15;

pub struct Tagged {
    pub hashing: Hashing,
    pub page_bytes: u32,
    /// Pages.
    pub parts: u32,
    pub offset: u64,
    pub filter: Filter,
    /// Where each string is, by id: page * 65,536 + place in it.
    pub places: Array,
    pub heap: Heap,
}

/// A page that was read.
struct Page<'a> {
    tags: &'a [u8],
    ids: &'a [u8],
    ends: &'a [u8],
    strings: &'a [u8],
    further: u32,
    moved: u64,
}

enum Held<'a> {
    Here(&'a [u8]),
    InHeap(Range, u64),
}

enum Found {
    Nothing {
        further: u32,
    },
    Id(u32),
    /// At this place in the page there is perhaps the string, in the heap.
    Perhaps(usize, u32, Range),
}

pub fn tag_of(hash: u64) -> u8 {
    hash.to_le_bytes()[0]
}

/// The bit of strings that moved: by other bits of the hash than the tag.
pub fn moved_bit(hash: u64) -> u64 {
    1 << (hash.to_le_bytes()[1] & 63)
}

impl Layout for Tagged {
    fn lookup_id(
        &self,
        string: &[u8],
        progress: &mut Progress,
        source: &mut Source,
    ) -> Result<Option<u32>, Stop> {
        if self.parts == 0 {
            return Ok(None);
        }
        let hash = self.hashing.of(string);
        let is_asked = !progress.is_begun && source.has_room_for_filters();
        if is_asked && !self.filter.may_have(hash, source)? {
            return Ok(None);
        }
        let parts = u64::from(self.parts);
        let home = u64::from(part_of(hash, self.parts));
        progress.begin(home, home);
        while progress.low <= progress.high {
            // Behind the last page is the first.
            let page = progress.low.checked_sub(parts).unwrap_or(progress.low);
            let place = self.page_place(page);
            // What is below was looked at, as far as the heap.
            let from = usize::try_from(progress.below).unwrap_or(usize::MAX);
            let found =
                Page::read(source.read(place)?).and_then(|page| page.find(hash, string, from));
            match found {
                Some(Found::Id(id)) => return Ok(Some(id)),
                Some(Found::Perhaps(at, id, range)) => {
                    if self.heap.is(range, string, progress, source)? {
                        return Ok(Some(id));
                    }
                    progress.below = at as u64 + 1;
                }
                Some(Found::Nothing { further }) => {
                    if progress.low == home {
                        progress.high = home + u64::from(further).min(parts - 1);
                    }
                    progress.low += 1;
                    progress.below = 0;
                }
                None => return Err(source.damaged(place)),
            }
        }
        Ok(None)
    }

    fn lookup_string(
        &self,
        id: u32,
        into: &mut Vec<u8>,
        progress: &mut Progress,
        source: &mut Source,
    ) -> Result<(), Stop> {
        let place = self.places.get(u64::from(id), source)?;
        let at = usize::try_from(place & 0xffff).unwrap_or(usize::MAX);
        let place = self.page_place(place >> 16);
        let page = Page::read(source.read(place)?).filter(|page| page.id(at) == Some(id));
        match page.and_then(|page| page.held(at)) {
            Some(Held::Here(found)) => {
                into.extend_from_slice(found);
                Ok(())
            }
            Some(Held::InHeap(range, _)) => self.heap.copy(range, into, progress, source),
            None => Err(source.damaged(place)),
        }
    }

    fn filter_bytes(&self) -> u64 {
        self.filter.page_bytes()
    }
}

impl Tagged {
    fn page_place(&self, page: u64) -> Place {
        Place {
            offset: page
                .saturating_mul(u64::from(self.page_bytes))
                .saturating_add(self.offset),
            length: self.page_bytes,
        }
    }
}

impl<'a> Page<'a> {
    fn read(content: &'a [u8]) -> Option<Page<'a>> {
        let mut reader = Reader::new(content);
        let count = usize::from(reader.u16()?);
        reader.u16()?;
        let further = reader.u32()?;
        let moved = reader.u64()?;
        Some(Page {
            tags: reader.take(count)?,
            ids: reader.take(4 * count)?,
            ends: reader.take(2 * count)?,
            strings: reader.take(reader.left())?,
            further,
            moved,
        })
    }

    /// The string, from a place on; `None` where the page cannot have been written.
    fn find(&self, hash: u64, string: &[u8], from: usize) -> Option<Found> {
        let tags = self.tags.get(from..)?;
        for at in memchr::memchr_iter(tag_of(hash), tags) {
            let at = from + at;
            match self.held(at)? {
                Held::Here(found) if found == string => return Some(Found::Id(self.id(at)?)),
                Held::InHeap(range, of) if of == hash => {
                    return Some(Found::Perhaps(at, self.id(at)?, range));
                }
                _ => {}
            }
        }
        let has_moved = self.moved & moved_bit(hash) != 0;
        Some(Found::Nothing {
            further: if has_moved { self.further } else { 0 },
        })
    }

    fn id(&self, at: usize) -> Option<u32> {
        let bytes = self.ids.get(4 * at..)?.first_chunk()?;
        Some(u32::from_le_bytes(*bytes))
    }

    fn end(&self, at: usize) -> Option<u16> {
        let bytes = self.ends.get(2 * at..)?.first_chunk()?;
        Some(u16::from_le_bytes(*bytes))
    }

    fn held(&self, at: usize) -> Option<Held<'a>> {
        let start = match at {
            0 => 0,
            _ => self.end(at - 1)? & !IS_LONG,
        };
        let end = self.end(at)?;
        let bytes = self
            .strings
            .get(usize::from(start)..usize::from(end & !IS_LONG))?;
        if end & IS_LONG == 0 {
            return Some(Held::Here(bytes));
        }
        let mut reader = Reader::new(bytes);
        let start = reader.u64()?;
        let end = start.checked_add(u64::from(reader.u32()?))?;
        Some(Held::InHeap((start, end), reader.u64()?))
    }
}
