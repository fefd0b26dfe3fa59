//! ARC files, Zstandard frames and segmented records of our own making: every split, every truncation, every
//! flipped byte.
//!
//! `STACKROOM_DEEP=1` runs every flip of every byte; without it four flips a byte.

mod support;

use proptest::prelude::*;
use serde_json::Value;
use stackroom::archive::{
    Container, Feed, Format, HttpHead, Reader, Record, Sink, WarcHead, detect, parser,
};
use stackroom::captures::Captures;
use stackroom::error::Damage;
use stackroom::extract::{Extractor, Part};
use support::heard::sha1;
use support::{Random, gzip, inspect, inspect_cut, is_deep, read_all, response, small_archive};
use xxhash_rust::xxh64::xxh64;

fn line(url: &str, mime: &str, bytes: usize) -> Vec<u8> {
    format!("{url} 192.0.2.1 20240506070809 {mime} {bytes}\n").into_bytes()
}

fn arc_record(url: &str, mime: &str, block: &[u8]) -> Vec<u8> {
    [&line(url, mime, block.len())[..], block, b"\n"].concat()
}

fn arc() -> Vec<Vec<u8>> {
    let version =
        b"1 1 Stackroom\nURL IP-address Archive-date Content-type Archive-length\n<arc/>\n";
    vec![
        arc_record("filedesc://a.arc", "text/plain", version),
        arc_record(
            "http://a.test/",
            "text/html",
            &response("<p>one</p>\nhttp://a.test/2 is near"),
        ),
        arc_record(
            "dns:a.test",
            "text/dns",
            b"20240506070809\na.test. IN A 192.0.2.1\n",
        ),
        arc_record("http://a.test/3", "text/html", &response("<p>three</p>")),
    ]
}

/// A frame of stored blocks, as anybody may write it.
fn frame(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0x28, 0xb5, 0x2f, 0xfd, 0xa4];
    let size = u32::try_from(bytes.len()).expect("a short record");
    out.extend_from_slice(&size.to_le_bytes());
    let (first, second) = bytes.split_at(bytes.len() / 2);
    for (part, last) in [(first, 0), (second, 1)] {
        let size = u32::try_from(part.len()).expect("a short block");
        out.extend_from_slice(&(size << 3 | last).to_le_bytes()[..3]);
        out.extend_from_slice(part);
    }
    out.extend_from_slice(&xxh64(bytes, 0).to_le_bytes()[..4]);
    out
}

/// A frame as an encoder writes it.
fn packed(bytes: &[u8]) -> Vec<u8> {
    zstd::bulk::compress(bytes, 1).expect("compressed")
}

fn each(records: &[Vec<u8>], pack: impl Fn(&[u8]) -> Vec<u8>) -> Vec<Vec<u8>> {
    records.iter().map(|record| pack(record)).collect()
}

/// Archives in pieces, one a record.
fn archives() -> Vec<(Format, Vec<Vec<u8>>)> {
    let warc = small_archive();
    vec![
        (Format::Arc, arc()),
        (Format::ArcGz, each(&arc(), gzip)),
        (Format::WarcZst, each(&warc, frame)),
        (Format::WarcZst, each(&warc, packed)),
    ]
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

#[test]
fn sound_archives_are_read_without_complaint() {
    for (format, parts) in archives() {
        let bytes = parts.concat();
        assert_eq!(detect(&bytes), Ok(format));
        let lines = inspect(&bytes).expect("an archive");
        assert_eq!(codes(&lines), Vec::<&str>::new(), "{format:?}");
        let found = records(&lines);
        assert_eq!(found.len(), parts.len(), "{format:?}");
        let mut offset = 0;
        for (found, part) in found.iter().zip(&parts) {
            assert_eq!(found["offset"], offset, "{format:?}");
            offset += part.len();
        }
    }
}

#[test]
fn arc_records_say_what_they_are_in_warc_terms() {
    let lines = inspect(&arc().concat()).expect("an archive");
    let [version, page, dns, _] = records(&lines)[..] else {
        panic!("{lines:?}");
    };
    assert_eq!(version["type"], "warcinfo");
    assert_eq!(version["uri"], "filedesc://a.arc");
    assert_eq!(version["raw_len"], "<arc/>\n".len());
    assert_eq!(page["type"], "response");
    assert_eq!(page["date"], "2024-05-06T07:08:09Z");
    assert_eq!(page["status"], "200");
    assert_eq!(page["body_len"], 34);
    assert_eq!(dns["mime"], "text/dns");
    assert_eq!(dns["raw_len"], 38);
}

#[test]
fn every_split_tells_the_same() {
    for (format, parts) in archives() {
        let bytes = parts.concat();
        let whole = inspect(&bytes);
        for window in 1..200 {
            assert_eq!(inspect_cut(&bytes, window), whole, "{format:?} by {window}");
        }
    }
}

#[test]
fn every_truncation_keeps_what_is_there() {
    for (format, parts) in archives() {
        let bytes = parts.concat();
        let ends: Vec<usize> = parts
            .iter()
            .scan(0, |end, part| {
                *end += part.len();
                Some(*end)
            })
            .collect();
        for length in 1..bytes.len() {
            let Ok(lines) = inspect(&bytes[..length]) else {
                assert!(length < 80, "{format:?} refused at {length}");
                continue;
            };
            let whole = ends.iter().filter(|end| **end <= length).count();
            let found = records(&lines).len();
            assert!(
                found >= whole && found <= whole + 1,
                "{format:?}: {found} of {whole} records at {length}: {lines:?}"
            );
            let is_between = ends
                .iter()
                .any(|end| length == *end || format == Format::Arc && length + 1 == *end);
            assert!(
                is_between || !codes(&lines).is_empty(),
                "{format:?} cut at {length} goes unnoticed: {lines:?}"
            );
            assert_eq!(inspect_cut(&bytes[..length], 13), Ok(lines), "{format:?}");
        }
    }
}

#[test]
fn every_flip_leaves_the_other_records() {
    let flips: Vec<u8> = if is_deep() {
        (1..=255).collect()
    } else {
        vec![0x01, 0x20, 0x80, 0xff]
    };
    for (format, parts) in archives() {
        let bytes = parts.concat();
        for at in 0..bytes.len() {
            for flip in &flips {
                let mut damaged = bytes.clone();
                damaged[at] ^= flip;
                let Ok(lines) = inspect(&damaged) else {
                    assert!(at < parts[0].len(), "{format:?} refused for byte {at}");
                    continue;
                };
                let found = records(&lines).len();
                assert!(
                    found + 1 >= parts.len() && found <= parts.len() + 2,
                    "{format:?} byte {at} ^ {flip:#x}: {found} records: {lines:?}"
                );
                if at % 7 == 0 {
                    assert_eq!(inspect_cut(&damaged, 11), Ok(lines), "{format:?} byte {at}");
                }
            }
        }
    }
}

/// What a block refers to may lie as far back as the window that the frame states.
#[test]
fn far_matches_of_zstandard_frames_are_found() {
    let mut random = Random::new(7);
    let noise = |random: &mut Random, bytes: usize| -> Vec<u8> {
        (0..bytes / 8)
            .flat_map(|_| (random.below(usize::MAX) as u64).to_le_bytes())
            .collect()
    };
    let first = noise(&mut random, 1 << 20);
    let between = noise(&mut random, 19 << 20);
    let body = [&first[..], &between, &first].concat();
    let warc = support::record("resource", "http://a.test/", &body);
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).expect("encoder");
    encoder.window_log(25).expect("a window");
    encoder.long_distance_matching(true).expect("long matches");
    std::io::Write::write_all(&mut encoder, &warc).expect("bytes");
    let packed = encoder.finish().expect("a frame");
    assert!(packed.len() < 21 << 20, "it refers back");
    let lines = inspect(
        &[
            &packed[..],
            &frame(&support::record("resource", "http://a.test/2", b"y")),
        ]
        .concat(),
    );
    let lines = lines.expect("an archive");
    assert_eq!(codes(&lines), Vec::<&str>::new());
    assert_eq!(records(&lines)[0]["raw_sha1"], sha1(&body));
    assert_eq!(records(&lines).len(), 2);
}

/// Members may be cut anywhere, in the line that begins a record too.
#[test]
fn url_lines_that_members_cut_cost_no_record() {
    let parts = arc();
    let bytes = parts.concat();
    let whole = inspect(&bytes).expect("an archive");
    let told = |lines: &[Value]| -> Vec<Value> {
        let fields = ["type", "uri", "raw_len", "raw_sha1", "body_sha1"];
        let pick = |line: &&Value| fields.map(|field| line[field].clone());
        records(lines)
            .iter()
            .map(|line| pick(line).to_vec().into())
            .collect()
    };
    let begin = parts[0].len();
    let mut cuts: Vec<Vec<usize>> = (begin..bytes.len()).map(|cut| vec![cut]).collect();
    cuts.extend((begin + 1..begin + 40).map(|cut| vec![cut, cut + 3, cut + 9]));
    for cuts in cuts {
        let ends = cuts.iter().copied().chain([bytes.len()]);
        let mut from = 0;
        let mut members = Vec::new();
        for to in ends {
            members.extend(gzip(&bytes[from..to]));
            from = to;
        }
        let lines = inspect(&members).expect("an archive");
        assert_eq!(told(&lines), told(&whole), "cut at {cuts:?}: {lines:?}");
        for window in [1, 7, 50] {
            assert_eq!(
                inspect_cut(&members, window),
                Ok(lines.clone()),
                "cut at {cuts:?}"
            );
        }
        let mut places = Places::default();
        let mut reader = parser(Format::ArcGz, None);
        read_all(reader.as_mut(), &members, 100, &mut places);
        for (place, part) in places.0.into_iter().zip(&parts) {
            let raw = extract_at(&members, Format::ArcGz, place, Part::Raw);
            // The newline that closes it may lie in the next member.
            let is_whole = part.starts_with(&raw) && raw.len() + 1 >= part.len();
            assert!(is_whole, "cut at {cuts:?}");
        }
    }
    // What does not go on in the next member is told, and costs nothing else.
    let line = &parts[1][..20];
    let members = [
        gzip(&parts[0]),
        gzip(line),
        gzip(&parts[2]),
        gzip(&parts[3]),
        gzip(line),
    ];
    let lines = inspect(&members.concat()).expect("an archive");
    assert_eq!(records(&lines).len(), 3, "{lines:?}");
    assert_eq!(codes(&lines), ["arc/truncated", "arc/truncated"]);
}

#[test]
fn a_length_in_a_url_line_that_is_wrong_costs_no_other_record() {
    let mut parts = arc();
    let block = response("<p>one</p>");
    for stated in ["0", "5", "90", "120", "150", "300", "99999", "-1", "x"] {
        let line = format!("http://a.test/ 192.0.2.1 20240506070809 text/html {stated}\n");
        parts[1] = [line.as_bytes(), &block, b"\n"].concat();
        let bytes = parts.concat();
        let lines = inspect(&bytes).expect("an archive");
        let urls: Vec<_> = records(&lines)
            .iter()
            .map(|record| record["uri"].as_str().unwrap_or(""))
            .collect();
        let expected = [
            "filedesc://a.arc",
            "http://a.test/",
            "dns:a.test",
            "http://a.test/3",
        ];
        assert_eq!(urls, expected, "stated {stated}: {lines:?}");
        let told = codes(&lines);
        assert!(
            told.contains(&"arc/bad-length") || told.contains(&"arc/no-length"),
            "stated {stated}: {told:?}"
        );
        for window in [1, 33] {
            assert_eq!(
                inspect_cut(&bytes, window),
                Ok(lines.clone()),
                "stated {stated}"
            );
        }
    }
}

/// What the extractor hands out of the record at `offset`.
fn extract(bytes: &[u8], format: Format, offset: usize, part: Part) -> Vec<u8> {
    extract_at(bytes, format, (offset as u64, 0), part)
}

/// The same for one that begins some way into its member.
fn extract_at(bytes: &[u8], format: Format, place: (u64, u64), part: Part) -> Vec<u8> {
    let mut extractor = Extractor::new(format, place.0, place.1, part);
    let mut out = Vec::new();
    for _ in 0..100_000 {
        let at = usize::try_from(extractor.wanted()).expect("offset");
        let at = at.min(bytes.len());
        let piece = &bytes[at..bytes.len().min(at + 50)];
        if piece.is_empty() {
            if extractor.finish(bytes.len() as u64) {
                out.extend(extractor.take());
                return out;
            }
        } else {
            extractor.feed(piece);
        }
        out.extend(extractor.take());
        if extractor.is_done() {
            return out;
        }
    }
    panic!("reading does not end");
}

#[test]
fn one_record_is_read_again_as_it_stands() {
    let whole = [arc(), small_archive()];
    for (format, parts) in archives() {
        let is_arc = matches!(format, Format::Arc | Format::ArcGz);
        let records = &whole[usize::from(!is_arc)];
        let bytes = parts.concat();
        let mut offset = 0;
        for (part, record) in parts.iter().zip(records) {
            let found = extract(&bytes, format, offset, Part::Raw);
            assert_eq!(&found, record, "{format:?} at {offset}");
            offset += part.len();
        }
        let last = offset - parts[parts.len() - 1].len();
        let body = extract(&bytes, format, last, Part::Body);
        assert_eq!(body, b"<p>three</p>", "{format:?}");
    }
}

/// Where the records are.
#[derive(Default)]
struct Places(Vec<(u64, u64)>);

impl Sink for Places {
    fn begin(&mut self, _head: &WarcHead) {}
    fn http(&mut self, _head: &HttpHead) {}
    fn body(&mut self, _bytes: &[u8]) {}
    fn end(&mut self, record: &Record) {
        self.0.push((record.offset, record.skip));
    }
    fn damage(&mut self, _damage: Damage) {}
}

#[test]
fn members_that_end_anywhere_in_a_record_give_every_record_whole() {
    for (records, format) in [(small_archive(), Format::WarcGz), (arc(), Format::ArcGz)] {
        let whole = records.concat();
        for cut in 1..whole.len() {
            // A URL line is only one when it is seen whole.
            let line = whole[..cut].rsplit(|byte| *byte == b'\n').next();
            if format == Format::ArcGz && line.is_some_and(|line| !line.is_empty()) {
                continue;
            }
            let bytes = [gzip(&whole[..cut]), gzip(&whole[cut..])].concat();
            let mut places = Places::default();
            let mut reader = parser(format, None);
            read_all(reader.as_mut(), &bytes, 1000, &mut places);
            assert_eq!(places.0.len(), records.len(), "{format:?} cut at {cut}");
            for (place, record) in places.0.iter().zip(&records) {
                let found = extract_at(&bytes, format, *place, Part::Raw);
                assert_eq!(
                    found.trim_ascii_end(),
                    record.trim_ascii_end(),
                    "{format:?} cut at {cut}"
                );
            }
        }
    }
}

fn segment(kind: &str, number: u32, more: &str, block: &[u8]) -> Vec<u8> {
    let head = format!(
        "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: http://a.test/\r\nWARC-Date: 2024-05-06T07:08:09Z\r\n\
         WARC-Segment-Number: {number}\r\n{more}Content-Length: {}\r\n\r\n",
        block.len()
    );
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

#[test]
fn segments_of_a_record_are_joined_when_it_is_read() {
    let origin = "WARC-Segment-Origin-ID: <urn:x:1>\r\n";
    let other = "WARC-Segment-Origin-ID: <urn:x:2>\r\n";
    let last = format!("{origin}WARC-Segment-Total-Length: 60\r\n");
    let first = segment(
        "response",
        1,
        "WARC-Record-ID: <urn:x:1>\r\n",
        &response("one "),
    );
    let parts = [
        first.clone(),
        segment("continuation", 2, other, b"of another record"),
        small_archive()[1].clone(),
        segment("continuation", 2, origin, b"two "),
        segment("continuation", 3, &last, b"three"),
        segment("continuation", 4, origin, b"beyond the end"),
    ];
    let joined = b"one two three";
    assert_eq!(
        extract(&parts.concat(), Format::Warc, 0, Part::Body),
        joined
    );
    let zipped = each(&parts, gzip).concat();
    assert_eq!(extract(&zipped, Format::WarcGz, 0, Part::Body), joined);
    let frames = each(&parts, frame).concat();
    assert_eq!(extract(&frames, Format::WarcZst, 0, Part::Body), joined);
    // What is not there is missing, and nothing else is taken for it.
    let lacking = [first.clone(), parts[1].clone(), parts[4].clone()].concat();
    assert_eq!(extract(&lacking, Format::Warc, 0, Part::Body), b"one ");
    assert_eq!(extract(&parts.concat(), Format::Warc, 0, Part::Raw), first);
}

#[test]
fn segments_in_another_file_are_joined_too() {
    let first = segment(
        "response",
        1,
        "WARC-Record-ID: <urn:x:1>\r\n",
        &response("one "),
    );
    let rest = "WARC-Segment-Origin-ID: <urn:x:1>\r\nWARC-Segment-Total-Length: 9\r\n";
    let second = gzip(&segment("continuation", 2, rest, b"two"));
    let mut extractor = Extractor::new(Format::Warc, 0, 0, Part::Body);
    extractor.wait_for_segments();
    let mut out = Vec::new();
    loop {
        let at = usize::try_from(extractor.wanted()).expect("offset");
        match first.get(at..).filter(|rest| !rest.is_empty()) {
            Some(rest) => {
                extractor.feed(rest);
            }
            None if extractor.finish(first.len() as u64) => break,
            None => {}
        }
        out.extend(extractor.take());
    }
    let missing = extractor.missing_segments().map(|segments| segments.next);
    assert_eq!(missing, Some(2));
    extractor.go_on(Format::WarcGz, 0, 0);
    extractor.feed(&second);
    extractor.finish(second.len() as u64);
    out.extend(extractor.take());
    assert_eq!(out, b"one two");
    assert!(extractor.is_done() && extractor.missing_segments().is_none());
}

/// A member that states its lengths, and how far they are off.
fn stating(bytes: &[u8], packed_off: i64, unpacked_off: i64) -> Vec<u8> {
    let plain = gzip(bytes);
    let extra = 14;
    let packed = i64::try_from(plain.len() + extra).expect("a length") + packed_off;
    let unpacked = i64::try_from(bytes.len()).expect("a length") + unpacked_off;
    let mut out = plain[..10].to_vec();
    out[3] = 4;
    out.extend_from_slice(&[12, 0, b's', b'l', 8, 0]);
    for length in [packed, unpacked] {
        out.extend_from_slice(&u32::try_from(length).expect("a length").to_le_bytes());
    }
    out.extend_from_slice(&plain[10..]);
    out
}

#[test]
fn members_that_state_their_lengths_are_passed_over_where_that_is_safe() {
    let mut state = 1u32;
    let noise: Vec<u8> = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state.to_le_bytes()[0]
    })
    .take(3 << 20)
    .collect();
    let large = support::record("resource", "http://a.test/large", &noise);
    let small = small_archive();
    let read = |bytes: &[u8], window: usize| {
        let mut captures = Captures::new();
        let mut reader = Reader::new(Container::Gzip);
        let mut fed = 0;
        loop {
            let at = usize::try_from(reader.wanted())
                .expect("offset")
                .min(bytes.len());
            let piece = &bytes[at..bytes.len().min(at + window)];
            fed += piece.len();
            if !piece.is_empty() {
                reader.feed(piece, &mut captures);
            } else if reader.finish(bytes.len() as u64, &mut captures) {
                break;
            }
        }
        let rows = captures.encode(0..captures.len());
        (rows, captures.damage().to_vec(), fed)
    };
    for ends_with_large in [false, true] {
        let around = |member: Vec<u8>| {
            let after = if ends_with_large {
                Vec::new()
            } else {
                gzip(&small[2])
            };
            [gzip(&small[0]), member, after].concat()
        };
        let (expected, none, _) = read(&around(gzip(&large)), 50_000);
        assert!(none.is_empty());
        let (rows, damage, fed) = read(&around(stating(&large, 0, 0)), 50_000);
        // Its rows are those of the plain members, but for what the field itself takes.
        assert_eq!(rows.len(), expected.len());
        assert!(damage.is_empty(), "{damage:?}");
        assert!(fed < 1 << 20, "{fed} bytes were read");
        for (packed, unpacked) in [
            (-1, 0),
            (1, 0),
            (-70_000, 0),
            (40, 0),
            (0, 1),
            (0, -1),
            (0, -4),
        ] {
            let bytes = around(stating(&large, packed, unpacked));
            let (wrong, damage, _) = read(&bytes, 50_000);
            assert_eq!(wrong, rows, "off by {packed} and {unpacked}");
            assert!(damage.is_empty(), "{damage:?}");
            assert_eq!(read(&bytes, 1 << 20).0, rows);
        }
    }
}

#[test]
fn records_in_several_frames_are_no_damage() {
    let record = small_archive().concat();
    for cut in 1..record.len() {
        let bytes = [frame(&record[..cut]), frame(&[]), frame(&record[cut..])].concat();
        let lines = inspect(&bytes).expect("an archive");
        assert_eq!(records(&lines).len(), 5, "cut at {cut}: {lines:?}");
        let told = codes(&lines);
        let is_fine = told.iter().all(|code| *code == "zstd/shared-frame");
        assert!(is_fine, "cut at {cut}: {told:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(if is_deep() { 20_000 } else { 200 }) })]

    /// Any mixture of pieces of such archives and noise is read to its end, the same way however it is cut.
    #[test]
    fn any_bytes_are_read_to_the_end(
        pieces in proptest::collection::vec((0..9usize, 0..500usize, any::<[u8; 12]>()), 1..10),
        window in 1..500usize,
    ) {
        let (arc, warc) = (arc(), small_archive());
        let whole = [arc.concat(), each(&arc, gzip).concat(), each(&warc, frame).concat(), each(&warc, packed).concat()];
        let mut bytes = whole[pieces[0].0 % 4][..100].to_vec();
        for (kind, at, noise) in pieces {
            match kind {
                0 => bytes.extend_from_slice(&noise),
                1 => bytes.extend_from_slice(b"\nhttp://a.test/ 192.0.2.1 20240506070809 text/html 77\n"),
                2 => bytes.extend_from_slice(&[0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58]),
                3 => bytes.extend_from_slice(&frame(&warc[at % 5][..at.min(60)])),
                4 => bytes.extend_from_slice(&stating(&arc[at % 4], 0, 0)),
                _ => {
                    let part = &whole[kind - 5];
                    let at = at.min(part.len());
                    bytes.extend_from_slice(if noise[0] > 127 { &part[at..] } else { &part[..at] });
                }
            }
        }
        prop_assert_eq!(inspect_cut(&bytes, window), inspect(&bytes));
    }
}
