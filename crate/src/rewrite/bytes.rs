//! Documents as the rewriter of HTML is given them: in whatever set a document is, each of its bytes is a letter.
//!
//! The names and values that matter are ASCII in all sets that are rewritten, and all bytes come out again as they
//! went in, so nothing needs to know the set.

use std::borrow::Cow;

/// Sets in which bytes of ASCII stand for something else, by all their labels.
const OTHERS: [&str; 17] = [
    "csiso2022jp",
    "csiso2022kr",
    "csunicode",
    "hz-gb-2312",
    "iso-10646-ucs-2",
    "iso-2022-cn",
    "iso-2022-cn-ext",
    "iso-2022-jp",
    "iso-2022-kr",
    "replacement",
    "ucs-2",
    "unicode",
    "unicodefeff",
    "unicodefffe",
    "utf-16",
    "utf-16be",
    "utf-16le",
];

/// Whether a document that states this set can be rewritten.
pub fn is_like_ascii(charset: &str) -> bool {
    let charset = charset.trim_ascii();
    !OTHERS
        .iter()
        .any(|other| charset.eq_ignore_ascii_case(other))
}

/// A letter for each byte.
pub fn letters(bytes: &[u8]) -> Cow<'_, [u8]> {
    if bytes.is_ascii() {
        return Cow::Borrowed(bytes);
    }
    let text: String = bytes.iter().copied().map(char::from).collect();
    Cow::Owned(text.into_bytes())
}

/// The text that the letters of a value stand for, changed. Text that is no UTF-8 is taken letter by letter.
pub fn changed(value: &str, edit: impl Fn(&str) -> Option<String>) -> Option<String> {
    if value.is_ascii() {
        return edit(value);
    }
    let bytes: Vec<u8> = value
        .chars()
        .filter_map(|letter| u8::try_from(letter).ok())
        .collect();
    match std::str::from_utf8(&bytes) {
        Ok(text) => edit(text).map(|text| text.bytes().map(char::from).collect()),
        Err(_) => edit(value),
    }
}

/// What stands between two tags and is no markup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text {
    Style,
    Script,
    Module,
    ImportMap,
}

/// Marks where such a text begins, or any of them ends: no byte is such a letter.
pub fn begins(text: Text) -> &'static str {
    match text {
        Text::Style => "\u{e001}",
        Text::Script => "\u{e002}",
        Text::Module => "\u{e003}",
        Text::ImportMap => "\u{e004}",
    }
}
pub const ENDS: &str = "\u{e000}";

fn begun(mark: u16) -> Text {
    match mark {
        0xe002 => Text::Script,
        0xe003 => Text::Module,
        0xe004 => Text::ImportMap,
        _ => Text::Style,
    }
}

/// Makes bytes of letters again, however they are cut, and changes the texts between marks.
pub struct Unlettering<F> {
    change: F,
    /// The letter beyond ASCII that has begun, and how many bytes of it are to come.
    letter: u16,
    left: u8,
    text: Option<(Text, String)>,
}

impl<F: Fn(Text, &str) -> Option<String>> Unlettering<F> {
    pub fn new(change: F) -> Unlettering<F> {
        Unlettering {
            change,
            letter: 0,
            left: 0,
            text: None,
        }
    }

    pub fn push(&mut self, text: &[u8], out: &mut Vec<u8>) {
        if self.left == 0 && self.text.is_none() && text.is_ascii() {
            return out.extend_from_slice(text);
        }
        for &byte in text {
            match (self.left, byte) {
                (0, 0xc2 | 0xc3) => (self.letter, self.left) = (u16::from(byte & 3), 1),
                (0, 0xee) => (self.letter, self.left) = (0xe, 2),
                (0, _) => self.put(u16::from(byte), out),
                _ => {
                    self.letter = self.letter << 6 | u16::from(byte & 0x3f);
                    self.left -= 1;
                    if self.left == 0 {
                        self.put(self.letter, out);
                    }
                }
            }
        }
    }

    /// The document ends, maybe within such a text.
    pub fn end(&mut self, out: &mut Vec<u8>) {
        let Some((kind, text)) = self.text.take() else {
            return;
        };
        let text = changed(&text, |text| (self.change)(kind, text)).unwrap_or(text);
        out.extend(text.chars().filter_map(|letter| u8::try_from(letter).ok()));
    }

    fn put(&mut self, letter: u16, out: &mut Vec<u8>) {
        match (u8::try_from(letter), &mut self.text) {
            (Ok(byte), None) => out.push(byte),
            (Ok(byte), Some((_, text))) => text.push(char::from(byte)),
            (Err(_), None) => self.text = Some((begun(letter), String::new())),
            (Err(_), Some(_)) => self.end(out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_out_as_they_went_in() {
        let all: Vec<u8> = (0..=255).collect();
        let letters = letters(&all);
        assert!(std::str::from_utf8(&letters).is_ok());
        for cut in 0..=letters.len() {
            let mut out = Vec::new();
            let mut unlettering = Unlettering::new(|_, _| None);
            unlettering.push(&letters[..cut], &mut out);
            unlettering.push(&letters[cut..], &mut out);
            assert_eq!(out, all);
        }
    }

    #[test]
    fn texts_are_changed_whole_and_as_what_they_are() {
        let (style, script) = (begins(Text::Style), begins(Text::Script));
        let text = format!("a{style}bc{ENDS}bc{script}bc{ENDS}{style}bc");
        let change = |kind, text: &str| {
            (text == "bc").then(|| if kind == Text::Style { "d" } else { "e" }.to_string())
        };
        for cut in 0..=text.len() {
            let mut out = Vec::new();
            let mut unlettering = Unlettering::new(change);
            unlettering.push(&text.as_bytes()[..cut], &mut out);
            unlettering.push(&text.as_bytes()[cut..], &mut out);
            unlettering.end(&mut out);
            assert_eq!(out, b"adbced");
        }
    }

    #[test]
    fn values_are_changed_as_the_text_that_they_are() {
        let value = |bytes: &[u8]| String::from_utf8(letters(bytes).into_owned()).expect("letters");
        let upper = |text: &str| Some(text.replace('\u{fc}', "\u{dc}"));
        assert_eq!(
            changed(&value("f\u{fc}r".as_bytes()), upper),
            Some(value("f\u{dc}r".as_bytes()))
        );
        assert_eq!(changed(&value(b"f\xfcr"), upper), Some(value(b"f\xdcr")));
        assert_eq!(changed("a", |_| None), None);
    }
}
