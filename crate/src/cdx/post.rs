//! What a posted body adds to the key of its URL, as indexers of the Webrecorder family write it: two forms
//! posted to one URL get two keys.
//!
//!   key := surt(url ("?" | "&") "__wb_method=" method ["&" query])
//! Forms are unescaped, multipart and JSON become forms, what is anything else goes in base 64.

use super::json::{self, Value};
use crate::limits::{CDX_POST_LEVELS_MAX, CDX_POST_QUERY_CHARS_MAX};

/// What the body of a request says as a query.
pub fn query_of(content_type: &str, body: &[u8]) -> String {
    let starts = |mime: &str| content_type.starts_with(mime);
    let query = if starts("application/x-www-form-urlencoded") {
        std::str::from_utf8(body).map_or_else(|_| binary(body), unquoted)
    } else if starts("multipart/") {
        multipart(content_type, body).unwrap_or_else(|| binary(body))
    } else if starts("application/json") {
        json_form(body).unwrap_or_default()
    } else if starts("text/plain") {
        json_form(body).unwrap_or_else(|| binary(body))
    } else {
        binary(body)
    };
    query.chars().take(CDX_POST_QUERY_CHARS_MAX).collect()
}

/// The URL whose key stands for the request.
pub fn url_with(url: &str, method: &str, query: &str) -> String {
    let joint = if url.contains('?') { '&' } else { '?' };
    let rest = if query.is_empty() { "" } else { "&" };
    format!("{url}{joint}__wb_method={method}{rest}{query}")
}

fn binary(body: &[u8]) -> String {
    format!("__wb_post_data={}", base64(body))
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |at: usize| u32::from(three.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4usize {
            let index = usize::try_from(bits >> (18 - 6 * at) & 63).unwrap_or(0);
            text.push(if at > three.len() {
                '='
            } else {
                char::from(LETTERS[index])
            });
        }
    }
    text
}

/// Without `%xx`, and with blanks for `+`.
fn unquoted(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    let digit = |at: usize| {
        bytes
            .get(at)
            .and_then(|&byte| char::from(byte).to_digit(16))
    };
    while at < bytes.len() {
        match (bytes[at], digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                out.push(u8::try_from(high * 16 + low).unwrap_or(b'?'));
                at += 2;
            }
            (b'+', ..) => out.push(b' '),
            (byte, ..) => out.push(byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn quoted(out: &mut String, text: &str) {
    use std::fmt::Write;
    for &byte in text.as_bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'_' | b'.' | b'-' | b'~' => {
                out.push(char::from(byte));
            }
            b' ' => out.push('+'),
            _ => {
                // Writing to memory does not fail.
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
}

fn form(pairs: &[(String, String)]) -> String {
    let mut out = String::new();
    for (at, (name, value)) in pairs.iter().enumerate() {
        if at > 0 {
            out.push('&');
        }
        quoted(&mut out, name);
        out.push('=');
        quoted(&mut out, value);
        if out.len() > 3 * CDX_POST_QUERY_CHARS_MAX {
            break;
        }
    }
    out
}

/// The values of a multipart form by their names.
fn multipart(content_type: &str, body: &[u8]) -> Option<String> {
    let boundary = content_type.split("boundary=").nth(1)?.trim_matches('"');
    let mark = format!("--{boundary}").into_bytes();
    let mut pairs = Vec::new();
    let starts: Vec<usize> = memchr::memmem::find_iter(body, &mark).collect();
    for two in starts.windows(2) {
        let part = &body[two[0] + mark.len()..two[1]];
        let part = part.strip_prefix(b"\r\n").or(part.strip_prefix(b"\n"))?;
        let (head_end, gap) = match memchr::memmem::find(part, b"\r\n\r\n") {
            Some(at) => (at, 4),
            None => (memchr::memmem::find(part, b"\n\n")?, 2),
        };
        let value = &part[head_end + gap..];
        let value = value
            .strip_suffix(b"\r\n")
            .or(value.strip_suffix(b"\n"))
            .unwrap_or(value);
        let head = String::from_utf8_lossy(&part[..head_end]).into_owned();
        let name = head.split("name=\"").nth(1)?.split('"').next()?;
        pairs.push((name.to_owned(), String::from_utf8_lossy(value).into_owned()));
    }
    (!pairs.is_empty()).then(|| form(&pairs))
}

/// The plain values of a JSON text by the names of the members they are in, however deep; a text of several
/// lines may be several values. Names that come again get numbers.
fn json_form(body: &[u8]) -> Option<String> {
    let mut names = Names::default();
    if !names.add("", body) {
        names = Names::default();
        if !body.contains(&b'\n')
            || !body
                .split(|&byte| byte == b'\n')
                .all(|line| names.add("", line))
        {
            return None;
        }
    }
    Some(form(&names.pairs))
}

#[derive(Default)]
struct Names {
    pairs: Vec<(String, String)>,
    counts: std::collections::HashMap<String, u32>,
}

impl Names {
    fn add(&mut self, name: &str, text: &[u8]) -> bool {
        match json::value(text) {
            Some(value) => self.add_value(name, value, 0),
            None => false,
        }
    }

    fn add_value(&mut self, name: &str, value: Value<'_>, level: usize) -> bool {
        if level > CDX_POST_LEVELS_MAX {
            return false;
        }
        let mut is_sound = true;
        let plain = match value {
            Value::Object(text) => {
                return json::members(text, &mut |name, value| {
                    let name = String::from_utf8_lossy(&json::unescaped(name)).into_owned();
                    is_sound &= self.add_value(&name, value, level + 1);
                }) && is_sound;
            }
            Value::Array(text) => {
                return json::elements(text, &mut |value| {
                    is_sound &= self.add_value(name, value, level + 1);
                }) && is_sound;
            }
            Value::Text(text) => String::from_utf8_lossy(&json::unescaped(text)).into_owned(),
            Value::Number(text) => number(&String::from_utf8_lossy(text)),
            Value::True => "True".into(),
            Value::False => "False".into(),
            Value::Null => "None".into(),
        };
        if !name.is_empty() {
            let count = self.counts.entry(name.to_owned()).or_insert(0);
            *count += 1;
            let name = match *count {
                1 => name.to_owned(),
                count => format!("{name}.{count}_"),
            };
            self.pairs.push((name, plain));
        }
        true
    }
}

/// As the indexers write a number: a whole one as it is, another one as short as it can be said.
fn number(text: &str) -> String {
    if !text.contains(['.', 'e', 'E']) {
        return text.to_owned();
    }
    let sign = if text.starts_with('-') { "-" } else { "" };
    let said = shortest(text.trim_start_matches('-'));
    // What is too great for them.
    let Some((figures, power)) = said.split_once('e') else {
        return format!("{sign}inf");
    };
    let figures = figures.replace('.', "");
    let Ok(power) = power.trim_start_matches('+').parse::<i32>() else {
        return text.to_owned();
    };
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or(0));
    match power {
        0..=15 => {
            let whole = usize::try_from(power).unwrap_or(0) + 1;
            let padded = figures.clone() + &zeros(power + 2);
            let fraction = figures.get(whole..).filter(|rest| !rest.is_empty());
            format!("{sign}{}.{}", &padded[..whole], fraction.unwrap_or("0"))
        }
        -4..=-1 => format!("{sign}0.{}{figures}", zeros(-power - 1)),
        _ => {
            let rest = if figures.len() > 1 { "." } else { "" };
            let (first, others) = figures.split_at(1);
            let way = if power < 0 { '-' } else { '+' };
            format!("{sign}{first}{rest}{others}e{way}{:0>2}", power.abs())
        }
    }
}

/// A number that is not negative in as few figures as read back as the same: `1.5e-7`.
fn shortest(text: &str) -> String {
    // The host reads and writes numbers as well, and what does it here would weigh 20 kB.
    #[cfg(target_arch = "wasm32")]
    return crate::wasm::shortest(text);
    #[cfg(not(target_arch = "wasm32"))]
    return text
        .parse::<f64>()
        .map_or_else(|_| text.to_owned(), |value| format!("{value:e}"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_become_queries() {
        let multipart =
            b"--X\r\nContent-Disposition: form-data; name=\"a b\"\r\n\r\none & two\r\n--X--\r\n";
        let cases: [(&str, &[u8], &str); 10] = [
            (
                "application/x-www-form-urlencoded",
                b"a=1%5E&b=x+y",
                "a=1^&b=x y",
            ),
            (
                "multipart/form-data; boundary=X",
                multipart,
                "a+b=one+%26+two",
            ),
            ("multipart/form-data", b"abc", "__wb_post_data=YWJj"),
            (
                "application/json",
                br#"{"a": {"b": [1, 2.50, "x"], "c": null}, "d": true}"#,
                "b=1&b.2_=2.5&b.3_=x&c=None&d=True",
            ),
            ("application/json", b"{\"a\": 1}\n{\"a\": 2}", "a=1&a.2_=2"),
            ("application/json", b"no json", ""),
            ("text/plain", br#"{"a": "b c"}"#, "a=b+c"),
            ("text/plain", b"ab", "__wb_post_data=YWI="),
            ("", b"a", "__wb_post_data=YQ=="),
            ("image/png", b"", "__wb_post_data="),
        ];
        for (content_type, body, query) in cases {
            assert_eq!(query_of(content_type, body), query, "{content_type}");
        }
        let long = vec![b'x'; 100_000];
        assert_eq!(query_of("x", &long).len(), CDX_POST_QUERY_CHARS_MAX);
    }

    #[test]
    fn numbers_are_said_as_other_indexers_say_them() {
        for (text, said) in [
            ("12", "12"),
            ("1469.7000002488494", "1469.7000002488494"),
            ("1e16", "1e+16"),
            ("0.00001", "1e-05"),
            ("1.0", "1.0"),
            ("1e400", "inf"),
            ("-1e400", "-inf"),
            ("1e15", "1000000000000000.0"),
            ("9999999999999998.0", "9999999999999998.0"),
            ("-0.0", "-0.0"),
            ("0e9", "0.0"),
            ("0.0001", "0.0001"),
            ("-12.5e-1", "-1.25"),
            ("1.25e22", "1.25e+22"),
            ("-3.5E-300", "-3.5e-300"),
            ("0.1000000000000000055511151231257827", "0.1"),
            ("5e-324", "5e-324"),
        ] {
            assert_eq!(number(text), said);
        }
    }

    #[test]
    fn hostile_bodies_end() {
        let deep = format!("{}1{}", "{\"a\":".repeat(60), "}".repeat(60));
        assert_eq!(query_of("application/json", deep.as_bytes()), "");
        for body in [&b"--"[..], b"--X", b"--X--X--X", b"--X\r\n--X\r\n"] {
            let _ = query_of("multipart/x; boundary=X", body);
            let _ = query_of("multipart/x; boundary=", body);
        }
    }
}
