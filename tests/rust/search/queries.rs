//! Queries of every kind find and rank what going through all documents does, however the segments are cut.

use stackroom::index::Index;
use stackroom::query::{Node, parse};
use stackroom::search::{Query, QueryOptions, SearchIndex, Source};
use stackroom::segment::{Blocks, Stop};

use crate::corpus::{Made, rank, records, word};
use crate::host::{Host, Random};
use crate::kept::{build, merge};
use crate::naive::Naive;

/// Words alone are asked for: records are not.
fn source<'a>(search: &'a SearchIndex, index: &'a Index) -> Source<'a> {
    Source {
        search,
        index,
        documents: None,
    }
}

/// Runs a query to its end.
pub fn run(
    host: &mut Host,
    search: &SearchIndex,
    node: &Node,
    options: QueryOptions,
    most: usize,
) -> Query {
    let index = Index::new();
    let source = source(search, &index);
    let mut query = Query::new(node, options).expect("a query");
    while !host
        .run(|blocks| query.rank(most, &source, blocks))
        .expect("sound segments")
    {}
    query
}

fn one(random: &mut Random, records: &[Made]) -> String {
    const SPECIAL: [&str; 11] = [
        "U.S.A.",
        "usa",
        "c++",
        "c",
        "wi-fi",
        "\u{4e2d}\u{56fd}",
        "\u{56fd}",
        "naive",
        "strasse",
        "\u{e19}\u{e02}\u{e49}",
        "don't",
    ];
    let some = word(rank(random, 2500));
    let field = ["", "", "", "title:", "text:"][usize::try_from(random.below(5)).expect("small")];
    let what = match random.below(10) {
        0 | 1 => some,
        2 => format!(
            "{some}{}",
            ["s", "ing", "ed", "e", "en"][usize::try_from(random.below(5)).expect("small")]
        ),
        3 => format!(
            "{}*",
            &some[..some
                .len()
                .min(1 + usize::try_from(random.below(4)).expect("small"))]
        ),
        4 => format!("\"{some}\""),
        5 => SPECIAL[usize::try_from(random.below(11)).expect("small")].into(),
        6 => format!("\"{some} {}\"", word(rank(random, 100))),
        _ => phrase(random, records),
    };
    format!("{field}{what}")
}

/// Words that follow each other somewhere.
fn phrase(random: &mut Random, records: &[Made]) -> String {
    let at = random.below(records.len() as u64);
    let (_, document) = &records[usize::try_from(at).expect("small")];
    let text = document
        .as_ref()
        .map_or("", |document| document.text.as_str());
    let words: Vec<&str> = text.split(' ').collect();
    let from = usize::try_from(random.below(words.len() as u64)).expect("small");
    let count = 2 + usize::try_from(random.below(3)).expect("small");
    let words = &words[from..words.len().min(from + count)];
    let joined = words.join(if random.below(5) == 0 { "-" } else { " " });
    if joined.chars().any(char::is_alphanumeric) {
        format!("\"{joined}\"")
    } else {
        "re".into()
    }
}

pub fn random_query(random: &mut Random, records: &[Made], depth: u32) -> String {
    let parts = 1 + random.below(3);
    let mut query = String::new();
    for n in 0..parts {
        if n > 0 {
            query
                .push_str([" ", " and ", " or "][usize::try_from(random.below(3)).expect("small")]);
        }
        if random.below(6) == 0 {
            query.push_str(["-", "not "][usize::try_from(random.below(2)).expect("small")]);
        }
        if depth > 0 && random.below(3) == 0 {
            query.push_str(&format!("({})", random_query(random, records, depth - 1)));
        } else {
            query.push_str(&one(random, records));
        }
    }
    query
}

/// The same queries of an index and of its twin.
fn compare(seed: u64, count: u64, hosts: &mut [(Host, SearchIndex)], records: &[Made]) {
    let naive = Naive::new(records);
    let mut random = Random(seed);
    let mut found_any = 0;
    for n in 0..count {
        let text = random_query(&mut random, records, 2);
        let node = parse(&text).expect("a query");
        let options = QueryOptions {
            is_stemmed: random.below(4) > 0,
        };
        let expected = naive.rank(&node, options.is_stemmed);
        let most = [1, 10, 100, usize::MAX][usize::try_from(random.below(4)).expect("small")];
        found_any += u64::from(!expected.is_empty());
        for (at, (host, search)) in hosts.iter_mut().enumerate() {
            let query = run(host, search, &node, options, most);
            let what = format!("query {n} of seed {seed}: {text} in index {at}");
            let mut rows: Vec<u32> = expected.iter().map(|(row, _)| *row).collect();
            let hits: Vec<(u32, f64)> = query
                .hits(0, most)
                .iter()
                .map(|hit| (hit.row, hit.score))
                .collect();
            assert!(
                hits == expected[..expected.len().min(most)],
                "{what}: ranked otherwise"
            );
            rows.sort_unstable();
            assert!(
                query.rows().iter().eq(rows.iter().copied()),
                "{what}: finds others"
            );
            let from = rows.len() / 2;
            assert_eq!(
                query.in_order(from as u64, 7),
                rows[from..rows.len().min(from + 7)],
                "{what}"
            );
        }
    }
    assert!(
        found_any > count / 2,
        "{found_any} of {count} find anything"
    );
}

/// Indexes of the same records: in one segment, in many, in many of which most were merged, all with little memory.
fn indexes(records: &[Made]) -> Vec<(Host, SearchIndex)> {
    let mut hosts = Vec::new();
    for (step, is_merged) in [(usize::MAX, false), (37, false), (11, true), (150, true)] {
        let mut host = Host::new();
        host.blocks = Blocks::new(1 << 16);
        let mut search = build(&mut host, records, |row| row % step == step - 1);
        if is_merged {
            merge(&mut host, &mut search, step == 11);
        }
        hosts.push((host, search));
    }
    hosts
}

#[test]
fn queries_find_and_rank_what_going_through_all_documents_does() {
    let is_deep = std::env::var("STACKROOM_DEEP").is_ok_and(|deep| deep == "1");
    let (seeds, count) = if is_deep { (10, 1000) } else { (2, 150) };
    for seed in 1..=seeds {
        let records = records(seed, 300 + seed * 20);
        let mut hosts = indexes(&records);
        compare(seed, count, &mut hosts, &records);
    }
}

#[test]
fn a_query_begins_anew_when_there_are_other_segments() {
    let records = records(3, 200);
    let mut host = Host::new();
    let mut search = build(&mut host, &records, |row| row % 50 == 49);
    let node = parse("mi or re*").expect("a query");
    let mut query = Query::new(&node, QueryOptions::default()).expect("a query");
    let whole = run(&mut host, &search, &node, QueryOptions::default(), 1000);
    // It stops in its middle, for want of a block.
    host.blocks = Blocks::new(1 << 16);
    let manifest = search.manifest();
    search = host
        .run(|blocks| SearchIndex::open(&manifest, blocks))
        .expect("an index");
    let index = Index::new();
    let stopped = query.rank(1000, &source(&search, &index), &mut host.blocks);
    assert!(matches!(stopped, Err(Stop::Missing(_))), "{stopped:?}");
    merge(&mut host, &mut search, true);
    while !host
        .run(|blocks| query.rank(1000, &source(&search, &index), blocks))
        .expect("sound")
    {}
    assert_eq!(query.hits(0, 1000), whole.hits(0, 1000));
    assert!(query.explain().len() >= 2);
}

#[test]
fn absurd_queries_are_refused_or_answered_and_the_next_one_works() {
    let records = records(4, 200);
    let mut host = Host::new();
    let search = build(&mut host, &records, |_| false);
    let refused = [
        (vec!["word"; 10_000].join(" "), "at most 512 words"),
        (
            vec!["word"; 10_000].join("-"),
            "words that follow each other",
        ),
        ("a*b".into(), "a star at the end"),
        (
            "re \"!?\"".into(),
            "there is no letter and no digit, at character 4",
        ),
        ("*".into(), "no letter"),
    ];
    for (text, why) in refused {
        let node = parse(&text).expect("a query");
        let error = Query::new(&node, QueryOptions::default())
            .err()
            .expect("a refusal");
        assert!(error.to_string().contains(why), "{error}");
    }
    let wide = parse("\"re\" x-t*").expect("a query");
    let query = run(&mut host, &search, &wide, QueryOptions::default(), 10);
    assert!(
        query
            .error()
            .is_some_and(|error| error.to_string().contains("too many words"))
    );
    let many = vec!["t*"; 500].join(" or ");
    for text in [many.as_str(), "a* or t* or r*", "-zzzz", "re"] {
        let node = parse(text).expect("a query");
        let query = run(&mut host, &search, &node, QueryOptions::default(), 10);
        assert!(query.count() > 0, "{text}");
        assert!(query.error().is_none());
    }
}
