//! Rows by the values of a field.

use super::Found;
use super::check::{Check, Look};
use crate::query::Matcher;
use crate::search::facets::{Go, Walk};
use crate::search::source::Source;
use crate::segment::{Blocks, Stop};

/// Entries that are taken in one step.
const ENTRIES_A_STEP: usize = 1024;
/// Values that are looked up to be counted; more are not worth it.
const WEIGHED_MAX: usize = 64;

pub struct ValueSearch {
    field: String,
    looks: Vec<Look>,
    check: Check,
    next: usize,
    walk: Option<Walk>,
    /// Values that were met, and those that fit.
    met: u64,
    fitting: u64,
    /// The last one that fits: its rows may stand in several entries.
    last: Option<Vec<u8>>,
}

impl ValueSearch {
    pub fn new(field: &str, looks: Vec<Look>, check: Check) -> ValueSearch {
        ValueSearch {
            field: field.to_owned(),
            looks,
            check,
            next: 0,
            walk: None,
            met: 0,
            fitting: 0,
            last: None,
        }
    }

    pub fn field(&self) -> &str {
        &self.field
    }

    /// What values are asked, where it is no number and no time.
    pub fn matcher(&self) -> Option<&Matcher> {
        match &self.check {
            Check::Fits(fits) => Some(fits.matcher()),
            _ => None,
        }
    }

    /// The value, where only one is looked for.
    pub fn only_value(&self) -> Option<Vec<u8>> {
        match (self.looks.as_slice(), &self.check) {
            ([Look::Value(value)], Check::All) => Some(value.clone()),
            _ => None,
        }
    }

    /// How many rows the values have among which it looks.
    pub fn weight(&self, source: &Source<'_>, blocks: &mut Blocks) -> Result<u64, Stop> {
        let facets = source.facets();
        let mut weight = 0u64;
        for look in self.looks.iter().take(WEIGHED_MAX) {
            weight = weight.saturating_add(match look {
                Look::Value(value) => facets.count(&self.field, value, blocks)?,
                Look::Prefix(prefix) => facets.count_of_prefix(&self.field, prefix, blocks)?,
            });
        }
        Ok(weight)
    }

    /// The same, unread.
    pub fn guess(&self) -> u64 {
        let is_value = |look: &Look| matches!(look, Look::Value(_));
        if self.looks.iter().all(is_value) {
            1 << 10
        } else {
            1 << 18
        }
    }

    pub fn step(
        &mut self,
        source: &Source<'_>,
        found: &mut Found<'_>,
        blocks: &mut Blocks,
    ) -> Result<bool, Stop> {
        let facets = source.facets();
        // Of values that are looked up by themselves many are had in one step.
        for _ in 0..ENTRIES_A_STEP {
            let Some(look) = self.looks.get(self.next) else {
                found.tell(&self.what(), found.rows.len());
                return Ok(true);
            };
            let walk = self.walk.get_or_insert_with(|| match look {
                Look::Value(value) => Walk::over_value(&self.field, value),
                Look::Prefix(prefix) => Walk::over_prefix(&self.field, prefix),
            });
            let (check, last) = (&self.check, &mut self.last);
            let (met, fitting) = (&mut self.met, &mut self.fitting);
            let mut common = Vec::new();
            let is_over = walk.step(&facets, blocks, ENTRIES_A_STEP, &mut |value, high, set| {
                // A value that no row has which still matters is not asked.
                if let Some(within) = found.within {
                    common.clear();
                    set.common(high, within, |row| common.push(row));
                    if common.is_empty() {
                        return Go::ToNext;
                    }
                }
                if last.as_deref() != Some(&*value) {
                    *met += 1;
                    if !check.fits(&value) {
                        return Go::BehindValue;
                    }
                    *fitting += 1;
                    *last = Some(value.into_owned());
                }
                match found.within {
                    Some(_) => found.rows.extend(&common),
                    None => set.add_to(high, found.rows),
                }
                Go::ToNext
            })?;
            if !is_over {
                return Ok(false);
            }
            self.walk = None;
            self.last = None;
            self.next += 1;
        }
        Ok(false)
    }

    fn what(&self) -> String {
        let field = &self.field;
        let how = match (self.looks.as_slice(), &self.check) {
            (_, Check::All) if self.looks.iter().all(|look| matches!(look, Look::Value(_))) => {
                return match self.looks.as_slice() {
                    [Look::Value(_)] => format!("{field}: one value looked up"),
                    looks => format!("{field}: {} values looked up", looks.len()),
                };
            }
            ([Look::Prefix(prefix)], _) if prefix.is_empty() => "all values".to_owned(),
            (looks, _) => {
                let shown = looks.iter().take(4).map(|look| match look {
                    Look::Value(value) => format!("{:?}", String::from_utf8_lossy(value)),
                    Look::Prefix(prefix) => format!("{:?}*", String::from_utf8_lossy(prefix)),
                });
                let shown = shown.collect::<Vec<_>>().join(", ");
                let more = looks.len().saturating_sub(4);
                if more > 0 {
                    format!("values {shown} and {more} more")
                } else {
                    format!("values {shown}")
                }
            }
        };
        format!("{field}: {how}, {} met, {} fit", self.met, self.fitting)
    }
}

impl Found<'_> {
    pub fn tell(&mut self, what: &str, rows: u64) {
        self.plan.push(super::Step {
            what: what.to_owned(),
            rows,
        });
    }
}
