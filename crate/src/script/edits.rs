//! What is put into a script, and where.

use std::borrow::Cow;

use super::literals::joins_words;
use super::scopes::Reference;

/// At one place, what ends there comes before what begins there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Close,
    Open,
    Replace,
}

struct Edit {
    start: usize,
    end: usize,
    rank: Rank,
    text: Cow<'static, str>,
}

#[derive(Default)]
pub struct Edits {
    edits: Vec<Edit>,
}

impl Edits {
    fn push(&mut self, start: usize, end: usize, rank: Rank, text: impl Into<Cow<'static, str>>) {
        self.edits.push(Edit {
            start,
            end,
            rank,
            text: text.into(),
        });
    }

    /// Puts something around a part of the script. What is put there later is around what was put there earlier.
    pub fn wrap(&mut self, start: usize, end: usize, open: &'static str) {
        self.push(start, start, Rank::Open, open);
        self.push(end, end, Rank::Close, ")");
    }

    pub fn insert(&mut self, at: usize, text: &'static str) {
        self.push(at, at, Rank::Replace, text);
    }

    pub fn replace(&mut self, start: usize, end: usize, text: impl Into<Cow<'static, str>>) {
        self.push(start, end, Rank::Replace, text);
    }

    pub fn rename(
        &mut self,
        references: &[Reference],
        plain: &'static str,
        shorthand: &'static str,
    ) {
        for reference in references {
            let text = if reference.is_shorthand {
                shorthand
            } else {
                plain
            };
            self.replace(reference.start, reference.end, text);
        }
    }

    /// The script with all of it; none if there is nothing.
    pub fn apply(self, source: &[u8]) -> Option<Vec<u8>> {
        if self.edits.is_empty() {
            return None;
        }
        let mut order: Vec<(usize, Rank, usize)> = Vec::with_capacity(self.edits.len());
        for (number, edit) in self.edits.iter().enumerate() {
            let number = match edit.rank {
                Rank::Open => usize::MAX - number,
                _ => number,
            };
            order.push((edit.start, edit.rank, number));
        }
        order.sort_unstable();
        let added: usize = self.edits.iter().map(|edit| edit.text.len() + 1).sum();
        let mut out = Vec::with_capacity(source.len() + added);
        let mut at = 0;
        for (_, rank, number) in order {
            let number = match rank {
                Rank::Open => usize::MAX - number,
                _ => number,
            };
            let edit = &self.edits[number];
            out.extend_from_slice(source.get(at..edit.start).unwrap_or(&[]));
            if joins_words(out.last(), &edit.text) {
                out.push(b' ');
            }
            out.extend_from_slice(edit.text.as_bytes());
            at = edit.end.max(at);
        }
        out.extend_from_slice(source.get(at..).unwrap_or(&[]));
        Some(out)
    }
}
