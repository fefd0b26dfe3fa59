//! What is kept of documents beside the rows of an archive: facts and links, and the texts, which are not written again
//! with every merge, in segments of their own (FORMAT.md 11).
//!
//! Documents come in the order of their rows and may come before these: they wait for them. An index is told up to which
//! row there are documents; with the rows that are kept then, those below that one are kept.

mod kept;
mod stack;

use std::collections::VecDeque;

use super::kept::Window;
use super::merged::Merged;
use crate::codec::{Reader, Writer};
use crate::document::{Document, DocumentKind};
use crate::limits::{STORED_PIECE_BYTES, STORED_TEXT_BYTES_MAX};
use crate::row::Row;
use crate::segment::{Blocks, Cursor, Segment, Stop};

pub(crate) use kept::tag;
pub use kept::{DocumentList, DocumentOrder, NO_LANGUAGE, read_links};
use kept::{FACTS, KINDS, LINKS, TEXT};
pub use stack::StackPart;
use stack::{Stack, StackCheck};

const VERSION: u64 = 1;
/// Numbers of sections in a draft.
const FACTS_AT: usize = 0;
const ORDERS_AT: usize = 1;
const KINDS_AT: usize = ORDERS_AT + DocumentOrder::ALL.len();
const LINKS_AT: usize = KINDS_AT + 1;

/// What is long and is kept in pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Long {
    Links,
    Text,
}

/// All that has to be kept of documents besides the files of their segments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocumentsManifest {
    /// Of rows below this one there are documents.
    pub end: u64,
    /// Of texts that are kept, before they are packed.
    pub text_bytes: u64,
    pub facts: Vec<StackPart>,
    pub texts: Vec<StackPart>,
}

impl DocumentsManifest {
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new();
        out.varint(VERSION);
        out.varint(self.end);
        out.varint(self.text_bytes);
        for parts in [&self.facts, &self.texts] {
            out.varint(parts.len() as u64);
            parts.iter().for_each(|part| part.write(&mut out));
        }
        out.finish()
    }

    pub fn read(bytes: &[u8]) -> Option<DocumentsManifest> {
        let mut reader = Reader::new(bytes);
        if reader.varint()? != VERSION {
            return None;
        }
        let (end, text_bytes) = (reader.varint()?, reader.varint()?);
        let mut parts = || {
            let count = reader.varint()?;
            let parts = (0..count).map(|_| StackPart::read(&mut reader));
            parts.collect::<Option<Vec<StackPart>>>()
        };
        Some(DocumentsManifest {
            end,
            text_bytes,
            facts: parts()?,
            texts: parts()?,
        })
    }
}

/// How far a check of all segments is.
#[derive(Default)]
pub struct DocumentsCheck {
    facts: StackCheck,
    has_facts: bool,
    texts: StackCheck,
}

pub struct Documents {
    facts: Stack,
    texts: Stack,
    /// Those whose rows are not there yet.
    early: VecDeque<Document>,
    /// Those of rows below this one have come.
    end: u64,
    text_bytes: u64,
    text_bytes_max: u64,
}

impl Default for Documents {
    fn default() -> Documents {
        Documents::with_texts_of(STORED_TEXT_BYTES_MAX)
    }
}

impl Documents {
    /// With room for so many bytes of text.
    pub fn with_texts_of(text_bytes_max: u64) -> Documents {
        Documents {
            facts: Stack::new(&kept::sections(), false),
            texts: Stack::new(&kept::text_sections(), true),
            early: VecDeque::new(),
            end: 0,
            text_bytes: 0,
            text_bytes_max,
        }
    }

    pub fn open(manifest: &DocumentsManifest, blocks: &mut Blocks) -> Result<Documents, Stop> {
        let mut documents = Documents {
            end: manifest.end,
            text_bytes: manifest.text_bytes,
            ..Documents::default()
        };
        for part in &manifest.facts {
            documents.facts.open(*part, blocks)?;
        }
        for part in &manifest.texts {
            documents.texts.open(*part, blocks)?;
        }
        Ok(documents)
    }

    /// What is in segments, of an index of so many rows: everything else is to be flushed before.
    pub fn manifest(&self, rows: u64) -> DocumentsManifest {
        DocumentsManifest {
            end: self.end.min(rows),
            text_bytes: self.text_bytes,
            facts: self.facts.parts().copied().collect(),
            texts: self.texts.parts().copied().collect(),
        }
    }

    pub fn files(&self) -> Vec<u32> {
        let parts = self.facts.parts().chain(self.texts.parts());
        parts.map(|part| part.file).collect()
    }

    pub fn bytes(&self) -> u64 {
        let parts = self.facts.parts().chain(self.texts.parts());
        parts.map(|part| part.bytes).sum()
    }

    /// Those of rows below this one have come.
    pub fn end(&self) -> u64 {
        self.end
    }

    // Growing

    /// Takes documents one after another, in the order of their rows: all there are of rows from `from` to `end`. Those
    /// that have come before are passed over. False where some before `from` are missing, or these are none, or not in
    /// order: nothing is taken then.
    pub fn add(&mut self, bytes: &[u8], from: u64, end: u64) -> bool {
        let mut reader = Reader::new(bytes);
        let mut documents = Vec::new();
        let mut next = 0;
        while !reader.is_empty() {
            let document = Document::read(&mut reader).filter(|document| document.row >= next);
            let Some(document) = document else {
                return false;
            };
            next = document.row.saturating_add(1);
            if document.row >= self.end {
                documents.push(document);
            }
        }
        if from > self.end {
            return false;
        }
        self.end = self.end.max(end).max(next);
        self.early.extend(documents);
        true
    }

    /// The row of the next one that waits.
    pub fn next_row(&self) -> Option<u64> {
        self.early.front().map(|document| document.row)
    }

    /// Drafts are to be flushed before the next one is taken in.
    pub fn is_full(&self) -> bool {
        self.facts.is_full() || self.texts.is_full()
    }

    /// Takes in the next one, whose record is there by now.
    pub fn take_in(&mut self, record: &Row) -> Option<Document> {
        let document = self.early.pop_front()?;
        self.push(&document, record);
        Some(document)
    }

    fn push(&mut self, document: &Document, record: &Row) {
        let row = document.row;
        let text_bytes = document.text.len() as u64;
        let is_text_kept = text_bytes <= self.text_bytes_max.saturating_sub(self.text_bytes);
        let facts = kept::facts(document, is_text_kept);
        self.facts.push(FACTS_AT, row, &kept::row_key(row), &facts);
        let value = kept::row_value(row);
        for list in kept::lists(document) {
            for (n, order) in DocumentOrder::ALL.into_iter().enumerate() {
                let mut key = list.prefix();
                key.extend(kept::order_key(order, document, record));
                self.facts.push(ORDERS_AT + n, row, &key, &value);
            }
        }
        let kind = kept::kind_key(document.kind, document.is_fragment);
        self.facts.push(KINDS_AT, row, &kind, &value);
        let links = kept::write_links(&document.links);
        for (key, piece) in pieces(row, &links) {
            self.facts.push(LINKS_AT, row, &key, piece);
        }
        if is_text_kept {
            self.text_bytes += text_bytes;
            for (key, piece) in pieces(row, document.text.as_bytes()) {
                self.texts.push(0, row, &key, piece);
            }
        }
    }

    fn stacks(&mut self) -> [&mut Stack; 2] {
        [&mut self.facts, &mut self.texts]
    }

    /// The file of a segment of facts, or else of texts, that are in none yet; empty where there is nothing. `adopt` it
    /// when it is written, as of texts where `is_of_texts`.
    pub fn flush(&mut self, is_of_texts: bool, id: u64) -> Vec<u8> {
        self.stack(is_of_texts).flush(id)
    }

    pub fn adopt(
        &mut self,
        is_of_texts: bool,
        file: u32,
        bytes: u64,
        blocks: &mut Blocks,
    ) -> Result<(), Stop> {
        self.stack(is_of_texts).adopt(file, bytes, blocks)
    }

    fn stack(&mut self, is_of_texts: bool) -> &mut Stack {
        if is_of_texts {
            &mut self.texts
        } else {
            &mut self.facts
        }
    }

    /// Begins to make fewer segments, where there are too many, or as few as may be where nothing more comes.
    pub fn begin_merge(&mut self, id: u64, is_all: bool) -> bool {
        let mut stacks = self.stacks().into_iter();
        stacks.any(|stack| stack.begin_merge(id, is_all))
    }

    pub fn is_merging(&self) -> bool {
        self.facts.is_merging() || self.texts.is_merging()
    }

    fn merging(&mut self) -> Option<&mut Stack> {
        let mut stacks = self.stacks().into_iter();
        stacks.find(|stack| stack.is_merging())
    }

    /// Goes on merging; true when all of the new segment is there to be taken.
    pub fn merge(&mut self, blocks: &mut Blocks) -> Result<bool, Stop> {
        self.merging().map_or(Ok(true), |stack| stack.merge(blocks))
    }

    pub fn take_merged(&mut self) -> Vec<u8> {
        self.merging().map(Stack::take_merged).unwrap_or_default()
    }

    /// How many bytes there are to be taken.
    pub fn waiting(&mut self) -> usize {
        self.merging().map_or(0, |stack| stack.waiting())
    }

    /// The new segment is written; the files are told that are of no use once the manifest is kept.
    pub fn end_merge(
        &mut self,
        file: u32,
        bytes: u64,
        blocks: &mut Blocks,
    ) -> Result<Vec<u32>, Stop> {
        match self.merging() {
            Some(stack) => stack.end_merge(file, bytes, blocks),
            None => Ok(Vec::new()),
        }
    }

    pub fn stop_merge(&mut self) {
        self.stacks().into_iter().for_each(Stack::stop_merge);
    }

    // Reading: of what is in segments

    /// How many documents a list has.
    pub fn count(&self, list: DocumentList<'_>, blocks: &mut Blocks) -> Result<u64, Stop> {
        let [first, last] = self.range(&self.order(DocumentOrder::File), list, blocks)?;
        Ok(last - first)
    }

    /// Rows of a list's documents.
    pub fn list(
        &self,
        list: DocumentList<'_>,
        order: DocumentOrder,
        window: Window,
        blocks: &mut Blocks,
    ) -> Result<Vec<u64>, Stop> {
        let column = self.order(order);
        let [first, last] = self.range(&column, list, blocks)?;
        let from = window.from.min(last - first);
        let count = (last - first - from).min(window.count as u64);
        let start = if window.is_descending {
            last - from - count
        } else {
            first + from
        };
        let mut rows = Vec::new();
        if count > 0 {
            column.visit(start, blocks, |_, value| {
                rows.extend(kept::row_of(value));
                (rows.len() as u64) < count
            })?;
        }
        if window.is_descending {
            rows.reverse();
        }
        Ok(rows)
    }

    /// The languages of web pages, and how many there are of each.
    pub fn languages(&self, blocks: &mut Blocks) -> Result<Vec<(String, u64)>, Stop> {
        let column = self.order(DocumentOrder::File);
        let [first, last] = kept::LANGUAGES;
        let end = column.rank(last, blocks)?.entries;
        let mut at = column.rank(first, blocks)?.entries;
        let mut languages = Vec::new();
        while at < end {
            let mut language = String::new();
            column.visit(at, blocks, |key, _| {
                language = String::from_utf8_lossy(kept::language_of(key)).into_owned();
                false
            })?;
            let behind = DocumentList::Language(&language).behind();
            let next = column.rank(&behind, blocks)?.entries;
            // In a section that is not in order, as no writer makes it, this would not end.
            if next <= at {
                break;
            }
            languages.push((language, next - at));
            at = next;
        }
        Ok(languages)
    }

    /// How many documents there are of a kind, fragments for themselves.
    pub fn of_kind(
        &self,
        kind: DocumentKind,
        is_fragment: bool,
        blocks: &mut Blocks,
    ) -> Result<u64, Stop> {
        let column = Merged::new(self.facts.segments(), KINDS);
        let mut key = kept::kind_key(kind, is_fragment);
        let first = column.rank(&key, blocks)?.entries;
        key.push(0);
        Ok(column.rank(&key, blocks)?.entries.saturating_sub(first))
    }

    /// The facts of a row's document, as they are kept.
    pub fn facts(&self, row: u64, blocks: &mut Blocks) -> Result<Option<Vec<u8>>, Stop> {
        let Some(segment) = self.facts.segment_of(row) else {
            return Ok(None);
        };
        let mut found = None;
        visit_from(segment, FACTS, &kept::row_key(row), blocks, |key, value| {
            if key == kept::row_key(row) {
                found = Some(value.to_vec());
            }
            false
        })?;
        Ok(found)
    }

    /// Whether all text of a row's document is kept, be it none.
    pub fn has_text(&self, row: u64, blocks: &mut Blocks) -> Result<bool, Stop> {
        let facts = self.facts(row, blocks)?;
        Ok(facts.is_some_and(|facts| kept::has_text(&facts)))
    }

    /// So many pieces of a row's links or text, from one on, put together; fewer where it ends. As where something is
    /// missing all of it is done again, they should not be many.
    pub fn pieces(
        &self,
        long: Long,
        row: u64,
        from: u32,
        count: u32,
        blocks: &mut Blocks,
    ) -> Result<(u32, Vec<u8>), Stop> {
        let (stack, name) = match long {
            Long::Links => (&self.facts, LINKS),
            Long::Text => (&self.texts, TEXT),
        };
        let (mut found, mut bytes) = (0, Vec::new());
        if let Some(segment) = stack.segment_of(row) {
            let key = kept::piece_key(row, from);
            visit_from(segment, name, &key, blocks, |key, value| {
                let is_next = kept::piece_of(key) == Some((row, from.saturating_add(found)));
                if is_next && found < count {
                    bytes.extend_from_slice(value);
                    found += 1;
                }
                is_next && found < count
            })?;
        }
        Ok((found, bytes))
    }

    /// The title of a row's document; empty where there is none.
    pub fn title(&self, row: u64, blocks: &mut Blocks) -> Result<String, Stop> {
        let facts = self.facts(row, blocks)?;
        let document = facts.and_then(|facts| kept::read_facts(row, &facts, Vec::new()));
        Ok(document.map_or(String::new(), |document| document.title))
    }

    /// A row's document as far as it is kept: without its links, and perhaps without its text.
    pub fn document(&self, row: u64, blocks: &mut Blocks) -> Result<Option<Document>, Stop> {
        let Some(facts) = self.facts(row, blocks)? else {
            return Ok(None);
        };
        let (_, text) = self.pieces(Long::Text, row, 0, u32::MAX, blocks)?;
        Ok(kept::read_facts(row, &facts, text))
    }

    fn order(&self, order: DocumentOrder) -> Merged<'_> {
        Merged::new(self.facts.segments(), order.section())
    }

    /// Where a list begins and ends.
    fn range(
        &self,
        column: &Merged<'_>,
        list: DocumentList<'_>,
        blocks: &mut Blocks,
    ) -> Result<[u64; 2], Stop> {
        let first = column.rank(&list.prefix(), blocks)?.entries;
        let last = column.rank(&list.behind(), blocks)?.entries;
        Ok([first, last.max(first)])
    }

    // Checking

    /// Looks at some entries of the segments. True when all were seen.
    pub fn check(&self, state: &mut DocumentsCheck, blocks: &mut Blocks) -> Result<bool, Stop> {
        if !state.has_facts {
            state.has_facts = self.facts.check(&mut state.facts, has_its_facts, blocks)?;
            return Ok(false);
        }
        self.texts.check(&mut state.texts, has_its_texts, blocks)
    }
}

/// Every document has its facts and its kind, and each that is listed is so in each order.
fn has_its_facts(part: &StackPart, segment: &Segment) -> bool {
    let entries = |name| segment.section(name).map(|section| section.entries);
    let listed = entries(DocumentOrder::File.section());
    entries(FACTS) == Some(part.entries)
        && entries(KINDS) == Some(part.entries)
        && DocumentOrder::ALL
            .iter()
            .all(|order| entries(order.section()) == listed)
        && has_sections(segment, &kept::sections())
}

fn has_its_texts(part: &StackPart, segment: &Segment) -> bool {
    let entries = segment.section(TEXT).map(|section| section.entries);
    entries == Some(part.entries) && has_sections(segment, &kept::text_sections())
}

fn has_sections(segment: &Segment, sections: &[(&'static [u8], crate::segment::Kind)]) -> bool {
    sections.iter().all(|(name, kind)| {
        let section = segment.section(name);
        section.is_some_and(|section| section.kind == *kind)
    })
}

/// Calls `visit` with the entries of a section that are not below a key, until it returns false.
fn visit_from(
    segment: &Segment,
    name: &[u8],
    key: &[u8],
    blocks: &mut Blocks,
    mut visit: impl FnMut(&[u8], &[u8]) -> bool,
) -> Result<(), Stop> {
    let Some(section) = segment.section(name) else {
        return Ok(());
    };
    let mut cursor = Cursor::at_key(segment, section, key, blocks)?;
    while let Some((key, value)) = cursor.read(segment, blocks)? {
        if !visit(key, value) {
            break;
        }
        cursor.go_on();
    }
    Ok(())
}

/// Bytes in pieces, each with its key: an entry of a segment takes no more.
fn pieces(row: u64, bytes: &[u8]) -> impl Iterator<Item = (Vec<u8>, &[u8])> {
    let pieces = bytes.chunks(STORED_PIECE_BYTES).zip(0..);
    pieces.map(move |(piece, n)| (kept::piece_key(row, n), piece))
}
