//! HAR 1.1 and 1.2: each entry of each log is told as a response and a request, in WARC terms; pages beside them.
//!
//!   har := { "log": { "pages": [page*], "entries": [entry*] } }*      names may come in any order
//!
//! An entry is told at its end, when all of it is known: `encoding` stands behind the text that it is about,
//! and headers may too. Bodies are held until then, up to a limit; a longer one is measured, passed over and
//! read again (`wanted` goes back once a body). A source that only goes forward gets long bodies as they
//! come, by what was known ahead of them.
//!
//! H1  The place of a record is that of its entry; `skip` is 0 for the response and 1 for the request.
//! H2  Where this is no JSON, what was closed before is told, and reading goes on at the next
//!     `"startedDateTime"`; an entry that is found so lies where that name does.
//! H3  Memory: what is held of two bodies, two heads, a few fields and a byte a level of nesting.

mod base64;
mod collect;
mod entry;

use memchr::memchr;

use self::base64::Base64;
use self::collect::{Closed, Collector, REQUEST, RESPONSE, Room, Slot, Use};
use super::aside::Aside;
use super::json_stream::{JsonStream, Shape, Token};
use super::parser::Parser;
use super::record::{Record, Sink};
use super::warc::RecordType;
use crate::error::{Damage, code};

const BOM: [u8; 3] = [0xef, 0xbb, 0xbf];
const ENTRY_MARK: &[u8] = b"\"startedDateTime\"";
const DECODE_STEP_BYTES: usize = 64 << 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Reading,
    /// Looks for the next entry; so many bytes of its mark were just seen.
    Hunting(usize),
    /// Tells the entry: the record that is next.
    Telling(RecordType),
    Done,
}

/// Why no more of the JSON can be read.
#[derive(Clone, Copy, Debug)]
struct Break {
    at: u64,
    /// From where on nothing was told.
    lost_from: u64,
    why: &'static str,
    /// The file ends here.
    is_end: bool,
}

/// A body on its way to the sink.
#[derive(Default)]
struct Flow {
    base64: Option<Base64>,
    was_base64: bool,
    scratch: Vec<u8>,
    /// The string, where it is read again.
    again: Option<JsonStream>,
    http_bytes: u64,
    /// Of the header lines that were told.
    fields_bytes: usize,
    payload_bytes: u64,
}

impl Flow {
    fn push(&mut self, text: &[u8], sink: &mut dyn Sink) {
        let Some(base64) = &mut self.base64 else {
            self.payload_bytes += text.len() as u64;
            return sink.body(text);
        };
        for piece in text.chunks(DECODE_STEP_BYTES) {
            self.scratch.clear();
            base64.push(piece, &mut self.scratch);
            self.payload_bytes += self.scratch.len() as u64;
            if !self.scratch.is_empty() {
                sink.body(&self.scratch);
            }
        }
    }

    /// The body ends here. Returns whether its encoding was sound.
    fn finish(&mut self, sink: &mut dyn Sink) -> bool {
        let Some(mut base64) = self.base64.take() else {
            return true;
        };
        self.scratch.clear();
        let is_sound = base64.finish(&mut self.scratch);
        self.payload_bytes += self.scratch.len() as u64;
        if !self.scratch.is_empty() {
            sink.body(&self.scratch);
        }
        is_sound
    }
}

pub struct Har {
    json: JsonStream,
    collector: Collector,
    /// Where the entry ends, once that is known.
    entry_end: u64,
    phase: Phase,
    /// The body of the record that is being told.
    flow: Option<Flow>,
    broken: Option<Break>,
    /// The response of the first entry is not told.
    is_only_request: bool,
    is_at_entry: bool,
    can_seek: bool,
    /// How far the search for the next entry is.
    hunted: u64,
}

impl Har {
    /// Reads a whole file.
    pub fn new() -> Har {
        Har {
            json: JsonStream::new(0),
            collector: Collector::default(),
            entry_end: 0,
            phase: Phase::Reading,
            flow: None,
            broken: None,
            is_only_request: false,
            is_at_entry: false,
            can_seek: true,
            hunted: 0,
        }
    }

    /// Reads from the entry at `offset` on.
    pub fn at(offset: u64, skip: u64) -> Har {
        Har {
            json: JsonStream::new(offset),
            is_only_request: skip > 0,
            is_at_entry: true,
            ..Har::new()
        }
    }

    /// Passes over a byte order mark, and finds out how an entry begins that was asked for.
    fn start(&mut self, rest: &mut &[u8]) {
        while let Some(&first) = rest.first() {
            let offset = self.json.offset();
            if self.is_at_entry {
                self.is_at_entry = false;
                return self.go_inside(offset, first == b'"');
            }
            let mark = usize::try_from(offset).ok().and_then(|at| BOM.get(at));
            if mark != Some(&first) || !self.collector.is_outside() {
                return;
            }
            *rest = &rest[1..];
            self.json = JsonStream::new(offset + 1);
        }
    }

    /// Goes on at `offset` among the entries of a log, or inside one.
    fn go_inside(&mut self, offset: u64, is_in_entry: bool) {
        let shapes = [Shape::Object, Shape::Object, Shape::Array, Shape::Object];
        let depth = if is_in_entry { 4 } else { 3 };
        self.json = JsonStream::inside(offset, &shapes[..depth]);
        self.collector.go_inside(is_in_entry.then_some(offset));
    }

    /// Reads on until the entry ends, or the JSON does.
    fn read(&mut self, rest: &mut &[u8], sink: &mut dyn Sink) {
        self.start(rest);
        while self.phase == Phase::Reading {
            let Some(token) = self.json.next(rest) else {
                return;
            };
            match token {
                Token::Piece(text) => self.text(text, sink),
                Token::Char(char) => self.text(char.encode_utf8(&mut [0; 4]).as_bytes(), sink),
                Token::Odd(fault, char) => {
                    self.collector.odd(fault);
                    self.text(char.encode_utf8(&mut [0; 4]).as_bytes(), sink);
                }
                Token::Key => self.collector.begin_key(),
                Token::Text => {
                    if self.collector.begin_text(self.json.offset()) == Use::None {
                        self.json.pass_over_text();
                    }
                }
                Token::End => self.end_text(sink),
                Token::Open(shape) => self.collector.open(shape, self.json.token_at()),
                Token::Close(_) => match self.collector.close() {
                    Closed::Entry => self.end_entry(),
                    Closed::Page => sink.aside(Aside::Page(self.collector.page())),
                    Closed::Other => {}
                },
                Token::Number(digits) => self.collector.number(&digits),
                Token::Bool(_) | Token::Null => {}
                Token::Broken(why) => self.break_off(why),
            }
        }
    }

    fn text(&mut self, text: &[u8], sink: &mut dyn Sink) {
        if let (Some(flow), Some(Slot::Body(RESPONSE))) = (&mut self.flow, self.collector.slot) {
            return flow.push(text, sink);
        }
        let Room::TooLong(kind) = self.collector.text(text) else {
            return;
        };
        if self.can_seek {
            self.collector.entry.message(kind).text.spill();
        } else if kind == RESPONSE && !self.is_only_request && self.is_tellable(RESPONSE) {
            let is_base64 = self.collector.entry.response.seems_base64();
            self.begin_record(RESPONSE, None, is_base64, sink);
            let held = std::mem::take(&mut self.collector.entry.response.text.held);
            if let Some(flow) = &mut self.flow {
                flow.push(&held, sink);
            }
        } else {
            self.collector.entry.message(kind).text.cut();
            let message = "a body that is too long to be held is cut";
            self.collector.fault(code::HAR_TOO_LARGE, message);
        }
    }

    fn end_text(&mut self, sink: &mut dyn Sink) {
        if self.flow.is_some() && self.collector.slot == Some(Slot::Body(RESPONSE)) {
            self.finish_flow(sink);
        }
        self.collector.slot = None;
    }

    fn finish_flow(&mut self, sink: &mut dyn Sink) {
        let is_sound = self.flow.as_mut().is_none_or(|flow| flow.finish(sink));
        self.note_encoding(is_sound);
    }

    fn note_encoding(&mut self, is_sound: bool) {
        let is_cut = self.broken.is_some_and(|broken| broken.is_end);
        if !is_sound && !is_cut {
            let message = "a body holds characters that are not base 64";
            self.collector.fault(code::HAR_BAD_BASE64, message);
        }
    }

    fn break_off(&mut self, why: &'static str) {
        let at = self.json.token_at();
        self.broken = Some(Break {
            at,
            lost_from: at,
            why,
            is_end: false,
        });
        self.stop();
    }

    /// The JSON cannot be read on from here.
    fn stop(&mut self) {
        self.hunted = self.json.offset();
        self.phase = self.after_entry();
        if self.collector.is_in_entry() {
            self.collector.cut();
            self.end_entry();
        }
    }

    /// All of the entry that there is was read.
    fn end_entry(&mut self) {
        self.entry_end = self.json.offset();
        let Collector { entry, .. } = &mut self.collector;
        entry.request.join_params();
        let has_bad_date = !entry.started.is_empty() && entry.date().is_none();
        let is_empty = !entry.request.is_there && !entry.response.is_there;
        let offset = entry.offset;
        if has_bad_date {
            let message = "the time of this entry is no date";
            self.collector.fault(code::HAR_BAD_DATE, message);
        }
        let is_told =
            self.flow.is_some() || self.is_tellable(RESPONSE) || self.is_tellable(REQUEST);
        match &mut self.broken {
            _ if is_told => {}
            Some(broken) => broken.lost_from = offset,
            None if is_empty => return,
            None => self
                .collector
                .fault(code::HAR_NO_URL, "this entry has no URL"),
        }
        self.phase = Phase::Telling(RESPONSE);
    }

    /// Whether enough is known of a message, and it is sound as far as it goes.
    fn is_tellable(&self, kind: RecordType) -> bool {
        let (entry, is_broken) = (
            &self.collector.entry,
            self.broken.is_some_and(|broken| !broken.is_end),
        );
        let is_known = match kind {
            REQUEST => entry.request.is_there,
            _ => entry.response.is_closed || !entry.response.status.is_empty(),
        };
        let is_closed = entry.request.is_closed && (kind == REQUEST || entry.response.is_closed);
        is_known && (is_closed || !is_broken) && !entry.request.url.trim_ascii().is_empty()
    }

    /// What comes after an entry that was told.
    fn after_entry(&self) -> Phase {
        match self.broken {
            None => Phase::Reading,
            Some(_) => Phase::Hunting(0),
        }
    }

    /// A record begins whose body has so many bytes, if that is known.
    fn begin_record(
        &mut self,
        kind: RecordType,
        payload: Option<u64>,
        is_base64: bool,
        sink: &mut dyn Sink,
    ) {
        let entry = &mut self.collector.entry;
        let http = entry.http_head(kind);
        let http_bytes = http.raw.len() as u64;
        let block = payload.map(|bytes| http_bytes + bytes);
        sink.begin(&entry.warc_head(kind, block));
        sink.http(&http);
        self.flow = Some(Flow {
            base64: is_base64.then(Base64::default),
            was_base64: is_base64,
            fields_bytes: entry.message(kind).fields.len(),
            http_bytes,
            ..Flow::default()
        });
        self.collector.is_told = kind == RESPONSE;
    }

    /// Tells what is left of the entry. False where bytes that lie elsewhere, or room, are needed first.
    fn tell(&mut self, rest: &mut &[u8], is_at_end: bool, sink: &mut dyn Sink) -> bool {
        while let Phase::Telling(kind) = self.phase {
            if self.flow.is_none() {
                if sink.is_full() {
                    return false;
                }
                let is_left_out = self.is_only_request && kind == RESPONSE;
                if self.is_tellable(kind) && !is_left_out && !self.begin(kind, sink) {
                    return false;
                }
            }
            if !self.read_again(rest, is_at_end, sink) {
                return false;
            }
            self.end_record(kind, sink);
            if kind == RESPONSE {
                self.phase = Phase::Telling(REQUEST);
            } else {
                self.tell_faults(sink);
                self.is_only_request = false;
                self.phase = self.after_entry();
            }
        }
        true
    }

    /// Begins a record and tells its body, unless that must be read again: then returns false.
    fn begin(&mut self, kind: RecordType, sink: &mut dyn Sink) -> bool {
        let message = self.collector.entry.message(kind);
        let is_base64 = message.seems_base64();
        let at = message.text.at;
        if !message.text.is_held {
            let bytes = message.text.measured(is_base64);
            self.begin_record(kind, Some(bytes), is_base64, sink);
            let is_wanted = sink.wants_body();
            if let Some(flow) = &mut self.flow {
                if is_wanted {
                    flow.again = Some(JsonStream::inside_text(at));
                } else {
                    flow.payload_bytes = bytes;
                    flow.base64 = None;
                }
            }
            return !is_wanted;
        }
        let mut body = std::mem::take(&mut message.text.held);
        let mut is_sound = true;
        if is_base64 {
            let mut base64 = Base64::default();
            let mut decoded = Vec::with_capacity(body.len() / 4 * 3 + 3);
            base64.push(&body, &mut decoded);
            is_sound = base64.finish(&mut decoded);
            body = decoded;
        }
        self.begin_record(kind, Some(body.len() as u64), false, sink);
        if let Some(flow) = &mut self.flow {
            flow.was_base64 = is_base64;
            if !body.is_empty() {
                flow.push(&body, sink);
            }
        }
        self.note_encoding(is_sound);
        true
    }

    /// Tells a body that was too long to be held. False where more of it must be fed, or there is no room.
    fn read_again(&mut self, rest: &mut &[u8], is_at_end: bool, sink: &mut dyn Sink) -> bool {
        let Some(flow) = &mut self.flow else {
            return true;
        };
        while let Some(json) = &mut flow.again {
            if sink.is_full() {
                return false;
            }
            match json.next(rest) {
                Some(Token::Piece(text)) => flow.push(text, sink),
                Some(Token::Char(char) | Token::Odd(_, char)) => {
                    flow.push(char.encode_utf8(&mut [0; 4]).as_bytes(), sink);
                }
                None if !is_at_end => return false,
                _ => flow.again = None,
            }
        }
        true
    }

    fn end_record(&mut self, kind: RecordType, sink: &mut dyn Sink) {
        self.finish_flow(sink);
        let Some(flow) = self.flow.take() else {
            return;
        };
        let Collector { entry, faults, .. } = &mut self.collector;
        let (offset, length) = (entry.offset, self.entry_end - entry.offset);
        let message = entry.message(kind);
        let has_more = message.fields.len() > flow.fields_bytes;
        let is_misread = message.is_closed && flow.was_base64 != message.is_base64();
        if has_more || is_misread {
            let message = "what stands behind a long body came too late to be used";
            faults.push((code::HAR_LATE, message));
        }
        sink.end(&Record {
            offset,
            length,
            skip: u64::from(kind == REQUEST),
            block_bytes: flow.http_bytes + flow.payload_bytes,
            payload_bytes: flow.payload_bytes,
            is_whole: message.is_closed && !message.text.is_cut,
        });
    }

    fn tell_faults(&mut self, sink: &mut dyn Sink) {
        let offset = self.collector.entry.offset;
        for (code, message) in self.collector.faults.drain(..) {
            let is_lost = code == code::HAR_NO_URL;
            sink.damage(Damage {
                code,
                offset,
                skipped: if is_lost { self.entry_end - offset } else { 0 },
                message: message.into(),
            });
        }
    }

    /// Looks for the mark of the next entry.
    fn hunt(&mut self, seen: usize, rest: &mut &[u8], sink: &mut dyn Sink) {
        let mut seen = seen;
        while !rest.is_empty() && seen < ENTRY_MARK.len() {
            let passed = match seen {
                0 => memchr(b'"', rest).unwrap_or(rest.len()).max(1),
                _ => 1,
            };
            let (passed, after) = rest.split_at(passed);
            *rest = after;
            self.hunted += passed.len() as u64;
            seen = match passed {
                [byte] if *byte == ENTRY_MARK[seen] => seen + 1,
                [b'"'] => 1,
                _ => 0,
            };
        }
        self.phase = Phase::Hunting(seen);
        if seen == ENTRY_MARK.len() {
            let mut mark = ENTRY_MARK;
            let at = self.hunted - mark.len() as u64;
            self.tell_break(at, sink);
            self.go_inside(at, true);
            self.phase = Phase::Reading;
            self.read(&mut mark, sink);
        }
    }

    /// What was broken is behind: reading goes on at `resumed`, if at all.
    fn tell_break(&mut self, resumed: u64, sink: &mut dyn Sink) {
        let Some(broken) = self.broken.take() else {
            return;
        };
        let skipped = resumed.saturating_sub(broken.lost_from);
        sink.damage(if broken.is_end {
            Damage {
                code: code::HAR_TRUNCATED,
                offset: broken.lost_from,
                skipped,
                message: "the file ends before its JSON does".into(),
            }
        } else {
            Damage {
                code: code::HAR_BAD_JSON,
                offset: broken.at,
                skipped,
                message: format!("this is no JSON: {}", broken.why),
            }
        });
    }
}

impl Parser for Har {
    fn wanted(&self) -> u64 {
        let again = self.flow.as_ref().and_then(|flow| flow.again.as_ref());
        match (again, self.phase) {
            (Some(json), _) => json.offset(),
            (None, Phase::Hunting(_)) => self.hunted,
            (None, _) => self.json.offset(),
        }
    }

    fn feed(&mut self, bytes: &[u8], sink: &mut dyn Sink) -> usize {
        let start = self.wanted();
        let mut rest = bytes;
        loop {
            let is_going_on = match self.phase {
                Phase::Reading => {
                    self.read(&mut rest, sink);
                    true
                }
                Phase::Hunting(seen) => {
                    self.hunt(seen, &mut rest, sink);
                    true
                }
                Phase::Telling(_) => self.tell(&mut rest, false, sink),
                Phase::Done => {
                    rest = &[];
                    false
                }
            };
            let taken = bytes.len() - rest.len();
            let is_here = self.wanted() == start + taken as u64;
            let has_more = !rest.is_empty() || matches!(self.phase, Phase::Telling(_));
            if !is_going_on || !is_here || !has_more || sink.is_full() {
                return taken;
            }
        }
    }

    fn finish(&mut self, end: u64, sink: &mut dyn Sink) -> bool {
        loop {
            match self.phase {
                Phase::Done => return true,
                Phase::Reading if self.json.is_between() => {
                    self.phase = Phase::Done;
                    if !self.collector.has_entries {
                        sink.damage(Damage {
                            code: code::HAR_NO_ENTRIES,
                            offset: 0,
                            skipped: end,
                            message: "there is no log with entries in this file".into(),
                        });
                    }
                }
                Phase::Reading => {
                    self.broken = Some(Break {
                        at: end,
                        lost_from: end,
                        why: "",
                        is_end: true,
                    });
                    self.stop();
                }
                Phase::Hunting(_) => {
                    self.tell_break(end, sink);
                    self.phase = Phase::Done;
                }
                Phase::Telling(_) => {
                    let is_at_end = self.wanted() >= end;
                    if !self.tell(&mut &[][..], is_at_end, sink) {
                        return false;
                    }
                }
            }
        }
    }

    fn forbid_seek(&mut self) {
        self.can_seek = false;
    }
}
