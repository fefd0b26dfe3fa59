//! The content of one block on its way to the sink: the HTTP head, if there is one, then payload.

use super::http::{HttpHead, looks_like_http};
use super::record::Sink;
use super::warc::{HeadEnd, RecordType, WarcHead};
use crate::limits::HTTP_HEAD_BYTES_MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// May be HTTP: too little is known.
    Undecided,
    /// In the HTTP head.
    Head,
    Payload,
}

pub struct Block {
    state: State,
    is_request: bool,
    http: HttpHead,
    http_end: HeadEnd,
    /// Whether a line of the HTTP head is none. That is told with the end of the record: how much of a block
    /// is seen before its record begins again depends on how the file is cut.
    pub has_bad_head: bool,
    /// Bytes of the block that went by.
    pub bytes: u64,
    /// Those of them after the HTTP head.
    pub payload_bytes: u64,
}

impl Block {
    pub fn new() -> Block {
        Block {
            state: State::Payload,
            is_request: false,
            http: HttpHead::default(),
            http_end: HeadEnd::default(),
            has_bad_head: false,
            bytes: 0,
            payload_bytes: 0,
        }
    }

    /// The block of the record with this head begins.
    pub fn begin(&mut self, head: &WarcHead) {
        self.state = if head.holds_http() {
            State::Undecided
        } else {
            State::Payload
        };
        self.is_request = head.kind() == RecordType::Request;
        self.has_bad_head = false;
        self.http.raw.clear();
        self.http_end = HeadEnd::default();
        self.bytes = 0;
        self.payload_bytes = 0;
    }

    /// Whether what is left of the block is nothing but payload.
    pub fn is_in_payload(&self) -> bool {
        self.state == State::Payload
    }

    /// Payload that is passed over unread.
    pub fn pass_over(&mut self, bytes: u64) {
        self.bytes += bytes;
        self.payload_bytes += bytes;
    }

    pub fn content(&mut self, bytes: &[u8], sink: &mut dyn Sink) {
        self.bytes += bytes.len() as u64;
        if self.state == State::Payload {
            return self.payload(bytes, sink);
        }
        let found = self.http_end.find(bytes);
        let (head, rest) = bytes.split_at(found.unwrap_or(bytes.len()));
        self.http.raw.extend_from_slice(head);
        if self.state == State::Undecided {
            match looks_like_http(&self.http.raw, self.is_request) {
                Some(true) => self.state = State::Head,
                Some(false) => return self.not_http(rest, sink),
                None => return,
            }
        }
        if found.is_some() {
            self.finish(sink);
        } else if self.http.raw.len() > HTTP_HEAD_BYTES_MAX {
            return self.not_http(&[], sink);
        }
        self.payload(rest, sink);
    }

    /// The HTTP head ends here, be it by a blank line or because the block does.
    pub fn finish(&mut self, sink: &mut dyn Sink) {
        match self.state {
            State::Payload => {}
            State::Undecided => self.not_http(&[], sink),
            State::Head => {
                self.state = State::Payload;
                self.has_bad_head = !self.http.parse();
                sink.http(&self.http);
            }
        }
    }

    /// What was taken for an HTTP head is payload, and so is `rest`.
    fn not_http(&mut self, rest: &[u8], sink: &mut dyn Sink) {
        self.state = State::Payload;
        let taken = std::mem::take(&mut self.http.raw);
        self.payload(&taken, sink);
        self.http.raw = taken;
        self.payload(rest, sink);
    }

    fn payload(&mut self, bytes: &[u8], sink: &mut dyn Sink) {
        self.payload_bytes += bytes.len() as u64;
        if !bytes.is_empty() {
            sink.body(bytes);
        }
    }
}
