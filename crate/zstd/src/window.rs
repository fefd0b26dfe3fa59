//! What was made, as far as later blocks may refer to it: one piece of memory that grows as it is needed.
//!
//!   bytes := [dictionary] made room
//! When there is no room for a block, what nobody may refer to any more is dropped from the front.

use crate::{BLOCK_BYTES_MAX, Broken, MARGIN};

const PIECE: usize = 16;
const ROOM_MIN: usize = BLOCK_BYTES_MAX + MARGIN;

pub struct Window {
    bytes: Vec<u8>,
    /// End of what was made.
    at: usize,
    /// Where the block must end at the latest.
    limit: usize,
    /// So far back may be referred to.
    reach: usize,
    /// Length of the dictionary at the front, and whether it is still there.
    dictionary: usize,
    has_dictionary: bool,
}

impl Window {
    pub fn new() -> Window {
        Window {
            bytes: Vec::new(),
            at: 0,
            limit: 0,
            reach: 0,
            dictionary: 0,
            has_dictionary: false,
        }
    }

    /// A frame begins that refers no further back than `reach`, and to the dictionary before that.
    pub fn begin(&mut self, reach: usize, dictionary: &[u8]) {
        // It is left where it is from frame to frame.
        if !self.has_dictionary || self.dictionary != dictionary.len() {
            self.dictionary = dictionary.len();
            let room = self.bytes.len().max(self.dictionary);
            self.bytes.resize(room, 0);
            self.bytes[..self.dictionary].copy_from_slice(dictionary);
            self.has_dictionary = true;
        }
        self.at = self.dictionary;
        self.reach = reach;
    }

    /// A block begins that makes at most `bytes`. Returns where.
    pub fn begin_block(&mut self, bytes: usize) -> usize {
        let most = self.dictionary + self.reach + (self.reach / 2).max(4 * ROOM_MIN);
        if self.at + ROOM_MIN > most {
            self.bytes.copy_within(self.at - self.reach..self.at, 0);
            self.at = self.reach;
            self.has_dictionary = false;
        }
        if self.at + ROOM_MIN > self.bytes.len() {
            let due = (2 * self.bytes.len()).min(most).max(self.at + 2 * ROOM_MIN);
            self.bytes.resize(due, 0);
        }
        self.limit = self.at + bytes;
        self.at
    }

    /// What was made since `from`, a place in the block that was made last.
    pub fn since(&self, from: usize) -> &[u8] {
        self.bytes.get(from..self.at).unwrap_or(&[])
    }

    pub fn at(&self) -> usize {
        self.at
    }

    fn room(&mut self, bytes: usize) -> Result<&mut [u8], Broken> {
        let at = self.at;
        if bytes > self.limit - at {
            return Err(Broken);
        }
        self.at += bytes;
        self.bytes.get_mut(at..at + bytes).ok_or(Broken)
    }

    pub fn copy(&mut self, from: &[u8]) -> Result<(), Broken> {
        self.room(from.len())?.copy_from_slice(from);
        Ok(())
    }

    pub fn fill(&mut self, byte: u8, bytes: usize) -> Result<(), Broken> {
        self.room(bytes)?.fill(byte);
        Ok(())
    }

    /// Copies literals, behind which there is a margin.
    #[inline(always)]
    pub fn literals(&mut self, literals: &[u8], from: usize, bytes: usize) -> Result<(), Broken> {
        let at = self.at;
        if bytes > self.limit - at {
            return Err(Broken);
        }
        self.at += bytes;
        if bytes <= PIECE {
            let piece: &[u8; PIECE] = literals[from..].first_chunk().ok_or(Broken)?;
            *self.bytes[at..].first_chunk_mut().ok_or(Broken)? = *piece;
        } else {
            self.bytes[at..at + bytes].copy_from_slice(&literals[from..from + bytes]);
        }
        Ok(())
    }

    /// Copies what lies `distance` back, which may be what this copies.
    #[inline(always)]
    pub fn repeat(&mut self, distance: usize, bytes: usize) -> Result<(), Broken> {
        let at = self.at;
        if bytes > self.limit - at || distance.wrapping_sub(1) >= self.known() {
            return Err(Broken);
        }
        self.at += bytes;
        let from = at - distance;
        // Within this slice pieces may be copied beyond the end of the match: there is a margin.
        let span = &mut self.bytes[from..at + bytes + PIECE];
        if distance < PIECE {
            close(span, distance, bytes);
        } else if bytes <= 4 * PIECE || distance < bytes {
            let mut done = 0;
            while done < bytes {
                let piece: [u8; PIECE] = *span[done..].first_chunk().ok_or(Broken)?;
                *span[done + distance..].first_chunk_mut().ok_or(Broken)? = piece;
                done += PIECE;
            }
        } else {
            span.copy_within(..bytes, distance);
        }
        Ok(())
    }

    /// How far back there is something to refer to.
    #[inline(always)]
    fn known(&self) -> usize {
        let is_young = self.has_dictionary && self.at - self.dictionary <= self.reach;
        if is_young { self.at } else { self.reach }
    }
}

/// Repeats the first `distance` bytes, fewer than a piece, over the `bytes` behind them.
fn close(span: &mut [u8], distance: usize, bytes: usize) {
    // As soon as so many whole repetitions stand there that they are longer than a piece, pieces can be copied.
    let apart = distance * PIECE.div_ceil(distance);
    for at in distance..(apart + distance).min(distance + bytes) {
        span[at] = span[at - distance];
    }
    let mut done = apart;
    while done < bytes {
        let from = distance + done - apart;
        let piece: [u8; PIECE] = match span[from..].first_chunk() {
            Some(piece) => *piece,
            None => return,
        };
        if let Some(to) = span[distance + done..].first_chunk_mut() {
            *to = piece;
        }
        done += PIECE;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_grows_with_what_was_made_and_ends_with_the_window() {
        for (reach, dictionary) in [(64 << 20, 1000), (1 << 10, 0), (1 << 20, 100_000)] {
            let mut window = Window::new();
            let content = vec![7; dictionary];
            window.begin(reach, &content);
            let mut made = 0;
            while made < 4 * reach.min(8 << 20) {
                window.begin_block(BLOCK_BYTES_MAX);
                window.fill(1, 1000).expect("room");
                made += 1000;
                let most = 2 * (made + dictionary) + 4 * ROOM_MIN;
                assert!(window.bytes.len() <= most, "{made} of {reach}");
            }
            let most = reach + reach / 2 + dictionary + 6 * ROOM_MIN;
            assert!(window.bytes.len() <= most, "{reach}");
            let begun = window.has_dictionary;
            window.begin(reach, &content);
            assert_eq!((window.since(0), window.at()), (&content[..], dictionary));
            assert!(begun || made > reach);
        }
    }

    #[test]
    fn nothing_is_copied_from_before_the_window_or_beyond_the_block() {
        let mut window = Window::new();
        window.begin(1 << 10, b"dictionary");
        window.begin_block(100);
        assert_eq!(window.repeat(11, 1), Err(Broken));
        assert_eq!(window.repeat(0, 1), Err(Broken));
        assert_eq!(window.repeat(10, 100), Ok(()));
        assert_eq!(window.since(10), b"dictionary".repeat(10));
        assert_eq!(window.repeat(1, 1), Err(Broken));
        assert_eq!(window.fill(0, 1), Err(Broken));
        for _ in 0..11 {
            window.begin_block(100);
            window.fill(0, 100).expect("room");
        }
        window.begin_block(100);
        assert_eq!(window.repeat(1 << 10, 1), Ok(()));
        assert_eq!(window.repeat((1 << 10) + 1, 1), Err(Broken));
    }
}
