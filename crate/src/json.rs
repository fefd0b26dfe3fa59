//! Writes one flat JSON object a line; strings that are not UTF-8 get the replacement character.

use std::fmt::Write;

pub struct Line {
    text: String,
}

impl Line {
    pub fn new() -> Line {
        Line {
            text: String::from("{"),
        }
    }

    pub fn number(&mut self, name: &str, value: u64) {
        self.name(name);
        let _ = write!(self.text, "{value}");
    }

    pub fn boolean(&mut self, name: &str, value: bool) {
        self.name(name);
        self.text.push_str(if value { "true" } else { "false" });
    }

    pub fn string(&mut self, name: &str, value: &[u8]) {
        self.name(name);
        push_string(&mut self.text, value);
    }

    /// A value that is JSON already.
    pub fn raw(&mut self, name: &str, json: &str) {
        self.name(name);
        self.text.push_str(json);
    }

    pub fn optional(&mut self, name: &str, value: Option<&[u8]>) {
        if let Some(value) = value {
            self.string(name, value);
        }
    }

    /// Takes over the fields of another line.
    pub fn merge(&mut self, other: Line) {
        if other.text.len() > 1 {
            self.text.push(',');
            self.text.push_str(&other.text[1..]);
        }
    }

    pub fn end(mut self) -> String {
        self.text.push_str("}\n");
        self.text
    }

    fn name(&mut self, name: &str) {
        if self.text.len() > 1 {
            self.text.push(',');
        }
        let _ = write!(self.text, "\"{name}\":");
    }
}

fn push_string(text: &mut String, value: &[u8]) {
    text.push('"');
    for c in String::from_utf8_lossy(value).chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            c if c < ' ' || c == '\u{7f}' => {
                let _ = write!(text, "\\u{:04x}", u32::from(c));
            }
            c => text.push(c),
        }
    }
    text.push('"');
}
