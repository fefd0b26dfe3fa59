//! Rows by hashes of their URLs: 44 bytes a record, and no URL is held.
//!
//! Entries of one path form a chain from the bucket of its hash, the last one first. Whoever chooses the
//! URLs of an archive does not know the seed, so that nobody can put all of them into one bucket.

use xxhash_rust::xxh64::xxh64;

use super::key::{Keys, keys};
use crate::archive::RecordType;
use crate::codec::Reader;

/// What a URL must have in common with that which is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    Same,
    Alike,
    /// At the same path; of each URL there the nearest capture.
    Below,
}

#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    pub how: How,
    /// Seconds since 1970; without it the first ones are the nearest.
    pub date: Option<u32>,
    pub count: usize,
    /// Requests are wanted, and not what answered them.
    pub is_of_requests: bool,
}

struct Entry {
    path: u64,
    same: u64,
    alike: u64,
    row: u32,
    date: Option<u32>,
    is_request: bool,
    /// One more than the number of the next entry of the bucket; 0 at its end.
    next: u32,
}

pub struct ByUrl {
    seed: u64,
    /// As entries point to each other; a power of two of them.
    buckets: Vec<u32>,
    entries: Vec<Entry>,
}

const BUCKETS_MIN: usize = 1024;

impl ByUrl {
    pub fn new(seed: u64) -> ByUrl {
        ByUrl {
            seed,
            buckets: vec![0; BUCKETS_MIN],
            entries: Vec::new(),
        }
    }

    /// Takes in rows as `Captures::encode` tells them; false where they are none.
    pub fn add(&mut self, rows: &[u8]) -> bool {
        let mut reader = Reader::new(rows);
        while !reader.is_empty() {
            if self.add_row(&mut reader).is_none() {
                return false;
            }
        }
        true
    }

    fn add_row(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        let row = reader.varint()?;
        for _ in 0..4 {
            reader.varint()?;
        }
        let kind = reader.varint()?;
        reader.varint()?;
        reader.varint()?;
        let date = reader.varint()?.checked_sub(1);
        text(reader)?;
        let url = String::from_utf8_lossy(text(reader)?);
        let is = |one: RecordType| kind == one as u64;
        let is_request = is(RecordType::Request);
        let is_capture =
            is(RecordType::Response) || is(RecordType::Resource) || is(RecordType::Revisit);
        let known = if is_request || is_capture {
            keys(&url)
        } else {
            None
        };
        if let (Some(keys), Ok(row)) = (known, u32::try_from(row)) {
            let date = date.and_then(|date| u32::try_from(date).ok());
            self.enter(&keys, row, date, is_request);
        }
        Some(())
    }

    fn enter(&mut self, keys: &Keys, row: u32, date: Option<u32>, is_request: bool) {
        if self.entries.len() >= self.buckets.len() {
            self.grow();
        }
        let [path, same, alike] = self.hashes(keys);
        let bucket = self.bucket(path);
        self.entries.push(Entry {
            path,
            same,
            alike,
            row,
            date,
            is_request,
            next: self.buckets[bucket],
        });
        self.buckets[bucket] = u32::try_from(self.entries.len()).unwrap_or(0);
    }

    fn grow(&mut self) {
        self.buckets = vec![0; self.buckets.len() * 2];
        for at in 0..self.entries.len() {
            let bucket = self.bucket(self.entries[at].path);
            self.entries[at].next = self.buckets[bucket];
            self.buckets[bucket] = u32::try_from(at + 1).unwrap_or(0);
        }
    }

    fn hashes(&self, keys: &Keys) -> [u64; 3] {
        [&keys.path, &keys.same, &keys.alike].map(|key| xxh64(key, self.seed))
    }

    fn bucket(&self, path: u64) -> usize {
        usize::try_from(path & (self.buckets.len() as u64 - 1)).unwrap_or(0)
    }

    /// Rows that answer, the nearest in time first; of those as near the earlier one.
    pub fn find(&self, url: &str, wanted: Wanted) -> Vec<u32> {
        let Some(keys) = keys(url) else {
            return Vec::new();
        };
        let [path, same, alike] = self.hashes(&keys);
        let mut found: Vec<(u32, u32, u64)> = Vec::new();
        let mut next = self.buckets[self.bucket(path)];
        while let Some(entry) = self.entries.get((next as usize).wrapping_sub(1)) {
            next = entry.next;
            let is_it = entry.path == path
                && match wanted.how {
                    How::Same => entry.same == same,
                    How::Alike => entry.alike == alike,
                    How::Below => true,
                };
            if is_it && entry.is_request == wanted.is_of_requests {
                found.push((distance(entry.date, wanted.date), entry.row, entry.same));
            }
        }
        found.sort_unstable_by_key(|(distance, row, _)| (*distance, *row));
        if wanted.how == How::Below {
            let mut seen = std::collections::HashSet::new();
            found.retain(|(_, _, same)| seen.insert(*same));
        }
        found.truncate(wanted.count);
        found.into_iter().map(|(_, row, _)| row).collect()
    }
}

fn text<'a>(reader: &mut Reader<'a>) -> Option<&'a [u8]> {
    let length = usize::try_from(reader.varint()?).ok()?;
    reader.take(length)
}

/// Those without a date are behind all others.
fn distance(date: Option<u32>, wanted: Option<u32>) -> u32 {
    match (date, wanted) {
        (Some(date), Some(wanted)) => date.abs_diff(wanted),
        (Some(date), None) => date,
        (None, _) => u32::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::Writer;

    const RESPONSE: u64 = RecordType::Response as u64;
    const REQUEST: u64 = RecordType::Request as u64;

    fn rows(all: &[(u64, u64, Option<u64>, &str)]) -> Vec<u8> {
        let mut out = Writer::new();
        for (row, kind, date, url) in all {
            out.varint(*row);
            for number in [0, 0, 0, 0, *kind, 201, 5, date.map_or(0, |date| date + 1)] {
                out.varint(number);
            }
            out.bytes(b"text/html");
            out.bytes(url.as_bytes());
        }
        out.finish()
    }

    fn asked(how: How, date: Option<u32>) -> Wanted {
        Wanted {
            how,
            date,
            count: 10,
            is_of_requests: false,
        }
    }

    #[test]
    fn the_nearest_in_time_comes_first_and_undated_ones_last() {
        let mut table = ByUrl::new(7);
        assert!(table.add(&rows(&[
            (0, RESPONSE, Some(100), "http://a.test/"),
            (1, REQUEST, Some(200), "http://a.test/"),
            (2, RESPONSE, Some(200), "https://www.a.test/"),
            (3, RESPONSE, None, "http://a.test/"),
            (4, RESPONSE, Some(300), "http://a.test/#x"),
            (5, RESPONSE, Some(200), "http://a.test/b"),
            (6, RESPONSE, Some(200), "urn:a"),
        ])));
        let find = |wanted| table.find("http://a.test/", wanted);
        assert_eq!(find(asked(How::Same, Some(190))), [2, 0, 4, 3]);
        assert_eq!(find(asked(How::Same, Some(250))), [2, 4, 0, 3]);
        assert_eq!(find(asked(How::Same, None)), [0, 2, 4, 3]);
        let requests = Wanted {
            is_of_requests: true,
            ..asked(How::Same, None)
        };
        assert_eq!(find(requests), [1]);
        assert!(table.find("http://b.test/", requests).is_empty());
    }

    #[test]
    fn other_queries_are_found_at_their_path_once_each() {
        let mut table = ByUrl::new(7);
        assert!(table.add(&rows(&[
            (0, RESPONSE, Some(100), "http://a.test/l?p=1"),
            (1, RESPONSE, Some(300), "http://a.test/l?p=1"),
            (
                2,
                RESPONSE,
                Some(200),
                "http://a.test/l?p=2&_=1234567890123"
            ),
            (3, RESPONSE, Some(200), "http://a.test/m?p=2"),
        ])));
        let find = |url, how| table.find(url, asked(how, Some(250)));
        assert_eq!(find("http://a.test/l?p=3", How::Below), [1, 2]);
        assert_eq!(find("http://a.test/l?p=2", How::Alike), [2]);
        assert!(find("http://a.test/l?p=2", How::Same).is_empty());
    }

    #[test]
    fn many_rows_are_found_again_and_what_breaks_off_is_refused() {
        let mut table = ByUrl::new(99);
        let urls: Vec<String> = (0..5_000)
            .map(|n| format!("http://h{}.test/p{}?q={n}", n % 50, n % 700))
            .collect();
        let all: Vec<_> = urls
            .iter()
            .zip(0u64..)
            .map(|(url, row)| (row, RESPONSE, Some(row), url.as_str()))
            .collect();
        let bytes = rows(&all);
        assert!(table.add(&bytes));
        for (row, url) in urls.iter().enumerate() {
            let found = table.find(url, asked(How::Same, None));
            assert_eq!(
                found.iter().map(|row| *row as usize).collect::<Vec<_>>(),
                [row]
            );
        }
        assert!(!table.add(&bytes[..bytes.len() - 1]));
    }
}
