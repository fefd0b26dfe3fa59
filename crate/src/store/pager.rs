//! Logical pages, written copy-on-write: a commit never touches a page that the last one refers to.
//!
//! A logical page has a place in the file by the page table; the first change after a commit gives it
//! a new place. The table is resident and kept in pages of its own, found by the superblock.
//! States of a change: resident and dirty -> written (spilled or in a batch) -> committed.
//! P1  A place that a commit refers to is not written until a later commit is confirmed.
//! P2  The superblock is written after everything that it refers to is flushed.
//! P3  A spill writes places that no commit refers to, so losing it loses nothing.
//! P4  Between `commit` and `confirm` nothing may be changed.

use super::cache::{Cache, Missing};
use super::page::{CONTENT_BYTES, PageNo, seal, unseal};
use super::superblock::{Superblock, TABLES_MAX};

const PLACES_PER_TABLE: usize = CONTENT_BYTES / 4;
const NO_PLACE: PageNo = PageNo(0);

/// What the host writes. With a superblock: the pages, a flush, the superblock, a flush; then `confirm`.
/// Without: the pages only; then `confirm`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommitBatch {
    pub pages: Vec<(PageNo, Vec<u8>)>,
    pub superblock: Option<(PageNo, Vec<u8>)>,
}

pub struct Pager {
    cache: Cache,
    committed: Superblock,
    /// Logical page to its place in the file.
    places: Vec<PageNo>,
    /// Whether the place was given since the last commit.
    is_fresh: Vec<bool>,
    table_places: Vec<PageNo>,
    is_table_changed: Vec<bool>,
    next_page: u32,
    /// Places that no commit refers to.
    free: Vec<PageNo>,
    /// Places that the last commit refers to and the next one will not.
    freed: Vec<PageNo>,
    pending: Option<Superblock>,
}

/// Opening: the page tables must be read first.
pub struct Opening {
    superblock: Superblock,
    tables: Vec<Vec<u8>>,
}

impl Opening {
    /// Begins with the first two pages of the file, which may be short or empty.
    pub fn new(superblocks: [&[u8]; 2]) -> Opening {
        Opening {
            superblock: Superblock::newest(superblocks),
            tables: Vec::new(),
        }
    }

    /// The pages to provide, in order.
    pub fn wanted(&self) -> &[PageNo] {
        &self.superblock.tables[self.tables.len()..]
    }

    /// Takes the next wanted page. Returns false where it is not what was written.
    pub fn provide(&mut self, bytes: &[u8]) -> bool {
        let Some(content) = self
            .wanted()
            .first()
            .and_then(|page_no| unseal(*page_no, bytes))
        else {
            return false;
        };
        self.tables.push(content.to_vec());
        true
    }

    pub fn finish(self, cache_pages: usize) -> Pager {
        let words = self.tables.iter().flat_map(|table| table.chunks_exact(4));
        let places: Vec<PageNo> = words
            .map(|word| PageNo(word.try_into().map_or(0, u32::from_le_bytes)))
            .take(self.superblock.logical as usize)
            .collect();
        let mut is_used = vec![false; self.superblock.next_page as usize];
        for page_no in places.iter().chain(&self.superblock.tables) {
            if let Some(used) = is_used.get_mut(page_no.0 as usize) {
                *used = true;
            }
        }
        let free = (2..self.superblock.next_page)
            .map(PageNo)
            .filter(|page_no| !is_used[page_no.0 as usize])
            .collect();
        Pager {
            cache: Cache::new(cache_pages),
            is_fresh: vec![false; places.len()],
            places,
            is_table_changed: vec![false; self.superblock.tables.len()],
            table_places: self.superblock.tables.clone(),
            next_page: self.superblock.next_page,
            committed: self.superblock,
            free,
            freed: Vec::new(),
            pending: None,
        }
    }
}

impl Pager {
    /// Logical pages that exist.
    pub fn len(&self) -> u32 {
        u32::try_from(self.places.len()).unwrap_or(u32::MAX)
    }

    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    pub fn generation(&self) -> u64 {
        self.committed.generation
    }

    pub fn read(&mut self, logical: u32) -> Result<&[u8], Missing> {
        let place = self.places[logical as usize];
        self.cache.read(place)
    }

    /// Names all of `logical` that are absent; nothing if an operation on them can go through.
    pub fn absent(&mut self, logical: &[u32]) -> Result<(), Missing> {
        let absent: Vec<PageNo> = logical
            .iter()
            .map(|page| self.places[*page as usize])
            .filter(|place| self.cache.read(*place).is_err())
            .collect();
        if absent.is_empty() {
            Ok(())
        } else {
            Err(Missing(absent))
        }
    }

    /// A page to change. It must be resident: see `absent`.
    pub fn write(&mut self, logical: u32) -> Result<&mut [u8], Missing> {
        debug_assert!(self.pending.is_none(), "P4");
        let at = logical as usize;
        let place = self.places[at];
        self.cache.read(place)?;
        if !self.is_fresh[at] {
            let new_place = self.new_place();
            self.cache.renumber(place, new_place);
            self.freed.push(place);
            self.set_place(at, new_place);
        }
        self.cache.write(self.places[at])
    }

    /// Makes a logical page of zeros. Fails where the cache is full of dirty pages: spill first.
    pub fn grow(&mut self) -> Option<u32> {
        debug_assert!(self.pending.is_none(), "P4");
        if self.places.len() >= TABLES_MAX * PLACES_PER_TABLE {
            return None;
        }
        let place = self.new_place();
        if !self.cache.provide(place, &[0; CONTENT_BYTES], true) {
            self.free.push(place);
            return None;
        }
        let logical = self.len();
        self.places.push(NO_PLACE);
        self.is_fresh.push(false);
        self.set_place(logical as usize, place);
        Some(logical)
    }

    fn set_place(&mut self, at: usize, place: PageNo) {
        self.places[at] = place;
        self.is_fresh[at] = true;
        let table = at / PLACES_PER_TABLE;
        if self.is_table_changed.len() <= table {
            self.is_table_changed.resize(table + 1, true);
            self.table_places.resize(table + 1, NO_PLACE);
        }
        self.is_table_changed[table] = true;
    }

    fn new_place(&mut self) -> PageNo {
        self.free.pop().unwrap_or_else(|| {
            self.next_page += 1;
            PageNo(self.next_page - 1)
        })
    }

    /// Takes in a page that was asked for. Returns false where it is not what was written there.
    pub fn provide(&mut self, page_no: PageNo, bytes: &[u8]) -> bool {
        unseal(page_no, bytes).is_some_and(|content| self.cache.provide(page_no, content, false))
    }

    /// Whether so many pages are dirty that the next operation may find no room.
    pub fn must_spill(&self) -> bool {
        self.cache.dirty_count() * 2 >= self.cache.capacity()
    }

    /// The dirty pages, to be written without a commit.
    pub fn spill(&self) -> CommitBatch {
        CommitBatch {
            pages: self.sealed(),
            superblock: None,
        }
    }

    /// Everything since the last commit.
    pub fn commit(&mut self) -> CommitBatch {
        let mut pages = self.sealed();
        for table in 0..self.table_places.len() {
            if !self.is_table_changed[table] {
                continue;
            }
            let place = self.new_place();
            let old = std::mem::replace(&mut self.table_places[table], place);
            if old != NO_PLACE {
                self.freed.push(old);
            }
            let from = table * PLACES_PER_TABLE;
            let to = self.places.len().min(from + PLACES_PER_TABLE);
            let mut content: Vec<u8> = self.places[from..to]
                .iter()
                .flat_map(|place| place.0.to_le_bytes())
                .collect();
            content.resize(CONTENT_BYTES, 0);
            pages.push((place, seal(place, &content)));
        }
        let superblock = Superblock {
            generation: self.committed.generation + 1,
            next_page: self.next_page,
            logical: self.len(),
            tables: self.table_places.clone(),
        };
        let batch = CommitBatch {
            pages,
            superblock: Some((superblock.place(), superblock.to_page())),
        };
        self.pending = Some(superblock);
        batch
    }

    fn sealed(&self) -> Vec<(PageNo, Vec<u8>)> {
        let mut pages: Vec<_> = self
            .cache
            .dirty()
            .map(|(page_no, content)| (page_no, seal(page_no, content)))
            .collect();
        // Neighbours in the file go out in one write.
        pages.sort_unstable_by_key(|(page_no, _)| *page_no);
        pages
    }

    /// The batch was written, and flushed if it had a superblock.
    pub fn confirm(&mut self) {
        self.cache.clean();
        if let Some(superblock) = self.pending.take() {
            self.committed = superblock;
            self.free.append(&mut self.freed);
            self.is_fresh.fill(false);
            self.is_table_changed.fill(false);
        }
    }
}
