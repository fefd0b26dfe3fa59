//! What documents say.

use wasm_bindgen::prelude::*;

use crate::codec::{Reader, Writer};
use crate::document::{self, Document, DocumentKind, Found, Helper};

#[wasm_bindgen]
extern "C" {
    type TextDecoder;

    #[wasm_bindgen(constructor, catch)]
    fn new(label: &str) -> Result<TextDecoder, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn decode(this: &TextDecoder, bytes: &[u8]) -> Result<String, JsValue>;

    /// The module that reads PDFs.
    pub type PdfReader;

    #[wasm_bindgen(method)]
    fn read(this: &PdfReader, body: &[u8]) -> Option<Vec<u8>>;
}

/// The character sets of the host, and what it has for PDFs.
struct Host(Option<PdfReader>);

impl Helper for Host {
    fn decode(&mut self, charset: &str, bytes: &[u8]) -> Option<String> {
        TextDecoder::new(charset).ok()?.decode(bytes).ok()
    }

    fn pdf(&mut self, body: &[u8]) -> Option<Document> {
        let read = self.0.as_ref()?.read(body)?;
        Document::read(&mut Reader::new(&read))
    }
}

/// Whether there are PDFs among bodies that were found.
#[wasm_bindgen]
pub fn has_pdf(found: &[u8]) -> bool {
    let mut from = Reader::new(found);
    std::iter::from_fn(|| Found::pass(&mut from)).any(|kind| kind == DocumentKind::Pdf)
}

/// The documents of bodies that were found, one after another, as `Document` writes itself.
#[wasm_bindgen]
pub fn read_documents(found: &[u8], pdf: Option<PdfReader>) -> Vec<u8> {
    let mut from = Reader::new(found);
    let mut out = Writer::new();
    let mut host = Host(pdf);
    while let Some(found) = Found::read(&mut from) {
        document::read(found, &mut host).write(&mut out);
    }
    out.finish()
}
