//! The index of an archive: segments of its records, and those that are not in one yet.

use std::ops::Range;

use super::columns::{
    self, Column, Locator, ROWS, entry_value, key_of, read_row, row_of, row_value,
};
use super::groups::{self, Group, Grouping};
use super::merged::Merged;
use super::merging::{ENTRIES_A_STEP, Merging};
use super::nearest::{self, Asked, Capture};
use super::tiers;
use crate::codec::{Reader, Writer};
use crate::row::Row;
use crate::segment::{Blocks, Check, Cursor, Draft, GramsWanted, Kind, Rank, Segment, Stop};

/// A draft of so many bytes is worth a segment.
const DRAFT_BYTES: usize = 8 << 20;

/// Takes the number, URL and value of a row, and says whether it wants more; nothing of one that is damaged.
type Visit<'a> = dyn FnMut(u64, &[u8], &[u8]) -> Option<bool> + 'a;

/// A segment of the index, by its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    pub file: u32,
    pub bytes: u64,
    pub rows: u64,
}

/// The segments of an index, in order: all that has to be kept besides their files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    pub parts: Vec<Part>,
}

impl Manifest {
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new();
        for part in &self.parts {
            out.varint(u64::from(part.file));
            out.varint(part.bytes);
            out.varint(part.rows);
        }
        out.finish()
    }

    pub fn read(bytes: &[u8]) -> Option<Manifest> {
        let mut reader = Reader::new(bytes);
        let mut parts = Vec::new();
        while !reader.is_empty() {
            parts.push(Part {
                file: u32::try_from(reader.varint()?).ok()?,
                bytes: reader.varint()?,
                rows: reader.varint()?,
            });
        }
        Some(Manifest { parts })
    }
}

/// Which entries of a column are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    pub from: u64,
    pub count: usize,
    /// Counted from the end, and told from there.
    pub is_descending: bool,
}

/// How far a check of all segments is.
#[derive(Default)]
pub struct IndexCheck {
    segment: usize,
    check: Check,
}

/// Where in the groups of records one is, that are told of together. Segments may become one on the way.
#[derive(Default)]
pub struct RowGroups {
    /// The next record.
    row: u64,
    /// In the segment of this file, the next group, and records of it before that group.
    file: Option<u32>,
    group: u64,
    rows: u64,
}

struct Held {
    part: Part,
    first_row: u64,
    segment: Segment,
}

pub struct Index {
    held: Vec<Held>,
    draft: Draft,
    draft_rows: u64,
    merging: Merging,
}

impl Default for Index {
    fn default() -> Index {
        Index::new()
    }
}

impl Index {
    pub fn new() -> Index {
        Index {
            held: Vec::new(),
            draft: Draft::new(&columns::sections()),
            draft_rows: 0,
            merging: Merging::default(),
        }
    }

    /// Opens the index that a manifest tells of.
    pub fn open(manifest: &Manifest, blocks: &mut Blocks) -> Result<Index, Stop> {
        let mut index = Index::new();
        for part in &manifest.parts {
            index.adopt(*part, blocks)?;
        }
        Ok(index)
    }

    pub fn manifest(&self) -> Manifest {
        Manifest {
            parts: self.held.iter().map(|held| held.part).collect(),
        }
    }

    /// Records of the index, those included that are in no segment yet.
    pub fn rows(&self) -> u64 {
        self.kept_rows() + self.draft_rows
    }

    /// Records that are in segments.
    pub fn kept_rows(&self) -> u64 {
        self.held
            .last()
            .map_or(0, |held| held.first_row + held.part.rows)
    }

    /// Bytes of the segments' files.
    pub fn bytes(&self) -> u64 {
        self.held.iter().map(|held| held.part.bytes).sum()
    }

    // Growing

    /// Adds a record behind the others, with the key of its URL. False where a segment takes none so long.
    pub fn push(&mut self, row: &Row, url_key: &[u8], part: u64) -> bool {
        let number = self.rows();
        let value = row_value(row, part);
        if !self.draft.push(0, &row.url, &value) {
            return false;
        }
        for (n, column) in Column::ALL.into_iter().enumerate() {
            let entry = entry_value(column, row, number, part);
            self.draft
                .push(n + 1, &key_of(column, row, url_key), &entry);
        }
        self.draft_rows += 1;
        true
    }

    /// Whether what is in no segment has become so much that it should be.
    pub fn is_full(&self) -> bool {
        self.draft.bytes() >= DRAFT_BYTES
    }

    /// The file of a segment of what is in none yet; empty where there is nothing. `adopt` it when it is written.
    pub fn flush(&mut self, id: u64) -> Vec<u8> {
        if self.draft_rows == 0 {
            return Vec::new();
        }
        self.draft_rows = 0;
        self.draft.take(id)
    }

    /// Takes a segment as the next one.
    pub fn adopt(&mut self, part: Part, blocks: &mut Blocks) -> Result<(), Stop> {
        let segment = Segment::open(part.file, part.bytes, blocks)?;
        self.held.push(Held {
            part,
            first_row: self.kept_rows(),
            segment,
        });
        Ok(())
    }

    /// Begins to make fewer segments, where there are too many, or one where all are to be together.
    pub fn begin_merge(&mut self, id: u64, is_all: bool) -> bool {
        let rows: Vec<u64> = self.held.iter().map(|held| held.part.rows).collect();
        let range = if is_all {
            (rows.len() > 1).then_some(0..rows.len())
        } else {
            tiers::next(&rows)
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

    /// Bytes to append to the new segment's file.
    pub fn take_merged(&mut self) -> Vec<u8> {
        self.merging.take()
    }

    /// How many there are.
    pub fn waiting(&self) -> usize {
        self.merging.waiting()
    }

    /// The new segment is written: it stands in place of those that it was made of, whose files are of no use once the
    /// manifest is kept.
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
        let replaced = &self.held[range.clone()];
        let rows = replaced.iter().map(|held| held.part.rows).sum();
        let first_row = replaced.first().map_or(0, |held| held.first_row);
        let held = Held {
            part: Part { file, bytes, rows },
            first_row,
            segment,
        };
        let at = range.start;
        let replaced = self.held.drain(range).map(|held| held.part.file);
        let files: Vec<u32> = replaced.collect();
        self.held.insert(at, held);
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

    // Reading

    /// Calls `visit` with the number, part and row of records in their order in the files, until it returns false.
    /// As where something is missing all of it is done again, it should not be many: all that they need must be resident
    /// together. So it is with windows and groups.
    pub fn visit_rows(
        &self,
        from: u64,
        blocks: &mut Blocks,
        mut visit: impl FnMut(u64, u64, Row) -> bool,
    ) -> Result<(), Stop> {
        self.visit_entries(from, blocks, &mut |number, url, value| {
            let (row, part) = read_row(url, value)?;
            Some(visit(number, part, row))
        })
    }

    /// Calls `visit` with the number and URL of records, as `visit_rows` does.
    pub fn visit_urls(
        &self,
        from: u64,
        blocks: &mut Blocks,
        mut visit: impl FnMut(u64, &[u8]) -> bool,
    ) -> Result<(), Stop> {
        self.visit_entries(from, blocks, &mut |number, url, _| Some(visit(number, url)))
    }

    /// Goes on from `next` through groups of records that follow each other; `visit` is told those whose URLs may hold
    /// what is wanted. True when there are no more.
    pub fn visit_may_hold(
        &self,
        wanted: &GramsWanted,
        next: &mut RowGroups,
        blocks: &mut Blocks,
        visit: &mut dyn FnMut(Range<u64>),
    ) -> Result<bool, Stop> {
        let row = next.row;
        let is_ahead = |held: &&Held| held.first_row + held.part.rows > row;
        let Some(held) = self.held.iter().find(is_ahead) else {
            // What is in no segment may hold anything.
            visit(row..self.rows());
            return Ok(true);
        };
        let Held {
            part,
            first_row,
            segment,
        } = held;
        if next.file != Some(part.file) {
            *next = RowGroups {
                row,
                file: Some(part.file),
                ..RowGroups::default()
            };
        }
        let end = first_row + part.rows;
        if let Some(section) = segment.grams(ROWS) {
            let mut cursor = Cursor::new(section, next.group);
            for _ in 0..ENTRIES_A_STEP {
                let Some((_, value)) = cursor.read(segment, blocks)? else {
                    break;
                };
                let damaged = Stop::Damaged(segment.whole());
                let (rows, may_hold) = wanted.ask(value).ok_or(damaged)?;
                let behind = first_row + next.rows;
                let behind = behind.checked_add(rows).filter(|behind| *behind <= end);
                let behind = behind.ok_or(damaged)?;
                if may_hold && behind > next.row {
                    visit(next.row..behind);
                }
                next.row = next.row.max(behind);
                next.rows += rows;
                next.group += 1;
                cursor.go_on();
            }
            if next.group < section.entries {
                return Ok(false);
            }
        }
        // Of what it does not tell anything is thought.
        visit(next.row..end);
        next.row = end;
        Ok(false)
    }

    /// Writes records from a number on as the table of records takes them back, each as `Row::write` has it with its
    /// part before it; `told` counts them. Where something is missing, it goes on behind what is told.
    pub fn tell_stored(
        &self,
        from: u64,
        count: u64,
        told: &mut u64,
        out: &mut Writer,
        blocks: &mut Blocks,
    ) -> Result<(), Stop> {
        if *told >= count {
            return Ok(());
        }
        self.visit_entries(from + *told, blocks, &mut |_, url, value| {
            out.raw(value);
            out.bytes(url);
            *told += 1;
            Some(*told < count)
        })
    }

    /// Goes through the rows from a number on.
    fn visit_entries(
        &self,
        from: u64,
        blocks: &mut Blocks,
        visit: &mut Visit<'_>,
    ) -> Result<(), Stop> {
        let mut number = from;
        let first = self
            .held
            .partition_point(|held| held.first_row + held.part.rows <= from);
        for held in &self.held[first..] {
            let Some(section) = held.segment.section(ROWS) else {
                continue;
            };
            let mut cursor = Cursor::new(section, number.saturating_sub(held.first_row));
            while let Some((url, value)) = cursor.read(&held.segment, blocks)? {
                let damaged = Stop::Damaged(held.segment.whole());
                if !visit(number, url, value).ok_or(damaged)? {
                    return Ok(());
                }
                number += 1;
                cursor.go_on();
            }
        }
        let kept = self.kept_rows();
        while let Some((url, value)) = self.draft.entry(0, number.saturating_sub(kept)) {
            if visit(number, url, value) != Some(true) {
                break;
            }
            number += 1;
        }
        Ok(())
    }

    /// Part and row of one record.
    pub fn row(&self, number: u64, blocks: &mut Blocks) -> Result<Option<(u64, Row)>, Stop> {
        let mut found = None;
        self.visit_rows(number, blocks, |_, part, row| {
            found = Some((part, row));
            false
        })?;
        Ok(found)
    }

    /// Entries of a column, and what they weigh.
    pub fn whole(&self, column: Column) -> Rank {
        self.column(column).whole()
    }

    /// What is before a key in a column.
    pub fn rank(&self, column: Column, key: &[u8], blocks: &mut Blocks) -> Result<Rank, Stop> {
        self.column(column).rank(key, blocks)
    }

    /// Numbers of records in the order of a column. Those that are in no segment are not among them.
    pub fn window(
        &self,
        column: Column,
        window: Window,
        blocks: &mut Blocks,
    ) -> Result<Vec<u64>, Stop> {
        let column = self.column(column);
        let count = window.count as u64;
        let (from, count) = if window.is_descending {
            let end = column.whole().entries.saturating_sub(window.from);
            (end.saturating_sub(count), count.min(end))
        } else {
            (window.from, count)
        };
        let mut rows = Vec::new();
        if count > 0 {
            column.visit(from, blocks, |_, value| {
                rows.extend(row_of(value));
                (rows.len() as u64) < count
            })?;
        }
        if window.is_descending {
            rows.reverse();
        }
        Ok(rows)
    }

    /// Captures of a URL, by its key: those nearest to a time first, or the first ones.
    pub fn nearest(
        &self,
        url_key: &[u8],
        asked: Asked,
        blocks: &mut Blocks,
    ) -> Result<Vec<Capture>, Stop> {
        let segments = self.held.iter().map(|held| &held.segment);
        let found = nearest::nearest(segments, url_key, asked, blocks)?;
        let mut captures = Vec::new();
        for (time, value) in found {
            let located = columns::locator(&value);
            let locator = match (located, row_of(&value)) {
                (None, Some(number)) => self.locator(number, blocks)?,
                _ => located,
            };
            captures.extend(locator.map(|locator| Capture { time, locator }));
        }
        Ok(captures)
    }

    /// From the row, where the column of URLs does not tell.
    fn locator(&self, number: u64, blocks: &mut Blocks) -> Result<Option<Locator>, Stop> {
        let row = self.row(number, blocks)?;
        Ok(row.map(|(part, row)| Locator {
            row: number,
            length: row.length,
            part,
            offset: row.offset,
            skip: row.skip,
            kind: row.kind,
            status: row.status,
        }))
    }

    /// Values of a column, as `groups` has them.
    pub fn groups(
        &self,
        column: Column,
        grouping: Grouping<'_>,
        from: &[u8],
        count: usize,
        blocks: &mut Blocks,
    ) -> Result<Vec<Group>, Stop> {
        groups::groups(&self.column(column), grouping, from, count, blocks)
    }

    /// Looks at some entries of the segments. True when all were seen. One that is damaged is not looked at further.
    pub fn check(&self, state: &mut IndexCheck, blocks: &mut Blocks) -> Result<bool, Stop> {
        let Some(Held { part, segment, .. }) = self.held.get(state.segment) else {
            return Ok(true);
        };
        let go_on = |state: &mut IndexCheck| {
            *state = IndexCheck {
                segment: state.segment + 1,
                check: Check::new(),
            };
        };
        let checked = state.check.step(segment, blocks, ENTRIES_A_STEP);
        // Every record has a row, and an entry in each column.
        let is_whole = columns::sections().iter().all(|(name, kind)| {
            let section = segment.section(name);
            section.is_some_and(|section| {
                // Earlier versions tell less of their sections.
                let grams = section.kind.grams;
                section.entries == part.rows && section.kind == Kind { grams, ..*kind }
            })
        });
        match checked {
            Ok(false) => Ok(false),
            Ok(true) => {
                go_on(state);
                if is_whole {
                    Ok(false)
                } else {
                    Err(Stop::Damaged(segment.whole()))
                }
            }
            Err(Stop::Damaged(span)) => {
                go_on(state);
                Err(Stop::Damaged(span))
            }
            missing => missing,
        }
    }

    fn column(&self, column: Column) -> Merged<'_> {
        let segments = self.held.iter().map(|held| &held.segment);
        Merged::new(segments, column.section())
    }
}
