//! Gives space back: live records move out of extents that hold little of them, pages are packed and move to the
//! front of the file.
//!
//! Every step leaves a whole store, and what a commit kept of it stays done: a compaction that was cut off begins
//! again and finds less to do. Others may change the store between its steps.

use std::collections::{HashMap, VecDeque};

use super::extent::{HEADER_BYTES, Kind, Parts, Reference};
use super::hash::{Change, Cursor, Found};
use super::leaf::Value;
use super::records::{Stop, Store};
use super::scanner::{Scanned, Scanner};
use super::tables::Logical;

/// Extents of which more than this share is of no use are written anew.
const WASTE_PERCENT: u64 = 20;
/// Buckets are merged as long as entries take less than this share of their room.
const LOAD_PERCENT: u64 = 88;
/// So many bytes are moved before what was done is committed.
const COMMIT_BYTES: u64 = 32 << 20;
/// Rows of the index that are looked at together.
const ROWS: usize = 64;
/// Pages move to the front at most so often; what one pass frees the next can use.
const PASSES: usize = 4;

/// An extent as the host finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtentFile {
    pub file: u32,
    pub bytes: u64,
}

/// What the host does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    More,
    /// Commits, removes the extents that can be, and cuts the file of pages.
    Commit,
    Done,
}

/// How far a compaction has come.
pub struct Compaction {
    files: Vec<ExtentFile>,
    live: HashMap<u32, u64>,
    /// Extents to be emptied.
    chosen: Vec<u32>,
    stage: Stage,
    cursor: Cursor,
    rows: VecDeque<Found>,
    /// Of a value by parts that is on its way: where its parts stand by now.
    places: Vec<(u32, u32)>,
    moved: u64,
    behind: Vec<Logical>,
}

enum Stage {
    Weigh,
    Choose,
    Move,
    Removals(usize, Scanner),
    Merge,
    Repack(u32),
    Advance(usize),
    Done,
}

impl Compaction {
    /// With the extents that there are.
    pub fn new(files: Vec<ExtentFile>) -> Compaction {
        Compaction {
            files,
            live: HashMap::new(),
            chosen: Vec::new(),
            stage: Stage::Weigh,
            cursor: Cursor::default(),
            rows: VecDeque::new(),
            places: Vec::new(),
            moved: 0,
            behind: Vec::new(),
        }
    }
}

impl Store {
    pub fn compact(&mut self, state: &mut Compaction) -> Result<Step, Stop> {
        self.make_room()?;
        match state.stage {
            Stage::Weigh => {
                if self.next_row(state)? {
                    self.weigh(state)?;
                } else {
                    state.stage = Stage::Choose;
                }
            }
            Stage::Choose => self.choose_extents(state),
            Stage::Move => {
                if state.moved > COMMIT_BYTES {
                    state.moved = 0;
                    return Ok(Step::Commit);
                }
                if self.next_row(state)? {
                    self.move_row(state)?;
                } else {
                    state.stage = self.removals_of(state, 0);
                }
            }
            Stage::Removals(at, scanner) => return self.keep_removals(state, at, scanner),
            Stage::Merge => match self.index.merge_to(&mut self.pager, LOAD_PERCENT)? {
                Some(Change::MustSpill) => return Err(Stop::MustSpill),
                Some(_) => {
                    self.index.open.clear();
                    state.stage = Stage::Repack(0);
                }
                None => {}
            },
            Stage::Repack(bucket) if bucket < self.index.buckets() => {
                let repacked = self.index.repack(&mut self.pager, bucket)?;
                if repacked == Some(Change::MustSpill) {
                    return Err(Stop::MustSpill);
                }
                state.stage = Stage::Repack(bucket + 1);
            }
            Stage::Repack(_) => {
                state.stage = Stage::Advance(0);
                return Ok(Step::Commit);
            }
            Stage::Advance(pass) => return self.advance(state, pass),
            Stage::Done => return Ok(Step::Done),
        }
        Ok(Step::More)
    }

    /// Makes the next row that refers to an extent the first of the rows; false at the end of the index.
    fn next_row(&mut self, state: &mut Compaction) -> Result<bool, Stop> {
        while state.rows.is_empty() {
            let index = &self.index;
            let found = index.scan(&mut self.pager.reading(), &mut state.cursor, ROWS)?;
            if found.is_empty() {
                state.cursor = Cursor::default();
                return Ok(false);
            }
            let referring = found.into_iter().filter(|row| row.is_reference);
            state.rows.extend(referring);
        }
        Ok(true)
    }

    fn weigh(&self, state: &mut Compaction) -> Result<(), Stop> {
        if let Some(reference) = state.rows.front().and_then(reference_of) {
            let mut weigh = |file: u32, bytes: u64| *state.live.entry(file).or_default() += bytes;
            if reference.is_parts {
                let parts = self.parts_of(&reference)?;
                for span in (0..parts.len()).filter_map(|n| parts.span(n)) {
                    weigh(span.file, u64::from(span.length));
                }
            }
            weigh(reference.span.file, u64::from(reference.span.length));
        }
        state.rows.pop_front();
        Ok(())
    }

    fn parts_of(&self, reference: &Reference) -> Result<Parts, Stop> {
        let record = self.record(reference.span)?;
        let parts = (record.kind == Kind::Parts).then(|| Parts::decode(record.body));
        parts.flatten().ok_or(Stop::Damaged(reference.span))
    }

    fn choose_extents(&mut self, state: &mut Compaction) {
        for extent in &state.files {
            let live = state.live.get(&extent.file).copied().unwrap_or(0);
            let waste = extent.bytes.saturating_sub(live + u64::from(HEADER_BYTES));
            let is_wasteful = waste * 100 > extent.bytes * WASTE_PERCENT;
            // The extent behind the tail is one of a commit that never was.
            if (is_wasteful || live == 0) && extent.file <= self.extents.tail.file {
                state.chosen.push(extent.file);
            }
        }
        if state.chosen.contains(&self.extents.tail.file) {
            self.extents.begin_another();
        }
        state.stage = if state.chosen.is_empty() {
            Stage::Merge
        } else {
            Stage::Move
        };
    }

    /// Moves one record, or one part of a value, if it stands in an extent that is to be emptied.
    fn move_row(&mut self, state: &mut Compaction) -> Result<(), Stop> {
        let Some((row, reference)) = state
            .rows
            .front()
            .and_then(|row| reference_of(row).map(|reference| (row, reference)))
        else {
            state.rows.pop_front();
            return Ok(());
        };
        let is_chosen = |file: &u32| state.chosen.contains(file);
        let generation = self.pager.generation() + 1;
        let body;
        let key_bytes;
        if reference.is_parts {
            let parts = self.parts_of(&reference)?;
            let is_concerned = parts.places().iter().any(|(file, _)| is_chosen(file));
            if !is_concerned && !is_chosen(&reference.span.file) {
                state.rows.pop_front();
                return Ok(());
            }
            if let Some(span) = parts.span(state.places.len()) {
                if self.extents.must_spill() {
                    return Err(Stop::MustSpill);
                }
                let mut place = (span.file, span.offset);
                if is_chosen(&span.file) {
                    let part = self.record(span)?.body.to_vec();
                    let moved = self.extents.append(Kind::Part, generation, 0, &part, &[]);
                    place = (moved.file, moved.offset);
                    state.moved += u64::from(span.length);
                }
                state.places.push(place);
                return Ok(());
            }
            key_bytes = self.record(reference.span)?.key_bytes;
            body = Parts::encode(parts.bytes, &state.places);
        } else {
            if !is_chosen(&reference.span.file) {
                state.rows.pop_front();
                return Ok(());
            }
            let record = self.record(reference.span)?;
            key_bytes = record.key_bytes;
            body = record.body.to_vec();
        }
        let key = if row.is_digest {
            self.key_of(&reference)?
        } else {
            row.key.clone()
        };
        let hashed = self.index.hashed(&key);
        // Meanwhile it may have been changed.
        if self.reference(&key)? == Some(reference) {
            let moved = Reference {
                span: self.extents.place(body.len()),
                ..reference
            };
            self.refer(&hashed, moved)?;
            let kind = if reference.is_parts {
                Kind::Parts
            } else {
                Kind::Put
            };
            self.extents.append(kind, generation, key_bytes, &body, &[]);
            state.moved += body.len() as u64;
        }
        state.places.clear();
        state.rows.pop_front();
        Ok(())
    }

    /// Where the value of a key stands, if that is in an extent.
    pub(super) fn reference(&mut self, key: &[u8]) -> Result<Option<Reference>, Stop> {
        let mut reading = self.pager.reading();
        let found = self.index.get(&mut reading, &self.index.hashed(key))?;
        let value = found.and_then(|found| found.value(&self.pager));
        Ok(value.and_then(|value| Reference::of(&value)))
    }

    /// Looks for removals in the chosen extent of that number, or goes on.
    fn removals_of(&self, state: &Compaction, at: usize) -> Stage {
        match state.chosen.get(at) {
            Some(file) => Stage::Removals(at, Scanner::new(*file)),
            None => Stage::Merge,
        }
    }

    /// A removal is kept as long as an extent before it may hold what it removed.
    fn keep_removals(
        &mut self,
        state: &mut Compaction,
        at: usize,
        mut scanner: Scanner,
    ) -> Result<Step, Stop> {
        let file = state.chosen[at];
        let stays = |extent: &ExtentFile| !state.chosen.contains(&extent.file);
        let is_needed = state
            .files
            .iter()
            .any(|extent| extent.file < file && stays(extent));
        let scanned = if is_needed {
            scanner.next(&self.extents)?
        } else {
            Scanned::End
        };
        match scanned {
            Scanned::End => {
                self.give_up(file);
                state.stage = self.removals_of(state, at + 1);
                if matches!(state.stage, Stage::Merge) {
                    return Ok(Step::Commit);
                }
                return Ok(Step::More);
            }
            Scanned::Damage(_) => {}
            Scanned::Record(span) => {
                let record = scanner.record(&self.extents, span);
                if let Some(record) = record.filter(|record| record.kind == Kind::Remove) {
                    let key = record.body.to_vec();
                    if self.reference(&key)?.is_none() {
                        if self.extents.must_spill() {
                            return Err(Stop::MustSpill);
                        }
                        self.append_removal(&key);
                    }
                }
            }
        }
        state.stage = Stage::Removals(at, scanner);
        Ok(Step::More)
    }

    /// Moves pages from the end of the file to places that are free before them.
    fn advance(&mut self, state: &mut Compaction, pass: usize) -> Result<Step, Stop> {
        if state.behind.is_empty() {
            state.behind = self.pager.behind_free_places();
            state.behind.retain(|page| self.pager.would_advance(*page));
            if state.behind.is_empty() || pass == PASSES {
                state.stage = Stage::Done;
                return Ok(Step::Commit);
            }
        }
        while let Some(page) = state.behind.last() {
            if self.pager.would_advance(*page) {
                if !self.pager.has_room(1) || self.pager.must_spill() {
                    return Err(Stop::MustSpill);
                }
                self.pager.read(*page)?;
                self.pager.write(*page)?;
            }
            state.behind.pop();
        }
        state.stage = Stage::Advance(pass + 1);
        Ok(Step::Commit)
    }
}

fn reference_of(row: &Found) -> Option<Reference> {
    Reference::of(&Value {
        bytes: &row.value,
        is_reference: row.is_reference,
    })
}
