//! Host substitution: names of replay origins, and documents through the rewriter in pieces of any size.

use std::rc::Rc;

use stackroom::rewrite::{EditScript, Hosts, HtmlRewriter, Plain, Script, rewrite_plain};

const SALT: &str = "k3vq7a";

fn hosts() -> Hosts {
    Hosts::new("http://", ".localhost:8585", SALT, false)
}

fn rewrite_in(html: &[u8], charset: Option<&str>, piece: usize) -> Vec<u8> {
    rewrite_with(html, charset, piece, None)
}

fn rewrite_with(
    html: &[u8],
    charset: Option<&str>,
    piece: usize,
    edit: Option<EditScript>,
) -> Vec<u8> {
    let mut rewriter = HtmlRewriter::new(Rc::new(hosts()), charset, "<!--first-->", edit);
    let mut out = Vec::new();
    for piece in html.chunks(piece.max(1)) {
        rewriter.write(piece);
        out.extend(rewriter.take());
    }
    rewriter.end();
    out.extend(rewriter.take());
    out
}

/// An editor that tells what it was given.
fn telling() -> Option<EditScript> {
    Some(Rc::new(|source, script| {
        let kind = match script {
            Script::Classic => "script",
            Script::Module => "module",
            Script::Handler => "handler",
        };
        source
            .contains("location")
            .then(|| format!("{kind}[{source}]"))
    }))
}

/// The document with scripts on, without the script that is put first.
fn scripted(html: &str) -> String {
    let out = rewrite_with(html.as_bytes(), None, html.len(), telling());
    let out = String::from_utf8(out).expect("UTF-8");
    out.replacen("<!--first-->", "", 1)
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
        assert_eq!(
            Hosts::new("http://", ".localhost", SALT, false).host(&label),
            None
        );
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
fn names_that_are_to_be_hidden_are_hashed_all() {
    let hosts = Hosts::new("https://", ".replay.example", SALT, true);
    let url = hosts
        .replay_url("https://example.com/a")
        .expect("an address");
    assert!(!url.contains("com"), "{url}");
    assert_eq!(hosts.archived(&url).as_deref(), Some("example.com/a"));
    let other = Hosts::new("https://", ".replay.example", SALT, true);
    assert_eq!(other.archived(&url), None);
    other.label("example.com");
    assert_eq!(other.archived(&url).as_deref(), Some("example.com/a"));
}

#[test]
fn one_origin_for_all_has_labels_in_paths() {
    let hosts = Hosts::new("https://replay.example/-/", "", SALT, false);
    let here = hosts.at("www.example.com");
    for (url, expected) in [
        (
            "https://cdn.example.com?q",
            Some("cdn-example-com-k3vq7a/?q"),
        ),
        ("/c?d", Some("www-example-com-k3vq7a/c?d")),
        ("/", Some("www-example-com-k3vq7a/")),
        ("c", None),
        ("?d", None),
        ("#e", None),
    ] {
        let expected = expected.map(|rest| format!("https://replay.example/-/{rest}"));
        assert_eq!(here.replay_url(url), expected, "{url}");
    }
    assert_eq!(hosts.replay_url("/c"), None);
    let archived = hosts.archived("https://replay.example/-/www-example-com-k3vq7a/c?d#e");
    assert_eq!(archived.as_deref(), Some("www.example.com/c?d"));
    assert_eq!(hosts.archived("https://replay.example/c"), None);
    let mut html = HtmlRewriter::new(here.into(), None, "", None);
    html.write(b"<a href=/x>1</a><a href=//b.example/>2</a><form action=/y><meta http-equiv=refresh content='1; url=/z'>");
    html.end();
    let html = String::from_utf8(html.take()).expect("UTF-8");
    for rest in [
        "www-example-com-k3vq7a/x",
        "b-example-k3vq7a/",
        "www-example-com-k3vq7a/y",
        "www-example-com-k3vq7a/z",
    ] {
        assert!(
            html.contains(&format!("https://replay.example/-/{rest}\"")),
            "{html}"
        );
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

#[test]
fn scripts_go_through_the_editor_as_what_they_are() {
    for (html, expected) in [
        (
            "<script>location</script>",
            "<script>script[location]</script>",
        ),
        ("<script>other</script>", "<script>other</script>"),
        (
            "<script type=' Text/JavaScript'>location</script>",
            "<script type=' Text/JavaScript'>script[location]</script>",
        ),
        (
            "<script type=module>location</script>",
            "<script type=module>module[location]</script>",
        ),
        (
            "<script type=text/template>location</script>",
            "<script type=text/template>location</script>",
        ),
        (
            "<script type=application/ld+json>location</script>",
            "<script type=application/ld+json>location</script>",
        ),
        (
            "<script src=x>location</script>",
            "<script src=x>location</script>",
        ),
        ("<script>location", "<script>script[location]"),
        (
            "<script>\u{fc}location</script>",
            "<script>script[\u{fc}location]</script>",
        ),
        (
            "<svg><script>location</script></svg>",
            "<svg><script>script[location]</script></svg>",
        ),
        (
            "<p onclick='location = \"x\" &amp;&amp; 1'>",
            "<p onclick=\"handler[location = &quot;x&quot; &amp;&amp; 1]\">",
        ),
        (
            "<p onclick='location=&eacute;'>",
            "<p onclick='location=&eacute;'>",
        ),
        (
            "<a href=' JavaScript:location'>",
            "<a href=\"JavaScript:script[location]\">",
        ),
        (
            "<a href='javascript:location%20'>",
            "<a href='javascript:location%20'>",
        ),
        (
            "<script type=importmap>{\"imports\":{\"a\":\"https://a.example/a.js\"}}</script>",
            "<script type=importmap>{\"imports\":{\"a\":\"http://a-example-k3vq7a.localhost:8585/a.js\"}}</script>",
        ),
    ] {
        assert_eq!(scripted(html), expected);
    }
    // With scripts off nothing is edited for them.
    for html in [
        "<script>location</script>",
        "<p onclick='location'>",
        "<a href='javascript:location'>",
    ] {
        assert_eq!(edited(html), html);
    }
}

#[test]
fn frames_in_attributes_are_documents_too() {
    let frame = "<iframe srcdoc='<a href=\"https://a.example/\">&amp;amp;<script>location</script>'></iframe>";
    assert_eq!(
        scripted(frame),
        "<iframe data-wa-srcdoc=\"<a href=&quot;http://a-example-k3vq7a.localhost:8585/&quot;>&amp;amp;<script>script[location]</script>\" src=\"/.wa/doc\"></iframe>"
    );
    assert_eq!(
        edited(frame),
        "<iframe srcdoc=\"<a href=&quot;http://a-example-k3vq7a.localhost:8585/&quot;>&amp;amp;<script>location</script>\"></iframe>"
    );
    let mut nested = "<a href='https://a.example/'>".to_string();
    for _ in 0..12 {
        let inner = nested.replace('&', "&amp;").replace('"', "&quot;");
        nested = format!("<iframe srcdoc=\"{inner}\"></iframe>");
    }
    assert!(scripted(&nested).contains("data-wa-srcdoc"));
    assert_eq!(
        edited(
            "<iframe sandbox='allow-scripts' src=x></iframe><iframe sandbox='Allow-Same-Origin'></iframe>"
        ),
        "<iframe sandbox=\"allow-scripts allow-same-origin\" src=x></iframe><iframe sandbox='Allow-Same-Origin'></iframe>"
    );
}

#[test]
fn plug_ins_become_what_the_archive_can_show() {
    for (html, expected) in [
        (
            "<object data='https://a.example/x' type=image/png width=5><p>none</object>",
            "<img src=\"http://a-example-k3vq7a.localhost:8585/x\" width=\"5\">",
        ),
        (
            "<object data=/a/b.PNG?x id=i></object>",
            "<img src=\"/a/b.PNG?x\" id=\"i\">",
        ),
        (
            "<object data=page.html></object>",
            "<iframe src=\"page.html\"></iframe>",
        ),
        (
            "<embed src='a\"b.pdf' class=c>",
            "<iframe src=\"a&quot;b.pdf\" class=\"c\"></iframe>",
        ),
        (
            "<object data=x.swf><embed src=x.swf></object>",
            "<object data=x.swf><embed src=x.swf></object>",
        ),
        (
            "<object data=x type=application/x-shockwave-flash>y</object>",
            "<object data=x type=application/x-shockwave-flash>y</object>",
        ),
        ("<object>y</object>", "<object>y</object>"),
    ] {
        assert_eq!(edited(html), expected);
    }
}

#[test]
fn what_the_archive_vouches_for_needs_no_digest() {
    assert_eq!(
        edited("<script integrity=x src=y></script><link integrity=x href=y>"),
        "<script src=y></script><link href=y>"
    );
}

fn plain(text: &str, kind: Plain) -> String {
    let out = rewrite_plain(text.as_bytes(), kind, &hosts());
    out.map_or(text.into(), |out| String::from_utf8(out).expect("UTF-8"))
}

#[test]
fn addresses_in_style_sheets_are_replaced() {
    const R: &str = "http://a-example-k3vq7a.localhost:8585";
    for (css, expected) in [
        (
            "a{b:url(https://a.example/x)}",
            format!("a{{b:url({R}/x)}}"),
        ),
        (
            "a{b:URL( 'https://a.example/x' )}",
            format!("a{{b:URL( '{R}/x' )}}"),
        ),
        (
            "@import \"https://a.example/x\" screen;",
            format!("@import \"{R}/x\" screen;"),
        ),
        (
            "@IMPORT url(//a.example/x);",
            format!("@IMPORT url({R}/x);"),
        ),
        (
            "@import/**/'//a.example/x';",
            format!("@import/**/'{R}/x';"),
        ),
        (
            "a{b:image-set('https://a.example/x' 1x, url(//a.example/y) 2x)}",
            format!("a{{b:image-set('{R}/x' 1x, url({R}/y) 2x)}}"),
        ),
        (
            "a{b:-webkit-image-set(url(//a.example/y) 2x),\"//a.example/\"}",
            format!("a{{b:-webkit-image-set(url({R}/y) 2x),\"//a.example/\"}}"),
        ),
        (
            "a{b:url(https:\\2f\\/a.example/x)}",
            format!("a{{b:url({R}/x)}}"),
        ),
        (
            "a{b:url(\"https:\\2f /a.example/x'\")}",
            format!("a{{b:url(\"{R}/x\\'\")}}"),
        ),
        (
            "a[href^='https://a.example']{}",
            format!("a[href^='{R}/']{{}}"),
        ),
        (
            "a[ href ^= \"https://\" ],img[src='//a.example/x' i]",
            format!("a[ href ^= \"http://\" ],img[src='{R}/x' i]"),
        ),
        (
            "a[href^=\"https://\"],a[href^='http']{}",
            "a[href^=\"http://\"],a[href^='http']{}".into(),
        ),
        (
            "a[href^='https:']{b:url(//a.example/x)}",
            format!("a[href^='http:']{{b:url({R}/x)}}"),
        ),
        ("a{b:url(//a.example/x", format!("a{{b:url({R}/x")),
        ("a{b:url(\"//a.example/x", format!("a{{b:url(\"{R}/x")),
    ] {
        assert_eq!(plain(css, Plain::Style), expected);
    }
    for css in [
        "@namespace url(http://www.w3.org/1999/xhtml); a{}",
        "@namespace svg 'http://www.w3.org/2000/svg';",
        "/* url(https://a.example/) */",
        "a{content:'https://a.example/'}",
        "a{content:\"url(https://a.example/)\"}",
        "a{b:url(\"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>\")}",
        "a{b:url(/x) /* // */}",
        "a{b:myurl(https://a.example/)}",
        "a[title='https://a.example/'],a[href*='a.example'],a[href^='/x']{}",
        "a{grid:[href] 'https://a.example/'}",
        "\\",
        "a{b:url(\\",
        "a{b:url('\\",
        "/*",
    ] {
        assert_eq!(plain(css, Plain::Style), css);
    }
    let latin = b"a{b:url(https://a.example/\xe9);content:'\xe9'}";
    assert_eq!(
        rewrite_plain(latin, Plain::Style, &hosts()).as_deref(),
        Some(b"a{b:url(http://a-example-k3vq7a.localhost:8585/\xe9);content:'\xe9'}".as_slice())
    );
}

#[test]
fn addresses_in_playlists_and_manifests_are_replaced() {
    const R: &str = "http://a-example-k3vq7a.localhost:8585";
    assert_eq!(
        plain(
            "#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"https://a.example/k\"\n# https://a.example/\nhttps://a.example/1.ts\n2.ts",
            Plain::Playlist
        ),
        format!(
            "#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"{R}/k\"\n# https://a.example/\n{R}/1.ts\n2.ts"
        )
    );
    assert_eq!(
        plain(
            "<MPD xmlns=\"http://www.w3.org/x\"><BaseURL>\nhttps://a.example/v/</BaseURL><S media='https://a.example/$n$' schemeIdUri=\"http://dashif.org/x\"/>",
            Plain::Manifest
        ),
        format!(
            "<MPD xmlns=\"http://www.w3.org/x\"><BaseURL>\n{R}/v/</BaseURL><S media='{R}/$n$' schemeIdUri=\"http://dashif.org/x\"/>"
        )
    );
}

/// Everything at once, for whatever cuts and bends it.
const RICH: &str = "<!doctype html><html><head><base href=https://a.example/><style>@import '//a.example/x';a{b:url(\\2f/a.example/\u{20ac})}</style>\
    <script type=importmap>{\"a\":\"https://a.example/\"}</script><script>location='\u{fc}'</script><meta http-equiv=refresh content='1;url=//a.example/'>\
    <body onload='location=&quot;x&quot;'><iframe sandbox srcdoc='<script>location</script><p style=\"a:url(//a.example)\">'></iframe>\
    <object data=//a.example/x.png></object><embed src=x.html><svg><style>a{b:url(//a.example)}</style><image xlink:href=//a.example/></svg>\
    <img srcset='//a.example/1 1x, /2'><a href=javascript:location>\u{e000}\u{e002}<script type=module>location";

#[test]
fn every_split_of_a_rich_document_gives_the_same() {
    let whole = rewrite_with(RICH.as_bytes(), None, RICH.len(), telling());
    for piece in 1..RICH.len() {
        let cut = rewrite_with(RICH.as_bytes(), None, piece, telling());
        assert_eq!(
            String::from_utf8_lossy(&cut),
            String::from_utf8_lossy(&whole),
            "in pieces of {piece}"
        );
    }
}

#[test]
fn no_truncation_or_flip_of_a_rich_document_is_too_much() {
    let bytes = RICH.as_bytes();
    for at in 0..bytes.len() {
        rewrite_with(&bytes[..at], None, 7, telling());
        let mut flipped = bytes.to_vec();
        for bit in [1, 0x20, 0x80] {
            flipped[at] = bytes[at] ^ bit;
            rewrite_with(&flipped, None, 64, telling());
            for kind in [Plain::Style, Plain::Playlist, Plain::Manifest] {
                let _ = rewrite_plain(&flipped[at / 2..], kind, &hosts());
            }
        }
    }
}

#[test]
fn what_has_many_of_one_thing_takes_time_by_its_length() {
    // Each is a repetition in which looking back or ahead to the end would be seen: 4 MB take well under a second.
    for piece in [
        "url(",
        "//",
        "\"//",
        "@import ",
        "\\",
        "/*",
        "://",
        "http://",
        "<a href=//",
        "<svg><style>",
        "image-set(",
    ] {
        let text = piece.repeat((4 << 20) / piece.len());
        let begun = std::time::Instant::now();
        for kind in [Plain::Style, Plain::Playlist, Plain::Manifest] {
            let _ = rewrite_plain(text.as_bytes(), kind, &hosts());
        }
        let took = begun.elapsed();
        assert!(took.as_secs() < 20, "{piece}: {took:?}");
    }
}
