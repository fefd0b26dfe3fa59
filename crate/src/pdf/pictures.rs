//! Pictures that stand within what a page draws: they are taken out before that is read, each once. Where one ends is only
//! to be guessed, and guessing anew for every beginning takes the square of the time.

use std::borrow::Cow;

use memchr::memmem;

/// Bytes behind a picture that tell whether it ended there: content is a text.
const LOOK: usize = 12;

/// The content with blanks where pictures were.
pub fn without_pictures(content: &[u8]) -> Cow<'_, [u8]> {
    if memmem::find(content, b"BI").is_none() {
        return Cow::Borrowed(content);
    }
    let mut blanked = content.to_vec();
    let mut at = 0;
    let mut has_ends = true;
    while at < content.len() {
        match content[at] {
            b'(' => at = behind_string(content, at),
            b'/' => {
                at += 1 + content[at + 1..]
                    .iter()
                    .take_while(|byte| is_regular(**byte))
                    .count()
            }
            b'%' => {
                at += content[at..]
                    .iter()
                    .take_while(|byte| !matches!(byte, b'\r' | b'\n'))
                    .count()
            }
            byte if is_regular(byte) => {
                let end = at
                    + content[at..]
                        .iter()
                        .take_while(|byte| is_regular(**byte))
                        .count();
                let mut next = end;
                if &content[at..end] == b"BI" {
                    let picture_end = if has_ends {
                        behind_picture(content, end)
                    } else {
                        None
                    };
                    has_ends = picture_end.is_some();
                    next = picture_end.unwrap_or(end);
                    blanked[at..next].fill(b' ');
                }
                at = next;
            }
            _ => at += 1,
        }
    }
    Cow::Owned(blanked)
}

/// The first place behind `EI` that what follows it does not speak against.
fn behind_picture(content: &[u8], from: usize) -> Option<usize> {
    let mut ends = memmem::find_iter(&content[from..], b"EI").map(|found| from + found);
    ends.find(|&at| {
        let behind = &content[at + 2..];
        let is_apart = content[at - 1].is_ascii_whitespace()
            && behind.first().is_none_or(|byte| !is_regular(*byte));
        let mut look = behind.iter().take(LOOK);
        is_apart && look.all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace())
    })
    .map(|at| at + 2)
}

fn behind_string(content: &[u8], from: usize) -> usize {
    let mut depth = 0usize;
    let mut at = from;
    while let Some(byte) = content.get(at) {
        at += 1;
        match byte {
            b'\\' => at += 1,
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    at.min(content.len())
}

/// Part of a word.
fn is_regular(byte: u8) -> bool {
    !byte.is_ascii_whitespace() && !b"()<>[]{}/%\0".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(content: &[u8]) -> String {
        String::from_utf8_lossy(&without_pictures(content))
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn pictures_are_taken_out_and_nothing_else() {
        assert_eq!(
            words(b"q BI /W 1 /H 1 ID \xff\xfe EI\xff\n EI Q (a) Tj"),
            "q Q (a) Tj"
        );
        assert_eq!(
            words(b"(BI ID EI) Tj (\\) BI) Tj /BI gs BIx"),
            "(BI ID EI) Tj (\\) BI) Tj /BI gs BIx"
        );
        assert_eq!(
            words(b"% BI\n1 w BI never ends (a) Tj"),
            "% BI 1 w never ends (a) Tj"
        );
        assert!(matches!(without_pictures(b"(a) Tj"), Cow::Borrowed(_)));
    }
}
