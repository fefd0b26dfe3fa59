//! Searches of what is kept, each known by a number, gone on with a step at a time.

use std::ops::Range;

use wasm_bindgen::prelude::*;

use super::index::{DONE, KeptIndex, MORE};
use super::numbers::{offset_in, offset_out};
use super::seam::{thrown, told};
use crate::codec::Writer;
use crate::index::Column;
use crate::query::{Leaf, Node, Value, parse};
use crate::search::{
    Counting, CountingOrder, Field, HitGroup, HitOrder, Listed, Listing, Query, QueryOptions,
    Snippet, Source,
};
use crate::segment::{Blocks, Stop};

/// A search under way, and what was asked of its hits last.
pub(super) struct Searched {
    query: Query,
    listing: Listing,
    counting: Option<Counting>,
    clock: Clock,
}

/// How long each step of the plan took: what passes until it is told as done.
#[derive(Default)]
struct Clock {
    times: Vec<f64>,
    pending: f64,
    /// How long records were read.
    examined: f64,
}

impl Clock {
    fn add(&mut self, milliseconds: f64, steps: usize) {
        self.pending += milliseconds;
        if steps > self.times.len() {
            self.times.resize(steps - 1, 0.0);
            self.times.push(std::mem::take(&mut self.pending));
        }
    }
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = performance)]
    fn now() -> f64;
}

/// Most searches are over by then; others can be stopped, and tell how far they are.
const TURN_MS: f64 = 4.0;
const BY_RANK: u8 = 0;
const BY_FILE: u8 = 1;
/// Orders by columns are numbered behind these, as columns are.
const COLUMNS_FROM: u8 = 2;
/// About what is told of a hit.
const HIT_BYTES: usize = 256;
/// A score goes out in thousandths.
const SCORE_UNIT: f64 = 1000.0;

#[wasm_bindgen]
impl KeptIndex {
    /// Begins a search; its number.
    pub fn begin_query(&mut self, query: &str, is_stemmed: bool) -> Result<u32, JsValue> {
        let node = of_captures(parse(query).map_err(thrown)?);
        let query = Query::new(&node, QueryOptions { is_stemmed }).map_err(thrown)?;
        let number = self.next_query;
        self.next_query = number.wrapping_add(1);
        self.queries.insert(
            number,
            Searched {
                query,
                listing: Listing::new(HitOrder::Rank, false, None),
                counting: None,
                clock: Clock::default(),
            },
        );
        Ok(number)
    }

    pub fn end_query(&mut self, number: u32) {
        self.queries.remove(number);
    }

    /// Goes on with a search: `MORE` where there is more to do.
    pub fn query(&mut self, number: u32) -> u32 {
        self.ask(number, true, |searched, source, blocks| {
            Ok(searched.query.step(source, blocks)?.then(Vec::new))
        })
    }

    /// Why it cannot be answered, where that shows on the way.
    pub fn query_error(&self, number: u32) -> Option<String> {
        let searched = self.queries.get(number)?;
        searched.query.error().map(told)
    }

    /// Hits so far.
    pub fn query_total(&self, number: u32) -> f64 {
        let searched = self.queries.get(number);
        offset_out(searched.map_or(0, |searched| searched.query.so_far().len()))
    }

    /// Texts that were read to know, and those that are to be read.
    pub fn query_read(&self, number: u32) -> f64 {
        let searched = self.queries.get(number);
        offset_out(searched.map_or(0, |searched| searched.query.progress().seen))
    }

    pub fn query_to_read(&self, number: u32) -> f64 {
        let searched = self.queries.get(number);
        offset_out(searched.map_or(0, |searched| searched.query.progress().candidates))
    }

    /// Records that are to be read for it next.
    pub fn query_to_examine(&self, number: u32, count: usize) -> Vec<u32> {
        let searched = self.queries.get(number);
        searched.map_or(Vec::new(), |searched| searched.query.to_examine(count))
    }

    /// Takes rows that were read, as `Examination` tells them, and how long that took.
    pub fn query_examined(&mut self, number: u32, outcomes: &[u32], milliseconds: f64) {
        if let Some(searched) = self.queries.get_mut(number) {
            for pair in outcomes.chunks_exact(2) {
                let verdict = (pair[1] < 2).then_some(pair[1] == 1);
                searched.query.examined(pair[0], verdict);
            }
            searched.clock.examined += milliseconds;
        }
    }

    /// Records that are to be read, or cannot be.
    pub fn query_unread(&self, number: u32) -> f64 {
        let searched = self.queries.get(number);
        offset_out(searched.map_or(0, |searched| searched.query.unread()))
    }

    /// Some hits in an order: of each its row as the table of records tells it, the facts of its document with their
    /// length, score and count. `MORE` where there is more to do before.
    pub fn query_hits(
        &mut self,
        number: u32,
        order: u8,
        is_descending: bool,
        group: u8,
        from: f64,
        count: usize,
    ) -> u32 {
        let (order, group) = (order_of(order), GROUPS.get(usize::from(group)).copied());
        let from = usize::try_from(offset_in(from)).unwrap_or(usize::MAX);
        self.ask(number, false, |searched, source, blocks| {
            if !searched.listing.is(order, is_descending, group) {
                searched.listing = Listing::new(order, is_descending, group);
            }
            let Searched { listing, query, .. } = searched;
            let page = if query.is_found() {
                listing.page(query, source, [from, count], blocks)?
            } else {
                Some(early(query, from, count))
            };
            let Some(page) = page else {
                return Ok(None);
            };
            let mut out = Writer::behind(Vec::with_capacity(HIT_BYTES * page.len()));
            for hit in page {
                tell(&hit, source, blocks, &mut out)?;
            }
            Ok(Some(out.finish()))
        })
    }

    /// The title of a hit, texts that expressions match in it, with their number, and passages of its text: of title and
    /// passages the number of stretches, and of these whether they are what was asked for, and their text.
    pub fn query_passages(&mut self, number: u32, row: f64) -> u32 {
        let row = u32::try_from(offset_in(row)).unwrap_or(u32::MAX);
        self.ask(number, false, |searched, source, blocks| {
            let marks = searched.query.marks(row);
            let mut snippet = Snippet::new(&marks, row);
            while !snippet.step(source, blocks)? {}
            let mut out = Writer::new();
            let title = match source.documents {
                Some(documents) => documents.title(u64::from(row), blocks)?,
                None => String::new(),
            };
            write_stretches(&title, &marks.find(Field::Title, &title), &mut out);
            out.varint(snippet.matches().len() as u64);
            for text in snippet.matches() {
                out.bytes(text.as_bytes());
            }
            for passage in snippet.passages() {
                write_stretches(&passage.text, &passage.marks, &mut out);
            }
            Ok(Some(out.finish()))
        })
    }

    /// The values of a field that most hits have, of those that begin so: each with its length, and how many hits.
    pub fn query_facet(&mut self, number: u32, field: &str, prefix: &str, count: usize) -> u32 {
        self.ask(number, false, |searched, source, blocks| {
            let rows = searched.query.so_far();
            let counting = searched.counting.get_or_insert_with(|| {
                Counting::new(field, prefix.as_bytes(), CountingOrder::ByCount, count)
                    .within(rows.into_owned())
            });
            if !counting.step(&source.facets(), Some(source.index), blocks)? {
                return Ok(None);
            }
            let mut out = Writer::new();
            for counted in counting.take() {
                out.bytes(&counted.value);
                out.varint(counted.rows);
            }
            searched.counting = None;
            Ok(Some(out.finish()))
        })
    }

    /// What was done: of each step what it was, where in the query it is asked for, rows that were left, what was looked at,
    /// microseconds.
    pub fn query_plan(&self, number: u32) -> Vec<u8> {
        let mut out = Writer::new();
        let Some(Searched { query, clock, .. }) = self.queries.get(number) else {
            return Vec::new();
        };
        let of_steps = clock.times.iter().copied().chain(std::iter::repeat(0.0));
        let times = of_steps.take(query.steps());
        let times = times.chain([clock.examined]).chain(std::iter::repeat(0.0));
        for (step, milliseconds) in query.explain().iter().zip(times) {
            out.bytes(step.what.as_bytes());
            out.varint(step.at as u64);
            out.varint(step.rows);
            out.varint(step.work);
            out.varint(micros(milliseconds));
        }
        out.finish()
    }
}

/// Who asks for no type of record does not mean the requests that pages were got by: each would be a hit twice.
fn of_captures(node: Node) -> Node {
    let mut columns = Vec::new();
    columns_of(&node, &mut columns);
    let is_of_words = columns
        .iter()
        .all(|column| matches!(*column, "" | "text" | "body" | "title" | "lang"));
    // Requests have methods and headers of their own.
    let is_of_requests = columns
        .iter()
        .any(|column| matches!(*column, "type" | "method") || column.starts_with("header."));
    if is_of_requests || is_of_words && node != Node::All {
        return node;
    }
    let request = Leaf {
        column: Some("type".into()),
        value: Value::Bare("request".into()),
        is_label: false,
        at: 0,
    };
    Node::And(vec![node, Node::Not(Box::new(Node::Leaf(request)))])
}

/// The columns that a query names; words have an empty one.
fn columns_of<'a>(node: &'a Node, columns: &mut Vec<&'a str>) {
    match node {
        Node::All => {}
        Node::And(nodes) | Node::Or(nodes) => {
            nodes.iter().for_each(|node| columns_of(node, columns))
        }
        Node::Not(node) => columns_of(node, columns),
        Node::Leaf(leaf) => columns.push(leaf.column.as_deref().unwrap_or_default()),
    }
}

const GROUPS: [HitGroup; 3] = [HitGroup::Url, HitGroup::Host, HitGroup::Digest];

fn order_of(number: u8) -> HitOrder {
    match number {
        BY_RANK => HitOrder::Rank,
        BY_FILE => HitOrder::File,
        _ => Column::from_number(number - COLUMNS_FROM).map_or(HitOrder::Rank, HitOrder::Column),
    }
}

/// Hits that are found while others are still looked for, as they lie in the files.
fn early(query: &Query, from: usize, count: usize) -> Vec<Listed> {
    let rows = query.so_far();
    let hits = rows.iter().skip(from).take(count);
    let hit = |row| Listed {
        row,
        score: 0.0,
        count: 1,
    };
    hits.map(hit).collect()
}

fn tell(
    hit: &Listed,
    source: &Source<'_>,
    blocks: &mut Blocks,
    out: &mut Writer,
) -> Result<(), Stop> {
    let number = u64::from(hit.row);
    let facts = match source.documents {
        Some(documents) => documents.facts(number, blocks)?,
        None => None,
    };
    let Some((part, row)) = source.index.row(number, blocks)? else {
        return Ok(());
    };
    row.tell(number, part, out);
    out.bytes(&facts.unwrap_or_default());
    out.varint(thousandths(hit.score));
    out.varint(hit.count);
    Ok(())
}

/// Neither is below 0, and both are far from what a number has room for.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn thousandths(score: f64) -> u64 {
    (score * SCORE_UNIT) as u64
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn micros(milliseconds: f64) -> u64 {
    (milliseconds * 1000.0) as u64
}

/// A text in stretches that are marked and that are not.
fn write_stretches(text: &str, marks: &[Range<usize>], out: &mut Writer) {
    let mut stretches = Vec::new();
    let mut at = 0;
    for mark in marks {
        stretches.push((false, text.get(at..mark.start)));
        stretches.push((true, text.get(mark.clone())));
        at = mark.end;
    }
    stretches.push((false, text.get(at..)));
    stretches.retain(|(_, text)| text.is_some_and(|text| !text.is_empty()));
    out.varint(stretches.len() as u64);
    for (is_marked, text) in stretches {
        out.varint(u64::from(is_marked));
        out.bytes(text.unwrap_or_default().as_bytes());
    }
}

impl KeptIndex {
    /// Asks a search; the answer is the value. `MORE` where after some time there is none yet. What is a step of the plan
    /// is timed.
    fn ask(
        &mut self,
        number: u32,
        is_of_plan: bool,
        mut ask: impl FnMut(&mut Searched, &Source<'_>, &mut Blocks) -> Result<Option<Vec<u8>>, Stop>,
    ) -> u32 {
        self.value.clear();
        let (Some(searched), Some(search)) = (self.queries.get_mut(number), &self.search) else {
            return DONE;
        };
        let source = Source {
            search,
            index: &self.index,
            documents: self.documents.as_ref(),
        };
        // The clock is the host's: to ask it takes longer than many a step.
        let begun = now();
        let mut before = begun;
        let asked = loop {
            let asked = ask(searched, &source, &mut self.blocks);
            let at = now();
            if is_of_plan {
                searched.clock.add(at - before, searched.query.steps());
            }
            before = at;
            if !matches!(asked, Ok(None)) || at - begun >= TURN_MS {
                break asked;
            }
        };
        match asked {
            Ok(None) => MORE,
            asked => self.done(asked, |this, value| this.value = value.unwrap_or_default()),
        }
    }
}
