//! Members of a file that holds files: each is looked at, and read as what it is.
//!
//! What a member is shows in its first bytes, whatever it is called. Records of a member are told after the
//! part that they lie in; what lies in a member of a member is named and placed from the outside.

use super::aside::{Aside, Index};
use super::detect::detect;
use super::http::HttpHead;
use super::inside::Inside;
use super::packed::PackedFile;
use super::parser::{Format, Parser, is_read_here, parser};
use super::record::{Part, Record, Sink};
use super::tar::{TarGzReader, TarReader};
use super::tee::{Sum, Tee};
use super::wacz::{Flaw, Package, Text, is_own_index};
use super::warc::WarcHead;
use super::window::{At, Feed, Storage, Tunnel, Window};
use super::zip::{Unmeasured, ZipReader};
use crate::error::{Code, Damage, code};
use crate::limits::{
    MEMBER_DEPTH_MAX, MEMBER_LOOK_BYTES, MEMBER_PACKED_BYTES_MIN, MEMBER_PACKED_RATIO_MAX,
    OFFSET_MAX, REWIND_BYTES_MIN, SHOWN_NAME_LETTERS_MAX,
};

/// A length that only a member in a file of unknown size can have.
const LENGTH_UNKNOWN: u64 = OFFSET_MAX / 2;

/// How the bytes of a member are come by.
enum Way {
    Tunnel(Tunnel),
    /// Stored, with its length behind it.
    Unmeasured(Unmeasured),
}

/// What is done with the bytes of a member.
enum Content {
    /// They are kept until it is known what they are.
    Looking(Vec<u8>),
    /// They are read; those that were looked at are here until the reader is past them.
    Read { child: Child, start: Vec<u8> },
    /// They say something of the package.
    Text(Text),
    /// They are only counted and summed up.
    Passed,
}

/// What reads a member.
struct Child {
    parser: Box<dyn Parser>,
    hearer: Hearer,
}

/// Who hears what a member tells.
enum Hearer {
    /// The sink itself.
    Sink,
    /// The sink, as from a file in a file.
    Inside(Vec<u8>, Window),
    /// Nobody: rows of an index are only counted, since their records are here.
    Counter(u64),
}

impl Child {
    fn feed(&mut self, bytes: &[u8], sink: &mut dyn Sink) -> usize {
        let parser = &mut self.parser;
        self.hearer.hear(sink, &mut |sink| parser.feed(bytes, sink))
    }

    fn finish(&mut self, end: u64, sink: &mut dyn Sink) -> bool {
        let parser = &mut self.parser;
        let mut is_done = false;
        self.hearer.hear(sink, &mut |sink| {
            is_done = parser.finish(end, sink);
            0
        });
        is_done
    }
}

impl Hearer {
    fn hear(&mut self, sink: &mut dyn Sink, what: &mut dyn FnMut(&mut dyn Sink) -> usize) -> usize {
        match self {
            Hearer::Sink => what(sink),
            Hearer::Inside(name, window) => {
                let window = *window;
                what(&mut Inside { sink, name, window })
            }
            Hearer::Counter(rows) => what(&mut Counter { rows }),
        }
    }
}

/// Counts records and hears nothing else.
struct Counter<'a> {
    rows: &'a mut u64,
}

impl Sink for Counter<'_> {
    fn begin(&mut self, _head: &WarcHead) {}
    fn http(&mut self, _head: &HttpHead) {}
    fn body(&mut self, _bytes: &[u8]) {}
    fn damage(&mut self, _damage: Damage) {}
    fn end(&mut self, _record: &Record) {
        *self.rows += 1;
    }
    fn wants_body(&self) -> bool {
        false
    }
}

/// The member that is being read.
struct Open {
    way: Way,
    reading: Reading,
}

impl Open {
    fn wanted(&self) -> u64 {
        let inner = At(self.reading.wanted());
        match &self.way {
            Way::Tunnel(tunnel) => tunnel.wanted(&inner),
            Way::Unmeasured(way) => way.wanted(),
        }
    }

    fn is_done(&self) -> bool {
        match &self.way {
            Way::Tunnel(tunnel) => tunnel.is_done(),
            Way::Unmeasured(way) => way.is_done(),
        }
    }
}

/// A member that was read.
pub struct Closed {
    /// Where in the file its data begins.
    pub base: u64,
    /// Where in the file its data ends, as far as it was read.
    pub end: u64,
    /// What of the descriptor behind it was taken already.
    pub behind: Vec<u8>,
    /// Bytes of its content, where it was read to its end.
    pub bytes: Option<u64>,
    /// What its content comes to, where all of it came by in order.
    pub sum: Option<Sum>,
    /// Whether its data ended too soon or could not be inflated.
    pub is_broken: bool,
}

/// The file that holds the members, as the sink knows it.
struct Site {
    format: Format,
    depth: usize,
    /// Whether the places told last are those of a member.
    is_within: bool,
    /// Whether a member has records of its own.
    has_records: bool,
}

impl Site {
    fn flaws(&mut self, flaws: Vec<Flaw>, offset: u64, sink: &mut dyn Sink) {
        for (code, message) in flaws {
            let damage = Damage {
                code,
                offset,
                skipped: 0,
                message,
            };
            self.damage(damage, sink);
        }
    }

    fn damage(&mut self, damage: Damage, sink: &mut dyn Sink) {
        if self.is_within {
            self.is_within = false;
            sink.part(&Part {
                format: self.format,
                ..Part::default()
            });
        }
        sink.damage(damage);
    }
}

/// Reads the members of one file, one after another.
pub struct Members {
    open: Option<Open>,
    site: Site,
    package: Package,
}

impl Members {
    /// Members of a file of this format, which lies in `depth` others.
    pub fn new(format: Format, depth: usize) -> Members {
        Members {
            open: None,
            site: Site {
                format,
                depth,
                // Of a file in another one the sink has not heard yet, whoever holds it.
                is_within: depth > 0,
                has_records: false,
            },
            package: Package::default(),
        }
    }

    /// Tells of damage in the file itself.
    pub fn damage(&mut self, damage: Damage, sink: &mut dyn Sink) {
        self.site.damage(damage, sink);
    }

    /// A member is there that has no content, or none that can be read.
    pub fn pass(&mut self, name: &[u8], is_empty: bool, sink: &dyn Sink) {
        let sum = is_empty.then(|| self.tee(name, sink).finish(0)).flatten();
        self.package.found(name, sum.as_ref());
    }

    /// What sums up a member of that name, for a proof by the hash that is stated of it.
    fn tee(&self, name: &[u8], sink: &dyn Sink) -> Tee {
        let algorithms = if sink.wants_proof() {
            self.package.algorithms(name)
        } else {
            Vec::new()
        };
        Tee::new(&algorithms)
    }

    /// Begins a member whose data lies in `window`.
    pub fn begin(
        &mut self,
        name: &[u8],
        window: Window,
        bytes: Option<u64>,
        can_seek: bool,
        sink: &dyn Sink,
    ) {
        self.begin_as(None, name, window, bytes, can_seek, sink);
    }

    fn begin_as(
        &mut self,
        content: Option<Content>,
        name: &[u8],
        window: Window,
        bytes: Option<u64>,
        can_seek: bool,
        sink: &dyn Sink,
    ) {
        let named = || match self.package.wants(name) {
            Some(text) => Content::Text(text),
            None => Content::Looking(Vec::new()),
        };
        let tee = self.tee(name, sink);
        self.open = Some(Open {
            way: Way::Tunnel(Tunnel::new(window)),
            reading: Reading {
                name: name.to_vec(),
                window,
                bytes,
                content: content.unwrap_or_else(named),
                tee,
                position: 0,
                end: None,
                can_seek,
                is_done: false,
                rewound: 0,
                bytes_max: u64::MAX,
                is_bounded: false,
                must_end: bytes.is_none() || sink.wants_proof(),
            },
        });
    }

    /// Begins a stored member that ends where the descriptor behind it says.
    pub fn begin_unmeasured(&mut self, name: &[u8], window: Window, sink: &dyn Sink) {
        self.begin(name, window, None, false, sink);
        if let Some(open) = &mut self.open {
            open.way = Way::Unmeasured(Unmeasured::new(window.base));
        }
    }

    pub fn wanted(&self) -> u64 {
        self.open.as_ref().map_or(0, Open::wanted)
    }

    /// Whether the member was read as far as anybody wants it.
    pub fn is_done(&self) -> bool {
        self.open.as_ref().is_none_or(Open::is_done)
    }

    pub fn feed(&mut self, bytes: &[u8], sink: &mut dyn Sink) -> usize {
        let Some(Open { way, reading }) = &mut self.open else {
            return 0;
        };
        let window = reading.window;
        let mut attended = Attended {
            reading,
            site: &mut self.site,
            sink,
        };
        match way {
            Way::Tunnel(tunnel) => {
                let taken = tunnel.wanted(&At(0)).saturating_sub(window.base);
                // Where the member's length is not known, what came of it so far counts.
                let packed = if window.bytes < LENGTH_UNKNOWN {
                    window.bytes
                } else {
                    taken + bytes.len() as u64
                };
                attended.reading.bytes_max = packed
                    .saturating_mul(MEMBER_PACKED_RATIO_MAX)
                    .saturating_add(MEMBER_PACKED_BYTES_MIN);
                tunnel.feed(bytes, &mut attended)
            }
            Way::Unmeasured(way) => way.feed(bytes, &mut attended),
        }
    }

    /// The file ends. False where the member must be given bytes at `wanted` first.
    pub fn finish(&mut self, sink: &mut dyn Sink) -> bool {
        let Some(Open { way, reading }) = &mut self.open else {
            return true;
        };
        let mut attended = Attended {
            reading,
            site: &mut self.site,
            sink,
        };
        match way {
            Way::Tunnel(tunnel) => tunnel.finish(&mut attended),
            Way::Unmeasured(way) => way.finish(&mut attended),
        }
    }

    /// Puts a member away that is done. Nothing comes where it has to be read once more to be proven.
    pub fn close(&mut self, sink: &mut dyn Sink) -> Option<Closed> {
        let Open { way, reading } = self.open.take()?;
        let (end, behind, is_broken) = match way {
            Way::Tunnel(tunnel) => {
                let end = tunnel.wanted(&At(reading.window.bytes));
                (end, Vec::new(), tunnel.is_broken())
            }
            Way::Unmeasured(mut way) => (way.end(), way.take_held(), way.is_broken()),
        };
        let sum = reading.end.and_then(|end| reading.tee.finish(end));
        let must_prove = sum.is_none() && !is_broken && reading.can_seek && sink.wants_proof();
        if must_prove && !matches!(reading.content, Content::Passed) {
            let again = Some(Content::Passed);
            self.begin_as(
                again,
                &reading.name,
                reading.window,
                reading.bytes,
                true,
                sink,
            );
            return None;
        }
        self.package.found(&reading.name, sum.as_ref());
        match reading.content {
            Content::Text(text) => {
                let flaws = self.package.read(text, &reading.name, sink);
                self.site.flaws(flaws, reading.window.base, sink);
            }
            Content::Read {
                child:
                    Child {
                        hearer: Hearer::Counter(rows),
                        ..
                    },
                ..
            } => {
                let name = reading.name;
                sink.aside(Aside::Index(Index { name, rows }));
            }
            _ => {}
        }
        Some(Closed {
            base: reading.window.base,
            end,
            behind,
            bytes: reading.end,
            sum,
            is_broken,
        })
    }

    /// All members were read.
    pub fn conclude(&mut self, sink: &mut dyn Sink) {
        let flaws = std::mem::take(&mut self.package).conclude(sink);
        self.site.flaws(flaws, 0, sink);
    }
}

/// How far a member was read, and by what.
struct Reading {
    name: Vec<u8>,
    window: Window,
    /// Bytes of content, where they are known beforehand.
    bytes: Option<u64>,
    content: Content,
    tee: Tee,
    /// The next byte of content, where no reader asks for another.
    position: u64,
    /// Where the content ended.
    end: Option<u64>,
    can_seek: bool,
    /// Whether nobody wants more of it.
    is_done: bool,
    /// Bytes of deflated content that are made again because its reader goes back.
    rewound: u64,
    /// More content than this must not come of what was taken of the file, where that is limited.
    bytes_max: u64,
    is_bounded: bool,
    /// Whether its end must be come to, because only there shows where the next member is, or for a proof.
    must_end: bool,
}

impl Reading {
    fn wanted(&self) -> u64 {
        match &self.content {
            Content::Read { child, start } if start.is_empty() => child.parser.wanted(),
            _ => self.position,
        }
    }

    fn feed(&mut self, bytes: &[u8], site: &mut Site, sink: &mut dyn Sink) -> usize {
        let at = self.wanted();
        let taken = match &mut self.content {
            Content::Looking(start) => {
                let taken = bytes.len().min(MEMBER_LOOK_BYTES - start.len());
                start.extend_from_slice(&bytes[..taken]);
                taken
            }
            Content::Read { start, .. } if !start.is_empty() => {
                self.replay(sink);
                return 0;
            }
            Content::Read { .. } => self.read(bytes, site, sink),
            Content::Text(text) => {
                text.take(bytes, &self.name, sink);
                site.flaws(text.take_flaws(), self.window.base, sink);
                bytes.len()
            }
            Content::Passed => bytes.len(),
        };
        self.tee.take(at, &bytes[..taken]);
        self.position = at + taken as u64;
        if let Content::Looking(start) = &self.content
            && start.len() == MEMBER_LOOK_BYTES
        {
            self.decide(site, sink);
            self.replay(sink);
        }
        taken
    }

    /// Gives the bytes at the place that the reader wants to the reader.
    fn read(&mut self, bytes: &[u8], site: &mut Site, sink: &mut dyn Sink) -> usize {
        let Content::Read { child, .. } = &mut self.content else {
            return 0;
        };
        let at = child.parser.wanted();
        let left = if self.is_bounded {
            usize::try_from(self.bytes_max.saturating_sub(at)).unwrap_or(usize::MAX)
        } else {
            usize::MAX
        };
        if left == 0 && !bytes.is_empty() {
            self.is_done = true;
            let message = format!(
                "{} inflates to far more than it can sensibly hold, and is not read on",
                shown(&self.name)
            );
            site.damage(
                Damage {
                    code: code::MEMBER_BOMB,
                    offset: self.window.base,
                    skipped: 0,
                    message,
                },
                sink,
            );
            return 0;
        }
        let taken = child.feed(&bytes[..bytes.len().min(left)], sink);
        if self.window.storage != Storage::Stored && child.parser.wanted() < at + taken as u64 {
            // Inflating begins again: what that costs depends on the place, not on the step back.
            self.rewound = self.rewound.saturating_add(at + taken as u64);
            if self.rewound > REWIND_BYTES_MIN.max(self.bytes.unwrap_or(0).saturating_mul(2)) {
                child.parser.forbid_seek();
            }
        }
        taken
    }

    fn finish(&mut self, end: u64, site: &mut Site, sink: &mut dyn Sink) -> bool {
        self.end = Some(end);
        if matches!(self.content, Content::Looking(_)) {
            self.decide(site, sink);
        }
        self.replay(sink);
        match &mut self.content {
            Content::Read { start, .. } if !start.is_empty() => false,
            Content::Read { child, .. } => child.finish(end, sink),
            Content::Text(text) => {
                text.finish(&self.name, sink);
                site.flaws(text.take_flaws(), self.window.base, sink);
                true
            }
            _ => true,
        }
    }

    /// Gives the reader what was looked at.
    fn replay(&mut self, sink: &mut dyn Sink) {
        let Content::Read { child, start } = &mut self.content else {
            return;
        };
        while !start.is_empty() && !sink.is_full() {
            let wanted = child.parser.wanted();
            let at = usize::try_from(wanted).unwrap_or(usize::MAX);
            if at >= start.len() {
                start.clear();
                break;
            }
            if child.feed(&start[at..], sink) == 0 && child.parser.wanted() == wanted {
                break;
            }
        }
    }

    /// Knows by now what the member is, as far as its start shows it.
    fn decide(&mut self, site: &mut Site, sink: &mut dyn Sink) {
        let Content::Looking(start) = std::mem::replace(&mut self.content, Content::Passed) else {
            return;
        };
        match detect(&start) {
            Ok(format) => self.read_as(format, start, site, sink),
            Err(error) => {
                let code = match error.code {
                    code::NOT_YET if is_meant(&self.name) => Some(code::MEMBER_NOT_READ),
                    code::NOT_AN_ARCHIVE if is_called_archive(&self.name) => {
                        Some(code::MEMBER_NO_ARCHIVE)
                    }
                    _ => None,
                };
                if let Some(code) = code {
                    let message = format!("{}: {}", shown(&self.name), error.message);
                    self.refuse(code, message, site, sink);
                }
            }
        }
        if matches!(self.content, Content::Passed) {
            self.is_done = !self.must_end;
        }
    }

    fn read_as(&mut self, format: Format, start: Vec<u8>, site: &mut Site, sink: &mut dyn Sink) {
        if format.holds_files() && site.depth >= MEMBER_DEPTH_MAX {
            let message = format!(
                "{} lies in {MEMBER_DEPTH_MAX} files already, and is not opened",
                shown(&self.name)
            );
            return self.refuse(code::MEMBER_TOO_DEEP, message, site, sink);
        }
        let is_stored = self.window.storage == Storage::Stored;
        self.is_bounded = format.is_packed() && !is_stored;
        let part = Part {
            name: self.name.clone(),
            format,
            windows: vec![self.window],
        };
        let mut parser = parser_within(format, self.bytes, site.depth + 1);
        // Going back in what is deflated costs all that lies before.
        if !self.can_seek || format.holds_files() && !is_stored {
            parser.forbid_seek();
        }
        let is_index = format.is_index();
        let hearer = if format.holds_files() {
            site.is_within = true;
            Hearer::Inside(self.name.clone(), self.window)
        } else if is_index && (site.has_records || is_own_index(&self.name)) {
            Hearer::Counter(0)
        } else {
            if !sink.wants_part(&part) {
                return;
            }
            sink.part(&part);
            site.is_within = true;
            site.has_records |= !is_index;
            Hearer::Sink
        };
        let child = Child { parser, hearer };
        self.content = Content::Read { child, start };
    }

    fn refuse(&mut self, code: Code, message: String, site: &mut Site, sink: &mut dyn Sink) {
        let offset = self.window.base;
        let damage = Damage {
            code,
            offset,
            skipped: 0,
            message,
        };
        site.damage(damage, sink);
    }
}

/// A member together with who listens.
struct Attended<'a> {
    reading: &'a mut Reading,
    site: &'a mut Site,
    sink: &'a mut dyn Sink,
}

impl Feed for Attended<'_> {
    fn wanted(&self) -> u64 {
        self.reading.wanted()
    }

    fn feed(&mut self, bytes: &[u8]) -> usize {
        self.reading.feed(bytes, self.site, self.sink)
    }

    fn finish(&mut self, end: u64) -> bool {
        self.reading.finish(end, self.site, self.sink)
    }

    fn is_done(&self) -> bool {
        self.reading.is_done
    }

    fn is_full(&self) -> bool {
        self.sink.is_full()
    }
}

/// A reader of a file that holds files and lies in `depth` of them.
fn parser_within(format: Format, bytes: Option<u64>, depth: usize) -> Box<dyn Parser> {
    match format {
        Format::Zip => Box::new(ZipReader::within(bytes, depth)),
        Format::Tar if is_read_here(format) => Box::new(TarReader::within(bytes, depth)),
        Format::TarGz if is_read_here(format) => Box::new(TarGzReader::within(bytes, depth)),
        Format::Packed if is_read_here(format) => Box::new(PackedFile::within(bytes, depth)),
        _ => parser(format, bytes),
    }
}

/// Whether a member is meant to be read, by its name; others may be of whatever kind they like.
fn is_meant(name: &[u8]) -> bool {
    [&b".warc"[..], b".arc", b".cdx", b".wacz"]
        .iter()
        .any(|ending| memchr::memmem::find(name, ending).is_some())
}

/// Whether a member's name says that it holds records. What the Finder puts beside files is called like them.
fn is_called_archive(name: &[u8]) -> bool {
    let name = name.rsplit(|&byte| byte == b'/').next().unwrap_or(name);
    let name = name.to_ascii_lowercase();
    let packed = [&b".gz"[..], b".zst"];
    let bare = packed.iter().find_map(|ending| name.strip_suffix(*ending));
    let bare = bare.unwrap_or(&name);
    let is_called = [&b".warc"[..], b".arc", b".wacz"]
        .iter()
        .any(|ending| bare.ends_with(ending));
    is_called && !name.starts_with(b"._")
}

/// A name for people, in quotes, cut where it is long.
pub fn shown(name: &[u8]) -> String {
    let text = String::from_utf8_lossy(name);
    let mut letters = text.chars().filter(|letter| !letter.is_control());
    let start: String = letters.by_ref().take(SHOWN_NAME_LETTERS_MAX).collect();
    let rest = if letters.next().is_some() { "..." } else { "" };
    format!("\"{start}{rest}\"")
}
