//! Properties and calls, one after another: where `location`, `top` and `postMessage` are asked of something.

use super::expressions::{Expr, Shape};
use super::parser::{Parsed, Parser, Stop};
use super::token::{Kind, Token};

/// How far a chain has come.
struct Chain {
    start: usize,
    expr: Expr,
    /// `?.` occurred: all that follows is left out where it ends the chain.
    is_optional: bool,
    may_call: bool,
    /// Calls have been put around parts of it.
    has_calls: bool,
}

impl Parser<'_> {
    /// What stands by itself, with all that is asked of it.
    pub fn access(&mut self) -> Parsed<Expr> {
        let start = self.token.start;
        let expr = if self.is(Kind::New) {
            self.new_object()?
        } else {
            self.primary(true)?
        };
        if expr.is_arrow() {
            return Ok(expr);
        }
        Ok(self.chain(start, expr, true)?.expr)
    }

    fn new_object(&mut self) -> Parsed<Expr> {
        self.enter()?;
        self.next();
        if self.eat(Kind::Dot) {
            // `new.target`.
            self.expect(Kind::Name)?;
            self.depth -= 1;
            return Ok(Expr::of(Shape::NoWindow));
        }
        let start = self.token.start;
        let expr = if self.is(Kind::New) {
            self.new_object()?
        } else {
            self.primary(false)?
        };
        if expr.is_arrow() {
            return Err(Stop::Syntax);
        }
        let chain = self.chain(start, expr, false)?;
        if chain.has_calls {
            // Without brackets the arguments would go to these calls.
            self.wrap(start, self.last_end, "(")?;
        }
        if self.is(Kind::ParenOpen) {
            self.arguments()?;
        }
        self.depth -= 1;
        Ok(Expr::default())
    }

    fn chain(&mut self, start: usize, expr: Expr, may_call: bool) -> Parsed<Chain> {
        let mut chain = Chain {
            start,
            expr,
            is_optional: false,
            may_call,
            has_calls: false,
        };
        loop {
            let (mark, end) = (self.token, self.last_end);
            match mark.kind {
                Kind::Dot => {
                    self.next();
                    self.named(&mut chain, mark, end)?;
                }
                Kind::QuestionDot if may_call => {
                    self.next();
                    match self.token.kind {
                        Kind::ParenOpen => {
                            self.arguments()?;
                            chain.expr = Expr::default();
                        }
                        Kind::BracketOpen => self.computed(&mut chain, mark, end)?,
                        _ => self.named(&mut chain, mark, end)?,
                    }
                    chain.is_optional = true;
                }
                Kind::BracketOpen => self.computed(&mut chain, mark, end)?,
                Kind::ParenOpen if may_call => {
                    self.arguments()?;
                    if chain.expr.shape == Shape::Eval {
                        self.run(mark.end, self.last_end - 1)?;
                    }
                    chain.expr = Expr::default();
                }
                Kind::TemplateEnd | Kind::TemplatePart => {
                    self.template()?;
                    chain.expr = Expr::default();
                }
                _ => return Ok(chain),
            }
        }
    }

    /// A property by its name, after `mark`; what it is asked of ends at `end`.
    fn named(&mut self, chain: &mut Chain, mark: Token, end: usize) -> Parsed<()> {
        let kind = self.token.kind;
        if kind != Kind::Private && !kind.is_word() {
            return Err(Stop::Syntax);
        }
        self.next();
        self.asked(chain, kind, mark, end)
    }

    /// A property in brackets, which stand where `mark` does or behind it.
    fn computed(&mut self, chain: &mut Chain, mark: Token, end: usize) -> Parsed<()> {
        self.expect(Kind::BracketOpen)?;
        let key = self.token;
        self.inner_expression()?;
        let kind = if self.last_end == key.end {
            self.said(key)
        } else {
            Kind::Bad
        };
        self.expect(Kind::BracketClose)?;
        self.asked(chain, kind, mark, end)
    }

    fn asked(&mut self, chain: &mut Chain, name: Kind, mark: Token, end: usize) -> Parsed<()> {
        let object = chain.expr;
        let open = match name {
            _ if object.is_no_window() => None,
            Kind::Location => Some("__wa$L("),
            Kind::Top | Kind::Eval if object.is_called_window() => Some("__wa$L("),
            Kind::PostMessage if chain.may_call && self.is_called() => Some("__wa$P("),
            _ => None,
        };
        if let Some(open) = open {
            self.wrap(chain.start, end, open)?;
            chain.has_calls = true;
            // The call is never left out, so that what follows it must be.
            match mark.kind {
                Kind::Dot if chain.is_optional => self.edits.insert(mark.start, "?"),
                Kind::BracketOpen if chain.is_optional => self.edits.insert(mark.start, "?."),
                _ => {}
            }
        }
        chain.expr = Expr::of(match name {
            Kind::Window | Kind::Top => Shape::Window,
            _ => Shape::Any,
        });
        Ok(())
    }

    fn is_called(&self) -> bool {
        self.is(Kind::ParenOpen)
            || (self.is(Kind::QuestionDot) && self.peek().kind == Kind::ParenOpen)
    }
}
