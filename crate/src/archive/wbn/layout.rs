//! What stands ahead of the responses of a web bundle: its sections, and the index with the place of each response.
//!
//!   b1     := [magic, version, primary-url, section-lengths, sections, length]
//!   b2     := [magic, version, section-lengths, sections, length]
//!   section-lengths := bytes .cbor [(name, length)*]
//!   index  := {* url => [variants, (offset, length)+] }      (b1)      {* url => [offset, length] }      (b2)
//! Offsets count from the first byte of the section `responses`. A signed bundle has an integrity block ahead.

use super::cbor::{Cbor, Fault, Item};

pub const MAGIC: &[u8] = "\u{1f310}\u{1f4e6}".as_bytes();
const SIGNED_MAGIC: &[u8] = "\u{1f58b}\u{1f4e6}".as_bytes();

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    pub name: Vec<u8>,
    /// In the file.
    pub offset: u64,
    pub bytes: u64,
}

impl Section {
    pub fn end(&self) -> u64 {
        self.offset.saturating_add(self.bytes)
    }
}

/// The head of a bundle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    pub version: Vec<u8>,
    /// Where the bundle begins: behind the integrity block, if there is one.
    pub base: u64,
    pub is_signed: bool,
    pub primary: Vec<u8>,
    pub sections: Vec<Section>,
    /// Behind the last section.
    pub sections_end: u64,
}

/// Why there is no layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    More,
    Bad(&'static str),
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Trouble {
        match fault {
            Fault::More => Trouble::More,
            Fault::Bad => Trouble::Bad("its head is no CBOR of the kind that bundles have"),
        }
    }
}

impl Layout {
    /// Reads the head from the start of the file. Returns how long it is, too.
    pub fn read(bytes: &[u8]) -> Result<(Layout, usize), Trouble> {
        let mut cbor = Cbor::new(bytes);
        let mut layout = Layout::default();
        let mut count = cbor.array()?;
        if cbor.clone().byte_string()? == SIGNED_MAGIC {
            cbor = Cbor::new(bytes);
            cbor.pass_over()?;
            layout.is_signed = true;
            layout.base = cbor.at() as u64;
            count = cbor.array()?;
        }
        if cbor.byte_string()? != MAGIC {
            return Err(Trouble::Bad("it does not begin as one"));
        }
        let version = cbor.byte_string()?;
        let end = version
            .iter()
            .rposition(|&byte| byte != 0)
            .map_or(0, |at| at + 1);
        layout.version = version[..end].to_vec();
        match (layout.version.as_slice(), count) {
            (b"b1", 6) => layout.primary = cbor.text_string()?.to_vec(),
            (b"b2" | b"1", 5) => {}
            _ => return Err(Trouble::Bad("its version is none that is known")),
        }
        let lengths = cbor.byte_string()?;
        let sections =
            read_lengths(lengths).ok_or(Trouble::Bad("its list of sections is no such list"))?;
        if cbor.array()? != sections.len() as u64 {
            return Err(Trouble::Bad("it has not as many sections as it lists"));
        }
        let mut offset = cbor.at() as u64;
        for (name, bytes) in sections {
            layout.sections.push(Section {
                name,
                offset,
                bytes,
            });
            offset = offset
                .checked_add(bytes)
                .ok_or(Trouble::Bad("its sections are longer than any file"))?;
        }
        layout.sections_end = offset;
        Ok((layout, cbor.at()))
    }

    pub fn section(&self, name: &[u8]) -> Option<&Section> {
        self.sections.iter().find(|section| section.name == name)
    }
}

fn read_lengths(bytes: &[u8]) -> Option<Vec<(Vec<u8>, u64)>> {
    let mut cbor = Cbor::new(bytes);
    let count = cbor.array().ok()?;
    let mut sections = Vec::new();
    for _ in 0..count / 2 {
        let name = cbor.text_string().ok()?.to_vec();
        sections.push((name, cbor.uint().ok()?));
    }
    (count % 2 == 0).then_some(sections)
}

/// Where the index says that a response lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub offset: u64,
    pub bytes: u64,
}

/// Reads an entry of an index of either version: its URL and places.
pub fn read_index_entry<'a>(
    cbor: &mut Cbor<'a>,
    places: &mut Vec<Place>,
) -> Result<&'a [u8], Fault> {
    places.clear();
    let url = cbor.text_string()?;
    let mut left = cbor.array()?;
    if let Item::Bytes(_) = cbor.clone().item()? {
        cbor.byte_string()?;
        left = left.saturating_sub(1);
    }
    if left % 2 == 1 {
        return Err(Fault::Bad);
    }
    for _ in 0..left / 2 {
        let offset = cbor.uint()?;
        let bytes = cbor.uint()?;
        places.push(Place { offset, bytes });
    }
    Ok(url)
}

/// Reads the head of a response: its fields, and the length of the payload that follows.
pub fn read_response<'a>(cbor: &mut Cbor<'a>) -> Result<(&'a [u8], u64), Fault> {
    if cbor.array()? != 2 {
        return Err(Fault::Bad);
    }
    let fields = cbor.byte_string()?;
    match cbor.item()? {
        Item::Bytes(payload) => Ok((fields, payload)),
        _ => Err(Fault::Bad),
    }
}

/// The HTTP head that the fields of a response say; nothing where they are no map of names and values.
pub fn http_text(fields: &[u8]) -> Option<Vec<u8>> {
    let mut cbor = Cbor::new(fields);
    let count = cbor.map().ok()?;
    let mut status = Vec::new();
    let mut lines = Vec::new();
    for _ in 0..count {
        let name = cbor.byte_string().ok()?;
        let value = cbor.byte_string().ok()?;
        let value = value.iter().map(|&byte| match byte {
            b'\r' | b'\n' | 0 => b' ',
            byte => byte,
        });
        match name {
            b":status" => status.extend(value),
            [b':', ..] | [] => {}
            _ => {
                let is_name = |byte: &u8| byte.is_ascii_graphic() && *byte != b':';
                lines.extend(name.iter().copied().filter(is_name));
                lines.extend_from_slice(b": ");
                lines.extend(value);
                lines.extend_from_slice(b"\r\n");
            }
        }
    }
    let mut text = b"HTTP/1.1 ".to_vec();
    text.extend_from_slice(&status);
    text.extend_from_slice(b" \r\n");
    text.extend_from_slice(&lines);
    text.extend_from_slice(b"\r\n");
    (!status.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read_as_far_as_they_go() {
        let b2 = b"\x85\x48\xf0\x9f\x8c\x90\xf0\x9f\x93\xa6\x44b2\0\0\x55\x84\x65index\x18\x25\x69responses\x18\xad\x82rest";
        let (layout, length) = Layout::read(b2).expect("a head");
        assert_eq!(length, b2.len() - 4);
        assert_eq!(layout.version, b"b2");
        assert_eq!(layout.sections.len(), 2);
        assert_eq!(layout.sections[1].offset, length as u64 + 0x25);
        for cut in 0..length {
            assert_eq!(Layout::read(&b2[..cut]), Err(Trouble::More), "cut at {cut}");
        }
        let signed = [
            b"\x83\x48\xf0\x9f\x96\x8b\xf0\x9f\x93\xa6\x41x\x80",
            &b2[..],
        ]
        .concat();
        let (layout, _) = Layout::read(&signed).expect("a signed head");
        assert!(layout.is_signed);
        assert_eq!(layout.base, 13);
    }
}
