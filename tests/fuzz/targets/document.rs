//! Any bytes as the body of a document: the first byte says of which kind.
#![no_main]

use stackroom::codec::{Reader, Writer};
use stackroom::document::{Document, DocumentKind, Found, Helper, read};

/// PDFs, and no set but UTF-8: others are the host's.
struct None;

impl Helper for None {
    fn decode(&mut self, _: &str, _: &[u8]) -> Option<String> {
        Option::None
    }

    fn pdf(&mut self, body: &[u8]) -> Option<Document> {
        stackroom::pdf::read(body.to_vec())
    }
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((kind, body)) = bytes.split_first() else {
        return;
    };
    let Some(kind) = DocumentKind::from_number(u64::from(kind % 8)) else {
        return;
    };
    let found = Found {
        kind,
        charset: "utf-8".into(),
        redirect: body[..body.len().min(100)].to_vec(),
        body: body.to_vec(),
        ..Found::default()
    };
    let document = read(found, &mut None);
    assert!(!document.text.contains("\n\n") && document.text.trim() == document.text);
    let mut out = Writer::new();
    document.write(&mut out);
    let bytes = out.finish();
    assert_eq!(Document::read(&mut Reader::new(&bytes)), Some(document));
    // The same bytes as what is handed over, found or read.
    let _ = Found::read(&mut Reader::new(body));
    let _ = Document::read(&mut Reader::new(body));
});
