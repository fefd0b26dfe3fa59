//! Which of the rows found come first: those of most weight by BM25F, of equal ones the first in the archive.
//!
//!   score  := sum over words of idf * tf * (k1 + 1) / (tf + k1)
//!   tf     := sum over forms and fields of weight * frequency / (1 - b + b * length / mean length)
//!   idf    := ln(1 + (documents - with + 0.5) / (with + 0.5))
//! `with` is how many documents have the word: of each form in the field where most have it, added up, at most all. What
//! is asked for by its beginning counts as found once; a form where the document is in a language in which it is one.
//! Lengths are those that their codes stand for.
//! A piece tells the most that it can weigh: what cannot come among the first is not unpacked. Rows are weighed a stretch
//! at a time, list after list: each piece is unpacked once, and goes beside the rows that are looked for.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::rc::Rc;

use roaring::RoaringBitmap;

use super::draft::Totals;
use super::entry::lengths_of;
use super::field::Field;
use super::finding::Form;
use super::kept::SearchIndex;
use super::lengths::{Codes, STRETCH_ROWS, decoded};
use super::list::List;
use crate::segment::{Blocks, Stop};

const K1: f64 = 1.2;
const B: f64 = 0.75;
/// A form that is not the word that was asked for counts less.
const OTHER_FORM: f64 = 0.6;
/// Stretches of a step.
const BATCHES_A_STEP: usize = 4;
/// Rows of a piece that are passed over at once.
const NEAR_ROWS: usize = 16;

fn field_weight(field: Field) -> f64 {
    match field {
        Field::Text => 1.0,
        Field::Title => 3.0,
        Field::Url => 1.5,
    }
}

/// A row, and what it weighs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    pub row: u32,
    pub score: f64,
}

impl Eq for Hit {}

impl Ord for Hit {
    /// The better one is less.
    fn cmp(&self, other: &Hit) -> Ordering {
        let by_score = other.score.total_cmp(&self.score);
        by_score.then(self.row.cmp(&other.row))
    }
}

impl PartialOrd for Hit {
    fn partial_cmp(&self, other: &Hit) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// What lengths weigh in an index.
pub struct Norms {
    means: [f64; Field::ALL.len()],
}

impl Norms {
    pub fn new(totals: &Totals) -> Norms {
        let documents = totals.documents.max(1) as f64;
        Norms {
            means: totals.words.map(|words| words as f64 / documents),
        }
    }

    /// Of a field that no document has words in there is nothing to be weighed.
    fn of(&self, field: Field, code: u8) -> f64 {
        1.0 - B + B * f64::from(decoded(code)) / self.means[field.place()]
    }
}

/// What a word weighs that so many documents have.
pub fn idf(documents: u64, with: u64) -> f64 {
    let (documents, with) = (documents as f64, with.min(documents) as f64);
    (1.0 + (documents - with + 0.5) / (with + 0.5)).ln()
}

fn weighed(idf: f64, tf: f64) -> f64 {
    idf * tf * (K1 + 1.0) / (tf + K1)
}

struct Part {
    list: List,
    field: Field,
    weight: f64,
    within: Option<Rc<RoaringBitmap>>,
}

/// A word of the query with its forms.
pub enum Group {
    Word {
        idf: f64,
        parts: Vec<Weighty>,
    },
    /// What is found once where it is found.
    Flat {
        idf: f64,
        rows: RoaringBitmap,
    },
}

/// A list of a form in a field.
pub struct Weighty(Part);

impl Group {
    /// Of lists that were gone through, it takes its own.
    pub fn word(forms: &[Form], documents: u64, lists: &mut Vec<List>) -> Group {
        let most = forms
            .iter()
            .map(|form| form.counts.iter().max().copied().unwrap_or(0));
        let idf = idf(documents, most.fold(0, u64::saturating_add));
        let mut parts = Vec::new();
        for form in forms {
            for field in Field::ALL {
                if form.counts[field.place()] == 0 {
                    continue;
                }
                let of_form = if form.is_itself { 1.0 } else { OTHER_FORM };
                parts.push(Weighty(Part {
                    list: List::one_of(lists, form, field),
                    field,
                    weight: field_weight(field) * of_form,
                    within: form.within.clone(),
                }));
            }
        }
        Group::Word { idf, parts }
    }

    pub fn flat(rows: RoaringBitmap, documents: u64) -> Group {
        Group::Flat {
            idf: idf(documents, rows.len()),
            rows,
        }
    }

    /// The most that rows from one on weigh, and the last row for which this holds.
    fn bound(
        &mut self,
        row: u32,
        norms: &Norms,
        search: &SearchIndex,
        blocks: &mut Blocks,
    ) -> Result<(f64, u32), Stop> {
        let (idf, parts) = match self {
            Group::Flat { idf, .. } => return Ok((weighed(*idf, 1.0), u32::MAX)),
            Group::Word { idf, parts } => (*idf, parts),
        };
        let (mut tf, mut until) = (0.0, u32::MAX);
        for Weighty(part) in parts {
            part.list.seek(search, row, blocks)?;
            let Some(head) = part.list.head() else {
                continue;
            };
            if head.first > row {
                until = until.min(head.first - 1);
            } else {
                until = until.min(head.last);
                tf += part.weight * f64::from(head.most) / norms.of(part.field, head.shortest);
            }
        }
        Ok((weighed(idf, tf), until))
    }

    /// Adds what a batch of rows weighs. Where it stops for want of something, it goes on when it is called again.
    fn score(
        &mut self,
        batch: &mut Batch,
        norms: &Norms,
        search: &SearchIndex,
        blocks: &mut Blocks,
    ) -> Result<(), Stop> {
        match self {
            Group::Flat { idf, rows } => {
                for (row, tf) in batch.rows.iter().zip(&mut batch.tf) {
                    *tf = if rows.contains(*row) { 1.0 } else { 0.0 };
                }
                batch.end_group(*idf);
            }
            Group::Word { idf, parts } => {
                while let Some(Weighty(part)) = parts.get_mut(batch.part) {
                    part.score(batch, norms, search, blocks)?;
                    batch.part += 1;
                    batch.at = 0;
                }
                batch.end_group(*idf);
            }
        }
        Ok(())
    }
}

impl Part {
    /// Adds how often the rows of a batch have the form, piece by piece.
    fn score(
        &mut self,
        batch: &mut Batch,
        norms: &Norms,
        search: &SearchIndex,
        blocks: &mut Blocks,
    ) -> Result<(), Stop> {
        while let Some(row) = batch.rows.get(batch.at) {
            if !self.list.seek(search, *row, blocks)? {
                break;
            }
            let (rows, frequencies) = self.list.piece(search)?;
            let Some(last) = rows.last() else {
                break;
            };
            let mut here = 0;
            while let Some(row) = batch.rows.get(batch.at).filter(|row| *row <= last) {
                // Of what is far more than what is looked for, most is passed over.
                while rows.get(here + NEAR_ROWS).is_some_and(|other| other < row) {
                    here += NEAR_ROWS;
                }
                while rows[here] < *row {
                    here += 1;
                }
                let within = self.within.as_ref();
                if rows[here] == *row && within.is_none_or(|within| within.contains(*row)) {
                    let code = batch.codes[batch.at][self.field.place()];
                    let norm = norms.of(self.field, code);
                    batch.tf[batch.at] += self.weight * f64::from(frequencies[here]) / norm;
                }
                batch.at += 1;
            }
        }
        Ok(())
    }
}

/// Rows that are weighed together, word after word, each form of it after the other.
#[derive(Default)]
struct Batch {
    rows: Vec<u32>,
    codes: Vec<Codes>,
    scores: Vec<f64>,
    tf: Vec<f64>,
    /// How far it is: which word, which of its lists, which row.
    group: usize,
    part: usize,
    at: usize,
}

impl Batch {
    fn begin(&mut self, rows: impl Iterator<Item = u32>) {
        self.rows.clear();
        self.rows.extend(rows);
        self.scores.clear();
        self.scores.resize(self.rows.len(), 0.0);
        self.tf.clear();
        self.tf.resize(self.rows.len(), 0.0);
        (self.group, self.part, self.at) = (0, 0, 0);
    }

    fn end_group(&mut self, idf: f64) {
        for (score, tf) in self.scores.iter_mut().zip(&mut self.tf) {
            *score += weighed(idf, std::mem::take(tf));
        }
        self.group += 1;
        (self.part, self.at) = (0, 0);
    }
}

/// The first of the rows that were found.
pub struct Ranking {
    groups: Vec<Group>,
    norms: Norms,
    batch: Batch,
    most: usize,
    /// The worst of the best on top.
    best: BinaryHeap<Hit>,
    next: u64,
    /// Rows that were weighed.
    weighed: u64,
    hits: Vec<Hit>,
    is_done: bool,
}

impl Ranking {
    /// So many rows at most.
    pub fn new(groups: Vec<Group>, totals: &Totals, most: usize) -> Ranking {
        Ranking {
            groups,
            norms: Norms::new(totals),
            batch: Batch::default(),
            most,
            best: BinaryHeap::new(),
            next: 0,
            weighed: 0,
            hits: Vec::new(),
            is_done: false,
        }
    }

    pub fn most(&self) -> usize {
        self.most
    }

    pub fn weighed(&self) -> u64 {
        self.weighed
    }

    /// The best first, when it is done.
    pub fn hits(&self) -> &[Hit] {
        &self.hits
    }

    /// Weighs some rows. True when it is known which are the first.
    pub fn step(
        &mut self,
        rows: &RoaringBitmap,
        search: &SearchIndex,
        blocks: &mut Blocks,
    ) -> Result<bool, Stop> {
        if self.is_done {
            return Ok(true);
        }
        for _ in 0..BATCHES_A_STEP {
            if self.batch.rows.is_empty() && !self.next_batch(rows, search, blocks)? {
                self.hits = std::mem::take(&mut self.best).into_sorted_vec();
                self.is_done = true;
                return Ok(true);
            }
            self.weigh(search, blocks)?;
        }
        Ok(false)
    }

    /// Rows of the next stretch in which some may be among the first. False where there are none.
    fn next_batch(
        &mut self,
        rows: &RoaringBitmap,
        search: &SearchIndex,
        blocks: &mut Blocks,
    ) -> Result<bool, Stop> {
        let mut found = rows.iter();
        loop {
            let row = u32::try_from(self.next).ok().and_then(|next| {
                found.advance_to(next);
                found.next()
            });
            let Some(row) = row.filter(|_| self.most > 0) else {
                return Ok(false);
            };
            if let Some(worst) = self.worst() {
                let (mut bound, mut until) = (0.0, u32::MAX);
                for group in &mut self.groups {
                    let (most, here) = group.bound(row, &self.norms, search, blocks)?;
                    bound += most;
                    until = until.min(here);
                }
                if bound <= worst {
                    self.next = u64::from(until) + 1;
                    continue;
                }
            }
            let last = row | (STRETCH_ROWS - 1);
            let others = found.take_while(|row| *row <= last);
            self.batch.begin(std::iter::once(row).chain(others));
            return Ok(true);
        }
    }

    /// The score that is to be bettered.
    fn worst(&self) -> Option<f64> {
        let is_full = self.best.len() >= self.most;
        self.best.peek().filter(|_| is_full).map(|hit| hit.score)
    }

    fn weigh(&mut self, search: &SearchIndex, blocks: &mut Blocks) -> Result<(), Stop> {
        let batch = &mut self.batch;
        if batch.codes.len() < batch.rows.len() {
            lengths_of(search, &batch.rows, &mut batch.codes, blocks)?;
        }
        while let Some(group) = self.groups.get_mut(batch.group) {
            group.score(batch, &self.norms, search, blocks)?;
        }
        let batch = std::mem::take(&mut self.batch);
        for (row, score) in batch.rows.iter().zip(&batch.scores) {
            if self.worst().is_some_and(|worst| *score <= worst) {
                continue;
            }
            let (row, score) = (*row, *score);
            self.best.push(Hit { row, score });
            if self.best.len() > self.most {
                self.best.pop();
            }
        }
        self.weighed += batch.rows.len() as u64;
        self.next = u64::from(batch.rows.last().copied().unwrap_or(u32::MAX)) + 1;
        self.batch = batch;
        self.batch.rows.clear();
        self.batch.codes.clear();
        Ok(())
    }
}
