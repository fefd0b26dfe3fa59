//! A list of URLs that is only appended to, front-coded: neighbours in a crawl share long prefixes.
//!
//!   segment := SEGMENT_URLS urls, in groups of GROUP_URLS
//!   group   := url*          url := shared:varint suffix:bytes
//! `shared` counts the bytes taken from the URL before it in the group (0 for the first).
//! Segments never move once they are full, so memory stays what the URLs need.

use crate::codec::{Reader, push_varint, shared_bytes};

const GROUP_URLS: usize = 16;
const SEGMENT_URLS: usize = 4096;
const SEGMENT_GROUPS: usize = SEGMENT_URLS / GROUP_URLS;

#[derive(Default)]
struct Segment {
    bytes: Vec<u8>,
    /// Where each group starts in `bytes`.
    starts: Vec<u32>,
}

#[derive(Default)]
pub struct Urls {
    segments: Vec<Segment>,
    count: usize,
    last: Vec<u8>,
}

impl Urls {
    pub fn push(&mut self, url: &[u8]) {
        if self.count.is_multiple_of(SEGMENT_URLS) {
            if let Some(full) = self.segments.last_mut() {
                full.bytes.shrink_to_fit();
            }
            self.segments.push(Segment {
                bytes: Vec::new(),
                starts: Vec::with_capacity(SEGMENT_GROUPS),
            });
        }
        let Some(segment) = self.segments.last_mut() else {
            return;
        };
        let shared = if self.count.is_multiple_of(GROUP_URLS) {
            // A segment of 4,096 URLs of at most 16 KiB stays under 64 MiB.
            segment
                .starts
                .push(u32::try_from(segment.bytes.len()).unwrap_or(u32::MAX));
            0
        } else {
            shared_bytes(&self.last, url)
        };
        push_varint(&mut segment.bytes, shared as u64);
        push_varint(&mut segment.bytes, (url.len() - shared) as u64);
        segment.bytes.extend_from_slice(&url[shared..]);
        self.last.clear();
        self.last.extend_from_slice(url);
        self.count += 1;
    }

    /// Calls `visit` for the URLs `from..to` in order, until it returns false.
    pub fn scan(&self, from: usize, to: usize, mut visit: impl FnMut(usize, &[u8]) -> bool) {
        let to = to.min(self.count);
        let mut url = Vec::new();
        let mut group = from / GROUP_URLS;
        while group * GROUP_URLS < to {
            let segment = &self.segments[group / SEGMENT_GROUPS];
            let start = segment.starts[group % SEGMENT_GROUPS] as usize;
            let mut reader = Reader::new(&segment.bytes[start..]);
            let first = group * GROUP_URLS;
            for at in first..(first + GROUP_URLS).min(to) {
                if !next(&mut reader, &mut url) {
                    return;
                }
                if at >= from && !visit(at, &url) {
                    return;
                }
            }
            group += 1;
        }
    }

    /// Bytes of memory that the list holds.
    pub fn resident(&self) -> usize {
        let held = |segment: &Segment| segment.bytes.capacity() + 4 * segment.starts.capacity();
        self.segments.iter().map(held).sum::<usize>()
            + self.segments.capacity() * size_of::<Segment>()
    }
}

fn next(reader: &mut Reader<'_>, url: &mut Vec<u8>) -> bool {
    let (Some(shared), Some(length)) = (reader.varint(), reader.varint()) else {
        return false;
    };
    let (Ok(shared), Ok(length)) = (usize::try_from(shared), usize::try_from(length)) else {
        return false;
    };
    let Some(suffix) = reader.take(length) else {
        return false;
    };
    url.truncate(shared);
    url.extend_from_slice(suffix);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_come_back_in_order_from_any_start() {
        let all: Vec<String> = (0..10_000)
            .map(|n| format!("http://h{}.test/a/{}/{n}", n % 7, n / 13))
            .collect();
        let mut urls = Urls::default();
        all.iter().for_each(|url| urls.push(url.as_bytes()));
        for (from, to) in [
            (0, 10_000),
            (1, 17),
            (15, 33),
            (4095, 4097),
            (9_999, 20_000),
            (10_000, 10_001),
        ] {
            let mut seen = Vec::new();
            urls.scan(from, to, |at, url| {
                seen.push((at, String::from_utf8(url.to_vec()).unwrap_or_default()));
                true
            });
            let expected: Vec<_> = (from..to.min(all.len()))
                .map(|at| (at, all[at].clone()))
                .collect();
            assert_eq!(seen, expected);
        }
        assert!(urls.resident() < all.iter().map(String::len).sum());
    }
}
