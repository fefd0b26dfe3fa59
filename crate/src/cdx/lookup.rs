//! A look-up in one index or several: rows of all of them in one order, as a query asks for them.
//!
//! The host does the reading: it asks for `turn`, reads what is needed and gives it, until the look-up has
//! ended. Output is taken as it comes.

use super::flow::Flow;
use super::query::{Output, Query};
use super::source::{Need, Source, Step};
use super::zipnum::Block;
use crate::cdx::json;
use crate::error::{Damage, Error, code};
use crate::json::Line;
use crate::limits::LOOKUP_HELD_BYTES_MAX;

/// What the host must do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Read this of the index with this number, then `give` it.
    Read(usize, Need),
    /// Take the output away.
    Take,
    /// Take what is left: that was all.
    Ended,
}

/// An index to look up in.
#[derive(Clone, Debug, Default)]
pub struct Index {
    pub size: u64,
    /// What the file of places beside the index of a ZipNum cluster says.
    pub places: Option<Vec<u8>>,
}

pub struct Lookup {
    query: Query,
    sources: Vec<Source>,
    /// Sources that were told what part of them is wanted.
    prepared: Vec<bool>,
    flow: Flow,
    reading: usize,
    blocks: u64,
    is_over: bool,
    damages: Vec<Damage>,
}

impl Lookup {
    pub fn new(query: Query, indexes: Vec<Index>) -> Lookup {
        let sources: Vec<_> = indexes
            .into_iter()
            .map(|index| Source::new(index.size, index.places, query.scope.clone()))
            .collect();
        Lookup {
            prepared: vec![false; sources.len()],
            sources,
            query,
            flow: Flow::default(),
            reading: 0,
            blocks: 0,
            is_over: false,
            damages: Vec::new(),
        }
    }

    pub fn turn(&mut self) -> Result<Turn, Error> {
        loop {
            if self.flow.out().len() >= LOOKUP_HELD_BYTES_MAX {
                return Ok(Turn::Take);
            }
            if self.is_over {
                return Ok(Turn::Ended);
            }
            if self.flow.is_done(&self.query) {
                self.is_over = true;
                continue;
            }
            // The next row is known once every source has one at hand, or none left.
            for at in 0..self.sources.len() {
                if !self.prepared[at] && self.sources[at].is_known() {
                    self.prepared[at] = true;
                    self.prepare(at)?;
                }
                let step = self.sources[at].step();
                self.damages.append(&mut self.sources[at].damages());
                if let Step::Need(need) = step? {
                    self.reading = at;
                    return Ok(Turn::Read(at, need));
                }
            }
            match self.query.output {
                Output::Text | Output::Json => self.next_row()?,
                Output::Blocks | Output::PageCount => self.next_block(),
            }
        }
    }

    /// Takes what was read: fewer bytes than were needed only where the file ends.
    pub fn give(&mut self, bytes: &[u8]) -> Result<(), Error> {
        match self.sources.get_mut(self.reading) {
            Some(source) => source.give(bytes),
            None => Ok(()),
        }
    }

    /// None of the files that were needed can be read.
    pub fn absent(&mut self, why: &str) {
        if let Some(source) = self.sources.get_mut(self.reading) {
            source.absent(why);
        }
    }

    /// Output so far, in whole lines.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(self.flow.out())
    }

    /// Rows told so far.
    pub fn told(&self) -> u64 {
        self.flow.told()
    }

    pub fn take_damages(&mut self) -> Vec<Damage> {
        std::mem::take(&mut self.damages)
    }

    fn prepare(&mut self, at: usize) -> Result<(), Error> {
        let (page, output) = (self.query.page, self.query.output);
        let counts = matches!(output, Output::Blocks | Output::PageCount);
        let Some(cluster) = self.sources[at].cluster() else {
            // What is no cluster is one block.
            self.blocks += 1;
            let is_beyond = page.is_some_and(|page| page.number > 0) && self.sources.len() == 1;
            if is_beyond && output != Output::PageCount {
                let found = page.map_or(0, |page| page.number);
                let message = format!("page: expected 0, found \"{found}\"");
                return Err(Error::new(code::BAD_QUERY, message));
            }
            return Ok(());
        };
        if counts {
            cluster.read_index_only();
        }
        if let Some(page) = page.filter(|_| output != Output::PageCount) {
            cluster.set_page(page);
        }
        Ok(())
    }

    fn next_row(&mut self) -> Result<(), Error> {
        let heads = self.sources.iter().enumerate();
        let heads = heads.filter_map(|(at, source)| Some((at, source.first()?)));
        let first = heads.min_by(|(_, a), (_, b)| {
            (&a.key, &a.timestamp, &a.line).cmp(&(&b.key, &b.timestamp, &b.line))
        });
        match first.map(|(at, _)| at) {
            Some(at) => {
                if let Some(row) = self.sources[at].take() {
                    self.flow.row(&self.query, row)?;
                }
            }
            None => {
                self.flow.finish(&self.query);
                self.is_over = true;
            }
        }
        Ok(())
    }

    fn next_block(&mut self) {
        for source in &mut self.sources {
            let Some(cluster) = source.cluster() else {
                continue;
            };
            if let Some(block) = cluster.next_block() {
                if self.query.output == Output::Blocks {
                    let limit = self.query.limit.map_or(u64::MAX, i64::unsigned_abs);
                    if self.blocks < limit {
                        write_block(self.flow.out(), &block, self.query.is_json);
                    }
                }
                self.blocks += 1;
                return;
            }
        }
        self.is_over = true;
        if self.query.output == Output::PageCount {
            let size = self.query.page.map_or(1, |page| page.blocks);
            let pages = self.blocks.div_ceil(size);
            let line = format!(
                "{{\"blocks\": {}, \"pages\": {pages}, \"pageSize\": {size}}}\n",
                self.blocks
            );
            self.flow.out().extend_from_slice(line.as_bytes());
        }
    }
}

/// Damage as lines of JSON.
pub fn damage_lines(damages: &[Damage]) -> String {
    let mut lines = String::new();
    for damage in damages {
        let mut line = Line::new();
        line.string("damage", damage.code.as_bytes());
        line.number("offset", damage.offset);
        line.number("skipped", damage.skipped);
        line.string("message", damage.message.as_bytes());
        lines.push_str(&line.end());
    }
    lines
}

/// A line of the index as servers tell of it.
fn write_block(out: &mut Vec<u8>, block: &Block, is_json: bool) {
    let Block {
        first,
        part,
        offset,
        length,
        number,
    } = block;
    let number = number.unwrap_or(0);
    if is_json {
        out.extend_from_slice(b"{\"urlkey\": ");
        json::push_ascii(out, first);
        out.extend_from_slice(b", \"part\": ");
        json::push_ascii(out, part.as_bytes());
        let rest =
            format!(", \"offset\": {offset}, \"length\": {length}, \"lineno\": {number}}}\n");
        out.extend_from_slice(rest.as_bytes());
    } else {
        out.extend_from_slice(first);
        let rest = format!("    {part}    {offset}    {length}    {number}\n");
        out.extend_from_slice(rest.as_bytes());
    }
}
