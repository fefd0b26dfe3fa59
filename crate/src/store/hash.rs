//! A linear hash on the pager's pages: point access to entries of any key, growing and shrinking one bucket at a time.
//!
//! Addressing (Litwin 1980): with N = initial * 2^level buckets and `split` of them split already, a key is in
//! bucket h mod N, or in h mod 2N where the first is below `split`. `initial` is a power of two.
//! H1  A call that meets an absent page, or finds no room for dirty ones, changes nothing.
//! H2  Every entry is in the bucket that its address names; a key stands once.
//! H3  Splits and merges move entries by the addresses kept with them and never read a key.
//! H4  A scan goes by reversed addresses, in which a bucket is one run however often it was split: what was there
//!     all the time is told once.

use siphasher::sip::SipHasher13;
use std::hash::Hasher;

use super::cache::Missing;
use super::leaf::{self, Entry, Hash};
use super::page::CONTENT_BYTES;
use super::pager::{Logical, Pager};
use super::superblock::ROOT_BYTES;
use crate::order;

/// Entries take this share of the buckets' room before a bucket is split.
const SPLIT_ABOVE_PERCENT: u64 = 75;
/// Below this share the last bucket is merged: far enough from the other that neither follows on the other.
const MERGE_BELOW_PERCENT: u64 = 40;
/// Splits or merges that one change may bring with it.
const STEPS_A_CHANGE: usize = 2;
/// Pages that a change touches at most: where the entry was, where it goes, what leads there, the bucket's first.
const PAGES_A_CHANGE: usize = 4;
/// Key and value together may be this long.
pub const ENTRY_BYTES_MAX: usize = leaf::ROOM_BYTES - 16;
const SALT_BYTES: usize = 16;
/// A store is not made larger than this ahead of its records, whatever it is told to expect: 1 GiB of buckets.
const BUCKETS_EXPECTED_MAX: u64 = 1 << 18;

/// A key and its value.
pub type KeyValue = (Vec<u8>, Vec<u8>);

/// How a change went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Done,
    /// The cache has no room for more dirty pages; nothing was changed.
    MustSpill,
    TooLarge,
    /// There was nothing to remove.
    NotThere,
    /// The store has as many pages as it can have.
    Full,
}

/// Where a scan stands: it has told every entry whose reversed address is lower.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor(u64);

const SCANNED: u64 = 1 << 32;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinearHash {
    initial: u32,
    level: u32,
    split: u32,
    records: u64,
    /// Bytes of room that the entries take.
    used: u64,
    salt: [u8; SALT_BYTES],
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
        };
        while pager.buckets() < wanted && pager.grow() {}
        hash.keep(pager);
        hash
    }

    /// Entries that it holds.
    pub fn len(&self) -> u64 {
        self.records
    }

    pub fn is_empty(&self) -> bool {
        self.records == 0
    }

    /// The bucket of a key: entries that are put in this order touch each page once.
    pub fn bucket_of(&self, key: &[u8]) -> u32 {
        self.bucket(self.hash(key).address)
    }

    pub fn get(&self, pager: &mut Pager, key: &[u8]) -> Result<Option<Vec<u8>>, Missing> {
        let hash = self.hash(key);
        let mut page = Logical::Bucket(self.bucket(hash.address));
        loop {
            let content = pager.read(page)?;
            if let Some(slot) = leaf::find(content, hash, key) {
                return Ok(leaf::entry(content, slot).map(|entry| entry.value.to_vec()));
            }
            let is_head = matches!(page, Logical::Bucket(_));
            let Some(next) = leaf::next(content) else {
                return Ok(None);
            };
            if is_head && !leaf::may_be_behind(content, hash) {
                return Ok(None);
            }
            page = Logical::Overflow(next);
        }
    }

    /// Sets the value of a key.
    pub fn put(&mut self, pager: &mut Pager, key: &[u8], value: &[u8]) -> Result<Change, Missing> {
        if key.len() + value.len() > ENTRY_BYTES_MAX {
            return Ok(Change::TooLarge);
        }
        if let Some(obstacle) = self.prepare(pager)? {
            return Ok(obstacle);
        }
        let hash = self.hash(key);
        let bucket = self.bucket(hash.address);
        let chain = chain(pager, bucket)?;
        let entry = Entry { hash, key, value };
        let found = find_in(pager, &chain, hash, key)?;
        let mut target = None;
        for (at, &page) in chain.iter().enumerate() {
            let content = pager.read(page)?;
            let freed = match found {
                Some((in_page, slot)) if in_page == at => {
                    leaf::entry(content, slot).map_or(0, |old| old.cost())
                }
                _ => 0,
            };
            if leaf::room(content) + freed >= entry.cost() {
                target = Some(page);
                break;
            }
        }
        let last = chain[chain.len() - 1];
        let target = match target {
            Some(page) => page,
            None => {
                let Some(page) = pager.new_overflow() else {
                    return Ok(Change::Full);
                };
                let Logical::Overflow(n) = page else {
                    return Ok(Change::Full);
                };
                pager.write(page)?;
                leaf::set_next(pager.write(last)?, Some(n));
                page
            }
        };
        if let Some((at, slot)) = found {
            self.take_out(pager, chain[at], slot)?;
        }
        let content = pager.write(target)?;
        leaf::set_bucket(content, bucket);
        leaf::insert(content, &entry);
        if let Logical::Overflow(_) = target {
            leaf::note_behind(pager.write(chain[0])?, hash);
        }
        self.records += 1;
        self.used += entry.cost() as u64;
        self.keep(pager);
        Ok(Change::Done)
    }

    pub fn remove(&mut self, pager: &mut Pager, key: &[u8]) -> Result<Change, Missing> {
        if let Some(obstacle) = self.prepare(pager)? {
            return Ok(obstacle);
        }
        let hash = self.hash(key);
        let chain = chain(pager, self.bucket(hash.address))?;
        let Some((at, slot)) = find_in(pager, &chain, hash, key)? else {
            return Ok(Change::NotThere);
        };
        let page = chain[at];
        self.take_out(pager, page, slot)?;
        let content = pager.read(page)?;
        let next = leaf::next(content);
        if leaf::count(content) == 0 && at > 0 {
            leaf::set_next(pager.write(chain[at - 1])?, next);
            pager.release(page);
        }
        self.keep(pager);
        Ok(Change::Done)
    }

    /// The next entries, `limit` or somewhat more; none at the end.
    pub fn scan(
        &self,
        pager: &mut Pager,
        cursor: &mut Cursor,
        limit: usize,
    ) -> Result<Vec<KeyValue>, Missing> {
        let mut found: Vec<(u32, KeyValue)> = Vec::new();
        while let Ok(position) = u32::try_from(cursor.0) {
            if found.len() >= limit {
                break;
            }
            let bucket = self.bucket(position.reverse_bits());
            let pages = match chain(pager, bucket) {
                Ok(pages) => pages,
                // What was found so far is told first; the absent page comes up again with the next call.
                Err(_) if !found.is_empty() => break,
                Err(missing) => return Err(missing),
            };
            let mut here: Vec<(u32, KeyValue)> = Vec::new();
            for page in pages {
                here.extend(leaf::entries(pager.read(page)?).filter_map(|entry| {
                    let at = entry.hash.address.reverse_bits();
                    (at >= position).then(|| (at, (entry.key.to_vec(), entry.value.to_vec())))
                }));
            }
            order::sort_by(&mut here, |one, other| one.0.cmp(&other.0));
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
            found.extend(here);
        }
        Ok(found.into_iter().map(|(_, entry)| entry).collect())
    }

    /// Where the run of a bucket ends, in reversed addresses.
    fn run_end(&self, position: u32, bucket: u32) -> u64 {
        let is_split = bucket < self.split || bucket >= self.initial << self.level;
        let bits = (self.initial << self.level).trailing_zeros() + u32::from(is_split);
        let run = SCANNED >> bits;
        (u64::from(position) / run + 1) * run
    }

    /// Makes room and keeps the load in its bounds, ahead of a change; what stands in the way, if anything does.
    fn prepare(&mut self, pager: &mut Pager) -> Result<Option<Change>, Missing> {
        if pager.must_spill() || !pager.has_room(PAGES_A_CHANGE) {
            return Ok(Some(Change::MustSpill));
        }
        for _ in 0..STEPS_A_CHANGE {
            let room = u64::from(self.buckets()) * leaf::ROOM_BYTES as u64;
            let obstacle = if self.used * 100 > room * SPLIT_ABOVE_PERCENT {
                self.split_one(pager)?
            } else if self.used * 100 < room * MERGE_BELOW_PERCENT && self.buckets() > self.initial
            {
                self.merge_one(pager)?
            } else {
                break;
            };
            if obstacle.is_some() || !pager.has_room(PAGES_A_CHANGE) {
                return Ok(Some(Change::MustSpill));
            }
        }
        Ok(None)
    }

    fn split_one(&mut self, pager: &mut Pager) -> Result<Option<Change>, Missing> {
        let bit = self.initial << self.level;
        let old = chain(pager, self.split)?;
        let (staying, going) = partition(pager, &old, |hash| hash.address & bit == 0)?;
        let (staying, going) = (pack(&staying), pack(&going));
        if !is_room_for(pager, &old, staying.len() + going.len()) {
            return Ok(must_spill(pager));
        }
        if !pager.may_grow_by(staying.len() + going.len()) || !pager.grow() {
            return Ok(None);
        }
        let new_bucket = bit + self.split;
        let spare = lay_out(pager, self.split, &staying, &old)?;
        let first = [Logical::Bucket(new_bucket)];
        let places: Vec<Logical> = first.into_iter().chain(spare).collect();
        for page in lay_out(pager, new_bucket, &going, &places)? {
            pager.release(page);
        }
        self.split += 1;
        if self.split == bit {
            self.level += 1;
            self.split = 0;
        }
        self.keep(pager);
        Ok(None)
    }

    fn merge_one(&mut self, pager: &mut Pager) -> Result<Option<Change>, Missing> {
        let (level, split) = match self.split.checked_sub(1) {
            Some(split) => (self.level, split),
            None => (self.level - 1, (self.initial << (self.level - 1)) - 1),
        };
        let last = (self.initial << level) + split;
        let partner = chain(pager, split)?;
        let leaving = chain(pager, last)?;
        let all: Vec<Logical> = partner.iter().chain(&leaving).copied().collect();
        let (entries, _) = partition(pager, &all, |_| true)?;
        let packed = pack(&entries);
        if !is_room_for(pager, &all, packed.len()) {
            return Ok(must_spill(pager));
        }
        let places: Vec<Logical> = partner.iter().chain(&leaving[1..]).copied().collect();
        for page in lay_out(pager, split, &packed, &places)? {
            pager.release(page);
        }
        pager.shrink();
        (self.level, self.split) = (level, split);
        self.keep(pager);
        Ok(None)
    }

    fn take_out(&mut self, pager: &mut Pager, page: Logical, slot: usize) -> Result<(), Missing> {
        let content = pager.write(page)?;
        let cost = leaf::entry(content, slot).map_or(0, |entry| entry.cost());
        leaf::remove(content, slot);
        self.records -= 1;
        self.used -= cost as u64;
        Ok(())
    }

    fn buckets(&self) -> u32 {
        (self.initial << self.level) + self.split
    }

    fn bucket(&self, address: u32) -> u32 {
        let buckets = self.initial << self.level;
        let bucket = address & (buckets - 1);
        if bucket < self.split {
            address & (2 * buckets - 1)
        } else {
            bucket
        }
    }

    fn hash(&self, key: &[u8]) -> Hash {
        let mut hasher = SipHasher13::new_with_key(&self.salt);
        hasher.write(key);
        let hash = hasher.finish().to_le_bytes();
        Hash {
            address: u32::from_le_bytes([hash[0], hash[1], hash[2], hash[3]]),
            tag: hash[7],
        }
    }

    // root := initial:u32 level:u32 split:u32 zero:u32 records:u64 used:u64 salt:[u8; 16] proof:u64

    fn keep(&self, pager: &mut Pager) {
        let mut root = [0; ROOT_BYTES];
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
        };
        (hash.initial.is_power_of_two() && long(48) == hash.proof()).then_some(hash)
    }

    /// The hash of the salt itself: another hash function would give another one.
    fn proof(&self) -> u64 {
        let mut hasher = SipHasher13::new_with_key(&self.salt);
        hasher.write(&self.salt);
        hasher.finish()
    }

    /// Everything that is wrong with the structure, once all its pages are there to be read.
    pub fn verify(&self, pager: &mut Pager, cursor: &mut u32) -> Result<Vec<String>, Missing> {
        let mut wrong = Vec::new();
        if *cursor == 0 && pager.buckets() != self.buckets() {
            let (there, wanted) = (pager.buckets(), self.buckets());
            wrong.push(format!(
                "{there} buckets in the page table, {wanted} in the hash"
            ));
        }
        let bucket = *cursor;
        let pages = chain(pager, bucket)?;
        let mut keys = std::collections::HashSet::new();
        for page in pages {
            let content = pager.read(page)?;
            if leaf::count(content) > 0 && leaf::bucket(content) != bucket {
                wrong.push(format!(
                    "bucket {bucket}: a page of bucket {}",
                    leaf::bucket(content)
                ));
            }
            for entry in leaf::entries(content) {
                if self.hash(entry.key) != entry.hash || self.bucket(entry.hash.address) != bucket {
                    wrong.push(format!("bucket {bucket}: a key that does not belong there"));
                }
                if !keys.insert(entry.key.to_vec()) {
                    wrong.push(format!("bucket {bucket}: a key stands twice"));
                }
            }
        }
        *cursor += 1;
        Ok(wrong)
    }
}

/// The pages of a bucket, all of them resident.
fn chain(pager: &mut Pager, bucket: u32) -> Result<Vec<Logical>, Missing> {
    let mut chain = vec![Logical::Bucket(bucket)];
    loop {
        let last = chain[chain.len() - 1];
        match leaf::next(pager.read(last)?) {
            None => break,
            Some(next) => chain.push(Logical::Overflow(next)),
        }
    }
    pager.absent(&chain)?;
    Ok(chain)
}

/// Where a key stands: number of the page in the chain, and the slot.
fn find_in(
    pager: &mut Pager,
    chain: &[Logical],
    hash: Hash,
    key: &[u8],
) -> Result<Option<(usize, usize)>, Missing> {
    for (at, page) in chain.iter().enumerate() {
        if let Some(slot) = leaf::find(pager.read(*page)?, hash, key) {
            return Ok(Some((at, slot)));
        }
    }
    Ok(None)
}

type Owned = (Hash, Vec<u8>, Vec<u8>);

fn partition(
    pager: &mut Pager,
    pages: &[Logical],
    stays: impl Fn(Hash) -> bool,
) -> Result<(Vec<Owned>, Vec<Owned>), Missing> {
    let mut all = Vec::new();
    for page in pages {
        let entries = leaf::entries(pager.read(*page)?);
        all.extend(entries.map(|entry| (entry.hash, entry.key.to_vec(), entry.value.to_vec())));
    }
    Ok(all.into_iter().partition(|(hash, _, _)| stays(*hash)))
}

/// Contents of pages that hold the entries: at least one page, each filled as far as the next entries fit.
fn pack(entries: &[Owned]) -> Vec<Vec<u8>> {
    let mut pages = vec![vec![0; CONTENT_BYTES]];
    for (hash, key, value) in entries {
        let entry = Entry {
            hash: *hash,
            key,
            value,
        };
        let fits = |page: &&mut Vec<u8>| leaf::room(page) >= entry.cost();
        match pages.iter_mut().find(fits) {
            Some(page) => leaf::insert(page, &entry),
            None => {
                let mut page = vec![0; CONTENT_BYTES];
                leaf::insert(&mut page, &entry);
                pages.push(page);
            }
        }
    }
    pages
}

/// Whether `old` pages and as many as `new` has more may become dirty.
fn is_room_for(pager: &Pager, old: &[Logical], new: usize) -> bool {
    pager.has_room(old.len().max(new) + 1)
}

/// Spilling helps unless the whole cache is too small for a step, which is then put off.
fn must_spill(pager: &Pager) -> Option<Change> {
    let is_hopeless = pager.has_room(pager.capacity() / 2);
    (!is_hopeless).then_some(Change::MustSpill)
}

/// Writes the pages of a bucket to `places`, and to new ones beyond; gives back the places that it did not need.
fn lay_out(
    pager: &mut Pager,
    bucket: u32,
    contents: &[Vec<u8>],
    places: &[Logical],
) -> Result<Vec<Logical>, Missing> {
    let mut pages = places.to_vec();
    while pages.len() < contents.len() {
        let Some(page) = pager.new_overflow() else {
            break;
        };
        pages.push(page);
    }
    for (at, content) in contents.iter().enumerate() {
        let next = match (at + 1 < contents.len()).then(|| pages[at + 1]) {
            Some(Logical::Overflow(n)) => Some(n),
            _ => None,
        };
        if leaf::count(content) == 0 {
            // A bucket without entries needs no page.
            pager.release(pages[at]);
            continue;
        }
        let page = pager.write(pages[at])?;
        page.copy_from_slice(content);
        leaf::set_bucket(page, bucket);
        leaf::set_next(page, next);
        if at == 0 {
            for behind in &contents[1..] {
                leaf::entries(behind).for_each(|entry| leaf::note_behind(page, entry.hash));
            }
        }
    }
    Ok(pages.split_off(contents.len()))
}
