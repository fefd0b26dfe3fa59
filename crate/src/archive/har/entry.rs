//! One entry of a HAR file, as far as it was read, and the WARC and HTTP heads that say the same.
//!
//! What the file says is kept, with these exceptions, without which the heads would say something wrong:
//! E1  Values joined by line feeds are several fields (`Set-Cookie` in Chromium); other line ends are blanks.
//! E2  Pseudo fields of HTTP/2 (`:path`) are left out; `:authority` is the `Host` where there is none.
//! E3  `Content-Type` is `content.mimeType` where the response has no such field, and `Location` is `redirectURL`.
//! E4  A body that is given as text is UTF-8 here, whatever the page was written in: the charset says so.

use super::super::foreign_date::utc_of_iso;
use super::super::http::{HttpHead, media_type};
use super::super::warc::{RecordType, WarcHead, has_prefix};
use super::base64::Base64;
use crate::limits::{HAR_HELD_BYTES_MAX, HAR_TEXT_BYTES_MAX, HTTP_HEAD_BYTES_MAX};

/// A body as it stands in the file: the characters of a JSON string.
#[derive(Default)]
pub struct BodyText {
    pub is_there: bool,
    /// Where its first character is in the file.
    pub at: u64,
    /// The text, while it is short enough to be held.
    pub held: Vec<u8>,
    pub is_held: bool,
    /// Nothing of it is kept beyond what is held.
    pub is_cut: bool,
    /// Bytes of the text in UTF-8.
    pub bytes: u64,
    is_ascii: bool,
    /// What was held of a spilled text could be base 64.
    was_base64: bool,
    counter: Base64,
    counted: u64,
    scratch: Vec<u8>,
}

impl BodyText {
    pub fn begin(&mut self, at: u64) {
        self.forget();
        self.is_there = true;
        self.at = at;
    }

    fn forget(&mut self) {
        self.is_there = false;
        self.held.clear();
        self.is_held = true;
        self.is_cut = false;
        self.bytes = 0;
        self.is_ascii = true;
        self.counter = Base64::default();
        self.counted = 0;
    }

    /// More of the text. False where it has become too long to be held; what is held may then be used, and
    /// `spill` or `cut` must be called.
    pub fn push(&mut self, text: &[u8]) -> bool {
        self.bytes += text.len() as u64;
        self.is_ascii = self.is_ascii && text.is_ascii();
        if self.is_cut {
            return true;
        }
        if !self.is_held {
            self.count(text);
            return true;
        }
        self.held.extend_from_slice(text);
        self.held.len() <= HAR_HELD_BYTES_MAX
    }

    /// It will be read again: from here on it is only measured.
    pub fn spill(&mut self) {
        let held = std::mem::take(&mut self.held);
        self.was_base64 = self.may_be_base64(&held);
        self.count(&held);
        self.is_held = false;
    }

    fn may_be_base64(&self, held: &[u8]) -> bool {
        held.len() > 16 && Base64::may_be(&held[..held.len().min(HAR_HELD_BYTES_MAX)])
    }

    /// What is held is all that there will be of it.
    pub fn cut(&mut self) {
        self.is_cut = true;
        self.held.truncate(HAR_HELD_BYTES_MAX);
    }

    fn count(&mut self, text: &[u8]) {
        self.scratch.clear();
        self.counter.push(text, &mut self.scratch);
        self.counted += self.scratch.len() as u64;
    }

    /// Bytes of the body that a spilled text says.
    pub fn measured(&mut self, is_base64: bool) -> u64 {
        if !is_base64 {
            return self.bytes;
        }
        self.scratch.clear();
        self.counter.finish(&mut self.scratch);
        self.counted + self.scratch.len() as u64
    }
}

/// A request or a response.
#[derive(Default)]
pub struct Message {
    /// Its object was opened, and closed.
    pub is_there: bool,
    pub is_closed: bool,
    pub method: Vec<u8>,
    pub url: Vec<u8>,
    pub version: Vec<u8>,
    pub status: Vec<u8>,
    pub status_text: Vec<u8>,
    pub redirect: Vec<u8>,
    /// Header lines.
    pub fields: Vec<u8>,
    authority: Vec<u8>,
    /// Of the content, or of the posted data.
    pub mime: Vec<u8>,
    pub encoding: Vec<u8>,
    pub size: Option<u64>,
    pub text: BodyText,
    /// Form fields, joined, where the posted text is not given.
    params: Vec<u8>,
    is_unjoinable: bool,
}

impl Message {
    pub fn begin(&mut self) {
        self.forget();
        self.is_there = true;
    }

    fn forget(&mut self) {
        self.is_there = false;
        self.is_closed = false;
        self.size = None;
        self.is_unjoinable = false;
        let texts = [
            &mut self.method,
            &mut self.url,
            &mut self.version,
            &mut self.status,
            &mut self.status_text,
            &mut self.redirect,
            &mut self.fields,
            &mut self.authority,
            &mut self.mime,
            &mut self.encoding,
            &mut self.params,
        ];
        texts.into_iter().for_each(Vec::clear);
        self.text.forget();
    }

    /// A header field of the file. False where the head grows too long with it.
    pub fn field(&mut self, name: &[u8], value: &[u8]) -> bool {
        let name = name.trim_ascii();
        if let Some(pseudo) = name.strip_prefix(b":") {
            if pseudo.eq_ignore_ascii_case(b"authority") {
                push_line(&mut self.authority, value);
            }
            return true;
        }
        if name.is_empty() {
            return true;
        }
        if self.fields.len() + name.len() + value.len() > HTTP_HEAD_BYTES_MAX {
            return false;
        }
        let mut is_first = true;
        for line in value.split(|&byte| byte == b'\n') {
            let is_fold = matches!(line.first(), Some(b' ' | b'\t')) && !is_first;
            if is_fold {
                self.fields.truncate(self.fields.len() - 2);
                self.fields.push(b' ');
            } else {
                let is_name = |byte: &u8| byte.is_ascii_graphic() && *byte != b':' || *byte >= 128;
                self.fields.extend(name.iter().copied().filter(is_name));
                self.fields.extend_from_slice(b": ");
            }
            push_line(&mut self.fields, line.trim_ascii());
            self.fields.extend_from_slice(b"\r\n");
            is_first = false;
        }
        true
    }

    /// A form field that was posted.
    pub fn param(&mut self, name: &[u8], value: &[u8]) {
        if self.params.len() + name.len() + value.len() > HAR_TEXT_BYTES_MAX {
            self.is_unjoinable = true;
            return;
        }
        if !self.params.is_empty() {
            self.params.push(b'&');
        }
        push_form(&mut self.params, name);
        self.params.push(b'=');
        push_form(&mut self.params, value);
    }

    /// Whether the text of the body is base 64, by what is known so far.
    pub fn is_base64(&self) -> bool {
        self.encoding.eq_ignore_ascii_case(b"base64")
    }

    /// The same where the file ends, or goes on too long, before it says.
    pub fn seems_base64(&self) -> bool {
        if self.is_closed || !self.encoding.is_empty() {
            return self.is_base64();
        }
        let is_short_text = has_prefix(&self.mime, b"text/") && self.text.bytes < 1 << 16;
        let is_likely = match self.text.is_held {
            true => self.text.may_be_base64(&self.text.held),
            false => self.text.was_base64,
        };
        is_likely && !is_short_text
    }

    /// The posted fields stand for the text where there is none.
    pub fn join_params(&mut self) {
        let is_form = has_prefix(&self.mime, b"application/x-www-form-urlencoded");
        if !self.text.is_there && !self.params.is_empty() && is_form && !self.is_unjoinable {
            self.text.begin(0);
            self.text.push(&std::mem::take(&mut self.params));
        }
    }

    fn has_field(&self, name: &str) -> bool {
        HttpHead::of([b"x\r\n", self.fields.as_slice()].concat())
            .get(name)
            .is_some()
    }

    /// Whether there was more of a body than the file gives.
    fn lacks_body(&self) -> bool {
        !self.text.is_there && (self.size.is_some_and(|size| size > 0) || !self.params.is_empty())
    }
}

/// One line of a header: what would end it is a blank.
fn push_line(out: &mut Vec<u8>, text: &[u8]) {
    out.extend(text.iter().map(|&byte| match byte {
        b'\r' | b'\n' | 0 => b' ',
        byte => byte,
    }));
}

/// A URL, without what would end its line.
fn push_url(out: &mut Vec<u8>, url: &[u8]) {
    for &byte in url.trim_ascii() {
        if byte.is_ascii_control() {
            out.extend_from_slice(format!("%{byte:02X}").as_bytes());
        } else {
            out.push(byte);
        }
    }
}

/// A word of a form. Browsers give it as it was sent, escapes and all; what cannot have been sent is escaped.
fn push_form(out: &mut Vec<u8>, text: &[u8]) {
    for &byte in text {
        match byte {
            b' ' => out.push(b'+'),
            b'&' | b'=' | b'#' | b'"' | b'<' | b'>' => {
                out.extend_from_slice(format!("%{byte:02X}").as_bytes())
            }
            _ if byte.is_ascii_graphic() => out.push(byte),
            _ => out.extend_from_slice(format!("%{byte:02X}").as_bytes()),
        }
    }
}

/// What HTTP calls a version, by the many names that HAR files have for it; and its name in `WARC-Protocol`.
fn version_of(name: &[u8]) -> (&'static str, Option<&'static str>) {
    let name = name.trim_ascii().to_ascii_lowercase();
    match name.as_slice() {
        b"http/1.0" => ("HTTP/1.0", Some("http/1.0")),
        b"http/1.1" => ("HTTP/1.1", Some("http/1.1")),
        b"http/0.9" => ("HTTP/0.9", Some("http/0.9")),
        b"h2" | b"h2c" | b"http/2" | b"http/2.0" => ("HTTP/2", Some("h2")),
        b"h3" | b"http/3" | b"http/3.0" => ("HTTP/3", Some("h3")),
        _ if name.starts_with(b"h3-") || name.starts_with(b"http/3") => ("HTTP/3", Some("h3")),
        _ if name.windows(4).any(|four| four == b"quic") => ("HTTP/3", None),
        _ if name.starts_with(b"spdy") => ("HTTP/1.1", Some("spdy/3")),
        _ => ("HTTP/1.1", None),
    }
}

/// What is asked of the server, by the URL.
fn target_of(url: &[u8]) -> &[u8] {
    let end = url
        .iter()
        .position(|&byte| byte == b'#')
        .unwrap_or(url.len());
    let url = &url[..end];
    let Some(host) = url.windows(3).position(|three| three == b"://") else {
        return url;
    };
    let rest = &url[host + 3..];
    match rest.iter().position(|&byte| matches!(byte, b'/' | b'?')) {
        Some(at) => &rest[at..],
        None => b"/",
    }
}

#[derive(Default)]
pub struct Entry {
    pub offset: u64,
    pub started: Vec<u8>,
    pub address: Vec<u8>,
    pub request: Message,
    pub response: Message,
}

impl Entry {
    pub fn begin(&mut self, offset: u64) {
        self.offset = offset;
        self.started.clear();
        self.address.clear();
        self.request.forget();
        self.response.forget();
    }

    pub fn message(&mut self, kind: RecordType) -> &mut Message {
        match kind {
            RecordType::Request => &mut self.request,
            _ => &mut self.response,
        }
    }

    /// The start of the exchange as WARC has it; nothing where the file has it wrong.
    pub fn date(&self) -> Option<String> {
        utc_of_iso(&self.started)
    }

    /// The HTTP head of the response or the request.
    pub fn http_head(&self, kind: RecordType) -> HttpHead {
        HttpHead::made(match kind {
            RecordType::Request => self.request_text(),
            _ => self.response_text(),
        })
    }

    fn response_text(&self) -> Vec<u8> {
        let response = &self.response;
        let mut text = version_of(&response.version).0.as_bytes().to_vec();
        text.push(b' ');
        let status = response.status.as_slice();
        text.extend_from_slice(if status.is_empty() { b"0" } else { status });
        text.push(b' ');
        push_line(&mut text, &response.status_text);
        text.extend_from_slice(b"\r\n");
        let is_known = !response.mime.is_empty() && response.mime != b"x-unknown";
        let is_text = response.text.is_there && !response.seems_base64();
        let charset_differs = is_text && !response.text.is_ascii;
        if !charset_differs {
            text.extend_from_slice(&response.fields);
        } else {
            for line in response.fields.split_inclusive(|&byte| byte == b'\n') {
                match has_prefix(line, b"content-type:") {
                    true => push_content_type(&mut text, line[13..].trim_ascii()),
                    false => text.extend_from_slice(line),
                }
            }
        }
        if is_known && !response.has_field("Content-Type") {
            if charset_differs {
                push_content_type(&mut text, &response.mime);
            } else {
                push_field(&mut text, "Content-Type", &response.mime);
            }
        }
        let is_redirect = status.first() == Some(&b'3');
        if is_redirect && !response.redirect.is_empty() && !response.has_field("Location") {
            push_field(&mut text, "Location", &response.redirect);
        }
        text.extend_from_slice(b"\r\n");
        text
    }

    fn request_text(&self) -> Vec<u8> {
        let request = &self.request;
        let is_method = |byte: &u8| byte.is_ascii_graphic();
        let mut text: Vec<u8> = request.method.iter().copied().filter(is_method).collect();
        if text.is_empty() {
            text.extend_from_slice(b"GET");
        }
        text.push(b' ');
        push_url(&mut text, target_of(&request.url));
        text.push(b' ');
        text.extend_from_slice(version_of(&request.version).0.as_bytes());
        text.extend_from_slice(b"\r\n");
        if !request.authority.is_empty() && !request.has_field("Host") {
            push_field(&mut text, "Host", &request.authority);
        }
        text.extend_from_slice(&request.fields);
        if !request.mime.is_empty() && !request.has_field("Content-Type") {
            push_field(&mut text, "Content-Type", &request.mime);
        }
        text.extend_from_slice(b"\r\n");
        text
    }

    /// The WARC head of the response or the request, with a block of so many bytes, if that is known.
    pub fn warc_head(&self, kind: RecordType, block_bytes: Option<u64>) -> WarcHead {
        let is_request = kind == RecordType::Request;
        let message = if is_request {
            &self.request
        } else {
            &self.response
        };
        let mut text = b"WARC/1.1\r\n".to_vec();
        push_field(&mut text, "WARC-Type", kind.name().as_bytes());
        text.extend_from_slice(b"WARC-Target-URI: ");
        push_url(&mut text, &self.request.url);
        text.extend_from_slice(b"\r\n");
        if let Some(date) = self.date() {
            push_field(&mut text, "WARC-Date", date.as_bytes());
        }
        let address = self.address.trim_ascii();
        let address = address
            .strip_prefix(b"[")
            .and_then(|rest| rest.strip_suffix(b"]"))
            .unwrap_or(address);
        if !address.is_empty() {
            push_field(&mut text, "WARC-IP-Address", address);
        }
        if let Some(protocol) = version_of(&message.version).1 {
            push_field(&mut text, "WARC-Protocol", protocol.as_bytes());
        }
        if !is_request && !message.mime.is_empty() && message.mime != b"x-unknown" {
            push_field(
                &mut text,
                "WARC-Identified-Payload-Type",
                &media_type(&message.mime),
            );
        }
        if message.text.is_cut {
            push_field(&mut text, "WARC-Truncated", b"length");
        } else if message.lacks_body() {
            push_field(&mut text, "WARC-Truncated", b"unspecified");
        } else if !is_request && matches!(message.status.as_slice(), b"" | b"0") {
            push_field(&mut text, "WARC-Truncated", b"disconnect");
        }
        let role: &[u8] = if is_request {
            b"application/http; msgtype=request"
        } else {
            b"application/http; msgtype=response"
        };
        push_field(&mut text, "Content-Type", role);
        if let Some(bytes) = block_bytes {
            push_field(&mut text, "Content-Length", bytes.to_string().as_bytes());
        }
        text.extend_from_slice(b"\r\n");
        WarcHead::made(Vec::new(), text)
    }
}

fn push_field(out: &mut Vec<u8>, name: &str, value: &[u8]) {
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b": ");
    push_line(out, value);
    out.extend_from_slice(b"\r\n");
}

/// The media type with the charset in which the text is here.
fn push_content_type(out: &mut Vec<u8>, value: &[u8]) {
    let parts: Vec<&[u8]> = value
        .split(|&byte| byte == b';')
        .map(<[u8]>::trim_ascii)
        .filter(|part| !part.is_empty() && !has_prefix(part, b"charset"))
        .collect();
    let value = [parts.join(&b"; "[..]).as_slice(), b"; charset=utf-8"].concat();
    push_field(out, "Content-Type", &value);
}
