//! Which segments to make one of: neighbours of about the same length, so that each record is written a few times and
//! there are never many segments.

use std::ops::Range;

/// Segments of about a length that become one.
const FAN: usize = 8;
/// Shorter ones count as of this length.
const ROWS_MIN: u64 = 1024;

/// The segments to merge next, given the rows of each; none where that is not worth it.
pub fn next(rows: &[u64]) -> Option<Range<usize>> {
    let tier = |rows: u64| rows.max(ROWS_MIN).ilog2() / FAN.ilog2();
    let last = rows.last().map(|rows| tier(*rows))?;
    let mut from = rows.len();
    // Shorter ones that lie before go along.
    while from > 0 && tier(rows[from - 1]) <= last {
        from -= 1;
    }
    (rows.len() - from >= FAN).then_some(from..rows.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_stay_few_and_records_are_written_few_times() {
        let (mut rows, mut written): (Vec<u64>, u64) = (Vec::new(), 0);
        let mut all = 0;
        let mut most = 0;
        for n in 0..20_000u64 {
            let more = if n % 3 == 0 { 500 } else { 2000 };
            rows.push(more);
            all += more;
            while let Some(range) = next(&rows) {
                let sum = rows.drain(range.clone()).sum();
                written += sum;
                rows.insert(range.start, sum);
            }
            most = most.max(rows.len());
        }
        assert_eq!(rows.iter().sum::<u64>(), all);
        assert!(most <= 60, "{most} segments");
        assert!(written <= 7 * all, "each record {} times", written / all);
    }
}
