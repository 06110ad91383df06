//! One free tool call with the whole new text of a file, as agents do it.

use super::attempt::{Made, MechanicsKind};
use super::free_answer::AnswerFormat;
use crate::eval::tree::Tree;
use crate::prompt::{WorkedEdit, WorkedExample};
use crate::text::paths::{Resolved, resolve_path};
use crate::workspace::check_path;
use serde::{Deserialize, Serialize};

pub(super) const FORMAT: AnswerFormat = AnswerFormat {
    system: "You edit files by calling a tool. You answer a task with one call and nothing else. \
        write_file writes a file: it has the path, and all of the file's text as it should be \
        afterwards. no_edit changes nothing and says why.",
    write,
};

fn write(example: &WorkedExample) -> String {
    let call = match &example.edit {
        WorkedEdit::Declined(reason) => Call::NoEdit {
            reason: reason.word().to_owned(),
        },
        WorkedEdit::Create { path, text } => Call::WriteFile {
            path: path.clone(),
            content: text.clone(),
        },
        WorkedEdit::Change { path, after, .. } => Call::WriteFile {
            path: (*path).to_owned(),
            content: after.clone(),
        },
    };
    serde_json::to_string(&call).expect("a call is plain data")
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "tool", content = "arguments", rename_all = "snake_case")]
enum Call {
    WriteFile { path: String, content: String },
    NoEdit { reason: String },
}

/// The call may stand between other words, in a fence or in tags: that is still a call.
pub(super) fn read(answer: &str, listing: &[String], before: &Tree) -> Made {
    let Some(value) = first_object(answer) else {
        return Made::Mechanics(
            MechanicsKind::NoJson,
            "there is no JSON object in the answer".to_owned(),
        );
    };
    let (path, content) = match serde_json::from_value(value) {
        Ok(Call::WriteFile { path, content }) => (path, content),
        Ok(Call::NoEdit { reason }) => return Made::Declined(reason),
        Err(error) => return Made::Mechanics(MechanicsKind::UnknownKey, error.to_string()),
    };
    let path = match resolve_path(&path, listing) {
        Resolved::File(path) => path,
        Resolved::Ambiguous(candidates) => {
            let message = format!("{path:?} may be any of {}", candidates.join(", "));
            return Made::Mechanics(MechanicsKind::PathNotReal, message);
        }
        // A new file.
        Resolved::Missing => match check_path(&path) {
            Ok(()) => path,
            Err(error) => return Made::Mechanics(MechanicsKind::PathNotReal, error.to_string()),
        },
    };
    let mut after = before.clone();
    after.insert(path, content.into_bytes());
    Made::Edited(after)
}

/// The first JSON object that is in a text.
fn first_object(text: &str) -> Option<serde_json::Value> {
    let starts = text.match_indices('{').map(|(at, _)| at);
    // What does not begin an object is passed over quickly; a text of braces alone is none.
    starts.take(64).find_map(|at| {
        let mut values =
            serde_json::Deserializer::from_str(&text[at..]).into_iter::<serde_json::Value>();
        values.next()?.ok().filter(serde_json::Value::is_object)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prompt::worked_examples;

    #[test]
    fn a_call_is_read_wherever_it_stands() {
        let before = Tree::from([
            ("src/a.py".to_owned(), b"1\n".to_vec()),
            ("b.py".to_owned(), b"2\n".to_vec()),
        ]);
        let listing: Vec<String> = before.keys().cloned().collect();
        let check = |answer: &str| read(answer, &listing, &before);
        let edited = |path: &str, text: &str| {
            let mut after = before.clone();
            after.insert(path.to_owned(), text.as_bytes().to_vec());
            Made::Edited(after)
        };
        let call = |path: &str| {
            format!(r#"{{"tool":"write_file","arguments":{{"path":"{path}","content":"3\n"}}}}"#)
        };
        assert_eq!(check(&call("src/a.py")), edited("src/a.py", "3\n"));
        assert_eq!(
            check(&format!("Sure {{ok}}:\n```json\n{}\n```\n", call("a.py"))),
            edited("src/a.py", "3\n")
        );
        assert_eq!(check(&call("c/new.py")), edited("c/new.py", "3\n"));
        let mechanics = |answer: &str| match check(answer) {
            Made::Mechanics(kind, _) => kind.name(),
            other => panic!("{answer}: {other:?}"),
        };
        assert_eq!(mechanics(&call("../a")), "path_not_real");
        assert_eq!(mechanics("I have done it."), "no_json");
        assert_eq!(
            mechanics(r#"{"tool":"write_file","arguments":{"path":"b.py"}}"#),
            "unknown_key"
        );
        assert_eq!(mechanics(r#"{"tool":"write_file","#), "no_json");
        let no = check(r#"{"tool":"no_edit","arguments":{"reason":"done"}}"#);
        assert_eq!(no, Made::Declined("done".to_owned()));
    }

    #[test]
    fn the_examples_are_calls_that_make_their_edits() {
        for example in worked_examples() {
            let answer = write(&example);
            let (path, text) = match &example.edit {
                WorkedEdit::Declined(_) => {
                    let made = read(&answer, &[], &Tree::new());
                    assert!(matches!(made, Made::Declined(_)), "{answer}");
                    continue;
                }
                WorkedEdit::Create { path, text } => (path.as_str(), text),
                WorkedEdit::Change { path, after, .. } => (*path, after),
            };
            let after = Tree::from([(path.to_owned(), text.clone().into_bytes())]);
            assert_eq!(
                read(&answer, &[], &Tree::new()),
                Made::Edited(after),
                "{answer}"
            );
        }
    }
}
