//! Places from which reading can go on, each with how far the table was when reading came by.

use super::Captures;
use crate::archive::Joint;
use crate::error::{Code, code};
use crate::limits::MARK_ROWS;

/// Only the module of tools is asked for them.
pub(super) const HAS_MARKS: bool = cfg!(feature = "tools");

/// Damage of which a reading of a file tells the first time only, in the order of its bits.
const TOLD_ONCE: [Code; 2] = [code::GZIP_SHARED_MEMBER, code::GZIP_SPLIT_RECORD];

/// Where the reading of a file goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WayOn {
    pub joint: Joint,
    /// What was told of the file once and is not told again, a bit each.
    told: u8,
}

impl WayOn {
    pub(super) fn of(joint: Joint, told: u8) -> WayOn {
        WayOn { joint, told }
    }

    pub(super) fn told(&self) -> u8 {
        self.told
    }

    pub fn has_told(&self, code: Code) -> bool {
        self.told & bit(code) != 0
    }

    /// Damage that was told of the file and is not told again.
    pub fn told_once(&self) -> impl Iterator<Item = Code> {
        TOLD_ONCE.into_iter().filter(|code| self.has_told(code))
    }
}

fn bit(code: Code) -> u8 {
    let at = TOLD_ONCE.iter().position(|once| *once == code);
    at.map_or(0, |at| 1 << at)
}

/// All of a table that lies before a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mark {
    pub rows: usize,
    pub files: usize,
    pub parts: usize,
    pub pages: usize,
    pub facts: usize,
    pub signatures: usize,
    pub damage: usize,
    pub damage_count: u64,
    /// In the file that was begun last; without it all files that were begun are read.
    pub way_on: Option<WayOn>,
}

#[derive(Default)]
pub(super) struct Marks {
    list: Vec<Mark>,
    /// Damage of the file under way, as `WayOn` has it.
    told: u8,
}

impl Marks {
    /// The last mark that lies within so many rows.
    pub fn within(&self, rows: usize) -> Mark {
        let after = self.list.partition_point(|mark| mark.rows <= rows);
        let last = after.checked_sub(1).and_then(|at| self.list.get(at));
        last.copied().unwrap_or_default()
    }

    pub fn note_damage(&mut self, code: Code) {
        if HAS_MARKS {
            self.told |= bit(code);
        }
    }

    /// A place to go on at; those in the same file that lie closely before it are of no use any more.
    fn add(&mut self, mark: Mark) {
        if let [.., before, last] = &self.list[..]
            && last.way_on.is_some()
            && last.files == mark.files
            && mark.rows - before.rows < MARK_ROWS
        {
            self.list.pop();
        }
        self.list.push(mark);
    }
}

impl Captures {
    /// All files that were begun are read to their ends.
    pub fn end_file(&mut self) {
        self.mark(None);
        self.marks.told = 0;
    }

    /// Everything told so far lies before the joint, which is one of the file itself.
    pub fn mark_joint(&mut self, joint: Joint) {
        let told = self.marks.told;
        self.mark(Some(WayOn::of(joint, told)));
    }

    /// Goes on with the file that was begun last.
    pub(super) fn resume(&mut self, way_on: Option<WayOn>) {
        self.marks.told = way_on.map_or(0, |way_on| way_on.told());
        self.mark(way_on);
    }

    fn mark(&mut self, way_on: Option<WayOn>) {
        if !HAS_MARKS {
            return;
        }
        let mark = Mark {
            rows: self.count,
            files: self.files,
            parts: self.parts.len(),
            pages: self.pages.len(),
            facts: self.facts.len(),
            signatures: self.signatures,
            damage: self.damage.len(),
            damage_count: self.damage_count,
            way_on,
        };
        self.marks.add(mark);
    }
}
