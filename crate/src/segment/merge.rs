//! Makes one segment of several: entries of sections of one name, one segment after the other, or by their keys.
//! What is in memory is a block of each level of each of them.

use super::blocks::{Blocks, Span, Stop};
use super::cursor::{Cursor, Entry};
use super::directory::{Grams, Kind, Order};
use super::reader::Segment;
use super::writer::SegmentWriter;

/// Makes one entry of two that follow each other.
pub trait Join {
    /// The value that stands under the key of `last` for both, or nothing where they stay two. Called for each entry, in
    /// order; `last` is the entry before it in the section, after what was joined to that.
    fn join(&mut self, section: &[u8], last: Option<Entry<'_>>, next: Entry<'_>)
    -> Option<Vec<u8>>;
}

/// Joins nothing.
struct Apart;

impl Join for Apart {
    fn join(&mut self, _: &[u8], _: Option<Entry<'_>>, _: Entry<'_>) -> Option<Vec<u8>> {
        None
    }
}

pub struct Merge {
    sources: Vec<Segment>,
    /// Names of sections, in the order in which they were met first.
    names: Vec<(Vec<u8>, Kind)>,
    next_name: usize,
    going: Option<Going>,
    join: Box<dyn Join>,
    /// The last entry, which the next one may be joined to.
    last: Option<(Vec<u8>, Vec<u8>)>,
    writer: Option<SegmentWriter>,
    out: Vec<u8>,
}

/// A section that is being merged.
struct Going {
    name: Vec<u8>,
    order: Order,
    /// Of each source where it goes on, in the order of the sources; those that have ended are gone.
    cursors: Vec<(usize, Cursor)>,
}

impl Merge {
    /// Entries of the same key come in the order of the segments.
    pub fn new(id: u64, sources: Vec<Segment>) -> Merge {
        Merge::joining(id, sources, Box::new(Apart))
    }

    /// The same, but entries that follow each other may become one.
    pub fn joining(id: u64, sources: Vec<Segment>, join: Box<dyn Join>) -> Merge {
        let mut names: Vec<(Vec<u8>, Kind)> = Vec::new();
        for section in sources.iter().flat_map(Segment::sections) {
            // What tells of another section is made anew.
            if section.kind.grams == Grams::These {
                continue;
            }
            match names.iter_mut().find(|(name, _)| **name == *section.name) {
                Some((_, kind)) if section.kind.grams == Grams::Known => kind.grams = Grams::Known,
                Some(_) => {}
                None => names.push((section.name.to_vec(), section.kind)),
            }
        }
        Merge {
            sources,
            names,
            next_name: 0,
            going: None,
            join,
            last: None,
            writer: Some(SegmentWriter::new(id)),
            out: Vec::new(),
        }
    }

    /// Takes over some entries. True when there are no more: `take` gives the last bytes then.
    pub fn step(&mut self, blocks: &mut Blocks, entries: usize) -> Result<bool, Stop> {
        for _ in 0..entries {
            if self.writer.is_none() {
                return Ok(true);
            }
            let Some(going) = &mut self.going else {
                self.begin();
                continue;
            };
            let Some(next) = going.next(&self.sources, blocks)? else {
                self.end_section()?;
                continue;
            };
            let (source, cursor) = &mut going.cursors[next];
            if let Some((key, value)) = cursor.read(&self.sources[*source], blocks)? {
                let last = self.last.as_ref();
                let last = last.map(|(key, value)| (key.as_slice(), value.as_slice()));
                if let Some(joined) = self.join.join(&going.name, last, (key, value)) {
                    if let Some((_, value)) = &mut self.last {
                        *value = joined;
                    }
                } else {
                    let span = self.sources[*source].whole();
                    write(self.writer.as_mut(), self.last.as_ref(), span)?;
                    let (last_key, last_value) = self.last.get_or_insert_default();
                    last_key.clear();
                    last_key.extend_from_slice(key);
                    last_value.clear();
                    last_value.extend_from_slice(value);
                }
            }
            cursor.go_on();
        }
        Ok(self.writer.is_none())
    }

    fn end_section(&mut self) -> Result<(), Stop> {
        if let Some(source) = self.sources.first() {
            write(self.writer.as_mut(), self.last.as_ref(), source.whole())?;
        }
        self.last = None;
        self.going = None;
        Ok(())
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
            name: name.clone(),
            order: kind.order,
            cursors: cursors.collect(),
        });
    }
}

/// Writes an entry; a section of somebody else's making need not be in order.
fn write(
    writer: Option<&mut SegmentWriter>,
    entry: Option<&(Vec<u8>, Vec<u8>)>,
    span: Span,
) -> Result<(), Stop> {
    let Some((key, value)) = entry else {
        return Ok(());
    };
    if writer.is_none_or(|writer| writer.push(key, value)) {
        Ok(())
    } else {
        Err(Stop::Damaged(span))
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
