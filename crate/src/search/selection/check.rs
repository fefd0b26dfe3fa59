//! Which values fit, and among which of them these are looked for.

use std::ops::RangeInclusive;

use crate::pattern::{Pattern, Start, Then, Verdict};
use crate::query::{Matcher, is_below};

/// Where values of a field are looked for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Look {
    Value(Vec<u8>),
    Prefix(Vec<u8>),
}

/// Whether a value that was met fits.
pub enum Check {
    All,
    Fits(Fits),
    /// A number that is written in digits.
    Number(RangeInclusive<u64>),
    /// A text between two others.
    Between(RangeInclusive<String>),
    /// A host, or one below it.
    Below(Vec<u8>),
    /// A language, or that of a place.
    Language(Vec<u8>),
}

/// A matcher that is asked only of what may fit it.
pub struct Fits {
    matcher: Matcher,
    starts: Vec<Start>,
    pattern: Pattern,
    needles: Vec<Vec<u8>>,
    /// The needles are in small letters.
    is_folded: bool,
}

impl Fits {
    /// With where to look.
    pub fn new(matcher: Matcher) -> (Fits, Vec<Look>) {
        let mut fits = Fits {
            matcher,
            starts: Vec::new(),
            pattern: Pattern::default(),
            needles: Vec::new(),
            is_folded: false,
        };
        let looks = match &fits.matcher {
            Matcher::Exact(text) => vec![Look::Value(text.clone())],
            Matcher::Glob(pieces) => {
                vec![Look::Prefix(pieces.first().cloned().unwrap_or_default())]
            }
            Matcher::Regex(expression) => {
                let pattern = Pattern::of(expression.as_str(), expression.ignores_case);
                if let Some((needles, is_folded)) = pattern.needles() {
                    fits.needles = needles.into_iter().map(String::into_bytes).collect();
                    fits.is_folded = is_folded;
                }
                let looks = match pattern.starts() {
                    None => vec![Look::Prefix(Vec::new())],
                    Some(starts) => {
                        fits.starts = starts.to_vec();
                        starts.iter().map(look_of).collect()
                    }
                };
                fits.pattern = pattern;
                looks
            }
        };
        (fits, looks)
    }

    pub fn fits(&self, value: &[u8]) -> bool {
        if self.starts.iter().any(|start| start.is_sure(value)) {
            return true;
        }
        if !self.needles.is_empty() && !self.holds_needle(value) {
            return false;
        }
        match self.pattern.ask(value) {
            Verdict::Matched => true,
            Verdict::NotMatched => false,
            Verdict::Unknown => self.matcher.matches(value),
        }
    }

    fn holds_needle(&self, value: &[u8]) -> bool {
        let folded = self.is_folded.then(|| value.to_ascii_lowercase());
        let value = folded.as_deref().unwrap_or(value);
        let is_there = |needle: &Vec<u8>| memchr::memmem::find(value, needle).is_some();
        self.needles.iter().any(is_there)
    }

    /// Groups of texts: of each a value that fits holds one at least, letters of ASCII taken for small ones.
    pub fn literals(&self) -> Vec<Vec<&[u8]>> {
        match &self.matcher {
            Matcher::Exact(text) => vec![vec![text]],
            Matcher::Glob(pieces) => pieces.iter().map(|piece| vec![piece.as_slice()]).collect(),
            Matcher::Regex(_) => self.pattern.literals(),
        }
    }

    pub fn matcher(&self) -> &Matcher {
        &self.matcher
    }
}

fn look_of(start: &Start) -> Look {
    let text = start.text.clone().into_bytes();
    match start.then {
        Then::Nothing => Look::Value(text),
        Then::Anything | Then::Line | Then::Asked => Look::Prefix(text),
    }
}

impl Check {
    pub fn fits(&self, value: &[u8]) -> bool {
        match self {
            Check::All => true,
            Check::Fits(fits) => fits.fits(value),
            Check::Number(range) => {
                let text = std::str::from_utf8(value).ok();
                let number = text.and_then(|text| text.parse().ok());
                number.is_some_and(|number: u64| range.contains(&number))
            }
            Check::Between(range) => {
                range.start().as_bytes() <= value && value <= range.end().as_bytes()
            }
            Check::Below(domain) => is_below(value, domain),
            Check::Language(language) => {
                let rest = value.strip_prefix(language.as_slice());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"-"))
            }
        }
    }
}
