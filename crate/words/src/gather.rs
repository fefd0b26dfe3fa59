//! Words gathered: for each term of a field the rows and positions where it is, as bytes that grow in slices.
//!
//!   places := row*            row := rows since the row before, position*, 0      numbers are varints
//!   position := positions since the one before, at least 1: the first is counted from -1
//! A slice ends with where the next one begins. Terms are found by a hash; where too many fall on one place, as only
//! happens where somebody means it to, all are put elsewhere.
//!
//! Places of the table and entries are mostly not in the processor's caches. So words wait until there are some, and are
//! looked up side by side: each step of that is a loop in which no turn waits for the one before.

use crate::words::TERM_BYTES_MAX;

/// Bytes of the first slices of a term; what follows is as long as the last.
const SLICES: [usize; 8] = [12, 20, 36, 68, 132, 260, 516, 1028];
const LINK_BYTES: usize = 4;
/// Bytes of a term that are compared as one number.
const HEAD_BYTES: usize = 8;
const TABLE_MIN: usize = 1 << 12;
/// Places looked at before all terms are put elsewhere.
const TRIES_MAX: usize = 96;
/// Words that are looked up side by side.
const WAITING_MAX: usize = 64;

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
    fn term<'a>(&self, terms: &'a [u8]) -> &'a [u8] {
        let at = self.term_at as usize;
        &terms[at..at + usize::from(self.term_bytes)]
    }

    fn is(&self, field: u8, head: u64, term: &[u8], terms: &[u8]) -> bool {
        self.head == head
            && usize::from(self.term_bytes) == term.len()
            && self.field == field
            && (term.len() <= HEAD_BYTES || self.term(terms) == term)
    }

    fn add(&mut self, row: u32, position: u32, slices: &mut Vec<u8>) {
        if self.rows == 0 || self.row != row {
            if self.rows > 0 {
                self.push(0, slices);
            }
            self.push_varint(row.wrapping_sub(self.row), slices);
            self.row = row;
            self.rows += 1;
            self.position = 0;
        }
        let difference = (position + 1).saturating_sub(self.position).max(1);
        self.position = position + 1;
        self.push_varint(difference, slices);
    }

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

/// A word that waits to be looked up.
struct Waiting {
    head: u64,
    /// Where its bytes are among those that wait.
    at: usize,
    bytes: u8,
    field: u8,
    hash: u32,
    row: u32,
    position: u32,
    /// What is at the first place of its hash, and then the entry that is, plus one.
    slot: u64,
    entry: usize,
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
    waiting: Vec<Waiting>,
    waiting_bytes: Vec<u8>,
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
        self.entries.is_empty() && self.waiting.is_empty()
    }

    /// Forgets all, but keeps the memory.
    pub fn clear(&mut self) {
        self.table.fill(0);
        self.entries.clear();
        self.terms.clear();
        self.slices.clear();
        self.waiting.clear();
        self.waiting_bytes.clear();
    }

    /// A term of a field is at a position of a row. Rows come in their order, and positions of a term in a row too.
    /// It is known when the words that wait are settled.
    pub fn add(&mut self, field: u8, term: &[u8], row: u32, position: u32) {
        let term = &term[..term.len().min(TERM_BYTES_MAX)];
        self.waiting.push(Waiting {
            head: head(term),
            at: self.waiting_bytes.len(),
            bytes: u8::try_from(term.len()).unwrap_or_default(),
            field,
            hash: 0,
            row,
            position,
            slot: 0,
            entry: 0,
        });
        self.waiting_bytes.extend_from_slice(term);
        if self.waiting.len() == WAITING_MAX {
            self.settle();
        }
    }

    /// Takes in the words that wait.
    pub fn settle(&mut self) {
        let mut waiting = std::mem::take(&mut self.waiting);
        let bytes = std::mem::take(&mut self.waiting_bytes);
        let term = |word: &Waiting| &bytes[word.at..word.at + usize::from(word.bytes)];
        if let Some(mask) = self.table.len().checked_sub(1) {
            for word in &mut waiting {
                word.hash = hash(self.seed, word.field, word.head, term(word));
                word.slot = self.table[word.hash as usize & mask];
            }
            for word in &mut waiting {
                if word.slot >> 32 == u64::from(word.hash) && word.slot != 0 {
                    let n = number_of(word.slot);
                    if self.entries[n].is(word.field, word.head, term(word), &self.terms) {
                        word.entry = n + 1;
                    }
                }
            }
        }
        for word in &waiting {
            let n = match word.entry.checked_sub(1) {
                Some(n) => n,
                None => self.find(word.field, word.head, term(word)),
            };
            if let Some(entry) = self.entries.get_mut(n) {
                entry.add(word.row, word.position, &mut self.slices);
            }
        }
        (self.waiting, self.waiting_bytes) = (waiting, bytes);
        self.waiting.clear();
        self.waiting_bytes.clear();
    }

    fn find(&mut self, field: u8, head: u64, term: &[u8]) -> usize {
        if self.table.len() < 2 * (self.entries.len() + 1) {
            let length = (self.table.len() * 2).max(TABLE_MIN);
            self.spread(length);
        }
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
                    if self.entries[n].is(field, head, term, &self.terms) {
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
        entry.term(&self.terms)
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
        let mut places = Places {
            slices: &self.slices,
            at: entry.first as usize,
            end: entry.first as usize + SLICES[0] - LINK_BYTES,
            level: 0,
            stop: entry.at as usize,
            rows: entry.rows,
            row: 0,
            ahead: 0,
        };
        places.ahead = places.varint();
        places
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
    /// Rows that are left.
    rows: u32,
    row: u32,
    /// Rows from the last one to the next. Read before it is asked for: of terms whose places are begun one after the
    /// other, none waits for the memory of the one before.
    ahead: u32,
}

impl Places<'_> {
    /// The next row; its positions are appended, each as the difference to the one before less one, the first as it is.
    pub fn next(&mut self, positions: &mut Vec<u32>) -> Option<u32> {
        self.rows = self.rows.checked_sub(1)?;
        self.row = self.row.wrapping_add(self.ahead);
        // The last row does not say where it ends.
        while self.at != self.stop {
            let Some(difference) = self.varint().checked_sub(1) else {
                break;
            };
            positions.push(difference);
        }
        if self.rows > 0 {
            self.ahead = self.varint();
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
            gather.settle();
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
