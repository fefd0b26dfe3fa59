//! Tables of a PDF that say what codes are: how long they are, and what letters they stand for (`ToUnicode`).

use crate::limits::PDF_CODES_MAX;

/// In the order of the codes.
#[derive(Debug, Default)]
pub struct CMap {
    ranges: Vec<Range>,
    /// Lengths of codes, with the first and the last of each.
    lengths: Vec<(usize, u32, u32)>,
}

#[derive(Debug)]
struct Range {
    first: u32,
    last: u32,
    /// Of the first code; of each that follows, its last letter is the next one.
    letters: String,
}

enum Token<'a> {
    Bytes(Vec<u8>),
    Word(&'a [u8]),
    Open,
    Close,
}

impl CMap {
    pub fn parse(data: &[u8]) -> CMap {
        let mut map = CMap::default();
        let mut tokens = Tokens { data, at: 0 };
        while let Some(token) = tokens.next() {
            let Token::Word(word) = token else { continue };
            match word {
                b"begincodespacerange" => map.lengths(&mut tokens),
                b"beginbfchar" => map.letters(&mut tokens, false),
                b"beginbfrange" => map.letters(&mut tokens, true),
                _ => {}
            }
        }
        map.ranges.sort_by_key(|range| range.first);
        map
    }

    fn lengths(&mut self, tokens: &mut Tokens<'_>) {
        while let (Some(Token::Bytes(first)), Some(Token::Bytes(last))) =
            (tokens.next(), tokens.next())
        {
            if (1..=4).contains(&first.len()) && self.lengths.len() < 100 {
                self.lengths
                    .push((first.len(), number(&first), number(&last)));
            }
        }
    }

    fn letters(&mut self, tokens: &mut Tokens<'_>, is_range: bool) {
        while let Some(Token::Bytes(first)) = tokens.next() {
            let first = number(&first);
            let last = match is_range {
                false => first,
                true => match tokens.next() {
                    Some(Token::Bytes(last)) => number(&last),
                    _ => return,
                },
            };
            match tokens.next() {
                Some(Token::Bytes(letters)) => self.add(first, last, utf16(&letters)),
                Some(Token::Open) => {
                    let mut code = first;
                    while let Some(Token::Bytes(letters)) = tokens.next() {
                        self.add(code, code, utf16(&letters));
                        code = code.saturating_add(1);
                    }
                }
                // A name of a letter, which nobody writes.
                _ => {}
            }
        }
    }

    fn add(&mut self, first: u32, last: u32, letters: String) {
        if first <= last && self.ranges.len() < PDF_CODES_MAX {
            self.ranges.push(Range {
                first,
                last,
                letters,
            });
        }
    }

    /// Adds the letters of a code. False where it is not told what they are.
    pub fn push(&self, code: u32, out: &mut String) -> bool {
        let end = self.ranges.partition_point(|range| range.first <= code);
        // Ranges that overlap are few, and near each other.
        let found = self.ranges[..end]
            .iter()
            .rev()
            .take(4)
            .find(|range| code <= range.last);
        let Some(Range { first, letters, .. }) = found else {
            return false;
        };
        let mut letters = letters.chars();
        let last = letters
            .next_back()
            .and_then(|last| u32::from(last).checked_add(code - first))
            .and_then(char::from_u32);
        out.push_str(letters.as_str());
        out.extend(last.filter(|last| *last != '\0'));
        true
    }

    /// Length of the code that these bytes begin with, where that is told.
    pub fn length(&self, bytes: &[u8]) -> Option<usize> {
        let is_in = |&&(length, first, last): &&(usize, u32, u32)| {
            bytes.len() >= length && (first..=last).contains(&number(&bytes[..length]))
        };
        let found = self.lengths.iter().find(is_in).or(self.lengths.first());
        found.map(|(length, ..)| *length)
    }
}

/// Of no more than four bytes.
pub fn number(bytes: &[u8]) -> u32 {
    let all = bytes.iter().take(4);
    all.fold(0, |number, byte| number << 8 | u32::from(*byte))
}

/// Text in UTF-16 with the higher byte first.
pub fn utf16(bytes: &[u8]) -> String {
    if let [byte] = bytes {
        return char::from(*byte).to_string();
    }
    let units = bytes
        .chunks_exact(2)
        .map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
    char::decode_utf16(units)
        .map(|letter| letter.unwrap_or('\u{fffd}'))
        .collect()
}

struct Tokens<'a> {
    data: &'a [u8],
    at: usize,
}

impl<'a> Tokens<'a> {
    fn next(&mut self) -> Option<Token<'a>> {
        let data = self.data;
        while let Some(&byte) = data.get(self.at) {
            self.at += 1;
            match byte {
                b'%' => self.skip(|byte| byte != b'\n' && byte != b'\r'),
                b'[' => return Some(Token::Open),
                b']' => return Some(Token::Close),
                b'<' if data.get(self.at) == Some(&b'<') => self.at += 1,
                b'<' => {
                    let start = self.at;
                    self.skip(|byte| byte != b'>');
                    let digits = &data[start..self.at];
                    self.at += 1;
                    return Some(Token::Bytes(hex(digits)));
                }
                b'>' | b'(' | b')' | b'{' | b'}' => {}
                _ if byte.is_ascii_whitespace() || byte == 0 => {}
                _ => {
                    let start = self.at - 1;
                    self.skip(|byte| !byte.is_ascii_whitespace() && !b"<>[]()/%\0".contains(&byte));
                    return Some(Token::Word(&data[start..self.at]));
                }
            }
        }
        None
    }

    fn skip(&mut self, is_part: impl Fn(u8) -> bool) {
        while self.data.get(self.at).is_some_and(|byte| is_part(*byte)) {
            self.at += 1;
        }
    }
}

/// What is no digit is passed over; of an odd number, the last is as if a zero came after it.
fn hex(digits: &[u8]) -> Vec<u8> {
    let values = digits
        .iter()
        .filter_map(|digit| char::from(*digit).to_digit(16));
    let mut bytes = Vec::new();
    let mut half = None;
    for value in values.filter_map(|value| u8::try_from(value).ok()) {
        match half.take() {
            None => half = Some(value << 4),
            Some(high) => bytes.push(high | value),
        }
    }
    bytes.extend(half);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letters(map: &CMap, code: u32) -> Option<String> {
        let mut out = String::new();
        map.push(code, &mut out).then_some(out)
    }

    #[test]
    fn codes_have_letters_one_by_one_in_ranges_and_in_lists() {
        let map = CMap::parse(b"/CIDInit begincmap 1 begincodespacerange <00> <80> <8140> <9ffc> endcodespacerange
            2 beginbfchar <01> <0041> <0203> <00660066> endbfchar % ligature
            3 beginbfrange <10> <12> <0061> <20><21>[<0078> <D83DDE00>] <0300> <0301> <00660069> endbfrange endcmap");
        assert_eq!(letters(&map, 1).as_deref(), Some("A"));
        assert_eq!(letters(&map, 0x203).as_deref(), Some("ff"));
        assert_eq!(letters(&map, 0x12).as_deref(), Some("c"));
        assert_eq!(letters(&map, 0x13), None);
        assert_eq!(letters(&map, 0x20).as_deref(), Some("x"));
        assert_eq!(letters(&map, 0x21).as_deref(), Some("\u{1f600}"));
        assert_eq!(letters(&map, 0x301).as_deref(), Some("fj"));
        assert_eq!(map.length(b"\x20\x81"), Some(1));
        assert_eq!(map.length(b"\x81\x50"), Some(2));
        assert_eq!(CMap::default().length(b"a"), None);
    }

    #[test]
    fn broken_tables_tell_what_they_can() {
        for text in [
            "beginbfchar <",
            "beginbfchar <01",
            "beginbfrange <00> <ffffffff> <d800>",
            "beginbfrange <ffffffff> <ffffffff> [<41> <42>",
            "begincodespacerange <0000000000> <01>",
        ] {
            let map = CMap::parse(text.as_bytes());
            for code in [0, 1, 0xffff_ffff] {
                letters(&map, code);
            }
            map.length(b"");
            map.length(b"abcd");
        }
    }
}
