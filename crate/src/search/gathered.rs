//! Rows that were gathered out of lists, put into a set all at once: one by one each would be looked up in it.

use roaring::RoaringBitmap;

/// Adds rows, in any order, some of them more than once.
pub fn add_all(found: Vec<u32>, rows: &mut RoaringBitmap) {
    let (Some(first), Some(last)) = (found.iter().min(), found.iter().max()) else {
        return;
    };
    let first = first - first % u8::BITS;
    let bytes = ((last - first) / u8::BITS) as usize + 1;
    // A bit for each row costs less than comparing, where there are not many more rows than those.
    if bytes / 8 <= found.len() {
        let mut bits = vec![0u8; bytes];
        for row in found {
            let at = row - first;
            bits[(at / u8::BITS) as usize] |= 1 << (at % u8::BITS);
        }
        *rows |= RoaringBitmap::from_lsb0_bytes(first, &bits);
    } else {
        rows.extend(found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_have_what_was_added() {
        for (step, count) in [
            (1, 0),
            (1, 1),
            (1, 70_000),
            (3, 9_000),
            (63, 900),
            (5_000_001, 800),
        ] {
            let mut expected = RoaringBitmap::from_iter([5, 900, 70_000]);
            let mut rows = expected.clone();
            let found: Vec<u32> = (0..count)
                .chain(0..count / 2)
                .map(|n: u32| u32::MAX - n * step)
                .collect();
            expected.extend(found.iter().copied());
            add_all(found, &mut rows);
            assert_eq!(rows, expected, "{count} rows, each {step} apart");
        }
    }
}
