//! Rows of capture indexes: CDX of 6 to 16 columns with and without a header line, CDXJ, and lines of JSON.
//!
//!   cdx  := key SP timestamp SP column*          header := SP "CDX" (SP letter)*
//!   cdxj := key SP timestamp SP json-object      remark := "!" word (SP json-object)?
//! The byte before `CDX` in the header line is what parts the columns. Without a header line the number of
//! columns tells what they are. Columns have the names that CDX servers give them; other names in use lead
//! to the same columns.

use std::borrow::Cow;

use super::json::{self, Value};
use crate::limits::CDX_COLUMNS_MAX;

/// What the letters of a header line stand for. Columns with other letters are kept but have no name.
const LETTERS: [(u8, &str); 15] = [
    (b'N', "urlkey"),
    (b'A', "urlkey"),
    (b'b', "timestamp"),
    (b'a', "url"),
    (b'm', "mime"),
    (b's', "status"),
    (b'k', "digest"),
    (b'r', "redirect"),
    (b'R', "redirect"),
    (b'M', "robotflags"),
    (b'S', "length"),
    (b'V', "offset"),
    (b'v', "offset"),
    (b'g', "filename"),
    (b'n', "bytes"),
];

/// Columns of lines under no header, by their number.
const UNNAMED: [(usize, &str); 7] = [
    (6, "N b a m s k"),
    (7, "N b a m s k S"),
    (8, "N b a m s k V g"),
    (9, "N b a m s k r V g"),
    (10, "N b a m s k r M V g"),
    (11, "N b a m s k r M S V g"),
    (14, "N b a m s k r M S V g - - -"),
];

/// Names by which columns are known elsewhere.
const OTHER_NAMES: [(&str, &str); 15] = [
    ("key", "urlkey"),
    ("surt", "urlkey"),
    ("ts", "timestamp"),
    ("original", "url"),
    ("mimetype", "mime"),
    ("mime_type", "mime"),
    ("statuscode", "status"),
    ("status_code", "status"),
    ("sha1", "digest"),
    ("hash", "digest"),
    ("robot_flags", "robotflags"),
    ("metatags", "robotflags"),
    ("meta", "robotflags"),
    ("compressedsize", "length"),
    ("file", "filename"),
];

const ORIGINALS: [&str; 3] = ["orig.length", "orig.offset", "orig.filename"];

/// The name under which a column is kept here.
pub fn column_name(name: &str) -> &str {
    if name.len() == 1 && !letter_name(name.as_bytes()).is_empty() {
        return letter_name(name.as_bytes());
    }
    OTHER_NAMES
        .iter()
        .find(|(other, _)| other.eq_ignore_ascii_case(name))
        .map_or(name, |(_, known)| *known)
}

/// What the columns of the lines of a file are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    separator: u8,
    /// Empty where no header line told.
    columns: Vec<&'static str>,
}

impl Default for Layout {
    fn default() -> Layout {
        Layout {
            separator: b' ',
            columns: Vec::new(),
        }
    }
}

impl Layout {
    /// What a header line says, if it is one.
    pub fn of_header(line: &[u8]) -> Option<Layout> {
        let (&separator, rest) = line.split_first()?;
        let rest = rest.strip_prefix(b"CDX")?;
        if separator.is_ascii_alphanumeric() || rest.first().is_some_and(|&byte| byte != separator)
        {
            return None;
        }
        let letters = rest.split(|&byte| byte == separator);
        let columns: Vec<_> = letters
            .filter(|letter| !letter.is_empty())
            .take(CDX_COLUMNS_MAX)
            .map(|letter| letter_name(letter))
            .collect();
        let has_facts = ["timestamp", "url"]
            .iter()
            .all(|name| columns.contains(name));
        has_facts.then_some(Layout { separator, columns })
    }

    /// What parts the columns.
    pub fn separator(&self) -> u8 {
        self.separator
    }

    fn of_count(count: usize) -> Option<Vec<&'static str>> {
        let (_, letters) = UNNAMED.iter().find(|(columns, _)| *columns == count)?;
        let mut originals = ORIGINALS.iter();
        let names = letters.bytes().step_by(2).map(|letter| match letter {
            b'-' => originals.next().copied().unwrap_or_default(),
            letter => letter_name(&[letter]),
        });
        Some(names.collect())
    }
}

fn letter_name(letter: &[u8]) -> &'static str {
    LETTERS
        .iter()
        .find(|(known, _)| letter == [*known])
        .map_or("", |(_, name)| *name)
}

/// What a line of an index is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    Row(Row),
    Header(Layout),
    /// A line that says something of the index, or nothing.
    Remark,
    /// No row: what was expected of it.
    Bad(&'static str),
}

impl Line {
    /// Reads a line, without what ends it.
    pub fn parse(line: &[u8], layout: &Layout) -> Line {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.trim_ascii().is_empty() {
            return Line::Remark;
        }
        if let Some(layout) = Layout::of_header(line) {
            return Line::Header(layout);
        }
        match Row::parse(line, layout) {
            Ok(row) => Line::Row(row),
            // Keys may begin so too.
            Err(_) if matches!(line[0], b'!' | b'#') => Line::Remark,
            Err(expected) => Line::Bad(expected),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Columns {
    /// Where each one with a name lies in the line.
    Plain(Vec<(&'static str, usize, usize)>),
    /// From where on the line is a JSON object.
    Json(usize),
}

/// One capture, as its line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// As it stands in the file, without what ends it.
    pub line: Vec<u8>,
    pub key: Vec<u8>,
    pub timestamp: Vec<u8>,
    columns: Columns,
    /// Columns that were found out, such as where the original of a revisit is.
    added: Vec<(&'static str, Vec<u8>)>,
}

impl Row {
    /// Reads a line that is no remark; what was expected where it is no row.
    pub fn parse(line: &[u8], layout: &Layout) -> Result<Row, &'static str> {
        match json_start(line) {
            Some((key_end, at)) => Row::parse_cdxj(line, key_end, at),
            None if line.starts_with(b"{") => Row::parse_json(line),
            None => Row::parse_columns(line, layout),
        }
    }

    fn parse_cdxj(line: &[u8], key_end: usize, at: usize) -> Result<Row, &'static str> {
        if !json::members(&line[at..], &mut |_, _| {}) {
            return Err("expected a JSON object after key and timestamp");
        }
        Ok(Row {
            line: line.to_vec(),
            key: line[..key_end].to_vec(),
            timestamp: line[key_end..at].trim_ascii().to_vec(),
            columns: Columns::Json(at),
            added: Vec::new(),
        })
    }

    /// A line that is nothing but a JSON object, as servers send it.
    fn parse_json(line: &[u8]) -> Result<Row, &'static str> {
        let mut row = Row {
            line: line.to_vec(),
            key: Vec::new(),
            timestamp: Vec::new(),
            columns: Columns::Json(0),
            added: Vec::new(),
        };
        if !json::members(line, &mut |_, _| {}) {
            return Err("expected a JSON object");
        }
        let text = |name| row.get(name).map(Cow::into_owned);
        let (key, timestamp) = (text("urlkey"), text("timestamp"));
        row.timestamp = timestamp.ok_or("expected a timestamp in the JSON object")?;
        if !is_timestamp(&row.timestamp) {
            return Err("expected digits as timestamp");
        }
        row.key = key.ok_or("expected a urlkey in the JSON object")?;
        Ok(row)
    }

    fn parse_columns(line: &[u8], layout: &Layout) -> Result<Row, &'static str> {
        let mut places = Vec::new();
        let mut at = 0;
        for part in line.split(|&byte| byte == layout.separator) {
            if places.len() == CDX_COLUMNS_MAX {
                return Err("expected fewer columns");
            }
            places.push((at, at + part.len()));
            at += part.len() + 1;
        }
        // Blanks at the end are no columns.
        while places.len() > 1 && places.last().is_some_and(|place| place.0 == place.1) {
            places.pop();
        }
        let guessed;
        let names = if layout.columns.is_empty() {
            guessed =
                Layout::of_count(places.len()).ok_or("expected 6 to 11 or 14 columns, or JSON")?;
            &guessed
        } else if layout.columns.len() == places.len() {
            &layout.columns
        } else {
            return Err("expected as many columns as the header line names");
        };
        let named = names.iter().zip(places);
        let columns: Vec<_> = named
            .filter(|(name, _)| !name.is_empty())
            .map(|(name, (start, end))| (*name, start, end))
            .collect();
        let column = |wanted: &str| {
            columns
                .iter()
                .find(|(name, _, _)| *name == wanted)
                .map(|&(_, start, end)| line[start..end].to_vec())
        };
        let timestamp = column("timestamp").filter(|text| is_timestamp(text));
        let timestamp = timestamp.ok_or("expected digits as timestamp")?;
        let key = match column("urlkey") {
            Some(key) => key,
            // Who only recognises rows has no use for it.
            None if !cfg!(feature = "tools") => Vec::new(),
            None => {
                let url = column("url").unwrap_or_default();
                crate::archive::surt(&String::from_utf8_lossy(&url)).into_bytes()
            }
        };
        Ok(Row {
            line: line.to_vec(),
            key,
            timestamp,
            columns: Columns::Plain(columns),
            added: Vec::new(),
        })
    }

    /// What a column says, by any of its names. Absent where the row does not have it; `-` is as it stands.
    pub fn get(&self, name: &str) -> Option<Cow<'_, [u8]>> {
        let name = column_name(name);
        if let Some((_, value)) = self.added.iter().rev().find(|(added, _)| *added == name) {
            return Some(Cow::Borrowed(value));
        }
        match &self.columns {
            Columns::Json(at) => match name {
                "urlkey" if *at > 0 => Some(Cow::Borrowed(&self.key)),
                "timestamp" if *at > 0 => Some(Cow::Borrowed(&self.timestamp)),
                _ => self.get_json(*at, name),
            },
            Columns::Plain(columns) => {
                let (_, start, end) = columns.iter().find(|(known, _, _)| *known == name)?;
                Some(Cow::Borrowed(&self.line[*start..*end]))
            }
        }
    }

    fn get_json(&self, at: usize, name: &str) -> Option<Cow<'_, [u8]>> {
        let mut found = None;
        json::members(&self.line[at..], &mut |member, value| {
            let is_wanted = std::str::from_utf8(member).is_ok_and(|it| column_name(it) == name);
            if is_wanted && found.is_none() {
                found = Some(value);
            }
        });
        match found? {
            Value::Text(text) if text.contains(&b'\\') => Some(Cow::Owned(json::unescaped(text))),
            Value::Text(text) | Value::Number(text) => Some(Cow::Borrowed(text)),
            Value::Object(text) | Value::Array(text) => Some(Cow::Borrowed(text)),
            Value::True => Some(Cow::Borrowed(b"true")),
            Value::False => Some(Cow::Borrowed(b"false")),
            Value::Null => None,
        }
    }

    /// The column where it says something.
    pub fn said(&self, name: &str) -> Option<Cow<'_, [u8]>> {
        self.get(name)
            .filter(|value| !value.is_empty() && value.as_ref() != b"-")
    }

    pub fn number(&self, name: &str) -> Option<u64> {
        let text = self.said(name)?;
        std::str::from_utf8(&text).ok()?.parse().ok()
    }

    /// Adds a column, or puts another value in its place.
    pub fn set(&mut self, name: &'static str, value: Vec<u8>) {
        self.added.retain(|(added, _)| *added != name);
        self.added.push((name, value));
    }

    pub fn is_json(&self) -> bool {
        matches!(self.columns, Columns::Json(_))
    }

    /// Names of all its columns, in their order.
    pub fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        let mut add = |name: &str| {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        };
        match &self.columns {
            Columns::Plain(columns) => columns.iter().for_each(|(name, _, _)| add(name)),
            Columns::Json(at) => {
                add("urlkey");
                add("timestamp");
                json::members(&self.line[*at..], &mut |name, _| {
                    add(column_name(&String::from_utf8_lossy(name)));
                });
            }
        }
        self.added.iter().for_each(|(name, _)| add(name));
        names
    }

    /// The row as a line: as it stands in the file, with what was found out since.
    pub fn text(&self) -> Vec<u8> {
        if self.added.is_empty() {
            return self.line.clone();
        }
        match &self.columns {
            Columns::Plain(columns) => self.columns_text(columns),
            Columns::Json(at) => self.json_text(*at),
        }
    }

    fn columns_text(&self, columns: &[(&'static str, usize, usize)]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut at = 0;
        for (name, start, end) in columns {
            let value = self.get(name).unwrap_or_default();
            out.extend_from_slice(&self.line[at..*start]);
            out.extend_from_slice(&value);
            at = *end;
        }
        out.extend_from_slice(&self.line[at..]);
        let is_new = |name: &&'static str| !columns.iter().any(|(known, _, _)| known == name);
        for (name, value) in &self.added {
            if is_new(name) {
                out.push(b' ');
                out.extend_from_slice(value);
            }
        }
        out
    }

    fn json_text(&self, at: usize) -> Vec<u8> {
        let mut out = self.line[..at].to_vec();
        push_object(
            &mut out,
            self.names().iter().filter_map(|name| {
                let is_before = at > 0 && matches!(name.as_str(), "urlkey" | "timestamp");
                let value = self.get(name).filter(|_| !is_before)?;
                Some((name.as_bytes(), value))
            }),
        );
        out
    }
}

/// Writes texts as one JSON object.
pub fn push_object<'a>(
    out: &mut Vec<u8>,
    members: impl Iterator<Item = (&'a [u8], Cow<'a, [u8]>)>,
) {
    out.push(b'{');
    for (at, (name, value)) in members.enumerate() {
        if at > 0 {
            out.extend_from_slice(b", ");
        }
        json::push_ascii(out, name);
        out.extend_from_slice(b": ");
        json::push_ascii(out, &value);
    }
    out.push(b'}');
}

/// The URL that a key stands for, for indexes that say no other.
pub fn url_of_key(key: &[u8]) -> Vec<u8> {
    let Some(bracket) = memchr::memchr(b')', key) else {
        return key.to_vec();
    };
    let (host, path) = (&key[..bracket], &key[bracket + 1..]);
    let (labels, port) = match memchr::memchr(b':', host) {
        Some(colon) => host.split_at(colon),
        None => (host, &b""[..]),
    };
    let mut labels: Vec<&[u8]> = labels.split(|&byte| byte == b',').collect();
    labels.retain(|label| !label.is_empty());
    labels.reverse();
    [b"http://", &labels.join(&b'.')[..], port, path].concat()
}

/// Where the key of a CDXJ line ends and its object begins. Keys may hold blanks and brackets of their own.
fn json_start(line: &[u8]) -> Option<(usize, usize)> {
    let mut from = 0;
    while let Some(found) = memchr::memmem::find(line.get(from..)?, b" {") {
        let at = from + found;
        let before = line[..at].trim_ascii_end();
        let key_end = memchr::memrchr(b' ', before);
        if let Some(key_end) = key_end
            && key_end > 0
            && is_timestamp(&before[key_end + 1..])
        {
            return Some((key_end, at + 1));
        }
        from = at + 1;
    }
    None
}

fn is_timestamp(text: &[u8]) -> bool {
    (4..=17).contains(&text.len()) && text.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(line: &str) -> Row {
        match Line::parse(line.as_bytes(), &Layout::default()) {
            Line::Row(row) => row,
            other => panic!("{line}: {other:?}"),
        }
    }

    fn text(row: &Row, name: &str) -> Option<String> {
        row.get(name)
            .map(|value| String::from_utf8_lossy(&value).into_owned())
    }

    #[test]
    fn columns_are_known_by_their_number() {
        let cases = [
            (
                "a,b)/ 20200102030405 http://b.a/ text/html 200 ABC",
                None,
                None,
            ),
            (
                "a,b)/ 20200102030405 http://b.a/ text/html 200 ABC 77",
                None,
                Some("77"),
            ),
            (
                "a,b)/ 20200102030405 http://b.a/ text/html 200 ABC 9 f.warc",
                Some("9"),
                None,
            ),
            (
                "a,b)/ 20200102030405 http://b.a/ text/html 200 ABC - 9 f.warc",
                Some("9"),
                None,
            ),
            (
                "a,b)/ 20200102030405 http://b.a/ text/html 200 ABC - - 9 f.warc",
                Some("9"),
                None,
            ),
            (
                "a,b)/ 20200102030405 http://b.a/ text/html 200 ABC - - 77 9 f.warc",
                Some("9"),
                Some("77"),
            ),
        ];
        for (line, offset, length) in cases {
            let row = row(line);
            assert_eq!(text(&row, "digest").as_deref(), Some("ABC"), "{line}");
            assert_eq!(text(&row, "statuscode").as_deref(), Some("200"), "{line}");
            assert_eq!(text(&row, "offset").as_deref(), offset, "{line}");
            assert_eq!(text(&row, "length").as_deref(), length, "{line}");
        }
    }

    #[test]
    fn a_header_line_names_the_columns_and_their_separator() {
        let header = Line::parse(b"\tCDX\tA\tb\ta\tm\ts\tV\tg", &Layout::default());
        let Line::Header(layout) = header else {
            panic!("{header:?}")
        };
        let line = b"b.a/x y\t2020\thttp://b.a/x y\ttext/html\t200\t5\tf.arc";
        let Line::Row(row) = Line::parse(line, &layout) else {
            panic!("no row")
        };
        assert_eq!(row.key, b"b.a/x y");
        assert_eq!(text(&row, "filename").as_deref(), Some("f.arc"));
        assert!(matches!(Line::parse(b"a\t2020", &layout), Line::Bad(_)));
        assert_eq!(Layout::of_header(b" CDX N"), None);
    }

    #[test]
    fn keys_with_brackets_do_not_hide_where_the_object_begins() {
        let row = row(
            r#"a,b)/p?l={"x": {} 1} 20200102030405 {"url": "http://b.a/p", "mime_type": "t\/x"}"#,
        );
        assert_eq!(row.key, br#"a,b)/p?l={"x": {} 1}"#);
        assert_eq!(text(&row, "mime").as_deref(), Some("t/x"));
        assert_eq!(
            text(&row, "urlkey").as_deref(),
            Some(r#"a,b)/p?l={"x": {} 1}"#)
        );
    }

    #[test]
    fn what_is_no_row_says_what_was_expected() {
        for line in [
            "a,b)/",
            "a,b)/ 20200102030405",
            "a,b)/ 2020010203x405 http://b.a/ text/html 200 ABC",
            "a,b)/ 20200102030405 {\"url\": }",
            "{\"url\": \"x\"}",
        ] {
            let read = Line::parse(line.as_bytes(), &Layout::default());
            assert!(matches!(read, Line::Bad(_)), "{line}: {read:?}");
        }
        for line in ["", "  ", "!meta 0 {}", "!context [\"x\"]", "# x"] {
            assert_eq!(
                Line::parse(line.as_bytes(), &Layout::default()),
                Line::Remark
            );
        }
    }

    #[test]
    fn what_was_found_out_is_written_where_it_belongs() {
        let mut plain = row("a,b)/ 20200102030405 http://b.a/ warc/revisit - ABC - - 77 9 f.warc");
        plain.set("mime", b"text/html".to_vec());
        plain.set("orig.length", b"5".to_vec());
        assert_eq!(
            plain.text(),
            b"a,b)/ 20200102030405 http://b.a/ text/html - ABC - - 77 9 f.warc 5"
        );
        let mut json =
            row(r#"a,b)/ 20200102030405 {"url": "http://b.a/", "mime": "warc/revisit"}"#);
        json.set("mime", b"text/html".to_vec());
        json.set("orig.length", b"5".to_vec());
        assert_eq!(
            String::from_utf8_lossy(&json.text()),
            r#"a,b)/ 20200102030405 {"url": "http://b.a/", "mime": "text/html", "orig.length": "5"}"#
        );
    }
}
