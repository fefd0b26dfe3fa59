//! Buckets of strings by their hashes, and where each ends.

use crate::codec::push_varint;
use crate::limits::{DICTIONARY_RESIDENT_BYTES_MAX, DICTIONARY_SPAN_BYTES_MAX};

use super::super::bucket::{GROUP, INLINE_BYTES_MAX};
use super::super::builder::Given;
use super::super::footer::Footer;
use super::super::hash::part_of;
use super::super::opening::BUCKET_BYTES;
use super::super::out::Out;
use super::super::pages::CHECKSUM_BYTES;

/// `None` where a bucket is too large, or there are too many.
pub fn write(
    given: &Given,
    hashes: &[(u64, u32)],
    each: u32,
    footer: &mut Footer,
    out: &mut Out,
) -> Option<()> {
    let buckets = given.count().div_ceil(each.max(1));
    footer.parts = buckets;
    let is_long = |string: &&[u8]| string.len() > INLINE_BYTES_MAX;
    footer.regions.heap = out.heap(given.all().filter(is_long));
    let mut long_starts = Vec::new();
    let mut long_bytes = 0;
    for string in given.all() {
        long_starts.push(long_bytes);
        long_bytes += if is_long(&string) {
            string.len() as u64
        } else {
            0
        };
    }
    let mut bucket_of = vec![0u32; given.count() as usize];
    for (hash, id) in hashes {
        bucket_of[*id as usize] = part_of(*hash, buckets);
    }
    footer.regions.places = out.array(BUCKET_BYTES, bucket_of.iter().copied().map(u64::from));
    footer.regions.index = out.at();
    let mut ends = Vec::new();
    let mut base = 0;
    let mut rest = hashes;
    let mut content = Vec::new();
    for bucket in 0..buckets {
        let count = rest.partition_point(|(hash, _)| part_of(*hash, buckets) <= bucket);
        let (held, behind) = rest.split_at(count);
        rest = behind;
        content.clear();
        for (hash, id) in held {
            push_entry(
                &mut content,
                given.get(*id),
                *hash,
                *id,
                long_starts[*id as usize],
            );
        }
        if content.len() + CHECKSUM_BYTES > DICTIONARY_SPAN_BYTES_MAX as usize {
            return None;
        }
        if bucket % GROUP == 0 {
            base = out.at() - footer.regions.index;
            ends.extend(base.to_le_bytes());
        }
        out.span(&content);
        let end = out.at() - footer.regions.index - base;
        ends.extend(u32::try_from(end).ok()?.to_le_bytes());
    }
    if ends.len() + CHECKSUM_BYTES > DICTIONARY_RESIDENT_BYTES_MAX as usize {
        return None;
    }
    if buckets > 0 {
        footer.resident = out.span(&ends);
    }
    Some(())
}

fn push_entry(content: &mut Vec<u8>, string: &[u8], hash: u64, id: u32, long_start: u64) {
    content.extend(id.to_le_bytes());
    let length = string.len() as u64;
    if string.len() <= INLINE_BYTES_MAX {
        push_varint(content, length << 1);
        content.extend_from_slice(string);
    } else {
        push_varint(content, length << 1 | 1);
        push_varint(content, long_start);
        content.extend(hash.to_le_bytes());
    }
}
