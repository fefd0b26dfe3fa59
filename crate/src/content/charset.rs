//! Which character set a text is in, and how that is known.
//!
//! In the order in which browsers believe it: a byte order mark, the HTTP header, the document itself, a guess.

use memchr::{memchr, memmem};

use super::guess::guess;
use super::labels::named;
use crate::limits::CHARSET_META_BYTES;

/// How a character set is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CharsetBy {
    /// A byte order mark.
    Mark,
    /// The content type of the record.
    Header,
    /// `<meta>`, `<?xml?>` or `@charset` in the text.
    Document,
    /// Frequencies of bytes.
    Guess,
}

impl CharsetBy {
    pub fn name(self) -> &'static str {
        match self {
            CharsetBy::Mark => "bom",
            CharsetBy::Header => "header",
            CharsetBy::Document => "meta",
            CharsetBy::Guess => "guess",
        }
    }
}

/// The character set of a text that begins with `start`. `content_type` is what the record states of it, with
/// parameters. Names are those of `TextDecoder`.
pub fn charset(content_type: Option<&[u8]>, start: &[u8]) -> (&'static str, CharsetBy) {
    if let Some(name) = mark(start) {
        return (name, CharsetBy::Mark);
    }
    let stated = content_type
        .and_then(|value| parameter(value, b"charset"))
        .and_then(|label| named(&label));
    if let Some(name) = stated {
        return (name, CharsetBy::Header);
    }
    match in_document(&start[..start.len().min(CHARSET_META_BYTES)]) {
        Some(name) => (name, CharsetBy::Document),
        None => (guess(start), CharsetBy::Guess),
    }
}

fn mark(start: &[u8]) -> Option<&'static str> {
    match start {
        [0xef, 0xbb, 0xbf, ..] => Some("utf-8"),
        [0xff, 0xfe, ..] => Some("utf-16le"),
        [0xfe, 0xff, ..] => Some("utf-16be"),
        _ => None,
    }
}

/// A parameter of a content type, quoted or not.
pub fn parameter(content_type: &[u8], name: &[u8]) -> Option<Vec<u8>> {
    let mut rest = content_type;
    while let Some(at) = memchr(b';', rest) {
        rest = rest[at + 1..].trim_ascii_start();
        let Some(value) = rest
            .get(..name.len())
            .filter(|known| known.eq_ignore_ascii_case(name))
            .and_then(|_| rest[name.len()..].trim_ascii_start().strip_prefix(b"="))
        else {
            continue;
        };
        let value = value.trim_ascii_start();
        let value = match value.first() {
            Some(quote @ (b'"' | b'\'')) => value[1..].split(|byte| byte == quote).next(),
            _ => value
                .split(|byte| matches!(byte, b';' | b',') || byte.is_ascii_whitespace())
                .next(),
        };
        return value.map(|value| value.trim_ascii().to_vec());
    }
    None
}

/// What the text says of itself. A text that could be read so far is not UTF-16, whatever it says.
fn in_document(text: &[u8]) -> Option<&'static str> {
    let label = in_xml(text)
        .or_else(|| in_css(text))
        .or_else(|| in_metas(text))?;
    match named(&label)? {
        "utf-16le" | "utf-16be" => Some("utf-8"),
        "x-user-defined" => Some("windows-1252"),
        name => Some(name),
    }
}

fn in_xml(text: &[u8]) -> Option<Vec<u8>> {
    let text = text.trim_ascii_start().strip_prefix(b"<?xml")?;
    let text = &text[..memchr(b'>', text)?];
    quoted_after(text, b"encoding")
}

fn in_css(text: &[u8]) -> Option<Vec<u8>> {
    let text = text.strip_prefix(b"@charset \"")?;
    Some(text[..memchr(b'"', text)?].to_vec())
}

/// The value of `name="value"`.
fn quoted_after(text: &[u8], name: &[u8]) -> Option<Vec<u8>> {
    let rest = text[memmem::find(text, name)? + name.len()..].trim_ascii_start();
    let rest = rest.strip_prefix(b"=")?.trim_ascii_start();
    let quote = *rest.first().filter(|byte| matches!(byte, b'"' | b'\''))?;
    let rest = &rest[1..];
    Some(rest[..memchr(quote, rest)?].to_vec())
}

/// `<meta charset=...>`, and `<meta http-equiv=... content="...; charset=...">`. What is in comments does not count.
fn in_metas(text: &[u8]) -> Option<Vec<u8>> {
    let lower = text.to_ascii_lowercase();
    let mut at = 0;
    while let Some(found) = memchr(b'<', &lower[at..]) {
        at += found;
        let rest = &lower[at..];
        if rest.starts_with(b"<!--") {
            at += 2 + memmem::find(&rest[2..], b"-->")?;
            continue;
        }
        at += 1;
        let is_meta = rest.starts_with(b"<meta")
            && rest
                .get(5)
                .is_some_and(|byte| byte.is_ascii_whitespace() || *byte == b'/');
        if !is_meta {
            continue;
        }
        let tag = &rest[5..memchr(b'>', rest).unwrap_or(rest.len())];
        if let Some(label) = in_meta(tag) {
            return Some(label);
        }
    }
    None
}

fn in_meta(tag: &[u8]) -> Option<Vec<u8>> {
    let mut rest = tag;
    while let Some(found) = memmem::find(rest, b"charset") {
        rest = rest[found + b"charset".len()..].trim_ascii_start();
        let Some(value) = rest.strip_prefix(b"=") else {
            continue;
        };
        let value = value.trim_ascii_start();
        let value = value
            .strip_prefix(b"\"")
            .or_else(|| value.strip_prefix(b"'"))
            .unwrap_or(value);
        let is_end = |byte: &u8| {
            matches!(byte, b'"' | b'\'' | b';' | b'>' | b'/') || byte.is_ascii_whitespace()
        };
        let end = value.iter().position(is_end).unwrap_or(value.len());
        if end > 0 && named(&value[..end]).is_some() {
            return Some(value[..end].to_vec());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(content_type: &str, start: &str) -> (&'static str, &'static str) {
        let (name, by) = charset(Some(content_type.as_bytes()), start.as_bytes());
        (name, by.name())
    }

    #[test]
    fn marks_come_before_headers_and_these_before_documents() {
        let document = "<meta charset=koi8-r><p>";
        assert_eq!(
            of("text/html; charset=big5", "\u{feff}<meta charset=koi8-r>"),
            ("utf-8", "bom")
        );
        assert_eq!(
            of("text/html; Charset=\"Big5\"", document),
            ("big5", "header")
        );
        assert_eq!(
            of("text/html;charset='x-sjis'; a=b", document),
            ("shift_jis", "header")
        );
        assert_eq!(
            of("text/html; a=charset; charset = latin1 ", document),
            ("windows-1252", "header")
        );
        assert_eq!(
            of("text/html; charset=nonsense", document),
            ("koi8-r", "meta")
        );
        assert_eq!(of("text/html", document), ("koi8-r", "meta"));
        assert_eq!(of("text/html", "<p>plain"), ("utf-8", "guess"));
        assert_eq!(charset(None, b"\xff\xfeh\0"), ("utf-16le", CharsetBy::Mark));
    }

    #[test]
    fn documents_state_it_in_several_ways() {
        for (text, expected) in [
            (
                "<?xml version=\"1.0\" encoding='ISO-8859-7'?>",
                "iso-8859-7",
            ),
            ("@charset \"gb2312\";", "gbk"),
            (
                "<META HTTP-EQUIV=Content-Type CONTENT='text/html; CHARSET=euc-kr'>",
                "euc-kr",
            ),
            (
                "<!-- <meta charset=big5> --><meta charset=\"sjis\" />",
                "shift_jis",
            ),
            (
                "<metadata charset=big5><meta name=a content=b><meta charset=utf-16>",
                "utf-8",
            ),
            (
                "<meta name='charset' content='none'><meta charset=tis-620>",
                "windows-874",
            ),
        ] {
            assert_eq!(of("text/html", text), (expected, "meta"), "{text}");
        }
        assert_eq!(of("", "<meta charset"), ("utf-8", "guess"));
        assert_eq!(of("", "<!-- <meta charset=big5>"), ("utf-8", "guess"));
    }
}
