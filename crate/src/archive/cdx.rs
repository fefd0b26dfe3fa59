//! Capture indexes as archives: each row of a CDX or CDXJ file is told as a record whose bytes lie in
//! another file.
//!
//! Compressed indexes may be one gzip member or many: the blocks of a ZipNum cluster are members, some
//! without a newline at their end, and tools that compress in blocks cut lines anywhere. A line that a
//! member's end leaves open is taken for whole if it is a row and the next line is one too.
//!
//! Where a row's bytes are is in the fields `Stored-In`, `Stored-Offset` and `Stored-Length` of the head
//! that is made of it: see [`Elsewhere`].

use super::date::parse_date;
use super::gzip::GzipReader;
use super::http::HttpHead;
use super::members::Step;
use super::parser::Parser;
use super::record::{Record, Sink};
use super::warc::{WarcHead, has_prefix};
use crate::cdx::{Cut, Layout, Line, Lines, Row, url_of_key};
use crate::error::{Code, Damage, code};
use crate::limits::{CDX_LINE_BYTES_MAX, CDX_LOOK_LINES_MAX, INFLATE_STEP_BYTES, REWIND_BYTES_MIN};

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

/// Where a line begins: the offset in the file, and how far into the gzip member that begins there.
type Place = (u64, u64);

const MAGIC: [u8; 3] = [0x1f, 0x8b, 8];

pub struct CdxParser {
    gzip: Option<Box<GzipReader>>,
    /// Offset of the bytes that must be fed next.
    position: u64,
    furthest: u64,
    rewound: u64,
    can_seek: bool,
    lines: Lines,
    begun: Place,
    layout: Layout,
    /// The gzip member, and what was inflated of it; of a plain file, the next byte.
    member: Place,
    /// A line that the end of a member left open.
    open: Option<(Cut, Place)>,
    /// The place of the row that is wanted first; the first line of the file is looked at before it.
    target: Option<Place>,
    has_first_line: bool,
    /// Bytes of the member to pass over.
    unwanted: u64,
    /// After damage: how much of the magic number of a member was seen.
    scanned: Option<usize>,
    /// Whether the member was found by searching and has shown no row yet.
    is_tentative: bool,
}

impl CdxParser {
    pub fn new(is_gzip: bool) -> CdxParser {
        CdxParser {
            gzip: is_gzip.then(|| Box::new(GzipReader::new(0, INFLATE_STEP_BYTES))),
            position: 0,
            furthest: 0,
            rewound: 0,
            can_seek: true,
            lines: Lines::default(),
            begun: (0, 0),
            layout: Layout::default(),
            member: (0, 0),
            open: None,
            target: None,
            has_first_line: false,
            unwanted: 0,
            scanned: None,
            is_tentative: false,
        }
    }

    /// A parser that tells first of the row at a place.
    pub fn at(is_gzip: bool, offset: u64, skip: u64) -> CdxParser {
        CdxParser {
            target: (offset > 0 || skip > 0).then_some((offset, skip)),
            ..CdxParser::new(is_gzip)
        }
    }

    /// Leaves the first line, which may have named the columns, for the row that is wanted.
    fn jump(&mut self, (offset, skip): Place) {
        let is_gzip = self.gzip.is_some();
        *self = CdxParser {
            position: offset,
            furthest: offset,
            member: (offset, 0),
            unwanted: skip,
            layout: std::mem::take(&mut self.layout),
            gzip: is_gzip.then(|| Box::new(GzipReader::new(offset, INFLATE_STEP_BYTES))),
            can_seek: self.can_seek,
            ..CdxParser::new(false)
        };
    }

    fn feed_plain(&mut self, bytes: &[u8], sink: &mut dyn Sink) -> usize {
        let mut at = 0;
        while at < bytes.len() && !sink.is_full() {
            if self.lines.is_between() {
                self.begun = (self.position, 0);
            }
            let (taken, cut) = self.lines.take(&bytes[at..]);
            at += taken;
            self.position += taken as u64;
            if let Some(cut) = cut {
                self.tell(cut, self.begun, sink);
                if self.target.is_some() {
                    break;
                }
            }
        }
        at
    }

    fn feed_gzip(&mut self, bytes: &[u8], sink: &mut dyn Sink) -> usize {
        let mut taken = 0;
        while !sink.is_full() {
            if self.scanned.is_some() {
                taken += self.scan(&bytes[taken..]);
                if taken == bytes.len() || self.scanned.is_some() {
                    break;
                }
            }
            // The reader lends out what it inflated, so it is set aside while that is told.
            let Some(mut gzip) = self.gzip.take() else {
                break;
            };
            let (count, step) = gzip.step(&bytes[taken..]);
            taken += count;
            self.position += count as u64;
            self.furthest = self.furthest.max(self.position);
            let is_hungry = matches!(step, Step::Hungry);
            let broken = self.step(step, sink);
            self.gzip = Some(gzip);
            if let Some(retry) = broken {
                self.search(retry);
                break;
            }
            if is_hungry && taken == bytes.len() {
                break;
            }
        }
        taken
    }

    /// Takes in what the reader of members found; from where to search for another one if it broke.
    fn step(&mut self, step: Step<'_>, sink: &mut dyn Sink) -> Option<u64> {
        match step {
            Step::Hungry | Step::Busy | Step::Again(_) | Step::Elsewhere(_) => {}
            Step::Start { offset } => self.member = (offset, 0),
            Step::Data(data) => self.text(data, sink),
            Step::End { is_sound, .. } => self.end_member(is_sound, sink),
            Step::Broken { code, at, retry } => {
                self.break_off(code, at, sink);
                return Some(retry);
            }
        }
        None
    }

    fn text(&mut self, bytes: &[u8], sink: &mut dyn Sink) {
        let unwanted = usize::try_from(self.unwanted).unwrap_or(usize::MAX);
        let mut at = unwanted.min(bytes.len());
        self.unwanted -= at as u64;
        self.member.1 += at as u64;
        while at < bytes.len() {
            if self.lines.is_between() {
                self.begun = self.member;
            }
            let (taken, cut) = self.lines.take(&bytes[at..]);
            at += taken;
            self.member.1 += taken as u64;
            if let Some(cut) = cut {
                let (cut, place) = self.settle(cut, self.begun, sink);
                self.tell(cut, place, sink);
            }
        }
    }

    /// The line that goes on after the end of a member: the one given, or that with the one before it.
    fn settle(&mut self, cut: Cut, place: Place, sink: &mut dyn Sink) -> (Cut, Place) {
        let Some((open, before)) = self.open.take() else {
            return (cut, place);
        };
        let is_row = |cut: &Cut| {
            cut.is_whole && !matches!(Line::parse(&cut.bytes, &self.layout), Line::Bad(_))
        };
        if is_row(&open) && is_row(&cut) {
            self.tell(open, before, sink);
            return (cut, place);
        }
        (open.joined(&cut), before)
    }

    fn tell(&mut self, cut: Cut, place: Place, sink: &mut dyn Sink) {
        self.has_first_line = true;
        let line = if cut.is_whole {
            Line::parse(&cut.bytes, &self.layout)
        } else {
            Line::Bad("expected a shorter line")
        };
        match line {
            Line::Header(layout) => self.layout = layout,
            Line::Remark => {}
            Line::Row(row) => {
                self.is_tentative = false;
                tell_row(&row, place, cut.taken, sink);
            }
            Line::Bad(expected) if !self.is_tentative => sink.damage(Damage {
                code: code::CDX_BAD_LINE,
                offset: place.0,
                // Of compressed files it is not known how many bytes a line takes.
                skipped: if self.gzip.is_none() && place.1 == 0 {
                    cut.taken
                } else {
                    0
                },
                message: format!("this line is no row of a capture index: {expected}"),
            }),
            Line::Bad(_) => {}
        }
    }

    fn end_member(&mut self, is_sound: bool, sink: &mut dyn Sink) {
        self.unwanted = 0;
        if let Some(cut) = self.lines.finish() {
            self.open = Some(self.settle(cut, self.begun, sink));
        }
        if !is_sound && !self.is_tentative {
            sink.damage(Damage {
                code: code::GZIP_BAD_CHECKSUM,
                offset: self.member.0,
                skipped: 0,
                message: "the checksum of this gzip member does not fit its content".into(),
            });
        }
    }

    fn break_off(&mut self, code: Code, at: u64, sink: &mut dyn Sink) {
        if let Some((open, place)) = self.open.take() {
            self.tell(open, place, sink);
        }
        // The line in which the data broke off is part of this damage.
        self.lines = Lines::default();
        if self.is_tentative {
            return;
        }
        let (offset, message) = match code {
            code::GZIP_TRUNCATED => (at, "the file ends in the middle of this gzip member"),
            code::GZIP_GARBAGE => (at, "bytes that are no gzip member"),
            _ => (self.member.0, "the compressed data is damaged"),
        };
        sink.damage(Damage {
            code,
            offset,
            skipped: 0,
            message: message.into(),
        });
    }

    /// Goes on with the next member at or after `from`, as far as going back is allowed.
    fn search(&mut self, from: u64) {
        let again = self.furthest.saturating_sub(from);
        let allowed = REWIND_BYTES_MIN.saturating_add(self.furthest.saturating_mul(2));
        if self.can_seek && self.rewound.saturating_add(again) <= allowed {
            self.rewound += again;
            self.position = from;
        }
        self.scanned = Some(0);
        self.is_tentative = true;
    }

    /// Looks for the magic number of a member; returns how many bytes were looked at.
    fn scan(&mut self, bytes: &[u8]) -> usize {
        let mut seen = self.scanned.unwrap_or(0);
        for (at, &byte) in bytes.iter().enumerate() {
            seen = if byte == MAGIC[seen] {
                seen + 1
            } else {
                usize::from(byte == MAGIC[0])
            };
            if seen == MAGIC.len() {
                let start = self.position + at as u64 + 1 - MAGIC.len() as u64;
                let mut gzip = GzipReader::new(start, INFLATE_STEP_BYTES);
                // The magic number may lie in pieces that are gone already.
                gzip.step(&MAGIC);
                self.gzip = Some(Box::new(gzip));
                self.scanned = None;
                self.position += at as u64 + 1;
                return at + 1;
            }
        }
        self.scanned = Some(seen);
        self.position += bytes.len() as u64;
        bytes.len()
    }
}

impl Parser for CdxParser {
    fn wanted(&self) -> u64 {
        self.position
    }

    fn feed(&mut self, bytes: &[u8], sink: &mut dyn Sink) -> usize {
        let Some(target) = self.target else {
            return match self.gzip.is_some() || self.scanned.is_some() {
                true => self.feed_gzip(bytes, sink),
                false => self.feed_plain(bytes, sink),
            };
        };
        let taken = match self.gzip.is_some() {
            true => self.feed_gzip(bytes, &mut Deaf::default()),
            false => self.feed_plain(bytes, &mut Deaf::default()),
        };
        let is_enough = self.has_first_line || self.scanned.is_some();
        if is_enough || self.furthest.max(self.position) > CDX_LINE_BYTES_MAX as u64 {
            self.jump(target);
        }
        taken
    }

    fn finish(&mut self, end: u64, sink: &mut dyn Sink) -> bool {
        if let Some(target) = self.target {
            self.jump(target);
            return self.position >= end;
        }
        if self.scanned.is_none()
            && let Some(gzip) = &mut self.gzip
            && let Some(step) = gzip.finish()
            && let Some(retry) = self.step(step, sink)
        {
            self.search(retry);
            return self.position >= end;
        }
        let mut last = self.open.take();
        if let Some(cut) = self.lines.finish() {
            self.open = last;
            last = Some(self.settle(cut, self.begun, sink));
        }
        if let Some((cut, place)) = last {
            self.tell(cut, place, sink);
        }
        true
    }

    fn forbid_seek(&mut self) {
        self.can_seek = false;
    }
}

/// Hears nothing: for the first line of a file from which a later row is wanted.
#[derive(Default)]
struct Deaf {
    has_heard: bool,
}

impl Sink for Deaf {
    fn begin(&mut self, _head: &WarcHead) {
        self.has_heard = true;
    }
    fn http(&mut self, _head: &HttpHead) {}
    fn body(&mut self, _bytes: &[u8]) {}
    fn end(&mut self, _record: &Record) {}
    fn damage(&mut self, _damage: Damage) {
        self.has_heard = true;
    }
    fn is_full(&self) -> bool {
        self.has_heard
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
    sink.begin(&WarcHead::made(row.line.clone(), head.end()));
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
