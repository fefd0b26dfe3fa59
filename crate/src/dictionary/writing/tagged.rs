//! Tagged pages: as few as leave nearly all strings in the page that their hash says.

use super::super::builder::Given;
use super::super::filter::Filter;
use super::super::footer::Footer;
use super::super::hash::part_of;
use super::super::opening::PAGE_PLACE_BYTES;
use super::super::out::Out;
use super::super::tagged::{ENTRY_BYTES, HEAD_BYTES, IS_LONG, LONG_BYTES, moved_bit, tag_of};

/// So much of the pages is to be filled at most, of a hundred.
const FILL_MAX: u64 = 96;
/// And at least, however strings fall.
const FILL_MIN: u64 = 40;
/// Of so many strings one may stand further than in its page.
const HOME_FOR_ONE: usize = 64;
/// Of so many of a small dictionary, whose pages are soon in memory: fewer pages are more of them.
const SMALL_HOME_FOR_ONE: usize = 8;

/// Which strings are in which page.
struct Pages {
    /// Of each hash, in their order.
    page_of: Vec<u32>,
    /// How many pages behind each have strings that are for it, and a bit for each of these.
    further: Vec<(u32, u64)>,
    /// Strings that are not in the page of their hash.
    moved: usize,
}

pub fn write(given: &Given, hashes: &[(u64, u32)], footer: &mut Footer, out: &mut Out) {
    let most = out.content_bytes() - HEAD_BYTES;
    let inline_max = most / 4;
    let bytes_of = |id: u32| {
        let length = given.get(id).len();
        ENTRY_BYTES
            + if length > inline_max {
                LONG_BYTES
            } else {
                length
            }
    };
    let all: usize = (0..given.count()).map(bytes_of).sum();
    let home_for_one = if given.is_small() {
        SMALL_HOME_FOR_ONE
    } else {
        HOME_FOR_ONE
    };
    let mut fill = FILL_MAX;
    let pages = loop {
        let parts = (all as u64 * 100).div_ceil(most as u64 * fill);
        footer.parts = u32::try_from(parts).unwrap_or(u32::MAX);
        // No string takes much more than a quarter of a page: in pages filled at least, there is room for all.
        let pages = laid_out(hashes, footer.parts, most, bytes_of);
        let is_last = fill <= FILL_MIN;
        match pages.filter(|pages| is_last || pages.moved <= hashes.len() / home_for_one) {
            Some(pages) => break pages,
            None => fill = fill.saturating_sub(4).max(1),
        }
    };
    let mut held: Vec<(u32, u64, u32)> = (pages.page_of.iter().zip(hashes))
        .map(|(page, (hash, id))| (*page, *hash, *id))
        .collect();
    held.sort_unstable();
    let mut places = vec![0u64; held.len()];
    for of_page in held.chunk_by(|a, b| a.0 == b.0) {
        for (at, (page, _, id)) in of_page.iter().enumerate() {
            places[*id as usize] = u64::from(*page) << 16 | at as u64;
        }
    }
    footer.regions.filter = out.at();
    let filter = Filter {
        offset: footer.regions.filter,
        count: given.count(),
    };
    for content in filter.contents(hashes.iter().map(|(hash, _)| *hash)) {
        out.span(&content);
    }
    footer.regions.places = out.array(PAGE_PLACE_BYTES, places.into_iter());
    let is_long = |string: &&[u8]| string.len() > inline_max;
    footer.regions.index = out.at();
    let mut content = Vec::new();
    // Long ones stand in the heap in the order of pages.
    let mut long_start = 0;
    let mut rest = held.as_slice();
    for (page, further) in (0u32..).zip(&pages.further) {
        let (of_page, behind) = rest.split_at(rest.partition_point(|one| one.0 <= page));
        rest = behind;
        push_page(
            &mut content,
            given,
            of_page,
            *further,
            inline_max,
            &mut long_start,
        );
        out.page(&mut content);
    }
    let strings = held.iter().map(|(_, _, id)| given.get(*id));
    footer.regions.heap = out.heap(strings.filter(is_long));
}

fn push_page(
    content: &mut Vec<u8>,
    given: &Given,
    held: &[(u32, u64, u32)],
    (further, moved): (u32, u64),
    inline_max: usize,
    long_start: &mut u64,
) {
    content.extend(u16::try_from(held.len()).unwrap_or(u16::MAX).to_le_bytes());
    content.extend([0; 2]);
    content.extend(further.to_le_bytes());
    content.extend(moved.to_le_bytes());
    content.extend(held.iter().map(|(_, hash, _)| tag_of(*hash)));
    content.extend(held.iter().flat_map(|(_, _, id)| id.to_le_bytes()));
    let mut strings = Vec::new();
    for (_, hash, id) in held {
        let string = given.get(*id);
        let mut flag = 0;
        if string.len() > inline_max {
            flag = IS_LONG;
            strings.extend(long_start.to_le_bytes());
            strings.extend(
                u32::try_from(string.len())
                    .unwrap_or(u32::MAX)
                    .to_le_bytes(),
            );
            strings.extend(hash.to_le_bytes());
            *long_start += string.len() as u64;
        } else {
            strings.extend_from_slice(string);
        }
        let end = u16::try_from(strings.len()).unwrap_or(u16::MAX);
        content.extend((end | flag).to_le_bytes());
    }
    content.extend_from_slice(&strings);
}

/// Each string into the page of its hash, as long as there is room; the others into the next that has some, the first one
/// being behind the last. `None` where there is not enough.
fn laid_out(
    hashes: &[(u64, u32)],
    parts: u32,
    most: usize,
    bytes_of: impl Fn(u32) -> usize,
) -> Option<Pages> {
    let mut pages = Pages {
        page_of: vec![0; hashes.len()],
        further: vec![(0, 0); parts as usize],
        moved: 0,
    };
    let mut rooms = vec![most; parts as usize];
    let mut waiting = std::collections::VecDeque::new();
    let mut from = 0;
    for page in 0..parts {
        let room = &mut rooms[page as usize];
        let of_page = |(hash, _): &(u64, u32)| part_of(*hash, parts) <= page;
        let end = from + hashes[from..].partition_point(of_page);
        let moved_before = waiting.len();
        for (at, (_, id)) in (from..end).zip(&hashes[from..end]) {
            let bytes = bytes_of(*id);
            if bytes > *room {
                waiting.push_back((at, page));
                continue;
            }
            *room -= bytes;
            pages.page_of[at] = page;
        }
        from = end;
        pages.moved += waiting.len() - moved_before;
        pages.take_in(page, room, &mut waiting, moved_before, hashes, &bytes_of);
    }
    for page in 0..parts {
        let room = &mut rooms[page as usize];
        let all = waiting.len();
        pages.take_in(page, room, &mut waiting, all, hashes, &bytes_of);
    }
    waiting.is_empty().then_some(pages)
}

impl Pages {
    /// Puts so many of those that wait into a page, as long as there is room.
    fn take_in(
        &mut self,
        page: u32,
        room: &mut usize,
        waiting: &mut std::collections::VecDeque<(usize, u32)>,
        count: usize,
        hashes: &[(u64, u32)],
        bytes_of: impl Fn(u32) -> usize,
    ) {
        for _ in 0..count {
            let Some(&(at, home)) = waiting.front() else {
                return;
            };
            let (hash, id) = hashes[at];
            let bytes = bytes_of(id);
            if bytes > *room {
                return;
            }
            *room -= bytes;
            waiting.pop_front();
            self.page_of[at] = page;
            let parts = self.further.len() as u64;
            let away = (u64::from(page) + parts - u64::from(home)) % parts;
            let (further, moved) = &mut self.further[home as usize];
            *further = (*further).max(u32::try_from(away).unwrap_or(u32::MAX));
            *moved |= moved_bit(hash);
        }
    }
}
