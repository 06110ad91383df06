//! The prompt `compact-4` of small models trained for this program, as the bundled one is.
//!
//! ```text
//! stage 1   <|file|>PATH⏎FILE<|pick|>PATH[⇥HINT HINT…]⏎…PATH<|task|>TASK<|lines|>[PLACE]⇥LINE⏎…<|answer|>
//! stage 2   <|file|>PATH⏎FILE<|task|>TASK<|lines|>[PLACE]⇥LINE⏎…<|replace|>   likewise <|replace_all|>, <|insert|>
//!           <|task|>TASK<|create|>
//! ```
//! ⇥ is a tab, ⏎ a line feed. FILE is what is shown of the file; it comes first, so that what the model
//! made of it serves every task. Its path says which language it is in. Each LINE is one of the file's that the
//! program's own search takes the task to be about ([`relevance`]), best first: a small model copies from near by. The
//! files of stage 1 stand in the same order, and the first of them is the FILE of stage 1: which operation it takes, and
//! whether there is anything to do, cannot be known without. If it is the one that is edited, it is read once for both.

use super::{Row, relevance};
use crate::engine::Part;
use crate::engine::favour::Favour;
use crate::slots::Operation;
use crate::text::Shown;

pub(super) fn pick(task: &str, rows: &[Row], first: Option<(&str, &Shown)>) -> Vec<Part> {
    let line = |row: &Row| if row.hints.is_empty() { row.path.clone() } else { format!("{}\t{}", row.path, row.hints.join(" ")) };
    let list = rows.iter().map(line).collect::<Vec<_>>().join("\n");
    let mut parts = first.map(|(path, shown)| fill_ahead(path, shown)).unwrap_or_default();
    parts.extend([control("<|pick|>"), Part::Text(list), control("<|task|>"), Part::Text(task.to_owned())]);
    if let Some((_, shown)) = first {
        parts.extend(lines(task, shown, false));
    }
    parts.push(control("<|answer|>"));
    parts
}

/// The lines that the search takes the task to be about; with `ends`, and those at both ends.
fn lines(task: &str, shown: &Shown, ends: bool) -> [Part; 2] {
    let lines = relevance::most_relevant(task, shown, LINES, ends);
    let lines = lines.iter().map(|line| format!("{}\t{}", line.place, line.text)).collect::<Vec<_>>().join("\n");
    [control("<|lines|>"), Part::Text(lines)]
}

pub(super) fn fill(task: &str, path: &str, operation: Operation, shown: &Shown) -> Vec<Part> {
    let question = match operation {
        Operation::Replace => "<|replace|>",
        Operation::ReplaceAll => "<|replace_all|>",
        Operation::Insert => "<|insert|>",
        Operation::Create => "<|create|>",
    };
    let mut parts = Vec::new();
    if operation != Operation::Create {
        parts = fill_ahead(path, shown);
    }
    parts.extend([control("<|task|>"), Part::Text(task.to_owned())]);
    if operation != Operation::Create {
        parts.extend(lines(task, shown, operation == Operation::Insert));
    }
    parts.push(control(question));
    parts
}

/// Any question in words, between the marks of stage 1.
pub(super) fn words(system: &str, question: &str) -> Vec<Part> {
    vec![control("<|task|>"), Part::Text(format!("{system}\n\n{question}")), control("<|answer|>")]
}

/// What the logits of the lines named after a task are raised by, best first. Measured on the published kinds of edit, where
/// the model otherwise took a line that looks more like what is mostly edited; elsewhere it changed next to nothing.
const FAVOUR: [f32; 3] = [4.0, 2.0, 1.0];

/// What the logits of the file are raised by that the search finds first (the right one in nine of ten development tasks with
/// several). Not measured apart from the model that it came with.
const FAVOUR_FILE: f32 = 1.0;

/// The file that the task is most likely about, to be favoured.
pub(super) fn favoured_files(rows: &[Row]) -> Vec<Favour> {
    rows.first().filter(|row| !row.hints.is_empty()).map(|row| (row.path.clone(), FAVOUR_FILE)).into_iter().collect()
}

/// The lines named after a task, to be favoured. A name that stands in many lines is no line.
pub(super) fn favoured(task: &str, operation: Operation, shown: &Shown) -> Vec<Favour> {
    if !matches!(operation, Operation::Replace | Operation::Insert) {
        return Vec::new();
    }
    let lines = relevance::most_relevant(task, shown, LINES, false);
    lines.into_iter().map(|line| line.text).zip(FAVOUR).collect()
}

/// What every question on this file begins with.
pub(super) fn fill_ahead(path: &str, shown: &Shown) -> Vec<Part> {
    vec![control("<|file|>"), Part::Text(format!("{path}\n{}", shown.prompt_text()))]
}

/// Lines named after a task.
pub(super) const LINES: relevance::Room = relevance::Room { lines: 3, bytes: 300 };

fn control(token: &str) -> Part {
    Part::Control(token.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_are_as_the_model_was_trained() {
        let rows = [
            Row { path: "src/a.py".to_owned(), hints: vec!["compute_total".to_owned(), "total".to_owned()] },
            Row { path: "b.rs".to_owned(), hints: vec![] },
        ];
        let flat = |parts: Vec<Part>| {
            parts
                .into_iter()
                .map(|p| match p {
                    Part::Control(s) | Part::Text(s) => s,
                })
                .collect::<String>()
        };
        assert_eq!(
            flat(pick("Rename total", &rows, Some(("src/a.py", &Shown::whole("total = 1\nx = 2\n"))))),
            "<|file|>src/a.py\ntotal = 1\nx = 2<|pick|>src/a.py\tcompute_total total\nb.rs<|task|>Rename total<|lines|>\ttotal = 1<|answer|>"
        );
        assert_eq!(flat(pick("Rename total", &[], None)), "<|pick|><|task|>Rename total<|answer|>");
        let shown = Shown::whole("a = 1\n");
        let fill = |operation| flat(fill("Do it", "x.py", operation, &shown));
        assert_eq!(fill(Operation::Replace), "<|file|>x.py\na = 1<|task|>Do it<|lines|><|replace|>");
        assert_eq!(fill(Operation::ReplaceAll), "<|file|>x.py\na = 1<|task|>Do it<|lines|><|replace_all|>");
        assert_eq!(fill(Operation::Insert), "<|file|>x.py\na = 1<|task|>Do it<|lines|>\ta = 1<|insert|>");
        assert_eq!(fill(Operation::Create), "<|task|>Do it<|create|>");
        let shown = Shown::whole("def f():\n    retries = 1\n");
        let prompt = flat(super::fill("More retries", "x.py", Operation::Replace, &shown));
        assert_eq!(prompt, "<|file|>x.py\ndef f():\n    retries = 1<|task|>More retries<|lines|>f\t    retries = 1<|replace|>");
    }
}
