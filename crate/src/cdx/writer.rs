//! Writes the lines of an index that is made: as a text, or as a ZipNum cluster of gzip members and an index
//! of them.
//!
//!   index := (key SP timestamp TAB part TAB offset TAB length TAB number NL)*
//! Lines come sorted; a line that comes twice is written once.

use super::lines::Lines;
use super::make::Form;
use crate::limits::CDX_BLOCK_LINES;
use crate::write::GzipWriter;

const HEADER: &[u8] = b" CDX N b a m s k r M S V g\n";

pub struct IndexWriter {
    lines: Lines,
    last: Vec<u8>,
    out: Vec<u8>,
    cluster: Option<Blocks>,
}

/// The blocks of a cluster.
struct Blocks {
    part: String,
    index: Vec<u8>,
    block: Vec<u8>,
    gzip: GzipWriter,
    first: Vec<u8>,
    lines: usize,
    offset: u64,
    count: u64,
}

impl IndexWriter {
    /// A writer of a text.
    pub fn text(form: Form) -> IndexWriter {
        let header = match form {
            Form::Cdxj => &b""[..],
            Form::Cdx11 => HEADER,
        };
        IndexWriter {
            lines: Lines::default(),
            last: Vec::new(),
            out: header.to_vec(),
            cluster: None,
        }
    }

    /// A writer of a cluster whose blocks lie in one part of this name.
    pub fn cluster(part: &str) -> IndexWriter {
        IndexWriter {
            cluster: Some(Blocks {
                part: part.into(),
                index: Vec::new(),
                block: Vec::new(),
                gzip: GzipWriter::new(),
                first: Vec::new(),
                lines: 0,
                offset: 0,
                count: 0,
            }),
            ..IndexWriter::text(Form::Cdxj)
        }
    }

    /// Takes sorted lines, cut anywhere.
    pub fn push(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (taken, cut) = self.lines.take(bytes);
            bytes = &bytes[taken..];
            if let Some(cut) = cut {
                self.line(cut.bytes);
            }
        }
    }

    /// No line is left.
    pub fn finish(&mut self) {
        if let Some(cut) = self.lines.finish() {
            self.line(cut.bytes);
        }
        if let Some(cluster) = &mut self.cluster {
            cluster.end_block(&mut self.out);
        }
    }

    /// What is written so far: the text, or the blocks.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }

    /// What is written so far of the index of a cluster.
    pub fn take_index(&mut self) -> Vec<u8> {
        let cluster = self.cluster.as_mut();
        cluster.map_or_else(Vec::new, |cluster| std::mem::take(&mut cluster.index))
    }

    fn line(&mut self, line: Vec<u8>) {
        if line == self.last {
            return;
        }
        match &mut self.cluster {
            Some(cluster) => cluster.line(&line, &mut self.out),
            None => {
                self.out.extend_from_slice(&line);
                self.out.push(b'\n');
            }
        }
        self.last = line;
    }
}

impl Blocks {
    fn line(&mut self, line: &[u8], out: &mut Vec<u8>) {
        if self.lines == 0 {
            let end = memchr::memchr_iter(b' ', line).nth(1);
            self.first = line[..end.unwrap_or(line.len())].to_vec();
        }
        self.block.extend_from_slice(line);
        self.block.push(b'\n');
        self.lines += 1;
        if self.lines == CDX_BLOCK_LINES {
            self.end_block(out);
        }
    }

    fn end_block(&mut self, out: &mut Vec<u8>) {
        if self.lines == 0 {
            return;
        }
        let start = out.len();
        self.gzip.begin(out);
        self.gzip.push(&self.block, out);
        self.gzip.end(out);
        let length = out.len() - start;
        self.count += 1;
        self.index.extend_from_slice(&self.first);
        let rest = format!(
            "\t{}\t{}\t{length}\t{}\n",
            self.part, self.offset, self.count
        );
        self.index.extend_from_slice(rest.as_bytes());
        self.offset += length as u64;
        self.block.clear();
        self.lines = 0;
    }
}
