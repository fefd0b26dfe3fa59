//! CBOR (RFC 8949) as far as web bundles need it: items with definite lengths, read from a slice that may
//! end too soon. Byte and text strings are told by their length; nothing is allocated.

/// What an item is, with the argument of its head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    Uint(u64),
    /// `-1 - n`
    Negative(u64),
    Bytes(u64),
    Text(u64),
    Array(u64),
    /// Pairs.
    Map(u64),
    Tag(u64),
    /// Null, booleans, floats.
    Simple(u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The slice ends first.
    More,
    /// It is no CBOR, or of a kind that web bundles do not use.
    Bad,
}

/// Reads a slice from its start.
#[derive(Clone, Copy, Debug)]
pub struct Cbor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cbor<'a> {
    pub fn new(bytes: &'a [u8]) -> Cbor<'a> {
        Cbor { bytes, at: 0 }
    }

    /// Bytes read so far.
    pub fn at(&self) -> usize {
        self.at
    }

    pub fn take(&mut self, count: u64) -> Result<&'a [u8], Fault> {
        let count = usize::try_from(count).map_err(|_| Fault::More)?;
        let end = self.at.checked_add(count).ok_or(Fault::More)?;
        let taken = self.bytes.get(self.at..end).ok_or(Fault::More)?;
        self.at = end;
        Ok(taken)
    }

    /// The head of the next item; the bytes of a string follow it.
    pub fn item(&mut self) -> Result<Item, Fault> {
        let start = self.at;
        let first = self.take(1)?[0];
        let count = match first & 0x1f {
            0..=23 => 0,
            24 => 1,
            25 => 2,
            26 => 4,
            27 => 8,
            _ => return Err(Fault::Bad),
        };
        let argument = match self.take(count) {
            Ok([]) => u64::from(first & 0x1f),
            Ok(bytes) => bytes
                .iter()
                .fold(0, |sum, &byte| sum << 8 | u64::from(byte)),
            Err(fault) => {
                self.at = start;
                return Err(fault);
            }
        };
        Ok(match first >> 5 {
            0 => Item::Uint(argument),
            1 => Item::Negative(argument),
            2 => Item::Bytes(argument),
            3 => Item::Text(argument),
            4 => Item::Array(argument),
            5 => Item::Map(argument),
            6 => Item::Tag(argument),
            _ => Item::Simple(argument),
        })
    }

    pub fn uint(&mut self) -> Result<u64, Fault> {
        match self.item()? {
            Item::Uint(value) => Ok(value),
            _ => Err(Fault::Bad),
        }
    }

    pub fn array(&mut self) -> Result<u64, Fault> {
        match self.item()? {
            Item::Array(count) => Ok(count),
            _ => Err(Fault::Bad),
        }
    }

    pub fn map(&mut self) -> Result<u64, Fault> {
        match self.item()? {
            Item::Map(count) => Ok(count),
            _ => Err(Fault::Bad),
        }
    }

    pub fn byte_string(&mut self) -> Result<&'a [u8], Fault> {
        match self.item()? {
            Item::Bytes(count) => self.take(count),
            _ => Err(Fault::Bad),
        }
    }

    pub fn text_string(&mut self) -> Result<&'a [u8], Fault> {
        match self.item()? {
            Item::Text(count) => self.take(count),
            _ => Err(Fault::Bad),
        }
    }

    /// Passes over one item with all that is in it.
    pub fn pass_over(&mut self) -> Result<(), Fault> {
        // Items still to come; a hostile count only makes this end with `More`.
        let mut left = 1u64;
        while left > 0 {
            left -= 1;
            let inside = match self.item()? {
                Item::Uint(_) | Item::Negative(_) | Item::Simple(_) => 0,
                Item::Bytes(count) | Item::Text(count) => {
                    self.take(count)?;
                    0
                }
                Item::Array(count) => count,
                Item::Map(count) => count.checked_mul(2).ok_or(Fault::Bad)?,
                Item::Tag(_) => 1,
            };
            left = left.checked_add(inside).ok_or(Fault::Bad)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read_in_every_width() {
        let cases: [(&[u8], Item); 9] = [
            (&[0x17], Item::Uint(23)),
            (&[0x18, 0xff], Item::Uint(255)),
            (&[0x19, 1, 0], Item::Uint(256)),
            (&[0x1a, 0, 1, 0, 0], Item::Uint(65_536)),
            (
                &[0x1b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
                Item::Uint(u64::MAX),
            ),
            (&[0x20], Item::Negative(0)),
            (&[0x82], Item::Array(2)),
            (&[0xa1], Item::Map(1)),
            (&[0xf6], Item::Simple(22)),
        ];
        for (bytes, item) in cases {
            assert_eq!(Cbor::new(bytes).item(), Ok(item));
            for cut in 0..bytes.len() {
                assert_eq!(Cbor::new(&bytes[..cut]).item(), Err(Fault::More));
            }
        }
        assert_eq!(
            Cbor::new(&[0x5f]).item(),
            Err(Fault::Bad),
            "indefinite lengths"
        );
        assert_eq!(Cbor::new(&[0x1c]).item(), Err(Fault::Bad), "reserved");
    }

    #[test]
    fn strings_that_claim_too_much_are_not_there() {
        let mut claim = vec![0x5b];
        claim.extend([0xff; 8]);
        assert_eq!(Cbor::new(&claim).byte_string(), Err(Fault::More));
        assert_eq!(Cbor::new(b"\x43abc").byte_string(), Ok(&b"abc"[..]));
        assert_eq!(Cbor::new(b"\x63abc").byte_string(), Err(Fault::Bad));
    }

    #[test]
    fn an_item_is_passed_over_with_all_that_is_in_it() {
        let bytes = b"\x82\xa1\x61a\x81\x01\xc1\x42xyrest";
        let mut cbor = Cbor::new(bytes);
        assert_eq!(cbor.pass_over(), Ok(()));
        assert_eq!(&bytes[cbor.at()..], b"rest");
        let deep = [0x81; 100_000];
        assert_eq!(Cbor::new(&deep).pass_over(), Err(Fault::More));
        let mut huge = vec![0xbb];
        huge.extend([0xff; 8]);
        assert_eq!(Cbor::new(&huge).pass_over(), Err(Fault::Bad));
    }
}
