//! The loops in which a search index is built: words of texts, gathered with the rows and positions where they are,
//! and numbers packed in bits.
//!
//! A crate of its own, since it is compiled for speed where everything else is compiled to be short.

mod folding;
mod gather;
mod letters;
mod packing;
mod words;

pub use folding::fold;
pub use gather::{Gather, Places, Term};
pub use packing::{Unreadable, pack, unpack};
pub use words::{TERM_BYTES_MAX, Word, words};
