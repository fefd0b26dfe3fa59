//! All of every record.

use wasm_bindgen::prelude::*;

use super::seam::{offset_in, offset_out, thrown};
use crate::archive::{self, Parser};
use crate::inspect::Inspector;

/// Reads every record of an archive in full.
#[wasm_bindgen]
pub struct Inspection {
    parser: Box<dyn Parser>,
    inspector: Inspector,
}

#[wasm_bindgen]
impl Inspection {
    /// Recognises the file by its first bytes, which must be fed again. Lines about its parts say its name,
    /// or all lines do.
    #[wasm_bindgen(constructor)]
    pub fn new(
        start: &[u8],
        size: Option<f64>,
        name: &str,
        is_always_named: bool,
    ) -> Result<Inspection, JsValue> {
        let format = archive::detect(start).map_err(thrown)?;
        let mut inspector = Inspector::new();
        inspector.naming.name_file(name.as_bytes(), is_always_named);
        Ok(Inspection {
            parser: archive::parser(format, size.map(offset_in)),
            inspector,
        })
    }

    /// Only the part of that name is told of.
    pub fn choose_part(&mut self, name: &str) {
        self.inspector.naming.choose_part(name.as_bytes());
    }

    pub fn has_found_part(&self) -> bool {
        self.inspector.naming.has_found_chosen()
    }

    pub fn forbid_seek(&mut self) {
        self.parser.forbid_seek();
    }

    pub fn wanted(&self) -> f64 {
        offset_out(self.parser.wanted())
    }

    pub fn feed(&mut self, bytes: &[u8]) -> usize {
        self.parser.feed(bytes, &mut self.inspector)
    }

    pub fn finish(&mut self, end: f64) -> bool {
        self.parser.finish(offset_in(end), &mut self.inspector)
    }

    pub fn take(&mut self) -> String {
        self.inspector.take()
    }

    /// A signature that the host must verify, as a line of JSON; once the end was told.
    pub fn take_signature(&mut self) -> Option<String> {
        self.inspector.take_signature()
    }

    /// The signature in that member does not fit.
    pub fn refuse(&mut self, member: &str, words: &str) {
        self.inspector.refuse(member.as_bytes(), words);
    }
}
