//! What pages say, case by case.

use super::*;
use crate::document::LinkKind;

fn page(text: &str) -> Document {
    read(text, Syntax::Html)
}

#[test]
fn text_is_what_shows_a_line_a_block() {
    for (text, expected) in [
        ("<p>one<p>two <b>th</b>ree<br>four", "one\ntwo three\nfour"),
        (
            "<ul><li>a<li>b</ul><table><tr><td>1<td>2<tr><td>3</table>",
            "a\nb\n1 2\n3",
        ),
        (
            "a<script>x<p></script>b<style>c</style>d<!-- e -->f",
            "abdf",
        ),
        (
            "<noscript><p>x</noscript>a<template>x<template>y</template>z</template>b",
            "ab",
        ),
        (
            "a<img alt='b &amp; c'>d<textarea>e</textarea>f",
            "a b & c d f",
        ),
        ("<pre>a\n  b</pre>c\nd", "a\nb\nc d"),
        (
            "a<svg><title>b</title><style>x</style><script>y</script><text>c</text></svg>d",
            "a b c d",
        ),
        ("a<svg><p>b<title>T</title>c", "a\nbc"),
        ("a<svg>b</p>c<mi><style>d</style>", "a b\nc"),
        ("a<math><desc><style>b<p>c", "a\nc"),
        ("a<template><svg>b</template>c", "ac"),
        (
            "<xmp><b></xmp>c<plaintext><b></plaintext>",
            "<b>\nc\n<b></plaintext>",
        ),
        (
            "a<math><annotation-xml encoding='text/html'><p>b</annotation-xml></math>c",
            "a\nb c",
        ),
        ("a<svg><![CDATA[<b>]]></svg><![CDATA[c]]>d", "a <b> d"),
    ] {
        assert_eq!(page(text).text, expected, "{text}");
    }
}

#[test]
fn titles_are_found_in_this_order() {
    for (text, expected) in [
        (
            "<svg><title>no</title></svg><title> a\n b </title><title>c</title>",
            "a b",
        ),
        (
            "<title></title><meta property='og:title' content='b'><h1>c</h1>",
            "b",
        ),
        (
            "<h1> </h1><h1><a href=x>One</a> <i>two</i></h1><h1>three</h1>",
            "One two",
        ),
        ("<template><title>no</title></template><h2>x</h2>", ""),
        ("<h1>open", "open"),
    ] {
        assert_eq!(page(text).title, expected, "{text}");
    }
}

#[test]
fn heads_say_much() {
    let text = "<!doctype html><html lang=de-AT><base href=' /b/ '><base href=x><meta name=Description content='D  d'>\
                <link rel='shortcut icon' href=a.ico><link rel=icon sizes=32x32 href=b.png>\
                <link rel='apple-touch-icon' href=c.png><link rel=canonical href=/canon>\
                <link rel='alternate stylesheet' href=s.css><meta http-equiv=refresh content=\"5; URL = '/next' x\">";
    let document = page(text);
    assert_eq!(document.language, "de-AT");
    assert_eq!(document.base, "/b/");
    assert_eq!(document.description, "D d");
    assert_eq!(document.icon, "b.png");
    assert_eq!(document.canonical, "/canon");
    assert_eq!(document.redirect, "/next");
    let styles = document
        .links
        .iter()
        .filter(|link| link.kind == LinkKind::Style);
    assert_eq!(
        styles.map(|link| link.url.as_str()).collect::<Vec<_>>(),
        ["s.css"]
    );
}

#[test]
fn links_have_kinds() {
    let text = "<a href=a><area href=b><img src=c srcset='d 1x, e 2x'><video poster=f><source srcset=g,></video>\
                <iframe src=h></iframe><frame src=i><script src=j></script><form action=k><link rel=prev href=l>\
                <input type=IMAGE src=m><input src=no><svg><a xlink:href=n></a><image href=o /></svg><body background=p>\
                <object data=q></object><embed src=r><template><a href=no></template><a href=a>";
    let document = page(text);
    let of = |kind| {
        let links = document.links.iter().filter(|link| link.kind == kind);
        links.map(|link| link.url.as_str()).collect::<String>()
    };
    assert_eq!(of(LinkKind::Anchor), "abn");
    assert_eq!(of(LinkKind::Media), "cdfgmopqr");
    assert_eq!(of(LinkKind::Frame), "hi");
    assert_eq!(of(LinkKind::Script), "j");
    assert_eq!(of(LinkKind::Form), "k");
    assert_eq!(of(LinkKind::Other), "l");
}

#[test]
fn pieces_are_no_pages() {
    for (text, is_fragment) in [
        ("<!doctype html>x", false),
        ("<title>x</title>", false),
        ("<body>x", false),
        ("<h1>x</h1><p>y", false),
        ("<div>x</div>", true),
        ("x", true),
        ("", true),
        ("<html><body> </body>", true),
        ("<html><frameset><frame src=a>", false),
        ("{\"html\":\"<html><title>x</title>\"}", true),
    ] {
        assert_eq!(page(text).is_fragment, is_fragment, "{text}");
    }
}

#[test]
fn elements_close_themselves_in_xhtml() {
    let document = read(
        "<html xml:lang='fr'><script src='a'/><title>b</title><p>c<![CDATA[<d>]]></p></html>",
        Syntax::Xml,
    );
    assert_eq!(
        (document.title.as_str(), document.text.as_str()),
        ("b", "c<d>")
    );
    assert_eq!(document.language, "fr");
    assert_eq!(document.kind, DocumentKind::Xhtml);
}

#[test]
fn refreshes_are_written_in_many_ways() {
    for (value, url) in [
        ("0;url=a", Some("a")),
        (" 5 , URL='b c' d", Some("b c")),
        ("3.5; c", Some("c")),
        ("5", None),
        ("url=a", None),
        ("0;url=\"a", Some("a")),
    ] {
        assert_eq!(refresh(value).as_deref(), url, "{value}");
    }
}
