//! Reads an archive from pushed bytes: finds its records and its damage, and goes on after damage.
//!
//! The host feeds the bytes at [`Reader::wanted`] until the file ends, then calls [`Reader::finish`].
//! `wanted` usually moves on by what was taken. It jumps forward over blocks that nobody asked for,
//! and back where damage must be looked at again: a length that ran over the next record, a member
//! that broke off. Going back is bounded, so that no file takes more than a few times its own length.

use super::gzip::{GzipReader, Step};
use super::machine::{Flow, Machine};
use super::record::Sink;
use crate::error::{Code, Damage, code};
use crate::limits::{INFLATE_STEP_BYTES, INFLATE_STEP_BYTES_EXTRACT, REWIND_BYTES_MIN};

/// How the records are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// As they are.
    Plain,
    /// In gzip members, normally one each.
    Gzip,
}

/// A member that broke, told when it is known where reading went on.
struct Break {
    code: Code,
    at: u64,
    member: u64,
}

pub struct Reader {
    gzip: Option<GzipReader>,
    machine: Machine,
    position: u64,
    furthest: u64,
    rewound: u64,
    can_seek: bool,
    broken: Option<Break>,
    member: u64,
    /// Bytes of the inflated member before the record that is wanted.
    skip: u64,
    inner: u64,
}

impl Reader {
    /// A reader of a whole archive from a source that can seek.
    pub fn new(container: Container) -> Reader {
        Reader::at(container, 0, 0, INFLATE_STEP_BYTES)
    }

    /// A reader of one record at a known place: made for bodies that are decoded a second time.
    pub fn of_record(container: Container, offset: u64, skip: u64) -> Reader {
        Reader::at(container, offset, skip, INFLATE_STEP_BYTES_EXTRACT)
    }

    fn at(container: Container, offset: u64, skip: u64, step_bytes: usize) -> Reader {
        Reader {
            gzip: (container == Container::Gzip).then(|| GzipReader::new(offset, step_bytes)),
            machine: Machine::new(container == Container::Plain),
            position: offset,
            furthest: offset,
            rewound: 0,
            can_seek: true,
            broken: None,
            member: offset,
            skip,
            inner: 0,
        }
    }

    /// For sources that only go forward: damage then costs what lies behind it.
    pub fn forbid_seek(&mut self) {
        self.can_seek = false;
        self.machine.forbid_skip();
    }

    /// File offset of the bytes that must be fed next.
    pub fn wanted(&self) -> u64 {
        self.position
    }

    /// States how long the block of the record at `offset` really is, as an index found out.
    pub fn set_block_length(&mut self, offset: u64, bytes: u64) {
        self.machine.set_block_length(offset, bytes);
    }

    /// Takes the bytes at `wanted`. Returns how many were taken: fewer than given where the sink is
    /// full or the next bytes lie elsewhere.
    pub fn feed(&mut self, bytes: &[u8], sink: &mut dyn Sink) -> usize {
        let base = self.position;
        let mut at = 0;
        loop {
            let rest = &bytes[at..];
            let taken = if self.gzip.is_some() {
                self.feed_gzip(rest, sink)
            } else {
                self.feed_plain(rest, sink)
            };
            // Within these bytes, back and forth are free.
            match self
                .position
                .checked_sub(base)
                .and_then(|moved| usize::try_from(moved).ok())
            {
                Some(moved) if moved <= bytes.len() => at = moved,
                _ => return at + taken,
            }
            self.furthest = self.furthest.max(self.position);
            if at == bytes.len() || sink.is_full() {
                return at;
            }
        }
    }

    /// The file ends at `end`. Returns false where bytes at `wanted` must be looked at again first.
    pub fn finish(&mut self, end: u64, sink: &mut dyn Sink) -> bool {
        let end = end.min(self.position);
        if let Some(gzip) = &mut self.gzip {
            if let Some(Step::Broken { code, at, retry }) = gzip.finish() {
                self.break_off(code, at, retry - 1);
                if self.rewind(retry) {
                    if let Some(gzip) = &mut self.gzip {
                        gzip.scan_from(retry);
                    }
                    return false;
                }
            }
            self.mend(end, sink);
            self.machine.finish(end, sink);
            return true;
        }
        match self.machine.finish(end, sink) {
            Flow::Rewind(to) if self.rewind(to) => {
                self.machine.restart(to, sink);
                false
            }
            Flow::Rewind(_) => {
                self.machine.give_up(end, sink);
                true
            }
            _ => true,
        }
    }

    fn feed_plain(&mut self, bytes: &[u8], sink: &mut dyn Sink) -> usize {
        let (taken, flow) = self.machine.data(bytes, self.position, sink);
        self.position += taken as u64;
        match flow {
            Flow::On => {}
            Flow::Skip(to) => self.position = to,
            Flow::Rewind(to) => {
                self.furthest = self.furthest.max(self.position);
                if self.rewind(to) {
                    self.machine.restart(to, sink);
                } else {
                    self.machine.give_up(self.position, sink);
                }
            }
        }
        taken
    }

    fn feed_gzip(&mut self, bytes: &[u8], sink: &mut dyn Sink) -> usize {
        let mut taken = 0;
        while let Some(gzip) = &mut self.gzip {
            let (count, step) = gzip.step(&bytes[taken..]);
            taken += count;
            self.position += count as u64;
            match step {
                Step::Hungry if taken == bytes.len() => break,
                Step::Hungry => {}
                Step::Start { offset } => {
                    self.member = offset;
                    self.inner = 0;
                    self.mend(offset, sink);
                    self.machine.member_start(offset);
                }
                Step::Data(data) => {
                    let start = self.inner;
                    self.inner += data.len() as u64;
                    let unwanted =
                        usize::try_from(self.skip.saturating_sub(start)).unwrap_or(usize::MAX);
                    let unwanted = unwanted.min(data.len());
                    let place = start + unwanted as u64;
                    self.machine.member_data(&data[unwanted..], place, sink);
                }
                Step::End { end, is_sound } => {
                    self.skip = 0;
                    self.machine.member_end(end, sink);
                    if !is_sound {
                        sink.damage(Damage {
                            code: code::GZIP_BAD_CHECKSUM,
                            offset: self.member,
                            skipped: 0,
                            message: "the checksum of this gzip member does not fit its content"
                                .into(),
                        });
                    }
                }
                Step::Broken { code, at, retry } => {
                    self.break_off(code, at, retry - 1);
                    self.furthest = self.furthest.max(self.position);
                    let from = if self.rewind(retry) {
                        retry
                    } else {
                        self.position
                    };
                    if let Some(gzip) = &mut self.gzip {
                        gzip.scan_from(from);
                    }
                    break;
                }
            }
            if sink.is_full() {
                break;
            }
        }
        taken
    }

    /// Whether reading may go back to `to`; if so, it does.
    fn rewind(&mut self, to: u64) -> bool {
        let again = self.furthest.max(self.position).saturating_sub(to);
        let budget = REWIND_BYTES_MIN.saturating_add(self.furthest.saturating_mul(2));
        if !self.can_seek || self.rewound.saturating_add(again) > budget {
            return false;
        }
        self.rewound += again;
        self.position = to;
        true
    }

    fn break_off(&mut self, code: Code, at: u64, member: u64) {
        // Members that turn out to be none while the next one is looked for are no further damage.
        if self.broken.is_none() {
            // Where inside the member damage shows depends on how the input was cut; where it starts does not.
            let at = if code == code::GZIP_TRUNCATED {
                at
            } else {
                member
            };
            self.broken = Some(Break { code, at, member });
        }
    }

    /// Tells of the break, once it is known that reading goes on at `resumed`.
    fn mend(&mut self, resumed: u64, sink: &mut dyn Sink) {
        let Some(broken) = self.broken.take() else {
            return;
        };
        let had_record = self.machine.member_broken(resumed, sink);
        let message = match broken.code {
            code::GZIP_TRUNCATED => "the file ends in the middle of this gzip member",
            code::GZIP_GARBAGE => "bytes that are no gzip member",
            _ => "the compressed data is damaged",
        };
        sink.damage(Damage {
            code: broken.code,
            offset: broken.at,
            skipped: if had_record {
                0
            } else {
                resumed.saturating_sub(broken.member)
            },
            message: message.into(),
        });
    }
}
