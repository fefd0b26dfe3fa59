//! The search index of an archive: the words of its documents and the facets of its records, in segments that follow
//! each other, and what answers queries from them (FORMAT.md 12).
//!
//! A record is told by its row, the number that it has in the index of the archive, the same in every segment: they are
//! merged without reading what they say of rows. As everywhere here, what is absent is named and provided, and the call
//! made again.

mod asked;
mod draft;
mod entry;
mod examining;
mod expansion;
mod facets;
mod field;
mod finding;
mod forms;
mod gathered;
mod holding;
mod joining;
mod kept;
mod lengths;
mod list;
mod listing;
mod marks;
mod phrase;
mod plan;
mod postings;
mod query;
mod rank;
mod selection;
mod settling;
mod snippet;
mod source;
mod spoken;
mod stems;
mod step;
mod through;

pub use asked::{Asked, QueryOptions, Slot};
pub use draft::Totals;
pub use facets::{
    Counted, Counting, CountingOrder, FACETS, Facets, FacetsDraft, Go, Set, Walk, join_facets,
    record_facets,
};
pub use field::Field;
pub use holding::WordRows;
pub use kept::{SearchCheck, SearchIndex, SearchManifest, SearchPart};
pub use listing::{HitGroup, HitOrder, Listed, Listing};
pub use marks::Marks;
pub use query::Query;
pub use rank::Hit;
pub use selection::{Progress, Selection, Step};
pub use settling::settle;
pub use snippet::{Passage, Snippet};
pub use source::Source;
pub use stems::Language;
pub use step::QueryStep;
