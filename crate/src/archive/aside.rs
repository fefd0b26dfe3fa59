//! What a file tells that is no record: its members, what a package says of itself, its pages, its signature.
//!
//!   line := {"aside":KIND, "file":NAME, ...}      as JSON, for callers in other languages

use super::inside::joined;
use crate::json::Line;

/// A member of a file that holds files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// As the name of a part.
    pub name: Vec<u8>,
    /// Bytes of its content, and those it takes in the file.
    pub bytes: u64,
    pub packed_bytes: u64,
    /// How it is stored, by the number that ZIP has for it; 0 is as it is.
    pub method: u16,
    /// The checksum that is stated for it.
    pub crc: Option<u32>,
}

/// What a package says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// The member that says it.
    pub name: Vec<u8>,
    /// Each with the name that it has there, in the order in which they stand.
    pub fields: Vec<(&'static str, Vec<u8>)>,
    /// How many members it names.
    pub resources: u64,
}

impl About {
    /// Every name that a field has in any format.
    const FIELDS: [&'static str; 16] = [
        "profile",
        "wacz_version",
        "title",
        "description",
        "desc",
        "software",
        "created",
        "modified",
        "organization",
        "id",
        "main_page_url",
        "main_page_date",
        "display",
        "version",
        "primary",
        "manifest",
    ];

    pub fn field_named(name: &[u8]) -> Option<&'static str> {
        let mut all = About::FIELDS.into_iter();
        all.find(|known| known.as_bytes() == name)
    }
}

/// An entry of a list of pages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The list.
    pub name: Vec<u8>,
    pub id: Option<Vec<u8>>,
    pub url: Vec<u8>,
    /// When it was captured, as it stands there.
    pub date: Option<Vec<u8>>,
    pub title: Option<Vec<u8>>,
    pub text: Option<Vec<u8>>,
}

/// Whether a member is what the manifest says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verdict {
    #[default]
    NotChecked,
    Holds,
    Differs,
    Missing,
    /// It is in no file here, but at an address.
    Elsewhere,
    /// The manifest states no hash, or one of a kind that is not made here.
    NoHash,
}

impl Verdict {
    pub fn of_name(name: &str) -> Option<Verdict> {
        use Verdict::{Differs, Elsewhere, Holds, Missing, NoHash, NotChecked};
        let mut all = [NotChecked, Holds, Differs, Missing, Elsewhere, NoHash].into_iter();
        all.find(|verdict| verdict.name() == name)
    }

    pub fn name(self) -> &'static str {
        match self {
            Verdict::NotChecked => "not-checked",
            Verdict::Holds => "holds",
            Verdict::Differs => "differs",
            Verdict::Missing => "missing",
            Verdict::Elsewhere => "elsewhere",
            Verdict::NoHash => "no-hash",
        }
    }
}

/// A member that a manifest names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resource {
    /// Where it should be: a member, or an address.
    pub name: Vec<u8>,
    /// What the manifest calls it.
    pub title: Option<Vec<u8>>,
    pub bytes: Option<u64>,
    /// As `ALGORITHM:HEX`.
    pub hash: Option<Vec<u8>>,
    pub verdict: Verdict,
}

/// Rows of an index whose records are in the same file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Index {
    pub name: Vec<u8>,
    pub rows: u64,
}

/// What holds of a package's digest and signature.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signature {
    /// The member that holds it.
    pub name: Vec<u8>,
    /// Whether the digest of the manifest is right; nothing where there is no manifest.
    pub digest: Verdict,
    pub is_signed: bool,
    /// Whether the signature fits; nothing where there is none, or it was not looked at.
    pub is_valid: Option<bool>,
    /// Who signed, as far as the signature says: a domain, or a key.
    pub signer: Option<Vec<u8>>,
    /// When, by the time stamp.
    pub stamped: Option<Vec<u8>>,
    /// What is proven and what is not, a sentence each.
    pub words: Vec<String>,
    /// Text of what is signed, where it is yet to be verified.
    pub signed: Vec<u8>,
}

/// Something told beside the records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Aside {
    Entry(Entry),
    About(About),
    Page(Page),
    Resource(Resource),
    Index(Index),
    Signature(Signature),
}

impl Aside {
    /// What was told by a file that lies in another one, as it is from outside.
    pub fn place_in(&mut self, outer: &[u8]) {
        let name = match self {
            Aside::Entry(entry) => &mut entry.name,
            Aside::About(about) => &mut about.name,
            Aside::Page(page) => &mut page.name,
            Aside::Resource(resource) if resource.verdict == Verdict::Elsewhere => return,
            Aside::Resource(resource) => &mut resource.name,
            Aside::Index(index) => &mut index.name,
            Aside::Signature(signature) => &mut signature.name,
        };
        *name = joined(outer, name);
    }

    /// As a line of JSON.
    pub fn json(&self) -> String {
        let mut line = Line::new();
        match self {
            Aside::Entry(entry) => {
                begin(&mut line, "entry", &entry.name);
                line.number("bytes", entry.bytes);
                line.number("packed_bytes", entry.packed_bytes);
                line.number("method", u64::from(entry.method));
                if let Some(crc) = entry.crc {
                    line.string("crc", format!("{crc:08x}").as_bytes());
                }
            }
            Aside::About(about) => {
                begin(&mut line, "about", &about.name);
                for (name, value) in &about.fields {
                    line.string(name, value);
                }
                line.number("resources", about.resources);
            }
            Aside::Page(page) => {
                begin(&mut line, "page", &page.name);
                line.optional("id", page.id.as_deref());
                line.string("url", &page.url);
                line.optional("date", page.date.as_deref());
                line.optional("title", page.title.as_deref());
                line.optional("text", page.text.as_deref());
            }
            Aside::Resource(resource) => {
                begin(&mut line, "resource", &resource.name);
                line.optional("title", resource.title.as_deref());
                if let Some(bytes) = resource.bytes {
                    line.number("bytes", bytes);
                }
                line.optional("hash", resource.hash.as_deref());
                line.string("verdict", resource.verdict.name().as_bytes());
            }
            Aside::Index(index) => {
                begin(&mut line, "index", &index.name);
                line.number("rows", index.rows);
            }
            Aside::Signature(signature) => {
                begin(&mut line, "signature", &signature.name);
                line.string("digest", signature.digest.name().as_bytes());
                line.boolean("is_signed", signature.is_signed);
                if let Some(is_valid) = signature.is_valid {
                    line.boolean("is_valid", is_valid);
                }
                line.optional("signer", signature.signer.as_deref());
                line.optional("stamped", signature.stamped.as_deref());
                line.string("words", signature.words.join(" ").as_bytes());
                if !signature.signed.is_empty() {
                    line.string("signed", &signature.signed);
                }
            }
        }
        line.end()
    }
}

fn begin(line: &mut Line, kind: &str, name: &[u8]) {
    line.string("aside", kind.as_bytes());
    line.string("file", name);
}
