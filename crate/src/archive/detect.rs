//! Tells what a file is by its first bytes.
//!
//! Tests go from the surest to the least sure:
//!   1  magic numbers, which no other format can begin with
//!   2  what compressed content begins with
//!   3  what the text begins with, after blanks
//!   4  a record somewhere in the first bytes, behind damage or what another tool put there
//! Whatever passes none is refused, by name where it has one.

use memchr::memmem;
use zlib_rs::{Inflate, InflateFlush};

use super::arc::{Trust, UrlLine, is_version_line};
use super::cdx::looks_like_cdx;
use super::framing::Framing;
use super::parser::Format;
use super::tar::looks_like_tar;
use super::wacz::looks_like_manifest;
use super::warc::has_prefix;
use super::wbn::looks_like_bundle;
#[cfg(feature = "tools")]
use super::zstd::decoded_start;
use crate::error::{Error, code};

const GZIP_WITH_WRAPPER: u8 = 16 + 15;
const LOOK_BYTES: usize = 64 << 10;
/// Members that are looked into behind a damaged one.
const MEMBERS_TRIED_MAX: usize = 16;

const GZIP_MAGIC: &[u8] = b"\x1f\x8b";
const ZSTD_MAGIC: &[u8] = b"\x28\xb5\x2f\xfd";

/// Formats that begin with a magic number.
const MAGIC: &[(&[u8], Format)] = &[
    (b"\x5d\x2a\x4d\x18", Format::WarcZst),
    (b"PK\x03\x04", Format::Zip),
    // No member, and the mark of a file that was meant to be split.
    (b"PK\x05\x06", Format::Zip),
    (b"PK\x07\x08", Format::Zip),
    (b"PK00", Format::Zip),
];

/// What is refused by name.
const REFUSED: &[(&[u8], &str)] = &[
    (b"BZh", "compressed with bzip2"),
    (b"\xfd7zXZ\0", "compressed with xz"),
    (b"\x04\x22\x4d\x18", "compressed with LZ4"),
    (b"\x02\x21\x4c\x18", "compressed with an old kind of LZ4"),
    (b"\xff\x06\0\0sNaPpY", "compressed with Snappy"),
    (b"\x1f\x9d", "compressed with compress"),
    (b"LZIP", "compressed with lzip"),
    (b"\x5d\0\0", "compressed with LZMA"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z file"),
    (b"Rar!\x1a\x07", "a RAR file"),
    (b"xar!", "a XAR file"),
    (b"\x30\x37\x30\x37", "a CPIO file"),
    (b"MDmp", "a memory dump"),
    (
        b"bplist00",
        "a binary property list, as Safari's web archives are",
    ),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"%PDF", "a PDF document"),
];

/// The format of an archive whose file begins with `start`, or why it is none.
pub fn detect(start: &[u8]) -> Result<Format, Error> {
    if start.is_empty() {
        return Err(Error::new(code::EMPTY, "This file is empty.").at(0));
    }
    if let Some((_, format)) = MAGIC.iter().find(|(magic, _)| start.starts_with(magic)) {
        return Ok(*format);
    }
    if start.starts_with(GZIP_MAGIC) {
        return detect_gzip(start);
    }
    if start.starts_with(ZSTD_MAGIC) {
        return detect_zstd(start);
    }
    by_content(start).ok_or_else(|| refusal(start, Packing::None))
}

fn detect_gzip(start: &[u8]) -> Result<Format, Error> {
    let inside = inflated_start(start);
    let packed = by_content(&inside).and_then(|format| match format {
        Format::Warc => Some(Format::WarcGz),
        Format::Arc => Some(Format::ArcGz),
        Format::Cdx => Some(Format::CdxGz),
        Format::Tar => Some(Format::TarGz),
        Format::Har | Format::Wbn | Format::Manifest => Some(Format::Packed),
        _ => None,
    });
    // A first member that cannot be read says nothing of those after it.
    let is_unreadable = inside.is_empty() && start.len() > 64;
    let packed = packed.or_else(|| is_unreadable.then(|| by_later_member(start)));
    packed.ok_or_else(|| refusal(&inside, Packing::Gzip))
}

/// The format that members behind a damaged one show.
fn by_later_member(start: &[u8]) -> Format {
    let members = memmem::find_iter(&start[1..], b"\x1f\x8b\x08").take(MEMBERS_TRIED_MAX);
    let formats = members.map(|at| by_content(&inflated_start(&start[1 + at..])));
    if formats.flatten().next() == Some(Format::Arc) {
        Format::ArcGz
    } else {
        Format::WarcGz
    }
}

#[cfg(feature = "tools")]
fn detect_zstd(start: &[u8]) -> Result<Format, Error> {
    let inside = decoded_start(start, LOOK_BYTES);
    match by_content(&inside) {
        Some(Format::Warc) => Ok(Format::WarcZst),
        None if inside.is_empty() => Ok(Format::WarcZst),
        _ => Err(refusal(&inside, Packing::Zstd)),
    }
}

/// Whoever cannot decode it leaves it to those who can.
#[cfg(not(feature = "tools"))]
fn detect_zstd(_start: &[u8]) -> Result<Format, Error> {
    Ok(Format::WarcZst)
}

/// The format of what is not compressed, if it is read.
fn by_content(start: &[u8]) -> Option<Format> {
    by_beginning(start).or_else(|| by_record(start).filter(|_| named(start).is_none()))
}

/// What the text begins with says.
fn by_beginning(start: &[u8]) -> Option<Format> {
    if looks_like_tar(start) {
        return Some(Format::Tar);
    }
    if looks_like_manifest(start) {
        return Some(Format::Manifest);
    }
    if looks_like_bundle(start) {
        return Some(Format::Wbn);
    }
    if looks_like_har(start) {
        return Some(Format::Har);
    }
    let text = start.trim_ascii_start();
    if has_prefix(text, b"WARC/") {
        return Some(Format::Warc);
    }
    let line = text.split(|byte| *byte == b'\n').next()?;
    if is_version_line(line) || UrlLine::read(line, Trust::Found).is_some() {
        return Some(Format::Arc);
    }
    if looks_like_cdx(start) {
        return Some(Format::Cdx);
    }
    None
}

/// The record that comes first in the bytes says.
fn by_record(start: &[u8]) -> Option<Format> {
    let find = |framing: Framing| framing.seeker(true, false).feed(start);
    let (warc, arc) = (find(Framing::Warc), find(Framing::Arc));
    match (warc, arc) {
        (Some(warc), Some(arc)) if arc.at < warc.at => Some(Format::Arc),
        (Some(_), _) => Some(Format::Warc),
        (None, Some(_)) => Some(Format::Arc),
        (None, None) => None,
    }
}

/// JSON whose first name, or one of the first, is `log`.
fn looks_like_har(start: &[u8]) -> bool {
    let text = start
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(start)
        .trim_ascii_start();
    matches!(text.first(), Some(b'{' | b'['))
        && memmem::find(&text[..text.len().min(LOOK_BYTES)], b"\"log\"").is_some()
}

fn inflated_start(start: &[u8]) -> Vec<u8> {
    let mut out = vec![0; LOOK_BYTES];
    let mut inflate = Inflate::new(true, GZIP_WITH_WRAPPER);
    let _ = inflate.decompress(start, &mut out, InflateFlush::NoFlush);
    out.truncate(usize::try_from(inflate.total_out()).unwrap_or(0));
    out
}

/// The name of what is refused.
fn named(start: &[u8]) -> Option<&'static str> {
    let known = REFUSED.iter().find(|(magic, _)| start.starts_with(magic));
    known.map(|(_, name)| *name)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packing {
    None,
    Gzip,
    #[cfg(feature = "tools")]
    Zstd,
}

fn refusal(content: &[u8], packing: Packing) -> Error {
    if let Some(name) = named(content) {
        let message = match packing {
            Packing::None if name.starts_with("compressed") => {
                format!("This file is {name}, which cannot be read here. Decompress it first.")
            }
            Packing::None => format!("This file is {name}, which cannot be read here."),
            _ => format!("What is inside this compressed file is {name}. It cannot be read here."),
        };
        return Error::new(code::NOT_YET, message).at(0);
    }
    let is_text = is_text(&content[..content.len().min(1024)]);
    let what = match packing {
        Packing::None if is_text => "It is text without any record",
        Packing::None => "It does not begin with a record",
        Packing::Gzip if content.is_empty() => {
            "It begins like a gzip file, but nothing can be inflated"
        }
        _ if is_text => "It is compressed, but what is inside is text without any record",
        _ => "It is compressed, but what is inside is no archive",
    };
    let message = format!("This file is not a web archive. {what}.");
    Error::new(code::NOT_AN_ARCHIVE, message).at(0)
}

fn is_text(sample: &[u8]) -> bool {
    let odd = sample
        .iter()
        .filter(|&&byte| byte < 9 || (14..32).contains(&byte))
        .count();
    odd == 0 && !sample.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_by_content_not_by_name() {
        let found = |start: &[u8]| detect(start).map_err(|error| error.code);
        assert_eq!(found(b"WARC/1.0\r\n"), Ok(Format::Warc));
        assert_eq!(found(b"junk\r\nWARC/1.0\r\n"), Ok(Format::Warc));
        assert_eq!(found(b"filedesc://x.arc 0.0.0.0 2"), Ok(Format::Arc));
        let line = b"junk\nhttp://a.test/ 1.2.3.4 20140216050221 text/html 15\nWARC/1.0\r\n";
        assert_eq!(found(line), Ok(Format::Arc));
        assert_eq!(found(&line[5..]), Ok(Format::Arc));
        assert_eq!(found(b"\x5d\x2a\x4d\x18...."), Ok(Format::WarcZst));
        assert_eq!(found(b""), Err(code::EMPTY));
        assert_eq!(found(b"Dear diary"), Err(code::NOT_AN_ARCHIVE));
        assert_eq!(found(b"PK\x03\x04...."), Ok(Format::Zip));
        let list =
            b"{\"profile\": \"multi-wacz-package\", \"resources\": [{\"path\": \"a.wacz\"}]}";
        assert_eq!(found(list), Ok(Format::Manifest));
        assert_eq!(found(b"\xef\xbb\xbf {\"log\": {}}"), Ok(Format::Har));
        assert!(found(b" \xef\xbb\xbf{\"log\": {}}").is_err());
        assert_eq!(found(&[0x1f, 0x8b, 8]), Err(code::NOT_AN_ARCHIVE));
    }

    #[test]
    fn what_cannot_be_read_is_refused_by_name() {
        for (magic, name) in REFUSED {
            let error = detect(&[magic, &b"\0\0\0\0"[..]].concat()).err();
            let message = error.map(|error| error.message).unwrap_or_default();
            assert!(message.contains(name), "{name}: {message}");
        }
    }
}
