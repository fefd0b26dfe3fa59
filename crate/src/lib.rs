//! Stackroom's engine: reads web archives as a stream and keeps a compact table of their records.
//!
//! Parsers are pushed bytes and do no I/O; the host (a browser worker, Node, a test) reads what
//! `Reader::wanted` asks for. The same code runs natively and as WebAssembly.
//!
//! ```
//! use stackroom::archive::{Container, Reader};
//! use stackroom::captures::Captures;
//!
//! let file = b"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://a.test/\r\nContent-Length: 2\r\n\r\nhi\r\n\r\n";
//! let mut captures = Captures::new();
//! let mut reader = Reader::new(Container::Plain);
//! reader.feed(file, &mut captures);
//! reader.finish(file.len() as u64, &mut captures);
//! assert_eq!(captures.len(), 1);
//! ```

#![forbid(unsafe_code)]

pub mod archive;
#[cfg(feature = "rewrite")]
pub mod byurl;
pub mod captures;
pub mod cdx;
pub mod check;
pub mod codec;
pub mod content;
mod copy;
#[cfg(feature = "dictionary")]
pub mod dictionary;
pub mod digest;
pub mod document;
pub mod error;
#[cfg(feature = "tools")]
pub mod examine;
pub mod extract;
pub mod filter;
#[cfg(feature = "tools")]
pub mod harvest;
#[cfg(feature = "store")]
pub mod index;
pub mod inspect;
mod json;
pub mod limits;
pub mod naming;
mod numbered;
mod order;
#[cfg(any(feature = "tools", feature = "store"))]
pub mod pattern;
pub mod payload;
#[cfg(feature = "pdf")]
pub mod pdf;
#[cfg(any(feature = "tools", feature = "store"))]
pub mod query;
pub mod range;
pub mod referral;
#[cfg(feature = "rewrite")]
pub mod rewrite;
pub mod row;
#[cfg(feature = "scripts")]
pub mod script;
#[cfg(feature = "store")]
pub mod search;
#[cfg(feature = "store")]
pub mod segment;
mod segments;
pub mod split;
pub mod store;
pub mod teller;
mod unproven;
mod urls;
#[cfg(feature = "tools")]
pub mod write;

#[cfg(target_arch = "wasm32")]
mod wasm;
