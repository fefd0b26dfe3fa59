//! Reads web pages, from their tags alone: no tree is made.

mod elements;
mod entities;
mod foreign;
mod tokens;

use super::links::{Links, first_of_set, url_of};
use super::text::{Lines, cut, one_line};
use crate::document::{Document, DocumentKind, LinkKind};
use crate::limits::{DOCUMENT_DESCRIPTION_BYTES_MAX, PAGE_TITLE_BYTES_MAX, TABLE_URL_BYTES_MAX};
use elements::{Breaks, Name, breaks, breaks_foreign, content_of};
use foreign::Foreign;

pub use entities::{Within, decoded};
pub use tokens::{Tag, Token, Tokens};

/// As what a page was sent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    Html,
    /// Elements may close themselves.
    Xml,
}

pub fn read(text: &str, syntax: Syntax) -> Document {
    let mut page = Page::new(syntax);
    let mut tokens = Tokens::new(text);
    tokens.has_cdata = syntax == Syntax::Xml;
    while let Some(token) = tokens.next() {
        page.hear(token, &mut tokens);
    }
    page.finish(text)
}

/// What of a page is known so far.
struct Page {
    syntax: Syntax,
    document: Document,
    lines: Lines,
    links: Links,
    foreign: Foreign,
    /// Templates that what comes next lies in: it is no part of the page.
    templates: usize,
    /// Elements whose lines count that what comes next lies in.
    preformatted: usize,
    /// What the content is of that comes next, where it is no text of the page.
    inside: Option<Inside>,
    title: Option<String>,
    og_title: String,
    og_description: String,
    heading: Heading,
    icon_rank: u32,
    has_base: bool,
    is_page: bool,
    /// Something shows, though it is no text.
    has_picture: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Title,
    Unseen,
    Seen,
}

/// The first heading, which stands in for a title.
#[derive(PartialEq, Eq)]
enum Heading {
    None,
    /// Where its text begins.
    From(usize),
    Is(String),
}

impl Page {
    fn new(syntax: Syntax) -> Page {
        Page {
            syntax,
            document: Document::default(),
            lines: Lines::default(),
            links: Links::default(),
            foreign: Foreign::default(),
            templates: 0,
            preformatted: 0,
            inside: None,
            title: None,
            og_title: String::new(),
            og_description: String::new(),
            heading: Heading::None,
            icon_rank: 0,
            has_base: false,
            is_page: false,
            has_picture: false,
        }
    }

    fn hear<'a>(&mut self, token: Token<'a>, tokens: &mut Tokens<'a>) {
        match token {
            Token::Doctype => self.is_page = true,
            Token::Start(tag) => self.start(tag, tokens),
            Token::End(tag) => self.end(tag),
            Token::Text(text) => self.text(&decoded(text, Within::Text)),
            Token::Raw(text) => self.text(text),
        }
        if self.syntax == Syntax::Html {
            tokens.has_cdata = self.foreign.is_inside();
        }
    }

    fn text(&mut self, text: &str) {
        match self.inside.take() {
            Some(Inside::Unseen) => {}
            Some(Inside::Title) => {
                if self.title.is_none() && self.templates == 0 {
                    self.title = Some(one_line(text, PAGE_TITLE_BYTES_MAX));
                }
            }
            _ if self.templates > 0 || self.foreign.is_unseen() => {}
            Some(Inside::Seen) => self.lines.push_lines(text),
            None if self.preformatted > 0 => self.lines.push_lines(text),
            None => self.lines.push(text),
        }
    }

    fn start<'a>(&mut self, tag: Tag<'a>, tokens: &mut Tokens<'a>) {
        let name = Name::of(tag.name);
        let name = name.as_str();
        if self.foreign.start(name, tag) {
            if self.templates == 0 {
                self.separate(breaks_foreign(name));
            }
            self.foreign_links(name, tag);
            return;
        }
        let is_closed = tag.is_self_closing && self.syntax == Syntax::Xml;
        if let Some(content) = content_of(name).filter(|_| !is_closed) {
            tokens.enter(tag.name, content);
            self.inside = Some(match name {
                "title" => Inside::Title,
                "xmp" | "listing" | "plaintext" => Inside::Seen,
                _ => Inside::Unseen,
            });
        }
        if name == "template" && !is_closed {
            self.templates += 1;
        }
        if self.templates > 0 {
            return;
        }
        self.separate(breaks(name));
        match name {
            "pre" | "listing" if !is_closed => self.preformatted += 1,
            "h1" if self.heading == Heading::None && !is_closed => {
                self.heading = Heading::From(self.lines.len());
            }
            _ => {}
        }
        self.element(name, tag);
    }

    fn end(&mut self, tag: Tag<'_>) {
        let name = Name::of(tag.name);
        let name = name.as_str();
        if name == "template" && self.templates > 0 {
            // A drawing in it ends with it.
            self.foreign.leave();
        }
        if self.foreign.end(name) {
            if self.templates == 0 {
                self.separate(breaks_foreign(name));
            }
            return;
        }
        match name {
            "template" => self.templates = self.templates.saturating_sub(1),
            "pre" | "listing" => self.preformatted = self.preformatted.saturating_sub(1),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.end_heading(),
            _ => {}
        }
        if self.templates == 0 {
            self.separate(breaks(name));
        }
    }

    fn end_heading(&mut self) {
        if let Heading::From(start) = self.heading {
            let heading = one_line(self.lines.since(start), PAGE_TITLE_BYTES_MAX);
            self.heading = match heading.is_empty() {
                true => Heading::None,
                false => Heading::Is(heading),
            };
        }
    }

    fn separate(&mut self, by: Breaks) {
        match by {
            Breaks::Nothing => {}
            Breaks::Word => self.lines.blank(),
            Breaks::Line => self.lines.end_line(),
        }
    }

    /// What an element says by its attributes.
    fn element(&mut self, name: &str, tag: Tag<'_>) {
        let link = |page: &mut Page, kind, attribute| {
            if let Some(url) = tag.attributes.get(attribute) {
                page.links.push(kind, &url);
            }
        };
        match name {
            "html" | "head" | "body" | "frameset" | "title" => {
                self.is_page = true;
                if name == "html" && self.document.language.is_empty() {
                    let language = tag.attributes.get("lang");
                    let language = language.or_else(|| tag.attributes.get("xml:lang"));
                    self.document.language = language.unwrap_or_default().into_owned();
                }
                if name == "body" {
                    link(self, LinkKind::Media, "background");
                }
            }
            "base" if !self.has_base => {
                if let Some(url) = tag.attributes.get("href") {
                    self.has_base = true;
                    self.document.base = url_of(&url).unwrap_or_default();
                }
            }
            "a" | "area" => link(self, LinkKind::Anchor, "href"),
            "img" | "source" | "video" | "audio" | "embed" | "track" | "image" => {
                self.has_picture = true;
                link(self, LinkKind::Media, "src");
                link(self, LinkKind::Media, "poster");
                if let Some(set) = tag.attributes.get("srcset") {
                    self.links.push(LinkKind::Media, first_of_set(&set));
                }
                if let Some(words) = tag.attributes.get("alt").filter(|_| name == "img") {
                    self.lines.blank();
                    self.lines.push(&words);
                    self.lines.blank();
                }
            }
            "input" => {
                let kind = tag.attributes.get("type").unwrap_or_default();
                if kind.eq_ignore_ascii_case("image") {
                    link(self, LinkKind::Media, "src");
                }
            }
            "object" => {
                self.has_picture = true;
                link(self, LinkKind::Media, "data");
            }
            "frame" | "iframe" => {
                self.has_picture = true;
                link(self, LinkKind::Frame, "src");
            }
            "script" => link(self, LinkKind::Script, "src"),
            "form" => link(self, LinkKind::Form, "action"),
            "link" => self.relation(tag),
            "meta" => self.meta(tag),
            _ => {}
        }
    }

    fn relation(&mut self, tag: Tag<'_>) {
        let Some(url) = tag.attributes.get("href") else {
            return;
        };
        let relation = tag
            .attributes
            .get("rel")
            .unwrap_or_default()
            .to_ascii_lowercase();
        let is = |word: &str| relation.split_ascii_whitespace().any(|one| one == word);
        if is("stylesheet") {
            self.links.push(LinkKind::Style, &url);
            return;
        }
        if is("canonical") && self.document.canonical.is_empty() {
            self.document.canonical = bounded(&url);
        }
        let rank = match is("icon") {
            true => icon_rank(tag),
            false => u32::from(is("apple-touch-icon")),
        };
        if rank > self.icon_rank && url_of(&url).is_some() {
            self.icon_rank = rank;
            self.document.icon = bounded(&url);
        }
        self.links.push(LinkKind::Other, &url);
    }

    fn meta(&mut self, tag: Tag<'_>) {
        let Some(content) = tag.attributes.get("content") else {
            return;
        };
        let name = tag
            .attributes
            .get("name")
            .or_else(|| tag.attributes.get("property"));
        let take = |field: &mut String, bytes_max| {
            if field.is_empty() {
                *field = one_line(&content, bytes_max);
            }
        };
        match name.unwrap_or_default().to_ascii_lowercase().as_str() {
            "description" => take(
                &mut self.document.description,
                DOCUMENT_DESCRIPTION_BYTES_MAX,
            ),
            "og:description" => take(&mut self.og_description, DOCUMENT_DESCRIPTION_BYTES_MAX),
            "og:title" => take(&mut self.og_title, PAGE_TITLE_BYTES_MAX),
            _ => {}
        }
        let header = tag.attributes.get("http-equiv").unwrap_or_default();
        if header.eq_ignore_ascii_case("content-language") && self.document.language.is_empty() {
            self.document.language = content.into_owned();
        } else if header.eq_ignore_ascii_case("refresh") && self.document.redirect.is_empty() {
            self.document.redirect = refresh(&content).unwrap_or_default();
        }
    }

    fn foreign_links(&mut self, name: &str, tag: Tag<'_>) {
        let kind = match name {
            _ if self.templates > 0 => return,
            "a" => LinkKind::Anchor,
            "image" => LinkKind::Media,
            "script" => LinkKind::Script,
            _ => return,
        };
        let url = tag
            .attributes
            .get("href")
            .or_else(|| tag.attributes.get("xlink:href"));
        self.links.push(kind, &url.unwrap_or_default());
    }

    fn finish(mut self, text: &str) -> Document {
        self.end_heading();
        let mut document = self.document;
        let heading = match self.heading {
            Heading::Is(heading) => heading,
            _ => String::new(),
        };
        let has_heading = !heading.is_empty();
        let titles = [self.title.unwrap_or_default(), self.og_title, heading];
        document.title = titles
            .into_iter()
            .find(|title| !title.is_empty())
            .unwrap_or_default();
        if document.description.is_empty() {
            document.description = self.og_description;
        }
        document.kind = match self.syntax {
            Syntax::Html => DocumentKind::Html,
            Syntax::Xml => DocumentKind::Xhtml,
        };
        document.is_cut = self.lines.is_cut() || self.links.is_cut();
        document.text = self.lines.finish();
        document.links = self.links.finish();
        let shows = self.has_picture
            || !(document.title.is_empty()
                && document.text.is_empty()
                && document.redirect.is_empty());
        document.is_fragment = is_data(text) || !shows || !self.is_page && !has_heading;
        document
    }
}

/// Data that a script fetched, sent as if it were a page: pages do not begin so.
fn is_data(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
}

fn bounded(url: &str) -> String {
    cut(url_of(url).unwrap_or_default(), TABLE_URL_BYTES_MAX)
}

/// How well an icon serves in a list: as large as it is shown there, or as large as one likes.
fn icon_rank(tag: Tag<'_>) -> u32 {
    let sizes = tag
        .attributes
        .get("sizes")
        .unwrap_or_default()
        .to_ascii_lowercase();
    let sides = sizes
        .split_ascii_whitespace()
        .filter_map(|size| size.split('x').next()?.parse::<u32>().ok());
    match sides.max() {
        Some(32..=64) => 5,
        _ if sizes.contains("any") => 4,
        Some(65..=192) => 3,
        None => 4,
        Some(_) => 2,
    }
}

/// Where `<meta http-equiv=refresh>` or the header of that name leads: `5; url='...'`.
pub fn refresh(value: &str) -> Option<String> {
    let value = value.trim_start();
    let rest = value.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    if rest.len() == value.len() {
        return None;
    }
    let is_between = |letter: char| letter.is_ascii_whitespace() || matches!(letter, ';' | ',');
    let rest = rest.trim_start_matches(is_between);
    let named = rest
        .get(..3)
        .filter(|name| name.eq_ignore_ascii_case("url"))
        .and_then(|_| rest[3..].trim_start().strip_prefix('='));
    let url = named.unwrap_or(rest).trim_start();
    let url = match url.chars().next() {
        Some(quote @ ('"' | '\'')) => url[1..].split(quote).next().unwrap_or_default(),
        _ => url,
    };
    let url = bounded(url);
    (!url.is_empty()).then_some(url)
}

#[cfg(test)]
#[path = "page_tests.rs"]
mod tests;
