//! What the body of a record holds, without its codings: looked for while it streams by, in windows that overlap.
//!
//! Bytes are read as UTF-8; those that are none match as replacement characters. Anchors mean the whole body.
//! W1  A match that begins in a window and is no longer than the overlap lies in it, or in the next one.
//! W2  What ends where a window ends is looked at again in the next one: that may be no end of a word or of the body.

use memchr::memmem;

use super::column::Why;
use super::matcher::{Expression, Matcher};
use super::parse::Value;
use crate::archive::{BodyDecoder, BodyOutcome, Content, HttpHead};
use crate::limits::{RAW_DECODED_BYTES_MAX, RAW_OVERLAP_BYTES, RAW_WINDOW_BYTES};
use crate::pattern::needles_of;

/// What is looked for in a body.
pub enum RawTest {
    /// Anything at all.
    Any,
    Text(Vec<u8>),
    Expression(Box<Sought>),
}

/// An expression, and literals of which what it matches holds one; none where it says nothing of that.
pub struct Sought {
    expression: Expression,
    needles: Vec<Vec<u8>>,
    /// The needles are in small letters, and stand for capital ones too.
    is_folded: bool,
}

impl Sought {
    fn new(expression: Expression) -> Sought {
        let needles = needles_of(expression.as_str(), expression.ignores_case);
        let (needles, is_folded) = needles.unwrap_or_default();
        Sought {
            expression,
            needles: needles.into_iter().map(String::into_bytes).collect(),
            is_folded,
        }
    }

    /// Where the first match ends of those that begin at a place or behind it. Most of what is read holds no needle, which
    /// is seen far sooner.
    fn end_from(&self, text: &str, from: usize) -> Option<usize> {
        let folded = self.is_folded.then(|| text.to_ascii_lowercase());
        let held_by = folded.as_deref().unwrap_or(text).as_bytes();
        let is_there = |needle: &Vec<u8>| memmem::find(held_by, needle).is_some();
        if !self.needles.is_empty() && !self.needles.iter().any(is_there) {
            return None;
        }
        self.expression.end_from(text, from)
    }
}

impl RawTest {
    pub fn of(value: &Value) -> Result<RawTest, Why> {
        match value {
            Value::Bare(text) if text == "*" => Ok(RawTest::Any),
            Value::Bare(text) if text.contains('*') => Err(Some(
                "a star in quotes stands for itself, and /.*/ for anything".into(),
            )),
            Value::Bare(text) | Value::Quoted(text) if text.is_empty() => Err(None),
            Value::Bare(text) | Value::Quoted(text) => Ok(RawTest::Text(text.clone().into_bytes())),
            Value::Regex {
                pattern,
                ignores_case,
            } => match Matcher::regex(pattern, *ignores_case).map_err(Some)? {
                Matcher::Regex(expression) => {
                    Ok(RawTest::Expression(Box::new(Sought::new(*expression))))
                }
                _ => Err(None),
            },
        }
    }
}

/// A search for one thing in one body.
#[derive(Default)]
struct Search {
    /// The window, as bytes for a text and decoded for an expression.
    bytes: Vec<u8>,
    text: String,
    /// Where in the window matches may begin: what is before it is there for anchors to see.
    from: usize,
    is_found: bool,
}

impl Search {
    fn push(&mut self, test: &RawTest, bytes: &[u8]) {
        for some in bytes.chunks(RAW_OVERLAP_BYTES) {
            if self.is_found {
                return;
            }
            self.bytes.extend_from_slice(some);
            match test {
                RawTest::Any => self.is_found = true,
                RawTest::Text(text) if self.bytes.len() >= RAW_WINDOW_BYTES => {
                    self.look_for_text(text)
                }
                RawTest::Text(_) => {}
                RawTest::Expression(expression) => {
                    self.decode(false);
                    if self.text.len() >= RAW_WINDOW_BYTES {
                        self.look_for(expression);
                    }
                }
            }
        }
    }

    fn end(&mut self, test: &RawTest) {
        if self.is_found {
            return;
        }
        match test {
            RawTest::Any => {}
            RawTest::Text(text) => self.look_for_text(text),
            RawTest::Expression(expression) => {
                self.decode(true);
                self.is_found = expression.end_from(&self.text, self.from).is_some();
            }
        }
    }

    fn look_for_text(&mut self, text: &[u8]) {
        self.is_found = memmem::find(&self.bytes, text).is_some();
        let seen = self.bytes.len().saturating_sub(text.len() - 1);
        self.bytes.drain(..seen);
    }

    fn look_for(&mut self, expression: &Sought) {
        let end = expression.end_from(&self.text, self.from);
        self.is_found = end.is_some_and(|end| end < self.text.len());
        let next = boundary_before(&self.text, self.text.len() - RAW_OVERLAP_BYTES);
        let context = boundary_before(&self.text, next.saturating_sub(1));
        self.text.drain(..context);
        self.from = next - context;
    }

    /// Reads what came as text, but for a character that is not all there yet.
    fn decode(&mut self, is_end: bool) {
        let whole = if is_end {
            self.bytes.len()
        } else {
            self.bytes.len() - unfinished(&self.bytes)
        };
        self.text
            .push_str(&String::from_utf8_lossy(&self.bytes[..whole]));
        self.bytes.drain(..whole);
    }
}

fn boundary_before(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// How many bytes at the end may be the beginning of a character.
fn unfinished(bytes: &[u8]) -> usize {
    for back in 1..=bytes.len().min(3) {
        let byte = bytes[bytes.len() - back];
        let length = match byte {
            0x80..=0xbf => continue,
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => 1,
        };
        return if length > back { back } else { 0 };
    }
    0
}

/// All that is looked for in the body of one record.
pub(super) struct BodySearch {
    decoder: BodyDecoder,
    hearing: Hearing,
    outcomes: Vec<Option<bool>>,
}

#[derive(Default)]
struct Hearing {
    searches: Vec<Search>,
    content: Vec<u8>,
    is_coded: bool,
    decoded: u64,
}

impl Content for Hearing {
    fn content(&mut self, bytes: &[u8]) {
        self.decoded += bytes.len() as u64;
        self.content.extend_from_slice(bytes);
    }

    fn is_full(&self) -> bool {
        self.content.len() >= RAW_WINDOW_BYTES || self.is_over()
    }
}

impl Hearing {
    /// Of what expands without bounds no more is looked at.
    fn is_over(&self) -> bool {
        self.is_coded && self.decoded > RAW_DECODED_BYTES_MAX
    }

    fn search(&mut self, tests: &[RawTest]) {
        for (search, test) in self.searches.iter_mut().zip(tests) {
            search.push(test, &self.content);
        }
        self.content.clear();
    }
}

impl BodySearch {
    pub(super) fn new(tests: &[RawTest], head: Option<&HttpHead>) -> BodySearch {
        let decoder = BodyDecoder::new(head);
        let hearing = Hearing {
            searches: tests.iter().map(|_| Search::default()).collect(),
            is_coded: decoder.is_coded(),
            ..Hearing::default()
        };
        BodySearch {
            decoder,
            hearing,
            outcomes: tests.iter().map(|_| None).collect(),
        }
    }

    /// Whether something is still looked for.
    pub(super) fn is_going_on(&self) -> bool {
        self.outcomes.contains(&None) && !self.hearing.is_over()
    }

    pub(super) fn push(&mut self, tests: &[RawTest], bytes: &[u8]) {
        if self.is_going_on() {
            self.decoder.push(bytes, &mut self.hearing);
            self.catch_up(tests);
        }
    }

    fn catch_up(&mut self, tests: &[RawTest]) {
        loop {
            self.hearing.search(tests);
            for (outcome, search) in self.outcomes.iter_mut().zip(&self.hearing.searches) {
                *outcome = search.is_found.then_some(true).or(*outcome);
            }
            if !self.decoder.is_behind() || !self.is_going_on() {
                return;
            }
            self.decoder.go_on(&mut self.hearing);
        }
    }

    /// The body ends here. Of one that breaks off, or is too long, it is not known what it does not hold.
    pub(super) fn end(&mut self, tests: &[RawTest], is_whole: bool) {
        if !self.is_going_on() {
            return;
        }
        self.decoder.finish(&mut self.hearing);
        self.catch_up(tests);
        let is_sound = !matches!(
            self.decoder.outcome(),
            BodyOutcome::BadChunk | BodyOutcome::BadEncoding
        );
        let is_known = is_whole && is_sound && !self.hearing.is_over();
        for ((outcome, search), test) in self
            .outcomes
            .iter_mut()
            .zip(&mut self.hearing.searches)
            .zip(tests)
        {
            search.end(test);
            if search.is_found || is_known {
                *outcome = Some(search.is_found);
            }
        }
    }

    pub(super) fn outcome(&self, number: usize) -> Option<bool> {
        self.outcomes.get(number).copied().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test_of(pattern: &str, ignores_case: bool) -> RawTest {
        let value = Value::Regex {
            pattern: pattern.into(),
            ignores_case,
        };
        RawTest::of(&value).unwrap_or_else(|why| unreachable!("{pattern}: {why:?}"))
    }

    fn holds(test: &RawTest, body: &[u8], piece: usize) -> Option<bool> {
        let tests = std::slice::from_ref(test);
        let mut search = BodySearch::new(tests, None);
        for some in body.chunks(piece) {
            search.push(tests, some);
        }
        search.end(tests, true);
        search.outcome(0)
    }

    #[test]
    fn windows_answer_as_the_whole_does() {
        // Bytes that are no text at places where windows meet, words across them, and the ends of the body.
        let mut body = b"Start of it \xff".to_vec();
        while body.len() < 3 * RAW_WINDOW_BYTES {
            body.extend_from_slice("ab\u{e9}\u{4e2d}\u{1f600} line\n".as_bytes());
            if body.len().is_multiple_of(7) {
                body.push(0xe4);
            }
        }
        for at in [RAW_WINDOW_BYTES, 2 * RAW_WINDOW_BYTES - RAW_OVERLAP_BYTES] {
            body.splice(at - 4..at + 4, *b"needle42");
        }
        body.extend_from_slice(b"the end\xf0\x9f");
        let text = String::from_utf8_lossy(&body).into_owned();
        for (pattern, ignores_case) in [
            ("needle42", false),
            ("NEEDLE[0-9]+", true),
            ("(?:Q|neeDle4)\\d", true),
            ("needle4[34]|nothing", false),
            ("needle43", false),
            ("^Start", false),
            ("^ab", false),
            ("(?m)^ab", false),
            ("line$", false),
            ("(?m)line$", false),
            (r"end\x{fffd}$", false),
            (r"end$", false),
            (r"\bneedle\b", false),
            (r"\bline\b", false),
            (r"\x{fffd}ab", false),
            (r"\x{fffd}{3}", false),
            (r"^[^q]", false),
            (r"\A\z", false),
        ] {
            let test = test_of(pattern, ignores_case);
            let RawTest::Expression(sought) = &test else {
                unreachable!("an expression");
            };
            let expected = sought.expression.end_from(&text, 0).is_some();
            for piece in [1 << 20, 65_537] {
                assert_eq!(holds(&test, &body, piece), Some(expected), "{pattern}");
            }
        }
        for (text, expected) in [("needle42", true), ("needle43", false), ("the end", true)] {
            let test = RawTest::Text(text.as_bytes().to_vec());
            assert_eq!(holds(&test, &body, 99_991), Some(expected), "{text}");
        }
    }

    #[test]
    fn small_pieces_are_no_different() {
        let body = "a\u{e9}b \u{1f600}c".as_bytes();
        for pattern in ["^a\u{e9}b", "\u{1f600}c$", r"\x{fffd}", "b .c"] {
            let test = test_of(pattern, false);
            let whole = holds(&test, body, 100);
            for piece in 1..6 {
                assert_eq!(holds(&test, body, piece), whole, "{pattern}");
            }
        }
        assert_eq!(holds(&RawTest::Any, b"", 1), Some(false));
        assert_eq!(holds(&RawTest::Any, b"x", 1), Some(true));
    }

    #[test]
    fn what_breaks_off_is_not_known_to_lack_it() {
        let head = HttpHead::of(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n".to_vec());
        let tests = [test_of("x", false)];
        let mut search = BodySearch::new(&tests, Some(&head));
        search.push(&tests, &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0x4b]);
        search.end(&tests, true);
        assert_eq!(search.outcome(0), None);
        let mut search = BodySearch::new(&tests, None);
        search.push(&tests, b"a part");
        search.end(&tests, false);
        assert_eq!(search.outcome(0), None);
    }
}
