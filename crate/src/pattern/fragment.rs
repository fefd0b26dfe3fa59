//! A literal that a match must contain, as the words of a text would show it.

/// Small letters and digits of ASCII, which folding leaves as they are, without what parts words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fragment {
    pub text: String,
    /// No word goes on before it, or behind it. Where this is not known, a word that merely holds it counts too.
    pub begins_word: bool,
    pub ends_word: bool,
}
