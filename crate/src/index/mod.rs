//! The kept index of an archive: its records in the order of the files and in that of each column, in segments that
//! follow each other, however many records there are (FORMAT.md 8).
//!
//! As everywhere here, what is absent is named and provided, and the call made again.

mod columns;
mod documents;
mod groups;
mod kept;
mod merged;
pub(crate) mod merging;
mod nearest;
pub(crate) mod tiers;

pub use columns::{Column, Locator, key_of};
pub(crate) use documents::tag as language_tag;
pub use documents::{
    DocumentList, DocumentOrder, Documents, DocumentsCheck, DocumentsManifest, Long, NO_LANGUAGE,
    StackPart, read_links,
};
pub use groups::{Group, Grouping};
pub use kept::{Index, IndexCheck, Manifest, Part, RowGroups, Window};
pub use nearest::{Asked, Capture};
