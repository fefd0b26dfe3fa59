//! What a plan finds for a regular expression is what asking it of every value finds.
//!
//! Ten thousand expressions over values of the same few letters, so that many match; `STACKROOM_DEEP=1` takes ten times
//! as many.

use regex_lite::RegexBuilder;
use roaring::RoaringBitmap;
use stackroom::index::Index;
use stackroom::pattern::{Pattern, Then};
use stackroom::query::{Node, parse};
use stackroom::search::{FacetsDraft, SearchIndex, SearchManifest, SearchPart, Selection, Source};
use stackroom::segment::SegmentWriter;

use crate::host::Host;
use crate::support::{Random, is_deep};

const LETTERS: [&str; 14] = [
    "a",
    "b",
    "A",
    "B",
    "ab",
    "\t",
    "\n",
    " ",
    "\u{1f600}",
    "\u{e9}",
    "0",
    "k",
    "\u{212a}",
    "-",
];
const PIECES: [&str; 44] = [
    "a",
    "b",
    "A",
    "B",
    "ab",
    "ba",
    "k",
    "0",
    "\t",
    "\n",
    " ",
    "\u{1f600}",
    "\u{e9}",
    "\u{212a}",
    r"\t",
    r"\n",
    r"\x61",
    r"\u{1F600}",
    r"\U0001F600",
    r"\-",
    r"\.",
    r"\d",
    r"\w",
    r"\s",
    r"\D",
    r"\b",
    r"\B",
    ".",
    "^",
    "$",
    r"\A",
    r"\z",
    "[ab]",
    "[^a]",
    "[a-c]",
    "[Aa]",
    "[\t\n]",
    r"[\w-]",
    "[[:alpha:]]",
    "[]a]",
    "[-a]",
    "(?i)",
    "(?s)",
    "(?m)",
];
const COUNTS: [&str; 12] = [
    "?", "*", "+", "{2}", "{0}", "{1,2}", "{0,1}", "{2,}", "*?", "+?", "{1}", "{3}",
];

fn pick<'a>(random: &mut Random, from: &[&'a str]) -> &'a str {
    from[random.below(from.len())]
}

fn expression(random: &mut Random, depth: usize) -> String {
    let mut text = String::new();
    for _ in 0..1 + random.below(4) {
        if depth > 0 && random.below(4) == 0 {
            let inner = expression(random, depth - 1);
            let open = pick(
                random,
                &["(", "(?:", "(?i:", "(?s:", "(?P<n>", "(?-i:", "(?m:"],
            );
            // A name stands once.
            let open = if text.contains("?P<") || inner.contains("?P<") {
                "("
            } else {
                open
            };
            text.extend([open, &inner, ")"]);
        } else {
            text.push_str(pick(random, &PIECES));
        }
        if random.below(4) == 0 {
            text.push_str(pick(random, &COUNTS));
        }
        if random.below(7) == 0 {
            text.push('|');
        }
        if random.below(12) == 0 {
            text.push_str(".*");
        }
    }
    text
}

fn value(random: &mut Random) -> Vec<u8> {
    let mut value: Vec<u8> = Vec::new();
    for _ in 0..random.below(6) {
        value.extend(pick(random, &LETTERS).as_bytes());
        if random.below(40) == 0 {
            value.push(0xff);
        }
    }
    value
}

/// Values of the field `k`, one a row.
struct Values {
    host: Host,
    search: SearchIndex,
    values: Vec<Vec<u8>>,
}

fn values(random: &mut Random) -> Values {
    let values: Vec<Vec<u8>> = (0..60).map(|_| value(random)).collect();
    let mut host = Host::new();
    let mut manifest = SearchManifest::default();
    for (file, half) in [(0u32, &values[..40]), (1, &values[40..])] {
        let mut draft = FacetsDraft::default();
        for (value, row) in half.iter().zip(file * 40..) {
            assert!(draft.add(row, "title", value));
        }
        let mut writer = SegmentWriter::new(u64::from(file));
        draft.write(&mut writer);
        let bytes = writer.finish();
        manifest.parts.push(SearchPart {
            file,
            bytes: bytes.len() as u64,
            end: if file == 0 { 40 } else { 60 },
            ..SearchPart::default()
        });
        host.files.insert(file, bytes);
    }
    let search = host.run(|blocks| SearchIndex::open(&manifest, blocks));
    Values {
        search: search.expect("sound"),
        host,
        values,
    }
}

impl Values {
    fn planned(&mut self, query: &str, within: Option<&RoaringBitmap>) -> RoaringBitmap {
        let Ok(Node::Leaf(leaf)) = parse(query) else {
            panic!("{query:?} is no condition");
        };
        let mut selection =
            Selection::of(&leaf).unwrap_or_else(|error| panic!("{query:?}: {error}"));
        let source = Source {
            search: &self.search,
            index: &Index::new(),
            documents: None,
        };
        while !self
            .host
            .run(|blocks| selection.step(&source, within, blocks))
            .expect("sound")
        {}
        selection.rows().clone()
    }

    fn asked(&self, pattern: &str, ignores_case: bool) -> RoaringBitmap {
        let regex = RegexBuilder::new(pattern)
            .case_insensitive(ignores_case)
            .build();
        let regex = regex.expect("an expression");
        let rows = self.values.iter().zip(0..);
        let matched = rows.filter(|(value, _)| regex.is_match(&String::from_utf8_lossy(value)));
        matched.map(|(_, row)| row).collect()
    }
}

#[test]
fn a_plan_finds_what_asking_all_finds() {
    let seed = 31;
    let mut random = Random::new(seed);
    let wanted = if is_deep() { 100_000 } else { 10_000 };
    let (mut tried, mut matching, mut narrowed, mut exact) = (0, 0, 0, 0);
    let mut sample = values(&mut random);
    while tried < wanted {
        if tried % 100 == 0 {
            sample = values(&mut random);
        }
        let inner = expression(&mut random, 3);
        if RegexBuilder::new(&inner).build().is_err() {
            continue;
        }
        if slash_ends(&inner) {
            continue;
        }
        tried += 1;
        // As a label, all of the value is meant; between slashes any part of it.
        let is_label = random.below(2) == 0;
        let ignores_case = !is_label && random.below(3) == 0;
        let (query, pattern) = if is_label {
            (
                format!("{{title=~\"{}\"}}", inner.replace('"', "\\\"")),
                format!("^(?:{inner})$"),
            )
        } else {
            let sign = if ignores_case { "i" } else { "" };
            let slashed = inner.replace('/', r"\/");
            (format!("title:/{slashed}/{sign}"), inner.clone())
        };
        let expected = sample.asked(&pattern, ignores_case);
        let found = sample.planned(&query, None);
        assert_eq!(
            found, expected,
            "seed {seed}: {query:?} of {:?}",
            sample.values
        );
        let within: RoaringBitmap = (0..60).filter(|row| row % 3 == 0).collect();
        let found = sample.planned(&query, Some(&within));
        assert_eq!(found, expected.clone() & within, "seed {seed}: {query:?}");
        holds_what_it_says(
            &sample,
            &Pattern::of(&pattern, ignores_case),
            &expected,
            &query,
        );
        matching += usize::from(!expected.is_empty());
        let plan = Pattern::of(&pattern, ignores_case);
        if let Some(starts) = plan.starts() {
            narrowed += usize::from(starts.iter().all(|start| !start.text.is_empty()));
            exact += usize::from(starts.iter().all(|start| start.then == Then::Nothing));
        }
    }
    // Of no use were a test in which nothing matches or nothing is narrowed.
    assert!(matching > tried / 4, "{matching} of {tried} match");
    assert!(
        narrowed > tried / 10 && exact > tried / 50,
        "{narrowed} and {exact} of {tried}"
    );
}

/// A backslash at the end would take the slash or the quote with it; an empty one is none between slashes.
fn slash_ends(inner: &str) -> bool {
    inner.ends_with('\\') || inner.is_empty()
}

/// Values that match hold the needles and the fragments that the plan names.
fn holds_what_it_says(sample: &Values, plan: &Pattern, matched: &RoaringBitmap, query: &str) {
    for (value, row) in sample.values.iter().zip(0..) {
        let text = String::from_utf8_lossy(value);
        if !matched.contains(row) {
            continue;
        }
        if let Some((needles, is_folded)) = plan.needles() {
            let text = match is_folded {
                true => text.to_ascii_lowercase(),
                false => text.to_string(),
            };
            assert!(
                needles.iter().any(|needle| text.contains(needle)),
                "{query:?} {text:?}"
            );
        }
        let small = text.to_ascii_lowercase();
        for group in plan.literals() {
            let is_held = group.iter().any(|literal| {
                let literal = String::from_utf8_lossy(literal).to_ascii_lowercase();
                small.contains(&literal)
            });
            assert!(is_held, "{query:?} {text:?} {group:?}");
        }
        let words: Vec<String> = words_of(&text);
        for group in plan.fragments() {
            let is_held = group.iter().any(|fragment| {
                words
                    .iter()
                    .any(|word| match (fragment.begins_word, fragment.ends_word) {
                        (true, true) => *word == fragment.text,
                        (true, false) => word.starts_with(&fragment.text),
                        (false, true) => word.ends_with(&fragment.text),
                        (false, false) => word.contains(&fragment.text),
                    })
            });
            assert!(is_held, "{query:?} {text:?} {group:?}");
        }
    }
}

fn words_of(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    stackroom_words::words(text, |word| {
        words.push(String::from_utf8_lossy(word.term).into_owned());
        true
    });
    words
}

#[test]
fn absurd_expressions_are_refused_or_answered_and_the_next_one_works() {
    let mut sample = values(&mut Random::new(32));
    let hard = [
        "a{1000000}".to_owned(),
        "((a{100}){100}){100}".to_owned(),
        "(".to_owned(),
        "a{2,1}".to_owned(),
        "[b-a]".to_owned(),
        "(?=a)".to_owned(),
        r"\p{L}".to_owned(),
        "(a|b|".repeat(500),
        format!("({})", vec!["word"; 8_000].join("|")),
        "(a?){60}a{60}".to_owned(),
        format!("{}{}", "(".repeat(5_000), ")".repeat(5_000)),
    ];
    for inner in hard {
        let Ok(Node::Leaf(leaf)) = parse(&format!("title:/{inner}/")) else {
            panic!("{inner} is no condition");
        };
        match Selection::of(&leaf) {
            Ok(_) => {
                sample.planned(&format!("title:/{inner}/"), None);
            }
            Err(error) => assert_eq!(error.code, "query/value"),
        }
        let expected = sample.asked("a", false);
        assert_eq!(sample.planned("title:/a/", None), expected);
    }
}
