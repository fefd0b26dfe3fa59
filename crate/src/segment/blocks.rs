//! Blocks that were read, for all segments that are open: so many bytes of them, those that were used last.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hasher};
use std::rc::Rc;

use super::block::{Place, open};
use super::entries::Entries;
use crate::order;

/// Part of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// The host's number for the file.
    pub file: u32,
    pub offset: u64,
    pub length: u32,
}

/// Why something cannot be told yet, or at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Read this, provide it, and call again.
    Missing(Span),
    /// This is not what was written there.
    Damaged(Span),
}

/// No operation needs more blocks at once.
const BLOCKS_MIN: usize = 64;

enum Read {
    Sound(Rc<Entries>),
    /// Anything else than a block of entries: an end of the file, a directory.
    Raw(Rc<[u8]>),
    Damaged,
}

struct Kept {
    read: Read,
    bytes: usize,
    used: u64,
}

/// Hashes where blocks are. Each step of a search looks some up, and nobody chooses these numbers.
#[derive(Clone, Copy, Default)]
struct Places(u64);

impl BuildHasher for Places {
    type Hasher = Places;

    fn build_hasher(&self) -> Places {
        Places::default()
    }
}

impl Hasher for Places {
    fn write(&mut self, bytes: &[u8]) {
        bytes
            .iter()
            .for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        // An odd number of no pattern: what is near comes to be far apart, in the high bits above all.
        let mixed = (self.0.rotate_left(32) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

pub struct Blocks {
    bytes_max: usize,
    bytes: usize,
    clock: u64,
    /// The ids of segments, by their files.
    ids: HashMap<u32, u64>,
    kept: HashMap<(u32, u64), Kept, Places>,
    /// What is to be kept as it is read, when it comes.
    raw: HashSet<(u32, u64)>,
}

impl Blocks {
    pub fn new(bytes_max: usize) -> Blocks {
        Blocks {
            bytes_max,
            bytes: 0,
            clock: 0,
            ids: HashMap::new(),
            kept: HashMap::default(),
            raw: HashSet::new(),
        }
    }

    /// Bytes of memory that the blocks take.
    pub fn resident(&self) -> usize {
        self.bytes
    }

    /// Takes in what `Stop::Missing` named, shorter where the file ends before.
    pub fn provide(&mut self, span: Span, bytes: &[u8]) {
        let is_raw = self.raw.remove(&(span.file, span.offset));
        let read = match self.ids.get(&span.file) {
            _ if is_raw => Read::Raw(bytes.into()),
            None => Read::Damaged,
            Some(_) if bytes.len() < span.length as usize => Read::Damaged,
            Some(id) => open(*id, span.offset, bytes)
                .and_then(Entries::new)
                .map_or(Read::Damaged, |entries| Read::Sound(Rc::new(entries))),
        };
        self.keep(span, read);
    }

    /// Forgets a file: it is gone, or is another one from now on.
    pub fn forget(&mut self, file: u32) {
        self.ids.remove(&file);
        self.raw.retain(|(of, _)| *of != file);
        let bytes = &mut self.bytes;
        self.kept.retain(|(of, _), kept| {
            if *of == file {
                *bytes -= kept.bytes;
            }
            *of != file
        });
    }

    /// In this file there is the segment of this id.
    pub(super) fn tell(&mut self, file: u32, id: u64) {
        self.ids.insert(file, id);
    }

    pub(super) fn raw(&mut self, span: Span) -> Result<Rc<[u8]>, Stop> {
        match self.find(span) {
            Some(Read::Raw(bytes)) => Ok(Rc::clone(bytes)),
            Some(_) => Err(Stop::Damaged(span)),
            None => {
                self.raw.insert((span.file, span.offset));
                Err(Stop::Missing(span))
            }
        }
    }

    pub(super) fn entries(&mut self, file: u32, place: Place) -> Result<Rc<Entries>, Stop> {
        let span = Span {
            file,
            offset: place.offset,
            length: place.length,
        };
        match self.find(span) {
            Some(Read::Sound(entries)) => Ok(Rc::clone(entries)),
            Some(_) => Err(Stop::Damaged(span)),
            None => Err(Stop::Missing(span)),
        }
    }

    fn find(&mut self, span: Span) -> Option<&Read> {
        let kept = self.kept.get_mut(&(span.file, span.offset))?;
        self.clock += 1;
        kept.used = self.clock;
        Some(&kept.read)
    }

    fn keep(&mut self, span: Span, read: Read) {
        let bytes = match &read {
            Read::Sound(entries) => entries.bytes(),
            Read::Raw(bytes) => bytes.len(),
            Read::Damaged => 0,
        };
        self.clock += 1;
        let kept = Kept {
            read,
            bytes,
            used: self.clock,
        };
        if let Some(before) = self.kept.insert((span.file, span.offset), kept) {
            self.bytes -= before.bytes;
        }
        self.bytes += bytes;
        if self.bytes > self.bytes_max && self.kept.len() > 2 * BLOCKS_MIN {
            self.evict();
        }
    }

    /// Drops the half that was not used for longest, so that this is rare.
    fn evict(&mut self) {
        let mut used: Vec<u64> = self.kept.values().map(|kept| kept.used).collect();
        let keep = (used.len() / 2).max(BLOCKS_MIN);
        order::sort_by(&mut used, Ord::cmp);
        let oldest = used[used.len() - keep];
        self.kept.retain(|_, kept| kept.used >= oldest);
        self.bytes = self.kept.values().map(|kept| kept.bytes).sum();
    }
}
