//! What a check complains of, and which complaints are new.

use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::LazyLock;
use std::time::Duration;

/// A place in a file of the folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    /// Relative to the root.
    pub path: String,
    /// Counted from 1.
    pub line: usize,
    /// Counted from 1, if the check says it.
    pub column: Option<usize>,
}

/// How much a complaint matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Severity {
    /// It counts only where nothing worse is said, as with `-Werror`.
    Warning,
    /// It makes the check fail.
    Error,
}

/// Something that a check complains of: a message about a line, or a test that fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Complaint {
    /// The places that it names, in the order of a traceback: the cause is last. Empty if none is in
    /// the folder.
    pub places: Vec<Place>,
    /// What is wrong, in one line.
    pub message: String,
    /// The lines of the output about it.
    pub text: String,
    /// How much it matters.
    pub severity: Severity,
    /// The test that fails; `None` for anything else.
    pub test: Option<String>,
}

/// One run of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckRun {
    /// Whether the command ended with exit code 0.
    pub passed: bool,
    /// All that it printed. A check that passes may complain too.
    pub complaints: Vec<Complaint>,
    /// Says that it failed, for an output that nothing can be read from: its last lines.
    pub end: String,
    /// How long it took.
    pub time: Duration,
}

impl Complaint {
    /// The place of the cause.
    pub fn place(&self) -> Option<&Place> {
        self.places.last()
    }

    /// The failure of a run of which nothing else is known.
    pub(super) fn of_whole_run(output: &str) -> Complaint {
        let last = output.trim().lines().next_back();
        Complaint {
            places: Vec::new(),
            message: last.unwrap_or("it fails and says nothing").to_owned(),
            text: output.to_owned(),
            severity: Severity::Error,
            test: None,
        }
    }

    /// Whether nothing is known but that the check fails.
    pub fn is_of_whole_run(&self) -> bool {
        self.places.is_empty() && self.test.is_none()
    }

    /// What stays the same where lines are added above: no line numbers.
    fn key(&self) -> String {
        static LINE_NUMBERS: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"\bline \d+|:\d+(?::\d+)?\b|\(\d+,\d+\)").expect("a fixed pattern")
        });
        if let Some(test) = &self.test {
            return format!("test {test}");
        }
        let path = self.place().map_or("", |place| place.path.as_str());
        format!("{path}: {}", LINE_NUMBERS.replace_all(&self.message, "#"))
    }
}

impl CheckRun {
    /// What this run complains of and an earlier one did not. Empty if it passed, or fails as the
    /// earlier one did.
    pub fn new_since(&self, earlier: &CheckRun) -> Vec<Complaint> {
        if self.passed {
            return Vec::new();
        }
        let mut known: HashMap<String, usize> = HashMap::new();
        for complaint in &earlier.complaints {
            *known.entry(complaint.key()).or_default() += 1;
        }
        let mut new = Vec::new();
        for complaint in &self.complaints {
            match known.get_mut(&complaint.key()) {
                Some(n @ 1..) => *n -= 1,
                _ => new.push(complaint.clone()),
            }
        }

        if new.iter().any(|it| it.severity == Severity::Error) {
            new.retain(|it| it.severity == Severity::Error);
        }
        // Before, something could be read from a failure, and now nothing can.
        let is_worse = self.complaints.is_empty() && !earlier.complaints.is_empty();
        if new.is_empty() && (earlier.passed || is_worse) {
            new.push(Complaint::of_whole_run(&self.end));
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint(path: &str, line: usize, message: &str) -> Complaint {
        let place = Place {
            path: path.to_owned(),
            line,
            column: None,
        };
        Complaint {
            places: vec![place],
            message: message.to_owned(),
            text: message.to_owned(),
            severity: Severity::Error,
            test: None,
        }
    }

    fn failed(complaints: &[Complaint]) -> CheckRun {
        CheckRun {
            complaints: complaints.to_vec(),
            end: "make: Error 1".to_owned(),
            ..CheckRun::default()
        }
    }

    #[track_caller]
    fn check(before: &CheckRun, after: &CheckRun, expected: &[&str]) {
        let new = after.new_since(before);
        let new: Vec<&str> = new.iter().map(|it| it.message.as_str()).collect();
        assert_eq!(new, expected);
    }

    #[test]
    fn a_complaint_that_moved_is_an_old_one() {
        let old = complaint("a.c", 3, "x is defined on line 1");
        let moved = complaint("a.c", 5, "x is defined on line 3");
        let other = complaint("b.c", 5, "x is defined on line 3");
        let before = failed(std::slice::from_ref(&old));
        check(&before, &failed(std::slice::from_ref(&moved)), &[]);
        check(
            &failed(&[old]),
            &failed(&[other]),
            &["x is defined on line 3"],
        );
        let twice = failed(&[moved.clone(), moved.clone()]);
        check(
            &failed(std::slice::from_ref(&moved)),
            &twice,
            &[&moved.message],
        );
    }

    #[test]
    fn what_fails_without_a_word_counts_if_it_is_new() {
        let passed = CheckRun {
            passed: true,
            ..CheckRun::default()
        };
        check(&passed, &failed(&[]), &["make: Error 1"]);
        check(&failed(&[]), &failed(&[]), &[]);
        let readable = failed(&[complaint("a.c", 1, "no")]);
        check(&readable, &failed(&[]), &["make: Error 1"]);
        check(&failed(&[]), &passed, &[]);
    }

    #[test]
    fn warnings_count_where_nothing_worse_is_said() {
        let passed = CheckRun {
            passed: true,
            ..CheckRun::default()
        };
        let warning = Complaint {
            severity: Severity::Warning,
            ..complaint("a.c", 1, "unused")
        };
        let error = complaint("a.c", 2, "undeclared");
        check(&passed, &failed(&[warning.clone(), error]), &["undeclared"]);
        check(
            &passed,
            &failed(std::slice::from_ref(&warning)),
            &["unused"],
        );
        // It was there before, and is not the reason.
        let before = CheckRun {
            complaints: vec![warning.clone()],
            ..passed
        };
        check(&before, &failed(&[warning]), &["make: Error 1"]);
    }
}
