//! Who tells of an archive in lines while it is read: the host feeds it, takes the lines away, and says which
//! signatures do not fit.

use crate::archive::Sink;
use crate::naming::Naming;

pub trait Teller: Sink {
    /// Which file the lines name, and which part of it is told of.
    fn naming(&mut self) -> &mut Naming;

    /// The lines since the last call.
    fn take(&mut self) -> String;

    /// A signature that the host must verify, as a line of JSON; once the end was told.
    fn take_signature(&mut self) -> Option<String>;

    /// The signature in this member does not fit.
    fn refuse(&mut self, member: &[u8], words: &str);

    /// Nothing more comes, and signatures were verified.
    fn conclude(&mut self) {}
}
