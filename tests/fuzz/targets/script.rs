//! Any bytes as a script: the first byte says as what it is read.
#![no_main]

use stackroom::rewrite::needs_editing;
use stackroom::script::{Goal, edit};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((&how, source)) = bytes.split_first() else {
        return;
    };
    let goals = [Goal::Script, Goal::Module, Goal::Function, Goal::Expression];
    let goal = goals[usize::from(how % 4)];
    let map = |url: &str| Some(format!("http://r.test/{}", url.strip_prefix("//")?));
    let Some(text) = edit(source, goal, &map).text else {
        return;
    };
    // Names with escapes, and `top` behind a comma of a case, are passed over.
    let is_plain = !source.contains(&b'\\') && !source.windows(4).any(|word| word == b"case");
    assert!(!is_plain || needs_editing(source));
    let lines = |text: &[u8]| {
        text.iter()
            .filter(|byte| matches!(byte, b'\n' | b'\r'))
            .count()
    };
    assert_eq!(lines(&text), lines(source));
    // A chain of accesses comes out as calls within each other: a long one is deeper than is read.
    assert!(source.len() > 1000 || edit(&text, goal, &map).is_read);
});
