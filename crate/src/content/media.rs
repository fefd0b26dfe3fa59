//! Media type by content: the marks by which browsers and `file` know data.

use memchr::memmem;

/// Bytes at a place, `?` standing for any, and what they mean.
type Mark = (usize, &'static [u8], &'static str);

const MARKS: &[Mark] = &[
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (0, b"RIFF????WEBP", "image/webp"),
    (0, b"RIFF????WAVE", "audio/wav"),
    (0, b"RIFF????AVI ", "video/x-msvideo"),
    (4, b"ftypavif", "image/avif"),
    (4, b"ftypavis", "image/avif"),
    (4, b"ftypheic", "image/heic"),
    (4, b"ftypmif1", "image/heif"),
    (4, b"ftypM4A", "audio/mp4"),
    (4, b"ftypqt", "video/quicktime"),
    (4, b"ftyp", "video/mp4"),
    (4, b"styp", "video/mp4"),
    (0, b"\xff\x0a", "image/jxl"),
    (0, b"\0\0\0\x0cJXL \r\n\x87\n", "image/jxl"),
    (0, b"\0\0\x01\0", "image/x-icon"),
    (0, b"\0\0\x02\0", "image/x-icon"),
    (0, b"II*\0", "image/tiff"),
    (0, b"MM\0*", "image/tiff"),
    (0, b"BM????\0\0\0\0", "image/bmp"),
    (0, b"8BPS", "image/vnd.adobe.photoshop"),
    (0, b"%PDF-", "application/pdf"),
    (0, b"%!PS-Adobe-", "application/postscript"),
    (0, b"OggS", "application/ogg"),
    (0, b"fLaC", "audio/flac"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"\xff\xfb", "audio/mpeg"),
    (0, b"\xff\xf3", "audio/mpeg"),
    (0, b"\xff\xf1", "audio/aac"),
    (0, b"\xff\xf9", "audio/aac"),
    (0, b"MThd", "audio/midi"),
    (0, b"FORM????AIFF", "audio/aiff"),
    (0, b".snd", "audio/basic"),
    (0, b"FLV\x01", "video/x-flv"),
    (0, b"\0\0\x01\xba", "video/mpeg"),
    (0, b"\0\0\x01\xb3", "video/mpeg"),
    (0, b"wOFF", "font/woff"),
    (0, b"wOF2", "font/woff2"),
    (0, b"OTTO", "font/otf"),
    (0, b"\0\x01\0\0\0", "font/ttf"),
    (0, b"ttcf", "font/collection"),
    (0, b"\0asm", "application/wasm"),
    (0, b"FWS", "application/x-shockwave-flash"),
    (0, b"CWS", "application/x-shockwave-flash"),
    (0, b"ZWS", "application/x-shockwave-flash"),
    (0, b"\x1f\x8b\x08", "application/gzip"),
    (0, b"PK\x03\x04", "application/zip"),
    (0, b"PK\x05\x06", "application/zip"),
    (0, b"Rar!\x1a\x07", "application/vnd.rar"),
    (0, b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (0, b"BZh?1AY&SY", "application/x-bzip2"),
    (0, b"\xfd7zXZ\0", "application/x-xz"),
    (0, b"\x28\xb5\x2f\xfd", "application/zstd"),
    (257, b"ustar", "application/x-tar"),
    (0, b"SQLite format 3\0", "application/vnd.sqlite3"),
    (
        0,
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "application/x-ole-storage",
    ),
];

/// Marks of text, at its beginning without blanks, in any case; those with `<` end at a blank or `>`.
const TEXT_MARKS: &[(&[u8], &str)] = &[
    (b"<!doctype html", "text/html"),
    (b"<html", "text/html"),
    (b"<head", "text/html"),
    (b"<script", "text/html"),
    (b"<iframe", "text/html"),
    (b"<h1", "text/html"),
    (b"<div", "text/html"),
    (b"<font", "text/html"),
    (b"<table", "text/html"),
    (b"<a", "text/html"),
    (b"<style", "text/html"),
    (b"<title", "text/html"),
    (b"<b", "text/html"),
    (b"<body", "text/html"),
    (b"<br", "text/html"),
    (b"<p", "text/html"),
    (b"<meta", "text/html"),
    (b"<link", "text/html"),
    (b"<svg", "image/svg+xml"),
    (b"<rss", "application/rss+xml"),
    (b"<feed", "application/atom+xml"),
    (b"<urlset", "application/xml"),
    (b"<sitemapindex", "application/xml"),
];

/// Data that is not text and shows by its first bytes what it is.
fn mark(start: &[u8]) -> Option<&'static str> {
    if start.starts_with(b"\x1a\x45\xdf\xa3") {
        let known = &start[..start.len().min(64)];
        let is_webm = memmem::find(known, b"webm").is_some();
        return Some(if is_webm {
            "video/webm"
        } else {
            "video/x-matroska"
        });
    }
    let fits = |(at, bytes, _): &&Mark| {
        start
            .get(*at..at + bytes.len())
            .is_some_and(|found| found.iter().zip(*bytes).all(|(a, b)| a == b || *b == b'?'))
    };
    MARKS.iter().find(fits).map(|(_, _, name)| *name)
}

/// Whether data shows by its first bytes that it is of some known kind other than text.
pub fn has_mark(start: &[u8]) -> bool {
    mark(start).is_some()
}

/// Whether data could be text: no control characters but those that text has.
pub fn is_text(start: &[u8]) -> bool {
    let is_control = |byte: &u8| {
        *byte < 0x20 && !matches!(byte, b'\t' | b'\n' | 0x0c | b'\r' | 0x1b) || *byte == 0x7f
    };
    !start.iter().any(is_control)
}

/// The media type that the first bytes show, by the rules of browsers where they have any; none for no bytes.
pub fn sniff(start: &[u8]) -> Option<&'static str> {
    if start.is_empty() {
        return None;
    }
    if let Some(name) = mark(start) {
        return Some(name);
    }
    let is_utf16 = start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff");
    if is_utf16 {
        return Some("text/plain");
    }
    if !is_text(start) {
        return Some("application/octet-stream");
    }
    Some(sniff_text(start))
}

fn sniff_text(start: &[u8]) -> &'static str {
    let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    let mut text = text.trim_ascii_start();
    let is_xml = starts_with(text, b"<?xml");
    // Comments, processing instructions and other document types go ahead of what shows the kind.
    while text.starts_with(b"<?")
        || text.starts_with(b"<!") && !starts_with(text, b"<!doctype html")
    {
        let (end, length) = if text.starts_with(b"<!--") {
            (memmem::find(text, b"-->"), 3)
        } else {
            (memmem::find(text, b">"), 1)
        };
        match end {
            Some(end) => text = text[end + length..].trim_ascii_start(),
            None => break,
        }
    }
    let tag = TEXT_MARKS.iter().find(|(mark, _)| {
        starts_with(text, mark)
            && text
                .get(mark.len())
                .is_none_or(|byte| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/'))
    });
    match (tag, text.first()) {
        (Some((_, "text/html")), _) if is_xml && starts_with(text, b"<html") => {
            "application/xhtml+xml"
        }
        (Some((_, name)), _) => name,
        (None, _) if is_xml => "application/xml",
        (None, Some(b'<')) if start.starts_with(b"<!--") => "text/html",
        (None, Some(b'{' | b'[')) if is_like_json(text) => "application/json",
        (None, _) if starts_with(text, b"WEBVTT") => "text/vtt",
        (None, _) if starts_with(text, b"#EXTM3U") => "application/vnd.apple.mpegurl",
        _ => "text/plain",
    }
}

fn starts_with(text: &[u8], prefix: &[u8]) -> bool {
    text.get(..prefix.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

/// After the bracket comes what can stand in JSON there, and not in a style sheet or a script.
fn is_like_json(text: &[u8]) -> bool {
    let inner = text[1..].trim_ascii_start();
    match (text[0], inner.first()) {
        (_, None) => true,
        (b'{', Some(first)) => matches!(first, b'"' | b'}'),
        (_, Some(first)) => {
            matches!(first, b'"' | b'{' | b'[' | b']' | b'-' | b'0'..=b'9')
                || [&b"true"[..], b"false", b"null"]
                    .iter()
                    .any(|word| inner.starts_with(word))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_types_show_in_the_first_bytes() {
        for (start, expected) in [
            (&b"\x89PNG\r\n\x1a\n\0\0"[..], "image/png"),
            (b"RIFF\x10\0\0\0WEBPVP8 ", "image/webp"),
            (b"\0\0\0\x20ftypisom", "video/mp4"),
            (b"\x1a\x45\xdf\xa3\x01\0\0\x42\x82\x84webm", "video/webm"),
            (b"%PDF-1.7", "application/pdf"),
            (b"wOF2\0\x01\0\0", "font/woff2"),
            (b"  <!DOCTYPE HTML PUBLIC", "text/html"),
            (b"<!-- hello --><html>", "text/html"),
            (b"<!-- only a comment", "text/html"),
            (b"<p>one</p>", "text/html"),
            (b"<path>", "text/plain"),
            (
                b"<?xml version=\"1.0\"?><!-- x --><svg xmlns=\"\">",
                "image/svg+xml",
            ),
            (
                b"<?xml version=\"1.0\"?>\n<!DOCTYPE svg PUBLIC \"a\" \"b\">\n<svg>",
                "image/svg+xml",
            ),
            (
                b"<?xml version='1.0'?><rss version='2.0'>",
                "application/rss+xml",
            ),
            (b"<?xml version='1.0'?><html>", "application/xhtml+xml"),
            (b"<?xml version='1.0'?><other/>", "application/xml"),
            (b"\xef\xbb\xbf{\"a\": 1}", "application/json"),
            (b"[1, 2]", "application/json"),
            (b"{ color: red }", "text/plain"),
            (b"[class~=x] { }", "text/plain"),
            (b"WEBVTT\n\n", "text/vtt"),
            (b"hello\n", "text/plain"),
            (b"\xff\xfeh\0i\0", "text/plain"),
            (b"\0\x05\x06\x07\x08", "application/octet-stream"),
        ] {
            assert_eq!(sniff(start), Some(expected), "{start:?}");
        }
        assert_eq!(sniff(b""), None);
    }
}
