//! Look-ups in a ZipNum cluster: its index is searched, then the blocks that may hold rows are read.
//!
//! A block belongs to a query if the keys it begins with are in its range, and so does the block before the
//! first of those: its last rows may be in the range too.

use std::collections::VecDeque;

use super::lines::Lines;
use super::query::Page;
use super::scope::Scope;
use super::search::Search;
use super::source::{Need, Rows, Step};
use super::zipnum::{Block, meta_file, paths};
use crate::archive::RowReader;
use crate::cdx::Layout;
use crate::error::{Damage, Error, code};
use crate::limits::LOOKUP_READ_BYTES;

/// A block that is being read.
struct Open {
    block: Block,
    reader: Box<RowReader>,
}

pub struct Cluster {
    size: u64,
    places: Option<Vec<u8>>,
    /// The file that the first line of the index names.
    file: String,
    scope: Scope,
    search: Option<Search>,
    /// Where the index is read on.
    position: u64,
    lines: Lines,
    /// The block before the first one that begins in the range.
    before: Option<Block>,
    blocks: VecDeque<Block>,
    is_past_index: bool,
    open: Option<Open>,
    page: Option<Page>,
    /// Blocks of the query so far.
    count: u64,
    /// Only the index is read.
    is_index_only: bool,
    pub rows: Rows,
}

impl Cluster {
    /// A cluster whose index has so many bytes and begins with `start`.
    pub fn new(size: u64, places: Option<Vec<u8>>, scope: Scope, start: &[u8]) -> Cluster {
        let line_end = memchr::memchr(b'\n', start);
        let file = line_end.and_then(|end| meta_file(&start[..end]));
        let first = match (&file, line_end) {
            (Some(_), Some(end)) => end as u64 + 1,
            _ => 0,
        };
        Cluster {
            size,
            places,
            file: file.unwrap_or_default(),
            search: Some(Search::new(scope.start.clone(), b' ', first, size)),
            position: first,
            lines: Lines::default(),
            before: None,
            blocks: VecDeque::new(),
            is_past_index: false,
            open: None,
            page: None,
            count: 0,
            is_index_only: false,
            rows: Rows::new(scope.clone(), false, false),
            scope,
        }
    }

    /// Reads the blocks of one page only.
    pub fn set_page(&mut self, page: Page) {
        self.page = Some(page);
    }

    /// Reads no block, so that the blocks themselves can be told of.
    pub fn read_index_only(&mut self) {
        self.is_index_only = true;
    }

    /// A block of the page, where only the index is read.
    pub fn next_block(&mut self) -> Option<Block> {
        self.blocks.pop_front()
    }

    pub fn step(&mut self) -> Result<Step, Error> {
        if self.rows.first().is_some() || self.is_index_only && !self.blocks.is_empty() {
            return Ok(Step::Row);
        }
        loop {
            if self.rows.is_over() {
                self.open = None;
                self.blocks.clear();
                self.is_past_index |= self.page.is_none();
            }
            if let Some(open) = &self.open {
                let done = open.reader.wanted();
                let left = usize::try_from(open.block.length - done).unwrap_or(usize::MAX);
                return Ok(Step::Need(Need {
                    paths: Some(self.paths(&open.block.part)),
                    offset: open.block.offset + done,
                    bytes: left.min(LOOKUP_READ_BYTES),
                }));
            }
            if !self.is_index_only
                && let Some(block) = self.blocks.pop_front()
            {
                let reader = Box::new(RowReader::at(true, (0, 0), Layout::default()));
                self.open = Some(Open { block, reader });
                continue;
            }
            if self.is_past_index {
                return self.end();
            }
            if let Some(search) = &self.search {
                match search.need() {
                    Some((offset, bytes)) => return Ok(Step::Need(Need::of_index(offset, bytes))),
                    None if search.is_unsorted() => self.is_unsorted(),
                    None => self.position = search.low(),
                }
                self.search = None;
            }
            return Ok(Step::Need(Need::of_index(self.position, LOOKUP_READ_BYTES)));
        }
    }

    /// All blocks are counted: a page that is not there is the caller's mistake.
    fn end(&self) -> Result<Step, Error> {
        if let Some(page) = self.page {
            let last = self.count.div_ceil(page.blocks).saturating_sub(1);
            if page.number > last {
                let message = format!("page: expected 0 to {last}, found \"{}\"", page.number);
                return Err(Error::new(code::BAD_QUERY, message));
            }
        }
        Ok(Step::End)
    }

    fn paths(&self, part: &str) -> Vec<String> {
        paths(part, self.places.as_deref())
    }

    pub fn give(&mut self, bytes: &[u8]) {
        if let Some(search) = &mut self.search {
            search.give(bytes);
            return;
        }
        if self.open.is_some() {
            return self.give_block(bytes);
        }
        let mut at = 0;
        while at < bytes.len() && !self.is_past_index {
            let (taken, cut) = self.lines.take(&bytes[at..]);
            at += taken;
            if let Some(cut) = cut {
                self.line(&cut.bytes, self.position + at as u64 - cut.taken);
            }
        }
        self.position += at as u64;
        if bytes.is_empty() || self.position >= self.size {
            if let Some(cut) = self.lines.finish() {
                self.line(&cut.bytes, self.position - cut.taken);
            }
            self.end_index();
        }
    }

    fn give_block(&mut self, bytes: &[u8]) {
        let Some(mut open) = self.open.take() else {
            return;
        };
        let told = self.rows.damages.len();
        let taken = open.reader.feed(bytes, &mut self.rows);
        let is_end = open.reader.wanted() >= open.block.length || bytes.is_empty();
        let is_done = is_end && taken == bytes.len() && {
            open.reader.forbid_seek();
            open.reader.finish(open.block.length, &mut self.rows)
        };
        // Places are counted in the file that holds the block.
        for damage in &mut self.rows.damages[told..] {
            damage.offset += open.block.offset;
        }
        if !is_done {
            self.open = Some(open);
        }
    }

    /// The block cannot be read.
    pub fn absent(&mut self, why: &str) {
        if let Some(open) = self.open.take() {
            let paths = self.paths(&open.block.part).join(", ");
            let message = format!("a block of this cluster cannot be read from {paths}: {why}");
            self.damage(code::CDX_BAD_BLOCK, open.block.offset, message);
        } else {
            self.is_past_index = true;
        }
    }

    fn damage(&mut self, code: crate::error::Code, offset: u64, message: String) {
        self.rows.damages.push(Damage {
            code,
            offset,
            skipped: 0,
            message,
        });
    }

    /// Without an order, every block may hold rows.
    fn is_unsorted(&mut self) {
        let message = "the index of this cluster is not sorted by its keys: rows may be missing";
        self.damage(code::CDX_UNSORTED, 0, message.into());
    }

    fn line(&mut self, line: &[u8], offset: u64) {
        let text = line.trim_ascii();
        if self.is_past_index || text.is_empty() || text[0] == b'!' {
            return;
        }
        let block = match Block::parse(line, &self.file) {
            Ok(block) => block,
            Err(expected) => {
                let message = format!("this line of the index of a cluster is none: {expected}");
                return self.damage(code::CDX_BAD_LINE, offset, message);
            }
        };
        if self.scope.is_before(block.key()) {
            self.before = Some(block);
            return;
        }
        self.take_before();
        if self.scope.is_beyond(block.key()) {
            self.is_past_index = true;
        } else {
            self.select(block);
        }
    }

    fn end_index(&mut self) {
        if !self.is_past_index {
            self.take_before();
            self.is_past_index = true;
        }
    }

    fn take_before(&mut self) {
        if let Some(before) = self.before.take() {
            self.select(before);
        }
    }

    /// Takes the block if it is of the page.
    fn select(&mut self, block: Block) {
        let at = self.count;
        self.count += 1;
        let is_wanted = self.page.is_none_or(|page| {
            let first = page.number.saturating_mul(page.blocks);
            at >= first && at - first < page.blocks
        });
        if is_wanted {
            self.blocks.push_back(block);
        }
    }
}
