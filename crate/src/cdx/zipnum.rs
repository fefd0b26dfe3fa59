//! The index of a ZipNum cluster: which block of which file holds the rows from a key on.
//!
//!   index := line*                  line := key SP timestamp TAB part TAB offset TAB length [TAB number]
//!   or       meta? line*            line := key SP timestamp SP {"offset": N, "length": N, "filename"?: T}
//!   meta := "!meta 0 " {"format": "cdxj-gzip-1.0", "filename": T}
//!   places := (part (TAB path)* NL)*
//! A block is a gzip member; its last line may lack its newline. Parts are found by a file of places beside
//! the index, or by their names.

use super::json::{self, Value};
use crate::limits::CDX_BLOCK_BYTES_MAX;

/// A block, as its line tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Key and timestamp of its first row.
    pub first: Vec<u8>,
    pub part: String,
    pub offset: u64,
    pub length: u64,
    /// The number that the line states, if it does.
    pub number: Option<u64>,
}

impl Block {
    /// Reads a line of the index; what was expected where it tells of no block.
    pub fn parse(line: &[u8], file: &str) -> Result<Block, &'static str> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let block = if line.contains(&b'\t') {
            Block::parse_tabs(line)
        } else {
            Block::parse_json(line, file)
        };
        let block = block.ok_or("expected key, part, offset and length of a block")?;
        if block.length == 0 || block.length > CDX_BLOCK_BYTES_MAX {
            return Err("expected a block of a length that can be");
        }
        Ok(block)
    }

    fn parse_tabs(line: &[u8]) -> Option<Block> {
        let mut columns = line.split(|&byte| byte == b'\t');
        let mut next = || columns.next();
        let first = next()?.to_vec();
        let part = String::from_utf8_lossy(next()?).into_owned();
        let (offset, length) = (number(next()?)?, number(next()?)?);
        let number = next().and_then(number);
        (!part.is_empty()).then_some(Block {
            first,
            part,
            offset,
            length,
            number,
        })
    }

    fn parse_json(line: &[u8], file: &str) -> Option<Block> {
        let at = memchr::memmem::rfind(line, b" {")?;
        let (mut offset, mut length, mut is_row) = (None, None, false);
        let mut part = file.to_owned();
        let is_sound = json::members(&line[at + 1..], &mut |name, value| match (name, value) {
            (b"offset", Value::Number(text) | Value::Text(text)) => offset = number(text),
            (b"length", Value::Number(text) | Value::Text(text)) => length = number(text),
            (b"filename", Value::Text(text)) => {
                part = String::from_utf8_lossy(&json::unescaped(text)).into_owned();
            }
            // A row of captures says more than a block does.
            (b"url" | b"mime" | b"status", _) => is_row = true,
            _ => {}
        });
        let block = Block {
            first: line[..at].to_vec(),
            part,
            offset: offset?,
            length: length?,
            number: None,
        };
        (is_sound && !is_row).then_some(block)
    }

    pub fn key(&self) -> &[u8] {
        let end = memchr::memchr(b' ', &self.first).unwrap_or(self.first.len());
        &self.first[..end]
    }
}

fn number(text: &[u8]) -> Option<u64> {
    std::str::from_utf8(text.trim_ascii()).ok()?.parse().ok()
}

/// What the first line of an index of the second kind says, if it is one: the file of the blocks.
pub fn meta_file(line: &[u8]) -> Option<String> {
    let rest = line.strip_prefix(b"!meta ")?;
    let at = memchr::memchr(b'{', rest)?;
    let (mut file, mut is_blocks) = (None, false);
    json::members(
        rest[at..].trim_ascii(),
        &mut |name, value| match (name, value) {
            (b"filename", Value::Text(text)) => {
                file = Some(String::from_utf8_lossy(&json::unescaped(text)).into_owned());
            }
            (b"format", Value::Text(text)) => is_blocks = text.starts_with(b"cdxj-gzip"),
            _ => {}
        },
    );
    file.or_else(|| is_blocks.then(String::new))
}

/// Whether a file that begins so is the index of a cluster.
pub fn looks_like_index(start: &[u8]) -> bool {
    let mut lines = start
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty());
    let Some(first) = lines.next() else {
        return false;
    };
    match meta_file(first) {
        Some(_) => lines
            .next()
            .is_none_or(|line| Block::parse(line, "x").is_ok()),
        None => Block::parse(first, "x").is_ok(),
    }
}

/// Where a part may be found, in the order in which to try: by the file of places, or by its name.
pub fn paths(part: &str, places: Option<&[u8]>) -> Vec<String> {
    let told = places
        .unwrap_or_default()
        .split(|&byte| byte == b'\n')
        .find_map(|line| {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let mut columns = line.split(|&byte| byte == b'\t');
            let is_named = columns.next() == Some(part.as_bytes());
            is_named.then(|| {
                columns
                    .map(|path| String::from_utf8_lossy(path).into_owned())
                    .collect()
            })
        });
    told.unwrap_or_else(|| {
        let named = ["", ".gz", ".cdx.gz", ".cdxj.gz"];
        named
            .iter()
            .map(|ending| format!("{part}{ending}"))
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_both_kinds_are_read() {
        let tabs =
            Block::parse(b"org,iana)/ 20140127171238\tzipnum\t275\t328\t2", "").expect("block");
        assert_eq!(
            (tabs.key(), tabs.offset, tabs.length),
            (&b"org,iana)/"[..], 275, 328)
        );
        assert_eq!((tabs.part.as_str(), tabs.number), ("zipnum", Some(2)));
        let json = br#"a,b)/ 20140127171238 {"offset": 5, "length": 7, "digest": "x"}"#;
        let json = Block::parse(json, "index.cdx.gz").expect("block");
        assert_eq!(
            (json.key(), json.part.as_str(), json.offset),
            (&b"a,b)/"[..], "index.cdx.gz", 5)
        );
        let meta = br#"!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}"#;
        assert_eq!(meta_file(meta).as_deref(), Some("index.cdx.gz"));
        assert_eq!(meta_file(b"!meta {\"generator\": \"x\"}"), None);
        for line in [
            &b""[..],
            b"a,b)/ 2014\tx\t1\t0",
            b"a,b)/ 2014\tx\t1",
            b"a,b)/ 2014\tx\t-1\t5",
            b"a,b)/ 20140127171238 {\"url\": \"x\", \"offset\": 5, \"length\": 7}",
            b"a,b)/ 20140127171238 {\"offset\": 5",
        ] {
            assert!(Block::parse(line, "").is_err(), "{line:?}");
        }
    }

    #[test]
    fn parts_are_found_by_places_or_by_name() {
        let places = b"zipnum\tx-bad\tzipnum.cdx.gz\r\nother\n";
        assert_eq!(paths("zipnum", Some(places)), ["x-bad", "zipnum.cdx.gz"]);
        assert_eq!(paths("other", Some(places)), [""; 0]);
        assert_eq!(paths("third", Some(places))[1], "third.gz");
    }
}
