//! Reads JSON values where they lie: members of an object and elements of an array, as slices of the text.
//!
//! Made for the one object at the end of a CDXJ line: nothing is copied until a text is asked for.

/// Objects and arrays within each other; deeper ones are not read. Index lines have one level.
const DEPTH_MAX: usize = 64;

/// A value as it stands in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// Between the quotation marks, with its escapes.
    Text(&'a [u8]),
    /// With its brackets.
    Object(&'a [u8]),
    Array(&'a [u8]),
    /// A number, as written.
    Number(&'a [u8]),
    True,
    False,
    Null,
}

/// Tells `each` of the members of the object that `text` is. False where it is none, or has a flaw.
pub fn members<'a>(text: &'a [u8], each: &mut dyn FnMut(&'a [u8], Value<'a>)) -> bool {
    let mut cursor = Cursor { text, at: 0 };
    let is_sound = cursor.object(0, &mut |name, value| each(name, value));
    cursor.blank();
    is_sound.is_some() && cursor.at == text.len()
}

/// Tells `each` of the elements of the array that `text` is. False where it is none, or has a flaw.
pub fn elements<'a>(text: &'a [u8], each: &mut dyn FnMut(Value<'a>)) -> bool {
    let mut cursor = Cursor { text, at: 0 };
    let is_sound = cursor.array(0, &mut |value| each(value));
    cursor.blank();
    is_sound.is_some() && cursor.at == text.len()
}

/// The value that `text` is, and nothing else.
#[cfg(feature = "tools")]
pub fn value(text: &[u8]) -> Option<Value<'_>> {
    let mut cursor = Cursor { text, at: 0 };
    let value = cursor.value(0)?;
    cursor.blank();
    (cursor.at == text.len()).then_some(value)
}

/// A text without its escapes. Halves of a pair that stand alone become the replacement character.
pub fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let escape = text.get(at).copied().unwrap_or(b'\\');
        at += 1;
        match escape {
            b'n' => out.push(b'\n'),
            b't' => out.push(b'\t'),
            b'r' => out.push(b'\r'),
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'u' => {
                let (letter, taken) = escaped_letter(&text[at.min(text.len())..]);
                at += taken;
                let mut utf8 = [0; 4];
                out.extend_from_slice(letter.encode_utf8(&mut utf8).as_bytes());
            }
            other => out.push(other),
        }
    }
    out
}

/// The letter whose number follows, and how many bytes tell of it.
fn escaped_letter(text: &[u8]) -> (char, usize) {
    let Some(first) = four_digits(text) else {
        return (char::REPLACEMENT_CHARACTER, text.len().min(4));
    };
    let is_first_half = (0xd800..0xdc00).contains(&first);
    if is_first_half
        && text.get(4..6) == Some(b"\\u")
        && let Some(second) = four_digits(&text[6..])
        && (0xdc00..0xe000).contains(&second)
    {
        let number = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
        let letter = char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER);
        return (letter, 10);
    }
    let letter = char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER);
    (letter, 4)
}

fn four_digits(text: &[u8]) -> Option<u32> {
    text.get(..4)?.iter().try_fold(0, |number, &digit| {
        Some(number * 16 + char::from(digit).to_digit(16)?)
    })
}

/// Writes a text with quotation marks, in ASCII alone, as indexers in common use do.
pub fn push_ascii(out: &mut Vec<u8>, text: &[u8]) {
    use std::io::Write;
    out.push(b'"');
    for letter in String::from_utf8_lossy(text).chars() {
        match letter {
            '"' => out.extend_from_slice(b"\\\""),
            '\\' => out.extend_from_slice(b"\\\\"),
            '\n' => out.extend_from_slice(b"\\n"),
            '\r' => out.extend_from_slice(b"\\r"),
            '\t' => out.extend_from_slice(b"\\t"),
            '\u{8}' => out.extend_from_slice(b"\\b"),
            '\u{c}' => out.extend_from_slice(b"\\f"),
            ' '..='~' => out.push(u8::try_from(letter).unwrap_or(b'?')),
            _ => {
                for half in letter.encode_utf16(&mut [0; 2]) {
                    // Writing to memory does not fail.
                    let _ = write!(out, "\\u{half:04x}");
                }
            }
        }
    }
    out.push(b'"');
}

struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn blank(&mut self) {
        while matches!(self.text.get(self.at), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    /// The next byte that is not blank; it is not taken.
    fn next(&mut self) -> Option<u8> {
        self.blank();
        self.text.get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then(|| self.at += 1)
    }

    fn object(
        &mut self,
        depth: usize,
        each: &mut dyn FnMut(&'a [u8], Value<'a>),
    ) -> Option<&'a [u8]> {
        self.take(b'{')?;
        let start = self.at - 1;
        if self.next()? != b'}' {
            loop {
                self.blank();
                let name = self.string()?;
                self.take(b':')?;
                each(name, self.value(depth + 1)?);
                if self.next()? != b',' {
                    break;
                }
                self.at += 1;
            }
        }
        self.take(b'}')?;
        Some(&self.text[start..self.at])
    }

    fn array(&mut self, depth: usize, each: &mut dyn FnMut(Value<'a>)) -> Option<&'a [u8]> {
        self.take(b'[')?;
        let start = self.at - 1;
        if self.next()? != b']' {
            loop {
                each(self.value(depth + 1)?);
                if self.next()? != b',' {
                    break;
                }
                self.at += 1;
            }
        }
        self.take(b']')?;
        Some(&self.text[start..self.at])
    }

    fn value(&mut self, depth: usize) -> Option<Value<'a>> {
        if depth > DEPTH_MAX {
            return None;
        }
        match self.next()? {
            b'{' => Some(Value::Object(self.object(depth, &mut |_, _| {})?)),
            b'[' => Some(Value::Array(self.array(depth, &mut |_| {})?)),
            b'"' => Some(Value::Text(self.string()?)),
            b't' => self.word(b"true", Value::True),
            b'f' => self.word(b"false", Value::False),
            b'n' => self.word(b"null", Value::Null),
            _ => self.number(),
        }
    }

    /// Between quotation marks.
    fn string(&mut self) -> Option<&'a [u8]> {
        if self.text.get(self.at) != Some(&b'"') {
            return None;
        }
        let start = self.at + 1;
        let mut at = start;
        loop {
            let found = memchr::memchr2(b'"', b'\\', self.text.get(at..)?)?;
            at += found;
            if self.text[at] == b'"' {
                self.at = at + 1;
                return Some(&self.text[start..at]);
            }
            at += 2;
        }
    }

    fn word(&mut self, word: &[u8], value: Value<'a>) -> Option<Value<'a>> {
        self.text[self.at..].starts_with(word).then(|| {
            self.at += word.len();
            value
        })
    }

    fn number(&mut self) -> Option<Value<'a>> {
        let start = self.at;
        let is_numeric = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
        while self.text.get(self.at).is_some_and(is_numeric) {
            self.at += 1;
        }
        let number = &self.text[start..self.at];
        is_number(number).then_some(Value::Number(number))
    }
}

/// Whether it is a number, as JSON writes them or nearly so. It is not read: what reads numbers weighs 10 kB.
///
///   number := "-"? digit* ("." digit*)? (("e" | "E") ("+" | "-")? digit+)?      with a digit before the power
fn is_number(text: &[u8]) -> bool {
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let text = text.strip_prefix(b"-").unwrap_or(text);
    let whole = digits(text);
    let mut rest = &text[whole..];
    let mut fraction = 0;
    if let Some(text) = rest.strip_prefix(b".") {
        fraction = digits(text);
        rest = &text[fraction..];
    }
    if let [b'e' | b'E', power @ ..] = rest {
        let power = match power {
            [b'+' | b'-', power @ ..] => power,
            power => power,
        };
        rest = power;
        let count = digits(rest);
        rest = if count > 0 { &rest[count..] } else { b"e" };
    }
    whole + fraction > 0 && rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(text: &str) -> Option<Vec<(String, String)>> {
        let mut listed = Vec::new();
        let is_sound = members(text.as_bytes(), &mut |name, value| {
            listed.push((
                String::from_utf8_lossy(name).into_owned(),
                format!("{value:?}"),
            ));
        });
        is_sound.then_some(listed)
    }

    #[test]
    fn members_are_told_with_their_values() {
        assert_eq!(listed("{}"), Some(vec![]));
        let found = listed(r#" {"a": "x\"y", "b": [1, {"c": null}], "d": -1.5e3 } "#);
        let names: Vec<String> = found
            .unwrap_or_default()
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(names, ["a", "b", "d"]);
        let mut count = 0;
        assert!(elements(br#"[1, "two", [], true]"#, &mut |_| count += 1));
        assert_eq!(count, 4);
    }

    #[test]
    fn numbers_are_those_that_can_be_read() {
        let alphabet = b"-+.eE07";
        for length in 0..=5u32 {
            for word in 0..7usize.pow(length) {
                let letter = |at: u32| alphabet[word / 7usize.pow(at) % 7];
                let text: Vec<u8> = (0..length).map(letter).collect();
                let text = String::from_utf8(text).expect("ASCII");
                let is_one = !text.starts_with('+') && text.parse::<f64>().is_ok();
                assert_eq!(is_number(text.as_bytes()), is_one, "{text}");
            }
        }
    }

    #[test]
    fn flaws_are_found_and_nothing_panics() {
        for text in [
            "",
            "{",
            "}",
            "{\"a\"",
            "{\"a\":}",
            "{\"a\":1,}",
            "{\"a\":1}x",
            "{a:1}",
            "[1]",
            "{\"a\":\"\\",
            "{\"a\":tru}",
            "{\"a\":1.2.3}",
            "{\"a\":+1}",
            "{\"a\":\"b}",
        ] {
            assert_eq!(listed(text), None, "{text}");
        }
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(listed(&deep), None);
    }

    #[test]
    fn escapes_are_read_and_written() {
        let text = r#"a\n\t\"\\\/\u00e9\ud83d\ude00\ud83d\u12"#;
        let read = String::from_utf8_lossy(&unescaped(text.as_bytes())).into_owned();
        assert_eq!(read, "a\n\t\"\\/\u{e9}\u{1f600}\u{fffd}\u{fffd}");
        let mut out = Vec::new();
        push_ascii(&mut out, "\u{e9}\u{1f600}\"\u{1}\u{7f}".as_bytes());
        assert_eq!(out, b"\"\\u00e9\\ud83d\\ude00\\\"\\u0001\\u007f\"");
        assert_eq!(unescaped(b"x\\"), b"x\\");
    }
}
