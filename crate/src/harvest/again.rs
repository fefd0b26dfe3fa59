//! Documents of records whose rows are there already: they are picked, and read once more.

use crate::archive::{
    Awaited, Feed, HttpHead, Parser, Part, Pick, Picked, Record, RecordType, Sink, WarcHead,
};
use crate::captures::Captures;
use crate::content::is_media_type;
use crate::document::DocumentKind;
use crate::error::Damage;

use super::Harvest;
use crate::limits::TABLE_MIME_BYTES_MAX;

/// Of one file. More may be picked as long as some are waiting.
#[derive(Default)]
pub struct DocumentsAgain {
    picked: Picked,
    gathering: Gathering,
    /// Rows below this one were picked or passed over.
    next: u64,
}

/// Hears the records that were picked.
#[derive(Default)]
struct Gathering {
    harvest: Harvest,
    awaited: Awaited,
}

/// Whether a row may be that of a document, by what its table knows: with a status of success or a redirect, and of no
/// other type.
pub fn may_be_document(captures: &Captures, row: usize) -> bool {
    use RecordType::{Conversion, Resource, Response};
    let known = captures.traits_of(row);
    if !matches!(known.kind, Response | Resource | Conversion) {
        return false;
    }
    let part = captures.parts().get(captures.part_of(row));
    if part.is_none_or(|one| one.part.format.is_index()) {
        return false;
    }
    let mime = captures.mime_of(row);
    let is_vague = mime.len() >= TABLE_MIME_BYTES_MAX || !is_media_type(mime);
    match known.status {
        Some(300..=399) => true,
        None | Some(200..=299) => is_vague || DocumentKind::of_media(mime).is_some(),
        Some(_) => false,
    }
}

impl DocumentsAgain {
    pub fn pick(&mut self, pick: Pick) {
        self.pass_over(pick.row);
        self.gathering.awaited.add(&pick);
        self.picked.pick(pick);
    }

    /// There is no document in this row.
    pub fn pass_over(&mut self, row: usize) {
        self.next = row as u64 + 1;
    }

    /// How many are picked that are not being read.
    pub fn waiting(&self) -> usize {
        self.picked.waiting()
    }

    pub fn harvest(&mut self) -> &mut Harvest {
        &mut self.gathering.harvest
    }

    pub fn is_full(&self) -> bool {
        self.gathering.harvest.is_full()
    }

    /// All documents there are of rows before this one, as far as they were picked, were taken.
    pub fn taken_up_to(&self) -> u64 {
        let first = self.gathering.awaited.first();
        let awaited = first.map_or(self.next, |row| row as u64);
        self.gathering.harvest.taken_up_to(awaited)
    }
}

impl Feed for DocumentsAgain {
    fn wanted(&self) -> u64 {
        self.picked.wanted()
    }

    fn feed(&mut self, bytes: &[u8]) -> usize {
        self.picked.feed(bytes, &mut self.gathering)
    }

    fn finish(&mut self, end: u64) -> bool {
        let is_done = self.picked.finish(end, &mut self.gathering);
        if is_done {
            // What is not there any more has no document.
            self.gathering.awaited.end();
        }
        is_done
    }
}

impl Sink for Gathering {
    fn part(&mut self, part: &Part) {
        self.awaited.part(part);
    }

    fn begin(&mut self, head: &WarcHead) {
        self.harvest.begin(head);
    }

    fn http(&mut self, head: &HttpHead) {
        self.harvest.http(head);
    }

    fn body(&mut self, bytes: &[u8]) {
        self.harvest.body(bytes);
    }

    fn end(&mut self, record: &Record) {
        // Rows before it were not found where they should be.
        match self.awaited.rows_up_to(record).pop() {
            Some(row) => self.harvest.end(record, row),
            None => self.harvest.abandon(),
        }
    }

    fn abandon(&mut self) {
        self.harvest.abandon();
    }

    fn damage(&mut self, _damage: Damage) {}

    fn wants_body(&self) -> bool {
        self.harvest.wants_body()
    }

    fn is_full(&self) -> bool {
        self.harvest.is_full()
    }
}
