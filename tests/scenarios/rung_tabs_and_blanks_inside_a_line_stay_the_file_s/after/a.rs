//!         0xd7  high
fn a() {}
