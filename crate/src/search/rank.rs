//! Which of the rows found come first: those of most weight by BM25F, of equal ones the first in the archive.
//!
//!   score  := sum over words of idf * tf * (k1 + 1) / (tf + k1)
//!   tf     := sum over forms and fields of weight * frequency / (1 - b + b * length / mean length)
//!   idf    := ln(1 + (documents - with + 0.5) / (with + 0.5))
//! `with` is how many documents have the word: of each form in the field where most have it, added up, at most all. What
//! is asked for by its beginning counts as found once. Lengths are those that their codes stand for.
//! A piece tells the most that it can weigh: what cannot come among the first is not unpacked.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use roaring::RoaringBitmap;

use super::draft::Totals;
use super::field::Field;
use super::finding::Form;
use super::kept::SearchIndex;
use super::lengths::{Codes, decoded};
use super::list::{Lengths, List};
use crate::segment::{Blocks, Stop};

const K1: f64 = 1.2;
const B: f64 = 0.75;
/// A form that is not the word that was asked for counts less.
const OTHER_FORM: f64 = 0.6;
/// Rows of a step.
const ROWS_A_STEP: usize = 512;

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
    of: [Vec<f64>; Field::ALL.len()],
}

impl Norms {
    pub fn new(totals: &Totals) -> Norms {
        let of = totals.words.map(|words| {
            let mean = words as f64 / totals.documents.max(1) as f64;
            let norm = |code| {
                let length = f64::from(decoded(code));
                if mean > 0.0 {
                    1.0 - B + B * length / mean
                } else {
                    1.0
                }
            };
            (0..=u8::MAX).map(norm).collect()
        });
        Norms { of }
    }

    fn of(&self, field: Field, code: u8) -> f64 {
        self.of[field.place()][usize::from(code)]
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
    pub fn word(forms: &[Form], documents: u64) -> Group {
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
                    list: List::new(&form.term, field),
                    field,
                    weight: field_weight(field) * of_form,
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

    /// What a row weighs, for which `bound` was asked.
    fn score(
        &mut self,
        row: u32,
        codes: &Codes,
        norms: &Norms,
        search: &SearchIndex,
    ) -> Result<f64, Stop> {
        let (idf, parts) = match self {
            Group::Flat { idf, rows } => {
                let tf = if rows.contains(row) { 1.0 } else { 0.0 };
                return Ok(weighed(*idf, tf));
            }
            Group::Word { idf, parts } => (*idf, parts),
        };
        let mut tf = 0.0;
        for Weighty(part) in parts {
            if let Some((_, frequency)) = part.list.frequency(search, row)? {
                let norm = norms.of(part.field, codes[part.field.place()]);
                tf += part.weight * f64::from(frequency) / norm;
            }
        }
        Ok(weighed(idf, tf))
    }
}

/// The first of the rows that were found.
pub struct Ranking {
    groups: Vec<Group>,
    norms: Norms,
    lengths: Lengths,
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
            lengths: Lengths::default(),
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
        let mut found = rows.iter();
        for _ in 0..ROWS_A_STEP {
            let row = u32::try_from(self.next).ok().and_then(|next| {
                found.advance_to(next);
                found.next()
            });
            let Some(row) = row.filter(|_| self.most > 0) else {
                self.hits = std::mem::take(&mut self.best).into_sorted_vec();
                self.is_done = true;
                return Ok(true);
            };
            self.next = self.weigh(row, search, blocks)?;
        }
        Ok(false)
    }

    /// Weighs a row, and tells from which one on to go on.
    fn weigh(&mut self, row: u32, search: &SearchIndex, blocks: &mut Blocks) -> Result<u64, Stop> {
        let (mut bound, mut until) = (0.0, u32::MAX);
        for group in &mut self.groups {
            let (most, here) = group.bound(row, &self.norms, search, blocks)?;
            bound += most;
            until = until.min(here);
        }
        let is_full = self.best.len() >= self.most;
        let worst = self.best.peek().filter(|_| is_full).map(|hit| hit.score);
        if worst.is_some_and(|worst| bound <= worst) {
            return Ok(u64::from(until) + 1);
        }
        let codes = self.lengths.of(search, row, blocks)?;
        let mut score = 0.0;
        for group in &mut self.groups {
            score += group.score(row, &codes, &self.norms, search)?;
        }
        self.weighed += 1;
        if worst.is_none_or(|worst| score > worst) {
            self.best.push(Hit { row, score });
            if self.best.len() > self.most {
                self.best.pop();
            }
        }
        Ok(u64::from(row) + 1)
    }
}
