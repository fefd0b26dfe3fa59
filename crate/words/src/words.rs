//! Words of a text, in any script, with their numbers and where they stand.
//!
//!   word := letter (letter | mark)*             letters and digits, folded; anything else parts words
//!   run  := two neighbouring letters of a script without blanks; the last letter of such a stretch alone
//! Words are numbered from 0, letters of runs each for themselves. Beside words there are terms that stand where their
//! first word does: `u.s.a.` is `u`, `s`, `a` and `usa`, `c++` is `c` and `c++`, `c#` is `c` and `c#`.
//! What is a word does not depend on what is beside it, except for these.

use crate::folding::fold;
use crate::letters::{Class, class};

/// Longer terms are cut here.
pub const TERM_BYTES_MAX: usize = 64;
/// `u.s.a.` and the like have no more letters.
const INITIALS_MAX: usize = 8;

/// A term and where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<'a> {
    pub term: &'a [u8],
    /// The number of the word.
    pub position: u32,
    /// Where in the text it begins and ends, in bytes.
    pub start: usize,
    pub end: usize,
    /// It stands where its first word does, beside that.
    pub is_beside: bool,
    /// It is the last letter of a stretch of a script without blanks.
    pub is_lone: bool,
}

/// A letter's small form, or 0 where it is none.
const SMALL: [u8; 128] = {
    let mut small = [0; 128];
    let mut byte = 0u8;
    while byte < 128 {
        if byte.is_ascii_alphanumeric() {
            small[byte as usize] = byte.to_ascii_lowercase();
        }
        byte += 1;
    }
    small
};

/// Calls `visit` with each word, until it returns false. How many words there are, or were.
pub fn words(text: &str, mut visit: impl FnMut(Word<'_>) -> bool) -> u32 {
    let bytes = text.as_bytes();
    let mut term = [0; TERM_BYTES_MAX];
    let mut folded = Vec::new();
    let (mut at, mut position) = (0, 0);
    while at < bytes.len() {
        let first = bytes[at];
        if first < 0x80 && SMALL[usize::from(first)] == 0 {
            at += 1;
            continue;
        }
        let start = at;
        let mut length = 0;
        // Nearly all words are of these letters.
        while let Some(&byte) = bytes.get(at) {
            let small = SMALL.get(usize::from(byte)).copied().unwrap_or(0);
            if small == 0 {
                break;
            }
            if length < TERM_BYTES_MAX {
                term[length] = small;
                length += 1;
            }
            at += 1;
        }
        if bytes.get(at).is_some_and(|byte| *byte >= 0x80) {
            let mut other = Other {
                text,
                term: &mut folded,
                position,
                visit: &mut visit,
            };
            let goes_on = other.read(start, &mut at);
            position = other.position;
            if !goes_on {
                break;
            }
            continue;
        }
        let word = Word {
            term: &term[..length],
            position,
            start,
            end: at,
            is_beside: false,
            is_lone: false,
        };
        position += 1;
        let is_signed = matches!(bytes.get(at), Some(b'+' | b'#' | b'.'));
        if !visit(word) || is_signed && !beside(bytes, word, &mut visit) {
            break;
        }
    }
    position
}

/// Tells a term that stands beside a word, where there is one.
fn beside(bytes: &[u8], word: Word<'_>, visit: &mut impl FnMut(Word<'_>) -> bool) -> bool {
    let mut term = [0; TERM_BYTES_MAX + 2];
    let is_letter = |at: usize| {
        let byte = bytes.get(at).copied().unwrap_or_default();
        byte >= 0x80 || SMALL[usize::from(byte)] != 0
    };
    let rest = &bytes[word.end..];
    let length = word.term.len();
    let signs: &[u8] = if rest.starts_with(b"++") && !is_letter(word.end + 2) && length < 16 {
        b"++"
    } else if rest.starts_with(b"#") && !is_letter(word.end + 1) && length == 1 {
        b"#"
    } else {
        b""
    };
    let (mut end, mut letters) = (word.end + signs.len(), length);
    if signs.is_empty() {
        let is_first = word.start == 0 || bytes[word.start - 1] != b'.';
        if length != 1 || !is_first || !word.term[0].is_ascii_alphabetic() {
            return true;
        }
        term[0] = word.term[0];
        // A letter, a dot, a letter, and so on.
        while bytes.get(end) == Some(&b'.') && letters < INITIALS_MAX {
            let next = bytes.get(end + 1).copied().unwrap_or_default();
            if !next.is_ascii_alphabetic() || is_letter(end + 2) {
                break;
            }
            term[letters] = next.to_ascii_lowercase();
            letters += 1;
            end += 2;
        }
        if letters == 1 {
            return true;
        }
    } else {
        term[..length].copy_from_slice(word.term);
        term[length..length + signs.len()].copy_from_slice(signs);
        letters += signs.len();
    }
    visit(Word {
        term: &term[..letters],
        end,
        is_beside: true,
        ..word
    })
}

/// Reads a stretch of letters with others than those of ASCII in it.
struct Other<'a, V> {
    text: &'a str,
    term: &'a mut Vec<u8>,
    position: u32,
    visit: &'a mut V,
}

impl<V: FnMut(Word<'_>) -> bool> Other<'_, V> {
    /// Reads up to a gap. False where `visit` wants no more.
    fn read(&mut self, start: usize, at: &mut usize) -> bool {
        self.term.clear();
        let (mut begin, mut end) = (start, start);
        // How long the fold is of a run's letter that waits for the next one.
        let mut waits: Option<usize> = None;
        *at = self.text.len();
        for (n, letter) in self.text[start..].char_indices() {
            let (here, behind) = (start + n, start + n + letter.len_utf8());
            match class(letter) {
                Class::Mark => {
                    end = behind;
                    continue;
                }
                Class::Gap => {
                    *at = behind;
                    break;
                }
                Class::Letter => {
                    if waits.take().is_some() && !self.tell(begin, end, true) {
                        return false;
                    }
                    if self.term.is_empty() {
                        begin = here;
                    }
                    fold(letter, self.term);
                }
                Class::Run => {
                    let is_word = waits.is_none() && !self.term.is_empty();
                    if is_word && !self.tell(begin, end, false) {
                        return false;
                    }
                    fold(letter, self.term);
                    let first = waits.unwrap_or_default();
                    if first > 0 && !self.tell_both(first, begin, behind) {
                        return false;
                    }
                    waits = Some(self.term.len());
                    begin = here;
                }
            }
            end = behind;
        }
        self.term.is_empty() || self.tell(begin, end, waits.is_some())
    }

    /// Tells a word, and begins the next one.
    fn tell(&mut self, start: usize, end: usize, is_lone: bool) -> bool {
        let goes_on = self.tell_term(start, end, is_lone);
        self.term.clear();
        goes_on
    }

    /// Tells two letters of a run, and goes on with the second.
    fn tell_both(&mut self, first: usize, start: usize, end: usize) -> bool {
        let goes_on = self.tell_term(start, end, false);
        self.term.drain(..first);
        goes_on
    }

    fn tell_term(&mut self, start: usize, end: usize, is_lone: bool) -> bool {
        let term = self.term.as_slice();
        let mut length = term.len().min(TERM_BYTES_MAX);
        // Not in the middle of a letter.
        while length < term.len() && term[length] & 0xc0 == 0x80 {
            length -= 1;
        }
        let word = Word {
            term: &term[..length],
            position: self.position,
            start,
            end,
            is_beside: false,
            is_lone,
        };
        self.position += 1;
        (self.visit)(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> String {
        let mut told = Vec::new();
        words(text, |word| {
            let term = String::from_utf8(word.term.to_vec()).expect("text");
            let sign = if word.is_beside { "=" } else { "" };
            told.push(format!("{sign}{term}@{}", word.position));
            assert!(text.get(word.start..word.end).is_some(), "{text}");
            true
        });
        told.join(" ")
    }

    #[test]
    fn words_of_every_script_are_found() {
        let cases = [
            ("", ""),
            ("The quick, BROWN fox_1!", "the@0 quick@1 brown@2 fox@3 1@4"),
            ("don't wi-fi 3.14", "don@0 t@1 wi@2 fi@3 3@4 14@5"),
            ("me@example.org", "me@0 example@1 org@2"),
            ("C++ c# x++y", "c@0 =c++@0 c@1 =c#@1 x@2 y@3"),
            ("the U.S.A. is", "the@0 u@1 =usa@1 s@2 a@3 is@4"),
            ("i.e. a.b2", "i@0 =ie@0 e@1 a@2 b2@3"),
            ("na\u{ef}ve cafe\u{301} \u{c9}", "naive@0 cafe@1 e@2"),
            ("x\u{ad}y", "xy@0"),
            ("\u{4e2d}", "\u{4e2d}@0"),
            (
                "\u{4e2d}\u{56fd}\u{4eba}",
                "\u{4e2d}\u{56fd}@0 \u{56fd}\u{4eba}@1 \u{4eba}@2",
            ),
            ("2024\u{5e74}x", "2024@0 \u{5e74}@1 x@2"),
            (
                "\u{e01}\u{e34}\u{e19} a",
                "\u{e01}\u{e34}@0 \u{e34}\u{e19}@1 \u{e19}@2 a@3",
            ),
            (
                "\u{43f}\u{440}\u{438}, \u{41c}\u{418}\u{420}",
                "\u{43f}\u{440}\u{438}@0 \u{43c}\u{438}\u{440}@1",
            ),
            (
                "\u{939}\u{93f}\u{928}\u{94d}\u{926}\u{940}",
                "\u{939}\u{93f}\u{928}\u{94d}\u{926}\u{940}@0",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(told(text), expected, "{text}");
        }
    }

    #[test]
    fn long_words_are_cut_between_letters() {
        for letter in ["a", "\u{e4}", "\u{44f}", "\u{915}", "\u{1d5d4}"] {
            words(&letter.repeat(100), |word| {
                assert!(word.term.len() <= TERM_BYTES_MAX && word.term.len() > TERM_BYTES_MAX - 4);
                assert!(std::str::from_utf8(word.term).is_ok());
                true
            });
        }
    }

    #[test]
    fn words_are_the_same_when_reading_begins_at_one_of_them() {
        let text = "One \u{4e2d}\u{56fd}\u{4eba}abc na\u{ef}ve U.S.A. C++ \u{e01}\u{e34}\u{e19}x2";
        let mut all = Vec::new();
        words(text, |word| {
            all.push((
                word.term.to_vec(),
                word.position,
                word.start,
                word.is_beside,
            ));
            true
        });
        for (_, position, start, is_beside) in all.clone() {
            // Initials are told beside the first of them only.
            if is_beside || text[..start].ends_with('.') {
                continue;
            }
            let mut rest = Vec::new();
            words(&text[start..], |word| {
                rest.push((
                    word.term.to_vec(),
                    word.position + position,
                    word.start + start,
                    word.is_beside,
                ));
                true
            });
            let expected: Vec<_> = all.iter().filter(|word| word.2 >= start).cloned().collect();
            assert_eq!(rest, expected, "from {start}");
        }
    }
}
