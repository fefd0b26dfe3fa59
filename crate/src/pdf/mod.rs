//! What a PDF says: title, language, text and links, page after page.
//!
//! The syntax (objects, streams, encryption without a password, files whose tables are broken) is read by a library; what
//! the codes of fonts stand for (`font`, `encoding`, `cmap`), where they are drawn (`page`), and what of that are lines and
//! blocks (`layout`) is told here. Pictures of text stay pictures.

mod cmap;
mod encoding;
mod font;
mod layout;
mod matrix;
mod page;
mod pictures;

use std::collections::HashMap;

use hayro_syntax::Pdf;
use hayro_syntax::object::{Array, Dict, String as Text};

use crate::document::{Document, DocumentKind, Link, LinkKind};
use crate::limits::{
    DOCUMENT_LINKS_BYTES_MAX, DOCUMENT_LINKS_MAX, DOCUMENT_TEXT_BYTES_MAX, PDF_STEPS_MAX,
    TABLE_URL_BYTES_MAX,
};

/// `None` where this is no PDF, or one that is locked.
pub fn read(body: Vec<u8>) -> Option<Document> {
    let pdf = Pdf::new(body).ok()?;
    let mut document = Document {
        kind: DocumentKind::Pdf,
        ..Document::default()
    };
    if let Some(title) = &pdf.metadata().title {
        document.title = one_line(&encoding::text_string(title));
        // What programs write where nobody said anything.
        if document.title.eq_ignore_ascii_case("untitled") {
            document.title.clear();
        }
    }
    let catalog = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id());
    if let Some(language) = catalog.and_then(|catalog| catalog.get::<Text<'_>>("Lang")) {
        document.language = language_tag(&encoding::text_string(&language));
    }
    let mut text = layout::Layout::new(DOCUMENT_TEXT_BYTES_MAX);
    let mut fonts = HashMap::new();
    let mut steps = PDF_STEPS_MAX;
    let mut link_bytes = 0;
    for page in pdf.pages().iter() {
        if text.is_full() || steps == 0 {
            document.is_cut = true;
            break;
        }
        page::show(page, &mut fonts, &mut steps, &mut text);
        text.end_block();
        let links = page.raw().get::<Array<'_>>("Annots");
        let bytes = links.as_ref().map_or(0, |all| all.data().len());
        steps = steps.saturating_sub(bytes as u64);
        for annotation in links.iter().flat_map(|all| all.iter::<Dict<'_>>()) {
            let Some(url) = target(&annotation) else {
                continue;
            };
            link_bytes += url.len();
            if document.links.len() >= DOCUMENT_LINKS_MAX || link_bytes > DOCUMENT_LINKS_BYTES_MAX {
                document.is_cut = true;
                break;
            }
            let kind = LinkKind::Anchor;
            document.links.push(Link { kind, url });
        }
    }
    document.is_cut |= text.is_full();
    document.text = text.finish();
    Some(document)
}

/// Where an annotation leads, if that is a URL.
fn target(annotation: &Dict<'_>) -> Option<String> {
    let uri = annotation.get::<Dict<'_>>("A")?.get::<Text<'_>>("URI")?;
    let url = one_line(&String::from_utf8_lossy(&uri));
    (!url.is_empty() && url.len() <= TABLE_URL_BYTES_MAX).then_some(url)
}

fn one_line(text: &str) -> String {
    let mut words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let mut line = String::new();
    for word in words.by_ref().filter(|word| !word.is_empty()) {
        if line.len() + word.len() >= TABLE_URL_BYTES_MAX {
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// In lower case; nothing where it is none.
fn language_tag(text: &str) -> String {
    let tag = text.trim().replace('_', "-").to_ascii_lowercase();
    let is_one = (2..=35).contains(&tag.len())
        && tag
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        && tag.as_bytes()[0].is_ascii_alphabetic();
    if is_one { tag } else { String::new() }
}

#[cfg(test)]
mod tests;
