//! JSON as a stream: bytes are pushed in, tokens come out, and no string is ever held here.
//!
//! A string comes in pieces between `Key` or `Text` and `End`. Whatever way the input is cut, what the pieces
//! add up to is the same. Read leniently inside strings (bad escapes, lone surrogates and bytes that are not
//! UTF-8 stand as U+FFFD and are told) and strictly between them: what is out of place there is `Broken`, and
//! nothing more comes. Trailing commas, several documents in a row and `NaN` are let pass.
//!
//! Memory: one byte a level, at most [`JSON_DEPTH_MAX`] of them.

use memchr::memchr2;

use crate::limits::JSON_DEPTH_MAX;

/// A bracketed thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Object,
    Array,
}

/// A character of a string that could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextFault {
    Escape,
    LoneSurrogate,
    NotUtf8,
}

impl TextFault {
    pub fn message(self) -> &'static str {
        match self {
            TextFault::Escape => "a string holds an escape that JSON does not know",
            TextFault::LoneSurrogate => "a string holds half of a surrogate pair",
            TextFault::NotUtf8 => "a string holds bytes that are not UTF-8",
        }
    }
}

const DIGITS_MAX: usize = 24;

/// A number as it is written, as far as anybody needs it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Digits {
    bytes: [u8; DIGITS_MAX],
    len: usize,
}

impl Digits {
    /// The number where it is whole, not negative and of a sensible size.
    pub fn whole(&self) -> Option<u64> {
        let text = std::str::from_utf8(self.text()?).ok()?;
        let text = text.strip_suffix(".0").unwrap_or(text);
        text.parse().ok()
    }

    /// As it is written, unless it is longer than any number of use.
    pub fn text(&self) -> Option<&[u8]> {
        self.bytes.get(..self.len)
    }

    fn push(&mut self, byte: u8) {
        if let Some(slot) = self.bytes.get_mut(self.len) {
            *slot = byte;
        }
        self.len = self.len.saturating_add(1);
    }
}

/// What comes next; places are told by [`JsonStream::token_at`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    Open(Shape),
    Close(Shape),
    /// The name of a member begins.
    Key,
    /// A string begins that is a value.
    Text,
    /// More of the key or string: whole characters of UTF-8.
    Piece(&'a [u8]),
    /// One more character of it, which was escaped.
    Char(char),
    /// The same, in place of something that could not be read.
    Odd(TextFault, char),
    /// The key or string ends.
    End,
    Number(Digits),
    Bool(bool),
    Null,
    /// This is no JSON, for the reason given. It is the last token.
    Broken(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Value,
    /// After `[`, or after a comma in an array.
    ValueOrEnd,
    KeyOrEnd,
    Colon,
    /// After a value.
    Next,
    Text,
    Escape,
    /// In `\u`: digits so far, and what they say.
    Hex(u8, u16),
    /// A number or a word.
    Scalar,
    Broken,
}

#[derive(Clone, Debug)]
pub struct JsonStream {
    state: State,
    offset: u64,
    token_at: u64,
    shapes: Vec<Shape>,
    is_key: bool,
    is_passing: bool,
    /// No delimiter of a string lies before this place.
    clear_to: u64,
    partial: [u8; 4],
    partial_len: usize,
    high: Option<u16>,
    queued: Option<char>,
    scalar: Digits,
}

impl JsonStream {
    /// A document that begins at `offset` of the file.
    pub fn new(offset: u64) -> JsonStream {
        JsonStream {
            state: State::Value,
            offset,
            token_at: offset,
            shapes: Vec::new(),
            is_key: false,
            is_passing: false,
            clear_to: 0,
            partial: [0; 4],
            partial_len: 0,
            high: None,
            queued: None,
            scalar: Digits::default(),
        }
    }

    /// The inside of some brackets, where a value or its end comes next.
    pub fn inside(offset: u64, shapes: &[Shape]) -> JsonStream {
        let state = match shapes.last() {
            Some(Shape::Object) => State::KeyOrEnd,
            Some(Shape::Array) => State::ValueOrEnd,
            None => State::Value,
        };
        JsonStream {
            state,
            shapes: shapes.to_vec(),
            ..JsonStream::new(offset)
        }
    }

    /// The inside of a string whose quote lies just before `offset`.
    pub fn inside_text(offset: u64) -> JsonStream {
        JsonStream {
            state: State::Text,
            ..JsonStream::new(offset)
        }
    }

    /// Where in the file the next byte is.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Where in the file the last token began.
    pub fn token_at(&self) -> u64 {
        self.token_at
    }

    /// Whether the input could end here: all that was opened is closed.
    pub fn is_between(&self) -> bool {
        self.shapes.is_empty() && self.state == State::Value
    }

    /// The rest of this string is of no interest: no pieces of it come.
    pub fn pass_over_text(&mut self) {
        self.is_passing = true;
    }

    /// The next token; `None` where `input` is used up first. Takes what it read from `input`.
    pub fn next<'a>(&mut self, input: &mut &'a [u8]) -> Option<Token<'a>> {
        loop {
            let token = match self.state {
                State::Text => self.text(input),
                State::Escape => self.escape(input),
                State::Hex(count, value) => self.hex(count, value, input),
                State::Scalar => self.scalar(input),
                State::Broken => return None,
                _ => return self.structure(input),
            };
            if token.is_some() || input.is_empty() {
                return token;
            }
        }
    }

    fn take<'a>(&mut self, input: &mut &'a [u8], count: usize) -> &'a [u8] {
        let (taken, rest) = input.split_at(count);
        *input = rest;
        self.offset += count as u64;
        taken
    }

    fn structure<'a>(&mut self, input: &mut &'a [u8]) -> Option<Token<'a>> {
        loop {
            let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
            let blanks = input.iter().take_while(|byte| is_blank(byte)).count();
            self.take(input, blanks);
            self.token_at = self.offset;
            let &byte = input.first()?;
            match (self.state, byte) {
                (State::Value | State::ValueOrEnd, b'{') => {
                    return Some(self.open(Shape::Object, State::KeyOrEnd, input));
                }
                (State::Value | State::ValueOrEnd, b'[') => {
                    return Some(self.open(Shape::Array, State::ValueOrEnd, input));
                }
                (State::Value | State::ValueOrEnd, b'"') => {
                    return Some(self.quote(false, input));
                }
                (State::KeyOrEnd, b'"') => return Some(self.quote(true, input)),
                (State::ValueOrEnd | State::Next, b']') => {
                    return Some(self.close(Shape::Array, input));
                }
                (State::KeyOrEnd | State::Next, b'}') => {
                    return Some(self.close(Shape::Object, input));
                }
                (State::Colon, b':') => {
                    self.take(input, 1);
                    self.state = State::Value;
                }
                (State::Next, b',') => {
                    self.take(input, 1);
                    self.state = match self.shapes.last() {
                        Some(Shape::Object) => State::KeyOrEnd,
                        Some(Shape::Array) => State::ValueOrEnd,
                        None => State::Value,
                    };
                }
                (State::Value | State::ValueOrEnd, _) if is_scalar(byte) => {
                    self.state = State::Scalar;
                    self.scalar = Digits::default();
                    return match self.scalar(input) {
                        None if !input.is_empty() => continue,
                        token => token,
                    };
                }
                (state, _) => {
                    return Some(self.broken(match state {
                        State::Colon => "a colon is missing after a name",
                        State::Next => {
                            "neither a comma nor the end of what was opened follows a value"
                        }
                        State::KeyOrEnd => "there is no name where one should be",
                        _ => "there is no value where one should be",
                    }));
                }
            }
        }
    }

    fn broken<'a>(&mut self, why: &'static str) -> Token<'a> {
        self.state = State::Broken;
        Token::Broken(why)
    }

    fn open<'a>(&mut self, shape: Shape, state: State, input: &mut &'a [u8]) -> Token<'a> {
        if self.shapes.len() >= JSON_DEPTH_MAX {
            return self.broken("it is nested too deeply");
        }
        self.take(input, 1);
        self.shapes.push(shape);
        self.state = state;
        Token::Open(shape)
    }

    fn close<'a>(&mut self, shape: Shape, input: &mut &'a [u8]) -> Token<'a> {
        if self.shapes.last() != Some(&shape) {
            return self.broken("a bracket closes what was never opened");
        }
        self.take(input, 1);
        self.shapes.pop();
        self.after_value();
        Token::Close(shape)
    }

    fn quote<'a>(&mut self, is_key: bool, input: &mut &'a [u8]) -> Token<'a> {
        self.take(input, 1);
        self.is_key = is_key;
        self.is_passing = false;
        self.state = State::Text;
        if is_key { Token::Key } else { Token::Text }
    }

    fn after_value(&mut self) {
        self.state = if self.shapes.is_empty() {
            State::Value
        } else {
            State::Next
        };
    }

    fn scalar<'a>(&mut self, input: &mut &'a [u8]) -> Option<Token<'a>> {
        let count = input.iter().take_while(|byte| is_scalar(**byte)).count();
        for &byte in self.take(input, count) {
            self.scalar.push(byte);
        }
        if input.is_empty() {
            return None;
        }
        let word = self.scalar.text().unwrap_or(&self.scalar.bytes);
        let token = match word {
            b"true" => Token::Bool(true),
            b"false" => Token::Bool(false),
            b"null" | b"NaN" | b"Infinity" | b"-Infinity" | b"undefined" => Token::Null,
            [b'-' | b'+' | b'.' | b'0'..=b'9', ..] => Token::Number(self.scalar),
            _ => return Some(self.broken("a word that is no value")),
        };
        self.after_value();
        Some(token)
    }

    fn text<'a>(&mut self, input: &mut &'a [u8]) -> Option<Token<'a>> {
        if let Some(queued) = self.queued.take() {
            return Some(Token::Char(queued));
        }
        loop {
            let bytes = *input;
            let &first = bytes.first()?;
            if self.high.is_some() && first != b'\\' {
                return Some(self.lone());
            }
            if self.partial_len > 0 {
                match self.complete(first, input) {
                    None => continue,
                    token => return token,
                }
            }
            let clear = usize::try_from(self.clear_to.saturating_sub(self.offset)).unwrap_or(0);
            let clear = clear.min(bytes.len());
            let end = memchr2(b'"', b'\\', &bytes[clear..]).map_or(bytes.len(), |at| clear + at);
            if self.is_passing {
                self.take(input, end);
            } else if end > 0 {
                self.clear_to = self.offset + end as u64;
                match self.run(end, input) {
                    None => continue,
                    token => return token,
                }
            }
            if input.is_empty() {
                return None;
            }
            if self.take(input, 1) == b"\\" {
                self.state = State::Escape;
                return None;
            }
            if self.is_key {
                self.state = State::Colon;
                self.is_key = false;
            } else {
                self.after_value();
            }
            return Some(Token::End);
        }
    }

    /// The next of `count` bytes without a delimiter.
    fn run<'a>(&mut self, count: usize, input: &mut &'a [u8]) -> Option<Token<'a>> {
        let is_all = count == input.len();
        let (valid, bad) = match std::str::from_utf8(&input[..count]) {
            Ok(_) => (count, None),
            Err(error) => (error.valid_up_to(), Some(error.error_len())),
        };
        if valid > 0 {
            return Some(Token::Piece(self.take(input, valid)));
        }
        match bad? {
            Some(length) => self.take(input, length),
            None if is_all => {
                let rest = self.take(input, count);
                self.partial[..count].copy_from_slice(rest);
                self.partial_len = count;
                return None;
            }
            None => self.take(input, count),
        };
        Some(Token::Odd(TextFault::NotUtf8, char::REPLACEMENT_CHARACTER))
    }

    /// A character of which the last piece held the beginning goes on with `byte`, or not.
    fn complete<'a>(&mut self, byte: u8, input: &mut &'a [u8]) -> Option<Token<'a>> {
        self.partial[self.partial_len] = byte;
        let seen = &self.partial[..=self.partial_len];
        match std::str::from_utf8(seen) {
            Ok(text) => {
                let read = text.chars().next().map(Token::Char);
                self.partial_len = 0;
                self.take(input, 1);
                read
            }
            Err(error) if error.error_len().is_none() => {
                self.partial_len += 1;
                self.take(input, 1);
                None
            }
            Err(_) => {
                self.partial_len = 0;
                Some(Token::Odd(TextFault::NotUtf8, char::REPLACEMENT_CHARACTER))
            }
        }
    }

    /// The first half of a pair whose second half does not follow.
    fn lone<'a>(&mut self) -> Token<'a> {
        self.high = None;
        Token::Odd(TextFault::LoneSurrogate, char::REPLACEMENT_CHARACTER)
    }

    fn escape<'a>(&mut self, input: &mut &'a [u8]) -> Option<Token<'a>> {
        let &letter = input.first()?;
        if self.is_passing {
            self.take(input, 1);
            self.state = State::Text;
            return None;
        }
        if letter != b'u' && self.high.is_some() {
            return Some(self.lone());
        }
        self.state = State::Text;
        if !letter.is_ascii() {
            return Some(Token::Odd(TextFault::Escape, char::REPLACEMENT_CHARACTER));
        }
        self.take(input, 1);
        Some(Token::Char(match letter {
            b'u' => {
                self.state = State::Hex(0, 0);
                return None;
            }
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'"' | b'\\' | b'/' => char::from(letter),
            _ => return Some(Token::Odd(TextFault::Escape, char::from(letter))),
        }))
    }

    fn hex<'a>(&mut self, count: u8, value: u16, input: &mut &'a [u8]) -> Option<Token<'a>> {
        let &byte = input.first()?;
        let digit = char::from(byte)
            .to_digit(16)
            .and_then(|digit| u16::try_from(digit).ok());
        let Some(digit) = digit else {
            if self.high.is_some() {
                return Some(self.lone());
            }
            self.state = State::Text;
            return Some(Token::Odd(TextFault::Escape, char::REPLACEMENT_CHARACTER));
        };
        self.take(input, 1);
        let value = value << 4 | digit;
        if count < 3 {
            self.state = State::Hex(count + 1, value);
            return None;
        }
        self.state = State::Text;
        self.unit(value)
    }

    /// A whole `\u` escape.
    fn unit<'a>(&mut self, unit: u16) -> Option<Token<'a>> {
        let is_low = (0xdc00..0xe000).contains(&unit);
        let is_high = (0xd800..0xdc00).contains(&unit);
        match self.high {
            Some(high) if is_low => {
                self.high = None;
                let pair = char::decode_utf16([high, unit]).next()?;
                Some(Token::Char(pair.unwrap_or(char::REPLACEMENT_CHARACTER)))
            }
            Some(_) => {
                let lone = self.lone();
                if is_high {
                    self.high = Some(unit);
                } else {
                    self.queued = char::from_u32(u32::from(unit));
                }
                Some(lone)
            }
            None if is_high => {
                self.high = Some(unit);
                None
            }
            None if is_low => Some(self.lone()),
            None => char::from_u32(u32::from(unit)).map(Token::Char),
        }
    }
}

fn is_scalar(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a document says, one word a token, strings put together again.
    fn told(pieces: &[&[u8]]) -> Vec<String> {
        let mut json = JsonStream::new(0);
        let mut words = Vec::new();
        let mut text = String::new();
        for piece in pieces {
            let mut input = *piece;
            while let Some(token) = json.next(&mut input) {
                match token {
                    Token::Key | Token::Text => text = format!("{}:", json.token_at()),
                    Token::Piece(bytes) => {
                        text.push_str(std::str::from_utf8(bytes).expect("whole characters"));
                    }
                    Token::Char(char) => text.push(char),
                    Token::Odd(fault, char) => {
                        text.push(char);
                        words.push(format!("{fault:?}"));
                    }
                    Token::End => words.push(std::mem::take(&mut text)),
                    Token::Number(digits) => words.push(format!(
                        "{}={:?}",
                        json.token_at(),
                        digits.text().map(String::from_utf8_lossy)
                    )),
                    token => words.push(format!("{}{token:?}", json.token_at())),
                }
            }
            if !words.last().is_some_and(|word| word.contains("Broken")) {
                assert!(input.is_empty());
            }
        }
        words.push(json.is_between().to_string());
        words
    }

    const DOCUMENTS: [&[u8]; 9] = [
        br#" {"a":[1,-2.5e3,true,false,null,NaN,],"b":{"c":"x\ny\u00e9\ud83d\ude00/"},} [] "z" 7 "#,
        b"[\"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\",\"\xff\xc3\",\"\xe2\x82\",\"\xf0\x9f\x98z\"]",
        br#"["\ud800","\ud800x","\ud800\n","\ud800\ud800\udc00","\udc00","\ud800\u0041","\ud800\uzz"]"#,
        br#"["\x","\u12","\u12g4","\'","\"#,
        br#"[1234567890123456789012345678901234567890, 1.0]"#,
        br#"{"a" 1}"#,
        br#"[1 2]"#,
        br#"{"a":1]"#,
        br#"{"a":bogus}"#,
    ];

    #[test]
    fn every_split_tells_the_same() {
        for document in DOCUMENTS {
            let whole = told(&[document]);
            for cut in 0..=document.len() {
                assert_eq!(
                    told(&[&document[..cut], &document[cut..]]),
                    whole,
                    "cut at {cut}"
                );
            }
            let single: Vec<&[u8]> = document.chunks(1).collect();
            assert_eq!(told(&single), whole);
        }
    }

    #[test]
    fn tokens_are_told_with_their_places() {
        let words = told(&[br#"{"a": ["x", 12], "b": true}"#]);
        let expected = [
            "0Open(Object)",
            "1:a",
            "6Open(Array)",
            "7:x",
            "12=Some(\"12\")",
            "14Close(Array)",
            "17:b",
            "22Bool(true)",
            "26Close(Object)",
            "true",
        ];
        assert_eq!(words, expected);
    }

    #[test]
    fn what_cannot_be_read_in_a_string_stands_as_one_replacement_character() {
        let words = told(&[DOCUMENTS[2]]);
        let texts: Vec<&String> = words.iter().filter(|word| word.contains(':')).collect();
        let expected = [
            "1:\u{fffd}",
            "10:\u{fffd}x",
            "20:\u{fffd}\n",
            "31:\u{fffd}\u{10000}",
            "52:\u{fffd}",
            "61:\u{fffd}A",
            "76:\u{fffd}\u{fffd}zz",
        ];
        assert_eq!(texts, expected);
        let words = told(&[DOCUMENTS[1]]);
        let texts: Vec<&String> = words.iter().filter(|word| word.contains(':')).collect();
        assert_eq!(texts.len(), 4);
        assert!(texts[0].ends_with("caf\u{e9} \u{20ac} \u{1f600}"));
        assert!(texts[1].ends_with(":\u{fffd}\u{fffd}") && texts[2].ends_with(":\u{fffd}"));
        assert!(texts[3].ends_with(":\u{fffd}z"));
    }

    #[test]
    fn what_is_out_of_place_between_strings_ends_the_reading() {
        let last = |document: &[u8]| {
            told(&[document])
                .iter()
                .rev()
                .nth(1)
                .cloned()
                .unwrap_or_default()
        };
        for (document, word) in DOCUMENTS[5..]
            .iter()
            .zip(["colon", "comma", "closes", "word"])
        {
            let told = last(document);
            assert!(told.contains("Broken") && told.contains(word), "{told}");
        }
        let deep = vec![b'['; JSON_DEPTH_MAX + 1];
        assert!(last(&deep).contains("nested too deeply"));
        let fine = vec![b'['; JSON_DEPTH_MAX];
        assert!(last(&fine).contains("Open"));
    }

    #[test]
    fn strings_of_no_interest_are_passed_over() {
        let document = br#"["a\"b\\\u0022c", "d"]"#;
        for cut in 0..document.len() {
            let mut json = JsonStream::new(0);
            let (mut ends, mut pieces) = (0, 0);
            for mut input in [&document[..cut], &document[cut..]] {
                while let Some(token) = json.next(&mut input) {
                    match token {
                        Token::Text => json.pass_over_text(),
                        Token::End => ends += 1,
                        Token::Piece(_) | Token::Char(_) => pieces += 1,
                        _ => {}
                    }
                }
            }
            assert_eq!((ends, pieces), (2, 0));
            assert!(json.is_between());
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_read_in_one_go() {
        let mut document = b"[\"".to_vec();
        document.resize(4 << 20, 0xff);
        let mut json = JsonStream::new(0);
        let mut input = document.as_slice();
        let mut count = 0;
        while let Some(token) = json.next(&mut input) {
            count += u64::from(matches!(token, Token::Odd(..)));
        }
        assert_eq!(count, (4 << 20) - 2);
    }
}
