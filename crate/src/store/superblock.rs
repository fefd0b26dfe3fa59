//! The superblocks: which commit is the last one, and where its pages are (FORMAT.md 2).
//!
//!   superblock := page of (magic:u64 version:u32 next_page:u32 generation:u64 buckets:u32 overflows:u32
//!                          root:[u8; ROOT_BYTES] table:u32* log)    log := pages:u32 page:u32*, of version 2 only
//! Without a log it is of version 1, which knows of none.
//! Generation g stands twice, in pages 2 (g mod 2) and the next, so that the one before it survives until g is whole,
//! and a flipped bit does not take a commit back that was acknowledged.

use super::page::{CONTENT_BYTES, PageNo, seal, unseal};

/// The first pages of the file.
pub const SUPERBLOCKS: [PageNo; 4] = [PageNo(0), PageNo(1), PageNo(2), PageNo(3)];
/// The first page that is no superblock.
pub const FIRST_PAGE: u32 = 4;
const _: () = assert!(SUPERBLOCKS.len() == FIRST_PAGE as usize);
/// Bytes that the index on the pages keeps with each commit.
pub const ROOT_BYTES: usize = 96;
/// Page numbers in a page table.
pub const PLACES_PER_TABLE: usize = CONTENT_BYTES / 4;

const MAGIC: u64 = u64::from_le_bytes(*b"stackrm\0");
const VERSION: u32 = 1;
const VERSION_WITH_LOG: u32 = 2;
const TABLES_AT: usize = 32 + ROOT_BYTES;
/// Page tables that fit: enough for about a million pages, 4 GiB.
pub const TABLES_MAX: usize = (CONTENT_BYTES - TABLES_AT) / 4;
/// No file has more pages, those included that are free: what a superblock states is counted in memory.
const PAGES_MAX: u32 = 1 << 24;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Superblock {
    pub generation: u64,
    /// First page number that no commit ever used.
    pub next_page: u32,
    /// Logical pages that exist, of each kind.
    pub counts: [u32; 2],
    pub root: [u8; ROOT_BYTES],
    /// Where the page tables are, those of the first kind first.
    pub tables: Vec<PageNo>,
    /// Where the log is: changes that are not in these tables' pages.
    pub log: Vec<PageNo>,
}

impl Superblock {
    fn empty() -> Superblock {
        Superblock {
            generation: 0,
            next_page: FIRST_PAGE,
            counts: [0; 2],
            root: [0; ROOT_BYTES],
            tables: Vec::new(),
            log: Vec::new(),
        }
    }

    /// Pages of the log that can be named besides these tables.
    pub fn log_max(tables: usize) -> usize {
        TABLES_MAX.saturating_sub(tables + 1)
    }

    /// The first of the two pages where it stands.
    pub fn place(&self) -> PageNo {
        SUPERBLOCKS[2 * usize::from(self.generation % 2 == 1)]
    }

    /// Tables that so many logical pages need.
    pub fn tables_of(count: u32) -> usize {
        (count as usize).div_ceil(PLACES_PER_TABLE)
    }

    /// Both pages.
    pub fn to_pages(&self) -> Vec<u8> {
        let mut content = Vec::with_capacity(CONTENT_BYTES);
        content.extend_from_slice(&MAGIC.to_le_bytes());
        let version = if self.log.is_empty() {
            VERSION
        } else {
            VERSION_WITH_LOG
        };
        content.extend_from_slice(&version.to_le_bytes());
        content.extend_from_slice(&self.next_page.to_le_bytes());
        content.extend_from_slice(&self.generation.to_le_bytes());
        content.extend(self.counts.iter().flat_map(|count| count.to_le_bytes()));
        content.extend_from_slice(&self.root);
        content.extend(self.tables.iter().flat_map(|table| table.0.to_le_bytes()));
        if !self.log.is_empty() {
            let pages = u32::try_from(self.log.len()).unwrap_or(u32::MAX);
            content.extend_from_slice(&pages.to_le_bytes());
            content.extend(self.log.iter().flat_map(|page| page.0.to_le_bytes()));
        }
        debug_assert!(content.len() <= CONTENT_BYTES);
        content.resize(CONTENT_BYTES, 0);
        let place = self.place();
        let mut pages = seal(place, &content);
        pages.extend(seal(PageNo(place.0 + 1), &content));
        pages
    }

    /// The superblock in a page, or `None` where it is none or was not written whole.
    fn from_page(place: PageNo, bytes: &[u8]) -> Option<Superblock> {
        let content = unseal(place, bytes)?;
        let word = |at: usize| {
            let bytes = content.get(at..at + 4)?;
            bytes.try_into().ok().map(u32::from_le_bytes)
        };
        let long = |at: usize| {
            let bytes = content.get(at..at + 8)?;
            bytes.try_into().ok().map(u64::from_le_bytes)
        };
        let version = word(8)?;
        if long(0)? != MAGIC || !matches!(version, VERSION | VERSION_WITH_LOG) {
            return None;
        }
        let counts = [word(24)?, word(28)?];
        let count: usize = counts.into_iter().map(Superblock::tables_of).sum();
        if count > TABLES_MAX || word(12)? > PAGES_MAX {
            return None;
        }
        let places = |from: usize, count: usize| {
            let places = (from..from + count).map(|n| word(TABLES_AT + 4 * n).map(PageNo));
            places.collect::<Option<Vec<_>>>()
        };
        let tables = places(0, count)?;
        let log = if version == VERSION {
            Vec::new()
        } else {
            let pages = word(TABLES_AT + 4 * count)? as usize;
            if pages > Superblock::log_max(count) {
                return None;
            }
            places(count + 1, pages)?
        };
        let superblock = Superblock {
            generation: long(16)?,
            next_page: word(12)?,
            counts,
            root: content.get(32..TABLES_AT)?.try_into().ok()?,
            tables,
            log,
        };
        (superblock.place().0 == place.0 & !1).then_some(superblock)
    }

    /// The last commit of a file that begins with these pages; an empty store where there is none.
    pub fn newest(pages: [&[u8]; SUPERBLOCKS.len()]) -> Superblock {
        let found = SUPERBLOCKS
            .iter()
            .zip(pages)
            .filter_map(|(place, bytes)| Superblock::from_page(*place, bytes));
        found
            .max_by_key(|superblock| superblock.generation)
            .unwrap_or_else(Superblock::empty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::page::PAGE_BYTES;

    #[test]
    fn the_newest_whole_superblock_counts() {
        let at = |generation| Superblock {
            generation,
            next_page: 9,
            counts: [3, 2],
            root: [7; ROOT_BYTES],
            tables: vec![PageNo(5), PageNo(6)],
            log: (10..10 + u32::try_from(generation % 4).unwrap_or(0))
                .map(PageNo)
                .collect(),
        };
        let (three, four) = (at(3).to_pages(), at(4).to_pages());
        let newest = |first: &[u8], second: &[u8], third: &[u8], fourth: &[u8]| {
            Superblock::newest([first, second, third, fourth])
        };
        let (a, b) = four.split_at(PAGE_BYTES);
        let (c, d) = three.split_at(PAGE_BYTES);
        assert_eq!(newest(a, b, c, d), at(4));
        for length in 0..a.len() {
            assert_eq!(newest(&a[..length], &[], c, d), at(3));
            assert_eq!(newest(&a[..length], b, c, &[]), at(4), "the copy does");
            assert_eq!(newest(a, &b[..length], &[], d), at(4));
        }
        assert_eq!(
            newest(b, a, d, c),
            newest(&[], &[], &[], &[]),
            "each in its own place only"
        );
        assert_eq!(newest(c, d, a, b).generation, 0);
        assert_eq!(newest(&[], &[], &[], &[]).generation, 0);
        let boundless = Superblock {
            next_page: u32::MAX,
            ..at(4)
        };
        assert_eq!(newest(&boundless.to_pages(), &[], c, d), at(3));
    }
}
