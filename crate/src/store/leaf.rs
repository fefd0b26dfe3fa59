//! Entries in one page of a bucket (FORMAT.md 4).
//!
//!   content := next:u32 count:u16 heap:u16 bucket:u32 behind:[u8; 16] tag:u8* offset:u16* gap entry*
//!   entry   := hash:u32 key_length:varint value_length:varint key value
//! Tags and offsets grow from the front, entries from the end; `heap` is where the lowest entry begins, and 0
//! stands for the end, so that a page of zeros is an empty one. Entries leave no holes. In the first page of a
//! bucket `behind` has a bit for each entry of the pages after it, so that most keys that are not there cost one page.

use super::page::CONTENT_BYTES;
use crate::codec::{Reader, push_varint};

const BEHIND_AT: usize = 12;
const BEHIND_BYTES: usize = 16;
const HEAD_BYTES: usize = BEHIND_AT + BEHIND_BYTES;
const SLOT_BYTES: usize = 3;
const HASH_BYTES: usize = 4;
/// Bytes of a page that slots and entries share.
pub const ROOM_BYTES: usize = CONTENT_BYTES - HEAD_BYTES;

/// The parts of a key's hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hash {
    /// Chooses the bucket; kept with the entry, so that splits never hash again.
    pub address: u32,
    /// Tells most keys of a page apart; independent of the address.
    pub tag: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    pub hash: Hash,
    pub key: &'a [u8],
    pub value: &'a [u8],
}

impl Entry<'_> {
    /// Bytes that it takes of a page's room.
    pub fn cost(&self) -> usize {
        SLOT_BYTES + entry_bytes(self.key.len(), self.value.len())
    }
}

fn entry_bytes(key: usize, value: usize) -> usize {
    HASH_BYTES + varint_bytes(key) + varint_bytes(value) + key + value
}

fn varint_bytes(value: usize) -> usize {
    let bits = usize::BITS - value.max(1).leading_zeros();
    bits.div_ceil(7) as usize
}

/// The page after this one in its bucket's chain: number of the overflow page.
pub fn next(content: &[u8]) -> Option<u32> {
    word(content, 0).checked_sub(1)
}

pub fn set_next(content: &mut [u8], next: Option<u32>) {
    put_word(content, 0, next.map_or(0, |n| n + 1));
}

pub fn bucket(content: &[u8]) -> u32 {
    word(content, 8)
}

pub fn set_bucket(content: &mut [u8], bucket: u32) {
    put_word(content, 8, bucket);
}

/// Whether an entry of that hash can be in a page after this first one of the bucket.
pub fn may_be_behind(content: &[u8], hash: Hash) -> bool {
    let (at, bit) = behind_bit(hash);
    content[at] & bit != 0
}

pub fn note_behind(content: &mut [u8], hash: Hash) {
    let (at, bit) = behind_bit(hash);
    content[at] |= bit;
}

fn behind_bit(hash: Hash) -> (usize, u8) {
    // The low bits of the address are alike in a bucket, the high ones are not.
    let bit = (hash.address >> 25) as usize % (BEHIND_BYTES * 8);
    (BEHIND_AT + bit / 8, 1 << (bit % 8))
}

pub fn count(content: &[u8]) -> usize {
    usize::from(half(content, 4))
}

/// Bytes of the room that are taken.
pub fn used(content: &[u8]) -> usize {
    SLOT_BYTES * count(content) + CONTENT_BYTES - heap(content)
}

pub fn room(content: &[u8]) -> usize {
    ROOM_BYTES.saturating_sub(used(content))
}

pub fn entry(content: &[u8], slot: usize) -> Option<Entry<'_>> {
    let count = count(content);
    if slot >= count {
        return None;
    }
    let tag = *content.get(HEAD_BYTES + slot)?;
    let offset = usize::from(half(content, HEAD_BYTES + count + 2 * slot));
    let mut reader = Reader::new(content.get(offset + HASH_BYTES..)?);
    let key_bytes = usize::try_from(reader.varint()?).ok()?;
    let value_bytes = usize::try_from(reader.varint()?).ok()?;
    Some(Entry {
        hash: Hash {
            address: word(content, offset),
            tag,
        },
        key: reader.take(key_bytes)?,
        value: reader.take(value_bytes)?,
    })
}

pub fn entries(content: &[u8]) -> impl Iterator<Item = Entry<'_>> {
    (0..count(content)).filter_map(|slot| entry(content, slot))
}

/// The slot of a key.
pub fn find(content: &[u8], hash: Hash, key: &[u8]) -> Option<usize> {
    let tags = content.get(HEAD_BYTES..HEAD_BYTES + count(content))?;
    memchr::memchr_iter(hash.tag, tags).find(|slot| {
        let offset = usize::from(half(content, HEAD_BYTES + tags.len() + 2 * slot));
        word(content, offset) == hash.address
            && entry(content, *slot).is_some_and(|entry| entry.key == key)
    })
}

/// Adds an entry whose key is not there; there must be room.
pub fn insert(content: &mut [u8], entry: &Entry<'_>) {
    debug_assert!(entry.cost() <= room(content));
    let count = count(content);
    let offset = heap(content) - (entry.cost() - SLOT_BYTES);
    let mut bytes = Vec::with_capacity(entry.cost());
    bytes.extend_from_slice(&entry.hash.address.to_le_bytes());
    push_varint(&mut bytes, entry.key.len() as u64);
    push_varint(&mut bytes, entry.value.len() as u64);
    bytes.extend_from_slice(entry.key);
    bytes.extend_from_slice(entry.value);
    content[offset..offset + bytes.len()].copy_from_slice(&bytes);
    let offsets = HEAD_BYTES + count;
    content.copy_within(offsets..offsets + 2 * count, offsets + 1);
    content[offsets] = entry.hash.tag;
    put_half(content, offsets + 1 + 2 * count, offset);
    put_half(content, 4, count + 1);
    put_half(content, 6, offset);
}

/// Takes an entry out.
pub fn remove(content: &mut [u8], slot: usize) {
    let Some(bytes) = entry(content, slot).map(|entry| entry.cost() - SLOT_BYTES) else {
        return;
    };
    let (count, heap) = (count(content), heap(content));
    let offsets = HEAD_BYTES + count;
    let offset = usize::from(half(content, offsets + 2 * slot));
    content.copy_within(heap..offset, heap + bytes);
    for other in 0..count {
        let at = usize::from(half(content, offsets + 2 * other));
        if at < offset {
            put_half(content, offsets + 2 * other, at + bytes);
        }
    }
    content.copy_within(
        offsets + 2 * slot + 2..offsets + 2 * count,
        offsets + 2 * slot,
    );
    content.copy_within(
        HEAD_BYTES + slot + 1..offsets + 2 * (count - 1),
        HEAD_BYTES + slot,
    );
    put_half(content, 4, count - 1);
    put_half(content, 6, heap + bytes);
}

fn heap(content: &[u8]) -> usize {
    match half(content, 6) {
        0 => CONTENT_BYTES,
        heap => usize::from(heap).min(CONTENT_BYTES),
    }
}

fn word(content: &[u8], at: usize) -> u32 {
    let bytes = content
        .get(at..at + 4)
        .and_then(|word| word.try_into().ok());
    bytes.map_or(0, u32::from_le_bytes)
}

fn half(content: &[u8], at: usize) -> u16 {
    let bytes = content
        .get(at..at + 2)
        .and_then(|half| half.try_into().ok());
    bytes.map_or(0, u16::from_le_bytes)
}

fn put_word(content: &mut [u8], at: usize, value: u32) {
    content[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

fn put_half(content: &mut [u8], at: usize, value: usize) {
    let value = u16::try_from(value).unwrap_or(u16::MAX);
    content[at..at + 2].copy_from_slice(&value.to_le_bytes());
}

const _: () = assert!(CONTENT_BYTES < u16::MAX as usize);

#[cfg(test)]
mod tests {
    use super::*;

    fn entry_of<'a>(n: u32, key: &'a [u8], value: &'a [u8]) -> Entry<'a> {
        let hash = Hash {
            address: n,
            tag: (n % 5) as u8,
        };
        Entry { hash, key, value }
    }

    #[test]
    fn entries_come_and_go_without_holes() {
        let mut content = vec![0; CONTENT_BYTES];
        let mut kept: Vec<(u32, Vec<u8>, Vec<u8>)> = Vec::new();
        let mut state = 1u32;
        for step in 0..4000u32 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let key = step.to_le_bytes().repeat(1 + (state >> 28) as usize);
            let value = vec![7; (state >> 20) as usize % 300];
            let new = entry_of(step, &key, &value);
            if new.cost() <= room(&content) {
                insert(&mut content, &new);
                kept.push((step, key, value));
            } else {
                let (n, key, _) = kept.remove(state as usize % kept.len());
                let slot = find(&content, entry_of(n, &[], &[]).hash, &key);
                remove(&mut content, slot.expect("it is there"));
                assert_eq!(find(&content, entry_of(n, &[], &[]).hash, &key), None);
            }
            let cost: usize = kept.iter().map(|(n, k, v)| entry_of(*n, k, v).cost()).sum();
            assert_eq!(used(&content), cost);
            for (n, key, value) in &kept {
                let wanted = entry_of(*n, key, value);
                let slot = find(&content, wanted.hash, key);
                assert_eq!(slot.and_then(|slot| entry(&content, slot)), Some(wanted));
            }
        }
    }
}
