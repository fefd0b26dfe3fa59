//! What stands at the ends of a segment's file: its header, and behind all blocks which sections there are (FORMAT.md 7).
//!
//!   header    := magic:[u8; 8] version:u32 0:u32
//!   footer    := checksum:u64 directory.offset:u64 directory.length:u32 version:u32 id:u64 magic:[u8; 8]
//!   directory := sections:varint section*, in a block
//!   section   := name:bytes kind entries weight height root.offset root.length, all varints

use std::rc::Rc;

use xxhash_rust::xxh64::xxh64;

use super::block::Place;
use crate::codec::{Reader, Writer};

pub const MAGIC: [u8; 8] = *b"stackseg";
const VERSION: u32 = 1;
pub const HEADER_BYTES: usize = 16;
pub const FOOTER_BYTES: usize = 40;
/// A directory has a few sections; one that states more is none.
const SECTIONS_MAX: u64 = 256;

/// How the entries of a section follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As they came; found by their number.
    AsGiven,
    /// By their keys; entries of the same key as they came.
    ByKey,
}

/// Whether it is known of the blocks of a section what their keys hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grams {
    #[default]
    Unknown,
    /// Another section tells, which is made by the writer: see `grams_name`.
    Known,
    /// It is that other section.
    These,
}

/// The section that tells what keys of another one hold.
pub fn grams_name(name: &[u8]) -> Vec<u8> {
    [name, b".grams"].concat()
}

/// What holds for all entries of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    pub order: Order,
    /// Each value begins with a varint, what the entry weighs; of others each weighs nothing.
    pub is_weighed: bool,
    pub grams: Grams,
}

impl Kind {
    const BY_KEY: u64 = 1;
    const WEIGHED: u64 = 2;
    const GRAMS_KNOWN: u64 = 4;
    const GRAMS_THESE: u64 = 8;

    fn number(self) -> u64 {
        let order = match self.order {
            Order::AsGiven => 0,
            Order::ByKey => Kind::BY_KEY,
        };
        let grams = match self.grams {
            Grams::Unknown => 0,
            Grams::Known => Kind::GRAMS_KNOWN,
            Grams::These => Kind::GRAMS_THESE,
        };
        order | grams | if self.is_weighed { Kind::WEIGHED } else { 0 }
    }

    fn from_number(number: u64) -> Option<Kind> {
        let order = if number & Kind::BY_KEY == 0 {
            Order::AsGiven
        } else {
            Order::ByKey
        };
        let is_weighed = number & Kind::WEIGHED != 0;
        let grams = match number & !(Kind::BY_KEY | Kind::WEIGHED) {
            0 => Grams::Unknown,
            Kind::GRAMS_KNOWN => Grams::Known,
            Kind::GRAMS_THESE => Grams::These,
            _ => return None,
        };
        Some(Kind {
            order,
            is_weighed,
            grams,
        })
    }

    pub fn weight_of(self, value: &[u8]) -> u64 {
        if !self.is_weighed {
            return 0;
        }
        Reader::new(value).varint().unwrap_or(0)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    pub name: Rc<[u8]>,
    pub kind: Kind,
    pub entries: u64,
    /// The sum of what the entries weigh.
    pub weight: u64,
    /// Levels of index blocks above the entries.
    pub height: u32,
    /// The one block of the highest level; of no length where there are no entries.
    pub root: Place,
}

pub fn header() -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.resize(HEADER_BYTES, 0);
    bytes
}

pub fn directory(sections: &[Section]) -> Vec<u8> {
    let mut out = Writer::new();
    out.varint(sections.len() as u64);
    for section in sections {
        out.bytes(&section.name);
        out.varint(section.kind.number());
        out.varint(section.entries);
        out.varint(section.weight);
        out.varint(u64::from(section.height));
        out.varint(section.root.offset);
        out.varint(u64::from(section.root.length));
    }
    out.finish()
}

pub fn read_directory(content: &[u8]) -> Option<Vec<Section>> {
    let mut reader = Reader::new(content);
    let count = reader.varint().filter(|count| *count <= SECTIONS_MAX)?;
    let mut sections = Vec::new();
    for _ in 0..count {
        let length = usize::try_from(reader.varint()?).ok()?;
        let name = reader.take(length)?.into();
        let kind = Kind::from_number(reader.varint()?)?;
        sections.push(Section {
            name,
            kind,
            entries: reader.varint()?,
            weight: reader.varint()?,
            height: u32::try_from(reader.varint()?).ok()?,
            root: Place {
                offset: reader.varint()?,
                length: u32::try_from(reader.varint()?).ok()?,
            },
        });
    }
    reader.is_empty().then_some(sections)
}

/// Which segment this is, and where its directory stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footer {
    pub id: u64,
    pub directory: Place,
}

impl Footer {
    pub fn to_bytes(self) -> Vec<u8> {
        let mut rest = self.directory.offset.to_le_bytes().to_vec();
        rest.extend(self.directory.length.to_le_bytes());
        rest.extend(VERSION.to_le_bytes());
        rest.extend(self.id.to_le_bytes());
        rest.extend(MAGIC);
        let mut bytes = xxh64(&rest, 0).to_le_bytes().to_vec();
        bytes.extend(rest);
        bytes
    }

    pub fn read(bytes: &[u8]) -> Option<Footer> {
        let mut reader = Reader::new(bytes);
        let checksum = reader.u64()?;
        let rest = bytes.get(8..FOOTER_BYTES)?;
        let offset = reader.u64()?;
        let length = reader.u32()?;
        let version = reader.u32()?;
        let id = reader.u64()?;
        let is_sound = checksum == xxh64(rest, 0)
            && version == VERSION
            && reader.take(8)? == MAGIC
            && reader.is_empty();
        let directory = Place { offset, length };
        is_sound.then_some(Footer { id, directory })
    }
}
