//! Web bundles: compared with the answers of the reference implementation where the corpus is, and fed in every
//! way that a host may feed them, whole, cut and damaged.
//!
//! `STACKROOM_DEEP=1` flips every byte in every way; without it a sample.

mod support;

use std::fs;

use serde_json::json;
use stackroom::archive::{Aside, Format, parser};
use support::heard::{
    Heard, assert_found_again, flips, golden, hear, hear_as, hear_forward, hear_in, sha1,
};
use support::read_all;

#[test]
fn web_bundles_of_the_corpus_are_told_as_golden_answers_say() {
    for (path, golden) in golden(".wbn") {
        let bytes = fs::read(&path).expect("corpus file");
        let heard = hear(&bytes);
        let entries = golden["entries"].as_array().expect("entries");
        assert_eq!(heard.codes(), Vec::<&str>::new(), "{}", path.display());
        assert_eq!(heard.records.len(), entries.len());
        let Some(Aside::About(about)) = heard.asides.first() else {
            panic!("nothing is told of the bundle");
        };
        let field = |name: &str| {
            let field = about.fields.iter().find(|(known, _)| *known == name);
            json!(field.map(|(_, value)| String::from_utf8_lossy(value)))
        };
        assert_eq!(field("version"), golden["version"]);
        assert_eq!(field("primary"), golden["primaryURL"]);
        for entry in entries {
            let told = heard
                .records
                .iter()
                .find(|told| json!(told.url) == entry["url"]);
            let told = told.expect("a response");
            assert_eq!(json!(told.status()), entry["status"]);
            assert_eq!(json!(told.body.len()), entry["body_len"]);
            assert_eq!(json!(sha1(&told.body)), entry["body_sha1"]);
            for (name, value) in entry["headers"].as_object().expect("headers") {
                assert_eq!(json!(told.field(name)), *value, "{name}");
            }
        }
        for window in [5, 4099] {
            assert_eq!(hear_in(&bytes, window), heard, "in pieces of {window}");
        }
        assert_eq!(hear_forward(Format::Wbn, &bytes, 1000), heard);
        assert_found_again(Format::Wbn, &bytes, &heard);
        println!("{}: {} responses as golden", path.display(), entries.len());
    }
}

/// Heads of CBOR items in the shortest form.
fn cbor(kind: u8, value: u64) -> Vec<u8> {
    let head = |extra: u8| kind << 5 | extra;
    let bytes = value.to_be_bytes();
    match value {
        0..=23 => vec![head(bytes[7])],
        24..=0xff => vec![head(24), bytes[7]],
        0x100..=0xffff => [&[head(25)][..], &bytes[6..]].concat(),
        _ => [&[head(27)][..], &bytes].concat(),
    }
}

fn byte_string(bytes: &[u8]) -> Vec<u8> {
    [cbor(2, bytes.len() as u64), bytes.to_vec()].concat()
}

fn text_string(text: &str) -> Vec<u8> {
    [cbor(3, text.len() as u64), text.as_bytes().to_vec()].concat()
}

fn response_item(status: &str, body: &[u8]) -> Vec<u8> {
    let mut fields = cbor(5, 3);
    for (name, value) in [
        (":status", status),
        ("content-type", "text/html"),
        ("date", "Fri, 01 Oct 2021 12:41:40 GMT"),
    ] {
        fields.extend(byte_string(name.as_bytes()));
        fields.extend(byte_string(value.as_bytes()));
    }
    [cbor(4, 2), byte_string(&fields), byte_string(body)].concat()
}

struct Bundled {
    version: &'static str,
    /// URLs, each with the numbers of its responses.
    index: Vec<(String, Vec<usize>)>,
    responses: Vec<Vec<u8>>,
    is_index_last: bool,
    extra: Vec<(&'static str, Vec<u8>)>,
}

impl Bundled {
    fn new(version: &'static str) -> Bundled {
        let responses = vec![
            response_item("200", b"<p>one"),
            response_item("404", b""),
            response_item("200", &[7; 300]),
        ];
        let index = (0..3)
            .map(|at| (format!("https://b.test/{at}"), vec![at]))
            .collect();
        Bundled {
            version,
            index,
            responses,
            is_index_last: false,
            extra: Vec::new(),
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut responses = cbor(4, self.responses.len() as u64);
        let mut places = Vec::new();
        for response in &self.responses {
            places.push((responses.len() as u64, response.len() as u64));
            responses.extend(response);
        }
        let mut index = cbor(5, self.index.len() as u64);
        for (url, numbers) in &self.index {
            index.extend(text_string(url));
            let is_b1 = self.version == "b1";
            index.extend(cbor(4, 2 * numbers.len() as u64 + u64::from(is_b1)));
            if is_b1 {
                let variants: &[u8] = if numbers.len() > 1 {
                    b"Accept-Language;en;fr"
                } else {
                    b""
                };
                index.extend(byte_string(variants));
            }
            for &number in numbers {
                index.extend(cbor(0, places[number].0));
                index.extend(cbor(0, places[number].1));
            }
        }
        let mut sections = vec![("index", index), ("responses", responses)];
        if self.is_index_last {
            sections.reverse();
        }
        sections.splice(0..0, self.extra.iter().cloned());
        let mut lengths = cbor(4, 2 * sections.len() as u64);
        for (name, content) in &sections {
            lengths.extend(text_string(name));
            lengths.extend(cbor(0, content.len() as u64));
        }
        let mut out = cbor(4, if self.version == "b1" { 6 } else { 5 });
        out.extend(byte_string("\u{1f310}\u{1f4e6}".as_bytes()));
        out.extend(byte_string(format!("{}\0\0", self.version).as_bytes()));
        if self.version == "b1" {
            out.extend(text_string("https://b.test/0"));
        }
        out.extend(byte_string(&lengths));
        out.extend(cbor(4, sections.len() as u64));
        for (_, content) in sections {
            out.extend(content);
        }
        let length = out.len() as u64 + 9;
        out.extend(byte_string(&length.to_be_bytes()));
        out
    }
}

#[test]
fn responses_of_a_bundle_are_told_with_their_places() {
    for version in ["b1", "b2"] {
        let bytes = Bundled::new(version).bytes();
        let heard = hear(&bytes);
        assert_eq!(heard.codes(), Vec::<&str>::new());
        assert_eq!(
            heard.urls(),
            ["https://b.test/0", "https://b.test/1", "https://b.test/2"]
        );
        let first = &heard.records[0];
        assert_eq!(first.date.as_deref(), Some("2021-10-01T12:41:40Z"));
        assert!(
            first
                .http
                .starts_with("HTTP/1.1 200 \r\ncontent-type: text/html\r\n")
        );
        assert_eq!(first.body, b"<p>one");
        assert_eq!(heard.records[1].status(), Some(404));
        assert_found_again(Format::Wbn, &bytes, &heard);
        let mut by_offset = heard.clone();
        by_offset
            .records
            .iter_mut()
            .for_each(|told| told.record.skip = 0);
        assert_found_again(Format::Wbn, &bytes, &by_offset);
    }
}

#[test]
fn bundles_of_every_layout_are_read() {
    let mut variants = Bundled::new("b1");
    variants.index = vec![
        ("https://b.test/0".into(), vec![2, 0]),
        ("https://b.test/1".into(), vec![1]),
    ];
    let mut shared = Bundled::new("b2");
    shared.index.push(("https://b.test/again".into(), vec![0]));
    let mut last = Bundled::new("b2");
    last.is_index_last = true;
    let mut extra = Bundled::new("b2");
    extra.extra = vec![
        ("critical", [cbor(4, 1), text_string("index")].concat()),
        ("x-own", byte_string(b"own")),
    ];
    let mut signed = b"\x83\x48\xf0\x9f\x96\x8b\xf0\x9f\x93\xa6\x441b\0\0\x80".to_vec();
    signed.extend(Bundled::new("b2").bytes());
    for (bytes, count) in [
        (variants.bytes(), 3),
        (shared.bytes(), 4),
        (last.bytes(), 3),
        (extra.bytes(), 3),
        (signed, 3),
    ] {
        let heard = hear(&bytes);
        assert_eq!(heard.codes(), Vec::<&str>::new());
        assert_eq!(heard.records.len(), count);
        assert_found_again(Format::Wbn, &bytes, &heard);
        for window in [1, 3, 100] {
            assert_eq!(hear_in(&bytes, window), heard);
        }
    }
    extra.extra = vec![("critical", [cbor(4, 1), text_string("x-new")].concat())];
    assert_eq!(hear(&extra.bytes()).codes(), ["wbn/critical"]);
    let forward = hear_forward(Format::Wbn, &last.bytes(), 50);
    assert_eq!(
        (forward.records.len(), forward.codes()),
        (0, vec!["wbn/behind"])
    );
    let mut garbage = Bundled::new("b2").bytes();
    garbage.extend(b"more");
    assert_eq!(hear(&garbage).codes(), ["wbn/garbage"]);
}

#[test]
fn a_long_index_is_read_in_steps() {
    let mut bundled = Bundled::new("b2");
    bundled.index = (0..60_000)
        .map(|at| {
            (
                format!("https://b.test/{at}/{}", "x".repeat(100)),
                vec![2 - at % 3],
            )
        })
        .collect();
    let bytes = bundled.bytes();
    let heard = hear_as(Format::Wbn, &bytes, 1 << 20);
    assert_eq!(heard.records.len(), 60_000);
    assert_eq!(heard.codes(), Vec::<&str>::new());
}

#[test]
fn a_bundle_with_too_many_readers_of_one_response_is_given_up() {
    let mut bundled = Bundled::new("b2");
    bundled.responses = vec![response_item("200", &vec![1; 4 << 20])];
    bundled.index = (0..1000)
        .map(|at| (format!("https://b.test/{at}"), vec![0]))
        .collect();
    let mut heard = Heard::bodiless();
    read_all(
        parser(Format::Wbn, None).as_mut(),
        &bundled.bytes(),
        1 << 20,
        &mut heard,
    );
    assert_eq!(heard.codes(), ["wbn/too-many"]);
    assert!(heard.records.len() < 30);
}

#[test]
fn bundles_that_are_cut_or_damaged_are_read_as_far_as_they_go() {
    for version in ["b1", "b2"] {
        let bytes = Bundled::new(version).bytes();
        let whole = hear(&bytes);
        for end in 0..bytes.len() {
            let heard = hear_as(Format::Wbn, &bytes[..end], 64);
            assert_eq!(heard.codes(), ["wbn/truncated"], "cut at {end}");
            for (told, expected) in heard.records.iter().zip(&whole.records) {
                assert_eq!((&told.url, &told.http), (&expected.url, &expected.http));
                assert!(expected.body.starts_with(&told.body));
                assert_eq!(told.record.is_whole, told.body.len() == expected.body.len());
            }
            assert_eq!(
                hear_as(Format::Wbn, &bytes[..end], 1),
                heard,
                "cut at {end}"
            );
        }
        for (at, mask) in flips(bytes.len()) {
            let mut flipped = bytes.clone();
            flipped[at] ^= mask;
            let heard = hear_as(Format::Wbn, &flipped, 50);
            if at.is_multiple_of(7) {
                assert_eq!(hear_as(Format::Wbn, &flipped, 1), heard, "{at} ^ {mask}");
                hear_forward(Format::Wbn, &flipped, 33);
            }
        }
    }
}
