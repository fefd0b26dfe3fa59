//! Records that are read for a query, since only they tell, and what came of those that were.

use roaring::RoaringBitmap;

use super::selection::Progress;
use super::step::QueryStep;

pub struct Examining {
    /// Where in the query it stands.
    at: usize,
    /// Absent until it is known which records may do.
    left: Option<RoaringBitmap>,
    candidates: u64,
    unread: u64,
}

impl Examining {
    pub fn new(at: usize) -> Examining {
        Examining {
            at,
            left: None,
            candidates: 0,
            unread: 0,
        }
    }

    pub fn begin(&mut self, candidates: RoaringBitmap) {
        self.candidates = candidates.len();
        self.left = Some(candidates);
    }

    /// Whether it is known which records may do.
    pub fn has_begun(&self) -> bool {
        self.left.is_some()
    }

    /// Whether all were read.
    pub fn is_over(&self) -> bool {
        self.left.as_ref().is_some_and(RoaringBitmap::is_empty)
    }

    /// The first that are to be read, as they lie in the archive.
    pub fn next(&self, count: usize) -> Vec<u32> {
        match &self.left {
            Some(left) => left.iter().take(count).collect(),
            None => Vec::new(),
        }
    }

    /// Takes note of a record that was read: whether that is known, and it was not told before.
    pub fn took(&mut self, row: u32, is_known: bool) -> bool {
        let is_new = match &mut self.left {
            Some(left) => left.remove_range(row..=row) > 0,
            None => false,
        };
        self.unread += u64::from(is_new && !is_known);
        is_new && is_known
    }

    /// Records of which it is not known, those among them that are still to be read.
    pub fn unread(&self) -> u64 {
        self.unread + self.left.as_ref().map_or(0, RoaringBitmap::len)
    }

    pub fn progress(&self) -> Progress {
        let left = self.left.as_ref().map_or(0, RoaringBitmap::len);
        Progress {
            seen: self.candidates - left,
            candidates: self.candidates,
            unread: self.unread,
        }
    }

    /// As it is told in the plan.
    pub fn step(&self, rows: u64) -> QueryStep {
        let Progress {
            seen,
            candidates,
            unread,
        } = self.progress();
        let lacking = match unread {
            0 => String::new(),
            _ => format!(", {unread} of which cannot be"),
        };
        QueryStep {
            at: self.at,
            what: format!("records: {seen} of {candidates} read{lacking}"),
            rows,
            work: seen,
        }
    }
}
