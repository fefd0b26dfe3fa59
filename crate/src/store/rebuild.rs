//! Makes the index anew: from the extents alone, and from what is whole of the old index's pages.
//!
//! The records of extents tell every key whose value is in one, in the order of changes, removals among them; of a
//! store that keeps all values there that is everything. Short values that stand in pages come from those pages of
//! the old index that are whole. Nothing of the old index is written over before the new one is committed, so a
//! rebuild that was cut off begins again.

use super::extent::{HEADER_BYTES, Kind, Reference, Seal, Span};
use super::extents::Tail;
use super::hash::{Hashed, LinearHash};
use super::leaf::{self, Value};
use super::log::{Logged, Replay};
use super::page::PageNo;
use super::pager::{Opening, Pager};
use super::records::{INLINE_BYTES_MAX, Shape, Stop, Store};
use super::scanner::{Scanned, Scanner, tells_of_key};
use super::superblock::SUPERBLOCKS;
use super::tables::Logical;
use super::verify::{DAMAGED_PAGE, DAMAGED_RECORD, Finding};

const DAMAGED_HEADER: &str = "store/damaged-header";
const DAMAGED_TABLE: &str = "store/damaged-table";

/// The index that there was, where it can be read.
struct Old {
    pager: Pager,
    index: LinearHash,
    tail: Tail,
    log: Replay,
}

enum Stage {
    /// Page tables of the old index are read.
    Opening(Box<Opening>),
    /// Headers of extents, until one tells the salt.
    Headers(usize),
    /// Where the last commit is: from the last extent to the first.
    Ends(usize, Scanner),
    Replay(usize, Scanner),
    /// Pages of the old index: bucket, page of it, entry in that.
    Salvage(u32, usize, usize),
    /// What the old index's log changed, after all that was before it.
    Log,
    Done,
}

pub struct Rebuild {
    superblocks: [Vec<u8>; SUPERBLOCKS.len()],
    files: Vec<u32>,
    file_pages: u32,
    cache_pages: usize,
    shape: Shape,
    stage: Stage,
    old: Option<Old>,
    store: Option<Store>,
    /// Where the last commit ends, and its generation.
    end: Option<(u32, u32)>,
    last_generation: u64,
    findings: Vec<Finding>,
}

impl Rebuild {
    /// With the first pages of the file, the pages that it has, and the extents that there are, in their order.
    /// Where neither index nor extents tell the salt, that of `shape` is taken.
    pub fn new(
        superblocks: [&[u8]; SUPERBLOCKS.len()],
        file_pages: u32,
        files: Vec<u32>,
        cache_pages: usize,
        shape: Shape,
    ) -> Rebuild {
        Rebuild {
            superblocks: superblocks.map(<[u8]>::to_vec),
            files,
            file_pages,
            cache_pages,
            shape,
            stage: Stage::Opening(Box::new(Opening::new(superblocks))),
            old: None,
            store: None,
            end: None,
            last_generation: 0,
            findings: Vec::new(),
        }
    }

    /// What was damaged.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The new store, for what must be written while it is made.
    pub fn store(&mut self) -> Option<&mut Store> {
        self.store.as_mut()
    }

    /// The new store, to be committed.
    pub fn finish(self) -> Option<Store> {
        self.store
    }

    pub fn provide(&mut self, page_no: PageNo, bytes: &[u8]) {
        if let Stage::Opening(opening) = &mut self.stage {
            if !opening.provide(bytes) && opening.go_without_log() {
                let message = format!("page {}, of the log, is damaged", page_no.0);
                self.findings.push(Finding::new(DAMAGED_PAGE, message));
            } else if opening.wanted().first() == Some(&page_no) {
                let message = format!("page {}, a page table, is damaged", page_no.0);
                self.findings.push(Finding::new(DAMAGED_TABLE, message));
                self.stage = Stage::Headers(0);
            }
            return;
        }
        // A page is the old index's or the new one's, by where it stands.
        match (&mut self.old, &mut self.store) {
            (Some(old), _) if page_no.0 < self.file_pages => {
                old.pager.provide(page_no, bytes);
            }
            (_, Some(store)) => {
                store.provide(page_no, bytes);
            }
            _ => {}
        }
    }

    pub fn provide_span(&mut self, span: Span, bytes: &[u8]) {
        if let Some(store) = &mut self.store {
            store.provide_span(span, bytes);
        } else if let Stage::Headers(_) = self.stage
            && let Some(seal) = Seal::of_header(span.file, bytes)
        {
            self.shape.salt = seal.salt();
            self.begin();
        } else {
            let message = format!("the header of extent {} is damaged", span.file);
            self.findings.push(Finding::new(DAMAGED_HEADER, message));
            if let Stage::Headers(at) = &mut self.stage {
                *at += 1;
            }
        }
    }

    /// Goes on; true when the new store is there to be committed.
    pub fn step(&mut self) -> Result<bool, Stop> {
        match &self.stage {
            Stage::Opening(opening) => match opening.wanted().first() {
                Some(page_no) => return Err(Stop::Missing(vec![*page_no], Vec::new())),
                None => self.take_old(),
            },
            Stage::Headers(at) => match self.files.get(*at) {
                Some(&file) => {
                    let span = Span {
                        file,
                        offset: 0,
                        length: HEADER_BYTES,
                    };
                    return Err(Stop::Missing(Vec::new(), vec![span]));
                }
                None => self.begin(),
            },
            Stage::Ends(at, scanner) => self.find_end(*at, *scanner)?,
            Stage::Replay(at, scanner) => self.replay(*at, *scanner)?,
            Stage::Salvage(bucket, page, slot) => self.salvage(*bucket, *page, *slot)?,
            Stage::Log => self.make_again()?,
            Stage::Done => return Ok(true),
        }
        Ok(false)
    }

    fn take_old(&mut self) {
        let stage = std::mem::replace(&mut self.stage, Stage::Headers(0));
        let Stage::Opening(opening) = stage else {
            return;
        };
        let (pager, log) = opening.finish(self.cache_pages);
        if let Some(index) = LinearHash::of_commit(&pager) {
            let tail = Tail::from_root(pager.root());
            self.shape.salt = index.salt();
            self.shape.inline_bytes_max = Some(tail.inline_bytes_max);
            let log = Replay::new(log);
            self.old = Some(Old {
                pager,
                index,
                tail,
                log,
            });
            self.begin();
        }
    }

    /// The salt is known: the new index begins.
    fn begin(&mut self) {
        let superblocks: [&[u8]; SUPERBLOCKS.len()] =
            std::array::from_fn(|n| &*self.superblocks[n]);
        let opening = Opening::new(superblocks);
        let generation = opening.generation();
        let mut pager = opening.start_anew(self.file_pages, self.cache_pages);
        if let Some(old) = &self.old {
            (self.shape.records, self.shape.bytes) = (old.index.len(), old.index.used());
        }
        let Shape {
            salt,
            records,
            bytes,
            ..
        } = self.shape;
        let index = LinearHash::open(&mut pager, salt, records, bytes);
        let after = self.files.last().map_or(0, |last| last + 1);
        let inline = self.shape.inline_bytes_max;
        let tail = Tail {
            file: after,
            inline_bytes_max: inline.unwrap_or(INLINE_BYTES_MAX),
            ..Tail::default()
        };
        self.store = Some(Store::of(pager, index, tail));
        // Where the old index is known, it says where its commit ends.
        if let Some(old) = &self.old
            && generation > 0
        {
            self.end = Some((old.tail.file, old.tail.offset));
            self.stage = self.replay_from(0);
        } else {
            self.stage = self.end_in(self.files.len());
        }
    }

    fn end_in(&self, before: usize) -> Stage {
        match before.checked_sub(1).and_then(|at| self.files.get(at)) {
            Some(file) => Stage::Ends(before - 1, Scanner::new(*file)),
            None => self.replay_from(0),
        }
    }

    fn replay_from(&self, at: usize) -> Stage {
        match self.files.get(at) {
            Some(file) => Stage::Replay(at, Scanner::new(*file)),
            None => Stage::Salvage(0, 0, 0),
        }
    }

    fn find_end(&mut self, at: usize, mut scanner: Scanner) -> Result<(), Stop> {
        let Some(store) = &self.store else {
            return Ok(());
        };
        match scanner.next(&store.extents)? {
            Scanned::Record(span) => {
                let record = scanner.record(&store.extents, span);
                if let Some(record) = record
                    && record.kind == Kind::Commit
                    && record.generation > self.last_generation
                {
                    self.end = Some((span.file, span.offset + span.length));
                    self.last_generation = record.generation;
                }
                self.stage = Stage::Ends(at, scanner);
            }
            Scanned::Damage(_) => self.stage = Stage::Ends(at, scanner),
            Scanned::End if self.end.is_some() => {
                self.last_generation = 0;
                self.stage = self.replay_from(0);
            }
            Scanned::End => self.stage = self.end_in(at),
        }
        Ok(())
    }

    fn replay(&mut self, at: usize, mut scanner: Scanner) -> Result<(), Stop> {
        let Some(store) = &mut self.store else {
            return Ok(());
        };
        let is_before_end = |span: Span| self.end.is_some_and(|end| (span.file, span.offset) < end);
        match scanner.next(&store.extents)? {
            Scanned::Record(span) if is_before_end(span) => {
                if let Some(record) = scanner.record(&store.extents, span) {
                    let is_stale = record.generation <= self.last_generation;
                    if record.kind == Kind::Commit {
                        self.last_generation = self.last_generation.max(record.generation);
                    } else if tells_of_key(record.kind) && !is_stale {
                        let key = match record.kind {
                            Kind::Parts => None,
                            _ => Some(record.body.get(..record.key_bytes).unwrap_or_default()),
                        };
                        let (kind, key_bytes) = (record.kind, record.key_bytes as u64);
                        let content = match kind {
                            Kind::Parts => record
                                .body
                                .first_chunk()
                                .map_or(0, |bytes| u64::from_le_bytes(*bytes)),
                            _ => record.body.len() as u64,
                        };
                        let reference = Reference {
                            span,
                            is_parts: kind == Kind::Parts,
                            value_bytes: content.saturating_sub(key_bytes),
                        };
                        let key = key.map(<[u8]>::to_vec);
                        let key = match key {
                            Some(key) => Ok(key),
                            None => store.key_of(&reference),
                        };
                        match key {
                            Ok(key) if kind == Kind::Remove => {
                                store.forget(&store.index.hashed(&key))?;
                            }
                            Ok(key) => store.refer(&store.index.hashed(&key), reference)?,
                            Err(Stop::Damaged(part)) => self.findings.push(damaged(part)),
                            Err(stop) => return Err(stop),
                        }
                    }
                }
                self.stage = Stage::Replay(at, scanner);
            }
            Scanned::Damage(span) if is_before_end(span) => {
                self.findings.push(damaged(span));
                self.stage = Stage::Replay(at, scanner);
            }
            _ => self.stage = self.replay_from(at + 1),
        }
        Ok(())
    }

    /// Takes one short value over from the old index.
    fn salvage(&mut self, bucket: u32, page: usize, slot: usize) -> Result<(), Stop> {
        let (Some(old), Some(store)) = (&mut self.old, &mut self.store) else {
            self.stage = Stage::Done;
            return Ok(());
        };
        if bucket >= old.index.buckets() {
            self.stage = Stage::Log;
            return Ok(());
        }
        let mut reading = old.pager.reading();
        let first = Logical::Bucket(bucket);
        let mut pages = vec![first];
        if reading.damage(first).is_none() {
            pages.extend(leaf::links(reading.read(first)?).map(Logical::Overflow));
        }
        let Some(&there) = pages.get(page) else {
            self.stage = Stage::Salvage(bucket + 1, 0, 0);
            return Ok(());
        };
        if let Some(PageNo(place)) = reading.damage(there) {
            let message = format!("page {place} of bucket {bucket} is damaged");
            self.findings.push(Finding::new(DAMAGED_PAGE, message));
            self.stage = Stage::Salvage(bucket, page + 1, 0);
            return Ok(());
        }
        let content = reading.read(there)?;
        let Some(entry) = leaf::entry(content, slot) else {
            self.stage = Stage::Salvage(bucket, page + 1, 0);
            return Ok(());
        };
        let is_here = old.index.bucket(entry.key.hash.address) == bucket;
        if is_here && !entry.value.is_reference && !entry.key.is_digest {
            let hashed = store.index.hashed(entry.key.bytes);
            // A value that came later, into an extent, was put by a log.
            let newer = store.reference(entry.key.bytes)?;
            if newer.is_none() {
                store.put_short(&hashed, entry.value)?;
            }
        }
        self.stage = Stage::Salvage(bucket, page, slot + 1);
        Ok(())
    }

    /// Makes one change of the log again.
    fn make_again(&mut self) -> Result<(), Stop> {
        let (Some(old), Some(store)) = (&mut self.old, &mut self.store) else {
            self.stage = Stage::Done;
            return Ok(());
        };
        let Some((Logged { key, value }, next)) = old.log.next() else {
            self.stage = Stage::Done;
            return Ok(());
        };
        match value {
            None => store.forget(&key)?,
            Some(value) => match Reference::of(&value) {
                Some(reference) => store.refer(&key, reference)?,
                None => store.put_short(&key, value)?,
            },
        }
        old.log.go_on(next);
        Ok(())
    }
}

fn damaged(
    Span {
        file,
        offset,
        length,
    }: Span,
) -> Finding {
    let message = format!("extent {file}: {length} bytes at {offset} are damaged");
    Finding::new(DAMAGED_RECORD, message)
}

impl Store {
    /// Removes a key from the index alone.
    fn forget(&mut self, key: &Hashed<'_>) -> Result<(), Stop> {
        if let Some(Some(old)) = self.change(|index, pager| index.remove(pager, key))? {
            self.leave(&old);
        }
        Ok(())
    }

    /// Sets a short value in the index alone.
    fn put_short(&mut self, key: &Hashed<'_>, value: Value<'_>) -> Result<(), Stop> {
        if let Some(Some(old)) = self.change(|index, pager| index.put(pager, key, value))? {
            self.leave(&old);
        }
        Ok(())
    }
}
