//! Signatures that the host is yet to verify, from those who hear them to those who tell lines.

use std::collections::VecDeque;

use crate::archive::Aside;
use crate::limits::SIGNED_KEPT_MAX;

#[derive(Default)]
pub struct Unproven {
    /// As lines of JSON.
    waiting: VecDeque<String>,
}

impl Unproven {
    pub fn hear(&mut self, aside: &Aside) {
        let is_one = matches!(aside, Aside::Signature(signature) if !signature.signed.is_empty());
        if is_one && self.waiting.len() < SIGNED_KEPT_MAX {
            self.waiting.push_back(aside.json());
        }
    }

    /// The next one, as the line that `Aside` makes of it.
    pub fn take(&mut self) -> Option<String> {
        self.waiting.pop_front()
    }
}

/// What is said where the host found that one does not fit.
pub fn refused(words: &str) -> String {
    format!("the signature of the package does not hold: {words}")
}
