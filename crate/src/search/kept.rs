//! The search index of an archive: segments that follow each other, the first of them with the words of the first
//! records, and a draft of the next one.

use std::cell::RefCell;
use std::rc::Rc;

use super::draft::{SECTIONS, SORTED, SearchDraft, Totals};
use super::facets::FACETS;
use super::field::Field;
use super::joining::Joining;
use super::spoken::{Hearing, Spoken};
use crate::codec::{Reader, Writer};
use crate::document::Document;
use crate::index::merging::{ENTRIES_A_STEP, Merging};
use crate::index::tiers;
use crate::row::Row;
use crate::segment::{Blocks, Check, Segment, SegmentWriter, Stop};

const VERSION: u64 = 1;
/// A draft of so many bytes is worth a segment. Growing and being written, it takes half as much again.
const DRAFT_BYTES: usize = 14 << 20;
/// Segments are compared by their length in this, the shortest being as one.
const TIER_BYTES: u64 = 4 << 10;

/// A segment of a search index, by its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchPart {
    pub file: u32,
    pub bytes: u64,
    /// It is of rows below this one, and of none before the end of the part before it.
    pub end: u64,
    pub totals: Totals,
}

/// All that has to be kept of a search index besides the files of its segments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchManifest {
    pub parts: Vec<SearchPart>,
}

impl SearchManifest {
    /// Rows below this one are in segments.
    pub fn end(&self) -> u64 {
        self.parts.last().map_or(0, |part| part.end)
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new();
        out.varint(VERSION);
        for part in &self.parts {
            out.varint(u64::from(part.file));
            out.varint(part.bytes);
            out.varint(part.end);
            out.varint(part.totals.documents);
            part.totals
                .words
                .iter()
                .for_each(|words| out.varint(*words));
        }
        out.finish()
    }

    pub fn read(bytes: &[u8]) -> Option<SearchManifest> {
        let mut reader = Reader::new(bytes);
        if reader.varint()? != VERSION {
            return None;
        }
        let mut parts: Vec<SearchPart> = Vec::new();
        while !reader.is_empty() {
            let mut part = SearchPart {
                file: u32::try_from(reader.varint()?).ok()?,
                bytes: reader.varint()?,
                end: reader.varint()?,
                totals: Totals::default(),
            };
            part.totals.documents = reader.varint()?;
            for words in &mut part.totals.words {
                *words = reader.varint()?;
            }
            let begin = parts.last().map_or(0, |last| last.end);
            if part.end < begin || part.end > ROWS_MAX || part.totals.documents > part.end - begin {
                return None;
            }
            parts.push(part);
        }
        Some(SearchManifest { parts })
    }
}

/// Rows are numbers of 32 bits here.
const ROWS_MAX: u64 = u32::MAX as u64;

/// How far a check of all segments is.
#[derive(Default)]
pub struct SearchCheck {
    part: usize,
    check: Check,
}

struct Held {
    part: SearchPart,
    segment: Segment,
}

#[derive(Default)]
pub struct SearchIndex {
    held: Vec<Held>,
    draft: SearchDraft,
    /// The row that comes next, and the rows in the draft.
    next: u64,
    drafted: u64,
    flushed: SearchPart,
    merging: Merging,
    changes: u64,
    hearing: RefCell<Hearing>,
}

impl SearchIndex {
    pub fn new() -> SearchIndex {
        SearchIndex::default()
    }

    pub fn open(manifest: &SearchManifest, blocks: &mut Blocks) -> Result<SearchIndex, Stop> {
        let mut index = SearchIndex::new();
        for part in &manifest.parts {
            index.hold(*part, blocks)?;
        }
        index.next = manifest.end();
        Ok(index)
    }

    pub fn manifest(&self) -> SearchManifest {
        SearchManifest {
            parts: self.held.iter().map(|held| held.part).collect(),
        }
    }

    pub fn files(&self) -> Vec<u32> {
        self.held.iter().map(|held| held.part.file).collect()
    }

    /// Bytes of the segments' files.
    pub fn bytes(&self) -> u64 {
        self.held.iter().map(|held| held.part.bytes).sum()
    }

    /// Rows below this one can be found.
    pub fn end(&self) -> u64 {
        self.held.last().map_or(0, |held| held.part.end)
    }

    /// The row that is to be pushed next.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Changes with the segments: what is read then must be read from the beginning.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Documents that can be found, and words of their fields.
    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        self.held
            .iter()
            .for_each(|held| totals.add(&held.part.totals));
        totals
    }

    /// Which languages their documents are in; nothing while there is more to be read for that.
    pub(super) fn spoken(&self, blocks: &mut Blocks) -> Result<Option<Rc<Spoken>>, Stop> {
        self.hearing.borrow_mut().step(self, blocks)
    }

    /// The segments, those of the first rows first.
    pub fn segments(&self) -> impl Iterator<Item = &Segment> {
        self.held.iter().map(|held| &held.segment)
    }

    pub(super) fn segment(&self, at: usize) -> Option<&Segment> {
        self.held.get(at).map(|held| &held.segment)
    }

    /// The segment in which what is of a row is.
    pub(super) fn segment_of(&self, row: u32) -> usize {
        self.held
            .partition_point(|held| held.part.end <= u64::from(row))
    }

    // Growing

    /// Takes in a row: every one, in their order. False where it is another one than the next, or one too many.
    pub fn push(&mut self, row: u64, record: &Row, document: Option<&Document>) -> bool {
        let number = u32::try_from(row)
            .ok()
            .filter(|_| row < ROWS_MAX && row == self.next);
        let Some(number) = number else {
            return false;
        };
        self.draft.push(number, record, document);
        self.next += 1;
        self.drafted += 1;
        true
    }

    pub fn is_full(&self) -> bool {
        self.draft.bytes() >= DRAFT_BYTES
    }

    /// The file of a segment of what is in none yet; empty where there is nothing. `adopt` it when it is written.
    pub fn flush(&mut self, id: u64) -> Vec<u8> {
        if self.drafted == 0 {
            return Vec::new();
        }
        self.drafted = 0;
        self.flushed = SearchPart {
            end: self.next,
            totals: self.draft.totals(),
            ..SearchPart::default()
        };
        let mut writer = SegmentWriter::new(id);
        self.draft.take(&mut writer);
        writer.finish()
    }

    pub fn adopt(&mut self, file: u32, bytes: u64, blocks: &mut Blocks) -> Result<(), Stop> {
        let part = SearchPart {
            file,
            bytes,
            ..self.flushed
        };
        self.hold(part, blocks)
    }

    fn hold(&mut self, part: SearchPart, blocks: &mut Blocks) -> Result<(), Stop> {
        let segment = Segment::open(part.file, part.bytes, blocks)?;
        self.held.push(Held { part, segment });
        self.changes += 1;
        Ok(())
    }

    /// Begins to make fewer segments, where there are too many, or as few as may be where nothing more comes.
    pub fn begin_merge(&mut self, id: u64, is_all: bool) -> bool {
        let lengths = self.held.iter().map(|held| held.part.bytes / TIER_BYTES);
        let range = if is_all {
            (self.held.len() > 1).then_some(0..self.held.len())
        } else {
            tiers::next(&lengths.collect::<Vec<_>>())
        };
        let Some(range) = range else {
            return false;
        };
        let segments = self.held.iter().map(|held| &held.segment);
        let join = Box::new(Joining::default());
        self.merging.begin_joining(id, range, segments, join);
        true
    }

    pub fn is_merging(&self) -> bool {
        self.merging.range().is_some()
    }

    /// Goes on merging; true when all of the new segment is there to be taken.
    pub fn merge(&mut self, blocks: &mut Blocks) -> Result<bool, Stop> {
        self.merging.step(blocks)
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
        let mut part = SearchPart {
            file,
            bytes,
            ..SearchPart::default()
        };
        for held in &self.held[range.clone()] {
            part.end = held.part.end;
            part.totals.add(&held.part.totals);
        }
        let at = range.start;
        let replaced = self.held.drain(range).map(|held| held.part.file);
        let files: Vec<u32> = replaced.collect();
        self.held.insert(at, Held { part, segment });
        self.merging.stop();
        self.changes += 1;
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

    /// Looks at some entries. True when all were seen. A segment that is damaged is not looked at further.
    pub fn check(&self, state: &mut SearchCheck, blocks: &mut Blocks) -> Result<bool, Stop> {
        let Some(Held { segment, .. }) = self.held.get(state.part) else {
            return Ok(true);
        };
        let checked = state.check.step(segment, blocks, ENTRIES_A_STEP);
        if let Ok(true) | Err(Stop::Damaged(_)) = checked {
            *state = SearchCheck {
                part: state.part + 1,
                check: Check::new(),
            };
        }
        match checked? {
            true if !has_sections(segment) => Err(Stop::Damaged(segment.whole())),
            _ => Ok(false),
        }
    }
}

fn has_sections(segment: &Segment) -> bool {
    segment.section(FACETS).is_some()
        && SECTIONS.iter().all(|name| {
            let section = segment.section(name);
            section.is_some_and(|section| section.kind == SORTED)
        })
}

const _: () = assert!(Field::ALL.len() <= 8);
