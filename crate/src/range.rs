//! Reads one range of a gzip archive for whoever puts the ranges together, and tells of it in reports that
//! can cross a port.
//!
//!   report := state position taken start+1 joint.offset joint.rewound uncounted count damage* row*
//!   damage := code:bytes offset skipped message:bytes
//! Numbers are varints. `start` is where a search found its first member (0 while it did not).
//!
//! R1  An exact range begins at a joint of the serial reading and tells what that would tell, at once.
//! R2  A searched range tells only what lies before a joint, so that whatever is cut off behind its last
//!     report can be read anew from there.
//! R3  Both end at their first joint at or after `until`. A searched range ends earlier, at its last joint,
//!     where it cannot know how to go on, finds no joint for long, or has told too much ahead of its turn.

use crate::archive::{HttpHead, Joint, Reader, Record, Sink, WarcHead};
use crate::codec::{self, Writer};
use crate::error::{Code, Damage, code};
use crate::limits::{
    DAMAGE_KEPT_MAX, RANGE_OVERRUN_BYTES, RANGE_SEARCH_SLACK_BYTES, RANGE_TOLD_BYTES_MAX,
    REPORT_BYTES_MIN,
};
use crate::row::Row;

/// What a worker is to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    pub id: u32,
    /// Where to begin: a joint of the serial reading, or the place from which a member is looked for.
    pub start: Joint,
    pub is_search: bool,
    pub until: u64,
}

/// How far a range is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    #[default]
    Going,
    /// No member begins in it.
    Nothing,
    /// It ended at the joint that the report tells.
    AtJoint,
    /// It ended with the file.
    AtEnd,
}

impl State {
    const ALL: [State; 4] = [State::Going, State::Nothing, State::AtJoint, State::AtEnd];
}

pub struct RangeReader {
    reader: Reader,
    job: Job,
    telling: Telling,
    state: State,
    /// Bytes read, those that were read again included.
    taken: u64,
    told_start: bool,
}

impl RangeReader {
    pub fn new(job: Job) -> RangeReader {
        let reader = if job.is_search {
            Reader::searching(job.start.offset)
        } else {
            Reader::resumed(job.start)
        };
        RangeReader {
            reader,
            job,
            telling: Telling {
                until: job.until,
                ..Telling::default()
            },
            state: State::Going,
            taken: 0,
            told_start: false,
        }
    }

    /// File offset of the bytes that must be fed next.
    pub fn wanted(&self) -> u64 {
        self.reader.wanted()
    }

    pub fn has_ended(&self) -> bool {
        self.state != State::Going
    }

    /// Takes the bytes at `wanted`. Returns how many were taken.
    pub fn feed(&mut self, bytes: &[u8]) -> usize {
        if self.has_ended() {
            return 0;
        }
        let taken = self.reader.feed(bytes, &mut self.telling);
        self.taken += taken as u64;
        self.state = self.state_now();
        taken
    }

    /// The file ends at `end`. Returns false where bytes at `wanted` must be looked at again first.
    pub fn finish(&mut self, end: u64) -> bool {
        if self.has_ended() {
            return true;
        }
        if !self.reader.finish(end, &mut self.telling) {
            return false;
        }
        self.state = match self.state_now() {
            State::Going if self.reader.is_searching() => State::Nothing,
            State::Going => State::AtEnd,
            ended => ended,
        };
        true
    }

    fn state_now(&self) -> State {
        let position = self.reader.wanted();
        if self.job.is_search && self.telling.start.is_none() {
            let is_past = position > self.job.until.saturating_add(RANGE_SEARCH_SLACK_BYTES);
            return if is_past {
                State::Nothing
            } else {
                State::Going
            };
        }
        if self.job.is_search && self.telling.start >= Some(self.job.until) {
            return State::Nothing;
        }
        let is_too_long = position > self.job.until.saturating_add(RANGE_OVERRUN_BYTES)
            || self.telling.told + self.telling.rows.len() > RANGE_TOLD_BYTES_MAX;
        let must_stop = self.job.is_search && (is_too_long || self.reader.is_lost());
        if self.telling.has_ended || must_stop {
            State::AtJoint
        } else {
            State::Going
        }
    }

    /// What there is to tell; nothing where that is not worth a message yet.
    pub fn report(&mut self) -> Vec<u8> {
        let is_start_news = !self.told_start && self.telling.start.is_some();
        let is_due = self.has_ended() || is_start_news;
        let tells_all = !self.job.is_search || self.state == State::AtEnd;
        if !is_due && self.telling.ready(tells_all) < REPORT_BYTES_MIN {
            return Vec::new();
        }
        self.told_start |= is_start_news;
        let mut out = Writer::new();
        out.varint(self.state as u64);
        out.varint(self.reader.wanted());
        out.varint(self.taken);
        out.varint(self.telling.start.map_or(0, |start| start + 1));
        let joint = self.telling.joint.unwrap_or(self.job.start);
        out.varint(joint.offset);
        out.varint(joint.rewound);
        let mut bytes = out.finish();
        if self.state == State::Nothing {
            self.telling.forget();
        }
        self.telling.take(tells_all, &mut bytes);
        bytes
    }
}

/// How much of what was told lies before the last joint.
#[derive(Clone, Copy, Default)]
struct Mark {
    rows: usize,
    damage: usize,
    damage_count: u64,
}

#[derive(Default)]
struct Telling {
    until: u64,
    row: Row,
    rows: Vec<u8>,
    damage: Vec<Damage>,
    /// Reports in `damage`, and those that were not kept.
    damage_count: u64,
    /// Damage reports kept in all, those that were taken included.
    kept: usize,
    /// Bytes of rows that were taken.
    told: usize,
    mark: Mark,
    start: Option<u64>,
    joint: Option<Joint>,
    has_ended: bool,
}

impl Telling {
    fn ready(&self, all: bool) -> usize {
        if all { self.rows.len() } else { self.mark.rows }
    }

    fn forget(&mut self) {
        self.rows.clear();
        self.damage.clear();
        self.damage_count = 0;
        self.mark = Mark::default();
    }

    fn take(&mut self, all: bool, out: &mut Vec<u8>) {
        let mark = if all {
            Mark {
                rows: self.rows.len(),
                damage: self.damage.len(),
                damage_count: self.damage_count,
            }
        } else {
            self.mark
        };
        self.mark = Mark::default();
        self.told += mark.rows;
        self.damage_count -= mark.damage_count;
        codec::push_varint(out, mark.damage_count - mark.damage as u64);
        codec::push_varint(out, mark.damage as u64);
        for damage in self.damage.drain(..mark.damage) {
            push_bytes(out, damage.code.as_bytes());
            codec::push_varint(out, damage.offset);
            codec::push_varint(out, damage.skipped);
            push_bytes(out, damage.message.as_bytes());
        }
        out.extend_from_slice(&self.rows[..mark.rows]);
        self.rows.drain(..mark.rows);
    }
}

fn push_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    codec::push_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Damage that a reading tells the first time only. It is kept beyond the limit: whether it counts shows
/// when the ranges are put together.
pub fn is_told_once(code: Code) -> bool {
    [code::GZIP_SHARED_MEMBER, code::GZIP_SPLIT_RECORD].contains(&code)
}

impl Sink for Telling {
    fn begin(&mut self, head: &WarcHead) {
        self.row.begin(head);
    }

    fn http(&mut self, head: &HttpHead) {
        self.row.http(head);
    }

    fn body(&mut self, _bytes: &[u8]) {}

    fn end(&mut self, record: &Record) {
        self.row.end(record);
        let mut rows = codec::Writer::behind(std::mem::take(&mut self.rows));
        self.row.write(&mut rows);
        self.rows = rows.finish();
    }

    fn damage(&mut self, damage: Damage) {
        self.damage_count += 1;
        if self.kept < DAMAGE_KEPT_MAX || is_told_once(damage.code) {
            self.kept += 1;
            self.damage.push(damage);
        }
    }

    fn joint(&mut self, joint: Joint) {
        self.start = self.start.or(Some(joint.offset));
        self.joint = Some(joint);
        self.mark = Mark {
            rows: self.rows.len(),
            damage: self.damage.len(),
            damage_count: self.damage_count,
        };
        self.has_ended = joint.offset >= self.until;
    }

    fn wants_body(&self) -> bool {
        false
    }

    fn is_full(&self) -> bool {
        self.has_ended
    }
}

/// A report as it arrives.
pub struct Report<'a> {
    pub state: State,
    pub position: u64,
    pub taken: u64,
    pub start: Option<u64>,
    pub joint: Joint,
    /// Damage that is counted only.
    pub uncounted: u64,
    pub damage: Vec<Damage>,
    rows: codec::Reader<'a>,
}

impl Report<'_> {
    /// `None` where the bytes are no report.
    pub fn read(bytes: &[u8]) -> Option<Report<'_>> {
        let mut from = codec::Reader::new(bytes);
        let state = *State::ALL.get(usize::try_from(from.varint()?).ok()?)?;
        let position = from.varint()?;
        let taken = from.varint()?;
        let start = from.varint()?.checked_sub(1);
        let joint = Joint {
            offset: from.varint()?,
            rewound: from.varint()?,
        };
        let uncounted = from.varint()?;
        let count = from.varint()?;
        let mut damage = Vec::new();
        for _ in 0..count {
            damage.push(Damage {
                code: code::of_damage(read_bytes(&mut from)?)?,
                offset: from.varint()?,
                skipped: from.varint()?,
                message: String::from_utf8(read_bytes(&mut from)?.to_vec()).ok()?,
            });
        }
        Some(Report {
            state,
            position,
            taken,
            start,
            joint,
            uncounted,
            damage,
            rows: from,
        })
    }

    /// Calls `visit` for each row; `None` where one breaks off.
    pub fn rows(&mut self, mut visit: impl FnMut(&Row)) -> Option<()> {
        let mut row = Row::default();
        while !self.rows.is_empty() {
            row.read(&mut self.rows)?;
            visit(&row);
        }
        Some(())
    }
}

fn read_bytes<'a>(from: &mut codec::Reader<'a>) -> Option<&'a [u8]> {
    let length = usize::try_from(from.varint()?).ok()?;
    from.take(length)
}
