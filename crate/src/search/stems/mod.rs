//! Stems of words, each language its own: words of one stem are forms of each other.
//!
//! Words come folded, as the index has them. Of most languages the stemmers find the same pairs of forms all the same; where
//! endings are known by their accents, these are put back before (see `restoring.rs`).

mod english;
mod restoring;

use waken_snowball::SnowballEnv;
use waken_snowball::algorithms as snowball;

/// A language with a stemmer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    English,
    Danish,
    Dutch,
    Finnish,
    French,
    German,
    Italian,
    Norwegian,
    Portuguese,
    Russian,
    Spanish,
    Swedish,
}

impl Language {
    pub const ALL: [Language; 12] = [
        Language::English,
        Language::Danish,
        Language::Dutch,
        Language::Finnish,
        Language::French,
        Language::German,
        Language::Italian,
        Language::Norwegian,
        Language::Portuguese,
        Language::Russian,
        Language::Spanish,
        Language::Swedish,
    ];

    /// The one by which documents of a language are stemmed, given its tag: English where it has no stemmer.
    pub fn of_tag(tag: &[u8]) -> Language {
        let end = tag.iter().position(|byte| *byte == b'-');
        match &tag[..end.unwrap_or(tag.len())] {
            b"da" => Language::Danish,
            b"nl" => Language::Dutch,
            b"fi" => Language::Finnish,
            b"fr" => Language::French,
            b"de" => Language::German,
            b"it" => Language::Italian,
            b"no" | b"nb" | b"nn" => Language::Norwegian,
            b"pt" => Language::Portuguese,
            b"ru" => Language::Russian,
            b"es" => Language::Spanish,
            b"sv" => Language::Swedish,
            _ => Language::English,
        }
    }

    /// Its place in `ALL`.
    pub(super) fn place(self) -> usize {
        let place = Language::ALL.iter().position(|other| *other == self);
        place.unwrap_or_default()
    }

    /// What forms may have before their stem: it takes that off.
    pub fn before_stem(self) -> &'static str {
        match self {
            Language::Dutch => "ge",
            _ => "",
        }
    }

    /// The stem of a folded word, if it is one of its letters.
    pub fn stem(self, word: &str) -> Option<String> {
        let is_own = match self {
            Language::Russian => word
                .chars()
                .all(|letter| matches!(letter, '\u{430}'..='\u{44f}')),
            _ => word.bytes().all(|byte| byte.is_ascii_lowercase()),
        };
        if word.is_empty() || !is_own {
            return None;
        }
        if self == Language::English {
            return Some(english::stem(word));
        }
        let restored = restoring::restored(self, word);
        let mut env = SnowballEnv::create(&restored);
        match self {
            Language::English => false,
            Language::Danish => snowball::danish_stemmer::stem(&mut env),
            Language::Dutch => snowball::dutch_stemmer::stem(&mut env),
            Language::Finnish => snowball::finnish_stemmer::stem(&mut env),
            Language::French => snowball::french_stemmer::stem(&mut env),
            Language::German => snowball::german_stemmer::stem(&mut env),
            Language::Italian => snowball::italian_stemmer::stem(&mut env),
            Language::Norwegian => snowball::norwegian_stemmer::stem(&mut env),
            Language::Portuguese => snowball::portuguese_stemmer::stem(&mut env),
            Language::Russian => snowball::russian_stemmer::stem(&mut env),
            Language::Spanish => snowball::spanish_stemmer::stem(&mut env),
            Language::Swedish => snowball::swedish_stemmer::stem(&mut env),
        };
        Some(env.get_current().into_owned())
    }
}

/// Some languages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Languages(u16);

impl Languages {
    pub const EVERY: Languages = Languages((1 << Language::ALL.len()) - 1);

    pub fn add(&mut self, language: Language) {
        self.0 |= 1 << language.place();
    }

    pub fn has(self, language: Language) -> bool {
        self.0 & (1 << language.place()) != 0
    }

    /// Whether it has all of others.
    pub fn has_all(self, others: Languages) -> bool {
        self.0 & others.0 == others.0
    }

    pub fn is_one(self) -> bool {
        self.0.is_power_of_two()
    }
}

impl FromIterator<Language> for Languages {
    fn from_iter<T: IntoIterator<Item = Language>>(all: T) -> Languages {
        let mut languages = Languages::default();
        all.into_iter().for_each(|language| languages.add(language));
        languages
    }
}
