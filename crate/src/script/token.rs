//! Tokens of a script.

/// What a token is. Words come last, from `Name` on; those that are reserved come after all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    End,
    /// Nothing that a script can hold here.
    Bad,
    Number,
    String,
    /// A template without substitutions, or the last part of one.
    TemplateEnd,
    /// A part of a template that a substitution follows.
    TemplatePart,
    Private,
    BraceOpen,
    BraceClose,
    ParenOpen,
    ParenClose,
    BracketOpen,
    BracketClose,
    Dot,
    Dots,
    Semicolon,
    Comma,
    Colon,
    Question,
    QuestionDot,
    Arrow,
    Assign,
    /// `+=` and the like.
    AssignOperator,
    SlashAssign,
    Slash,
    Star,
    /// `+` and `-`.
    Sign,
    /// `++` and `--`.
    Step,
    /// `!` and `~`.
    Not,
    /// Between two operands only.
    Operator,

    Name,
    // Names that edits are about.
    Location,
    Top,
    PostMessage,
    /// What windows are called: `window`, `self`, `parent` and the like.
    Window,
    /// `eval` and `Function`.
    Eval,
    // Words that mean something in their place.
    As,
    Async,
    Await,
    From,
    Get,
    Let,
    Meta,
    Of,
    Set,
    Static,
    Using,
    Yield,

    // Reserved words.
    Break,
    Case,
    Catch,
    Class,
    Const,
    Continue,
    Debugger,
    Default,
    Delete,
    Do,
    Else,
    Enum,
    Export,
    Extends,
    Finally,
    For,
    Function,
    If,
    Import,
    In,
    Instanceof,
    New,
    Return,
    Super,
    Switch,
    This,
    Throw,
    Try,
    Typeof,
    /// `null`, `true`, `false`.
    Value,
    Var,
    Void,
    While,
    With,
}

impl Kind {
    /// It may be the name of a property.
    pub fn is_word(self) -> bool {
        self >= Kind::Name
    }

    /// It may be the name of a variable, somewhere.
    pub fn is_identifier(self) -> bool {
        (Kind::Name..Kind::Break).contains(&self)
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Token {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
    /// A line has ended between the token before it and this one.
    pub is_on_new_line: bool,
}
