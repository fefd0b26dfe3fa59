//! Hears the records of an archive, decides which of them are wanted, and keeps what writing them needs.
//!
//! A record that is copied from where it stands is not kept: only its place is. Others are kept whole if they
//! are short; of longer ones the heads are kept, and the rest is read again once it is known how long it is.
//! D1  A record is handed on only when what follows it is known: damage to it may be told after its end.

use std::collections::VecDeque;
use std::rc::Rc;

use super::cutter::Options;
use super::heading::{Digests, Measured};
use super::http::rewritten;
use crate::archive::{
    Format, HttpHead, Joint, Part, Record, Sink, StatedLength, Storage, WarcHead, Window,
};
use crate::error::{Damage, code};
use crate::limits::WRITE_HELD_BYTES_MAX;
use crate::query::{Facts, Predicate};

/// A record that is wanted, as it is handed on.
pub struct Draft {
    pub head: WarcHead,
    pub part: Rc<Part>,
    pub record: Record,
    /// Where it stands as it is to be written.
    pub range: Option<(u64, u64)>,
    /// The HTTP head of the block, empty where there is none.
    pub http: Vec<u8>,
    pub is_request: bool,
    /// What follows that, unless it has to be read again.
    pub body: Option<Vec<u8>>,
    /// Of records that are made.
    pub measured: Option<Measured>,
}

impl Draft {
    /// Bytes that it keeps.
    fn bytes(&self) -> usize {
        self.head.raw.len() + self.http.len() + self.body.as_ref().map_or(0, Vec::len)
    }
}

/// The record that is being heard.
struct Current {
    head: WarcHead,
    facts: Facts,
    verdict: Option<bool>,
    stands: bool,
    http: Option<HttpHead>,
    body: Vec<u8>,
    is_too_long: bool,
    digests: Option<Digests>,
}

pub struct Drafter {
    predicate: Predicate,
    is_gzip: bool,
    can_copy: bool,
    member: Vec<u8>,
    part: Rc<Part>,
    /// Members of this part hold one record each, as far as is known.
    has_own_members: bool,
    current: Option<Current>,
    /// The last record that ended: damage to it may still be told.
    last: Option<Draft>,
    ready: VecDeque<Draft>,
    /// Bytes that these keep.
    held: usize,
    damage: Vec<(Rc<Part>, Damage)>,
    seen: u64,
}

impl Drafter {
    pub fn new(predicate: Predicate, format: Format, options: &Options) -> Drafter {
        let part = Part {
            format,
            ..Part::default()
        };
        Drafter {
            predicate,
            is_gzip: options.is_gzip,
            can_copy: options.can_copy,
            member: options.member.clone().into_bytes(),
            part: Rc::new(part),
            has_own_members: true,
            current: None,
            last: None,
            ready: VecDeque::new(),
            held: 0,
            damage: Vec::new(),
            seen: 0,
        }
    }

    /// The next record that is wanted.
    pub fn next(&mut self) -> Option<Draft> {
        let draft = self.ready.pop_front()?;
        self.held -= draft.bytes();
        Some(draft)
    }

    pub fn has_next(&self) -> bool {
        !self.ready.is_empty()
    }

    pub fn take_damage(&mut self) -> Vec<(Rc<Part>, Damage)> {
        std::mem::take(&mut self.damage)
    }

    /// Records heard, wanted or not.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// Nothing follows the last record.
    pub fn hand_on(&mut self) {
        if let Some(draft) = self.last.take() {
            self.held += draft.bytes();
            self.ready.push_back(draft);
        }
    }

    /// Whether records of this part may be copied from where they stand in the file.
    fn may_stand(&self) -> bool {
        let is_stored = |window: &Window| window.storage == Storage::Stored;
        let is_same = match self.part.format {
            Format::Warc => !self.is_gzip,
            Format::WarcGz => self.is_gzip && self.has_own_members,
            _ => false,
        };
        self.can_copy && is_same && self.part.windows.iter().all(is_stored)
    }

    /// The record that is being heard, and the one before it, are not copied from where they stand.
    fn lift(&mut self) {
        if let Some(last) = &mut self.last {
            last.range = None;
        }
        if let Some(current) = self.current.as_mut().filter(|current| current.stands) {
            current.stands = false;
            // What of it went by is not kept.
            current.is_too_long = true;
        }
    }

    /// Where the record stands, from the beginning of the file.
    fn range(&self, record: &Record) -> (u64, u64) {
        let base: u64 = self.part.windows.iter().map(|window| window.base).sum();
        (base.saturating_add(record.offset), record.length)
    }
}

/// Whether a header block ends with its blank line.
pub fn is_closed(head: &[u8]) -> bool {
    let Some(rest) = head.strip_suffix(b"\n") else {
        return false;
    };
    let line = rest.iter().rposition(|&byte| byte == b'\n');
    line.is_some_and(|at| rest[at + 1..].iter().all(|&byte| byte == b'\r'))
}

impl Current {
    fn decide(&mut self, predicate: &Predicate) {
        if self.verdict.is_none() {
            self.verdict = predicate.holds(&self.facts);
        }
        if self.verdict == Some(false) {
            self.body = Vec::new();
        }
    }

    fn is_wanted(&self) -> bool {
        self.verdict != Some(false)
    }

    /// Whether what it holds decides.
    fn looks_on(&self) -> bool {
        self.verdict.is_none() && self.facts.wants_body()
    }
}

impl Sink for Drafter {
    fn begin(&mut self, head: &WarcHead) {
        self.hand_on();
        let mut current = Current {
            head: head.clone(),
            facts: Facts::begin(head, &self.predicate),
            verdict: None,
            stands: !head.is_made() && self.may_stand(),
            http: None,
            body: Vec::new(),
            is_too_long: false,
            digests: head.is_made().then(|| Digests::new(None)),
        };
        current.decide(&self.predicate);
        self.current = Some(current);
    }

    fn http(&mut self, head: &HttpHead) {
        let Some(current) = &mut self.current else {
            return;
        };
        current.facts.http(head, &self.predicate);
        current.decide(&self.predicate);
        if !current.is_wanted() {
            return;
        }
        if current.head.is_made() {
            current.digests = Some(if head.is_decoded {
                Digests::new(Some(&rewritten(head, None)))
            } else {
                Digests::new(Some(&head.raw))
            });
        }
        current.http = Some(head.clone());
    }

    fn body(&mut self, bytes: &[u8]) {
        let Some(current) = &mut self.current else {
            return;
        };
        current.facts.body(bytes, &self.predicate);
        current.decide(&self.predicate);
        if !current.is_wanted() {
            return;
        }
        if let Some(digests) = &mut current.digests {
            digests.push(bytes);
        }
        if current.stands || current.is_too_long {
            return;
        }
        if current.body.len() + bytes.len() > WRITE_HELD_BYTES_MAX {
            current.is_too_long = true;
            current.body = Vec::new();
        } else {
            current.body.extend_from_slice(bytes);
        }
    }

    fn end(&mut self, record: &Record) {
        let Some(mut current) = self.current.take() else {
            return;
        };
        self.seen += 1;
        current.facts.end(record, &self.predicate);
        current.decide(&self.predicate);
        if current.verdict != Some(true) {
            return;
        }
        let is_kept = !current.stands && !current.is_too_long;
        let is_request = current
            .http
            .as_ref()
            .is_some_and(|head| !head.is_response());
        let mut measured = current.digests.take().map(Digests::finish);
        let http = match current.http.take() {
            Some(head) if !head.is_decoded => head.raw,
            Some(head) if !is_kept => rewritten(&head, None),
            Some(head) => {
                // Its length is known by now.
                let http = rewritten(&head, Some(current.body.len()));
                let mut digests = Digests::new(Some(&http));
                digests.push(&current.body);
                measured = Some(digests.finish());
                http
            }
            None => Vec::new(),
        };
        let is_right = record.is_whole
            && current.head.stated_length() == StatedLength::Bytes(record.block_bytes)
            && current.head.count("Content-Length") == 1
            && is_closed(&current.head.raw);
        self.last = Some(Draft {
            // What begins within a member does not stand there by itself.
            range: (current.stands && is_right && record.skip == 0).then(|| self.range(record)),
            is_request,
            http,
            body: is_kept.then_some(current.body),
            head: current.head,
            part: Rc::clone(&self.part),
            record: record.clone(),
            measured,
        });
    }

    fn abandon(&mut self) {
        self.current = None;
    }

    fn damage(&mut self, damage: Damage) {
        match damage.code {
            code::GZIP_SHARED_MEMBER | code::GZIP_SPLIT_RECORD => {
                self.has_own_members = false;
                if self.part.format == Format::WarcGz {
                    self.lift();
                }
            }
            _ => {
                let is_of = |last: &Draft| damage.offset <= last.record.offset + last.record.length;
                if let Some(last) = self.last.as_mut().filter(|last| is_of(last)) {
                    last.range = None;
                }
            }
        }
        self.damage.push((Rc::clone(&self.part), damage));
    }

    fn joint(&mut self, _joint: Joint) {
        // In the order of the file, what the last member came to is known here.
        self.hand_on();
    }

    fn part(&mut self, part: &Part) {
        self.hand_on();
        self.part = Rc::new(part.clone());
        self.has_own_members = true;
    }

    fn wants_part(&self, part: &Part) -> bool {
        // A member is meant with those in it, and is come to through those that it lies in.
        let is_in = |inner: &[u8], outer: &[u8]| {
            inner
                .strip_prefix(outer)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(b"!"))
        };
        let is_meant = self.member.is_empty()
            || is_in(&part.name, &self.member)
            || is_in(&self.member, &part.name);
        is_meant && !part.format.is_index()
    }

    fn wants_body(&self) -> bool {
        self.current
            .as_ref()
            .is_none_or(|current| current.is_wanted() && (!current.stands || current.looks_on()))
    }

    fn is_full(&self) -> bool {
        self.held >= WRITE_HELD_BYTES_MAX
    }
}
