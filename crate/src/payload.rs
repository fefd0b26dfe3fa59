//! Reads the payload of one record in full: how long it is, stored and decoded, its digests, and how decoding went.
//!
//! Decoding is bounded by what the file earns: a file of nothing but bombs ends in reports, not in a day of work.

use sha1::{Digest, Sha1};

use crate::archive::{BodyDecoder, BodyOutcome, Content, HttpHead, Record, WarcHead};
use crate::digest::{Verdicts, Verifier};
use crate::error::{Code, Damage, code};
use crate::limits::{
    EXPANSION_BYTES_FREE, EXPANSION_PER_BYTE, EXPANSION_RATIO_USUAL, INSPECT_BODY_BYTES_MAX,
};

/// What decoding bodies may still cost in a file.
#[derive(Default)]
pub struct Budget {
    /// Bytes that records take in the file.
    read: u64,
    /// Bytes that bodies decoded to beyond what is usual.
    expanded: u64,
}

impl Budget {
    /// Bytes that a body may decode to now.
    pub fn left(&self) -> u64 {
        let earned = self.read.saturating_mul(EXPANSION_PER_BYTE);
        earned
            .saturating_add(EXPANSION_BYTES_FREE)
            .saturating_sub(self.expanded)
    }

    /// A record of so many bytes was read, whose payload has so many as it is stored and came to so many.
    pub fn spend(&mut self, record_bytes: u64, stored_bytes: u64, content_bytes: u64) {
        let usual = stored_bytes.saturating_mul(EXPANSION_RATIO_USUAL);
        self.expanded += content_bytes.saturating_sub(usual);
        self.read = self.read.saturating_add(record_bytes);
    }
}

/// What was found out about the payload of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    pub raw_bytes: u64,
    /// Empty where it was not asked for, as that of the content.
    pub raw_sha1: Vec<u8>,
    /// Length and SHA-1 of the content, where the body could be decoded.
    pub content: Option<(u64, Vec<u8>)>,
    pub outcome: BodyOutcome,
    pub is_too_large: bool,
    pub verdicts: Verdicts,
}

impl Facts {
    /// What is wrong with the body, if anything.
    pub fn damage(&self, record: &Record) -> Option<Damage> {
        let (code, message) = self.trouble().filter(|_| self.raw_bytes > 0)?;
        Some(Damage {
            code,
            offset: record.offset,
            skipped: 0,
            message: message.into(),
        })
    }

    fn trouble(&self) -> Option<(Code, &'static str)> {
        match self.outcome {
            _ if self.is_too_large => Some((
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
        }
    }
}

/// Whether the SHA-1 of everything is to be made, whatever digests are stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sha1s {
    Made,
    Needless,
}

/// The payload of one record on its way.
pub struct Payload {
    decoder: BodyDecoder,
    raw: Option<Sha1>,
    raw_bytes: u64,
    heard: Heard,
}

/// Listens to what the payload decodes to.
struct Heard {
    verifier: Verifier,
    content: Option<Sha1>,
    content_bytes: u64,
    /// Where this much came out, it is enough.
    bytes_max: u64,
    is_coded: bool,
}

impl Content for Heard {
    fn dechunked(&mut self, bytes: &[u8]) {
        self.verifier.dechunked(bytes);
    }

    fn content(&mut self, bytes: &[u8]) {
        if let Some(content) = &mut self.content {
            content.update(bytes);
        }
        self.content_bytes += bytes.len() as u64;
        if self.is_coded {
            self.verifier.decoded(bytes);
        }
    }

    fn is_full(&self) -> bool {
        self.content_bytes > self.bytes_max
    }
}

impl Payload {
    pub fn new(head: &WarcHead, budget: &Budget, sha1s: Sha1s) -> Payload {
        let sha1 = (sha1s == Sha1s::Made).then(Sha1::new);
        Payload {
            decoder: BodyDecoder::new(None),
            raw: sha1.clone(),
            raw_bytes: 0,
            heard: Heard {
                verifier: Verifier::new(head),
                content: sha1,
                content_bytes: 0,
                bytes_max: INSPECT_BODY_BYTES_MAX.min(budget.left()),
                is_coded: false,
            },
        }
    }

    /// The payload that lies in several segments, of which this is the head of the first.
    pub fn of_all_segments(head: &WarcHead, budget: &Budget) -> Payload {
        let mut payload = Payload::new(head, budget, Sha1s::Needless);
        payload.heard.verifier = Verifier::of_all_segments(head);
        payload
    }

    /// The block begins with this head.
    pub fn http(&mut self, head: &HttpHead) {
        self.decoder = BodyDecoder::new(Some(head));
        self.heard.is_coded = self.decoder.is_coded();
        self.heard.verifier.http(head, &self.decoder);
    }

    /// Payload as it is stored.
    pub fn body(&mut self, bytes: &[u8]) {
        if let Some(raw) = &mut self.raw {
            raw.update(bytes);
        }
        self.raw_bytes += bytes.len() as u64;
        self.heard.verifier.stored(bytes);
        // Content that is the payload as it stands needs no digest of its own.
        if self.is_changed() && !self.is_too_large() {
            self.decoder.push(bytes, &mut self.heard);
        }
    }

    pub fn finish(mut self, record: &Record, budget: &mut Budget) -> Facts {
        if self.is_changed() && !self.is_too_large() {
            self.decoder.finish(&mut self.heard);
        }
        let is_too_large = self.is_too_large();
        let is_changed = self.is_changed();
        let outcome = self.decoder.outcome();
        budget.spend(record.length, self.raw_bytes, self.heard.content_bytes);
        let made = |sha1: Option<Sha1>| sha1.map_or_else(Vec::new, |sha1| sha1.finalize().to_vec());
        let raw_sha1 = made(self.raw);
        let is_decoded = outcome != BodyOutcome::StillEncoded && !is_too_large;
        let content = is_decoded.then(|| match is_changed {
            true => (self.heard.content_bytes, made(self.heard.content)),
            false => (self.raw_bytes, raw_sha1.clone()),
        });
        Facts {
            raw_bytes: self.raw_bytes,
            raw_sha1,
            content,
            outcome,
            is_too_large,
            verdicts: self.heard.verifier.finish(record.is_whole),
        }
    }

    fn is_changed(&self) -> bool {
        self.decoder.is_chunked() || self.decoder.is_coded()
    }

    fn is_too_large(&self) -> bool {
        self.heard.is_full()
    }
}
