//! The rows whose URL contains a text, of all parts or some, found step by step so that the caller can stop or go on later.
//! Case does not count for ASCII letters; other letters are compared as they are.

use std::ops::Range;

use memchr::memmem;

use crate::captures::Captures;

pub struct Filter {
    needle: Vec<u8>,
    /// Numbers of the parts that are looked at; none for all of them.
    parts: Option<Range<usize>>,
    rows: Vec<u32>,
    scanned: usize,
}

impl Filter {
    pub fn new(text: &str) -> Filter {
        Filter {
            needle: text.to_ascii_lowercase().into_bytes(),
            parts: None,
            rows: Vec::new(),
            scanned: 0,
        }
    }

    /// Looks at the rows of these parts only.
    #[must_use]
    pub fn within(mut self, parts: Range<usize>) -> Filter {
        self.parts = Some(parts);
        self
    }

    /// Rows that there are to look at, so far.
    fn extent(&self, captures: &Captures) -> Range<usize> {
        let first_row = |part: usize| {
            let known = captures.parts().get(part);
            known.map_or(captures.len(), |part| part.first_row)
        };
        let Some(parts) = &self.parts else {
            return 0..captures.len();
        };
        first_row(parts.start)..first_row(parts.end)
    }

    /// Looks at up to `count` further rows. Returns whether all rows that there are have been seen.
    pub fn step(&mut self, captures: &Captures, count: usize) -> bool {
        let extent = self.extent(captures);
        self.scanned = self.scanned.max(extent.start);
        let to = extent.end.min(self.scanned.saturating_add(count));
        let finder = memmem::Finder::new(&self.needle);
        let mut lower = Vec::new();
        captures.scan_urls(self.scanned, to, |row, url| {
            lower.clear();
            lower.extend(url.iter().map(u8::to_ascii_lowercase));
            if finder.find(&lower).is_some() {
                self.rows.extend(u32::try_from(row));
            }
            true
        });
        self.scanned = to;
        to == extent.end
    }

    pub fn scanned(&self) -> usize {
        self.scanned
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Table rows of the hits `start..start + count`.
    pub fn rows(&self, start: usize, count: usize) -> impl Iterator<Item = usize> {
        self.rows
            .iter()
            .skip(start)
            .take(count)
            .map(|row| *row as usize)
    }
}
