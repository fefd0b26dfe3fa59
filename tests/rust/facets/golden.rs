//! Queries and what they are read as, or why they are refused, word by word: `tests/fixtures/query/golden.json`.
//!
//! Each case has its query and either its tree or its error. Trees are `&(a b)`, `|(a b)`, `!a`, `column=bare`,
//! `column="quoted"`, `column~regex`, `*` for everything, and `values(tree, column)`.

use std::fmt::Write;

use serde_json::{Value as Json, json};
use stackroom::query::{Apart, Leaf, Node, Predicate, Request, Value, parse_request};
use stackroom::search::Selection;

const GOLDEN: &str = include_str!("../../fixtures/query/golden.json");

fn shown(node: &Node) -> String {
    let all = |nodes: &[Node]| nodes.iter().map(shown).collect::<Vec<_>>().join(" ");
    match node {
        Node::All => "*".into(),
        Node::And(nodes) => format!("&({})", all(nodes)),
        Node::Or(nodes) => format!("|({})", all(nodes)),
        Node::Not(node) => format!("!{}", shown(node)),
        Node::Leaf(leaf) => {
            let column = leaf.column.as_deref().unwrap_or_default();
            match &leaf.value {
                Value::Bare(text) => format!("{column}={text}"),
                Value::Quoted(text) => format!("{column}={text:?}"),
                Value::Regex {
                    pattern,
                    ignores_case,
                } => {
                    format!(
                        "{column}~{pattern}{}",
                        if *ignores_case { "/i" } else { "" }
                    )
                }
            }
        }
    }
}

fn leaves<'a>(node: &'a Node, found: &mut Vec<&'a Leaf>) {
    match node {
        Node::All => {}
        Node::And(nodes) | Node::Or(nodes) => nodes.iter().for_each(|node| leaves(node, found)),
        Node::Not(node) => leaves(node, found),
        Node::Leaf(leaf) => found.push(leaf),
    }
}

/// What is made of a query. Words without a column, or of texts and titles, are for full text.
fn read(query: &str) -> Json {
    let request = match parse_request(query) {
        Ok(request) => request,
        Err(error) => return json!({ "query": query, "error": error.message }),
    };
    let node = match &request {
        Request::Records(node) | Request::Values { of: node, .. } => node,
    };
    let apart = match Apart::of(node) {
        Ok(apart) => apart,
        Err(error) => return json!({ "query": query, "error": error.message }),
    };
    for node in &apart.examined {
        if let Err(error) = Predicate::check(node) {
            return json!({ "query": query, "error": error.message });
        }
    }
    let mut conditions = Vec::new();
    for node in &apart.indexed {
        leaves(node, &mut conditions);
    }
    for leaf in conditions {
        if leaf.column.is_some()
            && let Err(error) = Selection::of(leaf)
        {
            return json!({ "query": query, "error": error.message });
        }
    }
    let tree = match &request {
        Request::Records(node) => shown(node),
        Request::Values { of, column } => format!("values({}, {column})", shown(of)),
    };
    json!({ "query": query, "tree": tree })
}

#[test]
fn queries_are_read_as_they_were() {
    let golden: Vec<Json> = serde_json::from_str(GOLDEN).expect("a list of cases");
    assert!(golden.len() >= 100, "{} cases", golden.len());
    let mut differences = String::new();
    for case in &golden {
        let query = case["query"].as_str().expect("a query");
        let found = read(query);
        if found != *case {
            let _ = writeln!(differences, "{found},");
        }
    }
    assert!(
        differences.is_empty(),
        "otherwise than it was:\n{differences}"
    );
    let errors = golden
        .iter()
        .filter(|case| case.get("error").is_some())
        .count();
    assert!(errors >= 30, "{errors} of the cases are errors");
}
