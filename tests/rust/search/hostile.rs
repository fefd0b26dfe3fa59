//! Segments whose bytes are anything: what is asked of them ends, with hits or with what is damaged, and never panics.

use stackroom::index::Index;
use stackroom::pattern::Fragment;
use stackroom::query::parse;
use stackroom::search::{
    Field, Query, QueryOptions, SearchIndex, SearchManifest, SearchPart, Source, WordRows,
};
use stackroom::segment::{Blocks, SegmentWriter, Stop};

use crate::corpus::records;
use crate::host::{Entry, Host, Random};
use crate::kept::build;

/// Steps after which something would not end.
const STEPS_MAX: usize = 20_000;

struct Sections(Vec<(Vec<u8>, stackroom::segment::Kind, Vec<Entry>)>);

impl Sections {
    fn of(host: &mut Host, search: &SearchIndex) -> Sections {
        let file = search.files()[0];
        let segment = host.open(file).expect("a segment");
        let sections = segment.sections().iter().map(|section| {
            let entries = host.read(&segment, section, 0).expect("entries");
            (section.name.to_vec(), section.kind, entries)
        });
        Sections(sections.collect())
    }

    /// A segment whose checksums are right, whatever is in it.
    fn write(&self) -> Vec<u8> {
        let mut writer = SegmentWriter::new(3);
        for (name, kind, entries) in &self.0 {
            writer.begin(name, *kind);
            for (key, value) in entries {
                writer.push(key, value);
            }
        }
        writer.finish()
    }
}

/// Runs what comes to an end by itself, or by damage.
fn finish(host: &mut Host, mut step: impl FnMut(&mut Blocks) -> Result<bool, Stop>) -> bool {
    for _ in 0..STEPS_MAX {
        match host.run(&mut step) {
            Ok(true) => return true,
            Ok(false) => {}
            Err(_) => return false,
        }
    }
    panic!("it does not end");
}

/// Asks all there is of an index of such a file, and merges it with itself.
fn ask_all(bytes: Vec<u8>, sound: &SearchPart) {
    let mut host = Host::new();
    let length = bytes.len() as u64;
    host.files.insert(0, bytes.clone());
    host.files.insert(1, bytes);
    let part = |file, end| SearchPart {
        file,
        bytes: length,
        end,
        totals: sound.totals,
    };
    let manifest = SearchManifest {
        parts: vec![part(0, sound.end), part(1, 2 * sound.end)],
    };
    let Ok(mut search) = host.run(|blocks| SearchIndex::open(&manifest, blocks)) else {
        return;
    };
    let index = Index::new();
    let source = Source {
        search: &search,
        index: &index,
        documents: None,
    };
    for text in [
        "re",
        "\"re mi\"",
        "r*",
        "con* or -re",
        "ta stare \"lo\" lo",
        "\u{4e2d}\u{56fd}\u{4eba}",
    ] {
        let node = parse(text).expect("a query");
        let mut query = Query::new(&node, QueryOptions::default()).expect("a query");
        finish(&mut host, |blocks| query.rank(5, &source, blocks));
    }
    for begins_word in [false, true] {
        let fragment = Fragment {
            text: "re".into(),
            begins_word,
            ends_word: false,
        };
        let mut rows = WordRows::new(Field::Text, fragment);
        finish(&mut host, |blocks| rows.step(&search, blocks));
    }
    assert!(search.begin_merge(9, true));
    finish(&mut host, |blocks| {
        let is_done = search.merge(blocks)?;
        search.take_merged();
        Ok(is_done)
    });
}

#[test]
fn changed_entries_are_read_to_an_end() {
    let is_deep = std::env::var("STACKROOM_DEEP").is_ok_and(|deep| deep == "1");
    let records = records(31, 40);
    let mut host = Host::new();
    let search = build(&mut host, &records, |_| false);
    let sound = search.manifest().parts[0];
    let mut sections = Sections::of(&mut host, &search);
    ask_all(sections.write(), &sound);
    let mut random = Random(77);
    for _ in 0..if is_deep { 20_000 } else { 150 } {
        let section = usize::try_from(random.below(sections.0.len() as u64)).expect("small");
        let entries = &mut sections.0[section].2;
        let at = usize::try_from(random.below(entries.len() as u64)).expect("small");
        let value = &mut entries[at].1;
        let before = value.clone();
        match random.below(4) {
            0 => value
                .truncate(usize::try_from(random.below(before.len() as u64 + 1)).expect("small")),
            1 => value.extend([0xff, 0xff, 0xff, 0x7f]),
            _ if value.is_empty() => {}
            _ => {
                let place = usize::try_from(random.below(value.len() as u64)).expect("small");
                value[place] = [0, 1, 0x7f, 0x80, 0xff, value[place] ^ 1]
                    [usize::try_from(random.below(6)).expect("small")];
            }
        }
        let bytes = sections.write();
        sections.0[section].2[at].1 = before;
        ask_all(bytes, &sound);
    }
}

#[test]
fn changed_and_cut_files_are_noticed() {
    let records = records(32, 40);
    let mut host = Host::new();
    let search = build(&mut host, &records, |_| false);
    let sound = search.manifest().parts[0];
    let bytes = host.files[&sound.file].clone();
    let mut random = Random(78);
    for _ in 0..60 {
        let mut bad = bytes.clone();
        let at = usize::try_from(random.below(bad.len() as u64)).expect("small");
        if random.below(3) == 0 {
            bad.truncate(at);
        } else {
            bad[at] ^= 1 << random.below(8);
        }
        ask_all(bad, &sound);
    }
}
