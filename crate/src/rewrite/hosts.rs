//! Names of replay addresses: which label an archived host has, and which host a label means.
//!
//!   address := before label after rest  the label in a host name of its own ("http://" and ".localhost:8585"), or
//!                                       in the path of one origin for all ("https://replay.example/-/" and "")
//!   label   := name "-" salt            one label of DNS
//!   name    := host, lower case, "-" as "--", "." as "-", ":8080" as "-p8080"
//!            | "x" and 20 letters of base32 of SHA-256 over salt and host, where the above would be too
//!              long, could be read as another host, begins as punycode does, or where names are to be hidden
//!   salt    := 6 letters of base32, the secret of the collection
//!
//! H1  A label means one host at most.
//! H2  http and https on their own ports are one host: captures are looked up without the scheme.
//! H3  Where the label is in the path, what begins with one slash leads elsewhere unless it is mapped, too.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use sha2::{Digest, Sha256};

const LABEL_BYTES_MAX: usize = 63;
const HASH_LETTERS: usize = 20;
const BASE32: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// The replay origins of one collection.
#[derive(Clone)]
pub struct Hosts {
    before: String,
    after: String,
    salt: String,
    /// Every name is a hash: who resolves names of hosts does not learn which sites are looked at.
    is_hidden: bool,
    /// Of the document at hand, where labels are in paths: what its own addresses begin with.
    own: Option<String>,
    /// Hosts behind hashed names; plain names are read back from themselves.
    hashed: Rc<RefCell<HashMap<String, String>>>,
}

impl Hosts {
    /// Addresses of labels between `before` and `after`.
    pub fn new(before: &str, after: &str, salt: &str, is_hidden: bool) -> Hosts {
        Hosts {
            before: before.into(),
            after: after.into(),
            salt: salt.into(),
            is_hidden,
            own: None,
            hashed: Rc::default(),
        }
    }

    /// The same, as a document of that host sees them.
    pub fn at(&self, host: &str) -> Hosts {
        let own = format!("{}{}", self.before, self.label(host));
        Hosts {
            own: Some(own),
            ..self.clone()
        }
    }

    /// What replay addresses begin with.
    pub fn scheme(&self) -> &str {
        self.before.split(':').next().unwrap_or_default()
    }

    /// The label of a host, given with its port unless that is a default one.
    pub fn label(&self, host: &str) -> String {
        let host = host.to_ascii_lowercase();
        let name = match plain_name(&host) {
            Some(name)
                if !self.is_hidden && name.len() + 1 + self.salt.len() <= LABEL_BYTES_MAX =>
            {
                name
            }
            _ => {
                let name = hashed_name(&self.salt, &host);
                self.hashed.borrow_mut().insert(name.clone(), host);
                name
            }
        };
        format!("{name}-{}", self.salt)
    }

    /// The host that a label means: none where the salt is another collection's, or for a hash of an unknown host.
    pub fn host(&self, label: &str) -> Option<String> {
        let name = label.strip_suffix(self.salt.as_str())?.strip_suffix('-')?;
        if is_hash(name) {
            return self.hashed.borrow().get(name).cloned();
        }
        let host = read_name(name)?;
        (plain_name(&host)? == name).then_some(host)
    }

    /// The replay address of an absolute or scheme-relative http(s) URL, or of one that `own` is put before;
    /// none for every other text.
    pub fn replay_url(&self, url: &str) -> Option<String> {
        let url = url.trim_matches(|c: char| c.is_ascii_whitespace() || c.is_ascii_control());
        if let Some(own) = self.own.as_ref().filter(|_| is_rooted(url.as_bytes())) {
            return Some(format!("{own}{url}"));
        }
        let (host, rest) = split(url)?;
        let origin = format!("{}{}{}", self.before, self.label(&host), self.after);
        Some(match rest.as_bytes().first() {
            Some(b'/' | b'\\') => format!("{origin}{rest}"),
            _ => format!("{origin}/{rest}"),
        })
    }

    /// The archived URL behind a replay address, without its scheme: `host/path?query`.
    pub fn archived(&self, replay_url: &str) -> Option<String> {
        let rest = replay_url.strip_prefix(self.before.as_str())?;
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let host = self.host(rest[..end].strip_suffix(self.after.as_str())?)?;
        let path = &rest[end..];
        let path = &path[..path.find('#').unwrap_or(path.len())];
        let slash = if path.starts_with('/') { "" } else { "/" };
        Some(format!("{host}{slash}{path}"))
    }
}

/// Host with port, and what follows it, of an absolute http(s) URL.
pub(crate) fn split(url: &str) -> Option<(String, &str)> {
    let (after_scheme, default_port) = if let Some(rest) = strip_scheme(url, "https:") {
        (rest, Some("443"))
    } else if let Some(rest) = strip_scheme(url, "http:") {
        (rest, Some("80"))
    } else {
        (url, None)
    };
    // Browsers take backslashes for slashes.
    let rest = after_scheme.strip_prefix(['/', '\\'])?;
    let rest = rest.strip_prefix(['/', '\\'])?;
    let end = rest.find(['/', '\\', '?', '#']).unwrap_or(rest.len());
    let authority = &rest[..end];
    let host = authority.rsplit('@').next().unwrap_or(authority);
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (name, port),
        _ => (host, ""),
    };
    let is_default = match default_port {
        Some(default) => port == default,
        None => port == "80" || port == "443",
    };
    let name = name.trim_end_matches('.');
    if name.is_empty() || name.contains(|c: char| c.is_whitespace() || "<>\"'`{}|^%".contains(c)) {
        return None;
    }
    let name = ascii_name(name).to_ascii_lowercase();
    let host = if port.is_empty() || is_default {
        name
    } else {
        format!("{name}:{port}")
    };
    Some((host, &rest[end..]))
}

/// Whether a URL begins with one slash.
fn is_rooted(url: &[u8]) -> bool {
    url.first() == Some(&b'/') && !matches!(url.get(1), Some(b'/' | b'\\'))
}

fn strip_scheme<'a>(url: &'a str, scheme: &str) -> Option<&'a str> {
    let head = url.get(..scheme.len())?;
    head.eq_ignore_ascii_case(scheme)
        .then(|| &url[scheme.len()..])
}

fn ascii_name(name: &str) -> Cow<'_, str> {
    if name.is_ascii() {
        return name.into();
    }
    let lower = name.to_lowercase();
    let labels: Vec<String> = lower.split('.').map(crate::archive::ascii_label).collect();
    labels.join(".").into()
}

/// The name of a host that can be read back to the same host.
fn plain_name(host: &str) -> Option<String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:".contains(&byte);
    if !host.bytes().all(is_plain) || host.starts_with(['-', '.']) {
        return None;
    }
    let (name, port) = host.split_once(':').unwrap_or((host, ""));
    let mut out = name.replace('-', "--").replace('.', "-");
    if !port.is_empty() {
        out.push_str("-p");
        out.push_str(port);
    }
    // Browsers decode what begins so, and refuse what does not decode.
    let is_safe = !out.starts_with("xn--") && !is_hash(&out);
    (is_safe && read_name(&out)? == host).then_some(out)
}

fn read_name(name: &str) -> Option<String> {
    let mut host = String::with_capacity(name.len());
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '-' {
            host.push(letter);
        } else if letters.next_if_eq(&'-').is_some() {
            host.push('-');
        } else {
            host.push('.');
        }
    }
    let port = host.rsplit_once(".p").filter(|(_, port)| {
        (1..=5).contains(&port.len()) && port.bytes().all(|byte| byte.is_ascii_digit())
    });
    let with_port = port.map(|(name, port)| format!("{name}:{port}"));
    let host = with_port.unwrap_or(host);
    (!host.is_empty()).then_some(host)
}

fn is_hash(name: &str) -> bool {
    let letters = name.strip_prefix('x').unwrap_or("").as_bytes();
    letters.len() == HASH_LETTERS && letters.iter().all(|letter| BASE32.contains(letter))
}

fn hashed_name(salt: &str, host: &str) -> String {
    let digest = Sha256::new()
        .chain_update(salt)
        .chain_update([0])
        .chain_update(host)
        .finalize();
    let mut out = String::from("x");
    let (mut held, mut bits) = (0u32, 0u32);
    for byte in digest {
        held = (held << 8) | u32::from(byte);
        bits += 8;
        while bits >= 5 && out.len() <= HASH_LETTERS {
            bits -= 5;
            out.push(char::from(BASE32[(held >> bits) as usize & 31]));
        }
        held &= (1 << bits) - 1;
        if out.len() > HASH_LETTERS {
            break;
        }
    }
    out
}
