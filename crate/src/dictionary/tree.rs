//! B-tree: strings in nodes, each with so many that three levels hold all of them, or four.
//!
//!   node := count:u32 is_leaf:u32 id:u32{count} end:u32{count} child{count + 1, where it is no leaf} key*
//!   child := offset:u64 length:u32 below:u32
//! A key is the beginning of its string, and where it has as many bytes as a key may have, the string itself is looked at.
//! `below` is how many strings of the node and of those below it are before the child. The root is resident.

use std::cmp::Ordering;

use crate::codec::Reader;

use super::heap::Strings;
use super::layout::{Layout, Ordered, Progress};
use super::pages::{CHECKSUM_BYTES, Place, Source, Stop};

pub const KEY_BYTES_MAX: usize = 256;
/// No tree that is written is as high.
const DEPTH_MAX: u32 = 40;

pub struct Tree {
    pub strings: Strings,
    pub count: u32,
    pub root: Place,
    /// All of the root, with its checksum; empty where there is none.
    pub root_bytes: Vec<u8>,
}

struct Node<'a> {
    count: u32,
    is_leaf: bool,
    ids: &'a [u8],
    ends: &'a [u8],
    children: &'a [u8],
    keys: &'a [u8],
}

#[derive(Clone, Copy)]
struct Child {
    place: Place,
    below: u32,
}

impl Layout for Tree {
    fn lookup_id(
        &self,
        string: &[u8],
        progress: &mut Progress,
        source: &mut Source,
    ) -> Result<Option<u32>, Stop> {
        Ok(self.rank(string, progress, source)?.1)
    }

    fn lookup_string(
        &self,
        id: u32,
        into: &mut Vec<u8>,
        progress: &mut Progress,
        source: &mut Source,
    ) -> Result<(), Stop> {
        self.strings.copy(id, into, progress, source)
    }

    fn ordered(&self) -> Option<&dyn Ordered> {
        Some(self)
    }

    fn held(&self) -> usize {
        self.root_bytes.capacity()
    }
}

impl Ordered for Tree {
    fn rank(
        &self,
        string: &[u8],
        progress: &mut Progress,
        source: &mut Source,
    ) -> Result<(u32, Option<u32>), Stop> {
        if self.count == 0 {
            return Ok((0, None));
        }
        if !progress.is_begun {
            progress.begin(0, 0);
            self.enter(self.root, progress, source)?;
        }
        loop {
            let place = progress.node;
            // Among the keys of the node.
            while progress.low < progress.high {
                let middle = progress.low.midpoint(progress.high);
                let at = u32::try_from(middle).unwrap_or(u32::MAX);
                let key = self.node(place, source)?.key(at);
                let Some((id, key)) = key else {
                    return Err(source.damaged(place));
                };
                let is_whole = key.len() < KEY_BYTES_MAX;
                let mut ordering = key.cmp(&string[..string.len().min(KEY_BYTES_MAX)]);
                if ordering == Ordering::Equal && !is_whole {
                    if id >= self.count {
                        return Err(source.damaged(place));
                    }
                    ordering = self.strings.compare(id, string, progress, source)?;
                }
                match ordering {
                    Ordering::Less => progress.low = middle + 1,
                    Ordering::Greater => progress.high = middle,
                    Ordering::Equal => {
                        let before = self.node(place, source)?.before(at);
                        let rank = before.and_then(|before| self.rank_of(progress, before));
                        let rank = rank.ok_or_else(|| source.damaged(place))?;
                        return Ok((rank, Some(id)));
                    }
                }
            }
            let at = u32::try_from(progress.low).unwrap_or(u32::MAX);
            let node = self.node(place, source)?;
            if node.is_leaf {
                let rank = self.rank_of(progress, at);
                let rank = rank.ok_or_else(|| source.damaged(place))?;
                return Ok((rank, None));
            }
            let Some(child) = node.child(at) else {
                return Err(source.damaged(place));
            };
            let below = progress.below + u64::from(child.below);
            self.enter(child.place, progress, source)?;
            progress.below = below;
        }
    }

    fn id_at(&self, rank: u32, source: &mut Source) -> Result<u32, Stop> {
        let mut place = self.root;
        let mut rank = rank;
        for _ in 0..DEPTH_MAX {
            let node = self.node(place, source)?;
            let step = node.step(rank);
            match step {
                Some(Step::Key(id)) if id < self.count => return Ok(id),
                Some(Step::Into(child)) => {
                    rank -= child.below;
                    place = child.place;
                }
                _ => return Err(source.damaged(place)),
            }
        }
        Err(source.damaged(place))
    }
}

enum Step {
    Key(u32),
    Into(Child),
}

impl Tree {
    /// Goes on with a node: a child of the one before, or the root. Nothing is changed where it is missing.
    fn enter(
        &self,
        place: Place,
        progress: &mut Progress,
        source: &mut Source,
    ) -> Result<(), Stop> {
        if progress.depth >= DEPTH_MAX {
            return Err(source.damaged(place));
        }
        let count = self.node(place, source)?.count;
        progress.node = place;
        progress.depth += 1;
        progress.low = 0;
        progress.high = u64::from(count);
        Ok(())
    }

    fn node<'a>(&'a self, place: Place, source: &'a mut Source) -> Result<Node<'a>, Stop> {
        // Asked for before it is read, since what was read cannot be given back and asked for again.
        let damaged = source.damaged(place);
        let content = if place == self.root {
            self.root_bytes.get(CHECKSUM_BYTES..).unwrap_or_default()
        } else {
            source.read(place)?
        };
        Node::read(content).ok_or(damaged)
    }

    fn rank_of(&self, progress: &Progress, before: u32) -> Option<u32> {
        let rank = u32::try_from(progress.below.checked_add(u64::from(before))?).ok()?;
        (rank <= self.count).then_some(rank)
    }
}

impl<'a> Node<'a> {
    fn read(content: &'a [u8]) -> Option<Node<'a>> {
        let mut reader = Reader::new(content);
        let count = reader.u32()?;
        let is_leaf = reader.u32()? != 0;
        let each = usize::try_from(count).ok()?.checked_mul(4)?;
        let ids = reader.take(each)?;
        let ends = reader.take(each)?;
        let children = match is_leaf {
            true => &[],
            false => reader.take(each.checked_add(4)?.checked_mul(4)?)?,
        };
        Some(Node {
            count,
            is_leaf,
            ids,
            ends,
            children,
            keys: reader.take(reader.left())?,
        })
    }

    fn key(&self, at: u32) -> Option<(u32, &'a [u8])> {
        let start = match at {
            0 => 0,
            _ => number(self.ends, at - 1)?,
        };
        let key = self
            .keys
            .get(start as usize..number(self.ends, at)? as usize)?;
        Some((number(self.ids, at)?, key))
    }

    fn child(&self, at: u32) -> Option<Child> {
        let mut reader = Reader::new(self.children.get(at as usize * 16..)?);
        Some(Child {
            place: Place {
                offset: reader.u64()?,
                length: reader.u32()?,
            },
            below: reader.u32()?,
        })
    }

    /// Strings of the node, and below it, that are before a key.
    fn before(&self, key: u32) -> Option<u32> {
        match self.is_leaf {
            true => Some(key),
            false => self.child(key + 1)?.below.checked_sub(1),
        }
    }

    /// Where the string is that so many of the node's are before.
    fn step(&self, rank: u32) -> Option<Step> {
        if self.is_leaf {
            return Some(Step::Key(number(self.ids, rank)?));
        }
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low.midpoint(high);
            match self.child(middle + 1)?.below <= rank {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        let is_key = low < self.count && self.before(low)? == rank;
        Some(match is_key {
            true => Step::Key(number(self.ids, low)?),
            false => Step::Into(self.child(low).filter(|child| child.below <= rank)?),
        })
    }
}

fn number(numbers: &[u8], at: u32) -> Option<u32> {
    let bytes = numbers.get(at as usize * 4..)?.first_chunk()?;
    Some(u32::from_le_bytes(*bytes))
}
