//! The corpus of real and malformed archives against golden answers of independent readers.
//! Runs where the corpus is (`STACKROOM_CORPUS`, or `../shared/corpus` beside the repository).

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use support::{corpus, inspect, inspect_cut};

/// Archive files that are read today, with their golden answers.
fn cases(corpus: &Path) -> Vec<(PathBuf, Vec<Value>)> {
    let mut cases = Vec::new();
    let golden = fs::read_dir(corpus.join("golden")).expect("golden answers");
    let mut names: Vec<_> = golden.flatten().map(|entry| entry.path()).collect();
    names.sort();
    for path in names {
        let name = path
            .file_stem()
            .and_then(|name| name.to_str())
            .unwrap_or_default()
            .to_owned();
        let Some((origin, file)) = name.split_once("__") else {
            continue;
        };
        if name.contains('!')
            || path
                .extension()
                .is_none_or(|extension| extension != "jsonl")
        {
            continue;
        }
        let text = fs::read_to_string(&path).expect("golden answer");
        let lines = text
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        cases.push((corpus.join("files").join(origin).join(file), lines));
    }
    cases
}

fn is_arc(path: &Path) -> bool {
    let name = path.to_string_lossy();
    name.ends_with(".arc") || name.ends_with(".arc.gz")
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

const FIELDS: [&str; 12] = [
    "offset",
    "length",
    "type",
    "uri",
    "date",
    "status",
    "content_length",
    "payload_digest",
    "raw_len",
    "raw_sha1",
    "te",
    "ce",
];

fn differences(golden: &Value, ours: &Value) -> Vec<String> {
    let mut fields = FIELDS.to_vec();
    fields.push("mime");
    let is_undecoded =
        text(golden, "ce").is_some_and(|ce| ce.contains("br") || ce.contains("zstd"));
    if !is_undecoded {
        fields.extend(["body_len", "body_sha1"]);
    }
    let differ = |field: &&&str| comparable(golden, field) != comparable(ours, field);
    let tell = |field: &&str| {
        format!(
            "{field}: golden {:?}, ours {:?}",
            golden.get(*field),
            ours.get(*field)
        )
    };
    fields.iter().filter(differ).map(tell).collect()
}

#[test]
fn records_agree_where_the_readers_agree() {
    let Some(corpus) = corpus() else { return };
    let mut compared = (0, 0);
    let mut wrong = BTreeMap::new();
    for (path, golden) in cases(&corpus) {
        if golden[0]["agree"] != Value::Bool(true) || is_arc(&path) {
            continue;
        }
        let bytes = fs::read(&path).expect("corpus file");
        let lines = inspect(&bytes).unwrap_or_default();
        let ours: Vec<&Value> = lines
            .iter()
            .filter(|line| line.get("type").is_some())
            .collect();
        let golden = &golden[1..];
        let mut faults = Vec::new();
        if ours.len() != golden.len() {
            faults.push(format!(
                "{} records, golden {}: {lines:?}",
                ours.len(),
                golden.len()
            ));
        }
        for (at, (ours, golden)) in ours.iter().zip(golden).enumerate() {
            faults.extend(
                differences(golden, ours)
                    .into_iter()
                    .map(|fault| format!("record {at} {fault}")),
            );
        }
        compared = (compared.0 + 1, compared.1 + golden.len());
        if !faults.is_empty() {
            wrong.insert(path, faults);
        }
    }
    for (path, faults) in &wrong {
        println!(
            "{}\n  {}",
            path.display(),
            faults
                .iter()
                .take(8)
                .cloned()
                .collect::<Vec<_>>()
                .join("\n  ")
        );
    }
    println!("{} files, {} records compared", compared.0, compared.1);
    assert!(
        wrong.is_empty(),
        "{} of {} files differ",
        wrong.len(),
        compared.0
    );
    assert!(compared.0 >= 60, "the corpus lost files");
}

/// Files that nobody agrees on: they are read without a crash, what is wrong is told, and at least the
/// records that two readers give are there.
#[test]
fn disputed_files_give_their_records_and_say_what_is_wrong() {
    let Some(corpus) = corpus() else { return };
    let mut told = Vec::new();
    for (path, golden) in cases(&corpus) {
        if golden[0]["agree"] == Value::Bool(true) || is_arc(&path) {
            continue;
        }
        let bytes = fs::read(&path).expect("corpus file");
        let mut counts: Vec<u64> = golden[0]["tools"]
            .as_object()
            .map(|tools| {
                tools
                    .values()
                    .filter_map(|tool| tool["records"].as_u64())
                    .collect()
            })
            .unwrap_or_default();
        counts.sort_unstable();
        let expected = counts.iter().rev().nth(1).copied().unwrap_or(0);
        let has_error = golden[0]["tools"].as_object().is_some_and(|tools| {
            tools
                .values()
                .filter(|tool| !tool["error"].is_null())
                .count()
                >= 2
        });
        match inspect(&bytes) {
            Err(error) => {
                if expected > 0 {
                    told.push(format!(
                        "{}: {error}, others give {expected} records",
                        path.display()
                    ));
                }
            }
            Ok(lines) => {
                let records = lines
                    .iter()
                    .filter(|line| line.get("type").is_some())
                    .count() as u64;
                let damages: Vec<_> = lines
                    .iter()
                    .filter_map(|line| text(line, "damage"))
                    .collect();
                if records < expected || has_error && damages.is_empty() {
                    told.push(format!(
                        "{}: {records} records of {expected}, damage {damages:?}",
                        path.display()
                    ));
                }
            }
        }
    }
    for line in &told {
        println!("{line}");
    }
    assert!(told.is_empty(), "{} files", told.len());
}

#[test]
fn what_is_told_does_not_depend_on_how_the_file_is_cut() {
    let Some(corpus) = corpus() else { return };
    let mut files: Vec<_> = cases(&corpus).into_iter().map(|(path, _)| path).collect();
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
