//! Bits read from the end of a stream to its start, as Zstandard stores them.
//!
//!   stream := byte* last      `last` ends, seen from above, in zero bits and a one, which are passed over
//! Reading beyond the start gives what it gives; `left` is negative then, and whoever reads looks at that in the end.

/// So many bits are there to be read after `refill`.
pub const REFILLED_BITS: u32 = 57;

pub struct Bits<'a> {
    bytes: &'a [u8],
    /// Bits that are not read yet.
    left: i32,
    /// The next of them, from the highest bit down.
    word: u64,
}

impl<'a> Bits<'a> {
    /// `None` where the stream has no end.
    pub fn new(bytes: &'a [u8]) -> Option<Bits<'a>> {
        let padding = bytes.last().filter(|last| **last != 0)?.leading_zeros() + 1;
        Some(Bits::at(bytes, bytes.len() * 8 - padding as usize))
    }

    /// The first `left` bits of a stream.
    pub fn at(bytes: &'a [u8], left: usize) -> Bits<'a> {
        let mut bits = Bits {
            bytes,
            left: i32::try_from(left).unwrap_or(0),
            word: 0,
        };
        bits.refill();
        bits
    }

    #[inline(always)]
    pub fn refill(&mut self) {
        // A negative number becomes a huge one, for which there are no bytes.
        let end = ((self.left + 7) >> 3).cast_unsigned() as usize;
        let eight = end
            .checked_sub(8)
            .and_then(|start| self.bytes.get(start..end))
            .and_then(<[u8]>::first_chunk);
        match eight {
            Some(eight) => {
                self.word = u64::from_le_bytes(*eight) << ((0 - self.left) & 7);
            }
            None => self.refill_at_start(),
        }
    }

    #[cold]
    fn refill_at_start(&mut self) {
        let end = usize::try_from((self.left + 7) >> 3).unwrap_or(0).min(8);
        let mut eight = [0; 8];
        let known = self.bytes.get(..end).unwrap_or(&[]);
        eight[8 - known.len()..].copy_from_slice(known);
        self.word = u64::from_le_bytes(eight) << ((0 - self.left) & 7);
    }

    /// The next bits as a number; no more than `refill` made ready.
    #[inline(always)]
    pub fn read(&mut self, bits: u32) -> u64 {
        let value = self.peek(bits);
        self.pass(bits);
        value
    }

    #[inline(always)]
    pub fn peek(&self, bits: u32) -> u64 {
        (self.word >> 1) >> (63 - (bits & 63))
    }

    #[inline(always)]
    pub fn pass(&mut self, bits: u32) {
        self.word <<= bits & 63;
        self.left -= (bits & 63).cast_signed();
    }

    /// Bits that are not read yet; negative where more were read than there are.
    pub fn left(&self) -> i32 {
        self.left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_come_from_the_end_to_the_start() {
        // 1 ends the stream; 0b101, 0b1100 and a byte come before.
        let mut bits = Bits::new(&[0xa5, 0b1101_1100]).expect("a stream");
        assert_eq!(bits.read(3), 0b101);
        assert_eq!(bits.read(0), 0);
        assert_eq!(bits.read(4), 0b1100);
        assert_eq!(bits.read(8), 0xa5);
        assert_eq!(bits.left(), 0);
        bits.refill();
        assert_eq!(bits.read(5), 0);
        assert_eq!(bits.left(), -5);
        bits.refill();
        assert!(Bits::new(&[1, 0]).is_none());
        assert!(Bits::new(&[]).is_none());
    }

    #[test]
    fn long_streams_are_read_by_refills() {
        let bytes: Vec<u8> = (0..100u8).map(|n| n.wrapping_mul(7) | 1).collect();
        let mut bits = Bits::new(&bytes).expect("a stream");
        let padding = bytes[99].leading_zeros() + 1;
        let mut at = 800 - padding as usize;
        let mut width = 1;
        while at > 60 {
            bits.refill();
            let expected = (at - width..at).rev().fold(0, |sum, bit| {
                sum * 2 + u64::from(bytes[bit / 8] >> (bit % 8) & 1)
            });
            assert_eq!(bits.read(u32::try_from(width).expect("small")), expected);
            at -= width;
            width = width % REFILLED_BITS as usize + 1;
        }
    }
}
