//! What of one element is edited: addresses, styles, handlers, frames; and what is removed.

use lol_html::html_content::{ContentType, Element};

use super::bytes::{Text, changed};
use super::entity::{decoded, encoded};
use super::hosts::Hosts;
use super::html::Page;
use super::object;

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
/// Scripts by the types that they state.
const SCRIPTS: [&str; 8] = [
    "",
    "text/javascript",
    "application/javascript",
    "application/x-javascript",
    "text/ecmascript",
    "application/ecmascript",
    "text/x-javascript",
    "text/jscript",
];

pub fn edit(element: &mut Element<'_, '_>, page: &Page) {
    let name = element.tag_name();
    if is_dropped(element, &name) {
        element.remove();
        return;
    }
    // One look at what is there: most elements have few attributes, and none to be changed.
    let mut is_removed = [false; 2];
    let mut edits = Vec::new();
    for attribute in element.attributes() {
        let own = attribute.name();
        match own.as_str() {
            "ping" => is_removed[0] = true,
            // It may be edited; and whatever it is, the archive vouches for it.
            "integrity" if name == "script" || name == "link" => is_removed[1] = true,
            _ => {
                if let Some(value) = edited(&own, || attribute.value(), page) {
                    edits.push((own, value));
                }
            }
        }
    }
    for (name, value) in edits {
        // The name is one that the element has.
        let _ = element.set_attribute(&name, &value);
    }
    for (name, is_removed) in ["ping", "integrity"].iter().zip(is_removed) {
        if is_removed {
            element.remove_attribute(name);
        }
    }
    match name.as_str() {
        // Without it Firefox asks the network, past every service worker, for media of another host.
        "video" | "audio" if !element.has_attribute("crossorigin") => {
            let _ = element.set_attribute("crossorigin", "anonymous");
        }
        "meta" if is_refresh(element) => change(element, "content", |content| {
            rewrite_refresh(content, &page.hosts)
        }),
        "iframe" => edit_frame(element, page),
        "object" | "embed" => {
            if let Some(instead) = object::instead(element) {
                element.replace(&instead, ContentType::Html);
            }
        }
        _ => {}
    }
}

/// The value of an attribute as it is replayed; none where it stays as it is.
fn edited(name: &str, value: impl Fn() -> String, page: &Page) -> Option<String> {
    if ADDRESSES.contains(&name) {
        changed(&value(), |url| {
            page.hosts.replay_url(url).or_else(|| script_url(url, page))
        })
    } else if LISTS.contains(&name) {
        changed(&value(), |list| rewrite_list(list, &page.hosts))
    } else if name == "style" {
        changed(&value(), |style| page.changed(Text::Style, style))
    } else if name.starts_with("on") && page.has_scripts() {
        changed(&value(), |handler| {
            let source = decoded(handler)?;
            page.handler(&source).map(|edited| encoded(&edited))
        })
    } else {
        None
    }
}

/// What the text of an element is, where it is not markup or plain.
pub fn text_of(element: &Element<'_, '_>) -> Option<Text> {
    match element.tag_name().as_str() {
        "style" => Some(Text::Style),
        "script" if !element.has_attribute("src") => {
            let kind = element.get_attribute("type").unwrap_or_default();
            let kind = kind.trim_ascii().to_ascii_lowercase();
            match kind.as_str() {
                "module" => Some(Text::Module),
                "importmap" => Some(Text::ImportMap),
                _ => SCRIPTS.contains(&kind.as_str()).then_some(Text::Script),
            }
        }
        _ => None,
    }
}

fn change(element: &mut Element<'_, '_>, name: &str, edit: impl Fn(&str) -> Option<String>) {
    let value = element.get_attribute(name);
    if let Some(value) = value.and_then(|value| changed(&value, edit)) {
        // The name is one that the element has.
        let _ = element.set_attribute(name, &value);
    }
}

/// Percent signs may be escapes, which only the browser can tell from remainders.
fn script_url(url: &str, page: &Page) -> Option<String> {
    let scheme = url.trim_start().get(..11)?;
    if !scheme.eq_ignore_ascii_case("javascript:") || url.contains('%') {
        return None;
    }
    let script = &url.trim_start()[11..];
    let edited = page.changed(Text::Script, &decoded(script)?)?;
    Some(format!("{scheme}{}", encoded(&edited)))
}

/// A frame whose document stands in its attribute. With scripts on it gets an address, and so a service worker:
/// the shim fills it from the attribute.
fn edit_frame(element: &mut Element<'_, '_>, page: &Page) {
    if let Some(sandbox) = element.get_attribute("sandbox") {
        // Without its origin a frame has no service worker, so nothing of the archive. Its origin holds nothing else.
        if !sandbox.to_ascii_lowercase().contains("allow-same-origin") {
            let _ = element.set_attribute("sandbox", &format!("{sandbox} allow-same-origin"));
        }
    }
    let Some(document) = element.get_attribute("srcdoc") else {
        return;
    };
    let inner = changed(&document, |document| {
        let edited = page.document(&decoded(document)?)?;
        Some(encoded(&edited))
    })
    .unwrap_or(document);
    if page.has_scripts() {
        element.remove_attribute("srcdoc");
        let _ = element.set_attribute("data-wa-srcdoc", &inner);
        let _ = element.set_attribute("src", "/.wa/doc");
    } else {
        let _ = element.set_attribute("srcdoc", &inner);
    }
}

fn is_dropped(element: &Element<'_, '_>, name: &str) -> bool {
    let has_word = |name: &str, words: &[&str]| {
        element.get_attribute(name).is_some_and(|value| {
            value
                .split_ascii_whitespace()
                .any(|word| words.iter().any(|known| word.eq_ignore_ascii_case(known)))
        })
    };
    match name {
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
    element
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
