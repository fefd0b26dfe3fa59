//! One page of a store file (FORMAT.md 1).
//!
//!   page := checksum:u64 content:[u8; CONTENT_BYTES]
//! The checksum covers the content and the page's own number, so that a torn write, a flipped bit and
//! a page that was written to the wrong place are all noticed. It is xxh64 with the number as its seed.

use xxhash_rust::xxh64::xxh64;

/// Bytes of a page in the file.
pub const PAGE_BYTES: usize = 4096;
/// Bytes of a page that belong to its user.
pub const CONTENT_BYTES: usize = PAGE_BYTES - CHECKSUM_BYTES;
const CHECKSUM_BYTES: usize = 8;

const _: () = assert!(PAGE_BYTES.is_power_of_two());

/// Position of a page in the file, in pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PageNo(pub u32);

/// The page as it goes into the file, behind what `out` has.
pub fn seal_into(out: &mut Vec<u8>, page_no: PageNo, content: &[u8]) {
    debug_assert_eq!(content.len(), CONTENT_BYTES);
    out.extend_from_slice(&checksum(page_no, content).to_le_bytes());
    out.extend_from_slice(content);
}

pub fn seal(page_no: PageNo, content: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(PAGE_BYTES);
    seal_into(&mut bytes, page_no, content);
    bytes
}

/// The content of a page that was read, or `None` where it is not what was written there.
pub fn unseal(page_no: PageNo, bytes: &[u8]) -> Option<&[u8]> {
    let (stated, content) = bytes.split_first_chunk::<CHECKSUM_BYTES>()?;
    let is_sound =
        content.len() == CONTENT_BYTES && u64::from_le_bytes(*stated) == checksum(page_no, content);
    is_sound.then_some(content)
}

fn checksum(page_no: PageNo, content: &[u8]) -> u64 {
    xxh64(content, u64::from(page_no.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_and_a_wrong_place_are_noticed() {
        let content: Vec<u8> = (0..=250).cycle().take(CONTENT_BYTES).collect();
        let mut bytes = seal(PageNo(7), &content);
        assert_eq!(unseal(PageNo(7), &bytes), Some(&content[..]));
        assert_eq!(unseal(PageNo(8), &bytes), None);
        assert_eq!(unseal(PageNo(7), &bytes[..100]), None);
        for bit in 0..PAGE_BYTES * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(unseal(PageNo(7), &bytes), None, "bit {bit}");
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }
}
