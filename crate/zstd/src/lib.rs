//! Decodes the blocks of Zstandard frames, one at a time, in safe Rust.
//!
//!   block := header:u24 content      header := is-last:1 kind:2 size:21, lowest bit first
//! Frames, checksums and what files make of them are the caller's. What a frame made is kept here, as far back as it
//! may be referred to, in memory that grows with it; of each block the caller sees what it made right there.

mod bits;
mod dictionary;
mod fse;
mod header;
mod huffman;
mod literals;
mod sequences;
mod window;

pub use dictionary::Dictionary;
pub use header::{Header, MAGIC};

use literals::Literals;
use sequences::Sequences;
use window::Window;

/// No block is longer, neither as it is stored nor as what it makes.
pub const BLOCK_BYTES_MAX: usize = 128 << 10;
pub const BLOCK_HEADER_BYTES: usize = 3;
/// Behind what is copied there are so many bytes more, so that pieces of one size can be copied.
const MARGIN: usize = 32;

/// The data is no sound Zstandard block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken;

/// Length of the block that begins so, with its header: `None` while that is not whole.
pub fn block_bytes(start: &[u8]) -> Result<Option<usize>, Broken> {
    let Some(&header) = start.first_chunk() else {
        return Ok(None);
    };
    let (kind, size) = kind_and_size(header);
    if size > BLOCK_BYTES_MAX || kind == 3 {
        return Err(Broken);
    }
    Ok(Some(BLOCK_HEADER_BYTES + if kind == 1 { 1 } else { size }))
}

fn kind_and_size([low, middle, high]: [u8; BLOCK_HEADER_BYTES]) -> (u8, usize) {
    let size = u32::from_le_bytes([low, middle, high, 0]) >> 3;
    (low >> 1 & 3, size as usize)
}

/// Whether a block is the last one of its frame.
pub fn is_last(block: &[u8]) -> bool {
    block.first().is_some_and(|first| first & 1 == 1)
}

pub struct Decoder {
    literals: Literals,
    sequences: Sequences,
    window: Window,
    dictionary: Option<Dictionary>,
    block_bytes_max: usize,
}

impl Default for Decoder {
    fn default() -> Decoder {
        Decoder::new()
    }
}

impl Decoder {
    pub fn new() -> Decoder {
        Decoder {
            literals: Literals::new(),
            sequences: Sequences::new(),
            window: Window::new(),
            dictionary: None,
            block_bytes_max: 0,
        }
    }

    /// All frames that begin from now on may refer to this dictionary.
    pub fn set_dictionary(&mut self, dictionary: Dictionary) {
        self.window = Window::new();
        self.dictionary = Some(dictionary);
    }

    /// A frame begins; its blocks refer no further back than `window_bytes`.
    pub fn begin(&mut self, window_bytes: usize) {
        self.block_bytes_max = window_bytes.min(BLOCK_BYTES_MAX);
        self.literals.huffman.is_set = false;
        self.sequences.reset();
        let mut content = &[][..];
        if let Some(dictionary) = &self.dictionary {
            self.literals.huffman.clone_from(&dictionary.huffman);
            self.sequences.clone_from(&dictionary.sequences);
            content = &dictionary.content;
        }
        self.window.begin(window_bytes, content);
    }

    /// Decodes a whole block, with its header. Returns how many bytes it made. After an error, nothing else
    /// of the frame can be decoded.
    pub fn decode(&mut self, block: &[u8]) -> Result<usize, Broken> {
        let header = *block.first_chunk().ok_or(Broken)?;
        if block_bytes(block) != Ok(Some(block.len())) {
            return Err(Broken);
        }
        let (kind, size) = kind_and_size(header);
        let content = &block[BLOCK_HEADER_BYTES..];
        let from = self.window.begin_block(self.block_bytes_max);
        match kind {
            0 => self.window.copy(content)?,
            1 => self.window.fill(content[0], size)?,
            _ => {
                let (count, end) = self.literals.read(block, BLOCK_HEADER_BYTES)?;
                let literals = (self.literals.bytes(), count);
                self.sequences
                    .run(&block[end..], literals, &mut self.window)?;
            }
        }
        Ok(self.window.at() - from)
    }

    /// The last `bytes` of what the frame made; those of the blocks that fit into its window are there.
    pub fn made(&self, bytes: usize) -> &[u8] {
        self.window.since(self.window.at().saturating_sub(bytes))
    }
}
