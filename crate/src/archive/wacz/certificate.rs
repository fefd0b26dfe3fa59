//! Certificates: whom they name, how long they hold, and who signed them.

use super::der::{BIT_STRING, Der, INTEGER, OBJECT, OCTET_STRING, SEQUENCE, Value, bits};
use super::keys::{Check, Key, Manner};

const COMMON_NAME: &[u8] = b"\x55\x04\x03";
const ORGANIZATION: &[u8] = b"\x55\x04\x0a";
const OTHER_NAMES: &[u8] = b"\x55\x1d\x11";
const CONSTRAINTS: &[u8] = b"\x55\x1d\x13";
const USES: &[u8] = b"\x55\x1d\x25";
const USE_TIME_STAMPS: &[u8] = b"\x2b\x06\x01\x05\x05\x07\x03\x08";

/// A name of a host in the list of names.
const HOST: u8 = 0x82;
const VERSION: u8 = 0xa0;
const EXTENSIONS: u8 = 0xa3;
const UTC_TIME: u8 = 0x17;

/// Certificates in a chain that are looked at; real ones have three or four.
const CHAIN_MAX: usize = 10;

#[derive(Clone, Debug)]
pub struct Certificate {
    /// What is signed.
    signed: Vec<u8>,
    pub serial: Vec<u8>,
    pub issuer: Vec<u8>,
    subject: Vec<u8>,
    /// Such as `20220118063645`.
    not_before: Vec<u8>,
    not_after: Vec<u8>,
    pub key: Option<Key>,
    hosts: Vec<Vec<u8>>,
    is_authority: bool,
    stamps_time: bool,
    manner: Option<Manner>,
    signature: Vec<u8>,
}

impl Certificate {
    pub fn parse(bytes: &[u8]) -> Option<Certificate> {
        let mut outer = Der::new(bytes).tagged(SEQUENCE)?.inner();
        let signed = outer.tagged(SEQUENCE)?;
        let manner = Manner::parse(outer.tagged(SEQUENCE)?);
        let signature = bits(outer.tagged(BIT_STRING)?)?.to_vec();
        let mut fields = signed.inner();
        fields.optional(VERSION);
        let serial = fields.tagged(INTEGER)?.content.to_vec();
        fields.tagged(SEQUENCE)?;
        let issuer = fields.tagged(SEQUENCE)?.whole.to_vec();
        let mut validity = fields.tagged(SEQUENCE)?.inner();
        let subject = fields.tagged(SEQUENCE)?.whole.to_vec();
        let info = fields.tagged(SEQUENCE)?.whole;
        let mut certificate = Certificate {
            signed: signed.whole.to_vec(),
            serial,
            issuer,
            subject,
            not_before: time(validity.next()?),
            not_after: time(validity.next()?),
            key: Key::parse(info),
            hosts: Vec::new(),
            is_authority: false,
            stamps_time: false,
            manner,
            signature,
        };
        for field in fields.filter(|field| field.tag == EXTENSIONS) {
            for extension in field.inner().tagged(SEQUENCE)?.inner() {
                certificate.extend(extension);
            }
        }
        Some(certificate)
    }

    fn extend(&mut self, extension: Value) -> Option<()> {
        let mut fields = extension.inner();
        let kind = fields.tagged(OBJECT)?.content;
        let value = fields.find(|field| field.tag == OCTET_STRING)?;
        let mut inner = value.inner().tagged(SEQUENCE)?.inner();
        match kind {
            OTHER_NAMES => {
                let hosts = inner.filter(|name| name.tag == HOST);
                self.hosts = hosts.map(|name| name.content.to_vec()).collect();
            }
            CONSTRAINTS => self.is_authority = inner.next()?.content == [0xff],
            USES => self.stamps_time = inner.any(|wanted| wanted.content == USE_TIME_STAMPS),
            _ => {}
        }
        Some(())
    }

    /// Whether it names a host, itself or by a star for the first part of the name.
    pub fn names(&self, host: &[u8]) -> bool {
        let is_same = |name: &Vec<u8>| match name.strip_prefix(b"*") {
            None => name.eq_ignore_ascii_case(host),
            Some(rest) => memchr::memchr(b'.', host)
                .is_some_and(|dot| dot > 0 && host[dot..].eq_ignore_ascii_case(rest)),
        };
        if self.hosts.is_empty() {
            return attribute(&self.subject, COMMON_NAME).is_some_and(|name| is_same(&name));
        }
        self.hosts.iter().any(is_same)
    }

    /// Whether it held at a time such as `20220118190012`.
    pub fn holds_at(&self, time: &[u8]) -> bool {
        self.not_before.as_slice() <= time && time <= self.not_after.as_slice()
    }

    pub fn stamps_time(&self) -> bool {
        self.stamps_time
    }

    pub fn is_self_signed(&self) -> bool {
        self.issuer == self.subject
    }

    /// What is to be verified of its signature by an issuer; nothing where that one did not issue it.
    pub fn check(&self, issuer: &Certificate) -> Option<Check> {
        let is_by = issuer.is_authority && self.issuer == issuer.subject;
        let (manner, key) = (self.manner?, issuer.key.as_ref().filter(|_| is_by)?);
        key.check(manner, &self.signed, &self.signature)
    }

    pub fn subject_name(&self) -> String {
        shown_name(&self.subject)
    }

    pub fn issuer_name(&self) -> String {
        shown_name(&self.issuer)
    }
}

/// The certificates of a chain in text form (PEM), the one that was signed with first.
pub fn chain(text: &[u8]) -> Option<Vec<Certificate>> {
    let mut certificates = Vec::new();
    let mut rest = text;
    while let Some(start) = memchr::memmem::find(rest, b"-----BEGIN CERTIFICATE-----") {
        rest = &rest[start + 27..];
        let end = memchr::memmem::find(rest, b"-----END CERTIFICATE-----")?;
        certificates.push(Certificate::parse(&super::base64::decoded(&rest[..end])?)?);
        if certificates.len() > CHAIN_MAX {
            return None;
        }
        rest = &rest[end..];
    }
    (!certificates.is_empty()).then_some(certificates)
}

/// Year, month, day, hour, minute and second.
fn time(value: Value) -> Vec<u8> {
    let digits: Vec<u8> = value
        .content
        .iter()
        .copied()
        .filter(u8::is_ascii_digit)
        .collect();
    if value.tag != UTC_TIME {
        return digits;
    }
    let century: &[u8] = if digits.first().is_some_and(|&digit| digit >= b'5') {
        b"19"
    } else {
        b"20"
    };
    [century, &digits].concat()
}

fn attribute(name: &[u8], kind: &[u8]) -> Option<Vec<u8>> {
    let parts = Der::new(name).tagged(SEQUENCE)?.inner();
    parts
        .flat_map(Value::inner)
        .filter_map(|attribute| {
            let mut fields = attribute.inner();
            let is_it = fields.tagged(OBJECT)?.content == kind;
            fields.next().filter(|_| is_it)
        })
        .last()
        .map(|value| value.content.to_vec())
}

fn shown_name(name: &[u8]) -> String {
    let name = attribute(name, COMMON_NAME).or_else(|| attribute(name, ORGANIZATION));
    name.map_or_else(
        || "somebody without a name".into(),
        |name| crate::archive::member::shown(&name),
    )
}
