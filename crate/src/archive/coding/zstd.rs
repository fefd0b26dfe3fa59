//! The coding zstd.
//!
//!   body := frame*
//!   frame := magic header block* [checksum]  |  0x184D2A5? length bytes
//! The decoder is given one block at a time, which makes 128 KiB at most. It keeps a window of what it made,
//! and gives what lies before that.

use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use ruzstd::io::Read;
use xxhash_rust::xxh64::Xxh64;

use super::{Decode, State, Step};
use crate::limits::CODING_WINDOW_BYTES_MAX;

const MAGIC: u32 = 0xfd2f_b528;
const SKIPPABLE: u32 = 0x184d_2a50;
const BLOCK_HEAD_BYTES: usize = 3;
const CHECKSUM_BYTES: usize = 4;
/// An empty raw block that says it is the last one.
const LAST_BLOCK: [u8; BLOCK_HEAD_BYTES + CHECKSUM_BYTES] = [1, 0, 0, 0, 0, 0, 0];

/// What is being gathered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Magic,
    /// Magic and the byte that says how long the header is.
    Descriptor,
    Header,
    SkipLength,
    BlockHead,
    Block,
}

pub struct Zstd {
    frame: FrameDecoder,
    part: Part,
    /// What was gathered of the part, and how much of it is needed.
    held: Vec<u8>,
    wanted: usize,
    /// Bytes of a skippable frame that are still to come.
    skip: u64,
    /// Of what the frame made, where it states a checksum.
    hash: Option<Xxh64>,
    is_in_frame: bool,
    is_broken: bool,
}

impl Zstd {
    pub fn new() -> Zstd {
        let mut frame = FrameDecoder::new();
        frame.set_max_window_size(CODING_WINDOW_BYTES_MAX);
        Zstd {
            frame,
            part: Part::Magic,
            held: Vec::new(),
            wanted: 4,
            skip: 0,
            hash: None,
            is_in_frame: false,
            is_broken: false,
        }
    }

    fn gather(&mut self, part: Part, wanted: usize) {
        self.part = part;
        self.wanted = wanted;
    }

    /// Gathers anew.
    fn expect(&mut self, part: Part, wanted: usize) {
        self.held.clear();
        self.gather(part, wanted);
    }

    fn number(&self) -> u32 {
        let word = self.held.last_chunk::<4>();
        word.map_or(0, |word| u32::from_le_bytes(*word))
    }

    /// What was gathered is whole. Returns `None` where it is wrong.
    fn part_done(&mut self) -> Option<()> {
        match self.part {
            Part::Magic if self.number() == MAGIC => self.gather(Part::Descriptor, 5),
            Part::Magic if self.number() & !0xf == SKIPPABLE => self.expect(Part::SkipLength, 4),
            Part::Magic => return None,
            Part::Descriptor => {
                let wanted = header_bytes(self.held[4]);
                self.gather(Part::Header, wanted);
            }
            Part::Header => {
                self.frame.reset(self.held.as_slice()).ok()?;
                let has_checksum = self.held[4] & 4 != 0;
                self.hash = has_checksum.then(|| Xxh64::new(0));
                self.is_in_frame = true;
                self.expect(Part::BlockHead, BLOCK_HEAD_BYTES);
            }
            Part::SkipLength => {
                self.skip = u64::from(self.number());
                self.expect(Part::Magic, 4);
            }
            Part::BlockHead => self.block_head(),
            Part::Block => {
                let strategy = BlockDecodingStrategy::UptoBlocks(1);
                self.frame
                    .decode_blocks(self.held.as_slice(), strategy)
                    .ok()?;
                self.expect(Part::BlockHead, BLOCK_HEAD_BYTES);
            }
        }
        Some(())
    }

    fn block_head(&mut self) {
        let head = u32::from_le_bytes([self.held[0], self.held[1], self.held[2], 0]);
        let is_run = head >> 1 & 3 == 1;
        // Too large a size is found out by the decoder before it reads the block.
        let size = usize::try_from(head >> 3).unwrap_or(0).min(128 << 10);
        let checksum = if head & 1 == 1 && self.hash.is_some() {
            CHECKSUM_BYTES
        } else {
            0
        };
        let content = if is_run { 1 } else { size };
        self.gather(Part::Block, BLOCK_HEAD_BYTES + content + checksum);
    }

    /// Everything that the frame made was given away.
    fn frame_drained(&mut self) -> bool {
        self.is_in_frame = false;
        self.expect(Part::Magic, 4);
        let stated = self.frame.get_checksum_from_data();
        match (&self.hash, stated) {
            (Some(hash), Some(stated)) => hash.digest() & 0xffff_ffff == u64::from(stated),
            _ => true,
        }
    }

    fn give(&mut self, output: &mut [u8]) -> usize {
        let made = self.frame.read(output).unwrap_or(0);
        if let Some(hash) = &mut self.hash {
            hash.update(&output[..made]);
        }
        made
    }
}

impl Decode for Zstd {
    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Step {
        let mut taken = 0;
        loop {
            if self.is_in_frame {
                let made = self.give(output);
                if made > 0 {
                    return step(taken, made, State::Going);
                }
                if self.frame.is_finished() && !self.frame_drained() {
                    self.is_broken = true;
                }
            }
            if self.is_broken {
                return step(taken, 0, State::Broken);
            }
            let skipped = usize::try_from(self.skip)
                .unwrap_or(usize::MAX)
                .min(input.len() - taken);
            taken += skipped;
            self.skip -= skipped as u64;
            let missing = self.wanted - self.held.len();
            let more = missing.min(input.len() - taken);
            self.held.extend_from_slice(&input[taken..taken + more]);
            taken += more;
            if more < missing {
                return step(taken, 0, State::Going);
            }
            self.is_broken = self.part_done().is_none();
        }
    }

    fn close(&mut self) -> bool {
        if self.is_in_frame {
            // What the decoder holds as its window comes out at the end of the frame only.
            self.is_broken = true;
            let last = BlockDecodingStrategy::UptoBlocks(1);
            self.hash = None;
            if self.frame.decode_blocks(&LAST_BLOCK[..], last).is_err() {
                self.is_in_frame = false;
            }
            return false;
        }
        self.held.is_empty() && self.part == Part::Magic && self.skip == 0
    }
}

fn step(taken: usize, made: usize, state: State) -> Step {
    Step { taken, made, state }
}

/// Bytes of magic and frame header, by its descriptor.
fn header_bytes(descriptor: u8) -> usize {
    let is_single = descriptor & 0x20 != 0;
    let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let content_size = match descriptor >> 6 {
        0 => usize::from(is_single),
        1 => 2,
        2 => 4,
        _ => 8,
    };
    5 + usize::from(!is_single) + dictionary + content_size
}
