//! The query language: one grammar for lists, the library and the command line. `parse` makes a tree of it,
//! which asks for nothing yet; `Predicate` is the part of the language that one record answers by itself.

mod column;
mod matcher;
mod parse;
mod predicate;
mod span;

#[cfg(feature = "store")]
pub(crate) use column::host_of;
pub use parse::{Leaf, Node, Value, parse};
pub use predicate::{Facts, Predicate};

use crate::error::{Code, Error};

/// A query that cannot be understood, at character `at` of its text, counted from 0.
fn wrong(code: Code, at: usize, message: &str) -> Error {
    Error::new(
        code,
        format!("{message}, at character {} of the query", at + 1),
    )
}
