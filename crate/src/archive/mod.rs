//! Input formats: bytes in, records and damage out. No I/O, and no knowledge of how records are kept.

mod block;
mod body;
mod cdx;
mod date;
mod detect;
mod gzip;
mod http;
mod hunt;
mod machine;
mod parser;
mod reader;
mod record;
mod surt;
mod warc;
mod window;

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
