//! Makes archived documents replayable: every host name in an absolute URL becomes the name of the replay
//! origin of that host; relative URLs stay as they are.
//!
//! Only what cannot be mended at run time is edited. Nothing here keeps the live web out: the policy that a
//! replayed document is served with does, so an address that is overlooked is dead, never live.

mod bytes;
mod css;
mod element;
mod entity;
mod hosts;
mod html;
mod needed;
mod object;
mod plain;
mod urls;

pub use hosts::Hosts;
pub(crate) use hosts::split as split_url;
pub use html::{EditScript, HtmlRewriter, Script};
pub use needed::needs_editing;
pub use plain::{Plain, rewrite_plain};
