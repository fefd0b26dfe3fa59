//! Which languages the documents of an archive are in, of those that words are stemmed by, and the rows of each.
//!
//! They are told by the facet `lang`. A document that tells none, or one without a stemmer, counts as English.

use std::rc::Rc;

use roaring::RoaringBitmap;

use super::facets::{Facets, Go, Walk};
use super::kept::SearchIndex;
use super::stems::{Language, Languages};
use crate::segment::{Blocks, Stop};

/// Entries of facets of a step.
const ENTRIES_A_STEP: usize = 256;

/// The rows of each language but English, which has the rest.
pub struct Spoken {
    rows: [RoaringBitmap; Language::ALL.len()],
    languages: Languages,
    end: u32,
}

impl Spoken {
    /// Those that documents are in.
    pub fn languages(&self) -> Languages {
        self.languages
    }

    /// The rows of some of them; `None` where these are all rows.
    pub fn rows_of(&self, languages: Languages) -> Option<RoaringBitmap> {
        if languages.has_all(self.languages) {
            return None;
        }
        let is_wanted = |language: &Language| languages.has(*language);
        // English has what others leave.
        let is_rest = is_wanted(&Language::English);
        let mut rows = RoaringBitmap::new();
        let others = Language::ALL.iter();
        for language in others.filter(|language| is_wanted(language) != is_rest) {
            rows |= &self.rows[language.place()];
        }
        if is_rest {
            let mut all = RoaringBitmap::new();
            all.insert_range(0..self.end);
            rows = all - rows;
        }
        Some(rows)
    }
}

/// Finds that out, once for as long as there are the same segments.
#[derive(Default)]
pub struct Hearing {
    changes: u64,
    walk: Option<Walk>,
    rows: [RoaringBitmap; Language::ALL.len()],
    spoken: Option<Rc<Spoken>>,
}

impl Hearing {
    /// Goes on; nothing while it is not known yet.
    pub fn step(
        &mut self,
        search: &SearchIndex,
        blocks: &mut Blocks,
    ) -> Result<Option<Rc<Spoken>>, Stop> {
        if self.changes != search.changes() {
            *self = Hearing {
                changes: search.changes(),
                ..Hearing::default()
            };
        }
        if let Some(spoken) = &self.spoken {
            return Ok(Some(Rc::clone(spoken)));
        }
        let facets = Facets::new(search.segments());
        let walk = self
            .walk
            .get_or_insert_with(|| Walk::over_prefix("lang", b""));
        let rows = &mut self.rows;
        let is_over = walk.step(&facets, blocks, ENTRIES_A_STEP, &mut |value, high, set| {
            match Language::of_tag(&value) {
                Language::English => return Go::BehindValue,
                language => set.add_to(high, &mut rows[language.place()]),
            }
            Go::ToNext
        })?;
        Ok(is_over.then(|| self.end(search)))
    }

    fn end(&mut self, search: &SearchIndex) -> Rc<Spoken> {
        let rows = std::mem::take(&mut self.rows);
        let others: u64 = rows.iter().map(RoaringBitmap::len).sum();
        let is_spoken = |language: &Language| match language {
            Language::English => search.totals().documents > others,
            language => !rows[language.place()].is_empty(),
        };
        let languages = Language::ALL.into_iter().filter(is_spoken).collect();
        let spoken = Rc::new(Spoken {
            rows,
            languages,
            end: u32::try_from(search.end()).unwrap_or(u32::MAX),
        });
        self.walk = None;
        self.spoken.insert(spoken).clone()
    }
}
