//! What a payload is.

use wasm_bindgen::prelude::*;

use crate::content::Description;

/// Tells media type and character set of a payload from its first bytes, decoded, of which some kilobytes are enough;
/// `content_type` as the record states it, and `identified` the value of `WARC-Identified-Payload-Type`. Answers
/// JSON as `Description::json` writes it.
#[wasm_bindgen]
pub fn describe_payload(
    content_type: Option<String>,
    identified: Option<String>,
    start: &[u8],
) -> String {
    let bytes = |text: Option<String>| text.map(String::into_bytes);
    let (stated, identified) = (bytes(content_type), bytes(identified));
    Description::new(stated.as_deref(), identified.as_deref(), start).json()
}
