//! The rows whose words have a fragment in them: what may match a regular expression, without reading any text.

use roaring::RoaringBitmap;

use super::expansion::{Expansion, Meant};
use super::field::Field;
use super::kept::SearchIndex;
use super::list::List;
use super::through::Through;
use crate::limits::SEARCH_HOLDING_WORDS_MAX;
use crate::pattern::Fragment;
use crate::segment::{Blocks, Stop};

/// Words that were cut have so many bytes or more, and what is not there of them may have anything.
const CUT_BYTES_MIN: usize = stackroom_words::TERM_BYTES_MAX - 3;

/// All rows that have such a word, and maybe some that have not.
pub struct WordRows {
    field: Field,
    expansion: Expansion,
    through: Option<Through>,
    rows: RoaringBitmap,
    is_done: bool,
}

impl WordRows {
    pub fn new(field: Field, fragment: Fragment) -> WordRows {
        let prefix = if fragment.begins_word {
            fragment.text.clone()
        } else {
            String::new()
        };
        let holds = move |term: &[u8]| {
            let text = fragment.text.as_bytes();
            let is_cut = term.len() >= CUT_BYTES_MIN;
            match (fragment.begins_word, fragment.ends_word) {
                (true, true) => term == text || is_cut,
                (true, false) => true,
                (false, true) => term.ends_with(text) || is_cut,
                (false, false) => memchr::memmem::find(term, text).is_some() || is_cut,
            }
        };
        let meant = Meant::Those(Box::new(holds));
        WordRows {
            field,
            expansion: Expansion::new(prefix.as_bytes(), meant, SEARCH_HOLDING_WORDS_MAX),
            through: None,
            rows: RoaringBitmap::new(),
            is_done: false,
        }
    }

    /// Goes on finding; true when all are there.
    pub fn step(&mut self, search: &SearchIndex, blocks: &mut Blocks) -> Result<bool, Stop> {
        let Some(through) = &mut self.through else {
            if self.expansion.step(search, blocks)? {
                let field = self.field;
                let words = self.expansion.found().iter();
                let words = words.filter(|(_, counts)| counts[field.place()] > 0);
                let lists = words.map(|(term, _)| List::new(term, field));
                self.through = Some(Through::new(lists.collect()));
            }
            return Ok(false);
        };
        self.is_done = self.expansion.has_more() || through.add(search, blocks, &mut self.rows)?;
        Ok(self.is_done)
    }

    /// Nothing where too many words have it for this to be of use.
    pub fn rows(&self) -> Option<&RoaringBitmap> {
        (self.is_done && !self.expansion.has_more()).then_some(&self.rows)
    }
}
