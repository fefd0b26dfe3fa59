//! Stands at one entry of a section and goes on from there.

use super::blocks::{Blocks, Stop};
use super::directory::Section;
use super::entries::Walk;
use super::reader::{Leaf, Segment};

/// Key and value.
pub type Entry<'a> = (&'a [u8], &'a [u8]);

#[derive(Clone)]
pub struct Cursor {
    section: Section,
    /// The number of the entry where it stands.
    entry: u64,
    leaf: Option<Leaf>,
    walk: Walk,
}

impl Cursor {
    /// At an entry by its number; behind the last one there is none.
    pub fn new(section: &Section, entry: u64) -> Cursor {
        Cursor {
            section: section.clone(),
            entry,
            leaf: None,
            walk: Walk::default(),
        }
    }

    /// At the first entry whose key is not below `key`, in a section that is ordered by keys.
    pub fn at_key(
        segment: &Segment,
        section: &Section,
        key: &[u8],
        blocks: &mut Blocks,
    ) -> Result<Cursor, Stop> {
        let mut cursor = Cursor::new(section, 0);
        if section.entries == 0 {
            return Ok(cursor);
        }
        let leaf = segment.leaf_of_key(section, key, blocks)?;
        let seen = cursor.walk.seek(&leaf.entries, key);
        let is_there = seen.map_err(|_| Stop::Damaged(leaf.span))?;
        let within = if is_there {
            cursor.walk.index()
        } else {
            leaf.entries.len()
        };
        cursor.entry = leaf.before.entries.saturating_add(within as u64);
        cursor.leaf = is_there.then_some(leaf);
        Ok(cursor)
    }

    pub fn entry(&self) -> u64 {
        self.entry
    }

    /// Goes to the entry before, where there is one.
    pub fn go_back(&mut self) {
        if let Some(entry) = self.entry.checked_sub(1) {
            self.return_to(entry);
        }
    }

    /// Goes to an entry by its number, which most often is in the same block.
    pub fn return_to(&mut self, entry: u64) {
        self.entry = entry;
        // What is malformed is found again by `read`, which says where.
        let is_there = self.leaf.as_ref().is_some_and(|leaf| {
            let within = entry.checked_sub(leaf.before.entries);
            let within = within.and_then(|within| usize::try_from(within).ok());
            let within = within.filter(|within| *within < leaf.entries.len());
            within.is_some_and(|within| self.walk.go_to(&leaf.entries, within).is_ok())
        });
        if !is_there {
            self.leaf = None;
        }
    }

    /// Whether `read` goes to another block.
    pub(super) fn begins_block(&self) -> bool {
        self.leaf.is_none()
    }

    /// The key and value where it stands, or nothing behind the last entry.
    pub fn read(
        &mut self,
        segment: &Segment,
        blocks: &mut Blocks,
    ) -> Result<Option<Entry<'_>>, Stop> {
        if self.entry >= self.section.entries {
            return Ok(None);
        }
        if self.leaf.is_none() {
            let leaf = segment.leaf_of(&self.section, self.entry, blocks)?;
            let damaged = Stop::Damaged(leaf.span);
            let within = self.entry.checked_sub(leaf.before.entries);
            let within = within.and_then(|within| usize::try_from(within).ok());
            let within = within.filter(|within| *within < leaf.entries.len());
            self.walk
                .go_to(&leaf.entries, within.ok_or(damaged)?)
                .map_err(|_| damaged)?;
            self.leaf = Some(leaf);
        }
        let walk = &self.walk;
        let leaf = self.leaf.as_ref();
        Ok(leaf.map(|leaf| (walk.key(), walk.value(&leaf.entries))))
    }

    /// Goes to the next entry.
    pub fn go_on(&mut self) {
        self.entry += 1;
        let Some(leaf) = &self.leaf else {
            return;
        };
        // What is malformed is found again by `read`, which says where.
        if !self.walk.go_on(&leaf.entries).unwrap_or(false) {
            self.leaf = None;
        }
    }
}
