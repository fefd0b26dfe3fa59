//! The store, on pages that the host reads and writes.

use wasm_bindgen::prelude::*;

use crate::codec::Writer;
use crate::store::{CommitBatch, Cursor, Missing, Opening, PAGE_BYTES, Pager, Put, StandIn};

/// What an operation came to.
const DONE: u32 = 0;
/// Pages are absent: provide those that `missing` names, and call again.
const MISSING: u32 = 1;
/// Write `spill`, confirm, and call again.
const MUST_SPILL: u32 = 2;
const TOO_LARGE: u32 = 3;

/// A store on pages that the host reads and writes.
#[wasm_bindgen]
pub struct PageStore {
    opening: Option<Opening>,
    pager: Option<Pager>,
    index: StandIn,
    cursor: Cursor,
    missing: Vec<u32>,
    value: Option<Vec<u8>>,
    batch: CommitBatch,
    cache_pages: usize,
}

#[wasm_bindgen]
impl PageStore {
    /// Begins with the first two pages of the file, empty where there are none.
    #[wasm_bindgen(constructor)]
    pub fn new(first: &[u8], second: &[u8], cache_pages: usize, buckets: u32) -> PageStore {
        PageStore {
            opening: Some(Opening::new([first, second])),
            pager: None,
            index: StandIn::new(buckets),
            cursor: Cursor::default(),
            missing: Vec::new(),
            value: None,
            batch: CommitBatch::default(),
            cache_pages,
        }
    }

    /// Goes on with opening: `DONE`, `MISSING` or `MUST_SPILL`.
    pub fn open(&mut self) -> u32 {
        if let Some(opening) = self.opening.take() {
            self.missing = opening.wanted().iter().map(|page_no| page_no.0).collect();
            if !self.missing.is_empty() {
                self.opening = Some(opening);
                return MISSING;
            }
            self.pager = Some(opening.finish(self.cache_pages));
        }
        let is_ready = self
            .pager
            .as_mut()
            .is_some_and(|pager| self.index.prepare(pager));
        if is_ready { DONE } else { MUST_SPILL }
    }

    /// Page numbers that the last operation needs, in the order in which to provide them.
    pub fn missing(&self) -> Vec<u32> {
        self.missing.clone()
    }

    /// Takes in a page. Returns false where it is not what was written there.
    pub fn provide(&mut self, page_no: u32, bytes: &[u8]) -> bool {
        match (&mut self.opening, &mut self.pager) {
            (Some(opening), _) => opening.provide(bytes),
            (None, Some(pager)) => pager.provide(crate::store::PageNo(page_no), bytes),
            (None, None) => false,
        }
    }

    pub fn put(&mut self, key: &[u8], value: &[u8]) -> u32 {
        let Some(pager) = &mut self.pager else {
            return MISSING;
        };
        match self.index.put(pager, key, value) {
            Ok(Put::Done) => DONE,
            Ok(Put::MustSpill) => MUST_SPILL,
            Ok(Put::TooLarge) => TOO_LARGE,
            Err(missing) => self.absent(missing),
        }
    }

    /// Looks a key up; `value` has it afterwards.
    pub fn get(&mut self, key: &[u8]) -> u32 {
        let Some(pager) = &mut self.pager else {
            return MISSING;
        };
        match self.index.get(pager, key) {
            Ok(value) => {
                self.value = value;
                DONE
            }
            Err(missing) => self.absent(missing),
        }
    }

    pub fn value(&mut self) -> Option<Vec<u8>> {
        self.value.take()
    }

    pub fn rewind(&mut self) {
        self.cursor = Cursor::default();
    }

    /// The next entries of a scan; `value` has them afterwards, as (key value)* with lengths, empty at the end.
    pub fn scan(&mut self, limit: usize) -> u32 {
        let Some(pager) = &mut self.pager else {
            return MISSING;
        };
        match self.index.scan(pager, &mut self.cursor, limit) {
            Ok(entries) => {
                let mut out = Writer::new();
                for (key, value) in entries {
                    out.bytes(&key);
                    out.bytes(&value);
                }
                self.value = Some(out.finish());
                DONE
            }
            Err(missing) => self.absent(missing),
        }
    }

    /// Prepares what must be written to make room.
    pub fn spill(&mut self) {
        self.batch = self.pager.as_ref().map(Pager::spill).unwrap_or_default();
    }

    /// Prepares what must be written to commit.
    pub fn commit(&mut self) {
        self.batch = self.pager.as_mut().map(Pager::commit).unwrap_or_default();
    }

    /// Page numbers of the batch.
    pub fn batch_pages(&self) -> Vec<u32> {
        self.batch
            .pages
            .iter()
            .map(|(page_no, _)| page_no.0)
            .collect()
    }

    /// Their bytes, one after another.
    pub fn batch_bytes(&self) -> Vec<u8> {
        self.batch
            .pages
            .iter()
            .flat_map(|(_, bytes)| bytes.iter().copied())
            .collect()
    }

    /// The superblock to write after a flush; absent in a spill.
    pub fn batch_superblock(&self) -> Option<Vec<u8>> {
        self.batch
            .superblock
            .as_ref()
            .map(|(_, bytes)| bytes.clone())
    }

    pub fn batch_superblock_page(&self) -> u32 {
        self.batch
            .superblock
            .as_ref()
            .map_or(0, |(page_no, _)| page_no.0)
    }

    /// The batch was written and, with a superblock, flushed.
    pub fn confirm(&mut self) {
        self.batch = CommitBatch::default();
        if let Some(pager) = &mut self.pager {
            pager.confirm();
        }
    }

    pub fn generation(&self) -> f64 {
        let generation = self.pager.as_ref().map_or(0, Pager::generation);
        f64::from(u32::try_from(generation).unwrap_or(u32::MAX))
    }

    pub fn page_bytes() -> usize {
        PAGE_BYTES
    }
}

impl PageStore {
    fn absent(&mut self, Missing(pages): Missing) -> u32 {
        self.missing = pages.iter().map(|page_no| page_no.0).collect();
        MISSING
    }
}
