//! What a letter is to the words around it.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Parts words.
    Gap,
    /// Goes on with a word.
    Letter,
    /// Of a script that parts no words: two of them are a term.
    Run,
    /// An accent or a joiner: says nothing, and parts nothing.
    Mark,
}

/// First and last of letters that are in no word by themselves, and part none.
const MARKS: &[(u32, u32)] = &[
    (0xad, 0xad),
    (0x300, 0x36f),
    (0x483, 0x489),
    (0x591, 0x5bd),
    (0x5bf, 0x5bf),
    (0x5c1, 0x5c2),
    (0x5c4, 0x5c5),
    (0x5c7, 0x5c7),
    (0x610, 0x61a),
    (0x640, 0x640),
    (0x64b, 0x65f),
    (0x670, 0x670),
    (0x6d6, 0x6dc),
    (0x6df, 0x6e4),
    (0x6e7, 0x6e8),
    (0x6ea, 0x6ed),
    (0x711, 0x711),
    (0x730, 0x74a),
    (0x951, 0x954),
    (0x1ab0, 0x1aff),
    (0x1dc0, 0x1dff),
    (0x200c, 0x200d),
    (0x2060, 0x2060),
    (0x20d0, 0x20ff),
    (0x3099, 0x309a),
    (0xfe00, 0xfe0f),
    (0xfe20, 0xfe2f),
    (0xfeff, 0xfeff),
    (0xff9e, 0xff9f),
];

/// Scripts that are written without blanks between words: Chinese, Japanese, Korean (where endings hang on words), Yi,
/// Thai, Lao, Burmese, Khmer, Tai.
const RUNS: &[(u32, u32)] = &[
    (0xe01, 0xe3a),
    (0xe40, 0xe4e),
    (0xe81, 0xecf),
    (0xedc, 0xedf),
    (0x1000, 0x103f),
    (0x1050, 0x108f),
    (0x109a, 0x109f),
    (0x1100, 0x11ff),
    (0x1780, 0x17d3),
    (0x17dd, 0x17dd),
    (0x1950, 0x19c9),
    (0x1a20, 0x1a7c),
    (0x3005, 0x3007),
    (0x3041, 0x3096),
    (0x309d, 0x309f),
    (0x30a1, 0x30fa),
    (0x30fc, 0x30ff),
    (0x3105, 0x312f),
    (0x3131, 0x318e),
    (0x31a0, 0x31bf),
    (0x31f0, 0x31ff),
    (0x3400, 0x4dbf),
    (0x4e00, 0xa48c),
    (0xa960, 0xa97c),
    (0xaa60, 0xaadf),
    (0xac00, 0xd7fb),
    (0xf900, 0xfaff),
    (0xff66, 0xff9d),
    (0xffa0, 0xffdc),
    (0x1_b000, 0x1_b16f),
    (0x2_0000, 0x3_ffff),
];

fn is_in(ranges: &[(u32, u32)], code: u32) -> bool {
    let at = ranges.partition_point(|(_, last)| *last < code);
    ranges.get(at).is_some_and(|(first, _)| *first <= code)
}

pub fn class(letter: char) -> Class {
    let code = u32::from(letter);
    if code < 0x300 {
        return match letter {
            '\u{ad}' => Class::Mark,
            _ if letter.is_alphanumeric() => Class::Letter,
            _ => Class::Gap,
        };
    }
    if is_in(RUNS, code) {
        return Class::Run;
    }
    if is_in(MARKS, code) {
        return Class::Mark;
    }
    // Signs of Indic letters that are no vowels: they are in the middle of words.
    let is_sign = (0x900..0xe00).contains(&code) && matches!(code & 0x7f, 0x3c | 0x4d);
    if is_sign || matches!(code, 0xf39 | 0xf84) || letter.is_alphanumeric() {
        Class::Letter
    } else {
        Class::Gap
    }
}
