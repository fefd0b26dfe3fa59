//! Reads every record in full and tells of each in a JSON line: the engine behind `records`.
//!
//!   line := {"offset":N,"length":N,"type":T, ... ,"raw_sha1":HEX, ...} | {"damage":CODE,"offset":N,"skipped":N,"message":T}
//! Where a file has parts, or was named, `"file":"FILE!PART"` goes ahead. A field that the record does not have is absent. `body_*` is absent where the body could not be decoded.

use md5::Md5;
use sha1::{Digest, Sha1};
use sha2::Sha256;

use crate::archive::{
    BodyDecoder, BodyOutcome, HttpHead, Part, Record, RecordType, Sink, WarcHead,
};
use crate::error::{Damage, code};
use crate::json::Line;
use crate::limits::INSPECT_BODY_BYTES_MAX;

/// A digest of some algorithm, kept while the bytes stream by.
enum Hasher {
    Sha1(Sha1),
    Sha256(Box<Sha256>),
    Md5(Md5),
}

impl Hasher {
    fn named(name: &[u8]) -> Option<Hasher> {
        match name.to_ascii_lowercase().as_slice() {
            b"sha1" | b"sha-1" => Some(Hasher::Sha1(Sha1::new())),
            b"sha256" | b"sha-256" => Some(Hasher::Sha256(Box::new(Sha256::new()))),
            b"md5" => Some(Hasher::Md5(Md5::new())),
            _ => None,
        }
    }

    fn update(&mut self, bytes: &[u8]) {
        match self {
            Hasher::Sha1(hasher) => hasher.update(bytes),
            Hasher::Sha256(hasher) => hasher.update(bytes),
            Hasher::Md5(hasher) => hasher.update(bytes),
        }
    }

    fn finish(self) -> Vec<u8> {
        match self {
            Hasher::Sha1(hasher) => hasher.finalize().to_vec(),
            Hasher::Sha256(hasher) => hasher.finalize().to_vec(),
            Hasher::Md5(hasher) => hasher.finalize().to_vec(),
        }
    }
}

/// A digest that a record states, compared with what was read.
struct Check {
    stated: Vec<u8>,
    raw: Hasher,
    body: Hasher,
}

impl Check {
    fn of(value: &[u8]) -> Option<Check> {
        let colon = value.iter().position(|&byte| byte == b':')?;
        let (raw, body) = (
            Hasher::named(&value[..colon])?,
            Hasher::named(&value[..colon])?,
        );
        Some(Check {
            stated: value[colon + 1..].trim_ascii().to_vec(),
            raw,
            body,
        })
    }

    /// Writers disagree whether a payload digest is made before or after de-chunking; either will do.
    fn holds(self) -> bool {
        let Check { stated, raw, body } = self;
        [raw.finish(), body.finish()]
            .iter()
            .any(|digest| is_written(digest, &stated))
    }
}

struct Current {
    line: Line,
    kind: RecordType,
    /// Its name, known or not.
    stated_kind: Vec<u8>,
    content_type: Option<Vec<u8>>,
    content_length: Option<Vec<u8>>,
    payload_digest: Option<Vec<u8>>,
    status: Option<Vec<u8>>,
    te: Option<Vec<u8>>,
    ce: Option<Vec<u8>>,
    payload: Option<Check>,
    block: Option<Check>,
    raw: Sha1,
    raw_len: u64,
    body: Sha1,
    body_len: u64,
    decoder: BodyDecoder,
    is_too_large: bool,
}

/// Gathers lines; the host takes them away as they come.
#[derive(Default)]
pub struct Inspector {
    current: Option<Current>,
    lines: String,
    damage_count: u64,
    file: Vec<u8>,
    /// Whether lines say the file even where it has no parts.
    is_always_named: bool,
    part: Vec<u8>,
    /// The only part to tell of; empty for all of them.
    chosen: Vec<u8>,
    has_found_chosen: bool,
}

impl Inspector {
    pub fn new() -> Inspector {
        Inspector::default()
    }

    /// Names the file in lines about its parts, or in all of them.
    pub fn name_file(&mut self, name: &[u8], is_always: bool) {
        self.file = name.to_vec();
        self.is_always_named = is_always;
    }

    /// Tells of one part only.
    pub fn choose_part(&mut self, name: &[u8]) {
        self.chosen = name.to_vec();
    }

    /// Whether the chosen part was there.
    pub fn has_found_chosen(&self) -> bool {
        self.chosen.is_empty() || self.has_found_chosen
    }

    /// A line that says where it is about, if that is not plain.
    fn line(&self) -> Line {
        let mut line = Line::new();
        let place = match (self.file.is_empty(), self.part.is_empty()) {
            (_, true) if self.is_always_named => self.file.clone(),
            (_, true) => return line,
            (true, false) => self.part.clone(),
            (false, false) => [&self.file, &b"!"[..], &self.part].concat(),
        };
        line.string("file", &place);
        line
    }

    /// The lines since the last call.
    pub fn take(&mut self) -> String {
        std::mem::take(&mut self.lines)
    }

    pub fn damage_count(&self) -> u64 {
        self.damage_count
    }
}

impl Sink for Inspector {
    fn begin(&mut self, head: &WarcHead) {
        let stated = head.get("WARC-Payload-Digest");
        let mut line = Line::new();
        line.optional("uri", head.uri().as_deref());
        line.optional("date", head.get("WARC-Date").as_deref());
        let block = head
            .get("WARC-Block-Digest")
            .and_then(|value| Check::of(&value));
        self.current = Some(Current {
            line,
            kind: head.kind(),
            stated_kind: head.stated_kind(),
            content_type: head.get("Content-Type"),
            content_length: head.get("Content-Length"),
            payload: stated.as_deref().and_then(Check::of),
            payload_digest: stated,
            status: None,
            te: None,
            ce: None,
            block,
            raw: Sha1::new(),
            raw_len: 0,
            body: Sha1::new(),
            body_len: 0,
            decoder: BodyDecoder::new(None),
            is_too_large: false,
        });
    }

    fn http(&mut self, head: &HttpHead) {
        let Some(current) = &mut self.current else {
            return;
        };
        current.content_type = if head.is_response() {
            head.get("Content-Type")
        } else {
            None
        };
        current.status = head.status().map(<[u8]>::to_vec);
        current.te = head.get("Transfer-Encoding");
        current.ce = head.get("Content-Encoding");
        current.decoder = BodyDecoder::new(Some(head));
        if let Some(block) = &mut current.block {
            block.raw.update(&head.raw);
        }
    }

    fn body(&mut self, bytes: &[u8]) {
        let Some(current) = &mut self.current else {
            return;
        };
        current.raw.update(bytes);
        current.raw_len += bytes.len() as u64;
        if let Some(block) = &mut current.block {
            block.raw.update(bytes);
        }
        if let Some(payload) = &mut current.payload {
            payload.raw.update(bytes);
        }
        if !current.is_too_large {
            let Current {
                decoder,
                body,
                body_len,
                payload,
                ..
            } = current;
            decoder.push(bytes, &mut |data| take_body(body, body_len, payload, data));
            current.is_too_large = *body_len > INSPECT_BODY_BYTES_MAX;
        }
    }

    fn end(&mut self, record: &Record) {
        let Some(mut current) = self.current.take() else {
            return;
        };
        let Current {
            decoder,
            body,
            body_len,
            payload,
            ..
        } = &mut current;
        let outcome = decoder.finish(&mut |data| take_body(body, body_len, payload, data));
        let is_request = current.kind == RecordType::Request;
        let mut line = self.line();
        line.number("offset", record.offset);
        line.number("length", record.length);
        line.string("type", &current.stated_kind);
        line.merge(current.line);
        line.optional("status", current.status.as_deref());
        line.optional("mime", current.content_type.as_deref());
        line.optional("content_length", current.content_length.as_deref());
        line.optional("payload_digest", current.payload_digest.as_deref());
        line.number("raw_len", current.raw_len);
        line.string("raw_sha1", hex(&current.raw.finalize()).as_bytes());
        if outcome != BodyOutcome::StillEncoded && !current.is_too_large {
            line.number("body_len", current.body_len);
            line.string("body_sha1", hex(&current.body.finalize()).as_bytes());
        }
        if !is_request {
            line.optional("te", current.te.as_deref());
            line.optional("ce", current.ce.as_deref());
        }
        // A revisit states the digest of a payload that it does not carry.
        let payload = current
            .payload
            .filter(|_| current.kind != RecordType::Revisit);
        if let Some(check) = payload.or(current.block) {
            line.boolean("digest_ok", check.holds());
        }
        self.lines.push_str(&line.end());
        let trouble = match outcome {
            _ if current.is_too_large => Some((
                code::HTTP_TOO_LARGE,
                "the body decodes to more than the limit",
            )),
            BodyOutcome::BadChunk => Some((
                code::HTTP_BAD_CHUNK,
                "the body is not chunked as its header says",
            )),
            BodyOutcome::BadEncoding => Some((
                code::HTTP_BAD_ENCODING,
                "the body is not encoded as its header says",
            )),
            BodyOutcome::Sound | BodyOutcome::StillEncoded => None,
        };
        if let Some((code, message)) = trouble.filter(|_| current.raw_len > 0) {
            self.damage(Damage {
                code,
                offset: record.offset,
                skipped: 0,
                message: message.into(),
            });
        }
    }

    fn abandon(&mut self) {
        self.current = None;
    }

    fn damage(&mut self, damage: Damage) {
        self.damage_count += 1;
        let mut line = self.line();
        line.string("damage", damage.code.as_bytes());
        line.number("offset", damage.offset);
        line.number("skipped", damage.skipped);
        line.string("message", damage.message.as_bytes());
        self.lines.push_str(&line.end());
    }

    fn wants_proof(&self) -> bool {
        true
    }

    fn part(&mut self, part: &Part) {
        self.part.clone_from(&part.name);
        self.has_found_chosen |= part.name == self.chosen;
    }

    /// What lies in the chosen part, or holds it.
    fn wants_part(&self, part: &Part) -> bool {
        let is_within = |outer: &[u8], inner: &[u8]| {
            let rest = inner.strip_prefix(outer);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"!"))
        };
        self.chosen.is_empty()
            || is_within(&self.chosen, &part.name)
            || is_within(&part.name, &self.chosen)
    }

    fn is_full(&self) -> bool {
        self.lines.len() > 1 << 20
    }
}

fn take_body(body: &mut Sha1, body_len: &mut u64, payload: &mut Option<Check>, data: &[u8]) {
    body.update(data);
    *body_len += data.len() as u64;
    if let Some(payload) = payload {
        payload.body.update(data);
    }
}

fn hex(digest: &[u8]) -> String {
    use std::fmt::Write;
    digest.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Whether `text` is the digest in base 32 or base 16.
fn is_written(digest: &[u8], text: &[u8]) -> bool {
    let text: Vec<u8> = text.iter().copied().filter(|&byte| byte != b'=').collect();
    text.eq_ignore_ascii_case(hex(digest).as_bytes())
        || text.eq_ignore_ascii_case(base32(digest).as_bytes())
}

fn base32(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let mut text = String::new();
    for group in bytes.chunks(5) {
        let mut bits = [0u8; 8];
        bits[3..3 + group.len()].copy_from_slice(group);
        let word = u64::from_be_bytes(bits);
        let letters = (group.len() * 8).div_ceil(5);
        for at in 0..letters {
            let index = (word >> (35 - 5 * at)) & 31;
            text.push(char::from(ALPHABET[index as usize]));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_recognised_in_either_base() {
        let digest = Sha1::digest(b"abc");
        assert!(is_written(&digest, b"VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5"));
        assert!(is_written(
            &digest,
            b"a9993e364706816aba3e25717850c26c9cd0d89d"
        ));
        assert!(!is_written(&digest, b"VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE6"));
        assert_eq!(base32(b"foobar"), "MZXW6YTBOI");
    }
}
