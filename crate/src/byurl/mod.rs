//! Records of an archive by their URL, for look-ups by the thousand: which row answers what a page asks for.

mod key;
mod table;

pub use key::{Keys, keys};
pub use table::{ByUrl, How, Wanted};
