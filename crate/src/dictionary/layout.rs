//! What every layout answers.

use super::pages::{Place, Source, Stop};

/// How far a look-up is: it goes on from there when what was missing is there. A new one for each look-up.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    pub(super) is_begun: bool,
    /// Between these the string is, in whatever the layout counts.
    pub(super) low: u64,
    pub(super) high: u64,
    /// Strings that are below all that is still looked at.
    pub(super) below: u64,
    /// The node of a tree that is looked at, and how many there are above it.
    pub(super) node: Place,
    pub(super) depth: u32,
    /// Bytes of the string at hand that were compared or copied.
    pub(super) done: u64,
}

impl Progress {
    /// Begins where it has not begun.
    pub(super) fn begin(&mut self, low: u64, high: u64) {
        if !self.is_begun {
            *self = Progress {
                is_begun: true,
                low,
                high,
                ..Progress::default()
            };
        }
    }
}

pub trait Layout {
    /// The id of a string.
    fn lookup_id(
        &self,
        string: &[u8],
        progress: &mut Progress,
        source: &mut Source,
    ) -> Result<Option<u32>, Stop>;

    /// Appends the string of an id that there is.
    fn lookup_string(
        &self,
        id: u32,
        into: &mut Vec<u8>,
        progress: &mut Progress,
        source: &mut Source,
    ) -> Result<(), Stop>;

    /// The strings in their order, where the layout has one.
    fn ordered(&self) -> Option<&dyn Ordered> {
        None
    }

    /// Bytes of memory that the pages of a filter take, where there is one.
    fn filter_bytes(&self) -> u64 {
        0
    }

    /// Bytes of memory that are taken besides pages and the layout's own few numbers.
    fn held(&self) -> usize {
        0
    }
}

/// Strings in the order of their bytes.
pub trait Ordered {
    /// How many strings are below this one, and its id where it is there.
    fn rank(
        &self,
        string: &[u8],
        progress: &mut Progress,
        source: &mut Source,
    ) -> Result<(u32, Option<u32>), Stop>;

    /// The id of the string that so many are below.
    fn id_at(&self, rank: u32, source: &mut Source) -> Result<u32, Stop>;
}
