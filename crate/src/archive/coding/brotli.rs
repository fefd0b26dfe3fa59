//! The coding br.

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};

use super::{Decode, State, Step};

type Decoder = BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>;

pub struct Brotli {
    /// Windows as HTTP has them, of 16 MiB at most: the larger ones of a draft are refused.
    decoder: Box<Decoder>,
}

impl Brotli {
    pub fn new() -> Brotli {
        let alloc = StandardAlloc::default;
        Brotli {
            decoder: Box::new(Decoder::new_strict(alloc(), alloc(), alloc())),
        }
    }
}

impl Decode for Brotli {
    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Step {
        let (mut left, mut taken) = (input.len(), 0);
        let (mut room, mut made) = (output.len(), 0);
        let mut total = 0;
        let result = BrotliDecompressStream(
            &mut left,
            &mut taken,
            input,
            &mut room,
            &mut made,
            output,
            &mut total,
            &mut self.decoder,
        );
        let state = match result {
            BrotliResult::ResultSuccess => State::Ended,
            BrotliResult::NeedsMoreInput | BrotliResult::NeedsMoreOutput => State::Going,
            BrotliResult::ResultFailure => State::Broken,
        };
        Step { taken, made, state }
    }

    fn close(&mut self) -> bool {
        false
    }
}
