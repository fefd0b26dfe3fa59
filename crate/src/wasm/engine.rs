//! The index of an archive, and the filters over it.

use wasm_bindgen::prelude::*;

use super::seam::{offset_in, offset_out, recognised};
use crate::archive::{self, Aside, Parser, Part, Sink};
use crate::captures::{Captures, TablePart};
use crate::error::{Damage, code};
use crate::filter::Filter;
#[cfg(feature = "tools")]
use crate::harvest::{Harvest, Harvesting};
use crate::json::Line;
use crate::referral;

/// Archives that are being indexed one after another, or are.
#[wasm_bindgen]
pub struct Index {
    pub(super) captures: Captures,
    /// What reads the file that was begun last.
    pub(super) parser: Option<Box<dyn Parser>>,
    /// Gathers documents while files are read, where somebody asked for them.
    #[cfg(feature = "tools")]
    pub(super) harvest: Option<Harvest>,
}

impl Index {
    pub(super) fn of(captures: Captures) -> Index {
        Index {
            captures,
            parser: None,
            #[cfg(feature = "tools")]
            harvest: None,
        }
    }

    /// The parser, and who listens to it.
    fn heard<T>(&mut self, tell: impl FnOnce(&mut dyn Parser, &mut dyn Sink) -> T) -> Option<T> {
        let parser = self.parser.as_deref_mut()?;
        #[cfg(feature = "tools")]
        if let Some(harvest) = &mut self.harvest {
            let captures = &mut self.captures;
            return Some(tell(parser, &mut Harvesting { captures, harvest }));
        }
        Some(tell(parser, &mut self.captures))
    }
}

#[wasm_bindgen]
impl Index {
    #[allow(clippy::new_without_default)]
    #[wasm_bindgen(constructor)]
    pub fn new() -> Index {
        Index::of(Captures::new())
    }

    /// A file of that name comes, now or later: rows of an index that refer to it are not told twice.
    pub fn expect_file(&mut self, name: &str) {
        self.captures.expect_file(name.as_bytes());
    }

    /// The row of a URL that was captured nearest to a time in seconds since 1970, or first.
    pub fn nearest(&self, url: &str, date: Option<f64>) -> Option<usize> {
        let date = date.and_then(|date| u32::try_from(offset_in(date)).ok());
        referral::nearest(&self.captures, url.as_bytes(), date)
    }

    /// Where a row's record lies: part, offset, skip.
    pub fn place(&self, row: usize) -> Vec<f64> {
        let place = self.captures.place(row);
        place.map_or_else(Vec::new, |(part, offset, skip)| {
            vec![
                offset_out(part as u64),
                offset_out(offset),
                offset_out(skip),
            ]
        })
    }

    /// Goes on with a file, recognised by its first bytes, which must be fed again. Returns the format.
    pub fn begin(&mut self, start: &[u8], size: Option<f64>) -> Result<String, JsValue> {
        let format = recognised(start)?;
        self.parser = Some(archive::parser(format, size.map(offset_in)));
        self.captures.begin_file(Part {
            format,
            ..Part::default()
        });
        Ok(format.name().into())
    }

    pub fn forbid_seek(&mut self) {
        if let Some(parser) = &mut self.parser {
            parser.forbid_seek();
        }
    }

    pub fn wanted(&self) -> f64 {
        offset_out(self.parser.as_ref().map_or(0, |parser| parser.wanted()))
    }

    pub fn feed(&mut self, bytes: &[u8]) -> usize {
        self.heard(|parser, sink| parser.feed(bytes, sink))
            .unwrap_or(bytes.len())
    }

    pub fn finish(&mut self, end: f64) -> bool {
        let is_done = self.heard(|parser, sink| parser.finish(offset_in(end), sink));
        if is_done == Some(true) {
            self.captures.end_file();
        }
        is_done.unwrap_or(true)
    }

    /// Parts from a number on, as JSON lines. The first part of a file is the file itself and has no name.
    pub fn parts(&self, start: usize) -> String {
        let line = |one: &TablePart| {
            let mut line = Line::new();
            line.number("file", one.file as u64);
            line.string("name", &one.part.name);
            line.string("format", one.part.format.name().as_bytes());
            line.number("firstRow", one.first_row as u64);
            line.end()
        };
        self.captures.parts().iter().skip(start).map(line).collect()
    }

    pub fn page_count(&self) -> usize {
        self.captures.pages().len()
    }

    /// Entries of page lists as JSON lines, with the number of their file.
    pub fn pages(&self, start: usize, count: usize) -> String {
        let pages = self.captures.pages().iter().skip(start).take(count);
        pages.map(aside_line).collect()
    }

    /// What packages say of themselves, likewise.
    pub fn facts(&self) -> String {
        self.captures.facts().iter().map(aside_line).collect()
    }

    pub fn part_count(&self) -> usize {
        self.captures.parts().len()
    }

    /// The file in which a part lies.
    pub fn file_of(&self, part: usize) -> Option<usize> {
        Some(self.captures.parts().get(part)?.file)
    }

    /// Whether something was left out that the larger module reads.
    pub fn needs_tools(&self) -> bool {
        let is_left = |(_, damage): &(usize, Damage)| damage.code == code::NEEDS_TOOLS;
        self.captures.damage().iter().any(is_left)
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
            .map(|(part, damage)| damage_line(*part, damage))
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

    /// The same for the rows of some parts, from one number to before another.
    pub fn within(text: &str, from: usize, to: usize) -> UrlFilter {
        UrlFilter {
            filter: Filter::new(text).within(from..to),
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

fn aside_line((file, aside): &(usize, Aside)) -> String {
    aside
        .json()
        .replacen('{', &format!("{{\"source\":{file},"), 1)
}

fn damage_line(part: usize, damage: &Damage) -> String {
    let mut line = Line::new();
    line.number("part", part as u64);
    line.string("code", damage.code.as_bytes());
    line.number("offset", damage.offset);
    line.number("skipped", damage.skipped);
    line.string("message", damage.message.as_bytes());
    line.end()
}
