//! The rows that have words which follow each other in a field.

use roaring::RoaringBitmap;

use super::asked::Slot;
use super::field::Field;
use super::finding::Meaning;
use super::kept::SearchIndex;
use super::list::List;
use crate::order::sort_by;
use crate::segment::{Blocks, Stop};

/// Rows, or pieces of lists, that are looked at in one step.
const ROWS_A_STEP: usize = 256;
const PIECES_A_STEP: usize = 8;

/// Words that follow each other in a field.
pub struct Phrase {
    /// Of each word its number and its lists, the rarest word first.
    slots: Vec<(u32, Vec<List>)>,
    next: u64,
    /// Rows that have all of the words.
    shared: Vec<u32>,
    /// Where all words so far would begin in a row, and where one more would.
    starts: Vec<u32>,
    here: Vec<u32>,
}

impl Phrase {
    /// `before`: lists that were gone through in other fields.
    pub fn new<'a>(
        slots: impl Iterator<Item = (&'a Slot, &'a Meaning)>,
        field: Field,
        before: &[List],
    ) -> Phrase {
        let mut slots: Vec<(u64, u32, Vec<List>)> = slots
            .map(|(slot, meaning)| (meaning.cost(), slot.offset, meaning.lists(field)))
            .collect();
        for list in slots.iter_mut().flat_map(|(_, _, lists)| lists) {
            before.iter().for_each(|before| list.begin_behind(before));
        }
        sort_by(&mut slots, |a, b| a.0.cmp(&b.0));
        let slots = slots.into_iter().map(|(_, offset, lists)| (offset, lists));
        Phrase {
            slots: slots.collect(),
            next: 0,
            shared: Vec::new(),
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
        // Most often each word is meant in one form.
        if self.slots.iter().all(|(_, lists)| lists.len() == 1) {
            return self.step_by_pieces(search, within, blocks, rows);
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

    /// The same where each word has one list: of the pieces of all that lie about a row, the rows that are in each.
    fn step_by_pieces(
        &mut self,
        search: &SearchIndex,
        within: Option<&RoaringBitmap>,
        blocks: &mut Blocks,
        rows: &mut RoaringBitmap,
    ) -> Result<bool, Stop> {
        for _ in 0..PIECES_A_STEP {
            let next = u32::try_from(self.next).ok();
            let next = next.and_then(|row| next_within(within, row));
            let Some(row) = next else {
                return Ok(true);
            };
            let Some(last) = self.share(row, search, blocks)? else {
                return Ok(true);
            };
            for n in 0..self.shared.len() {
                let row = self.shared[n];
                let is_wanted = within.is_none_or(|within| within.contains(row));
                if is_wanted && !rows.contains(row) && self.follow(row, search, blocks)? {
                    rows.insert(row);
                }
                self.next = u64::from(row) + 1;
            }
            self.next = u64::from(last) + 1;
        }
        Ok(false)
    }

    /// Goes to the pieces that lie about the first row from one on which all lists may have, and gathers those that they
    /// share. The last row for which this holds; nothing where a list is over.
    fn share(
        &mut self,
        from: u32,
        search: &SearchIndex,
        blocks: &mut Blocks,
    ) -> Result<Option<u32>, Stop> {
        let mut row = from;
        let last = 'again: loop {
            let mut last = u32::MAX;
            for (_, lists) in &mut self.slots {
                let Some(list) = lists.first_mut() else {
                    return Ok(None);
                };
                if !list.seek(search, row, blocks)? {
                    return Ok(None);
                }
                let head = list.head().copied().unwrap_or_default();
                if head.first > row {
                    row = head.first;
                    continue 'again;
                }
                last = last.min(head.last);
            }
            break last;
        };
        let mut lists = self
            .slots
            .iter_mut()
            .filter_map(|(_, lists)| lists.first_mut());
        self.shared.clear();
        if let Some(list) = lists.next() {
            let own = list.rows(search)?;
            let (from, to) = (
                own.partition_point(|other| *other < row),
                own.partition_point(|other| *other <= last),
            );
            self.shared.extend_from_slice(&own[from..to]);
        }
        for list in lists {
            retain_shared(&mut self.shared, list.rows(search)?);
        }
        Ok(Some(last))
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
            let Some(next) = next_within(within, row) else {
                return Ok(None);
            };
            row = next;
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

/// The first row from one on that is wanted.
fn next_within(within: Option<&RoaringBitmap>, row: u32) -> Option<u32> {
    let Some(within) = within else {
        return Some(row);
    };
    let mut wanted = within.iter();
    wanted.advance_to(row);
    wanted.next()
}

/// Keeps of some rows those that are among others; both are in their order.
fn retain_shared(rows: &mut Vec<u32>, others: &[u32]) {
    let mut at = 0;
    rows.retain(|row| {
        while others.get(at).is_some_and(|other| other < row) {
            at += 1;
        }
        others.get(at) == Some(row)
    });
}
