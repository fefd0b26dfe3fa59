//! Any bytes as the body of a response with any codings: the first line names them.
#![no_main]

use stackroom::archive::{BodyDecoder, Content, HttpHead};

/// More than this in one piece is not asked of the decoder: bombs are weighed elsewhere.
const OUT_BYTES_MAX: usize = 64 << 20;

#[derive(Default)]
struct Weighed {
    length: usize,
    sum: u64,
}

impl Content for Weighed {
    fn content(&mut self, bytes: &[u8]) {
        self.length += bytes.len();
        for &byte in bytes {
            self.sum = self.sum.wrapping_mul(31).wrapping_add(u64::from(byte));
        }
    }

    fn is_full(&self) -> bool {
        self.length > OUT_BYTES_MAX
    }
}

fn decoded(head: &HttpHead, pieces: &[&[u8]]) -> (usize, u64, String) {
    let mut decoder = BodyDecoder::new(Some(head));
    let mut weighed = Weighed::default();
    for piece in pieces {
        decoder.push(piece, &mut weighed);
    }
    decoder.finish(&mut weighed);
    (weighed.length, weighed.sum, format!("{:?}", decoder.outcome()))
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let line = bytes.iter().position(|&byte| byte == b'\n').unwrap_or(0);
    let (codings, body) = bytes.split_at(line);
    let fields: Vec<&[u8]> = codings.splitn(2, |&byte| byte == b'|').collect();
    let mut head = b"HTTP/1.1 200 OK\r\n".to_vec();
    for (name, value) in ["Transfer-Encoding", "Content-Encoding"].iter().zip(fields) {
        head.extend_from_slice(name.as_bytes());
        head.extend_from_slice(b": ");
        head.extend_from_slice(value);
        head.extend_from_slice(b"\r\n");
    }
    head.extend_from_slice(b"\r\n");
    let mut head = HttpHead::of(head);
    head.parse();
    let whole = decoded(&head, &[body]);
    if whole.0 < OUT_BYTES_MAX {
        let middle = body.len() / 2;
        let apart = decoded(&head, &[&body[..middle], &body[middle..]]);
        assert_eq!(whole, apart);
    }
});
