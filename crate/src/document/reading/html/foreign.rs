//! Where in a page a drawing or a formula is: names mean something else there.

use super::tokens::Tag;
use crate::limits::DOCUMENT_LEVELS_MAX;

/// Elements that what comes next lies in, from the drawing or the formula inwards.
#[derive(Default)]
pub struct Foreign {
    open: Vec<Level>,
    /// Levels beyond those that are kept.
    deeper: usize,
}

struct Level {
    name: String,
    /// It is part of a formula; else of a drawing.
    is_formula: bool,
    /// HTML goes on in it.
    is_html: bool,
}

impl Foreign {
    /// Whether what comes next is no HTML.
    pub fn is_inside(&self) -> bool {
        self.open.last().is_some_and(|level| !level.is_html)
    }

    /// Whether what comes next is no text but a style or a script.
    pub fn is_unseen(&self) -> bool {
        let is_unseen = |level: &Level| matches!(level.name.as_str(), "style" | "script");
        self.open.iter().any(is_unseen)
    }

    /// An element begins. Returns whether it is none of HTML.
    pub fn start(&mut self, name: &str, tag: Tag<'_>) -> bool {
        let is_root = matches!(name, "svg" | "math");
        if !self.is_inside() && !is_root {
            return false;
        }
        if self.is_inside() && breaks_out(name, tag) {
            self.leave();
            return false;
        }
        if tag.is_self_closing {
            return true;
        }
        if self.open.len() >= DOCUMENT_LEVELS_MAX {
            self.deeper += 1;
            return true;
        }
        let is_formula = match name {
            "svg" => false,
            "math" => true,
            _ => self.open.last().is_some_and(|level| level.is_formula),
        };
        self.open.push(Level {
            is_formula,
            is_html: holds_html(name, is_formula, tag),
            name: name.into(),
        });
        true
    }

    /// An element ends. Returns whether it is none of HTML.
    pub fn end(&mut self, name: &str) -> bool {
        if self.is_inside() && matches!(name, "p" | "br") {
            self.leave();
            return false;
        }
        if self.deeper > 0 {
            self.deeper -= 1;
            return true;
        }
        let Some(at) = self.open.iter().rposition(|level| level.name == name) else {
            return self.is_inside();
        };
        self.open.truncate(at);
        true
    }

    /// HTML goes on, in what holds it.
    pub fn leave(&mut self) {
        while self.is_inside() {
            self.open.pop();
        }
        self.deeper = 0;
    }
}

fn holds_html(name: &str, is_formula: bool, tag: Tag<'_>) -> bool {
    match name {
        "foreignobject" | "desc" | "title" => !is_formula,
        "mi" | "mo" | "mn" | "ms" | "mtext" => is_formula,
        "annotation-xml" if is_formula => tag.attributes.get("encoding").is_some_and(|encoding| {
            encoding.eq_ignore_ascii_case("text/html")
                || encoding.eq_ignore_ascii_case("application/xhtml+xml")
        }),
        _ => false,
    }
}

/// Elements of HTML that end what they should not stand in.
fn breaks_out(name: &str, tag: Tag<'_>) -> bool {
    match name {
        "b" | "big" | "blockquote" | "body" | "br" | "center" | "code" | "dd" | "div" | "dl"
        | "dt" | "em" | "embed" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "head" | "hr" | "i"
        | "img" | "li" | "listing" | "menu" | "meta" | "nobr" | "ol" | "p" | "pre" | "ruby"
        | "s" | "small" | "span" | "strong" | "strike" | "sub" | "sup" | "table" | "tt" | "u"
        | "ul" | "var" => true,
        "font" => ["color", "face", "size"]
            .iter()
            .any(|name| tag.attributes.get(name).is_some()),
        _ => false,
    }
}
