//! Random operations against a plain map: 50,000 of them, a million with `STACKROOM_DEEP=1`.

use std::collections::HashMap;

use super::disk::Disk;
use super::host::{Host, Random, is_deep};

/// Keys of all sorts: short ones, URLs, one longer than a page, many that differ in their last bytes only.
fn key_of(n: u64) -> Vec<u8> {
    match n % 7 {
        0 => n.to_le_bytes().to_vec(),
        1 => format!("https://example.org/{n}/{}", "a/".repeat(20)).into_bytes(),
        2 if n.is_multiple_of(5) => format!("{}{n}", "long".repeat(200)).into_bytes(),
        2 => Vec::from(&n.to_be_bytes()[4..]),
        3 => vec![0; usize::try_from(n % 400).unwrap_or(0)],
        _ => format!("{n:08x}").into_bytes(),
    }
}

fn value_length(random: &mut Random) -> usize {
    match random.below(200) {
        0 => random.index(200_000),
        1..20 => random.index(5000),
        20..60 => random.index(700),
        _ => random.index(60),
    }
}

#[test]
fn random_operations_agree_with_a_map() {
    let count: u64 = if is_deep() { 1_000_000 } else { 50_000 };
    let seed = 42;
    println!("seed {seed}");
    let mut random = Random(seed);
    let mut model: HashMap<Vec<u8>, Vec<u8>> = HashMap::new();
    let mut committed = model.clone();
    let mut host = Host::new();
    host.disk.is_watched = true;
    for step in 0..count {
        // It grows, then shrinks to next to nothing, and so on.
        let is_growing = step / 10_000 % 2 == 0;
        let n = random.below(if is_growing { 6000 } else { 3000 });
        let key = key_of(n);
        if random.below(10) < if is_growing { 2 } else { 8 } {
            assert_eq!(host.remove(&key), model.remove(&key).is_some());
        } else {
            let length = value_length(&mut random);
            let value = random.bytes(length);
            host.put(&key, &value);
            model.insert(key, value);
        }
        let probe = key_of(random.below(6000));
        assert!(
            host.get(&probe) == model.get(&probe).cloned(),
            "step {step}"
        );
        assert_eq!(host.store.len(), model.len() as u64);
        match random.below(1000) {
            0..3 => {
                host.commit();
                committed.clone_from(&model);
            }
            3 => {
                // The tab dies: what was not committed is gone, spilled or not.
                let files = host
                    .disk
                    .after_crash(|at| (at % 2 == 0).then_some(usize::MAX));
                // Opening may write: what it makes again of a log takes room.
                host = Host::open(Disk::watched(files));
                model.clone_from(&committed);
                assert!(host.all() == model, "step {step}");
            }
            4 => host.verify(),
            5 if random.below(4) == 0 => {
                host.compact();
                committed.clone_from(&model);
            }
            _ => {}
        }
    }
    host.verify();
    host.commit();
    assert!(host.all() == model);
}
