//! Strings of an ordered dictionary, one after another: all, those from one to another, or those that begin alike.

use super::layout::Progress;
use super::opening::Dictionary;
use super::pages::{Pages, Stop};

pub struct Cursor {
    from: Vec<u8>,
    /// The first that is not meant; without it all to the end are.
    to: Option<Vec<u8>>,
    start: Option<u32>,
    end: Option<u32>,
    id: Option<u32>,
    string: Vec<u8>,
    progress: Progress,
}

impl Cursor {
    pub fn new(from: &[u8], to: Option<&[u8]>) -> Cursor {
        Cursor {
            from: from.to_vec(),
            to: to.map(<[u8]>::to_vec),
            start: None,
            end: None,
            id: None,
            string: Vec::new(),
            progress: Progress::default(),
        }
    }

    /// Those that begin so.
    pub fn prefix(prefix: &[u8]) -> Cursor {
        // The first that does not: with the last byte that can be higher made so, and without those behind it.
        let mut to = prefix.to_vec();
        while to.pop_if(|last| *last == u8::MAX).is_some() {}
        let end = to.last_mut().map(|last| *last += 1);
        Cursor::new(prefix, end.map(|()| to.as_slice()))
    }

    /// How many there are, where the dictionary is ordered, those not counted that were told.
    pub fn left(&mut self, dictionary: &Dictionary, pages: &mut Pages) -> Result<u32, Stop> {
        let start = match self.start {
            Some(start) => start,
            None => self.rank(true, dictionary, pages)?,
        };
        let end = match self.end {
            Some(end) => end,
            None => self.rank(false, dictionary, pages)?,
        };
        Ok(end.saturating_sub(start))
    }

    /// The next one and its id; nothing behind the last, and in a dictionary that has no order.
    pub fn next(
        &mut self,
        dictionary: &Dictionary,
        pages: &mut Pages,
    ) -> Result<Option<(u32, &[u8])>, Stop> {
        if self.left(dictionary, pages)? == 0 {
            return Ok(None);
        }
        let rank = self.start.unwrap_or_default();
        let id = match self.id {
            Some(id) => id,
            None => dictionary.id_at(rank, pages)?,
        };
        self.id = Some(id);
        dictionary.lookup_string(id, &mut self.string, &mut self.progress, pages)?;
        self.progress = Progress::default();
        self.id = None;
        self.start = Some(rank + 1);
        Ok(Some((id, &self.string)))
    }

    fn rank(
        &mut self,
        is_start: bool,
        dictionary: &Dictionary,
        pages: &mut Pages,
    ) -> Result<u32, Stop> {
        let string = match is_start {
            true => Some(&self.from),
            false => self.to.as_ref(),
        };
        let rank = match string {
            Some(string) => dictionary.rank(string, &mut self.progress, pages)?,
            None => Some(dictionary.count()),
        };
        self.progress = Progress::default();
        // Of a dictionary without an order there is nothing to tell.
        let rank = rank.filter(|_| dictionary.is_ordered()).unwrap_or_default();
        match is_start {
            true => self.start = Some(rank),
            false => self.end = Some(rank),
        }
        Ok(rank)
    }
}
