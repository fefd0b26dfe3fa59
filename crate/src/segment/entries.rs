//! Entries in the content of a block: keys share the beginning that they have in common with the one before.
//!
//!   content := entry* start:u32* entries:u32
//!   entry   := shared:varint own:varint value:varint own_key_bytes value_bytes
//! Every sixteenth entry shares nothing, and its offset is one of the starts, so that a key or a number is found
//! without reading all that is before it.

use crate::codec::{Reader, push_varint, shared_bytes};
use crate::limits::SEGMENT_KEY_BYTES_MAX;

const STRIDE: usize = 16;

/// Makes the content of a block.
#[derive(Default)]
pub struct EntriesBuilder {
    bytes: Vec<u8>,
    starts: Vec<u32>,
    count: usize,
    last_key: Vec<u8>,
}

impl EntriesBuilder {
    pub fn push(&mut self, key: &[u8], value: &[u8]) {
        let mut shared = 0;
        if self.count.is_multiple_of(STRIDE) {
            self.starts
                .push(u32::try_from(self.bytes.len()).unwrap_or(u32::MAX));
        } else {
            shared = shared_bytes(&self.last_key, key);
        }
        push_varint(&mut self.bytes, shared as u64);
        push_varint(&mut self.bytes, (key.len() - shared) as u64);
        push_varint(&mut self.bytes, value.len() as u64);
        self.bytes.extend_from_slice(&key[shared..]);
        self.bytes.extend_from_slice(value);
        self.last_key.truncate(shared);
        self.last_key.extend_from_slice(&key[shared..]);
        self.count += 1;
    }

    pub fn len(&self) -> usize {
        self.count
    }

    pub fn last_key(&self) -> &[u8] {
        &self.last_key
    }

    /// Bytes that the content has by now, and would have at most with one more entry of so many.
    pub fn bytes_with(&self, entry_bytes: usize) -> usize {
        self.bytes.len() + 4 * (self.starts.len() + 2) + 15 + entry_bytes
    }

    /// The content; what follows is of the next block.
    pub fn take(&mut self) -> Vec<u8> {
        let room = Vec::with_capacity(self.bytes.capacity());
        let mut content = std::mem::replace(&mut self.bytes, room);
        for start in self.starts.drain(..) {
            content.extend(start.to_le_bytes());
        }
        let count = u32::try_from(self.count).unwrap_or(u32::MAX);
        content.extend(count.to_le_bytes());
        self.count = 0;
        self.last_key.clear();
        content
    }
}

/// The content of a block that was read.
pub struct Entries {
    content: Vec<u8>,
    count: usize,
    /// Where the starts begin, and the entries end.
    starts_at: usize,
}

impl Entries {
    /// `None` where this is no such content. What is wrong within an entry is found when that is read.
    pub fn new(content: Vec<u8>) -> Option<Entries> {
        let (rest, count) = content.split_last_chunk::<4>()?;
        let count = usize::try_from(u32::from_le_bytes(*count)).ok()?;
        let starts_at = rest.len().checked_sub(4 * count.div_ceil(STRIDE))?;
        Some(Entries {
            content,
            count,
            starts_at,
        })
    }

    pub fn len(&self) -> usize {
        self.count
    }

    pub fn bytes(&self) -> usize {
        self.content.len()
    }

    fn start(&self, n: usize) -> Option<usize> {
        let at = self.starts_at + 4 * n;
        let bytes = self.content.get(at..at + 4)?.try_into().ok()?;
        let start = usize::try_from(u32::from_le_bytes(bytes)).ok()?;
        (start < self.starts_at).then_some(start)
    }

    fn runs(&self) -> usize {
        self.count.div_ceil(STRIDE)
    }

    /// The entry that begins at a byte.
    fn stored(&self, at: usize) -> Result<Stored<'_>, Malformed> {
        let bytes = self.content.get(at..self.starts_at).ok_or(Malformed)?;
        let (lengths, behind) = match bytes {
            // Nearly all lengths are short.
            [shared, own, value, behind @ ..] if (shared | own | value) < 0x80 => {
                let lengths = [shared, own, value].map(|byte| usize::from(*byte));
                (lengths, behind)
            }
            _ => long_lengths(bytes).ok_or(Malformed)?,
        };
        let [shared, own, value] = lengths;
        let (own, behind) = behind.split_at_checked(own).ok_or(Malformed)?;
        if value > behind.len() {
            return Err(Malformed);
        }
        let value_at = self.starts_at - behind.len();
        if shared.saturating_add(own.len()) > SEGMENT_KEY_BYTES_MAX {
            return Err(Malformed);
        }
        Ok(Stored {
            shared,
            own,
            value: (value_at, value_at + value),
        })
    }

    /// The last run that begins below a key, or the first one.
    fn run_of(&self, key: &[u8]) -> Result<usize, Malformed> {
        let (mut from, mut to) = (0, self.runs());
        while to - from > 1 {
            let middle = from.midpoint(to);
            let first = self.stored(self.start(middle).ok_or(Malformed)?)?;
            if first.shared > 0 {
                return Err(Malformed);
            }
            if first.own < key {
                from = middle;
            } else {
                to = middle;
            }
        }
        Ok(from)
    }

    /// Looks for the first entry whose key is not below `key`. A key is compared as far as it is another than that of
    /// the entry before, and none is put together.
    fn sought(&self, key: &[u8]) -> Result<Sought<'_>, Malformed> {
        let mut sought = Sought {
            index: 0,
            found: None,
            before: None,
        };
        if self.count == 0 {
            return Ok(sought);
        }
        let run = self.run_of(key)?;
        sought.index = run * STRIDE;
        let mut at = self.start(run).ok_or(Malformed)?;
        // How long the key before is, and how much of it is as it is looked for.
        let (mut length, mut alike) = (0, 0);
        while sought.index < self.count {
            let entry = self.stored(at)?;
            if entry.shared > length {
                return Err(Malformed);
            }
            if entry.shared <= alike {
                let wanted = &key[entry.shared..];
                let more = shared_bytes(entry.own, wanted);
                let is_below = match (entry.own.get(more), wanted.get(more)) {
                    (_, None) => false,
                    (None, Some(_)) => true,
                    (Some(byte), Some(wanted)) => byte < wanted,
                };
                if !is_below {
                    sought.found = Some(entry);
                    return Ok(sought);
                }
                alike = entry.shared + more;
            }
            length = entry.shared + entry.own.len();
            at = entry.value.1;
            sought.before = Some(entry);
            sought.index += 1;
        }
        Ok(sought)
    }

    /// The value of the last entry whose key is below `key`, or of the first entry.
    pub fn value_before(&self, key: &[u8]) -> Result<&[u8], Malformed> {
        let sought = self.sought(key)?;
        let entry = sought.before.or(sought.found).ok_or(Malformed)?;
        self.content
            .get(entry.value.0..entry.value.1)
            .ok_or(Malformed)
    }
}

/// The three lengths of an entry, and what is behind them.
fn long_lengths(bytes: &[u8]) -> Option<([usize; 3], &[u8])> {
    let mut reader = Reader::new(bytes);
    let mut lengths = [0; 3];
    for length in &mut lengths {
        *length = usize::try_from(reader.varint()?).ok()?;
    }
    Some((lengths, &bytes[bytes.len() - reader.left()..]))
}

/// An entry as it stands in a block; the next one begins where its value ends.
struct Stored<'a> {
    shared: usize,
    own: &'a [u8],
    value: (usize, usize),
}

struct Sought<'a> {
    /// Of the entry that was found; how many there are where none was.
    index: usize,
    found: Option<Stored<'a>>,
    /// The entry before it in its run.
    before: Option<Stored<'a>>,
}

/// Stands at one entry of a block.
#[derive(Clone, Default)]
pub struct Walk {
    index: usize,
    key: Vec<u8>,
    value: (usize, usize),
    /// Where the next entry begins.
    next: usize,
}

/// The content is none that a writer of this version makes.
#[derive(Debug)]
pub struct Malformed;

impl Walk {
    pub fn index(&self) -> usize {
        self.index
    }

    pub fn key(&self) -> &[u8] {
        &self.key
    }

    pub fn value<'a>(&self, entries: &'a Entries) -> &'a [u8] {
        entries
            .content
            .get(self.value.0..self.value.1)
            .unwrap_or_default()
    }

    /// Goes to an entry that there is.
    pub fn go_to(&mut self, entries: &Entries, index: usize) -> Result<(), Malformed> {
        self.begin(entries, index / STRIDE)?;
        while self.index < index {
            self.step(entries)?;
        }
        Ok(())
    }

    /// Goes to the next entry; false where this was the last one.
    pub fn go_on(&mut self, entries: &Entries) -> Result<bool, Malformed> {
        if self.index + 1 >= entries.count {
            return Ok(false);
        }
        self.step(entries)?;
        Ok(true)
    }

    /// Goes to the first entry whose key is not below `key`; false where all are.
    pub fn seek(&mut self, entries: &Entries, key: &[u8]) -> Result<bool, Malformed> {
        let sought = entries.sought(key)?;
        let Some(found) = sought.found else {
            return match entries.count.checked_sub(1) {
                Some(last) => self.go_to(entries, last).map(|()| false),
                None => Ok(false),
            };
        };
        // What it shares with the entry before is as it is looked for.
        self.key.clear();
        self.key.reserve(found.shared + found.own.len());
        self.key.extend_from_slice(&key[..found.shared]);
        self.key.extend_from_slice(found.own);
        self.index = sought.index;
        (self.value, self.next) = (found.value, found.value.1);
        Ok(true)
    }

    /// Goes to the last entry that is as told, which none behind one is that is not; to the first where none is.
    pub fn go_to_last(
        &mut self,
        entries: &Entries,
        is_so: impl Fn(&Walk) -> bool,
    ) -> Result<(), Malformed> {
        let (mut from, mut to) = (0, entries.runs());
        while to - from > 1 {
            let middle = from.midpoint(to);
            self.begin(entries, middle)?;
            if is_so(self) {
                from = middle;
            } else {
                to = middle;
            }
        }
        self.begin(entries, from)?;
        let mut at = self.index;
        while self.go_on(entries)? && is_so(self) {
            at = self.index;
        }
        if self.index > at {
            self.go_to(entries, at)?;
        }
        Ok(())
    }

    fn begin(&mut self, entries: &Entries, start: usize) -> Result<(), Malformed> {
        self.next = entries.start(start).ok_or(Malformed)?;
        self.key.clear();
        self.index = start * STRIDE;
        self.read(entries)
    }

    fn step(&mut self, entries: &Entries) -> Result<(), Malformed> {
        self.index += 1;
        self.read(entries)
    }

    fn read(&mut self, entries: &Entries) -> Result<(), Malformed> {
        let stored = entries.stored(self.next)?;
        if stored.shared > self.key.len() {
            return Err(Malformed);
        }
        self.key.truncate(stored.shared);
        self.key.extend_from_slice(stored.own);
        (self.value, self.next) = (stored.value, stored.value.1);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_entry_is_found_by_number_and_by_key() {
        for count in [0usize, 1, 2, 15, 16, 17, 33, 200] {
            let mut builder = EntriesBuilder::default();
            let keys: Vec<Vec<u8>> = (0..count)
                .map(|n| format!("org,example)/path/{:05}", n * 2).into_bytes())
                .collect();
            for (n, key) in keys.iter().enumerate() {
                builder.push(key, &vec![b'v'; n % 5]);
            }
            let entries = Entries::new(builder.take()).expect("entries");
            assert_eq!(entries.len(), count);
            let mut walk = Walk::default();
            for (n, key) in keys.iter().enumerate() {
                walk.go_to(&entries, n).expect("an entry");
                assert_eq!(walk.key(), key);
                assert_eq!(walk.value(&entries).len(), n % 5);
                assert!(walk.seek(&entries, key).expect("sound"));
                assert_eq!(walk.index(), n);
                walk.go_to_last(&entries, |walk| walk.key() <= key.as_slice())
                    .expect("sound");
                assert_eq!(walk.index(), n);
                assert_eq!(walk.key(), key);
                let between = format!("org,example)/path/{:05}", n * 2 + 1);
                let is_there = walk.seek(&entries, between.as_bytes()).expect("sound");
                assert_eq!(is_there, n + 1 < count);
                assert!(!is_there || walk.index() == n + 1);
            }
        }
    }

    #[test]
    fn content_that_no_writer_makes_is_refused_where_it_is_read() {
        let mut builder = EntriesBuilder::default();
        for n in 0..40u8 {
            builder.push(&[b'k', n], &[n; 3]);
        }
        let content = builder.take();
        for at in 0..content.len() {
            for byte in [0, 1, 0x7f, 0x80, 0xff] {
                let mut bad = content.clone();
                bad[at] = byte;
                let Some(entries) = Entries::new(bad) else {
                    continue;
                };
                let mut walk = Walk::default();
                let _ = walk.seek(&entries, &[b'k', 20]);
                if entries.len() > 0 && walk.go_to(&entries, 0).is_ok() {
                    while let Ok(true) = walk.go_on(&entries) {}
                }
            }
        }
    }
}
