//! Brute force: strings are compared one after another, in the order of their ids.

use super::heap::Strings;
use super::layout::{Layout, Progress};
use super::pages::{Source, Stop};

pub struct Brute {
    pub strings: Strings,
    pub count: u32,
}

impl Layout for Brute {
    fn lookup_id(
        &self,
        string: &[u8],
        progress: &mut Progress,
        source: &mut Source,
    ) -> Result<Option<u32>, Stop> {
        progress.begin(0, u64::from(self.count));
        while let Ok(id) = u32::try_from(progress.low)
            && progress.low < progress.high
        {
            if self.strings.is(id, string, progress, source)? {
                return Ok(Some(id));
            }
            progress.low += 1;
        }
        Ok(None)
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
}
