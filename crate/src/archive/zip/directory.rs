//! Finds the directory of a ZIP file by the structures at the file's end, and says which part of it is next.

use super::headers::{
    END_BYTES, END64_BYTES, End, Entry, Found, LOCATOR64_BYTES, central, located64,
};
use crate::limits::ZIP_DIRECTORY_STEP_BYTES;

/// The last structure of a file: what it says, and where it is in `tail`.
pub fn find_end(tail: &[u8]) -> Option<(usize, End)> {
    let mut plausible = None;
    for at in memchr::memmem::rfind_iter(tail, b"PK\x05\x06") {
        let Some((end, length)) = End::parse(&tail[at..]) else {
            continue;
        };
        // A comment that goes up to the end of the file leaves no doubt; a member can hold anything.
        if at + length == tail.len() {
            return Some((at, end));
        }
        if at + length < tail.len() && plausible.is_none() {
            plausible = Some((at, end));
        }
    }
    plausible
}

/// Where the larger structure is said to be, if there is a locator before the end at `at`.
pub fn find_64(tail: &[u8], at: usize) -> Option<u64> {
    located64(tail.get(at.checked_sub(LOCATOR64_BYTES)?..at)?)
}

/// Bytes of the end structures that lie between the directory and the end of the file, without a comment.
pub const END_64_BYTES_ALL: u64 = (END64_BYTES + LOCATOR64_BYTES) as u64;
const _: () = assert!(END_BYTES == 22);

/// A directory on its way through memory, a piece at a time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Directory {
    /// Where the next entry is.
    pub at: u64,
    pub end: u64,
    /// Where else it may begin: right before the end structures, when something was put before the file.
    other_start: u64,
    /// Bytes that were put before the file, which nobody counted.
    pub shift: u64,
    stated_entries: u64,
    is_64: bool,
    entries: u64,
    is_broken: bool,
}

/// What a piece of the directory was.
#[derive(Debug, PartialEq, Eq)]
pub enum Piece {
    /// Entries; more may follow.
    Entries(Vec<Entry>),
    /// The directory is not here, but it may begin elsewhere.
    Elsewhere,
    /// Entries, then something that is none.
    Damaged(Vec<Entry>),
}

impl Directory {
    /// The directory that `end` tells of, where the end structures begin at `before`.
    pub fn new(end: End, before: u64, is_64: bool) -> Directory {
        Directory {
            at: end.offset,
            end: end.offset.saturating_add(end.bytes).min(before),
            other_start: before.saturating_sub(end.bytes),
            shift: 0,
            stated_entries: end.entries,
            is_64,
            entries: 0,
            is_broken: false,
        }
    }

    pub fn is_at_end(&self) -> bool {
        self.at >= self.end
    }

    /// Whether nothing of it was read.
    pub fn is_untouched(&self) -> bool {
        self.entries == 0
    }

    /// Nothing is read of it any more.
    pub fn break_off(&mut self) {
        self.end = self.at;
        self.is_broken = true;
    }

    pub fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// Bytes that the next piece takes.
    pub fn step_bytes(&self) -> usize {
        let left = usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX);
        left.min(ZIP_DIRECTORY_STEP_BYTES)
    }

    /// Reads the piece at `at`, which has `step_bytes` unless the file ends before that.
    pub fn read(&mut self, piece: &[u8]) -> Piece {
        let mut entries = Vec::new();
        let mut taken = 0;
        let is_last = piece.len() as u64 >= self.end.saturating_sub(self.at);
        loop {
            match central(&piece[taken..]) {
                Found::Whole(entry, length) => {
                    taken += length;
                    entries.push(entry);
                }
                Found::Short if taken == piece.len() || !is_last && taken > 0 => break,
                _ if self.entries == 0 && taken == 0 => {
                    return if self.move_start() {
                        Piece::Elsewhere
                    } else {
                        Piece::Damaged(entries)
                    };
                }
                _ => {
                    self.at += taken as u64;
                    self.entries += entries.len() as u64;
                    return Piece::Damaged(entries);
                }
            }
        }
        self.at += taken as u64;
        self.entries += entries.len() as u64;
        Piece::Entries(entries)
    }

    fn move_start(&mut self) -> bool {
        let length = self.end.saturating_sub(self.at);
        if self.shift > 0 || self.other_start <= self.at {
            return false;
        }
        self.shift = self.other_start - self.at;
        self.at = self.other_start;
        self.end = self.at.saturating_add(length);
        true
    }

    /// How many entries there should have been, where there were others.
    pub fn miscounted(&self) -> Option<(u64, u64)> {
        let is_right = if self.is_64 {
            self.entries == self.stated_entries
        } else {
            // Tools that do not know the larger structures let the number run over.
            self.entries & 0xffff == self.stated_entries & 0xffff
        };
        (!is_right).then_some((self.entries, self.stated_entries))
    }
}
