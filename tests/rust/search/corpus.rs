//! Documents that are made up, with words as frequent as words are.

use stackroom::document::Document;
use stackroom::row::Row;

use crate::host::Random;

/// A record, and its document where it has one.
pub type Made = (Row, Option<Document>);

/// Words other than plain ones, as texts have them.
const SPECIAL: [&str; 12] = [
    "U.S.A.",
    "C++",
    "wi-fi",
    "\u{4e2d}\u{56fd}\u{4eba}\u{6c11}",
    "\u{4eba}",
    "na\u{ef}ve",
    "Stra\u{df}e",
    "\u{e01}\u{e34}\u{e19}\u{e02}\u{e49}\u{e32}\u{e27}",
    "don't",
    "me@example.org",
    "\u{43f}\u{440}\u{438}\u{432}\u{435}\u{442}",
    "3.14",
];

const ENDINGS: [&str; 12] = [
    "", "", "", "", "s", "s", "ing", "ed", "e", "en", "es", "ista",
];

/// What documents say that they are in.
const LANGUAGES: [&str; 10] = [
    "", "en", "de", "fr-ca", "fi", "en-gb", "pl", "pt", "nb", "nl",
];

/// A word by its rank: the lower, the shorter.
pub fn word(rank: u64) -> String {
    const SYLLABLES: [&str; 16] = [
        "ta", "re", "mi", "con", "ver", "lo", "pe", "sta", "ri", "na", "tu", "bel", "gor", "shi",
        "ex", "am",
    ];
    let mut word = String::new();
    let mut rest = rank + 1;
    while rest > 0 {
        word.push_str(SYLLABLES[usize::try_from(rest % 16).expect("small")]);
        rest /= 16;
    }
    word
}

/// A rank that is low more often than not.
pub fn rank(random: &mut Random, words: u64) -> u64 {
    let octave = 1u64 << random.below(u64::from(words.ilog2()) + 1);
    random.below(octave.min(words))
}

pub fn text(random: &mut Random, words: u64, length: u64) -> String {
    let mut text = String::new();
    for n in 0..length {
        if n > 0 {
            text.push_str(if random.below(12) == 0 { ". " } else { " " });
        }
        if random.below(60) == 0 {
            text.push_str(SPECIAL[usize::try_from(random.below(12)).expect("small")]);
        } else {
            text.push_str(&word(rank(random, words)));
            text.push_str(ENDINGS[usize::try_from(random.below(12)).expect("small")]);
        }
    }
    text
}

/// So many records, a third of them without a document.
pub fn records(seed: u64, count: u64) -> Vec<Made> {
    let mut random = Random(seed);
    let made = (0..count).map(|row| {
        let words = 2000;
        let url = format!(
            "http://{}.example/{}/{}%20x.html",
            word(random.below(5)),
            word(random.below(40)),
            word(random.below(500))
        );
        let record = Row {
            url: url.into_bytes(),
            ..Row::default()
        };
        let length = match random.below(12) {
            0 => 0,
            1 => 2000 + random.below(4000),
            _ => random.below(120),
        };
        let titled = random.below(8);
        let document = Document {
            row,
            title: text(&mut random, words, titled),
            text: text(&mut random, words, length),
            language: LANGUAGES[usize::try_from(row * 3 % 10).expect("small")].into(),
            ..Document::default()
        };
        let has_document = random.below(3) > 0;
        (record, has_document.then_some(document))
    });
    made.collect()
}
