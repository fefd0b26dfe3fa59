//! Reads one record at a known place: its headers, then the bytes of one part of it.
//!
//! A body that lies in several records (`WARC-Segment-Number`) is joined: reading goes on behind the first one
//! for its continuations, which may lie in another file too (`wait_for_segments`).

use crate::archive::{
    BodyDecoder, BodyOutcome, Content, Feed, Format, HttpHead, Parser, Record, RecordType, Sink,
    WarcHead, parser_at,
};
use crate::codec::Writer;
use crate::error::Damage;
use crate::limits::EXTRACT_HELD_BYTES_MAX;

/// What of a record is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The record as it stands in the inflated file.
    Raw,
    /// Its WARC header block.
    Warc,
    /// Its HTTP header block.
    Http,
    /// Its payload, de-chunked and decoded.
    Body,
}

impl Part {
    pub fn named(name: &str) -> Option<Part> {
        match name {
            "raw" => Some(Part::Raw),
            "warc" => Some(Part::Warc),
            "http" => Some(Part::Http),
            "body" => Some(Part::Body),
            _ => None,
        }
    }
}

/// Reads in two rounds where records are stored as they are: a length that is wrong shows only at its
/// end, so the first round measures the block and the second one hands it out. Headers stand at the beginning, and are
/// read in one, but for those of a block whose length says nothing.
pub struct Extractor {
    reader: Box<dyn Parser>,
    format: Format,
    offset: u64,
    measure: Option<Measure>,
    keep: Keep,
    is_measured: bool,
}

/// Keeps nothing but how long the block is.
#[derive(Default)]
struct Measure {
    block_bytes: Option<u64>,
}

struct Keep {
    part: Part,
    decoder: BodyDecoder,
    held: Held,
    head: Option<WarcHead>,
    http: Option<HttpHead>,
    record: Option<Record>,
    is_damaged: bool,
    is_past_heads: bool,
    segments: Option<Segments>,
    waits: bool,
    is_closed: bool,
}

/// The continuations of a record that are still to come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segments {
    /// `WARC-Record-ID` of the first one, which the others state as their origin.
    pub origin: Vec<u8>,
    /// `WARC-Segment-Number` of the next one.
    pub next: u64,
    /// The record that streams by is the next one.
    is_here: bool,
    /// It is the last one too.
    is_last: bool,
}

impl Segments {
    /// What a record with this head leaves to be continued.
    fn after(head: &WarcHead) -> Option<Segments> {
        let is_first = head.kind() != RecordType::Continuation && head.segment_number() == Some(1);
        let origin = head.get("WARC-Record-ID").filter(|_| is_first)?;
        Some(Segments {
            origin,
            next: 2,
            is_here: false,
            is_last: false,
        })
    }

    /// Looks whether the record that begins is the next segment.
    fn meet(&mut self, head: &WarcHead) {
        let is_of_origin = head.get("WARC-Segment-Origin-ID").as_ref() == Some(&self.origin);
        self.is_here = is_of_origin
            && head.kind() == RecordType::Continuation
            && head.segment_number() == Some(self.next);
        self.is_last = self.is_here && head.get_raw("WARC-Segment-Total-Length").is_some();
    }
}

impl Extractor {
    pub fn new(format: Format, offset: u64, skip: u64, part: Part) -> Extractor {
        let keep = Keep {
            part,
            decoder: BodyDecoder::new(None),
            held: Held::default(),
            head: None,
            http: None,
            record: None,
            is_damaged: false,
            is_past_heads: false,
            segments: None,
            waits: false,
            is_closed: false,
        };
        let must_measure = format.is_plain() && matches!(part, Part::Raw | Part::Body);
        let mut reader = parser_at(format, offset, skip);
        // What is no WARC may lie in several places, or be read twice.
        let has_places = matches!(format, Format::Har | Format::Wbn);
        if !must_measure && !has_places {
            reader.forbid_seek();
        }
        Extractor {
            reader,
            format,
            offset,
            measure: must_measure.then(Measure::default),
            keep,
            is_measured: false,
        }
    }

    fn after_measure(&mut self) {
        let Some(block_bytes) = self
            .measure
            .as_ref()
            .and_then(|measure| measure.block_bytes)
        else {
            return;
        };
        self.measure = None;
        self.is_measured = true;
        self.reader = parser_at(self.format, self.offset, 0);
        self.reader.set_block_length(self.offset, block_bytes);
        self.reader.forbid_seek();
    }

    /// Where the length says nothing no headers were looked for: how long the block is has to be measured then. Whether
    /// that begins.
    fn begins_to_measure(&mut self) -> bool {
        let is_of_heads = self.keep.part == Part::Http && self.keep.is_damaged;
        let is_first = is_of_heads && self.format.is_plain() && !self.is_measured;
        if !is_first || self.keep.http.is_some() || self.keep.record.is_none() {
            return false;
        }
        self.keep.record = None;
        self.keep.is_closed = false;
        self.measure = Some(Measure::default());
        self.reader = parser_at(self.format, self.offset, 0);
        true
    }

    /// At the end of the file, segments that were not found may lie in another one: see `missing_segments`.
    pub fn wait_for_segments(&mut self) {
        self.keep.waits = true;
    }

    /// The segments that the body lacks.
    pub fn missing_segments(&self) -> Option<&Segments> {
        self.keep.segments.as_ref()
    }

    /// Whether the record that was asked for last was read to its end.
    pub fn is_between_segments(&self) -> bool {
        self.keep.record.is_some() && !self.keep.is_here()
    }

    /// Looks on for segments at a place of the file that is fed from now on.
    pub fn go_on(&mut self, format: Format, offset: u64, skip: u64) {
        self.reader = parser_at(format, offset, skip);
        self.reader.forbid_seek();
        self.measure = None;
    }

    /// No more segments will come: ends the body.
    pub fn close(&mut self) {
        self.keep.close();
    }

    /// Output so far; feed again afterwards, with no bytes at the end of the file.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.keep.held.0)
    }

    /// Whether there was a record at all.
    pub fn has_record(&self) -> bool {
        self.keep.head.is_some()
    }

    pub fn outcome(&self) -> BodyOutcome {
        self.keep.decoder.outcome()
    }

    /// Codings that are still on the body that came out, as `Content-Encoding` lists them: another module may know them.
    pub fn remaining_codings(&self) -> &[u8] {
        self.keep.decoder.remaining()
    }

    /// The WARC header of the record, once it was read.
    pub fn head(&self) -> Option<&WarcHead> {
        self.keep.head.as_ref()
    }

    /// Headers, once `is_done` or enough was read.
    ///
    ///   heads := version:bytes fields(warc) has_http:varint [start_line:bytes fields(http)]
    ///   fields := count:varint (name:bytes value:bytes)*
    pub fn heads(&self) -> Vec<u8> {
        let mut out = Writer::new();
        if let Some(head) = &self.keep.head {
            out.bytes(head.version());
            write_fields(&mut out, head.fields());
        }
        out.varint(u64::from(self.keep.http.is_some()));
        if let Some(http) = &self.keep.http {
            out.bytes(http.start_line());
            write_fields(&mut out, http.fields());
        }
        out.finish()
    }
}

impl Feed for Extractor {
    fn wanted(&self) -> u64 {
        self.reader.wanted()
    }

    fn feed(&mut self, bytes: &[u8]) -> usize {
        self.keep.catch_up();
        if self.is_done() {
            return bytes.len();
        }
        if self.keep.decoder.is_behind() {
            return 0;
        }
        let Some(measure) = &mut self.measure else {
            let taken = self.reader.feed(bytes, &mut self.keep);
            self.begins_to_measure();
            return taken;
        };
        let taken = self.reader.feed(bytes, measure);
        self.after_measure();
        taken
    }

    fn finish(&mut self, end: u64) -> bool {
        self.keep.catch_up();
        if self.is_done() {
            return true;
        }
        if self.keep.decoder.is_behind() {
            return false;
        }
        let Some(measure) = &mut self.measure else {
            let is_over = self.reader.finish(end, &mut self.keep);
            if self.begins_to_measure() {
                return false;
            }
            if is_over && !self.keep.waits {
                self.keep.close();
            }
            return is_over && !self.keep.decoder.is_behind();
        };
        if !self.reader.finish(end, measure) {
            return false;
        }
        self.after_measure();
        self.measure.is_some()
    }

    /// Whether the record was read to its end.
    fn is_done(&self) -> bool {
        self.keep.is_done()
    }

    fn is_full(&self) -> bool {
        self.measure.is_none() && self.keep.is_full()
    }
}

fn write_fields<'a>(out: &mut Writer, fields: impl Iterator<Item = (&'a [u8], Vec<u8>)>) {
    let fields: Vec<_> = fields.collect();
    out.varint(fields.len() as u64);
    for (name, value) in fields {
        out.bytes(name);
        out.bytes(&value);
    }
}

impl Sink for Measure {
    fn begin(&mut self, _head: &WarcHead) {}

    fn http(&mut self, _head: &HttpHead) {}

    fn body(&mut self, _bytes: &[u8]) {}

    fn end(&mut self, record: &Record) {
        if self.block_bytes.is_none() {
            self.block_bytes = Some(record.block_bytes);
        }
    }

    fn damage(&mut self, _damage: Damage) {}

    fn wants_body(&self) -> bool {
        false
    }

    fn is_full(&self) -> bool {
        self.block_bytes.is_some()
    }
}

/// Output that waits to be taken away.
#[derive(Default)]
struct Held(Vec<u8>);

impl Content for Held {
    fn content(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn is_full(&self) -> bool {
        self.0.len() >= EXTRACT_HELD_BYTES_MAX
    }
}

impl Keep {
    /// Decodes on what a full output left behind.
    fn catch_up(&mut self) {
        if self.decoder.is_behind() {
            self.decoder.go_on(&mut self.held);
        }
    }

    fn is_done(&self) -> bool {
        self.is_closed && !self.decoder.is_behind()
            || match self.part {
                Part::Warc => self.head.is_some(),
                Part::Http => self.http.is_some() || self.is_past_heads,
                Part::Raw | Part::Body => false,
            }
    }

    /// The body ends here.
    fn close(&mut self) {
        if self.record.is_some() && !self.is_closed {
            self.is_closed = true;
            if self.part == Part::Body {
                self.decoder.finish(&mut self.held);
            }
        }
    }

    /// Whether payload that streams by belongs to the record.
    fn is_here(&self) -> bool {
        self.record.is_none() || self.segments.as_ref().is_some_and(|next| next.is_here)
    }
}

impl Sink for Keep {
    fn begin(&mut self, head: &WarcHead) {
        if self.head.is_some() {
            if let Some(segments) = self.segments.as_mut().filter(|_| self.record.is_some()) {
                segments.meet(head);
            }
            return;
        }
        if self.part == Part::Body {
            self.segments = Segments::after(head);
        }
        if matches!(self.part, Part::Raw | Part::Warc) {
            self.held.content(&head.raw);
        }
        self.head = Some(head.clone());
    }

    fn http(&mut self, head: &HttpHead) {
        if self.record.is_some() {
            return;
        }
        if matches!(self.part, Part::Raw | Part::Http) {
            self.held.content(&head.raw);
        }
        self.decoder = BodyDecoder::new(Some(head));
        self.http = Some(head.clone());
    }

    fn body(&mut self, bytes: &[u8]) {
        if !self.is_here() {
            return;
        }
        self.is_past_heads = true;
        match self.part {
            Part::Raw => self.held.content(bytes),
            Part::Body => self.decoder.push(bytes, &mut self.held),
            Part::Warc | Part::Http => {}
        }
    }

    fn tail(&mut self, bytes: &[u8]) {
        if self.part == Part::Raw && self.record.is_none() {
            self.held.content(bytes);
        }
    }

    fn end(&mut self, record: &Record) {
        if self.record.is_none() {
            self.record = Some(record.clone());
        } else if let Some(segments) = self.segments.as_mut().filter(|next| next.is_here) {
            segments.is_here = false;
            segments.next += 1;
            if segments.is_last {
                self.segments = None;
            }
        } else {
            return;
        }
        if self.segments.is_none() {
            self.close();
        }
    }

    fn damage(&mut self, _damage: Damage) {
        self.is_damaged = true;
    }

    fn wants_body(&self) -> bool {
        matches!(self.part, Part::Raw | Part::Body) && self.is_here()
    }

    fn is_full(&self) -> bool {
        self.is_closed || self.is_done() || self.decoder.is_behind() || self.held.is_full()
    }
}
