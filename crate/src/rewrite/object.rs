//! Plug-ins: no service worker answers for them, so a picture is shown as one and a page as a frame. What no browser
//! shows any more stays, and its fallback shows.

use lol_html::html_content::Element;

/// Attributes that belong to the plug-in alone.
const OWN: [&str; 8] = [
    "data", "type", "classid", "codebase", "codetype", "archive", "declare", "standby",
];
const PICTURES: [&str; 8] = ["png", "jpg", "jpeg", "gif", "svg", "webp", "avif", "bmp"];
const PAGES: [&str; 8] = ["html", "htm", "xhtml", "pdf", "txt", "xml", "php", "asp"];

/// The element to be put in its place; none where it stays.
pub fn instead(element: &Element<'_, '_>) -> Option<String> {
    let is_object = element.tag_name() == "object";
    let address = element.get_attribute(if is_object { "data" } else { "src" })?;
    let kind = element.get_attribute("type").unwrap_or_default();
    let name = match look(&kind.to_ascii_lowercase(), &address)? {
        Look::Picture => "img",
        Look::Page => "iframe",
    };
    let mut out = format!("<{name} src=\"{}\"", address.replace('"', "&quot;"));
    for attribute in element.attributes() {
        let own = attribute.name();
        if own != "src" && !OWN.contains(&own.as_str()) {
            out.push_str(&format!(
                " {own}=\"{}\"",
                attribute.value().replace('"', "&quot;")
            ));
        }
    }
    out.push_str(if name == "iframe" { "></iframe>" } else { ">" });
    Some(out)
}

enum Look {
    Picture,
    Page,
}

fn look(kind: &str, address: &str) -> Option<Look> {
    let kind = kind.split(';').next().unwrap_or("").trim_ascii();
    if kind.starts_with("image/") {
        return Some(Look::Picture);
    }
    if kind.starts_with("text/") || kind == "application/pdf" || kind == "application/xhtml+xml" {
        return Some(Look::Page);
    }
    if !kind.is_empty() {
        return None;
    }
    let path = address.split(['?', '#']).next().unwrap_or("");
    let end = path.rsplit('/').next().unwrap_or("").rsplit_once('.');
    let extension = end
        .map_or("", |(_, extension)| extension)
        .to_ascii_lowercase();
    if PICTURES.contains(&extension.as_str()) {
        return Some(Look::Picture);
    }
    (extension.is_empty() || PAGES.contains(&extension.as_str())).then_some(Look::Page)
}
