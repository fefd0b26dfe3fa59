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

    use crate::archive::{self, BodyOutcome, Container, Reader};
    use crate::captures::Captures;
    use crate::error::{Damage, Error, code};
    use crate::extract::{Extractor, Part};
    use crate::filter::Filter;
    use crate::inspect::Inspector;
    use crate::json::Line;

    /// The URL key under which CDX indexes file a URL.
    #[wasm_bindgen]
    pub fn surt(url: &str) -> String {
        archive::surt(url)
    }

    /// An archive that is being indexed, or is.
    #[wasm_bindgen]
    pub struct Index {
        container: Container,
        reader: Reader,
        captures: Captures,
    }

    #[wasm_bindgen]
    impl Index {
        /// Recognises the file by its first bytes, which must be fed again.
        #[wasm_bindgen(constructor)]
        pub fn new(start: &[u8]) -> Result<Index, JsValue> {
            let container = archive::detect(start).map_err(thrown)?;
            Ok(Index {
                container,
                reader: Reader::new(container),
                captures: Captures::new(),
            })
        }

        pub fn is_gzip(&self) -> bool {
            self.container == Container::Gzip
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
                .map(damage_line)
                .collect()
        }

        /// Bytes of memory that the record table holds.
        pub fn resident(&self) -> f64 {
            offset_out(self.captures.resident() as u64)
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
            let container = if is_gzip {
                Container::Gzip
            } else {
                Container::Plain
            };
            let part = Part::named(part)
                .ok_or_else(|| thrown(Error::new(code::NO_RECORD, "no such part of a record")))?;
            Ok(RecordReader {
                extractor: Extractor::new(container, offset_in(offset), offset_in(skip), part),
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
        reader: Reader,
        inspector: Inspector,
    }

    #[wasm_bindgen]
    impl Inspection {
        #[wasm_bindgen(constructor)]
        pub fn new(start: &[u8]) -> Result<Inspection, JsValue> {
            let container = archive::detect(start).map_err(thrown)?;
            Ok(Inspection {
                reader: Reader::new(container),
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
