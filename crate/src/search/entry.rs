//! Single entries of an index's segments, looked up by their keys: how long documents are, and with which words the stored
//! pieces of texts begin.

use super::draft::LENGTHS;
use super::kept::SearchIndex;
use super::lengths::{self, Codes, STRETCH_ROWS, Start};
use crate::segment::{Blocks, Cursor, Segment, Stop};

/// A segment that is not what it should be.
pub fn damaged(search: &SearchIndex, segment: usize) -> Stop {
    let span = search.segment(segment).map(Segment::whole);
    Stop::Damaged(span.unwrap_or(crate::segment::Span {
        file: 0,
        offset: 0,
        length: 0,
    }))
}

/// The value of a key in a section.
fn value_of(
    segment: &Segment,
    name: &[u8],
    key: &[u8],
    blocks: &mut Blocks,
) -> Result<Option<Vec<u8>>, Stop> {
    let Some(section) = segment.section(name) else {
        return Err(Stop::Damaged(segment.whole()));
    };
    let mut cursor = Cursor::at_key(segment, section, key, blocks)?;
    let entry = cursor.read(segment, blocks)?;
    let value = entry.filter(|(found, _)| *found == key);
    Ok(value.map(|(_, value)| value.to_vec()))
}

/// Codes of the lengths of the fields of rows of one stretch; of a row without words they are 0.
pub fn lengths_of(
    search: &SearchIndex,
    rows: &[u32],
    codes: &mut Vec<Codes>,
    blocks: &mut Blocks,
) -> Result<(), Stop> {
    codes.clear();
    let first = rows.first().map_or(0, |row| *row - *row % STRETCH_ROWS);
    // A stretch may lie in two segments, each of which tells its own rows of it.
    let mut rest = rows;
    while let Some(row) = rest.first() {
        let at = search.segment_of(*row);
        let here = rest.partition_point(|row| search.segment_of(*row) == at);
        let (own, behind) = rest.split_at(here);
        if let Some(segment) = search.segment(at) {
            let section = segment.section(LENGTHS).ok_or(damaged(search, at))?;
            let key = lengths::lengths_key(first);
            let mut cursor = Cursor::at_key(segment, section, &key, blocks)?;
            let entry = cursor.read(segment, blocks)?;
            let value = entry.filter(|(found, _)| *found == key);
            let value = value.map_or(&[][..], |(_, value)| value);
            let told = lengths::codes_of(first, own, value, codes);
            told.ok_or_else(|| damaged(search, at))?;
        } else {
            codes.resize(codes.len() + own.len(), Codes::default());
        }
        rest = behind;
    }
    Ok(())
}

/// With which words the stored pieces of a row's text begin, from the second on.
pub fn starts(search: &SearchIndex, row: u32, blocks: &mut Blocks) -> Result<Vec<Start>, Stop> {
    let at = search.segment_of(row);
    let Some(segment) = search.segment(at) else {
        return Ok(Vec::new());
    };
    let value = value_of(segment, LENGTHS, &lengths::starts_key(row), blocks)?;
    let starts = lengths::read_starts(&value.unwrap_or_default());
    starts.ok_or_else(|| damaged(search, at))
}
