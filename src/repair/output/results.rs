//! The results of a test run, as its output gives them.

use std::collections::BTreeMap;

/// How a test ended. If several tests have one name, the worst end counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TestEnd {
    /// It was left out.
    Skipped,
    /// It passed.
    Passed,
    /// It failed: by an assertion, an exception or a crash.
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

/// The results of a test run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Results {
    /// The tests that the output names. Some runners name only those that failed.
    pub tests: BTreeMap<String, TestEnd>,
    /// What the runners count themselves, all together.
    pub counts: Counts,
    /// What was printed about each test that failed.
    pub failures: BTreeMap<String, String>,
    /// The line that says that code could not be compiled, loaded or imported.
    pub not_built: Option<String>,
}

impl TestEnd {
    /// The end that a runner's word or sign stands for.
    pub(super) fn of(word: &str) -> TestEnd {
        match word {
            "ok" | "PASS" | "PASSED" | "XFAIL" | "XPASS" | "expected failure" | "✔" | "✓" => {
                TestEnd::Passed
            }
            "FAIL" | "FAILED" | "ERROR" | "unexpected success" | "✖" | "✕" => TestEnd::Failed,
            // pytest adds the subtest's name.
            _ if word.starts_with("SUBPASSED") => TestEnd::Passed,
            _ if word.starts_with("SUBFAILED") => TestEnd::Failed,
            _ => TestEnd::Skipped,
        }
    }
}

impl Counts {
    /// Adds a number that a runner prints with this word.
    pub(super) fn add(&mut self, word: &str, n: usize) {
        match word {
            "pass" | "passed" | "xfailed" | "xpassed" => self.passed += n,
            "fail" | "failed" | "failures" | "error" | "errors" | "unexpected successes" => {
                self.failed += n;
            }
            "skipped" | "todo" => self.skipped += n,
            _ => {}
        }
    }
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

    /// How many tests were run, passed or not.
    pub fn n_run(&self) -> usize {
        let n_named = self.tests.len() - self.of(TestEnd::Skipped).count();
        n_named.max(self.counts.passed + self.counts.failed)
    }

    /// How many tests passed.
    pub fn n_passed(&self) -> usize {
        self.counts.passed.max(self.of(TestEnd::Passed).count())
    }

    /// How many tests were left out.
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

    /// Adds to what was printed about a test.
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

    /// Keeps a line that says that something could not be built. The first one counts.
    pub(super) fn note_not_built(&mut self, line: &str) {
        if self.not_built.is_none() {
            self.not_built = Some(line.trim().to_owned());
        }
    }
}
