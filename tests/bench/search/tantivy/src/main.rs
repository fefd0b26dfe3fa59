//! tantivy on the pages of the search benchmark, one thread: the limit of what is possible without a browser.
//! `PAGES QUERIES FOLDER`: a file of pages, of each a line of JSON; a file of queries, kind and words, a line of JSON each;
//! where the index goes. Prints a line of JSON.

use std::fs;
use std::io::{BufRead, BufReader};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use tantivy::aggregation::AggregationCollector;
use tantivy::aggregation::agg_req::Aggregations;
use tantivy::collector::{Count, TopDocs};
use tantivy::query::{Query, QueryParser, RegexQuery};
use tantivy::schema::{FAST, Field, STORED, STRING, Schema, TEXT};
use tantivy::{Index, IndexWriter, ReloadPolicy, Searcher, TantivyDocument};

const HEAP_BYTES: usize = 256 << 20;
const HITS: usize = 10;
const ROUND: Duration = Duration::from_millis(200);

type Failure = Box<dyn std::error::Error>;

struct Fields {
    title: Field,
    url: Field,
    host: Field,
    text: Field,
}

fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    let fields = Fields {
        title: builder.add_text_field("title", TEXT | STORED),
        url: builder.add_text_field("url", STRING | STORED),
        host: builder.add_text_field("host", STRING | FAST),
        text: builder.add_text_field("text", TEXT),
    };
    (builder.build(), fields)
}

/// Seconds that this process was on a CPU; on Linux alone.
fn cpu_seconds() -> Option<f64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
    let ticks = fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
    Some(ticks / 100.0)
}

/// Indexes all pages; gives their bytes of text and the seconds of a CPU that it took besides reading them.
fn build(index: &Index, fields: &Fields, pages: &str) -> Result<(usize, f64), Failure> {
    let mut pages_read = Vec::new();
    for line in BufReader::new(fs::File::open(pages)?).lines() {
        pages_read.push(serde_json::from_str::<Json>(&line?)?);
    }
    let begun = (cpu_seconds(), Instant::now());
    let mut writer: IndexWriter = index.writer_with_num_threads(1, HEAP_BYTES)?;
    let mut bytes = 0;
    for page in &pages_read {
        let mut document = TantivyDocument::new();
        for (field, name) in [
            (fields.title, "title"),
            (fields.url, "url"),
            (fields.host, "host"),
            (fields.text, "text"),
        ] {
            let value = page[name].as_str().unwrap_or_default();
            document.add_text(field, value);
            bytes += if name == "text" { value.len() } else { 0 };
        }
        writer.add_document(document)?;
    }
    writer.commit()?;
    writer.wait_merging_threads()?;
    let seconds = match (begun.0, cpu_seconds()) {
        (Some(before), Some(after)) => after - before,
        _ => begun.1.elapsed().as_secs_f64(),
    };
    Ok((bytes, seconds))
}

fn query(
    index: &Index,
    fields: &Fields,
    kind: &str,
    words: &str,
) -> Result<Box<dyn Query>, Failure> {
    let parser = QueryParser::for_index(index, vec![fields.title, fields.text]);
    Ok(match kind {
        "and" => parser.parse_query(&words.replace(' ', " AND "))?,
        "or" => parser.parse_query(&words.replace(' ', " OR "))?,
        "phrase" => parser.parse_query(&format!("\"{words}\""))?,
        "prefix" => Box::new(RegexQuery::from_pattern(
            &format!("{words}.*"),
            fields.text,
        )?),
        // In words, where others look into the text: no pattern here goes beyond a word.
        "regex" | "regexAll" => Box::new(RegexQuery::from_pattern(
            &format!(".*(?:{words}).*"),
            fields.text,
        )?),
        _ => parser.parse_query(words)?,
    })
}

fn ask(searcher: &Searcher, query: &dyn Query, kind: &str) -> Result<usize, Failure> {
    if kind == "facets" {
        let wanted: Aggregations =
            serde_json::from_value(json!({"hosts": {"terms": {"field": "host", "size": 10}}}))?;
        let collector = AggregationCollector::from_aggs(wanted, Default::default());
        searcher.search(query, &collector)?;
        return Ok(0);
    }
    let hits = searcher.search(query, &TopDocs::with_limit(HITS).order_by_score())?;
    Ok(hits.len())
}

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [pages, queries, folder] = args.as_slice() else {
        return Err("PAGES QUERIES FOLDER".into());
    };
    fs::create_dir_all(folder)?;
    let (schema, fields) = schema();
    let index = Index::create_in_dir(folder, schema)?;
    let (bytes, seconds) = build(&index, &fields, pages)?;
    let reader = index
        .reader_builder()
        .reload_policy(ReloadPolicy::Manual)
        .try_into()?;
    let searcher = reader.searcher();
    let mut kinds: Vec<(String, Vec<Box<dyn Query>>)> = Vec::new();
    for line in fs::read_to_string(queries)?.lines() {
        let (kind, words): (String, String) = serde_json::from_str(line)?;
        let made = query(&index, &fields, &kind, &words)?;
        match kinds.iter_mut().find(|(name, _)| *name == kind) {
            Some((_, all)) => all.push(made),
            None => kinds.push((kind, vec![made])),
        }
    }
    let mut found = serde_json::Map::new();
    for (kind, queries) in &kinds {
        let counts: Result<Vec<usize>, Failure> = queries
            .iter()
            .map(|query| Ok(searcher.search(query, &Count)?.min(HITS)))
            .collect();
        let (mut done, start) = (0usize, Instant::now());
        while start.elapsed() < ROUND {
            ask(&searcher, queries[done % queries.len()].as_ref(), kind)?;
            done += 1;
        }
        let us = start.elapsed().as_secs_f64() * 1e6 / done as f64;
        found.insert(kind.clone(), json!({"us": us, "hits": counts?}));
    }
    let mut index_bytes = 0;
    for entry in fs::read_dir(folder)? {
        index_bytes += entry?.metadata()?.len();
    }
    println!(
        "{}",
        json!({"textBytes": bytes, "cpuSeconds": seconds, "indexBytes": index_bytes, "queries": found})
    );
    Ok(())
}
