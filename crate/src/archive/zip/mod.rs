//! ZIP files: their members, in the order of the file, and what is wrong with them.

mod descriptor;
mod directory;
mod headers;
mod reader;

pub use descriptor::Unmeasured;
pub use reader::ZipReader;
