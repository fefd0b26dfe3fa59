//! Logical pages, written copy-on-write: a commit never touches a page that the last one refers to.
//!
//! A logical page has a place in the file by the page tables; the first change after a commit gives it
//! a new place. The tables are resident and kept in pages of their own, found by the superblock.
//! A logical page without a place is all zeros, and costs nothing until it is written.
//! States of a change: resident and dirty -> written (spilled or in a batch) -> committed.
//! A commit may leave the pages as they are and write a log of what changed in them. The pages that the last commit
//! without one wrote, its base, are then what the log goes on from.
//! P1  A place that a commit refers to is not written until a later commit is confirmed.
//! P2  The superblock is written after everything that it refers to is flushed.
//! P3  A spill writes places that no commit refers to, so losing it loses nothing.
//! P4  Between `commit` and `confirm` nothing may be changed.
//! P5  A place that the base refers to is one that the last commit refers to, and so are those of its log.
//! P6  A place that a pinned commit refers to is not written until it is unpinned.

use std::collections::BTreeSet;

use super::cache::{Cache, Missing};
use super::log::LOG_PAGES_MAX;
use super::page::{CONTENT_BYTES, PAGE_BYTES, PageNo, seal_into, unseal};
use super::superblock::{
    FIRST_PAGE, PLACES_PER_TABLE, ROOT_BYTES, SUPERBLOCKS, Superblock, TABLES_MAX,
};
use super::tables::{Logical, NO_PLACE, Tables};
use crate::order;

/// Pages of the cache that are not dirty: enough for a merge with all that it reads, and this part of a large one.
pub const CLEAN_PAGES_MIN: usize = 12;
const CLEAN_SHARE: usize = 8;

const ZEROS: [u8; CONTENT_BYTES] = [0; CONTENT_BYTES];

/// Pages and a superblock for the host to write. With a superblock: the pages, a flush, the superblock, a flush;
/// then `confirm`. Without: the pages only; then `confirm`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageBatch {
    pub places: Vec<PageNo>,
    /// The pages that go there, one after another.
    pub bytes: Vec<u8>,
    /// Two pages, from this one on.
    pub superblock: Option<(PageNo, Vec<u8>)>,
}

impl PageBatch {
    pub fn pages(&self) -> impl Iterator<Item = (PageNo, &[u8])> {
        let pages = self.bytes.chunks_exact(PAGE_BYTES);
        self.places.iter().copied().zip(pages)
    }

    fn push(&mut self, place: PageNo, content: &[u8]) {
        self.places.push(place);
        seal_into(&mut self.bytes, place, content);
    }
}

/// A commit whose pages stay as they are until it is unpinned.
#[derive(Clone)]
pub struct Pinned {
    generation: u64,
    tables: Tables,
}

pub struct Pager {
    cache: Cache,
    committed: Superblock,
    /// As the last commit left them.
    committed_tables: Tables,
    tables: Tables,
    /// Where the page tables stand themselves.
    own_places: [Vec<PageNo>; 2],
    root: [u8; ROOT_BYTES],
    next_page: u32,
    /// Places that no commit refers to; the lowest is given first, so that the file's end becomes free.
    free: BTreeSet<PageNo>,
    /// Places that the last commit refers to and the next one will not.
    freed: Vec<PageNo>,
    /// Places that pinned commits may refer to, with the last generation that did.
    held: Vec<(u64, Vec<PageNo>)>,
    pins: Vec<(u64, usize)>,
    /// Overflow pages that nobody uses.
    spare: BTreeSet<u32>,
    /// Places whose pages were read and are not what was written there.
    damaged: BTreeSet<PageNo>,
    pending: Option<Superblock>,
}

/// Opening: the page tables and the log must be read first.
pub struct Opening {
    superblock: Superblock,
    /// Both, one after the other.
    places: Vec<PageNo>,
    contents: Vec<Vec<u8>>,
}

impl Opening {
    /// Begins with the first pages of the file, which may be short or empty.
    pub fn new(superblocks: [&[u8]; SUPERBLOCKS.len()]) -> Opening {
        Opening::of(Superblock::newest(superblocks))
    }

    fn of(superblock: Superblock) -> Opening {
        let places = superblock.tables.iter().chain(&superblock.log);
        Opening {
            places: places.copied().collect(),
            superblock,
            contents: Vec::new(),
        }
    }

    /// The commit that is opened; 0 for a store without any.
    pub fn generation(&self) -> u64 {
        self.superblock.generation
    }

    /// What the index kept with it.
    pub fn root(&self) -> &[u8; ROOT_BYTES] {
        &self.superblock.root
    }

    /// The pages to provide, in order.
    pub fn wanted(&self) -> &[PageNo] {
        &self.places[self.contents.len()..]
    }

    /// Goes without what is left of the log. False where page tables are left.
    pub fn go_without_log(&mut self) -> bool {
        if self.contents.len() < self.superblock.tables.len() {
            return false;
        }
        self.places.truncate(self.contents.len());
        true
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
        self.contents.push(content.to_vec());
        true
    }

    /// The pager, and the log that goes on from its pages.
    pub fn finish(mut self, cache_pages: usize) -> (Pager, Vec<Vec<u8>>) {
        let Superblock { counts, .. } = self.superblock;
        let buckets = Superblock::tables_of(counts[0]);
        let log = self.contents.split_off(self.superblock.tables.len());
        let tables = Tables::read(&self.contents, counts);
        let mut own_places = [self.superblock.tables.clone(), Vec::new()];
        own_places[1] = own_places[0].split_off(buckets);
        let mut is_used = vec![false; self.superblock.next_page as usize];
        let places = tables.places().map(|(_, place)| place);
        let others = self.superblock.tables.iter().chain(&self.superblock.log);
        for page_no in places.chain(others.copied()) {
            if let Some(used) = is_used.get_mut(page_no.0 as usize) {
                *used = true;
            }
        }
        let pages = (FIRST_PAGE..self.superblock.next_page).map(PageNo);
        // To collect them into a set would bring a sorting routine in, for what is in order.
        let mut free = BTreeSet::new();
        free.extend(pages.filter(|page_no| !is_used[page_no.0 as usize]));
        let mut spare = BTreeSet::new();
        spare.extend((0..counts[1]).filter(|n| tables.place(Logical::Overflow(*n)) == NO_PLACE));
        let pager = Pager {
            cache: Cache::new(cache_pages),
            committed_tables: tables.clone(),
            tables,
            own_places,
            root: self.superblock.root,
            next_page: self.superblock.next_page,
            committed: self.superblock,
            free,
            freed: Vec::new(),
            held: Vec::new(),
            pins: Vec::new(),
            spare,
            damaged: BTreeSet::new(),
            pending: None,
        };
        (pager, log)
    }

    /// An empty pager that goes on after this commit without touching any of the file's pages, for an index that
    /// is made anew; its first commit frees what no table of its own names.
    pub fn start_anew(self, file_pages: u32, cache_pages: usize) -> Pager {
        let next_page = self.superblock.next_page.max(file_pages);
        let empty = Superblock {
            generation: self.superblock.generation,
            next_page,
            counts: [0; 2],
            root: [0; ROOT_BYTES],
            tables: Vec::new(),
            log: Vec::new(),
        };
        let (mut pager, _) = Opening::of(empty).finish(cache_pages);
        pager.freed = std::mem::take(&mut pager.free).into_iter().collect();
        pager
    }
}

/// Reads pages as one commit has them, or as they are by now.
pub struct Reading<'a> {
    cache: &'a mut Cache,
    tables: &'a Tables,
    damaged: &'a BTreeSet<PageNo>,
}

/// A page that was found resident: looked up once, read as often as it must be.
#[derive(Clone, Copy)]
pub struct Seat(Option<usize>);

impl Reading<'_> {
    pub fn read(&mut self, page: Logical) -> Result<&[u8], Missing> {
        let seat = self.seat(page)?;
        Ok(self.at(seat))
    }

    pub fn seat(&mut self, page: Logical) -> Result<Seat, Missing> {
        match self.tables.place(page) {
            NO_PLACE => Ok(Seat(None)),
            place => self.cache.seat(place).map(|at| Seat(Some(at))),
        }
    }

    pub fn at(&self, Seat(at): Seat) -> &[u8] {
        at.map_or(&ZEROS, |at| self.cache.at(at))
    }

    /// Names all of `pages` that are absent; nothing if an operation on them can go through.
    pub fn absent(&mut self, pages: impl Iterator<Item = Logical>) -> Result<(), Missing> {
        let mut absent = Vec::new();
        for page in pages {
            let place = self.tables.place(page);
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

    /// Where a page stands, if it was read and found damaged.
    pub fn damage(&self, page: Logical) -> Option<PageNo> {
        let place = self.tables.place(page);
        self.damaged.contains(&place).then_some(place)
    }
}

impl Pager {
    /// The last commit; 0 before the first.
    pub fn generation(&self) -> u64 {
        self.committed.generation
    }

    /// What the index keeps with each commit.
    pub fn root(&self) -> &[u8; ROOT_BYTES] {
        &self.root
    }

    /// What it kept with the last commit.
    pub fn committed_root(&self) -> &[u8; ROOT_BYTES] {
        &self.committed.root
    }

    pub fn set_root(&mut self, root: [u8; ROOT_BYTES]) {
        debug_assert!(self.pending.is_none(), "P4");
        self.root = root;
    }

    pub fn buckets(&self) -> u32 {
        self.tables.buckets()
    }

    /// Overflow pages that there are numbers for.
    pub fn overflows(&self) -> u32 {
        self.tables.counts()[1]
    }

    /// Whether a page stands anywhere.
    pub fn has_place(&self, page: Logical) -> bool {
        self.tables.place(page) != NO_PLACE
    }

    /// Whether a page that is written goes further to the front of the file.
    pub fn would_advance(&self, page: Logical) -> bool {
        let place = self.tables.place(page);
        self.free.first().is_some_and(|free| *free < place)
    }

    /// Pages that the file has, or had, up to the last one in use. The rest of the file can be cut off.
    pub fn file_pages(&self) -> u32 {
        self.next_page
    }

    /// Pages that belong to no logical page, so far as the next commit is concerned.
    pub fn free_pages(&self) -> usize {
        self.free.len() + self.freed.len()
    }

    /// Places of all logical pages that have one, with their pages.
    pub fn places(&self) -> impl Iterator<Item = (Logical, PageNo)> {
        self.tables.places()
    }

    /// Where the page tables stand, those of the next commit that have a place.
    pub fn table_places(&self) -> impl Iterator<Item = PageNo> {
        self.own_places.iter().flatten().copied()
    }

    /// Where the log of the last commit stands.
    pub fn log_places(&self) -> &[PageNo] {
        &self.committed.log
    }

    /// Whether the page at a place, that no logical one stands at, is what was written there.
    pub fn is_whole(&mut self, place: PageNo) -> Result<bool, Missing> {
        if self.damaged.contains(&place) {
            return Ok(false);
        }
        self.cache.read(place)?;
        Ok(true)
    }

    /// Whether a log of so many more pages is fewer than what a commit without one writes.
    pub fn may_log(&self, pages: usize) -> bool {
        let log = self.committed.log.len() + pages;
        let is_cheap = pages <= self.cache.dirty_count();
        is_cheap
            && log > 0
            && log <= LOG_PAGES_MAX.min(Superblock::log_max(self.committed.tables.len()))
    }

    /// Places that are free, or will be once the commit is confirmed and readers are done.
    pub fn idle_places(&self) -> impl Iterator<Item = PageNo> {
        let held = self.held.iter().flat_map(|(_, places)| places);
        self.free.iter().chain(&self.freed).chain(held).copied()
    }

    /// The pages as they are by now.
    pub fn reading(&mut self) -> Reading<'_> {
        Reading {
            cache: &mut self.cache,
            tables: &self.tables,
            damaged: &self.damaged,
        }
    }

    /// The pages of a pinned commit.
    pub fn reading_of<'a>(&'a mut self, pinned: &'a Pinned) -> Reading<'a> {
        Reading {
            cache: &mut self.cache,
            tables: &pinned.tables,
            damaged: &self.damaged,
        }
    }

    pub fn read(&mut self, page: Logical) -> Result<&[u8], Missing> {
        match self.tables.place(page) {
            NO_PLACE => Ok(&ZEROS),
            place => self.cache.read(place),
        }
    }

    /// A page that was just found.
    pub fn at(&self, Seat(at): Seat) -> &[u8] {
        at.map_or(&ZEROS, |at| self.cache.at(at))
    }

    /// Keeps the last commit readable.
    pub fn pin(&mut self) -> Pinned {
        let generation = self.committed.generation;
        match self.pins.iter_mut().find(|pin| pin.0 == generation) {
            Some((_, count)) => *count += 1,
            None => self.pins.push((generation, 1)),
        }
        Pinned {
            generation,
            tables: self.committed_tables.clone(),
        }
    }

    pub fn unpin(&mut self, pinned: &Pinned) {
        if let Some((_, count)) = self.pins.iter_mut().find(|pin| pin.0 == pinned.generation) {
            *count -= 1;
        }
        self.pins.retain(|(_, count)| *count > 0);
        self.release_held();
    }

    /// The oldest commit that is pinned.
    pub fn oldest_pin(&self) -> Option<u64> {
        self.pins.iter().map(|(generation, _)| *generation).min()
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
        let place = self.tables.place(page);
        let place = if place == NO_PLACE {
            let new_place = self.new_place();
            self.cache.provide(new_place, &ZEROS, true);
            self.tables.set(page, new_place);
            new_place
        } else if self.committed_tables.place(page) == place {
            self.cache.read(place)?;
            let new_place = self.new_place();
            self.cache.renumber(place, new_place);
            self.freed.push(place);
            self.tables.set(page, new_place);
            new_place
        } else {
            place
        };
        self.cache.write(place)
    }

    /// Makes the next bucket, of zeros. Fails where the store is as large as it can be.
    pub fn grow(&mut self) -> bool {
        if !self.may_grow_by(1) {
            return false;
        }
        self.tables.push_bucket();
        true
    }

    /// Gives up the last bucket, whatever is in it.
    pub fn shrink(&mut self) {
        let Some(last) = self.buckets().checked_sub(1) else {
            return;
        };
        self.release(Logical::Bucket(last));
        self.tables.pop_bucket();
        let needed = Superblock::tables_of(last);
        while self.own_places[0].len() > needed {
            self.freed.extend(self.own_places[0].pop());
        }
    }

    /// Makes an overflow page, of zeros.
    pub fn new_overflow(&mut self) -> Option<u32> {
        if let Some(spare) = self.spare.pop_first() {
            return Some(spare);
        }
        self.may_grow_by(1).then(|| self.tables.push_overflow())
    }

    /// Whether there can be so many more logical pages of each kind.
    pub fn may_grow_by(&self, pages: usize) -> bool {
        self.tables.tables_with(pages) <= TABLES_MAX
    }

    /// Empties a page and gives its place back.
    pub fn release(&mut self, page: Logical) {
        debug_assert!(self.pending.is_none(), "P4");
        let place = self.tables.place(page);
        if place != NO_PLACE {
            self.cache.forget(place);
            if self.committed_tables.place(page) == place {
                self.freed.push(place);
            } else {
                self.free.insert(place);
            }
            self.tables.set(page, NO_PLACE);
        }
        if let Logical::Overflow(n) = page {
            self.spare.insert(n);
        }
    }

    fn new_place(&mut self) -> PageNo {
        let place = self.free.pop_first().unwrap_or_else(|| {
            self.next_page += 1;
            PageNo(self.next_page - 1)
        });
        self.damaged.remove(&place);
        place
    }

    /// Takes in a page that was asked for. Returns false where it is not what was written there.
    pub fn provide(&mut self, page_no: PageNo, bytes: &[u8]) -> bool {
        match unseal(page_no, bytes) {
            Some(content) => self.cache.provide(page_no, content, false),
            None => {
                self.damaged.insert(page_no);
                false
            }
        }
    }

    /// Whether so many pages are dirty that the next operation may find no room.
    pub fn must_spill(&self) -> bool {
        let capacity = self.cache.capacity();
        let clean = (capacity / CLEAN_SHARE).max(CLEAN_PAGES_MIN);
        self.cache.dirty_count() + clean >= capacity
    }

    /// The dirty pages, to be written without a commit.
    pub fn spill(&self) -> PageBatch {
        self.sealed()
    }

    /// Commits by a log of everything since the last commit. The root is the base's, as far as it is the index's.
    pub fn commit_log(&mut self, log: &[Vec<u8>], root: [u8; ROOT_BYTES]) -> PageBatch {
        let mut batch = PageBatch::default();
        let mut superblock = self.committed.clone();
        for content in log {
            let place = self.new_place();
            batch.push(place, content);
            superblock.log.push(place);
        }
        superblock.generation += 1;
        superblock.next_page = self.next_page;
        superblock.root = root;
        batch.superblock = Some((superblock.place(), superblock.to_pages()));
        self.pending = Some(superblock);
        batch
    }

    /// Commits the pages, and with them everything since the last commit.
    pub fn commit(&mut self) -> PageBatch {
        let mut batch = self.sealed();
        for (kind, table) in self.tables.changed_since(&self.committed_tables) {
            let place = self.new_place();
            match self.own_places[kind].get_mut(table) {
                Some(old) => self.freed.push(std::mem::replace(old, place)),
                None => self.own_places[kind].push(place),
            }
            batch.push(place, &self.tables.content(kind, table));
        }
        let superblock = Superblock {
            generation: self.committed.generation + 1,
            next_page: self.next_page,
            counts: self.tables.counts(),
            root: self.root,
            tables: self.table_places().collect(),
            log: Vec::new(),
        };
        batch.superblock = Some((superblock.place(), superblock.to_pages()));
        self.pending = Some(superblock);
        batch
    }

    fn sealed(&self) -> PageBatch {
        let mut dirty: Vec<_> = self.cache.dirty().collect();
        // Neighbours in the file go out in one write.
        order::sort_by(&mut dirty, |(one, _), (other, _)| one.cmp(other));
        let mut batch = PageBatch::default();
        batch.bytes.reserve(dirty.len() * PAGE_BYTES);
        for (page_no, content) in dirty {
            batch.push(page_no, content);
        }
        batch
    }

    /// The batch was written, and flushed if it had a superblock.
    pub fn confirm(&mut self) {
        let Some(superblock) = self.pending.take() else {
            self.cache.clean();
            return;
        };
        let is_log = !superblock.log.is_empty();
        let before = std::mem::replace(&mut self.committed, superblock);
        if is_log {
            return;
        }
        self.cache.clean();
        self.committed_tables = self.tables.clone();
        let mut freed = std::mem::take(&mut self.freed);
        freed.extend(before.log);
        self.held.push((before.generation, freed));
        self.release_held();
    }

    /// Places that no commit refers to any more, pinned or last, are free.
    fn release_held(&mut self) {
        let oldest = self.oldest_pin().unwrap_or(u64::MAX);
        for (generation, places) in std::mem::take(&mut self.held) {
            if generation < oldest {
                self.free.extend(places);
            } else {
                self.held.push((generation, places));
            }
        }
        // What is free at the end of the file is no longer part of it.
        while let Some(last) = self.free.last()
            && last.0 + 1 == self.next_page
        {
            self.next_page -= 1;
            self.free.pop_last();
        }
    }

    /// The logical pages that stand behind places that are free, highest first: what to write anew so that the
    /// file can be cut. Page tables among them are written with the next commit.
    pub fn behind_free_places(&mut self) -> Vec<Logical> {
        let free = self.free_pages() + self.held.iter().map(|(_, held)| held.len()).sum::<usize>();
        let end = self.next_page - u32::try_from(free).unwrap_or(0).min(self.next_page);
        let mut behind: Vec<(PageNo, Logical)> = self
            .places()
            .filter(|(_, place)| place.0 >= end)
            .map(|(page, place)| (place, page))
            .collect();
        order::sort_by(&mut behind, |(a, _), (b, _)| b.cmp(a));
        for kind in 0..self.own_places.len() {
            for table in 0..self.own_places[kind].len() {
                if self.own_places[kind][table].0 >= end {
                    self.tables.touch(kind, table);
                }
            }
        }
        behind.into_iter().map(|(_, page)| page).collect()
    }
}

const _: () = assert!(PLACES_PER_TABLE == CONTENT_BYTES / 4);
