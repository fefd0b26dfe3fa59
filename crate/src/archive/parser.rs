//! What every format is to its host: a parser that is pushed the bytes it wants.

use super::cdx::CdxParser;
use super::framing::Framing;
use super::har::Har;
use super::packed::PackedFile;
use super::reader::{Container, Reader};
use super::record::{Joint, Sink};
use super::tar::{TarGzReader, TarReader};
use super::unread::Unread;
use super::wacz::ManifestReader;
use super::wbn::Bundle;
use super::window::Feed;
use super::zip::ZipReader;
use crate::error::{Code, code};

/// What a file is, or a member of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// WARC records as they are.
    #[default]
    Warc,
    /// WARC records in gzip members, normally one each.
    WarcGz,
    /// WARC records in Zstandard frames, with a dictionary in front or without.
    WarcZst,
    /// ARC records as they are.
    Arc,
    /// ARC records in gzip members, normally one each.
    ArcGz,
    /// Rows of a capture index: CDX or CDXJ.
    Cdx,
    /// The same in gzip members, such as the blocks of a ZipNum cluster.
    CdxGz,
    /// Members in a ZIP file; WACZ packages are ZIP files.
    Zip,
    /// Members in a TAR file.
    Tar,
    /// The same in gzip members.
    TarGz,
    /// A list of archives that lie elsewhere, such as a multi-WACZ file in JSON.
    Manifest,
    /// HTTP archives: JSON.
    Har,
    /// Web bundles, b1 and b2.
    Wbn,
    /// One file of another format in gzip members.
    Packed,
}

impl Format {
    const ALL: &'static [(Format, &'static str)] = &[
        (Format::Warc, "warc"),
        (Format::WarcGz, "warc.gz"),
        (Format::WarcZst, "warc.zst"),
        (Format::Arc, "arc"),
        (Format::ArcGz, "arc.gz"),
        (Format::Cdx, "cdx"),
        (Format::CdxGz, "cdx.gz"),
        (Format::Zip, "zip"),
        (Format::Tar, "tar"),
        (Format::TarGz, "tar.gz"),
        (Format::Manifest, "manifest"),
        (Format::Har, "har"),
        (Format::Wbn, "wbn"),
        (Format::Packed, "gz"),
    ];

    /// Whether its rows are of records that are elsewhere.
    pub fn is_index(self) -> bool {
        matches!(self, Format::Cdx | Format::CdxGz)
    }

    /// Whether records lie in the file as they are, one after another.
    pub fn is_plain(self) -> bool {
        matches!(self, Format::Warc | Format::Arc)
    }

    /// The name that callers see.
    pub fn name(self) -> &'static str {
        let known = Format::ALL.iter().find(|(format, _)| *format == self);
        known.map_or("unknown", |(_, name)| name)
    }

    /// Whether it holds files, and no records of its own.
    pub fn holds_files(self) -> bool {
        matches!(
            self,
            Format::Zip | Format::Tar | Format::TarGz | Format::Packed
        )
    }

    /// Whether it is compressed, so that compressing it again brings little.
    pub fn is_packed(self) -> bool {
        matches!(
            self,
            Format::WarcGz
                | Format::WarcZst
                | Format::ArcGz
                | Format::CdxGz
                | Format::Zip
                | Format::TarGz
                | Format::Packed
        )
    }

    pub fn named(name: &str) -> Option<Format> {
        let known = Format::ALL.iter().find(|(_, known)| *known == name);
        known.map(|(format, _)| *format)
    }
}

/// Reads a file, or a member of one, from the bytes that it asks for.
///
/// The host feeds the bytes at `wanted` until the file ends, then calls `finish`. `wanted` usually moves on
/// by what was taken; it may jump forward over what nobody asked for, and back, as far as that is bounded.
pub trait Parser {
    /// Offset of the bytes that must be fed next.
    fn wanted(&self) -> u64;

    /// Takes the bytes at `wanted`. Returns how many were taken: fewer than given where the sink is full or
    /// the next bytes lie elsewhere.
    fn feed(&mut self, bytes: &[u8], sink: &mut dyn Sink) -> usize;

    /// The file ends at `end`. Returns false where bytes at `wanted` must be looked at first.
    fn finish(&mut self, end: u64, sink: &mut dyn Sink) -> bool;

    /// For sources that only go forward: damage then costs what lies behind it.
    fn forbid_seek(&mut self) {}

    /// States how long the block of the record at `offset` really is, as an index found out.
    fn set_block_length(&mut self, _offset: u64, _bytes: u64) {}
}

impl Parser for Reader {
    fn wanted(&self) -> u64 {
        Reader::wanted(self)
    }

    fn feed(&mut self, bytes: &[u8], sink: &mut dyn Sink) -> usize {
        Reader::feed(self, bytes, sink)
    }

    fn finish(&mut self, end: u64, sink: &mut dyn Sink) -> bool {
        Reader::finish(self, end, sink)
    }

    fn forbid_seek(&mut self) {
        Reader::forbid_seek(self);
    }

    fn set_block_length(&mut self, offset: u64, bytes: u64) {
        Reader::set_block_length(self, offset, bytes);
    }
}

/// A parser together with who listens to it.
pub struct Heard<'a> {
    pub parser: &'a mut dyn Parser,
    pub sink: &'a mut dyn Sink,
}

impl Feed for Heard<'_> {
    fn wanted(&self) -> u64 {
        self.parser.wanted()
    }

    fn feed(&mut self, bytes: &[u8]) -> usize {
        self.parser.feed(bytes, self.sink)
    }

    fn finish(&mut self, end: u64) -> bool {
        self.parser.finish(end, self.sink)
    }

    fn is_full(&self) -> bool {
        self.sink.is_full()
    }
}

/// Whether the parsers of rarer formats are here. The first module that a browser loads leaves them to the larger one.
const HAS_ALL: bool = cfg!(feature = "tools");

/// Whether this module has the parser of a format; the larger one has all.
pub fn is_read_here(format: Format) -> bool {
    HAS_ALL
        || matches!(
            format,
            Format::Warc
                | Format::WarcGz
                | Format::Arc
                | Format::ArcGz
                | Format::Zip
                | Format::Manifest
        )
}

/// A parser of a whole file. Some formats begin with their end, where its place is known.
pub fn parser(format: Format, size: Option<u64>) -> Box<dyn Parser> {
    match format {
        Format::Warc => Box::new(Reader::plain(Framing::Warc, size)),
        Format::WarcGz => Box::new(Reader::new(Container::Gzip)),
        Format::Cdx if HAS_ALL => Box::new(CdxParser::new(false)),
        Format::CdxGz if HAS_ALL => Box::new(CdxParser::new(true)),
        #[cfg(feature = "tools")]
        Format::WarcZst => Box::new(Reader::new(Container::Zstd)),
        Format::Arc => Box::new(Reader::plain(Framing::Arc, size)),
        Format::ArcGz => Box::new(Reader::framed(Framing::Arc, Container::Gzip)),
        Format::Zip => Box::new(ZipReader::new(size)),
        Format::Tar if HAS_ALL => Box::new(TarReader::new(size)),
        Format::TarGz if HAS_ALL => Box::new(TarGzReader::new(size)),
        Format::Packed if HAS_ALL => Box::new(PackedFile::new(size)),
        Format::Manifest => Box::new(ManifestReader::new()),
        Format::Har if HAS_ALL => Box::new(Har::new()),
        Format::Wbn if HAS_ALL => Box::new(Bundle::new(size)),
        _ => Box::new(Unread::default()),
    }
}

/// A parser that goes on at a joint of another one's reading and does all that the other would do, where the format has
/// joints; `has_told` says of what damage the other told once.
pub fn parser_from(
    format: Format,
    size: Option<u64>,
    joint: Joint,
    has_told: impl Fn(Code) -> bool,
) -> Option<Box<dyn Parser>> {
    let mut reader = match format {
        Format::Warc => Reader::resumed_plain(Framing::Warc, size, joint),
        Format::Arc => Reader::resumed_plain(Framing::Arc, size, joint),
        Format::WarcGz => Reader::resumed(joint),
        _ => return None,
    };
    reader.set_told(
        has_told(code::GZIP_SHARED_MEMBER),
        has_told(code::GZIP_SPLIT_RECORD),
    );
    Some(Box::new(reader))
}

/// A parser that tells first of the record at a place: `skip` bytes into what begins at `offset`.
pub fn parser_at(format: Format, offset: u64, skip: u64) -> Box<dyn Parser> {
    let reader = |framing, container| -> Box<dyn Parser> {
        Box::new(Reader::of_record(framing, container, offset, skip))
    };
    match format {
        Format::Warc => reader(Framing::Warc, Container::Plain),
        Format::WarcGz => reader(Framing::Warc, Container::Gzip),
        #[cfg(feature = "tools")]
        Format::WarcZst => reader(Framing::Warc, Container::Zstd),
        Format::Arc => reader(Framing::Arc, Container::Plain),
        Format::ArcGz => reader(Framing::Arc, Container::Gzip),
        Format::Cdx if HAS_ALL => Box::new(CdxParser::at(false, offset, skip)),
        Format::CdxGz if HAS_ALL => Box::new(CdxParser::at(true, offset, skip)),
        // They have no records of their own: those of their members are read as parts.
        Format::Zip | Format::Tar | Format::TarGz | Format::Packed | Format::Manifest => {
            parser(format, None)
        }
        Format::Har if HAS_ALL => Box::new(Har::at(offset, skip)),
        Format::Wbn if HAS_ALL => Box::new(Bundle::at(offset, skip)),
        _ => Box::new(Unread::default()),
    }
}
