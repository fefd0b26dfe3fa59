//! Any bytes as a file of the format `warc.gz`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| stackroom_fuzz::read_as("warc.gz", bytes));
