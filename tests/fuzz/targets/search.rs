//! A search index in which some entries have other values, with checksums that are right: asked, checked and merged to
//! an end. The input is changes: section, entry, length of the value, value.
#![no_main]

use std::collections::HashMap;
use std::sync::OnceLock;

use stackroom::document::Document;
use stackroom::index::Index;
use stackroom::query::parse;
use stackroom::row::Row;
use stackroom::search::{
    Query, QueryOptions, SearchCheck, SearchIndex, SearchManifest, SearchPart, Source,
};
use stackroom::segment::{Blocks, Cursor, Kind, Segment, SegmentWriter, Stop};

const STEPS_MAX: usize = 20_000;

type Entries = Vec<(Vec<u8>, Vec<u8>)>;

struct Sound {
    part: SearchPart,
    sections: Vec<(Vec<u8>, Kind, Entries)>,
}

/// Runs what ends by itself, or by damage: files by their numbers.
fn finish(
    files: &[Vec<u8>],
    blocks: &mut Blocks,
    mut step: impl FnMut(&mut Blocks) -> Result<bool, Stop>,
) -> bool {
    for _ in 0..STEPS_MAX {
        match step(blocks) {
            Ok(true) => return true,
            Ok(false) => {}
            Err(Stop::Damaged(_)) => return false,
            Err(Stop::Missing(span)) => {
                let file = &files[span.file as usize];
                let from = usize::try_from(span.offset)
                    .unwrap_or(usize::MAX)
                    .min(file.len());
                let to = file.len().min(from + span.length as usize);
                blocks.provide(span, &file[from..to]);
            }
        }
    }
    panic!("it does not end");
}

fn sound() -> &'static Sound {
    static SOUND: OnceLock<Sound> = OnceLock::new();
    SOUND.get_or_init(|| {
        let mut search = SearchIndex::new();
        for row in 0..300 {
            let record = Row {
                url: format!("http://a.test/{row}").into_bytes(),
                ..Row::default()
            };
            let document = Document {
                row,
                title: format!("one of {row}"),
                text: "one two one three ".repeat(1 + usize::try_from(row % 40).expect("small")),
                ..Document::default()
            };
            search.push(row, &record, Some(&document));
        }
        let files = [search.flush(1)];
        let mut blocks = Blocks::new(1 << 24);
        finish(&files, &mut blocks, |blocks| {
            search
                .adopt(0, files[0].len() as u64, blocks)
                .map(|()| true)
        });
        let part = search.manifest().parts[0];
        let mut segment = None;
        finish(&files, &mut blocks, |blocks| {
            segment = Some(Segment::open(0, part.bytes, blocks)?);
            Ok(true)
        });
        let segment = segment.expect("a segment");
        let mut sections = Vec::new();
        for section in segment.sections() {
            let mut entries = Entries::new();
            let mut cursor = Cursor::new(section, 0);
            while entries.len() as u64 != section.entries {
                finish(&files, &mut blocks, |blocks| {
                    let (key, value) = cursor.read(&segment, blocks)?.expect("an entry");
                    entries.push((key.to_vec(), value.to_vec()));
                    Ok(true)
                });
                cursor.go_on();
            }
            sections.push((section.name.to_vec(), section.kind, entries));
        }
        Sound { part, sections }
    })
}

/// The changes that an input asks for.
fn changes(mut bytes: &[u8]) -> HashMap<(usize, usize), &[u8]> {
    let mut changes = HashMap::new();
    while let Some(([section, a, b, length], rest)) = bytes.split_first_chunk() {
        let (value, rest) = rest.split_at(usize::from(*length).min(rest.len()));
        let entry = usize::from(u16::from_le_bytes([*a, *b]));
        changes.insert((usize::from(*section), entry), value);
        bytes = rest;
    }
    changes
}

fn ask(bytes: &[u8]) {
    let sound = sound();
    let changes = changes(bytes);
    let mut writer = SegmentWriter::new(3);
    for (n, (name, kind, entries)) in sound.sections.iter().enumerate() {
        writer.begin(name, *kind);
        for (m, (key, value)) in entries.iter().enumerate() {
            writer.push(key, changes.get(&(n, m)).copied().unwrap_or(value));
        }
    }
    let file = writer.finish();
    let part = |number: u32| SearchPart {
        file: number,
        bytes: file.len() as u64,
        end: sound.part.end * u64::from(number + 1),
        ..sound.part
    };
    let manifest = SearchManifest {
        parts: vec![part(0), part(1)],
    };
    let files = [file.clone(), file];
    let mut blocks = Blocks::new(1 << 22);
    let mut opened = None;
    finish(&files, &mut blocks, |blocks| {
        opened = Some(SearchIndex::open(&manifest, blocks)?);
        Ok(true)
    });
    let Some(mut search) = opened else {
        return;
    };
    let mut check = SearchCheck::default();
    finish(&files, &mut blocks, |blocks| {
        search.check(&mut check, blocks)
    });
    let index = Index::new();
    let source = Source {
        search: &search,
        index: &index,
        documents: None,
    };
    for text in ["one", "\"two one\"", "t*", "three -twos or title:one"] {
        let node = parse(text).expect("a query");
        let mut query = Query::new(&node, QueryOptions::default()).expect("a query");
        finish(&files, &mut blocks, |blocks| query.rank(5, &source, blocks));
    }
    search.begin_merge(9, true);
    finish(&files, &mut blocks, |blocks| {
        let is_done = search.merge(blocks)?;
        search.take_merged();
        Ok(is_done)
    });
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ask(bytes));
