//! Stems of English words, so that `links`, `linked` and `linking` are found by each of them: the Porter2 algorithm
//! (snowballstem.org/algorithms/english), for words in small letters of ASCII.

/// Words that have the stem they have by no rule.
const EXCEPTIONS: [(&str, &str); 18] = [
    ("skis", "ski"),
    ("skies", "sky"),
    ("dying", "die"),
    ("lying", "lie"),
    ("tying", "tie"),
    ("idly", "idl"),
    ("gently", "gentl"),
    ("ugly", "ugli"),
    ("early", "earli"),
    ("only", "onli"),
    ("singly", "singl"),
    ("sky", "sky"),
    ("news", "news"),
    ("howe", "howe"),
    ("atlas", "atlas"),
    ("cosmos", "cosmos"),
    ("bias", "bias"),
    ("andes", "andes"),
];

/// Words that are stems once an `s` is gone.
const STEMS: [&str; 8] = [
    "inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed",
];

const STEP2: [(&str, &str); 24] = [
    ("ization", "ize"),
    ("ational", "ate"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("iveness", "ive"),
    ("tional", "tion"),
    ("biliti", "ble"),
    ("lessli", "less"),
    ("entli", "ent"),
    ("ation", "ate"),
    ("alism", "al"),
    ("aliti", "al"),
    ("ousli", "ous"),
    ("iviti", "ive"),
    ("fulli", "ful"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("abli", "able"),
    ("izer", "ize"),
    ("ator", "ate"),
    ("alli", "al"),
    ("bli", "ble"),
    ("ogi", "og"),
    ("li", ""),
];

const STEP3: [(&str, &str); 9] = [
    ("ational", "ate"),
    ("tional", "tion"),
    ("alize", "al"),
    ("icate", "ic"),
    ("iciti", "ic"),
    ("ative", ""),
    ("ical", "ic"),
    ("ness", ""),
    ("ful", ""),
];

const STEP4: [&str; 18] = [
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous",
    "ive", "ize", "ion", "al", "er", "ic",
];

/// The stem of a word of English letters.
pub fn stem(word: &str) -> String {
    if word.len() < 3 {
        return word.into();
    }
    if let Some((_, stem)) = EXCEPTIONS.iter().find(|(known, _)| *known == word) {
        return (*stem).into();
    }
    let mut stem = Stem::new(word);
    stem.plural();
    if !STEMS.contains(&stem.text().as_str()) {
        stem.past();
        stem.last_y();
        stem.second();
        stem.third();
        stem.fourth();
        stem.fifth();
    }
    stem.text().to_ascii_lowercase()
}

struct Stem {
    /// A `y` that is a consonant is written `Y`.
    letters: Vec<u8>,
    /// Where the regions begin that endings must be in.
    first: usize,
    second: usize,
}

fn is_vowel(letter: u8) -> bool {
    matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

impl Stem {
    fn new(word: &str) -> Stem {
        let mut letters = word.as_bytes().to_vec();
        for n in 0..letters.len() {
            if letters[n] == b'y' && (n == 0 || is_vowel(letters[n - 1])) {
                letters[n] = b'Y';
            }
        }
        let known = [
            "gener", "commun", "arsen", "past", "univers", "later", "emerg", "organ", "inter",
        ];
        let known = known.iter().find(|known| word.starts_with(*known));
        let first = known.map_or_else(|| region(&letters, 0), |known| known.len());
        let second = region(&letters, first);
        Stem {
            letters,
            first,
            second,
        }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.letters).into_owned()
    }

    fn ends(&self, ending: &str) -> bool {
        self.letters.ends_with(ending.as_bytes())
    }

    /// Letters before an ending.
    fn before(&self, ending: &str) -> usize {
        self.letters.len() - ending.len()
    }

    fn replace(&mut self, ending: &str, by: &str) {
        let at = self.before(ending);
        self.letters.truncate(at);
        self.letters.extend_from_slice(by.as_bytes());
    }

    fn has_vowel_before(&self, at: usize) -> bool {
        self.letters[..at].iter().any(|letter| is_vowel(*letter))
    }

    fn plural(&mut self) {
        if self.ends("sses") {
            self.replace("sses", "ss");
        } else if self.ends("ied") || self.ends("ies") {
            let by = if self.letters.len() > 4 { "i" } else { "ie" };
            self.replace("ied", by);
        } else if self.ends("us") || self.ends("ss") {
        } else if self.ends("s") && self.has_vowel_before(self.letters.len().saturating_sub(2)) {
            self.replace("s", "");
        }
    }

    fn past(&mut self) {
        for ending in ["eedly", "eed"] {
            if self.ends(ending) {
                if self.before(ending) >= self.first {
                    self.replace(ending, "ee");
                }
                return;
            }
        }
        let endings = ["ingly", "edly", "ing", "ed"];
        let Some(ending) = endings.into_iter().find(|ending| self.ends(ending)) else {
            return;
        };
        let at = self.before(ending);
        if !self.has_vowel_before(at) {
            return;
        }
        if ending == "ing" && at == 2 && self.letters[1] == b'y' {
            self.replace("ying", "ie");
            return;
        }
        self.letters.truncate(at);
        let doubles = ["bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt"];
        if ["at", "bl", "iz"].iter().any(|ending| self.ends(ending)) {
            self.letters.push(b'e');
        } else if doubles.iter().any(|double| self.ends(double)) {
            let is_whole = self.letters.len() == 3 && matches!(self.letters[0], b'a' | b'e' | b'o');
            if !is_whole {
                self.letters.pop();
            }
        } else if self.is_short() {
            self.letters.push(b'e');
        }
    }

    /// Whether it is a short syllable, and nothing behind it.
    fn is_short(&self) -> bool {
        self.first >= self.letters.len() && self.ends_short(self.letters.len())
    }

    fn ends_short(&self, at: usize) -> bool {
        let letters = &self.letters[..at];
        match letters {
            [first, last] => is_vowel(*first) && !is_vowel(*last),
            [.., before, vowel, last] => {
                let is_plain = !is_vowel(*last) && !matches!(last, b'w' | b'x' | b'Y');
                !is_vowel(*before) && is_vowel(*vowel) && is_plain || letters == b"past"
            }
            _ => false,
        }
    }

    fn last_y(&mut self) {
        if let [_, .., before, last @ (b'y' | b'Y')] = &mut self.letters[..]
            && !is_vowel(*before)
        {
            *last = b'i';
        }
    }

    fn second(&mut self) {
        let found = STEP2.iter().find(|(ending, _)| self.ends(ending));
        let Some((ending, by)) = found else {
            return;
        };
        let at = self.before(ending);
        if at < self.first {
            return;
        }
        let before = at.checked_sub(1).map(|at| self.letters[at]);
        let is_meant = match *ending {
            "ogi" => before == Some(b'l'),
            "li" => before.is_some_and(|letter| b"cdeghkmnrt".contains(&letter)),
            _ => true,
        };
        if is_meant {
            self.replace(ending, by);
        }
    }

    fn third(&mut self) {
        let found = STEP3.iter().find(|(ending, _)| self.ends(ending));
        let Some((ending, by)) = found else {
            return;
        };
        let from = if *ending == "ative" {
            self.second
        } else {
            self.first
        };
        if self.before(ending) >= from {
            self.replace(ending, by);
        }
    }

    fn fourth(&mut self) {
        let found = STEP4.iter().find(|ending| self.ends(ending));
        let Some(ending) = found else {
            return;
        };
        let at = self.before(ending);
        let before = at.checked_sub(1).map(|at| self.letters[at]);
        let is_meant = *ending != "ion" || matches!(before, Some(b's' | b't'));
        if at >= self.second && is_meant {
            self.replace(ending, "");
        }
    }

    fn fifth(&mut self) {
        let at = self.letters.len().saturating_sub(1);
        let before = at.checked_sub(1).map(|at| self.letters[at]);
        let goes = if self.ends("e") {
            at >= self.second || at >= self.first && !self.ends_short(at)
        } else {
            self.ends("l") && at >= self.second && before == Some(b'l')
        };
        if goes {
            self.letters.truncate(at);
        }
    }
}

/// Where the region behind the first consonant that follows a vowel begins.
fn region(letters: &[u8], from: usize) -> usize {
    let pairs = letters[from.min(letters.len())..].windows(2);
    let mut pairs = pairs.zip(from..);
    let found = pairs.find(|(pair, _)| is_vowel(pair[0]) && !is_vowel(pair[1]));
    found.map_or(letters.len(), |(_, at)| at + 2)
}

#[cfg(test)]
mod tests {
    use super::stem;

    #[test]
    fn words_have_the_stems_of_the_published_samples() {
        let pairs = "consign consign consigned consign consigning consign consignment consign \
            consist consist consistency consist consistently consist consolation consol \
            consolations consol consoling consol conspicuously conspicu conspiracy conspiraci \
            conspirators conspir knack knack knackeries knackeri knaves knave kneaded knead \
            knees knee knightly knight knitted knit knots knot dying die news news generously generous \
            hopping hop hoping hope happy happi happiness happi relational relat skies sky \
            links link linked link linking link libraries librari library librari \
            running run runs run archived archiv archives archiv archiving archiv cries cri ties tie \
            gas gas this this kiwis kiwi gaps gap universe univers";
        let words: Vec<&str> = pairs.split_whitespace().collect();
        for pair in words.chunks(2) {
            assert_eq!(stem(pair[0]), pair[1], "{}", pair[0]);
        }
    }
}
