//! What a payload is, judged by what its record says of it and by its first bytes.

mod charset;
mod guess;
mod labels;
mod media;

pub use charset::{CharsetBy, charset};
pub use media::{has_mark, is_text, sniff};

use crate::archive::{HttpHead, RecordType, WarcHead, media_type};
use crate::json::Line;

/// How a media type is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MediaBy {
    /// The content type of the HTTP header, or of the record where there is no HTTP.
    Header,
    /// `WARC-Identified-Payload-Type`, which the crawler found out.
    Identified,
    /// The first bytes.
    Sniffed,
}

impl MediaBy {
    pub fn name(self) -> &'static str {
        match self {
            MediaBy::Header => "header",
            MediaBy::Identified => "identified",
            MediaBy::Sniffed => "sniffed",
        }
    }
}

/// What a payload is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// Media type in lower case without parameters, and how it is known.
    pub media: Option<(Vec<u8>, MediaBy)>,
    /// Media type that the first bytes show; absent where there are none.
    pub sniffed: Option<&'static str>,
    /// Character set of text, by the name that `TextDecoder` has for it, and how it is known.
    pub charset: Option<(&'static str, CharsetBy)>,
}

impl Description {
    /// Of the payload of a record that begins with `start`, decoded: some kilobytes are enough.
    pub fn of_record(head: &WarcHead, http: Option<&HttpHead>, start: &[u8]) -> Description {
        let stated = match http {
            Some(http) if http.is_response() || head.kind() == RecordType::Request => {
                http.get("Content-Type")
            }
            _ => head.get("Content-Type"),
        };
        let identified = head.get("WARC-Identified-Payload-Type");
        Description::new(stated.as_deref(), identified.as_deref(), start)
    }

    pub fn new(stated: Option<&[u8]>, identified: Option<&[u8]>, start: &[u8]) -> Description {
        let sniffed = sniff(start);
        let named = |value: Option<&[u8]>, by| {
            let name = media_type(value?);
            is_media_type(&name).then_some((name, by))
        };
        let by_content = || sniffed.map(|name| (name.as_bytes().to_vec(), MediaBy::Sniffed));
        let media = named(stated, MediaBy::Header)
            .or_else(|| named(identified, MediaBy::Identified))
            .or_else(by_content);
        // What shows that it is no text has no character set, whatever its header says.
        let is_text = sniffed.is_some() && !has_mark(start) && sniffed != Some(BYTES);
        Description {
            media,
            sniffed,
            charset: is_text.then(|| charset(stated, start)),
        }
    }

    /// For the record detail:
    ///
    ///   {"media":T,"media_by":"header"|"identified"|"sniffed","sniffed":T,
    ///    "charset":T,"charset_by":"bom"|"header"|"meta"|"guess"}
    /// The first two are absent where nothing tells the media type, `sniffed` where there is no payload, and the last
    /// two where the payload is no text.
    pub fn json(&self) -> String {
        let mut line = Line::new();
        if let Some((name, by)) = &self.media {
            line.string("media", name);
            line.string("media_by", by.name().as_bytes());
        }
        line.optional("sniffed", self.sniffed.map(str::as_bytes));
        if let Some((name, by)) = self.charset {
            line.string("charset", name.as_bytes());
            line.string("charset_by", by.name().as_bytes());
        }
        line.end()
    }
}

/// What is neither text nor known.
const BYTES: &str = "application/octet-stream";

/// `type/subtype` that means something. Servers that know nothing send `*/*`, `unknown` and the like.
pub(crate) fn is_media_type(name: &[u8]) -> bool {
    let is_token = |part: &[u8]| {
        !part.is_empty()
            && part
                .iter()
                .all(|byte| byte.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(byte))
    };
    let mut parts = name.splitn(2, |byte| *byte == b'/');
    let (kind, rest) = (parts.next(), parts.next());
    kind.is_some_and(is_token)
        && rest.is_some_and(is_token)
        && !matches!(
            name,
            b"unknown/unknown"
                | b"application/unknown"
                | b"application/x-unknown"
                | b"content/unknown"
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_come_first_then_what_the_crawler_found_then_the_bytes() {
        let of = |stated: &str, identified: &str, start: &[u8]| {
            let (stated, identified) = (stated.as_bytes(), identified.as_bytes());
            Description::new(Some(stated), Some(identified), start).json()
        };
        assert_eq!(
            of("Text/HTML; charset=latin1", "image/png", b"<p>one"),
            "{\"media\":\"text/html\",\"media_by\":\"header\",\"sniffed\":\"text/html\",\
             \"charset\":\"windows-1252\",\"charset_by\":\"header\"}\n"
        );
        for stated in [
            "",
            "unknown",
            "*/*",
            "text",
            "application/unknown",
            "; charset=x",
        ] {
            assert_eq!(
                of(stated, "image/png", b"\x89PNG\r\n\x1a\n"),
                "{\"media\":\"image/png\",\"media_by\":\"identified\",\"sniffed\":\"image/png\"}\n",
                "{stated}"
            );
        }
        assert_eq!(
            of("", "", b"GIF89a"),
            "{\"media\":\"image/gif\",\"media_by\":\"sniffed\",\"sniffed\":\"image/gif\"}\n"
        );
        assert_eq!(of("", "", b""), "{}\n");
        // A lying header is believed in name, and the truth is told beside it.
        assert_eq!(
            of("text/html; charset=utf-8", "", b"\xff\xd8\xff\xe0"),
            "{\"media\":\"text/html\",\"media_by\":\"header\",\"sniffed\":\"image/jpeg\"}\n"
        );
    }
}
