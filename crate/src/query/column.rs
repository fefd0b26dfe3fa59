//! The columns that one record answers by itself: what each takes, and whether a record has it.
//!
//!   type     a kind of record, or a regex          response
//!   status   a status, a class, a span, a regex    404  4xx  200..299  >=400
//!   mime     a media type, glob or regex           text/html  image/*  /json/i
//!   url      a URL, glob or regex                  http://a.test/  a.test/*  /page=\d+/
//!   host     a host name, glob or regex            www.a.test
//!   domain   that host and those below it          a.test
//!   date     a date, or a span of them             2014  2014-03..2015  >=2014-03-01T12:00
//!   size     bytes of the payload                  >1mb  10k..2mib
//!   digest   a digest it states, glob or regex     sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5  sha1:VGMT*
//!   method   how it was asked for, or a regex      POST
//!   header.* a header of HTTP or of the record     header.server:nginx*
//!   raw      what its body holds, a text or regex  "a text"  /regex/i
//! A star asks whether there is any: `status:*`. Case does not count in type, mime, host, domain, digest, method and
//! headers.

use std::ops::RangeInclusive;

use super::digest::Digest;
use super::matcher::Matcher;
use super::parse::{Leaf, Value, part_of};
use super::predicate::Facts;
use super::{span, wrong};
use crate::archive::{RecordType, ascii_label};
use crate::error::{Error, code};

pub(crate) const COLUMNS: &str =
    "type, status, mime, url, host, domain, date, size, digest, method, header.NAME, raw";
/// Columns of the language that only an index answers.
const OF_AN_INDEX: [&str; 6] = ["title", "body", "text", "lang", "ext", "archive"];
/// Dates that fit the record table.
const ANY: RangeInclusive<u64> = 0..=u64::MAX;

/// What one column of a record must be.
pub enum Test {
    Kind(RecordType),
    KindNamed(Matcher),
    Status(RangeInclusive<u64>),
    /// By its digits.
    StatusWritten(Matcher),
    Mime(Matcher),
    Url(Matcher),
    /// Of the URL, or of what is behind its scheme.
    UrlWithoutScheme(Matcher),
    Host(Matcher),
    /// The host, or where it ends after a dot.
    Domain(Vec<u8>),
    Date(RangeInclusive<u64>),
    Size(RangeInclusive<u64>),
    Digest(Digest),
    /// As it is stated.
    DigestWritten(Matcher),
    Method(Matcher),
    /// Of headers of that name, in small letters as their values, any.
    Header(String, Matcher),
}

impl Test {
    /// What a leaf of a query asks for.
    pub fn of(leaf: &Leaf) -> Result<Test, Error> {
        let Some(column) = leaf.column.as_deref() else {
            let message = format!(
                "expected a column and its value, such as url:*{}*; words are found by full text, \
                 which is not searched here; the columns are {COLUMNS}",
                shown(leaf)
            );
            return Err(wrong(code::QUERY_COLUMN, leaf.at, &message));
        };
        let test = match column {
            _ if !is_balanced(leaf) => Err(Some("it closes a bracket that it did not open".into())),
            "type" => kind(&leaf.value),
            "status" => status(&leaf.value),
            "mime" => mime(&leaf.value),
            "url" => url(&leaf.value),
            "host" => host(&leaf.value),
            "domain" => domain(&leaf.value),
            "date" => spanned(&leaf.value, span::date).map(Test::Date),
            "size" => spanned(&leaf.value, span::size).map(Test::Size),
            "digest" => digest(&leaf.value),
            "method" => method(&leaf.value),
            _ if column.starts_with(HEADER) => header(column, &leaf.value),
            _ => return Err(unknown(column, leaf)),
        };
        test.map_err(|why| refused(leaf, column, why))
    }

    /// Whether the record has it; `None` where that is not known yet.
    pub fn holds(&self, facts: &Facts) -> Option<bool> {
        Some(match self {
            Test::Kind(kind) => facts.kind == *kind,
            Test::KindNamed(matcher) => matcher.matches(facts.kind.name().as_bytes()),
            Test::Status(span) => {
                let status = facts.status()?;
                status.is_some_and(|status| span.contains(&u64::from(status)))
            }
            Test::StatusWritten(matcher) => {
                let status = facts.status()?;
                status.is_some_and(|status| matcher.matches(status.to_string().as_bytes()))
            }
            Test::Mime(matcher) => {
                let mime = facts.mime()?;
                !mime.is_empty() && matcher.matches(mime)
            }
            Test::Url(matcher) => matcher.matches(&facts.url),
            Test::UrlWithoutScheme(matcher) => fits_url(matcher, &facts.url),
            Test::Host(matcher) => host_of(&facts.url).is_some_and(|host| matcher.matches(&host)),
            Test::Domain(domain) => host_of(&facts.url).is_some_and(|host| is_below(&host, domain)),
            Test::Date(span) => facts.date.is_some_and(|date| span.contains(&date)),
            Test::Size(span) => span.contains(&facts.size()?),
            Test::Digest(digest) => facts.digests.iter().any(|stated| digest.is(stated)),
            Test::DigestWritten(matcher) => {
                let mut stated = facts.digests.iter();
                stated.any(|stated| matcher.matches(stated.trim_ascii()))
            }
            Test::Method(matcher) => {
                let method = facts.method()?;
                method.is_some_and(|method| matcher.matches(method))
            }
            Test::Header(name, matcher) => {
                let mut values = facts.headers(name)?;
                values.any(|value| matcher.matches(value))
            }
        })
    }
}

/// Names a header behind it.
const HEADER: &str = "header.";

/// A value that a column does not take.
pub(super) fn refused(leaf: &Leaf, column: &str, why: Why) -> Error {
    if let Some(why) = &why
        && matches!(leaf.value, Value::Regex { .. })
        && matches!(column, "type" | "status")
    {
        let message = format!(
            "{column}: expected a regular expression, found {:?} ({why})",
            shown(leaf)
        );
        return wrong(code::QUERY_VALUE, leaf.at, &message);
    }
    let expected = match column {
        "type" => {
            "expected warcinfo, response, resource, request, metadata, revisit, conversion, continuation or unknown"
        }
        "status" => {
            "expected a status such as 404, a class such as 4xx, or a span such as 200..299 or >=400"
        }
        "mime" => "expected a media type such as text/html, a glob such as image/*, or a /regex/",
        "url" => "expected a URL, a glob such as *.test/*, or a /regex/",
        "host" => {
            "expected a host name such as www.example.org, a glob such as *.org, or a /regex/"
        }
        "domain" => "expected a domain such as example.org",
        "date" => {
            "expected a date such as 2014, 2014-03-01 or 2014-03-01T12:00, or a span such as 2014..2016 or >=2014-03"
        }
        "size" => "expected bytes such as 1500, 10kb or 2mib, or a span such as >1mb or 10kb..1mb",
        "method" => "expected a method such as POST, or a /regex/",
        "raw" => "expected a text in quotes, or a /regex/",
        "header." => "expected the name of a header behind the dot, such as header.server:nginx",
        _ if column.starts_with(HEADER) => "expected a value, a glob such as nginx*, or a /regex/",
        _ => {
            "expected a digest in base 16 or 32 such as sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5, a glob such as sha1:VGMT*, or a /regex/"
        }
    };
    let because = why.map(|why| format!(" ({why})")).unwrap_or_default();
    let message = format!("{column}: {expected}, found {:?}{because}", shown(leaf));
    wrong(code::QUERY_VALUE, leaf.at, &message)
}

/// Why a value does not do, where there is more to say than what was expected.
pub(crate) type Why = Option<String>;

fn unknown(column: &str, leaf: &Leaf) -> Error {
    let value = shown(leaf);
    let message = if OF_AN_INDEX.contains(&column) {
        format!("{column}: only an index answers this column; expected one of {COLUMNS}")
    } else if value.starts_with("//") {
        format!("{column}: there is no such column; expected url:{column}:{value}")
    } else {
        format!("{column}: there is no such column; expected one of {COLUMNS}, or a text in quotes")
    };
    wrong(code::QUERY_COLUMN, leaf.at, &message)
}

/// The value as it was written.
pub(crate) fn shown(leaf: &Leaf) -> &str {
    match &leaf.value {
        Value::Bare(text) | Value::Quoted(text) => text,
        Value::Regex { pattern, .. } if leaf.is_label => part_of(pattern).unwrap_or(pattern),
        Value::Regex { pattern, .. } => pattern,
    }
}

/// Whether an expression that was put in brackets is one by itself.
pub(crate) fn is_balanced(leaf: &Leaf) -> bool {
    match &leaf.value {
        Value::Regex { pattern, .. } if leaf.is_label => part_of(pattern).is_some_and(|part| {
            Matcher::regex(pattern, false).is_err() || Matcher::regex(part, false).is_ok()
        }),
        _ => true,
    }
}

/// Whether the URL fits, or what is behind its scheme.
pub(crate) fn fits_url(matcher: &Matcher, url: &[u8]) -> bool {
    matcher.matches(url) || after_scheme(url).is_some_and(|rest| matcher.matches(rest))
}

fn url(value: &Value) -> Result<Test, Why> {
    let matcher = matcher(value, str::to_owned)?;
    let has_scheme = match &matcher {
        Matcher::Exact(text) => after_scheme(text).is_some(),
        Matcher::Glob(pieces) => pieces
            .first()
            .is_some_and(|text| after_scheme(text).is_some()),
        Matcher::Regex(_) => true,
    };
    Ok(if has_scheme {
        Test::Url(matcher)
    } else {
        Test::UrlWithoutScheme(matcher)
    })
}

fn status(value: &Value) -> Result<Test, Why> {
    match value {
        Value::Regex { .. } => matcher(value, str::to_owned).map(Test::StatusWritten),
        _ => spanned(value, span::status).map(Test::Status),
    }
}

fn kind(value: &Value) -> Result<Test, Why> {
    if matches!(value, Value::Regex { .. }) {
        return matcher(&in_any_case(value), str::to_owned).map(Test::KindNamed);
    }
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

pub(crate) fn matcher(value: &Value, prepared: impl Fn(&str) -> String) -> Result<Matcher, Why> {
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
    matcher(&in_any_case(value), str::to_ascii_lowercase).map(Test::Mime)
}

fn host(value: &Value) -> Result<Test, Why> {
    if let Value::Bare(text) | Value::Quoted(text) = value
        && text.contains(['/', '@', ' '])
    {
        return Err(None);
    }
    matcher(&in_any_case(value), ascii_host).map(Test::Host)
}

fn in_any_case(value: &Value) -> Value {
    let mut value = value.clone();
    if let Value::Regex { ignores_case, .. } = &mut value {
        *ignores_case = true;
    }
    value
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

pub(crate) fn is_below(host: &[u8], domain: &[u8]) -> bool {
    host.strip_suffix(domain)
        .is_some_and(|above| above.is_empty() || above.ends_with(b"."))
}

pub(crate) fn after_scheme(url: &[u8]) -> Option<&[u8]> {
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

fn method(value: &Value) -> Result<Test, Why> {
    if let Value::Bare(text) | Value::Quoted(text) = value
        && text.contains([' ', '/', ':'])
    {
        return Err(None);
    }
    matcher(&in_any_case(value), str::to_ascii_lowercase).map(Test::Method)
}

fn header(column: &str, value: &Value) -> Result<Test, Why> {
    let name = column.strip_prefix(HEADER).unwrap_or_default();
    if name.is_empty() {
        return Err(None);
    }
    let matcher = matcher(&in_any_case(value), str::to_ascii_lowercase)?;
    Ok(Test::Header(name.to_ascii_lowercase(), matcher))
}

fn digest(value: &Value) -> Result<Test, Why> {
    if matches!(value, Value::Regex { .. }) {
        return matcher(&in_any_case(value), str::to_owned).map(Test::DigestWritten);
    }
    let digest = Digest::of(plain(value)?).ok_or(None)?;
    Ok(Test::Digest(digest))
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
}
