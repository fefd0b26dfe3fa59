//! Binary search: ids in the order of their strings, halved until one is left.

use std::cmp::Ordering;

use super::array::Array;
use super::heap::Strings;
use super::layout::{Layout, Ordered, Progress};
use super::pages::{Source, Stop};

pub struct Binary {
    pub strings: Strings,
    pub count: u32,
    /// Ids in the order of their strings.
    pub sorted: Array,
}

impl Layout for Binary {
    fn lookup_id(
        &self,
        string: &[u8],
        progress: &mut Progress,
        source: &mut Source,
    ) -> Result<Option<u32>, Stop> {
        Ok(self.rank(string, progress, source)?.1)
    }

    fn lookup_string(
        &self,
        id: u32,
        into: &mut Vec<u8>,
        progress: &mut Progress,
        source: &mut Source,
    ) -> Result<(), Stop> {
        self.strings.copy(id, into, progress, source)
    }

    fn ordered(&self) -> Option<&dyn Ordered> {
        Some(self)
    }
}

impl Ordered for Binary {
    fn rank(
        &self,
        string: &[u8],
        progress: &mut Progress,
        source: &mut Source,
    ) -> Result<(u32, Option<u32>), Stop> {
        progress.begin(0, u64::from(self.count));
        while progress.low < progress.high {
            let middle = progress.low.midpoint(progress.high);
            let rank = u32::try_from(middle).unwrap_or(u32::MAX);
            let id = self.id_at(rank, source)?;
            match self.strings.compare(id, string, progress, source)? {
                Ordering::Less => progress.low = middle + 1,
                Ordering::Equal => return Ok((rank, Some(id))),
                Ordering::Greater => progress.high = middle,
            }
        }
        Ok((u32::try_from(progress.low).unwrap_or(u32::MAX), None))
    }

    fn id_at(&self, rank: u32, source: &mut Source) -> Result<u32, Stop> {
        let rank = u64::from(rank);
        let id = u32::try_from(self.sorted.get(rank, source)?).unwrap_or(u32::MAX);
        if id >= self.count {
            return Err(source.damaged(self.sorted.place(rank).0));
        }
        Ok(id)
    }
}
