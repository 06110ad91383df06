#![no_main]

#[path = "../../tests/support/fuzzed.rs"]
#[allow(dead_code)]
mod fuzzed;

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzzed::ed(data));
