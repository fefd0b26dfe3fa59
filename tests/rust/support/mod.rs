//! What several test files need: the corpus, and reading a whole archive from memory.
#![allow(dead_code)]

pub mod heard;

pub mod fixtures;

use std::path::PathBuf;

use serde_json::Value;
use stackroom::archive::{Format, Parser, Part, Sink, detect, parser};
use stackroom::captures::Captures;
use stackroom::codec::{Reader, Writer};
use stackroom::error::Error;
use stackroom::index::Index;
use stackroom::inspect::Inspector;
use stackroom::row::Row;
use stackroom::segment::Blocks;
use stackroom::teller::Teller;

/// Rows on their way through the index that keeps them.
pub fn stored_rows(captures: &Captures, from: usize, count: usize) -> Vec<u8> {
    let mut index = Index::new();
    let keyed = captures.keyed_rows(0, usize::MAX);
    let mut reader = Reader::new(&keyed);
    let mut row = Row::default();
    while let Some(part) = reader.varint() {
        row.read(&mut reader).expect("a row");
        let length = reader.varint().expect("a key");
        reader.take(usize::try_from(length).expect("a length"));
        assert!(index.push(&row, b"key", part), "a row is kept");
    }
    let mut out = Writer::new();
    let (from, count) = (from as u64, count as u64);
    let mut blocks = Blocks::new(1 << 20);
    let stored = index.tell_stored(from, count, &mut 0, &mut out, &mut blocks);
    stored.expect("nothing is missing");
    out.finish()
}

/// The corpus, if it is on this machine; where it is not, the test says so and passes nothing.
pub fn corpus() -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/corpus");
    let path =
        std::env::var_os("STACKROOM_CORPUS").map_or_else(|| PathBuf::from(beside), PathBuf::from);
    if path.join("golden").is_dir() {
        return Some(path);
    }
    println!("corpus not found: case not run");
    None
}

/// Whether the full counts are asked for: every byte and every flip instead of a seeded sample.
pub fn is_deep() -> bool {
    std::env::var_os("STACKROOM_DEEP").is_some_and(|value| value == "1")
}

/// Small numbers that look random and are the same in every run (SplitMix64).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % limit.max(1) as u64).expect("an index")
    }
}

/// Rows of one file are in parts, members of it. Nothing where it is of no known format.
pub fn table(source: &[u8]) -> Option<Captures> {
    let format = detect(&source[..source.len().min(64 << 10)]).ok()?;
    let mut captures = Captures::new();
    captures.begin_file(Part {
        format,
        ..Part::default()
    });
    let mut parser = parser(format, Some(source.len() as u64));
    read_all(parser.as_mut(), source, 1 << 20, &mut captures);
    Some(captures)
}

/// Reads all of `bytes` as a host does: follows `wanted`, in windows of `window` bytes.
pub fn read_all(reader: &mut dyn Parser, bytes: &[u8], window: usize, sink: &mut impl Sink) {
    let mut steps = 0u64;
    loop {
        let at = usize::try_from(reader.wanted())
            .expect("offset")
            .min(bytes.len());
        let piece = &bytes[at..bytes.len().min(at + window)];
        if piece.is_empty() {
            if reader.finish(bytes.len() as u64, sink) {
                return;
            }
        } else {
            reader.feed(piece, sink);
        }
        steps += 1;
        assert!(
            steps < 100_000 + 200 * bytes.len() as u64,
            "reading does not end"
        );
    }
}

pub fn inspect(bytes: &[u8]) -> Result<Vec<Value>, Error> {
    inspect_cut(bytes, usize::MAX >> 1)
}

/// The lines of `records` for a file that is fed in pieces.
pub fn inspect_cut(bytes: &[u8], window: usize) -> Result<Vec<Value>, Error> {
    let format = detect(&bytes[..bytes.len().min(64 << 10)])?;
    Ok(inspect_as(format, bytes, window))
}

/// The same for a file of a format that is known.
pub fn inspect_as(format: Format, bytes: &[u8], window: usize) -> Vec<Value> {
    let mut reader = parser(format, Some(bytes.len() as u64));
    let mut sink = Unbounded(Inspector::new());
    sink.0.naming().name_file(b"file", false);
    read_all(reader.as_mut(), bytes, window, &mut sink);
    let text = sink.0.take();
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a JSON line"))
        .collect()
}

/// A WARC record; the length is stated as it is.
pub fn record(kind: &str, url: &str, block: &[u8]) -> Vec<u8> {
    record_stating(kind, url, block, &block.len().to_string())
}

/// A WARC record that states the length `stated`.
pub fn record_stating(kind: &str, url: &str, block: &[u8], stated: &str) -> Vec<u8> {
    let mime = if kind == "response" {
        "application/http; msgtype=response"
    } else {
        "text/plain"
    };
    let head = format!(
        "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2024-05-06T07:08:09Z\r\n\
         Content-Type: {mime}\r\nContent-Length: {stated}\r\n\r\n"
    );
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

pub fn response(body: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{body}").into_bytes()
}

/// A small archive with every kind of record that the format has in common use.
pub fn small_archive() -> Vec<Vec<u8>> {
    vec![
        record("warcinfo", "", b"software: test\r\n"),
        record("response", "http://a.test/", &response("<p>one</p>")),
        record(
            "request",
            "http://a.test/",
            b"GET / HTTP/1.1\r\nHost: a.test\r\n\r\n",
        ),
        record("resource", "http://a.test/text", b"two two two"),
        record("response", "http://a.test/3", &response("<p>three</p>")),
    ]
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    let mut deflated = vec![0; bytes.len() + bytes.len() / 2 + 64];
    let mut deflate = zlib_rs::Deflate::new(6, false, 15);
    let status = deflate.compress(bytes, &mut deflated, zlib_rs::DeflateFlush::Finish);
    assert_eq!(status, Ok(zlib_rs::Status::StreamEnd));
    out.extend_from_slice(&deflated[..usize::try_from(deflate.total_out()).expect("length")]);
    out.extend_from_slice(&zlib_rs::crc32::crc32(0, bytes).to_le_bytes());
    out.extend_from_slice(&u32::try_from(bytes.len()).expect("length").to_le_bytes());
    out
}

/// An inspector that is never full, so that the reader is not paused.
struct Unbounded(Inspector);

impl Sink for Unbounded {
    fn begin(&mut self, head: &stackroom::archive::WarcHead) {
        self.0.begin(head);
    }
    fn http(&mut self, head: &stackroom::archive::HttpHead) {
        self.0.http(head);
    }
    fn body(&mut self, bytes: &[u8]) {
        self.0.body(bytes);
    }
    fn end(&mut self, record: &stackroom::archive::Record) {
        self.0.end(record);
    }
    fn abandon(&mut self) {
        self.0.abandon();
    }
    fn damage(&mut self, damage: stackroom::error::Damage) {
        self.0.damage(damage);
    }
    fn part(&mut self, part: &stackroom::archive::Part) {
        self.0.part(part);
    }
    fn wants_proof(&self) -> bool {
        self.0.wants_proof()
    }
}
