//! The log: what commits changed since the pages were written last (FORMAT.md 3).
//!
//!   page of the log := change* 0    change := kind:u8 tag:u8 address:u32 key_length:varint value_length:varint key value
//! A commit that changes little writes its changes here, some pages at most, and leaves the changed pages of the index
//! in memory until a commit writes them all. Opening makes the changes again.
//! L1  A change is in one page, and the pages of a commit hold no change of another.
//! L2  Changes are made again in their order, on the pages that the log goes on from; nothing else is needed for it.

use super::hash::{Hashed, KEY_BYTES_MAX, VALUE_BYTES_MAX};
use super::leaf::{Hash, Value};
use super::page::CONTENT_BYTES;
use crate::codec::{Reader, push_varint};

/// Pages of the log beyond which a commit writes those of the index: what opening may have to make again.
pub const LOG_PAGES_MAX: usize = 256;
/// Every kind has this bit, so that 0 is the end of a page.
const CHANGE: u8 = 1;
const REMOVES: u8 = 2;
const IS_DIGEST: u8 = 4;
const IS_REFERENCE: u8 = 8;

/// A change as the log tells it: the value to be put, or nothing where the key is removed.
pub struct Logged<'a> {
    pub key: Hashed<'a>,
    pub value: Option<Value<'a>>,
}

/// Changes since the last commit.
#[derive(Default)]
pub struct Log {
    pages: Vec<Vec<u8>>,
    /// There were more than a log holds: the next commit writes pages.
    is_full: bool,
}

impl Log {
    pub fn note(&mut self, key: &Hashed<'_>, value: Option<Value<'_>>) {
        if self.is_full {
            return;
        }
        let mut kind = CHANGE;
        kind |= if value.is_none() { REMOVES } else { 0 };
        kind |= if key.is_digest() { IS_DIGEST } else { 0 };
        let is_reference = value.is_some_and(|value| value.is_reference);
        kind |= if is_reference { IS_REFERENCE } else { 0 };
        let (key_bytes, hash) = (key.stands_as(), key.hash());
        let value = value.map_or(&[][..], |value| value.bytes);
        // With the longest lengths there are.
        let most = 6 + 4 + key_bytes.len() + value.len();
        let has_room = |page: &Vec<u8>| page.len() + most <= CONTENT_BYTES;
        if !self.pages.last().is_some_and(has_room) {
            if self.pages.len() == LOG_PAGES_MAX {
                self.is_full = true;
                self.pages = Vec::new();
                return;
            }
            self.pages.push(Vec::with_capacity(CONTENT_BYTES));
        }
        if let Some(page) = self.pages.last_mut() {
            page.extend([kind, hash.tag]);
            page.extend(hash.address.to_le_bytes());
            push_varint(page, key_bytes.len() as u64);
            push_varint(page, value.len() as u64);
            page.extend(key_bytes);
            page.extend(value);
        }
    }

    /// Pages that these changes take, unless they are too many.
    pub fn len(&self) -> Option<usize> {
        (!self.is_full).then_some(self.pages.len())
    }

    /// The contents of their pages; what follows is of the next commit.
    pub fn take(&mut self) -> Vec<Vec<u8>> {
        self.is_full = false;
        let mut pages = std::mem::take(&mut self.pages);
        for page in &mut pages {
            page.resize(CONTENT_BYTES, 0);
        }
        pages
    }
}

/// Changes that are to be made again.
#[derive(Default)]
pub struct Replay {
    pages: Vec<Vec<u8>>,
    page: usize,
    at: usize,
}

impl Replay {
    pub fn new(pages: Vec<Vec<u8>>) -> Replay {
        Replay {
            pages,
            page: 0,
            at: 0,
        }
    }

    /// The next change, and where the one after it is.
    pub fn next(&self) -> Option<(Logged<'_>, (usize, usize))> {
        self.change_at((self.page, self.at))
    }

    /// Changes from the next one on.
    pub fn coming(&self) -> impl Iterator<Item = Logged<'_>> {
        let mut place = (self.page, self.at);
        std::iter::from_fn(move || {
            let (change, next) = self.change_at(place)?;
            place = next;
            Some(change)
        })
    }

    fn change_at(
        &self,
        (mut page, mut at): (usize, usize),
    ) -> Option<(Logged<'_>, (usize, usize))> {
        loop {
            let content = self.pages.get(page)?;
            let rest = content.get(at..).unwrap_or_default();
            let mut reader = Reader::new(rest);
            if let Some(change) = logged(&mut reader) {
                return Some((change, (page, content.len() - reader.left())));
            }
            (page, at) = (page + 1, 0);
        }
    }

    /// It was made.
    pub fn go_on(&mut self, next: (usize, usize)) {
        (self.page, self.at) = next;
    }
}

fn logged<'a>(reader: &mut Reader<'a>) -> Option<Logged<'a>> {
    let &[kind, tag] = reader.take(2)? else {
        return None;
    };
    if kind & CHANGE == 0 {
        return None;
    }
    let address = reader.u32()?;
    let key_bytes = usize::try_from(reader.varint()?).ok()?;
    let value_bytes = usize::try_from(reader.varint()?).ok()?;
    // Of a store that was made to deceive.
    if key_bytes > KEY_BYTES_MAX || value_bytes > VALUE_BYTES_MAX as usize {
        return None;
    }
    let key = reader.take(key_bytes)?;
    let bytes = reader.take(value_bytes)?;
    let value = Value {
        bytes,
        is_reference: kind & IS_REFERENCE != 0,
    };
    let hash = Hash { address, tag };
    Some(Logged {
        key: Hashed::standing_as(hash, key, kind & IS_DIGEST != 0)?,
        value: (kind & REMOVES == 0).then_some(value),
    })
}
