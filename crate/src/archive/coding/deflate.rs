//! The codings gzip and deflate.

use zlib_rs::{Inflate, InflateFlush, Status};

use super::{Decode, State, Step};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrapper {
    Gzip,
    Zlib,
    Bare,
}

pub struct Deflate {
    inflate: Inflate,
    wrapper: Wrapper,
    /// Between two gzip members: bytes of the mark of a further one that were seen.
    seen: Option<usize>,
}

const GZIP_MARK: [u8; 2] = [0x1f, 0x8b];

impl Deflate {
    pub fn new(wrapper: Wrapper) -> Deflate {
        Deflate {
            inflate: inflate_for(wrapper),
            wrapper,
            seen: None,
        }
    }

    /// Further members are part of the body; anything else after the end is not.
    fn between(&mut self, input: &[u8], mut seen: usize) -> Step {
        let mut taken = 0;
        while seen < GZIP_MARK.len() && taken < input.len() {
            if input[taken] != GZIP_MARK[seen] {
                return step(taken, 0, State::Ended);
            }
            seen += 1;
            taken += 1;
        }
        self.seen = Some(seen);
        if seen == GZIP_MARK.len() {
            self.seen = None;
            self.inflate = inflate_for(Wrapper::Gzip);
            if self
                .inflate
                .decompress(&GZIP_MARK, &mut [], InflateFlush::NoFlush)
                .is_err()
            {
                return step(taken, 0, State::Broken);
            }
        }
        step(taken, 0, State::Going)
    }
}

impl Decode for Deflate {
    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Step {
        if let Some(seen) = self.seen {
            return self.between(input, seen);
        }
        let (taken_before, made_before) = (self.inflate.total_in(), self.inflate.total_out());
        let status = self
            .inflate
            .decompress(input, output, InflateFlush::NoFlush);
        let taken = usize::try_from(self.inflate.total_in() - taken_before).unwrap_or(input.len());
        let made = usize::try_from(self.inflate.total_out() - made_before).unwrap_or(0);
        let state = match status {
            Err(_) => State::Broken,
            Ok(Status::StreamEnd) if self.wrapper == Wrapper::Gzip => {
                self.seen = Some(0);
                if taken == 0 && made == 0 {
                    return self.between(input, 0);
                }
                State::Going
            }
            Ok(Status::StreamEnd) => State::Ended,
            Ok(_) => State::Going,
        };
        step(taken, made, state)
    }

    fn close(&mut self) -> bool {
        self.seen.is_some()
    }
}

fn step(taken: usize, made: usize, state: State) -> Step {
    Step { taken, made, state }
}

fn inflate_for(wrapper: Wrapper) -> Inflate {
    match wrapper {
        Wrapper::Gzip => Inflate::new(true, 16 + 15),
        Wrapper::Zlib => Inflate::new(true, 15),
        Wrapper::Bare => Inflate::new(false, 15),
    }
}
