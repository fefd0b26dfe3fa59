//! Bodies decoded as a stream.

use wasm_bindgen::prelude::*;

use crate::archive::{BodyDecoder, BodyOutcome, Content};
use crate::limits::EXTRACT_HELD_BYTES_MAX;

/// Takes codings off a body that the first module does not know, and what lies under those.
///
/// The host pushes pieces of the body and then ends it. After each of these it takes what came out, and as long as
/// `is_behind` holds calls `go_on` and takes again. A take is of a megabyte or so, however much the body expands;
/// how much of a body is enough is for the host to say.
#[wasm_bindgen]
pub struct Decoding {
    decoder: BodyDecoder,
    held: Held,
}

#[derive(Default)]
struct Held(Vec<u8>);

impl Content for Held {
    fn content(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn is_full(&self) -> bool {
        self.0.len() >= EXTRACT_HELD_BYTES_MAX
    }
}

#[wasm_bindgen]
impl Decoding {
    /// For a body in these codings, written as `Content-Encoding` lists them.
    #[wasm_bindgen(constructor)]
    pub fn new(codings: &str) -> Decoding {
        Decoding {
            decoder: BodyDecoder::of_codings(codings.as_bytes()),
            held: Held::default(),
        }
    }

    pub fn push(&mut self, bytes: &[u8]) {
        self.decoder.push(bytes, &mut self.held);
    }

    /// The body ends here.
    pub fn end(&mut self) {
        self.decoder.finish(&mut self.held);
    }

    pub fn is_behind(&self) -> bool {
        self.decoder.is_behind()
    }

    pub fn go_on(&mut self) {
        self.decoder.go_on(&mut self.held);
    }

    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.held.0)
    }

    /// Codings that are left for another module, as `Content-Encoding` lists them; empty where all come off.
    pub fn remaining(&self) -> String {
        String::from_utf8_lossy(self.decoder.remaining()).into_owned()
    }

    /// Whether the body was not in these codings, or broke off. Known at its end.
    pub fn is_broken(&self) -> bool {
        self.decoder.outcome() == BodyOutcome::BadEncoding
    }
}
