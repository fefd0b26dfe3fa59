//! Logical pages, written copy-on-write: a commit never touches a page that the last one refers to.
//!
//! A logical page has a place in the file by the page tables; the first change after a commit gives it
//! a new place. The tables are resident and kept in pages of their own, found by the superblock.
//! A logical page without a place is all zeros, and costs nothing until it is written.
//! States of a change: resident and dirty -> written (spilled or in a batch) -> committed.
//! P1  A place that a commit refers to is not written until a later commit is confirmed.
//! P2  The superblock is written after everything that it refers to is flushed.
//! P3  A spill writes places that no commit refers to, so losing it loses nothing.
//! P4  Between `commit` and `confirm` nothing may be changed.

use std::collections::BTreeSet;

use super::cache::{Cache, Missing};
use super::page::{CONTENT_BYTES, PageNo, seal, unseal};
use super::superblock::{PLACES_PER_TABLE, ROOT_BYTES, Superblock, TABLES_MAX};
use crate::order;

const NO_PLACE: PageNo = PageNo(0);
const ZEROS: [u8; CONTENT_BYTES] = [0; CONTENT_BYTES];

/// A page of the index on this pager, wherever in the file it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logical {
    /// The first page of a bucket.
    Bucket(u32),
    /// A further page of some bucket.
    Overflow(u32),
}

impl Logical {
    fn parts(self) -> (usize, usize) {
        match self {
            Logical::Bucket(n) => (0, n as usize),
            Logical::Overflow(n) => (1, n as usize),
        }
    }
}

/// What the host writes. With a superblock: the pages, a flush, the superblock, a flush; then `confirm`.
/// Without: the pages only; then `confirm`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommitBatch {
    pub pages: Vec<(PageNo, Vec<u8>)>,
    pub superblock: Option<(PageNo, Vec<u8>)>,
}

/// Where the logical pages of one kind stand.
#[derive(Default)]
struct Table {
    places: Vec<PageNo>,
    /// Whether the place was given since the last commit.
    is_fresh: Vec<bool>,
    own_places: Vec<PageNo>,
    is_changed: Vec<bool>,
}

impl Table {
    fn set(&mut self, at: usize, place: PageNo) {
        self.places[at] = place;
        self.is_fresh[at] = place != NO_PLACE;
        self.touch(at);
    }

    fn touch(&mut self, at: usize) {
        let table = at / PLACES_PER_TABLE;
        if self.is_changed.len() <= table {
            self.is_changed.resize(table + 1, true);
            self.own_places.resize(table + 1, NO_PLACE);
        }
        self.is_changed[table] = true;
    }

    fn push(&mut self) {
        self.places.push(NO_PLACE);
        self.is_fresh.push(false);
        self.touch(self.places.len() - 1);
    }
}

pub struct Pager {
    cache: Cache,
    committed: Superblock,
    tables: [Table; 2],
    root: [u8; ROOT_BYTES],
    next_page: u32,
    /// Places that no commit refers to; the lowest is given first, so that the file's end becomes free.
    free: BTreeSet<PageNo>,
    /// Places that the last commit refers to and the next one will not.
    freed: Vec<PageNo>,
    /// Overflow pages that nobody uses.
    spare: BTreeSet<u32>,
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
        let Superblock { counts, .. } = self.superblock;
        let (bucket_tables, overflow_tables) =
            self.tables.split_at(Superblock::tables_of(counts[0]));
        let (bucket_places, overflow_places) = self
            .superblock
            .tables
            .split_at(Superblock::tables_of(counts[0]));
        let tables = [
            table_of(bucket_tables, bucket_places, counts[0]),
            table_of(overflow_tables, overflow_places, counts[1]),
        ];
        let mut is_used = vec![false; self.superblock.next_page as usize];
        let places = tables.iter().flat_map(|table| &table.places);
        for page_no in places.chain(&self.superblock.tables) {
            if let Some(used) = is_used.get_mut(page_no.0 as usize) {
                *used = true;
            }
        }
        let free = (2..self.superblock.next_page)
            .map(PageNo)
            .filter(|page_no| !is_used[page_no.0 as usize])
            .collect();
        let spare = (0..counts[1])
            .filter(|n| tables[1].places[*n as usize] == NO_PLACE)
            .collect();
        Pager {
            cache: Cache::new(cache_pages),
            tables,
            root: self.superblock.root,
            next_page: self.superblock.next_page,
            committed: self.superblock,
            free,
            freed: Vec::new(),
            spare,
            pending: None,
        }
    }
}

fn table_of(contents: &[Vec<u8>], own_places: &[PageNo], count: u32) -> Table {
    let words = contents.iter().flat_map(|content| content.chunks_exact(4));
    let places: Vec<PageNo> = words
        .map(|word| PageNo(word.try_into().map_or(0, u32::from_le_bytes)))
        .take(count as usize)
        .collect();
    Table {
        is_fresh: vec![false; places.len()],
        is_changed: vec![false; own_places.len()],
        own_places: own_places.to_vec(),
        places,
    }
}

impl Pager {
    pub fn generation(&self) -> u64 {
        self.committed.generation
    }

    /// What the index keeps with each commit.
    pub fn root(&self) -> &[u8; ROOT_BYTES] {
        &self.root
    }

    pub fn set_root(&mut self, root: [u8; ROOT_BYTES]) {
        debug_assert!(self.pending.is_none(), "P4");
        self.root = root;
    }

    pub fn buckets(&self) -> u32 {
        u32::try_from(self.tables[0].places.len()).unwrap_or(u32::MAX)
    }

    /// Pages that the file has, or had, up to the last one in use.
    pub fn file_pages(&self) -> u32 {
        self.next_page
    }

    /// Pages that belong to no logical page, so far as the next commit is concerned.
    pub fn free_pages(&self) -> usize {
        self.free.len() + self.freed.len()
    }

    /// Places of all logical pages that have one, with their pages.
    pub fn places(&self) -> impl Iterator<Item = (Logical, PageNo)> {
        let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let of = |table: usize, make: fn(u32) -> Logical| {
            let places = self.tables[table].places.iter().enumerate();
            places
                .filter(|(_, place)| **place != NO_PLACE)
                .map(move |(at, place)| (make(number(at)), *place))
        };
        of(0, Logical::Bucket).chain(of(1, Logical::Overflow))
    }

    fn place(&self, page: Logical) -> PageNo {
        let (table, at) = page.parts();
        self.tables[table]
            .places
            .get(at)
            .copied()
            .unwrap_or(NO_PLACE)
    }

    pub fn read(&mut self, page: Logical) -> Result<&[u8], Missing> {
        match self.place(page) {
            NO_PLACE => Ok(&ZEROS),
            place => self.cache.read(place),
        }
    }

    /// Names all of `pages` that are absent; nothing if an operation on them can go through.
    pub fn absent(&mut self, pages: &[Logical]) -> Result<(), Missing> {
        let mut absent = Vec::new();
        for page in pages {
            let place = self.place(*page);
            if place != NO_PLACE && self.cache.read(place).is_err() {
                absent.push(place);
            }
        }
        if absent.is_empty() {
            Ok(())
        } else {
            Err(Missing(absent))
        }
    }

    /// Whether so many more pages may become dirty now. Where even an empty cache has no room, nothing helps.
    pub fn has_room(&self, pages: usize) -> bool {
        self.cache.dirty_count() + pages < self.cache.capacity()
    }

    pub fn capacity(&self) -> usize {
        self.cache.capacity()
    }

    /// A page to change. It must be resident (see `absent`) and there must be room (see `has_room`).
    pub fn write(&mut self, page: Logical) -> Result<&mut [u8], Missing> {
        debug_assert!(self.pending.is_none(), "P4");
        let (table, at) = page.parts();
        let place = self.tables[table].places[at];
        if place == NO_PLACE {
            let new_place = self.new_place();
            self.cache.provide(new_place, &ZEROS, true);
            self.tables[table].set(at, new_place);
        } else if !self.tables[table].is_fresh[at] {
            self.cache.read(place)?;
            let new_place = self.new_place();
            self.cache.renumber(place, new_place);
            self.freed.push(place);
            self.tables[table].set(at, new_place);
        }
        self.cache.write(self.tables[table].places[at])
    }

    /// Makes the next bucket, of zeros. Fails where the store is as large as it can be.
    pub fn grow(&mut self) -> bool {
        if !self.may_grow() {
            return false;
        }
        self.tables[0].push();
        true
    }

    /// Gives up the last bucket, whatever is in it.
    pub fn shrink(&mut self) {
        let Some(last) = self.buckets().checked_sub(1) else {
            return;
        };
        self.release(Logical::Bucket(last));
        let table = &mut self.tables[0];
        table.places.pop();
        table.is_fresh.pop();
        let needed = Superblock::tables_of(last);
        while table.own_places.len() > needed {
            table.is_changed.pop();
            if let Some(place) = table.own_places.pop()
                && place != NO_PLACE
            {
                self.freed.push(place);
            }
        }
    }

    /// Makes an overflow page, of zeros.
    pub fn new_overflow(&mut self) -> Option<Logical> {
        if let Some(spare) = self.spare.pop_first() {
            return Some(Logical::Overflow(spare));
        }
        if !self.may_grow() {
            return None;
        }
        self.tables[1].push();
        let last = self.tables[1].places.len() - 1;
        u32::try_from(last).ok().map(Logical::Overflow)
    }

    fn may_grow(&self) -> bool {
        self.may_grow_by(1)
    }

    /// Whether there can be so many more logical pages of each kind.
    pub fn may_grow_by(&self, pages: usize) -> bool {
        let needed = |table: &Table| (table.places.len() + pages).div_ceil(PLACES_PER_TABLE);
        self.tables.iter().map(needed).sum::<usize>() <= TABLES_MAX
    }

    /// Empties a page and gives its place back.
    pub fn release(&mut self, page: Logical) {
        debug_assert!(self.pending.is_none(), "P4");
        let (table, at) = page.parts();
        let place = self.tables[table].places[at];
        if place != NO_PLACE {
            self.cache.forget(place);
            if self.tables[table].is_fresh[at] {
                self.free.insert(place);
            } else {
                self.freed.push(place);
            }
            self.tables[table].set(at, NO_PLACE);
        }
        if let Logical::Overflow(n) = page {
            self.spare.insert(n);
        }
    }

    fn new_place(&mut self) -> PageNo {
        self.free.pop_first().unwrap_or_else(|| {
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
        for which in 0..self.tables.len() {
            for table in 0..self.tables[which].own_places.len() {
                if !self.tables[which].is_changed[table] {
                    continue;
                }
                let place = self.new_place();
                let old = std::mem::replace(&mut self.tables[which].own_places[table], place);
                if old != NO_PLACE {
                    self.freed.push(old);
                }
                let places = &self.tables[which].places;
                let from = table * PLACES_PER_TABLE;
                let to = places.len().min(from + PLACES_PER_TABLE);
                let mut content: Vec<u8> = places[from..to]
                    .iter()
                    .flat_map(|place| place.0.to_le_bytes())
                    .collect();
                content.resize(CONTENT_BYTES, 0);
                pages.push((place, seal(place, &content)));
            }
        }
        let count = |table: &Table| u32::try_from(table.places.len()).unwrap_or(u32::MAX);
        let superblock = Superblock {
            generation: self.committed.generation + 1,
            next_page: self.next_page,
            counts: [count(&self.tables[0]), count(&self.tables[1])],
            root: self.root,
            tables: self
                .tables
                .iter()
                .flat_map(|table| table.own_places.iter().copied())
                .collect(),
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
        order::sort_by(&mut pages, |one, other| one.0.cmp(&other.0));
        pages
    }

    /// The batch was written, and flushed if it had a superblock.
    pub fn confirm(&mut self) {
        self.cache.clean();
        let Some(superblock) = self.pending.take() else {
            return;
        };
        self.committed = superblock;
        self.free.extend(self.freed.drain(..));
        for table in &mut self.tables {
            table.is_fresh.fill(false);
            table.is_changed.fill(false);
        }
        // What is free at the end of the file is no longer part of it.
        while let Some(last) = self.free.last()
            && last.0 + 1 == self.next_page
        {
            self.next_page -= 1;
            self.free.pop_last();
        }
    }
}
