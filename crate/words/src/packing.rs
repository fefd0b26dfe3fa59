//! Numbers in as few bits as most of them need, and what is above that of the others apart.
//!
//!   packed := few | many
//!   few    := value:varint*                           fewer than 8 values
//!   many   := group*                                  of 128 values, the last one of fewer
//!   group  := width:u8 [exceptions:u8] bits exception*    128 is added to the width where there are exceptions
//!   exception := place:u8 rest:varint                 the value at that place is rest shifted by the width, or the bits
//! Bits are the low `width` bits of each value, lowest bit of the lowest byte first, up to a whole byte.
//! How many values there are is known otherwise.

/// Values that share a width.
const GROUP: usize = 128;
const FEW: usize = 8;
const HAS_EXCEPTIONS: u8 = 128;
const WIDTH_MAX: usize = 32;
/// Values for which there is room before any is read.
const ROOM_MAX: usize = 1 << 10;

/// These are no packed numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreadable;

pub fn pack(values: &[u32], out: &mut Vec<u8>) {
    if values.len() < FEW {
        for value in values {
            push_varint(out, *value);
        }
        return;
    }
    for group in values.chunks(GROUP) {
        pack_group(group, out);
    }
}

fn pack_group(group: &[u32], out: &mut Vec<u8>) {
    // Of each number of bits, how many values need just that many.
    let mut of_width = [0usize; WIDTH_MAX + 1];
    for value in group {
        of_width[bits_of(*value)] += 1;
    }
    let most = (0..=WIDTH_MAX)
        .rev()
        .find(|width| of_width[*width] > 0)
        .unwrap_or(0);
    let (mut best, mut best_bytes) = (most, (group.len() * most).div_ceil(8));
    let (mut above, mut above_bytes) = (0, 1);
    for width in (0..most).rev() {
        above += of_width[width + 1];
        // A byte for the place, and one for each seven bits of the rest, about.
        above_bytes = above_bytes.max(1) + of_width[width + 1] * 2;
        let bytes = (group.len() * width).div_ceil(8) + above_bytes + above * (most - width) / 14;
        if bytes < best_bytes && above < 256 {
            (best, best_bytes) = (width, bytes);
        }
    }
    let limit = 1u64 << best;
    let exceptions = group
        .iter()
        .filter(|value| u64::from(**value) >= limit)
        .count();
    let width = u8::try_from(best).unwrap_or_default();
    if exceptions > 0 {
        out.push(width | HAS_EXCEPTIONS);
        out.push(u8::try_from(exceptions).unwrap_or_default());
    } else {
        out.push(width);
    }
    let (mut held, mut bits) = (0u64, 0);
    for value in group {
        held |= (u64::from(*value) & (limit - 1)) << bits;
        bits += best;
        while bits >= 8 {
            out.push((held & 0xff) as u8);
            held >>= 8;
            bits -= 8;
        }
    }
    if bits > 0 {
        out.push((held & 0xff) as u8);
    }
    for (place, value) in group.iter().enumerate() {
        if u64::from(*value) >= limit {
            out.push(u8::try_from(place).unwrap_or_default());
            push_varint(out, value.checked_shr(u32::from(width)).unwrap_or(0));
        }
    }
}

/// Appends so many values to `values`, and tells how many bytes they took.
pub fn unpack(bytes: &[u8], count: usize, values: &mut Vec<u32>) -> Result<usize, Unreadable> {
    let mut at = 0;
    // Anybody may have written how many there are.
    values.reserve(count.min(ROOM_MAX));
    if count < FEW {
        for _ in 0..count {
            values.push(read_varint(bytes, &mut at)?);
        }
        return Ok(at);
    }
    let mut left = count;
    while left > 0 {
        let group = left.min(GROUP);
        unpack_group(bytes, &mut at, group, values)?;
        left -= group;
    }
    Ok(at)
}

fn unpack_group(
    bytes: &[u8],
    at: &mut usize,
    group: usize,
    values: &mut Vec<u32>,
) -> Result<(), Unreadable> {
    let head = *bytes.get(*at).ok_or(Unreadable)?;
    *at += 1;
    let mut exceptions = 0;
    if head & HAS_EXCEPTIONS != 0 {
        exceptions = *bytes.get(*at).ok_or(Unreadable)?;
        *at += 1;
    }
    let width = usize::from(head & !HAS_EXCEPTIONS);
    if width > WIDTH_MAX {
        return Err(Unreadable);
    }
    let packed_bytes = (group * width).div_ceil(8);
    let packed = bytes.get(*at..*at + packed_bytes).ok_or(Unreadable)?;
    *at += packed_bytes;
    let from = values.len();
    unpack_bits(packed, width, group, values);
    for _ in 0..exceptions {
        let place = usize::from(*bytes.get(*at).ok_or(Unreadable)?);
        *at += 1;
        let rest = read_varint(bytes, at)?;
        let value = values[from..].get_mut(place).ok_or(Unreadable)?;
        *value |= rest
            .checked_shl(u32::from(head & !HAS_EXCEPTIONS))
            .unwrap_or(0);
    }
    Ok(())
}

/// Each value out of the eight bytes where it begins, which waits for no value before it.
fn unpack_bits(packed: &[u8], width: usize, count: usize, values: &mut Vec<u32>) {
    let mask = (1u64 << width) - 1;
    let value = |bytes: &[u8], bit: usize| {
        let word = bytes.get(bit / 8..).and_then(<[u8]>::first_chunk::<8>);
        let word = word.map_or(0, |word| u64::from_le_bytes(*word));
        u32::try_from((word >> (bit % 8)) & mask).unwrap_or_default()
    };
    // Behind these there are no eight bytes.
    let far = (packed.len() * 8).saturating_sub(56).div_ceil(width.max(1));
    let far = far.min(count);
    values.extend((0..far).map(|n| value(packed, n * width)));
    let base = far * width / 8;
    let rest = packed.get(base..).unwrap_or_default();
    let mut padded = [0u8; 16];
    let end = rest.len().min(8);
    padded[..end].copy_from_slice(&rest[..end]);
    values.extend((far..count).map(|n| value(&padded, n * width - base * 8)));
}

fn bits_of(value: u32) -> usize {
    (u32::BITS - value.leading_zeros()) as usize
}

pub fn push_varint(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push((value & 0x7f) as u8);
}

fn read_varint(bytes: &[u8], at: &mut usize) -> Result<u32, Unreadable> {
    let mut value = 0u32;
    for shift in [0, 7, 14, 21, 28] {
        let byte = *bytes.get(*at).ok_or(Unreadable)?;
        *at += 1;
        value |= u32::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(value);
        }
    }
    Err(Unreadable)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of many sizes, the same each time.
    fn samples() -> Vec<Vec<u32>> {
        let mut state = 7u64;
        let mut random = move || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            u32::try_from(state >> 33).expect("31 bits") << 1
        };
        let mut samples = vec![vec![u32::MAX; 200], vec![0; 128], (0..300).collect()];
        for count in [0, 1, 7, 8, 9, 127, 128, 129, 256, 1000] {
            for shift in [0, 8, 20, 28, 31] {
                let mut values: Vec<u32> = (0..count).map(|_| random() >> shift).collect();
                samples.push(values.clone());
                for value in values.iter_mut().step_by(9) {
                    *value = random();
                }
                samples.push(values);
            }
        }
        samples
    }

    #[test]
    fn numbers_come_back_as_they_went_in() {
        for values in samples() {
            let mut bytes = Vec::new();
            pack(&values, &mut bytes);
            let (length, mut read) = (bytes.len(), vec![9]);
            bytes.extend([1, 2, 3]);
            assert_eq!(unpack(&bytes, values.len(), &mut read), Ok(length));
            assert_eq!(&read[1..], values);
        }
    }

    #[test]
    fn few_large_numbers_do_not_widen_the_others() {
        let mut values = vec![1; 128];
        values[5] = 1_000_000;
        let mut bytes = Vec::new();
        pack(&values, &mut bytes);
        assert!(bytes.len() <= 24, "{} bytes", bytes.len());
    }

    #[test]
    fn cut_and_changed_bytes_are_read_to_an_end() {
        for values in samples().iter().filter(|values| values.len() < 300) {
            let mut bytes = Vec::new();
            pack(values, &mut bytes);
            for length in 0..bytes.len() {
                assert_eq!(
                    unpack(&bytes[..length], values.len(), &mut Vec::new()),
                    Err(Unreadable)
                );
            }
            for at in 0..bytes.len() {
                for byte in [0, 1, 0x7f, 0x80, 0xff] {
                    let before = std::mem::replace(&mut bytes[at], byte);
                    let _ = unpack(&bytes, values.len(), &mut Vec::new());
                    bytes[at] = before;
                }
            }
        }
    }
}
