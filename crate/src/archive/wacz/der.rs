//! Walks through DER: values, each with a tag and a length.
//!
//!   value := tag:1 length content      length := 0..127 | 0x80+n byte{n}, big-endian
//! Tags are of one byte, and every length is stated; certificates and signatures have nothing else.

pub const INTEGER: u8 = 0x02;
pub const BIT_STRING: u8 = 0x03;
pub const OCTET_STRING: u8 = 0x04;
pub const OBJECT: u8 = 0x06;
pub const SEQUENCE: u8 = 0x30;
pub const SET: u8 = 0x31;

/// A value, and the bytes that it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value<'a> {
    pub tag: u8,
    pub whole: &'a [u8],
    pub content: &'a [u8],
}

impl<'a> Value<'a> {
    /// The values within.
    pub fn inner(self) -> Der<'a> {
        Der::new(self.content)
    }
}

/// Values, one after another.
#[derive(Clone, Copy, Debug)]
pub struct Der<'a> {
    bytes: &'a [u8],
}

impl<'a> Der<'a> {
    pub fn new(bytes: &'a [u8]) -> Der<'a> {
        Der { bytes }
    }

    pub fn next(&mut self) -> Option<Value<'a>> {
        let (&[tag, first], rest) = self.bytes.split_first_chunk()?;
        let (length, head) = if first < 0x80 {
            (usize::from(first), 2)
        } else {
            let width = usize::from(first & 0x7f);
            let digits = rest.get(..width).filter(|_| (1..=4).contains(&width))?;
            let length = digits
                .iter()
                .fold(0, |length, &digit| length << 8 | usize::from(digit));
            (length, 2 + width)
        };
        let end = head.checked_add(length)?;
        let whole = self.bytes.get(..end)?;
        self.bytes = &self.bytes[end..];
        Some(Value {
            tag,
            whole,
            content: &whole[head..],
        })
    }

    /// The next value, which must have this tag.
    pub fn tagged(&mut self, tag: u8) -> Option<Value<'a>> {
        self.next().filter(|value| value.tag == tag)
    }

    /// The next value, if it has this tag.
    pub fn optional(&mut self, tag: u8) -> Option<Value<'a>> {
        if self.bytes.first() != Some(&tag) {
            return None;
        }
        self.next()
    }
}

impl<'a> Iterator for Der<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Value<'a>> {
        Der::next(self)
    }
}

/// A positive number without leading zeros.
pub fn unsigned(content: &[u8]) -> &[u8] {
    let zeros = content.iter().take_while(|&&byte| byte == 0).count();
    &content[zeros..]
}

/// A value, written.
pub fn wrapped(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len().to_be_bytes();
    let zeros = length.iter().take_while(|&&digit| digit == 0).count();
    let digits = &length[zeros..];
    let mut out = vec![tag];
    if content.len() >= 0x80 {
        out.push(0x80 | u8::try_from(digits.len()).unwrap_or(0));
    }
    if content.is_empty() {
        out.push(0);
    }
    out.extend_from_slice(digits);
    out.extend_from_slice(content);
    out
}

/// The bytes of a bit string, which must be whole.
pub fn bits(value: Value<'_>) -> Option<&[u8]> {
    value.content.strip_prefix(&[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_taken_one_after_another() {
        let mut der = Der::new(b"\x02\x01\x05\x30\x03\x06\x01\x2a\x04\x81\x01\xff");
        assert_eq!(
            der.tagged(INTEGER).map(|value| value.content),
            Some(&b"\x05"[..])
        );
        assert_eq!(der.optional(SET), None);
        let object = der.tagged(SEQUENCE).and_then(|value| value.inner().next());
        assert_eq!(object.map(|value| value.tag), Some(OBJECT));
        assert_eq!(der.next().map(|value| value.content), Some(&b"\xff"[..]));
        assert_eq!(der.next(), None);
    }

    #[test]
    fn what_is_wrapped_is_read_again() {
        for length in [0, 1, 0x7f, 0x80, 0xff, 0x100, 0x1_0000] {
            let content = vec![7; length];
            let written = wrapped(SET, &content);
            let value = Der::new(&written).tagged(SET).expect("a set");
            assert_eq!((value.whole, value.content), (&written[..], &content[..]));
        }
    }

    #[test]
    fn lengths_that_lie_are_no_values() {
        for bytes in [
            &b"\x30"[..],
            b"\x30\x05\x01",
            b"\x30\x80\0\0",
            b"\x30\x85\x01\x01\x01\x01\x01",
            b"\x30\x84\xff\xff\xff\xff",
        ] {
            assert_eq!(Der::new(bytes).next(), None);
        }
    }
}
