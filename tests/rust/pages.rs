//! The pager over a file that forgets: absent pages, spills, commits, and a crash at every write.
//!
//! `STACKROOM_DEEP=1` crashes a longer script at every write and at every subset of unflushed ones.

use std::collections::{BTreeMap, HashMap};

use stackroom::store::{
    Change, CommitBatch, Cursor, LinearHash, Missing, Opening, PAGE_BYTES, PageNo, Pager,
    SUPERBLOCKS,
};

const CACHE_PAGES: usize = 16;
const SALT: [u8; 16] = *b"salt of the test";

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

    /// The same file, for who opens it again.
    fn clone_durable(&mut self) -> File {
        File {
            durable: std::mem::take(&mut self.durable),
            ..File::default()
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
    index: LinearHash,
    calls: usize,
}

impl Host {
    fn open(file: File) -> Host {
        Host::expecting(0, file)
    }

    /// A store that is told, where it is new, how many records of about 40 bytes will come.
    fn expecting(records: u64, mut file: File) -> Host {
        let pages = SUPERBLOCKS.map(|page_no| file.read(page_no));
        let mut opening = Opening::new([&pages[0], &pages[1]]);
        while let Some(&page_no) = opening.wanted().first() {
            assert!(
                opening.provide(&file.read(page_no)),
                "a page table is damaged"
            );
        }
        let mut pager = opening.finish(CACHE_PAGES);
        let index = LinearHash::open(&mut pager, SALT, records, records * 40);
        Host {
            file,
            pager,
            index,
            calls: 0,
        }
    }

    fn with<T>(
        &mut self,
        mut operation: impl FnMut(&mut LinearHash, &mut Pager) -> Result<T, Missing>,
    ) -> T {
        loop {
            self.calls += 1;
            match operation(&mut self.index, &mut self.pager) {
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
        let change = self.change(|index, pager| index.put(pager, key, value));
        assert_eq!(change, Change::Done);
    }

    fn remove(&mut self, key: &[u8]) -> bool {
        self.change(|index, pager| index.remove(pager, key)) == Change::Done
    }

    fn change(
        &mut self,
        mut operation: impl FnMut(&mut LinearHash, &mut Pager) -> Result<Change, Missing>,
    ) -> Change {
        loop {
            match self.with(&mut operation) {
                Change::MustSpill => self.spill(),
                change => return change,
            }
        }
    }

    /// What is wrong with the structure, and with the pages: each belongs to one thing, or is free.
    fn verify(&mut self) {
        let mut cursor = 0;
        while cursor < self.pager.buckets() {
            let wrong = self.with(|index, pager| index.verify(pager, &mut cursor));
            assert!(wrong.is_empty(), "{wrong:?}");
        }
        let mut places: Vec<PageNo> = self.pager.places().map(|(_, place)| place).collect();
        let count = places.len();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), count, "a place is used twice");
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
    let mut host = Host::open(File::default());
    for n in 0..COUNT {
        host.put(&key(n * 7919 % COUNT), &value(n));
        if n % 20_000 == 0 {
            host.commit();
        }
    }
    host.commit();
    host.verify();
    host.file.reads = 0;
    let mut host = Host::open(host.file);
    assert_eq!(host.all().len() as u64, COUNT);
    assert_eq!(host.index.len(), COUNT);
    let pages = host.pager.places().count() as f64;
    // A scan reads each page once and is called once more for each absent one, however long it is.
    assert!(
        (host.file.reads as f64) < pages * 1.02 + 8.0,
        "{} reads of {pages} pages",
        host.file.reads
    );
    let mut reads_of = |prefix: &str, is_there: bool| {
        let mut reads = 0;
        let count = 500;
        for n in 0..count {
            // Each with an empty cache, but for the page tables.
            let mut cold = Host::open(host.file.clone_durable());
            cold.file.reads = 0;
            let wanted = format!("{prefix}{:012}", n * 7919 % COUNT).into_bytes();
            assert_eq!(cold.get(&wanted).is_some(), is_there);
            reads += cold.file.reads;
            host.file = cold.file;
        }
        reads as f64 / count as f64
    };
    let (hit, miss) = (reads_of("key-", true), reads_of("none-", false));
    println!("{hit} reads a get that finds, {miss} one that does not; {pages} pages");
    assert!(hit <= 1.15, "{hit} page reads a get");
    assert!(miss <= 1.05, "{miss} page reads a miss");
}

/// Entries that come in the order of their buckets, a batch at a time, into a store that was told how many to expect.
#[test]
fn a_bulk_load_writes_each_page_few_times() {
    const COUNT: u64 = 100_000;
    let mut host = Host::expecting(COUNT, File::default());
    for batch in 0..10 {
        let mut keys: Vec<u64> = (batch * COUNT / 10..(batch + 1) * COUNT / 10).collect();
        keys.sort_by_cached_key(|n| host.index.bucket_of(&key(*n)));
        for n in keys {
            host.put(&key(n), &value(n));
        }
    }
    host.commit();
    host.verify();
    let writes = host.file.writes as f64 / COUNT as f64;
    let bytes = host.pager.file_pages() as usize * PAGE_BYTES;
    println!(
        "{writes} page writes a put, {} bytes an entry",
        bytes as f64 / COUNT as f64
    );
    assert!(writes <= 0.2, "{writes} page writes a put");
}

#[test]
fn buckets_grow_and_shrink_with_what_they_hold() {
    let mut host = Host::open(File::default());
    for n in 0..20_000 {
        host.put(&key(n), &value(n));
    }
    host.commit();
    let (full_buckets, full_pages) = (host.pager.buckets(), host.pager.file_pages());
    host.verify();
    for n in 0..20_000 {
        if n % 50 != 0 {
            assert!(host.remove(&key(n)), "{n} was there");
            assert!(!host.remove(&key(n)), "{n} is gone");
        }
        if n.is_multiple_of(4000) {
            host.commit();
        }
    }
    host.commit();
    host.commit();
    host.verify();
    assert_eq!(host.index.len(), 400);
    assert!(
        host.pager.buckets() * 20 < full_buckets,
        "{} buckets of {full_buckets}",
        host.pager.buckets()
    );
    let mut host = Host::open(host.file);
    assert_eq!(host.all().len(), 400);
    let pages = host.pager.file_pages() - u32::try_from(host.pager.free_pages()).unwrap_or(0);
    assert!(
        pages * 10 < full_pages,
        "{pages} pages in use of {full_pages}"
    );
}

/// A scan that goes on while the table grows and shrinks tells once what was there all the time.
#[test]
fn a_scan_is_stable_across_splits_and_merges() {
    for growing in [true, false] {
        let mut host = Host::open(File::default());
        let total = if growing { 2000 } else { 12_000 };
        for n in 0..total {
            host.put(&key(n), &value(n));
        }
        let mut cursor = Cursor::default();
        let mut told = HashMap::new();
        let mut step = 0;
        loop {
            let entries = host.with(|index, pager| index.scan(pager, &mut cursor, 37));
            if entries.is_empty() {
                break;
            }
            for (key, _) in entries {
                *told.entry(key).or_insert(0) += 1;
            }
            for n in 0..150 {
                let n = step * 150 + n;
                if growing {
                    host.put(&key(1_000_000 + n), b"new");
                } else if n >= 1000 && n < total {
                    host.remove(&key(n));
                }
            }
            step += 1;
        }
        let stayed = if growing { 0..2000 } else { 0..1000 };
        for n in stayed {
            assert_eq!(told.get(&key(n)), Some(&1), "{n}, growing: {growing}");
        }
        assert!(told.values().all(|times| *times == 1));
    }
}

/// Keys that all lie in one bucket for whoever knows the salt are spread by another salt.
#[test]
fn keys_chosen_against_one_salt_are_spread_by_another() {
    let mut pager = Opening::new([&[], &[]]).finish(CACHE_PAGES);
    let known = LinearHash::open(&mut pager, *b"a salt that they", 1 << 17, 40 << 17);
    let hostile: Vec<Vec<u8>> = (0..400_000)
        .map(key)
        .filter(|key| known.bucket_of(key) % 256 == 7)
        .collect();
    assert!(hostile.len() > 1000);
    let mut host = Host::expecting(1 << 12, File::default());
    for key in &hostile {
        host.put(key, b"x");
    }
    host.verify();
    let pages = host.pager.places().count();
    assert!(
        pages < 2 * host.pager.buckets() as usize,
        "{pages} pages for {} buckets",
        host.pager.buckets()
    );
}

#[test]
fn entries_of_every_size_come_back_and_larger_ones_are_refused() {
    let mut host = Host::open(File::default());
    let sizes = [
        0,
        1,
        126,
        127,
        128,
        129,
        1000,
        2000,
        4000,
        stackroom::store::ENTRY_BYTES_MAX - 8,
    ];
    for round in 0..3u8 {
        for size in sizes {
            let key = format!("{size:08}").into_bytes();
            host.put(&key, &vec![round; size]);
            host.put(
                &vec![b'k'; size.max(9)],
                &[round; 3][..(3 - size.min(3)).min(3)],
            );
        }
    }
    host.put(b"", b"of the empty key");
    for size in sizes {
        let key = format!("{size:08}").into_bytes();
        assert_eq!(host.get(&key), Some(vec![2; size]));
    }
    assert_eq!(host.get(b""), Some(b"of the empty key".to_vec()));
    host.verify();
    let too_long = vec![0; stackroom::store::ENTRY_BYTES_MAX];
    let change = host.change(|index, pager| index.put(pager, b"k", &too_long));
    assert_eq!(change, Change::TooLarge);
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
        if random(&mut state).is_multiple_of(4) {
            assert_eq!(host.remove(&key(n)), model.remove(&key(n)).is_some());
            continue;
        }
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
    host.verify();
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
                if is_deep || tear {
                    reopened.verify();
                }
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
