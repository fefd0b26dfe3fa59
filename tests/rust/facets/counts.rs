//! Rows of values and counts of values, over several segments, against a table in memory.

use std::collections::{BTreeMap, BTreeSet};

use roaring::RoaringBitmap;
use stackroom::search::{
    Counted, Counting, CountingOrder, Facets, FacetsDraft, Go, Walk, join_facets,
};
use stackroom::segment::{Segment, SegmentWriter, Stop};

use crate::host::Host;
use crate::support::Random;

type Table = BTreeMap<(String, Vec<u8>), BTreeSet<u32>>;

/// Values that are alike, empty, or hold what keys end with.
const VALUES: [&[u8]; 12] = [
    b"",
    b"\0",
    b"\0\0\x07",
    b"\x01",
    b"\x01\x01",
    b"a",
    b"a\0",
    b"ab",
    b"b",
    b"\xff",
    b"\xff\xff",
    b"text/html",
];

/// Segments of rows that follow each other, and what is in them.
fn sample(random: &mut Random, host: &mut Host, segments: u32, rows: u32) -> (Vec<Segment>, Table) {
    let mut table = Table::new();
    let mut opened = Vec::new();
    for file in 0..segments {
        let mut draft = FacetsDraft::default();
        // More than one chunk of rows, and borders of segments within chunks.
        for row in (file * rows..(file + 1) * rows).map(|row| row * 3) {
            for field in ["a", "ab", "Field"] {
                let value = match random.below(20) {
                    0 => format!("{:05}", random.below(3000)).into_bytes(),
                    1..=9 => VALUES[random.below(VALUES.len())].to_vec(),
                    _ => b"most".to_vec(),
                };
                if random.below(10) > 0 {
                    assert!(draft.add(row, field, &value));
                    let field = field.to_ascii_lowercase();
                    table.entry((field, value)).or_default().insert(row);
                }
            }
        }
        assert!(draft.bytes() > 0);
        let mut writer = SegmentWriter::new(u64::from(file));
        draft.write(&mut writer);
        assert_eq!(draft.bytes(), 0);
        host.files.insert(file, writer.finish());
        let segment = host.open(file).expect("a segment");
        host.check(&segment).expect("sound");
        opened.push(segment);
    }
    (opened, table)
}

fn rows_of(host: &mut Host, facets: &Facets<'_>, mut walk: Walk) -> RoaringBitmap {
    let mut rows = RoaringBitmap::new();
    while !host
        .run(|blocks| {
            walk.step(facets, blocks, 100, &mut |_, high, set| {
                set.add_to(high, &mut rows);
                Go::ToNext
            })
        })
        .expect("sound")
    {}
    rows
}

fn counted(host: &mut Host, facets: &Facets<'_>, mut counting: Counting) -> Vec<Counted> {
    while !host
        .run(|blocks| counting.step(facets, None, blocks))
        .expect("sound")
    {}
    counting.take()
}

fn bitmap(rows: &BTreeSet<u32>) -> RoaringBitmap {
    rows.iter().copied().collect()
}

#[test]
fn rows_and_counts_are_those_of_a_table() {
    let mut random = Random::new(11);
    let mut host = Host::new();
    let (segments, table) = sample(&mut random, &mut host, 5, 20_000);
    let facets = Facets::new(segments.iter());
    for ((field, value), rows) in &table {
        let found = rows_of(&mut host, &facets, Walk::over_value(field, value));
        assert_eq!(found, bitmap(rows), "{field} {value:?}");
        let count = host.run(|blocks| facets.count(field, value, blocks));
        assert_eq!(count, Ok(rows.len() as u64));
    }
    for prefix in [&b""[..], b"\0", b"a", b"00", b"most", b"zz"] {
        for field in ["a", "ab", "field", "fields"] {
            let of_prefix = || {
                table
                    .iter()
                    .filter(move |((name, value), _)| name == field && value.starts_with(prefix))
            };
            let found = rows_of(&mut host, &facets, Walk::over_prefix(field, prefix));
            let expected: RoaringBitmap = of_prefix().flat_map(|(_, rows)| rows).copied().collect();
            assert_eq!(found, expected, "{field} {prefix:?}");
            let weight = host.run(|blocks| facets.count_of_prefix(field, prefix, blocks));
            assert_eq!(
                weight,
                Ok(of_prefix().map(|(_, rows)| rows.len() as u64).sum())
            );
            for step in [0, 1, 7, 300, 100_000] {
                counts_are_those(&mut host, &facets, of_prefix(), field, prefix, step);
            }
        }
    }
}

/// Of all rows (where `step` is 0), or of every so-manieth.
fn counts_are_those<'a>(
    host: &mut Host,
    facets: &Facets<'_>,
    of_prefix: impl Iterator<Item = (&'a (String, Vec<u8>), &'a BTreeSet<u32>)>,
    field: &str,
    prefix: &[u8],
    step: u32,
) {
    let within: Option<RoaringBitmap> =
        (step > 0).then(|| (0..300_000).filter(|row| row % step == 0).collect());
    let mut expected: Vec<Counted> = of_prefix
        .map(|((_, value), rows)| Counted {
            value: value.clone(),
            rows: match &within {
                Some(within) => bitmap(rows).intersection_len(within),
                None => rows.len() as u64,
            },
        })
        .filter(|counted| counted.rows > 0)
        .collect();
    let counting = |order, limit| {
        let counting = Counting::new(field, prefix, order, limit);
        match &within {
            Some(rows) => counting.within(rows.clone()),
            None => counting,
        }
    };
    // In pages, by value.
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let page = counted(
            host,
            facets,
            counting(CountingOrder::ByValue { after }, 700),
        );
        let is_last = page.len() < 700;
        after = page.last().map(|counted| counted.value.clone());
        found.extend(page);
        if is_last {
            break;
        }
    }
    assert_eq!(found, expected, "{field} {prefix:?} {step}");
    expected.sort_by(|a, b| b.rows.cmp(&a.rows).then(a.value.cmp(&b.value)));
    expected.truncate(25);
    let found = counted(host, facets, counting(CountingOrder::ByCount, 25));
    assert_eq!(found, expected, "{field} {prefix:?} {step}");
}

#[test]
fn joined_entries_of_merged_segments_tell_the_same() {
    let mut random = Random::new(12);
    let mut host = Host::new();
    let (segments, table) = sample(&mut random, &mut host, 4, 5_000);
    let mut entries = Vec::new();
    for segment in &segments {
        let section = segment.section(b"facets").expect("a section");
        entries.extend(host.read(segment, section, 0).expect("entries"));
    }
    entries.sort_by(|(a, _), (b, _)| a.cmp(b));
    let all = entries.len();
    entries.dedup_by(|(key, value), (key_before, before)| {
        match join_facets(key_before, before, key, value) {
            Some(joined) => {
                *before = joined;
                true
            }
            None => false,
        }
    });
    assert!(entries.len() < all);
    let keys: BTreeSet<&Vec<u8>> = entries.iter().map(|(key, _)| key).collect();
    assert_eq!(
        keys.len(),
        entries.len(),
        "none is left that could be joined"
    );
    let mut writer = SegmentWriter::new(99);
    let kind = segments[0].section(b"facets").expect("a section").kind;
    writer.begin(b"facets", kind);
    for (key, value) in &entries {
        assert!(writer.push(key, value));
    }
    host.files.insert(99, writer.finish());
    let merged = host.open(99).expect("a segment");
    let facets = Facets::new([&merged].into_iter());
    for ((field, value), rows) in &table {
        let found = rows_of(&mut host, &facets, Walk::over_value(field, value));
        assert_eq!(found, bitmap(rows));
        let count = host.run(|blocks| facets.count(field, value, blocks));
        assert_eq!(count, Ok(rows.len() as u64));
    }
}

#[test]
fn a_value_that_is_of_no_use_is_passed_over() {
    let mut host = Host::new();
    let mut draft = FacetsDraft::default();
    for row in 0..2_000_000 {
        draft.add(row, "k", if row % 2 == 0 { b"a" } else { b"b" });
        if row % 400_000 == 7 {
            draft.add(row, "k", b"c");
        }
    }
    let mut writer = SegmentWriter::new(1);
    draft.write(&mut writer);
    let mut host = {
        host.files.insert(0, writer.finish());
        host
    };
    let segment = host.open(0).expect("a segment");
    let facets = Facets::new([&segment].into_iter());
    let (mut seen, mut rows) = (0, RoaringBitmap::new());
    let mut walk = Walk::over_prefix("k", b"");
    while !host
        .run(|blocks| {
            walk.step(&facets, blocks, 1000, &mut |value, high, set| {
                seen += 1;
                if *value == b"c"[..] {
                    set.add_to(high, &mut rows);
                    return Go::ToNext;
                }
                Go::BehindValue
            })
        })
        .expect("sound")
    {}
    assert_eq!(
        rows.iter().collect::<Vec<_>>(),
        [7, 400_007, 800_007, 1_200_007, 1_600_007]
    );
    assert!(seen < 20, "{seen} entries were looked at");
    assert!(host.reads < 20, "{} blocks were read", host.reads);
}

#[test]
fn fields_and_values_that_cannot_be_kept_are_refused() {
    let mut draft = FacetsDraft::default();
    assert!(!draft.add(1, "", b"x"));
    assert!(!draft.add(1, "a\0b", b"x"));
    assert!(!draft.add(1, &"k".repeat(300), b"x"));
    assert!(!draft.add(1, "k", &vec![0; 17 << 10]));
    assert!(draft.add(1, "k", &vec![0; 16 << 10]));
    let mut writer = SegmentWriter::new(1);
    draft.write(&mut writer);
    let mut host = Host::with(writer.finish());
    let segment = host.open(0).expect("a segment");
    let facets = Facets::new([&segment].into_iter());
    let count = host.run(|blocks| facets.count("k", &vec![0; 16 << 10], blocks));
    assert_eq!(count, Ok(1));
}

/// What is in a section is somebody's: any bytes are told of as damage or read as something, and walks end.
#[test]
fn entries_of_somebody_elses_making_end() {
    let mut random = Random::new(13);
    let (mut damaged, mut sound) = (0, 0);
    for _ in 0..300 {
        let mut keys: Vec<Vec<u8>> = (0..40)
            .map(|_| {
                let length = random.below(8);
                let mut key = b"k\0".to_vec();
                key.extend((0..length).map(|_| u8::try_from(random.below(3)).unwrap_or(0)));
                key
            })
            .collect();
        keys.sort();
        let mut writer = SegmentWriter::new(1);
        let mut draft = FacetsDraft::default();
        draft.write(&mut writer);
        for key in keys {
            let value: Vec<u8> = (0..random.below(6))
                .map(|_| u8::try_from(random.below(5)).unwrap_or(0))
                .collect();
            let value = if random.below(4) > 0 {
                vec![1, 5, 0]
            } else {
                value
            };
            writer.push(&key, &value);
        }
        let mut host = Host::with(writer.finish());
        let segment = host.open(0).expect("a segment");
        let facets = Facets::new([&segment].into_iter());
        let mut walk = Walk::over_prefix("k", b"");
        let outcome = loop {
            let step =
                host.run(|blocks| walk.step(&facets, blocks, 10, &mut |_, _, _| Go::BehindValue));
            match step {
                Ok(false) => {}
                other => break other,
            }
        };
        let mut counting = Counting::new("k", b"", CountingOrder::ByCount, 5);
        while let Ok(false) = host.run(|blocks| counting.step(&facets, None, blocks)) {}
        match outcome {
            Ok(_) => sound += 1,
            Err(Stop::Damaged(_)) => damaged += 1,
            Err(Stop::Missing(_)) => unreachable!("the host provides all"),
        }
    }
    assert!(damaged > 0 && sound + damaged == 300);
}
