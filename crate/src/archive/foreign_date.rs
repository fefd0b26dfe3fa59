//! Dates as other formats write them, in the form of WARC: UTC, with the fraction of a second where one is given.

use super::date::parse_date;

const DAY_SECONDS: u64 = 86_400;

/// `2016-01-24T15:52:57.513+01:00` as `2016-01-24T14:52:57.513Z`. A date without a zone is taken for UTC.
pub fn utc_of_iso(text: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(text).ok()?.trim();
    // A minus sign before the time of day belongs to the date.
    let time = text.find(['T', 't', ' '])?;
    let zone = text[time..].find(['Z', 'z', '+', '-']);
    let (local, zone) = text.split_at(zone.map_or(text.len(), |at| time + at));
    let (local, fraction) = local.split_at(local.find(['.', ',']).unwrap_or(local.len()));
    let (is_behind, minutes) = minutes_of(zone)?;
    let seconds = parse_date(local.as_bytes())?;
    let seconds = if is_behind {
        seconds.checked_add(minutes * 60)?
    } else {
        seconds.checked_sub(minutes * 60)?
    };
    let digits = fraction.get(1..).unwrap_or_default();
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let digits = &digits[..digits.len().min(9)];
    let dot = if digits.is_empty() { "" } else { "." };
    let whole = iso_of(seconds)?;
    Some(format!("{whole}{dot}{digits}Z"))
}

/// How far a zone is from UTC, and whether it is behind it.
fn minutes_of(zone: &str) -> Option<(bool, u64)> {
    if zone.is_empty() || zone.eq_ignore_ascii_case("z") {
        return Some((false, 0));
    }
    let (sign, rest) = zone.split_at(1);
    let digits: String = rest.chars().filter(|char| *char != ':').collect();
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number || !matches!(digits.len(), 2 | 4) {
        return None;
    }
    let hours: u64 = digits[..2].parse().ok()?;
    let minutes: u64 = digits
        .get(2..)
        .filter(|text| !text.is_empty())
        .map_or(Some(0), |text| text.parse().ok())?;
    (hours < 24 && minutes < 60).then_some((sign == "-", hours * 60 + minutes))
}

/// `Fri, 01 Oct 2021 12:41:40 GMT`, as HTTP headers have it.
pub fn utc_of_http(text: &[u8]) -> Option<String> {
    const MONTHS: [&str; 12] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ];
    let text = std::str::from_utf8(text).ok()?;
    let mut words = text.split([' ', ',', '-']).filter(|word| !word.is_empty());
    let _weekday = words.next()?;
    let day: u8 = words.next()?.parse().ok()?;
    let month = words.next()?.to_ascii_lowercase();
    let month = MONTHS.iter().position(|name| *name == month)? + 1;
    let year: u16 = words.next()?.parse().ok()?;
    let time = words.next()?;
    let iso = format!("{year:04}-{month:02}-{day:02}T{time}");
    let seconds = parse_date(iso.as_bytes()).filter(|_| time.len() == 8)?;
    iso_of(seconds).map(|whole| format!("{whole}Z"))
}

/// Seconds since 1970 as `2016-01-24T14:52:57`.
fn iso_of(seconds: u64) -> Option<String> {
    let (days, time) = (seconds / DAY_SECONDS, seconds % DAY_SECONDS);
    let (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60);
    // Counted from the first of March of the year 0, so that a leap day ends its year.
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = era * 400 + year_of_era + u64::from(month < 3);
    (year < 10_000)
        .then(|| format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_taken_out() {
        let cases = [
            (
                "2016-01-24T15:52:57.513+01:00",
                Some("2016-01-24T14:52:57.513Z"),
            ),
            ("2016-01-24T15:52:57.513Z", Some("2016-01-24T15:52:57.513Z")),
            ("2016-01-24T15:52:57", Some("2016-01-24T15:52:57Z")),
            ("2016-12-31T20:30:00-0330", Some("2017-01-01T00:00:00Z")),
            ("2016-03-01T00:15:00+00:30", Some("2016-02-29T23:45:00Z")),
            (
                "2000-01-01T00:00:00.1234567890123+14",
                Some("1999-12-31T10:00:00.123456789Z"),
            ),
            ("2016-01-24 15:52:57 +01:00", Some("2016-01-24T14:52:57Z")),
            ("2016-01-24", None),
            ("2016-01-24T15:52:57+1:00", None),
            ("1969-12-31T23:59:59Z", None),
            ("1970-01-01T00:00:00+01:00", None),
            ("2016-01-24T15:52:57.x", None),
            ("yesterday", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(utc_of_iso(text.as_bytes()).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn every_day_comes_out_as_it_went_in() {
        for day in 0..60_000 {
            let text = iso_of(day * DAY_SECONDS + 43_210).expect("a date");
            assert_eq!(
                parse_date(text.as_bytes()),
                Some(day * DAY_SECONDS + 43_210)
            );
        }
    }

    #[test]
    fn dates_of_http_headers() {
        let read = |text: &str| utc_of_http(text.as_bytes());
        let expected = Some("2021-10-01T12:41:40Z".to_owned());
        assert_eq!(read("Fri, 01 Oct 2021 12:41:40 GMT"), expected);
        assert_eq!(read("Fri, 1-Oct-2021 12:41:40 GMT"), expected);
        assert_eq!(read("Fri, 01 Oct 2021"), None);
        assert_eq!(read("0"), None);
    }
}
