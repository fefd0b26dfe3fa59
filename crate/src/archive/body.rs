//! Turns a stored HTTP body into the content that a browser would show: de-chunked, then decoded.
//! What is not encoded as it claims passes through as it is, as browsers and other readers do it.
//!
//! Codings can expand a thousandfold, and be stacked. So the decoder stops when its listener is full, keeps
//! what it was given, and goes on when it is asked to: neither memory nor time runs away in one call.

use super::chunked::Chunks;
use super::coding::{Coding, Fate, Named, Stage};
use super::http::HttpHead;
use crate::limits::{CODING_STEP_BYTES, CODINGS_MAX};

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

/// Hears what a body decodes to.
pub trait Content {
    /// The stored bytes without their chunking, before they are decoded. Only told where a body is chunked.
    fn dechunked(&mut self, _bytes: &[u8]) {}
    fn content(&mut self, bytes: &[u8]);
    /// True asks the decoder to stop for now.
    fn is_full(&self) -> bool {
        false
    }
}

/// Takes content and is never full.
pub struct Always<F: FnMut(&[u8])>(pub F);

impl<F: FnMut(&[u8])> Content for Always<F> {
    fn content(&mut self, bytes: &[u8]) {
        (self.0)(bytes);
    }
}

#[derive(Default)]
pub struct BodyDecoder {
    chunks: Option<Chunks>,
    /// Outermost coding first, each with the bytes that wait for it.
    stages: Vec<(Stage, Waiting)>,
    /// Codings that are left when this module has done what it can, innermost first as headers have them.
    remaining: Vec<u8>,
    has_ended: bool,
    is_behind: bool,
    output: Vec<u8>,
}

#[derive(Default)]
struct Waiting {
    bytes: Vec<u8>,
    at: usize,
}

impl Waiting {
    fn rest(&self) -> &[u8] {
        &self.bytes[self.at..]
    }

    fn used(&mut self, count: usize) {
        self.at += count;
        if self.at == self.bytes.len() {
            self.bytes.clear();
            self.at = 0;
        }
    }
}

impl BodyDecoder {
    /// A decoder for the body that follows `head`; without a head the body is plain.
    pub fn new(head: Option<&HttpHead>) -> BodyDecoder {
        let Some(head) = head.filter(|head| !head.is_decoded) else {
            return BodyDecoder::default();
        };
        let transfer = head.list("Transfer-Encoding");
        let is_chunk = |item: &[u8]| item.eq_ignore_ascii_case(b"chunked");
        let is_chunked = items(&transfer).any(is_chunk);
        let codings = [head.list("Content-Encoding"), transfer].join(&b","[..]);
        let codings = items(&codings).filter(|item| !is_chunk(item));
        BodyDecoder {
            chunks: is_chunked.then(Chunks::default),
            ..BodyDecoder::of_items(codings)
        }
    }

    /// A decoder for content in these codings, written as `Content-Encoding` lists them.
    pub fn of_codings(codings: &[u8]) -> BodyDecoder {
        BodyDecoder::of_items(items(codings))
    }

    fn of_items<'a>(codings: impl Iterator<Item = &'a [u8]>) -> BodyDecoder {
        let mut names: Vec<&[u8]> = codings
            .filter(|item| Coding::named(item) != Named::Nothing)
            .collect();
        let mut stages = Vec::new();
        if names.len() <= CODINGS_MAX {
            // The last coding was applied last, so it comes off first.
            while let Some(Named::Known(coding)) = names.last().map(|name| Coding::named(name)) {
                stages.push((Stage::new(coding), Waiting::default()));
                names.pop();
            }
        }
        BodyDecoder {
            output: vec![
                0;
                if stages.is_empty() {
                    0
                } else {
                    CODING_STEP_BYTES
                }
            ],
            stages,
            remaining: names.join(&b", "[..]),
            ..BodyDecoder::default()
        }
    }

    /// Codings that this module cannot take off, as `Content-Encoding` would list them; empty where all came off.
    pub fn remaining(&self) -> &[u8] {
        &self.remaining
    }

    /// Whether the body is said to be chunked.
    pub fn is_chunked(&self) -> bool {
        self.chunks.is_some()
    }

    /// Whether there are codings that this module takes off.
    pub fn is_coded(&self) -> bool {
        !self.stages.is_empty()
    }

    /// Decodes the next stored bytes.
    pub fn push(&mut self, bytes: &[u8], out: &mut dyn Content) {
        let BodyDecoder { chunks, stages, .. } = self;
        let first = stages.first_mut().map(|(_, waiting)| waiting);
        match chunks {
            None => take_in(first, bytes, out),
            Some(chunks) => {
                let mut first = first;
                chunks.push(bytes, &mut |data| {
                    out.dechunked(data);
                    take_in(first.as_deref_mut(), data, out);
                });
            }
        }
        self.go_on(out);
    }

    /// The body ends here.
    pub fn finish(&mut self, out: &mut dyn Content) {
        let BodyDecoder { chunks, stages, .. } = self;
        if let Some(chunks) = chunks {
            let mut first = stages.first_mut().map(|(_, waiting)| waiting);
            chunks.finish(&mut |data| {
                out.dechunked(data);
                take_in(first.as_deref_mut(), data, out);
            });
        }
        self.has_ended = true;
        self.go_on(out);
    }

    /// Decodes on where a full listener stopped it.
    pub fn go_on(&mut self, out: &mut dyn Content) {
        self.is_behind = true;
        while !out.is_full() {
            if !self.step(out) {
                self.is_behind = false;
                return;
            }
        }
    }

    /// Whether there is more to come of what was given.
    pub fn is_behind(&self) -> bool {
        self.is_behind
    }

    /// Once the body has ended and all of it was decoded.
    pub fn outcome(&self) -> BodyOutcome {
        let is_broken = |(stage, _): &(Stage, Waiting)| stage.fate() == Fate::Broken;
        if !self.remaining.is_empty() {
            BodyOutcome::StillEncoded
        } else if self
            .chunks
            .as_ref()
            .is_some_and(|chunks| !chunks.is_sound())
        {
            BodyOutcome::BadChunk
        } else if self.stages.iter().any(is_broken) {
            BodyOutcome::BadEncoding
        } else {
            BodyOutcome::Sound
        }
    }

    /// Moves the innermost coding that can move. Returns false where none can.
    fn step(&mut self, out: &mut dyn Content) -> bool {
        let last = self.stages.len().saturating_sub(1);
        for at in (0..self.stages.len()).rev() {
            let is_last = self.has_input_ended(at);
            let (stage, waiting) = &mut self.stages[at];
            let was_done = stage.is_done();
            let (taken, made) = stage.step(waiting.rest(), is_last, &mut self.output);
            waiting.used(taken);
            // That it has ended is news to the coding inside it.
            let has_moved = taken > 0 || made > 0 || stage.is_done() != was_done;
            let made_bytes = &self.output[..made];
            if made > 0 && at == last {
                out.content(made_bytes);
            } else if made > 0 {
                self.stages[at + 1].1.bytes.extend_from_slice(made_bytes);
            }
            if has_moved {
                return true;
            }
        }
        false
    }

    /// Whether nothing comes to that coding but what waits for it.
    fn has_input_ended(&self, at: usize) -> bool {
        self.stages[..at]
            .iter()
            .fold(self.has_ended, |has_ended, (stage, waiting)| {
                stage.is_finished(has_ended && waiting.rest().is_empty())
            })
    }
}

fn take_in(first: Option<&mut Waiting>, bytes: &[u8], out: &mut dyn Content) {
    match first {
        None => out.content(bytes),
        Some(waiting) => waiting.bytes.extend_from_slice(bytes),
    }
}

fn items(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    list.split(|&byte| byte == b',').map(<[u8]>::trim_ascii)
}

#[cfg(all(test, feature = "engine", feature = "tools"))]
#[path = "body_tests.rs"]
mod tests;
