//! A segment that is being gathered: entries in any order, in memory until there are enough of them.

use super::directory::{Kind, Order};
use super::writer::SegmentWriter;
use crate::limits::{SEGMENT_ENTRY_BYTES_MAX, SEGMENT_KEY_BYTES_MAX};

struct Entry {
    at: usize,
    key_bytes: u32,
    value_bytes: u32,
}

struct Part {
    name: &'static [u8],
    kind: Kind,
    entries: Vec<Entry>,
    bytes: Vec<u8>,
}

pub struct Draft {
    parts: Vec<Part>,
}

impl Draft {
    /// With these sections, in this order.
    pub fn new(sections: &[(&'static [u8], Kind)]) -> Draft {
        let parts = sections.iter().map(|(name, kind)| Part {
            name,
            kind: *kind,
            entries: Vec::new(),
            bytes: Vec::new(),
        });
        Draft {
            parts: parts.collect(),
        }
    }

    /// Adds an entry to a section, by its number. False where it is too long.
    pub fn push(&mut self, section: usize, key: &[u8], value: &[u8]) -> bool {
        let Some(part) = self.parts.get_mut(section) else {
            return false;
        };
        if key.len() > SEGMENT_KEY_BYTES_MAX || key.len() + value.len() > SEGMENT_ENTRY_BYTES_MAX {
            return false;
        }
        let length = |bytes: &[u8]| u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        part.entries.push(Entry {
            at: part.bytes.len(),
            key_bytes: length(key),
            value_bytes: length(value),
        });
        part.bytes.extend_from_slice(key);
        part.bytes.extend_from_slice(value);
        true
    }

    /// An entry by its number in the order in which they came.
    pub fn entry(&self, section: usize, number: u64) -> Option<super::cursor::Entry<'_>> {
        let part = self.parts.get(section)?;
        let entry = part.entries.get(usize::try_from(number).ok()?)?;
        let bytes = part.bytes.get(entry.at..)?;
        let (key, rest) = bytes.split_at_checked(entry.key_bytes as usize)?;
        Some((key, rest.get(..entry.value_bytes as usize)?))
    }

    /// Bytes that the entries take in memory.
    pub fn bytes(&self) -> usize {
        let of = |part: &Part| part.bytes.len() + part.entries.len() * size_of::<Entry>();
        self.parts.iter().map(of).sum()
    }

    /// The whole file of a segment with these entries, which are gone from here.
    pub fn take(&mut self, id: u64) -> Vec<u8> {
        let mut writer = SegmentWriter::new(id);
        for part in &mut self.parts {
            let bytes = &part.bytes;
            let key = |entry: &Entry| &bytes[entry.at..entry.at + entry.key_bytes as usize];
            if part.kind.order == Order::ByKey {
                // Entries of the same key stay as they came.
                part.entries.sort_by(|a, b| key(a).cmp(key(b)));
            }
            writer.begin(part.name, part.kind);
            for entry in &part.entries {
                let value_at = entry.at + entry.key_bytes as usize;
                let value = &bytes[value_at..value_at + entry.value_bytes as usize];
                writer.push(key(entry), value);
            }
            part.entries.clear();
            part.bytes.clear();
        }
        writer.finish()
    }
}
