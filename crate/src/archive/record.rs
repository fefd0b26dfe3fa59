//! What a reader tells of each record, and the trait of those who listen.

use super::aside::Aside;
use super::http::HttpHead;
use super::parser::Format;
use super::warc::WarcHead;
use super::window::Window;
use crate::error::Damage;

/// Where a record is and how much of it there was; its headers went ahead of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Where the record, or the gzip member that holds its start, begins in the file.
    pub offset: u64,
    /// Bytes that it takes there.
    pub length: u64,
    /// Bytes to pass over in the inflated member before the record begins.
    pub skip: u64,
    /// Bytes of the block.
    pub block_bytes: u64,
    /// Bytes of the block after the HTTP head, or of the whole block where there is none.
    pub payload_bytes: u64,
    /// False where the file or the member ended before the stated length.
    pub is_whole: bool,
}

/// A place at which a reader that knows nothing of what lies before would go on just the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Joint {
    /// Where the gzip member that follows starts, or the record in a plain file.
    pub offset: u64,
    /// Bytes that were read again up to here.
    pub rewound: u64,
}

/// A part of a file that holds records of its own: a member of a ZIP file, say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Its name in the file; in members of members with `!` between, as `inner.wacz!archive/data.warc`.
    pub name: Vec<u8>,
    pub format: Format,
    /// The way to its bytes, from the file inwards; empty for the file itself.
    pub windows: Vec<Window>,
}

/// Hears a record as it streams by: `begin`, at most one `http`, any number of `body`, then `end`.
/// After `abandon` the same record begins again, because a wrong length was found out.
pub trait Sink {
    fn begin(&mut self, head: &WarcHead);
    fn http(&mut self, head: &HttpHead);
    /// Payload as stored: neither de-chunked nor decoded.
    fn body(&mut self, bytes: &[u8]);
    /// What separates this record from the next one.
    fn tail(&mut self, _bytes: &[u8]) {}
    fn end(&mut self, record: &Record);
    fn abandon(&mut self) {}
    fn damage(&mut self, damage: Damage);
    /// All that was told so far lies before `joint`, and nothing of it bears on what follows.
    fn joint(&mut self, _joint: Joint) {}
    /// What follows lies in this part, and places are counted in it.
    fn part(&mut self, _part: &Part) {}
    /// False passes over a part, which is not told then.
    fn wants_part(&self, _part: &Part) -> bool {
        true
    }
    /// False passes over the rows of an index whose bytes are in this file, as it is named there.
    fn wants_elsewhere(&self, _file: &[u8]) -> bool {
        true
    }
    /// Something that is no record.
    fn aside(&mut self, _aside: Aside) {}
    /// True asks for members to be summed up and compared with what is stated of them.
    fn wants_proof(&self) -> bool {
        false
    }
    /// False lets the reader pass over long blocks.
    fn wants_body(&self) -> bool {
        true
    }
    /// True asks the reader to stop taking input for now.
    fn is_full(&self) -> bool {
        false
    }
}
