//! The page tables: where each logical page stands (FORMAT.md 3). Copies share what neither changed.

use std::sync::Arc;

use super::page::{CONTENT_BYTES, PageNo};
use super::superblock::PLACES_PER_TABLE;

/// Stands for a page of zeros that is nowhere.
pub const NO_PLACE: PageNo = PageNo(0);

/// A page of the index on the pager, wherever in the file it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Logical {
    /// The first page of a bucket.
    Bucket(u32),
    /// A further page, of as many buckets as it has room for.
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

/// Places of the pages of one kind, a table's worth in each part.
#[derive(Clone, Default)]
struct Places {
    parts: Vec<Arc<Vec<PageNo>>>,
    count: usize,
}

#[derive(Clone, Default)]
pub struct Tables {
    kinds: [Places; 2],
}

impl Tables {
    /// From the contents of their pages, those of the first kind first.
    pub fn read(contents: &[Vec<u8>], counts: [u32; 2]) -> Tables {
        let mut contents = contents.iter();
        let kinds = counts.map(|count| {
            let count = count as usize;
            let parts = (0..count.div_ceil(PLACES_PER_TABLE)).map(|n| {
                let words = contents
                    .next()
                    .into_iter()
                    .flat_map(|content| content.chunks_exact(4));
                let places = words
                    .map(|word| PageNo(word.try_into().map_or(0, u32::from_le_bytes)))
                    .take(count - n * PLACES_PER_TABLE);
                Arc::new(places.collect())
            });
            Places {
                parts: parts.collect(),
                count,
            }
        });
        Tables { kinds }
    }

    pub fn place(&self, page: Logical) -> PageNo {
        let (kind, at) = page.parts();
        let part = self.kinds[kind].parts.get(at / PLACES_PER_TABLE);
        part.and_then(|part| part.get(at % PLACES_PER_TABLE))
            .copied()
            .unwrap_or(NO_PLACE)
    }

    /// Sets the place of a page that exists.
    pub fn set(&mut self, page: Logical, place: PageNo) {
        let (kind, at) = page.parts();
        if let Some(part) = self.kinds[kind].parts.get_mut(at / PLACES_PER_TABLE)
            && let Some(old) = Arc::make_mut(part).get_mut(at % PLACES_PER_TABLE)
        {
            *old = place;
        }
    }

    fn push(&mut self, kind: usize) -> u32 {
        let places = &mut self.kinds[kind];
        if places.count.is_multiple_of(PLACES_PER_TABLE) {
            places.parts.push(Arc::default());
        }
        if let Some(last) = places.parts.last_mut() {
            Arc::make_mut(last).push(NO_PLACE);
        }
        places.count += 1;
        u32::try_from(places.count - 1).unwrap_or(u32::MAX)
    }

    pub fn push_bucket(&mut self) {
        self.push(0);
    }

    /// The number of the page.
    pub fn push_overflow(&mut self) -> u32 {
        self.push(1)
    }

    pub fn pop_bucket(&mut self) {
        let places = &mut self.kinds[0];
        if let Some(last) = places.parts.last_mut() {
            let last = Arc::make_mut(last);
            last.pop();
            places.count -= 1;
            if last.is_empty() {
                places.parts.pop();
            }
        }
    }

    pub fn buckets(&self) -> u32 {
        self.counts()[0]
    }

    pub fn counts(&self) -> [u32; 2] {
        let count = |kind: &Places| u32::try_from(kind.count).unwrap_or(u32::MAX);
        [count(&self.kinds[0]), count(&self.kinds[1])]
    }

    /// Tables that so many more pages of each kind would need.
    pub fn tables_with(&self, more: usize) -> usize {
        let needed = |places: &Places| (places.count + more).div_ceil(PLACES_PER_TABLE);
        self.kinds.iter().map(needed).sum()
    }

    /// All logical pages that have a place.
    pub fn places(&self) -> impl Iterator<Item = (Logical, PageNo)> {
        let of = |kind: usize, make: fn(u32) -> Logical| {
            let places = self.kinds[kind].parts.iter().flat_map(|part| part.iter());
            (0..)
                .zip(places)
                .filter(|(_, place)| **place != NO_PLACE)
                .map(move |(at, place)| (make(at), *place))
        };
        of(0, Logical::Bucket).chain(of(1, Logical::Overflow))
    }

    /// Tables that are not what they were: kind and number.
    pub fn changed_since(&self, before: &Tables) -> Vec<(usize, usize)> {
        let mut changed = Vec::new();
        for (kind, places) in self.kinds.iter().enumerate() {
            for (n, part) in places.parts.iter().enumerate() {
                let old = before.kinds[kind].parts.get(n);
                if !old.is_some_and(|old| Arc::ptr_eq(old, part)) {
                    changed.push((kind, n));
                }
            }
        }
        changed
    }

    /// Makes a table count as changed.
    pub fn touch(&mut self, kind: usize, table: usize) {
        if let Some(part) = self.kinds[kind].parts.get_mut(table) {
            *part = Arc::new(part.to_vec());
        }
    }

    /// The content of a table's page.
    pub fn content(&self, kind: usize, table: usize) -> Vec<u8> {
        let places = self.kinds[kind]
            .parts
            .get(table)
            .into_iter()
            .flat_map(|part| part.iter());
        let mut content: Vec<u8> = places.flat_map(|place| place.0.to_le_bytes()).collect();
        content.resize(CONTENT_BYTES, 0);
        content
    }
}
