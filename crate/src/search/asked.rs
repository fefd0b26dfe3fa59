//! What a text in a query asks the words of documents for.
//!
//!   word      documents that have it, or, where it was not in quotes, another form of it
//!   word*     documents that have a word that begins so
//!   several   documents where they follow each other; so with what is one word to a reader, such as `wi-fi`
//! A letter of a script without blanks stands for all that begins with it, several for those that follow each other.

use stackroom_words::words;

use super::field::Field;
use crate::error::{Error, code};
use crate::limits::SEARCH_PHRASE_WORDS_MAX;
use crate::query::{Leaf, Value, wrong};

/// How a query is understood.
#[derive(Clone, Copy, Debug)]
pub struct QueryOptions {
    /// Words find their other forms, unless they are in quotes.
    pub is_stemmed: bool,
}

impl Default for QueryOptions {
    fn default() -> QueryOptions {
        QueryOptions { is_stemmed: true }
    }
}

/// One word of those that are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    pub term: Vec<u8>,
    /// All words that begin with it will do.
    pub is_prefix: bool,
    /// Its number among the words.
    pub offset: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// One or more.
    pub slots: Vec<Slot>,
    /// Other forms of the word will do.
    pub is_wide: bool,
    pub fields: Vec<Field>,
    /// Where in the query it stands.
    pub at: usize,
}

impl Asked {
    /// `None` where the leaf asks a column that is none of words.
    pub fn of(leaf: &Leaf) -> Result<Option<Asked>, Error> {
        let fields = match leaf.column.as_deref() {
            // In braces a value is meant as a whole.
            _ if leaf.is_label => return Ok(None),
            None => Field::ALL.to_vec(),
            Some("title") => vec![Field::Title],
            Some("text" | "body") => vec![Field::Text],
            Some(_) => return Ok(None),
        };
        let (text, is_quoted) = match &leaf.value {
            Value::Bare(text) => (text.as_str(), false),
            Value::Quoted(text) => (text.as_str(), true),
            Value::Regex { .. } => return Ok(None),
        };
        let plain = text.strip_suffix('*').filter(|_| !is_quoted);
        if !is_quoted && plain.unwrap_or(text).contains('*') {
            return Err(wrong(
                code::QUERY_VALUE,
                leaf.at,
                "expected a star at the end of a word only, such as archiv*",
            ));
        }
        let mut slots = slots(plain.unwrap_or(text));
        if plain.is_some()
            && let Some(last) = slots.last_mut()
        {
            last.is_prefix = true;
        }
        let problem = if slots.is_empty() {
            "expected a word: there is no letter and no digit".into()
        } else if slots.len() > SEARCH_PHRASE_WORDS_MAX {
            format!("expected at most {SEARCH_PHRASE_WORDS_MAX} words that follow each other")
        } else {
            String::new()
        };
        if !problem.is_empty() {
            return Err(wrong(code::QUERY_VALUE, leaf.at, &problem));
        }
        Ok(Some(Asked {
            is_wide: !is_quoted && slots.len() == 1 && !slots[0].is_prefix,
            slots,
            fields,
            at: leaf.at,
        }))
    }
}

/// The words of a text, as they are searched.
fn slots(text: &str) -> Vec<Slot> {
    let mut slots: Vec<(Slot, usize)> = Vec::new();
    let mut beside = None;
    words(text, |word| {
        let slot = Slot {
            term: word.term.to_vec(),
            is_prefix: word.is_lone,
            offset: word.position,
        };
        if word.is_beside {
            beside = Some((slot, word.start, word.end));
            return true;
        }
        // The last letter of a stretch is the second one of what was told before it.
        let is_told = word.is_lone && slots.last().is_some_and(|(_, end)| *end == word.end);
        if !is_told {
            slots.push((slot, word.end));
        }
        slots.len() <= SEARCH_PHRASE_WORDS_MAX
    });
    // Nothing but initials, or a word with its signs.
    if let Some((slot, start, end)) = beside {
        let is_all = text[..start].chars().chain(text[end..].chars());
        if !is_all.into_iter().any(char::is_alphanumeric) {
            return vec![slot];
        }
    }
    slots.into_iter().map(|(slot, _)| slot).collect()
}
