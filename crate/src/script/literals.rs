//! Where literals end, and what a short string says.

use super::words::is_word_byte;

/// Where the string ends whose quote stands at `start`.
pub fn string_end(source: &[u8], start: usize) -> Option<usize> {
    let quote = *source.get(start)?;
    let mut at = start + 1;
    loop {
        match *source.get(at)? {
            byte if byte == quote => return Some(at + 1),
            // The line feed of a line end of two bytes goes with it.
            b'\\' if source.get(at + 1) == Some(&b'\r') && source.get(at + 2) == Some(&b'\n') => {
                at += 3;
            }
            b'\\' => at += 2,
            b'\n' | b'\r' => return None,
            _ => at += 1,
        }
    }
}

/// Where a part of a template ends whose opening mark stands at `start`, and whether it is the last one.
pub fn template_end(source: &[u8], start: usize) -> Option<(usize, bool)> {
    let mut at = start + 1;
    loop {
        match *source.get(at)? {
            b'`' => return Some((at + 1, true)),
            b'$' if source.get(at + 1) == Some(&b'{') => return Some((at + 2, false)),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// Where the regular expression ends, flags and all, whose slash stands at `start`.
pub fn regex_end(source: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    let mut is_in_class = false;
    loop {
        match *source.get(at)? {
            b'/' if !is_in_class => break,
            b'[' => is_in_class = true,
            b']' => is_in_class = false,
            b'\\' => {
                at += 1;
                if matches!(source.get(at), Some(b'\n' | b'\r')) {
                    return None;
                }
            }
            b'\n' | b'\r' => return None,
            0xe2 if matches!(source.get(at..at + 3), Some([_, 0x80, 0xa8 | 0xa9])) => return None,
            _ => {}
        }
        at += 1;
    }
    at += 1;
    while source
        .get(at)
        .is_some_and(|byte| byte.is_ascii_alphanumeric())
    {
        at += 1;
    }
    Some(at)
}

/// Where the number ends that begins at `start`.
pub fn number_end(source: &[u8], start: usize) -> usize {
    let byte = |at: usize| source.get(at).copied().unwrap_or(0);
    let digits = |mut at: usize| {
        while byte(at).is_ascii_digit() || byte(at) == b'_' {
            at += 1;
        }
        at
    };
    let mut at = start;
    if byte(at) == b'0' && matches!(byte(at + 1) | 0x20, b'x' | b'o' | b'b') {
        at += 2;
        while byte(at).is_ascii_alphanumeric() || byte(at) == b'_' {
            at += 1;
        }
        return at;
    }
    at = digits(at);
    if byte(at) == b'n' {
        return at + 1;
    }
    // A legacy octal has no fraction: what follows its dot is a property.
    let is_octal = at - start > 1
        && byte(start) == b'0'
        && source[start..at].iter().all(|digit| *digit < b'8');
    if byte(at) == b'.' && !is_octal {
        at = digits(at + 1);
    }
    if byte(at) | 0x20 == b'e' {
        let sign = usize::from(matches!(byte(at + 1), b'+' | b'-'));
        if byte(at + 1 + sign).is_ascii_digit() {
            at = digits(at + 1 + sign);
        }
    }
    at
}

/// What a word or the content of a string says, its escapes read; those that make no ASCII are kept.
pub fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let Some((&mark, after)) = rest.split_first() else {
            break;
        };
        rest = after;
        let digits = match mark {
            b'x' => rest.get(..2).map(|digits| (digits, 2)),
            b'u' if rest.first() == Some(&b'{') => rest
                .iter()
                .position(|byte| *byte == b'}')
                .map(|end| (&rest[1..end], end + 1)),
            b'u' => rest.get(..4).map(|digits| (digits, 4)),
            _ => {
                out.push(mark);
                continue;
            }
        };
        let read = digits.and_then(|(digits, length)| {
            let code = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
            Some((u8::try_from(code).ok().filter(u8::is_ascii)?, length))
        });
        match read {
            Some((letter, length)) => {
                out.push(letter);
                rest = &rest[length..];
            }
            None => out.push(b'\\'),
        }
    }
    out
}

/// Something could be part of the word that ends with this byte.
pub fn joins_words(before: Option<&u8>, text: &str) -> bool {
    let is_word = |byte: Option<&u8>| byte.is_some_and(|byte| is_word_byte(*byte));
    is_word(before) && is_word(text.as_bytes().first())
}
