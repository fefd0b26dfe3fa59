//! Rows in whose texts one fragment of a group occurs, found by the words of the search index.
//!
//! Of a fragment that is a word or begins one the words are looked up; of others all words are gone through. A word that
//! was cut may have the fragment behind the cut, and counts.

use std::collections::BTreeSet;

use roaring::RoaringBitmap;
use stackroom_words::TERM_BYTES_MAX;

use crate::search::Field;
use crate::search::Fragment;
use crate::search::draft::{WORDS, read_counts};
use crate::search::kept::SearchIndex;
use crate::search::list::List;
use crate::segment::{Blocks, Cursor, Stop};

/// Words, or pieces of lists, that are taken in one step.
const WORDS_A_STEP: usize = 4096;
const PIECES_A_STEP: usize = 256;
/// More words than these are not worth being looked up.
const TERMS_MAX: usize = 512;
/// Longer terms may have been cut: a letter takes four bytes at most.
const WHOLE_BYTES_MAX: usize = TERM_BYTES_MAX - 4;

pub struct FragmentRows {
    field: Field,
    group: Vec<Fragment>,
    /// Which fragment's words are gone through, in which segment, and where.
    fragment: usize,
    segment: usize,
    cursor: Option<Cursor>,
    terms: BTreeSet<Vec<u8>>,
    /// Rows that the terms have, as far as that is counted.
    weight: u64,
    weight_max: u64,
    list: Option<(List, u32)>,
    rows: RoaringBitmap,
    is_of_use: bool,
}

impl FragmentRows {
    /// Of no use where more rows than these have the words.
    pub fn new(field: Field, group: Vec<Fragment>, rows_max: u64) -> FragmentRows {
        FragmentRows {
            field,
            group,
            fragment: 0,
            segment: 0,
            cursor: None,
            terms: BTreeSet::new(),
            weight: 0,
            weight_max: rows_max,
            list: None,
            rows: RoaringBitmap::new(),
            is_of_use: true,
        }
    }

    /// The rows, or nothing where too many have such words.
    pub fn take(&mut self) -> Option<RoaringBitmap> {
        let rows = std::mem::take(&mut self.rows);
        self.is_of_use.then_some(rows)
    }

    /// Goes on; true when the rows are there.
    pub fn step(&mut self, search: &SearchIndex, blocks: &mut Blocks) -> Result<bool, Stop> {
        for _ in 0..WORDS_A_STEP {
            if !self.is_of_use {
                return Ok(true);
            }
            if self.fragment >= self.group.len() {
                return self.read_lists(search, blocks);
            }
            self.next_word(search, blocks)?;
        }
        Ok(false)
    }

    fn next_word(&mut self, search: &SearchIndex, blocks: &mut Blocks) -> Result<(), Stop> {
        let Some(fragment) = self.group.get(self.fragment) else {
            return Ok(());
        };
        let Some(segment) = search.segment(self.segment) else {
            (self.fragment, self.segment) = (self.fragment + 1, 0);
            return Ok(());
        };
        let Some(section) = segment.section(WORDS) else {
            self.is_of_use = false;
            return Ok(());
        };
        let begin = beginning(fragment);
        let cursor = match &mut self.cursor {
            Some(cursor) => cursor,
            empty => {
                let entry = segment.rank(section, begin, blocks)?.entries;
                empty.insert(Cursor::new(section, entry))
            }
        };
        let entry = cursor.read(segment, blocks)?;
        let entry = entry.filter(|(term, _)| term.starts_with(begin));
        let Some((term, value)) = entry else {
            (self.segment, self.cursor) = (self.segment + 1, None);
            return Ok(());
        };
        if is_in(fragment, term) {
            let damaged = Stop::Damaged(segment.whole());
            let counts = read_counts(value).ok_or(damaged)?;
            let count = counts.get(self.field.place()).copied().unwrap_or(0);
            if count > 0 {
                self.weight = self.weight.saturating_add(count);
                self.terms.insert(term.to_vec());
                self.is_of_use = self.weight <= self.weight_max && self.terms.len() <= TERMS_MAX;
            }
        }
        let is_only =
            fragment.begins_word && fragment.ends_word && begin.len() == fragment.text.len();
        if is_only {
            // The first one of these letters is that word, or there is none.
            (self.segment, self.cursor) = (self.segment + 1, None);
        } else {
            cursor.go_on();
        }
        Ok(())
    }

    fn read_lists(&mut self, search: &SearchIndex, blocks: &mut Blocks) -> Result<bool, Stop> {
        let mut rows = Vec::new();
        for _ in 0..PIECES_A_STEP {
            let Some(term) = self.terms.first() else {
                return Ok(true);
            };
            let (list, next) = self
                .list
                .get_or_insert_with(|| (List::new(term, self.field), 0));
            if !list.seek(search, *next, blocks)? {
                self.list = None;
                self.terms.pop_first();
                continue;
            }
            list.read_rows(search, &mut rows)?;
            let last = list.head().map_or(u32::MAX, |head| head.last);
            *next = last.saturating_add(1);
            self.rows.extend(rows.iter().copied());
            if last == u32::MAX {
                self.list = None;
                self.terms.pop_first();
            }
        }
        Ok(false)
    }
}

/// What the words begin with that may have a fragment.
fn beginning(fragment: &Fragment) -> &[u8] {
    let text = fragment.text.as_bytes();
    if fragment.begins_word {
        &text[..text.len().min(WHOLE_BYTES_MAX)]
    } else {
        &[]
    }
}

/// Whether a word has it, or may have it behind its cut.
fn is_in(fragment: &Fragment, term: &[u8]) -> bool {
    let text = fragment.text.as_bytes();
    let fits = match (fragment.begins_word, fragment.ends_word) {
        (true, true) => term == text,
        (true, false) => term.starts_with(text),
        (false, true) => term.ends_with(text),
        (false, false) => memchr::memmem::find(term, text).is_some(),
    };
    fits || term.len() > WHOLE_BYTES_MAX
}
