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
    /// Hashes and ids, page by page.
    held: Vec<(u64, u32)>,
    /// Where in these each page ends.
    ends: Vec<usize>,
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
        let pages = laid_out(hashes, footer.parts, most, bytes_of);
        if pages.moved <= hashes.len() / home_for_one || fill <= FILL_MIN {
            break pages;
        }
        fill -= 4;
    };
    let mut places = vec![0u64; given.count() as usize];
    let mut from = 0;
    for (page, end) in pages.ends.iter().enumerate() {
        for (at, (_, id)) in pages.held[from..*end].iter().enumerate() {
            places[*id as usize] = (page as u64) << 16 | at as u64;
        }
        from = *end;
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
    let mut from = 0;
    // Long ones stand in the heap in the order of pages.
    let mut long_start = 0;
    for (end, further) in pages.ends.iter().zip(&pages.further) {
        let held = &pages.held[from..*end];
        push_page(
            &mut content,
            given,
            held,
            *further,
            inline_max,
            &mut long_start,
        );
        out.page(&mut content);
        from = *end;
    }
    let strings = pages.held.iter().map(|(_, id)| given.get(*id));
    footer.regions.heap = out.heap(strings.filter(is_long));
}

fn push_page(
    content: &mut Vec<u8>,
    given: &Given,
    held: &[(u64, u32)],
    (further, moved): (u32, u64),
    inline_max: usize,
    long_start: &mut u64,
) {
    content.extend(u16::try_from(held.len()).unwrap_or(u16::MAX).to_le_bytes());
    content.extend([0; 2]);
    content.extend(further.to_le_bytes());
    content.extend(moved.to_le_bytes());
    content.extend(held.iter().map(|(hash, _)| tag_of(*hash)));
    content.extend(held.iter().flat_map(|(_, id)| id.to_le_bytes()));
    let mut strings = Vec::new();
    for (hash, id) in held {
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

/// Each string into the page of its hash, as long as there is room; the others into the next that has some.
fn laid_out(
    hashes: &[(u64, u32)],
    parts: u32,
    most: usize,
    bytes_of: impl Fn(u32) -> usize,
) -> Pages {
    let mut pages = Pages {
        held: Vec::with_capacity(hashes.len()),
        ends: Vec::new(),
        further: Vec::new(),
        moved: 0,
    };
    let mut waiting = std::collections::VecDeque::new();
    let mut rest = hashes;
    let mut page = 0u32;
    while page < parts || !waiting.is_empty() {
        let count = match page < parts {
            true => rest.partition_point(|(hash, _)| part_of(*hash, parts) <= page),
            false => 0,
        };
        let (own, behind) = rest.split_at(count);
        rest = behind;
        pages.further.push((0, 0));
        let mut room = most;
        let mut later = Vec::new();
        for entry in own {
            let bytes = bytes_of(entry.1);
            if bytes > room {
                later.push((*entry, page));
                continue;
            }
            room -= bytes;
            pages.held.push(*entry);
        }
        while let Some(((hash, id), home)) = waiting.front().copied() {
            let bytes = bytes_of(id);
            if bytes > room {
                break;
            }
            room -= bytes;
            waiting.pop_front();
            pages.held.push((hash, id));
            let (further, moved) = &mut pages.further[home as usize];
            *further = (*further).max(page - home);
            *moved |= moved_bit(hash);
        }
        pages.moved += later.len();
        waiting.extend(later);
        pages.ends.push(pages.held.len());
        page += 1;
    }
    pages
}
