//! Public keys, and what is to be verified of a signature that was made with one. The host verifies it, which has
//! WebCrypto: keys, signatures and algorithms are given out in its terms.

use sha2::{Digest, Sha256, Sha384, Sha512};

use super::der::{BIT_STRING, Der, INTEGER, OBJECT, SEQUENCE, Value, bits, unsigned, wrapped};

/// The hash that is signed. Older ones prove nothing any more and are not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hash {
    Sha256,
    Sha384,
    Sha512,
}

/// Identifiers of algorithms.
const RSA: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x01";
const RSA_PSS: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x01\x0a";
const ECDSA: &[u8] = b"\x2a\x86\x48\xce\x3d\x04\x03";
const SHA2: &[u8] = b"\x60\x86\x48\x01\x65\x03\x04\x02";
const KEY_RSA: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01";
const KEY_CURVE: &[u8] = b"\x2a\x86\x48\xce\x3d\x02\x01";
const CURVE_P256: &[u8] = b"\x2a\x86\x48\xce\x3d\x03\x01\x07";
const CURVE_P384: &[u8] = b"\x2b\x81\x04\0\x22";
const CURVE_P521: &[u8] = b"\x2b\x81\x04\0\x23";
const NULL: &[u8] = &[5, 0];

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

    fn name(self) -> &'static str {
        match self {
            Hash::Sha256 => "SHA-256",
            Hash::Sha384 => "SHA-384",
            Hash::Sha512 => "SHA-512",
        }
    }

    fn bytes(self) -> u32 {
        match self {
            Hash::Sha256 => 32,
            Hash::Sha384 => 48,
            Hash::Sha512 => 64,
        }
    }
}

/// How something was signed, as it states that itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Manner {
    pub hash: Hash,
    /// The length of the salt, where it was signed in the newer way of RSA (PSS).
    pub salt: Option<u32>,
}

impl From<Hash> for Manner {
    fn from(hash: Hash) -> Manner {
        Manner { hash, salt: None }
    }
}

impl Manner {
    /// Reads an identifier of an algorithm of signing.
    ///
    ///   algorithm := {object, {[0] {hash}, [1] {mask, {hash}}, [2] salt}?}      with what follows for PSS only
    pub fn parse(algorithm: Value) -> Option<Manner> {
        let mut fields = algorithm.inner();
        let object = fields.tagged(OBJECT)?.content;
        if object != RSA_PSS {
            return Hash::of_algorithm(object).map(Manner::from);
        }
        let hash_in = |value: Value| Hash::of_algorithm(value.inner().tagged(OBJECT)?.content);
        let mut fields = fields.tagged(SEQUENCE)?.inner();
        let hash = hash_in(fields.tagged(0xa0)?.inner().tagged(SEQUENCE)?)?;
        let mut mask = fields.tagged(0xa1)?.inner().tagged(SEQUENCE)?.inner();
        mask.tagged(OBJECT)?;
        // Two hashes in one signature are allowed, but not known to WebCrypto.
        let is_one = hash_in(mask.tagged(SEQUENCE)?)? == hash;
        let salt = fields.tagged(0xa2)?.inner().tagged(INTEGER)?.content;
        let &[salt] = unsigned(salt) else {
            return None;
        };
        let salt = Some(salt.into());
        is_one.then_some(Manner { hash, salt })
    }
}

/// A public key of a kind that is known here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    kind: Kind,
    /// The structure that holds it (SubjectPublicKeyInfo).
    info: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Curve { name: &'static str, width: usize },
    Rsa { bits: usize, is_pss: bool },
}

impl Key {
    /// The key in a structure that says of which kind it is (SubjectPublicKeyInfo).
    pub fn parse(info: &[u8]) -> Option<Key> {
        let outer = Der::new(info).tagged(SEQUENCE)?;
        let mut fields = outer.inner();
        let mut algorithm = fields.tagged(SEQUENCE)?.inner();
        let key = fields.tagged(BIT_STRING)?;
        let object = algorithm.tagged(OBJECT)?.content;
        if object == KEY_CURVE {
            let (name, width) = match algorithm.tagged(OBJECT)?.content {
                CURVE_P256 => ("P-256", 32),
                CURVE_P384 => ("P-384", 48),
                CURVE_P521 => ("P-521", 66),
                _ => return None,
            };
            let kind = Kind::Curve { name, width };
            let info = outer.whole.to_vec();
            return Some(Key { kind, info });
        }
        if object != KEY_RSA && object != RSA_PSS {
            return None;
        }
        let mut numbers = Der::new(bits(key)?).tagged(SEQUENCE)?.inner();
        let modulus = unsigned(numbers.tagged(INTEGER)?.content);
        numbers.tagged(INTEGER)?;
        // WebCrypto takes keys for PSS under the name of RSA keys in general only.
        let named = [&wrapped(OBJECT, KEY_RSA)[..], NULL].concat();
        let parts = [wrapped(SEQUENCE, &named), key.whole.to_vec()].concat();
        Some(Key {
            kind: Kind::Rsa {
                bits: modulus.len() * 8,
                is_pss: object == RSA_PSS,
            },
            info: wrapped(SEQUENCE, &parts),
        })
    }

    pub fn kind(&self) -> String {
        match self.kind {
            Kind::Curve { name, .. } => format!("ECDSA on the curve {name}"),
            Kind::Rsa { bits, .. } => format!("RSA of {bits} bits"),
        }
    }

    /// What is to be verified of a signature of `message`; nothing where it cannot be one by this key.
    pub fn check(&self, manner: Manner, message: &[u8], signature: &[u8]) -> Option<Check> {
        let (scheme, signature) = match self.kind {
            Kind::Curve { name, width } => (Scheme::Curve(name), pair(signature, width)?),
            Kind::Rsa { is_pss: false, .. } if manner.salt.is_none() => {
                (Scheme::Rsa, signature.to_vec())
            }
            Kind::Rsa { .. } => {
                let salt = manner.salt.unwrap_or(manner.hash.bytes());
                (Scheme::RsaPss { salt }, signature.to_vec())
            }
        };
        Some(Check {
            scheme,
            hash: manner.hash,
            key: self.info.clone(),
            message: message.to_vec(),
            signature,
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scheme {
    Curve(&'static str),
    Rsa,
    RsaPss { salt: u32 },
}

/// A signature that the host is to verify.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    scheme: Scheme,
    hash: Hash,
    /// As `spki`.
    pub key: Vec<u8>,
    pub message: Vec<u8>,
    /// Numbers of a curve stand one after the other, in full width.
    pub signature: Vec<u8>,
}

impl Check {
    /// The algorithm as WebCrypto takes it, for the key and for the signature, in JSON.
    pub fn algorithm(&self) -> String {
        let hash = self.hash.name();
        match self.scheme {
            Scheme::Curve(curve) => {
                format!(r#"{{"name":"ECDSA","namedCurve":"{curve}","hash":"{hash}"}}"#)
            }
            Scheme::Rsa => format!(r#"{{"name":"RSASSA-PKCS1-v1_5","hash":"{hash}"}}"#),
            Scheme::RsaPss { salt } => {
                format!(r#"{{"name":"RSA-PSS","hash":"{hash}","saltLength":{salt}}}"#)
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
