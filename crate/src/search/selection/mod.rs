//! The rows that a condition on a column asks for, such as `status:4xx`, `url:/\.pdf$/` or `{author=="tolkien"}`.
//!
//! A value is looked up among the facets where it can be; what is only known of a record itself is asked of each of the
//! few that are left. Where other conditions have left few rows (`within`), these alone are asked. The outcome is the
//! same as if the condition were asked of every record.

mod check;
mod columns;
mod span;
mod text;
mod url;
mod values;
mod words;

use roaring::RoaringBitmap;

use super::source::Source;
use crate::error::Error;
use crate::query::{Expression, Leaf, Matcher};
use crate::search::Field;
use crate::segment::{Blocks, Stop};
use span::SpanSearch;
use text::TextSearch;
use url::UrlSearch;
use values::ValueSearch;

/// One thing that was done to find the rows, and how many there were then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub what: String,
    pub rows: u64,
}

/// How far a selection is that asks records one by one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Records that were asked, and those that are asked in all.
    pub seen: u64,
    pub candidates: u64,
    /// Documents whose text is not kept, so that they cannot be asked.
    pub unread: u64,
}

pub struct Selection {
    work: Work,
    rows: RoaringBitmap,
    plan: Vec<Step>,
    progress: Progress,
    /// Rows that it may have, where they were counted.
    weight: Option<u64>,
    is_done: bool,
}

enum Work {
    Values(Box<ValueSearch>),
    Span(Box<SpanSearch>),
    Url(Box<UrlSearch>),
    Text(Box<TextSearch>),
}

/// What a step of a search adds to.
struct Found<'a> {
    rows: &'a mut RoaringBitmap,
    plan: &'a mut Vec<Step>,
    progress: &'a mut Progress,
    within: Option<&'a RoaringBitmap>,
}

impl Selection {
    /// What a condition asks for. Every error names the column and what was expected.
    pub fn of(leaf: &Leaf) -> Result<Selection, Error> {
        Ok(Selection {
            work: columns::work(leaf)?,
            rows: RoaringBitmap::new(),
            plan: Vec::new(),
            progress: Progress::default(),
            weight: None,
            is_done: false,
        })
    }

    /// Counts the rows that it may have, so that `cost` says more: a few blocks are read for it. Where something is
    /// missing, all of it is done again.
    pub fn weigh(&mut self, source: &Source<'_>, blocks: &mut Blocks) -> Result<(), Stop> {
        if self.weight.is_none() {
            self.weight = Some(match &self.work {
                Work::Values(values) => values.weight(source, blocks)?,
                Work::Span(span) => span.weight(source, blocks)?,
                Work::Url(url) => url.weight(source, blocks)?,
                Work::Text(_) => u64::from(source.end()),
            });
        }
        Ok(())
    }

    /// What it takes, to begin with the least: rows that it may have, many times as much where each is asked.
    pub fn cost(&self) -> u64 {
        let (unweighed, factor) = match &self.work {
            Work::Values(values) => (values.guess(), 1),
            Work::Span(_) => (1 << 20, 1),
            Work::Url(_) => (1 << 22, 16),
            Work::Text(_) => (1 << 22, 1 << 10),
        };
        self.weight.unwrap_or(unweighed).saturating_mul(factor)
    }

    /// The expression that it asks of a field whose text is shown.
    pub fn expression(&self) -> Option<(Field, &Expression)> {
        let (field, matcher) = match &self.work {
            Work::Text(text) => (Field::Text, text.matcher()),
            Work::Values(values) if values.field() == "title" => (Field::Title, values.matcher()?),
            _ => return None,
        };
        match matcher {
            Matcher::Regex(expression) => Some((field, expression)),
            _ => None,
        }
    }

    /// Goes on for a while; true when all rows are found. With `within` those of others are left out; it must be the same
    /// each time. What was found of `rows` stays, so that a search that is stopped has found something.
    pub fn step(
        &mut self,
        source: &Source<'_>,
        within: Option<&RoaringBitmap>,
        blocks: &mut Blocks,
    ) -> Result<bool, Stop> {
        if self.is_done {
            return Ok(true);
        }
        let mut found = Found {
            rows: &mut self.rows,
            plan: &mut self.plan,
            progress: &mut self.progress,
            within,
        };
        let is_done = match &mut self.work {
            Work::Values(values) => values.step(source, &mut found, blocks)?,
            Work::Span(span) => span.step(source, &mut found, blocks)?,
            Work::Url(url) => url.step(source, &mut found, blocks)?,
            Work::Text(text) => text.step(source, &mut found, blocks)?,
        };
        if is_done {
            if let Some(within) = within {
                self.rows &= within;
            }
            self.rows.remove_range(source.end()..);
            self.is_done = true;
        }
        Ok(is_done)
    }

    /// Rows that were found so far.
    pub fn rows(&self) -> &RoaringBitmap {
        &self.rows
    }

    /// What was done so far.
    pub fn plan(&self) -> Vec<Step> {
        self.plan.clone()
    }

    pub fn progress(&self) -> Progress {
        self.progress
    }
}
