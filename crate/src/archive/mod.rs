//! Input formats: bytes in, records and damage out. No I/O, and no knowledge of how records are kept.

mod arc;
mod aside;
#[cfg(feature = "tools")]
mod awaited;
mod block;
mod body;
mod cdx;
mod chunked;
mod coding;
mod date;
mod detect;
mod foreign_date;
mod framing;
mod gzip;
mod har;
mod http;
mod hunt;
#[cfg(feature = "miniz")]
mod inflater;
mod inside;
mod json_stream;
mod lines;
mod machine;
mod member;
mod members;
mod open_block;
mod packed;
mod parser;
#[cfg(feature = "tools")]
mod picked;
mod reader;
mod record;
mod rows;
mod surt;
mod tar;
mod tee;
mod telling;
mod unread;
mod wacz;
mod warc;
mod wbn;
mod window;
mod zip;
#[cfg(feature = "tools")]
mod zstd;

pub use aside::{About, Aside, Entry, Index, Page, Resource, Signature, Verdict};
#[cfg(feature = "tools")]
pub use awaited::Awaited;
pub use body::{Always, BodyDecoder, BodyOutcome, Content};
pub use cdx::Elsewhere;
pub use date::parse_date;
pub use detect::detect;
pub use http::{HttpHead, bare_type, media_type};
pub use parser::{Format, Heard, Parser, is_read_here, parser, parser_at, parser_from};
#[cfg(feature = "tools")]
pub use picked::{Pick, Picked};
pub use reader::{Container, Reader};
pub use record::{Joint, Part, Record, Sink};
#[cfg(feature = "tools")]
pub(crate) use rows::{Place, RowReader, RowSink};
#[cfg(any(feature = "rewrite", feature = "tools", feature = "store"))]
pub(crate) use surt::ascii_label;
pub use surt::surt;
#[cfg(feature = "tools")]
pub use wacz::{Answer, Check, Proof};
pub use warc::{RecordType, StatedLength, WarcHead};
pub use window::{Feed, Path, Storage, Tunnel, Window};
