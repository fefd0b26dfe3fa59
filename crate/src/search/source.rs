//! What a query may read of an archive.

use super::facets::Facets;
use super::kept::SearchIndex;
use crate::index::{Documents, Index};

/// The rows of the archive, what their documents say, and the words and facets of both. The index has every row that
/// the search has in segments.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    pub search: &'a SearchIndex,
    pub index: &'a Index,
    pub documents: Option<&'a Documents>,
}

impl<'a> Source<'a> {
    pub fn facets(&self) -> Facets<'a> {
        Facets::new(self.search.segments())
    }

    /// The first row that cannot be found.
    pub fn end(&self) -> u32 {
        u32::try_from(self.search.end()).unwrap_or(u32::MAX)
    }
}
