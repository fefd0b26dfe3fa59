//! What becomes of entries of several segments that follow each other in one: those of the same key, and short pieces
//! of the same list, are joined.

use std::collections::VecDeque;

use super::draft::{LENGTHS, POSITIONS, TERMS, WORDS, join_counts};
use super::facets::{FACETS, join_facets};
use super::lengths;
use super::postings::{self, Head};
use crate::segment::{Entry, Join};

/// Knows which pieces were joined until their positions come, which are joined like them.
#[derive(Default)]
pub struct Joining {
    /// Of each piece whose positions stand apart, in their order, whether it went into the one before.
    joined: VecDeque<bool>,
}

impl Join for Joining {
    fn join(
        &mut self,
        section: &[u8],
        last: Option<Entry<'_>>,
        next: Entry<'_>,
    ) -> Option<Vec<u8>> {
        if section == TERMS {
            return self.join_terms(last, next);
        }
        if section == POSITIONS {
            let is_joined = self.joined.pop_front().unwrap_or(false);
            return postings::join_apart(last?.1, next.1).filter(|_| is_joined);
        }
        let (key, value) = last?;
        if key != next.0 {
            return None;
        }
        match section {
            WORDS => join_counts(value, next.1),
            LENGTHS => lengths::join_lengths(lengths::stretch_of(key)?, value, next.1),
            FACETS => join_facets(key, value, next.0, next.1),
            _ => None,
        }
    }
}

impl Joining {
    fn join_terms(&mut self, last: Option<Entry<'_>>, next: Entry<'_>) -> Option<Vec<u8>> {
        let joined = last.and_then(|(key, value)| {
            let at = key.len().checked_sub(4)?;
            // The same term in the same field, the rows being the last of the key.
            if key.len() != next.0.len() || key[..at] != next.0[..at] {
                return None;
            }
            let first = |key| postings::parts_of(key).map(|(_, _, row)| row);
            postings::join((first(key)?, value), (first(next.0)?, next.1))
        });
        if Head::read(0, next.1).is_some_and(|head| head.is_apart) {
            self.joined.push_back(joined.is_some());
        }
        joined
    }
}
