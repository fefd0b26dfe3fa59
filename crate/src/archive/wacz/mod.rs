//! Packages of web archives (WACZ): what they say of themselves, their pages, and whether that holds.

#[cfg(feature = "tools")]
mod base64;
#[cfg(feature = "tools")]
mod certificate;
#[cfg(feature = "tools")]
mod der;
#[cfg(feature = "tools")]
mod keys;
mod listing;
mod manifest;
mod package;
mod pages;
#[cfg(feature = "tools")]
mod proof;
mod signature;
mod text;
#[cfg(feature = "tools")]
mod timestamp;

#[cfg(feature = "tools")]
pub use keys::Check;
pub use listing::ManifestReader;
pub use manifest::looks_like_manifest;
pub use package::{Package, is_own_index, rank};
#[cfg(feature = "tools")]
pub use proof::{Answer, Proof};
pub use text::{Flaw, Text};
