//! Finds the start of a WARC record in a stream of bytes: a line that begins with `WARC/` and a digit.
//! The answer does not depend on how the stream is cut into pieces.

use memchr::memmem;

const START: &[u8] = b"\nWARC/";
const NEWLINES_MAX: usize = 4;
/// Enough to see a start that straddles two pieces, the digit after it, and the newlines before it.
const CARRY_BYTES: usize = NEWLINES_MAX + START.len();

/// A record start, counted in bytes of the stream since `Hunter::new`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Where the `W` is.
    pub at: u64,
    /// How many CR and LF bytes come right before it, at most four.
    pub newlines: u64,
}

pub struct Hunter {
    carry: Vec<u8>,
    /// Stream position of the first byte after `carry`.
    position: u64,
}

impl Hunter {
    /// A hunt that starts in the middle of a line.
    pub fn new() -> Hunter {
        Hunter {
            carry: Vec::with_capacity(2 * CARRY_BYTES),
            position: 0,
        }
    }

    /// A hunt that starts at the beginning of a line.
    pub fn at_line_start() -> Hunter {
        let mut hunter = Hunter::new();
        hunter.carry.push(b'\n');
        hunter
    }

    /// Looks on in the next piece.
    pub fn feed(&mut self, bytes: &[u8]) -> Option<Found> {
        let overlap = bytes.len().min(CARRY_BYTES);
        let carried = self.carry.len();
        self.carry.extend_from_slice(&bytes[..overlap]);
        let found = find(&self.carry, carried)
            .map(|(at, newlines)| Found {
                at: self.position + at as u64 - carried as u64,
                newlines,
            })
            .or_else(|| {
                let (at, newlines) = find(bytes, 0)?;
                Some(Found {
                    at: self.position + at as u64,
                    newlines,
                })
            });
        self.position += bytes.len() as u64;
        if bytes.len() > overlap {
            self.carry.clear();
            self.carry
                .extend_from_slice(&bytes[bytes.len() - CARRY_BYTES..]);
        } else {
            let excess = self.carry.len().saturating_sub(CARRY_BYTES);
            self.carry.drain(..excess);
        }
        found
    }

    /// How many bytes of `WARC/` the stream ends with, if they begin a line; and the newlines before them.
    pub fn beginning(&self) -> Option<(usize, u64)> {
        (2..=START.len())
            .rev()
            .find(|seen| self.carry.ends_with(&START[..*seen]))
            .map(|seen| {
                let before = &self.carry[..=self.carry.len() - seen];
                (seen - 1, count_newlines(before))
            })
    }
}

fn count_newlines(before: &[u8]) -> u64 {
    before
        .iter()
        .rev()
        .take(NEWLINES_MAX)
        .take_while(|byte| matches!(byte, b'\r' | b'\n'))
        .count() as u64
}

/// Position of the `W`, if the digit after it is there to be seen and lies at or after `fresh`.
fn find(bytes: &[u8], fresh: usize) -> Option<(usize, u64)> {
    for at in memmem::find_iter(bytes, START) {
        let digit = at + START.len();
        if digit >= fresh && bytes.get(digit).is_some_and(u8::is_ascii_digit) {
            return Some((at + 1, count_newlines(&bytes[..=at])));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_first_start_however_the_stream_is_cut() {
        let text = b"xWARC/1 \nWARC/x\r\n\r\nWARC/1.0\r\nWARC/1.1";
        for first in 0..=text.len() {
            for second in first..=text.len() {
                let mut hunter = Hunter::new();
                let pieces = [&text[..first], &text[first..second], &text[second..]];
                let found = pieces.iter().find_map(|piece| hunter.feed(piece));
                assert_eq!(
                    found,
                    Some(Found {
                        at: 19,
                        newlines: 4
                    }),
                    "cut at {first} and {second}"
                );
            }
        }
    }

    #[test]
    fn a_line_start_counts_only_when_said_so() {
        assert_eq!(Hunter::new().feed(b"WARC/1.0"), None);
        assert_eq!(
            Hunter::at_line_start()
                .feed(b"WARC/1.0")
                .map(|found| found.at),
            Some(0)
        );
    }
}
