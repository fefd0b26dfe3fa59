//! What is kept of a document, and the keys by which it is found:
//!
//!   facts := kind flags title language description icon canonical redirect base text-bytes links
//! Texts have their lengths before them, all else is varints. The flags are those of `Document::write`, and 8: the
//! text is not kept. FORMAT.md 11 has the sections.

use crate::codec::{Reader, Writer, push_varint};
use crate::document::{Document, DocumentKind, Link, LinkKind};
use crate::limits::{FACT_BYTES_MAX, TITLE_KEY_BYTES_MAX};
use crate::row::Row;
use crate::segment::{Grams, Kind, Order};

pub const FACTS: &[u8] = b"facts";
pub const KINDS: &[u8] = b"kind";
pub const LINKS: &[u8] = b"links";
pub const TEXT: &[u8] = b"text";

const SORTED: Kind = Kind {
    order: Order::ByKey,
    is_weighed: false,
    grams: Grams::Unknown,
};

/// What documents can be listed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentOrder {
    /// As their records lie in the files.
    File,
    /// By letters, whether capital or not; those without a title come last, by URL.
    Title,
    Time,
}

impl DocumentOrder {
    pub const ALL: [DocumentOrder; 3] = [
        DocumentOrder::File,
        DocumentOrder::Title,
        DocumentOrder::Time,
    ];

    pub fn from_number(number: u8) -> Option<DocumentOrder> {
        DocumentOrder::ALL.get(usize::from(number)).copied()
    }

    pub fn section(self) -> &'static [u8] {
        match self {
            DocumentOrder::File => b"file",
            DocumentOrder::Title => b"title",
            DocumentOrder::Time => b"time",
        }
    }
}

/// The sections of a segment of documents, and those of a segment of their texts.
pub fn sections() -> Vec<(&'static [u8], Kind)> {
    let orders = DocumentOrder::ALL.map(DocumentOrder::section);
    let names = [FACTS].into_iter().chain(orders).chain([KINDS, LINKS]);
    names.map(|name| (name, SORTED)).collect()
}

pub fn text_sections() -> Vec<(&'static [u8], Kind)> {
    vec![(TEXT, SORTED)]
}

/// Documents that are listed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentList<'a> {
    /// Web pages in all languages.
    Pages,
    /// Those in one language; `NO_LANGUAGE` for those that are in none that is known.
    Language(&'a str),
    /// What is no web page, by what it is.
    Kind(DocumentKind),
}

/// Stands for a language that is not known, as it does in language tags.
pub const NO_LANGUAGE: &str = "und";
/// No list's name has it.
const END_OF_LIST: u8 = 0;
const LANGUAGE: u8 = b'=';
const OF_KIND: u8 = b'+';
/// Longer language tags are none.
const LANGUAGE_BYTES_MAX: usize = 35;

impl DocumentList<'_> {
    /// What keys of the list begin with; `behind` is the first key that is behind them.
    pub fn prefix(&self) -> Vec<u8> {
        let mut key = match self {
            DocumentList::Pages => Vec::new(),
            DocumentList::Language(language) => [&[LANGUAGE], language.as_bytes()].concat(),
            DocumentList::Kind(kind) => vec![OF_KIND, kind_byte(*kind)],
        };
        key.push(END_OF_LIST);
        key
    }

    pub fn behind(&self) -> Vec<u8> {
        let mut key = self.prefix();
        key.pop();
        key.push(END_OF_LIST + 1);
        key
    }
}

/// Where the lists of languages begin and end.
pub const LANGUAGES: [&[u8]; 2] = [&[LANGUAGE], &[LANGUAGE + 1]];

/// The language in a key of such a list.
pub fn language_of(key: &[u8]) -> &[u8] {
    let rest = key.get(1..).unwrap_or_default();
    rest.split(|byte| *byte == END_OF_LIST)
        .next()
        .unwrap_or_default()
}

/// The lists that a document is in: redirects and fragments are in none.
pub fn lists(document: &Document) -> Vec<DocumentList<'_>> {
    if document.is_fragment || document.kind == DocumentKind::Redirect {
        return Vec::new();
    }
    match document.kind {
        DocumentKind::Html | DocumentKind::Xhtml | DocumentKind::Pdf => vec![
            DocumentList::Pages,
            DocumentList::Language(match tag(&document.language) {
                "" => NO_LANGUAGE,
                tag => tag,
            }),
        ],
        kind => vec![DocumentList::Kind(kind)],
    }
}

/// The language, where it is written as one is.
pub fn tag(language: &str) -> &str {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let is_tag = language.len() <= LANGUAGE_BYTES_MAX && language.bytes().all(is_letter);
    if is_tag { language } else { "" }
}

/// Numbers in keys are big-endian, so that they sort by their bytes.
pub fn row_key(row: u64) -> [u8; 8] {
    row.to_be_bytes()
}

pub fn piece_key(row: u64, piece: u32) -> Vec<u8> {
    [&row_key(row)[..], &piece.to_be_bytes()].concat()
}

/// The row and the piece in such a key.
pub fn piece_of(key: &[u8]) -> Option<(u64, u32)> {
    let (row, piece) = key.split_first_chunk::<8>()?;
    let piece: [u8; 4] = piece.try_into().ok()?;
    Some((u64::from_be_bytes(*row), u32::from_be_bytes(piece)))
}

pub fn kind_key(kind: DocumentKind, is_fragment: bool) -> Vec<u8> {
    vec![kind_byte(kind), u8::from(is_fragment)]
}

fn kind_byte(kind: DocumentKind) -> u8 {
    u8::try_from(kind.number()).unwrap_or(u8::MAX)
}

/// Stands in a key for what has no date: behind everything that has.
const NO_DATE: u32 = u32::MAX;
const TITLED: u8 = 0;
const UNTITLED: u8 = 1;

/// The key of a document in an order, behind the prefix of a list.
pub fn order_key(order: DocumentOrder, document: &Document, row: &Row) -> Vec<u8> {
    match order {
        DocumentOrder::File => row_key(document.row).to_vec(),
        DocumentOrder::Time => row.date.unwrap_or(NO_DATE).to_be_bytes().to_vec(),
        DocumentOrder::Title => {
            let title = folded(&document.title);
            let (mark, text) = if title.is_empty() {
                (UNTITLED, row.url.as_slice())
            } else {
                (TITLED, title.as_bytes())
            };
            let mut key = vec![mark];
            key.extend(&text[..text.len().min(TITLE_KEY_BYTES_MAX)]);
            key
        }
    }
}

/// In small letters, white space taken together; not longer than a key needs.
fn folded(title: &str) -> String {
    let mut folded = String::new();
    for word in title.split_whitespace() {
        if folded.len() >= TITLE_KEY_BYTES_MAX {
            break;
        }
        if !folded.is_empty() {
            folded.push(' ');
        }
        let letters = word.chars().take(TITLE_KEY_BYTES_MAX);
        folded.extend(letters.flat_map(char::to_lowercase));
    }
    folded
}

pub fn row_value(row: u64) -> Vec<u8> {
    let mut value = Vec::new();
    push_varint(&mut value, row);
    value
}

pub fn row_of(value: &[u8]) -> Option<u64> {
    Reader::new(value).varint()
}

const TEXT_NOT_KEPT: u64 = 8;

pub fn facts(document: &Document, is_text_kept: bool) -> Vec<u8> {
    let mut out = Writer::new();
    out.varint(document.kind.number());
    let dropped = if is_text_kept { 0 } else { TEXT_NOT_KEPT };
    out.varint(document.flags() | dropped);
    out.bytes(cut(&document.title).as_bytes());
    out.bytes(tag(&document.language).as_bytes());
    out.bytes(cut(&document.description).as_bytes());
    for url in [
        &document.icon,
        &document.canonical,
        &document.redirect,
        &document.base,
    ] {
        // Half a URL is none.
        let url = Some(url).filter(|url| url.len() <= FACT_BYTES_MAX);
        out.bytes(url.map_or(&[], |url| url.as_bytes()));
    }
    out.varint(document.text.len() as u64);
    out.varint(document.links.len() as u64);
    out.finish()
}

/// Whether facts are of a document whose text is kept.
pub fn has_text(facts: &[u8]) -> bool {
    let mut reader = Reader::new(facts);
    let flags = reader.varint().and_then(|_| reader.varint());
    flags.is_some_and(|flags| flags & TEXT_NOT_KEPT == 0)
}

/// A document as its facts tell it, without links, with the text that is kept; `None` where these are none.
pub fn read_facts(row: u64, facts: &[u8], text: Vec<u8>) -> Option<Document> {
    let mut reader = Reader::new(facts);
    let kind = DocumentKind::from_number(reader.varint()?)?;
    let flags = reader.varint()?;
    let mut next = || {
        let length = usize::try_from(reader.varint()?).ok()?;
        Some(String::from_utf8_lossy(reader.take(length)?).into_owned())
    };
    let mut document = Document {
        row,
        kind,
        title: next()?,
        language: next()?,
        description: next()?,
        icon: next()?,
        canonical: next()?,
        redirect: next()?,
        base: next()?,
        text: String::from_utf8_lossy(&text).into_owned(),
        ..Document::default()
    };
    document.set_flags(flags);
    Some(document)
}

fn cut(text: &str) -> &str {
    let mut end = text.len().min(FACT_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

pub fn write_links(links: &[Link]) -> Vec<u8> {
    let mut out = Writer::new();
    for Link { kind, url } in links {
        out.varint(kind.number());
        out.bytes(url.as_bytes());
    }
    out.finish()
}

/// `None` where these are none.
pub fn read_links(bytes: &[u8]) -> Option<Vec<Link>> {
    let mut reader = Reader::new(bytes);
    let mut links = Vec::new();
    while !reader.is_empty() {
        let kind = LinkKind::from_number(reader.varint()?)?;
        let length = usize::try_from(reader.varint()?).ok()?;
        let url = String::from_utf8(reader.take(length)?.to_vec()).ok()?;
        links.push(Link { kind, url });
    }
    Some(links)
}
