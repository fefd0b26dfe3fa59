//! HAR files: compared with the answers of an independent reader where the corpus is, and fed in every way that
//! a host may feed them, whole, cut and damaged.
//!
//! `STACKROOM_DEEP=1` flips every byte in every way; without it a sample.

mod support;

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use stackroom::archive::{Aside, Format, Record, media_type, parser};
use support::heard::{
    Heard, Told, assert_found_again, flips, golden, hear, hear_as, hear_forward, hear_in, sha1,
};
use support::read_all;

fn assert_har(path: &Path, golden: &Value) {
    let bytes = fs::read(path).expect("corpus file");
    let heard = hear(&bytes);
    let entries = golden["entries"].as_array().expect("entries");
    assert_eq!(heard.codes(), Vec::<&str>::new(), "{}", path.display());
    assert_eq!(heard.of("response").len(), entries.len());
    assert_eq!(heard.of("request").len(), entries.len());
    let text = |bytes: &Option<Vec<u8>>| {
        bytes
            .as_ref()
            .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    };
    let pages: Vec<Value> = heard
        .asides
        .iter()
        .filter_map(|aside| match aside {
            Aside::Page(page) => {
                Some(json!({"id": text(&page.id), "title": text(&page.title), "started": text(&page.date)}))
            }
            _ => None,
        })
        .collect();
    assert_eq!(json!(pages), golden["pages"]);
    let pairs = heard.of("response").into_iter().zip(heard.of("request"));
    for ((response, request), entry) in pairs.zip(entries) {
        assert_eq!(json!(response.url), entry["url"]);
        assert_eq!(json!(request.url), entry["url"]);
        assert_eq!(response.date, request.date);
        assert_eq!(json!(request.http.split(' ').next()), entry["method"]);
        assert_eq!(json!(response.status()), entry["status"]);
        let date = response.date.as_deref().expect("a date");
        let started = entry["started"].as_str().expect("a date");
        if started.ends_with('Z') {
            assert_eq!(date, started);
        } else {
            assert_eq!((&date[..11], &started[23..]), (&started[..11], "+01:00"));
        }
        let stated = entry["mime"].as_str().unwrap_or_default();
        if !stated.is_empty() && stated != "x-unknown" {
            let identified = response
                .warc("WARC-Identified-Payload-Type")
                .unwrap_or_default();
            assert_eq!(identified.as_bytes(), media_type(stated.as_bytes()));
            assert!(response.field("Content-Type").is_some());
        }
        if entry.get("body_sha1").is_some() {
            assert_eq!(json!(response.body.len()), entry["body_len"]);
            assert_eq!(json!(sha1(&response.body)), entry["body_sha1"]);
        } else {
            assert!(response.body.is_empty());
        }
        if let Some(redirect) = entry["redirect"].as_str() {
            assert!(
                response
                    .field("Location")
                    .is_some_and(|to| redirect.ends_with(&to) || to.ends_with(redirect))
            );
        }
    }
    for window in [7, 4099] {
        assert_eq!(hear_in(&bytes, window), heard, "in pieces of {window}");
    }
    assert_found_again(Format::Har, &bytes, &heard);
    println!("{}: {} entries as golden", path.display(), entries.len());
}

#[test]
fn har_files_of_the_corpus_are_told_as_golden_answers_say() {
    for (path, golden) in golden(".har") {
        assert_har(&path, &golden);
    }
}

fn entry(url: &str, content: &Value) -> Value {
    json!({
        "startedDateTime": "2024-05-06T09:08:09.123+02:00", "time": 5,
        "request": {
            "method": "GET", "url": url, "httpVersion": "h2", "cookies": [], "queryString": [],
            "headers": [{"name": ":authority", "value": "a.test"}, {"name": "Accept", "value": "*/*"}],
            "headersSize": -1, "bodySize": 0,
        },
        "response": {
            "status": 200, "statusText": "", "httpVersion": "h2", "cookies": [], "redirectURL": "",
            "headers": [{"name": "content-type", "value": "text/html"}, {"name": "content-encoding", "value": "br"}],
            "content": content, "headersSize": -1, "bodySize": -1,
        },
        "cache": {}, "timings": {"send": 0, "wait": 1, "receive": 2}, "_priority": "High",
    })
}

/// A file with these entries, whose time comes first as browsers write it.
fn log(entries: &[Value]) -> Vec<u8> {
    let in_order = |entry: &Value| {
        let mut rest = entry.clone();
        let started = rest
            .as_object_mut()
            .and_then(|entry| entry.remove("startedDateTime"));
        let rest = rest.to_string();
        started.map_or(rest.clone(), |started| {
            format!("{{\"startedDateTime\":{started},{}", &rest[1..])
        })
    };
    let page = json!({"startedDateTime": "2024-05-06T09:08:09.123+02:00", "id": "p", "title": "t", "pageTimings": {}});
    let entries: Vec<String> = entries.iter().map(in_order).collect();
    let text = format!(
        "{{\"log\":{{\"version\":\"1.2\",\"creator\":{{\"name\":\"test\"}},\"pages\":[{page}],\"entries\":[{}]}}}}",
        entries.join(",")
    );
    text.into_bytes()
}

/// Every kind of string and body in few bytes.
fn small_har() -> Vec<u8> {
    let mut post = entry(
        "http://a.test/post?q=1#frag",
        &json!({"size": 3, "mimeType": "text/plain", "text": "ok\n"}),
    );
    post["request"]["method"] = json!("POST");
    post["request"]["postData"] = json!({"mimeType": "text/plain", "text": "caf\u{e9} \u{1f600}"});
    post["response"]["headers"] = json!([{"name": "Set-Cookie", "value": "a=1\nb=2"}]);
    log(&[
        entry(
            "http://a.test/",
            &json!({"size": 12, "mimeType": "text/html", "text": "<p>\u{fc}\"\\\u{1}</p>"}),
        ),
        post,
        entry(
            "http://a.test/i.png",
            &json!({"size": 5, "mimeType": "image/png", "text": "iVBORw==", "encoding": "base64"}),
        ),
    ])
}

#[test]
fn an_entry_is_told_as_a_response_and_a_request() {
    let bytes = small_har();
    let heard = hear(&bytes);
    assert_eq!(heard.codes(), Vec::<&str>::new());
    assert_eq!(
        heard.urls(),
        [
            "http://a.test/",
            "http://a.test/post?q=1#frag",
            "http://a.test/i.png"
        ]
    );
    let kinds: Vec<&str> = heard
        .records
        .iter()
        .map(|told| told.kind.as_str())
        .collect();
    assert_eq!(kinds, ["response", "request"].repeat(3));
    let [first, request, posted, post, image, _] = heard.records.as_slice() else {
        panic!("six records");
    };
    assert_eq!(first.date.as_deref(), Some("2024-05-06T07:08:09.123Z"));
    assert_eq!(first.warc("WARC-Protocol"), Some("h2"));
    assert_eq!(
        first.http,
        "HTTP/2 200 \r\ncontent-type: text/html; charset=utf-8\r\ncontent-encoding: br\r\n\r\n"
            .replace("content-type", "Content-Type")
    );
    assert_eq!(first.body, "<p>\u{fc}\"\\\u{1}</p>".as_bytes());
    assert_eq!(
        request.http,
        "GET / HTTP/2\r\nHost: a.test\r\nAccept: */*\r\n\r\n"
    );
    assert_eq!(
        posted.http,
        "HTTP/2 200 \r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Type: text/plain\r\n\r\n"
    );
    assert!(
        post.http.starts_with("POST /post?q=1 HTTP/2\r\n")
            && post.http.contains("Content-Type: text/plain\r\n")
    );
    assert_eq!(post.body, "caf\u{e9} \u{1f600}".as_bytes());
    assert_eq!(image.body, [0x89, b'P', b'N', b'G']);
    for told in &heard.records {
        let at = usize::try_from(told.record.offset).expect("offset");
        let end = at + usize::try_from(told.record.length).expect("length");
        let entry: Value =
            serde_json::from_slice(&bytes[at..end]).expect("the place is that of the entry");
        assert_eq!(json!(told.url), entry["request"]["url"]);
    }
    assert_found_again(Format::Har, &bytes, &heard);
}

#[test]
fn a_har_file_is_told_the_same_however_it_is_fed() {
    let bytes = small_har();
    let whole = hear(&bytes);
    for cut in 0..=bytes.len() {
        let mut heard = Heard::default();
        let mut reader = parser(Format::Har, None);
        for mut rest in [&bytes[..cut], &bytes[cut..]] {
            while !rest.is_empty() {
                rest = &rest[reader.feed(rest, &mut heard)..];
            }
        }
        assert!(reader.finish(bytes.len() as u64, &mut heard));
        assert_eq!(heard, whole, "cut at {cut}");
    }
    assert_eq!(hear_in(&bytes, 1), whole);
    assert_eq!(hear_forward(Format::Har, &bytes, 100), whole);
}

#[test]
fn a_har_file_that_ends_too_soon_gives_what_lies_before() {
    let bytes = small_har();
    let whole = hear(&bytes);
    let mut most = 0;
    for end in 0..bytes.len() {
        let heard = hear_as(Format::Har, &bytes[..end], 501);
        let last = if end == 0 {
            "har/no-entries"
        } else {
            "har/truncated"
        };
        assert_eq!(heard.codes().last(), Some(&last), "cut at {end}");
        for told in &heard.records {
            let place = |told: &Told| (told.record.offset, told.record.skip);
            let expected = whole
                .records
                .iter()
                .find(|known| place(known) == place(told));
            let expected = expected.expect("a record of the whole file");
            assert_eq!(told.url, expected.url);
            if told.record.is_whole {
                assert_eq!(
                    (&told.http, &told.body),
                    (&expected.http, &expected.body),
                    "cut at {end}"
                );
            }
        }
        let entries_before = whole
            .records
            .iter()
            .filter(|told| (told.record.offset + told.record.length) <= end as u64);
        assert!(heard.records.len() >= entries_before.count());
        most = most.max(heard.records.len());
        assert_eq!(
            hear_as(Format::Har, &bytes[..end], 1),
            heard,
            "cut at {end}"
        );
    }
    assert_eq!(most, whole.records.len());
}

#[test]
fn a_har_file_with_any_byte_flipped_is_read_to_its_end() {
    let sound = small_har();
    let whole = hear(&sound);
    let mut lost = 0usize;
    for (at, mask) in flips(sound.len()) {
        let mut bytes = sound.clone();
        bytes[at] ^= mask;
        let heard = hear_as(Format::Har, &bytes, 333);
        let is_sound = serde_json::from_slice::<Value>(&bytes).is_ok();
        assert!(
            is_sound || !heard.damage.is_empty() || heard.records.len() >= 5,
            "{at} ^ {mask}: nothing is told of it"
        );
        // What lies apart from the damage is there.
        for told in whole.of("response") {
            let range = told.record.offset..=told.record.offset + told.record.length;
            let is_behind = told.record.offset > at as u64;
            // Without the names of log and entries there are none.
            let is_ahead_of_all = (at as u64) < whole.records[0].record.offset;
            if !range.contains(&(at as u64)) && !heard.urls().contains(&told.url.as_str()) {
                assert!(is_behind, "{at} ^ {mask}: what lies before it is lost");
                lost += usize::from(!is_ahead_of_all);
            }
        }
    }
    println!("{lost} responses behind a flipped byte were lost");
    // A quote that is lost at the end of an entry hides where the next one begins.
    assert!(lost * 500 < flips(sound.len()).len(), "{lost}");
}

#[test]
fn long_bodies_are_read_again_or_as_they_come() {
    let text = "<p>caf\u{e9} \"x\"\n".repeat(400_000);
    let picture: String = "iVBORw0KGgoA".repeat(500_000);
    let mut bodies = vec![
        entry(
            "http://a.test/text",
            &json!({"size": 1, "mimeType": "text/html", "text": text}),
        ),
        entry(
            "http://a.test/picture",
            &json!({"size": 1, "mimeType": "image/png", "text": picture, "encoding": "base64"}),
        ),
        entry(
            "http://a.test/small",
            &json!({"size": 1, "mimeType": "text/html", "text": "small"}),
        ),
    ];
    bodies[2]["request"]["postData"] = json!({"mimeType": "text/plain", "text": text});
    // Names in alphabetical order put `content` ahead of `status`; browsers do not.
    let bytes = log(&bodies);
    let heard = hear_in(&bytes, 1 << 20);
    assert_eq!(heard.codes(), Vec::<&str>::new());
    let responses = heard.of("response");
    assert_eq!(responses[0].body, text.as_bytes());
    assert_eq!(responses[1].body.len(), picture.len() / 4 * 3);
    assert_eq!(heard.of("request")[2].body, text.as_bytes());
    assert_eq!(hear_in(&bytes, 77_777), heard);
    let mut bodiless = Heard::bodiless();
    read_all(
        parser(Format::Har, None).as_mut(),
        &bytes,
        1 << 20,
        &mut bodiless,
    );
    let sizes = |heard: &Heard| -> Vec<Record> {
        heard
            .records
            .iter()
            .map(|told| told.record.clone())
            .collect()
    };
    assert_eq!(sizes(&bodiless), sizes(&heard));

    let in_order = |url: &str, content: &str| {
        format!(
            "{{\"startedDateTime\":\"2024-05-06T07:08:09Z\",\"request\":{{\"method\":\"GET\",\"url\":\"{url}\",\"headers\":[]}},\
             \"response\":{{\"status\":200,\"headers\":[],\"content\":{content}}}}}"
        )
    };
    let plain = "x, y; ".repeat(1_000_000);
    let forward = format!(
        "{{\"log\":{{\"entries\":[{},{},{}]}}}}",
        in_order("http://a.test/1", &json!({"text": plain}).to_string()),
        in_order(
            "http://a.test/2",
            &format!("{{\"text\":\"{picture}\",\"encoding\":\"base64\"}}")
        ),
        in_order("http://a.test/3", "{\"text\":\"three\"}"),
    );
    let heard = hear_forward(Format::Har, forward.as_bytes(), 100_000);
    assert_eq!(heard.codes(), Vec::<&str>::new());
    let responses = heard.of("response");
    assert_eq!(responses[0].body, plain.as_bytes());
    assert_eq!(responses[1].body.len(), picture.len() / 4 * 3);
    assert_eq!(responses[2].body, b"three");
    // Where too little is known ahead of it, a long body is cut, and that is told.
    let late = hear_forward(Format::Har, &bytes, 1 << 20);
    assert!(
        late.codes()
            .iter()
            .all(|code| ["har/too-large", "har/late"].contains(code))
    );
    assert_eq!(late.of("response").len(), 3);
    assert!(
        late.records
            .iter()
            .any(|told| told.warc("WARC-Truncated") == Some("length"))
    );
    let cut = &forward.as_bytes()[..forward.len() / 2 + 3_000_000];
    let heard = hear_as(Format::Har, cut, 1 << 20);
    assert_eq!(heard.codes(), ["har/truncated"]);
    assert_eq!(heard.urls(), ["http://a.test/1", "http://a.test/2"]);
    assert!(
        !heard.records[2].record.is_whole
            && heard.records[2].body.starts_with(&[0x89, b'P', b'N', b'G'])
    );
}

/// What becomes of one entry of JSON text.
fn hear_entry(json: &str) -> Heard {
    hear(format!("{{\"log\":{{\"entries\":[{json}]}}}}").as_bytes())
}

#[test]
fn what_browsers_leave_out_or_write_oddly_is_understood() {
    let heard = hear_entry(r#"{"request":{"url":"http://a.test"},"response":{"status":0}}"#);
    assert_eq!(heard.codes(), Vec::<&str>::new());
    let [response, request] = heard.records.as_slice() else {
        panic!("two records");
    };
    assert_eq!(
        (response.http.as_str(), response.date.as_deref()),
        ("HTTP/1.1 0 \r\n\r\n", None)
    );
    assert_eq!(response.warc("WARC-Truncated"), Some("disconnect"));
    assert_eq!(request.http, "GET / HTTP/1.1\r\n\r\n");

    let heard = hear_entry(
        r#"{"request":{"url":"http://a.test/","httpVersion":"http/2+quic/46"},"response":{"status":200,"content":{"size":9,"mimeType":"text/css"}}}"#,
    );
    assert_eq!(heard.records[0].warc("WARC-Truncated"), Some("unspecified"));
    assert_eq!(
        heard.records[0].field("Content-Type").as_deref(),
        Some("text/css")
    );
    assert!(heard.records[1].http.starts_with("GET / HTTP/3\r\n"));

    let heard = hear_entry(
        r#"{"request":{"url":"http://a.test/","method":"POST","postData":{"mimeType":"application/x-www-form-urlencoded","params":[{"name":"a b","value":"1%202"},{"name":"c","value":"\u00e9&"}]}}}"#,
    );
    assert_eq!(heard.records[0].body, b"a+b=1%202&c=%C3%A9%26");

    let heard = hear_entry(
        r#"{"request":{"url":"http://a.test/\r\nX: y"},"serverIPAddress":"[::1]","response":{"status":"301","redirectURL":"/to","headers":[{"name":"A b\r\n","value":"1\r\n folded\r\n2"}]}}"#,
    );
    assert_eq!(heard.records[0].url, "http://a.test/%0D%0AX: y");
    assert_eq!(
        heard.records[0].http,
        "HTTP/1.1 301 \r\nAb: 1 folded\r\nAb: 2\r\nLocation: /to\r\n\r\n"
    );
    assert_eq!(heard.records[0].warc("WARC-IP-Address"), Some("::1"));

    for (json, code) in [
        (r#"{"request":{},"response":{"status":200}}"#, "har/no-url"),
        (
            r#"{"startedDateTime":"soon","request":{"url":"http://a.test/"}}"#,
            "har/bad-date",
        ),
        (
            r#"{"request":{"url":"http://a.test/\ud800"}}"#,
            "har/bad-text",
        ),
        (r#"{"request":{"url":"http://a.test/\q"}}"#, "har/bad-text"),
        (
            r#"{"request":{"url":"http://a.test/"},"response":{"status":200,"content":{"text":"*","encoding":"base64"}}}"#,
            "har/bad-base64",
        ),
        (
            r#"{"request":{"url":"http://a.test/" "x":1}}"#,
            "har/bad-json",
        ),
    ] {
        assert_eq!(hear_entry(json).codes(), [code], "{json}");
    }
    let mut invalid =
        b"{\"log\":{\"entries\":[{\"request\":{\"url\":\"http://a.test/\xff\"}}]}}".to_vec();
    assert_eq!(hear(&invalid).codes(), ["har/bad-text"]);
    assert_eq!(hear(&invalid).records[0].url, "http://a.test/\u{fffd}");
    invalid.truncate(20);
    assert_eq!(hear(&invalid).codes(), ["har/truncated"]);
}

#[test]
fn charsets_say_what_the_text_is_in_here() {
    let charset = |header: &str, text: &str| {
        let content = json!({"mimeType": header, "text": text});
        let mut entry = entry("http://a.test/", &content);
        entry["response"]["headers"] = json!([{"name": "Content-Type", "value": header}]);
        hear(&log(&[entry])).records[0]
            .field("Content-Type")
            .expect("a type")
    };
    assert_eq!(
        charset("text/html; charset=iso-8859-1", "\u{e9}"),
        "text/html; charset=utf-8"
    );
    assert_eq!(
        charset("text/html; charset=iso-8859-1; x=y", "\u{e9}"),
        "text/html; x=y; charset=utf-8"
    );
    assert_eq!(
        charset("text/html; charset=iso-8859-1", "e"),
        "text/html; charset=iso-8859-1"
    );
}

#[test]
fn several_logs_and_odd_files_are_read() {
    let one =
        String::from_utf8(log(&[entry("http://a.test/1", &json!({"text": "1"}))])).expect("text");
    let two = one.replace("/1", "/2");
    for text in [
        format!("\u{feff}{one}\n{two}"),
        format!("[{one},{two}]"),
        format!("{},{}", &one[..one.len() - 1], &two[1..]),
    ] {
        let heard = hear(text.as_bytes());
        assert_eq!(heard.codes(), Vec::<&str>::new());
        assert_eq!(heard.urls(), ["http://a.test/1", "http://a.test/2"]);
        assert_found_again(Format::Har, text.as_bytes(), &heard);
    }
    assert_eq!(hear(b"{\"log\":{}}").codes(), ["har/no-entries"]);
    assert_eq!(
        hear(b"{\"log\":{\"entries\":[]}}").codes(),
        Vec::<&str>::new()
    );
    // What is broken costs no more than the entry that it is in.
    let broken = one.replacen("\"time\"", "time", 1);
    let text = format!("[{broken},{two}]");
    let heard = hear(text.as_bytes());
    assert!(heard.codes().iter().all(|code| *code == "har/bad-json"));
    assert_eq!(heard.urls().last(), Some(&"http://a.test/2"));
    assert_found_again(Format::Har, text.as_bytes(), &heard);
    let deep = text.replace("time", &format!("\"x\":{}", "[".repeat(100_000)));
    assert_eq!(
        hear(deep.as_bytes()).urls().last(),
        Some(&"http://a.test/2")
    );
}
