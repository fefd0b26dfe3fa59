//! Markup taken to pieces, by the tokenizer of the HTML standard: tags, texts, and what is neither.
//!
//! A text is walked through once: what is not closed reaches to the end, where reading ends too.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

use super::entities::{Within, decoded};

/// A piece of markup. What shows nothing (comments, instructions) is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    Doctype,
    Start(Tag<'a>),
    End(Tag<'a>),
    /// With references in it.
    Text(&'a str),
    /// As it stands.
    Raw(&'a str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag<'a> {
    /// As it is written.
    pub name: &'a str,
    pub attributes: Attributes<'a>,
    pub is_self_closing: bool,
}

/// How the content of an element is read that has no elements in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// References count, tags do not.
    Text,
    /// Neither does.
    Raw,
    Script,
    /// All that follows.
    Rest,
}

pub struct Tokens<'a> {
    text: &'a str,
    at: usize,
    /// The element whose content comes next, and how it is read.
    inside: Option<(&'a str, Content)>,
    /// `<![CDATA[` begins a text here, and no comment.
    pub has_cdata: bool,
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0c | b'\r' | b' ')
}

impl<'a> Tokens<'a> {
    pub fn new(text: &'a str) -> Tokens<'a> {
        Tokens {
            text,
            at: 0,
            inside: None,
            has_cdata: false,
        }
    }

    /// What follows is the content of that element.
    pub fn enter(&mut self, name: &'a str, content: Content) {
        self.inside = Some((name, content));
    }

    fn take(&mut self, end: usize) -> &'a str {
        let taken = &self.text[self.at..end];
        self.at = end;
        taken
    }

    /// Passes over what has its end at `end`, or none.
    fn pass(&mut self, end: Option<usize>) {
        self.at = end.unwrap_or(self.text.len());
    }

    /// The content that was entered.
    fn content(&mut self, name: &str, content: Content) -> Token<'a> {
        let rest = &self.text.as_bytes()[self.at..];
        let length = match content {
            Content::Rest => rest.len(),
            Content::Script => script_end(rest),
            Content::Text | Content::Raw => end_tag(rest, name).unwrap_or(rest.len()),
        };
        let taken = self.take(self.at + length);
        match content {
            Content::Text => Token::Text(taken),
            _ => Token::Raw(taken),
        }
    }

    /// What `<!` begins.
    fn declaration(&mut self) -> Option<Token<'a>> {
        let rest = &self.text.as_bytes()[self.at..];
        if rest.starts_with(b"<!--") {
            self.pass(comment_end(rest).map(|end| self.at + end));
            return None;
        }
        if self.has_cdata && rest.starts_with(b"<![CDATA[") {
            let start = self.at + b"<![CDATA[".len();
            let end = find(&self.text.as_bytes()[start..], b"]]>").map(|end| start + end);
            let text = &self.text[start..end.unwrap_or(self.text.len())];
            self.pass(end.map(|end| end + 3));
            return Some(Token::Raw(text));
        }
        let is_doctype = rest
            .get(2..9)
            .is_some_and(|word| word.eq_ignore_ascii_case(b"doctype"));
        self.pass(memchr(b'>', rest).map(|end| self.at + end + 1));
        is_doctype.then_some(Token::Doctype)
    }

    /// A tag, if this is one that ends.
    fn tag(&mut self, name_at: usize) -> Option<Tag<'a>> {
        let bytes = self.text.as_bytes();
        let is_end = |byte: &u8| is_blank(*byte) || matches!(byte, b'/' | b'>');
        let length = bytes[name_at..].iter().position(is_end);
        let name_end = name_at + length.unwrap_or(bytes.len() - name_at);
        let rest = &self.text[name_end..];
        let Some((length, is_self_closing)) = attributes_end(rest.as_bytes()) else {
            self.at = bytes.len();
            return None;
        };
        self.at = name_end + length + 1;
        Some(Tag {
            name: &self.text[name_at..name_end],
            attributes: Attributes {
                text: &rest[..=length],
            },
            is_self_closing,
        })
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        if let Some((name, content)) = self.inside.take() {
            return Some(self.content(name, content));
        }
        let bytes = self.text.as_bytes();
        while self.at < bytes.len() {
            if bytes[self.at] != b'<' {
                let end = memchr(b'<', &bytes[self.at..]).map_or(bytes.len(), |at| self.at + at);
                return Some(Token::Text(self.take(end)));
            }
            match (bytes.get(self.at + 1), bytes.get(self.at + 2)) {
                (Some(b'!'), _) => {
                    if let Some(token) = self.declaration() {
                        return Some(token);
                    }
                }
                (Some(b'/'), Some(byte)) if byte.is_ascii_alphabetic() => {
                    return self.tag(self.at + 2).map(Token::End);
                }
                (Some(b'?'), _) | (Some(b'/'), Some(_)) => {
                    let end = memchr(b'>', &bytes[self.at..]);
                    self.pass(end.map(|end| self.at + end + 1));
                }
                (Some(byte), _) if byte.is_ascii_alphabetic() => {
                    return self.tag(self.at + 1).map(Token::Start);
                }
                _ => {
                    // It stands for itself.
                    let next = memchr(b'<', &bytes[self.at + 1..]);
                    let end = next.map_or(bytes.len(), |at| self.at + 1 + at);
                    return Some(Token::Text(self.take(end)));
                }
            }
        }
        None
    }
}

/// Where a few bytes stand first: a search for more is more code than all the rest here.
fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr(*wanted.first()?, text.get(at..)?)?;
        if text[at..].starts_with(wanted) {
            return Some(at);
        }
        at += 1;
    }
}

/// Where a comment ends that begins here.
fn comment_end(text: &[u8]) -> Option<usize> {
    for abrupt in [&b"<!-->"[..], b"<!--->"] {
        if text.starts_with(abrupt) {
            return Some(abrupt.len());
        }
    }
    let mut at = 4;
    while let Some(found) = find(&text[at..], b"--") {
        at += found;
        match &text[at + 2..] {
            [b'>', ..] => return Some(at + 3),
            [b'!', b'>', ..] => return Some(at + 4),
            _ => at += 1,
        }
    }
    None
}

/// Where the end tag of that name begins.
fn end_tag(text: &[u8], name: &str) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = find(&text[at..], b"</") {
        at += found;
        if is_tag(&text[at + 2..], name) {
            return Some(at);
        }
        at += 2;
    }
    None
}

/// Whether a tag goes on with this name.
fn is_tag(text: &[u8], name: &str) -> bool {
    let is_named = |found: &[u8]| found.eq_ignore_ascii_case(name.as_bytes());
    let next = text.get(name.len());
    text.get(..name.len()).is_some_and(is_named)
        && next.is_some_and(|byte| is_blank(*byte) || matches!(byte, b'/' | b'>'))
}

/// Where a script ends: what stands in a comment in it may hold scripts of its own.
fn script_end(text: &[u8]) -> usize {
    #[derive(PartialEq, Eq)]
    enum State {
        Plain,
        Escaped,
        Twice,
    }
    let mut state = State::Plain;
    let mut at = 0;
    while let Some(found) = memchr2(b'<', b'-', &text[at..]) {
        at += found;
        let rest = &text[at..];
        let is_end = rest.starts_with(b"</") && is_tag(&rest[2..], "script");
        match state {
            State::Plain if rest.starts_with(b"<!--") => {
                state = State::Escaped;
                // Its hyphens may end it already.
                at += 2;
                continue;
            }
            State::Plain | State::Escaped if is_end => return at,
            State::Escaped if rest.starts_with(b"<") && is_tag(&rest[1..], "script") => {
                state = State::Twice;
            }
            State::Twice if is_end => state = State::Escaped,
            State::Escaped | State::Twice if rest.starts_with(b"-->") => state = State::Plain,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// Length of what stands between the name of a tag and its `>`, and whether that closes itself.
fn attributes_end(text: &[u8]) -> Option<(usize, bool)> {
    let mut at = 0;
    loop {
        // Before a name, or behind a value.
        while text.get(at).is_some_and(|&byte| is_blank(byte)) {
            at += 1;
        }
        match text.get(at)? {
            b'>' => return Some((at, false)),
            b'/' => {
                if text.get(at + 1) == Some(&b'>') {
                    return Some((at + 1, true));
                }
                at += 1;
                continue;
            }
            _ => {}
        }
        at += attribute(&text[at..])?.2;
    }
}

/// The attribute that begins here: where its name ends, its value, and where it ends.
fn attribute(text: &[u8]) -> Option<(usize, std::ops::Range<usize>, usize)> {
    let is_end = |byte: &u8| is_blank(*byte) || matches!(byte, b'/' | b'>' | b'=');
    // A name may begin with the sign.
    let name_end = 1 + text[1..].iter().position(is_end)?;
    let blanks = |at: usize| text[at..].iter().position(|&byte| !is_blank(byte));
    let sign = name_end + blanks(name_end)?;
    if text[sign] != b'=' {
        return Some((name_end, name_end..name_end, sign));
    }
    let start = sign + 1 + blanks(sign + 1)?;
    Some(match text[start] {
        quote @ (b'"' | b'\'') => {
            let end = start + 1 + memchr(quote, &text[start + 1..])?;
            (name_end, start + 1..end, end + 1)
        }
        b'>' => (name_end, start..start, start),
        _ => {
            let is_end = |byte: &u8| is_blank(*byte) || *byte == b'>';
            let end = start + text[start..].iter().position(is_end)?;
            (name_end, start..end, end)
        }
    })
}

/// The attributes of a tag, as they stand in it, with the `>` that ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attributes<'a> {
    text: &'a str,
}

impl<'a> Attributes<'a> {
    /// The value of the first one of that name, references in it replaced.
    pub fn get(mut self, name: &str) -> Option<Cow<'a, str>> {
        let (_, value) = self.find(|(known, _)| known.eq_ignore_ascii_case(name))?;
        Some(decoded(value, Within::Attribute))
    }
}

impl<'a> Iterator for Attributes<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<(&'a str, &'a str)> {
        let is_between = |byte: u8| is_blank(byte) || byte == b'/';
        let start = self.text.bytes().position(|byte| !is_between(byte))?;
        let text = &self.text[start..];
        if text.starts_with('>') {
            return None;
        }
        let (name, value, end) = attribute(text.as_bytes())?;
        self.text = &text[end..];
        Some((&text[..name], &text[value]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let show = |token: Token<'_>| match token {
            Token::Doctype => "!".into(),
            Token::Text(text) => format!("{text:?}"),
            Token::Raw(text) => format!("raw {text:?}"),
            Token::End(tag) => format!("/{}", tag.name),
            Token::Start(tag) => {
                let attributes: Vec<_> = tag.attributes.collect();
                let end = if tag.is_self_closing { "/" } else { "" };
                format!("{}{attributes:?}{end}", tag.name).replace("[]", "")
            }
        };
        Tokens::new(text).map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn tags_end_where_browsers_end_them() {
        for (text, expected) in [
            ("a<b>c</b >d", r#""a" b "c" /b "d""#),
            (
                "<a b=1 c='>' d=\"/\"e f = g h>x",
                r#"a[("b", "1"), ("c", ">"), ("d", "/"), ("e", ""), ("f", "g"), ("h", "")] "x""#,
            ),
            ("<a/b/ c=/d/>x", r#"a[("b", ""), ("c", "/d/")] "x""#),
            ("<br/><a b=>x", r#"br/ a[("b", "")] "x""#),
            ("<a =b==c>", r#"a[("=b", "=c")]"#),
            ("1 < 2 <3</>x</ y>z", r#""1 " "< 2 " "<3" "x" "z""#),
            ("x<a b='", r#""x""#),
            ("x</", r#""x" "</""#),
            ("<!DOCTYPE html><?x y?>z<!x>", r#"! "z""#),
            (
                "a<!-->b<!--->c<!-- --!>d<!-- -->e<!--",
                r#""a" "b" "c" "d" "e""#,
            ),
            ("a<![CDATA[b]]>c", r#""a" "c""#),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn scripts_may_hold_scripts_in_comments() {
        for (text, left) in [
            ("a</script>b", "</script>b"),
            ("a</scripty></script/>b", "</script/>b"),
            ("<!--<script></script>--></SCRIPT>b", "</SCRIPT>b"),
            ("<!--></script>b", "</script>b"),
            ("<!-- </script> -->", "</script> -->"),
            ("<!-- <script> --></script>b", "</script>b"),
            ("<!-- <script>", ""),
        ] {
            assert_eq!(&text[script_end(text.as_bytes())..], left, "{text}");
        }
    }
}
