//! Makes the lines of a capture index from the records of any archive, as indexers of the Webrecorder family
//! write them.
//!
//! Listed are responses, revisits, resources and metadata, those of the crawler itself excepted. A request
//! that was posted lends its body to the key of its response, if the two stand side by side. A payload
//! digest that is not stated is made. Lines are sorted in runs; the host keeps runs and merges them by a
//! look-up of all keys.

use sha1::{Digest, Sha1};

use super::json;
use super::post::{query_of, url_with};
use crate::archive::{
    BodyDecoder, Content, Elsewhere, HttpHead, Part, Record, RecordType, Sink, WarcHead, surt,
};
use crate::digest::base32;
use crate::error::Damage;
use crate::limits::{CDX_POST_BODY_BYTES_MAX, CDX_RUN_BYTES_MAX};
use crate::naming::Naming;

/// What lines look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Cdxj,
    /// Eleven columns under a header line.
    Cdx11,
}

/// A record that may get a line.
struct Entry {
    kind: RecordType,
    url: Option<Vec<u8>>,
    id: Option<Vec<u8>>,
    concurrent: Option<Vec<u8>>,
    timestamp: String,
    mime: Option<Vec<u8>>,
    status: Option<Vec<u8>>,
    digest: Option<Vec<u8>>,
    payload: Option<Sha1>,
    elsewhere: Option<Elsewhere>,
    place: (u64, u64),
    file: Vec<u8>,
    is_listed: bool,
    request: Option<Request>,
    /// What a request posted beside it: the URL of its key, method and query.
    posted: Option<(String, String, String)>,
}

/// The body of a posted request.
struct Request {
    method: String,
    content_type: String,
    decoder: BodyDecoder,
    body: Start,
}

pub struct Indexer {
    form: Form,
    file: Vec<u8>,
    /// Which part of the file counts.
    pub naming: Naming,
    current: Option<Entry>,
    before: Option<Entry>,
    lines: Vec<Vec<u8>>,
    bytes: usize,
    damages: Vec<Damage>,
}

impl Indexer {
    pub fn new(form: Form) -> Indexer {
        Indexer {
            form,
            file: Vec::new(),
            naming: Naming::default(),
            current: None,
            before: None,
            lines: Vec::new(),
            bytes: 0,
            damages: Vec::new(),
        }
    }

    /// What follows are the records of this file.
    pub fn begin_file(&mut self, name: &str) {
        self.pass();
        self.file = base_name(name.as_bytes());
        self.naming = Naming::default();
    }

    /// The lines so far, sorted and each once.
    pub fn take_run(&mut self) -> Vec<u8> {
        self.pass();
        self.lines.sort_unstable();
        self.lines.dedup();
        let run = self.lines.concat();
        self.lines.clear();
        self.bytes = 0;
        run
    }

    pub fn take_damages(&mut self) -> Vec<Damage> {
        std::mem::take(&mut self.damages)
    }

    /// Nothing can come that belongs to the record before.
    fn pass(&mut self) {
        if let Some(before) = self.before.take() {
            self.list(&before);
        }
    }

    /// Takes a record that has ended, together with the one before if they are request and response.
    fn pair(&mut self, mut entry: Entry) {
        let Some(mut before) = self.before.take() else {
            self.before = Some(entry);
            return;
        };
        let are_one = before.url == entry.url && entry.concurrent == before.id;
        match (before.kind, entry.kind) {
            (RecordType::Request, RecordType::Response) if are_one => {
                entry.posted = before
                    .request
                    .take()
                    .and_then(|request| request.posted(&before.url));
            }
            (RecordType::Response, RecordType::Request) if are_one => {
                before.posted = entry
                    .request
                    .take()
                    .and_then(|request| request.posted(&entry.url));
            }
            _ => {
                self.list(&before);
                self.before = Some(entry);
                return;
            }
        }
        self.list(&before);
        self.list(&entry);
    }

    fn list(&mut self, entry: &Entry) {
        let Some(url) = entry.url.as_ref().filter(|_| entry.is_listed) else {
            return;
        };
        let line = match self.form {
            Form::Cdxj => entry.cdxj(url),
            Form::Cdx11 => entry.cdx11(url),
        };
        self.bytes += line.len();
        self.lines.push(line);
    }
}

impl Request {
    fn of(head: &HttpHead) -> Option<Request> {
        let line = String::from_utf8_lossy(head.start_line()).into_owned();
        let method = line
            .split(' ')
            .next()
            .unwrap_or_default()
            .to_ascii_uppercase();
        if !matches!(method.as_str(), "POST" | "PUT") {
            return None;
        }
        let text = |name| {
            head.get(name)
                .map(|value| String::from_utf8_lossy(&value).into_owned())
        };
        let limit = match text("Content-Length") {
            Some(length) => length.trim().parse().unwrap_or(0),
            // Others take so much of a body of unknown length.
            None => 8192,
        };
        Some(Request {
            method,
            content_type: text("Content-Type").unwrap_or_default(),
            decoder: BodyDecoder::new(Some(head)),
            body: Start {
                bytes: Vec::new(),
                limit: limit.min(CDX_POST_BODY_BYTES_MAX),
            },
        })
    }

    fn push(&mut self, bytes: &[u8]) {
        if !self.body.is_full() {
            self.decoder.push(bytes, &mut self.body);
        }
    }

    fn finish(&mut self) {
        if !self.body.is_full() {
            self.decoder.finish(&mut self.body);
        }
    }

    fn posted(self, url: &Option<Vec<u8>>) -> Option<(String, String, String)> {
        let url = String::from_utf8_lossy(url.as_ref()?).into_owned();
        let query = query_of(&self.content_type, &self.body.bytes);
        Some((url_with(&url, &self.method, &query), self.method, query))
    }
}

/// The beginning of a body, decoded.
struct Start {
    bytes: Vec<u8>,
    /// How much of the body counts.
    limit: usize,
}

impl Content for Start {
    fn content(&mut self, data: &[u8]) {
        let room = self.limit.saturating_sub(self.bytes.len());
        self.bytes.extend_from_slice(&data[..data.len().min(room)]);
    }

    fn is_full(&self) -> bool {
        self.bytes.len() >= self.limit
    }
}

impl Entry {
    fn key(&self, url: &[u8]) -> String {
        match &self.posted {
            Some((url, ..)) => surt(url),
            None => surt(&String::from_utf8_lossy(url)),
        }
    }

    fn cdxj(&self, url: &[u8]) -> Vec<u8> {
        let mut line = format!("{} {} {{", self.key(url), self.timestamp).into_bytes();
        let (length, offset) = (self.place.1.to_string(), self.place.0.to_string());
        let posted = self.posted.as_ref();
        let members: [(&str, Option<&[u8]>); 9] = [
            ("url", Some(url)),
            ("mime", self.mime.as_deref()),
            ("status", self.status.as_deref()),
            ("digest", self.digest.as_deref()),
            ("length", Some(length.as_bytes())),
            ("offset", Some(offset.as_bytes())),
            ("filename", Some(&self.file)),
            ("requestBody", posted.map(|(_, _, query)| query.as_bytes())),
            ("method", posted.map(|(_, method, _)| method.as_bytes())),
        ];
        for (at, (name, value)) in members
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)))
            .enumerate()
        {
            if at > 0 {
                line.extend_from_slice(b", ");
            }
            json::push_ascii(&mut line, name.as_bytes());
            line.extend_from_slice(b": ");
            json::push_ascii(&mut line, value);
        }
        line.extend_from_slice(b"}\n");
        line
    }

    fn cdx11(&self, url: &[u8]) -> Vec<u8> {
        let digest = self.digest.as_deref().unwrap_or(b"-");
        let digest = digest.rsplit(|&byte| byte == b':').next().unwrap_or(b"-");
        let (length, offset) = (self.place.1.to_string(), self.place.0.to_string());
        let key = self.key(url);
        let columns: [&[u8]; 11] = [
            key.as_bytes(),
            self.timestamp.as_bytes(),
            url,
            self.mime.as_deref().unwrap_or(b"-"),
            self.status.as_deref().unwrap_or(b"-"),
            digest,
            b"-",
            b"-",
            length.as_bytes(),
            offset.as_bytes(),
            &self.file,
        ];
        let columns = columns.map(|column| {
            let plain = column.iter().flat_map(|&byte| match byte {
                0..=b' ' => b"%20".to_vec(),
                byte => vec![byte],
            });
            let plain: Vec<u8> = plain.collect();
            if plain.is_empty() {
                b"-".to_vec()
            } else {
                plain
            }
        });
        [columns.join(&b' '), b"\n".to_vec()].concat()
    }
}

impl Sink for Indexer {
    fn begin(&mut self, head: &WarcHead) {
        let kind = head.kind();
        let mime = head.get("Content-Type");
        let is_of_crawler = mime.as_deref() == Some(b"application/warc-fields");
        let is_listed = match kind {
            RecordType::Response | RecordType::Revisit => true,
            RecordType::Resource | RecordType::Metadata => !is_of_crawler,
            _ => false,
        };
        let digest = head.get("WARC-Payload-Digest");
        let elsewhere = Elsewhere::of(head);
        let mime = match kind {
            RecordType::Revisit => Some(b"warc/revisit".to_vec()),
            RecordType::Response | RecordType::Request => None,
            _ => mime.as_deref().and_then(first_word),
        };
        self.current = Some(Entry {
            kind,
            url: head.uri().map(without_blanks),
            id: head.get("WARC-Record-ID"),
            concurrent: head.get("WARC-Concurrent-To"),
            timestamp: timestamp(&head.get("WARC-Date").unwrap_or_default()),
            mime,
            status: None,
            // What is elsewhere cannot be read here.
            payload: (digest.is_none() && is_listed && elsewhere.is_none()).then(Sha1::new),
            digest,
            elsewhere,
            place: (0, 0),
            file: self.file.clone(),
            is_listed,
            request: None,
            posted: None,
        });
    }

    fn http(&mut self, head: &HttpHead) {
        let Some(entry) = &mut self.current else {
            return;
        };
        match entry.kind {
            RecordType::Request => entry.request = Request::of(head),
            RecordType::Response => {
                entry.mime = head.get("Content-Type").as_deref().and_then(first_word);
                entry.status = head.status().map(<[u8]>::to_vec);
            }
            RecordType::Revisit => entry.status = head.status().map(<[u8]>::to_vec),
            _ => {}
        }
    }

    fn body(&mut self, bytes: &[u8]) {
        let Some(entry) = &mut self.current else {
            return;
        };
        if let Some(payload) = &mut entry.payload {
            payload.update(bytes);
        }
        if let Some(request) = &mut entry.request {
            request.push(bytes);
        }
    }

    fn end(&mut self, record: &Record) {
        let Some(mut entry) = self.current.take() else {
            return;
        };
        if let Some(request) = &mut entry.request {
            request.finish();
        }
        if let Some(payload) = entry.payload.take() {
            entry.digest = Some([b"sha1:", base32(&payload.finalize()).as_bytes()].concat());
        }
        entry.place = (record.offset, record.length);
        if let Some(elsewhere) = entry.elsewhere.take() {
            entry.file = elsewhere.file;
            entry.place = (elsewhere.offset, elsewhere.length.unwrap_or(0));
        }
        self.pair(entry);
    }

    fn abandon(&mut self) {
        self.current = None;
    }

    fn damage(&mut self, damage: Damage) {
        self.damages.push(damage);
    }

    fn part(&mut self, part: &Part) {
        self.pass();
        self.file = base_name(&part.name);
        self.naming.enter(part);
    }

    fn wants_part(&self, part: &Part) -> bool {
        self.naming.wants(part)
    }

    fn is_full(&self) -> bool {
        self.bytes > CDX_RUN_BYTES_MAX
    }
}

/// The name of a file, or of a member of one, without what is before it.
fn base_name(name: &[u8]) -> Vec<u8> {
    let last = name
        .rsplit(|byte| matches!(byte, b'/' | b'\\' | b'!'))
        .next();
    last.unwrap_or(name).to_vec()
}

/// A media type without what follows it.
fn first_word(value: &[u8]) -> Option<Vec<u8>> {
    let end = value
        .iter()
        .position(|byte| *byte == b';' || byte.is_ascii_whitespace());
    let word = value[..end.unwrap_or(value.len())].trim_ascii();
    (!word.is_empty()).then(|| word.to_vec())
}

fn without_blanks(url: Vec<u8>) -> Vec<u8> {
    if !url.iter().any(u8::is_ascii_whitespace) {
        return url;
    }
    url.split(u8::is_ascii_whitespace)
        .collect::<Vec<_>>()
        .join(&b"%20"[..])
}

/// Fourteen digits; what a date does not say is its first month, day or second.
fn timestamp(date: &[u8]) -> String {
    const FIRST: &str = "00000101000000";
    let end = date.iter().position(|byte| matches!(byte, b'.' | b','));
    let digits = date[..end.unwrap_or(date.len())]
        .iter()
        .filter(|byte| byte.is_ascii_digit())
        .take(14);
    let mut text: String = digits.map(|&digit| char::from(digit)).collect();
    text.push_str(&FIRST[text.len()..]);
    text
}
