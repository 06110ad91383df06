//! Notes for the model beside the issue: the output of the tests, the edits that are kept, and the
//! attempts that did not help.

use super::guard::Purpose;
use super::output::both_ends;
use super::record::AttemptRecord;

/// Bytes of notes in all, where the model's context has room for them.
const MAX_NOTES: usize = 8_000;

/// The facts that the notes are made of.
pub(super) struct Known<'a> {
    pub purpose: Purpose,
    pub command: &'a str,
    /// The tests that show the bug.
    pub targets: &'a [String],
    /// The relevant part of what they print.
    pub output: &'a str,
    /// The edits that are kept so far, as a diff.
    pub diff: &'a str,
    pub tried: &'a [AttemptRecord],
}

/// The notes, in words and excerpts. `context_tokens`: the size of the model's context.
pub(super) fn notes(known: &Known, context_tokens: usize) -> String {
    // A sixth of what the model reads, at three bytes a token.
    let max = MAX_NOTES.min(context_tokens / 2);
    let mut parts = Vec::new();
    match known.purpose {
        Purpose::Fix => {
            let failing = if known.targets.is_empty() {
                "The tests fail because of it.".to_owned()
            } else {
                let names = both_ends(&known.targets.join(", "), max / 8);
                format!("These tests fail because of it: {names}.")
            };
            let rule = "They are right, and stay as they are: change the code.";
            parts.push(format!("{failing} {rule}"));
            let output = both_ends(known.output, max / 2);
            parts.push(format!("What {} prints:\n{output}", known.command));
        }
        Purpose::Test => parts.push(
            "Add one test in the style of those that are there. \
             It fails as long as the bug is there, and passes once it is mended. Do not mend it."
                .to_owned(),
        ),
    }

    if !known.diff.is_empty() {
        let diff = both_ends(known.diff, max / 5);
        let title = "This was changed so far, and is in the files already:";
        parts.push(format!("{title}\n{diff}"));
    }
    let tried = tried(known.tried, max / 3);
    if !tried.is_empty() {
        let title = "This was tried, did not help, and was taken back. Make another change:";
        parts.push(format!("{title}\n{tried}"));
    }
    parts.join("\n\n")
}

/// The attempts that did not help, in at most about so many bytes.
fn tried(attempts: &[AttemptRecord], max: usize) -> String {
    let mut attempts: Vec<&AttemptRecord> = attempts.iter().collect();
    attempts.retain(|attempt| !attempt.kept && !attempt.diff.is_empty());
    let mut text = String::new();
    for attempt in &attempts {
        let share = max / attempts.len();
        text += &both_ends(&attempt.message, share / 3);
        text += "\n";
        text += &both_ends(&attempt.diff, share * 2 / 3);
        text += "\n";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repair::record::AttemptEnd;

    #[test]
    fn notes_fit_the_model() {
        let long = "a line of output\n".repeat(5_000);
        let attempt = AttemptRecord {
            end: AttemptEnd::NoEdit,
            message: "red: t still fails".to_owned(),
            kept: false,
            files: vec![],
            diff: long.clone(),
            temperature: 0.0,
            n_repeated: 0,
            answers: vec![],
            ms: None,
        };
        let targets = ["t".to_owned()];
        let tried = vec![attempt; 5];
        let known = Known {
            purpose: Purpose::Fix,
            command: "make",
            targets: &targets,
            output: &long,
            diff: &long,
            tried: &tried,
        };
        for context_tokens in [2_048, 4_096, 32_768] {
            let notes = notes(&known, context_tokens);
            assert!(
                notes.len() <= (context_tokens / 2).min(MAX_NOTES) * 5 / 4 + 400,
                "{}",
                notes.len()
            );
            assert!(
                notes.starts_with("These tests fail because of it: t."),
                "{notes}"
            );
            assert_eq!(notes.matches("red: t still fails").count(), 5);
        }
    }
}
