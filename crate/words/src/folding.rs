//! Letters without case, accents, width and the like: every letter by itself, whatever is beside it.
//!
//! `folding.txt` has a run of letters a line: the code of the first in hexadecimal, and what each becomes. It says what
//! Unicode's compatibility decompositions leave when marks are taken away, in small letters, and so for letters that are
//! not decomposed but written plainly by many (`ss`, `o`, `ae`, `l`). Letters that only have a small form are not there.
//! Kana keep their voicing and Indic letters their signs, since these are no accents.

use std::sync::OnceLock;

const LIST: &str = include_str!("folding.txt");
const PAGE: usize = 256;

/// Where in `LIST` a letter's fold stands, by its page and place; of no length where there is none.
struct Folds {
    /// The number of a page, plus one; 0 where it folds nothing.
    pages: Vec<u8>,
    places: Vec<(u16, u8)>,
}

fn folds() -> &'static Folds {
    static FOLDS: OnceLock<Folds> = OnceLock::new();
    FOLDS.get_or_init(|| {
        let (mut pages, mut places) = (Vec::new(), Vec::new());
        let mut line_at = 0;
        for line in LIST.lines() {
            let mut parts = line.split(' ');
            let start = parts.next().unwrap_or_default();
            let mut at = line_at + start.len() + 1;
            let first = usize::from_str_radix(start, 16).unwrap_or_default();
            for (n, fold) in parts.enumerate() {
                let letter = first + n;
                let page = letter / PAGE;
                if pages.len() <= page {
                    pages.resize(page + 1, 0);
                }
                if pages[page] == 0 {
                    places.resize(places.len() + PAGE, (0, 0));
                    pages[page] = u8::try_from(places.len() / PAGE).unwrap_or_default();
                }
                let place = (usize::from(pages[page]).max(1) - 1) * PAGE + letter % PAGE;
                let length = u8::try_from(fold.len()).unwrap_or_default();
                places[place] = (u16::try_from(at).unwrap_or_default(), length);
                at += fold.len() + 1;
            }
            line_at += line.len() + 1;
        }
        Folds { pages, places }
    })
}

/// Appends what a letter folds to.
pub fn fold(letter: char, out: &mut Vec<u8>) {
    if letter.is_ascii() {
        out.push(
            u8::try_from(letter)
                .unwrap_or_default()
                .to_ascii_lowercase(),
        );
        return;
    }
    let folds = folds();
    let code = usize::try_from(u32::from(letter)).unwrap_or_default();
    let page = folds.pages.get(code / PAGE).copied().unwrap_or_default();
    if page > 0 {
        let (at, length) = folds.places[(usize::from(page) - 1) * PAGE + code % PAGE];
        if length > 0 {
            let at = usize::from(at);
            out.extend_from_slice(&LIST.as_bytes()[at..at + usize::from(length)]);
            return;
        }
    }
    let mut bytes = [0; 4];
    for small in letter.to_lowercase() {
        out.extend_from_slice(small.encode_utf8(&mut bytes).as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> String {
        let mut out = Vec::new();
        text.chars().for_each(|letter| fold(letter, &mut out));
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn letters_lose_case_accents_and_width() {
        let pairs = [
            ("Stra\u{df}e", "strasse"),
            ("\u{c9}COLE \u{e0}", "ecole a"),
            ("\u{141}\u{f3}d\u{17a}", "lodz"),
            ("\u{1e9e}\u{130}\u{131}", "ssii"),
            (
                "\u{3a3}\u{3af}\u{3c3}\u{3c5}\u{3c6}\u{3bf}\u{3c2}",
                "\u{3c3}\u{3b9}\u{3c3}\u{3c5}\u{3c6}\u{3bf}\u{3c3}",
            ),
            ("\u{401}\u{439}", "\u{435}\u{438}"),
            ("\u{ff21}\u{ff42}\u{ff11}", "ab1"),
            ("\u{fb01}n", "fin"),
            ("\u{ff8a}", "\u{30cf}"),
            ("\u{304c}", "\u{304c}"),
            ("\u{1d5d4}", "a"),
            ("\u{622}", "\u{627}"),
        ];
        for (text, expected) in pairs {
            assert_eq!(folded(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_folded_stays_as_it_is() {
        for letter in (0..0x1_1000)
            .filter_map(char::from_u32)
            .filter(|letter| letter.is_alphanumeric())
        {
            let once = folded(&letter.to_string());
            assert_eq!(folded(&once), once, "{letter}");
        }
    }
}
