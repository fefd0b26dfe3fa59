//! Reads an archive as the engine does, natively, and says what it cost: for the benchmark `formats`.
//! `native FILE records` lists every record; `native FILE write` writes all of them into gzip members and forgets them.
//! Prints {"records","bytes","wallSeconds","cpuSeconds"}.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::time::Instant;

use stackroom::archive::{Feed, Heard, detect, parser};
use stackroom::captures::Captures;
use stackroom::query::Predicate;
use stackroom::write::{Cutter, Options, Piece};

const WINDOW_BYTES: usize = 1 << 20;

/// Seconds that this thread ran, by the kernel's count; wall time where there is none.
fn cpu_seconds(since: Instant) -> f64 {
    let text = fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let ns = text.split(' ').next().and_then(|ns| ns.parse::<f64>().ok());
    ns.map_or_else(|| since.elapsed().as_secs_f64(), |ns| ns / 1e9)
}

fn feed_all(file: &mut File, size: u64, reader: &mut dyn Feed, mut after: impl FnMut()) {
    let mut buffer = vec![0; WINDOW_BYTES];
    let mut at = 0;
    loop {
        if reader.wanted() != at {
            at = reader.wanted().min(size);
            file.seek(SeekFrom::Start(at)).expect("a place in the file");
        }
        let count = file.read(&mut buffer).expect("bytes of the file");
        if count == 0 && reader.finish(size) {
            return after();
        }
        let mut taken = 0;
        while taken < count && reader.wanted() == at + taken as u64 {
            taken += reader.feed(&buffer[taken..count]);
        }
        at += count as u64;
        after();
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let (path, mode) = (&arguments[1], arguments[2].as_str());
    let mut file = File::open(path).expect("a file");
    let size = file.metadata().expect("its length").len();
    let start = Instant::now();
    let cpu_before = cpu_seconds(start);
    let mut first = vec![0; 64 << 10];
    let known = file.read(&mut first).expect("its first bytes");
    let format = detect(&first[..known]).expect("an archive");
    file.seek(SeekFrom::Start(0)).expect("its start");
    let (records, bytes) = if mode == "write" {
        let predicate = Predicate::parse("").expect("a query");
        let options = Options {
            is_gzip: true,
            ..Options::default()
        };
        let mut cutter = Writing {
            cutter: Cutter::new(format, Some(size), predicate, options).expect("an archive"),
            bytes: 0,
        };
        feed_all(&mut file, size, &mut cutter, || ());
        (cutter.cutter.written(), cutter.bytes)
    } else {
        let mut captures = Captures::new();
        let mut parser = parser(format, Some(size));
        let mut heard = Heard {
            parser: parser.as_mut(),
            sink: &mut captures,
        };
        feed_all(&mut file, size, &mut heard, || ());
        (captures.len() as u64, 0)
    };
    let (wall, cpu) = (
        start.elapsed().as_secs_f64(),
        cpu_seconds(start) - cpu_before,
    );
    println!(r#"{{"records":{records},"bytes":{bytes},"wallSeconds":{wall},"cpuSeconds":{cpu}}}"#);
}

/// Takes away what is written as soon as it is there.
struct Writing {
    cutter: Cutter,
    bytes: u64,
}

impl Feed for Writing {
    fn wanted(&self) -> u64 {
        self.cutter.wanted()
    }

    fn feed(&mut self, bytes: &[u8]) -> usize {
        let taken = self.cutter.feed(bytes);
        self.forget();
        taken
    }

    fn finish(&mut self, end: u64) -> bool {
        let is_done = self.cutter.finish(end);
        self.forget();
        is_done
    }
}

impl Writing {
    fn forget(&mut self) {
        while let Some(Piece::Bytes(bytes)) = self.cutter.take() {
            self.bytes += bytes.len() as u64;
        }
    }
}
