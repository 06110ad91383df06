impl A {
    fn x() {
        /// Reads.
        #[inline]
        fn a() {}
    }
}

/// Reads.
#[inline]
fn b() {}
