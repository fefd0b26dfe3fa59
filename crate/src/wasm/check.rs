//! Every problem of an archive.

use wasm_bindgen::prelude::*;

use super::seam::{offset_in, offset_out, thrown};
use crate::archive::{self, Parser};
use crate::check::Checker;

/// Reads every record of an archive in full and compares it with what it states.
#[wasm_bindgen]
pub struct Checking {
    reader: Box<dyn Parser>,
    checker: Checker,
}

#[wasm_bindgen]
impl Checking {
    /// Recognises the file by its first bytes, which must be fed again. Lines about its parts say its name,
    /// or all lines do.
    #[wasm_bindgen(constructor)]
    pub fn new(
        start: &[u8],
        size: Option<f64>,
        name: &str,
        is_always_named: bool,
    ) -> Result<Checking, JsValue> {
        let format = archive::detect(start).map_err(thrown)?;
        let mut checker = Checker::new();
        checker.naming.name_file(name.as_bytes(), is_always_named);
        Ok(Checking {
            reader: archive::parser(format, size.map(offset_in)),
            checker,
        })
    }

    /// Only the part of that name is told of.
    pub fn choose_part(&mut self, name: &str) {
        self.checker.naming.choose_part(name.as_bytes());
    }

    pub fn has_found_part(&self) -> bool {
        self.checker.naming.has_found_chosen()
    }

    pub fn forbid_seek(&mut self) {
        self.reader.forbid_seek();
    }

    pub fn wanted(&self) -> f64 {
        offset_out(self.reader.wanted())
    }

    pub fn feed(&mut self, bytes: &[u8]) -> usize {
        self.reader.feed(bytes, &mut self.checker)
    }

    pub fn finish(&mut self, end: f64) -> bool {
        self.reader.finish(offset_in(end), &mut self.checker)
    }

    /// Nothing more comes, and signatures were verified: sums up.
    pub fn conclude(&mut self) {
        self.checker.finish();
    }

    /// Lines as `check` has them, since the last call.
    pub fn take(&mut self) -> String {
        self.checker.take()
    }

    /// A signature that the host must verify, as a line of JSON; once the end was told.
    pub fn take_signature(&mut self) -> Option<String> {
        self.checker.take_signature()
    }

    /// The signature in that member does not fit.
    pub fn refuse(&mut self, member: &str, words: &str) {
        self.checker.refuse(member.as_bytes(), words);
    }
}
