//! Verify, rebuild and compact.

use std::collections::HashMap;
use std::rc::Rc;

use stackroom::store::Shape;

use super::disk::{Disk, Files};
use super::host::{CACHE_PAGES, Host, Random, key};

type Map = HashMap<Vec<u8>, Vec<u8>>;

/// A store with values of many lengths, some changed, some gone, over several commits.
fn lived_in(inline_bytes_max: Option<u32>) -> (Host, Map) {
    let shape = Shape {
        inline_bytes_max,
        ..Shape::default()
    };
    let mut host = Host::with(Disk::default(), CACHE_PAGES, shape).expect("it is new");
    let mut model = Map::new();
    let mut random = Random(5);
    for step in 0..6000u64 {
        let n = random.below(1500);
        let key = if n.is_multiple_of(40) {
            key(n).repeat(60)
        } else {
            key(n)
        };
        if random.below(4) == 0 {
            host.remove(&key);
            model.remove(&key);
        } else {
            let length = match n % 50 {
                0 => random.index(150_000),
                1..10 => random.index(2000),
                _ => random.index(200),
            };
            let value = random.bytes(length);
            host.put(&key, &value);
            model.insert(key, value);
        }
        if step % 500 == 499 {
            host.commit();
        }
    }
    // What is damaged is looked for where pages stand in the file.
    host.settle();
    (host, model)
}

/// From the extents alone: no page of the index is left.
#[test]
fn a_store_that_keeps_all_in_extents_is_rebuilt_from_them_alone() {
    let (mut host, model) = lived_in(Some(0));
    for is_compacted in [false, true] {
        if is_compacted {
            host.compact();
            assert!(host.all() == model);
        }
        let files = Files {
            extents: host.files().extents.clone(),
            ..Files::default()
        };
        let (mut rebuilt, findings) = Host::rebuild(files);
        assert_eq!(findings, []);
        rebuilt.verify();
        assert!(rebuilt.all() == model, "compacted: {is_compacted}");
        assert_eq!(rebuilt.store.len(), model.len() as u64);
        // It goes on from there.
        rebuilt.put(b"new", &[7; 500]);
        rebuilt.commit();
        assert_eq!(rebuilt.reopen().get(b"new"), Some(vec![7; 500]));
    }
}

/// What was never committed, or stands behind the last commit from an earlier life, does not come back.
#[test]
fn a_rebuild_knows_where_commits_end() {
    let shape = Shape {
        inline_bytes_max: Some(0),
        ..Shape::default()
    };
    let mut host = Host::with(Disk::default(), CACHE_PAGES, shape).expect("it is new");
    host.put(b"kept", &[1; 300]);
    host.put(b"removed", &[1; 300]);
    host.commit();
    host.remove(b"kept");
    for n in 0..20 {
        host.put(&key(n), &[2; 300]);
    }
    // Everything of this commit reaches the disk but its superblock.
    let before = host.files().pages.clone();
    host.commit();
    let mut files = host.files().clone();
    files.pages = before;
    let mut host = Host::open(Disk::of(files));
    assert_eq!(host.store.len(), 2);
    assert!(host.remove(b"removed"));
    host.commit();
    host.put(b"never committed", &[3; 300]);
    host.spill();
    let alone = Files {
        extents: host.files().extents.clone(),
        ..Files::default()
    };
    let (mut rebuilt, findings) = Host::rebuild(alone);
    assert_eq!(findings, []);
    let wanted = Map::from([(b"kept".to_vec(), vec![1; 300])]);
    assert!(rebuilt.all() == wanted, "{:?}", rebuilt.all().keys());
    // With the index beside them too.
    let (mut rebuilt, _) = Host::rebuild(host.files().clone());
    assert!(rebuilt.all() == wanted);
}

#[test]
fn a_rebuild_takes_what_is_whole_of_the_old_pages() {
    let (host, model) = lived_in(None);
    let (mut rebuilt, findings) = Host::rebuild(host.files().clone());
    assert_eq!(findings, []);
    rebuilt.verify();
    assert!(rebuilt.all() == model);
    // A page that is damaged takes its short values with it and nothing else.
    let places: Vec<u32> = host.store.pager().places().map(|(_, at)| at.0).collect();
    let damage = |page: u32| {
        let mut files = host.files().clone();
        let mut bytes = files.pages[&page].to_vec();
        bytes[2000] ^= 1;
        files.pages.insert(page, bytes.into());
        files
    };
    for page in places.iter().copied().step_by(9) {
        let mut damaged = Host::open(Disk::of(damage(page)));
        let findings = damaged.findings();
        assert!(!findings.is_empty(), "page {page}");
        assert!(damaged.try_all(None).is_err());
        let (mut rebuilt, findings) = Host::rebuild(damage(page));
        assert!(
            findings
                .iter()
                .all(|found| found.code == "store/damaged-page")
        );
        assert!(!findings.is_empty());
        rebuilt.verify();
        let all = rebuilt.all();
        assert!(all.iter().all(|(key, value)| model.get(key) == Some(value)));
        let lost = model.iter().filter(|(key, _)| !all.contains_key(*key));
        let (mut count, mut long) = (0, 0);
        lost.for_each(|(key, value)| {
            count += 1;
            long += usize::from(value.len() > 240 || key.len() > 512);
        });
        assert!(
            count < 60 && long == 0,
            "{count} are lost, {long} of them long"
        );
    }
}

#[test]
fn verify_names_every_damaged_record() {
    let (host, model) = lived_in(Some(0));
    let total: usize = host
        .files()
        .extents
        .values()
        .map(|extent| extent.len())
        .sum();
    let mut random = Random(8);
    for _ in 0..60 {
        let mut files = host.files().clone();
        let at = random.index(total);
        let extent = files.extents.get_mut(&0).expect("all is in one");
        Rc::make_mut(extent)[at] ^= 1;
        let mut damaged = Host::open(Disk::of(files.clone()));
        let findings = damaged.findings();
        let all = damaged.try_all(None);
        match (&findings[..], all) {
            // It was in what is not needed any more.
            ([], all) => assert!(all == Ok(model.clone())),
            ([one], all) => {
                assert_eq!(one.code, "store/damaged-record");
                assert!(all.is_err());
            }
            (more, _) => panic!("{more:?}"),
        }
        // The record apart, a rebuild finds everything; a value with a damaged part is there and not served.
        let (mut rebuilt, _) = Host::rebuild(Files {
            extents: files.extents,
            ..Files::default()
        });
        assert!(rebuilt.findings().len() <= 1);
        let mut lost = 0;
        for (key, value) in &model {
            let found = rebuilt.try_get(None, key);
            lost += u32::from(found != Ok(Some(value.clone())));
        }
        assert!(lost <= 1, "{lost} are lost");
    }
}

#[test]
fn compaction_gives_space_back_and_changes_nothing() {
    for inline_bytes_max in [None, Some(0)] {
        let (mut host, mut model) = lived_in(inline_bytes_max);
        let before = host.files().bytes();
        host.compact();
        host.verify();
        assert!(host.all() == model);
        let packed = host.files().bytes();
        let payload: usize = model
            .iter()
            .map(|(key, value)| key.len() + value.len())
            .sum();
        println!("{before} bytes, {packed} after compaction, {payload} of payload");
        assert!(packed * 2 < payload * 3, "{packed} for {payload}");
        // Nearly all goes.
        for n in 0..1500 {
            if n % 25 != 0 {
                host.remove(&key(n));
                model.remove(&key(n));
            }
        }
        host.commit();
        host.compact();
        host.verify();
        let mut host = host.reopen();
        assert!(host.all() == model);
        let payload: usize = model
            .iter()
            .map(|(key, value)| key.len() + value.len())
            .sum();
        let small = host.files().bytes();
        println!("{small} bytes for {payload} that are left");
        assert!(small < payload * 3 / 2 + 100_000, "{small} for {payload}");
        // Once more finds nothing to do but a few pages.
        host.compact();
        assert!(host.files().bytes() <= small + 3 * 4096);
        assert!(host.all() == model);
    }
}

/// A reader keeps its extents and pages while all around them moves.
#[test]
fn compaction_leaves_snapshots_what_they_see() {
    let (mut host, model) = lived_in(None);
    host.commit();
    let snapshot = host.snapshot();
    for n in 0..1500 {
        host.remove(&key(n));
    }
    host.commit();
    host.compact();
    assert!(host.try_all(Some(snapshot)) == Ok(model));
    let held = host.files().bytes();
    host.store.release(snapshot);
    host.tidy();
    host.compact();
    host.verify();
    let freed = host.files().bytes();
    assert!(freed * 4 < held, "{freed} of {held}");
}
