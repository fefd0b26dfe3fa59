//! Streams an HTML document through, with host names substituted and one script put first.
//!
//! Edited: addresses in attributes, inline styles, `<style>` and refreshes. Removed: policies of the page's own and
//! hints that would fetch or connect ahead of need. Everything else leaves as it came, byte for byte.
//! Scripts are not touched.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use lol_html::html_content::{ContentType, DocumentEnd, Element, EndTag};
use lol_html::{
    DocumentContentHandlers, ElementContentHandlers, HandlerResult, HtmlRewriter as Rewriter,
    MemorySettings, Selector, Settings,
};

use super::bytes::{STYLE_BEGINS, STYLE_ENDS, Unlettering, changed, is_like_ascii, letters};
use super::css;
use super::hosts::Hosts;

/// Attributes that hold one address.
const ADDRESSES: [&str; 11] = [
    "href",
    "src",
    "poster",
    "action",
    "formaction",
    "data",
    "background",
    "xlink:href",
    "cite",
    "longdesc",
    "manifest",
];
/// Attributes that hold a list of addresses with sizes.
const LISTS: [&str; 2] = ["srcset", "imagesrcset"];
/// Links that only connect or fetch ahead of need.
const HINTS: [&str; 5] = [
    "preconnect",
    "dns-prefetch",
    "prefetch",
    "prerender",
    "manifest",
];
/// A token longer than this ends rewriting; what has come out by then stands.
const MEMORY_BYTES_MAX: usize = 64 << 20;

type Sink = Box<dyn FnMut(&[u8])>;
type ChangeStyle = Box<dyn Fn(&str) -> Option<String>>;

/// One document on its way through.
pub struct HtmlRewriter {
    rewriter: Option<Rewriter<'static, Sink>>,
    output: Rc<RefCell<Output>>,
}

struct Output {
    unlettering: Unlettering<ChangeStyle>,
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
    pub fn new(hosts: Rc<Hosts>, charset: Option<&str>, first: &str) -> HtmlRewriter {
        let of_styles = Rc::clone(&hosts);
        let change_style: ChangeStyle = Box::new(move |css| changed_css(css, &of_styles));
        let output = Rc::new(RefCell::new(Output {
            unlettering: Unlettering::new(change_style),
            bytes: Vec::new(),
        }));
        let into = Rc::clone(&output);
        let sink: Sink = Box::new(move |text| into.borrow_mut().push(text));
        // UTF-16 and ISO-2022-JP pass through as they are.
        let rewriter = charset.is_none_or(is_like_ascii).then(|| {
            let first = String::from_utf8_lossy(&letters(first.as_bytes())).into_owned();
            let settings = settings(hosts, &first)
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

fn settings(hosts: Rc<Hosts>, first: &str) -> Settings<'static, 'static> {
    let first: Rc<str> = first.into();
    let is_first_in = Rc::new(Cell::new(false));
    let is_in_style = Rc::new(Cell::new(false));
    // Constant and valid.
    let all: Selector = "*".parse().expect("a selector");

    let (before, was_put) = (Rc::clone(&first), Rc::clone(&is_first_in));
    let elements =
        ElementContentHandlers::default().element(move |element: &mut Element<'_, '_>| {
            mark_style(element, &is_in_style);
            put_first(element, &before, &was_put);
            edit(element, &hosts);
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

/// Style sheets are changed on their way out. In SVG one ends where another element begins, or is never closed.
fn mark_style(element: &mut Element<'_, '_>, is_in: &Rc<Cell<bool>>) {
    if is_in.replace(false) {
        element.before(STYLE_ENDS, ContentType::Html);
    }
    if element.tag_name() != "style" {
        return;
    }
    let was_in = Rc::clone(is_in);
    let ends = element.on_end_tag(Box::new(move |end: &mut EndTag<'_>| {
        if was_in.replace(false) {
            end.before(STYLE_ENDS, ContentType::Html);
        }
        Ok(())
    }));
    if ends.is_ok() {
        element.prepend(STYLE_BEGINS, ContentType::Html);
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

fn edit(element: &mut Element<'_, '_>, hosts: &Hosts) {
    if is_dropped(element) {
        element.remove();
        return;
    }
    element.remove_attribute("ping");
    for name in ADDRESSES {
        change(element, name, |url| hosts.replay_url(url));
    }
    for name in LISTS {
        change(element, name, |list| rewrite_list(list, hosts));
    }
    change(element, "style", |style| changed_css(style, hosts));
    // Without it Firefox asks the network, past every service worker, for media of another host.
    if matches!(element.tag_name().as_str(), "video" | "audio")
        && !element.has_attribute("crossorigin")
    {
        let _ = element.set_attribute("crossorigin", "anonymous");
    }
    if is_refresh(element) {
        change(element, "content", |content| {
            rewrite_refresh(content, hosts)
        });
    }
}

fn changed_css(css: &str, hosts: &Hosts) -> Option<String> {
    match css::rewrite(css, hosts) {
        Cow::Owned(changed) => Some(changed),
        Cow::Borrowed(_) => None,
    }
}

fn change(element: &mut Element<'_, '_>, name: &str, edit: impl Fn(&str) -> Option<String>) {
    let value = element.get_attribute(name);
    if let Some(value) = value.and_then(|value| changed(&value, edit)) {
        // The name is one that the element has.
        let _ = element.set_attribute(name, &value);
    }
}

fn is_dropped(element: &Element<'_, '_>) -> bool {
    let has_word = |name: &str, words: &[&str]| {
        element.get_attribute(name).is_some_and(|value| {
            value
                .split_ascii_whitespace()
                .any(|word| words.iter().any(|known| word.eq_ignore_ascii_case(known)))
        })
    };
    match element.tag_name().as_str() {
        "link" => has_word("rel", &HINTS),
        "meta" => has_word(
            "http-equiv",
            &[
                "content-security-policy",
                "content-security-policy-report-only",
                "origin-trial",
            ],
        ),
        "script" => has_word("type", &["speculationrules"]),
        _ => false,
    }
}

fn is_refresh(element: &Element<'_, '_>) -> bool {
    element.tag_name() == "meta"
        && element
            .get_attribute("http-equiv")
            .is_some_and(|value| value.trim().eq_ignore_ascii_case("refresh"))
}

/// `5; url=ADDRESS`, with or without quotes around the address.
fn rewrite_refresh(content: &str, hosts: &Hosts) -> Option<String> {
    let start = content.to_ascii_lowercase().find("url=")? + "url=".len();
    let quoted = content[start..].trim_start();
    let url = quoted.trim_start_matches(['"', '\'']);
    let start = content.len() - url.len();
    let length = url.find(['"', '\'']).unwrap_or(url.len());
    let changed = hosts.replay_url(&url[..length])?;
    Some(format!("{}{changed}{}", &content[..start], &url[length..]))
}

/// Candidates are an address and an optional size; a comma inside an address belongs to it.
fn rewrite_list(list: &str, hosts: &Hosts) -> Option<String> {
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    while at < list.len() {
        let is_between = |c: char| c.is_ascii_whitespace() || c == ',';
        let start = at + list[at..].find(|c| !is_between(c))?.min(list.len());
        let word = list[start..].find(|c: char| c.is_ascii_whitespace());
        let mut end = word.map_or(list.len(), |length| start + length);
        let has_comma = list[start..end].ends_with(',');
        end = start + list[start..end].trim_end_matches(',').len();
        if let Some(url) = hosts.replay_url(&list[start..end]) {
            out.push_str(&list[copied..start]);
            out.push_str(&url);
            copied = end;
        }
        at = if has_comma {
            end
        } else {
            list[end..].find(',').map_or(list.len(), |next| end + next)
        };
        if list[at..].chars().all(is_between) {
            break;
        }
    }
    if copied == 0 {
        return None;
    }
    out.push_str(&list[copied..]);
    Some(out)
}
