//! The fixtures of `tests/fixtures`, written by Node once for each test program.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

/// One file, and what its maker says of it; see `tests/fixtures/case.mjs`.
pub struct Case {
    pub name: String,
    pub facts: Value,
    pub bytes: Vec<u8>,
}

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures"))
}

/// All fixtures but the bombs.
pub fn fixtures() -> &'static [Case] {
    static CASES: OnceLock<Vec<Case>> = OnceLock::new();
    CASES.get_or_init(|| make("fixtures", &[]))
}

/// Small files that ask for much.
pub fn bombs() -> &'static [Case] {
    static CASES: OnceLock<Vec<Case>> = OnceLock::new();
    CASES.get_or_init(|| make("bombs", &["bombs"]))
}

fn make(name: &str, families: &[&str]) -> Vec<Case> {
    let target = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("{name}-of-{}", env!("CARGO_CRATE_NAME")));
    let made = Command::new("node")
        .arg(folder().join("make.mjs"))
        .arg(&target)
        .args(families)
        .output()
        .expect("Node makes the fixtures");
    let trouble = String::from_utf8_lossy(&made.stderr);
    assert!(made.status.success(), "{trouble}");
    let list = fs::read_to_string(target.join("cases.json")).expect("the list of fixtures");
    let list: Vec<Value> = serde_json::from_str(&list).expect("JSON");
    let case = |facts: Value| {
        let name = facts["name"].as_str().expect("a name").to_owned();
        let bytes = fs::read(target.join(&name)).expect("a fixture");
        Case { name, facts, bytes }
    };
    list.into_iter().map(case).collect()
}

/// Fixtures that are not told as they should be.
pub fn unmet() -> BTreeSet<String> {
    let text = fs::read_to_string(folder().join("unmet.json")).expect("unmet.json");
    let list: Vec<String> = serde_json::from_str(&text).expect("names");
    list.into_iter().collect()
}
