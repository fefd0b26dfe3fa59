//! The corpus of real and malformed archives against golden answers of independent readers.
//! Runs where the corpus is (`STACKROOM_CORPUS`, or `../shared/corpus` beside the repository).
//!
//! A golden answer is named `ORIGIN__FILE`, or `ORIGIN__FILE!MEMBER` for an archive inside a WACZ or ZIP file.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use stackroom::error::code;
use support::{corpus, inspect, inspect_cut};

/// An archive with the answers of the readers about it.
struct Case {
    /// As the golden answer is named.
    name: String,
    path: PathBuf,
    /// The way to the member that is meant, inside the file.
    member: Vec<String>,
    summary: Value,
    golden: Vec<Value>,
}

impl Case {
    fn is_agreed(&self) -> bool {
        self.summary["agree"] == Value::Bool(true)
    }

    /// Each reader with its count of records; `!` where it stopped with an error.
    fn readers(&self) -> Vec<(String, u64, bool)> {
        let tools = self.summary["tools"].as_object().expect("tools");
        let reader = |(name, facts): (&String, &Value)| {
            let records = facts["records"].as_u64().unwrap_or(0);
            (name.clone(), records, !facts["error"].is_null())
        };
        tools.iter().map(reader).collect()
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(&self.path).expect("corpus file")
    }
}

/// All archives of the corpus.
fn cases(corpus: &Path) -> Vec<Case> {
    let golden = fs::read_dir(corpus.join("golden")).expect("golden answers");
    let mut paths: Vec<_> = golden.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
        .iter()
        .filter_map(|path| {
            let name = path.file_name()?.to_str()?.strip_suffix(".jsonl")?;
            let (origin, file) = name.split_once("__")?;
            let mut way = file.split('!').map(str::to_owned);
            let file = way.next()?;
            let text = fs::read_to_string(path).expect("golden answer");
            let mut lines = text
                .lines()
                .map(|line| serde_json::from_str(line).expect("JSON"));
            Some(Case {
                name: name.to_owned(),
                path: corpus.join("files").join(origin).join(file),
                member: way.collect(),
                summary: lines.next()?,
                golden: lines.collect(),
            })
        })
        .collect()
}

/// The part of a line's place behind the name of the file: in which member it lies, without folders.
fn member(line: &Value) -> Vec<&str> {
    let place = text(line, "file").unwrap_or("");
    let base = |part| Path::new(part).file_name().and_then(|name| name.to_str());
    place
        .split('!')
        .skip(1)
        .map(|part| base(part).unwrap_or(part))
        .collect()
}

fn text<'a>(record: &'a Value, field: &str) -> Option<&'a str> {
    record.get(field).and_then(Value::as_str)
}

/// A field in the form in which the corpus README says to compare it.
fn comparable(record: &Value, field: &str) -> Option<String> {
    let value = record.get(field)?;
    let value = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned);
    let value = match field {
        "mime" => value
            .split(';')
            .next()
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase(),
        "date" => value.chars().take(19).collect(),
        "uri" => value
            .replace("%20", " ")
            .trim_matches(['<', '>'])
            .to_owned(),
        _ => value,
    };
    (!value.is_empty()).then_some(value)
}

const FIELDS: [&str; 15] = [
    "offset",
    "length",
    "type",
    "uri",
    "date",
    "status",
    "mime",
    "content_length",
    "payload_digest",
    "raw_len",
    "raw_sha1",
    "body_len",
    "body_sha1",
    "te",
    "ce",
];

fn differences(golden: &Value, ours: &Value) -> Vec<String> {
    let encoding = text(golden, "ce").unwrap_or("");
    // A build without the decoder hands the body out as it is stored, and says nothing of it.
    let is_undecoded = ours.get("body_len").is_none() && ["br", "zstd"].contains(&encoding);
    let differ = |field: &&&str| {
        let is_passed = is_undecoded && field.starts_with("body");
        !is_passed && comparable(golden, field) != comparable(ours, field)
    };
    let tell = |field: &&str| {
        let (golden, ours) = (golden.get(*field), ours.get(*field));
        format!("{field}: golden {golden:?}, ours {ours:?}")
    };
    FIELDS.iter().filter(differ).map(tell).collect()
}

/// What we tell of a case.
enum Ours {
    /// The format is refused, or the file.
    Refused(stackroom::error::Error),
    Lines {
        records: Vec<Value>,
        damage: BTreeMap<String, usize>,
    },
}

fn ours(case: &Case) -> Ours {
    let lines = match inspect(&case.bytes()) {
        Ok(lines) => lines,
        Err(error) => return Ours::Refused(error),
    };
    let mut damage = BTreeMap::new();
    let mut records = Vec::new();
    for line in lines {
        let is_meant = member(&line) == case.member;
        match text(&line, "damage") {
            Some(code) if is_meant || member(&line).is_empty() => {
                *damage.entry(code.to_owned()).or_default() += 1;
            }
            None if is_meant && line.get("type").is_some() => records.push(line),
            _ => {}
        }
    }
    Ours::Lines { records, damage }
}

/// Records that at least two readers give and we do not, by type and URL.
fn missing<'a>(case: &'a Case, records: &[Value]) -> Vec<&'a Value> {
    // Not every reader gives the URL of an ARC version block.
    let key = |record: &Value| match comparable(record, "type") {
        Some(kind) if kind == "warcinfo" => (kind, None),
        kind => (kind.unwrap_or_default(), comparable(record, "uri")),
    };
    let mut have: BTreeMap<_, usize> = BTreeMap::new();
    for record in records {
        *have.entry(key(record)).or_default() += 1;
    }
    let is_shared = |record: &&Value| {
        let seen = record["seen_by"].as_array();
        seen.is_some_and(|seen| seen.len() >= 2)
    };
    let mut lacks = |record: &&Value| match have.get_mut(&key(record)) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    let shared = case.golden.iter().filter(is_shared);
    shared.filter(|record| lacks(record)).collect()
}

/// One row of the table: what was read, which readers agree, how we compare. And what is wrong with it.
fn judge(case: &Case) -> (String, Vec<String>) {
    let mut faults = Vec::new();
    let mut counts: Vec<u64> = case.readers().iter().map(|reader| reader.1).collect();
    counts.sort_unstable();
    let by_two = counts.iter().rev().nth(1).copied().unwrap_or(0);
    let said = match ours(case) {
        Ours::Refused(error) => {
            if by_two > 0 {
                faults.push(format!("refused: {error}"));
            }
            format!("refused, {}", error.code)
        }
        Ours::Lines { records, damage } => {
            let pairs = case.golden.iter().zip(&records);
            let differ: Vec<String> = pairs
                .enumerate()
                .flat_map(|(at, (golden, ours))| {
                    let told = differences(golden, ours);
                    told.into_iter()
                        .map(move |fault| format!("record {at} {fault}"))
                })
                .collect();
            let damage: Vec<_> = damage
                .iter()
                .map(|(code, count)| format!("{code} x{count}"))
                .collect();
            let said = format!(
                "{} records, {}{}",
                records.len(),
                if differ.is_empty() {
                    "equal".to_owned()
                } else {
                    format!("{} fields differ", differ.len())
                },
                if damage.is_empty() {
                    String::new()
                } else {
                    format!(", {}", damage.join(", "))
                }
            );
            if case.is_agreed() {
                if records.len() != case.golden.len() {
                    faults.push(format!(
                        "{} records, golden {}",
                        records.len(),
                        case.golden.len()
                    ));
                }
                faults.extend(differ);
            } else {
                if (records.len() as u64) < by_two {
                    faults.push(format!("{} records, two readers {by_two}", records.len()));
                }
                let missing = missing(case, &records);
                faults.extend(missing.iter().map(|record| format!("lacks {record}")));
                let in_trouble = case.readers().iter().filter(|reader| reader.2).count();
                if in_trouble >= 2 && damage.is_empty() {
                    faults.push("two readers stop here, and we say nothing".to_owned());
                }
            }
            said
        }
    };
    let readers: Vec<String> = case
        .readers()
        .iter()
        .map(|(name, records, has_error)| {
            format!("{name} {records}{}", if *has_error { "!" } else { "" })
        })
        .collect();
    let verdict = if case.is_agreed() { "agree" } else { "differ" };
    let row = format!(
        "{} | {} | {verdict} | {said}",
        case.name,
        readers.join(", ")
    );
    (row, faults)
}

/// Where the readers agree, all fields are theirs. Where they do not, what two of them give is there, and
/// what is wrong is told.
#[test]
fn records_are_those_of_the_independent_readers() {
    let Some(corpus) = corpus() else { return };
    let cases = cases(&corpus);
    println!("file | readers (! stopped with an error) | they | we");
    let (mut agreed, mut records, mut unread) = (0, 0, 0);
    let mut wrong = Vec::new();
    for case in &cases {
        let (row, faults) = judge(case);
        println!("{row}");
        agreed += usize::from(case.is_agreed());
        records += case.golden.len();
        let is_unread = !case.member.is_empty() && row.ends_with(code::NOT_YET);
        unread += usize::from(is_unread);
        if !faults.is_empty() && !is_unread {
            wrong.push((&case.name, faults));
        }
    }
    for (name, faults) in &wrong {
        let some: Vec<_> = faults.iter().take(8).cloned().collect();
        println!("{name}\n  {}", some.join("\n  "));
    }
    println!(
        "{} archives ({agreed} on which the readers agree) with {records} records compared, {} wrong; \
         {unread} lie in files that are not opened yet",
        cases.len(),
        wrong.len()
    );
    assert!(wrong.is_empty(), "{} archives", wrong.len());
    assert!(cases.len() >= 125 && agreed >= 80, "the corpus lost files");
}

#[test]
fn what_is_told_does_not_depend_on_how_the_file_is_cut() {
    let Some(corpus) = corpus() else { return };
    let mut files: Vec<_> = cases(&corpus).into_iter().map(|case| case.path).collect();
    files.dedup();
    files.retain(|path| fs::metadata(path).is_ok_and(|facts| facts.len() < 300_000));
    for path in files {
        let bytes = fs::read(&path).expect("corpus file");
        let whole = inspect(&bytes);
        for window in [1, 7, 1000] {
            if window == 1 && bytes.len() > 20_000 {
                continue;
            }
            assert_eq!(
                inspect_cut(&bytes, window),
                whole,
                "{} in pieces of {window}",
                path.display()
            );
        }
    }
}

#[test]
fn url_keys_agree_with_every_comparable_vector() {
    let Some(corpus) = corpus() else { return };
    let table = fs::read_to_string(corpus.join("files/vectors-urlkeys.tsv")).expect("vectors");
    let mut compared = 0;
    let mut wrong = Vec::new();
    for line in table.lines().skip(1) {
        let row: Vec<&str> = line.split('\t').collect();
        let &[function, input, expected, options, ..] = row.as_slice() else {
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
        // Old tools split on this one; `dns:host` unchanged is ours.
        let is_fork = function == "WaybackURLKeyMaker" && input.starts_with("dns:");
        if !is_comparable || is_fork {
            continue;
        }
        compared += 1;
        let ours = stackroom::archive::surt(input);
        if ours != expected {
            wrong.push(format!("{function} {input}: {ours}, expected {expected}"));
        }
    }
    println!("{compared} vectors compared");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared > 60, "only {compared} vectors");
}
