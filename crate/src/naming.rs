//! Where lines about a file say that they are about: the file by name, and the part of it.

use crate::archive::Part;
use crate::json::Line;

#[derive(Default)]
pub struct Naming {
    file: Vec<u8>,
    /// Whether lines say the file even where it has no parts.
    is_always_named: bool,
    part: Vec<u8>,
    /// The only part to tell of; empty for all of them.
    chosen: Vec<u8>,
    has_found_chosen: bool,
}

impl Naming {
    /// Names the file in lines about its parts, or in all of them.
    pub fn name_file(&mut self, name: &[u8], is_always: bool) {
        self.file = name.to_vec();
        self.is_always_named = is_always;
    }

    /// Tells of one part only.
    pub fn choose_part(&mut self, name: &[u8]) {
        self.chosen = name.to_vec();
    }

    /// Whether the chosen part was there.
    pub fn has_found_chosen(&self) -> bool {
        self.chosen.is_empty() || self.has_found_chosen
    }

    /// What follows lies in this part.
    pub fn enter(&mut self, part: &Part) {
        self.part.clone_from(&part.name);
        self.has_found_chosen |= part.name == self.chosen;
    }

    /// What follows is about the file that holds this member.
    pub fn enter_holder(&mut self, member: &[u8]) {
        let end = memchr::memrchr(b'!', member).unwrap_or(0);
        self.part = member[..end].to_vec();
    }

    /// What follows is about the file itself, or the part that was chosen.
    pub fn leave(&mut self) {
        self.part.clone_from(&self.chosen);
    }

    /// Whether the part lies in the chosen one, or holds it.
    pub fn wants(&self, part: &Part) -> bool {
        let is_within = |outer: &[u8], inner: &[u8]| {
            let rest = inner.strip_prefix(outer);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"!"))
        };
        self.chosen.is_empty()
            || is_within(&self.chosen, &part.name)
            || is_within(&part.name, &self.chosen)
    }

    /// A line that says where it is about, if that is not plain.
    pub fn line(&self) -> Line {
        let mut line = Line::new();
        let place = match (self.file.is_empty(), self.part.is_empty()) {
            (_, true) if self.is_always_named => self.file.clone(),
            (_, true) => return line,
            (true, false) => self.part.clone(),
            (false, false) => [&self.file, &b"!"[..], &self.part].concat(),
        };
        line.string("file", &place);
        line
    }
}
