//! The footer of a dictionary, by which it is opened (FORMAT.md 13).

use crate::codec::Reader;

use super::hash::Hashing;
use super::pages::{CHECKSUM_BYTES, Place};

pub const FOOTER_BYTES: usize = 120;
pub const MAGIC: &[u8; 8] = b"stackdic";
pub const VERSION: u32 = 1;
pub const PAGE_BYTES_MIN: u32 = 256;
pub const PAGE_BYTES_MAX: u32 = 32 << 10;

/// How a dictionary is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// All strings in the order of their ids, each compared until one is it.
    Brute,
    /// The same, with ids in the order of strings: half of them are ruled out by each comparison.
    Binary,
    /// The same, with strings in a tree of three levels or four.
    Tree,
    /// The same, with hashes in a table.
    Hash,
    /// Strings in buckets by their hashes, about so many in each.
    Bucket(u32),
    /// Strings in pages by their hashes, with a byte of the hash of each before them. No table says where a page is.
    Tagged,
}

impl Kind {
    pub fn number(self) -> u8 {
        match self {
            Kind::Brute => 0,
            Kind::Binary => 1,
            Kind::Tree => 2,
            Kind::Hash => 3,
            Kind::Bucket(_) => 4,
            Kind::Tagged => 5,
        }
    }
}

/// Regions of the file by what is in them; those that a layout has not are at 0.
#[derive(Clone, Copy, Default)]
pub struct Regions {
    /// Where each string stands, by id.
    pub places: u64,
    /// Bytes of strings: all, or those that are too long for where the others are.
    pub heap: u64,
    /// What the layout looks strings up in.
    pub index: u64,
    /// What tells of most strings that they are not there.
    pub filter: u64,
}

pub struct Footer {
    pub kind: Kind,
    pub hashing: Hashing,
    pub page_bytes: u32,
    pub count: u32,
    pub id: u64,
    /// Buckets, slots or pages, as the layout has it.
    pub parts: u32,
    pub regions: Regions,
    /// What is kept in memory while the dictionary is open.
    pub resident: Place,
}

impl Footer {
    /// All of it but the checksum.
    pub fn content(&self) -> Vec<u8> {
        let each = match self.kind {
            Kind::Bucket(each) => each,
            _ => 0,
        };
        let mut content = MAGIC.to_vec();
        content.extend(VERSION.to_le_bytes());
        content.extend([self.kind.number(), self.hashing.bits, 0, 0]);
        for number in [self.page_bytes, self.count, self.parts, each] {
            content.extend(number.to_le_bytes());
        }
        content.extend(self.id.to_le_bytes());
        content.extend(self.hashing.salt);
        let Regions {
            places,
            heap,
            index,
            filter,
        } = self.regions;
        for offset in [places, heap, index, self.resident.offset] {
            content.extend(offset.to_le_bytes());
        }
        content.extend(self.resident.length.to_le_bytes());
        content.extend(filter.to_le_bytes());
        content.resize(FOOTER_BYTES - CHECKSUM_BYTES, 0);
        content
    }

    /// `None` where it is none, or of a version that is not known here.
    pub fn read(content: &[u8]) -> Option<Footer> {
        let mut reader = Reader::new(content);
        if reader.take(MAGIC.len())? != MAGIC || reader.u32()? != VERSION {
            return None;
        }
        let &[number, bits, _, _] = reader.take(4)? else {
            return None;
        };
        let [page_bytes, count, parts, each] =
            [reader.u32()?, reader.u32()?, reader.u32()?, reader.u32()?];
        let kind = match number {
            0 => Kind::Brute,
            1 => Kind::Binary,
            2 => Kind::Tree,
            3 => Kind::Hash,
            4 => Kind::Bucket(each),
            5 => Kind::Tagged,
            _ => return None,
        };
        let id = reader.u64()?;
        let salt = reader.take(16)?.try_into().ok()?;
        let [places, heap, index] = [reader.u64()?, reader.u64()?, reader.u64()?];
        let resident = Place {
            offset: reader.u64()?,
            length: reader.u32()?,
        };
        let regions = Regions {
            places,
            heap,
            index,
            filter: reader.u64()?,
        };
        (PAGE_BYTES_MIN..=PAGE_BYTES_MAX)
            .contains(&page_bytes)
            .then_some(Footer {
                kind,
                hashing: Hashing { salt, bits },
                page_bytes,
                count,
                id,
                parts,
                regions,
                resident,
            })
    }
}
