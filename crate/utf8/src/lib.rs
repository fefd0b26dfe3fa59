//! What `lol_html` asks of `encoding_rs`, for UTF-8 alone: the tables of all other sets take 130 kB of a module.
//!
//! Documents in other sets do not need them either: see `rewrite/bytes.rs` of the engine.

use std::borrow::Cow;

#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Encoding {
    name: &'static str,
}

static ONLY: Encoding = Encoding { name: "UTF-8" };
pub static UTF_8: &Encoding = &ONLY;
/// Named where bytes are shown to developers.
pub static WINDOWS_1252: &Encoding = &ONLY;

#[derive(Debug, PartialEq, Eq)]
pub enum CoderResult {
    InputEmpty,
    OutputFull,
}

impl Encoding {
    pub fn for_label_no_replacement(label: &[u8]) -> Option<&'static Encoding> {
        let label = label.trim_ascii();
        let is_known = [&b"utf-8"[..], b"utf8"]
            .iter()
            .any(|known| label.eq_ignore_ascii_case(known));
        is_known.then_some(UTF_8)
    }

    pub fn name(&'static self) -> &'static str {
        self.name
    }

    pub fn is_ascii_compatible(&'static self) -> bool {
        true
    }

    pub fn ascii_valid_up_to(bytes: &[u8]) -> usize {
        bytes
            .iter()
            .position(|byte| !byte.is_ascii())
            .unwrap_or(bytes.len())
    }

    pub fn decode<'a>(&'static self, bytes: &'a [u8]) -> (Cow<'a, str>, &'static Encoding, bool) {
        let text = String::from_utf8_lossy(bytes);
        let has_lost = matches!(text, Cow::Owned(_));
        (text, self, has_lost)
    }

    pub fn encode<'a>(&'static self, text: &'a str) -> (Cow<'a, [u8]>, &'static Encoding, bool) {
        (Cow::Borrowed(text.as_bytes()), self, false)
    }

    pub fn new_decoder_without_bom_handling(&'static self) -> Decoder {
        Decoder
    }

    pub fn new_encoder(&'static self) -> Encoder {
        Encoder
    }
}

/// For text that is no UTF-8, or cut within a letter. None comes: what is given is letters, a byte each.
pub struct Decoder;

impl Decoder {
    pub fn encoding(&self) -> &'static Encoding {
        UTF_8
    }

    /// Passes over the text.
    pub fn decode_to_str(
        &mut self,
        bytes: &[u8],
        _text: &mut str,
        _is_last: bool,
    ) -> (CoderResult, usize, usize, bool) {
        (CoderResult::InputEmpty, bytes.len(), 0, true)
    }
}

/// For text that is written in another set than it is held in.
pub struct Encoder;

impl Encoder {
    pub fn has_pending_state(&self) -> bool {
        false
    }

    pub fn encode_from_utf8(
        &mut self,
        text: &str,
        out: &mut [u8],
        _is_last: bool,
    ) -> (CoderResult, usize, usize, bool) {
        let length = text.len().min(out.len());
        let length = (0..=length).rev().find(|&at| text.is_char_boundary(at));
        let length = length.unwrap_or(0);
        out[..length].copy_from_slice(&text.as_bytes()[..length]);
        let result = if length == text.len() {
            CoderResult::InputEmpty
        } else {
            CoderResult::OutputFull
        };
        (result, length, length, false)
    }
}
