//! Base 64 as a stream, read leniently: both alphabets, blanks anywhere, padding or none.
//! What is no letter of it is passed over and told at the end.

const BLANK: u8 = 64;
const PADDING: u8 = 65;
const WRONG: u8 = 66;

const VALUES: [u8; 256] = {
    let mut values = [WRONG; 256];
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut at = 0;
    let mut value = 0;
    while at < letters.len() {
        values[letters[at] as usize] = value;
        at += 1;
        value += 1;
    }
    values[b'-' as usize] = 62;
    values[b'_' as usize] = 63;
    values[b' ' as usize] = BLANK;
    values[b'\n' as usize] = BLANK;
    values[b'\r' as usize] = BLANK;
    values[b'\t' as usize] = BLANK;
    values[b'=' as usize] = PADDING;
    values
};

#[derive(Clone, Debug, Default)]
pub struct Base64 {
    bits: u32,
    /// Letters in `bits`.
    count: u32,
    letters: u64,
    is_padded: bool,
    is_odd: bool,
}

impl Base64 {
    /// Whether these bytes could be part of such a text.
    pub fn may_be(text: &[u8]) -> bool {
        text.iter().all(|&byte| VALUES[usize::from(byte)] != WRONG)
    }

    /// Decodes into `out`, after what is there.
    pub fn push(&mut self, text: &[u8], out: &mut Vec<u8>) {
        let mut rest = text;
        while !rest.is_empty() {
            if self.count == 0 && !self.is_padded {
                rest = self.groups(rest, out);
            }
            let Some((&byte, after)) = rest.split_first() else {
                return;
            };
            rest = after;
            self.letter(VALUES[usize::from(byte)], out);
        }
    }

    /// Whole groups of four letters, up to the first that is not one.
    fn groups<'a>(&mut self, text: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
        let mut rest = text;
        out.reserve(text.len() / 4 * 3);
        while let Some((group, after)) = rest.split_first_chunk::<4>() {
            let [a, b, c, d] = group.map(|byte| VALUES[usize::from(byte)]);
            if (a | b | c | d) >= BLANK {
                break;
            }
            let bits = u32::from(a) << 18 | u32::from(b) << 12 | u32::from(c) << 6 | u32::from(d);
            out.extend_from_slice(&bits.to_be_bytes()[1..]);
            rest = after;
        }
        self.letters += (text.len() - rest.len()) as u64;
        rest
    }

    fn letter(&mut self, value: u8, out: &mut Vec<u8>) {
        match value {
            BLANK => {}
            PADDING => {
                self.is_odd |= self.count == 1;
                self.flush(out);
                self.is_padded = true;
            }
            WRONG => self.is_odd = true,
            value => {
                // Some writers join texts that were padded each for itself.
                self.is_padded = false;
                self.letters += 1;
                self.bits = self.bits << 6 | u32::from(value);
                self.count += 1;
                if self.count == 4 {
                    out.extend_from_slice(&self.bits.to_be_bytes()[1..]);
                    (self.bits, self.count) = (0, 0);
                }
            }
        }
    }

    /// The letters of a group that is not full.
    fn flush(&mut self, out: &mut Vec<u8>) {
        let bits = (self.bits << (6 * (4 - self.count.max(1)))).to_be_bytes();
        match self.count {
            2 => out.push(bits[1]),
            3 => out.extend_from_slice(&bits[1..3]),
            _ => {}
        }
        (self.bits, self.count) = (0, 0);
    }

    /// The text ends here. Returns whether it was sound.
    pub fn finish(&mut self, out: &mut Vec<u8>) -> bool {
        self.is_odd |= self.count == 1;
        self.flush(out);
        !self.is_odd
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(text: &[u8], cut: usize) -> (Vec<u8>, bool) {
        let mut base64 = Base64::default();
        let mut out = Vec::new();
        for piece in text.chunks(cut) {
            base64.push(piece, &mut out);
        }
        let is_sound = base64.finish(&mut out);
        (out, is_sound)
    }

    #[test]
    fn texts_are_decoded_however_they_are_cut() {
        let cases: [(&[u8], &[u8], bool); 11] = [
            (b"", b"", true),
            (b"Zg==", b"f", true),
            (b"Zg", b"f", true),
            (b"Zm8=", b"fo", true),
            (b"Zm9v", b"foo", true),
            (b"Zm9v\r\nYmFy\n", b"foobar", true),
            (b"-_-_+/+/", &[0xfb, 0xff, 0xbf, 0xfb, 0xff, 0xbf], true),
            (b"Zg==Zm9v", b"ffoo", true),
            (b"Z", b"", false),
            (b"Zm*9v", b"foo", false),
            (b"Zm9vZ===", b"foo", false),
        ];
        for (text, bytes, is_sound) in cases {
            for cut in 1..=text.len().max(1) {
                assert_eq!(
                    decoded(text, cut),
                    (bytes.to_vec(), is_sound),
                    "{text:?} by {cut}"
                );
            }
        }
    }

    #[test]
    fn other_texts_are_told_from_it() {
        assert!(Base64::may_be(b"iVBORw0KGgo="));
        assert!(!Base64::may_be(b"function(){}"));
    }
}
