//! Any bytes as entries of facets: what is read of them ends, and is as many rows as is said.
#![no_main]

use roaring::RoaringBitmap;
use stackroom::search::{Set, join_facets};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let (a, b) = bytes.split_at(bytes.len() / 2);
    let mut rows = RoaringBitmap::new();
    if let Some(set) = Set::read(a) {
        set.add_to(7, &mut rows);
        assert_eq!(rows.len(), u64::from(set.rows()));
        assert_eq!(set.common_count(7, &rows), rows.len());
    }
    let key = b"f\0v\0\0\x07";
    if let Some(joined) = join_facets(key, a, key, b) {
        assert!(Set::read(&joined).is_some());
    }
});
