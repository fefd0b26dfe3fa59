//! Documents gathered while an archive is read: bodies of records that say something to a reader, decoded as far as
//! HTTP goes, and where redirects lead. They wait here until they are taken. Reading does not wait for that: where they
//! are too many, those that follow are passed over, to be read once more (`again.rs`).

mod again;

use std::collections::VecDeque;

use crate::archive::{
    Aside, BodyDecoder, BodyOutcome, Content, HttpHead, Joint, Part, Record, RecordType, Sink,
    WarcHead, media_type,
};
use crate::captures::Captures;
use crate::codec::Writer;
use crate::content::{Description, is_media_type};
use crate::document::{DocumentKind, Found};
use crate::error::Damage;
use crate::limits::{
    DOCUMENT_BYTES_MAX, DOCUMENT_LOOK_BYTES, HARVEST_HELD_BYTES_MAX, PDF_BYTES_MAX,
    TABLE_URL_BYTES_MAX,
};
use crate::payload::Budget;

pub use again::{DocumentsAgain, may_be_document};

/// Documents that were found and are not taken yet.
#[derive(Default)]
pub struct Harvest {
    draft: Option<Draft>,
    waiting: VecDeque<(u64, Vec<u8>)>,
    held_bytes: usize,
    budget: Budget,
    passed_over: Option<u64>,
}

/// What is made of the record that streams by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Aim {
    /// A document of its body, if that is one.
    Body,
    /// Where it leads is all there is to it.
    Redirect,
    Nothing,
}

/// What is known so far of the record that streams by.
struct Draft {
    aim: Aim,
    /// What its content type is, as far as it is stated, and what the crawler found.
    stated: Option<Vec<u8>>,
    identified: Option<Vec<u8>>,
    found: Found,
    decoder: BodyDecoder,
    body: Gathered,
    /// However long documents of its kind may be.
    bytes_left: usize,
    stored_bytes: u64,
}

/// Takes what the body decodes to, as far as that is of use.
#[derive(Default)]
struct Gathered {
    bytes: Vec<u8>,
    bytes_max: usize,
}

impl Content for Gathered {
    fn content(&mut self, bytes: &[u8]) {
        // One byte more than there may be shows that it was cut.
        let room = (self.bytes_max + 1).saturating_sub(self.bytes.len());
        self.bytes
            .extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn is_full(&self) -> bool {
        self.bytes.len() > self.bytes_max
    }
}

/// Of a body whose kind is stated.
fn bytes_max(kind: DocumentKind) -> usize {
    match kind {
        DocumentKind::Pdf => PDF_BYTES_MAX,
        _ => DOCUMENT_BYTES_MAX,
    }
}

impl Draft {
    fn of(head: &WarcHead, budget: &Budget) -> Option<Draft> {
        let can_be = matches!(
            head.kind(),
            RecordType::Response | RecordType::Resource | RecordType::Conversion
        );
        let is_partial =
            head.get_raw("WARC-Truncated").is_some() || head.segment_number().is_some();
        let bytes_left = usize::try_from(budget.left()).unwrap_or(usize::MAX);
        let draft = can_be.then(|| Draft {
            aim: Aim::Nothing,
            stated: head.get("Content-Type"),
            identified: head.get("WARC-Identified-Payload-Type"),
            found: Found {
                is_partial,
                ..Found::default()
            },
            decoder: BodyDecoder::new(None),
            body: Gathered {
                bytes: Vec::new(),
                bytes_max: bytes_left.min(DOCUMENT_BYTES_MAX),
            },
            bytes_left,
            stored_bytes: 0,
        });
        draft.map(|mut draft| {
            draft.aim = draft.aim_by_type();
            draft
        })
    }

    fn http(&mut self, head: &HttpHead) {
        let value = |name| {
            let mut value = head.get(name).unwrap_or_default();
            value.truncate(TABLE_URL_BYTES_MAX);
            value
        };
        match head.status_number() {
            Some(300..=399) => {
                self.found.redirect = value("Location");
                self.aim = match self.found.redirect.is_empty() {
                    true => Aim::Nothing,
                    false => Aim::Redirect,
                };
            }
            None | Some(200..=299) => {
                if head.is_response() {
                    self.stated = head.get("Content-Type");
                }
                self.aim = self.aim_by_type();
                self.found.is_partial |= head.status_number() == Some(206);
                self.found.language = value("Content-Language");
                self.found.redirect = value("Refresh");
                self.decoder = BodyDecoder::new(Some(head));
            }
            Some(_) => self.aim = Aim::Nothing,
        }
    }

    /// What states that it is something else is not looked into.
    fn aim_by_type(&mut self) -> Aim {
        let stated = [&self.stated, &self.identified].into_iter().flatten();
        let mut named = stated
            .map(|value| media_type(value))
            .filter(|name| is_media_type(name));
        let Some(name) = named.next() else {
            return Aim::Body;
        };
        match DocumentKind::of_media(&name) {
            Some(kind) => {
                self.body.bytes_max = self.bytes_left.min(bytes_max(kind));
                Aim::Body
            }
            None => Aim::Nothing,
        }
    }

    fn wants_body(&self) -> bool {
        self.aim == Aim::Body && !self.body.is_full()
    }

    fn push(&mut self, bytes: &[u8]) {
        self.stored_bytes += bytes.len() as u64;
        let before = self.body.bytes.len();
        self.decoder.push(bytes, &mut self.body);
        let is_enough =
            before < DOCUMENT_LOOK_BYTES && self.body.bytes.len() >= DOCUMENT_LOOK_BYTES;
        if is_enough && self.described().is_none() {
            self.aim = Aim::Nothing;
        }
    }

    /// What the body is, and its character set, if it is a document.
    fn described(&self) -> Option<(DocumentKind, &'static str)> {
        let (stated, identified) = (self.stated.as_deref(), self.identified.as_deref());
        let description = Description::new(stated, identified, &self.body.bytes);
        let (media, _) = description.media?;
        match DocumentKind::of_media(&media)? {
            // Its texts have sets of their own.
            DocumentKind::Pdf => Some((DocumentKind::Pdf, "")),
            kind => Some((kind, description.charset?.0)),
        }
    }

    fn finish(mut self, record: &Record, budget: &mut Budget) -> Option<Found> {
        if self.wants_body() {
            self.decoder.finish(&mut self.body);
        }
        budget.spend(
            record.length,
            self.stored_bytes,
            self.body.bytes.len() as u64,
        );
        let mut found = std::mem::take(&mut self.found);
        found.is_partial |= !record.is_whole;
        match self.aim {
            Aim::Nothing => return None,
            Aim::Redirect => {
                found.kind = DocumentKind::Redirect;
                return Some(found);
            }
            Aim::Body => {}
        }
        found.is_cut = self.body.is_full();
        match self.decoder.outcome() {
            BodyOutcome::StillEncoded => return None,
            BodyOutcome::BadChunk | BodyOutcome::BadEncoding => found.is_partial |= !found.is_cut,
            BodyOutcome::Sound => {}
        }
        let (kind, charset) = self.described()?;
        (found.kind, found.charset) = (kind, charset.into());
        found.body = self.body.bytes;
        found.body.truncate(self.body.bytes_max);
        Some(found)
    }
}

impl Harvest {
    pub fn new() -> Harvest {
        Harvest::default()
    }

    /// Bytes that wait to be taken.
    pub fn held_bytes(&self) -> usize {
        self.held_bytes
    }

    /// The first row of which documents wait to be taken.
    pub fn first_row(&self) -> Option<u64> {
        self.waiting.front().map(|(row, _)| *row)
    }

    pub fn is_full(&self) -> bool {
        self.held_bytes >= HARVEST_HELD_BYTES_MAX
    }

    /// Documents of this row and those after it were not gathered, since too many were waiting.
    pub fn passed_over(&self) -> Option<u64> {
        self.passed_over
    }

    /// All documents there are of rows before this one were taken, where so many rows were read.
    pub fn taken_up_to(&self, rows: u64) -> u64 {
        self.first_row().or(self.passed_over).unwrap_or(rows)
    }

    /// Takes what was found, in the order of the rows, each as `Found` writes itself: no more than so many bytes, but for
    /// the first one.
    pub fn take(&mut self, bytes_max: usize, out: &mut Vec<u8>) {
        let before = out.len();
        while let Some((_, found)) = self.waiting.pop_front_if(|(_, found)| {
            let taken = out.len() - before;
            taken == 0 || taken + found.len() <= bytes_max
        }) {
            self.held_bytes -= found.len();
            out.extend_from_slice(&found);
        }
    }

    /// A record begins that is to be this row, in a file that is read on however much is waiting.
    fn begin_or_pass(&mut self, head: &WarcHead, row: usize) {
        if self.is_full() && self.passed_over.is_none() {
            self.passed_over = Some(row as u64);
        }
        match self.passed_over {
            Some(_) => self.draft = None,
            None => self.begin(head),
        }
    }

    fn begin(&mut self, head: &WarcHead) {
        self.draft = Draft::of(head, &self.budget);
    }

    fn http(&mut self, head: &HttpHead) {
        if let Some(draft) = &mut self.draft {
            draft.http(head);
        }
    }

    fn body(&mut self, bytes: &[u8]) {
        if let Some(draft) = self.draft.as_mut().filter(|draft| draft.wants_body()) {
            draft.push(bytes);
        }
    }

    fn abandon(&mut self) {
        self.draft = None;
    }

    fn wants_body(&self) -> bool {
        self.draft.as_ref().is_some_and(Draft::wants_body)
    }

    fn end(&mut self, record: &Record, row: usize) {
        let draft = self.draft.take();
        let Some(mut found) = draft.and_then(|draft| draft.finish(record, &mut self.budget)) else {
            return;
        };
        found.row = row as u64;
        let mut out = Writer::new();
        found.write(&mut out);
        let found = out.finish();
        self.held_bytes += found.len();
        self.waiting.push_back((row as u64, found));
    }
}

/// A table of records, and who gathers documents beside it.
pub struct Harvesting<'a> {
    pub captures: &'a mut Captures,
    pub harvest: &'a mut Harvest,
}

impl Sink for Harvesting<'_> {
    fn begin(&mut self, head: &WarcHead) {
        self.harvest.begin_or_pass(head, self.captures.len());
        self.captures.begin(head);
    }

    fn http(&mut self, head: &HttpHead) {
        self.captures.http(head);
        self.harvest.http(head);
    }

    fn body(&mut self, bytes: &[u8]) {
        self.harvest.body(bytes);
    }

    fn end(&mut self, record: &Record) {
        let row = self.captures.len();
        self.captures.end(record);
        self.harvest.end(record, row);
    }

    fn abandon(&mut self) {
        self.captures.abandon();
        self.harvest.abandon();
    }

    fn damage(&mut self, damage: Damage) {
        self.captures.damage(damage);
    }

    fn joint(&mut self, joint: Joint) {
        self.captures.joint(joint);
    }

    fn part(&mut self, part: &Part) {
        self.captures.part(part);
    }

    fn wants_elsewhere(&self, file: &[u8]) -> bool {
        self.captures.wants_elsewhere(file)
    }

    fn aside(&mut self, aside: Aside) {
        self.captures.aside(aside);
    }

    fn wants_body(&self) -> bool {
        self.harvest.wants_body()
    }
}
