//! Digests that records state of themselves, and whether they hold.
//!
//!   stated := [algorithm ":"] value      value := base 32 | base 16 | base 64, padded or not, in any case that it has
//! A block digest is of the block. Of which bytes a payload digest is, writers do not agree: the payload as it is
//! stored, without its chunking, decoded, or even the whole block. Each is tried, and the verdict says which it was.
//! A digest that does not hold is told and shown; nothing is refused for it.

use md5::Md5;
use sha1::{Digest, Sha1};
use sha2::Sha256;
#[cfg(feature = "tools")]
use sha2::Sha512;

use crate::archive::{BodyDecoder, HttpHead, RecordType, WarcHead};
use crate::json::Line;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    Md5,
    Sha1,
    Sha256,
    #[cfg(feature = "tools")]
    Sha512,
    #[cfg(feature = "tools")]
    Blake3,
}

impl Algorithm {
    pub const ALL: &[Algorithm] = &[
        Algorithm::Md5,
        Algorithm::Sha1,
        Algorithm::Sha256,
        #[cfg(feature = "tools")]
        Algorithm::Sha512,
        #[cfg(feature = "tools")]
        Algorithm::Blake3,
    ];

    /// By its name in a header, such as `sha1` or `SHA-256`.
    pub fn named(name: &[u8]) -> Option<Algorithm> {
        let name: Vec<u8> = name
            .iter()
            .filter(|byte| !matches!(byte, b'-' | b'_' | b' '))
            .map(u8::to_ascii_lowercase)
            .collect();
        match name.as_slice() {
            b"md5" => Some(Algorithm::Md5),
            b"sha1" | b"sha" => Some(Algorithm::Sha1),
            b"sha256" => Some(Algorithm::Sha256),
            #[cfg(feature = "tools")]
            b"sha512" => Some(Algorithm::Sha512),
            #[cfg(feature = "tools")]
            b"blake3" => Some(Algorithm::Blake3),
            _ => None,
        }
    }

    /// Old writers leave the name out: then the length tells.
    fn of_length(value: &[u8]) -> Option<Algorithm> {
        let is_hex = value.iter().all(u8::is_ascii_hexdigit);
        match value.len() {
            32 if is_hex => Some(Algorithm::Md5),
            32 | 40 => Some(Algorithm::Sha1),
            64 if is_hex => Some(Algorithm::Sha256),
            _ => None,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Md5 => "md5",
            Algorithm::Sha1 => "sha1",
            Algorithm::Sha256 => "sha256",
            #[cfg(feature = "tools")]
            Algorithm::Sha512 => "sha512",
            #[cfg(feature = "tools")]
            Algorithm::Blake3 => "blake3",
        }
    }

    fn bytes(self) -> usize {
        match self {
            Algorithm::Md5 => 16,
            Algorithm::Sha1 => 20,
            Algorithm::Sha256 => 32,
            #[cfg(feature = "tools")]
            Algorithm::Sha512 => 64,
            #[cfg(feature = "tools")]
            Algorithm::Blake3 => 32,
        }
    }
}

/// A digest being made while the bytes stream by.
#[derive(Clone)]
pub enum Hasher {
    Md5(Md5),
    Sha1(Sha1),
    Sha256(Box<Sha256>),
    #[cfg(feature = "tools")]
    Sha512(Box<Sha512>),
    #[cfg(feature = "tools")]
    Blake3(Box<blake3::Hasher>),
}

impl Hasher {
    pub fn new(algorithm: Algorithm) -> Hasher {
        match algorithm {
            Algorithm::Md5 => Hasher::Md5(Md5::new()),
            Algorithm::Sha1 => Hasher::Sha1(Sha1::new()),
            Algorithm::Sha256 => Hasher::Sha256(Box::new(Sha256::new())),
            #[cfg(feature = "tools")]
            Algorithm::Sha512 => Hasher::Sha512(Box::new(Sha512::new())),
            #[cfg(feature = "tools")]
            Algorithm::Blake3 => Hasher::Blake3(Box::new(blake3::Hasher::new())),
        }
    }

    pub fn update(&mut self, bytes: &[u8]) {
        match self {
            Hasher::Md5(hasher) => hasher.update(bytes),
            Hasher::Sha1(hasher) => hasher.update(bytes),
            Hasher::Sha256(hasher) => hasher.update(bytes),
            #[cfg(feature = "tools")]
            Hasher::Sha512(hasher) => hasher.update(bytes),
            #[cfg(feature = "tools")]
            Hasher::Blake3(hasher) => {
                hasher.update(bytes);
            }
        }
    }

    pub fn finish(self) -> Vec<u8> {
        match self {
            Hasher::Md5(hasher) => hasher.finalize().to_vec(),
            Hasher::Sha1(hasher) => hasher.finalize().to_vec(),
            Hasher::Sha256(hasher) => hasher.finalize().to_vec(),
            #[cfg(feature = "tools")]
            Hasher::Sha512(hasher) => hasher.finalize().to_vec(),
            #[cfg(feature = "tools")]
            Hasher::Blake3(hasher) => hasher.finalize().as_bytes().to_vec(),
        }
    }
}

/// How a digest is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    Base16,
    Base32,
    Base64,
}

/// A digest as a header states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stated {
    pub algorithm: Algorithm,
    pub base: Base,
    digest: Vec<u8>,
}

/// Why a stated digest cannot be compared with anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// Of an algorithm that is not known here.
    Algorithm,
    /// Not a digest of its algorithm.
    Unreadable,
}

impl Stated {
    pub fn parse(text: &[u8]) -> Result<Stated, Unusable> {
        let text = text.trim_ascii();
        let (algorithm, value) = match text.iter().position(|&byte| byte == b':') {
            Some(colon) => (
                Algorithm::named(&text[..colon]).ok_or(Unusable::Algorithm)?,
                text[colon + 1..].trim_ascii(),
            ),
            None => (
                Algorithm::of_length(text).ok_or(Unusable::Unreadable)?,
                text,
            ),
        };
        let end = value.iter().position(|&byte| byte == b'=');
        let value = &value[..end.unwrap_or(value.len())];
        let count = algorithm.bytes();
        let forms = [
            (Base::Base16, 4, count * 2),
            (Base::Base32, 5, (count * 8).div_ceil(5)),
            (Base::Base64, 6, (count * 8).div_ceil(6)),
        ];
        for (base, bits, length) in forms {
            if value.len() == length
                && let Some(digest) = decode(value, bits, base, count)
            {
                return Ok(Stated {
                    algorithm,
                    base,
                    digest,
                });
            }
        }
        Err(Unusable::Unreadable)
    }

    pub fn is(&self, digest: &[u8]) -> bool {
        self.digest == digest
    }

    /// Another digest of the same algorithm, written in the same way.
    pub fn written(&self, digest: &[u8]) -> String {
        let text = match self.base {
            Base::Base16 => hex(digest),
            Base::Base32 => base32(digest),
            Base::Base64 => encode(
                digest,
                6,
                b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
            ),
        };
        format!("{}:{text}", self.algorithm.name())
    }
}

fn decode(value: &[u8], bits: u32, base: Base, count: usize) -> Option<Vec<u8>> {
    let (mut digest, mut word, mut held) = (Vec::with_capacity(count), 0u32, 0);
    for &letter in value {
        word = word << bits & 0xffff | u32::from(digit(letter, base)?);
        held += bits;
        if held >= 8 {
            held -= 8;
            digest.push(u8::try_from(word >> held & 0xff).ok()?);
        }
    }
    (digest.len() == count).then_some(digest)
}

fn digit(letter: u8, base: Base) -> Option<u8> {
    match (base, letter) {
        (Base::Base16, _) => char::from(letter)
            .to_digit(16)
            .and_then(|digit| u8::try_from(digit).ok()),
        (Base::Base32 | Base::Base64, b'A'..=b'Z') => Some(letter - b'A'),
        (Base::Base32, b'a'..=b'z') => Some(letter - b'a'),
        (Base::Base32, b'2'..=b'7') => Some(letter - b'2' + 26),
        (Base::Base64, b'a'..=b'z') => Some(letter - b'a' + 26),
        (Base::Base64, b'0'..=b'9') => Some(letter - b'0' + 52),
        (Base::Base64, b'+' | b'-') => Some(62),
        (Base::Base64, b'/' | b'_') => Some(63),
        _ => None,
    }
}

pub fn hex(digest: &[u8]) -> String {
    encode(digest, 4, b"0123456789abcdef")
}

pub fn base32(digest: &[u8]) -> String {
    encode(digest, 5, b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
}

fn encode(bytes: &[u8], bits: usize, alphabet: &[u8]) -> String {
    let letters = (bytes.len() * 8).div_ceil(bits);
    let letter = |at: usize| {
        let index = (at * bits..(at + 1) * bits).fold(0, |index, bit| {
            let byte = bytes.get(bit / 8).copied().unwrap_or(0);
            index << 1 | usize::from(byte >> (7 - bit % 8) & 1)
        });
        char::from(alphabet[index])
    };
    (0..letters).map(letter).collect()
}

/// Which bytes of a record a digest turned out to be of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// The whole block, HTTP head and all.
    Block,
    /// What follows the HTTP head, as it is stored.
    Stored,
    /// That without its chunking.
    Dechunked,
    /// That with its content encodings taken off.
    Decoded,
}

impl Of {
    pub fn name(self) -> &'static str {
        match self {
            Of::Block => "block",
            Of::Stored => "stored",
            Of::Dechunked => "dechunked",
            Of::Decoded => "decoded",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is the digest of these bytes.
    Holds(Of),
    /// It is the digest of none of the record's bytes; what it would have to be.
    Differs(String),
    /// It cannot be compared.
    Unusable(Unusable),
    /// It is of bytes that are not in this record: of the record that a revisit refers to, of all segments
    /// together, or of what a cut record lost.
    Elsewhere,
}

impl Verdict {
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Holds(_) => "holds",
            Verdict::Differs(_) => "differs",
            Verdict::Unusable(Unusable::Algorithm) => "unknown-algorithm",
            Verdict::Unusable(Unusable::Unreadable) => "unreadable",
            Verdict::Elsewhere => "elsewhere",
        }
    }
}

/// A stated digest with what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    pub stated: Vec<u8>,
    pub verdict: Verdict,
}

/// What came of the digests of a record; absent are those that it does not state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdicts {
    pub block: Option<Verified>,
    pub payload: Option<Verified>,
}

impl Verdicts {
    /// For the record detail: `{"block":V,"payload":V}`, each absent where the record states no such digest.
    ///
    ///   V := {"stated":T,"verdict":"holds","of":"block"|"stored"|"dechunked"|"decoded"}
    ///      | {"stated":T,"verdict":"differs","found":T}
    ///      | {"stated":T,"verdict":"unknown-algorithm"|"unreadable"|"elsewhere"}
    pub fn json(&self) -> String {
        let mut line = Line::new();
        for (name, verified) in [("block", &self.block), ("payload", &self.payload)] {
            if let Some(verified) = verified {
                line.raw(name, verified.json().trim_end());
            }
        }
        line.end()
    }

    /// The one verdict of `digest_ok`: of the payload digest, or else of the block digest, where there is one.
    pub fn is_ok(&self) -> Option<bool> {
        [&self.payload, &self.block]
            .into_iter()
            .flatten()
            .find_map(|verified| match verified.verdict {
                Verdict::Holds(_) => Some(true),
                Verdict::Differs(_) => Some(false),
                Verdict::Unusable(Unusable::Unreadable) => Some(false),
                Verdict::Unusable(Unusable::Algorithm) | Verdict::Elsewhere => None,
            })
    }
}

impl Verified {
    fn json(&self) -> String {
        let mut line = Line::new();
        line.string("stated", &self.stated);
        line.string("verdict", self.verdict.name().as_bytes());
        match &self.verdict {
            Verdict::Holds(of) => line.string("of", of.name().as_bytes()),
            Verdict::Differs(found) => line.string("found", found.as_bytes()),
            Verdict::Unusable(_) | Verdict::Elsewhere => {}
        }
        line.end()
    }
}

/// A digest that is stated, with the digests that it may be.
struct Check {
    text: Vec<u8>,
    stated: Result<Stated, Unusable>,
    /// In the order in which they are tried.
    candidates: Vec<(Of, Hasher)>,
    is_elsewhere: bool,
}

impl Check {
    fn of(text: Vec<u8>, first: Of) -> Check {
        let stated = Stated::parse(&text);
        let mut check = Check {
            text,
            stated,
            candidates: Vec::new(),
            is_elsewhere: false,
        };
        check.may_be(first, &[]);
        check
    }

    fn may_be(&mut self, of: Of, start: &[u8]) {
        if let Ok(stated) = &self.stated {
            let mut hasher = Hasher::new(stated.algorithm);
            hasher.update(start);
            self.candidates.push((of, hasher));
        }
    }

    fn update(&mut self, of: Of, bytes: &[u8]) {
        for (known, hasher) in &mut self.candidates {
            if *known == of {
                hasher.update(bytes);
            }
        }
    }

    fn finish(self, is_whole: bool) -> Verified {
        let verdict = match &self.stated {
            Err(unusable) => Verdict::Unusable(*unusable),
            Ok(_) if self.is_elsewhere => Verdict::Elsewhere,
            Ok(stated) => {
                let mut digests = self
                    .candidates
                    .into_iter()
                    .map(|(of, hasher)| (of, hasher.finish()));
                let first = digests.next();
                let mut all = first.iter().cloned().chain(digests);
                match all.find(|(_, digest)| stated.is(digest)) {
                    Some((of, _)) => Verdict::Holds(of),
                    None if !is_whole => Verdict::Elsewhere,
                    None => {
                        Verdict::Differs(stated.written(&first.map_or_else(Vec::new, |of| of.1)))
                    }
                }
            }
        };
        Verified {
            stated: self.text,
            verdict,
        }
    }
}

/// Compares the digests of one record with its bytes, as they stream by.
#[derive(Default)]
pub struct Verifier {
    block: Option<Check>,
    payload: Option<Check>,
}

impl Verifier {
    pub fn new(head: &WarcHead) -> Verifier {
        let block = head.get("WARC-Block-Digest");
        let payload = head.get("WARC-Payload-Digest");
        let mut verifier = Verifier {
            block: block.map(|text| Check::of(text, Of::Block)),
            payload: payload.map(|text| Check::of(text, Of::Stored)),
        };
        // A revisit has no payload of its own; the first of several segments states the digest of all of them.
        let is_segment = head.get("WARC-Segment-Number").is_some();
        if let Some(payload) = &mut verifier.payload {
            payload.is_elsewhere =
                head.is_elsewhere || head.kind() == RecordType::Revisit || is_segment;
        }
        verifier
    }

    /// Of all segments of a payload together, of which this is the head of the first.
    pub fn of_all_segments(head: &WarcHead) -> Verifier {
        let payload = head.get("WARC-Payload-Digest");
        Verifier {
            block: None,
            payload: payload.map(|text| Check::of(text, Of::Stored)),
        }
    }

    /// Whether there is anything to verify.
    pub fn is_idle(&self) -> bool {
        self.block.is_none() && self.payload.is_none()
    }

    /// The block begins with this head, and what follows comes to its decoder.
    pub fn http(&mut self, head: &HttpHead, decoder: &BodyDecoder) {
        if let Some(block) = &mut self.block {
            block.update(Of::Block, &head.raw);
        }
        if let Some(payload) = &mut self.payload {
            if decoder.is_chunked() {
                payload.may_be(Of::Dechunked, &[]);
            }
            if decoder.is_coded() {
                payload.may_be(Of::Decoded, &[]);
            }
            payload.may_be(Of::Block, &head.raw);
        }
    }

    /// Payload as it is stored.
    pub fn stored(&mut self, bytes: &[u8]) {
        if let Some(block) = &mut self.block {
            block.update(Of::Block, bytes);
        }
        if let Some(payload) = &mut self.payload {
            payload.update(Of::Stored, bytes);
            payload.update(Of::Block, bytes);
        }
    }

    pub fn dechunked(&mut self, bytes: &[u8]) {
        if let Some(payload) = &mut self.payload {
            payload.update(Of::Dechunked, bytes);
        }
    }

    pub fn decoded(&mut self, bytes: &[u8]) {
        if let Some(payload) = &mut self.payload {
            payload.update(Of::Decoded, bytes);
        }
    }

    /// The record ends; `is_whole` where all of it was there.
    pub fn finish(self, is_whole: bool) -> Verdicts {
        Verdicts {
            block: self.block.map(|check| check.finish(is_whole)),
            payload: self.payload.map(|check| check.finish(is_whole)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::{Always, Content};

    fn head(fields: &str) -> WarcHead {
        let text = format!("WARC/1.1\r\nWARC-Type: response\r\n{fields}\r\n\r\n");
        let mut head = WarcHead::default();
        head.raw = text.into_bytes();
        head.parse();
        head
    }

    #[test]
    fn digests_are_read_in_every_base() {
        let digest = Sha1::digest(b"abc");
        for text in [
            "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5",
            "SHA-1:vgmt4nsha2awvor6evyxqugcnsonbwe5",
            "sha1: a9993e364706816aba3e25717850c26c9cd0d89d",
            "sha1:A9993E364706816ABA3E25717850C26C9CD0D89D",
            "sha1:qZk+NkcGgWq6PiVxeFDCbJzQ2J0=",
            "VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5",
        ] {
            let stated = Stated::parse(text.as_bytes()).expect(text);
            assert!(stated.is(&digest), "{text}");
        }
        let stated = Stated::parse(b"sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE6").expect("readable");
        assert!(!stated.is(&digest));
        assert_eq!(
            stated.written(&digest),
            "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5"
        );
        assert_eq!(base32(b"foobar"), "MZXW6YTBOI");
        for (text, why) in [
            ("sha1:", Unusable::Unreadable),
            (
                "sha1:zz993e364706816aba3e25717850c26c9cd0d89d",
                Unusable::Unreadable,
            ),
            ("sha1:a9993e36", Unusable::Unreadable),
            ("nonsense", Unusable::Unreadable),
            ("", Unusable::Unreadable),
            ("crc32:00000000", Unusable::Algorithm),
        ] {
            assert_eq!(Stated::parse(text.as_bytes()), Err(why), "{text}");
        }
    }

    #[test]
    fn every_algorithm_is_known_by_its_answer_for_abc() {
        for (name, expected) in [
            ("md5", "900150983cd24fb0d6963f7d28e17f72"),
            ("sha1", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (
                "sha-256",
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            ),
            #[cfg(feature = "tools")]
            (
                "SHA512",
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
                 2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
            ),
            #[cfg(feature = "tools")]
            (
                "blake3",
                "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85",
            ),
        ] {
            let algorithm = Algorithm::named(name.as_bytes()).expect(name);
            let mut hasher = Hasher::new(algorithm);
            hasher.update(b"a");
            hasher.update(b"bc");
            let digest = hasher.finish();
            assert_eq!(hex(&digest), expected);
            for text in [hex(&digest), base32(&digest)] {
                let stated = Stated::parse(format!("{name}:{text}").as_bytes());
                assert!(stated.is_ok_and(|stated| stated.is(&digest)), "{name}");
            }
        }
    }

    /// What comes of a payload digest of `of`, in a chunked body that is gzip.
    fn verdict(of: &[u8], fields: &str, is_whole: bool) -> Verdicts {
        let digest = base32(&Sha1::digest(of));
        let head = head(&format!("WARC-Payload-Digest: sha1:{digest}\r\n{fields}"));
        let http = HttpHead::of(HTTP.to_vec());
        let mut decoder = BodyDecoder::new(Some(&http));
        struct Told(Verifier);
        impl Content for Told {
            fn dechunked(&mut self, bytes: &[u8]) {
                self.0.dechunked(bytes);
            }
            fn content(&mut self, bytes: &[u8]) {
                self.0.decoded(bytes);
            }
        }
        let mut told = Told(Verifier::new(&head));
        told.0.http(&http, &decoder);
        for piece in STORED.chunks(7) {
            told.0.stored(piece);
            decoder.push(piece, &mut told);
        }
        decoder.finish(&mut told);
        told.0.finish(is_whole)
    }

    const HTTP: &[u8] =
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: deflate\r\n\r\n";
    const STORED: &[u8] = b"5\r\n\x4b\x4c\x4a\x06\x00\r\n0\r\n\r\n";

    #[test]
    fn the_verdict_says_of_which_bytes_the_digest_is() {
        let block = [HTTP, STORED].concat();
        for (of, expected) in [
            (STORED, Of::Stored),
            (&b"\x4b\x4c\x4a\x06\x00"[..], Of::Dechunked),
            (b"abc", Of::Decoded),
            (&block, Of::Block),
        ] {
            let got = verdict(of, "A: b", true);
            let got = got.payload.map(|verified| verified.verdict);
            assert_eq!(got, Some(Verdict::Holds(expected)));
        }
        let mut plain = Vec::new();
        BodyDecoder::new(None).push(
            b"abc",
            &mut Always(|bytes: &[u8]| plain.extend_from_slice(bytes)),
        );
        assert_eq!(plain, b"abc");
    }

    #[test]
    fn a_wrong_digest_is_told_with_the_right_one() {
        let got = verdict(b"other", "WARC-Block-Digest: md5:00", true);
        let stored = base32(&Sha1::digest(STORED));
        let other = base32(&Sha1::digest(b"other"));
        assert_eq!(
            got.json(),
            format!(
                "{{\"block\":{{\"stated\":\"md5:00\",\"verdict\":\"unreadable\"}},\
                 \"payload\":{{\"stated\":\"sha1:{other}\",\"verdict\":\"differs\",\"found\":\"sha1:{stored}\"}}}}\n"
            )
        );
        assert_eq!(got.is_ok(), Some(false));
    }

    #[test]
    fn digests_of_what_is_not_there_are_not_compared() {
        for (fields, is_whole) in [("WARC-Segment-Number: 1", true), ("A: b", false)] {
            let got = verdict(b"other", fields, is_whole);
            let verdict = got.payload.as_ref().map(|verified| &verified.verdict);
            assert_eq!(verdict, Some(&Verdict::Elsewhere));
            assert_eq!(got.is_ok(), None);
        }
    }
}
