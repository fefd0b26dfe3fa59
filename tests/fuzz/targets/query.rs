//! Any text as a query: it is read or refused, and what a regular expression in it says of texts holds of those that it
//! matches. Any word has a stem or none.
#![no_main]

use stackroom::pattern::{Pattern, Then};
use stackroom::query::{Node, Request, Value, parse_request};
use stackroom::search::{Language, Selection};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let (query, text) = bytes.split_at(bytes.len() / 2);
    let (query, text) = (String::from_utf8_lossy(query), String::from_utf8_lossy(text));
    if let Ok(Request::Records(node) | Request::Values { of: node, .. }) = parse_request(&query) {
        ask(&node, &text);
    }
    for language in Language::ALL {
        let _ = language.stem(&query);
    }
    if let Ok(regex) = regex_lite::RegexBuilder::new(&query).size_limit(1 << 16).build() {
        holds(&query, regex.is_match(&text), &text);
    }
});

fn ask(node: &Node, text: &str) {
    match node {
        Node::All => {}
        Node::And(nodes) | Node::Or(nodes) => nodes.iter().for_each(|node| ask(node, text)),
        Node::Not(node) => ask(node, text),
        Node::Leaf(leaf) => {
            let is_one = Selection::of(leaf).is_ok();
            if let Value::Regex { pattern, ignores_case } = &leaf.value
                && is_one
            {
                let _ = Pattern::of(pattern, *ignores_case).fragments();
            }
        }
    }
}

fn holds(expression: &str, is_match: bool, text: &str) {
    let pattern = Pattern::of(expression, false);
    let Some(starts) = pattern.starts() else {
        return;
    };
    if starts.iter().any(|start| start.is_sure(text.as_bytes())) {
        assert!(is_match, "{expression:?} is sure of {text:?}");
    }
    let begins = starts.iter().any(|start| match start.then {
        Then::Nothing => text == start.text,
        Then::Anything | Then::Line | Then::Asked => text.starts_with(&start.text),
    });
    assert!(begins || !is_match || text.contains('\u{fffd}'), "{expression:?} passes over {text:?}");
}
