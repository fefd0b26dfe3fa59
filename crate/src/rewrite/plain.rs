//! Texts that are rewritten whole, in whatever set of characters they are: style sheets, playlists, manifests.

use std::borrow::Cow;

use super::bytes::{changed, letters};
use super::css;
use super::hosts::Hosts;
use super::urls::{self, Listing};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plain {
    Style,
    /// Of HLS.
    Playlist,
    /// Of DASH.
    Manifest,
}

/// The bytes with their absolute addresses replaced; none where there are none.
pub fn rewrite_plain(bytes: &[u8], kind: Plain, hosts: &Hosts) -> Option<Vec<u8>> {
    let edit = |text: &str| match kind {
        Plain::Style => match css::rewrite(text, hosts) {
            Cow::Owned(text) => Some(text),
            Cow::Borrowed(_) => None,
        },
        Plain::Playlist => urls::rewrite(text, Listing::Playlist, hosts),
        Plain::Manifest => urls::rewrite(text, Listing::Manifest, hosts),
    };
    if let Ok(text) = std::str::from_utf8(bytes) {
        return edit(text).map(String::into_bytes);
    }
    let letters = letters(bytes);
    let text = std::str::from_utf8(&letters).ok()?;
    let out = changed(text, edit)?;
    Some(
        out.chars()
            .filter_map(|letter| u8::try_from(letter).ok())
            .collect(),
    )
}
