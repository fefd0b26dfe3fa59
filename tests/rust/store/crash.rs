//! The machine dies at every write of a script of 5,000 operations, with any subset of the unflushed writes kept, torn
//! at sectors. Every 61st write in the ordinary run, every one with `STACKROOM_DEEP=1`.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use stackroom::store::Shape;

use super::disk::{Disk, Files};
use super::host::{CACHE_PAGES, Host, Random, is_deep, key};

type Map = HashMap<Vec<u8>, Vec<u8>>;

/// What may be found after a crash.
#[derive(Default)]
struct States {
    /// The last commit that was acknowledged.
    acknowledged: Rc<Map>,
    /// What is being committed.
    coming: Option<Rc<Map>>,
    writes: usize,
    crashes: usize,
    flips: usize,
    noticed: usize,
}

impl States {
    fn has(&self, found: &Map) -> bool {
        *found == *self.acknowledged || self.coming.as_ref().is_some_and(|map| **map == *found)
    }
}

const SCRIPT: u64 = 5000;

#[test]
fn a_crash_at_every_write_leaves_a_commit() {
    for inline_bytes_max in [None, Some(0)] {
        crash_all(inline_bytes_max);
    }
}

fn crash_all(inline_bytes_max: Option<u32>) {
    let shape = Shape {
        inline_bytes_max,
        ..Shape::default()
    };
    let states = Rc::new(RefCell::new(States::default()));
    let mut host = Host::with(Disk::default(), CACHE_PAGES, shape).expect("it is new");
    let watched = Rc::clone(&states);
    host.disk.is_watched = true;
    host.disk.watch = Some(Box::new(move |disk| check(&mut watched.borrow_mut(), disk)));
    let mut model = Map::new();
    let mut random = Random(77);
    let mut logs = 0;
    let mut commit = |host: &mut Host, model: &Map| {
        let coming = Rc::new(model.clone());
        states.borrow_mut().coming = Some(Rc::clone(&coming));
        host.commit();
        logs += usize::from(!host.store.is_settled());
        let mut states = states.borrow_mut();
        states.acknowledged = coming;
        states.coming = None;
    };
    for step in 0..SCRIPT {
        let n = random.below(500);
        let is_shrinking = step / 1200 % 2 == 1;
        if random.below(10) < if is_shrinking { 8 } else { 3 } {
            host.remove(&key(n));
            model.remove(&key(n));
        } else {
            let length = match random.below(100) {
                0 => random.index(90_000),
                1..20 => random.index(3000),
                _ => random.index(240),
            };
            let value = random.bytes(length);
            host.put(&key(n), &value);
            model.insert(key(n), value);
        }
        if random.below(40) == 0 {
            commit(&mut host, &model);
        }
        if step % 1100 == 1099 {
            commit(&mut host, &model);
            host.compact();
        }
    }
    commit(&mut host, &model);
    let States {
        writes,
        crashes,
        flips,
        noticed,
        ..
    } = &*states.borrow();
    println!(
        "{writes} writes, {crashes} crashes; {noticed} of {flips} flipped bits counted; {logs} of {} commits by log",
        host.commits
    );
    assert!(*crashes > 300 && *noticed > 20 && logs > 50);
    assert_eq!(host.disk.counts.superblock_writes, host.commits);
}

fn check(states: &mut States, disk: &Disk) {
    states.writes += 1;
    let every = if is_deep() { 1 } else { 61 };
    // Superblocks are few: each of them counts.
    let is_superblock = disk
        .unflushed
        .last()
        .is_some_and(|write| matches!(write, super::disk::Write::Page(0..4, _)));
    let is_due = states.writes.is_multiple_of(every);
    if !is_due && (!is_superblock || !states.writes.is_multiple_of(3)) {
        return;
    }
    let mut random = Random(states.writes as u64);
    let last = disk.unflushed.len().wrapping_sub(1);
    for pattern in 0..6 {
        let files = disk.after_crash(|at| match pattern {
            0 => Some(usize::MAX),
            1 => None,
            2 => (at == last).then_some(usize::MAX),
            3 => (at != last).then_some(usize::MAX),
            4 => (random.below(2) == 0).then_some(usize::MAX),
            _ => (random.below(4) > 0).then(|| match random.below(2) {
                0 => random.index(9),
                _ => usize::MAX,
            }),
        });
        states.crashes += 1;
        let mut host = Host::open(Disk::watched(files.clone()));
        if pattern == 4 {
            // It dies again while the log is made again.
            let files = host
                .disk
                .after_crash(|_| (random.below(2) == 0).then_some(usize::MAX));
            host = Host::open(Disk::of(files));
        }
        let found = host.all();
        let entries = found.len();
        assert!(
            states.has(&found),
            "write {}, pattern {pattern}: {entries} entries are no commit",
            states.writes
        );
        host.verify();
        // It goes on from there, over what the crash left.
        host.put(b"after", &[1; 400]);
        host.commit();
        assert_eq!(host.all().len(), entries + 1);
        if pattern == 0 {
            flip(states, files, &mut random);
        }
    }
}

/// One flipped bit more: it is noticed, or it does not matter.
fn flip(states: &mut States, mut files: Files, random: &mut Random) {
    if files.pages.is_empty() && files.extents.is_empty() {
        return;
    }
    files.flip(random.index(usize::MAX));
    states.flips += 1;
    let opened = Host::with(Disk::of(files), CACHE_PAGES, Shape::default());
    match opened.and_then(|mut host| host.try_all(None)) {
        Ok(found) => assert!(states.has(&found), "a flipped bit was served"),
        Err(_) => states.noticed += 1,
    }
}
