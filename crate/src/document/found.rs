//! Bodies on their way from where an archive is read to where documents are made of them:
//!
//!   found := row kind flags charset language redirect body
//! Texts have their lengths before them; all else is varints. Flags: 1 cut, 2 partial.

use super::DocumentKind;
use crate::codec::{Reader, Writer};

const CUT: u64 = 1;
const PARTIAL: u64 = 2;

/// A record that is a document, as it was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    pub row: u64,
    pub kind: DocumentKind,
    /// The body is longer than this.
    pub is_cut: bool,
    /// The body is not all there.
    pub is_partial: bool,
    /// Name of the character set, as `TextDecoder` has it.
    pub charset: String,
    /// What the header says: `Content-Language`, and `Location` or `Refresh`.
    pub language: Vec<u8>,
    pub redirect: Vec<u8>,
    /// Decoded, as far as HTTP goes.
    pub body: Vec<u8>,
}

impl Found {
    pub fn write(&self, out: &mut Writer) {
        out.varint(self.row);
        out.varint(self.kind.number());
        let flag = |is_set: bool, flag: u64| if is_set { flag } else { 0 };
        out.varint(flag(self.is_cut, CUT) | flag(self.is_partial, PARTIAL));
        for field in [
            self.charset.as_bytes(),
            &self.language,
            &self.redirect,
            &self.body,
        ] {
            out.bytes(field);
        }
    }

    /// Passes over one and tells its kind.
    pub fn pass(reader: &mut Reader<'_>) -> Option<DocumentKind> {
        reader.varint()?;
        let kind = DocumentKind::from_number(reader.varint()?)?;
        reader.varint()?;
        for _ in 0..4 {
            let length = usize::try_from(reader.varint()?).ok()?;
            reader.take(length)?;
        }
        Some(kind)
    }

    /// `None` where this is nothing of the kind.
    pub fn read(reader: &mut Reader<'_>) -> Option<Found> {
        let row = reader.varint()?;
        let kind = DocumentKind::from_number(reader.varint()?)?;
        let flags = reader.varint()?;
        let mut field = || {
            let length = usize::try_from(reader.varint()?).ok()?;
            Some(reader.take(length)?.to_vec())
        };
        Some(Found {
            row,
            kind,
            is_cut: flags & CUT != 0,
            is_partial: flags & PARTIAL != 0,
            charset: String::from_utf8(field()?).ok()?,
            language: field()?,
            redirect: field()?,
            body: field()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_comes_back_as_it_went_in() {
        let found = Found {
            row: 70_000,
            kind: DocumentKind::Xml,
            is_partial: true,
            charset: "koi8-r".into(),
            redirect: b"/a\xff".to_vec(),
            body: vec![0xfe; 300],
            ..Found::default()
        };
        let mut out = Writer::new();
        found.write(&mut out);
        let bytes = out.finish();
        let mut reader = Reader::new(&bytes);
        assert_eq!(Found::pass(&mut reader), Some(found.kind));
        assert!(reader.is_empty());
        assert_eq!(Found::read(&mut Reader::new(&bytes)), Some(found));
        for end in 0..bytes.len() {
            assert_eq!(Found::read(&mut Reader::new(&bytes[..end])), None);
            assert_eq!(Found::pass(&mut Reader::new(&bytes[..end])), None);
        }
    }
}
