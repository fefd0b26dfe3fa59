//! What the design promises in numbers of pages, writes and bytes.

use super::disk::Disk;
use super::host::{Host, Random, is_deep, key, value};

#[test]
fn a_hundred_thousand_entries_go_through_a_small_cache() {
    const COUNT: u64 = 100_000;
    let mut host = Host::new();
    for n in 0..COUNT {
        host.put(&key(n * 7919 % COUNT), &value(n));
        if n % 20_000 == 0 {
            host.commit();
        }
    }
    host.commit();
    host.verify();
    assert_eq!(host.disk.counts.superblock_writes, host.commits);
    let mut host = host.reopen();
    host.disk.counts.page_reads = 0;
    assert_eq!(host.all().len() as u64, COUNT);
    assert_eq!(host.store.len(), COUNT);
    let reads = host.disk.counts.page_reads as f64;
    let buckets = host.store.pager().buckets();
    let (_, links) = host.look_over();
    let pages = f64::from(buckets) + links as f64;
    println!("{buckets} buckets, {links} links, {reads} reads");
    // A scan reads what each bucket has once, however long it is.
    assert!(reads < pages * 1.02 + 8.0, "{reads} reads of {pages} pages");
}

/// Page reads of look-ups with an empty cache, at sizes all the way from one doubling to the next.
#[test]
fn a_look_up_reads_one_page() {
    for entry_bytes in [32usize, 200] {
        let mut host = Host::new();
        let mut random = Random(1);
        let mut count = 0u64;
        let mut worst = (0.0f64, 0.0f64);
        let mut sum = (0.0, 0.0, 0.0);
        let first = if entry_bytes == 32 { 20_000 } else { 4_000 };
        for stop in (8..=16).map(|eighth| first * eighth / 8) {
            while count < stop {
                host.put(&random_key(count), &vec![7; entry_bytes - 16]);
                count += 1;
            }
            host.commit();
            let reads_of = |host: &mut Host, random: &mut Random, is_there: bool| {
                let mut reads = 0;
                let probes = 1500;
                for _ in 0..probes {
                    let n = random.below(count) + if is_there { 0 } else { 1 << 40 };
                    let wanted = random_key(n);
                    // The pages that the cache holds are none at first.
                    let mut cold = Host::open(Disk::of(std::mem::take(&mut host.disk.now)));
                    cold.disk.counts.page_reads = 0;
                    assert_eq!(cold.get(&wanted).is_some(), is_there);
                    reads += cold.disk.counts.page_reads;
                    host.disk.now = cold.disk.now;
                }
                reads as f64 / f64::from(probes)
            };
            let hit = reads_of(&mut host, &mut random, true);
            let miss = reads_of(&mut host, &mut random, false);
            worst = (worst.0.max(hit), worst.1.max(miss));
            sum = (sum.0 + hit, sum.1 + miss, sum.2 + 1.0);
        }
        let (hit, miss) = (sum.0 / sum.2, sum.1 / sum.2);
        println!(
            "{entry_bytes} bytes an entry: {hit:.3} reads a get that finds, {miss:.3} one that does not; at most {:.3} and {:.3}",
            worst.0, worst.1
        );
        assert!(worst.0 <= 1.15, "{} page reads a get", worst.0);
        assert!(worst.1 <= 1.05, "{} page reads a miss", worst.1);
    }
}

/// Sixteen bytes that look random, the same each time.
fn random_key(n: u64) -> Vec<u8> {
    let mut random = Random(n.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5eed);
    random.next();
    let halves = [random.next(), random.next()];
    let mixed = halves.map(|half| half.wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ n.rotate_left(17));
    mixed.iter().flat_map(|half| half.to_le_bytes()).collect()
}

/// Entries that come in the order of their buckets, a batch at a time, into a store that was told how many to expect.
#[test]
fn a_bulk_load_writes_each_page_few_times() {
    const COUNT: u64 = 100_000;
    let mut host = Host::expecting(COUNT, 40);
    for batch in 0..10 {
        let mut keys: Vec<u64> = (batch * COUNT / 10..(batch + 1) * COUNT / 10).collect();
        keys.sort_by_cached_key(|n| host.store.bucket_of(&key(*n)));
        for n in keys {
            host.put(&key(n), &value(n));
        }
    }
    host.commit();
    host.verify();
    let writes = host.disk.counts.page_writes as f64 / COUNT as f64;
    let bytes = host.files().bytes() as f64 / COUNT as f64;
    println!("{writes} page writes a put, {bytes} bytes an entry");
    assert!(writes <= 0.2, "{writes} page writes a put");
}

/// What SQLite's file takes of 16-byte keys and values, a row: `create table t (k blob primary key, v blob) without
/// rowid`, 200,000 random keys in one transaction, then `vacuum`; SQLite 3.40.1, pages of 4,096 bytes. A table with
/// rowids takes 66.5.
const SQLITE_BYTES_A_ROW: f64 = 38.4;

/// After compaction a file is little larger than what is in it, whatever the records' size and the table's state.
#[test]
fn files_are_small_after_compaction() {
    let sizes: &[usize] = &[
        32, 128, 200, 256, 257, 300, 600, 1100, 4000, 20_000, 100_000,
    ];
    for &size in sizes {
        let most = if is_deep() { 8_000_000 } else { 2_500_000 };
        let most = (most / size as u64).clamp(40, 200_000);
        let mut host = Host::new();
        let mut count = 0u64;
        for stop in (5..=9).map(|eighth| most * eighth / 9) {
            while count < stop {
                let key = random_key(count);
                host.put(&key, &vec![count.to_le_bytes()[0]; size - key.len()]);
                count += 1;
            }
            host.commit();
            let loose = host.files().bytes() as f64 / count as f64;
            host.compact();
            host.verify();
            let bytes = host.files().bytes() as f64;
            let ratio = bytes / (count as f64 * size as f64);
            println!(
                "{count} records of {size}: {:.1} bytes each ({ratio:.2}), {loose:.1} before",
                bytes / count as f64
            );
            if size == 32 {
                let limit = SQLITE_BYTES_A_ROW * 1.5;
                assert!(bytes / count as f64 <= limit, "more than {limit}");
            } else {
                assert!(ratio <= 1.5, "{ratio} of the payload");
            }
        }
    }
}
