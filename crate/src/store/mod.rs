//! Pages on a file: which are resident, which are absent, which must be written. Knows bytes, not archives.
//!
//! Nothing here does I/O. An operation that meets an absent page changes nothing and returns
//! [`Missing`]; the host reads the pages and calls again. What must be written is handed out as a
//! [`CommitBatch`], and counts as written when the host confirms it.

mod cache;
mod page;
mod pager;
mod standin;
mod superblock;

pub use cache::Missing;
pub use page::{PAGE_BYTES, PageNo};
pub use pager::{CommitBatch, Opening, Pager};
pub use standin::{Cursor, Put, StandIn};
pub use superblock::SUPERBLOCKS;
