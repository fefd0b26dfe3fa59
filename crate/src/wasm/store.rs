//! The store, on pages that the host reads and writes.

use wasm_bindgen::prelude::*;

use crate::codec::Writer;
use crate::store::{Change, CommitBatch, Cursor, LinearHash, Missing, Opening, PAGE_BYTES, Pager};

/// What an operation came to.
const DONE: u32 = 0;
/// Pages are absent: provide those that `missing` names, and call again.
const MISSING: u32 = 1;
/// Write `spill`, confirm, and call again.
const MUST_SPILL: u32 = 2;
const TOO_LARGE: u32 = 3;
const NOT_THERE: u32 = 4;
const FULL: u32 = 5;

/// What a store begins with, where the file has none.
struct NewStore {
    salt: [u8; 16],
    records: u64,
    bytes: u64,
}

/// A store on pages that the host reads and writes.
#[wasm_bindgen]
pub struct PageStore {
    opening: Option<Opening>,
    open: Option<(Pager, LinearHash)>,
    new: NewStore,
    cursor: Cursor,
    missing: Vec<u32>,
    value: Option<Vec<u8>>,
    batch: CommitBatch,
    cache_pages: usize,
}

#[wasm_bindgen]
impl PageStore {
    /// Begins with the first two pages of the file, empty where there are none. A new store is made with `salt`,
    /// 16 random bytes, and for as many records of so many bytes in all as are expected.
    #[wasm_bindgen(constructor)]
    pub fn new(
        first: &[u8],
        second: &[u8],
        cache_pages: usize,
        salt: &[u8],
        records: f64,
        bytes: f64,
    ) -> PageStore {
        PageStore {
            opening: Some(Opening::new([first, second])),
            open: None,
            new: NewStore {
                salt: salt.try_into().unwrap_or_default(),
                records: count_in(records),
                bytes: count_in(bytes),
            },
            cursor: Cursor::default(),
            missing: Vec::new(),
            value: None,
            batch: CommitBatch::default(),
            cache_pages,
        }
    }

    /// Goes on with opening: `DONE` or `MISSING`.
    pub fn open(&mut self) -> u32 {
        if let Some(opening) = self.opening.take() {
            self.missing = opening.wanted().iter().map(|page_no| page_no.0).collect();
            if !self.missing.is_empty() {
                self.opening = Some(opening);
                return MISSING;
            }
            let mut pager = opening.finish(self.cache_pages);
            let NewStore {
                salt,
                records,
                bytes,
            } = self.new;
            let index = LinearHash::open(&mut pager, salt, records, bytes);
            self.open = Some((pager, index));
        }
        DONE
    }

    /// Page numbers that the last operation needs, in the order in which to provide them.
    pub fn missing(&self) -> Vec<u32> {
        self.missing.clone()
    }

    /// Takes in a page. Returns false where it is not what was written there.
    pub fn provide(&mut self, page_no: u32, bytes: &[u8]) -> bool {
        match (&mut self.opening, &mut self.open) {
            (Some(opening), _) => opening.provide(bytes),
            (None, Some((pager, _))) => pager.provide(crate::store::PageNo(page_no), bytes),
            (None, None) => false,
        }
    }

    pub fn put(&mut self, key: &[u8], value: &[u8]) -> u32 {
        self.change(|index, pager| index.put(pager, key, value))
    }

    pub fn remove(&mut self, key: &[u8]) -> u32 {
        self.change(|index, pager| index.remove(pager, key))
    }

    /// Looks a key up; `value` has it afterwards.
    pub fn get(&mut self, key: &[u8]) -> u32 {
        let Some((pager, index)) = &mut self.open else {
            return MISSING;
        };
        match index.get(pager, key) {
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
        let Some((pager, index)) = &mut self.open else {
            return MISSING;
        };
        match index.scan(pager, &mut self.cursor, limit) {
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
        self.batch = self
            .open
            .as_ref()
            .map(|(pager, _)| pager.spill())
            .unwrap_or_default();
    }

    /// Prepares what must be written to commit.
    pub fn commit(&mut self) {
        self.batch = self
            .open
            .as_mut()
            .map(|(pager, _)| pager.commit())
            .unwrap_or_default();
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
        if let Some((pager, _)) = &mut self.open {
            pager.confirm();
        }
    }

    pub fn generation(&self) -> f64 {
        let generation = self
            .open
            .as_ref()
            .map_or(0, |(pager, _)| pager.generation());
        f64::from(u32::try_from(generation).unwrap_or(u32::MAX))
    }

    /// Entries of the store.
    pub fn count(&self) -> f64 {
        let records = self.open.as_ref().map_or(0, |(_, index)| index.len());
        f64::from(u32::try_from(records).unwrap_or(u32::MAX))
    }

    /// The bucket of a key: entries that are put in this order touch each page once.
    pub fn bucket_of(&self, key: &[u8]) -> u32 {
        let open = self.open.as_ref();
        open.map_or(0, |(_, index)| index.bucket_of(key))
    }

    pub fn page_bytes() -> usize {
        PAGE_BYTES
    }
}

impl PageStore {
    fn change(
        &mut self,
        change: impl FnOnce(&mut LinearHash, &mut Pager) -> Result<Change, Missing>,
    ) -> u32 {
        let Some((pager, index)) = &mut self.open else {
            return MISSING;
        };
        match change(index, pager) {
            Ok(Change::Done) => DONE,
            Ok(Change::MustSpill) => MUST_SPILL,
            Ok(Change::TooLarge) => TOO_LARGE,
            Ok(Change::NotThere) => NOT_THERE,
            Ok(Change::Full) => FULL,
            Err(missing) => self.absent(missing),
        }
    }

    fn absent(&mut self, Missing(pages): Missing) -> u32 {
        self.missing = pages.iter().map(|page_no| page_no.0).collect();
        MISSING
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn count_in(count: f64) -> u64 {
    count as u64
}
