//! What was read of extents, the last few megabytes of it: an operation that asked for bytes finds them when it is
//! called again, and whoever asks for the same soon after finds them too.

use std::cell::Cell;
use std::collections::{HashMap, VecDeque};

use super::extent::Span;

/// More than any one operation needs at once.
const BYTES_MAX: usize = 4 << 20;

pub struct Found {
    span: Span,
    pub bytes: Vec<u8>,
    /// Known to be the record that was written there.
    pub is_sound: Cell<bool>,
}

#[derive(Default)]
pub struct Resident {
    /// In the order in which they came; the first has the number `gone`.
    found: VecDeque<Found>,
    gone: usize,
    /// Numbers of the last ones.
    numbers: HashMap<Span, usize>,
    bytes: usize,
}

impl Resident {
    pub fn find(&self, span: Span) -> Option<&Found> {
        let number = self.numbers.get(&span)?;
        self.found.get(number - self.gone)
    }

    /// Takes in bytes, in place of those that came first. Gives such bytes for other use.
    pub fn take(&mut self, span: Span, bytes: Vec<u8>) -> Vec<u8> {
        self.bytes += bytes.len();
        let number = self.gone + self.found.len();
        self.numbers.insert(span, number);
        self.found.push_back(Found {
            span,
            bytes,
            is_sound: Cell::new(false),
        });
        let mut dropped = Vec::new();
        while self.bytes > BYTES_MAX
            && self.found.len() > 1
            && let Some(first) = self.found.pop_front()
        {
            if self.numbers.get(&first.span) == Some(&self.gone) {
                self.numbers.remove(&first.span);
            }
            self.gone += 1;
            self.bytes -= first.bytes.len();
            dropped = first.bytes;
        }
        dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_megabytes_are_there_and_the_last_of_a_span_counts() {
        let span = |offset| Span {
            file: 1,
            offset,
            length: 1 << 18,
        };
        let mut resident = Resident::default();
        for round in 0..3u8 {
            for n in 0..40 {
                resident.take(span(n << 18), vec![round; 1 << 18]);
                let found = resident.find(span(n << 18)).map(|found| found.bytes[0]);
                assert_eq!(found, Some(round));
            }
            let there = (0..40).filter(|n| resident.find(span(n << 18)).is_some());
            assert_eq!(there.collect::<Vec<u32>>(), (24..40).collect::<Vec<u32>>());
        }
        for _ in 0..40 {
            resident.take(span(7), vec![9; 1 << 18]);
        }
        assert!(resident.find(span(7)).is_some());
        assert_eq!((resident.numbers.len(), resident.found.len()), (1, 16));
        // Whoever looks for records reads from the same place to different lengths.
        let head = Span {
            length: 5,
            ..span(7)
        };
        assert!(resident.find(head).is_none());
        resident.take(head, vec![8; 5]);
        let both = [head, span(7)].map(|span| resident.find(span).map(|found| found.bytes[0]));
        assert_eq!(both, [Some(8), Some(9)]);
    }
}
