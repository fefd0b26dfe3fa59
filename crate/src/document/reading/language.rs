//! Which language a document is in: as it says itself, as its header says, or by its words.

use crate::document::Document;

/// A tag in lower case; empty where nothing tells.
pub fn of(document: &Document, header: &str) -> String {
    [document.language.as_str(), header]
        .into_iter()
        .find_map(tag)
        .unwrap_or_default()
}

/// The tag that is stated, if it is one: `de`, `pt-BR`, `zh-Hans-CN`.
fn tag(stated: &str) -> Option<String> {
    // A list tells for whom a page is, not what it is in.
    let tag = stated.trim().replace('_', "-").to_ascii_lowercase();
    let mut parts = tag.split('-');
    let is_language = |part: &str| {
        (2..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_lowercase())
    };
    let is_further = |part: &str| {
        (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    let is_tag = tag.len() <= 35 && parts.next().is_some_and(is_language) && parts.all(is_further);
    (is_tag && !matches!(tag.as_str(), "und" | "zxx" | "mul")).then_some(tag)
}
