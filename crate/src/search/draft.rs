//! A segment of the search index that is being gathered.

use stackroom_words::{Gather, Term, words};

use super::facets::{FacetsDraft, record_facets};
use super::field::Field;
use super::lengths::{self, Codes, StartsDraft};
use super::postings::{self, PieceDraft};
use crate::codec::{Reader, Writer};
use crate::document::Document;
use crate::limits::{SEARCH_WORDS_MAX, STORED_PIECE_BYTES};
use crate::row::Row;
use crate::segment::{Grams, Kind, Order, SegmentWriter};

pub const WORDS: &[u8] = b"words";
pub const TERMS: &[u8] = b"terms";
pub const POSITIONS: &[u8] = b"positions";
pub const LENGTHS: &[u8] = b"lengths";

/// Terms whose places are begun side by side.
const TERMS_AT_ONCE: usize = 32;

/// Sections besides that of the facets.
pub const SECTIONS: [&[u8]; 4] = [WORDS, TERMS, POSITIONS, LENGTHS];

/// Of all of these.
pub const SORTED: Kind = Kind {
    order: Order::ByKey,
    is_weighed: false,
    grams: Grams::Unknown,
};

/// How many documents there are, and words of each field in all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub documents: u64,
    pub words: [u64; Field::ALL.len()],
}

impl Totals {
    pub fn add(&mut self, other: &Totals) {
        self.documents += other.documents;
        for (words, more) in self.words.iter_mut().zip(other.words) {
            *words += more;
        }
    }
}

#[derive(Default)]
pub struct SearchDraft {
    gather: Gather,
    lengths: Vec<(u32, Codes)>,
    /// Of texts that are kept in several pieces.
    starts: Vec<(u32, Vec<u8>)>,
    starts_bytes: usize,
    facets: FacetsDraft,
    totals: Totals,
}

impl SearchDraft {
    /// Takes in the facets and the words of a record, which is behind those before.
    pub fn push(&mut self, row: u32, record: &Row, document: Option<&Document>) {
        record_facets(record, document, |field, value| {
            self.facets.add(row, field, value);
        });
        let Some(document) = document else {
            return;
        };
        let url = readable(&record.url);
        let mut codes = Codes::default();
        for field in Field::ALL {
            let text = match field {
                Field::Text => &document.text,
                Field::Title => &document.title,
                Field::Url => &url,
            };
            let count = self.push_field(row, field, text);
            codes[field.place()] = lengths::code(count);
            self.totals.words[field.place()] += u64::from(count);
        }
        self.totals.documents += 1;
        self.lengths.push((row, codes));
    }

    fn push_field(&mut self, row: u32, field: Field, text: &str) -> u32 {
        let gather = &mut self.gather;
        let number = field.number();
        let mut starts = StartsDraft::default();
        let has_starts = field == Field::Text && text.len() > STORED_PIECE_BYTES;
        let count = words(text, |word| {
            gather.add(number, word.term, row, word.position);
            if has_starts && !word.is_beside {
                starts.word(word.position, word.start);
            }
            word.position < SEARCH_WORDS_MAX
        });
        if has_starts {
            let starts = starts.finish();
            self.starts_bytes += starts.len() + size_of::<(u32, Vec<u8>)>();
            self.starts.push((row, starts));
        }
        count
    }

    /// Bytes of memory that it takes.
    pub fn bytes(&self) -> usize {
        self.gather.bytes()
            + self.lengths.len() * size_of::<(u32, Codes)>()
            + self.starts_bytes
            + self.facets.bytes()
    }

    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// Writes all there is, section by section, and is empty then.
    pub fn take(&mut self, writer: &mut SegmentWriter) {
        self.gather.settle();
        let terms = self.gather.sorted();
        write_words(&terms, writer);
        let apart = self.write_terms(&terms, writer);
        writer.begin(POSITIONS, SORTED);
        let mut at = 0;
        for (key, end) in &apart.entries {
            writer.push(key, &apart.bytes[at..*end]);
            at = *end;
        }
        drop(apart);
        self.write_lengths(writer);
        self.facets.write(writer);
        self.gather.clear();
        self.lengths.clear();
        self.starts.clear();
        self.starts_bytes = 0;
        self.totals = Totals::default();
    }

    fn write_terms(&self, terms: &[Term<'_>], writer: &mut SegmentWriter) -> Apart {
        writer.begin(TERMS, SORTED);
        let mut apart = Apart::default();
        let mut piece = PieceDraft::default();
        let (mut value, mut positions) = (Vec::new(), Vec::new());
        let first_row = self.lengths.first().map_or(0, |(row, _)| *row);
        let lengths = self.lengths_by_row();
        let begun = terms.chunks(TERMS_AT_ONCE).flat_map(|terms| {
            let begun = terms.iter().map(|term| (term, self.gather.places(term)));
            begun.collect::<Vec<_>>()
        });
        for (term, mut places) in begun {
            let Some(field) = Field::from_number(term.field) else {
                continue;
            };
            let mut key = postings::key(term.term, field, 0);
            let row_at = key.len() - 4;
            loop {
                let before = piece.differences.len();
                let next = places.next(&mut piece.differences);
                if let Some(row) = next {
                    let frequency =
                        u32::try_from(piece.differences.len() - before).unwrap_or(u32::MAX);
                    let codes = lengths.get((row - first_row) as usize);
                    let length = codes.map_or(0, |codes| codes[field.place()]);
                    if piece.rows.is_empty() {
                        key[row_at..].copy_from_slice(&row.to_be_bytes());
                    }
                    piece.add(row, frequency, length);
                }
                if !piece.rows.is_empty() && (next.is_none() || piece.is_full()) {
                    piece.write(&mut value, &mut positions);
                    writer.push(&key, &value);
                    if !positions.is_empty() {
                        apart.bytes.extend_from_slice(&positions);
                        apart
                            .entries
                            .push((key.as_slice().into(), apart.bytes.len()));
                    }
                }
                if next.is_none() {
                    break;
                }
            }
        }
        apart
    }

    /// The lengths of each row from the first document's on.
    fn lengths_by_row(&self) -> Vec<Codes> {
        let mut lengths = Vec::new();
        for (row, codes) in &self.lengths {
            let at = row - self.lengths[0].0;
            lengths.resize(at as usize, Codes::default());
            lengths.push(*codes);
        }
        lengths
    }

    fn write_lengths(&self, writer: &mut SegmentWriter) {
        writer.begin(LENGTHS, SORTED);
        let stretch = |row: u32| row / lengths::STRETCH_ROWS;
        for documents in self.lengths.chunk_by(|a, b| stretch(a.0) == stretch(b.0)) {
            let first = stretch(documents[0].0) * lengths::STRETCH_ROWS;
            let value = lengths::write_lengths(first, documents);
            writer.push(&lengths::lengths_key(first), &value);
        }
        for (row, starts) in &self.starts {
            writer.push(&lengths::starts_key(*row), starts);
        }
    }
}

/// Positions that stand apart, until their section begins.
#[derive(Default)]
struct Apart {
    bytes: Vec<u8>,
    /// Keys, and where their bytes end.
    entries: Vec<(Box<[u8]>, usize)>,
}

/// How many documents have a term in each field.
pub type Counts = [u64; Field::ALL.len()];

fn write_words(terms: &[Term<'_>], writer: &mut SegmentWriter) {
    writer.begin(WORDS, SORTED);
    for same in terms.chunk_by(|a, b| a.term == b.term) {
        let mut counts = Counts::default();
        for term in same {
            if let Some(count) = counts.get_mut(usize::from(term.field)) {
                *count = u64::from(term.rows);
            }
        }
        writer.push(same[0].term, &write_counts(&counts));
    }
}

/// A bit for each field that has the term, then how many documents have it there.
pub fn write_counts(counts: &Counts) -> Vec<u8> {
    let mut out = Writer::new();
    let fields = counts.iter().enumerate();
    let mask = fields
        .filter(|(_, count)| **count > 0)
        .map(|(n, _)| 1u64 << n);
    out.varint(mask.sum());
    for count in counts.iter().filter(|count| **count > 0) {
        out.varint(*count);
    }
    out.finish()
}

pub fn read_counts(value: &[u8]) -> Option<Counts> {
    let mut reader = Reader::new(value);
    let mask = reader.varint()?;
    let mut counts = Counts::default();
    for (n, count) in counts.iter_mut().enumerate() {
        if mask >> n & 1 == 1 {
            *count = reader.varint()?;
        }
    }
    Some(counts)
}

/// A URL as it is read: without its scheme, and escapes as the letters that they stand for.
pub fn readable(url: &[u8]) -> String {
    let at = url.windows(3).position(|three| three == b"://");
    let rest = &url[at.map_or(0, |at| at + 3)..];
    let mut bytes = Vec::with_capacity(rest.len());
    let mut at = 0;
    while at < rest.len() {
        let escaped = (rest[at] == b'%')
            .then(|| rest.get(at + 1..at + 3))
            .flatten();
        let digits = escaped.and_then(|digits| std::str::from_utf8(digits).ok());
        let digits = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        if let Some(byte) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            bytes.push(byte);
            at += 3;
        } else {
            bytes.push(rest[at]);
            at += 1;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Adds what two segments say of a term.
pub fn join_counts(a: &[u8], b: &[u8]) -> Option<Vec<u8>> {
    let (mut counts, more) = (read_counts(a)?, read_counts(b)?);
    for (count, more) in counts.iter_mut().zip(more) {
        *count = count.saturating_add(more);
    }
    Some(write_counts(&counts))
}
