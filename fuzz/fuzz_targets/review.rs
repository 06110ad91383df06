#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| slotwright_fuzz::review(data));
