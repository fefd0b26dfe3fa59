//! Numbers of so many bytes each, one behind the other in pages of a file. None goes from one page into the next.

use super::pages::{CHECKSUM_BYTES, Place, Source, Stop};

#[derive(Clone, Copy)]
pub struct Array {
    pub offset: u64,
    pub page_bytes: u32,
    /// Of a number, at most 8.
    pub bytes: u32,
}

impl Array {
    /// The number at a place.
    pub fn get(&self, at: u64, source: &mut Source) -> Result<u64, Stop> {
        let (place, from) = self.place(at);
        let bytes = self.bytes as usize;
        let content = source.read(place)?;
        let mut number = [0; 8];
        match content.get(from..from + bytes) {
            Some(found) => number[..bytes].copy_from_slice(found),
            None => return Err(source.damaged(place)),
        }
        Ok(u64::from_le_bytes(number))
    }

    /// The page in which a number is, and where in its content.
    pub fn place(&self, at: u64) -> (Place, usize) {
        let each = per_page(self.page_bytes, self.bytes);
        let from = at % each * u64::from(self.bytes);
        let place = Place {
            offset: (at / each)
                .saturating_mul(u64::from(self.page_bytes))
                .saturating_add(self.offset),
            length: self.page_bytes,
        };
        (place, usize::try_from(from).unwrap_or(usize::MAX))
    }
}

/// Numbers in a page.
pub fn per_page(page_bytes: u32, bytes: u32) -> u64 {
    let content = page_bytes as usize - CHECKSUM_BYTES;
    content as u64 / u64::from(bytes)
}
