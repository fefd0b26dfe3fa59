//! Expressions. Which operator binds closer does not matter here: none changes what names mean.
//!
//! What is in brackets may turn out to be the parameters of an arrow function. So each expression says which names it
//! would declare if it were a pattern, and references wait (see `scopes.rs`).

use super::parser::{Function, Parsed, Parser, Stop};
use super::scopes::{Marks, Names, name_of};
use super::token::{Kind, Token};

/// What is known of an expression that has been read.
#[derive(Clone, Copy, Default)]
pub struct Expr {
    /// Names that it declares if it is a pattern.
    pub binds: Names,
    /// Properties that it asks for, if it is a pattern.
    pub keys: Names,
    pub shape: Shape,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum Shape {
    #[default]
    Any,
    /// Nothing goes on with it.
    Arrow,
    /// A literal, a function, or what stands before a dot and is no object.
    NoWindow,
    /// Called as windows are.
    Window,
    /// A name by itself.
    Name,
    /// A name by itself, as windows have it.
    WindowName,
    /// `eval`, about to be called.
    Eval,
}

impl Expr {
    pub const fn of(shape: Shape) -> Expr {
        Expr {
            binds: 0,
            keys: 0,
            shape,
        }
    }

    pub fn is_arrow(self) -> bool {
        self.shape == Shape::Arrow
    }

    pub fn is_no_window(self) -> bool {
        matches!(self.shape, Shape::NoWindow | Shape::Arrow)
    }

    pub fn is_called_window(self) -> bool {
        matches!(self.shape, Shape::Window | Shape::WindowName)
    }

    pub fn is_name(self) -> bool {
        matches!(self.shape, Shape::Name | Shape::WindowName | Shape::Eval)
    }
}

impl Parser<'_> {
    /// Expressions with commas between them.
    pub fn expression(&mut self) -> Parsed<Expr> {
        let mut expr = self.assignment()?;
        while self.eat(Kind::Comma) {
            self.assignment()?;
            expr = Expr::default();
        }
        Ok(expr)
    }

    /// An expression within brackets of some kind, where `in` means what it says.
    pub fn inner_expression(&mut self) -> Parsed<Expr> {
        let no_in = std::mem::replace(&mut self.no_in, false);
        let expr = self.expression()?;
        self.no_in = no_in;
        Ok(expr)
    }

    pub fn inner_assignment(&mut self) -> Parsed<Expr> {
        let no_in = std::mem::replace(&mut self.no_in, false);
        let expr = self.assignment()?;
        self.no_in = no_in;
        Ok(expr)
    }

    pub fn assignment(&mut self) -> Parsed<Expr> {
        self.enter()?;
        let expr = self.assignments()?;
        self.depth -= 1;
        Ok(expr)
    }

    fn assignments(&mut self) -> Parsed<Expr> {
        let mut whole: Option<Expr> = None;
        loop {
            let expr = self.conditional()?;
            let is_assigned = matches!(
                self.token.kind,
                Kind::Assign | Kind::AssignOperator | Kind::SlashAssign
            );
            if expr.is_arrow() || !is_assigned {
                return Ok(whole.unwrap_or(expr));
            }
            self.next();
            let left = Expr {
                binds: expr.binds,
                ..Expr::default()
            };
            let whole_so_far = *whole.get_or_insert(left);
            if expr.keys != 0 {
                let start = self.token.start;
                let value = self.assignment()?;
                self.hold(expr.keys, start, value)?;
                return Ok(whole_so_far);
            }
        }
    }

    fn conditional(&mut self) -> Parsed<Expr> {
        let mut is_choice = false;
        loop {
            if self.function.is_generator && self.is(Kind::Yield) {
                return self.yielding();
            }
            let expr = self.operation()?;
            if expr.is_arrow() {
                return Ok(expr);
            }
            if !self.eat(Kind::Question) {
                return Ok(if is_choice { Expr::default() } else { expr });
            }
            is_choice = true;
            self.inner_assignment()?;
            self.expect(Kind::Colon)?;
        }
    }

    fn yielding(&mut self) -> Parsed<Expr> {
        self.next();
        let is_bare = self.token.is_on_new_line
            || matches!(
                self.token.kind,
                Kind::End
                    | Kind::ParenClose
                    | Kind::BracketClose
                    | Kind::BraceClose
                    | Kind::Comma
                    | Kind::Colon
                    | Kind::Semicolon
                    | Kind::In
                    | Kind::Question
            );
        if !is_bare {
            self.eat(Kind::Star);
            self.assignment()?;
        }
        // Nothing goes on with it, as with an arrow function.
        Ok(Expr::of(Shape::Arrow))
    }

    /// Operands and operators between them.
    fn operation(&mut self) -> Parsed<Expr> {
        let mut expr = self.unary()?;
        loop {
            match self.token.kind {
                _ if expr.is_arrow() => return Ok(expr),
                Kind::Operator | Kind::Sign | Kind::Star | Kind::Slash | Kind::Instanceof => {}
                Kind::In if !self.no_in => {}
                _ => return Ok(expr),
            }
            self.next();
            expr = match self.unary()? {
                arrow if arrow.is_arrow() => arrow,
                _ => Expr::default(),
            };
        }
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let mut is_plain = true;
        loop {
            match self.token.kind {
                Kind::Not | Kind::Sign | Kind::Step | Kind::Delete | Kind::Typeof | Kind::Void => {}
                Kind::Await if self.function.is_async => {}
                _ => break,
            }
            is_plain = false;
            self.next();
        }
        let mut expr = self.access()?;
        if self.is(Kind::Step) && !self.token.is_on_new_line && !expr.is_arrow() {
            self.next();
            is_plain = false;
        }
        if !is_plain && !expr.is_arrow() {
            expr = Expr::default();
        }
        Ok(expr)
    }

    /// What stands by itself; `may_call` is false for what `new` makes.
    pub fn primary(&mut self, may_call: bool) -> Parsed<Expr> {
        let token = self.token;
        match token.kind {
            Kind::Async => self.asynchronous(may_call),
            kind if kind.is_identifier() => self.identifier(may_call),
            Kind::This => {
                self.next();
                Ok(Expr::of(if self.function.is_method {
                    Shape::Any
                } else {
                    Shape::Window
                }))
            }
            Kind::Value | Kind::Number | Kind::String | Kind::TemplateEnd | Kind::Super => {
                self.next();
                Ok(Expr::of(Shape::NoWindow))
            }
            Kind::TemplatePart => self.template(),
            Kind::Slash | Kind::SlashAssign => {
                self.token = self.lexer.regex(token);
                self.expect(Kind::Value)?;
                Ok(Expr::of(Shape::NoWindow))
            }
            Kind::ParenOpen => self.parens(),
            Kind::BracketOpen => self.array(),
            Kind::BraceOpen => self.object(),
            Kind::Function => self.function_expression(Function::default()),
            Kind::Class => self.class(false),
            Kind::Import => self.dynamic_import(),
            Kind::Private => {
                self.next();
                if self.is(Kind::In) {
                    Ok(Expr::of(Shape::NoWindow))
                } else {
                    Err(Stop::Syntax)
                }
            }
            _ => Err(Stop::Syntax),
        }
    }

    fn identifier(&mut self, may_call: bool) -> Parsed<Expr> {
        let token = self.token;
        let binds = name_of(token.kind);
        self.is_surely_script |= token.kind == Kind::Await;
        self.next();
        if self.is(Kind::Arrow) && !self.token.is_on_new_line {
            return self.arrow(self.scopes.marks(), binds, false);
        }
        let is_run = may_call && token.kind == Kind::Eval && self.is(Kind::ParenOpen);
        if !is_run {
            self.refer(token, false)?;
        }
        Ok(Expr {
            binds,
            keys: 0,
            shape: match token.kind {
                _ if is_run => Shape::Eval,
                Kind::Window | Kind::Top => Shape::WindowName,
                _ => Shape::Name,
            },
        })
    }

    /// What begins with `async`: a function, the call of one of that name, or that name.
    fn asynchronous(&mut self, may_call: bool) -> Parsed<Expr> {
        let marks = self.scopes.marks();
        let next = self.peek();
        if next.is_on_new_line {
            return self.identifier(may_call);
        }
        match next.kind {
            Kind::Function => {
                self.next();
                self.function_expression(Function {
                    is_async: true,
                    ..Function::default()
                })
            }
            Kind::ParenOpen if may_call => {
                self.next();
                let binds = self.arguments()?;
                if self.is(Kind::Arrow) && !self.token.is_on_new_line {
                    return self.arrow(marks, binds, true);
                }
                Ok(Expr::default())
            }
            kind if kind.is_identifier() => self.asynchronous_name(next),
            _ => self.identifier(may_call),
        }
    }

    /// `async name => ...`, or the name `async` before another word, as in `async of`.
    fn asynchronous_name(&mut self, name: Token) -> Parsed<Expr> {
        let mut ahead = self.lexer;
        ahead.next();
        if ahead.next().kind != Kind::Arrow {
            return self.identifier(true);
        }
        self.next();
        self.next();
        self.arrow(self.scopes.marks(), name_of(name.kind), true)
    }

    /// Arguments of a call: which names they declare if they are the parameters of an arrow function.
    pub fn arguments(&mut self) -> Parsed<Names> {
        self.expect(Kind::ParenOpen)?;
        let no_in = std::mem::replace(&mut self.no_in, false);
        let mut binds = 0;
        while !self.is(Kind::ParenClose) {
            self.eat(Kind::Dots);
            binds |= self.assignment()?.binds;
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        self.no_in = no_in;
        self.expect(Kind::ParenClose)?;
        Ok(binds)
    }

    fn parens(&mut self) -> Parsed<Expr> {
        let marks: Marks = self.scopes.marks();
        let is_empty = self.peek().kind == Kind::ParenClose;
        let binds = self.arguments()?;
        if self.is(Kind::Arrow) && !self.token.is_on_new_line {
            return self.arrow(marks, binds, false);
        }
        if is_empty {
            return Err(Stop::Syntax);
        }
        Ok(Expr {
            binds,
            ..Expr::default()
        })
    }

    fn array(&mut self) -> Parsed<Expr> {
        self.expect(Kind::BracketOpen)?;
        let no_in = std::mem::replace(&mut self.no_in, false);
        let mut binds = 0;
        while !self.is(Kind::BracketClose) {
            if self.eat(Kind::Comma) {
                continue;
            }
            self.eat(Kind::Dots);
            binds |= self.assignment()?.binds;
            if !self.is(Kind::BracketClose) {
                self.expect(Kind::Comma)?;
            }
        }
        self.no_in = no_in;
        self.next();
        Ok(Expr {
            binds,
            ..Expr::of(Shape::NoWindow)
        })
    }

    /// A template with substitutions, from its first part on.
    pub fn template(&mut self) -> Parsed<Expr> {
        while self.is(Kind::TemplatePart) {
            self.next();
            self.inner_expression()?;
            if !self.is(Kind::BraceClose) {
                return Err(Stop::Syntax);
            }
            self.token = self.lexer.template(self.token);
        }
        self.expect(Kind::TemplateEnd)?;
        Ok(Expr::of(Shape::NoWindow))
    }

    fn object(&mut self) -> Parsed<Expr> {
        self.expect(Kind::BraceOpen)?;
        let no_in = std::mem::replace(&mut self.no_in, false);
        let mut whole = Expr::of(Shape::NoWindow);
        while !self.is(Kind::BraceClose) {
            self.property(&mut whole)?;
            if !self.is(Kind::BraceClose) {
                self.expect(Kind::Comma)?;
            }
        }
        self.no_in = no_in;
        self.next();
        Ok(whole)
    }

    fn property(&mut self, whole: &mut Expr) -> Parsed<()> {
        if self.eat(Kind::Dots) {
            whole.binds |= self.assignment()?.binds;
            return Ok(());
        }
        let key = self.member_key()?;
        if self.is(Kind::ParenOpen) {
            return self.function_rest(key.function);
        }
        if key.is_method {
            return Err(Stop::Syntax);
        }
        whole.keys |= self.key_name(key.token);
        if self.eat(Kind::Colon) {
            whole.binds |= self.assignment()?.binds;
            return Ok(());
        }
        let Some(name) = key.token.filter(|token| token.kind.is_word()) else {
            return Err(Stop::Syntax);
        };
        whole.binds |= name_of(name.kind);
        self.refer(name, true)?;
        if self.eat(Kind::Assign) {
            self.assignment()?;
        }
        Ok(())
    }

    /// The name that a key is, plain or as a string.
    pub fn key_name(&self, key: Option<Token>) -> Names {
        key.map_or(0, |token| match token.kind {
            Kind::String => name_of(self.said(token)),
            kind => name_of(kind),
        })
    }
}
