//! Records that refer to others of the same table: a revisit to the capture that holds its payload, the first
//! segment of a record to those that go on with it. Whatever file they lie in.

use crate::archive::{RecordType, WarcHead, parse_date};
use crate::captures::{Captures, Continuation, Trait};
use crate::row::key;

/// The row whose payload a revisit leaves out: the capture that it names by URL and date, else one that states the
/// same payload digest, else, where the server said that nothing had changed, the last one before it.
pub fn original(captures: &Captures, revisit: &WarcHead) -> Option<usize> {
    if revisit.kind() != RecordType::Revisit {
        return None;
    }
    let stated = revisit.get("WARC-Refers-To-Target-URI").map(bare);
    let url = stated.clone().or_else(|| revisit.uri());
    let refers_to_date = date_of(revisit, "WARC-Refers-To-Date");
    if let (Some(url), Some(date)) = (&url, refers_to_date) {
        let is_it = |one: &Trait| one.date == Some(date);
        let mut found = captures
            .traits()
            .filter(|(_, one)| holds(one) && is_it(one));
        if let Some((row, _)) = found.find(|(row, _)| captures.has_url(*row, url)) {
            return Some(row);
        }
    }
    if let Some(digest) = revisit.get_raw("WARC-Payload-Digest").map(key) {
        let is_it = |one: &Trait| one.digest == digest && one.has_payload;
        return captures
            .traits()
            .find(|(_, one)| holds(one) && is_it(one))
            .map(|(row, _)| row);
    }
    if refers_to_date.is_some() || !is_not_modified(revisit) {
        return None;
    }
    last_before(captures, &url?, date_of(revisit, "WARC-Date")?)
}

/// The row of a segment of a record, by the id of the first one.
pub fn segment(captures: &Captures, origin: &[u8], number: u64) -> Option<usize> {
    let origin = key(origin);
    let is_it = |one: &&Continuation| one.origin == origin && u64::from(one.segment) == number;
    let found = captures.continuations().iter().find(is_it)?;
    Some(found.row as usize)
}

/// The row of a URL that was captured nearest to a time, or first; one that holds a payload or says where it is.
pub fn nearest(captures: &Captures, url: &[u8], date: Option<u32>) -> Option<usize> {
    let is_capture = |one: &Trait| holds(one) || one.kind == RecordType::Revisit;
    let distance = |one: &Trait| match (date, one.date) {
        (Some(wanted), Some(known)) => wanted.abs_diff(known),
        (Some(_), None) => u32::MAX,
        (None, _) => 0,
    };
    let mut best: Option<(u32, usize)> = None;
    captures.scan_urls(0, captures.len(), |row, known| {
        if known == url {
            let one = captures.traits_of(row);
            let found = (distance(&one), row);
            if is_capture(&one) && best.is_none_or(|best| found < best) {
                best = Some(found);
            }
        }
        true
    });
    best.map(|(_, row)| row)
}

fn holds(one: &Trait) -> bool {
    matches!(one.kind, RecordType::Response | RecordType::Resource)
}

fn is_not_modified(revisit: &WarcHead) -> bool {
    let profile = revisit.get("WARC-Profile").unwrap_or_default();
    profile.ends_with(b"server-not-modified")
}

fn last_before(captures: &Captures, url: &[u8], date: u32) -> Option<usize> {
    let is_it = |one: &Trait| holds(one) && one.status == Some(200) && one.has_payload;
    captures
        .traits()
        .filter(|(row, one)| is_it(one) && captures.has_url(*row, url))
        .filter_map(|(row, one)| Some((one.date.filter(|known| *known <= date)?, row)))
        .max()
        .map(|(_, row)| row)
}

fn date_of(head: &WarcHead, name: &str) -> Option<u32> {
    u32::try_from(parse_date(&head.get(name)?)?).ok()
}

/// A URL without the angle brackets that some writers put around it.
fn bare(url: Vec<u8>) -> Vec<u8> {
    let inner = url
        .strip_prefix(b"<")
        .and_then(|url| url.strip_suffix(b">"));
    inner.map_or_else(|| url.clone(), <[u8]>::to_vec)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::{HttpHead, Record, Sink};

    fn head(fields: &str) -> WarcHead {
        let text = format!("WARC/1.1\r\n{}\r\n\r\n", fields.replace('\n', "\r\n"));
        WarcHead::made(Vec::new(), text.into_bytes())
    }

    fn table(records: &[&str]) -> Captures {
        let mut captures = Captures::new();
        for fields in records {
            captures.begin(&head(fields));
            captures.end(&Record {
                payload_bytes: 5,
                ..Record::default()
            });
        }
        captures
    }

    const RECORDS: [&str; 5] = [
        "WARC-Type: request\nWARC-Target-URI: http://a.test/\nWARC-Date: 2020-01-01T00:00:00Z",
        "WARC-Type: response\nWARC-Target-URI: http://b.test/\nWARC-Date: 2020-01-01T00:00:00Z\nWARC-Payload-Digest: sha1:BBBB",
        "WARC-Type: response\nWARC-Target-URI: http://a.test/\nWARC-Date: 2020-01-01T00:00:00Z\nWARC-Payload-Digest: sha1:AAAA",
        "WARC-Type: response\nWARC-Target-URI: http://a.test/\nWARC-Date: 2021-01-01T00:00:00Z\nWARC-Payload-Digest: sha1:CCCC",
        "WARC-Type: revisit\nWARC-Target-URI: http://a.test/\nWARC-Date: 2022-01-01T00:00:00Z\nWARC-Payload-Digest: sha1:DDDD",
    ];

    fn original_of(fields: &str) -> Option<usize> {
        let fields = format!(
            "WARC-Type: revisit\nWARC-Target-URI: http://a.test/\nWARC-Date: 2023-01-01T00:00:00Z\n{fields}"
        );
        original(&table(&RECORDS), &head(&fields))
    }

    #[test]
    fn a_revisit_is_found_by_url_and_date_then_by_digest() {
        let named = "WARC-Refers-To-Target-URI: <http://a.test/>\nWARC-Refers-To-Date: 2021-01-01T00:00:00Z";
        assert_eq!(original_of(named), Some(3));
        assert_eq!(
            original_of("WARC-Refers-To-Date: 2020-01-01T00:00:00Z"),
            Some(2)
        );
        assert_eq!(original_of("WARC-Payload-Digest: SHA1:bbbb"), Some(1));
        let wrong = "WARC-Refers-To-Date: 1999-01-01T00:00:00Z";
        assert_eq!(original_of(wrong), None);
        assert_eq!(
            original_of(&format!("{wrong}\nWARC-Payload-Digest: sha1:AAAA")),
            Some(2)
        );
        // Another revisit has no payload either.
        assert_eq!(original_of("WARC-Payload-Digest: sha1:DDDD"), None);
        assert_eq!(original(&table(&RECORDS), &head(RECORDS[1])), None);
    }

    #[test]
    fn what_the_server_said_is_unchanged_is_the_last_capture_before() {
        let mut captures = Captures::new();
        for (date, status) in [("2020", 200), ("2021", 200), ("2021", 404), ("2024", 200)] {
            let fields = format!(
                "WARC-Type: response\nWARC-Target-URI: http://a.test/\nWARC-Date: {date}-01-01T00:00:00Z"
            );
            captures.begin(&head(&fields));
            captures.http(&HttpHead::of(
                format!("HTTP/1.1 {status} X\r\n\r\n").into_bytes(),
            ));
            captures.end(&Record {
                payload_bytes: 5,
                ..Record::default()
            });
        }
        let fields =
            "WARC-Type: revisit\nWARC-Target-URI: http://a.test/\nWARC-Date: 2023-01-01T00:00:00Z";
        assert_eq!(original(&captures, &head(fields)), None);
        let profile = "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified";
        assert_eq!(
            original(&captures, &head(&format!("{fields}\n{profile}"))),
            Some(1)
        );
    }

    #[test]
    fn the_nearest_capture_of_a_url_is_found() {
        let captures = table(&RECORDS);
        let at = |year: &str| {
            let date = parse_date(format!("{year}-06-01T00:00:00Z").as_bytes());
            date.and_then(|date| u32::try_from(date).ok())
        };
        for (year, row) in [("2010", 2), ("2020", 2), ("2021", 3), ("2025", 4)] {
            assert_eq!(
                nearest(&captures, b"http://a.test/", at(year)),
                Some(row),
                "{year}"
            );
        }
        assert_eq!(nearest(&captures, b"http://a.test/", None), Some(2));
        assert_eq!(nearest(&captures, b"http://c.test/", None), None);
    }

    #[test]
    fn segments_are_found_by_the_id_of_the_first() {
        let part = |number: u32| {
            format!(
                "WARC-Type: continuation\nWARC-Segment-Number: {number}\nWARC-Segment-Origin-ID: <urn:uuid:1>"
            )
        };
        let parts = [part(3), part(2), part(2), part(5)];
        let captures = table(&parts.each_ref().map(String::as_str));
        let rows = [2, 3, 4, 5].map(|number| segment(&captures, b"<urn:uuid:1>", number));
        assert_eq!(rows, [Some(1), Some(0), None, Some(3)]);
        assert_eq!(segment(&captures, b"<urn:uuid:2>", 2), None);
    }
}
