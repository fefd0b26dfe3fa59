//! Queries made to hurt: deep, long, with expressions that blow up. Each is answered or refused with a column, soon.

mod support;

use stackroom::query::Predicate;
use support::{Random, is_deep};

/// Every piece that the grammar knows, and some that it does not.
const PIECES: [&str; 40] = [
    "status:404",
    "status:4xx",
    "status:200..299",
    "status:",
    "type:response",
    "mime:text/*",
    "url:",
    "url:/a+b/i",
    "url:/(a+)+$/",
    "url:\"quoted \\\" text\"",
    "host:a.test",
    "date:2014..2016",
    "date:2014-02-30",
    "size:>1mb",
    "size:<=10",
    "digest:sha1:AAAA",
    "and",
    "or",
    "not",
    "AND",
    "-",
    "(",
    ")",
    "((",
    "{k==\"v\"}",
    "{k=~\"re\"",
    "\"",
    "/",
    "*",
    "word",
    "pre*",
    ":",
    "..",
    "header.x-y:z",
    "url:/[/",
    "url:/\\p{L}{1,1000}/",
    "\u{0}",
    "\u{1f4e6}",
    "\t\r\n",
    ",",
];

#[test]
fn any_row_of_pieces_is_read_or_refused() {
    let mut random = Random::new(5);
    for _ in 0..if is_deep() { 500_000 } else { 5_000 } {
        let count = 1 + random.below(12);
        let words: Vec<&str> = (0..count)
            .map(|_| PIECES[random.below(PIECES.len())])
            .collect();
        let query = words.join(if random.below(3) == 0 { "" } else { " " });
        if let Err(error) = Predicate::parse(&query) {
            assert!(error.code.starts_with("query/"), "{query:?}: {error}");
            assert!(
                error.offset.is_none_or(|at| at <= query.len() as u64 + 1),
                "{query:?}: {error}"
            );
        }
    }
}

#[test]
fn deep_and_long_queries_end() {
    let times = 100_000;
    let hard = [
        "(".repeat(times),
        format!("{}status:200{}", "(".repeat(times), ")".repeat(times)),
        "not ".repeat(times),
        "-".repeat(times),
        "status:200 or ".repeat(times),
        "a ".repeat(times),
        format!("url:{}", "*a".repeat(times)),
        format!("url:/{}/", "(".repeat(times)),
        format!("url:/{}/", "a{1000}".repeat(50)),
        "url:/((a{100}){100}){100}/".into(),
        format!("url:/{}/", "(a|b|".repeat(times)),
        format!("url:\"{}", "\\\"".repeat(times)),
        "{".repeat(times),
        format!("{{k==\"{}\"}}", "v".repeat(times)),
        "9".repeat(times),
        format!("size:>{}", "9".repeat(times)),
        format!("date:{}..", "1".repeat(times)),
        "status:18446744073709551616".into(),
        "size:>18446744073709551615gb".into(),
    ];
    for query in hard {
        let _ = Predicate::parse(&query);
    }
}

#[test]
fn every_cut_of_a_query_is_read_or_refused() {
    let query = "(status:4xx or -mime:text/* ) and url:/a(b|c)+/i not date:2014..2016 size:>1mb {k==\"v\", k=~\"re\"} host:(a.test or \"b\u{e9}.test\")";
    for (at, _) in query.char_indices() {
        let _ = Predicate::parse(&query[..at]);
        let _ = Predicate::parse(&query[at..]);
    }
}
