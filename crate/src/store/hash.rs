//! A linear hash on the pager's pages: point access to entries of any key, growing and shrinking one bucket at a time.
//!
//! Addressing (Litwin 1980): with N = initial * 2^level buckets and `split` of them split already, a key is in
//! bucket h mod N, or in h mod 2N where the first is below `split`. `initial` is a power of two.
//! H1  A call that meets an absent page, or finds no room for dirty ones, changes nothing.
//! H2  Every entry is in the bucket that its address names; a key stands once.
//! H3  Splits and merges move entries by the addresses kept with them and never read a key.
//! H4  A scan goes by reversed addresses, in which a bucket is one run however often it was split: what was there
//!     all the time is told once.
//! H5  A bucket links to an overflow page exactly while it has an entry there; a page without entries is nobody's.
//! Moving entries about is in `layout.rs`.

use siphasher::sip::SipHasher13;
use siphasher::sip128::{Hasher128, SipHasher13 as SipHasher13To128};
use std::hash::Hasher;

use super::cache::Missing;
use super::extent::Reference;
use super::layout::{Moving, Open};
use super::leaf::{self, Entry, Hash, Key, Value};
use super::pager::{CLEAN_PAGES_MIN, Pager, Reading, Seat};
use super::superblock::ROOT_BYTES;
use super::tables::Logical;
use crate::order;

/// Entries take this share of the buckets' room before a bucket is split.
const SPLIT_ABOVE_PERCENT: u64 = 80;
/// Below this share the last bucket is merged: far enough from the other that neither follows on the other.
const MERGE_BELOW_PERCENT: u64 = 40;
/// Splits or merges that one change may bring with it.
const STEPS_A_CHANGE: usize = 2;
/// Pages that a change without a split makes dirty at most: the first of the bucket, those behind, another one.
const PAGES_A_CHANGE: usize = leaf::LINKS_MAX + 2;
/// A cache holds at least so many pages, of which half may be dirty.
pub const CACHE_PAGES_MIN: usize = 2 * CLEAN_PAGES_MIN;
/// Pages that a look-up or a part of a scan has in memory together at most, with some to spare.
pub const PAGES_A_READ: usize = 2 * (leaf::LINKS_MAX + 1);
/// Keys that are longer stand as a digest. Real URLs are shorter.
pub const KEY_BYTES_MAX: usize = 512;
/// Values and references to them may be this long in a page.
pub const VALUE_BYTES_MAX: u32 = 1024;
const SALT_BYTES: usize = 16;
const DIGEST_BYTES: usize = 16;
/// A store is not made larger than this ahead of its records, whatever it is told to expect: 1 GiB of buckets.
const BUCKETS_EXPECTED_MAX: u64 = 1 << 18;

/// How a change went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// What the key referred to before, if it did.
    Done(Option<Reference>),
    /// The cache has no room for more dirty pages; nothing was changed.
    MustSpill,
    TooLarge,
    /// There was nothing to remove.
    NotThere,
    /// The store has as many pages as it can have.
    Full,
}

/// An entry that a scan tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub key: Vec<u8>,
    /// The key is a digest of itself.
    pub is_digest: bool,
    pub value: Vec<u8>,
    /// The value says where it is.
    pub is_reference: bool,
}

/// Where a scan stands: it has told every entry whose reversed address is lower.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor(pub u64);

const SCANNED: u64 = 1 << 32;

/// A key with its hash, for look-ups.
pub struct Hashed<'a> {
    hash: Hash,
    key: &'a [u8],
    digest: Option<[u8; DIGEST_BYTES]>,
}

impl<'a> Hashed<'a> {
    /// The key of which this stands in a page; nothing where it is no digest.
    pub fn standing_as(hash: Hash, bytes: &'a [u8], is_digest: bool) -> Option<Hashed<'a>> {
        let digest = if is_digest {
            Some(bytes.try_into().ok()?)
        } else {
            None
        };
        Some(Hashed {
            hash,
            key: bytes,
            digest,
        })
    }
}

impl Hashed<'_> {
    /// What stands in a page for the key.
    pub fn stands_as(&self) -> &[u8] {
        self.key().bytes
    }

    pub fn is_digest(&self) -> bool {
        self.digest.is_some()
    }

    pub fn hash(&self) -> Hash {
        self.hash
    }

    fn key(&self) -> Key<'_> {
        let digest = self.digest.as_ref();
        Key {
            hash: self.hash,
            bytes: digest.map_or(self.key, |digest| digest),
            is_digest: digest.is_some(),
        }
    }
}

/// Where the entry of a key stands.
pub struct Standing {
    page: Logical,
    seat: Seat,
    slot: usize,
}

impl Standing {
    /// The value as it stands there.
    pub fn value<'a>(&self, pager: &'a Pager) -> Option<Value<'a>> {
        leaf::entry(pager.at(self.seat), self.slot).map(|entry| entry.value)
    }
}

#[derive(Clone, Debug)]
pub struct LinearHash {
    initial: u32,
    level: u32,
    split: u32,
    records: u64,
    /// Bytes of room that the entries take.
    used: u64,
    salt: [u8; SALT_BYTES],
    pub(super) open: Open,
}

impl LinearHash {
    /// The hash that the last commit left, or a new one: with `salt`, and as many buckets as `records` entries of
    /// `bytes` in all will need. The salt must not be known to whoever chooses the keys.
    pub fn open(pager: &mut Pager, salt: [u8; SALT_BYTES], records: u64, bytes: u64) -> LinearHash {
        if let Some(hash) = LinearHash::from_root(pager.root()) {
            return hash;
        }
        let room = leaf::ROOM_BYTES as u64 * SPLIT_ABOVE_PERCENT / 100;
        let wanted = bytes
            .saturating_add(records.saturating_mul(9))
            .div_ceil(room);
        let wanted = u32::try_from(wanted.clamp(1, BUCKETS_EXPECTED_MAX)).unwrap_or(1);
        let initial = 1 << wanted.ilog2();
        let hash = LinearHash {
            initial,
            level: 0,
            split: wanted - initial,
            records: 0,
            used: 0,
            salt,
            open: Open::default(),
        };
        while pager.buckets() < wanted && pager.grow() {}
        hash
    }

    /// The hash as the last commit left it, if there was one.
    pub fn of_commit(pager: &Pager) -> Option<LinearHash> {
        LinearHash::from_root(pager.committed_root())
    }

    /// Entries that it holds.
    pub fn len(&self) -> u64 {
        self.records
    }

    pub fn is_empty(&self) -> bool {
        self.records == 0
    }

    pub fn salt(&self) -> [u8; SALT_BYTES] {
        self.salt
    }

    /// The bucket of a key: entries that are put in this order touch each page once.
    pub fn bucket_of(&self, key: &[u8]) -> u32 {
        self.bucket(self.hash(key).address)
    }

    /// Hashes a key, long ones to a digest as well.
    pub fn hashed<'a>(&self, key: &'a [u8]) -> Hashed<'a> {
        self.hashed_as(self.hash(key), key)
    }

    /// The same of a key whose hash is known.
    pub fn hashed_as<'a>(&self, hash: Hash, key: &'a [u8]) -> Hashed<'a> {
        let digest = (key.len() > KEY_BYTES_MAX).then(|| {
            let mut hasher = SipHasher13To128::new_with_key(&self.salt);
            hasher.write(key);
            hasher.finish128().as_bytes()
        });
        Hashed { hash, key, digest }
    }

    /// Where the entry of a key stands.
    pub fn get(
        &self,
        reading: &mut Reading<'_>,
        key: &Hashed<'_>,
    ) -> Result<Option<Standing>, Missing> {
        self.find(reading, &key.key())
    }

    fn find(&self, reading: &mut Reading<'_>, key: &Key<'_>) -> Result<Option<Standing>, Missing> {
        let mut page = Logical::Bucket(self.bucket(key.hash.address));
        let first = reading.seat(page)?;
        if let Some(slot) = leaf::find(reading.at(first), key) {
            let seat = first;
            return Ok(Some(Standing { page, seat, slot }));
        }
        if !leaf::may_be_behind(reading.at(first), key.hash) {
            return Ok(None);
        }
        let mut links = [0; leaf::LINKS_MAX];
        let mut count = 0;
        for link in leaf::links(reading.at(first)) {
            links[count] = link;
            count += 1;
        }
        for link in &links[..count] {
            page = Logical::Overflow(*link);
            let seat = reading.seat(page)?;
            if let Some(slot) = leaf::find(reading.at(seat), key) {
                return Ok(Some(Standing { page, seat, slot }));
            }
        }
        Ok(None)
    }

    /// Sets the value of a key.
    pub fn put(
        &mut self,
        pager: &mut Pager,
        key: &Hashed<'_>,
        value: Value<'_>,
    ) -> Result<Change, Missing> {
        if value.bytes.len() > VALUE_BYTES_MAX as usize {
            return Ok(Change::TooLarge);
        }
        if let Some(obstacle) = self.prepare(pager)? {
            return Ok(obstacle);
        }
        let key = key.key();
        let entry = Entry { key, value };
        let bucket = self.bucket(key.hash.address);
        let first = Logical::Bucket(bucket);
        let old = match self.find(&mut pager.reading(), &key)? {
            None => None,
            Some(Standing { page, slot, .. }) => leaf::entry(pager.read(page)?, slot)
                .map(|entry| (page, slot, entry.cost(), Reference::of(&entry.value))),
        };
        let freed_in = |page| match old {
            Some((old_page, _, cost, _)) if old_page == page => cost,
            _ => 0,
        };
        let content = pager.read(first)?;
        let target = if leaf::room(content) + freed_in(first) >= entry.cost() {
            Some(first)
        } else {
            let links: Vec<Logical> = leaf::links(content).map(Logical::Overflow).collect();
            pager.reading().absent(links.iter().copied())?;
            let mut target = None;
            for page in links {
                if leaf::room(pager.read(page)?) + freed_in(page) >= entry.cost() {
                    target = Some(page);
                    break;
                }
            }
            target
        };
        match target {
            Some(target) => {
                match old {
                    Some((page, slot, ..)) if page == target => {
                        leaf::remove(pager.write(page)?, slot);
                    }
                    Some((page, slot, ..)) => self.take_out(pager, bucket, page, slot)?,
                    None => {}
                }
                let content = pager.write(target)?;
                if target == first {
                    leaf::set_bucket(content, bucket);
                }
                leaf::insert(content, &entry);
                if let Logical::Overflow(n) = target {
                    self.open.note(n, leaf::room(content));
                    leaf::note_behind(pager.write(first)?, key.hash);
                }
            }
            None => {
                let mut moving = Moving::default();
                self.collect(pager, bucket, &mut moving, Some(&key))?;
                moving.push(&entry);
                let all: Vec<usize> = moving.all().collect();
                if let Some(obstacle) =
                    self.relay(pager, &[bucket], &[(bucket, all)], &moving, false)?
                {
                    return Ok(obstacle);
                }
            }
        }
        let old_cost = old.map_or(0, |(_, _, cost, _)| cost as u64);
        self.records += u64::from(old.is_none());
        self.used = self.used + entry.cost() as u64 - old_cost;
        Ok(Change::Done(old.and_then(|(_, _, _, reference)| reference)))
    }

    pub fn remove(&mut self, pager: &mut Pager, key: &Hashed<'_>) -> Result<Change, Missing> {
        if let Some(obstacle) = self.prepare(pager)? {
            return Ok(obstacle);
        }
        let key = key.key();
        let Some(Standing { page, slot, .. }) = self.find(&mut pager.reading(), &key)? else {
            return Ok(Change::NotThere);
        };
        let entry = leaf::entry(pager.read(page)?, slot);
        let cost = entry.map_or(0, |entry| entry.cost());
        let reference = entry.and_then(|entry| Reference::of(&entry.value));
        self.take_out(pager, self.bucket(key.hash.address), page, slot)?;
        self.records -= 1;
        self.used -= cost as u64;
        Ok(Change::Done(reference))
    }

    /// The next entries, `limit` or somewhat more; none at the end.
    pub fn scan(
        &self,
        reading: &mut Reading<'_>,
        cursor: &mut Cursor,
        limit: usize,
    ) -> Result<Vec<Found>, Missing> {
        let mut found: Vec<Found> = Vec::new();
        while let Ok(position) = u32::try_from(cursor.0) {
            if found.len() >= limit {
                break;
            }
            let bucket = self.bucket(position.reverse_bits());
            let pages = match self.pages(reading, bucket) {
                Ok(pages) => pages,
                // What was found so far is told first; the absent page comes up again with the next call.
                Err(_) if !found.is_empty() => break,
                Err(missing) => return Err(missing),
            };
            let mut here: Vec<(u32, Found)> = Vec::new();
            for page in pages {
                for entry in leaf::entries(reading.read(page)?) {
                    let at = entry.key.hash.address.reverse_bits();
                    if at >= position && self.bucket(entry.key.hash.address) == bucket {
                        here.push((at, found_of(&entry)));
                    }
                }
            }
            order::sort_by(&mut here, |(one, _), (other, _)| one.cmp(other));
            let room = limit - found.len();
            // Entries of one address are not parted: the cursor could not tell where between them it stands.
            let cut = here.get(room).map_or(here.len(), |first_left| {
                let same = here[room - 1].0 == first_left.0;
                let more = here[room..]
                    .iter()
                    .take_while(|(at, _)| *at == first_left.0);
                room + if same { more.count() } else { 0 }
            });
            cursor.0 = match here.get(cut) {
                Some((at, _)) => u64::from(*at),
                None => self.run_end(position, bucket),
            };
            here.truncate(cut);
            found.extend(here.into_iter().map(|(_, entry)| entry));
        }
        Ok(found)
    }

    /// Where the run of a bucket ends, in reversed addresses.
    fn run_end(&self, position: u32, bucket: u32) -> u64 {
        let is_split = bucket < self.split || bucket >= self.initial << self.level;
        let bits = (self.initial << self.level).trailing_zeros() + u32::from(is_split);
        let run = SCANNED >> bits;
        (u64::from(position) / run + 1) * run
    }

    /// The pages of a bucket, all of them resident.
    pub fn pages(&self, reading: &mut Reading<'_>, bucket: u32) -> Result<Vec<Logical>, Missing> {
        let first = Logical::Bucket(bucket);
        let links = leaf::links(reading.read(first)?).map(Logical::Overflow);
        let pages: Vec<Logical> = std::iter::once(first).chain(links).collect();
        reading.absent(pages.iter().copied())?;
        Ok(pages)
    }

    /// Makes room and keeps the load in its bounds, ahead of a change; what stands in the way, if anything does.
    fn prepare(&mut self, pager: &mut Pager) -> Result<Option<Change>, Missing> {
        if pager.must_spill() || !pager.has_room(PAGES_A_CHANGE) {
            return Ok(Some(Change::MustSpill));
        }
        for _ in 0..STEPS_A_CHANGE {
            let obstacle = if self.is_above(SPLIT_ABOVE_PERCENT) {
                self.split_one(pager)?
            } else if !self.is_above(MERGE_BELOW_PERCENT) && self.buckets() > self.initial {
                self.merge_one(pager)?
            } else {
                break;
            };
            match obstacle {
                // There can be no more pages; the buckets take what they can.
                Some(Change::Full) => break,
                Some(obstacle) => return Ok(Some(obstacle)),
                None if !pager.has_room(PAGES_A_CHANGE) => return Ok(Some(Change::MustSpill)),
                None => {}
            }
        }
        Ok(None)
    }

    /// Bytes of room that the entries take.
    pub fn used(&self) -> u64 {
        self.used
    }

    /// Writes what a bucket has behind its first page into pages that are filled one after another.
    pub fn repack(&mut self, pager: &mut Pager, bucket: u32) -> Result<Option<Change>, Missing> {
        if leaf::links(pager.read(Logical::Bucket(bucket))?)
            .next()
            .is_none()
        {
            return Ok(None);
        }
        if pager.must_spill() {
            return Ok(Some(Change::MustSpill));
        }
        let mut moving = Moving::default();
        self.collect(pager, bucket, &mut moving, None)?;
        let to = [(bucket, moving.all().collect())];
        self.relay(pager, &[bucket], &to, &moving, true)
    }

    fn is_above(&self, percent: u64) -> bool {
        let room = u64::from(self.buckets()) * leaf::ROOM_BYTES as u64;
        self.used.saturating_mul(100) > room * percent
    }

    /// Merges a bucket if that leaves the load below `percent`; false when there is nothing to merge.
    pub fn merge_to(&mut self, pager: &mut Pager, percent: u64) -> Result<Option<Change>, Missing> {
        let room = u64::from(self.buckets() - 1) * leaf::ROOM_BYTES as u64;
        if self.buckets() <= self.initial || self.used * 100 > room * percent {
            return Ok(Some(Change::NotThere));
        }
        if pager.must_spill() {
            return Ok(Some(Change::MustSpill));
        }
        self.merge_one(pager)
    }

    fn split_one(&mut self, pager: &mut Pager) -> Result<Option<Change>, Missing> {
        let bit = self.initial << self.level;
        let mut moving = Moving::default();
        self.collect(pager, self.split, &mut moving, None)?;
        let (staying, going) = moving
            .all()
            .partition(|n| moving.hash(*n).address & bit == 0);
        let to = [(self.split, staying), (bit + self.split, going)];
        if let Some(obstacle) = self.relay(pager, &[self.split], &to, &moving, false)? {
            return Ok(Some(obstacle));
        }
        self.split += 1;
        if self.split == bit {
            self.level += 1;
            self.split = 0;
        }
        Ok(None)
    }

    fn merge_one(&mut self, pager: &mut Pager) -> Result<Option<Change>, Missing> {
        let (level, split) = match self.split.checked_sub(1) {
            Some(split) => (self.level, split),
            None => (self.level - 1, (self.initial << (self.level - 1)) - 1),
        };
        let last = (self.initial << level) + split;
        let mut moving = Moving::default();
        self.collect(pager, split, &mut moving, None)?;
        self.collect(pager, last, &mut moving, None)?;
        let to = [(split, moving.all().collect())];
        if let Some(obstacle) = self.relay(pager, &[split, last], &to, &moving, false)? {
            return Ok(Some(obstacle));
        }
        while pager.buckets() > last {
            pager.shrink();
        }
        (self.level, self.split) = (level, split);
        Ok(None)
    }

    pub fn buckets(&self) -> u32 {
        (self.initial << self.level) + self.split
    }

    pub fn bucket(&self, address: u32) -> u32 {
        let buckets = self.initial << self.level;
        let bucket = address & (buckets - 1);
        if bucket < self.split {
            address & (2 * buckets - 1)
        } else {
            bucket
        }
    }

    pub fn hash(&self, key: &[u8]) -> Hash {
        let mut hasher = SipHasher13::new_with_key(&self.salt);
        hasher.write(key);
        let hash = hasher.finish().to_le_bytes();
        Hash {
            address: u32::from_le_bytes([hash[0], hash[1], hash[2], hash[3]]),
            tag: hash[7],
        }
    }

    // root := initial:u32 level:u32 split:u32 zero:u32 records:u64 used:u64 salt:[u8; 16] proof:u64 others'

    /// Makes what it is part of the next commit.
    pub fn keep(&self, pager: &mut Pager) {
        let mut root = *pager.root();
        let words = [self.initial, self.level, self.split, 0];
        let longs = [self.records, self.used];
        let bytes = words.iter().flat_map(|word| word.to_le_bytes());
        let bytes = bytes.chain(longs.iter().flat_map(|long| long.to_le_bytes()));
        let bytes = bytes.chain(self.salt).chain(self.proof().to_le_bytes());
        root.iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte);
        pager.set_root(root);
    }

    fn from_root(root: &[u8; ROOT_BYTES]) -> Option<LinearHash> {
        let word = |at: usize| root[at..at + 4].try_into().map_or(0, u32::from_le_bytes);
        let long = |at: usize| root[at..at + 8].try_into().map_or(0, u64::from_le_bytes);
        let hash = LinearHash {
            initial: word(0),
            level: word(4),
            split: word(8),
            records: long(16),
            used: long(24),
            salt: root[32..48].try_into().ok()?,
            open: Open::default(),
        };
        let is_sound = hash.initial.is_power_of_two()
            && hash.level < hash.initial.leading_zeros()
            && hash.split < hash.initial << hash.level
            && long(48) == hash.proof();
        is_sound.then_some(hash)
    }

    /// The hash of the salt itself: another hash function would give another one.
    fn proof(&self) -> u64 {
        let mut hasher = SipHasher13::new_with_key(&self.salt);
        hasher.write(&self.salt);
        hasher.finish()
    }
}

fn found_of(entry: &Entry<'_>) -> Found {
    Found {
        key: entry.key.bytes.to_vec(),
        is_digest: entry.key.is_digest,
        value: entry.value.bytes.to_vec(),
        is_reference: entry.value.is_reference,
    }
}
