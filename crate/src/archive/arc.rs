//! The URL lines of ARC files, and what they say in WARC terms.
//!
//!   file := version-block (NL record)*        record := url-line content
//!   url-line := url ip date type length NL                                             (version 1)
//!             | url ip date type status checksum location offset name length NL        (version 2)
//!   version-block := url-line version-line fields-line text      its URL begins with `filedesc://`
//! Written by many hands: URLs and types hold blanks, types are empty, fields are `-`, addresses `0`, dates
//! have 8 to 28 digits. So a line is read from its right end, around the address and the date.

use memchr::memchr_iter;

use super::warc::has_prefix;

/// One URL line, in pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UrlLine<'a> {
    pub url: &'a [u8],
    pub address: &'a [u8],
    pub date: &'a [u8],
    pub media_type: &'a [u8],
    pub length: &'a [u8],
    /// Status, checksum and location of version 2.
    pub more: Option<[&'a [u8]; 3]>,
}

/// How much a line must look like a URL line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// It stands where one is due.
    Due,
    /// It was found while looking for one: content has lines too.
    Found,
}

const SCHEME_BYTES_MAX: usize = 20;
const VERSION_2_FIELDS: usize = 7;

/// Whether a line that begins so can be a URL line. `None` while too little of it is known.
pub fn could_be_line(start: &[u8]) -> Option<bool> {
    if !start.first()?.is_ascii_alphabetic() {
        return Some(false);
    }
    let is_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    match start.iter().position(|byte| !is_scheme(byte)) {
        Some(at) => Some(at <= SCHEME_BYTES_MAX && start[at] == b':'),
        None if start.len() > SCHEME_BYTES_MAX => Some(false),
        None => None,
    }
}

/// Whether the line is the URL line of a version block.
pub fn is_version_line(line: &[u8]) -> bool {
    has_prefix(line, b"filedesc:")
}

impl<'a> UrlLine<'a> {
    /// Reads a line, with or without its newline.
    pub fn read(line: &'a [u8], trust: Trust) -> Option<UrlLine<'a>> {
        let line = line.trim_ascii_end();
        if could_be_line(line) != Some(true) {
            return None;
        }
        // Cheap to see, and true of almost no line of content.
        let last = line.rsplit(|byte| *byte == b' ').next()?;
        if trust == Trust::Found && !is_length(last) {
            return None;
        }
        let fields = FieldsOf::new(line);
        let dated = (2..fields.count() - 1)
            .rev()
            .find(|&at| is_date(fields.at(at)) && is_address(fields.at(at - 1)));
        match dated {
            Some(date) => Some(fields.around(date)),
            None if trust == Trust::Found => None,
            None => fields.odd(),
        }
    }

    /// What the line says as a WARC header block.
    pub fn as_fields(&self, is_version_block: bool) -> Vec<u8> {
        let kind: &[u8] = if is_version_block {
            b"warcinfo"
        } else {
            b"response"
        };
        let mut out = b"ARC/1.0\r\n".to_vec();
        let mut put = |name: &str, value: &[u8]| {
            if !value.is_empty() {
                out.extend_from_slice(name.as_bytes());
                out.extend_from_slice(b": ");
                out.extend_from_slice(value);
                out.extend_from_slice(b"\r\n");
            }
        };
        put("WARC-Type", kind);
        put("WARC-Target-URI", self.url);
        put("WARC-Date", &iso_date(self.date));
        if self.address.len() > 1 && self.address != b"0.0.0.0" {
            put("WARC-IP-Address", self.address);
        }
        if self.media_type != b"-" {
            put("Content-Type", self.media_type);
        }
        put("Content-Length", self.length);
        let names = ["ARC-Result-Code", "ARC-Checksum", "ARC-Location"];
        for (name, value) in names.into_iter().zip(self.more.unwrap_or_default()) {
            if value != b"-" {
                put(name, value);
            }
        }
        out.extend_from_slice(b"\r\n");
        out
    }
}

/// The fields of a line. Every single blank separates two, since fields can be empty.
struct FieldsOf<'a> {
    line: &'a [u8],
    ends: Vec<usize>,
}

impl<'a> FieldsOf<'a> {
    fn new(line: &'a [u8]) -> FieldsOf<'a> {
        let mut ends: Vec<usize> = memchr_iter(b' ', line).collect();
        ends.push(line.len());
        FieldsOf { line, ends }
    }

    fn count(&self) -> usize {
        self.ends.len()
    }

    fn at(&self, index: usize) -> &'a [u8] {
        self.from(index, index)
    }

    /// What lies from one field to another, both included.
    fn from(&self, first: usize, last: usize) -> &'a [u8] {
        let start = if first == 0 {
            0
        } else {
            self.ends[first - 1] + 1
        };
        self.line.get(start..self.ends[last]).unwrap_or_default()
    }

    /// The line whose date is field number `date`.
    fn around(&self, date: usize) -> UrlLine<'a> {
        let (first, last) = (date + 1, self.count() - 1);
        let is_second = last - date >= VERSION_2_FIELDS && is_status(self.at(first + 1));
        let (media_type, more) = if is_second {
            let location = self.from(first + 3, last - 3);
            let more = [self.at(first + 1), self.at(first + 2), location];
            (self.at(first), Some(more))
        } else if first == last {
            (Default::default(), None)
        } else {
            (self.from(first, last - 1), None)
        };
        UrlLine {
            url: self.from(0, date - 2),
            address: self.at(date - 1),
            date: self.at(date),
            media_type,
            length: self.at(last),
            more,
        }
    }

    /// A line where a URL line is due, without an address before a date.
    fn odd(&self) -> Option<UrlLine<'a>> {
        let last = self.count() - 1;
        let is_version = is_version_line(self.line);
        let mut read = UrlLine {
            url: self.at(0),
            address: Default::default(),
            date: Default::default(),
            media_type: Default::default(),
            length: if last == 0 {
                Default::default()
            } else {
                self.at(last)
            },
            more: None,
        };
        if !is_length(read.length) && !is_version {
            return None;
        }
        if let Some(date) = (1..last).rev().find(|&at| is_date(self.at(at))) {
            // The address is missing.
            read.url = self.from(0, date - 1);
            read.date = self.at(date);
            if date + 1 < last {
                read.media_type = self.from(date + 1, last - 1);
            }
        } else if last >= 4 && (is_version || self.at(last - 2) == b"-") {
            read.url = self.from(0, last - 4);
            read.address = self.at(last - 3);
            read.date = self.at(last - 2);
            read.media_type = self.at(last - 1);
        } else if !is_version {
            return None;
        }
        Some(read)
    }
}

fn is_date(field: &[u8]) -> bool {
    (8..=28).contains(&field.len())
        && field.iter().all(u8::is_ascii_digit)
        && (field.starts_with(b"19") || field.starts_with(b"20"))
}

fn is_address(field: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_hexdigit() || b".:".contains(byte);
    matches!(field, b"0" | b"-")
        || field.iter().all(is_part) && field.iter().any(|byte| b".:".contains(byte))
}

fn is_length(field: &[u8]) -> bool {
    let digits = field.strip_prefix(b"-").unwrap_or(field);
    (1..=18).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit)
}

fn is_status(field: &[u8]) -> bool {
    field == b"-" || field.len() <= 3 && !field.is_empty() && field.iter().all(u8::is_ascii_digit)
}

/// `20140216050221` as `2014-02-16T05:02:21Z`; what is no such date as it stands.
fn iso_date(date: &[u8]) -> Vec<u8> {
    if date == b"-" {
        return Vec::new();
    }
    if date.len() < 8 || !date.iter().all(u8::is_ascii_digit) {
        return date.to_vec();
    }
    let mut whole = *b"00000000000000";
    let known = date.len().min(whole.len());
    whole[..known].copy_from_slice(&date[..known]);
    let mut out = Vec::with_capacity(20);
    for (part, after) in [
        (0..4, b'-'),
        (4..6, b'-'),
        (6..8, b'T'),
        (8..10, b':'),
        (10..12, b':'),
        (12..14, b'Z'),
    ] {
        out.extend_from_slice(&whole[part]);
        out.push(after);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(line: &str, trust: Trust) -> Option<[String; 5]> {
        let read = UrlLine::read(line.as_bytes(), trust)?;
        Some(
            [
                read.url,
                read.address,
                read.date,
                read.media_type,
                read.length,
            ]
            .map(|field| String::from_utf8_lossy(field).into_owned()),
        )
    }

    #[test]
    fn lines_of_every_dialect_are_read() {
        let cases: [(&str, [&str; 5]); 12] = [
            (
                "http://a.test/ 1.2.3.4 20140216050221 text/html 1591\n",
                [
                    "http://a.test/",
                    "1.2.3.4",
                    "20140216050221",
                    "text/html",
                    "1591",
                ],
            ),
            (
                "http://a.test/ 1.2.3.4 20140216050221 text/html 1591\r\n",
                [
                    "http://a.test/",
                    "1.2.3.4",
                    "20140216050221",
                    "text/html",
                    "1591",
                ],
            ),
            (
                "http://a.test/?q=one two 3&x 1.2.3.4 20140216050221 text/html; charset=x 7",
                [
                    "http://a.test/?q=one two 3&x",
                    "1.2.3.4",
                    "20140216050221",
                    "text/html; charset=x",
                    "7",
                ],
            ),
            (
                "http://a.test:80/ 211.111.217.29 20110804181142  39",
                [
                    "http://a.test:80/",
                    "211.111.217.29",
                    "20110804181142",
                    "",
                    "39",
                ],
            ),
            (
                "http://a.test/ 0 20110804181142 - 39",
                ["http://a.test/", "0", "20110804181142", "-", "39"],
            ),
            (
                "dns:a.test ::1 20110804181142 text/dns 56",
                ["dns:a.test", "::1", "20110804181142", "text/dns", "56"],
            ),
            (
                "http://a.test/ 20110804181142 text/html 39",
                ["http://a.test/", "", "20110804181142", "text/html", "39"],
            ),
            (
                "http://a.test/ 1.2.3.4 20110804181142 39",
                ["http://a.test/", "1.2.3.4", "20110804181142", "", "39"],
            ),
            (
                "http://a.test/ 1.2.3.4 201404010000000000 text/html abc",
                [
                    "http://a.test/",
                    "1.2.3.4",
                    "201404010000000000",
                    "text/html",
                    "abc",
                ],
            ),
            (
                "filedesc:// - - - 76\r\n",
                ["filedesc://", "-", "-", "-", "76"],
            ),
            (
                "filedesc://horsy|\\hello a.b.c.d blue_monday gif\\image one",
                [
                    "filedesc://horsy|\\hello",
                    "a.b.c.d",
                    "blue_monday",
                    "gif\\image",
                    "one",
                ],
            ),
            (
                "http://a.test/x 1.2.3.4 19961104142103 text/html 200 fac069150613fe55599cc7fa88aa089d - 209 a.arc 202",
                [
                    "http://a.test/x",
                    "1.2.3.4",
                    "19961104142103",
                    "text/html",
                    "202",
                ],
            ),
        ];
        for (line, expected) in cases {
            let found = fields(line, Trust::Due);
            assert_eq!(found, Some(expected.map(str::to_owned)), "{line}");
        }
    }

    #[test]
    fn lines_of_content_are_none() {
        for line in [
            "",
            "http://www.a.test/node/100",
            "Date: Sun, 16 Feb 2014 05:02:20 GMT",
            "see: 1.2.3.4 for more 12",
            "/a 1.2.3.4 20140216050221 text/html 1591",
            "averyveryverylongwordbefore: 1.2.3.4 20140216050221 text/html 1591",
        ] {
            assert_eq!(fields(line, Trust::Due), None, "{line}");
        }
        // Read where one is due, but not looked for.
        for line in [
            "http://a.test/ 1.2.3.4 201404010000000000 text/html abc",
            "http://a.test/ 20110804181142 text/html 39",
            "filedesc:// - - - 76",
        ] {
            assert!(fields(line, Trust::Due).is_some(), "{line}");
            assert_eq!(fields(line, Trust::Found), None, "{line}");
        }
    }

    #[test]
    fn a_line_says_what_a_warc_header_would() {
        let line =
            b"http://a.test/ 1.2.3.4 20140216050221 text/html 200 c0ffee http://b.test/ 9 a.arc 15";
        let read = UrlLine::read(line, Trust::Due).map(|line| line.as_fields(false));
        let text = read.map(|text| String::from_utf8_lossy(&text).into_owned());
        assert_eq!(
            text.as_deref(),
            Some(
                "ARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.test/\r\n\
                 WARC-Date: 2014-02-16T05:02:21Z\r\nWARC-IP-Address: 1.2.3.4\r\nContent-Type: text/html\r\n\
                 Content-Length: 15\r\nARC-Result-Code: 200\r\nARC-Checksum: c0ffee\r\n\
                 ARC-Location: http://b.test/\r\n\r\n"
            )
        );
    }
}
