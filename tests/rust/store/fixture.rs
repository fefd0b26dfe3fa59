//! The store that `tests/fixtures/store/store-v1.bin` keeps stays readable. The file is made by the test that is
//! called with `STACKROOM_MAKE_STORE=1`, and only where there is none.
//!
//!   file := magic:"stackroom store fixture\n" part*      part := kind:u8 number:u32 length:u32 bytes
//! A part of kind 0 is the page of that number, one of kind 1 the extent. Pages that nothing refers to are left out.

use std::collections::HashMap;
use std::path::PathBuf;

use super::disk::{Disk, Files, Write};
use super::host::Host;

const MAGIC: &[u8] = b"stackroom store fixture\n";

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/store/store-v1.bin")
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

fn make() {
    let mut host = Host::new();
    let mut entries: Vec<_> = entries().into_iter().collect();
    entries.sort_unstable();
    for (key, value) in &entries {
        host.put(key, value);
    }
    host.put(b"removed", &[1; 500]);
    host.commit();
    host.remove(b"removed");
    host.commit();
    host.tidy();
    std::fs::write(path(), write(host.files())).expect("it can be written");
}

#[test]
fn the_store_of_version_1_is_read() {
    if std::env::var_os("STACKROOM_MAKE_STORE").is_some() && !path().exists() {
        make();
    }
    let files = read(&std::fs::read(path()).expect("it is committed"));
    let mut host = Host::open(Disk::of(files.clone()));
    host.verify();
    assert!(host.all() == entries());
    assert_eq!(host.store.generation(), 2);
    assert_eq!(host.get(b"removed"), None);
    // It is written on, and rebuilt.
    host.put(b"new", &[2; 1000]);
    host.commit();
    assert_eq!(host.reopen().get(b"new"), Some(vec![2; 1000]));
    let (mut rebuilt, findings) = Host::rebuild(files);
    assert_eq!(findings, []);
    assert!(rebuilt.all() == entries());
}
