//! Rows in whose texts one fragment of a group occurs at least, by the words of the search index.

use roaring::RoaringBitmap;

use crate::pattern::Fragment;
use crate::search::kept::SearchIndex;
use crate::search::{Field, WordRows};
use crate::segment::{Blocks, Stop};

pub struct GroupRows {
    field: Field,
    /// Fragments that are still to be looked up.
    group: Vec<Fragment>,
    going: Option<WordRows>,
    rows: Option<RoaringBitmap>,
}

impl GroupRows {
    pub fn new(field: Field, group: Vec<Fragment>) -> GroupRows {
        GroupRows {
            field,
            group,
            going: None,
            rows: Some(RoaringBitmap::new()),
        }
    }

    /// Goes on; true when the rows are there.
    pub fn step(&mut self, search: &SearchIndex, blocks: &mut Blocks) -> Result<bool, Stop> {
        let Some(rows) = &mut self.rows else {
            return Ok(true);
        };
        let Some(going) = &mut self.going else {
            let next = self.group.pop();
            let is_over = next.is_none();
            self.going = next.map(|fragment| WordRows::new(self.field, fragment));
            return Ok(is_over);
        };
        if going.step(search, blocks)? {
            match going.rows() {
                Some(having) => *rows |= having,
                None => self.rows = None,
            }
            self.going = None;
        }
        Ok(false)
    }

    /// The rows, or nothing where too many words have such a fragment.
    pub fn take(&mut self) -> Option<RoaringBitmap> {
        self.rows.take()
    }
}
