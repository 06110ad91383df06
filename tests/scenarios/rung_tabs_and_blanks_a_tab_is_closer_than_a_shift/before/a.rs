impl A {
    /// Reads.
    #[inline]
    fn a() {}
}

/// Reads.
#[inline]
fn b() {}
