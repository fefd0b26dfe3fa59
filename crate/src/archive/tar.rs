//! TAR files: their members, one after another.
//!
//!   file := (header data padding)* zero-block{2}      header := 512 bytes, of which these are read:
//!   0 name:100   124 size:12   148 sum:8   156 type:1   257 "ustar"   345 prefix:155   482 more-map:1 (sparse)
//! Numbers are octal, or large and binary. Names that do not fit stand in a member before, of type L (GNU) or
//! x (POSIX: lines of "LENGTH KEY=VALUE"). Members with holes in them (sparse ones) are not put together.

use super::aside::{self, Aside};
use super::inside::Inside;
use super::member::{Closed, Members, shown};
use super::parser::{Format, Heard, Parser};
use super::record::Sink;
use super::window::{At, Storage, Tunnel, Window};
use crate::error::{Code, Damage, code};
use crate::limits::{OFFSET_MAX, TAR_META_BYTES_MAX};

const BLOCK_BYTES: usize = 512;

/// A header whose checksum is right.
#[derive(Clone, Debug, Default)]
struct Header {
    name: Vec<u8>,
    /// Bytes of data; nothing where the number is none.
    bytes: Option<u64>,
    kind: u8,
    /// Whether blocks with more of a map of holes follow.
    has_more_map: bool,
}

/// Whether a file that begins like this is a TAR file.
pub fn looks_like_tar(start: &[u8]) -> bool {
    start
        .get(..BLOCK_BYTES)
        .is_some_and(|block| Header::parse(block).is_some())
}

impl Header {
    fn parse(block: &[u8]) -> Option<Header> {
        let stated = octal(&block[148..156])?;
        let sum_of = |value: fn(u8) -> i64| -> i64 {
            let blanks = 8 * i64::from(b' ');
            let outside = block[..148].iter().chain(&block[156..]);
            outside.map(|&byte| value(byte)).sum::<i64>() + blanks
        };
        let stated = i64::try_from(stated).ok()?;
        // Old tools took the bytes as signed.
        let is_right =
            stated == sum_of(i64::from) || stated == sum_of(|byte| i64::from(byte.cast_signed()));
        if !is_right || block[0] == 0 && block[345] == 0 {
            return None;
        }
        let mut name = text(&block[..100]).to_vec();
        let is_posix = block[257..263] == *b"ustar\0";
        let prefix = text(&block[345..500]);
        if is_posix && !prefix.is_empty() {
            name = [prefix, b"/", &name].concat();
        }
        Some(Header {
            name,
            bytes: number(&block[124..136]),
            kind: block[156],
            has_more_map: block[482] == 1,
        })
    }

    fn is_sparse(&self) -> bool {
        self.kind == b'S'
    }

    fn is_file(&self) -> bool {
        // What is of a kind that nobody knows is a file, says the standard.
        !matches!(
            self.kind,
            b'1'..=b'6' | b'D' | b'K' | b'L' | b'M' | b'N' | b'V' | b'X' | b'g' | b'x'
        )
    }

    /// Links, devices and folders have no data, whatever they state.
    fn has_data(&self) -> bool {
        !matches!(self.kind, b'1'..=b'6')
    }
}

fn text(field: &[u8]) -> &[u8] {
    &field[..memchr::memchr(0, field).unwrap_or(field.len())]
}

fn octal(field: &[u8]) -> Option<u64> {
    let digits = text(field).trim_ascii();
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0u64, |number, &digit| {
        let digit = char::from(digit).to_digit(8)?;
        number.checked_mul(8)?.checked_add(u64::from(digit))
    })
}

/// A number in octal, or in binary with the first bit set; negative ones are none.
fn number(field: &[u8]) -> Option<u64> {
    if field[0] & 0x80 == 0 {
        return octal(field).or_else(|| text(field).trim_ascii().is_empty().then_some(0));
    }
    let first = u64::from(field[0] & 0x7f);
    field[1..].iter().try_fold(first, |number, &byte| {
        (number >> 55 == 0).then_some(number << 8 | u64::from(byte))
    })
}

enum State {
    Header,
    /// What tells of the member that follows.
    Meta(Header),
    /// A block with more of a map of holes.
    Map(Header),
    Member(Header),
    Done,
}

/// What was told of the next member ahead of it.
#[derive(Default)]
struct Ahead {
    name: Option<Vec<u8>>,
    bytes: Option<u64>,
    is_sparse: bool,
}

pub struct TarReader {
    size: Option<u64>,
    can_seek: bool,
    /// Bytes that came by, where they come in order, or after all was read.
    passed: u64,
    state: State,
    /// Where what is gathered began, and what of it is there.
    at: u64,
    held: Vec<u8>,
    ahead: Ahead,
    members: Members,
    zero_blocks: u32,
    garbage_from: Option<u64>,
}

impl TarReader {
    pub fn new(size: Option<u64>) -> TarReader {
        TarReader::within(size, 0)
    }

    /// A reader of a file that lies in `depth` others.
    pub fn within(size: Option<u64>, depth: usize) -> TarReader {
        TarReader {
            size,
            can_seek: true,
            passed: 0,
            state: State::Header,
            at: 0,
            held: Vec::new(),
            ahead: Ahead::default(),
            members: Members::new(Format::Tar, depth),
            zero_blocks: 0,
            garbage_from: None,
        }
    }

    fn place(&self) -> u64 {
        match &self.state {
            State::Member(_) => self.members.wanted(),
            State::Done => self.size.unwrap_or(OFFSET_MAX).max(self.passed),
            _ => self.at + self.held.len() as u64,
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

    fn header_at(&mut self, at: u64) {
        self.at = at;
        self.held.clear();
        self.state = State::Header;
    }

    /// Bytes of what is gathered.
    fn needs(&self) -> usize {
        match &self.state {
            State::Meta(header) => usize::try_from(header.bytes.unwrap_or(0)).unwrap_or(usize::MAX),
            _ => BLOCK_BYTES,
        }
    }

    fn step(&mut self, bytes: &[u8], sink: &mut dyn Sink) -> Option<usize> {
        match &self.state {
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
            _ => {
                let taken = bytes
                    .len()
                    .min(self.needs().saturating_sub(self.held.len()));
                self.held.extend_from_slice(&bytes[..taken]);
                if self.held.len() >= self.needs() {
                    self.gathered(sink);
                    return Some(taken);
                }
                (taken > 0).then_some(taken)
            }
        }
    }

    fn gathered(&mut self, sink: &mut dyn Sink) {
        let held = std::mem::take(&mut self.held);
        match std::mem::replace(&mut self.state, State::Done) {
            State::Header => self.read_header(&held, sink),
            State::Meta(header) => {
                self.read_meta(&header, &held);
                let end = padded(self.at, held.len() as u64);
                self.header_at(end);
            }
            State::Map(header) => {
                self.at += BLOCK_BYTES as u64;
                let header = Header {
                    has_more_map: held.get(504) == Some(&1),
                    ..header
                };
                self.pass_over_sparse(header);
            }
            state => self.state = state,
        }
    }

    fn read_header(&mut self, block: &[u8], sink: &mut dyn Sink) {
        let at = self.at;
        let data_at = at + BLOCK_BYTES as u64;
        if block.iter().all(|&byte| byte == 0) {
            self.tell_garbage(at, sink);
            self.zero_blocks += 1;
            if self.zero_blocks == 2 {
                return self.conclude(sink);
            }
            return self.header_at(data_at);
        }
        let Some(header) = Header::parse(block) else {
            if self.zero_blocks > 0 {
                return self.conclude(sink);
            }
            self.garbage_from.get_or_insert(at);
            return self.header_at(data_at);
        };
        self.zero_blocks = 0;
        self.tell_garbage(at, sink);
        if matches!(header.kind, b'L' | b'x' | b'X') {
            self.at = data_at;
            let Some(bytes) = header.bytes.filter(|&bytes| bytes <= TAR_META_BYTES_MAX) else {
                let message = "what is told of a member ahead of it is too long";
                self.damage(code::TAR_BAD_LENGTH, at, 0, message, sink);
                return self.skip(header, data_at);
            };
            self.state = State::Meta(header);
            if bytes == 0 {
                self.gathered(sink);
            }
            return;
        }
        self.begin(header, at, data_at, sink);
    }

    fn read_meta(&mut self, header: &Header, held: &[u8]) {
        if header.kind == b'L' {
            self.ahead.name = Some(text(held).to_vec());
            return;
        }
        let mut rest = held;
        while let Some((key, value, after)) = pax_line(rest) {
            match key {
                b"path" => self.ahead.name = Some(value.to_vec()),
                b"size" => self.ahead.bytes = octal_or_decimal(value),
                _ => self.ahead.is_sparse |= key.starts_with(b"GNU.sparse."),
            }
            rest = after;
        }
    }

    /// The header of a member was read; its data begins at `data_at`.
    fn begin(&mut self, mut header: Header, at: u64, data_at: u64, sink: &mut dyn Sink) {
        let ahead = std::mem::take(&mut self.ahead);
        if let Some(name) = ahead.name {
            header.name = name;
        }
        if let Some(bytes) = ahead.bytes {
            header.bytes = Some(bytes);
        }
        let name = shown(&header.name);
        let Some(bytes) = header.bytes else {
            let message = format!("the length of {name} is no number");
            self.damage(code::TAR_BAD_LENGTH, at, 0, message, sink);
            return self.header_at(data_at);
        };
        if header.is_sparse() || ahead.is_sparse {
            let message =
                format!("{name} has holes in it (it is stored sparse), and is not put together");
            self.damage(code::TAR_SPARSE, at, bytes, message, sink);
            self.members.pass(&header.name, false, sink);
            self.at = data_at;
            if header.is_sparse() {
                return self.pass_over_sparse(header);
            }
            return self.skip(header, data_at);
        }
        if !header.is_file() || header.name.ends_with(b"/") {
            return self.skip(header, data_at);
        }
        sink.aside(Aside::Entry(aside::Entry {
            name: header.name.clone(),
            bytes,
            packed_bytes: bytes,
            method: 0,
            crc: None,
        }));
        if bytes == 0 {
            self.members.pass(&header.name, true, sink);
            return self.header_at(data_at);
        }
        let left = self
            .size
            .map_or(u64::MAX, |size| size.saturating_sub(data_at));
        if bytes > left {
            let message = format!("the file ends in the middle of {name}");
            self.damage(code::TAR_TRUNCATED, at, 0, message, sink);
        }
        let window = Window {
            base: data_at,
            bytes: bytes.min(left).min(OFFSET_MAX),
            storage: Storage::Stored,
        };
        self.members.begin(
            &header.name,
            window,
            Some(window.bytes),
            self.can_seek,
            sink,
        );
        self.state = State::Member(header);
    }

    fn pass_over_sparse(&mut self, header: Header) {
        if header.has_more_map {
            self.state = State::Map(header);
        } else {
            let at = self.at;
            self.skip(header, at);
        }
    }

    /// Goes on behind the data of a member.
    fn skip(&mut self, header: Header, data_at: u64) {
        let bytes = if header.has_data() {
            header.bytes.unwrap_or(0)
        } else {
            0
        };
        self.header_at(padded(data_at, bytes));
    }

    fn closed(&mut self, sink: &mut dyn Sink) {
        let Some(Closed {
            base,
            is_broken,
            end,
            ..
        }) = self.members.close(sink)
        else {
            return;
        };
        let State::Member(header) = std::mem::replace(&mut self.state, State::Done) else {
            return;
        };
        if is_broken && self.size.is_none_or(|size| end < size) {
            let message = format!("the file ends in the middle of {}", shown(&header.name));
            self.damage(code::TAR_TRUNCATED, end, 0, message, sink);
        }
        self.skip(header, base);
    }

    fn tell_garbage(&mut self, end: u64, sink: &mut dyn Sink) {
        if let Some(from) = self.garbage_from.take() {
            let message =
                "there is something between the members of this TAR file that is no header";
            self.damage(code::TAR_BAD_HEADER, from, end - from, message, sink);
        }
    }

    fn conclude(&mut self, sink: &mut dyn Sink) {
        self.members.conclude(sink);
        self.state = State::Done;
    }
}

impl Parser for TarReader {
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
            let offset = self.place().checked_sub(base);
            let offset = offset.map(|offset| usize::try_from(offset).unwrap_or(usize::MAX));
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
            if matches!(self.state, State::Member(_)) {
                // Where nothing can be read again, it ends as it is.
                if !self.members.finish(sink) && (self.can_seek || sink.is_full()) {
                    return false;
                }
                self.closed(sink);
            } else if matches!(self.state, State::Header) && self.held.is_empty() {
                self.tell_garbage(end.max(self.at), sink);
                self.conclude(sink);
            } else {
                self.tell_garbage(self.at, sink);
                let message = "the file ends in the middle of a header";
                self.damage(code::TAR_TRUNCATED, self.at, 0, message, sink);
                self.conclude(sink);
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
    }
}

/// Where the header after data is.
fn padded(data_at: u64, bytes: u64) -> u64 {
    let block = BLOCK_BYTES as u64;
    data_at
        .saturating_add(bytes.div_ceil(block).saturating_mul(block))
        .min(OFFSET_MAX)
}

/// Key and value of a line, and what follows it.
fn pax_line(text: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let blank = memchr::memchr(b' ', text)?;
    let length: usize = std::str::from_utf8(&text[..blank]).ok()?.parse().ok()?;
    let line = text.get(blank + 1..length)?;
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let equals = memchr::memchr(b'=', line)?;
    Some((&line[..equals], &line[equals + 1..], &text[length..]))
}

fn octal_or_decimal(value: &[u8]) -> Option<u64> {
    std::str::from_utf8(value).ok()?.trim().parse().ok()
}

/// A TAR file in gzip members.
pub struct TarGzReader {
    window: Window,
    tunnel: Tunnel,
    tar: TarReader,
    has_told: bool,
    /// Where the bytes end that came by after all was read.
    passed: u64,
}

impl TarGzReader {
    pub fn new(size: Option<u64>) -> TarGzReader {
        TarGzReader::within(size, 0)
    }

    pub fn within(size: Option<u64>, depth: usize) -> TarGzReader {
        let window = Window {
            base: 0,
            bytes: size.unwrap_or(OFFSET_MAX),
            storage: Storage::Gzipped,
        };
        let mut tar = TarReader::within(None, depth);
        // Going back costs all that lies before.
        tar.forbid_seek();
        TarGzReader {
            window,
            tunnel: Tunnel::new(window),
            tar,
            has_told: false,
            passed: 0,
        }
    }
}

impl Parser for TarGzReader {
    fn wanted(&self) -> u64 {
        self.tunnel.wanted(&At(0)).max(self.passed)
    }

    fn feed(&mut self, bytes: &[u8], sink: &mut dyn Sink) -> usize {
        let mut inside = Inside {
            sink,
            name: b"",
            window: self.window,
        };
        let mut heard = Heard {
            parser: &mut self.tar,
            sink: &mut inside,
        };
        if self.tunnel.is_done() {
            // What follows belongs to nothing, or cannot be inflated.
            self.passed = self.tunnel.wanted(&At(0)).max(self.passed) + bytes.len() as u64;
            return bytes.len();
        }
        self.tunnel.feed(bytes, &mut heard)
    }

    fn finish(&mut self, _end: u64, sink: &mut dyn Sink) -> bool {
        let mut inside = Inside {
            sink,
            name: b"",
            window: self.window,
        };
        let mut heard = Heard {
            parser: &mut self.tar,
            sink: &mut inside,
        };
        if !self.tunnel.finish(&mut heard) {
            return false;
        }
        if self.tunnel.is_broken() && !std::mem::replace(&mut self.has_told, true) {
            let damage = Damage {
                code: code::TAR_TRUNCATED,
                // Where that is in the gzip data depends on how the file is cut.
                offset: self.tar.passed,
                skipped: 0,
                message: "the gzip data around this TAR file is damaged, or ends too soon".into(),
            };
            self.tar.members.damage(damage, &mut inside);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_octal_or_large_and_binary() {
        assert_eq!(number(b"00000000012\0"), Some(10));
        assert_eq!(number(b"        17 \0"), Some(15));
        assert_eq!(number(b"\0\0\0\0\0\0\0\0\0\0\0\0"), Some(0));
        assert_eq!(number(b"\x80\0\0\0\0\0\0\0\0\0\x01\0"), Some(256));
        assert_eq!(number(&[0xff; 12]), None);
        assert_eq!(number(b"abcdefghijk\0"), None);
        assert_eq!(number(b"77777777777\0"), Some(8_589_934_591));
    }

    #[test]
    fn lines_ahead_of_a_member_state_their_own_length() {
        let (key, value, rest) = pax_line(b"12 path=a/b\n9 size=5\n").expect("a line");
        assert_eq!(
            (key, value, rest),
            (&b"path"[..], &b"a/b"[..], &b"9 size=5\n"[..])
        );
        assert_eq!(pax_line(b"99 path=a\n"), None);
        assert_eq!(pax_line(b"1 path=a\n"), None);
    }
}
