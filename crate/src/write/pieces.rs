//! What is to be written, in order: bytes, or a range of the file that is being read, which the host copies.
//!
//!   record := head block CR LF CR LF        in a gzip file a member of its own

use std::collections::VecDeque;

use super::gzip::GzipWriter;

const RECORD_END: &[u8] = b"\r\n\r\n";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    Bytes(Vec<u8>),
    /// Bytes of the source as they stand there.
    Range {
        offset: u64,
        length: u64,
    },
}

pub struct Pieces {
    gzip: Option<Box<GzipWriter>>,
    queue: VecDeque<Piece>,
    held: usize,
}

impl Pieces {
    pub fn new(is_gzip: bool) -> Pieces {
        Pieces {
            gzip: is_gzip.then(|| Box::new(GzipWriter::new())),
            queue: VecDeque::new(),
            held: 0,
        }
    }

    pub fn is_gzip(&self) -> bool {
        self.gzip.is_some()
    }

    /// Bytes that wait to be taken away.
    pub fn held(&self) -> usize {
        self.held
    }

    pub fn take(&mut self) -> Option<Piece> {
        let piece = self.queue.pop_front();
        if let Some(Piece::Bytes(bytes)) = &piece {
            self.held -= bytes.len();
        }
        piece
    }

    /// A record begins with its header block, which states the length of what follows.
    pub fn begin(&mut self, head: &[u8]) {
        self.add(|gzip, out| {
            if let Some(gzip) = gzip {
                gzip.begin(out);
            }
        });
        self.block(head);
    }

    pub fn block(&mut self, bytes: &[u8]) {
        self.add(|gzip, out| match gzip {
            Some(gzip) => gzip.push(bytes, out),
            None => out.extend_from_slice(bytes),
        });
    }

    pub fn end(&mut self) {
        self.block(RECORD_END);
        self.add(|gzip, out| {
            if let Some(gzip) = gzip {
                gzip.end(out);
            }
        });
    }

    /// A whole record.
    pub fn record(&mut self, head: &[u8], block: &[u8]) {
        self.begin(head);
        self.block(block);
        self.end();
    }

    /// A record that is copied as it stands in the source: a gzip member, or without what ends it.
    pub fn copy(&mut self, offset: u64, length: u64) {
        let is_next = matches!(self.queue.back(), Some(Piece::Range { offset: from, length: bytes }) if from + bytes == offset);
        if is_next && self.is_gzip() {
            if let Some(Piece::Range { length: bytes, .. }) = self.queue.back_mut() {
                *bytes += length;
            }
        } else {
            self.queue.push_back(Piece::Range { offset, length });
        }
        if !self.is_gzip() {
            self.block(RECORD_END);
        }
    }

    fn add(&mut self, write: impl FnOnce(Option<&mut GzipWriter>, &mut Vec<u8>)) {
        if !matches!(self.queue.back(), Some(Piece::Bytes(_))) {
            self.queue.push_back(Piece::Bytes(Vec::new()));
        }
        if let Some(Piece::Bytes(out)) = self.queue.back_mut() {
            let before = out.len();
            write(self.gzip.as_deref_mut(), out);
            self.held += out.len() - before;
        }
    }
}
