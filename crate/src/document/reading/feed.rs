//! Reads XML: feeds by what their elements mean, anything else as the texts of its elements.

use std::borrow::Cow;

use super::html;
use super::html::{Tag, Token, Tokens, Within, decoded};
use super::links::Links;
use super::text::{Lines, one_line};
use crate::document::{Document, DocumentKind, LinkKind};
use crate::limits::{DOCUMENT_DESCRIPTION_BYTES_MAX, DOCUMENT_LEVELS_MAX, PAGE_TITLE_BYTES_MAX};

pub fn read(text: &str) -> Document {
    let mut tokens = Tokens::new(text);
    tokens.has_cdata = true;
    let mut reading = Reading::default();
    for token in tokens {
        match token {
            Token::Doctype => {}
            Token::Start(tag) => reading.start(tag),
            Token::End(tag) => reading.end(tag.name),
            Token::Text(text) => reading.text(&decoded(text, Within::Text)),
            Token::Raw(text) => reading.text(text),
        }
    }
    reading.finish()
}

#[derive(Default)]
struct Reading<'a> {
    document: Document,
    lines: Lines,
    links: Links,
    is_feed: bool,
    has_root: bool,
    /// Names of the elements that what comes next lies in, without their prefixes.
    open: Vec<&'a str>,
    deeper: usize,
    /// Text of the innermost one.
    text: String,
    /// It is an entry, or in one.
    entries: usize,
}

fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

impl<'a> Reading<'a> {
    fn start(&mut self, tag: Tag<'a>) {
        self.settle();
        let name = local(tag.name);
        if !self.has_root {
            self.has_root = true;
            let root = name.to_ascii_lowercase();
            self.is_feed = matches!(root.as_str(), "rss" | "feed" | "rdf");
            let language = tag.attributes.get("xml:lang");
            self.document.language = language.unwrap_or_default().into_owned();
        }
        for attribute in ["href", "src", "url"] {
            let Some(url) = tag.attributes.get(attribute) else {
                continue;
            };
            let kind = match (name, attribute) {
                ("enclosure" | "content" | "thumbnail" | "img", _) | (_, "src") => LinkKind::Media,
                ("link" | "a", "href") => LinkKind::Anchor,
                _ => LinkKind::Other,
            };
            self.links.push(kind, &url);
        }
        if tag.is_self_closing {
            return;
        }
        if self.open.len() >= DOCUMENT_LEVELS_MAX {
            self.deeper += 1;
            return;
        }
        self.entries += usize::from(is_entry(name));
        self.open.push(name);
    }

    fn end(&mut self, name: &str) {
        self.settle();
        if self.deeper > 0 {
            self.deeper -= 1;
            return;
        }
        let name = local(name);
        let Some(at) = self.open.iter().rposition(|one| *one == name) else {
            return;
        };
        let closed = self.open.drain(at..).filter(|name| is_entry(name)).count();
        self.entries = self.entries.saturating_sub(closed);
    }

    fn text(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// The innermost element has no more text up to here.
    fn settle(&mut self) {
        let text = std::mem::take(&mut self.text);
        if text.trim_ascii().is_empty() {
            return;
        }
        let name = self.open.last().copied().unwrap_or_default();
        let is_url = is_url(&text);
        if is_url {
            let kind = match name {
                "link" | "loc" | "id" | "guid" => LinkKind::Anchor,
                _ => LinkKind::Other,
            };
            self.links.push(kind, &text);
            return;
        }
        if !self.is_feed {
            self.lines.line(&text);
            return;
        }
        let is_of_feed = self.entries == 0 && !self.open.contains(&"image");
        match name {
            "title" if is_of_feed && self.document.title.is_empty() => {
                self.document.title = one_line(&shown(&text), PAGE_TITLE_BYTES_MAX);
            }
            "description" | "subtitle" | "tagline"
                if is_of_feed && self.document.description.is_empty() =>
            {
                self.document.description = one_line(&shown(&text), DOCUMENT_DESCRIPTION_BYTES_MAX);
            }
            "language" if is_of_feed => self.document.language = text.trim().into(),
            "title" | "description" | "summary" | "content" | "encoded" | "category"
            | "creator" | "name" | "subtitle" => {
                self.lines.end_line();
                self.lines.push_lines(&shown(&text));
                self.lines.end_line();
            }
            // Text in an XHTML entry.
            _ if self.open.contains(&"content") || self.open.contains(&"summary") => {
                self.lines.blank();
                self.lines.push(&text);
            }
            _ => {}
        }
    }

    fn finish(mut self) -> Document {
        self.settle();
        let mut document = self.document;
        document.kind = match self.is_feed {
            true => DocumentKind::Feed,
            false => DocumentKind::Xml,
        };
        document.is_cut = self.lines.is_cut() || self.links.is_cut();
        document.text = self.lines.finish();
        document.links = self.links.finish();
        document
    }
}

fn is_entry(name: &str) -> bool {
    matches!(name, "item" | "entry")
}

fn is_url(text: &str) -> bool {
    let text = text.trim_ascii();
    (text.starts_with("http://") || text.starts_with("https://"))
        && !text.contains(char::is_whitespace)
}

/// What markup in a text shows: feeds have pages in them.
fn shown(text: &str) -> Cow<'_, str> {
    match text.contains(['<', '&']) {
        true => Cow::Owned(html::read(text, html::Syntax::Html).text),
        false => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feeds_have_titles_entries_and_links() {
        let rss = "<?xml version='1.0'?><!-- x --><rss xmlns:dc='d'><channel><title>A &amp; B</title><link>http://a.test/</link>\
                   <language>de-AT</language><description>&lt;b&gt;All&lt;/b&gt;</description>\
                   <image><title>no</title></image><item><title><![CDATA[One <i>two</i>]]></title><dc:creator>Jo</dc:creator>\
                   <description>&lt;p&gt;x&amp;auml;&lt;p&gt;y</description><enclosure url='a.mp3'/></item></channel></rss>";
        let document = read(rss);
        assert_eq!(document.kind, DocumentKind::Feed);
        assert_eq!(
            (document.title.as_str(), document.description.as_str()),
            ("A & B", "All")
        );
        assert_eq!(document.language, "de-AT");
        assert_eq!(document.text, "no\nOne two\nJo\nx\u{e4}\ny");
        let urls: Vec<_> = document
            .links
            .iter()
            .map(|link| (link.kind, link.url.as_str()))
            .collect();
        assert_eq!(
            urls,
            [
                (LinkKind::Anchor, "http://a.test/"),
                (LinkKind::Media, "a.mp3")
            ]
        );
        let atom = "<feed xml:lang='fr' xmlns='a'><title>T</title><entry><link href='/e'/><content type='xhtml'>\
                    <div>a <b>b</b></div></content></entry></feed>";
        let document = read(atom);
        assert_eq!(
            (document.language.as_str(), document.text.as_str()),
            ("fr", "a b")
        );
        assert_eq!(document.links[0].url, "/e");
    }

    #[test]
    fn other_xml_is_its_texts() {
        let document =
            read("<urlset><url><loc>https://a.test/b</loc><x>one</x></url><y>two</urlset>");
        assert_eq!(document.kind, DocumentKind::Xml);
        assert_eq!(document.text, "one\ntwo");
        assert_eq!(document.links[0].url, "https://a.test/b");
    }
}
