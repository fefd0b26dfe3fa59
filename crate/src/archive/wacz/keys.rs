//! Public keys, and whether a signature was made with one.

use p256::ecdsa::signature::hazmat::PrehashVerifier;
use rsa::{BoxedUint, Pkcs1v15Sign, RsaPublicKey};
use sha2::{Digest, Sha256, Sha384, Sha512};

use super::der::{BIT_STRING, Der, INTEGER, OBJECT, SEQUENCE, bits, unsigned};

/// The hash that is signed. Older ones prove nothing any more and are not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hash {
    Sha256,
    Sha384,
    Sha512,
}

/// Identifiers of algorithms.
const RSA: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x01";
const ECDSA: &[u8] = b"\x2a\x86\x48\xce\x3d\x04\x03";
const SHA2: &[u8] = b"\x60\x86\x48\x01\x65\x03\x04\x02";
const KEY_RSA: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01";
const KEY_CURVE: &[u8] = b"\x2a\x86\x48\xce\x3d\x02\x01";
const CURVE_P256: &[u8] = b"\x2a\x86\x48\xce\x3d\x03\x01\x07";
const CURVE_P384: &[u8] = b"\x2b\x81\x04\0\x22";

impl Hash {
    /// The hash that an algorithm of hashing or signing uses; nothing where it is left open, or another one.
    pub fn of_algorithm(object: &[u8]) -> Option<Hash> {
        let (&last, family) = object.split_last()?;
        match (family, last) {
            (RSA, 11) | (ECDSA, 2) | (SHA2, 1) => Some(Hash::Sha256),
            (RSA, 12) | (ECDSA, 3) | (SHA2, 2) => Some(Hash::Sha384),
            (RSA, 13) | (ECDSA, 4) | (SHA2, 3) => Some(Hash::Sha512),
            _ => None,
        }
    }

    pub fn digest(self, message: &[u8]) -> Vec<u8> {
        match self {
            Hash::Sha256 => Sha256::digest(message).to_vec(),
            Hash::Sha384 => Sha384::digest(message).to_vec(),
            Hash::Sha512 => Sha512::digest(message).to_vec(),
        }
    }

    /// What stands before the hash in what is signed with RSA: its algorithm and length, in DER.
    fn rsa_prefix(self) -> Box<[u8]> {
        let (number, length) = match self {
            Hash::Sha256 => (1, 32),
            Hash::Sha384 => (2, 48),
            Hash::Sha512 => (3, 64),
        };
        let algorithm = [&b"\x30\x0d\x06\x09"[..], SHA2, &[number, 5, 0]].concat();
        let outer = [0x30, length + 17];
        [&outer[..], &algorithm, &[4, length]].concat().into()
    }
}

/// A public key of a kind that is known here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    P256(Vec<u8>),
    P384(Vec<u8>),
    Rsa { modulus: Vec<u8>, exponent: Vec<u8> },
}

impl Key {
    /// The key in a structure that says of which kind it is (SubjectPublicKeyInfo).
    pub fn parse(info: &[u8]) -> Option<Key> {
        let mut info = Der::new(info).tagged(SEQUENCE)?.inner();
        let mut algorithm = info.tagged(SEQUENCE)?.inner();
        let key = bits(info.tagged(BIT_STRING)?)?;
        let kind = algorithm.tagged(OBJECT)?.content;
        if kind == KEY_CURVE {
            return match algorithm.tagged(OBJECT)?.content {
                CURVE_P256 => Some(Key::P256(key.to_vec())),
                CURVE_P384 => Some(Key::P384(key.to_vec())),
                _ => None,
            };
        }
        if kind != KEY_RSA {
            return None;
        }
        let mut numbers = Der::new(key).tagged(SEQUENCE)?.inner();
        Some(Key::Rsa {
            modulus: unsigned(numbers.tagged(INTEGER)?.content).to_vec(),
            exponent: unsigned(numbers.tagged(INTEGER)?.content).to_vec(),
        })
    }

    pub fn kind(&self) -> String {
        match self {
            Key::P256(_) => "ECDSA on the curve P-256".into(),
            Key::P384(_) => "ECDSA on the curve P-384".into(),
            Key::Rsa { modulus, .. } => format!("RSA of {} bits", modulus.len() * 8),
        }
    }

    /// Whether `signature` is one of `message`.
    pub fn verifies(&self, hash: Hash, message: &[u8], signature: &[u8]) -> bool {
        let digest = hash.digest(message);
        self.verifies_digest(hash, &digest, signature)
            .unwrap_or(false)
    }

    fn verifies_digest(&self, hash: Hash, digest: &[u8], signature: &[u8]) -> Option<bool> {
        match self {
            Key::P256(point) => {
                let key = p256::ecdsa::VerifyingKey::from_sec1_bytes(point).ok()?;
                let pair = pair(signature, 32)?;
                let signature = p256::ecdsa::Signature::from_slice(&pair).ok()?;
                Some(key.verify_prehash(digest, &signature).is_ok())
            }
            Key::P384(point) => {
                let key = p384::ecdsa::VerifyingKey::from_sec1_bytes(point).ok()?;
                let pair = pair(signature, 48)?;
                let signature = p384::ecdsa::Signature::from_slice(&pair).ok()?;
                Some(key.verify_prehash(digest, &signature).is_ok())
            }
            Key::Rsa { modulus, exponent } => {
                let number = |bytes| BoxedUint::from_be_slice_vartime(bytes);
                let key = RsaPublicKey::new(number(modulus), number(exponent)).ok()?;
                let scheme = Pkcs1v15Sign {
                    hash_len: Some(digest.len()),
                    prefix: hash.rsa_prefix(),
                };
                Some(key.verify(scheme, digest, signature).is_ok())
            }
        }
    }
}

/// The two numbers of a signature, one after the other: they come like that, or in DER.
fn pair(signature: &[u8], width: usize) -> Option<Vec<u8>> {
    if signature.len() == 2 * width {
        return Some(signature.to_vec());
    }
    let mut numbers = Der::new(signature).tagged(SEQUENCE)?.inner();
    let mut pair = Vec::with_capacity(2 * width);
    for _ in 0..2 {
        let number = unsigned(numbers.tagged(INTEGER)?.content);
        pair.resize(pair.len() + width.checked_sub(number.len())?, 0);
        pair.extend_from_slice(number);
    }
    Some(pair)
}
