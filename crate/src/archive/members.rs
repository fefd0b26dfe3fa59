//! Compressed members one after another, whatever compresses them.

use memchr::memchr;

use super::gzip::GzipReader;
#[cfg(feature = "tools")]
use super::zstd::ZstdReader;
use crate::error::{Code, code};

/// What one step found. A step does at most one thing.
#[derive(Debug)]
#[cfg_attr(
    not(feature = "tools"),
    allow(dead_code, reason = "some steps are those of Zstandard only")
)]
pub enum Step<'a> {
    /// All input is taken; more is needed.
    Hungry,
    /// There is more to do, with input or without.
    Busy,
    Start {
        offset: u64,
    },
    Data(&'a [u8]),
    End {
        end: u64,
        is_sound: bool,
    },
    /// The member cannot be read on. The search for another one begins at `retry`.
    Broken {
        code: Code,
        at: u64,
        retry: u64,
    },
    /// The member at this place did not end where it said, and is to be read again.
    Again(u64),
    /// The bytes at this place must be looked at next.
    Elsewhere(u64),
}

/// Reads members of either kind.
pub enum Members {
    Gzip(Box<GzipReader>),
    #[cfg(feature = "tools")]
    Zstd(Box<ZstdReader>),
}

impl Members {
    /// Goes on at `offset`, looking for a member there or after it.
    pub fn scan_from(&mut self, offset: u64) {
        match self {
            Members::Gzip(reader) => reader.scan_from(offset),
            #[cfg(feature = "tools")]
            Members::Zstd(reader) => reader.scan_from(offset),
        }
    }

    /// Does one thing with the input and says how much of it was taken.
    pub fn step(&mut self, input: &[u8]) -> (usize, Step<'_>) {
        match self {
            Members::Gzip(reader) => reader.step(input),
            #[cfg(feature = "tools")]
            Members::Zstd(reader) => reader.step(input),
        }
    }

    /// Whether a step may find something without input.
    pub fn is_busy(&self) -> bool {
        match self {
            Members::Gzip(_) => false,
            #[cfg(feature = "tools")]
            Members::Zstd(reader) => reader.is_busy(),
        }
    }

    /// The end of the file: what it broke off, if anything; after what was decoded of that.
    pub fn finish(&mut self) -> Option<Step<'_>> {
        match self {
            Members::Gzip(reader) => reader.finish(),
            #[cfg(feature = "tools")]
            Members::Zstd(reader) => reader.finish(),
        }
    }

    /// How long the member says that it is, inflated, where its rest can be passed over.
    pub fn unpacked(&self) -> Option<u64> {
        match self {
            Members::Gzip(reader) => reader.unpacked(),
            #[cfg(feature = "tools")]
            Members::Zstd(_) => None,
        }
    }

    /// Passes over the rest of such a member; returns where to go on.
    pub fn skip_rest(&mut self) -> Option<u64> {
        match self {
            Members::Gzip(reader) => Some(reader.skip_rest()),
            #[cfg(feature = "tools")]
            Members::Zstd(_) => None,
        }
    }

    /// Reads a member again without what it says of its lengths.
    pub fn again(&mut self, member: u64) {
        match self {
            Members::Gzip(reader) => reader.again(member),
            #[cfg(feature = "tools")]
            Members::Zstd(_) => {}
        }
    }

    /// Whether records may well lie in several members each.
    pub fn may_span(&self) -> bool {
        match self {
            Members::Gzip(_) => false,
            #[cfg(feature = "tools")]
            Members::Zstd(_) => true,
        }
    }

    /// Whether the member that ended last may have ended elsewhere than it seemed: the lengths of Zstandard
    /// blocks are stated without any check.
    pub fn may_end_elsewhere(&self) -> bool {
        match self {
            Members::Gzip(_) => false,
            #[cfg(feature = "tools")]
            Members::Zstd(reader) => !reader.is_proven(),
        }
    }

    /// The code of a member whose checksum is wrong.
    pub fn bad_checksum(&self) -> Code {
        match self {
            Members::Gzip(_) => code::GZIP_BAD_CHECKSUM,
            #[cfg(feature = "tools")]
            Members::Zstd(_) => code::ZSTD_BAD_CHECKSUM,
        }
    }
}

/// A piece of a search for the magic number with which a member begins.
pub struct Scan {
    pub taken: usize,
    /// Where in the piece a number began that may be it, if one did.
    pub begin: Option<usize>,
    pub is_found: bool,
}

impl Scan {
    /// Looks in the next piece. What of the number the pieces before ended with is in `seen`.
    pub fn of(magic: &[u8], seen: &mut Vec<u8>, input: &[u8]) -> Scan {
        let (mut at, mut begin) = (0, None);
        while at < input.len() && seen.len() < magic.len() {
            if seen.is_empty() {
                let Some(found) = memchr(magic[0], &input[at..]) else {
                    at = input.len();
                    break;
                };
                at += found;
                begin = Some(at);
            }
            if input[at] == magic[seen.len()] {
                seen.push(input[at]);
                at += 1;
            } else {
                // A byte that breaks the number may begin another one, so it is looked at again.
                seen.clear();
            }
        }
        Scan {
            taken: at,
            begin,
            is_found: seen.len() == magic.len(),
        }
    }
}

/// What is wrong with a member that broke, in words.
pub fn broken_words(broken: Code) -> &'static str {
    match broken {
        code::GZIP_TRUNCATED => "the file ends in the middle of this gzip member",
        code::GZIP_GARBAGE => "bytes that are no gzip member",
        code::ZSTD_TRUNCATED => "the file ends in the middle of this Zstandard frame",
        code::ZSTD_GARBAGE => "bytes that are no Zstandard frame",
        code::ZSTD_BAD_DICTIONARY => {
            "the dictionary that is needed to decode this is missing or damaged"
        }
        _ => "the compressed data is damaged",
    }
}
