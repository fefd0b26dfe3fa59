//! The stores that `tests/fixtures/store/` keeps, of version 1 and of version 2, stay readable. A file is made by the
//! test that is called with `STACKROOM_MAKE_STORE=1`, and only where there is none.
//!
//!   file := magic:"stackroom store fixture\n" part*      part := kind:u8 number:u32 length:u32 bytes
//! A part of kind 0 is the page of that number, one of kind 1 the extent. Pages that nothing refers to are left out.

use std::collections::HashMap;
use std::path::PathBuf;

use super::disk::{Disk, Files, Write};
use super::host::Host;

const MAGIC: &[u8] = b"stackroom store fixture\n";

fn path(version: u32) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/store");
    folder.join(format!("store-v{version}.bin"))
}

/// What is in it, told by a rule rather than a copy.
fn entries() -> HashMap<Vec<u8>, Vec<u8>> {
    let mut entries = HashMap::new();
    for n in 0..400usize {
        let key = format!("https://example.org/{n}").into_bytes();
        let value = format!("value {n} ").into_bytes().repeat(n % 40);
        entries.insert(key, value);
    }
    entries.insert(Vec::new(), b"of the empty key".to_vec());
    entries.insert(b"empty".to_vec(), Vec::new());
    entries.insert(b"long key ".repeat(100), b"of a long key".to_vec());
    entries.insert(
        b"parts".to_vec(),
        (0..=250u8).cycle().take(70_000).collect(),
    );
    entries
}

fn read(bytes: &[u8]) -> Files {
    let mut rest = bytes.strip_prefix(MAGIC).expect("it is a fixture");
    let mut files = Files::default();
    while let Some((head, after)) = rest.split_first_chunk::<9>() {
        let number = |at: usize| u32::from_le_bytes(*head[at..].first_chunk().expect("four bytes"));
        let (part, more) = after.split_at(number(5) as usize);
        let bytes: std::rc::Rc<[u8]> = part.into();
        files.apply(&match head[0] {
            0 => Write::Page(number(1), bytes),
            _ => Write::Extent(number(1), 0, bytes),
        });
        rest = more;
    }
    files
}

fn write(files: &Files) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    let mut part = |kind: u8, number: u32, bytes: &[u8]| {
        out.push(kind);
        out.extend(number.to_le_bytes());
        out.extend(
            u32::try_from(bytes.len())
                .expect("it is short")
                .to_le_bytes(),
        );
        out.extend(bytes);
    };
    for (number, bytes) in &files.pages {
        part(0, *number, bytes);
    }
    for (number, bytes) in &files.extents {
        part(1, *number, bytes);
    }
    out
}

/// Version 2 has a log: of a value in a page, of one in an extent and of a removal.
fn make(version: u32) {
    let mut host = Host::new();
    let mut entries: Vec<_> = entries().into_iter().collect();
    entries.sort_unstable();
    for (key, value) in entries.iter().skip(20 * (version as usize - 1)) {
        host.put(key, value);
    }
    host.put(b"removed", &[1; 500]);
    host.settle();
    for (key, value) in entries.iter().take(20 * (version as usize - 1)) {
        host.put(key, value);
    }
    host.remove(b"removed");
    if version == 1 {
        host.settle();
    } else {
        host.commit();
    }
    host.tidy();
    std::fs::write(path(version), write(host.files())).expect("it can be written");
}

#[test]
fn the_store_of_version_1_is_read() {
    read_version(1);
}

#[test]
fn the_store_of_version_2_is_read() {
    read_version(2);
}

fn read_version(version: u32) {
    if std::env::var_os("STACKROOM_MAKE_STORE").is_some() && !path(version).exists() {
        make(version);
    }
    let files = read(&std::fs::read(path(version)).expect("it is committed"));
    let mut host = Host::open(Disk::of(files.clone()));
    host.verify();
    assert!(host.all() == entries());
    assert_eq!(host.store.generation(), 2);
    assert_eq!(host.store.is_settled(), version == 1);
    assert_eq!(host.get(b"removed"), None);
    // It is written on, and rebuilt.
    host.put(b"new", &[2; 1000]);
    host.commit();
    assert_eq!(host.reopen().get(b"new"), Some(vec![2; 1000]));
    let (mut rebuilt, findings) = Host::rebuild(files);
    assert_eq!(findings, []);
    assert!(rebuilt.all() == entries());
}
