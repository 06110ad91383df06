//! What test runners print, read: which tests passed and failed, and why nothing could be run at
//! all.
//!
//! A file a runner. Nobody says which runner a command runs, and `make test` may run several, so
//! that every reader looks at every output and takes what it knows. An output that none of them
//! knows has no names in it, and the exit code alone counts. Everything here is text in, values
//! out.

mod cargo;
mod compiler;
mod go;
mod jest;
mod node;
mod pytest;
mod tap;
mod unittest;

use regex::Regex;
use std::collections::BTreeMap;
use std::sync::LazyLock;

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

/// Reads an output.
pub fn read(output: &str) -> Results {
    let output = without_colors(output);
    let lines: Vec<&str> = output.lines().map(str::trim_end).collect();
    let mut results = Results::default();
    for reader in [
        pytest::read,
        unittest::read,
        cargo::read,
        go::read,
        tap::read,
        node::read,
        jest::read,
        compiler::read,
    ] {
        reader(&lines, &mut results);
    }
    results
}

/// The line of what was printed about a test that says that the test itself cannot be run: a name
/// or a module that there is not, a syntax error.
pub fn cannot_run(failure: &str) -> Option<&str> {
    static ERRORS: LazyLock<Regex> = LazyLock::new(|| {
        let python = "(?:Syntax|Indentation|Tab|Import|ModuleNotFound|Name|Unbound)Error";
        regex(&format!(
            r"^\W*(?:E\s+)?(?:\w+\.)*(?:{python}|ReferenceError)\b|(?:ERR_)?MODULE_NOT_FOUND|Cannot find module"
        ))
    });
    failure.lines().find(|line| ERRORS.is_match(line)).map(str::trim)
}

/// The part of an output that says most about a failure, at most so many bytes: what was printed
/// about the tests in `wanted`, then about others that failed; where nothing is known of tests, why
/// nothing was built; else both ends.
pub fn relevant<'n>(
    output: &str,
    results: &Results,
    wanted: impl IntoIterator<Item = &'n String>,
    max_bytes: usize,
) -> String {
    let wanted: Vec<&String> = wanted.into_iter().collect();
    let others = results.failures.keys().filter(|name| !wanted.contains(name));
    let mut blocks: Vec<&str> = wanted
        .iter()
        .copied()
        .chain(others)
        .filter_map(|name| results.failures.get(name))
        .map(String::as_str)
        .collect();
    blocks.dedup();
    let output = without_colors(output);
    let around_error = results
        .not_built
        .as_ref()
        .and_then(|line| output.find(line.as_str()).map(|at| from_line(&output, at)));
    let chosen = match (around_error, blocks.is_empty()) {
        (Some(at), _) => cut(&output[at..], max_bytes),
        (None, true) => both_ends(&output, max_bytes),
        (None, false) => {
            let share = max_bytes / blocks.len().min(3);
            let mut text = String::new();
            for block in blocks {
                if text.len() + share.min(block.len()) + 2 > max_bytes {
                    break;
                }
                text += both_ends(block, share).trim_end();
                text += "\n\n";
            }
            text
        }
    };
    chosen.trim().to_owned()
}

/// The beginning and the end of a text, in whole lines where that is possible.
pub fn both_ends(text: &str, max_bytes: usize) -> String {
    const LEFT_OUT: &str = "\n[…]\n";
    if text.len() <= max_bytes {
        return text.to_owned();
    }
    let half = max_bytes.saturating_sub(LEFT_OUT.len()) / 2;
    let head = cut(text, half);
    let tail = &text[text.ceil_char_boundary(text.len() - half)..];
    let tail =
        tail.split_once('\n').map_or(tail, |(_, rest)| if rest.is_empty() { tail } else { rest });
    format!("{}{LEFT_OUT}{tail}", head.trim_end())
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
        let n_named = self.tests.values().filter(|&&end| end != TestEnd::Skipped).count();
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
        self.tests.iter().filter(move |&(_, &end)| end == wanted).map(|(name, _)| name)
    }

    fn note(&mut self, name: &str, end: TestEnd) {
        let noted = self.tests.entry(name.to_owned()).or_insert(end);
        *noted = end.max(*noted);
    }

    /// What was printed about a test, more of it.
    fn add_failure(&mut self, name: &str, text: &str) {
        let kept = self.failures.entry(name.to_owned()).or_default();
        if !kept.contains(text.trim()) {
            *kept += text;
        }
    }

    fn add(&mut self, counts: Counts) {
        self.counts.passed += counts.passed;
        self.counts.failed += counts.failed;
        self.counts.skipped += counts.skipped;
    }
}

/// A pattern that is a constant of this program.
fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a fixed pattern")
}

/// The number of a count in a sentence: `2 failed, 3 passed`, `# pass 2`.
fn number(text: &str) -> usize {
    text.trim().parse().unwrap_or(0)
}

fn without_colors(text: &str) -> String {
    static COLORS: LazyLock<Regex> = LazyLock::new(|| regex("\x1b\\[[0-9;]*[A-Za-z]"));
    COLORS.replace_all(text, "").into_owned()
}

fn from_line(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |line_feed| line_feed + 1)
}

/// The first lines of a text.
fn cut(text: &str, max_bytes: usize) -> String {
    let head = &text[..text.floor_char_boundary(max_bytes)];
    match head.rfind('\n') {
        Some(end) if head.len() < text.len() => head[..=end].to_owned(),
        _ => head.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is read from an output, in one line: names that passed, failed and were skipped; how
    /// many; whether it was built.
    #[track_caller]
    pub(super) fn check(output: &str, expected: &str) -> Results {
        let results = read(output);
        let names = |end| results.of(end).map(String::as_str).collect::<Vec<_>>().join(", ");
        let Counts { passed, failed, skipped } = results.counts;
        let seen = format!(
            "passed [{}] failed [{}] skipped [{}]; {passed} {failed} {skipped}; not built: {}",
            names(TestEnd::Passed),
            names(TestEnd::Failed),
            names(TestEnd::Skipped),
            results.not_built.as_deref().unwrap_or("no")
        );
        assert_eq!(seen, expected, "{output}");
        results
    }

    #[test]
    fn an_output_of_nobody_we_know_has_no_names() {
        for output in ["", "all well\n", "not ok\n", "FAIL\n", "error\n", "Ran away\n"] {
            let results = check(output, "passed [] failed [] skipped []; 0 0 0; not built: no");
            assert!(!results.is_known());
        }
    }

    #[test]
    fn what_is_relevant_is_short_and_about_the_failure() {
        let noise = "noise\n".repeat(1_000);
        let output = format!("{noise}first\n{noise}");
        let ends = relevant(&output, &Results::default(), [], 200);
        assert!(
            ends.len() <= 200
                && ends.starts_with("noise\n")
                && ends.contains("[…]")
                && ends.ends_with("noise"),
            "{ends}"
        );
        let mut results = Results::default();
        results.note("a", TestEnd::Failed);
        results.add_failure("a", "about a\n");
        results.note("b", TestEnd::Failed);
        results.add_failure("b", "about b\n");
        assert_eq!(relevant(&output, &results, [&"b".to_owned()], 200), "about b\n\nabout a");
        results.not_built = Some("first".to_owned());
        assert!(relevant(&output, &results, [], 200).starts_with("first\nnoise"));
    }

    #[test]
    fn a_test_that_cannot_be_run_is_told_from_one_that_fails() {
        for (failure, expected) in [
            ("E   ModuleNotFoundError: No module named 'x'\n", true),
            ("NameError: name 'x' is not defined", true),
            ("  error: ReferenceError: x is not defined", false),
            ("ReferenceError: x is not defined", true),
            ("    SyntaxError: invalid syntax", true),
            ("Error: Cannot find module './x'", true),
            ("AssertionError: 1 != 2", false),
            ("AssertionError: 'NameError' != 'x'", false),
            ("AttributeError: module 'calc' has no attribute 'add'", false),
        ] {
            assert_eq!(cannot_run(failure).is_some(), expected, "{failure}");
        }
    }

    proptest::proptest! {
        #[test]
        fn nothing_that_is_printed_is_too_much(output in "(?s)(test |ok|not ok|--- FAIL: |FAIL|\\S|=====|____ | |\n|●|✖|✔|# ){0,60}") {
            let results = read(&output);
            let shown = relevant(&output, &results, results.failures.keys(), 100);
            proptest::prop_assert!(shown.len() <= 110, "{} bytes", shown.len());
        }
    }
}
