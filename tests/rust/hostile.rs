//! Damaged and malicious archives of our own making: nothing is lost that can be found, what is wrong is
//! told with its place, and reading always ends.
//!
//! `STACKROOM_DEEP=1` runs every byte and every flip; without it a seeded sample.

mod support;

use proptest::prelude::*;
use serde_json::Value;
use stackroom::archive::{Container, Feed, Format, Sink, detect, parser};
use stackroom::captures::Captures;
use stackroom::extract::{Extractor, Part};
use support::{
    gzip, inspect, inspect_cut, is_deep, read_all, record, record_stating, response, small_archive,
};

fn plain() -> Vec<u8> {
    small_archive().concat()
}

fn gzipped() -> Vec<u8> {
    small_archive()
        .iter()
        .map(|record| gzip(record))
        .collect::<Vec<_>>()
        .concat()
}

fn records(lines: &[Value]) -> Vec<&Value> {
    lines
        .iter()
        .filter(|line| line.get("type").is_some())
        .collect()
}

fn codes(lines: &[Value]) -> Vec<&str> {
    lines
        .iter()
        .filter_map(|line| line.get("damage")?.as_str())
        .collect()
}

fn urls(lines: &[Value]) -> Vec<&str> {
    records(lines)
        .iter()
        .map(|record| record.get("uri").and_then(Value::as_str).unwrap_or(""))
        .collect()
}

const URLS: [&str; 5] = [
    "",
    "http://a.test/",
    "http://a.test/",
    "http://a.test/text",
    "http://a.test/3",
];

#[test]
fn a_sound_archive_is_read_without_complaint() {
    for bytes in [plain(), gzipped()] {
        let lines = inspect(&bytes).expect("an archive");
        assert_eq!(codes(&lines), Vec::<&str>::new());
        assert_eq!(urls(&lines), URLS);
    }
}

#[test]
fn every_split_tells_the_same() {
    for bytes in [plain(), gzipped()] {
        let whole = inspect(&bytes);
        for window in 1..200 {
            assert_eq!(inspect_cut(&bytes, window), whole, "in pieces of {window}");
        }
    }
}

/// A file that breaks off shows every record before the break, and says where it broke.
#[test]
fn starts_in_odd_case_are_told_wherever_the_file_is_cut() {
    // The lengths that are stated lead nowhere, so that each start is looked for.
    let records = ["<p>one</p>", "<p>two</p>", "<p>three</p>"]
        .map(|body| record_stating("response", "http://a.test/", &response(body), "20"))
        .map(|record| [b"WArC/", &record[5..]].concat());
    let bytes = [&plain()[..], &records.concat()].concat();
    let whole = inspect(&bytes).expect("a WARC file");
    let odd = |line: &&Value| line.to_string().contains("in capital letters");
    assert_eq!(whole.iter().filter(odd).count(), 3);
    for window in 1..40 {
        let told = inspect_cut(&bytes, window).expect("a WARC file");
        assert_eq!(told, whole, "in pieces of {window}");
    }
}

#[test]
fn every_truncation_keeps_what_is_there() {
    for (bytes, container) in [(plain(), Container::Plain), (gzipped(), Container::Gzip)] {
        let ends = ends_of_records(container);
        for length in 1..bytes.len() {
            let Ok(lines) = inspect(&bytes[..length]) else {
                assert!(length < 80, "refused at {length}");
                continue;
            };
            let whole = ends.iter().filter(|end| **end <= length).count();
            let found = records(&lines);
            assert!(
                found.len() >= whole,
                "{} of {whole} records at {length}",
                found.len()
            );
            assert!(
                found.len() <= whole + 1,
                "records out of nothing at {length}"
            );
            // Without its last newlines a record is whole all the same.
            let is_between = ends
                .iter()
                .any(|end| length >= end.saturating_sub(4) && length <= *end);
            if !is_between {
                assert!(
                    !codes(&lines).is_empty(),
                    "cut at {length} goes unnoticed: {lines:?}"
                );
            }
        }
    }
}

fn ends_of_records(container: Container) -> Vec<usize> {
    let mut end = 0;
    let length = |record: &Vec<u8>| {
        if container == Container::Gzip {
            gzip(record).len()
        } else {
            record.len()
        }
    };
    small_archive()
        .iter()
        .map(|record| {
            end += length(record);
            end
        })
        .collect()
}

/// One flipped byte costs at most the record that it is in, and the one it is mistaken for.
#[test]
fn every_flip_leaves_the_other_records() {
    for bytes in [plain(), gzipped()] {
        for at in 0..bytes.len() {
            for flip in if is_deep() {
                (1..=255).collect::<Vec<u8>>()
            } else {
                vec![0x01, 0x20, 0x80, 0xff]
            } {
                let mut damaged = bytes.clone();
                damaged[at] ^= flip;
                let Ok(lines) = inspect(&damaged) else {
                    assert!(at < 16, "refused for byte {at}");
                    continue;
                };
                let found = records(&lines).len();
                assert!(
                    (4..=7).contains(&found),
                    "byte {at} ^ {flip:#x}: {found} records: {lines:?}"
                );
            }
        }
    }
}

#[test]
fn a_length_that_runs_over_the_next_records_is_found_out() {
    let mut parts = small_archive();
    for stated in ["100", "300", "700", "99999"] {
        parts[1] = record_stating(
            "response",
            "http://a.test/",
            &response("<p>one</p>"),
            stated,
        );
        let bytes = parts.concat();
        let lines = inspect(&bytes).expect("an archive");
        assert_eq!(urls(&lines), URLS, "stated {stated}");
        assert_eq!(records(&lines)[1]["body_len"], 10, "stated {stated}");
        assert!(
            codes(&lines).contains(&"warc/bad-length"),
            "stated {stated}"
        );
        assert_eq!(inspect_cut(&bytes, 33), Ok(lines), "stated {stated}");
    }
}

#[test]
fn a_length_that_is_too_short_or_none_costs_no_other_record() {
    let mut parts = small_archive();
    for stated in ["0", "5", "60", "", "-1", "x", "99999999999999999999999"] {
        parts[1] = record_stating(
            "response",
            "http://a.test/",
            &response("<p>one</p>"),
            stated,
        );
        let lines = inspect(&parts.concat()).expect("an archive");
        assert_eq!(urls(&lines), URLS, "stated {stated:?}");
        let zipped: Vec<u8> = parts.iter().flat_map(|part| gzip(part)).collect();
        let lines = inspect(&zipped).expect("an archive");
        assert_eq!(urls(&lines), URLS, "stated {stated:?}, gzipped");
        assert!(!codes(&lines).is_empty(), "stated {stated:?}, gzipped");
        // The end of the member says where the record ends, if the length ends before it.
        assert_eq!(records(&lines)[1]["status"], "200", "stated {stated:?}");
        if stated != "60" {
            assert_eq!(records(&lines)[1]["body_len"], 10, "stated {stated:?}");
        }
        for window in [1, 7, 33] {
            let cut = inspect_cut(&zipped, window).expect("an archive");
            assert_eq!(cut, lines, "stated {stated:?}");
        }
        if stated == "60" {
            continue;
        }
        // In one member, the next record does.
        let shared = gzip(&parts.concat());
        let lines = inspect(&shared).expect("an archive");
        assert_eq!(urls(&lines), URLS, "stated {stated:?}, in one member");
        if stated.parse::<u64>().is_err() {
            assert_eq!(records(&lines)[1]["body_len"], 10, "stated {stated:?}");
        }
        let cut = inspect_cut(&shared, 13).expect("an archive");
        assert_eq!(cut, lines, "stated {stated:?}, in one member");
    }
}

#[test]
fn an_archive_inside_a_record_is_content_not_records() {
    let inner = plain();
    let outer = [
        record("resource", "http://a.test/x.warc", &inner),
        record("resource", "http://a.test/end", b"end"),
    ];
    for bytes in [
        outer.concat(),
        outer.iter().flat_map(|record| gzip(record)).collect(),
    ] {
        let lines = inspect(&bytes).expect("an archive");
        assert_eq!(urls(&lines), ["http://a.test/x.warc", "http://a.test/end"]);
        assert_eq!(records(&lines)[0]["raw_len"], inner.len());
        assert!(codes(&lines).is_empty());
    }
}

#[test]
fn members_after_a_damaged_one_are_found() {
    let members: Vec<Vec<u8>> = small_archive().iter().map(|record| gzip(record)).collect();
    let mut bytes = members.concat();
    let damaged = members[0].len() + 60;
    for byte in &mut bytes[damaged..damaged + 20] {
        *byte = !*byte;
    }
    let lines = inspect(&bytes).expect("an archive");
    assert_eq!(urls(&lines)[2..], URLS[2..]);
    assert!(codes(&lines).iter().any(|code| code.starts_with("gzip/")));
}

#[test]
fn garbage_between_records_is_passed_over() {
    let garbage = b"\0\0garbage\nWARCgarbage\n\x1f\x8b\x08\x00more\n".repeat(20);
    let parts = small_archive();
    let mixed = [
        parts[0].clone(),
        parts[1].clone(),
        garbage.clone(),
        parts[2..].concat(),
    ]
    .concat();
    let lines = inspect(&mixed).expect("an archive");
    assert_eq!(urls(&lines), URLS);
    assert_eq!(codes(&lines), ["warc/garbage"]);
    let members: Vec<Vec<u8>> = parts.iter().map(|record| gzip(record)).collect();
    let mixed = [
        members[..2].concat(),
        garbage.clone(),
        members[2..].concat(),
    ]
    .concat();
    let lines = inspect(&mixed).expect("an archive");
    assert_eq!(urls(&lines), URLS);
    let told: Vec<_> = lines
        .iter()
        .filter(|line| line.get("damage").is_some())
        .collect();
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(
        told[0]["skipped"],
        garbage.len() - 2,
        "zero bytes are padding"
    );
}

/// Hostile files that ask to be read again and again: the work stays a few times the file.
#[test]
fn no_file_makes_reading_quadratic() {
    let lying: Vec<u8> = (0..3000)
        .flat_map(|_| record_stating("resource", "http://a.test/", b"x", "99999999"))
        .collect();
    let magic = [0x1f, 0x8b, 8, 0, 0, 0].repeat(60_000);
    let members: Vec<u8> = (0..2000)
        .flat_map(|n| {
            let mut member = gzip(&record("resource", &format!("http://a.test/{n}"), b"x"));
            let middle = member.len() / 2;
            member[middle] ^= 0x55;
            member
        })
        .collect();
    for mut bytes in [lying, [gzipped(), magic].concat(), members] {
        bytes.extend_from_slice(b"end");
        let mut captures = Captures::new();
        let container = if bytes[0] == 0x1f {
            Container::Gzip
        } else {
            Container::Plain
        };
        let mut reader = stackroom::archive::Reader::new(container);
        let mut fed = 0u64;
        loop {
            let at = usize::try_from(reader.wanted())
                .expect("offset")
                .min(bytes.len());
            let piece = &bytes[at..bytes.len().min(at + 65_536)];
            fed += piece.len() as u64;
            assert!(
                fed < 400 << 20,
                "read {fed} bytes of a file of {}",
                bytes.len()
            );
            if !piece.is_empty() {
                reader.feed(piece, &mut captures);
            } else if reader.finish(bytes.len() as u64, &mut captures) {
                break;
            }
        }
        assert!(captures.len() <= 3005);
    }
}

/// Where the size of the file is known, a length beyond its end costs neither a record nor much reading.
#[test]
fn lengths_beyond_the_end_of_the_file_hide_no_record() {
    let warc = |stated: &str| record_stating("resource", "http://a.test/", b"x", stated);
    let arc = |stated: &str| {
        format!("http://a.test/ 1.2.3.4 20240506070809 text/plain {stated}\nx\n").into_bytes()
    };
    for stated in ["99999999", "8000000000000000"] {
        for bytes in [warc(stated).repeat(3000), arc(stated).repeat(3000)] {
            let format = detect(&bytes[..1000]).expect("a format");
            let mut captures = Captures::new();
            let fed = read_counted(format, &bytes, &mut captures);
            let counted = (captures.len(), captures.damage_count());
            assert_eq!(counted, (3000, 3000), "{format:?} {stated}");
            assert!(fed < 3 * bytes.len() as u64, "{fed} of {}", bytes.len());
            let lines = inspect(&bytes).expect("an archive");
            let is_whole = |line: &&Value| line["raw_len"] == 1;
            let whole = records(&lines).into_iter().filter(is_whole).count();
            assert!(whole >= 2999, "{format:?} {stated}: {whole} are whole");
        }
    }
}

/// Reads a whole file; returns how many bytes were taken of it.
fn read_counted(format: Format, bytes: &[u8], sink: &mut impl Sink) -> u64 {
    let mut reader = parser(format, Some(bytes.len() as u64));
    let mut fed = 0;
    loop {
        let at = usize::try_from(reader.wanted()).expect("offset");
        let at = at.min(bytes.len());
        let piece = &bytes[at..bytes.len().min(at + 4096)];
        if !piece.is_empty() {
            fed += reader.feed(piece, sink) as u64;
        } else if reader.finish(bytes.len() as u64, sink) {
            return fed;
        }
    }
}

/// Content that ends in newlines, or in what might begin a record, is that of the record still.
#[test]
fn a_record_that_states_too_little_is_as_long_as_its_member() {
    for end in ["", "\r\n", "\nWARC", "\r\n\r\nWARC/", "x\r\n\r\nWARC/x y"] {
        let block = [&b"0123456789\r\nabc"[..], end.as_bytes()].concat();
        for stated in ["0", "5", "11", "14", "x"] {
            let short = record_stating("resource", "http://a.test/", &block, stated);
            let bytes = [
                gzip(&short),
                gzip(&record("resource", "http://a.test/2", b"y")),
            ]
            .concat();
            let lines = inspect(&bytes).expect("an archive");
            let found = records(&lines);
            assert_eq!(found.len(), 2, "stated {stated}: {lines:?}");
            assert_eq!(found[0]["raw_len"], block.len(), "stated {stated} {end:?}");
            assert_eq!(found[0]["length"], gzip(&short).len());
            let code = if stated == "x" {
                "warc/no-length"
            } else {
                "warc/bad-length"
            };
            assert_eq!(codes(&lines), [code], "stated {stated} {end:?}");
            for window in 1..20 {
                assert_eq!(
                    inspect_cut(&bytes, window),
                    Ok(lines.clone()),
                    "{stated} {end:?}"
                );
            }
            let mut extractor = Extractor::new(Format::WarcGz, 0, 0, Part::Raw);
            extractor.feed(&bytes);
            extractor.finish(bytes.len() as u64);
            assert_eq!(extractor.take(), short, "stated {stated} {end:?}");
        }
    }
}

#[test]
fn a_bomb_is_taken_in_small_bites() {
    let zeros = vec![0u8; 40 << 20];
    let body = gzip(&gzip(&zeros));
    let head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n";
    let bytes = gzip(&record(
        "response",
        "http://a.test/",
        &[&head[..], &body].concat(),
    ));
    let mut extractor = Extractor::new(Format::WarcGz, 0, 0, Part::Body);
    let mut fed = 0;
    let mut total = 0;
    loop {
        if fed < bytes.len() {
            fed += extractor.feed(&bytes[fed..]);
        } else {
            extractor.feed(&[]);
        }
        let piece = extractor.take();
        assert!(piece.len() < 9 << 20, "a piece of {} bytes", piece.len());
        total += piece.len();
        if extractor.is_done() {
            break;
        }
        assert!(
            fed < bytes.len() || !piece.is_empty(),
            "stuck after {total} bytes"
        );
    }
    assert_eq!(total, gzip(&zeros).len());
}

#[test]
fn each_part_of_a_record_can_be_read_alone() {
    let block = response("<p>one</p>");
    let long = record_stating("response", "http://a.test/", &block, "9999");
    let parts = [
        record("warcinfo", "", b"x"),
        long,
        record("resource", "http://a.test/2", b"y"),
    ];
    let offset = parts[0].len() as u64;
    let bytes = parts.concat();
    let read = |part: Part| {
        let mut extractor = Extractor::new(Format::Warc, offset, 0, part);
        let mut out = Vec::new();
        loop {
            let at = usize::try_from(extractor.wanted())
                .expect("offset")
                .min(bytes.len());
            let piece = &bytes[at..bytes.len().min(at + 50)];
            if piece.is_empty() {
                if extractor.finish(bytes.len() as u64) {
                    break;
                }
            } else {
                extractor.feed(piece);
            }
            out.extend(extractor.take());
            if extractor.is_done() {
                break;
            }
        }
        out
    };
    assert_eq!(read(Part::Body), b"<p>one</p>");
    assert_eq!(
        read(Part::Http),
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    );
    assert!(read(Part::Warc).starts_with(b"WARC/1.1\r\n"));
    assert_eq!(read(Part::Raw), parts[1]);
}

#[test]
fn long_blocks_are_passed_over_and_their_neighbours_found() {
    let large = vec![b'z'; 20 << 20];
    let parts = [
        record("resource", "http://a.test/1", &large),
        record("resource", "http://a.test/2", b"y"),
    ];
    let bytes = parts.concat();
    let mut captures = Captures::new();
    let mut reader = stackroom::archive::Reader::new(Container::Plain);
    let mut fed = 0;
    loop {
        let at = usize::try_from(reader.wanted())
            .expect("offset")
            .min(bytes.len());
        let piece = &bytes[at..bytes.len().min(at + 65_536)];
        fed += piece.len();
        if !piece.is_empty() {
            reader.feed(piece, &mut captures);
        } else if reader.finish(bytes.len() as u64, &mut captures) {
            break;
        }
    }
    assert_eq!(captures.len(), 2);
    assert!(fed < 1 << 20, "{fed} bytes were read");
    // Cut off in the passed-over block: still the same record, and the damage is told.
    let mut captures = Captures::new();
    let mut reader = stackroom::archive::Reader::new(Container::Plain);
    read_all(&mut reader, &bytes[..15 << 20], 1 << 20, &mut captures);
    assert_eq!((captures.len(), captures.damage_count()), (1, 1));
}

#[test]
fn memory_per_record_stays_small() {
    let mut captures = Captures::new();
    let mut reader = stackroom::archive::Reader::new(Container::Plain);
    const COUNT: u64 = 50_000;
    for n in 0..COUNT {
        let url = format!(
            "https://www.host-{}.example/some/section/{}/page-{n}.html?session={}",
            n / 900,
            n / 40,
            n % 97
        );
        reader.feed(&record("response", &url, &response("x")), &mut captures);
    }
    let per_record = captures.resident() as u64 / COUNT;
    assert!(per_record <= 120, "{per_record} bytes a record");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(if is_deep() { 20_000 } else { 300 }) })]

    /// Any mixture of pieces of archives and noise is read to its end, the same way however it is cut.
    #[test]
    fn any_bytes_are_read_to_the_end(
        pieces in proptest::collection::vec((0..8usize, 0..400usize, any::<[u8; 12]>()), 1..12),
        window in 1..500usize,
    ) {
        let (plain, zipped) = (plain(), gzipped());
        let mut bytes = Vec::new();
        for (kind, at, noise) in pieces {
            match kind {
                0 => bytes.extend_from_slice(&noise),
                1 => bytes.extend_from_slice(b"\r\n\r\n"),
                2 => bytes.extend_from_slice(b"WARC/1.0\r\nContent-Length: 77\r\n\r\n"),
                3 => bytes.extend_from_slice(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]),
                4 => bytes.extend_from_slice(&plain[at.min(plain.len())..]),
                5 => bytes.extend_from_slice(&zipped[at.min(zipped.len())..]),
                6 => bytes.extend_from_slice(&plain[..at.min(plain.len())]),
                _ => bytes.extend_from_slice(&zipped[..at.min(zipped.len())]),
            }
        }
        prop_assert_eq!(inspect_cut(&bytes, window), inspect(&bytes));
    }
}
