//! Signatures of packages: what must be verified, and what its answers prove.

use wasm_bindgen::prelude::*;

use crate::archive::{self, Answer, Aside, Check, Verdict};

/// A signature that is there. The host verifies it by WebCrypto, check by check.
#[wasm_bindgen]
pub struct Proof {
    proof: archive::Proof,
}

#[wasm_bindgen]
impl Proof {
    /// Of the text that is signed, and what was found of the digest in it; nothing where nothing is signed.
    pub fn of(text: &str, digest: &str) -> Option<Proof> {
        let digest = Verdict::of_name(digest)?;
        let proof = archive::Proof::new(text.as_bytes(), digest)?;
        Some(Proof { proof })
    }

    pub fn count(&self) -> usize {
        self.proof.checks().len()
    }

    /// JSON that is both the algorithm of the key and that of the signature.
    pub fn algorithm(&self, at: usize) -> String {
        self.of_check(at, Check::algorithm)
    }

    /// As `spki`.
    pub fn key(&self, at: usize) -> Vec<u8> {
        self.of_check(at, |check| check.key.clone())
    }

    pub fn signature(&self, at: usize) -> Vec<u8> {
        self.of_check(at, |check| check.signature.clone())
    }

    pub fn message(&self, at: usize) -> Vec<u8> {
        self.of_check(at, |check| check.message.clone())
    }

    /// What holds, as a line of JSON about that member. An answer a check: 0 differs, 1 fits, 2 the algorithm is not
    /// known, 3 the page may not verify anything.
    pub fn told(&self, member: &str, answers: &[u8]) -> String {
        let answers: Vec<Answer> = answers
            .iter()
            .map(|answer| match answer {
                0 => Answer::Differs,
                1 => Answer::Fits,
                2 => Answer::Unknown,
                _ => Answer::Forbidden,
            })
            .collect();
        let mut told = self.proof.told(&answers);
        told.name = member.into();
        Aside::Signature(told).json()
    }

    fn of_check<T: Default>(&self, at: usize, get: impl FnOnce(&Check) -> T) -> T {
        self.proof.checks().get(at).map(get).unwrap_or_default()
    }
}
