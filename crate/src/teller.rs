//! Who tells of an archive in lines while it is read: the host feeds it, takes the lines away, and says which
//! signatures do not fit.

use crate::archive::Sink;
use crate::error::{Damage, code};
use crate::naming::Naming;
use crate::unproven::{Unproven, refused};

/// What everyone who tells keeps beside the records.
#[derive(Default)]
pub struct Told {
    /// Lines that were not taken away yet.
    pub lines: String,
    pub naming: Naming,
    pub unproven: Unproven,
}

pub trait Teller: Sink {
    fn told(&mut self) -> &mut Told;

    /// Which file the lines name, and which part of it is told of.
    fn naming(&mut self) -> &mut Naming {
        &mut self.told().naming
    }

    /// The lines since the last call.
    fn take(&mut self) -> String {
        std::mem::take(&mut self.told().lines)
    }

    /// A signature that the host must verify, as a line of JSON; once the end was told.
    fn take_signature(&mut self) -> Option<String> {
        self.told().unproven.take()
    }

    /// The signature in this member does not fit.
    fn refuse(&mut self, member: &[u8], words: &str) {
        self.told().naming.enter_holder(member);
        self.damage(Damage {
            code: code::WACZ_BAD_SIGNATURE,
            offset: 0,
            skipped: 0,
            message: refused(words),
        });
    }

    /// Nothing more comes, and signatures were verified.
    fn conclude(&mut self) {}
}
