//! What can be searched of the rows of an index, and searches of it, each known by a number.

use wasm_bindgen::prelude::*;

use super::index::{KeptIndex, MORE};
use super::numbers::{offset_in, offset_out};
use crate::search::{SearchIndex, SearchManifest, settle};

#[wasm_bindgen]
impl KeptIndex {
    /// From now on what rows say is kept so that it can be searched.
    pub fn begin_search(&mut self) {
        self.search = Some(SearchIndex::default());
    }

    pub fn open_search(&mut self, manifest: &[u8]) -> Result<u32, JsValue> {
        let manifest = SearchManifest::read(manifest)
            .ok_or_else(|| JsValue::from_str("store/damaged\n\nA manifest of searches is none."))?;
        let opened = SearchIndex::open(&manifest, &mut self.blocks);
        Ok(self.done(opened, |this, search| this.search = Some(search)))
    }

    pub fn search_manifest(&self) -> Vec<u8> {
        let search = self.search.as_ref();
        search.map_or(Vec::new(), |search| search.manifest().to_bytes())
    }

    /// Rows below this one can be searched; those in a draft are counted.
    pub fn search_rows(&self) -> f64 {
        offset_out(self.search.as_ref().map_or(0, SearchIndex::next))
    }

    /// Those below this one are in segments.
    pub fn search_end(&self) -> f64 {
        offset_out(self.search.as_ref().map_or(0, SearchIndex::end))
    }

    pub fn is_search_full(&self) -> bool {
        self.search.as_ref().is_some_and(SearchIndex::is_full)
    }

    /// Takes in documents whose rows are there, and makes rows searchable. `MORE` where drafts are to be flushed before.
    pub fn settle(&mut self) -> u32 {
        let settled = settle(
            &self.index,
            self.documents.as_mut(),
            self.search.as_mut(),
            &mut self.blocks,
        );
        match settled {
            Ok(false) => MORE,
            settled => self.done(settled, |_, _| {}),
        }
    }

    pub fn flush_search(&mut self, id: f64) -> Vec<u8> {
        let search = self.search.as_mut();
        search.map_or(Vec::new(), |search| search.flush(offset_in(id)))
    }

    pub fn adopt_search(&mut self, file: u32, bytes: f64) -> u32 {
        let adopted = match &mut self.search {
            Some(search) => search.adopt(file, offset_in(bytes), &mut self.blocks),
            None => Ok(()),
        };
        self.done(adopted, |_, ()| {})
    }

    /// Begins to make fewer segments, gone on with as for rows.
    pub fn begin_merge_search(&mut self, id: f64, is_all: bool) -> bool {
        let search = self.search.as_mut();
        search.is_some_and(|search| search.begin_merge(offset_in(id), is_all))
    }
}
