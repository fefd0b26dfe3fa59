//! A disk that counts, and that forgets what was not flushed when the power goes.

use std::collections::BTreeMap;
use std::rc::Rc;

use stackroom::store::{PAGE_BYTES, PageNo, SUPERBLOCKS, Span};

/// One write that a flush has not followed yet.
#[derive(Clone, Debug)]
pub enum Write {
    Page(u32, Rc<[u8]>),
    Extent(u32, u32, Rc<[u8]>),
    Truncate(u32),
    RemoveExtent(u32),
}

/// The bytes that are there.
#[derive(Clone, Default)]
pub struct Files {
    pub pages: BTreeMap<u32, Rc<[u8]>>,
    pub extents: BTreeMap<u32, Rc<Vec<u8>>>,
}

impl Files {
    pub fn apply(&mut self, write: &Write) {
        match write {
            Write::Page(page, bytes) => {
                self.pages.insert(*page, Rc::clone(bytes));
            }
            Write::Extent(file, offset, bytes) => {
                let extent = Rc::make_mut(self.extents.entry(*file).or_default());
                let end = *offset as usize + bytes.len();
                if extent.len() < end {
                    extent.resize(end, 0);
                }
                extent[*offset as usize..end].copy_from_slice(bytes);
            }
            Write::Truncate(pages) => {
                self.pages.split_off(pages);
            }
            Write::RemoveExtent(file) => {
                self.extents.remove(file);
            }
        }
    }

    pub fn page(&self, page_no: PageNo) -> &[u8] {
        self.pages.get(&page_no.0).map_or(&[], |bytes| bytes)
    }

    pub fn span(&self, span: Span) -> &[u8] {
        let Some(extent) = self.extents.get(&span.file) else {
            return &[];
        };
        let from = extent.len().min(span.offset as usize);
        let to = extent
            .len()
            .min(span.offset as usize + span.length as usize);
        &extent[from..to]
    }

    pub fn superblocks(&self) -> [&[u8]; 4] {
        SUPERBLOCKS.map(|page_no| self.page(page_no))
    }

    /// Bytes that the files take.
    pub fn bytes(&self) -> usize {
        let pages = self
            .pages
            .last_key_value()
            .map_or(0, |(last, _)| *last as usize + 1);
        let extents: usize = self.extents.values().map(|extent| extent.len()).sum();
        pages * PAGE_BYTES + extents
    }

    /// Flips one bit, wherever the number says.
    pub fn flip(&mut self, number: usize) {
        let sizes = self.pages.len() * PAGE_BYTES
            + self
                .extents
                .values()
                .map(|extent| extent.len())
                .sum::<usize>();
        let mut at = number / 8 % sizes;
        let flip = |byte: &mut u8| *byte ^= 1 << (number % 8);
        if at < self.pages.len() * PAGE_BYTES {
            let Some((_, page)) = self.pages.iter_mut().nth(at / PAGE_BYTES) else {
                return;
            };
            let mut bytes = page.to_vec();
            flip(&mut bytes[at % PAGE_BYTES]);
            *page = bytes.into();
            return;
        }
        at -= self.pages.len() * PAGE_BYTES;
        for extent in self.extents.values_mut() {
            if at < extent.len() {
                flip(&mut Rc::make_mut(extent)[at]);
                return;
            }
            at -= extent.len();
        }
    }
}

#[derive(Clone, Default)]
pub struct Counts {
    pub page_reads: usize,
    pub span_reads: usize,
    pub page_writes: usize,
    pub append_bytes: usize,
    pub superblock_writes: usize,
    pub flushes: usize,
}

/// What a test does at each write that reached the disk.
pub type Watch = Box<dyn FnMut(&Disk)>;

#[derive(Default)]
pub struct Disk {
    /// As who wrote it sees it.
    pub now: Files,
    /// Kept only where somebody watches.
    pub durable: Files,
    pub unflushed: Vec<Write>,
    pub counts: Counts,
    pub is_watched: bool,
    pub watch: Option<Watch>,
}

impl Disk {
    pub fn of(files: Files) -> Disk {
        Disk {
            now: files,
            ..Disk::default()
        }
    }

    /// Remembers from the beginning what was not flushed.
    pub fn watched(files: Files) -> Disk {
        Disk {
            durable: files.clone(),
            is_watched: true,
            ..Disk::of(files)
        }
    }

    pub fn write(&mut self, write: Write) {
        match &write {
            Write::Page(page, _) if *page >= 4 => self.counts.page_writes += 1,
            Write::Extent(_, _, bytes) => self.counts.append_bytes += bytes.len(),
            _ => {}
        }
        self.now.apply(&write);
        if self.is_watched {
            self.unflushed.push(write);
            if let Some(mut watch) = self.watch.take() {
                watch(self);
                self.watch = Some(watch);
            }
        }
    }

    pub fn flush(&mut self) {
        self.counts.flushes += 1;
        for write in self.unflushed.drain(..) {
            self.durable.apply(&write);
        }
    }

    /// What is left after the power went: of what was not flushed, the writes that `keeps` says, each torn after as
    /// many sectors of 512 bytes as it says.
    pub fn after_crash(&self, mut keeps: impl FnMut(usize) -> Option<usize>) -> Files {
        let mut files = self.durable.clone();
        for (at, write) in self.unflushed.iter().enumerate() {
            let Some(sectors) = keeps(at) else {
                continue;
            };
            let bytes = sectors.saturating_mul(512);
            match write {
                Write::Page(page, new) if bytes < new.len() => {
                    let mut torn = files.page(PageNo(*page)).to_vec();
                    torn.resize(new.len(), 0);
                    torn[..bytes].copy_from_slice(&new[..bytes]);
                    files.apply(&Write::Page(*page, torn.into()));
                }
                Write::Extent(file, offset, new) if bytes < new.len() => {
                    files.apply(&Write::Extent(*file, *offset, new[..bytes].into()));
                }
                write => files.apply(write),
            }
        }
        files
    }
}
