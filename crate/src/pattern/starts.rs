//! Beginnings of the texts that an expression matches: all ways through it are followed, as long as they are few.

use super::expression::Expression;
use super::{Start, Then};
use crate::order;

const WAYS_MAX: usize = 64;
const TEXT_BYTES_MAX: usize = 256;
/// Steps that are taken in an expression; one that needs more is followed no further.
const STEPS_MAX: u32 = 20_000;

/// One way through the expression up to some place.
#[derive(Clone)]
struct Way {
    text: String,
    /// Whether the text that is asked begins with it.
    is_anchored: bool,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// It is all so far.
    Going,
    /// Behind it was anything, or anything in a line.
    Dots,
    Ended,
    DotsEnded,
    /// Something else follows.
    Open,
}

struct Steps {
    left: u32,
}

/// `None` where a text may begin anyhow.
pub fn starts(expression: &Expression) -> Option<Vec<Start>> {
    let begin = Way {
        text: String::new(),
        is_anchored: false,
        state: State::Going,
    };
    let ways = Steps { left: STEPS_MAX }.follow(expression, vec![begin]);
    let mut starts = Vec::new();
    for way in ways {
        if !way.is_anchored {
            return None;
        }
        starts.push(Start {
            text: way.text,
            then: match way.state {
                // What is not at its end may be followed by anything, be it dots.
                State::Going | State::Dots => Then::Anything,
                State::Ended => Then::Nothing,
                State::DotsEnded => Then::Line,
                State::Open => Then::Asked,
            },
        });
    }
    order::sort_by(&mut starts, Ord::cmp);
    starts.dedup();
    // One that goes on anyhow takes in those that are longer.
    let mut kept: Vec<Start> = Vec::new();
    for start in starts {
        let covers =
            |other: &Start| other.then != Then::Nothing && start.text.starts_with(&other.text);
        if !kept.iter().any(covers) {
            kept.push(start);
        }
    }
    Some(kept)
}

impl Steps {
    fn follow(&mut self, expression: &Expression, mut ways: Vec<Way>) -> Vec<Way> {
        self.left = self.left.saturating_sub(1);
        if self.left == 0 {
            return opened(ways);
        }
        match expression {
            Expression::Empty => ways,
            Expression::Letters(letters) => lettered(letters, ways),
            Expression::Ranges(_) | Expression::Other | Expression::Dot | Expression::Look => {
                opened(ways)
            }
            Expression::Start => {
                for way in &mut ways {
                    match way.state {
                        State::Going if way.text.is_empty() => way.is_anchored = true,
                        _ => way.state = State::Open,
                    }
                }
                ways
            }
            Expression::End => {
                for way in &mut ways {
                    way.state = match way.state {
                        State::Going | State::Ended if way.is_anchored => State::Ended,
                        State::Dots | State::DotsEnded if way.is_anchored => State::DotsEnded,
                        _ => State::Open,
                    };
                }
                ways
            }
            Expression::Row(row) => row.iter().fold(ways, |ways, next| self.follow(next, ways)),
            Expression::Either(branches) => {
                let mut all = Vec::new();
                for branch in branches {
                    all.extend(self.follow(branch, ways.clone()));
                    if all.len() > WAYS_MAX {
                        return opened(ways);
                    }
                }
                all
            }
            Expression::Repeated { of, min, max } => self.repeat(of, *min, *max, ways),
        }
    }

    fn repeat(
        &mut self,
        of: &Expression,
        min: u32,
        max: Option<u32>,
        mut ways: Vec<Way>,
    ) -> Vec<Way> {
        if max == Some(0) {
            return ways;
        }
        if min == 0 && max.is_none() && matches!(of, Expression::Dot) {
            for way in &mut ways {
                way.state = match way.state {
                    State::Going | State::Dots if way.is_anchored => State::Dots,
                    _ => State::Open,
                };
            }
            return ways;
        }
        if min == 0 {
            let mut once = self.follow(of, ways.clone());
            if max != Some(1) {
                once = opened(once);
            }
            if once.len() + ways.len() > WAYS_MAX {
                return opened(ways);
            }
            ways.extend(once);
            return ways;
        }
        for _ in 0..min {
            ways = self.follow(of, ways);
            if ways.iter().all(|way| way.state == State::Open) || self.left == 0 {
                return opened(ways);
            }
        }
        if max == Some(min) { ways } else { opened(ways) }
    }
}

fn lettered(letters: &[char], ways: Vec<Way>) -> Vec<Way> {
    let is_going =
        |way: &Way| way.is_anchored && way.state == State::Going && way.text.len() < TEXT_BYTES_MAX;
    let going = ways.iter().filter(|way| is_going(way)).count();
    if ways.len() + going * letters.len() > WAYS_MAX + going {
        return opened(ways);
    }
    let mut all = Vec::new();
    for mut way in ways {
        if !is_going(&way) {
            way.state = State::Open;
            all.push(way);
            continue;
        }
        for letter in letters {
            let mut next = way.clone();
            next.text.push(*letter);
            all.push(next);
        }
    }
    all
}

fn opened(mut ways: Vec<Way>) -> Vec<Way> {
    for way in &mut ways {
        way.state = State::Open;
    }
    ways
}
