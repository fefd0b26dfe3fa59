//! Lists that are gone through one after another, for all of their rows or for few.

use roaring::RoaringBitmap;

use super::gathered::add_all;
use super::kept::SearchIndex;
use super::list::List;
use crate::segment::{Blocks, Stop};

/// Pieces that are looked at in one step.
const PIECES_A_STEP: usize = 256;

pub struct Through {
    left: Vec<List>,
    /// Those that are over, where they are of further use.
    over: Option<Vec<List>>,
    /// From which row on the last one of those that are left is gone on with.
    next: u64,
}

impl Through {
    pub fn new(lists: Vec<List>) -> Through {
        Through {
            left: lists,
            over: None,
            next: 0,
        }
    }

    /// The same; the lists are there afterwards.
    pub fn keeping(lists: Vec<List>) -> Through {
        Through {
            over: Some(Vec::new()),
            ..Through::new(lists)
        }
    }

    pub fn into_lists(self) -> Vec<List> {
        self.over.unwrap_or_default()
    }

    /// Adds rows. True when no list is left.
    pub fn add(
        &mut self,
        search: &SearchIndex,
        blocks: &mut Blocks,
        rows: &mut RoaringBitmap,
    ) -> Result<bool, Stop> {
        let mut found = Vec::new();
        let outcome = self.gather(search, blocks, &mut found);
        add_all(found, rows);
        outcome
    }

    fn gather(
        &mut self,
        search: &SearchIndex,
        blocks: &mut Blocks,
        found: &mut Vec<u32>,
    ) -> Result<bool, Stop> {
        for _ in 0..PIECES_A_STEP {
            let Some(list) = self.left.last_mut() else {
                return Ok(true);
            };
            let is_there = match u32::try_from(self.next) {
                Ok(row) => list.seek(search, row, blocks)?,
                Err(_) => false,
            };
            if is_there {
                self.next = u64::from(list.add_rows(search, found)?) + 1;
            } else {
                self.end_list();
            }
        }
        Ok(self.left.is_empty())
    }

    /// Adds those of few rows that the lists have. True when none is left.
    pub fn add_of(
        &mut self,
        few: &RoaringBitmap,
        search: &SearchIndex,
        blocks: &mut Blocks,
        rows: &mut RoaringBitmap,
    ) -> Result<bool, Stop> {
        for _ in 0..PIECES_A_STEP {
            let Some(list) = self.left.last_mut() else {
                return Ok(true);
            };
            let candidate = u32::try_from(self.next).ok().and_then(|row| {
                let mut wanted = few.iter();
                wanted.advance_to(row);
                wanted.next()
            });
            let found = match candidate {
                Some(candidate) => list.next_row(search, candidate, blocks)?,
                None => None,
            };
            match found {
                Some(found) if Some(found) == candidate => {
                    if list.counts(found) {
                        rows.insert(found);
                    }
                    self.next = u64::from(found) + 1;
                }
                Some(found) => self.next = u64::from(found),
                None => self.end_list(),
            }
        }
        Ok(self.left.is_empty())
    }

    fn end_list(&mut self) {
        let list = self.left.pop();
        if let Some(over) = &mut self.over {
            over.extend(list);
        }
        self.next = 0;
    }
}
