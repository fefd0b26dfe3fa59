//! The coding zstd.
//!
//!   body := frame*
//!   frame := magic header block* [checksum]  |  0x184D2A5? length bytes

use stackroom_zstd::{BLOCK_HEADER_BYTES, Decoder, Header, MAGIC, block_bytes, is_last};
use xxhash_rust::xxh64::Xxh64;

use super::{Decode, State, Step};
use crate::limits::CODING_WINDOW_BYTES_MAX;

const SKIPPABLE: u32 = 0x184d_2a50;

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
    Checksum,
}

pub struct Zstd {
    decoder: Decoder,
    part: Part,
    /// What was gathered of the part, and how much of it is needed.
    held: Vec<u8>,
    wanted: usize,
    /// Bytes of a skippable frame that are still to come.
    skip: u64,
    /// Bytes that the frame made and that are not given yet.
    ungiven: usize,
    /// Of what the frame made, where it states a checksum.
    hash: Option<Xxh64>,
    is_in_frame: bool,
    is_broken: bool,
}

impl Zstd {
    pub fn new() -> Zstd {
        Zstd {
            decoder: Decoder::new(),
            part: Part::Magic,
            held: Vec::new(),
            wanted: 4,
            skip: 0,
            ungiven: 0,
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
            Part::Magic if self.held == MAGIC => self.expect(Part::Descriptor, 1),
            Part::Magic if self.number() & !0xf == SKIPPABLE => self.expect(Part::SkipLength, 4),
            Part::Magic => return None,
            Part::Descriptor => {
                let wanted = Header::bytes(self.held[0]);
                self.gather(Part::Header, wanted);
            }
            Part::Header => {
                let header = Header::read(&self.held)?;
                let is_served =
                    header.dictionary == 0 && header.window_bytes <= CODING_WINDOW_BYTES_MAX;
                let window_bytes = usize::try_from(header.window_bytes).ok();
                self.decoder.begin(window_bytes.filter(|_| is_served)?);
                self.hash = header.has_checksum.then(|| Xxh64::new(0));
                self.is_in_frame = true;
                self.expect(Part::BlockHead, BLOCK_HEADER_BYTES);
            }
            Part::SkipLength => {
                self.skip = u64::from(self.number());
                self.expect(Part::Magic, 4);
            }
            Part::BlockHead => {
                let wanted = block_bytes(&self.held).ok()??;
                self.gather(Part::Block, wanted);
            }
            Part::Block => self.block_done()?,
            Part::Checksum => {
                let stated = u64::from(self.number());
                self.frame_done();
                let hash = self.hash.take()?;
                return (hash.digest() & 0xffff_ffff == stated).then_some(());
            }
        }
        Some(())
    }

    fn block_done(&mut self) -> Option<()> {
        self.ungiven = self.decoder.decode(&self.held).ok()?;
        if let Some(hash) = &mut self.hash {
            hash.update(self.decoder.made(self.ungiven));
        }
        match (is_last(&self.held), self.hash.is_some()) {
            (false, _) => self.expect(Part::BlockHead, BLOCK_HEADER_BYTES),
            (true, true) => self.expect(Part::Checksum, 4),
            (true, false) => self.frame_done(),
        }
        Some(())
    }

    fn frame_done(&mut self) {
        self.is_in_frame = false;
        self.expect(Part::Magic, 4);
    }

    fn give(&mut self, output: &mut [u8]) -> usize {
        let made = self.decoder.made(self.ungiven);
        let count = made.len().min(output.len());
        output[..count].copy_from_slice(&made[..count]);
        self.ungiven -= count;
        count
    }
}

impl Decode for Zstd {
    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Step {
        let mut taken = 0;
        loop {
            if self.ungiven > 0 {
                let made = self.give(output);
                return step(taken, made, State::Going);
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
            self.is_broken = true;
            return false;
        }
        self.held.is_empty() && self.part == Part::Magic && self.skip == 0
    }
}

fn step(taken: usize, made: usize, state: State) -> Step {
    Step { taken, made, state }
}
