//! Words gathered: for each term of a field the rows and positions where it is, as bytes that grow in slices.
//!
//!   places := row*            row := rows since the row before, position*, 0      numbers are varints
//!   position := positions since the one before, at least 1: the first is counted from -1
//! A slice ends with where the next one begins. Terms are found by a hash; where too many fall on one place, as only
//! happens where somebody means it to, all are put elsewhere.

use crate::words::TERM_BYTES_MAX;

/// Bytes of the first slices of a term; what follows is as long as the last.
const SLICES: [usize; 8] = [12, 20, 36, 68, 132, 260, 516, 1028];
const LINK_BYTES: usize = 4;
/// Bytes of a term that are compared as one number.
const HEAD_BYTES: usize = 8;
const TABLE_MIN: usize = 1 << 12;
/// Places looked at before all terms are put elsewhere.
const TRIES_MAX: usize = 96;

struct Entry {
    /// Its first bytes, which are all of most.
    head: u64,
    term_at: u32,
    term_bytes: u8,
    field: u8,
    /// Which of the slices is being filled.
    level: u8,
    rows: u32,
    row: u32,
    /// Of the last place, plus one.
    position: u32,
    first: u32,
    at: u32,
    end: u32,
}

impl Entry {
    fn push_varint(&mut self, mut value: u32, slices: &mut Vec<u8>) {
        while value >= 0x80 {
            self.push((value & 0x7f) as u8 | 0x80, slices);
            value >>= 7;
        }
        self.push((value & 0x7f) as u8, slices);
    }

    fn push(&mut self, byte: u8, slices: &mut Vec<u8>) {
        if self.at == self.end {
            let level = (usize::from(self.level) + 1).min(SLICES.len() - 1);
            let next = slices.len();
            slices.resize(next + SLICES[level], 0);
            let link = self.end as usize;
            slices[link..link + LINK_BYTES].copy_from_slice(&short(next).to_le_bytes());
            self.level = u8::try_from(level).unwrap_or_default();
            self.at = short(next);
            self.end = short(next + SLICES[level] - LINK_BYTES);
        }
        slices[self.at as usize] = byte;
        self.at += 1;
    }
}

/// Terms by their hashes.
#[derive(Default)]
pub struct Gather {
    /// Hashes, and in the low half numbers of entries, plus one.
    table: Vec<u64>,
    entries: Vec<Entry>,
    terms: Vec<u8>,
    slices: Vec<u8>,
    seed: u64,
}

/// A term of a field, and how many rows have it.
#[derive(Clone, Copy)]
pub struct Term<'a> {
    pub term: &'a [u8],
    pub field: u8,
    pub rows: u32,
    entry: usize,
}

impl Gather {
    pub fn new() -> Gather {
        Gather::default()
    }

    /// Bytes of memory that it takes.
    pub fn bytes(&self) -> usize {
        self.table.len() * size_of::<u64>()
            + self.entries.len() * size_of::<Entry>()
            + self.terms.len()
            + self.slices.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Forgets all, but keeps the memory.
    pub fn clear(&mut self) {
        self.table.fill(0);
        self.entries.clear();
        self.terms.clear();
        self.slices.clear();
    }

    /// A term of a field is at a position of a row. Rows come in their order, and positions of a term in a row too.
    pub fn add(&mut self, field: u8, term: &[u8], row: u32, position: u32) {
        let term = &term[..term.len().min(TERM_BYTES_MAX)];
        let n = self.find(field, term);
        let Some(entry) = self.entries.get_mut(n) else {
            return;
        };
        let slices = &mut self.slices;
        if entry.rows == 0 || entry.row != row {
            if entry.rows > 0 {
                entry.push(0, slices);
            }
            entry.push_varint(row.wrapping_sub(entry.row), slices);
            entry.row = row;
            entry.rows += 1;
            entry.position = 0;
        }
        let difference = (position + 1).saturating_sub(entry.position).max(1);
        entry.position = position + 1;
        entry.push_varint(difference, slices);
    }

    fn find(&mut self, field: u8, term: &[u8]) -> usize {
        if self.table.len() < 2 * (self.entries.len() + 1) {
            let length = (self.table.len() * 2).max(TABLE_MIN);
            self.spread(length);
        }
        let head = head(term);
        loop {
            let hash = hash(self.seed, field, head, term);
            let mask = self.table.len() - 1;
            let mut place = hash as usize & mask;
            for _ in 0..TRIES_MAX {
                let slot = self.table[place];
                if slot == 0 {
                    return self.insert(place, hash, field, term);
                }
                if slot >> 32 == u64::from(hash) {
                    let n = number_of(slot);
                    let entry = &self.entries[n];
                    let is_alike = entry.head == head
                        && usize::from(entry.term_bytes) == term.len()
                        && entry.field == field;
                    if is_alike && (term.len() <= HEAD_BYTES || self.term_of(entry) == term) {
                        return n;
                    }
                }
                place = (place + 1) & mask;
            }
            self.seed = self.seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
            self.spread(self.table.len() * 2);
        }
    }

    fn term_of(&self, entry: &Entry) -> &[u8] {
        let at = entry.term_at as usize;
        &self.terms[at..at + usize::from(entry.term_bytes)]
    }

    fn insert(&mut self, place: usize, hash: u32, field: u8, term: &[u8]) -> usize {
        let n = self.entries.len();
        let first = self.slices.len();
        self.slices.resize(first + SLICES[0], 0);
        self.entries.push(Entry {
            head: head(term),
            term_at: short(self.terms.len()),
            term_bytes: u8::try_from(term.len()).unwrap_or_default(),
            field,
            level: 0,
            rows: 0,
            row: 0,
            position: 0,
            first: short(first),
            at: short(first),
            end: short(first + SLICES[0] - LINK_BYTES),
        });
        self.terms.extend_from_slice(term);
        self.table[place] = slot(hash, n);
        n
    }

    /// Makes the table anew, of this length.
    fn spread(&mut self, length: usize) {
        let mut table = vec![0; length];
        for (n, entry) in self.entries.iter().enumerate() {
            let hash = hash(self.seed, entry.field, entry.head, self.term_of(entry));
            let mut place = hash as usize & (length - 1);
            while table[place] != 0 {
                place = (place + 1) & (length - 1);
            }
            table[place] = slot(hash, n);
        }
        self.table = table;
    }

    /// All terms by their bytes, those of the same bytes by their fields.
    pub fn sorted(&self) -> Vec<Term<'_>> {
        let terms = self.entries.iter().enumerate().map(|(n, entry)| {
            let term = Term {
                term: self.term_of(entry),
                field: entry.field,
                rows: entry.rows,
                entry: n,
            };
            (entry.head, term)
        });
        // Most terms differ in their first bytes, which are compared as one number.
        let mut keyed: Vec<(u64, Term<'_>)> = terms.collect();
        keyed.sort_unstable_by(|(a_head, a), (b_head, b)| {
            let heads = a_head.cmp(b_head);
            heads
                .then_with(|| a.term.cmp(b.term))
                .then(a.field.cmp(&b.field))
        });
        keyed.into_iter().map(|(_, term)| term).collect()
    }

    /// The rows and positions of a term.
    pub fn places(&self, term: &Term<'_>) -> Places<'_> {
        let entry = &self.entries[term.entry];
        Places {
            slices: &self.slices,
            at: entry.first as usize,
            end: entry.first as usize + SLICES[0] - LINK_BYTES,
            level: 0,
            stop: entry.at as usize,
            rows: entry.rows,
            row: 0,
        }
    }
}

/// Rows, and after each its positions.
pub struct Places<'a> {
    slices: &'a [u8],
    at: usize,
    end: usize,
    level: usize,
    /// Behind the last byte that was written.
    stop: usize,
    rows: u32,
    row: u32,
}

impl Places<'_> {
    /// The next row; its positions are appended, each as the difference to the one before less one, the first as it is.
    pub fn next(&mut self, positions: &mut Vec<u32>) -> Option<u32> {
        self.rows = self.rows.checked_sub(1)?;
        self.row = self.row.wrapping_add(self.varint());
        // The last row does not say where it ends.
        while self.at != self.stop {
            let Some(difference) = self.varint().checked_sub(1) else {
                break;
            };
            positions.push(difference);
        }
        Some(self.row)
    }

    fn varint(&mut self) -> u32 {
        let mut value = 0u32;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.byte();
            value |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        value
    }

    fn byte(&mut self) -> u8 {
        if self.at == self.end {
            let link = self.slices[self.end..self.end + LINK_BYTES].try_into();
            self.level = (self.level + 1).min(SLICES.len() - 1);
            self.at = u32::from_le_bytes(link.unwrap_or_default()) as usize;
            self.end = self.at + SLICES[self.level] - LINK_BYTES;
        }
        let byte = self.slices[self.at];
        self.at += 1;
        byte
    }
}

/// What is gathered is below 4 GiB by far.
fn short(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// A place of the table for an entry.
fn slot(hash: u32, n: usize) -> u64 {
    u64::from(hash) << 32 | u64::from(short(n + 1))
}

fn number_of(slot: u64) -> usize {
    usize::try_from((slot & 0xffff_ffff) - 1).unwrap_or_default()
}

/// Its first bytes as a number that sorts as they do.
fn head(term: &[u8]) -> u64 {
    if let Some(bytes) = term.first_chunk::<HEAD_BYTES>() {
        return u64::from_be_bytes(*bytes);
    }
    let mut head = 0;
    for (n, byte) in term.iter().enumerate() {
        head |= u64::from(*byte) << (56 - 8 * n);
    }
    head
}

fn hash(seed: u64, field: u8, head: u64, term: &[u8]) -> u32 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = seed ^ (u64::from(field) << 56) ^ term.len() as u64;
    hash = (hash ^ head).wrapping_mul(FACTOR);
    for word in term
        .get(HEAD_BYTES..)
        .unwrap_or_default()
        .chunks(HEAD_BYTES)
    {
        hash = (hash ^ hash >> 32 ^ self::head(word)).wrapping_mul(FACTOR);
    }
    hash ^= hash >> 29;
    hash = hash.wrapping_mul(FACTOR);
    (hash >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Rows with their positions.
    type Rows = Vec<(u32, Vec<u32>)>;

    #[test]
    fn places_come_back_as_they_were_added() {
        let mut gather = Gather::new();
        let mut expected: BTreeMap<(Vec<u8>, u8), Rows> = BTreeMap::new();
        let mut state = 3u64;
        let mut random = |bound: u32| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            u32::try_from(state >> 33).expect("31 bits") % bound
        };
        for _ in 0..2 {
            gather.clear();
            expected.clear();
            for row in (0..400).map(|n| n * n * 3) {
                for position in 0..random(200) {
                    let number = random(20) * random(20) * random(20);
                    let (field, term) = (
                        u8::try_from(number % 3).expect("small"),
                        format!("w{number}"),
                    );
                    let position = position * (1 + row % 300);
                    gather.add(field, term.as_bytes(), row, position);
                    let rows = expected.entry((term.into_bytes(), field)).or_default();
                    if rows.last().is_none_or(|(last, _)| *last != row) {
                        rows.push((row, Vec::new()));
                    }
                    rows.last_mut().expect("a row").1.push(position);
                }
            }
            let sorted = gather.sorted();
            assert_eq!(sorted.len(), expected.len());
            for (term, ((text, field), rows)) in sorted.iter().zip(&expected) {
                assert_eq!((term.term, term.field), (text.as_slice(), *field));
                assert_eq!(term.rows as usize, rows.len());
                let mut places = gather.places(term);
                for (row, positions) in rows {
                    let mut read = Vec::new();
                    assert_eq!(places.next(&mut read), Some(*row));
                    let mut next = 0;
                    for (difference, position) in read.iter().zip(positions) {
                        assert_eq!(next + difference, *position);
                        next = position + 1;
                    }
                    assert_eq!(read.len(), positions.len());
                }
                assert_eq!(places.next(&mut Vec::new()), None);
            }
        }
    }
}
