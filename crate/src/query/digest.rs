//! Digests as they may be written: with or without their algorithm, in base 16 or 32, or as globs.

use super::matcher::Matcher;
use crate::order;
use crate::row::key;

/// Algorithms that archives name.
const ALGORITHMS: [&str; 13] = [
    "md5", "sha1", "sha-1", "sha224", "sha256", "sha-256", "sha384", "sha-384", "sha512",
    "sha-512", "blake2b", "blake2s", "blake3",
];
const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

pub struct Digest {
    algorithm: Option<String>,
    glob: Option<Matcher>,
    text: String,
    bytes: Vec<Vec<u8>>,
}

impl Digest {
    /// `None` where this is none.
    pub fn of(text: &str) -> Option<Digest> {
        let text = text.trim().trim_end_matches('=').to_ascii_lowercase();
        let (algorithm, text) = match text.split_once(':') {
            Some((algorithm, text)) => (Some(algorithm.replace('-', "")), text.to_owned()),
            None => (None, text),
        };
        let is_glob = text.contains('*');
        let is_written = text.bytes().all(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'*' | b'-' | b'_' | b'+' | b'/')
        });
        if text.is_empty() || !is_written || algorithm.as_deref() == Some("") {
            return None;
        }
        let bytes = written(&text);
        if bytes.is_empty() && !is_glob {
            return None;
        }
        Some(Digest {
            algorithm,
            glob: is_glob.then(|| Matcher::word(&text)),
            text,
            bytes,
        })
    }

    /// What stands in the table of records for it, however it is stated; `None` of a glob.
    pub fn keys(&self) -> Option<Vec<u64>> {
        if self.glob.is_some() {
            return None;
        }
        let named: Vec<&str> = match &self.algorithm {
            Some(algorithm) => {
                let known = ALGORITHMS
                    .iter()
                    .filter(|known| known.replace('-', "") == *algorithm);
                known.copied().chain([algorithm.as_str()]).collect()
            }
            None => ALGORITHMS.to_vec(),
        };
        let mut keys = Vec::new();
        for text in self.texts() {
            keys.push(key(text.as_bytes()));
            let stated = |name: &&str| key(format!("{name}:{text}").as_bytes());
            keys.extend(named.iter().map(stated));
        }
        order::sort_by(&mut keys, Ord::cmp);
        keys.dedup();
        Some(keys)
    }

    /// The ways to write it.
    fn texts(&self) -> Vec<String> {
        let mut texts = vec![self.text.clone()];
        for bytes in &self.bytes {
            texts.push(bytes.iter().map(|byte| format!("{byte:02x}")).collect());
            texts.push(base32(bytes));
        }
        let padded = texts.iter().filter(|text| !text.len().is_multiple_of(8));
        let padded = padded.map(|text| {
            let missing = text.len().next_multiple_of(8) - text.len();
            format!("{text}{}", "=".repeat(missing))
        });
        texts.extend(padded.collect::<Vec<_>>());
        texts
    }

    pub fn is(&self, stated: &[u8]) -> bool {
        let stated = String::from_utf8_lossy(stated).trim().to_ascii_lowercase();
        let (algorithm, text) = match stated.split_once(':') {
            Some((algorithm, text)) => (Some(algorithm.replace('-', "")), text),
            None => (None, stated.as_str()),
        };
        if let (Some(wanted), Some(found)) = (&self.algorithm, &algorithm)
            && wanted != found
        {
            return false;
        }
        let text = text.trim_end_matches('=');
        if let Some(glob) = &self.glob {
            return glob.matches(text.as_bytes());
        }
        text == self.text || written(text).iter().any(|bytes| self.bytes.contains(bytes))
    }
}

/// The digests that a text may mean: some texts are of base 16 and of base 32.
fn written(text: &str) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    if text.len().is_multiple_of(2) && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        let pairs = text.as_bytes().chunks(2);
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        found.extend(pairs.map(byte).collect::<Option<Vec<u8>>>());
    }
    let mut bits = 0u32;
    let mut held = 0u32;
    let mut bytes = Vec::new();
    for letter in text.bytes() {
        let value = match letter {
            b'a'..=b'z' => letter - b'a',
            b'2'..=b'7' => letter - b'2' + 26,
            _ => return found,
        };
        held = held << 5 & 0xfff | u32::from(value);
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            bytes.extend(u8::try_from(held >> bits & 0xff));
        }
    }
    found.push(bytes);
    found
}

fn base32(bytes: &[u8]) -> String {
    let mut text = String::new();
    let (mut held, mut bits) = (0u32, 0);
    for byte in bytes {
        held = held << 8 & 0xffff | u32::from(*byte);
        bits += 8;
        while bits >= 5 {
            bits -= 5;
            text.push(letter(held >> bits));
        }
    }
    if bits > 0 {
        text.push(letter(held << (5 - bits)));
    }
    text
}

fn letter(bits: u32) -> char {
    let at = usize::try_from(bits & 31).unwrap_or_default();
    char::from(LETTERS[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_the_same_in_either_base() {
        let base32 = "VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5";
        let base16 = "a9993e364706816aba3e25717850c26c9cd0d89d";
        for (asked, stated, expected) in [
            (base32.to_owned(), format!("sha1:{base32}"), true),
            (format!("sha1:{base32}"), format!("SHA-1:{base16}"), true),
            (base16.to_owned(), format!("sha1:{base32}"), true),
            (format!("sha256:{base32}"), format!("sha1:{base32}"), false),
            ("sha1:VGMT*".to_owned(), format!("sha1:{base32}"), true),
            ("VGMT".to_owned(), format!("sha1:{base32}"), false),
        ] {
            let digest = Digest::of(&asked).expect("a digest");
            assert_eq!(digest.is(stated.as_bytes()), expected, "{asked} {stated}");
            if let Some(keys) = digest.keys() {
                let is_among = keys.contains(&key(stated.as_bytes()));
                assert_eq!(is_among, expected, "{asked} {stated}");
            }
        }
    }
}
