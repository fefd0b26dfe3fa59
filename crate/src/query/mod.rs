//! The query language: one grammar for lists, the library and the command line. `parse` makes a tree of it,
//! which asks for nothing yet; `Predicate` is the part of the language that one record answers by itself.

mod apart;
mod column;
#[cfg_attr(
    not(feature = "store"),
    allow(dead_code, reason = "an index asks for it")
)]
mod digest;
#[cfg_attr(
    not(feature = "store"),
    allow(dead_code, reason = "an index asks for it")
)]
mod matcher;
mod parse;
mod predicate;
mod raw;
mod span;

pub use apart::Apart;
#[cfg(feature = "store")]
pub(crate) use column::{
    COLUMNS, Test, Why, after_scheme, fits_url, host_of, is_balanced, is_below, matcher, shown,
};
#[cfg(feature = "store")]
pub(crate) use matcher::{Expression, Matcher};
pub use parse::{Leaf, Node, Request, Value, parse, parse_request};
pub use predicate::{Facts, Predicate};

use crate::error::{Code, Error};

/// A query that cannot be understood, at character `at` of its text, counted from 0.
pub(crate) fn wrong(code: Code, at: usize, message: &str) -> Error {
    Error::new(
        code,
        format!("{message}, at character {} of the query", at + 1),
    )
    .at(at as u64)
}
