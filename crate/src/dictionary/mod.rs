//! Dictionaries: strings and the numbers that they have, both ways, in files that are written once (FORMAT.md 13).
//!
//! A string is any bytes; its id is its place among those that were given, from 0. Six layouts answer behind one trait,
//! [`Layout`]: five known ones, and [`Kind::Tagged`], of which nothing is resident. Any number of dictionaries share the
//! memory of one [`Pages`].
//!
//! Nothing here does I/O. What is looked up names the span that is [`Stop::Missing`]; the host reads it, provides it, and
//! calls again with the same [`Progress`].
//!
//! D1  A checksum is compared before anything is told of the bytes below it, and a string is compared in full before its
//!     id is told: what is damaged is named, never answered from.
//! D2  A look-up needs few pages at once, however long it takes and however long the string is.

mod array;
mod binary;
mod brute;
mod bucket;
mod builder;
mod cursor;
mod filter;
mod footer;
mod hash;
mod heap;
mod layout;
mod opening;
mod out;
mod pages;
mod table;
mod tagged;
mod tree;
mod writing;

pub use builder::{Builder, Shape};
pub use cursor::Cursor;
pub use footer::{FOOTER_BYTES, Kind};
pub use layout::{Layout, Ordered, Progress};
pub use opening::{Dictionary, Opening};
pub use pages::{Pages, Source, Span, Stop};
