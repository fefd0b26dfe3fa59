//! Neighbouring segments on their way to become one.

use std::ops::Range;

use crate::segment::{Blocks, Join, Merge, Segment, Stop};

/// Entries that a merge or a check takes in one step.
pub const ENTRIES_A_STEP: usize = 4096;

/// At most one merge at a time.
#[derive(Default)]
pub struct Merging {
    running: Option<(Merge, Range<usize>)>,
}

impl Merging {
    /// Begins with the segments of a range of places.
    pub fn begin<'a>(
        &mut self,
        id: u64,
        range: Range<usize>,
        segments: impl Iterator<Item = &'a Segment>,
    ) {
        let sources = segments.skip(range.start).take(range.len());
        let merge = Merge::new(id, sources.cloned().collect());
        self.running = Some((merge, range));
    }

    /// The same, but entries that follow each other may become one.
    pub fn begin_joining<'a>(
        &mut self,
        id: u64,
        range: Range<usize>,
        segments: impl Iterator<Item = &'a Segment>,
        join: Box<dyn Join>,
    ) {
        let sources = segments.skip(range.start).take(range.len());
        let merge = Merge::joining(id, sources.cloned().collect(), join);
        self.running = Some((merge, range));
    }

    /// Which of the segments become one.
    pub fn range(&self) -> Option<Range<usize>> {
        self.running.as_ref().map(|(_, range)| range.clone())
    }

    /// Goes on; true when all of the new segment is there to be taken.
    pub fn step(&mut self, blocks: &mut Blocks) -> Result<bool, Stop> {
        match &mut self.running {
            Some((merge, _)) => merge.step(blocks, ENTRIES_A_STEP),
            None => Ok(true),
        }
    }

    /// Bytes to append to the new segment's file.
    pub fn take(&mut self) -> Vec<u8> {
        let running = self.running.as_mut();
        running.map(|(merge, _)| merge.take()).unwrap_or_default()
    }

    /// How many there are.
    pub fn waiting(&self) -> usize {
        let running = self.running.as_ref();
        running.map_or(0, |(merge, _)| merge.waiting())
    }

    /// It is done, or the segments stay as they are.
    pub fn stop(&mut self) {
        self.running = None;
    }
}
