//! Tables of finite state entropy coding.
//!
//!   description := log-5:4 bits, then of each symbol how often it comes, until all of the table is given away
//! A table is a list of states. Each stands for a code, and says which states may come next: `next` and the
//! number that the following `bits` bits are.

use crate::Broken;
use crate::bits::Bits;

/// What a code stands for: a number, to which the following so many bits are added.
pub type Code = (u32, u8);

const STATES_MAX: usize = 512;
const SYMBOLS_MAX: usize = 256;
/// How often a symbol comes that comes less than once.
const RARE: i16 = -1;

#[derive(Clone, Copy, Default)]
pub struct State {
    pub next: u16,
    pub bits: u8,
    pub extra_bits: u8,
    pub base: u32,
}

#[derive(Clone)]
pub struct Table {
    states: Box<[State; STATES_MAX]>,
    log: u32,
    pub is_set: bool,
}

impl Table {
    pub fn new() -> Table {
        Table {
            states: Box::new([State::default(); STATES_MAX]),
            log: 0,
            is_set: false,
        }
    }

    /// Becomes the table of one code that always comes.
    pub fn set_single(&mut self, (base, extra_bits): Code) {
        self.states[0] = State {
            next: 0,
            bits: 0,
            extra_bits,
            base,
        };
        self.log = 0;
        self.is_set = true;
    }

    /// Becomes the table that is described at the start of `bytes`, and says how long that is. Symbols
    /// stand for themselves where there are no `codes`.
    pub fn read(
        &mut self,
        bytes: &[u8],
        log_max: u32,
        codes: Option<&[Code]>,
    ) -> Result<usize, Broken> {
        let symbols_max = codes.map_or(SYMBOLS_MAX, <[Code]>::len);
        let mut shares = [0; SYMBOLS_MAX];
        let (log, symbols, used) = read_shares(bytes, &mut shares[..symbols_max]).ok_or(Broken)?;
        if log > log_max {
            return Err(Broken);
        }
        self.build(log, &shares[..symbols], codes);
        Ok(used)
    }

    /// Becomes the table in which each symbol has its share of the states; together they must be all of them.
    pub fn build(&mut self, log: u32, shares: &[i16], codes: Option<&[Code]>) {
        let size = 1usize << log;
        let mut symbols = [0u8; STATES_MAX];
        let mut counts = [0u16; SYMBOLS_MAX];
        let mut high = size;
        for (symbol, &share) in (0u8..=255).zip(shares) {
            if share == RARE {
                high -= 1;
                symbols[high & (STATES_MAX - 1)] = symbol;
            }
            counts[usize::from(symbol)] = share.unsigned_abs();
        }
        let step = (size >> 1) + (size >> 3) + 3;
        let mut at = 0;
        for (symbol, &share) in (0u8..=255).zip(shares) {
            for _ in 0..share.max(0) {
                symbols[at & (STATES_MAX - 1)] = symbol;
                at = (at + step) & (size - 1);
                while at >= high && high > 0 {
                    at = (at + step) & (size - 1);
                }
            }
        }
        for (state, &symbol) in self.states[..size].iter_mut().zip(&symbols) {
            let count = &mut counts[usize::from(symbol)];
            let bits = log - count.checked_ilog2().unwrap_or(0).min(log);
            let next = u32::from(*count) << bits;
            *count = count.wrapping_add(1);
            let of_codes = codes.and_then(|codes| codes.get(usize::from(symbol)));
            let (base, extra_bits) = of_codes.copied().unwrap_or((u32::from(symbol), 0));
            *state = State {
                next: u16::try_from(next.saturating_sub(1 << log)).unwrap_or(0),
                bits: u8::try_from(bits).unwrap_or(0),
                extra_bits,
                base,
            };
        }
        self.log = log;
        self.is_set = true;
    }

    /// The state that a stream begins with.
    #[inline(always)]
    pub fn first(&self, bits: &mut Bits<'_>) -> State {
        bits.refill();
        self.state(bits.read(self.log))
    }

    /// The state that follows; its bits must be ready.
    #[inline(always)]
    pub fn next(&self, state: State, bits: &mut Bits<'_>) -> State {
        self.state(u64::from(state.next) + bits.read(u32::from(state.bits)))
    }

    #[inline(always)]
    fn state(&self, number: u64) -> State {
        #[allow(clippy::cast_possible_truncation)]
        self.states[number as usize & (STATES_MAX - 1)]
    }
}

/// How often each symbol comes. Returns logarithm, number of symbols and length of the description.
fn read_shares(bytes: &[u8], shares: &mut [i16]) -> Option<(u32, usize, usize)> {
    let mut at = 0;
    let peek = |at: usize, bits: u32| {
        let mut four = [0; 4];
        let known = bytes.get(at / 8..).unwrap_or(&[]);
        let count = known.len().min(4);
        four[..count].copy_from_slice(&known[..count]);
        u32::from_le_bytes(four) >> (at % 8) & ((1 << bits) - 1)
    };
    let log = peek(at, 4) + 5;
    at += 4;
    if log > 9 {
        return None;
    }
    let mut left = 1u32 << log;
    let mut symbol = 0;
    while left > 0 {
        // Numbers up to `left + 1` in as few bits as will do: small ones take one less.
        let bits = (left + 1).ilog2() + 1;
        let spared = (1 << bits) - 1 - (left + 1);
        let small_mask = (1 << (bits - 1)) - 1;
        let value = peek(at, bits);
        let is_small = value & small_mask < spared;
        let value = if is_small {
            value & small_mask
        } else if value > small_mask {
            value - spared
        } else {
            value
        };
        at += (bits - u32::from(is_small)) as usize;
        let share = i16::try_from(value).ok()? - 1;
        *shares.get_mut(symbol)? = share;
        symbol += 1;
        left = left.checked_sub(u32::from(share.unsigned_abs()))?;
        if share == 0 {
            loop {
                let zeros = peek(at, 2);
                at += 2;
                symbol += zeros as usize;
                if zeros < 3 || symbol > shares.len() {
                    break;
                }
            }
        }
    }
    let used = at.div_ceil(8);
    (symbol <= shares.len() && used <= bytes.len()).then_some((log, symbol, used))
}
