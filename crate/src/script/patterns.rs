//! Patterns that declare variables, and declarations.

use super::parser::{Parsed, Parser, Stop};
use super::scopes::{Names, name_of};
use super::token::{Kind, Token};

impl Parser<'_> {
    /// A pattern with its default: as `var` declares, or else in the innermost scope.
    pub fn binding_element(&mut self, is_var: bool) -> Parsed<()> {
        let keys = self.binding(is_var)?;
        if self.eat(Kind::Assign) {
            let start = self.token.start;
            let value = self.assignment()?;
            self.hold(keys, start, value)?;
        }
        Ok(())
    }

    /// A pattern, and the properties that it asks for.
    pub fn binding(&mut self, is_var: bool) -> Parsed<Names> {
        match self.token.kind {
            Kind::BracketOpen => {
                self.array_pattern(is_var)?;
                Ok(0)
            }
            Kind::BraceOpen => self.object_pattern(is_var),
            kind if kind.is_identifier() => {
                let token = self.token;
                self.next();
                self.declare(token, is_var, false)?;
                Ok(0)
            }
            _ => Err(Stop::Syntax),
        }
    }

    fn array_pattern(&mut self, is_var: bool) -> Parsed<()> {
        self.enter()?;
        self.next();
        let no_in = std::mem::replace(&mut self.no_in, false);
        while !self.is(Kind::BracketClose) {
            if self.eat(Kind::Comma) {
                continue;
            }
            self.eat(Kind::Dots);
            self.binding_element(is_var)?;
            if !self.is(Kind::BracketClose) {
                self.expect(Kind::Comma)?;
            }
        }
        self.no_in = no_in;
        self.next();
        self.depth -= 1;
        Ok(())
    }

    fn object_pattern(&mut self, is_var: bool) -> Parsed<Names> {
        self.enter()?;
        self.next();
        let no_in = std::mem::replace(&mut self.no_in, false);
        let mut keys = 0;
        while !self.is(Kind::BraceClose) {
            if self.eat(Kind::Dots) {
                self.binding(is_var)?;
            } else {
                let key = self.property_key()?;
                keys |= self.key_name(key);
                if self.eat(Kind::Colon) {
                    self.binding_element(is_var)?;
                } else {
                    let name = key.filter(|token| token.kind.is_identifier());
                    self.declare(name.ok_or(Stop::Syntax)?, is_var, true)?;
                    if self.eat(Kind::Assign) {
                        self.assignment()?;
                    }
                }
            }
            if !self.is(Kind::BraceClose) {
                self.expect(Kind::Comma)?;
            }
        }
        self.no_in = no_in;
        self.next();
        self.depth -= 1;
        Ok(keys)
    }

    fn declare(&mut self, token: Token, is_var: bool, is_shorthand: bool) -> Parsed<()> {
        let name = name_of(token.kind);
        if name == 0 {
            return Ok(());
        }
        if !is_var {
            self.scopes.declare(name);
        } else if !self.scopes.declare_var(name) {
            self.is_surely_script = true;
            self.refer(token, is_shorthand)?;
        }
        Ok(())
    }

    /// What follows `var`, `let`, `const` and `using`.
    pub fn declarations(&mut self, is_var: bool) -> Parsed<()> {
        loop {
            self.binding_element(is_var)?;
            if !self.eat(Kind::Comma) {
                return Ok(());
            }
        }
    }
}
