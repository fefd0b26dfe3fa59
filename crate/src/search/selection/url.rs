//! Rows by their URLs: one URL from the column that is sorted by them; those of one host from the facets; of what is left
//! each row is asked.

use std::ops::Range;

use roaring::RoaringBitmap;

use super::Found;
use super::check::{Check, Fits, Look};
use super::values::ValueSearch;
use super::{Progress, Step};
use crate::archive::surt;
use crate::index::{Column, RowGroups, Window};
use crate::order;
use crate::query::{Matcher, after_scheme, fits_url, host_of};
use crate::search::source::Source;
use crate::segment::{Blocks, GramsWanted, Stop};

const ROWS_A_STEP: usize = 1024;
/// Rows that are not asked are read all the same where so few lie between those that are.
const ROWS_BETWEEN: u64 = 64;
/// So few rows are asked without looking for those that may do.
const ROWS_FEW: u64 = 1024;

pub struct UrlSearch {
    fits: Fits,
    looks: Vec<Look>,
    has_scheme: bool,
    state: State,
}

enum State {
    Begin,
    /// The rows of some hosts, and those of URLs without a scheme.
    Values(Vec<ValueSearch>, RoaringBitmap),
    /// Entries of one URL key in its column.
    Key([u64; 2], RoaringBitmap),
    /// Rows whose URLs may hold what is wanted of them.
    Groups(GramsWanted, RowGroups, RoaringBitmap),
    /// Rows that are asked, and the next of them.
    Rows(Option<RoaringBitmap>, u32),
}

impl UrlSearch {
    /// `has_scheme` where what is behind a URL's scheme is not asked by itself.
    pub fn new(matcher: Matcher, has_scheme: bool) -> UrlSearch {
        let (fits, looks) = Fits::new(matcher);
        UrlSearch {
            fits,
            looks,
            has_scheme,
            state: State::Begin,
        }
    }

    pub fn weight(&self, source: &Source<'_>, blocks: &mut Blocks) -> Result<u64, Stop> {
        if let Some(key) = self.key() {
            let [from, to] = entries(&key, source, blocks)?;
            return Ok(to - from);
        }
        match self.hosts() {
            Some(hosts) => hosts.weight(source, blocks),
            None => Ok(u64::from(source.end())),
        }
    }

    /// The key of the one URL that is asked for.
    fn key(&self) -> Option<String> {
        match self.fits.matcher() {
            Matcher::Exact(text) if self.has_scheme => Some(surt(std::str::from_utf8(text).ok()?)),
            _ => None,
        }
    }

    /// The hosts that URLs which fit are of, where all of them begin with one.
    fn hosts(&self) -> Option<ValueSearch> {
        let mut hosts = Vec::new();
        for look in &self.looks {
            let (text, is_all) = match look {
                Look::Value(text) => (text, true),
                Look::Prefix(text) => (text, false),
            };
            let begins = match (after_scheme(text), self.has_scheme) {
                (Some(rest), _) => rest,
                (None, true) => return None,
                (None, false) => text,
            };
            let is_ended = begins
                .iter()
                .any(|byte| matches!(byte, b'/' | b'?' | b'#' | b'\\'));
            if !is_ended && !is_all {
                return None;
            }
            let host = host_of(&[b"x://", begins].concat())?;
            hosts.push(Look::Value(host));
        }
        order::sort_by(&mut hosts, Ord::cmp);
        hosts.dedup();
        Some(ValueSearch::new("host", hosts, Check::All))
    }

    pub fn step(
        &mut self,
        source: &Source<'_>,
        found: &mut Found<'_>,
        blocks: &mut Blocks,
    ) -> Result<bool, Stop> {
        match &mut self.state {
            State::Begin => {
                self.state = if let Some(key) = self.key() {
                    State::Key(entries(&key, source, blocks)?, RoaringBitmap::new())
                } else if let Some(hosts) = self.hosts() {
                    let mut searches = vec![hosts];
                    if !self.has_scheme {
                        let looks = vec![Look::Value(Vec::new())];
                        searches.push(ValueSearch::new("scheme", looks, Check::All));
                    }
                    State::Values(searches, RoaringBitmap::new())
                } else {
                    let wanted = GramsWanted::new(self.fits.literals());
                    let is_few = found.within.is_some_and(|rows| rows.len() <= ROWS_FEW);
                    if wanted.is_empty() || is_few {
                        State::Rows(None, 0)
                    } else {
                        State::Groups(wanted, RowGroups::default(), RoaringBitmap::new())
                    }
                };
                Ok(false)
            }
            State::Groups(wanted, next, rows) => {
                let mut add = |group: Range<u64>| {
                    let [from, to] =
                        [group.start, group.end].map(|row| u32::try_from(row).unwrap_or(u32::MAX));
                    rows.insert_range(from..to.min(source.end()).max(from));
                };
                if source
                    .index
                    .visit_may_hold(wanted, next, blocks, &mut add)?
                {
                    found.tell("url: rows without its letters passed over", rows.len());
                    self.state = State::Rows(Some(std::mem::take(rows)), 0);
                }
                Ok(false)
            }
            State::Values(searches, rows) => {
                let Some(search) = searches.last_mut() else {
                    self.state = State::Rows(Some(std::mem::take(rows)), 0);
                    return Ok(false);
                };
                let mut inner = Found {
                    rows,
                    plan: found.plan,
                    progress: &mut Progress::default(),
                    within: found.within,
                };
                if search.step(source, &mut inner, blocks)? {
                    searches.pop();
                }
                Ok(false)
            }
            State::Key([from, to], rows) => {
                if from >= to {
                    found.plan.push(Step {
                        what: "url: column read".into(),
                        rows: rows.len(),
                    });
                    self.state = State::Rows(Some(std::mem::take(rows)), 0);
                    return Ok(false);
                }
                let window = Window {
                    from: *from,
                    count: usize::try_from(*to - *from)
                        .unwrap_or(ROWS_A_STEP)
                        .min(ROWS_A_STEP),
                    is_descending: false,
                };
                let numbers = source.index.window(Column::Url, window, blocks)?;
                *from += window.count as u64;
                rows.extend(
                    numbers
                        .into_iter()
                        .filter_map(|row| u32::try_from(row).ok()),
                );
                Ok(false)
            }
            State::Rows(candidates, next) => {
                let candidates = candidates.as_ref();
                let asked = Asked {
                    fits: &self.fits,
                    has_scheme: self.has_scheme,
                    candidates,
                };
                let is_over = asked.ask(next, source, found, blocks)?;
                if is_over {
                    let seen = found.progress.seen;
                    found.tell(&format!("url: {seen} rows asked"), found.rows.len());
                }
                Ok(is_over)
            }
        }
    }
}

/// Rows that are asked for their URLs.
struct Asked<'a> {
    fits: &'a Fits,
    has_scheme: bool,
    candidates: Option<&'a RoaringBitmap>,
}

impl Asked<'_> {
    fn fits(&self, url: &[u8]) -> bool {
        if self.has_scheme {
            self.fits.fits(url)
        } else {
            fits_url(self.fits.matcher(), url)
        }
    }

    fn is_candidate(&self, row: u32, found: &Found<'_>) -> bool {
        let sets = [self.candidates, found.within];
        sets.into_iter().flatten().all(|set| set.contains(row))
    }

    /// The next row that is to be asked.
    fn next(&self, from: u32, end: u32, found: &Found<'_>) -> Option<u32> {
        let few = match (self.candidates, found.within) {
            (Some(a), Some(b)) if a.len() <= b.len() => a,
            (_, Some(b)) => b,
            (Some(a), None) => a,
            (None, None) => return (from < end).then_some(from),
        };
        let mut rows = few.range(from..end);
        rows.find(|row| self.is_candidate(*row, found))
    }

    fn ask(
        &self,
        next: &mut u32,
        source: &Source<'_>,
        found: &mut Found<'_>,
        blocks: &mut Blocks,
    ) -> Result<bool, Stop> {
        let end = source.end();
        if *next == 0 {
            found.progress.candidates = match (self.candidates, found.within) {
                (Some(a), Some(b)) => a.intersection_len(b),
                (Some(only), None) | (None, Some(only)) => only.len(),
                (None, None) => u64::from(end),
            };
        }
        let Some(first) = self.next(*next, end, found) else {
            return Ok(true);
        };
        let (mut passed, mut asked) = (0, 0);
        source
            .index
            .visit_urls(u64::from(first), blocks, |number, url| {
                let Some(row) = u32::try_from(number).ok().filter(|row| *row < end) else {
                    *next = end;
                    return false;
                };
                if self.is_candidate(row, found) {
                    passed = 0;
                    found.progress.seen += 1;
                    if self.fits(url) {
                        found.rows.insert(row);
                    }
                } else {
                    passed += 1;
                }
                *next = row + 1;
                asked += 1;
                asked < ROWS_A_STEP && passed < ROWS_BETWEEN
            })?;
        // Behind the last row of the index there is none.
        if asked == 0 {
            *next = end;
        }
        Ok(false)
    }
}

/// The entries of the column of URLs that have this key.
fn entries(key: &str, source: &Source<'_>, blocks: &mut Blocks) -> Result<[u64; 2], Stop> {
    let [first, behind] = [b' ', b'!'].map(|end| [key.as_bytes(), &[end]].concat());
    let from = source.index.rank(Column::Url, &first, blocks)?.entries;
    let to = source.index.rank(Column::Url, &behind, blocks)?.entries;
    Ok([from, to.max(from)])
}
