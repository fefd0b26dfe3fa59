//! The pages that are resident, at most `capacity` of them.
//!
//! C1  A dirty page is never dropped; it becomes clean when the host says that it was written.
//! C2  Pages that were provided since the last operation that ended are dropped last, so that an
//!     operation that asked for them finds them when it is called again.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::page::{CONTENT_BYTES, PageNo};

/// Pages that an operation needs and that are not resident. Nothing was changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Missing(pub Vec<PageNo>);

struct Slot {
    page_no: PageNo,
    content: Box<[u8]>,
    is_dirty: bool,
    was_used: bool,
}

/// Page numbers are chosen by the pager, not by anybody hostile: one multiplication spreads them.
#[derive(Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn write(&mut self, bytes: &[u8]) {
        bytes
            .iter()
            .for_each(|byte| self.write_u32(u32::from(*byte)));
    }

    fn write_u32(&mut self, number: u32) {
        self.0 = (self.0 ^ u64::from(number)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}

pub struct Cache {
    capacity: usize,
    slots: Vec<Slot>,
    places: HashMap<PageNo, usize, BuildHasherDefault<Spread>>,
    hand: usize,
    dirty_count: usize,
}

impl Cache {
    pub fn new(capacity: usize) -> Cache {
        Cache {
            capacity,
            slots: Vec::new(),
            places: HashMap::default(),
            hand: 0,
            dirty_count: 0,
        }
    }

    pub fn read(&mut self, page_no: PageNo) -> Result<&[u8], Missing> {
        let at = self.seat(page_no)?;
        Ok(self.at(at))
    }

    /// Which slot a page has, as long as none is provided or dropped.
    pub fn seat(&mut self, page_no: PageNo) -> Result<usize, Missing> {
        let Some(&at) = self.places.get(&page_no) else {
            return Err(Missing(vec![page_no]));
        };
        self.slots[at].was_used = true;
        Ok(at)
    }

    pub fn at(&self, seat: usize) -> &[u8] {
        &self.slots[seat].content
    }

    /// A page to change; it is dirty from here on.
    pub fn write(&mut self, page_no: PageNo) -> Result<&mut [u8], Missing> {
        let Some(&at) = self.places.get(&page_no) else {
            return Err(Missing(vec![page_no]));
        };
        let slot = &mut self.slots[at];
        slot.was_used = true;
        self.dirty_count += usize::from(!slot.is_dirty);
        slot.is_dirty = true;
        Ok(&mut slot.content)
    }

    /// Gives a resident page another number: its next writing goes elsewhere in the file.
    pub fn renumber(&mut self, from: PageNo, to: PageNo) {
        // What was read there, of a commit that is no more, would be taken for this page once its slot is used anew.
        self.forget(to);
        if let Some(at) = self.places.remove(&from) {
            self.slots[at].page_no = to;
            self.places.insert(to, at);
        }
    }

    /// Takes in a page, in place of one that is not needed now. Returns false where all are dirty.
    pub fn provide(&mut self, page_no: PageNo, content: &[u8], is_dirty: bool) -> bool {
        if let Some(&at) = self.places.get(&page_no) {
            let slot = &mut self.slots[at];
            slot.content.copy_from_slice(content);
            self.dirty_count += usize::from(is_dirty && !slot.is_dirty);
            slot.is_dirty |= is_dirty;
            return true;
        }
        debug_assert_eq!(content.len(), CONTENT_BYTES);
        let at = if self.slots.len() < self.capacity {
            self.slots.push(Slot {
                page_no,
                content: content.into(),
                is_dirty,
                was_used: true,
            });
            self.slots.len() - 1
        } else {
            let Some(at) = self.victim() else {
                return false;
            };
            let slot = &mut self.slots[at];
            self.places.remove(&slot.page_no);
            slot.page_no = page_no;
            slot.content.copy_from_slice(content);
            slot.is_dirty = is_dirty;
            slot.was_used = true;
            at
        };
        self.dirty_count += usize::from(is_dirty);
        self.places.insert(page_no, at);
        true
    }

    /// A clean page that was not used for a round of the clock's hand, or any clean one.
    fn victim(&mut self) -> Option<usize> {
        for _ in 0..2 * self.slots.len() {
            let at = self.hand;
            self.hand = (self.hand + 1) % self.slots.len();
            let slot = &mut self.slots[at];
            if slot.is_dirty {
                continue;
            }
            if !slot.was_used {
                return Some(at);
            }
            slot.was_used = false;
        }
        self.slots.iter().position(|slot| !slot.is_dirty)
    }

    /// Drops a page, dirty or not.
    pub fn forget(&mut self, page_no: PageNo) {
        let Some(at) = self.places.remove(&page_no) else {
            return;
        };
        let slot = self.slots.swap_remove(at);
        self.dirty_count -= usize::from(slot.is_dirty);
        if let Some(moved) = self.slots.get(at) {
            self.places.insert(moved.page_no, at);
        }
        self.hand = 0;
    }

    pub fn dirty(&self) -> impl Iterator<Item = (PageNo, &[u8])> {
        self.slots
            .iter()
            .filter(|slot| slot.is_dirty)
            .map(|slot| (slot.page_no, &*slot.content))
    }

    pub fn dirty_count(&self) -> usize {
        self.dirty_count
    }

    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// The dirty pages were written.
    pub fn clean(&mut self) {
        for slot in &mut self.slots {
            slot.is_dirty = false;
        }
        self.dirty_count = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_takes_a_place_takes_it_from_what_was_read_there() {
        let content = |n: u8| [n; CONTENT_BYTES];
        let mut cache = Cache::new(3);
        cache.provide(PageNo(1), &content(1), false);
        cache.provide(PageNo(2), &content(2), true);
        cache.renumber(PageNo(2), PageNo(1));
        // More than it holds: what is left of the page that was read is dropped, the dirty one is not.
        for n in 3..9 {
            cache.provide(PageNo(n.into()), &content(n), false);
            assert_eq!(cache.read(PageNo(1)), Ok(&content(2)[..]));
        }
        assert_eq!(cache.dirty_count(), 1);
    }
}
