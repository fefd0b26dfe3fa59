//! Stands for the parser of a format whose decoder is in another module: tells so, and reads nothing.

use super::parser::Parser;
use super::record::Sink;
use crate::error::{Damage, code};

#[derive(Default)]
pub struct Unread {
    has_told: bool,
}

impl Parser for Unread {
    fn wanted(&self) -> u64 {
        u64::MAX
    }

    fn feed(&mut self, bytes: &[u8], _sink: &mut dyn Sink) -> usize {
        bytes.len()
    }

    fn finish(&mut self, end: u64, sink: &mut dyn Sink) -> bool {
        if !std::mem::replace(&mut self.has_told, true) {
            sink.damage(Damage {
                code: code::NEEDS_TOOLS,
                offset: 0,
                skipped: end,
                message: "this part of Stackroom does not read the format".into(),
            });
        }
        true
    }
}
