//! URL keys: the sort-friendly form under which CDX indexes file a URL, `com,example)/path?query`.
//!
//!   key := host-labels-reversed [":" port] ")" path ["?" query]
//! Two URLs that usually lead to the same page get one key: case, `www.`, default ports, user names,
//! session ids, the order of the query and a last slash do not count. A pure function; never fails.

use crate::order;

/// Schemes without a host: such URLs are their own key.
const OPAQUE: [&str; 6] = [
    "dns:",
    "warcinfo:",
    "filedesc:",
    "mailto:",
    "data:",
    "whois:",
];

/// The key of a URL, `-` for an empty one.
pub fn surt(url: &str) -> String {
    let url: String = url
        .trim()
        .chars()
        .filter(|c| !matches!(c, '\r' | '\n' | '\t'))
        .collect();
    if url.is_empty() {
        return "-".into();
    }
    if OPAQUE.iter().any(|scheme| starts_with(&url, scheme)) {
        return url;
    }
    if let Some(key) = hostless_key(&url) {
        return key;
    }
    let parts = split(&url);
    let path = path_key(parts.path);
    let query = parts.query.map(query_key).unwrap_or_default();
    let mut key = host_key(parts.host);
    let is_default_port = match parts.scheme.as_str() {
        "http" => parts.port == "80",
        "https" => parts.port == "443",
        _ => false,
    };
    if !parts.port.is_empty() && !is_default_port {
        key.push(':');
        key.push_str(parts.port);
    }
    key.push(')');
    key.push_str(&path);
    if !query.is_empty() {
        key.push('?');
        key.push_str(&query);
    }
    key
}

/// The key of a URL whose scheme is followed by no host: `urn:x`, `file:///x`.
fn hostless_key(url: &str) -> Option<String> {
    let end = scheme_end(url)?;
    let (scheme, rest) = (url[..end].to_ascii_lowercase(), &url[end + 1..]);
    let rest = match rest.strip_prefix("//") {
        Some(path) if path.starts_with('/') => path,
        Some(_) => return None,
        None => rest,
    };
    if matches!(scheme.as_str(), "http" | "https" | "ftp") {
        return None;
    }
    let rest = rest.split('#').next().unwrap_or_default();
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let path = path.strip_suffix('/').unwrap_or(path);
    let path = escape_once(&unescape_fully(path.as_bytes())).to_ascii_lowercase();
    let query = query_key(query);
    let joint = if query.is_empty() { "" } else { "?" };
    Some(format!("{scheme}:{path}{joint}{query}"))
}

struct Parts<'a> {
    scheme: String,
    host: &'a str,
    port: &'a str,
    path: &'a str,
    query: Option<&'a str>,
}

fn starts_with(text: &str, prefix: &str) -> bool {
    text.get(..prefix.len())
        .is_some_and(|head| head.eq_ignore_ascii_case(prefix))
}

fn split(url: &str) -> Parts<'_> {
    let (scheme, mut rest) = match scheme_end(url) {
        Some(end) => (
            url[..end].to_ascii_lowercase(),
            url[end + 1..].trim_start_matches('/'),
        ),
        None => ("http".into(), url.trim_start_matches('/')),
    };
    // A scheme that was put before another one: http://https://host/.
    while let Some(again) = ["http://", "https://"]
        .iter()
        .find(|prefix| starts_with(rest, prefix))
    {
        rest = rest[again.len()..].trim_start_matches('/');
    }
    rest = rest.split('#').next().unwrap_or_default();
    let (rest, query) = match rest.split_once('?') {
        Some((rest, query)) => (rest, Some(query)),
        None => (rest, None),
    };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let authority = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (host, port),
        _ => (authority, ""),
    };
    Parts {
        scheme,
        host,
        port,
        path,
        query,
    }
}

fn scheme_end(url: &str) -> Option<usize> {
    let end = url.find(':')?;
    let name = &url[..end];
    let is_scheme = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    // `host:8080/` has no scheme, whatever it looks like.
    (is_scheme && !url[end + 1..].starts_with(|c: char| c.is_ascii_digit())).then_some(end)
}

// Host

fn host_key(host: &str) -> String {
    if let Some(address) = host
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
    {
        return address.to_ascii_lowercase();
    }
    let unescaped = String::from_utf8_lossy(&unescape_fully(host.as_bytes())).to_lowercase();
    let labels: Vec<String> = unescaped
        .split('.')
        .filter(|label| !label.is_empty())
        .map(ascii_label)
        .collect();
    let host = labels.join(".");
    if let Some(address) = ip_address(&host) {
        return address
            .iter()
            .rev()
            .map(u8::to_string)
            .collect::<Vec<_>>()
            .join(",");
    }
    let host = without_www(&host);
    let labels: Vec<&str> = host.rsplit('.').collect();
    escape_once(labels.join(",").as_bytes())
}

/// `www.` and `www12.` say nothing of the site.
fn without_www(host: &str) -> &str {
    let Some(rest) = host.strip_prefix("www") else {
        return host;
    };
    match rest
        .trim_start_matches(|c: char| c.is_ascii_digit())
        .strip_prefix('.')
    {
        Some(rest) if !rest.is_empty() => rest,
        _ => host,
    }
}

/// Addresses in dotted, octal and plain decimal writing.
fn ip_address(host: &str) -> Option<[u8; 4]> {
    if host.is_empty()
        || !host
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
    {
        return None;
    }
    let numbers: Vec<&str> = host.split('.').collect();
    if numbers.len() == 1 {
        // Longer numbers are taken modulo 2^32, as old browsers did.
        let number = numbers[0].parse::<u64>().ok()? & u64::from(u32::MAX);
        return u32::try_from(number).ok().map(u32::to_be_bytes);
    }
    let mut address = [0; 4];
    if numbers.len() != 4 {
        return None;
    }
    let is_octal = numbers
        .iter()
        .all(|number| number.len() == 4 && number.starts_with('0'));
    for (part, number) in address.iter_mut().zip(numbers) {
        *part = u8::from_str_radix(number, if is_octal { 8 } else { 10 }).ok()?;
    }
    Some(address)
}

/// A label as DNS has it: punycode where it is not ASCII.
pub(crate) fn ascii_label(label: &str) -> String {
    if label.is_ascii() {
        label.into()
    } else {
        punycode(label).unwrap_or_else(|| label.into())
    }
}

/// RFC 3492.
fn punycode(label: &str) -> Option<String> {
    const BASE: u32 = 36;
    const T_MIN: u32 = 1;
    const T_MAX: u32 = 26;
    let points: Vec<u32> = label.chars().map(u32::from).collect();
    let mut out: String = label.chars().filter(char::is_ascii).collect();
    let basic = u32::try_from(out.len()).ok()?;
    let mut handled = basic;
    if basic > 0 {
        out.push('-');
    }
    let (mut n, mut delta, mut bias) = (128u32, 0u32, 72u32);
    let total = u32::try_from(points.len()).ok()?;
    while handled < total {
        let next = points.iter().copied().filter(|point| *point >= n).min()?;
        delta = delta.checked_add((next - n).checked_mul(handled + 1)?)?;
        n = next;
        for &point in &points {
            if point < n {
                delta = delta.checked_add(1)?;
            }
            if point == n {
                let (mut q, mut k) = (delta, BASE);
                loop {
                    let t = if k <= bias {
                        T_MIN
                    } else {
                        (k - bias).min(T_MAX)
                    };
                    if q < t {
                        break;
                    }
                    out.push(digit(t + (q - t) % (BASE - t)));
                    q = (q - t) / (BASE - t);
                    k += BASE;
                }
                out.push(digit(q));
                bias = adapt(delta, handled + 1, handled == basic);
                delta = 0;
                handled += 1;
            }
        }
        delta += 1;
        n += 1;
    }
    Some(format!("xn--{out}"))
}

fn digit(value: u32) -> char {
    char::from_digit(value, 36).map_or('a', |_| {
        char::from(b"abcdefghijklmnopqrstuvwxyz0123456789"[value as usize])
    })
}

fn adapt(delta: u32, handled: u32, is_first: bool) -> u32 {
    let mut delta = if is_first { delta / 700 } else { delta / 2 };
    delta += delta / handled;
    let mut k = 0;
    while delta > 455 {
        delta /= 35;
        k += 36;
    }
    k + 36 * delta / (delta + 38)
}

// Path and query

fn path_key(path: &str) -> String {
    let path = unescape_fully(path.as_bytes());
    let mut segments: Vec<&[u8]> = Vec::new();
    let mut ends_open = true;
    for segment in path.split(|&byte| byte == b'/') {
        ends_open = true;
        match segment {
            b"" | b"." => {}
            b".." => {
                segments.pop();
            }
            _ => {
                segments.push(segment);
                ends_open = false;
            }
        }
    }
    let mut joined = vec![b'/'];
    joined.extend(segments.join(&b'/'));
    if ends_open && joined.len() > 1 {
        joined.push(b'/');
    }
    let lower = escape_once(&joined).to_ascii_lowercase();
    let mut key = without_path_session(&lower);
    if key.len() > 1 && key.ends_with('/') {
        key.pop();
    }
    key
}

/// Session ids that servers put into paths: `;jsessionid=...` and ASP.NET's `/(...)/page.aspx`.
fn without_path_session(path: &str) -> String {
    if let Some((before, after)) = path.split_once(";jsessionid=")
        && has_id(after, 32)
    {
        return format!("{before}{}", &after[32..]);
    }
    if let Some((before, rest)) = path.split_once("/(")
        && let Some((id, after)) = rest.split_once(")/")
    {
        let is_id = id.len() == 24 && has_id(id, 24) || is_tagged_ids(id);
        if is_id && after.contains(".aspx") {
            return format!("{before}/{after}");
        }
    }
    path.into()
}

/// One or more of `x(24 letters and digits)`.
fn is_tagged_ids(mut text: &str) -> bool {
    if text.is_empty() {
        return false;
    }
    while !text.is_empty() {
        let Some(rest) = text.get(1..).and_then(|rest| rest.strip_prefix('(')) else {
            return false;
        };
        if !text.as_bytes()[0].is_ascii_lowercase() || !has_id(rest, 24) {
            return false;
        }
        // The last bracket was taken by the caller's split.
        text = rest[24..].strip_prefix(')').unwrap_or(&rest[24..]);
    }
    true
}

fn has_id(text: &str, length: usize) -> bool {
    text.as_bytes()
        .get(..length)
        .is_some_and(|id| id.iter().all(u8::is_ascii_alphanumeric))
}

fn parted(argument: &str) -> (&str, Option<&str>) {
    argument
        .split_once('=')
        .map_or((argument, None), |(name, value)| (name, Some(value)))
}

fn query_key(query: &str) -> String {
    let lower = escape_once(&unescape_fully(query.as_bytes())).to_ascii_lowercase();
    let stripped = without_query_session(&lower);
    let mut arguments: Vec<&str> = stripped.split('&').collect();
    // The name sorts before its value: `a&b` is `a`, `b`, and `a=1` comes before `a=2`.
    order::sort_by(&mut arguments, |one, other| parted(one).cmp(&parted(other)));
    arguments.join("&")
}

fn without_query_session(query: &str) -> String {
    let is_session = |argument: &str| {
        let Some((name, value)) = argument.split_once('=') else {
            return false;
        };
        match name {
            "jsessionid" | "phpsessid" | "sid" => value.len() == 32 && has_id(value, 32),
            _ => {
                name.starts_with("aspsessionid")
                    && name.len() == 20
                    && value.len() == 24
                    && value.bytes().all(|byte| byte.is_ascii_alphabetic())
            }
        }
    };
    let mut kept: Vec<&str> = query
        .split('&')
        .filter(|argument| !is_session(argument))
        .collect();
    let cold_fusion = kept
        .windows(2)
        .position(|two| two[0].starts_with("cfid=") && two[1].starts_with("cftoken="));
    if let Some(at) = cold_fusion {
        kept.drain(at..at + 2);
    }
    kept.join("&")
}

// Escapes

fn unescape_fully(text: &[u8]) -> Vec<u8> {
    let mut text = text.to_vec();
    // Each round shortens the text, so this ends.
    while let Some(next) = unescape_once(&text) {
        text = next;
    }
    text
}

fn unescape_once(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        match escaped_byte(&text[at..]) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(text[at]);
                at += 1;
            }
        }
    }
    (out.len() < text.len()).then_some(out)
}

fn escaped_byte(text: &[u8]) -> Option<u8> {
    let &[b'%', high, low] = text.first_chunk()? else {
        return None;
    };
    let value = |digit: u8| char::from(digit).to_digit(16);
    u8::try_from(value(high)? * 16 + value(low)?).ok()
}

fn escape_once(text: &[u8]) -> String {
    use std::fmt::Write;
    text.iter()
        .fold(String::with_capacity(text.len()), |mut out, &byte| {
            if byte <= 0x20 || byte >= 0x7f || matches!(byte, b'#' | b'%') {
                let _ = write!(out, "%{byte:02X}");
            } else {
                out.push(char::from(byte));
            }
            out
        })
}

#[cfg(test)]
mod tests {
    use super::surt;

    #[test]
    fn urls_that_lead_to_one_page_share_a_key() {
        let cases = [
            (
                "http://www.Example.COM:80/Some/Path/",
                "com,example)/some/path",
            ),
            ("https://user:pw@example.com:8443/", "com,example:8443)/"),
            ("example.com", "com,example)/"),
            (
                "http:////example.com//a/./b/../c?b=2&a=1#top",
                "com,example)/a/c?a=1&b=2",
            ),
            ("http://b\u{fc}cher.ch/?", "ch,xn--bcher-kva)/"),
            ("http://host/%25%32%35", "host)/%25"),
            (
                "http://a.test/x;jsessionid=0123456789abcdef0123456789ABCDEF?y",
                "test,a)/x?y",
            ),
            (
                "http://a.test/(4hqa0555fwsecu455xqckv45)/mileg.aspx",
                "test,a)/mileg.aspx",
            ),
            ("http://a.test/?cfid=1&cftoken=2&z", "test,a)/?z"),
            ("http://0112.0175.0117.0150/", "104,79,125,74)/"),
            ("http://www.com/", "com)/"),
            ("dns:example.com", "dns:example.com"),
            ("urn:X-Test:http://A.test/B/", "urn:x-test:http://a.test/b"),
            (
                "screenshot:http://a.test/x/?b&a",
                "screenshot:http://a.test/x?a&b",
            ),
            ("file:///A b.png", "file:/a%20b.png"),
            ("metadata://a.test/x", "test,a)/x"),
            ("", "-"),
        ];
        for (url, key) in cases {
            assert_eq!(surt(url), key, "{url}");
        }
    }

    #[test]
    fn no_text_is_too_odd_for_a_key() {
        for text in [
            "%",
            "%%%",
            ":",
            "//",
            "?",
            "#",
            "http://",
            "http://[",
            "http://]:x/",
            "\u{0}",
            "a:b:c",
            "http://\u{fffd}%ff/",
        ] {
            assert!(!surt(text).is_empty());
        }
    }
}
