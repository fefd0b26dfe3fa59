//! What becomes of the rows that a query's keys select: revisits are given their originals, filters and
//! dates are applied, adjacent rows collapse, and what is left is put in order and written.
//!
//! That order is part of what is promised: a revisit counts by its original in filters and in collapsing.

use std::collections::{HashMap, VecDeque};

use super::line::{Row, push_object};
use super::query::{Collapse, Order, Output, Query, seconds};
use crate::error::{Error, code};
use crate::limits::{LOOKUP_KEPT_BYTES_MAX, LOOKUP_ORIGINALS_MAX};

const REVISIT: &[u8] = b"warc/revisit";
/// What a kept row takes beside its line: its key, its columns.
const ROW_BYTES: usize = 400;

struct Original {
    mime: Vec<u8>,
    status: Vec<u8>,
    /// Length, offset and name of the file.
    place: [Vec<u8>; 3],
}

#[derive(Default)]
pub struct Flow {
    originals: HashMap<Vec<u8>, Original>,
    /// What the last row said in each column by which rows collapse.
    last: Vec<Option<Vec<u8>>>,
    kept: VecDeque<(u64, Row)>,
    kept_bytes: usize,
    told: u64,
    out: Vec<u8>,
}

impl Flow {
    /// Takes a row; rows come in order.
    pub fn row(&mut self, query: &Query, mut row: Row) -> Result<(), Error> {
        if query.resolves_revisits {
            self.resolve(&mut row);
        }
        if !query.filters.iter().all(|filter| filter.passes(&row)) || !is_in_time(query, &row) {
            return Ok(());
        }
        if !query.collapse.is_empty() && self.collapses(query, &row) {
            return Ok(());
        }
        let limit = query.limit.map_or(u64::MAX, i64::unsigned_abs);
        let limit_rows = usize::try_from(limit).unwrap_or(usize::MAX);
        match query.order {
            Order::Sorted if query.limit.is_none_or(|limit| limit > 0) => {
                self.write(query, &row);
                return Ok(());
            }
            Order::Sorted | Order::Reverse => {
                self.keep(0, row, self.kept.len());
                if self.kept.len() > limit_rows {
                    self.drop_kept(true);
                }
            }
            Order::Closest(wanted) => {
                let distance = seconds(&row.timestamp).abs_diff(wanted);
                // Of two as close, the earlier one comes first.
                let at = self.kept.partition_point(|(kept, _)| *kept <= distance);
                if at < limit_rows {
                    self.keep(distance, row, at);
                }
                if self.kept.len() > limit_rows {
                    self.drop_kept(false);
                }
            }
        }
        if self.kept_bytes > LOOKUP_KEPT_BYTES_MAX {
            let message =
                "too many rows to put in this order: ask for fewer with limit, from, to or filter";
            return Err(Error::new(code::TOO_MANY_ROWS, message));
        }
        Ok(())
    }

    /// No row is left.
    pub fn finish(&mut self, query: &Query) {
        let mut kept = std::mem::take(&mut self.kept);
        while let Some((_, row)) = match query.order {
            Order::Reverse => kept.pop_back(),
            Order::Sorted | Order::Closest(_) => kept.pop_front(),
        } {
            self.write(query, &row);
        }
    }

    /// Whether no row that may come would be told.
    pub fn is_done(&self, query: &Query) -> bool {
        let limit = query.limit.and_then(|limit| u64::try_from(limit).ok());
        query.order == Order::Sorted && limit.is_some_and(|limit| self.told >= limit)
    }

    pub fn told(&self) -> u64 {
        self.told
    }

    pub fn out(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    fn keep(&mut self, distance: u64, row: Row, at: usize) {
        self.kept_bytes += row.line.len() + ROW_BYTES;
        self.kept.insert(at, (distance, row));
    }

    fn drop_kept(&mut self, is_first: bool) {
        let dropped = if is_first {
            self.kept.pop_front()
        } else {
            self.kept.pop_back()
        };
        if let Some((_, row)) = dropped {
            self.kept_bytes -= row.line.len() + ROW_BYTES;
        }
    }

    /// Gives a revisit what its original says. Every row then tells where its original is, or that it has none.
    fn resolve(&mut self, row: &mut Row) {
        let text = |row: &Row, name| row.get(name).map_or_else(Vec::new, |it| it.into_owned());
        let place = |row: &Row| ["length", "offset", "filename"].map(|name| text(row, name));
        let is_revisit = row.get("mime").is_some_and(|mime| mime.as_ref() == REVISIT)
            || row
                .get("filename")
                .is_some_and(|file| file.as_ref() == b"-");
        let digest = row.said("digest").map(|digest| digest.into_owned());
        let mut found = None;
        match digest {
            Some(digest) if is_revisit => found = self.originals.get(&digest),
            Some(digest) if self.originals.len() < LOOKUP_ORIGINALS_MAX => {
                self.originals.entry(digest).or_insert_with(|| Original {
                    mime: text(row, "mime"),
                    status: text(row, "status"),
                    place: place(row),
                });
            }
            _ => {}
        }
        let mut places = [const { Vec::new() }; 3];
        if let Some(original) = found {
            row.set("mime", original.mime.clone());
            row.set("status", original.status.clone());
            places.clone_from(&original.place);
        }
        for (name, mut place) in ["orig.length", "orig.offset", "orig.filename"]
            .into_iter()
            .zip(places)
        {
            if place.is_empty() {
                place.push(b'-');
            }
            row.set(name, place);
        }
    }

    fn collapses(&mut self, query: &Query, row: &Row) -> bool {
        self.last.resize(query.collapse.len(), None);
        let mut does = false;
        for (collapse, last) in query.collapse.iter().zip(&mut self.last) {
            let value = match collapse {
                Collapse::Time(digits) => {
                    let time = &row.timestamp[..row.timestamp.len().min(*digits)];
                    let status = row.get("status").unwrap_or_default();
                    [time, b" ", &status].concat()
                }
                Collapse::Column(name, letters) => {
                    let value = row.get(name).unwrap_or_default();
                    let letters = letters.unwrap_or(usize::MAX).min(value.len());
                    value[..letters].to_vec()
                }
            };
            if last.as_ref() == Some(&value) {
                does = true;
            } else {
                *last = Some(value);
            }
        }
        does
    }

    fn write(&mut self, query: &Query, row: &Row) {
        self.told += 1;
        match (query.output, query.fields.is_empty()) {
            (Output::Json, is_whole) => {
                let names = if is_whole {
                    row.names()
                } else {
                    query.fields.clone()
                };
                let members = names
                    .iter()
                    .filter_map(|name| Some((name.as_bytes(), row.get(name)?)));
                push_object(&mut self.out, members);
            }
            (_, true) => self.out.extend_from_slice(&row.text()),
            (_, false) => {
                let values: Vec<_> = query
                    .fields
                    .iter()
                    .map(|name| row.get(name).unwrap_or(b"-".as_slice().into()))
                    .collect();
                self.out.extend_from_slice(&values.join(&b' '));
            }
        }
        self.out.push(b'\n');
    }
}

fn is_in_time(query: &Query, row: &Row) -> bool {
    if query.from.is_none() && query.to.is_none() {
        return true;
    }
    let mut time = row.timestamp.clone();
    time.resize(14, b'0');
    query.from.as_ref().is_none_or(|from| time >= *from)
        && query.to.as_ref().is_none_or(|to| time <= *to)
}
