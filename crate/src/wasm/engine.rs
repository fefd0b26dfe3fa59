//! The index of an archive, and the filters over it.

use wasm_bindgen::prelude::*;

use super::seam::{offset_in, offset_out, thrown};
use crate::archive::{self, Format, Parser};
use crate::captures::Captures;
use crate::error::Damage;
use crate::filter::Filter;
use crate::json::Line;

/// The URL key under which CDX indexes file a URL.
#[wasm_bindgen]
pub fn surt(url: &str) -> String {
    archive::surt(url)
}

/// An archive that is being indexed, or is.
#[wasm_bindgen]
pub struct Index {
    format: Format,
    reader: Box<dyn Parser>,
    pub(super) captures: Captures,
}

#[wasm_bindgen]
impl Index {
    /// Recognises the file by its first bytes, which must be fed again.
    #[wasm_bindgen(constructor)]
    pub fn new(start: &[u8]) -> Result<Index, JsValue> {
        let format = archive::detect(start).map_err(thrown)?;
        Ok(Index {
            format,
            reader: archive::parser(format, None),
            captures: Captures::new(),
        })
    }

    pub fn is_gzip(&self) -> bool {
        self.format == Format::WarcGz
    }

    pub fn forbid_seek(&mut self) {
        self.reader.forbid_seek();
    }

    pub fn wanted(&self) -> f64 {
        offset_out(self.reader.wanted())
    }

    pub fn feed(&mut self, bytes: &[u8]) -> usize {
        self.reader.feed(bytes, &mut self.captures)
    }

    pub fn finish(&mut self, end: f64) -> bool {
        self.reader.finish(offset_in(end), &mut self.captures)
    }

    pub fn records(&self) -> usize {
        self.captures.len()
    }

    pub fn damage_count(&self) -> f64 {
        offset_out(self.captures.damage_count())
    }

    /// Rows as `Captures::encode` writes them.
    pub fn rows(&self, start: usize, count: usize) -> Vec<u8> {
        self.captures.encode(start..start.saturating_add(count))
    }

    /// Damage reports as JSON lines.
    pub fn damage(&self, start: usize, count: usize) -> String {
        self.captures
            .damage()
            .iter()
            .skip(start)
            .take(count)
            .map(|(_, damage)| damage_line(damage))
            .collect()
    }

    /// Bytes of memory that the record table holds.
    pub fn resident(&self) -> f64 {
        offset_out(self.captures.resident() as u64)
    }
}

/// The rows of an index whose URL contains a text.
#[wasm_bindgen]
pub struct UrlFilter {
    filter: Filter,
}

#[wasm_bindgen]
impl UrlFilter {
    #[wasm_bindgen(constructor)]
    pub fn new(text: &str) -> UrlFilter {
        UrlFilter {
            filter: Filter::new(text),
        }
    }

    pub fn step(&mut self, index: &Index, count: usize) -> bool {
        self.filter.step(&index.captures, count)
    }

    pub fn count(&self) -> usize {
        self.filter.len()
    }

    pub fn scanned(&self) -> usize {
        self.filter.scanned()
    }

    pub fn rows(&self, index: &Index, start: usize, count: usize) -> Vec<u8> {
        index.captures.encode(self.filter.rows(start, count))
    }
}

fn damage_line(damage: &Damage) -> String {
    let mut line = Line::new();
    line.string("code", damage.code.as_bytes());
    line.number("offset", damage.offset);
    line.number("skipped", damage.skipped);
    line.string("message", damage.message.as_bytes());
    line.end()
}
