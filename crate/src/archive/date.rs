//! Reads the dates of WARC records: ISO 8601 as WARC 1.0 and 1.1 write it (a year is enough), and 14 digits.

/// Seconds since 1970, or `None` where the text is no date or lies before 1970.
pub fn parse_date(text: &[u8]) -> Option<u64> {
    let mut digits = [0u64; 14];
    let mut count = 0;
    let text = text.trim_ascii();
    for &byte in text {
        match byte {
            b'0'..=b'9' if count < 14 => {
                digits[count] = u64::from(byte - b'0');
                count += 1;
            }
            // The fraction of a second, and the zone: WARC dates are UTC.
            b'.' | b',' | b'Z' | b'z' | b'+' if count >= 4 => break,
            b'-' | b':' | b'T' | b't' | b' ' | b'/' => {}
            _ => return None,
        }
    }
    if count < 4 || count % 2 == 1 {
        return None;
    }
    let pair = |at: usize, missing: u64| {
        if at < count {
            digits[at] * 10 + digits[at + 1]
        } else {
            missing
        }
    };
    let year = pair(0, 0) * 100 + pair(2, 0);
    let (month, day) = (pair(4, 1), pair(6, 1));
    let (hour, minute, second) = (pair(8, 0), pair(10, 0), pair(12, 0));
    if !(1..=12).contains(&month) || !(1..=days_of(year, month)).contains(&day) {
        return None;
    }
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let days = days_before(year, month)? + day - 1;
    Some(days * 86_400 + hour * 3_600 + minute * 60 + second)
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn days_of(year: u64, month: u64) -> u64 {
    match month {
        2 => 28 + u64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970 to the first of the month.
fn days_before(year: u64, month: u64) -> Option<u64> {
    let leaps = |before: u64| (before - 1) / 4 - (before - 1) / 100 + (before - 1) / 400;
    let years = year.checked_sub(1970)?;
    // From March on months have 31 and 30 days by turns, but for July and August: 153 in five of them.
    let months = match month {
        1 | 2 => (month - 1) * 31,
        _ => (153 * month - 2) / 5 - 32 + u64::from(is_leap(year)),
    };
    Some(years * 365 + leaps(year) - leaps(1970) + months)
}

#[cfg(test)]
mod tests {
    use super::{days_before, days_of, parse_date};

    #[test]
    fn each_month_begins_where_the_one_before_ends() {
        let mut days = 0;
        for (year, month) in (1970..2400).flat_map(|year| (1..=12).map(move |month| (year, month)))
        {
            assert_eq!(days_before(year, month), Some(days), "{year}-{month}");
            days += days_of(year, month);
        }
    }

    #[test]
    fn dates_of_every_allowed_precision() {
        let cases: [(&str, Option<u64>); 16] = [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2014-01-03T03:03:21Z", Some(1_388_718_201)),
            ("2014-01-03T03:03:21.123456Z", Some(1_388_718_201)),
            ("20140103030321", Some(1_388_718_201)),
            ("2000-02-29", Some(951_782_400)),
            ("2016-12-31T23:59:60Z", Some(1_483_228_800)),
            ("2014", Some(1_388_534_400)),
            ("2014-02", Some(1_391_212_800)),
            ("2014-01-03T03", Some(1_388_718_000)),
            ("2014-02-30", None),
            ("2014-13-01", None),
            ("1969-12-31", None),
            ("", None),
            ("Tue, 03 Jan 2014", None),
            ("201", None),
            ("20141", None),
        ];
        for (text, expected) in cases {
            assert_eq!(parse_date(text.as_bytes()), expected, "{text}");
        }
    }
}
