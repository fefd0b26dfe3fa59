//! Records that were picked by their rows are read once more, and asked what no index knows of them: methods, headers,
//! what bodies hold.

use crate::archive::{Awaited, Feed, HttpHead, Parser, Part, Pick, Picked, Record, Sink, WarcHead};
use crate::error::{Damage, Error};
use crate::limits::EXAMINE_STEP_BYTES;
use crate::query::{Apart, Facts, Predicate, parse};

/// What came of reading a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Holds,
    HoldsNot,
    /// It is not there, or not all of it, so that nobody knows.
    Unread,
}

impl Outcome {
    pub fn number(self) -> u32 {
        match self {
            Outcome::HoldsNot => 0,
            Outcome::Holds => 1,
            Outcome::Unread => 2,
        }
    }

    fn of(verdict: Option<bool>) -> Outcome {
        match verdict {
            Some(true) => Outcome::Holds,
            Some(false) => Outcome::HoldsNot,
            None => Outcome::Unread,
        }
    }
}

/// Of one file. More may be picked as long as some are waiting.
pub struct Examiner {
    picked: Picked,
    asking: Asking,
}

/// Hears the records that were picked.
struct Asking {
    predicate: Predicate,
    awaited: Awaited,
    /// Of the record that streams by.
    facts: Option<Facts>,
    verdict: Option<bool>,
    outcomes: Vec<(usize, Outcome)>,
    /// Bytes of bodies that were looked at in this step.
    looked_at: usize,
}

impl Examiner {
    /// Asks what of a query records are read for.
    pub fn new(query: &str) -> Result<Examiner, Error> {
        let node = parse(query)?;
        let predicate = Predicate::of_all(&Apart::of(&node)?.examined)?;
        Ok(Examiner {
            picked: Picked::default(),
            asking: Asking {
                predicate,
                awaited: Awaited::default(),
                facts: None,
                verdict: None,
                outcomes: Vec::new(),
                looked_at: 0,
            },
        })
    }

    /// Of a row of an index only, nothing can be read.
    pub fn pick(&mut self, pick: Pick) {
        if pick.part.format.is_index() {
            return self.pass_over(pick.row);
        }
        self.asking.awaited.add(&pick);
        self.picked.pick(pick);
    }

    /// There is no such record.
    pub fn pass_over(&mut self, row: usize) {
        self.asking.outcomes.push((row, Outcome::Unread));
    }

    /// How many are picked that are not being read.
    pub fn waiting(&self) -> usize {
        self.picked.waiting()
    }

    /// What came of rows since the last call.
    pub fn take(&mut self) -> Vec<(usize, Outcome)> {
        std::mem::take(&mut self.asking.outcomes)
    }
}

impl Feed for Examiner {
    fn wanted(&self) -> u64 {
        self.picked.wanted()
    }

    /// Takes what there is time for: many records may lie in few bytes.
    fn feed(&mut self, bytes: &[u8]) -> usize {
        self.asking.looked_at = 0;
        self.picked.feed(bytes, &mut self.asking)
    }

    fn finish(&mut self, end: u64) -> bool {
        self.asking.looked_at = 0;
        let is_done = self.picked.finish(end, &mut self.asking);
        if is_done {
            // What is not there any more cannot be asked.
            let rest = self.asking.awaited.end();
            rest.into_iter().for_each(|row| self.pass_over(row));
        }
        is_done
    }
}

impl Asking {
    fn decide(&mut self) {
        if let Some(facts) = self.facts.as_ref().filter(|_| self.verdict.is_none()) {
            self.verdict = self.predicate.holds(facts);
        }
    }
}

impl Sink for Asking {
    fn part(&mut self, part: &Part) {
        self.awaited.part(part);
    }

    fn begin(&mut self, head: &WarcHead) {
        self.facts = Some(Facts::begin(head, &self.predicate));
        self.verdict = None;
        self.decide();
    }

    fn http(&mut self, head: &HttpHead) {
        if let Some(facts) = &mut self.facts {
            facts.http(head, &self.predicate);
        }
        self.decide();
    }

    fn body(&mut self, bytes: &[u8]) {
        if let Some(facts) = self.facts.as_mut().filter(|_| self.verdict.is_none()) {
            facts.body(bytes, &self.predicate);
            self.looked_at += bytes.len();
        }
        self.decide();
    }

    fn end(&mut self, record: &Record) {
        if let Some(facts) = &mut self.facts {
            facts.end(record, &self.predicate);
        }
        self.decide();
        self.facts = None;
        let mut rows = self.awaited.rows_up_to(record);
        let Some(row) = rows.pop() else {
            return;
        };
        let lost = rows.into_iter().map(|row| (row, Outcome::Unread));
        self.outcomes.extend(lost);
        self.outcomes.push((row, Outcome::of(self.verdict)));
    }

    fn abandon(&mut self) {
        self.facts = None;
    }

    fn damage(&mut self, _damage: Damage) {}

    fn wants_body(&self) -> bool {
        let facts = self.facts.as_ref().filter(|_| self.verdict.is_none());
        facts.is_none_or(Facts::wants_body)
    }

    fn is_full(&self) -> bool {
        self.looked_at >= EXAMINE_STEP_BYTES
    }
}
