//! What hostile files cost: memory is counted by the allocator, processor time by the system.
//! A file of a few kilobytes that unpacks to gigabytes, a header line that does not end, a million records of nothing,
//! a directory of members that all lie in the same place: each ends in records or a report, in flat memory.

mod support;

use std::fs;
use std::sync::Mutex;

use peak_alloc::PeakAlloc;
use stackroom::archive::{Format, Sink, detect, parser};
use stackroom::captures::Captures;
use stackroom::inspect::Inspector;
use stackroom::teller::Teller;
use support::fixtures::bombs;
use support::{gzip, is_deep, record};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// The allocator counts for the whole program: one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

const MIB: usize = 1 << 20;

/// No file needs more than this, besides its table of records. A header block may be 4 MiB, and is held a few times over.
const PEAK_BYTES_MAX: usize = 48 * MIB;

/// Processor seconds of a test build; ten times what the slowest takes.
const SECONDS_MAX: f64 = 60.0;

/// A file of runs of bytes, which needs no memory for what repeats.
struct Runs {
    runs: Vec<(Vec<u8>, u64)>,
}

impl Runs {
    fn new(runs: Vec<(&[u8], u64)>) -> Runs {
        Runs {
            runs: runs
                .into_iter()
                .map(|(bytes, times)| (bytes.to_vec(), times))
                .collect(),
        }
    }

    fn len(&self) -> u64 {
        self.runs
            .iter()
            .map(|(bytes, times)| bytes.len() as u64 * times)
            .sum()
    }

    /// The bytes at `at`, as many as there is room for.
    fn read(&self, at: u64, into: &mut Vec<u8>, room: usize) {
        into.clear();
        let mut start = 0;
        for (bytes, times) in &self.runs {
            let size = bytes.len() as u64;
            let end = start + size * times;
            let mut from = (at + into.len() as u64).max(start);
            while from < end && into.len() < room {
                let skip = usize::try_from((from - start) % size).expect("an offset");
                let taken = (bytes.len() - skip).min(room - into.len());
                into.extend_from_slice(&bytes[skip..skip + taken]);
                from += taken as u64;
            }
            start = end;
        }
    }
}

/// What reading a file took, and what came of it.
#[derive(Debug)]
struct Cost {
    fed: u64,
    peak: usize,
    seconds: f64,
    records: usize,
    damage: u64,
}

/// Time that this thread was on a processor; a busy machine does not count.
fn seconds() -> f64 {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds: f64 = text
        .split(' ')
        .next()
        .and_then(|first| first.parse().ok())
        .unwrap_or(0.0);
    nanoseconds / 1e9
}

/// Drains an inspector as its host does.
trait Listener: Sink {
    fn drain(&mut self) {}
    fn told(&self) -> (usize, u64);
}

impl Listener for Captures {
    fn told(&self) -> (usize, u64) {
        (self.len(), self.damage_count())
    }
}

struct Lines {
    inspector: Inspector,
    records: usize,
}

impl Listener for Lines {
    fn drain(&mut self) {
        self.records += self.inspector.take().matches("\"type\":").count();
    }
    fn told(&self) -> (usize, u64) {
        (self.records, self.inspector.damage_count())
    }
}

impl Sink for Lines {
    fn begin(&mut self, head: &stackroom::archive::WarcHead) {
        self.inspector.begin(head);
    }
    fn http(&mut self, head: &stackroom::archive::HttpHead) {
        self.inspector.http(head);
    }
    fn body(&mut self, bytes: &[u8]) {
        self.inspector.body(bytes);
    }
    fn end(&mut self, record: &stackroom::archive::Record) {
        self.inspector.end(record);
    }
    fn abandon(&mut self) {
        self.inspector.abandon();
    }
    fn damage(&mut self, damage: stackroom::error::Damage) {
        self.inspector.damage(damage);
    }
    fn part(&mut self, part: &stackroom::archive::Part) {
        self.inspector.part(part);
    }
    fn is_full(&self) -> bool {
        self.inspector.is_full()
    }
}

/// Reads a whole file; `read` fills a buffer with the bytes at an offset.
fn cost(
    format: Format,
    length: u64,
    listener: &mut impl Listener,
    mut read: impl FnMut(u64, &mut Vec<u8>),
) -> Cost {
    let mut buffer = Vec::with_capacity(64 << 10);
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let start = seconds();
    let mut fed = 0;
    let mut idle = 0;
    {
        let mut reader = parser(format, Some(length));
        loop {
            read(reader.wanted(), &mut buffer);
            let taken = if buffer.is_empty() {
                if reader.finish(length, listener) {
                    break;
                }
                0
            } else {
                reader.feed(&buffer, listener)
            };
            fed += taken as u64;
            idle = if taken == 0 { idle + 1 } else { 0 };
            assert!(idle < 100_000, "nothing is taken, and nothing ends");
            assert!(
                seconds() - start < SECONDS_MAX,
                "it takes too long: {fed} bytes fed"
            );
            listener.drain();
        }
    }
    listener.drain();
    let (records, damage) = listener.told();
    Cost {
        fed,
        peak: ALLOCATOR.peak_usage().saturating_sub(before),
        seconds: seconds() - start,
        records,
        damage,
    }
}

fn cost_of_bytes(bytes: &[u8], format: Format, listener: &mut impl Listener) -> Cost {
    cost(format, bytes.len() as u64, listener, |at, buffer| {
        buffer.clear();
        let at = usize::try_from(at).unwrap_or(usize::MAX).min(bytes.len());
        buffer.extend_from_slice(&bytes[at..bytes.len().min(at + (64 << 10))]);
    })
}

fn cost_of_runs(runs: &Runs, listener: &mut impl Listener) -> Cost {
    let mut start = Vec::new();
    runs.read(0, &mut start, 64 << 10);
    let format = detect(&start).expect("an archive");
    cost(format, runs.len(), listener, |at, buffer| {
        runs.read(at, buffer, 64 << 10);
    })
}

fn lines() -> Lines {
    Lines {
        inspector: Inspector::new(),
        records: 0,
    }
}

/// Reads a file both ways; neither may cost more than is sensible.
fn assert_cheap(what: &str, length: u64, costs: [&Cost; 2]) {
    for cost in costs {
        println!(
            "{what}: {} records, {} damage, {:.1} MiB of {:.1} read, peak {:.1} MiB, {:.2} s",
            cost.records,
            cost.damage,
            cost.fed as f64 / MIB as f64,
            length as f64 / MIB as f64,
            cost.peak as f64 / MIB as f64,
            cost.seconds
        );
        assert!(cost.peak <= PEAK_BYTES_MAX, "{what}: {cost:?}");
        assert!(cost.fed <= 4 * length + (80 << 20), "{what}: {cost:?}");
    }
}

#[test]
fn bombs_are_read_in_flat_memory() {
    let _alone = ALONE.lock();
    for bomb in bombs() {
        let start = &bomb.bytes[..bomb.bytes.len().min(64 << 10)];
        let Ok(format) = detect(start) else {
            println!("{}: refused", bomb.name);
            continue;
        };
        let table = cost_of_bytes(&bomb.bytes, format, &mut Captures::new());
        let told = cost_of_bytes(&bomb.bytes, format, &mut lines());
        assert_cheap(&bomb.name, bomb.bytes.len() as u64, [&table, &told]);
    }
}

/// Two gigabytes in the deep run.
fn long() -> u64 {
    if is_deep() { 2 << 30 } else { 192 << 20 }
}

#[test]
fn a_header_line_without_end_is_not_kept() {
    let _alone = ALONE.lock();
    let next = record("resource", "http://after.test/", b"after");
    let filler = [b'y'; 4096];
    let starts: [&[u8]; 6] = [
        b"WARC/1.1\r\nWARC-Type: resource\r\nX-Long: ",
        b"WARC/1.1\r\n",
        b"WARC/",
        b"WARC/1.1\r\nWARC-Type: response\r\nContent-Type: application/http\r\nContent-Length: 3000000000\r\n\r\nHTTP/1.1 200 OK\r\nX-Long: ",
        b"WARC/1.1\r\nWARC-Type: response\r\nContent-Type: application/http\r\nContent-Length: 3000000000\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;",
        b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://",
    ];
    for start in starts {
        let what = String::from_utf8_lossy(start).into_owned();
        for filler in [&filler[..], b"y: y\r\n ".repeat(500).as_slice(), b"WARC/"] {
            let times = long() / filler.len() as u64 / if filler.len() < 8 { 16 } else { 1 };
            let runs = Runs::new(vec![
                (start, 1),
                (filler, times),
                (b"\r\n\r\n", 1),
                (&next, 1),
            ]);
            let table = cost_of_runs(&runs, &mut Captures::new());
            let told = cost_of_runs(&runs, &mut lines());
            assert_cheap(&what, runs.len(), [&table, &told]);
            assert!(told.damage > 0, "{what}: nothing is reported");
        }
    }
}

#[test]
fn a_million_tiny_records_are_a_table_and_no_more() {
    let _alone = ALONE.lock();
    let tiny = b"WARC/1.0\r\nContent-Length: 0\r\n\r\n\r\n\r\n";
    let count = 1_000_000;
    let member = gzip(tiny);
    for (name, one) in [("plain", &tiny[..]), ("gzip", member.as_slice())] {
        let count = if is_deep() || name == "plain" {
            count
        } else {
            count / 5
        };
        let runs = Runs::new(vec![(one, count)]);
        let mut captures = Captures::new();
        let table = cost_of_runs(&runs, &mut captures);
        println!("{name}: {table:?}");
        assert_eq!(table.records as u64, count, "{name}");
        assert!(
            table.peak as u64 <= 120 * count + (24 << 20),
            "{name}: {table:?}"
        );
        drop(captures);
        let told = cost_of_runs(&runs, &mut lines());
        println!("{name}: {told:?}");
        assert_eq!(told.records as u64, count, "{name}");
        assert!(told.peak <= PEAK_BYTES_MAX, "{name}: {told:?}");
    }
}

/// Damage in every record is counted; only so much of it is kept.
#[test]
fn a_million_damages_are_counted() {
    let _alone = ALONE.lock();
    let one = b"WARC/1.0\r\nContent-Length: x\r\n\r\n\r\n\r\n";
    let runs = Runs::new(vec![(one, if is_deep() { 1_000_000 } else { 200_000 })]);
    let table = cost_of_runs(&runs, &mut Captures::new());
    println!("{table:?}");
    assert!(table.damage >= 100_000);
    assert!(
        table.peak as u64 <= 120 * table.records as u64 + (24 << 20),
        "{table:?}"
    );
}
