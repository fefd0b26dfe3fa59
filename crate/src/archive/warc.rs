//! The header block of a WARC record.
//!
//!   head := version CRLF field* CRLF      version := "WARC/" digits "." digits
//!   field := name ":" value CRLF (blank value CRLF)*
//! Read leniently: bare LF, folded values, fields without a colon, names in any case.

use std::borrow::Cow;

use memchr::memchr;

use super::date::parse_date;

/// What a record is, as `WARC-Type` says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum RecordType {
    #[default]
    Unknown,
    Warcinfo,
    Response,
    Resource,
    Request,
    Metadata,
    Revisit,
    Conversion,
    Continuation,
}

impl RecordType {
    const ALL: [(RecordType, &'static str); 9] = [
        (RecordType::Unknown, "unknown"),
        (RecordType::Warcinfo, "warcinfo"),
        (RecordType::Response, "response"),
        (RecordType::Resource, "resource"),
        (RecordType::Request, "request"),
        (RecordType::Metadata, "metadata"),
        (RecordType::Revisit, "revisit"),
        (RecordType::Conversion, "conversion"),
        (RecordType::Continuation, "continuation"),
    ];

    pub fn parse(name: &[u8]) -> RecordType {
        let known = RecordType::ALL
            .iter()
            .find(|(_, known)| is_same(name, known.as_bytes()));
        known.map_or(RecordType::Unknown, |(kind, _)| *kind)
    }

    pub fn name(self) -> &'static str {
        RecordType::ALL[usize::from(self as u8)].1
    }

    pub fn from_number(number: u8) -> RecordType {
        RecordType::ALL
            .get(usize::from(number))
            .map_or(RecordType::Unknown, |(kind, _)| *kind)
    }
}

/// Named values in a block of header lines; kept as ranges so that one buffer serves every record.
#[derive(Clone, Debug, Default)]
pub struct Fields {
    fields: Vec<Field>,
}

#[derive(Clone, Copy, Debug)]
struct Field {
    mark: u16,
    name: (usize, usize),
    value: (usize, usize),
}

impl Fields {
    /// Reads the lines of `raw` from `start` on. Returns false where a line had no colon.
    pub fn parse(&mut self, raw: &[u8], start: usize) -> bool {
        self.fields.clear();
        let mut is_sound = true;
        let mut at = start;
        while at < raw.len() {
            let end = memchr(b'\n', &raw[at..]).map_or(raw.len(), |found| at + found);
            let line = trim(raw, at, end);
            if line.0 < line.1 {
                let is_folded = matches!(raw[at], b' ' | b'\t');
                match (is_folded, self.fields.last_mut(), colon(&raw[at..end])) {
                    (true, Some(field), _) => field.value.1 = line.1,
                    (_, _, Some(colon)) => {
                        let name = trim(raw, at, at + colon);
                        self.fields.push(Field {
                            mark: mark(&raw[name.0..name.1]),
                            name,
                            value: trim(raw, at + colon + 1, end),
                        });
                    }
                    _ => is_sound = false,
                }
            }
            at = end + 1;
        }
        is_sound
    }

    /// The first value of that name, without folds.
    pub fn get(&self, raw: &[u8], name: &str) -> Option<Vec<u8>> {
        self.value(raw, name).map(Cow::into_owned)
    }

    /// The same, copied only where there are folds.
    pub fn value<'a>(&self, raw: &'a [u8], name: &str) -> Option<Cow<'a, [u8]>> {
        self.get_raw(raw, name).map(unfold)
    }

    /// The first value of that name as it stands, folds and all.
    pub fn get_raw<'a>(&self, raw: &'a [u8], name: &str) -> Option<&'a [u8]> {
        self.named(raw, name).next()
    }

    pub fn count(&self, raw: &[u8], name: &str) -> usize {
        self.named(raw, name).count()
    }

    /// Values of that name as they stand.
    fn named<'a>(&self, raw: &'a [u8], name: &str) -> impl Iterator<Item = &'a [u8]> {
        let name = name.as_bytes();
        let wanted = mark(name);
        // By the mark first: nearly all fields are passed over by it.
        let marked = self.fields.iter().filter(move |field| field.mark == wanted);
        let named = marked.filter(move |field| is_same(&raw[field.name.0..field.name.1], name));
        named.map(|field| &raw[field.value.0..field.value.1])
    }

    pub fn iter<'a>(&'a self, raw: &'a [u8]) -> impl Iterator<Item = (&'a [u8], Vec<u8>)> {
        self.fields.iter().map(|field| {
            (
                &raw[field.name.0..field.name.1],
                unfold(&raw[field.value.0..field.value.1]).into_owned(),
            )
        })
    }
}

/// By which most names are told apart: the last letter in lower case and the length.
#[inline(always)]
fn mark(name: &[u8]) -> u16 {
    let last = name.last().map_or(0, u8::to_ascii_lowercase);
    u16::from_le_bytes([last, name.len().to_le_bytes()[0]])
}

/// Whether two names are the same in any case. Nearly all that are the same are so as they stand.
fn is_same(name: &[u8], known: &[u8]) -> bool {
    name == known || name.eq_ignore_ascii_case(known)
}

/// The colon that ends the name; names of HTTP/2 begin with one.
#[inline(always)]
fn colon(line: &[u8]) -> Option<usize> {
    let from = usize::from(line.starts_with(b":"));
    memchr(b':', &line[from..]).map(|at| at + from)
}

// Three times a line: as a function of its own it costs more than what it does.
#[inline(always)]
fn trim(raw: &[u8], start: usize, end: usize) -> (usize, usize) {
    let is_blank = |byte: u8| matches!(byte, b' ' | b'\t' | b'\r');
    let mut range = (start, end);
    while range.0 < range.1 && is_blank(raw[range.0]) {
        range.0 += 1;
    }
    while range.0 < range.1 && is_blank(raw[range.1 - 1]) {
        range.1 -= 1;
    }
    range
}

fn unfold(value: &[u8]) -> Cow<'_, [u8]> {
    if memchr(b'\n', value).is_none() {
        return Cow::Borrowed(value);
    }
    let lines: Vec<&[u8]> = value
        .split(|&byte| byte == b'\n')
        .map(<[u8]>::trim_ascii)
        .filter(|line| !line.is_empty())
        .collect();
    Cow::Owned(lines.join(&b' '))
}

/// How long the block is, by the header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StatedLength {
    Bytes(u64),
    #[default]
    Missing,
    Unreadable,
}

/// A parsed WARC header block.
#[derive(Clone, Debug, Default)]
pub struct WarcHead {
    /// The block as it stands in the file, with the blank line that ends it.
    pub raw: Vec<u8>,
    /// The header block that stands for `raw` in a format that has none.
    made: Option<Vec<u8>>,
    /// True of a row of an index: the block is in another file.
    pub is_elsewhere: bool,
    fields: Fields,
    version_end: usize,
    /// What is asked for again and again.
    kind: RecordType,
    stated_length: StatedLength,
    date: Option<u64>,
}

impl WarcHead {
    /// The head of a record of another format: `raw` as it stands in the file, and `text`, a WARC header
    /// block that says the same.
    pub fn made(raw: Vec<u8>, text: Vec<u8>) -> WarcHead {
        let mut head = WarcHead {
            raw,
            made: Some(text),
            ..WarcHead::default()
        };
        head.parse();
        head
    }

    /// The head of a record of which this file holds no more than a row of an index.
    pub fn made_elsewhere(raw: Vec<u8>, text: Vec<u8>) -> WarcHead {
        WarcHead {
            is_elsewhere: true,
            ..WarcHead::made(raw, text)
        }
    }

    /// Becomes the head that `made` makes; its buffers are used again.
    pub fn set(&mut self, raw: &[u8], text: Vec<u8>) {
        self.raw.clear();
        self.raw.extend_from_slice(raw);
        self.made = Some(text);
        self.parse();
    }

    /// Whether it was made of what another format says.
    pub fn is_made(&self) -> bool {
        self.made.is_some()
    }

    /// The header block that the fields are read from.
    fn text(&self) -> &[u8] {
        self.made.as_ref().unwrap_or(&self.raw)
    }

    /// Reads what is in `raw`. Returns false where a line is no header field.
    pub fn parse(&mut self) -> bool {
        let text = self.made.as_ref().unwrap_or(&self.raw);
        self.version_end = memchr(b'\n', text).map_or(text.len(), |at| at + 1);
        let is_sound = self.fields.parse(text, self.version_end);
        self.kind = read_kind(self.get_raw("WARC-Type"));
        self.stated_length = read_length(self.get_raw("Content-Length"));
        self.date = self.value("WARC-Date").and_then(|date| parse_date(&date));
        is_sound
    }

    /// Such as `WARC/1.1`.
    pub fn version(&self) -> &[u8] {
        self.text()[..self.version_end].trim_ascii()
    }

    pub fn get(&self, name: &str) -> Option<Vec<u8>> {
        self.fields.get(self.text(), name)
    }

    /// The same, copied only where there are folds.
    pub fn value(&self, name: &str) -> Option<Cow<'_, [u8]>> {
        self.fields.value(self.text(), name)
    }

    pub fn get_raw(&self, name: &str) -> Option<&[u8]> {
        self.fields.get_raw(self.text(), name)
    }

    pub fn count(&self, name: &str) -> usize {
        self.fields.count(self.text(), name)
    }

    pub fn fields(&self) -> impl Iterator<Item = (&[u8], Vec<u8>)> {
        self.fields.iter(self.text())
    }

    /// Which segment of its payload the record holds, where that lies in several records.
    pub fn segment_number(&self) -> Option<u64> {
        let text = self.get_raw("WARC-Segment-Number")?;
        std::str::from_utf8(text).ok()?.trim().parse().ok()
    }

    pub fn kind(&self) -> RecordType {
        self.kind
    }

    /// The name of the type; one that is not known as it stands.
    pub fn stated_kind(&self) -> Vec<u8> {
        match (self.kind(), self.get("WARC-Type")) {
            (RecordType::Unknown, Some(stated)) if !stated.is_empty() => stated,
            (kind, _) => kind.name().as_bytes().to_vec(),
        }
    }

    /// When it was made, in seconds since 1970.
    pub fn date(&self) -> Option<u64> {
        self.date
    }

    /// Target URL without the angle brackets that some writers put around it.
    pub fn uri(&self) -> Option<Vec<u8>> {
        self.target().map(Cow::into_owned)
    }

    /// The same, copied only where there are folds.
    pub fn target(&self) -> Option<Cow<'_, [u8]>> {
        let target = match self.value("WARC-Target-URI")? {
            Cow::Borrowed(uri) => Cow::Borrowed(bare(uri)),
            Cow::Owned(uri) => Cow::Owned(bare(&uri).to_vec()),
        };
        (!target.is_empty()).then_some(target)
    }

    pub fn stated_length(&self) -> StatedLength {
        self.stated_length
    }

    /// Whether the block of such a record is an HTTP message.
    pub fn holds_http(&self) -> bool {
        if !matches!(
            self.kind(),
            RecordType::Response | RecordType::Request | RecordType::Revisit
        ) {
            return false;
        }
        match self.target() {
            Some(uri) => has_prefix(&uri, b"http:") || has_prefix(&uri, b"https:"),
            None => self
                .value("Content-Type")
                .is_some_and(|mime| has_prefix(&mime, b"application/http")),
        }
    }
}

fn read_kind(stated: Option<&[u8]>) -> RecordType {
    stated.map_or(RecordType::Unknown, |name| {
        RecordType::parse(name.trim_ascii())
    })
}

fn read_length(stated: Option<&[u8]>) -> StatedLength {
    let Some(text) = stated.map(<[u8]>::trim_ascii) else {
        return StatedLength::Missing;
    };
    if text.is_empty() || text.len() > 18 || !text.iter().all(u8::is_ascii_digit) {
        return StatedLength::Unreadable;
    }
    let digits = text.iter().map(|byte| u64::from(byte - b'0'));
    StatedLength::Bytes(digits.fold(0, |sum, digit| sum * 10 + digit))
}

/// A URL without angle brackets around it.
fn bare(uri: &[u8]) -> &[u8] {
    let inside = uri
        .strip_prefix(b"<")
        .and_then(|uri| uri.strip_suffix(b">"));
    inside.unwrap_or(uri)
}

pub fn has_prefix(text: &[u8], prefix: &[u8]) -> bool {
    text.get(..prefix.len())
        .is_some_and(|head| head.eq_ignore_ascii_case(prefix))
}

/// Finds the blank line that ends a header block, however the stream is cut.
#[derive(Clone, Debug, Default)]
pub struct HeadEnd {
    has_content: bool,
}

impl HeadEnd {
    /// Position after the blank line, or `None` if it is not in this piece.
    pub fn find(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        while at < bytes.len() {
            let Some(found) = memchr(b'\n', &bytes[at..]) else {
                self.has_content |= bytes[at..].iter().any(|&byte| byte != b'\r');
                return None;
            };
            let line = &bytes[at..at + found];
            at += found + 1;
            if !self.has_content && line.iter().all(|&byte| byte == b'\r') {
                return Some(at);
            }
            self.has_content = false;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(text: &str) -> (WarcHead, bool) {
        let mut head = WarcHead {
            raw: text.as_bytes().to_vec(),
            ..WarcHead::default()
        };
        let is_sound = head.parse();
        (head, is_sound)
    }

    #[test]
    fn fields_are_found_in_any_case_and_unfolded() {
        let (head, is_sound) = head(
            "WARC/1.1\r\nwarc-TYPE: RESPONSE\r\nContent-Type:  a\r\n \tb\r\nWARC-Target-URI: <http://x/>\r\n\r\n",
        );
        assert!(is_sound);
        assert_eq!(head.version(), b"WARC/1.1");
        assert_eq!(head.kind(), RecordType::Response);
        assert_eq!(head.get("content-type").as_deref(), Some(&b"a b"[..]));
        assert_eq!(head.uri().as_deref(), Some(&b"http://x/"[..]));
        assert!(head.holds_http());
        assert_eq!(head.fields().count(), 3);
    }

    #[test]
    fn bad_lines_are_told_and_passed_over() {
        let (head, is_sound) = head("WARC/1.0\nno colon here\nContent-Length: 12\n\n");
        assert!(!is_sound);
        assert_eq!(head.stated_length(), StatedLength::Bytes(12));
    }

    #[test]
    fn lengths_that_are_no_number_are_unreadable() {
        for text in ["-1", "1e3", "", "0x10", "9999999999999999999", "1 2"] {
            let (head, _) = head(&format!("WARC/1.0\r\nContent-Length: {text}\r\n\r\n"));
            assert_eq!(head.stated_length(), StatedLength::Unreadable, "{text:?}");
        }
        assert_eq!(
            head("WARC/1.0\r\n\r\n").0.stated_length(),
            StatedLength::Missing
        );
        assert_eq!(
            head("WARC/1.0\r\nContent-Length: \r\n\t483\r\n\r\n")
                .0
                .stated_length(),
            StatedLength::Bytes(483)
        );
    }

    #[test]
    fn the_end_of_a_head_is_found_at_every_split() {
        for text in [
            "WARC/1.0\r\nA: b\r\n\r\nrest",
            "WARC/1.0\nA: b\n\nrest",
            "WARC/1.0\r\nA: b\n\r\nrest",
        ] {
            let expected = text.len() - 4;
            for cut in 0..=expected {
                let mut end = HeadEnd::default();
                let bytes = text.as_bytes();
                let found = end
                    .find(&bytes[..cut])
                    .or_else(|| end.find(&bytes[cut..]).map(|at| at + cut));
                assert_eq!(found, Some(expected), "{text:?} cut at {cut}");
            }
        }
    }
}
