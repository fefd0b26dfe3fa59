//! Bytes in and out: variable-length integers and length-prefixed strings; numbers of fixed width, little-endian.
//!
//!   varint := 7 bits a byte, least significant first, high bit set on all but the last
//!   bytes  := length:varint byte*

/// Appends values to a buffer.
#[derive(Default)]
pub struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    pub fn new() -> Writer {
        Writer::default()
    }

    /// Goes on behind what is there.
    pub fn behind(bytes: Vec<u8>) -> Writer {
        Writer { bytes }
    }

    pub fn varint(&mut self, value: u64) {
        push_varint(&mut self.bytes, value);
    }

    pub fn bytes(&mut self, value: &[u8]) {
        self.varint(value.len() as u64);
        self.bytes.extend_from_slice(value);
    }

    /// Without its length, where that is known otherwise.
    pub fn raw(&mut self, value: &[u8]) {
        self.bytes.extend_from_slice(value);
    }

    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

pub fn push_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push((value & 0x7f) as u8);
}

/// How many bytes two texts begin with in common.
pub fn shared_bytes(a: &[u8], b: &[u8]) -> usize {
    let (words, other) = (a.as_chunks::<8>().0, b.as_chunks::<8>().0);
    // As numbers, which are compared in one step.
    let is_same =
        |(a, b): &(&[u8; 8], &[u8; 8])| u64::from_le_bytes(**a) == u64::from_le_bytes(**b);
    let same = 8 * words.iter().zip(other).take_while(is_same).count();
    let rest = a[same..].iter().zip(&b[same..]);
    same + rest.take_while(|(a, b)| a == b).count()
}

/// Takes values from a slice; `None` where the slice ends or a varint is longer than 64 bits.
pub struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes }
    }

    pub fn varint(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    pub fn u16(&mut self) -> Option<u16> {
        self.fixed().map(u16::from_le_bytes)
    }

    pub fn u32(&mut self) -> Option<u32> {
        self.fixed().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Option<u64> {
        self.fixed().map(u64::from_le_bytes)
    }

    fn fixed<const BYTES: usize>(&mut self) -> Option<[u8; BYTES]> {
        self.take(BYTES)?.try_into().ok()
    }

    pub fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(head)
    }

    /// Bytes not taken yet.
    pub fn left(&self) -> usize {
        self.bytes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_texts_share_ends_at_the_first_difference_or_with_the_shorter_one() {
        let text: Vec<u8> = (0..40).collect();
        for length in 0..=text.len() {
            assert_eq!(shared_bytes(&text, &text[..length]), length);
            assert_eq!(shared_bytes(&text[..length], &text), length);
            for at in 0..length {
                let mut other = text[..length].to_vec();
                other[at] ^= 0x80;
                assert_eq!(shared_bytes(&text, &other), at);
            }
        }
    }

    #[test]
    fn varints_come_back_as_they_went_in() {
        let values = [
            0,
            1,
            127,
            128,
            16_383,
            16_384,
            u64::from(u32::MAX),
            u64::MAX,
        ];
        let mut writer = Writer::new();
        values.iter().for_each(|&value| writer.varint(value));
        writer.bytes(b"end");
        let bytes = writer.finish();
        let mut reader = Reader::new(&bytes);
        for value in values {
            assert_eq!(reader.varint(), Some(value));
        }
        assert_eq!(reader.varint(), Some(3));
        assert_eq!(reader.take(3), Some(&b"end"[..]));
        assert!(reader.is_empty());
        assert_eq!(Reader::new(&[0xff; 12]).varint(), None);
        assert_eq!(Reader::new(&[0x80]).varint(), None);
    }
}
