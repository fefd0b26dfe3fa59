//! Finds the start of a record in a stream of bytes: a line that begins with `WARC/` and a digit, or a URL
//! line of an ARC file. The answer does not depend on how the stream is cut into pieces.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use memchr::{memchr, memchr_iter};

use super::arc::{Trust, UrlLine, could_be_line};
use crate::limits::ARC_LINE_BYTES_MAX;

const START: &[u8] = b"\nWARC/";
/// Made once: there is a hunt in every block.
static STARTS: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(START));
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
    /// Starts in lower case count too: the file has shown one.
    has_odd_case: bool,
    /// The start that was found, where it began before the piece that ended it.
    carried_start: Vec<u8>,
}

impl Hunter {
    /// A hunt that starts in the middle of a line.
    pub fn new() -> Hunter {
        Hunter {
            carry: Vec::with_capacity(2 * CARRY_BYTES),
            position: 0,
            has_odd_case: false,
            carried_start: Vec::new(),
        }
    }

    /// A hunt that starts at the beginning of a line.
    pub fn at_line_start() -> Hunter {
        let mut hunter = Hunter::new();
        hunter.carry.push(b'\n');
        hunter
    }

    /// Finds starts in any case.
    pub fn in_odd_case(mut self) -> Hunter {
        self.has_odd_case = true;
        self
    }

    /// Looks on in the next piece.
    pub fn feed(&mut self, bytes: &[u8]) -> Option<Found> {
        let find = if self.has_odd_case { find_odd } else { find };
        let overlap = bytes.len().min(CARRY_BYTES);
        let carried = self.carry.len();
        self.carry.extend_from_slice(&bytes[..overlap]);
        let found = find(&self.carry, carried)
            .map(|(at, newlines)| {
                let letters = &self.carry[at..at + START.len() - 1];
                self.carried_start.clear();
                self.carried_start.extend_from_slice(letters);
                Found {
                    at: self.position + at as u64 - carried as u64,
                    newlines,
                }
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

    /// How the start is written that was found, as far as it may have begun in an earlier piece.
    pub fn carried_start(&self) -> &[u8] {
        &self.carried_start
    }

    /// How many bytes of `WARC/` the stream ends with, if they begin a line; and the newlines before them.
    pub fn beginning(&self) -> Option<(usize, u64)> {
        (2..=START.len())
            .rev()
            .find(|seen| self.ends_with_start(*seen))
            .map(|seen| {
                let before = &self.carry[..=self.carry.len() - seen];
                (seen - 1, count_newlines(before))
            })
    }

    fn ends_with_start(&self, seen: usize) -> bool {
        let end = self
            .carry
            .len()
            .checked_sub(seen)
            .map(|at| &self.carry[at..]);
        end.is_some_and(|end| {
            end == &START[..seen] || self.has_odd_case && end.eq_ignore_ascii_case(&START[..seen])
        })
    }
}

/// Finds the URL lines of an ARC file.
pub struct LineHunter {
    /// The line being read, as long as it may be a URL line.
    line: Vec<u8>,
    /// The line is none, or it began before the hunt.
    is_passing: bool,
    /// Stream position of the next byte.
    position: u64,
}

impl LineHunter {
    pub fn new(is_line_start: bool) -> LineHunter {
        LineHunter {
            line: Vec::new(),
            is_passing: !is_line_start,
            position: 0,
        }
    }

    /// Looks on in the next piece. The newline before a URL line belongs to no record; others are content.
    pub fn feed(&mut self, bytes: &[u8]) -> Option<Found> {
        let mut at = 0;
        while at < bytes.len() {
            let end = memchr(b'\n', &bytes[at..]).map(|found| at + found + 1);
            let piece = &bytes[at..end.unwrap_or(bytes.len())];
            at += piece.len();
            if self.takes(piece)
                && end.is_some()
                && UrlLine::read(&self.line, Trust::Found).is_some()
            {
                let begin = self.position + at as u64 - self.line.len() as u64;
                self.position += bytes.len() as u64;
                return Some(Found {
                    at: begin,
                    newlines: begin.min(1),
                });
            }
            if end.is_some() {
                self.line.clear();
                self.is_passing = false;
            }
        }
        self.position += bytes.len() as u64;
        None
    }

    /// Adds a piece to the line; whether it may be a URL line still.
    fn takes(&mut self, piece: &[u8]) -> bool {
        let is_none = |start: &[u8]| could_be_line(start) == Some(false);
        if self.is_passing || self.line.is_empty() && is_none(piece) {
            self.is_passing = true;
            return false;
        }
        self.line.extend_from_slice(piece);
        self.is_passing = self.line.len() > ARC_LINE_BYTES_MAX || is_none(&self.line);
        !self.is_passing
    }

    /// The line that was found, or that the stream ends with.
    pub fn line(&self) -> &[u8] {
        &self.line
    }

    /// How many bytes of a line that may be a URL line the stream ends with; and the newlines before them.
    pub fn beginning(&self) -> Option<(usize, u64)> {
        let begin = self.position.saturating_sub(self.line.len() as u64);
        let is_open = !self.is_passing && !self.line.is_empty();
        is_open.then_some((self.line.len(), begin.min(1)))
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
    for at in STARTS.find_iter(bytes) {
        let digit = at + START.len();
        if digit >= fresh && bytes.get(digit).is_some_and(u8::is_ascii_digit) {
            return Some((at + 1, count_newlines(&bytes[..=at])));
        }
    }
    None
}

/// The same for starts in any case.
fn find_odd(bytes: &[u8], fresh: usize) -> Option<(usize, u64)> {
    for at in memchr_iter(b'\n', bytes) {
        let digit = at + START.len();
        let is_start = bytes
            .get(at..digit)
            .is_some_and(|start| start.eq_ignore_ascii_case(START));
        if is_start && digit >= fresh && bytes.get(digit).is_some_and(u8::is_ascii_digit) {
            return Some((at + 1, count_newlines(&bytes[..=at])));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &[u8] = b"http://a.test/ 1.2.3.4 20140216050221 text/html 15\n";

    #[test]
    fn finds_the_first_url_line_however_the_stream_is_cut() {
        let before =
            b"x http://a.test/ 1.2.3.4 20140216050221 text/html 15\n\r\nhttp://no.test/\r\n\n";
        let text = [before, LINE, LINE].concat();
        for first in 0..=text.len() {
            for second in [first, first + 1, first + 2, text.len()] {
                let second = second.min(text.len());
                let mut hunter = LineHunter::new(true);
                let pieces = [&text[..first], &text[first..second], &text[second..]];
                let found = pieces.iter().find_map(|piece| hunter.feed(piece));
                let expected = Found {
                    at: before.len() as u64,
                    newlines: 1,
                };
                assert_eq!(found, Some(expected), "cut at {first} and {second}");
                assert_eq!(hunter.line(), LINE);
            }
        }
    }

    #[test]
    fn starts_in_odd_case_are_found_when_said_so() {
        let text = b"x\nwarc/1.0";
        assert_eq!(Hunter::new().feed(text), None);
        let found = Hunter::new().in_odd_case().feed(text);
        assert_eq!(found.map(|found| found.at), Some(2));
        // In pieces it is still known how they are written.
        for cut in 1..text.len() {
            let mut hunter = Hunter::new().in_odd_case();
            let (first, second) = text.split_at(cut);
            let found = hunter.feed(first).or_else(|| hunter.feed(second));
            assert_eq!(found.map(|found| found.at), Some(2));
            assert!([&b"warc/"[..], b""].contains(&hunter.carried_start()));
        }
    }

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
