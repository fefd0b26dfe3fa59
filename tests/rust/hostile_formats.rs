//! Every format under attack: each fixture cut off, with flipped bytes, with pieces of others in it.
//! Whatever comes of it: no panic, an end, no more reading than a few times the file, the same however it is cut.
//!
//! `STACKROOM_DEEP=1` takes every length and every byte of every fixture; without it a seeded sample.

mod support;

use serde_json::Value;
use stackroom::archive::{Feed, Format, detect, parser};
use stackroom::captures::Captures;
use stackroom::extract::{Extractor, Part};
use support::fixtures::{Case, fixtures};
use support::{Random, inspect, inspect_as, inspect_cut, is_deep};

/// Fixtures longer than this take too long to be read at every byte.
const SMALL_BYTES: usize = 12_000;

/// Files of so few bytes may be read again so often.
const FED_TIMES_MAX: u64 = 12;
const FED_BYTES_MIN: u64 = 256 << 10;

fn seeds() -> impl Iterator<Item = &'static Case> {
    fixtures()
        .iter()
        .filter(|case| (1..SMALL_BYTES).contains(&case.bytes.len()))
}

/// Places in a file: all, or `count` that the seed picks.
fn places(length: usize, count: usize, random: &mut Random) -> Vec<usize> {
    if is_deep() || length <= count {
        return (0..length).collect();
    }
    (0..count).map(|_| random.below(length)).collect()
}

/// Reads as the table does and as a person who opens records does; all of it must end.
fn survive(bytes: &[u8], what: &str) {
    let Ok(format) = detect(&bytes[..bytes.len().min(64 << 10)]) else {
        return;
    };
    let mut captures = Captures::new();
    let fed = read_counted(format, bytes, &mut captures);
    let bound = FED_TIMES_MAX * bytes.len() as u64 + FED_BYTES_MIN;
    assert!(
        fed <= bound,
        "{what}: {fed} bytes were read of {}",
        bytes.len()
    );
    assert!(
        captures.len() <= 16 + bytes.len(),
        "{what}: records out of nothing"
    );
    if let Ok(lines) = inspect(bytes) {
        // In a file that is packed as a whole, places are counted in what is inflated.
        if !matches!(format, Format::TarGz | Format::Packed) {
            assert_places_are_in_the_file(&lines, bytes.len(), what);
        }
        let whole = lines.iter().filter(|line| line.get("file").is_none());
        for line in whole.take(4) {
            if let Some(offset) = line.get("offset").and_then(Value::as_u64) {
                extract(format, bytes, offset, what);
            }
        }
    }
}

/// No damage of the file itself is told beyond its end.
fn assert_places_are_in_the_file(lines: &[Value], length: usize, what: &str) {
    for line in lines.iter().filter(|line| line.get("file").is_none()) {
        if let Some(code) = line["damage"].as_str() {
            assert!(
                line["offset"].as_u64().unwrap_or(0) <= length as u64,
                "{what}: {code} beyond the {length} bytes of the file: {line}"
            );
        }
    }
}

fn read_counted(format: Format, bytes: &[u8], captures: &mut Captures) -> u64 {
    let mut reader = parser(format, Some(bytes.len() as u64));
    let mut fed = 0u64;
    for _ in 0..50_000 + 200 * bytes.len() {
        let at = usize::try_from(reader.wanted())
            .unwrap_or(usize::MAX)
            .min(bytes.len());
        let piece = &bytes[at..bytes.len().min(at + 4096)];
        if piece.is_empty() {
            if reader.finish(bytes.len() as u64, captures) {
                return fed;
            }
        } else {
            fed += reader.feed(piece, captures) as u64;
        }
    }
    panic!("reading does not end");
}

fn extract(format: Format, bytes: &[u8], offset: u64, what: &str) {
    for part in [Part::Body, Part::Raw] {
        let mut extractor = Extractor::new(format, offset, 0, part);
        let mut held = 0u64;
        let mut is_over = false;
        for _ in 0..20_000 + 200 * bytes.len() {
            let at = usize::try_from(extractor.wanted())
                .unwrap_or(usize::MAX)
                .min(bytes.len());
            let piece = &bytes[at..bytes.len().min(at + 4096)];
            if piece.is_empty() {
                is_over = extractor.finish(bytes.len() as u64);
            } else {
                extractor.feed(piece);
            }
            held += extractor.take().len() as u64;
            assert!(held < 64 << 20, "{what}: too much comes out");
            is_over |= extractor.is_done();
            if is_over {
                break;
            }
        }
        assert!(is_over, "{what}: the record at {offset} does not end");
    }
}

fn assert_cut_alike(bytes: &[u8], window: usize, what: &str) {
    let (whole, cut) = (inspect(bytes), inspect_cut(bytes, window));
    if let (Ok(whole), Ok(cut)) = (&whole, &cut) {
        let other = whole.iter().zip(cut).find(|(one, other)| one != other);
        assert!(other.is_none(), "{what} in pieces of {window}: {other:#?}");
    }
    if whole != cut {
        panic!("{what} in pieces of {window}: {cut:?}, not {whole:?}");
    }
}

#[test]
fn every_format_survives_every_truncation() {
    let mut random = Random::new(1);
    for case in seeds() {
        for length in places(case.bytes.len(), 24, &mut random) {
            let what = format!("{} cut at {length}", case.name);
            survive(&case.bytes[..length], &what);
            if random.below(6) == 0 {
                assert_cut_alike(&case.bytes[..length], 1 + random.below(300), &what);
            }
        }
    }
}

#[test]
fn every_format_survives_every_flip() {
    let flips: &[u8] = if is_deep() {
        &[1, 2, 4, 8, 16, 32, 64, 128, 255]
    } else {
        &[1, 0x80, 0xff]
    };
    let mut random = Random::new(2);
    for case in seeds() {
        for at in places(case.bytes.len(), 24, &mut random) {
            let flip = flips[random.below(flips.len())];
            let all = [flip];
            for flip in if is_deep() { flips } else { &all } {
                let mut damaged = case.bytes.clone();
                damaged[at] ^= flip;
                let what = format!("{} with byte {at} ^ {flip:#x}", case.name);
                survive(&damaged, &what);
                if random.below(6) == 0 {
                    assert_cut_alike(&damaged, 1 + random.below(300), &what);
                }
            }
        }
    }
}

/// Runs of bytes taken out, doubled, zeroed or replaced by numbers that lie.
#[test]
fn every_format_survives_surgery() {
    let mut random = Random::new(3);
    let count = if is_deep() { 2_000 } else { 12 };
    let lies: [&[u8]; 8] = [
        &[0xff; 8],
        &[0; 8],
        &[0x7f, 0xff, 0xff, 0xff],
        b"99999999999999999999",
        b"-1",
        b"\0",
        b"\r\n\r\n",
        b"[{\"",
    ];
    for case in seeds() {
        for _ in 0..count {
            let from = random.below(case.bytes.len());
            let length = random.below(case.bytes.len() - from + 1).min(600);
            let (before, rest) = case.bytes.split_at(from);
            let (piece, after) = rest.split_at(length);
            let lie = lies[random.below(lies.len())];
            let changed = match random.below(5) {
                0 => [before, after].concat(),
                1 => [before, piece, piece, after].concat(),
                2 => [before, &vec![0; length], after].concat(),
                3 => [before, lie, rest].concat(),
                _ => [before, lie, &rest[lie.len().min(rest.len())..]].concat(),
            };
            let what = format!("{} changed at {from}, {length} bytes", case.name);
            survive(&changed, &what);
            if random.below(6) == 0 {
                assert_cut_alike(&changed, 1 + random.below(300), &what);
            }
        }
    }
}

/// Pieces of files of different formats in a row.
#[test]
fn formats_in_each_other_are_survived() {
    let mut random = Random::new(4);
    let all: Vec<&Case> = seeds().collect();
    for _ in 0..if is_deep() { 200_000 } else { 400 } {
        let mut bytes = Vec::new();
        let mut what = String::new();
        for _ in 0..1 + random.below(4) {
            let case = all[random.below(all.len())];
            let from = if random.below(2) == 0 {
                0
            } else {
                random.below(case.bytes.len())
            };
            let to = from + random.below(case.bytes.len() - from + 1);
            bytes.extend_from_slice(&case.bytes[from..to]);
            what.push_str(&format!("{}[{from}..{to}] ", case.name));
        }
        survive(&bytes, &what);
        assert_cut_alike(&bytes, 1 + random.below(300), &what);
    }
}

/// What fuzzing found: files whose telling depended on how they were cut. Each is named `what.format`.
#[test]
fn finds_are_told_the_same_however_they_are_cut() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/finds");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("finds") {
        let path = entry.expect("a find").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let (_, format) = name.split_once('.').expect("a format");
        let format = Format::named(format).expect("a known format");
        let bytes = std::fs::read(&path).expect("a find");
        let whole = inspect_as(format, &bytes, usize::MAX >> 1);
        for window in 1..=bytes.len().min(400) {
            let cut = inspect_as(format, &bytes, window);
            assert_eq!(cut, whole, "{name} in pieces of {window}");
        }
        count += 1;
    }
    assert!(count > 0);
}
