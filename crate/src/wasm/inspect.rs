//! All of every record.

use wasm_bindgen::prelude::*;

use super::seam::{offset_in, offset_out, thrown};
use crate::archive::{self, Parser};
use crate::inspect::Inspector;

/// Reads every record of an archive in full.
#[wasm_bindgen]
pub struct Inspection {
    reader: Box<dyn Parser>,
    inspector: Inspector,
}

#[wasm_bindgen]
impl Inspection {
    #[wasm_bindgen(constructor)]
    pub fn new(start: &[u8]) -> Result<Inspection, JsValue> {
        let format = archive::detect(start).map_err(thrown)?;
        Ok(Inspection {
            reader: archive::parser(format, None),
            inspector: Inspector::new(),
        })
    }

    pub fn forbid_seek(&mut self) {
        self.reader.forbid_seek();
    }

    pub fn wanted(&self) -> f64 {
        offset_out(self.reader.wanted())
    }

    pub fn feed(&mut self, bytes: &[u8]) -> usize {
        self.reader.feed(bytes, &mut self.inspector)
    }

    pub fn finish(&mut self, end: f64) -> bool {
        self.reader.finish(offset_in(end), &mut self.inspector)
    }

    pub fn take(&mut self) -> String {
        self.inspector.take()
    }
}
