//! Records cut out of an archive.

use wasm_bindgen::prelude::*;

use super::engine::Index;
use super::picks::Picks;
use super::seam::{offset_in, offset_out, thrown};
use crate::archive::{self, Feed, Format};
use crate::json::Line;
use crate::query::Predicate;
use crate::write::{Cutter, Options, Piece, Version};

/// Whether a query can be asked of single records; throws what is wrong with it.
#[wasm_bindgen]
pub fn check_query(query: &str) -> Result<(), JsValue> {
    Predicate::parse(query).map(|_| ()).map_err(thrown)
}

/// What is written, and how.
#[wasm_bindgen]
pub struct CutOptions {
    options: Options,
}

#[wasm_bindgen]
impl CutOptions {
    /// `now` in seconds; `source` and `target` are names of files, empty where they have none; so is `member`,
    /// which restricts what is read to one member of the file. Ranges of the
    /// source are copied by the host only if it `can_copy`.
    #[wasm_bindgen(constructor)]
    pub fn new(
        is_gzip: bool,
        version: &str,
        now: f64,
        source: String,
        target: String,
        member: String,
        can_copy: bool,
    ) -> CutOptions {
        CutOptions {
            options: Options {
                is_gzip,
                version: Version::named(version).unwrap_or_default(),
                now: offset_in(now),
                source,
                target,
                member,
                can_copy,
            },
        }
    }
}

/// Cuts records out of one archive.
#[wasm_bindgen]
pub struct Cutting {
    cutter: Cutter,
    piece: Option<Piece>,
    picks: Picks,
}

/// What `next_piece` found.
const NOTHING: u32 = 0;
const BYTES: u32 = 1;
const RANGE: u32 = 2;

#[wasm_bindgen]
impl Cutting {
    /// Recognises the file by its first bytes, which must be fed again. A negative size is not known.
    #[wasm_bindgen(constructor)]
    pub fn new(
        start: &[u8],
        size: f64,
        query: &str,
        options: &CutOptions,
    ) -> Result<Cutting, JsValue> {
        let predicate = Predicate::parse(query).map_err(thrown)?;
        let format = archive::detect(start).map_err(thrown)?;
        let size = (size >= 0.0).then(|| offset_in(size));
        let cutter = Cutter::new(format, size, predicate, options.options.clone());
        Ok(Cutting {
            cutter: cutter.map_err(thrown)?,
            piece: None,
            picks: Picks::default(),
        })
    }

    /// Of records that are picked in one file of an archive, of that format.
    pub fn of_picks(format: &str, options: &CutOptions) -> Cutting {
        let format = Format::named(format).unwrap_or_default();
        Cutting {
            cutter: Cutter::of_picks(format, options.options.clone()),
            piece: None,
            picks: Picks::default(),
        }
    }

    /// Picks a record by its row, before the last one that was picked is read. False where there is nothing to be read.
    pub fn pick(&mut self, index: &Index, row: usize) -> bool {
        let pick = self.picks.of(index, row);
        pick.is_some_and(|pick| self.cutter.pick(pick))
    }

    /// How many wait that were picked.
    pub fn waiting(&self) -> usize {
        self.cutter.waiting()
    }

    pub fn wanted(&self) -> f64 {
        offset_out(self.cutter.wanted())
    }

    pub fn feed(&mut self, bytes: &[u8]) -> usize {
        self.cutter.feed(bytes)
    }

    pub fn finish(&mut self, end: f64) -> bool {
        self.cutter.finish(offset_in(end))
    }

    /// What is to be written next: 0 nothing, 1 what `bytes` gives, 2 what stands in the file at `range`.
    pub fn next_piece(&mut self) -> u32 {
        self.piece = self.cutter.take();
        match self.piece {
            None => NOTHING,
            Some(Piece::Bytes(_)) => BYTES,
            Some(Piece::Range { .. }) => RANGE,
        }
    }

    pub fn bytes(&mut self) -> Vec<u8> {
        match self.piece.take() {
            Some(Piece::Bytes(bytes)) => bytes,
            _ => Vec::new(),
        }
    }

    /// Offset and length.
    pub fn range(&self) -> Vec<f64> {
        match self.piece {
            Some(Piece::Range { offset, length }) => vec![offset_out(offset), offset_out(length)],
            _ => Vec::new(),
        }
    }

    /// Damage since the last call, as JSON lines.
    pub fn damage(&mut self) -> String {
        let mut lines = String::new();
        for (part, damage) in self.cutter.take_damage() {
            let mut line = Line::new();
            if !part.name.is_empty() {
                line.string("file", &part.name);
            }
            line.string("damage", damage.code.as_bytes());
            line.number("offset", damage.offset);
            line.number("skipped", damage.skipped);
            line.string("message", damage.message.as_bytes());
            lines.push_str(&line.end());
        }
        lines
    }

    /// Records of the source so far.
    pub fn seen(&self) -> f64 {
        offset_out(self.cutter.seen())
    }

    /// Records written so far.
    pub fn written(&self) -> f64 {
        offset_out(self.cutter.written())
    }
}
