//! The digest of a package, and who signed it.
//!
//!   digest := {"path":"datapackage.json", "hash":HASH, "signedData":signed}
//!   signed := {"hash":HASH, "created":DATE, "software":T, "signature":BASE64, key | identity}
//!   key := "publicKey":BASE64        identity := "domain":NAME, "domainCert":PEM, "timeSignature":BASE64, "timestampCert":PEM
//! What is signed is the text of the hash. In early packages signature and key stood beside the hash.

use super::manifest::text_of;
use crate::cdx::json::{Value, members};

/// What a digest states.
#[derive(Debug, Default)]
pub struct Stated {
    pub hash: Option<Vec<u8>>,
    pub signed: Option<Signed>,
}

/// What is stated of a signature, of which only those who verify it need all; a text that is not there is empty.
#[derive(Debug, Default)]
#[cfg_attr(not(feature = "tools"), allow(dead_code))]
pub struct Signed {
    pub hash: Vec<u8>,
    pub created: Vec<u8>,
    pub software: Vec<u8>,
    pub signature: Vec<u8>,
    pub public_key: Vec<u8>,
    pub domain: Vec<u8>,
    pub domain_chain: Vec<u8>,
    pub time_signature: Vec<u8>,
    pub time_chain: Vec<u8>,
    pub cross_chain: Vec<u8>,
}

impl Signed {
    /// Who signed, as far as it says.
    pub fn signer(&self) -> Option<Vec<u8>> {
        let mut signers = [&self.domain, &self.public_key].into_iter();
        signers.find(|signer| !signer.is_empty()).cloned()
    }

    fn take(&mut self, name: &[u8], value: Value) {
        let slot = match name {
            b"hash" => &mut self.hash,
            b"created" => &mut self.created,
            b"software" => &mut self.software,
            b"signature" => &mut self.signature,
            b"publicKey" => &mut self.public_key,
            b"domain" => &mut self.domain,
            b"domainCert" => &mut self.domain_chain,
            b"timeSignature" => &mut self.time_signature,
            b"timestampCert" => &mut self.time_chain,
            b"crossSignedCert" => &mut self.cross_chain,
            _ => return,
        };
        *slot = text_of(value).unwrap_or_default();
    }
}

/// Reads a digest; nothing where it is none.
pub fn stated(text: &[u8]) -> Option<Stated> {
    let mut stated = Stated::default();
    let mut beside = Signed::default();
    let mut is_object = true;
    let is_sound = members(text, &mut |name, value| match (name, value) {
        (b"hash", Value::Text(_)) => stated.hash = text_of(value),
        (b"signedData", Value::Object(object)) => {
            let signed = stated.signed.get_or_insert_default();
            is_object &= members(object, &mut |name, value| signed.take(name, value));
        }
        (name, value) => beside.take(name, value),
    });
    if stated.signed.is_none() && !beside.signature.is_empty() {
        beside.hash = stated.hash.clone().unwrap_or_default();
        stated.signed = Some(beside);
    }
    (is_sound && is_object).then_some(stated)
}
