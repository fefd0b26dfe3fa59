//! Chunked transfer encoding, as servers and crawlers really wrote it.
//!
//!   body := (size-line data CRLF)* "0" ... CRLF trailer* CRLF
//! What is not chunked passes as it is, and so does what comes after chunking broke off.

use memchr::memchr;

use crate::limits::CHUNK_LINE_BYTES_MAX;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Size,
    Data,
    DataEnd,
    /// After the last chunk: trailers, which are no content.
    Done,
    /// Not chunked, or no longer: bytes pass as they are.
    Plain,
}

#[derive(Default)]
pub struct Chunks {
    state: State,
    line: Vec<u8>,
    remaining: u64,
    has_chunk: bool,
}

impl Chunks {
    /// Crawlers often store a body de-chunked and keep the header: that is no damage.
    pub fn is_sound(&self) -> bool {
        self.state == State::Done || !self.has_chunk
    }

    /// Hands on the content of the next stored bytes.
    pub fn push(&mut self, mut bytes: &[u8], out: &mut dyn FnMut(&[u8])) {
        while !bytes.is_empty() {
            bytes = match self.state {
                State::Size => self.size_line(bytes, out),
                State::Data => {
                    let taken = usize::try_from(self.remaining)
                        .unwrap_or(usize::MAX)
                        .min(bytes.len());
                    out(&bytes[..taken]);
                    self.remaining -= taken as u64;
                    if self.remaining == 0 {
                        self.state = State::DataEnd;
                    }
                    &bytes[taken..]
                }
                State::DataEnd => self.data_end(bytes),
                State::Done => &[],
                State::Plain => {
                    out(bytes);
                    &[]
                }
            };
        }
    }

    fn data_end<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        match bytes[0] {
            b'\r' if self.line.is_empty() => {
                self.line.push(b'\r');
                &bytes[1..]
            }
            b'\n' => {
                self.line.clear();
                self.state = State::Size;
                &bytes[1..]
            }
            _ => {
                self.line.clear();
                self.state = State::Plain;
                bytes
            }
        }
    }

    fn size_line<'a>(&mut self, bytes: &'a [u8], out: &mut dyn FnMut(&[u8])) -> &'a [u8] {
        let Some(end) = memchr(b'\n', bytes) else {
            self.line.extend_from_slice(bytes);
            if self.line.len() > CHUNK_LINE_BYTES_MAX || !may_be_size(&self.line) {
                self.give_up(out);
            }
            return &[];
        };
        self.line.extend_from_slice(&bytes[..=end]);
        match chunk_size(&self.line) {
            Some(0) => self.state = State::Done,
            Some(size) => {
                self.has_chunk = true;
                self.remaining = size;
                self.state = State::Data;
            }
            None => {
                self.give_up(out);
                return &bytes[end + 1..];
            }
        }
        self.line.clear();
        &bytes[end + 1..]
    }

    fn give_up(&mut self, out: &mut dyn FnMut(&[u8])) {
        self.state = State::Plain;
        out(&std::mem::take(&mut self.line));
    }

    /// The body ends here.
    pub fn finish(&mut self, out: &mut dyn FnMut(&[u8])) {
        if self.state == State::Size && !self.line.is_empty() {
            self.give_up(out);
        }
    }
}

fn may_be_size(line: &[u8]) -> bool {
    line.trim_ascii_start()
        .first()
        .is_none_or(u8::is_ascii_hexdigit)
}

fn chunk_size(line: &[u8]) -> Option<u64> {
    let end = memchr(b';', line).unwrap_or(line.len());
    let digits = std::str::from_utf8(line[..end].trim_ascii()).ok()?;
    if digits.starts_with('+') {
        return None;
    }
    u64::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(body: &[u8], cut: usize) -> (Vec<u8>, bool) {
        let mut chunks = Chunks::default();
        let mut out = Vec::new();
        let mut keep = |bytes: &[u8]| out.extend_from_slice(bytes);
        chunks.push(&body[..cut], &mut keep);
        chunks.push(&body[cut..], &mut keep);
        chunks.finish(&mut keep);
        (out, chunks.is_sound())
    }

    #[test]
    fn chunks_are_joined_at_every_split() {
        let body =
            b"4;ext=1\r\nWiki\r\n6\r\npedia \r\nE\r\nin \r\n\r\nchunks.\r\n0\r\nTrailer: x\r\n\r\n";
        for cut in 0..=body.len() {
            let (out, is_sound) = joined(body, cut);
            assert_eq!(
                String::from_utf8_lossy(&out),
                "Wikipedia in \r\n\r\nchunks.",
                "cut at {cut}"
            );
            assert!(is_sound);
        }
    }

    #[test]
    fn what_is_not_chunked_passes_as_it_is() {
        for body in [&b"<html>plain\n</html>"[..], b"abc", b"face", b"+4\r\nWiki"] {
            for cut in 0..=body.len() {
                assert_eq!(joined(body, cut), (body.to_vec(), true), "cut at {cut}");
            }
        }
    }

    #[test]
    fn chunks_that_break_off_are_told_and_what_follows_passes() {
        for (body, content) in [
            (&b"4\r\nWik"[..], &b"Wik"[..]),
            (b"4\r\nWiki\r\n", b"Wiki"),
            (b"4\r\nWiki\r\nxyz\r\n", b"Wikixyz\r\n"),
            (b"4\r\nWikipedia", b"Wikipedia"),
            (b"4\r\nWiki\r\nFFFFFFFFFFFFFFFF\r\npedia", b"Wikipedia"),
            (
                b"4\r\nWiki\r\n10000000000000000\r\nx",
                b"Wiki10000000000000000\r\nx",
            ),
        ] {
            for cut in 0..=body.len() {
                assert_eq!(
                    joined(body, cut),
                    (content.to_vec(), false),
                    "{body:?} cut at {cut}"
                );
            }
        }
    }

    #[test]
    fn a_size_line_without_an_end_is_not_kept_for_ever() {
        let mut chunks = Chunks::default();
        let mut passed = 0;
        for _ in 0..100 {
            chunks.push(&[b'1'; 1000], &mut |bytes| passed += bytes.len());
            assert!(chunks.line.len() <= CHUNK_LINE_BYTES_MAX + 1000);
        }
        assert_eq!(passed, 100_000);
    }
}
