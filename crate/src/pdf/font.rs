//! Fonts of a PDF, as far as text goes: what letters their codes stand for, and how wide they are.

use std::collections::HashMap;

use hayro_syntax::object::{Array, Dict, Name, Number, Object, Stream};

use super::cmap::{CMap, number};
use super::encoding::{Encoding, push_named};
use crate::limits::PDF_CODES_MAX;

/// What is drawn for one code.
pub struct Glyph<'a> {
    /// Empty where nobody says what it is.
    pub letters: &'a str,
    /// How far the next one is away, with letters one unit high.
    pub advance: f32,
    pub is_blank: bool,
}

pub struct Font {
    codes: Codes,
    to_unicode: Option<CMap>,
    pub is_vertical: bool,
    /// As much as making it took.
    pub bytes_read: usize,
}

enum Codes {
    /// A byte each.
    Simple {
        letters: Vec<String>,
        widths: Vec<f32>,
    },
    Composite(Composite),
}

struct Composite {
    lengths: Lengths,
    widths: HashMap<u32, f32>,
    default_width: f32,
}

/// How many bytes a code has.
enum Lengths {
    Stated(CMap),
    Two,
    /// Two, which are a letter of UTF-16.
    Letters,
    Four,
    /// One, or two where the first is none of ASCII: sets of East Asia.
    Mixed,
}

/// Of Helvetica from the blank on, for fonts that every reader has and that state no widths: others are much like it.
const HELVETICA: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];
/// As much as a font takes besides its table: what else it has is seldom longer.
const FONT_BYTES: usize = 1 << 16;
const COURIER: f32 = 0.6;
const USUAL_WIDTH: f32 = 0.556;

impl Font {
    pub fn of(dict: &Dict<'_>) -> Font {
        let table = dict
            .get::<Stream<'_>>("ToUnicode")
            .and_then(|stream| stream.decoded().ok());
        let to_unicode = table.as_ref().map(|data| CMap::parse(data));
        let bytes_read = FONT_BYTES + table.map_or(0, |data| data.len());
        let encoding = dict.get::<Name<'_>>("Encoding");
        let is_composite = dict
            .get::<Name<'_>>("Subtype")
            .is_some_and(|kind| kind.as_ref() == b"Type0");
        Font {
            bytes_read,
            codes: if is_composite {
                Codes::Composite(Composite::of(dict))
            } else {
                simple(dict)
            },
            to_unicode,
            is_vertical: is_composite
                && encoding.is_some_and(|name| name.as_ref().ends_with(b"-V")),
        }
    }

    /// Hands over each code of a string that is shown.
    pub fn glyphs(&self, bytes: &[u8], mut each: impl FnMut(Glyph<'_>)) {
        let mut letters = String::new();
        match &self.codes {
            Codes::Simple {
                letters: own,
                widths,
            } => {
                for &byte in bytes {
                    let at = usize::from(byte);
                    letters.clear();
                    if !self.stated(u32::from(byte), &mut letters) {
                        letters.push_str(&own[at]);
                    }
                    each(Glyph {
                        letters: &letters,
                        advance: widths[at],
                        is_blank: byte == b' ',
                    });
                }
            }
            Codes::Composite(composite) => {
                let mut rest = bytes;
                while !rest.is_empty() {
                    let (code, after) =
                        rest.split_at(composite.lengths.of(rest).clamp(1, rest.len()));
                    rest = after;
                    letters.clear();
                    if !self.stated(number(code), &mut letters)
                        && matches!(composite.lengths, Lengths::Letters)
                    {
                        letters.extend(char::from_u32(number(code)));
                    }
                    let width = composite.widths.get(&number(code));
                    let advance = if self.is_vertical {
                        1.0
                    } else {
                        *width.unwrap_or(&composite.default_width)
                    };
                    each(Glyph {
                        letters: &letters,
                        advance,
                        is_blank: code == b" ",
                    });
                }
            }
        }
    }

    fn stated(&self, code: u32, out: &mut String) -> bool {
        self.to_unicode
            .as_ref()
            .is_some_and(|map| map.push(code, out))
            && !out.is_empty()
            && *out != "\u{fffd}"
    }
}

impl Composite {
    fn of(dict: &Dict<'_>) -> Composite {
        let lengths = match dict.get::<Object<'_>>("Encoding") {
            Some(Object::Stream(stream)) => Lengths::Stated(
                stream
                    .decoded()
                    .map(|data| CMap::parse(&data))
                    .unwrap_or_default(),
            ),
            Some(Object::Name(name)) => Lengths::named(&name),
            _ => Lengths::Two,
        };
        let below = dict
            .get::<Array<'_>>("DescendantFonts")
            .and_then(|all| all.iter::<Dict<'_>>().next())
            .unwrap_or_default();
        let default_width = below
            .get::<Number>("DW")
            .map_or(1.0, |width| width.as_f32() / 1_000.0);
        let widths = below
            .get::<Array<'_>>("W")
            .map(|all| widths_of(&all))
            .unwrap_or_default();
        Composite {
            lengths,
            widths,
            default_width,
        }
    }
}

/// `first [width...]` or `first last width`, as often as there are some.
fn widths_of(all: &Array<'_>) -> HashMap<u32, f32> {
    let mut widths = HashMap::new();
    let mut entries = all.iter::<Object<'_>>();
    while let Some(first) = entries.next().and_then(whole) {
        match entries.next() {
            Some(Object::Array(list)) => {
                for (at, width) in (first..).zip(list.iter::<Number>()).take(PDF_CODES_MAX) {
                    widths.insert(at, width.as_f32() / 1_000.0);
                }
            }
            Some(last) => {
                let (Some(last), Some(Object::Number(width))) = (whole(last), entries.next())
                else {
                    break;
                };
                for at in (first..=last).take(PDF_CODES_MAX) {
                    widths.insert(at, width.as_f32() / 1_000.0);
                }
            }
            None => break,
        }
        if widths.len() > PDF_CODES_MAX {
            break;
        }
    }
    widths
}

fn whole(object: Object<'_>) -> Option<u32> {
    u32::try_from(object.into_number()?.as_i64()).ok()
}

impl Lengths {
    fn named(name: &[u8]) -> Lengths {
        let has = |part: &[u8]| name.windows(part.len()).any(|window| window == part);
        if has(b"UCS2") || has(b"UTF16") {
            Lengths::Letters
        } else if has(b"UTF32") {
            Lengths::Four
        } else if has(b"EUC")
            || has(b"RKSJ")
            || has(b"B5")
            || has(b"GBK")
            || has(b"UHC")
            || has(b"GBpc")
            || has(b"HK")
        {
            Lengths::Mixed
        } else {
            Lengths::Two
        }
    }

    fn of(&self, bytes: &[u8]) -> usize {
        match self {
            Lengths::Stated(map) => map.length(bytes).unwrap_or(2),
            Lengths::Two | Lengths::Letters => 2,
            Lengths::Four => 4,
            Lengths::Mixed => 1 + usize::from(bytes.first().is_some_and(|byte| *byte >= 0x80)),
        }
    }
}

fn simple(dict: &Dict<'_>) -> Codes {
    let name = dict
        .get::<Name<'_>>("BaseFont")
        .map(|name| name.as_str().to_owned())
        .unwrap_or_default();
    let descriptor = dict.get::<Dict<'_>>("FontDescriptor").unwrap_or_default();
    Codes::Simple {
        letters: simple_letters(dict, &descriptor, &name),
        widths: simple_widths(dict, &descriptor, &name),
    }
}

fn simple_letters(dict: &Dict<'_>, descriptor: &Dict<'_>, name: &str) -> Vec<String> {
    let encoding = dict.get::<Object<'_>>("Encoding");
    let (base, differences) = match &encoding {
        Some(Object::Name(name)) => (Encoding::named(name), None),
        Some(Object::Dict(stated)) => (
            stated
                .get::<Name<'_>>("BaseEncoding")
                .and_then(|name| Encoding::named(&name)),
            stated.get::<Array<'_>>("Differences"),
        ),
        _ => (None, None),
    };
    let is_true_type = dict
        .get::<Name<'_>>("Subtype")
        .is_some_and(|kind| kind.as_ref() == b"TrueType");
    let is_picture_font = name.contains("Symbol") || name.contains("Dingbats");
    let mut letters = match base {
        Some(base) => strings(&base.letters()),
        // Its own codes, of which nothing but this is common.
        None if is_picture_font => (0..=255u8)
            .map(|byte| {
                if byte == 0xb7 {
                    "\u{2022}".into()
                } else {
                    String::new()
                }
            })
            .collect(),
        None if is_true_type => strings(&Encoding::WinAnsi.letters()),
        None => strings(&Encoding::Standard.letters()),
    };
    if base.is_none()
        && let Some(program) = descriptor
            .get::<Stream<'_>>("FontFile")
            .and_then(|stream| stream.decoded().map(std::borrow::Cow::into_owned).ok())
    {
        for (code, name) in built_in(&program) {
            replace(&mut letters[usize::from(code)], name);
        }
    }
    let mut code = 0usize;
    for entry in differences.iter().flat_map(|all| all.iter::<Object<'_>>()) {
        match entry {
            Object::Number(number) => code = usize::try_from(number.as_i64()).unwrap_or(usize::MAX),
            Object::Name(name) => {
                if let Some(letters) = letters.get_mut(code) {
                    replace(letters, name.as_str());
                }
                code = code.saturating_add(1);
            }
            _ => {}
        }
    }
    letters
}

fn strings(letters: &[char]) -> Vec<String> {
    let one = |letter: &char| {
        if *letter == '\0' {
            String::new()
        } else {
            letter.to_string()
        }
    };
    letters.iter().map(one).collect()
}

/// A name that says nothing leaves nothing: another letter would be wrong.
fn replace(letters: &mut String, name: &str) {
    letters.clear();
    push_named(name, letters);
}

/// What a font program of Type 1 says of its codes, before its part that is hidden: `dup 65 /A put`.
fn built_in(program: &[u8]) -> Vec<(u8, &str)> {
    let end = program
        .windows(5)
        .position(|window| window == b"eexec")
        .unwrap_or(program.len());
    let mut found = Vec::new();
    let mut words = program[..end]
        .split(|byte| byte.is_ascii_whitespace())
        .filter(|word| !word.is_empty())
        .peekable();
    while let Some(word) = words.next() {
        if word != b"dup" {
            continue;
        }
        let code = words
            .next_if(|word| word[0].is_ascii_digit())
            .and_then(|word| std::str::from_utf8(word).ok()?.parse().ok());
        let name = words
            .next_if(|word| word[0] == b'/')
            .and_then(|word| std::str::from_utf8(&word[1..]).ok());
        found.extend(code.zip(name));
    }
    found
}

fn simple_widths(dict: &Dict<'_>, descriptor: &Dict<'_>, name: &str) -> Vec<f32> {
    let kind = dict.get::<Name<'_>>("Subtype");
    // Fonts that are drawn by programs of the file state in what units.
    let unit = match kind.is_some_and(|kind| kind.as_ref() == b"Type3") {
        true => dict
            .get::<Array<'_>>("FontMatrix")
            .and_then(|all| all.iter::<Number>().next())
            .map_or(0.001, |number| number.as_f32().abs()),
        false => 0.001,
    };
    let mut widths = match dict.contains_key("Widths") {
        true => vec![
            descriptor
                .get::<Number>("MissingWidth")
                .map_or(0.0, |width| width.as_f32() * unit);
            256
        ],
        false if name.contains("Courier") => vec![COURIER; 256],
        false => {
            let mut widths = vec![USUAL_WIDTH; 256];
            for (width, known) in widths[32..].iter_mut().zip(HELVETICA) {
                *width = f32::from(known) / 1_000.0;
            }
            widths
        }
    };
    let first = dict.get::<Number>("FirstChar").map_or(0, |first| {
        usize::try_from(first.as_i64()).unwrap_or(usize::MAX)
    });
    let stated = dict.get::<Array<'_>>("Widths");
    for (width, stated) in widths
        .iter_mut()
        .skip(first)
        .zip(stated.iter().flat_map(|all| all.iter::<Number>()))
    {
        *width = stated.as_f32() * unit;
    }
    widths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_font_program_says_what_its_codes_are() {
        let program = b"/Encoding 256 array\n0 1 255 {1 index exch /.notdef put} for\ndup 65 /alpha put\ndup 66 /B put dup x dup 300 /C put readonly def currentfile eexec dup 67 /C put";
        assert_eq!(built_in(program), [(65, "alpha"), (66, "B")]);
    }
}
