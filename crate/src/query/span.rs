//! Values that lie on a line: one of them, a range, or a side.
//!
//!   span  := point | [point] ".." [point] | (">" | ">=" | "<" | "<=" | "=") point
//! A point may stand for many values (a year, 4xx): then a span begins at its first and ends at its last.

use std::ops::RangeInclusive;

/// The values that `text` means; `None` where it is no span. `read` says what a point means.
pub fn span(
    text: &str,
    read: impl Fn(&str) -> Option<RangeInclusive<u64>>,
) -> Option<RangeInclusive<u64>> {
    let text = text.trim();
    if let Some((from, to)) = text.split_once("..") {
        if from.is_empty() && to.is_empty() {
            return None;
        }
        let from = if from.is_empty() {
            0
        } else {
            *read(from)?.start()
        };
        let to = if to.is_empty() {
            u64::MAX
        } else {
            *read(to)?.end()
        };
        return (from <= to).then_some(from..=to);
    }
    if let Some(rest) = text.strip_prefix(">=") {
        return Some(*read(rest)?.start()..=u64::MAX);
    }
    if let Some(rest) = text.strip_prefix("<=") {
        return Some(0..=*read(rest)?.end());
    }
    if let Some(rest) = text.strip_prefix('>') {
        return Some(read(rest)?.end().checked_add(1)?..=u64::MAX);
    }
    if let Some(rest) = text.strip_prefix('<') {
        return Some(0..=read(rest)?.start().checked_sub(1)?);
    }
    read(text.strip_prefix('=').unwrap_or(text))
}

/// A status, or a class of them such as 4xx.
pub fn status(text: &str) -> Option<RangeInclusive<u64>> {
    if text.len() != 3 || !text.is_ascii() {
        return None;
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let has_class = text[digits..]
        .bytes()
        .all(|byte| matches!(byte, b'x' | b'X'));
    if digits == 0 || !has_class {
        return None;
    }
    let first: u64 = text[..digits].parse().ok()?;
    let width = 10u64.pow(u32::try_from(3 - digits).ok()?);
    Some(first * width..=first * width + width - 1)
}

/// Bytes: a number, with a unit of 1000 (k, kb) or 1024 (kib) if one is given.
pub fn size(text: &str) -> Option<RangeInclusive<u64>> {
    let lower = text.to_ascii_lowercase();
    let end = lower
        .find(|char: char| !char.is_ascii_digit() && char != '.')
        .unwrap_or(lower.len());
    let (number, unit) = lower.split_at(end);
    let factor: u64 = match unit.trim() {
        "" | "b" => 1,
        "k" | "kb" => 1000,
        "kib" => 1 << 10,
        "m" | "mb" => 1_000_000,
        "mib" => 1 << 20,
        "g" | "gb" => 1_000_000_000,
        "gib" => 1 << 30,
        "t" | "tb" => 1_000_000_000_000,
        "tib" => 1 << 40,
        _ => return None,
    };
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let has_point = number.contains('.');
    if whole.is_empty() || has_point && part.is_empty() || part.len() > 9 {
        return None;
    }
    let mut bytes = whole.parse::<u64>().ok()?.checked_mul(factor)?;
    if has_point {
        let scale = 10u64.pow(u32::try_from(part.len()).ok()?);
        let numerator = u128::from(part.parse::<u64>().ok()?) * u128::from(factor);
        bytes = bytes.checked_add(u64::try_from(numerator / u128::from(scale)).ok()?)?;
    }
    Some(bytes..=bytes)
}

/// The seconds since 1970 that a date means: a year all of it, a day all of it.
pub fn date(text: &str) -> Option<RangeInclusive<u64>> {
    let is_date = text.bytes().all(|byte| {
        byte.is_ascii_digit() || matches!(byte, b'-' | b':' | b'T' | b't' | b'Z' | b'z' | b'/')
    });
    if !is_date {
        return None;
    }
    let start = crate::archive::parse_date(text.as_bytes())?;
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let number = |range: std::ops::Range<usize>| digits.get(range)?.parse::<u64>().ok();
    let end = match digits.len() {
        4 => first_second(number(0..4)? + 1, 1)? - 1,
        6 => match number(4..6)? {
            12 => first_second(number(0..4)? + 1, 1)? - 1,
            month => first_second(number(0..4)?, month + 1)? - 1,
        },
        8 => start + 86_399,
        10 => start + 3_599,
        12 => start + 59,
        14 => start,
        _ => return None,
    };
    Some(start..=end)
}

fn first_second(year: u64, month: u64) -> Option<u64> {
    crate::archive::parse_date(format!("{year:04}{month:02}").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_ranges_and_sides() {
        let cases = [
            ("404", Some(404..=404)),
            ("=404", Some(404..=404)),
            ("4xx", Some(400..=499)),
            ("40X", Some(400..=409)),
            ("200..299", Some(200..=299)),
            ("2xx..3xx", Some(200..=399)),
            ("400..", Some(400..=u64::MAX)),
            ("..399", Some(0..=399)),
            (">3xx", Some(400..=u64::MAX)),
            (">=3xx", Some(300..=u64::MAX)),
            ("<4xx", Some(0..=399)),
            ("<=4xx", Some(0..=499)),
            ("..", None),
            ("x4x", None),
            ("xxx", None),
            ("4", None),
            ("4000", None),
            ("500..400", None),
            ("", None),
            (">", None),
            ("ok", None),
        ];
        for (text, expected) in cases {
            assert_eq!(span(text, status), expected, "{text}");
        }
    }

    #[test]
    fn sizes_with_units() {
        let cases = [
            ("0", Some(0)),
            ("1500", Some(1500)),
            ("1k", Some(1000)),
            ("1KB", Some(1000)),
            ("1.5mb", Some(1_500_000)),
            ("1KiB", Some(1024)),
            ("2gib", Some(2 << 30)),
            ("1.", None),
            (".5k", None),
            ("k", None),
            ("1 k", Some(1000)),
            ("1x", None),
            ("99999999999tb", None),
            ("-1", None),
        ];
        for (text, expected) in cases {
            assert_eq!(size(text), expected.map(|bytes| bytes..=bytes), "{text}");
        }
        assert_eq!(span(">1mb", size), Some(1_000_001..=u64::MAX));
    }

    #[test]
    fn a_date_means_all_of_its_period() {
        let cases = [
            ("2014", Some((1_388_534_400, 1_420_070_399))),
            ("2014-02", Some((1_391_212_800, 1_393_631_999))),
            ("201412", Some((1_417_392_000, 1_420_070_399))),
            ("2014-01-03", Some((1_388_707_200, 1_388_793_599))),
            ("2014-01-03T03", Some((1_388_718_000, 1_388_721_599))),
            ("2014-01-03T03:03", Some((1_388_718_180, 1_388_718_239))),
            ("2014-01-03T03:03:21Z", Some((1_388_718_201, 1_388_718_201))),
            ("20140103030321", Some((1_388_718_201, 1_388_718_201))),
            ("2014-13", None),
            ("yesterday", None),
            ("14", None),
        ];
        for (text, expected) in cases {
            assert_eq!(date(text), expected.map(|(from, to)| from..=to), "{text}");
        }
        assert_eq!(
            span("2014..2016", date),
            Some(1_388_534_400..=1_483_228_799)
        );
    }
}
