//! Dictionaries that are cut or flipped anywhere: told as damaged, never answered from wrongly, never a hang.

use stackroom::dictionary::{Cursor, Dictionary, Pages, Stop};

use super::host::{Host, KINDS, Random, shape, some_strings, written};

/// So much memory that filters are asked.
const WITH_FILTERS: usize = 1 << 20;

/// Asks everything; says whether any of it was told as damaged.
fn ask(host: &mut Host, dictionary: &Dictionary, strings: &[Vec<u8>], is_checked: bool) -> bool {
    let mut is_damaged = false;
    let mut told = |is_right: bool, stop: Option<Stop>| match stop {
        Some(_) => is_damaged = true,
        None => assert!(is_right || !is_checked, "a wrong answer"),
    };
    for (id, string) in (0..).zip(strings) {
        let found = host.id(dictionary, string);
        told(found == Ok(Some(id)), found.err());
        let found = host.string(dictionary, id);
        told(
            found
                .as_ref()
                .is_ok_and(|found| found.as_ref() == Some(string)),
            found.err(),
        );
    }
    let found = host.id(dictionary, b"not there");
    told(found == Ok(None), found.err());
    if dictionary.is_ordered() {
        let found = host.all(dictionary, Cursor::new(b"", None));
        let is_right = found
            .as_ref()
            .is_ok_and(|all| all.len() == strings.len() && all.is_sorted_by(|a, b| a.1 < b.1));
        told(is_right, found.err());
    }
    is_damaged
}

#[test]
fn every_flipped_byte_is_noticed_before_anything_is_told_from_it() {
    let strings = some_strings(24, 3);
    for kind in KINDS {
        let whole = written(shape(kind), &strings);
        let mut unnoticed = 0;
        for at in 0..whole.len() {
            let mut file = whole.clone();
            file[at] ^= 1 << (at % 8);
            let mut host = Host::with(file, Pages::new(WITH_FILTERS));
            let is_noticed = match host.open() {
                Ok(dictionary) => ask(&mut host, &dictionary, &strings, true),
                Err(_) => true,
            };
            unnoticed += usize::from(!is_noticed);
        }
        // A page that no string is for is not read.
        assert!(
            unnoticed <= 2 * 512,
            "{kind:?}: {unnoticed} of {}",
            whole.len()
        );
    }
}

#[test]
fn what_is_cut_does_not_open() {
    let strings = some_strings(24, 3);
    for kind in KINDS {
        let whole = written(shape(kind), &strings);
        for length in 0..whole.len() {
            let mut host = Host::new(whole[..length].to_vec());
            assert!(host.open().is_err(), "{kind:?}, {length} bytes");
        }
        // Bytes that came behind it are no part of it.
        let mut host = Host::new([whole.as_slice(), b"x"].concat());
        assert!(host.open().is_err());
    }
}

#[test]
fn what_no_checksum_tells_still_ends_and_does_not_panic() {
    let strings = some_strings(24, 3);
    let mut random = Random(11);
    for kind in KINDS {
        let whole = written(shape(kind), &strings);
        // All of the footer, and some of the rest.
        let last = whole.len() - 120..whole.len();
        let some =
            (0..400).map(|_| usize::try_from(random.below(whole.len() as u64)).expect("a number"));
        for at in last.chain(some.collect::<Vec<_>>()) {
            for flip in [1, 0x80, 0xff] {
                let mut file = whole.clone();
                file[at] ^= flip;
                for bytes_max in [0, WITH_FILTERS] {
                    let mut host = Host::with(file.clone(), Pages::unverified(bytes_max));
                    if let Ok(dictionary) = host.open() {
                        ask(&mut host, &dictionary, &strings, false);
                    }
                }
            }
        }
    }
}

#[test]
fn a_page_from_another_place_or_dictionary_is_noticed() {
    let strings: Vec<Vec<u8>> = (0..200)
        .map(|n| format!("string {n}").into_bytes())
        .collect();
    for kind in KINDS {
        let whole = written(shape(kind), &strings);
        let mut file = whole.clone();
        file.copy_within(512..1024, 0);
        let mut host = Host::with(file, Pages::new(WITH_FILTERS));
        if let Ok(dictionary) = host.open() {
            assert!(ask(&mut host, &dictionary, &strings, true), "{kind:?}");
        }
    }
}
