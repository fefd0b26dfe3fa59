//! The face of the engine in WebAssembly: the only folder that knows of the browser.
//!
//! Handles are opaque and freed by the host; bytes go in and out as copies; offsets are doubles, exact up
//! to 2^53. A failure is thrown as the text `code\noffset\nmessage`, which the library makes an error of.
//! What each module holds is decided by the crate's features.

use wasm_bindgen::prelude::*;

#[cfg(feature = "rewrite")]
mod byurl;
#[cfg(feature = "tools")]
mod cdx;
#[cfg(feature = "engine")]
mod content;
#[cfg(feature = "tools")]
mod decoding;
#[cfg(feature = "dictionary")]
mod dictionary;
#[cfg(feature = "documents")]
mod documents;
#[cfg(feature = "engine")]
mod engine;
#[cfg(feature = "tools")]
mod examine;
#[cfg(feature = "tools")]
mod harvest;
#[cfg(feature = "store")]
mod index;
#[cfg(feature = "store")]
mod keptdocuments;
#[cfg(feature = "tools")]
mod keyed;
#[cfg(feature = "tools")]
mod number;
mod numbers;
#[cfg(feature = "pdf")]
mod pdf;
#[cfg(feature = "tools")]
mod picks;
#[cfg(feature = "tools")]
mod proof;
#[cfg(feature = "store")]
mod query;
#[cfg(feature = "tools")]
mod ranges;
#[cfg(feature = "engine")]
mod record;
#[cfg(feature = "tools")]
mod restore;
#[cfg(feature = "rewrite")]
mod rewrite;
#[cfg(feature = "scripts")]
mod scripts;
#[cfg(any(feature = "engine", feature = "store"))]
mod seam;
#[cfg(feature = "store")]
mod search;
#[cfg(feature = "store")]
mod store;
#[cfg(feature = "tools")]
mod tell;
#[cfg(feature = "engine")]
mod verify;
#[cfg(feature = "tools")]
mod write;

#[cfg(feature = "tools")]
pub use number::shortest;

/// Version that the library checks before it uses a module.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").into()
}
