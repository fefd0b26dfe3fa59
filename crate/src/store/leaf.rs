//! Entries in one page of the index (FORMAT.md 4).
//!
//!   first page of a bucket := count:u16 heap:u16 bucket:u32 link:u32{3} behind:[u8; 64] entries
//!   shared overflow page   := count:u16 heap:u16 SHARED:u32 entries
//!   entries                := tag:u8* offset:u16* gap entry*
//!   entry                  := hash:u32 key_length:varint value_length:varint key value
//! Tags and offsets grow from the front, entries from the end; `heap` is where the lowest entry begins, and 0
//! stands for the end, so that a page of zeros is the empty first page of a bucket. Entries leave no holes.
//! In the first page `behind` has a bit for each entry of the bucket in the pages that it links to, so that most keys
//! that are not there cost one page. Each length has a flag in its lowest bit: the key is a digest, the value refers.

use super::page::CONTENT_BYTES;
use crate::codec::Reader;
use crate::copy::copy;

/// Overflow pages that a bucket links to at most.
pub const LINKS_MAX: usize = 3;
const BUCKET_AT: usize = 4;
const LINKS_AT: usize = 8;
const BEHIND_AT: usize = LINKS_AT + 4 * LINKS_MAX;
const BEHIND_BYTES: usize = 64;
const FIRST_HEAD_BYTES: usize = BEHIND_AT + BEHIND_BYTES;
const SHARED_HEAD_BYTES: usize = 8;
/// Stands in place of the bucket in a page that many buckets share.
const SHARED: u32 = u32::MAX;
const SLOT_BYTES: usize = 3;
const HASH_BYTES: usize = 4;
/// Bytes of a bucket's first page that slots and entries share.
pub const ROOM_BYTES: usize = CONTENT_BYTES - FIRST_HEAD_BYTES;
/// The same of a shared page.
pub const SHARED_ROOM_BYTES: usize = CONTENT_BYTES - SHARED_HEAD_BYTES;

/// The parts of a key's hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hash {
    /// Chooses the bucket; kept with the entry, so that splits never hash again.
    pub address: u32,
    /// Tells most keys of a page apart; independent of the address.
    pub tag: u8,
}

/// A key as it stands in a page: itself, or a digest of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key<'a> {
    pub hash: Hash,
    pub bytes: &'a [u8],
    pub is_digest: bool,
}

/// A value as it stands in a page: itself, or where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value<'a> {
    pub bytes: &'a [u8],
    pub is_reference: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    pub key: Key<'a>,
    pub value: Value<'a>,
}

impl Entry<'_> {
    /// Bytes that it takes of a page's room.
    pub fn cost(&self) -> usize {
        let (key, value) = (self.key.bytes.len(), self.value.bytes.len());
        SLOT_BYTES + HASH_BYTES + varint_bytes(key * 2) + varint_bytes(value * 2) + key + value
    }

    /// Writes it as it stands in a page, to a place of its cost without the slot.
    fn write(&self, to: &mut [u8]) {
        let (head, rest) = to.split_at_mut(HASH_BYTES);
        head.copy_from_slice(&self.key.hash.address.to_le_bytes());
        let key_field = self.key.bytes.len() * 2 + usize::from(self.key.is_digest);
        let value_field = self.value.bytes.len() * 2 + usize::from(self.value.is_reference);
        let lengths = write_varint(rest, key_field);
        let lengths = lengths + write_varint(&mut rest[lengths..], value_field);
        let (key, value) = rest[lengths..].split_at_mut(self.key.bytes.len());
        copy(key, self.key.bytes);
        copy(value, self.value.bytes);
    }
}

/// An entry as it stands in a page, for a copy of it.
#[derive(Clone, Copy)]
pub struct Standing<'a> {
    pub tag: u8,
    pub bytes: &'a [u8],
}

/// The hash of an entry, and where in its page it stands.
#[derive(Clone, Copy)]
pub struct Place {
    pub hash: Hash,
    pub from: usize,
    pub length: usize,
}

impl Place {
    /// Bytes that it takes of a page's room.
    pub fn cost(&self) -> usize {
        SLOT_BYTES + self.length
    }

    /// Appends an entry to `out` as it will stand in a page.
    pub fn of_new(entry: &Entry<'_>, out: &mut Vec<u8>) -> Place {
        let (from, length) = (out.len(), entry.cost() - SLOT_BYTES);
        out.resize(from + length, 0);
        entry.write(&mut out[from..]);
        Place {
            hash: entry.key.hash,
            from,
            length,
        }
    }
}

fn varint_bytes(value: usize) -> usize {
    let bits = usize::BITS - value.max(1).leading_zeros();
    bits.div_ceil(7) as usize
}

/// Makes an empty shared page of a page of zeros.
pub fn make_shared(content: &mut [u8]) {
    put_word(content, BUCKET_AT, SHARED);
}

pub fn is_shared(content: &[u8]) -> bool {
    word(content, BUCKET_AT) == SHARED
}

pub fn bucket(content: &[u8]) -> u32 {
    word(content, BUCKET_AT)
}

pub fn set_bucket(content: &mut [u8], bucket: u32) {
    put_word(content, BUCKET_AT, bucket);
}

/// Numbers of the overflow pages where the bucket of this first page goes on.
pub fn links(content: &[u8]) -> impl Iterator<Item = u32> {
    (0..LINKS_MAX).filter_map(|n| word(content, LINKS_AT + 4 * n).checked_sub(1))
}

/// Sets where the bucket goes on, and which entries are there. There are at most `LINKS_MAX` links.
pub fn set_behind(content: &mut [u8], links: &[u32], entries: impl Iterator<Item = Hash>) {
    content[LINKS_AT..FIRST_HEAD_BYTES].fill(0);
    for (n, link) in links.iter().take(LINKS_MAX).enumerate() {
        put_word(content, LINKS_AT + 4 * n, link + 1);
    }
    entries.for_each(|hash| note_behind(content, hash));
}

/// The bucket has nothing any more in one of the pages that it links to.
pub fn unlink(content: &mut [u8], link: u32) {
    let left: Vec<u32> = links(content).filter(|other| *other != link).collect();
    if left.is_empty() {
        set_behind(content, &[], std::iter::empty());
        return;
    }
    for n in 0..LINKS_MAX {
        put_word(
            content,
            LINKS_AT + 4 * n,
            left.get(n).map_or(0, |link| link + 1),
        );
    }
}

/// Whether an entry of that hash can be in a page that this first one links to.
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
    let bit = (hash.address >> 23) as usize % (BEHIND_BYTES * 8);
    (BEHIND_AT + bit / 8, 1 << (bit % 8))
}

pub fn count(content: &[u8]) -> usize {
    // A page of a store that was made to deceive may state any number.
    usize::from(half(content, 0)).min((CONTENT_BYTES - FIRST_HEAD_BYTES) / SLOT_BYTES)
}

/// Bytes of the room that are taken.
pub fn used(content: &[u8]) -> usize {
    SLOT_BYTES * count(content) + CONTENT_BYTES - heap(content)
}

pub fn room(content: &[u8]) -> usize {
    (CONTENT_BYTES - head_bytes(content)).saturating_sub(used(content))
}

fn head_bytes(content: &[u8]) -> usize {
    if is_shared(content) {
        SHARED_HEAD_BYTES
    } else {
        FIRST_HEAD_BYTES
    }
}

pub fn entry(content: &[u8], slot: usize) -> Option<Entry<'_>> {
    let (hash, from) = slot_of(content, slot)?;
    let mut reader = Reader::new(content.get(from + HASH_BYTES..)?);
    let key_field = usize::try_from(reader.varint()?).ok()?;
    let value_field = usize::try_from(reader.varint()?).ok()?;
    Some(Entry {
        key: Key {
            hash,
            bytes: reader.take(key_field / 2)?,
            is_digest: key_field % 2 == 1,
        },
        value: Value {
            bytes: reader.take(value_field / 2)?,
            is_reference: value_field % 2 == 1,
        },
    })
}

/// Where an entry begins.
pub fn offset(content: &[u8], slot: usize) -> Option<usize> {
    slot_of(content, slot).map(|(_, from)| from)
}

/// The hash of an entry, and where it begins.
fn slot_of(content: &[u8], slot: usize) -> Option<(Hash, usize)> {
    let (count, head) = (count(content), head_bytes(content));
    if slot >= count {
        return None;
    }
    let tag = *content.get(head + slot)?;
    let from = usize::from(half(content, head + count + 2 * slot));
    let address = word(content, from);
    Some((Hash { address, tag }, from))
}

/// Where entries stand.
pub fn places(content: &[u8]) -> impl Iterator<Item = Place> {
    (0..count(content)).filter_map(|slot| {
        let (hash, from) = slot_of(content, slot)?;
        let rest = content.get(from + HASH_BYTES..)?;
        let mut reader = Reader::new(rest);
        let key_bytes = usize::try_from(reader.varint()? / 2).ok()?;
        let value_bytes = usize::try_from(reader.varint()? / 2).ok()?;
        reader.take(key_bytes)?;
        reader.take(value_bytes)?;
        Some(Place {
            hash,
            from,
            length: HASH_BYTES + rest.len() - reader.left(),
        })
    })
}

pub fn entries(content: &[u8]) -> impl Iterator<Item = Entry<'_>> {
    (0..count(content)).filter_map(|slot| entry(content, slot))
}

/// The slot of a key.
pub fn find(content: &[u8], key: &Key<'_>) -> Option<usize> {
    let (count, head) = (count(content), head_bytes(content));
    let tags = content.get(head..head + count)?;
    memchr::memchr_iter(key.hash.tag, tags).find(|slot| {
        let offset = usize::from(half(content, head + count + 2 * slot));
        word(content, offset) == key.hash.address
            && entry(content, *slot).is_some_and(|entry| entry.key == *key)
    })
}

/// Adds an entry whose key is not there; there must be room.
pub fn insert(content: &mut [u8], entry: &Entry<'_>) {
    let length = entry.cost() - SLOT_BYTES;
    debug_assert!(entry.cost() <= room(content));
    make_slots(content, [(entry.key.hash.tag, length)].into_iter());
    let from = heap(content);
    entry.write(&mut content[from..from + length]);
}

/// Adds entries whose keys are not there; there must be room.
pub fn insert_all<'a>(
    content: &mut [u8],
    entries: impl ExactSizeIterator<Item = Standing<'a>> + Clone,
) {
    let mut end = heap(content);
    let slots = entries.clone().map(|entry| (entry.tag, entry.bytes.len()));
    make_slots(content, slots);
    for entry in entries {
        let from = end - entry.bytes.len();
        copy(&mut content[from..end], entry.bytes);
        end = from;
    }
}

/// Makes slots for entries of these tags and lengths, the first of which ends where the heap begins.
fn make_slots(content: &mut [u8], entries: impl ExactSizeIterator<Item = (u8, usize)>) {
    let (count, head, more) = (count(content), head_bytes(content), entries.len());
    let (tags_end, mut from) = (head + count, heap(content));
    content.copy_within(tags_end..tags_end + 2 * count, tags_end + more);
    let offsets_end = tags_end + more + 2 * count;
    for (n, (tag, length)) in entries.enumerate() {
        from -= length;
        content[tags_end + n] = tag;
        put_half(content, offsets_end + 2 * n, from);
    }
    put_half(content, 0, count + more);
    put_half(content, 2, from);
}

fn write_varint(to: &mut [u8], value: usize) -> usize {
    let length = varint_bytes(value);
    for (n, byte) in to[..length].iter_mut().enumerate() {
        let more = if n + 1 < length { 0x80 } else { 0 };
        *byte = (value >> (7 * n)).to_le_bytes()[0] & 0x7f | more;
    }
    length
}

/// Takes out the entries whose hash is not to stay.
pub fn retain(content: &mut [u8], stays: impl Fn(Hash) -> bool) {
    let places: Vec<Place> = places(content).collect();
    let staying = || places.iter().filter(|place| stays(place.hash));
    if staying().count() < count(content) {
        let before = content.to_vec();
        let entries: Vec<Standing<'_>> = staying()
            .map(|place| Standing {
                tag: place.hash.tag,
                bytes: &before[place.from..place.from + place.length],
            })
            .collect();
        let head = head_bytes(content);
        content[head..].fill(0);
        put_half(content, 0, 0);
        put_half(content, 2, 0);
        insert_all(content, entries.iter().copied());
    }
}

/// Takes an entry out.
pub fn remove(content: &mut [u8], slot: usize) {
    let Some(bytes) = entry(content, slot).map(|entry| entry.cost() - SLOT_BYTES) else {
        return;
    };
    let (count, heap, head) = (count(content), heap(content), head_bytes(content));
    let offsets = head + count;
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
    content.copy_within(head + slot + 1..offsets + 2 * (count - 1), head + slot);
    put_half(content, 0, count - 1);
    put_half(content, 2, heap + bytes);
}

fn heap(content: &[u8]) -> usize {
    match half(content, 2) {
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
        let is_reference = n % 3 == 1;
        Entry {
            key: Key {
                hash,
                bytes: key,
                is_digest: n % 7 == 2,
            },
            value: Value {
                bytes: value,
                is_reference,
            },
        }
    }

    #[test]
    fn entries_come_and_go_without_holes() {
        for shared in [false, true] {
            let mut content = vec![0; CONTENT_BYTES];
            if shared {
                make_shared(&mut content);
            } else {
                set_behind(&mut content, &[4, 0], std::iter::empty());
            }
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
                    let slot = find(&content, &entry_of(n, &key, &[]).key);
                    remove(&mut content, slot.expect("it is there"));
                    assert_eq!(find(&content, &entry_of(n, &key, &[]).key), None);
                }
                let cost: usize = kept.iter().map(|(n, k, v)| entry_of(*n, k, v).cost()).sum();
                assert_eq!(used(&content), cost);
                for (n, key, value) in &kept {
                    let wanted = entry_of(*n, key, value);
                    let slot = find(&content, &wanted.key);
                    assert_eq!(slot.and_then(|slot| entry(&content, slot)), Some(wanted));
                }
            }
            let stays = |n: u32| !n.is_multiple_of(3);
            retain(&mut content, |hash| stays(hash.address));
            kept.retain(|(n, _, _)| stays(*n));
            let found: Vec<Entry<'_>> = entries(&content).collect();
            assert_eq!(found.len(), kept.len());
            for (n, key, value) in &kept {
                assert!(found.contains(&entry_of(*n, key, value)));
            }
            let links: Vec<u32> = links(&content).collect();
            assert_eq!(is_shared(&content), shared);
            assert!(shared || links == [4, 0]);
        }
    }
}
