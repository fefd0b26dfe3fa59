//! Documents on their way from who reads them to who keeps them:
//!
//!   document := row kind flags title language description icon canonical redirect base text links
//!   links    := count (kind url)*
//! Texts have their lengths before them; all else is varints. Flags: 1 fragment, 2 cut, 4 partial.

use super::{Document, DocumentKind, Link, LinkKind};
use crate::codec::{Reader, Writer};

const FRAGMENT: u64 = 1;
const CUT: u64 = 2;
const PARTIAL: u64 = 4;

impl DocumentKind {
    const ALL: [DocumentKind; 8] = [
        DocumentKind::Html,
        DocumentKind::Xhtml,
        DocumentKind::Text,
        DocumentKind::Json,
        DocumentKind::Xml,
        DocumentKind::Feed,
        DocumentKind::Pdf,
        DocumentKind::Redirect,
    ];

    pub fn from_number(number: u64) -> Option<DocumentKind> {
        DocumentKind::ALL
            .get(usize::try_from(number).ok()?)
            .copied()
    }

    pub fn number(self) -> u64 {
        self as u64
    }
}

impl LinkKind {
    const ALL: [LinkKind; 7] = [
        LinkKind::Anchor,
        LinkKind::Media,
        LinkKind::Frame,
        LinkKind::Script,
        LinkKind::Style,
        LinkKind::Form,
        LinkKind::Other,
    ];

    pub fn from_number(number: u64) -> Option<LinkKind> {
        LinkKind::ALL.get(usize::try_from(number).ok()?).copied()
    }

    pub fn number(self) -> u64 {
        self as u64
    }
}

impl Document {
    pub fn flags(&self) -> u64 {
        let flag = |is_set: bool, flag: u64| if is_set { flag } else { 0 };
        flag(self.is_fragment, FRAGMENT) | flag(self.is_cut, CUT) | flag(self.is_partial, PARTIAL)
    }

    pub fn set_flags(&mut self, flags: u64) {
        self.is_fragment = flags & FRAGMENT != 0;
        self.is_cut = flags & CUT != 0;
        self.is_partial = flags & PARTIAL != 0;
    }

    pub fn write(&self, out: &mut Writer) {
        out.varint(self.row);
        out.varint(self.kind.number());
        out.varint(self.flags());
        for text in [
            &self.title,
            &self.language,
            &self.description,
            &self.icon,
            &self.canonical,
            &self.redirect,
            &self.base,
            &self.text,
        ] {
            out.bytes(text.as_bytes());
        }
        out.varint(self.links.len() as u64);
        for link in &self.links {
            out.varint(link.kind.number());
            out.bytes(link.url.as_bytes());
        }
    }

    /// `None` where this is no document.
    pub fn read(reader: &mut Reader<'_>) -> Option<Document> {
        let row = reader.varint()?;
        let kind = DocumentKind::from_number(reader.varint()?)?;
        let flags = reader.varint()?;
        let mut document = Document {
            row,
            kind,
            title: text(reader)?,
            language: text(reader)?,
            description: text(reader)?,
            icon: text(reader)?,
            canonical: text(reader)?,
            redirect: text(reader)?,
            base: text(reader)?,
            text: text(reader)?,
            ..Document::default()
        };
        document.set_flags(flags);
        // Each takes two bytes at least: a false count asks for no more memory than there is of it.
        let count = usize::try_from(reader.varint()?).ok()?;
        document.links.reserve(count.min(reader.left() / 2));
        for _ in 0..count {
            let kind = LinkKind::from_number(reader.varint()?)?;
            let url = text(reader)?;
            document.links.push(Link { kind, url });
        }
        Some(document)
    }
}

fn text(reader: &mut Reader<'_>) -> Option<String> {
    let length = usize::try_from(reader.varint()?).ok()?;
    String::from_utf8(reader.take(length)?.to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_come_back_as_they_went_in() {
        let document = Document {
            row: 1 << 40,
            kind: DocumentKind::Feed,
            is_cut: true,
            is_partial: true,
            title: "\u{dc}n\u{ef}code".into(),
            language: "pt-br".into(),
            text: "one\ntwo".into(),
            links: LinkKind::ALL
                .map(|kind| Link {
                    kind,
                    url: "../a?b".into(),
                })
                .into(),
            ..Document::default()
        };
        let mut out = Writer::new();
        document.write(&mut out);
        Document::default().write(&mut out);
        let bytes = out.finish();
        let mut reader = Reader::new(&bytes);
        assert_eq!(Document::read(&mut reader).as_ref(), Some(&document));
        assert_eq!(Document::read(&mut reader), Some(Document::default()));
        assert!(reader.is_empty());
        for end in 0..bytes.len() {
            let mut reader = Reader::new(&bytes[..end]);
            let whole = Document::read(&mut reader).is_some();
            assert!(!whole || Document::read(&mut reader).is_none());
        }
    }
}
