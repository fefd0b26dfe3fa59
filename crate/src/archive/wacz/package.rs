//! A package: its manifest, the members that the manifest names, and what was found of them.

use std::collections::BTreeMap;

use super::manifest::Manifest;
use super::pages::tell_outline;
use super::signature;
use super::text::{Flaw, Kind, Text};
use crate::archive::aside::{About, Aside, Signature, Verdict};
use crate::archive::member::shown;
use crate::archive::record::Sink;
use crate::archive::tee::Sum;
use crate::digest::{Algorithm, Hasher, Stated, Unusable};
use crate::error::code;
use crate::limits::{PACKAGE_EARLY_MAX, SIGNED_BYTES_MAX};

#[derive(Default)]
pub struct Package {
    /// The folder of the manifest, with its slash.
    root: Vec<u8>,
    manifest: Option<Manifest>,
    /// What the text of the manifest comes to, by each algorithm.
    manifest_digests: Vec<(Algorithm, Vec<u8>)>,
    /// Numbers of resources by their paths.
    by_path: BTreeMap<Vec<u8>, usize>,
    is_present: Vec<bool>,
    /// Name and text of the digest.
    digest: Option<(Vec<u8>, Vec<u8>)>,
    /// Members that came before the manifest.
    early: Vec<(Vec<u8>, Option<Sum>)>,
    /// Whether more came than are kept, so that none can be said to be missing.
    is_early_over: bool,
}

impl Package {
    /// What is to be kept of a member of that name, if it says something of the package.
    pub fn wants(&self, name: &[u8]) -> Option<Text> {
        let kind = Kind::of(name)?;
        let is_second = kind == Kind::Manifest && self.manifest.is_some();
        (!is_second).then(|| Text::new(kind))
    }

    /// A member that says something of the package is there as a whole.
    pub fn read(&mut self, text: Text, name: &[u8], sink: &mut dyn Sink) -> Vec<Flaw> {
        if text.is_over {
            let message = format!("{} is too long to be read", shown(name));
            return vec![(code::WACZ_BAD_MANIFEST, message)];
        }
        match text.kind {
            Kind::Manifest => return self.read_manifest(&text.held, name, sink),
            Kind::Digest => self.digest = Some((name.to_vec(), text.held)),
            Kind::Outline => tell_outline(&text.held, name, sink),
            Kind::Pages => {}
        }
        Vec::new()
    }

    fn read_manifest(&mut self, text: &[u8], name: &[u8], sink: &mut dyn Sink) -> Vec<Flaw> {
        let digest = |&algorithm: &Algorithm| {
            let mut hasher = Hasher::new(algorithm);
            hasher.update(text);
            (algorithm, hasher.finish())
        };
        self.manifest_digests = Algorithm::ALL.iter().map(digest).collect();
        let Some(mut manifest) = Manifest::parse(text) else {
            let message = format!("{} is not the manifest of a package", shown(name));
            return vec![(code::WACZ_BAD_MANIFEST, message)];
        };
        sink.aside(Aside::About(About {
            name: name.to_vec(),
            fields: std::mem::take(&mut manifest.fields),
            resources: manifest.resources.len() as u64,
        }));
        let slash = memchr::memrchr(b'/', name).map_or(0, |at| at + 1);
        self.root = name[..slash].to_vec();
        for (at, resource) in manifest.resources.iter().enumerate() {
            self.by_path.insert(resource.name.clone(), at);
        }
        self.is_present = vec![false; manifest.resources.len()];
        let is_over = manifest.is_over;
        self.manifest = Some(manifest);
        for (name, sum) in std::mem::take(&mut self.early) {
            self.settle(&name, sum.as_ref());
        }
        if is_over {
            let message = format!("{} names more members than are compared", shown(name));
            return vec![(code::WACZ_BAD_MANIFEST, message)];
        }
        Vec::new()
    }

    /// By which algorithms the hash may be made that the manifest states of a member. Where the manifest comes
    /// after the member, that is any of them.
    pub fn algorithms(&self, name: &[u8]) -> Vec<Algorithm> {
        let Some(manifest) = &self.manifest else {
            return Algorithm::ALL.to_vec();
        };
        let path = name.strip_prefix(self.root.as_slice());
        let at = path.and_then(|path| self.by_path.get(path));
        let resource = at.and_then(|&at| manifest.resources.get(at));
        let hash = resource.and_then(|resource| resource.hash.as_deref());
        let stated = hash.and_then(|hash| Stated::parse(hash).ok());
        vec![stated.map_or(Algorithm::Sha256, |stated| stated.algorithm)]
    }

    /// A member is there; its sum, where all of it came by.
    pub fn found(&mut self, name: &[u8], sum: Option<&Sum>) {
        if self.manifest.is_some() {
            self.settle(name, sum);
        } else if self.early.len() < PACKAGE_EARLY_MAX {
            self.early.push((name.to_vec(), sum.cloned()));
        } else {
            self.is_early_over = true;
        }
    }

    fn settle(&mut self, name: &[u8], sum: Option<&Sum>) {
        let Some(path) = name.strip_prefix(self.root.as_slice()) else {
            return;
        };
        let (Some(manifest), Some(&at)) = (&mut self.manifest, self.by_path.get(path)) else {
            return;
        };
        self.is_present[at] = true;
        let resource = &mut manifest.resources[at];
        let made = sum.map_or(&[][..], |sum| &sum.digests);
        resource.verdict = match &resource.hash {
            Some(hash) => compared(hash, made),
            None => Verdict::NoHash,
        };
    }

    /// All members were found: tells what holds of the package.
    pub fn conclude(mut self, sink: &mut dyn Sink) -> Vec<Flaw> {
        let mut flaws = Vec::new();
        let manifest = self.manifest.take().unwrap_or_default();
        for (mut resource, is_present) in manifest.resources.into_iter().zip(self.is_present) {
            let is_here = resource.verdict != Verdict::Elsewhere;
            let name = shown(&resource.name);
            if is_here && !is_present && !self.is_early_over {
                resource.verdict = Verdict::Missing;
                let message = format!("the manifest names {name}, which is not in the file");
                flaws.push((code::WACZ_MISSING, message));
            }
            if resource.verdict == Verdict::Differs {
                let message = format!("the content of {name} is not what the manifest states");
                flaws.push((code::WACZ_BAD_HASH, message));
            }
            if is_here {
                resource.name = [&self.root[..], &resource.name].concat();
            }
            sink.aside(Aside::Resource(resource));
        }
        if let Some((name, text)) = &self.digest {
            let told = judge(name, text, &self.manifest_digests);
            match told.digest {
                Verdict::Differs | Verdict::Missing => {
                    let message =
                        format!("{} does not fit the manifest of the package", shown(name));
                    flaws.push((code::WACZ_BAD_DIGEST, message));
                }
                Verdict::NoHash => {
                    let message = format!("{} is not the digest of a package", shown(name));
                    flaws.push((code::WACZ_BAD_DIGEST, message));
                }
                _ => {}
            }
            sink.aside(Aside::Signature(told));
        }
        flaws
    }
}

/// What the digest of a package says. Whether its signature fits must be asked of the host.
fn judge(name: &[u8], text: &[u8], manifest: &[(Algorithm, Vec<u8>)]) -> Signature {
    let mut told = Signature {
        name: name.to_vec(),
        ..Signature::default()
    };
    let Some(signature::Stated {
        hash: Some(hash),
        signed,
    }) = signature::stated(text)
    else {
        told.digest = Verdict::NoHash;
        return told;
    };
    told.digest = if manifest.is_empty() {
        Verdict::Missing
    } else {
        compared(&hash, manifest)
    };
    told.words.push(digest_words(told.digest).into());
    let Some(signed) = signed else {
        told.words.push("The package is not signed.".into());
        return told;
    };
    told.is_signed = true;
    told.signer = signed.signer();
    told.words
        .push("The package is signed; the signature was not looked at.".into());
    if text.len() <= SIGNED_BYTES_MAX {
        told.signed = text.to_vec();
    }
    told
}

pub fn digest_words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "The manifest is the one that the digest was made of.",
        Verdict::Differs => {
            "The manifest is not the one that the digest was made of: one of them was changed."
        }
        Verdict::Missing => "There is a digest, but no manifest.",
        _ => "The digest is of a kind that is not checked here.",
    }
}

/// Compares a hash as it is stated with what was made, by one algorithm or several.
fn compared(stated: &[u8], made: &[(Algorithm, Vec<u8>)]) -> Verdict {
    if made.is_empty() {
        return Verdict::NotChecked;
    }
    let stated = match Stated::parse(stated) {
        Ok(stated) => stated,
        Err(Unusable::Algorithm) => return Verdict::NotChecked,
        // No content has a hash that is none.
        Err(Unusable::Unreadable) => return Verdict::Differs,
    };
    let made = made.iter().find(|made| made.0 == stated.algorithm);
    match made {
        Some((_, digest)) if stated.is(digest) => Verdict::Holds,
        Some(_) => Verdict::Differs,
        None => Verdict::NotChecked,
    }
}

/// In which order members are best read: the manifest first, which says what the others should be; indexes
/// last, when it is known whether what they list is in the file.
pub fn rank(name: &[u8]) -> u8 {
    let is_index = [&b".cdx"[..], b".cdxj", b".cdx.gz", b".cdxj.gz", b".idx"]
        .iter()
        .any(|ending| name.ends_with(ending));
    match Kind::of(name) {
        Some(Kind::Manifest) => 0,
        _ if is_index => 2,
        _ => 1,
    }
}

/// Whether a member lies in the folder where packages keep the indexes of their own archives.
pub fn is_own_index(name: &[u8]) -> bool {
    name.rsplit(|&byte| byte == b'/').nth(1) == Some(b"indexes")
}
