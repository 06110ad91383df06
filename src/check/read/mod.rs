//! Reads what compilers, linters and tests print.
//!
//! It is not known which tool a command runs, and one may run several. So every reader looks at every
//! output. A line counts only if it names a file of the folder. Everything here is text in, values out.

mod json;
mod lines;
mod listed;
#[cfg(test)]
mod tests;

pub use listed::Listed;

use super::complaint::{Complaint, Severity};
use crate::repair::output::{self, TestEnd, both_ends};

/// The longest text of a complaint, in bytes.
const MAX_TEXT: usize = 1_500;

/// What an output complains of. `files`: those of the folder.
pub fn read(output: &str, files: &Listed) -> Vec<Complaint> {
    let output = output::without_colors(output);
    let mut complaints = Vec::new();
    let plain = json::read(&output, files, &mut complaints);
    let of_lines = lines::read(&plain, files);

    let results = output::read(&plain);
    // What is said within a test is part of that test's failure.
    let is_in_test = |it: &Complaint| {
        let mut failures = results.failures.values();
        failures.any(|failure| failure.contains(&it.message))
    };
    complaints.extend(of_lines.into_iter().filter(|it| !is_in_test(it)));
    for name in results.of(TestEnd::Failed) {
        let text = results.failures.get(name).map_or("", String::as_str);
        complaints.push(of_test(name, text, files));
    }
    for complaint in &mut complaints {
        complaint.text = both_ends(complaint.text.trim_end(), MAX_TEXT);
    }
    complaints
}

fn of_test(name: &str, text: &str, files: &Listed) -> Complaint {
    let last = text.lines().rfind(|line| lines::is_error(line));
    let why = last.map_or(String::new(), |line| {
        let line = line.trim().trim_start_matches("E ").trim();
        format!(": {line}")
    });
    Complaint {
        places: lines::places(text, files),
        message: format!("the test {name} fails{why}"),
        text: text.to_owned(),
        severity: Severity::Error,
        test: Some(name.to_owned()),
    }
}
