//! Reads every record in full and tells of each in a JSON line: the engine behind `records`.
//!
//!   line := {"offset":N,"length":N,"type":T, ... ,"raw_sha1":HEX, ...} | {"damage":CODE,"offset":N,"skipped":N,"message":T}
//! Where a file has parts, or was named, `"file":"FILE!PART"` goes ahead. A field that the record does not have is absent, `raw_*` where its bytes are in another file. `body_*` is absent where the body could not be decoded.

use crate::archive::{Aside, HttpHead, Part, Record, RecordType, Sink, WarcHead};
use crate::digest::hex;
use crate::error::Damage;
use crate::json::Line;
use crate::payload::{Budget, Payload, Sha1s};
use crate::teller::{Teller, Told};

struct Current {
    line: Line,
    kind: RecordType,
    /// Its name, known or not.
    stated_kind: Vec<u8>,
    content_type: Option<Vec<u8>>,
    content_length: Option<Vec<u8>>,
    payload_digest: Option<Vec<u8>>,
    status: Option<Vec<u8>>,
    te: Option<Vec<u8>>,
    ce: Option<Vec<u8>>,
    payload: Payload,
    is_elsewhere: bool,
}

/// Gathers lines; the host takes them away as they come.
#[derive(Default)]
pub struct Inspector {
    current: Option<Current>,
    budget: Budget,
    told: Told,
    damage_count: u64,
}

impl Inspector {
    pub fn new() -> Inspector {
        Inspector::default()
    }

    pub fn damage_count(&self) -> u64 {
        self.damage_count
    }
}

impl Teller for Inspector {
    fn told(&mut self) -> &mut Told {
        &mut self.told
    }
}

impl Sink for Inspector {
    fn begin(&mut self, head: &WarcHead) {
        let mut line = Line::new();
        line.optional("uri", head.uri().as_deref());
        line.optional("date", head.get("WARC-Date").as_deref());
        self.current = Some(Current {
            line,
            kind: head.kind(),
            stated_kind: head.stated_kind(),
            content_type: head.get("Content-Type"),
            content_length: head.get("Content-Length"),
            payload_digest: head.get("WARC-Payload-Digest"),
            status: None,
            te: None,
            ce: None,
            payload: Payload::new(head, &self.budget, Sha1s::Made),
            is_elsewhere: head.is_elsewhere,
        });
    }

    fn http(&mut self, head: &HttpHead) {
        let Some(current) = &mut self.current else {
            return;
        };
        current.content_type = if head.is_response() {
            head.get("Content-Type")
        } else {
            None
        };
        current.status = head.status().map(<[u8]>::to_vec);
        current.te = head.get("Transfer-Encoding");
        current.ce = head.get("Content-Encoding");
        current.payload.http(head);
    }

    fn body(&mut self, bytes: &[u8]) {
        if let Some(current) = &mut self.current {
            current.payload.body(bytes);
        }
    }

    fn end(&mut self, record: &Record) {
        let Some(current) = self.current.take() else {
            return;
        };
        let facts = current.payload.finish(record, &mut self.budget);
        let is_request = current.kind == RecordType::Request;
        let mut line = self.told.naming.line();
        line.number("offset", record.offset);
        line.number("length", record.length);
        line.string("type", &current.stated_kind);
        line.merge(current.line);
        line.optional("status", current.status.as_deref());
        line.optional("mime", current.content_type.as_deref());
        line.optional("content_length", current.content_length.as_deref());
        line.optional("payload_digest", current.payload_digest.as_deref());
        if !current.is_elsewhere {
            line.number("raw_len", facts.raw_bytes);
            line.string("raw_sha1", hex(&facts.raw_sha1).as_bytes());
        }
        if let Some((bytes, sha1)) = &facts.content
            && !current.is_elsewhere
        {
            line.number("body_len", *bytes);
            line.string("body_sha1", hex(sha1).as_bytes());
        }
        if !is_request {
            line.optional("te", current.te.as_deref());
            line.optional("ce", current.ce.as_deref());
        }
        if let Some(is_ok) = facts.verdicts.is_ok() {
            line.boolean("digest_ok", is_ok);
        }
        self.told.lines.push_str(&line.end());
        if let Some(damage) = facts.damage(record) {
            self.damage(damage);
        }
    }

    fn abandon(&mut self) {
        self.current = None;
    }

    fn damage(&mut self, damage: Damage) {
        self.damage_count += 1;
        let mut line = self.told.naming.line();
        line.string("damage", damage.code.as_bytes());
        line.number("offset", damage.offset);
        line.number("skipped", damage.skipped);
        line.string("message", damage.message.as_bytes());
        self.told.lines.push_str(&line.end());
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
