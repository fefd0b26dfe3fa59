//! The hits of a query in an order, one page after the other; and of those that have something in common the first
//! alone, where that is asked for, with how many there are.

use std::collections::HashSet;

use roaring::RoaringBitmap;
use xxhash_rust::xxh64::xxh64;

use super::facets::{Counting, CountingOrder};
use super::{Query, Source};
use crate::archive::surt;
use crate::index::{Column, Window};
use crate::query::host_of;
use crate::row::Row;
use crate::segment::{Blocks, Stop};

/// Entries of a column, or hits, that are looked at in one step.
const ENTRIES_A_STEP: usize = 2048;
const HITS_A_STEP: usize = 64;
/// The best so many are found out together.
const RANKED_MIN: usize = 128;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HitOrder {
    /// The best first.
    Rank,
    /// As they lie in the files.
    File,
    Column(Column),
}

/// What hits have in common that are told as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HitGroup {
    Url,
    Host,
    /// What they state the payload to be.
    Digest,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Listed {
    pub row: u32,
    pub score: f64,
    /// Hits that it stands for.
    pub count: u64,
}

/// Hits in the order of a column: those that it has, when all of it was looked at.
struct Sorted {
    column: Column,
    /// Entries that were looked at.
    at: u64,
    rows: Vec<u32>,
}

pub struct Listing {
    order: HitOrder,
    is_descending: bool,
    group: Option<HitGroup>,
    sorted: Option<Sorted>,
    /// Those told of each group, and what tells groups apart.
    firsts: Vec<Listed>,
    seen: HashSet<u64>,
    /// Hits that were looked at for groups.
    looked: usize,
    counting: Option<Counting>,
}

impl Listing {
    pub fn new(order: HitOrder, is_descending: bool, group: Option<HitGroup>) -> Listing {
        Listing {
            order,
            is_descending,
            group,
            sorted: None,
            firsts: Vec::new(),
            seen: HashSet::new(),
            looked: 0,
            counting: None,
        }
    }

    /// Whether it is this one.
    pub fn is(&self, order: HitOrder, is_descending: bool, group: Option<HitGroup>) -> bool {
        (self.order, self.is_descending, self.group) == (order, is_descending, group)
    }

    /// So many hits of a query that is done, from one on; `None` where it is to be called again.
    pub fn page(
        &mut self,
        query: &mut Query,
        source: &Source<'_>,
        [from, count]: [usize; 2],
        blocks: &mut Blocks,
    ) -> Result<Option<Vec<Listed>>, Stop> {
        if let HitOrder::Column(column) = self.order
            && !self.sort(column, query.rows(), source, blocks)?
        {
            return Ok(None);
        }
        let Some(group) = self.group else {
            return self.listed(query, source, [from, count], blocks);
        };
        let wanted = from.saturating_add(count);
        if self.firsts.len() < wanted && !self.look(group, query, source, blocks)? {
            return Ok(None);
        }
        let last = self.firsts.len().min(wanted);
        for at in from..last {
            if !self.counted(at, group, query, source, blocks)? {
                return Ok(None);
            }
        }
        let found = self.firsts.get(from.min(last)..last).unwrap_or_default();
        Ok(Some(found.to_vec()))
    }

    /// Hits as they come, each for itself.
    fn listed(
        &self,
        query: &mut Query,
        source: &Source<'_>,
        [from, count]: [usize; 2],
        blocks: &mut Blocks,
    ) -> Result<Option<Vec<Listed>>, Stop> {
        let alone = |row: u32, score: f64| Listed {
            row,
            score,
            count: 1,
        };
        Ok(Some(match (self.order, &self.sorted) {
            (HitOrder::Rank, _) => {
                // Pages that follow are had from the same ranking.
                let most = from
                    .saturating_add(count)
                    .max(RANKED_MIN)
                    .next_power_of_two();
                if !query.rank(most, source, blocks)? {
                    return Ok(None);
                }
                let hits = query.hits(from, count);
                hits.iter().map(|hit| alone(hit.row, hit.score)).collect()
            }
            (HitOrder::Column(_), Some(sorted)) => {
                let rows: &mut dyn Iterator<Item = &u32> = if self.is_descending {
                    &mut sorted.rows.iter().rev()
                } else {
                    &mut sorted.rows.iter()
                };
                let rows = rows.skip(from).take(count);
                rows.map(|row| alone(*row, 0.0)).collect()
            }
            _ => {
                let rows = query.rows();
                let len = usize::try_from(rows.len()).unwrap_or(usize::MAX);
                let count = count.min(len.saturating_sub(from));
                let first = if self.is_descending {
                    len - from.min(len) - count
                } else {
                    from
                };
                let mut found = query.in_order(first as u64, count);
                if self.is_descending {
                    found.reverse();
                }
                found.iter().map(|row| alone(*row, 0.0)).collect()
            }
        }))
    }

    /// Puts the hits in the order of a column; true when all are.
    fn sort(
        &mut self,
        column: Column,
        rows: &RoaringBitmap,
        source: &Source<'_>,
        blocks: &mut Blocks,
    ) -> Result<bool, Stop> {
        let sorted = self.sorted.get_or_insert(Sorted {
            column,
            at: 0,
            rows: Vec::new(),
        });
        let entries = source.index.whole(sorted.column).entries;
        if sorted.at >= entries {
            return Ok(true);
        }
        let window = Window {
            from: sorted.at,
            count: ENTRIES_A_STEP,
            is_descending: false,
        };
        for row in source.index.window(sorted.column, window, blocks)? {
            let row = u32::try_from(row).ok().filter(|row| rows.contains(*row));
            sorted.rows.extend(row);
        }
        let is_all = sorted.rows.len() as u64 >= rows.len();
        sorted.at = if is_all {
            entries
        } else {
            sorted.at + ENTRIES_A_STEP as u64
        };
        Ok(sorted.at >= entries)
    }

    /// Looks at some hits for the first of each group; true when there are no more.
    fn look(
        &mut self,
        group: HitGroup,
        query: &mut Query,
        source: &Source<'_>,
        blocks: &mut Blocks,
    ) -> Result<bool, Stop> {
        let Some(hits) = self.listed(query, source, [self.looked, HITS_A_STEP], blocks)? else {
            return Ok(false);
        };
        for hit in &hits {
            let row = source.index.row(u64::from(hit.row), blocks)?;
            let (_, record) = row.unwrap_or_default();
            self.looked += 1;
            let key = common(group, &record).unwrap_or_else(|| xxh64(&hit.row.to_be_bytes(), 1));
            if self.seen.insert(key) {
                self.firsts.push(Listed { count: 0, ..*hit });
            }
        }
        Ok(hits.is_empty())
    }

    /// Counts the hits that one stands for; true when that is done.
    fn counted(
        &mut self,
        at: usize,
        group: HitGroup,
        query: &Query,
        source: &Source<'_>,
        blocks: &mut Blocks,
    ) -> Result<bool, Stop> {
        let Some(first) = self.firsts.get(at).filter(|first| first.count == 0) else {
            return Ok(true);
        };
        let row = source.index.row(u64::from(first.row), blocks)?;
        let (_, record) = row.unwrap_or_default();
        let count = match facet(group, &record) {
            Some((field, value)) => {
                let counting = self.counting.get_or_insert_with(|| {
                    let all = CountingOrder::ByCount;
                    Counting::new(field, &value, all, 1).within(query.rows().clone())
                });
                if !counting.step(&source.facets(), None, blocks)? {
                    return Ok(false);
                }
                let counted = counting.take().into_iter();
                self.counting = None;
                counted
                    .filter(|counted| counted.value == value)
                    .map(|counted| counted.rows)
                    .sum()
            }
            None if group == HitGroup::Url => captures(&record, query.rows(), source, blocks)?,
            None => 1,
        };
        if let Some(first) = self.firsts.get_mut(at) {
            first.count = count.max(1);
        }
        Ok(true)
    }
}

/// What hits of a group have in common, as a number; `None` where this one has nothing in common with any.
fn common(group: HitGroup, record: &Row) -> Option<u64> {
    match group {
        HitGroup::Digest => (record.digest != 0).then_some(record.digest),
        HitGroup::Host => host_of(&record.url).map(|host| xxh64(&host, 0)),
        HitGroup::Url => Some(xxh64(url_key(record).as_bytes(), 0)),
    }
}

fn facet(group: HitGroup, record: &Row) -> Option<(&'static str, Vec<u8>)> {
    match group {
        HitGroup::Digest if record.digest != 0 => {
            Some(("digest", record.digest.to_be_bytes().to_vec()))
        }
        HitGroup::Host => Some(("host", host_of(&record.url)?)),
        _ => None,
    }
}

fn url_key(record: &Row) -> String {
    surt(&String::from_utf8_lossy(&record.url))
}

/// How many of the rows are captures of a URL.
fn captures(
    record: &Row,
    rows: &RoaringBitmap,
    source: &Source<'_>,
    blocks: &mut Blocks,
) -> Result<u64, Stop> {
    let mut key = url_key(record).into_bytes();
    key.push(b' ');
    let first = source.index.rank(Column::Url, &key, blocks)?.entries;
    key.extend([u8::MAX; 5]);
    let last = source.index.rank(Column::Url, &key, blocks)?.entries;
    let window = Window {
        from: first,
        count: usize::try_from(last.saturating_sub(first))
            .unwrap_or(usize::MAX)
            .min(CAPTURES_MAX),
        is_descending: false,
    };
    let found = source.index.window(Column::Url, window, blocks)?;
    let is_hit = |row: &&u64| u32::try_from(**row).is_ok_and(|row| rows.contains(row));
    Ok(found.iter().filter(is_hit).count() as u64)
}

/// Captures of one URL are counted up to here: all blocks that tell of them must be there together.
const CAPTURES_MAX: usize = 20_000;
