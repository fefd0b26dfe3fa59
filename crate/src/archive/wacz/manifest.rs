//! The manifest of a package, `datapackage.json`: what the package is, and the members it has.
//!
//! Before version 1.1 the hash of a member stood in an object of its own, and its algorithm beside that.

use crate::archive::aside::{Resource, Verdict};
use crate::cdx::json::{Value, elements, members, unescaped};
use crate::limits::PACKAGE_RESOURCES_MAX;

/// What the fields of a manifest are called to callers, by the names that tools gave them.
const FIELDS: [(&[u8], &str); 14] = [
    (b"profile", "profile"),
    (b"wacz_version", "wacz_version"),
    (b"title", "title"),
    (b"description", "description"),
    (b"software", "software"),
    (b"created", "created"),
    (b"modified", "modified"),
    (b"organization", "organization"),
    (b"id", "id"),
    (b"mainPageUrl", "main_page_url"),
    (b"mainPageURL", "main_page_url"),
    (b"mainPageDate", "main_page_date"),
    (b"mainPageTs", "main_page_date"),
    (b"display", "display"),
];

#[derive(Default)]
pub struct Manifest {
    pub fields: Vec<(&'static str, Vec<u8>)>,
    pub resources: Vec<Resource>,
    /// Whether there are more resources than are kept.
    pub is_over: bool,
}

impl Manifest {
    /// Reads the manifest; nothing where it is none.
    pub fn parse(text: &[u8]) -> Option<Manifest> {
        let mut manifest = Manifest::default();
        let mut is_list = true;
        let is_sound = members(without_mark(text), &mut |name, value| match (name, value) {
            (b"resources", Value::Array(list)) => {
                is_list &= elements(list, &mut |value| manifest.resource(value));
            }
            (b"resources", _) => is_list = false,
            (b"metadata", Value::Object(inner)) => {
                members(inner, &mut |name, value| manifest.field(name, value));
            }
            _ => manifest.field(name, value),
        });
        (is_sound && is_list).then_some(manifest)
    }

    fn field(&mut self, name: &[u8], value: Value) {
        let known = FIELDS.iter().find(|(known, _)| *known == name);
        if let (Some((_, name)), Some(text)) = (known, text_of(value)) {
            self.fields.push((name, text));
        }
    }

    fn resource(&mut self, value: Value) {
        let Value::Object(object) = value else {
            return;
        };
        if self.resources.len() == PACKAGE_RESOURCES_MAX {
            self.is_over = true;
            return;
        }
        let mut resource = Resource::default();
        let (mut path, mut address) = (None, None);
        let (mut hash, mut algorithm) = (None, None);
        members(object, &mut |name, value| match (name, value) {
            (b"path", Value::Text(_)) => path = text_of(value),
            // A resource in several pieces is named by the first.
            (b"path", Value::Array(list)) => {
                elements(list, &mut |value| {
                    path = path.take().or_else(|| text_of(value));
                });
            }
            (b"url", Value::Text(_)) => address = text_of(value),
            (b"name", Value::Text(_)) => resource.title = text_of(value),
            (b"bytes", _) => resource.bytes = number_of(value),
            (b"hash", Value::Text(_)) => hash = text_of(value),
            (b"hashing", Value::Text(_)) => algorithm = text_of(value),
            (b"stats", Value::Object(inner)) => {
                members(inner, &mut |name, value| match name {
                    b"hash" => hash = text_of(value),
                    b"bytes" => resource.bytes = number_of(value),
                    _ => {}
                });
            }
            _ => {}
        });
        resource.hash = match (hash, algorithm) {
            (Some(hash), Some(algorithm)) if !hash.contains(&b':') => {
                Some([&algorithm[..], b":", &hash].concat())
            }
            (hash, _) => hash,
        };
        let Some(name) = path.or(address).or_else(|| resource.title.clone()) else {
            return;
        };
        if is_address(&name) {
            resource.verdict = Verdict::Elsewhere;
        }
        resource.name = name.strip_prefix(b"./").unwrap_or(&name).to_vec();
        self.resources.push(resource);
    }
}

/// Whether a file that begins like this is a manifest by itself, of archives that lie elsewhere.
pub fn looks_like_manifest(start: &[u8]) -> bool {
    let text = without_mark(start).trim_ascii_start();
    if !text.starts_with(b"{") {
        return false;
    }
    let find = |word: &[u8]| memchr::memmem::find(text, word);
    let Some(at) = find(b"\"resources\"") else {
        return false;
    };
    // A HAR file can hold anything in its bodies, but it begins with its log.
    let is_har = find(b"\"log\"").is_some_and(|log| log < at);
    let has = |word: &[u8]| find(word).is_some();
    !is_har && (has(b"\"path\"") || has(b"\"url\"") || has(b"multi-wacz"))
}

/// Without the mark that says UTF-8.
fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

/// The text that a value is.
pub fn text_of(value: Value) -> Option<Vec<u8>> {
    match value {
        Value::Text(text) => Some(unescaped(text)),
        Value::Number(number) => Some(number.to_vec()),
        _ => None,
    }
}

fn number_of(value: Value) -> Option<u64> {
    match value {
        Value::Number(number) => std::str::from_utf8(number).ok()?.parse().ok(),
        _ => None,
    }
}

/// Whether a resource is named by an address and not by a path.
fn is_address(name: &[u8]) -> bool {
    let lower: Vec<u8> = name.iter().take(8).map(u8::to_ascii_lowercase).collect();
    [
        &b"http://"[..],
        b"https://",
        b"ipfs://",
        b"s3://",
        b"file://",
    ]
    .iter()
    .any(|scheme| lower.starts_with(scheme))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::About;

    #[test]
    fn fields_are_known_by_name_where_a_table_is_restored() {
        for (_, name) in FIELDS {
            assert_eq!(About::field_named(name.as_bytes()), Some(name));
        }
    }

    #[test]
    fn hashes_are_found_where_any_version_puts_them() {
        let text = br#"{"profile":"data-package","metadata":{"title":"T"},"resources":[
            {"path":"a","hash":"sha256:00","bytes":3},
            {"path":"b","stats":{"hash":"11","bytes":4},"hashing":"sha256"},
            {"name":"c","path":"HTTPS://a.test/c.wacz"}, {"nothing":1}, 7]}"#;
        let manifest = Manifest::parse(text).expect("a manifest");
        let told: Vec<_> = manifest
            .resources
            .iter()
            .map(|resource| {
                (
                    resource.name.as_slice(),
                    resource.hash.as_deref(),
                    resource.bytes,
                )
            })
            .collect();
        assert_eq!(
            told,
            [
                (&b"a"[..], Some(&b"sha256:00"[..]), Some(3)),
                (b"b", Some(b"sha256:11"), Some(4)),
                (b"HTTPS://a.test/c.wacz", None, None),
            ]
        );
        assert_eq!(manifest.resources[2].verdict, Verdict::Elsewhere);
        assert_eq!(manifest.fields[1], ("title", b"T".to_vec()));
    }

    #[test]
    fn nonsense_is_no_manifest() {
        assert!(Manifest::parse(b"{\"resources\": [[[").is_none());
        assert!(Manifest::parse(b"{\"resources\": 5}").is_none());
        assert!(Manifest::parse(b"").is_none());
    }
}
