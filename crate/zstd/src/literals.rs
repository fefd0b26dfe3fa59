//! The literals of a block: bytes that are not copied from what was made before.
//!
//!   literals := header (byte* | byte | [table] [lengths] stream*)
//! They are raw, one byte again and again, or coded by Huffman, in one stream or four.

use crate::huffman::Huffman;
use crate::{BLOCK_BYTES_MAX, Broken, MARGIN};

pub struct Literals {
    /// What was read, and a margin behind it, so that it can be copied in pieces of one size.
    bytes: Vec<u8>,
    pub huffman: Huffman,
}

impl Literals {
    pub fn new() -> Literals {
        Literals {
            bytes: vec![0; BLOCK_BYTES_MAX + MARGIN],
            huffman: Huffman::new(),
        }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Reads the literals that lie at `at` in a block. Returns how many there are, and where they end.
    pub fn read(&mut self, block: &[u8], at: usize) -> Result<(usize, usize), Broken> {
        let mut start = [0; 8];
        let known = block.get(at..).ok_or(Broken)?;
        let count = known.len().min(5);
        start[..count].copy_from_slice(&known[..count]);
        let word = u64::from_le_bytes(start);
        let (kind, size) = (word & 3, word >> 2 & 3);
        let field = |shift: u32, bits: u32| {
            usize::try_from(word >> shift & ((1 << bits) - 1)).unwrap_or(usize::MAX)
        };
        if kind < 2 {
            let (header, bytes) = match size {
                1 => (2, field(4, 12)),
                3 => (3, field(4, 20)),
                _ => (1, field(3, 5)),
            };
            let stored = if kind == 0 { bytes } else { 1 };
            let (from, end) = (at + header, at + header + stored);
            let from = block.get(from..end).ok_or(Broken)?;
            let to = self.bytes[..BLOCK_BYTES_MAX]
                .get_mut(..bytes)
                .ok_or(Broken)?;
            if kind == 0 {
                to.copy_from_slice(from);
            } else {
                to.fill(from[0]);
            }
            return Ok((bytes, end));
        }
        let (header, bits) = match size {
            0 | 1 => (3, 10),
            2 => (4, 14),
            _ => (5, 18),
        };
        let (bytes, coded) = (field(4, bits), field(4 + bits, bits));
        let (mut from, end) = (at + header, at + header + coded);
        let description = block.get(from..end).ok_or(Broken)?;
        if kind == 2 {
            from += self.huffman.read(description)?;
        }
        if !self.huffman.is_set {
            return Err(Broken);
        }
        let out = self.bytes[..BLOCK_BYTES_MAX]
            .get_mut(..bytes)
            .ok_or(Broken)?;
        if size == 0 {
            self.huffman.one(block, (from, end), out)?;
        } else {
            let lengths = block[..end].get(from..from + 6).ok_or(Broken)?;
            let mut ends = [end; 4];
            let mut last = from + 6;
            for (to, length) in ends.iter_mut().zip(lengths.chunks_exact(2)) {
                last += usize::from(u16::from_le_bytes([length[0], length[1]]));
                *to = last;
            }
            if last > end {
                return Err(Broken);
            }
            let [a, b, c, d] = ends;
            self.huffman
                .four(block, [(from + 6, a), (a, b), (b, c), (c, d)], out)?;
        }
        Ok((bytes, end))
    }
}
