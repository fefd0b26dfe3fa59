//! Random strings of every layout against a map, a sorted map, and with any memory.

use std::collections::{BTreeMap, HashMap};

use stackroom::dictionary::{Cursor, Kind, Pages, Shape};

use super::host::{Host, KINDS, Random, shape, some_strings, written};

/// Look-ups of a run; with `STACKROOM_DEEP=1` many more.
fn rounds(few: usize, many: usize) -> usize {
    match std::env::var_os("STACKROOM_DEEP") {
        Some(_) => many,
        None => few,
    }
}

#[test]
fn random_look_ups_agree_with_a_map() {
    for seed in 1..=u64::try_from(rounds(3, 40)).expect("a number") {
        let strings = some_strings(600, seed);
        let ids: HashMap<&[u8], u32> = (0..)
            .zip(&strings)
            .map(|(id, s)| (s.as_slice(), id))
            .collect();
        for kind in KINDS {
            for page_bytes in [256, 4096] {
                let shape = Shape {
                    page_bytes,
                    ..shape(kind)
                };
                let pages =
                    Pages::new([0, 20_000, 1 << 20][usize::try_from(seed % 3).expect("a number")]);
                let mut host = Host::with(written(shape, &strings), pages);
                let dictionary = host.open().expect("a dictionary");
                let mut random = Random(seed);
                for _ in 0..rounds(300, 2000) {
                    let n = usize::try_from(random.below(600)).expect("a number");
                    let mut asked = strings[n].clone();
                    if random.below(2) == 0 {
                        let at = usize::try_from(random.below(asked.len() as u64 + 1))
                            .expect("a number");
                        match random.below(3) {
                            0 => asked.truncate(at),
                            1 => asked.insert(at, 98),
                            _ => asked.rotate_left(at),
                        }
                    }
                    let expected = ids.get(asked.as_slice()).copied();
                    assert_eq!(
                        host.id(&dictionary, &asked),
                        Ok(expected),
                        "{kind:?}, seed {seed}"
                    );
                    let id = u32::try_from(n).expect("an id");
                    let found = host.string(&dictionary, id);
                    assert_eq!(
                        found.as_ref().map(Option::as_ref),
                        Ok(Some(&strings[n])),
                        "{kind:?}, seed {seed}"
                    );
                }
            }
        }
    }
}

#[test]
fn ordered_layouts_tell_ranges_and_prefixes_as_a_sorted_map_does() {
    let strings = some_strings(500, 5);
    let sorted: BTreeMap<&[u8], u32> = (0..)
        .zip(&strings)
        .map(|(id, s)| (s.as_slice(), id))
        .collect();
    let listed = |from: &[u8], to: Option<&[u8]>| -> Vec<(u32, Vec<u8>)> {
        let inside = sorted
            .range(from..)
            .take_while(|(string, _)| to.is_none_or(|to| **string < to));
        inside.map(|(string, id)| (*id, string.to_vec())).collect()
    };
    for kind in [Kind::Binary, Kind::Tree] {
        let mut host = Host::new(written(shape(kind), &strings));
        let dictionary = host.open().expect("a dictionary");
        assert!(dictionary.is_ordered());
        let mut bounds: Vec<Vec<u8>> =
            vec![vec![], b"a".to_vec(), b"m\xff".to_vec(), vec![255; 40]];
        bounds.extend(strings.iter().step_by(70).cloned());
        for from in &bounds {
            let found = host.all(&dictionary, Cursor::new(from, None));
            assert_eq!(found, Ok(listed(from, None)), "{kind:?}");
            for to in &bounds {
                let mut cursor = Cursor::new(from, Some(to));
                let expected = listed(from, Some(to));
                let left = host.run(|pages| cursor.left(&dictionary, pages));
                assert_eq!(left.map(|left| left as usize), Ok(expected.len()));
                assert_eq!(host.all(&dictionary, cursor), Ok(expected), "{kind:?}");
            }
            for length in [0, 1, 2, from.len()] {
                let prefix = &from[..length.min(from.len())];
                let all = listed(prefix, None).into_iter();
                let expected: Vec<_> = all
                    .take_while(|(_, string)| string.starts_with(prefix))
                    .collect();
                assert_eq!(
                    host.all(&dictionary, Cursor::prefix(prefix)),
                    Ok(expected),
                    "{kind:?}"
                );
            }
        }
        assert_eq!(
            host.all(&dictionary, Cursor::prefix(&[255; 300])),
            Ok(vec![])
        );
    }
}

#[test]
fn layouts_without_an_order_say_so() {
    let strings = some_strings(50, 5);
    for kind in [Kind::Brute, Kind::Hash, Kind::Bucket(20), Kind::Tagged] {
        let mut host = Host::new(written(shape(kind), &strings));
        let dictionary = host.open().expect("a dictionary");
        assert!(!dictionary.is_ordered());
        assert_eq!(host.all(&dictionary, Cursor::new(b"", None)), Ok(vec![]));
    }
}

#[test]
fn a_look_up_by_hash_is_one_read_and_seldom_more() {
    let strings: Vec<String> = (0..20_000)
        .map(|n| format!("https://example.org/{n}"))
        .collect();
    for (kind, reads_max) in [
        (Kind::Bucket(20), 1.0),
        (Kind::Tagged, 1.05),
        (Kind::Hash, 3.2),
    ] {
        for hit in [true, false] {
            let mut host = Host::new(written(Shape::new(kind, [9; 16]), &strings));
            let dictionary = host.open().expect("a dictionary");
            let asked = 4_000u32;
            for n in 0..asked {
                let n = n.wrapping_mul(7919) % 20_000;
                let string = format!("https://example.{}/{n}", if hit { "org" } else { "net" });
                let expected = hit.then_some(n);
                assert_eq!(host.id(&dictionary, string.as_bytes()), Ok(expected));
            }
            let reads = f64::from(u32::try_from(host.reads).expect("a number")) / f64::from(asked);
            assert!(reads <= reads_max, "{kind:?}: {reads}");
        }
    }
}

#[test]
fn what_is_not_there_is_seldom_read_where_there_is_memory_for_the_filter() {
    let strings: Vec<String> = (0..10_000).map(|n| format!("string {n}")).collect();
    let file = written(Shape::new(Kind::Tagged, [9; 16]), &strings);
    let mut host = Host::with(file, Pages::new(64 << 10));
    let dictionary = host.open().expect("a dictionary");
    for (id, string) in (0..).zip(&strings).step_by(7) {
        assert_eq!(host.id(&dictionary, string.as_bytes()), Ok(Some(id)));
    }
    host.reads = 0;
    for n in 10_000..20_000 {
        let asked = format!("string {n}");
        assert_eq!(host.id(&dictionary, asked.as_bytes()), Ok(None));
    }
    assert!(host.reads < 600, "{} reads", host.reads);
    assert!(host.pages.resident() <= 64 << 10);
}

#[test]
fn a_small_dictionary_leaves_little_room_empty_and_all_is_found() {
    let strings: Vec<String> = (0..1_000).map(|n| format!("{n:058}")).collect();
    // Of some of these the last pages are full, and strings move from there to the first.
    for salt in 0..20 {
        let file = written(Shape::new(Kind::Tagged, [salt; 16]), &strings);
        assert!(file.len() <= 80 * strings.len(), "{} bytes", file.len());
        let mut host = Host::new(file);
        let dictionary = host.open().expect("a dictionary");
        for (id, string) in (0..).zip(&strings) {
            assert_eq!(host.id(&dictionary, string.as_bytes()), Ok(Some(id)));
            let absent = format!("{string}x");
            assert_eq!(host.id(&dictionary, absent.as_bytes()), Ok(None));
        }
    }
}

#[test]
fn many_dictionaries_share_one_budget() {
    let mut pages = Pages::new(200_000);
    let files: Vec<Vec<u8>> = (0..40u64)
        .map(|n| written(shape(Kind::Tagged), &some_strings(100, n + 1)))
        .collect();
    let open: Vec<_> = (0..)
        .zip(&files)
        .map(|(file, bytes)| {
            let mut opening = stackroom::dictionary::Opening::new(file, bytes.len() as u64);
            let span = opening.wanted();
            let from = usize::try_from(span.offset).expect("an offset");
            let opened = opening.provide(&bytes[from..], &mut pages);
            opened.expect("a footer").expect("nothing else to be read")
        })
        .collect();
    for (n, dictionary) in open.iter().enumerate().cycle().take(400) {
        let strings = some_strings(100, n as u64 + 1);
        for (id, string) in (0..).zip(&strings).step_by(9) {
            let mut progress = Default::default();
            let found = loop {
                match dictionary.lookup_id(string, &mut progress, &mut pages) {
                    Err(stackroom::dictionary::Stop::Missing(span)) => {
                        let from = usize::try_from(span.offset).expect("an offset");
                        pages.provide(span, &files[n][from..from + span.length as usize]);
                    }
                    other => break other,
                }
            };
            assert_eq!(found, Ok(Some(id)));
            assert!(pages.resident() <= 200_000);
        }
    }
}
