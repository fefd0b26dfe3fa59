//! Fixtures of our own for every format and every kind of damage, read and compared with what their makers say.
//!
//! `tests/fixtures/make.mjs` writes them, so Node must be there, as it is for everything else in the repository.
//! A case that is listed in `tests/fixtures/unmet.json` may fail; one that is not, must not.

mod support;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use stackroom::archive::{detect, parser};
use stackroom::captures::Captures;
use stackroom::error::code;
use support::fixtures::{Case, fixtures, unmet};
use support::{inspect, inspect_cut, is_deep, read_all};

/// A field in the form in which it is compared; absent and null are the same.
fn comparable(field: &str, value: Option<&Value>) -> Option<String> {
    let value = value.filter(|value| !value.is_null())?;
    let text = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned);
    Some(match field {
        "date" => text.chars().take(19).collect(),
        "uri" => text.replace("%20", " ").trim_matches(['<', '>']).to_owned(),
        "mime" => text.to_ascii_lowercase(),
        _ => text,
    })
}

/// The member that a line names in its `file`.
fn field(line: &Value, name: &str) -> Option<Value> {
    if name != "member" {
        return line.get(name).cloned();
    }
    let file = line.get("file")?.as_str()?;
    Some(
        file.split_once('!')
            .map_or(file, |(_, member)| member)
            .into(),
    )
}

fn is_of(pattern: &str, code: &str) -> bool {
    pattern.split('|').any(|one| {
        one.strip_suffix('*')
            .map_or(one == code, |start| code.starts_with(start))
    })
}

fn flag(facts: &Value, name: &str) -> bool {
    facts[name].as_bool().unwrap_or(false)
}

/// What is wrong with what was told of a case.
fn faults(case: &Case) -> Vec<String> {
    let facts = &case.facts;
    let lines = match inspect(&case.bytes) {
        Ok(lines) => lines,
        Err(error) => {
            let is_expected = facts["refused"]
                .as_str()
                .is_some_and(|code| is_of(code, error.code));
            let is_fine = is_expected || flag(facts, "isRefusable");
            return if is_fine {
                Vec::new()
            } else {
                vec![format!("refused: {error}")]
            };
        }
    };
    if facts["refused"].is_string() && !flag(facts, "isEitherWay") {
        return vec![format!("is read, not refused: {lines:?}")];
    }
    let ours: Vec<&Value> = lines
        .iter()
        .filter(|line| line.get("type").is_some())
        .collect();
    let expected = facts["records"].as_array().expect("records");
    let mut found = Vec::new();
    let is_at_least = flag(facts, "isAtLeast");
    if ours.len() != expected.len() && !(is_at_least && ours.len() > expected.len()) {
        found.push(format!("{} records, not {}", ours.len(), expected.len()));
    }
    let mut taken = BTreeSet::new();
    for (idx, told) in expected.iter().enumerate() {
        let is_same = |line: &Value| {
            ["uri", "type", "date", "member"].iter().all(|name| {
                let have = field(line, name);
                told.get(*name).is_none()
                    || comparable(name, told.get(*name)) == comparable(name, have.as_ref())
            })
        };
        let at = if is_at_least || flag(facts, "isOrderFree") {
            (0..ours.len()).find(|at| !taken.contains(at) && is_same(ours[*at]))
        } else {
            (idx < ours.len()).then_some(idx)
        };
        let Some(at) = at else {
            found.push(format!("record {idx} ({}) is not there", told["uri"]));
            continue;
        };
        taken.insert(at);
        for (name, value) in told.as_object().expect("fields") {
            let want = comparable(name, Some(value));
            let have = comparable(name, field(ours[at], name).as_ref());
            if want != have {
                found.push(format!(
                    "record {idx} ({}) {name}: {have:?}, not {want:?}",
                    told["uri"]
                ));
            }
        }
    }
    let codes: BTreeSet<&str> = lines
        .iter()
        .filter_map(|line| line.get("damage")?.as_str())
        .collect();
    match &facts["damage"] {
        Value::String(_) if codes.is_empty() => found.push("no damage is told".into()),
        Value::Array(patterns) => {
            let patterns: Vec<&str> = patterns
                .iter()
                .filter_map(Value::as_str)
                // Signatures are verified by the host: tests/conformance and tests/web have one.
                .filter(|pattern| *pattern != code::WACZ_BAD_SIGNATURE)
                .collect();
            let unexpected = codes
                .iter()
                .filter(|code| !patterns.iter().any(|pattern| is_of(pattern, code)));
            found.extend(unexpected.map(|code| format!("damage {code} is told")));
            let missed = patterns
                .iter()
                .filter(|pattern| !codes.iter().any(|code| is_of(pattern, code)));
            found.extend(missed.map(|pattern| format!("damage {pattern} is not told: {codes:?}")));
        }
        _ => {}
    }
    found
}

#[test]
fn every_fixture_is_told_as_its_maker_says() {
    let unmet = unmet();
    let mut families: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut wrong = Vec::new();
    let mut met = Vec::new();
    for case in fixtures() {
        let family = case.name.split('/').next().unwrap_or_default();
        let counts = families.entry(family).or_default();
        counts.0 += 1;
        let found = faults(case);
        if found.is_empty() {
            counts.1 += 1;
            if unmet.contains(&case.name) {
                met.push(case.name.as_str());
            }
            continue;
        }
        let text = found.iter().take(6).cloned().collect::<Vec<_>>();
        println!("{}\n  {}", case.name, text.join("\n  "));
        if !unmet.contains(&case.name) {
            wrong.push(case.name.as_str());
        }
    }
    for (family, (all, good)) in &families {
        println!("{family:12} {good} of {all} as expected");
    }
    println!("listed as unmet, but met: {met:?}");
    assert!(wrong.is_empty(), "{} fixtures: {wrong:#?}", wrong.len());
    let names: BTreeSet<_> = fixtures().iter().map(|case| case.name.as_str()).collect();
    assert_eq!(names.len(), fixtures().len(), "two fixtures have one name");
    assert!(names.len() > 200);
}

#[test]
fn every_fixture_is_told_the_same_however_it_is_cut() {
    let unmet = unmet();
    for case in fixtures() {
        if unmet.contains(&case.name) || case.bytes.len() > 300_000 && !is_deep() {
            continue;
        }
        let whole = inspect(&case.bytes);
        let windows: &[usize] = if is_deep() {
            &[1, 2, 3, 7, 64, 511, 513, 4099]
        } else if case.bytes.len() < 20_000 {
            &[1, 7, 509]
        } else {
            &[509]
        };
        for window in windows {
            let cut = inspect_cut(&case.bytes, *window);
            let told = format!("{} in pieces of {window}", case.name);
            if let (Ok(whole), Ok(cut)) = (&whole, &cut) {
                for (one, other) in whole.iter().zip(cut) {
                    assert_eq!(other, one, "{told}");
                }
            }
            assert_eq!(cut, whole, "{told}");
        }
    }
}

/// Who passes over long blocks still finds every record that one finds who reads them.
#[test]
fn the_table_has_the_records_that_are_told() {
    let unmet = unmet();
    let mut wrong = Vec::new();
    for case in fixtures() {
        let Ok(lines) = inspect(&case.bytes) else {
            continue;
        };
        let told = lines.iter().filter(|line| line.get("type").is_some());
        let told = told.count();
        let mut captures = Captures::new();
        let format = detect(&case.bytes[..case.bytes.len().min(64 << 10)]).expect("a format");
        let mut reader = parser(format, Some(case.bytes.len() as u64));
        read_all(reader.as_mut(), &case.bytes, 8192, &mut captures);
        if captures.len() != told {
            println!("{}: {} rows, {told} lines", case.name, captures.len());
            if !unmet.contains(&format!("{} (table)", case.name)) {
                wrong.push(&case.name);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}
