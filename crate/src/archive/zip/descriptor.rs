//! Sizes that stand behind a member: how they are read, and how the end of a stored member is found by them.
//!
//!   descriptor := ["PK\7\8"] crc:4 packed:4 size:4 | ["PK\7\8"] crc:4 packed:8 size:8

use memchr::memmem;
use zlib_rs::crc32::crc32;

use super::headers::DESCRIPTOR;
use crate::archive::window::Feed;
use crate::codec::Reader;

const LONGEST: usize = 24;

/// What stands behind a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behind {
    /// A descriptor of so many bytes, which states this checksum.
    Descriptor { bytes: usize, crc: u32 },
    /// It may be one, when there are so many bytes of it.
    Needs(usize),
    /// No descriptor that fits the member.
    None,
}

/// Reads the descriptor of a member whose sizes are known by now.
pub fn behind(bytes: &[u8], packed_bytes: u64, content_bytes: u64) -> Behind {
    if bytes.len() < 4 {
        return Behind::Needs(4);
    }
    // The checksum itself may happen to be the signature; then the shape with the signature is tried first.
    let signature = if bytes.starts_with(&DESCRIPTOR) { 4 } else { 0 };
    for (width, length) in [(4, signature + 12), (8, signature + 20)] {
        if bytes.len() < length {
            return Behind::Needs(length);
        }
        let mut reader = Reader::new(&bytes[signature..]);
        let fits = (|| {
            let crc = reader.u32()?;
            let (packed, size) = if width == 4 {
                (u64::from(reader.u32()?), u64::from(reader.u32()?))
            } else {
                (reader.u64()?, reader.u64()?)
            };
            let mask = if width == 4 {
                u64::from(u32::MAX)
            } else {
                u64::MAX
            };
            (packed == packed_bytes & mask && size == content_bytes & mask).then_some(crc)
        })();
        if let Some(crc) = fits {
            return Behind::Descriptor { bytes: length, crc };
        }
    }
    Behind::None
}

/// Feeds what reads a stored member of unknown length, up to a descriptor that fits what went before it.
pub struct Unmeasured {
    base: u64,
    /// Bytes handed on, and their checksum.
    passed: u64,
    crc: u32,
    held: Vec<u8>,
    is_done: bool,
    is_broken: bool,
}

impl Unmeasured {
    pub fn new(base: u64) -> Unmeasured {
        Unmeasured {
            base,
            passed: 0,
            crc: 0,
            held: Vec::new(),
            is_done: false,
            is_broken: false,
        }
    }

    pub fn is_done(&self) -> bool {
        self.is_done
    }

    pub fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// Where in the file the next bytes are.
    pub fn wanted(&self) -> u64 {
        self.base + self.passed + self.held.len() as u64
    }

    /// Where in the file the member ended.
    pub fn end(&self) -> u64 {
        self.base + self.passed
    }

    /// What is held of the descriptor when the member is done.
    pub fn take_held(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.held)
    }

    pub fn feed(&mut self, bytes: &[u8], inner: &mut dyn Feed) -> usize {
        if self.is_done {
            return 0;
        }
        // Only what could be a descriptor is held back, so no more than that is taken beyond what was handed on.
        if self.held.is_empty() && !bytes.is_empty() {
            let plain = memmem::find(bytes, &DESCRIPTOR)
                .unwrap_or_else(|| bytes.len() - possible_start(bytes));
            if plain > 0 {
                return self.pass(&bytes[..plain], inner);
            }
        }
        let taken = bytes.len().min(LONGEST - self.held.len());
        self.held.extend_from_slice(&bytes[..taken]);
        self.weigh(false, inner);
        taken
    }

    /// The file ends.
    pub fn finish(&mut self, inner: &mut dyn Feed) -> bool {
        while !self.is_done && !self.held.is_empty() {
            let before = self.held.len();
            self.weigh(true, inner);
            if self.held.len() == before && !self.is_done {
                return false;
            }
        }
        if !self.is_done {
            self.is_broken = true;
            self.is_done = inner.finish(self.passed) || inner.wanted() <= self.passed;
        }
        self.is_done
    }

    fn pass(&mut self, bytes: &[u8], inner: &mut dyn Feed) -> usize {
        let mut at = 0;
        // It reads forward only: what it passes over goes by unread.
        while at < bytes.len() {
            let place = self.passed + at as u64;
            let skipped =
                usize::try_from(inner.wanted().saturating_sub(place)).unwrap_or(usize::MAX);
            let skipped = skipped.min(bytes.len() - at);
            let taken = if skipped > 0 {
                skipped
            } else {
                inner.feed(&bytes[at..])
            };
            at += taken;
            if inner.is_done() || inner.is_full() || taken == 0 {
                break;
            }
        }
        self.crc = crc32(self.crc, &bytes[..at]);
        self.passed += at as u64;
        self.is_done = inner.is_done();
        at
    }

    /// Decides whether what is held is the member's descriptor.
    fn weigh(&mut self, is_end: bool, inner: &mut dyn Feed) {
        if self.held.len() >= 4 && !self.held.starts_with(&DESCRIPTOR) {
            return self.release(1, inner);
        }
        match behind(&self.held, self.passed, self.passed) {
            Behind::Descriptor { crc, .. } if crc == self.crc => {
                // The reader may still want to look at something again, which it cannot.
                inner.finish(self.passed);
                self.is_done = true;
            }
            Behind::Needs(_) if !is_end && self.held.len() < LONGEST => {}
            _ => self.release(1, inner),
        }
    }

    /// Hands on held bytes up to the next that could begin a descriptor.
    fn release(&mut self, least: usize, inner: &mut dyn Feed) {
        let held = std::mem::take(&mut self.held);
        let from = least.min(held.len());
        let until = memchr::memchr(DESCRIPTOR[0], &held[from..]).map_or(held.len(), |at| from + at);
        let taken = self.pass(&held[..until], inner);
        self.held = held[taken..].to_vec();
    }
}

/// Bytes at the end that could begin a descriptor.
fn possible_start(bytes: &[u8]) -> usize {
    (1..DESCRIPTOR.len())
        .rev()
        .find(|&length| bytes.ends_with(&DESCRIPTOR[..length]))
        .unwrap_or(0)
}
