//! Reads a ZIP file: by its directory where that can be had, else by the headers of the members themselves.
//!
//! By the directory: Tail -> [End64] -> Directory -> (Header -> Name -> Member)* -> Directory ... -> Done.
//! By headers, from the start: (Header -> Name -> Member -> [Behind])* with Hunt where there is no header.
//! The directory goes through memory in pieces, and the members of a piece are read in the order in which they
//! lie, those that tell of the package first. Together they cannot take more than twice what the file has,
//! so members that lie over one another cost little more than honest ones.

mod stream;

use std::cmp::Reverse;

use super::directory::{Directory, END_64_BYTES_ALL, Piece, find_64, find_end};
use super::headers::{END64_BYTES, End, Entry, LOCAL_BYTES, Local, METHOD_DEFLATED, METHOD_STORED};
use crate::archive::aside::{self, Aside};
use crate::archive::member::{Closed, Members, shown};
use crate::archive::parser::{Format, Parser};
use crate::archive::record::Sink;
use crate::archive::wacz;
use crate::archive::window::{Storage, Window};
use crate::error::{Code, Damage, code};
use crate::limits::{OFFSET_MAX, ZIP_TAIL_BYTES};

/// Bytes of one structure on their way in.
#[derive(Default)]
struct Gather {
    at: u64,
    bytes: usize,
    held: Vec<u8>,
}

impl Gather {
    fn wanted(&self) -> u64 {
        self.at + self.held.len() as u64
    }

    fn take(&mut self, bytes: &[u8]) -> usize {
        let taken = bytes.len().min(self.bytes.saturating_sub(self.held.len()));
        self.held.extend_from_slice(&bytes[..taken]);
        taken
    }

    fn is_whole(&self) -> bool {
        self.held.len() >= self.bytes
    }
}

enum State {
    Tail,
    /// The larger end structure, which is before the end structure at this place.
    End64 {
        end: End,
        before: u64,
        is_second_try: bool,
    },
    Directory,
    /// The header of a member of the directory, or of whatever comes next.
    Header(Option<Entry>),
    /// Its name and extra field.
    Name(Option<Entry>, Local),
    Member(Entry),
    /// The descriptor of a member, whose data ended here.
    Behind(Entry, Closed),
    /// Looking for a header.
    Hunt,
    Done,
}

pub struct ZipReader {
    size: Option<u64>,
    can_seek: bool,
    /// Bytes that came by, where they come in order, or after all was read.
    passed: u64,
    state: State,
    gather: Gather,
    directory: Directory,
    /// Where the end structures begin.
    end_at: u64,
    /// Members of a piece of the directory, last one first.
    batch: Vec<Entry>,
    members: Members,
    is_streaming: bool,
    /// Bytes that the members read so far take.
    claimed: u64,
    /// The member before and the furthest that one reached.
    last: (u64, u64),
    covered: u64,
    has_told_overlap: bool,
    /// Whether a member was where the directory says.
    has_found_member: bool,
    /// Whether what is wrong with the directory was told.
    has_told_directory: bool,
    /// Whether the members read so far take more than the file can have.
    is_over: bool,
    /// Where bytes began that belong to nothing.
    garbage_from: Option<u64>,
    /// Bytes that were read again because a member did not end.
    rewound: u64,
}

impl ZipReader {
    pub fn new(size: Option<u64>) -> ZipReader {
        ZipReader::within(size, 0)
    }

    /// A reader of a file that lies in `depth` others.
    pub fn within(size: Option<u64>, depth: usize) -> ZipReader {
        let mut reader = ZipReader {
            size,
            can_seek: true,
            passed: 0,
            state: State::Done,
            gather: Gather::default(),
            directory: Directory::default(),
            end_at: 0,
            batch: Vec::new(),
            members: Members::new(Format::Zip, depth),
            is_streaming: false,
            claimed: 0,
            last: (0, 0),
            covered: 0,
            has_told_overlap: false,
            has_found_member: false,
            has_told_directory: false,
            is_over: false,
            garbage_from: None,
            rewound: 0,
        };
        match size {
            Some(size) => {
                let bytes = size.min(ZIP_TAIL_BYTES);
                reader.want(
                    size - bytes,
                    usize::try_from(bytes).unwrap_or(0),
                    State::Tail,
                );
            }
            None => reader.stream_from(0),
        }
        reader
    }

    // Where the reader is

    /// The place of the bytes that are needed next.
    fn place(&self) -> u64 {
        match &self.state {
            State::Member(_) => self.members.wanted(),
            State::Done => self.size.unwrap_or(OFFSET_MAX).max(self.passed),
            _ => self.gather.wanted(),
        }
    }

    fn want(&mut self, at: u64, bytes: usize, state: State) {
        self.gather.at = at;
        self.gather.bytes = bytes;
        self.gather.held.clear();
        self.state = state;
    }

    fn stream_from(&mut self, at: u64) {
        self.is_streaming = true;
        self.want(at, 4, State::Header(None));
    }

    /// Goes on with the next header, where the bytes in `held` are already there.
    fn stream_on(&mut self, at: u64, held: Vec<u8>) {
        self.stream_from(at);
        self.gather.held = held;
    }

    fn want_more(&mut self, at: u64, bytes: usize, held: Vec<u8>, state: State) {
        self.want(at, bytes, state);
        self.gather.held = held;
    }

    /// Does one thing; returns what was taken, or nothing where the bytes do not bring it on.
    fn step(&mut self, bytes: &[u8], sink: &mut dyn Sink) -> Option<usize> {
        match &mut self.state {
            State::Done => None,
            State::Member(_) => {
                let before = self.members.wanted();
                let taken = self.members.feed(bytes, sink);
                if self.members.is_done() {
                    self.closed(sink);
                    return Some(taken);
                }
                (taken > 0 || self.members.wanted() != before).then_some(taken)
            }
            State::Hunt => (!bytes.is_empty()).then(|| self.hunt(bytes)),
            _ => {
                let taken = self.gather.take(bytes);
                if self.gather.is_whole() {
                    self.gathered(false, sink);
                    return Some(taken);
                }
                (taken > 0).then_some(taken)
            }
        }
    }

    /// A structure is there, or as much of it as there is in the file.
    fn gathered(&mut self, is_end: bool, sink: &mut dyn Sink) {
        let held = std::mem::take(&mut self.gather.held);
        match std::mem::replace(&mut self.state, State::Done) {
            State::Tail => self.read_tail(&held, sink),
            State::End64 {
                end,
                before,
                is_second_try,
            } => self.read_end64(end, before, is_second_try, &held, sink),
            State::Directory => self.read_directory(&held, is_end, sink),
            State::Header(Some(entry)) => self.read_header(entry, &held, sink),
            State::Header(None) => self.read_next_header(held, is_end, sink),
            State::Name(entry, local) => self.read_name(entry, local, &held, is_end, sink),
            State::Behind(entry, closed) => self.read_behind(entry, closed, held, is_end, sink),
            state @ (State::Member(_) | State::Hunt | State::Done) => self.state = state,
        }
    }

    fn damage(
        &mut self,
        code: Code,
        offset: u64,
        skipped: u64,
        message: impl Into<String>,
        sink: &mut dyn Sink,
    ) {
        let message = message.into();
        let damage = Damage {
            code,
            offset,
            skipped,
            message,
        };
        self.members.damage(damage.within(self.size), sink);
    }

    // By the directory

    fn read_tail(&mut self, tail: &[u8], sink: &mut dyn Sink) {
        let tail_at = self.gather.at;
        let Some((at, end)) = find_end(tail) else {
            return self.without_directory("the directory at the end of this ZIP file is missing: it was cut off, or is damaged", sink);
        };
        let before = tail_at + at as u64;
        self.end_at = before;
        match find_64(tail, at) {
            Some(at64) if at64 < before => {
                let state = State::End64 {
                    end,
                    before,
                    is_second_try: false,
                };
                self.want(at64, END64_BYTES, state);
            }
            _ => self.begin_directory(end, before, false, sink),
        }
    }

    fn read_end64(
        &mut self,
        end: End,
        before: u64,
        is_second_try: bool,
        held: &[u8],
        sink: &mut dyn Sink,
    ) {
        let beside = before.saturating_sub(END_64_BYTES_ALL);
        match End::parse64(held) {
            Some(end64) => self.begin_directory(end64, self.gather.at, true, sink),
            None if !is_second_try && beside != self.gather.at => {
                let is_second_try = true;
                let state = State::End64 {
                    end,
                    before,
                    is_second_try,
                };
                self.want(beside, END64_BYTES, state);
            }
            None if end.needs_64() => {
                self.without_directory(
                    "the place of this ZIP file's directory is not where the file says",
                    sink,
                );
            }
            None => self.begin_directory(end, before, false, sink),
        }
    }

    fn begin_directory(&mut self, end: End, before: u64, is_64: bool, sink: &mut dyn Sink) {
        if end.is_split() {
            let message = "this file is one part of a ZIP file that was split; members that lie in other parts are not here";
            self.damage(code::ZIP_SPLIT, self.end_at, 0, message, sink);
        }
        self.directory = Directory::new(end, before, is_64);
        self.next(sink);
    }

    fn read_directory(&mut self, held: &[u8], is_end: bool, sink: &mut dyn Sink) {
        let (entries, is_damaged) = match self.directory.read(held) {
            Piece::Elsewhere => return self.next(sink),
            Piece::Entries(entries) => (entries, is_end),
            Piece::Damaged(entries) => (entries, true),
        };
        if is_damaged {
            self.directory.break_off();
            if self.directory.is_untouched() {
                return self.without_directory("the directory of this ZIP file is damaged", sink);
            }
            self.has_told_directory = true;
            let message = "the directory of this ZIP file is damaged from here on";
            self.damage(code::ZIP_BAD_DIRECTORY, self.directory.at, 0, message, sink);
        }
        self.batch = entries;
        for entry in &mut self.batch {
            entry.offset = entry.offset.saturating_add(self.directory.shift);
        }
        // The last one is taken first.
        self.batch
            .sort_by_key(|entry| Reverse((wacz::rank(&entry.name), entry.offset)));
        self.next(sink);
    }

    /// Members are found by their own headers instead.
    fn without_directory(&mut self, message: &str, sink: &mut dyn Sink) {
        self.has_told_directory = true;
        self.damage(code::ZIP_NO_DIRECTORY, self.gather.at, 0, message, sink);
        self.stream_from(0);
    }

    /// Goes on with what comes after a member, or before the first one.
    fn next(&mut self, sink: &mut dyn Sink) {
        while let Some(entry) = self.batch.pop() {
            if !self.is_over && self.is_readable(&entry, sink) {
                let at = entry.offset;
                return self.want(at, LOCAL_BYTES, State::Header(Some(entry)));
            }
        }
        if !self.directory.is_at_end() {
            let bytes = self.directory.step_bytes();
            return self.want(self.directory.at, bytes, State::Directory);
        }
        if self.directory.is_broken() {
            // What the directory does not tell of may lie behind the members that it does.
            let at = self.covered;
            return self.stream_from(at);
        }
        if let Some((entries, stated)) = self.directory.miscounted() {
            let message = format!(
                "the directory of this ZIP file states {stated} members and lists {entries}"
            );
            self.damage(code::ZIP_BAD_DIRECTORY, self.end_at, 0, message, sink);
        }
        self.conclude(sink);
    }

    fn conclude(&mut self, sink: &mut dyn Sink) {
        self.members.conclude(sink);
        self.state = State::Done;
    }

    /// Whether there is anything to read in a member, and it can be.
    fn is_readable(&mut self, entry: &Entry, sink: &mut dyn Sink) -> bool {
        if !self.is_streaming || !entry.has_descriptor() {
            tell_entry(entry, sink);
        }
        if entry.is_folder() || !self.can_be_read(entry, sink) {
            return false;
        }
        let end = entry.offset.saturating_add(entry.packed_bytes);
        if !self.is_streaming {
            self.claimed = self
                .claimed
                .saturating_add(LOCAL_BYTES as u64 + entry.packed_bytes);
            let is_over_another = entry.offset > self.last.0 && entry.offset < self.last.1;
            self.is_over = self
                .size
                .is_some_and(|size| self.claimed > size.saturating_mul(2));
            if (is_over_another || self.is_over) && !self.has_told_overlap {
                self.has_told_overlap = true;
                let message = format!(
                    "{} lies over another member of this ZIP file",
                    shown(&entry.name)
                );
                self.damage(code::ZIP_OVERLAP, entry.offset, 0, message, sink);
            }
            if self.is_over {
                return false;
            }
            self.last = (entry.offset, end);
        }
        true
    }

    fn can_be_read(&mut self, entry: &Entry, sink: &mut dyn Sink) -> bool {
        let name = shown(&entry.name);
        let is_read =
            !entry.is_encrypted() && matches!(entry.method, METHOD_STORED | METHOD_DEFLATED);
        if !is_read {
            self.members.pass(&entry.name, false, sink);
        }
        if entry.is_encrypted() {
            let message = format!("{name} is encrypted, and cannot be read");
            self.damage(
                code::ZIP_ENCRYPTED,
                entry.offset,
                entry.packed_bytes,
                message,
                sink,
            );
            return false;
        }
        if entry.method != METHOD_STORED && entry.method != METHOD_DEFLATED {
            let method = entry.method_name();
            let message = format!(
                "{name} is compressed with {method} (ZIP method {}), which cannot be read",
                entry.method
            );
            self.damage(
                code::ZIP_METHOD,
                entry.offset,
                entry.packed_bytes,
                message,
                sink,
            );
            return false;
        }
        true
    }

    fn read_header(&mut self, entry: Entry, held: &[u8], sink: &mut dyn Sink) {
        match Local::parse(held) {
            Some(local) => {
                self.has_found_member = true;
                let at = self.gather.at + LOCAL_BYTES as u64;
                self.want(
                    at,
                    local.name_bytes + local.extra_bytes,
                    State::Name(Some(entry), local),
                );
            }
            // The directory is elsewhere than stated, but the members may be where they should.
            None if self.directory.shift > 0 && !self.has_found_member => {
                let shift = std::mem::take(&mut self.directory.shift);
                for entry in &mut self.batch {
                    entry.offset = entry.offset.saturating_sub(shift);
                }
                let offset = entry.offset.saturating_sub(shift);
                self.last = (0, 0);
                self.want(
                    offset,
                    LOCAL_BYTES,
                    State::Header(Some(Entry { offset, ..entry })),
                );
            }
            None => {
                let message = format!("{} is not where the directory says", shown(&entry.name));
                let is_beyond = self.size.is_some_and(|size| entry.offset >= size);
                let code = if is_beyond {
                    code::ZIP_TRUNCATED
                } else {
                    code::ZIP_BAD_ENTRY
                };
                self.damage(code, entry.offset, 0, message, sink);
                self.next(sink);
            }
        }
    }

    fn read_name(
        &mut self,
        entry: Option<Entry>,
        local: Local,
        held: &[u8],
        is_end: bool,
        sink: &mut dyn Sink,
    ) {
        let data_at = self.gather.at + held.len() as u64;
        let name_bytes = local.name_bytes.min(held.len());
        let (name, extra) = held.split_at(name_bytes);
        let own = local.entry(0, name, extra);
        if is_end {
            let name = entry.as_ref().unwrap_or(&own).name.clone();
            self.damage(
                code::ZIP_TRUNCATED,
                data_at,
                0,
                format!("the file ends in the header of {}", shown(&name)),
                sink,
            );
            return self.next_or_end(sink);
        }
        match entry {
            Some(entry) => {
                if own.name != entry.name {
                    let message = format!(
                        "the directory calls a member {}, and its own header {}",
                        shown(&entry.name),
                        shown(&own.name)
                    );
                    self.damage(code::ZIP_BAD_ENTRY, entry.offset, 0, message, sink);
                }
                self.begin(entry, data_at, sink);
            }
            None => {
                let offset = self.gather.at - LOCAL_BYTES as u64;
                self.begin_streamed(Entry { offset, ..own }, data_at, sink);
            }
        }
    }

    fn next_or_end(&mut self, sink: &mut dyn Sink) {
        if self.is_streaming {
            self.conclude(sink);
        } else {
            self.next(sink);
        }
    }

    /// The data of a member begins, of which all is known.
    fn begin(&mut self, entry: Entry, data_at: u64, sink: &mut dyn Sink) {
        let window = Window {
            base: data_at,
            bytes: entry.packed_bytes,
            storage: storage(&entry),
        };
        if entry.packed_bytes == 0 && entry.bytes == 0 {
            self.members.pass(&entry.name, true, sink);
            if self.is_streaming {
                return self.stream_from(data_at);
            }
            return self.next(sink);
        }
        self.members
            .begin(&entry.name, window, Some(entry.bytes), self.can_seek, sink);
        self.state = State::Member(entry);
    }

    /// A member was read, or what anybody wants of it.
    fn closed(&mut self, sink: &mut dyn Sink) {
        let State::Member(entry) = std::mem::replace(&mut self.state, State::Done) else {
            return;
        };
        let Some(mut closed) = self.members.close(sink) else {
            self.state = State::Member(entry);
            return;
        };
        let is_open = self.is_streaming && is_open_ended(&entry);
        // What comes behind the member says what it should be.
        let is_judged_later = self.is_streaming && entry.has_descriptor();
        if closed.is_broken {
            self.tell_broken(&entry, &closed, sink);
        } else if !is_judged_later {
            self.compare(&entry, &closed, sink);
        }
        let stated_end = closed.base.saturating_add(entry.packed_bytes);
        self.covered = self
            .covered
            .max(if is_open { closed.end } else { stated_end });
        if !self.is_streaming {
            return self.next(sink);
        }
        if is_open && (closed.is_broken || closed.bytes.is_none()) {
            return self.look_again(&closed);
        }
        let end = if is_open { closed.end } else { stated_end };
        if !entry.has_descriptor() {
            return self.stream_from(end);
        }
        let held = std::mem::take(&mut closed.behind);
        self.want_more(end, 4, held, State::Behind(entry, closed));
    }

    fn tell_broken(&mut self, entry: &Entry, closed: &Closed, sink: &mut dyn Sink) {
        let name = shown(&entry.name);
        let is_cut = self.size.is_some_and(|size| closed.end >= size);
        let (code, message) = if is_cut {
            (
                code::ZIP_TRUNCATED,
                format!("the file ends in the middle of {name}"),
            )
        } else if entry.method == METHOD_DEFLATED {
            (
                code::ZIP_BAD_DATA,
                format!("the deflated data of {name} is damaged"),
            )
        } else {
            (
                code::ZIP_BAD_LENGTH,
                format!("{name} does not end where it should"),
            )
        };
        // Where exactly inflating stopped depends on how the file is cut.
        let offset = if is_cut { closed.end } else { entry.offset };
        self.damage(code, offset, 0, message, sink);
    }

    /// Says where a member is not what it is said to be.
    fn compare(&mut self, entry: &Entry, closed: &Closed, sink: &mut dyn Sink) {
        let name = shown(&entry.name);
        if let Some(bytes) = closed.bytes.filter(|&bytes| bytes != entry.bytes) {
            let message = format!("{name} has {bytes} bytes and not {} as stated", entry.bytes);
            self.damage(code::ZIP_BAD_LENGTH, entry.offset, 0, message, sink);
        } else if closed.sum.as_ref().is_some_and(|sum| sum.crc != entry.crc) {
            let message = format!("the checksum of {name} does not fit its content");
            self.damage(code::ZIP_BAD_CHECKSUM, entry.offset, 0, message, sink);
        }
    }
}

impl Parser for ZipReader {
    fn wanted(&self) -> u64 {
        if self.can_seek {
            self.place()
        } else {
            self.passed
        }
    }

    fn feed(&mut self, bytes: &[u8], sink: &mut dyn Sink) -> usize {
        let base = self.wanted();
        let mut at = 0;
        loop {
            if matches!(self.state, State::Done) {
                // Whatever else is there belongs to nothing.
                self.passed = base + bytes.len() as u64;
                return bytes.len();
            }
            // Within these bytes, back and forth are free.
            let offset = self
                .place()
                .checked_sub(base)
                .map(|offset| usize::try_from(offset).unwrap_or(usize::MAX));
            match offset {
                Some(offset) if offset <= bytes.len() => at = offset,
                Some(_) if !self.can_seek => at = bytes.len(),
                _ => break,
            }
            if offset != Some(at) || sink.is_full() || self.step(&bytes[at..], sink).is_none() {
                break;
            }
        }
        if !self.can_seek {
            self.passed = base + at as u64;
        }
        at
    }

    fn finish(&mut self, end: u64, sink: &mut dyn Sink) -> bool {
        self.size = Some(end);
        while !matches!(self.state, State::Done) {
            match &self.state {
                State::Member(_) => {
                    // Where nothing can be read again, it ends as it is.
                    if !self.members.finish(sink) && (self.can_seek || sink.is_full()) {
                        return false;
                    }
                    self.closed(sink);
                }
                State::Hunt => self.end_of_stream(self.gather.at, end, sink),
                _ => self.gathered(!self.gather.is_whole(), sink),
            }
            let has_more = !matches!(self.state, State::Done) && self.place() < end;
            if has_more && self.can_seek || sink.is_full() {
                return false;
            }
        }
        true
    }

    fn forbid_seek(&mut self) {
        self.can_seek = false;
        if matches!(self.state, State::Tail) {
            self.stream_from(0);
        }
    }
}

fn storage(entry: &Entry) -> Storage {
    if entry.method == METHOD_STORED {
        Storage::Stored
    } else {
        Storage::Deflated
    }
}

/// Whether a member's own header leaves out how long it is.
fn is_open_ended(entry: &Entry) -> bool {
    entry.has_descriptor() && (entry.packed_bytes == 0 || entry.packed_bytes == u64::from(u32::MAX))
}

fn tell_entry(entry: &Entry, sink: &mut dyn Sink) {
    sink.aside(Aside::Entry(aside::Entry {
        name: entry.name.clone(),
        bytes: entry.bytes,
        packed_bytes: entry.packed_bytes,
        method: entry.method,
        crc: Some(entry.crc),
    }));
}
