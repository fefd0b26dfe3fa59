//! What differs between the framing of WARC and that of ARC.

use super::arc::{Trust, UrlLine, could_be_line};
use super::hunt::{Found, Hunter, LineHunter};
use crate::error::{Code, code};

/// How records follow one another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Framing {
    #[default]
    Warc,
    Arc,
}

impl Framing {
    /// A record ends with so many newline bytes; what comes beyond belongs to nobody.
    pub fn newlines_due(self) -> u64 {
        match self {
            Framing::Warc => 4,
            Framing::Arc => 1,
        }
    }

    /// The code of a damage in this format.
    pub fn code(self, warc: Code) -> Code {
        match (self, warc) {
            (Framing::Arc, code::WARC_BAD_LENGTH) => code::ARC_BAD_LENGTH,
            (Framing::Arc, code::WARC_NO_LENGTH) => code::ARC_NO_LENGTH,
            (Framing::Arc, code::WARC_GARBAGE) => code::ARC_GARBAGE,
            (Framing::Arc, code::WARC_TRUNCATED) => code::ARC_TRUNCATED,
            (Framing::Arc, code::WARC_BAD_DATE) => code::ARC_BAD_DATE,
            _ => warc,
        }
    }

    /// Whether what comes after a block is just what should: then its length is right, and nobody asks what may
    /// look like a record in it.
    pub fn is_followed(self, rest: &[u8]) -> bool {
        const FOLLOWS: &[u8] = b"\r\n\r\nWARC/";
        self == Framing::Warc
            && rest.starts_with(FOLLOWS)
            && rest.get(FOLLOWS.len()).is_some_and(u8::is_ascii_digit)
    }

    /// Whether inflated bytes begin with a record. `None` while too little of them is known.
    pub fn begins_record(self, start: &[u8]) -> Option<bool> {
        if self == Framing::Warc {
            let known = start.len().min(5);
            let fits = start[..known].eq_ignore_ascii_case(&b"WARC/"[..known]);
            return (!fits || known == 5).then_some(fits);
        }
        match start.split_inclusive(|byte| *byte == b'\n').next() {
            Some(line) if line.ends_with(b"\n") => {
                Some(UrlLine::read(line, Trust::Found).is_some())
            }
            Some(line) if could_be_line(line) == Some(false) => Some(false),
            _ => None,
        }
    }

    /// A hunt for the next record.
    pub fn seeker(self, is_line_start: bool, has_odd_case: bool) -> Seeker {
        if self == Framing::Arc {
            return Seeker::Line(LineHunter::new(is_line_start));
        }
        let hunter = if is_line_start {
            Hunter::at_line_start()
        } else {
            Hunter::new()
        };
        Seeker::Start(if has_odd_case {
            hunter.in_odd_case()
        } else {
            hunter
        })
    }
}

/// Looks for a record of either framing.
pub enum Seeker {
    Start(Hunter),
    Line(LineHunter),
}

impl Seeker {
    pub fn feed(&mut self, bytes: &[u8]) -> Option<Found> {
        match self {
            Seeker::Start(hunter) => hunter.feed(bytes),
            Seeker::Line(hunter) => hunter.feed(bytes),
        }
    }

    /// How many bytes of a record start the stream ends with; and the newlines before them.
    pub fn beginning(&self) -> Option<(usize, u64)> {
        match self {
            Seeker::Start(hunter) => hunter.beginning(),
            Seeker::Line(hunter) => hunter.beginning(),
        }
    }

    /// How the start of a record is written, as far as it may have begun in an earlier piece.
    pub fn carried_start(&self) -> &[u8] {
        match self {
            Seeker::Start(hunter) => hunter.carried_start(),
            Seeker::Line(_) => &[],
        }
    }

    /// The URL line that was found, or that the stream ends with.
    pub fn line(&self) -> &[u8] {
        match self {
            Seeker::Start(_) => &[],
            Seeker::Line(hunter) => hunter.line(),
        }
    }
}
