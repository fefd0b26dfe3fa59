//! What hits say around the words of a query.

use stackroom::archive::surt;
use stackroom::codec::Writer;
use stackroom::index::{Documents, Index, Part};
use stackroom::query::parse;
use stackroom::search::{Field, Passage, Query, QueryOptions, SearchIndex, Snippet, Source};

use crate::corpus::{Made, records, text, word};
use crate::host::{Host, Random};
use crate::kept::build;

/// An archive with everything that is kept of it.
struct World {
    host: Host,
    search: SearchIndex,
    index: Index,
    documents: Documents,
}

impl World {
    fn new(records: &[Made]) -> World {
        let mut host = Host::new();
        let search = build(&mut host, records, |row| row % 100 == 99);
        let mut index = Index::new();
        let mut told = Writer::new();
        for (record, document) in records {
            let key = surt(&String::from_utf8_lossy(&record.url));
            assert!(index.push(record, key.as_bytes(), 0));
            if let Some(document) = document {
                document.write(&mut told);
            }
        }
        let rows = records.len() as u64;
        let (file, bytes) = (1000, index.flush(1));
        let length = bytes.len() as u64;
        host.files.insert(file, bytes);
        let part = Part {
            file,
            bytes: length,
            rows,
        };
        host.run(|blocks| index.adopt(part, blocks)).expect("rows");
        let mut documents = Documents::default();
        assert!(documents.add(&told.finish(), 0, rows));
        while let Some(row) = documents.next_row() {
            let (record, _) = &records[usize::try_from(row).expect("a row")];
            documents.take_in(record);
        }
        for (is_of_texts, file) in [(false, 1001), (true, 1002)] {
            let bytes = documents.flush(is_of_texts, 2);
            let length = bytes.len() as u64;
            host.files.insert(file, bytes);
            host.run(|blocks| documents.adopt(is_of_texts, file, length, blocks))
                .expect("documents");
        }
        World {
            host,
            search,
            index,
            documents,
        }
    }

    /// Hits of a query, with their passages and the marks of their titles.
    fn passages(&mut self, text: &str, records: &[Made]) -> Vec<(u32, Vec<Passage>, usize)> {
        let source = Source {
            search: &self.search,
            index: &self.index,
            documents: Some(&self.documents),
        };
        let node = parse(text).expect("a query");
        let mut query = Query::new(&node, QueryOptions::default()).expect("a query");
        while !self
            .host
            .run(|blocks| query.rank(50, &source, blocks))
            .expect("sound")
        {}
        let mut told = Vec::new();
        for hit in query.hits(0, 50) {
            let marks = query.marks(hit.row);
            let mut snippet = Snippet::new(&marks, hit.row);
            while !self
                .host
                .run(|blocks| snippet.step(&source, blocks))
                .expect("sound")
            {}
            let document = records[hit.row as usize].1.as_ref().expect("a document");
            let in_title = marks.find(Field::Title, &document.title).len();
            told.push((hit.row, snippet.passages().to_vec(), in_title));
        }
        told
    }
}

fn marked(passage: &Passage) -> Vec<&str> {
    let marks = passage.marks.iter();
    marks.map(|range| &passage.text[range.clone()]).collect()
}

#[test]
fn passages_are_of_the_text_and_have_the_words() {
    let records = records(21, 300);
    let mut world = World::new(&records);
    let mut random = Random(4);
    let mut checked = 0;
    for _ in 0..60 {
        let asked = word(random.below(300));
        for (row, passages, in_title) in world.passages(&format!("\"{asked}\""), &records) {
            let document = records[row as usize].1.as_ref().expect("a document");
            let is_in_text = document
                .text
                .to_lowercase()
                .split(|letter: char| !letter.is_alphanumeric())
                .any(|word| word == asked);
            assert!(passages.len() <= 2);
            for passage in &passages {
                let at = document
                    .text
                    .find(&passage.text)
                    .expect("a part of the text");
                assert_eq!(passage.is_begin, at == 0, "{asked} in {row}");
                assert!(passage.text.len() <= 400, "{} bytes", passage.text.len());
                assert!(!is_in_text || !passage.marks.is_empty(), "{asked} in {row}");
                for mark in marked(passage) {
                    assert_eq!(mark.to_lowercase(), asked);
                    checked += 1;
                }
            }
            let has_any = is_in_text || in_title > 0;
            assert!(
                has_any || String::from_utf8_lossy(&records[row as usize].0.url).contains(&asked)
            );
        }
    }
    assert!(checked > 500, "{checked} marks");
}

#[test]
fn passages_are_found_far_behind_in_long_texts() {
    let mut random = Random(8);
    let mut records = records(22, 20);
    let mut long = text(&mut random, 2000, 60_000);
    long.push_str(" and here \u{4e2d}\u{56fd}\u{4eba} the Needles are. ");
    long.push_str(&text(&mut random, 2000, 30_000));
    long.push_str(" one needle-case more \u{e4}\u{e4}\u{e4}zzz the end");
    let document = records[7].1.get_or_insert_default();
    document.row = 7;
    document.text = long.clone();
    let mut world = World::new(&records);
    let cases: [(&str, &[&str]); 6] = [
        ("needle", &["Needles", "needle"]),
        ("\"needle case\"", &["needle", "case"]),
        ("needl*", &["Needles", "needle"]),
        ("\u{4e2d}\u{56fd}\u{4eba}", &["\u{4e2d}\u{56fd}\u{4eba}"]),
        ("aaazzz", &["\u{e4}\u{e4}\u{e4}zzz"]),
        ("needles case -xyz", &["Needles", "needle", "case"]),
    ];
    for (asked, expected) in cases {
        let told = world.passages(asked, &records);
        let passages = told
            .iter()
            .find(|(row, ..)| *row == 7)
            .map(|(_, passages, _)| passages);
        let passages = passages.expect("a hit");
        assert!(!passages.is_empty(), "{asked}");
        let marks: Vec<&str> = passages.iter().flat_map(marked).collect();
        assert!(!marks.is_empty(), "{asked}");
        assert!(
            marks.iter().all(|mark| expected.contains(mark)),
            "{asked}: {marks:?}"
        );
        assert!(passages.iter().all(|passage| long.contains(&passage.text)));
        assert!(!asked.contains("zzz") || passages[0].is_end);
    }
}

#[test]
fn passages_show_what_expressions_match() {
    let mut random = Random(9);
    let mut records = records(23, 20);
    let mut long = text(&mut random, 2000, 9_000);
    // Over the end of a piece, which is 16,384 bytes.
    let end = (long.len() / 16_384 + 1) * 16_384;
    while long.len() < end - 10 {
        long.push_str(" filler");
    }
    long.push_str(" call +49 (30) 555-0199 or write \u{2014} no.");
    long.push_str(&text(&mut random, 2000, 9_000));
    let document = records[7].1.get_or_insert_default();
    document.row = 7;
    document.title = "Form 1040-A of 2019".into();
    document.text = long.clone();
    let mut world = World::new(&records);
    let cases: [(&str, &[&str], usize); 7] = [
        (r"body:/\+49 \(\d+\) [\d-]+/", &["+49 (30) 555-0199"], 0),
        (r"body:/555-\d{4}/ title:/\d{4}-A/", &["555-0199"], 1),
        (r"body:/555-\d{4}/ and write", &["555-0199", "write"], 0),
        (r"body:/CALL \+/i", &["call +"], 0),
        (r"body:/\(30\) 555/ not body:/zebra/", &["(30) 555"], 0),
        (r"body:/\u{2014}/", &["\u{2014}"], 0),
        (r"title:/\d{4}$/", &[], 1),
    ];
    for (asked, expected, in_title) in cases {
        let asked = asked.replace(r"\u{2014}", "\u{2014}");
        let told = world.passages(&asked, &records);
        let hit = told.iter().find(|(row, ..)| *row == 7);
        let (_, passages, marked_in_title) = hit.expect("a hit");
        let marks: Vec<&str> = passages.iter().flat_map(marked).collect();
        for mark in expected {
            assert!(marks.contains(mark), "{asked}: {marks:?}");
        }
        assert!(marks.iter().all(|mark| expected.contains(mark)), "{asked}");
        assert_eq!(*marked_in_title, in_title, "{asked}");
        assert!(passages.iter().all(|passage| long.contains(&passage.text)));
    }
}
