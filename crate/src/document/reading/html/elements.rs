//! What elements of HTML are to who reads: which break lines, and whose content is no markup.

use super::tokens::Content;

/// The name of an element in lower case; empty where it is longer than those that mean something.
pub struct Name {
    bytes: [u8; Name::BYTES_MAX],
    length: usize,
}

impl Name {
    const BYTES_MAX: usize = 16;

    pub fn of(written: &str) -> Name {
        let mut bytes = [0; Name::BYTES_MAX];
        let mut length = 0;
        if let Some(name) = bytes.get_mut(..written.len()) {
            name.copy_from_slice(written.as_bytes());
            name.make_ascii_lowercase();
            length = name.len();
        }
        Name { bytes, length }
    }

    pub fn as_str(&self) -> &str {
        str::from_utf8(&self.bytes[..self.length]).unwrap_or_default()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Breaks {
    Nothing,
    Word,
    Line,
}

/// What an element separates from what stands around it. Names in lower case, here and below.
pub fn breaks(name: &str) -> Breaks {
    match name {
        "address" | "article" | "aside" | "blockquote" | "body" | "br" | "caption" | "center"
        | "dd" | "details" | "dialog" | "dir" | "div" | "dl" | "dt" | "fieldset" | "figcaption"
        | "figure" | "footer" | "form" | "frameset" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6"
        | "header" | "hgroup" | "hr" | "html" | "legend" | "li" | "listing" | "main" | "menu"
        | "nav" | "ol" | "optgroup" | "option" | "p" | "plaintext" | "pre" | "search"
        | "section" | "select" | "summary" | "table" | "tbody" | "tfoot" | "thead" | "tr"
        | "ul" | "xmp" => Breaks::Line,
        "td" | "th" | "button" | "input" | "textarea" | "iframe" | "object" | "video" | "audio"
        | "svg" | "math" => Breaks::Word,
        _ => Breaks::Nothing,
    }
}

/// The same in a drawing or a formula.
pub fn breaks_foreign(name: &str) -> Breaks {
    match name {
        "svg" | "math" | "text" | "title" | "desc" => Breaks::Word,
        _ => Breaks::Nothing,
    }
}

/// How the content of an element is read that holds no elements, as browsers read it that run scripts.
pub fn content_of(name: &str) -> Option<Content> {
    Some(match name {
        "title" | "textarea" => Content::Text,
        "style" | "xmp" | "iframe" | "noembed" | "noframes" | "noscript" => Content::Raw,
        "script" => Content::Script,
        "plaintext" => Content::Rest,
        _ => return None,
    })
}
