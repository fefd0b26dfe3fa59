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
    let mut at = 0;
    while let Some(&byte) = source.get(at) {
        if !is_part(byte) {
            at += 1;
            continue;
        }
        let start = at;
        while source.get(at).is_some_and(|byte| is_part(*byte)) {
            at += 1;
        }
        match &source[start..at] {
            b"location" | b"import" | b"postMessage" => return true,
            b"top" if is_top(source, start) => return true,
            b"export" => has_export = true,
            b"from" => has_from = true,
            [b'x', _, _] if is_hidden(&source[start..]) => return true,
            _ => {}
        }
    }
    has_export && has_from
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

/// This `top` may be a window: no key, no text by itself, no property of something else.
fn is_top(source: &[u8], start: usize) -> bool {
    let (before, after) = (&source[..start], source.get(start + 3));
    match before {
        [.., b'[', b'"' | b'\''] => true,
        [.., quote @ (b'"' | b'\'')] if after == Some(quote) => false,
        [.., b'{' | b','] if after == Some(&b':') => false,
        [.., b'.', b'.', b'.'] => true,
        [object @ .., b'?', b'.'] | [object @ .., b'.'] => {
            let is_known = object
                .last()
                .is_some_and(|byte| is_part(*byte) || b")]".contains(byte));
            !is_known || WINDOWS.iter().any(|name| object.ends_with(name))
        }
        _ => true,
    }
}
