//! Which facets a record has: what its row tells, and what its document says.

use crate::archive::RecordType;
use crate::document::{Document, DocumentKind};
use crate::index::{NO_LANGUAGE, language_tag};
use crate::limits::FACT_BYTES_MAX;
use crate::query::{after_scheme, host_of};
use crate::row::Row;

/// Longer ends of names are none that tell what a file is.
const EXTENSION_BYTES_MAX: usize = 10;

/// Calls `add` with the fields of a record and its values: `type`, `status`, `mime`, `scheme` (empty where
/// there is none before `://`), `host`, `ext`, `year`, `month`,
/// `size` (the class, see `size_class`), `digest` (eight bytes), and of its document `document` (the kind), `lang` and
/// `title`.
pub fn record_facets(record: &Row, document: Option<&Document>, mut add: impl FnMut(&str, &[u8])) {
    add(
        "type",
        RecordType::from_number(record.kind).name().as_bytes(),
    );
    if let Some(status) = record.status {
        add("status", status.to_string().as_bytes());
    }
    if !record.mime.is_empty() {
        add("mime", &record.mime);
    }
    add("scheme", &scheme_of(&record.url));
    if let Some(host) = host_of(&record.url) {
        add("host", &host);
    }
    if let Some(extension) = extension_of(&record.url) {
        add("ext", &extension);
    }
    if let Some(date) = record.date {
        let (year, month) = month_of(u64::from(date));
        add("year", format!("{year:04}").as_bytes());
        add("month", format!("{year:04}-{month:02}").as_bytes());
    }
    add("size", format!("{:02}", size_class(record.size)).as_bytes());
    if record.digest != 0 {
        add("digest", &record.digest.to_be_bytes());
    }
    if let Some(document) = document {
        document_facets(document, &mut add);
    }
}

fn document_facets(document: &Document, add: &mut impl FnMut(&str, &[u8])) {
    let (name, is_page) = match document.kind {
        DocumentKind::Html => ("html", true),
        DocumentKind::Xhtml => ("xhtml", true),
        DocumentKind::Pdf => ("pdf", true),
        DocumentKind::Text => ("text", false),
        DocumentKind::Json => ("json", false),
        DocumentKind::Xml => ("xml", false),
        DocumentKind::Feed => ("feed", false),
        DocumentKind::Redirect => ("redirect", false),
    };
    add("document", name.as_bytes());
    match language_tag(&document.language) {
        "" if is_page && !document.is_fragment => add("lang", NO_LANGUAGE.as_bytes()),
        "" => {}
        language => add("lang", language.as_bytes()),
    }
    if !document.title.is_empty() {
        add("title", cut(&document.title).as_bytes());
    }
}

/// As it is kept among the facts.
fn cut(title: &str) -> &str {
    let mut end = title.len().min(FACT_BYTES_MAX);
    while !title.is_char_boundary(end) {
        end -= 1;
    }
    &title[..end]
}

fn scheme_of(url: &[u8]) -> Vec<u8> {
    let end = after_scheme(url).map_or(0, |rest| url.len() - rest.len() - 3);
    url[..end].to_ascii_lowercase()
}

/// The extension of the file that a URL names, in small letters.
fn extension_of(url: &[u8]) -> Option<Vec<u8>> {
    let start = memchr::memmem::find(url, b"://")? + 3;
    let rest = &url[start..];
    let end = rest.iter().position(|byte| matches!(byte, b'?' | b'#'));
    let rest = &rest[..end.unwrap_or(rest.len())];
    let name = &rest[memchr::memrchr(b'/', rest)? + 1..];
    let extension = &name[memchr::memrchr(b'.', name)? + 1..];
    let is_one = (1..=EXTENSION_BYTES_MAX).contains(&extension.len())
        && extension.iter().all(u8::is_ascii_alphanumeric);
    is_one.then(|| extension.to_ascii_lowercase())
}

/// Sizes of one class have as many binary digits: 0 is of none, 1000 of 10.
pub fn size_class(bytes: u64) -> u32 {
    u64::BITS - bytes.leading_zeros()
}

/// The year and the month of a time in seconds since 1970.
pub fn month_of(seconds: u64) -> (u64, u64) {
    // Days are counted from the first of March of the year 0, so that a leap day is the last one of its year.
    let days = seconds / 86_400 + 719_468;
    let era_day = days % 146_097;
    let era_year = (era_day - era_day / 1460 + era_day / 36_524 - era_day / 146_096) / 365;
    let year_day = era_day - (365 * era_year + era_year / 4 - era_year / 100);
    let march_month = (5 * year_day + 2) / 153;
    let year = days / 146_097 * 400 + era_year;
    if march_month < 10 {
        (year, march_month + 3)
    } else {
        (year + 1, march_month - 9)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::parse_date;

    #[test]
    fn months_begin_and_end_where_dates_do() {
        for year in 1970..2107u64 {
            for month in 1..=12u64 {
                let text = format!("{year:04}{month:02}");
                let first = parse_date(text.as_bytes()).expect("a month");
                assert_eq!(month_of(first), (year, month));
                if first > 0 {
                    let before = match month {
                        1 => (year - 1, 12),
                        month => (year, month - 1),
                    };
                    assert_eq!(month_of(first - 1), before);
                }
            }
        }
    }

    #[test]
    fn extensions_are_of_files_and_not_of_hosts() {
        let cases = [
            ("http://a.test", None),
            ("http://a.test/x.PDF", Some("pdf")),
            ("http://a.test/x.tar.gz?y=z.html#a.b", Some("gz")),
            ("http://a.test/?x.pdf", None),
            ("http://a.test/x.y/z", None),
            ("http://a.test/x.", None),
            ("http://a.test/x.longerthanthese", None),
            ("http://a.test/x.p%20f", None),
            ("dns:a.test", None),
        ];
        for (url, expected) in cases {
            let found = extension_of(url.as_bytes());
            assert_eq!(found.as_deref(), expected.map(str::as_bytes), "{url}");
        }
    }
}
