//! What each column of the language is answered by.

use super::Work;
use super::check::{Check, Fits, Look};
use super::span::SpanSearch;
use super::text::TextSearch;
use super::url::UrlSearch;
use super::values::ValueSearch;
use crate::error::{Error, code};
use crate::index::Column;
use crate::query::{COLUMNS, Leaf, Matcher, Test, Value, Why, is_balanced, matcher, shown, wrong};

/// Columns that only an index answers, besides labels of any name.
const OF_AN_INDEX: &str = "title, text, body, lang, ext, document, scheme, year, month";

pub fn work(leaf: &Leaf) -> Result<Work, Error> {
    let Some(column) = leaf.column.as_deref() else {
        let message = "expected a column and its value; words are found by full text";
        return Err(wrong(code::QUERY_COLUMN, leaf.at, message));
    };
    if !is_balanced(leaf) {
        let why = "it closes a bracket that it did not open".to_owned();
        return Err(refused(
            leaf,
            column,
            "expected a regular expression",
            Some(why),
        ));
    }
    let found = match column {
        "text" | "body" => return text(leaf, column),
        "lang" => labelled(column, &leaf.value).map(language),
        "title" | "ext" | "document" | "scheme" | "year" | "month" => labelled(column, &leaf.value),
        "archive" => {
            let message =
                "archive: names one of several archives; the index of one does not know its name";
            return Err(wrong(code::QUERY_COLUMN, leaf.at, message));
        }
        "raw" => return Err(of_records(leaf, column)),
        _ if column == "method" || column.starts_with("header.") => return of_record(leaf, column),
        _ if COLUMNS.split(", ").any(|known| known == column) => return of_record(leaf, column),
        _ if leaf.is_label => labelled(column, &leaf.value),
        _ => return Err(unknown(leaf, column)),
    };
    let what = match column {
        "lang" => "expected a language such as de or pt-br, a glob such as zh*, or a /regex/",
        "ext" => "expected an extension such as pdf, a glob such as htm*, or a /regex/",
        _ => "expected a value, a glob such as a*, or a /regex/",
    };
    found
        .map(|values| Work::Values(Box::new(values)))
        .map_err(|why| refused(leaf, column, what, why))
}

fn unknown(leaf: &Leaf, column: &str) -> Error {
    let value = shown(leaf);
    let message = if value.starts_with("//") {
        format!("{column}: there is no such column; expected url:{column}:{value}")
    } else {
        format!(
            "{column}: there is no such column; expected one of {COLUMNS}, {OF_AN_INDEX}, \
             a label in braces such as {{{column}==\"...\"}}, or a text in quotes"
        )
    };
    wrong(code::QUERY_COLUMN, leaf.at, &message)
}

/// What no index knows.
fn of_records(leaf: &Leaf, column: &str) -> Error {
    let message = format!("{column}: only the records themselves tell this");
    wrong(code::QUERY_VALUE, leaf.at, &message)
}

fn refused(leaf: &Leaf, column: &str, what: &str, why: Why) -> Error {
    let because = why.map(|why| format!(" ({why})")).unwrap_or_default();
    let message = format!("{column}: {what}, found {:?}{because}", shown(leaf));
    wrong(code::QUERY_VALUE, leaf.at, &message)
}

/// Columns that a record answers by itself, as the streaming reader asks them.
fn of_record(leaf: &Leaf, column: &str) -> Result<Work, Error> {
    let values = |looks, check| Work::Values(Box::new(ValueSearch::new(column, looks, check)));
    let all = || vec![Look::Prefix(Vec::new())];
    let matched = |matcher| {
        let (fits, looks) = Fits::new(matcher);
        values(looks, Check::Fits(fits))
    };
    Ok(match Test::of(leaf)? {
        Test::Kind(kind) => values(vec![Look::Value(kind.name().into())], Check::All),
        Test::KindNamed(matcher)
        | Test::StatusWritten(matcher)
        | Test::Mime(matcher)
        | Test::Host(matcher) => matched(matcher),
        Test::Status(span) => values(all(), Check::Number(span)),
        Test::Domain(domain) => Work::Values(Box::new(ValueSearch::new(
            "host",
            all(),
            Check::Below(domain),
        ))),
        Test::Url(matcher) => Work::Url(Box::new(UrlSearch::new(matcher, true))),
        Test::UrlWithoutScheme(matcher) => Work::Url(Box::new(UrlSearch::new(matcher, false))),
        Test::Date(span) => Work::Span(Box::new(SpanSearch::new(Column::Time, span))),
        Test::Size(span) => Work::Span(Box::new(SpanSearch::new(Column::Size, span))),
        Test::Digest(digest) => {
            if matches!(&leaf.value, Value::Bare(text) if text == "*") {
                return Ok(values(all(), Check::All));
            }
            let Some(keys) = digest.keys() else {
                return Err(of_records(leaf, column));
            };
            let looks = keys.iter().map(|key| Look::Value(key.to_be_bytes().into()));
            values(looks.collect(), Check::All)
        }
        Test::DigestWritten(_) | Test::Method(_) | Test::Header(..) => {
            return Err(of_records(leaf, column));
        }
    })
}

/// A value of any field.
fn labelled(column: &str, value: &Value) -> Result<ValueSearch, Why> {
    let is_folded = matches!(column, "ext" | "lang" | "document" | "scheme");
    let matcher = matcher(value, |text| {
        if is_folded {
            text.to_ascii_lowercase()
        } else {
            text.to_owned()
        }
    })?;
    if let Matcher::Exact(text) = &matcher {
        let looks = vec![Look::Value(text.clone())];
        return Ok(ValueSearch::new(column, looks, Check::All));
    }
    let (fits, looks) = Fits::new(matcher);
    Ok(ValueSearch::new(column, looks, Check::Fits(fits)))
}

/// A language stands for those of places too.
fn language(values: ValueSearch) -> ValueSearch {
    match values.only_value() {
        Some(value) => {
            let looks = vec![Look::Prefix(value.clone())];
            ValueSearch::new("lang", looks, Check::Language(value))
        }
        None => values,
    }
}

fn text(leaf: &Leaf, column: &str) -> Result<Work, Error> {
    let what = "expected a /regex/; words of texts are asked for without a column";
    match &leaf.value {
        Value::Regex { .. } => match matcher(&leaf.value, str::to_owned) {
            Ok(matcher) => Ok(Work::Text(Box::new(TextSearch::new(matcher)))),
            Err(why) => Err(refused(leaf, column, what, why)),
        },
        _ => Err(refused(leaf, column, what, None)),
    }
}
