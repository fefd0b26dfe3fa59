//! Any bytes as a file of the format `cdx`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| stackroom_fuzz::read_as("cdx", bytes));
