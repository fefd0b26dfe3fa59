//! Which keys a query asks for: a URL and how it is to match, as a range of keys.
//!
//!   exact   the key itself                     com,example)/path
//!   prefix  keys that begin with it            com,example)/path  up to  com,example)/pati
//!   host    all of a host                      com,example)       up to  com,example*
//!   domain  that and the hosts below it        com,example)       up to  com,example-
//! `*` at the end of a URL asks for the prefix, `*.` at its beginning for the domain, `*` alone for all.

use crate::archive::surt;
use crate::error::{Error, code};

/// How a URL is to match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    Exact,
    Prefix,
    Host,
    Domain,
}

impl Match {
    const ALL: [(&'static str, Match); 4] = [
        ("exact", Match::Exact),
        ("prefix", Match::Prefix),
        ("host", Match::Host),
        ("domain", Match::Domain),
    ];

    pub fn named(name: &str) -> Result<Match, Error> {
        let known = Match::ALL.iter().find(|(known, _)| *known == name);
        known.map(|(_, found)| *found).ok_or_else(|| {
            let message =
                format!("match: expected exact, prefix, host or domain, found \"{name}\"");
            Error::new(code::BAD_QUERY, message)
        })
    }
}

/// A range of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    pub start: Vec<u8>,
    /// The first key beyond it; absent where it has no end.
    end: Option<Vec<u8>>,
    is_exact: bool,
}

impl Scope {
    /// Keys of what a URL stands for; without `how`, its stars say how it is to match.
    pub fn of(url: &str, how: Option<Match>) -> Scope {
        let (url, how) = match how {
            Some(how) => (url, how),
            None if url == "*" => return Scope::all(),
            None => match (url.strip_prefix("*."), url.strip_suffix('*')) {
                (Some(host), _) => (host, Match::Domain),
                (None, Some(start)) => (start, Match::Prefix),
                (None, None) => (url, Match::Exact),
            },
        };
        let mut key = surt(url).into_bytes();
        let host_end = memchr::memchr(b')', &key);
        match (how, host_end) {
            (Match::Exact, _) | (Match::Host | Match::Domain, None) => Scope {
                end: Some([&key[..], b"!"].concat()),
                start: key,
                is_exact: true,
            },
            (Match::Prefix, _) => {
                // The last slash of a folder does not count in keys, but it does in what begins with it.
                if url.ends_with('/') && !key.ends_with(b"/") {
                    key.push(b'/');
                }
                Scope::from_to(key.clone(), after(key))
            }
            (Match::Host, Some(end)) => {
                Scope::from_to(key[..=end].to_vec(), Some([&key[..end], b"*"].concat()))
            }
            (Match::Domain, Some(end)) => {
                Scope::from_to(key[..=end].to_vec(), Some([&key[..end], b"-"].concat()))
            }
        }
    }

    /// Every key.
    pub fn all() -> Scope {
        Scope::from_to(Vec::new(), None)
    }

    fn from_to(start: Vec<u8>, end: Option<Vec<u8>>) -> Scope {
        Scope {
            start,
            end,
            is_exact: false,
        }
    }

    pub fn is_before(&self, key: &[u8]) -> bool {
        key < &self.start[..]
    }

    pub fn is_beyond(&self, key: &[u8]) -> bool {
        self.end.as_ref().is_some_and(|end| key >= &end[..])
    }

    pub fn contains(&self, key: &[u8]) -> bool {
        if self.is_exact {
            return key == self.start;
        }
        !self.is_before(key) && !self.is_beyond(key)
    }
}

/// The first key that does not begin with this one.
fn after(mut key: Vec<u8>) -> Option<Vec<u8>> {
    while let Some(last) = key.pop() {
        if last < 0xff {
            key.push(last + 1);
            return Some(key);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_say_how_a_url_is_to_match() {
        let start = |url, how| String::from_utf8(Scope::of(url, how).start).expect("key");
        assert_eq!(start("http://www.example.com/a/", None), "com,example)/a");
        assert_eq!(start("http://example.com/a/*", None), "com,example)/a/");
        assert_eq!(start("http://example.com*", None), "com,example)/");
        assert_eq!(start("*.example.com", None), "com,example)");
        let cases = [
            ("example.com/a", None, "com,example)/a", true),
            ("example.com/a", None, "com,example)/a!", false),
            ("example.com/a", None, "com,example)/ab", false),
            ("example.com/a*", None, "com,example)/ab", true),
            ("example.com/a/*", None, "com,example)/ab", false),
            ("example.com/a/*", None, "com,example)/b", false),
            ("example.com/a", Some(Match::Host), "com,example)/b", true),
            (
                "example.com/a",
                Some(Match::Host),
                "com,example,www2)/",
                false,
            ),
            (
                "example.com/a",
                Some(Match::Domain),
                "com,example,www2)/",
                true,
            ),
            (
                "example.com/a",
                Some(Match::Domain),
                "com,example-b)/",
                false,
            ),
            ("*.example.com", None, "com,example,www2)/", true),
            ("*", None, "anything", true),
            (
                "dns:example.com",
                Some(Match::Host),
                "dns:example.com",
                true,
            ),
        ];
        for (url, how, key, expected) in cases {
            assert_eq!(
                Scope::of(url, how).contains(key.as_bytes()),
                expected,
                "{url} {how:?} {key}"
            );
        }
    }
}
