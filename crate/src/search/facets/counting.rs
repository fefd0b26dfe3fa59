//! How many rows have each value of a field: of all rows, or of those that a query has found.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use roaring::RoaringBitmap;

use super::key;
use super::read::Facets;
use super::record::record_facets;
use super::set::Set;
use crate::index::Index;
use crate::segment::{Blocks, Cursor, Segment, Stop};

/// Entries or rows that are taken in one step.
const ENTRIES_A_STEP: usize = 2048;
/// Reading a row costs as much as so many entries.
const ENTRIES_A_ROW: u64 = 4;
/// Fields of which a row tells all values by itself.
const OF_ROWS: [&str; 8] = [
    "type", "status", "mime", "host", "ext", "year", "month", "size",
];

/// A value, and how many rows have it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Counted {
    pub value: Vec<u8>,
    pub rows: u64,
}

/// Which values are told, so many at most; none that no row has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CountingOrder {
    /// By their bytes, those behind one that was told before.
    ByValue { after: Option<Vec<u8>> },
    /// Those that most rows have first, and of as many the first by their bytes.
    ByCount,
}

pub struct Counting {
    field: String,
    prefix: Vec<u8>,
    within: Option<RoaringBitmap>,
    order: CountingOrder,
    limit: usize,
    way: Way,
    /// The value that is being counted.
    current: Option<Counted>,
    /// In the order of their values.
    found: Vec<Counted>,
    most: BinaryHeap<Reverse<(u64, Reverse<Vec<u8>>)>>,
    values: u64,
}

enum Way {
    Begin,
    /// Through the values, in all segments at once.
    ByValues(Vec<Option<Cursor>>),
    /// Through the rows, whose values are told by the index: the next of them, and what was counted.
    ByRows(u32, std::collections::BTreeMap<Vec<u8>, u64>),
    Done,
}

impl Counting {
    /// Of the values of a field that begin so.
    pub fn new(field: &str, prefix: &[u8], order: CountingOrder, limit: usize) -> Counting {
        Counting {
            field: field.to_ascii_lowercase(),
            prefix: prefix.to_vec(),
            within: None,
            order,
            limit,
            way: Way::Begin,
            current: None,
            found: Vec::new(),
            most: BinaryHeap::new(),
            values: 0,
        }
    }

    /// Counts these rows only.
    #[must_use]
    pub fn within(mut self, rows: RoaringBitmap) -> Counting {
        self.within = Some(rows);
        self
    }

    /// How many values were met that a row has: all of them where the order is by count.
    pub fn values(&self) -> u64 {
        self.values
    }

    /// What was found, when all is done.
    pub fn take(&mut self) -> Vec<Counted> {
        let most = std::mem::take(&mut self.most).into_sorted_vec();
        let most = most
            .into_iter()
            .map(|Reverse((rows, Reverse(value)))| Counted { value, rows });
        self.found.extend(most);
        std::mem::take(&mut self.found)
    }

    /// Goes on; true when all is counted. With the index of the archive, few rows are asked for their values where there
    /// are more values than that.
    pub fn step(
        &mut self,
        facets: &Facets<'_>,
        index: Option<&Index>,
        blocks: &mut Blocks,
    ) -> Result<bool, Stop> {
        match &self.way {
            Way::Begin => {
                self.begin(facets, index, blocks)?;
                Ok(false)
            }
            Way::ByValues(_) => self.by_values(facets, blocks),
            Way::ByRows(..) => match index {
                Some(index) => self.by_rows(index, blocks),
                None => Ok(true),
            },
            Way::Done => Ok(true),
        }
    }

    fn begin(
        &mut self,
        facets: &Facets<'_>,
        index: Option<&Index>,
        blocks: &mut Blocks,
    ) -> Result<(), Stop> {
        if index.is_some()
            && let Some(within) = &self.within
            && OF_ROWS.contains(&self.field.as_str())
        {
            let entries = facets.entries_of_prefix(&self.field, &self.prefix, blocks)?;
            if within.len() * ENTRIES_A_ROW < entries {
                self.way = Way::ByRows(0, std::collections::BTreeMap::new());
                return Ok(());
            }
        }
        let [mut from, _] = key::of_prefix(&self.field, &self.prefix);
        if let CountingOrder::ByValue { after: Some(after) } = &self.order {
            let [_, behind] = key::of_value(&self.field, after);
            from = from.max(behind);
        }
        let mut cursors = Vec::new();
        for (segment, section) in facets.parts() {
            let entry = segment.rank(section, &from, blocks)?.entries;
            cursors.push(Some(Cursor::new(section, entry)));
        }
        self.way = Way::ByValues(cursors);
        Ok(())
    }

    fn by_values(&mut self, facets: &Facets<'_>, blocks: &mut Blocks) -> Result<bool, Stop> {
        let Way::ByValues(mut cursors) = std::mem::replace(&mut self.way, Way::Done) else {
            return Ok(true);
        };
        for _ in 0..ENTRIES_A_STEP {
            match self.count_next(&mut cursors, facets, blocks) {
                Ok(true) => {}
                Ok(false) => return Ok(true),
                Err(stop) => {
                    self.way = Way::ByValues(cursors);
                    return Err(stop);
                }
            }
        }
        self.way = Way::ByValues(cursors);
        Ok(false)
    }

    /// Counts one entry; false where there are no more, or enough.
    fn count_next(
        &mut self,
        cursors: &mut [Option<Cursor>],
        facets: &Facets<'_>,
        blocks: &mut Blocks,
    ) -> Result<bool, Stop> {
        let [_, behind] = key::of_prefix(&self.field, &self.prefix);
        let Some(least) = least(cursors, &behind, facets, blocks)? else {
            self.end_value();
            return Ok(false);
        };
        let Some(((segment, _), Some(cursor))) =
            facets.parts().get(least).zip(cursors.get_mut(least))
        else {
            return Ok(false);
        };
        let damaged = Stop::Damaged(segment.whole());
        if let Some((key, value)) = cursor.read(segment, blocks)? {
            let (value_key, high) = key::parted(key).ok_or(damaged)?;
            let set = Set::read(value).ok_or(damaged)?;
            let value = key::value_of(value_key);
            if self
                .current
                .as_ref()
                .is_none_or(|current| current.value != *value)
            {
                self.end_value();
                let is_listed = matches!(self.order, CountingOrder::ByValue { .. });
                if is_listed && self.found.len() >= self.limit {
                    return Ok(false);
                }
                self.current = Some(Counted {
                    value: value.into_owned(),
                    rows: 0,
                });
            }
            let rows = match &self.within {
                Some(within) => set.common_count(high, within),
                None => u64::from(set.rows()),
            };
            if let Some(current) = &mut self.current {
                current.rows += rows;
            }
        }
        cursor.go_on();
        Ok(true)
    }

    fn by_rows(&mut self, index: &Index, blocks: &mut Blocks) -> Result<bool, Stop> {
        let Way::ByRows(next, counts) = &mut self.way else {
            return Ok(true);
        };
        let within = self.within.as_ref();
        let rows = within.map(|within| within.range(*next..).take(ENTRIES_A_STEP));
        let mut seen = 0;
        for row in rows.into_iter().flatten() {
            let record = index.row(u64::from(row), blocks)?;
            if let Some((_, record)) = record {
                record_facets(&record, None, |field, value| {
                    if field == self.field && value.starts_with(&self.prefix) {
                        *counts.entry(value.to_vec()).or_default() += 1;
                    }
                });
            }
            *next = row.saturating_add(1);
            seen += 1;
        }
        if seen == ENTRIES_A_STEP {
            return Ok(false);
        }
        let counts = std::mem::take(counts);
        self.way = Way::Done;
        for (value, rows) in counts {
            let is_before = match &self.order {
                CountingOrder::ByValue { after } => {
                    after.as_ref().is_some_and(|after| value <= *after)
                        || self.found.len() >= self.limit
                }
                CountingOrder::ByCount => false,
            };
            if !is_before {
                self.current = Some(Counted { value, rows });
                self.end_value();
            }
        }
        Ok(true)
    }

    /// All entries of the value are counted.
    fn end_value(&mut self) {
        let Some(counted) = self.current.take().filter(|counted| counted.rows > 0) else {
            return;
        };
        self.values += 1;
        match self.order {
            CountingOrder::ByValue { .. } => self.found.push(counted),
            CountingOrder::ByCount => {
                self.most
                    .push(Reverse((counted.rows, Reverse(counted.value))));
                if self.most.len() > self.limit {
                    self.most.pop();
                }
            }
        }
    }
}

/// Which of the cursors has the next entry, in the order of values and rows. Those that have ended are taken away.
fn least(
    cursors: &mut [Option<Cursor>],
    behind: &[u8],
    facets: &Facets<'_>,
    blocks: &mut Blocks,
) -> Result<Option<usize>, Stop> {
    let mut least: Option<usize> = None;
    for n in 0..cursors.len() {
        let Some((segment, _)) = facets.parts().get(n) else {
            break;
        };
        let (before, rest) = cursors.split_at_mut(n);
        let Some(slot) = rest.first_mut() else {
            break;
        };
        let Some(cursor) = slot else {
            continue;
        };
        let key = cursor.read(segment, blocks)?.map(|(key, _)| key);
        let Some(key) = key.filter(|key| *key < behind) else {
            *slot = None;
            continue;
        };
        let is_less = match least {
            None => true,
            Some(at) => other_key(before, at, facets, blocks)?.is_none_or(|other| key < other),
        };
        if is_less {
            least = Some(n);
        }
    }
    Ok(least)
}

fn other_key<'a>(
    cursors: &'a mut [Option<Cursor>],
    at: usize,
    facets: &Facets<'_>,
    blocks: &mut Blocks,
) -> Result<Option<&'a [u8]>, Stop> {
    let part: Option<&(&Segment, _)> = facets.parts().get(at);
    match (cursors.get_mut(at), part) {
        (Some(Some(cursor)), Some((segment, _))) => {
            Ok(cursor.read(segment, blocks)?.map(|(key, _)| key))
        }
        _ => Ok(None),
    }
}
