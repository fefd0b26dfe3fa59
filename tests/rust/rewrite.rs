//! Host substitution: names of replay origins, and documents through the rewriter in pieces of any size.

use std::rc::Rc;

use stackroom::rewrite::{Hosts, HtmlRewriter};

const SALT: &str = "k3vq7a";

fn hosts() -> Hosts {
    Hosts::new("http", "localhost:8585", SALT)
}

fn rewrite_in(html: &[u8], charset: Option<&str>, piece: usize) -> Vec<u8> {
    let mut rewriter = HtmlRewriter::new(Rc::new(hosts()), charset, "<!--first-->");
    let mut out = Vec::new();
    for piece in html.chunks(piece.max(1)) {
        rewriter.write(piece);
        out.extend(rewriter.take());
    }
    rewriter.end();
    out.extend(rewriter.take());
    out
}

fn rewrite(html: &str) -> String {
    String::from_utf8(rewrite_in(html.as_bytes(), None, html.len())).expect("UTF-8")
}

/// The document without the script that is put first.
fn edited(html: &str) -> String {
    rewrite(html).replacen("<!--first-->", "", 1)
}

#[test]
fn a_label_reads_back_to_its_host() {
    for (host, label) in [
        ("example.com", "example-com-k3vq7a"),
        ("EXAMPLE.com", "example-com-k3vq7a"),
        (
            "my-site.example.com:8080",
            "my--site-example-com-p8080-k3vq7a",
        ),
        ("a--b.c", "a----b-c-k3vq7a"),
        ("a_b.example", "a_b-example-k3vq7a"),
        ("127.0.0.1:3000", "127-0-0-1-p3000-k3vq7a"),
        ("foo-.example", "foo---example-k3vq7a"),
        ("localhost", "localhost-k3vq7a"),
    ] {
        assert_eq!(hosts().label(host), label);
        assert_eq!(hosts().host(label), Some(host.to_ascii_lowercase()));
    }
}

#[test]
fn hosts_that_a_name_cannot_carry_are_hashed_and_known() {
    let long = format!("{}.example.com", "a".repeat(60));
    for host in [
        long.as_str(),
        "xn--bcher-kva.example",
        "a.-b.example",
        "a.p8080",
        "[::1]:80",
        "x2222222222aaaaaaaaaa",
        "-a.example",
    ] {
        let hosts = hosts();
        let label = hosts.label(host);
        assert!(label.starts_with('x') && label.len() == 28, "{label}");
        assert_eq!(hosts.host(&label).as_deref(), Some(host));
        assert_eq!(Hosts::new("http", "localhost", SALT).host(&label), None);
    }
}

#[test]
fn labels_of_other_collections_and_nonsense_mean_nothing() {
    for label in [
        "",
        "-",
        "k3vq7a",
        "-k3vq7a",
        "example-com-aaaaaa",
        "example-com",
        "xn----abc-k3vq7a",
        "-example-k3vq7a",
        "localhost",
    ] {
        assert_eq!(hosts().host(label), None, "{label}");
    }
}

#[test]
fn only_absolute_addresses_are_replaced() {
    for (url, expected) in [
        (
            "https://cdn.example.com/a.png?x=1#y",
            Some("http://cdn-example-com-k3vq7a.localhost:8585/a.png?x=1#y"),
        ),
        (
            "HTTP://Example.com",
            Some("http://example-com-k3vq7a.localhost:8585/"),
        ),
        (
            "//example.com?q",
            Some("http://example-com-k3vq7a.localhost:8585/?q"),
        ),
        (
            "https://example.com:443/",
            Some("http://example-com-k3vq7a.localhost:8585/"),
        ),
        (
            "http://example.com:443/",
            Some("http://example-com-p443-k3vq7a.localhost:8585/"),
        ),
        (
            "https://user:word@example.com/",
            Some("http://example-com-k3vq7a.localhost:8585/"),
        ),
        (
            " \n https://example.com./a ",
            Some("http://example-com-k3vq7a.localhost:8585/a"),
        ),
        (
            "https:\\\\example.com\\a",
            Some("http://example-com-k3vq7a.localhost:8585\\a"),
        ),
        ("/a", None),
        ("a/b", None),
        ("#x", None),
        ("", None),
        ("https://", None),
        ("https:", None),
        ("mailto:a@example.com", None),
        ("javascript:location='https://example.com'", None),
        ("data:text/html,https://example.com", None),
    ] {
        assert_eq!(hosts().replay_url(url).as_deref(), expected, "{url}");
    }
    let bucher = hosts()
        .replay_url("https://b\u{fc}cher.example/")
        .expect("an address");
    assert_eq!(
        hosts_after(&bucher).as_deref(),
        Some("xn--bcher-kva.example/")
    );
}

/// What a fresh table, which knows the host, makes of a replay address.
fn hosts_after(url: &str) -> Option<String> {
    let hosts = hosts();
    hosts.label("xn--bcher-kva.example");
    hosts.archived(url)
}

#[test]
fn a_replay_address_reads_back_to_what_was_archived() {
    for (url, expected) in [
        (
            "http://example-com-k3vq7a.localhost:8585/a?b#c",
            Some("example.com/a?b"),
        ),
        (
            "http://example-com-k3vq7a.localhost:8585?b",
            Some("example.com/?b"),
        ),
        ("http://example-com-k3vq7a.localhost:8586/a", None),
        ("https://example-com-k3vq7a.localhost:8585/a", None),
        ("http://localhost:8585/a", None),
        ("http://example-com-k3vq7a.evil.example/a", None),
        ("http://example-com-aaaaaa.localhost:8585/a", None),
        ("http://a.example-com-k3vq7a.localhost:8585/a", None),
    ] {
        assert_eq!(hosts().archived(url).as_deref(), expected, "{url}");
    }
}

#[test]
fn addresses_in_markup_are_replaced() {
    const R: &str = "http://a-example-k3vq7a.localhost:8585";
    for (html, expected) in [
        ("<a href='https://a.example/?x=1&amp;y'>t</a>".into(), format!("<a href=\"{R}/?x=1&amp;y\">t</a>")),
        ("<a href=/b>t</a>".into(), "<a href=/b>t</a>".to_string()),
        ("<img srcset='https://a.example/1.png 1x, /2.png 2x,https://a.example/3,4.png 3x'>".into(),
         format!("<img srcset=\"{R}/1.png 1x, /2.png 2x,{R}/3,4.png 3x\">")),
        ("<p style='background:url(https://a.example/x)'>".into(), format!("<p style=\"background:url({R}/x)\">")),
        ("<style>@import '//a.example/x'; a{b:url( \"https://a.example/y\")} /* https://a.example/ */</style>".into(),
         format!("<style>@import '{R}/x'; a{{b:url( \"{R}/y\")}} /* https://a.example/ */</style>")),
        ("<meta http-equiv=Refresh content=\"5; URL='https://a.example/x'\">".into(),
         "<meta http-equiv=Refresh content=\"5; URL='http://a-example-k3vq7a.localhost:8585/x'\">".to_string()),
        ("<base href=https://a.example/d/>".into(), format!("<base href=\"{R}/d/\">")),
        (
            "<video src=/v></video><audio crossorigin=use-credentials>".into(),
            "<video src=/v crossorigin=\"anonymous\"></video><audio crossorigin=use-credentials>".to_string(),
        ),
        ("<svg><use xlink:href='https://a.example/s#i'/></svg>".into(), format!("<svg><use xlink:href=\"{R}/s#i\" /></svg>")),
        ("<script>fetch('https://a.example/')</script>".into(), "<script>fetch('https://a.example/')</script>".to_string()),
        ("<link rel='preconnect stylesheet' href=https://a.example><p>".into(), "<p>".to_string()),
        ("<meta http-equiv=content-security-policy content=\"default-src 'none'\"><p>".into(), "<p>".to_string()),
        ("<script type=speculationrules>{}</script><p>".into(), "<p>".to_string()),
        ("<a ping=https://a.example href=x>".into(), "<a href=x>".to_string()),
    ] as [(String, String); 14] {
        assert_eq!(edited(&html), expected);
    }
}

#[test]
fn the_first_script_stands_before_everything_that_runs() {
    for (html, expected) in [
        (
            "<!doctype html><html><head><script>",
            "<!doctype html><html><head><!--first--><script>",
        ),
        ("<!doctype html><p>x", "<!doctype html><!--first--><p>x"),
        ("<html><frameset>", "<html><!--first--><frameset>"),
        ("text", "text<!--first-->"),
        ("", "<!--first-->"),
        (
            "<script>1</script><head>",
            "<!--first--><script>1</script><head>",
        ),
    ] {
        assert_eq!(rewrite(html), expected);
    }
}

#[test]
fn every_split_gives_the_same_document() {
    let html = "<!doctype html><html><head><style>a{b:url(//a.example/c)}</style><title>\u{fc}</title>\
        <body><img srcset='//a.example/1 1x' src=//a.example/2>\u{20ac} <script>1<2</script><a href='http://b.example:81'>";
    let whole = rewrite_in(html.as_bytes(), None, html.len());
    for piece in 1..html.len() {
        let cut = rewrite_in(html.as_bytes(), None, piece);
        assert_eq!(
            String::from_utf8_lossy(&cut),
            String::from_utf8_lossy(&whole),
            "in pieces of {piece}"
        );
    }
}

#[test]
fn other_charsets_keep_their_bytes() {
    let latin = b"<p title=caf\xe9><a href='https://a.example/'>\xe9";
    let out = rewrite_in(latin, Some("windows-1252"), 7);
    assert_eq!(
        out,
        b"<!--first--><p title=caf\xe9><a href=\"http://a-example-k3vq7a.localhost:8585/\">\xe9"
            .as_slice()
    );
    // Whatever they state, and where they state nothing; in Shift_JIS the second byte of a letter can be ASCII.
    let shift = b"<p title='\x83\x5c\x95\x5c'><a href='https://a.example/\x83\x5c?\x95\x5c'>\x83\x5c<style>p{background:url(https://a.example/\x83\x5c)}</style>\xff";
    let expected = b"<!--first--><p title='\x83\x5c\x95\x5c'><a href=\"http://a-example-k3vq7a.localhost:8585/\x83\x5c?\x95\x5c\">\x83\x5c<style>p{background:url(http://a-example-k3vq7a.localhost:8585/\x83\x5c)}</style>\xff";
    for charset in [None, Some("shift_jis"), Some("utf-8"), Some("unheard-of")] {
        for piece in [1, 2, 3, 1000] {
            let out = rewrite_in(shift, charset, piece);
            assert_eq!(out, expected.as_slice(), "{charset:?} in pieces of {piece}");
        }
    }
    let wide: Vec<u8> = "<p>x".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(rewrite_in(&wide, Some("utf-16le"), 3), wide);
    assert_eq!(rewrite_in(&wide, Some(" UTF-16 "), 3), wide);
}
