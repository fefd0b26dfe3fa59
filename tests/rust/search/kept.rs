//! Segments of a search index: flushed, merged, opened again, damaged.

use stackroom::search::{SearchCheck, SearchIndex, SearchManifest};
use stackroom::segment::Stop;

use crate::corpus::{Made, records};
use crate::host::{Entry, Host};

/// An index of records whose segments end where it is told, merged as is due.
pub fn build(host: &mut Host, records: &[Made], ends: impl Fn(usize) -> bool) -> SearchIndex {
    let mut search = SearchIndex::new();
    for (row, (record, document)) in records.iter().enumerate() {
        assert!(search.push(row as u64, record, document.as_ref()));
        if ends(row) || search.is_full() || row + 1 == records.len() {
            flush(host, &mut search);
            merge(host, &mut search, false);
        }
    }
    search
}

fn next_file(host: &Host) -> u32 {
    host.files.keys().max().map_or(0, |last| last + 1)
}

pub fn flush(host: &mut Host, search: &mut SearchIndex) {
    let file = next_file(host);
    let bytes = search.flush(u64::from(file) + 7);
    let length = bytes.len() as u64;
    host.files.insert(file, bytes);
    host.run(|blocks| search.adopt(file, length, blocks))
        .expect("a segment");
}

pub fn merge(host: &mut Host, search: &mut SearchIndex, is_all: bool) {
    while search.begin_merge(u64::from(next_file(host)) + 7, is_all) {
        let mut bytes = Vec::new();
        while !host.run(|blocks| search.merge(blocks)).expect("a merge") {
            bytes.extend(search.take_merged());
        }
        bytes.extend(search.take_merged());
        let (file, length) = (next_file(host), bytes.len() as u64);
        host.files.insert(file, bytes);
        let gone = host.run(|blocks| search.end_merge(file, length, blocks));
        for file in gone.expect("a merged segment") {
            host.files.remove(&file);
        }
    }
}

pub fn check(host: &mut Host, search: &SearchIndex) -> Result<(), Stop> {
    let mut state = SearchCheck::default();
    while !host.run(|blocks| search.check(&mut state, blocks))? {}
    Ok(())
}

fn entries(host: &mut Host, search: &SearchIndex, section: &str) -> Vec<Entry> {
    let [file] = search.files()[..] else {
        panic!("one segment");
    };
    let segment = host.open(file).expect("a segment");
    let section = segment.section(section.as_bytes()).expect("a section");
    host.read(&segment, section, 0).expect("entries")
}

#[test]
fn merged_segments_say_what_one_segment_says() {
    let records = records(5, 900);
    let mut one_host = Host::new();
    let one = build(&mut one_host, &records, |_| false);
    assert_eq!(one.files().len(), 1);
    check(&mut one_host, &one).expect("sound");
    for step in [7, 50, 331] {
        let mut host = Host::new();
        let mut many = build(&mut host, &records, |row| row % step == 0);
        check(&mut host, &many).expect("sound");
        merge(&mut host, &mut many, true);
        check(&mut host, &many).expect("sound");
        assert_eq!(many.totals(), one.totals());
        assert_eq!(many.end(), one.end());
        for section in ["words", "lengths"] {
            let merged = entries(&mut host, &many, section);
            assert!(merged == entries(&mut one_host, &one, section), "{section}");
        }
        // Pieces are not as full, but nearly.
        let whole = one.bytes();
        assert!(
            many.bytes() < whole + whole / 4,
            "{} for {whole}",
            many.bytes()
        );
    }
}

#[test]
fn rows_come_one_after_another() {
    let records = records(1, 3);
    let mut search = SearchIndex::new();
    assert!(!search.push(1, &records[0].0, None));
    assert!(search.push(0, &records[0].0, None));
    assert!(!search.push(0, &records[0].0, None));
    assert!(search.push(1, &records[1].0, records[1].1.as_ref()));
    assert_eq!((search.next(), search.end()), (2, 0));
    let mut host = Host::new();
    flush(&mut host, &mut search);
    assert_eq!((search.next(), search.end()), (2, 2));
    assert!(search.flush(1).is_empty());
}

#[test]
fn an_index_opens_from_its_manifest() {
    let records = records(9, 400);
    let mut host = Host::new();
    let search = build(&mut host, &records, |row| row % 100 == 99);
    let manifest = search.manifest();
    let bytes = manifest.to_bytes();
    assert_eq!(SearchManifest::read(&bytes), Some(manifest.clone()));
    for length in 0..bytes.len() {
        let _ = SearchManifest::read(&bytes[..length]);
    }
    let mut again = host
        .run(|blocks| SearchIndex::open(&manifest, blocks))
        .expect("an index");
    assert_eq!(again.totals(), search.totals());
    assert_eq!(again.next(), 400);
    assert!(again.push(400, &records[0].0, records[0].1.as_ref()));
}
