//! What finds records in the kept index of an archive: facets, columns, regular expressions (FORMAT.md 12).
//!
//! A record is told by its row, the number that it has in the index of the archive. As everywhere here, what is absent
//! is named and provided, and the call made again.

mod facets;
mod fragment;

pub use facets::{
    Counted, Counting, CountingOrder, FACETS, Facets, FacetsDraft, Go, Set, Walk, join_facets,
    record_facets,
};
pub use fragment::Fragment;
