//! Dictionaries in memory, what was read of them, and strings to put into them.

use stackroom::dictionary::{
    Builder, Cursor, Dictionary, Kind, Opening, Pages, Progress, Shape, Span, Stop,
};

pub const KINDS: [Kind; 8] = [
    Kind::Brute,
    Kind::Binary,
    Kind::Tree,
    Kind::Hash,
    Kind::Bucket(1),
    Kind::Bucket(20),
    Kind::Bucket(1000),
    Kind::Tagged,
];
const SALT: [u8; 16] = *b"sixteen of bytes";
/// More reads than any sound look-up takes: what reads on does not end.
const READS_MAX: u64 = 200_000;

pub fn shape(kind: Kind) -> Shape {
    // Short pages, so that few strings fill many.
    Shape {
        page_bytes: 512,
        ..Shape::new(kind, SALT)
    }
}

pub fn written<S: AsRef<[u8]>>(shape: Shape, strings: &[S]) -> Vec<u8> {
    let mut builder = Builder::new(shape);
    for (n, string) in strings.iter().enumerate() {
        let id = builder.push(string.as_ref()).expect("a string");
        assert_eq!(id as usize, n);
    }
    let mut file = Vec::new();
    builder
        .finish(&mut |bytes| file.extend_from_slice(bytes))
        .expect("a dictionary");
    file
}

/// One file, and what was read of it.
pub struct Host {
    pub file: Vec<u8>,
    pub pages: Pages,
    pub reads: u64,
}

impl Host {
    /// With as little memory as there can be.
    pub fn new(file: Vec<u8>) -> Host {
        Host::with(file, Pages::new(0))
    }

    pub fn with(file: Vec<u8>, pages: Pages) -> Host {
        Host {
            file,
            pages,
            reads: 0,
        }
    }

    fn read(&self, span: Span) -> Vec<u8> {
        let length = self.file.len();
        let from = usize::try_from(span.offset).map_or(length, |from| from.min(length));
        let to = from.saturating_add(span.length as usize).min(length);
        self.file[from..to].to_vec()
    }

    pub fn open(&mut self) -> Result<Dictionary, Stop> {
        let mut opening = Opening::new(7, self.file.len() as u64);
        loop {
            let bytes = self.read(opening.wanted());
            if let Some(dictionary) = opening.provide(&bytes, &mut self.pages)? {
                return Ok(dictionary);
            }
        }
    }

    pub fn run<T>(
        &mut self,
        mut operation: impl FnMut(&mut Pages) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let before = self.reads;
        loop {
            match operation(&mut self.pages) {
                Err(Stop::Missing(span)) => {
                    self.reads += 1;
                    assert!(self.reads - before < READS_MAX, "reading does not end");
                    let bytes = self.read(span);
                    self.pages.provide(span, &bytes);
                }
                other => return other,
            }
        }
    }

    pub fn id(&mut self, dictionary: &Dictionary, string: &[u8]) -> Result<Option<u32>, Stop> {
        let mut progress = Progress::default();
        self.run(|pages| dictionary.lookup_id(string, &mut progress, pages))
    }

    pub fn string(&mut self, dictionary: &Dictionary, id: u32) -> Result<Option<Vec<u8>>, Stop> {
        let mut progress = Progress::default();
        let mut string = b"what was there".to_vec();
        let is_there =
            self.run(|pages| dictionary.lookup_string(id, &mut string, &mut progress, pages))?;
        Ok(is_there.then_some(string))
    }

    pub fn all(
        &mut self,
        dictionary: &Dictionary,
        mut cursor: Cursor,
    ) -> Result<Vec<(u32, Vec<u8>)>, Stop> {
        let mut all = Vec::new();
        while let Some(entry) = self.run(|pages| {
            let entry = cursor.next(dictionary, pages)?;
            Ok(entry.map(|(id, string)| (id, string.to_vec())))
        })? {
            all.push(entry);
        }
        Ok(all)
    }
}

/// Numbers that are the same each time.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// Strings of many kinds, none twice: short and long, of a few letters, of any bytes, beginnings of each other.
pub fn some_strings(count: usize, seed: u64) -> Vec<Vec<u8>> {
    let mut random = Random(seed);
    let mut seen = std::collections::HashSet::new();
    let mut strings = Vec::new();
    while strings.len() < count {
        let length = match random.below(40) {
            0 => 0,
            1 => 900 + random.below(9_000),
            2..6 => 200 + random.below(400),
            _ => random.below(30),
        };
        let letters = [3, 26, 256][usize::try_from(random.below(3)).expect("a number")];
        let first = if letters == 26 { 97 } else { 0 };
        let string: Vec<u8> = (0..length)
            .map(|_| u8::try_from(first + random.below(letters)).expect("a byte"))
            .collect();
        if seen.insert(string.clone()) {
            strings.push(string);
        }
    }
    strings
}
