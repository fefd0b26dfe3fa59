//! Segments that follow each other, the first of them with what is of the first rows, and a draft of the next one.

use super::super::merging::{ENTRIES_A_STEP, Merging};
use super::super::tiers;
use crate::codec::{Reader, Writer};
use crate::segment::{Blocks, Check, Draft, Kind, Segment, Stop};

/// A draft of so many bytes is worth a segment.
const DRAFT_BYTES: usize = 8 << 20;
/// Segments that become one where each may be written again once only.
const ONCE_FAN: usize = 16;

/// A segment of a stack, by its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StackPart {
    pub file: u32,
    pub bytes: u64,
    /// It is of rows below this one, and of none before the end of the part before it.
    pub end: u64,
    /// Entries of its first section.
    pub entries: u64,
    /// How often what is in it was written again.
    pub merges: u64,
}

impl StackPart {
    pub fn write(&self, out: &mut Writer) {
        out.varint(u64::from(self.file));
        out.varint(self.bytes);
        out.varint(self.end);
        out.varint(self.entries);
        out.varint(self.merges);
    }

    pub fn read(reader: &mut Reader<'_>) -> Option<StackPart> {
        Some(StackPart {
            file: u32::try_from(reader.varint()?).ok()?,
            bytes: reader.varint()?,
            end: reader.varint()?,
            entries: reader.varint()?,
            merges: reader.varint()?,
        })
    }
}

struct Held {
    part: StackPart,
    segment: Segment,
}

/// How far a check is.
#[derive(Default)]
pub struct StackCheck {
    part: usize,
    check: Check,
}

pub struct Stack {
    held: Vec<Held>,
    draft: Draft,
    /// What the draft, and what was flushed last, have: bytes are not known yet.
    drafted: StackPart,
    flushed: StackPart,
    merging: Merging,
    /// What is in it is too much to be written more than once again.
    is_heavy: bool,
}

impl Stack {
    pub fn new(sections: &[(&'static [u8], Kind)], is_heavy: bool) -> Stack {
        Stack {
            held: Vec::new(),
            draft: Draft::new(sections),
            drafted: StackPart::default(),
            flushed: StackPart::default(),
            merging: Merging::default(),
            is_heavy,
        }
    }

    pub fn parts(&self) -> impl Iterator<Item = &StackPart> {
        self.held.iter().map(|held| &held.part)
    }

    pub fn segments(&self) -> impl Iterator<Item = &Segment> {
        self.held.iter().map(|held| &held.segment)
    }

    /// The segment in which a row's entries are, if any are kept.
    pub fn segment_of(&self, row: u64) -> Option<&Segment> {
        let at = self.held.partition_point(|held| held.part.end <= row);
        self.held.get(at).map(|held| &held.segment)
    }

    // Growing

    /// Adds an entry of a row, that of the first section counted.
    pub fn push(&mut self, section: usize, row: u64, key: &[u8], value: &[u8]) {
        if self.draft.push(section, key, value) {
            self.drafted.end = row.saturating_add(1);
            self.drafted.entries += u64::from(section == 0);
        }
    }

    pub fn is_full(&self) -> bool {
        self.draft.bytes() >= DRAFT_BYTES
    }

    /// The file of a segment of what is in none yet; empty where there is nothing. `adopt` it when it is written.
    pub fn flush(&mut self, id: u64) -> Vec<u8> {
        if self.drafted.entries == 0 {
            return Vec::new();
        }
        self.flushed = std::mem::take(&mut self.drafted);
        self.draft.take(id)
    }

    pub fn adopt(&mut self, file: u32, bytes: u64, blocks: &mut Blocks) -> Result<(), Stop> {
        let part = StackPart {
            file,
            bytes,
            ..self.flushed
        };
        self.open(part, blocks)
    }

    pub fn open(&mut self, part: StackPart, blocks: &mut Blocks) -> Result<(), Stop> {
        let segment = Segment::open(part.file, part.bytes, blocks)?;
        self.held.push(Held { part, segment });
        Ok(())
    }

    /// Begins to make fewer segments, where there are too many, or as few as may be where nothing more comes and that is
    /// not too much to write.
    pub fn begin_merge(&mut self, id: u64, is_all: bool) -> bool {
        let parts = || self.held.iter().map(|held| held.part);
        let range = if self.is_heavy {
            let from = parts().take_while(|part| part.merges > 0).count();
            let fresh = self.held.len() - from;
            (fresh >= ONCE_FAN).then_some(from..from + ONCE_FAN)
        } else if is_all {
            (self.held.len() > 1).then_some(0..self.held.len())
        } else {
            tiers::next(&parts().map(|part| part.entries).collect::<Vec<_>>())
        };
        let Some(range) = range else {
            return false;
        };
        let segments = self.held.iter().map(|held| &held.segment);
        self.merging.begin(id, range, segments);
        true
    }

    /// Goes on merging; true when all of the new segment is there to be taken.
    pub fn merge(&mut self, blocks: &mut Blocks) -> Result<bool, Stop> {
        self.merging.step(blocks)
    }

    pub fn is_merging(&self) -> bool {
        self.merging.range().is_some()
    }

    /// Bytes to append to the new segment's file.
    pub fn take_merged(&mut self) -> Vec<u8> {
        self.merging.take()
    }

    /// How many there are.
    pub fn waiting(&self) -> usize {
        self.merging.waiting()
    }

    /// The new segment is written: it stands in place of those that it was made of, whose files are told.
    pub fn end_merge(
        &mut self,
        file: u32,
        bytes: u64,
        blocks: &mut Blocks,
    ) -> Result<Vec<u32>, Stop> {
        let Some(range) = self.merging.range() else {
            return Ok(Vec::new());
        };
        let segment = Segment::open(file, bytes, blocks)?;
        let replaced = || self.held[range.clone()].iter().map(|held| held.part);
        let part = StackPart {
            file,
            bytes,
            end: replaced().map(|part| part.end).max().unwrap_or_default(),
            entries: replaced().map(|part| part.entries).sum(),
            merges: 1 + replaced().map(|part| part.merges).max().unwrap_or_default(),
        };
        let at = range.start;
        let replaced = self.held.drain(range).map(|held| held.part.file);
        let files: Vec<u32> = replaced.collect();
        self.held.insert(at, Held { part, segment });
        self.merging.stop();
        for file in &files {
            blocks.forget(*file);
        }
        Ok(files)
    }

    /// Leaves the segments as they are.
    pub fn stop_merge(&mut self) {
        self.merging.stop();
    }

    // Checking

    /// Looks at some entries. True when all were seen. One that is damaged is not looked at further; `is_whole` says
    /// whether a segment has what its part tells.
    pub fn check(
        &self,
        state: &mut StackCheck,
        is_whole: impl Fn(&StackPart, &Segment) -> bool,
        blocks: &mut Blocks,
    ) -> Result<bool, Stop> {
        let Some(Held { part, segment }) = self.held.get(state.part) else {
            return Ok(true);
        };
        let checked = state.check.step(segment, blocks, ENTRIES_A_STEP);
        if let Ok(true) | Err(Stop::Damaged(_)) = checked {
            *state = StackCheck {
                part: state.part + 1,
                check: Check::new(),
            };
        }
        match checked? {
            true if !is_whole(part, segment) => Err(Stop::Damaged(segment.whole())),
            _ => Ok(false),
        }
    }
}
