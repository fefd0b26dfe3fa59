//! The store, on pages and extents that the host reads and writes.

use wasm_bindgen::prelude::*;

use super::numbers::{offset_in, offset_out};
use crate::codec::{Reader, Writer};
use crate::copy::copy;
use crate::order;
use crate::store::{
    Compaction, Cursor, ExtentFile, Finding, Hash, Opening, PAGE_BYTES, PageBatch, PageNo, Rebuild,
    Shape, Span, Step, Stop, Store, VALUE_BYTES_MAX, Verification,
};

/// What an operation came to.
const DONE: u32 = 0;
/// Something is absent: provide what `missing` and `missing_spans` name, and call again.
const MISSING: u32 = 1;
/// Write `spill`, confirm, and call again.
const MUST_SPILL: u32 = 2;
const TOO_LARGE: u32 = 3;
const NOT_THERE: u32 = 4;
const FULL: u32 = 5;
/// `damaged_span` says what is not what was written there.
const DAMAGED: u32 = 6;
/// Call again.
const MORE: u32 = 7;
/// Commit, tidy up, and call again.
const MUST_COMMIT: u32 = 8;
/// Done, and there is more of the value.
const A_PART: u32 = 9;
/// Done, and the value is on the tray.
const ON_TRAY: u32 = 10;

/// There are fewer outcomes than this.
const OUTCOMES: u32 = 16;
/// A longer desk is not kept after its use.
const DESK_BYTES_MAX: usize = 8 << 20;
/// Values that stand in pages fit on the tray.
const TRAY_BYTES: usize = VALUE_BYTES_MAX as usize;
/// Steps of a verification and the like that are taken in one call.
const STEPS_A_CALL: usize = 256;

/// Entries that were handed over together.
#[derive(Default)]
struct Load {
    /// The desk, as long as they are not all put.
    bytes: Vec<u8>,
    /// Bucket, where the entry's lengths begin, hash; in the order in which they are put.
    entries: Vec<(u32, usize, Hash)>,
    done: usize,
}

/// Look-ups that were handed over together.
#[derive(Default)]
struct Lookups {
    keys: Vec<Vec<u8>>,
    found: Vec<Option<(Option<u64>, Vec<u8>)>>,
}

/// Where in the module's memory bytes stand, for the host to look at before its next call.
#[derive(Clone, Copy, Default)]
struct Place {
    at: usize,
    length: usize,
}

impl Place {
    fn of(bytes: &[u8]) -> Place {
        Place {
            at: bytes.as_ptr().addr(),
            length: bytes.len(),
        }
    }
}

/// A store on pages and extents that the host reads and writes.
///
/// What crosses often or is long is copied once: the host writes keys and entries on the desk and what it read on the
/// landing, and looks at values and batches where they stand.
#[wasm_bindgen]
pub struct PageStore {
    opening: Option<Opening>,
    rebuild: Option<Rebuild>,
    store: Option<Store>,
    shape: Shape,
    cache_pages: usize,
    cursor: Cursor,
    missing: Vec<u32>,
    missing_spans: Vec<u32>,
    damaged: Vec<u32>,
    value: Vec<u8>,
    tray: Box<[u8]>,
    value_place: Place,
    value_bytes: u64,
    desk: Vec<u8>,
    landing: Vec<u8>,
    span_landing: Vec<u8>,
    batch: PageBatch,
    load: Load,
    lookups: Lookups,
    verification: Verification,
    compaction: Option<Compaction>,
    findings: Vec<Finding>,
}

#[wasm_bindgen]
impl PageStore {
    /// Begins with the first four pages of the file, empty where there are none. A new store is made with `salt`, 16
    /// random bytes, for as many records of so many bytes in all as are expected; values longer than
    /// `inline_bytes_max` stand in extents, where that is not negative.
    #[allow(clippy::too_many_arguments)]
    #[wasm_bindgen(constructor)]
    pub fn new(
        superblocks: &[u8],
        cache_pages: usize,
        salt: &[u8],
        records: f64,
        bytes: f64,
        inline_bytes_max: i32,
    ) -> PageStore {
        let shape = Shape {
            salt: salt.try_into().unwrap_or_default(),
            records: offset_in(records),
            bytes: offset_in(bytes),
            inline_bytes_max: u32::try_from(inline_bytes_max).ok(),
        };
        PageStore {
            opening: Some(Opening::new(four(superblocks))),
            rebuild: None,
            store: None,
            shape,
            cache_pages,
            cursor: Cursor::default(),
            missing: Vec::new(),
            missing_spans: Vec::new(),
            damaged: Vec::new(),
            value: Vec::new(),
            tray: vec![0; TRAY_BYTES].into(),
            value_place: Place::default(),
            value_bytes: 0,
            desk: Vec::new(),
            landing: Vec::new(),
            span_landing: Vec::new(),
            batch: PageBatch::default(),
            load: Load::default(),
            lookups: Lookups::default(),
            verification: Verification::default(),
            compaction: None,
            findings: Vec::new(),
        }
    }

    /// Goes on with opening.
    pub fn open(&mut self) -> u32 {
        if let Some(opening) = self.opening.take() {
            let missing = opening.wanted().iter().map(|page_no| page_no.0).collect();
            self.missing_spans.clear();
            self.missing = missing;
            if !self.missing.is_empty() {
                self.opening = Some(opening);
                return MISSING;
            }
            self.store = Some(Store::open(opening, self.cache_pages, self.shape));
        }
        self.run(Store::replay)
    }

    /// The module's memory, in which places are.
    pub fn memory() -> JsValue {
        wasm_bindgen::memory()
    }

    /// Where the host writes what the next call takes from there, so many bytes at most.
    pub fn desk(&mut self, bytes: usize) -> usize {
        room(&mut self.desk, bytes)
    }

    /// Where the host writes a page that it read.
    pub fn landing(&mut self) -> usize {
        room(&mut self.landing, PAGE_BYTES)
    }

    /// Where the host writes the part of an extent that it reads next, exactly so many bytes.
    pub fn span_landing(&mut self, bytes: usize) -> usize {
        self.span_landing.resize(bytes, 0);
        Place::of(&self.span_landing).at
    }

    /// Where short values are found, always.
    pub fn tray(&self) -> usize {
        Place::of(&self.tray).at
    }

    /// Page numbers that the last operation needs, in the order in which to provide them.
    pub fn missing(&self) -> Vec<u32> {
        self.missing.clone()
    }

    /// How many they are.
    pub fn missing_count(&self) -> usize {
        self.missing.len()
    }

    /// One of them.
    pub fn missing_page(&self, n: usize) -> u32 {
        self.missing.get(n).copied().unwrap_or_default()
    }

    /// How many parts of extents it needs.
    pub fn missing_span_count(&self) -> usize {
        self.missing_spans.len() / 3
    }

    /// Parts of extents that it needs: file, offset and length of each.
    pub fn missing_spans(&self) -> Vec<u32> {
        self.missing_spans.clone()
    }

    /// One of these numbers.
    pub fn missing_span(&self, at: usize) -> u32 {
        self.missing_spans.get(at).copied().unwrap_or_default()
    }

    /// File, offset and length of what is not what was written there.
    pub fn damaged_span(&self) -> Vec<u32> {
        self.damaged.clone()
    }

    /// Takes in a page. Returns false where it is not what was written there.
    pub fn provide(&mut self, page_no: u32, bytes: &[u8]) -> bool {
        match (&mut self.opening, &mut self.rebuild, &mut self.store) {
            (Some(opening), ..) => opening.provide(bytes),
            (None, Some(rebuild), _) => {
                rebuild.provide(PageNo(page_no), bytes);
                true
            }
            (None, None, Some(store)) => store.provide(PageNo(page_no), bytes),
            (None, None, None) => false,
        }
    }

    /// Takes in the page at the beginning of the landing. Returns false where it is not what was written there.
    pub fn provide_landed(&mut self, page_no: u32) -> bool {
        let landing = std::mem::take(&mut self.landing);
        let is_sound = self.provide(page_no, landing.get(..PAGE_BYTES).unwrap_or_default());
        self.landing = landing;
        is_sound
    }

    /// Takes in a part of an extent, of which so many bytes are on its landing.
    pub fn provide_landed_span(&mut self, file: u32, offset: u32, length: u32, found: usize) {
        let mut landing = std::mem::take(&mut self.span_landing);
        landing.truncate(found);
        if let (None, Some(store)) = (&self.rebuild, &mut self.store) {
            let span = Span {
                file,
                offset,
                length,
            };
            self.span_landing = store.take_span(span, landing);
        } else {
            self.provide_span(file, offset, length, &landing);
            self.span_landing = landing;
        }
    }

    pub fn provide_span(&mut self, file: u32, offset: u32, length: u32, bytes: &[u8]) {
        let span = Span {
            file,
            offset,
            length,
        };
        match (&mut self.rebuild, &mut self.store) {
            (Some(rebuild), _) => rebuild.provide_span(span, bytes),
            (None, Some(store)) => store.provide_span(span, bytes),
            (None, None) => {}
        }
    }

    pub fn put(&mut self, key: &[u8], value: &[u8]) -> u32 {
        self.run(|store| store.put(key, value))
    }

    pub fn remove(&mut self, key: &[u8]) -> u32 {
        let mut was_there = true;
        let outcome = self.run(|store| store.remove(key).map(|there| was_there = there));
        if was_there { outcome } else { NOT_THERE }
    }

    /// Whether a key is there: `DONE` or `NOT_THERE`. Of a snapshot, or by now where `view` is 0.
    pub fn contains(&mut self, view: u32, key: &[u8]) -> u32 {
        let mut is_there = true;
        let outcome = self.run(|store| {
            store
                .contains(snapshot(view), key)
                .map(|there| is_there = there)
        });
        if is_there { outcome } else { NOT_THERE }
    }

    /// Reads the value of the key on the desk from `from` on, a megabyte at most: `ON_TRAY`, `DONE`, `A_PART` or
    /// `NOT_THERE`, and `OUTCOMES` times how many bytes there are. `value_at` says where they stand but for those on the
    /// tray, `value_bytes` how long the whole is but for those and where it is `DONE`.
    pub fn get(&mut self, view: u32, key_bytes: usize, from: f64, length: f64) -> u32 {
        let Some(store) = &mut self.store else {
            return NOT_THERE;
        };
        let key = self.desk.get(..key_bytes).unwrap_or_default();
        let (from, length) = (offset_in(from), offset_in(length));
        match store.read(snapshot(view), key, from, length, &mut self.value) {
            Ok(None) => NOT_THERE,
            Ok(Some(piece))
                if piece.total == piece.bytes.len() as u64 && piece.total < TRAY_BYTES as u64 =>
            {
                copy(&mut self.tray[..piece.bytes.len()], piece.bytes);
                let bytes = u32::try_from(piece.bytes.len()).unwrap_or_default();
                bytes * OUTCOMES + ON_TRAY
            }
            Ok(Some(piece)) => {
                self.value_place = Place::of(piece.bytes);
                self.value_bytes = piece.total;
                let bytes = u32::try_from(piece.bytes.len()).unwrap_or_default();
                let is_whole = piece.total == u64::from(bytes);
                bytes * OUTCOMES + if is_whole { DONE } else { A_PART }
            }
            Err(stop) => self.stopped(stop),
        }
    }

    /// Where what the last operation gave begins.
    pub fn value_at(&self) -> usize {
        self.value_place.at
    }

    /// How long that is.
    pub fn value_length(&self) -> usize {
        self.value_place.length
    }

    /// The length of the whole value.
    pub fn value_bytes(&self) -> f64 {
        offset_out(self.value_bytes)
    }

    /// Takes keys, each with its length before it, to be looked up by `get_many`.
    pub fn ask(&mut self, keys: &[u8]) {
        let mut reader = Reader::new(keys);
        self.lookups = Lookups::default();
        while let Some(length) = reader.varint() {
            let key = usize::try_from(length)
                .ok()
                .and_then(|length| reader.take(length));
            self.lookups.keys.push(key.unwrap_or_default().to_vec());
            self.lookups.found.push(None);
        }
    }

    /// Looks up all keys that were asked for; all that is absent for them is named at once. `value` has the answers
    /// afterwards: for each 0, or one more than the length and the value's first megabyte, with its length before it.
    pub fn get_many(&mut self, view: u32) -> u32 {
        let Some(store) = &mut self.store else {
            return MISSING;
        };
        let (mut pages, mut spans) = (Vec::new(), Vec::new());
        let Lookups { keys, found } = &mut self.lookups;
        for (key, found) in keys.iter().zip(found) {
            if found.is_some() {
                continue;
            }
            match store.read(snapshot(view), key, 0, u64::MAX, &mut self.value) {
                Ok(Some(piece)) => *found = Some((Some(piece.total), piece.bytes.to_vec())),
                Ok(None) => *found = Some((None, Vec::new())),
                Err(Stop::Missing(more_pages, more_spans)) => {
                    pages.extend(more_pages);
                    spans.extend(more_spans);
                }
                Err(stop) => return self.stopped(stop),
            }
        }
        if !pages.is_empty() || !spans.is_empty() {
            order::sort_by(&mut pages, Ord::cmp);
            pages.dedup();
            return self.stopped(Stop::Missing(pages, spans));
        }
        let mut out = Writer::new();
        for (total, value) in self.lookups.found.drain(..).flatten() {
            out.varint(total.map_or(0, |total| total + 1));
            if total.is_some() {
                out.bytes(&value);
            }
        }
        self.give(out.finish());
        DONE
    }

    /// The next entries of a scan from `cursor` on, 0 at first; `cursor` is where to go on. `value` has them afterwards,
    /// empty at the end: key with its length; twice the value's length, and the value, or one more without it.
    pub fn scan(&mut self, view: u32, cursor: f64, limit: usize) -> u32 {
        self.cursor = Cursor(offset_in(cursor));
        let mut next = self.cursor;
        let mut out = Writer::new();
        let outcome = self.run(|store| {
            for row in store.scan(snapshot(view), &mut next, limit)? {
                out.bytes(&row.key);
                out.varint(row.value_bytes * 2 + u64::from(row.value.is_none()));
                if let Some(value) = row.value {
                    out.raw(&value);
                }
            }
            Ok(())
        });
        self.cursor = next;
        self.give(out.finish());
        outcome
    }

    pub fn cursor(&self) -> f64 {
        offset_out(self.cursor.0)
    }

    /// A reader of the last commit; 0 where that must be settled first.
    pub fn snapshot(&mut self) -> u32 {
        self.store.as_mut().and_then(Store::snapshot).unwrap_or(0)
    }

    pub fn release(&mut self, snapshot: u32) {
        if let Some(store) = &mut self.store {
            store.release(snapshot);
        }
    }

    /// Begins a value that comes part by part.
    pub fn begin(&mut self, key: &[u8]) -> u32 {
        self.store.as_mut().map_or(0, |store| store.begin(key))
    }

    pub fn write(&mut self, writer: u32, bytes: &[u8]) -> u32 {
        self.run(|store| store.write(writer, bytes))
    }

    pub fn finish(&mut self, writer: u32) -> u32 {
        self.run(|store| store.finish(writer))
    }

    pub fn abort(&mut self, writer: u32) {
        if let Some(store) = &mut self.store {
            store.abort(writer);
        }
    }

    /// Takes entries from the desk, to be put by `put_many`: lengths of key and value, key, value. They are put in the
    /// order of their buckets, so that each page is touched once.
    pub fn bring(&mut self, bytes: usize) {
        let desk = std::mem::take(&mut self.desk);
        let mut reader = Reader::new(desk.get(..bytes).unwrap_or_default());
        let at = |reader: &Reader<'_>| bytes - reader.left();
        self.load.entries.clear();
        self.load.done = 0;
        let Some(store) = &self.store else {
            return;
        };
        while !reader.is_empty() {
            let from = at(&reader);
            let Some((key, _)) = take_entry(&mut reader) else {
                break;
            };
            let (bucket, hash) = store.hash_of(key);
            self.load.entries.push((bucket, from, hash));
        }
        // Of the same bucket in the order in which they came: the last one of a key counts.
        let order = |(bucket, from, _): &(u32, usize, Hash)| (*bucket, *from);
        self.load.entries.sort_unstable_by_key(order);
        self.load.bytes = desk;
    }

    pub fn put_many(&mut self) -> u32 {
        let mut load = std::mem::take(&mut self.load);
        let outcome = self.run(|store| {
            while let Some((_, from, hash)) = load.entries.get(load.done) {
                let mut reader = Reader::new(load.bytes.get(*from..).unwrap_or_default());
                if let Some((key, value)) = take_entry(&mut reader) {
                    store.put_hashed(*hash, key, value)?;
                }
                load.done += 1;
            }
            Ok(())
        });
        if matches!(outcome, MISSING | MUST_SPILL) {
            self.load = load;
            return outcome;
        }
        if load.bytes.len() <= DESK_BYTES_MAX {
            self.desk = std::mem::take(&mut load.bytes);
        }
        self.load.entries = load.entries;
        outcome
    }

    /// Prepares what must be written to make room.
    pub fn spill(&mut self) {
        let store = match &mut self.rebuild {
            Some(rebuild) => rebuild.store(),
            None => self.store.as_mut(),
        };
        self.batch = store.map(|store| store.spill()).unwrap_or_default();
    }

    /// Prepares what must be written to commit.
    pub fn commit(&mut self) {
        self.batch = self.store.as_mut().map(Store::commit).unwrap_or_default();
    }

    /// The same without a log, which snapshots and readers that write nothing need.
    pub fn settle(&mut self) {
        self.batch = self.store.as_mut().map(Store::settle).unwrap_or_default();
    }

    /// Whether the last commit has no log.
    pub fn is_settled(&self) -> bool {
        self.store.as_ref().is_none_or(Store::is_settled)
    }

    /// Page numbers of the batch.
    pub fn batch_pages(&self) -> Vec<u32> {
        let places = self.batch.places.iter();
        places.map(|page_no| page_no.0).collect()
    }

    /// Where their bytes stand, one after another.
    pub fn batch_bytes_at(&self) -> usize {
        Place::of(&self.batch.bytes).at
    }

    /// What is to be written to extents before them: file and offset of each.
    pub fn batch_appends(&self) -> Vec<u32> {
        let appends = self.store.iter().flat_map(|store| store.appends());
        appends
            .flat_map(|append| [append.file, append.offset])
            .collect()
    }

    /// Where the bytes of one of them stand.
    pub fn batch_append_at(&self, n: usize) -> usize {
        Place::of(self.append_bytes(n)).at
    }

    pub fn batch_append_length(&self, n: usize) -> usize {
        self.append_bytes(n).len()
    }

    /// The superblock's pages to write after a flush; absent in a spill.
    pub fn batch_superblock(&self) -> Option<Vec<u8>> {
        let superblock = self.batch.superblock.as_ref();
        superblock.map(|(_, bytes)| bytes.clone())
    }

    pub fn batch_superblock_page(&self) -> u32 {
        let superblock = self.batch.superblock.as_ref();
        superblock.map_or(0, |(page_no, _)| page_no.0)
    }

    /// The batch was written and, with a superblock, flushed.
    pub fn confirm(&mut self) {
        self.batch = PageBatch::default();
        let store = match &mut self.rebuild {
            Some(rebuild) => rebuild.store(),
            None => self.store.as_mut(),
        };
        if let Some(store) = store {
            store.confirm();
        }
    }

    /// Extents that can be removed; told once.
    pub fn take_removable(&mut self) -> Vec<u32> {
        self.store
            .as_mut()
            .map(Store::take_removable)
            .unwrap_or_default()
    }

    /// Pages that the file has; what is behind them can be cut off.
    pub fn file_pages(&self) -> u32 {
        self.store
            .as_ref()
            .map_or(0, |store| store.pager().file_pages())
    }

    /// The extent that is appended to.
    pub fn tail_file(&self) -> u32 {
        self.store.as_ref().map_or(0, |store| store.tail().file)
    }

    /// Bytes of extents that entries refer to.
    pub fn live_bytes(&self) -> f64 {
        offset_out(self.store.as_ref().map_or(0, |store| store.tail().live))
    }

    pub fn generation(&self) -> f64 {
        offset_out(self.store.as_ref().map_or(0, Store::generation))
    }

    /// Entries of the store.
    pub fn count(&self) -> f64 {
        offset_out(self.store.as_ref().map_or(0, Store::len))
    }

    /// The bucket of a key: entries that are put in this order touch each page once.
    pub fn bucket_of(&self, key: &[u8]) -> u32 {
        let store = self.store.as_ref();
        store.map_or(0, |store| store.bucket_of(key))
    }

    pub fn begin_verify(&mut self) {
        self.verification = Verification::default();
    }

    /// Goes on verifying: `MORE` or `DONE`. What is provided may be damaged.
    pub fn verify(&mut self) -> u32 {
        let mut state = std::mem::take(&mut self.verification);
        let mut findings = std::mem::take(&mut self.findings);
        let mut is_done = false;
        let outcome = self.run(|store| {
            for _ in 0..STEPS_A_CALL {
                match store.verify(&mut state)? {
                    Some(found) => findings.extend(found),
                    None => {
                        is_done = true;
                        break;
                    }
                }
            }
            Ok(())
        });
        (self.verification, self.findings) = (state, findings);
        if outcome == DONE && !is_done {
            return MORE;
        }
        outcome
    }

    /// What was found since this was called last: code and sentence of each, with their lengths.
    pub fn take_findings(&mut self) -> Vec<u8> {
        let mut out = Writer::new();
        for finding in self.findings.drain(..) {
            out.bytes(finding.code.as_bytes());
            out.bytes(finding.message.as_bytes());
        }
        out.finish()
    }

    /// Begins a compaction with the extents that there are: number and bytes of each.
    pub fn begin_compact(&mut self, extents: &[f64]) {
        let (extents, _) = extents.as_chunks::<2>();
        let files = extents.iter().map(|[file, bytes]| ExtentFile {
            file: u32::try_from(offset_in(*file)).unwrap_or(u32::MAX),
            bytes: offset_in(*bytes),
        });
        self.compaction = Some(Compaction::new(files.collect()));
    }

    /// Goes on compacting: `MORE`, `MUST_COMMIT` or `DONE`.
    pub fn compact(&mut self) -> u32 {
        let Some(mut state) = self.compaction.take() else {
            return DONE;
        };
        let mut step = Step::More;
        let outcome = self.run(|store| {
            for _ in 0..STEPS_A_CALL {
                step = store.compact(&mut state)?;
                if step != Step::More {
                    break;
                }
            }
            Ok(())
        });
        if outcome == DONE && step == Step::Done {
            return DONE;
        }
        self.compaction = Some(state);
        match step {
            _ if outcome != DONE => outcome,
            Step::Commit => MUST_COMMIT,
            _ => MORE,
        }
    }

    /// Makes the index anew in place of opening it: with the pages that the file has, and the extents that there are.
    pub fn begin_rebuild(&mut self, superblocks: &[u8], file_pages: u32, extents: &[u32]) {
        self.opening = None;
        self.store = None;
        self.rebuild = Some(Rebuild::new(
            four(superblocks),
            file_pages,
            extents.to_vec(),
            self.cache_pages,
            self.shape,
        ));
    }

    /// Goes on: `MORE`, or `DONE` when the store is there to be committed. What is provided may be damaged.
    pub fn rebuild(&mut self) -> u32 {
        let Some(mut rebuild) = self.rebuild.take() else {
            return DONE;
        };
        for _ in 0..STEPS_A_CALL {
            match rebuild.step() {
                Ok(false) => {}
                Ok(true) => {
                    self.findings.extend_from_slice(rebuild.findings());
                    self.store = rebuild.finish();
                    return DONE;
                }
                Err(stop) => {
                    self.rebuild = Some(rebuild);
                    return self.stopped(stop);
                }
            }
        }
        self.rebuild = Some(rebuild);
        MORE
    }

    pub fn page_bytes() -> usize {
        PAGE_BYTES
    }
}

impl PageStore {
    fn run(&mut self, operation: impl FnOnce(&mut Store) -> Result<(), Stop>) -> u32 {
        let Some(store) = &mut self.store else {
            return NOT_THERE;
        };
        match operation(store) {
            Ok(()) => DONE,
            Err(stop) => self.stopped(stop),
        }
    }

    fn append_bytes(&self, n: usize) -> &[u8] {
        let append = self.store.as_ref().and_then(|store| store.appends().get(n));
        append.map(|append| &*append.bytes).unwrap_or_default()
    }

    /// Leaves what an operation gives where the host finds it.
    fn give(&mut self, value: Vec<u8>) {
        self.value = value;
        self.value_place = Place::of(&self.value);
    }

    fn stopped(&mut self, stop: Stop) -> u32 {
        match stop {
            Stop::Missing(pages, spans) => {
                self.missing.clear();
                self.missing.extend(pages.iter().map(|page_no| page_no.0));
                self.missing_spans.clear();
                let spans = spans.iter().flat_map(|span| three(*span));
                self.missing_spans.extend(spans);
                MISSING
            }
            Stop::MustSpill => MUST_SPILL,
            Stop::TooLarge => TOO_LARGE,
            Stop::Full => FULL,
            Stop::Damaged(span) => {
                self.damaged = three(span).to_vec();
                DAMAGED
            }
        }
    }
}

/// Makes a place that is long enough.
fn room(place: &mut Vec<u8>, bytes: usize) -> usize {
    if place.len() < bytes {
        place.resize(bytes, 0);
    }
    Place::of(place).at
}

fn three(span: Span) -> [u32; 3] {
    [span.file, span.offset, span.length]
}

/// The pages of the superblocks, which follow each other; empty where the file ends before.
fn four(superblocks: &[u8]) -> [&[u8]; 4] {
    let mut pages = superblocks.chunks(PAGE_BYTES);
    std::array::from_fn(|_| pages.next().unwrap_or_default())
}

fn snapshot(view: u32) -> Option<u32> {
    (view > 0).then_some(view)
}

fn take_entry<'a>(reader: &mut Reader<'a>) -> Option<(&'a [u8], &'a [u8])> {
    let key_bytes = usize::try_from(reader.varint()?).ok()?;
    let value_bytes = usize::try_from(reader.varint()?).ok()?;
    Some((reader.take(key_bytes)?, reader.take(value_bytes)?))
}
