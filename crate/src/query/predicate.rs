//! The part of a query that one record answers by itself, tested while the record streams by.
//! What is not known yet answers neither yes nor no; often the rest settles it all the same.

use super::column::{Test, is_balanced, refused};
use super::parse::{Leaf, Node, parse};
use super::raw::{BodySearch, RawTest};
use crate::archive::{HttpHead, Record, RecordType, WarcHead, media_type};
use crate::error::Error;

/// A condition on one record.
pub struct Predicate {
    root: Condition,
    /// What is looked for in bodies, by numbers.
    raws: Vec<RawTest>,
    /// Whether methods and headers are asked for.
    asks_heads: bool,
}

enum Condition {
    All,
    And(Vec<Condition>),
    Or(Vec<Condition>),
    Not(Box<Condition>),
    Test(Box<Test>),
    /// By its number.
    Raw(usize),
}

impl Predicate {
    /// One that every record meets.
    pub fn all() -> Predicate {
        Predicate {
            root: Condition::All,
            raws: Vec::new(),
            asks_heads: false,
        }
    }

    /// The condition that a query states. Every error names the column and what was expected.
    pub fn parse(query: &str) -> Result<Predicate, Error> {
        Predicate::of(&parse(query)?)
    }

    /// The same of a query that was read.
    pub fn of(node: &Node) -> Result<Predicate, Error> {
        Predicate::of_all(&[node])
    }

    /// What all of these state.
    pub fn of_all(nodes: &[&Node]) -> Result<Predicate, Error> {
        let mut predicate = Predicate::all();
        let conditions = nodes.iter().map(|node| predicate.condition(node));
        predicate.root = Condition::And(conditions.collect::<Result<_, _>>()?);
        Ok(predicate)
    }

    /// Whether a query can be asked of records.
    pub fn check(node: &Node) -> Result<(), Error> {
        match node {
            Node::All => Ok(()),
            Node::And(nodes) | Node::Or(nodes) => nodes.iter().try_for_each(Predicate::check),
            Node::Not(node) => Predicate::check(node),
            Node::Leaf(leaf) if leaf.column.as_deref() == Some("raw") => raw_test(leaf).map(drop),
            Node::Leaf(leaf) => Test::of(leaf).map(drop),
        }
    }

    /// Whether it holds; `None` where too little of the record is known.
    pub fn holds(&self, facts: &Facts) -> Option<bool> {
        holds(&self.root, facts)
    }

    fn condition(&mut self, node: &Node) -> Result<Condition, Error> {
        let mut all = |nodes: &[Node]| {
            let conditions = nodes.iter().map(|node| self.condition(node));
            conditions.collect::<Result<Vec<_>, _>>()
        };
        Ok(match node {
            Node::All => Condition::All,
            Node::And(nodes) => Condition::And(all(nodes)?),
            Node::Or(nodes) => Condition::Or(all(nodes)?),
            Node::Not(node) => Condition::Not(Box::new(self.condition(node)?)),
            Node::Leaf(leaf) if leaf.column.as_deref() == Some("raw") => self.raw(leaf)?,
            Node::Leaf(leaf) => {
                let test = Test::of(leaf)?;
                self.asks_heads |= matches!(test, Test::Method(_) | Test::Header(..));
                Condition::Test(Box::new(test))
            }
        })
    }

    fn raw(&mut self, leaf: &Leaf) -> Result<Condition, Error> {
        self.raws.push(raw_test(leaf)?);
        Ok(Condition::Raw(self.raws.len() - 1))
    }
}

fn raw_test(leaf: &Leaf) -> Result<RawTest, Error> {
    let test = if is_balanced(leaf) {
        RawTest::of(&leaf.value)
    } else {
        Err(Some("it closes a bracket that it did not open".into()))
    };
    test.map_err(|why| refused(leaf, "raw", why))
}

fn holds(condition: &Condition, facts: &Facts) -> Option<bool> {
    match condition {
        Condition::All => Some(true),
        Condition::Not(inner) => holds(inner, facts).map(|is_so| !is_so),
        Condition::Test(test) => test.holds(facts),
        Condition::Raw(number) => facts.raw(*number),
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
    heads: Heads,
    body: Option<Box<BodySearch>>,
}

/// Headers in small letters, where they are asked for.
#[derive(Default)]
struct Heads {
    method: Option<Vec<u8>>,
    of_record: Vec<(Vec<u8>, Vec<u8>)>,
    of_http: Option<Vec<(Vec<u8>, Vec<u8>)>>,
}

impl Facts {
    /// A record begins.
    pub fn begin(head: &WarcHead, predicate: &Predicate) -> Facts {
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
            heads: Heads {
                of_record: if predicate.asks_heads {
                    lower(head.fields())
                } else {
                    Vec::new()
                },
                ..Heads::default()
            },
            body: body_search(predicate, None),
        }
    }

    pub fn http(&mut self, head: &HttpHead, predicate: &Predicate) {
        self.status = head.status_number();
        self.mime = mime_of(head.get("Content-Type"));
        self.is_past_heads = true;
        if predicate.asks_heads {
            self.heads.method = head.method().map(|method| method.to_ascii_lowercase());
            self.heads.of_http = Some(lower(head.fields()));
        }
        self.body = body_search(predicate, Some(head));
    }

    /// Payload as it is stored: no HTTP head will come any more.
    pub fn body(&mut self, bytes: &[u8], predicate: &Predicate) {
        self.is_past_heads = true;
        if let Some(body) = &mut self.body {
            body.push(&predicate.raws, bytes);
        }
    }

    pub fn end(&mut self, record: &Record, predicate: &Predicate) {
        self.is_past_heads = true;
        self.size = Some(record.payload_bytes);
        if let Some(body) = &mut self.body {
            body.end(&predicate.raws, record.is_whole);
        }
    }

    /// Whether something is looked for in the body.
    pub fn wants_body(&self) -> bool {
        self.body.as_ref().is_some_and(|body| body.is_going_on())
    }

    fn raw(&self, number: usize) -> Option<bool> {
        self.body.as_ref()?.outcome(number)
    }

    pub(super) fn method(&self) -> Option<Option<&[u8]>> {
        self.is_past_heads.then_some(self.heads.method.as_deref())
    }

    /// The values of headers of that name: of HTTP, and of the record where it has none of HTTP, or where only it has such.
    pub(super) fn headers(&self, name: &str) -> Option<impl Iterator<Item = &[u8]>> {
        let is_of_record = name.starts_with("warc-");
        if !self.is_past_heads && !is_of_record {
            return None;
        }
        let of_http = self.heads.of_http.as_ref().filter(|_| !is_of_record);
        let fields = of_http.unwrap_or(&self.heads.of_record).iter();
        let fields = fields.filter(move |(known, _)| known == name.as_bytes());
        Some(fields.map(|(_, value)| value.as_slice()))
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

fn body_search(predicate: &Predicate, head: Option<&HttpHead>) -> Option<Box<BodySearch>> {
    let is_asked = !predicate.raws.is_empty();
    is_asked.then(|| Box::new(BodySearch::new(&predicate.raws, head)))
}

fn lower<'a>(fields: impl Iterator<Item = (&'a [u8], Vec<u8>)>) -> Vec<(Vec<u8>, Vec<u8>)> {
    let pair =
        |(name, value): (&[u8], Vec<u8>)| (name.to_ascii_lowercase(), value.to_ascii_lowercase());
    fields.map(pair).collect()
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

    fn facts(stage: u8, predicate: &Predicate) -> Facts {
        let mut head = WarcHead::default();
        head.raw.extend_from_slice(
            b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://www.a.test:80/Path/x.html?q=1\r\n\
              WARC-Date: 2015-06-07T08:09:10Z\r\nContent-Type: application/http\r\n\
              WARC-Payload-Digest: sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5\r\n\r\n",
        );
        head.parse();
        let mut facts = Facts::begin(&head, predicate);
        if stage > 0 {
            facts.http(
                &HttpHead::of(
                    b"HTTP/1.1 404 Not Found\r\nContent-Type: Text/HTML; charset=x\r\nX-One: A\r\nx-one: B c\r\n\r\n"
                        .to_vec(),
                ),
                predicate,
            );
        }
        if stage > 1 {
            facts.body(b"Some words \xff of it", predicate);
            let record = Record {
                payload_bytes: 2000,
                is_whole: true,
                ..Record::default()
            };
            facts.end(&record, predicate);
        }
        facts
    }

    fn asked(query: &str, stage: u8) -> Option<bool> {
        let predicate =
            Predicate::parse(query).unwrap_or_else(|error| unreachable!("{query}: {error}"));
        predicate.holds(&facts(stage, &predicate))
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
            "digest:sha1:vgmt*",
            "digest:/^SHA1:VG/",
            "digest:*",
            "header.x-one:a",
            "header.X-ONE:\"b C\"",
            "header.x-one:/^b/",
            "header.content-type:text/*",
            "header.warc-type:response",
            "header.x-one:*",
            "-header.x-two:*",
            "raw:words",
            "raw:\"me wor\"",
            "raw:/WORDS .* of it$/i",
            "raw:*",
            "{header.x-one==\"A\", raw=~\"Some.*it\"}",
            "-raw:/other/ -method:*",
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
            "digest:sha1:GMT*",
            "digest:/^GMT/",
            "header.x-one:b",
            "header.content-type:application/http",
            "header.server:*",
            "method:GET",
            "raw:Words",
            "raw:/^words/",
        ];
        for query in no {
            let outcome =
                Predicate::parse(query).map(|predicate| predicate.holds(&facts(2, &predicate)));
            assert!(!matches!(outcome, Ok(Some(true) | None)), "{query}");
        }
    }

    #[test]
    fn what_is_not_known_yet_waits_unless_the_rest_settles_it() {
        assert_eq!(asked("type:response", 0), Some(true));
        assert_eq!(asked("status:404", 0), None);
        assert_eq!(asked("status:404", 1), Some(true));
        assert_eq!(asked("size:>1", 1), None);
        assert_eq!(asked("header.server:*", 0), None);
        assert_eq!(asked("header.warc-date:2015*", 0), Some(true));
        assert_eq!(asked("method:GET", 1), Some(false));
        assert_eq!(asked("raw:/x/", 1), None);
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
                "method:a/b",
                code::QUERY_VALUE,
                "method: expected a method such as POST",
            ),
            (
                "header.:x",
                code::QUERY_VALUE,
                "header.: expected the name of a header behind the dot",
            ),
            (
                "header.server:/(/",
                code::QUERY_VALUE,
                "header.server: expected a value, a glob such as nginx*, or a /regex/, found \"(\" (",
            ),
            (
                "raw:a*b",
                code::QUERY_VALUE,
                "raw: expected a text in quotes, or a /regex/, found \"a*b\" (a star",
            ),
            (
                "raw:/(/",
                code::QUERY_VALUE,
                "raw: expected a text in quotes",
            ),
            ("digest:/(/", code::QUERY_VALUE, "digest: expected a digest"),
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
