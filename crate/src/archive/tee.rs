//! Sums up the content of a member while it is read, as far as it comes by in order.

use sha2::{Digest, Sha256};
use zlib_rs::crc32::crc32;

/// What all of a member's content comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sum {
    pub bytes: u64,
    pub crc: u32,
    /// Made only where a proof is wanted.
    pub sha256: Option<[u8; 32]>,
}

pub struct Tee {
    reached: u64,
    crc: u32,
    sha256: Option<Box<Sha256>>,
    has_gap: bool,
}

impl Tee {
    pub fn new(wants_proof: bool) -> Tee {
        Tee {
            reached: 0,
            crc: 0,
            sha256: wants_proof.then(|| Box::new(Sha256::new())),
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
        if let Some(sha256) = &mut self.sha256 {
            sha256.update(fresh);
        }
        self.reached += fresh.len() as u64;
    }

    /// The sum of content that ends at `end`, if all of it came by.
    pub fn finish(self, end: u64) -> Option<Sum> {
        (!self.has_gap && self.reached == end).then(|| Sum {
            bytes: self.reached,
            crc: self.crc,
            sha256: self.sha256.map(|sha256| (*sha256).finalize().into()),
        })
    }
}
