//! The state machine's ways of ARC: records that begin with a URL line.
//!
//! A1  A line is a URL line only when its end was seen, so lines in the gap are gathered first. Whether a
//!     line cannot be one shows earlier, and at the same byte however the input is cut.
//! A2  The two lines after the URL line of a version block belong to its header, not to its payload.

use memchr::memchr;

use super::arc::{Trust, UrlLine, could_be_line, is_version_line};
use super::machine::{Flow, Machine, State};
use super::record::Sink;
use super::warc::StatedLength;
use crate::error::code;
use crate::limits::ARC_LINE_BYTES_MAX;

const VERSION_LINES: u8 = 2;
const VERSION_BYTES_MAX: u64 = 2 * ARC_LINE_BYTES_MAX as u64;

impl Machine {
    /// Between records, or in a line that may begin one.
    pub(super) fn line_gap(
        &mut self,
        bytes: &[u8],
        place: u64,
        sink: &mut dyn Sink,
    ) -> (usize, Flow) {
        if !self.cut_line.is_empty() {
            return self.cut_gap(bytes, place, sink);
        }
        let mut at = 0;
        if self.line.is_empty() {
            while let Some(&byte) = bytes.get(at).filter(|byte| is_newline(byte)) {
                self.newline(byte);
                at += 1;
            }
        }
        if self.line.is_empty() {
            self.probe_at = (self.member, place + at as u64);
        }
        let end = memchr(b'\n', &bytes[at..]).map(|found| at + found + 1);
        let to = end.unwrap_or(bytes.len());
        self.line.extend_from_slice(&bytes[at..to]);
        let is_none = !self.line.is_empty() && could_be_line(&self.line) == Some(false);
        let may_be = end.is_some() && !is_none;
        let is_line = may_be && UrlLine::read(&self.line, Trust::Due).is_some();
        if is_none || self.line.len() > ARC_LINE_BYTES_MAX || end.is_some() && !is_line {
            let line = std::mem::take(&mut self.line);
            return (to, self.misfit(place + to as u64, &line, sink));
        }
        if end.is_some() {
            if self.has_record {
                self.tell_before(sink);
            }
            let line = std::mem::take(&mut self.line);
            self.tell_joint(start_of(&line, place + to as u64), sink);
            self.begin_line(&line, place + to as u64, sink);
        }
        (to, Flow::On)
    }

    /// The block ended like the beginning of a URL line: looks whether the line goes on after it.
    fn cut_gap(&mut self, bytes: &[u8], place: u64, sink: &mut dyn Sink) -> (usize, Flow) {
        let end = memchr(b'\n', bytes).map(|found| found + 1);
        let taken = end.unwrap_or(bytes.len());
        self.line.extend_from_slice(&bytes[..taken]);
        if end.is_none() && self.line.len() <= ARC_LINE_BYTES_MAX {
            return (taken, Flow::On);
        }
        let whole = [&self.cut_line[..], &self.line].concat();
        if UrlLine::read(&whole, Trust::Found).is_some() {
            self.shorter = Some(self.shorter_after_overrun);
            return (taken, self.read_again());
        }
        self.cut_line.clear();
        let line = std::mem::take(&mut self.line);
        let start = start_of(&line, place + taken as u64);
        let (_, flow) = self.data(&line, start, sink);
        (taken, flow)
    }

    /// A record begins with this URL line, which ends at `end`.
    pub(super) fn begin_line(&mut self, line: &[u8], end: u64, sink: &mut dyn Sink) {
        self.begin_record(start_of(line, end));
        self.begin_fields(line, end, sink);
    }

    /// What the URL line of a record says; its block begins at `end`.
    fn begin_fields(&mut self, line: &[u8], end: u64, sink: &mut dyn Sink) {
        let is_version_block = is_version_line(line);
        let read = UrlLine::read(line, Trust::Due);
        let text = read.map_or(Vec::new(), |read| read.as_fields(is_version_block));
        self.head.set(line, text);
        if !self.is_again() {
            self.tell_header_faults(true, sink);
        }
        self.block_start = end;
        self.version_bytes = match (self.known_length(), self.head.stated_length()) {
            (Some(bytes), _) | (None, StatedLength::Bytes(bytes)) => bytes,
            _ => u64::MAX,
        };
        self.version_bytes = self.version_bytes.min(VERSION_BYTES_MAX);
        self.version_lines = VERSION_LINES;
        if !is_version_block || self.version_bytes == 0 {
            self.open_block(self.block_start, 0, sink);
        }
    }

    /// The lines of a version block that say how the others are written.
    pub(super) fn version_block(&mut self, bytes: &[u8], sink: &mut dyn Sink) -> usize {
        let due = usize::try_from(self.version_bytes).unwrap_or(usize::MAX);
        let due = &bytes[..due.min(bytes.len())];
        let end = memchr(b'\n', due).map(|found| found + 1);
        let taken = end.unwrap_or(due.len());
        self.head.raw.extend_from_slice(&due[..taken]);
        self.version_bytes -= taken as u64;
        self.version_lines -= u8::from(end.is_some());
        if self.version_lines == 0 || self.version_bytes == 0 {
            // Counted, since the lines may have come in another member than the URL line.
            let line = memchr(b'\n', &self.head.raw).map_or(0, |at| at + 1);
            let seen = (self.head.raw.len() - line) as u64;
            self.open_block(self.block_start, seen, sink);
        }
        taken
    }

    /// The file ends in a line where one is due. `Rewind` asks to read the record before again.
    pub(super) fn finish_line(&mut self, end: u64, sink: &mut dyn Sink) -> Flow {
        if !self.is_plain {
            self.lose_cut_line(sink);
        }
        let line = std::mem::take(&mut self.line);
        let cut = std::mem::take(&mut self.cut_line);
        let whole = [&cut[..], &line].concat();
        if !cut.is_empty() && UrlLine::read(&whole, Trust::Found).is_some() {
            self.shorter = Some(self.shorter_after_overrun);
            return Flow::Rewind(self.start);
        }
        if line.is_empty() {
            return Flow::On;
        }
        if self.has_record && self.is_plain && self.must_read_again() {
            return Flow::Rewind(self.start);
        }
        let start = end.saturating_sub(line.len() as u64);
        let is_line = self.is_plain && UrlLine::read(&line, Trust::Due).is_some();
        if self.has_record {
            self.tell(self.end_so_far(), true, sink);
        }
        if is_line {
            self.begin_line(&line, end, sink);
            if self.state == State::Head {
                self.open_block(self.block_start, 0, sink);
            }
        } else {
            self.lose(line.len() as u64, start, sink);
        }
        Flow::On
    }

    /// The member ends in a line that may begin a record: it may go on in the next one.
    pub(super) fn cut_line_off(&mut self, sink: &mut dyn Sink) {
        self.cut_line.append(&mut self.line);
        if self.cut_line.len() > ARC_LINE_BYTES_MAX {
            self.lose_cut_line(sink);
        }
    }

    /// A line in which a member ended does not go on in the next one.
    pub(super) fn lose_cut_line(&mut self, sink: &mut dyn Sink) {
        let line = std::mem::take(&mut self.cut_line);
        if !line.is_empty() {
            self.lose(line.len() as u64, self.probe_at.0, sink);
        }
    }

    fn lose(&mut self, bytes: u64, offset: u64, sink: &mut dyn Sink) {
        let message = "a line that begins a record breaks off";
        self.damage(code::WARC_TRUNCATED, offset, bytes, message, sink);
    }

    /// A member begins in the middle of a record, or of the line that begins one: looks whether a record begins with it. Returns how many of
    /// the bytes were used up, or nothing while too little is known.
    pub(super) fn line_joint(
        &mut self,
        bytes: &[u8],
        place: u64,
        sink: &mut dyn Sink,
    ) -> Option<usize> {
        let end = memchr(b'\n', bytes).map(|found| found + 1);
        let taken = end.unwrap_or(bytes.len());
        self.line.extend_from_slice(&bytes[..taken]);
        let whole = [&self.cut_line[..], &self.line].concat();
        let is_none = [&self.line, &whole]
            .iter()
            .all(|line| could_be_line(line) == Some(false));
        if end.is_none() && !is_none && self.line.len() <= ARC_LINE_BYTES_MAX {
            return None;
        }
        let line = std::mem::take(&mut self.line);
        let end = place + taken as u64;
        let is_cut = !self.cut_line.is_empty();
        let is_cut_whole = is_cut && UrlLine::read(&whole, Trust::Due).is_some();
        // The rest of `http` may look like a scheme too.
        let is_whole = UrlLine::read(&line, Trust::Found).is_some();
        if is_whole && (!is_cut_whole || begins_as_usual(&line)) {
            if is_cut {
                self.lose_cut_line(sink);
            } else {
                self.cut_off(sink);
            }
            self.begin_line(&line, end, sink);
        } else if is_cut_whole {
            self.cut_line.clear();
            self.begin_record(self.probe_at.1);
            self.record.offset = self.probe_at.0;
            self.tell_split(sink);
            self.begin_fields(&whole, end, sink);
        } else {
            self.lose_cut_line(sink);
            if !is_cut {
                self.tell_split(sink);
            }
            let _ = self.data(&line, start_of(&line, end), sink);
        }
        Some(taken)
    }
}

fn is_newline(byte: &u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}

/// Whether a URL line begins with one of the schemes that crawlers meet.
fn begins_as_usual(line: &[u8]) -> bool {
    [&b"http://"[..], b"https://", b"ftp://", b"dns:"]
        .iter()
        .any(|scheme| line.starts_with(scheme))
}

/// Where a line begins that ends at `end`.
fn start_of(line: &[u8], end: u64) -> u64 {
    end.saturating_sub(line.len() as u64)
}
