//! Input formats: bytes in, records and damage out. No I/O, and no knowledge of how records are kept.

mod arc;
mod block;
mod body;
mod cdx;
mod date;
mod detect;
mod framing;
mod gzip;
mod http;
mod hunt;
mod lines;
mod machine;
mod members;
mod parser;
mod reader;
mod record;
mod surt;
mod telling;
#[cfg(not(feature = "codecs"))]
mod unread;
mod warc;
mod window;
#[cfg(feature = "codecs")]
mod zstd;

pub use body::{BodyDecoder, BodyOutcome};
pub use cdx::Elsewhere;
pub use date::parse_date;
pub use detect::detect;
pub use http::{HttpHead, media_type};
pub use parser::{Format, Heard, Parser, parser, parser_at};
pub use reader::{Container, Reader};
pub use record::{Aside, Joint, Part, Record, Sink};
#[cfg(feature = "rewrite")]
pub(crate) use surt::ascii_label;
pub use surt::surt;
pub use warc::{RecordType, WarcHead};
pub use window::{Feed, Path, Storage, Tunnel, Window};
