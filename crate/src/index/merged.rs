//! One column of several segments as if it were one list: its entries by key, those of the same key in the order of
//! the segments.

use crate::segment::{Blocks, Cursor, Rank, Section, Segment, Stop};

pub struct Merged<'a> {
    parts: Vec<(&'a Segment, &'a Section)>,
}

impl<'a> Merged<'a> {
    pub fn new(segments: impl Iterator<Item = &'a Segment>, name: &[u8]) -> Merged<'a> {
        let parts = segments.filter_map(|segment| Some((segment, segment.section(name)?)));
        Merged {
            parts: parts.collect(),
        }
    }

    /// All entries.
    pub fn whole(&self) -> Rank {
        let ranks = self.parts.iter().map(|(_, section)| Rank {
            entries: section.entries,
            weight: section.weight,
        });
        ranks.fold(Rank::default(), sum)
    }

    /// What is before the first entry whose key is not below `key`.
    pub fn rank(&self, key: &[u8], blocks: &mut Blocks) -> Result<Rank, Stop> {
        let mut whole = Rank::default();
        for (segment, section) in &self.parts {
            whole = sum(whole, segment.rank(section, key, blocks)?);
        }
        Ok(whole)
    }

    /// Calls `visit` with the entries from one on, until there are no more or it returns false.
    pub fn visit(
        &self,
        from: u64,
        blocks: &mut Blocks,
        mut visit: impl FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<(), Stop> {
        let starts = self.starts(from, blocks)?;
        let parts = self.parts.iter().zip(starts);
        let mut cursors: Vec<(&Segment, Cursor)> = parts
            .map(|((segment, section), start)| (*segment, Cursor::new(section, start)))
            .collect();
        loop {
            let mut least: Option<(usize, Vec<u8>)> = None;
            let is_only = cursors.len() == 1;
            for (n, (segment, cursor)) in cursors.iter_mut().enumerate() {
                let Some((key, _)) = cursor.read(segment, blocks)? else {
                    continue;
                };
                if is_only {
                    least = Some((n, Vec::new()));
                } else if least
                    .as_ref()
                    .is_none_or(|(_, other)| key < other.as_slice())
                {
                    least = Some((n, key.to_vec()));
                }
            }
            let Some((segment, cursor)) = least.and_then(|(n, _)| cursors.get_mut(n)) else {
                return Ok(());
            };
            if let Some((key, value)) = cursor.read(segment, blocks)?
                && !visit(key, value)
            {
                return Ok(());
            }
            cursor.go_on();
        }
    }

    /// Of each segment the number of its entries that are among the first `count` of all.
    fn starts(&self, count: u64, blocks: &mut Blocks) -> Result<Vec<u64>, Stop> {
        let mut low = vec![0; self.parts.len()];
        let mut high: Vec<u64> = self.parts.iter().map(|part| part.1.entries).collect();
        if count >= high.iter().sum() {
            return Ok(high);
        }
        loop {
            let widths = low.iter().zip(&high).map(|(low, high)| high - low);
            let widest = widths.enumerate().max_by_key(|(_, width)| *width);
            let Some((part, _)) = widest.filter(|(_, width)| *width > 0) else {
                return Ok(low);
            };
            if self.parts.len() == 1 {
                return Ok(vec![count]);
            }
            // Every segment's share of what is below a key in the middle of the widest range, and of what is not above.
            let middle = low[part].midpoint(high[part]);
            let (segment, section) = self.parts[part];
            let mut cursor = Cursor::new(section, middle);
            let key = cursor.read(segment, blocks)?.map(|(key, _)| key.to_vec());
            let mut behind = key.unwrap_or_default();
            let key = behind.clone();
            behind.push(0);
            let (mut below, mut upto) = (Vec::new(), Vec::new());
            for (n, (segment, section)) in self.parts.iter().enumerate() {
                let clamp = |rank: Rank| rank.entries.clamp(low[n], high[n]);
                below.push(clamp(segment.rank(section, &key, blocks)?));
                upto.push(clamp(segment.rank(section, &behind, blocks)?));
            }
            // What is not in order, as no writer makes it, must not go on for ever.
            below[part] = below[part].min(middle);
            upto[part] = upto[part].max(middle + 1);
            let (first, last) = (below.iter().sum::<u64>(), upto.iter().sum::<u64>());
            if count <= first {
                high = below;
            } else if count >= last {
                low = upto;
            } else {
                let mut left = count - first;
                for (start, end) in below.iter_mut().zip(upto) {
                    let taken = left.min(end - *start);
                    *start += taken;
                    left -= taken;
                }
                return Ok(below);
            }
        }
    }
}

fn sum(a: Rank, b: Rank) -> Rank {
    Rank {
        entries: a.entries.saturating_add(b.entries),
        weight: a.weight.saturating_add(b.weight),
    }
}
