//! Which words of an index are meant: one, all that begin alike, all of one stem, all that hold something.

use std::collections::BTreeMap;

use super::draft::{Counts, WORDS, read_counts};
use super::kept::SearchIndex;
use super::stem::stem;
use crate::segment::{Blocks, Cursor, Stop};

/// Entries of a step.
const ENTRIES_A_STEP: usize = 2048;

/// Whether a word is meant.
pub type IsMeant = dyn Fn(&[u8]) -> bool;

pub enum Meant {
    /// The word itself.
    Word,
    /// Words that begin with it.
    Prefix,
    /// Words of this stem.
    Stem(String),
    /// What is told of each word.
    Those(Box<IsMeant>),
}

/// Goes through the words that begin alike.
pub struct Expansion {
    prefix: Vec<u8>,
    meant: Meant,
    segment: usize,
    cursor: Option<Cursor>,
    /// More are not told.
    most: usize,
    found: BTreeMap<Vec<u8>, Counts>,
    is_over: bool,
    has_more: bool,
    looked_at: u64,
}

impl Expansion {
    pub fn new(prefix: &[u8], meant: Meant, most: usize) -> Expansion {
        Expansion {
            prefix: prefix.to_vec(),
            meant,
            segment: 0,
            cursor: None,
            most,
            found: BTreeMap::new(),
            is_over: false,
            has_more: false,
            looked_at: 0,
        }
    }

    /// A word, or all forms of it that begin like its stem.
    pub fn of_word(term: &[u8], is_wide: bool, most: usize) -> Expansion {
        let text = std::str::from_utf8(term).unwrap_or_default();
        let is_stemmed = text.len() > 2 && text.bytes().all(|byte| byte.is_ascii_lowercase());
        if !is_wide || !is_stemmed {
            return Expansion::new(term, Meant::Word, most);
        }
        let stem = stem(text);
        // Its last letter may be another one in a word: `happy` and `happi`.
        let shared = stem.len().saturating_sub(1).max(2).min(stem.len());
        let shared = stem.as_bytes()[..shared].to_vec();
        Expansion::new(&shared, Meant::Stem(stem), most)
    }

    /// Looks at some words. True when all were seen.
    pub fn step(&mut self, search: &SearchIndex, blocks: &mut Blocks) -> Result<bool, Stop> {
        for _ in 0..ENTRIES_A_STEP {
            if self.is_over {
                break;
            }
            let Some(segment) = search.segment(self.segment) else {
                self.is_over = true;
                break;
            };
            let damaged = Stop::Damaged(segment.whole());
            if self.cursor.is_none() {
                let section = segment.section(WORDS).ok_or(damaged)?;
                self.cursor = Some(Cursor::at_key(segment, section, &self.prefix, blocks)?);
            }
            let Some(cursor) = &mut self.cursor else {
                continue;
            };
            let entry = cursor.read(segment, blocks)?;
            let Some((term, value)) = entry.filter(|(term, _)| term.starts_with(&self.prefix))
            else {
                self.next_segment();
                continue;
            };
            self.looked_at += 1;
            let is_meant = match &self.meant {
                Meant::Word => term.len() == self.prefix.len(),
                Meant::Prefix => true,
                Meant::Stem(stem_of) => {
                    std::str::from_utf8(term).is_ok_and(|term| stem(term) == *stem_of)
                }
                Meant::Those(is_meant) => is_meant(term),
            };
            let is_last = matches!(self.meant, Meant::Word);
            if is_meant {
                let more = read_counts(value).ok_or(damaged)?;
                let term = term.to_vec();
                self.take(term, more);
            }
            match &mut self.cursor {
                Some(cursor) if !is_last => cursor.go_on(),
                _ => self.next_segment(),
            }
        }
        Ok(self.is_over)
    }

    fn take(&mut self, term: Vec<u8>, more: Counts) {
        if self.found.len() >= self.most && !self.found.contains_key(&term) {
            (self.has_more, self.is_over) = (true, true);
            return;
        }
        let counts = self.found.entry(term).or_default();
        for (count, more) in counts.iter_mut().zip(more) {
            *count = count.saturating_add(more);
        }
    }

    fn next_segment(&mut self) {
        self.cursor = None;
        self.segment += 1;
    }

    /// There are more words than were to be told.
    pub fn has_more(&self) -> bool {
        self.has_more
    }

    pub fn looked_at(&self) -> u64 {
        self.looked_at
    }

    /// The words, and how many documents have each in each field.
    pub fn found(&self) -> &BTreeMap<Vec<u8>, Counts> {
        &self.found
    }
}
