//! Writes the lines of an index that is made: as a text, or as a ZipNum cluster of gzip members and an index
//! of them.
//!
//!   index := (key SP timestamp TAB part TAB offset TAB length TAB number NL)*
//! Lines come sorted; a line that comes twice is written once.

use zlib_rs::crc32::crc32;
use zlib_rs::{Deflate, DeflateFlush};

use super::lines::Lines;
use super::make::Form;
use crate::error::{Error, code};
use crate::limits::CDX_BLOCK_LINES;

const HEADER: &[u8] = b" CDX N b a m s k r M S V g\n";
const LEVEL: i32 = 6;
const WINDOW_BITS: u8 = 15;

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
                first: Vec::new(),
                lines: 0,
                offset: 0,
                count: 0,
            }),
            ..IndexWriter::text(Form::Cdxj)
        }
    }

    /// Takes sorted lines, cut anywhere.
    pub fn push(&mut self, mut bytes: &[u8]) -> Result<(), Error> {
        while !bytes.is_empty() {
            let (taken, cut) = self.lines.take(bytes);
            bytes = &bytes[taken..];
            if let Some(cut) = cut {
                self.line(cut.bytes)?;
            }
        }
        Ok(())
    }

    /// No line is left.
    pub fn finish(&mut self) -> Result<(), Error> {
        if let Some(cut) = self.lines.finish() {
            self.line(cut.bytes)?;
        }
        match &mut self.cluster {
            Some(cluster) => cluster.end_block(&mut self.out),
            None => Ok(()),
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

    fn line(&mut self, line: Vec<u8>) -> Result<(), Error> {
        if line == self.last {
            return Ok(());
        }
        match &mut self.cluster {
            Some(cluster) => cluster.line(&line, &mut self.out)?,
            None => {
                self.out.extend_from_slice(&line);
                self.out.push(b'\n');
            }
        }
        self.last = line;
        Ok(())
    }
}

impl Blocks {
    fn line(&mut self, line: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
        if self.lines == 0 {
            let end = memchr::memchr_iter(b' ', line).nth(1);
            self.first = line[..end.unwrap_or(line.len())].to_vec();
        }
        self.block.extend_from_slice(line);
        self.block.push(b'\n');
        self.lines += 1;
        if self.lines == CDX_BLOCK_LINES {
            self.end_block(out)?;
        }
        Ok(())
    }

    fn end_block(&mut self, out: &mut Vec<u8>) -> Result<(), Error> {
        if self.lines == 0 {
            return Ok(());
        }
        let member = gzip_member(&self.block)?;
        self.count += 1;
        self.index.extend_from_slice(&self.first);
        let rest = format!(
            "\t{}\t{}\t{}\t{}\n",
            self.part,
            self.offset,
            member.len(),
            self.count
        );
        self.index.extend_from_slice(rest.as_bytes());
        self.offset += member.len() as u64;
        out.extend_from_slice(&member);
        self.block.clear();
        self.lines = 0;
        Ok(())
    }
}

/// Without a date, so that the same lines give the same bytes.
fn gzip_member(bytes: &[u8]) -> Result<Vec<u8>, Error> {
    let mut deflated = vec![0; bytes.len() + bytes.len() / 1000 + 1024];
    let mut deflate = Deflate::new(LEVEL, false, WINDOW_BITS);
    let status = deflate.compress(bytes, &mut deflated, DeflateFlush::Finish);
    let length = usize::try_from(deflate.total_out()).unwrap_or(usize::MAX);
    if status != Ok(zlib_rs::Status::StreamEnd) || length > deflated.len() {
        return Err(Error::new(
            code::CANNOT_COMPRESS,
            "a block of the index cannot be compressed",
        ));
    }
    let mut member = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    member.extend_from_slice(&deflated[..length]);
    member.extend_from_slice(&crc32(0, bytes).to_le_bytes());
    let size = u32::try_from(bytes.len() as u64 & 0xffff_ffff).unwrap_or(u32::MAX);
    member.extend_from_slice(&size.to_le_bytes());
    Ok(member)
}
