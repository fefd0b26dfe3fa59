//! Reads records that were picked by their rows and places, as if the archive had no others.

use std::collections::VecDeque;
use std::rc::Rc;

use super::http::HttpHead;
use super::parser::{Format, Heard, Parser, parser_at};
use super::record::{Joint, Part, Record, Sink};
use super::warc::WarcHead;
use super::window::{Feed, Path};
use crate::error::Damage;
use crate::limits::OFFSET_MAX;

/// Where a record lies.
pub struct Pick {
    /// Rows are in the order of the files, a number each.
    pub row: usize,
    pub part: Rc<Part>,
    pub offset: u64,
    pub skip: u64,
}

/// Neighbours that are read without going to a place anew, which in a compressed member means from its start.
struct Run {
    part: Rc<Part>,
    path: Path,
    parser: Box<dyn Parser>,
    left: Left,
}

/// What of a run is still to come.
struct Left {
    records: usize,
    has_ended: bool,
    is_over: bool,
}

/// More may be picked as long as some are waiting.
#[derive(Default)]
pub struct Picked {
    waiting: VecDeque<Pick>,
    run: Option<Run>,
    /// In which the last record lay that was told.
    part: Option<Rc<Part>>,
}

impl Picked {
    pub fn pick(&mut self, pick: Pick) {
        self.waiting.push_back(pick);
    }

    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Goes to the next place, if nothing is read.
    fn settle(&mut self) {
        if self.run.as_ref().is_some_and(|run| !run.left.is_over) {
            return;
        }
        self.run = None;
        let Some(first) = self.waiting.pop_front() else {
            return;
        };
        let mut records = 1;
        // A bundle lists its responses in another order than that in which they lie.
        let has_neighbours = first.part.format != Format::Wbn;
        while let Some(pick) = self.waiting.front().filter(|_| has_neighbours)
            && pick.row == first.row + records
            && pick.part == first.part
        {
            self.waiting.pop_front();
            records += 1;
        }
        let part = first.part;
        self.run = Some(Run {
            path: Path::new(&part.windows),
            parser: parser_at(part.format, first.offset, first.skip),
            part,
            left: Left {
                records,
                has_ended: false,
                is_over: false,
            },
        });
    }

    /// What reads the run, with a sink that hears its records only.
    fn hear<T>(
        &mut self,
        sink: &mut dyn Sink,
        work: impl FnOnce(&mut Path, &mut Heard<'_>) -> T,
    ) -> Option<T> {
        self.settle();
        let run = self.run.as_mut()?;
        // The file itself is no part that would be told.
        let is_file = self.part.is_none() && run.part.windows.is_empty();
        if self.part.as_ref() != Some(&run.part) {
            if !is_file {
                sink.part(&run.part);
            }
            self.part = Some(Rc::clone(&run.part));
        }
        let mut some = OfRun {
            sink,
            left: &mut run.left,
        };
        let mut heard = Heard {
            parser: run.parser.as_mut(),
            sink: &mut some,
        };
        let done = work(&mut run.path, &mut heard);
        // A member that ends has no next record that would tell.
        let is_over = run.path.is_done(&heard);
        run.left.is_over |= is_over;
        Some(done)
    }
}

impl Parser for Picked {
    fn wanted(&self) -> u64 {
        let within = |path: &Path, parser: &dyn Parser| path.wanted(&At(parser.wanted()));
        match &self.run {
            Some(run) if !run.left.is_over => within(&run.path, run.parser.as_ref()),
            _ => self.waiting.front().map_or(OFFSET_MAX, |pick| {
                let parser = parser_at(pick.part.format, pick.offset, pick.skip);
                within(&Path::new(&pick.part.windows), parser.as_ref())
            }),
        }
    }

    fn feed(&mut self, bytes: &[u8], sink: &mut dyn Sink) -> usize {
        self.hear(sink, |path, heard| path.feed(bytes, heard))
            .unwrap_or(0)
    }

    fn finish(&mut self, end: u64, sink: &mut dyn Sink) -> bool {
        loop {
            let is_done = self.hear(sink, |path, heard| path.finish(end, heard));
            match (is_done, &mut self.run) {
                (None, _) => return true,
                (Some(true), Some(run)) => run.left.is_over = true,
                (Some(_), Some(run)) if !run.left.is_over => return false,
                _ => {}
            }
            // What is picked next lies before the end, and is read there.
            self.settle();
            if self.wanted() < end || sink.is_full() {
                return false;
            }
        }
    }
}

/// Only a place.
struct At(u64);

impl Feed for At {
    fn wanted(&self) -> u64 {
        self.0
    }

    fn feed(&mut self, _bytes: &[u8]) -> usize {
        0
    }

    fn finish(&mut self, _end: u64) -> bool {
        true
    }
}

/// Passes on what is heard of the records of a run. Where the next one begins, all is known of the last: damage to it,
/// and where it ends.
struct OfRun<'a> {
    sink: &'a mut dyn Sink,
    left: &'a mut Left,
}

impl Sink for OfRun<'_> {
    fn begin(&mut self, head: &WarcHead) {
        if self.left.records == 0 {
            self.left.is_over = true;
        }
        if !self.left.is_over {
            self.left.records -= 1;
            self.left.has_ended = false;
            self.sink.begin(head);
        }
    }

    fn http(&mut self, head: &HttpHead) {
        if !self.left.is_over {
            self.sink.http(head);
        }
    }

    fn body(&mut self, bytes: &[u8]) {
        if !self.left.is_over {
            self.sink.body(bytes);
        }
    }

    fn tail(&mut self, bytes: &[u8]) {
        if !self.left.is_over {
            self.sink.tail(bytes);
        }
    }

    fn end(&mut self, record: &Record) {
        if !self.left.is_over {
            self.left.has_ended = true;
            self.sink.end(record);
        }
    }

    fn abandon(&mut self) {
        if !self.left.is_over {
            self.left.records += 1;
            self.sink.abandon();
        }
    }

    fn damage(&mut self, damage: Damage) {
        if !self.left.is_over {
            self.sink.damage(damage);
        }
    }

    fn joint(&mut self, joint: Joint) {
        if self.left.is_over {
            return;
        }
        self.sink.joint(joint);
        self.left.is_over = self.left.records == 0 && self.left.has_ended;
    }

    fn wants_body(&self) -> bool {
        self.left.is_over || self.sink.wants_body()
    }

    fn is_full(&self) -> bool {
        self.left.is_over || self.sink.is_full()
    }
}
