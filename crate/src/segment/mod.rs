//! Segments: files of sorted entries that are written once and read block by block (FORMAT.md 7). Knows keys and
//! values, not archives.
//!
//! Nothing here does I/O. What is read names the spans that are [`Stop::Missing`]; the host reads them into [`Blocks`]
//! and calls again. What is written is handed out as bytes to append to a file.

mod block;
mod blocks;
mod cursor;
mod directory;
mod draft;
mod entries;
mod grams;
mod merge;
mod reader;
mod verify;
mod writer;

pub use block::{BLOCK_BYTES, Place};
pub use blocks::{Blocks, Span, Stop};
pub use cursor::{Cursor, Entry};
pub use directory::{Grams, Kind, Order, Section};
pub use draft::Draft;
pub use grams::GramsWanted;
pub use merge::{Join, Merge};
pub use reader::{Rank, Segment};
pub use verify::Check;
pub use writer::SegmentWriter;
