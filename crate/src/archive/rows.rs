//! Reads the lines of a capture index, as it is or in gzip members.
//!
//! Compressed indexes may be one gzip member or many: the blocks of a ZipNum cluster are members, some
//! without a newline at their end, and tools that compress in blocks cut lines anywhere. A line that a
//! member's end leaves open is taken for whole if it is a row and the next line is one too. After damage
//! the next member is looked for; nothing is said of it until it has shown a row.

use super::gzip::GzipReader;
use super::members::Step;
use crate::cdx::{Cut, Layout, Line, Lines, Row};
use crate::error::{Code, Damage, code};
use crate::limits::{CDX_LINE_BYTES_MAX, INFLATE_STEP_BYTES, REWIND_BYTES_MIN};

/// Hears of the rows of an index.
pub trait RowSink {
    /// A row, where its line begins, and how many bytes that took.
    fn row(&mut self, row: Row, place: Place, taken: u64);
    fn damage(&mut self, damage: Damage);
    /// True asks the reader to stop taking input for now.
    fn is_full(&self) -> bool {
        false
    }
}

/// Where a line begins: the offset in the file, and how far into the gzip member that begins there.
pub type Place = (u64, u64);

const MAGIC: [u8; 3] = [0x1f, 0x8b, 8];

/// Reads the lines of an index, compressed or not; see the module.
pub struct RowReader {
    gzip: Option<Box<GzipReader>>,
    /// Offset of the bytes that must be fed next.
    position: u64,
    furthest: u64,
    rewound: u64,
    can_seek: bool,
    lines: Lines,
    begun: Place,
    layout: Layout,
    /// The gzip member, and what was inflated of it; of a plain file, the next byte.
    member: Place,
    /// A line that the end of a member left open.
    open: Option<(Cut, Place)>,
    has_first_line: bool,
    stops_after_line: bool,
    /// Bytes of the member to pass over.
    unwanted: u64,
    /// After damage: how much of the magic number of a member was seen.
    scanned: Option<usize>,
    /// Whether the member was found by searching and has shown no row yet.
    is_tentative: bool,
}

impl RowReader {
    pub fn new(is_gzip: bool) -> RowReader {
        RowReader {
            gzip: is_gzip.then(|| Box::new(GzipReader::new(0, INFLATE_STEP_BYTES))),
            position: 0,
            furthest: 0,
            rewound: 0,
            can_seek: true,
            lines: Lines::default(),
            begun: (0, 0),
            layout: Layout::default(),
            member: (0, 0),
            open: None,
            has_first_line: false,
            stops_after_line: false,
            unwanted: 0,
            scanned: None,
            is_tentative: false,
        }
    }

    /// A reader that begins with the line at a place; what its columns are was found out before.
    pub fn at(is_gzip: bool, (offset, skip): Place, layout: Layout) -> RowReader {
        RowReader {
            gzip: is_gzip.then(|| Box::new(GzipReader::new(offset, INFLATE_STEP_BYTES))),
            position: offset,
            furthest: offset,
            member: (offset, 0),
            unwanted: skip,
            layout,
            ..RowReader::new(false)
        }
    }

    /// A reader of the first line alone, which may name the columns.
    pub fn of_first_line(is_gzip: bool) -> RowReader {
        RowReader {
            stops_after_line: true,
            ..RowReader::new(is_gzip)
        }
    }

    /// Whether the first line was read, or cannot be.
    pub fn is_past_first_line(&self) -> bool {
        let is_too_long = self.furthest.max(self.position) > CDX_LINE_BYTES_MAX as u64;
        self.has_first_line || self.scanned.is_some() || is_too_long
    }

    /// What the columns are, as far as it was read.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Offset of the bytes that must be fed next.
    pub fn wanted(&self) -> u64 {
        self.position
    }

    /// Takes the bytes at `wanted`; fewer than given where the sink is full or the next ones lie elsewhere.
    pub fn feed(&mut self, bytes: &[u8], sink: &mut dyn RowSink) -> usize {
        match self.gzip.is_some() || self.scanned.is_some() {
            true => self.feed_gzip(bytes, sink),
            false => self.feed_plain(bytes, sink),
        }
    }

    /// The file ends at `end`. Returns false where bytes at `wanted` must be looked at first.
    pub fn finish(&mut self, end: u64, sink: &mut dyn RowSink) -> bool {
        if self.scanned.is_none()
            && let Some(gzip) = &mut self.gzip
            && let Some(step) = gzip.finish()
            && let Some(retry) = self.step(step, sink)
        {
            self.search(retry);
            return self.position >= end;
        }
        let mut last = self.open.take();
        if let Some(cut) = self.lines.finish() {
            self.open = last;
            last = Some(self.settle(cut, self.begun, sink));
        }
        if let Some((cut, place)) = last {
            self.tell(cut, place, sink);
        }
        true
    }

    pub fn forbid_seek(&mut self) {
        self.can_seek = false;
    }

    fn feed_plain(&mut self, bytes: &[u8], sink: &mut dyn RowSink) -> usize {
        let mut at = 0;
        while at < bytes.len() && !sink.is_full() {
            if self.lines.is_between() {
                self.begun = (self.position, 0);
            }
            let (taken, cut) = self.lines.take(&bytes[at..]);
            at += taken;
            self.position += taken as u64;
            if let Some(cut) = cut {
                self.tell(cut, self.begun, sink);
                if self.stops_after_line {
                    break;
                }
            }
        }
        at
    }

    fn feed_gzip(&mut self, bytes: &[u8], sink: &mut dyn RowSink) -> usize {
        let mut taken = 0;
        while !sink.is_full() {
            if self.scanned.is_some() {
                taken += self.scan(&bytes[taken..]);
                if taken == bytes.len() || self.scanned.is_some() {
                    break;
                }
            }
            // The reader lends out what it inflated, so it is set aside while that is told.
            let Some(mut gzip) = self.gzip.take() else {
                break;
            };
            let (count, step) = gzip.step(&bytes[taken..]);
            taken += count;
            self.position += count as u64;
            self.furthest = self.furthest.max(self.position);
            let is_hungry = matches!(step, Step::Hungry);
            let broken = self.step(step, sink);
            self.gzip = Some(gzip);
            if let Some(retry) = broken {
                self.search(retry);
                break;
            }
            if is_hungry && taken == bytes.len() {
                break;
            }
        }
        taken
    }

    /// Takes in what the reader of members found; from where to search for another one if it broke.
    fn step(&mut self, step: Step<'_>, sink: &mut dyn RowSink) -> Option<u64> {
        match step {
            Step::Hungry | Step::Busy | Step::Again(_) | Step::Elsewhere(_) => {}
            Step::Start { offset } => self.member = (offset, 0),
            Step::Data(data) => self.text(data, sink),
            Step::End { is_sound, .. } => self.end_member(is_sound, sink),
            Step::Broken { code, at, retry } => {
                // Where inside the member damage shows depends on how the input was cut; where it starts does not.
                let at = if code == code::GZIP_TRUNCATED {
                    at
                } else {
                    retry - 1
                };
                self.break_off(code, at, sink);
                return Some(retry);
            }
        }
        None
    }

    fn text(&mut self, bytes: &[u8], sink: &mut dyn RowSink) {
        let unwanted = usize::try_from(self.unwanted).unwrap_or(usize::MAX);
        let mut at = unwanted.min(bytes.len());
        self.unwanted -= at as u64;
        self.member.1 += at as u64;
        while at < bytes.len() {
            if self.lines.is_between() {
                self.begun = self.member;
            }
            let (taken, cut) = self.lines.take(&bytes[at..]);
            at += taken;
            self.member.1 += taken as u64;
            if let Some(cut) = cut {
                let (cut, place) = self.settle(cut, self.begun, sink);
                self.tell(cut, place, sink);
            }
        }
    }

    /// The line that goes on after the end of a member: the one given, or that with the one before it.
    fn settle(&mut self, cut: Cut, place: Place, sink: &mut dyn RowSink) -> (Cut, Place) {
        let Some((open, before)) = self.open.take() else {
            return (cut, place);
        };
        let is_row = |cut: &Cut| {
            cut.is_whole && !matches!(Line::parse(&cut.bytes, &self.layout), Line::Bad(_))
        };
        if is_row(&open) && is_row(&cut) {
            self.tell(open, before, sink);
            return (cut, place);
        }
        (open.joined(&cut), before)
    }

    fn tell(&mut self, cut: Cut, place: Place, sink: &mut dyn RowSink) {
        self.has_first_line = true;
        let line = if cut.is_whole {
            Line::parse(&cut.bytes, &self.layout)
        } else {
            Line::Bad("expected a shorter line")
        };
        match line {
            Line::Header(layout) => self.layout = layout,
            Line::Remark => {}
            Line::Row(row) => {
                self.is_tentative = false;
                sink.row(row, place, cut.taken);
            }
            Line::Bad(expected) if !self.is_tentative => sink.damage(Damage {
                code: code::CDX_BAD_LINE,
                offset: place.0,
                // Of compressed files it is not known how many bytes a line takes.
                skipped: if self.gzip.is_none() { cut.taken } else { 0 },
                message: format!("this line is no row of a capture index: {expected}"),
            }),
            Line::Bad(_) => {}
        }
    }

    fn end_member(&mut self, is_sound: bool, sink: &mut dyn RowSink) {
        self.unwanted = 0;
        if let Some(cut) = self.lines.finish() {
            self.open = Some(self.settle(cut, self.begun, sink));
        }
        if !is_sound && !self.is_tentative {
            sink.damage(Damage {
                code: code::GZIP_BAD_CHECKSUM,
                offset: self.member.0,
                skipped: 0,
                message: "the checksum of this gzip member does not fit its content".into(),
            });
        }
    }

    fn break_off(&mut self, code: Code, at: u64, sink: &mut dyn RowSink) {
        if let Some((open, place)) = self.open.take() {
            self.tell(open, place, sink);
        }
        // The line in which the data broke off is part of this damage.
        self.lines = Lines::default();
        if self.is_tentative {
            return;
        }
        let (offset, message) = match code {
            code::GZIP_TRUNCATED => (at, "the file ends in the middle of this gzip member"),
            code::GZIP_GARBAGE => (at, "bytes that are no gzip member"),
            _ => (self.member.0, "the compressed data is damaged"),
        };
        sink.damage(Damage {
            code,
            offset,
            skipped: 0,
            message: message.into(),
        });
    }

    /// Goes on with the next member at or after `from`, as far as going back is allowed.
    fn search(&mut self, from: u64) {
        let again = self.furthest.saturating_sub(from);
        let allowed = REWIND_BYTES_MIN.saturating_add(self.furthest.saturating_mul(2));
        if self.can_seek && self.rewound.saturating_add(again) <= allowed {
            self.rewound += again;
            self.position = from;
        }
        self.scanned = Some(0);
        self.is_tentative = true;
    }

    /// Looks for the magic number of a member; returns how many bytes were looked at.
    fn scan(&mut self, bytes: &[u8]) -> usize {
        let mut seen = self.scanned.unwrap_or(0);
        for (at, &byte) in bytes.iter().enumerate() {
            seen = if byte == MAGIC[seen] {
                seen + 1
            } else {
                usize::from(byte == MAGIC[0])
            };
            if seen == MAGIC.len() {
                let start = self.position + at as u64 + 1 - MAGIC.len() as u64;
                let mut gzip = GzipReader::new(start, INFLATE_STEP_BYTES);
                // The magic number may lie in pieces that are gone already.
                gzip.step(&MAGIC);
                self.gzip = Some(Box::new(gzip));
                self.scanned = None;
                self.position += at as u64 + 1;
                return at + 1;
            }
        }
        self.scanned = Some(seen);
        self.position += bytes.len() as u64;
        bytes.len()
    }
}
