//! The header block of a record that is made here.
//!
//!   head := version CRLF (name ": " value CRLF)* CRLF
//! H1  No value carries a line end: what a source says cannot become a field of its own.
//! H2  The length and the digests are of the block that is written, whatever the source says of it.

use sha1::{Digest, Sha1};

use crate::archive::{RecordType, parse_date};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Version {
    V1_0,
    #[default]
    V1_1,
}

impl Version {
    pub fn named(name: &str) -> Option<Version> {
        match name {
            "1.0" => Some(Version::V1_0),
            "1.1" => Some(Version::V1_1),
            _ => None,
        }
    }

    pub fn number(self) -> &'static str {
        match self {
            Version::V1_0 => "1.0",
            Version::V1_1 => "1.1",
        }
    }
}

/// Digests of a block, made while it streams by.
#[derive(Clone)]
pub struct Digests {
    block: Sha1,
    payload: Option<Sha1>,
    bytes: u64,
}

/// What is known of a block once all of it went by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measured {
    pub bytes: u64,
    pub block_digest: String,
    /// Of what follows the HTTP head, where there is one.
    pub payload_digest: Option<String>,
}

impl Digests {
    /// For a block that begins with `http`, if it holds an HTTP message.
    pub fn new(http: Option<&[u8]>) -> Digests {
        let mut digests = Digests {
            block: Sha1::new(),
            payload: None,
            bytes: 0,
        };
        if let Some(http) = http {
            digests.push(http);
            digests.payload = Some(Sha1::new());
        }
        digests
    }

    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.block.update(bytes);
        if let Some(payload) = &mut self.payload {
            payload.update(bytes);
        }
    }

    pub fn finish(self) -> Measured {
        let written = |digest: Sha1| format!("sha1:{}", base32(&digest.finalize()));
        Measured {
            bytes: self.bytes,
            block_digest: written(self.block),
            payload_digest: self.payload.map(written),
        }
    }
}

/// A header block in the making.
#[derive(Clone, Debug)]
pub struct Heading {
    version: Version,
    fields: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Heading {
    pub fn new(version: Version, kind: RecordType) -> Heading {
        let mut heading = Heading {
            version,
            fields: Vec::new(),
        };
        heading.set("WARC-Type", kind.name().as_bytes());
        heading
    }

    /// States a field, in place of one of that name.
    pub fn set(&mut self, name: &str, value: &[u8]) {
        let value = one_line(value);
        let known = self
            .fields
            .iter_mut()
            .find(|(known, _)| known.eq_ignore_ascii_case(name.as_bytes()));
        match known {
            Some(field) => field.1 = value,
            None => self.fields.push((name.as_bytes().to_vec(), value)),
        }
    }

    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.fields
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name.as_bytes()))
            .map(|(_, value)| value.as_slice())
    }

    /// States the date. False where it cannot be read; then it is 1970.
    pub fn set_date(&mut self, stated: Option<&[u8]>) -> bool {
        let stated = stated.map(<[u8]>::trim_ascii).unwrap_or_default();
        let seconds = parse_date(stated);
        // Parts of a second are for 1.1 only.
        let is_kept = self.version == Version::V1_1 && seconds.is_some() && is_precise(stated);
        if is_kept {
            self.set("WARC-Date", stated);
        } else {
            self.set("WARC-Date", date_text(seconds.unwrap_or(0)).as_bytes());
        }
        seconds.is_some()
    }

    /// The header block for a block that was measured.
    pub fn bytes(mut self, measured: &Measured) -> Vec<u8> {
        if let Some(digest) = &measured.payload_digest {
            self.set("WARC-Payload-Digest", digest.as_bytes());
        }
        self.set("WARC-Block-Digest", measured.block_digest.as_bytes());
        self.set("Content-Length", measured.bytes.to_string().as_bytes());
        let mut out = format!("WARC/{}\r\n", self.version.number()).into_bytes();
        for (name, value) in &self.fields {
            out.extend_from_slice(name);
            out.extend_from_slice(b": ");
            out.extend_from_slice(value);
            out.extend_from_slice(b"\r\n");
        }
        out.extend_from_slice(b"\r\n");
        out
    }
}

/// A record id made of what identifies the record: the same record always gets the same one.
pub fn record_id(of: &[&[u8]]) -> String {
    let mut digest = Sha1::new();
    digest.update(b"stackroom record ");
    for part in of {
        digest.update((part.len() as u64).to_be_bytes());
        digest.update(part);
    }
    let digest = digest.finalize();
    let mut id = [0u8; 16];
    id.copy_from_slice(&digest[..16]);
    // A name-based UUID, RFC 9562 version 5.
    id[6] = id[6] & 0x0f | 0x50;
    id[8] = id[8] & 0x3f | 0x80;
    let hex: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
    format!(
        "<urn:uuid:{}-{}-{}-{}-{}>",
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..]
    )
}

/// Such as 2014-01-03T03:03:21.123456Z.
fn is_precise(date: &[u8]) -> bool {
    let shape = b"0000-00-00T00:00:00";
    let Some((start, fraction)) = date.split_at_checked(shape.len()) else {
        return false;
    };
    let is_shaped = start.iter().zip(shape).all(|(found, wanted)| match wanted {
        b'0' => found.is_ascii_digit(),
        sign => found == sign,
    });
    let fraction = fraction
        .strip_suffix(b"Z")
        .and_then(|rest| rest.strip_prefix(b"."));
    is_shaped
        && fraction.is_some_and(|digits| {
            (1..=9).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit)
        })
}

/// Seconds since 1970 as WARC writes them.
pub fn date_text(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Civil calendar by eras of 400 years that begin in March.
    let days = days + 719_468;
    let era = days / 146_097;
    let day_of_era = days % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Line ends and other controls would begin a field of their own.
fn one_line(value: &[u8]) -> Vec<u8> {
    let blank = |byte: &u8| if byte.is_ascii_control() { b' ' } else { *byte };
    value
        .iter()
        .map(blank)
        .collect::<Vec<u8>>()
        .trim_ascii()
        .to_vec()
}

fn base32(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let mut text = String::new();
    let (mut held, mut bits) = (0u32, 0u32);
    for byte in bytes {
        held = held << 8 & 0xffff | u32::from(*byte);
        bits += 8;
        while bits >= 5 {
            bits -= 5;
            text.push(char::from(ALPHABET[(held >> bits & 31) as usize]));
        }
    }
    if bits > 0 {
        text.push(char::from(ALPHABET[(held << (5 - bits) & 31) as usize]));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_written_as_they_were_read() {
        for text in [
            "1970-01-01T00:00:00Z",
            "2000-02-29T23:59:59Z",
            "2014-01-03T03:03:21Z",
            "2100-03-01T00:00:00Z",
        ] {
            let seconds = parse_date(text.as_bytes()).expect(text);
            assert_eq!(date_text(seconds), text);
        }
        for (stated, version, expected) in [
            ("20140103030321", Version::V1_1, "2014-01-03T03:03:21Z"),
            (
                "2014-01-03T03:03:21.123Z",
                Version::V1_1,
                "2014-01-03T03:03:21.123Z",
            ),
            (
                "2014-01-03T03:03:21.123Z",
                Version::V1_0,
                "2014-01-03T03:03:21Z",
            ),
            ("2014", Version::V1_1, "2014-01-01T00:00:00Z"),
            ("never", Version::V1_1, "1970-01-01T00:00:00Z"),
        ] {
            let mut heading = Heading::new(version, RecordType::Response);
            assert_eq!(heading.set_date(Some(stated.as_bytes())), stated != "never");
            assert_eq!(
                heading.get("warc-date"),
                Some(expected.as_bytes()),
                "{stated}"
            );
        }
    }

    #[test]
    fn a_value_cannot_become_a_field() {
        let mut heading = Heading::new(Version::V1_0, RecordType::Resource);
        heading.set(
            "WARC-Target-URI",
            b"http://a.test/\r\nContent-Length: 9\r\n\r\nx",
        );
        let head = heading.bytes(&Digests::new(None).finish());
        let text = String::from_utf8(head).expect("text");
        assert_eq!(text.lines().count(), 6, "{text}");
        assert!(text.starts_with(
            "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://a.test/  Content-Length: 9"
        ));
        assert!(text.ends_with("Content-Length: 0\r\n\r\n"));
    }

    #[test]
    fn digests_are_of_block_and_payload() {
        let mut digests = Digests::new(Some(b""));
        digests.push(b"abc");
        let measured = digests.finish();
        assert_eq!(
            measured.block_digest,
            "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5"
        );
        assert_eq!(
            measured.payload_digest.as_deref(),
            Some("sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5")
        );
        assert_eq!(base32(b"foobar"), "MZXW6YTBOI");
    }

    #[test]
    fn ids_are_uuids_and_differ() {
        let id = record_id(&[b"a", b"b"]);
        assert_eq!(
            id.len(),
            "<urn:uuid:00000000-0000-5000-8000-000000000000>".len()
        );
        assert_eq!(&id[24..25], "5");
        assert_ne!(id, record_id(&[b"ab", b""]));
        assert_eq!(id, record_id(&[b"a", b"b"]));
    }
}
