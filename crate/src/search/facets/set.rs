//! The rows of one value that share their upper 16 bits, in the shortest of these forms:
//!
//!   set := low:u16                        where there is one row
//!        | 1 low:u16*                     one after another
//!        | 2 (first:u16 more:u16)*        runs, and how many rows of each follow its first
//!        | 3 bits:[u8; 8192]              lowest bit first
//! Rows ascend, runs do not touch. Anything else is damage.

use roaring::RoaringBitmap;

use super::key::parted;
use crate::codec::{Reader, Writer};

const LOWS: u8 = 1;
const RUNS: u8 = 2;
const BITS: u8 = 3;
const BITS_BYTES: usize = 8192;
/// Where others are so many times fewer, each of them is looked for.
const FEW_TIMES: u64 = 8;

/// A set as it stands in an entry.
#[derive(Clone, Copy)]
pub struct Set<'a> {
    rows: u32,
    form: Form<'a>,
}

#[derive(Clone, Copy)]
enum Form<'a> {
    One(u16),
    Lows(&'a [[u8; 2]]),
    Runs(&'a [[u8; 2]]),
    Bits(&'a [u8]),
}

/// The value of an entry with these rows, which ascend.
pub fn write(lows: &[u16]) -> Vec<u8> {
    let mut out = Writer::new();
    out.varint(lows.len() as u64);
    if let [low] = lows {
        out.raw(&low.to_le_bytes());
        return out.finish();
    }
    let runs = runs_of(lows);
    let (lows_bytes, runs_bytes) = (2 * lows.len(), 4 * runs.len());
    if runs_bytes < lows_bytes.min(BITS_BYTES) {
        out.raw(&[RUNS]);
        for (first, more) in runs {
            out.raw(&first.to_le_bytes());
            out.raw(&more.to_le_bytes());
        }
    } else if lows_bytes < BITS_BYTES {
        out.raw(&[LOWS]);
        lows.iter().for_each(|low| out.raw(&low.to_le_bytes()));
    } else {
        let mut bits = vec![0u8; BITS_BYTES];
        for low in lows {
            bits[usize::from(low / 8)] |= 1 << (low % 8);
        }
        out.raw(&[BITS]);
        out.raw(&bits);
    }
    out.finish()
}

fn runs_of(lows: &[u16]) -> Vec<(u16, u16)> {
    let mut runs: Vec<(u16, u16)> = Vec::new();
    for low in lows {
        match runs.last_mut() {
            Some((first, more)) if u32::from(*first) + u32::from(*more) + 1 == u32::from(*low) => {
                *more += 1;
            }
            _ => runs.push((*low, 0)),
        }
    }
    runs
}

impl<'a> Set<'a> {
    /// The set in the value of an entry; `None` where this is none.
    pub fn read(value: &'a [u8]) -> Option<Set<'a>> {
        let mut reader = Reader::new(value);
        let rows = u32::try_from(reader.varint()?).ok()?;
        if rows == 1 {
            let form = Form::One(reader.u16()?);
            return reader.is_empty().then_some(Set { rows, form });
        }
        let [form] = *reader.take(1)? else {
            return None;
        };
        let bytes = reader.take(reader.left())?;
        let (pairs, rest) = bytes.as_chunks::<2>();
        if !rest.is_empty() {
            return None;
        }
        let form = match form {
            LOWS => Form::Lows(pairs),
            RUNS if pairs.len().is_multiple_of(2) => Form::Runs(pairs),
            BITS if bytes.len() == BITS_BYTES => Form::Bits(bytes),
            _ => return None,
        };
        let set = Set { rows, form };
        (set.counted()? == rows).then_some(set)
    }

    /// How many rows there are, where they are as they should be.
    fn counted(&self) -> Option<u32> {
        match self.form {
            Form::One(_) => Some(1),
            Form::Lows(lows) => {
                let lows = || lows.iter().map(|low| u16::from_le_bytes(*low));
                let ascend = lows().zip(lows().skip(1)).all(|(a, b)| a < b);
                u32::try_from(lows().len()).ok().filter(|_| ascend)
            }
            Form::Runs(_) => {
                let (mut rows, mut next) = (0, 0);
                for (first, more) in self.runs() {
                    let last = u32::from(first) + u32::from(more);
                    if u32::from(first) < next || last > u32::from(u16::MAX) {
                        return None;
                    }
                    rows += u32::from(more) + 1;
                    next = last + 2;
                }
                Some(rows)
            }
            Form::Bits(bits) => {
                let (words, _) = bits.as_chunks::<8>();
                let words = words.iter().map(|word| u64::from_le_bytes(*word));
                Some(words.map(u64::count_ones).sum())
            }
        }
    }

    fn runs(&self) -> impl Iterator<Item = (u16, u16)> {
        let pairs = match self.form {
            Form::Runs(pairs) => pairs,
            _ => &[],
        };
        let (runs, _) = pairs.as_chunks::<2>();
        runs.iter()
            .map(|[first, more]| (u16::from_le_bytes(*first), u16::from_le_bytes(*more)))
    }

    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// Adds the rows to others.
    pub fn add_to(&self, high: u16, rows: &mut RoaringBitmap) {
        let base = u32::from(high) << 16;
        match self.form {
            Form::One(low) => {
                rows.insert(base + u32::from(low));
            }
            Form::Lows(lows) => {
                let all = lows
                    .iter()
                    .map(|low| base + u32::from(u16::from_le_bytes(*low)));
                if rows.max().is_none_or(|last| last < base) {
                    // They ascend: nothing is left over.
                    let _ = rows.append(all);
                } else {
                    rows.extend(all);
                }
            }
            Form::Runs(_) => {
                for (first, more) in self.runs() {
                    let first = base + u32::from(first);
                    rows.insert_range(first..=first + u32::from(more));
                }
            }
            Form::Bits(bits) => *rows |= RoaringBitmap::from_lsb0_bytes(base, bits),
        }
    }

    /// Calls `found` with the rows that others have too.
    pub fn common(&self, high: u16, others: &RoaringBitmap, mut found: impl FnMut(u32)) {
        let base = u32::from(high) << 16;
        match self.form {
            Form::One(low) => {
                let row = base + u32::from(low);
                if others.contains(row) {
                    found(row);
                }
            }
            Form::Lows(lows) => {
                let row_of = |low: &[u8; 2]| base + u32::from(u16::from_le_bytes(*low));
                let count = others.range_cardinality(base..=base + 0xffff);
                let is_few = count.saturating_mul(FEW_TIMES) < lows.len() as u64;
                if is_few {
                    let others = others.range(base..=base + 0xffff);
                    let is_there = |row: &u32| lows.binary_search_by_key(row, row_of).is_ok();
                    others.filter(is_there).for_each(found);
                } else {
                    let rows = lows.iter().map(row_of);
                    rows.filter(|row| others.contains(*row)).for_each(found);
                }
            }
            Form::Runs(_) => {
                for (first, more) in self.runs() {
                    let first = base + u32::from(first);
                    others
                        .range(first..=first + u32::from(more))
                        .for_each(&mut found);
                }
            }
            Form::Bits(bits) => {
                for row in others.range(base..=base + 0xffff) {
                    let low = row - base;
                    let byte = usize::try_from(low / 8).ok().and_then(|at| bits.get(at));
                    if byte.is_some_and(|byte| byte >> (low % 8) & 1 == 1) {
                        found(row);
                    }
                }
            }
        }
    }

    /// How many rows others have too.
    pub fn common_count(&self, high: u16, others: &RoaringBitmap) -> u64 {
        let base = u32::from(high) << 16;
        let all = others.range_cardinality(base..=base + 0xffff);
        if let Form::Bits(bits) = self.form
            && all > 4096
        {
            return RoaringBitmap::from_lsb0_bytes(base, bits).intersection_len(others);
        }
        let mut count = 0;
        if all > 0 {
            self.common(high, others, |_| count += 1);
        }
        count
    }
}

/// The value of two entries of one key as one; `None` where their keys are not the same, or one of them is damaged.
/// Sections `facets` that are merged are joined by it.
pub fn join_facets(key_a: &[u8], a: &[u8], key_b: &[u8], b: &[u8]) -> Option<Vec<u8>> {
    if key_a != key_b {
        return None;
    }
    parted(key_a)?;
    let mut rows = RoaringBitmap::new();
    Set::read(a)?.add_to(0, &mut rows);
    Set::read(b)?.add_to(0, &mut rows);
    let lows: Option<Vec<u16>> = rows.iter().map(|row| u16::try_from(row).ok()).collect();
    Some(write(&lows?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> Vec<Vec<u16>> {
        let every = |step: usize| (0..=u16::MAX).step_by(step).collect::<Vec<_>>();
        vec![
            vec![0],
            vec![u16::MAX],
            vec![1, 2],
            vec![1, 5, 9],
            (100..300).collect(),
            every(1),
            every(3),
            every(100),
            (0..400).chain(5000..5001).chain(65_000..=65_535).collect(),
        ]
    }

    #[test]
    fn every_form_comes_back_and_counts_with_others() {
        let samples = samples();
        for lows in &samples {
            let value = write(lows);
            let set = Set::read(&value).expect("a set");
            let mut rows = RoaringBitmap::new();
            set.add_to(7, &mut rows);
            let expected: Vec<u32> = lows.iter().map(|low| (7 << 16) + u32::from(*low)).collect();
            assert_eq!(rows.iter().collect::<Vec<_>>(), expected);
            for other in &samples {
                let mut others: RoaringBitmap = other
                    .iter()
                    .map(|low| (7 << 16) + u32::from(*low))
                    .collect();
                others.insert(5);
                others.insert(8 << 16);
                let expected = rows.intersection_len(&others);
                assert_eq!(set.common_count(7, &others), expected);
                let mut found = RoaringBitmap::new();
                set.common(7, &others, |row| {
                    found.insert(row);
                });
                assert_eq!(found.len(), expected);
                let key = b"f\0v\0\0\x07";
                let joined = join_facets(key, &value, key, &write(other)).expect("joined");
                let union: std::collections::BTreeSet<u16> =
                    lows.iter().chain(other).copied().collect();
                assert_eq!(joined, write(&union.into_iter().collect::<Vec<_>>()));
            }
        }
        assert!(join_facets(b"f\0v\0\0\x07", &[1, 0, 0], b"f\0v\0\0\x08", &[1, 0, 0]).is_none());
    }

    #[test]
    fn what_no_writer_makes_is_refused_and_nothing_panics() {
        for lows in samples() {
            let value = write(&lows);
            let step = 1 + value.len() / 400;
            for end in (0..value.len()).step_by(step) {
                assert!(
                    Set::read(&value[..end]).is_none(),
                    "{end} of {}",
                    value.len()
                );
            }
            for at in (0..value.len()).step_by(step) {
                for bit in 0..8 {
                    let mut bad = value.clone();
                    bad[at] ^= 1 << bit;
                    if let Some(set) = Set::read(&bad) {
                        let mut rows = RoaringBitmap::new();
                        set.add_to(u16::MAX, &mut rows);
                        assert_eq!(rows.len(), u64::from(set.rows()));
                        set.common(u16::MAX, &rows.clone(), |_| {});
                    }
                }
            }
        }
    }
}
