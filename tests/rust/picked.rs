//! Records that are picked by their rows: what is written of all of them is what is written of the archive, and what is
//! written of some is that of each. Over archives of our own and the corpus, in runs and one by one.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use stackroom::archive::{Feed, Part, Pick, detect};
use stackroom::captures::Captures;
use stackroom::query::Predicate;
use stackroom::write::{Cutter, Options, Piece};
use support::{Random, corpus, gzip, record, response, small_archive, table};

struct Written {
    out: Vec<u8>,
    written: u64,
}

/// Feeds a cutter as a host does; `more` picks what there is room for.
fn write(
    mut cutter: Cutter,
    source: &[u8],
    window: usize,
    mut more: impl FnMut(&mut Cutter),
) -> Written {
    let mut out = Vec::new();
    let size = source.len() as u64;
    let mut steps = 0u64;
    loop {
        more(&mut cutter);
        let at = usize::try_from(cutter.wanted())
            .expect("an offset")
            .min(source.len());
        let piece = &source[at..source.len().min(at.saturating_add(window))];
        let is_done = if piece.is_empty() {
            cutter.finish(size)
        } else {
            cutter.feed(piece);
            false
        };
        while let Some(piece) = cutter.take() {
            match piece {
                Piece::Bytes(bytes) => out.extend_from_slice(&bytes),
                Piece::Range { offset, length } => {
                    let from = usize::try_from(offset).expect("an offset");
                    out.extend_from_slice(
                        &source[from..from + usize::try_from(length).expect("a length")],
                    );
                }
            }
        }
        if is_done {
            let written = cutter.written();
            return Written { out, written };
        }
        steps += 1;
        assert!(steps < 200_000 + 200 * size, "writing does not end");
    }
}

/// Picked a few at a time.
fn picked(
    captures: &Captures,
    rows: &[usize],
    source: &[u8],
    options: &Options,
    window: usize,
) -> Written {
    let parts: Vec<Rc<Part>> = captures
        .parts()
        .iter()
        .map(|one| Rc::new(one.part.clone()))
        .collect();
    let mut left = rows.iter();
    let format = captures.parts()[0].part.format;
    write(
        Cutter::of_picks(format, options.clone()),
        source,
        window,
        |cutter| {
            while cutter.waiting() < 3 {
                let Some(&row) = left.next() else { return };
                let (part, offset, skip) = captures.place(row).expect("a place");
                cutter.pick(Pick {
                    row,
                    part: Rc::clone(&parts[part]),
                    offset,
                    skip,
                });
            }
        },
    )
}

fn whole(source: &[u8], options: &Options) -> Option<Written> {
    let format = detect(&source[..source.len().min(64 << 10)]).ok()?;
    let cutter = Cutter::new(
        format,
        Some(source.len() as u64),
        Predicate::all(),
        options.clone(),
    )
    .ok()?;
    Some(write(cutter, source, 1 << 20, |_| {}))
}

fn options(is_gzip: bool) -> Options {
    Options {
        is_gzip,
        can_copy: true,
        ..Options::default()
    }
}

/// Where all picked are not the archive, or some are not what they are by themselves.
fn check(source: &[u8], random: &mut Random) -> Result<usize, String> {
    let Some(captures) = table(source) else {
        return Ok(0);
    };
    let rows: Vec<usize> = (0..captures.len()).collect();
    for options in [options(false), options(true)] {
        let Some(expected) = whole(source, &options) else {
            return Ok(0);
        };
        let all = picked(&captures, &rows, source, &options, 1 << 20);
        if all.out != expected.out {
            return Err(format!(
                "all: {} records in {} bytes of {} in {}",
                all.written,
                all.out.len(),
                expected.written,
                expected.out.len()
            ));
        }
        let some: Vec<usize> = rows
            .iter()
            .copied()
            .filter(|_| random.below(3) == 0)
            .collect();
        let one_by_one: Vec<Written> = some
            .iter()
            .map(|row| picked(&captures, &[*row], source, &options, 1 << 20))
            .collect();
        let together = picked(&captures, &some, source, &options, 100 + random.below(5000));
        let count: u64 = one_by_one.iter().map(|one| one.written).sum();
        if together.written != count {
            return Err(format!("some: {} records of {count}", together.written));
        }
        // Those that are made come after one that tells so, once for all of them.
        let is_copied = !String::from_utf8_lossy(&expected.out).contains("software: stackroom/");
        let singles: Vec<u8> = one_by_one.into_iter().flat_map(|one| one.out).collect();
        if is_copied && !options.is_gzip && together.out != singles {
            return Err("some: other bytes than one by one".into());
        }
    }
    Ok(rows.len())
}

#[test]
fn picks_of_plain_and_gzipped_records_are_what_an_archive_is_made_of() {
    let mut random = Random::new(4);
    let records = small_archive();
    let members: Vec<u8> = records.iter().flat_map(|record| gzip(record)).collect();
    let long = [
        record("resource", "http://a.test/", &vec![b'x'; 3_000_000]),
        record("resource", "http://a.test/2", b"two"),
    ];
    let wrong =
        support::record_stating("response", "http://a.test/", &response("<p>text</p>"), "9");
    let sources = [
        records.concat(),
        members,
        // All in one member, and members that hold two.
        gzip(&records.concat()),
        records
            .chunks(2)
            .flat_map(|two| gzip(&two.concat()))
            .collect(),
        long.concat(),
        long.iter().flat_map(|record| gzip(record)).collect(),
        [wrong, record("resource", "http://a.test/2", b"two")].concat(),
    ];
    for source in sources {
        let rows = check(&source, &mut random).expect("the same");
        assert!(rows >= 2);
    }
}

fn archives(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            archives(&path, found);
        } else if fs::metadata(&path).is_ok_and(|data| data.len() < 3_000_000) {
            found.push(path);
        }
    }
}

#[test]
fn picks_of_the_corpus_are_what_its_archives_are_made_of() {
    let Some(corpus) = corpus() else { return };
    let mut random = Random::new(9);
    let mut paths = Vec::new();
    archives(&corpus.join("files"), &mut paths);
    paths.sort();
    let (mut files, mut records) = (0, 0);
    let mut wrong = Vec::new();
    for path in &paths {
        let source = fs::read(path).expect("a file");
        match check(&source, &mut random) {
            Ok(0) => {}
            Ok(count) => {
                files += 1;
                records += count;
            }
            Err(why) => wrong.push(format!("{}: {why}", path.display())),
        }
    }
    println!("{files} archives, {records} records");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(files > 100);
}
