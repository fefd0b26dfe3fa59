//! Entries of a bucket moved about: into its first page, and behind it into overflow pages that buckets share.
//!
//! What a bucket has behind its first page stands in one overflow page where it fits into one, so that a look-up
//! behind costs one page more; the page's other room is for other buckets. Knows no addresses: `hash.rs` says what
//! belongs where.

use std::ops::Range;

use super::cache::Missing;
use super::hash::{Change, LinearHash};
use super::leaf::{self, Entry, Hash, Key, Place, Standing};
use super::pager::Pager;
use super::tables::Logical;
use crate::order;

/// Overflow pages that are remembered for having room.
const OPEN_MAX: usize = 16;
/// Less room than this is not worth remembering.
const OPEN_ROOM_MIN: usize = 256;

/// Overflow pages that had room when they were last written, the last one at the end. A hint: it is forgotten when
/// the store is closed.
#[derive(Clone, Debug, Default)]
pub struct Open(Vec<(u32, usize)>);

impl Open {
    pub fn note(&mut self, page: u32, room: usize) {
        self.forget(page);
        if room >= OPEN_ROOM_MIN {
            if self.0.len() == OPEN_MAX {
                self.0.remove(0);
            }
            self.0.push((page, room));
        }
    }

    fn forget(&mut self, page: u32) {
        self.0.retain(|(open, _)| *open != page);
    }

    /// What follows fills pages of its own.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

/// Copies of pages, and of new entries, on the way to other pages.
#[derive(Default)]
pub struct Moving {
    bytes: Vec<u8>,
    items: Vec<Place>,
}

impl Moving {
    pub fn push(&mut self, entry: &Entry<'_>) {
        self.items.push(Place::of_new(entry, &mut self.bytes));
    }

    /// Takes the entries of a page that are wanted: by their hash, and by the entry itself where that is not enough.
    fn push_page(&mut self, content: &[u8], is_wanted: impl Fn(&Place) -> bool) {
        let at = self.bytes.len();
        self.bytes.extend_from_slice(content);
        let places = leaf::places(content).filter(is_wanted);
        self.items.extend(places.map(|place| Place {
            from: at + place.from,
            ..place
        }));
    }

    pub fn all(&self) -> Range<usize> {
        0..self.items.len()
    }

    pub fn hash(&self, n: usize) -> Hash {
        self.items[n].hash
    }

    fn cost(&self, n: usize) -> usize {
        self.items[n].cost()
    }

    /// Entries as they stand, in the order in which they are asked for.
    fn standing<'a>(
        &'a self,
        items: &'a [usize],
    ) -> impl ExactSizeIterator<Item = Standing<'a>> + Clone {
        items.iter().map(|n| {
            let Place { hash, from, length } = self.items[*n];
            Standing {
                tag: hash.tag,
                bytes: &self.bytes[from..from + length],
            }
        })
    }
}

/// Where the entries of one bucket are to stand.
struct Plan {
    bucket: u32,
    first: Vec<usize>,
    /// Each with its bytes and its overflow page, once that is chosen.
    behind: Vec<(Vec<usize>, usize, Option<u32>)>,
}

impl LinearHash {
    /// Copies the entries of a bucket, but for one.
    pub(super) fn collect(
        &self,
        pager: &mut Pager,
        bucket: u32,
        moving: &mut Moving,
        without: Option<&Key<'_>>,
    ) -> Result<(), Missing> {
        for page in self.pages(&mut pager.reading(), bucket)? {
            let content = pager.read(page)?;
            let left_out = without.and_then(|key| leaf::find(content, key));
            let left_out = left_out.and_then(|slot| leaf::offset(content, slot));
            moving.push_page(content, |place| {
                self.bucket(place.hash.address) == bucket && left_out != Some(place.from)
            });
        }
        Ok(())
    }

    /// Takes one entry of a bucket out of a page, and the page from the bucket if it was the last there.
    pub(super) fn take_out(
        &mut self,
        pager: &mut Pager,
        bucket: u32,
        page: Logical,
        slot: usize,
    ) -> Result<(), Missing> {
        let content = pager.write(page)?;
        leaf::remove(content, slot);
        let Logical::Overflow(n) = page else {
            return Ok(());
        };
        let is_there =
            leaf::entries(content).any(|entry| self.bucket(entry.key.hash.address) == bucket);
        let (count, room) = (leaf::count(content), leaf::room(content));
        if !is_there {
            leaf::unlink(pager.write(Logical::Bucket(bucket))?, n);
        }
        self.leave(pager, n, count, room);
        Ok(())
    }

    /// An overflow page lost entries.
    fn leave(&mut self, pager: &mut Pager, page: u32, count: usize, room: usize) {
        self.open.forget(page);
        if count == 0 {
            pager.release(Logical::Overflow(page));
        } else {
            self.open.note(page, room);
        }
    }

    /// Writes the pages of buckets anew: what stands in those of `from` goes to where `to` says. Those of `from` that
    /// are not in `to` are left as they were but for what they had behind. `elsewhere` leaves none of that where it is.
    pub(super) fn relay(
        &mut self,
        pager: &mut Pager,
        from: &[u32],
        to: &[(u32, Vec<usize>)],
        moving: &Moving,
        elsewhere: bool,
    ) -> Result<Option<Change>, Missing> {
        let mut plans: Vec<Plan> = to.iter().map(|to| plan(to, moving)).collect();
        if plans.iter().any(|plan| plan.behind.len() > leaf::LINKS_MAX) {
            return Ok(Some(Change::Full));
        }
        let mut links: Vec<u32> = Vec::new();
        for bucket in from {
            links.extend(leaf::links(pager.read(Logical::Bucket(*bucket))?));
        }
        order::sort_by(&mut links, Ord::cmp);
        links.dedup();
        let chosen = self.choose(pager, from, &links, &mut plans, elsewhere)?;
        let new = plans
            .iter()
            .flat_map(|plan| &plan.behind)
            .filter(|(_, _, page)| page.is_none())
            .count();
        let buckets = from.iter().chain(to.iter().map(|(bucket, _)| bucket));
        pager
            .reading()
            .absent(buckets.map(|bucket| Logical::Bucket(*bucket)))?;
        if !pager.has_room(from.len() + to.len() + links.len() + chosen + new) {
            return Ok(Some(Change::MustSpill));
        }
        if !pager.may_grow_by(new + 1) {
            return Ok(Some(Change::Full));
        }
        for (bucket, _) in to {
            while pager.buckets() <= *bucket && pager.grow() {}
        }
        self.detach(pager, from, &links)?;
        for plan in plans {
            self.lay_out(pager, plan, moving)?;
        }
        // What nobody was moved to may be empty now.
        for page in links {
            let content = pager.read(Logical::Overflow(page))?;
            let (count, room) = (leaf::count(content), leaf::room(content));
            if count == 0 || !elsewhere {
                self.leave(pager, page, count, room);
            }
        }
        Ok(None)
    }

    /// Chooses overflow pages that are there already and will have room, all resident. Gives how many besides `links`.
    fn choose(
        &mut self,
        pager: &mut Pager,
        from: &[u32],
        links: &[u32],
        plans: &mut [Plan],
        elsewhere: bool,
    ) -> Result<usize, Missing> {
        let mut candidates: Vec<(u32, usize)> = Vec::new();
        for link in links {
            let content = pager.read(Logical::Overflow(*link))?;
            let leaving = leaf::entries(content)
                .filter(|entry| from.contains(&self.bucket(entry.key.hash.address)));
            let freed: usize = leaving.map(|entry| entry.cost()).sum();
            if !elsewhere {
                candidates.push((*link, leaf::room(content) + freed));
            }
        }
        let known = self.open.0.iter().rev().copied();
        candidates.extend(known.filter(|(page, _)| !links.contains(page)));
        let mut others = 0;
        for (_, cost, page) in plans.iter_mut().flat_map(|plan| &mut plan.behind) {
            let fitting = candidates.iter_mut().find(|(_, room)| room >= cost);
            if let Some((number, room)) = fitting {
                pager.read(Logical::Overflow(*number))?;
                *room -= *cost;
                *page = Some(*number);
                others += usize::from(!links.contains(number));
            }
        }
        Ok(others)
    }

    /// Takes all that buckets have in overflow pages out of these.
    fn detach(&mut self, pager: &mut Pager, from: &[u32], links: &[u32]) -> Result<(), Missing> {
        for link in links {
            let content = pager.write(Logical::Overflow(*link))?;
            leaf::retain(content, |hash| !from.contains(&self.bucket(hash.address)));
        }
        Ok(())
    }

    fn lay_out(&mut self, pager: &mut Pager, plan: Plan, moving: &Moving) -> Result<(), Missing> {
        let Plan {
            bucket,
            first,
            behind,
        } = plan;
        if first.is_empty() {
            // A bucket without entries needs no page.
            pager.release(Logical::Bucket(bucket));
            return Ok(());
        }
        let mut links = Vec::with_capacity(behind.len());
        for (items, _, page) in &behind {
            let number = match page {
                Some(number) => *number,
                None => {
                    let Some(number) = pager.new_overflow() else {
                        debug_assert!(false, "there was room for it");
                        continue;
                    };
                    leaf::make_shared(pager.write(Logical::Overflow(number))?);
                    number
                }
            };
            let content = pager.write(Logical::Overflow(number))?;
            leaf::insert_all(content, moving.standing(items));
            self.open.note(number, leaf::room(content));
            links.push(number);
        }
        let content = pager.write(Logical::Bucket(bucket))?;
        content.fill(0);
        leaf::set_bucket(content, bucket);
        let all_behind = behind.iter().flat_map(|(items, _, _)| items);
        leaf::set_behind(content, &links, all_behind.map(|n| moving.hash(*n)));
        leaf::insert_all(content, moving.standing(&first));
        Ok(())
    }
}

/// Fills the first page, and behind it as few others as there must be.
fn plan((bucket, members): &(u32, Vec<usize>), moving: &Moving) -> Plan {
    let mut plan = Plan {
        bucket: *bucket,
        first: Vec::with_capacity(members.len()),
        behind: Vec::new(),
    };
    let mut room = leaf::ROOM_BYTES;
    for &member in members {
        let cost = moving.cost(member);
        if cost <= room {
            room -= cost;
            plan.first.push(member);
            continue;
        }
        let fits = |group: &&mut (Vec<usize>, usize, _)| group.1 + cost <= leaf::SHARED_ROOM_BYTES;
        match plan.behind.iter_mut().find(fits) {
            Some((items, bytes, _)) => {
                items.push(member);
                *bytes += cost;
            }
            None => plan.behind.push((vec![member], cost, None)),
        }
    }
    plan
}
