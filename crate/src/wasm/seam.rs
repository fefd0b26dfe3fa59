//! How numbers and failures cross the seam.

use wasm_bindgen::prelude::*;

#[cfg(feature = "engine")]
pub use super::numbers::{offset_in, offset_out};

use crate::error::Error;
#[cfg(feature = "engine")]
use crate::{
    archive::{self, Format},
    error::code,
};

#[allow(clippy::needless_pass_by_value)]
pub fn thrown(error: Error) -> JsValue {
    JsValue::from_str(&told(&error))
}

/// The text that tells a failure.
pub fn told(error: &Error) -> String {
    let offset = error
        .offset
        .map(|offset| offset.to_string())
        .unwrap_or_default();
    format!("{}\n{offset}\n{}", error.code, error.message)
}

/// Recognises a file by its first bytes, as far as this module reads it.
#[cfg(feature = "engine")]
pub fn recognised(start: &[u8]) -> Result<Format, JsValue> {
    let format = archive::detect(start).map_err(thrown)?;
    if archive::is_read_here(format) {
        return Ok(format);
    }
    let message = "This format is read by another part of Stackroom.";
    Err(thrown(Error::new(code::NEEDS_TOOLS, message)))
}
