//! What is kept of documents beside the rows of an index.

use wasm_bindgen::prelude::*;

use super::index::{DONE, KeptIndex};
use super::numbers::{offset_in, offset_out};
use crate::codec::Writer;
use crate::document::DocumentKind;
use crate::index::{
    DocumentList, DocumentOrder, Documents, DocumentsManifest, Index, Long, Window,
};
use crate::segment::{Blocks, Stop};

#[wasm_bindgen]
impl KeptIndex {
    /// From now on documents are kept with the rows, which there are none of yet.
    pub fn begin_documents(&mut self) {
        self.documents = Some(Documents::default());
    }

    pub fn open_documents(&mut self, manifest: &[u8]) -> Result<u32, JsValue> {
        let manifest = DocumentsManifest::read(manifest).ok_or_else(|| {
            JsValue::from_str("store/damaged\n\nA manifest of documents is none.")
        })?;
        let opened = Documents::open(&manifest, &mut self.blocks);
        Ok(self.done(opened, |this, documents| this.documents = Some(documents)))
    }

    pub fn has_documents(&self) -> bool {
        self.documents.is_some()
    }

    /// Documents of rows below this one have come.
    pub fn documents_end(&self) -> f64 {
        offset_out(self.documents.as_ref().map_or(0, Documents::end))
    }

    /// Takes documents one after another, all there are of rows from `from` to `end`, and keeps those that have rows by
    /// `settle`. False where they are none, or some before them are missing.
    pub fn add_documents(&mut self, documents: &[u8], from: f64, end: f64) -> bool {
        let kept = self.documents.as_mut();
        kept.is_some_and(|kept| kept.add(documents, offset_in(from), offset_in(end)))
    }

    /// The file of a segment of facts, or of texts, that are in none yet; empty where there is nothing.
    pub fn flush_documents(&mut self, is_of_texts: bool, id: f64) -> Vec<u8> {
        let documents = self.documents.as_mut();
        documents.map_or(Vec::new(), |documents| {
            documents.flush(is_of_texts, offset_in(id))
        })
    }

    pub fn adopt_documents(&mut self, is_of_texts: bool, file: u32, bytes: f64) -> u32 {
        let adopted = match &mut self.documents {
            Some(documents) => {
                documents.adopt(is_of_texts, file, offset_in(bytes), &mut self.blocks)
            }
            None => Ok(()),
        };
        self.done(adopted, |_, ()| {})
    }

    /// Begins to make fewer segments of documents, gone on with as for rows.
    pub fn begin_merge_documents(&mut self, id: f64, is_all: bool) -> bool {
        let documents = self.documents.as_mut();
        documents.is_some_and(|documents| documents.begin_merge(offset_in(id), is_all))
    }

    /// Of the rows that are in segments; empty where no documents are kept.
    pub fn documents_manifest(&self) -> Vec<u8> {
        let documents = self.documents.as_ref();
        documents.map_or(Vec::new(), |documents| {
            documents.manifest(self.index.kept_rows()).to_bytes()
        })
    }

    // Reading. A list is of web pages, in one language or all, or of documents of another kind.

    /// How many documents a list has, in `rank_entries`.
    pub fn count_documents(&mut self, language: Option<String>, kind: Option<u8>) -> u32 {
        self.read(
            |documents, _, blocks| documents.count(list(language.as_deref(), kind), blocks),
            |this, count| this.rank.entries = count,
        )
    }

    /// Rows as the table of records tells them, each with the facts of its document, and their length, behind it.
    pub fn list_documents(
        &mut self,
        language: Option<String>,
        kind: Option<u8>,
        order: u8,
        from: f64,
        count: usize,
        is_descending: bool,
    ) -> u32 {
        let window = Window {
            from: offset_in(from),
            count,
            is_descending,
        };
        let order = DocumentOrder::from_number(order).unwrap_or(DocumentOrder::File);
        self.read(
            |documents, index, blocks| {
                let list = list(language.as_deref(), kind);
                let mut out = Writer::new();
                for row in documents.list(list, order, window, blocks)? {
                    tell(documents, index, row, blocks, &mut out)?;
                }
                Ok(out.finish())
            },
            |this, value| this.value = value,
        )
    }

    /// The same of one row; empty where it has no document.
    pub fn document_of(&mut self, row: f64) -> u32 {
        self.read(
            |documents, index, blocks| {
                let mut out = Writer::new();
                tell(documents, index, offset_in(row), blocks, &mut out)?;
                Ok(out.finish())
            },
            |this, value| this.value = value,
        )
    }

    /// So many pieces of a document's text, or of its links, from one on; `pieces_told` are fewer where it ends.
    pub fn document_pieces(&mut self, is_text: bool, row: f64, from: u32, count: u32) -> u32 {
        let long = if is_text { Long::Text } else { Long::Links };
        self.read(
            |documents, _, blocks| documents.pieces(long, offset_in(row), from, count, blocks),
            |this, (told, value)| {
                this.told = u64::from(told);
                this.value = value;
            },
        )
    }

    pub fn pieces_told(&self) -> f64 {
        offset_out(self.told)
    }

    /// The languages of web pages and how many there are of each: names with their lengths, counts.
    pub fn document_languages(&mut self) -> u32 {
        self.read(
            |documents, _, blocks| {
                let mut out = Writer::new();
                for (language, count) in documents.languages(blocks)? {
                    out.bytes(language.as_bytes());
                    out.varint(count);
                }
                Ok(out.finish())
            },
            |this, value| this.value = value,
        )
    }

    /// Of each kind how many documents there are that are no fragments, and how many that are.
    pub fn document_kinds(&mut self) -> u32 {
        self.read(
            |documents, _, blocks| {
                let mut out = Writer::new();
                for kind in (0..).map_while(DocumentKind::from_number) {
                    out.varint(documents.of_kind(kind, false, blocks)?);
                    out.varint(documents.of_kind(kind, true, blocks)?);
                }
                Ok(out.finish())
            },
            |this, value| this.value = value,
        )
    }
}

impl KeptIndex {
    /// Asks documents, where they are kept.
    fn read<T>(
        &mut self,
        ask: impl FnOnce(&Documents, &Index, &mut Blocks) -> Result<T, Stop>,
        take: impl FnOnce(&mut Self, T),
    ) -> u32 {
        self.value.clear();
        self.told = 0;
        self.rank.entries = 0;
        let Some(documents) = &self.documents else {
            return DONE;
        };
        let found = ask(documents, &self.index, &mut self.blocks);
        self.done(found, take)
    }
}

fn list(language: Option<&str>, kind: Option<u8>) -> DocumentList<'_> {
    let kind = kind.and_then(|kind| DocumentKind::from_number(u64::from(kind)));
    match (language, kind) {
        (_, Some(kind)) => DocumentList::Kind(kind),
        (Some(language), None) => DocumentList::Language(language),
        (None, None) => DocumentList::Pages,
    }
}

fn tell(
    documents: &Documents,
    index: &Index,
    number: u64,
    blocks: &mut Blocks,
    out: &mut Writer,
) -> Result<(), Stop> {
    let Some(facts) = documents.facts(number, blocks)? else {
        return Ok(());
    };
    if let Some((part, row)) = index.row(number, blocks)? {
        row.tell(number, part, out);
        out.bytes(&facts);
    }
    Ok(())
}
