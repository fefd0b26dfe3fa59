//! Capture indexes: CDX and CDXJ lines, ZipNum clusters, look-ups in them, and making them.
//!
//! Lines are read by the engine, since indexes open as archives do; the rest is of the feature `tools`.

pub(crate) mod json;
mod line;
mod lines;

pub use line::{Layout, Line, Row, column_name, url_of_key};
pub use lines::{Cut, Lines};
