//! Huffman codes of literals: their table, and streams of them.
//!
//!   table := length:u8 fse-coded-weights  |  127+count:u8 weight:4 bits*
//! A weight says of how many of the longest codes a symbol takes the place; the last one follows from the others.

use crate::Broken;
use crate::bits::{Bits, REFILLED_BITS};
use crate::fse::Table;

const BITS_MAX: u32 = 11;
const WEIGHT_LOG_MAX: u32 = 6;
/// So many symbols are in what one refill makes ready.
const AT_ONCE: usize = 5;
const _: () = assert!(AT_ONCE * (BITS_MAX as usize) < REFILLED_BITS as usize - 1);

#[derive(Clone)]
pub struct Huffman {
    /// Symbol and number of bits of the code that begins so.
    codes: Box<[[u8; 2]; 1 << BITS_MAX]>,
    pub is_set: bool,
    weights: Table,
}

impl Huffman {
    pub fn new() -> Huffman {
        Huffman {
            codes: Box::new([[0; 2]; 1 << BITS_MAX]),
            is_set: false,
            weights: Table::new(),
        }
    }

    /// Becomes the table that is described at the start of `bytes`, and says how long that is.
    pub fn read(&mut self, bytes: &[u8]) -> Result<usize, Broken> {
        self.is_set = false;
        let (&length, rest) = bytes.split_first().ok_or(Broken)?;
        let mut weights = [0u8; 256];
        let length = usize::from(length);
        let (used, count) = if length < 128 {
            let coded = rest.get(..length).ok_or(Broken)?;
            (length, self.coded_weights(coded, &mut weights)?)
        } else {
            let count = length - 127;
            let pairs = rest.get(..count.div_ceil(2)).ok_or(Broken)?;
            for (to, pair) in weights.chunks_exact_mut(2).zip(pairs) {
                to.copy_from_slice(&[pair >> 4, pair & 0xf]);
            }
            (pairs.len(), count)
        };
        self.build(&mut weights, count)?;
        Ok(1 + used)
    }

    fn coded_weights(&mut self, bytes: &[u8], weights: &mut [u8; 256]) -> Result<usize, Broken> {
        let used = self.weights.read(bytes, WEIGHT_LOG_MAX, None)?;
        let mut bits = Bits::new(&bytes[used..]).ok_or(Broken)?;
        let mut turn = [self.weights.first(&mut bits), self.weights.first(&mut bits)];
        // Two chains of states take turns; the stream ends where one of them finds no bits for its next state.
        let mut count = 0;
        loop {
            let symbol = |number: u32| u8::try_from(number).map_err(|_| Broken);
            if count > 253 {
                return Err(Broken);
            }
            weights[count] = symbol(turn[0].base)?;
            count += 1;
            bits.refill();
            let next = self.weights.next(turn[0], &mut bits);
            if bits.left() < 0 {
                weights[count] = symbol(turn[1].base)?;
                return Ok(count + 1);
            }
            turn = [turn[1], next];
        }
    }

    /// `count` weights are known.
    fn build(&mut self, weights: &mut [u8; 256], count: usize) -> Result<(), Broken> {
        let mut sum = 0u32;
        for &weight in &weights[..count] {
            if u32::from(weight) > BITS_MAX {
                return Err(Broken);
            }
            sum += 1 << weight >> 1;
        }
        let log = sum.checked_ilog2().ok_or(Broken)? + 1;
        let left = (1 << log) - sum;
        if log > BITS_MAX || !left.is_power_of_two() || count > 255 {
            return Err(Broken);
        }
        weights[count] = u8::try_from(left.ilog2() + 1).unwrap_or(0);
        let run = |weight: u8| (1usize << weight >> 1) << (BITS_MAX - log);
        let mut places = [0; 1 + BITS_MAX as usize];
        for &weight in &weights[..=count] {
            places[usize::from(weight)] += run(weight);
        }
        let mut at = 0;
        for place in &mut places {
            at += std::mem::replace(place, at);
        }
        for (symbol, &weight) in (0u8..=255).zip(&weights[..=count]) {
            let place = &mut places[usize::from(weight)];
            let bits = u8::try_from(log + 1).unwrap_or(0).saturating_sub(weight);
            let codes = self
                .codes
                .get_mut(*place..*place + run(weight))
                .ok_or(Broken)?;
            codes.fill([symbol, bits]);
            *place += run(weight);
        }
        self.is_set = at == self.codes.len();
        if self.is_set { Ok(()) } else { Err(Broken) }
    }

    /// Reads a stream that is all of `block[start..end]` and fills `out` just so.
    pub fn one(
        &self,
        block: &[u8],
        (start, end): (usize, usize),
        out: &mut [u8],
    ) -> Result<(), Broken> {
        self.streams(block, [(start, end)], [out])
    }

    /// Reads four streams that follow one another, of which the first three are of one length.
    pub fn four(
        &self,
        block: &[u8],
        ranges: [(usize, usize); 4],
        out: &mut [u8],
    ) -> Result<(), Broken> {
        let quarter = out.len().div_ceil(4);
        let (a, rest) = out.split_at_mut_checked(quarter).ok_or(Broken)?;
        let (b, rest) = rest.split_at_mut_checked(quarter).ok_or(Broken)?;
        let (c, d) = rest.split_at_mut_checked(quarter).ok_or(Broken)?;
        self.streams(block, ranges, [a, b, c, d])
    }

    /// Streams are read side by side, since none has to wait for the other then.
    fn streams<const N: usize>(
        &self,
        block: &[u8],
        ranges: [(usize, usize); N],
        outs: [&mut [u8]; N],
    ) -> Result<(), Broken> {
        let mut streams = [Stream::default(); N];
        for (stream, (start, end)) in streams.iter_mut().zip(ranges) {
            *stream = Stream::new(block, start, end).ok_or(Broken)?;
        }
        let mut outs = outs.map(<[u8]>::as_chunks_mut::<AT_ONCE>);
        let rounds = outs
            .iter()
            .map(|(chunks, _)| chunks.len())
            .min()
            .unwrap_or(0);
        let mut round = 0;
        while round < rounds && streams.iter().all(|stream| stream.end >= 16) {
            let mut words = streams.each_mut().map(|stream| stream.word(block));
            let mut made = [[0; AT_ONCE]; N];
            for at in 0..AT_ONCE {
                for (word, made) in words.iter_mut().zip(&mut made) {
                    let [symbol, bits] = self.code(*word >> (64 - BITS_MAX));
                    made[at] = symbol;
                    *word <<= bits & 63;
                }
            }
            for (stream, word) in streams.iter_mut().zip(words) {
                stream.used = word.trailing_zeros();
            }
            for ((chunks, _), made) in outs.iter_mut().zip(made) {
                chunks[round] = made;
            }
            round += 1;
        }
        for ((stream, (start, end)), (chunks, rest)) in streams.iter().zip(ranges).zip(outs) {
            let left = stream.left(start).ok_or(Broken)?;
            let mut bits = Bits::at(&block[start..end], left);
            for to in chunks[round..].as_flattened_mut().iter_mut().chain(rest) {
                bits.refill();
                let [symbol, count] = self.code(bits.peek(BITS_MAX));
                bits.pass(u32::from(count));
                *to = symbol;
            }
            if bits.left() != 0 {
                return Err(Broken);
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn code(&self, start: u64) -> [u8; 2] {
        #[allow(clippy::cast_possible_truncation)]
        self.codes[start as usize & ((1 << BITS_MAX) - 1)]
    }
}

/// A stream inside a block: what lies before it there may be read, but is not heeded.
#[derive(Clone, Copy, Default)]
struct Stream {
    /// Where what is read next ends, but for the highest so many bits, which were read.
    end: usize,
    used: u32,
}

impl Stream {
    fn new(block: &[u8], start: usize, end: usize) -> Option<Stream> {
        let last = block.get(start..end)?.last().filter(|last| **last != 0)?;
        let used = last.leading_zeros() + 1;
        Some(Stream { end, used })
    }

    /// The next bits from the highest down, and a one behind them: the zeros below it tell how many have gone.
    #[inline(always)]
    fn word(&mut self, block: &[u8]) -> u64 {
        self.end -= (self.used >> 3) as usize;
        self.used &= 7;
        let eight = block
            .get(self.end - 8..self.end)
            .and_then(<[u8]>::first_chunk);
        let word = eight.map_or(0, |eight| u64::from_le_bytes(*eight));
        (word | 1) << self.used
    }

    /// Bits that are not read yet.
    fn left(&self, start: usize) -> Option<usize> {
        (self.end.checked_sub(start)? * 8).checked_sub(self.used as usize)
    }
}
