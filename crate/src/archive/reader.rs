//! Reads an archive from pushed bytes: finds its records and its damage, and goes on after damage.
//!
//! The host feeds the bytes at [`Reader::wanted`] until the file ends, then calls [`Reader::finish`].
//! `wanted` usually moves on by what was taken. It jumps forward over blocks that nobody asked for,
//! and back where damage must be looked at again: a length that ran over the next record, a member
//! that broke off. Going back is bounded, so that no file takes more than a few times its own length.

use super::framing::Framing;
use super::gzip::GzipReader;
use super::machine::{Flow, Machine};
use super::members::{Members, Step, broken_words};
use super::record::{Joint, Sink};
#[cfg(feature = "tools")]
use super::zstd::ZstdReader;
use crate::error::{Code, Damage, code};
use crate::limits::{INFLATE_STEP_BYTES, INFLATE_STEP_BYTES_EXTRACT, REWIND_BYTES_MIN};

/// How the records are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// As they are.
    Plain,
    /// In gzip members, normally one each.
    Gzip,
    /// In Zstandard frames, one or several each.
    #[cfg(feature = "tools")]
    Zstd,
}

/// A member that broke, told when it is known where reading went on.
struct Break {
    code: Code,
    at: u64,
    member: u64,
}

/// What a reader knows of the file before the place where it began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Past {
    /// All: it read that, or was told of it.
    Known,
    /// Nothing; it looks for a member at or after `from`.
    Searching { from: u64 },
    /// Nothing; it began with the member at `start`.
    Unknown { start: u64 },
}

pub struct Reader {
    members: Option<Members>,
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
    past: Past,
    is_lost: bool,
}

impl Reader {
    /// A reader of a whole WARC archive from a source that can seek.
    pub fn new(container: Container) -> Reader {
        Reader::framed(Framing::Warc, container)
    }

    /// A reader of a whole archive of either framing.
    pub fn framed(framing: Framing, container: Container) -> Reader {
        Reader::at(framing, container, 0, 0, INFLATE_STEP_BYTES)
    }

    /// A reader of a whole archive that is not compressed, of which the size may be known.
    pub fn plain(framing: Framing, size: Option<u64>) -> Reader {
        let mut reader = Reader::framed(framing, Container::Plain);
        reader.machine.set_file_end(size.unwrap_or(u64::MAX));
        reader
    }

    /// A reader of one record at a known place: made for bodies that are decoded a second time.
    pub fn of_record(framing: Framing, container: Container, offset: u64, skip: u64) -> Reader {
        let step_bytes = INFLATE_STEP_BYTES_EXTRACT;
        Reader::at(framing, container, offset, skip, step_bytes)
    }

    fn at(
        framing: Framing,
        container: Container,
        offset: u64,
        skip: u64,
        step_bytes: usize,
    ) -> Reader {
        let (members, position) = match container {
            Container::Plain => (None, offset),
            Container::Gzip => {
                let reader = GzipReader::framed(framing, offset, step_bytes);
                (Some(Members::Gzip(Box::new(reader))), offset)
            }
            // The dictionary at the start of the file comes first.
            #[cfg(feature = "tools")]
            Container::Zstd => {
                let reader = ZstdReader::new(framing, offset, step_bytes);
                (Some(Members::Zstd(Box::new(reader))), 0)
            }
        };
        let may_span = members.as_ref().is_some_and(Members::may_span);
        Reader {
            machine: Machine::new(framing, members.is_none(), may_span),
            members,
            position,
            furthest: offset,
            rewound: 0,
            can_seek: true,
            broken: None,
            member: offset,
            skip,
            inner: 0,
            past: Past::Known,
            is_lost: false,
        }
    }

    /// A reader that goes on at a joint of another one's reading, and does all that the other would do.
    pub fn resumed(joint: Joint) -> Reader {
        let mut reader = Reader::at(
            Framing::Warc,
            Container::Gzip,
            joint.offset,
            0,
            INFLATE_STEP_BYTES,
        );
        reader.rewound = joint.rewound;
        reader
    }

    /// The same in a file that is not compressed, of which the size may be known.
    pub fn resumed_plain(framing: Framing, size: Option<u64>, joint: Joint) -> Reader {
        let mut reader = Reader::at(
            framing,
            Container::Plain,
            joint.offset,
            0,
            INFLATE_STEP_BYTES,
        );
        reader.rewound = joint.rewound;
        reader.machine.set_file_end(size.unwrap_or(u64::MAX));
        reader.machine.set_reread(joint.rewound, joint.offset);
        reader
    }

    /// States what was told of the file once already, and is not to be told again.
    pub fn set_told(&mut self, has_told_shared: bool, has_told_split: bool) {
        self.machine.set_told(has_told_shared, has_told_split);
    }

    /// A reader that begins with the first member at or after `from` in which a WARC record begins. It may be
    /// wrong: payloads can contain members. It is right if another one's reading has a joint there at
    /// which `may_join` holds.
    pub fn searching(from: u64) -> Reader {
        let mut reader = Reader::at(Framing::Warc, Container::Gzip, from, 0, INFLATE_STEP_BYTES);
        reader.past = Past::Searching { from };
        if let Some(members) = &mut reader.members {
            members.scan_from(from);
        }
        reader
    }

    /// Whether a reader that found the member at `joint` by searching does what the one that came to the
    /// joint would do. How much may be read again depends on what lies before: those before may have used
    /// what their bytes earned, which leaves to those after what theirs earn.
    pub fn may_join(joint: Joint) -> bool {
        joint.rewound <= joint.offset.saturating_mul(2)
    }

    /// Whether the first member is still being looked for.
    pub fn is_searching(&self) -> bool {
        matches!(self.past, Past::Searching { .. })
    }

    /// Whether it came to where it had to know what lies before: what it told since its last joint may be wrong.
    pub fn is_lost(&self) -> bool {
        self.is_lost
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
            let taken = if self.members.is_some() {
                self.feed_members(rest, sink)
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
        // What a length that is too long passed over beyond the end was never read.
        self.position = self.position.min(end);
        self.furthest = self.furthest.min(end);
        let end = self.position;
        if self.members.is_some() {
            if !self.finish_members(sink) {
                return false;
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

    /// What the end of the file means for the member being read. False where bytes must be looked at first.
    fn finish_members(&mut self, sink: &mut dyn Sink) -> bool {
        if self.members.as_ref().is_some_and(Members::is_busy) {
            let _ = self.feed_members(&[], sink);
            if self.members.as_ref().is_some_and(Members::is_busy) {
                return false;
            }
        }
        while let Some(members) = &mut self.members {
            match members.finish() {
                Some(Step::Data(data)) => {
                    let place = self.inner;
                    self.inner += data.len() as u64;
                    let wanted = unskipped(data, self.skip, place);
                    let place = place + (data.len() - wanted.len()) as u64;
                    self.machine.member_data(wanted, place, sink);
                }
                Some(Step::End { end, .. }) => self.machine.member_end(end, sink),
                Some(Step::Again(member)) => {
                    self.read_again(member, sink);
                    return false;
                }
                Some(Step::Broken { code, at, retry }) => {
                    self.break_off(code, at, retry - 1);
                    if !self.rewind(retry) {
                        break;
                    }
                    if let Some(members) = &mut self.members {
                        members.scan_from(retry);
                    }
                    return false;
                }
                _ => break,
            }
        }
        true
    }

    /// Passes over the rest of the member where it says how long it is, and nobody wants what is in it.
    fn pass_over(&mut self, sink: &mut dyn Sink) -> bool {
        let Some(members) = self.members.as_mut().filter(|_| self.can_seek) else {
            return false;
        };
        let Some(unpacked) = members.unpacked() else {
            return false;
        };
        if sink.wants_body() || !self.machine.pass_over(unpacked) {
            return false;
        }
        self.position = members.skip_rest().unwrap_or(self.position);
        true
    }

    /// Looks for members inside the one that was read last, which was more than its record.
    fn look_again(&mut self) {
        self.furthest = self.furthest.max(self.position);
        let inside = self.member + 1;
        if self.rewind(inside)
            && let Some(members) = &mut self.members
        {
            members.scan_from(inside);
        }
    }

    /// A member that was passed over is to be read after all.
    fn read_again(&mut self, member: u64, sink: &mut dyn Sink) {
        self.furthest = self.furthest.max(self.position);
        let can_read = self.rewind(member);
        let Some(members) = &mut self.members else {
            return;
        };
        if can_read {
            self.machine.restart(member, sink);
            members.again(member);
        } else {
            members.scan_from(self.position);
            self.break_off(code::GZIP_BAD_DATA, self.position, member);
        }
    }

    fn feed_members(&mut self, bytes: &[u8], sink: &mut dyn Sink) -> usize {
        let mut taken = 0;
        while let Some(members) = &mut self.members {
            let (count, step) = members.step(&bytes[taken..]);
            taken += count;
            self.position += count as u64;
            match step {
                Step::Hungry if taken == bytes.len() => break,
                Step::Hungry | Step::Busy => {}
                Step::Elsewhere(to) => {
                    self.position = to;
                    break;
                }
                Step::Start { offset } => {
                    self.start_member(offset, sink);
                }
                Step::Data(data) => {
                    let place = self.inner;
                    self.inner += data.len() as u64;
                    let wanted = unskipped(data, self.skip, place);
                    let place = place + (data.len() - wanted.len()) as u64;
                    self.machine.member_data(wanted, place, sink);
                    if self.pass_over(sink) {
                        break;
                    }
                }
                Step::Again(member) => {
                    self.read_again(member, sink);
                    break;
                }
                Step::End { end, is_sound } => {
                    let code = members.bad_checksum();
                    let may_end_elsewhere = members.may_end_elsewhere();
                    self.skip = 0;
                    self.machine.member_end(end, sink);
                    if !is_sound {
                        sink.damage(Damage {
                            code,
                            offset: self.member,
                            skipped: 0,
                            message:
                                "the checksum of this compressed member does not fit its content"
                                    .into(),
                        });
                    }
                    // It may have run over the next frames.
                    if may_end_elsewhere && self.machine.is_in_garbage() {
                        self.look_again();
                        break;
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
                    if let Some(members) = &mut self.members {
                        members.scan_from(from);
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

    fn start_member(&mut self, offset: u64, sink: &mut dyn Sink) {
        self.member = offset;
        self.inner = 0;
        if self.is_searching() {
            // What was looked at in vain is no damage, and costs the file nothing.
            self.past = Past::Unknown { start: offset };
            self.broken = None;
            self.rewound = 0;
            self.furthest = offset;
        }
        self.mend(offset, sink);
        let is_joint = self.machine.is_between() && self.furthest <= self.position;
        if is_joint && !self.is_lost {
            let rewound = self.rewound;
            sink.joint(Joint { offset, rewound });
        }
        self.machine.member_start(offset);
    }

    /// Bytes that may be read again, as far as this reader can tell.
    fn allowance(&self) -> u64 {
        // Together with what `may_join` grants to those before, this is never more than a whole file's.
        let (Past::Searching { from } | Past::Unknown { start: from }) = self.past else {
            return REWIND_BYTES_MIN.saturating_add(self.furthest.saturating_mul(2));
        };
        REWIND_BYTES_MIN.saturating_add(self.furthest.saturating_sub(from).saturating_mul(2))
    }

    /// Whether reading may go back to `to`; if so, it does.
    fn rewind(&mut self, to: u64) -> bool {
        let again = self.furthest.max(self.position).saturating_sub(to);
        let is_allowed = self.rewound.saturating_add(again) <= self.allowance();
        if !self.can_seek || !is_allowed {
            self.is_lost |= matches!(self.past, Past::Unknown { .. });
            return false;
        }
        self.rewound += again;
        self.machine.set_reread(self.rewound, self.furthest);
        self.position = to;
        true
    }

    fn break_off(&mut self, code: Code, at: u64, member: u64) {
        // Members that turn out to be none while the next one is looked for are no further damage.
        if self.broken.is_none() {
            // Where inside the member damage shows depends on how the input was cut; where it starts does not.
            let at = if matches!(code, code::GZIP_TRUNCATED | code::ZSTD_TRUNCATED) {
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
        let message = broken_words(broken.code);
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

/// What of the data at `place` in its member lies at or after `skip`.
fn unskipped(data: &[u8], skip: u64, place: u64) -> &[u8] {
    let unwanted = usize::try_from(skip.saturating_sub(place)).unwrap_or(usize::MAX);
    &data[unwanted.min(data.len())..]
}
