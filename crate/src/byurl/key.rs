//! What two URLs must have in common to be taken for the same, as three texts.
//!
//!   same    host:port/path?query     no scheme, user, "www.", port of the scheme, fragment; escapes that
//!                                    mean no more than their letter are that letter
//!   alike   that in lower case, without parameters that only make an address new or name a function of
//!           the page, and those that are left in the order of their letters
//!   path    that without a query

use crate::rewrite::split_url;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keys {
    pub same: Vec<u8>,
    pub alike: Vec<u8>,
    pub path: Vec<u8>,
}

/// Names under which a page says which of its functions is to be called.
const CALLBACKS: [&[u8]; 5] = [
    b"callback",
    b"jsonp",
    b"jsoncallback",
    b"jsonpcallback",
    b"cb",
];
/// Names of what only makes an address new.
const BUSTERS: [&[u8]; 19] = [
    b"_",
    b"__",
    b"cb",
    b"cachebuster",
    b"cachebust",
    b"cache_bust",
    b"nocache",
    b"rand",
    b"random",
    b"rnd",
    b"timestamp",
    b"ts",
    b"_t",
    b"_ts",
    b"t",
    b"time",
    b"now",
    b"nc",
    b"ord",
];
/// Fewer digits may mean something: a page, a year, a day.
const DIGITS_OF_NO_MEANING: usize = 9;

/// The keys of an http(s) URL; none of other texts.
pub fn keys(url: &str) -> Option<Keys> {
    let (host, rest) = split_url(url)?;
    let host = without_www(&host);
    let rest = rest.split('#').next().unwrap_or(rest);
    let slash = if rest.starts_with('/') { "" } else { "/" };
    let mut same = host.as_bytes().to_vec();
    same.extend_from_slice(slash.as_bytes());
    same.extend(unescaped(rest.as_bytes()));
    let lower = same.to_ascii_lowercase();
    let at = lower.iter().position(|byte| *byte == b'?');
    let path = lower[..at.unwrap_or(lower.len())].to_vec();
    let mut alike = path.clone();
    let query = at.map_or(&[][..], |at| &lower[at + 1..]);
    let mut fields: Vec<&[u8]> = query
        .split(|byte| *byte == b'&')
        .filter(|field| !field.is_empty() && !is_of_no_meaning(field))
        .collect();
    fields.sort_unstable();
    for (number, field) in fields.iter().enumerate() {
        alike.push(if number == 0 { b'?' } else { b'&' });
        alike.extend_from_slice(field);
    }
    Some(Keys { same, alike, path })
}

fn without_www(host: &str) -> &str {
    let Some(rest) = host.strip_prefix("www") else {
        return host;
    };
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    match rest.strip_prefix('.') {
        Some(rest) if rest.contains('.') => rest,
        _ => host,
    }
}

/// Browsers escape what crawlers wrote plainly, and the other way round.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let hex = |byte: u8| char::from(byte).to_digit(16);
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        let escape = text.get(at + 1..at + 3).filter(|_| *byte == b'%');
        let value = escape.and_then(|pair| Some(hex(pair[0])? * 16 + hex(pair[1])?));
        match value.and_then(|value| u8::try_from(value).ok()) {
            Some(value) if !b"!#$%&'()*+,/:;=?@[]".contains(&value) => {
                out.push(value);
                at += 3;
            }
            Some(_) => {
                out.extend(text[at..at + 3].iter().map(u8::to_ascii_uppercase));
                at += 3;
            }
            None => {
                out.push(if *byte == b'\\' { b'/' } else { *byte });
                at += 1;
            }
        }
    }
    out
}

fn is_of_no_meaning(field: &[u8]) -> bool {
    let at = field.iter().position(|byte| *byte == b'=');
    let name = &field[..at.unwrap_or(field.len())];
    let Some(at) = at else {
        return is_number(name);
    };
    let value = &field[at + 1..];
    let is_of_dates = BUSTERS.contains(&name) && (is_number(value) || is_digits(name, value));
    is_of_dates || (CALLBACKS.contains(&name) && is_name(value))
}

/// `_=17` is no page.
fn is_digits(name: &[u8], value: &[u8]) -> bool {
    name == b"_" && !value.is_empty() && value.iter().all(u8::is_ascii_digit)
}

/// A time in seconds or milliseconds, or a fraction drawn by lot.
fn is_number(value: &[u8]) -> bool {
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let dots = value.iter().filter(|byte| **byte == b'.').count();
    digits + dots == value.len() && dots <= 1 && digits >= DIGITS_OF_NO_MEANING
        || value.starts_with(b"0.") && digits + 1 == value.len() && digits > 6
}

fn is_name(value: &[u8]) -> bool {
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || b"_$.".contains(byte);
    value
        .first()
        .is_some_and(|first| !first.is_ascii_digit() && *first != b'.')
        && value.iter().all(is_letter)
}

#[cfg(test)]
mod tests {
    use super::keys;

    fn same(a: &str, b: &str) -> bool {
        keys(a).map(|keys| keys.same) == keys(b).map(|keys| keys.same)
    }

    fn alike(a: &str, b: &str) -> bool {
        keys(a).map(|keys| keys.alike) == keys(b).map(|keys| keys.alike)
    }

    #[test]
    fn scheme_www_port_user_and_fragment_do_not_matter() {
        let url = "http://example.org/a?b=1";
        for other in [
            "https://example.org/a?b=1",
            "https://www.example.org:443/a?b=1",
            "http://WWW2.Example.org:80/a?b=1#c",
            "http://user:secret@example.org/%61?b=1",
        ] {
            assert!(same(url, other), "{other}");
        }
        for other in [
            "http://example.org:8080/a?b=1",
            "http://example.org/A?b=1",
            "http://example.org/a?b=2",
            "http://example.org/a?b=1&",
            "http://w.example.org/a?b=1",
        ] {
            assert!(!same(url, other), "{other}");
        }
        assert!(same("http://example.org", "http://example.org/#x"));
        assert!(!same("http://www.org/", "http://org/"));
    }

    #[test]
    fn escapes_are_what_they_mean() {
        assert!(same("http://a.test/\u{e4} b", "http://a.test/%C3%A4%20b"));
        assert!(same("http://a.test/%2f?x=%7Ea", "http://a.test/%2F?x=~a"));
        assert!(!same("http://a.test/%2Fb", "http://a.test//b"));
        assert!(!same("http://a.test/a%26b", "http://a.test/a&b"));
        assert!(same("http://a.test/%", "http://a.test/%"));
    }

    #[test]
    fn order_and_novelty_make_no_other_page() {
        let url = "http://a.test/list?page=2&sort=up";
        for other in [
            "http://a.test/list?sort=up&page=2",
            "http://a.test/List?page=2&sort=up&_=1700000000000",
            "http://a.test/list?page=2&cb=0.123456789&sort=up",
            "http://a.test/list?page=2&sort=up&callback=jQuery1_2",
            "http://a.test/list?page=2&sort=up&1700000000000",
        ] {
            assert!(alike(url, other), "{other}");
        }
        for other in [
            "http://a.test/list?page=3&sort=up",
            "http://a.test/list?page=2",
            "http://a.test/list?page=2&sort=up&t=12",
            "http://a.test/list?page=2&sort=up&id=1700000000000",
            "http://a.test/list?page=2&sort=up&callback=1",
        ] {
            assert!(!alike(url, other), "{other}");
        }
    }

    #[test]
    fn any_text_is_taken() {
        for text in [
            "",
            "%",
            "http://",
            "http://a/%f",
            "http://a/?&&=",
            "mailto:a@b",
        ] {
            let _ = keys(text);
        }
        assert_eq!(keys("mailto:a@b"), None);
    }
}
