//! Capture indexes read as archives: what each row tells, damage, blocks, every split, cut and flipped byte.

mod support;

use std::fs;

use serde_json::Value;
use stackroom::archive::{
    Elsewhere, Format, HttpHead, Record, Sink, WarcHead, detect, parser, parser_at,
};
use stackroom::error::Damage;
use support::{corpus, gzip, read_all};

/// What was told, as text.
#[derive(Default)]
struct Told {
    lines: Vec<String>,
    rows: Vec<(Record, Vec<u8>)>,
    elsewhere: Vec<Option<Elsewhere>>,
    damages: Vec<Damage>,
    opened: Vec<&'static str>,
    raw: Vec<u8>,
}

impl Sink for Told {
    fn begin(&mut self, head: &WarcHead) {
        let text = |name| {
            head.get(name)
                .map(|value| String::from_utf8_lossy(&value).into_owned())
        };
        let [kind, uri, date] = ["WARC-Type", "WARC-Target-URI", "WARC-Date"].map(text);
        self.lines.push(format!(
            "{kind:?} {uri:?} {date:?} {:?}",
            text("WARC-Payload-Digest")
        ));
        self.elsewhere.push(Elsewhere::of(head));
        self.raw = head.raw.clone();
    }
    fn http(&mut self, head: &HttpHead) {
        self.lines
            .push(String::from_utf8_lossy(&head.raw).into_owned());
    }
    fn body(&mut self, _bytes: &[u8]) {}
    fn end(&mut self, record: &Record) {
        self.lines.push(format!("{record:?}"));
        self.rows
            .push((record.clone(), std::mem::take(&mut self.raw)));
    }
    fn damage(&mut self, damage: Damage) {
        self.lines.push(format!("{damage:?}"));
        self.damages.push(damage);
    }
    fn wants_elsewhere(&self, file: &[u8]) -> bool {
        !self.opened.iter().any(|opened| file == opened.as_bytes())
    }
}

fn read(bytes: &[u8], format: Format, window: usize) -> Told {
    let mut told = Told::default();
    let mut parser = parser(format, Some(bytes.len() as u64));
    read_all(parser.as_mut(), bytes, window, &mut told);
    told
}

fn codes(told: &Told) -> Vec<&'static str> {
    told.damages.iter().map(|damage| damage.code).collect()
}

const PLAIN: &str = " CDX N b a m s k r M S V g
com,example)/ 20140103030321 http://example.com/ text/html 200 B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A - - 1043 333 example.warc.gz
com,example)/ 20140103030341 http://example.com/ warc/revisit - B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A - - 553 1864 example.warc.gz
com,example)/x 20141303030341 http://example.com/x text/html 404 - - - 553 2864 other.warc.gz
this is no row
dns:example.com 20140103030341 dns:example.com text/dns - - - - 99 1 example.warc.gz
";

const JSON: &str = r#"!meta {"generator": "test"}
com,example)/ 20140103030321 {"url": "http://example.com/", "mime": "text/html", "status": "200", "digest": "sha1:AAAA", "length": "1043", "offset": "333", "filename": "example.warc.gz"}
com,example,a)/p?q 20140103030341 {"locator": "urn:ipfs/x", "mime_type": "text/html", "status_code": "302"}
com,example)/bad 20140103030341 {"url": 
com,example)/z 20150103030341 {"url": "http:\/\/example.com\/z\r\nX: y", "offset": 7, "filename": "a.warc"}
"#;

#[test]
fn a_row_is_a_record_whose_bytes_are_elsewhere() {
    assert_eq!(detect(PLAIN.as_bytes()), Ok(Format::Cdx));
    let told = read(PLAIN.as_bytes(), Format::Cdx, usize::MAX >> 1);
    assert_eq!(told.rows.len(), 4);
    assert_eq!(codes(&told), ["cdx/bad-date", "cdx/bad-line"]);
    assert_eq!(told.damages[1].skipped, 15);
    assert!(
        told.lines[0].starts_with(
            r#"Some("response") Some("http://example.com/") Some("2014-01-03T03:03:21Z") Some("sha1:B2LT"#
        ),
        "{}",
        told.lines[0]
    );
    assert_eq!(
        told.lines[1],
        "HTTP/1.1 200\r\nContent-Type: text/html\r\n\r\n"
    );
    assert_eq!(
        told.elsewhere[1],
        Some(Elsewhere {
            file: b"example.warc.gz".to_vec(),
            offset: 1864,
            length: Some(553)
        })
    );
    for (record, raw) in &told.rows {
        let at = usize::try_from(record.offset).expect("offset");
        assert!(PLAIN.as_bytes()[at..].starts_with(raw));
        assert_eq!(record.length, raw.len() as u64 + 1);
    }
}

#[test]
fn json_rows_of_several_writers_are_read() {
    assert_eq!(detect(JSON.as_bytes()), Ok(Format::Cdx));
    let told = read(JSON.as_bytes(), Format::Cdx, usize::MAX >> 1);
    assert_eq!(codes(&told), ["cdx/bad-line"]);
    assert_eq!(told.rows.len(), 3);
    assert!(
        told.lines[3].contains("http://a.example.com/p?q"),
        "{}",
        told.lines[3]
    );
    assert_eq!(told.elsewhere[1], None);
    // What a text says cannot become a header of its own.
    let last = told
        .lines
        .iter()
        .find(|line| line.contains("2015-"))
        .expect("row");
    assert!(last.contains("http://example.com/z  X: y"), "{last}");
}

#[test]
fn rows_of_an_archive_that_is_open_too_are_passed_over() {
    let mut told = Told {
        opened: vec!["example.warc.gz"],
        ..Told::default()
    };
    let mut parser = parser(Format::Cdx, None);
    read_all(parser.as_mut(), PLAIN.as_bytes(), 64, &mut told);
    assert_eq!(told.rows.len(), 1);
}

/// Blocks whose last line has no newline, and a file that was cut into members anywhere.
#[test]
fn lines_are_whole_however_the_members_end() {
    let lines: Vec<&str> = PLAIN.lines().collect();
    let whole = read(PLAIN.as_bytes(), Format::Cdx, 1000);
    let texts = |told: &Told| {
        told.rows
            .iter()
            .map(|(_, raw)| raw.clone())
            .collect::<Vec<_>>()
    };
    let blocks = [
        gzip(lines[0].as_bytes()),
        gzip(lines[1..3].join("\n").as_bytes()),
        gzip(lines[3..].join("\n").as_bytes()),
    ]
    .concat();
    assert_eq!(detect(&blocks), Ok(Format::CdxGz));
    let told = read(&blocks, Format::CdxGz, 50);
    assert_eq!((texts(&told), codes(&told)), (texts(&whole), codes(&whole)));
    for cut in 0..=PLAIN.len() {
        let members = [
            gzip(&PLAIN.as_bytes()[..cut]),
            gzip(&PLAIN.as_bytes()[cut..]),
        ]
        .concat();
        let told = read(&members, Format::CdxGz, 1000);
        assert_eq!(
            (texts(&told), codes(&told)),
            (texts(&whole), codes(&whole)),
            "members cut at {cut}"
        );
    }
}

#[test]
fn one_row_is_found_again_at_its_place() {
    let header = "\tCDX\tA\tb\ta\tm\ts\tV\tg\n";
    let odd: String = (0..50)
        .map(|n| {
            format!("a.test/{n}\t20200101000000\thttp://a.test/{n}\ttext/html\t200\t{n}\tx.warc\n")
        })
        .collect();
    let text = [header, &odd].concat();
    let blocks: Vec<u8> = text.as_bytes().chunks(700).flat_map(gzip).collect();
    for (bytes, format) in [
        (text.as_bytes(), Format::Cdx),
        (&gzip(text.as_bytes()), Format::CdxGz),
        (&blocks, Format::CdxGz),
    ] {
        let whole = read(bytes, format, 1 << 20);
        assert_eq!(whole.rows.len(), 50);
        for (record, raw) in &whole.rows {
            for window in [1, 64, 1 << 20] {
                let mut told = Told::default();
                let mut parser = parser_at(format, record.offset, record.skip);
                read_all(parser.as_mut(), bytes, window, &mut told);
                let (again, text) = told.rows.first().expect("a row");
                assert_eq!((again, text), (record, raw));
            }
        }
    }
}

#[test]
fn after_a_damaged_block_the_next_one_is_read() {
    let row = |n: u32| format!("a,b)/{n} 20200101000000 http://b.a/{n} text/html 200 ABC 7\n");
    let block = |from: u32| gzip((from..from + 20).map(row).collect::<String>().as_bytes());
    let mut file = [block(0), block(20), block(40)].concat();
    let damaged = block(0).len() + block(20).len() / 2;
    file[damaged..damaged + 8].fill(0xff);
    let told = read(&file, Format::CdxGz, 1 << 20);
    assert!(
        codes(&told).contains(&"gzip/bad-data") || codes(&told).contains(&"gzip/bad-checksum"),
        "{:?}",
        told.damages
    );
    let last = &told.rows.last().expect("rows").1;
    assert!(last.starts_with(b"a,b)/59 "), "{last:?}");
    assert!(told.rows.len() >= 40);
}

/// Small files of every kind.
fn small() -> Vec<(Vec<u8>, Format)> {
    let blocks = [
        gzip(&PLAIN.as_bytes()[..220]),
        gzip(PLAIN[220..].trim_end().as_bytes()),
        gzip(JSON.as_bytes()),
    ]
    .concat();
    vec![
        (PLAIN.as_bytes().to_vec(), Format::Cdx),
        (JSON.as_bytes().to_vec(), Format::Cdx),
        (blocks, Format::CdxGz),
    ]
}

#[test]
fn what_is_told_does_not_depend_on_how_the_file_is_cut() {
    for (bytes, format) in small() {
        let whole = read(&bytes, format, usize::MAX >> 1).lines;
        for window in [1, 2, 3, 7, 64] {
            assert_eq!(
                read(&bytes, format, window).lines,
                whole,
                "in pieces of {window}"
            );
        }
        for cut in 0..=bytes.len() {
            let mut told = Told::default();
            let mut parser = parser(format, None);
            let mut fed = 0;
            // The first piece ends at `cut`; then everything.
            while let Ok(at) = usize::try_from(parser.wanted())
                && at < bytes.len()
            {
                let end = if at < cut { cut } else { bytes.len() };
                parser.feed(&bytes[at..end], &mut told);
                fed += 1;
                assert!(fed < 1000);
            }
            parser.finish(bytes.len() as u64, &mut told);
            assert_eq!(told.lines, whole, "split at {cut}");
        }
    }
}

#[test]
fn every_cut_and_every_flipped_byte_ends_in_a_report() {
    for (bytes, format) in small() {
        let whole = read(&bytes, format, 1 << 20).rows.len();
        for cut in 0..bytes.len() {
            assert!(read(&bytes[..cut], format, 64).rows.len() <= whole);
        }
        for at in 0..bytes.len() {
            for mask in [0x01, 0x20, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] ^= mask;
                let _ = detect(&damaged);
                let told = read(&damaged, format, 1 << 20);
                assert!(told.rows.len() <= whole + 1, "byte {at}");
            }
        }
    }
}

#[test]
fn a_line_without_end_and_a_bomb_end_in_a_report() {
    let long = [
        b"a,b)/ 20200101000000 http://".as_slice(),
        &vec![b'x'; 5 << 20],
        b"\n",
    ]
    .concat();
    let told = read(&long, Format::Cdx, 1 << 16);
    assert_eq!(codes(&told), ["cdx/bad-line"]);
    let bomb = gzip(&vec![b'x'; 64 << 20]);
    let told = read(&bomb, Format::CdxGz, 1 << 16);
    assert_eq!(codes(&told), ["cdx/bad-line"]);
}

/// Independent counts of lines, of every index in the corpus.
#[test]
fn every_index_of_the_corpus_gives_its_rows() {
    let Some(corpus) = corpus() else { return };
    let mut compared = 0;
    for entry in fs::read_dir(corpus.join("golden/other"))
        .expect("golden")
        .flatten()
    {
        let name = entry.file_name().to_string_lossy().into_owned();
        let golden: Value =
            serde_json::from_str(&fs::read_to_string(entry.path()).expect("golden")).expect("JSON");
        if golden["kind"] != "cdx" {
            continue;
        }
        let path = name.trim_end_matches(".json").replacen("__", "/", 1);
        let bytes = fs::read(corpus.join("files").join(&path)).expect("file");
        let format = detect(&bytes).unwrap_or_else(|error| panic!("{path}: {error}"));
        let told = read(&bytes, format, 1 << 16);
        // Reading the blocks as one text loses the lines at which they meet.
        let expected = if name.contains("zipnum-sample") {
            188
        } else {
            golden["lines"].as_u64().expect("lines")
        };
        assert_eq!(
            told.rows.len() as u64,
            expected,
            "{path}: {:?}",
            told.damages
        );
        let first = String::from_utf8_lossy(&told.rows[0].1).into_owned();
        assert_eq!(golden["first"][0], first, "{path}");
        let bad_dates = if name.contains("bad_timestamp") { 2 } else { 0 };
        assert_eq!(told.damages.len(), bad_dates, "{path}: {:?}", told.damages);
        println!("{path}: {} rows", told.rows.len());
        compared += 1;
    }
    assert!(compared >= 18, "only {compared} files");
}
