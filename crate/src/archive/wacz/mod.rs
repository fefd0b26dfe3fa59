//! Packages of web archives (WACZ): what they say of themselves, their pages, and whether that holds.

mod listing;
mod manifest;
mod package;
mod pages;
mod signature;
mod text;

pub use listing::ManifestReader;
pub use manifest::looks_like_manifest;
pub use package::{Package, is_own_index, rank};
pub use text::{Flaw, Text};
