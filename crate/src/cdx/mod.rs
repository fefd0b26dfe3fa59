//! Capture indexes: CDX and CDXJ lines, ZipNum clusters, look-ups in them, and making them.
//!
//! Lines are read by the engine, since indexes open as archives do; the rest is of the feature `tools`.

#[cfg(feature = "tools")]
mod cluster;
#[cfg(feature = "tools")]
mod filter;
#[cfg(feature = "tools")]
mod flow;
pub(crate) mod json;
mod line;
mod lines;
#[cfg(feature = "tools")]
mod lookup;
#[cfg(feature = "tools")]
mod make;
#[cfg(feature = "tools")]
mod post;
#[cfg(feature = "tools")]
mod query;
#[cfg(feature = "tools")]
mod scope;
#[cfg(feature = "tools")]
mod search;
#[cfg(feature = "tools")]
mod source;
#[cfg(feature = "tools")]
mod writer;
#[cfg(feature = "tools")]
mod zipnum;

pub use line::{Layout, Line, Row, column_name, url_of_key};
pub use lines::{Cut, Lines};
#[cfg(feature = "tools")]
pub use lookup::{Index, Lookup, Turn, damage_lines};
#[cfg(feature = "tools")]
pub use make::{Form, Indexer};
#[cfg(feature = "tools")]
pub use query::Query;
#[cfg(feature = "tools")]
pub use source::Need;
#[cfg(feature = "tools")]
pub use writer::IndexWriter;
#[cfg(feature = "tools")]
pub use zipnum::looks_like_index as is_cluster_index;
