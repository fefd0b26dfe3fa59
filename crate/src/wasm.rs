//! The face of the engine in WebAssembly: the only file that knows of the browser.
//!
//! Handles are opaque and freed by the host; bytes go in and out as copies; offsets are doubles, exact up
//! to 2^53. A failure is thrown as the text `code\noffset\nmessage`, which the library makes an error of.
//! What each module holds is decided by the crate's features.

use wasm_bindgen::prelude::*;

/// Version that the library checks before it uses a module.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").into()
}

#[cfg(feature = "engine")]
mod engine {
    use wasm_bindgen::prelude::*;

    use crate::archive::{self, BodyOutcome, Feed, Format, Joint, Parser};
    use crate::captures::Captures;
    use crate::error::{Damage, Error, code};
    use crate::extract::{Extractor, Part};
    use crate::filter::Filter;
    use crate::inspect::Inspector;
    use crate::json::Line;
    use crate::range::{Job, RangeReader};
    use crate::split::Splitter;

    /// The URL key under which CDX indexes file a URL.
    #[wasm_bindgen]
    pub fn surt(url: &str) -> String {
        archive::surt(url)
    }

    /// An archive that is being indexed, or is.
    #[wasm_bindgen]
    pub struct Index {
        format: Format,
        reader: Box<dyn Parser>,
        captures: Captures,
    }

    #[wasm_bindgen]
    impl Index {
        /// Recognises the file by its first bytes, which must be fed again.
        #[wasm_bindgen(constructor)]
        pub fn new(start: &[u8]) -> Result<Index, JsValue> {
            let format = archive::detect(start).map_err(thrown)?;
            Ok(Index {
                format,
                reader: archive::parser(format, None),
                captures: Captures::new(),
            })
        }

        pub fn is_gzip(&self) -> bool {
            self.format == Format::WarcGz
        }

        pub fn forbid_seek(&mut self) {
            self.reader.forbid_seek();
        }

        pub fn wanted(&self) -> f64 {
            offset_out(self.reader.wanted())
        }

        pub fn feed(&mut self, bytes: &[u8]) -> usize {
            self.reader.feed(bytes, &mut self.captures)
        }

        pub fn finish(&mut self, end: f64) -> bool {
            self.reader.finish(offset_in(end), &mut self.captures)
        }

        pub fn records(&self) -> usize {
            self.captures.len()
        }

        pub fn damage_count(&self) -> f64 {
            offset_out(self.captures.damage_count())
        }

        /// Rows as `Captures::encode` writes them.
        pub fn rows(&self, start: usize, count: usize) -> Vec<u8> {
            self.captures.encode(start..start.saturating_add(count))
        }

        /// Damage reports as JSON lines.
        pub fn damage(&self, start: usize, count: usize) -> String {
            self.captures
                .damage()
                .iter()
                .skip(start)
                .take(count)
                .map(|(_, damage)| damage_line(damage))
                .collect()
        }

        /// Bytes of memory that the record table holds.
        pub fn resident(&self) -> f64 {
            offset_out(self.captures.resident() as u64)
        }
    }

    /// Puts an index together from ranges that workers read.
    #[wasm_bindgen]
    pub struct Splitting {
        splitter: Splitter,
    }

    #[wasm_bindgen]
    impl Splitting {
        #[wasm_bindgen(constructor)]
        pub fn new(size: f64, range_bytes: f64, workers: usize) -> Splitting {
            Splitting {
                splitter: Splitter::new(offset_in(size), offset_in(range_bytes), workers),
            }
        }

        /// A job for an idle worker, as `Range` takes it; empty where there is none now.
        pub fn assign(&mut self) -> Vec<f64> {
            self.splitter.assign().map_or_else(Vec::new, |job| {
                vec![
                    f64::from(job.id),
                    offset_out(job.start.offset),
                    offset_out(job.start.rewound),
                    f64::from(u8::from(job.is_search)),
                    offset_out(job.until),
                ]
            })
        }

        pub fn report(&mut self, index: &mut Index, job: u32, report: &[u8]) -> bool {
            self.splitter.report(job, report, &mut index.captures)
        }

        /// A worker failed. False where nobody can take its job up.
        pub fn lost(&mut self, index: &mut Index, job: u32) -> bool {
            self.splitter.lost(job, &mut index.captures)
        }

        pub fn take_cancelled(&mut self) -> Vec<u32> {
            self.splitter.take_cancelled()
        }

        pub fn is_done(&self) -> bool {
            self.splitter.is_done()
        }

        pub fn position(&self) -> f64 {
            offset_out(self.splitter.position())
        }

        /// Bytes that were read in vain.
        pub fn wasted(&self) -> f64 {
            offset_out(self.splitter.wasted())
        }
    }

    /// A range that is being read for a `Splitting`.
    #[wasm_bindgen]
    pub struct Range {
        reader: RangeReader,
    }

    #[wasm_bindgen]
    impl Range {
        #[wasm_bindgen(constructor)]
        pub fn new(job: &[f64]) -> Range {
            let number = |at: usize| job.get(at).map_or(0, |value| offset_in(*value));
            Range {
                reader: RangeReader::new(Job {
                    id: u32::try_from(number(0)).unwrap_or(0),
                    start: Joint {
                        offset: number(1),
                        rewound: number(2),
                    },
                    is_search: number(3) != 0,
                    until: number(4),
                }),
            }
        }

        pub fn wanted(&self) -> f64 {
            offset_out(self.reader.wanted())
        }

        pub fn feed(&mut self, bytes: &[u8]) -> usize {
            self.reader.feed(bytes)
        }

        pub fn finish(&mut self, end: f64) -> bool {
            self.reader.finish(offset_in(end))
        }

        pub fn has_ended(&self) -> bool {
            self.reader.has_ended()
        }

        /// What there is to tell; empty where that is not worth a message yet.
        pub fn report(&mut self) -> Vec<u8> {
            self.reader.report()
        }
    }

    /// The rows of an index whose URL contains a text.
    #[wasm_bindgen]
    pub struct UrlFilter {
        filter: Filter,
    }

    #[wasm_bindgen]
    impl UrlFilter {
        #[wasm_bindgen(constructor)]
        pub fn new(text: &str) -> UrlFilter {
            UrlFilter {
                filter: Filter::new(text),
            }
        }

        pub fn step(&mut self, index: &Index, count: usize) -> bool {
            self.filter.step(&index.captures, count)
        }

        pub fn count(&self) -> usize {
            self.filter.len()
        }

        pub fn scanned(&self) -> usize {
            self.filter.scanned()
        }

        pub fn rows(&self, index: &Index, start: usize, count: usize) -> Vec<u8> {
            index.captures.encode(self.filter.rows(start, count))
        }
    }

    /// One record, read on demand.
    #[wasm_bindgen]
    pub struct RecordReader {
        extractor: Extractor,
    }

    #[wasm_bindgen]
    impl RecordReader {
        #[wasm_bindgen(constructor)]
        pub fn new(
            is_gzip: bool,
            offset: f64,
            skip: f64,
            part: &str,
        ) -> Result<RecordReader, JsValue> {
            let format = if is_gzip {
                Format::WarcGz
            } else {
                Format::Warc
            };
            let part = Part::named(part)
                .ok_or_else(|| thrown(Error::new(code::NO_RECORD, "no such part of a record")))?;
            Ok(RecordReader {
                extractor: Extractor::new(format, offset_in(offset), offset_in(skip), part),
            })
        }

        pub fn wanted(&self) -> f64 {
            offset_out(self.extractor.wanted())
        }

        pub fn feed(&mut self, bytes: &[u8]) -> usize {
            self.extractor.feed(bytes)
        }

        pub fn finish(&mut self, end: f64) -> bool {
            self.extractor.finish(offset_in(end))
        }

        pub fn take(&mut self) -> Vec<u8> {
            self.extractor.take()
        }

        pub fn is_done(&self) -> bool {
            self.extractor.is_done()
        }

        pub fn has_record(&self) -> bool {
            self.extractor.has_record()
        }

        /// Headers as `Extractor::heads` writes them.
        pub fn heads(&self) -> Vec<u8> {
            self.extractor.heads()
        }

        /// Whether what came out is still encoded in a way that this module cannot decode.
        pub fn is_still_encoded(&self) -> bool {
            self.extractor.outcome() == BodyOutcome::StillEncoded
        }
    }

    /// Reads every record of an archive in full.
    #[wasm_bindgen]
    pub struct Inspection {
        reader: Box<dyn Parser>,
        inspector: Inspector,
    }

    #[wasm_bindgen]
    impl Inspection {
        #[wasm_bindgen(constructor)]
        pub fn new(start: &[u8]) -> Result<Inspection, JsValue> {
            let format = archive::detect(start).map_err(thrown)?;
            Ok(Inspection {
                reader: archive::parser(format, None),
                inspector: Inspector::new(),
            })
        }

        pub fn forbid_seek(&mut self) {
            self.reader.forbid_seek();
        }

        pub fn wanted(&self) -> f64 {
            offset_out(self.reader.wanted())
        }

        pub fn feed(&mut self, bytes: &[u8]) -> usize {
            self.reader.feed(bytes, &mut self.inspector)
        }

        pub fn finish(&mut self, end: f64) -> bool {
            self.reader.finish(offset_in(end), &mut self.inspector)
        }

        pub fn take(&mut self) -> String {
            self.inspector.take()
        }
    }

    fn damage_line(damage: &Damage) -> String {
        let mut line = Line::new();
        line.string("code", damage.code.as_bytes());
        line.number("offset", damage.offset);
        line.number("skipped", damage.skipped);
        line.string("message", damage.message.as_bytes());
        line.end()
    }

    #[allow(clippy::needless_pass_by_value)]
    fn thrown(error: Error) -> JsValue {
        let offset = error
            .offset
            .map(|offset| offset.to_string())
            .unwrap_or_default();
        JsValue::from_str(&format!("{}\n{offset}\n{}", error.code, error.message))
    }

    #[allow(clippy::cast_precision_loss)]
    fn offset_out(offset: u64) -> f64 {
        offset as f64
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn offset_in(offset: f64) -> u64 {
        offset as u64
    }
}

#[cfg(feature = "rewrite")]
mod rewrite {
    use std::rc::Rc;

    use wasm_bindgen::prelude::*;

    use crate::rewrite::{Hosts, HtmlRewriter};

    /// Names of the replay origins of one collection.
    #[wasm_bindgen]
    pub struct ReplayHosts {
        hosts: Rc<Hosts>,
    }

    #[wasm_bindgen]
    impl ReplayHosts {
        #[wasm_bindgen(constructor)]
        pub fn new(scheme: &str, domain: &str, salt: &str) -> ReplayHosts {
            ReplayHosts {
                hosts: Rc::new(Hosts::new(scheme, domain, salt)),
            }
        }

        pub fn label(&self, host: &str) -> String {
            self.hosts.label(host)
        }

        pub fn host(&self, label: &str) -> Option<String> {
            self.hosts.host(label)
        }

        pub fn replay_url(&self, url: &str) -> Option<String> {
            self.hosts.replay_url(url)
        }

        pub fn archived(&self, replay_url: &str) -> Option<String> {
            self.hosts.archived(replay_url)
        }

        /// A document of the collection on its way through.
        pub fn html(&self, charset: Option<String>, first: &str) -> ReplayHtml {
            ReplayHtml {
                html: HtmlRewriter::new(Rc::clone(&self.hosts), charset.as_deref(), first),
            }
        }
    }

    #[wasm_bindgen]
    pub struct ReplayHtml {
        html: HtmlRewriter,
    }

    #[wasm_bindgen]
    impl ReplayHtml {
        pub fn write(&mut self, bytes: &[u8]) {
            self.html.write(bytes);
        }

        pub fn end(&mut self) {
            self.html.end();
        }

        pub fn take(&mut self) -> Vec<u8> {
            self.html.take()
        }
    }
}

#[cfg(feature = "engine")]
mod store {
    use wasm_bindgen::prelude::*;

    use crate::codec::Writer;
    use crate::store::{CommitBatch, Cursor, Missing, Opening, PAGE_BYTES, Pager, Put, StandIn};

    /// What an operation came to.
    const DONE: u32 = 0;
    /// Pages are absent: provide those that `missing` names, and call again.
    const MISSING: u32 = 1;
    /// Write `spill`, confirm, and call again.
    const MUST_SPILL: u32 = 2;
    const TOO_LARGE: u32 = 3;

    /// A store on pages that the host reads and writes.
    #[wasm_bindgen]
    pub struct PageStore {
        opening: Option<Opening>,
        pager: Option<Pager>,
        index: StandIn,
        cursor: Cursor,
        missing: Vec<u32>,
        value: Option<Vec<u8>>,
        batch: CommitBatch,
        cache_pages: usize,
    }

    #[wasm_bindgen]
    impl PageStore {
        /// Begins with the first two pages of the file, empty where there are none.
        #[wasm_bindgen(constructor)]
        pub fn new(first: &[u8], second: &[u8], cache_pages: usize, buckets: u32) -> PageStore {
            PageStore {
                opening: Some(Opening::new([first, second])),
                pager: None,
                index: StandIn::new(buckets),
                cursor: Cursor::default(),
                missing: Vec::new(),
                value: None,
                batch: CommitBatch::default(),
                cache_pages,
            }
        }

        /// Goes on with opening: `DONE`, `MISSING` or `MUST_SPILL`.
        pub fn open(&mut self) -> u32 {
            if let Some(opening) = self.opening.take() {
                self.missing = opening.wanted().iter().map(|page_no| page_no.0).collect();
                if !self.missing.is_empty() {
                    self.opening = Some(opening);
                    return MISSING;
                }
                self.pager = Some(opening.finish(self.cache_pages));
            }
            let is_ready = self
                .pager
                .as_mut()
                .is_some_and(|pager| self.index.prepare(pager));
            if is_ready { DONE } else { MUST_SPILL }
        }

        /// Page numbers that the last operation needs, in the order in which to provide them.
        pub fn missing(&self) -> Vec<u32> {
            self.missing.clone()
        }

        /// Takes in a page. Returns false where it is not what was written there.
        pub fn provide(&mut self, page_no: u32, bytes: &[u8]) -> bool {
            match (&mut self.opening, &mut self.pager) {
                (Some(opening), _) => opening.provide(bytes),
                (None, Some(pager)) => pager.provide(crate::store::PageNo(page_no), bytes),
                (None, None) => false,
            }
        }

        pub fn put(&mut self, key: &[u8], value: &[u8]) -> u32 {
            let Some(pager) = &mut self.pager else {
                return MISSING;
            };
            match self.index.put(pager, key, value) {
                Ok(Put::Done) => DONE,
                Ok(Put::MustSpill) => MUST_SPILL,
                Ok(Put::TooLarge) => TOO_LARGE,
                Err(missing) => self.absent(missing),
            }
        }

        /// Looks a key up; `value` has it afterwards.
        pub fn get(&mut self, key: &[u8]) -> u32 {
            let Some(pager) = &mut self.pager else {
                return MISSING;
            };
            match self.index.get(pager, key) {
                Ok(value) => {
                    self.value = value;
                    DONE
                }
                Err(missing) => self.absent(missing),
            }
        }

        pub fn value(&mut self) -> Option<Vec<u8>> {
            self.value.take()
        }

        pub fn rewind(&mut self) {
            self.cursor = Cursor::default();
        }

        /// The next entries of a scan; `value` has them afterwards, as (key value)* with lengths, empty at the end.
        pub fn scan(&mut self, limit: usize) -> u32 {
            let Some(pager) = &mut self.pager else {
                return MISSING;
            };
            match self.index.scan(pager, &mut self.cursor, limit) {
                Ok(entries) => {
                    let mut out = Writer::new();
                    for (key, value) in entries {
                        out.bytes(&key);
                        out.bytes(&value);
                    }
                    self.value = Some(out.finish());
                    DONE
                }
                Err(missing) => self.absent(missing),
            }
        }

        /// Prepares what must be written to make room.
        pub fn spill(&mut self) {
            self.batch = self.pager.as_ref().map(Pager::spill).unwrap_or_default();
        }

        /// Prepares what must be written to commit.
        pub fn commit(&mut self) {
            self.batch = self.pager.as_mut().map(Pager::commit).unwrap_or_default();
        }

        /// Page numbers of the batch.
        pub fn batch_pages(&self) -> Vec<u32> {
            self.batch
                .pages
                .iter()
                .map(|(page_no, _)| page_no.0)
                .collect()
        }

        /// Their bytes, one after another.
        pub fn batch_bytes(&self) -> Vec<u8> {
            self.batch
                .pages
                .iter()
                .flat_map(|(_, bytes)| bytes.iter().copied())
                .collect()
        }

        /// The superblock to write after a flush; absent in a spill.
        pub fn batch_superblock(&self) -> Option<Vec<u8>> {
            self.batch
                .superblock
                .as_ref()
                .map(|(_, bytes)| bytes.clone())
        }

        pub fn batch_superblock_page(&self) -> u32 {
            self.batch
                .superblock
                .as_ref()
                .map_or(0, |(page_no, _)| page_no.0)
        }

        /// The batch was written and, with a superblock, flushed.
        pub fn confirm(&mut self) {
            self.batch = CommitBatch::default();
            if let Some(pager) = &mut self.pager {
                pager.confirm();
            }
        }

        pub fn generation(&self) -> f64 {
            let generation = self.pager.as_ref().map_or(0, Pager::generation);
            f64::from(u32::try_from(generation).unwrap_or(u32::MAX))
        }

        pub fn page_bytes() -> usize {
            PAGE_BYTES
        }
    }

    impl PageStore {
        fn absent(&mut self, Missing(pages): Missing) -> u32 {
            self.missing = pages.iter().map(|page_no| page_no.0).collect();
            MISSING
        }
    }
}
