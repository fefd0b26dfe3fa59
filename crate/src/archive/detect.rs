//! Tells what a file is by its first bytes.

use zlib_rs::{Inflate, InflateFlush};

use super::cdx::looks_like_cdx;
use super::hunt::Hunter;
use super::parser::Format;
use super::warc::has_prefix;
use crate::error::{Error, code};

const GZIP_WITH_WRAPPER: u8 = 16 + 15;
const LOOK_BYTES: usize = 64 << 10;

/// The format of an archive whose file begins with `start`, or why it is none.
pub fn detect(start: &[u8]) -> Result<Format, Error> {
    if start.is_empty() {
        return Err(Error::new(code::EMPTY, "This file is empty.").at(0));
    }
    if start.starts_with(&[0x1f, 0x8b]) {
        let inside = inflated_start(start);
        if looks_like_warc(&inside) {
            return Ok(Format::WarcGz);
        }
        if looks_like_cdx(&inside) {
            return Ok(Format::CdxGz);
        }
        // A first member that cannot be read says nothing of those after it.
        let is_unreadable = inside.is_empty() && start.len() > 64;
        return if is_unreadable {
            Ok(Format::WarcGz)
        } else {
            Err(refusal(&inside, true))
        };
    }
    if looks_like_warc(start) {
        Ok(Format::Warc)
    } else if looks_like_cdx(start) {
        Ok(Format::Cdx)
    } else {
        Err(refusal(start, false))
    }
}

fn looks_like_warc(start: &[u8]) -> bool {
    let text = start.trim_ascii_start();
    has_prefix(text, b"WARC/") || Hunter::at_line_start().feed(start).is_some()
}

fn inflated_start(start: &[u8]) -> Vec<u8> {
    let mut out = vec![0; LOOK_BYTES];
    let mut inflate = Inflate::new(true, GZIP_WITH_WRAPPER);
    let _ = inflate.decompress(start, &mut out, InflateFlush::NoFlush);
    out.truncate(usize::try_from(inflate.total_out()).unwrap_or(0));
    out
}

fn refusal(content: &[u8], is_gzip: bool) -> Error {
    let text = content.trim_ascii_start();
    let known = [
        (
            &b"PK\x03\x04"[..],
            "a ZIP file (WACZ archives are ZIP files)",
        ),
        (b"filedesc://", "an ARC file"),
        (b"\x28\xb5\x2f\xfd", "compressed with Zstandard"),
        (
            b"\x5d\x2a\x4d\x18",
            "compressed with Zstandard and a dictionary",
        ),
        (b"BZh", "compressed with bzip2"),
        (b"\x04\x22\x4d\x18", "compressed with LZ4"),
        (b"\x86\x48\xf0\x9f\x8c\x90\xf0\x9f\x93\xa6", "a web bundle"),
        (b"\x85\x48\xf0\x9f\x8c\x90\xf0\x9f\x93\xa6", "a web bundle"),
    ];
    if let Some((_, name)) = known.iter().find(|(magic, _)| text.starts_with(magic)) {
        let message =
            format!("This file is {name}. It cannot be opened yet: choose a WARC or WARC.GZ file.");
        return Error::new(code::NOT_YET, message).at(0);
    }
    let is_har =
        text.starts_with(b"{") && content.windows(5).take(4096).any(|five| five == b"\"log\"");
    if is_har && !is_gzip {
        let message =
            "This file is a HAR file. It cannot be opened yet: choose a WARC or WARC.GZ file.";
        return Error::new(code::NOT_YET, message).at(0);
    }
    let sample = &content[..content.len().min(1024)];
    let what = match (is_text(sample), is_gzip, content.is_empty()) {
        (_, true, true) => "It begins like a gzip file, but nothing can be inflated",
        (true, true, _) => "It is a gzip file, but what is inside is text without any WARC record",
        (true, false, _) => "It is text without any WARC record",
        (false, true, _) => "It is a gzip file, but what is inside is not a WARC file",
        (false, false, _) => "It does not begin with a WARC record",
    };
    Error::new(
        code::NOT_AN_ARCHIVE,
        format!("This file is not a web archive. {what}."),
    )
    .at(0)
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
        assert_eq!(detect(b"WARC/1.0\r\n"), Ok(Format::Warc));
        assert_eq!(detect(b"junk\r\nWARC/1.0\r\n"), Ok(Format::Warc));
        let code_of = |start: &[u8]| detect(start).err().map(|error| error.code);
        assert_eq!(code_of(b""), Some(code::EMPTY));
        assert_eq!(code_of(b"Dear diary"), Some(code::NOT_AN_ARCHIVE));
        assert_eq!(code_of(b"PK\x03\x04...."), Some(code::NOT_YET));
        assert_eq!(code_of(b"filedesc://x.arc"), Some(code::NOT_YET));
        assert_eq!(code_of(b"{\"log\": {}}"), Some(code::NOT_YET));
        assert_eq!(code_of(&[0x1f, 0x8b, 8]), Some(code::NOT_AN_ARCHIVE));
    }
}
