//! Takes a script to pieces. What `/` and the end of a substitution mean, the parser knows: it asks for those.

use memchr::{memchr, memchr3};

use super::literals;
use super::token::{Kind, Token};
use super::words::{is_word_byte, wide_blank, word};

#[derive(Clone, Copy)]
pub struct Lexer<'a> {
    source: &'a [u8],
    at: usize,
    /// Comments of HTML are none in modules.
    pub is_module: bool,
}

impl<'a> Lexer<'a> {
    pub fn new(source: &'a [u8], is_module: bool) -> Lexer<'a> {
        let mut lexer = Lexer {
            source,
            at: 0,
            is_module,
        };
        if source.starts_with(b"#!") {
            lexer.skip_line();
        }
        lexer
    }

    pub fn text(&self, token: Token) -> &'a [u8] {
        &self.source[token.start..token.end]
    }

    pub fn next(&mut self) -> Token {
        let is_on_new_line = self.skip_blanks();
        let start = self.at;
        let kind = self.kind();
        Token {
            kind,
            start,
            end: self.at,
            is_on_new_line,
        }
    }

    /// A regular expression where `/` stands, which is the token given.
    pub fn regex(&mut self, slash: Token) -> Token {
        let end = literals::regex_end(self.source, slash.start);
        self.literal(slash, end, Kind::Value)
    }

    /// What goes on with the template whose substitution ends with the brace given.
    pub fn template(&mut self, brace: Token) -> Token {
        match literals::template_end(self.source, brace.start) {
            Some((end, true)) => self.literal(brace, Some(end), Kind::TemplateEnd),
            Some((end, false)) => self.literal(brace, Some(end), Kind::TemplatePart),
            None => self.literal(brace, None, Kind::Bad),
        }
    }

    fn literal(&mut self, from: Token, end: Option<usize>, kind: Kind) -> Token {
        self.at = end.unwrap_or(self.source.len());
        let kind = if end.is_some() { kind } else { Kind::Bad };
        Token {
            kind,
            end: self.at,
            ..from
        }
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.source.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn rest(&self) -> &'a [u8] {
        self.source.get(self.at..).unwrap_or(&[])
    }

    /// Goes to the next token, and says whether a line ends on the way.
    #[inline]
    fn skip_blanks(&mut self) -> bool {
        let mut is_on_new_line = self.at == 0;
        loop {
            match self.byte(0) {
                b' ' | b'\t' | 0x0b | 0x0c => self.at += 1,
                b'\n' | b'\r' => {
                    self.at += 1;
                    is_on_new_line = true;
                }
                b'/' if self.byte(1) == b'/' => self.skip_line(),
                b'/' if self.byte(1) == b'*' => match self.comment_end() {
                    Some((end, has_lines)) => {
                        self.at = end;
                        is_on_new_line |= has_lines;
                    }
                    None => return is_on_new_line,
                },
                b'<' if !self.is_module && self.rest().starts_with(b"<!--") => self.skip_line(),
                b'-' if is_on_new_line && !self.is_module && self.rest().starts_with(b"-->") => {
                    self.skip_line();
                }
                0x80.. => match wide_blank(self.rest()) {
                    Some((length, is_line)) => {
                        self.at += length;
                        is_on_new_line |= is_line;
                    }
                    None => return is_on_new_line,
                },
                _ => return is_on_new_line,
            }
        }
    }

    fn skip_line(&mut self) {
        while let Some(length) = memchr3(b'\n', b'\r', 0xe2, self.rest()) {
            self.at += length;
            if matches!(self.byte(0), b'\n' | b'\r') || is_wide_line(self.rest()) {
                return;
            }
            self.at += 1;
        }
        self.at = self.source.len();
    }

    /// Where the comment ends that begins here, and whether it has more than one line.
    fn comment_end(&self) -> Option<(usize, bool)> {
        let mut end = self.at + 3;
        loop {
            end += memchr(b'/', self.source.get(end..)?)? + 1;
            if self.source[end - 2] == b'*' {
                break;
            }
        }
        let mut text = &self.source[self.at..end];
        while let Some(length) = memchr3(b'\n', b'\r', 0xe2, text) {
            text = &text[length..];
            if text[0] != 0xe2 || is_wide_line(text) {
                return Some((end, true));
            }
            text = &text[1..];
        }
        Some((end, false))
    }

    #[inline]
    fn kind(&mut self) -> Kind {
        let first = self.byte(0);
        match first {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | b'\\' | 0x80.. => return self.word(),
            b'0'..=b'9' => {
                self.at = literals::number_end(self.source, self.at);
                return Kind::Number;
            }
            b'.' if self.byte(1).is_ascii_digit() => {
                self.at = literals::number_end(self.source, self.at);
                return Kind::Number;
            }
            b'"' | b'\'' => {
                let end = literals::string_end(self.source, self.at);
                self.at = end.unwrap_or(self.source.len());
                return if end.is_some() {
                    Kind::String
                } else {
                    Kind::Bad
                };
            }
            b'`' => {
                let brace = Token {
                    kind: Kind::Bad,
                    start: self.at,
                    end: self.at,
                    is_on_new_line: false,
                };
                return self.template(brace).kind;
            }
            b'#' => {
                self.at += 1;
                return match self.byte(0) {
                    b'0'..=b'9' => Kind::Bad,
                    byte if is_word_byte(byte) || byte == b'\\' => {
                        self.word();
                        Kind::Private
                    }
                    _ => Kind::Bad,
                };
            }
            b'/' if self.byte(1) == b'*' => {
                // A comment that nothing ends.
                self.at = self.source.len();
                return Kind::Bad;
            }
            0 if self.at >= self.source.len() => return Kind::End,
            _ => {}
        }
        let (length, kind) = punctuator([first, self.byte(1), self.byte(2), self.byte(3)]);
        self.at = (self.at + length).min(self.source.len());
        kind
    }

    #[inline]
    fn word(&mut self) -> Kind {
        let start = self.at;
        loop {
            let byte = self.byte(0);
            if byte == b'\\' {
                return self.escaped_word(start);
            }
            if !is_word_byte(byte) || (byte >= 0xc2 && wide_blank(self.rest()).is_some()) {
                return word(&self.source[start..self.at]);
            }
            self.at += 1;
        }
    }

    /// A word with escapes in it is no keyword, but may be any name.
    fn escaped_word(&mut self, start: usize) -> Kind {
        loop {
            let byte = self.byte(0);
            if byte == b'\\' {
                if self.byte(1) != b'u' {
                    return Kind::Bad;
                }
                self.at += 2;
                if self.byte(0) == b'{' {
                    let Some(length) = memchr(b'}', self.rest()) else {
                        return Kind::Bad;
                    };
                    self.at += length + 1;
                } else {
                    self.at = (self.at + 4).min(self.source.len());
                }
            } else if !is_word_byte(byte) || (byte >= 0xc2 && wide_blank(self.rest()).is_some()) {
                break;
            } else {
                self.at += 1;
            }
        }
        match word(&literals::unescaped(&self.source[start..self.at])) {
            kind @ (Kind::Location | Kind::Top | Kind::PostMessage | Kind::Window | Kind::Eval) => {
                kind
            }
            _ => Kind::Name,
        }
    }
}

fn is_wide_line(bytes: &[u8]) -> bool {
    wide_blank(bytes).is_some_and(|(_, is_line)| is_line)
}

/// The longest mark at the start of these bytes.
#[inline]
fn punctuator(bytes: [u8; 4]) -> (usize, Kind) {
    match bytes {
        [b'{', ..] => (1, Kind::BraceOpen),
        [b'}', ..] => (1, Kind::BraceClose),
        [b'(', ..] => (1, Kind::ParenOpen),
        [b')', ..] => (1, Kind::ParenClose),
        [b'[', ..] => (1, Kind::BracketOpen),
        [b']', ..] => (1, Kind::BracketClose),
        [b';', ..] => (1, Kind::Semicolon),
        [b',', ..] => (1, Kind::Comma),
        [b':', ..] => (1, Kind::Colon),
        [b'~', ..] => (1, Kind::Not),
        [b'.', b'.', b'.', _] => (3, Kind::Dots),
        [b'.', ..] => (1, Kind::Dot),
        [b'?', b'?', b'=', _] => (3, Kind::AssignOperator),
        [b'?', b'?', ..] => (2, Kind::Operator),
        [b'?', b'.', b'0'..=b'9', _] => (1, Kind::Question),
        [b'?', b'.', ..] => (2, Kind::QuestionDot),
        [b'?', ..] => (1, Kind::Question),
        [b'=', b'=', b'=', _] => (3, Kind::Operator),
        [b'=', b'=', ..] => (2, Kind::Operator),
        [b'=', b'>', ..] => (2, Kind::Arrow),
        [b'=', ..] => (1, Kind::Assign),
        [b'!', b'=', b'=', _] => (3, Kind::Operator),
        [b'!', b'=', ..] => (2, Kind::Operator),
        [b'!', ..] => (1, Kind::Not),
        [b'+', b'+', ..] | [b'-', b'-', ..] => (2, Kind::Step),
        [b'+' | b'-', b'=', ..] => (2, Kind::AssignOperator),
        [b'+' | b'-', ..] => (1, Kind::Sign),
        [b'/', b'=', ..] => (2, Kind::SlashAssign),
        [b'/', ..] => (1, Kind::Slash),
        [b'*', b'*', b'=', _] => (3, Kind::AssignOperator),
        [b'*', b'*', ..] => (2, Kind::Operator),
        [b'*', b'=', ..] => (2, Kind::AssignOperator),
        [b'*', ..] => (1, Kind::Star),
        [b'%' | b'^', b'=', ..] => (2, Kind::AssignOperator),
        [b'%' | b'^', ..] => (1, Kind::Operator),
        [b'>', b'>', b'>', b'='] => (4, Kind::AssignOperator),
        [b'>', b'>', b'>', _] => (3, Kind::Operator),
        [a @ (b'<' | b'>' | b'&' | b'|'), b, c, _] if a == b => {
            if c == b'=' {
                (3, Kind::AssignOperator)
            } else {
                (2, Kind::Operator)
            }
        }
        [b'<' | b'>', b'=', ..] => (2, Kind::Operator),
        [b'&' | b'|', b'=', ..] => (2, Kind::AssignOperator),
        [b'<' | b'>' | b'&' | b'|', ..] => (1, Kind::Operator),
        _ => (1, Kind::Bad),
    }
}
