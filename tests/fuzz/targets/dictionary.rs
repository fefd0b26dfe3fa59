//! A dictionary of every layout whose bytes are changed anywhere, with no checksum to tell: asked for everything, it ends.
//! The input is the layout, changes of three bytes (where, by what), 0xff 0xff, and what is asked for.
#![no_main]

use stackroom::dictionary::{
    Builder, Cursor, Dictionary, Kind, Opening, Pages, Progress, Shape, Stop,
};

const KINDS: [Kind; 7] = [
    Kind::Brute,
    Kind::Binary,
    Kind::Tree,
    Kind::Hash,
    Kind::Bucket(3),
    Kind::Bucket(100),
    Kind::Tagged,
];
const READS_MAX: u32 = 100_000;

struct Host {
    file: Vec<u8>,
    pages: Pages,
}

impl Host {
    fn bytes(&self, offset: u64, length: u32) -> &[u8] {
        let end = self.file.len();
        let from = usize::try_from(offset).map_or(end, |from| from.min(end));
        &self.file[from..from.saturating_add(length as usize).min(end)]
    }

    fn open(&mut self) -> Option<Dictionary> {
        let mut opening = Opening::new(0, self.file.len() as u64);
        loop {
            let span = opening.wanted();
            let bytes = self.bytes(span.offset, span.length).to_vec();
            if let Some(dictionary) = opening.provide(&bytes, &mut self.pages).ok()? {
                return Some(dictionary);
            }
        }
    }

    fn run<T>(&mut self, mut operation: impl FnMut(&mut Pages) -> Result<T, Stop>) -> Option<T> {
        for _ in 0..READS_MAX {
            match operation(&mut self.pages) {
                Ok(value) => return Some(value),
                Err(Stop::Damaged(_)) => return None,
                Err(Stop::Missing(span)) => {
                    let bytes = self.bytes(span.offset, span.length).to_vec();
                    self.pages.provide(span, &bytes);
                }
            }
        }
        panic!("reading does not end");
    }
}

fn written(kind: Kind, hash_bits: u8) -> Vec<u8> {
    let mut builder = Builder::new(Shape {
        page_bytes: 256,
        hash_bits,
        ..Shape::new(kind, [7; 16])
    });
    for n in 0..60u32 {
        let long = if n % 20 == 0 { 1200 } else { n as usize % 9 };
        let string = [n.to_be_bytes().as_slice(), &vec![b'x'; long]].concat();
        builder.push(&string).expect("a string");
    }
    let mut file = Vec::new();
    let written = builder.finish(&mut |bytes| file.extend_from_slice(bytes));
    written.expect("a dictionary");
    file
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((&how, mut rest)) = bytes.split_first() else {
        return;
    };
    let kind = KINDS[usize::from(how) % KINDS.len()];
    let mut file = written(kind, if how >= 128 { 2 } else { 64 });
    while let Some((&[high, low, by], behind)) = rest.split_first_chunk() {
        rest = behind;
        if high == 0xff && low == 0xff {
            break;
        }
        // From the end, where the footer is.
        let at = usize::from(u16::from_be_bytes([high, low])) % file.len();
        let at = file.len() - 1 - at;
        file[at] ^= by;
    }
    let mut host = Host {
        file,
        // Filters are asked where there is memory.
        pages: Pages::unverified(if how & 64 == 0 { 0 } else { 1 << 20 }),
    };
    let Some(dictionary) = host.open() else {
        return;
    };
    for asked in [
        rest,
        b"",
        &[0, 0, 0, 20],
        &[0, 0, 0, 5, b'x', b'x', b'x', b'x', b'x'],
    ] {
        let mut progress = Progress::default();
        host.run(|pages| dictionary.lookup_id(asked, &mut progress, pages));
    }
    for id in 0..dictionary.count().min(64) {
        let (mut progress, mut string) = (Progress::default(), Vec::new());
        host.run(|pages| dictionary.lookup_string(id, &mut string, &mut progress, pages));
    }
    let mut cursor = Cursor::prefix(rest);
    for _ in 0..64 {
        host.run(|pages| Ok(cursor.next(&dictionary, pages)?.is_some()));
    }
});
