//! Makes one segment of several: entries of sections of one name, one segment after the other, or by their keys.
//! What is in memory is a block of each level of each of them.

use super::blocks::{Blocks, Stop};
use super::cursor::Cursor;
use super::directory::{Kind, Order};
use super::reader::Segment;
use super::writer::SegmentWriter;

pub struct Merge {
    sources: Vec<Segment>,
    /// Names of sections, in the order in which they were met first.
    names: Vec<(Vec<u8>, Kind)>,
    next_name: usize,
    going: Option<Going>,
    writer: Option<SegmentWriter>,
    out: Vec<u8>,
}

/// A section that is being merged.
struct Going {
    order: Order,
    /// Of each source where it goes on, in the order of the sources; those that have ended are gone.
    cursors: Vec<(usize, Cursor)>,
}

impl Merge {
    /// Entries of the same key come in the order of the segments.
    pub fn new(id: u64, sources: Vec<Segment>) -> Merge {
        let mut names: Vec<(Vec<u8>, Kind)> = Vec::new();
        for section in sources.iter().flat_map(Segment::sections) {
            if names.iter().all(|(name, _)| *name != section.name) {
                names.push((section.name.clone(), section.kind));
            }
        }
        Merge {
            sources,
            names,
            next_name: 0,
            going: None,
            writer: Some(SegmentWriter::new(id)),
            out: Vec::new(),
        }
    }

    /// Takes over some entries. True when there are no more: `take` gives the last bytes then.
    pub fn step(&mut self, blocks: &mut Blocks, entries: usize) -> Result<bool, Stop> {
        for _ in 0..entries {
            let Some(writer) = &mut self.writer else {
                return Ok(true);
            };
            let Some(going) = &mut self.going else {
                self.begin();
                continue;
            };
            let Some(next) = going.next(&self.sources, blocks)? else {
                self.going = None;
                continue;
            };
            let (source, cursor) = &mut going.cursors[next];
            if let Some((key, value)) = cursor.read(&self.sources[*source], blocks)? {
                // A section of somebody else's making need not be in order.
                let span = self.sources[*source].whole();
                if !writer.push(key, value) {
                    return Err(Stop::Damaged(span));
                }
            }
            cursor.go_on();
        }
        Ok(self.writer.is_none())
    }

    /// Bytes to append to the new segment's file.
    pub fn take(&mut self) -> Vec<u8> {
        let mut bytes = std::mem::take(&mut self.out);
        if let Some(writer) = &mut self.writer {
            bytes.extend(writer.take());
        }
        bytes
    }

    /// Bytes that wait to be taken.
    pub fn waiting(&self) -> usize {
        self.out.len() + self.writer.as_ref().map_or(0, SegmentWriter::waiting)
    }

    fn begin(&mut self) {
        let Some((name, kind)) = self.names.get(self.next_name) else {
            if let Some(writer) = self.writer.take() {
                self.out = writer.finish();
            }
            return;
        };
        self.next_name += 1;
        if let Some(writer) = &mut self.writer {
            writer.begin(name, *kind);
        }
        let sections = self.sources.iter().enumerate();
        let cursors = sections.filter_map(|(n, segment)| {
            let section = segment.section(name)?;
            Some((n, Cursor::new(section, 0)))
        });
        self.going = Some(Going {
            order: kind.order,
            cursors: cursors.collect(),
        });
    }
}

impl Going {
    /// Which of the cursors has the next entry.
    fn next(&mut self, sources: &[Segment], blocks: &mut Blocks) -> Result<Option<usize>, Stop> {
        let mut least: Option<usize> = None;
        let mut n = 0;
        while n < self.cursors.len() {
            let (before, rest) = self.cursors.split_at_mut(n);
            let Some((source, cursor)) = rest.first_mut() else {
                break;
            };
            let Some((key, _)) = cursor.read(&sources[*source], blocks)? else {
                self.cursors.remove(n);
                continue;
            };
            if self.order == Order::AsGiven {
                return Ok(Some(n));
            }
            let is_less = match least.and_then(|least| before.get_mut(least)) {
                None => true,
                Some((source, other)) => {
                    let other = other.read(&sources[*source], blocks)?;
                    other.is_none_or(|(other, _)| key < other)
                }
            };
            if is_less {
                least = Some(n);
            }
            n += 1;
        }
        Ok(least)
    }
}
