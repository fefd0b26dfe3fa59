//! Finds where in a sorted text the lines with a key begin, from a few pieces of it.
//!
//! S1  Every line that begins before `low` has a key before the wanted one, or `low` is where lines begin.
//! S2  Every line that begins at `high` or later has the wanted key or one after it.
//! The range halves until it is short enough to be read.

use crate::limits::{CDX_LINE_BYTES_MAX, LOOKUP_READ_BYTES};

/// First read of a place in the middle: most lines end within it.
const PROBE_BYTES: usize = 4 << 10;

pub struct Search {
    key: Vec<u8>,
    separator: u8,
    low: u64,
    high: u64,
    low_key: Vec<u8>,
    high_key: Option<Vec<u8>>,
    probe_bytes: usize,
    is_unsorted: bool,
}

impl Search {
    /// A search in the lines between two places, of which the first one begins a line.
    pub fn new(key: Vec<u8>, separator: u8, low: u64, high: u64) -> Search {
        Search {
            key,
            separator,
            low,
            high,
            low_key: Vec::new(),
            high_key: None,
            probe_bytes: PROBE_BYTES,
            is_unsorted: false,
        }
    }

    /// What must be read next; nothing where it is known from where to read on.
    pub fn need(&self) -> Option<(u64, usize)> {
        let is_short = self.high - self.low <= LOOKUP_READ_BYTES as u64;
        let middle = self.low + (self.high - self.low) / 2;
        (!is_short && !self.is_unsorted).then_some((middle, self.probe_bytes))
    }

    /// A line to read on from: none before it has the key.
    pub fn low(&self) -> u64 {
        self.low
    }

    /// Whether lines were found in another order than that of their keys.
    pub fn is_unsorted(&self) -> bool {
        self.is_unsorted
    }

    /// Takes what was read at the place that was needed.
    pub fn give(&mut self, bytes: &[u8]) {
        let Some((middle, asked)) = self.need() else {
            return;
        };
        let line = memchr::memchr(b'\n', bytes).map(|at| at + 1);
        let rest = line.map_or(&[][..], |line| &bytes[line..]);
        let key_end = memchr::memchr2(self.separator, b'\n', rest);
        let start = line.map(|line| middle + line as u64);
        match (start, key_end) {
            (Some(start), Some(key_end)) if start < self.high => {
                self.look(start, rest[..key_end].to_vec(), middle);
            }
            // No line begins in the upper half.
            (Some(start), _) if start >= self.high => self.set_high(middle, None),
            _ if bytes.len() < asked => self.set_high(middle, None),
            _ if asked >= 2 * CDX_LINE_BYTES_MAX => self.is_unsorted = true,
            _ => self.probe_bytes = asked * 8,
        }
    }

    fn look(&mut self, start: u64, key: Vec<u8>, middle: u64) {
        let is_beyond = self.high_key.as_ref().is_some_and(|high| key > *high);
        if key < self.low_key || is_beyond {
            self.is_unsorted = true;
        } else if key < self.key {
            self.low = start;
            self.low_key = key;
            self.probe_bytes = PROBE_BYTES;
        } else {
            self.set_high(middle, Some(key));
        }
    }

    fn set_high(&mut self, high: u64, key: Option<Vec<u8>>) {
        self.high = high;
        if key.is_some() {
            self.high_key = key;
        }
        self.probe_bytes = PROBE_BYTES;
    }
}
