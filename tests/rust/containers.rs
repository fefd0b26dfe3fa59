//! Files that hold files: members of ZIP, WACZ and TAR files against golden answers, from sources that can seek
//! and from those that cannot, and what packages say of themselves.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use stackroom::archive::{
    Answer, Aside, Check, HttpHead, Part, Proof, Record, Sink, Verdict, WarcHead, detect, parser,
};
use stackroom::error::Damage;
use stackroom::inspect::Inspector;
use stackroom::teller::Teller;
use support::fixtures::{Case, fixtures};
use support::{corpus, inspect, is_deep, read_all};

/// Hears all: lines of the records, and what is told beside them.
#[derive(Default)]
struct Heard {
    inspector: Inspector,
    asides: Vec<Aside>,
}

impl Sink for Heard {
    fn begin(&mut self, head: &WarcHead) {
        self.inspector.begin(head);
    }
    fn http(&mut self, head: &HttpHead) {
        self.inspector.http(head);
    }
    fn body(&mut self, bytes: &[u8]) {
        self.inspector.body(bytes);
    }
    fn end(&mut self, record: &Record) {
        self.inspector.end(record);
    }
    fn abandon(&mut self) {
        self.inspector.abandon();
    }
    fn damage(&mut self, damage: Damage) {
        self.inspector.damage(damage);
    }
    fn part(&mut self, part: &Part) {
        self.inspector.part(part);
    }
    fn aside(&mut self, aside: Aside) {
        self.asides.push(aside);
    }
    fn wants_proof(&self) -> bool {
        true
    }
}

/// Lines and asides of a file, or nothing where it is refused.
fn hear(bytes: &[u8], window: usize, can_seek: bool) -> Option<(Vec<Value>, Vec<Aside>)> {
    let format = detect(&bytes[..bytes.len().min(64 << 10)]).ok()?;
    let size = can_seek.then_some(bytes.len() as u64);
    let mut reader = parser(format, size);
    if !can_seek {
        reader.forbid_seek();
    }
    let mut heard = Heard::default();
    if can_seek {
        read_all(reader.as_mut(), bytes, window, &mut heard);
    } else {
        for piece in bytes.chunks(window) {
            let mut at = 0;
            for _ in 0..1000 + 20 * piece.len() {
                let before = reader.wanted();
                at += reader.feed(&piece[at..], &mut heard);
                assert!(reader.wanted() >= before, "it went back");
                if at == piece.len() {
                    break;
                }
            }
            assert_eq!(at, piece.len(), "it does not go on");
        }
        let mut is_done = false;
        for _ in 0..1000 {
            is_done = is_done || reader.finish(bytes.len() as u64, &mut heard);
        }
        assert!(is_done, "it does not end");
    }
    let text = heard.inspector.take();
    let lines = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("a JSON line"));
    Some((lines.collect(), heard.asides))
}

fn is_record(line: &Value) -> bool {
    line.get("type").is_some()
}

fn json_file(path: &Path) -> Value {
    let text = fs::read_to_string(path).expect("golden answer");
    serde_json::from_str(&text).expect("JSON")
}

/// Golden answers whose file name fits, with the file that they are about.
fn golden(folder: PathBuf, fits: fn(&str) -> bool) -> Vec<(String, PathBuf)> {
    let mut found: Vec<_> = fs::read_dir(folder)
        .expect("golden answers")
        .flatten()
        .map(|entry| {
            (
                entry.file_name().to_string_lossy().into_owned(),
                entry.path(),
            )
        })
        .filter(|(name, _)| fits(name))
        .collect();
    found.sort();
    found
}

/// A name without its folders, in each file that it goes through.
fn without_folders(name: &str) -> String {
    let steps = name.split('!');
    let last = |step: &str| step.rsplit('/').next().unwrap_or_default().to_owned();
    steps.map(last).collect::<Vec<_>>().join("!")
}

fn comparable(record: &Value, field: &str) -> Option<String> {
    let value = record.get(field)?;
    let text = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned);
    let text = match field {
        "mime" => text
            .split(';')
            .next()
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase(),
        "date" => text.chars().take(19).collect(),
        "uri" => text.replace("%20", " "),
        _ => text,
    };
    (!text.is_empty()).then_some(text)
}

#[test]
fn members_agree_with_the_readers_of_plain_files() {
    let Some(corpus) = corpus() else { return };
    let mut count = 0;
    for (name, path) in golden(corpus.join("golden"), |name| name.contains('!')) {
        let (origin, rest) = name.split_once("__").expect("an origin");
        let place = rest.strip_suffix(".jsonl").expect("lines");
        let (file, member) = place.split_once('!').expect("a member");
        let bytes = fs::read(corpus.join("files").join(origin).join(file)).expect("corpus file");
        let lines = inspect(&bytes).expect("an archive");
        let is_of_member = |line: &&Value| {
            let file = line.get("file").and_then(Value::as_str).unwrap_or_default();
            is_record(line) && without_folders(file) == format!("file!{member}")
        };
        let ours: Vec<_> = lines.iter().filter(is_of_member).collect();
        let text = fs::read_to_string(&path).expect("golden answer");
        let golden: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        assert_eq!(ours.len(), golden.len() - 1, "{name}");
        let is_agreed = golden[0]["agree"] == Value::Bool(true);
        for (ours, golden) in ours.iter().zip(&golden[1..]) {
            for field in [
                "offset",
                "length",
                "type",
                "uri",
                "date",
                "status",
                "raw_len",
                "raw_sha1",
                "body_sha1",
                "payload_digest",
            ] {
                let (one, other) = (comparable(golden, field), comparable(ours, field));
                let is_known = is_agreed || ["offset", "type"].contains(&field);
                assert!(
                    one == other || !is_known,
                    "{name} {field}: golden {one:?}, ours {other:?}"
                );
            }
        }
        println!("{name}: {} records, readers agree: {is_agreed}", ours.len());
        count += 1;
    }
    assert!(count >= 12, "only {count} members");
}

#[test]
fn packages_tell_what_golden_answers_say() {
    let Some(corpus) = corpus() else { return };
    let is_package = |name: &str| name.ends_with(".wacz.json") || name.ends_with(".zip.json");
    let mut count = 0;
    for (name, path) in golden(corpus.join("golden/other"), is_package) {
        let (origin, rest) = name.split_once("__").expect("an origin");
        let file = corpus
            .join("files")
            .join(origin)
            .join(rest.trim_end_matches(".json"));
        let bytes = fs::read(file).expect("corpus file");
        for can_seek in [true, false] {
            let (_, asides) = hear(&bytes, 64 << 10, can_seek).expect("a package");
            compare_package(&name, &json_file(&path), &asides);
        }
        count += 1;
    }
    println!("{count} packages compared");
    assert!(count >= 10, "only {count} packages");
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn compare_package(name: &str, golden: &Value, asides: &[Aside]) {
    // What lies in packages within the package is told too, under longer names.
    let is_own = |name: &[u8]| !name.contains(&b'!');
    let mut entries = BTreeMap::new();
    let mut resources = BTreeMap::new();
    let mut pages = Vec::new();
    let (mut rows, mut signature) = (0, None);
    for aside in asides {
        match aside {
            Aside::Entry(entry) if is_own(&entry.name) => {
                let crc = entry.crc.map(|crc| format!("{crc:08x}"));
                let told = json!({"size": entry.bytes, "method": entry.method, "data_crc": crc});
                entries.insert(text(&entry.name), told);
            }
            Aside::Resource(resource) if is_own(&resource.name) => {
                resources.insert(text(&resource.name), resource);
            }
            Aside::Page(page) if page.name.ends_with(b".jsonl") && is_own(&page.name) => {
                let optional = |bytes: &Option<Vec<u8>>| bytes.as_ref().map(|bytes| text(bytes));
                let length = optional(&page.text).map_or(0, |text| text.chars().count());
                pages.push(json!({"file": text(&page.name), "url": text(&page.url), "ts": optional(&page.date),
                    "title": optional(&page.title), "text_len": length}));
            }
            Aside::Index(index) if is_own(&index.name) && !index.name.ends_with(b".idx") => {
                rows += index.rows
            }
            Aside::Signature(told) if is_own(&told.name) => signature = Some(told),
            _ => {}
        }
    }
    for entry in golden["entries"].as_array().expect("entries") {
        let told = &entries[entry["name"].as_str().expect("a name")];
        for field in ["size", "method", "data_crc"] {
            // Folders of a file that is read forwards are known by their headers alone.
            assert_eq!(
                told[field], entry[field],
                "{name}: {field} of {}",
                entry["name"]
            );
        }
    }
    assert_eq!(
        entries.len(),
        golden["entries"].as_array().map_or(0, Vec::len),
        "{name}: entries"
    );
    for resource in golden["resources"].as_array().into_iter().flatten() {
        let told = resources[resource["path"].as_str().expect("a path")];
        assert_eq!(
            resource["present"],
            json!(told.verdict != Verdict::Missing),
            "{name}"
        );
        if let Some(holds) = resource["hash_ok"].as_bool() {
            assert_eq!(
                holds,
                told.verdict == Verdict::Holds,
                "{name}: {}",
                resource["path"]
            );
        }
        if let Some(bytes) = resource["bytes"].as_u64() {
            assert_eq!(told.bytes, Some(bytes), "{name}");
        }
    }
    assert_eq!(
        resources.len(),
        golden["resources"].as_array().map_or(0, Vec::len),
        "{name}: resources"
    );
    assert_eq!(Value::Array(pages), golden["pages"], "{name}: pages");
    assert_eq!(json!(rows), golden["cdx_lines"], "{name}: rows of indexes");
    if let Some(is_right) = golden["digest_ok"].as_bool() {
        let signature = signature.expect("a digest");
        assert_eq!(
            signature.digest == Verdict::Holds,
            is_right,
            "{name}: digest"
        );
        assert_eq!(
            json!(signature.is_signed),
            golden["signed"],
            "{name}: signed"
        );
    }
}

/// What is the same however a file is read.
fn records(lines: &[Value]) -> Vec<String> {
    let mut records: Vec<_> = lines
        .iter()
        .filter(|line| is_record(line))
        .map(Value::to_string)
        .collect();
    records.sort();
    records
}

#[test]
fn sources_that_only_go_forward_give_the_same_records() {
    let Some(corpus) = corpus() else { return };
    let mut count = 0;
    for (name, _) in golden(corpus.join("golden/other"), |name| {
        name.ends_with(".wacz.json") || name.ends_with(".zip.json")
    }) {
        let (origin, rest) = name.split_once("__").expect("an origin");
        let file = corpus
            .join("files")
            .join(origin)
            .join(rest.trim_end_matches(".json"));
        let bytes = fs::read(file).expect("corpus file");
        let (seeking, _) = hear(&bytes, 1 << 20, true).expect("a package");
        for window in [777, 64 << 10] {
            let (forward, _) = hear(&bytes, window, false).expect("a package");
            assert_eq!(records(&forward), records(&seeking), "{name}");
        }
        count += records(&seeking).len();
    }
    assert!(count > 500, "only {count} records");
}

fn containers() -> impl Iterator<Item = &'static Case> {
    let is_short = |case: &&Case| case.bytes.len() < 20_000;
    fixtures()
        .iter()
        .filter(|case| case.name.starts_with("containers/"))
        .filter(is_short)
}

#[test]
fn fixtures_read_forward_are_told_the_same_however_they_are_cut() {
    for case in containers() {
        let whole = hear(&case.bytes, usize::MAX, false);
        let windows: &[usize] = if is_deep() {
            &[1, 2, 3, 5, 31, 509]
        } else {
            &[1, 509]
        };
        for &window in windows {
            assert_eq!(
                hear(&case.bytes, window, false),
                whole,
                "{} in pieces of {window}",
                case.name
            );
        }
        if case.facts["damage"] == json!([])
            && let (Some((forward, _)), Some((seeking, _))) =
                (&whole, hear(&case.bytes, usize::MAX >> 1, true))
        {
            assert_eq!(records(forward), records(&seeking), "{}", case.name);
            let damage: Vec<_> = forward.iter().filter(|line| !is_record(line)).collect();
            assert!(damage.is_empty(), "{}: {damage:?}", case.name);
        }
    }
}

#[test]
fn fixtures_read_forward_survive_every_cut() {
    for case in containers() {
        let step = if is_deep() {
            1
        } else {
            1 + case.bytes.len() / 20
        };
        for length in (0..case.bytes.len()).step_by(step) {
            hear(&case.bytes[..length], 600, false);
        }
    }
}

/// A ZIP file of that many members, each of which holds the two bytes of `hi`.
fn crowd(members: u32) -> Vec<u8> {
    let (mut file, mut directory) = (Vec::new(), Vec::new());
    let crc = 0xd893_2aacu32.to_le_bytes();
    let sizes = [2u32.to_le_bytes(), 2u32.to_le_bytes()].concat();
    for number in 0..members {
        let name = format!("{number:07}");
        let offset = u32::try_from(file.len()).expect("a short file");
        let middle = [
            &[20, 0, 0, 0, 0, 0, 0, 0, 0, 0][..],
            &crc,
            &sizes,
            &[7, 0, 0, 0],
        ]
        .concat();
        file.extend([b"PK\x03\x04", &middle[..], name.as_bytes(), b"hi"].concat());
        let tail = [&[0; 10][..], &offset.to_le_bytes()].concat();
        directory.extend([b"PK\x01\x02\x14\0", &middle[..], &tail, name.as_bytes()].concat());
    }
    let at = file.len() as u64;
    let end = at + directory.len() as u64;
    let count = u64::from(members).to_le_bytes();
    let length = (directory.len() as u64).to_le_bytes();
    file.extend(directory);
    file.extend(
        [
            b"PK\x06\x06",
            &44u64.to_le_bytes()[..],
            &[45, 0, 45, 0],
            &[0; 8],
            &count,
            &count,
            &length,
            &at.to_le_bytes(),
        ]
        .concat(),
    );
    file.extend(
        [
            b"PK\x06\x07",
            &[0; 4][..],
            &end.to_le_bytes(),
            &[1, 0, 0, 0],
        ]
        .concat(),
    );
    file.extend([b"PK\x05\x06", &[0xff; 16][..], &[0, 0]].concat());
    file
}

/// A TAR file of members, in this order.
fn tar(members: &[(String, String)]) -> Vec<u8> {
    let mut file = Vec::new();
    for (name, content) in members {
        let mut header = [0; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[100..108].copy_from_slice(b"0000644\0");
        header[124..136].copy_from_slice(format!("{:011o}\0", content.len()).as_bytes());
        header[156] = b'0';
        header[257..265].copy_from_slice(b"ustar\x0000");
        header[148..156].fill(b' ');
        let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        file.extend(header);
        file.extend(content.as_bytes());
        file.resize(file.len().next_multiple_of(512), 0);
    }
    file.resize(file.len() + 1024, 0);
    file
}

#[test]
fn members_before_their_manifest_are_compared_by_whatever_hash_it_states() {
    let hashes = [
        ("md5", "764efa883dda1e11db47671c4a3bbd9e"),
        ("sha1", "55ca6286e3e4f4fba5d0448333fa99fc5a404a73"),
        (
            "sha256",
            "98ea6e4f216f2fb4b69fff9b3a44842c38686ca685f3f55dc48c5d3fb1107be4",
        ),
        (
            "sha512",
            "d78abb0542736865f94704521609c230dac03a2f369d043ac212d6933b91410e06399e37f9c5cc88436a31737330c1c8eccb2c2f9f374d62f716432a32d50fac",
        ),
    ];
    let member = |name: &str| (format!("files/{name}"), "hi\n".to_string());
    let resource = |name: &str, algorithm: &str, hash: &str| {
        format!(
            r#"{{"name":"{name}","path":"files/{name}","hash":"{algorithm}:{hash}","bytes":3}}"#
        )
    };
    let mut members: Vec<_> = hashes.iter().map(|(name, _)| member(name)).collect();
    members.push(member("other"));
    let mut resources: Vec<_> = hashes
        .iter()
        .map(|(name, hash)| resource(name, name, hash))
        .collect();
    resources.push(resource("other", "md5", &"0".repeat(32)));
    let manifest = format!(
        r#"{{"profile":"data-package","wacz_version":"1.1.1","resources":[{}]}}"#,
        resources.join(",")
    );
    members.push(("datapackage.json".to_string(), manifest));
    let (_, asides) = hear(&tar(&members), 1 << 16, false).expect("an archive");
    let verdicts: Vec<_> = asides
        .iter()
        .filter_map(|aside| match aside {
            Aside::Resource(resource) => Some(resource.verdict),
            _ => None,
        })
        .collect();
    let mut expected = vec![Verdict::Holds; hashes.len()];
    expected.push(Verdict::Differs);
    assert_eq!(verdicts, expected);
}

/// Counts only, as memory is what this is about.
#[derive(Default)]
struct Counts {
    entries: u64,
    damages: Vec<Damage>,
}

impl Sink for Counts {
    fn begin(&mut self, _head: &WarcHead) {}
    fn http(&mut self, _head: &HttpHead) {}
    fn body(&mut self, _bytes: &[u8]) {}
    fn end(&mut self, _record: &Record) {}
    fn damage(&mut self, damage: Damage) {
        self.damages.push(damage);
    }
    fn aside(&mut self, aside: Aside) {
        self.entries += u64::from(matches!(aside, Aside::Entry(_)));
    }
}

#[test]
fn directories_of_many_members_are_read_a_piece_at_a_time() {
    let members = if is_deep() { 1_000_000 } else { 20_000 };
    let file = crowd(members);
    let format = detect(&file[..64 << 10]).expect("a ZIP file");
    let mut reader = parser(format, Some(file.len() as u64));
    let mut counts = Counts::default();
    read_all(reader.as_mut(), &file, 64 << 10, &mut counts);
    assert_eq!(counts.entries, u64::from(members));
    assert_eq!(counts.damages, []);
}

/// The arithmetic is the host's (tests/web/signatures.test.ts); what is asked of it, and what is said of its answers,
/// is shown here.
#[test]
fn signatures_of_real_packages_are_put_to_the_host_and_told_in_words() {
    let Some(corpus) = corpus() else { return };
    let proof = |file: &str| {
        let bytes = fs::read(corpus.join("files").join(file)).expect("corpus file");
        let (_, asides) = hear(&bytes, 64 << 10, true).expect("a package");
        let signature = asides.into_iter().find_map(|aside| match aside {
            Aside::Signature(signature) => Some(signature),
            _ => None,
        });
        let signature = signature.expect("a digest");
        assert_eq!(signature.is_valid, None, "{file}");
        Proof::new(&signature.signed, signature.digest).expect("a signature")
    };
    for file in [
        "replayweb.page/example.wacz",
        "replayweb.page/iframetest.wacz",
    ] {
        let proof = proof(file);
        let algorithms: Vec<String> = proof.checks().iter().map(Check::algorithm).collect();
        assert_eq!(
            algorithms,
            [r#"{"name":"ECDSA","namedCurve":"P-384","hash":"SHA-256"}"#],
            "{file}"
        );
        assert_eq!(proof.checks()[0].signature.len(), 96);
        let told = proof.told(&[Answer::Fits]);
        println!("{file}: {}", told.words.join(" "));
        assert_eq!(told.is_valid, Some(true));
        assert!(told.words.concat().contains("is not proven"));
        for (answer, is_valid) in [
            (Answer::Differs, Some(false)),
            (Answer::Unknown, None),
            (Answer::Forbidden, None),
        ] {
            let told = proof.told(&[answer]);
            assert_eq!(told.is_valid, is_valid);
            assert!(!told.words.concat().contains("The signature fits"));
        }
        assert_eq!(proof.told(&[]).is_valid, None);
    }
    let file = "py-wacz/valid_signed_example_1.wacz";
    let proof = proof(file);
    let count = proof.checks().len();
    let told = proof.told(&vec![Answer::Fits; count]);
    println!("{file}: {count} checks: {}", told.words.join(" "));
    assert_eq!(told.is_valid, Some(true), "{:?}", told.words);
    assert_eq!(told.stamped.as_deref(), Some(&b"2022-01-18T19:00:12Z"[..]));
    assert!(told.words.concat().contains("is not checked"));
    // Each of them counts.
    for at in 0..count {
        let mut answers = vec![Answer::Fits; count];
        answers[at] = Answer::Differs;
        assert_eq!(proof.told(&answers).is_valid, Some(false), "check {at}");
        answers[at] = Answer::Forbidden;
        assert_eq!(proof.told(&answers).is_valid, None, "check {at}");
    }
}
