//! Lines and blocks of text, made of letters and the places where they are drawn, in the order in which they are.
//!
//! Producers draw in the order of reading, nearly all of them, and few draw blanks at the ends of lines: a gap is a blank, a
//! line below the last one goes on with its block, and what is further away is another one.

use super::matrix::Point;

/// Of the height of letters: from which gap on there is a blank.
const BLANK: f32 = 0.14;
/// How far a letter may be off the line that it is on, as raised ones are.
const OFF_LINE: f32 = 0.45;
/// How far the next line of a block is away at most.
const LINE_APART: f32 = 1.75;
/// How far a line of a block may begin beside the one before.
const INDENT: f32 = 6.0;
/// What is drawn as far back is not of the same line: less than that letters of some scripts go.
const BACK: f32 = 3.0;
/// By how much a last line is shorter than the longest of its block.
const SHORTER: f32 = 0.85;

/// A letter, or several in one, where it is drawn.
pub struct Drawn<'a> {
    pub letters: &'a str,
    pub from: Point,
    pub to: Point,
    /// The way of its line, of length one.
    pub way: Point,
    pub height: f32,
}

pub struct Layout {
    text: String,
    bytes_max: usize,
    last: Option<Last>,
    is_full: bool,
}

struct Last {
    from: Point,
    to: Point,
    way: Point,
    height: f32,
    /// Where its line begins, and how long the longest line of its block is.
    line_from: Point,
    longest: f32,
}

enum Step {
    Same,
    Blank,
    NextLine,
    Block,
    /// The same letter once more, so that it looks bold.
    Again,
}

impl Layout {
    pub fn new(bytes_max: usize) -> Layout {
        Layout {
            text: String::new(),
            bytes_max,
            last: None,
            is_full: false,
        }
    }

    pub fn is_full(&self) -> bool {
        self.is_full
    }

    pub fn finish(mut self) -> String {
        let end = self.text.trim_end().len();
        self.text.truncate(end);
        self.text
    }

    pub fn end_block(&mut self) {
        self.last = None;
        self.trim();
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    pub fn push(&mut self, drawn: &Drawn<'_>) {
        let is_placed = [drawn.from, drawn.to]
            .iter()
            .all(|(x, y)| x.is_finite() && y.is_finite());
        if self.is_full || !is_placed {
            return;
        }
        if self.text.len() + drawn.letters.len() + 2 > self.bytes_max {
            self.is_full = true;
            return;
        }
        let step = self
            .last
            .as_ref()
            .map_or(Step::Block, |last| last.step_to(drawn, &self.text));
        if drawn.letters.is_empty() {
            // It takes its room, whatever it is.
            if let (Some(last), Step::Same) = (&mut self.last, step) {
                last.to = drawn.to;
            }
            return;
        }
        if matches!(step, Step::Again) {
            return;
        }
        match step {
            Step::Blank => self.blank(),
            Step::NextLine => self.join(drawn.letters),
            Step::Block => self.end_block(),
            Step::Same | Step::Again => {}
        }
        let begun = match (&step, &self.last) {
            (Step::Same | Step::Blank, Some(last)) => (last.line_from, last.longest),
            (Step::NextLine, Some(last)) => (drawn.from, last.longest),
            _ => (drawn.from, 0.0),
        };
        let length = along(begun.0, drawn.to, drawn.way);
        self.last = Some(Last {
            from: drawn.from,
            to: drawn.to,
            way: drawn.way,
            height: drawn.height,
            line_from: begun.0,
            longest: begun.1.max(length),
        });
        self.letters(drawn.letters);
    }

    fn letters(&mut self, letters: &str) {
        for letter in letters.chars() {
            match letter {
                '\u{fb00}' => self.text.push_str("ff"),
                '\u{fb01}' => self.text.push_str("fi"),
                '\u{fb02}' => self.text.push_str("fl"),
                '\u{fb03}' => self.text.push_str("ffi"),
                '\u{fb04}' => self.text.push_str("ffl"),
                '\u{fb05}' | '\u{fb06}' => self.text.push_str("st"),
                _ if letter.is_whitespace() => self.blank(),
                _ if letter.is_control() => {}
                _ => self.text.push(letter),
            }
        }
    }

    fn blank(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with([' ', '\n']) {
            self.text.push(' ');
        }
    }

    /// A line goes on in the next one: with a blank, or where a word was divided without its hyphen.
    fn join(&mut self, next: &str) {
        self.trim();
        let mut before = self.text.chars().rev();
        let (hyphen, letter) = (before.next(), before.next());
        let is_word =
            letter.is_some_and(char::is_alphabetic) && next.starts_with(char::is_lowercase);
        match hyphen {
            Some('\u{ad}') => drop(self.text.pop()),
            Some('-' | '\u{2010}') if is_word => drop(self.text.pop()),
            // Where words have no blanks between them lines have none either.
            Some(last) if is_wide(last) && next.starts_with(is_wide) => {}
            _ => self.blank(),
        }
    }

    fn trim(&mut self) {
        let end = self.text.trim_end_matches(' ').len();
        self.text.truncate(end);
    }
}

impl Last {
    fn step_to(&self, next: &Drawn<'_>, text: &str) -> Step {
        let height = self.height.max(next.height);
        let (x, y) = self.way;
        if x * next.way.0 + y * next.way.1 < 0.95 {
            return Step::Block;
        }
        let gap = along(self.to, next.from, self.way);
        let below = along(self.to, next.from, (y, -x));
        if below.abs() <= OFF_LINE * height {
            let is_there = along(self.from, next.from, self.way).abs() < 0.1 * height;
            return match gap {
                _ if is_there
                    && gap < 0.0
                    && !next.letters.is_empty()
                    && text.ends_with(next.letters) =>
                {
                    Step::Again
                }
                _ if gap < -BACK * height => Step::Block,
                _ if gap > BLANK * self.height.min(next.height) => Step::Blank,
                _ => Step::Same,
            };
        }
        let is_near = below > 0.0 && below <= LINE_APART * height;
        let is_alike = self.height.min(next.height) > 0.75 * height;
        let begins = along(self.line_from, next.from, self.way).abs() <= INDENT * height;
        match is_near && is_alike && begins && !self.ends_paragraph(text) {
            true => Step::NextLine,
            false => Step::Block,
        }
    }

    /// A sentence ends here, on a line that is shorter than others.
    fn ends_paragraph(&self, text: &str) -> bool {
        let is_short = along(self.line_from, self.to, self.way) < SHORTER * self.longest;
        is_short && text.trim_end().ends_with(['.', '!', '?', ':', '\u{3002}'])
    }
}

/// How far one point is from another on a way.
fn along(from: Point, to: Point, way: Point) -> f32 {
    (to.0 - from.0) * way.0 + (to.1 - from.1) * way.1
}

/// Of scripts that are written without blanks.
fn is_wide(letter: char) -> bool {
    matches!(letter, '\u{3000}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff60}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts at places, with letters ten high and five wide.
    fn laid(all: &[(f32, f32, &str)]) -> String {
        let mut layout = Layout::new(1_000);
        for &(x, y, text) in all {
            for (at, letter) in text.chars().enumerate() {
                let from = x + 5.0 * f32::from(u16::try_from(at).unwrap_or(0));
                let letters = &letter.to_string();
                layout.push(&Drawn {
                    letters,
                    from: (from, y),
                    to: (from + 5.0, y),
                    way: (1.0, 0.0),
                    height: 10.0,
                });
            }
        }
        layout.finish()
    }

    #[test]
    fn gaps_are_blanks_and_lines_go_on() {
        assert_eq!(
            laid(&[
                (0.0, 100.0, "one"),
                (18.0, 100.0, "two"),
                (0.0, 88.0, "three")
            ]),
            "one two three"
        );
        assert_eq!(laid(&[(0.0, 100.0, "one"), (15.5, 100.0, "two")]), "onetwo");
        assert_eq!(laid(&[(0.0, 100.0, "one"), (15.0, 104.0, "2")]), "one2");
    }

    #[test]
    fn words_that_were_divided_are_whole() {
        assert_eq!(
            laid(&[(0.0, 100.0, "divid-"), (0.0, 88.0, "ed")]),
            "divided"
        );
        assert_eq!(
            laid(&[(0.0, 100.0, "Anglo-"), (0.0, 88.0, "Saxon")]),
            "Anglo- Saxon"
        );
        assert_eq!(
            laid(&[(0.0, 100.0, "\u{65e5}\u{672c}"), (0.0, 88.0, "\u{8a9e}")]),
            "\u{65e5}\u{672c}\u{8a9e}"
        );
    }

    #[test]
    fn what_is_further_away_is_another_block() {
        assert_eq!(laid(&[(0.0, 100.0, "one"), (0.0, 70.0, "two")]), "one\ntwo");
        assert_eq!(
            laid(&[(0.0, 100.0, "below"), (200.0, 700.0, "column")]),
            "below\ncolumn"
        );
        assert_eq!(
            laid(&[
                (0.0, 100.0, "a long line"),
                (0.0, 88.0, "ends."),
                (0.0, 76.0, "Another")
            ]),
            "a long line ends.\nAnother"
        );
    }

    #[test]
    fn letters_that_are_drawn_twice_count_once() {
        assert_eq!(
            laid(&[(0.0, 100.0, "b"), (0.3, 100.0, "b"), (5.0, 100.0, "c")]),
            "bc"
        );
    }

    #[test]
    fn places_that_are_none_and_texts_without_end_do_no_harm() {
        assert_eq!(
            laid(&[
                (f32::NAN, 1.0, "a"),
                (0.0, f32::INFINITY, "b"),
                (0.0, 0.0, "c")
            ]),
            "c"
        );
        let mut layout = Layout::new(10);
        for x in [0.0, 9.0, 18.0, 27.0, 36.0] {
            layout.push(&Drawn {
                letters: "\u{65e5}",
                from: (x, 0.0),
                to: (x + 9.0, 0.0),
                way: (1.0, 0.0),
                height: 1.0,
            });
        }
        assert!(layout.is_full());
        assert!(layout.finish().len() <= 10);
    }
}
