//! Other forms of a word: those of the same stem in some language, which begin like it.

use super::stems::{Language, Languages};
use crate::order;

/// Words with fewer letters have no other forms.
const LETTERS_MIN: usize = 3;
/// Letters by which other forms are looked for, at least.
const SHARED_MIN: usize = 2;

/// A word and its stems.
pub struct Forms {
    word: Vec<u8>,
    stems: Vec<Stem>,
    beginnings: Vec<Vec<u8>>,
}

struct Stem {
    language: Language,
    stem: String,
    /// What forms begin with: as the stem does, with or without what may be before it, or, where that changed within, as the
    /// word does.
    begins: Vec<String>,
}

impl Forms {
    pub fn new(word: &[u8], languages: Languages) -> Forms {
        let text = std::str::from_utf8(word).unwrap_or_default();
        let has_forms = text.chars().nth(LETTERS_MIN - 1).is_some();
        let all = Language::ALL.into_iter().filter(|_| has_forms);
        let stems = all
            .filter(|language| languages.has(*language))
            .filter_map(|language| {
                let stem = language.stem(text)?;
                // Its last letter may be another one in a word: `happy` and `happi`.
                let shared = (stem.chars().count().saturating_sub(1)).max(SHARED_MIN);
                let start = |text: &str| text.chars().take(shared).collect::<String>();
                let before = language.before_stem();
                let mut begins = vec![
                    start(&stem),
                    start(text),
                    format!("{before}{}", start(&stem)),
                ];
                begins.dedup();
                Some(Stem {
                    language,
                    stem,
                    begins,
                })
            });
        let mut stems: Vec<Stem> = stems.collect();
        let beginnings = beginnings(word, &stems);
        if let [all] = &beginnings[..] {
            // All words that are looked at begin so: none is compared with it again.
            for stem in &mut stems {
                if stem.begins.iter().any(|begins| begins.as_bytes() == all) {
                    stem.begins = vec![String::new()];
                }
            }
        }
        Forms {
            word: word.to_vec(),
            stems,
            beginnings,
        }
    }

    /// It has no other forms, whatever words there are.
    pub fn is_alone(&self) -> bool {
        self.stems.is_empty()
    }

    /// Whether it is this very word.
    pub fn is_of(&self, word: &[u8]) -> bool {
        self.word == word
    }

    /// What forms begin with, in order; none of these begins with another.
    pub fn beginnings(&self) -> &[Vec<u8>] {
        &self.beginnings
    }

    /// Whether another word that begins as told is a form of it in any language.
    pub fn has(&self, other: &[u8]) -> bool {
        self.is_of(other) || self.meeting(other).next().is_some()
    }

    /// The languages in which another word is a form of it.
    pub fn languages(&self, other: &[u8]) -> Languages {
        if self.is_of(other) {
            return Languages::EVERY;
        }
        self.meeting(other).collect()
    }

    fn meeting(&self, other: &[u8]) -> impl Iterator<Item = Language> {
        let text = std::str::from_utf8(other).unwrap_or_default();
        let meets = move |stem: &&Stem| {
            let begins = stem.begins.iter().any(|begins| text.starts_with(begins));
            begins && stem.language.stem(text).as_deref() == Some(stem.stem.as_str())
        };
        let met = self.stems.iter().filter(meets);
        met.map(|stem| stem.language)
    }
}

fn beginnings(word: &[u8], stems: &[Stem]) -> Vec<Vec<u8>> {
    let of_stems = stems.iter().flat_map(|stem| &stem.begins);
    let mut all: Vec<&[u8]> = of_stems.map(String::as_bytes).collect();
    all.push(word);
    order::sort_by(&mut all, Ord::cmp);
    let mut beginnings: Vec<Vec<u8>> = Vec::new();
    for next in all {
        if !beginnings.last().is_some_and(|last| next.starts_with(last)) {
            beginnings.push(next.to_vec());
        }
    }
    beginnings
}
