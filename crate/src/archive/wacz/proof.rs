//! Whether the signature of a package holds, in words: what is proven by it, and what is not.

use super::base64::decoded;
use super::certificate::{Certificate, chain, is_linked};
use super::der::{Der, SEQUENCE};
use super::keys::{Hash, Key};
use super::signature::Signed;
use super::timestamp::Stamp;
use crate::archive::aside::Signature;
use crate::archive::date::parse_date;
use crate::archive::member::shown;

/// The stated date may differ from the time stamp by this much, says the specification.
const STAMP_SECONDS_MAX: u64 = 600;

/// Judges what was signed, and adds the words to what is told.
pub fn judge(signed: &Signed, hash: &[u8], told: &mut Signature) {
    let verdict = if signed.public_key.is_empty() {
        judge_identity(signed, hash, told)
    } else {
        judge_key(signed, hash, told)
    };
    told.is_valid = match verdict {
        Ok(()) => Some(true),
        Err(Fault::Wrong(words)) => {
            told.words.push(words);
            Some(false)
        }
        Err(Fault::Unknown(words)) => {
            told.words.push(words);
            None
        }
    };
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

/// Whether the signature is one of the hash that the digest states.
fn check(signed: &Signed, hash: &[u8], key: &Key) -> Result<(), Fault> {
    if !signed.hash.is_empty() && signed.hash != hash {
        return Err(wrong(
            "The hash that was signed is another one than the digest states.",
        ));
    }
    let signature =
        decoded(&signed.signature).ok_or_else(|| wrong("The signature is not readable."))?;
    if key.verifies(Hash::Sha256, hash, &signature) {
        Ok(())
    } else {
        Err(wrong(
            "The signature does not fit the manifest and the key: one of them was changed.",
        ))
    }
}

fn judge_key(signed: &Signed, hash: &[u8], told: &mut Signature) -> Result<(), Fault> {
    let key = decoded(&signed.public_key).filter(|key| Der::new(key).tagged(SEQUENCE).is_some());
    let key = key.ok_or_else(|| wrong("The key of the signature is not readable."))?;
    let key = Key::parse(&key).ok_or_else(|| {
        Fault::Unknown("The package is signed with a key of a kind that is not known here.".into())
    })?;
    check(signed, hash, &key)?;
    told.words.push(format!(
        "The signature fits the manifest and the key that is stated beside it ({}): since it was signed, the manifest was not changed.",
        key.kind()
    ));
    told.words.push("Whose key that is, and when it signed, is not proven: compare the key with one that you have from its owner.".into());
    Ok(())
}

fn judge_identity(signed: &Signed, hash: &[u8], told: &mut Signature) -> Result<(), Fault> {
    let certificates = chain(&signed.domain_chain)
        .ok_or_else(|| wrong("The certificate of the signer is not there, or not readable."))?;
    let own = &certificates[0];
    let key = own.key.as_ref().ok_or_else(|| {
        Fault::Unknown(
            "The certificate of the signer has a key of a kind that is not known here.".into(),
        )
    })?;
    check(signed, hash, key)?;
    let domain = shown(&signed.domain);
    if !own.names(&signed.domain) {
        return Err(Fault::Wrong(format!(
            "The certificate is not one of {domain}, who is said to have signed."
        )));
    }
    told.words.push(format!(
        "The signature fits the manifest and a certificate that names {domain} ({}): since it was signed, the manifest was not changed.",
        key.kind()
    ));
    tell_chain(&certificates, "certificate", told)?;
    let time = judge_stamp(signed, told)?;
    if !own.holds_at(&time) {
        return Err(wrong(
            "At that time the certificate of the signer did not hold.",
        ));
    }
    told.words.push("At that time the certificate of the signer held; whether it had been revoked is not known here.".into());
    Ok(())
}

fn tell_chain(certificates: &[Certificate], what: &str, told: &mut Signature) -> Result<(), Fault> {
    if !is_linked(certificates) {
        return Err(Fault::Wrong(format!(
            "The chain of the {what} is broken: one is not signed by the next."
        )));
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

/// The time of the stamp, if it holds.
fn judge_stamp(signed: &Signed, told: &mut Signature) -> Result<Vec<u8>, Fault> {
    if signed.time_signature.is_empty() {
        return Err(Fault::Unknown("There is no time stamp, so when it was signed is not proven, nor that the certificate held then.".into()));
    }
    let stamp = decoded(&signed.time_signature).and_then(|stamp| Stamp::parse(&stamp));
    let stamp = stamp.ok_or_else(|| wrong("The time stamp is not readable."))?;
    let certificates = chain(&signed.time_chain)
        .ok_or_else(|| wrong("The certificate of the time stamp is not there, or not readable."))?;
    let signer = stamp
        .signer(&certificates)
        .ok_or_else(|| wrong("The certificate that made the time stamp is not there."))?;
    // What is stamped is the signature as it is written.
    if !stamp.is_of(&signed.signature) {
        return Err(wrong(
            "The time stamp is one of something else than the signature.",
        ));
    }
    if !signer.stamps_time() || !stamp.is_signed_by(signer) || !signer.holds_at(&stamp.time) {
        return Err(wrong(
            "The time stamp does not fit the certificate that is said to have made it.",
        ));
    }
    let text = written(&stamp.time);
    told.stamped = Some(text.clone().into_bytes());
    let stated = parse_date(&signed.created);
    let stamped = parse_date(text.as_bytes());
    let apart = stated.zip(stamped).map(|(one, other)| one.abs_diff(other));
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
    tell_chain(&certificates, "time stamp", told)?;
    Ok(stamp.time)
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
