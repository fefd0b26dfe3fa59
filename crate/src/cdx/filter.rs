//! Filters on the columns of rows, as CDX servers take them.
//!
//!   filter := ["!"] ["=" | "~"] [column ":"] text
//! `=` asks for the whole value, `~` for a regular expression that matches where the value begins; otherwise
//! the value must hold the text. Without a column the line as a whole is looked at. A column that a row does
//! not have counts as empty: indexes in JSON may have any column.

use std::borrow::Cow;

use memchr::memmem;
use regex_lite::Regex;

use super::line::Row;
use crate::error::{Error, code};

#[derive(Debug)]
enum Test {
    Holds(Vec<u8>),
    Is(Vec<u8>),
    Matches(Regex),
}

#[derive(Debug)]
pub struct Filter {
    is_inverted: bool,
    column: Option<String>,
    test: Test,
}

impl Filter {
    pub fn parse(text: &str) -> Result<Filter, Error> {
        let (is_inverted, rest) = match text.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (sign, rest) = match rest.as_bytes().first() {
            Some(b'=') => (b'=', &rest[1..]),
            Some(b'~') => (b'~', &rest[1..]),
            _ => (b' ', rest),
        };
        let (column, value) = match rest.split_once(':') {
            Some((column, value)) => (Some(column.to_owned()), value),
            None => (None, rest),
        };
        if rest.is_empty() {
            let message = format!("filter: expected [!][=|~]column:text, found \"{text}\"");
            return Err(Error::new(code::BAD_QUERY, message));
        }
        let test = match sign {
            b'=' => Test::Is(value.as_bytes().to_vec()),
            b'~' => Test::Matches(expression(value)?),
            _ => Test::Holds(value.as_bytes().to_vec()),
        };
        Ok(Filter {
            is_inverted,
            column,
            test,
        })
    }

    pub fn passes(&self, row: &Row) -> bool {
        let value = match &self.column {
            Some(column) => row.get(column).unwrap_or_default(),
            None => Cow::Owned(row.text()),
        };
        let does_match = match &self.test {
            Test::Holds(text) => memmem::find(&value, text).is_some(),
            Test::Is(text) => value.as_ref() == &text[..],
            Test::Matches(expression) => expression.is_match(&String::from_utf8_lossy(&value)),
        };
        does_match != self.is_inverted
    }
}

/// Anchored where the value begins, as servers do.
fn expression(text: &str) -> Result<Regex, Error> {
    let refuse = |why: String| {
        let message =
            format!("filter: expected a regular expression after ~, found \"{text}\": {why}");
        Error::new(code::BAD_QUERY, message)
    };
    // By itself first, so that brackets that do not match are not closed by ours.
    Regex::new(text).map_err(|error| refuse(error.to_string()))?;
    Regex::new(&format!("^(?:{text})")).map_err(|error| refuse(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cdx::Layout;

    #[test]
    fn filters_hold_as_servers_have_it() {
        let line = b"a,b)/x 20200102030405 http://b.a/x text/html 200 ABC - - 77 9 f.warc";
        let row = Row::parse(line, &Layout::default()).expect("row");
        let cases = [
            ("=status:200", true),
            ("=statuscode:200", true),
            ("=s:200", true),
            ("=status:20", false),
            ("!=status:200", false),
            ("status:20", true),
            ("mime:html", true),
            ("~mime:html", false),
            ("~mime:.*html$", true),
            ("!~mime:text/.*", false),
            ("~mime:image|text", true),
            ("x 2020", true),
            ("=nothing:x", false),
            ("!=nothing:x", true),
            ("nothing:", true),
            ("~.*f\\.warc$", true),
        ];
        for (text, expected) in cases {
            let filter = Filter::parse(text).expect(text);
            assert_eq!(filter.passes(&row), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_filter_says_what_was_expected() {
        for (text, expected) in [
            ("", "[!][=|~]column:text"),
            ("!=", "[!][=|~]column:text"),
            ("~mime:(", "regular expression"),
            ("~mime:a)(b", "regular expression"),
        ] {
            let error = Filter::parse(text).expect_err(text);
            assert!(error.message.contains(expected), "{error}");
        }
    }
}
