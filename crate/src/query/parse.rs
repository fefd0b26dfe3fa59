//! The grammar of the query language.
//!
//!   query  := [or]                                             nothing asks for everything
//!   or     := and (("or" | "OR") and)*
//!   and    := not ([("and" | "AND")] not)*
//!   not    := ("not" | "NOT" | "-") not | item
//!   item   := "(" or ")" | labels | COLUMN ":" value | text
//!   value  := "(" or ")" | text | regex                        in brackets, every text is a value of the column
//!   text   := "\"" (char | "\\" char)* "\"" | word             a word goes on to a blank or a bracket that it did not open
//!   regex  := "/" (char | "\\" char)* "/" ["i"]
//!   labels := "{" [label ("," label)* [","]] "}"               all of them must hold
//!   label  := COLUMN ("==" | "=~" | "!=" | "!~") quoted-text   a regular expression means all of the value
//!   request := "label_values" "(" labels "," quoted-text ")" | query
//! In a quoted expression a backslash is taken away before a quote only; elsewhere before whatever follows it. A text without a column is for full text to find. What columns there are, and what they take, is not known here.

use super::wrong;
use crate::error::{Error, code};
use crate::limits::{QUERY_BYTES_MAX, QUERY_DEPTH_MAX};

/// A query as a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// Everything.
    All,
    And(Vec<Node>),
    Or(Vec<Node>),
    Not(Box<Node>),
    Leaf(Leaf),
}

/// One thing that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// In lower case; `None` asks the full text.
    pub column: Option<String>,
    pub value: Value,
    /// Which character of the query it begins with, counted from 0.
    pub at: usize,
    /// Written in braces: any name may be one of a label there, and a value is all of one.
    pub is_label: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A word: its stars, dots and signs may mean something to the column.
    Bare(String),
    /// Taken as it is.
    Quoted(String),
    Regex {
        pattern: String,
        ignores_case: bool,
    },
}

/// What is asked for with a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    Records(Node),
    /// The values that these records have in a column.
    Values {
        of: Node,
        column: String,
    },
}

const LABEL_VALUES: &str = "label_values";

/// Reads a query, or what asks for the values of a label.
pub fn parse_request(text: &str) -> Result<Request, Error> {
    let rest = text.trim_start();
    let behind = rest.strip_prefix(LABEL_VALUES).map(str::trim_start);
    if text.len() > QUERY_BYTES_MAX || !behind.is_some_and(|behind| behind.starts_with('(')) {
        return parse(text).map(Request::Records);
    }
    let mut parser = Parser::new(text);
    parser.blanks();
    parser.at += LABEL_VALUES.len();
    parser.blanks();
    parser.at += 1;
    parser.blanks();
    parser.ahead('{', "labels in braces")?;
    let of = parser.labels()?;
    parser.blanks();
    parser.ahead(',', "a comma")?;
    parser.at += 1;
    parser.blanks();
    parser.ahead('"', "the name of a column in quotes")?;
    let column = parser.quoted()?.to_ascii_lowercase();
    parser.blanks();
    parser.ahead(')', "a closing bracket")?;
    parser.at += 1;
    parser.blanks();
    match parser.peek() {
        None => Ok(Request::Values { of, column }),
        Some(found) => Err(parser.expected("the end of the query", found)),
    }
}

/// An expression that means all of a text.
fn whole(expression: &str) -> String {
    format!("^(?:{expression})$")
}

/// What such an expression was made of.
pub(super) fn part_of(whole: &str) -> Option<&str> {
    whole.strip_prefix("^(?:")?.strip_suffix(")$")
}

/// Reads a query.
pub fn parse(text: &str) -> Result<Node, Error> {
    if text.len() > QUERY_BYTES_MAX {
        let message = format!("expected a query of at most {QUERY_BYTES_MAX} bytes");
        return Err(Error::new(code::QUERY_SYNTAX, message));
    }
    let mut parser = Parser::new(text);
    parser.blanks();
    if parser.peek().is_none() {
        return Ok(Node::All);
    }
    let node = parser.or(None)?;
    match parser.peek() {
        None => Ok(node),
        Some(found) => Err(parser.expected("\"and\", \"or\" or the end of the query", found)),
    }
}

struct Parser {
    chars: Vec<char>,
    at: usize,
    depth: usize,
}

type Column<'a> = Option<&'a str>;

impl Parser {
    fn new(text: &str) -> Parser {
        Parser {
            chars: text.chars().collect(),
            at: 0,
            depth: 0,
        }
    }

    fn or(&mut self, column: Column<'_>) -> Result<Node, Error> {
        self.deeper()?;
        let mut nodes = vec![self.and(column)?];
        while self.keyword("or") {
            nodes.push(self.and(column)?);
        }
        self.depth -= 1;
        Ok(joined(nodes, Node::Or))
    }

    fn and(&mut self, column: Column<'_>) -> Result<Node, Error> {
        let mut nodes = vec![self.not(column)?];
        loop {
            let is_said = self.keyword("and");
            let is_over = self.peek().is_none_or(|next| matches!(next, ')' | '}'));
            if !is_said && (is_over || self.is_keyword("or")) {
                return Ok(joined(nodes, Node::And));
            }
            nodes.push(self.not(column)?);
        }
    }

    fn not(&mut self, column: Column<'_>) -> Result<Node, Error> {
        let is_sign = self.peek() == Some('-')
            && self.next_is(1, |next| !next.is_whitespace() && next != ')');
        if is_sign {
            self.at += 1;
        } else if !self.keyword("not") {
            return self.item(column);
        }
        self.deeper()?;
        let node = self.not(column)?;
        self.depth -= 1;
        Ok(Node::Not(Box::new(node)))
    }

    fn item(&mut self, column: Column<'_>) -> Result<Node, Error> {
        let at = self.at;
        let what = match column {
            Some(column) => format!("a value of {column}"),
            None => "something like status:404".into(),
        };
        let node = match self.peek() {
            None => return Err(self.expected_end(&what)),
            Some('(') => self.bracketed(column)?,
            Some('{') if column.is_none() => self.labels()?,
            Some(found @ (')' | '}')) => return Err(self.expected(&what, found)),
            _ => match column {
                Some(column) => self.value(column, at)?,
                None => self.column_or_text(at)?,
            },
        };
        self.blanks();
        Ok(node)
    }

    fn bracketed(&mut self, column: Column<'_>) -> Result<Node, Error> {
        self.at += 1;
        self.blanks();
        let node = self.or(column)?;
        match self.peek() {
            Some(')') => {
                self.at += 1;
                Ok(node)
            }
            Some(found) => Err(self.expected("a closing bracket", found)),
            None => Err(self.expected_end("a closing bracket")),
        }
    }

    /// `column:value`, or a text without a column.
    fn column_or_text(&mut self, at: usize) -> Result<Node, Error> {
        let name: String = self.chars[at..]
            .iter()
            .take_while(|char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '.'))
            .collect();
        let has_column = name.starts_with(|first: char| first.is_ascii_alphabetic())
            && self.chars.get(at + name.len()) == Some(&':');
        if !has_column {
            let value = match self.peek() {
                Some('"') => Value::Quoted(self.quoted()?),
                _ => Value::Bare(self.word()),
            };
            return Ok(leaf(None, value, at));
        }
        let column = name.to_ascii_lowercase();
        self.at += name.len() + 1;
        if self.peek() == Some('(') {
            return self.bracketed(Some(&column));
        }
        self.value(&column, at)
    }

    fn value(&mut self, column: &str, at: usize) -> Result<Node, Error> {
        let value = match self.peek() {
            Some('"') => Value::Quoted(self.quoted()?),
            // Two slashes are no empty expression: a URL was written as it is.
            Some('/') if !self.next_is(1, |next| next == '/') => self.regex(column)?,
            Some(next) if !next.is_whitespace() && next != ')' => Value::Bare(self.word()),
            Some(_) | None => {
                let message = format!("{column}: expected a value right after the colon");
                return Err(wrong(code::QUERY_SYNTAX, self.at, &message));
            }
        };
        Ok(leaf(Some(column), value, at))
    }

    /// Goes on to a blank, or to a closing bracket that was not opened in it.
    fn word(&mut self) -> String {
        let mut open = 0usize;
        let mut word = String::new();
        while let Some(char) = self.peek() {
            match char {
                '(' => open += 1,
                ')' if open == 0 => break,
                ')' => open -= 1,
                _ if char.is_whitespace() => break,
                _ => {}
            }
            word.push(char);
            self.at += 1;
        }
        word
    }

    fn quoted(&mut self) -> Result<String, Error> {
        self.quoted_until(|_| true)
    }

    /// A text in quotes, in which a backslash is taken away before what `is_escaped` says.
    fn quoted_until(&mut self, is_escaped: impl Fn(char) -> bool) -> Result<String, Error> {
        self.at += 1;
        let mut text = String::new();
        loop {
            match self.peek() {
                None => return Err(self.expected_end("a closing quote")),
                Some('"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some('\\') if self.next_is(1, |_| true) => {
                    let next = self.chars[self.at + 1];
                    if !is_escaped(next) {
                        text.push('\\');
                    }
                    text.push(next);
                    self.at += 2;
                }
                Some(char) => {
                    text.push(char);
                    self.at += 1;
                }
            }
        }
    }

    fn regex(&mut self, column: &str) -> Result<Value, Error> {
        self.at += 1;
        let mut pattern = String::new();
        loop {
            match self.peek() {
                None => {
                    let what = format!("a closing / ({column}: begins a regular expression)");
                    return Err(self.expected_end(&what));
                }
                Some('/') => break,
                // Only the slash needs it for our sake; the rest is the expression's own.
                Some('\\') if self.next_is(1, |next| next == '/') => {
                    pattern.push('/');
                    self.at += 2;
                }
                Some('\\') if self.next_is(1, |_| true) => {
                    pattern.extend(&self.chars[self.at..self.at + 2]);
                    self.at += 2;
                }
                Some(char) => {
                    pattern.push(char);
                    self.at += 1;
                }
            }
        }
        self.at += 1;
        let ignores_case = self.peek() == Some('i');
        self.at += usize::from(ignores_case);
        match self.peek() {
            Some(found) if !found.is_whitespace() && found != ')' => {
                let what = format!(
                    "the flag i or a blank after the regular expression of {column} \
                     (a value that begins with / is put in quotes)"
                );
                Err(self.expected(&what, found))
            }
            _ => Ok(Value::Regex {
                pattern,
                ignores_case,
            }),
        }
    }

    fn labels(&mut self) -> Result<Node, Error> {
        self.at += 1;
        let mut nodes = Vec::new();
        loop {
            self.blanks();
            if self.peek() == Some('}') {
                self.at += 1;
                return Ok(joined(nodes, Node::And));
            }
            nodes.push(self.label()?);
            self.blanks();
            match self.peek() {
                Some(',') => self.at += 1,
                Some('}') => {}
                Some(found) => return Err(self.expected("a comma or a closing brace", found)),
                None => return Err(self.expected_end("a comma or a closing brace")),
            }
        }
    }

    fn label(&mut self) -> Result<Node, Error> {
        let at = self.at;
        let name: String = self.chars[at..]
            .iter()
            .take_while(|char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '.'))
            .collect();
        if name.is_empty() {
            return Err(match self.peek() {
                Some(found) => self.expected("the name of a column", found),
                None => self.expected_end("the name of a column"),
            });
        }
        let column = name.to_ascii_lowercase();
        self.at += name.len();
        self.blanks();
        let is_not = self.peek() == Some('!');
        let is_regex = self.next_is(1, |next| next == '~');
        let is_sign = matches!(self.peek(), Some('=' | '!'));
        if !is_sign || !is_regex && !self.next_is(1, |next| next == '=') {
            let message = format!("{column}: expected ==, =~, != or !~ and a text in quotes");
            return Err(wrong(code::QUERY_SYNTAX, self.at, &message));
        }
        self.at += 2;
        self.blanks();
        if self.peek() != Some('"') {
            let message = format!("{column}: expected a text in quotes");
            return Err(wrong(code::QUERY_SYNTAX, self.at, &message));
        }
        let value = if is_regex {
            let text = self.quoted_until(|next| next == '"')?;
            Value::Regex {
                pattern: whole(&text),
                ignores_case: false,
            }
        } else {
            Value::Quoted(self.quoted()?)
        };
        let leaf = Node::Leaf(Leaf {
            column: Some(column),
            value,
            at,
            is_label: true,
        });
        Ok(if is_not {
            Node::Not(Box::new(leaf))
        } else {
            leaf
        })
    }

    // Characters

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn next_is(&self, ahead: usize, is_wanted: impl Fn(char) -> bool) -> bool {
        self.chars
            .get(self.at + ahead)
            .is_some_and(|char| is_wanted(*char))
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    /// Whether the word that follows is `word`, all of it in small or all in capital letters.
    fn is_keyword(&self, word: &str) -> bool {
        let end = self.at + word.len();
        let Some(found) = self.chars.get(self.at..end) else {
            return false;
        };
        let found: String = found.iter().collect();
        let is_over = self
            .chars
            .get(end)
            .is_none_or(|next| next.is_whitespace() || matches!(next, '(' | ')' | '"' | '{'));
        is_over && (found == word || found == word.to_ascii_uppercase())
    }

    fn keyword(&mut self, word: &str) -> bool {
        let is_next = self.is_keyword(word);
        if is_next {
            self.at += word.len();
            self.blanks();
        }
        is_next
    }

    // Trouble

    fn ahead(&self, wanted: char, what: &str) -> Result<(), Error> {
        match self.peek() {
            Some(found) if found == wanted => Ok(()),
            Some(found) => Err(self.expected(what, found)),
            None => Err(self.expected_end(what)),
        }
    }

    fn deeper(&mut self) -> Result<(), Error> {
        self.depth += 1;
        if self.depth > QUERY_DEPTH_MAX {
            let message = format!(
                "expected at most {QUERY_DEPTH_MAX} brackets and \"not\" within each other"
            );
            return Err(wrong(code::QUERY_SYNTAX, self.at, &message));
        }
        Ok(())
    }

    fn expected(&self, what: &str, found: char) -> Error {
        let message = format!("expected {what}, found {found:?}");
        wrong(code::QUERY_SYNTAX, self.at, &message)
    }

    fn expected_end(&self, what: &str) -> Error {
        let message = format!("expected {what}, found the end");
        wrong(code::QUERY_SYNTAX, self.at, &message)
    }
}

fn leaf(column: Column<'_>, value: Value, at: usize) -> Node {
    Node::Leaf(Leaf {
        column: column.map(str::to_owned),
        value,
        at,
        is_label: false,
    })
}

fn joined(mut nodes: Vec<Node>, join: fn(Vec<Node>) -> Node) -> Node {
    match nodes.len() {
        0 => Node::All,
        1 => nodes.remove(0),
        _ => join(nodes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tree in a short form: `&(a b)`, `|(a b)`, `!a`, `column=bare`, `column="quoted"`, `column~regex`.
    fn shown(node: &Node) -> String {
        let all = |nodes: &[Node]| nodes.iter().map(shown).collect::<Vec<_>>().join(" ");
        match node {
            Node::All => "*".into(),
            Node::And(nodes) => format!("&({})", all(nodes)),
            Node::Or(nodes) => format!("|({})", all(nodes)),
            Node::Not(node) => format!("!{}", shown(node)),
            Node::Leaf(leaf) => {
                let column = leaf.column.as_deref().unwrap_or_default();
                match &leaf.value {
                    Value::Bare(text) => format!("{column}={text}"),
                    Value::Quoted(text) => format!("{column}={text:?}"),
                    Value::Regex {
                        pattern,
                        ignores_case,
                    } => format!(
                        "{column}~{pattern}{}",
                        if *ignores_case { "/i" } else { "" }
                    ),
                }
            }
        }
    }

    #[test]
    fn queries_become_trees() {
        let cases = [
            ("", "*"),
            ("  ", "*"),
            ("status:404", "status=404"),
            ("STATUS:404", "status=404"),
            ("status:404 type:response", "&(status=404 type=response)"),
            (
                "status:404 and type:response",
                "&(status=404 type=response)",
            ),
            ("a:1 or b:2 and c:3", "|(a=1 &(b=2 c=3))"),
            ("a:1 OR b:2 AND NOT c:3", "|(a=1 &(b=2 !c=3))"),
            ("(a:1 or b:2) c:3", "&(|(a=1 b=2) c=3)"),
            ("-a:1 not not b:2", "&(!a=1 !!b=2)"),
            ("not(a:1)", "!a=1"),
            (
                "status:(200 or 4xx and -404)",
                "|(status=200 &(status=4xx !status=404))",
            ),
            (
                "url:http://a.test/x(1)?q=a:b",
                "url=http://a.test/x(1)?q=a:b",
            ),
            ("(url:http://a.test/x)", "url=http://a.test/x"),
            (
                r#"url:"http://a.test/* \"x\"""#,
                r#"url="http://a.test/* \"x\"""#,
            ),
            (r"url:/a\/b\d+[/i]?/i", "!"),
            (r"url:/a\/b\d+/i", r"url~a/b\d+/i"),
            ("url:(/a/ or /b/i)", "|(url~a url~b/i)"),
            (
                "word \"a phrase\" or pre*",
                "|(&(=word =\"a phrase\") =pre*)",
            ),
            ("orange and android", "&(=orange =android)"),
            ("date:2014..2016", "date=2014..2016"),
            ("size:>1mb", "size=>1mb"),
            (
                r#"{type=="response", status=~"4..",}"#,
                r#"&(type="response" status~^(?:4..)$)"#,
            ),
            ("{}", "*"),
            (r#"{type=="a"} or b:1"#, r#"|(type="a" b=1)"#),
            ("header.content-type:x", "header.content-type=x"),
        ];
        for (text, expected) in cases {
            let tree = parse(text).map_or_else(|_| "!".into(), |node| shown(&node));
            assert_eq!(tree, expected, "{text}");
        }
    }

    #[test]
    fn errors_say_what_was_expected_and_where() {
        let cases = [
            (
                "status:",
                "status: expected a value right after the colon, at character 8 of the query",
            ),
            (
                "status: 4",
                "status: expected a value right after the colon, at character 8 of the query",
            ),
            (
                "(a:1",
                "expected a closing bracket, found the end, at character 5 of the query",
            ),
            (
                "a:1)",
                "expected \"and\", \"or\" or the end of the query, found ')', at character 4 of the query",
            ),
            (
                "()",
                "expected something like status:404, found ')', at character 2 of the query",
            ),
            (
                "a:1 and",
                "expected something like status:404, found the end, at character 8 of the query",
            ),
            (
                "a:1 or",
                "expected something like status:404, found the end, at character 7 of the query",
            ),
            (
                "url:/a",
                "expected a closing / (url: begins a regular expression), found the end, at character 7 of the query",
            ),
            (
                "url:\"a",
                "expected a closing quote, found the end, at character 7 of the query",
            ),
            (
                "status:(",
                "expected a value of status, found the end, at character 9 of the query",
            ),
            (
                "{a=\"b\"}",
                "a: expected ==, =~, != or !~ and a text in quotes, at character 3 of the query",
            ),
            (
                "{a==b}",
                "a: expected a text in quotes, at character 5 of the query",
            ),
            (
                "{a==\"b\" c",
                "expected a comma or a closing brace, found 'c', at character 9 of the query",
            ),
            (
                "{=",
                "expected the name of a column, found '=', at character 2 of the query",
            ),
        ];
        for (text, expected) in cases {
            let error = parse(text).expect_err(text);
            assert_eq!(
                (error.code, error.message.as_str()),
                (code::QUERY_SYNTAX, expected),
                "{text}"
            );
        }
        let deep = format!("{}a:1", "(".repeat(QUERY_DEPTH_MAX + 1));
        assert!(
            parse(&deep)
                .expect_err("too deep")
                .message
                .contains("within each other")
        );
        let signs = format!("{}a:1", "-".repeat(100_000));
        assert!(parse(&signs).is_err());
        assert!(parse(&"a".repeat(QUERY_BYTES_MAX + 1)).is_err());
    }
}
