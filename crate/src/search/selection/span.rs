//! Rows by their time or their size: whole months and classes of sizes from the facets, what is left over at both ends
//! from the column that is sorted by it; or few rows one by one.

use std::ops::RangeInclusive;

use roaring::RoaringBitmap;

use super::Found;
use super::check::{Check, Look};
use super::values::ValueSearch;
use crate::index::{Column, Window};
use crate::row::Row;
use crate::search::facets::{month_of, size_class};
use crate::search::source::Source;
use crate::segment::{Blocks, Stop};

/// Entries of a column, or rows, that are taken in one step.
const ENTRIES_A_STEP: u64 = 4096;
/// Reading a row costs as much as so many entries.
const ENTRIES_A_ROW: u64 = 4;
/// Fewer entries are read from the column, without facets.
const ENTRIES_FEW: u64 = 32 << 10;

pub struct SpanSearch {
    column: Column,
    span: RangeInclusive<u64>,
    state: State,
}

enum State {
    Begin,
    /// What the facets tell, and then what the column has at its edges.
    Whole(Box<ValueSearch>, Vec<[u64; 2]>),
    Edges(Vec<[u64; 2]>),
    Rows(u32),
}

impl SpanSearch {
    /// Of the column of times or that of sizes.
    pub fn new(column: Column, span: RangeInclusive<u64>) -> SpanSearch {
        // The greatest number stands for none.
        let last = match column {
            Column::Time => u64::from(u32::MAX) - 1,
            _ => u64::MAX,
        };
        SpanSearch {
            column,
            span: *span.start()..=last.min(*span.end()),
            state: State::Begin,
        }
    }

    pub fn weight(&self, source: &Source<'_>, blocks: &mut Blocks) -> Result<u64, Stop> {
        let [from, to] = self.entries(source, &self.span, blocks)?;
        Ok(to - from)
    }

    /// The entries of the column that are in a span.
    fn entries(
        &self,
        source: &Source<'_>,
        span: &RangeInclusive<u64>,
        blocks: &mut Blocks,
    ) -> Result<[u64; 2], Stop> {
        if span.is_empty() {
            return Ok([0, 0]);
        }
        let from = self.below(source, *span.start(), blocks)?;
        let to = match span.end().checked_add(1) {
            Some(behind) => self.below(source, behind, blocks)?,
            None => source.index.whole(self.column).entries,
        };
        Ok([from, to.max(from)])
    }

    fn below(&self, source: &Source<'_>, number: u64, blocks: &mut Blocks) -> Result<u64, Stop> {
        let key = match self.column {
            Column::Time => match u32::try_from(number) {
                Ok(time) => time.to_be_bytes().to_vec(),
                Err(_) => return Ok(source.index.whole(self.column).entries),
            },
            _ => number.to_be_bytes().to_vec(),
        };
        Ok(source.index.rank(self.column, &key, blocks)?.entries)
    }

    pub fn step(
        &mut self,
        source: &Source<'_>,
        found: &mut Found<'_>,
        blocks: &mut Blocks,
    ) -> Result<bool, Stop> {
        match &mut self.state {
            State::Begin => {
                self.state = self.begin(source, found.within, blocks)?;
                Ok(false)
            }
            State::Whole(values, edges) => {
                if values.step(source, found, blocks)? {
                    self.state = State::Edges(std::mem::take(edges));
                }
                Ok(false)
            }
            State::Edges(edges) => {
                let Some([from, to]) = edges.last_mut() else {
                    found.tell(&format!("{}: column read", self.name()), found.rows.len());
                    return Ok(true);
                };
                let count = ENTRIES_A_STEP.min(*to - *from);
                let window = Window {
                    from: *from,
                    count: usize::try_from(count).unwrap_or(usize::MAX),
                    is_descending: false,
                };
                let rows = source.index.window(self.column, window, blocks)?;
                *from += count;
                if *from >= *to || rows.is_empty() {
                    edges.pop();
                }
                let rows = rows.into_iter().filter_map(|row| u32::try_from(row).ok());
                match found.within {
                    Some(within) => found.rows.extend(rows.filter(|row| within.contains(*row))),
                    None => found.rows.extend(rows),
                }
                Ok(false)
            }
            State::Rows(next) => {
                let is_over = ask_rows(&self.column, &self.span, next, source, found, blocks)?;
                if is_over {
                    found.tell(&format!("{}: rows asked", self.name()), found.rows.len());
                }
                Ok(is_over)
            }
        }
    }

    fn name(&self) -> &'static str {
        match self.column {
            Column::Time => "date",
            _ => "size",
        }
    }

    fn begin(
        &self,
        source: &Source<'_>,
        within: Option<&RoaringBitmap>,
        blocks: &mut Blocks,
    ) -> Result<State, Stop> {
        let all @ [from, to] = self.entries(source, &self.span, blocks)?;
        let left = within.map_or(u64::MAX, RoaringBitmap::len);
        if to - from <= ENTRIES_FEW && to - from <= left.saturating_mul(ENTRIES_A_ROW) {
            return Ok(State::Edges(vec![all]));
        }
        let (whole, edges) = match self.column {
            Column::Time => months(&self.span),
            _ => classes(&self.span),
        };
        let mut ranges = Vec::new();
        for edge in edges {
            ranges.push(self.entries(source, &edge, blocks)?);
        }
        let read: u64 = ranges.iter().map(|[from, to]| to - from).sum();
        if left.saturating_mul(ENTRIES_A_ROW) < read {
            return Ok(State::Rows(0));
        }
        let Some(whole) = whole else {
            return Ok(State::Edges(ranges));
        };
        let field = match self.column {
            Column::Time => "month",
            _ => "size",
        };
        let looks = vec![Look::Prefix(Vec::new())];
        let values = ValueSearch::new(field, looks, Check::Between(whole));
        Ok(State::Whole(Box::new(values), ranges))
    }
}

/// Asks rows one by one.
fn ask_rows(
    column: &Column,
    span: &RangeInclusive<u64>,
    next: &mut u32,
    source: &Source<'_>,
    found: &mut Found<'_>,
    blocks: &mut Blocks,
) -> Result<bool, Stop> {
    let Some(within) = found.within else {
        return Ok(true);
    };
    found.progress.candidates = within.len();
    let mut asked = 0;
    for row in within.range(*next..).take(512) {
        let record = source.index.row(u64::from(row), blocks)?;
        let number = |record: Row| match column {
            Column::Time => record.date.map(u64::from),
            _ => Some(record.size),
        };
        if record
            .and_then(|(_, record)| number(record))
            .is_some_and(|number| span.contains(&number))
        {
            found.rows.insert(row);
        }
        *next = row.saturating_add(1);
        found.progress.seen += 1;
        asked += 1;
    }
    Ok(asked < 512)
}

type Parts = (Option<RangeInclusive<String>>, Vec<RangeInclusive<u64>>);

/// The months that lie in a span wholly, and what is left of it.
fn months(span: &RangeInclusive<u64>) -> Parts {
    let named = |(year, month): (u64, u64)| format!("{year:04}-{month:02}");
    let (start, end) = (*span.start(), *span.end());
    let first = if first_second(start) == start {
        start
    } else {
        next_month(start)
    };
    let last = if next_month(end) == end + 1 {
        end
    } else {
        first_second(end).saturating_sub(1)
    };
    if first >= last {
        return (None, vec![span.clone()]);
    }
    let mut edges = Vec::new();
    if start < first {
        edges.push(start..=first - 1);
    }
    if last < end {
        edges.push(last + 1..=end);
    }
    (Some(named(month_of(first))..=named(month_of(last))), edges)
}

/// The first second of the month that a time is in, and of the next one.
fn first_second(seconds: u64) -> u64 {
    let (year, month) = month_of(seconds);
    let text = format!("{year:04}{month:02}");
    crate::archive::parse_date(text.as_bytes()).unwrap_or(0)
}

fn next_month(seconds: u64) -> u64 {
    // No month is longer, and the next one is not passed over.
    let in_next = first_second(seconds) + 31 * 86_400;
    let first = first_second(in_next);
    if first > seconds { first } else { in_next }
}

/// The classes of sizes that lie in a span wholly, and what is left of it.
fn classes(span: &RangeInclusive<u64>) -> Parts {
    let least = |class: u32| match class {
        0 => 0,
        class => 1u64 << (class - 1),
    };
    let greatest = |class: u32| match class {
        0 => 0,
        class => u64::MAX >> (u64::BITS - class),
    };
    let (start, end) = (*span.start(), *span.end());
    let mut first = size_class(start);
    first += u32::from(least(first) < start);
    let mut last = Some(size_class(end));
    if greatest(size_class(end)) > end {
        last = size_class(end).checked_sub(1);
    }
    let Some(last) = last.filter(|last| first <= *last) else {
        return (None, vec![span.clone()]);
    };
    let mut edges = Vec::new();
    if start < least(first) {
        edges.push(start..=least(first) - 1);
    }
    if greatest(last) < end {
        edges.push(greatest(last) + 1..=end);
    }
    (Some(format!("{first:02}")..=format!("{last:02}")), edges)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_spans_are_all_of_them() {
        let day = 86_400;
        let (whole, edges) = months(&(10 * day..=100 * day));
        assert_eq!(whole, Some("1970-02".to_owned()..="1970-03".to_owned()));
        assert_eq!(edges, [10 * day..=31 * day - 1, 90 * day..=100 * day]);
        assert_eq!(
            months(&(0..=31 * day - 1)),
            (Some("1970-01".into()..="1970-01".into()), vec![])
        );
        assert_eq!(months(&(5..=6)), (None, vec![5..=6]));
        assert_eq!(months(&(31 * day - 1..=31 * day)).0, None);
        let (whole, edges) = months(&(0..=u64::from(u32::MAX) - 1));
        assert_eq!(whole, Some("1970-01".to_owned()..="2106-01".to_owned()));
        assert_eq!(edges.len(), 1);
        let strings = |first: &str, last: &str| Some(first.to_owned()..=last.to_owned());
        assert_eq!(classes(&(0..=u64::MAX)), (strings("00", "64"), vec![]));
        assert_eq!(
            classes(&(1000..=5000)),
            (strings("11", "12"), vec![1000..=1023, 4096..=5000])
        );
        assert_eq!(classes(&(0..=0)), (strings("00", "00"), vec![]));
        assert_eq!(classes(&(5..=6)), (None, vec![5..=6]));
        assert_eq!(classes(&(2..=u64::MAX)), (strings("02", "64"), vec![]));
    }
}
