//! A segment that is open: its sections, and what is before a key in one of them.

use std::rc::Rc;

use super::block;
use super::blocks::{Blocks, Span, Stop};
use super::directory::{
    FOOTER_BYTES, Footer, Grams, HEADER_BYTES, Section, grams_name, read_directory,
};
use super::entries::{Entries, Walk};
use super::writer::Child;

/// No tree of blocks is higher: each level has at least twice the blocks of the one above.
const HEIGHT_MAX: u32 = 64;

/// How many entries are before a place in a section, and what they weigh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rank {
    pub entries: u64,
    pub weight: u64,
}

/// A block of entries, and what is before it.
#[derive(Clone)]
pub(super) struct Leaf {
    pub entries: Rc<Entries>,
    pub before: Rank,
    pub span: Span,
}

/// What the tree of a section is gone down to.
enum Wanted<'a> {
    Key(&'a [u8]),
    Entry(u64),
}

impl Wanted<'_> {
    /// The child of an index block to go on with; `None` where it is malformed.
    fn child(&self, entries: &Entries) -> Option<Child> {
        match self {
            // The last child that begins below the key: of equal keys the first may be in there.
            Wanted::Key(key) => Child::read(entries.value_before(key).ok()?),
            // The last child that has no more than that before it.
            Wanted::Entry(entry) => {
                let mut walk = Walk::default();
                let is_at_most = |walk: &Walk| {
                    let child = Child::read(walk.value(entries));
                    child.is_some_and(|child| child.entries <= *entry)
                };
                walk.go_to_last(entries, is_at_most).ok()?;
                Child::read(walk.value(entries))
            }
        }
    }
}

#[derive(Clone, Debug)]
pub struct Segment {
    file: u32,
    bytes: u64,
    sections: Vec<Section>,
}

impl Segment {
    /// Opens the segment in a file of so many bytes.
    pub fn open(file: u32, bytes: u64, blocks: &mut Blocks) -> Result<Segment, Stop> {
        let span = |offset, length: u64| Span {
            file,
            offset,
            length: u32::try_from(length).unwrap_or(u32::MAX),
        };
        let end = FOOTER_BYTES as u64;
        let at = bytes.saturating_sub(end);
        let footer_span = span(at, bytes.min(end));
        let damaged = Stop::Damaged(footer_span);
        let footer = blocks.raw(footer_span)?;
        let footer = Footer::read(&footer).ok_or(damaged)?;
        let place = footer.directory;
        let is_inside = place.offset >= HEADER_BYTES as u64
            && place.offset.checked_add(u64::from(place.length)) == Some(at);
        if !is_inside {
            return Err(damaged);
        }
        let directory_span = span(place.offset, u64::from(place.length));
        let directory = blocks.raw(directory_span)?;
        let sections = block::open(footer.id, place.offset, &directory)
            .and_then(|content| read_directory(&content))
            .filter(|sections| sections.iter().all(|section| is_sound(section, at)))
            .ok_or(Stop::Damaged(directory_span))?;
        blocks.tell(file, footer.id);
        Ok(Segment {
            file,
            bytes,
            sections,
        })
    }

    pub fn file(&self) -> u32 {
        self.file
    }

    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    pub fn section(&self, name: &[u8]) -> Option<&Section> {
        self.sections.iter().find(|section| *section.name == *name)
    }

    /// The section that tells what keys of another one hold.
    pub fn grams(&self, name: &[u8]) -> Option<&Section> {
        let of = self.section(name)?;
        let grams = self.section(&grams_name(name))?;
        let kinds = (of.kind.grams, grams.kind.grams);
        (kinds == (Grams::Known, Grams::These)).then_some(grams)
    }

    /// What is before the first entry whose key is not below `key`, in a section that is ordered by keys.
    pub fn rank(&self, section: &Section, key: &[u8], blocks: &mut Blocks) -> Result<Rank, Stop> {
        if section.entries == 0 {
            return Ok(Rank::default());
        }
        let leaf = self.leaf_of_key(section, key, blocks)?;
        let damaged = Stop::Damaged(leaf.span);
        let mut walk = Walk::default();
        let is_there = walk.seek(&leaf.entries, key).map_err(|_| damaged)?;
        let within = if is_there {
            walk.index()
        } else {
            leaf.entries.len()
        };
        let mut rank = leaf.before;
        // Of entries that weigh nothing there is nothing to be summed.
        let weighed = if section.kind.is_weighed { within } else { 0 };
        if weighed > 0 {
            walk.go_to(&leaf.entries, 0).map_err(|_| damaged)?;
        }
        for n in 0..weighed {
            if n > 0 {
                walk.go_on(&leaf.entries).map_err(|_| damaged)?;
            }
            let weight = section.kind.weight_of(walk.value(&leaf.entries));
            rank.weight = rank.weight.saturating_add(weight);
        }
        rank.entries = rank.entries.saturating_add(within as u64);
        Ok(rank)
    }

    /// The block in which the first entry is whose key is not below `key`, or behind which it is.
    pub(super) fn leaf_of_key(
        &self,
        section: &Section,
        key: &[u8],
        blocks: &mut Blocks,
    ) -> Result<Leaf, Stop> {
        self.descend(section, blocks, &Wanted::Key(key))
    }

    /// The block in which an entry is.
    pub(super) fn leaf_of(
        &self,
        section: &Section,
        entry: u64,
        blocks: &mut Blocks,
    ) -> Result<Leaf, Stop> {
        self.descend(section, blocks, &Wanted::Entry(entry))
    }

    /// Goes down from the root.
    fn descend(
        &self,
        section: &Section,
        blocks: &mut Blocks,
        wanted: &Wanted<'_>,
    ) -> Result<Leaf, Stop> {
        let mut place = section.root;
        let mut before = Rank::default();
        for _ in 0..section.height {
            let span = self.span(place);
            let entries = blocks.entries(self.file, place)?;
            let damaged = Stop::Damaged(span);
            if entries.len() == 0 {
                return Err(damaged);
            }
            let child = wanted.child(&entries).ok_or(damaged)?;
            // A child stands before what tells of it, so that no block leads back to itself.
            if child.place.offset >= place.offset {
                return Err(damaged);
            }
            before = Rank {
                entries: child.entries,
                weight: child.weight,
            };
            place = child.place;
        }
        Ok(Leaf {
            entries: blocks.entries(self.file, place)?,
            before,
            span: self.span(place),
        })
    }

    /// All of the file, for what is wrong with no block in particular.
    pub fn whole(&self) -> Span {
        Span {
            file: self.file,
            offset: 0,
            length: u32::try_from(self.bytes).unwrap_or(u32::MAX),
        }
    }

    pub(super) fn span(&self, place: super::block::Place) -> Span {
        Span {
            file: self.file,
            offset: place.offset,
            length: place.length,
        }
    }
}

fn is_sound(section: &Section, end: u64) -> bool {
    let root = section.root;
    let root_end = root.offset.checked_add(u64::from(root.length));
    section.height <= HEIGHT_MAX
        && (section.entries == 0 || root.length > 0)
        && root_end.is_some_and(|root_end| root_end <= end)
}
