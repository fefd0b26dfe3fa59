//! The linear hash: buckets that split and merge, scans that stay, keys that are hostile.

use std::collections::HashMap;

use stackroom::store::{Cursor, Opening, PageBatch, Shape, Stop, Store};

use super::host::{Host, key, value};

#[test]
fn buckets_grow_and_shrink_with_what_they_hold() {
    let mut host = Host::new();
    for n in 0..20_000 {
        host.put(&key(n), &value(n));
    }
    host.commit();
    let full_buckets = host.store.pager().buckets();
    let full_pages = host.store.pager().file_pages();
    host.verify();
    for n in 0..20_000 {
        if n % 50 != 0 {
            assert!(host.remove(&key(n)), "{n} was there");
            assert!(!host.remove(&key(n)), "{n} is gone");
        }
        if n.is_multiple_of(4000) {
            host.commit();
        }
    }
    host.commit();
    host.commit();
    host.verify();
    assert_eq!(host.store.len(), 400);
    let buckets = host.store.pager().buckets();
    assert!(buckets * 20 < full_buckets, "{buckets} of {full_buckets}");
    let mut host = host.reopen();
    assert_eq!(host.all().len(), 400);
    let pager = host.store.pager();
    let pages = pager.file_pages() - u32::try_from(pager.free_pages()).unwrap_or(0);
    assert!(pages * 10 < full_pages, "{pages} in use of {full_pages}");
}

/// A scan that goes on while the table grows and shrinks tells once what was there all the time.
#[test]
fn a_scan_is_stable_across_splits_and_merges() {
    for growing in [true, false] {
        let mut host = Host::new();
        let total = if growing { 2000 } else { 12_000 };
        for n in 0..total {
            host.put(&key(n), &value(n));
        }
        let mut cursor = Cursor::default();
        let mut told = HashMap::new();
        let mut step = 0;
        loop {
            let rows = host.scan(None, &mut cursor, 37);
            if rows.is_empty() {
                break;
            }
            for row in rows {
                *told.entry(row.key).or_insert(0) += 1;
            }
            for n in 0..150 {
                let n = step * 150 + n;
                if growing {
                    host.put(&key(1_000_000 + n), b"new");
                } else if n >= 1000 && n < total {
                    host.remove(&key(n));
                }
            }
            step += 1;
        }
        let stayed = if growing { 0..2000 } else { 0..1000 };
        for n in stayed {
            assert_eq!(told.get(&key(n)), Some(&1), "{n}, growing: {growing}");
        }
        assert!(told.values().all(|times| *times == 1));
    }
}

/// Keys that all lie in one bucket for whoever knows the salt are spread by another salt.
#[test]
fn keys_chosen_against_one_salt_are_spread_by_another() {
    let shape = Shape {
        salt: *b"a salt that they",
        records: 1 << 17,
        bytes: 40 << 17,
        ..Shape::default()
    };
    let known = Store::open(Opening::new([&[]; 4]), 16, shape);
    let hostile: Vec<Vec<u8>> = (0..400_000)
        .map(key)
        .filter(|key| known.bucket_of(key) % 256 == 7)
        .collect();
    assert!(hostile.len() > 1000);
    let mut host = Host::expecting(1 << 12, 40);
    for key in &hostile {
        host.put(key, b"x");
    }
    host.verify();
    let pages = host.store.pager().places().count();
    let buckets = host.store.pager().buckets();
    assert!(
        pages < 2 * buckets as usize,
        "{pages} pages for {buckets} buckets"
    );
}

#[test]
fn an_absent_page_changes_nothing() {
    let mut host = Host::new();
    for n in 0..5000 {
        host.put(&key(n), &value(n));
    }
    host.commit();
    let mut host = host.reopen();
    let first = host.store.put(&key(1), b"new");
    assert!(matches!(&first, Err(Stop::Missing(pages, _)) if !pages.is_empty()));
    assert_eq!(
        host.store.spill(),
        PageBatch::default(),
        "something became dirty"
    );
    host.put(&key(1), b"new");
    assert_eq!(host.get(&key(1)), Some(b"new".to_vec()));
    assert_eq!(host.all().len(), 5000);
}
