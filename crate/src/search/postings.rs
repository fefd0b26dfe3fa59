//! Pieces of the rows that have a term, and of the positions where they have it (FORMAT.md 12).
//!
//!   key       := term 0x00 field:u8 first-row:u32be
//!   rows      := head [last-row - first-row] most:varint shortest:u8 differences [frequencies] [positions]
//!   head      := (rows - 1) * 2 + is-apart, a varint
//!   apart     := count:varint positions               in a section of its own, under the same key
//! Differences of rows are less one, and so are frequencies, which are there where `most` is above one and there are
//! several rows. Both, and positions, are packed (`stackroom_words::pack`). `most` is the largest frequency, `shortest`
//! the shortest length among the rows' documents, so that what a piece can weigh is known before it is unpacked.
//! Positions are differences less one, from row to row counted from the beginning. Few of them stand with the rows.

use stackroom_words::{pack, unpack};

use super::field::Field;
use crate::codec::{Reader, push_varint};

/// Rows of a piece.
pub const PIECE_ROWS_MAX: usize = 128;
/// A piece with so many positions takes no further row.
pub const PIECE_POSITIONS_MAX: usize = 16 << 10;
/// So many positions stand with their rows.
const INLINE_POSITIONS_MAX: usize = 32;
/// More than a field has words. A damaged piece may state anything.
const POSITIONS_MAX: usize = 4 << 20;

const SUFFIX_BYTES: usize = 6;

pub fn key(term: &[u8], field: Field, row: u32) -> Vec<u8> {
    let mut key = list_prefix(term, field);
    key.extend(row.to_be_bytes());
    key
}

/// What all keys of a term in a field begin with.
pub fn list_prefix(term: &[u8], field: Field) -> Vec<u8> {
    let mut key = Vec::with_capacity(term.len() + SUFFIX_BYTES);
    key.extend_from_slice(term);
    key.extend([0, field.number()]);
    key
}

/// Term, field and first row of a key.
pub fn parts_of(key: &[u8]) -> Option<(&[u8], Field, u32)> {
    let (rest, row) = key.split_last_chunk::<4>()?;
    let (term, [0, field]) = rest.split_last_chunk::<2>()? else {
        return None;
    };
    Some((term, Field::from_number(*field)?, u32::from_be_bytes(*row)))
}

/// What is known of a piece before it is unpacked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Head {
    pub rows: usize,
    pub first: u32,
    pub last: u32,
    /// The largest frequency, and the code of the shortest length.
    pub most: u32,
    pub shortest: u8,
    /// Its positions are in the section for these.
    pub is_apart: bool,
    /// Where the differences begin.
    at: usize,
}

impl Head {
    /// `None` where this is no piece.
    pub fn read(first: u32, value: &[u8]) -> Option<Head> {
        let mut reader = Reader::new(value);
        let head = reader.varint()?;
        let rows = usize::try_from(head >> 1).ok()?.checked_add(1)?;
        let span = if rows > 1 { reader.varint()? } else { 0 };
        let last = first.checked_add(u32::try_from(span).ok()?)?;
        let most = u32::try_from(reader.varint()?).ok()?;
        let shortest = *reader.take(1)?.first()?;
        let is_sound = rows <= PIECE_ROWS_MAX && most > 0;
        is_sound.then_some(Head {
            rows,
            first,
            last,
            most,
            shortest,
            is_apart: head & 1 == 1,
            at: value.len() - reader.left(),
        })
    }
}

/// A piece, unpacked as far as was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Piece {
    pub rows: Vec<u32>,
    pub frequencies: Vec<u32>,
    /// Where in the value its rows end, and positions are, where they stand there.
    rows_end: usize,
    positions_at: usize,
    /// A row whose positions were asked for, and how many positions are before them.
    before: (usize, usize),
}

impl Piece {
    /// Reads rows alone. `None` where these are none.
    pub fn read_rows(head: &Head, value: &[u8], rows: &mut Vec<u32>) -> Option<usize> {
        rows.clear();
        rows.reserve(head.rows);
        rows.push(head.first);
        let bytes = value.get(head.at..)?;
        let taken = unpack(bytes, head.rows - 1, rows).ok()?;
        let mut row = head.first;
        for next in &mut rows[1..] {
            row = row.checked_add(*next)?.checked_add(1)?;
            *next = row;
        }
        (row == head.last).then_some(head.at + taken)
    }

    /// Reads its rows, and nothing else of it.
    pub fn read(&mut self, head: &Head, value: &[u8]) -> Option<()> {
        self.frequencies.clear();
        self.before = (0, 0);
        self.rows_end = Piece::read_rows(head, value, &mut self.rows)?;
        Some(())
    }

    /// Reads how often its rows have the term, where that was not read.
    pub fn read_frequencies(&mut self, head: &Head, value: &[u8]) -> Option<()> {
        if !self.frequencies.is_empty() {
            return Some(());
        }
        let read = self.unpack_frequencies(head, value);
        if read.is_none() {
            self.frequencies.clear();
        }
        read
    }

    fn unpack_frequencies(&mut self, head: &Head, value: &[u8]) -> Option<()> {
        self.positions_at = self.rows_end;
        if head.rows == 1 || head.most == 1 {
            self.frequencies.resize(head.rows, head.most);
            return Some(());
        }
        let packed = value.get(self.rows_end..)?;
        self.positions_at += unpack(packed, head.rows, &mut self.frequencies).ok()?;
        for frequency in &mut self.frequencies {
            *frequency = frequency
                .checked_add(1)
                .filter(|frequency| *frequency <= head.most)?;
        }
        Some(())
    }

    /// How many positions there are; `None` where that cannot be.
    pub fn count(&self) -> Option<usize> {
        let counts = self
            .frequencies
            .iter()
            .map(|frequency| u64::from(*frequency));
        let count = usize::try_from(counts.sum::<u64>()).ok()?;
        (count <= POSITIONS_MAX).then_some(count)
    }

    /// Adds the positions of all rows, as differences: out of the value of the piece, or of the entry that has them apart.
    pub fn read_differences(
        &self,
        head: &Head,
        value: &[u8],
        differences: &mut Vec<u32>,
    ) -> Option<()> {
        let count = self.count()?;
        let mut at = self.positions_at;
        if head.is_apart {
            let mut reader = Reader::new(value);
            let stated = usize::try_from(reader.varint()?).ok()?;
            if stated != count {
                return None;
            }
            at = value.len() - reader.left();
        }
        unpack(value.get(at..)?, count, differences).ok()?;
        Some(())
    }

    /// Positions of one of the rows, out of the differences of all. Rows are asked for in their order, or nearly.
    pub fn positions_of(
        &mut self,
        at: usize,
        differences: &[u32],
        positions: &mut Vec<u32>,
    ) -> Option<()> {
        positions.clear();
        let (from, sum) = Some(self.before)
            .filter(|(row, _)| *row <= at)
            .unwrap_or_default();
        let frequencies = self.frequencies.get(from..at)?.iter();
        let before = sum
            + frequencies
                .map(|frequency| *frequency as usize)
                .sum::<usize>();
        self.before = (at, before);
        let count = *self.frequencies.get(at)? as usize;
        let mut next = 0u32;
        for difference in differences.get(before..before.checked_add(count)?)? {
            let position = next.checked_add(*difference)?;
            positions.push(position);
            next = position.checked_add(1)?;
        }
        Some(())
    }
}

/// A piece that is being made.
#[derive(Default)]
pub struct PieceDraft {
    pub rows: Vec<u32>,
    pub frequencies: Vec<u32>,
    pub differences: Vec<u32>,
    pub shortest: u8,
}

impl PieceDraft {
    /// Adds a row; its positions have been appended to `differences`.
    pub fn add(&mut self, row: u32, frequency: u32, length: u8) {
        self.shortest = if self.rows.is_empty() {
            length
        } else {
            self.shortest.min(length)
        };
        self.rows.push(row);
        self.frequencies.push(frequency);
    }

    pub fn is_full(&self) -> bool {
        self.rows.len() >= PIECE_ROWS_MAX || self.differences.len() > PIECE_POSITIONS_MAX
    }

    fn is_apart(&self) -> bool {
        self.differences.len() > INLINE_POSITIONS_MAX
    }

    /// Writes the piece, and what of it stands apart, if anything does. It is empty then.
    pub fn write(&mut self, value: &mut Vec<u8>, apart: &mut Vec<u8>) {
        value.clear();
        apart.clear();
        let (Some(first), Some(last)) = (self.rows.first().copied(), self.rows.last().copied())
        else {
            return;
        };
        let is_apart = self.is_apart();
        push_varint(
            value,
            (self.rows.len() as u64 - 1) * 2 + u64::from(is_apart),
        );
        if self.rows.len() > 1 {
            push_varint(value, u64::from(last - first));
        }
        let most = self.frequencies.iter().max().copied().unwrap_or(1);
        push_varint(value, u64::from(most));
        value.push(self.shortest);
        let mut next = first;
        for row in &mut self.rows {
            let difference = row.saturating_sub(next);
            next = row.saturating_add(1);
            *row = difference;
        }
        pack(&self.rows[1..], value);
        if self.rows.len() > 1 && most > 1 {
            self.frequencies
                .iter_mut()
                .for_each(|frequency| *frequency -= 1);
            pack(&self.frequencies, value);
        }
        if is_apart {
            push_varint(apart, self.differences.len() as u64);
            pack(&self.differences, apart);
        } else {
            pack(&self.differences, value);
        }
        self.rows.clear();
        self.frequencies.clear();
        self.differences.clear();
    }
}

/// Two pieces of a list that follow each other, as one, where that is not too large.
pub fn join(a: (u32, &[u8]), b: (u32, &[u8])) -> Option<Vec<u8>> {
    let heads = [Head::read(a.0, a.1)?, Head::read(b.0, b.1)?];
    let rows = heads[0].rows + heads[1].rows;
    let is_apart = heads[0].is_apart;
    if rows > PIECE_ROWS_MAX || is_apart != heads[1].is_apart || heads[1].first <= heads[0].last {
        return None;
    }
    let mut whole = PieceDraft {
        shortest: heads[0].shortest.min(heads[1].shortest),
        ..PieceDraft::default()
    };
    let mut count = 0;
    for (head, value) in heads.iter().zip([a.1, b.1]) {
        let mut piece = Piece::default();
        piece.read(head, value)?;
        piece.read_frequencies(head, value)?;
        count += piece.count()?;
        if !is_apart {
            piece.read_differences(head, value, &mut whole.differences)?;
        }
        whole.rows.extend(piece.rows);
        whole.frequencies.extend(piece.frequencies);
    }
    let count_max = if is_apart {
        PIECE_POSITIONS_MAX
    } else {
        INLINE_POSITIONS_MAX
    };
    if count > count_max {
        return None;
    }
    if is_apart {
        // Positions are joined where they are; here it is told that they are there.
        whole.differences.resize(INLINE_POSITIONS_MAX + 1, 0);
    }
    let (mut value, mut apart) = (Vec::new(), Vec::new());
    whole.write(&mut value, &mut apart);
    Some(value)
}

/// The same of the positions of two pieces that were joined.
pub fn join_apart(a: &[u8], b: &[u8]) -> Option<Vec<u8>> {
    let mut differences = Vec::new();
    for value in [a, b] {
        let mut reader = Reader::new(value);
        let count = usize::try_from(reader.varint()?).ok()?;
        if count > POSITIONS_MAX {
            return None;
        }
        let at = value.len() - reader.left();
        unpack(value.get(at..)?, count, &mut differences).ok()?;
    }
    let mut value = Vec::new();
    push_varint(&mut value, differences.len() as u64);
    pack(&differences, &mut value);
    Some(value)
}
