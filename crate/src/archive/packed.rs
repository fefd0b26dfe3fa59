//! One file in gzip members, such as a HAR file that a server packed: read as what it is.

use super::member::Members;
use super::parser::{Format, Parser};
use super::record::Sink;
use super::window::{Storage, Window};
use crate::error::{Damage, code};
use crate::limits::OFFSET_MAX;

/// Where its records are is counted in what is inflated: they are told as those of a part without a name.
pub struct PackedFile {
    members: Members,
    is_done: bool,
    /// Where the bytes end that came by after all was read.
    passed: u64,
    window: Window,
    can_seek: bool,
    is_begun: bool,
}

impl PackedFile {
    pub fn new(size: Option<u64>) -> PackedFile {
        PackedFile::within(size, 0)
    }

    /// A reader of a file that lies in `depth` others.
    pub fn within(size: Option<u64>, depth: usize) -> PackedFile {
        PackedFile {
            members: Members::new(Format::Packed, depth),
            is_done: false,
            passed: 0,
            window: Window {
                base: 0,
                bytes: size.unwrap_or(OFFSET_MAX),
                storage: Storage::Gzipped,
            },
            can_seek: true,
            is_begun: false,
        }
    }

    fn begin(&mut self, sink: &mut dyn Sink) {
        if !self.is_begun {
            self.is_begun = true;
            self.members
                .begin(b"", self.window, None, self.can_seek, sink);
        }
    }

    fn close(&mut self, sink: &mut dyn Sink) {
        let Some(closed) = self.members.close(sink) else {
            return;
        };
        self.is_done = true;
        self.passed = closed.end;
        if closed.is_broken {
            let damage = Damage {
                code: code::GZIP_BAD_DATA,
                // Where exactly inflating stopped depends on how the file is cut.
                offset: 0,
                skipped: 0,
                message: "the gzip data of this file is damaged, or ends too soon".into(),
            };
            self.members.damage(damage, sink);
        }
        self.members.conclude(sink);
    }
}

impl Parser for PackedFile {
    fn wanted(&self) -> u64 {
        if self.is_begun && !self.is_done {
            self.members.wanted()
        } else {
            self.passed
        }
    }

    fn feed(&mut self, bytes: &[u8], sink: &mut dyn Sink) -> usize {
        self.begin(sink);
        if self.is_done {
            // What follows belongs to nothing, or cannot be inflated.
            self.passed += bytes.len() as u64;
            return bytes.len();
        }
        let taken = self.members.feed(bytes, sink);
        if self.members.is_done() {
            self.close(sink);
        }
        taken
    }

    fn finish(&mut self, end: u64, sink: &mut dyn Sink) -> bool {
        self.begin(sink);
        while !self.is_done {
            // Where nothing can be read again, it ends as it is.
            if !self.members.finish(sink) && (self.can_seek || sink.is_full()) {
                return false;
            }
            self.close(sink);
            if !self.is_done && self.wanted() < end {
                return false;
            }
        }
        true
    }

    fn forbid_seek(&mut self) {
        self.can_seek = false;
    }
}
