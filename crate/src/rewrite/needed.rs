//! Whether a script has anything in it that edits are about, told by its bytes alone: most have not, and the parser is
//! not even fetched for them.
//!
//! False only where no edit would be made; but for names spelled with escapes, unless all of their middle is in hex as
//! scripts have it that hide what they do, and `top` behind a comma of a `case`.

/// What windows are called where `top` is asked of them, as `script/words.rs` has them.
const WINDOWS: [&[u8]; 10] = [
    b"window",
    b"self",
    b"parent",
    b"frames",
    b"opener",
    b"globalThis",
    b"defaultView",
    b"contentWindow",
    b"this",
    b"top",
];

/// `cati`, `top` and `stM` in hex.
const HIDDEN: [&[u8]; 3] = [b"x63\\x61\\x74\\x69", b"x74\\x6f\\x70", b"x73\\x74\\x4d"];

pub fn needs_editing(source: &[u8]) -> bool {
    let (mut has_export, mut has_from) = (false, false);
    let (mut has_key, mut has_pattern) = (false, false);
    let mut at = 0;
    while let Some(&byte) = source.get(at) {
        if !is_part(byte) {
            has_pattern |= byte == b'}' && is_assigned_to(&source[at + 1..]);
            at += 1;
            continue;
        }
        let start = at;
        while source.get(at).is_some_and(|byte| is_part(*byte)) {
            at += 1;
        }
        match &source[start..at] {
            b"location" | b"import" | b"postMessage" | b"eval" => return true,
            b"top" => match top(source, start) {
                Top::Window => return true,
                Top::Key => has_key = true,
                Top::Other => {}
            },
            b"export" => has_export = true,
            b"from" => has_from = true,
            [b'x', _, _] if is_hidden(&source[start..]) => return true,
            _ => {}
        }
    }
    (has_export && has_from) || (has_key && has_pattern)
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn is_hidden(text: &[u8]) -> bool {
    HIDDEN.iter().any(|name| {
        text.get(..name.len())
            .is_some_and(|text| text.eq_ignore_ascii_case(name))
    })
}

/// A brace ends a pattern, or a comment or a rarer space hides whether it does.
fn is_assigned_to(after: &[u8]) -> bool {
    match after.trim_ascii_start() {
        [b'=', b'=' | b'>', ..] => false,
        [b'=', ..] => true,
        after => is_unclear(after),
    }
}

/// What comes next may be a comment or a rarer space.
fn is_unclear(after: &[u8]) -> bool {
    matches!(after, [b'/' | b'<' | b'-' | 0x0b | 0x80.., ..])
}

/// A text in brackets names a property.
fn is_in_brackets(after: &[u8]) -> bool {
    let after = after.trim_ascii_start();
    after.starts_with(b"]") || is_unclear(after)
}

/// What a `top` may be.
enum Top {
    Window,
    /// The key of an object or a pattern, or a text by itself.
    Key,
    /// A property of something else.
    Other,
}

fn top(source: &[u8], start: usize) -> Top {
    let (before, after) = (&source[..start], source.get(start + 3));
    match before {
        [.., quote @ (b'"' | b'\'')] if after == Some(quote) => {
            if is_in_brackets(&source[start + 4..]) {
                Top::Window
            } else {
                Top::Key
            }
        }
        [.., b'{' | b','] if after == Some(&b':') => Top::Key,
        [.., b'.', b'.', b'.'] => Top::Window,
        [object @ .., b'?', b'.'] | [object @ .., b'.'] => {
            let is_known = object
                .last()
                .is_some_and(|byte| byte.is_ascii() && (is_part(*byte) || b")]".contains(byte)));
            if !is_known || WINDOWS.iter().any(|name| object.ends_with(name)) {
                Top::Window
            } else {
                Top::Other
            }
        }
        _ => Top::Window,
    }
}
