//! What each layout writes behind the strings, or of them.

pub mod bucket;
pub mod plain;
pub mod tagged;
mod tree;
