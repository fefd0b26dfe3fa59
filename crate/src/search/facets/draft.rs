//! Facets that are being gathered, in memory until they are written into a segment.

use std::collections::HashMap;

use roaring::RoaringBitmap;

use super::{FACETS, key, set};
use crate::order;
use crate::segment::{Grams, Kind, Order, SegmentWriter};

/// What an entry of the table takes besides its key and its rows.
const ENTRY_BYTES: usize = 72;
/// More rows than these are kept as a bitmap.
const FEW: usize = 32;

#[derive(Default)]
pub struct FacetsDraft {
    /// By field and value as keys begin.
    values: HashMap<Box<[u8]>, Rows>,
    bytes: usize,
    key: Vec<u8>,
}

enum Rows {
    One(u32),
    Few(Vec<u32>),
    Many(RoaringBitmap),
}

impl FacetsDraft {
    /// This row has this value. False where the name of the field is none or the value is too long to be kept.
    pub fn add(&mut self, row: u32, field: &str, value: &[u8]) -> bool {
        self.key.clear();
        if !key::push_field(&mut self.key, field) || !key::push_value(&mut self.key, value) {
            return false;
        }
        match self.values.get_mut(self.key.as_slice()) {
            Some(rows) => self.bytes += rows.add(row),
            None => {
                self.values
                    .insert(self.key.as_slice().into(), Rows::One(row));
                self.bytes += self.key.len() + ENTRY_BYTES;
            }
        }
        true
    }

    /// About the bytes of memory that it takes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Begins the section in a segment and fills it; nothing is left here.
    pub fn write(&mut self, writer: &mut SegmentWriter) {
        writer.begin(
            FACETS,
            Kind {
                order: Order::ByKey,
                is_weighed: true,
                grams: Grams::Unknown,
            },
        );
        let mut values: Vec<(Box<[u8]>, Rows)> = self.values.drain().collect();
        order::sort_by(&mut values, |(a, _), (b, _)| a.cmp(b));
        let mut lows = Vec::new();
        for (value_key, rows) in values {
            let mut high = None;
            rows.each(&mut |row| {
                let [a, b, c, d] = row.to_be_bytes();
                let next = u16::from_be_bytes([a, b]);
                if let Some(high) = high.filter(|high| *high != next) {
                    writer.push(&key::with_rows(&value_key, high), &set::write(&lows));
                    lows.clear();
                }
                high = Some(next);
                lows.push(u16::from_be_bytes([c, d]));
            });
            if let Some(high) = high {
                writer.push(&key::with_rows(&value_key, high), &set::write(&lows));
                lows.clear();
            }
        }
        self.values = HashMap::new();
        self.bytes = 0;
    }
}

impl Rows {
    /// Adds a row, mostly behind the others; tells how many bytes more there are.
    fn add(&mut self, row: u32) -> usize {
        match self {
            Rows::One(first) if *first == row => 0,
            Rows::One(first) => {
                *self = Rows::Few(vec![row.min(*first), row.max(*first)]);
                32
            }
            Rows::Few(rows) => {
                let at = rows.partition_point(|other| *other < row);
                if rows.get(at) == Some(&row) {
                    return 0;
                }
                if rows.len() < FEW {
                    rows.insert(at, row);
                    return 6;
                }
                let mut many: RoaringBitmap = rows.iter().copied().collect();
                many.insert(row);
                *self = Rows::Many(many);
                64
            }
            // A chunk takes two bytes a row, and as a bitmap not more than a quarter of a byte for each that it could have.
            Rows::Many(rows) => 2 * usize::from(rows.insert(row)),
        }
    }

    fn each(&self, visit: &mut dyn FnMut(u32)) {
        match self {
            Rows::One(row) => visit(*row),
            Rows::Few(rows) => rows.iter().copied().for_each(visit),
            Rows::Many(rows) => rows.iter().for_each(visit),
        }
    }
}
