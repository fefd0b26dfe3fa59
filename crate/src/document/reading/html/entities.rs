//! Character references in markup, named and numbered, as browsers read them.

use std::borrow::Cow;
use std::sync::OnceLock;

use memchr::memchr;

/// All names of the HTML standard in the order of their bytes, a line each: the name, `!` where it counts without its
/// semicolon too, and what it stands for in hexadecimal code points.
const LIST: &str = include_str!("entities.txt");

/// The longest name, and the longest one that counts without a semicolon.
const NAME_BYTES_MAX: usize = 31;
const BARE_BYTES_MAX: usize = 6;

/// Where a reference stands: in values of attributes, some are none.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Within {
    Text,
    Attribute,
}

struct Name {
    name: &'static str,
    is_bare: bool,
    value: &'static str,
}

fn names() -> &'static [Name] {
    static NAMES: OnceLock<Vec<Name>> = OnceLock::new();
    NAMES.get_or_init(|| {
        let read = |line: &'static str| {
            let (name, value) = line.split_once(' ')?;
            let bare = name.strip_suffix('!');
            Some(Name {
                name: bare.unwrap_or(name),
                is_bare: bare.is_some(),
                value,
            })
        };
        LIST.lines().filter_map(read).collect()
    })
}

fn find(name: &[u8]) -> Option<&'static Name> {
    let names = names();
    let at = names.binary_search_by(|one| one.name.as_bytes().cmp(name));
    names.get(at.ok()?)
}

/// The text with its references replaced.
pub fn decoded(text: &str, within: Within) -> Cow<'_, str> {
    let Some(first) = memchr(b'&', text.as_bytes()) else {
        return Cow::Borrowed(text);
    };
    let mut out = String::with_capacity(text.len());
    out.push_str(&text[..first]);
    let mut rest = &text[first..];
    while !rest.is_empty() {
        let taken = reference(rest.as_bytes(), within, &mut out);
        // Where it is none, the ampersand stands for itself.
        let next = memchr(b'&', &rest.as_bytes()[taken.max(1)..]);
        let end = next.map_or(rest.len(), |at| at + taken.max(1));
        out.push_str(&rest[taken..end]);
        rest = &rest[end..];
    }
    Cow::Owned(out)
}

/// Reads the reference that begins here. Returns its length; 0 where it is none.
fn reference(text: &[u8], within: Within, out: &mut String) -> usize {
    match text.get(1) {
        Some(b'#') => numbered(text, out),
        Some(byte) if byte.is_ascii_alphanumeric() => named(text, within, out),
        _ => 0,
    }
}

fn numbered(text: &[u8], out: &mut String) -> usize {
    let is_hex = matches!(text.get(2), Some(b'x' | b'X'));
    let start = if is_hex { 3 } else { 2 };
    let radix = if is_hex { 16 } else { 10 };
    let digits = text[start.min(text.len())..]
        .iter()
        .map_while(|&byte| char::from(byte).to_digit(radix));
    let (mut number, mut count) = (0u32, 0);
    for digit in digits {
        // What is beyond all letters stays there.
        number = number.saturating_mul(radix).saturating_add(digit);
        count += 1;
    }
    if count == 0 {
        return 0;
    }
    out.push(letter(number));
    let end = start + count;
    end + usize::from(text.get(end) == Some(&b';'))
}

/// What the C1 controls stand for: those who write them mean windows-1252.
const C1: [u16; 32] = [
    0x20ac, 0x81, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039,
    0x0152, 0x8d, 0x017d, 0x8f, 0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
    0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x9d, 0x017e, 0x0178,
];

fn letter(number: u32) -> char {
    let number = match number {
        0 => 0xfffd,
        0x80..=0x9f => C1
            .get(number as usize - 0x80)
            .map_or(number, |&one| one.into()),
        _ => number,
    };
    char::from_u32(number).unwrap_or('\u{fffd}')
}

fn named(text: &[u8], within: Within, out: &mut String) -> usize {
    let name = &text[1..];
    let length = name
        .iter()
        .take(NAME_BYTES_MAX + 1)
        .take_while(|byte| byte.is_ascii_alphanumeric())
        .count();
    let whole = (name.get(length) == Some(&b';')).then(|| find(&name[..length]));
    if let Some(found) = whole.flatten() {
        push(found.value, out);
        return length + 2;
    }
    for length in (2..=length.min(BARE_BYTES_MAX)).rev() {
        let Some(found) = find(&name[..length]).filter(|found| found.is_bare) else {
            continue;
        };
        let next = name.get(length);
        let goes_on = next.is_some_and(|byte| *byte == b'=' || byte.is_ascii_alphanumeric());
        if within == Within::Attribute && goes_on {
            return 0;
        }
        push(found.value, out);
        return length + 1;
    }
    0
}

fn push(value: &str, out: &mut String) {
    let letters = value
        .split(' ')
        .filter_map(|hex| u32::from_str_radix(hex, 16).ok());
    out.extend(letters.filter_map(char::from_u32));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_whole_and_in_order() {
        let names = names();
        assert_eq!(
            names.len() + names.iter().filter(|one| one.is_bare).count(),
            2231
        );
        assert!(names.windows(2).all(|pair| pair[0].name < pair[1].name));
        assert!(names.iter().all(|one| one.name.len() <= NAME_BYTES_MAX));
        let bare = names.iter().filter(|one| one.is_bare);
        assert_eq!(bare.map(|one| one.name.len()).max(), Some(BARE_BYTES_MAX));
    }

    #[test]
    fn references_are_read_as_browsers_read_them() {
        let text = |text| decoded(text, Within::Text).into_owned();
        assert_eq!(
            text("a &amp; b &amp c &Auml;&auml"),
            "a & b & c \u{c4}\u{e4}"
        );
        assert_eq!(
            text("&notit; &notin; &bogus; & &; &#; &#x;"),
            "\u{ac}it; \u{2209} &bogus; & &; &#; &#x;"
        );
        assert_eq!(
            text("&#65;&#x42;&#X43&#128;&#0;&#xd800;&#99999999999;"),
            "ABC\u{20ac}\u{fffd}\u{fffd}\u{fffd}"
        );
        assert_eq!(
            text("&CounterClockwiseContourIntegral;&acE;"),
            "\u{2233}\u{223e}\u{333}"
        );
        let value = |text| decoded(text, Within::Attribute).into_owned();
        assert_eq!(value("?a=1&copy=2&amp;b&lt&ltx&lt;"), "?a=1&copy=2&b<&ltx<");
        assert_eq!(value("&"), "&");
    }
}
