//! A dictionary: tables and content that stand before the first block of a frame.
//!
//!   dictionary := 0xEC30A437:u32 id:u32 huffman-table offsets-table matches-table literals-table recent:u32[3] content

use crate::Broken;
use crate::huffman::Huffman;
use crate::sequences::{LITERALS, MATCHES, OFFSETS, Sequences};

const MAGIC: [u8; 4] = [0x37, 0xa4, 0x30, 0xec];

pub struct Dictionary {
    id: u32,
    pub(crate) huffman: Huffman,
    pub(crate) sequences: Sequences,
    pub(crate) content: Vec<u8>,
}

impl Dictionary {
    pub fn read(bytes: &[u8]) -> Result<Dictionary, Broken> {
        let mut rest = bytes.strip_prefix(&MAGIC).ok_or(Broken)?;
        let id = number(&mut rest)?;
        let mut huffman = Huffman::new();
        let mut sequences = Sequences::new();
        rest = &rest[huffman.read(rest)?..];
        rest = &rest[OFFSETS.read(&mut sequences.offsets, rest)?..];
        rest = &rest[MATCHES.read(&mut sequences.matches, rest)?..];
        rest = &rest[LITERALS.read(&mut sequences.literals, rest)?..];
        for recent in &mut sequences.recent {
            *recent = usize::try_from(number(&mut rest)?).unwrap_or(usize::MAX);
        }
        if sequences
            .recent
            .iter()
            .any(|recent| *recent == 0 || *recent > rest.len())
        {
            return Err(Broken);
        }
        Ok(Dictionary {
            id,
            huffman,
            sequences,
            content: rest.to_vec(),
        })
    }

    pub fn id(&self) -> u32 {
        self.id
    }
}

fn number(rest: &mut &[u8]) -> Result<u32, Broken> {
    let (four, after) = rest.split_first_chunk().ok_or(Broken)?;
    *rest = after;
    Ok(u32::from_le_bytes(*four))
}
