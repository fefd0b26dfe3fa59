//! What of a query is marked in what it finds: its words in all their forms, and what its expressions match.

use std::ops::Range;

use stackroom_words::{Word, words};

use super::field::Field;
use super::finding::Finding;
use crate::order;
use crate::query::Expression;

/// Places of an expression that are told of a text.
const PLACES_MAX: usize = 1024;

/// A word of a query, as a text may have it.
pub(super) struct Mark {
    /// In order.
    pub forms: Vec<Vec<u8>>,
    prefix: Option<Vec<u8>>,
    pub fields: Vec<Field>,
}

impl Mark {
    fn is(&self, term: &[u8]) -> bool {
        let begins = |prefix: &Vec<u8>| term.starts_with(prefix);
        let is_form = self
            .forms
            .binary_search_by(|form| form.as_slice().cmp(term))
            .is_ok();
        is_form || self.prefix.as_ref().is_some_and(begins)
    }
}

/// The words and expressions of a query that are marked in what it finds. These are numbered behind those.
#[derive(Default)]
pub struct Marks {
    marks: Vec<Mark>,
    expressions: Vec<(Field, Expression)>,
}

impl Marks {
    /// Takes in what a text of the query was found to mean in a row.
    pub(super) fn add(&mut self, finding: &Finding, row: u32) {
        let fields = &finding.asked().fields;
        for (n, slot) in finding.asked().slots.iter().enumerate() {
            let forms = finding.meanings.get(n).map(|meaning| &meaning.forms);
            let forms = forms.into_iter().flatten().filter(|form| form.is_in(row));
            let forms = forms.map(|form| form.term.clone());
            let mut forms: Vec<Vec<u8>> = forms.collect();
            order::sort_by(&mut forms, Ord::cmp);
            forms.dedup();
            self.marks.push(Mark {
                forms,
                prefix: slot.is_prefix.then(|| slot.term.clone()),
                fields: fields.clone(),
            });
        }
    }

    pub(super) fn add_expression(&mut self, field: Field, expression: &Expression) {
        self.expressions.push((field, expression.clone()));
    }

    /// Where in a text of a field they are: bytes.
    pub fn find(&self, field: Field, text: &str) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        words(text, |word| {
            if self.number(field, word.term).is_some() {
                mark(&mut found, &word);
            }
            true
        });
        let matched = self.matched(field, text).into_iter();
        joined(found, matched.map(|(range, _)| range).collect())
    }

    /// Those that are words; they are numbered from 0.
    pub(super) fn words(&self) -> &[Mark] {
        &self.marks
    }

    /// What its expressions match in a text of a field, and the number of each.
    pub(super) fn matched(&self, field: Field, text: &str) -> Vec<(Range<usize>, usize)> {
        let mut found = Vec::new();
        for (n, (of, expression)) in self.expressions.iter().enumerate() {
            if *of == field {
                let places = expression.places(text).take(PLACES_MAX);
                found.extend(places.map(|range| (range, self.marks.len() + n)));
            }
        }
        order::sort_by(&mut found, |one, other| one.0.start.cmp(&other.0.start));
        found
    }

    pub(super) fn has_expressions(&self, field: Field) -> bool {
        self.expressions.iter().any(|(of, _)| *of == field)
    }

    /// The first of the marks that a term is.
    pub(super) fn number(&self, field: Field, term: &[u8]) -> Option<usize> {
        let mut marks = self.marks.iter();
        marks.position(|mark| mark.fields.contains(&field) && mark.is(term))
    }
}

/// Adds a word; letters of a stretch overlap, and a term beside a word begins with it.
pub(super) fn mark(found: &mut Vec<Range<usize>>, word: &Word<'_>) {
    match found.last_mut() {
        Some(last) if word.start < last.end => last.end = last.end.max(word.end),
        _ => found.push(word.start..word.end),
    }
}

/// Places in order, those that meet as one.
pub(super) fn joined(
    mut places: Vec<Range<usize>>,
    others: Vec<Range<usize>>,
) -> Vec<Range<usize>> {
    if others.is_empty() {
        return places;
    }
    places.extend(others);
    order::sort_by(&mut places, |one, other| one.start.cmp(&other.start));
    let mut joined: Vec<Range<usize>> = Vec::new();
    for place in places {
        match joined.last_mut() {
            Some(last) if place.start < last.end => last.end = last.end.max(place.end),
            _ => joined.push(place),
        }
    }
    joined
}
