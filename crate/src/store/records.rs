//! The store: entries of any key and value over the index and the extents, with commits and snapshots.
//!
//! Short values stand in the index's pages with their keys. The others, and all values of keys that are too long for
//! a page, stand in extents; what is longer than `PART_BYTES` with its key is put by a writer, part by part.
//! R1  An operation that stops has changed nothing and is called again, once what it names was done.
//! R2  A key whose value stood in an extent and does not any more has a `Remove` behind it there.
//! R3  What is read of an extent is verified whole, and is the key's that was asked for.

use super::cache::Missing;
use super::extent::{Append, HEAD_BYTES, Kind, PART_BYTES, Parts, Record, Reference, Span};
use super::extents::{Extents, Tail};
use super::hash::{
    Change, Cursor, Hashed, KEY_BYTES_MAX, LinearHash, PAGES_A_READ, VALUE_BYTES_MAX,
};
use super::leaf::{Hash, Value};
use super::log::{Log, Replay};
use super::page::PageNo;
use super::pager::{Opening, PageBatch, Pager, Pinned, Reading};
use super::tables::Logical;
use crate::limits::{STORE_KEY_BYTES_MAX, STORE_VALUE_BYTES_MAX};
use crate::numbered::Numbered;

/// Values of this length and below stand in pages, unless a store is made with another limit.
pub(super) const INLINE_BYTES_MAX: u32 = 240;
/// A read gives as much as this at once.
pub const READ_BYTES_MAX: u64 = 1 << 20;

/// Why an operation could not be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Pages and parts of extents must be provided first.
    Missing(Vec<PageNo>, Vec<Span>),
    /// What was changed so far must be written first.
    MustSpill,
    /// What is longer must be put by a writer, and what is longer than a store takes not at all.
    TooLarge,
    /// The store has as many pages as it can have.
    Full,
    /// What stands there is not what was written.
    Damaged(Span),
}

impl From<Missing> for Stop {
    fn from(Missing(pages): Missing) -> Stop {
        Stop::Missing(pages, Vec::new())
    }
}

/// What a store is made with, where there is none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shape {
    /// Not to be known to whoever chooses the keys.
    pub salt: [u8; 16],
    /// Entries that are expected, and their bytes in all.
    pub records: u64,
    pub bytes: u64,
    /// Longer values stand in extents. With 0 all do, so that the extents alone tell all there is.
    pub inline_bytes_max: Option<u32>,
}

/// An entry that a scan tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub key: Vec<u8>,
    /// The value, where it is short.
    pub value: Option<Vec<u8>>,
    pub value_bytes: u64,
}

/// Bytes of a value, and how long the whole of it is.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    pub bytes: &'a [u8],
    pub total: u64,
}

/// A value that is put part by part.
struct PartWriter {
    key: Vec<u8>,
    /// Key and value: what is not in parts yet.
    buffer: Vec<u8>,
    places: Vec<(u32, u32)>,
    bytes: u64,
}

pub struct Store {
    pub(super) pager: Pager,
    pub(super) index: LinearHash,
    pub(super) extents: Extents,
    snapshots: Numbered<(Pinned, LinearHash)>,
    writers: Numbered<PartWriter>,
    next_id: u32,
    /// Extents that nothing refers to since a commit.
    dead: Vec<(u64, u32)>,
    /// Nothing as long as there is no commit that it could go on from.
    log: Option<Log>,
    replay: Replay,
}

impl Store {
    /// Goes on from the last commit, or begins.
    pub fn open(opening: Opening, cache_pages: usize, shape: Shape) -> Store {
        let (mut pager, log) = opening.finish(cache_pages.max(super::hash::CACHE_PAGES_MIN));
        let is_new = pager.generation() == 0;
        let index = LinearHash::open(&mut pager, shape.salt, shape.records, shape.bytes);
        let tail = if is_new {
            let inline = shape.inline_bytes_max.unwrap_or(INLINE_BYTES_MAX);
            Tail {
                inline_bytes_max: inline.min(VALUE_BYTES_MAX),
                ..Tail::default()
            }
        } else {
            Tail::from_root(pager.root())
        };
        Store {
            log: (!is_new).then(Log::default),
            replay: Replay::new(log),
            ..Store::of(pager, index, tail)
        }
    }

    /// Makes the changes again that the log tells. Nothing else is done with a store before that is.
    pub fn replay(&mut self) -> Result<(), Stop> {
        let replay = std::mem::take(&mut self.replay);
        let (replay, made) = self.make_again(replay);
        self.replay = replay;
        made
    }

    /// Names the pages of changes to come with those that are missing: each question to a storage may take long.
    fn with_coming(&mut self, stop: Stop, replay: &Replay) -> Stop {
        let Stop::Missing(mut pages, spans) = stop else {
            return stop;
        };
        let most = self.pager.capacity() / 16 + 1;
        for change in replay.coming() {
            if pages.len() >= most {
                break;
            }
            let bucket = Logical::Bucket(self.index.bucket(change.key.hash().address));
            if let Err(Missing(more)) = self.pager.reading().absent(std::iter::once(bucket)) {
                pages.extend(
                    more.into_iter()
                        .filter(|page| !pages.contains(page))
                        .collect::<Vec<_>>(),
                );
            }
        }
        Stop::Missing(pages, spans)
    }

    fn make_again(&mut self, mut replay: Replay) -> (Replay, Result<(), Stop>) {
        while let Some((logged, next)) = replay.next() {
            let made = self.change(|index, pager| match logged.value {
                Some(value) => index.put(pager, &logged.key, value),
                None => index.remove(pager, &logged.key),
            });
            if let Err(stop) = made {
                let stop = self.with_coming(stop, &replay);
                return (replay, Err(stop));
            }
            replay.go_on(next);
        }
        (Replay::default(), Ok(()))
    }

    pub(super) fn of(pager: Pager, index: LinearHash, tail: Tail) -> Store {
        Store {
            extents: Extents::new(index.salt(), tail),
            pager,
            index,
            snapshots: Numbered::default(),
            writers: Numbered::default(),
            next_id: 0,
            dead: Vec::new(),
            log: None,
            replay: Replay::default(),
        }
    }

    /// Entries that it holds.
    pub fn len(&self) -> u64 {
        self.index.len()
    }

    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// The last commit; 0 before the first.
    pub fn generation(&self) -> u64 {
        self.pager.generation()
    }

    /// The bucket of a key: entries that are put in this order touch each page once.
    pub fn bucket_of(&self, key: &[u8]) -> u32 {
        self.index.bucket_of(key)
    }

    /// The bucket of a key by now, and its hash, for `put_hashed`.
    pub fn hash_of(&self, key: &[u8]) -> (u32, Hash) {
        let hash = self.index.hash(key);
        (self.index.bucket(hash.address), hash)
    }

    pub fn pager(&self) -> &Pager {
        &self.pager
    }

    /// The extent that is appended to, and bytes of extents that entries refer to.
    pub fn tail(&self) -> Tail {
        self.extents.tail
    }

    /// Takes in a page that was asked for. Returns false where it is not what was written there.
    pub fn provide(&mut self, page_no: PageNo, bytes: &[u8]) -> bool {
        self.pager.provide(page_no, bytes)
    }

    /// Takes in a part of an extent that was asked for.
    pub fn provide_span(&mut self, span: Span, bytes: &[u8]) {
        self.take_span(span, bytes.to_vec());
    }

    /// The same without a copy. Gives bytes that are of no more use.
    pub fn take_span(&mut self, span: Span, bytes: Vec<u8>) -> Vec<u8> {
        self.extents.take(span, bytes)
    }

    // Reading: of a snapshot, or of what there is by now.

    pub fn contains(&mut self, view: Option<u32>, key: &[u8]) -> Result<bool, Stop> {
        self.make_room()?;
        let (mut reading, index) = self.view(view);
        Ok(index.get(&mut reading, &index.hashed(key))?.is_some())
    }

    /// What a value has from `from` on, `READ_BYTES_MAX` at most, nothing if there is none. What does not stand
    /// anywhere in one piece is put together in `out`.
    // In WebAssembly one that was called often by one way is quick by all of them at once.
    #[inline(never)]
    pub fn read<'a>(
        &'a mut self,
        view: Option<u32>,
        key: &[u8],
        from: u64,
        length: u64,
        out: &'a mut Vec<u8>,
    ) -> Result<Option<Piece<'a>>, Stop> {
        self.make_room()?;
        let (mut reading, index) = self.view(view);
        let found = index.get(&mut reading, &index.hashed(key))?;
        let Some(value) = found.and_then(|found| found.value(&self.pager)) else {
            return Ok(None);
        };
        let Some(reference) = Reference::of(&value) else {
            let bytes = part_of(value.bytes, from, length);
            let total = value.bytes.len() as u64;
            return Ok(Some(Piece { bytes, total }));
        };
        let length = length.min(READ_BYTES_MAX);
        let bytes = self.read_content(&reference, key, from, length, out)?;
        let total = reference.value_bytes;
        Ok(Some(Piece { bytes, total }))
    }

    /// Verifies that a record is of `key` and gives a part of its value.
    fn read_content<'a>(
        &'a self,
        reference: &Reference,
        key: &[u8],
        from: u64,
        length: u64,
        out: &'a mut Vec<u8>,
    ) -> Result<&'a [u8], Stop> {
        let span = reference.span;
        let record = self.record(span)?;
        let damaged = Err(Stop::Damaged(span));
        let length = length.min(reference.value_bytes.saturating_sub(from));
        if record.key_bytes != key.len() {
            return damaged;
        }
        if !reference.is_parts {
            let is_whole = record.kind == Kind::Put
                && record.body.len() as u64 == key.len() as u64 + reference.value_bytes;
            if !is_whole || !record.body.starts_with(key) {
                return damaged;
            }
            return Ok(part_of(&record.body[key.len()..], from, length));
        }
        let parts = (record.kind == Kind::Parts).then(|| Parts::decode(record.body));
        let Some(Some(parts)) = parts else {
            return damaged;
        };
        if parts.bytes != key.len() as u64 + reference.value_bytes {
            return damaged;
        }
        let before = self.content(&parts, 0, key.len().min(PART_BYTES) as u64)?;
        if !key.starts_with(&before) {
            return damaged;
        }
        out.clear();
        if length > 0 {
            out.extend(self.content(&parts, key.len() as u64 + from, length)?);
        }
        Ok(out)
    }

    /// Bytes of what is in parts, key and value together.
    fn content(&self, parts: &Parts, from: u64, length: u64) -> Result<Vec<u8>, Stop> {
        if length == 0 {
            return Ok(Vec::new());
        }
        let part = |at: u64| usize::try_from(at / PART_BYTES as u64).unwrap_or(usize::MAX);
        let spans: Vec<Span> = (part(from)..=part(from + length - 1))
            .filter_map(|n| parts.span(n))
            .collect();
        let missing: Vec<Span> = spans
            .iter()
            .copied()
            .filter(|span| self.extents.read(*span).is_none())
            .collect();
        if !missing.is_empty() {
            return Err(Stop::Missing(Vec::new(), missing));
        }
        let mut bytes = Vec::new();
        let mut at = from / PART_BYTES as u64 * PART_BYTES as u64;
        for span in spans {
            let record = self.record(span)?;
            if record.kind != Kind::Part {
                return Err(Stop::Damaged(span));
            }
            let end = from + length;
            let wanted = end.saturating_sub(at.max(from));
            bytes.extend_from_slice(part_of(record.body, from.saturating_sub(at), wanted));
            at += PART_BYTES as u64;
        }
        Ok(bytes)
    }

    pub(super) fn record(&self, span: Span) -> Result<Record<'_>, Stop> {
        match self.extents.record(span) {
            None => Err(Stop::Missing(Vec::new(), vec![span])),
            Some(None) => Err(Stop::Damaged(span)),
            Some(Some(record)) => Ok(record),
        }
    }

    /// The key that stands with a value in an extent.
    pub(super) fn key_of(&self, reference: &Reference) -> Result<Vec<u8>, Stop> {
        let record = self.record(reference.span)?;
        if !reference.is_parts {
            return Ok(part_of(record.body, 0, record.key_bytes as u64).to_vec());
        }
        let parts = Parts::decode(record.body).ok_or(Stop::Damaged(reference.span))?;
        self.content(&parts, 0, record.key_bytes as u64)
    }

    /// The next entries, `limit` or somewhat more; none at the end.
    pub fn scan(
        &mut self,
        view: Option<u32>,
        cursor: &mut Cursor,
        limit: usize,
    ) -> Result<Vec<Row>, Stop> {
        self.make_room()?;
        let (mut reading, index) = self.view(view);
        let mut next = *cursor;
        let found = index.scan(&mut reading, &mut next, limit)?;
        let mut missing = Vec::new();
        let mut rows = Vec::with_capacity(found.len());
        for entry in found {
            let value = Value {
                bytes: &entry.value,
                is_reference: entry.is_reference,
            };
            let reference = Reference::of(&value);
            let key = match (&reference, entry.is_digest) {
                (Some(reference), true) => match self.key_of(reference) {
                    Ok(key) => key,
                    Err(Stop::Missing(_, spans)) => {
                        missing.extend(spans);
                        continue;
                    }
                    Err(stop) => return Err(stop),
                },
                _ => entry.key,
            };
            rows.push(Row {
                key,
                value_bytes: reference.map_or(entry.value.len() as u64, |there| there.value_bytes),
                value: (!entry.is_reference).then_some(entry.value),
            });
        }
        if !missing.is_empty() {
            return Err(Stop::Missing(Vec::new(), missing));
        }
        *cursor = next;
        Ok(rows)
    }

    /// What is read takes the places of pages that are not dirty: there must be enough of these.
    pub(super) fn make_room(&self) -> Result<(), Stop> {
        if self.pager.has_room(PAGES_A_READ) {
            return Ok(());
        }
        Err(Stop::MustSpill)
    }

    fn view(&mut self, view: Option<u32>) -> (Reading<'_>, &LinearHash) {
        match view.and_then(|id| self.snapshots.get(id)) {
            Some((pinned, index)) => (self.pager.reading_of(pinned), index),
            None => (self.pager.reading(), &self.index),
        }
    }

    /// A reader that sees the last commit, whatever is changed. Nothing where that has a log: settle first.
    pub fn snapshot(&mut self) -> Option<u32> {
        if !self.is_settled() {
            return None;
        }
        self.next_id += 1;
        let pinned = self.pager.pin();
        let index = LinearHash::of_commit(&self.pager).unwrap_or_else(|| self.index.clone());
        self.snapshots.insert(self.next_id, (pinned, index));
        Some(self.next_id)
    }

    pub fn release(&mut self, snapshot: u32) {
        if let Some((pinned, _)) = self.snapshots.remove(snapshot) {
            self.pager.unpin(&pinned);
        }
    }

    // Changing.

    pub fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), Stop> {
        self.put_hashed(self.index.hash(key), key, value)
    }

    /// Puts a key with what `hash_of` gave for it.
    pub fn put_hashed(&mut self, hash: Hash, key: &[u8], value: &[u8]) -> Result<(), Stop> {
        if key.len() > STORE_KEY_BYTES_MAX {
            return Err(Stop::TooLarge);
        }
        let inline_bytes_max = self.extents.tail.inline_bytes_max as usize;
        let is_short =
            inline_bytes_max > 0 && value.len() <= inline_bytes_max && key.len() <= KEY_BYTES_MAX;
        if is_short {
            let hashed = self.index.hashed_as(hash, key);
            let value = Value {
                bytes: value,
                is_reference: false,
            };
            if let Some(old) = self.set(&hashed, value)? {
                self.leave(&old);
                self.append_removal(key);
            }
            return Ok(());
        }
        let body_bytes = key.len() + value.len();
        if body_bytes > PART_BYTES {
            return Err(Stop::TooLarge);
        }
        let reference = Reference {
            span: self.extents.place(body_bytes),
            is_parts: false,
            value_bytes: value.len() as u64,
        };
        self.refer(&self.index.hashed_as(hash, key), reference)?;
        let generation = self.pager.generation() + 1;
        let extents = &mut self.extents;
        extents.append(Kind::Put, generation, key.len(), key, value);
        Ok(())
    }

    /// Sets where the value of a key is; the record itself is appended next.
    pub(super) fn refer(&mut self, key: &Hashed<'_>, reference: Reference) -> Result<(), Stop> {
        let bytes = reference.encode();
        let value = Value {
            bytes: &bytes,
            is_reference: true,
        };
        if let Some(old) = self.set(key, value)? {
            self.leave(&old);
        }
        self.extents.tail.live += reference.weight();
        Ok(())
    }

    /// False where there was nothing to remove.
    pub fn remove(&mut self, key: &[u8]) -> Result<bool, Stop> {
        let hashed = self.index.hashed(key);
        let Some(old) = self.change(|index, pager| index.remove(pager, &hashed))? else {
            return Ok(false);
        };
        if let Some(log) = &mut self.log {
            log.note(&hashed, None);
        }
        if let Some(old) = old {
            self.leave(&old);
            self.append_removal(key);
        }
        Ok(true)
    }

    /// Sets what stands for a key. Gives what it referred to before.
    fn set(&mut self, key: &Hashed<'_>, value: Value<'_>) -> Result<Option<Reference>, Stop> {
        let old = self.change(|index, pager| index.put(pager, key, value))?;
        if let Some(log) = &mut self.log {
            log.note(key, Some(value));
        }
        Ok(old.flatten())
    }

    /// What the key referred to before; nothing where there was nothing to change.
    pub(super) fn change(
        &mut self,
        change: impl FnOnce(&mut LinearHash, &mut Pager) -> Result<Change, Missing>,
    ) -> Result<Option<Option<Reference>>, Stop> {
        if self.extents.must_spill() {
            return Err(Stop::MustSpill);
        }
        match change(&mut self.index, &mut self.pager)? {
            Change::Done(old) => Ok(Some(old)),
            Change::NotThere => Ok(None),
            Change::MustSpill => Err(Stop::MustSpill),
            Change::TooLarge => Err(Stop::TooLarge),
            Change::Full => Err(Stop::Full),
        }
    }

    pub(super) fn leave(&mut self, old: &Reference) {
        let live = &mut self.extents.tail.live;
        *live = live.saturating_sub(old.weight());
    }

    pub(super) fn append_removal(&mut self, key: &[u8]) {
        let generation = self.pager.generation() + 1;
        self.extents
            .append(Kind::Remove, generation, key.len(), key, &[]);
    }

    /// Begins a value that comes part by part. It is there once it is finished.
    pub fn begin(&mut self, key: &[u8]) -> u32 {
        self.next_id += 1;
        let writer = PartWriter {
            key: key.to_vec(),
            buffer: key.to_vec(),
            places: Vec::new(),
            bytes: key.len() as u64,
        };
        self.writers.insert(self.next_id, writer);
        self.next_id
    }

    /// Adds to a value, all of it or nothing.
    pub fn write(&mut self, writer: u32, bytes: &[u8]) -> Result<(), Stop> {
        if self.extents.must_spill() {
            return Err(Stop::MustSpill);
        }
        let generation = self.pager.generation() + 1;
        let Some(writer) = self.writers.get_mut(writer) else {
            return Ok(());
        };
        let is_too_large = writer.bytes + bytes.len() as u64 > STORE_VALUE_BYTES_MAX;
        if is_too_large || writer.key.len() > STORE_KEY_BYTES_MAX {
            return Err(Stop::TooLarge);
        }
        writer.bytes += bytes.len() as u64;
        writer.buffer.extend_from_slice(bytes);
        let mut taken = 0;
        while writer.buffer.len() - taken > PART_BYTES {
            let part = &writer.buffer[taken..taken + PART_BYTES];
            let span = self.extents.append(Kind::Part, generation, 0, part, &[]);
            writer.places.push((span.file, span.offset));
            taken += PART_BYTES;
        }
        writer.buffer.drain(..taken);
        Ok(())
    }

    /// Puts the value that was written.
    pub fn finish(&mut self, id: u32) -> Result<(), Stop> {
        self.write(id, &[])?;
        let Some(mut writer) = self.writers.remove(id) else {
            return Ok(());
        };
        let put = if writer.places.is_empty() && writer.buffer.len() <= PART_BYTES {
            self.put(&writer.key, &writer.buffer[writer.key.len()..])
        } else {
            self.put_parts(&mut writer)
        };
        if put.is_err() {
            self.writers.insert(id, writer);
        }
        put
    }

    fn put_parts(&mut self, writer: &mut PartWriter) -> Result<(), Stop> {
        let generation = self.pager.generation() + 1;
        if !writer.buffer.is_empty() {
            let span = self
                .extents
                .append(Kind::Part, generation, 0, &writer.buffer, &[]);
            writer.places.push((span.file, span.offset));
            writer.buffer.clear();
        }
        let body = Parts::encode(writer.bytes, &writer.places);
        let key_bytes = writer.key.len();
        let reference = Reference {
            span: self.extents.place(body.len()),
            is_parts: true,
            value_bytes: writer.bytes - key_bytes as u64,
        };
        self.refer(&self.index.hashed(&writer.key), reference)?;
        self.extents
            .append(Kind::Parts, generation, key_bytes, &body, &[]);
        Ok(())
    }

    /// Gives a value up that was begun.
    pub fn abort(&mut self, writer: u32) {
        self.writers.remove(writer);
    }

    // Writing out.

    /// What waits for the extents: to be written with the next batch, before its pages.
    pub fn appends(&self) -> &[Append] {
        self.extents.pending()
    }

    /// What must be written to make room.
    pub fn spill(&self) -> PageBatch {
        self.pager.spill()
    }

    /// Whether the last commit has no log.
    pub fn is_settled(&self) -> bool {
        self.pager.log_places().is_empty()
    }

    /// Everything since the last commit, by a log if that is less to write. Nothing may be changed until it is
    /// confirmed.
    pub fn commit(&mut self) -> PageBatch {
        let pages = self.log.as_ref().and_then(Log::len);
        let (Some(log), Some(pages)) = (&mut self.log, pages) else {
            return self.settle();
        };
        if !self.pager.may_log(pages) {
            return self.settle();
        }
        let log = log.take();
        self.extents.close(self.pager.generation() + 1);
        let mut root = *self.pager.committed_root();
        self.extents.tail.keep(&mut root);
        self.pager.commit_log(&log, root)
    }

    /// A commit without a log, whatever there is to write.
    pub fn settle(&mut self) -> PageBatch {
        self.log = Some(Log::default());
        self.extents.close(self.pager.generation() + 1);
        self.index.keep(&mut self.pager);
        let mut root = *self.pager.root();
        self.extents.tail.keep(&mut root);
        self.pager.set_root(root);
        self.pager.commit()
    }

    /// From the next commit on nothing refers to this extent.
    pub(super) fn give_up(&mut self, file: u32) {
        self.dead.push((self.pager.generation() + 1, file));
    }

    /// Extents to be removed: no commit refers to them, nor does any reader. They are told once.
    pub fn take_removable(&mut self) -> Vec<u32> {
        let oldest = self.pager.oldest_pin().unwrap_or(u64::MAX);
        let until = oldest.min(self.pager.generation());
        let (gone, left) = self.dead.iter().partition(|(since, _)| *since <= until);
        self.dead = left;
        let gone: Vec<(u64, u32)> = gone;
        gone.into_iter().map(|(_, file)| file).collect()
    }

    /// The batch and the appends were written, and flushed if there was a superblock.
    pub fn confirm(&mut self) {
        self.extents.written();
        self.pager.confirm();
    }
}

/// What there is of `bytes` in a range.
fn part_of(bytes: &[u8], from: u64, length: u64) -> &[u8] {
    let clamp = |at: u64| usize::try_from(at).map_or(bytes.len(), |at| at.min(bytes.len()));
    &bytes[clamp(from)..clamp(from.saturating_add(length))]
}

const _: () = assert!(PART_BYTES + (HEAD_BYTES as usize) < super::extents::PENDING_BYTES_MAX);
