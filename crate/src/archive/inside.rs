//! Listens on behalf of a file that lies in another one: names and places become those of the outer file.

use super::aside::Aside;
use super::http::HttpHead;
use super::record::{Part, Record, Sink};
use super::warc::WarcHead;
use super::window::Window;
use crate::error::Damage;

/// Hands on all that it hears. Joints are not: no one can begin to read in the middle of a member.
pub struct Inside<'a> {
    pub sink: &'a mut dyn Sink,
    /// Name of the member; empty where it is all there is in the file.
    pub name: &'a [u8],
    pub window: Window,
}

impl Inside<'_> {
    fn outwards(&self, part: &Part) -> Part {
        let windows = [self.window]
            .into_iter()
            .chain(part.windows.iter().copied());
        Part {
            name: joined(self.name, &part.name),
            format: part.format,
            windows: windows.collect(),
        }
    }
}

/// A name within a member, as it is from outside.
pub fn joined(outer: &[u8], inner: &[u8]) -> Vec<u8> {
    match (outer.is_empty(), inner.is_empty()) {
        (true, _) => inner.to_vec(),
        (_, true) => outer.to_vec(),
        _ => [outer, b"!", inner].concat(),
    }
}

impl Sink for Inside<'_> {
    fn begin(&mut self, head: &WarcHead) {
        self.sink.begin(head);
    }

    fn http(&mut self, head: &HttpHead) {
        self.sink.http(head);
    }

    fn body(&mut self, bytes: &[u8]) {
        self.sink.body(bytes);
    }

    fn tail(&mut self, bytes: &[u8]) {
        self.sink.tail(bytes);
    }

    fn end(&mut self, record: &Record) {
        self.sink.end(record);
    }

    fn abandon(&mut self) {
        self.sink.abandon();
    }

    fn damage(&mut self, damage: Damage) {
        self.sink.damage(damage);
    }

    fn part(&mut self, part: &Part) {
        let part = self.outwards(part);
        self.sink.part(&part);
    }

    fn wants_part(&self, part: &Part) -> bool {
        self.sink.wants_part(&self.outwards(part))
    }

    fn wants_elsewhere(&self, file: &[u8]) -> bool {
        self.sink.wants_elsewhere(file)
    }

    fn aside(&mut self, mut aside: Aside) {
        aside.place_in(self.name);
        self.sink.aside(aside);
    }

    fn wants_body(&self) -> bool {
        self.sink.wants_body()
    }

    fn wants_proof(&self) -> bool {
        self.sink.wants_proof()
    }

    fn is_full(&self) -> bool {
        self.sink.is_full()
    }
}
