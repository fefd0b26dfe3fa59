//! What letters there are in the sets of characters that PDF has by itself, and by the names of glyphs.

use std::collections::HashMap;
use std::sync::OnceLock;

/// From 128 on. ASCII is but for the two quotes as it is everywhere.
const STANDARD: &str = "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\u{a1}\u{a2}\u{a3}\u{2044}\u{a5}\u{192}\u{a7}\u{a4}'\u{201c}\u{ab}\u{2039}\u{203a}\u{fb01}\u{fb02}\0\u{2013}\u{2020}\u{2021}\u{b7}\0\u{b6}\u{2022}\u{201a}\u{201e}\u{201d}\u{bb}\u{2026}\u{2030}\0\u{bf}\0`\u{b4}\u{2c6}\u{2dc}\u{af}\u{2d8}\u{2d9}\u{a8}\0\u{2da}\u{b8}\0\u{2dd}\u{2db}\u{2c7}\u{2014}\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\u{c6}\0\u{aa}\0\0\0\0\u{141}\u{d8}\u{152}\u{ba}\0\0\0\0\0\u{e6}\0\0\0\u{131}\0\0\u{142}\u{f8}\u{153}\u{df}\0\0\0\0";
const MAC_ROMAN: &str = "\u{c4}\u{c5}\u{c7}\u{c9}\u{d1}\u{d6}\u{dc}\u{e1}\u{e0}\u{e2}\u{e4}\u{e3}\u{e5}\u{e7}\u{e9}\u{e8}\u{ea}\u{eb}\u{ed}\u{ec}\u{ee}\u{ef}\u{f1}\u{f3}\u{f2}\u{f4}\u{f6}\u{f5}\u{fa}\u{f9}\u{fb}\u{fc}\u{2020}\u{b0}\u{a2}\u{a3}\u{a7}\u{2022}\u{b6}\u{df}\u{ae}\u{a9}\u{2122}\u{b4}\u{a8}\u{2260}\u{c6}\u{d8}\u{221e}\u{b1}\u{2264}\u{2265}\u{a5}\u{b5}\u{2202}\u{2211}\u{220f}\u{3c0}\u{222b}\u{aa}\u{ba}\u{3a9}\u{e6}\u{f8}\u{bf}\u{a1}\u{ac}\u{221a}\u{192}\u{2248}\u{2206}\u{ab}\u{bb}\u{2026}\u{a0}\u{c0}\u{c3}\u{d5}\u{152}\u{153}\u{2013}\u{2014}\u{201c}\u{201d}\u{2018}\u{2019}\u{f7}\u{25ca}\u{ff}\u{178}\u{2044}\u{a4}\u{2039}\u{203a}\u{fb01}\u{fb02}\u{2021}\u{b7}\u{201a}\u{201e}\u{2030}\u{c2}\u{ca}\u{c1}\u{cb}\u{c8}\u{cd}\u{ce}\u{cf}\u{cc}\u{d3}\u{d4}\0\u{d2}\u{da}\u{db}\u{d9}\u{131}\u{2c6}\u{2dc}\u{af}\u{2d8}\u{2d9}\u{2da}\u{b8}\u{2dd}\u{2db}\u{2c7}";
/// From 128 on, up to 160: from there on it is Latin-1.
const WIN_ANSI: &str = "\u{20ac}\u{2022}\u{201a}\u{192}\u{201e}\u{2026}\u{2020}\u{2021}\u{2c6}\u{2030}\u{160}\u{2039}\u{152}\u{2022}\u{17d}\u{2022}\u{2022}\u{2018}\u{2019}\u{201c}\u{201d}\u{2022}\u{2013}\u{2014}\u{2dc}\u{2122}\u{161}\u{203a}\u{153}\u{2022}\u{17e}\u{178}";
/// Of texts that are not drawn, from 24 to 31 and from 128 to 160.
const DOC_LOW: &str = "\u{2d8}\u{2c7}\u{2c6}\u{2d9}\u{2dd}\u{2db}\u{2da}\u{2dc}";
const DOC_HIGH: &str = "\u{2022}\u{2020}\u{2021}\u{2026}\u{2014}\u{2013}\u{192}\u{2044}\u{2039}\u{203a}\u{2212}\u{2030}\u{201e}\u{201c}\u{201d}\u{2018}\u{2019}\u{201a}\u{2122}\u{fb01}\u{fb02}\u{141}\u{152}\u{160}\u{178}\u{17d}\u{131}\u{142}\u{153}\u{161}\u{17e}\0\u{20ac}";

/// A name and a number a line, in the order of the names. Letters of ASCII are called by themselves.
const GLYPHS: &str = include_str!("glyphnames.txt");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    Standard,
    MacRoman,
    WinAnsi,
}

impl Encoding {
    pub fn named(name: &[u8]) -> Option<Encoding> {
        Some(match name {
            b"StandardEncoding" => Encoding::Standard,
            b"MacRomanEncoding" => Encoding::MacRoman,
            b"WinAnsiEncoding" => Encoding::WinAnsi,
            _ => return None,
        })
    }

    /// All 256; NUL where there is none.
    pub fn letters(self) -> Vec<char> {
        let mut letters: Vec<char> = (0..=127u8).map(char::from).collect();
        let high = match self {
            Encoding::Standard => STANDARD,
            Encoding::MacRoman => MAC_ROMAN,
            Encoding::WinAnsi => WIN_ANSI,
        };
        letters.extend(high.chars());
        letters.extend((160..=255u8).map(char::from).skip(letters.len() - 160));
        if self == Encoding::Standard {
            (letters[0x27], letters[0x60]) = ('\u{2019}', '\u{2018}');
        }
        letters[..32].fill('\0');
        letters
    }
}

/// Adds the letters of the glyph of a name. False where the name says nothing.
pub fn push_named(name: &str, out: &mut String) -> bool {
    // What comes behind a point tells one form of the letter from another.
    let stem = name.split('.').next().unwrap_or_default();
    let before = out.len();
    for part in stem.split('_') {
        if !push_part(part, out) {
            out.truncate(before);
            return false;
        }
    }
    !stem.is_empty()
}

fn push_part(name: &str, out: &mut String) -> bool {
    if name.len() == 1 {
        out.push_str(name);
        return true;
    }
    if let Some(letter) = known().get(name) {
        out.push(*letter);
        return true;
    }
    let digits = |digits: &str| {
        let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = is_hex.then(|| u32::from_str_radix(digits, 16).ok());
        number.flatten().and_then(char::from_u32)
    };
    if let Some(all) = name
        .strip_prefix("uni")
        .filter(|all| all.len() >= 4 && all.len().is_multiple_of(4) && all.is_ascii())
    {
        let before = out.len();
        for at in (0..all.len()).step_by(4) {
            out.extend(digits(&all[at..at + 4]));
        }
        return out.len() > before;
    }
    let letter = name
        .strip_prefix('u')
        .filter(|all| (4..=6).contains(&all.len()))
        .and_then(digits);
    out.extend(letter);
    letter.is_some()
}

fn known() -> &'static HashMap<&'static str, char> {
    static KNOWN: OnceLock<HashMap<&'static str, char>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let lines = GLYPHS.lines().filter_map(|line| line.split_once(' '));
        lines
            .filter_map(|(name, digits)| {
                Some((name, char::from_u32(u32::from_str_radix(digits, 16).ok()?)?))
            })
            .collect()
    })
}

/// A text that is not drawn, such as a title.
pub fn text_string(bytes: &[u8]) -> String {
    if let Some(rest) = bytes.strip_prefix(b"\xfe\xff") {
        return super::cmap::utf16(rest);
    }
    if let Some(rest) = bytes.strip_prefix(b"\xff\xfe") {
        let units = rest
            .chunks_exact(2)
            .map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
        return char::decode_utf16(units)
            .map(|letter| letter.unwrap_or('\u{fffd}'))
            .collect();
    }
    let rest = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    // Many write UTF-8 without saying so, and few other texts look like it.
    std::str::from_utf8(rest).map_or_else(
        |_| bytes.iter().map(|byte| doc_letter(*byte)).collect(),
        Into::into,
    )
}

fn doc_letter(byte: u8) -> char {
    let at = |letters: &str, first: u8| letters.chars().nth(usize::from(byte - first));
    let letter = match byte {
        24..=31 => at(DOC_LOW, 24),
        128..=160 => at(DOC_HIGH, 128),
        _ => Some(char::from(byte)),
    };
    letter.unwrap_or('\u{fffd}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Option<String> {
        let mut out = String::new();
        push_named(name, &mut out).then_some(out)
    }

    #[test]
    fn sets_have_their_letters() {
        for encoding in [Encoding::Standard, Encoding::MacRoman, Encoding::WinAnsi] {
            assert_eq!(encoding.letters().len(), 256, "{encoding:?}");
            assert_eq!(encoding.letters()[0x41], 'A');
        }
        assert_eq!(Encoding::WinAnsi.letters()[0x80], '\u{20ac}');
        assert_eq!(Encoding::WinAnsi.letters()[0xe9], '\u{e9}');
        assert_eq!(Encoding::MacRoman.letters()[0x8e], '\u{e9}');
        assert_eq!(Encoding::Standard.letters()[0xae], '\u{fb01}');
        assert_eq!(Encoding::Standard.letters()[0xfb], '\u{df}');
        assert_eq!(Encoding::Standard.letters()[0xe9], '\u{d8}');
    }

    #[test]
    fn glyphs_are_known_by_their_names() {
        let letters = [
            ("A", "A"),
            ("eacute", "\u{e9}"),
            ("f_f_i", "ffi"),
            ("a.sc", "a"),
            ("uni00410042", "AB"),
            ("u1F600", "\u{1f600}"),
            ("afii10017", "\u{410}"),
        ];
        for (name, meant) in letters {
            assert_eq!(named(name).as_deref(), Some(meant), "{name}");
        }
        for name in [
            "",
            ".notdef",
            "g17",
            "uni12",
            "uniD800",
            "unifoo",
            "a_nothing",
        ] {
            assert_eq!(named(name), None, "{name}");
        }
    }

    #[test]
    fn titles_are_read_in_every_coding() {
        assert_eq!(text_string(b"\xfe\xff\0\xdc\0n"), "\u{dc}n");
        assert_eq!(text_string(b"\xff\xfe\xdc\0n\0"), "\u{dc}n");
        assert_eq!(text_string(b"\xef\xbb\xbf\xc3\x9cn"), "\u{dc}n");
        assert_eq!(
            text_string(b"\xdcn \x84 \x8d\x8e"),
            "\u{dc}n \u{2014} \u{201c}\u{201d}"
        );
    }
}
