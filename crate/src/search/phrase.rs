//! The rows that have words which follow each other in a field.

use roaring::RoaringBitmap;

use super::asked::Slot;
use super::field::Field;
use super::finding::Meaning;
use super::kept::SearchIndex;
use super::list::List;
use crate::order::sort_by;
use crate::segment::{Blocks, Stop};

/// Rows that are looked at in one step.
const ROWS_A_STEP: usize = 256;

/// Words that follow each other in a field.
pub struct Phrase {
    /// Of each word its number and its lists, the rarest word first.
    slots: Vec<(u32, Vec<List>)>,
    next: u64,
    /// Where all words so far would begin in a row, and where one more would.
    starts: Vec<u32>,
    here: Vec<u32>,
}

impl Phrase {
    pub fn new<'a>(slots: impl Iterator<Item = (&'a Slot, &'a Meaning)>, field: Field) -> Phrase {
        let mut slots: Vec<(u64, u32, Vec<List>)> = slots
            .map(|(slot, meaning)| (meaning.cost(), slot.offset, meaning.lists(field)))
            .collect();
        sort_by(&mut slots, |a, b| a.0.cmp(&b.0));
        let slots = slots.into_iter().map(|(_, offset, lists)| (offset, lists));
        Phrase {
            slots: slots.collect(),
            next: 0,
            starts: Vec::new(),
            here: Vec::new(),
        }
    }

    pub fn step(
        &mut self,
        search: &SearchIndex,
        within: Option<&RoaringBitmap>,
        blocks: &mut Blocks,
        rows: &mut RoaringBitmap,
    ) -> Result<bool, Stop> {
        if self.slots.iter().any(|(_, lists)| lists.is_empty()) {
            return Ok(true);
        }
        for _ in 0..ROWS_A_STEP {
            let Ok(row) = u32::try_from(self.next) else {
                return Ok(true);
            };
            let Some(candidate) = self.candidate(row, search, within, blocks)? else {
                return Ok(true);
            };
            if !rows.contains(candidate) && self.follow(candidate, search, blocks)? {
                rows.insert(candidate);
            }
            self.next = u64::from(candidate) + 1;
        }
        Ok(false)
    }

    /// The lists of its words, for whoever asks them again.
    pub fn into_lists(self) -> impl Iterator<Item = List> {
        self.slots.into_iter().flat_map(|(_, lists)| lists)
    }

    /// The first row from one on that has all of the words.
    fn candidate(
        &mut self,
        from: u32,
        search: &SearchIndex,
        within: Option<&RoaringBitmap>,
        blocks: &mut Blocks,
    ) -> Result<Option<u32>, Stop> {
        let mut row = from;
        'again: loop {
            if let Some(within) = within {
                let mut wanted = within.iter();
                wanted.advance_to(row);
                let Some(next) = wanted.next() else {
                    return Ok(None);
                };
                row = next;
            }
            for (_, lists) in &mut self.slots {
                let mut nearest: Option<u32> = None;
                for list in lists {
                    let next = list.next_row(search, row, blocks)?;
                    nearest = nearest.into_iter().chain(next).min();
                }
                let Some(nearest) = nearest else {
                    return Ok(None);
                };
                if nearest > row {
                    row = nearest;
                    continue 'again;
                }
            }
            return Ok(Some(row));
        }
    }

    /// Whether they follow each other there.
    fn follow(
        &mut self,
        row: u32,
        search: &SearchIndex,
        blocks: &mut Blocks,
    ) -> Result<bool, Stop> {
        let (starts, here) = (&mut self.starts, &mut self.here);
        for (n, (offset, lists)) in self.slots.iter_mut().enumerate() {
            here.clear();
            let is_one = lists.len() == 1;
            for list in lists {
                let Some((at, _)) = list.frequency(search, row)? else {
                    continue;
                };
                let positions = list.positions(search, at, blocks)?.iter();
                here.extend(positions.filter_map(|position| position.checked_sub(*offset)));
            }
            if !is_one {
                here.sort_unstable();
                here.dedup();
            }
            if n == 0 {
                std::mem::swap(starts, here);
            } else {
                starts.retain(|start| here.binary_search(start).is_ok());
            }
            if starts.is_empty() {
                return Ok(false);
            }
        }
        Ok(!self.slots.is_empty())
    }
}
