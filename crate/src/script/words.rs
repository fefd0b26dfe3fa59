//! Which words mean something, and what bytes may be in one.

use super::token::Kind;

/// What a word is.
#[inline]
pub fn word(text: &[u8]) -> Kind {
    match text.len() {
        2 => match text {
            b"as" => Kind::As,
            b"do" => Kind::Do,
            b"if" => Kind::If,
            b"in" => Kind::In,
            b"of" => Kind::Of,
            _ => Kind::Name,
        },
        3 => match text {
            b"for" => Kind::For,
            b"get" => Kind::Get,
            b"let" => Kind::Let,
            b"new" => Kind::New,
            b"set" => Kind::Set,
            b"top" => Kind::Top,
            b"try" => Kind::Try,
            b"var" => Kind::Var,
            _ => Kind::Name,
        },
        4 => match text {
            b"case" => Kind::Case,
            b"else" => Kind::Else,
            b"enum" => Kind::Enum,
            b"eval" => Kind::Eval,
            b"from" => Kind::From,
            b"meta" => Kind::Meta,
            b"null" | b"true" => Kind::Value,
            b"self" => Kind::Window,
            b"this" => Kind::This,
            b"void" => Kind::Void,
            b"with" => Kind::With,
            _ => Kind::Name,
        },
        5 => match text {
            b"async" => Kind::Async,
            b"await" => Kind::Await,
            b"break" => Kind::Break,
            b"catch" => Kind::Catch,
            b"class" => Kind::Class,
            b"const" => Kind::Const,
            b"false" => Kind::Value,
            b"super" => Kind::Super,
            b"throw" => Kind::Throw,
            b"using" => Kind::Using,
            b"while" => Kind::While,
            b"yield" => Kind::Yield,
            _ => Kind::Name,
        },
        6 => match text {
            b"delete" => Kind::Delete,
            b"export" => Kind::Export,
            b"frames" | b"opener" | b"parent" | b"window" => Kind::Window,
            b"import" => Kind::Import,
            b"return" => Kind::Return,
            b"static" => Kind::Static,
            b"switch" => Kind::Switch,
            b"typeof" => Kind::Typeof,
            _ => Kind::Name,
        },
        7 => match text {
            b"default" => Kind::Default,
            b"extends" => Kind::Extends,
            b"finally" => Kind::Finally,
            _ => Kind::Name,
        },
        8 => match text {
            b"continue" => Kind::Continue,
            b"debugger" => Kind::Debugger,
            b"function" => Kind::Function,
            b"location" => Kind::Location,
            _ => Kind::Name,
        },
        10 => match text {
            b"globalThis" => Kind::Window,
            b"instanceof" => Kind::Instanceof,
            _ => Kind::Name,
        },
        11 => match text {
            b"defaultView" => Kind::Window,
            b"postMessage" => Kind::PostMessage,
            _ => Kind::Name,
        },
        13 if text == b"contentWindow" => Kind::Window,
        _ => Kind::Name,
    }
}

/// Bytes of words. What is beyond ASCII is taken for letters, but for the spaces among it.
#[inline]
pub fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// A space or an end of line beyond ASCII at the start of these bytes: its length, and whether it ends a line.
pub fn wide_blank(bytes: &[u8]) -> Option<(usize, bool)> {
    match *bytes {
        [0xc2, 0xa0, ..] => Some((2, false)),
        [0xe2, 0x80, 0xa8 | 0xa9, ..] => Some((3, true)),
        [0xe1, 0x9a, 0x80, ..]
        | [0xe2, 0x80, 0x80..=0x8a | 0xaf, ..]
        | [0xe2, 0x81, 0x9f, ..]
        | [0xe3, 0x80, 0x80, ..]
        | [0xef, 0xbb, 0xbf, ..] => Some((3, false)),
        _ => None,
    }
}
