//! Writing WARC: records made or copied, plain or as gzip members. Bytes out; the host puts them into files.

mod cutter;
mod draft;
mod gzip;
mod heading;
mod http;
mod pieces;

pub use cutter::{Cutter, Options};
pub(crate) use gzip::GzipWriter;
pub use heading::{Digests, Heading, Measured, Version, record_id};
pub use pieces::{Piece, Pieces};
