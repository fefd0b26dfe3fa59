//! Host names in style sheets: absolute addresses in `url()`, after `@import`, in the strings of `image-set()`, and
//! those that selectors compare attributes with.
//!
//! Reads tokens, as far as to know strings, comments and functions from each other. What stands after `@namespace` is
//! a name and no address.

use std::borrow::Cow;

use super::hosts::Hosts;

/// The text with its absolute addresses replaced; the same text where there are none.
pub fn rewrite<'a>(css: &'a str, hosts: &Hosts) -> Cow<'a, str> {
    // An escape may stand for a slash; a selector may ask for a scheme.
    if !css.contains("//") && !css.contains('\\') && !css.contains("http") {
        return css.into();
    }
    let mut scanner = Scanner {
        css,
        at: 0,
        copied: 0,
        out: String::new(),
        hosts,
    };
    scanner.run();
    if scanner.copied == 0 {
        return css.into();
    }
    scanner.out.push_str(&css[scanner.copied..]);
    scanner.out.into()
}

struct Scanner<'a> {
    css: &'a str,
    at: usize,
    copied: usize,
    out: String,
    hosts: &'a Hosts,
}

impl<'a> Scanner<'a> {
    fn run(&mut self) {
        let mut is_import = false;
        // Brackets that are open, and of those the one of an `image-set`.
        let (mut depth, mut image_set) = (0usize, None);
        // Of a selector in square brackets: the attribute that it compares.
        let mut attribute = None;
        while let Some(byte) = self.byte(self.at) {
            match byte {
                b'/' if self.byte(self.at + 1) == Some(b'*') => self.skip_comment(),
                b'"' | b'\'' => {
                    let start = self.at;
                    self.skip_string(byte);
                    if is_import || image_set.is_some() {
                        self.replace_string(start);
                    } else if attribute.is_some_and(is_address) {
                        self.replace_compared(start);
                    }
                    is_import = false;
                }
                b'[' => {
                    self.at += 1;
                    self.skip_space();
                    attribute = Some(self.name());
                }
                b']' => {
                    self.at += 1;
                    attribute = None;
                }
                b'@' => {
                    self.at += 1;
                    let name = self.name();
                    is_import = name.eq_ignore_ascii_case("import");
                    if name.eq_ignore_ascii_case("namespace") {
                        self.skip_until(b';');
                    }
                }
                b'(' => {
                    depth += 1;
                    self.at += 1;
                }
                b')' => {
                    if image_set == Some(depth) {
                        image_set = None;
                    }
                    depth = depth.saturating_sub(1);
                    self.at += 1;
                }
                b';' | b'{' | b'}' => {
                    is_import = false;
                    (depth, image_set, attribute) = (0, None, None);
                    self.at += 1;
                }
                b'\\' => self.at += 2,
                byte if is_name(byte) => {
                    let name = self.name();
                    if self.byte(self.at) == Some(b'(') {
                        if name.eq_ignore_ascii_case("url") {
                            self.at += 1;
                            self.address();
                            is_import = false;
                        } else if image_set.is_none() && is_image_set(name) {
                            image_set = Some(depth + 1);
                        }
                    }
                }
                _ => self.at += 1,
            }
        }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.css.as_bytes().get(at).copied()
    }

    fn name(&mut self) -> &'a str {
        let start = self.at;
        while self.byte(self.at).is_some_and(is_name) {
            self.at += 1;
        }
        &self.css[start..self.at]
    }

    /// What stands in `url(`, up to its bracket.
    fn address(&mut self) {
        self.skip_space();
        let start = self.at;
        if let Some(quote @ (b'"' | b'\'')) = self.byte(start) {
            self.skip_string(quote);
            return self.replace_string(start);
        }
        while let Some(byte) = self.byte(self.at) {
            match byte {
                b')' | b'"' | b'\'' | b'(' => break,
                _ if byte.is_ascii_whitespace() => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at = self.boundary(self.at);
        self.replace(start, self.at);
    }

    /// The string from its opening quote up to here.
    fn replace_string(&mut self, start: usize) {
        self.at = self.boundary(self.at);
        let given = &self.css[start..self.at];
        let quote = &given[..1];
        let inside = given[1..]
            .strip_suffix(quote)
            .or(given[1..].strip_suffix('\n'));
        let length = inside.unwrap_or(&given[1..]).len();
        self.replace(start + 1, start + 1 + length);
    }

    /// What an address is compared with may be no more than how it begins.
    fn replace_compared(&mut self, start: usize) {
        self.at = self.boundary(self.at);
        let given = self.css[start + 1..self.at].trim_end_matches(['"', '\'']);
        let end = start + 1 + given.len();
        match given
            .strip_prefix("http")
            .map(|rest| rest.strip_prefix('s').unwrap_or(rest))
        {
            Some(rest @ ("" | ":" | ":/" | "://")) => {
                self.put(start + 1, end, &format!("{}{rest}", self.hosts.scheme()));
            }
            _ => self.replace(start + 1, end),
        }
    }

    fn replace(&mut self, start: usize, end: usize) {
        let given = &self.css[start..end];
        if let Some(url) = self.hosts.replay_url(&unescaped(given)) {
            self.put(start, end, &url);
        }
    }

    fn put(&mut self, start: usize, end: usize, url: &str) {
        self.out.push_str(&self.css[self.copied..start]);
        for letter in url.chars() {
            if "\"'()\\ ".contains(letter) {
                self.out.push('\\');
            }
            self.out.push(letter);
        }
        self.copied = end;
    }

    /// Never within a letter, nor beyond the end: what is escaped may be any letter.
    fn boundary(&self, at: usize) -> usize {
        let at = at.min(self.css.len());
        (at..=self.css.len())
            .find(|&at| self.css.is_char_boundary(at))
            .unwrap_or(self.css.len())
    }

    fn skip_space(&mut self) {
        while self
            .byte(self.at)
            .is_some_and(|byte| byte.is_ascii_whitespace())
        {
            self.at += 1;
        }
    }

    fn skip_comment(&mut self) {
        let end = self.css[self.at + 2..].find("*/");
        self.at = end.map_or(self.css.len(), |length| self.at + length + 4);
    }

    /// To behind its closing quote; a line that ends ends a string that has none.
    fn skip_string(&mut self, quote: u8) {
        self.at += 1;
        while let Some(byte) = self.byte(self.at) {
            self.at += 1;
            if byte == quote || byte == b'\n' {
                return;
            }
            if byte == b'\\' {
                self.at += 1;
            }
        }
    }

    fn skip_until(&mut self, end: u8) {
        while let Some(byte) = self.byte(self.at) {
            match byte {
                b'"' | b'\'' => self.skip_string(byte),
                _ if byte == end => return,
                _ => self.at += 1,
            }
        }
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'
}

fn is_address(attribute: &str) -> bool {
    ["href", "src", "action", "data", "poster", "srcset"]
        .iter()
        .any(|name| attribute.eq_ignore_ascii_case(name))
}

fn is_image_set(name: &str) -> bool {
    name.eq_ignore_ascii_case("image-set") || name.eq_ignore_ascii_case("-webkit-image-set")
}

/// `\2f ` is the letter of that number, `\/` the letter itself.
fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let digits = rest
            .bytes()
            .take(6)
            .take_while(u8::is_ascii_hexdigit)
            .count();
        if digits > 0 {
            let number = u32::from_str_radix(&rest[..digits], 16).unwrap_or(0);
            out.push(char::from_u32(number).unwrap_or('\u{fffd}'));
            rest = &rest[digits..];
            rest = rest
                .strip_prefix(|c: char| c.is_ascii_whitespace())
                .unwrap_or(rest);
        } else if let Some(letter) = rest.chars().next() {
            if letter != '\n' {
                out.push(letter);
            }
            rest = &rest[letter.len_utf8()..];
        }
    }
    out.push_str(rest);
    out.into()
}
