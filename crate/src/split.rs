//! Splits a gzip archive into ranges that workers read at once, and puts what they tell together into the
//! table that one reader would have made: the same rows, damage and counts, in the same order.
//!
//! A range that begins in the middle of a file begins where a member seems to start. That is right only if
//! the reading of everything before it ends exactly there: payloads can contain whole archives. So:
//! S1  The front is the joint up to which the table holds what the serial reading tells. It begins at 0.
//! S2  The range after the front is taken over if its first member starts at the front, and the reading
//!     before it used no more than its share of what may be read again (`Reader::may_join`).
//! S3  Otherwise its work is thrown away, and an exact range is read from the front to the next place at
//!     which a range may be taken over. What a range gives up at its end is read the same way.
//! S4  Ranges that no worker began are read exactly as soon as the front reaches them: one worker wastes nothing.

use std::collections::{HashMap, VecDeque};

use crate::archive::{Joint, Reader, Sink};
use crate::captures::{Captures, WayOn};
use crate::error::Code;
use crate::range::{Job, Report, State, is_told_once};

/// Ranges in vain one after another, after which no more is tried until the front is further.
const PATIENCE: u32 = 4;

/// A range ahead of the front.
struct Range {
    from: u64,
    until: u64,
    work: Option<Work>,
    /// A worker failed on it; it is not tried again ahead of its turn.
    is_barred: bool,
}

/// What a worker found out about a range.
struct Work {
    job: u32,
    start: Start,
    reports: VecDeque<Vec<u8>>,
    taken: u64,
    has_ended: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    Unknown,
    None,
    At(u64),
}

/// What is being read at the front.
struct Front {
    joint: Joint,
    /// What was read again before the range that was taken over.
    rewound_before: u64,
    until: u64,
    reading: Reading,
    taken: u64,
    began_at: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    /// Nobody reads it.
    Idle,
    /// An exact range that waits for a worker.
    Waiting,
    Exact(u32),
    Searched(u32),
}

pub struct Splitter {
    size: u64,
    front: Front,
    ranges: VecDeque<Range>,
    ahead_max: usize,
    last_job: u32,
    patience: u32,
    cancelled: Vec<u32>,
    /// What workers read for jobs that were cancelled, as far as they told.
    dropped: HashMap<u32, u64>,
    told_once: Vec<Code>,
    position: u64,
    wasted: u64,
    joined: u64,
    is_done: bool,
}

impl Splitter {
    /// Ranges of `range_bytes` for some workers.
    pub fn new(size: u64, range_bytes: u64, workers: usize) -> Splitter {
        let range_bytes = range_bytes.max(1);
        let count = size.div_ceil(range_bytes);
        let cuts = (1..count).map(|at| at * range_bytes);
        // With twice as many ranges as workers, nobody waits for the front, and little waits for its turn.
        Splitter::at(size, cuts, 2 * workers)
    }

    /// Ranges between `cuts`, which grow; no more than `ahead_max` are read ahead of the front.
    pub fn at(size: u64, cuts: impl IntoIterator<Item = u64>, ahead_max: usize) -> Splitter {
        let mut cuts: Vec<u64> = cuts.into_iter().filter(|cut| *cut < size).collect();
        cuts.push(u64::MAX);
        let ranges = cuts.windows(2).map(|pair| Range {
            from: pair[0],
            until: pair[1],
            work: None,
            is_barred: false,
        });
        Splitter {
            size,
            front: Front {
                joint: Joint::default(),
                rewound_before: 0,
                until: cuts[0],
                reading: Reading::Waiting,
                taken: 0,
                began_at: 0,
            },
            ranges: ranges.collect(),
            ahead_max,
            last_job: 0,
            patience: PATIENCE,
            cancelled: Vec::new(),
            dropped: HashMap::new(),
            told_once: Vec::new(),
            position: 0,
            wasted: 0,
            joined: 0,
            is_done: false,
        }
    }

    /// The same from where another reading of the file ended; what that told once is not told again.
    pub fn resumed(size: u64, range_bytes: u64, workers: usize, way_on: WayOn) -> Splitter {
        let (range_bytes, from) = (range_bytes.max(1), way_on.joint.offset);
        let first = from / range_bytes + 1;
        let cuts = (first..size.div_ceil(range_bytes)).map(|at| at * range_bytes);
        let mut splitter = Splitter::at(size, cuts, 2 * workers);
        splitter.front.joint = way_on.joint;
        splitter.front.began_at = from;
        splitter.position = from;
        splitter.told_once.extend(way_on.told_once());
        splitter
    }

    /// Work for an idle worker, if there is any now; there may be some after the next report.
    pub fn assign(&mut self) -> Option<Job> {
        if self.is_done {
            return None;
        }
        let id = self.last_job + 1;
        if self.front.reading == Reading::Waiting {
            self.last_job = id;
            self.front.reading = Reading::Exact(id);
            return Some(Job {
                id,
                start: self.front.joint,
                is_search: false,
                until: self.front.until,
            });
        }
        let ahead = self.ranges.iter().filter(|range| range.work.is_some());
        if self.patience == 0 || ahead.count() >= self.ahead_max {
            return None;
        }
        let position = self.position;
        let range = self
            .ranges
            .iter_mut()
            .find(|range| range.work.is_none() && !range.is_barred && range.from >= position)?;
        self.last_job = id;
        range.work = Some(Work {
            job: id,
            start: Start::Unknown,
            reports: VecDeque::new(),
            taken: 0,
            has_ended: false,
        });
        Some(Job {
            id,
            start: Joint {
                offset: range.from,
                rewound: 0,
            },
            is_search: true,
            until: range.until,
        })
    }

    /// Takes what `RangeReader::report` gave. False where it is no report.
    pub fn report(&mut self, job: u32, bytes: &[u8], captures: &mut Captures) -> bool {
        let Some(report) = Report::read(bytes) else {
            return false;
        };
        if [Reading::Exact(job), Reading::Searched(job)].contains(&self.front.reading) {
            return self.take_in(report, captures).is_some() && self.advance(captures).is_some();
        }
        if let Some(work) = self.work_of(job) {
            work.taken = report.taken;
            work.start = match (report.state, report.start) {
                (State::Nothing, _) => Start::None,
                (_, Some(start)) => Start::At(start),
                (_, None) => Start::Unknown,
            };
            work.has_ended = report.state != State::Going;
            if work.start == Start::None {
                self.patience = self.patience.saturating_sub(1);
            } else {
                work.reports.push_back(bytes.to_vec());
            }
            return self.advance(captures).is_some();
        }
        if let Some(known) = self.dropped.get_mut(&job) {
            self.wasted += report.taken.saturating_sub(*known);
            *known = report.taken;
            if report.state != State::Going {
                self.dropped.remove(&job);
            }
        }
        true
    }

    /// A worker failed at a job. False where nobody can take it up: part of it is in the table already.
    pub fn lost(&mut self, job: u32, captures: &mut Captures) -> bool {
        if self.front.reading == Reading::Exact(job) {
            return false;
        }
        if self.front.reading == Reading::Searched(job) {
            // What was read again stands in the joint from now on.
            self.read_exactly(self.front.until);
        } else if let Some(range) = self
            .ranges
            .iter_mut()
            .find(|range| range.work.as_ref().is_some_and(|work| work.job == job))
        {
            range.work = None;
            range.is_barred = true;
        }
        self.advance(captures).is_some()
    }

    /// Jobs that are of no use any more, each told once.
    pub fn take_cancelled(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.cancelled)
    }

    pub fn is_done(&self) -> bool {
        self.is_done
    }

    /// How far the file was read; never less than before.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Bytes that workers read and threw away.
    pub fn wasted(&self) -> u64 {
        self.wasted
    }

    /// Ranges that were taken over.
    pub fn joined(&self) -> u64 {
        self.joined
    }

    fn work_of(&mut self, job: u32) -> Option<&mut Work> {
        self.ranges
            .iter_mut()
            .filter_map(|range| range.work.as_mut())
            .find(|work| work.job == job)
    }

    /// Adds what the front's reading told to the table. `None` where it breaks off.
    fn take_in(&mut self, mut report: Report<'_>, captures: &mut Captures) -> Option<()> {
        captures.count_damage(report.uncounted);
        for damage in std::mem::take(&mut report.damage) {
            if is_told_once(damage.code) {
                if self.told_once.contains(&damage.code) {
                    continue;
                }
                self.told_once.push(damage.code);
            }
            captures.damage(damage);
        }
        report.rows(|row| captures.push(row))?;
        let joint = report.joint;
        self.front.joint = Joint {
            offset: joint.offset,
            rewound: self.front.rewound_before + joint.rewound,
        };
        self.front.taken = report.taken;
        let is_exact = matches!(self.front.reading, Reading::Exact(_));
        let reached = if is_exact {
            report.position
        } else {
            joint.offset
        };
        self.position = self.position.max(reached.min(self.size));
        // An exact reading tells at once, also what lies behind its last joint.
        if !is_exact || report.state == State::AtJoint {
            captures.mark_joint(self.front.joint);
        }
        match report.state {
            State::Going => {}
            State::AtEnd => {
                captures.end_file();
                self.is_done = true;
                self.position = self.size;
                self.settle_waste(self.size);
                while let Some(range) = self.ranges.pop_front() {
                    self.drop_range(range);
                }
            }
            State::AtJoint | State::Nothing => {
                self.settle_waste(joint.offset);
                self.front.reading = Reading::Idle;
                if is_exact {
                    self.patience = self.patience.max(1);
                }
            }
        }
        Some(())
    }

    /// The front's reading ended at `end`: what it read beyond that was in vain.
    fn settle_waste(&mut self, end: u64) {
        let of_use = end.saturating_sub(self.front.began_at);
        if matches!(self.front.reading, Reading::Searched(_)) {
            self.wasted += self.front.taken.saturating_sub(of_use);
        }
    }

    /// Moves the front on as far as what is known goes.
    fn advance(&mut self, captures: &mut Captures) -> Option<()> {
        while self.front.reading == Reading::Idle && !self.is_done {
            let here = self.front.joint;
            let Some(range) = self.ranges.front_mut() else {
                self.read_exactly(u64::MAX);
                break;
            };
            let (from, until) = (range.from, range.until);
            if until <= here.offset {
                self.drop_first();
                continue;
            }
            let Some(work) = &mut range.work else {
                // Whatever of it lies behind the front is read already.
                if from <= here.offset {
                    self.drop_first();
                    self.read_exactly(until);
                } else {
                    self.read_exactly(from);
                }
                break;
            };
            match work.start {
                Start::Unknown => break,
                Start::At(start) if start == here.offset && Reader::may_join(here) => {
                    self.joined += 1;
                    self.patience = PATIENCE;
                    self.front.reading = Reading::Searched(work.job);
                    self.front.rewound_before = here.rewound;
                    self.front.until = until;
                    self.front.began_at = start;
                    let reports = std::mem::take(&mut work.reports);
                    self.ranges.pop_front();
                    for bytes in reports {
                        self.take_in(Report::read(&bytes)?, captures)?;
                    }
                }
                Start::At(start) if start > here.offset => self.read_exactly(start),
                Start::At(_) => {
                    self.patience = self.patience.saturating_sub(1);
                    self.drop_first();
                    self.read_exactly(until);
                }
                Start::None => self.drop_first(),
            }
        }
        Some(())
    }

    fn read_exactly(&mut self, until: u64) {
        self.front.reading = Reading::Waiting;
        self.front.rewound_before = 0;
        self.front.until = until;
        self.front.began_at = self.front.joint.offset;
    }

    fn drop_first(&mut self) {
        if let Some(range) = self.ranges.pop_front() {
            self.drop_range(range);
        }
    }

    fn drop_range(&mut self, range: Range) {
        let Some(work) = range.work else { return };
        self.wasted += work.taken;
        if !work.has_ended {
            self.cancelled.push(work.job);
            self.dropped.insert(work.job, work.taken);
        }
    }
}
