//! How many words the fields of documents have, and with which word each stored piece of a text begins (FORMAT.md 12).
//!
//!   lengths := document*      document := rows since the one before:varint length:u8, of each field
//!   starts  := piece*         piece := words since the piece before:varint byte:varint
//! Lengths are of a stretch of 1,024 rows; their codes are exact to 16 and coarser above. Starts are of a text that is
//! kept in several pieces, from its second one on: the number of the first word that begins there, and at which byte.

use super::field::Field;
use crate::codec::{Reader, push_varint};
use crate::limits::STORED_PIECE_BYTES;

/// Rows whose lengths stand together.
pub const STRETCH_ROWS: u32 = 1024;

const LENGTHS: u8 = 0;
const STARTS: u8 = 1;

const EXACT: u32 = 16;
/// Codes for each doubling, above what is exact.
const STEPS: u32 = 8;

/// The key of the lengths that a row's are among.
pub fn lengths_key(row: u32) -> [u8; 5] {
    keyed(LENGTHS, row - row % STRETCH_ROWS)
}

pub fn starts_key(row: u32) -> [u8; 5] {
    keyed(STARTS, row)
}

fn keyed(kind: u8, row: u32) -> [u8; 5] {
    let [a, b, c, d] = row.to_be_bytes();
    [kind, a, b, c, d]
}

/// The first row that a key of lengths is about.
pub fn stretch_of(key: &[u8]) -> Option<u32> {
    match key {
        [LENGTHS, row @ ..] => Some(u32::from_be_bytes(row.try_into().ok()?)),
        _ => None,
    }
}

/// The code of a length: the largest whose length is not above it.
pub fn code(words: u32) -> u8 {
    if words < EXACT {
        return u8::try_from(words).unwrap_or(u8::MAX);
    }
    let doublings = words.ilog2() - EXACT.ilog2();
    let step = (words >> (words.ilog2() - STEPS.ilog2())) - STEPS;
    u8::try_from(EXACT + doublings * STEPS + step).unwrap_or(u8::MAX)
}

/// The length that a code stands for.
pub fn decoded(code: u8) -> u32 {
    let code = u32::from(code);
    let Some(above) = code.checked_sub(EXACT) else {
        return code;
    };
    let doublings = above / STEPS;
    let words = u64::from(STEPS + above % STEPS) << (doublings + EXACT.ilog2() - STEPS.ilog2());
    u32::try_from(words).unwrap_or(u32::MAX)
}

/// Codes of the lengths of a document's fields.
pub type Codes = [u8; Field::ALL.len()];

/// Lengths of documents of one stretch.
pub fn write_lengths(first: u32, documents: &[(u32, Codes)]) -> Vec<u8> {
    let mut value = Vec::new();
    let mut next = first;
    for (row, codes) in documents {
        push_varint(&mut value, u64::from(row.saturating_sub(next)));
        value.extend(codes);
        next = row.saturating_add(1);
    }
    value
}

/// `None` where these are none, or not of the stretch that begins with that row.
pub fn read_lengths(first: u32, value: &[u8]) -> Option<Vec<(u32, Codes)>> {
    let mut documents = Vec::new();
    let mut lengths = Lengths::new(first, value);
    while !lengths.rest.is_empty() {
        documents.push(lengths.next()?);
    }
    Some(documents)
}

/// Adds the codes of some rows of the stretch, which are in order; of those that are not there they are 0.
pub fn codes_of(first: u32, rows: &[u32], value: &[u8], codes: &mut Vec<Codes>) -> Option<()> {
    let mut lengths = Lengths::new(first, value);
    let mut last = None;
    for row in rows {
        lengths.pass_over(*row);
        while last.is_none_or(|(before, _)| before < *row) && !lengths.rest.is_empty() {
            last = Some(lengths.next()?);
        }
        let own = last.filter(|(other, _)| other == row);
        codes.push(own.map(|(_, codes)| codes).unwrap_or_default());
    }
    Some(())
}

/// Documents that are passed over at once, where each is near to the one before.
const SOME: u8 = 16;
const DOCUMENT_BYTES: usize = 1 + Field::ALL.len();
const SOME_BYTES: usize = SOME as usize * DOCUMENT_BYTES;
/// Of two documents.
const FIRST_BYTES: u64 = 0xff << (8 * DOCUMENT_BYTES) | 0xff;

/// Goes through the lengths of a stretch.
struct Lengths<'a> {
    first: u32,
    next: u32,
    rest: &'a [u8],
}

impl Lengths<'_> {
    fn new(first: u32, rest: &[u8]) -> Lengths<'_> {
        Lengths {
            first,
            next: first,
            rest,
        }
    }

    /// Passes over most of what is before a row.
    fn pass_over(&mut self, row: u32) {
        while let Some((some, behind)) = self.rest.split_first_chunk::<SOME_BYTES>() {
            // Most often each is the next row.
            let pairs = some.chunks_exact(2 * DOCUMENT_BYTES);
            let all = pairs.fold(0, |all, pair| {
                all | pair
                    .first_chunk()
                    .map_or(0, |pair| u64::from_le_bytes(*pair))
            });
            if all & FIRST_BYTES == 0 {
                if u64::from(self.next) + u64::from(SOME) > u64::from(row) {
                    return;
                }
                self.rest = behind;
                self.next += u32::from(SOME);
                continue;
            }
            // Of each the first byte alone, which says how far it is behind the one before.
            let between = some.chunks_exact(DOCUMENT_BYTES).map(|one| one[0]);
            let all = between.clone().fold(0, |all, byte| all | byte);
            let sum: u32 = between.map(u32::from).sum();
            let end = u64::from(self.next) + u64::from(SOME) + u64::from(sum);
            if all >= 0x80 || end > u64::from(row) {
                return;
            }
            self.rest = behind;
            self.next += u32::from(SOME) + sum;
        }
    }

    fn next(&mut self) -> Option<(u32, Codes)> {
        // Nearly all are the next row, or a few on.
        let between = match self.rest {
            [byte, behind @ ..] if *byte < 0x80 => {
                self.rest = behind;
                u64::from(*byte)
            }
            _ => {
                let mut reader = Reader::new(self.rest);
                let between = reader.varint()?;
                self.rest = &self.rest[self.rest.len() - reader.left()..];
                between
            }
        };
        let row = self.next.checked_add(u32::try_from(between).ok()?)?;
        if row - self.first >= STRETCH_ROWS {
            return None;
        }
        let (codes, behind) = self.rest.split_first_chunk::<{ Field::ALL.len() }>()?;
        self.rest = behind;
        self.next = row.checked_add(1)?;
        Some((row, *codes))
    }
}

/// Lengths of two parts of a stretch as one.
pub fn join_lengths(first: u32, a: &[u8], b: &[u8]) -> Option<Vec<u8>> {
    let mut documents = read_lengths(first, a)?;
    documents.extend(read_lengths(first, b)?);
    let is_ordered = documents.windows(2).all(|pair| pair[0].0 < pair[1].0);
    is_ordered.then(|| write_lengths(first, &documents))
}

/// The first words of stored pieces, as a text is read.
#[derive(Default)]
pub struct StartsDraft {
    value: Vec<u8>,
    pieces: usize,
    word: u32,
}

impl StartsDraft {
    /// A word begins at this byte of the text. What stands beside a word is none.
    pub fn word(&mut self, position: u32, start: usize) {
        // A piece in which no word begins has that of the next one, at its end.
        while start >= (self.pieces + 1) * STORED_PIECE_BYTES {
            self.pieces += 1;
            let at = start - self.pieces * STORED_PIECE_BYTES;
            push_varint(&mut self.value, u64::from(position - self.word));
            push_varint(&mut self.value, at.min(STORED_PIECE_BYTES) as u64);
            self.word = position;
        }
    }

    pub fn finish(self) -> Vec<u8> {
        self.value
    }
}

/// Where a stored piece of a text begins: its number, its first word, and the byte of it at which that is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Start {
    pub piece: u32,
    pub word: u32,
    pub byte: usize,
}

/// The first one is not among them, since it begins with word 0.
pub fn read_starts(value: &[u8]) -> Option<Vec<Start>> {
    let mut reader = Reader::new(value);
    let mut starts: Vec<Start> = Vec::new();
    while !reader.is_empty() {
        let last = starts.last().copied().unwrap_or_default();
        starts.push(Start {
            piece: last.piece + 1,
            word: last
                .word
                .checked_add(u32::try_from(reader.varint()?).ok()?)?,
            byte: usize::try_from(reader.varint()?).ok()?,
        });
    }
    Some(starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_never_fall_and_are_near() {
        let mut last = 0;
        for words in (0..5000).chain((1..400).map(|n| n * 100_000)) {
            let code = code(words);
            assert!(code >= last, "{words}");
            last = code;
            let near = decoded(code);
            assert!(
                near <= words && words - near <= words / 8,
                "{words} is {near}"
            );
        }
        assert_eq!(decoded(code(15)), 15);
        assert!(decoded(code(u32::MAX)) > u32::MAX / 8 * 7);
    }

    #[test]
    fn lengths_of_parts_join() {
        let documents: Vec<(u32, Codes)> = (0..300u32)
            .map(|n| (2048 + n * 3, [u8::try_from(n % 256).unwrap_or(0), 1, 2]))
            .collect();
        let whole = write_lengths(2048, &documents);
        for at in [0, 1, 150, 300] {
            let parts = [&documents[..at], &documents[at..]].map(|part| write_lengths(2048, part));
            assert_eq!(
                join_lengths(2048, &parts[0], &parts[1]),
                Some(whole.clone())
            );
        }
        assert_eq!(read_lengths(2048, &whole), Some(documents.clone()));
        let rows: Vec<u32> = (2048..3072).collect();
        for step in [1, 2, 5, 900] {
            let some: Vec<u32> = rows.iter().copied().step_by(step).collect();
            let mut codes = Vec::new();
            codes_of(2048, &some, &whole, &mut codes).expect("sound");
            let expected = some.iter().map(|row| {
                let own = documents.iter().find(|(other, _)| other == row);
                own.map_or(Codes::default(), |(_, codes)| *codes)
            });
            assert_eq!(codes, expected.collect::<Vec<_>>());
        }
        for length in 0..whole.len() {
            let _ = read_lengths(2048, &whole[..length]);
            let _ = codes_of(2048, &rows, &whole[..length], &mut Vec::new());
        }
    }
}
