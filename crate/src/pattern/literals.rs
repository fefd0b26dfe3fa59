//! Literals that a text holds where an expression matches, one of each group, and the words that show them.

use super::Fragment;
use super::expression::Expression;

/// Literals of a group; one that has more says little.
const GROUP_MAX: usize = 32;
/// Shorter pieces of words are in too many of them, unless the words begin or end with them.
const INNER_LETTERS_MIN: usize = 3;
const OUTER_LETTERS_MIN: usize = 2;
/// No longer than a word that is kept whole, so that a word which was cut has it still.
const FRAGMENT_BYTES_MAX: usize = 48;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Literal {
    pub text: String,
    /// Its letters of ASCII are small, and stand for capital ones too.
    pub is_folded: bool,
    /// It stands where the text begins, or ends.
    begins: bool,
    ends: bool,
}

pub fn groups(expression: &Expression) -> Vec<Vec<Literal>> {
    let mut gather = Gather::default();
    gather.read(expression);
    gather.part(false);
    gather.groups
}

#[derive(Default)]
struct Gather {
    run: Literal,
    groups: Vec<Vec<Literal>>,
}

impl Gather {
    fn read(&mut self, expression: &Expression) {
        match expression {
            // Between two letters nothing is, whatever holds there.
            Expression::Empty | Expression::Look => {}
            Expression::Letters(letters) => match letters.as_slice() {
                [letter] => self.run.text.push(*letter),
                [capital, small] if capital.to_ascii_lowercase() == *small => {
                    self.run.text.push(*small);
                    self.run.is_folded = true;
                }
                _ => self.part(false),
            },
            Expression::Ranges(_) | Expression::Other | Expression::Dot => self.part(false),
            Expression::Start => {
                self.part(false);
                self.run.begins = true;
            }
            Expression::End => self.part(true),
            Expression::Row(row) => row.iter().for_each(|next| self.read(next)),
            Expression::Either(branches) => {
                self.part(false);
                let best = branches.iter().map(|branch| best(groups(branch)));
                let group = best.collect::<Option<Vec<_>>>().map(|all| all.concat());
                self.groups
                    .extend(group.filter(|group| group.len() <= GROUP_MAX));
            }
            Expression::Repeated { of, min, max } => {
                if *min > 0 {
                    self.read(of);
                }
                if (*min, *max) != (1, Some(1)) {
                    self.part(false);
                }
            }
        }
    }

    /// What follows is not known to stand right behind what was before.
    fn part(&mut self, ends: bool) {
        let mut run = std::mem::take(&mut self.run);
        run.ends = ends;
        if !run.text.is_empty() {
            if run.is_folded {
                run.text.make_ascii_lowercase();
            }
            self.groups.push(vec![run]);
        }
    }
}

/// The group that says most.
fn best(groups: Vec<Vec<Literal>>) -> Option<Vec<Literal>> {
    let shortest = |group: &Vec<Literal>| group.iter().map(|literal| literal.text.len()).min();
    groups.into_iter().max_by_key(shortest)
}

impl Literal {
    /// Pieces of words that are in it, those that say little left out.
    pub fn fragments(&self) -> Vec<Fragment> {
        let bytes = self.text.as_bytes();
        let mut fragments = Vec::new();
        let mut start = 0;
        while start < bytes.len() {
            let length = bytes[start..]
                .iter()
                .take_while(|byte| byte.is_ascii_alphanumeric())
                .count();
            let end = start + length;
            let parts = |byte: Option<&u8>, is_border: bool| byte.map_or(is_border, u8::is_ascii);
            let before = start.checked_sub(1).and_then(|before| bytes.get(before));
            let begins_word = parts(before, self.begins);
            let ends_word = parts(bytes.get(end), self.ends);
            let enough = match (begins_word, ends_word) {
                (true, true) => 1,
                (false, false) => INNER_LETTERS_MIN,
                _ => OUTER_LETTERS_MIN,
            };
            if length >= enough {
                let kept = length.min(FRAGMENT_BYTES_MAX);
                fragments.push(Fragment {
                    text: self.text[start..start + kept].to_ascii_lowercase(),
                    begins_word,
                    ends_word: ends_word && kept == length,
                });
            }
            start = end + 1;
        }
        fragments
    }

    /// The longest of them, a whole word before others.
    pub fn best_fragment(&self) -> Option<Fragment> {
        let weight = |one: &Fragment| {
            one.text.len() + 4 * usize::from(one.begins_word) + 2 * usize::from(one.ends_word)
        };
        self.fragments().into_iter().max_by_key(weight)
    }
}
