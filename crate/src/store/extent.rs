//! Records in extents: files that are appended to, for what is too large for a page (FORMAT.md 5).
//!
//!   extent := header record*            header := checksum:u64 magic:u64 version:u32 file:u32 salt:[u8; 16] zero*
//!   record := checksum:u64 magic:[u8; 3] kind:u8 key_bytes:u32 body_bytes:u32 generation:u64 body
//! The checksum covers all of the record that follows, and by its seed the record's place and the store's salt: a torn
//! write, a flipped bit, a record in another place and one that somebody put into a value are all no records.
//! E1  A place in an extent that a commit refers to is never written again.
//! E2  The order of records is the order of changes: the last one of a key counts, for who has nothing but the extents.
//! E3  Records count once a record of the kind `Commit` follows that has their generation.

use siphasher::sip::SipHasher13;
use std::hash::Hasher;
use xxhash_rust::xxh64::xxh64;

use super::leaf::Value;
use crate::codec::{Reader, Writer};
use crate::limits::EXTENT_BYTES_MAX;

pub const HEADER_BYTES: u32 = 64;
pub const HEAD_BYTES: u32 = 28;
/// What is longer is put by parts of this length, each a record: so much is read to verify any byte of it.
pub const PART_BYTES: usize = 64 << 10;
const CHECKSUM_BYTES: usize = 8;
const FILE_MAGIC: u64 = u64::from_le_bytes(*b"stackext");
const MAGIC: [u8; 3] = *b"sxr";
const VERSION: u32 = 1;

/// Bytes of an extent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    pub file: u32,
    pub offset: u32,
    pub length: u32,
}

/// Bytes to be written to an extent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Append {
    pub file: u32,
    pub offset: u32,
    pub bytes: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The body is a key, then its value.
    Put = 1,
    /// The body says how long key and value are together, and where their parts stand.
    Parts = 2,
    /// The body is a part of a key and its value.
    Part = 3,
    /// The body is a key that was removed, or whose value went into a page.
    Remove = 4,
    /// All records before it, of its generation, were committed.
    Commit = 5,
}

impl Kind {
    fn of(byte: u8) -> Option<Kind> {
        use Kind::{Commit, Part, Parts, Put, Remove};
        [Put, Parts, Part, Remove, Commit]
            .into_iter()
            .find(|kind| *kind as u8 == byte)
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    pub kind: Kind,
    pub generation: u64,
    pub key_bytes: usize,
    pub body: &'a [u8],
}

impl<'a> Record<'a> {
    /// The record in exactly these bytes, whatever their checksum.
    pub fn read(bytes: &'a [u8]) -> Option<Record<'a>> {
        let (head, body) = bytes.split_at_checked(HEAD_BYTES as usize)?;
        let mut reader = Reader::new(head.get(CHECKSUM_BYTES..)?);
        let (magic, kind) = (reader.take(3)?, reader.take(1)?[0]);
        let (key_bytes, body_bytes) = (reader.u32()?, reader.u32()?);
        let generation = reader.u64()?;
        if magic != MAGIC || body_bytes as usize != body.len() {
            return None;
        }
        Some(Record {
            kind: Kind::of(kind)?,
            generation,
            key_bytes: key_bytes as usize,
            body,
        })
    }
}

/// Where the value of a key stands, as the key's entry in a page says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference {
    pub span: Span,
    pub is_parts: bool,
    pub value_bytes: u64,
}

impl Reference {
    pub fn of(value: &Value<'_>) -> Option<Reference> {
        value.is_reference.then(|| Reference::decode(value.bytes))?
    }

    pub fn decode(bytes: &[u8]) -> Option<Reference> {
        let mut reader = Reader::new(bytes);
        let (file, offset) = (reader.varint()?, reader.varint()?);
        let (length, value_bytes) = (reader.varint()?, reader.varint()?);
        Some(Reference {
            span: Span {
                file: u32::try_from(file).ok()?,
                offset: u32::try_from(offset).ok()?,
                length: u32::try_from(length / 2).ok()?,
            },
            is_parts: length % 2 == 1,
            value_bytes,
        })
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::new();
        writer.varint(self.span.file.into());
        writer.varint(self.span.offset.into());
        writer.varint(u64::from(self.span.length) * 2 + u64::from(self.is_parts));
        writer.varint(self.value_bytes);
        writer.finish()
    }

    /// Bytes of extents that it keeps alive, about.
    pub fn weight(&self) -> u64 {
        let parts = if self.is_parts { self.value_bytes } else { 0 };
        u64::from(self.span.length) + parts
    }
}

/// Seals and opens what stands in the extents of one store.
#[derive(Clone, Copy)]
pub struct Seal {
    salt: [u8; 16],
}

impl Seal {
    pub fn new(salt: [u8; 16]) -> Seal {
        Seal { salt }
    }

    fn checksum(&self, file: u32, offset: u32, bytes: &[u8]) -> u64 {
        let mut seed = SipHasher13::new_with_key(&self.salt);
        seed.write_u64(u64::from(file) << 32 | u64::from(offset));
        xxh64(bytes, seed.finish())
    }

    /// Appends a record that will stand at this place.
    pub fn record(
        &self,
        out: &mut Vec<u8>,
        (file, offset): (u32, u32),
        record: &Record<'_>,
        rest: &[u8],
    ) {
        let from = out.len();
        let length = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX).to_le_bytes();
        out.extend_from_slice(&[0; CHECKSUM_BYTES]);
        out.extend_from_slice(&MAGIC);
        out.push(record.kind as u8);
        out.extend_from_slice(&length(record.key_bytes));
        out.extend_from_slice(&length(record.body.len() + rest.len()));
        out.extend_from_slice(&record.generation.to_le_bytes());
        out.extend_from_slice(record.body);
        out.extend_from_slice(rest);
        let checksum = self.checksum(file, offset, &out[from + CHECKSUM_BYTES..]);
        out[from..from + CHECKSUM_BYTES].copy_from_slice(&checksum.to_le_bytes());
    }

    /// The record in exactly these bytes, if it is what was written there.
    pub fn open<'a>(&self, file: u32, offset: u32, bytes: &'a [u8]) -> Option<Record<'a>> {
        let record = Record::read(bytes)?;
        let (checksum, rest) = bytes.split_first_chunk::<CHECKSUM_BYTES>()?;
        let is_sound = u64::from_le_bytes(*checksum) == self.checksum(file, offset, rest);
        is_sound.then_some(record)
    }

    pub fn header(&self, file: u32) -> Vec<u8> {
        let mut bytes = vec![0; CHECKSUM_BYTES];
        bytes.extend_from_slice(&FILE_MAGIC.to_le_bytes());
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&file.to_le_bytes());
        bytes.extend_from_slice(&self.salt);
        bytes.resize(HEADER_BYTES as usize, 0);
        let checksum = self.checksum(file, 0, &bytes[CHECKSUM_BYTES..]);
        bytes[..CHECKSUM_BYTES].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// The salt in the header of an extent, if that is whole.
    pub fn of_header(file: u32, bytes: &[u8]) -> Option<Seal> {
        let bytes = bytes.get(..HEADER_BYTES as usize)?;
        let mut reader = Reader::new(bytes);
        let checksum = reader.u64()?;
        let is_ours =
            reader.u64()? == FILE_MAGIC && reader.u32()? == VERSION && reader.u32()? == file;
        let seal = Seal::new(reader.take(16)?.try_into().ok()?);
        let is_sound = seal.checksum(file, 0, &bytes[CHECKSUM_BYTES..]) == checksum;
        (is_ours && is_sound).then_some(seal)
    }

    pub fn salt(&self) -> [u8; 16] {
        self.salt
    }
}

/// The length of the record that begins with these bytes, if one can.
pub fn record_bytes(head: &[u8]) -> Option<u32> {
    let mut reader = Reader::new(head.get(CHECKSUM_BYTES..HEAD_BYTES as usize)?);
    let (magic, kind) = (reader.take(3)?, reader.take(1)?[0]);
    let (_, body_bytes) = (reader.u32()?, reader.u32()?);
    let length = body_bytes.checked_add(HEAD_BYTES)?;
    (magic == MAGIC && Kind::of(kind).is_some() && length <= EXTENT_BYTES_MAX).then_some(length)
}

/// Where in these bytes the next record may begin, which a scan looks for after damage.
pub fn next_head(bytes: &[u8]) -> Option<usize> {
    let found = memchr::memmem::find(bytes.get(CHECKSUM_BYTES..)?, &MAGIC)?;
    Some(found)
}

/// What a record of the kind `Parts` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Of key and value together.
    pub bytes: u64,
    places: Vec<(u32, u32)>,
}

impl Parts {
    pub fn decode(body: &[u8]) -> Option<Parts> {
        let mut reader = Reader::new(body);
        let bytes = reader.u64()?;
        let count = usize::try_from(bytes.div_ceil(PART_BYTES as u64)).ok()?;
        if reader.left() != count * 8 {
            return None;
        }
        let mut places = Vec::with_capacity(count);
        for _ in 0..count {
            let offset = reader.u32()?;
            places.push((reader.u32()?, offset));
        }
        Some(Parts { bytes, places })
    }

    pub fn encode(bytes: u64, places: &[(u32, u32)]) -> Vec<u8> {
        let mut body = bytes.to_le_bytes().to_vec();
        for (file, offset) in places {
            body.extend_from_slice(&offset.to_le_bytes());
            body.extend_from_slice(&file.to_le_bytes());
        }
        body
    }

    pub fn len(&self) -> usize {
        self.places.len()
    }

    pub fn span(&self, n: usize) -> Option<Span> {
        let &(file, offset) = self.places.get(n)?;
        let from = n as u64 * PART_BYTES as u64;
        let length = (self.bytes - from).min(PART_BYTES as u64) + u64::from(HEAD_BYTES);
        Some(Span {
            file,
            offset,
            length: u32::try_from(length).ok()?,
        })
    }

    pub fn places(&self) -> &[(u32, u32)] {
        &self.places
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_and_a_wrong_place_are_noticed() {
        let seal = Seal::new([7; 16]);
        let record = Record {
            kind: Kind::Put,
            generation: 9,
            key_bytes: 3,
            body: b"key",
        };
        let mut bytes = Vec::new();
        seal.record(&mut bytes, (2, 640), &record, b"value");
        assert_eq!(record_bytes(&bytes).map(|n| n as usize), Some(bytes.len()));
        let opened = seal.open(2, 640, &bytes).expect("it is whole");
        assert_eq!((opened.kind, opened.generation), (Kind::Put, 9));
        assert_eq!(opened.body, b"keyvalue");
        assert!(seal.open(2, 641, &bytes).is_none());
        assert!(seal.open(3, 640, &bytes).is_none());
        assert!(Seal::new([8; 16]).open(2, 640, &bytes).is_none());
        assert!(seal.open(2, 640, &bytes[..bytes.len() - 1]).is_none());
        for bit in 0..bytes.len() * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(seal.open(2, 640, &bytes).is_none(), "bit {bit}");
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }

    #[test]
    fn a_header_says_whose_the_extent_is() {
        let header = Seal::new([7; 16]).header(3);
        assert_eq!(header.len(), HEADER_BYTES as usize);
        let seal = Seal::of_header(3, &header).expect("it is whole");
        assert_eq!(seal.salt(), [7; 16]);
        assert!(Seal::of_header(4, &header).is_none());
        assert!(Seal::of_header(3, &header[..40]).is_none());
        for bit in 0..header.len() * 8 {
            let mut header = header.clone();
            header[bit / 8] ^= 1 << (bit % 8);
            assert!(Seal::of_header(3, &header).is_none(), "bit {bit}");
        }
    }

    #[test]
    fn references_come_back_as_they_went_in() {
        for (file, offset, length, value_bytes, is_parts) in [
            (0, 64, 28, 0, false),
            (u32::MAX, u32::MAX - 3, 1 << 30, u64::MAX, true),
        ] {
            let reference = Reference {
                span: Span {
                    file,
                    offset,
                    length,
                },
                is_parts,
                value_bytes,
            };
            assert_eq!(Reference::decode(&reference.encode()), Some(reference));
        }
        assert_eq!(Reference::decode(&[0x80]), None);
    }
}
