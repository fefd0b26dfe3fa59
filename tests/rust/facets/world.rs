//! An archive in memory: its rows, what is kept of them, and what a streaming reader knows of each.

use std::collections::BTreeSet;

use roaring::RoaringBitmap;
use stackroom::archive::{HttpHead, Record, WarcHead, surt};
use stackroom::codec::Writer;
use stackroom::document::{Document, DocumentKind};
use stackroom::index::{Documents, Index, Part};
use stackroom::query::{Facts, Leaf, Node, Predicate, parse};
use stackroom::row::Row;
use stackroom::search::{Counted, Counting, CountingOrder, Facets, SearchIndex, Selection, Source};

use crate::host::Host;
use crate::support::Random;

pub struct One {
    pub row: Row,
    pub facts: Facts,
    pub document: Option<Document>,
}

pub struct World {
    pub host: Host,
    pub all: Vec<One>,
    pub index: Index,
    pub documents: Documents,
    pub search: SearchIndex,
    next_file: u32,
}

const HOSTS: [&str; 8] = [
    "a.test",
    "www.a.test",
    "A.TEST",
    "b.test:8080",
    "user@b.test",
    "c.b.test",
    "aa.test",
    "[::1]",
];
const PATHS: [&str; 12] = [
    "/",
    "",
    "/x.html",
    "/x.PDF?q=1",
    "/wp-content/x.png",
    "/a/b/c",
    "?q=http://a.test/",
    "/%7Efoo#bar",
    "/x.tar.gz",
    "/\u{e9}",
    "/page=12",
    "/PAGE=7",
];
const SCHEMES: [&str; 4] = ["http://", "https://", "HTTP://", "ftp://"];
const MIMES: [&str; 6] = [
    "text/html; charset=x",
    "Text/HTML",
    "image/png",
    "application/json",
    "",
    "x",
];
const KINDS: [&str; 7] = [
    "response", "request", "warcinfo", "resource", "revisit", "metadata", "strange",
];
const DIGESTS: [&str; 4] = [
    "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5",
    "SHA-1:a9993e364706816aba3e25717850c26c9cd0d89d",
    "md5:900150983cd24fb0d6963f7d28e17f72",
    "",
];
const TITLES: [&str; 8] = [
    "Home",
    "home",
    "Anna Kar\u{e9}nine",
    "Ana",
    "",
    "The Silmarillion",
    "two\nlines",
    "\u{1f600} faces",
];
const LANGUAGES: [&str; 6] = ["de", "en", "en-gb", "deu", "", "no tag\0"];
const WORDS: [&str; 8] = [
    "the",
    "hobbit,",
    "Tolkien",
    "tolkien",
    "na\u{ef}ve",
    "silmarillion",
    "x1yz",
    "\u{4e2d}\u{56fd}abc",
];

fn pick<'a>(random: &mut Random, from: &[&'a str]) -> &'a str {
    from[random.below(from.len())]
}

fn one(number: u64, random: &mut Random) -> One {
    let url = match random.below(30) {
        0 => "dns:a.test".to_owned(),
        1 => "urn:x".to_owned(),
        2 => "a.test/x.html".to_owned(),
        _ => [
            pick(random, &SCHEMES),
            pick(random, &HOSTS),
            pick(random, &PATHS),
        ]
        .concat(),
    };
    let kind = pick(random, &KINDS);
    let seconds = match random.below(3) {
        0 => 1_388_534_400 + random.below(86_400 * 90),
        1 => 1_388_534_400 + random.below(100),
        _ => random.below(usize::try_from(u32::MAX).unwrap_or(usize::MAX)),
    };
    let date = shown_date(seconds as u64);
    let digest = pick(random, &DIGESTS);
    let mut head = WarcHead::default();
    let text = format!(
        "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\n{}Content-Type: {}\r\n{}\r\n",
        if random.below(20) == 0 {
            String::new()
        } else {
            format!("WARC-Date: {date}\r\n")
        },
        pick(random, &MIMES),
        if digest.is_empty() {
            String::new()
        } else {
            format!("WARC-Payload-Digest: {digest}\r\n")
        },
    );
    head.raw.extend_from_slice(text.as_bytes());
    head.parse();
    let nothing = Predicate::all();
    let (mut row, mut facts) = (Row::default(), Facts::begin(&head, &nothing));
    row.begin(&head);
    if matches!(kind, "response" | "revisit") {
        let status = [200, 200, 301, 404, 500, 99][random.below(6)];
        let http = HttpHead::of(
            format!(
                "HTTP/1.1 {status} X\r\nContent-Type: {}\r\n\r\n",
                pick(random, &MIMES)
            )
            .into_bytes(),
        );
        row.http(&http);
        facts.http(&http, &nothing);
    }
    let record = Record {
        offset: number * 100,
        length: 90,
        payload_bytes: match random.below(4) {
            0 => 0,
            1 => random.below(100) as u64,
            2 => 1 << random.below(40),
            _ => random.below(3_000_000) as u64,
        },
        ..Record::default()
    };
    row.end(&record);
    facts.end(&record, &nothing);
    let document = (random.below(2) == 0).then(|| document(number, random));
    One {
        row,
        facts,
        document,
    }
}

fn document(row: u64, random: &mut Random) -> Document {
    let long = if random.below(60) == 0 { 6000 } else { 12 };
    let words: Vec<&str> = (0..random.below(long))
        .map(|_| pick(random, &WORDS))
        .collect();
    Document {
        row,
        kind: DocumentKind::from_number(random.below(8) as u64).expect("a kind"),
        is_fragment: random.below(9) == 0,
        title: pick(random, &TITLES).into(),
        language: pick(random, &LANGUAGES).into(),
        text: words.join(if row.is_multiple_of(2) { " " } else { "\n" }),
        ..Document::default()
    }
}

fn shown_date(seconds: u64) -> String {
    let mut days = seconds / 86_400;
    let mut year = 1970;
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let months = [
        31,
        28 + u64::from(is_leap(year)),
        31,
        30,
        31,
        30,
        31,
        31,
        30,
        31,
        30,
        31,
    ];
    let mut month = 1;
    for length in months {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    let second = seconds % 86_400;
    format!(
        "{year:04}-{month:02}-{:02}T{:02}:{:02}:{:02}Z",
        days + 1,
        second / 3600,
        second / 60 % 60,
        second % 60
    )
}

impl World {
    /// Of so many records, in so many segments of rows and of facets.
    pub fn new(random: &mut Random, records: usize, segments: usize) -> World {
        let mut world = World {
            host: Host::new(),
            all: (0..records)
                .map(|number| one(number as u64, random))
                .collect(),
            index: Index::new(),
            documents: Documents::default(),
            search: SearchIndex::default(),
            next_file: 0,
        };
        world.keep_rows(segments);
        world.keep_documents();
        world.keep_facets(segments + 1);
        world
    }

    fn file(&mut self, bytes: Vec<u8>) -> (u32, u64) {
        let file = self.next_file;
        self.next_file += 1;
        let length = bytes.len() as u64;
        self.host.files.insert(file, bytes);
        (file, length)
    }

    fn keep_rows(&mut self, segments: usize) {
        let each = self.all.len().div_ceil(segments);
        for start in (0..self.all.len()).step_by(each) {
            let end = self.all.len().min(start + each);
            for one in &self.all[start..end] {
                let key = surt(&String::from_utf8_lossy(&one.row.url));
                assert!(self.index.push(&one.row, key.as_bytes(), 0));
            }
            let bytes = self.index.flush(start as u64);
            let (file, bytes) = self.file(bytes);
            let rows = (end - start) as u64;
            let index = &mut self.index;
            let part = Part { file, bytes, rows };
            self.host
                .run(|blocks| index.adopt(part, blocks))
                .expect("sound");
        }
    }

    fn keep_documents(&mut self) {
        let mut out = Writer::new();
        self.all
            .iter()
            .filter_map(|one| one.document.as_ref())
            .for_each(|one| one.write(&mut out));
        assert!(self.documents.add(&out.finish(), 0, self.all.len() as u64));
        while let Some(row) = self.documents.next_row() {
            let one = &self.all[usize::try_from(row).expect("a row")];
            self.documents.take_in(&one.row);
        }
        for is_of_texts in [false, true] {
            let bytes = self.documents.flush(is_of_texts, 7);
            if bytes.is_empty() {
                continue;
            }
            let (file, bytes) = self.file(bytes);
            let documents = &mut self.documents;
            let adopt = self
                .host
                .run(|blocks| documents.adopt(is_of_texts, file, bytes, blocks));
            adopt.expect("sound");
        }
    }

    fn keep_facets(&mut self, segments: usize) {
        let each = self.all.len().div_ceil(segments);
        for start in (0..self.all.len()).step_by(each) {
            let end = self.all.len().min(start + each);
            for (one, row) in self.all[start..end].iter().zip(start..) {
                assert!(
                    self.search
                        .push(row as u64, &one.row, one.document.as_ref())
                );
            }
            let bytes = self.search.flush(start as u64);
            let (file, bytes) = self.file(bytes);
            let search = &mut self.search;
            let adopted = self.host.run(|blocks| search.adopt(file, bytes, blocks));
            adopted.expect("sound");
        }
    }

    /// The rows that a condition selects.
    pub fn select(&mut self, query: &str, within: Option<&RoaringBitmap>) -> Selection {
        let leaf = leaf(query);
        let mut selection = Selection::of(&leaf).unwrap_or_else(|error| panic!("{query}: {error}"));
        let source = Source {
            search: &self.search,
            index: &self.index,
            documents: Some(&self.documents),
        };
        let weighed = self.host.run(|blocks| selection.weigh(&source, blocks));
        weighed.expect("sound");
        while !self
            .host
            .run(|blocks| selection.step(&source, within, blocks))
            .expect("sound")
        {}
        selection
    }

    /// Values of a field and how many of these rows have each, told by the rows where they are few, or by the values.
    pub fn count(
        &mut self,
        field: &str,
        order: CountingOrder,
        rows: &RoaringBitmap,
        by_rows: bool,
    ) -> Vec<Counted> {
        let facets = Facets::new(self.search.segments());
        let mut counting = Counting::new(field, b"", order, 5).within(rows.clone());
        let index = by_rows.then_some(&self.index);
        while !self
            .host
            .run(|blocks| counting.step(&facets, index, blocks))
            .expect("sound")
        {}
        counting.take()
    }

    /// Those of which something holds.
    pub fn rows_where(&self, holds: impl Fn(&One) -> bool) -> BTreeSet<u32> {
        let rows = self.all.iter().zip(0..).filter(|(one, _)| holds(one));
        rows.map(|(_, row)| row).collect()
    }
}

/// The one condition of a query.
pub fn leaf(query: &str) -> Leaf {
    match parse(query) {
        Ok(Node::Leaf(leaf)) => leaf,
        other => panic!("{query} is no condition: {other:?}"),
    }
}
