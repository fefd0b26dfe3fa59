//! Any bytes as an archived text on its way to a page: the first byte says as what it is rewritten and how it is cut.
#![no_main]

use std::rc::Rc;

use stackroom::rewrite::{EditScript, Hosts, HtmlRewriter, Plain, rewrite_plain};

fn hosts() -> Hosts {
    Hosts::new("http://", ".localhost:8585", "k3vq7a", false)
}

fn html(bytes: &[u8], piece: usize, has_scripts: bool) -> Vec<u8> {
    let edit: EditScript = Rc::new(|source, _| source.contains('l').then(|| format!("[{source}]")));
    let edit = has_scripts.then_some(edit);
    let mut rewriter = HtmlRewriter::new(Rc::new(hosts()), None, "<!--first-->", edit);
    let mut out = Vec::new();
    for piece in bytes.chunks(piece) {
        rewriter.write(piece);
        out.extend(rewriter.take());
    }
    rewriter.end();
    out.extend(rewriter.take());
    out
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((&how, body)) = bytes.split_first() else {
        return;
    };
    let plain = [Plain::Style, Plain::Playlist, Plain::Manifest].get(usize::from(how % 5));
    if let Some(&kind) = plain {
        let hosts = hosts();
        if let Some(out) = rewrite_plain(body, kind, &hosts) {
            // Each address is mapped once.
            assert!(out.len() <= body.len() * 100 + 100);
        }
        return;
    }
    let has_scripts = how % 5 == 3;
    let whole = html(body, body.len().max(1), has_scripts);
    assert_eq!(whole, html(body, usize::from(how / 5) + 1, has_scripts));
});
