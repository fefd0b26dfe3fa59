//! Facets: of each field and value the rows that have it, in a section of a segment of search.
//!
//!   key   := field 0x00 value 0x00 high:[u8; 2]      value := rows:varint set
//! `high` are the upper 16 bits of the rows, big-endian, and the set has their lower 16 bits. A byte 0x00 or 0x01 of a
//! value stands as 0x01 0x01 or 0x01 0x02, so that keys are in the order of fields, values and rows. An entry weighs
//! its rows: how many records have a value, or a value that begins so, is known without reading their sets.

mod counting;
mod draft;
mod key;
mod read;
mod record;
mod set;

pub use counting::{Counted, Counting, CountingOrder};
pub use draft::FacetsDraft;
pub use read::{Facets, Go, Walk};
pub use record::record_facets;
pub(super) use record::{month_of, size_class};
pub use set::{Set, join_facets};

/// The name of the section.
pub const FACETS: &[u8] = b"facets";
