//! A stand-in for the linear hash: a fixed number of buckets, each a chain of logical pages.
//! It has the page traffic of a hash, which is what the pager is tried with, and nothing of its growth.
//!
//!   content := next:u32 used:u32 entry*      entry := key:varint-bytes value:varint-bytes
//! Bucket b starts in logical page b.

use super::cache::Missing;
use super::page::CONTENT_BYTES;
use super::pager::Pager;
use crate::codec::{Reader, Writer};

const HEAD_BYTES: usize = 8;
const ROOM_BYTES: usize = CONTENT_BYTES - HEAD_BYTES;

/// A key and its value.
pub type KeyValue = (Vec<u8>, Vec<u8>);

/// Key and value together may be this long.
pub const ENTRY_BYTES_MAX: usize = ROOM_BYTES - 2 * 5;

pub struct StandIn {
    buckets: u32,
}

/// Where a scan stands. It goes on from here after a page was absent; what was told is not told again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    page: u32,
    at: usize,
}

/// How a put went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Put {
    Done,
    /// The cache is full of dirty pages; nothing was changed.
    MustSpill,
    TooLarge,
}

impl StandIn {
    pub fn new(buckets: u32) -> StandIn {
        StandIn { buckets }
    }

    /// Makes the buckets of an empty store; returns false where pages must be spilled in between.
    pub fn prepare(&self, pager: &mut Pager) -> bool {
        while pager.len() < self.buckets {
            if pager.must_spill() || pager.grow().is_none() {
                return false;
            }
        }
        true
    }

    pub fn get(&self, pager: &mut Pager, key: &[u8]) -> Result<Option<Vec<u8>>, Missing> {
        let mut page = self.bucket(key);
        loop {
            let content = pager.read(page)?;
            if let Some(entry) = entries(content).find(|entry| entry.key == key) {
                return Ok(Some(entry.value.to_vec()));
            }
            page = match next(content) {
                0 => return Ok(None),
                next => next,
            };
        }
    }

    /// Sets a key. Plans first: every page of the chain that it needs is resident before one is changed.
    pub fn put(&self, pager: &mut Pager, key: &[u8], value: &[u8]) -> Result<Put, Missing> {
        if key.len() + value.len() > ENTRY_BYTES_MAX {
            return Ok(Put::TooLarge);
        }
        let mut writer = Writer::new();
        writer.bytes(key);
        writer.bytes(value);
        let entry = writer.finish();
        let chain = self.chain(pager, key)?;
        pager.absent(&chain)?;
        if pager.must_spill() {
            return Ok(Put::MustSpill);
        }
        let plan = self.plan(pager, &chain, key, entry.len())?;
        // Dirty pages stay resident, so from here on nothing can be absent.
        for &page in &plan.touched {
            pager.write(page)?;
        }
        let target = match plan.target {
            Some(page) => page,
            None => {
                let Some(page) = pager.grow() else {
                    return Ok(Put::MustSpill);
                };
                set_word(pager.write(chain[chain.len() - 1])?, 0, page);
                page
            }
        };
        if let Some((page, from, to)) = plan.replaced {
            take_out(pager.write(page)?, from, to);
        }
        append(pager.write(target)?, &entry);
        Ok(Put::Done)
    }

    /// What a put will change, found before anything is.
    fn plan(
        &self,
        pager: &mut Pager,
        chain: &[u32],
        key: &[u8],
        bytes: usize,
    ) -> Result<Plan, Missing> {
        let mut plan = Plan::default();
        for &page in chain {
            let content = pager.read(page)?;
            let mut room = ROOM_BYTES - used(content);
            if let Some(entry) = entries(content).find(|entry| entry.key == key) {
                plan.replaced = Some((page, entry.from, entry.to));
                room += entry.to - entry.from;
            }
            if plan.target.is_none() && room >= bytes {
                plan.target = Some(page);
            }
        }
        plan.touched.extend(plan.replaced.map(|(page, _, _)| page));
        plan.touched.extend(plan.target.or(chain.last().copied()));
        Ok(plan)
    }

    /// The next entries, at most `limit`; none at the end.
    pub fn scan(
        &self,
        pager: &mut Pager,
        cursor: &mut Cursor,
        limit: usize,
    ) -> Result<Vec<KeyValue>, Missing> {
        let mut found = Vec::new();
        while cursor.page < pager.len() && found.len() < limit {
            let content = match pager.read(cursor.page) {
                Ok(content) => content,
                // What was found so far is told first; the absent page comes up again with the next call.
                Err(_) if !found.is_empty() => return Ok(found),
                Err(missing) => return Err(missing),
            };
            let room = limit - found.len();
            let before = found.len();
            found.extend(
                entries(content)
                    .skip(cursor.at)
                    .take(room)
                    .map(|entry| (entry.key.to_vec(), entry.value.to_vec())),
            );
            cursor.at += found.len() - before;
            if found.len() < limit {
                *cursor = Cursor {
                    page: cursor.page + 1,
                    at: 0,
                };
            }
        }
        Ok(found)
    }

    fn bucket(&self, key: &[u8]) -> u32 {
        let hash = key.iter().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
            (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        u32::try_from((hash >> 16) % u64::from(self.buckets)).unwrap_or(0)
    }

    /// The logical pages of a key's bucket.
    fn chain(&self, pager: &mut Pager, key: &[u8]) -> Result<Vec<u32>, Missing> {
        let mut chain = vec![self.bucket(key)];
        loop {
            let last = chain[chain.len() - 1];
            match next(pager.read(last)?) {
                0 => return Ok(chain),
                next => chain.push(next),
            }
        }
    }
}

#[derive(Default)]
struct Plan {
    /// Where the key stands now: page, from, to.
    replaced: Option<(u32, usize, usize)>,
    /// The page of the chain that has room; none if the chain must grow.
    target: Option<u32>,
    touched: Vec<u32>,
}

struct Entry<'a> {
    key: &'a [u8],
    value: &'a [u8],
    /// Where in the content it stands.
    from: usize,
    to: usize,
}

fn entries(content: &[u8]) -> impl Iterator<Item = Entry<'_>> {
    let end = (HEAD_BYTES + used(content)).min(content.len());
    let mut at = HEAD_BYTES;
    std::iter::from_fn(move || {
        let bytes = content.get(at..end).filter(|bytes| !bytes.is_empty())?;
        let mut reader = Reader::new(bytes);
        let key_bytes = usize::try_from(reader.varint()?).ok()?;
        let key = reader.take(key_bytes)?;
        let value_bytes = usize::try_from(reader.varint()?).ok()?;
        let value = reader.take(value_bytes)?;
        let from = at;
        at = end - reader.left();
        Some(Entry {
            key,
            value,
            from,
            to: at,
        })
    })
}

fn word(content: &[u8], at: usize) -> u32 {
    content
        .get(at..at + 4)
        .and_then(|word| word.try_into().ok())
        .map_or(0, u32::from_le_bytes)
}

fn set_word(content: &mut [u8], at: usize, value: u32) {
    content[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

fn next(content: &[u8]) -> u32 {
    word(content, 0)
}

fn used(content: &[u8]) -> usize {
    (word(content, 4) as usize).min(ROOM_BYTES)
}

fn take_out(content: &mut [u8], from: usize, to: usize) {
    let end = HEAD_BYTES + used(content);
    content.copy_within(to..end, from);
    let left = end - (to - from) - HEAD_BYTES;
    set_word(content, 4, u32::try_from(left).unwrap_or(0));
}

fn append(content: &mut [u8], entry: &[u8]) {
    let at = HEAD_BYTES + used(content);
    content[at..at + entry.len()].copy_from_slice(entry);
    let now = used(content) + entry.len();
    set_word(content, 4, u32::try_from(now).unwrap_or(0));
}
