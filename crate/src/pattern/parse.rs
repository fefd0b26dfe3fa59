//! Reads a regular expression as regex-lite has them. It is one that this has taken: what is wrong or is not understood
//! here gives nothing.

use super::expression::Expression;
use crate::order;

/// Expressions within each other.
const DEPTH_MAX: usize = 60;
/// More letters than these in brackets are many.
const LETTERS_MAX: usize = 16;
/// Stands for bytes that are no text, which are not found by it.
const REPLACEMENT: char = '\u{fffd}';

#[derive(Clone, Copy)]
struct Flags {
    ignores_case: bool,
    is_multi_line: bool,
}

struct Parser<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    flags: Flags,
    depth: usize,
}

pub fn parse(expression: &str, ignores_case: bool) -> Option<Expression> {
    let mut parser = Parser {
        rest: expression.chars().peekable(),
        flags: Flags {
            ignores_case,
            is_multi_line: false,
        },
        depth: 0,
    };
    let parsed = parser.either()?;
    parser.rest.next().is_none().then_some(parsed)
}

impl Parser<'_> {
    /// Up to a closing bracket or the end.
    fn either(&mut self) -> Option<Expression> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return None;
        }
        let mut branches = Vec::new();
        let mut row = Vec::new();
        // How many repetitions are on the last one.
        let mut repeated = 0;
        while let Some(letter) = self.rest.peek().copied() {
            if letter == ')' {
                break;
            }
            self.rest.next();
            if matches!(letter, '?' | '*' | '+' | '{') {
                repeated += 1;
                if repeated > DEPTH_MAX {
                    return None;
                }
                let of = Box::new(row.pop()?);
                let (min, max) = self.count(letter)?;
                if self.rest.peek() == Some(&'?') {
                    self.rest.next();
                }
                row.push(Expression::Repeated { of, min, max });
                continue;
            }
            repeated = 0;
            match letter {
                '|' => branches.push(joined(std::mem::take(&mut row))),
                '(' => row.extend(self.group()?),
                '[' => row.push(self.class()?),
                '.' => row.push(Expression::Dot),
                '\\' => row.push(self.escape()?),
                '^' if self.flags.is_multi_line => row.push(Expression::Look),
                '$' if self.flags.is_multi_line => row.push(Expression::Look),
                '^' => row.push(Expression::Start),
                '$' => row.push(Expression::End),
                letter => row.push(self.letter(letter)),
            }
        }
        self.depth -= 1;
        branches.push(joined(row));
        match branches.len() {
            1 => branches.pop(),
            _ => Some(Expression::Either(branches)),
        }
    }

    fn letter(&self, letter: char) -> Expression {
        self.letters(vec![letter])
    }

    fn letters(&self, mut letters: Vec<char>) -> Expression {
        if self.flags.ignores_case {
            let other_case = |letter: &char| {
                if letter.is_ascii_lowercase() {
                    letter.to_ascii_uppercase()
                } else {
                    letter.to_ascii_lowercase()
                }
            };
            letters.extend(letters.iter().map(other_case).collect::<Vec<_>>());
        }
        order::sort_by(&mut letters, Ord::cmp);
        letters.dedup();
        if letters.len() > LETTERS_MAX || letters.contains(&REPLACEMENT) {
            return Expression::Other;
        }
        Expression::Letters(letters)
    }

    /// Behind an opening bracket; nothing where it sets flags.
    fn group(&mut self) -> Option<Option<Expression>> {
        let before = self.flags;
        if self.rest.peek() == Some(&'?') {
            self.rest.next();
            if matches!(self.rest.peek(), Some('P' | '<')) {
                self.name()?;
            } else {
                let ends = self.flags()?;
                if ends == ')' {
                    return Some(None);
                }
            }
        }
        let inner = self.either()?;
        self.flags = before;
        (self.rest.next()? == ')').then_some(Some(inner))
    }

    fn name(&mut self) -> Option<()> {
        if self.rest.peek() == Some(&'P') {
            self.rest.next();
        }
        if self.rest.next()? != '<' || matches!(self.rest.peek(), Some('=' | '!')) {
            return None;
        }
        while self.rest.next()? != '>' {}
        Some(())
    }

    /// Reads flags, and tells whether a group begins behind them or the bracket is closed.
    fn flags(&mut self) -> Option<char> {
        let mut is_set = true;
        loop {
            match self.rest.next()? {
                end @ (':' | ')') => return Some(end),
                '-' => is_set = false,
                'i' => self.flags.ignores_case = is_set,
                'm' => self.flags.is_multi_line = is_set,
                's' | 'U' | 'u' => {}
                _ => return None,
            }
        }
    }

    /// How often what is before is repeated, behind the first sign of it.
    fn count(&mut self, sign: char) -> Option<(u32, Option<u32>)> {
        match sign {
            '?' => return Some((0, Some(1))),
            '*' => return Some((0, None)),
            '+' => return Some((1, None)),
            _ => {}
        }
        let mut text = String::new();
        loop {
            match self.rest.next()? {
                '}' => break,
                letter => text.push(letter),
            }
        }
        let number = |text: &str| text.trim().parse::<u32>().ok();
        match text.split_once(',') {
            None => number(&text).map(|count| (count, Some(count))),
            Some((min, max)) if max.trim().is_empty() => Some((number(min)?, None)),
            Some((min, max)) => Some((number(min)?, Some(number(max)?))),
        }
    }

    /// Behind a backslash.
    fn escape(&mut self) -> Option<Expression> {
        let letter = self.rest.next()?;
        Some(match letter {
            'd' => Expression::Letters(('0'..='9').collect()),
            'w' | 's' => Expression::Ranges(ranges_of(letter)),
            'D' | 'W' | 'S' => Expression::Other,
            'A' => Expression::Start,
            'z' => Expression::End,
            // With a brace it may be a kind of its own.
            'b' if self.rest.peek() == Some(&'{') => return None,
            'b' | 'B' | '<' | '>' => Expression::Look,
            letter => {
                let letter = self.escaped(letter)?;
                self.letter(letter)
            }
        })
    }

    fn escaped(&mut self, letter: char) -> Option<char> {
        Some(match letter {
            'x' => return self.hexadecimal(2),
            'u' => return self.hexadecimal(4),
            'U' => return self.hexadecimal(8),
            'a' => '\x07',
            'f' => '\x0c',
            't' => '\t',
            'n' => '\n',
            'r' => '\r',
            'v' => '\x0b',
            letter if letter.is_ascii_alphanumeric() || !letter.is_ascii() => return None,
            letter => letter,
        })
    }

    fn hexadecimal(&mut self, digits: usize) -> Option<char> {
        let mut text = String::new();
        if self.rest.peek() == Some(&'{') {
            self.rest.next();
            loop {
                match self.rest.next()? {
                    '}' => break,
                    digit => text.push(digit),
                }
            }
        } else {
            for _ in 0..digits {
                text.push(self.rest.next()?);
            }
        }
        char::from_u32(u32::from_str_radix(&text, 16).ok()?)
    }

    /// Behind an opening square bracket.
    fn class(&mut self) -> Option<Expression> {
        let is_negated = self.rest.peek() == Some(&'^');
        if is_negated {
            self.rest.next();
        }
        let mut few = Some(Vec::new());
        let mut ranges = Some(Vec::new());
        let mut is_first = true;
        loop {
            let letter = self.rest.next()?;
            let first = match letter {
                ']' if !is_first => break,
                '[' => {
                    self.named_class()?;
                    (few, ranges) = (None, None);
                    is_first = false;
                    continue;
                }
                '\\' => match self.rest.next()? {
                    kind @ ('d' | 'w' | 's' | 'D' | 'W' | 'S') => {
                        few = None;
                        ranges = ranges.filter(|_| kind.is_ascii_lowercase());
                        ranges
                            .iter_mut()
                            .for_each(|ranges| ranges.extend(ranges_of(kind)));
                        is_first = false;
                        continue;
                    }
                    letter => self.escaped(letter)?,
                },
                letter => letter,
            };
            // Of signs that stand first each is itself, and the bracket that follows them closes.
            let is_sign = is_first && first == '-' && letter == '-';
            is_first = false;
            let last = if is_sign {
                first
            } else {
                self.range_end(first)?
            };
            let width = u32::from(last).checked_sub(u32::from(first))?;
            match (&mut ranges, u8::try_from(first), u8::try_from(last)) {
                (Some(ranges), Ok(first), Ok(last)) if last.is_ascii() => {
                    ranges.push((first, last))
                }
                _ => ranges = None,
            }
            match &mut few {
                Some(letters) if usize::try_from(width).is_ok_and(|width| width < LETTERS_MAX) => {
                    letters.extend(first..=last);
                }
                _ => few = None,
            }
        }
        Some(match few {
            Some(letters) if !is_negated && letters.len() <= LETTERS_MAX => self.letters(letters),
            _ => match ranges.filter(|_| !is_negated && !self.flags.ignores_case) {
                Some(ranges) => Expression::Ranges(ranges),
                None => Expression::Other,
            },
        })
    }

    /// The last letter of a range, behind the first, or that one where there is no range.
    fn range_end(&mut self, first: char) -> Option<char> {
        let mut ahead = self.rest.clone();
        if ahead.next() != Some('-') || matches!(ahead.peek(), Some(']') | None) {
            return Some(first);
        }
        self.rest.next();
        match self.rest.next()? {
            '\\' => {
                let letter = self.rest.next()?;
                self.escaped(letter)
            }
            last => Some(last),
        }
    }

    /// `[:alpha:]` and the like, behind its opening bracket.
    fn named_class(&mut self) -> Option<()> {
        if self.rest.next()? != ':' {
            return None;
        }
        loop {
            match self.rest.next()? {
                ':' => break,
                letter if letter.is_ascii_lowercase() || letter == '^' => {}
                _ => return None,
            }
        }
        (self.rest.next()? == ']').then_some(())
    }
}

/// The letters that `\d`, `\w` and `\s` stand for.
fn ranges_of(kind: char) -> Vec<(u8, u8)> {
    match kind {
        'd' => vec![(b'0', b'9')],
        'w' => vec![(b'0', b'9'), (b'A', b'Z'), (b'_', b'_'), (b'a', b'z')],
        _ => vec![(b'\t', b'\r'), (b' ', b' ')],
    }
}

fn joined(mut row: Vec<Expression>) -> Expression {
    match row.len() {
        0 => Expression::Empty,
        1 => row.pop().unwrap_or(Expression::Empty),
        _ => Expression::Row(row),
    }
}
