//! Keys and values of every length, in pages and in extents.

use stackroom::store::{KEY_BYTES_MAX, PART_BYTES, Shape};

use super::disk::Disk;
use super::host::{CACHE_PAGES, Host, Random};

const LENGTHS: [usize; 18] = [
    0,
    1,
    63,
    64,
    127,
    128,
    239,
    240,
    241,
    1000,
    4000,
    4096,
    65_000,
    PART_BYTES - 1,
    PART_BYTES,
    PART_BYTES + 1,
    3 * PART_BYTES,
    1_500_000,
];

fn bytes(length: usize, seed: u64) -> Vec<u8> {
    Random(seed).bytes(length)
}

/// Each length of key with each of value, put, put over and taken away, before and after the store is opened again.
#[test]
fn entries_of_every_length_come_back() {
    for inline_bytes_max in [None, Some(0)] {
        let shape = Shape {
            inline_bytes_max,
            ..Shape::default()
        };
        let mut host = Host::with(Disk::default(), CACHE_PAGES, shape).expect("it is new");
        let keys: Vec<Vec<u8>> = [0, 1, 60, KEY_BYTES_MAX, KEY_BYTES_MAX + 1, 5000, 70_000]
            .into_iter()
            .map(|length| bytes(length, 1))
            .collect();
        for round in 0..3u64 {
            for (k, key) in keys.iter().enumerate() {
                // Another length each round, so that values move between pages, extents and parts.
                let length = LENGTHS[(k * 5 + usize::try_from(round).unwrap_or(0) * 7) % 18];
                let value = bytes(length, round);
                host.put(key, &value);
                assert_eq!(host.get(key), Some(value), "key {k} with {length}");
            }
            host.commit();
            host = host.reopen();
            for (k, key) in keys.iter().enumerate() {
                let length = LENGTHS[(k * 5 + usize::try_from(round).unwrap_or(0) * 7) % 18];
                assert_eq!(host.get(key), Some(bytes(length, round)), "key {k}");
            }
            assert_eq!(host.all().len(), keys.len());
            host.verify();
        }
        for length in LENGTHS {
            let value = bytes(length, 3);
            host.put(b"every length", &value);
            assert_eq!(host.get(b"every length"), Some(value));
        }
        for key in &keys {
            assert!(host.remove(key));
            assert!(!host.remove(key));
            assert_eq!(host.get(key), None);
        }
        assert!(host.remove(b"every length"));
        assert_eq!(host.store.len(), 0);
        assert_eq!(host.store.tail().live, 0);
        host.verify();
    }
}

/// A value that comes in pieces of any length is the same, and any range of it is read without the rest.
#[test]
fn a_value_goes_in_and_out_by_parts() {
    let whole = bytes(1_234_567, 9);
    let long_key = bytes(100_000, 4);
    for step in [1000, PART_BYTES, 300_001, 2_000_000] {
        for key in [&b"short"[..], &long_key] {
            let mut host = Host::new();
            host.put_by_parts(key, &whole, step);
            host.commit();
            let mut host = host.reopen();
            let before = host.disk.counts.span_reads;
            let length = whole.len() as u64;
            for (from, count) in [
                (0, 10),
                (65_530, 20),
                (600_000, 200_000),
                (length - 5, 100),
                (length, 1),
                (u64::MAX, 1),
            ] {
                let piece = host.try_read(None, key, from, count);
                let (part, total) = piece.expect("it is whole").expect("it is there");
                assert_eq!(total, length);
                let clamp = |at: u64| usize::try_from(at.min(length)).unwrap_or(0);
                assert_eq!(part, whole[clamp(from)..clamp(from.saturating_add(count))]);
            }
            let reads = host.disk.counts.span_reads - before;
            assert!(reads < 20, "{reads} reads for a sixth of the value");
            assert_eq!(host.get(key), Some(whole.clone()));
        }
    }
}

/// A gigabyte, at `STACKROOM_DEEP=1`; else a part of it.
#[test]
fn a_large_value_takes_little_memory() {
    let parts = if super::host::is_deep() { 1024 } else { 40 };
    let mut host = Host::new();
    let piece = bytes(1 << 20, 5);
    let writer = host.store.begin(b"large");
    for n in 0..parts {
        host.run(|store| store.write(writer, &piece));
        // Others come and go meanwhile, commits too.
        host.put(&super::host::key(n), &bytes(300, n));
        if n % 10 == 0 {
            host.commit();
        }
        let waiting: usize = host
            .store
            .appends()
            .iter()
            .map(|append| append.bytes.len())
            .sum();
        assert!(waiting < 4 << 20, "{waiting} bytes wait to be written");
    }
    assert_eq!(host.get(b"large"), None, "it is not there before its end");
    host.run(|store| store.finish(writer));
    host.commit();
    let mut host = host.reopen();
    assert_eq!(host.store.len(), parts + 1);
    for n in (0..parts).step_by(7) {
        let read = host.try_read(None, b"large", n << 20, 1 << 20);
        let (part, total) = read.expect("it is whole").expect("it is there");
        assert_eq!(total, parts << 20);
        assert!(part == piece, "part {n}");
    }
    host.verify();
}

#[test]
fn a_writer_that_is_given_up_leaves_nothing() {
    let mut host = Host::new();
    host.put(b"there", b"before");
    let writer = host.store.begin(b"there");
    host.run(|store| store.write(writer, &bytes(200_000, 1)));
    host.store.abort(writer);
    host.run(|store| store.finish(writer));
    host.commit();
    assert_eq!(host.get(b"there"), Some(b"before".to_vec()));
    assert_eq!(host.store.len(), 1);
}

/// No flipped bit is served, wherever it is.
#[test]
fn a_flipped_bit_is_noticed_and_never_served() {
    let mut host = Host::new();
    let lengths = [10, 300, 5000, 100_000];
    for n in 0..400u64 {
        let length = lengths[usize::try_from(n % 4).unwrap_or(0)];
        let length = if n < 20 { length } else { length.min(300) };
        host.put(&super::host::key(n), &bytes(length, n));
    }
    host.commit();
    let whole = host.all();
    let flips = if super::host::is_deep() { 20_000 } else { 400 };
    let mut random = Random(11);
    let mut noticed = 0;
    for _ in 0..flips {
        let mut files = host.files().clone();
        files.flip(random.index(usize::MAX));
        let opened = Host::with(Disk::of(files), CACHE_PAGES, Shape::default());
        let found = opened.and_then(|mut host| host.try_all(None));
        match found {
            Ok(all) => assert!(all == whole, "something else was served"),
            Err(_) => noticed += 1,
        }
    }
    println!("{noticed} of {flips} flips touched something that counts");
    assert!(noticed * 2 > flips, "{noticed} of {flips} were noticed");
}
