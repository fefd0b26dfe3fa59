//! Web bundles b1 and b2: each URL of the index is told as a response.
//!
//! Sections that stand ahead of the responses are read as they come; the responses are then read in the order
//! in which they lie, which is one way forward for any bundle that a tool wrote. An index that is long, or
//! stands behind, is read in steps, with `wanted` going to and fro; a source that only goes forward gets what
//! can be had so.
//!
//! W1  The place of a record is that of its response; `skip` is where the index has its URL. Without `skip`
//!     the index is searched for the place.
//! W2  What is read more than once, because entries share a response, is bounded by `REWIND_BYTES_MIN` and
//!     twice the section.
//! W3  Memory: one step of the index, and one head.
//! Signatures are told of, not verified. The critical section is obeyed: what it names must be known.

mod cbor;
mod layout;

use self::cbor::{Cbor, Fault};
use self::layout::{Layout, Place, Trouble, http_text, read_index_entry, read_response};
use super::aside::{About, Aside, Signature};
use super::foreign_date::utc_of_http;
use super::http::HttpHead;
use super::parser::Parser;
use super::record::{Record, Sink};
use super::warc::WarcHead;
use crate::error::{Code, Damage, code};
use crate::limits::{
    REWIND_BYTES_MIN, SKIP_BYTES_MIN, WBN_HEAD_BYTES_MAX, WBN_INDEX_HELD_BYTES_MAX,
    WBN_INDEX_STEP_BYTES,
};
use crate::order;

const GATHER_STEP_BYTES: usize = 16 << 10;

/// Sections whose meaning is known here, for the section `critical`.
const KNOWN: [&[u8]; 6] = [
    b"index",
    b"responses",
    b"primary",
    b"manifest",
    b"signatures",
    b"critical",
];

pub fn looks_like_bundle(start: &[u8]) -> bool {
    let is_array = start
        .first()
        .is_some_and(|byte| (0x83..=0x86).contains(byte));
    let signed = "\u{1f58b}\u{1f4e6}".as_bytes();
    is_array
        && start.get(1) == Some(&0x48)
        && [layout::MAGIC, signed]
            .iter()
            .any(|magic| start[2..].starts_with(magic))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Head,
    /// The list of sections that must be known.
    Critical,
    /// A section that is the URL of this.
    Address(&'static str),
    /// More of the index.
    Index,
    /// The URL of one entry of the index.
    Url,
    /// The head of the response that is next.
    Response,
    /// Its payload, of which so much is left.
    Payload(u64),
    /// What closes the bundle.
    Tail,
    Done,
}

/// A response to be told.
struct Listed {
    url: (usize, usize),
    /// Where the index names it.
    named_at: u64,
    offset: u64,
    bytes: Option<u64>,
}

/// The index, as far as it was read.
#[derive(Default)]
struct Index {
    at: u64,
    end: u64,
    is_begun: bool,
    pairs_left: u64,
}

/// The record that is being told.
#[derive(Default)]
struct Current {
    record: Record,
    stated: Option<u64>,
}

pub struct Bundle {
    phase: Phase,
    layout: Layout,
    /// Bytes that were taken, up to `position`, and are not read yet.
    held: Vec<u8>,
    position: u64,
    index: Index,
    urls: Vec<u8>,
    listed: Vec<Listed>,
    next: usize,
    current: Current,
    told_bytes: u64,
    /// Responses that lie behind the end of the file.
    missing: u64,
    end: Option<u64>,
    /// The one record that is wanted: where its response is, and its entry of the index, if that is known.
    only: Option<(u64, Option<u64>)>,
    can_seek: bool,
    is_cut: bool,
    /// Sections that were looked at.
    sections_seen: usize,
    /// What they say of the bundle.
    about: Vec<(&'static str, Vec<u8>)>,
    is_about_told: bool,
    /// Responses that a source that only goes forward cannot give any more.
    behind: u64,
}

impl Bundle {
    /// Reads a whole file.
    pub fn new(size: Option<u64>) -> Bundle {
        Bundle {
            phase: Phase::Head,
            layout: Layout::default(),
            held: Vec::new(),
            position: 0,
            index: Index::default(),
            urls: Vec::new(),
            listed: Vec::new(),
            next: 0,
            current: Current::default(),
            told_bytes: 0,
            missing: 0,
            end: size,
            only: None,
            can_seek: true,
            is_cut: false,
            sections_seen: 0,
            about: Vec::new(),
            is_about_told: false,
            behind: 0,
        }
    }

    /// Reads the response at `offset`, which the index names at `skip` if that is not 0.
    pub fn at(offset: u64, skip: u64) -> Bundle {
        let named_at = (skip > 0).then_some(skip);
        let mut bundle = Bundle::new(None);
        bundle.only = Some((offset, named_at));
        if let Some(named_at) = named_at {
            bundle.go(Phase::Url, named_at);
        }
        bundle
    }

    /// Bytes at `position` are wanted next, for what `phase` does.
    fn go(&mut self, phase: Phase, position: u64) {
        self.phase = phase;
        self.position = position;
        self.held.clear();
    }

    /// Takes bytes until `read` can make something of them, or `limit` is reached. `read` tells how long it is.
    fn gather<T>(
        &mut self,
        rest: &mut &[u8],
        limit: u64,
        read: impl Fn(&[u8]) -> Result<(T, usize), Trouble>,
    ) -> Option<Result<T, &'static str>> {
        loop {
            let before = self.held.len();
            let room = usize::try_from(limit)
                .unwrap_or(usize::MAX)
                .saturating_sub(before);
            let step = rest.len().min(room).min(GATHER_STEP_BYTES);
            self.held.extend_from_slice(&rest[..step]);
            match read(&self.held) {
                Ok((value, length)) => {
                    let taken = length.saturating_sub(before).min(step);
                    self.take(rest, taken);
                    self.held.clear();
                    return Some(Ok(value));
                }
                Err(Trouble::Bad(why)) => {
                    self.take(rest, step);
                    return Some(Err(why));
                }
                Err(Trouble::More) => self.take(rest, step),
            }
            if self.held.len() as u64 >= limit {
                return Some(Err("it is longer than it may be"));
            }
            if rest.is_empty() {
                return None;
            }
        }
    }

    fn take(&mut self, rest: &mut &[u8], count: usize) {
        *rest = &rest[count..];
        self.position += count as u64;
    }

    fn tell(
        &self,
        code: Code,
        offset: u64,
        skipped: u64,
        message: impl Into<String>,
        sink: &mut dyn Sink,
    ) {
        if self.only.is_none() {
            let message = message.into();
            let damage = Damage {
                code,
                offset,
                skipped,
                message,
            };
            sink.damage(damage.within(self.end));
        }
    }

    fn head(&mut self, rest: &mut &[u8], sink: &mut dyn Sink) {
        match self.gather(rest, WBN_HEAD_BYTES_MAX, Layout::read) {
            None => {}
            Some(Ok(layout)) => {
                self.layout = layout;
                if self.layout.section(b"responses").is_none() {
                    let message = "this web bundle has no responses";
                    self.tell(code::WBN_BAD_HEAD, 0, 0, message, sink);
                    self.phase = Phase::Done;
                } else {
                    self.next_section(sink);
                }
            }
            Some(Err(why)) => {
                self.tell(
                    code::WBN_BAD_HEAD,
                    0,
                    0,
                    format!("this web bundle cannot be read: {why}"),
                    sink,
                );
                self.phase = Phase::Done;
            }
        }
    }

    /// Goes to the next section that is read: the index, and what must be known. Then come the responses.
    fn next_section(&mut self, sink: &mut dyn Sink) {
        let responses = self
            .layout
            .section(b"responses")
            .map_or(0, |section| section.offset);
        while let Some(section) = self.layout.sections.get(self.sections_seen) {
            self.sections_seen += 1;
            let (at, end) = (section.offset, section.end());
            match section.name.as_slice() {
                b"index" if !self.index.is_begun => {
                    self.index.at = at;
                    self.index.end = end;
                    return self.go(Phase::Index, at);
                }
                _ if self.only.is_some() || !self.can_seek && at > responses => {}
                b"critical" => return self.go(Phase::Critical, at),
                b"manifest" => return self.go(Phase::Address("manifest"), at),
                b"primary" => return self.go(Phase::Address("primary"), at),
                _ => {}
            }
        }
        self.tell_about(sink);
        if !self.index.is_begun {
            self.tell(
                code::WBN_BAD_INDEX,
                0,
                0,
                "this web bundle has no index",
                sink,
            );
        }
        self.next_response(sink);
    }

    fn critical(&mut self, rest: &mut &[u8], sink: &mut dyn Sink) {
        let at = self.position - self.held.len() as u64;
        let read = |bytes: &[u8]| {
            let mut cbor = Cbor::new(bytes);
            let mut unknown = None;
            for _ in 0..cbor.array()? {
                let name = cbor.text_string()?;
                if unknown.is_none() && !KNOWN.contains(&name) {
                    unknown = Some(String::from_utf8_lossy(name).into_owned());
                }
            }
            Ok((unknown, cbor.at()))
        };
        let message = match self.gather(rest, WBN_HEAD_BYTES_MAX, read) {
            None => return,
            Some(Ok(None)) => return self.next_section(sink),
            Some(Ok(Some(name))) => {
                format!(
                    "this bundle says that nobody reads it right who does not know its section {name:?}"
                )
            }
            Some(Err(_)) => "the list of sections that must be known cannot be read".into(),
        };
        self.tell(code::WBN_CRITICAL, at, 0, message, sink);
        self.next_section(sink);
    }

    fn address(&mut self, of: &'static str, rest: &mut &[u8], sink: &mut dyn Sink) {
        let read = |bytes: &[u8]| {
            let mut cbor = Cbor::new(bytes);
            let url = cbor.text_string()?.to_vec();
            Ok((url, cbor.at()))
        };
        match self.gather(rest, WBN_HEAD_BYTES_MAX, read) {
            None => return,
            Some(Ok(url)) => self.about.push((of, url)),
            // It is of no use to anything else.
            Some(Err(_)) => {}
        }
        self.next_section(sink);
    }

    /// Responses are read as they lie in the file.
    fn order(&mut self) {
        order::sort_by(&mut self.listed, |one, other| {
            (one.offset, one.named_at).cmp(&(other.offset, other.named_at))
        });
    }

    /// Tells what the bundle says of itself, once.
    fn tell_about(&mut self, sink: &mut dyn Sink) {
        if self.only.is_some() || std::mem::replace(&mut self.is_about_told, true) {
            return;
        }
        let mut fields = vec![("version", self.layout.version.clone())];
        if !self.layout.primary.is_empty() {
            fields.push(("primary", self.layout.primary.clone()));
        }
        fields.append(&mut self.about);
        sink.aside(Aside::About(About {
            fields,
            ..About::default()
        }));
        if self.layout.is_signed || self.layout.section(b"signatures").is_some() {
            sink.aside(Aside::Signature(Signature {
                is_signed: true,
                words: vec!["This web bundle is signed. Its signatures are not verified.".into()],
                ..Signature::default()
            }));
        }
    }

    /// Reads on in the index, until its end or that of a step.
    fn index(&mut self, rest: &mut &[u8], sink: &mut dyn Sink) {
        let responses = self
            .layout
            .section(b"responses")
            .map_or(u64::MAX, |section| section.offset);
        let step_bytes = if self.can_seek {
            WBN_INDEX_STEP_BYTES
        } else {
            WBN_INDEX_HELD_BYTES_MAX
        };
        let mut places = Vec::new();
        loop {
            let left =
                usize::try_from(self.index.end.saturating_sub(self.position)).unwrap_or(usize::MAX);
            let step = rest.len().min(left).min(GATHER_STEP_BYTES);
            self.held.extend_from_slice(&rest[..step]);
            self.take(rest, step);
            let held = std::mem::take(&mut self.held);
            let mut cbor = Cbor::new(&held);
            let mut read = 0;
            let mut is_bad = false;
            let mut is_full = self.urls.len() >= step_bytes;
            if !self.index.is_begun {
                match cbor.map() {
                    Ok(pairs) => {
                        self.index.is_begun = true;
                        self.index.pairs_left = pairs;
                        read = cbor.at();
                    }
                    Err(fault) => is_bad = fault == Fault::Bad,
                }
            }
            while self.index.is_begun && self.index.pairs_left > 0 && !is_full {
                match read_index_entry(&mut cbor, &mut places) {
                    Ok(url) => {
                        let named_at = self.index.at + read as u64;
                        self.list(url, named_at, responses, &places);
                        self.index.pairs_left -= 1;
                        read = cbor.at();
                        is_full = self.urls.len() + self.listed.len() * 16 >= step_bytes;
                    }
                    Err(fault) => {
                        is_bad = fault == Fault::Bad;
                        break;
                    }
                }
            }
            self.index.at += read as u64;
            self.held = held;
            self.held.drain(..read);
            let is_done = self.index.is_begun && (self.index.pairs_left == 0 || is_full);
            is_bad |= !is_done && (step == left || self.held.len() as u64 > WBN_HEAD_BYTES_MAX);
            if is_bad || is_full && !self.can_seek {
                let (at, skipped) = (self.index.at, self.index.end.saturating_sub(self.index.at));
                let message = if is_bad {
                    "the index of this web bundle cannot be read from here on"
                } else {
                    "the index of this web bundle is too long to be held"
                };
                self.tell(code::WBN_BAD_INDEX, at, skipped, message, sink);
                self.index.is_begun = true;
                self.index.pairs_left = 0;
            }
            if is_done || is_bad {
                self.order();
                return self.next_section(sink);
            }
            if rest.is_empty() {
                return;
            }
        }
    }

    fn list(&mut self, url: &[u8], named_at: u64, responses: u64, places: &[Place]) {
        let start = self.urls.len();
        for place in places {
            let offset = responses.saturating_add(place.offset);
            if self.only.is_some_and(|(wanted, _)| wanted != offset) {
                continue;
            }
            if self.urls.len() == start {
                self.urls.extend_from_slice(url);
            }
            self.listed.push(Listed {
                url: (start, self.urls.len()),
                named_at,
                offset,
                bytes: Some(place.bytes),
            });
        }
    }

    /// Reads the one entry of the index that was asked for.
    fn url(&mut self, rest: &mut &[u8]) {
        let Some((offset, Some(named_at))) = self.only else {
            return;
        };
        let read = |bytes: &[u8]| {
            let mut cbor = Cbor::new(bytes);
            let url = read_index_entry(&mut cbor, &mut Vec::new())?.to_vec();
            Ok((url, cbor.at()))
        };
        match self.gather(rest, WBN_HEAD_BYTES_MAX, read) {
            None => {}
            Some(Err(_)) => self.phase = Phase::Done,
            Some(Ok(url)) => {
                self.listed.push(Listed {
                    url: (0, url.len()),
                    named_at,
                    offset,
                    bytes: None,
                });
                self.urls = url;
                self.go(Phase::Response, offset);
            }
        }
    }

    /// Where the responses end, as far as that is known.
    fn responses_end(&self) -> u64 {
        self.layout
            .section(b"responses")
            .map_or(u64::MAX, |section| section.end())
    }

    /// Goes to the next response, or to more of the index, or to the end.
    fn next_response(&mut self, sink: &mut dyn Sink) {
        let responses = self
            .layout
            .section(b"responses")
            .map(|section| (section.bytes, section.end()));
        while let Some(listed) = self.listed.get(self.next) {
            let (offset, named_at) = (listed.offset, listed.named_at);
            if responses.is_some_and(|(_, end)| offset >= end) {
                let message = "the index names a place where no response can be";
                self.tell(code::WBN_BAD_INDEX, named_at, 0, message, sink);
            } else if self.end.is_some_and(|end| offset >= end) {
                self.missing += 1;
            } else if !self.can_seek && offset < self.position {
                self.behind += 1;
            } else if self.told_bytes
                > responses
                    .map_or(0, |(bytes, _)| bytes.saturating_mul(2))
                    .saturating_add(REWIND_BYTES_MIN)
            {
                let message = "too many entries of the index share the same responses";
                self.tell(code::WBN_TOO_MANY, named_at, 0, message, sink);
                self.listed.clear();
                self.index.pairs_left = 0;
                continue;
            } else {
                return self.go(Phase::Response, offset);
            }
            self.next += 1;
        }
        self.listed.clear();
        self.urls.clear();
        self.next = 0;
        let (at, tail) = (self.index.at, self.layout.sections_end);
        if self.index.pairs_left > 0 {
            self.go(Phase::Index, at);
        } else if self.only.is_some() {
            self.phase = Phase::Done;
        } else {
            self.go(Phase::Tail, tail);
        }
    }

    fn response(&mut self, rest: &mut &[u8], sink: &mut dyn Sink) {
        let Some(listed) = self.listed.get(self.next) else {
            return self.next_response(sink);
        };
        let (offset, stated, named_at) = (listed.offset, listed.bytes, listed.named_at);
        let room = self.responses_end().saturating_sub(offset);
        let read = |bytes: &[u8]| {
            let mut cbor = Cbor::new(bytes);
            let (fields, payload) = read_response(&mut cbor)?;
            let text = http_text(fields).ok_or(Trouble::Bad("its header is none"))?;
            let length = (cbor.at() as u64)
                .checked_add(payload)
                .filter(|length| *length <= room);
            let length = length.ok_or(Trouble::Bad("it is longer than what holds it"))?;
            Ok(((text, payload, length), cbor.at()))
        };
        let (text, payload, length) = match self.gather(rest, WBN_HEAD_BYTES_MAX.min(room), read) {
            None => return,
            Some(Ok(found)) => found,
            Some(Err(why)) => {
                let skipped = stated.unwrap_or(0).min(room);
                self.tell(
                    code::WBN_BAD_RESPONSE,
                    offset,
                    skipped,
                    format!("this response cannot be read: {why}"),
                    sink,
                );
                self.next += 1;
                return self.next_response(sink);
            }
        };
        let http = HttpHead::of(text);
        let block_bytes = http.raw.len() as u64 + payload;
        let listed = &self.listed[self.next];
        let url = &self.urls[listed.url.0..listed.url.1];
        sink.begin(&warc_head(url, &http, block_bytes));
        sink.http(&http);
        self.current = Current {
            record: Record {
                offset,
                length,
                skip: named_at,
                block_bytes: http.raw.len() as u64,
                payload_bytes: 0,
                is_whole: true,
            },
            stated,
        };
        self.told_bytes = self.told_bytes.saturating_add(length);
        self.phase = Phase::Payload(payload);
        if payload > SKIP_BYTES_MIN && !sink.wants_body() {
            // The last byte is read, to see that it is there.
            self.position += payload - 1;
            self.current.record.payload_bytes = payload - 1;
            self.phase = Phase::Payload(1);
        }
    }

    fn payload(&mut self, left: u64, rest: &mut &[u8], sink: &mut dyn Sink) {
        let count = rest.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        if count > 0 {
            sink.body(&rest[..count]);
        }
        self.take(rest, count);
        self.current.record.payload_bytes += count as u64;
        self.phase = Phase::Payload(left - count as u64);
        if left == count as u64 {
            self.end_record(sink);
        }
    }

    fn end_record(&mut self, sink: &mut dyn Sink) {
        let Current { mut record, stated } = std::mem::take(&mut self.current);
        record.block_bytes += record.payload_bytes;
        sink.end(&record);
        if stated.is_some_and(|stated| stated != record.length) {
            let message = "the index states another length for this response than it has";
            self.tell(code::WBN_BAD_LENGTH, record.offset, 0, message, sink);
        }
        self.next += 1;
        self.next_response(sink);
    }

    /// The last item states the length of all.
    fn tail(&mut self, rest: &mut &[u8], sink: &mut dyn Sink) {
        let at = self.position - self.held.len() as u64;
        let read = |bytes: &[u8]| {
            let mut cbor = Cbor::new(bytes);
            let stated = cbor.byte_string()?;
            let is_number = stated.len() == 8;
            let number = stated
                .iter()
                .fold(0, |sum, &byte| sum << 8 | u64::from(byte));
            Ok((is_number.then_some(number), cbor.at()))
        };
        let Some(found) = self.gather(rest, 16, read) else {
            return;
        };
        if found != Ok(Some(self.position - self.layout.base)) {
            let message = "the length at the end of this web bundle is not its length";
            self.tell(code::WBN_BAD_LENGTH, at, 0, message, sink);
        }
        self.phase = Phase::Done;
    }

    /// The bytes that the phase waits for are not in the file.
    fn cut(&mut self, end: u64, sink: &mut dyn Sink) {
        self.is_cut = true;
        match self.phase {
            Phase::Head | Phase::Url | Phase::Tail | Phase::Done => self.phase = Phase::Done,
            Phase::Critical | Phase::Address(_) => self.next_section(sink),
            Phase::Index => {
                self.index.is_begun = true;
                self.index.pairs_left = 0;
                self.order();
                self.next_section(sink);
            }
            Phase::Response => {
                self.missing += 1;
                self.next += 1;
                self.next_response(sink);
            }
            Phase::Payload(_) => {
                let record = &mut self.current.record;
                record.is_whole = false;
                record.payload_bytes -= self.position.saturating_sub(end).min(record.payload_bytes);
                self.end_record(sink);
            }
        }
    }

    /// All that could be told was.
    fn conclude(&mut self, end: u64, sink: &mut dyn Sink) {
        let whole = self.layout.sections_end.saturating_add(9);
        if std::mem::take(&mut self.is_cut) || self.missing > 0 {
            let message = match self.missing {
                0 => "the file ends before this web bundle does".into(),
                missing => format!(
                    "the file ends before this web bundle does: {missing} of its responses are not there"
                ),
            };
            self.tell(code::WBN_TRUNCATED, end, 0, message, sink);
        } else if self.layout.sections_end > 0 && whole < end {
            let message = "bytes behind the end of this web bundle";
            self.tell(code::WBN_GARBAGE, whole, end - whole, message, sink);
        }
        if self.behind > 0 {
            let message = format!(
                "{} responses lie behind what names them, and this source only goes forward",
                self.behind
            );
            self.tell(code::WBN_BEHIND, end, 0, message, sink);
        }
        (self.missing, self.behind) = (0, 0);
        self.layout.sections_end = 0;
    }
}

fn warc_head(url: &[u8], http: &HttpHead, block_bytes: u64) -> WarcHead {
    let mut text = b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: ".to_vec();
    for &byte in url {
        if byte.is_ascii_control() {
            text.extend_from_slice(format!("%{byte:02X}").as_bytes());
        } else {
            text.push(byte);
        }
    }
    if let Some(date) = http.get("Date").and_then(|value| utc_of_http(&value)) {
        text.extend_from_slice(format!("\r\nWARC-Date: {date}").as_bytes());
    }
    let rest = format!(
        "\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {block_bytes}\r\n\r\n"
    );
    text.extend_from_slice(rest.as_bytes());
    WarcHead::made(Vec::new(), text)
}

impl Parser for Bundle {
    fn wanted(&self) -> u64 {
        self.position
    }

    fn feed(&mut self, bytes: &[u8], sink: &mut dyn Sink) -> usize {
        let start = self.position;
        let mut rest = bytes;
        loop {
            match self.phase {
                Phase::Response | Phase::Payload(_) if sink.is_full() => {}
                Phase::Head => self.head(&mut rest, sink),
                Phase::Critical => self.critical(&mut rest, sink),
                Phase::Address(of) => self.address(of, &mut rest, sink),
                Phase::Index => self.index(&mut rest, sink),
                Phase::Url => self.url(&mut rest),
                Phase::Response => self.response(&mut rest, sink),
                Phase::Payload(left) => self.payload(left, &mut rest, sink),
                Phase::Tail => self.tail(&mut rest, sink),
                Phase::Done => {
                    let all = rest.len();
                    self.take(&mut rest, all);
                }
            }
            let taken = bytes.len() - rest.len();
            // An empty payload ends without another byte.
            let is_due = self.phase == Phase::Payload(0);
            if sink.is_full() || self.position != start + taken as u64 || rest.is_empty() && !is_due
            {
                return taken;
            }
        }
    }

    fn finish(&mut self, end: u64, sink: &mut dyn Sink) -> bool {
        self.end = Some(end);
        loop {
            if self.phase == Phase::Payload(0) {
                self.payload(0, &mut &[][..], sink);
            } else if self.phase == Phase::Done {
                self.conclude(end, sink);
                return true;
            } else if self.position < end || sink.is_full() {
                return false;
            } else {
                self.cut(end, sink);
            }
        }
    }

    fn forbid_seek(&mut self) {
        self.can_seek = false;
    }
}
