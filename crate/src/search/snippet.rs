//! What a hit says around the words of a query, and where in it they are.
//!
//! The positions that the index has lead to the right piece of the text, however long that is. Words found by their
//! beginning alone, and what expressions match, are looked for in the first pieces.

use std::ops::Range;

use stackroom_words::words;

use super::entry::starts;
use super::field::Field;
use super::lengths::Start;
use super::list::List;
use super::marks::{Mark, Marks, joined, mark};
use super::source::Source;
use crate::index::Long;
use crate::order;
use crate::segment::{Blocks, Stop};

/// Words that are looked at together, and those that are told before them.
const WINDOW_WORDS: u32 = 24;
const CONTEXT_WORDS: u32 = 6;
/// A passage goes on no further than this behind where it begins.
const PASSAGE_BYTES: usize = 320;
const PASSAGES_MAX: usize = 2;
/// Positions of a form that are looked at.
const POSITIONS_MAX: usize = 4096;
/// Pieces that are looked through: a megabyte.
const PIECES_MAX: u32 = 64;
const PIECES_A_PASSAGE: u32 = 2;
/// A match that goes on further than the next piece is not seen.
const PIECES_OF_A_MATCH: u32 = 2;
/// What expressions match is gathered so far; of long texts not all of it, since going through them takes its time.
const PIECES_OF_MATCHES: u32 = 16;
const MATCHES_MAX: usize = 64;
const MATCH_BYTES_MAX: usize = 200;
/// A passage goes on so much further for a match that begins in it.
const REST_BYTES: usize = 64;

/// A part of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passage {
    pub text: String,
    /// Where in it the words are: bytes.
    pub marks: Vec<Range<usize>>,
    /// The text begins with it, and ends with it.
    pub is_begin: bool,
    pub is_end: bool,
}

enum State {
    /// Positions of the words that were found so far; the mark and the form that come next.
    Positions {
        next: usize,
    },
    /// Looks for words in the text itself.
    Pieces {
        piece: u32,
    },
    /// Windows that are told, by their first words.
    Passages {
        windows: Vec<u32>,
        starts: Vec<Start>,
    },
    Done,
}

/// Looks for the passages of one hit.
pub struct Snippet<'a> {
    marks: &'a Marks,
    row: u32,
    state: State,
    /// Words, and which mark each is.
    places: Vec<(u32, usize)>,
    passages: Vec<Passage>,
    matches: Vec<String>,
}

impl<'a> Snippet<'a> {
    pub fn new(marks: &'a Marks, row: u32) -> Snippet<'a> {
        Snippet {
            marks,
            row,
            state: State::Positions { next: 0 },
            places: Vec::new(),
            passages: Vec::new(),
            matches: Vec::new(),
        }
    }

    /// Different texts that expressions match, of the beginning of the text.
    pub fn matches(&self) -> &[String] {
        &self.matches
    }

    /// The passages, when they are found; none where the text is not kept.
    pub fn passages(&self) -> &[Passage] {
        &self.passages
    }

    /// Goes on looking; true when all is found.
    pub fn step(&mut self, source: &Source<'_>, blocks: &mut Blocks) -> Result<bool, Stop> {
        match &mut self.state {
            State::Positions { next } => {
                let Some(mark) = self.marks.words().get(*next) else {
                    self.state = State::Pieces { piece: 0 };
                    return Ok(false);
                };
                if mark.fields.contains(&Field::Text) {
                    let found = positions(mark, self.row, source, blocks)?;
                    self.places
                        .extend(found.into_iter().map(|position| (position, *next)));
                }
                *next += 1;
            }
            State::Pieces { piece } => {
                let (marks, row) = (self.marks, self.row);
                let is_matched = |(_, mark): &(u32, usize)| *mark >= marks.words().len();
                let (pieces, is_found) = if marks.has_expressions(Field::Text) {
                    let is_found = self.places.iter().any(is_matched);
                    (PIECES_OF_A_MATCH, is_found && *piece >= PIECES_OF_MATCHES)
                } else {
                    (1, !self.places.is_empty())
                };
                let is_wanted = !is_found && *piece < PIECES_MAX;
                if is_wanted && let Some(text) = piece_of(source, row, *piece, pieces, blocks)? {
                    find_places(marks, text, &mut self.places, &mut self.matches);
                    *piece += 1;
                    return Ok(false);
                }
                order::sort_by(&mut self.places, Ord::cmp);
                self.places.dedup();
                self.state = State::Passages {
                    windows: windows(&self.places),
                    starts: starts(source.search, row, blocks)?,
                };
            }
            State::Passages { windows, starts } => {
                let Some(first) = windows.get(self.passages.len()) else {
                    self.state = State::Done;
                    return Ok(true);
                };
                let from = first.saturating_sub(CONTEXT_WORDS);
                let start = starts.iter().rev().find(|start| start.word <= from);
                let start = start.copied().unwrap_or_default();
                let passage = passage(self.marks, source, (self.row, from, start), blocks)?;
                match passage {
                    Some(passage) => self.passages.push(passage),
                    None => self.state = State::Done,
                }
            }
            State::Done => return Ok(true),
        }
        Ok(false)
    }
}

/// The words of a text that are marked, and those in which begins what is matched; what that is, once each.
fn find_places(
    marks: &Marks,
    (first, text): (u32, String),
    places: &mut Vec<(u32, usize)>,
    matches: &mut Vec<String>,
) {
    let matched = marks.matched(Field::Text, &text);
    for (range, _) in &matched {
        let found = &text[range.clone()];
        let is_new = found.len() <= MATCH_BYTES_MAX && !matches.iter().any(|one| one == found);
        if is_new && matches.len() < MATCHES_MAX {
            matches.push(found.to_owned());
        }
    }
    let mut matched = matched.into_iter().peekable();
    let mut last = first;
    words(&text, |word| {
        last = first + word.position;
        if let Some(mark) = marks.number(Field::Text, word.term) {
            places.push((last, mark));
        }
        while let Some((_, mark)) = matched.next_if(|(range, _)| range.start < word.end) {
            places.push((last, mark));
        }
        true
    });
    places.extend(matched.map(|(_, mark)| (last, mark)));
}

/// Where in its text a row has one of a mark's forms.
fn positions(
    mark: &Mark,
    row: u32,
    source: &Source<'_>,
    blocks: &mut Blocks,
) -> Result<Vec<u32>, Stop> {
    let mut found = Vec::new();
    for form in &mark.forms {
        let mut list = List::new(form, Field::Text);
        if !list.seek(source.search, row, blocks)? {
            continue;
        }
        if let Some((at, _)) = list.frequency(source.search, row)? {
            let positions = list.positions(source.search, at, blocks)?;
            found.extend(positions.iter().take(POSITIONS_MAX));
        }
    }
    Ok(found)
}

/// The number of the first word of a stored piece, and the text of some pieces from there on.
fn piece_of(
    source: &Source<'_>,
    row: u32,
    piece: u32,
    pieces: u32,
    blocks: &mut Blocks,
) -> Result<Option<(u32, String)>, Stop> {
    let starts = starts(source.search, row, blocks)?;
    let start = match piece.checked_sub(1) {
        None => Some(Start::default()),
        Some(behind) => starts.get(behind as usize).copied(),
    };
    let Some(start) = start else {
        return Ok(None);
    };
    let text = text_from(source, row, start, pieces, blocks)?;
    Ok(text.map(|(text, _)| (start.word, text)))
}

/// The text of some pieces from a word on, and whether it ends there; nothing where none is kept.
fn text_from(
    source: &Source<'_>,
    row: u32,
    start: Start,
    pieces: u32,
    blocks: &mut Blocks,
) -> Result<Option<(String, bool)>, Stop> {
    let Some(documents) = source.documents else {
        return Ok(None);
    };
    let row = u64::from(row);
    // One more tells whether there is more.
    let (count, bytes) = documents.pieces(Long::Text, row, start.piece, pieces + 1, blocks)?;
    let is_end = count <= pieces;
    let most = pieces as usize * crate::limits::STORED_PIECE_BYTES;
    let rest = bytes.get(start.byte..bytes.len().min(most));
    let Some(rest) = rest.filter(|rest| !rest.is_empty()) else {
        return Ok(None);
    };
    // The last letter may go on in the next piece.
    let text = match std::str::from_utf8(rest) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&rest[..error.valid_up_to()]).unwrap_or_default(),
    };
    Ok(Some((text.to_owned(), is_end)))
}

/// The first words of the windows with most of the words in them: the best one, and another that has what it has not.
fn windows(places: &[(u32, usize)]) -> Vec<u32> {
    let mut windows: Vec<u32> = Vec::new();
    let mut told: Vec<usize> = Vec::new();
    while windows.len() < PASSAGES_MAX {
        let mut best = (0, 0, 0);
        for (n, (first, _)) in places.iter().enumerate() {
            let end = first.saturating_add(WINDOW_WORDS);
            if windows
                .iter()
                .any(|window| window.abs_diff(*first) <= WINDOW_WORDS)
            {
                continue;
            }
            let within = places[n..].iter().take_while(|(at, _)| *at < end).take(64);
            let mut fresh: Vec<usize> = Vec::new();
            for (_, mark) in within.clone() {
                if !told.contains(mark) && !fresh.contains(mark) {
                    fresh.push(*mark);
                }
            }
            let found = (fresh.len(), within.count(), *first);
            if (found.0, found.1) > (best.0, best.1) {
                best = found;
            }
        }
        if best.0 == 0 {
            break;
        }
        let end = best.2.saturating_add(WINDOW_WORDS);
        let within = places.iter().filter(|(at, _)| (best.2..end).contains(at));
        told.extend(within.map(|(_, mark)| *mark));
        windows.push(best.2);
    }
    if windows.is_empty() {
        windows.push(0);
    }
    windows
}

/// The text from a word on, as far as a passage goes.
fn passage(
    marks: &Marks,
    source: &Source<'_>,
    (row, from, start): (u32, u32, Start),
    blocks: &mut Blocks,
) -> Result<Option<Passage>, Stop> {
    let text = text_from(source, row, start, PIECES_A_PASSAGE, blocks)?;
    let Some((text, is_end)) = text else {
        return Ok(None);
    };
    let (mut begin, mut end, mut is_cut) = (None, 0, false);
    let mut found = Vec::new();
    words(&text, |word| {
        if start.word + word.position < from {
            return true;
        }
        let begin = *begin.get_or_insert(word.start);
        let is_long = word.end - begin > PASSAGE_BYTES && end > begin;
        if is_long || start.word + word.position >= from + 2 * WINDOW_WORDS {
            is_cut = true;
            return false;
        }
        end = end.max(word.end);
        if marks.number(Field::Text, word.term).is_some() {
            mark(&mut found, &word);
        }
        true
    });
    let is_begin = from == 0;
    let begin = if is_begin { 0 } else { begin.unwrap_or(0) };
    // Signs behind the last word belong to it.
    let end = if is_cut || end - begin > PASSAGE_BYTES {
        end
    } else {
        text.len().min(end + 16)
    };
    let mut end = end.max(begin);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let matched = marks.matched(Field::Text, &text).into_iter();
    let matched: Vec<Range<usize>> = matched.map(|(range, _)| range).collect();
    let over = matched
        .iter()
        .find(|range| (range.start..range.end).contains(&end));
    if let Some(range) = over.filter(|range| range.end - end <= REST_BYTES) {
        end = range.end;
    }
    let within = matched
        .into_iter()
        .map(|range| range.start.max(begin)..range.end.min(end));
    let found = joined(found, within.filter(|range| !range.is_empty()).collect());
    let shown = found
        .into_iter()
        .map(|range| range.start - begin..range.end - begin);
    Ok(Some(Passage {
        text: text[begin..end].to_owned(),
        marks: shown.collect(),
        is_begin,
        is_end: is_end && end == text.len(),
    }))
}
