//! Which language a document is in: as it says itself, as its header says, or by its letters and words.
//!
//! Some scripts are those of one language. The languages of the others are told apart by their most frequent words:
//! of a text of some sentences a fifth to a half are such words, and few of them belong to several languages.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::document::Document;
use crate::limits::DOCUMENT_LANGUAGE_BYTES;

/// A tag in lower case; empty where nothing tells.
pub fn of(document: &Document, header: &str) -> String {
    [document.language.as_str(), header]
        .into_iter()
        .find_map(tag)
        .or_else(|| Some(guess(&document.text)?.into()))
        .unwrap_or_default()
}

/// The tag that is stated, if it is one: `de`, `pt-BR`, `zh-Hans-CN`.
fn tag(stated: &str) -> Option<String> {
    // A list tells for whom a page is, not what it is in.
    let tag = stated.trim().replace('_', "-").to_ascii_lowercase();
    let mut parts = tag.split('-');
    let is_language = |part: &str| {
        (2..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_lowercase())
    };
    let is_further = |part: &str| {
        (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    let is_tag = tag.len() <= 35 && parts.next().is_some_and(is_language) && parts.all(is_further);
    (is_tag && !matches!(tag.as_str(), "und" | "zxx" | "mul" | "utf-8")).then_some(tag)
}

/// A language a line, and its most frequent words.
const LIST: &str = include_str!("words.txt");

/// Words below which nothing is said, and how many of them must be of the language.
const WORDS_MIN: usize = 16;
const HITS_MIN: usize = 5;

/// A word counts this much, shared among the languages that it is of.
const WEIGHT: u32 = 60;

struct Words {
    languages: Vec<&'static str>,
    /// Each with a bit for each language.
    words: HashMap<String, u64>,
}

fn known() -> &'static Words {
    static WORDS: OnceLock<Words> = OnceLock::new();
    WORDS.get_or_init(|| {
        let (mut languages, mut known) = (Vec::new(), HashMap::new());
        for (number, line) in LIST.lines().take(64).enumerate() {
            let mut words = line.split(' ');
            languages.extend(words.next());
            for word in words {
                *known.entry(word.to_owned()).or_insert(0) |= 1 << number;
            }
        }
        Words {
            languages,
            words: known,
        }
    })
}

/// In lower case, as far as the languages of the list need it: tables for all of them are larger than the list.
fn lower(letter: char) -> char {
    let number = u32::from(letter);
    let lower = match letter {
        'A'..='Z' | '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{de}' | '\u{410}'..='\u{42f}' => {
            number + 32
        }
        '\u{400}'..='\u{40f}' => number + 80,
        '\u{139}'..='\u{148}' | '\u{179}'..='\u{17e}' => number + number % 2,
        '\u{100}'..='\u{177}'
        | '\u{218}'..='\u{21b}'
        | '\u{460}'..='\u{481}'
        | '\u{1e00}'..='\u{1eff}' => number | 1,
        '\u{1a0}' | '\u{1af}' => number + 1,
        _ => number,
    };
    char::from_u32(lower).unwrap_or(letter)
}

/// What letters tell.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    Of(&'static str),
    Han,
    /// That of several languages.
    Shared,
}

fn script(letter: char) -> Option<Script> {
    Some(match letter {
        'A'..='Z' | 'a'..='z' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => Script::Shared,
        '\u{400}'..='\u{52f}' | '\u{590}'..='\u{6ff}' | '\u{900}'..='\u{97f}' => Script::Shared,
        '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Script::Of("el"),
        '\u{530}'..='\u{58f}' => Script::Of("hy"),
        '\u{980}'..='\u{9ff}' => Script::Of("bn"),
        '\u{a00}'..='\u{a7f}' => Script::Of("pa"),
        '\u{a80}'..='\u{aff}' => Script::Of("gu"),
        '\u{b80}'..='\u{bff}' => Script::Of("ta"),
        '\u{c00}'..='\u{c7f}' => Script::Of("te"),
        '\u{c80}'..='\u{cff}' => Script::Of("kn"),
        '\u{d00}'..='\u{d7f}' => Script::Of("ml"),
        '\u{d80}'..='\u{dff}' => Script::Of("si"),
        '\u{e00}'..='\u{e7f}' => Script::Of("th"),
        '\u{e80}'..='\u{eff}' => Script::Of("lo"),
        '\u{1000}'..='\u{109f}' => Script::Of("my"),
        '\u{10a0}'..='\u{10ff}' => Script::Of("ka"),
        '\u{1780}'..='\u{17ff}' => Script::Of("km"),
        '\u{3040}'..='\u{30ff}' => Script::Of("ja"),
        '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7af}' => Script::Of("ko"),
        '\u{3400}'..='\u{9fff}' => Script::Han,
        _ => return None,
    })
}

fn guess(text: &str) -> Option<&'static str> {
    let mut end = text.len().min(DOCUMENT_LANGUAGE_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = &text[..end];
    let mut counts: Vec<(Script, usize)> = Vec::new();
    let mut letters = 0;
    for script in text.chars().filter_map(script) {
        letters += 1;
        match counts.iter_mut().find(|(known, _)| *known == script) {
            Some((_, count)) => *count += 1,
            None => counts.push((script, 1)),
        }
    }
    let count = |script| {
        let found = counts.iter().find(|(known, _)| *known == script);
        found.map_or(0, |(_, count)| *count)
    };
    // Japanese is written in both, and a word of Chinese is two letters.
    let (han, kana) = (count(Script::Han), count(Script::Of("ja")));
    if letters < WORDS_MIN {
        return None;
    }
    if (han + kana) * 2 > letters {
        return Some(if kana * 10 > han { "ja" } else { "zh" });
    }
    let (most, number) = counts.iter().max_by_key(|(_, count)| *count)?;
    match most {
        Script::Of(language) if number * 2 > letters => Some(language),
        Script::Shared => by_words(text),
        _ => None,
    }
}

fn by_words(text: &str) -> Option<&'static str> {
    let Words { languages, words } = known();
    // Of each language: words that are its own, and what they weigh.
    let mut found = vec![(0u32, 0usize); languages.len()];
    let mut count = 0;
    for word in text.split_whitespace() {
        let word = word.trim_matches(|letter| script(letter).is_none());
        if word.is_empty() {
            continue;
        }
        count += 1;
        let Some(&bits) = words.get(&word.chars().map(lower).collect::<String>()) else {
            continue;
        };
        let mut bits = bits;
        let weight = WEIGHT / bits.count_ones();
        while bits != 0 {
            if let Some(one) = found.get_mut(bits.trailing_zeros() as usize) {
                one.0 += weight;
                one.1 += 1;
            }
            bits &= bits - 1;
        }
    }
    let (best, &(weight, hits)) = found.iter().enumerate().max_by_key(|(_, one)| one.0)?;
    let next = found
        .iter()
        .enumerate()
        .filter(|(at, _)| *at != best)
        .map(|(_, one)| one.0)
        .max();
    // An eighth of the words, and clearly more than of any other language.
    let is_sure = count >= WORDS_MIN
        && hits >= HITS_MIN
        && hits * 8 >= count
        && weight * 10 >= next.unwrap_or(0) * 11;
    is_sure.then(|| languages.get(best).copied())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stated(language: &str, header: &str, text: &str) -> String {
        let document = Document {
            language: language.into(),
            text: text.into(),
            ..Document::default()
        };
        of(&document, header)
    }

    #[test]
    fn what_a_document_says_comes_first() {
        assert_eq!(stated(" pt_BR ", "de", ""), "pt-br");
        assert_eq!(stated("zh-Hans-CN", "", ""), "zh-hans-cn");
        assert_eq!(stated("", "fr", "some words of English"), "fr");
        for none in [
            "english",
            "de, en",
            "x",
            "und",
            "1",
            "en-",
            "UTF-8",
            "<%= lang %>",
        ] {
            assert_eq!(stated(none, "", "short"), "", "{none}");
        }
    }

    /// The beginning of the declaration of human rights, and a little more where that is short.
    const TEXTS: &[(&str, &str)] = &[
        (
            "en",
            "All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience and should act towards one another in a spirit of brotherhood. Everyone is entitled to all the rights and freedoms set forth in this Declaration.",
        ),
        (
            "de",
            "Alle Menschen sind frei und gleich an W\u{fc}rde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt und sollen einander im Geist der Br\u{fc}derlichkeit begegnen. Jeder hat Anspruch auf die in dieser Erkl\u{e4}rung verk\u{fc}ndeten Rechte und Freiheiten ohne irgendeinen Unterschied.",
        ),
        (
            "fr",
            "Tous les \u{ea}tres humains naissent libres et \u{e9}gaux en dignit\u{e9} et en droits. Ils sont dou\u{e9}s de raison et de conscience et doivent agir les uns envers les autres dans un esprit de fraternit\u{e9}. Chacun peut se pr\u{e9}valoir de tous les droits et de toutes les libert\u{e9}s.",
        ),
        (
            "es",
            "Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como est\u{e1}n de raz\u{f3}n y conciencia, deben comportarse fraternalmente los unos con los otros. Toda persona tiene los derechos y libertades proclamados en esta Declaraci\u{f3}n, sin distinci\u{f3}n alguna de raza.",
        ),
        (
            "pt",
            "Todos os seres humanos nascem livres e iguais em dignidade e em direitos. Dotados de raz\u{e3}o e de consci\u{ea}ncia, devem agir uns para com os outros em esp\u{ed}rito de fraternidade. Todos os seres humanos podem invocar os direitos e as liberdades proclamados na presente Declara\u{e7}\u{e3}o.",
        ),
        (
            "it",
            "Tutti gli esseri umani nascono liberi ed eguali in dignit\u{e0} e diritti. Essi sono dotati di ragione e di coscienza e devono agire gli uni verso gli altri in spirito di fratellanza. Ad ogni individuo spettano tutti i diritti e tutte le libert\u{e0} enunciate nella presente Dichiarazione.",
        ),
        (
            "nl",
            "Alle mensen worden vrij en gelijk in waardigheid en rechten geboren. Zij zijn begiftigd met verstand en geweten, en behoren zich jegens elkander in een geest van broederschap te gedragen. Een ieder heeft aanspraak op alle rechten en vrijheden, in deze Verklaring opgesomd.",
        ),
        (
            "sv",
            "Alla m\u{e4}nniskor \u{e4}r f\u{f6}dda fria och lika i v\u{e4}rde och r\u{e4}ttigheter. De \u{e4}r utrustade med f\u{f6}rnuft och samvete och b\u{f6}r handla gentemot varandra i en anda av broderskap. Var och en \u{e4}r ber\u{e4}ttigad till alla de r\u{e4}ttigheter och friheter som uttalas i denna f\u{f6}rklaring.",
        ),
        (
            "da",
            "Alle mennesker er f\u{f8}dt frie og lige i v\u{e6}rdighed og rettigheder. De er udstyret med fornuft og samvittighed, og de b\u{f8}r handle mod hverandre i en broderskabets \u{e5}nd. Enhver har krav p\u{e5} alle de rettigheder og friheder, som n\u{e6}vnes i denne erkl\u{e6}ring, uden forskelsbehandling af nogen art.",
        ),
        (
            "pl",
            "Wszyscy ludzie rodz\u{105} si\u{119} wolni i r\u{f3}wni pod wzgl\u{119}dem swej godno\u{15b}ci i swych praw. S\u{105} oni obdarzeni rozumem i sumieniem i powinni post\u{119}powa\u{107} wobec innych w duchu braterstwa. Ka\u{17c}dy cz\u{142}owiek posiada wszystkie prawa i wolno\u{15b}ci zawarte w niniejszej Deklaracji bez wzgl\u{119}du na r\u{f3}\u{17c}nice rasy.",
        ),
        (
            "cs",
            "V\u{161}ichni lid\u{e9} se rod\u{ed} svobodn\u{ed} a sob\u{11b} rovn\u{ed} co do d\u{16f}stojnosti a pr\u{e1}v. Jsou nad\u{e1}ni rozumem a sv\u{11b}dom\u{ed}m a maj\u{ed} spolu jednat v duchu bratrstv\u{ed}. Ka\u{17e}d\u{fd} m\u{e1} v\u{161}echna pr\u{e1}va a v\u{161}echny svobody, stanoven\u{e9} touto deklarac\u{ed}, bez jak\u{e9}hokoli rozli\u{161}ov\u{e1}n\u{ed}, kter\u{e9} by bylo podle rasy nebo barvy.",
        ),
        (
            "fi",
            "Kaikki ihmiset syntyv\u{e4}t vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan. Heille on annettu j\u{e4}rki ja omatunto, ja heid\u{e4}n on toimittava toisiaan kohtaan veljeyden hengess\u{e4}. Jokainen on oikeutettu kaikkiin t\u{e4}ss\u{e4} julistuksessa esitettyihin oikeuksiin ja vapauksiin ilman mink\u{e4}\u{e4}nlaista rotuun tai kieleen perustuvaa erotusta.",
        ),
        (
            "hu",
            "Minden emberi l\u{e9}ny szabadon sz\u{fc}letik \u{e9}s egyenl\u{151} m\u{e9}lt\u{f3}s\u{e1}ga \u{e9}s joga van. Az emberek, \u{e9}sszel \u{e9}s lelkiismerettel b\u{ed}rv\u{e1}n, egym\u{e1}ssal szemben testv\u{e9}ri szellemben kell hogy viseltessenek. Ez a nyilatkozat nem egy \u{e1}llam, hanem az eg\u{e9}sz vil\u{e1}g sz\u{e1}m\u{e1}ra k\u{e9}sz\u{fc}lt.",
        ),
        (
            "tr",
            "B\u{fc}t\u{fc}n insanlar h\u{fc}r, haysiyet ve haklar bak\u{131}m\u{131}ndan e\u{15f}it do\u{11f}arlar. Ak\u{131}l ve vicdana sahiptirler ve birbirlerine kar\u{15f}\u{131} karde\u{15f}lik zihniyeti ile hareket etmelidirler. Herkes \u{131}rk, renk veya cinsiyet gibi bir fark olmadan bu haklar i\u{e7}in ve daha \u{e7}ok \u{f6}zg\u{fc}rl\u{fc}k i\u{e7}in \u{e7}al\u{131}\u{15f}\u{131}r, bu da en \u{f6}nemli konu olarak kal\u{131}r.",
        ),
        (
            "ru",
            "\u{412}\u{441}\u{435} \u{43b}\u{44e}\u{434}\u{438} \u{440}\u{43e}\u{436}\u{434}\u{430}\u{44e}\u{442}\u{441}\u{44f} \u{441}\u{432}\u{43e}\u{431}\u{43e}\u{434}\u{43d}\u{44b}\u{43c}\u{438} \u{438} \u{440}\u{430}\u{432}\u{43d}\u{44b}\u{43c}\u{438} \u{432} \u{441}\u{432}\u{43e}\u{435}\u{43c} \u{434}\u{43e}\u{441}\u{442}\u{43e}\u{438}\u{43d}\u{441}\u{442}\u{432}\u{435} \u{438} \u{43f}\u{440}\u{430}\u{432}\u{430}\u{445}. \u{41e}\u{43d}\u{438} \u{43d}\u{430}\u{434}\u{435}\u{43b}\u{435}\u{43d}\u{44b} \u{440}\u{430}\u{437}\u{443}\u{43c}\u{43e}\u{43c} \u{438} \u{441}\u{43e}\u{432}\u{435}\u{441}\u{442}\u{44c}\u{44e} \u{438} \u{434}\u{43e}\u{43b}\u{436}\u{43d}\u{44b} \u{43f}\u{43e}\u{441}\u{442}\u{443}\u{43f}\u{430}\u{442}\u{44c} \u{432} \u{43e}\u{442}\u{43d}\u{43e}\u{448}\u{435}\u{43d}\u{438}\u{438} \u{434}\u{440}\u{443}\u{433} \u{434}\u{440}\u{443}\u{433}\u{430} \u{432} \u{434}\u{443}\u{445}\u{435} \u{431}\u{440}\u{430}\u{442}\u{441}\u{442}\u{432}\u{430}. \u{42d}\u{442}\u{43e} \u{43d}\u{435} \u{432}\u{441}\u{435}, \u{447}\u{442}\u{43e} \u{43c}\u{44b} \u{445}\u{43e}\u{442}\u{435}\u{43b}\u{438} \u{441}\u{43a}\u{430}\u{437}\u{430}\u{442}\u{44c} \u{43e} \u{43f}\u{440}\u{430}\u{432}\u{430}\u{445}, \u{43d}\u{43e} \u{44d}\u{442}\u{43e} \u{443}\u{436}\u{435} \u{43c}\u{43d}\u{43e}\u{433}\u{43e} \u{434}\u{43b}\u{44f} \u{43d}\u{430}\u{447}\u{430}\u{43b}\u{430}.",
        ),
        (
            "uk",
            "\u{412}\u{441}\u{456} \u{43b}\u{44e}\u{434}\u{438} \u{43d}\u{430}\u{440}\u{43e}\u{434}\u{436}\u{443}\u{44e}\u{442}\u{44c}\u{441}\u{44f} \u{432}\u{456}\u{43b}\u{44c}\u{43d}\u{438}\u{43c}\u{438} \u{456} \u{440}\u{456}\u{432}\u{43d}\u{438}\u{43c}\u{438} \u{443} \u{441}\u{432}\u{43e}\u{457}\u{439} \u{433}\u{456}\u{434}\u{43d}\u{43e}\u{441}\u{442}\u{456} \u{442}\u{430} \u{43f}\u{440}\u{430}\u{432}\u{430}\u{445}. \u{412}\u{43e}\u{43d}\u{438} \u{43d}\u{430}\u{434}\u{456}\u{43b}\u{435}\u{43d}\u{456} \u{440}\u{43e}\u{437}\u{443}\u{43c}\u{43e}\u{43c} \u{456} \u{441}\u{43e}\u{432}\u{456}\u{441}\u{442}\u{44e} \u{456} \u{43f}\u{43e}\u{432}\u{438}\u{43d}\u{43d}\u{456} \u{434}\u{456}\u{44f}\u{442}\u{438} \u{443} \u{432}\u{456}\u{434}\u{43d}\u{43e}\u{448}\u{435}\u{43d}\u{43d}\u{456} \u{43e}\u{434}\u{438}\u{43d} \u{434}\u{43e} \u{43e}\u{434}\u{43d}\u{43e}\u{433}\u{43e} \u{432} \u{434}\u{443}\u{441}\u{456} \u{431}\u{440}\u{430}\u{442}\u{435}\u{440}\u{441}\u{442}\u{432}\u{430}, \u{442}\u{430}\u{43a} \u{449}\u{43e} \u{446}\u{435} \u{43d}\u{435} \u{434}\u{43b}\u{44f} \u{43d}\u{438}\u{445}, \u{430} \u{434}\u{43b}\u{44f} \u{432}\u{441}\u{456}\u{445}.",
        ),
        (
            "el",
            "\u{38c}\u{3bb}\u{3bf}\u{3b9} \u{3bf}\u{3b9} \u{3ac}\u{3bd}\u{3b8}\u{3c1}\u{3c9}\u{3c0}\u{3bf}\u{3b9} \u{3b3}\u{3b5}\u{3bd}\u{3bd}\u{3b9}\u{3bf}\u{3cd}\u{3bd}\u{3c4}\u{3b1}\u{3b9} \u{3b5}\u{3bb}\u{3b5}\u{3cd}\u{3b8}\u{3b5}\u{3c1}\u{3bf}\u{3b9}",
        ),
        (
            "ja",
            "\u{3059}\u{3079}\u{3066}\u{306e}\u{4eba}\u{9593}\u{306f}\u{3001}\u{751f}\u{307e}\u{308c}\u{306a}\u{304c}\u{3089}\u{306b}\u{3057}\u{3066}\u{81ea}\u{7531}\u{3067}\u{3042}\u{308a}",
        ),
        (
            "zh",
            "\u{4eba}\u{4eba}\u{751f}\u{800c}\u{81ea}\u{7531}\u{5728}\u{5c0a}\u{4e25}\u{548c}\u{6743}\u{5229}\u{4e0a}\u{4e00}\u{5f8b}\u{5e73}\u{7b49}\u{4ed6}\u{4eec}\u{8d4b}\u{6709}\u{7406}\u{6027}",
        ),
        (
            "ko",
            "\u{baa8}\u{b4e0} \u{c778}\u{ac04}\u{c740} \u{d0dc}\u{c5b4}\u{b0a0} \u{b54c}\u{bd80}\u{d130} \u{c790}\u{c720}\u{b85c}\u{c6b0}\u{ba70} \u{adf8} \u{c874}\u{c5c4}",
        ),
        (
            "th",
            "\u{e21}\u{e19}\u{e38}\u{e29}\u{e22}\u{e4c}\u{e17}\u{e31}\u{e49}\u{e07}\u{e2b}\u{e25}\u{e32}\u{e22}\u{e40}\u{e01}\u{e34}\u{e14}\u{e21}\u{e32}",
        ),
    ];

    #[test]
    fn languages_are_known_by_their_words_and_letters() {
        let wrong: Vec<_> = TEXTS
            .iter()
            .map(|(language, text)| (*language, guess(text)))
            .filter(|(language, guessed)| Some(*language) != *guessed)
            .collect();
        assert_eq!(wrong, []);
    }

    #[test]
    fn what_is_no_language_has_none() {
        for text in [
            "Home News Products Services Contact Login Register Search Cart Help Terms Privacy Imprint Sitemap Jobs Press Partners",
            "1 2 3 4 5",
            "foo bar baz qux quux corge grault garply waldo fred plugh xyzzy thud foo bar baz qux quux corge",
        ] {
            assert_eq!(guess(text), None, "{text}");
        }
    }
}
