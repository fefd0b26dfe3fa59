//! Readers that see one commit while writers go on.

use super::host::{Host, Random, key, value};

#[test]
fn a_snapshot_sees_one_commit_whatever_comes_after() {
    let mut host = Host::new();
    let mut random = Random(3);
    let empty = host.snapshot();
    for n in 0..2000 {
        host.put(&key(n), &value(n));
    }
    assert_eq!(host.try_all(Some(empty)).map(|all| all.len()), Ok(0));
    host.commit();
    let before = host.all();
    let snapshot = host.snapshot();
    // What is not committed is not seen, spilled or not.
    for round in 0..20u64 {
        for _ in 0..400 {
            let n = random.below(3000);
            if random.below(3) == 0 {
                host.remove(&key(n));
            } else {
                let length = random.index(600);
                host.put(&key(n), &random.bytes(length));
            }
        }
        if round % 3 > 0 {
            host.commit();
        }
        assert!(
            host.try_all(Some(snapshot)) == Ok(before.clone()),
            "{round}"
        );
    }
    host.verify();
    assert_eq!(host.try_all(Some(empty)).map(|all| all.len()), Ok(0));
    let later = host.snapshot();
    host.commit();
    let pages = host.store.pager().file_pages();
    let free = host.store.pager().free_pages();
    host.store.release(snapshot);
    host.store.release(empty);
    host.store.release(later);
    host.commit();
    let pager = host.store.pager();
    // What only the readers had is free again.
    let used = |pages: u32, free: usize| pages as usize - free;
    assert!(used(pager.file_pages(), pager.free_pages()) < used(pages, free) * 3 / 4);
    host.verify();
}
