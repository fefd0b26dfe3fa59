//! The tree of a query: each part finds rows, of what must all hold the rarest first, and the rest among what is left.

use roaring::RoaringBitmap;

use super::asked::{Asked, QueryOptions};
use super::finding::Finding;
use super::kept::SearchIndex;
use super::marks::Marks;
use super::rank::Group;
use super::selection::{Progress, Selection};
use super::source::Source;
use super::step::QueryStep;
use crate::error::{Error, code};
use crate::limits::SEARCH_TEXTS_MAX;
use crate::order;
use crate::query::{Leaf, Node, wrong};
use crate::segment::{Blocks, Stop};

/// A part of a query, and the rows that it finds.
pub struct Plan {
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
    pub fn of_all(
        nodes: &[&Node],
        options: QueryOptions,
        texts: &mut usize,
    ) -> Result<Plan, Error> {
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

    /// What was found, when it is done.
    pub fn take_rows(&mut self) -> RoaringBitmap {
        std::mem::take(&mut self.rows)
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

    pub fn prepare(&mut self, source: &Source<'_>, blocks: &mut Blocks) -> Result<bool, Stop> {
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
    pub fn too_wide(&self) -> Option<usize> {
        match &self.kind {
            Kind::Finding(finding) if finding.is_too_wide() => Some(finding.asked().at),
            _ => self.parts().iter().find_map(Plan::too_wide),
        }
    }

    pub fn progress(&self) -> Progress {
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
    pub fn so_far(&self) -> RoaringBitmap {
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
    pub fn step(
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
                    steps.push(QueryStep::of(finding));
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
    pub fn finish(&mut self, search: &SearchIndex, blocks: &mut Blocks) -> Result<bool, Stop> {
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
    pub fn groups(&mut self, documents: u64, groups: &mut Vec<Group>) {
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

    /// What a hit has of it: nothing behind a `not`.
    pub fn mark(&self, row: u32, marks: &mut Marks) {
        match &self.kind {
            Kind::Finding(finding) => marks.add(finding, row),
            Kind::Selection { selection, .. } => {
                if let Some((field, expression)) = selection.expression() {
                    marks.add_expression(field, expression);
                }
            }
            Kind::Not(_) => {}
            _ => self.parts().iter().for_each(|part| part.mark(row, marks)),
        }
    }
}

fn everything(search: &SearchIndex) -> RoaringBitmap {
    let mut rows = RoaringBitmap::new();
    rows.insert_range(0..u32::try_from(search.end()).unwrap_or(u32::MAX));
    rows
}
