//! Streams an HTML document through, with host names substituted and one script put first.
//!
//! Edited: addresses in attributes, inline styles, `<style>`, import maps and refreshes; scripts between tags and in
//! attributes, by the editor that is handed in. Removed: policies of the page's own and hints that would fetch or
//! connect ahead of need. Everything else leaves as it came, byte for byte.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use lol_html::html_content::{ContentType, DocumentEnd, Element, EndTag};
use lol_html::{
    DocumentContentHandlers, ElementContentHandlers, HandlerResult, HtmlRewriter as Rewriter,
    MemorySettings, Selector, Settings,
};

use super::bytes::{ENDS, Text, Unlettering, begins, is_like_ascii, letters};
use super::css;
use super::element;
use super::hosts::Hosts;
use super::urls::{self, Listing};
use crate::limits::NESTED_DOCUMENTS_MAX;

/// A token longer than this ends rewriting; what has come out by then stands.
const MEMORY_BYTES_MAX: usize = 64 << 20;

type Sink = Box<dyn FnMut(&[u8])>;
type ChangeText = Box<dyn Fn(Text, &str) -> Option<String>>;
/// Edits a script; none where it stays as it is. A handler is the body of a function.
pub type EditScript = Rc<dyn Fn(&str, Script) -> Option<String>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    Classic,
    Module,
    Handler,
}

/// What every part of a document is edited by.
#[derive(Clone)]
pub struct Page {
    pub hosts: Rc<Hosts>,
    /// None where scripts are off.
    edit: Option<EditScript>,
    /// How many documents this one stands in.
    depth: usize,
}

impl Page {
    pub fn has_scripts(&self) -> bool {
        self.edit.is_some()
    }

    pub fn changed(&self, kind: Text, text: &str) -> Option<String> {
        match kind {
            Text::Style => match css::rewrite(text, &self.hosts) {
                Cow::Owned(changed) => Some(changed),
                Cow::Borrowed(_) => None,
            },
            Text::ImportMap => urls::rewrite(text, Listing::ImportMap, &self.hosts),
            Text::Script => self.edited(text, Script::Classic),
            Text::Module => self.edited(text, Script::Module),
        }
    }

    pub fn handler(&self, source: &str) -> Option<String> {
        self.edited(source, Script::Handler)
    }

    fn edited(&self, source: &str, script: Script) -> Option<String> {
        self.edit.as_ref()?(source, script)
    }

    /// The document of a frame that stands in an attribute, rewritten.
    pub fn document(&self, html: &str) -> Option<String> {
        if self.depth >= NESTED_DOCUMENTS_MAX {
            return None;
        }
        let inner = Page {
            depth: self.depth + 1,
            ..self.clone()
        };
        let mut rewriter = HtmlRewriter::of(inner, None, "");
        rewriter.write(html.as_bytes());
        rewriter.end();
        String::from_utf8(rewriter.take()).ok()
    }
}

/// One document on its way through.
pub struct HtmlRewriter {
    rewriter: Option<Rewriter<'static, Sink>>,
    output: Rc<RefCell<Output>>,
}

struct Output {
    unlettering: Unlettering<ChangeText>,
    bytes: Vec<u8>,
}

impl Output {
    fn push(&mut self, text: &[u8]) {
        self.unlettering.push(text, &mut self.bytes);
    }

    fn end(&mut self) {
        self.unlettering.end(&mut self.bytes);
    }
}

impl HtmlRewriter {
    /// `charset` is the label that the response states. `first` is markup put before everything that could run.
    /// Without an editor scripts are left alone and nothing is made for them.
    pub fn new(
        hosts: Rc<Hosts>,
        charset: Option<&str>,
        first: &str,
        edit: Option<EditScript>,
    ) -> HtmlRewriter {
        let page = Page {
            hosts,
            edit,
            depth: 0,
        };
        HtmlRewriter::of(page, charset, first)
    }

    fn of(page: Page, charset: Option<&str>, first: &str) -> HtmlRewriter {
        let of_texts = page.clone();
        let change: ChangeText = Box::new(move |kind, text| of_texts.changed(kind, text));
        let output = Rc::new(RefCell::new(Output {
            unlettering: Unlettering::new(change),
            bytes: Vec::new(),
        }));
        let into = Rc::clone(&output);
        let sink: Sink = Box::new(move |text| into.borrow_mut().push(text));
        // UTF-16 and ISO-2022-JP pass through as they are.
        let rewriter = charset.is_none_or(is_like_ascii).then(|| {
            let first = String::from_utf8_lossy(&letters(first.as_bytes())).into_owned();
            let settings = settings(page, &first)
                .with_strict(false)
                .with_memory_settings(
                    MemorySettings::new().with_max_allowed_memory_usage(MEMORY_BYTES_MAX),
                );
            Rewriter::new(settings, sink)
        });
        HtmlRewriter { rewriter, output }
    }

    /// Takes the next bytes of the document. What cannot be rewritten passes through.
    pub fn write(&mut self, bytes: &[u8]) {
        let Some(rewriter) = &mut self.rewriter else {
            self.output.borrow_mut().bytes.extend_from_slice(bytes);
            return;
        };
        if rewriter.write(&letters(bytes)).is_err() {
            self.rewriter = None;
            self.output.borrow_mut().end();
        }
    }

    /// Ends the document.
    pub fn end(&mut self) {
        if let Some(rewriter) = self.rewriter.take() {
            // Too deep or too long for its limits: what came out stands.
            let _ = rewriter.end();
            self.output.borrow_mut().end();
        }
    }

    /// What has come out since the last call.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.output.borrow_mut().bytes)
    }
}

fn settings(page: Page, first: &str) -> Settings<'static, 'static> {
    let first: Rc<str> = first.into();
    let is_first_in = Rc::new(Cell::new(false));
    let is_in_text = Rc::new(Cell::new(false));
    // Constant and valid.
    let all: Selector = "*".parse().expect("a selector");

    let (before, was_put) = (Rc::clone(&first), Rc::clone(&is_first_in));
    let elements =
        ElementContentHandlers::default().element(move |element: &mut Element<'_, '_>| {
            mark_text(element, &page, &is_in_text);
            put_first(element, &before, &was_put);
            element::edit(element, &page);
            Ok(())
        });
    let end =
        DocumentContentHandlers::default().end(move |end: &mut DocumentEnd<'_>| -> HandlerResult {
            if !is_first_in.get() {
                end.append(&first, ContentType::Html);
            }
            Ok(())
        });
    Settings::new()
        .append_element_content_handler((Cow::Owned(all), elements))
        .append_document_content_handler(end)
}

/// Style sheets and scripts are changed on their way out. In SVG one ends where another element begins, or is never
/// closed.
fn mark_text(element: &mut Element<'_, '_>, page: &Page, is_in: &Rc<Cell<bool>>) {
    if is_in.replace(false) {
        element.before(ENDS, ContentType::Html);
    }
    let Some(kind) = element::text_of(element) else {
        return;
    };
    if kind != Text::Style && !page.has_scripts() {
        return;
    }
    let was_in = Rc::clone(is_in);
    let ends = element.on_end_tag(Box::new(move |end: &mut EndTag<'_>| {
        if was_in.replace(false) {
            end.before(ENDS, ContentType::Html);
        }
        Ok(())
    }));
    if ends.is_ok() {
        element.prepend(begins(kind), ContentType::Html);
        is_in.set(true);
    }
}

/// Inside `<head>` where there is one: before it, a script would make a head of its own.
fn put_first(element: &mut Element<'_, '_>, first: &str, is_in: &Cell<bool>) {
    if is_in.get() {
        return;
    }
    match element.tag_name().as_str() {
        "html" => return,
        "head" => element.prepend(first, ContentType::Html),
        _ => element.before(first, ContentType::Html),
    }
    is_in.set(true);
}
