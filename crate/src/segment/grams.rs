//! Which runs of three bytes the keys of a block have, as a set of bits: a text that is in none of them is known not to be
//! there without reading the block. Capital letters of ASCII are taken for small ones.
//!
//!   groups := value: entries:varint bits
//! The set is as long as it must be for most of its bits to be of use: a power of two, folded from the longest there is.

use crate::codec::{Reader, push_varint};

/// Bits of the longest set are 2 to this.
const BITS_LOG: u32 = 14;
const BITS: usize = 1 << BITS_LOG;
const BYTES_MIN: usize = 8;
/// A set in which more of a hundred bits are set says little.
const FILL_PERCENT_MAX: usize = 60;

/// Where in the longest set the runs of a text stand.
fn places(text: &[u8]) -> impl Iterator<Item = usize> {
    text.windows(3).map(|run| {
        let letters = run.iter().map(|byte| u32::from(byte.to_ascii_lowercase()));
        let number = letters.fold(0, |number, letter| number << 8 | letter);
        (number.wrapping_mul(0x9e37_79b1) >> (u32::BITS - BITS_LOG)) as usize
    })
}

/// The set of a block that is being made.
pub struct GramsDraft {
    set: Vec<u8>,
    entries: u64,
}

impl Default for GramsDraft {
    fn default() -> GramsDraft {
        GramsDraft {
            set: vec![0; BITS / 8],
            entries: 0,
        }
    }
}

impl GramsDraft {
    pub fn add(&mut self, key: &[u8]) {
        for place in places(key) {
            self.set[place / 8] |= 1 << (place % 8);
        }
        self.entries += 1;
    }

    /// The value of the group, which begins anew.
    pub fn take(&mut self) -> Vec<u8> {
        let mut set = std::mem::replace(&mut self.set, vec![0; BITS / 8]);
        while set.len() > BYTES_MIN {
            let (low, high) = set.split_at(set.len() / 2);
            let folded: Vec<u8> = low.iter().zip(high).map(|(a, b)| a | b).collect();
            let ones: u32 = folded.iter().map(|byte| byte.count_ones()).sum();
            if ones as usize * 100 > folded.len() * 8 * FILL_PERCENT_MAX {
                break;
            }
            set = folded;
        }
        let mut value = Vec::new();
        push_varint(&mut value, std::mem::take(&mut self.entries));
        value.extend_from_slice(&set);
        value
    }
}

/// What a key must hold: of each group of texts one at least.
#[derive(Debug, Default)]
pub struct GramsWanted {
    groups: Vec<Vec<Vec<usize>>>,
}

impl GramsWanted {
    pub fn new<'a>(groups: impl IntoIterator<Item = Vec<&'a [u8]>>) -> GramsWanted {
        let told = groups.into_iter().filter_map(|group| {
            let texts = group.into_iter().map(|text| places(text).collect());
            let texts: Vec<Vec<usize>> = texts.collect();
            let says_something = !texts.is_empty() && texts.iter().all(|text| !text.is_empty());
            says_something.then_some(texts)
        });
        GramsWanted {
            groups: told.collect(),
        }
    }

    /// Whether there is nothing by which a block could be passed over.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// How many entries a group is of, and whether one of them may be wanted; `None` where this is no such value.
    pub fn ask(&self, value: &[u8]) -> Option<(u64, bool)> {
        let mut reader = Reader::new(value);
        let entries = reader.varint()?;
        let bits = value.get(value.len() - reader.left()..)?;
        if !bits.len().is_power_of_two() || bits.len() > BITS / 8 {
            return None;
        }
        let has = |place: &usize| {
            let place = place & (bits.len() * 8 - 1);
            bits.get(place / 8)
                .is_some_and(|byte| byte >> (place % 8) & 1 == 1)
        };
        let may = |group: &Vec<Vec<usize>>| group.iter().any(|text| text.iter().all(has));
        Some((entries, self.groups.iter().all(may)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value_of(keys: &[&str]) -> Vec<u8> {
        let mut draft = GramsDraft::default();
        keys.iter().for_each(|key| draft.add(key.as_bytes()));
        draft.take()
    }

    fn asked(value: &[u8], groups: &[&[&str]]) -> Option<(u64, bool)> {
        let groups = groups
            .iter()
            .map(|group| group.iter().map(|text| text.as_bytes()).collect());
        GramsWanted::new(groups).ask(value)
    }

    #[test]
    fn what_a_key_has_is_never_passed_over() {
        let keys = ["http://a.test/Media/1", "http://b.test/", "", "ab"];
        let value = value_of(&keys);
        for key in keys {
            for from in 0..key.len() {
                for to in from..=key.len() {
                    assert_eq!(asked(&value, &[&[&key[from..to]]]), Some((4, true)));
                }
            }
        }
        assert_eq!(
            asked(&value, &[&["MEDIA", "other"], &["test"]]),
            Some((4, true))
        );
        assert_eq!(asked(&value, &[&["other"], &["test"]]), Some((4, false)));
        assert_eq!(asked(&value, &[&["other", "te"]]), Some((4, true)));
        assert_eq!(asked(&value, &[]), Some((4, true)));
    }

    #[test]
    fn sets_are_as_long_as_they_must_be() {
        let bytes = |count: usize| {
            let keys: Vec<String> = (0..count)
                .map(|n| format!("{:x}", n * 2_654_435_761))
                .collect();
            let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
            value_of(&keys).len()
        };
        assert_eq!(value_of(&[]).len(), 1 + 8);
        assert!(bytes(1) <= 1 + 8);
        assert!((64..=1024).contains(&bytes(100)), "{}", bytes(100));
        assert!(bytes(100_000) <= 3 + BITS / 8);
        // What was made does not show in what comes next.
        let mut draft = GramsDraft::default();
        draft.add(b"abcdef");
        draft.take();
        assert_eq!(draft.take(), value_of(&[]));
    }

    #[test]
    fn what_is_no_set_is_noticed() {
        for value in [&[][..], &[4], &[4, 0, 0, 0], &[0x80], &[1; BITS / 4 + 1]] {
            assert_eq!(asked(value, &[&["abc"]]), None, "{value:?}");
        }
    }
}
