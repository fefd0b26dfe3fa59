//! Segments, and the kept index that is made of them.
//!
//! `STACKROOM_DEEP=1` runs the full counts, which its modules name.

mod container;
mod documents;
mod host;
mod kept;
mod nearest;
