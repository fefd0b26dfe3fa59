//! A filter before pages: which strings are surely not there, of nearly all that are not, by a byte for each that is.
//!
//!   page := checksum:u64 word:u64{127}     of 1,016 strings, and one page for what is left of them
//! The word of a string is computed from its hash, and so are four bits in it, which are set: where one is not, the string
//! is not there. Of 30 strings that are not there one has all of them set by others.
//!
//! A filter spares reading only where it stays in memory itself: it is asked where all filters together are a small part of
//! the memory that there is for pages.

use super::hash::part_of;
use super::pages::{CHECKSUM_BYTES, Place, SLOT_BYTES, Source, Stop};

const WORDS: u32 = 127;
const WORD_BYTES: u32 = 8;
const PAGE_BYTES: u32 = 1 << 10;
/// Strings for which there is a page: a byte for each.
const STRINGS: u32 = WORDS * WORD_BYTES;

#[derive(Clone, Copy)]
pub struct Filter {
    pub offset: u64,
    /// Strings in the dictionary.
    pub count: u32,
}

impl Filter {
    /// False where a string of this hash is not there.
    pub fn may_have(&self, hash: u64, source: &mut Source) -> Result<bool, Stop> {
        let at = part_of(hash, self.words());
        let place = Place {
            offset: (u64::from(at / WORDS) * u64::from(PAGE_BYTES)).saturating_add(self.offset),
            length: PAGE_BYTES,
        };
        let content = source.read(place)?;
        let word = content
            .get((at % WORDS * WORD_BYTES) as usize..)
            .and_then(|rest| rest.first_chunk());
        let Some(word) = word else {
            return Err(source.damaged(place));
        };
        let bits = bits_of(hash);
        Ok(u64::from_le_bytes(*word) & bits == bits)
    }

    /// Bytes of memory that all of its pages take.
    pub fn page_bytes(&self) -> u64 {
        u64::from(self.count.div_ceil(STRINGS)) * (PAGE_BYTES as usize + SLOT_BYTES) as u64
    }

    /// The contents of its pages, which are full.
    pub fn contents(&self, hashes: impl Iterator<Item = u64>) -> Vec<[u8; CONTENT_BYTES]> {
        let mut words = vec![0; self.words() as usize];
        for hash in hashes {
            words[part_of(hash, self.words()) as usize] |= bits_of(hash);
        }
        let content = |page: &[u64]| {
            let mut content = [0; CONTENT_BYTES];
            for (to, word) in content.chunks_exact_mut(8).zip(page) {
                to.copy_from_slice(&word.to_le_bytes());
            }
            content
        };
        words.chunks(WORDS as usize).map(content).collect()
    }

    fn words(&self) -> u32 {
        self.count.div_ceil(STRINGS) * WORDS
    }
}

pub const CONTENT_BYTES: usize = PAGE_BYTES as usize - CHECKSUM_BYTES;

/// By other bits of the hash than its word, and than the tag.
fn bits_of(hash: u64) -> u64 {
    [8, 14, 20, 26]
        .iter()
        .fold(0, |bits, from| bits | 1 << (hash >> from & 63))
}
