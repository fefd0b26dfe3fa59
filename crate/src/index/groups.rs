//! What values a column has, and how many records and bytes are of each: found by going from one to the next, whatever
//! lies between.

use super::columns::url_of;
use super::merged::Merged;
use crate::segment::{Blocks, Rank, Stop};

/// Which entries of a column are together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouping<'a> {
    /// Those of the same key.
    Key,
    /// Those of URL keys by their whole hosts.
    WholeHost,
    /// Those of URL keys by the labels of their hosts, one level below a host; empty for the highest level.
    Host { under: &'a [u8] },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// What the keys of the group begin with.
    pub name: Vec<u8>,
    /// The first key that is behind all of them: where the next group is looked for.
    pub behind: Vec<u8>,
    pub entries: u64,
    pub weight: u64,
    /// Whether all of it is of this name, and none below it.
    pub is_leaf: bool,
}

/// Behind a host's name comes this, or a label of a host below it.
const END_OF_HOST: u8 = b')';
const LABEL: u8 = b',';
/// Is behind both, and no byte of a name is between.
const BEHIND: u8 = b'-';
/// Behind what ends a host's name, and before its labels.
const BEHIND_HOST: u8 = b'*';
/// Behind the space that ends a URL key.
const BEHIND_URL: u8 = b'!';

/// Groups of the entries whose keys are from `from` on, so many at most.
pub fn groups(
    column: &Merged<'_>,
    grouping: Grouping<'_>,
    from: &[u8],
    count: usize,
    blocks: &mut Blocks,
) -> Result<Vec<Group>, Stop> {
    let (mut at, end) = match grouping {
        Grouping::Host { under } if !under.is_empty() => {
            let end = column.rank(&with(under, BEHIND), blocks)?;
            // The host's own come first and are of no label.
            let start = column.rank(&with(under, LABEL), blocks)?;
            let resumed = column.rank(from, blocks)?;
            (later(start, resumed), end)
        }
        _ => (column.rank(from, blocks)?, column.whole()),
    };
    let mut groups = Vec::new();
    while groups.len() < count && at.entries < end.entries {
        let mut key = Vec::new();
        column.visit(at.entries, blocks, |found, _| {
            key.extend_from_slice(found);
            false
        })?;
        let (name, behind) = match grouping {
            Grouping::Key => (key.clone(), with(&key, 0)),
            Grouping::WholeHost => whole_host(&key),
            Grouping::Host { under } => host_group(&key, under),
        };
        let next = column.rank(&behind, blocks)?;
        // In a column that is not in order, as no writer makes it, this would not end.
        if next.entries <= at.entries {
            break;
        }
        let is_leaf = !matches!(grouping, Grouping::Host { .. }) || {
            let own = column.rank(&with(&name, LABEL), blocks)?;
            own.entries >= next.entries
        };
        groups.push(Group {
            name,
            behind,
            entries: next.entries - at.entries,
            weight: next.weight.saturating_sub(at.weight),
            is_leaf,
        });
        at = next;
    }
    Ok(groups)
}

/// The host that a key of the column of URLs is of, and the first key behind it.
fn whole_host(key: &[u8]) -> (Vec<u8>, Vec<u8>) {
    match url_of(key).iter().position(|byte| *byte == END_OF_HOST) {
        Some(end) => (key[..end].to_vec(), with(&key[..end], BEHIND_HOST)),
        None => host_group(key, b""),
    }
}

/// The name of the group that a key of the column of URLs is of, and the first key behind it.
fn host_group(key: &[u8], under: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let key = url_of(key);
    // Behind the host above and its comma.
    let from = if under.is_empty() { 0 } else { under.len() + 1 };
    let rest = key.get(from..).unwrap_or_default();
    let label = rest
        .iter()
        .position(|byte| matches!(*byte, LABEL | END_OF_HOST))
        .filter(|_| key.contains(&END_OF_HOST));
    if let Some(label) = label {
        let name = &key[..from + label];
        return (name.to_vec(), with(name, BEHIND));
    }
    // Of no host: all of a scheme are together.
    match key.iter().position(|byte| *byte == b':') {
        Some(colon) => (key[..=colon].to_vec(), with(&key[..=colon], 0xff)),
        None => (key.to_vec(), with(key, BEHIND_URL)),
    }
}

fn with(key: &[u8], byte: u8) -> Vec<u8> {
    let mut key = key.to_vec();
    key.push(byte);
    key
}

fn later(a: Rank, b: Rank) -> Rank {
    if a.entries >= b.entries { a } else { b }
}
