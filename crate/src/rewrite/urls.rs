//! Absolute addresses in texts of which only the places where they stand are known: playlists, manifests of streams,
//! import maps.

use super::hosts::Hosts;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// HLS: lines, and `URI="..."` in tags.
    Playlist,
    /// DASH: the text of elements, and the attributes that hold addresses. Names of schemes stay.
    Manifest,
    /// JSON: every string.
    ImportMap,
}

/// Attributes of DASH that hold an address.
const ATTRIBUTES: [&str; 6] = [
    "media",
    "initialization",
    "sourceURL",
    "index",
    "href",
    "bitstreamSwitching",
];

/// The text with the addresses of its listing replaced; none where there are none.
pub fn rewrite(text: &str, listing: Listing, hosts: &Hosts) -> Option<String> {
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = text[at..].find("://") {
        let colon = at + found;
        at = colon + 3;
        let Some(start) = scheme_start(text, colon) else {
            continue;
        };
        if start < copied || !is_address(&text[..start], listing) {
            continue;
        }
        let end = text[at..]
            .find(|c: char| c.is_ascii_whitespace() || "\"'<>".contains(c))
            .map_or(text.len(), |length| at + length);
        if let Some(url) = hosts.replay_url(&text[start..end]) {
            out.push_str(&text[copied..start]);
            out.push_str(&url);
            copied = end;
        }
        at = end;
    }
    if copied == 0 {
        return None;
    }
    out.push_str(&text[copied..]);
    Some(out)
}

fn scheme_start(text: &str, colon: usize) -> Option<usize> {
    ["https", "http"].iter().find_map(|scheme| {
        let start = colon.checked_sub(scheme.len())?;
        let is_scheme = text.get(start..colon)?.eq_ignore_ascii_case(scheme);
        is_scheme.then_some(start)
    })
}

fn is_address(before: &str, listing: Listing) -> bool {
    let quoted = before.strip_suffix(['"', '\'']);
    match listing {
        Listing::ImportMap => quoted.is_some(),
        Listing::Playlist => {
            quoted.is_some() || before.is_empty() || before.ends_with(['\n', '\r'])
        }
        Listing::Manifest => match quoted {
            Some(before) => before.strip_suffix('=').is_some_and(|before| {
                ATTRIBUTES
                    .iter()
                    .any(|name| before.trim_end().ends_with(name))
            }),
            None => before.trim_end().ends_with('>'),
        },
    }
}
