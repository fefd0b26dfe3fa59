//! What documents say.

use wasm_bindgen::prelude::*;

use crate::codec::{Reader, Writer};
use crate::document::{self, Charsets, Found};

#[wasm_bindgen]
extern "C" {
    type TextDecoder;

    #[wasm_bindgen(constructor, catch)]
    fn new(label: &str) -> Result<TextDecoder, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn decode(this: &TextDecoder, bytes: &[u8]) -> Result<String, JsValue>;
}

/// The character sets of the host.
struct Host;

impl Charsets for Host {
    fn decode(&mut self, charset: &str, bytes: &[u8]) -> Option<String> {
        TextDecoder::new(charset).ok()?.decode(bytes).ok()
    }
}

/// The documents of bodies that were found, one after another, as `Document` writes itself.
#[wasm_bindgen]
pub fn read_documents(found: &[u8]) -> Vec<u8> {
    let mut from = Reader::new(found);
    let mut out = Writer::new();
    while let Some(found) = Found::read(&mut from) {
        document::read(found, &mut Host).write(&mut out);
    }
    out.finish()
}
