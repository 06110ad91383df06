//!         0xd6  high
fn a() {}
