//! Documents: the same ones however a file is cut and whenever they are taken, in bounded memory; and whatever a body
//! is, reading it ends soon.
//!
//! `STACKROOM_DEEP=1` cuts and flips at every byte; without it at a seeded sample.

mod support;

use std::rc::Rc;
use std::time::Instant;

use proptest::prelude::*;
use stackroom::archive::{Feed, Format, Part, Pick, detect, parser};
use stackroom::captures::Captures;
use stackroom::codec::Reader;
use stackroom::document::{Document, DocumentKind, Found, Helper, read};
use stackroom::harvest::{DocumentsAgain, Harvest, Harvesting, may_be_document};
use stackroom::limits::{DOCUMENT_BYTES_MAX, HARVEST_HELD_BYTES_MAX};
use support::fixtures::{bombs, fixtures};
use support::{Random, gzip, is_deep, record};

/// The sets of another library.
struct Native;

impl Helper for Native {
    fn decode(&mut self, charset: &str, bytes: &[u8]) -> Option<String> {
        let encoding = encoding_rs::Encoding::for_label(charset.as_bytes())?;
        Some(encoding.decode(bytes).0.into_owned())
    }

    fn pdf(&mut self, body: &[u8]) -> Option<Document> {
        stackroom::pdf::read(body.to_vec())
    }
}

/// All documents of a file, as bodies, when it is fed in pieces of `window` bytes and what was found is taken whenever
/// `takes` says so. What is passed over by then is read once more.
fn found(format: Format, bytes: &[u8], window: usize, takes: impl FnMut() -> bool) -> Vec<Found> {
    let (captures, mut taken, rest) = while_reading(format, bytes, window, takes);
    if let Some(rest) = rest {
        taken.extend(again(&captures, bytes, rest, window));
    }
    let mut reader = Reader::new(&taken);
    let found: Vec<_> = std::iter::from_fn(|| Found::read(&mut reader)).collect();
    assert!(reader.is_empty());
    assert!(
        found.windows(2).all(|pair| pair[0].row < pair[1].row),
        "rows are in order"
    );
    assert!(found.iter().all(|one| one.row < captures.len() as u64));
    found
}

/// The table of a file, documents that were found while it was read, and from which row on they were passed over.
fn while_reading(
    format: Format,
    bytes: &[u8],
    window: usize,
    mut takes: impl FnMut() -> bool,
) -> (Captures, Vec<u8>, Option<usize>) {
    let (mut captures, mut harvest) = (Captures::new(), Harvest::new());
    captures.begin_file(Part {
        format,
        ..Part::default()
    });
    let mut parser = parser(format, Some(bytes.len() as u64));
    let mut taken = Vec::new();
    let mut steps = 0;
    loop {
        let mut sink = Harvesting {
            captures: &mut captures,
            harvest: &mut harvest,
        };
        let at = usize::try_from(parser.wanted())
            .unwrap_or(usize::MAX)
            .min(bytes.len());
        let piece = &bytes[at..bytes.len().min(at.saturating_add(window))];
        let is_done = match piece.is_empty() {
            true => parser.finish(bytes.len() as u64, &mut sink),
            false => {
                parser.feed(piece, &mut sink);
                false
            }
        };
        let held_max = HARVEST_HELD_BYTES_MAX + 2 * DOCUMENT_BYTES_MAX;
        assert!(
            harvest.held_bytes() < held_max,
            "{} bytes are held",
            harvest.held_bytes()
        );
        if is_done || takes() {
            harvest.take(usize::MAX, &mut taken);
            assert_eq!((harvest.held_bytes(), harvest.first_row()), (0, None));
        }
        if is_done {
            break;
        }
        steps += 1;
        assert!(
            steps < 1_000_000 + 200 * bytes.len(),
            "reading does not end"
        );
    }
    let rest = harvest
        .passed_over()
        .and_then(|row| usize::try_from(row).ok());
    assert!(rest.is_none_or(|row| row < captures.len()));
    (captures, taken, rest)
}

/// Documents of the rows of a table from one on, picked in the file.
fn again(captures: &Captures, bytes: &[u8], from: usize, window: usize) -> Vec<u8> {
    let mut again = DocumentsAgain::default();
    let mut taken = Vec::new();
    let mut rows = from..captures.len();
    let mut steps = 0;
    loop {
        while again.waiting() < 3
            && let Some(row) = rows.next()
        {
            let (part, offset, skip) = captures.place(row).expect("a row");
            match may_be_document(captures, row) {
                true => again.pick(Pick {
                    row,
                    part: Rc::new(captures.parts()[part].part.clone()),
                    offset,
                    skip,
                }),
                false => again.pass_over(row),
            }
        }
        let size = bytes.len();
        let at = usize::try_from(again.wanted()).unwrap_or(size).min(size);
        let piece = &bytes[at..size.min(at.saturating_add(window))];
        let is_done = match piece.is_empty() {
            true => again.finish(size as u64),
            false => {
                again.feed(piece);
                false
            }
        };
        again.harvest().take(usize::MAX, &mut taken);
        if is_done && rows.is_empty() {
            break;
        }
        steps += 1;
        assert!(steps < 1_000_000 + 200 * size, "reading does not end");
    }
    let all = if from < captures.len() {
        captures.len()
    } else {
        0
    };
    assert_eq!(again.taken_up_to(), all as u64);
    taken
}

fn documents(found: &[Found]) -> Vec<Document> {
    found
        .iter()
        .map(|one| read(one.clone(), &mut Native))
        .collect()
}

#[test]
fn fixtures_have_the_same_documents_however_they_are_cut() {
    let mut random = Random::new(7);
    let mut count = 0;
    for case in fixtures() {
        let Ok(format) = detect(&case.bytes) else {
            continue;
        };
        let whole = found(format, &case.bytes, usize::MAX, || false);
        for window in [1 + random.below(50), 1 + random.below(5000)] {
            let cut = found(format, &case.bytes, window, || random.below(3) == 0);
            assert_eq!(cut, whole, "{} in pieces of {window}", case.name);
        }
        count += documents(&whole).len();
    }
    assert!(count > 150, "{count} documents");
}

#[test]
fn documents_that_are_read_once_more_are_those_that_were_read_at_first() {
    let mut random = Random::new(9);
    let mut count = 0;
    for case in fixtures() {
        let Ok(format) = detect(&case.bytes) else {
            continue;
        };
        let (captures, at_first, rest) = while_reading(format, &case.bytes, usize::MAX, || false);
        assert_eq!(rest, None, "{}", case.name);
        let window = [usize::MAX, 1 + random.below(3000)][random.below(2)];
        let once_more = again(&captures, &case.bytes, 0, window);
        assert_eq!(once_more, at_first, "{} in pieces of {window}", case.name);
        count += usize::from(!at_first.is_empty());
    }
    assert!(count > 100, "{count} files with documents");
}

#[test]
fn where_too_many_wait_the_rest_is_passed_over_and_read_once_more() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
    let pages: Vec<Vec<u8>> = (0..30)
        .map(|n| {
            let block = format!("{head}<title>{n}</title>{}", "word ".repeat(100_000));
            record("response", &format!("http://a.test/{n}"), block.as_bytes())
        })
        .collect();
    let file = pages.concat();
    let (_, _, rest) = while_reading(Format::Warc, &file, 1 << 20, || false);
    assert!(rest.is_some_and(|row| (10..25).contains(&row)), "{rest:?}");
    let all = found(Format::Warc, &file, 1 << 20, || true);
    assert_eq!(all.len(), 30);
    assert_eq!(found(Format::Warc, &file, 1 << 20, || false), all);
}

#[test]
fn bombs_are_cut() {
    for case in bombs() {
        let Ok(format) = detect(&case.bytes) else {
            continue;
        };
        let documents = documents(&found(format, &case.bytes, 256 << 10, || false));
        assert!(
            documents
                .iter()
                .all(|one| one.text.len() <= DOCUMENT_BYTES_MAX)
        );
    }
}

#[test]
fn a_long_body_is_cut_and_said_to_be() {
    let body = format!("<title>long</title>{}", "word ".repeat(1 << 20));
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n";
    let block = [head.as_bytes(), &gzip(body.as_bytes())].concat();
    let file = [
        record("response", "http://a.test/", &block),
        record("response", "http://a.test/2", &block),
    ]
    .concat();
    let found = found(Format::Warc, &file, 1000, || false);
    assert_eq!(found.len(), 2);
    assert!(
        found
            .iter()
            .all(|one| one.is_cut && one.body.len() == DOCUMENT_BYTES_MAX)
    );
    assert!(
        documents(&found)
            .iter()
            .all(|one| one.is_cut && one.title == "long")
    );
}

#[test]
fn texts_in_any_set_are_read() {
    for (charset, text) in [
        ("utf-8", "\u{e4}\u{1f600}"),
        ("windows-1251", "\u{43f}\u{440}\u{438}"),
        ("shift_jis", "\u{65e5}\u{672c}"),
        ("gbk", "\u{4e2d}\u{6587}"),
        ("utf-16le", "\u{e4}b"),
    ] {
        let body = match charset {
            "utf-16le" => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            _ => {
                let encoding = encoding_rs::Encoding::for_label(charset.as_bytes()).expect("a set");
                encoding.encode(text).0.into_owned()
            }
        };
        let found = Found {
            kind: DocumentKind::Text,
            charset: charset.into(),
            body,
            ..Found::default()
        };
        assert_eq!(read(found, &mut Native).text, text, "{charset}");
    }
}

const KINDS: [DocumentKind; 6] = [
    DocumentKind::Html,
    DocumentKind::Xhtml,
    DocumentKind::Text,
    DocumentKind::Json,
    DocumentKind::Xml,
    DocumentKind::Feed,
];

fn read_as(kind: DocumentKind, body: &[u8]) -> Document {
    let found = Found {
        kind,
        charset: "utf-8".into(),
        body: body.to_vec(),
        ..Found::default()
    };
    read(found, &mut Native)
}

#[test]
fn whatever_is_cut_off_or_changed_is_read_to_its_end() {
    let page = "<!DOCTYPE html><html lang=\"de\"><head><title>A &amp; B</title><base href=/><link rel=icon href=i>\
                <meta name=description content='d'><script>var a = \"<!--<script>\";</script><style>b</style></head>\
                <body><h1>C &#x1f600;</h1><svg><title>d</title><![CDATA[e]]></svg><img srcset='f 1x, g 2x' alt=h>\
                <template><p></template><pre>\n i\n</pre><textarea></p></textarea><!-- j --!><a href=\"k\">l</a></body></html>";
    let feed = "<?xml version='1.0'?><rss><channel><title>A</title><item><link>http://a.test/</link>\
                <description><![CDATA[<p>b]]></description></item></channel></rss>";
    let json = r#"{"a": ["b\u00e4\ud83d\ude00", {"c": "http://a.test/"}], "d": "e\\"}"#;
    let mut random = Random::new(11);
    for text in [page, feed, json].map(str::as_bytes) {
        for kind in KINDS {
            for at in 0..text.len() {
                if is_deep() || random.below(4) == 0 {
                    read_as(kind, &text[..at]);
                    read_as(kind, &text[at..]);
                    let mut changed = text.to_vec();
                    for bit in 0..8 {
                        changed[at] = text[at] ^ 1 << bit;
                        read_as(kind, &changed);
                    }
                }
            }
        }
    }
}

#[test]
fn hostile_bodies_take_no_longer_than_others() {
    let long = |piece: &str| piece.repeat((DOCUMENT_BYTES_MAX / 4) / piece.len());
    let usual = long("<p class=\"a b\">Some words of <a href=\"/page\">text</a> &amp; more.</p>\n");
    let seconds = |kind, body: &str| {
        let start = Instant::now();
        read_as(kind, body.as_bytes());
        start.elapsed().as_secs_f64()
    };
    // What takes the square of its length takes minutes; a machine that is busy takes a second now and then.
    let limit = 30.0
        * KINDS
            .iter()
            .map(|&kind| seconds(kind, &usual))
            .fold(0.3, f64::max);
    for piece in [
        "<",
        "</",
        "<a",
        "<a ",
        "<a b",
        "<a b=",
        "<a b='",
        "<a b=\"c\"",
        "<!",
        "<!-",
        "<!--",
        "<!-->",
        "--",
        "<![CDATA[",
        "]]",
        "<?",
        "&",
        "&#",
        "&#x",
        "&#9",
        "&a",
        "&amp",
        "&CounterClockwiseContourIntegra",
        "<div>",
        "</div>",
        "<b></i>",
        "<svg>",
        "<svg><p>",
        "</svg>",
        "<math><mi>",
        "<template>",
        "<title>",
        "<title></",
        "<textarea></textare",
        "<script>",
        "<script><!--",
        "<script><!--<script>",
        "<!--<script></script>",
        "<style></",
        "<pre>",
        "<h1>",
        "<h1></h1>",
        "<plaintext>",
        "<a href=x>",
        "<a href=#>",
        "<meta name=description content=x>",
        "\"",
        "\\",
        "\"\\",
        "\"a\":",
        "[\"a\",",
        "{",
        "<item>",
        "<a:b>",
        "</a:b>",
        "<rss><title>",
        " ",
        "\n",
        "\0",
        "\u{a0}",
        "\u{e4}",
        "a",
        "<img srcset=,>",
        "<img alt=a>",
        "<link rel=icon href=a>",
        "<base href=a>",
        "<a/b/c",
        "<a =",
        "='",
    ] {
        let (body, once) = (long(piece), format!("{piece}{}", long(" x")));
        for kind in KINDS {
            for body in [&body, &once] {
                let taken = seconds(kind, body);
                assert!(
                    taken < limit,
                    "{piece:?} as {kind:?} took {taken} s of {limit}"
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_are_some_document(body in prop::collection::vec(any::<u8>(), 0..300), kind in 0..6usize) {
        read_as(KINDS[kind], &body);
    }

    #[test]
    fn any_tokens_are_read(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40), kind in 0..6usize) {
        let document = read_as(KINDS[kind], pieces.concat().as_bytes());
        prop_assert!(!document.text.contains("  ") && document.text.trim() == document.text);
    }
}

const PIECES: [&str; 40] = [
    "<",
    ">",
    "</",
    "/>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<?xml",
    "?>",
    "<svg",
    "</svg>",
    "<math>",
    "<title",
    "</title>",
    "<script",
    "</script>",
    "<template>",
    "</template>",
    "<p",
    "<a",
    " href=",
    "\"",
    "'",
    "=",
    " ",
    "\n",
    "&",
    "&amp;",
    "&#",
    "x;",
    "a",
    "\u{e4}",
    "\0",
    "<rss>",
    "<item>",
    "{\"",
    "\\u",
    ":",
    "[",
];
