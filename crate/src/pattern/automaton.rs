//! What an expression matches, as states that a text is gone through with, each byte once and nothing else: some ten
//! times as fast as asking the expression. States are made when a text first comes there, and are bounded.
//!
//! A1  A text that the expression matches is never said to be none.
//! A2  Where the expression is understood to its letters, what is found is matched; else the expression is to be asked.

use std::cell::RefCell;
use std::collections::HashMap;

use super::expression::Expression;

const NODES_MAX: usize = 2_000;
const WORK_MAX: usize = 10_000;
const STATES_MAX: usize = 1_000;
/// All states are forgotten when there are too many; an expression that needs more again and again is asked itself.
const FORGOTTEN_MAX: u32 = 4;
const UNKNOWN: u16 = u16::MAX;

/// What is known of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Matched,
    NotMatched,
    /// The expression is to be asked.
    Unknown,
}

#[derive(Clone, Copy)]
enum Node {
    /// One of these bytes, then that node.
    Bytes(u8, u8, u32),
    Both(u32, u32),
    Matched,
}

pub struct Automaton {
    nodes: Vec<Node>,
    start: u32,
    is_exact: bool,
    /// Bytes that no node tells apart are of one kind.
    kinds: [u8; 256],
    /// A byte of each kind.
    samples: Vec<u8>,
    states: RefCell<States>,
}

#[derive(Default)]
struct States {
    /// The nodes of each, in their order.
    nodes: Vec<Vec<u32>>,
    numbers: HashMap<Vec<u32>, u16>,
    is_matched: Vec<bool>,
    /// Of each state and kind of byte the state behind it.
    next: Vec<u16>,
    forgotten: u32,
    stack: Vec<u32>,
    is_seen: Vec<bool>,
}

impl Automaton {
    /// Nothing where it would be large.
    pub fn of(expression: &Expression) -> Option<Automaton> {
        let mut builder = Builder {
            nodes: vec![Node::Matched],
            is_exact: true,
            work: 0,
        };
        let start = builder.add(expression, 0)?;
        let Builder {
            nodes, is_exact, ..
        } = builder;
        let (kinds, samples) = kinds(&nodes);
        Some(Automaton {
            states: RefCell::new(States {
                is_seen: vec![false; nodes.len()],
                ..States::default()
            }),
            nodes,
            start,
            is_exact,
            kinds,
            samples,
        })
    }

    pub fn ask(&self, text: &[u8]) -> Verdict {
        // Of bytes that are no text the expression sees others.
        if std::str::from_utf8(text).is_err() {
            return Verdict::Unknown;
        }
        let mut states = self.states.borrow_mut();
        match self.run(text, &mut states) {
            Some(false) => Verdict::NotMatched,
            Some(true) if self.is_exact => Verdict::Matched,
            _ => Verdict::Unknown,
        }
    }

    fn run(&self, text: &[u8], states: &mut States) -> Option<bool> {
        let kinds = self.samples.len();
        let mut state = self.begin(states);
        if states.is_matched[usize::from(state)] {
            return Some(true);
        }
        for byte in text {
            let kind = usize::from(self.kinds[usize::from(*byte)]);
            let mut next = states.next[usize::from(state) * kinds + kind];
            if next == UNKNOWN {
                next = self.make(state, kind, states)?;
            }
            state = next;
            if states.is_matched[usize::from(state)] {
                return Some(true);
            }
        }
        Some(false)
    }

    fn begin(&self, states: &mut States) -> u16 {
        let mut nodes = Vec::new();
        self.reach(self.start, states, &mut nodes);
        self.put(nodes, states)
    }

    /// The state behind a state and a kind of byte. Nothing where there are too many.
    fn make(&self, from: u16, kind: usize, states: &mut States) -> Option<u16> {
        let byte = self.samples[kind];
        let mut nodes = Vec::new();
        let before = states.nodes[usize::from(from)].clone();
        for node in before {
            if let Node::Bytes(first, last, next) = self.nodes[node as usize]
                && (first..=last).contains(&byte)
            {
                self.reach(next, states, &mut nodes);
            }
        }
        // A match may begin anywhere.
        self.reach(self.start, states, &mut nodes);
        if states.nodes.len() >= STATES_MAX {
            states.forgotten += 1;
            if states.forgotten > FORGOTTEN_MAX {
                nodes
                    .iter()
                    .for_each(|node| states.is_seen[*node as usize] = false);
                return None;
            }
            states.nodes.clear();
            states.numbers.clear();
            states.is_matched.clear();
            states.next.clear();
            let number = self.put(nodes, states);
            return Some(number);
        }
        let number = self.put(nodes, states);
        states.next[usize::from(from) * self.samples.len() + kind] = number;
        Some(number)
    }

    /// Adds what is reached from a node without a byte, but what was reached before.
    fn reach(&self, node: u32, states: &mut States, nodes: &mut Vec<u32>) {
        states.stack.push(node);
        while let Some(node) = states.stack.pop() {
            if std::mem::replace(&mut states.is_seen[node as usize], true) {
                continue;
            }
            nodes.push(node);
            if let Node::Both(a, b) = self.nodes[node as usize] {
                states.stack.extend([a, b]);
            }
        }
    }

    fn put(&self, mut nodes: Vec<u32>, states: &mut States) -> u16 {
        nodes
            .iter()
            .for_each(|node| states.is_seen[*node as usize] = false);
        nodes.sort_unstable();
        if let Some(number) = states.numbers.get(&nodes) {
            return *number;
        }
        let number = u16::try_from(states.nodes.len()).unwrap_or(UNKNOWN);
        // The node behind all others is the first.
        states.is_matched.push(nodes.first() == Some(&0));
        states.numbers.insert(nodes.clone(), number);
        states.nodes.push(nodes);
        let rows = states.nodes.len() * self.samples.len();
        states.next.resize(rows, UNKNOWN);
        number
    }
}

/// Of each byte its kind, and a byte of each kind.
fn kinds(nodes: &[Node]) -> ([u8; 256], Vec<u8>) {
    let mut begins = [false; 257];
    for node in nodes {
        if let Node::Bytes(first, last, _) = node {
            begins[usize::from(*first)] = true;
            begins[usize::from(*last) + 1] = true;
        }
    }
    let (mut kinds, mut samples) = ([0u8; 256], vec![0u8]);
    let mut kind = 0u8;
    for byte in 1..=u8::MAX {
        if begins[usize::from(byte)] {
            kind += 1;
            samples.push(byte);
        }
        kinds[usize::from(byte)] = kind;
    }
    (kinds, samples)
}

struct Builder {
    nodes: Vec<Node>,
    is_exact: bool,
    /// Parts that were added: nothing, repeated without end, makes no node.
    work: usize,
}

impl Builder {
    fn node(&mut self, node: Node) -> Option<u32> {
        if self.nodes.len() >= NODES_MAX {
            return None;
        }
        self.nodes.push(node);
        u32::try_from(self.nodes.len() - 1).ok()
    }

    /// Puts an expression before a node; the node where it begins.
    fn add(&mut self, expression: &Expression, next: u32) -> Option<u32> {
        self.work += 1;
        if self.work > WORK_MAX {
            return None;
        }
        match expression {
            Expression::Empty => Some(next),
            // As if they held: what is found so is to be asked.
            Expression::Start | Expression::End | Expression::Look => {
                self.is_exact = false;
                Some(next)
            }
            Expression::Other | Expression::Dot => {
                self.is_exact = false;
                let ascii = self.node(Node::Bytes(0, 0x7f, next))?;
                let others = self.others(next)?;
                self.node(Node::Both(ascii, others))
            }
            Expression::Ranges(ranges) => {
                let mut all = None;
                for (first, last) in ranges {
                    let one = self.node(Node::Bytes(*first, *last, next))?;
                    all = Some(self.either(all, one)?);
                }
                all
            }
            Expression::Letters(letters) => {
                let mut all = None;
                for letter in letters {
                    let mut bytes = [0; 4];
                    let mut one = next;
                    for byte in letter.encode_utf8(&mut bytes).bytes().rev() {
                        one = self.node(Node::Bytes(byte, byte, one))?;
                    }
                    all = Some(self.either(all, one)?);
                }
                all
            }
            Expression::Row(row) => {
                let mut next = next;
                for part in row.iter().rev() {
                    next = self.add(part, next)?;
                }
                Some(next)
            }
            Expression::Either(branches) => {
                let mut all = None;
                for branch in branches {
                    let one = self.add(branch, next)?;
                    all = Some(self.either(all, one)?);
                }
                all
            }
            Expression::Repeated { of, min, max } => self.repeated(of, *min, *max, next),
        }
    }

    fn either(&mut self, all: Option<u32>, one: u32) -> Option<u32> {
        match all {
            None => Some(one),
            Some(all) => self.node(Node::Both(all, one)),
        }
    }

    fn repeated(&mut self, of: &Expression, min: u32, max: Option<u32>, next: u32) -> Option<u32> {
        let mut begin = next;
        match max {
            None => {
                let again = self.node(Node::Both(next, next))?;
                let body = self.add(of, again)?;
                if let Some(node) = self.nodes.get_mut(again as usize) {
                    *node = Node::Both(body, next);
                }
                begin = again;
            }
            Some(max) => {
                for _ in min..max {
                    let body = self.add(of, begin)?;
                    begin = self.node(Node::Both(body, next))?;
                }
            }
        }
        for _ in 0..min {
            begin = self.add(of, begin)?;
        }
        Some(begin)
    }

    /// Any letter that is none of ASCII.
    fn others(&mut self, next: u32) -> Option<u32> {
        let mut all = None;
        let mut rest = next;
        for (first, last) in [(0xc2, 0xdf), (0xe0, 0xef), (0xf0, 0xf4)] {
            rest = self.node(Node::Bytes(0x80, 0xbf, rest))?;
            let one = self.node(Node::Bytes(first, last, rest))?;
            all = Some(self.either(all, one)?);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse;
    use super::*;

    fn asked(expression: &str, text: &str) -> Verdict {
        let parsed = parse(expression, false).expect("an expression");
        Automaton::of(&parsed).expect("small").ask(text.as_bytes())
    }

    #[test]
    fn what_is_understood_is_answered_and_the_rest_left_to_the_expression() {
        use Verdict::{Matched, NotMatched, Unknown};
        let cases = [
            ("ab+c", "xabbbc", Matched),
            ("ab+c", "xac", NotMatched),
            ("", "", Matched),
            ("a{2,3}|[x-z0-9]q", "aba", NotMatched),
            ("a{2,3}|[x-z0-9]q", "baa", Matched),
            ("[a-z]+[0-9]{3}", "see abc12 abc123", Matched),
            ("[a-z]+[0-9]{3}", "ABC123", NotMatched),
            ("(?i)stra\u{df}e", "STRA\u{df}e", Matched),
            ("\u{4e2d}\u{56fd}|x", "\u{56fd}\u{4e2d}", NotMatched),
            ("\u{4e2d}\u{56fd}|x", "a\u{4e2d}\u{56fd}", Matched),
            ("^a", "ba", Unknown),
            ("^a", "b", NotMatched),
            ("a.c", "a\nc", Unknown),
            ("a.c", "a\u{4e2d}c", Unknown),
            ("a.c", "ac", NotMatched),
            ("(a*)*b", "aaaa", NotMatched),
        ];
        for (expression, text, verdict) in cases {
            assert_eq!(asked(expression, text), verdict, "{expression} in {text:?}");
        }
        let parsed = parse("a", false).expect("an expression");
        let automaton = Automaton::of(&parsed).expect("small");
        assert_eq!(automaton.ask(b"\xff"), Unknown);
        assert!(Automaton::of(&parse("a{3000}", false).expect("one")).is_none());
    }

    #[test]
    fn what_needs_ever_more_states_is_given_up() {
        let parsed = parse("[ab]*a[ab]{14}c", false).expect("an expression");
        let automaton = Automaton::of(&parsed).expect("small");
        let mut random = 1u32;
        let text: Vec<u8> = (0..60_000)
            .map(|_| {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                if random >> 31 == 0 { b'a' } else { b'b' }
            })
            .collect();
        assert_eq!(automaton.ask(&text), Verdict::Unknown);
    }
}
