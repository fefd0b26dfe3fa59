//! Members that say something of the package, as text on its way in: kept whole, or a line at a time.

use super::pages;
use crate::archive::member::shown;
use crate::archive::record::Sink;
use crate::error::{Code, code};
use crate::limits::{PACKAGE_FLAWS_MAX, PACKAGE_TEXT_BYTES_MAX, PAGE_LINE_BYTES_MAX};

/// Something wrong with a package, in words.
pub type Flaw = (Code, String);

/// What a member of a package is, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `datapackage.json`
    Manifest,
    /// `datapackage-digest.json`
    Digest,
    /// `webarchive.yaml`, and `collection.yaml` before that.
    Outline,
    /// `pages/*.jsonl`
    Pages,
}

impl Kind {
    pub fn of(name: &[u8]) -> Option<Kind> {
        let mut steps = name.rsplit(|&byte| byte == b'/');
        let (file, folder) = (steps.next()?, steps.next());
        match file {
            b"datapackage.json" => Some(Kind::Manifest),
            b"datapackage-digest.json" => Some(Kind::Digest),
            b"webarchive.yaml" | b"collection.yaml" => Some(Kind::Outline),
            _ if folder == Some(b"pages") && file.ends_with(b".jsonl") => Some(Kind::Pages),
            _ => None,
        }
    }
}

pub struct Text {
    pub kind: Kind,
    /// All of it, or the line that is not whole yet.
    pub held: Vec<u8>,
    /// Whether it, or the line, is longer than is kept.
    pub is_over: bool,
    line: u64,
    flaws: Vec<Flaw>,
    flaw_count: usize,
}

impl Text {
    pub fn new(kind: Kind) -> Text {
        Text {
            kind,
            held: Vec::new(),
            is_over: false,
            line: 0,
            flaws: Vec::new(),
            flaw_count: 0,
        }
    }

    pub fn take(&mut self, bytes: &[u8], name: &[u8], sink: &mut dyn Sink) {
        if self.kind != Kind::Pages {
            return self.hold(bytes, PACKAGE_TEXT_BYTES_MAX);
        }
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            self.hold(&rest[..end], PAGE_LINE_BYTES_MAX);
            self.end_line(name, sink);
            rest = &rest[end + 1..];
        }
        self.hold(rest, PAGE_LINE_BYTES_MAX);
    }

    pub fn finish(&mut self, name: &[u8], sink: &mut dyn Sink) {
        if self.kind == Kind::Pages && !self.held.is_empty() {
            self.end_line(name, sink);
        }
        if self.flaw_count > PACKAGE_FLAWS_MAX {
            let more = self.flaw_count - PACKAGE_FLAWS_MAX;
            let message = format!("{more} more lines of {} are not pages", shown(name));
            self.flaws.push((code::WACZ_BAD_PAGE, message));
            self.flaw_count = 0;
        }
    }

    /// What was wrong since the last call.
    pub fn take_flaws(&mut self) -> Vec<Flaw> {
        std::mem::take(&mut self.flaws)
    }

    fn hold(&mut self, bytes: &[u8], bytes_max: usize) {
        let kept = bytes.len().min(bytes_max - self.held.len().min(bytes_max));
        self.held.extend_from_slice(&bytes[..kept]);
        self.is_over |= kept < bytes.len();
    }

    fn end_line(&mut self, name: &[u8], sink: &mut dyn Sink) {
        self.line += 1;
        let line = self.held.trim_ascii();
        let why = if self.is_over {
            Some("is too long")
        } else if line.is_empty() || pages::tell(line, name, sink) {
            None
        } else {
            Some("is no page")
        };
        if let Some(why) = why {
            self.flaw_count += 1;
            if self.flaw_count <= PACKAGE_FLAWS_MAX {
                let message = format!("line {} of {} {why}", self.line, shown(name));
                self.flaws.push((code::WACZ_BAD_PAGE, message));
            }
        }
        self.held.clear();
        self.is_over = false;
    }
}
