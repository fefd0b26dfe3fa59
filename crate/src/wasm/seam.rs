//! How numbers and failures cross the seam.

use wasm_bindgen::prelude::*;

pub use super::numbers::{offset_in, offset_out};

use crate::archive::{self, Format};
use crate::error::{Error, code};

#[allow(clippy::needless_pass_by_value)]
pub fn thrown(error: Error) -> JsValue {
    let offset = error
        .offset
        .map(|offset| offset.to_string())
        .unwrap_or_default();
    JsValue::from_str(&format!("{}\n{offset}\n{}", error.code, error.message))
}

/// Recognises a file by its first bytes, as far as this module reads it.
pub fn recognised(start: &[u8]) -> Result<Format, JsValue> {
    let format = archive::detect(start).map_err(thrown)?;
    if archive::is_read_here(format) {
        return Ok(format);
    }
    let message = "This format is read by another part of Stackroom.";
    Err(thrown(Error::new(code::NEEDS_TOOLS, message)))
}
