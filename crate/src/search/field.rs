//! Where in a document a word is.

/// The fields that words are searched in; their numbers are in keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    Text,
    Title,
    Url,
}

impl Field {
    pub const ALL: [Field; 3] = [Field::Text, Field::Title, Field::Url];

    pub fn number(self) -> u8 {
        match self {
            Field::Text => 0,
            Field::Title => 1,
            Field::Url => 2,
        }
    }

    pub fn from_number(number: u8) -> Option<Field> {
        Field::ALL.get(usize::from(number)).copied()
    }

    /// Its place in what has one of each.
    pub fn place(self) -> usize {
        usize::from(self.number())
    }
}
