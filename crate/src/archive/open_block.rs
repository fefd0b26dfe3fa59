//! Blocks in compressed members of which no length is known, or a wrong one: they go on to the next record of
//! the member, or to the member's end. The newlines before that are not theirs.

use super::machine::{Machine, State};
use super::record::Sink;

impl Machine {
    /// Whether the block goes on to the next record of the member, or to the member's end.
    pub(super) fn ends_with_member(&self) -> bool {
        self.is_open_ended && !self.is_plain && !self.may_span
    }

    /// Whether the member being read is that of the record, and begins with it: then its end says more of
    /// where the record ends than the length that is stated.
    pub(super) fn is_first_in_member(&self) -> bool {
        let is_first = self.start == 0 && self.record.offset == self.member;
        is_first && !self.is_plain && !self.may_span
    }

    /// The block goes on behind its stated length, with what came by in the gap and then `seen`.
    pub(super) fn open_again(&mut self, seen: &[u8], sink: &mut dyn Sink) {
        self.is_short = true;
        self.is_open_ended = true;
        self.inside = Some(self.hunt_at(self.block_end, false));
        self.state = State::Block;
        self.probed = 0;
        self.newlines = 0;
        let mut bytes = std::mem::take(&mut self.held);
        bytes.extend_from_slice(seen);
        self.in_open_block(&bytes, self.block_end, sink);
    }

    /// Content up to where the next record begins, if that is here. What may be newlines before it is held.
    pub(super) fn in_open_block(&mut self, bytes: &[u8], place: u64, sink: &mut dyn Sink) -> usize {
        let Some(hunt) = &mut self.inside else {
            return bytes.len();
        };
        let Some(found) = hunt.seeker.feed(bytes) else {
            let beginning = hunt.seeker.beginning();
            self.held.extend_from_slice(bytes);
            let held = match beginning {
                Some((seen, newlines)) => seen + usize::try_from(newlines).unwrap_or(0),
                None => self.held_newlines(),
            };
            self.release_all_but(held, sink);
            return bytes.len();
        };
        let start = hunt.base + found.at;
        let taken = usize::try_from(start.saturating_sub(place)).unwrap_or(0);
        self.held.extend_from_slice(&bytes[..taken]);
        let here = place + taken as u64;
        let newlines = usize::try_from(here - start + found.newlines).unwrap_or(0);
        self.release_all_but(newlines, sink);
        self.state = State::Gap;
        self.block_end = here - self.held.len() as u64;
        let rest = std::mem::take(&mut self.held);
        let _ = self.data(&rest, self.block_end, sink);
        taken
    }

    /// How many newlines what is held ends with, as far as they are the record's own.
    pub(super) fn held_newlines(&self) -> usize {
        let due = usize::try_from(self.framing.newlines_due()).unwrap_or(0);
        let is_newline = |byte: &&u8| matches!(byte, b'\r' | b'\n');
        self.held
            .iter()
            .rev()
            .take(due)
            .take_while(is_newline)
            .count()
    }

    /// What is held is content, but for so many bytes at its end.
    pub(super) fn release_all_but(&mut self, bytes: usize, sink: &mut dyn Sink) {
        let rest = self.held.split_off(self.held.len().saturating_sub(bytes));
        self.block.content(&self.held, sink);
        self.held = rest;
    }
}
