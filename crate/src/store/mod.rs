//! Pages on a file: which are resident, which are absent, which must be written. Knows bytes, not archives.
//!
//! Nothing here does I/O. An operation that meets an absent page changes nothing and returns
//! [`Missing`]; the host reads the pages and calls again. What must be written is handed out as a
//! [`CommitBatch`], and counts as written when the host confirms it.

mod cache;
mod hash;
mod leaf;
mod page;
mod pager;
mod superblock;

pub use cache::Missing;
pub use hash::{Change, Cursor, ENTRY_BYTES_MAX, KeyValue, LinearHash};
pub use page::{PAGE_BYTES, PageNo};
pub use pager::{CommitBatch, Logical, Opening, Pager};
pub use superblock::SUPERBLOCKS;
