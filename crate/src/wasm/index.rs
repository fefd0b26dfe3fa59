//! The index of an archive, in segments that the host keeps as files.

use wasm_bindgen::prelude::*;

use super::numbers::{offset_in, offset_out};
use super::query::Searched;
use crate::codec::{Reader, Writer};
use crate::index::{
    Asked, Capture, Column, Documents, DocumentsCheck, Grouping, Index, IndexCheck, Manifest, Part,
    Window,
};
use crate::numbered::Numbered;
use crate::row::Row;
use crate::search::SearchIndex;
use crate::segment::{Blocks, Rank, Span, Stop};

/// What an operation came to.
pub(super) const DONE: u32 = 0;
/// A part of a file is absent: provide it, and call again.
pub(super) const MISSING: u32 = 1;
/// That part is not what was written there.
pub(super) const DAMAGED: u32 = 2;
/// Call again.
pub(super) const MORE: u32 = 3;

#[wasm_bindgen]
pub struct KeptIndex {
    pub(super) index: Index,
    /// None where documents are not kept with this index.
    pub(super) documents: Option<Documents>,
    /// None where nothing is kept to be searched.
    pub(super) search: Option<SearchIndex>,
    /// By their numbers.
    pub(super) queries: Numbered<Searched>,
    pub(super) next_query: u32,
    pub(super) blocks: Blocks,
    span: Option<Span>,
    pub(super) value: Vec<u8>,
    /// Rows or pieces in the value.
    pub(super) told: u64,
    pub(super) rank: Rank,
    removed: Vec<u32>,
    check: IndexCheck,
    documents_check: Option<DocumentsCheck>,
}

/// How `groups` numbers what is together; those of the same key are 0.
const OF_HOSTS: u8 = 1;
const OF_WHOLE_HOSTS: u8 = 2;

#[wasm_bindgen]
impl KeptIndex {
    /// An empty index, with so much memory for what is read of segments.
    #[wasm_bindgen(constructor)]
    pub fn new(cache_bytes: usize) -> KeptIndex {
        KeptIndex {
            index: Index::new(),
            documents: None,
            search: None,
            queries: Numbered::default(),
            next_query: 0,
            blocks: Blocks::new(cache_bytes),
            span: None,
            value: Vec::new(),
            told: 0,
            rank: Rank::default(),
            removed: Vec::new(),
            check: IndexCheck::default(),
            documents_check: None,
        }
    }

    /// Opens the segments of a manifest.
    pub fn open(&mut self, manifest: &[u8]) -> Result<u32, JsValue> {
        let manifest = Manifest::read(manifest)
            .ok_or_else(|| JsValue::from_str("store/damaged\n\nA manifest of an index is none."))?;
        let opened = Index::open(&manifest, &mut self.blocks);
        Ok(self.done(opened, |this, index| this.index = index))
    }

    /// The part of a file that is absent or damaged.
    pub fn span_file(&self) -> u32 {
        self.span.map_or(0, |span| span.file)
    }

    pub fn span_offset(&self) -> f64 {
        offset_out(self.span.map_or(0, |span| span.offset))
    }

    pub fn span_length(&self) -> u32 {
        self.span.map_or(0, |span| span.length)
    }

    /// Takes in that part, shorter where the file ends before.
    pub fn provide(&mut self, bytes: &[u8]) {
        if let Some(span) = self.span {
            self.blocks.provide(span, bytes);
        }
    }

    // Growing

    /// Adds rows, each with its part before it and the key of its URL behind it.
    pub fn add(&mut self, rows: &[u8]) {
        let mut reader = Reader::new(rows);
        let mut row = Row::default();
        while let Some((part, key)) = keyed(&mut reader, &mut row) {
            self.index.push(&row, key, part);
        }
    }

    pub fn is_full(&self) -> bool {
        self.index.is_full()
    }

    /// The file of a segment of what is in none yet; empty where there is nothing.
    pub fn flush(&mut self, id: f64) -> Vec<u8> {
        self.index.flush(offset_in(id))
    }

    /// Takes that file as the next segment.
    pub fn adopt(&mut self, file: u32, bytes: f64, rows: f64) -> u32 {
        let part = Part {
            file,
            bytes: offset_in(bytes),
            rows: offset_in(rows),
        };
        let adopted = self.index.adopt(part, &mut self.blocks);
        self.done(adopted, |_, ()| {})
    }

    /// Begins to make fewer segments, or one of all; false where that is not worth it.
    pub fn begin_merge(&mut self, id: f64, is_all: bool) -> bool {
        self.index.begin_merge(offset_in(id), is_all)
    }

    pub fn merge(&mut self) -> u32 {
        let (merging, blocks) = self.merging();
        match merging.merge(blocks) {
            Ok(false) => MORE,
            merged => self.done(merged, |_, _| {}),
        }
    }

    /// Bytes to append to the new segment's file.
    pub fn take_merged(&mut self) -> Vec<u8> {
        self.merging().0.take_merged()
    }

    /// How many there are.
    pub fn waiting(&mut self) -> usize {
        self.merging().0.waiting()
    }

    pub fn end_merge(&mut self, file: u32, bytes: f64) -> u32 {
        let (merging, blocks) = self.merging();
        let ended = merging.end_merge(file, offset_in(bytes), blocks);
        self.done(ended, |this, removed| this.removed = removed)
    }

    pub fn stop_merge(&mut self) {
        self.index.stop_merge();
        self.documents.iter_mut().for_each(Documents::stop_merge);
        self.search.iter_mut().for_each(SearchIndex::stop_merge);
    }

    pub fn begin_check(&mut self) {
        self.check = IndexCheck::default();
        self.documents_check = None;
    }

    /// Goes on checking every segment, also after one that is damaged.
    pub fn check(&mut self) -> u32 {
        let checked = match (&mut self.documents_check, &self.documents) {
            (Some(check), Some(documents)) => documents.check(check, &mut self.blocks),
            _ => match self.index.check(&mut self.check, &mut self.blocks) {
                Ok(true) if self.documents.is_some() => {
                    self.documents_check = Some(DocumentsCheck::default());
                    Ok(false)
                }
                checked => checked,
            },
        };
        match checked {
            Ok(false) => MORE,
            checked => self.done(checked, |_, _| {}),
        }
    }

    /// Files that are of no use once the manifest is kept.
    pub fn take_removed(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.removed)
    }

    /// The files of its segments, those of documents and searches too.
    pub fn files(&self) -> Vec<u32> {
        let parts = self.index.manifest().parts;
        let files = parts.iter().map(|part| part.file);
        let of_documents = self.documents.iter().flat_map(Documents::files);
        let of_search = self.search.iter().flat_map(SearchIndex::files);
        files.chain(of_documents).chain(of_search).collect()
    }

    pub fn manifest(&self) -> Vec<u8> {
        self.index.manifest().to_bytes()
    }

    // Reading

    /// Records of the index.
    pub fn count(&self) -> f64 {
        offset_out(self.index.rows())
    }

    /// Those that are in segments.
    pub fn kept_count(&self) -> f64 {
        offset_out(self.index.kept_rows())
    }

    /// Bytes of the segments, those of documents and searches too.
    pub fn bytes(&self) -> f64 {
        let of_documents = self.documents.as_ref().map_or(0, Documents::bytes);
        let of_search = self.search.as_ref().map_or(0, SearchIndex::bytes);
        offset_out(self.index.bytes() + of_documents + of_search)
    }

    /// What the last operation gave.
    pub fn take_value(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.value)
    }

    /// Rows in the order of the files, as the table of records tells them.
    pub fn rows(&mut self, from: f64, count: usize) -> u32 {
        let mut out = Writer::new();
        let mut left = count;
        if left == 0 {
            self.value.clear();
            return DONE;
        }
        let visited =
            self.index
                .visit_rows(offset_in(from), &mut self.blocks, |number, part, row| {
                    row.tell(number, part, &mut out);
                    left -= 1;
                    left > 0
                });
        self.done(visited, |this, ()| this.value = out.finish())
    }

    /// Begins to tell rows as the table of records takes them back: `stored_rows` until it is done.
    pub fn begin_stored(&mut self) {
        self.value.clear();
        self.told = 0;
    }

    pub fn stored_rows(&mut self, from: f64, count: f64) -> u32 {
        let mut out = Writer::behind(std::mem::take(&mut self.value));
        let told = self.index.tell_stored(
            offset_in(from),
            offset_in(count),
            &mut self.told,
            &mut out,
            &mut self.blocks,
        );
        self.value = out.finish();
        self.done(told, |_, ()| {})
    }

    /// Rows in the order of a column.
    pub fn sorted(&mut self, column: u8, from: f64, count: usize, is_descending: bool) -> u32 {
        let window = Window {
            from: offset_in(from),
            count,
            is_descending,
        };
        let KeptIndex { index, blocks, .. } = self;
        let mut rows = || {
            let mut out = Writer::new();
            let Some(column) = Column::from_number(column) else {
                return Ok(Vec::new());
            };
            for number in index.window(column, window, blocks)? {
                if let Some((part, row)) = index.row(number, blocks)? {
                    row.tell(number, part, &mut out);
                }
            }
            Ok(out.finish())
        };
        let found = rows();
        self.done(found, |this, value| this.value = value)
    }

    /// Captures of a URL, by its key: those nearest to a time in seconds since 1970, or without one the first. Of each its
    /// time + 1 or 0, row, length, part, offset, skip, kind and status + 1.
    pub fn nearest(&mut self, url_key: &[u8], time: Option<u32>, count: usize) -> u32 {
        let asked = Asked { time, count };
        let found = self.index.nearest(url_key, asked, &mut self.blocks);
        self.done(found, |this, captures| {
            let mut out = Writer::new();
            for Capture { time, locator } in captures {
                out.varint(time.map_or(0, |time| u64::from(time) + 1));
                for number in [
                    locator.row,
                    locator.length,
                    locator.part,
                    locator.offset,
                    locator.skip,
                    u64::from(locator.kind),
                    locator.status.map_or(0, |status| u64::from(status) + 1),
                ] {
                    out.varint(number);
                }
            }
            this.value = out.finish();
        })
    }

    /// What is before a key in a column: `rank_entries` and `rank_weight`.
    pub fn rank(&mut self, column: u8, key: &[u8]) -> u32 {
        let Some(column) = Column::from_number(column) else {
            return DONE;
        };
        let rank = self.index.rank(column, key, &mut self.blocks);
        self.done(rank, |this, rank| this.rank = rank)
    }

    pub fn rank_entries(&self) -> f64 {
        offset_out(self.rank.entries)
    }

    pub fn rank_weight(&self) -> f64 {
        offset_out(self.rank.weight)
    }

    /// Values of a column from a key on, or whole hosts, or hosts below one: of each its name and the key behind it, with their lengths,
    /// records, bytes, and whether there is none below it.
    pub fn groups(
        &mut self,
        column: u8,
        grouping: u8,
        under: &[u8],
        from: &[u8],
        count: usize,
    ) -> u32 {
        let grouping = match grouping {
            OF_HOSTS => Grouping::Host { under },
            OF_WHOLE_HOSTS => Grouping::WholeHost,
            _ => Grouping::Key,
        };
        let Some(column) = Column::from_number(column) else {
            return DONE;
        };
        let groups = self
            .index
            .groups(column, grouping, from, count, &mut self.blocks);
        self.done(groups, |this, groups| {
            let mut out = Writer::new();
            for group in groups {
                out.bytes(&group.name);
                out.bytes(&group.behind);
                out.varint(group.entries);
                out.varint(group.weight);
                out.varint(u64::from(group.is_leaf));
            }
            this.value = out.finish();
        })
    }
}

/// What makes fewer segments of many.
trait Merging {
    fn merge(&mut self, blocks: &mut Blocks) -> Result<bool, Stop>;
    fn take_merged(&mut self) -> Vec<u8>;
    fn waiting(&mut self) -> usize;
    fn end_merge(&mut self, file: u32, bytes: u64, blocks: &mut Blocks) -> Result<Vec<u32>, Stop>;
}

macro_rules! merging {
    ($($what:ty),*) => {$(
        impl Merging for $what {
            fn merge(&mut self, blocks: &mut Blocks) -> Result<bool, Stop> {
                <$what>::merge(self, blocks)
            }
            fn take_merged(&mut self) -> Vec<u8> {
                <$what>::take_merged(self)
            }
            fn waiting(&mut self) -> usize {
                <$what>::waiting(self)
            }
            fn end_merge(
                &mut self,
                file: u32,
                bytes: u64,
                blocks: &mut Blocks,
            ) -> Result<Vec<u32>, Stop> {
                <$what>::end_merge(self, file, bytes, blocks)
            }
        }
    )*};
}

merging!(Index, Documents, SearchIndex);

impl KeptIndex {
    /// What is merging; the rows where nothing is.
    fn merging(&mut self) -> (&mut dyn Merging, &mut Blocks) {
        let documents = self.documents.as_mut().filter(|one| one.is_merging());
        let search = self.search.as_mut().filter(|one| one.is_merging());
        let merging: &mut dyn Merging = match (documents, search) {
            (Some(documents), _) => documents,
            (None, Some(search)) => search,
            (None, None) => &mut self.index,
        };
        (merging, &mut self.blocks)
    }

    pub(super) fn done<T>(
        &mut self,
        result: Result<T, Stop>,
        take: impl FnOnce(&mut Self, T),
    ) -> u32 {
        match result {
            Ok(value) => {
                take(self, value);
                DONE
            }
            Err(Stop::Missing(span)) => {
                self.span = Some(span);
                MISSING
            }
            Err(Stop::Damaged(span)) => {
                self.span = Some(span);
                DAMAGED
            }
        }
    }
}

fn keyed<'a>(reader: &mut Reader<'a>, row: &mut Row) -> Option<(u64, &'a [u8])> {
    let part = reader.varint()?;
    row.read(reader)?;
    let length = usize::try_from(reader.varint()?).ok()?;
    Some((part, reader.take(length)?))
}
