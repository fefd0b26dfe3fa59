//! Rows and documents on their way into what is kept: documents when their rows are there, and everything that can be
//! searched in the order of the rows, whether it comes or is kept already.

use super::SearchIndex;
use crate::index::{Documents, Index};
use crate::row::Row;
use crate::segment::{Blocks, Stop};

/// Rows that are read together.
const ROWS_AT_ONCE: usize = 64;

/// Takes in what has come and what is not searchable yet. False where drafts are full before: flush them, and call again.
pub fn settle(
    index: &Index,
    mut documents: Option<&mut Documents>,
    mut search: Option<&mut SearchIndex>,
    blocks: &mut Blocks,
) -> Result<bool, Stop> {
    loop {
        let next = documents.as_deref().and_then(Documents::next_row);
        let next = next.filter(|row| *row < index.rows());
        if let Some(search) = search.as_deref_mut() {
            // Of rows behind the end there may be documents.
            let end = documents.as_deref().map_or(u64::MAX, Documents::end);
            let to = next.unwrap_or(end.min(index.rows()));
            if !take_kept(index, documents.as_deref(), search, to, blocks)? || search.is_full() {
                return Ok(false);
            }
        }
        let (Some(number), Some(documents)) = (next, documents.as_deref_mut()) else {
            return Ok(true);
        };
        if documents.is_full() {
            return Ok(false);
        }
        let (_, row) = index.row(number, blocks)?.unwrap_or_default();
        let document = documents.take_in(&row);
        if let Some(search) = search.as_deref_mut() {
            search.push(number, &row, document.as_ref());
        }
    }
}

/// Makes rows below `to` searchable, with the documents that are kept of them. False where the draft is full before.
fn take_kept(
    index: &Index,
    documents: Option<&Documents>,
    search: &mut SearchIndex,
    to: u64,
    blocks: &mut Blocks,
) -> Result<bool, Stop> {
    while search.next() < to {
        if search.is_full() {
            return Ok(false);
        }
        let mut rows: Vec<(u64, Row)> = Vec::new();
        index.visit_rows(search.next(), blocks, |number, _, row| {
            if number < to {
                rows.push((number, row));
            }
            number + 1 < to && rows.len() < ROWS_AT_ONCE
        })?;
        if rows.is_empty() {
            break;
        }
        for (number, row) in rows {
            let document = match documents {
                Some(documents) => documents.document(number, blocks)?,
                None => None,
            };
            search.push(number, &row, document.as_ref());
        }
    }
    Ok(true)
}
