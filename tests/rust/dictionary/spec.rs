//! What interned strings have to be, of every layout: the assertions of the article's own tests, and what it got wrong.

use stackroom::dictionary::{Builder, Kind, Pages, Shape};

use super::host::{Host, KINDS, shape, written};

/// Looks every string and every id up, and strings and ids that are not there.
fn check(shape: Shape, strings: &[&[u8]], absent: &[&[u8]]) {
    let kind = shape.kind;
    let file = written(shape, strings);
    check_in(Host::new(file.clone()), kind, strings, absent);
    // With so much memory that filters are asked.
    check_in(Host::with(file, Pages::new(1 << 20)), kind, strings, absent);
}

fn check_in(mut host: Host, kind: Kind, strings: &[&[u8]], absent: &[&[u8]]) {
    let dictionary = host.open().expect("a dictionary");
    assert_eq!(dictionary.count() as usize, strings.len());
    for (n, string) in strings.iter().enumerate() {
        let id = u32::try_from(n).expect("an id");
        assert_eq!(host.id(&dictionary, string), Ok(Some(id)), "{kind:?} {n}");
        let found = host.string(&dictionary, id);
        assert_eq!(found, Ok(Some(string.to_vec())), "{kind:?} {n}");
    }
    for string in absent {
        assert_eq!(host.id(&dictionary, string), Ok(None), "{kind:?}");
    }
    let count = dictionary.count();
    for id in [count, count + 1, 1 << 31, u32::MAX] {
        assert_eq!(host.string(&dictionary, id), Ok(None), "{kind:?} {id}");
    }
}

fn check_all(strings: &[&[u8]], absent: &[&[u8]]) {
    for kind in KINDS {
        check(shape(kind), strings, absent);
    }
}

#[test]
fn an_empty_dictionary_has_nothing() {
    check_all(&[], &[b"", b" ", b"foo"]);
}

#[test]
fn one_string_has_the_id_0() {
    check_all(&[b"foo"], &[b"", b"fo", b"fooo", b"bar"]);
    check_all(&[b""], &[b" ", b"\0"]);
}

#[test]
fn empty_and_blank_strings_are_strings() {
    check_all(&[b"foo", b"", b"bar", b" ", b"  ", b"\0"], &[b"\t", b"   "]);
}

#[test]
fn strings_are_found_in_any_order() {
    let strings: [&[u8]; 6] = [b"zebra", b"apple", b"mango", b"a", b"zz", b"apples"];
    check_all(&strings, &[b"b", b"zebr", b"zebras", b"appl", b"Apple"]);
}

#[test]
fn bytes_need_not_be_text() {
    check_all(
        &[b"\xff\xfe", b"\xc3\xa9", b"\xe9", b"\0\0", b"\0"],
        &[b"\xc3", b"\xff"],
    );
}

#[test]
fn the_string_whose_hash_was_the_least_number_is_found() {
    // In Java the hash of each of these is the least of all numbers, whose absolute value is itself.
    check_all(
        &[b"polygenelubricants", b"DESIGNING WORKHOUSES", b"foo"],
        &[b"polygene"],
    );
}

#[test]
fn strings_beyond_a_page_are_found() {
    let long = [vec![b'a'; 70_000], vec![b'a'; 70_001], vec![b'b'; 511]];
    let strings: Vec<&[u8]> = long.iter().map(Vec::as_slice).chain([&b"a"[..]]).collect();
    check_all(&strings, &[&[b'a'; 69_999], &[b'a'; 256], &[b'b'; 512]]);
}

#[test]
fn strings_that_all_meet_are_told_apart() {
    let many: Vec<String> = (0..700).map(|n| format!("string {n}")).collect();
    let long: Vec<String> = (0..12)
        .map(|n| format!("{}{n}", "long ".repeat(400)))
        .collect();
    let strings: Vec<&[u8]> = many.iter().chain(&long).map(String::as_bytes).collect();
    let mut absent = long[0].clone();
    absent.push('x');
    for hash_bits in [0, 1, 3] {
        for kind in KINDS {
            let shape = Shape {
                hash_bits,
                ..shape(kind)
            };
            check(shape, &strings, &[b"string 700", b"", absent.as_bytes()]);
        }
    }
}

#[test]
fn three_strings_that_meet_are_all_there() {
    // What collided a third time was forgotten.
    for kind in KINDS {
        let shape = Shape {
            hash_bits: 0,
            ..shape(kind)
        };
        check(shape, &[b"AaAa", b"BBBB", b"AaBB"], &[b"BBAa"]);
    }
}

#[test]
fn a_string_that_comes_twice_is_refused() {
    for kind in KINDS {
        for string in [&b"b"[..], b"", b"a"] {
            let mut builder = Builder::new(shape(kind));
            for string in [b"a", &b"b"[..], b"", b"c", string] {
                builder.push(string).expect("a string");
            }
            let error = builder.finish(&mut |_| {}).expect_err("it is there twice");
            assert_eq!(error.code, "dictionary/duplicate");
            assert!(error.message.starts_with("string 4 is the same as string "));
        }
    }
}

#[test]
fn strings_and_buckets_that_are_too_long_are_refused() {
    let mut builder = Builder::new(shape(Kind::Tagged));
    let error = builder
        .push(&vec![0; (16 << 20) + 1])
        .expect_err("too long");
    assert_eq!(error.code, "dictionary/too-long");
    let mut builder = Builder::new(shape(Kind::Bucket(u32::MAX)));
    for n in 0u32..18_000 {
        let mut string = vec![0; 1000];
        string[..4].copy_from_slice(&n.to_le_bytes());
        builder.push(&string).expect("a string");
    }
    let error = builder.finish(&mut |_| {}).expect_err("too large");
    assert_eq!(error.code, "dictionary/too-large");
}

#[test]
fn opening_reads_no_page() {
    let strings: Vec<String> = (0..5000).map(|n| format!("string {n}")).collect();
    for kind in KINDS {
        let mut host = Host::new(written(shape(kind), &strings));
        let dictionary = host.open().expect("a dictionary");
        let resident = dictionary.resident();
        assert_eq!((host.reads, host.pages.resident()), (0, resident));
        // Buckets of one string ask for 4 bytes each; nothing else grows so.
        if !matches!(kind, Kind::Bucket(1)) {
            assert!(dictionary.resident() < 4_000, "{kind:?}");
        }
    }
}
