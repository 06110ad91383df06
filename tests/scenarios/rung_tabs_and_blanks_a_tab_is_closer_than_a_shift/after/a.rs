impl A {
    /// Reads it.
    #[inline]
    fn a() {}
}

/// Reads.
#[inline]
fn b() {}
