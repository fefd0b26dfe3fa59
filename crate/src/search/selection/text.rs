//! Rows whose documents' texts hold what a regular expression means. Words that a text must have narrow the documents
//! down first; of each that is left the whole text is read, which is bounded, and asked at once: nothing is lost where
//! pieces meet, and anchors mean the text.

use roaring::RoaringBitmap;

use super::check::{Check, Fits, Look};
use super::values::ValueSearch;
use super::words::GroupRows;
use super::{Found, Progress};
use crate::index::{Documents, Long};
use crate::order;
use crate::pattern::{Fragment, Pattern};
use crate::query::Matcher;
use crate::search::Field;
use crate::search::source::Source;
use crate::segment::{Blocks, Stop};

/// Bytes of text that are asked in one step, or that of one document.
const BYTES_A_STEP: usize = 256 << 10;
/// Documents that are looked at in one step.
const DOCUMENTS_A_STEP: usize = 256;
/// So few documents are asked without looking words up.
const ROWS_FEW: u64 = 16;
/// Groups of fragments that are looked up.
const GROUPS_MAX: usize = 4;

pub struct TextSearch {
    fits: Fits,
    /// Fragments of words, still to be looked up; the best of them last.
    groups: Vec<Vec<Fragment>>,
    state: State,
}

enum State {
    Begin,
    /// Rows that have a document.
    Documents(Box<ValueSearch>, RoaringBitmap),
    /// Of the rows so far those that a group of fragments has.
    Words(RoaringBitmap, Option<Box<GroupRows>>),
    Texts(Reading),
}

/// A document on its way.
struct Reading {
    candidates: RoaringBitmap,
    /// The row that is read.
    row: u32,
    piece: u32,
    text: Vec<u8>,
}

impl TextSearch {
    pub fn new(matcher: Matcher) -> TextSearch {
        let mut groups = match &matcher {
            Matcher::Regex(expression) => {
                Pattern::of(expression.as_str(), expression.ignores_case).fragments()
            }
            _ => Vec::new(),
        };
        let least = |group: &Vec<Fragment>| group.iter().map(|one| one.text.len()).min();
        order::sort_by(&mut groups, |one, other| least(one).cmp(&least(other)));
        let few = groups.len().saturating_sub(GROUPS_MAX);
        groups.drain(..few);
        TextSearch {
            fits: Fits::new(matcher).0,
            groups,
            state: State::Begin,
        }
    }

    pub fn matcher(&self) -> &Matcher {
        self.fits.matcher()
    }

    pub fn step(
        &mut self,
        source: &Source<'_>,
        found: &mut Found<'_>,
        blocks: &mut Blocks,
    ) -> Result<bool, Stop> {
        match &mut self.state {
            State::Begin => {
                let looks = vec![Look::Prefix(Vec::new())];
                let values = ValueSearch::new("document", looks, Check::All);
                self.state = State::Documents(Box::new(values), RoaringBitmap::new());
                Ok(false)
            }
            State::Documents(values, rows) => {
                let mut inner = Found {
                    rows,
                    plan: found.plan,
                    progress: &mut Progress::default(),
                    within: found.within,
                };
                if values.step(source, &mut inner, blocks)? {
                    self.state = State::Words(std::mem::take(rows), None);
                }
                Ok(false)
            }
            State::Words(rows, Some(words)) => {
                if words.step(source.search, blocks)? {
                    match words.take() {
                        Some(having) => {
                            *rows &= having;
                            found.tell("text: words looked up", rows.len());
                        }
                        None => {
                            found.tell("text: words passed over, as too many have them", rows.len())
                        }
                    }
                    self.state = State::Words(std::mem::take(rows), None);
                }
                Ok(false)
            }
            State::Words(rows, words) => {
                if rows.len() > ROWS_FEW
                    && let Some(group) = self.groups.pop()
                {
                    *words = Some(Box::new(GroupRows::new(Field::Text, group)));
                    return Ok(false);
                }
                let mut candidates = std::mem::take(rows);
                candidates.remove_range(source.end()..);
                found.progress.candidates = candidates.len();
                self.state = State::Texts(Reading {
                    row: candidates.min().unwrap_or(0),
                    candidates,
                    piece: 0,
                    text: Vec::new(),
                });
                Ok(false)
            }
            State::Texts(reading) => {
                let Some(documents) = source.documents else {
                    return Ok(true);
                };
                let is_over = reading.read(&self.fits, documents, found, blocks)?;
                if is_over {
                    let seen = found.progress.seen;
                    found.tell(&format!("text: {seen} texts asked"), found.rows.len());
                }
                Ok(is_over)
            }
        }
    }
}

impl Reading {
    fn read(
        &mut self,
        fits: &Fits,
        documents: &Documents,
        found: &mut Found<'_>,
        blocks: &mut Blocks,
    ) -> Result<bool, Stop> {
        let (mut bytes, mut seen) = (0, 0);
        while bytes < BYTES_A_STEP && seen < DOCUMENTS_A_STEP {
            let Some(row) = self.candidates.range(self.row..).next() else {
                return Ok(true);
            };
            if row != self.row {
                (self.row, self.piece) = (row, 0);
                self.text.clear();
            }
            let number = u64::from(row);
            loop {
                let (count, piece) = documents.pieces(Long::Text, number, self.piece, 1, blocks)?;
                if count == 0 {
                    break;
                }
                self.piece += 1;
                self.text.extend(piece);
            }
            if self.piece == 0 && !documents.has_text(number, blocks)? {
                found.progress.unread += 1;
            } else if fits.fits(&self.text) {
                found.rows.insert(row);
            }
            bytes += self.text.len();
            seen += 1;
            found.progress.seen += 1;
            (self.row, self.piece) = (row.saturating_add(1), 0);
            self.text.clear();
            if row == u32::MAX {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
