//! The search index: what is kept of words, however segments are cut and merged, and what queries find, which is what
//! going through all documents finds.
//!
//! `STACKROOM_DEEP=1` runs the full counts.

#[path = "../segment/host.rs"]
#[allow(dead_code, reason = "another test uses the rest")]
mod host;

mod corpus;
mod forms;
mod hostile;
mod kept;
mod naive;
mod queries;
mod snippets;
