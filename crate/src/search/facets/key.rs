//! Keys of facets: a field, a value, and the upper half of the rows.

use std::borrow::Cow;

use crate::limits::FACET_VALUE_BYTES_MAX;

const END: u8 = 0;
const ESCAPE: u8 = 1;
/// Follows a value in a key that is behind all of that value, and before those that begin with it.
const BEHIND: u8 = 1;
const FIELD_BYTES_MAX: usize = 255;

/// The field in small letters as keys begin with it; false where it can be none.
pub fn push_field(key: &mut Vec<u8>, field: &str) -> bool {
    let is_field = !field.is_empty()
        && field.len() <= FIELD_BYTES_MAX
        && field.bytes().all(|byte| byte >= b' ' && byte != 0x7f);
    if is_field {
        key.extend(field.bytes().map(|byte| byte.to_ascii_lowercase()));
        key.push(END);
    }
    is_field
}

/// The value behind a field; false where it is too long.
pub fn push_value(key: &mut Vec<u8>, value: &[u8]) -> bool {
    if value.len() > FACET_VALUE_BYTES_MAX {
        return false;
    }
    for byte in value {
        match *byte {
            END => key.extend([ESCAPE, 1]),
            ESCAPE => key.extend([ESCAPE, 2]),
            byte => key.push(byte),
        }
    }
    true
}

/// The keys of values that begin so, and the first one that is behind them.
pub fn of_prefix(field: &str, prefix: &[u8]) -> [Vec<u8>; 2] {
    let mut from = Vec::new();
    push_field(&mut from, field);
    push_value(&mut from, prefix);
    let mut behind = from.clone();
    // A field's end counted up is behind all of its values.
    while let Some(last) = behind.pop() {
        if let Some(next) = last.checked_add(1) {
            behind.push(next);
            break;
        }
    }
    [from, behind]
}

/// The keys of one value, and the first one that is behind them.
pub fn of_value(field: &str, value: &[u8]) -> [Vec<u8>; 2] {
    let mut from = Vec::new();
    push_field(&mut from, field);
    push_value(&mut from, value);
    let mut behind = from.clone();
    from.push(END);
    behind.push(BEHIND);
    [from, behind]
}

/// Behind a key without the upper half of its rows, and before the next value.
pub fn behind_value(value_key: &[u8]) -> Vec<u8> {
    let mut behind = value_key.to_vec();
    behind.push(BEHIND);
    behind
}

pub fn with_rows(value_key: &[u8], high: u16) -> Vec<u8> {
    let mut key = value_key.to_vec();
    key.push(END);
    key.extend(high.to_be_bytes());
    key
}

/// A key in its parts: that of its value, which `value_of` reads, and the upper half of the rows.
pub fn parted(key: &[u8]) -> Option<(&[u8], u16)> {
    let (rest, high) = key.split_last_chunk::<2>()?;
    let value_key = rest.strip_suffix(&[END])?;
    value_key
        .contains(&END)
        .then(|| (value_key, u16::from_be_bytes(*high)))
}

/// The value in a key without rows.
pub fn value_of(value_key: &[u8]) -> Cow<'_, [u8]> {
    let field = value_key.iter().position(|byte| *byte == END);
    let written = field.map_or(&[][..], |end| &value_key[end + 1..]);
    if !written.contains(&ESCAPE) {
        return Cow::Borrowed(written);
    }
    let mut value = Vec::with_capacity(written.len());
    let mut bytes = written.iter();
    while let Some(byte) = bytes.next() {
        value.push(match *byte {
            ESCAPE => bytes.next().map_or(END, |next| next.saturating_sub(1)),
            byte => byte,
        });
    }
    Cow::Owned(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(field: &str, value: &[u8], high: u16) -> Vec<u8> {
        let mut key = Vec::new();
        assert!(push_field(&mut key, field) && push_value(&mut key, value));
        with_rows(&key, high)
    }

    #[test]
    fn keys_are_in_the_order_of_values_and_rows() {
        let values: [&[u8]; 9] = [
            b"",
            b"\0",
            b"\0\0",
            b"\x01",
            b"\x01\x02",
            b"a",
            b"a\0",
            b"a\x01",
            b"ab",
        ];
        let mut last = Vec::new();
        for value in values {
            for high in [0, 0x0101, 0xffff] {
                let next = key("f", value, high);
                assert!(last < next, "{value:?} {high}");
                let (value_key, found) = parted(&next).expect("a key");
                assert_eq!((value_of(value_key).as_ref(), found), (value, high));
                let [from, behind] = of_value("f", value);
                assert!(from <= next && next < behind);
                let [from, behind] = of_prefix("f", value);
                assert!(from <= next && next < behind);
                last = next;
            }
            let [_, behind] = of_value("f", value);
            assert!(last < behind);
            last = behind;
        }
        assert!(last < key("g", b"", 0) && last < of_prefix("f", b"")[1]);
    }
}
