//! What `check` finds in archives that are wrong in one way each, and in all of the corpus.

mod support;

use std::fs;

use serde_json::Value;
use stackroom::archive::{detect, parser};
use stackroom::check::Checker;
use stackroom::teller::Teller;
use support::{corpus, gzip};

/// The lines of `check` for a file that is fed in pieces.
fn check(bytes: &[u8], window: usize) -> Vec<Value> {
    let format = detect(&bytes[..bytes.len().min(64 << 10)]).expect("an archive");
    let mut reader = parser(format, Some(bytes.len() as u64));
    let mut checker = Checker::new();
    let mut text = String::new();
    for _ in 0..100_000_000u64 {
        let at = usize::try_from(reader.wanted()).expect("offset");
        let at = at.min(bytes.len());
        let piece = &bytes[at..bytes.len().min(at.saturating_add(window))];
        text.push_str(&checker.take());
        if !piece.is_empty() {
            reader.feed(piece, &mut checker);
            continue;
        }
        if reader.finish(bytes.len() as u64, &mut checker) {
            checker.conclude();
            text.push_str(&checker.take());
            return text
                .lines()
                .map(|line| serde_json::from_str(line).expect("a JSON line"))
                .collect();
        }
    }
    panic!("checking does not end");
}

fn codes(lines: &[Value]) -> Vec<&str> {
    let problems = lines.iter().filter_map(|line| line["problem"].as_str());
    problems.collect()
}

/// A response that states all that it should.
fn response(number: u8) -> String {
    format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:0000000{number}>\r\n\
         WARC-Date: 2024-05-06T07:08:09Z\r\nWARC-Target-URI: http://a.test/{number}\r\n\
         Content-Type: application/http; msgtype=response\r\n\
         WARC-Payload-Digest: sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N\r\n\
         WARC-Block-Digest: md5:{BLOCK_MD5}\r\nContent-Length: 43\r\n\r\n\
         HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello\r\n\r\n"
    )
}

const BLOCK_MD5: &str = "5225bb8384bb879d6c8b81c6d63f2140";

/// A payload of three segments, the first of which states the digest of all.
fn segmented(digest: &str) -> [String; 3] {
    let segment = |kind: &str, number: u8, fields: &str, block: &str| {
        format!(
            "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:s{number}>\r\n\
             WARC-Date: 2024-05-06T07:08:09Z\r\nWARC-Target-URI: http://a.test/long\r\n\
             WARC-Segment-Number: {number}\r\n{fields}Content-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        )
    };
    let origin = "WARC-Segment-Origin-ID: <urn:uuid:s1>\r\n";
    let first = format!(
        "Content-Type: application/http; msgtype=response\r\nWARC-Payload-Digest: {digest}\r\n"
    );
    let last = format!("{origin}WARC-Segment-Total-Length: 24\r\n");
    [
        segment("response", 1, &first, "HTTP/1.1 200 OK\r\n\r\nhe"),
        segment("continuation", 2, origin, "ll"),
        segment("continuation", 3, &last, "o"),
    ]
}

#[test]
fn the_digest_of_a_payload_in_segments_is_compared_with_all_of_them() {
    let right = "sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N";
    let wrong = "sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2M";
    for pack in [
        |text: &str| text.as_bytes().to_vec(),
        |text: &str| gzip(text.as_bytes()),
    ] {
        let lines = |parts: &[&str]| {
            let bytes: Vec<u8> = parts.iter().flat_map(|part| pack(part)).collect();
            let lines = check(&bytes, 7);
            assert_eq!(check(&bytes, usize::MAX >> 1), lines);
            lines
        };
        let [one, two, three] = segmented(right);
        let other = response(7);
        // Other records may lie between.
        let told = lines(&[&one, &other, &two, &three]);
        assert_eq!(codes(&told), [""; 0], "{told:?}");
        assert_eq!(told.last().expect("a sum")["digests"], 3);
        let [first, ..] = segmented(wrong);
        let told = lines(&[&other, &first, &two, &three]);
        assert_eq!(codes(&told), ["digest/differs"], "{told:?}");
        assert_eq!(told[0]["offset"], pack(&other).len());
        assert_eq!(told[0]["uri"], "http://a.test/long");
        // What is not all there cannot be compared.
        for parts in [vec![&first, &three], vec![&first, &two], vec![&two, &three]] {
            let parts: Vec<&str> = parts.iter().map(|part| part.as_str()).collect();
            let told = lines(&parts);
            assert_eq!(codes(&told), [""; 0], "{told:?}");
        }
    }
}

fn sound() -> String {
    response(1) + &response(2)
}

#[test]
fn an_archive_as_it_should_be_has_no_problem() {
    let text = sound();
    for bytes in [text.clone().into_bytes(), gzip(response(1).as_bytes())] {
        for window in [1, 7, 1 << 20] {
            let lines = check(&bytes, window);
            assert_eq!(codes(&lines), [""; 0], "{lines:?}");
            let records = if bytes.len() == text.len() { 2 } else { 1 };
            let summary = serde_json::json!({"checked": true, "records": records, "problems": 0, "digests": 2 * records});
            assert_eq!(lines, [summary]);
        }
    }
}

#[test]
fn digests_of_bytes_in_another_file_are_not_compared() {
    let index = " CDX N b a m s k r M S V g\n\
                 test,a)/ 20240506070809 http://a.test/ text/html 200 \
                 VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N - - 300 0 a.warc.gz\n";
    let lines = check(index.as_bytes(), 1000);
    assert_eq!(codes(&lines), [] as [&str; 0]);
    assert_eq!(
        (&lines[0]["records"], &lines[0]["digests"]),
        (&1.into(), &0.into())
    );
}

#[test]
fn what_is_wrong_with_a_record_is_told_with_its_place() {
    let uuid = "<urn:uuid:00000002>";
    for (from, to, expected) in [
        (
            "hello\r\n\r\nWARC",
            "hallo\r\n\r\nWARC",
            vec!["digest/differs", "digest/differs"],
        ),
        ("sha1:VL", "sha1:V", vec!["digest/unreadable"]),
        ("md5:52", "crc32:52", vec!["digest/unreadable"]),
        ("md5:52", "md5:53", vec!["digest/differs"]),
        ("2024-05-06T07:08:09Z", "yesterday", vec!["warc/bad-date"]),
        (
            "WARC-Date: 2024-05-06T07:08:09Z\r\n",
            "",
            vec!["warc/missing-field"],
        ),
        (
            "WARC-Record-ID: <urn:uuid:00000001>\r\n",
            "",
            vec!["warc/missing-field"],
        ),
        (
            "WARC-Target-URI: http://a.test/1\r\n",
            "",
            vec!["warc/missing-field"],
        ),
        (
            "<urn:uuid:00000001>",
            "urn:uuid:00000001",
            vec!["warc/bad-id"],
        ),
        ("<urn:uuid:00000001>", "<no id>", vec!["warc/bad-id"]),
        ("<urn:uuid:00000001>", uuid, vec!["warc/repeated-id"]),
        ("http://a.test/1", "http://a.test/ 1", vec!["warc/bad-uri"]),
        ("WARC/1.1", "WARC/7.0", vec!["warc/unknown-version"]),
        (
            "WARC-Date: 2024-05-06T07:08:09Z\r\n",
            "WARC-Date: 2024-05-06T07:08:09Z\r\nwarc-date: 2024-05-06T07:08:09Z\r\n",
            vec!["warc/repeated-field"],
        ),
    ] {
        let bytes = sound().replacen(from, to, 1).into_bytes();
        let lines = check(&bytes, 1 << 20);
        assert_eq!(codes(&lines), expected, "{to}: {lines:?}");
        let second = response(1).len() + to.len() - from.len();
        let place = if expected[0] == "warc/repeated-id" {
            second
        } else {
            0
        };
        assert_eq!(lines[0]["offset"], place, "{to}");
        assert_eq!(check(&bytes, 3), lines, "{to} in small pieces");
    }
}

#[test]
fn lengths_and_encodings_of_bodies_are_compared() {
    for (head, body, expected) in [
        ("Content-Length: 9", "hello", vec!["http/length-differs"]),
        (
            "Content-Length: 5\r\nContent-Encoding: gzip",
            "hello",
            vec![],
        ),
        (
            "Content-Length: 9\r\nTransfer-Encoding: chunked",
            "5\r\nhello\r\n0\r\n\r\n",
            vec![],
        ),
        (
            "Transfer-Encoding: chunked",
            "5\r\nhel",
            vec!["http/bad-chunk"],
        ),
        ("Content-Encoding: gzip", "\x1f\u{8}\u{8}broken", vec![]),
    ] {
        let block = format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n{body}");
        let bytes = format!(
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:a:1>\r\nWARC-Date: 2024-05-06T07:08:09Z\r\n\
             WARC-Target-URI: http://a.test/\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        );
        let lines = check(bytes.as_bytes(), 1 << 20);
        assert_eq!(codes(&lines), expected, "{head}: {lines:?}");
    }
}

#[test]
fn damage_and_wrong_lengths_are_among_the_problems() {
    let longer = sound().replacen("Content-Length: 43", "Content-Length: 60", 1);
    let lines = check(longer.as_bytes(), 1 << 20);
    assert!(codes(&lines).contains(&"warc/bad-length"), "{lines:?}");
    let cut = &sound()[..sound().len() - 10];
    let lines = check(cut.as_bytes(), 1 << 20);
    // The digests of what is lost are not called wrong.
    assert_eq!(codes(&lines), ["warc/truncated"], "{lines:?}");
}

#[test]
fn a_file_of_the_corpus_is_checked_to_its_end_however_it_is_cut() {
    let Some(corpus) = corpus() else { return };
    let mut checked = 0;
    for origin in fs::read_dir(corpus.join("files")).expect("files").flatten() {
        let Ok(files) = fs::read_dir(origin.path()) else {
            continue;
        };
        for path in files.flatten().map(|file| file.path()) {
            let bytes = fs::read(&path).expect("file");
            if bytes.len() > 400_000 || detect(&bytes[..bytes.len().min(64 << 10)]).is_err() {
                continue;
            }
            let lines = check(&bytes, 1 << 20);
            let summary = lines.last().expect("a summary");
            assert_eq!(summary["checked"], true, "{}", path.display());
            assert_eq!(summary["problems"], lines.len() - 1, "{}", path.display());
            if bytes.len() < 50_000 {
                assert_eq!(check(&bytes, 11), lines, "{}", path.display());
            }
            println!("{}: {:?} {summary}", path.display(), codes(&lines));
            checked += 1;
        }
    }
    assert!(checked > 60, "{checked} files");
}

/// Sound archives of several writers: what is told of them must be true.
#[test]
fn sound_archives_of_others_have_few_problems() {
    let Some(corpus) = corpus() else { return };
    for file in ["pywb/iana.warc.gz", "ipwb/sample-1.warc.gz"] {
        let bytes = fs::read(corpus.join("files").join(file)).expect("file");
        let lines = check(&bytes, 1 << 20);
        let some = &lines[..lines.len().min(5)];
        assert_eq!(codes(&lines), [""; 0], "{file}: {some:?}");
    }
}
