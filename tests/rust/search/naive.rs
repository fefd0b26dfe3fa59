//! What queries find, by going through every document: the twin of the index.

use std::collections::{BTreeMap, BTreeSet};

use stackroom::query::Node;
use stackroom::search::{Asked, Field, Language};
use stackroom_words::words;

use crate::corpus::Made;

const K1: f64 = 1.2;
const B: f64 = 0.75;
const WEIGHTS: [f64; 3] = [1.0, 3.0, 1.5];
const OTHER_FORM: f64 = 0.6;

/// A document: its language, of each field its words with their positions, and how many there are.
struct Text {
    language: Language,
    fields: [BTreeMap<Vec<u8>, Vec<u32>>; 3],
    lengths: [u32; 3],
}

pub struct Naive {
    rows: u32,
    documents: BTreeMap<u32, Text>,
    /// Of each word, in how many documents each field has it.
    vocabulary: BTreeMap<Vec<u8>, [u64; 3]>,
    words: [u64; 3],
}

/// Forms of a word, each with the languages in which it is one; `None` for the word itself.
type Forms = BTreeMap<Vec<u8>, Option<Vec<Language>>>;

impl Naive {
    pub fn new(records: &[Made]) -> Naive {
        let mut naive = Naive {
            rows: 0,
            documents: BTreeMap::new(),
            vocabulary: BTreeMap::new(),
            words: [0; 3],
        };
        for (record, document) in records {
            if let Some(document) = document {
                let url = String::from_utf8(record.url.clone()).expect("text");
                let url = url
                    .split("://")
                    .last()
                    .unwrap_or_default()
                    .replace("%20", " ");
                let language = Language::of_tag(document.language.as_bytes());
                naive.add(language, [&document.text, &document.title, &url]);
            }
            naive.rows += 1;
        }
        naive
    }

    fn add(&mut self, language: Language, texts: [&str; 3]) {
        let mut fields: [BTreeMap<Vec<u8>, Vec<u32>>; 3] = Default::default();
        let mut lengths = [0; 3];
        for (n, text) in texts.into_iter().enumerate() {
            lengths[n] = words(text, |word| {
                let positions = fields[n].entry(word.term.to_vec()).or_default();
                positions.push(word.position);
                true
            });
            self.words[n] += u64::from(lengths[n]);
            for term in fields[n].keys() {
                self.vocabulary.entry(term.clone()).or_default()[n] += 1;
            }
        }
        let text = Text {
            language,
            fields,
            lengths,
        };
        self.documents.insert(self.rows, text);
    }

    /// Words that a slot means.
    fn forms(&self, term: &[u8], is_prefix: bool, is_wide: bool) -> Forms {
        let spoken = |language: &Language| {
            let mut documents = self.documents.values();
            documents.any(|text| text.language == *language)
        };
        let languages: Vec<Language> = Language::ALL.into_iter().filter(spoken).collect();
        let mut forms = Forms::new();
        for word in self.vocabulary.keys() {
            let of: Vec<Language> = languages
                .iter()
                .copied()
                .filter(|language| is_wide && is_form(*language, term, word))
                .collect();
            if word == term || is_prefix && word.starts_with(term) {
                forms.insert(word.clone(), None);
            } else if !of.is_empty() {
                forms.insert(word.clone(), Some(of));
            }
        }
        forms
    }

    fn has(&self, text: &Text, asked: &Asked, slots: &[Forms]) -> bool {
        asked.fields.iter().any(|field| {
            let field = &text.fields[usize::from(field.number())];
            let positions = |forms: &Forms| -> BTreeSet<u32> {
                let found = forms.iter().filter(|(_, of)| counts(text, of.as_deref()));
                let found = found.filter_map(|(form, _)| field.get(form));
                found.flatten().copied().collect()
            };
            let first = positions(&slots[0]);
            first.into_iter().any(|start| {
                let mut others = asked.slots.iter().zip(slots).skip(1);
                others.all(|(slot, forms)| {
                    let at = start + slot.offset - asked.slots[0].offset;
                    positions(forms).contains(&at)
                })
            })
        })
    }

    pub fn find(&self, node: &Node, is_stemmed: bool) -> BTreeSet<u32> {
        let all = || (0..self.rows).collect::<BTreeSet<u32>>();
        match node {
            Node::All => all(),
            Node::And(nodes) => nodes
                .iter()
                .fold(all(), |rows, node| &rows & &self.find(node, is_stemmed)),
            Node::Or(nodes) => nodes.iter().fold(BTreeSet::new(), |rows, node| {
                &rows | &self.find(node, is_stemmed)
            }),
            Node::Not(node) => &all() - &self.find(node, is_stemmed),
            Node::Leaf(leaf) => {
                let asked = Asked::of(leaf).expect("a text").expect("words");
                self.find_text(&asked, is_stemmed)
            }
        }
    }

    fn slots(&self, asked: &Asked, is_stemmed: bool) -> Vec<Forms> {
        let is_wide = asked.is_wide && is_stemmed;
        let slots = asked.slots.iter();
        slots
            .map(|slot| self.forms(&slot.term, slot.is_prefix, is_wide))
            .collect()
    }

    fn find_text(&self, asked: &Asked, is_stemmed: bool) -> BTreeSet<u32> {
        let slots = self.slots(asked, is_stemmed);
        let found = self
            .documents
            .iter()
            .filter(|(_, text)| self.has(text, asked, &slots));
        found.map(|(row, _)| *row).collect()
    }

    /// Rows and scores, the best first.
    pub fn rank(&self, node: &Node, is_stemmed: bool) -> Vec<(u32, f64)> {
        let mut texts = Vec::new();
        texts_of(node, &mut texts);
        texts.sort_by_key(|asked| asked.at);
        let mut scores: BTreeMap<u32, f64> = self
            .find(node, is_stemmed)
            .into_iter()
            .map(|row| (row, 0.0))
            .collect();
        for asked in texts {
            let slots = self.slots(&asked, is_stemmed);
            if let [slot] = &asked.slots[..]
                && slot.is_prefix
            {
                let rows = self.find_text(&asked, is_stemmed);
                let weight = self.idf(rows.len() as u64);
                for (row, score) in &mut scores {
                    *score += if rows.contains(row) {
                        weighed(weight, 1.0)
                    } else {
                        0.0
                    };
                }
                continue;
            }
            for (slot, forms) in asked.slots.iter().zip(&slots) {
                if slot.is_prefix {
                    continue;
                }
                for (row, score) in &mut scores {
                    *score += self.weigh(*row, &asked, forms);
                }
            }
        }
        let mut ranked: Vec<(u32, f64)> = scores.into_iter().collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        ranked
    }

    fn weigh(&self, row: u32, asked: &Asked, forms: &Forms) -> f64 {
        let fields = || asked.fields.iter().map(|field| usize::from(field.number()));
        let with = forms.keys().map(|form| {
            let counts = self.vocabulary[form];
            fields().map(|n| counts[n]).max().unwrap_or(0)
        });
        let idf = self.idf(with.sum());
        let mut tf = 0.0;
        if let Some(text) = self.documents.get(&row) {
            for (form, of) in forms {
                if !counts(text, of.as_deref()) {
                    continue;
                }
                for n in fields() {
                    let frequency = text.fields[n].get(form).map_or(0, Vec::len);
                    if frequency == 0 {
                        continue;
                    }
                    let mean = self.words[n] as f64 / self.documents.len() as f64;
                    let norm = 1.0 - B + B * rounded(text.lengths[n]) / mean;
                    let weight = WEIGHTS[n] * if of.is_none() { 1.0 } else { OTHER_FORM };
                    tf += weight * frequency as f64 / norm;
                }
            }
        }
        weighed(idf, tf)
    }

    fn idf(&self, with: u64) -> f64 {
        let documents = self.documents.len() as f64;
        let with = (with as f64).min(documents);
        (1.0 + (documents - with + 0.5) / (with + 0.5)).ln()
    }
}

/// Whether a word has the stem of another one, and begins like it.
fn is_form(language: Language, term: &[u8], word: &[u8]) -> bool {
    let [term, word] = [term, word].map(|word| std::str::from_utf8(word).expect("text"));
    let Some(stem) = language.stem(term).filter(|_| term.chars().count() > 2) else {
        return false;
    };
    let shared = stem.chars().count().saturating_sub(1).max(2);
    let start = |text: &str| text.chars().take(shared).collect::<String>();
    let is_near = word.starts_with(&start(&stem))
        || word.starts_with(&start(term))
        || language == Language::Dutch && word.starts_with(&format!("ge{}", start(&stem)));
    is_near && language.stem(word).as_ref() == Some(&stem)
}

/// Whether a form counts in a document.
fn counts(text: &Text, of: Option<&[Language]>) -> bool {
    of.is_none_or(|of| of.contains(&text.language))
}

fn weighed(idf: f64, tf: f64) -> f64 {
    idf * tf * (K1 + 1.0) / (tf + K1)
}

/// Lengths of 16 and more keep their first four bits.
fn rounded(words: u32) -> f64 {
    let shift = (32 - words.leading_zeros()).saturating_sub(4);
    let shift = if words < 16 { 0 } else { shift };
    f64::from(words >> shift << shift)
}

fn texts_of(node: &Node, texts: &mut Vec<Asked>) {
    match node {
        Node::All | Node::Not(_) => {}
        Node::And(nodes) | Node::Or(nodes) => nodes.iter().for_each(|node| texts_of(node, texts)),
        Node::Leaf(leaf) => texts.extend(Asked::of(leaf).expect("a text")),
    }
}

/// Fields by their numbers, as the twin has them.
const _: () = assert!(Field::ALL.len() == 3);
