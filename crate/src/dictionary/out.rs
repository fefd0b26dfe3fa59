//! A dictionary on its way into its file: sealed pages and spans, from the beginning to the end.

use xxhash_rust::xxh64::xxh64;

use super::array::per_page;
use super::pages::{CHECKSUM_BYTES, Place};

pub struct Out<'a> {
    sink: &'a mut dyn FnMut(&[u8]),
    at: u64,
    id: u64,
    page_bytes: u32,
    sealed: Vec<u8>,
}

impl Out<'_> {
    pub fn new(id: u64, page_bytes: u32, sink: &mut dyn FnMut(&[u8])) -> Out<'_> {
        Out {
            sink,
            at: 0,
            id,
            page_bytes,
            sealed: Vec::new(),
        }
    }

    /// Where what is written next stands.
    pub fn at(&self) -> u64 {
        self.at
    }

    /// Bytes of content in a page.
    pub fn content_bytes(&self) -> usize {
        self.page_bytes as usize - CHECKSUM_BYTES
    }

    pub fn span(&mut self, content: &[u8]) -> Place {
        self.seal(
            content,
            CHECKSUM_BYTES + content.len(),
            self.id.wrapping_add(self.at),
        )
    }

    /// A page with this content, which is emptied, and zeros behind it.
    pub fn page(&mut self, content: &mut Vec<u8>) {
        debug_assert!(content.len() <= self.content_bytes());
        self.seal(
            content,
            self.page_bytes as usize,
            self.id.wrapping_add(self.at),
        );
        content.clear();
    }

    pub fn footer(&mut self, content: &[u8]) {
        self.seal(content, CHECKSUM_BYTES + content.len(), 0);
    }

    /// Numbers of so many bytes each; gives where they begin.
    pub fn array(&mut self, bytes: u32, numbers: impl Iterator<Item = u64>) -> u64 {
        let start = self.at;
        let each = per_page(self.page_bytes, bytes);
        let mut content = Vec::new();
        let mut held = 0;
        for number in numbers {
            content.extend_from_slice(&number.to_le_bytes()[..bytes as usize]);
            held += 1;
            if held == each {
                self.page(&mut content);
                held = 0;
            }
        }
        if held > 0 {
            self.page(&mut content);
        }
        start
    }

    /// Strings one behind the other; gives where they begin.
    pub fn heap<'s>(&mut self, strings: impl Iterator<Item = &'s [u8]>) -> u64 {
        let start = self.at;
        let most = self.content_bytes();
        let mut content = Vec::new();
        for mut rest in strings {
            while !rest.is_empty() {
                let (head, tail) = rest.split_at(rest.len().min(most - content.len()));
                content.extend_from_slice(head);
                rest = tail;
                if content.len() == most {
                    self.page(&mut content);
                }
            }
        }
        if !content.is_empty() {
            self.page(&mut content);
        }
        start
    }

    fn seal(&mut self, content: &[u8], bytes: usize, seed: u64) -> Place {
        self.sealed.clear();
        self.sealed.resize(CHECKSUM_BYTES, 0);
        self.sealed.extend_from_slice(content);
        self.sealed.resize(bytes, 0);
        let checksum = xxh64(&self.sealed[CHECKSUM_BYTES..], seed);
        self.sealed[..CHECKSUM_BYTES].copy_from_slice(&checksum.to_le_bytes());
        (self.sink)(&self.sealed);
        let place = Place {
            offset: self.at,
            length: u32::try_from(bytes).unwrap_or(u32::MAX),
        };
        self.at += bytes as u64;
        place
    }
}
