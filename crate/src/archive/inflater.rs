//! miniz_oxide in the place of zlib-rs, with the part of its interface that gzip members need: for the benchmark
//! `formats`, which decides between them. Built with the feature `miniz` only.

use miniz_oxide::inflate::stream::{InflateState, MinReset, inflate};
use miniz_oxide::{DataFormat, MZError, MZFlush, MZStatus};

pub enum InflateFlush {
    NoFlush,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Ok,
    BufError,
    StreamEnd,
}

pub struct Inflate {
    state: Box<InflateState>,
    total_in: u64,
    total_out: u64,
}

impl Inflate {
    /// Bare deflate data only, whatever is asked for.
    pub fn new(_has_header: bool, _window_bits: u8) -> Inflate {
        Inflate {
            state: InflateState::new_boxed(DataFormat::Raw),
            total_in: 0,
            total_out: 0,
        }
    }

    pub fn reset(&mut self, _has_header: bool) {
        self.state.reset_as(MinReset);
        self.total_in = 0;
        self.total_out = 0;
    }

    pub fn total_in(&self) -> u64 {
        self.total_in
    }

    pub fn total_out(&self) -> u64 {
        self.total_out
    }

    pub fn decompress(
        &mut self,
        input: &[u8],
        output: &mut [u8],
        _flush: InflateFlush,
    ) -> Result<Status, MZError> {
        let result = inflate(&mut self.state, input, output, MZFlush::None);
        self.total_in += result.bytes_consumed as u64;
        self.total_out += result.bytes_written as u64;
        match result.status {
            Ok(MZStatus::StreamEnd) => Ok(Status::StreamEnd),
            Ok(_) => Ok(Status::Ok),
            Err(MZError::Buf) => Ok(Status::BufError),
            Err(error) => Err(error),
        }
    }
}
