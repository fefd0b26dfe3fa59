//! Turns a stored HTTP body into the content that a browser would show: de-chunked, then decoded.
//! What is not encoded as it claims passes through as it is, as browsers and other readers do it.

use memchr::memchr;
use zlib_rs::{Inflate, InflateFlush, Status};

use super::http::HttpHead;

const CHUNK_LINE_BYTES_MAX: usize = 4 << 10;
const STEP_BYTES: usize = 64 << 10;

/// How decoding went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyOutcome {
    /// As it says.
    Sound,
    /// The chunking breaks off.
    BadChunk,
    /// The content encoding breaks off.
    BadEncoding,
    /// Encoded in a way that this module does not decode; what came out is still encoded.
    StillEncoded,
}

pub struct BodyDecoder {
    chunks: Option<Chunks>,
    coding: Coding,
    outcome: BodyOutcome,
}

enum Coding {
    Identity,
    Deflate(Box<Deflate>),
    Unknown,
}

impl BodyDecoder {
    /// A decoder for the body that follows `head`; without a head the body is plain.
    pub fn new(head: Option<&HttpHead>) -> BodyDecoder {
        let Some(head) = head.filter(|head| !head.is_decoded) else {
            return BodyDecoder {
                chunks: None,
                coding: Coding::Identity,
                outcome: BodyOutcome::Sound,
            };
        };
        let is_chunked = head
            .get("Transfer-Encoding")
            .is_some_and(|value| names(&value, b"chunked"));
        let coding = match head.get("Content-Encoding") {
            None => Coding::Identity,
            Some(value) => coding_of(value.trim_ascii()),
        };
        let outcome = if matches!(coding, Coding::Unknown) {
            BodyOutcome::StillEncoded
        } else {
            BodyOutcome::Sound
        };
        BodyDecoder {
            chunks: is_chunked.then(Chunks::default),
            coding,
            outcome,
        }
    }

    /// Decodes the next stored bytes and hands what they give to `out`, in pieces.
    pub fn push(&mut self, bytes: &[u8], out: &mut impl FnMut(&[u8])) {
        let BodyDecoder {
            chunks,
            coding,
            outcome,
        } = self;
        match chunks {
            None => decode(coding, outcome, bytes, out),
            Some(chunks) => chunks.push(bytes, &mut |data| decode(coding, outcome, data, out)),
        }
    }

    /// The body ends here.
    pub fn finish(&mut self, out: &mut impl FnMut(&[u8])) -> BodyOutcome {
        if let Some(chunks) = &mut self.chunks {
            let (coding, outcome) = (&mut self.coding, &mut self.outcome);
            chunks.finish(&mut |data| decode(coding, outcome, data, out));
            if !chunks.is_sound() && self.outcome == BodyOutcome::Sound {
                self.outcome = BodyOutcome::BadChunk;
            }
        }
        if let Coding::Deflate(deflate) = &mut self.coding
            && !deflate.finish(out)
            && self.outcome == BodyOutcome::Sound
        {
            self.outcome = BodyOutcome::BadEncoding;
        }
        self.outcome
    }
}

fn decode(
    coding: &mut Coding,
    outcome: &mut BodyOutcome,
    bytes: &[u8],
    out: &mut impl FnMut(&[u8]),
) {
    match coding {
        Coding::Identity | Coding::Unknown => out(bytes),
        Coding::Deflate(deflate) => {
            if !deflate.push(bytes, out) && *outcome == BodyOutcome::Sound {
                *outcome = BodyOutcome::BadEncoding;
            }
        }
    }
}

fn names(list: &[u8], name: &[u8]) -> bool {
    list.split(|&byte| byte == b',')
        .any(|item| item.trim_ascii().eq_ignore_ascii_case(name))
}

fn coding_of(value: &[u8]) -> Coding {
    let lower = value.to_ascii_lowercase();
    match lower.as_slice() {
        b"" | b"identity" | b"none" | b"utf-8" => Coding::Identity,
        b"gzip" | b"x-gzip" => Coding::Deflate(Box::new(Deflate::new(Wrapper::Gzip))),
        b"deflate" | b"x-deflate" => Coding::Deflate(Box::new(Deflate::new(Wrapper::Zlib))),
        _ => Coding::Unknown,
    }
}

// Chunked transfer encoding
//   body := (size-line data CRLF)* "0" ... CRLF trailer* CRLF

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ChunkState {
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
struct Chunks {
    state: ChunkState,
    line: Vec<u8>,
    remaining: u64,
    has_chunk: bool,
}

impl Chunks {
    /// Crawlers often store a body de-chunked and keep the header: that is no damage.
    fn is_sound(&self) -> bool {
        self.state == ChunkState::Done || !self.has_chunk
    }

    fn push(&mut self, mut bytes: &[u8], out: &mut impl FnMut(&[u8])) {
        while !bytes.is_empty() {
            bytes = match self.state {
                ChunkState::Size => self.size_line(bytes, out),
                ChunkState::Data => {
                    let taken = usize::try_from(self.remaining)
                        .unwrap_or(usize::MAX)
                        .min(bytes.len());
                    out(&bytes[..taken]);
                    self.remaining -= taken as u64;
                    if self.remaining == 0 {
                        self.state = ChunkState::DataEnd;
                    }
                    &bytes[taken..]
                }
                ChunkState::DataEnd => match bytes[0] {
                    b'\r' if self.line.is_empty() => {
                        self.line.push(b'\r');
                        &bytes[1..]
                    }
                    b'\n' => {
                        self.line.clear();
                        self.state = ChunkState::Size;
                        &bytes[1..]
                    }
                    _ => {
                        self.line.clear();
                        self.state = ChunkState::Plain;
                        bytes
                    }
                },
                ChunkState::Done => &[],
                ChunkState::Plain => {
                    out(bytes);
                    &[]
                }
            };
        }
    }

    fn size_line<'a>(&mut self, bytes: &'a [u8], out: &mut impl FnMut(&[u8])) -> &'a [u8] {
        let Some(end) = memchr(b'\n', bytes) else {
            self.line.extend_from_slice(bytes);
            if self.line.len() > CHUNK_LINE_BYTES_MAX || !may_be_size(&self.line) {
                self.give_up(out);
            }
            return &[];
        };
        self.line.extend_from_slice(&bytes[..=end]);
        match chunk_size(&self.line) {
            Some(0) => self.state = ChunkState::Done,
            Some(size) => {
                self.has_chunk = true;
                self.remaining = size;
                self.state = ChunkState::Data;
            }
            None => {
                self.give_up(out);
                return &bytes[end + 1..];
            }
        }
        self.line.clear();
        &bytes[end + 1..]
    }

    fn give_up(&mut self, out: &mut impl FnMut(&[u8])) {
        self.state = ChunkState::Plain;
        out(&std::mem::take(&mut self.line));
    }

    fn finish(&mut self, out: &mut impl FnMut(&[u8])) {
        if self.state == ChunkState::Size && !self.line.is_empty() {
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

// Content encodings gzip and deflate

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrapper {
    Gzip,
    Zlib,
    /// Some servers send bare deflate data where zlib was meant.
    Bare,
}

struct Deflate {
    inflate: Inflate,
    wrapper: Wrapper,
    /// First bytes, kept until they are seen to decode.
    start: Vec<u8>,
    has_output: bool,
    is_done: bool,
    is_plain: bool,
    out: Vec<u8>,
}

impl Deflate {
    fn new(wrapper: Wrapper) -> Deflate {
        Deflate {
            inflate: inflate_for(wrapper),
            wrapper,
            start: Vec::new(),
            has_output: false,
            is_done: false,
            is_plain: false,
            out: vec![0; STEP_BYTES],
        }
    }

    /// Returns false once the data is found not to be what it claims.
    fn push(&mut self, bytes: &[u8], out: &mut impl FnMut(&[u8])) -> bool {
        if self.is_plain {
            out(bytes);
            return true;
        }
        if self.is_done {
            return true;
        }
        if !self.has_output {
            self.start.extend_from_slice(bytes);
        }
        if self.inflate_all(bytes, out) {
            return true;
        }
        if self.has_output {
            self.is_done = true;
            return false;
        }
        let start = std::mem::take(&mut self.start);
        if self.wrapper == Wrapper::Zlib {
            self.wrapper = Wrapper::Bare;
            self.inflate = inflate_for(Wrapper::Bare);
            self.start.clone_from(&start);
            if self.inflate_all(&start, out) {
                return true;
            }
            if self.has_output {
                self.is_done = true;
                return false;
            }
        }
        // Crawlers often store a body decoded and keep the header: that is no damage.
        self.is_plain = true;
        self.start.clear();
        out(&start);
        true
    }

    fn inflate_all(&mut self, mut bytes: &[u8], out: &mut impl FnMut(&[u8])) -> bool {
        loop {
            let (taken_before, made_before) = (self.inflate.total_in(), self.inflate.total_out());
            let status = self
                .inflate
                .decompress(bytes, &mut self.out, InflateFlush::NoFlush);
            let taken =
                usize::try_from(self.inflate.total_in() - taken_before).unwrap_or(bytes.len());
            let made = usize::try_from(self.inflate.total_out() - made_before).unwrap_or(0);
            bytes = &bytes[taken..];
            if made > 0 {
                self.has_output = true;
                self.start = Vec::new();
                out(&self.out[..made]);
            }
            match status {
                Err(_) => return false,
                Ok(Status::StreamEnd) => {
                    self.has_output = true;
                    // Further members are part of the body; anything else after the end is not.
                    if self.wrapper == Wrapper::Gzip && bytes.starts_with(&[0x1f, 0x8b]) {
                        self.inflate = inflate_for(Wrapper::Gzip);
                        continue;
                    }
                    self.is_done = true;
                    return true;
                }
                Ok(_) if made == 0 && (taken == 0 || bytes.is_empty()) => return true,
                Ok(_) => {}
            }
        }
    }

    fn finish(&mut self, out: &mut impl FnMut(&[u8])) -> bool {
        if !self.has_output && !self.start.is_empty() {
            out(&std::mem::take(&mut self.start));
            return true;
        }
        self.is_done || self.is_plain || !self.has_output
    }
}

fn inflate_for(wrapper: Wrapper) -> Inflate {
    match wrapper {
        Wrapper::Gzip => Inflate::new(true, 16 + 15),
        Wrapper::Zlib => Inflate::new(true, 15),
        Wrapper::Bare => Inflate::new(false, 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(headers: &str, body: &[u8], cut: usize) -> (Vec<u8>, BodyOutcome) {
        let head = HttpHead::of(format!("HTTP/1.1 200 OK\r\n{headers}\r\n\r\n").into_bytes());
        let mut out = Vec::new();
        let mut decoder = BodyDecoder::new(Some(&head));
        let mut keep = |bytes: &[u8]| out.extend_from_slice(bytes);
        decoder.push(&body[..cut], &mut keep);
        decoder.push(&body[cut..], &mut keep);
        let outcome = decoder.finish(&mut keep);
        (out, outcome)
    }

    #[test]
    fn chunks_are_joined_at_every_split() {
        let body =
            b"4;ext=1\r\nWiki\r\n6\r\npedia \r\nE\r\nin \r\n\r\nchunks.\r\n0\r\nTrailer: x\r\n\r\n";
        for cut in 0..=body.len() {
            let (out, outcome) = decoded("Transfer-Encoding: chunked", body, cut);
            assert_eq!(
                String::from_utf8_lossy(&out),
                "Wikipedia in \r\n\r\nchunks.",
                "cut at {cut}"
            );
            assert_eq!(outcome, BodyOutcome::Sound);
        }
    }

    #[test]
    fn what_is_not_chunked_passes_as_it_is() {
        let body = b"<html>plain\n</html>";
        for cut in 0..=body.len() {
            assert_eq!(
                decoded("Transfer-Encoding: chunked", body, cut),
                (body.to_vec(), BodyOutcome::Sound)
            );
        }
    }

    #[test]
    fn chunks_that_break_off_are_told() {
        for body in [&b"4\r\nWik"[..], b"4\r\nWiki\r\n", b"4\r\nWiki\r\nxyz\r\n"] {
            assert_eq!(
                decoded("Transfer-Encoding: chunked", body, 0).1,
                BodyOutcome::BadChunk,
                "{body:?}"
            );
        }
    }

    #[test]
    fn what_is_not_gzip_passes_as_it_is() {
        for (cut, name) in (0..=5).flat_map(|cut| [(cut, "gzip"), (cut, "deflate")]) {
            let (out, outcome) = decoded(&format!("Content-Encoding: {name}"), b"hello", cut);
            assert_eq!(
                (out.as_slice(), outcome),
                (&b"hello"[..], BodyOutcome::Sound),
                "{name} cut at {cut}"
            );
        }
    }

    #[test]
    fn deflate_is_read_with_and_without_its_wrapper() {
        let bare = [0x4b, 0x4c, 0x4a, 0x06, 0x00];
        let zlib = [
            0x78, 0x9c, 0x4b, 0x4c, 0x4a, 0x06, 0x00, 0x02, 0x4d, 0x01, 0x27,
        ];
        for body in [&bare[..], &zlib[..]] {
            for cut in 0..=body.len() {
                let (out, outcome) = decoded("Content-Encoding: deflate", body, cut);
                assert_eq!(
                    (out.as_slice(), outcome),
                    (&b"abc"[..], BodyOutcome::Sound),
                    "cut at {cut}"
                );
            }
        }
    }

    #[test]
    fn unknown_encodings_are_said_to_be_so() {
        assert_eq!(
            decoded("Content-Encoding: br", b"xyz", 1),
            (b"xyz".to_vec(), BodyOutcome::StillEncoded)
        );
    }
}
