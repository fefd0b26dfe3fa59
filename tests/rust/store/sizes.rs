//! Stores of a million records, and of ten million with `STACKROOM_DEEP=1`: opened again, they are what they were.

use stackroom::store::{Cursor, Shape};

use super::disk::Disk;
use super::host::{Host, Random, is_deep};

const CACHE_PAGES: usize = 4096;

/// Sixteen bytes a key and a value, told by a number.
fn entry(n: u64) -> ([u8; 16], [u8; 16]) {
    let mixed = |seed: u64| Random(n ^ seed).next().wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let pair = |a: u64, b: u64| (u128::from(a) << 64 | u128::from(b)).to_le_bytes();
    (pair(n, mixed(1)), pair(mixed(2), mixed(3)))
}

#[test]
fn millions_of_records_are_there_when_the_store_is_opened_again() {
    let counts: &[u64] = if is_deep() {
        &[1_000_000, 10_000_000]
    } else {
        &[1_000_000]
    };
    for &count in counts {
        let mut host = Host::with(Disk::default(), CACHE_PAGES, Shape::default()).expect("new");
        for from in (0..count).step_by(100_000) {
            let mut batch: Vec<u64> = (from..count.min(from + 100_000)).collect();
            batch.sort_by_cached_key(|n| host.store.bucket_of(&entry(*n).0));
            for n in batch {
                let (key, value) = entry(n);
                host.put(&key, &value);
            }
            host.commit();
        }
        let writes = host.disk.counts.page_writes as f64 / count as f64;
        let files = std::mem::take(&mut host.disk.now);
        let bytes = files.bytes() as f64 / count as f64;
        let mut host = Host::with(Disk::of(files), CACHE_PAGES, Shape::default()).expect("whole");
        assert_eq!(host.store.len(), count);
        println!("{count} records: {writes:.3} page writes a put, {bytes:.1} bytes each");
        let mut cursor = Cursor::default();
        let (mut told, mut sum) = (0, 0u64);
        loop {
            let rows = host.scan(None, &mut cursor, 1000);
            if rows.is_empty() {
                break;
            }
            for row in rows {
                let n = u64::from_le_bytes(*row.key[8..].first_chunk().expect("sixteen bytes"));
                let (key, value) = entry(n);
                assert!(
                    row.key == key && row.value.as_deref() == Some(&value),
                    "{n}"
                );
                told += 1;
                sum = sum.wrapping_add(n);
            }
        }
        assert_eq!((told, sum), (count, (count - 1) * count / 2));
        // It goes on.
        let (key, _) = entry(count);
        host.put(&key, b"one more");
        assert!(host.remove(&entry(0).0));
        host.commit();
        let mut host = host.reopen();
        assert_eq!(host.get(&key), Some(b"one more".to_vec()));
        assert_eq!(host.get(&entry(0).0), None);
        assert_eq!(host.store.len(), count);
    }
}
