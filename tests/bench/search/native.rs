//! Builds a search index of texts that are made up, natively, and asks it: how fast, how large, how soon.
//! `native DOCUMENTS [WORDS]` prints a line a figure; `native FILE BYTES` does so of a text, in documents of so many bytes.
//! Words are as frequent as in English: by rank, falling like Zipf's.

use std::collections::BTreeMap;
use std::time::Instant;

use stackroom::document::Document;
use stackroom::index::Index;
use stackroom::query::parse;
use stackroom::row::Row;
use stackroom::search::{Query, QueryOptions, SearchIndex, Source};
use stackroom::segment::{Blocks, Stop};

const VOCABULARY: usize = 150_000;
const MEAN_WORDS: u64 = 400;

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        (self.0 >> 33) % bound
    }
}

/// Files in memory, and what was read of them.
struct Host {
    files: BTreeMap<u32, Vec<u8>>,
    blocks: Blocks,
    read: u64,
}

impl Host {
    fn run<T>(&mut self, mut operation: impl FnMut(&mut Blocks) -> Result<T, Stop>) -> T {
        loop {
            match operation(&mut self.blocks) {
                Ok(done) => return done,
                Err(Stop::Missing(span)) => {
                    let file = &self.files[&span.file];
                    let from = usize::try_from(span.offset)
                        .expect("an offset")
                        .min(file.len());
                    let to = file.len().min(from + span.length as usize);
                    self.read += span.length as u64;
                    self.blocks.provide(span, &file[from..to]);
                }
                Err(Stop::Damaged(span)) => panic!("damaged: {span:?}"),
            }
        }
    }

    fn put(&mut self, bytes: Vec<u8>) -> (u32, u64) {
        let file = self.files.keys().max().map_or(0, |last| last + 1);
        let length = bytes.len() as u64;
        self.files.insert(file, bytes);
        (file, length)
    }
}

/// Seconds that this thread ran, by the kernel's count: others may use the machine.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let ns = text.split(' ').next().and_then(|ns| ns.parse::<f64>().ok());
    ns.unwrap_or_default() / 1e9
}

/// Words by rank, and how often those up to each are met.
fn vocabulary() -> (Vec<String>, Vec<f64>) {
    let mut random = Random(11);
    let letters = b"etaoinshrdlucmfwypvbgkjqxz";
    let mut words = Vec::new();
    let mut sums = Vec::new();
    let mut sum = 0.0;
    for rank in 0..VOCABULARY {
        let length =
            2 + (rank as u64 + 2).ilog2() / 3 + u32::try_from(random.below(4)).expect("small");
        let mut letter = || {
            let at = random.below(26).min(random.below(26));
            char::from(letters[usize::try_from(at).expect("small")])
        };
        words.push((0..length).map(|_| letter()).collect());
        sum += (rank as f64 + 2.7).powf(-1.1);
        sums.push(sum);
    }
    (words, sums)
}

fn text(random: &mut Random, words: &[String], sums: &[f64], length: u64) -> String {
    let mut text = String::new();
    let whole = sums.last().copied().unwrap_or_default();
    for _ in 0..length {
        let at = random.below(1 << 31) as f64 / f64::from(1u32 << 31) * whole;
        let rank = sums.partition_point(|sum| *sum <= at).min(words.len() - 1);
        text.push_str(&words[rank]);
        text.push_str(if random.below(14) == 0 { ". " } else { " " });
    }
    text
}

/// A text in parts of so many bytes, or a few more.
fn cut(text: &str, bytes: u64) -> Vec<String> {
    let (mut parts, mut part) = (Vec::new(), String::new());
    for line in text.lines() {
        part.push_str(line);
        part.push('\n');
        if part.len() as u64 >= bytes {
            parts.push(std::mem::take(&mut part));
        }
    }
    parts.push(part);
    parts
}

pub fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Vec<Option<u64>> = arguments.iter().map(|text| text.parse().ok()).collect();
    let mean = numbers.get(1).copied().flatten().unwrap_or(MEAN_WORDS);
    // A file, in documents of so many bytes.
    let file = arguments.first().filter(|_| numbers[0].is_none());
    let given = file.map(|path| cut(&std::fs::read_to_string(path).expect("a text"), mean));
    let count = given.as_ref().map(|given| given.len() as u64);
    let documents = count
        .or(numbers.first().copied().flatten())
        .unwrap_or(10_000);
    let (words, sums) = vocabulary();
    let mut random = Random(5);
    let mut host = Host {
        files: BTreeMap::new(),
        blocks: Blocks::new(32 << 20),
        read: 0,
    };
    let mut search = SearchIndex::new();
    let (mut bytes, mut seconds, mut merging) = (0, 0.0, 0.0);
    for row in 0..documents {
        let length = 1 + random.below(mean) * random.below(8) / 2;
        let document = Document {
            row,
            title: text(&mut random, &words, &sums, 6),
            text: match &given {
                Some(given) => given[usize::try_from(row).expect("a row")].clone(),
                None => text(&mut random, &words, &sums, length),
            },
            ..Document::default()
        };
        let record = Row {
            url: format!(
                "http://site{}.example/{}/{row}.html",
                row % 50,
                words[300 + usize::try_from(row % 900).expect("small")]
            )
            .into_bytes(),
            mime: b"text/html".to_vec(),
            status: Some(200),
            ..Row::default()
        };
        bytes += document.text.len() + document.title.len();
        let start = cpu_seconds();
        search.push(row, &record, Some(&document));
        if search.is_full() || row + 1 == documents {
            let (file, length) = host.put(search.flush(row));
            host.run(|blocks| search.adopt(file, length, blocks));
            println!("segment {} bytes at row {row}", length);
        }
        seconds += cpu_seconds() - start;
        let start = cpu_seconds();
        let is_last = row + 1 == documents;
        while search.begin_merge(row, is_last) {
            let mut merged = Vec::new();
            while !host.run(|blocks| search.merge(blocks)) {
                merged.extend(search.take_merged());
            }
            merged.extend(search.take_merged());
            let (file, length) = host.put(merged);
            for gone in host.run(|blocks| search.end_merge(file, length, blocks)) {
                host.files.remove(&gone);
            }
        }
        merging += cpu_seconds() - start;
    }
    let megabytes = bytes as f64 / 1e6;
    println!("{documents} documents, {megabytes:.1} MB of text");
    println!(
        "built in {seconds:.2} s, {:.1} MB/s; merged in {merging:.2} s",
        megabytes / seconds
    );
    println!(
        "{} bytes, {:.3} of the text",
        search.bytes(),
        search.bytes() as f64 / bytes as f64
    );
    if given.is_some() {
        return;
    }
    let [file] = search.files()[..] else {
        return;
    };
    let segment =
        host.run(|blocks| stackroom::segment::Segment::open(file, search.bytes(), blocks));
    for section in segment.sections() {
        println!(
            "  {} {} entries",
            String::from_utf8_lossy(&section.name),
            section.entries
        );
    }
    let queries = [
        words[0].clone(),
        words[1000].clone(),
        words[100_000].clone(),
        format!("{} {}", words[0], words[1]),
        format!("{} {}", words[0], words[5000]),
        format!("{} or {}", words[3], words[300]),
        format!("\"{} {}\"", words[0], words[1]),
        format!("\"{} {}\"", words[10], words[2000]),
        format!("{}*", &words[3000][..2]),
        format!("{}*", &words[3000][..4]),
        format!("title:{} -{}", words[50], words[0]),
        words[..10].join(" or "),
    ];
    let index = Index::new();
    let source = Source {
        search: &search,
        index: &index,
        documents: None,
    };
    for text in queries {
        let node = parse(&text).expect("a query");
        let mut times = Vec::new();
        let mut found = 0;
        host.read = 0;
        for _ in 0..5 {
            let start = Instant::now();
            let mut query = Query::new(&node, QueryOptions::default()).expect("a query");
            while !host.run(|blocks| query.step(&source, blocks)) {}
            let finding = start.elapsed();
            while !host.run(|blocks| query.rank(10, &source, blocks)) {}
            times.push((start.elapsed(), finding));
            found = query.count();
        }
        let first = times[0].0;
        times.sort();
        println!(
            "{text}: {found} rows, first {first:.1?}, then {:.1?} of which finding {:.1?}, {} kB read",
            times[2].0,
            times[2].1,
            host.read / 1000
        );
    }
}
