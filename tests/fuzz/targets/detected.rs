//! Any bytes as whatever they look like.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| stackroom_fuzz::read_detected(bytes));
