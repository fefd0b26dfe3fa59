//! A query over an archive: which rows it finds, which of them come first, and how that was found out.
//!
//! Of what must all hold, the rarest is found first and the rest is looked for among what is left. What is found is a
//! set of rows; ranking weighs words alone, those behind a `not` not among them. What only records tell is asked of those
//! that are left: the host reads them (`to_examine`) and says what came of it (`examined`).

use std::borrow::Cow;

use roaring::RoaringBitmap;

use super::asked::QueryOptions;
use super::examining::Examining;
use super::kept::SearchIndex;
use super::marks::Marks;
use super::plan::Plan;
use super::rank::{Hit, Ranking};
use super::selection::Progress;
use super::source::Source;
use super::step::QueryStep;
use crate::error::{Error, code};
use crate::query::{Apart, Node, Predicate, wrong};
use crate::segment::{Blocks, Stop};

pub struct Query {
    node: Node,
    options: QueryOptions,
    plan: Plan,
    /// What it was begun with; other segments are begun with anew.
    changes: Option<u64>,
    rows: RoaringBitmap,
    examining: Option<Examining>,
    is_found: bool,
    ranking: Option<Ranking>,
    steps: Vec<QueryStep>,
    error: Option<Error>,
}

impl Query {
    pub fn new(node: &Node, options: QueryOptions) -> Result<Query, Error> {
        let mut texts = 0;
        let apart = Apart::of(node)?;
        let plan = Plan::of_all(&apart.indexed, options, &mut texts)?;
        let is_examined = !apart.examined.is_empty();
        // Who reads records understands it.
        apart
            .examined
            .iter()
            .try_for_each(|node| Predicate::check(node))?;
        Ok(Query {
            node: node.clone(),
            options,
            plan,
            changes: None,
            rows: RoaringBitmap::new(),
            examining: is_examined.then(|| Examining::new(apart.at)),
            is_found: false,
            ranking: None,
            steps: Vec::new(),
            error: None,
        })
    }

    /// Goes on finding; true when all rows are found, as far as no records are to be read, or it is told by `error` why they
    /// are not.
    pub fn step(&mut self, source: &Source<'_>, blocks: &mut Blocks) -> Result<bool, Stop> {
        self.begin_anew(source.search);
        let is_examining = self.examining.as_ref().is_some_and(Examining::has_begun);
        if self.is_found || is_examining || self.error.is_some() {
            return Ok(true);
        }
        if !self.plan.prepare(source, blocks)? {
            return Ok(false);
        }
        if let Some(at) = self.plan.too_wide() {
            let message = "too many words begin like this one among words that follow each other";
            self.error = Some(wrong(code::QUERY_VALUE, at, message));
            return Ok(true);
        }
        if !self.plan.step(source, None, blocks, &mut self.steps)? {
            return Ok(false);
        }
        let rows = self.plan.take_rows();
        match &mut self.examining {
            None => self.rows = rows,
            Some(examining) => examining.begin(rows),
        }
        self.is_found = self.examining.as_ref().is_none_or(Examining::is_over);
        Ok(true)
    }

    /// Records that are to be read next.
    pub fn to_examine(&self, count: usize) -> Vec<u32> {
        let examining = self.examining.as_ref();
        examining.map_or(Vec::new(), |examining| examining.next(count))
    }

    /// Takes note of a record that was read: whether it does, where that is known.
    pub fn examined(&mut self, row: u32, verdict: Option<bool>) {
        let Some(examining) = &mut self.examining else {
            return;
        };
        if examining.took(row, verdict.is_some()) && verdict == Some(true) {
            self.rows.insert(row);
        }
        self.is_found = examining.is_over();
    }

    /// Records of which it is not known whether they do: they were not read, or could not be.
    pub fn unread(&self) -> u64 {
        self.examining.as_ref().map_or(0, Examining::unread)
    }

    fn begin_anew(&mut self, search: &SearchIndex) {
        let before = self.changes.replace(search.changes());
        if before.is_none() || before == self.changes {
            return;
        }
        let begun = Query::new(&self.node, self.options);
        if let Ok(begun) = begun {
            *self = Query {
                changes: self.changes,
                ..begun
            };
        }
    }

    /// Whether all rows are found.
    pub fn is_found(&self) -> bool {
        self.is_found
    }

    /// Why it cannot be answered.
    pub fn error(&self) -> Option<&Error> {
        self.error.as_ref()
    }

    /// How many rows were found.
    pub fn count(&self) -> u64 {
        self.rows.len()
    }

    pub fn rows(&self) -> &RoaringBitmap {
        &self.rows
    }

    /// Rows that were found for certain, while others are still looked for.
    pub fn so_far(&self) -> Cow<'_, RoaringBitmap> {
        if self.is_found || self.examining.is_some() {
            return Cow::Borrowed(&self.rows);
        }
        Cow::Owned(self.plan.so_far())
    }

    /// Finds out which so many rows come first, once all are found. True when that is known.
    pub fn rank(
        &mut self,
        most: usize,
        source: &Source<'_>,
        blocks: &mut Blocks,
    ) -> Result<bool, Stop> {
        let search = source.search;
        if !self.step(source, blocks)? {
            return Ok(false);
        }
        let all = usize::try_from(self.rows.len()).unwrap_or(usize::MAX);
        let most = most.min(all);
        if !self.plan.finish(search, blocks)? {
            return Ok(false);
        }
        if self
            .ranking
            .as_ref()
            .is_none_or(|ranking| ranking.most() < most)
        {
            let documents = search.totals().documents;
            let mut groups = Vec::new();
            self.plan.groups(documents, &mut groups);
            self.ranking = Some(Ranking::new(groups, &search.totals(), most));
        }
        match &mut self.ranking {
            Some(ranking) => ranking.step(&self.rows, search, blocks),
            None => Ok(true),
        }
    }

    /// The best hits behind so many, as far as `rank` was asked for them.
    pub fn hits(&self, from: usize, count: usize) -> &[Hit] {
        let hits = self.ranking.as_ref().map_or(&[][..], Ranking::hits);
        let from = from.min(hits.len());
        &hits[from..hits.len().min(from.saturating_add(count))]
    }

    /// Rows in the order of the archive.
    pub fn in_order(&self, from: u64, count: usize) -> Vec<u32> {
        let Some(first) = u32::try_from(from)
            .ok()
            .and_then(|from| self.rows.select(from))
        else {
            return Vec::new();
        };
        let mut rows = self.rows.iter();
        rows.advance_to(first);
        rows.take(count).collect()
    }

    /// How many things were done to find the rows.
    pub fn steps(&self) -> usize {
        self.steps.len()
    }

    /// What was done, in its order.
    pub fn explain(&self) -> Vec<QueryStep> {
        let mut steps = self.steps.clone();
        if let Some(examining) = self.examining.as_ref().filter(|one| one.has_begun()) {
            steps.push(examining.step(self.rows.len()));
        }
        if let Some(ranking) = &self.ranking {
            steps.push(QueryStep {
                at: 0,
                what: format!("the first {} by weight", ranking.most()),
                rows: self.rows.len(),
                work: ranking.weighed(),
            });
        }
        steps
    }

    /// How far it is where records are asked one by one.
    pub fn progress(&self) -> Progress {
        let examining = self.examining.as_ref().filter(|one| one.has_begun());
        examining.map_or_else(|| self.plan.progress(), Examining::progress)
    }

    /// What is marked in a hit, once these are found.
    pub fn marks(&self, row: u32) -> Marks {
        let mut marks = Marks::default();
        self.plan.mark(row, &mut marks);
        marks
    }
}
