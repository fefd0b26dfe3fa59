//! Scripts edited so that they run as if `location` and `top` were those of the archived page.
//!
//! What is a free reference is told by a whole parse with scopes; nothing in strings, comments, names of properties,
//! or of variables that the script declares itself is touched. Edits keep every line on its line:
//!
//!   location                 __wa$loc, also where it is assigned to; `{location}` is `{location:__wa$loc}`
//!   top                      __wa$top, likewise
//!   X.location, X["location"]  __wa$L(X).location, whatever X is, but for literals and `super`
//!   X?.location              __wa$L(X)?.location; `a?.b.location` is `__wa$L(a?.b)?.location`
//!   X.top                    __wa$L(X).top, where X is called as windows are: `self`, `a.parent`, `this` outside of methods
//!   X.postMessage(...)       __wa$P(X).postMessage(...)
//!   eval(...)                eval(__wa$E(...)), unless the code is strict, or has a `location` or `top` of its own around
//!   eval, X.eval             __wa$eval, also `__wa$L(X).eval` where X is called as windows are
//!   {location} = X           {location} = __wa$L(X), in declarations, assignments and defaults of parameters; so with
//!                            `top`, where X is called as windows are. All other properties are asked of it, too.
//!   import(X)                import(__wa$import(X)): what it gives is imported, from the place of this script; so
//!                            relative addresses and names of import maps must come back as they are
//!   import "http://..."      the address of the replay origin; so with `export ... from`
//!
//! `__wa$L` and `__wa$P` give X itself where it is no window or document, also where it is undefined.
//! In a classic script `var location = X` declares nothing, since windows have one: it becomes `var __wa$loc = X`.
//! Inside `with`, names may mean properties: `location`, `top` and `eval` stay as they are there.
//!
//! Every valid program is read as browsers read it (ECMAScript 2025 with Annex B). Much that is not valid passes too:
//! browsers refuse it before and after.

mod chains;
mod classes;
mod edits;
mod expressions;
mod functions;
mod lexer;
mod literals;
mod modules;
mod parser;
mod patterns;
mod scopes;
mod statements;
mod token;
mod words;

use parser::{Parser, Stop};

/// What a source is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// A classic script, or a module where only that makes sense of it.
    Script,
    Module,
    /// The body of a function, as attributes for events have it.
    Function,
    Expression,
}

/// What became of a source.
#[derive(Debug, Default)]
pub struct Edited {
    /// None: nothing is to be changed, or nothing can be read.
    pub text: Option<Vec<u8>>,
    /// It was read to its end.
    pub is_read: bool,
    /// It was read as a module: it imports or exports, or makes sense as nothing else.
    pub is_module: bool,
}

/// Edits a source in UTF-8, or in any set that has ASCII in it. `map` gives the replay address of an absolute one.
pub fn edit(source: &[u8], goal: Goal, map: &dyn Fn(&str) -> Option<String>) -> Edited {
    match read(source, goal, map) {
        Err(Stop::Syntax) if goal == Goal::Script => {
            read(source, Goal::Module, map).unwrap_or_default()
        }
        result => result.unwrap_or_default(),
    }
}

fn read(source: &[u8], goal: Goal, map: &dyn Fn(&str) -> Option<String>) -> Result<Edited, Stop> {
    let mut parser = Parser::new(source, goal, map);
    parser.program(goal)?;
    let is_module = parser.lexer.is_module;
    Ok(Edited {
        text: parser.into_edits().apply(source),
        is_read: true,
        is_module,
    })
}
