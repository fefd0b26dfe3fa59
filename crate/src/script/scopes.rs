//! Which variables hide `location`, `top` and `eval`, and which references to them nothing hides.
//!
//! A reference waits until each scope that it stands in has ended: a scope that declares its name takes all that came
//! since its beginning. So declarations count wherever in a scope they stand.

use super::token::Kind;

/// A set of the names that edits are about.
pub type Names = u8;
pub const LOCATION: Names = 1;
pub const TOP: Names = 2;
pub const EVAL: Names = 4;

/// The name that a word is.
pub fn name_of(kind: Kind) -> Names {
    match kind {
        Kind::Location => LOCATION,
        Kind::Top => TOP,
        Kind::Eval => EVAL,
        _ => 0,
    }
}

#[derive(Clone, Copy)]
pub struct Reference {
    pub start: usize,
    pub end: usize,
    /// It names a property, too.
    pub is_shorthand: bool,
}

/// How many references waited when something began.
#[derive(Clone, Copy, Default)]
pub struct Marks {
    location: usize,
    top: usize,
    eval: usize,
    runs: usize,
}

struct Scope {
    marks: Marks,
    declared: Names,
    /// `var` declares here.
    holds_vars: bool,
    /// It declares the name of what is caught, which keeps no function in a block from being declared around it.
    is_of_caught: bool,
}

/// What nothing hides.
#[derive(Default)]
pub struct Free {
    pub location: Vec<Reference>,
    pub top: Vec<Reference>,
    /// Where `eval` is named and not called.
    pub eval: Vec<Reference>,
    /// Arguments of calls of `eval`, where their text would find no other `location` or `top` around it.
    pub runs: Vec<(usize, usize)>,
}

#[derive(Default)]
pub struct Scopes {
    open: Vec<Scope>,
    free: Free,
    /// Variables of the outermost scope are properties of the window, which has these already.
    pub is_window: bool,
}

impl Scopes {
    pub fn new(is_window: bool) -> Scopes {
        Scopes {
            is_window,
            ..Scopes::default()
        }
    }

    pub fn marks(&self) -> Marks {
        Marks {
            location: self.free.location.len(),
            top: self.free.top.len(),
            eval: self.free.eval.len(),
            runs: self.free.runs.len(),
        }
    }

    pub fn open(&mut self, holds_vars: bool) {
        let marks = self.marks();
        self.open.push(Scope {
            marks,
            declared: 0,
            holds_vars,
            is_of_caught: false,
        });
    }

    /// Opens a scope that began earlier and declares some names: of an arrow function, whose parameters have been read.
    pub fn open_at(&mut self, marks: Marks, declared: Names) {
        self.open.push(Scope {
            marks,
            declared,
            holds_vars: false,
            is_of_caught: false,
        });
    }

    pub fn close(&mut self) {
        if let Some(scope) = self.open.pop() {
            self.take(scope.marks, scope.declared);
        }
    }

    /// Forgets references since then: what they mean is only known when they run.
    pub fn take(&mut self, since: Marks, names: Names) {
        if names & LOCATION != 0 {
            self.free.location.truncate(since.location);
        }
        if names & TOP != 0 {
            self.free.top.truncate(since.top);
        }
        if names & EVAL != 0 {
            self.free.eval.truncate(since.eval);
        }
        if names != 0 {
            self.free.runs.truncate(since.runs);
        }
    }

    pub fn refer(&mut self, name: Names, reference: Reference) {
        match name {
            LOCATION => self.free.location.push(reference),
            TOP => self.free.top.push(reference),
            EVAL => self.free.eval.push(reference),
            _ => {}
        }
    }

    /// `eval` is called with what stands there.
    pub fn run(&mut self, start: usize, end: usize) {
        self.free.runs.push((start, end));
    }

    /// The last reference was the name of a label.
    pub fn forget_last(&mut self, name: Names) {
        match name {
            LOCATION => drop(self.free.location.pop()),
            TOP => drop(self.free.top.pop()),
            EVAL => drop(self.free.eval.pop()),
            _ => {}
        }
    }

    /// Declares in the innermost scope.
    pub fn declare(&mut self, names: Names) {
        if let Some(scope) = self.open.last_mut() {
            scope.declared |= names;
        }
    }

    /// Declares the name of what is caught.
    pub fn declare_caught(&mut self, names: Names) {
        if let Some(scope) = self.open.last_mut() {
            scope.declared = names;
            scope.is_of_caught = true;
        }
    }

    /// Declares in the function; false where that is the window.
    pub fn declare_var(&mut self, names: Names) -> bool {
        let is_window = self.is_window;
        let holder = self.open.iter_mut().enumerate().rev();
        match holder.into_iter().find(|(_, scope)| scope.holds_vars) {
            Some((0, _)) if is_window => false,
            Some((_, scope)) => {
                scope.declared |= names;
                true
            }
            None => true,
        }
    }

    /// Declares a function in a block, and in the function around it unless something in between has its name; false
    /// where that is the window.
    pub fn declare_in_block(&mut self, names: Names, is_strict: bool) -> bool {
        let is_innermost = self.holds_vars();
        self.declare(names);
        if is_strict || is_innermost {
            return true;
        }
        let around = self.open.iter().rev().skip(1);
        let is_hidden = around
            .take_while(|scope| !scope.holds_vars)
            .any(|scope| scope.declared & names != 0 && !scope.is_of_caught);
        is_hidden || self.declare_var(names)
    }

    /// The innermost scope is that of a whole function or program.
    pub fn holds_vars(&self) -> bool {
        self.open.last().is_some_and(|scope| scope.holds_vars)
    }

    pub fn is_outermost(&self) -> bool {
        self.open.len() == 1
    }

    /// What nothing hides, when all has been closed.
    pub fn free(self) -> Free {
        self.free
    }
}
