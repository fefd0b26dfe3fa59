//! Segments against plain sorted lists: every block length, every flip and cut, merges of any of them.

use stackroom::limits::{SEGMENT_ENTRY_BYTES_MAX, SEGMENT_KEY_BYTES_MAX};
use stackroom::segment::{
    Blocks, Cursor, Draft, Grams, Kind, Merge, Order, Rank, Segment, SegmentWriter, Span, Stop,
};

use super::host::{Entry, Host, Random};

const BY_KEY: Kind = Kind {
    order: Order::ByKey,
    is_weighed: true,
    grams: Grams::Unknown,
};
const AS_GIVEN: Kind = Kind {
    order: Order::AsGiven,
    is_weighed: false,
    grams: Grams::Unknown,
};

/// Keys of URLs, some of them many times, some empty, some long; values begin with what they weigh.
fn some_entries(count: u64, seed: u64) -> Vec<Entry> {
    let mut random = Random(seed);
    (0..count)
        .map(|n| {
            let key = match random.below(20) {
                0 => Vec::new(),
                1..6 => b"org,example)/often".to_vec(),
                6 => format!("org,example)/{}", "deep/".repeat(60)).into_bytes(),
                _ => format!("org,example{})/page/{}", random.below(9), random.below(500))
                    .into_bytes(),
            };
            let mut value = vec![u8::try_from(random.below(100)).expect("a byte")];
            value.extend(n.to_le_bytes());
            (key, value)
        })
        .collect()
}

fn written(entries: &[Entry], block_bytes: usize) -> Vec<u8> {
    let mut sorted = entries.to_vec();
    sorted.sort_by(|a, b| a.0.cmp(&b.0));
    let mut writer = SegmentWriter::with_blocks_of(1234, block_bytes);
    let mut bytes = Vec::new();
    for (name, kind, entries) in [
        (&b"rows"[..], AS_GIVEN, entries),
        (b"keys", BY_KEY, &sorted),
    ] {
        writer.begin(name, kind);
        for (key, value) in entries {
            assert!(writer.push(key, value));
            bytes.extend(writer.take());
        }
    }
    bytes.extend(writer.finish());
    bytes
}

/// Asks everything of a segment that can be asked of a list.
fn compare(host: &mut Host, segment: &Segment, entries: &[Entry]) {
    let rows = segment.section(b"rows").expect("a section").clone();
    let keys = segment.section(b"keys").expect("a section").clone();
    assert_eq!(rows.entries, entries.len() as u64);
    assert_eq!(host.read(segment, &rows, 0).expect("rows"), entries);
    let mut sorted = entries.to_vec();
    sorted.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(host.read(segment, &keys, 0).expect("keys"), sorted);
    for from in [1, entries.len() / 3, entries.len()] {
        let found = host.read(segment, &keys, from as u64).expect("keys");
        assert_eq!(found, sorted.get(from..).unwrap_or_default());
    }
    let mut asked: Vec<Vec<u8>> = entries.iter().map(|(key, _)| key.clone()).collect();
    asked.extend([
        b"a".to_vec(),
        b"org,example3)/page/2000".to_vec(),
        vec![0xff; 9],
    ]);
    asked.sort();
    asked.dedup();
    for key in asked {
        let before: Vec<&Entry> = sorted.iter().filter(|entry| entry.0 < key).collect();
        let expected = Rank {
            entries: before.len() as u64,
            weight: before.iter().map(|entry| u64::from(entry.1[0])).sum(),
        };
        assert_eq!(host.rank(segment, &keys, &key).expect("a rank"), expected);
    }
    host.check(segment).expect("a sound segment");
}

#[test]
fn what_was_written_is_read_by_number_and_by_key() {
    for count in [0, 1, 2, 16, 17, 300, 3000] {
        for block_bytes in [1, 100, 700, 16 << 10] {
            let entries = some_entries(count, count + 1);
            let mut host = Host::with(written(&entries, block_bytes));
            let segment = host.open(0).expect("a segment");
            compare(&mut host, &segment, &entries);
        }
    }
}

#[test]
fn a_look_up_reads_one_block_of_each_level() {
    let entries: Vec<Entry> = (0..200_000u32)
        .map(|n| (format!("org,example)/{n:09}").into_bytes(), vec![1; 20]))
        .collect();
    let mut host = Host::with(written(&entries, 4 << 10));
    let segment = host.open(0).expect("a segment");
    let keys = segment.section(b"keys").expect("a section").clone();
    assert_eq!(keys.height, 2);
    let opened = host.reads;
    host.rank(&segment, &keys, b"org,example)/000100000")
        .expect("a rank");
    assert_eq!(host.reads - opened, 3);
    host.rank(&segment, &keys, b"org,example)/000100001")
        .expect("a rank");
    assert_eq!(host.reads - opened, 3);
}

#[test]
fn what_is_too_long_or_out_of_order_is_not_taken() {
    let mut writer = SegmentWriter::new(1);
    assert!(!writer.push(b"no section", b""));
    writer.begin(
        b"keys",
        Kind {
            is_weighed: false,
            grams: Grams::Unknown,
            ..BY_KEY
        },
    );
    assert!(writer.push(b"b", b"1"));
    assert!(!writer.push(b"a", b"2"));
    assert!(!writer.push(&vec![b'c'; SEGMENT_KEY_BYTES_MAX + 1], b""));
    assert!(!writer.push(b"c", &vec![0; SEGMENT_ENTRY_BYTES_MAX]));
    assert!(writer.push(
        &vec![b'c'; SEGMENT_KEY_BYTES_MAX],
        &vec![7; SEGMENT_ENTRY_BYTES_MAX - SEGMENT_KEY_BYTES_MAX]
    ));
    assert!(writer.push(b"d", b""));
    let mut host = Host::with(writer.finish());
    let segment = host.open(0).expect("a segment");
    let keys = segment.section(b"keys").expect("a section").clone();
    let found = host.read(&segment, &keys, 0).expect("entries");
    let lengths: Vec<usize> = found
        .iter()
        .map(|(key, value)| key.len() + value.len())
        .collect();
    assert_eq!(lengths, [2, SEGMENT_ENTRY_BYTES_MAX, 1]);
    host.check(&segment).expect("a sound segment");
}

#[test]
fn no_flipped_byte_and_no_cut_is_taken_for_what_was_written() {
    let entries = some_entries(120, 5);
    let bytes = written(&entries, 300);
    let whole = |bytes: Vec<u8>| {
        let mut host = Host::with(bytes);
        let segment = host.open(0)?;
        host.check(&segment)?;
        let rows = segment
            .section(b"rows")
            .map(|section| host.read(&segment, section, 0));
        rows.unwrap_or(Ok(Vec::new()))
    };
    assert_eq!(whole(bytes.clone()).expect("rows"), entries);
    for length in 0..bytes.len() {
        assert!(
            matches!(whole(bytes[..length].to_vec()), Err(Stop::Damaged(_))),
            "{length} bytes"
        );
    }
    // The header tells people and programs what the file is; readers begin at its end.
    for at in 16..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (at % 8);
        let Err(Stop::Damaged(Span { offset, length, .. })) = whole(flipped) else {
            panic!("byte {at} was flipped unnoticed");
        };
        let at = at as u64;
        assert!(
            (offset..offset + u64::from(length)).contains(&at),
            "byte {at}: {offset} {length}"
        );
    }
}

#[test]
fn merged_segments_read_as_one() {
    for parts in [1usize, 2, 3, 9] {
        let all = some_entries(900, 77);
        let mut host = Host::new();
        host.blocks = Blocks::new(0);
        let mut sources = Vec::new();
        for (n, part) in all.chunks(all.len().div_ceil(parts)).enumerate() {
            let file = u32::try_from(n).expect("a number");
            host.files
                .insert(file, written(part, if n % 2 == 0 { 150 } else { 4000 }));
            sources.push(host.open(file).expect("a segment"));
        }
        let mut merge = Merge::new(99, sources);
        let mut bytes = Vec::new();
        while !host.run(|blocks| merge.step(blocks, 13)).expect("a step") {
            bytes.extend(merge.take());
        }
        bytes.extend(merge.take());
        host.files.insert(100, bytes);
        let merged = host.open(100).expect("a segment");
        compare(&mut host, &merged, &all);
    }
}

#[test]
fn a_draft_is_written_in_order_and_emptied() {
    let entries = some_entries(2000, 3);
    let mut draft = Draft::new(&[(b"rows", AS_GIVEN), (b"keys", BY_KEY)]);
    for _ in 0..2 {
        for (key, value) in &entries {
            assert!(draft.push(0, key, value) && draft.push(1, key, value));
        }
        assert!(draft.bytes() > 0);
        let mut host = Host::with(draft.take(8));
        let segment = host.open(0).expect("a segment");
        compare(&mut host, &segment, &entries);
        assert_eq!(draft.bytes(), 0);
    }
}

#[test]
fn what_leads_back_to_itself_or_elsewhere_ends() {
    // Sealed rightly, by somebody who means harm: any byte of any block changed, its checksum made anew.
    let entries = some_entries(60, 9);
    let bytes = written(&entries, 120);
    let mut spans = vec![];
    let mut blocks = Blocks::new(1 << 20);
    let provide = |blocks: &mut Blocks, span: Span| {
        let from = usize::try_from(span.offset).expect("an offset");
        blocks.provide(span, &bytes[from..from + span.length as usize]);
    };
    let probed = loop {
        match Segment::open(0, bytes.len() as u64, &mut blocks) {
            Err(Stop::Missing(span)) => provide(&mut blocks, span),
            opened => break opened.expect("a segment"),
        }
    };
    for section in probed.sections() {
        let mut cursor = Cursor::new(section, 0);
        loop {
            match cursor
                .read(&probed, &mut blocks)
                .map(|entry| entry.is_some())
            {
                Err(Stop::Missing(span)) => {
                    spans.push(span);
                    provide(&mut blocks, span);
                }
                Ok(true) => cursor.go_on(),
                end => break assert_eq!(end, Ok(false)),
            }
        }
    }
    assert!(spans.len() > 20);
    for span in spans {
        let from = usize::try_from(span.offset).expect("an offset");
        for at in 13..span.length as usize {
            for byte in [0, 1, 0x7f, 0xff] {
                let mut bad = bytes.clone();
                bad[from + at] = byte;
                let block = &mut bad[from..from + span.length as usize];
                let checksum = xxhash_rust::xxh64::xxh64(&block[8..], 1234 + span.offset);
                block[..8].copy_from_slice(&checksum.to_le_bytes());
                let mut host = Host::with(bad);
                let segment = host.open(0).expect("a segment");
                let _ = host.check(&segment);
                for section in segment.sections() {
                    let _ = host.read(&segment, section, 0);
                    let _ = host.rank(&segment, section, b"org,example5)/page/17");
                }
            }
        }
    }
}
