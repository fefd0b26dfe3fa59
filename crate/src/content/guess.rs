//! The character set of a text that does not say which, by what can and what usually does stand in each.
//!
//! UTF-8 and the Asian sets have an inner form that other texts hardly have by chance. For the others the letters
//! beyond ASCII are compared with how often they occur in a language; the likeliest language brings its set.

mod models;

use models::{MODELS, Model};

use crate::limits::CHARSET_GUESS_BYTES;

/// What is not found in a model is this rare in it: one in two thousand.
const UNSEEN_BITS: i64 = 11;

/// The likeliest set of the text that begins with `start`, cut anywhere.
pub fn guess(start: &[u8]) -> &'static str {
    let text = &start[..start.len().min(CHARSET_GUESS_BYTES)];
    if let Some(name) = wide(text) {
        return name;
    }
    if is_iso_2022_jp(text) {
        return "iso-2022-jp";
    }
    let is_utf8 = match std::str::from_utf8(text) {
        Ok(_) => true,
        // A character cut at the end.
        Err(error) => error.error_len().is_none(),
    };
    if is_utf8 {
        return "utf-8";
    }
    multibyte(text).unwrap_or_else(|| single_byte(text))
}

/// UTF-16 without its mark: every other byte of Latin text is zero.
fn wide(text: &[u8]) -> Option<&'static str> {
    let pairs = text.len() / 2;
    let zeros = |from: usize| {
        text.iter()
            .skip(from)
            .step_by(2)
            .filter(|byte| **byte == 0)
            .count()
    };
    let (even, odd) = (zeros(0), zeros(1));
    if pairs < 2 || even.max(odd) * 2 < pairs || even.min(odd) * 20 > pairs {
        return None;
    }
    Some(if odd > even { "utf-16le" } else { "utf-16be" })
}

fn is_iso_2022_jp(text: &[u8]) -> bool {
    text.is_ascii()
        && text
            .windows(3)
            .any(|three| matches!(three, b"\x1b$B" | b"\x1b$@" | b"\x1b(J" | b"\x1b(I"))
}

// Asian sets of one and two bytes

/// What was counted in a text that was read as one of these sets.
#[derive(Default)]
struct Pairs {
    /// Characters of two bytes.
    count: usize,
    /// Those that are common in the language.
    common: usize,
    wrong: usize,
}

impl Pairs {
    /// Reads `text`: `kind` says of a lead byte and the byte after it whether they are one character, and a common one.
    /// `single` says which high bytes stand alone.
    fn read(text: &[u8], single: fn(u8) -> bool, kind: fn(u8, u8) -> Option<bool>) -> Pairs {
        let mut pairs = Pairs::default();
        let mut at = 0;
        while at < text.len() {
            let lead = text[at];
            at += 1;
            if lead < 0x80 || single(lead) {
                continue;
            }
            let Some(&trail) = text.get(at) else { break };
            match kind(lead, trail) {
                Some(is_common) => {
                    pairs.count += 1;
                    pairs.common += usize::from(is_common);
                    at += 1;
                }
                None => pairs.wrong += 1,
            }
        }
        pairs
    }

    /// How common its characters are, in hundredths; nothing where it cannot be this set.
    fn score(&self) -> usize {
        if self.count == 0 || self.wrong * 50 > self.count {
            return 0;
        }
        self.common * 100 / self.count
    }
}

const fn is_kanji_1(lead: u8) -> bool {
    matches!(lead, 0xb0..=0xcf)
}

fn multibyte(text: &[u8]) -> Option<&'static str> {
    let never = |_: u8| false;
    let is_94 = |trail: u8| matches!(trail, 0xa1..=0xfe);
    let euc_jp = Pairs::read(text, never, |lead, trail| {
        let is_common = matches!(lead, 0xa1 | 0xa4 | 0xa5) || is_kanji_1(lead);
        let is_there = matches!(lead, 0x8e | 0x8f | 0xa1..=0xfe) && matches!(trail, 0xa1..=0xfe);
        is_there.then_some(is_common)
    });
    let kana = text
        .windows(2)
        .filter(|pair| matches!(pair[0], 0xa4 | 0xa5) && is_94(pair[1]))
        .count();
    let shift_jis = Pairs::read(
        text,
        |byte| matches!(byte, 0xa1..=0xdf),
        |lead, trail| {
            let is_trail = matches!(trail, 0x40..=0x7e | 0x80..=0xfc);
            let is_kana = lead == 0x82 && trail >= 0x9f || lead == 0x83 && trail <= 0x96;
            let is_common = is_kana || lead == 0x81 || matches!(lead, 0x88..=0x97);
            (matches!(lead, 0x81..=0x9f | 0xe0..=0xfc) && is_trail).then_some(is_common)
        },
    );
    let euc_kr = Pairs::read(text, never, |lead, trail| {
        let is_there =
            matches!(lead, 0x81..=0xfd) && matches!(trail, 0x41..=0x5a | 0x61..=0x7a | 0x81..=0xfe);
        let is_common = matches!(lead, 0xb0..=0xc8 | 0xa1) && matches!(trail, 0xa1..=0xfe);
        is_there.then_some(is_common)
    });
    let gbk = Pairs::read(text, never, |lead, trail| {
        let is_there =
            matches!(lead, 0x81..=0xfe) && matches!(trail, 0x30..=0x39 | 0x40..=0x7e | 0x80..=0xfe);
        let is_common = matches!(lead, 0xb0..=0xd7 | 0xa1 | 0xa3) && matches!(trail, 0xa1..=0xfe);
        is_there.then_some(is_common)
    });
    let big5 = Pairs::read(text, never, |lead, trail| {
        let is_there = matches!(lead, 0x81..=0xfe) && matches!(trail, 0x40..=0x7e | 0xa1..=0xfe);
        let is_common = matches!(lead, 0xa4..=0xc6 | 0xa1);
        is_there.then_some(is_common)
    });
    // Japanese is kana for a third at least, which the others have hardly any of.
    if euc_jp.score() > 80 && kana * 5 > euc_jp.count {
        return Some("euc-jp");
    }
    // Most of Shift_JIS's leads are not even bytes of the sets with two high bytes.
    let low_leads = text
        .iter()
        .filter(|byte| matches!(byte, 0x81..=0x9f))
        .count();
    if shift_jis.score() > 80 && low_leads * 4 > shift_jis.count {
        return Some("shift_jis");
    }
    // Korean keeps to 25 rows of leads, Chinese of the mainland to 40 of which half lie beyond, and Taiwan's has
    // trails below 0x80.
    let candidates = [
        (euc_kr.score(), 90, "euc-kr"),
        (gbk.score(), 85, "gbk"),
        (big5.score(), 85, "big5"),
    ];
    let (_, _, name) = candidates
        .into_iter()
        .find(|(score, least, _)| score >= least)?;
    // A stray accented word in Latin text can be a pair or two.
    let high = text.iter().filter(|byte| **byte >= 0x80).count();
    let runs = text
        .windows(2)
        .filter(|pair| pair[0] >= 0x80 && pair[1] >= 0x80)
        .count();
    let is_asian = if name == "big5" {
        big5.count >= 4 && runs * 3 > high
    } else {
        runs * 10 > high * 6 && runs >= 3 && !looks_single(text)
    };
    is_asian.then_some(name)
}

/// Words of high letters with an odd number of bytes, which pairs do not have.
fn looks_single(text: &[u8]) -> bool {
    // The last word may be cut.
    let end = text.iter().rposition(|byte| *byte < 0x80).unwrap_or(0);
    let words = text[..end].split(|byte| *byte < 0x80);
    let (odd, all) = words
        .filter(|word| !word.is_empty())
        .fold((0, 0), |(odd, all), word| (odd + word.len() % 2, all + 1));
    odd * 5 > all
}

// Sets of one byte

fn single_byte(text: &[u8]) -> &'static str {
    let best = MODELS
        .iter()
        .map(|model| (likelihood(text, model), model.set))
        .max_by_key(|(score, _)| *score);
    best.map_or("windows-1252", |(_, set)| set)
}

/// How likely the letters of the text are in the language of a model, in eighths of bits.
fn likelihood(text: &[u8], model: &Model) -> i64 {
    let weights = model.weights();
    let total: i64 = weights.iter().map(|weight| i64::from(*weight)).sum();
    let unseen = -8 * UNSEEN_BITS;
    let mut score = 0;
    let mut before = b' ';
    let mut run = 0;
    for (at, &byte) in text.iter().enumerate() {
        if byte < 0x80 {
            run = 0;
        } else if weights[usize::from(byte - 0x80)] > 0 {
            let weight = i64::from(weights[usize::from(byte - 0x80)]);
            score += (bits(weight) - bits(total)).max(unseen);
            run += 1;
            let after = text.get(at + 1).copied().unwrap_or(b' ');
            let is_in_latin = before.is_ascii_alphabetic() || after.is_ascii_alphabetic();
            if model.is_latin && run > 2 || !model.is_latin && is_in_latin {
                score -= 32;
            }
        } else if !model.is_neutral(byte) {
            score += unseen;
        }
        before = byte;
    }
    score
}

/// The logarithm to base 2 in eighths.
fn bits(number: i64) -> i64 {
    let number = u64::try_from(number).unwrap_or(0).max(1);
    let whole = number.ilog2();
    let rest = ((number << 3) >> whole) & 7;
    i64::from(whole * 8) + i64::try_from(rest).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A set and a text that is written in it, a line each: sentences of the Universal Declaration of Human
    /// Rights, which belongs to nobody.
    const SAMPLES: &str = include_str!("guess/samples.tsv");

    #[test]
    fn texts_in_many_languages_are_recognised() {
        let mut wrong = Vec::new();
        for (name, text) in SAMPLES.lines().filter_map(|line| line.split_once('\t')) {
            let set = encoding_rs::Encoding::for_label(name.as_bytes()).expect("a set");
            let (bytes, _, has_lost) = set.encode(text);
            assert!(!has_lost, "{name}: {text}");
            for page in [
                bytes.to_vec(),
                [b"<html><title>", &bytes[..], b"</title><p>"].concat(),
            ] {
                let found = guess(&page);
                if found != name {
                    wrong.push(format!("{found} for {name}: {text}"));
                }
            }
            // Cut in the middle of a character.
            if name != "iso-2022-jp" && guess(&bytes[..bytes.len() - 2]) != name {
                wrong.push(format!("{name} cut: {text}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert_eq!(SAMPLES.lines().count(), 30);
    }

    #[test]
    fn utf16_is_seen_without_its_mark() {
        let text = "All human beings are born free";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!((guess(&little), guess(&big)), ("utf-16le", "utf-16be"));
    }
}
