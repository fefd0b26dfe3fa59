//! The part of a query that one record answers by itself, tested while the record streams by.
//! What is not known yet answers neither yes nor no; often the rest settles it all the same.

use super::column::Test;
use super::parse::{Node, parse};
use crate::archive::{HttpHead, Record, RecordType, WarcHead, media_type};
use crate::error::Error;

/// A condition on one record.
pub struct Predicate {
    root: Condition,
}

enum Condition {
    All,
    And(Vec<Condition>),
    Or(Vec<Condition>),
    Not(Box<Condition>),
    Test(Box<Test>),
}

impl Predicate {
    /// One that every record meets.
    pub fn all() -> Predicate {
        Predicate {
            root: Condition::All,
        }
    }

    /// The condition that a query states. Every error names the column and what was expected.
    pub fn parse(query: &str) -> Result<Predicate, Error> {
        Ok(Predicate {
            root: condition(&parse(query)?)?,
        })
    }

    /// Whether it holds; `None` where too little of the record is known.
    pub fn holds(&self, facts: &Facts) -> Option<bool> {
        holds(&self.root, facts)
    }
}

fn condition(node: &Node) -> Result<Condition, Error> {
    let all = |nodes: &[Node]| nodes.iter().map(condition).collect::<Result<Vec<_>, _>>();
    Ok(match node {
        Node::All => Condition::All,
        Node::And(nodes) => Condition::And(all(nodes)?),
        Node::Or(nodes) => Condition::Or(all(nodes)?),
        Node::Not(node) => Condition::Not(Box::new(condition(node)?)),
        Node::Leaf(leaf) => Condition::Test(Box::new(Test::of(leaf)?)),
    })
}

fn holds(condition: &Condition, facts: &Facts) -> Option<bool> {
    match condition {
        Condition::All => Some(true),
        Condition::Not(inner) => holds(inner, facts).map(|is_so| !is_so),
        Condition::Test(test) => test.holds(facts),
        Condition::And(inner) => settled(inner, facts, false),
        Condition::Or(inner) => settled(inner, facts, true),
    }
}

/// One that is `decisive` settles it, whatever the others are.
fn settled(inner: &[Condition], facts: &Facts, decisive: bool) -> Option<bool> {
    let mut outcome = Some(!decisive);
    for condition in inner {
        match holds(condition, facts) {
            Some(is_so) if is_so == decisive => return Some(decisive),
            Some(_) => {}
            None => outcome = None,
        }
    }
    outcome
}

/// What is known of a record so far.
#[derive(Clone, Debug)]
pub struct Facts {
    pub(super) kind: RecordType,
    pub(super) url: Vec<u8>,
    pub(super) date: Option<u64>,
    pub(super) digests: Vec<Vec<u8>>,
    status: Option<u16>,
    mime: Vec<u8>,
    /// False while an HTTP head may come that says otherwise.
    is_past_heads: bool,
    size: Option<u64>,
}

impl Facts {
    /// A record begins.
    pub fn begin(head: &WarcHead) -> Facts {
        let digests = ["WARC-Payload-Digest", "WARC-Block-Digest"];
        Facts {
            kind: head.kind(),
            url: head.uri().unwrap_or_default(),
            date: head.date(),
            digests: digests.iter().filter_map(|name| head.get(name)).collect(),
            status: None,
            mime: mime_of(head.get("Content-Type")),
            is_past_heads: false,
            size: None,
        }
    }

    pub fn http(&mut self, head: &HttpHead) {
        self.status = head.status_number();
        self.mime = mime_of(head.get("Content-Type"));
        self.is_past_heads = true;
    }

    /// Payload begins: no HTTP head will come any more.
    pub fn body(&mut self) {
        self.is_past_heads = true;
    }

    pub fn end(&mut self, record: &Record) {
        self.is_past_heads = true;
        self.size = Some(record.payload_bytes);
    }

    pub(super) fn status(&self) -> Option<Option<u16>> {
        self.is_past_heads.then_some(self.status)
    }

    pub(super) fn mime(&self) -> Option<&[u8]> {
        self.is_past_heads.then_some(self.mime.as_slice())
    }

    pub(super) fn size(&self) -> Option<u64> {
        self.size
    }
}

fn mime_of(content_type: Option<Vec<u8>>) -> Vec<u8> {
    content_type
        .map(|value| media_type(&value))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::code;

    fn facts(stage: u8) -> Facts {
        let mut head = WarcHead::default();
        head.raw.extend_from_slice(
            b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://www.a.test:80/Path/x.html?q=1\r\n\
              WARC-Date: 2015-06-07T08:09:10Z\r\nContent-Type: application/http\r\n\
              WARC-Payload-Digest: sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5\r\n\r\n",
        );
        head.parse();
        let mut facts = Facts::begin(&head);
        if stage > 0 {
            facts.http(&HttpHead::of(
                b"HTTP/1.1 404 Not Found\r\nContent-Type: Text/HTML; charset=x\r\n\r\n".to_vec(),
            ));
        }
        if stage > 1 {
            facts.end(&Record {
                payload_bytes: 2000,
                ..Record::default()
            });
        }
        facts
    }

    fn asked(query: &str, stage: u8) -> Option<bool> {
        Predicate::parse(query)
            .unwrap_or_else(|error| unreachable!("{query}: {error}"))
            .holds(&facts(stage))
    }

    #[test]
    fn every_column_is_asked() {
        let yes = [
            "",
            "type:response",
            "type:RESPONSE",
            "status:404",
            "status:4xx",
            "status:(200 or 4xx)",
            "status:*",
            "mime:text/html",
            "mime:TEXT/*",
            "mime:/^text.HTML$/",
            "url:http://www.a.test:80/Path/x.html?q=1",
            "url:www.a.test:80/Path/*",
            "url:*/path/* or url:*/Path/*",
            r"url:/\/path\/x\.html/i",
            "url:\"http://www.a.test:80/Path/x.html?q=1\"",
            "host:www.a.test",
            "host:WWW.A.TEST",
            "host:*.a.test",
            "host:/^w+/",
            "domain:a.test",
            "domain:www.a.test",
            "domain:*.a.test",
            "date:2015",
            "date:2015-06-07",
            "date:2014..2016",
            "date:>=2015-06-07T08:09",
            "date:<2016",
            "size:2000",
            "size:>1kb",
            "size:1k..2k",
            "digest:sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5",
            "digest:a9993e364706816aba3e25717850c26c9cd0d89d",
            "not status:200 and type:response",
            "-status:200 -type:request",
            "{type==\"response\", url=~\"http.*q=1\"}",
        ];
        for query in yes {
            assert_eq!(asked(query, 2), Some(true), "{query}");
            let not = format!("not ({query})");
            if !query.is_empty() {
                assert_eq!(asked(&not, 2), Some(false), "{not}");
            }
        }
        let no = [
            "type:request",
            "status:200",
            "mime:text",
            "mime:image/*",
            "url:http://www.a.test/",
            "url:\"*\"",
            "host:a.test",
            "domain:test.a",
            "domain:w.a.test",
            "date:2014",
            "date:..2014",
            "size:<2000",
            "digest:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE6",
        ];
        for query in no {
            let outcome = Predicate::parse(query).map(|predicate| predicate.holds(&facts(2)));
            assert!(!matches!(outcome, Ok(Some(true) | None)), "{query}");
        }
    }

    #[test]
    fn what_is_not_known_yet_waits_unless_the_rest_settles_it() {
        assert_eq!(asked("type:response", 0), Some(true));
        assert_eq!(asked("status:404", 0), None);
        assert_eq!(asked("status:404", 1), Some(true));
        assert_eq!(asked("size:>1", 1), None);
        assert_eq!(asked("type:request and size:>1", 0), Some(false));
        assert_eq!(asked("type:response or size:>1", 0), Some(true));
        assert_eq!(asked("not (type:request and size:>1)", 0), Some(true));
        assert_eq!(asked("type:response and not size:>1", 1), None);
    }

    #[test]
    fn errors_name_the_column_and_what_was_expected() {
        let cases = [
            (
                "status:abc",
                code::QUERY_VALUE,
                "status: expected a status such as 404",
            ),
            (
                "type:foo",
                code::QUERY_VALUE,
                "type: expected warcinfo, response",
            ),
            (
                "mime:html",
                code::QUERY_VALUE,
                "mime: expected a media type such as text/html",
            ),
            (
                "url:/(/",
                code::QUERY_VALUE,
                "url: expected a URL, a glob such as *.test/*, or a /regex/, found \"(\" (",
            ),
            (
                "host:http://a.test",
                code::QUERY_VALUE,
                "host: expected a host name",
            ),
            ("domain:a/b", code::QUERY_VALUE, "domain: expected a domain"),
            (
                "date:2014-13",
                code::QUERY_VALUE,
                "date: expected a date such as 2014",
            ),
            (
                "date:2016..2014",
                code::QUERY_VALUE,
                "date: expected a date such as 2014",
            ),
            (
                "size:big",
                code::QUERY_VALUE,
                "size: expected bytes such as 1500",
            ),
            (
                "size:/1/",
                code::QUERY_VALUE,
                "size: expected bytes such as 1500",
            ),
            ("digest:1!", code::QUERY_VALUE, "digest: expected a digest"),
            (
                "stauts:404",
                code::QUERY_COLUMN,
                "stauts: there is no such column; expected one of type, status",
            ),
            (
                "title:x",
                code::QUERY_COLUMN,
                "title: only an index answers this column",
            ),
            (
                "http://a.test/",
                code::QUERY_COLUMN,
                "http: there is no such column; expected url:http://a.test/",
            ),
            (
                "word",
                code::QUERY_COLUMN,
                "expected a column and its value, such as url:*word*",
            ),
            (
                "type:response status:x",
                code::QUERY_VALUE,
                "status: expected a status",
            ),
        ];
        for (query, code, start) in cases {
            let Err(error) = Predicate::parse(query) else {
                unreachable!("{query} is wrong");
            };
            assert_eq!(error.code, code, "{query}");
            assert!(
                error.message.starts_with(start),
                "{query}: {}",
                error.message
            );
            assert!(
                error.message.contains(", at character "),
                "{}",
                error.message
            );
        }
    }
}
