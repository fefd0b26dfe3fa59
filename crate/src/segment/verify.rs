//! Whether a segment is what a writer makes: every block sound, entries in order, and as many as it says.

use super::blocks::{Blocks, Stop};
use super::cursor::Cursor;
use super::directory::Order;
use super::reader::{Rank, Segment};

pub struct Check {
    section: usize,
    cursor: Option<Cursor>,
    weight: u64,
    last_key: Vec<u8>,
}

impl Default for Check {
    fn default() -> Check {
        Check::new()
    }
}

impl Check {
    pub fn new() -> Check {
        Check {
            section: 0,
            cursor: None,
            weight: 0,
            last_key: Vec::new(),
        }
    }

    /// Looks at some entries. True when all were seen and are sound.
    pub fn step(
        &mut self,
        segment: &Segment,
        blocks: &mut Blocks,
        entries: usize,
    ) -> Result<bool, Stop> {
        let damaged = Stop::Damaged(segment.whole());
        for _ in 0..entries {
            let Some(section) = segment.sections().get(self.section) else {
                return Ok(true);
            };
            let cursor = self.cursor.get_or_insert_with(|| Cursor::new(section, 0));
            let begins_block = cursor.begins_block();
            let before = Rank {
                entries: cursor.entry(),
                weight: self.weight,
            };
            let Some((key, value)) = cursor.read(segment, blocks)? else {
                if self.weight != section.weight {
                    return Err(damaged);
                }
                *self = Check {
                    section: self.section + 1,
                    ..Check::new()
                };
                continue;
            };
            let weight = section.kind.weight_of(value);
            if section.kind.order == Order::ByKey {
                let is_first = before.entries == 0 || key > self.last_key.as_slice();
                if !is_first && key < self.last_key.as_slice() {
                    return Err(damaged);
                }
                // What is above the blocks must lead to where a key begins.
                if is_first && begins_block && segment.rank(section, key, blocks)? != before {
                    return Err(damaged);
                }
                self.last_key.clear();
                self.last_key.extend_from_slice(key);
            }
            self.weight = self.weight.saturating_add(weight);
            cursor.go_on();
        }
        Ok(false)
    }
}
