//! Dictionaries, many of them open at once, in files that the host reads. In no module that ships.

use wasm_bindgen::prelude::*;

use super::numbers::{offset_in, offset_out};
use crate::codec::Reader;
use crate::dictionary::{Builder, Dictionary, Kind, Opening, Pages, Progress, Shape, Span, Stop};
use crate::error::Error;

const DONE: u32 = 0;
/// Read what `missing_offset` and `missing_length` say on the landing, provide it, and call again.
const MISSING: u32 = 1;
/// These are not what was written there.
const DAMAGED: u32 = 2;

/// In the place of an id or a length: there is none.
const NONE: u32 = u32::MAX;

fn kind_named(name: &str, each: u32) -> Kind {
    match name {
        "brute" => Kind::Brute,
        "binary" => Kind::Binary,
        "tree" => Kind::Tree,
        "hash" => Kind::Hash,
        "bucket" => Kind::Bucket(each),
        _ => Kind::Tagged,
    }
}

#[allow(clippy::needless_pass_by_value)]
fn thrown(error: Error) -> JsValue {
    JsValue::from_str(&format!("{}\n\n{}", error.code, error.message))
}

/// Strings on their way into a file.
#[wasm_bindgen]
pub struct DictionaryBuilder {
    builder: Option<Builder>,
    file: Vec<u8>,
}

#[wasm_bindgen]
impl DictionaryBuilder {
    /// `salt`: 16 random bytes. `page_bytes` is 0 for what the strings ask for.
    #[wasm_bindgen(constructor)]
    pub fn new(kind: &str, each: u32, salt: &[u8], page_bytes: u32) -> DictionaryBuilder {
        let shape = Shape {
            page_bytes,
            ..Shape::new(kind_named(kind, each), salt.try_into().unwrap_or_default())
        };
        DictionaryBuilder {
            builder: Some(Builder::new(shape)),
            file: Vec::new(),
        }
    }

    /// Takes in strings, each after its length (4).
    pub fn push(&mut self, strings: &[u8]) -> Result<(), JsValue> {
        let Some(builder) = &mut self.builder else {
            return Ok(());
        };
        let mut reader = Reader::new(strings);
        while let Some(string) = next(&mut reader) {
            builder.push(string).map_err(thrown)?;
        }
        Ok(())
    }

    /// Makes the file; gives its length.
    pub fn finish(&mut self) -> Result<usize, JsValue> {
        if let Some(builder) = self.builder.take() {
            let file = &mut self.file;
            builder
                .finish(&mut |bytes| file.extend_from_slice(bytes))
                .map_err(thrown)?;
        }
        Ok(self.file.len())
    }

    /// A part of the file.
    pub fn part(&self, from: usize, to: usize) -> Vec<u8> {
        let to = to.min(self.file.len());
        self.file.get(from..to).unwrap_or_default().to_vec()
    }
}

/// What is asked of a dictionary.
#[derive(Default)]
struct Asked {
    file: usize,
    /// How far of what is on the desk is answered.
    from: usize,
    to: usize,
    progress: Progress,
}

/// Dictionaries under one budget of memory.
#[wasm_bindgen]
pub struct Dictionaries {
    pages: Pages,
    open: Vec<Option<Dictionary>>,
    opening: Option<(usize, Opening)>,
    asked: Asked,
    desk: Vec<u8>,
    landing: Vec<u8>,
    answers: Vec<u8>,
    string: Vec<u8>,
    missing: Span,
}

#[wasm_bindgen]
impl Dictionaries {
    #[wasm_bindgen(constructor)]
    pub fn new(bytes_max: usize) -> Dictionaries {
        Dictionaries {
            pages: Pages::new(bytes_max),
            open: Vec::new(),
            opening: None,
            asked: Asked::default(),
            desk: Vec::new(),
            landing: Vec::new(),
            answers: Vec::new(),
            string: Vec::new(),
            missing: Span {
                file: 0,
                offset: 0,
                length: 0,
            },
        }
    }

    /// The module's memory, in which places are.
    pub fn memory() -> JsValue {
        wasm_bindgen::memory()
    }

    /// Begins to open a file of so many bytes: read what is missing, then provide it.
    pub fn open(&mut self, file: u32, bytes: f64) {
        let opening = Opening::new(file, offset_in(bytes));
        self.missing = opening.wanted();
        self.opening = Some((file as usize, opening));
    }

    /// Where the host writes strings that it asks for, each after its length (4), or ids (4).
    pub fn desk(&mut self, bytes: usize) -> usize {
        self.desk.resize(bytes, 0);
        self.desk.as_ptr().addr()
    }

    /// Where the host writes what it read.
    pub fn landing(&mut self) -> usize {
        let length = self.missing.length as usize;
        if self.landing.len() < length {
            self.landing.resize(length, 0);
        }
        self.landing.as_ptr().addr()
    }

    pub fn missing_offset(&self) -> f64 {
        offset_out(self.missing.offset)
    }

    pub fn missing_length(&self) -> u32 {
        self.missing.length
    }

    /// Takes in what was missing, of which so many bytes are on the landing.
    pub fn provide(&mut self, found: usize) -> u32 {
        let bytes = self.landing.get(..found).unwrap_or_default();
        let Some((file, mut opening)) = self.opening.take() else {
            self.pages.provide(self.missing, bytes);
            return DONE;
        };
        match opening.provide(bytes, &mut self.pages) {
            Ok(Some(dictionary)) => {
                if self.open.len() <= file {
                    self.open.resize_with(file + 1, || None);
                }
                self.open[file] = Some(dictionary);
                DONE
            }
            Ok(None) => {
                self.missing = opening.wanted();
                self.opening = Some((file, opening));
                MISSING
            }
            Err(_) => DAMAGED,
        }
    }

    /// Begins with what is on the desk, so many bytes of it.
    pub fn ask(&mut self, file: usize, bytes: usize) {
        self.asked = Asked {
            file,
            to: bytes.min(self.desk.len()),
            ..Asked::default()
        };
        self.answers.clear();
    }

    /// Looks ids of strings up: of each its id (4), as answers.
    pub fn ids(&mut self) -> u32 {
        self.run(|dictionary, reader, string, progress, pages, answers| {
            let _ = string;
            let Some(asked) = next(reader) else {
                return Ok(());
            };
            let id = dictionary.lookup_id(asked, progress, pages)?;
            answers.extend(id.unwrap_or(NONE).to_le_bytes());
            Ok(())
        })
    }

    /// Looks strings of ids up: of each its length (4) and its bytes, as answers.
    pub fn strings(&mut self) -> u32 {
        self.run(|dictionary, reader, string, progress, pages, answers| {
            let Some(id) = reader.u32() else {
                return Ok(());
            };
            if !dictionary.lookup_string(id, string, progress, pages)? {
                answers.extend(NONE.to_le_bytes());
                return Ok(());
            }
            let length = u32::try_from(string.len()).unwrap_or(NONE);
            answers.extend(length.to_le_bytes());
            answers.extend_from_slice(string);
            Ok(())
        })
    }

    /// Where the answers are, and how many bytes of them.
    pub fn answers(&self) -> usize {
        self.answers.as_ptr().addr()
    }

    pub fn answers_bytes(&self) -> usize {
        self.answers.len()
    }

    /// Bytes of memory that an open dictionary takes besides its pages.
    pub fn resident(&self, file: usize) -> usize {
        let dictionary = self.open.get(file).and_then(Option::as_ref);
        dictionary.map_or(0, Dictionary::resident)
    }

    /// Bytes of memory that pages take, and all dictionaries that are open.
    pub fn pages_resident(&self) -> usize {
        self.pages.resident()
    }
}

type Lookup = fn(
    &Dictionary,
    &mut Reader,
    &mut Vec<u8>,
    &mut Progress,
    &mut Pages,
    &mut Vec<u8>,
) -> Result<(), Stop>;

impl Dictionaries {
    fn run(&mut self, lookup: Lookup) -> u32 {
        let Some(Some(dictionary)) = self.open.get(self.asked.file) else {
            return DAMAGED;
        };
        let asked = &mut self.asked;
        while asked.from < asked.to {
            let mut reader = Reader::new(&self.desk[asked.from..asked.to]);
            let result = lookup(
                dictionary,
                &mut reader,
                &mut self.string,
                &mut asked.progress,
                &mut self.pages,
                &mut self.answers,
            );
            match result {
                Ok(()) => {
                    // What is cut off at the end of the desk is answered with nothing.
                    let left = reader.left();
                    asked.from = if asked.to - left > asked.from {
                        asked.to - left
                    } else {
                        asked.to
                    };
                    asked.progress = Progress::default();
                }
                Err(Stop::Missing(span)) => {
                    self.missing = span;
                    return MISSING;
                }
                Err(Stop::Damaged(_)) => return DAMAGED,
            }
        }
        DONE
    }
}

fn next<'a>(reader: &mut Reader<'a>) -> Option<&'a [u8]> {
    let length = reader.u32()?;
    reader.take(length as usize)
}
