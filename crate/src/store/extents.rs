//! The extents of a store: where the next record goes, what waits to be written, what was read of them.

use super::extent::{Append, HEAD_BYTES, HEADER_BYTES, Kind, Record, Seal, Span};
use super::resident::Resident;
use super::superblock::ROOT_BYTES;
use crate::limits::EXTENT_BYTES_MAX;

/// What waits to be written, beyond which it is written before more comes.
pub const PENDING_BYTES_MAX: usize = 1 << 20;
/// Where in the root the extents' part begins; what is before it is the hash's.
const ROOT_AT: usize = 56;

/// What a commit keeps of the extents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tail {
    /// Where the next record goes; at 0 an extent has not been begun.
    pub file: u32,
    pub offset: u32,
    /// Bytes of records that entries refer to.
    pub live: u64,
    /// Values that are longer than this stand in extents.
    pub inline_bytes_max: u32,
}

impl Tail {
    pub fn from_root(root: &[u8; ROOT_BYTES]) -> Tail {
        let word = |at: usize| root[at..at + 4].try_into().map_or(0, u32::from_le_bytes);
        let live = root[ROOT_AT + 16..ROOT_AT + 24].try_into();
        Tail {
            file: word(ROOT_AT),
            offset: word(ROOT_AT + 4),
            inline_bytes_max: word(ROOT_AT + 8),
            live: live.map_or(0, u64::from_le_bytes),
        }
    }

    pub fn keep(&self, root: &mut [u8; ROOT_BYTES]) {
        let words = [self.file, self.offset, self.inline_bytes_max, 0];
        let bytes = words.iter().flat_map(|word| word.to_le_bytes());
        let bytes = bytes.chain(self.live.to_le_bytes());
        let to = root[ROOT_AT..].iter_mut();
        to.zip(bytes).for_each(|(to, byte)| *to = byte);
    }
}

pub struct Extents {
    seal: Seal,
    pub tail: Tail,
    /// At most one for each extent, in their order.
    pending: Vec<Append>,
    resident: Resident,
    /// Records that no `Commit` follows yet. So it is at first: what a crash left behind the tail must not be taken
    /// for what was committed, and a record over its beginning sees to that.
    is_open: bool,
}

impl Extents {
    pub fn new(salt: [u8; 16], tail: Tail) -> Extents {
        Extents {
            seal: Seal::new(salt),
            tail,
            pending: Vec::new(),
            resident: Resident::default(),
            is_open: tail.file > 0 || tail.offset > 0,
        }
    }

    pub fn seal(&self) -> Seal {
        self.seal
    }

    /// Where a record with so long a body would go.
    pub fn place(&self, body_bytes: usize) -> Span {
        let length = u32::try_from(body_bytes)
            .unwrap_or(u32::MAX)
            .saturating_add(HEAD_BYTES);
        let offset = self.tail.offset.max(HEADER_BYTES);
        // A commit must always fit behind what it commits.
        let end = offset.saturating_add(length).saturating_add(HEAD_BYTES);
        let is_room = end <= EXTENT_BYTES_MAX;
        Span {
            file: self.tail.file + u32::from(!is_room),
            offset: if is_room { offset } else { HEADER_BYTES },
            length,
        }
    }

    pub fn append(
        &mut self,
        kind: Kind,
        generation: u64,
        key_bytes: usize,
        body: &[u8],
        rest: &[u8],
    ) -> Span {
        let span = self.place(body.len() + rest.len());
        let is_begun = span.file == self.tail.file && self.tail.offset > 0;
        if !is_begun {
            self.pending.push(Append {
                file: span.file,
                offset: 0,
                bytes: self.seal.header(span.file),
            });
        } else if self
            .pending
            .last()
            .is_none_or(|last| last.file != span.file)
        {
            self.pending.push(Append {
                file: span.file,
                offset: span.offset,
                bytes: Vec::new(),
            });
        }
        let record = Record {
            kind,
            generation,
            key_bytes,
            body,
        };
        if let Some(last) = self.pending.last_mut() {
            let place = (span.file, span.offset);
            self.seal.record(&mut last.bytes, place, &record, rest);
        }
        self.tail.file = span.file;
        self.tail.offset = span.offset + span.length;
        self.is_open = true;
        span
    }

    /// What follows goes into an extent of its own.
    pub fn begin_another(&mut self) {
        if self.tail.offset > 0 {
            self.tail.file += 1;
            self.tail.offset = 0;
        }
    }

    /// Closes what was appended for this commit, if anything was.
    pub fn close(&mut self, generation: u64) {
        if self.is_open {
            self.append(Kind::Commit, generation, 0, &[], &[]);
            self.is_open = false;
        }
    }

    pub fn pending(&self) -> &[Append] {
        &self.pending
    }

    pub fn must_spill(&self) -> bool {
        self.pending
            .iter()
            .map(|append| append.bytes.len())
            .sum::<usize>()
            >= PENDING_BYTES_MAX
    }

    /// What waited was written.
    pub fn written(&mut self) {
        self.pending.clear();
    }

    /// The bytes of a span, if they are there.
    pub fn read(&self, span: Span) -> Option<&[u8]> {
        let resident = || self.resident.find(span).map(|found| &found.bytes[..]);
        self.waiting(span).or_else(resident)
    }

    fn waiting(&self, span: Span) -> Option<&[u8]> {
        self.pending.iter().find_map(|append| {
            let from = span.offset.checked_sub(append.offset)? as usize;
            let to = from + span.length as usize;
            let bytes = append.bytes.get(from..to)?;
            (append.file == span.file).then_some(bytes)
        })
    }

    /// The record of a span, if that is there: `Some(None)` where it is no record.
    pub fn record(&self, span: Span) -> Option<Option<Record<'_>>> {
        if let Some(bytes) = self.waiting(span) {
            return Some(self.seal.open(span.file, span.offset, bytes));
        }
        let found = self.resident.find(span)?;
        // Its checksum is looked at once: what was sound stays so in memory.
        if found.is_sound.get() {
            return Some(Record::read(&found.bytes));
        }
        let record = self.seal.open(span.file, span.offset, &found.bytes);
        found.is_sound.set(record.is_some());
        Some(record)
    }

    /// Takes in what was read. Gives bytes that are of no more use.
    pub fn take(&mut self, span: Span, bytes: Vec<u8>) -> Vec<u8> {
        self.resident.take(span, bytes)
    }
}
