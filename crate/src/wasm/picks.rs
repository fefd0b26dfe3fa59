//! Rows of an archive as places to be read.

use std::rc::Rc;

use super::engine::Index;
use crate::archive::{Part, Pick};

/// Shares what is known of a part among the picks in it.
#[derive(Default)]
pub struct Picks {
    last: Option<(usize, Rc<Part>)>,
}

impl Picks {
    pub fn of(&mut self, index: &Index, row: usize) -> Option<Pick> {
        let (number, offset, skip) = index.captures.place(row)?;
        let known = self.last.take().filter(|(last, _)| *last == number);
        let part = match known {
            Some((_, part)) => part,
            None => Rc::new(index.captures.parts().get(number)?.part.clone()),
        };
        self.last = Some((number, Rc::clone(&part)));
        Some(Pick {
            row,
            part,
            offset,
            skip,
        })
    }
}
