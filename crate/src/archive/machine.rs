//! The state machine of WARC and ARC framing: bytes of the (inflated) file in, records out.
//!
//! States and what ends them:
//!   Gap    the newlines between records   -> Head at `WARC/` or a URL line, Hunt at anything else
//!   Head   a header block                 -> Block at its blank line
//!   Block  content of the stated length   -> Gap when it is all there
//!   Hunt   after damage                   -> Head at the next line that begins a record
//! What is told at which turn is in `telling.rs`, the URL lines of ARC in `lines.rs`, blocks that end where
//! something else begins in `open_block.rs`.
//! M1  A record is told (`end`) only when what follows its block is known to be right or wrong.
//! M2  What is told does not depend on how the input is cut.
//! M3  In plain files a length that runs over the next record is noticed at its end; the record is then
//!     read again (`Flow::Rewind`) with the length that the hunt found inside it. One that goes beyond the
//!     end of the file is noticed as soon as the next record comes.

use super::block::Block;
use super::framing::{Framing, Seeker};
use super::record::{Joint, Record, Sink};
use super::warc::{HeadEnd, StatedLength, WarcHead};
use crate::error::{Code, code};
use crate::limits::{SKIP_BYTES_MIN, SKIP_MEMBER_BYTES_MIN, WARC_HEAD_BYTES_MAX};

const START: &[u8; 5] = b"WARC/";

/// Where the reader must go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    On,
    /// The next `to - here` bytes are of no use to anybody.
    Skip(u64),
    /// The record at `to` must be read again.
    Rewind(u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Gap,
    Head,
    Block,
    Hunt,
}

/// A hunt in the stream, with the place where it began.
pub(super) struct Hunt {
    pub(super) seeker: Seeker,
    pub(super) base: u64,
}

/// Damage whose extent is not known yet.
pub(super) struct Pending {
    pub(super) code: Code,
    pub(super) offset: u64,
    /// Place in the file, or in the member, from which bytes belong to no record.
    pub(super) from: u64,
    pub(super) message: &'static str,
}

pub struct Machine {
    pub(super) framing: Framing,
    pub(super) is_plain: bool,
    /// Records may well lie in several members each.
    pub(super) may_span: bool,
    may_skip: bool,
    pub(super) state: State,
    pub(super) head: WarcHead,
    head_end: HeadEnd,
    pub(super) block: Block,
    /// The record being read; told when its end is certain.
    pub(super) record: Record,
    pub(super) has_record: bool,
    /// Place of the record's first byte in its member, or in the file when it is plain.
    pub(super) start: u64,
    /// Where the member being read starts.
    pub(super) member: u64,
    /// End of the last member of a record whose newlines may come in another one.
    pub(super) spans_to: Option<u64>,
    pub(super) block_start: u64,
    remaining: u64,
    /// The length is not stated: the block goes on to the next record.
    pub(super) is_open_ended: bool,
    /// The length goes beyond the end of the file, so a record start found in the block is the next record.
    is_overlong: bool,
    /// Where a plain file ends, or further on where that is not known.
    file_end: u64,
    was_skipped: bool,
    /// The stated length ended before the record did; told with its end.
    pub(super) is_short: bool,
    /// Bytes whose belonging is not certain: newlines in the gap, or what an open block may end before.
    pub(super) held: Vec<u8>,
    /// Newlines and bytes of `WARC/` seen in the gap.
    pub(super) newlines: u64,
    pub(super) block_end: u64,
    pub(super) probed: usize,
    /// Those bytes as they stand, since some files write them in lower case.
    probe: [u8; START.len()],
    /// Member and place of the first of them, or of the line.
    pub(super) probe_at: (u64, u64),
    /// One of them was not as the standard has it.
    has_odd_case: bool,
    /// Bytes of `WARC/` that the block ended with: its length may cut into the next record.
    overrun: usize,
    /// Block length that this implies.
    pub(super) shorter_after_overrun: u64,
    /// In ARC: a line seen in the gap, and the piece of a URL line that the block or the member ended with.
    pub(super) line: Vec<u8>,
    pub(super) cut_line: Vec<u8>,
    /// Lines and bytes of an ARC version block that are still to come.
    pub(super) version_lines: u8,
    pub(super) version_bytes: u64,
    /// Looks for a record start inside the block of a plain file.
    pub(super) inside: Option<Hunt>,
    /// Block length that the record start found inside the block implies.
    pub(super) shorter: Option<u64>,
    pub(super) hunt: Hunt,
    pub(super) pending: Option<Pending>,
    /// (offset, block length) that were found out about a record.
    pub(super) known_length: Option<(u64, u64)>,
    /// Records up to here are read without skipping.
    pub(super) careful_until: u64,
    /// Bytes of a plain file that were read again so far, and how far it had been read before that.
    reread: (u64, u64),
    /// A member began in the middle of a record: bytes of `WARC/` seen at its start.
    joint: Option<usize>,
    pub(super) has_told_shared: bool,
    pub(super) has_told_split: bool,
}

impl Machine {
    pub fn new(framing: Framing, is_plain: bool, may_span: bool) -> Machine {
        Machine {
            framing,
            is_plain,
            may_span,
            may_skip: is_plain,
            state: State::Gap,
            head: WarcHead::default(),
            head_end: HeadEnd::default(),
            block: Block::new(),
            record: Record::default(),
            has_record: false,
            start: 0,
            member: 0,
            block_start: 0,
            remaining: 0,
            is_open_ended: false,
            is_overlong: false,
            file_end: u64::MAX,
            was_skipped: false,
            is_short: false,
            held: Vec::new(),
            newlines: 0,
            block_end: 0,
            probed: 0,
            probe: *START,
            probe_at: (0, 0),
            spans_to: None,
            has_odd_case: false,
            overrun: 0,
            shorter_after_overrun: 0,
            line: Vec::new(),
            cut_line: Vec::new(),
            version_lines: 0,
            version_bytes: 0,
            inside: None,
            shorter: None,
            hunt: Hunt {
                seeker: framing.seeker(false, false),
                base: 0,
            },
            pending: None,
            known_length: None,
            careful_until: 0,
            reread: (0, 0),
            joint: None,
            has_told_shared: false,
            has_told_split: false,
        }
    }

    pub fn forbid_skip(&mut self) {
        self.may_skip = false;
    }

    /// States where the plain file ends.
    pub fn set_file_end(&mut self, end: u64) {
        self.file_end = end;
    }

    /// States how much was read again, and how far the file had been read before.
    pub fn set_reread(&mut self, bytes: u64, furthest: u64) {
        self.reread = (bytes, furthest);
    }

    /// States what was told of the file already.
    pub fn set_told(&mut self, has_told_shared: bool, has_told_split: bool) {
        self.has_told_shared = has_told_shared;
        self.has_told_split = has_told_split;
    }

    pub fn set_block_length(&mut self, offset: u64, bytes: u64) {
        self.known_length = Some((offset, bytes));
    }

    /// Takes bytes that lie at `place` (in the file, or in the inflated member).
    /// Returns how many were taken and where to go on.
    pub fn data(&mut self, bytes: &[u8], place: u64, sink: &mut dyn Sink) -> (usize, Flow) {
        let mut at = 0;
        while at < bytes.len() {
            let (rest, here) = (&bytes[at..], place + at as u64);
            let (taken, flow) = match self.state {
                State::Gap if self.framing == Framing::Arc => self.line_gap(rest, here, sink),
                State::Gap => self.gap(rest, here, sink),
                State::Head if self.framing == Framing::Arc => {
                    (self.version_block(rest, sink), Flow::On)
                }
                State::Head => (self.header(rest, here, sink), Flow::On),
                State::Block => self.in_block(rest, here, sink),
                State::Hunt => (self.hunting(rest, here, sink), Flow::On),
            };
            at += taken;
            if flow != Flow::On {
                return (at, flow);
            }
        }
        (at, Flow::On)
    }

    // Members of a gzip file

    /// Whether nothing of the members before bears on the next one.
    pub fn is_between(&self) -> bool {
        self.state == State::Gap
            && !self.has_record
            && self.pending.is_none()
            && self.joint.is_none()
            && self.overrun == 0
            && self.probed == 0
            && self.cut_line.is_empty()
    }

    /// Whether what was read last belongs to no record.
    pub fn is_in_garbage(&self) -> bool {
        self.state == State::Hunt
    }

    pub fn member_start(&mut self, offset: u64) {
        self.member = offset;
        match self.state {
            State::Gap if self.may_span => {}
            State::Gap if !self.cut_line.is_empty() => self.joint = Some(0),
            State::Gap => self.newlines = 0,
            State::Head | State::Block => self.joint = Some(0),
            State::Hunt => self.hunt = self.hunt_at(0, true),
        }
        if !self.has_record && self.state != State::Head {
            self.record.offset = offset;
        }
    }

    pub fn member_data(&mut self, bytes: &[u8], place: u64, sink: &mut dyn Sink) {
        let mut bytes = bytes;
        let mut place = place;
        if let Some(seen) = self.joint.filter(|_| self.framing == Framing::Warc) {
            let known = bytes.len().min(START.len() - seen);
            let is_start = bytes[..known].eq_ignore_ascii_case(&START[seen..seen + known]);
            if is_start {
                self.probe[seen..seen + known].copy_from_slice(&bytes[..known]);
            }
            if is_start && seen + known < START.len() {
                self.joint = Some(seen + known);
                return;
            }
            self.joint = None;
            let probe = self.probe;
            if is_start {
                self.cut_off(sink);
                self.begin_head(place - seen as u64, &probe);
                bytes = &bytes[known..];
                place += known as u64;
            } else {
                if !self.may_span {
                    self.tell_split(sink);
                }
                let _ = self.data(&probe[..seen], place - seen as u64, sink);
            }
        } else if self.joint.is_some() {
            let Some(rest) = self.line_joint(bytes, place, sink) else {
                return;
            };
            self.joint = None;
            (bytes, place) = (&bytes[rest..], place + rest as u64);
        }
        // In gzip files the flow is always On: members are their own signposts.
        let _ = self.data(bytes, place, sink);
    }

    /// The member ended as it should, right before file offset `end`.
    pub fn member_end(&mut self, end: u64, sink: &mut dyn Sink) {
        if let Some(seen) = self.joint.take()
            && self.cut_line.is_empty()
        {
            // Too little of a member to see whether it begins a record: it belongs to the one before.
            let mut bytes = std::mem::take(&mut self.line);
            bytes.extend_from_slice(&self.probe[..seen]);
            let _ = self.data(&bytes, 0, sink);
        }
        match self.state {
            State::Block if self.is_open_ended => {
                let newlines = self.held_newlines();
                self.release_all_but(newlines, sink);
                self.state = State::Gap;
                self.tell(end, true, sink);
            }
            State::Gap
                if self.has_record
                    && self.may_span
                    && self.newlines < self.framing.newlines_due() =>
            {
                self.spans_to = Some(end);
            }
            State::Gap if self.has_record => {
                self.tell(end, true, sink);
            }
            _ => self.record.length = end.saturating_sub(self.record.offset),
        }
        if self.state == State::Gap {
            self.cut_line_off(sink);
        }
    }

    /// The member broke; reading goes on at `resumed`. Returns whether a record had begun in it.
    pub fn member_broken(&mut self, resumed: u64, sink: &mut dyn Sink) -> bool {
        let had_record = self.has_record || self.state == State::Head;
        if self.has_record {
            let is_whole = self.state == State::Gap;
            self.tell(resumed, is_whole, sink);
        } else if had_record {
            self.salvage_head(resumed, sink);
        }
        self.state = State::Gap;
        self.joint = None;
        self.pending = None;
        self.line.clear();
        self.lose_cut_line(sink);
        had_record
    }

    // The end

    /// The file ends at `end`. `Rewind` asks to read a record again before that is final.
    pub fn finish(&mut self, end: u64, sink: &mut dyn Sink) -> Flow {
        if self.state == State::Gap && self.finish_line(end, sink) != Flow::On {
            return self.read_again();
        }
        match self.state {
            State::Block if self.is_plain && self.must_read_again() => return self.read_again(),
            State::Gap if self.has_record && self.was_skipped && self.block_end > end => {
                return self.read_again();
            }
            State::Block => {
                let is_whole = self.is_open_ended;
                let offset = self.record.offset;
                self.tell(end, is_whole, sink);
                if !is_whole {
                    let message = "the file ends in the middle of this record";
                    self.damage(code::WARC_TRUNCATED, offset, 0, message, sink);
                }
            }
            State::Head => {
                let offset = self.record.offset;
                self.salvage_head(end, sink);
                let message = "the file ends in a record header";
                self.damage(code::WARC_TRUNCATED, offset, 0, message, sink);
            }
            State::Gap => {
                if self.has_record {
                    let record_end = if self.is_plain {
                        self.block_end.min(end)
                    } else {
                        self.spans_to.unwrap_or(end)
                    };
                    self.tell(record_end, true, sink);
                }
                if self.probed > 0 && self.is_plain {
                    let offset = end - self.probed as u64;
                    let message = "the file ends in a record header";
                    self.damage(code::WARC_TRUNCATED, offset, end - offset, message, sink);
                }
            }
            State::Hunt if self.is_plain => self.settle(end, sink),
            State::Hunt => {
                // Places are counted in the member; the file ends after it.
                self.record.offset = end;
                self.settle(end, sink);
            }
        }
        self.state = State::Gap;
        self.probed = 0;
        Flow::On
    }

    /// The record at `to` begins again, as asked for by `Flow::Rewind`.
    pub fn restart(&mut self, to: u64, sink: &mut dyn Sink) {
        sink.abandon();
        if let Some((offset, _)) = self.known_length
            && offset == to
        {
            let message = "the stated length runs over the next record";
            self.damage(code::WARC_BAD_LENGTH, to, 0, message, sink);
        }
        self.has_record = false;
        self.state = State::Gap;
        self.probed = 0;
        self.newlines = 0;
        self.held.clear();
        self.pending = None;
        self.line.clear();
        self.cut_line.clear();
    }

    /// Reading again was asked for and is not possible: takes the record as it was.
    pub fn give_up(&mut self, here: u64, sink: &mut dyn Sink) {
        self.known_length = None;
        let offset = self.record.offset;
        self.tell(here, false, sink);
        let message = "the stated length does not lead to the next record";
        self.damage(code::WARC_BAD_LENGTH, offset, 0, message, sink);
        self.line.clear();
        self.cut_line.clear();
        self.hunt_from(here, false, &[]);
    }

    // States

    fn gap(&mut self, bytes: &[u8], place: u64, sink: &mut dyn Sink) -> (usize, Flow) {
        if self.overrun > 0
            && let Some(outcome) = self.overrunning(bytes)
        {
            return outcome;
        }
        for (at, &byte) in bytes.iter().enumerate() {
            if self.probed == 0 && matches!(byte, b'\r' | b'\n') {
                self.newline(byte);
            } else if byte.eq_ignore_ascii_case(&START[self.probed]) {
                if self.probed == 0 {
                    self.probe_at = (self.member, place + at as u64);
                }
                self.probe[self.probed] = byte;
                self.probed += 1;
                if self.probed == START.len() {
                    let (member, start) = self.probe_at;
                    if self.has_record {
                        self.tell_before(sink);
                    }
                    let probe = self.probe;
                    self.tell_joint(start, sink);
                    self.begin_head(start, &probe);
                    if !self.is_plain {
                        self.record.offset = member;
                    }
                    return (at + 1, Flow::On);
                }
            } else if self.probed > 0 && self.probe_at.0 != self.member {
                // The member before broke off in a record start, and this one has its own.
                self.probed = 0;
                return (at, Flow::On);
            } else {
                let seen = self.probe;
                let seen = &seen[..self.probed];
                return (at, self.misfit(place + at as u64, seen, sink));
            }
        }
        (bytes.len(), Flow::On)
    }

    /// A newline in the gap: the record's own, or one too many.
    pub(super) fn newline(&mut self, byte: u8) {
        if self.newlines < self.framing.newlines_due() && self.has_record {
            self.newlines += 1;
            self.held.push(byte);
        }
    }

    /// The block ended like the beginning of a record: looks whether the record goes on after it.
    fn overrunning(&mut self, bytes: &[u8]) -> Option<(usize, Flow)> {
        let mut taken = 0;
        while self.overrun < START.len() {
            let Some(&byte) = bytes.get(taken) else {
                return Some((taken, Flow::On));
            };
            if !byte.eq_ignore_ascii_case(&START[self.overrun]) {
                self.overrun = 0;
                return (taken > 0).then_some((taken, Flow::On));
            }
            self.overrun += 1;
            taken += 1;
        }
        let Some(next) = bytes.get(taken) else {
            return Some((taken, Flow::On));
        };
        if !next.is_ascii_digit() {
            self.overrun = 0;
            return (taken > 0).then_some((taken, Flow::On));
        }
        self.overrun = 0;
        self.shorter = Some(self.shorter_after_overrun);
        Some((taken, self.read_again()))
    }

    /// Something other than a record follows `seen`, which might have been one; `place` comes after that.
    pub(super) fn misfit(&mut self, place: u64, seen: &[u8], sink: &mut dyn Sink) -> Flow {
        if self.has_record && self.is_plain && self.must_read_again() {
            return self.read_again();
        }
        let from = place.saturating_sub(seen.len() as u64);
        let offset = if self.is_plain {
            from
        } else {
            self.record.offset
        };
        // A record that ends as it should is not to blame for what follows.
        let is_too_short = self.has_record && self.newlines < self.framing.newlines_due();
        if is_too_short && self.is_first_in_member() {
            self.open_again(seen, sink);
            return Flow::On;
        }
        self.pending = Some(if is_too_short {
            let message = "the stated length ends before the record does";
            Pending {
                code: code::WARC_BAD_LENGTH,
                offset: self.record.offset,
                from,
                message,
            }
        } else {
            Pending {
                code: code::WARC_GARBAGE,
                offset,
                from,
                message: "bytes that are no record",
            }
        });
        if self.has_record {
            self.tell(self.end_so_far(), !is_too_short, sink);
        }
        let is_line_start = self.newlines > 0 || self.block_start == 0 && self.start == 0;
        self.hunt_from(from, is_line_start, seen);
        Flow::On
    }

    pub(super) fn hunt_at(&self, base: u64, is_line_start: bool) -> Hunt {
        Hunt {
            seeker: self.framing.seeker(is_line_start, self.has_odd_case),
            base,
        }
    }

    fn hunt_from(&mut self, place: u64, is_line_start: bool, seen: &[u8]) {
        self.hunt = self.hunt_at(place, is_line_start);
        self.state = State::Hunt;
        self.probed = 0;
        self.newlines = 0;
        let _ = self.hunt.seeker.feed(seen);
    }

    fn hunting(&mut self, bytes: &[u8], place: u64, sink: &mut dyn Sink) -> usize {
        let Some(found) = self.hunt.seeker.feed(bytes) else {
            return bytes.len();
        };
        let start = self.hunt.base + found.at;
        self.settle(start, sink);
        self.tell_joint(start, sink);
        if self.framing == Framing::Arc {
            let line = self.hunt.seeker.line().to_vec();
            let end = start + line.len() as u64;
            self.begin_line(&line, end, sink);
            return usize::try_from(end.saturating_sub(place)).unwrap_or(0);
        }
        // A start before these bytes can only be a piece of `WARC/`: the digit after it was just seen.
        let seen = usize::try_from(place.saturating_sub(start)).unwrap_or(0);
        let letters = self.hunt.seeker.carried_start();
        let letters = letters[..seen.min(letters.len())].to_vec();
        self.begin_head(start, &letters);
        usize::try_from(start.saturating_sub(place)).unwrap_or(0)
    }

    fn begin_head(&mut self, start: u64, seen: &[u8]) {
        self.begin_record(start);
        self.has_odd_case |= !START.starts_with(seen);
        self.head_end = HeadEnd::default();
        let _ = self.head_end.find(seen);
        self.head.raw.extend_from_slice(seen);
    }

    /// A record's header begins.
    pub(super) fn begin_record(&mut self, start: u64) {
        self.state = State::Head;
        self.start = start;
        self.probed = 0;
        self.head.raw.clear();
        self.record.offset = if self.is_plain { start } else { self.member };
        self.record.skip = if self.is_plain { 0 } else { start };
    }

    fn header(&mut self, bytes: &[u8], place: u64, sink: &mut dyn Sink) -> usize {
        let found = self.head_end.find(bytes);
        let taken = found.unwrap_or(bytes.len());
        if self.head.raw.len() + taken > WARC_HEAD_BYTES_MAX {
            let offset = self.record.offset;
            let message = "a record header that does not end";
            self.pending = Some(Pending {
                code: code::WARC_HEADER_TOO_LONG,
                offset,
                from: self.start,
                message,
            });
            self.hunt_from(place, false, &[]);
            return 0;
        }
        self.head.raw.extend_from_slice(&bytes[..taken]);
        if found.is_some() {
            self.begin_block(place + taken as u64, sink);
        }
        taken
    }

    fn begin_block(&mut self, block_start: u64, sink: &mut dyn Sink) {
        let is_sound = self.head.parse();
        if !self.is_again() {
            self.tell_header_faults(is_sound, sink);
        }
        self.open_block(block_start, 0, sink);
    }

    /// Whether the record begins in a way that few readers know.
    pub(super) fn has_odd_start(&self) -> bool {
        self.framing == Framing::Warc && !self.head.raw.starts_with(START)
    }

    /// What was wrong with a header that is read again was told the first time.
    pub(super) fn is_again(&self) -> bool {
        self.is_plain && self.start < self.careful_until
    }

    /// Block length that was found out about the record.
    pub(super) fn known_length(&self) -> Option<u64> {
        let known = self
            .known_length
            .filter(|known| known.0 == self.record.offset);
        known.map(|known| known.1)
    }

    /// The block begins, of which the header took the first `seen` bytes already.
    pub(super) fn open_block(&mut self, block_start: u64, seen: u64, sink: &mut dyn Sink) {
        let known = self.known_length();
        self.is_open_ended = false;
        self.is_short = false;
        self.remaining = match (known, self.head.stated_length()) {
            (Some(bytes), _) | (None, StatedLength::Bytes(bytes)) => bytes,
            (None, StatedLength::Missing | StatedLength::Unreadable) => {
                self.is_open_ended = true;
                u64::MAX
            }
        };
        self.is_overlong = self.remaining > self.file_end.saturating_sub(block_start);
        self.remaining = self.remaining.saturating_sub(seen);
        self.block_start = block_start;
        self.has_record = true;
        self.was_skipped = false;
        self.overrun = 0;
        self.shorter = None;
        self.newlines = 0;
        let content_start = block_start + seen;
        self.block_end = content_start;
        // A known length was found by reading with care; looking again would find the same.
        let is_settled = known.is_some() || !self.is_plain && !self.ends_with_member();
        self.inside = (!is_settled).then(|| self.hunt_at(content_start, true));
        self.block.begin(&self.head);
        self.block.bytes = seen;
        sink.begin(&self.head);
        self.state = if self.remaining == 0 {
            State::Gap
        } else {
            State::Block
        };
    }

    fn in_block(&mut self, bytes: &[u8], place: u64, sink: &mut dyn Sink) -> (usize, Flow) {
        if self.ends_with_member() {
            return (self.in_open_block(bytes, place, sink), Flow::On);
        }
        let taken = usize::try_from(self.remaining)
            .unwrap_or(usize::MAX)
            .min(bytes.len());
        if self.inside.is_some() && self.framing.is_followed(&bytes[taken..]) {
            self.inside = None;
        }
        let bytes = &bytes[..taken];
        if let Some(hunt) = &mut self.inside
            && let Some(found) = hunt.seeker.feed(bytes)
        {
            let length = (hunt.base + found.at).saturating_sub(self.block_start);
            self.shorter = Some(length.saturating_sub(found.newlines));
            self.inside = None;
            if self.is_open_ended || self.is_overlong {
                return (0, self.read_again());
            }
        }
        self.block.content(bytes, sink);
        if !self.is_open_ended {
            self.remaining -= taken as u64;
        }
        if self.remaining == 0 {
            self.state = State::Gap;
            self.block_end = place + taken as u64;
            if let Some(hunt) = &self.inside
                && let Some((seen, newlines)) = hunt.seeker.beginning()
            {
                self.overrun = seen;
                self.shorter_after_overrun =
                    self.block.bytes.saturating_sub(seen as u64 + newlines);
                self.cut_line.clear();
                self.cut_line.extend_from_slice(hunt.seeker.line());
            }
            return (taken, Flow::On);
        }
        (taken, self.maybe_skip(place + taken as u64, sink))
    }

    /// Passes over what is left of a long block in a member of which the inflated length is stated, if that
    /// is just what the one record in it should take.
    pub fn pass_over(&mut self, unpacked: u64) -> bool {
        let block_bytes = self.block.bytes.saturating_add(self.remaining);
        let due = self.block_start + self.framing.newlines_due();
        let is_alone = self.start == 0 && self.record.offset == self.member;
        let is_right = is_alone && due.checked_add(block_bytes) == Some(unpacked);
        let is_idle = self.state == State::Block && self.block.is_in_payload();
        if !is_idle || self.is_open_ended || !is_right || block_bytes < SKIP_MEMBER_BYTES_MIN {
            return false;
        }
        self.block.pass_over(self.remaining);
        self.remaining = 0;
        self.state = State::Gap;
        self.block_end = self.block_start + block_bytes;
        true
    }

    /// Passes over the rest of a long block, if nobody wants it.
    fn maybe_skip(&mut self, place: u64, sink: &dyn Sink) -> Flow {
        let is_idle = self.may_skip && self.block.is_in_payload() && !sink.wants_body();
        if !is_idle
            || self.is_open_ended
            || self.is_overlong
            || self.remaining < SKIP_BYTES_MIN
            || self.start < self.careful_until
        {
            return Flow::On;
        }
        let Some(to) = place.checked_add(self.remaining) else {
            return Flow::On;
        };
        self.block.pass_over(self.remaining);
        self.was_skipped = true;
        self.inside = None;
        self.remaining = 0;
        self.state = State::Gap;
        self.block_end = to;
        Flow::Skip(to)
    }

    // Reading again

    /// A record of a plain file begins, and nothing of what lies before bears on it.
    pub(super) fn tell_joint(&self, start: u64, sink: &mut dyn Sink) {
        let (rewound, furthest) = self.reread;
        // Who met records in lower case hunts for such ones. Only the module of tools is asked for joints.
        if cfg!(feature = "tools") && self.is_plain && start >= furthest && !self.has_odd_case {
            sink.joint(Joint {
                offset: start,
                rewound,
            });
        }
    }

    pub(super) fn must_read_again(&self) -> bool {
        self.shorter.is_some() || self.was_skipped
    }

    pub(super) fn read_again(&mut self) -> Flow {
        self.careful_until = self.start + 1;
        if let Some(length) = self.shorter {
            self.known_length = Some((self.start, length));
        }
        Flow::Rewind(self.start)
    }
}
