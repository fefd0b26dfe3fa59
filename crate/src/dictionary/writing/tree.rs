//! Nodes of a tree, those below before those above.

use super::super::builder::Given;
use super::super::out::Out;
use super::super::pages::Place;
use super::super::tree::KEY_BYTES_MAX;

/// Writes all nodes and gives the root.
pub fn write(given: &Given, sorted: &[u32], out: &mut Out) -> Place {
    node(given, sorted, keys_max(sorted.len()), out)
}

/// With so many keys in a node three levels hold all strings.
fn keys_max(count: usize) -> usize {
    let mut keys = 2;
    while keys * keys * keys < count {
        keys += 1;
    }
    keys
}

fn node(given: &Given, sorted: &[u32], keys_max: usize, out: &mut Out) -> Place {
    let mut children = Vec::new();
    let mut keys = Vec::new();
    if sorted.len() <= keys_max {
        keys.extend_from_slice(sorted);
    } else {
        // As many as fit below each of them, evenly.
        let count = keys_max.min((sorted.len() - 1) / 2);
        let mut from = 0;
        for key in 0..=count {
            let to = (sorted.len() - count) * (key + 1) / (count + 1) + key;
            let below = u32::try_from(from).unwrap_or(u32::MAX);
            children.push((node(given, &sorted[from..to], keys_max, out), below));
            keys.extend(sorted.get(to));
            from = to + 1;
        }
        keys.truncate(count);
    }
    out.span(&content(given, &keys, &children))
}

fn content(given: &Given, keys: &[u32], children: &[(Place, u32)]) -> Vec<u8> {
    let mut content = Vec::new();
    let count = u32::try_from(keys.len()).unwrap_or(u32::MAX);
    content.extend(count.to_le_bytes());
    content.extend(u32::from(children.is_empty()).to_le_bytes());
    content.extend(keys.iter().flat_map(|id| id.to_le_bytes()));
    let key = |id: u32| {
        let string = given.get(id);
        &string[..string.len().min(KEY_BYTES_MAX)]
    };
    let mut end = 0usize;
    for id in keys {
        end += key(*id).len();
        content.extend(u32::try_from(end).unwrap_or(u32::MAX).to_le_bytes());
    }
    for (place, below) in children {
        content.extend(place.offset.to_le_bytes());
        content.extend(place.length.to_le_bytes());
        content.extend(below.to_le_bytes());
    }
    keys.iter()
        .for_each(|id| content.extend_from_slice(key(*id)));
    content
}
