//! Reads a ZIP file by the headers of the members themselves: sources that only go forward, and files whose
//! directory is lost. Where there is no header, the next one is looked for.

use super::{Closed, State, ZipReader, is_open_ended, storage, tell_entry};
use crate::archive::member::shown;
use crate::archive::record::Sink;
use crate::archive::window::Window;
use crate::archive::zip::descriptor::{Behind, behind};
use crate::archive::zip::headers::{
    CENTRAL, DESCRIPTOR, END, END64, Entry, LOCAL, LOCAL_BYTES, Local, METHOD_STORED, UNSPLIT,
};
use crate::error::code;
use crate::limits::OFFSET_MAX;

impl ZipReader {
    pub(super) fn read_next_header(&mut self, held: Vec<u8>, is_end: bool, sink: &mut dyn Sink) {
        let at = self.gather.at;
        if is_end {
            return self.end_of_stream(at, at + held.len() as u64, sink);
        }
        if held.len() < LOCAL_BYTES {
            if held.starts_with(&LOCAL) {
                return self.want_more(at, LOCAL_BYTES, held, State::Header(None));
            }
            if at == 0 && (held.starts_with(&UNSPLIT) || held.starts_with(&DESCRIPTOR)) {
                return self.stream_on(at + 4, held[4..].to_vec());
            }
            // What stands behind a member that was passed over.
            if held.starts_with(&DESCRIPTOR) {
                return self.hunt_on(at + DESCRIPTOR.len() as u64, &held[DESCRIPTOR.len()..]);
            }
            // What follows the members is the directory, which says nothing new.
            let follows = [CENTRAL, END, END64, *b"PK\x06\x08"];
            if follows.iter().any(|signature| held.starts_with(signature)) {
                self.tell_garbage(at, sink);
                return self.conclude(sink);
            }
        } else if let Some(local) = Local::parse(&held).filter(Local::is_plausible) {
            self.tell_garbage(at, sink);
            let bytes = local.name_bytes + local.extra_bytes;
            let held = held[LOCAL_BYTES..].to_vec();
            let state = State::Name(None, local);
            return self.want_more(at + LOCAL_BYTES as u64, bytes, held, state);
        }
        self.garbage_from.get_or_insert(at);
        self.hunt_on(at + 1, &held[1..]);
    }

    /// Looks for a header from `at` on, where the bytes in `held` are already there.
    pub(super) fn hunt_on(&mut self, at: u64, held: &[u8]) {
        self.want(at, LOCAL.len(), State::Hunt);
        let taken = self.hunt(held);
        self.gather.held.extend_from_slice(&held[taken..]);
    }

    /// Goes on behind a member whose end was not found: with the next header in what was taken for its data,
    /// as long as going back so often is cheap.
    pub(super) fn look_again(&mut self, closed: &Closed) {
        self.rewound = self.rewound.saturating_add(closed.end - closed.base);
        let allowance = self.size.unwrap_or(0).saturating_mul(2);
        if self.can_seek && self.rewound <= allowance {
            self.hunt_on(closed.base, &[]);
        } else {
            self.hunt_on(closed.end, &closed.behind);
        }
    }

    /// Looks for the start of a header: of a member, or of the directory.
    pub(super) fn hunt(&mut self, bytes: &[u8]) -> usize {
        let mut at = 0;
        while at < bytes.len() {
            if self.gather.held.is_empty() {
                let found = memchr::memchr(LOCAL[0], &bytes[at..]).unwrap_or(bytes.len() - at);
                self.gather.at += found as u64;
                at += found;
                if at == bytes.len() {
                    break;
                }
            }
            self.gather.held.push(bytes[at]);
            at += 1;
            while !is_start_of_header(&self.gather.held) {
                self.gather.held.remove(0);
                self.gather.at += 1;
            }
            if self.gather.is_whole() {
                self.state = State::Header(None);
                break;
            }
        }
        at
    }

    /// Bytes that belong to nothing end at `end`.
    fn tell_garbage(&mut self, end: u64, sink: &mut dyn Sink) {
        if let Some(from) = self.garbage_from.take() {
            let message =
                "there is something between the members of this ZIP file that belongs to none";
            self.damage(code::ZIP_GARBAGE, from, end - from, message, sink);
        }
    }

    /// The file ends where a header should be; bytes from `at` to `end` are none.
    pub(super) fn end_of_stream(&mut self, at: u64, end: u64, sink: &mut dyn Sink) {
        if end > at {
            self.garbage_from.get_or_insert(at);
        }
        self.tell_garbage(end, sink);
        if !self.has_told_directory {
            let message = "this ZIP file ends before its directory: it was cut off";
            self.damage(code::ZIP_TRUNCATED, end, 0, message, sink);
        }
        self.conclude(sink);
    }

    /// The data of a member begins, of which perhaps its length is not known.
    pub(super) fn begin_streamed(&mut self, entry: Entry, data_at: u64, sink: &mut dyn Sink) {
        if !is_open_ended(&entry) {
            if self.is_readable(&entry, sink) {
                return self.begin(entry, data_at, sink);
            }
            return self.stream_from(data_at.saturating_add(entry.packed_bytes));
        }
        if entry.is_folder() || !self.can_be_read(&entry, sink) {
            return self.hunt_on(data_at, &[]);
        }
        let window = Window {
            base: data_at,
            bytes: self.size.unwrap_or(OFFSET_MAX).saturating_sub(data_at),
            storage: storage(&entry),
        };
        if entry.method == METHOD_STORED {
            self.members.begin_unmeasured(&entry.name, window, sink);
        } else {
            self.members.begin(&entry.name, window, None, false, sink);
        }
        self.state = State::Member(entry);
    }

    /// What stands behind a member says how long it is and what it sums up to.
    pub(super) fn read_behind(
        &mut self,
        mut entry: Entry,
        closed: Closed,
        held: Vec<u8>,
        is_end: bool,
        sink: &mut dyn Sink,
    ) {
        let at = self.gather.at;
        let is_open = is_open_ended(&entry);
        if is_open {
            entry.packed_bytes = closed.end - closed.base;
            entry.bytes = closed.bytes.unwrap_or(0);
        }
        match behind(&held, entry.packed_bytes, entry.bytes) {
            Behind::Needs(bytes) if !is_end => {
                if is_open {
                    entry.packed_bytes = 0;
                }
                self.want_more(at, bytes, held, State::Behind(entry, closed));
            }
            Behind::Descriptor { bytes, crc } => {
                entry.crc = crc;
                tell_entry(&entry, sink);
                self.compare(&entry, &closed, sink);
                self.stream_on(at + bytes as u64, held[bytes..].to_vec());
            }
            _ => {
                let message = format!("what stands behind {} does not fit it", shown(&entry.name));
                self.damage(code::ZIP_BAD_LENGTH, entry.offset, 0, message, sink);
                self.hunt_on(at, &held);
            }
        }
    }
}

fn is_start_of_header(bytes: &[u8]) -> bool {
    LOCAL.starts_with(bytes) || CENTRAL.starts_with(bytes)
}
