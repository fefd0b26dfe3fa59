//! How strings are hashed: SipHash-1-3, keyed with the salt of the dictionary, so that nobody can choose strings that
//! meet. `bits` of it count, the highest; fewer than all make strings meet for tests.

use std::hash::Hasher;

use siphasher::sip::SipHasher13;

#[derive(Clone, Copy)]
pub struct Hashing {
    pub salt: [u8; 16],
    pub bits: u8,
}

impl Hashing {
    pub fn of(&self, string: &[u8]) -> u64 {
        let mut hasher = SipHasher13::new_with_key(&self.salt);
        hasher.write(string);
        self.masked(hasher.finish())
    }

    /// The bits that count.
    pub fn masked(&self, hash: u64) -> u64 {
        match self.bits {
            64.. => hash,
            bits => hash & !(u64::MAX >> bits),
        }
    }
}

/// Which of `count` equal parts of all hashes one is in. Higher hashes are in no lower part.
pub fn part_of(hash: u64, count: u32) -> u32 {
    let part = ((hash >> 32) * u64::from(count)) >> 32;
    u32::try_from(part).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_hash_is_in_a_part_that_there_is() {
        let least = u64::from(i32::MIN.unsigned_abs());
        for hash in [0, least, least << 32, least << 32 | least, u64::MAX] {
            for count in [1, 2, 3, 1000, u32::MAX] {
                assert!(part_of(hash, count) < count, "{hash:x} of {count}");
            }
        }
        assert_eq!(part_of(u64::MAX, 7), 6);
        assert_eq!(part_of(1 << 63, 2), 1);
    }

    #[test]
    fn fewer_bits_make_strings_meet() {
        let salt = [3; 16];
        let none = Hashing { salt, bits: 0 };
        assert_eq!(none.of(b"a"), none.of(b"b"));
        let all = Hashing { salt, bits: 64 };
        assert_ne!(all.of(b"a"), all.of(b"b"));
    }
}
