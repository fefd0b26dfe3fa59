//! Making capture indexes: against those of cdxj-indexer over the corpus, in every form, from every kind of
//! archive, sorted in runs, and read back by look-ups.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;
use stackroom::archive::{detect, parser};
use stackroom::cdx::{Form, Index, IndexWriter, Indexer, Lookup, Query, Turn};
use support::{corpus, gzip, read_all, record, response, small_archive};

/// The sorted lines of an archive.
fn index(name: &str, bytes: &[u8], form: Form) -> Option<String> {
    let format = detect(&bytes[..bytes.len().min(64 << 10)]).ok()?;
    let mut indexer = Indexer::new(form);
    indexer.begin_file(name);
    let mut parser = parser(format, Some(bytes.len() as u64));
    read_all(parser.as_mut(), bytes, 1 << 20, &mut indexer);
    Some(String::from_utf8_lossy(&indexer.take_run()).into_owned())
}

/// Files whose records other readers see otherwise, and why.
const OTHERWISE: [(&str, &str); 7] = [
    ("missing_content", "a record without a URL"),
    (
        "warcheaderfieldpolicy-11",
        "a file that ends in its first record",
    ),
    (
        "warcheaderfieldpolicy-13",
        "a file that ends in its first record",
    ),
    ("upper-lower-case", "field names and types in capitals"),
    ("example-extra.warc", "an HTTP head of no HTTP version"),
    (
        "alexa_short_header.arc",
        "an HTTP head without a status line",
    ),
    ("bad.arc", "an ARC record that another line ends"),
];

/// Why a line may differ from that of cdxj-indexer 1.5 with `-s -p`.
///
/// It makes the digests that are not stated after it has read the payload away, so all of them are that of
/// nothing; ours are of the payload. It stops where it cannot read on, or where a response has no URL.
fn explanation(ours: &Value, golden: &Value) -> Option<&'static str> {
    const OF_NOTHING: &str = "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ";
    let mut same = golden.clone();
    if golden["digest"] == OF_NOTHING {
        same["digest"] = ours["digest"].clone();
        if same == *ours {
            return Some("digest that is not stated");
        }
    }
    None
}

fn otherwise(name: &str) -> Option<&'static str> {
    OTHERWISE
        .iter()
        .find(|(part, _)| name.contains(part))
        .map(|(_, why)| *why)
}

fn split(line: &str) -> (String, Value) {
    let mut at = 0;
    while let Some(found) = line[at..].find(" {") {
        at += found + 1;
        if let Ok(value) = serde_json::from_str(&line[at..]) {
            return (line[..at].to_owned(), value);
        }
    }
    panic!("no CDXJ: {line}");
}

#[test]
fn indexes_are_those_of_another_indexer() {
    let Some(corpus) = corpus() else { return };
    let mut told: BTreeMap<String, usize> = BTreeMap::new();
    let (mut same, mut lines) = (0, 0);
    let mut wrong = Vec::new();
    let mut paths: Vec<_> = fs::read_dir(corpus.join("golden/cdxj"))
        .expect("golden")
        .flatten()
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    for path in paths
        .iter()
        .filter(|path| path.extension().is_some_and(|it| it == "cdxj"))
    {
        let name = path
            .file_stem()
            .expect("name")
            .to_string_lossy()
            .into_owned();
        let Some((origin, file)) = name.split_once("__") else {
            continue;
        };
        let stopped =
            fs::read_to_string(path.with_extension("err")).is_ok_and(|text| text.contains("rc="));
        let Ok(bytes) = fs::read(corpus.join("files").join(origin).join(file)) else {
            *told.entry("files inside a WACZ".into()).or_default() += 1;
            continue;
        };
        let Some(ours) = index(file, &bytes, Form::Cdxj) else {
            *told
                .entry(format!(
                    "not read: {}",
                    file.rsplit('.').next().unwrap_or_default()
                ))
                .or_default() += 1;
            continue;
        };
        let golden = fs::read_to_string(path).expect("golden");
        lines += golden.lines().count();
        let ours: BTreeSet<&str> = ours.lines().collect();
        let golden: BTreeSet<&str> = golden.lines().collect();
        same += golden.intersection(&ours).count();
        let place = |line: &str| {
            let (key, value) = split(line);
            ((key, value["offset"].to_string()), value)
        };
        let rest: BTreeMap<_, _> = ours.difference(&golden).map(|line| place(line)).collect();
        let mut met = BTreeSet::new();
        for line in golden.difference(&ours) {
            let (at, value) = place(line);
            let why = rest.get(&at).and_then(|ours| explanation(ours, &value));
            let why = why.or(otherwise(&name));
            match why {
                Some(why) => *told.entry(why.into()).or_default() += 1,
                None => wrong.push(format!(
                    "{name}\n  golden {line}\n  ours   {:?}",
                    rest.get(&at)
                )),
            }
            met.insert(at);
        }
        let more = rest.keys().filter(|at| !met.contains(at)).count();
        if more > 0
            && let Some(why) = otherwise(&name)
        {
            *told.entry(why.into()).or_default() += more;
        } else if more > 0 && stopped {
            *told
                .entry("lines after where it stopped".into())
                .or_default() += more;
        } else if more > 0 {
            wrong.push(format!(
                "{name}: {more} more lines {:?}",
                rest.keys().find(|at| !met.contains(at))
            ));
        }
    }
    println!("{same} of {lines} lines are the same; {told:#?}");
    assert!(
        wrong.is_empty(),
        "{} differ\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(same > 700, "only {same} lines");
}

fn posted(body: &str) -> Vec<u8> {
    format!(
        "POST /p HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

#[test]
fn a_posted_body_is_part_of_the_key() {
    let archive: Vec<u8> = [
        record("response", "http://a.test/p", &response("one")),
        record("request", "http://a.test/p", &posted("x=1%20&y=B")),
        record("request", "http://a.test/p?q", &posted("x=2")),
        record("response", "http://a.test/p?q", &response("two")),
        record("response", "http://a.test/p", &response("three")),
    ]
    .concat();
    let lines = index("x.warc", &archive, Form::Cdxj).expect("index");
    let keys: Vec<&str> = lines
        .lines()
        .map(|line| line.split(" 2024").next().unwrap_or_default())
        .collect();
    assert_eq!(
        keys,
        [
            "test,a)/p",
            "test,a)/p?__wb_method=post&q&x=2",
            "test,a)/p?__wb_method=post&x=1%20&y=b"
        ]
    );
    assert!(
        lines.contains(r#""requestBody": "x=1 &y=B", "method": "POST"}"#),
        "{lines}"
    );
}

#[test]
fn every_form_says_the_same() {
    let archive = small_archive().concat();
    let json = index("dir/x.warc", &archive, Form::Cdxj).expect("index");
    assert_eq!(json.lines().count(), 3);
    let first = json.lines().next().expect("line");
    assert!(
        first.starts_with(r#"test,a)/ 20240506070809 {"url": "http://a.test/", "mime": "text/html", "status": "200", "digest": "sha1:"#),
        "{first}"
    );
    assert!(first.ends_with(r#""filename": "x.warc"}"#), "{first}");
    let columns = index("x.warc", &archive, Form::Cdx11).expect("index");
    let row: Vec<&str> = columns.lines().next().expect("line").split(' ').collect();
    assert_eq!(
        (row.len(), row[2], row[4], row[6]),
        (11, "http://a.test/", "200", "-")
    );
    assert_eq!(row[5].len(), 32);
    // An index is an archive too: made into another form, it says the same of where the records are.
    let again = index("y.cdx", columns.as_bytes(), Form::Cdxj).expect("index");
    assert!(again.contains(r#""filename": "x.warc""#), "{again}");
    assert_eq!(
        index("y.cdxj", again.as_bytes(), Form::Cdx11).as_deref(),
        Some(&columns[..])
    );
}

/// Reads files of memory as a host does.
fn look_up(query: Query, files: &[&[u8]], parts: &[(&str, &[u8])]) -> String {
    let indexes = files.iter().map(|file| Index {
        size: file.len() as u64,
        places: None,
    });
    let mut lookup = Lookup::new(query, indexes.collect());
    let mut out = Vec::new();
    loop {
        match lookup.turn().expect("turn") {
            Turn::Ended => break,
            Turn::Take => out.extend(lookup.take()),
            Turn::Read(at, need) => {
                let named = need
                    .paths
                    .iter()
                    .flatten()
                    .find_map(|path| parts.iter().find(|(name, _)| name == path));
                let file = named.map_or(files[at], |(_, bytes)| bytes);
                let from = usize::try_from(need.offset)
                    .expect("offset")
                    .min(file.len());
                let to = (from + need.bytes).min(file.len());
                lookup.give(&file[from..to]).expect("give");
            }
        }
    }
    out.extend(lookup.take());
    assert_eq!(lookup.take_damages(), []);
    String::from_utf8(out).expect("text")
}

#[test]
fn runs_are_merged_and_written_as_text_or_cluster() {
    let archives: Vec<Vec<u8>> = (0..3)
        .map(|n| {
            let urls = (0..3_000).map(|page| format!("http://a.test/{}", page * 7 % 3_001 + n));
            urls.flat_map(|url| record("resource", &url, b"x"))
                .collect()
        })
        .collect();
    let runs: Vec<String> = archives
        .iter()
        .map(|archive| index("x.warc", archive, Form::Cdxj).expect("run"))
        .collect();
    let files: Vec<&[u8]> = runs.iter().map(String::as_bytes).collect();
    let merged = look_up(Query::all(), &files, &[]);
    let mut expected: Vec<&str> = runs.iter().flat_map(|run| run.lines()).collect();
    expected.sort_unstable();
    assert_eq!(merged.lines().collect::<Vec<_>>(), expected);
    expected.dedup();
    let mut text = IndexWriter::text(Form::Cdx11);
    let mut cluster = IndexWriter::cluster("x");
    for piece in merged.as_bytes().chunks(777) {
        text.push(piece);
        cluster.push(piece);
    }
    text.finish();
    cluster.finish();
    let text = String::from_utf8(text.take()).expect("text");
    assert_eq!(text.lines().skip(1).collect::<Vec<_>>(), expected);
    let (blocks, places) = (cluster.take(), cluster.take_index());
    assert_eq!(
        String::from_utf8_lossy(&places).lines().count(),
        expected.len().div_ceil(3_000)
    );
    let all = Query::parse([("url", "*")]).expect("query");
    let back = look_up(all, &[&places], &[("x.gz", &blocks)]);
    assert_eq!(back.lines().collect::<Vec<_>>(), expected);
    let one = Query::parse([("url", "http://a.test/1500"), ("fields", "url")]).expect("query");
    assert!(look_up(one, &[&places], &[("x.gz", &blocks)]).starts_with("http://a.test/1500\n"));
}

/// Whatever is cut or flipped in an archive, its index is made and can be read.
#[test]
fn archives_that_are_damaged_have_an_index_too() {
    let archive = [
        record("response", "http://a.test/p", &response("one")),
        record("request", "http://a.test/p", &posted("x=1%20&y=B")),
    ]
    .concat();
    for bytes in [archive.clone(), gzip(&archive)] {
        for cut in 0..bytes.len() {
            let _ = index("x", &bytes[..cut], Form::Cdxj);
        }
        for at in 0..bytes.len() {
            for mask in [0x01, 0x80] {
                let mut damaged = bytes.clone();
                damaged[at] ^= mask;
                for form in [Form::Cdxj, Form::Cdx11] {
                    let lines = index("x", &damaged, form).unwrap_or_default();
                    let read = look_up(Query::all(), &[lines.as_bytes()], &[]);
                    assert_eq!(
                        read.lines().count(),
                        lines.lines().count(),
                        "byte {at}: {lines}"
                    );
                }
            }
        }
    }
}
