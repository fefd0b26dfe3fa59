//! Follows the records of an extent from its beginning, for who has nothing else or wants all of them.

use super::extent::{HEAD_BYTES, HEADER_BYTES, Kind, Record, Span, next_head, record_bytes};
use super::extents::Extents;
use super::records::Stop;

/// Extents are read in pieces of this length, or as long as a record is.
const PIECE_BYTES: u32 = 256 << 10;

/// Where a scan stands in an extent.
#[derive(Clone, Copy, Debug)]
pub struct Scanner {
    file: u32,
    at: u32,
    piece: Span,
}

pub enum Scanned {
    Record(Span),
    /// From here to where the scan goes on there are bytes that are no record.
    Damage(Span),
    End,
}

impl Scanner {
    pub fn new(file: u32) -> Scanner {
        Scanner {
            file,
            at: 0,
            piece: Span {
                file,
                offset: 0,
                length: PIECE_BYTES,
            },
        }
    }

    /// The next record, which can be read with `record` until this is called again.
    pub fn next(&mut self, extents: &Extents) -> Result<Scanned, Stop> {
        loop {
            let bytes = self.read(extents, self.piece)?;
            if self.at == 0 {
                self.at = HEADER_BYTES;
            }
            let is_end = bytes.len() < self.piece.length as usize;
            let rest = bytes.get((self.at - self.piece.offset) as usize..);
            let rest = rest.unwrap_or_default();
            if rest.len() < HEAD_BYTES as usize {
                if is_end {
                    return Ok(Scanned::End);
                }
                self.go_on(PIECE_BYTES);
                continue;
            }
            let Some(length) = record_bytes(rest) else {
                return self.skip(rest);
            };
            if rest.len() < length as usize {
                if is_end {
                    return self.skip(rest);
                }
                self.go_on(length.max(PIECE_BYTES));
                continue;
            }
            let span = Span {
                file: self.file,
                offset: self.at,
                length,
            };
            let record = &rest[..length as usize];
            if extents.seal().open(self.file, self.at, record).is_none() {
                return self.skip(rest);
            }
            self.at += length;
            return Ok(Scanned::Record(span));
        }
    }

    /// The record that `next` told.
    pub fn record<'a>(&self, extents: &'a Extents, span: Span) -> Option<Record<'a>> {
        let bytes = extents.read(self.piece)?;
        let from = span.offset.checked_sub(self.piece.offset)? as usize;
        let bytes = bytes.get(from..from + span.length as usize)?;
        extents.seal().open(self.file, span.offset, bytes)
    }

    fn read<'a>(&self, extents: &'a Extents, piece: Span) -> Result<&'a [u8], Stop> {
        let missing = || Stop::Missing(Vec::new(), vec![piece]);
        extents.read(piece).ok_or_else(missing)
    }

    fn go_on(&mut self, length: u32) {
        self.piece = Span {
            file: self.file,
            offset: self.at,
            length,
        };
    }

    /// Goes on where the next record may begin.
    fn skip(&mut self, rest: &[u8]) -> Result<Scanned, Stop> {
        let number = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX);
        // A record may begin in the last bytes and go on in the next piece.
        let behind = rest.len().saturating_sub(HEAD_BYTES as usize - 1).max(1);
        let found = next_head(&rest[1..]).map_or(behind, |at| at + 1);
        let span = Span {
            file: self.file,
            offset: self.at,
            length: number(found),
        };
        self.at += span.length;
        Ok(Scanned::Damage(span))
    }
}

/// Whether a record says something of a key.
pub fn tells_of_key(kind: Kind) -> bool {
    matches!(kind, Kind::Put | Kind::Parts | Kind::Remove)
}
