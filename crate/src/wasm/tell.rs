//! What is told of an archive in lines: all of every record, or every problem.

use wasm_bindgen::prelude::*;

use super::seam::{offset_in, offset_out, thrown};
use crate::archive::{self, Parser};
use crate::check::Checker;
use crate::inspect::Inspector;
use crate::teller::Teller;

/// Reads every record of an archive in full.
#[wasm_bindgen]
pub struct Telling {
    parser: Box<dyn Parser>,
    teller: Box<dyn Teller>,
}

#[wasm_bindgen]
impl Telling {
    /// Recognises the file by its first bytes, which must be fed again. Lines about its parts say its name,
    /// or all lines do. They are of every problem, or else of every record.
    #[wasm_bindgen(constructor)]
    pub fn new(
        start: &[u8],
        size: Option<f64>,
        name: &str,
        is_always_named: bool,
        is_of_problems: bool,
    ) -> Result<Telling, JsValue> {
        let format = archive::detect(start).map_err(thrown)?;
        let mut teller: Box<dyn Teller> = if is_of_problems {
            Box::new(Checker::new())
        } else {
            Box::new(Inspector::new())
        };
        teller.naming().name_file(name.as_bytes(), is_always_named);
        Ok(Telling {
            parser: archive::parser(format, size.map(offset_in)),
            teller,
        })
    }

    /// Only the part of that name is told of.
    pub fn choose_part(&mut self, name: &str) {
        self.teller.naming().choose_part(name.as_bytes());
    }

    pub fn has_found_part(&mut self) -> bool {
        self.teller.naming().has_found_chosen()
    }

    pub fn forbid_seek(&mut self) {
        self.parser.forbid_seek();
    }

    pub fn wanted(&self) -> f64 {
        offset_out(self.parser.wanted())
    }

    pub fn feed(&mut self, bytes: &[u8]) -> usize {
        self.parser.feed(bytes, &mut *self.teller)
    }

    pub fn finish(&mut self, end: f64) -> bool {
        self.parser.finish(offset_in(end), &mut *self.teller)
    }

    pub fn take(&mut self) -> String {
        self.teller.take()
    }

    pub fn take_signature(&mut self) -> Option<String> {
        self.teller.take_signature()
    }

    pub fn refuse(&mut self, member: &str, words: &str) {
        self.teller.refuse(member.as_bytes(), words);
    }

    pub fn conclude(&mut self) {
        self.teller.conclude();
    }
}
