//! Any bytes as the state of a table and its rows: the first two bytes say how long the state is.
#![no_main]

use stackroom::captures::{Awaited, Captures, Restored};

fn go_on(captures: &mut Captures, awaited: &Awaited, bytes: &[u8]) {
    let Some(mut parser) = awaited.parser(captures, Some(bytes.len() as u64)) else {
        return;
    };
    // A file of nothing but what the input ends with.
    for _ in 0..100_000 {
        let at = usize::try_from(parser.wanted()).unwrap_or(usize::MAX);
        let piece = bytes.get(at..).unwrap_or_default();
        if !piece.is_empty() {
            parser.feed(piece, captures);
        } else if parser.finish(bytes.len() as u64, captures) {
            return;
        }
    }
    panic!("reading does not end");
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((length, rest)) = bytes.split_first_chunk() else {
        return;
    };
    let length = usize::from(u16::from_le_bytes(*length)).min(rest.len());
    let (state, rows) = rest.split_at(length);
    let Some(Restored {
        mut captures,
        awaited,
    }) = Restored::read(state)
    else {
        return;
    };
    if !awaited.take_rows(&mut captures, rows) || captures.len() < awaited.rows {
        return;
    }
    let again = captures.state(usize::MAX);
    assert!(Restored::read(&again).is_some(), "what is told is a state");
    assert_eq!(
        captures.keyed_rows(0, usize::MAX).is_empty(),
        captures.is_empty()
    );
    go_on(&mut captures, &awaited, rows);
});
