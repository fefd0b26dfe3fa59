//! Which words of an index are meant: one, all that begin alike, all forms of one, all that hold something.

use std::collections::BTreeMap;
use std::rc::Rc;

use roaring::RoaringBitmap;

use super::draft::{Counts, WORDS, read_counts};
use super::forms::Forms;
use super::kept::SearchIndex;
use super::spoken::Spoken;
use super::stems::Languages;
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
    /// The word, and others that are forms of it in the languages of the documents.
    Forms(Option<(Forms, Rc<Spoken>)>),
    /// What is told of each word.
    Those(Box<IsMeant>),
}

/// Goes through the words that begin alike.
pub struct Expansion {
    /// What words begin with, the first of those that are not gone through last.
    prefixes: Vec<Vec<u8>>,
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
            prefixes: vec![prefix.to_vec()],
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

    /// A word, or all forms of it in the languages of the documents.
    pub fn of_word(term: &[u8], is_wide: bool, most: usize) -> Expansion {
        let meant = if is_wide {
            Meant::Forms(None)
        } else {
            Meant::Word
        };
        Expansion::new(term, meant, most)
    }

    /// Looks at some words. True when all were seen.
    pub fn step(&mut self, search: &SearchIndex, blocks: &mut Blocks) -> Result<bool, Stop> {
        if !self.widen(search, blocks)? {
            return Ok(false);
        }
        for _ in 0..ENTRIES_A_STEP {
            let Some(prefix) = self.prefixes.last().filter(|_| !self.is_over) else {
                self.is_over = true;
                break;
            };
            let Some(segment) = search.segment(self.segment) else {
                self.prefixes.pop();
                self.segment = 0;
                continue;
            };
            let damaged = Stop::Damaged(segment.whole());
            if self.cursor.is_none() {
                let section = segment.section(WORDS).ok_or(damaged)?;
                self.cursor = Some(Cursor::at_key(segment, section, prefix, blocks)?);
            }
            let Some(cursor) = &mut self.cursor else {
                continue;
            };
            let entry = cursor.read(segment, blocks)?;
            let Some((term, value)) = entry.filter(|(term, _)| term.starts_with(prefix)) else {
                self.next_segment();
                continue;
            };
            self.looked_at += 1;
            let is_meant = match &self.meant {
                Meant::Word => term.len() == prefix.len(),
                Meant::Prefix => true,
                Meant::Forms(forms) => forms.as_ref().is_some_and(|(forms, _)| forms.has(term)),
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

    /// Finds out in which languages a word has forms, and how these begin. True when that is known.
    fn widen(&mut self, search: &SearchIndex, blocks: &mut Blocks) -> Result<bool, Stop> {
        if let (Meant::Forms(forms @ None), [word]) = (&mut self.meant, &self.prefixes[..]) {
            let Some(spoken) = search.spoken(blocks)? else {
                return Ok(false);
            };
            let of_word = Forms::new(word, spoken.languages());
            self.prefixes = of_word.beginnings().to_vec();
            if of_word.is_alone() {
                self.meant = Meant::Word;
            } else {
                *forms = Some((of_word, spoken));
            }
        }
        Ok(true)
    }

    fn take(&mut self, term: Vec<u8>, more: Counts) {
        if self.found.len() >= self.most && !self.found.contains_key(&term) {
            self.has_more = true;
            match &self.meant {
                // The word itself may still come.
                Meant::Forms(Some((forms, _))) if forms.is_of(&term) => {}
                Meant::Forms(_) => return,
                _ => {
                    self.is_over = true;
                    return;
                }
            }
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

    /// The rows in whose language a word is a form of the one asked for; nothing where it is in all. What is known of others
    /// is shared.
    pub fn rows_of(
        &self,
        term: &[u8],
        known: &mut BTreeMap<Languages, Option<Rc<RoaringBitmap>>>,
    ) -> Option<Rc<RoaringBitmap>> {
        let Meant::Forms(Some((forms, spoken))) = &self.meant else {
            return None;
        };
        if spoken.languages().is_one() {
            return None;
        }
        let languages = forms.languages(term);
        let rows = known
            .entry(languages)
            .or_insert_with(|| spoken.rows_of(languages).map(Rc::new));
        rows.clone()
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
