//! Puts things in order, all kinds by one sorting routine: each further one would weigh 5 kB.

use std::cmp::Ordering;

/// Those that are equal stay as they stood.
pub fn sort_by<T>(items: &mut Vec<T>, compare: impl Fn(&T, &T) -> Ordering) {
    let mut places: Vec<usize> = (0..items.len()).collect();
    sort_places(&mut places, &|one, other| {
        compare(&items[one], &items[other])
    });
    let mut slots: Vec<Option<T>> = items.drain(..).map(Some).collect();
    items.extend(places.into_iter().filter_map(|place| slots[place].take()));
}

#[inline(never)]
fn sort_places(places: &mut [usize], compare: &dyn Fn(usize, usize) -> Ordering) {
    places.sort_by(|&one, &other| compare(one, other));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_are_in_order_and_equals_stay_as_they_stood() {
        let mut items: Vec<(u32, u32)> = (0..1000).map(|n| (n * 7919 % 50, n)).collect();
        let mut expected = items.clone();
        expected.sort();
        sort_by(&mut items, |one, other| one.0.cmp(&other.0));
        assert_eq!(items, expected);
        let mut none: Vec<String> = Vec::new();
        sort_by(&mut none, Ord::cmp);
        assert!(none.is_empty());
    }
}
