//! Any bytes as a PDF.
#![no_main]

use stackroom::limits::DOCUMENT_TEXT_BYTES_MAX;
use stackroom::pdf::read;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some(document) = read(bytes.to_vec()) else {
        return;
    };
    assert!(document.text.len() <= DOCUMENT_TEXT_BYTES_MAX);
    assert!(!document.text.contains("\n\n") && document.text.trim_end() == document.text);
    assert!(!document.title.contains('\n'));
});
