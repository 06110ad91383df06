//! The prompt `compact-4`, which the bundled model was trained on.
//!
//! ```text
//! stage 1   <|file|>PATH⏎FILE<|pick|>PATH[⇥WORD WORD…]⏎…PATH<|task|>TASK
//!           <|lines|>[PLACE]⇥LINE⏎…<|answer|>
//! stage 2   <|file|>PATH⏎FILE<|task|>TASK<|lines|>[PLACE]⇥LINE⏎…<|replace|>
//!           or <|replace_all|> or <|insert|> at the end
//!           <|task|>TASK<|create|>
//! ```
//! ⇥ is a tab, ⏎ a newline. FILE is what is shown of the file. It comes first, so that its KV cache
//! serves every task. Each LINE is one that the search ranks high ([`lines::most_relevant`]), best
//! first: a small model copies best from near by. Stage 1 lists the likeliest file first and shows
//! it as FILE. If the model picks that file, it is read once for both stages.

use super::question::Row;
use crate::constrain::SlotSpec;
use crate::engine::Part;
use crate::search::lines::{self, Ends, Room};
use crate::slots::Operation;
use crate::text::Shown;

pub(super) fn pick(task: &str, rows: &[Row], first: Option<(&str, &Shown)>) -> Vec<Part> {
    let mut lines = Vec::new();
    for Row { path, words } in rows {
        lines.push(if words.is_empty() {
            path.clone()
        } else {
            format!("{path}\t{}", words.join(" "))
        });
    }
    let list = lines.join("\n");
    let mut parts = first
        .map(|(path, shown)| shown_file(path, shown))
        .unwrap_or_default();
    parts.extend([
        control("<|pick|>"),
        Part::Text(list),
        control("<|task|>"),
        Part::Text(task.to_owned()),
    ]);
    if let Some((_, shown)) = first {
        parts.extend(likely_lines(task, shown, Ends::Skip));
    }
    parts.push(control("<|answer|>"));
    parts
}

/// The lines that the search ranks highest for the task.
fn likely_lines(task: &str, shown: &Shown, ends: Ends) -> [Part; 2] {
    let lines = lines::most_relevant(task, shown, LINES, ends);
    let lines = lines
        .iter()
        .map(|line| format!("{}\t{}", line.place, line.text))
        .collect::<Vec<_>>()
        .join("\n");
    [control("<|lines|>"), Part::Text(lines)]
}

pub(super) fn fill(task: &str, path: &str, spec: &SlotSpec) -> Vec<Part> {
    let operation = spec.operation().expect("stage 1 has a prompt of its own");
    let (question, ends) = match operation {
        Operation::Replace => ("<|replace|>", Ends::Skip),
        Operation::ReplaceAll => ("<|replace_all|>", Ends::Skip),
        Operation::Insert => ("<|insert|>", Ends::Include),
        Operation::Create => ("<|create|>", Ends::Skip),
        Operation::Rewrite => unreachable!("the bundled model is not offered it"),
    };
    let mut parts = spec
        .shown()
        .map_or_else(Vec::new, |shown| shown_file(path, shown));
    parts.extend([control("<|task|>"), Part::Text(task.to_owned())]);
    if let Some(shown) = spec.shown() {
        parts.extend(likely_lines(task, shown, ends));
    }
    parts.push(control(question));
    parts
}

/// A question in words, between the marks of stage 1.
pub(super) fn words(system: &str, question: &str) -> Vec<Part> {
    vec![
        control("<|task|>"),
        Part::Text(format!("{system}\n\n{question}")),
        control("<|answer|>"),
    ]
}

/// The beginning of every question that shows this file.
fn shown_file(path: &str, shown: &Shown) -> Vec<Part> {
    vec![
        control("<|file|>"),
        Part::Text(format!("{path}\n{}", shown.prompt_text())),
    ]
}

/// The lines that are repeated after the task.
pub(super) const LINES: Room = Room {
    lines: 3,
    bytes: 300,
};

fn control(token: &str) -> Part {
    Part::Control(token.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_are_as_the_model_was_trained() {
        let rows = [
            Row {
                path: "src/a.py".to_owned(),
                words: vec!["compute_total".to_owned(), "total".to_owned()],
            },
            Row {
                path: "b.rs".to_owned(),
                words: vec![],
            },
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
            flat(pick(
                "Rename total",
                &rows,
                Some(("src/a.py", &Shown::whole("total = 1\nx = 2\n")))
            )),
            "<|file|>src/a.py\ntotal = 1\nx = 2<|pick|>src/a.py\tcompute_total total\nb.rs\
             <|task|>Rename total<|lines|>\ttotal = 1<|answer|>"
        );
        assert_eq!(
            flat(pick("Rename total", &[], None)),
            "<|pick|><|task|>Rename total<|answer|>"
        );
        let whole = |text: &str| Shown::whole(text);
        let fill = |spec: SlotSpec| flat(fill("Do it", "x.py", &spec));
        let start = "<|file|>x.py\na = 1<|task|>Do it<|lines|>";
        let shown = whole("a = 1\n");
        let replace = SlotSpec::Replace {
            shown: shown.clone(),
            blocks: true,
        };
        assert_eq!(fill(replace), format!("{start}<|replace|>"));
        let replace_all = SlotSpec::ReplaceAll {
            shown: shown.clone(),
        };
        assert_eq!(fill(replace_all), format!("{start}<|replace_all|>"));
        assert_eq!(
            fill(SlotSpec::Insert {
                shown,
                side_first: false
            }),
            format!("{start}\ta = 1<|insert|>")
        );
        assert_eq!(
            fill(SlotSpec::Create {
                existing: vec![],
                spelled: vec![]
            }),
            "<|task|>Do it<|create|>"
        );
        let shown = whole("def f():\n    retries = 1\n");
        let spec = SlotSpec::Replace {
            shown,
            blocks: true,
        };
        assert_eq!(
            flat(super::fill("More retries", "x.py", &spec)),
            "<|file|>x.py\ndef f():\n    retries = 1<|task|>More retries\
             <|lines|>f\t    retries = 1<|replace|>"
        );
    }
}
