//! Conditions on columns select the rows of which they hold, as the streaming reader tells it, whatever the plan.

use roaring::RoaringBitmap;
use stackroom::query::Predicate;
use stackroom::search::{CountingOrder, Selection};

use crate::support::{Random, is_deep};
use crate::world::{World, leaf};

/// What stands for parts of queries; each sign of `{}` in turn.
const OF_RECORDS: [&str; 66] = [
    "type:response",
    "type:unknown",
    "type:/^re/",
    "{type==\"request\"}",
    "{type=~\"re.*\"}",
    "{type=~\"re|x\"}",
    "status:200",
    "status:4xx",
    "status:*",
    "status:>=301",
    "status:..200",
    "{status=~\"[34]..\"}",
    "status:/0/",
    "mime:text/html",
    "mime:*",
    "mime:*/png",
    "mime:image/*",
    "mime:/JSON/",
    "mime:\"x\"",
    "{mime=~\"text/html|x\"}",
    "host:a.test",
    "host:*.a.test",
    "host:a*",
    "host:/^a+\\.test$/",
    "host:/\\.test/",
    "host:[::1]",
    "domain:a.test",
    "domain:test",
    "domain:b.test",
    "date:2014",
    "date:2014-01",
    "date:2014-01-01",
    "date:2014-01-01T00:00",
    "date:>=2014-02-10",
    "date:<2014",
    "date:*",
    "date:2014-01-20..2014-03-02",
    "date:1970..2106",
    "date:2014-01-01T00:00:07",
    "size:0",
    "size:>1mb",
    "size:10..90",
    "size:<=1024",
    "size:*",
    "size:1000..5000000",
    "size:1kib",
    "digest:sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5",
    "digest:a9993e364706816aba3e25717850c26c9cd0d89d",
    "digest:md5:900150983CD24FB0D6963F7D28E17F72",
    "url:http://a.test/",
    "url:a.test/x.html",
    "url:\"https://www.a.test/x.html\"",
    "url:*.pdf*",
    "url:*/wp-content/*",
    "url:http://a.test/*",
    "url:a.test/*",
    "url:http://a*",
    "url:/\\.PDF/i",
    "url:/page=\\d+/",
    "url:/^https?:\\/\\/a\\.test\\//",
    "url:/x\\.html$/",
    "url:/^dns:/",
    "url:*",
    "url:b.test:8080*",
    "url:dns:a.test",
    "{url=~\"http://a.test/x.html|urn:x\"}",
];

fn withins(random: &mut Random, rows: usize) -> Vec<Option<RoaringBitmap>> {
    let rows = u32::try_from(rows).expect("rows");
    let few = (0..3).map(|_| u32::try_from(random.below(rows as usize)).expect("a row"));
    vec![
        None,
        Some(RoaringBitmap::new()),
        Some(few.collect()),
        Some((0..rows).filter(|row| row % 7 == 3).collect()),
        Some((0..rows * 2).collect()),
    ]
}

#[test]
fn a_selection_has_the_rows_that_a_reader_would_have_kept() {
    let mut random = Random::new(21);
    for (records, segments) in [
        (3000, 3),
        (70, 1),
        (if is_deep() { 200_000 } else { 70_000 }, 4),
    ] {
        let mut world = World::new(&mut random, records, segments);
        let withins = withins(&mut random, records);
        for query in OF_RECORDS {
            let predicate =
                Predicate::parse(query).unwrap_or_else(|error| panic!("{query}: {error}"));
            let expected: RoaringBitmap = world
                .rows_where(|one| predicate.holds(&one.facts) == Some(true))
                .into_iter()
                .collect();
            for within in &withins {
                let selection = world.select(query, within.as_ref());
                let expected = match within {
                    Some(within) => &expected & within,
                    None => expected.clone(),
                };
                assert_eq!(
                    selection.rows(),
                    &expected,
                    "{query} {:?}",
                    selection.plan()
                );
                assert!(!selection.plan().is_empty(), "{query}");
            }
        }
    }
}

#[test]
fn what_documents_say_is_selected() {
    let mut random = Random::new(22);
    let mut world = World::new(&mut random, 3000, 2);
    let withins = withins(&mut random, 3000);
    type Says = fn(&crate::world::One) -> bool;
    fn document(one: &crate::world::One) -> Option<&stackroom::document::Document> {
        one.document.as_ref()
    }
    let cases: Vec<(&str, Says)> = vec![
        ("lang:en", |one| {
            document(one).is_some_and(|it| it.language == "en" || it.language == "en-gb")
        }),
        ("lang:\"de\"", |one| {
            document(one).is_some_and(|it| it.language == "de")
        }),
        ("lang:de*", |one| {
            document(one).is_some_and(|it| it.language.starts_with("de"))
        }),
        ("ext:pdf", |one| {
            let url = String::from_utf8_lossy(&one.row.url).to_ascii_lowercase();
            url.contains("://") && url.contains(".pdf")
        }),
        ("title:Home", |one| {
            document(one).is_some_and(|it| it.title == "Home")
        }),
        ("{title==\"two\nlines\"}", |one| {
            document(one).is_some_and(|it| it.title == "two\nlines")
        }),
        ("title:/home/i", |one| {
            document(one).is_some_and(|it| it.title.eq_ignore_ascii_case("home"))
        }),
        ("{title=~\"A[n]?na.*\"}", |one| {
            document(one)
                .is_some_and(|it| it.title.starts_with("Ana") || it.title.starts_with("Anna"))
        }),
        ("{title=~\"two.*\"}", |one| {
            document(one).is_some_and(|it| it.title == "two")
        }),
        ("title:/^.{1,2}$/", |_| false),
        ("title:/\u{1f600}/", |one| {
            document(one).is_some_and(|it| it.title.contains("faces"))
        }),
        ("text:/[tT]olkien/", |one| {
            document(one).is_some_and(|it| it.text.to_lowercase().contains("tolkien"))
        }),
        ("text:/hobbit, the\\b/", |one| {
            document(one).is_some_and(|it| it.text.contains("hobbit, the"))
        }),
        ("body:/^the.*hobbit,$/", |one| {
            document(one).is_some_and(|it| {
                it.text.starts_with("the")
                    && it.text.ends_with("hobbit,")
                    && !it.text.contains('\n')
            })
        }),
        ("text:/(silmarillion|x1yz) na/", |one| {
            document(one).is_some_and(|it| {
                it.text.contains("silmarillion na") || it.text.contains("x1yz na")
            })
        }),
        ("text:/^$/", |one| {
            document(one).is_some_and(|it| it.text.is_empty())
        }),
        ("text:/nowhere/", |_| false),
        ("text:/56fd|\u{56fd}abc/", |one| {
            document(one).is_some_and(|it| it.text.contains("abc"))
        }),
        ("document:pdf", |one| {
            document(one).is_some_and(|it| it.kind == stackroom::document::DocumentKind::Pdf)
        }),
        ("year:2014", |one| {
            one.row
                .date
                .is_some_and(|date| (1_388_534_400..1_420_070_400).contains(&date))
        }),
    ];
    for (query, says) in cases {
        let expected: RoaringBitmap = world.rows_where(says).into_iter().collect();
        for within in &withins {
            let selection = world.select(query, within.as_ref());
            let expected = match within {
                Some(within) => &expected & within,
                None => expected.clone(),
            };
            assert_eq!(
                selection.rows(),
                &expected,
                "{query} {:?}",
                selection.plan()
            );
            let progress = selection.progress();
            assert_eq!(
                (progress.seen, progress.unread),
                (progress.candidates, 0),
                "{query}"
            );
        }
    }
}

#[test]
fn few_rows_tell_their_values_as_the_values_tell_their_rows() {
    let mut random = Random::new(24);
    let mut world = World::new(&mut random, 70_000, 3);
    for within in withins(&mut random, 70_000).into_iter().flatten() {
        for field in [
            "type", "status", "mime", "host", "ext", "year", "month", "size", "lang",
        ] {
            let after = |after: Option<&[u8]>| CountingOrder::ByValue {
                after: after.map(<[u8]>::to_vec),
            };
            for order in [CountingOrder::ByCount, after(None), after(Some(b"4"))] {
                let by_values = world.count(field, order.clone(), &within, false);
                let by_rows = world.count(field, order.clone(), &within, true);
                assert_eq!(by_rows, by_values, "{field} {order:?}");
            }
        }
    }
}

#[test]
fn one_url_is_found_without_asking_others() {
    let mut random = Random::new(23);
    let mut world = World::new(&mut random, 60_000, 2);
    for (query, asked) in [
        ("url:http://a.test/x.html", 5000),
        ("url:http://a.test/x*", 20_000),
        ("url:/^https?:\\/\\/b\\.test\\//", 20_000),
        ("url:*x*", 60_000),
    ] {
        let seen = world.select(query, None).progress().seen;
        assert!(
            (1..=asked).contains(&seen),
            "{query}: {seen} rows were asked"
        );
    }
}

#[test]
fn conditions_that_cannot_be_are_refused_with_their_column() {
    let cases = [
        (
            "header.server:x",
            "header.server: only the records themselves tell this, at character 1",
        ),
        (
            "method:GET",
            "method: only the records themselves tell this",
        ),
        ("archive:x", "archive: names one of several archives"),
        (
            "stauts:404",
            "stauts: there is no such column; expected one of type, status",
        ),
        (
            "http://a.test/",
            "http: there is no such column; expected url:http://a.test/",
        ),
        (
            "text:word",
            "text: expected a /regex/; words of texts are asked for without a column, found \"word\"",
        ),
        (
            "text:/(/",
            "text: expected a /regex/; words of texts are asked for without a column, found \"(\" (",
        ),
        (
            "title:/a{1000000}/",
            "title: expected a value, a glob such as a*, or a /regex/, found \"a{1000000}\" (",
        ),
        (
            "{k=~\"a)|(b\"}",
            "k: expected a regular expression, found \"a)|(b\" (it closes a bracket",
        ),
        (
            "{k=~\"(\"}",
            "k: expected a value, a glob such as a*, or a /regex/, found \"(\" (",
        ),
        (
            "digest:sha1:VG*",
            "digest: only the records themselves tell this",
        ),
        ("raw:x", "raw: only the records themselves tell this"),
        ("lang:/[/", "lang: expected a language such as de or pt-br"),
        ("status:abc", "status: expected a status such as 404"),
        ("word", "expected a column and its value"),
    ];
    for (query, start) in cases {
        let Err(error) = Selection::of(&leaf(query)) else {
            panic!("{query} is wrong");
        };
        assert!(
            error.message.starts_with(start),
            "{query}: {}",
            error.message
        );
        assert!(
            error.message.contains(", at character "),
            "{query}: {}",
            error.message
        );
        assert!(error.code.starts_with("query/"), "{query}");
    }
}
