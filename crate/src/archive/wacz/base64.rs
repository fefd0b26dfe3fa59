//! Base 64, as keys, signatures and certificates are written.

/// The bytes that a text stands for; blanks and line ends do not count.
pub fn decoded(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut width) = (0u32, 0);
    let letters = text
        .iter()
        .copied()
        .filter(|byte| !byte.is_ascii_whitespace());
    for letter in letters.take_while(|&letter| letter != b'=') {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(value)) & 0xff_ffff;
        width += 6;
        if width >= 8 {
            width -= 8;
            out.push(u8::try_from(bits >> width & 0xff).unwrap_or(0));
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_any_length_are_decoded() {
        assert_eq!(decoded(b"Zm9vYmFy").as_deref(), Some(&b"foobar"[..]));
        assert_eq!(decoded(b"Zm9v\r\nYmE=").as_deref(), Some(&b"fooba"[..]));
        assert_eq!(decoded(b"Zg==").as_deref(), Some(&b"f"[..]));
        assert_eq!(decoded(b""), Some(Vec::new()));
        assert_eq!(decoded(b"Zg!"), None);
    }
}
