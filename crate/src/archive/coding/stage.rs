//! One coding of a body: finds out in which form it is there, if at all, then decodes it.

use super::{Coding, Decode, Form, State, Step};
use crate::content::{has_mark, is_text};
use crate::limits::CODING_PROBE_BYTES;

/// How decoding one coding went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Sound,
    /// Not in this coding, or it breaks off.
    Broken,
}

enum Mode {
    /// Too little is known of the data.
    Gathering,
    Decoding(Box<dyn Decode>),
    /// No more input is taken: what the decoder holds goes out.
    Emptying(Box<dyn Decode>),
    /// Stored decoded under a header that says otherwise.
    Plain,
    Done,
}

pub struct Stage {
    coding: Coding,
    mode: Mode,
    /// First bytes, and how many of them went on.
    start: Vec<u8>,
    at: usize,
    fate: Fate,
}

impl Stage {
    pub fn new(coding: Coding) -> Stage {
        Stage {
            coding,
            mode: Mode::Gathering,
            start: Vec::new(),
            at: 0,
            fate: Fate::Sound,
        }
    }

    pub fn fate(&self) -> Fate {
        self.fate
    }

    pub fn is_done(&self) -> bool {
        matches!(self.mode, Mode::Done)
    }

    /// Whether no more comes out of it, given whether its input is over.
    pub fn is_finished(&self, is_over: bool) -> bool {
        match self.mode {
            Mode::Done => true,
            Mode::Plain => is_over && self.at == self.start.len(),
            Mode::Gathering | Mode::Decoding(_) | Mode::Emptying(_) => false,
        }
    }

    /// Uses some of `input`, which is the last there is where `is_last`, and fills some of `output`. Returns how much
    /// of either; where neither moves, more input is needed, or all is done.
    pub fn step(&mut self, input: &[u8], is_last: bool, output: &mut [u8]) -> (usize, usize) {
        loop {
            match &mut self.mode {
                Mode::Gathering => {
                    let taken = (CODING_PROBE_BYTES - self.start.len()).min(input.len());
                    self.start.extend_from_slice(&input[..taken]);
                    let is_whole = is_last && taken == input.len();
                    if self.start.len() == CODING_PROBE_BYTES || is_whole {
                        self.decide();
                    } else {
                        return (taken, 0);
                    }
                    if taken > 0 {
                        return (taken, 0);
                    }
                }
                Mode::Plain => {
                    let is_start = self.at < self.start.len();
                    let source = if is_start {
                        &self.start[self.at..]
                    } else {
                        input
                    };
                    let count = source.len().min(output.len());
                    output[..count].copy_from_slice(&source[..count]);
                    if is_start {
                        self.at += count;
                        return (0, count);
                    }
                    return (count, count);
                }
                Mode::Decoding(decoder) => {
                    let is_start = self.at < self.start.len();
                    let source = if is_start {
                        &self.start[self.at..]
                    } else {
                        input
                    };
                    let Step { taken, made, state } = decoder.step(source, output);
                    let is_stuck = taken == 0 && made == 0;
                    let is_starved = is_stuck && source.is_empty();
                    match state {
                        State::Ended => self.mode = Mode::Done,
                        State::Going if is_starved && !is_last => return (0, 0),
                        State::Going if !is_stuck => {}
                        State::Going | State::Broken => {
                            self.empty();
                            if !is_starved || state == State::Broken {
                                self.fate = Fate::Broken;
                            }
                        }
                    }
                    if is_start {
                        self.at += taken;
                        if made > 0 {
                            return (0, made);
                        }
                    } else if !is_stuck {
                        return (taken, made);
                    }
                }
                Mode::Emptying(decoder) => {
                    let Step { made, .. } = decoder.step(&[], output);
                    if made > 0 {
                        return (0, made);
                    }
                    self.mode = Mode::Done;
                }
                Mode::Done => return (input.len(), 0),
            }
        }
    }

    fn empty(&mut self) {
        if let Mode::Decoding(mut decoder) = std::mem::replace(&mut self.mode, Mode::Done) {
            if !decoder.close() {
                self.fate = Fate::Broken;
            }
            self.mode = Mode::Emptying(decoder);
        }
    }

    fn decide(&mut self) {
        if self.start.is_empty() {
            self.mode = Mode::Done;
            return;
        }
        let start = self.start.as_slice();
        let is_text = is_text(start);
        let forms = self.coding.forms();
        let fits = |form: &&Form| form.may_start(start) && probe(**form, start, is_text);
        self.mode = match forms.iter().find(fits).and_then(|form| form.decoder()) {
            Some(decoder) => Mode::Decoding(decoder),
            None => Mode::Plain,
        };
        if matches!(self.mode, Mode::Plain) {
            let is_marked = forms.iter().all(|form| form.is_marked());
            let has_mark_of_it = is_marked && forms.iter().any(|form| form.may_start(start));
            let is_something_else = is_text || !has_mark_of_it && (is_marked || has_mark(start));
            if !is_something_else {
                self.fate = Fate::Broken;
            }
        }
    }
}

/// Whether the first bytes decode well enough to go on with all the rest.
fn probe(form: Form, start: &[u8], is_text: bool) -> bool {
    let Some(mut decoder) = form.decoder() else {
        return false;
    };
    let mut output = [0; 4096];
    let (mut at, mut total) = (0, 0);
    let state = loop {
        let Step { taken, made, state } = decoder.step(&start[at..], &mut output);
        at += taken;
        total += made;
        if state != State::Going || taken == 0 && made == 0 || total > CODING_PROBE_BYTES {
            break state;
        }
    };
    match state {
        // Compressed data that looks like text to the end of the probe does not occur.
        State::Going => form.is_marked() || !is_text,
        // Many a text begins with what is an empty stream to a decoder without marks.
        State::Ended => at == start.len() || total > 0 && !is_text,
        State::Broken => total > 0 && !is_text,
    }
}
