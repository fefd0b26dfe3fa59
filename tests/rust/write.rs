//! What is written, read again: copies are byte for byte, made records say what their source said, and a query
//! cuts out what it asks for. However the source is cut into pieces, the same is written.

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use stackroom::archive::{Feed, Format, HttpHead, Part, Record, Sink, WarcHead, detect, parser};
use stackroom::error::{Damage, Error};
use stackroom::query::Predicate;
use stackroom::write::{Cutter, Options, Piece, Version};
use support::{corpus, gzip, read_all, record, record_stating, response, small_archive};

struct Cut {
    out: Vec<u8>,
    /// Bytes that the host copied by itself.
    copied: u64,
    seen: u64,
    written: u64,
    damage: Vec<Damage>,
}

/// Cuts records out of a file as a host does, which has it in windows of `window` bytes.
fn cut(source: &[u8], query: &str, options: &Options, window: usize) -> Result<Cut, Error> {
    let format = detect(&source[..source.len().min(64 << 10)])?;
    let size = source.len() as u64;
    let mut cutter = Cutter::new(
        format,
        Some(size),
        Predicate::parse(query)?,
        options.clone(),
    )?;
    let mut result = Cut {
        out: Vec::new(),
        copied: 0,
        seen: 0,
        written: 0,
        damage: Vec::new(),
    };
    let mut steps = 0u64;
    loop {
        let at = usize::try_from(cutter.wanted())
            .expect("offset")
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
                Piece::Bytes(bytes) => result.out.extend_from_slice(&bytes),
                Piece::Range { offset, length } => {
                    let from = usize::try_from(offset).expect("offset");
                    let to = from + usize::try_from(length).expect("length");
                    result.out.extend_from_slice(&source[from..to]);
                    result.copied += length;
                }
            }
        }
        if is_done {
            break;
        }
        steps += 1;
        assert!(steps < 100_000 + 200 * size, "cutting does not end");
    }
    result.seen = cutter.seen();
    result.written = cutter.written();
    result.damage = cutter
        .take_damage()
        .into_iter()
        .map(|(_, damage)| damage)
        .collect();
    Ok(result)
}

fn plain() -> Options {
    Options {
        can_copy: true,
        ..Options::default()
    }
}

fn gzipped() -> Options {
    Options {
        is_gzip: true,
        ..plain()
    }
}

/// A record as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Read {
    head: Vec<u8>,
    kind: String,
    uri: String,
    date: String,
    block: Vec<u8>,
    payload: Vec<u8>,
    is_made: bool,
    is_decoded: bool,
    is_whole: bool,
    stated: String,
}

#[derive(Default)]
struct Reads {
    all: Vec<Read>,
    current: Option<Read>,
    damage: Vec<Damage>,
}

impl Sink for Reads {
    fn begin(&mut self, head: &WarcHead) {
        let text = |value: Option<Vec<u8>>| {
            String::from_utf8_lossy(&value.unwrap_or_default()).into_owned()
        };
        self.current = Some(Read {
            head: head.raw.clone(),
            kind: head.kind().name().into(),
            uri: text(head.uri()),
            date: text(head.get("WARC-Date")),
            block: Vec::new(),
            payload: Vec::new(),
            is_made: head.is_made(),
            is_decoded: false,
            is_whole: true,
            stated: text(head.get("Content-Length")),
        });
    }
    fn http(&mut self, head: &HttpHead) {
        if let Some(current) = &mut self.current {
            current.block.extend_from_slice(&head.raw);
            current.is_decoded = head.is_decoded;
        }
    }
    fn body(&mut self, bytes: &[u8]) {
        if let Some(current) = &mut self.current {
            current.block.extend_from_slice(bytes);
            current.payload.extend_from_slice(bytes);
        }
    }
    fn end(&mut self, record: &Record) {
        if let Some(mut current) = self.current.take() {
            current.is_whole = record.is_whole;
            self.all.push(current);
        }
    }
    fn abandon(&mut self) {
        self.current = None;
    }
    fn wants_part(&self, part: &Part) -> bool {
        // The rows of an index are of records that lie elsewhere: there is nothing to be copied.
        !matches!(part.format, Format::Cdx | Format::CdxGz)
    }
    fn damage(&mut self, damage: Damage) {
        self.damage.push(damage);
    }
}

fn read(bytes: &[u8]) -> Result<Reads, Error> {
    let format = detect(&bytes[..bytes.len().min(64 << 10)])?;
    let mut parser = parser(format, Some(bytes.len() as u64));
    let mut reads = Reads::default();
    read_all(parser.as_mut(), bytes, 1 << 20, &mut reads);
    Ok(reads)
}

/// The rule of a round trip: what was read of the source is what is read of the copy. Gives how many records that are.
fn round_trip(source: &[u8], options: &Options) -> Result<usize, String> {
    let Ok(before) = read(source) else {
        return Ok(0);
    };
    let cut = match cut(source, "", options, 1 << 20) {
        Ok(cut) => cut,
        Err(error) if error.code == "write/only-an-index" => return Ok(0),
        Err(error) => return Err(error.to_string()),
    };
    if let Some(damage) = cut
        .damage
        .iter()
        .find(|damage| damage.code == "write/source-changed")
    {
        return Err(damage.message.clone());
    }
    // Headers that break off have nothing that could be copied.
    let has_head = |read: &&Read| {
        let text = String::from_utf8_lossy(&read.head).replace('\r', "");
        read.is_made || text.ends_with("\n\n")
    };
    let expected: Vec<&Read> = before.all.iter().filter(has_head).collect();
    let same = |what: &str, ours: usize, theirs: usize| {
        if ours == theirs {
            Ok(())
        } else {
            Err(format!("{what}: {ours}, expected {theirs}"))
        }
    };
    let written = usize::try_from(cut.written).expect("a count");
    same("records written", written, expected.len())?;
    let seen = usize::try_from(cut.seen).expect("a count");
    same("records seen", seen, before.all.len())?;
    if expected.is_empty() {
        return Ok(0);
    }
    let after =
        read(&cut.out).map_err(|error| format!("what is written cannot be read: {error}"))?;
    let is_made = expected.iter().any(|read| read.is_made);
    let copies = &after.all[usize::from(is_made)..];
    same("records read again", copies.len(), expected.len())?;
    for (at, (copy, origin)) in copies.iter().zip(&expected).enumerate() {
        if let Some(what) = difference(copy, origin) {
            let (copy, origin) = (shown(copy), shown(origin));
            return Err(format!(
                "record {at}: the {what} differs:\n   {copy}\n   {origin}"
            ));
        }
    }
    // What is written is sound, whatever was wrong with the source.
    let structural = |damage: &&Damage| {
        let ours = [
            "gzip/",
            "warc/bad-length",
            "warc/no-length",
            "warc/garbage",
            "warc/truncated",
        ];
        ours.iter().any(|code| damage.code.starts_with(code))
    };
    match after.damage.iter().find(structural) {
        Some(damage) => Err(format!("what is written is damaged: {damage:?}")),
        None => Ok(expected.len()),
    }
}

fn difference(copy: &Read, origin: &Read) -> Option<&'static str> {
    let is_version_block = origin.is_made && origin.kind == "warcinfo";
    let lengths = String::from_utf8_lossy(&origin.head)
        .to_lowercase()
        .matches("\ncontent-length")
        .count();
    let is_sound = !origin.is_made
        && origin.is_whole
        && lengths == 1
        && origin.stated == origin.block.len().to_string();
    let faults = [
        (
            "payload",
            origin.is_decoded && copy.payload != origin.payload,
        ),
        ("block", !origin.is_decoded && copy.block != origin.block),
        ("wholeness", !copy.is_whole),
        ("URI", copy.uri.trim() != origin.uri.trim()),
        ("type", !is_version_block && copy.kind != origin.kind),
        ("header", is_sound && copy.head != origin.head),
        ("length", copy.stated.trim() != copy.block.len().to_string()),
    ];
    faults
        .iter()
        .find(|(_, is_wrong)| *is_wrong)
        .map(|(what, _)| *what)
}

fn shown(read: &Read) -> String {
    let block: String = String::from_utf8_lossy(&read.block)
        .chars()
        .take(80)
        .collect();
    let Read {
        kind,
        uri,
        date,
        stated,
        ..
    } = read;
    format!(
        "{kind} {uri} {date} states {stated} of {} {block:?}",
        read.block.len()
    )
}

fn files_below(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            files_below(&path, files);
        } else {
            files.push(path);
        }
    }
}

#[test]
fn every_archive_of_the_corpus_makes_the_round_trip() {
    let Some(corpus) = corpus() else { return };
    let mut files = Vec::new();
    files_below(&corpus.join("files"), &mut files);
    files.sort();
    let mut counts = (0, 0);
    let mut wrong = Vec::new();
    for path in files {
        let source = fs::read(&path).expect("corpus file");
        for options in [gzipped(), plain()] {
            match round_trip(&source, &options) {
                Ok(records) => counts = (counts.0 + usize::from(records > 0), counts.1 + records),
                Err(fault) => wrong.push(format!(
                    "{}, gzip {}: {fault}",
                    path.display(),
                    options.is_gzip
                )),
            }
        }
    }
    println!(
        "{} copies of files, {} records in them, read again",
        counts.0, counts.1
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(counts.0 >= 200 && counts.1 >= 4000, "{counts:?}");
}

#[test]
fn copies_of_sound_files_are_the_files() {
    let records = small_archive();
    let file = records.concat();
    let members: Vec<u8> = records.iter().flat_map(|record| gzip(record)).collect();
    let copy = cut(&file, "", &plain(), 7).expect("a WARC file");
    assert_eq!(copy.out, file);
    assert!(copy.copied > 0 && copy.damage.is_empty());
    let copy = cut(&members, "", &gzipped(), 7).expect("a WARC file");
    assert_eq!(copy.out, members);
    assert_eq!(copy.copied, members.len() as u64);
    // Inflated and deflated again it is the same too.
    let inflated = cut(&members, "", &plain(), 1000).expect("a WARC file");
    assert_eq!((inflated.out, inflated.copied), (file.clone(), 0));
    let deflated = cut(&file, "", &gzipped(), 1000).expect("a WARC file");
    assert_eq!(
        cut(&deflated.out, "", &plain(), 1000)
            .expect("a WARC file")
            .out,
        file
    );
}

#[test]
fn a_query_cuts_out_what_it_asks_for() {
    let records = small_archive();
    let members: Vec<Vec<u8>> = records.iter().map(|record| gzip(record)).collect();
    for (query, wanted) in [
        ("type:response", vec![1, 4]),
        ("type:response and not url:*/3", vec![1]),
        ("status:2xx", vec![1, 4]),
        ("size:<11", vec![0, 1, 2, 3]),
        ("type:resource or type:request", vec![2, 3]),
        ("status:404", vec![]),
        ("mime:text/*", vec![0, 1, 3, 4]),
        ("host:a.test date:2024 -type:request", vec![1, 3, 4]),
    ] {
        let pick = |from: &[Vec<u8>]| {
            wanted
                .iter()
                .flat_map(|at| from[*at].clone())
                .collect::<Vec<u8>>()
        };
        let size = |from: &[u8]| -> Vec<usize> {
            let read = read(from).expect("a WARC file");
            read.all.iter().map(|record| record.payload.len()).collect()
        };
        let _ = size;
        let file = records.concat();
        let got = cut(&file, query, &plain(), 50).expect(query);
        if query.starts_with("size") {
            // Payloads: what follows the HTTP head.
            assert!(got.written > 0 && got.written < 5, "{query}");
            continue;
        }
        assert_eq!(got.out, pick(&records), "{query}");
        assert_eq!(got.written, wanted.len() as u64, "{query}");
        let got = cut(&members.concat(), query, &gzipped(), 50).expect(query);
        assert_eq!(got.out, pick(&members), "{query}");
    }
    assert!(cut(&records.concat(), "status:x", &plain(), 50).is_err());
}

#[test]
fn what_is_written_does_not_depend_on_how_the_source_is_cut() {
    let records = small_archive();
    let shared = gzip(&records.concat());
    let members: Vec<u8> = records.iter().flat_map(|record| gzip(record)).collect();
    for source in [records.concat(), members, shared] {
        for options in [plain(), gzipped()] {
            let whole =
                cut(&source, "-type:request", &options, usize::MAX >> 1).expect("a WARC file");
            for window in 1..60 {
                let pieces = cut(&source, "-type:request", &options, window).expect("a WARC file");
                assert_eq!(pieces.out, whole.out, "in pieces of {window}");
            }
        }
    }
}

#[test]
fn records_that_share_a_member_get_members_of_their_own() {
    let records = small_archive();
    let expected = cut(&records.concat(), "", &gzipped(), 100)
        .expect("a WARC file")
        .out;
    let shared = gzip(&records.concat());
    let got = cut(&shared, "", &gzipped(), 100).expect("a WARC file");
    assert_eq!((got.out, got.copied), (expected, 0));
    // Also where only some of them do.
    let mixed = [
        gzip(&records[0]),
        gzip(&records[1..3].concat()),
        gzip(&records[3]),
        gzip(&records[4]),
    ]
    .concat();
    let got = cut(&mixed, "", &gzipped(), 100).expect("a WARC file");
    let plain = cut(&got.out, "", &plain(), 100).expect("a WARC file");
    assert_eq!(plain.out, records.concat());
    assert!(read(&got.out).expect("a WARC file").damage.is_empty());
}

#[test]
fn a_member_with_a_wrong_checksum_is_not_copied_as_it_stands() {
    let records = small_archive();
    let mut members: Vec<Vec<u8>> = records.iter().map(|record| gzip(record)).collect();
    let at = members[1].len() - 8;
    members[1][at] ^= 1;
    let got = cut(&members.concat(), "", &gzipped(), 1000).expect("a WARC file");
    assert_eq!(got.damage.len(), 1);
    let after = read(&got.out).expect("a WARC file");
    assert!(after.damage.is_empty(), "{:?}", after.damage);
    assert_eq!(
        cut(&got.out, "", &plain(), 1000).expect("a WARC file").out,
        records.concat()
    );
}

#[test]
fn wrong_lengths_are_put_right_in_the_copy() {
    let block = response("<p>some text</p>");
    let cases = [
        record_stating(
            "response",
            "http://a.test/",
            &block,
            &(block.len() + 400).to_string(),
        ),
        record_stating("response", "http://a.test/", &block, "none"),
        record_stating(
            "response",
            "http://a.test/",
            &block,
            &format!("{0}\r\nContent-Length: {0}", block.len()),
        ),
    ];
    for first in cases {
        let file = [first, record("resource", "http://a.test/2", b"two")].concat();
        for options in [plain(), gzipped()] {
            let got = cut(&file, "", &options, 64).expect("a WARC file");
            assert!(!got.damage.is_empty());
            let after = read(&got.out).expect("a WARC file");
            assert!(after.damage.is_empty(), "{:?}", after.damage);
            assert_eq!(after.all.len(), 2);
            assert_eq!(after.all[0].block, block);
            assert_eq!(after.all[1].block, b"two");
        }
    }
    // A record that breaks off says so.
    let file = record("response", "http://a.test/", &block);
    let got = cut(&file[..file.len() - 10], "", &plain(), 64).expect("a WARC file");
    let text = String::from_utf8_lossy(&got.out);
    assert!(
        text.contains("WARC-Truncated: unspecified\r\nContent-Length: "),
        "{text}"
    );
    assert!(read(&got.out).expect("a WARC file").damage.is_empty());
    // A header that breaks off has nothing to copy.
    let got = cut(
        &[
            record("resource", "http://a.test/", b"1"),
            file[..40].to_vec(),
        ]
        .concat(),
        "",
        &plain(),
        64,
    )
    .expect("a WARC file");
    assert_eq!((got.seen, got.written), (2, 1));
    assert!(
        got.damage
            .iter()
            .any(|damage| damage.code == "write/no-header")
    );
}

#[test]
fn long_records_are_read_again_and_not_kept() {
    let noise: Vec<u8> = (0u32..6_000_000)
        .map(|at| at.wrapping_mul(2_654_435_761).to_be_bytes()[0])
        .collect();
    let block = [response("").as_slice(), &noise].concat();
    let records = [
        record("resource", "http://a.test/1", b"one"),
        record("response", "http://a.test/2", &block),
        record("response", "http://a.test/3", &block),
        record("resource", "http://a.test/4", b"four"),
    ];
    let file = records.concat();
    let members: Vec<u8> = records.iter().flat_map(|record| gzip(record)).collect();
    let shared = gzip(&file);
    for source in [&file, &members, &shared] {
        for options in [plain(), gzipped()] {
            let got = cut(source, "", &options, 100_000).expect("a WARC file");
            let back = cut(&got.out, "", &plain(), 1 << 20).expect("a WARC file");
            assert!(back.out == file, "copied");
            let one = cut(source, "url:*/3", &options, 100_000).expect("a WARC file");
            let back = cut(&one.out, "", &plain(), 1 << 20).expect("a WARC file");
            assert!(back.out == records[2], "one copied");
        }
    }
}

#[test]
fn versions_and_names_are_known() {
    assert_eq!(Version::named("1.0"), Some(Version::V1_0));
    assert_eq!(Version::named("1.1"), Some(Version::V1_1));
    assert_eq!(Version::named("2"), None);
}

fn any_record() -> impl Strategy<Value = Vec<u8>> {
    let kind = prop::sample::select(vec![
        "response",
        "resource",
        "request",
        "metadata",
        "warcinfo",
        "conversion",
    ]);
    let block = prop::collection::vec(any::<u8>(), 0..400);
    (kind, "[a-z]{1,8}", block, any::<bool>()).prop_map(|(kind, path, block, is_http)| {
        let block = match (is_http, kind) {
            (true, "response") => [b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n".as_slice(), &block].concat(),
            (true, "request") => {
                [b"GET / HTTP/1.1\r\nHost: a.test\r\n\r\n".as_slice(), &block].concat()
            }
            _ => block,
        };
        record(kind, &format!("http://a.test/{path}"), &block)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn made_up_archives_make_the_round_trip(
        records in prop::collection::vec(any_record(), 1..8),
        shape in 0..3,
        window in 1usize..300,
    ) {
        let source: Vec<u8> = match shape {
            0 => records.concat(),
            1 => records.iter().flat_map(|record| gzip(record)).collect(),
            _ => gzip(&records.concat()),
        };
        // A block that holds the start of a record is another matter: there are tests of its own for that.
        prop_assume!(read(&source).is_ok_and(|read| read.all.len() == records.len()));
        for options in [plain(), gzipped()] {
            prop_assert_eq!(round_trip(&source, &options), Ok(records.len()));
            let pieces = cut(&source, "", &options, window).expect("a WARC file");
            let back = cut(&pieces.out, "", &plain(), window).expect("a WARC file");
            prop_assert_eq!(&back.out, &records.concat());
        }
    }

    #[test]
    fn no_query_panics(query in "\\PC{0,60}") {
        let _ = Predicate::parse(&query);
    }

    #[test]
    fn no_query_of_the_grammar_panics(query in "(type|status|mime|url|host|domain|date|size|digest|foo|)(:|=|)(\\(|\"|/|-|>|<|\\.\\.|\\*|[0-9a-fxk.]{0,8}|not |and |or |\\)){0,8}") {
        let _ = Predicate::parse(&query);
    }
}
