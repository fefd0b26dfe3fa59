//! What several test files need: the corpus, and reading a whole archive from memory.
#![allow(dead_code)]

use std::path::PathBuf;

use serde_json::Value;
use stackroom::archive::{Reader, Sink, detect};
use stackroom::error::Error;
use stackroom::inspect::Inspector;

/// The corpus, if it is on this machine; where it is not, the test says so and passes nothing.
pub fn corpus() -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/corpus");
    let path = std::env::var_os("STACKROOM_CORPUS").map_or_else(|| PathBuf::from(beside), PathBuf::from);
    if path.join("golden").is_dir() {
        return Some(path);
    }
    println!("corpus not found: case not run");
    None
}

/// Reads all of `bytes` as a host does: follows `wanted`, in windows of `window` bytes.
pub fn read_all(reader: &mut Reader, bytes: &[u8], window: usize, sink: &mut impl Sink) {
    let mut steps = 0u64;
    loop {
        let at = usize::try_from(reader.wanted()).expect("offset").min(bytes.len());
        let piece = &bytes[at..bytes.len().min(at + window)];
        if piece.is_empty() {
            if reader.finish(bytes.len() as u64, sink) {
                return;
            }
        } else {
            reader.feed(piece, sink);
        }
        steps += 1;
        assert!(steps < 100_000 + 200 * bytes.len() as u64, "reading does not end");
    }
}

pub fn inspect(bytes: &[u8]) -> Result<Vec<Value>, Error> {
    inspect_cut(bytes, usize::MAX >> 1)
}

/// The lines of `records` for a file that is fed in pieces.
pub fn inspect_cut(bytes: &[u8], window: usize) -> Result<Vec<Value>, Error> {
    let container = detect(&bytes[..bytes.len().min(64 << 10)])?;
    let mut reader = Reader::new(container);
    let mut sink = Unbounded(Inspector::new());
    read_all(&mut reader, bytes, window, &mut sink);
    let text = sink.0.take();
    Ok(text.lines().map(|line| serde_json::from_str(line).expect("a JSON line")).collect())
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
}
