//! Facets of all segments of an archive: how many rows have a value, and which.

use std::borrow::Cow;

use super::set::Set;
use super::{FACETS, key};
use crate::segment::{Blocks, Cursor, Section, Segment, Stop};

/// The sections of several segments, each of rows behind those of the one before.
pub struct Facets<'a> {
    parts: Vec<(&'a Segment, &'a Section)>,
}

impl<'a> Facets<'a> {
    pub fn new(segments: impl Iterator<Item = &'a Segment>) -> Facets<'a> {
        let parts = segments.filter_map(|segment| Some((segment, segment.section(FACETS)?)));
        Facets {
            parts: parts.collect(),
        }
    }

    pub(super) fn parts(&self) -> &[(&'a Segment, &'a Section)] {
        &self.parts
    }

    /// How many rows have this value. A row with several values of a field counts once here.
    pub fn count(&self, field: &str, value: &[u8], blocks: &mut Blocks) -> Result<u64, Stop> {
        let [from, behind] = key::of_value(field, value);
        self.weight(&from, &behind, blocks)
    }

    /// How many rows have values that begin so, counted for each of their values.
    pub fn count_of_prefix(
        &self,
        field: &str,
        prefix: &[u8],
        blocks: &mut Blocks,
    ) -> Result<u64, Stop> {
        let [from, behind] = key::of_prefix(field, prefix);
        self.weight(&from, &behind, blocks)
    }

    /// Entries of values that begin so: about as many as there are such values.
    pub fn entries_of_prefix(
        &self,
        field: &str,
        prefix: &[u8],
        blocks: &mut Blocks,
    ) -> Result<u64, Stop> {
        let [from, behind] = key::of_prefix(field, prefix);
        let mut entries = 0;
        for (segment, section) in &self.parts {
            let first = segment.rank(section, &from, blocks)?.entries;
            let last = segment.rank(section, &behind, blocks)?.entries;
            entries += last.saturating_sub(first);
        }
        Ok(entries)
    }

    fn weight(&self, from: &[u8], behind: &[u8], blocks: &mut Blocks) -> Result<u64, Stop> {
        let mut weight = 0u64;
        for (segment, section) in &self.parts {
            let first = segment.rank(section, from, blocks)?.weight;
            let last = segment.rank(section, behind, blocks)?.weight;
            weight = weight.saturating_add(last.saturating_sub(first));
        }
        Ok(weight)
    }
}

/// Where a walk goes on after an entry.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Go {
    ToNext,
    /// The value is of no use: the rest of its entries is passed over.
    BehindValue,
}

/// Takes a value, the upper half of the rows that are told, and these.
pub type Visit<'a> = dyn FnMut(Cow<'_, [u8]>, u16, Set<'_>) -> Go + 'a;

/// Goes through the entries of some values, one segment after the other.
pub struct Walk {
    from: Vec<u8>,
    behind: Vec<u8>,
    part: usize,
    cursor: Option<Cursor>,
    /// The key of a value that is of no use.
    passed: Option<Vec<u8>>,
}

impl Walk {
    pub fn over_value(field: &str, value: &[u8]) -> Walk {
        Walk::over(key::of_value(field, value))
    }

    pub fn over_prefix(field: &str, prefix: &[u8]) -> Walk {
        Walk::over(key::of_prefix(field, prefix))
    }

    fn over([from, behind]: [Vec<u8>; 2]) -> Walk {
        Walk {
            from,
            behind,
            part: 0,
            cursor: None,
            passed: None,
        }
    }

    /// Takes so many entries at most. True when there are no more.
    pub fn step(
        &mut self,
        facets: &Facets<'_>,
        blocks: &mut Blocks,
        entries: usize,
        visit: &mut Visit<'_>,
    ) -> Result<bool, Stop> {
        for _ in 0..entries {
            let Some((segment, section)) = facets.parts().get(self.part) else {
                return Ok(true);
            };
            let cursor = match &mut self.cursor {
                Some(cursor) => cursor,
                empty => {
                    let entry = segment.rank(section, &self.from, blocks)?.entries;
                    empty.insert(Cursor::new(section, entry))
                }
            };
            let entry = cursor.read(segment, blocks)?;
            let Some((key, value)) = entry.filter(|(key, _)| *key < self.behind.as_slice()) else {
                self.part += 1;
                self.cursor = None;
                self.passed = None;
                continue;
            };
            let damaged = Stop::Damaged(segment.whole());
            let (value_key, high) = key::parted(key).ok_or(damaged)?;
            if self.passed.as_deref() == Some(value_key) {
                let behind = key::behind_value(value_key);
                let at = cursor.entry();
                let entry = segment.rank(section, &behind, blocks)?.entries;
                // In a section that is not in order, as no writer makes it, this would not end.
                self.cursor = Some(Cursor::new(section, entry.max(at + 1)));
                continue;
            }
            let set = Set::read(value).ok_or(damaged)?;
            match visit(key::value_of(value_key), high, set) {
                Go::BehindValue => self.passed = Some(value_key.to_vec()),
                Go::ToNext => self.passed = None,
            }
            cursor.go_on();
        }
        Ok(false)
    }
}
