//! The digests that one record states, compared with its bytes.

use wasm_bindgen::prelude::*;

use super::engine::Index;
use super::seam::{offset_in, offset_out};
use crate::archive::{
    BodyOutcome, Format, Heard, HttpHead, Parser, Path, Record, Sink, Storage, WarcHead, Window,
    parser_at,
};
use crate::digest::{Unusable, Verdict};
use crate::error::Damage;
use crate::payload::{Budget, Facts, Payload, Sha1s};

#[wasm_bindgen]
impl Index {
    /// How a part is reached, for the `RecordCheck` of any module; `undefined` where there is no such part.
    ///
    ///   way := format (" " base " " bytes " " storage)*
    pub fn way(&self, part: usize) -> Option<String> {
        let part = &self.captures.parts().get(part)?.part;
        let mut way = String::from(part.format.name());
        for window in &part.windows {
            let storage = window.storage.name();
            for word in [&window.base.to_string(), &window.bytes.to_string(), storage] {
                way.push(' ');
                way.push_str(word);
            }
        }
        Some(way)
    }
}

fn follow(way: &str) -> Option<(Format, Vec<Window>)> {
    let mut words = way.split(' ');
    let format = Format::named(words.next()?)?;
    let mut windows = Vec::new();
    while let Some(base) = words.next() {
        windows.push(Window {
            base: base.parse().ok()?,
            bytes: words.next()?.parse().ok()?,
            storage: Storage::named(words.next()?)?,
        });
    }
    Some((format, windows))
}

/// Reads one record in full, for its digests.
#[wasm_bindgen]
pub struct RecordCheck {
    path: Path,
    parser: Box<dyn Parser>,
    check: Check,
}

#[derive(Default)]
struct Check {
    payload: Option<Payload>,
    budget: Budget,
    facts: Option<Facts>,
}

#[wasm_bindgen]
impl RecordCheck {
    /// The record at a place in the part to which that way leads.
    pub fn at(way: &str, offset: f64, skip: f64) -> Option<RecordCheck> {
        let (format, windows) = follow(way)?;
        Some(RecordCheck {
            path: Path::new(&windows),
            parser: parser_at(format, offset_in(offset), offset_in(skip)),
            check: Check::default(),
        })
    }

    pub fn wanted(&mut self) -> f64 {
        let RecordCheck {
            path,
            parser,
            check,
        } = self;
        let heard = Heard {
            parser: parser.as_mut(),
            sink: check,
        };
        offset_out(path.wanted(&heard))
    }

    pub fn feed(&mut self, bytes: &[u8]) -> usize {
        let mut heard = Heard {
            parser: self.parser.as_mut(),
            sink: &mut self.check,
        };
        self.path.feed(bytes, &mut heard)
    }

    pub fn finish(&mut self, end: f64) -> bool {
        let mut heard = Heard {
            parser: self.parser.as_mut(),
            sink: &mut self.check,
        };
        self.path.finish(offset_in(end), &mut heard)
    }

    /// What came of each digest, as `Verdicts::json` has it, once the record was read to its end.
    pub fn verdicts(&self) -> Option<String> {
        Some(self.check.facts.as_ref()?.verdicts.json())
    }

    /// Whether the larger module may come to another verdict: it knows more algorithms and more codings.
    pub fn needs_tools(&self) -> bool {
        let Some(facts) = self
            .check
            .facts
            .as_ref()
            .filter(|_| !cfg!(feature = "tools"))
        else {
            return false;
        };
        let is_coded = facts.outcome == BodyOutcome::StillEncoded;
        let verdicts = &facts.verdicts;
        [&verdicts.block, &verdicts.payload]
            .into_iter()
            .flatten()
            .any(|verified| match verified.verdict {
                Verdict::Unusable(Unusable::Algorithm) => true,
                Verdict::Differs(_) => is_coded,
                _ => false,
            })
    }
}

impl Sink for Check {
    fn begin(&mut self, head: &WarcHead) {
        self.payload = Some(Payload::new(head, &self.budget, Sha1s::Needless));
    }

    fn http(&mut self, head: &HttpHead) {
        if let Some(payload) = &mut self.payload {
            payload.http(head);
        }
    }

    fn body(&mut self, bytes: &[u8]) {
        if let Some(payload) = &mut self.payload {
            payload.body(bytes);
        }
    }

    fn end(&mut self, record: &Record) {
        if let Some(payload) = self.payload.take()
            && self.facts.is_none()
        {
            self.facts = Some(payload.finish(record, &mut self.budget));
        }
    }

    fn abandon(&mut self) {
        self.payload = None;
    }

    fn damage(&mut self, _damage: Damage) {}

    fn is_full(&self) -> bool {
        self.facts.is_some()
    }
}
