//! What of a query an index answers, and what only the records themselves do.

use super::parse::{Leaf, Node, Value};
use super::wrong;
use crate::error::{Error, code};

/// A query in two, each all of what must hold: records are found that have the one, and of these each is read and asked
/// for the other.
#[derive(Debug, PartialEq, Eq)]
pub struct Apart<'a> {
    pub indexed: Vec<&'a Node>,
    /// Empty where no record has to be read.
    pub examined: Vec<&'a Node>,
    /// Where in the query the first thing stands that is asked of records.
    pub at: usize,
}

impl Apart<'_> {
    /// What must all hold is parted. Where one of several is enough, either all of them are asked of records or none.
    pub fn of(node: &Node) -> Result<Apart<'_>, Error> {
        let mut apart = Apart {
            indexed: Vec::new(),
            examined: Vec::new(),
            at: usize::MAX,
        };
        apart.part(node)?;
        if apart.examined.is_empty() {
            apart.indexed = vec![node];
        }
        Ok(apart)
    }
}

impl<'a> Apart<'a> {
    fn part(&mut self, node: &'a Node) -> Result<(), Error> {
        if let Node::And(nodes) = node {
            return nodes.iter().try_for_each(|node| self.part(node));
        }
        let mut leaves = Vec::new();
        leaves_of(node, &mut leaves);
        let Some(leaf) = leaves.iter().find(|leaf| is_of_records(leaf)) else {
            self.indexed.push(node);
            return Ok(());
        };
        if let Some(other) = leaves.iter().find(|leaf| !is_of_record(leaf)) {
            return Err(mixed(leaf, other));
        }
        self.at = self.at.min(leaf.at);
        self.examined.push(node);
        Ok(())
    }
}

/// Whether only the record itself tells.
fn is_of_records(leaf: &Leaf) -> bool {
    let is_part = match &leaf.value {
        Value::Bare(text) => text.contains('*') && text != "*",
        Value::Quoted(_) => false,
        Value::Regex { .. } => true,
    };
    match leaf.column.as_deref() {
        Some("digest") => is_part,
        Some(column) => column == "raw" || column == "method" || column.starts_with("header."),
        None => false,
    }
}

/// Whether a record tells, too.
fn is_of_record(leaf: &Leaf) -> bool {
    const ALSO: [&str; 9] = [
        "type", "status", "mime", "url", "host", "domain", "date", "size", "digest",
    ];
    let column = leaf.column.as_deref();
    is_of_records(leaf) || column.is_some_and(|column| ALSO.contains(&column))
}

fn mixed(leaf: &Leaf, other: &Leaf) -> Error {
    let column = leaf.column.as_deref().unwrap_or_default();
    let beside = other.column.as_deref().map_or_else(
        || "words of the text".to_owned(),
        |other| format!("{other}:"),
    );
    let message = format!(
        "{column}: records are read for this; expected \"and\" between it and {beside}, not \"or\""
    );
    wrong(code::QUERY_VALUE, leaf.at, &message)
}

fn leaves_of<'a>(node: &'a Node, leaves: &mut Vec<&'a Leaf>) {
    match node {
        Node::All => {}
        Node::And(nodes) | Node::Or(nodes) => nodes.iter().for_each(|node| leaves_of(node, leaves)),
        Node::Not(node) => leaves_of(node, leaves),
        Node::Leaf(leaf) => leaves.push(leaf),
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    #[test]
    fn what_must_all_hold_is_parted() {
        for (query, indexed, examined) in [
            ("", "", ""),
            ("word host:a.test", "word host:a.test", ""),
            ("raw:/x/", "", "raw:/x/"),
            ("word raw:/x/ -method:POST", "word", "raw:/x/ -method:POST"),
            (
                "(word (host:a.test raw:/x/))",
                "word host:a.test",
                "raw:/x/",
            ),
            (
                "word (header.server:a or status:404)",
                "word",
                "header.server:a or status:404",
            ),
            ("digest:* digest:sha1:VG*", "digest:*", "digest:sha1:VG*"),
            ("digest:\"sha1:VG*\"", "digest:\"sha1:VG*\"", ""),
        ] {
            let node = parse(query).expect("a query");
            let apart = Apart::of(&node).expect("parts");
            for (found, wanted) in [(&apart.indexed, indexed), (&apart.examined, examined)] {
                let found: Vec<Node> = found.iter().map(|node| stripped(node)).collect();
                let wanted = match parse(wanted).expect("a query") {
                    Node::And(nodes) => nodes,
                    Node::All if query.is_empty() && found.len() == 1 => vec![Node::All],
                    Node::All => Vec::new(),
                    node => vec![node],
                };
                let wanted: Vec<Node> = wanted.iter().map(stripped).collect();
                let is_itself =
                    found.len() == 1 && matches!(&found[0], Node::And(nodes) if *nodes == wanted);
                assert!(found == wanted || is_itself, "{query}: {found:?}");
            }
        }
        let node = parse("a b raw:/x/").expect("a query");
        assert_eq!(Apart::of(&node).map(|apart| apart.at), Ok(4));
    }

    fn stripped(node: &Node) -> Node {
        let mut node = node.clone();
        strip(&mut node);
        node
    }

    fn strip(node: &mut Node) {
        match node {
            Node::All => {}
            Node::And(nodes) | Node::Or(nodes) => nodes.iter_mut().for_each(strip),
            Node::Not(node) => strip(node),
            Node::Leaf(leaf) => leaf.at = 0,
        }
    }

    #[test]
    fn words_and_bodies_are_not_alternatives() {
        for (query, start) in [
            (
                "word or raw:/x/",
                "raw: records are read for this; expected \"and\" between it and words",
            ),
            (
                "-(title:a method:GET)",
                "method: records are read for this; expected \"and\" between it and title:",
            ),
        ] {
            let node = parse(query).expect("a query");
            let error = Apart::of(&node).expect_err("an error");
            assert!(error.message.starts_with(start), "{}", error.message);
        }
    }
}
