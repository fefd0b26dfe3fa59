//! Commits by a log: few writes, nothing lost, nothing that a reader must not see.

use stackroom::store::Shape;

use super::disk::Disk;
use super::host::{Host, Random, key, value};

/// As many pages as the benchmark's cache has.
const CACHE_PAGES: usize = 4096;

fn host_of(files: super::disk::Files) -> Host {
    Host::with(Disk::of(files), CACHE_PAGES, Shape::default()).expect("the store is whole")
}

#[test]
fn commits_of_few_changes_write_little() {
    const COUNT: u64 = 100_000;
    let mut host = host_of(Default::default());
    for n in 0..COUNT {
        host.put(&key(n * 7919 % COUNT), &value(n));
        if n % 1000 == 999 {
            host.commit();
        }
    }
    host.settle();
    let writes = host.disk.counts.page_writes as f64 / COUNT as f64;
    println!("{writes} page writes a put, by commits of a thousand");
    assert!(writes <= 0.1, "{writes} page writes a put");
    assert_eq!(host.disk.counts.superblock_writes, host.commits);
    host.verify();
}

#[test]
fn one_change_writes_one_page() {
    let mut host = host_of(Default::default());
    for n in 0..5000 {
        host.put(&key(n), &value(n));
    }
    host.commit();
    let before = host.disk.counts.page_writes;
    for n in 0..100 {
        host.put(&key(n * 31), &value(n));
        host.commit();
    }
    assert_eq!(host.disk.counts.page_writes - before, 100);
}

/// Puts, removals, long keys and values of every kind, in commits by log; opened again each time.
#[test]
fn what_a_log_tells_is_there_when_the_store_is_opened() {
    let mut host = host_of(Default::default());
    let mut model = std::collections::HashMap::new();
    let mut random = Random(5);
    let (mut logs, mut rebuilt) = (0, 0);
    for round in 0..120 {
        for _ in 0..random.index(60) {
            let n = random.below(300);
            let mut name = key(n);
            name.resize(
                name.len() + if n.is_multiple_of(17) { 600 } else { 0 },
                b'.',
            );
            if random.below(3) == 0 {
                assert_eq!(host.remove(&name), model.remove(&name).is_some());
            } else {
                let length = match random.below(20) {
                    0 => random.index(70_000),
                    1..4 => random.index(2000),
                    _ => random.index(100),
                };
                let value = random.bytes(length);
                host.put(&name, &value);
                model.insert(name, value);
            }
        }
        host.commit();
        logs += usize::from(!host.store.is_settled());
        if round % 40 == 39 {
            host.compact();
        }
        host.verify();
        let files = host.files().clone();
        host = host_of(files.clone());
        assert!(host.all() == model, "round {round}");
        host.verify();
        if round % 10 == 5 {
            let (mut anew, findings) = Host::rebuild(files);
            assert_eq!(findings, []);
            assert!(anew.all() == model, "rebuilt in round {round}");
            anew.verify();
            rebuilt += 1;
        }
    }
    println!("{logs} of 120 commits by log, {rebuilt} rebuilt");
    assert!(logs > 60);
}

/// A cache of few pages writes them out while the log grows, and makes the log's changes again all the same.
#[test]
fn a_small_cache_makes_a_long_log_again() {
    let mut host = Host::new();
    for n in 0..3000 {
        host.put(&key(n), &value(n));
    }
    host.settle();
    let mut commits = 0;
    for n in 0..2000 {
        host.put(&key(n * 7 % 4000), &value(n + 1));
        if n % 4 == 3 {
            host.commit();
            commits += usize::from(!host.store.is_settled());
        }
    }
    assert!(commits > 300, "{commits} commits by log");
    let all = host.all();
    let mut host = host.reopen();
    assert!(host.all() == all);
    host.verify();
}

#[test]
fn a_snapshot_is_of_a_settled_commit() {
    let mut host = host_of(Default::default());
    for n in 0..2000 {
        host.put(&key(n), &value(n));
    }
    host.commit();
    host.put(&key(1), b"new");
    host.commit();
    assert_eq!(host.store.snapshot(), None);
    let snapshot = host.snapshot();
    host.put(&key(1), b"newer");
    host.commit();
    assert!(!host.store.is_settled());
    let seen = host.try_get(Some(snapshot), &key(1));
    assert_eq!(seen, Ok(Some(b"new".to_vec())));
    assert_eq!(host.get(&key(1)), Some(b"newer".to_vec()));
}

/// A page of the log that is not what was written is told, never made again.
#[test]
fn a_damaged_log_is_noticed() {
    let mut host = host_of(Default::default());
    for n in 0..2000 {
        host.put(&key(n), &value(n));
    }
    host.commit();
    for n in 0..3 {
        host.put(&key(n), b"by the log");
        host.commit();
    }
    let place = host.store.pager().log_places()[1];
    let mut files = host.files().clone();
    let mut bytes = files.pages[&place.0].to_vec();
    bytes[100] ^= 1;
    files.pages.insert(place.0, bytes.into());
    host.disk.now = files.clone();
    assert_eq!(host.findings().len(), 1);
    assert!(Host::with(Disk::of(files.clone()), CACHE_PAGES, Shape::default()).is_err());
    let (mut anew, findings) = Host::rebuild(files);
    assert_eq!(findings.len(), 1);
    assert_eq!(anew.get(&key(0)), Some(b"by the log".to_vec()));
    assert_eq!(anew.get(&key(2)), Some(value(2)));
    anew.verify();
}
