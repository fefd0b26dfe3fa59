//! The head of an HTTP message, as servers and crawlers really wrote it.
//!
//!   head := start-line CRLF field* CRLF
//! Dumps of HTTP/2 have no start line but fields such as `:status`.

use std::borrow::Cow;

use memchr::memchr;

use super::warc::{Fields, has_prefix};

/// What responses begin with, and requests in a dump of HTTP/2.
const RESPONSE_STARTS: &[&[u8]] = &[b"HTTP/", b":status:"];
const REQUEST_STARTS: &[&[u8]] = &[b":method:", b":authority:", b":scheme:", b":path:"];

/// A parsed HTTP header block.
#[derive(Clone, Debug, Default)]
pub struct HttpHead {
    /// The block as it stands in the record, with the blank line that ends it.
    pub raw: Vec<u8>,
    fields: Fields,
    start_end: usize,
    /// The body that follows is content already, whatever the fields say of how it was sent.
    pub is_decoded: bool,
}

impl HttpHead {
    /// The head that these bytes are.
    pub fn of(raw: Vec<u8>) -> HttpHead {
        let mut head = HttpHead {
            raw,
            ..HttpHead::default()
        };
        head.parse();
        head
    }

    /// The head of a message of another format, whose body is content already.
    pub fn made(text: Vec<u8>) -> HttpHead {
        HttpHead {
            is_decoded: true,
            ..HttpHead::of(text)
        }
    }

    /// Reads what is in `raw`. Returns false where a line is no header field.
    pub fn parse(&mut self) -> bool {
        self.start_end = if self.raw.starts_with(b":") {
            0
        } else {
            memchr(b'\n', &self.raw).map_or(self.raw.len(), |at| at + 1)
        };
        self.fields.parse(&self.raw, self.start_end)
    }

    pub fn start_line(&self) -> &[u8] {
        self.raw[..self.start_end].trim_ascii()
    }

    pub fn is_response(&self) -> bool {
        RESPONSE_STARTS
            .iter()
            .any(|start| has_prefix(&self.raw, start))
    }

    /// How something is asked for, absent in a response.
    pub fn method(&self) -> Option<&[u8]> {
        if self.is_response() {
            return None;
        }
        if self.start_end == 0 {
            return self.fields.get_raw(&self.raw, ":method");
        }
        let mut words = self.start_line().split(|&byte| byte == b' ');
        words.next().filter(|method| !method.is_empty())
    }

    /// The status as it stands, absent in a request.
    pub fn status(&self) -> Option<&[u8]> {
        if !self.is_response() {
            return None;
        }
        if self.start_end == 0 {
            return self.fields.get_raw(&self.raw, ":status");
        }
        self.start_line()
            .split(|&byte| byte == b' ')
            .skip(1)
            .find(|part| !part.is_empty())
    }

    /// The status where it is a number of HTTP.
    pub fn status_number(&self) -> Option<u16> {
        let text = std::str::from_utf8(self.status()?).ok()?;
        text.parse().ok().filter(|status| *status < 1000)
    }

    pub fn get(&self, name: &str) -> Option<Vec<u8>> {
        self.fields.get(&self.raw, name)
    }

    /// The same, copied only where there are folds.
    pub fn value(&self, name: &str) -> Option<Cow<'_, [u8]>> {
        self.fields.value(&self.raw, name)
    }

    /// All values of that name as one list, as HTTP lets them be joined.
    pub fn list(&self, name: &str) -> Vec<u8> {
        let values: Vec<_> = self
            .fields()
            .filter(|(known, _)| known.eq_ignore_ascii_case(name.as_bytes()))
            .map(|(_, value)| value)
            .collect();
        values.join(&b","[..])
    }

    pub fn fields(&self) -> impl Iterator<Item = (&[u8], Vec<u8>)> {
        self.fields.iter(&self.raw)
    }
}

/// Whether a block could start with an HTTP head. `None` while too little of it is known.
pub fn looks_like_http(start: &[u8], is_request: bool) -> Option<bool> {
    let begins = |name: &&[u8]| {
        let known = start.len().min(name.len());
        let fits = start[..known].eq_ignore_ascii_case(&name[..known]);
        (!fits || known == name.len()).then_some(fits)
    };
    if !is_request || start.starts_with(b":") {
        let names = if is_request {
            REQUEST_STARTS
        } else {
            RESPONSE_STARTS
        };
        let mut known = names.iter().map(begins);
        return match known.clone().any(|begins| begins == Some(true)) {
            true => Some(true),
            false if known.any(|begins| begins.is_none()) => None,
            false => Some(false),
        };
    }
    match start.iter().position(|byte| !byte.is_ascii_uppercase()) {
        Some(at) => Some(at > 0 && start[at] == b' '),
        None if start.len() > 32 => Some(false),
        None => None,
    }
}

/// Media type in lower case without its parameters.
pub fn media_type(content_type: &[u8]) -> Vec<u8> {
    bare_type(content_type).to_ascii_lowercase()
}

/// The same in the case in which it stands.
pub fn bare_type(content_type: &[u8]) -> &[u8] {
    let end = memchr(b';', content_type).unwrap_or(content_type.len());
    content_type[..end].trim_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(line: &str) -> Option<String> {
        let head = HttpHead::of(format!("{line}\r\nA: b\r\n\r\n").into_bytes());
        head.status()
            .map(|text| String::from_utf8_lossy(text).into_owned())
    }

    #[test]
    fn a_status_is_read_from_odd_lines_too() {
        assert_eq!(status("HTTP/1.1 200 OK").as_deref(), Some("200"));
        assert_eq!(status("HTTP/1.1  404").as_deref(), Some("404"));
        assert_eq!(status("http/1.0 302").as_deref(), Some("302"));
        assert_eq!(status("HTTP/1.1"), None);
        assert_eq!(status("GET / HTTP/1.1"), None);
    }

    #[test]
    fn dumps_of_http_2_are_read() {
        let head = HttpHead::of(b":status: 404\r\ncontent-type: text/css\r\n\r\n".to_vec());
        assert!(head.is_response());
        assert_eq!(head.status_number(), Some(404));
        assert_eq!(head.start_line(), b"");
        assert_eq!(head.get("Content-Type").as_deref(), Some(&b"text/css"[..]));
        let head = HttpHead::of(b":method: GET\r\n:path: /a:b\r\n\r\n".to_vec());
        assert_eq!(head.get(":path").as_deref(), Some(&b"/a:b"[..]));
    }

    #[test]
    fn blocks_are_told_apart_by_their_first_bytes() {
        assert_eq!(looks_like_http(b"HTTP/1.1 200", false), Some(true));
        assert_eq!(looks_like_http(b"HT", false), None);
        assert_eq!(looks_like_http(b"<html>", false), Some(false));
        assert_eq!(looks_like_http(b"POST /", true), Some(true));
        assert_eq!(looks_like_http(b"PO", true), None);
        assert_eq!(looks_like_http(b"\x00\x01", true), Some(false));
        assert_eq!(looks_like_http(b":sta", false), None);
        assert_eq!(looks_like_http(b":status: 200", false), Some(true));
        assert_eq!(looks_like_http(b":path: /", true), Some(true));
        assert_eq!(looks_like_http(b":state", true), Some(false));
    }
}
