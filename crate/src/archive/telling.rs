//! What the state machine tells of records and damage, once their ends are certain.

use super::machine::{Machine, State};
use super::record::Sink;
use super::warc::StatedLength;
use crate::error::{Code, Damage, code};

impl Machine {
    /// Tells of damage, by the code that it has in this format.
    pub(super) fn damage(
        &self,
        code: Code,
        offset: u64,
        skipped: u64,
        message: &str,
        sink: &mut dyn Sink,
    ) {
        sink.damage(Damage {
            code: self.framing.code(code),
            offset,
            skipped,
            message: message.into(),
        });
    }

    /// What is wrong with the header that was just read.
    pub(super) fn tell_header_faults(&self, is_sound: bool, sink: &mut dyn Sink) {
        let offset = self.record.offset;
        let mut tell = |code, message| self.damage(code, offset, 0, message, sink);
        if !is_sound {
            let message = "a line of the record header is no field";
            tell(code::WARC_BAD_HEADER, message);
        }
        if self.has_odd_start() {
            let message = "the record does not begin with `WARC/` in capital letters";
            tell(code::WARC_BAD_HEADER, message);
        }
        if self.head.count("Content-Length") > 1 {
            let message = "the record states its length more than once";
            tell(code::WARC_BAD_HEADER, message);
        }
        if self.head.get_raw("WARC-Type").is_none() {
            let message = "the record does not say of what type it is";
            tell(code::WARC_NO_TYPE, message);
        }
        if self.head.date().is_none() && self.head.get_raw("WARC-Date").is_some() {
            tell(code::WARC_BAD_DATE, "the date of the record is none");
        }
        match self.head.stated_length() {
            StatedLength::Bytes(_) => {}
            StatedLength::Missing => tell(code::WARC_NO_LENGTH, "the record states no length"),
            StatedLength::Unreadable => {
                let message = "the stated length of the record is no number";
                tell(code::WARC_NO_LENGTH, message);
            }
        }
    }

    /// The record ends because another one starts.
    pub(super) fn tell_before(&mut self, sink: &mut dyn Sink) {
        let offset = self.record.offset;
        let is_shared = !self.is_plain && self.spans_to.is_none();
        self.tell(self.end_so_far(), true, sink);
        if is_shared && !self.has_told_shared {
            self.has_told_shared = true;
            let message = "records share one compressed member: to read one, those before it are inflated too";
            let code = if self.may_span {
                code::ZSTD_SHARED_FRAME
            } else {
                code::GZIP_SHARED_MEMBER
            };
            self.damage(code, offset, 0, message, sink);
        }
    }

    /// Where the record ends by what was read of it. Inside a shared gzip member that is counted in
    /// inflated bytes, since compressed ones have no borders there.
    pub(super) fn end_so_far(&self) -> u64 {
        if self.is_plain {
            self.block_end
        } else if let Some(end) = self.spans_to {
            end
        } else if self.record.offset == self.member {
            self.member + self.block_end.saturating_sub(self.start)
        } else {
            self.member + self.block_end
        }
    }

    pub(super) fn tell(&mut self, end: u64, is_whole: bool, sink: &mut dyn Sink) {
        self.record.length = end.saturating_sub(self.record.offset);
        self.record.is_whole = is_whole;
        if self.state == State::Block {
            self.release_all_but(0, sink);
        }
        self.block.finish(sink);
        if !self.held.is_empty() {
            sink.tail(&self.held);
            self.held.clear();
        }
        self.record.block_bytes = self.block.bytes;
        self.record.payload_bytes = self.block.payload_bytes;
        self.has_record = false;
        self.spans_to = None;
        if std::mem::take(&mut self.block.has_bad_head) {
            let message = "a line of the HTTP header is no field";
            self.damage(code::HTTP_BAD_HEAD, self.record.offset, 0, message, sink);
        }
        sink.end(&self.record);
        if std::mem::take(&mut self.is_short) {
            let message = "the stated length ends before the record does";
            self.damage(code::WARC_BAD_LENGTH, self.record.offset, 0, message, sink);
        }
    }

    /// A header that breaks off still says what the record was.
    pub(super) fn salvage_head(&mut self, end: u64, sink: &mut dyn Sink) {
        self.head.parse();
        self.block.begin(&self.head);
        sink.begin(&self.head);
        self.tell(end, false, sink);
    }

    /// A record that the start of another member cuts off.
    pub(super) fn cut_off(&mut self, sink: &mut dyn Sink) {
        let offset = self.record.offset;
        let resumed = offset + self.record.length;
        if self.has_record {
            self.tell(resumed, false, sink);
        } else {
            self.salvage_head(resumed, sink);
        }
        let message = "the compressed member ends before the record does";
        self.damage(code::WARC_TRUNCATED, offset, 0, message, sink);
        self.record.offset = resumed;
    }

    pub(super) fn tell_split(&mut self, sink: &mut dyn Sink) {
        if !self.has_told_split {
            self.has_told_split = true;
            let offset = self.record.offset;
            let message = "a record is spread over several gzip members";
            self.damage(code::GZIP_SPLIT_RECORD, offset, 0, message, sink);
        }
    }

    /// The extent of pending damage is known: it goes up to `end`, in the file or in the member.
    pub(super) fn settle(&mut self, end: u64, sink: &mut dyn Sink) {
        if let Some(pending) = self.pending.take() {
            let is_same_member = self.is_plain || self.record.offset == pending.offset;
            let skipped = if is_same_member {
                end.saturating_sub(pending.from)
            } else {
                self.record.offset - pending.offset
            };
            self.damage(pending.code, pending.offset, skipped, pending.message, sink);
        }
    }
}
