//! Functions: parameters, bodies, and what their names mean within them.

use super::expressions::{Expr, Shape};
use super::parser::{Function, Parsed, Parser, Stop};
use super::scopes::{Marks, Names, name_of};
use super::token::Kind;

impl Parser<'_> {
    /// From `function` on, as an expression.
    pub fn function_expression(&mut self, mut function: Function) -> Parsed<Expr> {
        self.expect(Kind::Function)?;
        function.is_generator = self.eat(Kind::Star);
        function.is_strict = self.function.is_strict;
        self.scopes.open(false);
        if self.token.kind.is_identifier() {
            self.scopes.declare(name_of(self.token.kind));
            self.next();
        }
        self.function_rest(function)?;
        self.scopes.close();
        Ok(Expr::of(Shape::NoWindow))
    }

    /// From `function` on, as a statement.
    pub fn function_declaration(&mut self, is_async: bool) -> Parsed<()> {
        self.expect(Kind::Function)?;
        let is_generator = self.eat(Kind::Star);
        let is_strict = self.function.is_strict;
        if self.token.kind.is_identifier() {
            let name = name_of(self.token.kind);
            let is_block_bound = is_strict || is_async || is_generator;
            if !self.scopes.declare_in_block(name, is_block_bound) {
                self.is_surely_script |= name != 0;
            }
            self.next();
        }
        self.function_rest(Function {
            is_async,
            is_generator,
            is_strict,
            is_method: false,
        })
    }

    /// Parameters and body.
    pub fn function_rest(&mut self, function: Function) -> Parsed<()> {
        self.enter()?;
        let around = std::mem::replace(&mut self.function, function);
        let no_in = std::mem::replace(&mut self.no_in, false);
        self.scopes.open(false);
        self.expect(Kind::ParenOpen)?;
        while !self.is(Kind::ParenClose) {
            self.eat(Kind::Dots);
            self.binding_element(false)?;
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        self.expect(Kind::ParenClose)?;
        self.body()?;
        self.scopes.close();
        self.no_in = no_in;
        self.function = around;
        self.depth -= 1;
        Ok(())
    }

    /// Statements in braces that have variables of their own.
    pub fn body(&mut self) -> Parsed<()> {
        self.scopes.open(true);
        self.expect(Kind::BraceOpen)?;
        self.directives()?;
        while !self.is(Kind::BraceClose) {
            if self.is(Kind::End) {
                return Err(Stop::Syntax);
            }
            self.statement(true)?;
        }
        self.next();
        self.scopes.close();
        Ok(())
    }

    /// An arrow function from its arrow on; its parameters were read since `marks` and declare `binds`.
    pub fn arrow(&mut self, marks: Marks, binds: Names, is_async: bool) -> Parsed<Expr> {
        self.enter()?;
        self.expect(Kind::Arrow)?;
        let around = self.function;
        self.function.is_async = is_async;
        self.function.is_generator = false;
        self.scopes.open_at(marks, binds);
        if self.is(Kind::BraceOpen) {
            let no_in = std::mem::replace(&mut self.no_in, false);
            self.body()?;
            self.no_in = no_in;
        } else {
            self.assignment()?;
        }
        self.scopes.close();
        self.function = around;
        self.depth -= 1;
        Ok(Expr::of(Shape::Arrow))
    }

    /// The statements of a program or a body that only state how it is to be read.
    pub fn directives(&mut self) -> Parsed<()> {
        while self.is(Kind::String) {
            let text = self.lexer.text(self.token);
            if matches!(text, b"\"use strict\"" | b"'use strict'") && self.is_whole_statement() {
                self.function.is_strict = true;
            }
            self.statement(true)?;
        }
        Ok(())
    }

    /// This token is a statement by itself.
    fn is_whole_statement(&self) -> bool {
        let next = self.peek();
        match next.kind {
            Kind::Semicolon | Kind::BraceClose | Kind::End => true,
            Kind::BraceOpen | Kind::Number | Kind::String | Kind::Step | Kind::Not => {
                next.is_on_new_line
            }
            Kind::In | Kind::Instanceof => false,
            kind => next.is_on_new_line && kind.is_word(),
        }
    }
}
