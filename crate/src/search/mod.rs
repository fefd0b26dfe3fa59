//! The search index of an archive: the words of its documents and the facets of its records, in segments that follow
//! each other, and what answers queries from them (FORMAT.md 12).
//!
//! A record is told by its row, the number that it has in the index of the archive, the same in every segment: they are
//! merged without reading what they say of rows. As everywhere here, what is absent is named and provided, and the call
//! made again.

mod draft;
mod facets;
mod field;
mod fragment;
mod joining;
mod kept;
pub mod lengths;
pub mod list;
mod pattern;
mod postings;
mod selection;
mod source;

pub use draft::Totals;
pub use facets::{
    Counted, Counting, CountingOrder, FACETS, Facets, FacetsDraft, Go, Set, Walk, join_facets,
    record_facets,
};
pub use field::Field;
pub use fragment::Fragment;
pub use kept::{SearchCheck, SearchIndex, SearchManifest, SearchPart};
pub use pattern::{Pattern, Start, Then};
pub use selection::{Progress, Selection, Step};
pub use source::Source;
