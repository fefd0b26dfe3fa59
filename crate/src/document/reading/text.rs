//! Text as it is read: blocks of words, a line each.

use crate::limits::DOCUMENT_TEXT_BYTES_MAX;

/// Gathers text; white space of any length is one blank.
pub struct Lines {
    text: String,
    bytes_max: usize,
    gap: Gap,
    is_cut: bool,
}

/// What comes before the next word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    Nothing,
    Blank,
    Line,
}

impl Default for Lines {
    fn default() -> Lines {
        Lines::of_at_most(DOCUMENT_TEXT_BYTES_MAX)
    }
}

impl Lines {
    pub fn of_at_most(bytes_max: usize) -> Lines {
        Lines {
            text: String::new(),
            bytes_max,
            gap: Gap::Nothing,
            is_cut: false,
        }
    }

    /// A block ends here, or begins.
    pub fn end_line(&mut self) {
        self.gap = Gap::Line;
    }

    pub fn blank(&mut self) {
        self.gap = self.gap.max(Gap::Blank);
    }

    /// A line of its own.
    pub fn line(&mut self, text: &str) {
        self.end_line();
        self.push(text);
        self.end_line();
    }

    pub fn push(&mut self, text: &str) {
        let mut rest = text;
        while !self.is_cut && !rest.is_empty() {
            let (length, blank) = words(rest);
            if length > 0 {
                self.words(&rest[..length]);
            }
            if blank > 0 {
                self.blank();
            }
            rest = &rest[length + blank..];
        }
    }

    /// Text whose lines count.
    pub fn push_lines(&mut self, text: &str) {
        for (number, line) in text.split(['\n', '\r']).enumerate() {
            if number > 0 {
                self.end_line();
            }
            self.push(line);
        }
    }

    /// Words with a blank between each other.
    fn words(&mut self, words: &str) {
        let mut words = words;
        let room = self.bytes_max.saturating_sub(self.text.len() + 1);
        if words.len() > room {
            // As many as there is room for.
            self.is_cut = true;
            let end = words.bytes().take(room + 1).rposition(|byte| byte == b' ');
            words = &words[..end.unwrap_or(0)];
        }
        if words.is_empty() {
            return;
        }
        if !self.text.is_empty() {
            match self.gap {
                Gap::Nothing => {}
                Gap::Blank => self.text.push(' '),
                Gap::Line => self.text.push('\n'),
            }
        }
        self.gap = Gap::Nothing;
        self.text.push_str(words);
    }

    /// Bytes so far.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// What was gathered from there on.
    pub fn since(&self, start: usize) -> &str {
        self.text.get(start..).unwrap_or_default().trim_start()
    }

    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    pub fn finish(self) -> String {
        self.text
    }
}

/// Length of the words that a text begins with, as far as they stand as they are to be, and of the white space behind.
fn words(text: &str) -> (usize, usize) {
    let bytes = text.as_bytes();
    let is_word = |byte: &u8| (b'!'..=b'~').contains(byte);
    let mut at = 0;
    // A blank between two words is what comes of all white space.
    while let Some(byte) = bytes.get(at) {
        let is_between = *byte == b' ' && at > 0 && bytes.get(at + 1).is_some_and(is_word);
        if !is_word(byte) && !is_between {
            match text[at..].chars().next() {
                Some(letter) if !is_blank(letter) => at += letter.len_utf8() - 1,
                _ => break,
            }
        }
        at += 1;
    }
    let blank = text[at..].find(|letter| !is_blank(letter));
    (at, blank.unwrap_or(text.len() - at))
}

/// White space, and what shows nothing.
fn is_blank(letter: char) -> bool {
    matches!(letter, '\0'..=' ' | '\u{7f}'..='\u{a0}' | '\u{feff}')
        || letter > '\u{a0}' && letter.is_whitespace()
}

/// The beginning of a text as one line of at most so many bytes.
pub fn one_line(text: &str, bytes_max: usize) -> String {
    let mut line = Lines::of_at_most(usize::MAX);
    let mut end = text.len().min(bytes_max.saturating_mul(4));
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    line.push(&text[..end]);
    cut(line.finish(), bytes_max)
}

/// The same text, or its beginning.
pub fn cut(mut text: String, bytes_max: usize) -> String {
    let mut end = text.len().min(bytes_max);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_one_blank_and_blocks_are_lines() {
        let mut lines = Lines::default();
        lines.end_line();
        lines.push(" \t one\u{a0} two");
        lines.push("three ");
        lines.end_line();
        lines.push("\n");
        lines.push("four");
        lines.blank();
        lines.push_lines("five\r\nsix\n");
        assert_eq!(lines.finish(), "one twothree\nfour five\nsix");
    }

    #[test]
    fn what_is_too_long_is_cut_at_a_word() {
        let mut lines = Lines::of_at_most(12);
        lines.push("one two three four");
        assert!(lines.is_cut());
        assert_eq!(lines.finish(), "one two");
        assert_eq!(one_line(" a \n b\u{e4} ", 4), "a b");
    }
}
