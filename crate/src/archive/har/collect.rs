//! The tokens of a HAR file, put into an entry: what is open, which string is being read, and what it is for.

use super::super::aside::Page;
use super::super::json_stream::{Digits, Shape, TextFault};
use super::super::warc::{RecordType, has_prefix};
use super::entry::Entry;
use crate::error::{Code, code};
use crate::limits::HAR_TEXT_BYTES_MAX;

const KEY_BYTES_MAX: usize = 20;

pub const RESPONSE: RecordType = RecordType::Response;
pub const REQUEST: RecordType = RecordType::Request;

/// What a bracket that is open holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Several documents in an array.
    Several,
    Document,
    Log,
    Pages,
    Page,
    Entries,
    Entry,
    Message(RecordType),
    Headers(RecordType),
    Header(RecordType),
    Content,
    Post,
    Params,
    Param,
    Other,
}

/// Where the string that is being read goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    Key,
    PageId,
    PageTitle,
    PageStarted,
    Started,
    Address,
    Method,
    Url,
    Version(RecordType),
    Status,
    StatusText,
    Redirect,
    Name,
    Value,
    Mime(RecordType),
    Encoding(RecordType),
    Body(RecordType),
}

/// The name of a member, as far as names of interest go.
#[derive(Clone, Copy, Debug, Default)]
struct Key {
    bytes: [u8; KEY_BYTES_MAX],
    len: usize,
}

impl Key {
    fn push(&mut self, text: &[u8]) {
        for &byte in text {
            if let Some(slot) = self.bytes.get_mut(self.len) {
                *slot = byte;
            }
            self.len = self.len.saturating_add(1);
        }
    }

    fn name(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }
}

/// What becomes of a string that begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Its pieces go to `text`.
    Kept,
    None,
}

/// What ends with a bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closed {
    Entry,
    Page,
    Other,
}

/// Whether there is room for more of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    Enough,
    /// This body is now longer than what is held of one.
    TooLong(RecordType),
}

#[derive(Default)]
pub struct Collector {
    places: Vec<Place>,
    key: Key,
    pub slot: Option<Slot>,
    /// Of the header or form field that is being read.
    name: Vec<u8>,
    value: Vec<u8>,
    pub entry: Entry,
    page: Page,
    /// What could not be read as it should be in the entry, once of each kind.
    pub faults: Vec<(Code, &'static str)>,
    pub has_entries: bool,
    /// The response is being told already.
    pub is_told: bool,
}

impl Collector {
    /// Nothing is open but the entries of a log; or one of them too, which begins at the place given.
    pub fn go_inside(&mut self, entry: Option<u64>) {
        self.places = vec![Place::Document, Place::Log, Place::Entries];
        self.slot = None;
        self.has_entries = true;
        if let Some(offset) = entry {
            self.places.push(Place::Entry);
            self.begin_entry(offset);
        }
    }

    pub fn is_in_entry(&self) -> bool {
        self.places.contains(&Place::Entry)
    }

    pub fn is_outside(&self) -> bool {
        self.places.is_empty()
    }

    fn begin_entry(&mut self, offset: u64) {
        self.entry.begin(offset);
        self.faults.clear();
        self.is_told = false;
    }

    pub fn open(&mut self, shape: Shape, at: u64) {
        let is_object = shape == Shape::Object;
        let top = self.places.last().copied();
        let place = match (top, self.key.name(), is_object) {
            (None | Some(Place::Several), _, true) => Place::Document,
            (None, _, false) => Place::Several,
            (Some(Place::Document), b"log", true) => Place::Log,
            (Some(Place::Log), b"pages", false) => Place::Pages,
            (Some(Place::Pages), _, true) => Place::Page,
            (Some(Place::Log), b"entries", false) => Place::Entries,
            (Some(Place::Entries), _, true) => Place::Entry,
            (Some(Place::Entry), b"request", true) => Place::Message(REQUEST),
            (Some(Place::Entry), b"response", true) if !self.is_told => Place::Message(RESPONSE),
            (Some(Place::Message(kind)), b"headers", false) => Place::Headers(kind),
            (Some(Place::Headers(kind)), _, true) => Place::Header(kind),
            (Some(Place::Message(RESPONSE)), b"content", true) => Place::Content,
            (Some(Place::Message(REQUEST)), b"postData", true) => Place::Post,
            (Some(Place::Post), b"params", false) => Place::Params,
            (Some(Place::Params), _, true) => Place::Param,
            _ => Place::Other,
        };
        match place {
            Place::Entries => self.has_entries = true,
            Place::Entry => self.begin_entry(at),
            Place::Page => self.page = Page::default(),
            Place::Message(kind) => self.entry.message(kind).begin(),
            Place::Header(_) | Place::Param => {
                self.name.clear();
                self.value.clear();
            }
            _ => {}
        }
        self.places.push(place);
    }

    /// A bracket closes. Returns what ends with it.
    pub fn close(&mut self) -> Closed {
        match self.places.pop() {
            Some(Place::Header(kind)) => {
                let fits = self.entry.message(kind).field(&self.name, &self.value);
                if !fits {
                    self.fault(
                        code::HAR_TOO_LARGE,
                        "headers that are too long are left out",
                    );
                }
            }
            Some(Place::Param) => self.entry.request.param(&self.name, &self.value),
            Some(Place::Message(kind)) => self.entry.message(kind).is_closed = true,
            Some(Place::Entry) => return Closed::Entry,
            Some(Place::Page) => return Closed::Page,
            _ => {}
        }
        Closed::Other
    }

    /// The page that was closed. Its title is its URL where the file gives no other.
    pub fn page(&mut self) -> Page {
        let mut page = std::mem::take(&mut self.page);
        let is_url = |title: &&Vec<u8>| has_prefix(title, b"http:") || has_prefix(title, b"https:");
        page.url = page
            .title
            .as_ref()
            .filter(is_url)
            .cloned()
            .unwrap_or_default();
        page
    }

    pub fn begin_key(&mut self) {
        self.key = Key::default();
        self.slot = Some(Slot::Key);
    }

    /// A string begins, whose first character is at `at`.
    pub fn begin_text(&mut self, at: u64) -> Use {
        let place = self.places.last().copied().unwrap_or(Place::Other);
        self.slot = match (place, self.key.name()) {
            (Place::Page, b"id") => Some(Slot::PageId),
            (Place::Page, b"title") => Some(Slot::PageTitle),
            (Place::Page, b"startedDateTime") => Some(Slot::PageStarted),
            (Place::Entry, b"startedDateTime") => Some(Slot::Started),
            (Place::Entry, b"serverIPAddress") => Some(Slot::Address),
            (Place::Message(REQUEST), b"method") => Some(Slot::Method),
            (Place::Message(REQUEST), b"url") => Some(Slot::Url),
            (Place::Message(kind), b"httpVersion") => Some(Slot::Version(kind)),
            (Place::Message(RESPONSE), b"status") => Some(Slot::Status),
            (Place::Message(RESPONSE), b"statusText") => Some(Slot::StatusText),
            (Place::Message(RESPONSE), b"redirectURL") => Some(Slot::Redirect),
            (Place::Header(_) | Place::Param, b"name") => Some(Slot::Name),
            (Place::Header(_) | Place::Param, b"value") => Some(Slot::Value),
            (Place::Content, b"mimeType") => Some(Slot::Mime(RESPONSE)),
            (Place::Content, b"encoding") => Some(Slot::Encoding(RESPONSE)),
            (Place::Content, b"text") => Some(Slot::Body(RESPONSE)),
            (Place::Post, b"mimeType") => Some(Slot::Mime(REQUEST)),
            (Place::Post, b"encoding") => Some(Slot::Encoding(REQUEST)),
            (Place::Post, b"text") => Some(Slot::Body(REQUEST)),
            _ => None,
        };
        match self.slot {
            None => return Use::None,
            // The same body twice: what was told cannot be taken back.
            Some(Slot::Body(RESPONSE)) if self.is_told => {
                self.slot = None;
                return Use::None;
            }
            Some(Slot::Body(kind)) => self.entry.message(kind).text.begin(at),
            Some(slot) => {
                if let Some(field) = self.field(slot) {
                    field.clear();
                }
            }
        }
        Use::Kept
    }

    fn field(&mut self, slot: Slot) -> Option<&mut Vec<u8>> {
        let entry = &mut self.entry;
        Some(match slot {
            Slot::PageId => self.page.id.get_or_insert_default(),
            Slot::PageTitle => self.page.title.get_or_insert_default(),
            Slot::PageStarted => self.page.date.get_or_insert_default(),
            Slot::Started => &mut entry.started,
            Slot::Address => &mut entry.address,
            Slot::Method => &mut entry.request.method,
            Slot::Url => &mut entry.request.url,
            Slot::Version(kind) => &mut entry.message(kind).version,
            Slot::Status => &mut entry.response.status,
            Slot::StatusText => &mut entry.response.status_text,
            Slot::Redirect => &mut entry.response.redirect,
            Slot::Name => &mut self.name,
            Slot::Value => &mut self.value,
            Slot::Mime(kind) => &mut entry.message(kind).mime,
            Slot::Encoding(kind) => &mut entry.message(kind).encoding,
            Slot::Key | Slot::Body(_) => return None,
        })
    }

    pub fn text(&mut self, text: &[u8]) -> Room {
        match self.slot {
            None => {}
            Some(Slot::Key) => self.key.push(text),
            Some(Slot::Body(kind)) => {
                let is_held = self.entry.message(kind).text.push(text);
                if !is_held {
                    return Room::TooLong(kind);
                }
            }
            Some(slot) => {
                let Some(field) = self.field(slot) else {
                    return Room::Enough;
                };
                let room = HAR_TEXT_BYTES_MAX - field.len();
                field.extend_from_slice(&text[..text.len().min(room)]);
                if text.len() > room {
                    self.fault(code::HAR_TOO_LARGE, "a field that is too long is cut");
                }
            }
        }
        Room::Enough
    }

    pub fn odd(&mut self, fault: TextFault) {
        if self.slot.is_some() && self.is_in_entry() {
            self.fault(code::HAR_BAD_TEXT, fault.message());
        }
    }

    /// The file ends here: of a string that is cut, only a body is of use.
    pub fn cut(&mut self) {
        let field = self.slot.take().and_then(|slot| self.field(slot));
        if let Some(field) = field {
            field.clear();
        }
    }

    pub fn number(&mut self, digits: &Digits) {
        let place = self.places.last().copied().unwrap_or(Place::Other);
        match (place, self.key.name()) {
            (Place::Message(RESPONSE), b"status") => {
                self.entry.response.status = digits.whole().unwrap_or(0).to_string().into_bytes();
            }
            (Place::Content, b"size") => self.size(RESPONSE, digits),
            (Place::Message(kind), b"bodySize") => self.size(kind, digits),
            _ => {}
        }
    }

    /// The larger of what is said counts: unknown is -1, and what was not sent is 0.
    fn size(&mut self, kind: RecordType, digits: &Digits) {
        let message = self.entry.message(kind);
        message.size = message.size.max(digits.whole());
    }

    /// Remembers what is wrong in this entry.
    pub fn fault(&mut self, code: Code, message: &'static str) {
        if !self.faults.iter().any(|(known, _)| *known == code) {
            self.faults.push((code, message));
        }
    }
}
