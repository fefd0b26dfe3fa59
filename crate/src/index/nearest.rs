//! Captures of one URL around a time: one block of the column of URLs, wherever they lie.

use super::columns::{Column, END_OF_URL, Locator, time_of, url_of};
use crate::order;
use crate::segment::{Blocks, Cursor, Segment, Stop};

/// Which captures of a URL are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Those nearest to it, in seconds since 1970; without a time the first ones.
    pub time: Option<u32>,
    pub count: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capture {
    pub time: Option<u32>,
    pub locator: Locator,
}

/// The time of an entry, and its value.
pub(super) type Timed = (Option<u32>, Vec<u8>);

/// Times and values of entries, the nearest first; of two as near the earlier one.
pub(super) fn nearest<'a>(
    segments: impl Iterator<Item = &'a Segment>,
    url_key: &[u8],
    Asked { time, count }: Asked,
    blocks: &mut Blocks,
) -> Result<Vec<Timed>, Stop> {
    let mut found = Vec::new();
    for segment in segments {
        let Some(section) = segment.section(Column::Url.section()) else {
            continue;
        };
        let mut key = url_key.to_vec();
        key.push(END_OF_URL);
        key.extend(time.unwrap_or(0).to_be_bytes());
        let at = segment.rank(section, &key, blocks)?.entries;
        let count = count as u64;
        let from = if time.is_some() {
            at.saturating_sub(count)
        } else {
            at
        };
        let mut cursor = Cursor::new(section, from);
        while cursor.entry() < at.saturating_add(count) {
            let entry = cursor.entry();
            match cursor.read(segment, blocks)? {
                Some((key, value)) if url_of(key) == url_key => {
                    found.push((time_of(key), value.to_vec()));
                }
                Some(_) if entry < at => {}
                _ => break,
            }
            cursor.go_on();
        }
    }
    let wanted = i64::from(time.unwrap_or(0));
    // Those without a time come last.
    let distance =
        |time: Option<u32>| time.map_or(i64::MAX, |time| (i64::from(time) - wanted).abs());
    let key = |(time, _): &(Option<u32>, Vec<u8>)| (distance(*time), *time);
    order::sort_by(&mut found, |one, other| key(one).cmp(&key(other)));
    found.truncate(count);
    Ok(found)
}
