//! Look-ups in capture indexes: the answers of pywb's index server to 130 queries, ZipNum clusters, searches
//! that read little, indexes that are not sorted, every cut and every flipped byte.

mod support;

use std::collections::HashMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use serde_json::Value;
use stackroom::cdx::{Index, Lookup, Query, Turn};
use stackroom::error::Error;
use support::{corpus, gzip};

/// Files by name.
#[derive(Default)]
struct Shelf {
    files: HashMap<String, Vec<u8>>,
    reads: usize,
    bytes: usize,
}

/// What a look-up gave.
#[derive(Debug, PartialEq)]
struct Answer {
    lines: Vec<String>,
    damages: Vec<&'static str>,
}

impl Shelf {
    fn of(name: &str, bytes: &[u8]) -> Shelf {
        let mut shelf = Shelf::default();
        shelf.files.insert(name.into(), bytes.to_vec());
        shelf
    }

    fn with(mut self, name: &str, bytes: &[u8]) -> Shelf {
        self.files.insert(name.into(), bytes.to_vec());
        self
    }

    /// Looks up as a host does, which gets no more than `window` bytes at once if it asks for them.
    fn look_up(
        &mut self,
        names: &[&str],
        options: &[(&str, &str)],
        window: usize,
    ) -> Result<Answer, Error> {
        let indexes = names.iter().map(|name| Index {
            size: self.files[*name].len() as u64,
            places: self
                .files
                .get(&name.replace(".idx", ".loc"))
                .filter(|_| name.ends_with(".idx"))
                .cloned(),
        });
        let mut lookup = Lookup::new(Query::parse(options.iter().copied())?, indexes.collect());
        let mut answer = Answer {
            lines: Vec::new(),
            damages: Vec::new(),
        };
        let mut out = Vec::new();
        for turn in 0.. {
            assert!(turn < 2_000_000, "a look-up that does not end");
            match lookup.turn()? {
                Turn::Ended => break,
                Turn::Take => out.extend(lookup.take()),
                Turn::Read(at, need) => {
                    let own = vec![names[at].to_owned()];
                    let paths = need.paths.unwrap_or(own);
                    let Some(file) = paths.iter().find_map(|path| self.files.get(path)) else {
                        lookup.absent("there is no such file");
                        continue;
                    };
                    let from = usize::try_from(need.offset)
                        .unwrap_or(usize::MAX)
                        .min(file.len());
                    let to = from.saturating_add(need.bytes.min(window)).min(file.len());
                    self.reads += 1;
                    self.bytes += to - from;
                    lookup.give(&file[from..to])?;
                }
            }
        }
        out.extend(lookup.take());
        answer.lines = String::from_utf8_lossy(&out)
            .lines()
            .map(str::to_owned)
            .collect();
        answer.damages = lookup
            .take_damages()
            .iter()
            .map(|damage| damage.code)
            .collect();
        Ok(answer)
    }

    fn lines(&mut self, name: &str, options: &[(&str, &str)]) -> Vec<String> {
        let answer = self
            .look_up(&[name], options, usize::MAX)
            .expect("an answer");
        assert_eq!(answer.damages, [""; 0], "{options:?}");
        answer.lines
    }
}

fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// The options of a query as the vectors name them.
fn options(query: &Value) -> Vec<(String, String)> {
    let members = query.as_object().expect("a query");
    let mut options = Vec::new();
    for (name, value) in members {
        match value.as_array() {
            Some(values) => options.extend(values.iter().map(|value| (name.clone(), text(value)))),
            None => options.push((name.clone(), text(value))),
        }
    }
    options
}

fn shelf_of(corpus: &Path) -> Shelf {
    let mut shelf = Shelf::default();
    for entry in fs::read_dir(corpus.join("files/pywb"))
        .expect("files")
        .flatten()
    {
        let name = entry.file_name().to_string_lossy().into_owned();
        if [".cdx", ".cdxj", ".idx", ".loc", ".cdx.gz"]
            .iter()
            .any(|ending| name.ends_with(ending))
        {
            shelf
                .files
                .insert(name, fs::read(entry.path()).expect("file"));
        }
    }
    shelf
}

#[test]
fn all_queries_of_the_corpus_have_their_answers() {
    let Some(corpus) = corpus() else { return };
    let table = fs::read_to_string(corpus.join("files/cdx-queries.jsonl")).expect("queries");
    let mut shelf = shelf_of(&corpus);
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in table.lines() {
        let case: Value = serde_json::from_str(line).expect("JSON");
        let sources: Vec<String> = case["sources"]
            .as_array()
            .expect("sources")
            .iter()
            .map(text)
            .collect();
        let names: Vec<&str> = sources
            .iter()
            .map(|name| name.trim_start_matches("pywb/"))
            .collect();
        let options = options(&case["query"]);
        let pairs: Vec<(&str, &str)> = options
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        let answer = shelf.look_up(&names, &pairs, usize::MAX);
        let expected: Option<Vec<String>> = case["expect"]
            .as_array()
            .map(|rows| rows.iter().map(text).collect());
        count += 1;
        let is_right = match (&answer, &expected) {
            (Ok(answer), Some(expected)) => answer.lines == *expected && answer.damages.is_empty(),
            (Err(_), None) => true,
            _ => false,
        };
        if !is_right {
            wrong.push(format!(
                "{} {}: {answer:#?}\n expected {expected:#?}",
                case["id"], case["query"]
            ));
        }
    }
    println!("{count} queries");
    assert!(
        wrong.is_empty(),
        "{} wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(count >= 130);
}

/// Keys of indexes that others made: a look-up of the URL finds the row with that key.
#[test]
fn urls_are_found_by_the_keys_of_other_indexes() {
    let Some(corpus) = corpus() else { return };
    let table = fs::read_to_string(corpus.join("files/vectors-urlkeys.tsv")).expect("vectors");
    let mut count = 0;
    for line in table.lines().skip(1) {
        let row: Vec<&str> = line.split('\t').collect();
        let &[function, url, key, options, ..] = row.as_slice() else {
            continue;
        };
        let is_comparable = function == "surt" && options.is_empty()
            || [
                "warcio.js:getSurt",
                "WaybackURLKeyMaker",
                "urlcanon:surt:defaultIASurt",
            ]
            .contains(&function)
            || function.starts_with("cdx:");
        // Old tools split on this one; `dns:host` unchanged is ours. A look-up needs a URL.
        let is_fork = function == "WaybackURLKeyMaker" && url.starts_with("dns:");
        if !is_comparable || is_fork || url.trim().is_empty() {
            continue;
        }
        let index = format!(
            "a,a)/ 20200101000000 {{\"url\": \"x\"}}\n{key} 20200101000000 {{\"mime\": \"found\"}}\n"
        );
        let found = Shelf::of("x.cdxj", index.as_bytes()).lines(
            "x.cdxj",
            &[("url", url), ("match", "exact"), ("fields", "mime")],
        );
        assert_eq!(found, ["found"], "{function} {url}");
        count += 1;
    }
    println!("{count} keys");
    assert!(count > 55, "only {count} keys");
}

/// A sorted index of `count` rows with three captures of each URL.
fn long_index(count: u32) -> String {
    let mut text = String::from(" CDX N b a m s k r M S V g\n");
    for n in 0..count {
        let (url, second) = (n / 3, n % 3);
        let _ = writeln!(
            text,
            "com,example)/{url:08} 2020010100000{second} http://example.com/{url:08} text/html 200 ABC - - 99 {n} x.warc.gz"
        );
    }
    text
}

#[test]
fn a_search_reads_little_of_a_sorted_index() {
    let text = long_index(300_000);
    let mut shelf = Shelf::of("x.cdx", text.as_bytes());
    for url in [0, 1, 2, 49_999, 77_777, 99_998, 99_999] {
        (shelf.reads, shelf.bytes) = (0, 0);
        let found = shelf.lines("x.cdx", &[("url", &format!("http://example.com/{url:08}"))]);
        assert_eq!(found.len(), 3, "{url}");
        assert!(found[0].contains(&format!("/{url:08} ")));
        assert!(
            shelf.reads <= 16 && shelf.bytes <= 300_000,
            "{} reads, {} bytes",
            shelf.reads,
            shelf.bytes
        );
    }
    let none = shelf.lines("x.cdx", &[("url", "http://example.com/zzz")]);
    assert_eq!(none, [""; 0]);
    let (first, last) = (text.lines().nth(1), text.lines().last());
    let all = shelf.lines("x.cdx", &[("url", "*.example.com")]);
    assert_eq!(
        (
            all.len(),
            all.first().map(|line| &line[..]),
            all.last().map(|line| &line[..])
        ),
        (300_000, first, last)
    );
    shelf.bytes = 0;
    assert_eq!(
        shelf
            .lines("x.cdx", &[("url", "example.com*"), ("limit", "5")])
            .len(),
        5
    );
    assert!(shelf.bytes < 1 << 18, "{} bytes for five rows", shelf.bytes);
    let reversed = shelf.lines(
        "x.cdx",
        &[("url", "example.com*"), ("limit", "2"), ("reverse", "")],
    );
    assert_eq!(reversed[0], last.expect("line"));
    let last_two = shelf.lines("x.cdx", &[("url", "example.com*"), ("limit", "-2")]);
    assert_eq!(last_two[1], last.expect("line"));
}

/// A ZipNum cluster of either kind.
fn cluster(text: &str, lines: usize, has_newlines: bool, is_json: bool) -> Shelf {
    let rows: Vec<&str> = text.lines().filter(|line| !line.starts_with(' ')).collect();
    let (mut blocks, mut index) = (Vec::new(), String::new());
    if is_json {
        index.push_str("!meta 0 {\"format\": \"cdxj-gzip-1.0\", \"filename\": \"x.cdx.gz\"}\n");
    }
    for (at, rows) in rows.chunks(lines).enumerate() {
        let mut block = rows.join("\n");
        if has_newlines {
            block.push('\n');
        }
        let (offset, block) = (blocks.len(), gzip(block.as_bytes()));
        let first: Vec<&str> = rows[0].splitn(3, ' ').collect();
        let (key, time, length) = (first[0], first[1], block.len());
        let _ = match is_json {
            true => writeln!(
                index,
                "{key} {time} {{\"offset\": {offset}, \"length\": {length}}}"
            ),
            false => writeln!(index, "{key} {time}\tx\t{offset}\t{length}\t{}", at + 1),
        };
        blocks.extend(block);
    }
    let shelf = Shelf::of("x.idx", index.as_bytes()).with("x.cdx.gz", &blocks);
    if is_json {
        shelf
    } else {
        shelf.with("x.loc", b"x\tnowhere\tx.cdx.gz\n")
    }
}

#[test]
fn a_cluster_answers_as_its_text_does() {
    let text = long_index(6_000);
    let mut plain = Shelf::of("x.cdx", text.as_bytes());
    let queries: Vec<Vec<(&str, &str)>> = vec![
        vec![("url", "http://example.com/00000000")],
        vec![("url", "http://example.com/00001234")],
        vec![("url", "http://example.com/00001999")],
        vec![("url", "http://example.com/none")],
        vec![("url", "http://example.com/0000012*")],
        vec![
            ("url", "http://example.com/"),
            ("match", "host"),
            ("closest", "20200101000001"),
            ("limit", "7"),
        ],
        vec![
            ("url", "*.example.com"),
            ("sort", "reverse"),
            ("limit", "3"),
            ("fields", "url,offset"),
        ],
        vec![
            ("url", "*.com"),
            ("from", "20200101000002"),
            ("filter", "~offset:.*7$"),
            ("output", "json"),
        ],
    ];
    for (has_newlines, is_json) in [(true, true), (false, true), (true, false), (false, false)] {
        let mut shelf = cluster(&text, 50, has_newlines, is_json);
        for query in &queries {
            assert_eq!(
                shelf.lines("x.idx", query),
                plain.lines("x.cdx", query),
                "{query:?}"
            );
        }
        let mut pages = Vec::new();
        for page in ["0", "1", "2"] {
            pages.extend(
                shelf
                    .lines(
                        "x.idx",
                        &[("url", "*.com"), ("pageSize", "40"), ("page", page)],
                    )
                    .into_iter()
                    .map(|line| line.len()),
            );
        }
        assert_eq!(pages.len(), 6_000);
        let beyond = shelf.look_up(
            &["x.idx"],
            &[("url", "*.com"), ("pageSize", "40"), ("page", "3")],
            usize::MAX,
        );
        assert!(beyond.is_err_and(|error| error.message == "page: expected 0 to 2, found \"3\""));
        let count = shelf.lines(
            "x.idx",
            &[
                ("url", "*.com"),
                ("pageSize", "40"),
                ("showNumPages", "true"),
            ],
        );
        assert_eq!(count, ["{\"blocks\": 120, \"pages\": 3, \"pageSize\": 40}"]);
    }
}

#[test]
fn indexes_that_are_not_sorted_are_read_whole() {
    let sorted = long_index(6_000);
    let mut lines: Vec<&str> = sorted.lines().collect();
    let header = lines.remove(0);
    lines.reverse();
    let reversed = [header, &lines.join("\n")].join("\n");
    let mut plain = Shelf::of("x.cdx", sorted.as_bytes());
    let mut shelf =
        Shelf::of("x.cdx", reversed.as_bytes()).with("x.cdx.gz", &gzip(reversed.as_bytes()));
    for query in [
        vec![("url", "http://example.com/00001234")],
        vec![
            ("url", "http://example.com/0000012*"),
            ("filter", "=offset:365"),
        ],
    ] {
        let expected = plain.lines("x.cdx", &query);
        assert!(!expected.is_empty());
        assert_eq!(shelf.lines("x.cdx", &query), expected);
        assert_eq!(shelf.lines("x.cdx.gz", &query), expected);
    }
}

#[test]
fn keys_that_are_no_surt_are_made_of_the_urls() {
    let text = " CDX N b a m s k r M S V g\n\
        example.com/?b=1 20140103030341 http://example.com/?b=1 text/html 200 ABC - - 5 9 x.warc\n\
        www.iana.org/domains/example 20140128051539 http://www.iana.org/domains/example text/html 302 JZ - - 577 2907 x.warc\n\
        example.com/ 20150103030341 http://example.com/ text/html 200 ABC - - 5 9 x.warc\n";
    let mut shelf = Shelf::of("x.cdx", text.as_bytes());
    assert_eq!(
        shelf
            .lines("x.cdx", &[("url", "http://iana.org/domains/*")])
            .len(),
        1
    );
    let both = shelf.lines("x.cdx", &[("url", "*.example.com"), ("fields", "url")]);
    assert_eq!(both, ["http://example.com/", "http://example.com/?b=1"]);
}

#[test]
fn several_indexes_are_one() {
    let mut shelf = Shelf::of("a.cdx", b"b,a)/ 20200101000000 http://a.b/ text/html 200 AAA - - 5 9 x.warc\n")
        .with("b.cdxj", b"b,a)/ 20190101000000 {\"url\": \"http://a.b/\", \"mime\": \"text/html\", \"status\": \"200\", \"digest\": \"BBB\", \"length\": \"7\", \"offset\": \"3\", \"filename\": \"y.warc\"}\n\
                       b,a)/ 20210101000000 {\"url\": \"http://a.b/\", \"mime\": \"warc/revisit\", \"digest\": \"AAA\"}\n");
    let query = [
        ("url", "http://a.b/"),
        ("resolveRevisits", "true"),
        ("fields", "timestamp,status,orig.filename,nothing"),
    ];
    let answer = shelf
        .look_up(&["a.cdx", "b.cdxj"], &query, usize::MAX)
        .expect("answer");
    assert_eq!(
        answer.lines,
        [
            "20190101000000 200 - -",
            "20200101000000 200 - -",
            "20210101000000 200 x.warc -"
        ]
    );
    let newest = shelf.look_up(
        &["a.cdx", "b.cdxj"],
        &[("url", "a.b"), ("collapse", "urlkey"), ("closest", "2022")],
        usize::MAX,
    );
    assert_eq!(newest.expect("answer").lines.len(), 1);
}

#[test]
fn a_block_that_is_not_there_is_damage_and_the_others_are_read() {
    let text = long_index(300);
    let mut shelf = cluster(&text, 50, true, false);
    let index = String::from_utf8_lossy(&shelf.files["x.idx"]).replacen("\tx\t", "\tgone\t", 1);
    shelf.files.insert("x.idx".into(), index.into_bytes());
    let answer = shelf
        .look_up(&["x.idx"], &[("url", "*.com")], usize::MAX)
        .expect("answer");
    assert_eq!(
        (answer.lines.len(), answer.damages),
        (250, vec!["cdx/bad-block"])
    );
}

#[test]
fn what_is_no_index_is_refused() {
    let mut shelf = Shelf::of("x", b"WARC/1.0\r\nWARC-Type: resource\r\n\r\n").with("empty", b"");
    let error = shelf
        .look_up(&["x"], &[("url", "a.b")], usize::MAX)
        .expect_err("no index");
    assert_eq!(error.code, "lookup/not-an-index");
    assert_eq!(shelf.lines("empty", &[("url", "a.b")]), [""; 0]);
}

/// However the host reads, the answer is the same; whatever is cut or flipped, there is one.
#[test]
fn every_window_cut_and_flipped_byte_ends_in_an_answer() {
    let text = long_index(12);
    let query = [
        ("url", "*.example.com"),
        ("resolveRevisits", "true"),
        ("closest", "2020"),
    ];
    let mut shelves = vec![
        (Shelf::of("x.cdx", text.as_bytes()), "x.cdx"),
        (Shelf::of("x.cdx.gz", &gzip(text.as_bytes())), "x.cdx.gz"),
    ];
    for (has_newlines, is_json) in [(true, true), (false, false)] {
        shelves.push((cluster(&text, 5, has_newlines, is_json), "x.idx"));
    }
    for (shelf, name) in &mut shelves {
        let whole = shelf.look_up(&[name], &query, usize::MAX).expect("answer");
        assert_eq!(whole.lines.len(), 12);
        // The head of an index is looked at whole: a host that gives less than asked for says that it ends.
        let names: Vec<String> = shelf.files.keys().cloned().collect();
        for file in names {
            let bytes = shelf.files[&file].clone();
            for cut in 0..bytes.len() {
                shelf.files.insert(file.clone(), bytes[..cut].to_vec());
                let _ = shelf.look_up(&[name], &query, usize::MAX);
            }
            for at in 0..bytes.len() {
                for mask in [0x01, 0x20, 0xff] {
                    let mut damaged = bytes.clone();
                    damaged[at] ^= mask;
                    shelf.files.insert(file.clone(), damaged);
                    let _ = shelf.look_up(&[name], &query, usize::MAX);
                }
            }
            shelf.files.insert(file, bytes);
        }
    }
}

#[test]
fn a_block_that_unpacks_to_very_much_ends() {
    let bomb = gzip(&vec![b'x'; 32 << 20]);
    let index = format!("a,b)/ 2020\tx\t0\t{}\t1\n", bomb.len());
    let mut shelf = Shelf::of("x.idx", index.as_bytes()).with("x", &bomb);
    let answer = shelf
        .look_up(&["x.idx"], &[("url", "*")], usize::MAX)
        .expect("answer");
    assert_eq!(
        (answer.lines.len(), answer.damages),
        (0, vec!["cdx/bad-line"])
    );
}
