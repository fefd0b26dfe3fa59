//! Classes, and the members of them and of object literals.

use super::expressions::{Expr, Shape};
use super::parser::{Function, Parsed, Parser, Stop};
use super::scopes::name_of;
use super::token::{Kind, Token};

/// The key of a member, and what its modifiers say.
pub struct MemberKey {
    /// Where it is a word, a string or a number.
    pub token: Option<Token>,
    pub function: Function,
    /// It has modifiers of methods.
    pub is_method: bool,
}

impl Parser<'_> {
    /// From `class` on. A declaration declares its name around it, too.
    pub fn class(&mut self, is_declaration: bool) -> Parsed<Expr> {
        self.enter()?;
        self.expect(Kind::Class)?;
        let mut name = 0;
        if self.token.kind.is_identifier() {
            name = name_of(self.token.kind);
            self.next();
        }
        if is_declaration {
            self.scopes.declare(name);
        }
        self.scopes.open(false);
        self.scopes.declare(name);
        let is_strict = std::mem::replace(&mut self.function.is_strict, true);
        let no_in = std::mem::replace(&mut self.no_in, false);
        if self.eat(Kind::Extends) {
            self.access()?;
        }
        self.expect(Kind::BraceOpen)?;
        while !self.is(Kind::BraceClose) {
            if !self.eat(Kind::Semicolon) {
                self.class_member()?;
            }
        }
        self.no_in = no_in;
        self.function.is_strict = is_strict;
        self.next();
        self.scopes.close();
        self.depth -= 1;
        Ok(Expr::of(Shape::NoWindow))
    }

    fn class_member(&mut self) -> Parsed<()> {
        let inside = Function {
            is_strict: true,
            is_method: true,
            ..Function::default()
        };
        if self.is(Kind::Static) && !ends_name(self.peek().kind) {
            self.next();
            if self.is(Kind::BraceOpen) {
                let around = std::mem::replace(&mut self.function, inside);
                self.body()?;
                self.function = around;
                return Ok(());
            }
        }
        let key = self.member_key()?;
        if self.is(Kind::ParenOpen) {
            return self.function_rest(key.function);
        }
        if key.is_method {
            return Err(Stop::Syntax);
        }
        if self.eat(Kind::Assign) {
            let around = std::mem::replace(&mut self.function, inside);
            self.assignment()?;
            self.function = around;
        }
        self.end_statement()
    }

    /// `async`, `get` and the like, and the key behind them.
    pub fn member_key(&mut self) -> Parsed<MemberKey> {
        let mut key = MemberKey {
            token: None,
            function: Function {
                is_strict: self.function.is_strict,
                is_method: true,
                ..Function::default()
            },
            is_method: false,
        };
        if matches!(self.token.kind, Kind::Async | Kind::Get | Kind::Set) {
            let next = self.peek();
            let is_name = match self.token.kind {
                Kind::Async => next.is_on_new_line,
                // A field, and a generator on the next line.
                _ => next.kind == Kind::Star,
            };
            if !is_name && !ends_name(next.kind) {
                key.function.is_async = self.is(Kind::Async);
                key.is_method = true;
                self.next();
            }
        }
        if self.eat(Kind::Star) {
            key.function.is_generator = true;
            key.is_method = true;
        }
        key.token = self.property_key()?;
        Ok(key)
    }

    /// The key of a property: its token, unless it is computed or private.
    pub fn property_key(&mut self) -> Parsed<Option<Token>> {
        let token = self.token;
        match token.kind {
            Kind::BracketOpen => {
                self.next();
                self.inner_assignment()?;
                self.expect(Kind::BracketClose)?;
                return Ok(None);
            }
            Kind::Private => {
                self.next();
                return Ok(None);
            }
            Kind::Number | Kind::String => {}
            kind if kind.is_word() => {}
            _ => return Err(Stop::Syntax),
        }
        self.next();
        Ok(Some(token))
    }
}

/// A word before this is the name of a member, and no modifier.
fn ends_name(next: Kind) -> bool {
    matches!(
        next,
        Kind::ParenOpen
            | Kind::Assign
            | Kind::Semicolon
            | Kind::BraceClose
            | Kind::Comma
            | Kind::Colon
            | Kind::End
    )
}
