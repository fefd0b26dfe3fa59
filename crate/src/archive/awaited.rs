//! Places of records that were picked, by which what is heard of them is known again.

use std::collections::VecDeque;
use std::rc::Rc;

use super::picked::Pick;
use super::record::{Part, Record};

#[derive(Default)]
pub struct Awaited {
    places: VecDeque<Place>,
    /// In which the records lie that are heard; the file itself is not told of before it is gone back to.
    part: Option<Part>,
}

struct Place {
    row: usize,
    part: Rc<Part>,
    offset: u64,
    skip: u64,
}

impl Awaited {
    pub fn add(&mut self, pick: &Pick) {
        self.places.push_back(Place {
            row: pick.row,
            part: Rc::clone(&pick.part),
            offset: pick.offset,
            skip: pick.skip,
        });
    }

    /// The first row that was not heard of.
    pub fn first(&self) -> Option<usize> {
        self.places.front().map(|place| place.row)
    }

    pub fn part(&mut self, part: &Part) {
        self.part = Some(part.clone());
    }

    /// The row of a record, and before it those that were not found where they should be; nothing where none is awaited.
    pub fn rows_up_to(&mut self, record: &Record) -> Vec<usize> {
        let part = &self.part;
        let is_it = |place: &Place| {
            let is_in_part = match part {
                Some(part) => *part == *place.part,
                None => place.part.windows.is_empty(),
            };
            is_in_part && (place.offset, place.skip) == (record.offset, record.skip)
        };
        let behind = self.places.iter().position(is_it).map_or(0, |at| at + 1);
        let rows = self.places.drain(..behind);
        rows.map(|place| place.row).collect()
    }

    /// Nothing more is heard: the rows that are left.
    pub fn end(&mut self) -> Vec<usize> {
        let rows = self.places.drain(..);
        rows.map(|place| place.row).collect()
    }
}
