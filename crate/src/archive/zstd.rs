//! Reads Zstandard frames one after another and tells where each starts and ends, as `.warc.zst` files have them.
//!
//!   file := [dictionary] (frame | extension)*        frame := magic header block* [xxh64:u32]
//!   dictionary := 0x184D2A5D size:u32 (dictionary | frame that holds one)     at the start of the file only
//!   extension := 0x184D2A50..5F size:u32 byte*        block := header:u24 byte*
//! States: Magic -> Header -> Block -> Tell -> Block or Checksum -> Magic. Damage leads to Scan, which looks
//! for the next frame that decodes to the start of a record; until that is certain the frame is tentative
//! and nothing of it is told. Zero bytes between frames are padding.

use stackroom_zstd::{
    BLOCK_BYTES_MAX, BLOCK_HEADER_BYTES, Decoder, Dictionary, Header, MAGIC, block_bytes, is_last,
};
use xxhash_rust::xxh64::Xxh64;

use super::framing::Framing;
use super::members::{Scan, Step};
use crate::error::{Code, code};
use crate::limits::{ZSTD_DICTIONARY_BYTES_MAX, ZSTD_WINDOW_BYTES_MAX};

const DICTIONARY_MAGIC: u32 = 0x184d_2a5d;
const EXTENSION_MAGIC: u32 = 0x184d_2a50;

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
    /// What the last block made is being told.
    Tell {
        is_last: bool,
    },
    Checksum,
    Scan,
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
    decoder: Decoder,
    dictionary: Option<u32>,
    /// Where reading begins once the dictionary is known.
    begin: Option<u64>,
    hash: Xxh64,
    size: u64,
    /// So much is told at once at most.
    step_bytes: usize,
    /// Bytes that the frame made and that are not told yet.
    untold: usize,
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
            header: Header::default(),
            decoder: Decoder::new(),
            dictionary: None,
            begin: (offset > 0).then_some(offset),
            hash: Xxh64::new(0),
            size: 0,
            step_bytes,
            untold: 0,
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
        self.untold = 0;
    }

    /// Does one thing with the input and says how much of it was taken.
    pub fn step(&mut self, input: &[u8]) -> (usize, Step<'_>) {
        let (taken, outcome) = match self.state {
            State::Magic => self.magic(input),
            State::Dictionary { bytes } => self.dictionary(input, bytes),
            State::Extension { left } => self.extension(input, left),
            State::Header => self.header(input),
            State::Block => self.block(input),
            State::Tell { is_last } => (0, self.tell(is_last)),
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
            Outcome::Data(bytes) => {
                let made = self.decoder.made(self.untold);
                self.untold -= bytes;
                Step::Data(&made[..bytes])
            }
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

    /// The end of the file: what it broke off, if anything.
    pub fn finish(&mut self) -> Option<Step<'static>> {
        let is_clean = match self.state {
            State::Magic => self.gathered.is_empty(),
            State::Scan => true,
            _ => false,
        };
        (!is_clean).then(|| {
            self.state = State::Scan;
            Step::Broken {
                code: code::ZSTD_TRUNCATED,
                at: self.position,
                retry: self.member + 1,
            }
        })
    }

    /// Whether there is something to do without input.
    pub fn is_busy(&self) -> bool {
        match self.state {
            State::Tell { .. } => true,
            State::Checksum => !self.header.has_checksum,
            _ => false,
        }
    }

    /// Whether a checksum proves the frame that ended last.
    pub fn is_proven(&self) -> bool {
        self.suspect.is_none()
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
        let read = raw.and_then(|raw| Dictionary::read(&raw).ok());
        let outcome = match read {
            Some(dictionary) => {
                self.dictionary = Some(dictionary.id());
                self.decoder.set_dictionary(dictionary);
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
        let due = Header::bytes(descriptor);
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
        let window_bytes = header.window_bytes.min(ZSTD_WINDOW_BYTES_MAX);
        self.decoder
            .begin(usize::try_from(window_bytes).unwrap_or(usize::MAX));
        self.hash.reset(0);
        self.size = 0;
        self.untold = 0;
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
            Err(_) => return (taken, self.broken()),
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
        let Ok(made) = self.decoder.decode(block) else {
            return self.broken();
        };
        if self.header.has_checksum {
            self.hash.update(self.decoder.made(made));
        }
        self.size += made as u64;
        self.untold += made;
        self.state = State::Tell {
            is_last: is_last(block),
        };
        Outcome::Hungry
    }

    fn broken(&mut self) -> Outcome {
        self.gathered.clear();
        Outcome::Broken(if self.is_tentative {
            code::ZSTD_GARBAGE
        } else {
            code::ZSTD_BAD_DATA
        })
    }

    /// Tells what the last block made, and goes on when that is done.
    fn tell(&mut self, is_last: bool) -> Outcome {
        if self.is_tentative {
            // It must begin with a record.
            match self.framing.begins_record(self.decoder.made(self.untold)) {
                Some(true) => {
                    self.is_tentative = false;
                    return Outcome::Start;
                }
                None if !is_last && self.untold < BLOCK_BYTES_MAX => self.state = State::Block,
                _ => return Outcome::Broken(code::ZSTD_GARBAGE),
            }
            return Outcome::Hungry;
        }
        if self.untold > 0 {
            return Outcome::Data(self.untold.min(self.step_bytes));
        }
        self.state = if is_last {
            State::Checksum
        } else {
            State::Block
        };
        Outcome::Hungry
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
