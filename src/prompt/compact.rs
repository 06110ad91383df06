//! The prompt `compact-1` of the bundled model.
//!
//! ```text
//! stage 1   <|pick|>PATH[⇥HINT HINT…]⏎…PATH<|task|>TASK<|answer|>
//! stage 2   FILE<|task|>TASK<|replace|>   or   FILE<|task|>TASK<|insert|>
//! ```
//! ⇥ is a tab, ⏎ a line feed. FILE is what is shown of the file; it comes first, so that what the model
//! made of it serves every task.

use super::Row;
use crate::engine::Part;
use crate::slots::Operation;
use crate::text::Shown;

pub(super) fn pick(task: &str, rows: &[Row]) -> Vec<Part> {
    let line = |row: &Row| if row.hints.is_empty() { row.path.clone() } else { format!("{}\t{}", row.path, row.hints.join(" ")) };
    let list = rows.iter().map(line).collect::<Vec<_>>().join("\n");
    vec![control("<|pick|>"), Part::Text(list), control("<|task|>"), Part::Text(task.to_owned()), control("<|answer|>")]
}

pub(super) fn fill(task: &str, operation: Operation, shown: &Shown) -> Vec<Part> {
    let question = match operation {
        Operation::Replace | Operation::ReplaceAll => "<|replace|>",
        Operation::Insert => "<|insert|>",
        Operation::Create => unreachable!("compact-1 does not know how to create, and pick does not offer it"),
    };
    vec![Part::Text(shown.prompt_text()), control("<|task|>"), Part::Text(task.to_owned()), control(question)]
}

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
            flat(pick("Rename total", &rows)),
            "<|pick|>src/a.py\tcompute_total total\nb.rs<|task|>Rename total<|answer|>"
        );
        let shown = Shown::whole("a = 1\n");
        assert_eq!(flat(fill("Set a to 2", Operation::ReplaceAll, &shown)), "a = 1<|task|>Set a to 2<|replace|>");
        assert_eq!(flat(fill("Add b", Operation::Insert, &shown)), "a = 1<|task|>Add b<|insert|>");
    }
}
