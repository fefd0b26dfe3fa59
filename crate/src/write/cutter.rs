//! Cuts records out of an archive: those that a query asks for, as they stand, into a WARC file.
//!
//! Records of WARC files are copied byte for byte; where a length was wrong or a record broke off, the copy
//! states the length that it has. Records of other formats are made anew, with ids and digests, after one
//! that tells by whom and of what they were made.
//! Where a record stands in the file as it is to be written, the host is asked to copy that range.

use std::rc::Rc;

use super::draft::{Draft, Drafter, is_closed};
use super::heading::{Digests, Heading, Version, date_text, record_id};
use super::pieces::{Piece, Pieces};
use crate::archive::{
    Feed, Format, HttpHead, Parser, Part, Path, Pick, Picked, Record, RecordType, Sink,
    StatedLength, WarcHead, parser, parser_at,
};
use crate::error::{Damage, Error, code};
use crate::limits::WRITE_HELD_BYTES_MAX;
use crate::query::Predicate;

/// What is written, and how.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// A gzip member for each record.
    pub is_gzip: bool,
    /// Of records that are made.
    pub version: Version,
    /// Seconds since 1970: when records are made.
    pub now: u64,
    /// Names of the file that is read and of the one that is written, as far as they are known.
    pub source: String,
    pub target: String,
    /// The member of the file that is meant; empty for all of it.
    pub member: String,
    /// Whether the host copies ranges of the source; else everything that is copied is read.
    pub can_copy: bool,
}

/// A record that is read again, because it was too long to be kept.
struct Again {
    path: Path,
    parser: Box<dyn Parser>,
    left: u64,
    is_over: bool,
}

/// What is read.
enum From {
    All(Box<dyn Parser>),
    Picked(Picked),
}

impl From {
    fn parser(&self) -> &dyn Parser {
        match self {
            From::All(parser) => parser.as_ref(),
            From::Picked(picked) => picked,
        }
    }

    fn parser_mut(&mut self) -> &mut dyn Parser {
        match self {
            From::All(parser) => parser.as_mut(),
            From::Picked(picked) => picked,
        }
    }
}

pub struct Cutter {
    options: Options,
    format: Format,
    from: From,
    drafter: Drafter,
    pieces: Pieces,
    again: Option<Again>,
    is_read: bool,
    written: u64,
    /// Id of the record that tells of what the others were made.
    warcinfo: Option<String>,
    damage: Vec<(Rc<Part>, Damage)>,
}

impl Cutter {
    /// `size` is how long the file is, where that is known.
    pub fn new(
        format: Format,
        size: Option<u64>,
        predicate: Predicate,
        options: Options,
    ) -> Result<Cutter, Error> {
        if format.is_index() {
            let message = "This file is an index of records that are elsewhere: there is nothing in it to copy.";
            return Err(Error::new(code::WRITE_ONLY_INDEX, message));
        }
        let from = From::All(parser(format, size));
        Ok(Cutter::from(from, format, predicate, options))
    }

    /// Of the records that are picked in a file of that format.
    pub fn of_picks(format: Format, options: Options) -> Cutter {
        let from = From::Picked(Picked::default());
        Cutter::from(from, format, Predicate::all(), options)
    }

    fn from(from: From, format: Format, predicate: Predicate, options: Options) -> Cutter {
        Cutter {
            drafter: Drafter::new(predicate, format, &options),
            from,
            pieces: Pieces::new(options.is_gzip),
            options,
            format,
            again: None,
            is_read: false,
            written: 0,
            warcinfo: None,
            damage: Vec::new(),
        }
    }

    /// Picks a record, while others are waiting or nothing was fed yet. False where it is a row of an index only.
    pub fn pick(&mut self, pick: Pick) -> bool {
        match &mut self.from {
            From::Picked(picked) if !pick.part.format.is_index() => {
                picked.pick(pick);
                true
            }
            _ => false,
        }
    }

    /// How many are waiting that were picked.
    pub fn waiting(&self) -> usize {
        match &self.from {
            From::All(_) => 0,
            From::Picked(picked) => picked.waiting(),
        }
    }

    /// What is to be written next; feed again afterwards.
    pub fn take(&mut self) -> Option<Piece> {
        self.pieces.take()
    }

    /// Damage since the last call, with the part of the file that has it.
    pub fn take_damage(&mut self) -> Vec<(Rc<Part>, Damage)> {
        let mut damage = self.drafter.take_damage();
        damage.append(&mut self.damage);
        damage
    }

    /// Records of the source so far.
    pub fn seen(&self) -> u64 {
        self.drafter.seen()
    }

    /// Records written so far, but for those that tell of the others.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Writes what is wanted, up to a record that has to be read again.
    fn write_ready(&mut self) {
        while self.again.is_none() && self.pieces.held() < WRITE_HELD_BYTES_MAX {
            let Some(draft) = self.drafter.next() else {
                return;
            };
            self.write(draft);
        }
    }

    fn write(&mut self, draft: Draft) {
        if let Some((offset, length)) = draft.range {
            self.pieces.copy(offset, length);
            self.written += 1;
            return;
        }
        let head = if draft.head.is_made() {
            self.made(&draft)
        } else {
            copied(&draft)
        };
        let Some(head) = head else {
            let message = "the header of this record breaks off, so it is not copied";
            self.tell(&draft, code::WRITE_NO_HEADER, message);
            return;
        };
        self.written += 1;
        self.pieces.begin(&head);
        self.pieces.block(&draft.http);
        if let Some(body) = &draft.body {
            self.pieces.block(body);
            self.pieces.end();
            return;
        }
        let Record {
            offset,
            skip,
            block_bytes,
            payload_bytes,
            ..
        } = draft.record;
        let mut parser = parser_at(draft.part.format, offset, skip);
        parser.set_block_length(offset, block_bytes);
        parser.forbid_seek();
        self.again = Some(Again {
            path: Path::new(&draft.part.windows),
            parser,
            left: payload_bytes,
            is_over: payload_bytes == 0,
        });
        self.end_again();
    }

    /// The header block of a record that another format told.
    fn made(&mut self, draft: &Draft) -> Option<Vec<u8>> {
        let measured = draft.measured.as_ref()?;
        let warcinfo = self.warcinfo_id();
        let mut kind = draft.head.kind();
        let uri = draft.head.uri();
        if kind == RecordType::Warcinfo && uri.is_some() {
            // The version block of an ARC file has a URI, which a warcinfo record must not have.
            kind = RecordType::Metadata;
        }
        let mut heading = Heading::new(self.options.version, kind);
        let place = format!(
            "{}!{} {} {}",
            self.options.source,
            String::from_utf8_lossy(&draft.part.name),
            draft.record.offset,
            draft.record.skip
        );
        let date = draft.head.get("WARC-Date").unwrap_or_default();
        let id = record_id(&[
            place.as_bytes(),
            kind.name().as_bytes(),
            uri.as_deref().unwrap_or_default(),
            &date,
            measured.block_digest.as_bytes(),
        ]);
        heading.set("WARC-Record-ID", id.as_bytes());
        if let Some(uri) = &uri {
            heading.set("WARC-Target-URI", uri);
        }
        let has_date = heading.set_date(Some(&date));
        heading.set("WARC-Warcinfo-ID", warcinfo.as_bytes());
        for (name, value) in draft.head.fields() {
            let name = String::from_utf8_lossy(name);
            let is_new = heading.get(&name).is_none() && is_name(&name) && !value.is_empty();
            if is_new {
                heading.set(&name, &value);
            }
        }
        if !draft.http.is_empty() {
            let message = if draft.is_request {
                "request"
            } else {
                "response"
            };
            let mime = format!("application/http; msgtype={message}");
            heading.set("Content-Type", mime.as_bytes());
        }
        if !draft.record.is_whole {
            heading.set("WARC-Truncated", b"unspecified");
        }
        if !has_date {
            let message = "this record has no date that can be read: it is written as of 1970";
            self.tell(draft, code::WARC_BAD_DATE, message);
        }
        Some(heading.bytes(measured))
    }

    /// The record that tells of what those that follow were made; written once.
    fn warcinfo_id(&mut self) -> String {
        if let Some(id) = &self.warcinfo {
            return id.clone();
        }
        let Options {
            version,
            now,
            source,
            target,
            ..
        } = &self.options;
        let number = version.number();
        let mut block = format!(
            "software: stackroom/{}\r\nformat: WARC File Format {number}\r\n\
             conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-{number}/\r\n",
            env!("CARGO_PKG_VERSION"),
        );
        let source: String = source.chars().filter(|char| !char.is_control()).collect();
        let from = self.format.name();
        let named = if source.is_empty() {
            String::new()
        } else {
            format!(" {source}")
        };
        block.push_str(&format!(
            "description: made from the {from} file{named}\r\n"
        ));
        let date = date_text(*now);
        let id = record_id(&[
            b"warcinfo",
            date.as_bytes(),
            target.as_bytes(),
            block.as_bytes(),
        ]);
        let mut heading = Heading::new(*version, RecordType::Warcinfo);
        heading.set("WARC-Record-ID", id.as_bytes());
        heading.set("WARC-Date", date.as_bytes());
        if !target.is_empty() {
            heading.set("WARC-Filename", target.as_bytes());
        }
        heading.set("Content-Type", b"application/warc-fields");
        let mut digests = Digests::new(None);
        digests.push(block.as_bytes());
        self.pieces
            .record(&heading.bytes(&digests.finish()), block.as_bytes());
        self.warcinfo = Some(id.clone());
        id
    }

    fn tell(&mut self, draft: &Draft, code: crate::error::Code, message: &str) {
        let damage = Damage {
            code,
            offset: draft.record.offset,
            skipped: 0,
            message: message.into(),
        };
        self.damage.push((Rc::clone(&draft.part), damage));
    }

    fn feed_again(&mut self, bytes: &[u8]) -> usize {
        let Some(Again {
            path,
            parser,
            left,
            is_over,
        }) = &mut self.again
        else {
            return 0;
        };
        let mut rest = Rest {
            parser: parser.as_mut(),
            sink: Body {
                pieces: &mut self.pieces,
                left,
                is_over,
            },
        };
        let taken = path.feed(bytes, &mut rest);
        self.end_again();
        taken
    }

    fn finish_again(&mut self, end: u64) -> bool {
        let Some(Again {
            path,
            parser,
            left,
            is_over,
        }) = &mut self.again
        else {
            return true;
        };
        let mut rest = Rest {
            parser: parser.as_mut(),
            sink: Body {
                pieces: &mut self.pieces,
                left,
                is_over,
            },
        };
        let is_done = path.finish(end, &mut rest);
        if is_done && let Some(again) = &mut self.again {
            again.is_over = true;
        }
        self.end_again();
        is_done
    }

    fn end_again(&mut self) {
        let Some(again) = &self.again else { return };
        if !again.is_over {
            return;
        }
        if again.left > 0 {
            let damage = Damage {
                code: code::WRITE_CHANGED,
                offset: 0,
                skipped: again.left,
                message:
                    "the file changed while it was read: a record that was written lacks its end"
                        .into(),
            };
            self.damage.push((Rc::new(Part::default()), damage));
        }
        self.again = None;
        self.pieces.end();
    }
}

impl Feed for Cutter {
    fn wanted(&self) -> u64 {
        match &self.again {
            Some(again) => again.path.wanted(&At(again.parser.wanted())),
            None => self.from.parser().wanted(),
        }
    }

    /// Takes the bytes at `wanted`, as far as there is room for what comes of them.
    fn feed(&mut self, bytes: &[u8]) -> usize {
        let mut taken = 0;
        if self.again.is_some() {
            taken = self.feed_again(bytes);
        } else if !self.drafter.has_next() && !self.is_read && !self.is_full() {
            taken = self.from.parser_mut().feed(bytes, &mut self.drafter);
        }
        // What is wanted next may lie elsewhere now.
        self.write_ready();
        taken
    }

    fn finish(&mut self, end: u64) -> bool {
        if !self.finish_again(end) {
            return false;
        }
        self.write_ready();
        if self.again.is_some() || self.drafter.has_next() {
            return false;
        }
        if !self.is_read {
            self.is_read = self.from.parser_mut().finish(end, &mut self.drafter);
            if self.is_read {
                self.drafter.hand_on();
            }
            self.write_ready();
        }
        self.is_read && self.again.is_none() && !self.drafter.has_next()
    }

    fn is_full(&self) -> bool {
        self.pieces.held() >= WRITE_HELD_BYTES_MAX
    }
}

/// Only a place.
struct At(u64);

impl Feed for At {
    fn wanted(&self) -> u64 {
        self.0
    }

    fn feed(&mut self, _bytes: &[u8]) -> usize {
        0
    }

    fn finish(&mut self, _end: u64) -> bool {
        true
    }
}

/// The payload of the first record that is heard, up to the length that its header states.
struct Body<'a> {
    pieces: &'a mut Pieces,
    left: &'a mut u64,
    is_over: &'a mut bool,
}

impl Sink for Body<'_> {
    fn begin(&mut self, _head: &WarcHead) {}

    fn http(&mut self, _head: &HttpHead) {}

    fn body(&mut self, bytes: &[u8]) {
        let count = usize::try_from(*self.left).unwrap_or(usize::MAX);
        let bytes = &bytes[..bytes.len().min(count)];
        self.pieces.block(bytes);
        *self.left -= bytes.len() as u64;
        *self.is_over |= *self.left == 0;
    }

    fn end(&mut self, _record: &Record) {
        *self.is_over = true;
    }

    fn damage(&mut self, _damage: Damage) {}

    fn is_full(&self) -> bool {
        *self.is_over || self.pieces.held() >= WRITE_HELD_BYTES_MAX
    }
}

/// A parser that is done with its first record.
struct Rest<'a> {
    parser: &'a mut dyn Parser,
    sink: Body<'a>,
}

impl Feed for Rest<'_> {
    fn wanted(&self) -> u64 {
        self.parser.wanted()
    }

    fn feed(&mut self, bytes: &[u8]) -> usize {
        self.parser.feed(bytes, &mut self.sink)
    }

    fn finish(&mut self, end: u64) -> bool {
        self.parser.finish(end, &mut self.sink)
    }

    fn is_done(&self) -> bool {
        *self.sink.is_over
    }

    fn is_full(&self) -> bool {
        self.sink.is_full()
    }
}

/// The header block of a record as it stands, but for a length that is not its own. `None` where it breaks off.
fn copied(draft: &Draft) -> Option<Vec<u8>> {
    let head = &draft.head;
    if !is_closed(&head.raw) {
        return None;
    }
    let bytes = draft.record.block_bytes;
    let is_right = head.stated_length() == StatedLength::Bytes(bytes);
    if is_right && head.count("Content-Length") == 1 {
        return Some(head.raw.clone());
    }
    let mut out = Vec::with_capacity(head.raw.len() + 32);
    let mut is_dropped = false;
    for line in head.raw.split_inclusive(|&byte| byte == b'\n') {
        if line.trim_ascii().is_empty() {
            break;
        }
        let is_folded = matches!(line[0], b' ' | b'\t');
        let name = line.split(|&byte| byte == b':').next().unwrap_or_default();
        is_dropped = is_folded && is_dropped
            || !is_folded && name.trim_ascii().eq_ignore_ascii_case(b"Content-Length");
        if !is_dropped {
            out.extend_from_slice(line);
        }
    }
    if !draft.record.is_whole && head.get_raw("WARC-Truncated").is_none() {
        out.extend_from_slice(b"WARC-Truncated: unspecified\r\n");
    }
    out.extend_from_slice(format!("Content-Length: {bytes}\r\n\r\n").as_bytes());
    Some(out)
}

/// Whether a field may be called so.
fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}
