//! Everything of a table that is not its rows, as bytes that are kept, and a table made of these and of kept rows.
//! The bytes are described in FORMAT.md. They may be any: what is no state is refused.

use super::marks::{Mark, WayOn};
use super::{Captures, TablePart};
use crate::archive::{
    About, Aside, Format, Joint, Page, Parser, Part, Resource, Signature, Storage, Verdict, Window,
    parser_from,
};
use crate::codec::{Reader, Writer};
use crate::error::{Damage, code};
use crate::limits::{MEMBER_DEPTH_MAX, OFFSET_MAX, TABLE_MIME_BYTES_MAX, TABLE_URL_BYTES_MAX};
use crate::row::Row;
use crate::split::Splitter;

const VERSION: u64 = 1;

const PAGE: u64 = 0;
const ABOUT: u64 = 1;
const RESOURCE: u64 = 2;
const SIGNATURE: u64 = 3;

/// A table without its rows, which are to follow in their order.
pub struct Restored {
    pub captures: Captures,
    pub awaited: Awaited,
}

impl Captures {
    /// The state at the last place within the first rows from which reading can go on.
    pub fn state(&self, rows: usize) -> Vec<u8> {
        let Mark {
            rows,
            files,
            parts,
            pages,
            facts,
            signatures,
            damage,
            damage_count,
            way_on,
        } = self.marks.within(rows);
        let mut out = Writer::new();
        out.varint(VERSION);
        for number in [rows, files, signatures] {
            out.varint(number as u64);
        }
        out.varint(u64::from(way_on.is_some()));
        if let Some(way_on) = way_on {
            out.varint(way_on.joint.offset);
            out.varint(way_on.joint.rewound);
            out.varint(u64::from(way_on.told()));
        }
        list(&mut out, &self.parts[..parts], write_part);
        list(&mut out, &self.pages[..pages], write_aside);
        list(&mut out, &self.facts[..facts], write_aside);
        out.varint(damage_count);
        list(&mut out, &self.damage[..damage], |out, (part, damage)| {
            out.varint(*part as u64);
            out.bytes(damage.code.as_bytes());
            out.varint(damage.offset);
            out.varint(damage.skipped);
            out.bytes(damage.message.as_bytes());
        });
        out.finish()
    }
}

impl Restored {
    /// Nothing where the bytes are no state of this version.
    pub fn read(bytes: &[u8]) -> Option<Restored> {
        let mut from = Reader::new(bytes);
        if from.varint()? != VERSION {
            return None;
        }
        let mut captures = Captures::new();
        let rows = size(&mut from)?;
        captures.files = size(&mut from)?;
        captures.signatures = size(&mut from)?;
        let way_on = if flag(&mut from)? {
            let joint = Joint {
                offset: from.varint()?,
                rewound: from.varint()?,
            };
            Some(WayOn::of(joint, u8::try_from(from.varint()?).ok()?))
        } else {
            None
        };
        captures.parts = items(&mut from, read_part)?;
        captures.pages = items(&mut from, read_aside)?;
        captures.facts = items(&mut from, read_aside)?;
        captures.damage_count = from.varint()?;
        captures.damage = items(&mut from, |from| {
            let part = size(from)?;
            let damage = Damage {
                code: code::of_damage(bytes_of(from)?)?,
                offset: from.varint()?,
                skipped: from.varint()?,
                message: text(from)?,
            };
            Some((part, damage))
        })?;
        let awaited = Awaited {
            rows,
            files: captures.files,
            way_on,
        };
        if rows == 0 {
            captures.resume(way_on);
        }
        let restored = Restored { captures, awaited };
        (from.is_empty() && restored.is_sound()).then_some(restored)
    }

    /// Whether all numbers refer to something, and stand in their order.
    fn is_sound(&self) -> bool {
        let Captures {
            files,
            parts,
            pages,
            facts,
            damage,
            damage_count,
            ..
        } = &self.captures;
        let Awaited { rows, way_on, .. } = self.awaited;
        let is_own = |one: &TablePart| one.part.windows.is_empty();
        // A file begins with a part that is the file itself.
        let begins = |one: &TablePart, file| one.file == file && is_own(one);
        let follow = |pair: &[TablePart]| {
            let (one, next) = (&pair[0], &pair[1]);
            one.first_row <= next.first_row
                && (one.file == next.file || begins(next, one.file.saturating_add(1)))
        };
        let is_in_file = |(file, _): &(usize, Aside)| file < files;
        (*files > 0 || rows == 0 && way_on.is_none())
            && u32::try_from(rows).is_ok()
            && parts.last().map_or(0, |one| one.file.saturating_add(1)) == *files
            && parts
                .first()
                .is_none_or(|one| begins(one, 0) && one.first_row == 0)
            && parts.windows(2).all(follow)
            && (way_on.is_none() || parts.last().is_some_and(is_own))
            && parts.last().is_none_or(|one| one.first_row <= rows)
            && pages.iter().chain(facts).all(is_in_file)
            && damage.iter().all(|(part, _)| *part < parts.len())
            && damage.len() as u64 <= *damage_count
    }
}

/// What a table that is restored still waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Awaited {
    /// How many rows it is to have.
    pub rows: usize,
    pub files: usize,
    /// Where the reading of its last file goes on; without it all files that were begun are read.
    pub way_on: Option<WayOn>,
}

impl Awaited {
    /// Goes on with the last file of a table that has all its rows.
    pub fn parser(&self, captures: &Captures, size: Option<u64>) -> Option<Box<dyn Parser>> {
        let way_on = self.way_on?;
        let format = captures.parts.last()?.part.format;
        parser_from(format, size, way_on.joint, |code| way_on.has_told(code))
    }

    /// The same in ranges, where the last file is one that is split.
    pub fn splitter(
        &self,
        captures: &Captures,
        size: u64,
        range_bytes: u64,
        workers: usize,
    ) -> Option<Splitter> {
        let way_on = self.way_on?;
        let is_split = captures.parts.last()?.part.format == Format::WarcGz;
        is_split.then(|| Splitter::resumed(size, range_bytes, workers, way_on))
    }

    /// Takes the rows that follow, as they are kept, until the table has all of its own; others behind them are left.
    /// False where they are none of this table.
    pub fn take_rows(&self, captures: &mut Captures, bytes: &[u8]) -> bool {
        let mut from = Reader::new(bytes);
        let mut row = Row::default();
        while captures.count < self.rows && !from.is_empty() {
            let part = from.varint();
            let is_row = row.read(&mut from).is_some()
                && row.url.len() <= TABLE_URL_BYTES_MAX
                && row.mime.len() <= TABLE_MIME_BYTES_MAX;
            if !is_row || part != Some(captures.part_of(captures.count) as u64) {
                return false;
            }
            captures.push(&row);
        }
        if captures.count == self.rows {
            captures.resume(self.way_on);
        }
        true
    }
}

fn list<T>(out: &mut Writer, all: &[T], mut write: impl FnMut(&mut Writer, &T)) {
    out.varint(all.len() as u64);
    for one in all {
        write(out, one);
    }
}

/// Nothing is set aside for what is only announced: a list is as long as the bytes that there are of it.
fn items<T>(
    from: &mut Reader<'_>,
    mut read: impl FnMut(&mut Reader<'_>) -> Option<T>,
) -> Option<Vec<T>> {
    let count = from.varint()?;
    let mut all = Vec::new();
    for _ in 0..count {
        all.push(read(from)?);
    }
    Some(all)
}

fn write_part(out: &mut Writer, one: &TablePart) {
    out.varint(one.file as u64);
    out.varint(one.first_row as u64);
    out.bytes(&one.part.name);
    out.bytes(one.part.format.name().as_bytes());
    list(out, &one.part.windows, |out, window| {
        out.varint(window.base);
        out.varint(window.bytes);
        out.bytes(window.storage.name().as_bytes());
    });
}

fn read_part(from: &mut Reader<'_>) -> Option<TablePart> {
    let (file, first_row) = (size(from)?, size(from)?);
    let name = bytes_of(from)?.to_vec();
    let format = Format::named(std::str::from_utf8(bytes_of(from)?).ok()?)?;
    let windows = items(from, |from| {
        Some(Window {
            base: from.varint().filter(|base| *base <= OFFSET_MAX)?,
            bytes: from.varint()?,
            storage: Storage::named(std::str::from_utf8(bytes_of(from)?).ok()?)?,
        })
    })?;
    let part = Part {
        name,
        format,
        windows,
    };
    // Each window is a file that is open while a record is read.
    (part.windows.len() <= MEMBER_DEPTH_MAX + 1).then_some(TablePart {
        file,
        part,
        first_row,
    })
}

fn write_aside(out: &mut Writer, (file, aside): &(usize, Aside)) {
    out.varint(*file as u64);
    match aside {
        Aside::Page(page) => {
            out.varint(PAGE);
            out.bytes(&page.name);
            out.bytes(&page.url);
            for value in [&page.id, &page.date, &page.title] {
                write_optional(out, value.as_deref());
            }
        }
        Aside::About(about) => {
            out.varint(ABOUT);
            out.bytes(&about.name);
            out.varint(about.resources);
            list(out, &about.fields, |out, (name, value)| {
                out.bytes(name.as_bytes());
                out.bytes(value);
            });
        }
        Aside::Resource(resource) => {
            out.varint(RESOURCE);
            out.bytes(&resource.name);
            out.bytes(resource.verdict.name().as_bytes());
            write_optional(out, resource.title.as_deref());
            out.varint(resource.bytes.map_or(0, |bytes| bytes.saturating_add(1)));
            write_optional(out, resource.hash.as_deref());
        }
        Aside::Signature(signature) => {
            out.varint(SIGNATURE);
            out.bytes(&signature.name);
            out.bytes(signature.digest.name().as_bytes());
            out.varint(u64::from(signature.is_signed));
            out.varint(
                signature
                    .is_valid
                    .map_or(0, |is_valid| u64::from(is_valid) + 1),
            );
            write_optional(out, signature.signer.as_deref());
            write_optional(out, signature.stamped.as_deref());
            list(out, &signature.words, |out, words| {
                out.bytes(words.as_bytes())
            });
            out.bytes(&signature.signed);
        }
        // The table keeps none of these.
        Aside::Entry(_) | Aside::Index(_) => {}
    }
}

fn read_aside(from: &mut Reader<'_>) -> Option<(usize, Aside)> {
    let file = size(from)?;
    let kind = from.varint()?;
    let name = bytes_of(from)?.to_vec();
    let aside = match kind {
        PAGE => Aside::Page(Page {
            name,
            url: bytes_of(from)?.to_vec(),
            id: optional(from)?,
            date: optional(from)?,
            title: optional(from)?,
            text: None,
        }),
        ABOUT => Aside::About(About {
            name,
            resources: from.varint()?,
            fields: items(from, |from| {
                let field = About::field_named(bytes_of(from)?)?;
                Some((field, bytes_of(from)?.to_vec()))
            })?,
        }),
        RESOURCE => Aside::Resource(Resource {
            name,
            verdict: verdict(from)?,
            title: optional(from)?,
            bytes: from.varint()?.checked_sub(1),
            hash: optional(from)?,
        }),
        SIGNATURE => Aside::Signature(Signature {
            name,
            digest: verdict(from)?,
            is_signed: flag(from)?,
            is_valid: match from.varint()? {
                0 => None,
                1 => Some(false),
                2 => Some(true),
                _ => return None,
            },
            signer: optional(from)?,
            stamped: optional(from)?,
            words: items(from, text)?,
            signed: bytes_of(from)?.to_vec(),
        }),
        _ => return None,
    };
    Some((file, aside))
}

fn verdict(from: &mut Reader<'_>) -> Option<Verdict> {
    Verdict::of_name(std::str::from_utf8(bytes_of(from)?).ok()?)
}

/// Its length plus one, and the value; 0 for none.
fn write_optional(out: &mut Writer, value: Option<&[u8]>) {
    out.varint(value.map_or(0, |value| value.len() as u64 + 1));
    out.raw(value.unwrap_or_default());
}

fn optional(from: &mut Reader<'_>) -> Option<Option<Vec<u8>>> {
    match from.varint()?.checked_sub(1) {
        Some(length) => {
            let value = from.take(usize::try_from(length).ok()?)?;
            Some(Some(value.to_vec()))
        }
        None => Some(None),
    }
}

fn flag(from: &mut Reader<'_>) -> Option<bool> {
    match from.varint()? {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}

fn size(from: &mut Reader<'_>) -> Option<usize> {
    usize::try_from(from.varint()?).ok()
}

fn text(from: &mut Reader<'_>) -> Option<String> {
    String::from_utf8(bytes_of(from)?.to_vec()).ok()
}

fn bytes_of<'a>(from: &mut Reader<'a>) -> Option<&'a [u8]> {
    let length = size(from)?;
    from.take(length)
}
