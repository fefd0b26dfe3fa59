//! The state of a parse, and what all its parts share.

use crate::limits::{SCRIPT_DEPTH_MAX, SCRIPT_EDITS_MAX};

use super::Goal;
use super::edits::Edits;
use super::expressions::Expr;
use super::lexer::Lexer;
use super::literals::unescaped;
use super::scopes::{LOCATION, Names, Reference, Scopes, TOP, name_of};
use super::token::{Kind, Token};
use super::words::word;

/// Why a parse has ended before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// This is no script, or none of this goal.
    Syntax,
    /// Deeper than `SCRIPT_DEPTH_MAX`, or with more than `SCRIPT_EDITS_MAX` in it.
    Limit,
}

pub type Parsed<T> = Result<T, Stop>;

/// What words mean in the function that is read.
#[derive(Clone, Copy, Default)]
pub struct Function {
    pub is_async: bool,
    pub is_generator: bool,
    pub is_strict: bool,
    /// `this` is never the window.
    pub is_method: bool,
}

pub struct Parser<'a> {
    pub lexer: Lexer<'a>,
    pub token: Token,
    /// Where the token before it ends.
    pub last_end: usize,
    pub scopes: Scopes,
    pub edits: Edits,
    /// Names and calls that may be edited, so far.
    edit_count: usize,
    pub function: Function,
    /// `in` ends an expression: in the head of a loop.
    pub no_in: bool,
    pub depth: usize,
    /// Something has been read otherwise than a module would have it.
    pub is_surely_script: bool,
    pub map: &'a dyn Fn(&str) -> Option<String>,
}

impl<'a> Parser<'a> {
    pub fn new(
        source: &'a [u8],
        goal: Goal,
        map: &'a dyn Fn(&str) -> Option<String>,
    ) -> Parser<'a> {
        let is_module = goal == Goal::Module;
        let mut lexer = Lexer::new(source, is_module);
        let token = lexer.next();
        Parser {
            lexer,
            token,
            last_end: 0,
            scopes: Scopes::new(goal == Goal::Script),
            edits: Edits::default(),
            edit_count: 0,
            function: Function {
                is_async: is_module,
                is_strict: is_module,
                ..Function::default()
            },
            no_in: false,
            depth: 0,
            is_surely_script: false,
            map,
        }
    }

    /// Reads all of it.
    pub fn program(&mut self, goal: Goal) -> Parsed<()> {
        self.scopes.open(true);
        if goal == Goal::Expression {
            self.expression()?;
        } else {
            self.directives()?;
            while self.token.kind != Kind::End {
                self.statement(true)?;
            }
        }
        if self.token.kind != Kind::End {
            return Err(Stop::Syntax);
        }
        self.scopes.close();
        Ok(())
    }

    /// All edits, those of free references too.
    pub fn into_edits(self) -> Edits {
        let mut edits = self.edits;
        let free = self.scopes.free();
        edits.rename(&free.location, "__wa$loc", "location:__wa$loc");
        edits.rename(&free.top, "__wa$top", "top:__wa$top");
        edits.rename(&free.eval, "__wa$eval", "eval:__wa$eval");
        for (start, end) in free.runs {
            edits.wrap(start, end, "__wa$E(");
        }
        edits
    }

    #[inline]
    pub fn next(&mut self) {
        self.last_end = self.token.end;
        self.token = self.lexer.next();
    }

    /// The token after this one.
    pub fn peek(&self) -> Token {
        self.lexer.clone().next()
    }

    pub fn is(&self, kind: Kind) -> bool {
        self.token.kind == kind
    }

    #[inline]
    pub fn eat(&mut self, kind: Kind) -> bool {
        let is_there = self.token.kind == kind;
        if is_there {
            self.next();
        }
        is_there
    }

    #[inline]
    pub fn expect(&mut self, kind: Kind) -> Parsed<()> {
        if self.eat(kind) {
            Ok(())
        } else {
            Err(Stop::Syntax)
        }
    }

    /// One level deeper, until `depth` is taken back.
    #[inline]
    pub fn enter(&mut self) -> Parsed<()> {
        self.depth += 1;
        if self.depth > SCRIPT_DEPTH_MAX {
            return Err(Stop::Limit);
        }
        Ok(())
    }

    /// The end of a statement, which may be left to be understood.
    pub fn end_statement(&mut self) -> Parsed<()> {
        if self.eat(Kind::Semicolon)
            || self.token.is_on_new_line
            || matches!(self.token.kind, Kind::BraceClose | Kind::End)
        {
            return Ok(());
        }
        Err(Stop::Syntax)
    }

    /// Names what stands there, which nothing need hide.
    pub fn refer(&mut self, token: Token, is_shorthand: bool) -> Parsed<()> {
        let name = name_of(token.kind);
        if name == 0 {
            return Ok(());
        }
        self.scopes.refer(
            name,
            Reference {
                start: token.start,
                end: token.end,
                is_shorthand,
            },
        );
        self.count_edit()
    }

    /// `eval` is called with what stands there: a scope is put around the text where one may be.
    pub fn run(&mut self, start: usize, end: usize) -> Parsed<()> {
        if self.function.is_strict || start == end {
            return Ok(());
        }
        self.scopes.run(start, end);
        self.count_edit()
    }

    /// Puts a call around a part of the script.
    pub fn wrap(&mut self, start: usize, end: usize, open: &'static str) -> Parsed<()> {
        self.edits.wrap(start, end, open);
        self.count_edit()
    }

    fn count_edit(&mut self) -> Parsed<()> {
        self.edit_count += 1;
        if self.edit_count > SCRIPT_EDITS_MAX {
            return Err(Stop::Limit);
        }
        Ok(())
    }

    /// What word a string is, its quotes taken off.
    pub fn said(&self, token: Token) -> Kind {
        if !matches!(token.kind, Kind::String | Kind::TemplateEnd) {
            return Kind::Bad;
        }
        let text = self.lexer.text(token);
        let text = text.get(1..text.len().saturating_sub(1)).unwrap_or(&[]);
        // The longest of them, with every letter escaped as `\u{0000}`.
        if text.len() > 13 * 10 {
            Kind::Bad
        } else if text.contains(&b'\\') {
            word(&unescaped(text))
        } else {
            word(text)
        }
    }

    /// The value that begins at `start` and ends here is taken apart by a pattern with these keys.
    pub fn hold(&mut self, keys: Names, start: usize, value: Expr) -> Parsed<()> {
        let is_held = !value.is_no_window()
            && (keys & LOCATION != 0 || (keys & TOP != 0 && value.is_called_window()));
        if is_held {
            self.wrap(start, self.last_end, "__wa$L(")?;
        }
        Ok(())
    }
}
