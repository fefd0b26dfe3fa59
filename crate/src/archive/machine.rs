//! The state machine of WARC framing: bytes of the (inflated) file in, records out.
//!
//! States and what ends them:
//!   Gap    the newlines between records   -> Head at `WARC/`, Hunt at anything else
//!   Head   a header block                 -> Block at its blank line
//!   Block  content of the stated length   -> Gap when it is all there
//!   Hunt   after damage                   -> Head at the next line that begins with `WARC/`
//! M1  A record is told (`end`) only when what follows its block is known to be right or wrong.
//! M2  What is told does not depend on how the input is cut.
//! M3  In plain files a length that runs over the next record is noticed at its end; the record is then
//!     read again (`Flow::Rewind`) with the length that the hunt found inside it.

use super::block::Block;
use super::hunt::Hunter;
use super::record::{Record, Sink};
use super::warc::{HeadEnd, StatedLength, WarcHead};
use crate::error::{Code, Damage, code};
use crate::limits::{SKIP_BYTES_MIN, WARC_HEAD_BYTES_MAX};

const START: &[u8] = b"WARC/";
/// A record ends with CR LF CR LF; what comes beyond belongs to nobody.
const NEWLINES_MAX: u64 = 4;

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
enum State {
    Gap,
    Head,
    Block,
    Hunt,
}

/// A hunt in the stream, with the place where it began.
struct Hunt {
    hunter: Hunter,
    base: u64,
}

impl Hunt {
    fn new(hunter: Hunter, base: u64) -> Hunt {
        Hunt { hunter, base }
    }
}

/// Damage whose extent is not known yet.
struct Pending {
    code: Code,
    offset: u64,
    /// Place in the file, or in the member, from which bytes belong to no record.
    from: u64,
    message: &'static str,
}

pub struct Machine {
    is_plain: bool,
    may_skip: bool,
    state: State,
    head: WarcHead,
    head_end: HeadEnd,
    block: Block,
    /// The record being read; told when its end is certain.
    record: Record,
    has_record: bool,
    /// Place of the record's first byte in its member, or in the file when it is plain.
    start: u64,
    block_start: u64,
    remaining: u64,
    /// The length is not stated: the block goes on to the next record.
    is_open_ended: bool,
    was_skipped: bool,
    /// Newlines and bytes of `WARC/` seen in the gap.
    newlines: u64,
    block_end: u64,
    probed: usize,
    /// Bytes of `WARC/` that the block ended with: its length may cut into the next record.
    overrun: usize,
    /// Block length that this implies.
    shorter_after_overrun: u64,
    /// Looks for a record start inside the block of a plain file.
    inside: Option<Hunt>,
    /// Block length that the record start found inside the block implies.
    shorter: Option<u64>,
    hunt: Hunt,
    pending: Option<Pending>,
    /// (offset, block length) that were found out about a record.
    known_length: Option<(u64, u64)>,
    /// Records up to here are read without skipping.
    careful_until: u64,
    /// A member began in the middle of a record: bytes of `WARC/` seen at its start.
    joint: Option<usize>,
    has_told_shared: bool,
    has_told_split: bool,
}

impl Machine {
    pub fn new(is_plain: bool) -> Machine {
        Machine {
            is_plain,
            may_skip: is_plain,
            state: State::Gap,
            head: WarcHead::default(),
            head_end: HeadEnd::default(),
            block: Block::new(),
            record: Record::default(),
            has_record: false,
            start: 0,
            block_start: 0,
            remaining: 0,
            is_open_ended: false,
            was_skipped: false,
            newlines: 0,
            block_end: 0,
            probed: 0,
            overrun: 0,
            shorter_after_overrun: 0,
            inside: None,
            shorter: None,
            hunt: Hunt::new(Hunter::new(), 0),
            pending: None,
            known_length: None,
            careful_until: 0,
            joint: None,
            has_told_shared: false,
            has_told_split: false,
        }
    }

    pub fn forbid_skip(&mut self) {
        self.may_skip = false;
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
                State::Gap => self.gap(rest, here, sink),
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
    }

    pub fn member_start(&mut self, offset: u64) {
        match self.state {
            State::Gap => {
                self.probed = 0;
                self.newlines = 0;
            }
            State::Head | State::Block => self.joint = Some(0),
            State::Hunt => self.hunt = Hunt::new(Hunter::at_line_start(), 0),
        }
        if !self.has_record && self.state != State::Head {
            self.record.offset = offset;
        }
    }

    pub fn member_data(&mut self, bytes: &[u8], place: u64, sink: &mut dyn Sink) {
        let mut bytes = bytes;
        let mut place = place;
        if let Some(seen) = self.joint {
            let known = bytes.len().min(START.len() - seen);
            let is_start = bytes[..known] == START[seen..seen + known];
            if is_start && seen + known < START.len() {
                self.joint = Some(seen + known);
                return;
            }
            self.joint = None;
            if is_start {
                self.cut_off(sink);
                self.begin_head(place - seen as u64, START);
                bytes = &bytes[known..];
                place += known as u64;
            } else {
                self.tell_split(sink);
                let _ = self.data(&START[..seen], place - seen as u64, sink);
            }
        }
        // In gzip files the flow is always On: members are their own signposts.
        let _ = self.data(bytes, place, sink);
    }

    /// The member ended as it should, right before file offset `end`.
    pub fn member_end(&mut self, end: u64, sink: &mut dyn Sink) {
        match self.state {
            State::Block if self.is_open_ended => {
                self.block.finish(sink);
                self.tell(end, true, sink);
                self.state = State::Gap;
            }
            State::Gap if self.has_record => {
                self.tell(end, true, sink);
            }
            _ => self.record.length = end.saturating_sub(self.record.offset),
        }
    }

    /// The member broke; reading goes on at `resumed`. Returns whether a record had begun in it.
    pub fn member_broken(&mut self, resumed: u64, sink: &mut dyn Sink) -> bool {
        let had_record = self.has_record || self.state == State::Head;
        if self.has_record {
            self.block.finish(sink);
            let is_whole = self.state == State::Gap;
            self.tell(resumed, is_whole, sink);
        } else if had_record {
            self.salvage_head(resumed, sink);
        }
        self.state = State::Gap;
        self.joint = None;
        self.pending = None;
        had_record
    }

    // The end

    /// The file ends at `end`. `Rewind` asks to read a record again before that is final.
    pub fn finish(&mut self, end: u64, sink: &mut dyn Sink) -> Flow {
        match self.state {
            State::Block if self.is_plain && self.must_read_again() => return self.read_again(),
            State::Gap if self.has_record && self.was_skipped && self.block_end > end => {
                return self.read_again();
            }
            State::Block => {
                self.block.finish(sink);
                let is_whole = self.is_open_ended;
                let offset = self.record.offset;
                self.tell(end, is_whole, sink);
                if !is_whole {
                    sink.damage(damage(
                        code::WARC_TRUNCATED,
                        offset,
                        0,
                        "the file ends in the middle of this record",
                    ));
                }
            }
            State::Head => {
                let offset = self.record.offset;
                self.salvage_head(end, sink);
                sink.damage(damage(
                    code::WARC_TRUNCATED,
                    offset,
                    0,
                    "the file ends in a record header",
                ));
            }
            State::Gap => {
                if self.has_record {
                    let record_end = if self.is_plain {
                        self.block_end.min(end)
                    } else {
                        end
                    };
                    self.tell(record_end, true, sink);
                }
                if self.probed > 0 && self.is_plain {
                    let offset = end - self.probed as u64;
                    sink.damage(damage(
                        code::WARC_TRUNCATED,
                        offset,
                        end - offset,
                        "the file ends in a record header",
                    ));
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
        if let Some((offset, _)) = self.known_length
            && offset == to
        {
            let message = "the stated length runs over the next record";
            sink.damage(damage(code::WARC_BAD_LENGTH, to, 0, message));
        }
        sink.abandon();
        self.has_record = false;
        self.state = State::Gap;
        self.probed = 0;
        self.newlines = 0;
        self.pending = None;
    }

    /// Reading again was asked for and is not possible: takes the record as it was.
    pub fn give_up(&mut self, here: u64, sink: &mut dyn Sink) {
        self.known_length = None;
        let offset = self.record.offset;
        self.block.finish(sink);
        self.tell(here, false, sink);
        sink.damage(damage(
            code::WARC_BAD_LENGTH,
            offset,
            0,
            "the stated length does not lead to the next record",
        ));
        self.hunt_from(here, false);
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
                if self.newlines < NEWLINES_MAX && self.has_record {
                    self.newlines += 1;
                    sink.tail(&bytes[at..=at]);
                }
            } else if byte == START[self.probed] {
                self.probed += 1;
                if self.probed == START.len() {
                    let start = place + at as u64 + 1 - START.len() as u64;
                    if self.has_record {
                        self.tell_before(sink);
                    }
                    self.begin_head(start, START);
                    return (at + 1, Flow::On);
                }
            } else {
                return (at, self.misfit(place + at as u64, sink));
            }
        }
        (bytes.len(), Flow::On)
    }

    /// The block ended like the beginning of a record: looks whether the record goes on after it.
    fn overrunning(&mut self, bytes: &[u8]) -> Option<(usize, Flow)> {
        let mut taken = 0;
        while self.overrun < START.len() {
            let Some(&byte) = bytes.get(taken) else {
                return Some((taken, Flow::On));
            };
            if byte != START[self.overrun] {
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

    /// Something other than a record follows. `place` is the first byte that does not fit.
    fn misfit(&mut self, place: u64, sink: &mut dyn Sink) -> Flow {
        if self.has_record && self.is_plain && self.must_read_again() {
            return self.read_again();
        }
        let from = place - self.probed as u64;
        let offset = if self.is_plain {
            from
        } else {
            self.record.offset
        };
        // A record that ends as it should is not to blame for what follows.
        let is_too_short = self.has_record && self.newlines < NEWLINES_MAX;
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
        let probed = self.probed;
        self.hunt_from(from, is_line_start);
        let _ = self.hunt.hunter.feed(&START[..probed]);
        Flow::On
    }

    fn hunt_from(&mut self, place: u64, is_line_start: bool) {
        let hunter = if is_line_start {
            Hunter::at_line_start()
        } else {
            Hunter::new()
        };
        self.hunt = Hunt::new(hunter, place);
        self.state = State::Hunt;
        self.probed = 0;
        self.newlines = 0;
    }

    fn hunting(&mut self, bytes: &[u8], place: u64, sink: &mut dyn Sink) -> usize {
        let Some(found) = self.hunt.hunter.feed(bytes) else {
            return bytes.len();
        };
        let start = self.hunt.base + found.at;
        self.settle(start, sink);
        // A start before these bytes can only be a piece of `WARC/`: the digit after it was just seen.
        let seen = usize::try_from(place.saturating_sub(start))
            .unwrap_or(0)
            .min(START.len());
        self.begin_head(start, &START[..seen]);
        usize::try_from(start.saturating_sub(place)).unwrap_or(0)
    }

    fn begin_head(&mut self, start: u64, seen: &[u8]) {
        self.state = State::Head;
        self.start = start;
        self.probed = 0;
        self.head.raw.clear();
        self.head_end = HeadEnd::default();
        let _ = self.head_end.find(seen);
        self.head.raw.extend_from_slice(seen);
        if self.is_plain {
            self.record.offset = start;
        }
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
            self.hunt_from(place, false);
            return 0;
        }
        self.head.raw.extend_from_slice(&bytes[..taken]);
        if found.is_some() {
            self.begin_block(place + taken as u64, sink);
        }
        taken
    }

    fn begin_block(&mut self, block_start: u64, sink: &mut dyn Sink) {
        let offset = self.record.offset;
        // What was wrong with a header that is read again was told the first time.
        let is_again = self.is_plain && self.start < self.careful_until;
        let is_sound = self.head.parse();
        if !is_again {
            self.tell_header_faults(offset, is_sound, sink);
        }
        let known = self
            .known_length
            .filter(|known| known.0 == offset)
            .map(|known| known.1);
        self.is_open_ended = false;
        self.remaining = match (known, self.head.stated_length()) {
            (Some(bytes), _) | (None, StatedLength::Bytes(bytes)) => bytes,
            (None, StatedLength::Missing | StatedLength::Unreadable) => {
                self.is_open_ended = true;
                u64::MAX
            }
        };
        self.block_start = block_start;
        self.has_record = true;
        self.was_skipped = false;
        self.overrun = 0;
        self.shorter = None;
        self.newlines = 0;
        self.block_end = block_start;
        // A known length was found by reading with care; looking again would find the same.
        let is_settled = known.is_some() || !self.is_plain;
        self.inside = (!is_settled).then(|| Hunt::new(Hunter::at_line_start(), block_start));
        self.block.begin(&self.head, offset);
        sink.begin(&self.head);
        self.state = if self.remaining == 0 {
            State::Gap
        } else {
            State::Block
        };
        if self.remaining == 0 {
            self.block.finish(sink);
        }
    }

    fn tell_header_faults(&self, offset: u64, is_sound: bool, sink: &mut dyn Sink) {
        let mut tell = |code, message| sink.damage(damage(code, offset, 0, message));
        if !is_sound {
            tell(
                code::WARC_BAD_HEADER,
                "a line of the record header is no field",
            );
        }
        if self.head.count("Content-Length") > 1 {
            tell(
                code::WARC_BAD_HEADER,
                "the record states its length more than once",
            );
        }
        if self.head.get_raw("WARC-Type").is_none() {
            tell(
                code::WARC_NO_TYPE,
                "the record does not say of what type it is",
            );
        }
        match self.head.stated_length() {
            StatedLength::Bytes(_) => {}
            StatedLength::Missing => tell(code::WARC_NO_LENGTH, "the record states no length"),
            StatedLength::Unreadable => {
                tell(
                    code::WARC_NO_LENGTH,
                    "the stated length of the record is no number",
                );
            }
        }
    }

    fn in_block(&mut self, bytes: &[u8], place: u64, sink: &mut dyn Sink) -> (usize, Flow) {
        let taken = usize::try_from(self.remaining)
            .unwrap_or(usize::MAX)
            .min(bytes.len());
        let bytes = &bytes[..taken];
        if let Some(hunt) = &mut self.inside
            && let Some(found) = hunt.hunter.feed(bytes)
        {
            let length = (hunt.base + found.at).saturating_sub(self.block_start);
            self.shorter = Some(length.saturating_sub(found.newlines));
            self.inside = None;
            if self.is_open_ended {
                return (0, self.read_again());
            }
        }
        self.block.content(bytes, sink);
        if !self.is_open_ended {
            self.remaining -= taken as u64;
        }
        if self.remaining == 0 {
            self.block.finish(sink);
            self.state = State::Gap;
            self.block_end = place + taken as u64;
            if let Some((seen, newlines)) = self
                .inside
                .as_ref()
                .and_then(|hunt| hunt.hunter.beginning())
            {
                self.overrun = seen;
                self.shorter_after_overrun = self
                    .record
                    .block_bytes
                    .saturating_sub(seen as u64 + newlines);
            }
            return (taken, Flow::On);
        }
        (taken, self.maybe_skip(place + taken as u64, sink))
    }

    /// Passes over the rest of a long block, if nobody wants it.
    fn maybe_skip(&mut self, place: u64, sink: &dyn Sink) -> Flow {
        let is_idle = self.may_skip && self.block.is_in_payload() && !sink.wants_body();
        if !is_idle
            || self.is_open_ended
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

    // Telling

    /// The record ends because another one starts.
    fn tell_before(&mut self, sink: &mut dyn Sink) {
        let offset = self.record.offset;
        self.tell(self.end_so_far(), true, sink);
        if !self.is_plain && !self.has_told_shared {
            self.has_told_shared = true;
            let message =
                "records share one gzip member: to read one, those before it are inflated too";
            sink.damage(damage(code::GZIP_SHARED_MEMBER, offset, 0, message));
        }
    }

    /// Where the record ends by what was read of it. Inside a shared gzip member that is counted in
    /// inflated bytes, since compressed ones have no borders there.
    fn end_so_far(&self) -> u64 {
        if self.is_plain {
            self.block_end
        } else {
            self.record.offset + (self.block_end - self.start)
        }
    }

    fn tell(&mut self, end: u64, is_whole: bool, sink: &mut dyn Sink) {
        self.record.length = end.saturating_sub(self.record.offset);
        self.record.is_whole = is_whole;
        self.record.block_bytes = self.block.bytes;
        self.record.payload_bytes = self.block.payload_bytes;
        self.has_record = false;
        sink.end(&self.record);
    }

    /// A header that breaks off still says what the record was.
    fn salvage_head(&mut self, end: u64, sink: &mut dyn Sink) {
        self.head.parse();
        self.block.begin(&self.head, self.record.offset);
        sink.begin(&self.head);
        self.tell(end, false, sink);
    }

    /// A record that the start of another member cuts off.
    fn cut_off(&mut self, sink: &mut dyn Sink) {
        let offset = self.record.offset;
        let resumed = offset + self.record.length;
        if self.has_record {
            self.block.finish(sink);
            self.tell(resumed, false, sink);
        } else {
            self.salvage_head(resumed, sink);
        }
        sink.damage(damage(
            code::WARC_TRUNCATED,
            offset,
            0,
            "the gzip member ends before the record does",
        ));
        self.record.offset = resumed;
    }

    fn tell_split(&mut self, sink: &mut dyn Sink) {
        if !self.has_told_split {
            self.has_told_split = true;
            let offset = self.record.offset;
            sink.damage(damage(
                code::GZIP_SPLIT_RECORD,
                offset,
                0,
                "a record is spread over several gzip members",
            ));
        }
    }

    /// The extent of pending damage is known: it goes up to `end`, in the file or in the member.
    fn settle(&mut self, end: u64, sink: &mut dyn Sink) {
        if let Some(pending) = self.pending.take() {
            let is_same_member = self.is_plain || self.record.offset == pending.offset;
            let skipped = if is_same_member {
                end.saturating_sub(pending.from)
            } else {
                self.record.offset - pending.offset
            };
            sink.damage(damage(
                pending.code,
                pending.offset,
                skipped,
                pending.message,
            ));
        }
    }

    // Reading again

    fn must_read_again(&self) -> bool {
        self.shorter.is_some() || self.was_skipped
    }

    fn read_again(&mut self) -> Flow {
        self.careful_until = self.start + 1;
        if let Some(length) = self.shorter {
            self.known_length = Some((self.start, length));
        }
        Flow::Rewind(self.start)
    }
}

fn damage(code: Code, offset: u64, skipped: u64, message: &str) -> Damage {
    Damage {
        code,
        offset,
        skipped,
        message: message.into(),
    }
}
