//! Writes a segment, section after section, each in the order in which its entries come. What is in memory is a block
//! of each level.

use super::block::{BLOCK_BYTES, Place, seal};
use super::directory::{Footer, Grams, Kind, Order, Section, directory, grams_name, header};
use super::entries::EntriesBuilder;
use super::grams::GramsDraft;
use crate::codec::{Reader, push_varint};
use crate::limits::{SEGMENT_ENTRY_BYTES_MAX, SEGMENT_KEY_BYTES_MAX};

/// What is written of one block into the level above it.
pub struct Child {
    /// Entries and weight before it.
    pub entries: u64,
    pub weight: u64,
    pub place: Place,
}

impl Child {
    pub fn read(bytes: &[u8]) -> Option<Child> {
        let mut reader = Reader::new(bytes);
        Some(Child {
            entries: reader.varint()?,
            weight: reader.varint()?,
            place: Place {
                offset: reader.varint()?,
                length: u32::try_from(reader.varint()?).ok()?,
            },
        })
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        push_varint(&mut bytes, self.entries);
        push_varint(&mut bytes, self.weight);
        push_varint(&mut bytes, self.place.offset);
        push_varint(&mut bytes, u64::from(self.place.length));
        bytes
    }
}

/// What is before a place in a section.
#[derive(Clone, Copy, Default)]
struct Mark {
    entries: u64,
    weight: u64,
}

/// One level of a section: entries at the bottom, above them what tells of the blocks of the level below.
#[derive(Default)]
struct Level {
    block: EntriesBuilder,
    /// Of the block that is being made: what separates it from the one before, and what is before it.
    separator: Vec<u8>,
    before: Mark,
    has_written: bool,
}

struct Growing {
    name: Vec<u8>,
    kind: Kind,
    /// All of it by now.
    whole: Mark,
    levels: Vec<Level>,
    /// Of the block that is being made what its keys hold, and the section that tells it of those before.
    grams: Option<(GramsDraft, Box<Growing>)>,
}

impl Growing {
    fn new(name: Vec<u8>, kind: Kind) -> Growing {
        let grams = (kind.grams == Grams::Known).then(|| {
            let these = Kind {
                order: Order::AsGiven,
                is_weighed: false,
                grams: Grams::These,
            };
            let telling = Growing::new(grams_name(&name), these);
            (GramsDraft::default(), Box::new(telling))
        });
        Growing {
            name,
            kind,
            whole: Mark::default(),
            levels: vec![Level::default()],
            grams,
        }
    }
}

pub struct SegmentWriter {
    id: u64,
    out: Vec<u8>,
    /// Bytes of the file that were handed out.
    taken: u64,
    sections: Vec<Section>,
    growing: Option<Growing>,
    block_bytes: usize,
}

impl SegmentWriter {
    /// `id` tells this segment from others: random, or made from what it is about.
    pub fn new(id: u64) -> SegmentWriter {
        SegmentWriter::with_blocks_of(id, BLOCK_BYTES)
    }

    /// With blocks of another length: small ones make high trees of few entries.
    pub fn with_blocks_of(id: u64, block_bytes: usize) -> SegmentWriter {
        SegmentWriter {
            id,
            out: header(),
            taken: 0,
            sections: Vec::new(),
            growing: None,
            block_bytes,
        }
    }

    /// Begins a section; the one before has ended with it.
    pub fn begin(&mut self, name: &[u8], kind: Kind) {
        self.end();
        self.growing = Some(Growing::new(name.to_vec(), kind));
    }

    /// Adds an entry. False where it is too long, or below the one before it in a section that is ordered.
    pub fn push(&mut self, key: &[u8], value: &[u8]) -> bool {
        let Some(mut growing) = self.growing.take() else {
            return false;
        };
        let is_taken = self.add(&mut growing, key, value);
        self.growing = Some(growing);
        is_taken
    }

    /// Called from several places, and long.
    #[inline(never)]
    fn add(&mut self, growing: &mut Growing, key: &[u8], value: &[u8]) -> bool {
        let kind = growing.kind;
        let Growing { whole, levels, .. } = growing;
        let bytes = key.len() + value.len();
        let bottom = &levels[0].block;
        // A block is written only when another entry comes, so the last one is always there.
        let is_behind = kind.order == Order::AsGiven || bottom.last_key() <= key;
        let is_taken =
            is_behind && key.len() <= SEGMENT_KEY_BYTES_MAX && bytes <= SEGMENT_ENTRY_BYTES_MAX;
        if is_taken {
            if bottom.len() > 0 && bottom.bytes_with(bytes) > self.block_bytes {
                let separator = match kind.order {
                    Order::ByKey => separator(bottom.last_key(), key),
                    Order::AsGiven => &[],
                };
                self.write_block(levels, 0, *whole, separator);
                if let Some((grams, telling)) = &mut growing.grams {
                    self.add(telling, &[], &grams.take());
                }
            }
            levels[0].block.push(key, value);
            whole.entries += 1;
            whole.weight = whole.weight.saturating_add(kind.weight_of(value));
            if let Some((grams, _)) = &mut growing.grams {
                grams.add(key);
            }
        }
        is_taken
    }

    /// Bytes to append to the file.
    pub fn take(&mut self) -> Vec<u8> {
        self.taken += self.out.len() as u64;
        std::mem::take(&mut self.out)
    }

    /// Bytes that wait to be taken.
    pub fn waiting(&self) -> usize {
        self.out.len()
    }

    /// The last bytes of the file.
    pub fn finish(mut self) -> Vec<u8> {
        self.end();
        let content = directory(&self.sections);
        let place = self.append(&content);
        let footer = Footer {
            id: self.id,
            directory: place,
        };
        self.out.extend(footer.to_bytes());
        self.out
    }

    fn end(&mut self) {
        if let Some(growing) = self.growing.take() {
            self.end_section(growing);
        }
    }

    #[inline(never)]
    fn end_section(&mut self, growing: Growing) {
        let Growing {
            name,
            kind,
            whole,
            mut levels,
            grams,
        } = growing;
        let mut height = 0;
        // Up to a level that has one block only.
        while levels[height].has_written {
            self.write_block(&mut levels, height, whole, &[]);
            height += 1;
        }
        let root = if whole.entries > 0 {
            let content = levels[height].block.take();
            self.append(&content)
        } else {
            Place::default()
        };
        self.sections.push(Section {
            name: name.into(),
            kind,
            entries: whole.entries,
            weight: whole.weight,
            height: u32::try_from(height).unwrap_or(u32::MAX),
            root,
        });
        if let Some((mut grams, mut telling)) = grams {
            self.add(&mut telling, &[], &grams.take());
            self.end_section(*telling);
        }
    }

    /// Writes the block of a level and tells the level above of it. The block that follows has `next` before it, and
    /// `separator` parts them.
    fn write_block(&mut self, levels: &mut Vec<Level>, level: usize, next: Mark, separator: &[u8]) {
        if levels.len() == level + 1 {
            levels.push(Level::default());
        }
        let written = &mut levels[level];
        let content = written.block.take();
        let key = std::mem::replace(&mut written.separator, separator.to_vec());
        let before = std::mem::replace(&mut written.before, next);
        written.has_written = true;
        let child = Child {
            entries: before.entries,
            weight: before.weight,
            place: self.append(&content),
        };
        let value = child.to_bytes();
        let above = &levels[level + 1].block;
        // Of less than two there would be no end to the levels.
        if above.len() > 1 && above.bytes_with(key.len() + value.len()) > self.block_bytes {
            self.write_block(levels, level + 1, before, &key);
        }
        levels[level + 1].block.push(&key, &value);
    }

    fn append(&mut self, content: &[u8]) -> Place {
        let offset = self.taken + self.out.len() as u64;
        let block = seal(self.id, offset, content);
        self.out.extend_from_slice(&block);
        Place {
            offset,
            length: u32::try_from(block.len()).unwrap_or(u32::MAX),
        }
    }
}

/// The shortest key that is above `last` and not above `next`, or `next` where there is none between.
fn separator<'a>(last: &[u8], next: &'a [u8]) -> &'a [u8] {
    let shared = last.iter().zip(next).take_while(|(a, b)| a == b).count();
    &next[..next.len().min(shared + 1)]
}
