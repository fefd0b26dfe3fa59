//! Whether a text is the one that is asked for: equal, fitting a glob, or holding what a regular expression means.
//! Each takes time linear in the text, whatever the pattern.

use std::ops::Range;

use memchr::memmem;
use regex_lite::{Regex, RegexBuilder};

use crate::limits::REGEX_BYTES_MAX;

pub enum Matcher {
    Exact(Vec<u8>),
    /// What lies between the stars of a glob, which may be nothing.
    Glob(Vec<Vec<u8>>),
    Regex(Box<Expression>),
}

#[derive(Clone)]
pub struct Expression {
    regex: Regex,
    pub ignores_case: bool,
}

impl Expression {
    pub fn as_str(&self) -> &str {
        self.regex.as_str()
    }

    /// Where the first match ends of those that begin at a place or behind it: as early as one can.
    pub fn end_from(&self, text: &str, from: usize) -> Option<usize> {
        self.regex.shortest_match_at(text, from)
    }

    /// Where in a text it matches something: bytes.
    pub fn places<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
        let found = self.regex.find_iter(text).map(|found| found.range());
        found.filter(|range| !range.is_empty())
    }
}

impl Matcher {
    /// A word: a star in it stands for anything, a slash and a question mark too.
    pub fn word(text: &str) -> Matcher {
        if text.contains('*') {
            let pieces = text.split('*').map(|piece| piece.as_bytes().to_vec());
            return Matcher::Glob(pieces.collect());
        }
        Matcher::Exact(text.as_bytes().to_vec())
    }

    /// A regular expression, or why it is none.
    pub fn regex(pattern: &str, ignores_case: bool) -> Result<Matcher, String> {
        let built = RegexBuilder::new(pattern)
            .case_insensitive(ignores_case)
            .size_limit(REGEX_BYTES_MAX)
            .build();
        match built {
            Ok(regex) => Ok(Matcher::Regex(Box::new(Expression {
                regex,
                ignores_case,
            }))),
            Err(error) => Err(error.to_string()),
        }
    }

    pub fn matches(&self, text: &[u8]) -> bool {
        match self {
            Matcher::Exact(expected) => text == expected.as_slice(),
            Matcher::Glob(pieces) => fits(text, pieces),
            Matcher::Regex(expression) => expression.regex.is_match(&String::from_utf8_lossy(text)),
        }
    }
}

/// Takes each piece as early as it can be had: that never loses a fit.
fn fits(text: &[u8], pieces: &[Vec<u8>]) -> bool {
    let [first, middle @ .., last] = pieces else {
        return pieces.first().is_some_and(|piece| piece == text);
    };
    let Some(mut rest) = text.strip_prefix(first.as_slice()) else {
        return false;
    };
    for piece in middle {
        let Some(found) = memmem::find(rest, piece) else {
            return false;
        };
        rest = &rest[found + piece.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs() {
        let cases = [
            ("*", "", true),
            ("*", "anything", true),
            ("a*", "abc", true),
            ("a*", "bc", false),
            ("*c", "abc", true),
            ("*c", "abcd", false),
            ("a*c", "ac", true),
            ("a*a", "a", false),
            ("*/wp-content/*", "http://a.test/wp-content/x.png", true),
            ("*/wp-content/*", "http://a.test/wp-content", false),
            ("a**b", "ab", true),
            ("a*b*c*", "a1b2c3", true),
            ("a*b*c", "a1c2b", false),
            ("a?b", "axb", false),
            ("a?b", "a?b", true),
        ];
        for (pattern, text, expected) in cases {
            assert_eq!(
                Matcher::word(pattern).matches(text.as_bytes()),
                expected,
                "{pattern} {text}"
            );
        }
    }

    #[test]
    fn regular_expressions_are_bounded() {
        let text = format!("{}b", "a".repeat(20_000));
        assert!(
            Matcher::regex("^(a+)+$", false).is_ok_and(|regex| !regex.matches(text.as_bytes()))
        );
        assert!(Matcher::regex("(", false).is_err());
        assert!(Matcher::regex("(((a{1000}){1000}){1000}){1000}", false).is_err());
        assert!(Matcher::regex("A", true).is_ok_and(|regex| regex.matches(b"\xff a")));
    }
}
