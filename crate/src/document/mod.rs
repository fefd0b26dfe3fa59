//! What a record says to a reader: title, language, text and links of a web page, a text or a feed.

mod encoded;
mod found;
mod media;
#[cfg(feature = "documents")]
mod reading;

pub use found::Found;
#[cfg(feature = "documents")]
pub use reading::{Helper, read};

/// What a document was read as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DocumentKind {
    #[default]
    Html,
    Xhtml,
    Text,
    Json,
    Xml,
    Feed,
    Pdf,
    /// Nothing but the way to another URL.
    Redirect,
}

/// What a link is to the document that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// Leads elsewhere when it is followed.
    Anchor,
    /// An image, a video or a sound.
    Media,
    Frame,
    Script,
    Style,
    /// Where a form is sent to.
    Form,
    Other,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    pub kind: LinkKind,
    /// As it is written, entities and white space around it taken away: relative to `Document::base`.
    pub url: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// The record's row.
    pub row: u64,
    pub kind: DocumentKind,
    /// A piece that a page fetched for itself, not a page.
    pub is_fragment: bool,
    /// There is more text, or there are more links, than are told.
    pub is_cut: bool,
    /// The body is not all there.
    pub is_partial: bool,
    /// Empty where there is none, as with all that follows.
    pub title: String,
    /// A language tag in lower case, such as `de` or `pt-br`.
    pub language: String,
    pub description: String,
    /// Relative to `base`, as links are.
    pub icon: String,
    pub canonical: String,
    /// Where a redirect leads, or a page by itself.
    pub redirect: String,
    /// What relative URLs are relative to, where that is not the record's URL.
    pub base: String,
    /// Blocks of text, a line each.
    pub text: String,
    pub links: Vec<Link>,
}
