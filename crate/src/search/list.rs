//! The rows that have a term in a field, piece by piece through all segments.

use std::rc::Rc;

use roaring::RoaringBitmap;

use super::draft::{POSITIONS, TERMS};
use super::entry::damaged;
use super::field::Field;
use super::finding::Form;
use super::kept::SearchIndex;
use super::postings::{self, Head, Piece};
use crate::segment::{Blocks, Cursor, Stop};

/// Pieces that are gone through one by one before the next is looked up.
const NEAR_PIECES: usize = 6;
/// Rows of a piece that are passed over at once.
const NEAR_ROWS: usize = 16;

/// Stands at a piece, and goes on only.
pub struct List {
    /// What the keys of its pieces begin with, and the row that was looked for last.
    key: Vec<u8>,
    prefix_bytes: usize,
    segment: usize,
    cursor: Option<Cursor>,
    /// The cursor of the segment before, which stands behind the list there.
    behind: Option<Cursor>,
    /// The entry where the cursor stands may be one before the list, or several are.
    may_be_before: bool,
    passes_others: bool,
    head: Option<Head>,
    value: Vec<u8>,
    piece: Piece,
    is_read: bool,
    /// The row of it that was looked for last.
    at: usize,
    /// Positions of the piece, once they were asked for, and where those stand that are apart.
    differences: Vec<u32>,
    has_differences: bool,
    apart: Option<(usize, Cursor)>,
    /// Those of the row that was asked for last.
    positions: Vec<u32>,
    is_over: bool,
    /// No piece of the list is before the next one.
    begins: bool,
    first: Option<First>,
    /// The only rows that matter, where not all do.
    within: Option<Rc<RoaringBitmap>>,
}

/// Where a list begins.
#[derive(Clone, Copy)]
struct First {
    segment: usize,
    entry: u64,
    /// The first piece, while no other was read: it is read still.
    head: Option<Head>,
}

impl List {
    pub fn new(term: &[u8], field: Field) -> List {
        let key = postings::list_prefix(term, field);
        List {
            prefix_bytes: key.len(),
            key,
            segment: 0,
            cursor: None,
            behind: None,
            may_be_before: false,
            passes_others: false,
            head: None,
            value: Vec::new(),
            piece: Piece::default(),
            is_read: false,
            at: 0,
            differences: Vec::new(),
            has_differences: false,
            apart: None,
            positions: Vec::new(),
            is_over: false,
            begins: true,
            first: None,
            within: None,
        }
    }

    /// The rows that have a form of a word where it counts.
    pub fn of_form(form: &Form, field: Field) -> List {
        List {
            within: form.within.clone(),
            ..List::new(&form.term, field)
        }
    }

    /// The list where it is one of those that were gone through, since little of that is read again.
    pub fn one_of(over: &mut Vec<List>, form: &Form, field: Field) -> List {
        let of_field = [0, field.number()];
        let is_it = |list: &List| {
            let rest = list.key[..list.prefix_bytes].strip_prefix(form.term.as_slice());
            rest == Some(&of_field)
        };
        let Some(at) = over.iter().position(is_it) else {
            return List::of_form(form, field);
        };
        let mut list = over.swap_remove(at);
        list.rewind();
        list
    }

    /// Whether a row that has it matters.
    pub fn counts(&self, row: u32) -> bool {
        let within = self.within.as_ref();
        within.is_none_or(|within| within.contains(row))
    }

    /// Goes back to the beginning.
    fn rewind(&mut self) {
        self.is_over = false;
        let Some(First {
            segment,
            entry,
            head,
        }) = self.first
        else {
            (self.segment, self.head, self.cursor) = (0, None, None);
            self.begins = true;
            return;
        };
        if self.segment != segment {
            self.cursor = self.behind.take().filter(|_| self.segment == segment + 1);
        }
        if let Some(cursor) = &mut self.cursor {
            cursor.return_to(entry);
        }
        (self.segment, self.head) = (segment, head);
        self.begins = head.is_none();
    }

    /// Begins where a list is that was gone through, of the same term in a field before: what is between is little.
    pub fn begin_behind(&mut self, before: &List) {
        let (own, field) = self.key[..self.prefix_bytes].split_at(self.prefix_bytes - 1);
        let (other, field_before) =
            before.key[..before.prefix_bytes].split_at(before.prefix_bytes - 1);
        if own != other || field <= field_before {
            return;
        }
        self.cursor = match before.segment {
            0 => before.cursor.clone(),
            1 => before.behind.clone(),
            _ => None,
        };
        self.passes_others = self.cursor.is_some();
    }

    /// What is known of the piece where it stands.
    pub fn head(&self) -> Option<&Head> {
        self.head.as_ref()
    }

    /// Goes to the first piece that ends with this row or behind it. False where there is none.
    pub fn seek(
        &mut self,
        search: &SearchIndex,
        row: u32,
        blocks: &mut Blocks,
    ) -> Result<bool, Stop> {
        let (mut near, mut was_found) = (0, false);
        while !self.is_over {
            if self.head.is_some_and(|head| head.last >= row) {
                return Ok(true);
            }
            if self.cursor.is_none() || near > NEAR_PIECES && !was_found {
                if !self.find(search, row, blocks)? {
                    self.is_over = true;
                }
                was_found = true;
                continue;
            }
            if self.head.take().is_some() {
                self.cursor.as_mut().map(Cursor::go_on).unwrap_or_default();
            }
            near += 1;
            self.read(search, blocks)?;
        }
        self.head = None;
        Ok(false)
    }

    /// Goes to the entry before the one that begins with a row or behind it.
    fn find(&mut self, search: &SearchIndex, row: u32, blocks: &mut Blocks) -> Result<bool, Stop> {
        self.segment = self.segment.max(search.segment_of(row));
        let Some(segment) = search.segment(self.segment) else {
            return Ok(false);
        };
        let Some(section) = segment.section(TERMS) else {
            return Err(Stop::Damaged(segment.whole()));
        };
        self.key.truncate(self.prefix_bytes);
        self.key.extend(row.to_be_bytes());
        let mut cursor = Cursor::at_key(segment, section, &self.key, blocks)?;
        self.passes_others = false;
        self.may_be_before = row > 0 && cursor.entry() > 0;
        // Whether it begins here is found out where the entry before is read.
        self.begins &= self.segment == 0;
        if self.may_be_before {
            cursor.go_back();
        }
        self.cursor = Some(cursor);
        self.head = None;
        Ok(true)
    }

    /// Reads the entry where the cursor stands, which need not be of the list.
    fn read(&mut self, search: &SearchIndex, blocks: &mut Blocks) -> Result<(), Stop> {
        let (Some(segment), Some(cursor)) = (search.segment(self.segment), &mut self.cursor) else {
            self.is_over = true;
            return Ok(());
        };
        let damaged = Stop::Damaged(segment.whole());
        let entry = cursor.read(segment, blocks)?;
        let prefix = &self.key[..self.prefix_bytes];
        let is_before = entry.is_some_and(|(key, _)| key < prefix);
        let own = entry.and_then(|(key, value)| Some((key.strip_prefix(prefix)?, value)));
        match own {
            Some((row, value)) => {
                let row = row.try_into().map_err(|_| damaged)?;
                let head = Head::read(u32::from_be_bytes(row), value).ok_or(damaged)?;
                self.value.clear();
                self.value.extend_from_slice(value);
                self.head = Some(head);
                if self.begins && !self.may_be_before {
                    self.first = Some(First {
                        segment: self.segment,
                        entry: cursor.entry(),
                        head: Some(head),
                    });
                } else if let Some(first) = &mut self.first {
                    first.head = None;
                }
                self.begins = false;
                (self.is_read, self.has_differences) = (false, false);
                (self.may_be_before, self.passes_others) = (false, false);
            }
            None if is_before && (self.may_be_before || self.passes_others) => {
                cursor.go_on();
                self.may_be_before = false;
            }
            None => {
                self.behind = self.cursor.take();
                self.segment += 1;
                (self.may_be_before, self.passes_others) = (false, false);
            }
        }
        Ok(())
    }

    /// The first row from one on that has the term.
    pub fn next_row(
        &mut self,
        search: &SearchIndex,
        row: u32,
        blocks: &mut Blocks,
    ) -> Result<Option<u32>, Stop> {
        if !self.seek(search, row, blocks)? {
            return Ok(None);
        }
        let first = self.head.map_or(0, |head| head.first);
        if row <= first {
            return Ok(Some(first));
        }
        self.read_piece(search)?;
        self.go_to(row);
        Ok(self.piece.rows.get(self.at).copied())
    }

    /// Rows of the piece where it stands, whether they matter or not.
    pub fn rows(&mut self, search: &SearchIndex) -> Result<&[u32], Stop> {
        self.read_piece(search)?;
        Ok(&self.piece.rows)
    }

    /// Appends the rows of the piece where it stands that matter. The last one of the piece.
    pub fn add_rows(&mut self, search: &SearchIndex, found: &mut Vec<u32>) -> Result<u32, Stop> {
        self.read_piece(search)?;
        let rows = &self.piece.rows;
        match &self.within {
            None => found.extend_from_slice(rows),
            Some(within) => found.extend(rows.iter().filter(|row| within.contains(**row))),
        }
        Ok(rows.last().copied().unwrap_or(u32::MAX))
    }

    /// Rows of the piece where it stands, and how often each has the term.
    pub fn piece(&mut self, search: &SearchIndex) -> Result<(&[u32], &[u32]), Stop> {
        self.read_piece(search)?;
        self.read_frequencies(search)?;
        Ok((&self.piece.rows, &self.piece.frequencies))
    }

    fn read_piece(&mut self, search: &SearchIndex) -> Result<(), Stop> {
        if let Some(head) = self.head.filter(|_| !self.is_read) {
            let read = self.piece.read(&head, &self.value);
            read.ok_or_else(|| self.damaged(search))?;
            (self.is_read, self.at) = (true, 0);
        }
        Ok(())
    }

    fn read_frequencies(&mut self, search: &SearchIndex) -> Result<(), Stop> {
        let head = self.head.unwrap_or_default();
        let read = self.piece.read_frequencies(&head, &self.value);
        read.ok_or_else(|| self.damaged(search))
    }

    /// Goes to the first row of the piece that is not below one. Rows are looked for in their order, or nearly.
    fn go_to(&mut self, row: u32) {
        let rows = &self.piece.rows;
        if self.at > 0 && rows.get(self.at - 1).is_some_and(|before| *before >= row) {
            self.at = 0;
        }
        while rows
            .get(self.at + NEAR_ROWS)
            .is_some_and(|other| *other < row)
        {
            self.at += NEAR_ROWS;
        }
        while rows.get(self.at).is_some_and(|other| *other < row) {
            self.at += 1;
        }
    }

    /// How often a row has the term, and which row of the piece it is; the piece must be the one that `seek` found.
    pub fn frequency(
        &mut self,
        search: &SearchIndex,
        row: u32,
    ) -> Result<Option<(usize, u32)>, Stop> {
        if self.head.is_none_or(|head| head.first > row) {
            return Ok(None);
        }
        self.read_piece(search)?;
        self.go_to(row);
        if self.piece.rows.get(self.at) != Some(&row) {
            return Ok(None);
        }
        self.read_frequencies(search)?;
        let frequency = self.piece.frequencies.get(self.at);
        Ok(frequency.map(|frequency| (self.at, *frequency)))
    }

    /// Positions of a row, by its place in the piece as `frequency` tells it.
    pub fn positions(
        &mut self,
        search: &SearchIndex,
        at: usize,
        blocks: &mut Blocks,
    ) -> Result<&[u32], Stop> {
        let damaged = self.damaged(search);
        let head = self.head.ok_or(damaged)?;
        if !self.has_differences {
            self.read_differences(search, &head, blocks)?;
            self.has_differences = true;
        }
        let read = self
            .piece
            .positions_of(at, &self.differences, &mut self.positions);
        read.ok_or(damaged)?;
        Ok(&self.positions)
    }

    fn read_differences(
        &mut self,
        search: &SearchIndex,
        head: &Head,
        blocks: &mut Blocks,
    ) -> Result<(), Stop> {
        let damaged = self.damaged(search);
        self.differences.clear();
        let segment = search.segment(self.segment).filter(|_| head.is_apart);
        let Some(segment) = segment else {
            let value = &self.value;
            let read = self
                .piece
                .read_differences(head, value, &mut self.differences);
            return read.ok_or(damaged);
        };
        self.key.truncate(self.prefix_bytes);
        self.key.extend(head.first.to_be_bytes());
        // Those of the next piece stand next.
        let before = self.apart.take().filter(|(at, _)| *at == self.segment);
        let mut cursor = match before {
            Some((_, mut cursor)) => {
                cursor.go_on();
                let next = cursor.read(segment, blocks)?;
                let is_it = next.is_some_and(|(key, _)| *key == *self.key);
                is_it.then_some(cursor)
            }
            None => None,
        };
        if cursor.is_none() {
            let section = segment.section(POSITIONS).ok_or(damaged)?;
            cursor = Some(Cursor::at_key(segment, section, &self.key, blocks)?);
        }
        let cursor = &mut self.apart.insert((self.segment, cursor.ok_or(damaged)?)).1;
        let entry = cursor.read(segment, blocks)?;
        let entry = entry.filter(|(key, _)| **key == *self.key);
        let (_, value) = entry.ok_or(damaged)?;
        let read = self
            .piece
            .read_differences(head, value, &mut self.differences);
        read.ok_or(damaged)
    }

    fn damaged(&self, search: &SearchIndex) -> Stop {
        damaged(search, self.segment)
    }
}
