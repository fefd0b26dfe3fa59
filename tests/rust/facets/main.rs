//! Facets: which rows have which values, against tables in memory.
//!
//! `STACKROOM_DEEP=1` runs the full counts, which its modules name.

#[path = "../segment/host.rs"]
#[allow(dead_code, reason = "another test uses the rest")]
mod host;
#[path = "../support/mod.rs"]
mod support;

mod counts;
mod golden;
mod labels;
mod regexes;
mod selected;
mod world;
