//! One record, or one part of it, wherever in an archive it lies.

use wasm_bindgen::prelude::*;

use super::engine::Index;
use super::seam::{offset_in, offset_out, recognised, thrown};
use crate::archive::{self, BodyOutcome, Feed, Format, Parser, Part, Path, Sink, Window};
use crate::error::{Damage, Error, code};
use crate::extract::{self, Extractor};
use crate::referral;

/// One record, read on demand from the file that holds it.
#[wasm_bindgen]
pub struct RecordReader {
    path: Path,
    extractor: Extractor,
    /// Number of the segment that was gone to last.
    segment: u64,
}

#[wasm_bindgen]
impl RecordReader {
    /// The record at a place in a part of what was indexed.
    #[wasm_bindgen(constructor)]
    pub fn new(
        index: &Index,
        part: usize,
        offset: f64,
        skip: f64,
        what: &str,
    ) -> Result<RecordReader, JsValue> {
        let part = index.captures.parts().get(part);
        let part = &part.ok_or_else(no_record)?.part;
        let mut reader = RecordReader::of(part.format, &part.windows, offset, skip, what)?;
        // The index knows where they are.
        reader.extractor.wait_for_segments();
        Ok(reader)
    }

    pub fn wanted(&self) -> f64 {
        offset_out(self.path.wanted(&self.extractor))
    }

    pub fn feed(&mut self, bytes: &[u8]) -> usize {
        self.path.feed(bytes, &mut self.extractor)
    }

    pub fn finish(&mut self, end: f64) -> bool {
        self.path.finish(offset_in(end), &mut self.extractor)
    }

    pub fn take(&mut self) -> Vec<u8> {
        self.extractor.take()
    }

    /// Whether no more bytes are wanted.
    pub fn is_done(&self) -> bool {
        self.extractor.is_done() || self.path.is_done(&self.extractor)
    }

    pub fn has_record(&self) -> bool {
        self.extractor.has_record()
    }

    /// Headers as `Extractor::heads` writes them.
    pub fn heads(&self) -> Vec<u8> {
        self.extractor.heads()
    }

    /// Whether the body goes on in another record than those that were gone to.
    pub fn needs_segment(&self) -> bool {
        let missing = self.extractor.missing_segments();
        let is_new = missing.is_some_and(|missing| missing.next != self.segment);
        is_new && self.extractor.is_between_segments()
    }

    /// Goes on with the next segment of the body, and tells its row; nothing where it is not there.
    pub fn go_on(&mut self, index: &Index) -> Option<usize> {
        let segments = self.extractor.missing_segments()?;
        let row = referral::segment(&index.captures, &segments.origin, segments.next)?;
        let (part, offset, skip) = index.captures.place(row)?;
        let part = &index.captures.parts().get(part)?.part;
        self.path = Path::new(&part.windows);
        self.segment = segments.next;
        self.extractor.go_on(part.format, offset, skip);
        Some(row)
    }

    /// No more segments will come.
    pub fn close(&mut self) {
        self.extractor.close();
    }

    /// The row that holds the payload of this record, where that is a revisit of it.
    pub fn original(&self, index: &Index) -> Option<usize> {
        referral::original(&index.captures, self.extractor.head()?)
    }

    /// Codings that are still on what came out, for another module's `Decoding`; empty where there are none.
    pub fn remaining_codings(&self) -> String {
        String::from_utf8_lossy(self.extractor.remaining_codings()).into_owned()
    }

    /// Whether what came out is still encoded in a way that this module cannot decode.
    pub fn is_still_encoded(&self) -> bool {
        self.extractor.outcome() == BodyOutcome::StillEncoded
    }
}

impl RecordReader {
    fn of(
        format: Format,
        windows: &[Window],
        offset: f64,
        skip: f64,
        what: &str,
    ) -> Result<RecordReader, JsValue> {
        let what = extract::Part::named(what).ok_or_else(no_record)?;
        Ok(RecordReader {
            path: Path::new(windows),
            extractor: Extractor::new(format, offset_in(offset), offset_in(skip), what),
            segment: 0,
        })
    }
}

/// Finds a part of a file by its name, without reading any record.
#[wasm_bindgen]
pub struct PartFinder {
    parser: Box<dyn Parser>,
    search: Search,
}

struct Search {
    name: Vec<u8>,
    found: Option<Part>,
}

#[wasm_bindgen]
impl PartFinder {
    /// Begins with a file, recognised by its first bytes, which must be fed again. Without a name the part
    /// is the file itself.
    #[wasm_bindgen(constructor)]
    pub fn new(start: &[u8], size: Option<f64>, name: &str) -> Result<PartFinder, JsValue> {
        let format = recognised(start)?;
        // What is packed has a part without a name.
        let is_itself = name.is_empty() && format != Format::Packed;
        let itself = Part {
            format,
            ..Part::default()
        };
        Ok(PartFinder {
            parser: archive::parser(format, size.map(offset_in)),
            search: Search {
                name: name.as_bytes().to_vec(),
                found: is_itself.then_some(itself),
            },
        })
    }

    pub fn wanted(&self) -> f64 {
        offset_out(self.parser.wanted())
    }

    pub fn feed(&mut self, bytes: &[u8]) -> usize {
        self.parser.feed(bytes, &mut self.search)
    }

    pub fn finish(&mut self, end: f64) -> bool {
        self.parser.finish(offset_in(end), &mut self.search)
    }

    pub fn is_found(&self) -> bool {
        self.search.found.is_some()
    }

    /// The format of what was found.
    pub fn format(&self) -> Option<String> {
        Some(self.search.found.as_ref()?.format.name().into())
    }

    /// The record at a place in what was found.
    pub fn read(&self, offset: f64, skip: f64, what: &str) -> Result<RecordReader, JsValue> {
        let part = self.search.found.as_ref().ok_or_else(no_record)?;
        RecordReader::of(part.format, &part.windows, offset, skip, what)
    }
}

impl Sink for Search {
    fn begin(&mut self, _head: &archive::WarcHead) {}

    fn http(&mut self, _head: &archive::HttpHead) {}

    fn body(&mut self, _bytes: &[u8]) {}

    fn end(&mut self, _record: &archive::Record) {}

    fn damage(&mut self, _damage: Damage) {}

    fn part(&mut self, part: &Part) {
        if self.found.is_none() && part.name == self.name {
            self.found = Some(part.clone());
        }
    }

    /// Only what it is, or what may hold it, is worth a look.
    fn wants_part(&self, part: &Part) -> bool {
        let rest = self.name.strip_prefix(part.name.as_slice());
        let is_or_holds = |rest: &[u8]| rest.is_empty() || rest.starts_with(b"!");
        self.found.is_none() && rest.is_some_and(is_or_holds)
    }

    fn wants_body(&self) -> bool {
        false
    }

    fn is_full(&self) -> bool {
        self.found.is_some()
    }
}

fn no_record() -> JsValue {
    let message = "There is no such place in this archive.";
    thrown(Error::new(code::NO_RECORD, message))
}
