//! Reads Zstandard frames one after another and tells where each starts and ends, as `.warc.zst` files have them.
//!
//!   file := [dictionary] (frame | extension)*        frame := magic header block* [xxh64:u32]
//!   dictionary := 0x184D2A5D size:u32 (dictionary | frame that holds one)     at the start of the file only
//!   extension := 0x184D2A50..5F size:u32 byte*        block := header:u24 byte*
//! States: Magic -> Header -> Block -> Drain -> Block or Checksum -> Magic. Damage leads to Scan, which looks
//! for the next frame that decodes to the start of a record; until that is certain the frame is tentative
//! and nothing of it is told. Zero bytes between frames are padding.
//!
//! Frames are taken apart here, and only blocks are given to the decoder: it wants whole blocks, and with a
//! header of our own it never keeps more than the limit allows. It reserves the window of that header at once, so a
//! large window is stated smaller there, and what it gives too early is not taken: what it keeps grows by itself.

use std::io::Read;

use ruzstd::decoding::{Dictionary, FrameDecoder};
use xxhash_rust::xxh64::Xxh64;

use super::framing::Framing;
use super::members::{Scan, Step};
use crate::error::{Code, code};
use crate::limits::{ZSTD_DICTIONARY_BYTES_MAX, ZSTD_RESERVED_LOG, ZSTD_WINDOW_BYTES_MAX};

const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
const DICTIONARY_MAGIC: u32 = 0x184d_2a5d;
const EXTENSION_MAGIC: u32 = 0x184d_2a50;
const WINDOW_LOG_MIN: u8 = 10;
const BLOCK_BYTES_MAX: usize = 128 << 10;
const BLOCK_HEADER_BYTES: usize = 3;
/// A last block without content.
const LAST_BLOCK: [u8; 3] = [1, 0, 0];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Magic,
    /// The dictionary at the start of the file.
    Dictionary {
        bytes: usize,
    },
    Extension {
        left: u64,
    },
    Header,
    Block,
    /// The last block given to the decoder is being taken from it.
    Drain {
        is_last: bool,
    },
    /// The frame broke, and what was decoded is being taken.
    Salvage,
    Checksum,
    Scan,
}

/// What the header of a frame says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header {
    window_bytes: u64,
    content_bytes: Option<u64>,
    dictionary: u32,
    has_checksum: bool,
}

pub struct ZstdReader {
    framing: Framing,
    state: State,
    /// File offset of the next byte of input.
    position: u64,
    /// File offset of the frame being read.
    member: u64,
    /// A piece of the frame, gathered over pieces of input.
    gathered: Vec<u8>,
    header: Header,
    decoder: FrameDecoder,
    /// Windows as the decoder has it and as the frame asks for.
    reserved: usize,
    window: usize,
    dictionary: Option<u32>,
    /// Where reading begins once the dictionary is known.
    begin: Option<u64>,
    hash: Xxh64,
    size: u64,
    out: Vec<u8>,
    /// Bytes in `out` that belong to a tentative frame, or wait for its `Start` to be told.
    held: usize,
    is_tentative: bool,
    /// The frame before, unless a checksum proves it: it may have ended elsewhere than it seemed.
    suspect: Option<u64>,
}

enum Outcome {
    Hungry,
    Start,
    Data(usize),
    End { is_sound: bool },
    Broken(Code),
    Elsewhere(u64),
}

impl ZstdReader {
    /// A reader that begins at `offset`, after it has looked for a dictionary at the start of the file.
    pub fn new(framing: Framing, offset: u64, step_bytes: usize) -> ZstdReader {
        ZstdReader {
            framing,
            state: State::Magic,
            position: 0,
            member: 0,
            gathered: Vec::new(),
            header: Header {
                window_bytes: 0,
                content_bytes: None,
                dictionary: 0,
                has_checksum: false,
            },
            decoder: FrameDecoder::new(),
            reserved: 0,
            window: 0,
            dictionary: None,
            begin: (offset > 0).then_some(offset),
            hash: Xxh64::new(0),
            size: 0,
            out: vec![0; step_bytes],
            held: 0,
            is_tentative: false,
            suspect: None,
        }
    }

    /// Goes on at `offset`, looking for a frame there or after it.
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
            State::Magic => self.magic(input),
            State::Dictionary { bytes } => self.dictionary(input, bytes),
            State::Extension { left } => self.extension(input, left),
            State::Header => self.header(input),
            State::Block => self.block(input),
            State::Drain { is_last: true } => (0, self.drain(State::Checksum)),
            State::Drain { is_last: false } => (0, self.drain(State::Block)),
            State::Salvage => (0, self.salvaging(code::ZSTD_BAD_DATA)),
            State::Checksum => self.checksum(input),
            State::Scan => self.scan(input),
        };
        self.position += taken as u64;
        let step = match outcome {
            Outcome::Hungry if self.is_busy() => Step::Busy,
            Outcome::Hungry => Step::Hungry,
            Outcome::Start => Step::Start {
                offset: self.member,
            },
            Outcome::Data(bytes) => Step::Data(&self.out[..bytes]),
            Outcome::End { is_sound } => Step::End {
                end: self.position,
                is_sound,
            },
            Outcome::Broken(code) => {
                self.state = State::Scan;
                let suspect = self.suspect.take();
                let member = suspect.filter(|_| code == code::ZSTD_GARBAGE);
                Step::Broken {
                    code,
                    at: self.position,
                    retry: member.unwrap_or(self.member) + 1,
                }
            }
            Outcome::Elsewhere(to) => {
                self.position = to;
                Step::Elsewhere(to)
            }
        };
        (taken, step)
    }

    /// The end of the file: what it broke off, if anything; after what was decoded of that.
    pub fn finish(&mut self) -> Option<Step<'_>> {
        match self.state {
            State::Magic if self.gathered.is_empty() => return None,
            State::Scan => return None,
            State::Block => {
                let _ = self.salvage();
            }
            _ => {}
        }
        if self.state == State::Salvage
            && let Outcome::Data(bytes) = self.salvaging(code::ZSTD_TRUNCATED)
        {
            return Some(Step::Data(&self.out[..bytes]));
        }
        self.state = State::Scan;
        Some(Step::Broken {
            code: code::ZSTD_TRUNCATED,
            at: self.position,
            retry: self.member + 1,
        })
    }

    /// Whether there is something to do without input.
    pub fn is_busy(&self) -> bool {
        match self.state {
            State::Drain { .. } | State::Salvage => true,
            State::Checksum => !self.header.has_checksum,
            _ => false,
        }
    }

    /// Whether a checksum proves the frame that ended last.
    pub fn is_proven(&self) -> bool {
        self.suspect.is_none()
    }

    fn salvaging(&mut self, code: Code) -> Outcome {
        if self.is_tentative {
            return Outcome::Broken(code::ZSTD_GARBAGE);
        }
        match self.drain(State::Salvage) {
            Outcome::Data(bytes) => Outcome::Data(bytes),
            _ => Outcome::Broken(code),
        }
    }

    /// Adds input to what is gathered, until that is `bytes` long.
    fn gather(&mut self, input: &[u8], bytes: usize) -> usize {
        let taken = input.len().min(bytes.saturating_sub(self.gathered.len()));
        self.gathered.extend_from_slice(&input[..taken]);
        taken
    }

    /// The dictionary is known, or there is none: reading begins where it is to begin.
    fn begin(&mut self, taken: usize, otherwise: Outcome) -> (usize, Outcome) {
        self.gathered.clear();
        let outcome = self.begin.take().map_or(otherwise, Outcome::Elsewhere);
        (taken, outcome)
    }

    fn magic(&mut self, input: &[u8]) -> (usize, Outcome) {
        if self.gathered.is_empty() {
            let padding = input.iter().take_while(|&&byte| byte == 0).count();
            if padding > 0 {
                return (padding, Outcome::Hungry);
            }
            self.member = self.position;
        }
        let has_size = word(&self.gathered, 0).is_some_and(is_skippable);
        let due = if has_size { 8 } else { 4 };
        let taken = self.gather(input, due);
        let Some(magic) = word(&self.gathered, 0) else {
            return (taken, Outcome::Hungry);
        };
        if is_skippable(magic) {
            let Some(size) = word(&self.gathered, 4) else {
                return (taken, Outcome::Hungry);
            };
            let bytes = usize::try_from(size).unwrap_or(usize::MAX);
            if magic == DICTIONARY_MAGIC && self.member == 0 {
                if bytes > ZSTD_DICTIONARY_BYTES_MAX {
                    return self.begin(taken, Outcome::Broken(code::ZSTD_BAD_DICTIONARY));
                }
                self.state = State::Dictionary { bytes };
            } else {
                self.state = State::Extension {
                    left: u64::from(size),
                };
            }
            self.gathered.clear();
            return (taken, Outcome::Hungry);
        }
        if self.gathered != MAGIC {
            return self.begin(taken, Outcome::Broken(code::ZSTD_GARBAGE));
        }
        if self.begin.is_none() {
            self.state = State::Header;
        }
        self.begin(taken, Outcome::Hungry)
    }

    fn dictionary(&mut self, input: &[u8], bytes: usize) -> (usize, Outcome) {
        let taken = self.gather(input, bytes);
        if self.gathered.len() < bytes {
            return (taken, Outcome::Hungry);
        }
        self.state = State::Magic;
        let raw = std::mem::take(&mut self.gathered);
        let raw = if raw.starts_with(&MAGIC) {
            decoded(&raw)
        } else {
            Some(raw)
        };
        let read = raw.and_then(|raw| Dictionary::decode_dict(&raw).ok());
        let outcome = match read {
            Some(dictionary) => {
                self.dictionary = Some(dictionary.id);
                let _ = self.decoder.add_dict(dictionary);
                Outcome::Hungry
            }
            None => Outcome::Broken(code::ZSTD_BAD_DICTIONARY),
        };
        self.begin(taken, outcome)
    }

    fn extension(&mut self, input: &[u8], left: u64) -> (usize, Outcome) {
        let taken = usize::try_from(left).map_or(input.len(), |left| left.min(input.len()));
        let left = left - taken as u64;
        self.state = if left == 0 {
            State::Magic
        } else {
            State::Extension { left }
        };
        (taken, Outcome::Hungry)
    }

    fn header(&mut self, input: &[u8]) -> (usize, Outcome) {
        let mut taken = self.gather(input, 1);
        let Some(&descriptor) = self.gathered.first() else {
            return (0, Outcome::Hungry);
        };
        let due = header_bytes(descriptor);
        taken += self.gather(&input[taken..], due);
        if self.gathered.len() < due {
            return (taken, Outcome::Hungry);
        }
        let header = Header::read(&self.gathered);
        self.gathered.clear();
        let Some(header) = header else {
            return (taken, Outcome::Broken(code::ZSTD_BAD_DATA));
        };
        let is_served = header.dictionary == 0 || self.dictionary == Some(header.dictionary);
        if !is_served {
            return (taken, Outcome::Broken(code::ZSTD_BAD_DICTIONARY));
        }
        self.header = header;
        let window = header.window_log();
        // With a dictionary, the decoder must know how far back that may be referred to.
        let reserved = if self.dictionary.is_none() {
            window.min(ZSTD_RESERVED_LOG)
        } else {
            window
        };
        (self.reserved, self.window) = (1 << reserved, 1 << window);
        let descriptor = (reserved - WINDOW_LOG_MIN) << 3;
        let own = [MAGIC[0], MAGIC[1], MAGIC[2], MAGIC[3], 0, descriptor];
        let is_ready = self.decoder.reset(&own[..]).is_ok()
            && self
                .dictionary
                .is_none_or(|id| self.decoder.force_dict(id).is_ok());
        if !is_ready {
            return (taken, Outcome::Broken(code::ZSTD_BAD_DATA));
        }
        self.hash.reset(0);
        self.size = 0;
        self.held = 0;
        self.state = State::Block;
        let outcome = if self.is_tentative {
            Outcome::Hungry
        } else {
            Outcome::Start
        };
        (taken, outcome)
    }

    fn block(&mut self, input: &[u8]) -> (usize, Outcome) {
        // Most blocks are whole in the input; only then is nothing copied.
        if self.gathered.is_empty()
            && let Ok(Some(bytes)) = block_bytes(input)
            && let Some(block) = input.get(..bytes)
        {
            return (bytes, self.decode(block));
        }
        let mut taken = self.gather(input, BLOCK_HEADER_BYTES);
        let bytes = match block_bytes(&self.gathered) {
            Err(()) => return (taken, self.salvage()),
            Ok(None) => return (taken, Outcome::Hungry),
            Ok(Some(bytes)) => bytes,
        };
        taken += self.gather(&input[taken..], bytes);
        if self.gathered.len() < bytes {
            return (taken, Outcome::Hungry);
        }
        let block = std::mem::take(&mut self.gathered);
        let outcome = self.decode(&block);
        self.gathered = block;
        self.gathered.clear();
        (taken, outcome)
    }

    fn decode(&mut self, block: &[u8]) -> Outcome {
        let is_last = block[0] & 1 == 1;
        match self.decoder.decode_from_to(block, &mut []) {
            Ok((taken, _)) if taken == block.len() => {
                self.state = State::Drain { is_last };
                Outcome::Hungry
            }
            _ => self.salvage(),
        }
    }

    /// The frame broke; what was decoded of it is told first.
    fn salvage(&mut self) -> Outcome {
        self.gathered.clear();
        // The decoder holds back what later blocks may refer to, until a last one comes.
        if self.decoder.decode_from_to(&LAST_BLOCK, &mut []).is_err() {
            return Outcome::Broken(code::ZSTD_BAD_DATA);
        }
        self.state = State::Salvage;
        Outcome::Hungry
    }

    /// How many decoded bytes no later block of the frame may refer to.
    fn ready(&self) -> usize {
        let given = self.decoder.can_collect();
        if self.decoder.is_finished() {
            return given;
        }
        given.saturating_sub(self.window - self.reserved)
    }

    /// Takes decoded bytes from the decoder, and goes on with `state` when there are none left.
    fn drain(&mut self, state: State) -> Outcome {
        if self.held > 0 && !self.is_tentative {
            return Outcome::Data(std::mem::take(&mut self.held));
        }
        let ready = self.ready();
        let room = &mut self.out[self.held..];
        let ready = ready.min(room.len());
        let made = self.decoder.read(&mut room[..ready]).unwrap_or(0);
        if made == 0 {
            let is_end = state != State::Block;
            if self.is_tentative && is_end {
                return Outcome::Broken(code::ZSTD_GARBAGE);
            }
            self.state = state;
            return Outcome::Hungry;
        }
        let fresh = &self.out[self.held..self.held + made];
        self.hash.update(fresh);
        self.size += made as u64;
        if !self.is_tentative {
            return Outcome::Data(made);
        }
        // A tentative frame must begin with a record.
        self.held += made;
        match self.framing.begins_record(&self.out[..self.held]) {
            Some(true) => {
                self.is_tentative = false;
                Outcome::Start
            }
            None if self.held < self.out.len() => Outcome::Hungry,
            _ => Outcome::Broken(code::ZSTD_GARBAGE),
        }
    }

    fn checksum(&mut self, input: &[u8]) -> (usize, Outcome) {
        let due = if self.header.has_checksum { 4 } else { 0 };
        let taken = self.gather(input, due);
        if self.gathered.len() < due {
            return (taken, Outcome::Hungry);
        }
        let stated = word(&self.gathered, 0);
        let is_right =
            stated.is_none_or(|stated| u64::from(stated) == self.hash.digest() & 0xffff_ffff);
        let is_long = self
            .header
            .content_bytes
            .is_none_or(|bytes| bytes == self.size);
        self.gathered.clear();
        self.state = State::Magic;
        let is_sound = is_right && is_long;
        let is_proven = is_sound && self.header.has_checksum;
        self.suspect = (!is_proven).then_some(self.member);
        (taken, Outcome::End { is_sound })
    }

    fn scan(&mut self, input: &[u8]) -> (usize, Outcome) {
        let scan = Scan::of(&MAGIC, &mut self.gathered, input);
        if let Some(at) = scan.begin {
            self.member = self.position + at as u64;
        }
        if scan.is_found {
            self.gathered.clear();
            self.state = State::Header;
            self.is_tentative = true;
        }
        (scan.taken, Outcome::Hungry)
    }
}

fn is_skippable(magic: u32) -> bool {
    magic & !0xf == EXTENSION_MAGIC
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at + 4)?.first_chunk()?;
    Some(u32::from_le_bytes(*four))
}

/// Length of a frame's header after its magic, by its first byte.
fn header_bytes(descriptor: u8) -> usize {
    let is_single = descriptor >> 5 & 1;
    let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let content = [usize::from(is_single), 2, 4, 8][usize::from(descriptor >> 6)];
    1 + usize::from(1 - is_single) + dictionary + content
}

/// Length of the block that begins so, with its header: `None` while that is not whole, an error where it is none.
fn block_bytes(start: &[u8]) -> Result<Option<usize>, ()> {
    let Some(&[low, middle, high]) = start.first_chunk() else {
        return Ok(None);
    };
    let size = u32::from_le_bytes([low, middle, high, 0]) >> 3;
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    if size > BLOCK_BYTES_MAX {
        return Err(());
    }
    match low >> 1 & 3 {
        0 | 2 => Ok(Some(BLOCK_HEADER_BYTES + size)),
        1 => Ok(Some(BLOCK_HEADER_BYTES + 1)),
        _ => Err(()),
    }
}

impl Header {
    fn read(bytes: &[u8]) -> Option<Header> {
        let (&descriptor, mut rest) = bytes.split_first()?;
        let mut number = |bytes: usize| {
            let (field, after) = rest.split_at_checked(bytes)?;
            rest = after;
            let mut whole = [0; 8];
            whole[..bytes].copy_from_slice(field);
            Some(u64::from_le_bytes(whole))
        };
        let is_single = descriptor >> 5 & 1 == 1;
        let window = if is_single { 0 } else { number(1)? };
        let dictionary = number([0, 1, 2, 4][usize::from(descriptor & 3)])?;
        let content_bytes = match (descriptor >> 6, is_single) {
            (0, false) => None,
            (0, true) => Some(number(1)?),
            (1, _) => Some(number(2)? + 256),
            (2, _) => Some(number(4)?),
            _ => Some(number(8)?),
        };
        // One bit is reserved, and says what nobody knows yet.
        if descriptor >> 3 & 1 == 1 {
            return None;
        }
        let base = 1u64 << (10 + (window >> 3));
        let window_bytes = base + (base >> 3) * (window & 7);
        Some(Header {
            window_bytes: match content_bytes {
                Some(content) if is_single => content,
                Some(content) => content.min(window_bytes),
                None => window_bytes,
            },
            content_bytes,
            dictionary: u32::try_from(dictionary).ok()?,
            has_checksum: descriptor >> 2 & 1 == 1,
        })
    }

    /// The smallest window that will do, as a power of two: no more is kept than is needed.
    fn window_log(&self) -> u8 {
        let due = self
            .window_bytes
            .clamp(1 << WINDOW_LOG_MIN, ZSTD_WINDOW_BYTES_MAX);
        let log = due.next_power_of_two().trailing_zeros();
        u8::try_from(log).unwrap_or(WINDOW_LOG_MIN)
    }
}

/// What a file that begins so decodes to, as far as that shows.
pub fn decoded_start(start: &[u8], bytes: usize) -> Vec<u8> {
    let mut reader = ZstdReader::new(Framing::Warc, 0, BLOCK_BYTES_MAX);
    let (mut at, mut out) = (0, Vec::new());
    while out.len() < bytes && (at < start.len() || reader.is_busy()) {
        let (taken, step) = reader.step(&start[at..]);
        at += taken;
        match step {
            Step::Data(data) => out.extend_from_slice(data),
            Step::Broken { .. } => break,
            _ => {}
        }
    }
    while let Some(Step::Data(data)) = reader.finish() {
        out.extend_from_slice(data);
        if out.len() >= bytes {
            break;
        }
    }
    out
}

/// What a frame that is whole decodes to, if that is no longer than a dictionary may be.
fn decoded(frame: &[u8]) -> Option<Vec<u8>> {
    let mut reader = ZstdReader::new(Framing::Warc, 0, BLOCK_BYTES_MAX);
    let (mut at, mut out) = (0, Vec::new());
    loop {
        let (taken, step) = reader.step(&frame[at..]);
        at += taken;
        match step {
            Step::Data(data) if out.len() + data.len() <= ZSTD_DICTIONARY_BYTES_MAX => {
                out.extend_from_slice(data);
            }
            Step::End { is_sound: true, .. } => return Some(out),
            Step::Start { .. } | Step::Busy => {}
            Step::Hungry if at < frame.len() => {}
            _ => return None,
        }
    }
}
