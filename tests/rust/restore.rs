//! Tables that are kept: what a state and kept rows make is the table that they are of, whatever the format; and no
//! bytes make anything else than a table or a refusal. And reading goes on where a state ends, to the same table as without a break.
//!
//! `STACKROOM_DEEP=1` flips every byte of every state; without it a seeded sample.

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use stackroom::archive::{Aside, Format, Part, detect, parser};
use stackroom::captures::{Awaited, Captures, Restored};
use stackroom::codec::{Reader, Writer};
use stackroom::error::Damage;
use stackroom::referral;
use support::fixtures::fixtures;
use support::{Random, corpus, is_deep, read_all, stored_rows};

/// What a table tells, in a form that can be compared.
#[derive(PartialEq, Eq, Debug)]
struct Told {
    rows: Vec<u8>,
    parts: Vec<(usize, Part, usize)>,
    pages: Vec<(usize, Aside)>,
    facts: Vec<(usize, Aside)>,
    damage: Vec<(usize, Damage)>,
    damage_count: u64,
    traits: Vec<String>,
    continuations: Vec<String>,
    nearest: Vec<Option<usize>>,
}

impl Told {
    fn by(captures: &Captures) -> Told {
        let mut urls = Vec::new();
        captures.scan_urls(0, captures.len().min(50), |_, url| {
            urls.push(url.to_vec());
            true
        });
        let parts = captures.parts().iter();
        let continuations = captures.continuations().iter();
        Told {
            rows: captures.keyed_rows(0, usize::MAX),
            parts: parts
                .map(|one| (one.file, one.part.clone(), one.first_row))
                .collect(),
            pages: captures.pages().to_vec(),
            facts: captures.facts().to_vec(),
            damage: captures.damage().to_vec(),
            damage_count: captures.damage_count(),
            traits: captures.traits().map(|one| format!("{one:?}")).collect(),
            continuations: continuations.map(|one| format!("{one:?}")).collect(),
            nearest: urls
                .iter()
                .map(|url| referral::nearest(captures, url, Some(1_400_000_000)))
                .collect(),
        }
    }
}

/// A table of files, read as a host does.
fn read(files: &[&[u8]]) -> Option<Captures> {
    let mut captures = Captures::new();
    for bytes in files {
        let format = detect(&bytes[..bytes.len().min(64 << 10)]).ok()?;
        begin(&mut captures, format);
        let mut parser = parser(format, Some(bytes.len() as u64));
        read_all(parser.as_mut(), bytes, 1 << 20, &mut captures);
        captures.end_file();
    }
    Some(captures)
}

fn begin(captures: &mut Captures, format: Format) {
    captures.begin_file(Part {
        format,
        ..Part::default()
    });
}

fn restored(captures: &Captures) -> Captures {
    let state = captures.state(usize::MAX);
    let Restored {
        captures: mut table,
        awaited,
    } = Restored::read(&state).expect("a state");
    assert_eq!(awaited.rows, captures.len());
    assert_eq!(awaited.way_on, None);
    let half = captures.len() / 2;
    for (from, count) in [(0, half), (half, captures.len() - half)] {
        let rows = stored_rows(captures, from, count);
        assert!(awaited.take_rows(&mut table, &rows), "rows are understood");
    }
    assert!(
        table.state(usize::MAX) == state,
        "the state is that of the first table"
    );
    table
}

/// All files of the corpus, those too long for a debug build left out.
fn corpus_files() -> Vec<(String, Vec<u8>)> {
    const BYTES_MAX: u64 = 8 << 20;
    let Some(corpus) = corpus() else {
        return Vec::new();
    };
    let mut paths = Vec::new();
    gather(&corpus.join("files"), &mut paths);
    paths.sort();
    let short = |path: &PathBuf| fs::metadata(path).is_ok_and(|facts| facts.len() <= BYTES_MAX);
    let named = |path: PathBuf| {
        let bytes = fs::read(&path).expect("a corpus file");
        (path.to_string_lossy().into_owned(), bytes)
    };
    paths.into_iter().filter(short).map(named).collect()
}

fn gather(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            gather(&path, paths);
        } else {
            paths.push(path);
        }
    }
}

#[test]
fn restored_tables_tell_what_the_first_ones_did() {
    let own = fixtures()
        .iter()
        .map(|case| (case.name.clone(), case.bytes.clone()));
    let (mut tables, mut facts, mut pages, mut damage) = (0, 0, 0, 0);
    for (name, bytes) in own.chain(corpus_files()) {
        let Some(captures) = read(&[&bytes]) else {
            continue;
        };
        assert!(
            Told::by(&restored(&captures)) == Told::by(&captures),
            "{name}"
        );
        tables += 1;
        facts += captures.facts().len();
        pages += captures.pages().len();
        damage += captures.damage().len();
    }
    println!("{tables} tables, {facts} facts, {pages} pages, {damage} reports of damage");
    assert!(tables > 300 && facts > 100 && pages > 20 && damage > 100);
}

#[test]
fn files_of_a_collection_come_back_in_their_order() {
    let readable: Vec<&[u8]> = fixtures()
        .iter()
        .map(|case| case.bytes.as_slice())
        .filter(|bytes| detect(&bytes[..bytes.len().min(64 << 10)]).is_ok())
        .collect();
    for files in readable.chunks(7) {
        let captures = read(files).expect("files that are recognised");
        assert!(Told::by(&restored(&captures)) == Told::by(&captures));
    }
    assert!(Told::by(&restored(&Captures::new())) == Told::by(&Captures::new()));
}

#[test]
fn rows_of_another_table_are_refused_and_those_behind_the_last_are_left() {
    let sample = fixtures()
        .iter()
        .find(|case| case.name.ends_with(".wacz"))
        .expect("a package");
    let one = read(&[&sample.bytes]).expect("a table");
    let two = read(&[&sample.bytes, &sample.bytes]).expect("a table");
    assert!(!one.is_empty());
    let state = |table: &Captures| Restored::read(&table.state(usize::MAX)).expect("a state");
    let mut restored = state(&one);
    let rows = stored_rows(&two, 0, two.len());
    assert!(restored.awaited.take_rows(&mut restored.captures, &rows));
    assert!(Told::by(&restored.captures) == Told::by(&one));
    let mut restored = state(&two);
    let others = stored_rows(&two, one.len(), one.len());
    assert!(!restored.awaited.take_rows(&mut restored.captures, &others));
}

/// Does what a host does with whatever is no refusal.
fn survive(state: &[u8], rows: &[u8]) -> bool {
    let Some(Restored {
        mut captures,
        awaited,
    }) = Restored::read(state)
    else {
        return false;
    };
    let is_taken = awaited.take_rows(&mut captures, rows);
    assert!(captures.len() <= awaited.rows);
    let told = Told::by(&captures);
    assert!(told.parts.len() <= state.len());
    for (row, _) in captures.traits() {
        let (part, ..) = captures.place(row).expect("a place");
        assert!(part < captures.parts().len());
    }
    let again = captures.state(usize::MAX);
    assert!(Restored::read(&again).is_some(), "what is told is a state");
    is_taken
}

#[test]
fn whatever_the_bytes_are_they_make_a_table_or_are_refused() {
    let mut random = Random::new(6);
    let (mut tried, mut taken) = (0, 0);
    for case in fixtures() {
        let Some(captures) = read(&[&case.bytes, &case.bytes]) else {
            continue;
        };
        if captures.len() > 60 {
            continue;
        }
        let state = captures.state(usize::MAX);
        let rows = stored_rows(&captures, 0, captures.len());
        assert!(survive(&state, &rows), "{}", case.name);
        let places = |length: usize, random: &mut Random| -> Vec<usize> {
            if is_deep() || length <= 60 {
                return (0..length).collect();
            }
            (0..60).map(|_| random.below(length)).collect()
        };
        for at in places(state.len(), &mut random) {
            assert!(Restored::read(&state[..at]).is_none(), "{}", case.name);
            for flip in [1, 0x20, 0x80, 0xff] {
                let mut other = state.clone();
                other[at] ^= flip;
                tried += 1;
                taken += usize::from(survive(&other, &rows));
            }
        }
        for at in places(rows.len(), &mut random) {
            survive(&state, &rows[..at]);
            for flip in [1, 0x20, 0x80, 0xff] {
                let mut other = rows.clone();
                other[at] ^= flip;
                survive(&state, &other);
            }
        }
    }
    println!("{tried} flipped states, {taken} of them are of another table");
    assert!(tried > 10_000 && taken > 0 && taken < tried);
}

#[test]
fn what_is_announced_is_not_believed() {
    // A table of as many rows, files or parts as there can be, and nothing of them.
    for at in 1..8 {
        let mut out = Writer::new();
        out.varint(1);
        for n in 1..12 {
            out.varint(if n == at { u64::MAX } else { 0 });
        }
        assert!(Restored::read(&out.finish()).is_none());
    }
    assert!(Restored::read(b"").is_none());
    assert!(Restored::read(b"WARC/1.0\r\n").is_none());
    let awaited = Awaited {
        rows: 10,
        files: 0,
        way_on: None,
    };
    assert!(!awaited.take_rows(&mut Captures::new(), &[0xff; 40]));
}

/// A reading that was broken off: its state, and its rows as they are kept, with those that the state does not count.
struct Broken {
    state: Vec<u8>,
    rows: Vec<u8>,
}

/// Reads files as a host does, and notes how far that is now and then.
fn read_with_breaks(files: &[&[u8]], random: &mut Random) -> Option<(Captures, Vec<Broken>)> {
    let mut captures = Captures::new();
    let mut broken = Vec::new();
    for bytes in files {
        let format = detect(&bytes[..bytes.len().min(64 << 10)]).ok()?;
        begin(&mut captures, format);
        let mut parser = parser(format, Some(bytes.len() as u64));
        let mut every = 1 + bytes.len() / 12;
        loop {
            let at = usize::try_from(parser.wanted()).expect("offset");
            let window = 1 + random.below(every);
            let piece = &bytes[at.min(bytes.len())..bytes.len().min(at.saturating_add(window))];
            if !piece.is_empty() {
                parser.feed(piece, &mut captures);
            } else if parser.finish(bytes.len() as u64, &mut captures) {
                break;
            }
            // What goes to and fro is read in larger pieces by and by.
            every += every / 8;
            broken.push(Broken {
                state: captures.state(usize::MAX),
                rows: stored_rows(&captures, 0, captures.len()),
            });
        }
        captures.end_file();
    }
    Some((captures, broken))
}

/// Goes on with files from a state; also whether that was in the middle of one.
fn go_on(files: &[&[u8]], Broken { state, rows }: &Broken) -> (Captures, bool) {
    let Restored {
        mut captures,
        awaited,
    } = Restored::read(state).expect("a state");
    assert!(awaited.take_rows(&mut captures, rows), "rows fit the state");
    assert_eq!(captures.len(), awaited.rows);
    assert!(&captures.state(usize::MAX) == state, "the state stays");
    let is_within = awaited.way_on.is_some();
    if is_within {
        let bytes = files[awaited.files - 1];
        let mut parser = awaited
            .parser(&captures, Some(bytes.len() as u64))
            .expect("a parser");
        read_all(parser.as_mut(), bytes, 1 << 20, &mut captures);
        captures.end_file();
    }
    for bytes in &files[awaited.files..] {
        let format = detect(&bytes[..bytes.len().min(64 << 10)]).expect("a format");
        begin(&mut captures, format);
        let mut parser = parser(format, Some(bytes.len() as u64));
        read_all(parser.as_mut(), bytes, 1 << 20, &mut captures);
        captures.end_file();
    }
    (captures, is_within)
}

#[test]
fn reading_that_was_broken_off_goes_on_to_the_same_table() {
    let own: Vec<(String, Vec<u8>)> = fixtures()
        .iter()
        .map(|case| (case.name.clone(), case.bytes.clone()))
        .chain(corpus_files())
        .collect();
    let mut random = Random::new(12);
    let (mut breaks, mut within, mut damaged) = (0, 0, 0);
    for (name, bytes) in &own {
        let Some((table, broken)) = read_with_breaks(&[bytes], &mut random) else {
            continue;
        };
        let told = Told::by(&table);
        assert!(
            told == Told::by(&read(&[bytes]).expect("a table")),
            "{name}"
        );
        for broken in &broken {
            let (again, is_within) = go_on(&[bytes], broken);
            assert!(Told::by(&again) == told, "{name}: {:?}", again.damage());
            breaks += 1;
            within += usize::from(is_within);
            damaged += usize::from(is_within && table.damage_count() > 0);
        }
    }
    println!(
        "{breaks} breaks, {within} of them in the middle, {damaged} of these in damaged files"
    );
    assert!(breaks > 1000 && within > 500 && damaged > 100);
}

#[test]
fn collections_that_were_broken_off_go_on_with_the_file_under_way() {
    let mut random = Random::new(13);
    let readable: Vec<&[u8]> = fixtures()
        .iter()
        .map(|case| case.bytes.as_slice())
        .filter(|bytes| detect(&bytes[..bytes.len().min(64 << 10)]).is_ok())
        .collect();
    for files in readable.chunks(3) {
        let (table, broken) = read_with_breaks(files, &mut random).expect("a table");
        let told = Told::by(&table);
        for broken in broken.iter().step_by(5) {
            assert!(Told::by(&go_on(files, broken).0) == told);
        }
    }
}

#[test]
fn of_a_long_file_little_is_read_again() {
    let pages = (0..5000).map(|n| {
        let url = format!("http://a.test/{n}");
        support::record("response", &url, &support::response(&"x".repeat(n % 50)))
    });
    let plain: Vec<Vec<u8>> = pages.collect();
    let packed: Vec<u8> = plain.iter().flat_map(|one| support::gzip(one)).collect();
    for bytes in [plain.concat(), packed] {
        let table = read(&[&bytes]).expect("a table");
        let told = Told::by(&table);
        for records in [0, 1, 255, 256, 257, 700, 2500, 4999, 5000] {
            let broken = Broken {
                state: table.state(records),
                rows: stored_rows(&table, 0, records),
            };
            let (again, _) = go_on(&[&bytes], &broken);
            assert!(Told::by(&again) == told, "{records}");
            let Restored { awaited, .. } = Restored::read(&broken.state).expect("a state");
            let again = records - awaited.rows;
            assert!(again <= 256, "{again} of {records} are read again");
        }
    }
}

#[test]
fn reading_goes_on_from_any_place_that_a_state_names() {
    let mut random = Random::new(14);
    let mut tried = 0;
    for case in fixtures().iter().filter(|case| case.bytes.len() < 4000) {
        let Some((_, broken)) = read_with_breaks(&[&case.bytes], &mut random) else {
            continue;
        };
        for Broken { state, rows } in broken.iter().step_by(3) {
            // Rows, files, way, offset, what was read again, what was told.
            for at in 1..12.min(state.len()) {
                for flip in [1, 0x10, 0x7f, 0x80] {
                    let mut other = state.clone();
                    other[at] ^= flip;
                    tried += usize::from(goes_on(&case.bytes, &other, rows));
                }
            }
            let Some(far) = far_away(state) else { continue };
            for offset in [0, 1, case.bytes.len() as u64, 1 << 53, u64::MAX] {
                assert!(goes_on(&case.bytes, &far(offset), rows), "{}", case.name);
            }
        }
    }
    println!("{tried} places");
    assert!(tried > 500);
}

/// Goes on from a state, whatever comes of it. False where it is refused, or of the end of a file.
fn goes_on(bytes: &[u8], state: &[u8], rows: &[u8]) -> bool {
    let Some(Restored {
        mut captures,
        awaited,
    }) = Restored::read(state)
    else {
        return false;
    };
    if !awaited.take_rows(&mut captures, rows) || captures.len() != awaited.rows {
        return false;
    }
    let size = bytes.len() as u64;
    if let Some(mut splitter) = awaited.splitter(&captures, size, 1000, 2) {
        assert!(splitter.assign().is_some());
    }
    let Some(mut parser) = awaited.parser(&captures, Some(size)) else {
        return false;
    };
    read_all(parser.as_mut(), bytes, 100, &mut captures);
    assert!(captures.len() <= awaited.rows + bytes.len());
    true
}

/// The same state with another place to go on from, where it has one.
fn far_away(state: &[u8]) -> Option<impl Fn(u64) -> Vec<u8>> {
    let mut reader = Reader::new(state);
    for _ in 0..4 {
        reader.varint()?;
    }
    let is_within = reader.varint()? == 1;
    let before = state.len() - reader.left();
    reader.varint()?;
    let behind = state[state.len() - reader.left()..].to_vec();
    let before = state[..before].to_vec();
    is_within.then_some(move |offset| {
        let mut out = Writer::behind(before.clone());
        out.varint(offset);
        out.raw(&behind);
        out.finish()
    })
}
