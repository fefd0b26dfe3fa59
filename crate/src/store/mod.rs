//! Pages on a file: which are resident, which are absent, which must be written. Knows bytes, not archives.
//!
//! Nothing here does I/O. An operation that meets an absent page changes nothing and says what is
//! [`Stop::Missing`]; the host reads that and calls again. What must be written is handed out as
//! [`Append`]s and a [`PageBatch`], and counts as written when the host confirms it.

mod cache;
mod compact;
mod extent;
mod extents;
mod hash;
mod layout;
mod leaf;
mod log;
mod page;
mod pager;
mod rebuild;
mod records;
mod resident;
mod scanner;
mod superblock;
mod tables;
mod verify;

pub use compact::{Compaction, ExtentFile, Step};
pub use extent::{Append, PART_BYTES, Span};
pub use extents::Tail;
pub use hash::{CACHE_PAGES_MIN, Cursor, KEY_BYTES_MAX, VALUE_BYTES_MAX};
pub use leaf::Hash;
pub use page::{PAGE_BYTES, PageNo};
pub use pager::{Opening, PageBatch, Pager};
pub use rebuild::Rebuild;
pub use records::{Piece, READ_BYTES_MAX, Row, Shape, Stop, Store};
pub use superblock::SUPERBLOCKS;
pub use tables::Logical;
pub use verify::{Finding, Verification};
