//! Bucketed hash: strings in buckets by their hashes, each bucket read at once.
//!
//!   bucket := entry*     entry := id:u32 head:varint (string | start:varint hash:u64)     head := length * 2 + is_long
//!   ends   := (base:u64 end:u32{32})*
//! A long string stands in the heap. Where each bucket ends is resident: the sum of the base of its group, of which there
//! is one for 32 buckets, and of its own number.

use crate::codec::Reader;

use super::array::Array;
use super::hash::{Hashing, part_of};
use super::heap::{Heap, Range};
use super::layout::{Layout, Progress};
use super::pages::{CHECKSUM_BYTES, Place, Source, Stop};

/// A string that is longer is in the heap.
pub const INLINE_BYTES_MAX: usize = 1 << 10;
pub const GROUP: u32 = 32;
const GROUP_BYTES: usize = 8 + 4 * 32;

pub struct Bucket {
    pub hashing: Hashing,
    pub buckets: u32,
    /// Which bucket a string is in, by id.
    pub places: Array,
    pub heap: Heap,
    /// Where the first bucket begins.
    pub offset: u64,
    /// All that the resident part has, with its checksum.
    pub ends: Vec<u8>,
}

enum Held<'a> {
    Here(&'a [u8]),
    InHeap(Range, u64),
}

struct Entry<'a> {
    id: u32,
    held: Held<'a>,
}

impl Layout for Bucket {
    fn lookup_id(
        &self,
        string: &[u8],
        progress: &mut Progress,
        source: &mut Source,
    ) -> Result<Option<u32>, Stop> {
        if self.buckets == 0 {
            return Ok(None);
        }
        let hash = self.hashing.of(string);
        progress.begin(0, 0);
        let place = self.place(part_of(hash, self.buckets), source)?;
        let mut passed = 0;
        let mut reader = Reader::new(source.read(place)?);
        while !reader.is_empty() {
            let Some(Entry { id, held }) = entry(&mut reader) else {
                return Err(source.damaged(place));
            };
            match held {
                Held::Here(found) if found == string => return Ok(Some(id)),
                Held::InHeap(range, of) if of == hash && passed >= progress.low => {
                    // Looking there may lose what is at hand: what was looked at is counted, and the rest read again.
                    if self.heap.is(range, string, progress, source)? {
                        return Ok(Some(id));
                    }
                    progress.low = passed + 1;
                    passed = 0;
                    reader = Reader::new(source.read(place)?);
                    continue;
                }
                _ => {}
            }
            passed += 1;
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
        let bucket = self.places.get(u64::from(id), source)?;
        let bucket = u32::try_from(bucket).unwrap_or(u32::MAX);
        if bucket >= self.buckets {
            return Err(source.damaged(self.places.place(u64::from(id)).0));
        }
        let place = self.place(bucket, source)?;
        let mut reader = Reader::new(source.read(place)?);
        loop {
            match entry(&mut reader) {
                Some(entry) if entry.id == id => match entry.held {
                    Held::Here(found) => {
                        into.extend_from_slice(found);
                        return Ok(());
                    }
                    Held::InHeap(range, _) => return self.heap.copy(range, into, progress, source),
                },
                Some(_) => {}
                None => return Err(source.damaged(place)),
            }
        }
    }

    fn held(&self) -> usize {
        self.ends.capacity()
    }
}

impl Bucket {
    fn place(&self, bucket: u32, source: &Source) -> Result<Place, Stop> {
        let start = match bucket {
            0 => Some(0),
            _ => self.end(bucket - 1),
        };
        let place = start.zip(self.end(bucket)).and_then(|(start, end)| {
            Some(Place {
                offset: self.offset.checked_add(start)?,
                length: u32::try_from(end.checked_sub(start)?).ok()?,
            })
        });
        place.ok_or_else(|| source.damaged(Place::default()))
    }

    /// Where a bucket ends, from the beginning of the first.
    fn end(&self, bucket: u32) -> Option<u64> {
        let groups = self.ends.get(CHECKSUM_BYTES..)?;
        let group = groups.get((bucket / GROUP) as usize * GROUP_BYTES..)?;
        let mut reader = Reader::new(group);
        let base = reader.u64()?;
        reader.take((bucket % GROUP) as usize * 4)?;
        base.checked_add(u64::from(reader.u32()?))
    }
}

fn entry<'a>(reader: &mut Reader<'a>) -> Option<Entry<'a>> {
    let id = reader.u32()?;
    let head = reader.varint()?;
    let length = head >> 1;
    let held = if head & 1 == 0 {
        Held::Here(reader.take(usize::try_from(length).ok()?)?)
    } else {
        let start = reader.varint()?;
        let range = (start, start.checked_add(length)?);
        Held::InHeap(range, reader.u64()?)
    };
    Some(Entry { id, held })
}
