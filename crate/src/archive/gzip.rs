//! Reads gzip members one after another and tells where each starts and ends.
//!
//!   file := member*      member := header deflate-data crc32:u32 size:u32
//! States: Header -> Body -> Trailer -> Header. Damage leads to Scan, which looks for the next
//! member that inflates to the start of a record; until that is certain the member is tentative
//! and nothing of it is told. Zero bytes between members are padding.
//!
//! A member may state both its lengths in an extra field named `sl`. Its rest can then be passed over
//! (`skip_rest`): Body -> Skipped -> Header. That counts only if the member ends there by its trailer, and the
//! file ends or another member begins behind it; otherwise it is read again and its field not trusted.

use memchr::memchr;
use zlib_rs::crc32::crc32;
#[cfg(not(feature = "miniz"))]
use zlib_rs::{Inflate, InflateFlush, Status};

use super::framing::Framing;
#[cfg(feature = "miniz")]
use super::inflater::{Inflate, InflateFlush, Status};
use super::members::{Scan, Step};
use crate::error::{Code, code};
use crate::limits::SKIP_MEMBER_PACKED_BYTES_MIN;

const MAGIC: [u8; 3] = [0x1f, 0x8b, 0x08];
const HEADER_BYTES: usize = 10;
const HEADER_BYTES_MAX: usize = 128 << 10;
const TRAILER_BYTES: usize = 8;
const WINDOW_BITS: u8 = 15;

const FLAG_HCRC: u8 = 2;
const FLAG_EXTRA: u8 = 4;
const FLAG_NAME: u8 = 8;
const FLAG_COMMENT: u8 = 16;
const FLAGS_RESERVED: u8 = 0xe0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Header,
    Body,
    Trailer,
    /// At the trailer of a member that was passed over.
    Skipped,
    Scan,
}

/// What the extra field of a member says of its lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Lengths {
    packed: u64,
    unpacked: u64,
}

pub struct GzipReader {
    framing: Framing,
    state: State,
    /// File offset of the next byte of input.
    position: u64,
    /// File offset of the member being read.
    member: u64,
    /// Header or trailer bytes, or matched magic, gathered over pieces of input.
    gathered: Vec<u8>,
    inflate: Inflate,
    crc: u32,
    size: u32,
    out: Vec<u8>,
    /// Bytes in `out` that belong to a tentative member, or wait for its `Start` to be told.
    held: usize,
    is_tentative: bool,
    /// The member before, if its checksum was wrong: it may have ended elsewhere than it seemed.
    suspect: Option<u64>,
    lengths: Option<Lengths>,
    /// The member whose lengths turned out to be wrong.
    distrusted: Option<u64>,
}

impl GzipReader {
    /// Reads members whatever is in them.
    pub fn new(offset: u64, step_bytes: usize) -> GzipReader {
        GzipReader::framed(Framing::Warc, offset, step_bytes)
    }

    /// Reads members that hold records of this framing, of which one is looked for after damage.
    pub fn framed(framing: Framing, offset: u64, step_bytes: usize) -> GzipReader {
        GzipReader {
            framing,
            state: State::Header,
            position: offset,
            member: offset,
            gathered: Vec::new(),
            inflate: Inflate::new(false, WINDOW_BITS),
            crc: 0,
            size: 0,
            out: vec![0; step_bytes],
            held: 0,
            is_tentative: false,
            suspect: None,
            lengths: None,
            distrusted: None,
        }
    }

    /// Goes on at `offset`, looking for a member there or after it.
    pub fn scan_from(&mut self, offset: u64) {
        self.state = State::Scan;
        self.position = offset;
        self.gathered.clear();
        self.is_tentative = false;
        self.held = 0;
    }

    /// Does one thing with the input and says how much of it was taken.
    pub fn step(&mut self, input: &[u8]) -> (usize, Step<'_>) {
        let (taken, outcome) = match self.state {
            State::Header => self.header(input),
            State::Body => self.body(input),
            State::Trailer => self.trailer(input),
            State::Skipped => self.skipped(input),
            State::Scan => self.scan(input),
        };
        self.position += taken as u64;
        (taken, self.told(outcome))
    }

    /// The end of the file: what it broke off, if anything.
    pub fn finish(&mut self) -> Option<Step<'static>> {
        if self.state == State::Skipped {
            let is_right = self.gathered.len() == TRAILER_BYTES && self.has_right_size();
            return Some(match self.verdict(is_right) {
                Outcome::End { is_sound } => Step::End {
                    end: self.position,
                    is_sound,
                },
                _ => Step::Again(self.member),
            });
        }
        let is_clean = match self.state {
            State::Header => self.gathered.is_empty(),
            State::Scan => true,
            State::Body | State::Trailer | State::Skipped => false,
        };
        (!is_clean).then(|| {
            let broken = Step::Broken {
                code: code::GZIP_TRUNCATED,
                at: self.position,
                retry: self.member + 1,
            };
            self.state = State::Scan;
            broken
        })
    }

    fn told(&mut self, outcome: Outcome) -> Step<'_> {
        match outcome {
            Outcome::Hungry => Step::Hungry,
            Outcome::Start => Step::Start {
                offset: self.member,
            },
            Outcome::Data(bytes) => Step::Data(&self.out[..bytes]),
            // What is gathered already belongs to the next member.
            Outcome::End { is_sound } => Step::End {
                end: self.position - self.gathered.len() as u64,
                is_sound,
            },
            Outcome::Again => Step::Again(self.member),
            Outcome::Broken(code) => {
                self.state = State::Scan;
                let member = self
                    .suspect
                    .take()
                    .filter(|_| code == code::GZIP_GARBAGE)
                    .unwrap_or(self.member);
                Step::Broken {
                    code,
                    at: self.position,
                    retry: member + 1,
                }
            }
        }
    }

    fn header(&mut self, input: &[u8]) -> (usize, Outcome) {
        if input.is_empty() {
            return (0, Outcome::Hungry);
        }
        if self.gathered.is_empty() {
            let padding = input.iter().take_while(|&&byte| byte == 0).count();
            if padding > 0 {
                return (padding, Outcome::Hungry);
            }
            self.member = self.position;
        }
        let before = self.gathered.len();
        // Almost every header is whole in the input; only then is nothing copied.
        let whole = if before == 0 {
            header_bytes(input)
        } else {
            self.gather_header(input)
        };
        match whole {
            Err(()) => (input.len().min(1), Outcome::Broken(code::GZIP_GARBAGE)),
            Ok(None) => {
                if before == 0 {
                    self.gathered.extend_from_slice(input);
                }
                (input.len(), Outcome::Hungry)
            }
            Ok(Some(length)) => {
                let header = if before == 0 { input } else { &self.gathered };
                let is_trusted = self.distrusted != Some(self.member) && !self.is_tentative;
                self.lengths = stated_lengths(header).filter(|_| is_trusted);
                self.gathered.clear();
                self.inflate.reset(false);
                self.crc = 0;
                self.size = 0;
                self.held = 0;
                self.state = State::Body;
                let outcome = if self.is_tentative {
                    Outcome::Hungry
                } else {
                    Outcome::Start
                };
                (length.saturating_sub(before), outcome)
            }
        }
    }

    fn gather_header(&mut self, input: &[u8]) -> Result<Option<usize>, ()> {
        if self.gathered.len() > HEADER_BYTES_MAX {
            return Err(());
        }
        self.gathered
            .extend_from_slice(&input[..input.len().min(HEADER_BYTES_MAX)]);
        header_bytes(&self.gathered)
    }

    fn body(&mut self, input: &[u8]) -> (usize, Outcome) {
        if self.held > 0 && !self.is_tentative {
            let held = std::mem::take(&mut self.held);
            return (0, Outcome::Data(held));
        }
        let (taken_before, made_before) = (self.inflate.total_in(), self.inflate.total_out());
        let status =
            self.inflate
                .decompress(input, &mut self.out[self.held..], InflateFlush::NoFlush);
        let taken = usize::try_from(self.inflate.total_in() - taken_before).unwrap_or(input.len());
        let made = usize::try_from(self.inflate.total_out() - made_before).unwrap_or(0);
        let fresh = &self.out[self.held..self.held + made];
        self.crc = crc32(self.crc, fresh);
        // The trailer states the size modulo 2^32.
        self.size = self.size.wrapping_add(u32::try_from(made).unwrap_or(0));
        // What was inflated before the damage is told first; the damage comes again with the next step.
        if status.is_err() && made == 0 {
            return (taken, Outcome::Broken(code::GZIP_BAD_DATA));
        }
        let is_end = status == Ok(Status::StreamEnd);
        if is_end {
            self.state = State::Trailer;
        }
        if self.is_tentative {
            return (taken, self.weigh(made, is_end));
        }
        if made > 0 {
            return (taken, Outcome::Data(made));
        }
        // Input that brings nothing on cannot happen with sound data; it must not loop.
        let is_stuck = taken == 0 && !input.is_empty() && !is_end;
        (
            taken,
            if is_stuck {
                Outcome::Broken(code::GZIP_BAD_DATA)
            } else {
                Outcome::Hungry
            },
        )
    }

    /// Decides whether a tentative member is one: it must begin with a record.
    fn weigh(&mut self, made: usize, is_end: bool) -> Outcome {
        self.held += made;
        match self.framing.begins_record(&self.out[..self.held]) {
            Some(true) => {
                self.is_tentative = false;
                self.state = State::Body;
                Outcome::Start
            }
            None if !is_end && self.held < self.out.len() => Outcome::Hungry,
            _ => Outcome::Broken(code::GZIP_GARBAGE),
        }
    }

    fn trailer(&mut self, input: &[u8]) -> (usize, Outcome) {
        let taken = input.len().min(TRAILER_BYTES - self.gathered.len());
        self.gathered.extend_from_slice(&input[..taken]);
        if self.gathered.len() < TRAILER_BYTES {
            return (taken, Outcome::Hungry);
        }
        let stated = |at: usize| {
            let mut word = [0; 4];
            word.copy_from_slice(&self.gathered[at..at + 4]);
            u32::from_le_bytes(word)
        };
        let is_sound = stated(0) == self.crc && stated(4) == self.size;
        self.gathered.clear();
        self.suspect = (!is_sound).then_some(self.member);
        self.state = State::Header;
        (taken, Outcome::End { is_sound })
    }

    /// How long the member says that it is, inflated.
    pub fn unpacked(&self) -> Option<u64> {
        let is_inside = self.state == State::Body && self.held == 0;
        let end = |lengths: Lengths| self.member + lengths.packed;
        let is_ahead = |lengths: &Lengths| {
            lengths.packed >= SKIP_MEMBER_PACKED_BYTES_MIN
                && end(*lengths) > self.position + TRAILER_BYTES as u64
        };
        let lengths = self.lengths.filter(is_ahead).filter(|_| is_inside);
        lengths.map(|lengths| lengths.unpacked)
    }

    /// Passes over the rest of the member; returns where to go on.
    pub fn skip_rest(&mut self) -> u64 {
        let packed = self.lengths.map_or(0, |lengths| lengths.packed);
        self.position = self.member + packed - TRAILER_BYTES as u64;
        self.state = State::Skipped;
        self.gathered.clear();
        self.position
    }

    /// Reads a member again without what it says of its lengths.
    pub fn again(&mut self, member: u64) {
        self.distrusted = Some(member);
        self.state = State::Header;
        self.position = member;
        self.gathered.clear();
    }

    fn skipped(&mut self, input: &[u8]) -> (usize, Outcome) {
        let due = TRAILER_BYTES + MAGIC.len();
        let taken = input.len().min(due - self.gathered.len());
        self.gathered.extend_from_slice(&input[..taken]);
        if self.gathered.len() < due {
            return (taken, Outcome::Hungry);
        }
        let is_right = self.has_right_size() && self.gathered[TRAILER_BYTES..] == MAGIC;
        (taken, self.verdict(is_right))
    }

    fn has_right_size(&self) -> bool {
        let size = self.gathered[4..TRAILER_BYTES].first_chunk();
        let stated = size.map(|size| u64::from(u32::from_le_bytes(*size)));
        self.lengths.map(|lengths| lengths.unpacked) == stated
    }

    fn verdict(&mut self, is_right: bool) -> Outcome {
        if !is_right {
            return Outcome::Again;
        }
        // The beginning of the next member was looked at already.
        self.gathered.drain(..TRAILER_BYTES);
        self.member += self.lengths.map_or(0, |lengths| lengths.packed);
        self.state = State::Header;
        self.suspect = None;
        Outcome::End { is_sound: true }
    }

    fn scan(&mut self, input: &[u8]) -> (usize, Outcome) {
        let scan = Scan::of(&MAGIC, &mut self.gathered, input);
        if let Some(at) = scan.begin {
            self.member = self.position + at as u64;
        }
        if scan.is_found {
            self.state = State::Header;
            self.is_tentative = true;
        }
        (scan.taken, Outcome::Hungry)
    }
}

enum Outcome {
    Hungry,
    Start,
    Data(usize),
    End {
        is_sound: bool,
    },
    Broken(Code),
    /// The member must be read again.
    Again,
}

/// Lengths that a whole header states in its extra field.
fn stated_lengths(header: &[u8]) -> Option<Lengths> {
    if header.get(3)? & FLAG_EXTRA == 0 {
        return None;
    }
    let [low, high] = *header.get(HEADER_BYTES..)?.first_chunk()?;
    let end = HEADER_BYTES + 2 + usize::from(u16::from_le_bytes([low, high]));
    let mut rest = header.get(HEADER_BYTES + 2..end)?;
    while let Some((&[first, second, low, high], after)) = rest.split_first_chunk() {
        let length = usize::from(u16::from_le_bytes([low, high]));
        let (value, after) = after.split_at_checked(length)?;
        if let (b"sl", &[a, b, c, d, e, f, g, h]) = (&[first, second], value) {
            return Some(Lengths {
                packed: u64::from(u32::from_le_bytes([a, b, c, d])),
                unpacked: u64::from(u32::from_le_bytes([e, f, g, h])),
            });
        }
        rest = after;
    }
    None
}

/// Length of the header at the start of `bytes`: `None` while it is not whole, an error where it is none.
fn header_bytes(bytes: &[u8]) -> Result<Option<usize>, ()> {
    let known = bytes.len().min(MAGIC.len());
    if bytes[..known] != MAGIC[..known] {
        return Err(());
    }
    let Some(&flags) = bytes.get(3) else {
        return Ok(None);
    };
    if flags & FLAGS_RESERVED != 0 {
        return Err(());
    }
    let mut length = HEADER_BYTES;
    if flags & FLAG_EXTRA != 0 {
        let Some(&[low, high]) = bytes
            .get(length..length + 2)
            .and_then(|two| two.first_chunk())
        else {
            return Ok(None);
        };
        length += 2 + usize::from(u16::from_le_bytes([low, high]));
    }
    for flag in [FLAG_NAME, FLAG_COMMENT] {
        if flags & flag != 0 {
            let Some(text) = bytes.get(length..) else {
                return Ok(None);
            };
            let Some(end) = memchr(0, text) else {
                return if bytes.len() > HEADER_BYTES_MAX {
                    Err(())
                } else {
                    Ok(None)
                };
            };
            length += end + 1;
        }
    }
    if flags & FLAG_HCRC != 0 {
        length += 2;
    }
    Ok((bytes.len() >= length).then_some(length))
}
