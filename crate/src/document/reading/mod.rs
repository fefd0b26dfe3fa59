//! Reads documents: from bodies as they were found to titles, languages, texts and links.
//!
//! Whatever the bytes are, reading takes time and memory in proportion to them, and cannot fail.

mod feed;
mod html;
mod json;
mod language;
mod links;
mod text;

use std::borrow::Cow;

use super::{Document, DocumentKind, Found};
use crate::limits::{DOCUMENT_DESCRIPTION_BYTES_MAX, TABLE_URL_BYTES_MAX};

/// What reading documents leaves to others.
pub trait Helper {
    /// Text in a set other than UTF-8: what is no letter becomes U+FFFD. `None` where there is no such set.
    fn decode(&mut self, charset: &str, bytes: &[u8]) -> Option<String>;

    /// What a PDF says. `None` where that cannot be read.
    fn pdf(&mut self, body: &[u8]) -> Option<Document>;
}

/// The document that a body is.
pub fn read(found: Found, helper: &mut dyn Helper) -> Document {
    let text = match found.kind {
        DocumentKind::Pdf => Cow::Borrowed(""),
        _ => decoded(&found, helper),
    };
    let mut document = match found.kind {
        DocumentKind::Html => html::read(&text, html::Syntax::Html),
        DocumentKind::Xhtml => html::read(&text, html::Syntax::Xml),
        DocumentKind::Xml | DocumentKind::Feed => feed::read(&text),
        DocumentKind::Json => json::read(&text),
        DocumentKind::Text => plain(&text),
        DocumentKind::Pdf => pdf(helper.pdf(&found.body)),
        DocumentKind::Redirect => Document {
            kind: DocumentKind::Redirect,
            redirect: text::one_line(
                &String::from_utf8_lossy(&found.redirect),
                TABLE_URL_BYTES_MAX,
            ),
            ..Document::default()
        },
    };
    document.row = found.row;
    document.is_partial = found.is_partial;
    document.is_cut |= found.is_cut;
    if found.kind != DocumentKind::Redirect {
        if document.redirect.is_empty() {
            let refresh = String::from_utf8_lossy(&found.redirect);
            document.redirect = html::refresh(&refresh).unwrap_or_default();
        }
        document.language = language::of(&document, &String::from_utf8_lossy(&found.language));
    }
    document
}

fn decoded<'a>(found: &'a Found, helper: &mut dyn Helper) -> Cow<'a, str> {
    let bytes = found
        .body
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(&found.body);
    // Most texts are in UTF-8, and most others in what ASCII is a part of.
    let is_plain = found.charset == "utf-8"
        || !found.charset.starts_with("utf-16")
            && found.charset != "iso-2022-jp"
            && bytes.is_ascii();
    let text = match is_plain {
        true => None,
        false => helper.decode(&found.charset, bytes),
    };
    text.map_or_else(|| String::from_utf8_lossy(bytes), Cow::Owned)
}

/// One that cannot be read is one all the same.
fn pdf(read: Option<Document>) -> Document {
    let read = read.unwrap_or_default();
    let mut lines = text::Lines::default();
    lines.push_lines(&read.text);
    Document {
        kind: DocumentKind::Pdf,
        is_cut: read.is_cut || lines.is_cut(),
        title: text::one_line(&read.title, DOCUMENT_DESCRIPTION_BYTES_MAX),
        text: lines.finish(),
        ..read
    }
}

fn plain(text: &str) -> Document {
    let mut lines = text::Lines::default();
    lines.push_lines(text);
    Document {
        kind: DocumentKind::Text,
        is_cut: lines.is_cut(),
        text: lines.finish(),
        ..Document::default()
    }
}
