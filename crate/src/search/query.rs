//! A query over an archive: which rows it finds, which of them come first, and how that was found out.
//!
//! Of what must all hold, the rarest is found first and the rest is looked for among what is left. What is found is a
//! set of rows; ranking weighs words alone, those behind a `not` not among them. What only records tell is asked of those
//! that are left: the host reads them (`to_examine`) and says what came of it (`examined`).

use std::borrow::Cow;

use roaring::RoaringBitmap;

use super::asked::Asked;
use super::examining::Examining;
use super::finding::Finding;
use super::kept::SearchIndex;
use super::marks::Marks;
use super::rank::{Group, Hit, Ranking};
use super::selection::{Progress, Selection};
use super::source::Source;
use crate::error::{Error, code};
use crate::limits::SEARCH_TEXTS_MAX;
use crate::order;
use crate::query::{Apart, Leaf, Node, Predicate, wrong};
use crate::segment::{Blocks, Stop};

#[derive(Clone, Copy, Debug)]
pub struct QueryOptions {
    /// Words find their other forms, unless they are in quotes.
    pub is_stemmed: bool,
}

impl Default for QueryOptions {
    fn default() -> QueryOptions {
        QueryOptions { is_stemmed: true }
    }
}

/// One thing that was done for a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryStep {
    /// Where in the query it is asked for, and what.
    pub at: usize,
    pub what: String,
    /// Rows that were found.
    pub rows: u64,
    /// Entries, pieces and rows that were looked at.
    pub work: u64,
}

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
        let rows = std::mem::take(&mut self.plan.rows);
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

    /// What is marked in hits, once these are found.
    pub fn marks(&self) -> Marks {
        let mut marks = Marks::default();
        self.plan.mark(&mut marks);
        marks
    }
}

/// A part of a query, and the rows that it finds.
struct Plan {
    kind: Kind,
    rows: RoaringBitmap,
    is_done: bool,
}

enum Kind {
    All,
    Finding(Box<Finding>),
    /// A condition on a column.
    Selection {
        selection: Box<Selection>,
        at: usize,
    },
    And {
        parts: Vec<Plan>,
        is_sorted: bool,
        at: usize,
    },
    Or {
        parts: Vec<Plan>,
        at: usize,
    },
    Not(Box<Plan>),
}

impl Plan {
    fn of_all(nodes: &[&Node], options: QueryOptions, texts: &mut usize) -> Result<Plan, Error> {
        match nodes {
            [] => Plan::of(&Node::All, options, texts),
            [node] => Plan::of(node, options, texts),
            _ => {
                let parts = nodes.iter().map(|node| Plan::of(node, options, texts));
                Ok(Plan {
                    kind: Kind::And {
                        parts: parts.collect::<Result<_, _>>()?,
                        is_sorted: false,
                        at: 0,
                    },
                    rows: RoaringBitmap::new(),
                    is_done: false,
                })
            }
        }
    }

    fn of(node: &Node, options: QueryOptions, texts: &mut usize) -> Result<Plan, Error> {
        let mut parts = |nodes: &[Node]| {
            let parts = nodes.iter().map(|node| Plan::of(node, options, texts));
            parts.collect::<Result<Vec<Plan>, Error>>()
        };
        let kind = match node {
            Node::All => Kind::All,
            Node::And(nodes) => Kind::And {
                parts: parts(nodes)?,
                is_sorted: false,
                at: 0,
            },
            Node::Or(nodes) => Kind::Or {
                parts: parts(nodes)?,
                at: 0,
            },
            Node::Not(node) => Kind::Not(Box::new(Plan::of(node, options, texts)?)),
            Node::Leaf(leaf) => Plan::of_leaf(leaf, options, texts)?,
        };
        Ok(Plan {
            kind,
            rows: RoaringBitmap::new(),
            is_done: false,
        })
    }

    fn of_leaf(leaf: &Leaf, options: QueryOptions, texts: &mut usize) -> Result<Kind, Error> {
        let Some(asked) = Asked::of(leaf)? else {
            return Ok(Kind::Selection {
                selection: Box::new(Selection::of(leaf)?),
                at: leaf.at,
            });
        };
        *texts += asked.slots.len();
        if *texts > SEARCH_TEXTS_MAX {
            let message = format!("expected at most {SEARCH_TEXTS_MAX} words in a query");
            return Err(wrong(code::QUERY_VALUE, leaf.at, &message));
        }
        Ok(Kind::Finding(Box::new(Finding::new(
            &asked,
            options.is_stemmed,
        ))))
    }

    fn parts(&self) -> &[Plan] {
        match &self.kind {
            Kind::And { parts, .. } | Kind::Or { parts, .. } => parts,
            Kind::Not(part) => std::slice::from_ref(part),
            Kind::All | Kind::Finding(_) | Kind::Selection { .. } => &[],
        }
    }

    fn parts_mut(&mut self) -> &mut [Plan] {
        match &mut self.kind {
            Kind::And { parts, .. } | Kind::Or { parts, .. } => parts,
            Kind::Not(part) => std::slice::from_mut(part),
            Kind::All | Kind::Finding(_) | Kind::Selection { .. } => &mut [],
        }
    }

    fn prepare(&mut self, source: &Source<'_>, blocks: &mut Blocks) -> Result<bool, Stop> {
        match &mut self.kind {
            Kind::Finding(finding) => return finding.prepare(source.search, blocks),
            Kind::Selection { selection, .. } => selection.weigh(source, blocks)?,
            _ => {}
        }
        for part in self.parts_mut() {
            if !part.prepare(source, blocks)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Where a text stands that means more words than can be gone through.
    fn too_wide(&self) -> Option<usize> {
        match &self.kind {
            Kind::Finding(finding) if finding.is_too_wide() => Some(finding.asked().at),
            _ => self.parts().iter().find_map(Plan::too_wide),
        }
    }

    fn progress(&self) -> Progress {
        if let Kind::Selection { selection, .. } = &self.kind {
            return selection.progress();
        }
        let mut whole = Progress::default();
        for part in self.parts().iter().map(Plan::progress) {
            whole.seen += part.seen;
            whole.candidates += part.candidates;
            whole.unread += part.unread;
        }
        whole
    }

    /// About how much there is to be looked at, which is about what is found.
    fn cost(&self) -> u64 {
        match &self.kind {
            // What is left of others is found without looking.
            Kind::All => u64::MAX,
            Kind::Not(part) => part.cost().saturating_add(u64::MAX / 2),
            Kind::Finding(finding) => finding.cost(),
            Kind::Selection { selection, .. } => selection.cost(),
            Kind::And { parts, .. } => parts.iter().map(Plan::cost).min().unwrap_or(0),
            Kind::Or { parts, .. } => {
                let costs = parts.iter().map(Plan::cost);
                costs.fold(0, u64::saturating_add)
            }
        }
    }

    /// What is found for certain, whatever is not done yet: that what is asked last of all is asked record by record.
    fn so_far(&self) -> RoaringBitmap {
        if self.is_done {
            return self.rows.clone();
        }
        match &self.kind {
            Kind::Selection { selection, .. } => selection.rows().clone(),
            Kind::Or { parts, at } => {
                let under_way = parts.get(*at).map(Plan::so_far);
                under_way.unwrap_or_default() | &self.rows
            }
            Kind::And { parts, at, .. } if *at + 1 == parts.len() => {
                let last = parts.get(*at).map(Plan::so_far).unwrap_or_default();
                if *at > 0 { last & &self.rows } else { last }
            }
            Kind::All | Kind::Finding(_) | Kind::Not(_) | Kind::And { .. } => RoaringBitmap::new(),
        }
    }

    /// Goes on finding. Of rows that are not `within`, some may be there or not.
    fn step(
        &mut self,
        source: &Source<'_>,
        within: Option<&RoaringBitmap>,
        blocks: &mut Blocks,
        steps: &mut Vec<QueryStep>,
    ) -> Result<bool, Stop> {
        if self.is_done {
            return Ok(true);
        }
        let rows = &mut self.rows;
        self.is_done = match &mut self.kind {
            Kind::All => {
                *rows = everything(source.search);
                true
            }
            Kind::Finding(finding) => {
                let is_done = finding.step(source.search, within, blocks)?;
                if is_done {
                    steps.push(told(finding));
                    // Ranking asks again for what has no lists of its own.
                    *rows = if finding.is_prefix() {
                        finding.rows().clone()
                    } else {
                        finding.take_rows()
                    };
                }
                is_done
            }
            Kind::Selection { selection, at } => {
                let is_done = selection.step(source, within, blocks)?;
                if is_done {
                    steps.extend(selection.plan().into_iter().map(|step| QueryStep {
                        at: *at,
                        what: step.what,
                        rows: step.rows,
                        work: selection.progress().seen,
                    }));
                    *rows = selection.rows().clone();
                }
                is_done
            }
            Kind::Not(part) => {
                let is_done = part.step(source, within, blocks, steps)?;
                if is_done {
                    *rows = within.cloned().unwrap_or_else(|| everything(source.search));
                    *rows -= std::mem::take(&mut part.rows);
                }
                is_done
            }
            Kind::Or { parts, at } => match parts.get_mut(*at) {
                None => true,
                Some(part) => {
                    if part.step(source, within, blocks, steps)? {
                        *rows |= std::mem::take(&mut part.rows);
                        *at += 1;
                    }
                    *at >= parts.len()
                }
            },
            Kind::And {
                parts,
                is_sorted,
                at,
            } => {
                if !*is_sorted {
                    order::sort_by(parts, |one, other| one.cost().cmp(&other.cost()));
                    *is_sorted = true;
                }
                match parts.get_mut(*at) {
                    None => true,
                    Some(part) => {
                        let left = if *at > 0 { Some(&*rows) } else { within };
                        if part.step(source, left, blocks, steps)? {
                            let found = std::mem::take(&mut part.rows);
                            if *at > 0 {
                                *rows &= found;
                            } else {
                                *rows = found;
                                // What others leave is all that matters.
                                if let Some(within) = within {
                                    *rows &= within;
                                }
                            }
                            *at += 1;
                        }
                        *at >= parts.len() || *at > 0 && rows.is_empty()
                    }
                }
            }
        };
        Ok(self.is_done)
    }

    /// Finds what was left out because nothing could come of it: it weighs all the same.
    fn finish(&mut self, search: &SearchIndex, blocks: &mut Blocks) -> Result<bool, Stop> {
        match &mut self.kind {
            Kind::Finding(finding) if finding.is_prefix() => finding.step(search, None, blocks),
            Kind::Not(_) => Ok(true),
            _ => {
                for part in self.parts_mut() {
                    if !part.finish(search, blocks)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    }

    /// What weighs, in the order of the query.
    fn groups(&mut self, documents: u64, groups: &mut Vec<Group>) {
        let mut findings = Vec::new();
        self.findings(&mut findings);
        order::sort_by(&mut findings, |one, other| {
            one.asked().at.cmp(&other.asked().at)
        });
        for finding in findings {
            if finding.is_prefix() {
                groups.push(Group::flat(finding.rows().clone(), documents));
            }
            let mut lists = finding.take_lists();
            for (slot, meaning) in finding.asked().slots.iter().zip(&finding.meanings) {
                if !slot.is_prefix {
                    groups.push(Group::word(&meaning.forms, documents, &mut lists));
                }
            }
        }
    }

    /// Texts that hits have: none behind a `not`.
    fn findings<'a>(&'a mut self, found: &mut Vec<&'a mut Finding>) {
        match &mut self.kind {
            Kind::Finding(finding) => found.push(finding),
            Kind::Not(_) | Kind::All | Kind::Selection { .. } => {}
            Kind::And { parts, .. } | Kind::Or { parts, .. } => {
                parts.iter_mut().for_each(|part| part.findings(found));
            }
        }
    }

    /// What hits have of it: nothing behind a `not`.
    fn mark(&self, marks: &mut Marks) {
        match &self.kind {
            Kind::Finding(finding) => marks.add(finding),
            Kind::Selection { selection, .. } => {
                if let Some((field, expression)) = selection.expression() {
                    marks.add_expression(field, expression);
                }
            }
            Kind::Not(_) => {}
            _ => self.parts().iter().for_each(|part| part.mark(marks)),
        }
    }
}

fn everything(search: &SearchIndex) -> RoaringBitmap {
    let mut rows = RoaringBitmap::new();
    rows.insert_range(0..u32::try_from(search.end()).unwrap_or(u32::MAX));
    rows
}

fn told(finding: &Finding) -> QueryStep {
    let mut what = String::new();
    for slot in &finding.asked().slots {
        if !what.is_empty() {
            what.push(' ');
        }
        what.push_str(&String::from_utf8_lossy(&slot.term));
        if slot.is_prefix {
            what.push('*');
        }
    }
    let others = finding.meanings.iter().flat_map(|meaning| &meaning.forms);
    let others = others.filter(|form| !form.is_itself).count();
    if others > 0 {
        what.push_str(&format!(" and {others} other forms"));
    }
    QueryStep {
        at: finding.asked().at,
        what,
        rows: finding.rows().len(),
        work: finding.work(),
    }
}
