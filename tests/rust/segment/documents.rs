//! Documents that are kept beside rows, against plain lists of them: while they are flushed, merged and opened anew, and
//! while they come before their rows or behind them.

use std::collections::BTreeMap;

use stackroom::codec::{Reader, Writer};
use stackroom::document::{Document, DocumentKind, Link, LinkKind};
use stackroom::index::{
    DocumentList, DocumentOrder, Documents, DocumentsCheck, DocumentsManifest, Index, Long,
    NO_LANGUAGE, Part, StackPart, Window, read_links,
};
use stackroom::row::Row;
use stackroom::search::settle;
use stackroom::segment::{Blocks, Grams, Kind, Order, SegmentWriter, Stop};

use super::host::{Host, Random};

const TITLES: [&str; 6] = [
    "Home",
    "home",
    "  News\n of the day ",
    "\u{c4}pfel",
    "",
    "\u{1f600} <b>\u{202e}evil</b>\0",
];
const LANGUAGES: [&str; 5] = ["de", "en", "pt-br", "", "not a tag\0"];

fn row(number: u64, random: &mut Random) -> Row {
    Row {
        date: (random.below(9) > 0)
            .then(|| 1_500_000_000 + u32::try_from(random.below(500)).expect("a date")),
        url: format!("http://example.org/{}", number % 97).into_bytes(),
        ..Row::default()
    }
}

fn document(row: u64, random: &mut Random) -> Document {
    let mut pick = |bound: u64| usize::try_from(random.below(bound)).expect("a number");
    let kind = DocumentKind::from_number(pick(8) as u64).expect("a kind");
    let kind = if pick(2) == 0 {
        DocumentKind::Html
    } else {
        kind
    };
    let words = pick(40) * pick(40) * usize::from(pick(20) == 0) + pick(30);
    let links = pick(4) * pick(4) + usize::from(pick(50) == 0) * 2000;
    Document {
        row,
        kind,
        is_fragment: pick(7) == 0,
        is_cut: pick(9) == 0,
        title: TITLES[pick(6)].into(),
        language: LANGUAGES[pick(5)].into(),
        description: "of it".repeat(pick(3)),
        redirect: if kind == DocumentKind::Redirect {
            "/there"
        } else {
            ""
        }
        .into(),
        text: format!("w\u{f6}rter {row} ").repeat(words),
        links: (0..links)
            .map(|n| Link {
                kind: LinkKind::from_number(n as u64 % 7).expect("a kind"),
                url: format!("../{n}?{row}"),
            })
            .collect(),
        ..Document::default()
    }
}

fn encoded(documents: &[Document]) -> Vec<u8> {
    let mut out = Writer::new();
    documents
        .iter()
        .for_each(|document| document.write(&mut out));
    out.finish()
}

/// An index with documents whose files are in memory.
struct Keeper {
    host: Host,
    index: Index,
    documents: Documents,
    next_file: u32,
    written: [u64; 2],
}

impl Keeper {
    fn new(documents: Documents) -> Keeper {
        Keeper {
            host: Host::new(),
            index: Index::new(),
            documents,
            next_file: 0,
            written: [0, 0],
        }
    }

    fn keep(&mut self, bytes: Vec<u8>) -> (u32, u64) {
        self.next_file += 1;
        let length = bytes.len() as u64;
        self.host.files.insert(self.next_file, bytes);
        (self.next_file, length)
    }

    fn settle(&mut self) {
        loop {
            let Keeper {
                host,
                index,
                documents,
                ..
            } = self;
            if host
                .run(|blocks| settle(index, Some(&mut *documents), None, blocks))
                .expect("settled")
            {
                return;
            }
            self.flush_documents();
        }
    }

    fn flush_documents(&mut self) {
        for is_of_texts in [false, true] {
            let bytes = self.documents.flush(is_of_texts, u64::from(self.next_file));
            if bytes.is_empty() {
                continue;
            }
            self.written[usize::from(is_of_texts)] += bytes.len() as u64;
            let (file, bytes) = self.keep(bytes);
            let Keeper {
                host, documents, ..
            } = self;
            host.run(|blocks| documents.adopt(is_of_texts, file, bytes, blocks))
                .expect("a segment");
        }
    }

    fn flush(&mut self) {
        self.settle();
        let rows = self.index.rows() - self.index.kept_rows();
        let bytes = self.index.flush(u64::from(self.next_file));
        if !bytes.is_empty() {
            let (file, bytes) = self.keep(bytes);
            let Keeper { host, index, .. } = self;
            let part = Part { file, bytes, rows };
            host.run(|blocks| index.adopt(part, blocks))
                .expect("a segment");
        }
        self.flush_documents();
    }

    fn merge(&mut self, is_all: bool) -> usize {
        let mut merges = 0;
        while self
            .documents
            .begin_merge(1_000_000 + u64::from(self.next_file), is_all)
        {
            let mut bytes = Vec::new();
            let Keeper {
                host, documents, ..
            } = self;
            while !host.run(|blocks| documents.merge(blocks)).expect("a step") {
                bytes.extend(documents.take_merged());
            }
            bytes.extend(documents.take_merged());
            let (file, length) = self.keep(bytes);
            let Keeper {
                host, documents, ..
            } = self;
            let gone = host
                .run(|blocks| documents.end_merge(file, length, blocks))
                .expect("a segment");
            assert!(gone.len() > 1);
            for file in gone {
                self.host.files.remove(&file).expect("it was there");
            }
            merges += 1;
        }
        merges
    }

    fn manifest(&self) -> DocumentsManifest {
        self.documents.manifest(self.index.kept_rows())
    }

    fn reopen(&mut self) {
        let manifest = DocumentsManifest::read(&self.manifest().to_bytes()).expect("a manifest");
        let rows = self.index.manifest();
        self.host.blocks = Blocks::new(32 << 20);
        self.documents = self
            .host
            .run(|blocks| Documents::open(&manifest, blocks))
            .expect("documents");
        self.index = self
            .host
            .run(|blocks| Index::open(&rows, blocks))
            .expect("an index");
    }

    fn ask<T>(
        &mut self,
        mut ask: impl FnMut(&Documents, &mut Blocks) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let Keeper {
            host, documents, ..
        } = self;
        host.run(|blocks| ask(documents, blocks))
    }

    fn list(
        &mut self,
        list: DocumentList<'_>,
        order: DocumentOrder,
        from: u64,
        count: usize,
        is_descending: bool,
    ) -> Vec<u64> {
        let window = Window {
            from,
            count,
            is_descending,
        };
        self.ask(|documents, blocks| documents.list(list, order, window, blocks))
            .expect("a list")
    }

    fn long(&mut self, long: Long, row: u64) -> Vec<u8> {
        let mut all = Vec::new();
        let mut from = 0;
        loop {
            let (count, bytes) = self
                .ask(|documents, blocks| documents.pieces(long, row, from, 2, blocks))
                .expect("pieces");
            all.extend(bytes);
            from += count;
            if count < 2 {
                return all;
            }
        }
    }

    fn check(&mut self) -> Vec<Stop> {
        let mut state = DocumentsCheck::default();
        let mut found = Vec::new();
        loop {
            match self.ask(|documents, blocks| documents.check(&mut state, blocks)) {
                Ok(true) => return found,
                Ok(false) => {}
                Err(stop) => found.push(stop),
            }
        }
    }
}

fn is_page(document: &Document) -> bool {
    use DocumentKind::{Html, Pdf, Xhtml};
    !document.is_fragment && matches!(document.kind, Html | Xhtml | Pdf)
}

fn compare(keeper: &mut Keeper, rows: &[Row], documents: &[Document]) {
    let pages: Vec<&Document> = documents.iter().filter(|one| is_page(one)).collect();
    let by = |order: DocumentOrder, some: &[&Document]| -> Vec<u64> {
        let row = |document: &Document| &rows[usize::try_from(document.row).expect("a row")];
        let mut some = some.to_vec();
        match order {
            DocumentOrder::File => {}
            DocumentOrder::Time => some.sort_by_key(|one| row(one).date.unwrap_or(u32::MAX)),
            DocumentOrder::Title => some.sort_by_key(|one| {
                let words: Vec<&str> = one.title.split_whitespace().collect();
                let url = row(one).url.clone();
                let title = words.join(" ").to_lowercase();
                if title.is_empty() {
                    (1, url)
                } else {
                    (0, title.into_bytes())
                }
            }),
        }
        some.iter().map(|one| one.row).collect()
    };
    let mut lists: Vec<(DocumentList<'_>, Vec<&Document>)> =
        vec![(DocumentList::Pages, pages.clone())];
    let mut languages: BTreeMap<&str, Vec<&Document>> = BTreeMap::new();
    for page in &pages {
        let tag = match page.language.as_str() {
            "" | "not a tag\0" => NO_LANGUAGE,
            tag => tag,
        };
        languages.entry(tag).or_default().push(page);
    }
    let counts = languages
        .iter()
        .map(|(tag, some)| ((*tag).to_owned(), some.len() as u64));
    assert_eq!(
        keeper.ask(Documents::languages).expect("languages"),
        counts.collect::<Vec<_>>()
    );
    lists.extend(
        languages
            .into_iter()
            .map(|(tag, some)| (DocumentList::Language(tag), some)),
    );
    for kind in (0..).map_while(DocumentKind::from_number) {
        let of_kind = |is_fragment: bool| {
            let some = documents
                .iter()
                .filter(move |one| one.kind == kind && one.is_fragment == is_fragment);
            some.collect::<Vec<_>>()
        };
        for is_fragment in [false, true] {
            let count =
                keeper.ask(|documents, blocks| documents.of_kind(kind, is_fragment, blocks));
            assert_eq!(count.expect("a count"), of_kind(is_fragment).len() as u64);
        }
        let is_listed = matches!(
            kind,
            DocumentKind::Text | DocumentKind::Json | DocumentKind::Xml | DocumentKind::Feed
        );
        lists.push((
            DocumentList::Kind(kind),
            if is_listed {
                of_kind(false)
            } else {
                Vec::new()
            },
        ));
    }
    for (list, some) in lists {
        let count = keeper.ask(|documents, blocks| documents.count(list, blocks));
        assert_eq!(count.expect("a count"), some.len() as u64, "{list:?}");
        for order in DocumentOrder::ALL {
            let all = by(order, &some);
            assert_eq!(
                keeper.list(list, order, 0, usize::MAX, false),
                all,
                "{list:?} {order:?}"
            );
            let backwards: Vec<u64> = all.iter().rev().copied().collect();
            assert_eq!(keeper.list(list, order, 0, usize::MAX, true), backwards);
            for from in [1, all.len() / 3, all.len()] {
                let window =
                    |all: &[u64]| all.iter().skip(from).take(7).copied().collect::<Vec<_>>();
                assert_eq!(
                    keeper.list(list, order, from as u64, 7, false),
                    window(&all)
                );
                assert_eq!(
                    keeper.list(list, order, from as u64, 7, true),
                    window(&backwards)
                );
            }
        }
    }
    let mut next = documents.iter().peekable();
    for row in 0..rows.len() as u64 {
        let facts = keeper
            .ask(|documents, blocks| documents.facts(row, blocks))
            .expect("facts");
        let Some(document) = next.next_if(|one| one.row == row) else {
            assert_eq!(facts, None, "row {row}");
            continue;
        };
        let facts = facts.expect("they are kept");
        let mut reader = Reader::new(&facts);
        assert_eq!(reader.varint(), Some(document.kind.number()));
        assert_eq!(reader.varint(), Some(document.flags()));
        let mut text = || {
            let length = usize::try_from(reader.varint()?).ok()?;
            reader.take(length)
        };
        assert_eq!(text(), Some(document.title.as_bytes()));
        let language = if document.language.contains(' ') {
            ""
        } else {
            &document.language
        };
        assert_eq!(text(), Some(language.as_bytes()));
        assert_eq!(text(), Some(document.description.as_bytes()));
        assert_eq!(text(), Some(document.icon.as_bytes()));
        assert_eq!(text(), Some(document.canonical.as_bytes()));
        assert_eq!(text(), Some(document.redirect.as_bytes()));
        assert_eq!(text(), Some(document.base.as_bytes()));
        assert_eq!(reader.varint(), Some(document.text.len() as u64));
        assert_eq!(reader.varint(), Some(document.links.len() as u64));
        assert!(reader.is_empty());
        assert!(
            keeper.long(Long::Text, row) == document.text.as_bytes(),
            "text of {row}"
        );
        assert_eq!(
            read_links(&keeper.long(Long::Links, row)).as_ref(),
            Some(&document.links)
        );
    }
}

#[test]
fn they_are_listed_as_plain_lists_would_be_whatever_was_flushed_and_merged() {
    let (mut random, mut other) = (Random(3), Random(4));
    let mut keeper = Keeper::new(Documents::default());
    let rows: Vec<Row> = (0..2500).map(|n| row(n, &mut random)).collect();
    let documents: Vec<Document> = (0..2500)
        .filter(|_| other.below(3) > 0)
        .collect::<Vec<u64>>()
        .into_iter()
        .map(|row| document(row, &mut other))
        .collect();
    compare(&mut keeper, &[], &[]);
    let (mut told, mut end, mut merges) = (0, 0u64, 0);
    for (n, row) in rows.iter().enumerate() {
        assert!(keeper.index.push(row, b"key", 0));
        // They come before their rows, or behind them.
        let ahead = n as u64 + 40;
        if random.below(20) == 0 && ahead > end + 60 {
            let before = end;
            end = ahead - random.below(60);
            let upto = documents.partition_point(|one| one.row < end);
            let some = encoded(&documents[told..upto]);
            assert!(keeper.documents.add(&some, before, end));
            told = upto;
        }
        if random.below(70) == 0 {
            keeper.flush();
            merges += keeper.merge(false);
            let kept = keeper.index.kept_rows().min(end);
            assert_eq!(keeper.manifest().end, kept);
            if random.below(4) == 0 {
                let upto = documents.partition_point(|one| one.row < kept);
                compare(&mut keeper, &rows[..=n], &documents[..upto]);
            }
        }
    }
    assert!(
        keeper
            .documents
            .add(&encoded(&documents[told..]), end, 2500)
    );
    assert!(merges > 1, "{merges} merges");
    keeper.flush();
    compare(&mut keeper, &rows, &documents);
    keeper.reopen();
    compare(&mut keeper, &rows, &documents);
    assert!(keeper.merge(true) > 0);
    compare(&mut keeper, &rows, &documents);
    let manifest = keeper.manifest();
    assert_eq!(manifest.facts.len(), 1);
    // Texts are not written a third time.
    assert!(manifest.texts.iter().all(|part| part.merges <= 1));
    assert_eq!(keeper.merge(true), 0);
    keeper.reopen();
    compare(&mut keeper, &rows, &documents);
    assert_eq!(keeper.check(), []);
    let lengths = keeper.host.files.values().map(|file| file.len() as u64);
    assert_eq!(
        keeper.index.bytes() + keeper.documents.bytes(),
        lengths.sum::<u64>()
    );
}

#[test]
fn what_leaves_a_gap_or_is_no_document_is_refused_and_nothing_of_it_is_taken() {
    let mut random = Random(1);
    let mut keeper = Keeper::new(Documents::default());
    let all: Vec<Document> = (0..6).map(|row| document(row, &mut random)).collect();
    assert!(keeper.documents.add(&encoded(&all[..3]), 0, 3));
    for (bytes, from, end) in [
        (encoded(&all[4..]), 4, 6),
        (encoded(&[all[4].clone(), all[3].clone()]), 3, 6),
        (encoded(&all[3..4])[..3].to_vec(), 3, 4),
    ] {
        assert!(!keeper.documents.add(&bytes, from, end));
        assert_eq!(keeper.documents.end(), 3);
    }
    // What has come is not there twice.
    assert!(keeper.documents.add(&encoded(&all[1..2]), 1, 2));
    assert_eq!(keeper.documents.end(), 3);
    assert!(keeper.documents.add(&encoded(&all[2..]), 2, 9));
    assert_eq!(keeper.documents.end(), 9);
    let rows: Vec<Row> = (0..9).map(|n| row(n, &mut random)).collect();
    for row in &rows {
        keeper.index.push(row, b"key", 0);
    }
    keeper.flush();
    compare(&mut keeper, &rows, &all);
}

#[test]
fn beyond_the_room_for_texts_everything_else_is_kept() {
    let mut keeper = Keeper::new(Documents::with_texts_of(100));
    let documents: Vec<Document> = (0..4)
        .map(|row| Document {
            row,
            title: "Title".into(),
            text: "x".repeat([60, 60, 30, 20][usize::try_from(row).expect("a row")]),
            ..Document::default()
        })
        .collect();
    assert!(keeper.documents.add(&encoded(&documents), 0, 4));
    let mut random = Random(1);
    for n in 0..4 {
        keeper.index.push(&row(n, &mut random), b"key", 0);
    }
    keeper.flush();
    assert_eq!(
        keeper.list(DocumentList::Pages, DocumentOrder::Title, 0, 9, false),
        [0, 1, 2, 3]
    );
    let lengths: Vec<usize> = (0..4)
        .map(|row| keeper.long(Long::Text, row).len())
        .collect();
    assert_eq!(lengths, [60, 0, 30, 0]);
    for (row, is_kept) in [(0, true), (1, false), (2, true), (3, false)] {
        let facts = keeper.ask(|documents, blocks| documents.facts(row, blocks));
        let flags = facts.expect("facts").expect("they are kept")[1];
        assert_eq!(flags & 8 == 0, is_kept, "row {row}");
    }
    assert_eq!(keeper.manifest().text_bytes, 90);
}

#[test]
fn texts_of_any_length_go_through_drafts_of_a_few_megabytes() {
    let mut keeper = Keeper::new(Documents::default());
    let mut random = Random(1);
    let words: Vec<String> = (0..5000)
        .map(|_| format!("{:x} ", random.below(1 << 40)))
        .collect();
    let mut bytes = 0;
    for n in 0..40 {
        keeper.index.push(&row(n, &mut random), b"key", 0);
        let text: String = (0..100_000)
            .map(|_| words[usize::try_from(random.below(5000)).expect("a word")].as_str())
            .collect();
        bytes += text.len() as u64;
        let document = Document {
            row: n,
            text,
            ..Document::default()
        };
        assert!(keeper.documents.add(&encoded(&[document]), n, n + 1));
        keeper.settle();
    }
    // Those that are written already are of no commit yet.
    assert!(keeper.host.files.len() > 3);
    assert!(keeper.host.files.values().all(|file| file.len() < 10 << 20));
    keeper.flush();
    while keeper.merge(true) > 0 {}
    assert_eq!(keeper.manifest().text_bytes, bytes);
    let rewritten = keeper
        .manifest()
        .texts
        .iter()
        .map(|part| part.bytes * part.merges)
        .sum::<u64>();
    let [_, first] = keeper.written;
    assert!(
        first + rewritten <= 2 * first + (1 << 20),
        "{first} and {rewritten}"
    );
    assert_eq!(keeper.check(), []);
}

#[test]
fn whatever_is_wrong_with_a_segment_of_documents_is_found_and_none_of_it_is_told() {
    let mut keeper = Keeper::new(Documents::default());
    let mut random = Random(9);
    let documents: Vec<Document> = (0..30).map(|row| document(row, &mut random)).collect();
    assert!(keeper.documents.add(&encoded(&documents), 0, 30));
    for n in 0..30 {
        keeper.index.push(&row(n, &mut random), b"key", 0);
    }
    keeper.flush();
    assert_eq!(keeper.check(), []);
    let manifest = keeper.manifest();
    let all = |keeper: &mut Keeper| {
        let opened = keeper
            .host
            .run(|blocks| Documents::open(&manifest, blocks))?;
        keeper.documents = opened;
        let mut told = Vec::new();
        for row in 0..30 {
            told.push(
                keeper
                    .ask(|documents, blocks| documents.facts(row, blocks))?
                    .unwrap_or_default(),
            );
            for long in [Long::Links, Long::Text] {
                told.push(
                    keeper
                        .ask(|documents, blocks| documents.pieces(long, row, 0, 99, blocks))?
                        .1,
                );
            }
        }
        Ok::<_, Stop>(told)
    };
    let sound = all(&mut keeper).expect("sound");
    for file in keeper.documents.files() {
        let length = keeper.host.files[&file].len();
        let step = if std::env::var_os("STACKROOM_DEEP").is_some() {
            1
        } else {
            37
        };
        // The first 16 bytes are for tools that look at files.
        for at in (16..length).step_by(step) {
            keeper.host.files.get_mut(&file).expect("a file")[at] ^= 1 << (at % 8);
            keeper.host.blocks = Blocks::new(32 << 20);
            if let Ok(told) = all(&mut keeper) {
                assert!(told == sound, "a flip at {at} is told");
                assert_ne!(keeper.check(), [], "a flip at {at} goes unnoticed");
            }
            keeper.host.files.get_mut(&file).expect("a file")[at] ^= 1 << (at % 8);
        }
    }
    let bytes = manifest.to_bytes();
    assert_eq!(DocumentsManifest::read(&bytes), Some(manifest));
    for end in 0..bytes.len() {
        assert_eq!(DocumentsManifest::read(&bytes[..end]), None);
    }
}

/// Segments that are whole and were made by nobody who knows what is to be in them.
#[test]
fn whatever_a_segment_holds_every_question_is_answered() {
    let mut random = Random(77);
    for _ in 0..300 {
        let mut files = [Vec::new(), Vec::new()];
        let sections: [&[&[u8]]; 2] = [
            &[b"facts", b"file", b"title", b"time", b"kind", b"links"],
            &[b"text"],
        ];
        for (names, file) in sections.iter().zip(&mut files) {
            let mut writer = SegmentWriter::with_blocks_of(5, 64);
            for name in *names {
                // In no order at all where it says that there is none.
                let order = if random.below(4) == 0 {
                    Order::AsGiven
                } else {
                    Order::ByKey
                };
                let is_weighed = random.below(5) == 0;
                writer.begin(
                    name,
                    Kind {
                        order,
                        is_weighed,
                        grams: Grams::Unknown,
                    },
                );
                for _ in 0..random.below(40) {
                    let mut some = |bound: u64| -> Vec<u8> {
                        let length = random.below(bound);
                        let byte = |_| {
                            [0, 1, 2, b'=', b'+', 0xff]
                                [usize::try_from(random.below(6)).expect("one")]
                        };
                        (0..length).map(byte).collect()
                    };
                    let (key, value) = (some(14), some(20));
                    writer.push(&key, &value);
                }
            }
            *file = writer.finish();
        }
        let mut keeper = Keeper::new(Documents::default());
        let part = |file: u32, bytes: &[u8]| StackPart {
            file,
            bytes: bytes.len() as u64,
            end: 1 << 40,
            entries: 9,
            merges: 0,
        };
        let [facts, texts] = files;
        let manifest = DocumentsManifest {
            facts: vec![part(0, &facts)],
            texts: vec![part(1, &texts)],
            ..DocumentsManifest::default()
        };
        keeper.host.files.extend([(0, facts), (1, texts)]);
        keeper.documents = keeper
            .host
            .run(|blocks| Documents::open(&manifest, blocks))
            .expect("segments");
        let _ = keeper.ask(Documents::languages);
        for list in [
            DocumentList::Pages,
            DocumentList::Language("="),
            DocumentList::Kind(DocumentKind::Json),
        ] {
            let _ = keeper.ask(|documents, blocks| documents.count(list, blocks));
            for order in DocumentOrder::ALL {
                for is_descending in [false, true] {
                    let window = Window {
                        from: random.below(4),
                        count: 50,
                        is_descending,
                    };
                    let _ =
                        keeper.ask(|documents, blocks| documents.list(list, order, window, blocks));
                }
            }
        }
        for row in [0, 1, 0x0101_0101_0101_0101, u64::MAX] {
            let _ = keeper.ask(|documents, blocks| documents.facts(row, blocks));
            for long in [Long::Links, Long::Text] {
                let _ = keeper.ask(|documents, blocks| documents.pieces(long, row, 0, 9, blocks));
                let _ = keeper
                    .ask(|documents, blocks| documents.pieces(long, row, u32::MAX, 9, blocks));
            }
        }
        let _ = keeper.check();
        let bytes: Vec<u8> = (0..random.below(60))
            .map(|_| u8::try_from(random.below(256)).expect("a byte"))
            .collect();
        let _ = DocumentsManifest::read(&bytes);
        let _ = read_links(&bytes);
        let end = keeper.documents.end();
        let last = Document {
            row: u64::MAX,
            ..Document::default()
        };
        assert!(Documents::default().add(&encoded(&[last]), 0, 1));
        if !keeper.documents.add(&bytes, end, end) {
            assert_eq!(keeper.documents.end(), end);
        }
    }
}
