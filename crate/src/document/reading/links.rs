//! Links of a document, each once.

use std::collections::HashMap;

use super::super::{Link, LinkKind};
use crate::limits::{DOCUMENT_LINKS_BYTES_MAX, DOCUMENT_LINKS_MAX, TABLE_URL_BYTES_MAX};

#[derive(Default)]
pub struct Links {
    links: Vec<Link>,
    /// Each with a bit for each kind.
    known: HashMap<String, u64>,
    bytes: usize,
    is_cut: bool,
}

impl Links {
    /// A link as it is written. What leads nowhere else is none: parts of the same page, data, scripts.
    pub fn push(&mut self, kind: LinkKind, url: &str) {
        let Some(url) = url_of(url) else {
            return;
        };
        let has_room = self.links.len() < DOCUMENT_LINKS_MAX
            && self.bytes + url.len() <= DOCUMENT_LINKS_BYTES_MAX;
        if url.len() > TABLE_URL_BYTES_MAX || !has_room {
            self.is_cut = true;
            return;
        }
        let kinds = self.known.entry(url.clone()).or_insert(0);
        let bit = 1 << kind.number();
        if *kinds & bit == 0 {
            *kinds |= bit;
            self.bytes += url.len();
            self.links.push(Link { kind, url });
        }
    }

    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    pub fn finish(self) -> Vec<Link> {
        self.links
    }
}

/// A URL without what browsers take no notice of; nothing where it leads nowhere.
pub fn url_of(url: &str) -> Option<String> {
    let url = url.trim_matches(|letter| letter <= ' ');
    let scheme = url.split(':').next().unwrap_or_default();
    let is_none = ["data", "javascript", "about", "blob"]
        .iter()
        .any(|one| scheme.eq_ignore_ascii_case(one));
    let leads = !url.is_empty() && !url.starts_with('#') && (!is_none || scheme.len() == url.len());
    leads.then(|| {
        url.chars()
            .filter(|one| !matches!(one, '\t' | '\n' | '\r'))
            .collect()
    })
}

/// The first candidate of a `srcset`.
pub fn first_of_set(set: &str) -> &str {
    let is_blank = |letter: char| letter.is_ascii_whitespace();
    let set = set.trim_start_matches(|letter| is_blank(letter) || letter == ',');
    let url = set.split(is_blank).next().unwrap_or_default();
    url.trim_end_matches(',')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_told_once_and_lead_elsewhere() {
        let mut links = Links::default();
        for url in [
            " a\nb ",
            "ab",
            "#top",
            "",
            "JavaScript:void(0)",
            "data:,x",
            "data",
            "mailto:a@b",
        ] {
            links.push(LinkKind::Anchor, url);
        }
        links.push(LinkKind::Media, first_of_set(" , a.png 1x, b.png 2x"));
        assert!(!links.is_cut());
        let links = links.finish();
        let urls: Vec<_> = links.iter().map(|link| link.url.as_str()).collect();
        assert_eq!(urls, ["ab", "data", "mailto:a@b", "a.png"]);
    }

    #[test]
    fn there_are_limits() {
        let mut links = Links::default();
        for number in 0..=DOCUMENT_LINKS_MAX {
            links.push(LinkKind::Other, &number.to_string());
        }
        assert!(links.is_cut());
        assert_eq!(links.finish().len(), DOCUMENT_LINKS_MAX);
    }
}
