//! Capture indexes: look-ups in them, and making them.

use wasm_bindgen::prelude::*;

use super::engine::Index as Table;
use super::picks::Picks;
use super::seam::{offset_in, offset_out, thrown};
use crate::archive::{self, Format, Parser, Picked};
use crate::cdx::{
    Form, Index, IndexWriter, Indexer, Lookup, Need, Query, Turn, damage_lines, is_cluster_index,
};

/// The URL key under which they file a URL.
#[wasm_bindgen]
pub fn surt(url: &str) -> String {
    archive::surt(url)
}

/// What a file that begins so is to look-ups: the index of a cluster, another index, or neither.
#[wasm_bindgen]
pub fn index_kind(start: &[u8]) -> String {
    if is_cluster_index(start) {
        return "cluster".into();
    }
    match archive::detect(start) {
        Ok(Format::Cdx | Format::CdxGz) => "index".into(),
        _ => String::new(),
    }
}

/// A look-up in the indexes that were added, in which the host reads what is asked for.
#[wasm_bindgen]
pub struct IndexLookup {
    query: Option<Query>,
    indexes: Vec<Index>,
    lookup: Option<Lookup>,
    index: usize,
    need: Option<Need>,
}

#[wasm_bindgen]
impl IndexLookup {
    /// Of options as names and values in turn.
    #[wasm_bindgen(constructor)]
    pub fn new(options: Vec<String>) -> Result<IndexLookup, JsValue> {
        let pairs = options
            .chunks_exact(2)
            .map(|two| (&two[0][..], &two[1][..]));
        Ok(IndexLookup {
            query: Some(Query::parse(pairs).map_err(thrown)?),
            indexes: Vec::new(),
            lookup: None,
            index: 0,
            need: None,
        })
    }

    /// A look-up of every row.
    pub fn of_all() -> IndexLookup {
        IndexLookup {
            query: Some(Query::all()),
            indexes: Vec::new(),
            lookup: None,
            index: 0,
            need: None,
        }
    }

    /// Adds an index of so many bytes, and what the file of places beside it says.
    pub fn add(&mut self, size: f64, places: Option<Vec<u8>>) {
        self.indexes.push(Index {
            size: offset_in(size),
            places,
        });
    }

    /// What to do next: 0 nothing, 1 take output, 2 read what is needed.
    pub fn turn(&mut self) -> Result<u8, JsValue> {
        if let Some(query) = self.query.take() {
            self.lookup = Some(Lookup::new(query, std::mem::take(&mut self.indexes)));
        }
        let Some(lookup) = &mut self.lookup else {
            return Ok(0);
        };
        Ok(match lookup.turn().map_err(thrown)? {
            Turn::Ended => 0,
            Turn::Take => 1,
            Turn::Read(index, need) => {
                self.index = index;
                self.need = Some(need);
                2
            }
        })
    }

    /// The number of the index that is read.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Files beside the index of which the first one that there is must be read; absent for the index itself.
    pub fn paths(&self) -> Option<Vec<String>> {
        self.need.as_ref()?.paths.clone()
    }

    pub fn offset(&self) -> f64 {
        self.need
            .as_ref()
            .map_or(0.0, |need| offset_out(need.offset))
    }

    pub fn bytes(&self) -> usize {
        self.need.as_ref().map_or(0, |need| need.bytes)
    }

    pub fn give(&mut self, bytes: &[u8]) -> Result<(), JsValue> {
        match &mut self.lookup {
            Some(lookup) => lookup.give(bytes).map_err(thrown),
            None => Ok(()),
        }
    }

    pub fn absent(&mut self, why: &str) {
        if let Some(lookup) = &mut self.lookup {
            lookup.absent(why);
        }
    }

    /// Output so far, in whole lines.
    pub fn take(&mut self) -> Vec<u8> {
        self.lookup.as_mut().map_or_else(Vec::new, Lookup::take)
    }

    /// Damage so far, in lines of JSON.
    pub fn damages(&mut self) -> String {
        let lookup = self.lookup.as_mut();
        lookup.map_or_else(String::new, |lookup| damage_lines(&lookup.take_damages()))
    }
}

/// Makes the lines of an index from archives, one after another.
#[wasm_bindgen]
pub struct IndexMaker {
    indexer: Indexer,
    parser: Option<Box<dyn Parser>>,
    picked: Option<Picked>,
    picks: Picks,
}

#[wasm_bindgen]
impl IndexMaker {
    #[wasm_bindgen(constructor)]
    pub fn new(is_cdx11: bool) -> IndexMaker {
        IndexMaker {
            indexer: Indexer::new(form(is_cdx11)),
            parser: None,
            picked: None,
            picks: Picks::default(),
        }
    }

    /// The next archive is one of which some records are picked.
    pub fn open_picks(&mut self, name: &str) {
        self.indexer.begin_file(name);
        self.picked = Some(Picked::default());
    }

    /// Picks a record by its row, before the last one that was picked is read.
    pub fn pick(&mut self, table: &Table, row: usize) -> bool {
        let pick = self.picks.of(table, row);
        let picked = self.picked.as_mut().zip(pick);
        picked.map(|(picked, pick)| picked.pick(pick)).is_some()
    }

    /// How many wait that were picked.
    pub fn waiting(&self) -> usize {
        self.picked.as_ref().map_or(0, Picked::waiting)
    }

    /// Recognises the next archive by its first bytes, which must be fed again.
    pub fn open(&mut self, start: &[u8], size: Option<f64>, name: &str) -> Result<(), JsValue> {
        let format = archive::detect(start).map_err(thrown)?;
        self.indexer.begin_file(name);
        self.parser = Some(archive::parser(format, size.map(offset_in)));
        Ok(())
    }

    /// Only the part of that name counts.
    pub fn choose_part(&mut self, name: &str) {
        self.indexer.naming.choose_part(name.as_bytes());
    }

    pub fn has_found_part(&self) -> bool {
        self.indexer.naming.has_found_chosen()
    }

    pub fn wanted(&self) -> f64 {
        let whole = self.parser.as_ref().map(|parser| parser.wanted());
        let picked = self.picked.as_ref().map(Parser::wanted);
        picked.or(whole).map_or(0.0, offset_out)
    }

    pub fn feed(&mut self, bytes: &[u8]) -> usize {
        match (&mut self.picked, &mut self.parser) {
            (Some(picked), _) => picked.feed(bytes, &mut self.indexer),
            (None, Some(parser)) => parser.feed(bytes, &mut self.indexer),
            (None, None) => bytes.len(),
        }
    }

    pub fn finish(&mut self, end: f64) -> bool {
        match (&mut self.picked, &mut self.parser) {
            (Some(picked), _) => picked.finish(offset_in(end), &mut self.indexer),
            (None, Some(parser)) => parser.finish(offset_in(end), &mut self.indexer),
            (None, None) => true,
        }
    }

    /// Whether the lines must be taken before more is fed.
    pub fn is_full(&self) -> bool {
        use crate::archive::Sink;
        self.indexer.is_full()
    }

    /// The lines so far, sorted.
    pub fn take_run(&mut self) -> Vec<u8> {
        self.indexer.take_run()
    }

    /// Damage so far, in lines of JSON.
    pub fn damages(&mut self) -> String {
        damage_lines(&self.indexer.take_damages())
    }
}

/// Writes sorted lines as an index.
#[wasm_bindgen]
pub struct IndexWriting {
    writer: IndexWriter,
}

#[wasm_bindgen]
impl IndexWriting {
    /// A text, or a cluster of blocks in a part of this name.
    #[wasm_bindgen(constructor)]
    pub fn new(is_cdx11: bool, part: Option<String>) -> IndexWriting {
        let writer = match part {
            Some(part) => IndexWriter::cluster(&part),
            None => IndexWriter::text(form(is_cdx11)),
        };
        IndexWriting { writer }
    }

    pub fn push(&mut self, bytes: &[u8]) {
        self.writer.push(bytes);
    }

    pub fn finish(&mut self) {
        self.writer.finish();
    }

    pub fn take(&mut self) -> Vec<u8> {
        self.writer.take()
    }

    /// The index of a cluster.
    pub fn take_index(&mut self) -> Vec<u8> {
        self.writer.take_index()
    }
}

fn form(is_cdx11: bool) -> Form {
    if is_cdx11 { Form::Cdx11 } else { Form::Cdxj }
}
