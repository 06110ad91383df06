//! What a test run's output says: a value.

use std::collections::BTreeMap;

/// What came of one test. Of several tests of one name the worst counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TestEnd {
    /// It was left out.
    Skipped,
    /// As it should.
    Passed,
    /// Not as it should: an assertion, an exception, a crash.
    Failed,
}

/// How many tests there were, as a runner counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Tests that passed.
    pub passed: usize,
    /// Tests that failed.
    pub failed: usize,
    /// Tests that were left out.
    pub skipped: usize,
}

/// What an output tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Results {
    /// The tests that it names. Some runners name only those that failed.
    pub tests: BTreeMap<String, TestEnd>,
    /// What the runners say themselves, all together.
    pub counts: Counts,
    /// What was printed about a test that failed.
    pub failures: BTreeMap<String, String>,
    /// The line that says that code could not be compiled, loaded or imported.
    pub not_built: Option<String>,
}

impl Results {
    /// Whether the names of all tests that passed are known, and not only how many.
    pub fn names_passed(&self) -> bool {
        let n_named = self.of(TestEnd::Passed).count();
        n_named > 0 && n_named >= self.counts.passed
    }

    /// Whether anything is known of single tests.
    pub fn is_known(&self) -> bool {
        self.n_run() > 0
    }

    /// Tests that were run, passed or not.
    pub fn n_run(&self) -> usize {
        let n_named = self
            .tests
            .values()
            .filter(|&&end| end != TestEnd::Skipped)
            .count();
        n_named.max(self.counts.passed + self.counts.failed)
    }

    /// Tests that passed.
    pub fn n_passed(&self) -> usize {
        self.counts.passed.max(self.of(TestEnd::Passed).count())
    }

    /// Tests that were left out.
    pub fn n_skipped(&self) -> usize {
        self.counts.skipped.max(self.of(TestEnd::Skipped).count())
    }

    /// The tests that ended so, by name.
    pub fn of(&self, wanted: TestEnd) -> impl Iterator<Item = &String> {
        self.tests
            .iter()
            .filter(move |&(_, &end)| end == wanted)
            .map(|(name, _)| name)
    }

    pub(super) fn note(&mut self, name: &str, end: TestEnd) {
        let noted = self.tests.entry(name.to_owned()).or_insert(end);
        *noted = end.max(*noted);
    }

    /// What was printed about a test, more of it.
    pub(super) fn add_failure(&mut self, name: &str, text: &str) {
        let kept = self.failures.entry(name.to_owned()).or_default();
        if !kept.contains(text.trim()) {
            *kept += text;
        }
    }

    pub(super) fn add(&mut self, counts: Counts) {
        self.counts.passed += counts.passed;
        self.counts.failed += counts.failed;
        self.counts.skipped += counts.skipped;
    }
}
