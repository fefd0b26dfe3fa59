//! The splitter against the serial reading: wherever an archive is cut, however its workers take turns, the
//! table is the same to the byte, and so are damage and counts.
//!
//! `STACKROOM_DEEP=1` cuts at every byte of the small archives; without it at a seeded sample.

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use stackroom::archive::{Container, Format, Part, Reader, detect};
use stackroom::captures::{Captures, Restored};
use stackroom::error::Damage;
use stackroom::range::RangeReader;
use stackroom::split::Splitter;
use support::{corpus, gzip, read_all, record, response, small_archive, stored_rows};

fn is_deep() -> bool {
    std::env::var_os("STACKROOM_DEEP").is_some_and(|value| value == "1")
}

/// What a table says, in a form that can be compared.
#[derive(PartialEq, Eq)]
struct Told {
    rows: Vec<u8>,
    records: usize,
    damage: Vec<Damage>,
    damage_count: u64,
}

impl Told {
    fn by(captures: &Captures) -> Told {
        Told {
            rows: captures.encode(0..captures.len()),
            records: captures.len(),
            damage: captures
                .damage()
                .iter()
                .map(|(_, damage)| damage.clone())
                .collect(),
            damage_count: captures.damage_count(),
        }
    }

    fn serially(bytes: &[u8]) -> Told {
        let mut captures = Captures::new();
        read_all(
            &mut Reader::new(Container::Gzip),
            bytes,
            64 << 10,
            &mut captures,
        );
        Told::by(&captures)
    }
}

/// Numbers that look random and are the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % limit.max(1) as u64).expect("a small number")
    }
}

#[derive(Default, Debug)]
struct Cost {
    wasted: u64,
    joined: u64,
}

/// Reads with some workers that take turns at random, in windows of random size; then once more from some place at which
/// that may have been broken off.
fn split(bytes: &[u8], splitter: Splitter, workers: usize, seed: u64) -> (Told, Cost) {
    let mut random = Random(seed);
    let mut captures = Captures::new();
    captures.begin_file(Part {
        format: Format::WarcGz,
        ..Part::default()
    });
    let mut kept = Kept::by(&captures);
    let mut seen = 0;
    let cost = turns(
        bytes,
        splitter,
        workers,
        &mut random,
        &mut captures,
        |now, random| {
            seen += 1;
            if random.below(seen) == 0 {
                kept = Kept::by(now);
            }
        },
    );
    let told = Told::by(&captures);
    let mut again = Restored::read(&kept.state).expect("a state");
    assert!(again.awaited.take_rows(&mut again.captures, &kept.rows));
    let ranges = 1 + random.below(bytes.len()) as u64;
    let size = bytes.len() as u64;
    if let Some(rest) = again
        .awaited
        .splitter(&again.captures, size, ranges, workers)
    {
        turns(
            bytes,
            rest,
            workers,
            &mut random,
            &mut again.captures,
            |_, _| {},
        );
        assert_same(
            "gone on with",
            "in ranges",
            &Told::by(&again.captures),
            &told,
        );
    }
    (told, cost)
}

/// What is kept of a table.
struct Kept {
    state: Vec<u8>,
    rows: Vec<u8>,
}

impl Kept {
    fn by(captures: &Captures) -> Kept {
        Kept {
            state: captures.state(usize::MAX),
            rows: stored_rows(captures, 0, captures.len()),
        }
    }
}

/// Puts a table together; calls `told` whenever it may have grown.
fn turns(
    bytes: &[u8],
    mut splitter: Splitter,
    workers: usize,
    random: &mut Random,
    captures: &mut Captures,
    mut told: impl FnMut(&Captures, &mut Random),
) -> Cost {
    let mut working: Vec<Option<(u32, RangeReader)>> = (0..workers).map(|_| None).collect();
    let mut position = 0;
    let mut idle_turns = 0;
    let window = [7, 100, 1000, 4096, 64 << 10][random.below(5)].max(bytes.len() / 5000);
    while !splitter.is_done() {
        for job in splitter.take_cancelled() {
            for slot in &mut working {
                if slot.as_ref().is_some_and(|(id, _)| *id == job) {
                    *slot = None;
                }
            }
        }
        let slot = &mut working[random.below(workers)];
        if slot.is_none() {
            *slot = splitter.assign().map(|job| (job.id, RangeReader::new(job)));
        }
        let Some((job, range)) = slot else {
            idle_turns += 1;
            assert!(idle_turns < 10_000, "everybody waits");
            continue;
        };
        idle_turns = 0;
        let at = usize::try_from(range.wanted())
            .expect("offset")
            .min(bytes.len());
        let piece = &bytes[at..bytes.len().min(at + 1 + random.below(window))];
        if piece.is_empty() {
            range.finish(bytes.len() as u64);
        } else {
            range.feed(piece);
        }
        let (job, has_ended, report) = (*job, range.has_ended(), range.report());
        if has_ended {
            *slot = None;
        }
        if !report.is_empty() {
            assert!(
                splitter.report(job, &report, captures),
                "a report is understood"
            );
            told(captures, random);
        }
        assert!(splitter.position() >= position, "progress goes back");
        position = splitter.position();
    }
    assert_eq!(position, bytes.len() as u64);
    Cost {
        wasted: splitter.wasted(),
        joined: splitter.joined(),
    }
}

fn assert_same(name: &str, how: &str, ours: &Told, serial: &Told) {
    assert_eq!(ours.records, serial.records, "{name}, {how}: records");
    assert_eq!(ours.damage, serial.damage, "{name}, {how}: damage");
    assert_eq!(
        ours.damage_count, serial.damage_count,
        "{name}, {how}: damage"
    );
    assert!(ours.rows == serial.rows, "{name}, {how}: rows");
}

/// Equal ranges, then cuts at random; `cuts` of them. Returns the cost of the equal ones.
fn try_everywhere(name: &str, bytes: &[u8], cuts: usize) -> Cost {
    let serial = Told::serially(bytes);
    let mut random = Random(bytes.len() as u64);
    let mut total = Cost::default();
    for count in 2..=8u64 {
        let ranges = (bytes.len() as u64).div_ceil(count);
        for workers in [1, 2, 4] {
            let splitter = Splitter::new(bytes.len() as u64, ranges, workers);
            let (ours, cost) = split(bytes, splitter, workers, count);
            assert_same(
                name,
                &format!("{count} ranges, {workers} workers"),
                &ours,
                &serial,
            );
            if workers == 1 {
                assert_eq!(cost.wasted, 0, "{name}: one worker wastes nothing");
            }
            total.wasted += cost.wasted;
            total.joined += cost.joined;
        }
    }
    for turn in 0..cuts {
        let count = 1 + random.below(9);
        let mut places: Vec<u64> = (0..count)
            .map(|_| random.below(bytes.len()) as u64)
            .collect();
        places.sort_unstable();
        let workers = 2 + random.below(3);
        let how = format!("turn {turn}, {workers} workers, cut at {places:?}");
        let splitter = Splitter::at(bytes.len() as u64, places, 1 + random.below(8));
        let (ours, _) = split(bytes, splitter, workers, turn as u64);
        assert_same(name, &how, &ours, &serial);
    }
    total
}

fn every_file(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .expect("a folder")
        .flatten()
        .map(|entry| entry.path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            every_file(&path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
fn every_archive_of_the_corpus_is_the_same_in_ranges() {
    let Some(corpus) = corpus() else { return };
    let mut files = Vec::new();
    every_file(&corpus.join("files"), &mut files);
    let (mut count, mut bytes_read, mut total) = (0, 0, Cost::default());
    for path in files {
        let bytes = fs::read(&path).expect("corpus file");
        if detect(&bytes[..bytes.len().min(64 << 10)]) != Ok(Format::WarcGz) {
            continue;
        }
        let cuts = if is_deep() { 2000 } else { 12 };
        let cost = try_everywhere(&path.display().to_string(), &bytes, cuts);
        count += 1;
        bytes_read += bytes.len() as u64 * 14;
        total.wasted += cost.wasted;
        total.joined += cost.joined;
    }
    println!("{count} files; equal ranges by 2 and 4 workers: {bytes_read} bytes, {total:?}");
    assert!(count >= 40, "the corpus lost files");
    assert!(total.joined > 0);
}

fn stored(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    let mut blocks = bytes.chunks(0xffff).peekable();
    while let Some(block) = blocks.next() {
        let length = u16::try_from(block.len()).expect("length");
        out.push(u8::from(blocks.peek().is_none()));
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(&(!length).to_le_bytes());
        out.extend_from_slice(block);
    }
    out.extend_from_slice(&zlib_rs::crc32::crc32(0, bytes).to_le_bytes());
    out.extend_from_slice(&u32::try_from(bytes.len()).expect("length").to_le_bytes());
    out
}

fn page(n: usize) -> Vec<u8> {
    let body = format!("<p>{n}</p>").repeat(1 + n % 7 * 20);
    record(
        "response",
        &format!("http://a.test/{n}"),
        &response(&format!("{body}{:x}", n * 2_654_435_761)),
    )
}

fn pages(count: usize) -> Vec<Vec<u8>> {
    (0..count).map(|n| gzip(&page(n))).collect()
}

/// Archives that invite a wrong cut.
fn hostile() -> Vec<(&'static str, Vec<u8>)> {
    let sound = pages(40);
    let whole = sound.concat();
    let plain: Vec<u8> = (0..40).flat_map(page).collect();
    let with = |middle: &[u8]| [&whole[..], middle, &whole[..]].concat();
    let inside = |payload: &[u8]| record("resource", "http://a.test/x.warc.gz", payload);
    let each = |change: &dyn Fn(usize, &[u8]) -> Vec<u8>| -> Vec<u8> {
        sound
            .iter()
            .enumerate()
            .flat_map(|(n, member)| change(n, member))
            .collect()
    };
    let flipped = |at: usize| {
        each(&|n, member| {
            let mut member = member.to_vec();
            let at = at.min(member.len() - 1);
            member[at] ^= if n % 3 == 0 { 0x55 } else { 0 };
            member
        })
    };
    let in_two = |bytes: &[u8], at: usize| [gzip(&bytes[..at]), gzip(&bytes[at..])].concat();
    let damaged_inside = {
        let mut bytes = stored(&inside(&whole));
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0xff;
        bytes
    };
    vec![
        ("sound", whole.clone()),
        ("stored", (0..40).flat_map(|n| stored(&page(n))).collect()),
        ("one member", gzip(&plain)),
        ("one stored member", stored(&plain)),
        ("archive in a stored member", with(&stored(&inside(&whole)))),
        (
            "archive in an archive in an archive",
            with(&stored(&inside(&with(&stored(&inside(&whole)))))),
        ),
        ("archive in a deflated member", with(&gzip(&inside(&whole)))),
        (
            "plain archive in a deflated member",
            with(&gzip(&inside(&plain))),
        ),
        (
            "plain archive in a stored member",
            with(&stored(&inside(&plain))),
        ),
        (
            "stored archives only",
            (0..6).flat_map(|_| stored(&inside(&whole))).collect(),
        ),
        ("damaged archive in a stored member", with(&damaged_inside)),
        (
            "stored member that breaks off",
            with(&stored(&inside(&whole))[..whole.len() / 2]),
        ),
        (
            "stored member that breaks off at the end",
            [&whole[..], &stored(&inside(&whole))[..whole.len() - 9]].concat(),
        ),
        ("damaged members", flipped(60)),
        ("damaged starts", flipped(0)),
        ("damaged headers", flipped(3)),
        ("wrong checksums", flipped(usize::MAX)),
        (
            "shared members",
            (0..20)
                .flat_map(|n| gzip(&[page(2 * n), page(2 * n + 1)].concat()))
                .collect(),
        ),
        (
            "shared by some",
            each(&|n, member| {
                if n % 5 == 4 {
                    gzip(&[page(n), page(n + 100)].concat())
                } else {
                    member.to_vec()
                }
            }),
        ),
        (
            "split records",
            (0..40).flat_map(|n| in_two(&page(n), 30 + n)).collect(),
        ),
        (
            "split in the newlines",
            (0..40)
                .flat_map(|n| in_two(&page(n), page(n).len() - 1 - n % 5))
                .collect(),
        ),
        (
            "some split",
            each(&|n, member| {
                if n % 7 == 3 {
                    in_two(&page(n), 100)
                } else {
                    member.to_vec()
                }
            }),
        ),
        (
            "records cut off",
            each(&|n, member| {
                if n % 4 == 2 {
                    gzip(&page(n)[..90])
                } else {
                    member.to_vec()
                }
            }),
        ),
        (
            "padding",
            each(&|n, member| [member, &vec![0; n * 3]].concat()),
        ),
        (
            "garbage between",
            each(&|n, member| {
                [
                    member,
                    &b"\x1f\x8b\x08\x00 WARC/1.0 \x1f\x8b\x08"[..n % 2 * 17],
                ]
                .concat()
            }),
        ),
        (
            "garbage in members",
            each(&|n, member| {
                if n % 3 == 1 {
                    gzip(&[&b"xyz\n"[..], &page(n), b"more"].concat())
                } else {
                    member.to_vec()
                }
            }),
        ),
        (
            "empty members",
            each(&|n, member| [member, &gzip(&b"\r\n\r\n"[..n % 5])].concat()),
        ),
        ("false starts", with(&[0x1f, 0x8b, 8, 0, 0, 0].repeat(3000))),
        (
            "members that begin like records",
            with(&stored(&inside(
                &gzip(b"WARC/not a record at all").repeat(200),
            ))),
        ),
        ("truncated", whole[..whole.len() - 100].to_vec()),
        ("truncated in the middle", {
            let mut bytes = whole[..whole.len() / 2].to_vec();
            bytes.extend_from_slice(&whole);
            bytes
        }),
        ("ends in a header", [&whole[..], &whole[..7]].concat()),
    ]
}

#[test]
fn hostile_archives_are_the_same_in_ranges() {
    let mut joined = 0;
    for (name, bytes) in hostile() {
        let cuts = if is_deep() { 2_000 } else { 150 };
        let cost = try_everywhere(name, &bytes, cuts);
        println!(
            "{name}: {} bytes, ranges taken over {}, wasted {:.2} of what was read",
            bytes.len(),
            cost.joined,
            cost.wasted as f64 / (bytes.len() * 14) as f64
        );
        if name == "sound" {
            assert!(cost.joined > 20, "{} ranges", cost.joined);
        }
        joined += cost.joined;
    }
    assert!(joined > 500, "{joined} ranges were taken over");
}

/// Two ranges, cut at every byte of a small archive of each kind.
#[test]
fn every_cut_of_a_small_archive_is_the_same() {
    let members: Vec<Vec<u8>> = small_archive().iter().map(|record| gzip(record)).collect();
    let whole = members.concat();
    let nested = [
        &members[0][..],
        &stored(&record("resource", "http://a.test/x.warc.gz", &whole)),
        &whole,
    ]
    .concat();
    let mut damaged = nested.clone();
    damaged[members[0].len() + 300] ^= 0x40;
    for (name, bytes) in [
        ("sound", &whole),
        ("nested", &nested),
        ("damaged", &damaged),
    ] {
        let serial = Told::serially(bytes);
        let step = if is_deep() { 1 } else { 3 };
        for cut in (0..bytes.len()).step_by(step) {
            let splitter = Splitter::at(bytes.len() as u64, [cut as u64], 4);
            let (ours, _) = split(bytes, splitter, 2, cut as u64);
            assert_same(name, &format!("cut at {cut}"), &ours, &serial);
        }
    }
}

/// Members inside each other's stored blocks, which all break at the end: each is read again from the next
/// one on, until the allowance for that is used up. What a range may read again depends on what lies before.
fn nest(levels: usize, length: usize) -> Vec<u8> {
    const SPACING: usize = 96;
    const BLOCK: usize = 0xffff;
    let mut bytes = vec![b'x'; length];
    for level in 0..levels {
        let start = level * SPACING;
        bytes[start..start + 10].copy_from_slice(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
        let mut at = start + 10;
        while at + 5 < length {
            bytes[at..at + 5].copy_from_slice(&[0, 0xff, 0xff, 0, 0]);
            at += 5 + BLOCK;
        }
        bytes[start + 15..start + 25].copy_from_slice(b"WARC/1.0\r\n");
    }
    bytes.extend_from_slice(&[0xff; 70_000]);
    bytes
}

#[test]
fn what_may_be_read_again_is_the_same_in_ranges() {
    // Before the nests the file earns more than some of their levels cost, so that it matters what is known.
    let before: Vec<u8> = (0..2000)
        .flat_map(|n| stored(&[&page(n)[..], &b"\n".repeat(2000)].concat()))
        .collect();
    let between = pages(60).concat();
    // The first uses all up that may be read again; a range of the second would allow itself what is left of nothing.
    // Or: the first two use what they may, and the third has to know that they did.
    for nests in [&[120, 30][..], &[6, 4, 120]] {
        let mut bytes = before.clone();
        let mut starts = Vec::new();
        for levels in nests {
            starts.push(bytes.len() as u64);
            bytes.extend_from_slice(&nest(*levels, 1 << 20));
            bytes.extend_from_slice(&between);
        }
        let end = bytes.len() as u64;
        let serial = Told::serially(&bytes);
        let ahead: Vec<u64> = starts.iter().map(|start| start - 500).collect();
        for cuts in [
            ahead.clone(),
            ahead[1..].to_vec(),
            starts.iter().map(|start| start + 10).collect(),
            vec![starts[0] - 5000, starts[0] + 10, starts[1] + 5000],
            vec![end - 300],
        ] {
            let how = format!("{nests:?}, cut at {cuts:?}");
            let (ours, cost) = split(&bytes, Splitter::at(end, cuts, 8), 3, 1);
            println!("{how}: {cost:?}");
            assert_same("nest", &how, &ours, &serial);
        }
    }
}

/// What a worker gives up is read anew from the last place that is sure.
#[test]
fn what_a_range_cannot_finish_is_read_from_its_last_joint() {
    let before = pages(30).concat();
    // One member, much longer than a worker reads beyond its range, with records from its start to its end.
    let noise = |n: usize| -> Vec<u8> {
        let mut random = Random(n as u64);
        (0..300_000)
            .map(|_| b"0123456789abcdef"[random.below(16)])
            .collect()
    };
    let long: Vec<u8> = (0..70)
        .flat_map(|n| record("resource", &format!("http://b.test/{n}"), &noise(n)))
        .collect();
    // More rows than a worker tells ahead of its turn.
    let rows: Vec<u8> = (0..6000)
        .flat_map(|n| {
            let url = format!("http://c.test/{}/{n}", "long".repeat(250));
            gzip(&record("resource", &url, b"x"))
        })
        .collect();
    for (name, bytes, cuts) in [
        (
            "long",
            [&before[..], &stored(&long), &before].concat(),
            vec![before.len() as u64 / 2, before.len() as u64 + 100],
        ),
        (
            "many rows",
            [&before[..], &rows, &before].concat(),
            vec![before.len() as u64 / 2],
        ),
    ] {
        let serial = Told::serially(&bytes);
        let mut splitter = Splitter::at(bytes.len() as u64, cuts, 4);
        let mut captures = Captures::new();
        let first = splitter.assign().expect("the start");
        // Everything ahead is read before the start is: so it has to stop by itself.
        let mut jobs = vec![first];
        while let Some(job) = splitter.assign() {
            jobs.push(job);
        }
        let searched = jobs.len() - 1;
        assert!(searched > 0);
        while let Some(job) = jobs.pop() {
            let mut range = RangeReader::new(job);
            while !range.has_ended() {
                let at = usize::try_from(range.wanted())
                    .expect("offset")
                    .min(bytes.len());
                let piece = &bytes[at..bytes.len().min(at + (64 << 10))];
                if piece.is_empty() {
                    range.finish(bytes.len() as u64);
                } else {
                    range.feed(piece);
                }
                let report = range.report();
                if !report.is_empty() {
                    assert!(splitter.report(job.id, &report, &mut captures));
                }
            }
            jobs.extend(splitter.assign());
        }
        assert!(splitter.is_done());
        assert!(splitter.joined() > 0, "{name}: its beginning is of use");
        assert_same(name, "read backwards", &Told::by(&captures), &serial);
    }
}

#[test]
fn a_range_whose_worker_fails_is_read_by_another() {
    let bytes = pages(200).concat();
    let serial = Told::serially(&bytes);
    let mut splitter = Splitter::new(bytes.len() as u64, bytes.len() as u64 / 8, 2);
    let mut captures = Captures::new();
    let mut has_failed = 0;
    while !splitter.is_done() {
        let first = splitter.assign().expect("work");
        let second = splitter.assign();
        for job in second.into_iter().chain([first]) {
            if job.is_search && has_failed < 3 {
                has_failed += 1;
                assert!(splitter.lost(job.id, &mut captures));
                continue;
            }
            let mut range = RangeReader::new(job);
            while !range.has_ended() {
                let at = usize::try_from(range.wanted()).expect("offset");
                if at >= bytes.len() {
                    range.finish(bytes.len() as u64);
                } else {
                    range.feed(&bytes[at..]);
                }
            }
            assert!(splitter.report(job.id, &range.report(), &mut captures));
        }
    }
    assert_eq!(has_failed, 3);
    assert_same("failing", "in 8 ranges", &Told::by(&captures), &serial);
}

#[test]
fn what_is_no_report_is_refused() {
    let mut splitter = Splitter::new(1000, 100, 2);
    let job = splitter.assign().expect("work");
    let mut captures = Captures::new();
    for noise in [&b""[..], &[9], &[0, 0, 0, 0, 0, 0, 0, 200], &[0xff; 30]] {
        assert!(!splitter.report(job.id, noise, &mut captures));
    }
    assert!(captures.is_empty());
}
