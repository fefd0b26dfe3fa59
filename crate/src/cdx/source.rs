//! An index that is looked up in: its rows with the keys that are asked for, in order, from the pieces of it
//! that it asks for.
//!
//! A sorted text is searched and read on from there; so is the index of a ZipNum cluster, whose blocks are
//! then read one by one. What is short, compressed without an index, or not in the order of its keys (as
//! indexes with keys that are no SURT) is read whole, and the rows that are asked for are put in order.

use std::collections::VecDeque;

use super::cluster::Cluster;
use super::line::{Layout, Line, Row};
use super::scope::Scope;
use super::search::Search;
use super::zipnum;
use crate::archive::{Place, RowReader, RowSink, surt};
use crate::error::{Damage, Error, code};
use crate::limits::{
    CDX_LOOK_LINES_MAX, LOOKUP_HELD_BYTES_MAX, LOOKUP_KEPT_BYTES_MAX, LOOKUP_READ_BYTES,
    LOOKUP_WHOLE_BYTES_MAX,
};
use crate::order;

/// Bytes that the host must read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// Of the index itself; or of the first of these files, named from the index, that there is.
    pub paths: Option<Vec<String>>,
    pub offset: u64,
    pub bytes: usize,
}

impl Need {
    pub fn of_index(offset: u64, bytes: usize) -> Need {
        Need {
            paths: None,
            offset,
            bytes,
        }
    }
}

/// What a source can do next.
#[derive(Debug)]
pub enum Step {
    Need(Need),
    /// A row is at hand.
    Row,
    End,
}

/// Rows on their way from a reader.
#[derive(Debug)]
pub struct Rows {
    scope: Scope,
    rows: VecDeque<Row>,
    bytes: usize,
    /// All rows are wanted before the first one is taken.
    is_whole: bool,
    /// Keys are made of URLs.
    makes_keys: bool,
    /// A row beyond the keys that are asked for was seen.
    is_over: bool,
    is_unsorted: bool,
    last: (Vec<u8>, Vec<u8>),
    pub damages: Vec<Damage>,
}

impl Rows {
    pub fn new(scope: Scope, is_whole: bool, makes_keys: bool) -> Rows {
        Rows {
            scope,
            rows: VecDeque::new(),
            bytes: 0,
            is_whole,
            makes_keys,
            is_over: false,
            is_unsorted: false,
            last: Default::default(),
            damages: Vec::new(),
        }
    }

    pub fn first(&self) -> Option<&Row> {
        self.rows.front()
    }

    pub fn take(&mut self) -> Option<Row> {
        let row = self.rows.pop_front()?;
        self.bytes -= row.line.len();
        Some(row)
    }

    pub fn is_over(&self) -> bool {
        self.is_over
    }

    fn sort(&mut self) {
        let mut rows = Vec::from(std::mem::take(&mut self.rows));
        order::sort_by(&mut rows, |a, b| {
            (&a.key, &a.timestamp, &a.line).cmp(&(&b.key, &b.timestamp, &b.line))
        });
        self.rows = rows.into();
    }

    fn is_too_much(&self) -> bool {
        self.is_whole && self.bytes > LOOKUP_KEPT_BYTES_MAX
    }
}

impl RowSink for Rows {
    fn row(&mut self, mut row: Row, _place: Place, _taken: u64) {
        if self.makes_keys
            && let Some(url) = row.said("url")
        {
            row.key = surt(&String::from_utf8_lossy(&url)).into_bytes();
        }
        if !self.is_whole {
            if (&row.key, &row.timestamp) < (&self.last.0, &self.last.1) {
                self.is_unsorted = true;
            }
            self.last = (row.key.clone(), row.timestamp.clone());
            self.is_over |= self.scope.is_beyond(&row.key);
        }
        if self.scope.contains(&row.key) {
            self.bytes += row.line.len();
            self.rows.push_back(row);
        }
    }

    fn damage(&mut self, damage: Damage) {
        self.damages.push(damage);
    }

    fn is_full(&self) -> bool {
        if self.is_whole {
            self.is_too_much()
        } else {
            self.is_over || self.bytes > LOOKUP_HELD_BYTES_MAX
        }
    }
}

enum State {
    /// The first bytes say what the index is.
    Head,
    Searching {
        search: Search,
        layout: Layout,
    },
    Reading(Box<RowReader>),
    Cluster(Box<Cluster>),
    Ended,
}

/// An index.
pub struct Source {
    size: u64,
    places: Option<Vec<u8>>,
    scope: Scope,
    state: State,
    rows: Rows,
    is_gzip: bool,
    has_told: bool,
}

impl Source {
    /// An index of so many bytes. `places` is what the file of places beside the index of a cluster says.
    pub fn new(size: u64, places: Option<Vec<u8>>, scope: Scope) -> Source {
        Source {
            size,
            places,
            rows: Rows::new(scope.clone(), false, false),
            scope,
            state: State::Head,
            is_gzip: false,
            has_told: false,
        }
    }

    /// The cluster that the index turned out to be.
    pub fn cluster(&mut self) -> Option<&mut Cluster> {
        match &mut self.state {
            State::Cluster(cluster) => Some(cluster),
            _ => None,
        }
    }

    /// Whether the first bytes have said what the index is.
    pub fn is_known(&self) -> bool {
        !matches!(self.state, State::Head)
    }

    pub fn step(&mut self) -> Result<Step, Error> {
        if let State::Cluster(cluster) = &mut self.state {
            return cluster.step();
        }
        // Of what is read whole, the first row is known at the end.
        let is_ready = !self.rows.is_whole || matches!(self.state, State::Ended);
        if is_ready && self.rows.first().is_some() {
            return Ok(Step::Row);
        }
        if self.rows.is_too_much() {
            let message = "too many rows of an index that is not sorted: sort it first";
            return Err(Error::new(code::TOO_MANY_ROWS, message));
        }
        if self.rows.is_over() {
            self.state = State::Ended;
        }
        let (offset, bytes) = match &self.state {
            State::Head => (0, LOOKUP_READ_BYTES),
            State::Searching { search, .. } => search.need().unwrap_or_default(),
            State::Reading(reader) => (reader.wanted(), LOOKUP_READ_BYTES),
            State::Cluster(_) | State::Ended => return Ok(Step::End),
        };
        Ok(Step::Need(Need::of_index(offset, bytes)))
    }

    /// The row at hand.
    pub fn first(&self) -> Option<&Row> {
        match &self.state {
            State::Cluster(cluster) => cluster.rows.first(),
            _ => self.rows.first(),
        }
    }

    pub fn take(&mut self) -> Option<Row> {
        self.has_told = true;
        match &mut self.state {
            State::Cluster(cluster) => cluster.rows.take(),
            _ => self.rows.take(),
        }
    }

    /// Takes what was read of what was needed: fewer bytes only where the file ends.
    pub fn give(&mut self, bytes: &[u8]) -> Result<(), Error> {
        match &mut self.state {
            State::Head => self.begin(bytes),
            State::Searching { search, .. } => {
                search.give(bytes);
                self.go_on();
                Ok(())
            }
            State::Reading(reader) => {
                let is_end = reader.wanted() + bytes.len() as u64 >= self.size;
                let taken = reader.feed(bytes, &mut self.rows);
                let is_done = is_end
                    && taken == bytes.len()
                    && reader.wanted() >= self.size
                    && reader.finish(self.size, &mut self.rows);
                if bytes.is_empty() || is_done {
                    self.end();
                }
                self.check_order();
                Ok(())
            }
            State::Cluster(cluster) => {
                cluster.give(bytes);
                Ok(())
            }
            State::Ended => Ok(()),
        }
    }

    /// None of the files that were needed can be read.
    pub fn absent(&mut self, why: &str) {
        if let State::Cluster(cluster) = &mut self.state {
            cluster.absent(why);
        } else {
            self.end();
        }
    }

    pub fn damages(&mut self) -> Vec<Damage> {
        let rows = match &mut self.state {
            State::Cluster(cluster) => &mut cluster.rows,
            _ => &mut self.rows,
        };
        std::mem::take(&mut rows.damages)
    }

    fn begin(&mut self, start: &[u8]) -> Result<(), Error> {
        self.is_gzip = start.starts_with(&[0x1f, 0x8b]);
        if !self.is_gzip && zipnum::looks_like_index(start) {
            let (size, scope) = (self.size, self.scope.clone());
            let cluster = Cluster::new(size, self.places.take(), scope, start);
            self.state = State::Cluster(Box::new(cluster));
            return Ok(());
        }
        if self.is_gzip {
            let is_whole = self.size <= LOOKUP_WHOLE_BYTES_MAX;
            self.read(is_whole, false, 0, Layout::default());
            return Ok(());
        }
        let head = look(start, start.len() as u64 >= self.size);
        if !head.is_index && !start.trim_ascii().is_empty() {
            let message = "expected a capture index (CDX, CDXJ or ZipNum) to look up in";
            return Err(Error::new(code::NOT_AN_INDEX, message));
        }
        if self.size <= LOOKUP_READ_BYTES as u64 || !head.is_sorted {
            self.read(true, head.makes_keys, 0, Layout::default());
            return Ok(());
        }
        let key = self.scope.start.clone();
        let search = Search::new(key, head.layout.separator(), head.first, self.size);
        self.state = State::Searching {
            search,
            layout: head.layout,
        };
        self.go_on();
        Ok(())
    }

    /// Reads on where a search has found from where.
    fn go_on(&mut self) {
        let State::Searching { search, layout } = &mut self.state else {
            return;
        };
        if search.is_unsorted() {
            self.read(true, false, 0, Layout::default());
        } else if search.need().is_none() {
            let (low, layout) = (search.low(), std::mem::take(layout));
            self.read(false, false, low, layout);
        }
    }

    fn read(&mut self, is_whole: bool, makes_keys: bool, from: u64, layout: Layout) {
        self.rows = Rows::new(self.scope.clone(), is_whole, makes_keys);
        let reader = RowReader::at(self.is_gzip, (from, 0), layout);
        self.state = State::Reading(Box::new(reader));
    }

    fn end(&mut self) {
        self.state = State::Ended;
        if self.rows.is_whole {
            self.rows.sort();
        }
    }

    /// What turns out not to be sorted is read again, whole; if it is too late for that, it is told.
    fn check_order(&mut self) {
        if !self.rows.is_unsorted {
            return;
        }
        if self.has_told {
            self.rows.is_unsorted = false;
            self.rows.damages.push(Damage {
                code: code::CDX_UNSORTED,
                offset: 0,
                skipped: 0,
                message: "this index is not sorted by its keys: rows may be missing".into(),
            });
        } else {
            self.read(true, false, 0, Layout::default());
        }
    }
}

/// What the beginning of a text says.
struct Head {
    layout: Layout,
    /// Where the first row begins.
    first: u64,
    has_rows: bool,
    /// Whether a line of it is one of an index, or its first line goes on beyond what is known.
    is_index: bool,
    /// False where rows are lines of JSON, or their keys are no SURT.
    is_sorted: bool,
    makes_keys: bool,
}

fn look(start: &[u8], is_all: bool) -> Head {
    let mut head = Head {
        layout: Layout::default(),
        first: 0,
        has_rows: false,
        is_index: false,
        is_sorted: true,
        makes_keys: false,
    };
    let mut at = 0u64;
    let mut lines = start.split(|&byte| byte == b'\n').peekable();
    let mut looked = 0;
    while let Some(line) = lines.next()
        && looked < CDX_LOOK_LINES_MAX
    {
        // The last line may go on beyond what is known.
        if lines.peek().is_none() && !is_all {
            head.is_index |= looked == 0;
            break;
        }
        looked += 1;
        let next = at + line.len() as u64 + 1;
        match Line::parse(line, &head.layout) {
            Line::Header(layout) => {
                head.layout = layout;
                head.first = next;
                head.has_rows = true;
            }
            Line::Remark if !head.has_rows => head.first = next,
            Line::Row(row) => {
                head.has_rows = true;
                head.is_sorted &= !row.line.starts_with(b"{");
                if !row.key.contains(&b')') && has_other_key(&row) {
                    head.makes_keys = true;
                    head.is_sorted = false;
                }
            }
            _ => {}
        }
        at = next;
    }
    head.is_index |= head.has_rows;
    head
}

fn has_other_key(row: &Row) -> bool {
    row.said("url")
        .is_some_and(|url| surt(&String::from_utf8_lossy(&url)).contains(')'))
}
