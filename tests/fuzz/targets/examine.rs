//! Any text as a query of what only records tell, asked of all records of any archive: the first line is the query. Every
//! record has one outcome, and the same however the archive is cut.
#![no_main]

use std::rc::Rc;

use stackroom::archive::{Feed, Part, Pick, detect};
use stackroom::captures::Captures;
use stackroom::examine::{Examiner, Outcome};
use stackroom_fuzz::table;

const STEPS_MAX: usize = 1_000_000;

fn examined(query: &str, captures: &Captures, bytes: &[u8], window: usize) -> Option<Vec<(usize, Outcome)>> {
    let mut examiner = Examiner::new(query).ok()?;
    let parts: Vec<Rc<Part>> = captures.parts().iter().map(|one| Rc::new(one.part.clone())).collect();
    let mut rows = 0..captures.len();
    let mut outcomes = Vec::new();
    for _ in 0..STEPS_MAX {
        while examiner.waiting() < 3 {
            let Some(row) = rows.next() else { break };
            match captures.place(row) {
                Some((part, offset, skip)) => examiner.pick(Pick { row, part: Rc::clone(&parts[part]), offset, skip }),
                None => examiner.pass_over(row),
            }
        }
        let at = usize::try_from(examiner.wanted()).unwrap_or(usize::MAX).min(bytes.len());
        let piece = &bytes[at..at.saturating_add(window).min(bytes.len())];
        let is_done = if piece.is_empty() {
            examiner.finish(bytes.len() as u64)
        } else {
            examiner.feed(piece);
            false
        };
        outcomes.extend(examiner.take());
        if is_done {
            outcomes.sort_by_key(|&(row, _)| row);
            return Some(outcomes);
        }
    }
    panic!("reading does not end");
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let line = bytes.iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len());
    let (query, archive) = bytes.split_at(line);
    let (query, archive) = (String::from_utf8_lossy(query), archive.get(1..).unwrap_or_default());
    let Ok(format) = detect(&archive[..archive.len().min(64 << 10)]) else {
        return;
    };
    let captures = table(format, archive);
    let Some(whole) = examined(&query, &captures, archive, usize::MAX) else {
        return;
    };
    let rows: Vec<usize> = whole.iter().map(|&(row, _)| row).collect();
    assert!(rows.iter().copied().eq(0..captures.len()), "each row once: {rows:?}");
    let window = 1 + query.len() * 3;
    assert_eq!(whole, examined(&query, &captures, archive, window).expect("a query"), "in pieces of {window}");
});
