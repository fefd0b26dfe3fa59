//! Sums up the content of a member while it is read, as far as it comes by in order.

use zlib_rs::crc32::crc32;

use crate::digest::{Algorithm, Hasher};

/// What all of a member's content comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sum {
    pub bytes: u64,
    pub crc: u32,
    /// By each algorithm that was asked for; none where no proof is wanted.
    pub digests: Vec<(Algorithm, Vec<u8>)>,
}

pub struct Tee {
    reached: u64,
    crc: u32,
    hashers: Vec<(Algorithm, Hasher)>,
    has_gap: bool,
}

impl Tee {
    /// Sums up with digests too, where some are named.
    pub fn new(digests: &[Algorithm]) -> Tee {
        Tee {
            reached: 0,
            crc: 0,
            hashers: digests.iter().map(|&one| (one, Hasher::new(one))).collect(),
            has_gap: false,
        }
    }

    /// Hears the content at `offset`. What came by before is not counted twice.
    pub fn take(&mut self, offset: u64, bytes: &[u8]) {
        self.has_gap |= offset > self.reached && !bytes.is_empty();
        let known = usize::try_from(self.reached.saturating_sub(offset)).unwrap_or(usize::MAX);
        if self.has_gap || known >= bytes.len() {
            return;
        }
        let fresh = &bytes[known..];
        self.crc = crc32(self.crc, fresh);
        for (_, hasher) in &mut self.hashers {
            hasher.update(fresh);
        }
        self.reached += fresh.len() as u64;
    }

    /// The sum of content that ends at `end`, if all of it came by.
    pub fn finish(self, end: u64) -> Option<Sum> {
        (!self.has_gap && self.reached == end).then(|| Sum {
            bytes: self.reached,
            crc: self.crc,
            digests: self
                .hashers
                .into_iter()
                .map(|(algorithm, hasher)| (algorithm, hasher.finish()))
                .collect(),
        })
    }
}
