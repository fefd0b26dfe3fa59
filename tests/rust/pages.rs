//! The pager over a file that forgets: absent pages, spills, commits, and a crash at every write.
//!
//! `STACKROOM_DEEP=1` crashes a longer script at every write and at every subset of unflushed ones.

use std::collections::{BTreeMap, HashMap};

use stackroom::store::{
    CommitBatch, Cursor, Missing, Opening, PAGE_BYTES, PageNo, Pager, Put, SUPERBLOCKS, StandIn,
};

const CACHE_PAGES: usize = 16;
/// Chains stay far shorter than the cache, as a hash that grows keeps them.
const BUCKETS: u32 = 64;

/// A file of pages that counts, and that stops writing when it is told to.
#[derive(Clone, Default)]
struct File {
    durable: BTreeMap<PageNo, Vec<u8>>,
    unflushed: Vec<(PageNo, Vec<u8>)>,
    reads: usize,
    writes: usize,
    /// What was written after the machine died: seen by who does not know, and gone.
    ghost: BTreeMap<PageNo, Vec<u8>>,
    /// Writes left before the machine dies.
    writes_left: Option<usize>,
}

impl File {
    fn is_dead(&self) -> bool {
        self.writes_left == Some(0)
    }

    fn read(&mut self, page_no: PageNo) -> Vec<u8> {
        self.reads += 1;
        if let Some(bytes) = self.ghost.get(&page_no) {
            return bytes.clone();
        }
        let newest = self
            .unflushed
            .iter()
            .rev()
            .find(|(written, _)| *written == page_no);
        let bytes = newest
            .map(|(_, bytes)| bytes)
            .or_else(|| self.durable.get(&page_no));
        bytes.cloned().unwrap_or_default()
    }

    fn write(&mut self, page_no: PageNo, bytes: &[u8]) {
        if let Some(left) = &mut self.writes_left {
            if *left == 0 {
                self.ghost.insert(page_no, bytes.to_vec());
                return;
            }
            *left -= 1;
        }
        self.writes += 1;
        self.unflushed.push((page_no, bytes.to_vec()));
    }

    fn flush(&mut self) {
        if !self.is_dead() {
            self.durable.extend(self.unflushed.drain(..));
        }
    }

    fn carry_out(&mut self, batch: &CommitBatch) {
        for (page_no, bytes) in &batch.pages {
            self.write(*page_no, bytes);
        }
        if let Some((page_no, bytes)) = &batch.superblock {
            self.flush();
            self.write(*page_no, bytes);
            self.flush();
        }
    }

    /// What is left after the power went: of what was not flushed, the pages that `keeps` says.
    fn after_crash(&self, keeps: impl Fn(usize) -> bool, tear: bool) -> File {
        let mut durable = self.durable.clone();
        for (at, (page_no, bytes)) in self.unflushed.iter().enumerate() {
            if keeps(at) {
                let mut bytes = bytes.clone();
                if tear {
                    bytes[512..].fill(0xee);
                }
                durable.insert(*page_no, bytes);
            }
        }
        File {
            durable,
            ..File::default()
        }
    }
}

/// The host's side: reads what is missing and calls again, spills and commits when it must.
struct Host {
    file: File,
    pager: Pager,
    index: StandIn,
    calls: usize,
}

impl Host {
    fn open(file: File) -> Host {
        Host::with_buckets(BUCKETS, file)
    }

    fn with_buckets(buckets: u32, mut file: File) -> Host {
        let pages = SUPERBLOCKS.map(|page_no| file.read(page_no));
        let mut opening = Opening::new([&pages[0], &pages[1]]);
        while let Some(&page_no) = opening.wanted().first() {
            assert!(
                opening.provide(&file.read(page_no)),
                "a page table is damaged"
            );
        }
        let pager = opening.finish(CACHE_PAGES);
        let mut host = Host {
            file,
            pager,
            index: StandIn::new(buckets),
            calls: 0,
        };
        while !host.index.prepare(&mut host.pager) {
            host.spill();
        }
        host
    }

    fn with<T>(
        &mut self,
        mut operation: impl FnMut(&StandIn, &mut Pager) -> Result<T, Missing>,
    ) -> T {
        loop {
            self.calls += 1;
            match operation(&self.index, &mut self.pager) {
                Ok(value) => return value,
                Err(Missing(pages)) => {
                    for page_no in pages {
                        let bytes = self.file.read(page_no);
                        assert!(
                            self.pager.provide(page_no, &bytes),
                            "page {page_no:?} is damaged"
                        );
                    }
                }
            }
        }
    }

    fn put(&mut self, key: &[u8], value: &[u8]) {
        while self.with(|index, pager| index.put(pager, key, value)) == Put::MustSpill {
            self.spill();
        }
    }

    fn get(&mut self, key: &[u8]) -> Option<Vec<u8>> {
        self.with(|index, pager| index.get(pager, key))
    }

    fn spill(&mut self) {
        let batch = self.pager.spill();
        self.file.carry_out(&batch);
        self.pager.confirm();
    }

    fn commit(&mut self) {
        let batch = self.pager.commit();
        self.file.carry_out(&batch);
        self.pager.confirm();
    }

    fn all(&mut self) -> HashMap<Vec<u8>, Vec<u8>> {
        let mut cursor = Cursor::default();
        let mut all = HashMap::new();
        loop {
            let entries = self.with(|index, pager| index.scan(pager, &mut cursor, 100));
            if entries.is_empty() {
                return all;
            }
            for (key, value) in entries {
                assert!(all.insert(key, value).is_none(), "told twice");
            }
        }
    }
}

fn key(n: u64) -> Vec<u8> {
    format!("key-{n:012}").into_bytes()
}

fn value(n: u64) -> Vec<u8> {
    format!("value-{n:010}").into_bytes()
}

fn random(state: &mut u64) -> u64 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

#[test]
fn a_hundred_thousand_entries_go_through_sixteen_pages() {
    const COUNT: u64 = 100_000;
    const WIDE: u32 = 1024;
    let mut host = Host::with_buckets(WIDE, File::default());
    for n in 0..COUNT {
        host.put(&key(n * 7919 % COUNT), &value(n));
        if n % 20_000 == 0 {
            host.commit();
        }
    }
    host.commit();
    host.file.reads = 0;
    let mut host = Host::with_buckets(WIDE, host.file);
    assert_eq!(host.all().len() as u64, COUNT);
    let pages = f64::from(host.pager.len());
    // A scan reads each page once and is called once more for each absent one, however long it is.
    assert!(
        (host.file.reads as f64) < pages * 1.02 + 8.0,
        "{} reads of {pages} pages",
        host.file.reads
    );
    let before = host.calls;
    for n in (0..COUNT).step_by(997) {
        assert_eq!(host.get(&key(n * 7919 % COUNT)), Some(value(n)));
    }
    assert_eq!(host.get(b"none"), None);
    let gets = (COUNT as f64 / 997.0).ceil() + 1.0;
    println!(
        "{} calls a get with chains of {} pages",
        (host.calls - before) as f64 / gets,
        pages / f64::from(BUCKETS)
    );
}

#[test]
fn an_absent_page_changes_nothing() {
    let mut host = Host::open(File::default());
    for n in 0..5000 {
        host.put(&key(n), &value(n));
    }
    host.commit();
    let mut host = Host::open(host.file);
    let first = host.index.put(&mut host.pager, &key(1), b"new");
    assert!(matches!(&first, Err(Missing(pages)) if !pages.is_empty()));
    assert_eq!(
        host.pager.spill(),
        CommitBatch::default(),
        "something became dirty"
    );
    host.put(&key(1), b"new");
    assert_eq!(host.get(&key(1)), Some(b"new".to_vec()));
    assert_eq!(host.all().len(), 5000);
}

#[test]
fn random_operations_agree_with_a_map() {
    let mut state = 42;
    println!("seed {state}");
    let mut model = HashMap::new();
    let mut committed = model.clone();
    let mut host = Host::open(File::default());
    for step in 0..20_000u64 {
        let n = random(&mut state) % 3000;
        let long = vec![
            u8::try_from(n % 251).unwrap_or(0);
            usize::try_from(random(&mut state) % 300).unwrap_or(0)
        ];
        host.put(&key(n), &long);
        model.insert(key(n), long);
        let probe = key(random(&mut state) % 3000);
        assert_eq!(host.get(&probe).as_ref(), model.get(&probe));
        match random(&mut state) % 500 {
            0 => {
                host.commit();
                committed = model.clone();
            }
            1 => {
                // The tab dies: what was not committed is gone, spilled or not.
                host = Host::open(host.file.after_crash(|_| step % 2 == 0, false));
                model = committed.clone();
                assert_eq!(host.all(), model, "step {step}");
            }
            _ => {}
        }
    }
    // Places that no commit refers to are used again: the file does not grow with the number of commits.
    let data_bytes: usize = model
        .iter()
        .map(|(key, value)| key.len() + value.len() + 4)
        .sum();
    let file_bytes = host.file.durable.len() * PAGE_BYTES;
    assert!(
        file_bytes < 6 * data_bytes,
        "{file_bytes} bytes for {data_bytes}"
    );
}

/// The machine dies at each write in turn, with some of the unflushed pages kept, lost or torn.
#[test]
fn a_crash_at_every_write_leaves_a_commit() {
    let is_deep = std::env::var_os("STACKROOM_DEEP").is_some_and(|value| value == "1");
    let rounds: u64 = if is_deep { 40 } else { 8 };
    let script = |host: &mut Host, confirmed: &mut Vec<HashMap<Vec<u8>, Vec<u8>>>| {
        let mut model = HashMap::new();
        for round in 0..rounds {
            for n in 0..60 {
                let (key, value) = (key(n * 31 + round * 7), value(round * 100 + n));
                host.put(&key, &value);
                model.insert(key, value);
            }
            host.commit();
            if host.file.is_dead() {
                // The commit may have reached the disk or not; nobody was told that it did.
                confirmed.push(model);
                return;
            }
            confirmed.push(model.clone());
        }
    };
    let mut whole = Host::open(File::default());
    script(&mut whole, &mut Vec::new());
    let writes = whole.file.writes;
    for death in 0..writes {
        let mut host = Host::open(File {
            writes_left: Some(death + 1),
            ..File::default()
        });
        let mut confirmed = vec![HashMap::new()];
        script(&mut host, &mut confirmed);
        let patterns: &[fn(usize) -> bool] =
            &[|_| true, |_| false, |at| at % 2 == 0, |at| at % 3 == 1];
        for keeps in patterns {
            for tear in [false, true] {
                let mut reopened = Host::open(host.file.after_crash(keeps, tear));
                let found = reopened.all();
                let last = confirmed.len() - 1;
                let is_commit =
                    found == confirmed[last] || last > 0 && found == confirmed[last - 1];
                assert!(
                    is_commit,
                    "death after write {} of {writes}: {} entries",
                    death + 1,
                    found.len()
                );
            }
        }
    }
    println!("{writes} writes, each the last one once");
}

#[test]
fn a_flipped_bit_is_noticed_and_never_served() {
    let mut host = Host::open(File::default());
    for n in 0..2000 {
        host.put(&key(n), &value(n));
    }
    host.commit();
    let pages: Vec<PageNo> = host
        .file
        .durable
        .keys()
        .copied()
        .filter(|page| !SUPERBLOCKS.contains(page))
        .collect();
    for page_no in pages {
        let mut bytes = host.file.read(page_no);
        let bit = (page_no.0 as usize * 7919) % (PAGE_BYTES * 8);
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert!(!host.pager.provide(page_no, &bytes), "page {page_no:?}");
    }
}
