//! Time stamps (RFC 3161): that something existed at a time, signed by an authority.
//!
//!   response := {status, {signedData, [0] {version, hashes, {stamp, [0] facts}, [0]certs?, [1]lists?, signers}}}
//!   facts := {version, policy, {{hash}, digest}, serial, time, ...}
//!   signer := {version, {issuer, serial}, {hash}, [0] attributes, {algorithm}, signature}

use super::certificate::Certificate;
use super::der::{Der, INTEGER, OBJECT, OCTET_STRING, SEQUENCE, SET, Value, wrapped};
use super::keys::{Check, Hash, Manner};

const SIGNED_DATA: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02";
const STAMP: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x09\x10\x01\x04";
const CONTENT_TYPE: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x09\x03";
const MESSAGE_DIGEST: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x09\x04";

const FIRST: u8 = 0xa0;
const SECOND: u8 = 0xa1;
const TIME: u8 = 0x18;

pub struct Stamp {
    /// The facts that were signed.
    facts: Vec<u8>,
    imprint_hash: Option<Hash>,
    imprint: Vec<u8>,
    /// Such as `20220118190012`.
    pub time: Vec<u8>,
    issuer: Vec<u8>,
    serial: Vec<u8>,
    manner: Option<Manner>,
    attributes: Vec<u8>,
    signature: Vec<u8>,
}

impl Stamp {
    pub fn parse(response: &[u8]) -> Option<Stamp> {
        let mut response = Der::new(response).tagged(SEQUENCE)?.inner();
        response.tagged(SEQUENCE)?;
        let mut token = response.tagged(SEQUENCE)?.inner();
        if token.tagged(OBJECT)?.content != SIGNED_DATA {
            return None;
        }
        let mut data = token.tagged(FIRST)?.inner().tagged(SEQUENCE)?.inner();
        data.tagged(INTEGER)?;
        data.tagged(SET)?;
        let mut content = data.tagged(SEQUENCE)?.inner();
        if content.tagged(OBJECT)?.content != STAMP {
            return None;
        }
        let facts = content.tagged(FIRST)?.inner().tagged(OCTET_STRING)?.content;
        data.optional(FIRST);
        data.optional(SECOND);
        let mut signer = data.tagged(SET)?.inner().tagged(SEQUENCE)?.inner();
        signer.tagged(INTEGER)?;
        let mut id = signer.tagged(SEQUENCE)?.inner();
        let issuer = id.tagged(SEQUENCE)?.whole.to_vec();
        let serial = id.tagged(INTEGER)?.content.to_vec();
        let hash = signer.tagged(SEQUENCE)?.inner().tagged(OBJECT)?.content;
        let hash = Hash::of_algorithm(hash);
        let attributes = signer.tagged(FIRST)?.content.to_vec();
        // It may leave open which hash it takes: the one that is stated before it.
        let stated = Manner::parse(signer.tagged(SEQUENCE)?);
        let signature = signer.tagged(OCTET_STRING)?.content.to_vec();

        let mut fields = Der::new(facts).tagged(SEQUENCE)?.inner();
        fields.tagged(INTEGER)?;
        fields.tagged(OBJECT)?;
        let mut imprint = fields.tagged(SEQUENCE)?.inner();
        let imprint_hash = imprint.tagged(SEQUENCE)?.inner().tagged(OBJECT)?.content;
        let digest = imprint.tagged(OCTET_STRING)?.content.to_vec();
        fields.tagged(INTEGER)?;
        let time = fields.tagged(TIME)?.content;
        Some(Stamp {
            facts: facts.to_vec(),
            imprint_hash: Hash::of_algorithm(imprint_hash),
            imprint: digest,
            time: time
                .iter()
                .copied()
                .take_while(u8::is_ascii_digit)
                .collect(),
            issuer,
            serial,
            manner: hash
                .map(|hash| stated.unwrap_or(hash.into()))
                .filter(|manner| Some(manner.hash) == hash),
            attributes,
            signature,
        })
    }

    /// Whether it is a stamp of `what`.
    pub fn is_of(&self, what: &[u8]) -> bool {
        self.imprint_hash
            .is_some_and(|hash| hash.digest(what) == self.imprint)
    }

    /// The certificate in a chain that it names.
    pub fn signer<'a>(&self, chain: &'a [Certificate]) -> Option<&'a Certificate> {
        chain.iter().find(|certificate| {
            certificate.issuer == self.issuer && certificate.serial == self.serial
        })
    }

    /// What is to be verified of its signature by the key of that certificate; nothing where it cannot fit.
    pub fn check(&self, certificate: &Certificate) -> Option<Check> {
        let (manner, key) = (self.manner?, certificate.key.as_ref()?);
        let attribute = |kind: &[u8]| {
            Der::new(&self.attributes).find_map(|attribute: Value| {
                let mut fields = attribute.inner();
                let is_it = fields.tagged(OBJECT)?.content == kind;
                fields.tagged(SET)?.inner().next().filter(|_| is_it)
            })
        };
        let is_digest_right = attribute(MESSAGE_DIGEST)
            .is_some_and(|value| value.content == manner.hash.digest(&self.facts));
        let is_kind_right = attribute(CONTENT_TYPE).is_some_and(|value| value.content == STAMP);
        // They are signed as the set that they are, though they stand there under another tag.
        let message = wrapped(SET, &self.attributes);
        let check = key.check(manner, &message, &self.signature);
        check.filter(|_| is_digest_right && is_kind_right)
    }
}
