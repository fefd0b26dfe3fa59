//! Cuts a stream of text into lines, however it comes.

use crate::limits::CDX_LINE_BYTES_MAX;

/// A line, without the newline that ends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    pub bytes: Vec<u8>,
    /// Bytes that it took, with its newline.
    pub taken: u64,
    /// False where it was longer than lines may be: `bytes` is how it begins.
    pub is_whole: bool,
}

impl Cut {
    /// This line and what follows it, as one.
    pub fn joined(mut self, next: &Cut) -> Cut {
        let room = CDX_LINE_BYTES_MAX.saturating_sub(self.bytes.len());
        self.is_whole &= next.is_whole && next.bytes.len() <= room;
        self.bytes
            .extend_from_slice(&next.bytes[..next.bytes.len().min(room)]);
        self.taken += next.taken;
        self
    }
}

#[derive(Default)]
pub struct Lines {
    held: Vec<u8>,
    taken: u64,
}

impl Lines {
    /// Whether the next byte begins a line.
    pub fn is_between(&self) -> bool {
        self.taken == 0
    }

    /// Takes bytes up to the end of a line. Returns how many, and the line if it ended.
    pub fn take(&mut self, bytes: &[u8]) -> (usize, Option<Cut>) {
        let found = memchr::memchr(b'\n', bytes);
        let content = found.unwrap_or(bytes.len());
        let room = CDX_LINE_BYTES_MAX.saturating_sub(self.held.len());
        self.held.extend_from_slice(&bytes[..content.min(room)]);
        let taken = found.map_or(content, |at| at + 1);
        self.taken += taken as u64;
        (taken, found.and_then(|_| self.cut(1)))
    }

    /// The line that nothing ended, if there is one.
    pub fn finish(&mut self) -> Option<Cut> {
        if self.taken == 0 { None } else { self.cut(0) }
    }

    fn cut(&mut self, newline: u64) -> Option<Cut> {
        let taken = std::mem::take(&mut self.taken);
        let bytes = std::mem::take(&mut self.held);
        let is_whole = bytes.len() as u64 + newline == taken;
        Some(Cut {
            bytes,
            taken,
            is_whole,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_the_same_at_every_split() {
        let text = b"one\n\ntwo\r\nthree";
        let cut = |window: usize| {
            let mut lines = Lines::default();
            let mut cuts = Vec::new();
            for piece in text.chunks(window) {
                let mut at = 0;
                while at < piece.len() {
                    let (taken, cut) = lines.take(&piece[at..]);
                    at += taken;
                    cuts.extend(cut);
                }
            }
            cuts.extend(lines.finish());
            cuts
        };
        let whole = cut(usize::MAX);
        let texts: Vec<&[u8]> = whole.iter().map(|cut| &cut.bytes[..]).collect();
        assert_eq!(texts, [&b"one"[..], b"", b"two\r", b"three"]);
        for window in 1..text.len() {
            assert_eq!(cut(window), whole, "in pieces of {window}");
        }
    }

    #[test]
    fn a_line_without_end_takes_no_more_than_its_limit() {
        let mut lines = Lines::default();
        let piece = vec![b'x'; 300_000];
        for _ in 0..10 {
            assert_eq!(lines.take(&piece), (piece.len(), None));
            assert!(lines.held.len() <= CDX_LINE_BYTES_MAX);
        }
        let (_, cut) = lines.take(b"\n");
        let cut = cut.expect("a line");
        assert!(!cut.is_whole && cut.taken == 3_000_001);
    }
}
