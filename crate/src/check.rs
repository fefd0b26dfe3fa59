//! Finds every problem of an archive: the engine behind `check`.
//!
//!   line := {"problem":CODE,"offset":N,"message":T ["uri":T]} | {"checked":true,"records":N,"problems":N,"digests":N}
//! A line a problem, in the order of the file, and one at the end that sums up. Where a file has parts, or was
//! named, `"file":"FILE!PART"` goes ahead. `digests` counts those that hold.

use std::collections::HashSet;

use xxhash_rust::xxh64::xxh64;

use crate::archive::{Aside, HttpHead, Part, Record, RecordType, Sink, WarcHead};
use crate::digest::{Verdict, Verified};
use crate::error::{Code, Damage, code};
use crate::limits::CHECK_IDS_MAX;
use crate::payload::{Budget, Payload, Sha1s};
use crate::segments::Segments;
use crate::teller::{Teller, Told};

/// Gathers lines; the host takes them away as they come.
#[derive(Default)]
pub struct Checker {
    current: Option<Current>,
    segments: Segments,
    budget: Budget,
    told: Told,
    ids: HashSet<u64>,
    has_left_out_ids: bool,
    records: u64,
    problems: u64,
    digests: u64,
}

/// The record being read.
struct Current {
    payload: Payload,
    uri: Option<Vec<u8>>,
    /// What its header shows to be wrong; told when its place is known.
    found: Vec<(Code, String)>,
    id: Option<Vec<u8>>,
    /// Length that its HTTP header states, where that is the length of what is stored.
    http_bytes: Option<u64>,
    /// A response that is meant to be all there.
    is_complete: bool,
}

impl Checker {
    pub fn new() -> Checker {
        Checker::default()
    }

    pub fn problems(&self) -> u64 {
        self.problems
    }

    fn problem(&mut self, code: Code, offset: u64, message: &str, uri: Option<&[u8]>) {
        self.problems += 1;
        let mut line = self.told.naming.line();
        line.string("problem", code.as_bytes());
        line.number("offset", offset);
        line.string("message", message.as_bytes());
        line.optional("uri", uri);
        self.told.lines.push_str(&line.end());
    }

    /// Whether that id was seen before. Ids are compared by their hashes, up to a number of them.
    fn is_repeated(&mut self, id: &[u8], offset: u64) -> bool {
        let hash = xxh64(id, 0);
        if self.ids.len() < CHECK_IDS_MAX {
            return !self.ids.insert(hash);
        }
        if !self.has_left_out_ids {
            self.has_left_out_ids = true;
            let message =
                format!("after {CHECK_IDS_MAX} records, repeated ids are found among those only");
            self.problem(code::CHECK_IDS_LEFT_OUT, offset, &message, None);
        }
        self.ids.contains(&hash)
    }

    fn digest(&mut self, which: &str, verified: &Verified, offset: u64, uri: Option<&[u8]>) {
        let stated = String::from_utf8_lossy(&verified.stated);
        let (code, message) = match &verified.verdict {
            Verdict::Holds(_) => {
                self.digests += 1;
                return;
            }
            Verdict::Elsewhere => return,
            Verdict::Differs(found) => (
                code::DIGEST_DIFFERS,
                format!("the {which} digest is stated as {stated} and is {found}"),
            ),
            Verdict::Unusable(_) => (
                code::DIGEST_UNREADABLE,
                format!("the {which} digest cannot be compared: {stated}"),
            ),
        };
        self.problem(code, offset, &message, uri);
    }
}

/// What the header of a record shows to be wrong with it.
fn header_problems(head: &WarcHead) -> Vec<(Code, String)> {
    let mut found = Vec::new();
    // Other formats have no such fields; what they do have was told by their reader.
    if head.is_made() {
        return found;
    }
    let kind = head.kind();
    let mut needed = vec!["WARC-Record-ID", "WARC-Date"];
    if !matches!(
        kind,
        RecordType::Warcinfo | RecordType::Metadata | RecordType::Unknown
    ) {
        needed.push("WARC-Target-URI");
    }
    match kind {
        RecordType::Revisit => needed.push("WARC-Profile"),
        RecordType::Continuation => {
            needed.extend(["WARC-Segment-Number", "WARC-Segment-Origin-ID"]);
        }
        _ => {}
    }
    for name in needed {
        if head.get_raw(name).is_none_or(<[u8]>::is_empty) {
            let message = format!("the {} record states no {name}", kind.name());
            found.push((code::WARC_MISSING_FIELD, message));
        }
    }
    for name in [
        "WARC-Type",
        "WARC-Record-ID",
        "WARC-Date",
        "WARC-Target-URI",
    ] {
        if head.count(name) > 1 {
            let message = format!("the record states {name} more than once");
            found.push((code::WARC_REPEATED_FIELD, message));
        }
    }
    let shown = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
    if let Some(id) = head.get("WARC-Record-ID").filter(|id| !is_id(id)) {
        found.push((
            code::WARC_BAD_ID,
            format!(
                "the id of the record is no URI in angle brackets: {}",
                shown(&id)
            ),
        ));
    }
    if let Some(uri) = head.uri().filter(|uri| !is_uri(uri)) {
        found.push((
            code::WARC_BAD_URI,
            format!("the target is no URI: {}", shown(&uri)),
        ));
    }
    if !matches!(
        head.version(),
        b"WARC/1.0" | b"WARC/1.1" | b"WARC/0.17" | b"WARC/0.18"
    ) {
        found.push((
            code::WARC_UNKNOWN_VERSION,
            format!(
                "the record is of an unknown version: {}",
                shown(head.version())
            ),
        ));
    }
    found
}

/// `<scheme:rest>`
fn is_id(id: &[u8]) -> bool {
    id.strip_prefix(b"<")
        .and_then(|id| id.strip_suffix(b">"))
        .is_some_and(is_uri)
}

/// `scheme:rest` without blanks and control characters. Letters beyond ASCII are let pass: crawlers store what they met.
fn is_uri(uri: &[u8]) -> bool {
    let Some(colon) = uri.iter().position(|&byte| byte == b':') else {
        return false;
    };
    let is_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    uri[0].is_ascii_alphabetic()
        && uri[..colon].iter().all(is_scheme)
        && !uri.iter().any(|byte| *byte <= b' ' || *byte == 0x7f)
}

/// Length of the stored body by the HTTP header, where it states that and not the length of something else.
fn stated_body_bytes(head: &HttpHead) -> Option<u64> {
    let has_none = matches!(head.status_number(), Some(100..=199 | 204 | 304));
    let is_plain =
        head.get("Content-Encoding").is_none() && head.get("Transfer-Encoding").is_none();
    if has_none || !is_plain || head.is_decoded || !head.is_response() {
        return None;
    }
    std::str::from_utf8(&head.get("Content-Length")?)
        .ok()?
        .parse()
        .ok()
}

impl Teller for Checker {
    fn told(&mut self) -> &mut Told {
        &mut self.told
    }

    /// Adds the line that sums up.
    fn conclude(&mut self) {
        self.told.naming.leave();
        let mut line = self.told.naming.line();
        line.boolean("checked", true);
        line.number("records", self.records);
        line.number("problems", self.problems);
        line.number("digests", self.digests);
        self.told.lines.push_str(&line.end());
    }
}

impl Sink for Checker {
    fn begin(&mut self, head: &WarcHead) {
        self.segments.begin(head, &self.budget);
        let is_made = head.is_made();
        self.current = Some(Current {
            payload: Payload::new(head, &self.budget, Sha1s::Needless),
            uri: head.uri(),
            found: header_problems(head),
            id: head.get("WARC-Record-ID").filter(|_| !is_made),
            http_bytes: None,
            is_complete: head.kind() == RecordType::Response
                && head.get("WARC-Truncated").is_none()
                && head.get("WARC-Segment-Number").is_none(),
        });
    }

    fn http(&mut self, head: &HttpHead) {
        if let Some(current) = &mut self.current {
            current.payload.http(head);
            current.http_bytes = stated_body_bytes(head).filter(|_| current.is_complete);
        }
        self.segments.http(head);
    }

    fn body(&mut self, bytes: &[u8]) {
        if let Some(current) = &mut self.current {
            current.payload.body(bytes);
        }
        self.segments.body(bytes);
    }

    fn end(&mut self, record: &Record) {
        let Some(current) = self.current.take() else {
            return;
        };
        self.records += 1;
        let offset = record.offset;
        let facts = current.payload.finish(record, &mut self.budget);
        let uri = current.uri.as_deref();
        for (code, message) in current.found {
            self.problem(code, offset, &message, uri);
        }
        if let Some(id) = &current.id
            && self.is_repeated(id, offset)
        {
            let id = String::from_utf8_lossy(id);
            let message = format!("another record has the same id {id}");
            self.problem(code::WARC_REPEATED_ID, offset, &message, uri);
        }
        if let Some(stated) = current.http_bytes
            && record.is_whole
            && stated != facts.raw_bytes
        {
            let message = format!(
                "the HTTP header states a body of {stated} bytes, of which {} are stored",
                facts.raw_bytes
            );
            self.problem(code::HTTP_LENGTH_DIFFERS, offset, &message, uri);
        }
        for (which, verified) in [
            ("block", &facts.verdicts.block),
            ("payload", &facts.verdicts.payload),
        ] {
            if let Some(verified) = verified {
                self.digest(which, verified, offset, uri);
            }
        }
        if let Some((first, verified)) = self.segments.end(record, &mut self.budget) {
            self.digest("payload", &verified, first.offset, first.uri.as_deref());
        }
        if let Some(damage) = facts.damage(record) {
            self.problem(damage.code, offset, &damage.message, uri);
        }
    }

    fn abandon(&mut self) {
        self.current = None;
        self.segments.abandon();
    }

    fn damage(&mut self, damage: Damage) {
        self.problem(damage.code, damage.offset, &damage.message, None);
    }

    fn wants_proof(&self) -> bool {
        true
    }

    fn aside(&mut self, aside: Aside) {
        self.told.unproven.hear(&aside);
    }

    fn part(&mut self, part: &Part) {
        self.told.naming.enter(part);
    }

    fn wants_part(&self, part: &Part) -> bool {
        self.told.naming.wants(part)
    }

    fn is_full(&self) -> bool {
        self.told.lines.len() > 1 << 20
    }
}
