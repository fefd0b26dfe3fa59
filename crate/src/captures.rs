//! The table of an archive's records: what a list, a filter and a later read need, in about 70 bytes each.
//!
//! Rows are in the order of the file and never change. They are kept in segments that do not move,
//! so that memory grows by what is added and nothing is copied.

mod marks;
mod state;

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::archive::{
    Aside, Format, HttpHead, Joint, Part, Record, RecordType, Sink, WarcHead, surt,
};
use crate::codec::Writer;
use crate::error::Damage;
use crate::limits::{
    DAMAGE_KEPT_MAX, FACTS_KEPT_MAX, PAGE_TITLE_BYTES_MAX, PAGES_KEPT_MAX, SIGNED_KEPT_MAX,
    TABLE_MIMES_MAX, TABLE_URL_BYTES_MAX,
};
use crate::row::Row;
use crate::urls::Urls;

pub use marks::WayOn;
use marks::{HAS_MARKS, Marks};
pub use state::{Awaited, Restored};

const SEGMENT_ROWS: usize = 4096;
const NO_DATE: u32 = u32::MAX;
const NO_STATUS: u16 = u16::MAX;
/// The value does not fit; it stands in `Captures::wide`.
const WIDE: u32 = u32::MAX;

struct Segment {
    offsets: Vec<u64>,
    lengths: Vec<u32>,
    sizes: Vec<u32>,
    dates: Vec<u32>,
    statuses: Vec<u16>,
    mimes: Vec<u16>,
    kinds: Vec<u8>,
    /// Empty unless a record of the segment lies inside a shared gzip member.
    skips: Vec<u64>,
    /// Keys of payload digests; empty unless a record of the segment states one.
    digests: Vec<u64>,
}

impl Segment {
    fn new() -> Segment {
        Segment {
            offsets: Vec::with_capacity(SEGMENT_ROWS),
            lengths: Vec::with_capacity(SEGMENT_ROWS),
            sizes: Vec::with_capacity(SEGMENT_ROWS),
            dates: Vec::with_capacity(SEGMENT_ROWS),
            statuses: Vec::with_capacity(SEGMENT_ROWS),
            mimes: Vec::with_capacity(SEGMENT_ROWS),
            kinds: Vec::with_capacity(SEGMENT_ROWS),
            skips: Vec::new(),
            digests: Vec::new(),
        }
    }
}

/// Adds a value to a column that most segments do without.
fn push_rare(column: &mut Vec<u64>, rows: usize, value: u64) {
    if value > 0 || !column.is_empty() {
        column.resize(rows, 0);
        column.push(value);
    }
}

/// What tells whether a row is the record that another one refers to.
#[derive(Clone, Copy, Debug)]
pub struct Trait {
    pub kind: RecordType,
    pub status: Option<u16>,
    pub date: Option<u32>,
    /// As `row::key` has it.
    pub digest: u64,
    pub has_payload: bool,
}

/// A record that goes on with another one.
#[derive(Clone, Copy, Debug)]
pub struct Continuation {
    /// Key of the id of the record that began.
    pub origin: u64,
    pub segment: u32,
    pub row: u32,
}

/// A part of a file, with the rows that lie in it.
pub struct TablePart {
    /// Which of the files, in the order in which they were begun.
    pub file: usize,
    pub part: Part,
    /// Its rows go from here to the first row of the next part.
    pub first_row: usize,
}

pub struct Captures {
    segments: Vec<Segment>,
    urls: Urls,
    count: usize,
    /// (column, row) to a value of 4 GiB or more.
    wide: BTreeMap<(u8, usize), u64>,
    mime_names: Vec<Vec<u8>>,
    mime_numbers: HashMap<Vec<u8>, u16>,
    draft: Row,
    parts: Vec<TablePart>,
    files: usize,
    continuations: Vec<Continuation>,
    /// Entries of page lists, and what else files say of themselves, with the file.
    pages: Vec<(usize, Aside)>,
    facts: Vec<(usize, Aside)>,
    signatures: usize,
    /// Names of files whose own records are told, so that an index of them need not be.
    expected: HashSet<Vec<u8>>,
    /// With the part that it was found in.
    damage: Vec<(usize, Damage)>,
    damage_count: u64,
    marks: Marks,
}

const LENGTH_COLUMN: u8 = 0;
const SIZE_COLUMN: u8 = 1;

impl Default for Captures {
    fn default() -> Captures {
        Captures::new()
    }
}

impl Captures {
    pub fn new() -> Captures {
        Captures {
            segments: Vec::new(),
            urls: Urls::default(),
            count: 0,
            wide: BTreeMap::new(),
            mime_names: vec![Vec::new()],
            mime_numbers: HashMap::from([(Vec::new(), 0)]),
            draft: Row::default(),
            parts: Vec::new(),
            files: 0,
            continuations: Vec::new(),
            pages: Vec::new(),
            facts: Vec::new(),
            signatures: 0,
            expected: HashSet::new(),
            damage: Vec::new(),
            damage_count: 0,
            marks: Marks::default(),
        }
    }

    pub fn len(&self) -> usize {
        self.count
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub fn damage_count(&self) -> u64 {
        self.damage_count
    }

    /// The damage found, in the order of the files, with the part; the first ten thousand are kept.
    pub fn damage(&self) -> &[(usize, Damage)] {
        &self.damage
    }

    /// A file of that name is told sooner or later.
    pub fn expect_file(&mut self, name: &[u8]) {
        self.expected.insert(base_name(name).to_vec());
    }

    /// What comes lies in another file, whose own bytes are `part`.
    pub fn begin_file(&mut self, part: Part) {
        self.end_file();
        self.files += 1;
        self.begin_part(part);
    }

    /// Parts in the order in which they were begun. A table that was told of none has one file.
    pub fn parts(&self) -> &[TablePart] {
        &self.parts
    }

    /// Number of the part in which a row lies.
    pub fn part_of(&self, row: usize) -> usize {
        let after = self.parts.partition_point(|part| part.first_row <= row);
        after.saturating_sub(1)
    }

    fn begin_part(&mut self, part: Part) {
        self.parts.push(TablePart {
            file: self.files.saturating_sub(1),
            part,
            first_row: self.count,
        });
    }

    /// Calls `visit` for the URLs of the rows `from..to`, until it returns false.
    pub fn scan_urls(&self, from: usize, to: usize, visit: impl FnMut(usize, &[u8]) -> bool) {
        self.urls.scan(from, to, visit);
    }

    /// What is known of each row, in order.
    pub fn traits(&self) -> impl Iterator<Item = (usize, Trait)> {
        (0..self.count).map(|row| (row, self.traits_of(row)))
    }

    pub fn traits_of(&self, row: usize) -> Trait {
        let (segment, at) = (&self.segments[row / SEGMENT_ROWS], row % SEGMENT_ROWS);
        let (status, date) = (segment.statuses[at], segment.dates[at]);
        Trait {
            kind: RecordType::from_number(segment.kinds[at]),
            status: (status != NO_STATUS).then_some(status),
            date: (date != NO_DATE).then_some(date),
            digest: segment.digests.get(at).copied().unwrap_or(0),
            has_payload: segment.sizes[at] > 0,
        }
    }

    pub fn mime_of(&self, row: usize) -> &[u8] {
        let (segment, at) = (&self.segments[row / SEGMENT_ROWS], row % SEGMENT_ROWS);
        &self.mime_names[usize::from(segment.mimes[at])]
    }

    pub fn has_url(&self, row: usize, url: &[u8]) -> bool {
        let url = &url[..url.len().min(TABLE_URL_BYTES_MAX)];
        let mut is_equal = false;
        self.urls.scan(row, row + 1, |_, known| {
            is_equal = known == url;
            false
        });
        is_equal
    }

    /// Where a row's record lies: part, offset and skip.
    pub fn place(&self, row: usize) -> Option<(usize, u64, u64)> {
        let (segment, at) = (self.segments.get(row / SEGMENT_ROWS)?, row % SEGMENT_ROWS);
        let skip = segment.skips.get(at).copied().unwrap_or(0);
        Some((self.part_of(row), *segment.offsets.get(at)?, skip))
    }

    /// Entries of page lists, each with the number of its file. Their text is not kept.
    pub fn pages(&self) -> &[(usize, Aside)] {
        &self.pages
    }

    /// What packages say of themselves, of their members and of who signed them, each with the number of its file.
    pub fn facts(&self) -> &[(usize, Aside)] {
        &self.facts
    }

    pub fn continuations(&self) -> &[Continuation] {
        &self.continuations
    }

    /// Adds a row at the end of the table.
    pub fn push(&mut self, row: &Row) {
        let mime = self.mime_number(&row.mime);
        let length = self.narrowed(LENGTH_COLUMN, row.length);
        let size = self.narrowed(SIZE_COLUMN, row.size);
        if self.count.is_multiple_of(SEGMENT_ROWS) {
            self.segments.push(Segment::new());
        }
        let Some(segment) = self.segments.last_mut() else {
            return;
        };
        let rows = segment.offsets.len();
        push_rare(&mut segment.skips, rows, row.skip);
        push_rare(&mut segment.digests, rows, row.digest);
        if row.origin > 0 {
            self.continuations.push(Continuation {
                origin: row.origin,
                segment: row.segment,
                row: u32::try_from(self.count).unwrap_or(u32::MAX),
            });
        }
        segment.offsets.push(row.offset);
        segment.lengths.push(length);
        segment.sizes.push(size);
        segment.dates.push(row.date.unwrap_or(NO_DATE));
        segment.statuses.push(row.status.unwrap_or(NO_STATUS));
        segment.mimes.push(mime);
        segment.kinds.push(row.kind);
        self.urls.push(&row.url);
        self.count += 1;
    }

    /// Counts damage of which no more is known.
    pub fn count_damage(&mut self, reports: u64) {
        self.damage_count += reports;
    }

    /// Bytes of memory that the table holds.
    pub fn resident(&self) -> usize {
        let columns = |s: &Segment| {
            SEGMENT_ROWS * (8 + 4 + 4 + 4 + 2 + 2 + 1)
                + 8 * (s.skips.capacity() + s.digests.capacity())
        };
        self.segments.iter().map(columns).sum::<usize>() + self.urls.resident()
    }

    /// Rows for a caller on the other side of a port.
    ///
    ///   rows := row*
    ///   row  := number part offset length skip kind status+1 size date+1 mime url
    /// Numbers are varints (0 in place of a missing status or date), `mime` and `url` length-prefixed.
    pub fn encode(&self, rows: impl IntoIterator<Item = usize>) -> Vec<u8> {
        let mut out = Writer::new();
        let mut rows = rows.into_iter().filter(|row| *row < self.count).peekable();
        while let Some(first) = rows.next() {
            let mut last = first;
            while rows.next_if(|row| *row == last + 1).is_some() {
                last += 1;
            }
            self.urls.scan(first, last + 1, |row, url| {
                self.row(row, url)
                    .tell(row as u64, self.part_of(row) as u64, &mut out);
                true
            });
        }
        out.finish()
    }

    /// Rows as they are kept elsewhere, each with its part before it and the key of its URL behind it.
    ///
    ///   rows := (part:varint row key:bytes)*        row as `Row::write` has it
    pub fn keyed_rows(&self, from: usize, count: usize) -> Vec<u8> {
        let mut out = Writer::new();
        let to = self.count.min(from.saturating_add(count));
        self.urls.scan(from, to, |row, url| {
            out.varint(self.part_of(row) as u64);
            self.row(row, url).write(&mut out);
            out.bytes(surt(&String::from_utf8_lossy(url)).as_bytes());
            true
        });
        out.finish()
    }

    fn row(&self, row: usize, url: &[u8]) -> Row {
        let (segment, at) = (&self.segments[row / SEGMENT_ROWS], row % SEGMENT_ROWS);
        let (status, date) = (segment.statuses[at], segment.dates[at]);
        let number = u32::try_from(row).unwrap_or(u32::MAX);
        let continued = self
            .continuations
            .binary_search_by_key(&number, |one| one.row)
            .ok()
            .and_then(|at| self.continuations.get(at));
        Row {
            offset: segment.offsets[at],
            length: self.widened(LENGTH_COLUMN, row, segment.lengths[at]),
            skip: segment.skips.get(at).copied().unwrap_or(0),
            kind: segment.kinds[at],
            status: (status != NO_STATUS).then_some(status),
            size: self.widened(SIZE_COLUMN, row, segment.sizes[at]),
            date: (date != NO_DATE).then_some(date),
            digest: segment.digests.get(at).copied().unwrap_or(0),
            origin: continued.map_or(0, |one| one.origin),
            segment: continued.map_or(0, |one| one.segment),
            mime: self.mime_names[usize::from(segment.mimes[at])].clone(),
            url: url.to_vec(),
        }
    }

    fn widened(&self, column: u8, row: usize, value: u32) -> u64 {
        if value == WIDE {
            self.wide
                .get(&(column, row))
                .copied()
                .unwrap_or(u64::from(value))
        } else {
            u64::from(value)
        }
    }

    fn narrowed(&mut self, column: u8, value: u64) -> u32 {
        match u32::try_from(value) {
            Ok(value) if value != WIDE => value,
            _ => {
                self.wide.insert((column, self.count), value);
                WIDE
            }
        }
    }

    fn mime_number(&mut self, mime: &[u8]) -> u16 {
        if let Some(number) = self.mime_numbers.get(mime) {
            return *number;
        }
        let name = if self.mime_names.len() < TABLE_MIMES_MAX {
            mime.to_vec()
        } else {
            b"other".to_vec()
        };
        if let Some(number) = self.mime_numbers.get(&name) {
            return *number;
        }
        let number = u16::try_from(self.mime_names.len()).unwrap_or(0);
        self.mime_names.push(name.clone());
        self.mime_numbers.insert(name, number);
        number
    }
}

impl Sink for Captures {
    fn begin(&mut self, head: &WarcHead) {
        self.draft.begin(head);
    }

    fn http(&mut self, head: &HttpHead) {
        self.draft.http(head);
    }

    fn body(&mut self, _bytes: &[u8]) {}

    fn end(&mut self, record: &Record) {
        let mut row = std::mem::take(&mut self.draft);
        row.end(record);
        self.push(&row);
        // Its buffers are used again.
        self.draft = row;
    }

    fn damage(&mut self, damage: Damage) {
        self.damage_count += 1;
        self.marks.note_damage(damage.code);
        if self.damage.len() < DAMAGE_KEPT_MAX {
            let part = self.parts.len().saturating_sub(1);
            self.damage.push((part, damage));
        }
    }

    fn joint(&mut self, joint: Joint) {
        // Those of a member are counted in it, and other containers are not gone on with.
        let is_own = |one: &TablePart| {
            let formats = [Format::Warc, Format::WarcGz, Format::Arc];
            one.part.windows.is_empty() && formats.contains(&one.part.format)
        };
        if HAS_MARKS && self.parts.last().is_some_and(is_own) {
            self.mark_joint(joint);
        }
    }

    fn part(&mut self, part: &Part) {
        self.begin_part(part.clone());
    }

    fn wants_body(&self) -> bool {
        false
    }

    fn aside(&mut self, mut aside: Aside) {
        let file = self.files.saturating_sub(1);
        if let Aside::Signature(signature) = &mut aside {
            self.signatures += 1;
            if self.signatures > SIGNED_KEPT_MAX {
                signature.signed.clear();
            }
        }
        match aside {
            Aside::Page(mut page) if self.pages.len() < PAGES_KEPT_MAX => {
                page.text = None;
                page.url.truncate(TABLE_URL_BYTES_MAX);
                if let Some(title) = &mut page.title {
                    title.truncate(PAGE_TITLE_BYTES_MAX);
                }
                self.pages.push((file, Aside::Page(page)));
            }
            Aside::About(_) | Aside::Resource(_) | Aside::Signature(_)
                if self.facts.len() < FACTS_KEPT_MAX =>
            {
                self.facts.push((file, aside));
            }
            _ => {}
        }
    }

    fn wants_elsewhere(&self, file: &[u8]) -> bool {
        !self.expected.contains(base_name(file))
    }
}

/// The last part of a path.
fn base_name(path: &[u8]) -> &[u8] {
    let mut parts = path.rsplit(|&byte| byte == b'/' || byte == b'\\');
    parts.next().unwrap_or(path)
}

/// The name of a kind as `encode` numbers it.
pub fn kind_name(number: u8) -> &'static str {
    RecordType::from_number(number).name()
}
