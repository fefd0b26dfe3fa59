//! Bytes of strings, one string behind the other through pages of a file, however long they are; and where the strings
//! stand that are in there by id.

use std::cmp::Ordering;

use super::array::Array;
use super::layout::Progress;
use super::pages::{CHECKSUM_BYTES, Place, Source, Stop};

#[derive(Clone, Copy)]
pub struct Heap {
    pub offset: u64,
    pub page_bytes: u32,
}

/// From where to where among the bytes of a heap.
pub type Range = (u64, u64);

impl Heap {
    /// How the string there compares with another one. What was compared so far is in the progress.
    pub fn compare(
        &self,
        (start, end): Range,
        string: &[u8],
        progress: &mut Progress,
        source: &mut Source,
    ) -> Result<Ordering, Stop> {
        let length = string.len() as u64;
        while progress.done < length.min(end - start) {
            let piece = self.piece((start + progress.done, end), source)?;
            let rest = usize::try_from(progress.done).unwrap_or(usize::MAX);
            let other = string.get(rest..).unwrap_or_default();
            let compared = piece.len().min(other.len());
            let ordering = piece[..compared].cmp(&other[..compared]);
            if ordering != Ordering::Equal {
                progress.done = 0;
                return Ok(ordering);
            }
            progress.done += compared as u64;
        }
        progress.done = 0;
        Ok((end - start).cmp(&length))
    }

    /// Whether the string there is this one.
    pub fn is(
        &self,
        range: Range,
        string: &[u8],
        progress: &mut Progress,
        source: &mut Source,
    ) -> Result<bool, Stop> {
        if range.1 - range.0 != string.len() as u64 {
            return Ok(false);
        }
        Ok(self.compare(range, string, progress, source)? == Ordering::Equal)
    }

    /// Appends the string there. What was copied so far is in the progress.
    pub fn copy(
        &self,
        (start, end): Range,
        into: &mut Vec<u8>,
        progress: &mut Progress,
        source: &mut Source,
    ) -> Result<(), Stop> {
        while progress.done < end - start {
            let piece = self.piece((start + progress.done, end), source)?;
            into.extend_from_slice(piece);
            progress.done += piece.len() as u64;
        }
        progress.done = 0;
        Ok(())
    }

    /// What of these bytes is in the first page that has some of them: never nothing.
    fn piece<'a>(&self, (at, end): Range, source: &'a mut Source) -> Result<&'a [u8], Stop> {
        let each = u64::from(self.page_bytes) - CHECKSUM_BYTES as u64;
        let place = Place {
            offset: (at / each)
                .saturating_mul(u64::from(self.page_bytes))
                .saturating_add(self.offset),
            length: self.page_bytes,
        };
        let from = at % each;
        let to = each.min(from.saturating_add(end - at));
        let content = source.read(place)?;
        let index = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        Ok(&content[index(from)..index(to)])
    }
}

/// Strings in the order of their ids.
#[derive(Clone, Copy)]
pub struct Strings {
    /// Where each begins; behind them where the last one ends.
    pub starts: Array,
    pub heap: Heap,
}

impl Strings {
    pub fn range(&self, id: u32, source: &mut Source) -> Result<Range, Stop> {
        let id = u64::from(id);
        let range = (
            self.starts.get(id, source)?,
            self.starts.get(id + 1, source)?,
        );
        if range.0 > range.1 {
            return Err(source.damaged(self.starts.place(id).0));
        }
        Ok(range)
    }

    pub fn compare(
        &self,
        id: u32,
        string: &[u8],
        progress: &mut Progress,
        source: &mut Source,
    ) -> Result<Ordering, Stop> {
        let range = self.range(id, source)?;
        self.heap.compare(range, string, progress, source)
    }

    pub fn is(
        &self,
        id: u32,
        string: &[u8],
        progress: &mut Progress,
        source: &mut Source,
    ) -> Result<bool, Stop> {
        let range = self.range(id, source)?;
        self.heap.is(range, string, progress, source)
    }

    pub fn copy(
        &self,
        id: u32,
        into: &mut Vec<u8>,
        progress: &mut Progress,
        source: &mut Source,
    ) -> Result<(), Stop> {
        let range = self.range(id, source)?;
        self.heap.copy(range, into, progress, source)
    }
}
