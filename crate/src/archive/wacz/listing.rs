//! A manifest by itself: a collection whose archives lie elsewhere, such as a multi-WACZ file in JSON.

use super::manifest::Manifest;
use super::text::{Kind, Text};
use crate::archive::aside::{About, Aside, Verdict};
use crate::archive::parser::Parser;
use crate::archive::record::Sink;
use crate::error::{Damage, code};

/// Keeps the text until its end, and tells then which archives it names.
pub struct ManifestReader {
    position: u64,
    text: Text,
    is_told: bool,
}

impl ManifestReader {
    pub fn new() -> ManifestReader {
        ManifestReader {
            position: 0,
            text: Text::new(Kind::Manifest),
            is_told: false,
        }
    }
}

impl Parser for ManifestReader {
    fn wanted(&self) -> u64 {
        self.position
    }

    fn feed(&mut self, bytes: &[u8], sink: &mut dyn Sink) -> usize {
        self.text.take(bytes, b"", sink);
        self.position += bytes.len() as u64;
        bytes.len()
    }

    fn finish(&mut self, _end: u64, sink: &mut dyn Sink) -> bool {
        if std::mem::replace(&mut self.is_told, true) {
            return true;
        }
        let manifest = Manifest::parse(&self.text.held).filter(|_| !self.text.is_over);
        let Some(manifest) = manifest else {
            sink.damage(Damage {
                code: code::WACZ_BAD_MANIFEST,
                offset: 0,
                skipped: self.position,
                message: "this list of archives is cut off, damaged, or too long to be read".into(),
            });
            return true;
        };
        sink.aside(Aside::About(About {
            name: Vec::new(),
            fields: manifest.fields,
            resources: manifest.resources.len() as u64,
        }));
        for mut resource in manifest.resources {
            // A path is one beside this file.
            resource.verdict = Verdict::Elsewhere;
            sink.aside(Aside::Resource(resource));
        }
        true
    }
}
