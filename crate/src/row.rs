//! One row of the record table: made of a record as a reader tells it, and its form on the way from one
//! worker to another.
//!
//!   row := offset length skip kind status+1 size date+1 digest origin segment mime url
//! Numbers are varints (0 in place of a missing status or date), `mime` and `url` length-prefixed.

use std::borrow::Cow;

use xxhash_rust::xxh64::xxh64;

use crate::archive::{HttpHead, Record, RecordType, WarcHead, bare_type};
use crate::codec::{Reader, Writer};
use crate::limits::{TABLE_MIME_BYTES_MAX, TABLE_URL_BYTES_MAX};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    pub offset: u64,
    pub length: u64,
    pub skip: u64,
    pub kind: u8,
    pub status: Option<u16>,
    /// Bytes of the payload.
    pub size: u64,
    /// Seconds since 1970.
    pub date: Option<u32>,
    /// Key of the payload digest that it states; 0 for none.
    pub digest: u64,
    /// Of a continuation, the key of the record's id that it goes on with, and which segment it is; 0 for none.
    pub origin: u64,
    pub segment: u32,
    pub mime: Vec<u8>,
    pub url: Vec<u8>,
}

impl Row {
    /// A record begins: what is known of it from its WARC header.
    pub fn begin(&mut self, head: &WarcHead) {
        let url = head.target().unwrap_or_default();
        self.url.clear();
        self.url
            .extend_from_slice(&url[..url.len().min(TABLE_URL_BYTES_MAX)]);
        self.set_mime(head.value("Content-Type"));
        self.date = head
            .date()
            .and_then(|date| u32::try_from(date).ok())
            .filter(|date| *date != u32::MAX);
        self.status = None;
        let kind = head.kind();
        self.kind = kind as u8;
        self.digest = head.get_raw("WARC-Payload-Digest").map_or(0, key);
        (self.origin, self.segment) = (0, 0);
        if kind == RecordType::Continuation {
            self.origin = head.get_raw("WARC-Segment-Origin-ID").map_or(0, key);
            self.segment = head
                .segment_number()
                .and_then(|number| u32::try_from(number).ok())
                .unwrap_or(0);
        }
    }

    pub fn http(&mut self, head: &HttpHead) {
        self.status = head.status_number();
        self.set_mime(head.value("Content-Type"));
    }

    pub fn end(&mut self, record: &Record) {
        self.offset = record.offset;
        self.length = record.length;
        self.skip = record.skip;
        self.size = record.payload_bytes;
    }

    fn set_mime(&mut self, content_type: Option<Cow<'_, [u8]>>) {
        let content_type = content_type.unwrap_or_default();
        self.mime.clear();
        self.mime.extend_from_slice(bare_type(&content_type));
        self.mime.truncate(TABLE_MIME_BYTES_MAX);
        self.mime.make_ascii_lowercase();
    }

    pub fn write(&self, out: &mut Writer) {
        self.write_unnamed(out);
        out.bytes(&self.url);
    }

    /// All but the URL, which stands elsewhere.
    pub fn write_unnamed(&self, out: &mut Writer) {
        self.write_figures(out);
        out.varint(self.digest);
        out.varint(self.origin);
        out.varint(u64::from(self.segment));
        out.bytes(&self.mime);
    }

    /// What a list shows of it, with its number and its part.
    ///
    ///   told := number part figures mime url        figures := offset length skip kind status+1 size date+1
    pub fn tell(&self, number: u64, part: u64, out: &mut Writer) {
        out.varint(number);
        out.varint(part);
        self.write_figures(out);
        out.bytes(&self.mime);
        out.bytes(&self.url);
    }

    fn write_figures(&self, out: &mut Writer) {
        out.varint(self.offset);
        out.varint(self.length);
        out.varint(self.skip);
        out.varint(u64::from(self.kind));
        out.varint(self.status.map_or(0, |status| u64::from(status) + 1));
        out.varint(self.size);
        out.varint(self.date.map_or(0, |date| u64::from(date) + 1));
    }

    /// Takes the next row into this one; `None` where there is no whole one.
    pub fn read(&mut self, from: &mut Reader<'_>) -> Option<()> {
        self.read_unnamed(from)?;
        read_bytes(from, &mut self.url)
    }

    /// The same without its URL.
    pub fn read_unnamed(&mut self, from: &mut Reader<'_>) -> Option<()> {
        self.offset = from.varint()?;
        self.length = from.varint()?;
        self.skip = from.varint()?;
        self.kind = u8::try_from(from.varint()?).ok()?;
        self.status = match from.varint()?.checked_sub(1) {
            Some(status) => Some(u16::try_from(status).ok()?),
            None => None,
        };
        self.size = from.varint()?;
        self.date = match from.varint()?.checked_sub(1) {
            Some(date) => Some(u32::try_from(date).ok()?),
            None => None,
        };
        self.digest = from.varint()?;
        self.origin = from.varint()?;
        self.segment = u32::try_from(from.varint()?).ok()?;
        read_bytes(from, &mut self.mime)
    }
}

/// What stands in the table for a digest or an id: equal for equal ones in any case, and never 0.
pub fn key(text: &[u8]) -> u64 {
    xxh64(&text.trim_ascii().to_ascii_uppercase(), 0).max(1)
}

fn read_bytes(from: &mut Reader<'_>, to: &mut Vec<u8>) -> Option<()> {
    let length = usize::try_from(from.varint()?).ok()?;
    to.clear();
    to.extend_from_slice(from.take(length)?);
    Some(())
}
