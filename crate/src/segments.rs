//! Payload digests of records that lie in several segments: compared when the last segment has come by.
//!
//! The first segment states the digest of the whole payload. Segments that follow name it as their origin; those
//! that come out of order, or lie in another file, leave it as it is: not compared.

use std::collections::HashMap;

use crate::archive::{HttpHead, Record, RecordType, WarcHead};
use crate::digest::Verified;
use crate::limits::CHECK_SEGMENTED_MAX;
use crate::payload::{Budget, Payload};

/// A payload of which segments are still to come.
struct Joined {
    payload: Payload,
    /// Number of the segment that comes next.
    next: u64,
    is_whole: bool,
    first: First,
}

/// Where the first segment is, and of what.
#[derive(Clone, Default)]
pub struct First {
    pub offset: u64,
    pub uri: Option<Vec<u8>>,
}

#[derive(Default)]
pub struct Segments {
    /// By the ids of their first segments.
    open: HashMap<Vec<u8>, Joined>,
    /// The one whose segment is streaming by, and whether that is the last one.
    here: Option<(Vec<u8>, Joined, bool)>,
}

impl Segments {
    pub fn begin(&mut self, head: &WarcHead, budget: &Budget) {
        self.here = None;
        let Some(number) = head.segment_number() else {
            return;
        };
        if head.kind() == RecordType::Continuation {
            let Some(origin) = head.get("WARC-Segment-Origin-ID") else {
                return;
            };
            let is_next = |joined: &Joined| joined.next == number;
            if self.open.get(&origin).is_some_and(is_next)
                && let Some(joined) = self.open.remove(&origin)
            {
                let is_last = head.get_raw("WARC-Segment-Total-Length").is_some();
                self.here = Some((origin, joined, is_last));
            }
            return;
        }
        let id = head.get("WARC-Record-ID");
        let has_digest = head.get_raw("WARC-Payload-Digest").is_some();
        if let Some(id) = id.filter(|_| number == 1 && has_digest)
            && self.open.len() < CHECK_SEGMENTED_MAX
        {
            let joined = Joined {
                payload: Payload::of_all_segments(head, budget),
                next: 1,
                is_whole: true,
                first: First {
                    offset: 0,
                    uri: head.uri(),
                },
            };
            self.here = Some((id, joined, false));
        }
    }

    pub fn http(&mut self, head: &HttpHead) {
        if let Some((_, joined, _)) = &mut self.here
            && joined.next == 1
        {
            joined.payload.http(head);
        }
    }

    pub fn body(&mut self, bytes: &[u8]) {
        if let Some((_, joined, _)) = &mut self.here {
            joined.payload.body(bytes);
        }
    }

    /// What came by was wrong: nothing can be said of that payload any more.
    pub fn abandon(&mut self) {
        self.here = None;
    }

    /// The segment ends. What came of the digest, where it was the last one.
    pub fn end(&mut self, record: &Record, budget: &mut Budget) -> Option<(First, Verified)> {
        let (id, mut joined, is_last) = self.here.take()?;
        joined.is_whole &= record.is_whole;
        if joined.next == 1 {
            joined.first.offset = record.offset;
        }
        if !is_last {
            joined.next += 1;
            self.open.insert(id, joined);
            return None;
        }
        let whole = Record {
            is_whole: joined.is_whole,
            ..Record::default()
        };
        let verdicts = joined.payload.finish(&whole, budget).verdicts;
        Some((joined.first, verdicts.payload?))
    }
}
