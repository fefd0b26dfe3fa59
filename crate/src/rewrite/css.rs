//! Host names in style sheets: absolute URLs inside `url()` and after `@import`, nothing else.
//! Does not parse: an address is recognised by what stands right before it.

use std::borrow::Cow;

use super::hosts::Hosts;

/// The text with its absolute addresses replaced; the same text where there are none.
pub fn rewrite<'a>(css: &'a str, hosts: &Hosts) -> Cow<'a, str> {
    if !css.contains("//") {
        return css.into();
    }
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = css[at..].find("//") {
        let slashes = at + found;
        at = slashes + 2;
        let start = scheme_start(css, slashes);
        if start < copied || !is_introduced(&css[..start]) {
            continue;
        }
        let end = css[at..]
            .find(|c: char| c.is_ascii_whitespace() || "\"')".contains(c))
            .map_or(css.len(), |length| at + length);
        if let Some(url) = hosts.replay_url(&css[start..end]) {
            out.push_str(&css[copied..start]);
            out.push_str(&url);
            copied = end;
        }
        at = end;
    }
    if copied == 0 {
        return css.into();
    }
    out.push_str(&css[copied..]);
    out.into()
}

fn scheme_start(css: &str, slashes: usize) -> usize {
    ["https:", "http:"]
        .iter()
        .find_map(|scheme| {
            let start = slashes.checked_sub(scheme.len())?;
            let is_scheme = css.get(start..slashes)?.eq_ignore_ascii_case(scheme);
            is_scheme.then_some(start)
        })
        .unwrap_or(slashes)
}

/// Whether `url(` or `@import` stands before, with or without a quote.
fn is_introduced(before: &str) -> bool {
    let open = before.trim_end_matches(['"', '\'']).trim_end();
    let ends_in = |word: &str| {
        open.len()
            .checked_sub(word.len())
            .and_then(|start| open.get(start..))
            .is_some_and(|end| end.eq_ignore_ascii_case(word))
    };
    ends_in("url(") || (ends_in("@import") && before.ends_with(['"', '\'']))
}
