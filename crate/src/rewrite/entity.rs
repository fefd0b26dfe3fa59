//! Values of attributes as markup writes them, and as what they mean.

use std::borrow::Cow;

const ENTITIES: [(&str, char); 8] = [
    ("&amp;", '&'),
    ("&quot;", '"'),
    ("&#34;", '"'),
    ("&apos;", '\''),
    ("&#39;", '\''),
    ("&#x27;", '\''),
    ("&lt;", '<'),
    ("&gt;", '>'),
];

/// What a value means; none where it holds an entity that is not known here.
pub fn decoded(value: &str) -> Option<Cow<'_, str>> {
    if !value.contains('&') {
        return Some(value.into());
    }
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some((entity, letter)) = ENTITIES.iter().find(|(entity, _)| rest.starts_with(entity))
        {
            out.push(*letter);
            rest = &rest[entity.len()..];
            continue;
        }
        let next = rest[1..].chars().next();
        if next.is_some_and(|letter| letter.is_ascii_alphanumeric() || letter == '#') {
            return None;
        }
        out.push('&');
        rest = &rest[1..];
    }
    out.push_str(rest);
    Some(out.into())
}

/// To be put between double quotes. Quotes are the writer's to escape.
pub fn encoded(text: &str) -> String {
    text.replace('&', "&amp;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_decoded_and_the_rest_refused() {
        for (value, meant) in [
            ("a", Some("a")),
            ("a &amp;&amp; b", Some("a && b")),
            ("a && b", Some("a && b")),
            ("&quot;&#39;&lt;&gt;&", Some("\"'<>&")),
            ("&amp;quot;", Some("&quot;")),
            ("&eacute;", None),
            ("&#233;", None),
        ] {
            assert_eq!(decoded(value).as_deref(), meant, "{value}");
        }
        assert_eq!(encoded("a && \"b\""), "a &amp;&amp; \"b\"");
    }
}
