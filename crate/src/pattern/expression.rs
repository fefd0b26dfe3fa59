//! A regular expression as a tree, as far as what is asked of it goes.

#[derive(Clone, Debug)]
pub enum Expression {
    Empty,
    /// One of a few letters.
    Letters(Vec<char>),
    /// A letter of ASCII, of which there are many: from and to.
    Ranges(Vec<(u8, u8)>),
    /// A letter of which there are many.
    Other,
    /// Any letter, or any but the end of a line.
    Dot,
    /// The text begins here, or ends.
    Start,
    End,
    /// Something that is no letter holds here.
    Look,
    Row(Vec<Expression>),
    Either(Vec<Expression>),
    Repeated {
        of: Box<Expression>,
        min: u32,
        max: Option<u32>,
    },
}
