//! What a regular expression says about the texts that it matches, before it is asked: texts that they are, beginnings
//! that they have, literals that they hold. Whoever reads a dictionary looks these up and asks the expression of the
//! few that are left; the outcome is the same as if all were asked.
//!
//! P1  A text that the expression matches is one of `starts`, where there are any, and holds a literal of each group.
//! P2  A text that a start is `sure` of is matched.
//! An expression that is not understood here says nothing, and everything is asked.

mod automaton;
mod expression;
mod fragment;
mod literals;
mod parse;
mod starts;

use automaton::Automaton;
pub use automaton::Verdict;
pub use fragment::Fragment;
use literals::Literal;

/// How a text that is matched begins.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Start {
    pub text: String,
    pub then: Then,
}

/// What follows the beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Then {
    /// Nothing: the text is all of it.
    Nothing,
    /// Anything.
    Anything,
    /// Anything in which no line ends; of others the expression is to be asked.
    Line,
    /// What the expression says.
    Asked,
}

impl Start {
    /// Whether a text that begins so is matched for sure.
    pub fn is_sure(&self, text: &[u8]) -> bool {
        let Some(rest) = text.strip_prefix(self.text.as_bytes()) else {
            return false;
        };
        match self.then {
            Then::Nothing => rest.is_empty(),
            Then::Anything => true,
            Then::Line => memchr::memchr(b'\n', rest).is_none(),
            Then::Asked => false,
        }
    }
}

/// Literals of which each text holds one that an expression matches, the longest there are, and whether they are folded:
/// in small letters, for texts whose letters of ASCII are made small.
pub fn needles_of(expression: &str, ignores_case: bool) -> Option<(Vec<String>, bool)> {
    best_of(&literals::groups(&parse::parse(expression, ignores_case)?))
}

fn best_of(groups: &[Vec<Literal>]) -> Option<(Vec<String>, bool)> {
    let shortest = |group: &&Vec<Literal>| group.iter().map(|literal| literal.text.len()).min();
    let best = groups.iter().max_by_key(shortest)?;
    let is_folded = best.iter().any(|literal| literal.is_folded);
    let needle = |literal: &Literal| match is_folded {
        true => literal.text.to_ascii_lowercase(),
        false => literal.text.clone(),
    };
    Some((best.iter().map(needle).collect(), is_folded))
}

#[derive(Default)]
pub struct Pattern {
    /// Beginnings of texts, one of which each has; `None` where they may begin anyhow.
    starts: Option<Vec<Start>>,
    /// Of each group, which is one of literals, one at least is held.
    groups: Vec<Vec<Literal>>,
    automaton: Option<Box<Automaton>>,
}

impl Pattern {
    /// Of an expression that a regex engine takes.
    pub fn of(expression: &str, ignores_case: bool) -> Pattern {
        let Some(parsed) = parse::parse(expression, ignores_case) else {
            return Pattern::default();
        };
        Pattern {
            starts: starts::starts(&parsed),
            groups: literals::groups(&parsed),
            automaton: Automaton::of(&parsed).map(Box::new),
        }
    }

    pub fn starts(&self) -> Option<&[Start]> {
        self.starts.as_deref()
    }

    /// The same that `needles_of` has.
    pub fn needles(&self) -> Option<(Vec<String>, bool)> {
        best_of(&self.groups)
    }

    /// Groups of literals: of each a text holds one at least, letters of ASCII taken for small ones.
    pub fn literals(&self) -> Vec<Vec<&[u8]>> {
        let groups = self.groups.iter();
        groups
            .map(|group| group.iter().map(|one| one.text.as_bytes()).collect())
            .collect()
    }

    /// What going through a text tells of it.
    pub fn ask(&self, text: &[u8]) -> Verdict {
        let automaton = self.automaton.as_ref();
        automaton.map_or(Verdict::Unknown, |automaton| automaton.ask(text))
    }

    /// Fragments of words: of each group a text holds one at least.
    pub fn fragments(&self) -> Vec<Vec<Fragment>> {
        let mut groups = Vec::new();
        for group in &self.groups {
            match group.as_slice() {
                [literal] => groups.extend(literal.fragments().into_iter().map(|one| vec![one])),
                several => {
                    let best = several.iter().map(Literal::best_fragment);
                    groups.extend(best.collect::<Option<Vec<Fragment>>>());
                }
            }
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(expression: &str) -> String {
        let pattern = Pattern::of(expression, false);
        let Some(starts) = pattern.starts() else {
            return "anyhow".into();
        };
        let starts = starts.iter().map(|start| {
            let sign = match start.then {
                Then::Nothing => "",
                Then::Anything => "*",
                Then::Line => "-",
                Then::Asked => "?",
            };
            format!("{}{sign}", start.text)
        });
        starts.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn beginnings_are_found() {
        let cases = [
            ("^(?:[tT]olkien)$", "Tolkien tolkien"),
            ("^(?:A[n]?na.*)$", "Ana- Anna-"),
            ("^(?:pdf|epub)$", "epub pdf"),
            ("^pdf|epub$", "anyhow"),
            ("^(?:pd.|epub)$", "epub pd?"),
            ("tolkien", "anyhow"),
            ("^tolkien", "tolkien*"),
            ("^tolkien.*", "tolkien*"),
            ("^a+b", "a?"),
            ("^a{3}b$", "aaab"),
            ("^(?:(?i)ab)$", "AB Ab aB ab"),
            ("^(?i:a)b$", "Ab ab"),
            (r"^\x41\t\.$", "A\t."),
            ("^(?:)$", ""),
            ("^(?:.*foo)$", "?"),
            (r"^a\b", "a?"),
            ("^(?m)^a$", "?"),
            ("(?m)^a$", "anyhow"),
            ("^(ab)*c", "ab? c*"),
            ("^(?:An|Ana|Anb$)", "An*"),
            ("^[a-z]x", "?"),
            ("^[a-d]x", "ax* bx* cx* dx*"),
            (r"^\d$", "0 1 2 3 4 5 6 7 8 9"),
            ("^(?:a|b|)$", " a b"),
            ("^a$b", "a?"),
            ("a^b", "anyhow"),
            ("(^a|^b)", "a* b*"),
        ];
        for (expression, expected) in cases {
            assert_eq!(shown(expression), expected, "{expression}");
        }
    }

    #[test]
    fn words_that_texts_must_hold_are_found() {
        let fragments = |expression: &str| {
            let shown = |one: &Fragment| {
                let (begin, end) = (one.begins_word, one.ends_word);
                format!(
                    "{}{}{}",
                    if begin { "<" } else { "" },
                    one.text,
                    if end { ">" } else { "" }
                )
            };
            let groups = Pattern::of(expression, false).fragments();
            let groups = groups
                .iter()
                .map(|group| group.iter().map(shown).collect::<Vec<_>>().join("|"));
            groups.collect::<Vec<_>>().join(" ")
        };
        let cases = [
            ("Hobbit", "hobbit"),
            ("the Hobbit, or", "the> <hobbit> or"),
            ("foo.*bar", "foo bar"),
            ("foo|bar", "foo|bar"),
            ("foo|b", ""),
            ("foo+ba?z", "foo"),
            ("(?i)ab+cde", "cde"),
            (r"\bfoo\b", "foo"),
            ("na\u{ef}ve", ""),
            ("caf\u{e9} noir", "caf <noir"),
            ("(x1yz)?abc", "abc"),
            ("^hi$", "<hi>"),
        ];
        for (expression, expected) in cases {
            let expected = expected.replace(" or", " <or");
            let found = fragments(expression);
            assert_eq!(found, expected, "{expression}");
        }
    }

    #[test]
    fn hard_expressions_end() {
        let hard = [
            "((((((((((a{64}){64}){64}){64}){64}){64}){64}){64}){64}){64})".to_owned(),
            "(((((((((){64}){64}){64}){64}){64}){64}){64}){64})".to_owned(),
            format!("^{}$", "(a|b)".repeat(10_000)),
            format!("^({})$", vec!["abc"; 10_000].join("|")),
            format!("^{}", "a?".repeat(20_000)),
            format!("a{}", "?".repeat(60_000)),
            "(".repeat(60_000),
            format!("{}a{}", "(".repeat(30_000), ")".repeat(30_000)),
            "[".repeat(60_000),
            "a{99999999999}".to_owned(),
            "a{1000000}".to_owned(),
        ];
        for expression in hard {
            let _ = Pattern::of(&expression, true).fragments();
        }
    }
}
