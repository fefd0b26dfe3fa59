//! Lists of pages.
//!
//!   line    := {"url":URL,"ts":DATE,"title":T,"text":T,"id":ID,...} | {"format":"json-pages-1.0",...}
//!   outline := lines of YAML, of which "pages:" begins a list of "url:", "timestamp:" or "date:", and "title:"

use super::manifest::text_of;
use crate::archive::aside::{About, Aside, Page};
use crate::archive::record::Sink;
use crate::cdx::json::{Value, members};

/// Tells of the page that a line is. False where it is none, nor the head of the list.
pub fn tell(line: &[u8], name: &[u8], sink: &mut dyn Sink) -> bool {
    let mut page = Page {
        name: name.to_vec(),
        ..Page::default()
    };
    let (mut url, mut is_head) = (None, false);
    let is_sound = members(line, &mut |field, value| match (field, value) {
        (b"url", Value::Text(_)) => url = text_of(value),
        (b"ts" | b"timestamp", _) => page.date = text_of(value),
        (b"title", _) => page.title = text_of(value),
        (b"text", _) => page.text = text_of(value),
        (b"id", _) => page.id = text_of(value),
        (b"format", _) => is_head = true,
        _ => {}
    });
    match url {
        Some(url) if is_sound => {
            sink.aside(Aside::Page(Page { url, ..page }));
            true
        }
        _ => is_sound && is_head,
    }
}

/// Tells of what the outline of an early package says. Only the few shapes that tools wrote are read.
pub fn tell_outline(text: &[u8], name: &[u8], sink: &mut dyn Sink) {
    let mut about = About {
        name: name.to_vec(),
        ..About::default()
    };
    let mut pages: Vec<Page> = Vec::new();
    let mut is_in_pages = false;
    for line in text.split(|&byte| byte == b'\n') {
        let is_indented = line
            .first()
            .is_some_and(|byte| matches!(byte, b' ' | b'\t'));
        let trimmed = line.trim_ascii();
        if trimmed.is_empty() || trimmed.starts_with(b"#") {
            continue;
        }
        let (is_item, trimmed) = match trimmed.strip_prefix(b"- ") {
            Some(rest) => (true, rest.trim_ascii_start()),
            None => (false, trimmed),
        };
        let Some((field, value)) = field_of(trimmed) else {
            continue;
        };
        if !is_indented && !is_item {
            is_in_pages = field == b"pages";
            let known = ["title", "description", "desc", "created", "software"];
            if let Some(known) = known.into_iter().find(|known| known.as_bytes() == field)
                && !value.is_empty()
            {
                about.fields.push((known, value));
            }
        } else if is_in_pages {
            if is_item {
                pages.push(Page {
                    name: name.to_vec(),
                    ..Page::default()
                });
            }
            let Some(page) = pages.last_mut() else {
                continue;
            };
            match field {
                b"url" => page.url = value,
                b"timestamp" | b"ts" | b"date" => page.date = Some(value),
                b"title" => page.title = Some(value),
                b"id" => page.id = Some(value),
                b"text" => page.text = Some(value),
                _ => {}
            }
        }
    }
    sink.aside(Aside::About(about));
    for page in pages.into_iter().filter(|page| !page.url.is_empty()) {
        sink.aside(Aside::Page(page));
    }
}

/// Name and value of a line, the value without quotation marks.
fn field_of(line: &[u8]) -> Option<(&[u8], Vec<u8>)> {
    let colon = memchr::memmem::find(line, b": ")
        .or_else(|| line.ends_with(b":").then(|| line.len() - 1))?;
    let value = line[colon + 1..].trim_ascii();
    let marks = [b'"', b'\''];
    let inner = match value {
        [first, inner @ .., last] if first == last && marks.contains(first) => inner,
        _ => value,
    };
    Some((line[..colon].trim_ascii(), inner.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::{HttpHead, Record, WarcHead};
    use crate::error::Damage;

    #[derive(Default)]
    struct Told(Vec<Aside>);

    impl Sink for Told {
        fn begin(&mut self, _head: &WarcHead) {}
        fn http(&mut self, _head: &HttpHead) {}
        fn body(&mut self, _bytes: &[u8]) {}
        fn end(&mut self, _record: &Record) {}
        fn damage(&mut self, _damage: Damage) {}
        fn aside(&mut self, aside: Aside) {
            self.0.push(aside);
        }
    }

    #[test]
    fn lines_are_pages_heads_or_neither() {
        let mut told = Told::default();
        assert!(tell(
            br#"{"format":"json-pages-1.0","id":"pages"}"#,
            b"p",
            &mut told
        ));
        assert!(tell(
            br#"{"url":"http://a.test/","title":"A \u00e9","size":3}"#,
            b"p",
            &mut told
        ));
        assert!(!tell(br#"{"url":5}"#, b"p", &mut told));
        assert!(!tell(b"[]", b"p", &mut told));
        assert!(!tell(br#"{"url":"http://a.test/""#, b"p", &mut told));
        let [Aside::Page(page)] = told.0.as_slice() else {
            panic!("{:?}", told.0);
        };
        assert_eq!(page.title.as_deref(), Some("A \u{e9}".as_bytes()));
        assert_eq!(page.date, None);
    }

    #[test]
    fn outlines_of_early_packages_name_their_pages() {
        let text = b"title: \"A collection\"\ndescription: 'x'\npages:\n   - url: \"http://a.test/\"\n     timestamp: \"20170306040206\"\n     title: One: two\n   - title: No address\n";
        let mut told = Told::default();
        tell_outline(text, b"collection.yaml", &mut told);
        let [Aside::About(about), Aside::Page(page)] = told.0.as_slice() else {
            panic!("{:?}", told.0);
        };
        assert_eq!(about.fields[0], ("title", b"A collection".to_vec()));
        assert_eq!(page.url, b"http://a.test/");
        assert_eq!(page.title.as_deref(), Some(&b"One: two"[..]));
        assert_eq!(page.date.as_deref(), Some(&b"20170306040206"[..]));
    }
}
