//! The sections that a record has an entry in: one has its row, the others a key by which records are sorted.
//!
//!   row   := key: url; value: part offset length skip kind status+1 size date+1 digest origin segment mime
//!   entry := key: as `key_of` has it; value: length row, both varints, and behind a URL: part offset skip kind status+1
//! Numbers are varints (0 in place of a missing status or date), `mime` has its length before it. An entry weighs the
//! bytes that its record takes in the file.

use crate::codec::{Reader, Writer, push_varint};
use crate::row::Row;
use crate::segment::{Grams, Kind, Order};

/// What records can be sorted by, besides their order in the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// By URL key, then by time.
    Url,
    Time,
    Status,
    Mime,
    Kind,
    Size,
}

impl Column {
    pub const ALL: [Column; 6] = [
        Column::Url,
        Column::Time,
        Column::Status,
        Column::Mime,
        Column::Kind,
        Column::Size,
    ];

    pub fn from_number(number: u8) -> Option<Column> {
        Column::ALL.get(usize::from(number)).copied()
    }

    pub fn section(self) -> &'static [u8] {
        match self {
            Column::Url => b"url",
            Column::Time => b"time",
            Column::Status => b"status",
            Column::Mime => b"mime",
            Column::Kind => b"kind",
            Column::Size => b"size",
        }
    }
}

pub const ROWS: &[u8] = b"rows";

const SORTED: Kind = Kind {
    order: Order::ByKey,
    is_weighed: true,
    grams: Grams::Unknown,
};

/// All sections, that of rows first and the columns behind it in their order.
pub fn sections() -> Vec<(&'static [u8], Kind)> {
    let rows = Kind {
        order: Order::AsGiven,
        is_weighed: false,
        grams: Grams::Known,
    };
    let columns = Column::ALL.map(|column| (column.section(), SORTED));
    [(ROWS, rows)].into_iter().chain(columns).collect()
}

/// A space, which is before whatever a longer URL key has there.
pub(super) const END_OF_URL: u8 = b' ';
/// Stands in a key for what a record does not have: behind everything that others have.
const NONE_16: u16 = u16::MAX;
const NONE_32: u32 = u32::MAX;

/// The key of a record in a column; `url_key` is that of its URL, as capture indexes have it.
pub fn key_of(column: Column, row: &Row, url_key: &[u8]) -> Vec<u8> {
    match column {
        Column::Url => {
            let mut key = url_key.to_vec();
            key.push(END_OF_URL);
            key.extend(row.date.unwrap_or(NONE_32).to_be_bytes());
            key
        }
        Column::Time => row.date.unwrap_or(NONE_32).to_be_bytes().to_vec(),
        Column::Status => row.status.unwrap_or(NONE_16).to_be_bytes().to_vec(),
        Column::Mime => row.mime.clone(),
        Column::Kind => vec![row.kind],
        Column::Size => row.size.to_be_bytes().to_vec(),
    }
}

/// The URL key in a key of the column of URLs.
pub fn url_of(key: &[u8]) -> &[u8] {
    &key[..key.len().saturating_sub(1 + 4)]
}

pub fn row_value(row: &Row, part: u64) -> Vec<u8> {
    let mut out = Writer::new();
    out.varint(part);
    row.write_unnamed(&mut out);
    out.finish()
}

/// The row and its part; `None` where this is no such value.
pub fn read_row(url: &[u8], value: &[u8]) -> Option<(Row, u64)> {
    let mut reader = Reader::new(value);
    let part = reader.varint()?;
    let mut row = Row::default();
    row.read_unnamed(&mut reader)?;
    row.url = url.to_vec();
    Some((row, part))
}

pub fn entry_value(column: Column, row: &Row, number: u64, part: u64) -> Vec<u8> {
    let mut value = Vec::new();
    push_varint(&mut value, row.length);
    push_varint(&mut value, number);
    // Who looks a URL up goes to the record's bytes, not to its row, which is in another block.
    if column == Column::Url {
        push_varint(&mut value, part);
        push_varint(&mut value, row.offset);
        push_varint(&mut value, row.skip);
        push_varint(&mut value, u64::from(row.kind));
        push_varint(
            &mut value,
            row.status.map_or(0, |status| u64::from(status) + 1),
        );
    }
    value
}

/// Where a record lies, and what tells whether it is the one that is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Locator {
    pub row: u64,
    pub length: u64,
    pub part: u64,
    pub offset: u64,
    pub skip: u64,
    pub kind: u8,
    pub status: Option<u16>,
}

/// What an entry of the column of URLs tells; `None` where that is its row alone, as in indexes of earlier versions.
pub fn locator(value: &[u8]) -> Option<Locator> {
    let mut reader = Reader::new(value);
    Some(Locator {
        length: reader.varint()?,
        row: reader.varint()?,
        part: reader.varint()?,
        offset: reader.varint()?,
        skip: reader.varint()?,
        kind: u8::try_from(reader.varint()?).ok()?,
        status: u16::try_from(reader.varint()?).ok()?.checked_sub(1),
    })
}

/// The time in a key of the column of URLs.
pub fn time_of(key: &[u8]) -> Option<u32> {
    let time = key.last_chunk().copied().map(u32::from_be_bytes)?;
    (time != NONE_32).then_some(time)
}

/// The number of the row that an entry is of.
pub fn row_of(value: &[u8]) -> Option<u64> {
    let mut reader = Reader::new(value);
    reader.varint()?;
    reader.varint()
}
