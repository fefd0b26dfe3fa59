//! The host's side of a store: reads what is missing and calls again, spills and commits when it must.

use std::collections::HashMap;

use stackroom::store::{
    Compaction, Cursor, ExtentFile, Finding, Opening, PAGE_BYTES, PageBatch, Rebuild, Row, Shape,
    Step, Stop, Store, Verification,
};

use super::disk::{Disk, Files, Write};

/// As few as a cache can have.
pub const CACHE_PAGES: usize = stackroom::store::CACHE_PAGES_MIN;
pub const SALT: [u8; 16] = *b"salt of the test";

/// What was found to be damaged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damaged(pub String);

pub struct Host {
    pub disk: Disk,
    pub store: Store,
    pub calls: usize,
    pub commits: usize,
}

impl Host {
    pub fn open(disk: Disk) -> Host {
        Host::with(disk, CACHE_PAGES, Shape::default()).expect("the store is whole")
    }

    pub fn new() -> Host {
        Host::open(Disk::default())
    }

    /// A store that is told, where it is new, how many records of how many bytes will come.
    pub fn expecting(records: u64, bytes_each: u64) -> Host {
        let shape = Shape {
            records,
            bytes: records * bytes_each,
            ..Shape::default()
        };
        Host::with(Disk::default(), CACHE_PAGES, shape).expect("it is new")
    }

    pub fn with(mut disk: Disk, cache_pages: usize, shape: Shape) -> Result<Host, Damaged> {
        let mut opening = Opening::new(disk.now.superblocks());
        while let Some(&page_no) = opening.wanted().first() {
            disk.counts.page_reads += 1;
            if !opening.provide(disk.now.page(page_no)) {
                return Err(Damaged(format!("table in {page_no:?}")));
            }
        }
        let shape = Shape {
            salt: SALT,
            ..shape
        };
        let mut host = Host {
            disk,
            store: Store::open(opening, cache_pages, shape),
            calls: 0,
            commits: 0,
        };
        let made = host.attempt(Store::replay)?;
        made.expect("the log can be made again");
        Ok(host)
    }

    /// The same files, opened again.
    pub fn reopen(self) -> Host {
        Host::open(Disk {
            counts: self.disk.counts.clone(),
            ..Disk::of(self.disk.now)
        })
    }

    /// Calls an operation until it is done, or cannot be.
    pub fn attempt<T>(
        &mut self,
        mut operation: impl FnMut(&mut Store) -> Result<T, Stop>,
    ) -> Result<Result<T, Stop>, Damaged> {
        loop {
            self.calls += 1;
            match operation(&mut self.store) {
                Err(Stop::Missing(pages, spans)) => {
                    for page_no in pages {
                        self.disk.counts.page_reads += 1;
                        if !self.store.provide(page_no, self.disk.now.page(page_no)) {
                            return Err(Damaged(format!("{page_no:?}")));
                        }
                    }
                    for span in spans {
                        self.disk.counts.span_reads += 1;
                        self.store.provide_span(span, self.disk.now.span(span));
                    }
                }
                Err(Stop::MustSpill) => self.spill(),
                Err(Stop::Damaged(span)) => return Err(Damaged(format!("{span:?}"))),
                done => return Ok(done),
            }
        }
    }

    pub fn run<T>(&mut self, operation: impl FnMut(&mut Store) -> Result<T, Stop>) -> T {
        let done = self.attempt(operation).expect("the store is whole");
        done.expect("it can be done")
    }

    pub fn put(&mut self, key: &[u8], value: &[u8]) {
        let put = self.attempt(|store| store.put(key, value));
        match put.expect("the store is whole") {
            Err(Stop::TooLarge) => self.put_by_parts(key, value, 100_000),
            put => put.expect("it can be put"),
        }
    }

    pub fn put_by_parts(&mut self, key: &[u8], value: &[u8], step: usize) {
        let writer = self.store.begin(key);
        for part in value.chunks(step) {
            self.run(|store| store.write(writer, part));
        }
        self.run(|store| store.finish(writer));
    }

    pub fn remove(&mut self, key: &[u8]) -> bool {
        self.run(|store| store.remove(key))
    }

    pub fn get(&mut self, key: &[u8]) -> Option<Vec<u8>> {
        self.try_get(None, key).expect("the store is whole")
    }

    pub fn try_get(&mut self, view: Option<u32>, key: &[u8]) -> Result<Option<Vec<u8>>, Damaged> {
        let mut value = Vec::new();
        loop {
            let from = value.len() as u64;
            match self.try_read(view, key, from, u64::MAX)? {
                None => return Ok(None),
                Some((piece, total)) => {
                    value.extend(piece);
                    if total == value.len() as u64 {
                        return Ok(Some(value));
                    }
                    assert!(value.len() as u64 > from, "nothing more comes");
                }
            }
        }
    }

    /// A piece of a value, and the length of the whole.
    pub fn try_read(
        &mut self,
        view: Option<u32>,
        key: &[u8],
        from: u64,
        length: u64,
    ) -> Result<Option<(Vec<u8>, u64)>, Damaged> {
        let mut out = Vec::new();
        let piece = self.attempt(|store| {
            let piece = store.read(view, key, from, length, &mut out)?;
            Ok(piece.map(|piece| (piece.bytes.to_vec(), piece.total)))
        })?;
        Ok(piece.expect("it can be read"))
    }

    pub fn spill(&mut self) {
        let batch = self.store.spill();
        self.carry_out(&batch);
        self.store.confirm();
    }

    pub fn commit(&mut self) {
        let batch = self.store.commit();
        self.carry_out(&batch);
        self.store.confirm();
        self.commits += 1;
    }

    /// Commits without a log.
    pub fn settle(&mut self) {
        let batch = self.store.settle();
        self.carry_out(&batch);
        self.store.confirm();
        self.commits += 1;
    }

    pub fn snapshot(&mut self) -> u32 {
        if !self.store.is_settled() {
            self.settle();
        }
        self.store.snapshot().expect("it is settled")
    }

    pub fn carry_out(&mut self, batch: &PageBatch) {
        for append in self.store.appends() {
            let bytes = append.bytes[..].into();
            self.disk
                .write(Write::Extent(append.file, append.offset, bytes));
        }
        for (page_no, bytes) in batch.pages() {
            self.disk.write(Write::Page(page_no.0, bytes.into()));
        }
        if let Some((page_no, bytes)) = &batch.superblock {
            self.disk.flush();
            self.disk.counts.superblock_writes += 1;
            for (page, bytes) in (page_no.0..).zip(bytes.chunks(PAGE_BYTES)) {
                self.disk.write(Write::Page(page, bytes.into()));
            }
            self.disk.flush();
        }
    }

    pub fn scan(&mut self, view: Option<u32>, cursor: &mut Cursor, limit: usize) -> Vec<Row> {
        self.run(|store| store.scan(view, cursor, limit))
    }

    /// Every entry.
    pub fn try_all(&mut self, view: Option<u32>) -> Result<HashMap<Vec<u8>, Vec<u8>>, Damaged> {
        let mut cursor = Cursor::default();
        let mut all = HashMap::new();
        loop {
            let rows = self.attempt(|store| store.scan(view, &mut cursor, 100))?;
            let rows = rows.expect("it can be scanned");
            if rows.is_empty() {
                return Ok(all);
            }
            for Row { key, value, .. } in rows {
                let value = match value {
                    Some(value) => value,
                    None => self.try_get(view, &key)?.expect("a scan told it"),
                };
                assert!(all.insert(key, value).is_none(), "told twice");
            }
        }
    }

    pub fn all(&mut self) -> HashMap<Vec<u8>, Vec<u8>> {
        self.try_all(None).expect("the store is whole")
    }

    pub fn files(&self) -> &Files {
        &self.disk.now
    }
}

pub fn key(n: u64) -> Vec<u8> {
    format!("key-{n:012}").into_bytes()
}

pub fn value(n: u64) -> Vec<u8> {
    format!("value-{n:010}").into_bytes()
}

/// Numbers that are the same each time.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let mixed = self.0 ^ (self.0 >> 29);
        mixed.wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 20
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    pub fn index(&mut self, limit: usize) -> usize {
        usize::try_from(self.below(limit as u64)).unwrap_or(0)
    }

    pub fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.next().to_le_bytes()[0]).collect()
    }
}

pub fn is_deep() -> bool {
    std::env::var_os("STACKROOM_DEEP").is_some_and(|value| value == "1")
}

impl Host {
    /// Everything that is wrong, and how often a bucket goes on in an overflow page.
    pub fn look_over(&mut self) -> (Vec<Finding>, u64) {
        let mut state = Verification::default();
        let mut all = Vec::new();
        loop {
            match self.store.verify(&mut state) {
                Ok(Some(findings)) => all.extend(findings),
                Ok(None) => return (all, state.links()),
                Err(Stop::Missing(pages, spans)) => {
                    for page_no in pages {
                        self.store.provide(page_no, self.disk.now.page(page_no));
                    }
                    for span in spans {
                        self.store.provide_span(span, self.disk.now.span(span));
                    }
                }
                Err(Stop::MustSpill) => self.spill(),
                Err(stop) => panic!("{stop:?}"),
            }
        }
    }

    pub fn findings(&mut self) -> Vec<Finding> {
        self.look_over().0
    }

    pub fn verify(&mut self) {
        let findings = self.findings();
        assert!(findings.is_empty(), "{findings:?}");
    }

    pub fn extent_files(&self) -> Vec<ExtentFile> {
        let extents = self.disk.now.extents.iter();
        extents
            .map(|(file, extent)| ExtentFile {
                file: *file,
                bytes: extent.len() as u64,
            })
            .collect()
    }

    /// Removes and cuts off what nothing refers to.
    pub fn tidy(&mut self) {
        for file in self.store.take_removable() {
            self.disk.write(Write::RemoveExtent(file));
        }
        let pages = self.store.pager().file_pages();
        self.disk.write(Write::Truncate(pages));
    }

    pub fn compact(&mut self) {
        let mut state = Compaction::new(self.extent_files());
        loop {
            match self.run(|store| store.compact(&mut state)) {
                Step::More => {}
                Step::Commit => {
                    self.settle();
                    self.tidy();
                }
                Step::Done => return,
            }
        }
    }

    /// Makes the index of these files anew; what was damaged comes with it.
    pub fn rebuild(files: Files) -> (Host, Vec<Finding>) {
        let file_pages = files.pages.last_key_value().map_or(0, |(last, _)| last + 1);
        let extents = files.extents.keys().copied().collect();
        let shape = Shape {
            salt: SALT,
            ..Shape::default()
        };
        let mut rebuild =
            Rebuild::new(files.superblocks(), file_pages, extents, CACHE_PAGES, shape);
        let mut disk = Disk::of(files);
        loop {
            match rebuild.step() {
                Ok(true) => break,
                Ok(false) => {}
                Err(Stop::Missing(pages, spans)) => {
                    for page_no in pages {
                        rebuild.provide(page_no, disk.now.page(page_no));
                    }
                    for span in spans {
                        rebuild.provide_span(span, disk.now.span(span));
                    }
                }
                Err(Stop::MustSpill) => {
                    let store = rebuild.store().expect("it is being made");
                    for (page_no, bytes) in store.spill().pages() {
                        assert!(page_no.0 >= file_pages, "the old index is written over");
                        disk.write(Write::Page(page_no.0, bytes.into()));
                    }
                    store.confirm();
                }
                Err(stop) => panic!("{stop:?}"),
            }
        }
        let findings = rebuild.findings().to_vec();
        let store = rebuild.finish().expect("it is made");
        let mut host = Host {
            disk,
            store,
            calls: 0,
            commits: 0,
        };
        host.commit();
        host.commit();
        host.tidy();
        (host, findings)
    }
}
