//! Any bytes as a file of the format `warc.zst`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| stackroom_fuzz::read_as("warc.zst", bytes));
