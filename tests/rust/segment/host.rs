//! Files in memory, and what was read of them: segments ask for nothing else.

use std::collections::BTreeMap;

use stackroom::segment::{Blocks, Check, Cursor, Rank, Section, Segment, Stop};

pub type Entry = (Vec<u8>, Vec<u8>);

/// Files by their numbers, and what was read of them.
pub struct Host {
    pub files: BTreeMap<u32, Vec<u8>>,
    pub blocks: Blocks,
    pub reads: usize,
}

impl Host {
    pub fn new() -> Host {
        Host {
            files: BTreeMap::new(),
            blocks: Blocks::new(32 << 20),
            reads: 0,
        }
    }

    pub fn with(bytes: Vec<u8>) -> Host {
        let mut host = Host::new();
        host.files.insert(0, bytes);
        host
    }

    /// Runs an operation until nothing is missing for it.
    pub fn run<T>(
        &mut self,
        mut operation: impl FnMut(&mut Blocks) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        loop {
            match operation(&mut self.blocks) {
                Err(Stop::Missing(span)) => {
                    self.reads += 1;
                    let file = &self.files[&span.file];
                    let from = file
                        .len()
                        .min(usize::try_from(span.offset).expect("an offset"));
                    let to = file.len().min(from + span.length as usize);
                    self.blocks.provide(span, &file[from..to]);
                }
                other => return other,
            }
        }
    }

    pub fn open(&mut self, file: u32) -> Result<Segment, Stop> {
        let bytes = self.files[&file].len() as u64;
        self.run(|blocks| Segment::open(file, bytes, blocks))
    }

    pub fn read(
        &mut self,
        segment: &Segment,
        section: &Section,
        from: u64,
    ) -> Result<Vec<Entry>, Stop> {
        let mut cursor = Cursor::new(section, from);
        let mut entries = Vec::new();
        while let Some(entry) = self.run(|blocks| {
            let entry = cursor.read(segment, blocks)?;
            Ok(entry.map(|(key, value)| (key.to_vec(), value.to_vec())))
        })? {
            entries.push(entry);
            cursor.go_on();
        }
        Ok(entries)
    }

    pub fn rank(&mut self, segment: &Segment, section: &Section, key: &[u8]) -> Result<Rank, Stop> {
        self.run(|blocks| segment.rank(section, key, blocks))
    }

    pub fn check(&mut self, segment: &Segment) -> Result<(), Stop> {
        let mut check = Check::new();
        while !self.run(|blocks| check.step(segment, blocks, 7))? {}
        Ok(())
    }
}

/// The same numbers each time.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        (self.0 >> 33) % bound
    }
}
