//! Copies of few bytes. A copy of any length is a call of its own in WebAssembly, which costs more than the bytes do.

/// Copies all of `from` to a place of the same length.
pub fn copy(to: &mut [u8], from: &[u8]) {
    match from.len() {
        0 => {}
        1..=3 => {
            for at in [0, from.len() / 2, from.len() - 1] {
                to[at] = from[at];
            }
        }
        4..=7 => both_ends::<4>(to, from),
        8..=15 => both_ends::<8>(to, from),
        16..=31 => both_ends::<16>(to, from),
        32..=64 => both_ends::<32>(to, from),
        _ => to.copy_from_slice(from),
    }
}

/// The first and the last bytes, which meet or overlap.
fn both_ends<const BYTES: usize>(to: &mut [u8], from: &[u8]) {
    let (Some(first), Some(last)) = (from.first_chunk::<BYTES>(), from.last_chunk::<BYTES>())
    else {
        return;
    };
    if let Some(to) = to.first_chunk_mut::<BYTES>() {
        *to = *first;
    }
    if let Some(to) = to.last_chunk_mut::<BYTES>() {
        *to = *last;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_is_copied_whole() {
        for length in 0..200 {
            let from: Vec<u8> = (1..=length).collect();
            let mut to = vec![0; from.len()];
            copy(&mut to, &from);
            assert_eq!(to, from);
        }
    }
}
