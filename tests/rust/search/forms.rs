//! Words are found by their forms in the language of the document, and by no others.

use proptest::prelude::*;
use stackroom::document::Document;
use stackroom::query::parse;
use stackroom::row::Row;
use stackroom::search::{Field, Language, Query, QueryOptions, SearchIndex};
use stackroom_words::words;

use crate::corpus::Made;
use crate::host::Host;
use crate::kept::build;
use crate::queries::run;

/// Languages by their tags, each with words in all of their forms. Accents are there, which the index has not.
const FORMS: [(&str, &[&str]); 12] = [
    (
        "en",
        &[
            "link links linked linking",
            "library libraries",
            "cry cries cried",
        ],
    ),
    (
        "de-at",
        &[
            "Haus H\u{e4}user Hauses H\u{e4}usern",
            "Zeitung Zeitungen",
            "Stra\u{df}e Strassen",
            "gro\u{df} gro\u{df}e gro\u{df}er gro\u{df}es",
        ],
    ),
    (
        "fr",
        &[
            "maison maisons",
            "cheval chevaux",
            "pass\u{e9}e pass\u{e9}es passer passait pass\u{e8}rent",
            "universit\u{e9} universit\u{e9}s",
            "grand grande grandes",
        ],
    ),
    (
        "es-mx",
        &[
            "casa casas",
            "canci\u{f3}n canciones",
            "hablar hablaban hablar\u{ed}a hablar\u{ed}an hablando",
            "r\u{e1}pido r\u{e1}pida",
        ],
    ),
    (
        "it",
        &[
            "casa case",
            "libro libri",
            "bambino bambina bambini",
            "parlare parlava parler\u{e0} parlando",
        ],
    ),
    (
        "pt-br",
        &[
            "livro livros",
            "adequado adequada adequa\u{e7}\u{e3}o",
            "confort\u{e1}vel confort\u{e1}veis",
            "falar falando falaram",
        ],
    ),
    (
        "nl",
        &[
            "huis huizen",
            "bus bussen",
            "krant kranten",
            "werken gewerkt",
        ],
    ),
    (
        "ru",
        &[
            "\u{43a}\u{43e}\u{448}\u{43a}\u{430} \u{43a}\u{43e}\u{448}\u{43a}\u{438} \u{43a}\u{43e}\u{448}\u{43a}\u{43e}\u{439}",
            "\u{43a}\u{440}\u{430}\u{441}\u{43d}\u{44b}\u{439} \u{43a}\u{440}\u{430}\u{441}\u{43d}\u{43e}\u{433}\u{43e} \u{43a}\u{440}\u{430}\u{441}\u{43d}\u{430}\u{44f} \u{43a}\u{440}\u{430}\u{441}\u{43d}\u{44b}\u{435}",
        ],
    ),
    ("sv", &["flicka flickor flickorna", "bil bilar bilarna"]),
    ("da", &["hus huset husene", "bil biler bilerne"]),
    ("nb", &["hus huset husene", "gutt gutter guttene"]),
    (
        "fi",
        &["talo talossa taloissa talot", "kirja kirjat kirjan"],
    ),
];

/// A page in a language; it tells none where that is empty.
fn page(language: &str, text: &str) -> Made {
    let record = Row {
        url: b"http://a.test/".to_vec(),
        ..Row::default()
    };
    let document = Document {
        language: language.into(),
        text: text.into(),
        ..Document::default()
    };
    (record, Some(document))
}

fn found(host: &mut Host, search: &SearchIndex, query: &str) -> (Vec<u32>, Query) {
    let node = parse(query).expect("a query");
    let query = run(host, search, &node, QueryOptions::default(), 100);
    (query.rows().iter().collect(), query)
}

/// The word as the index has it.
fn folded(word: &str) -> String {
    let mut terms = Vec::new();
    words(word, |word| {
        terms.push(String::from_utf8(word.term.to_vec()).expect("text"));
        true
    });
    terms.concat()
}

#[test]
fn words_find_their_forms_in_the_language_of_each_document() {
    let mut records = Vec::new();
    for (language, families) in FORMS {
        for family in families {
            let forms = family.split(' ');
            records.extend(forms.map(|form| page(language, &format!("... {form}!"))));
        }
    }
    let mut host = Host::new();
    let search = build(&mut host, &records, |row| row % 7 == 6);
    let mut first = 0;
    for (language, families) in FORMS {
        for family in families {
            let forms: Vec<&str> = family.split(' ').collect();
            let behind = first + u32::try_from(forms.len()).expect("small");
            let own = |rows: &[u32]| -> Vec<u32> {
                let own = rows.iter().filter(|row| (first..behind).contains(row));
                own.copied().collect()
            };
            for (form, row) in forms.iter().zip(first..) {
                let (rows, query) = found(&mut host, &search, form);
                let all: Vec<u32> = (first..behind).collect();
                assert_eq!(own(&rows), all, "{language}: {form}");
                let (exact, _) = found(&mut host, &search, &format!("\"{form}\""));
                let same = forms.iter().zip(first..);
                let same = same.filter(|(other, _)| folded(other) == folded(form));
                let same: Vec<u32> = same.map(|(_, row)| row).collect();
                assert_eq!(own(&exact), same, "{language}: {form} itself");
                assert_eq!(query.hits(0, 100).len(), rows.len());
                for (other, row) in forms.iter().zip(first..) {
                    let marked = query.marks(row).find(Field::Text, other);
                    assert_eq!(marked.len(), 1, "{form} marks {other}");
                }
                assert!(query.explain()[0].what.starts_with(&folded(form)), "{row}");
            }
            first = behind;
        }
    }
}

#[test]
fn a_form_in_one_language_is_none_in_documents_of_another() {
    // In French the plural of `new`, and by the stemmer of German the stem of `number`.
    let pages = [
        ("en", "news"),
        ("en", "new"),
        ("fr", "new"),
        ("", "new number"),
        ("de", "number"),
        ("pl", "new numbers"),
        ("de", "numb"),
        ("en", "numb"),
        ("en", "dying"),
        ("en", "dies"),
    ];
    let records: Vec<Made> = pages.map(|(language, text)| page(language, text)).into();
    let mut host = Host::new();
    for step in [1, 3, 100] {
        let search = build(&mut host, &records, |row| row % step == step - 1);
        let mut rows = |query: &str| found(&mut host, &search, query).0;
        assert_eq!(rows("news"), [0, 2]);
        assert_eq!(rows("number"), [3, 4, 5, 6]);
        assert_eq!(rows("numb"), [4, 6, 7]);
        assert_eq!(rows("\"news\""), [0]);
        // Its stem does not begin like it.
        assert_eq!(rows("dying"), [8, 9]);
        assert_eq!(rows("numb*"), [3, 4, 5, 6, 7]);
        // Its own language is looked at where a document tells that, whatever others tell.
        assert_eq!(rows("news lang:en"), [0]);
        assert_eq!(rows("new -news"), [1, 3, 5]);
        let (_, query) = found(&mut host, &search, "news");
        assert_eq!(query.marks(1).find(Field::Text, "news, new").len(), 1);
        assert_eq!(query.marks(2).find(Field::Text, "news, new").len(), 2);
        host = Host::new();
    }
}

#[test]
fn languages_are_told_by_the_first_part_of_their_tags() {
    let tags = [
        ("", Language::English),
        ("en-gb", Language::English),
        ("und", Language::English),
        ("ja", Language::English),
        ("de", Language::German),
        ("de-ch-1996", Language::German),
        ("deu", Language::English),
        ("nn", Language::Norwegian),
        ("no", Language::Norwegian),
        ("pt-br", Language::Portuguese),
        ("-de", Language::English),
    ];
    for (tag, language) in tags {
        assert_eq!(Language::of_tag(tag.as_bytes()), language, "{tag}");
    }
}

#[test]
fn what_is_no_word_of_a_language_has_no_stem() {
    for language in Language::ALL {
        for word in [
            "",
            "a1b2",
            "c++",
            "h\u{e4}user",
            "UPPER",
            "\u{4e2d}\u{56fd}\u{4eba}",
        ] {
            assert_eq!(language.stem(word), None, "{language:?}: {word}");
        }
        let is_russian = language == Language::Russian;
        assert_eq!(language.stem("word").is_some(), !is_russian);
        let russian = "\u{441}\u{43b}\u{43e}\u{432}\u{43e}";
        assert_eq!(language.stem(russian).is_some(), is_russian);
        assert_eq!(language.stem(&format!("word{russian}")), None);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 2_000 } else { 20_000 }))]

    /// Letters that endings are made of, in any order and number.
    #[test]
    fn anything_has_a_stem_that_is_no_longer_than_it_or_none(
        word in "[a-z]{0,80}|[aeiouy]{0,64}|[estndrlmgi]{0,64}|[\u{430}-\u{44f}]{0,40}|\\PC{0,40}",
    ) {
        for language in Language::ALL {
            if let Some(stem) = language.stem(&word) {
                // An accent, or a letter that is written by two.
                prop_assert!(stem.len() <= word.len() * 2, "{language:?}: {word} {stem}");
                prop_assert_eq!(language.stem(&word), Some(stem));
            }
        }
    }
}
