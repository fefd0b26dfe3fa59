//! The structures of a ZIP file, little-endian.
//!
//!   local      := "PK\3\4" version:2 flags:2 method:2 time:4 crc:4 packed:4 size:4 name_len:2 extra_len:2 name extra
//!   central    := "PK\1\2" made_by:2 version:2 flags:2 method:2 time:4 crc:4 packed:4 size:4 name_len:2 extra_len:2
//!                 comment_len:2 disk:2 internal:2 external:4 offset:4 name extra comment
//!   end64      := "PK\6\6" record_bytes:8 made_by:2 version:2 disk:4 directory_disk:4 here:8 entries:8 bytes:8 offset:8
//!   locator64  := "PK\6\7" disk:4 offset:8 disks:4
//!   end        := "PK\5\6" disk:2 directory_disk:2 here:2 entries:2 bytes:4 offset:4 comment_len:2 comment
//!   extra      := (id:2 length:2 byte*)*
//! Numbers that do not fit are all ones, and stand in the extra field 1 instead.

use crate::codec::Reader;

pub const LOCAL: [u8; 4] = *b"PK\x03\x04";
pub const CENTRAL: [u8; 4] = *b"PK\x01\x02";
pub const END64: [u8; 4] = *b"PK\x06\x06";
pub const LOCATOR64: [u8; 4] = *b"PK\x06\x07";
pub const END: [u8; 4] = *b"PK\x05\x06";
pub const DESCRIPTOR: [u8; 4] = *b"PK\x07\x08";
/// What stands at the start of a file that was meant to be split, but is not.
pub const UNSPLIT: [u8; 4] = *b"PK00";

pub const LOCAL_BYTES: usize = 30;
pub const END64_BYTES: usize = 56;
pub const LOCATOR64_BYTES: usize = 20;
pub const END_BYTES: usize = 22;

const FLAG_ENCRYPTED: u16 = 1;
const FLAG_DESCRIPTOR: u16 = 1 << 3;
const FLAG_UTF8: u16 = 1 << 11;
const EXTRA_64: u16 = 1;
const METHOD_AES: u16 = 99;

pub const METHOD_STORED: u16 = 0;
pub const METHOD_DEFLATED: u16 = 8;

/// A member, as the directory or its own header tells of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// In UTF-8, as far as that can be known.
    pub name: Vec<u8>,
    pub flags: u16,
    pub method: u16,
    pub crc: u32,
    /// Bytes that its data takes in the file.
    pub packed_bytes: u64,
    /// Bytes of its content.
    pub bytes: u64,
    /// Where its own header is.
    pub offset: u64,
}

impl Entry {
    pub fn is_encrypted(&self) -> bool {
        self.flags & FLAG_ENCRYPTED != 0 || self.method == METHOD_AES
    }

    /// Whether its sizes stand behind its data.
    pub fn has_descriptor(&self) -> bool {
        self.flags & FLAG_DESCRIPTOR != 0
    }

    pub fn is_folder(&self) -> bool {
        self.name.ends_with(b"/")
    }

    /// The name of a method that cannot be read.
    pub fn method_name(&self) -> &'static str {
        match self.method {
            1 => "shrinking",
            2..=5 => "reducing",
            6 => "imploding",
            9 => "Deflate64",
            10 => "PKWARE imploding",
            12 => "bzip2",
            14 => "LZMA",
            16 => "IBM CMPSC",
            18 => "IBM TERSE",
            19 => "IBM LZ77",
            20 | 93 => "Zstandard",
            94 => "MP3",
            95 => "XZ",
            96 => "JPEG",
            97 => "WavPack",
            98 => "PPMd",
            _ => "an unknown method",
        }
    }
}

/// What stands at the start of some bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found<T> {
    /// It, and how many bytes it takes.
    Whole(T, usize),
    /// So far as there are bytes it may be one.
    Short,
    /// Something else.
    Other,
}

/// The fixed part of a member's own header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Local {
    version: u16,
    flags: u16,
    method: u16,
    crc: u32,
    packed: u32,
    size: u32,
    pub name_bytes: usize,
    pub extra_bytes: usize,
}

impl Local {
    pub fn parse(bytes: &[u8]) -> Option<Local> {
        let mut reader = Reader::new(bytes);
        if reader.take(4)? != LOCAL {
            return None;
        }
        let (version, flags, method) = (reader.u16()?, reader.u16()?, reader.u16()?);
        reader.take(4)?;
        Some(Local {
            version,
            flags,
            method,
            crc: reader.u32()?,
            packed: reader.u32()?,
            size: reader.u32()?,
            name_bytes: usize::from(reader.u16()?),
            extra_bytes: usize::from(reader.u16()?),
        })
    }

    /// Whether this is a header and not four bytes of something else.
    pub fn is_plausible(&self) -> bool {
        (self.version & 0xff) <= 90 && self.method <= METHOD_AES && self.name_bytes > 0
    }

    /// The entry that this header and what follows it, `name` and `extra`, make.
    pub fn entry(&self, offset: u64, name: &[u8], extra: &[u8]) -> Entry {
        let mut large = Large::of(extra);
        let bytes = large.value(self.size);
        let packed_bytes = large.value(self.packed);
        Entry {
            name: readable(name, self.flags),
            flags: self.flags,
            method: self.method,
            crc: self.crc,
            packed_bytes,
            bytes,
            offset,
        }
    }
}

/// The entry at the start of what is left of the directory.
pub fn central(bytes: &[u8]) -> Found<Entry> {
    let known = bytes.len().min(CENTRAL.len());
    if bytes[..known] != CENTRAL[..known] {
        return Found::Other;
    }
    parse_central(bytes).map_or(Found::Short, |(entry, taken)| Found::Whole(entry, taken))
}

fn parse_central(bytes: &[u8]) -> Option<(Entry, usize)> {
    let mut reader = Reader::new(bytes);
    reader.take(8)?;
    let (flags, method) = (reader.u16()?, reader.u16()?);
    reader.take(4)?;
    let (crc, packed, size) = (reader.u32()?, reader.u32()?, reader.u32()?);
    let name_bytes = usize::from(reader.u16()?);
    let extra_bytes = usize::from(reader.u16()?);
    let comment_bytes = usize::from(reader.u16()?);
    reader.take(8)?;
    let offset = reader.u32()?;
    let name = reader.take(name_bytes)?;
    let mut large = Large::of(reader.take(extra_bytes)?);
    reader.take(comment_bytes)?;
    let bytes_of_content = large.value(size);
    let packed_bytes = large.value(packed);
    let entry = Entry {
        name: readable(name, flags),
        flags,
        method,
        crc,
        packed_bytes,
        bytes: bytes_of_content,
        offset: large.value(offset),
    };
    Some((entry, bytes.len() - reader.left()))
}

/// The numbers of an extra field 1, which stand there in a fixed order, as many as are needed.
struct Large<'a> {
    numbers: Reader<'a>,
}

impl<'a> Large<'a> {
    fn of(extra: &'a [u8]) -> Large<'a> {
        let mut reader = Reader::new(extra);
        let mut numbers = &extra[..0];
        while let (Some(id), Some(length)) = (reader.u16(), reader.u16()) {
            let Some(field) = reader.take(usize::from(length)) else {
                break;
            };
            if id == EXTRA_64 {
                numbers = field;
                break;
            }
        }
        Large {
            numbers: Reader::new(numbers),
        }
    }

    fn value(&mut self, small: u32) -> u64 {
        if small != u32::MAX {
            return u64::from(small);
        }
        self.numbers.u64().unwrap_or(u64::from(small))
    }
}

/// Where the directory is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct End {
    pub disk: u32,
    pub directory_disk: u32,
    pub entries: u64,
    pub bytes: u64,
    pub offset: u64,
}

impl End {
    pub fn parse(bytes: &[u8]) -> Option<(End, usize)> {
        let mut reader = Reader::new(bytes);
        if reader.take(4)? != END {
            return None;
        }
        let (disk, directory_disk) = (reader.u16()?, reader.u16()?);
        reader.take(2)?;
        let (entries, bytes_of_it, offset) = (reader.u16()?, reader.u32()?, reader.u32()?);
        let comment_bytes = usize::from(reader.u16()?);
        let end = End {
            disk: u32::from(disk),
            directory_disk: u32::from(directory_disk),
            entries: u64::from(entries),
            bytes: u64::from(bytes_of_it),
            offset: u64::from(offset),
        };
        Some((end, END_BYTES + comment_bytes))
    }

    pub fn parse64(bytes: &[u8]) -> Option<End> {
        let mut reader = Reader::new(bytes);
        if reader.take(4)? != END64 {
            return None;
        }
        reader.take(12)?;
        let (disk, directory_disk) = (reader.u32()?, reader.u32()?);
        reader.take(8)?;
        Some(End {
            disk,
            directory_disk,
            entries: reader.u64()?,
            bytes: reader.u64()?,
            offset: reader.u64()?,
        })
    }

    /// Whether a number in it did not fit, so that it stands in the larger structure.
    pub fn needs_64(&self) -> bool {
        self.entries == u64::from(u16::MAX)
            || self.bytes == u64::from(u32::MAX)
            || self.offset == u64::from(u32::MAX)
    }

    /// Whether the file is one of several that belong together.
    pub fn is_split(&self) -> bool {
        let none = [0, u32::from(u16::MAX), u32::MAX];
        !none.contains(&self.disk) || !none.contains(&self.directory_disk)
    }
}

/// Where the larger end structure is, as its locator says.
pub fn located64(locator: &[u8]) -> Option<u64> {
    let mut reader = Reader::new(locator);
    if reader.take(4)? != LOCATOR64 {
        return None;
    }
    reader.take(4)?;
    reader.u64()
}

/// A name in UTF-8. What is not marked as UTF-8 and is none is read as the code page of the first PCs.
fn readable(name: &[u8], flags: u16) -> Vec<u8> {
    if flags & FLAG_UTF8 != 0 || std::str::from_utf8(name).is_ok() {
        return name.to_vec();
    }
    let text: String = name
        .iter()
        .map(|&byte| match byte.checked_sub(0x80) {
            None => char::from(byte),
            Some(high) => char::from_u32(u32::from(CODE_PAGE_437[usize::from(high)]))
                .unwrap_or(char::REPLACEMENT_CHARACTER),
        })
        .collect();
    text.into_bytes()
}

/// Code points of the upper half of code page 437.
const CODE_PAGE_437: [u16; 128] = [
    0xc7, 0xfc, 0xe9, 0xe2, 0xe4, 0xe0, 0xe5, 0xe7, 0xea, 0xeb, 0xe8, 0xef, 0xee, 0xec, 0xc4, 0xc5,
    0xc9, 0xe6, 0xc6, 0xf4, 0xf6, 0xf2, 0xfb, 0xf9, 0xff, 0xd6, 0xdc, 0xa2, 0xa3, 0xa5, 0x20a7,
    0x192, 0xe1, 0xed, 0xf3, 0xfa, 0xf1, 0xd1, 0xaa, 0xba, 0xbf, 0x2310, 0xac, 0xbd, 0xbc, 0xa1,
    0xab, 0xbb, 0x2591, 0x2592, 0x2593, 0x2502, 0x2524, 0x2561, 0x2562, 0x2556, 0x2555, 0x2563,
    0x2551, 0x2557, 0x255d, 0x255c, 0x255b, 0x2510, 0x2514, 0x2534, 0x252c, 0x251c, 0x2500, 0x253c,
    0x255e, 0x255f, 0x255a, 0x2554, 0x2569, 0x2566, 0x2560, 0x2550, 0x256c, 0x2567, 0x2568, 0x2564,
    0x2565, 0x2559, 0x2558, 0x2552, 0x2553, 0x256b, 0x256a, 0x2518, 0x250c, 0x2588, 0x2584, 0x258c,
    0x2590, 0x2580, 0x3b1, 0xdf, 0x393, 0x3c0, 0x3a3, 0x3c3, 0xb5, 0x3c4, 0x3a6, 0x398, 0x3a9,
    0x3b4, 0x221e, 0x3c6, 0x3b5, 0x2229, 0x2261, 0xb1, 0x2265, 0x2264, 0x2320, 0x2321, 0xf7,
    0x2248, 0xb0, 0x2219, 0xb7, 0x221a, 0x207f, 0xb2, 0x25a0, 0xa0,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_old_tools_become_readable() {
        assert_eq!(readable(b"caf\x82", 0), "caf\u{e9}".as_bytes());
        assert_eq!(readable(b"\xff\xe1", 0), "\u{a0}\u{df}".as_bytes());
        assert_eq!(readable("caf\u{e9}".as_bytes(), 0), "caf\u{e9}".as_bytes());
        assert_eq!(readable(b"caf\x82", FLAG_UTF8), b"caf\x82");
    }

    #[test]
    fn large_numbers_stand_in_the_extra_field_in_their_order() {
        let mut extra = vec![0x55, 0x54, 1, 0, 9, 1, 0, 16, 0];
        extra.extend_from_slice(&(5u64 << 32).to_le_bytes());
        extra.extend_from_slice(&(6u64 << 32).to_le_bytes());
        let mut large = Large::of(&extra);
        assert_eq!(large.value(u32::MAX), 5 << 32);
        assert_eq!(large.value(7), 7);
        assert_eq!(large.value(u32::MAX), 6 << 32);
        assert_eq!(large.value(u32::MAX), u64::from(u32::MAX));
    }
}
