//! One block of a segment, as it stands in the file (FORMAT.md 7).
//!
//!   block := checksum:u64 coding:u8 length:u32 bytes
//! The checksum is xxh64 of what follows it, seeded with the segment's id plus the block's offset: a block of another
//! segment or from another place is noticed like a flipped bit. `length` is that of the content.

use lz4_flex::block::{compress, decompress_into};
use xxhash_rust::xxh64::xxh64;

use crate::limits::SEGMENT_CONTENT_BYTES_MAX;

/// Content that a block aims at. A block of one long entry may be longer.
pub const BLOCK_BYTES: usize = 16 << 10;
const CHECKSUM_BYTES: usize = 8;
const HEAD_BYTES: usize = CHECKSUM_BYTES + 1 + 4;
const STORED: u8 = 0;
const LZ4: u8 = 1;

/// Where in its file a block stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    pub offset: u64,
    pub length: u32,
}

/// The block that holds this content at this offset.
pub fn seal(id: u64, offset: u64, content: &[u8]) -> Vec<u8> {
    let packed = compress(content);
    // Compressed only where that is worth the reader's time.
    let is_packed = packed.len() + content.len() / 8 < content.len();
    let (coding, bytes) = if is_packed {
        (LZ4, packed.as_slice())
    } else {
        (STORED, content)
    };
    let length = u32::try_from(content.len()).unwrap_or(u32::MAX);
    let mut block = vec![0; CHECKSUM_BYTES];
    block.push(coding);
    block.extend(length.to_le_bytes());
    block.extend_from_slice(bytes);
    let checksum = xxh64(&block[CHECKSUM_BYTES..], id.wrapping_add(offset));
    block[..CHECKSUM_BYTES].copy_from_slice(&checksum.to_le_bytes());
    block
}

/// The content of a block that was read, or `None` where it is not what was written there.
pub fn open(id: u64, offset: u64, block: &[u8]) -> Option<Vec<u8>> {
    let (stated, rest) = block.split_first_chunk::<CHECKSUM_BYTES>()?;
    if u64::from_le_bytes(*stated) != xxh64(rest, id.wrapping_add(offset)) {
        return None;
    }
    let (head, bytes) = rest.split_at_checked(HEAD_BYTES - CHECKSUM_BYTES)?;
    let length = usize::try_from(u32::from_le_bytes(head[1..].try_into().ok()?)).ok()?;
    if length > SEGMENT_CONTENT_BYTES_MAX {
        return None;
    }
    match head[0] {
        STORED => (bytes.len() == length).then(|| bytes.to_vec()),
        LZ4 => {
            let mut content = vec![0; length];
            let made = decompress_into(bytes, &mut content).ok()?;
            (made == length).then_some(content)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_and_a_wrong_place_are_noticed() {
        let contents = [
            Vec::new(),
            b"http://example.org/ ".repeat(20),
            (0..=255).collect(),
        ];
        for content in contents {
            let mut block = seal(7, 100, &content);
            assert_eq!(open(7, 100, &block), Some(content.clone()));
            assert_eq!(open(7, 101, &block), None);
            assert_eq!(open(8, 100, &block), None);
            for bit in 0..block.len() * 8 {
                block[bit / 8] ^= 1 << (bit % 8);
                assert_eq!(open(7, 100, &block), None, "bit {bit}");
                block[bit / 8] ^= 1 << (bit % 8);
            }
            for length in 0..block.len() {
                assert_eq!(open(7, 100, &block[..length]), None, "{length} bytes");
            }
        }
    }
}
