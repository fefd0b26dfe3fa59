//! Records as sets of labels: authors, titles, languages and extensions, as a catalogue of books has them, and the
//! queries that are asked of it. Every count is that of a scan of all records.
//!
//! `STACKROOM_DEEP=1` takes two million records, tells the time of each query and the memory that all of it took.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::time::Instant;

use roaring::RoaringBitmap;
use stackroom::index::Index;
use stackroom::query::{Node, Request, parse_request};
use stackroom::search::{
    Counting, CountingOrder, FacetsDraft, SearchIndex, SearchManifest, SearchPart, Selection,
    Source,
};
use stackroom::segment::{Blocks, SegmentWriter, Stop};

use crate::support::is_deep;

const LANGUAGES: u64 = 40;
const EXTENSIONS: [&str; 6] = ["epub", "pdf", "mobi", "djvu", "txt", "doc"];

/// The queries that the two million of another engine were asked.
const QUERIES: [&str; 9] = [
    "{author==\"tolkien\"}",
    "{author==\"tolkien\", language==\"English\"}",
    "{author==\"tolkien\", language==\"English\", ext==\"pdf\"}",
    "{author==\"tolkien\", language==\"English\", ext==\"pdf\", title=~\".*[sS]ilmarillion.*\"}",
    "{author==\"tolstoy\", title=~\"A[n]?na.*\"}",
    "{author=~\"[tT]olkien\"}",
    "{title=~\"Anna Kar\u{e9}nine\"}",
    "{title==\"Anna Kar\u{e9}nine\"}",
    "label_values({author==\"tolkien\"}, \"language\")",
];

/// A number that looks random, for each record and use.
fn mixed(row: u64, what: u64) -> u64 {
    let mut mixed =
        row.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ what.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^= mixed >> 31;
    mixed = mixed.wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 29
}

/// A rank below `count`, as Zipf has them: the first is met most, and as often all those up to twice a rank.
fn rank(row: u64, what: u64, count: u64) -> u64 {
    let octave = mixed(row, what) % u64::from(count.ilog2() + 1);
    let first = 1u64 << octave;
    (first + mixed(row, what + 100) % first).min(count) - 1
}

fn labels(row: u64) -> [(&'static str, String); 4] {
    let author = match rank(row, 1, 100_000) {
        130 => "tolkien".to_owned(),
        60_000 => "Tolkien".to_owned(),
        200 => "tolstoy".to_owned(),
        rank => format!("author {rank:x}"),
    };
    let title = mixed(row, 2) % 1_000_000;
    let title = match title % 997 {
        0 if author == "tolstoy" || title.is_multiple_of(7) => {
            format!("Anna Kar\u{e9}nina, part {title}")
        }
        1 if title.is_multiple_of(11) => "Anna Kar\u{e9}nine".to_owned(),
        2 => format!("Ana and the {title}"),
        3 => format!("The Silmarillion {title}"),
        4 => format!("of the silmarillion {title}"),
        _ => format!("{:x} on the matter of {title}", mixed(title, 9) >> 44),
    };
    // Those of one author are spread by the rarer ones, so that each query finds some.
    let title = match (author.as_str(), mixed(row, 5) % 20) {
        ("tolkien", 0) => "The Silmarillion".to_owned(),
        ("tolstoy", 0) => format!("Anna Kar\u{e9}nine {}", mixed(row, 6) % 9),
        ("tolstoy", 1) => "Ana".to_owned(),
        _ => title,
    };
    let language = match rank(row, 3, LANGUAGES) {
        0 => "English".to_owned(),
        rank => format!("language {rank}"),
    };
    let at = usize::try_from(rank(row, 4, EXTENSIONS.len() as u64)).unwrap_or(0);
    let extension = EXTENSIONS[at].to_owned();
    [
        ("author", author),
        ("title", title),
        ("language", language),
        ("ext", extension),
    ]
}

/// Files on the disk, so that what is in memory is what a query needs.
struct Disk {
    files: BTreeMap<u32, File>,
    blocks: Blocks,
}

impl Disk {
    fn file(&mut self, number: u32) -> &mut File {
        self.files.entry(number).or_insert_with(|| {
            // A program in WASM has neither a number nor a folder of its own.
            let part = if cfg!(target_family = "wasm") {
                0
            } else {
                std::process::id()
            };
            let folder = std::env::var_os("STACKROOM_TEST_FOLDER");
            let folder = folder.map_or_else(std::env::temp_dir, PathBuf::from);
            let path = folder.join(format!("stackroom-labels-{part}-{number}"));
            let mut options = File::options();
            let file = options
                .read(true)
                .write(true)
                .create(true)
                .truncate(true)
                .open(&path);
            // The file goes with the test.
            let _ = std::fs::remove_file(&path);
            file.expect("a file")
        })
    }

    fn run<T>(&mut self, mut operation: impl FnMut(&mut Blocks) -> Result<T, Stop>) -> T {
        loop {
            match operation(&mut self.blocks) {
                Ok(outcome) => return outcome,
                Err(Stop::Missing(span)) => {
                    let mut bytes = vec![0; span.length as usize];
                    let file = self.file(span.file);
                    file.seek(SeekFrom::Start(span.offset)).expect("a place");
                    file.read_exact(&mut bytes).expect("bytes");
                    self.blocks.provide(span, &bytes);
                }
                Err(Stop::Damaged(span)) => panic!("{span:?} is damaged"),
            }
        }
    }
}

/// Gathers all records into segments, and makes one of them.
fn keep(records: u64, disk: &mut Disk) -> Vec<u8> {
    let mut manifest = SearchManifest::default();
    let mut draft = FacetsDraft::default();
    for row in 0..records {
        for (field, value) in labels(row) {
            let row = u32::try_from(row).expect("a row");
            assert!(draft.add(row, field, value.as_bytes()));
        }
        if draft.bytes() < 24 << 20 && row + 1 < records {
            continue;
        }
        let mut writer = SegmentWriter::new(row);
        draft.write(&mut writer);
        let bytes = writer.finish();
        let file = u32::try_from(manifest.parts.len()).expect("a file");
        disk.file(file).write_all(&bytes).expect("room");
        manifest.parts.push(SearchPart {
            file,
            bytes: bytes.len() as u64,
            end: row + 1,
            ..SearchPart::default()
        });
    }
    let mut search = disk.run(|blocks| SearchIndex::open(&manifest, blocks));
    let file = u32::try_from(manifest.parts.len()).expect("a file");
    if search.begin_merge(7, true) {
        let mut length = 0;
        loop {
            let is_over = disk.run(|blocks| search.merge(blocks));
            let bytes = search.take_merged();
            length += bytes.len() as u64;
            disk.file(file).write_all(&bytes).expect("room");
            if is_over && search.waiting() == 0 {
                break;
            }
        }
        disk.run(|blocks| search.end_merge(file, length, blocks));
    }
    search.manifest().to_bytes()
}

/// Rows of a query: conditions one after the other, what costs least first, each among the rows that are left.
fn rows_of(node: &Node, search: &SearchIndex, disk: &mut Disk) -> RoaringBitmap {
    let leaves = match node {
        Node::And(leaves) => leaves.as_slice(),
        leaf => std::slice::from_ref(leaf),
    };
    let index = Index::new();
    let source = Source {
        search,
        index: &index,
        documents: None,
    };
    let mut selections = Vec::new();
    for leaf in leaves {
        let Node::Leaf(leaf) = leaf else {
            panic!("{leaf:?} is no condition");
        };
        let mut selection = Selection::of(leaf).expect("a condition");
        disk.run(|blocks| selection.weigh(&source, blocks));
        selections.push(selection);
    }
    selections.sort_by_key(Selection::cost);
    let mut within: Option<RoaringBitmap> = None;
    for mut selection in selections {
        while !disk.run(|blocks| selection.step(&source, within.as_ref(), blocks)) {}
        within = Some(selection.rows().clone());
    }
    within.unwrap_or_default()
}

/// How many records a query finds, or values.
fn answer(query: &str, search: &SearchIndex, disk: &mut Disk) -> u64 {
    match parse_request(query).expect("a query") {
        Request::Records(node) => rows_of(&node, search, disk).len(),
        Request::Values { of, column } => {
            let rows = rows_of(&of, search, disk);
            let order = CountingOrder::ByValue { after: None };
            let mut counting = Counting::new(&column, b"", order, 100_000).within(rows);
            let index = Index::new();
            let source = Source {
                search,
                index: &index,
                documents: None,
            };
            while !disk.run(|blocks| counting.step(&source.facets(), None, blocks)) {}
            counting.take().len() as u64
        }
    }
}

/// The same by looking at every record.
fn scanned(records: u64) -> [u64; 9] {
    let mut counts = [0; 9];
    let mut languages = std::collections::BTreeSet::new();
    for row in 0..records {
        let [(_, author), (_, title), (_, language), (_, extension)] = labels(row);
        let is_tolkien = author == "tolkien";
        let (is_english, is_pdf) = (language == "English", extension == "pdf");
        let is_silmarillion = title.contains("Silmarillion") || title.contains("silmarillion");
        let begins = title.starts_with("Ana") || title.starts_with("Anna");
        let is_anna = title == "Anna Kar\u{e9}nine";
        let holds = [
            is_tolkien,
            is_tolkien && is_english,
            is_tolkien && is_english && is_pdf,
            is_tolkien && is_english && is_pdf && is_silmarillion,
            author == "tolstoy" && begins,
            is_tolkien || author == "Tolkien",
            is_anna,
            is_anna,
            false,
        ];
        for (count, holds) in counts.iter_mut().zip(holds) {
            *count += u64::from(holds);
        }
        if is_tolkien {
            languages.insert(language);
        }
    }
    counts[8] = languages.len() as u64;
    counts
}

/// The most memory that this process has had, in MiB, where the system tells. That of a program in WASM never shrinks.
#[cfg(target_family = "wasm")]
fn most_memory() -> Option<u64> {
    Some(core::arch::wasm32::memory_size(0) as u64 / 16)
}

#[cfg(not(target_family = "wasm"))]
fn most_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib / 1024)
}

#[test]
fn queries_of_labels_find_what_a_scan_finds() {
    let records = if is_deep() { 2_000_000 } else { 60_000 };
    let mut disk = Disk {
        files: BTreeMap::new(),
        blocks: Blocks::new(8 << 20),
    };
    let start = Instant::now();
    let manifest = keep(records, &mut disk);
    let manifest = SearchManifest::read(&manifest).expect("a manifest");
    println!("{records} records kept in {:?}", start.elapsed());
    // Opened anew, with nothing in memory.
    disk.blocks = Blocks::new(32 << 20);
    let start = Instant::now();
    let search = disk.run(|blocks| SearchIndex::open(&manifest, blocks));
    println!(
        "opened again in {:?}, {} bytes on the disk",
        start.elapsed(),
        search.bytes()
    );
    let expected = scanned(records);
    for (query, expected) in QUERIES.iter().zip(expected) {
        let start = Instant::now();
        let found = answer(query, &search, &mut disk);
        let first = start.elapsed();
        assert_eq!(found, expected, "{query}");
        let again = (0..if is_deep() { 20 } else { 1 }).map(|_| {
            let start = Instant::now();
            assert_eq!(answer(query, &search, &mut disk), expected);
            start.elapsed()
        });
        let best = again.min().unwrap_or_default();
        println!("{found:>8} found, first {first:>10.1?}, again {best:>10.1?}: {query}");
    }
    assert!(expected.iter().take(2).all(|count| *count > 0));
    if let Some(most) = most_memory() {
        println!("{most} MiB of memory at most");
        assert!(!is_deep() || most <= 819, "{most} MiB");
    }
}
