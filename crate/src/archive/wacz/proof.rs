//! Whether the signature of a package holds, in words: what is proven by it, and what is not.
//!
//! The arithmetic is the host's, which may take its time. So what is said is gone through twice: once as if every
//! signature fitted, which shows what must be verified, and once with what the host answered.

use super::base64::decoded;
use super::certificate::{Certificate, chain};
use super::der::{Der, SEQUENCE};
use super::keys::{Check, Hash, Key};
use super::package::digest_words;
use super::signature::{Signed, Stated, stated};
use super::timestamp::Stamp;
use crate::archive::aside::{Signature, Verdict};
use crate::archive::date::parse_date;
use crate::archive::member::shown;

/// The stated date may differ from the time stamp by this much, says the specification.
const STAMP_SECONDS_MAX: u64 = 600;

/// What the host says of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Fits,
    Differs,
    /// It does not know the algorithm.
    Unknown,
    /// It may not say: browsers verify nothing for pages that anyone on the way could have changed.
    Forbidden,
}

/// A signature that is there, and all that must be verified for it.
pub struct Proof {
    signed: Signed,
    hash: Vec<u8>,
    /// What was found of the digest beside it.
    digest: Verdict,
    checks: Vec<Check>,
}

impl Proof {
    /// Reads the text of a digest; nothing where it is not signed.
    pub fn new(text: &[u8], digest: Verdict) -> Option<Proof> {
        let Stated { hash, signed } = stated(text)?;
        let mut proof = Proof {
            signed: signed?,
            hash: hash?,
            digest,
            checks: Vec::new(),
        };
        let mut host = Host::default();
        proof.judge(&mut host, &mut Signature::default());
        proof.checks = host.asked;
        Some(proof)
    }

    pub fn checks(&self) -> &[Check] {
        &self.checks
    }

    /// What holds, by an answer for each check.
    pub fn told(&self, answers: &[Answer]) -> Signature {
        let mut told = Signature {
            digest: self.digest,
            is_signed: true,
            signer: self.signed.signer(),
            words: vec![digest_words(self.digest).into()],
            ..Signature::default()
        };
        let mut host = Host {
            answers: Some(answers),
            asked: Vec::new(),
        };
        told.is_valid = self.judge(&mut host, &mut told);
        if told.digest == Verdict::Differs && told.is_valid == Some(true) {
            told.is_valid = Some(false);
            told.words
                .push("But what was signed is not the manifest that is in the file.".into());
        }
        told
    }

    fn judge(&self, host: &mut Host, told: &mut Signature) -> Option<bool> {
        let verdict = if self.signed.public_key.is_empty() {
            self.judge_identity(host, told)
        } else {
            self.judge_key(host, told)
        };
        let (is_valid, words) = match verdict {
            Ok(()) => return Some(true),
            Err(Fault::Wrong(words)) => (Some(false), words),
            Err(Fault::Unknown(words)) => (None, words),
        };
        told.words.push(words);
        is_valid
    }

    /// Whether the signature is one of the hash that the digest states.
    fn check(&self, key: &Key, host: &mut Host) -> Result<(), Fault> {
        if !self.signed.hash.is_empty() && self.signed.hash != self.hash {
            return Err(wrong(
                "The hash that was signed is another one than the digest states.",
            ));
        }
        let signature = decoded(&self.signed.signature)
            .ok_or_else(|| wrong("The signature is not readable."))?;
        if host.fits(key.check(Hash::Sha256.into(), &self.hash, &signature))? {
            return Ok(());
        }
        Err(wrong(
            "The signature does not fit the manifest and the key: one of them was changed.",
        ))
    }

    fn judge_key(&self, host: &mut Host, told: &mut Signature) -> Result<(), Fault> {
        let key = decoded(&self.signed.public_key);
        let key = key.filter(|key| Der::new(key).tagged(SEQUENCE).is_some());
        let key = key.ok_or_else(|| wrong("The key of the signature is not readable."))?;
        let key = Key::parse(&key).ok_or_else(|| {
            unknown("The package is signed with a key of a kind that is not known here.")
        })?;
        self.check(&key, host)?;
        told.words.push(format!(
            "The signature fits the manifest and the key that is stated beside it ({}): since it was signed, the manifest was not changed.",
            key.kind()
        ));
        told.words.push("Whose key that is, and when it signed, is not proven: compare the key with one that you have from its owner.".into());
        Ok(())
    }

    fn judge_identity(&self, host: &mut Host, told: &mut Signature) -> Result<(), Fault> {
        let certificates = chain(&self.signed.domain_chain)
            .ok_or_else(|| wrong("The certificate of the signer is not there, or not readable."))?;
        let own = &certificates[0];
        let key = own.key.as_ref().ok_or_else(|| {
            unknown("The certificate of the signer has a key of a kind that is not known here.")
        })?;
        self.check(key, host)?;
        let domain = shown(&self.signed.domain);
        if !own.names(&self.signed.domain) {
            return Err(Fault::Wrong(format!(
                "The certificate is not one of {domain}, who is said to have signed."
            )));
        }
        told.words.push(format!(
            "The signature fits the manifest and a certificate that names {domain} ({}): since it was signed, the manifest was not changed.",
            key.kind()
        ));
        tell_chain(&certificates, "certificate", host, told)?;
        self.judge_crossed(host, told)?;
        let time = self.judge_stamp(host, told)?;
        if !own.holds_at(&time) {
            return Err(wrong(
                "At that time the certificate of the signer did not hold.",
            ));
        }
        told.words.push("At that time the certificate of the signer held; whether it had been revoked is not known here.".into());
        Ok(())
    }

    /// Another authority may have signed a certificate of the same key, for those who trust that one.
    fn judge_crossed(&self, host: &mut Host, told: &mut Signature) -> Result<(), Fault> {
        if self.signed.cross_chain.is_empty() {
            return Ok(());
        }
        let certificates = chain(&self.signed.cross_chain)
            .ok_or_else(|| wrong("The certificate of the second authority is not readable."))?;
        let key = certificates[0].key.as_ref().ok_or_else(|| {
            unknown("The certificate of the second authority has a key of a kind that is not known here.")
        })?;
        let signature = decoded(&self.signed.signature).unwrap_or_default();
        if !host.fits(key.check(Hash::Sha256.into(), &self.hash, &signature))? {
            return Err(wrong(
                "The signature does not fit the certificate of the second authority.",
            ));
        }
        tell_chain(
            &certificates,
            "certificate of the second authority",
            host,
            told,
        )
    }

    /// The time of the stamp, if it holds.
    fn judge_stamp(&self, host: &mut Host, told: &mut Signature) -> Result<Vec<u8>, Fault> {
        let signed = &self.signed;
        if signed.time_signature.is_empty() {
            return Err(unknown(
                "There is no time stamp, so when it was signed is not proven, nor that the certificate held then.",
            ));
        }
        let stamp = decoded(&signed.time_signature).and_then(|stamp| Stamp::parse(&stamp));
        let stamp = stamp.ok_or_else(|| wrong("The time stamp is not readable."))?;
        let certificates = chain(&signed.time_chain).ok_or_else(|| {
            wrong("The certificate of the time stamp is not there, or not readable.")
        })?;
        let signer = stamp
            .signer(&certificates)
            .ok_or_else(|| wrong("The certificate that made the time stamp is not there."))?;
        // What is stamped is the signature as it is written.
        if !stamp.is_of(&signed.signature) {
            return Err(wrong(
                "The time stamp is one of something else than the signature.",
            ));
        }
        let could_stamp = signer.stamps_time() && signer.holds_at(&stamp.time);
        if !could_stamp || !host.fits(stamp.check(signer))? {
            return Err(wrong(
                "The time stamp does not fit the certificate that is said to have made it.",
            ));
        }
        let text = written(&stamp.time);
        told.stamped = Some(text.clone().into_bytes());
        let created = parse_date(&signed.created);
        let stamped = parse_date(text.as_bytes());
        let apart = created.zip(stamped).map(|(one, other)| one.abs_diff(other));
        if apart.is_none_or(|seconds| seconds > STAMP_SECONDS_MAX) {
            return Err(Fault::Wrong(format!(
                "The time stamp is of {text}, and the date that is stated, {}, is not within ten minutes of it.",
                shown(&signed.created)
            )));
        }
        told.words.push(format!(
            "By a time stamp of {}, it was signed at {text} or before.",
            signer.subject_name()
        ));
        tell_chain(&certificates, "time stamp", host, told)?;
        Ok(stamp.time)
    }
}

/// Who verifies: asked for the first time, everything is taken to fit.
#[derive(Default)]
struct Host<'a> {
    answers: Option<&'a [Answer]>,
    asked: Vec<Check>,
}

impl Host<'_> {
    /// Whether a signature fits; one that cannot be verified at all does not.
    fn fits(&mut self, check: Option<Check>) -> Result<bool, Fault> {
        let Some(check) = check else {
            return Ok(false);
        };
        let at = self.asked.len();
        self.asked.push(check);
        let Some(answers) = self.answers else {
            return Ok(true);
        };
        match answers.get(at) {
            Some(Answer::Fits) => Ok(true),
            Some(Answer::Differs) => Ok(false),
            Some(Answer::Unknown) => Err(unknown(
                "It could not be verified here: this browser does not know the algorithm.",
            )),
            Some(Answer::Forbidden) | None => Err(unknown(
                "It could not be verified here: browsers verify signatures only for pages that come by HTTPS or from this computer.",
            )),
        }
    }
}

enum Fault {
    /// It does not hold.
    Wrong(String),
    /// It cannot be said.
    Unknown(String),
}

fn wrong(words: &str) -> Fault {
    Fault::Wrong(words.into())
}

fn unknown(words: &str) -> Fault {
    Fault::Unknown(words.into())
}

fn tell_chain(
    certificates: &[Certificate],
    what: &str,
    host: &mut Host,
    told: &mut Signature,
) -> Result<(), Fault> {
    for pair in certificates.windows(2) {
        if !host.fits(pair[0].check(&pair[1]))? {
            return Err(Fault::Wrong(format!(
                "The chain of the {what} is broken: one is not signed by the next."
            )));
        }
    }
    let last = &certificates[certificates.len() - 1];
    let end = if last.is_self_signed() {
        format!("{}, which signed itself", last.subject_name())
    } else {
        format!(
            "{}, which {} signed",
            last.subject_name(),
            last.issuer_name()
        )
    };
    told.words.push(format!(
        "The chain of the {what} is whole up to {end}. Whether that is to be trusted is not checked: no list of trusted authorities is kept here."
    ));
    Ok(())
}

/// A time such as `20220118190012` as dates are written.
fn written(time: &[u8]) -> String {
    let text = String::from_utf8_lossy(time);
    let part = |from: usize, to: usize| text.get(from..to).unwrap_or("00").to_owned();
    format!(
        "{}-{}-{}T{}:{}:{}Z",
        part(0, 4),
        part(4, 6),
        part(6, 8),
        part(8, 10),
        part(10, 12),
        part(12, 14)
    )
}
