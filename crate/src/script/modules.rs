//! Imports and exports: what they declare, and the addresses in them.

use super::expressions::{Expr, Shape};
use super::parser::{Parsed, Parser, Stop};
use super::scopes::name_of;
use super::token::Kind;

impl Parser<'_> {
    /// `import.meta`, or a module asked for while the script runs.
    pub fn dynamic_import(&mut self) -> Parsed<Expr> {
        self.expect(Kind::Import)?;
        if self.eat(Kind::Dot) {
            if self.eat(Kind::Meta) {
                return Ok(Expr::of(Shape::NoWindow));
            }
            // A phase: `import.source(...)`.
            self.expect(Kind::Name)?;
        }
        self.expect(Kind::ParenOpen)?;
        let start = self.token.start;
        self.inner_assignment()?;
        self.wrap(start, self.last_end, "__wa$import(")?;
        if self.eat(Kind::Comma) && !self.is(Kind::ParenClose) {
            self.inner_assignment()?;
            self.eat(Kind::Comma);
        }
        self.expect(Kind::ParenClose)?;
        Ok(Expr::default())
    }

    /// Only modules have what follows. What was read as a script may have to be read again.
    fn become_module(&mut self) -> Parsed<()> {
        if self.lexer.is_module {
            return Ok(());
        }
        if self.is_surely_script || !self.scopes.is_window || !self.scopes.is_outermost() {
            return Err(Stop::Syntax);
        }
        self.lexer.is_module = true;
        self.scopes.is_window = false;
        self.function.is_async = true;
        self.function.is_strict = true;
        Ok(())
    }

    pub fn import_declaration(&mut self) -> Parsed<()> {
        self.become_module()?;
        self.expect(Kind::Import)?;
        if !self.is(Kind::String) {
            if self.token.kind.is_identifier() {
                self.scopes.declare(name_of(self.token.kind));
                self.next();
                self.eat(Kind::Comma);
            }
            if self.eat(Kind::Star) {
                self.expect(Kind::As)?;
                self.binding(false)?;
            } else if self.is(Kind::BraceOpen) {
                self.imported_names()?;
            }
            self.expect(Kind::From)?;
        }
        self.specifier()?;
        self.end_statement()
    }

    fn imported_names(&mut self) -> Parsed<()> {
        self.next();
        while !self.is(Kind::BraceClose) {
            let mut name = self.token;
            self.module_name()?;
            if self.eat(Kind::As) {
                name = self.token;
                self.module_name()?;
            }
            self.scopes.declare(name_of(name.kind));
            if !self.is(Kind::BraceClose) {
                self.expect(Kind::Comma)?;
            }
        }
        self.next();
        Ok(())
    }

    /// A name that is imported or exported.
    fn module_name(&mut self) -> Parsed<()> {
        if !self.is(Kind::String) && !self.token.kind.is_word() {
            return Err(Stop::Syntax);
        }
        self.next();
        Ok(())
    }

    pub fn export_declaration(&mut self) -> Parsed<()> {
        self.become_module()?;
        self.expect(Kind::Export)?;
        match self.token.kind {
            Kind::Default => self.export_default(),
            Kind::Star => {
                self.next();
                if self.eat(Kind::As) {
                    self.module_name()?;
                }
                self.expect(Kind::From)?;
                self.specifier()?;
                self.end_statement()
            }
            Kind::BraceOpen => {
                self.next();
                while !self.is(Kind::BraceClose) {
                    self.module_name()?;
                    if self.eat(Kind::As) {
                        self.module_name()?;
                    }
                    if !self.is(Kind::BraceClose) {
                        self.expect(Kind::Comma)?;
                    }
                }
                self.next();
                if self.eat(Kind::From) {
                    self.specifier()?;
                }
                self.end_statement()
            }
            _ => self.statement(true),
        }
    }

    fn export_default(&mut self) -> Parsed<()> {
        self.next();
        match self.token.kind {
            Kind::Function => self.function_declaration(false),
            Kind::Async if self.begins_async_function() => {
                self.next();
                self.function_declaration(true)
            }
            Kind::Class => self.class(true).map(drop),
            _ => {
                self.assignment()?;
                self.end_statement()
            }
        }
    }

    /// The address of a module, which becomes that of its replay, and attributes.
    fn specifier(&mut self) -> Parsed<()> {
        let token = self.token;
        self.expect(Kind::String)?;
        let (start, end) = (token.start + 1, token.end - 1);
        let text = self.lexer.text(token);
        let text = std::str::from_utf8(&text[1..text.len() - 1]).unwrap_or("");
        // Where something is escaped, the text is no address yet: such are not found in the wild.
        if !text.contains('\\')
            && let Some(mapped) = (self.map)(text)
            && !mapped.contains(['"', '\'', '\\', '\n', '\r'])
        {
            self.edits.replace(start, end, mapped);
        }
        let is_assert = self.lexer.text(self.token) == b"assert" && !self.token.is_on_new_line;
        if self.is(Kind::With) || is_assert {
            self.next();
            if !self.is(Kind::BraceOpen) {
                return Err(Stop::Syntax);
            }
            self.primary(true)?;
        }
        Ok(())
    }
}
