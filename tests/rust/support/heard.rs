//! A sink that keeps all that it hears, and the ways in which a host may feed a parser.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use sha1::{Digest, Sha1};
use stackroom::archive::{Aside, Feed, Format, HttpHead, Record, Sink, WarcHead, detect, parser};
use stackroom::error::Damage;
use stackroom::extract::{Extractor, Part};

use super::{corpus, is_deep, read_all};

/// A record as it was told.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Told {
    pub kind: String,
    pub url: String,
    pub date: Option<String>,
    pub warc: Vec<(String, String)>,
    pub http: String,
    pub body: Vec<u8>,
    pub record: Record,
}

impl Told {
    pub fn field(&self, name: &str) -> Option<String> {
        let head = HttpHead::made(self.http.clone().into_bytes());
        head.get(name)
            .map(|value| String::from_utf8_lossy(&value).into_owned())
    }

    pub fn warc(&self, name: &str) -> Option<&str> {
        let field = self.warc.iter().find(|(known, _)| known == name);
        field.map(|(_, value)| value.as_str())
    }

    pub fn status(&self) -> Option<u64> {
        self.http.split(' ').nth(1)?.parse().ok()
    }
}

/// Keeps all that it hears, or takes no bodies.
#[derive(Default, Debug, PartialEq, Clone)]
pub struct Heard {
    current: Option<Told>,
    pub records: Vec<Told>,
    pub damage: Vec<Damage>,
    pub asides: Vec<Aside>,
    is_bodiless: bool,
}

impl Heard {
    /// One that takes no bodies, so that they may be passed over.
    pub fn bodiless() -> Heard {
        Heard {
            is_bodiless: true,
            ..Heard::default()
        }
    }

    pub fn codes(&self) -> Vec<&str> {
        self.damage.iter().map(|damage| damage.code).collect()
    }

    pub fn of(&self, kind: &str) -> Vec<&Told> {
        self.records
            .iter()
            .filter(|record| record.kind == kind)
            .collect()
    }

    pub fn urls(&self) -> Vec<&str> {
        self.of("response")
            .iter()
            .map(|record| record.url.as_str())
            .collect()
    }
}

impl Sink for Heard {
    fn begin(&mut self, head: &WarcHead) {
        assert!(self.current.is_none(), "a record begins in another");
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        self.current = Some(Told {
            kind: head.kind().name().to_owned(),
            url: head.uri().map(text).unwrap_or_default(),
            date: head.get("WARC-Date").map(text),
            warc: head
                .fields()
                .map(|(name, value)| (text(name.to_vec()), text(value)))
                .collect(),
            ..Told::default()
        });
    }

    fn http(&mut self, head: &HttpHead) {
        let current = self.current.as_mut().expect("a record");
        current.http = String::from_utf8_lossy(&head.raw).into_owned();
    }

    fn body(&mut self, bytes: &[u8]) {
        let current = self.current.as_mut().expect("a record");
        current.body.extend_from_slice(bytes);
    }

    fn end(&mut self, record: &Record) {
        let mut told = self.current.take().expect("a record");
        told.record = record.clone();
        if !self.is_bodiless {
            assert_eq!(record.payload_bytes, told.body.len() as u64);
        }
        if let Some(stated) = told.warc("Content-Length")
            && record.is_whole
        {
            assert_eq!(stated, record.block_bytes.to_string());
        }
        self.records.push(told);
    }

    fn damage(&mut self, damage: Damage) {
        assert!(self.current.is_none(), "damage inside of a record");
        self.damage.push(damage);
    }

    fn aside(&mut self, aside: Aside) {
        assert!(self.current.is_none(), "something else inside of a record");
        self.asides.push(aside);
    }

    fn wants_body(&self) -> bool {
        !self.is_bodiless
    }
}

pub fn hear_in(bytes: &[u8], window: usize) -> Heard {
    let mut heard = Heard::default();
    let format = detect(&bytes[..bytes.len().min(64 << 10)]).expect("a format");
    let mut reader = parser(format, Some(bytes.len() as u64));
    read_all(reader.as_mut(), bytes, window, &mut heard);
    assert!(heard.current.is_none(), "a record does not end");
    heard
}

pub fn hear(bytes: &[u8]) -> Heard {
    hear_in(bytes, usize::MAX >> 1)
}

/// Reads as that format whatever it looks like, with or without its size, and asserts that both tell the same.
pub fn hear_as(format: Format, bytes: &[u8], window: usize) -> Heard {
    let mut heard = [Heard::default(), Heard::default()];
    for (heard, size) in heard.iter_mut().zip([None, Some(bytes.len() as u64)]) {
        read_all(parser(format, size).as_mut(), bytes, window, heard);
        assert!(heard.current.is_none(), "a record does not end");
    }
    let [one, other] = heard;
    assert_eq!(one, other);
    one
}

/// The same from a source that only goes forward, in pieces of `window`.
pub fn hear_forward(format: Format, bytes: &[u8], window: usize) -> Heard {
    let mut heard = Heard::default();
    let mut reader = parser(format, None);
    reader.forbid_seek();
    let mut furthest = 0;
    let mut steps = 0;
    loop {
        let at = usize::try_from(reader.wanted()).expect("an offset");
        assert!(at >= furthest, "it went back from {furthest} to {at}");
        furthest = at;
        let at = at.min(bytes.len());
        let piece = &bytes[at..bytes.len().min(at + window)];
        if piece.is_empty() {
            if reader.finish(bytes.len() as u64, &mut heard) {
                break;
            }
        } else {
            reader.feed(piece, &mut heard);
        }
        steps += 1;
        assert!(steps < 10_000 + 20 * bytes.len(), "reading does not end");
    }
    heard
}

/// One record again, by its place.
pub fn extracted(format: Format, bytes: &[u8], record: &Record, part: Part) -> Option<Vec<u8>> {
    let mut extractor = Extractor::new(format, record.offset, record.skip, part);
    let mut out = Vec::new();
    for _ in 0..10_000 {
        let at = usize::try_from(extractor.wanted())
            .expect("offset")
            .min(bytes.len());
        let piece = &bytes[at..bytes.len().min(at + 1000)];
        if !piece.is_empty() {
            extractor.feed(piece);
        } else if extractor.finish(bytes.len() as u64) {
            out.extend(extractor.take());
            return extractor.has_record().then_some(out);
        }
        out.extend(extractor.take());
        if extractor.is_done() {
            return Some(out);
        }
    }
    panic!("reading does not end");
}

/// Each record is found again at its place, and is the same.
pub fn assert_found_again(format: Format, bytes: &[u8], heard: &Heard) {
    for told in &heard.records {
        let http = extracted(format, bytes, &told.record, Part::Http);
        assert_eq!(http.as_deref(), Some(told.http.as_bytes()), "{}", told.url);
        let raw = extracted(format, bytes, &told.record, Part::Raw);
        let whole = [told.http.as_bytes(), &told.body].concat();
        assert_eq!(raw, Some(whole), "{}", told.url);
    }
}

pub fn golden(ending: &str) -> Vec<(PathBuf, Value)> {
    let Some(corpus) = corpus() else {
        return Vec::new();
    };
    let folder = fs::read_dir(corpus.join("golden/other")).expect("golden answers");
    let mut found: Vec<_> = folder
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let (origin, file) = name.strip_suffix(".json")?.split_once("__")?;
            file.ends_with(ending).then(|| {
                let text = fs::read_to_string(entry.path()).expect("golden answer");
                let path = corpus.join("files").join(origin).join(file);
                (path, serde_json::from_str(&text).expect("JSON"))
            })
        })
        .collect();
    found.sort_by(|one, other| one.0.cmp(&other.0));
    found
}

pub fn sha1(bytes: &[u8]) -> String {
    Sha1::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Flips of a file: which bytes, and how.
pub fn flips(length: usize) -> Vec<(usize, u8)> {
    let masks: Vec<u8> = if is_deep() {
        (1..=255).collect()
    } else {
        vec![1, 2, 0x20, 0x80]
    };
    (0..length)
        .flat_map(|at| masks.iter().map(move |&mask| (at, mask)))
        .collect()
}
