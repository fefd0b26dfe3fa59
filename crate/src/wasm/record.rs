//! One record, or one part of it.

use wasm_bindgen::prelude::*;

use super::seam::{offset_in, offset_out, thrown};
use crate::archive::{BodyOutcome, Feed, Format};
use crate::error::{Error, code};
use crate::extract::{Extractor, Part};

/// One record, read on demand.
#[wasm_bindgen]
pub struct RecordReader {
    extractor: Extractor,
}

#[wasm_bindgen]
impl RecordReader {
    #[wasm_bindgen(constructor)]
    pub fn new(is_gzip: bool, offset: f64, skip: f64, part: &str) -> Result<RecordReader, JsValue> {
        let format = if is_gzip {
            Format::WarcGz
        } else {
            Format::Warc
        };
        let part = Part::named(part)
            .ok_or_else(|| thrown(Error::new(code::NO_RECORD, "no such part of a record")))?;
        Ok(RecordReader {
            extractor: Extractor::new(format, offset_in(offset), offset_in(skip), part),
        })
    }

    pub fn wanted(&self) -> f64 {
        offset_out(self.extractor.wanted())
    }

    pub fn feed(&mut self, bytes: &[u8]) -> usize {
        self.extractor.feed(bytes)
    }

    pub fn finish(&mut self, end: f64) -> bool {
        self.extractor.finish(offset_in(end))
    }

    pub fn take(&mut self) -> Vec<u8> {
        self.extractor.take()
    }

    pub fn is_done(&self) -> bool {
        self.extractor.is_done()
    }

    pub fn has_record(&self) -> bool {
        self.extractor.has_record()
    }

    /// Headers as `Extractor::heads` writes them.
    pub fn heads(&self) -> Vec<u8> {
        self.extractor.heads()
    }

    /// Whether what came out is still encoded in a way that this module cannot decode.
    pub fn is_still_encoded(&self) -> bool {
        self.extractor.outcome() == BodyOutcome::StillEncoded
    }
}
