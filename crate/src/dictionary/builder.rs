//! Dictionaries on their way: strings in the order of their ids, then the file, written from its beginning to its end.
//!
//! All strings are held until it is written, and at most 24 bytes more for each.

use crate::error::{Error, code};
use crate::limits::{
    DICTIONARY_RESIDENT_BYTES_MAX, DICTIONARY_SPAN_BYTES_MAX, DICTIONARY_STRING_BYTES_MAX,
};

use super::footer::{Footer, Kind, PAGE_BYTES_MAX, PAGE_BYTES_MIN, Regions};
use super::hash::Hashing;
use super::opening::START_BYTES;
use super::out::Out;
use super::pages::{CHECKSUM_BYTES, Place};
use super::tagged;
use super::writing;

const USUAL_PAGE_BYTES: u32 = 4 << 10;
/// So many bytes of strings are a small dictionary.
const SMALL_BYTES: usize = 64 << 10;
/// Shorter ones cost as much memory beside them as they hold of strings.
const TAGGED_PAGE_BYTES_MIN: u32 = 1 << 10;
const TAGGED_PAGE_BYTES_MAX: u32 = 16 << 10;

/// How a dictionary is made.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub kind: Kind,
    /// Random: who does not know it cannot choose strings that meet.
    pub salt: [u8; 16],
    /// From 256 to 32,768; 0 for what the strings ask for.
    pub page_bytes: u32,
    /// Bits of hashes that count. Fewer than all make strings meet, for tests.
    pub hash_bits: u8,
}

impl Shape {
    pub fn new(kind: Kind, salt: [u8; 16]) -> Shape {
        Shape {
            kind,
            salt,
            page_bytes: 0,
            hash_bits: 64,
        }
    }
}

/// Strings by their ids.
#[derive(Default)]
pub struct Given {
    bytes: Vec<u8>,
    ends: Vec<u64>,
}

impl Given {
    pub fn count(&self) -> u32 {
        u32::try_from(self.ends.len()).unwrap_or(u32::MAX)
    }

    pub fn get(&self, id: u32) -> &[u8] {
        let id = id as usize;
        let start = match id {
            0 => 0,
            _ => self.ends[id - 1],
        };
        let index = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        &self.bytes[index(start)..index(self.ends[id])]
    }

    pub fn all(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.count()).map(|id| self.get(id))
    }

    /// So few bytes that most of them are in memory wherever there is any for pages.
    pub fn is_small(&self) -> bool {
        self.bytes.len() <= SMALL_BYTES
    }

    /// Where each begins, and where the last one ends.
    pub fn starts(&self) -> impl Iterator<Item = u64> {
        std::iter::once(0).chain(self.ends.iter().copied())
    }
}

pub struct Builder {
    shape: Shape,
    given: Given,
}

impl Builder {
    pub fn new(shape: Shape) -> Builder {
        Builder {
            shape,
            given: Given::default(),
        }
    }

    /// Takes in a string and gives its id.
    pub fn push(&mut self, string: &[u8]) -> Result<u32, Error> {
        let id = self.given.count();
        if string.len() > DICTIONARY_STRING_BYTES_MAX {
            let message = format!("string {id} is of {} bytes", string.len());
            return Err(Error::new(code::DICTIONARY_TOO_LONG, message));
        }
        // One above the last id is in tables too.
        if id >= u32::MAX - 1 {
            let message = "there are more strings than ids".to_string();
            return Err(Error::new(code::DICTIONARY_TOO_MANY, message));
        }
        self.given.bytes.extend_from_slice(string);
        self.given.ends.push(self.given.bytes.len() as u64);
        Ok(id)
    }

    /// Hands out the file in pieces, in their order. With two strings that are the same there is none.
    pub fn finish(self, sink: &mut dyn FnMut(&[u8])) -> Result<(), Error> {
        let Builder { shape, given } = self;
        let page_bytes = match shape.page_bytes {
            0 => usual_page_bytes(shape.kind, &given),
            stated => stated.clamp(PAGE_BYTES_MIN, PAGE_BYTES_MAX),
        };
        let hashing = Hashing {
            salt: shape.salt,
            bits: shape.hash_bits,
        };
        let hashes = sorted_hashes(&given, hashing)?;
        let id = Hashing {
            bits: 64,
            ..hashing
        }
        .of(b"");
        let mut out = Out::new(id, page_bytes, sink);
        let mut footer = Footer {
            kind: shape.kind,
            hashing,
            page_bytes,
            count: given.count(),
            id,
            parts: 0,
            regions: Regions::default(),
            resident: Place::default(),
        };
        match shape.kind {
            Kind::Bucket(each) => {
                let fits = writing::bucket::write(&given, &hashes, each, &mut footer, &mut out);
                fits.ok_or_else(too_large)?;
            }
            Kind::Tagged => writing::tagged::write(&given, &hashes, &mut footer, &mut out),
            Kind::Brute | Kind::Binary | Kind::Tree | Kind::Hash => {
                footer.regions.heap = out.heap(given.all());
                footer.regions.places = out.array(START_BYTES, given.starts());
                writing::plain::write_index(&given, &hashes, &mut footer, &mut out);
            }
        }
        out.footer(&footer.content());
        Ok(())
    }
}

/// Of tagged pages such that a dozen strings are in each: fewer are too unlike in number, of more all are read for one.
/// Longer ones in a small dictionary: they leave less room empty and are less to keep track of.
fn usual_page_bytes(kind: Kind, given: &Given) -> u32 {
    if kind != Kind::Tagged {
        return USUAL_PAGE_BYTES;
    }
    let least = if given.is_small() {
        USUAL_PAGE_BYTES
    } else {
        TAGGED_PAGE_BYTES_MIN
    };
    let each = given.bytes.len() / given.ends.len().max(1) + tagged::ENTRY_BYTES;
    let dozen = u32::try_from(12 * each).unwrap_or(PAGE_BYTES_MAX);
    dozen
        .min(TAGGED_PAGE_BYTES_MAX)
        .next_power_of_two()
        .max(least)
}

fn too_large() -> Error {
    let message = format!(
        "a bucket is of more than {} bytes, or all together ask for more than {} of memory",
        DICTIONARY_SPAN_BYTES_MAX as usize - CHECKSUM_BYTES,
        DICTIONARY_RESIDENT_BYTES_MAX
    );
    Error::new(code::DICTIONARY_TOO_LARGE, message)
}

/// Hashes and ids, in the order of hashes.
fn sorted_hashes(given: &Given, hashing: Hashing) -> Result<Vec<(u64, u32)>, Error> {
    let full = Hashing {
        bits: 64,
        ..hashing
    };
    let mut hashes: Vec<(u64, u32)> = (0..given.count())
        .map(|id| (full.of(given.get(id)), id))
        .collect();
    hashes.sort_unstable();
    // Strings of one hash are as good as always one string: there are few to be compared with each other.
    for same in hashes.chunk_by(|a, b| a.0 == b.0) {
        let mut ids: Vec<u32> = same.iter().map(|(_, id)| *id).collect();
        ids.sort_by_key(|id| given.get(*id));
        for pair in ids.windows(2) {
            if given.get(pair[0]) == given.get(pair[1]) {
                let (first, again) = (pair[0].min(pair[1]), pair[0].max(pair[1]));
                let message = format!("string {again} is the same as string {first}");
                return Err(Error::new(code::DICTIONARY_DUPLICATE, message));
            }
        }
    }
    if hashing.bits < 64 {
        for (hash, _) in &mut hashes {
            *hash = hashing.masked(*hash);
        }
        hashes.sort_unstable();
    }
    Ok(hashes)
}
