//! Reads JSON, whole or not: the texts in it that are meant for people, a line each.

use memchr::{memchr, memchr2};

use super::links::Links;
use super::text::Lines;
use crate::document::{Document, DocumentKind, LinkKind};

pub fn read(text: &str) -> Document {
    let (mut lines, mut links) = (Lines::default(), Links::default());
    let mut rest = text;
    while let Some(start) = memchr(b'"', rest.as_bytes()) {
        rest = &rest[start + 1..];
        let end = end_of_string(rest.as_bytes());
        let (string, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after.get(1..).unwrap_or_default();
        let is_key = rest.trim_ascii_start().starts_with(':');
        if is_key || end.is_none() {
            continue;
        }
        let value = unescaped(string);
        if is_url(&value) {
            links.push(LinkKind::Other, &value);
        } else if value
            .bytes()
            .any(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii())
        {
            lines.end_line();
            lines.push_lines(&value);
            lines.end_line();
        }
    }
    Document {
        kind: DocumentKind::Json,
        is_cut: lines.is_cut() || links.is_cut(),
        text: lines.finish(),
        links: links.finish(),
        ..Document::default()
    }
}

fn end_of_string(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr2(b'"', b'\\', text.get(at..)?)?;
        if text[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

fn is_url(value: &str) -> bool {
    let is_scheme = |scheme: &str| {
        value
            .get(..scheme.len())
            .is_some_and(|one| one.eq_ignore_ascii_case(scheme))
    };
    (is_scheme("http://") || is_scheme("https://")) && !value.contains(char::is_whitespace)
}

fn unescaped(string: &str) -> String {
    let mut out = String::with_capacity(string.len());
    let mut rest = string;
    while let Some(at) = memchr(b'\\', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        let mut letters = rest[at + 1..].chars();
        match letters.next() {
            Some('n' | 'r') => out.push('\n'),
            Some('t' | 'b' | 'f') => out.push(' '),
            Some('u') => {
                rest = letters.as_str();
                let (letter, length) = unit(rest);
                out.push(letter);
                rest = &rest[length..];
                continue;
            }
            Some(letter) => out.push(letter),
            None => {}
        }
        rest = letters.as_str();
    }
    out.push_str(rest);
    out
}

/// The letter that `\u` begins, of one unit or two, and its length.
fn unit(text: &str) -> (char, usize) {
    let digits = |at: usize| u32::from_str_radix(text.get(at..at + 4)?, 16).ok();
    match digits(0) {
        Some(high @ 0xd800..=0xdbff) if text.get(4..6) == Some("\\u") => match digits(6) {
            Some(low @ 0xdc00..=0xdfff) => {
                let letter = 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                (char::from_u32(letter).unwrap_or('\u{fffd}'), 10)
            }
            _ => ('\u{fffd}', 4),
        },
        Some(unit) => (char::from_u32(unit).unwrap_or('\u{fffd}'), 4),
        None => ('\u{fffd}', 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_text_and_keys_are_not() {
        let text = r#")]}'{"a" : "One\ttwo \u00e4\ud83d\ude00\"", "b":["3", "4 x\\"], "u": "HTTPS:\/\/a.test/", "l": "x\ny", "e": "e\ud800\u12"}"#;
        let document = read(text);
        assert_eq!(
            document.text,
            "One two \u{e4}\u{1f600}\"\n4 x\\\nx\ny\ne\u{fffd}\u{fffd}12"
        );
        assert_eq!(document.links[0].url, "HTTPS://a.test/");
        assert_eq!(read("{\"a\":\"b").text, "");
        assert_eq!(read("\"a\\").text, "");
        assert_eq!(
            read("[\"\\u\u{e4}\u{e4}\u{e4}x\"]").text,
            "\u{fffd}\u{e4}\u{e4}\u{e4}x"
        );
    }
}
