//! Which media types are documents, and of what kind.

use super::DocumentKind;

impl DocumentKind {
    /// Of a media type in lower case, without parameters.
    pub fn of_media(media: &[u8]) -> Option<DocumentKind> {
        Some(match media {
            b"text/html" => DocumentKind::Html,
            b"application/xhtml+xml" | b"application/vnd.wap.xhtml+xml" => DocumentKind::Xhtml,
            b"text/plain" | b"text/markdown" | b"text/x-markdown" => DocumentKind::Text,
            b"application/rss+xml"
            | b"application/atom+xml"
            | b"application/rdf+xml"
            | b"application/x-rss+xml"
            | b"text/rss+xml" => DocumentKind::Feed,
            b"application/json" | b"text/json" => DocumentKind::Json,
            b"application/xml" | b"text/xml" => DocumentKind::Xml,
            b"application/pdf" | b"application/x-pdf" => DocumentKind::Pdf,
            // A picture, not a text.
            b"image/svg+xml" => return None,
            _ if media.ends_with(b"+json") => DocumentKind::Json,
            _ if media.ends_with(b"+xml") => DocumentKind::Xml,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_documents_and_pictures_and_programs_are_not() {
        let of = DocumentKind::of_media;
        assert_eq!(of(b"text/html"), Some(DocumentKind::Html));
        assert_eq!(of(b"application/atom+xml"), Some(DocumentKind::Feed));
        assert_eq!(of(b"application/ld+json"), Some(DocumentKind::Json));
        assert_eq!(of(b"application/pdf"), Some(DocumentKind::Pdf));
        for other in [
            "image/svg+xml",
            "text/css",
            "text/javascript",
            "",
            "image/png",
        ] {
            assert_eq!(of(other.as_bytes()), None, "{other}");
        }
    }
}
