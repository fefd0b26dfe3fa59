//! The rows that have a word, one of several, or words that follow each other.

use std::collections::BTreeMap;
use std::rc::Rc;

use roaring::RoaringBitmap;

use super::asked::{Asked, Slot};
use super::draft::{Counts, TERMS};
use super::expansion::{Expansion, Meant};
use super::field::Field;
use super::gathered::add_all;
use super::kept::SearchIndex;
use super::list::List;
use super::phrase::Phrase;
use super::postings::{self, Head, Piece};
use super::through::Through;
use crate::limits::{SEARCH_FORMS_MAX, SEARCH_PHRASE_FORMS_MAX};
use crate::segment::{Blocks, Cursor, Stop};

/// Pieces that are looked at in one step.
const PIECES_A_STEP: usize = 256;
/// Rows that are looked up one by one, where a list has so many times as many.
const FEW: u64 = 16;

/// A word that is meant, in which fields it is to be, and how many documents have it there.
#[derive(Clone, Debug)]
pub struct Form {
    pub term: Vec<u8>,
    pub counts: Counts,
    /// It is the word that was asked for.
    pub is_itself: bool,
    /// The rows where it counts, in whose language it is a form of that; nothing where it does in all.
    pub within: Option<Rc<RoaringBitmap>>,
}

impl Form {
    /// Whether it counts in a row that has it.
    pub fn is_in(&self, row: u32) -> bool {
        let within = self.within.as_ref();
        within.is_none_or(|within| within.contains(row))
    }
}

/// What a slot was widened to.
pub struct Meaning {
    expansion: Expansion,
    term: Vec<u8>,
    pub forms: Vec<Form>,
    is_ready: bool,
}

impl Meaning {
    fn new(slot: &Slot, is_wide: bool) -> Meaning {
        let expansion = if slot.is_prefix {
            Expansion::new(&slot.term, Meant::Prefix, SEARCH_PHRASE_FORMS_MAX)
        } else {
            Expansion::of_word(&slot.term, is_wide, SEARCH_FORMS_MAX)
        };
        Meaning {
            expansion,
            term: slot.term.clone(),
            forms: Vec::new(),
            is_ready: false,
        }
    }

    fn step(
        &mut self,
        fields: &[Field],
        search: &SearchIndex,
        blocks: &mut Blocks,
    ) -> Result<bool, Stop> {
        if self.is_ready {
            return Ok(true);
        }
        if !self.expansion.step(search, blocks)? {
            return Ok(false);
        }
        let mut known = BTreeMap::new();
        for (term, all) in self.expansion.found() {
            let mut counts = Counts::default();
            for field in fields {
                counts[field.place()] = all[field.place()];
            }
            if counts.iter().any(|count| *count > 0) {
                self.forms.push(Form {
                    term: term.clone(),
                    counts,
                    is_itself: *term == self.term,
                    within: self.expansion.rows_of(term, &mut known),
                });
            }
        }
        self.is_ready = true;
        Ok(true)
    }

    /// Entries of lists, at most.
    pub fn cost(&self) -> u64 {
        let counts = self.forms.iter().flat_map(|form| form.counts);
        counts.fold(0, u64::saturating_add)
    }

    pub fn lists(&self, field: Field) -> Vec<List> {
        let forms = self
            .forms
            .iter()
            .filter(|form| form.counts[field.place()] > 0);
        forms.map(|form| List::of_form(form, field)).collect()
    }
}

/// Finds the rows that one text of a query asks for.
pub struct Finding {
    asked: Asked,
    pub meanings: Vec<Meaning>,
    is_ready: bool,
    way: Way,
    cost: u64,
    work: u64,
    rows: RoaringBitmap,
    /// Lists that were gone through.
    lists: Vec<List>,
    /// Words that begin so are more than can be gone through.
    is_too_wide: bool,
}

enum Way {
    Waiting,
    /// One list after another.
    Lists(Through),
    /// They are over.
    Over,
    /// Everything that begins alike.
    Prefix {
        segment: usize,
        cursor: Option<Cursor>,
    },
    /// Words that follow each other, one field after another.
    Phrase {
        field: usize,
        phrase: Option<Phrase>,
    },
}

impl Finding {
    pub fn new(asked: &Asked, is_stemmed: bool) -> Finding {
        let is_wide = asked.is_wide && is_stemmed;
        let is_prefix = asked.slots.len() == 1 && asked.slots[0].is_prefix;
        let slots = asked.slots.iter().filter(|_| !is_prefix);
        Finding {
            meanings: slots.map(|slot| Meaning::new(slot, is_wide)).collect(),
            asked: asked.clone(),
            is_ready: false,
            way: Way::Waiting,
            cost: 0,
            work: 0,
            rows: RoaringBitmap::new(),
            lists: Vec::new(),
            is_too_wide: false,
        }
    }

    pub fn asked(&self) -> &Asked {
        &self.asked
    }

    pub fn is_prefix(&self) -> bool {
        self.meanings.is_empty()
    }

    pub fn is_too_wide(&self) -> bool {
        self.is_too_wide
    }

    /// About how many entries are looked at.
    pub fn cost(&self) -> u64 {
        self.cost
    }

    /// Pieces and rows that were looked at.
    pub fn work(&self) -> u64 {
        let words = self
            .meanings
            .iter()
            .map(|meaning| meaning.expansion.looked_at());
        self.work + words.sum::<u64>()
    }

    pub fn rows(&self) -> &RoaringBitmap {
        &self.rows
    }

    pub fn take_rows(&mut self) -> RoaringBitmap {
        std::mem::take(&mut self.rows)
    }

    /// The lists that were gone through.
    pub fn take_lists(&mut self) -> Vec<List> {
        std::mem::take(&mut self.lists)
    }

    /// Finds out which words are meant, and how frequent they are. True when that is known.
    pub fn prepare(&mut self, search: &SearchIndex, blocks: &mut Blocks) -> Result<bool, Stop> {
        if self.is_ready {
            return Ok(true);
        }
        for meaning in &mut self.meanings {
            if !meaning.step(&self.asked.fields, search, blocks)? {
                return Ok(false);
            }
        }
        self.is_too_wide = self
            .asked
            .slots
            .iter()
            .zip(&self.meanings)
            .any(|(slot, meaning)| slot.is_prefix && meaning.expansion.has_more());
        self.cost = match self.asked.slots.as_slice() {
            [slot] if slot.is_prefix => prefix_cost(&slot.term, search, blocks)?,
            _ => self.meanings.iter().map(Meaning::cost).min().unwrap_or(0),
        };
        self.is_ready = true;
        Ok(true)
    }

    /// Goes on finding; true when all rows are there. Of rows that are not `within`, some may be there or not.
    pub fn step(
        &mut self,
        search: &SearchIndex,
        within: Option<&RoaringBitmap>,
        blocks: &mut Blocks,
    ) -> Result<bool, Stop> {
        if !self.prepare(search, blocks)? {
            return Ok(false);
        }
        if self.is_too_wide {
            return Ok(true);
        }
        if let Way::Waiting = self.way {
            self.way = self.begin();
        }
        match &mut self.way {
            Way::Waiting | Way::Over => Ok(true),
            Way::Lists(through) => {
                self.work += PIECES_A_STEP as u64;
                let few = within.filter(|within| within.len().saturating_mul(FEW) < self.cost);
                let is_over = match few {
                    Some(few) => through.add_of(few, search, blocks, &mut self.rows)?,
                    None => through.add(search, blocks, &mut self.rows)?,
                };
                if is_over && let Way::Lists(through) = std::mem::replace(&mut self.way, Way::Over)
                {
                    self.lists = through.into_lists();
                }
                Ok(is_over)
            }
            Way::Prefix { segment, cursor } => {
                let Some(slot) = self.asked.slots.first() else {
                    return Ok(true);
                };
                self.work += PIECES_A_STEP as u64;
                let fields = &self.asked.fields;
                go_through_prefix(
                    &slot.term,
                    fields,
                    (segment, cursor),
                    search,
                    blocks,
                    &mut self.rows,
                )
            }
            Way::Phrase {
                field,
                phrase: phrase_of,
            } => {
                while let Some(in_field) = self.asked.fields.get(*field) {
                    let slots = self.asked.slots.iter().zip(&self.meanings);
                    let before = &self.lists;
                    let phrase =
                        phrase_of.get_or_insert_with(|| Phrase::new(slots, *in_field, before));
                    self.work += PIECES_A_STEP as u64;
                    if !phrase.step(search, within, blocks, &mut self.rows)? {
                        return Ok(false);
                    }
                    *field += 1;
                    let lists = phrase_of.take().map(Phrase::into_lists);
                    self.lists.extend(lists.into_iter().flatten());
                }
                Ok(true)
            }
        }
    }

    fn begin(&self) -> Way {
        if self.is_prefix() {
            return Way::Prefix {
                segment: 0,
                cursor: None,
            };
        }
        if self.meanings.len() > 1 {
            return Way::Phrase {
                field: 0,
                phrase: None,
            };
        }
        let fields = self.asked.fields.iter();
        let lists = fields.flat_map(|field| {
            self.meanings
                .iter()
                .flat_map(|meaning| meaning.lists(*field))
        });
        Way::Lists(Through::keeping(lists.collect()))
    }
}

/// Pieces of all words that begin alike.
fn prefix_cost(prefix: &[u8], search: &SearchIndex, blocks: &mut Blocks) -> Result<u64, Stop> {
    let mut behind = prefix.to_vec();
    // No byte of a text is as large.
    behind.push(0xff);
    let mut cost = 0u64;
    for segment in search.segments() {
        let section = segment
            .section(TERMS)
            .ok_or(Stop::Damaged(segment.whole()))?;
        let first = segment.rank(section, prefix, blocks)?.entries;
        let last = segment.rank(section, &behind, blocks)?.entries;
        cost = cost.saturating_add(last.saturating_sub(first).saturating_mul(4));
    }
    Ok(cost)
}

fn go_through_prefix(
    prefix: &[u8],
    fields: &[Field],
    place: (&mut usize, &mut Option<Cursor>),
    search: &SearchIndex,
    blocks: &mut Blocks,
    rows: &mut RoaringBitmap,
) -> Result<bool, Stop> {
    let mut found = Vec::new();
    let outcome = go_through_words(prefix, fields, place, search, blocks, &mut found);
    add_all(found, rows);
    outcome
}

fn go_through_words(
    prefix: &[u8],
    fields: &[Field],
    (at, cursor): (&mut usize, &mut Option<Cursor>),
    search: &SearchIndex,
    blocks: &mut Blocks,
    found: &mut Vec<u32>,
) -> Result<bool, Stop> {
    let mut piece = Vec::new();
    for _ in 0..PIECES_A_STEP {
        let Some(segment) = search.segment(*at) else {
            return Ok(true);
        };
        let damaged = Stop::Damaged(segment.whole());
        let here = match cursor {
            Some(cursor) => cursor,
            None => {
                let section = segment.section(TERMS).ok_or(damaged)?;
                cursor.insert(Cursor::at_key(segment, section, prefix, blocks)?)
            }
        };
        let entry = here.read(segment, blocks)?;
        let Some((key, value)) = entry.filter(|(key, _)| key.starts_with(prefix)) else {
            *cursor = None;
            *at += 1;
            continue;
        };
        let (_, field, first) = postings::parts_of(key).ok_or(damaged)?;
        if fields.contains(&field) {
            let head = Head::read(first, value).ok_or(damaged)?;
            Piece::read_rows(&head, value, &mut piece).ok_or(damaged)?;
            found.extend_from_slice(&piece);
        }
        here.go_on();
    }
    Ok(false)
}
