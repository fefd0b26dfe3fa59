//! Everything that is wrong with a store: its structure, and the checksum of every page and record it refers to.
//!
//! What is found is told, never thrown: the host provides what is missing even where that is damaged.

use std::collections::{BTreeSet, HashSet};

use super::extent::{Kind, Parts, Reference, Span};
use super::leaf;
use super::page::PageNo;
use super::records::{Stop, Store};
use super::superblock::FIRST_PAGE;
use super::tables::Logical;

/// Something that is wrong. The code is stable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub code: &'static str,
    pub message: String,
}

impl Finding {
    pub fn new(code: &'static str, message: String) -> Finding {
        Finding { code, message }
    }
}

pub const DAMAGED_PAGE: &str = "store/damaged-page";
pub const DAMAGED_RECORD: &str = "store/damaged-record";
const WRONG_PLACE: &str = "store/wrong-place";
const WRONG_ENTRY: &str = "store/wrong-entry";
const WRONG_LINK: &str = "store/wrong-link";
const WRONG_COUNT: &str = "store/wrong-count";

/// How far a verification has come.
#[derive(Default)]
pub struct Verification {
    stage: Stage,
    /// References of the bucket that was looked at last, with their keys as they stand in the page.
    references: Vec<(Vec<u8>, bool, Reference)>,
    /// Parts of the last one of these that were looked at.
    parts: usize,
    entries: u64,
    behind: u64,
    links: u64,
    shared: u64,
    used: u64,
    live: u64,
    /// Something could not be read: what is counted cannot be right.
    is_partial: bool,
}

#[derive(Default)]
enum Stage {
    #[default]
    Places,
    Bucket(u32),
    Overflow(u32),
    Log(usize),
    Counts,
    Done,
}

impl Verification {
    /// How often a bucket goes on in an overflow page, of the buckets that were looked at.
    pub fn links(&self) -> u64 {
        self.links
    }
}

impl Store {
    /// Looks at the next part of the store and gives what is wrong with it; nothing when all was looked at.
    pub fn verify(&mut self, state: &mut Verification) -> Result<Option<Vec<Finding>>, Stop> {
        self.make_room()?;
        let mut findings = Vec::new();
        if !state.references.is_empty() {
            self.verify_reference(state, &mut findings)?;
            return Ok(Some(findings));
        }
        state.stage = match state.stage {
            Stage::Places => {
                self.verify_places(&mut findings);
                Stage::Bucket(0)
            }
            Stage::Bucket(bucket) if bucket < self.index.buckets() => {
                self.verify_bucket(state, bucket, &mut findings)?;
                Stage::Bucket(bucket + 1)
            }
            Stage::Bucket(_) => Stage::Overflow(0),
            Stage::Overflow(n) if n < self.pager.overflows() => {
                self.verify_overflow(state, n, &mut findings)?;
                Stage::Overflow(n + 1)
            }
            Stage::Overflow(_) => Stage::Log(0),
            Stage::Log(n) => match self.pager.log_places().get(n) {
                Some(&place) => {
                    if !self.pager.is_whole(place)? {
                        let message = format!("page {}, of the log, is damaged", place.0);
                        findings.push(Finding::new(DAMAGED_PAGE, message));
                    }
                    Stage::Log(n + 1)
                }
                None => Stage::Counts,
            },
            Stage::Counts => {
                self.verify_counts(state, &mut findings);
                Stage::Done
            }
            Stage::Done => return Ok(None),
        };
        Ok(Some(findings))
    }

    /// Each page of the file belongs to one thing.
    fn verify_places(&self, findings: &mut Vec<Finding>) {
        let mut say = |message| findings.push(Finding::new(WRONG_PLACE, message));
        let (there, wanted) = (self.pager.buckets(), self.index.buckets());
        if there != wanted {
            say(format!(
                "{there} buckets in the page table, {wanted} in the hash"
            ));
        }
        let end = self.pager.file_pages();
        let mut seen = BTreeSet::new();
        let pages = self.pager.places().map(|(_, place)| place);
        let all = pages
            .chain(self.pager.table_places())
            .chain(self.pager.log_places().iter().copied())
            .chain(self.pager.idle_places());
        for PageNo(place) in all {
            if !(FIRST_PAGE..end).contains(&place) {
                say(format!("page {place} is outside of the file"));
            } else if !seen.insert(place) {
                say(format!("page {place} is used twice"));
            }
        }
        let known = seen.len() as u64 + u64::from(FIRST_PAGE);
        if known != u64::from(end) {
            say(format!("{known} pages are known of {end}"));
        }
    }

    fn verify_bucket(
        &mut self,
        state: &mut Verification,
        bucket: u32,
        findings: &mut Vec<Finding>,
    ) -> Result<(), Stop> {
        let first = Logical::Bucket(bucket);
        let mut reading = self.pager.reading();
        let mut damaged = |place: PageNo| {
            let message = format!("bucket {bucket}: page {} is damaged", place.0);
            findings.push(Finding::new(DAMAGED_PAGE, message));
        };
        if let Some(place) = reading.damage(first) {
            damaged(place);
            state.is_partial = true;
            return Ok(());
        }
        let content = reading.read(first)?;
        let links: Vec<u32> = leaf::links(content).collect();
        let mut pages = vec![first];
        for &link in &links {
            let page = Logical::Overflow(link);
            match reading.damage(page) {
                Some(place) => {
                    damaged(place);
                    state.is_partial = true;
                }
                None => pages.push(page),
            }
        }
        reading.absent(pages.iter().copied())?;
        state.links += links.len() as u64;
        let mut keys = HashSet::new();
        let mut say = |code, what: &str| {
            findings.push(Finding::new(code, format!("bucket {bucket}: {what}")));
        };
        for &page in &pages {
            let content = reading.read(page)?;
            let is_first = page == first;
            if is_first && leaf::count(content) > 0 && leaf::bucket(content) != bucket {
                say(WRONG_PLACE, "its first page is another one's");
            }
            if !is_first && !leaf::is_shared(content) {
                say(WRONG_LINK, "it goes on in a first page");
                continue;
            }
            let mut here = 0;
            let mut behind = Vec::new();
            for entry in leaf::entries(content) {
                let key = entry.key;
                if self.index.bucket(key.hash.address) != bucket {
                    if is_first {
                        say(WRONG_ENTRY, "a key does not belong there");
                    }
                    continue;
                }
                here += 1;
                state.entries += 1;
                state.used += entry.cost() as u64;
                if !key.is_digest && self.index.hash(key.bytes) != key.hash {
                    say(WRONG_ENTRY, "a key has another one's hash");
                }
                if !keys.insert((key.is_digest, key.bytes.to_vec())) {
                    say(WRONG_ENTRY, "a key stands twice");
                }
                if !is_first {
                    state.behind += 1;
                    behind.push(key.hash);
                }
                match Reference::of(&entry.value) {
                    Some(reference) => {
                        state.live += reference.weight();
                        let key = (key.bytes.to_vec(), key.is_digest, reference);
                        state.references.push(key);
                    }
                    None if entry.value.is_reference || key.is_digest => {
                        say(WRONG_ENTRY, "it is not said where a value is");
                    }
                    None => {}
                }
            }
            if here != leaf::count(content) && is_first {
                say(WRONG_ENTRY, "an entry cannot be read");
            }
            if here == 0 && !is_first {
                say(WRONG_LINK, "it links to a page without entries of its own");
            }
            let content = reading.read(first)?;
            if behind
                .iter()
                .any(|hash| !leaf::may_be_behind(content, *hash))
            {
                say(WRONG_LINK, "an entry behind it would not be found");
            }
        }
        Ok(())
    }

    fn verify_reference(
        &mut self,
        state: &mut Verification,
        findings: &mut Vec<Finding>,
    ) -> Result<(), Stop> {
        let Some((key, is_digest, reference)) = state.references.last() else {
            return Ok(());
        };
        let wrong = match self.wrong_with(reference, key, *is_digest, &mut state.parts) {
            Ok(None) => None,
            // One part was looked at; the next call looks at the next.
            Ok(Some(())) => return Ok(()),
            Err(Stop::Damaged(span)) => Some(span),
            Err(stop) => return Err(stop),
        };
        if let Some(span) = wrong {
            let Span { file, offset, .. } = span;
            let message = format!("extent {file}: the record at {offset} is damaged");
            findings.push(Finding::new(DAMAGED_RECORD, message));
        }
        state.references.pop();
        state.parts = 0;
        Ok(())
    }

    /// Reads a record, or one more part of it; nothing when it was looked at wholly.
    fn wrong_with(
        &self,
        reference: &Reference,
        key: &[u8],
        is_digest: bool,
        seen: &mut usize,
    ) -> Result<Option<()>, Stop> {
        let span = reference.span;
        let record = self.record(span)?;
        let is_right = |whole: &[u8]| {
            let hashed = self.index.hashed(whole);
            hashed.stands_as() == key && is_digest == (whole != key)
        };
        if !reference.is_parts {
            let whole = record.body.get(..record.key_bytes);
            let length = record.key_bytes as u64 + reference.value_bytes;
            let is_sound = record.kind == Kind::Put && record.body.len() as u64 == length;
            return match whole {
                Some(whole) if is_sound && is_right(whole) => Ok(None),
                _ => Err(Stop::Damaged(span)),
            };
        }
        let parts = Parts::decode(record.body).ok_or(Stop::Damaged(span))?;
        let length = record.key_bytes as u64 + reference.value_bytes;
        if record.kind != Kind::Parts || parts.bytes != length {
            return Err(Stop::Damaged(span));
        }
        match parts.span(*seen) {
            Some(part) => {
                let is_part = self.record(part)?.kind == Kind::Part;
                *seen += 1;
                is_part.then_some(Some(())).ok_or(Stop::Damaged(part))
            }
            None if is_right(&self.key_of(reference)?) => Ok(None),
            None => Err(Stop::Damaged(span)),
        }
    }

    fn verify_overflow(
        &mut self,
        state: &mut Verification,
        n: u32,
        findings: &mut Vec<Finding>,
    ) -> Result<(), Stop> {
        let page = Logical::Overflow(n);
        let is_there = self.pager.has_place(page);
        let mut reading = self.pager.reading();
        if !is_there || reading.damage(page).is_some() {
            return Ok(());
        }
        let content = reading.read(page)?;
        if leaf::count(content) == 0 {
            let message = format!("overflow page {n} has no entries");
            findings.push(Finding::new(WRONG_LINK, message));
        }
        state.shared += leaf::count(content) as u64;
        Ok(())
    }

    fn verify_counts(&self, state: &Verification, findings: &mut Vec<Finding>) {
        if state.is_partial {
            return;
        }
        let counts = [
            ("entries", state.entries, self.index.len()),
            ("bytes of entries", state.used, self.index.used()),
            ("entries behind buckets", state.behind, state.shared),
            ("bytes of extents", state.live, self.extents.tail.live),
        ];
        for (what, found, stated) in counts {
            if found != stated {
                let message = format!("{found} {what} where {stated} should be");
                findings.push(Finding::new(WRONG_COUNT, message));
            }
        }
    }
}
