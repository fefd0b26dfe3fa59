//! What PDFs say.

use wasm_bindgen::prelude::*;

use crate::codec::Writer;
use crate::pdf;

/// As `Document` writes itself; nothing where this cannot be read.
#[wasm_bindgen]
pub fn read_pdf(body: Vec<u8>) -> Option<Vec<u8>> {
    let mut out = Writer::new();
    pdf::read(body)?.write(&mut out);
    Some(out.finish())
}
