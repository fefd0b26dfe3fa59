//! Any bytes as a file of the format `cdx.gz`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| stackroom_fuzz::read_as("cdx.gz", bytes));
