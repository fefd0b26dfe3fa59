//! The sequences of a block: so many literals, then a copy of what was made before, again and again.
//!
//!   sequences := count [modes table table table stream]
//! The tables are of literal lengths, offsets and match lengths: predefined, one code, described, or as before.

use crate::bits::{Bits, REFILLED_BITS};
use crate::fse::{Code, Table};
use crate::window::Window;
use crate::{Broken, MARGIN};

pub const OFFSET_LOG_MAX: u32 = 8;
pub const LENGTH_LOG_MAX: u32 = 9;
/// The bits of three states to come are at most so many.
const STATES_BITS: u32 = OFFSET_LOG_MAX + 2 * LENGTH_LOG_MAX;

const fn plain_codes<const N: usize>(first: u32, plain: usize, extra: &[u8]) -> [Code; N] {
    let mut codes = [(0, 0); N];
    let (mut at, mut base) = (0, first);
    while at < N {
        let bits = if at < plain { 0 } else { extra[at - plain] };
        codes[at] = (base, bits);
        base += 1 << bits;
        at += 1;
    }
    codes
}

pub const LITERAL_CODES: [Code; 36] = plain_codes(
    0,
    16,
    &[
        1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
    ],
);
pub const MATCH_CODES: [Code; 53] = plain_codes(
    3,
    32,
    &[
        1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
    ],
);
pub const OFFSET_CODES: [Code; 32] = {
    let mut codes = [(0, 0); 32];
    let mut at = 0u8;
    while at < 32 {
        codes[at as usize] = (1 << at, at);
        at += 1;
    }
    codes
};

const LITERAL_SHARES: [i16; 36] = [
    4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1,
    -1, -1, -1, -1,
];
const MATCH_SHARES: [i16; 53] = [
    1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
];
const OFFSET_SHARES: [i16; 29] = [
    1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1,
];

/// One of the three tables, with what it is where nothing is described.
pub struct Kind {
    codes: &'static [Code],
    log_max: u32,
    shares: (u32, &'static [i16]),
}

pub const LITERALS: Kind = Kind {
    codes: &LITERAL_CODES,
    log_max: LENGTH_LOG_MAX,
    shares: (6, &LITERAL_SHARES),
};
pub const OFFSETS: Kind = Kind {
    codes: &OFFSET_CODES,
    log_max: OFFSET_LOG_MAX,
    shares: (5, &OFFSET_SHARES),
};
pub const MATCHES: Kind = Kind {
    codes: &MATCH_CODES,
    log_max: LENGTH_LOG_MAX,
    shares: (6, &MATCH_SHARES),
};

impl Kind {
    /// Reads a table that is described, and says how long that is.
    pub fn read(&self, table: &mut Table, bytes: &[u8]) -> Result<usize, Broken> {
        table.read(bytes, self.log_max, Some(self.codes))
    }

    /// Makes the table ready that a block asks for. Returns how much of `bytes` describes it.
    fn prepare(&self, table: &mut Table, mode: u8, bytes: &[u8]) -> Result<usize, Broken> {
        match mode {
            0 => table.build(self.shares.0, self.shares.1, Some(self.codes)),
            1 => {
                let code = *bytes.first().ok_or(Broken)?;
                table.set_single(*self.codes.get(usize::from(code)).ok_or(Broken)?);
                return Ok(1);
            }
            2 => return self.read(table, bytes),
            _ if table.is_set => {}
            _ => return Err(Broken),
        }
        Ok(0)
    }
}

/// What sequences need of those before.
#[derive(Clone)]
pub struct Sequences {
    pub literals: Table,
    pub offsets: Table,
    pub matches: Table,
    /// The last three offsets, the last one first.
    pub recent: [usize; 3],
}

impl Sequences {
    pub fn new() -> Sequences {
        Sequences {
            literals: Table::new(),
            offsets: Table::new(),
            matches: Table::new(),
            recent: [1, 4, 8],
        }
    }

    /// A frame begins, to which nothing was described yet.
    pub fn reset(&mut self) {
        for table in [&mut self.literals, &mut self.offsets, &mut self.matches] {
            table.is_set = false;
        }
        self.recent = [1, 4, 8];
    }

    /// Carries out what `bytes`, the rest of a block, say of `count` literals.
    pub fn run(
        &mut self,
        bytes: &[u8],
        (literals, count): (&[u8], usize),
        window: &mut Window,
    ) -> Result<(), Broken> {
        let (sequences, header) = match *bytes {
            [0, ..] => (0, 1),
            [first @ ..128, ..] => (usize::from(first), 1),
            [first @ ..=254, second, ..] => {
                ((usize::from(first) - 128) * 256 + usize::from(second), 2)
            }
            [255, second, third, ..] => {
                (usize::from(second) + usize::from(third) * 256 + 0x7f00, 3)
            }
            _ => return Err(Broken),
        };
        if sequences == 0 {
            let is_all = bytes.len() == header;
            return if is_all {
                window.literals(literals, 0, count)
            } else {
                Err(Broken)
            };
        }
        let mut at = header + 1;
        let modes = *bytes.get(header).ok_or(Broken)?;
        at += LITERALS.prepare(&mut self.literals, modes >> 6, &bytes[at..])?;
        at += OFFSETS.prepare(&mut self.offsets, modes >> 4 & 3, &bytes[at..])?;
        at += MATCHES.prepare(&mut self.matches, modes >> 2 & 3, &bytes[at..])?;
        let mut bits = Bits::new(&bytes[at..]).ok_or(Broken)?;
        let read = self.carry_out(&mut bits, sequences, literals, count, window)?;
        window.literals(literals, read, count - read)
    }

    /// Returns how many literals were taken.
    fn carry_out(
        &mut self,
        bits: &mut Bits<'_>,
        sequences: usize,
        literals: &[u8],
        count: usize,
        window: &mut Window,
    ) -> Result<usize, Broken> {
        debug_assert!(literals.len() >= count + MARGIN);
        let mut literal = self.literals.first(bits);
        let mut offset = self.offsets.first(bits);
        let mut matched = self.matches.first(bits);
        let mut recent = self.recent;
        let mut taken = 0;
        for left in (0..sequences).rev() {
            bits.refill();
            let extra_bits = u32::from(offset.extra_bits)
                + u32::from(matched.extra_bits)
                + u32::from(literal.extra_bits);
            let number = offset.base as usize + read(bits, offset.extra_bits);
            let is_long = extra_bits > REFILLED_BITS - STATES_BITS;
            if is_long {
                bits.refill();
            }
            let match_bytes = matched.base as usize + read(bits, matched.extra_bits);
            let literal_bytes = literal.base as usize + read(bits, literal.extra_bits);
            if is_long {
                bits.refill();
            }
            if left > 0 {
                literal = self.literals.next(literal, bits);
                matched = self.matches.next(matched, bits);
                offset = self.offsets.next(offset, bits);
            }
            let distance = back(number, literal_bytes, &mut recent);
            if literal_bytes > count - taken {
                return Err(Broken);
            }
            window.literals(literals, taken, literal_bytes)?;
            taken += literal_bytes;
            window.repeat(distance, match_bytes)?;
        }
        if bits.left() != 0 {
            return Err(Broken);
        }
        self.recent = recent;
        Ok(taken)
    }
}

#[inline(always)]
#[allow(clippy::cast_possible_truncation)]
fn read(bits: &mut Bits<'_>, count: u8) -> usize {
    bits.read(u32::from(count)) as usize
}

/// How far back a match lies: one of the last three, or what the number says.
#[inline(always)]
fn back(number: usize, literal_bytes: usize, recent: &mut [usize; 3]) -> usize {
    let [last, second, third] = *recent;
    if number > 3 {
        *recent = [number - 3, last, second];
        return number - 3;
    }
    // Without literals before it, the last one would have been one longer match: the others move up.
    match number + usize::from(literal_bytes == 0) {
        1 => last,
        2 => {
            *recent = [second, last, third];
            second
        }
        3 => {
            *recent = [third, last, second];
            third
        }
        _ => {
            let before = last.wrapping_sub(1);
            *recent = [before, last, second];
            before
        }
    }
}
