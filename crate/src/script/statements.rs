//! Statements.

use super::parser::{Parsed, Parser, Stop};
use super::scopes::{EVAL, LOCATION, TOP, name_of};
use super::token::Kind;

impl Parser<'_> {
    /// One statement; `is_listed` where declarations may stand, too.
    pub fn statement(&mut self, is_listed: bool) -> Parsed<()> {
        self.enter()?;
        self.any_statement(is_listed)?;
        self.depth -= 1;
        Ok(())
    }

    fn any_statement(&mut self, is_listed: bool) -> Parsed<()> {
        match self.token.kind {
            Kind::BraceOpen => self.block(),
            Kind::Semicolon => {
                self.next();
                Ok(())
            }
            Kind::Var => {
                self.next();
                self.declarations(true)?;
                self.end_statement()
            }
            Kind::Const => self.lexical_declaration(),
            Kind::Let | Kind::Using if self.begins_declaration(is_listed) => {
                self.lexical_declaration()
            }
            Kind::Await if self.begins_await_using() => {
                self.next();
                self.lexical_declaration()
            }
            Kind::Function => self.function_declaration(false),
            Kind::Async if self.begins_async_function() => {
                self.next();
                self.function_declaration(true)
            }
            Kind::Class => self.class(true).map(drop),
            Kind::If => self.if_statement(),
            Kind::For => self.for_statement(),
            Kind::While => {
                self.next();
                self.condition()?;
                self.statement(false)
            }
            Kind::Do => self.do_statement(),
            Kind::Break | Kind::Continue => {
                self.next();
                if self.token.kind.is_identifier() && !self.token.is_on_new_line {
                    self.next();
                }
                self.end_statement()
            }
            Kind::Return => self.return_statement(),
            Kind::Throw => {
                self.next();
                self.expression()?;
                self.end_statement()
            }
            Kind::With => self.with_statement(),
            Kind::Switch => self.switch_statement(),
            Kind::Try => self.try_statement(),
            Kind::Debugger => {
                self.next();
                self.end_statement()
            }
            Kind::Import if !matches!(self.peek().kind, Kind::ParenOpen | Kind::Dot) => {
                self.import_declaration()
            }
            Kind::Export => self.export_declaration(),
            _ => self.expression_statement(),
        }
    }

    pub fn block(&mut self) -> Parsed<()> {
        self.expect(Kind::BraceOpen)?;
        self.scopes.open(false);
        self.block_rest()
    }

    /// Statements up to the brace, and the end of the scope that they are in.
    fn block_rest(&mut self) -> Parsed<()> {
        while !self.is(Kind::BraceClose) {
            if self.is(Kind::End) {
                return Err(Stop::Syntax);
            }
            self.statement(true)?;
        }
        self.scopes.close();
        self.next();
        Ok(())
    }

    fn expression_statement(&mut self) -> Parsed<()> {
        let name = name_of(self.token.kind);
        let expr = self.expression()?;
        if expr.is_name() && self.eat(Kind::Colon) {
            self.scopes.forget_last(name);
            return self.statement(false);
        }
        self.end_statement()
    }

    fn lexical_declaration(&mut self) -> Parsed<()> {
        self.next();
        self.declarations(false)?;
        self.end_statement()
    }

    /// `let` or `using` begins a declaration here.
    fn begins_declaration(&self, is_listed: bool) -> bool {
        let next = self.peek();
        match next.kind {
            Kind::BraceOpen | Kind::BracketOpen if self.is(Kind::Let) => {
                is_listed || !next.is_on_new_line
            }
            kind if kind.is_identifier() => {
                !next.is_on_new_line || (is_listed && self.is(Kind::Let))
            }
            _ => false,
        }
    }

    fn begins_await_using(&self) -> bool {
        let mut ahead = self.lexer;
        let (using, name) = (ahead.next(), ahead.next());
        using.kind == Kind::Using
            && !using.is_on_new_line
            && name.kind.is_identifier()
            && !name.is_on_new_line
            && self.function.is_async
    }

    pub fn begins_async_function(&self) -> bool {
        let next = self.peek();
        next.kind == Kind::Function && !next.is_on_new_line
    }

    fn condition(&mut self) -> Parsed<()> {
        self.expect(Kind::ParenOpen)?;
        self.expression()?;
        self.expect(Kind::ParenClose)
    }

    fn if_statement(&mut self) -> Parsed<()> {
        while self.eat(Kind::If) {
            self.condition()?;
            self.statement(false)?;
            if !self.eat(Kind::Else) {
                return Ok(());
            }
        }
        self.statement(false)
    }

    fn do_statement(&mut self) -> Parsed<()> {
        self.next();
        self.statement(false)?;
        self.expect(Kind::While)?;
        self.condition()?;
        self.eat(Kind::Semicolon);
        Ok(())
    }

    fn return_statement(&mut self) -> Parsed<()> {
        self.next();
        let is_bare = matches!(
            self.token.kind,
            Kind::Semicolon | Kind::BraceClose | Kind::End
        );
        if !is_bare && !self.token.is_on_new_line {
            self.expression()?;
        }
        self.end_statement()
    }

    fn with_statement(&mut self) -> Parsed<()> {
        self.next();
        self.condition()?;
        let marks = self.scopes.marks();
        self.statement(false)?;
        self.scopes.take(marks, LOCATION | TOP | EVAL);
        Ok(())
    }

    fn switch_statement(&mut self) -> Parsed<()> {
        self.next();
        self.condition()?;
        self.expect(Kind::BraceOpen)?;
        self.scopes.open(false);
        while !self.is(Kind::BraceClose) {
            if self.eat(Kind::Case) {
                self.expression()?;
            } else {
                self.expect(Kind::Default)?;
            }
            self.expect(Kind::Colon)?;
            while !matches!(
                self.token.kind,
                Kind::Case | Kind::Default | Kind::BraceClose
            ) {
                if self.is(Kind::End) {
                    return Err(Stop::Syntax);
                }
                self.statement(true)?;
            }
        }
        self.scopes.close();
        self.next();
        Ok(())
    }

    fn try_statement(&mut self) -> Parsed<()> {
        self.next();
        self.block()?;
        if self.eat(Kind::Catch) {
            self.scopes.open(false);
            if self.eat(Kind::ParenOpen) {
                if self.token.kind.is_identifier() {
                    self.scopes.declare_caught(name_of(self.token.kind));
                    self.next();
                } else {
                    self.binding(false)?;
                }
                self.expect(Kind::ParenClose)?;
            }
            self.block()?;
            self.scopes.close();
        }
        if self.eat(Kind::Finally) {
            self.block()?;
        }
        Ok(())
    }

    fn for_statement(&mut self) -> Parsed<()> {
        self.next();
        self.eat(Kind::Await);
        self.expect(Kind::ParenOpen)?;
        self.scopes.open(false);
        self.no_in = true;
        self.loop_variables()?;
        self.no_in = false;
        match self.token.kind {
            Kind::Of => {
                self.next();
                self.assignment()?;
            }
            Kind::In => {
                self.next();
                self.expression()?;
            }
            _ => {
                self.expect(Kind::Semicolon)?;
                if !self.is(Kind::Semicolon) {
                    self.expression()?;
                }
                self.expect(Kind::Semicolon)?;
                if !self.is(Kind::ParenClose) {
                    self.expression()?;
                }
            }
        }
        self.expect(Kind::ParenClose)?;
        self.statement(false)?;
        self.scopes.close();
        Ok(())
    }

    /// `using of`, and no value for a variable `of`: a loop over a list whose variable is called `using`.
    fn begins_list_of_using(&self) -> bool {
        let mut ahead = self.lexer;
        ahead.next().kind == Kind::Of && ahead.next().kind != Kind::Assign
    }

    fn loop_variables(&mut self) -> Parsed<()> {
        let next = self.peek().kind;
        match self.token.kind {
            Kind::Semicolon => Ok(()),
            Kind::Var => {
                self.next();
                self.declarations(true)
            }
            Kind::Const => {
                self.next();
                self.declarations(false)
            }
            Kind::Let
                if next.is_identifier() || matches!(next, Kind::BraceOpen | Kind::BracketOpen) =>
            {
                self.next();
                self.declarations(false)
            }
            Kind::Using if next.is_identifier() && !self.begins_list_of_using() => {
                self.next();
                self.declarations(false)
            }
            Kind::Await if self.begins_await_using() => {
                self.next();
                self.next();
                self.declarations(false)
            }
            _ => self.expression().map(drop),
        }
    }
}
