//! Capture indexes as archives: each row of a CDX or CDXJ file is told as a record whose bytes lie in
//! another file.
//!
//! Where a row's bytes are is in the fields `Stored-In`, `Stored-Offset` and `Stored-Length` of the head
//! that is made of it: see [`Elsewhere`].

use super::date::parse_date;
use super::http::HttpHead;
use super::parser::Parser;
use super::record::{Record, Sink};
use super::rows::{Place, RowReader, RowSink};
use super::warc::{WarcHead, has_prefix};
use crate::cdx::{Layout, Line, Row, url_of_key};
use crate::error::{Damage, code};
use crate::limits::CDX_LOOK_LINES_MAX;

/// Where the bytes of a record are that an index tells of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elsewhere {
    /// The file, as the index names it: usually without its folder.
    pub file: Vec<u8>,
    pub offset: u64,
    /// Bytes that the record takes there, if the index says so.
    pub length: Option<u64>,
}

impl Elsewhere {
    /// What the head of a record says, if its bytes are elsewhere.
    pub fn of(head: &WarcHead) -> Option<Elsewhere> {
        let number = |name| std::str::from_utf8(head.get_raw(name)?).ok()?.parse().ok();
        Some(Elsewhere {
            file: head.get("Stored-In")?,
            offset: number("Stored-Offset")?,
            length: number("Stored-Length"),
        })
    }
}

/// Whether a file that begins with `start`, after inflating, is a capture index.
pub fn looks_like_cdx(start: &[u8]) -> bool {
    let mut layout = Layout::default();
    let (mut rows, mut others) = (0, 0);
    let mut lines = start
        .split(|&byte| byte == b'\n')
        .take(CDX_LOOK_LINES_MAX)
        .peekable();
    while let Some(line) = lines.next() {
        match Line::parse(line, &layout) {
            Line::Header(header) => {
                layout = header;
                rows += 1;
            }
            Line::Row(row) if is_plausible(&row) => rows += 1,
            Line::Row(_) => others += 1,
            Line::Remark => {}
            // The last line may go on beyond what is known.
            Line::Bad(_) if lines.peek().is_none() => {}
            Line::Bad(_) => others += 1,
        }
    }
    rows > others
}

/// Other text may have a number in the second column too.
fn is_plausible(row: &Row) -> bool {
    row.is_json() || row.get("url").is_some_and(|url| url.contains(&b':'))
}

pub struct CdxParser {
    is_gzip: bool,
    reader: RowReader,
    /// The place of the row that is wanted first; the first line of the file is looked at before it.
    target: Option<Place>,
    can_seek: bool,
}

impl CdxParser {
    pub fn new(is_gzip: bool) -> CdxParser {
        CdxParser {
            is_gzip,
            reader: RowReader::new(is_gzip),
            target: None,
            can_seek: true,
        }
    }

    /// A parser that tells first of the row at a place.
    pub fn at(is_gzip: bool, offset: u64, skip: u64) -> CdxParser {
        if (offset, skip) == (0, 0) {
            return CdxParser::new(is_gzip);
        }
        CdxParser {
            reader: RowReader::of_first_line(is_gzip),
            target: Some((offset, skip)),
            ..CdxParser::new(is_gzip)
        }
    }

    /// Leaves the first line, which may have named the columns, for the row that is wanted.
    fn jump(&mut self, target: Place) {
        self.reader = RowReader::at(self.is_gzip, target, self.reader.layout().clone());
        if !self.can_seek {
            self.reader.forbid_seek();
        }
        self.target = None;
    }
}

impl Parser for CdxParser {
    fn wanted(&self) -> u64 {
        self.reader.wanted()
    }

    fn feed(&mut self, bytes: &[u8], sink: &mut dyn Sink) -> usize {
        let Some(target) = self.target else {
            return self.reader.feed(bytes, &mut Teller { sink });
        };
        let taken = self.reader.feed(bytes, &mut Deaf);
        if self.reader.is_past_first_line() {
            self.jump(target);
        }
        taken
    }

    fn finish(&mut self, end: u64, sink: &mut dyn Sink) -> bool {
        if let Some(target) = self.target {
            self.jump(target);
            return self.reader.wanted() >= end;
        }
        self.reader.finish(end, &mut Teller { sink })
    }

    fn forbid_seek(&mut self) {
        self.can_seek = false;
        self.reader.forbid_seek();
    }
}

/// Hears nothing: for the first line of a file from which a later row is wanted.
struct Deaf;

impl RowSink for Deaf {
    fn row(&mut self, _row: Row, _place: Place, _taken: u64) {}
    fn damage(&mut self, _damage: Damage) {}
}

/// Tells of rows as records.
struct Teller<'a> {
    sink: &'a mut dyn Sink,
}

impl RowSink for Teller<'_> {
    fn row(&mut self, row: Row, place: Place, taken: u64) {
        tell_row(&row, place, taken, self.sink);
    }

    fn damage(&mut self, damage: Damage) {
        self.sink.damage(damage);
    }

    fn is_full(&self) -> bool {
        self.sink.is_full()
    }
}

fn tell_row(row: &Row, (offset, skip): Place, length: u64, sink: &mut dyn Sink) {
    let file = row.said("filename");
    if file.is_some_and(|file| !sink.wants_elsewhere(&file)) {
        return;
    }
    let date = iso_date(&row.timestamp);
    if parse_date(date.as_bytes()).is_none() {
        sink.damage(Damage {
            code: code::CDX_BAD_DATE,
            offset,
            skipped: 0,
            message: format!(
                "the timestamp {} of this row is no date",
                String::from_utf8_lossy(&row.timestamp)
            ),
        });
    }
    let url = row
        .said("url")
        .map_or_else(|| url_of_key(&row.key), |url| url.into_owned());
    let (mime, status) = (row.said("mime"), row.said("status"));
    let is_revisit = mime.as_deref() == Some(b"warc/revisit");
    let kind = match (is_revisit, &status, &mime) {
        (true, ..) => "revisit",
        (false, None, Some(_)) => "resource",
        _ => "response",
    };
    let mut head = Head::new("WARC/1.1");
    head.field("WARC-Type", kind.as_bytes());
    head.field("WARC-Target-URI", &url);
    head.field("WARC-Date", date.as_bytes());
    if let Some(digest) = row.said("digest") {
        head.field("WARC-Payload-Digest", &stated_digest(&digest));
    }
    let is_http = has_prefix(&url, b"http:") || has_prefix(&url, b"https:");
    let holds_http = !is_revisit && is_http && status.is_some();
    match &mime {
        _ if holds_http => head.field("Content-Type", b"application/http; msgtype=response"),
        Some(mime) if !is_revisit => head.field("Content-Type", mime),
        _ => {}
    }
    for (name, column) in [
        ("Stored-In", "filename"),
        ("Stored-Offset", "offset"),
        ("Stored-Length", "length"),
    ] {
        if let Some(value) = row.said(column) {
            head.field(name, &value);
        }
    }
    sink.begin(&WarcHead::made_elsewhere(row.line.clone(), head.end()));
    if holds_http {
        let mut line = b"HTTP/1.1 ".to_vec();
        line.extend_from_slice(status.as_deref().unwrap_or_default());
        let mut http = Head::new(&String::from_utf8_lossy(&line));
        if let Some(mime) = &mime {
            http.field("Content-Type", mime);
        }
        sink.http(&HttpHead::made(http.end()));
    }
    sink.end(&Record {
        offset,
        length,
        skip,
        block_bytes: 0,
        payload_bytes: 0,
        is_whole: true,
    });
}

/// A header block that is being made. What columns say cannot end a line of it.
struct Head {
    text: Vec<u8>,
}

impl Head {
    fn new(first: &str) -> Head {
        let mut head = Head { text: Vec::new() };
        head.line(first.as_bytes());
        head
    }

    fn line(&mut self, text: &[u8]) {
        let plain = text
            .iter()
            .map(|&byte| if byte < b' ' { b' ' } else { byte });
        self.text.extend(plain);
        self.text.extend_from_slice(b"\r\n");
    }

    fn field(&mut self, name: &str, value: &[u8]) {
        self.line(&[name.as_bytes(), b": ", value].concat());
    }

    fn end(mut self) -> Vec<u8> {
        self.text.extend_from_slice(b"\r\n");
        self.text
    }
}

/// `20140102030405` as a WARC record would say it; as much of it as there is.
fn iso_date(timestamp: &[u8]) -> String {
    let digits = String::from_utf8_lossy(timestamp);
    let mut date = String::new();
    for (at, digit) in digits.chars().take(14).enumerate() {
        match at {
            4 | 6 => date.push('-'),
            8 => date.push('T'),
            10 | 12 => date.push(':'),
            _ => {}
        }
        date.push(digit);
    }
    if digits.len() >= 14 {
        date.push('Z');
    }
    date
}

/// With the name of its algorithm, which indexes leave out.
fn stated_digest(digest: &[u8]) -> Vec<u8> {
    let is_base32 = digest.len() == 32
        && digest
            .iter()
            .all(|byte| matches!(byte, b'A'..=b'Z' | b'2'..=b'7'));
    let is_hex = digest.len() == 40 && digest.iter().all(u8::is_ascii_hexdigit);
    if is_base32 || is_hex {
        [b"sha1:", digest].concat()
    } else {
        digest.to_vec()
    }
}
