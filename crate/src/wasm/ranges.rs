//! An archive that is read in ranges by several workers: the one that puts it together, and one range.

use wasm_bindgen::prelude::*;

use super::engine::Index;
use super::seam::{offset_in, offset_out};
use crate::archive::Joint;
use crate::range::{Job, RangeReader};
use crate::split::Splitter;

/// Puts an index together from ranges that workers read.
#[wasm_bindgen]
pub struct Splitting {
    pub(super) splitter: Splitter,
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
