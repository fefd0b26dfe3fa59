//! What a look-up asks for, by the names that CDX servers and command lines give it.
//!
//! Names are compared without case, `-` and `_`, so that `matchType`, `match-type` and `match_type` are one.

use super::filter::Filter;
use super::scope::{Match, Scope};
use crate::error::{Error, code};

/// Blocks of a page where nothing else is asked for, as pywb has it.
const PAGE_BLOCKS: u64 = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Sorted,
    Reverse,
    /// By the distance from a second since 1970.
    Closest(i64),
}

/// Adjacent rows of which only the first is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Collapse {
    /// That agree in so many digits of their time, and in their status.
    Time(usize),
    /// That agree in a column, or in how it begins.
    Column(String, Option<usize>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// Rows as they stand in the index.
    Text,
    /// Each row as a JSON object.
    Json,
    /// Blocks of a ZipNum cluster instead of their rows.
    Blocks,
    /// How many pages and blocks there are.
    PageCount,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    pub number: u64,
    pub blocks: u64,
}

#[derive(Debug)]
pub struct Query {
    pub scope: Scope,
    /// Padded to 14 digits.
    pub from: Option<Vec<u8>>,
    pub to: Option<Vec<u8>>,
    pub order: Order,
    /// At most so many rows; fewer than none asks for the last ones.
    pub limit: Option<i64>,
    pub filters: Vec<Filter>,
    pub collapse: Vec<Collapse>,
    pub fields: Vec<String>,
    pub resolves_revisits: bool,
    pub page: Option<Page>,
    pub output: Output,
    pub is_json: bool,
}

impl Query {
    /// Every row of an index, in order.
    pub fn all() -> Query {
        Query {
            scope: Scope::all(),
            from: None,
            to: None,
            order: Order::Sorted,
            limit: None,
            filters: Vec::new(),
            collapse: Vec::new(),
            fields: Vec::new(),
            resolves_revisits: false,
            page: None,
            output: Output::Text,
            is_json: false,
        }
    }

    pub fn parse<'a>(
        options: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Query, Error> {
        let mut query = Query::all();
        let (mut url, mut how) = (None, None);
        let (mut is_reverse, mut sort, mut closest) = (false, None, None);
        let (mut page, mut page_blocks) = (None, None);
        for (name, value) in options {
            let plain: String = name
                .chars()
                .filter(|letter| !matches!(letter, '-' | '_'))
                .collect();
            match plain.to_ascii_lowercase().as_str() {
                "url" => url = Some(value),
                "match" | "matchtype" => how = Some(Match::named(value)?),
                "from" | "fromts" => query.from = Some(padded(name, value, b'0')?),
                "to" | "tots" => query.to = Some(padded(name, value, b'9')?),
                "closest" => closest = Some(Order::Closest(second(name, value)?)),
                "sort" => sort = Some(value),
                "reverse" => is_reverse = truth(name, value)?,
                "limit" => query.limit = Some(whole(name, value)?).filter(|limit| *limit != 0),
                "filter" => query.filters.push(Filter::parse(value)?),
                "collapse" => query.collapse.push(collapse(value)?),
                "collapsetime" => query.collapse.push(Collapse::Time(count(name, value)?)),
                "fields" | "fl" => {
                    let names = value.split([',', ' ']).filter(|name| !name.is_empty());
                    query.fields.extend(names.map(str::to_owned));
                }
                "resolverevisits" => query.resolves_revisits = truth(name, value)?,
                "page" => {
                    page = Some(
                        u64::try_from(whole(name, value)?)
                            .map_err(|_| expected(name, "a page of 0 or more", value))?,
                    )
                }
                "pagesize" => page_blocks = Some(count(name, value)? as u64),
                "showpagedindex" if truth(name, value)? => query.output = Output::Blocks,
                "shownumpages" if truth(name, value)? => query.output = Output::PageCount,
                "showpagedindex" | "shownumpages" => {}
                "json" => query.is_json = truth(name, value)?,
                "output" => query.is_json = is_json(value)?,
                // What other servers do where nothing matches; here nothing is then nothing.
                "allowfuzzy" => {}
                _ => {
                    let known = "url, match, from, to, closest, sort, reverse, limit, filter, collapse, \
                                 collapseTime, fields, resolveRevisits, page, pageSize, showNumPages, \
                                 showPagedIndex, output or json";
                    return Err(expected("look-up", known, name));
                }
            }
        }
        let url = url.filter(|url| !url.trim().is_empty());
        let url = url.ok_or_else(|| expected("url", "a URL", ""))?;
        query.scope = Scope::of(url.trim(), how);
        query.order = match (sort, closest) {
            // Both may be asked for; what is closest then goes first.
            (_, Some(closest)) => closest,
            (Some("closest"), None) => {
                return Err(expected("sort", "a date in closest", "closest without one"));
            }
            (Some("reverse"), None) => Order::Reverse,
            (Some("default" | "") | None, None) if is_reverse => Order::Reverse,
            (Some("default" | "") | None, None) => Order::Sorted,
            (Some(other), None) => {
                return Err(expected("sort", "reverse, closest or default", other));
            }
        };
        if page.is_some() || page_blocks.is_some() || query.output == Output::PageCount {
            query.page = Some(Page {
                number: page.unwrap_or(0),
                blocks: page_blocks.unwrap_or(PAGE_BLOCKS),
            });
        }
        if query.output == Output::Blocks && page.is_none() && page_blocks.is_none() {
            query.page = None;
        }
        if query.output == Output::Text && query.is_json {
            query.output = Output::Json;
        }
        Ok(query)
    }
}

fn expected(name: &str, what: &str, found: &str) -> Error {
    Error::new(
        code::BAD_QUERY,
        format!("{name}: expected {what}, found \"{found}\""),
    )
}

fn whole(name: &str, value: &str) -> Result<i64, Error> {
    value
        .trim()
        .parse()
        .map_err(|_| expected(name, "a whole number", value))
}

fn count(name: &str, value: &str) -> Result<usize, Error> {
    let number = usize::try_from(whole(name, value)?).unwrap_or(0);
    if number == 0 {
        return Err(expected(name, "a number of 1 or more", value));
    }
    Ok(number)
}

fn truth(name: &str, value: &str) -> Result<bool, Error> {
    match value.trim().to_ascii_lowercase().as_str() {
        "" | "true" | "1" | "yes" | "on" => Ok(true),
        "false" | "0" | "no" | "off" => Ok(false),
        _ => Err(expected(name, "true or false", value)),
    }
}

fn is_json(value: &str) -> Result<bool, Error> {
    match value {
        "json" => Ok(true),
        "text" | "cdxj" | "cdx" => Ok(false),
        other => Err(expected("output", "text or json", other)),
    }
}

/// `10` is so many digits of the time; else a column, and perhaps how many of its letters count.
fn collapse(value: &str) -> Result<Collapse, Error> {
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(Collapse::Time(count("collapse", value)?));
    }
    let (column, letters) = match value.split_once(':') {
        Some((column, letters)) => (column, Some(count("collapse", letters)?)),
        None => (value, None),
    };
    if column.is_empty() {
        return Err(expected("collapse", "column or column:letters", value));
    }
    Ok(Collapse::Column(column.to_owned(), letters))
}

fn digits<'a>(name: &str, value: &'a str) -> Result<&'a str, Error> {
    let value = value.trim();
    let is_time =
        (1..=14).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_digit());
    is_time
        .then_some(value)
        .ok_or_else(|| expected(name, "1 to 14 digits of a date", value))
}

fn padded(name: &str, value: &str, digit: u8) -> Result<Vec<u8>, Error> {
    let mut padded = digits(name, value)?.as_bytes().to_vec();
    padded.resize(14, digit);
    Ok(padded)
}

/// A date of which little is said stands for its last second, as pywb has it.
fn second(name: &str, value: &str) -> Result<i64, Error> {
    let value = digits(name, value)?;
    if value.len() < 4 {
        return Err(expected(name, "a date of 4 to 14 digits", value));
    }
    Ok(seconds(value.as_bytes()))
}

/// Seconds since 1970 of a timestamp, with what is missing or cannot be taken as its last.
pub fn seconds(timestamp: &[u8]) -> i64 {
    let part = |from: usize, to: usize, low: i64, high: i64| {
        let digits = timestamp.get(from..to).unwrap_or_default();
        let number = digits.iter().try_fold(0i64, |number, digit| {
            digit
                .is_ascii_digit()
                .then(|| number * 10 + i64::from(digit - b'0'))
        });
        match number {
            Some(number) if digits.len() == to - from => number.clamp(low, high),
            _ => high,
        }
    };
    let year = part(0, 4, 1, 9999);
    let month = part(4, 6, 1, 12);
    let day = part(6, 8, 1, days_in(year, month));
    let time = part(8, 10, 0, 23) * 3600 + part(10, 12, 0, 59) * 60 + part(12, 14, 0, 59);
    // Days since 1970, counted in years that begin in March.
    let (year, month) = if month <= 2 {
        (year - 1, month + 9)
    } else {
        (year, month - 3)
    };
    let days =
        year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 719_469;
    days * 86_400 + time
}

fn days_in(year: i64, month: i64) -> i64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_of_whole_and_partial_timestamps() {
        assert_eq!(seconds(b"19700101000000"), 0);
        assert_eq!(seconds(b"20140126200826"), 1_390_766_906);
        assert_eq!(seconds(b"20000229120000"), 951_825_600);
        assert_eq!(seconds(b"2014"), seconds(b"20141231235959"));
        assert_eq!(seconds(b"201402"), seconds(b"20140228235959"));
        assert_eq!(seconds(b"20149999999999"), seconds(b"20141231235959"));
        assert!(seconds(b"19691231235959") == -1);
    }

    #[test]
    fn errors_name_what_was_expected() {
        let cases = [
            (vec![], "a URL"),
            (
                vec![("url", "x"), ("match", "odd")],
                "exact, prefix, host or domain",
            ),
            (vec![("url", "x"), ("limit", "many")], "a whole number"),
            (vec![("url", "x"), ("from", "2014-01")], "1 to 14 digits"),
            (
                vec![("url", "x"), ("sort", "up")],
                "reverse, closest or default",
            ),
            (vec![("url", "x"), ("sort", "closest")], "a date in closest"),
            (vec![("url", "x"), ("page", "-1")], "a page of 0 or more"),
            (vec![("url", "x"), ("pageSize", "0")], "1 or more"),
            (vec![("url", "x"), ("colour", "red")], "resolveRevisits"),
            (vec![("url", "x"), ("filter", "~a:(")], "regular expression"),
            (vec![("url", "x"), ("collapse", ":3")], "column:letters"),
            (vec![("url", "x"), ("reverse", "perhaps")], "true or false"),
        ];
        for (options, expected) in cases {
            let error = Query::parse(options.clone()).expect_err("no query");
            assert_eq!(error.code, code::BAD_QUERY);
            assert!(error.message.contains(expected), "{options:?}: {error}");
        }
    }

    #[test]
    fn names_are_known_however_they_are_written() {
        let options = [
            ("url", "a.test"),
            ("match_type", "host"),
            ("page-size", "4"),
            ("resolveRevisits", ""),
        ];
        let query = Query::parse(options).expect("query");
        assert!(query.resolves_revisits);
        assert_eq!(
            query.page,
            Some(Page {
                number: 0,
                blocks: 4
            })
        );
    }
}
