//! The columns that one record answers by itself: what each takes, and whether a record has it.
//!
//!   type     a kind of record                      response
//!   status   a status, a class, a span of them     404  4xx  200..299  >=400
//!   mime     a media type, glob or regex           text/html  image/*  /json/i
//!   url      a URL, glob or regex                  http://a.test/  a.test/*  /page=\d+/
//!   host     a host name, glob or regex            www.a.test
//!   domain   that host and those below it          a.test
//!   date     a date, or a span of them             2014  2014-03..2015  >=2014-03-01T12:00
//!   size     bytes of the payload                  >1mb  10k..2mib
//!   digest   a digest that the record states       sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5
//! A star asks whether there is any: `status:*`. Case does not count in type, mime, host, domain and digest.

use std::ops::RangeInclusive;

use super::matcher::Matcher;
use super::parse::{Leaf, Value};
use super::predicate::Facts;
use super::{span, wrong};
use crate::archive::{RecordType, ascii_label};
use crate::error::{Error, code};

const COLUMNS: &str = "type, status, mime, url, host, domain, date, size, digest";
/// Columns of the language that only an index answers.
const OF_AN_INDEX: [&str; 7] = ["title", "body", "text", "lang", "ext", "archive", "method"];
/// Dates that fit the record table.
const ANY: RangeInclusive<u64> = 0..=u64::MAX;

/// What one column of a record must be.
pub enum Test {
    Kind(RecordType),
    Status(RangeInclusive<u64>),
    Mime(Matcher),
    /// The second one is without the scheme.
    Url(Matcher),
    Host(Matcher),
    /// The host, or where it ends after a dot.
    Domain(Vec<u8>),
    Date(RangeInclusive<u64>),
    Size(RangeInclusive<u64>),
    Digest(Digest),
}

/// A digest as it may be written: with or without its algorithm, in base 16 or 32, or a glob.
pub struct Digest {
    algorithm: Option<String>,
    glob: Option<Matcher>,
    text: String,
    bytes: Vec<Vec<u8>>,
}

impl Test {
    /// What a leaf of a query asks for.
    pub fn of(leaf: &Leaf) -> Result<Test, Error> {
        let Some(column) = leaf.column.as_deref() else {
            let message = format!(
                "expected a column and its value, such as url:*{}*; words are found by full text, \
                 which is not searched here; the columns are {COLUMNS}",
                shown(&leaf.value)
            );
            return Err(wrong(code::QUERY_COLUMN, leaf.at, &message));
        };
        let test = match column {
            "type" => kind(&leaf.value),
            "status" => spanned(&leaf.value, span::status).map(Test::Status),
            "mime" => mime(&leaf.value),
            "url" => matcher(&leaf.value, str::to_owned).map(Test::Url),
            "host" => host(&leaf.value),
            "domain" => domain(&leaf.value),
            "date" => spanned(&leaf.value, span::date).map(Test::Date),
            "size" => spanned(&leaf.value, span::size).map(Test::Size),
            "digest" => digest(&leaf.value),
            _ => return Err(unknown(column, leaf)),
        };
        test.map_err(|why| {
            let expected = match column {
                "type" => "expected warcinfo, response, resource, request, metadata, revisit, conversion, continuation or unknown",
                "status" => "expected a status such as 404, a class such as 4xx, or a span such as 200..299 or >=400",
                "mime" => "expected a media type such as text/html, a glob such as image/*, or a /regex/",
                "url" => "expected a URL, a glob such as *.test/*, or a /regex/",
                "host" => "expected a host name such as www.example.org, a glob such as *.org, or a /regex/",
                "domain" => "expected a domain such as example.org",
                "date" => "expected a date such as 2014, 2014-03-01 or 2014-03-01T12:00, or a span such as 2014..2016 or >=2014-03",
                "size" => "expected bytes such as 1500, 10kb or 2mib, or a span such as >1mb or 10kb..1mb",
                _ => "expected a digest in base 16 or 32 such as sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5, or a glob such as sha1:VGMT*",
            };
            let because = why.map(|why| format!(" ({why})")).unwrap_or_default();
            let message = format!("{column}: {expected}, found {:?}{because}", shown(&leaf.value));
            wrong(code::QUERY_VALUE, leaf.at, &message)
        })
    }

    /// Whether the record has it; `None` where that is not known yet.
    pub fn holds(&self, facts: &Facts) -> Option<bool> {
        Some(match self {
            Test::Kind(kind) => facts.kind == *kind,
            Test::Status(span) => {
                let status = facts.status()?;
                status.is_some_and(|status| span.contains(&u64::from(status)))
            }
            Test::Mime(matcher) => {
                let mime = facts.mime()?;
                !mime.is_empty() && matcher.matches(mime)
            }
            Test::Url(matcher) => {
                let url = facts.url.as_slice();
                matcher.matches(url)
                    || !matches!(matcher, Matcher::Regex(_))
                        && after_scheme(url).is_some_and(|rest| matcher.matches(rest))
            }
            Test::Host(matcher) => host_of(&facts.url).is_some_and(|host| matcher.matches(&host)),
            Test::Domain(domain) => host_of(&facts.url).is_some_and(|host| is_below(&host, domain)),
            Test::Date(span) => facts.date.is_some_and(|date| span.contains(&date)),
            Test::Size(span) => span.contains(&facts.size()?),
            Test::Digest(digest) => facts.digests.iter().any(|stated| digest.is(stated)),
        })
    }
}

/// Why a value does not do, where there is more to say than what was expected.
type Why = Option<String>;

fn unknown(column: &str, leaf: &Leaf) -> Error {
    let value = shown(&leaf.value);
    let message = if OF_AN_INDEX.contains(&column) || column.starts_with("header.") {
        format!("{column}: only an index answers this column; expected one of {COLUMNS}")
    } else if value.starts_with("//") {
        format!("{column}: there is no such column; expected url:{column}:{value}")
    } else {
        format!("{column}: there is no such column; expected one of {COLUMNS}, or a text in quotes")
    };
    wrong(code::QUERY_COLUMN, leaf.at, &message)
}

fn shown(value: &Value) -> &str {
    match value {
        Value::Bare(text) | Value::Quoted(text) => text,
        Value::Regex { pattern, .. } => pattern,
    }
}

fn kind(value: &Value) -> Result<Test, Why> {
    let name = plain(value)?;
    let kind = RecordType::parse(name.as_bytes());
    let is_known = kind != RecordType::Unknown || name.eq_ignore_ascii_case("unknown");
    is_known.then_some(Test::Kind(kind)).ok_or(None)
}

fn spanned(
    value: &Value,
    read: impl Fn(&str) -> Option<RangeInclusive<u64>>,
) -> Result<RangeInclusive<u64>, Why> {
    let text = plain(value)?;
    if text == "*" {
        return Ok(ANY);
    }
    span::span(text, read).ok_or(None)
}

fn plain(value: &Value) -> Result<&str, Why> {
    match value {
        Value::Bare(text) | Value::Quoted(text) => Ok(text),
        Value::Regex { .. } => Err(Some("it takes no regular expression".into())),
    }
}

fn matcher(value: &Value, prepared: impl Fn(&str) -> String) -> Result<Matcher, Why> {
    match value {
        Value::Bare(text) if text.is_empty() => Err(None),
        Value::Bare(text) => Ok(Matcher::word(&prepared(text))),
        Value::Quoted(text) => Ok(Matcher::Exact(prepared(text).into_bytes())),
        Value::Regex {
            pattern,
            ignores_case,
        } => Matcher::regex(pattern, *ignores_case).map_err(Some),
    }
}

fn mime(value: &Value) -> Result<Test, Why> {
    if let Value::Bare(text) = value
        && !text.contains(['/', '*'])
    {
        return Err(None);
    }
    // Kept in small letters; a regular expression needs no flag for that.
    let value = match value {
        Value::Regex { pattern, .. } => &Value::Regex {
            pattern: pattern.clone(),
            ignores_case: true,
        },
        other => other,
    };
    matcher(value, str::to_ascii_lowercase).map(Test::Mime)
}

fn host(value: &Value) -> Result<Test, Why> {
    if let Value::Bare(text) | Value::Quoted(text) = value
        && text.contains(['/', '@', ' '])
    {
        return Err(None);
    }
    let value = match value {
        Value::Regex { pattern, .. } => &Value::Regex {
            pattern: pattern.clone(),
            ignores_case: true,
        },
        other => other,
    };
    matcher(value, ascii_host).map(Test::Host)
}

fn domain(value: &Value) -> Result<Test, Why> {
    let text = plain(value)?;
    let text = text.strip_prefix("*.").unwrap_or(text);
    let text = text.trim_matches('.');
    if text.is_empty() || text.contains(['/', '@', ':', ' ', '*']) {
        return Err(None);
    }
    Ok(Test::Domain(ascii_host(text).into_bytes()))
}

/// A host name as URLs have it.
fn ascii_host(host: &str) -> String {
    let lower = host.to_lowercase();
    lower
        .split('.')
        .map(ascii_label)
        .collect::<Vec<_>>()
        .join(".")
}

fn is_below(host: &[u8], domain: &[u8]) -> bool {
    host.strip_suffix(domain)
        .is_some_and(|above| above.is_empty() || above.ends_with(b"."))
}

fn after_scheme(url: &[u8]) -> Option<&[u8]> {
    let at = memchr::memmem::find(url, b"://")?;
    let is_scheme = url[..at]
        .iter()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    is_scheme.then(|| &url[at + 3..])
}

/// The host of a URL in small letters, without port and user.
pub(crate) fn host_of(url: &[u8]) -> Option<Vec<u8>> {
    let rest = match after_scheme(url) {
        Some(rest) => rest,
        None => url.strip_prefix(b"dns:")?,
    };
    let end = rest
        .iter()
        .position(|byte| matches!(byte, b'/' | b'?' | b'#' | b'\\'))
        .unwrap_or(rest.len());
    let authority = &rest[..end];
    let at = authority.iter().rposition(|&byte| byte == b'@');
    let host = &authority[at.map_or(0, |at| at + 1)..];
    let end = if host.starts_with(b"[") {
        host.iter().position(|&byte| byte == b']').map(|at| at + 1)
    } else {
        host.iter().position(|&byte| byte == b':')
    };
    let host = &host[..end.unwrap_or(host.len())];
    let host = host.strip_suffix(b".").unwrap_or(host);
    (!host.is_empty()).then(|| host.to_ascii_lowercase())
}

fn digest(value: &Value) -> Result<Test, Why> {
    let text = plain(value)?
        .trim()
        .trim_end_matches('=')
        .to_ascii_lowercase();
    let (algorithm, text) = match text.split_once(':') {
        Some((algorithm, text)) => (Some(algorithm.replace('-', "")), text.to_owned()),
        None => (None, text),
    };
    let is_glob = text.contains('*');
    let is_written = text.bytes().all(|byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'*' | b'-' | b'_' | b'+' | b'/')
    });
    if text.is_empty() || !is_written || algorithm.as_deref() == Some("") {
        return Err(None);
    }
    let bytes = written(&text);
    if bytes.is_empty() && !is_glob {
        return Err(None);
    }
    Ok(Test::Digest(Digest {
        algorithm,
        glob: is_glob.then(|| Matcher::word(&text)),
        text,
        bytes,
    }))
}

impl Digest {
    fn is(&self, stated: &[u8]) -> bool {
        let stated = String::from_utf8_lossy(stated).trim().to_ascii_lowercase();
        let (algorithm, text) = match stated.split_once(':') {
            Some((algorithm, text)) => (Some(algorithm.replace('-', "")), text),
            None => (None, stated.as_str()),
        };
        if let (Some(wanted), Some(found)) = (&self.algorithm, &algorithm)
            && wanted != found
        {
            return false;
        }
        let text = text.trim_end_matches('=');
        if let Some(glob) = &self.glob {
            return glob.matches(text.as_bytes());
        }
        text == self.text || written(text).iter().any(|bytes| self.bytes.contains(bytes))
    }
}

/// The digests that a text may mean: some texts are of base 16 and of base 32.
fn written(text: &str) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    if text.len().is_multiple_of(2) && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        let pairs = text.as_bytes().chunks(2);
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        found.extend(pairs.map(byte).collect::<Option<Vec<u8>>>());
    }
    let mut bits = 0u32;
    let mut held = 0u32;
    let mut bytes = Vec::new();
    for letter in text.bytes() {
        let value = match letter {
            b'a'..=b'z' => letter - b'a',
            b'2'..=b'7' => letter - b'2' + 26,
            _ => return found,
        };
        held = held << 5 & 0xfff | u32::from(value);
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            bytes.extend(u8::try_from(held >> bits & 0xff));
        }
    }
    found.push(bytes);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_urls() {
        let cases = [
            ("http://A.test/x", Some("a.test")),
            ("https://user:pw@a.test:8080/x@y", Some("a.test")),
            ("http://a.test?x", Some("a.test")),
            ("http://a.test.", Some("a.test")),
            ("http://[::1]:80/", Some("[::1]")),
            ("dns:a.test", Some("a.test")),
            ("mailto:x@a.test", None),
            ("urn:x", None),
            ("", None),
            ("http:///x", None),
        ];
        for (url, expected) in cases {
            let host = host_of(url.as_bytes());
            assert_eq!(host.as_deref(), expected.map(str::as_bytes), "{url}");
        }
    }

    #[test]
    fn a_digest_is_the_same_in_either_base() {
        let base32 = "VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5";
        let base16 = "a9993e364706816aba3e25717850c26c9cd0d89d";
        for (asked, stated, expected) in [
            (base32.to_owned(), format!("sha1:{base32}"), true),
            (format!("sha1:{base32}"), format!("SHA-1:{base16}"), true),
            (base16.to_owned(), format!("sha1:{base32}"), true),
            (format!("sha256:{base32}"), format!("sha1:{base32}"), false),
            ("sha1:VGMT*".to_owned(), format!("sha1:{base32}"), true),
            ("VGMT".to_owned(), format!("sha1:{base32}"), false),
        ] {
            let value = Value::Bare(asked.clone());
            let Ok(Test::Digest(digest)) = digest(&value) else {
                unreachable!("{asked} is a digest");
            };
            assert_eq!(digest.is(stated.as_bytes()), expected, "{asked} {stated}");
        }
    }
}
