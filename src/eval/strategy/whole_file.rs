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
    read,
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

/// A call counts wherever it is: between other words, in a code fence or in tags.
fn read(answer: &str, before: &Tree) -> Made {
    let Some(value) = first_object(answer) else {
        let message = "there is no JSON object in the answer".to_owned();
        return Made::Mechanics(MechanicsKind::NoJson, message);
    };
    let (path, content) = match serde_json::from_value(value) {
        Ok(Call::WriteFile { path, content }) => (path, content),
        Ok(Call::NoEdit { reason }) => return Made::Declined(reason),
        Err(error) => return Made::Mechanics(MechanicsKind::UnknownKey, error.to_string()),
    };

    let listing: Vec<String> = before.keys().cloned().collect();
    let path = match resolve_path(&path, &listing) {
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

/// The first JSON object in a text.
fn first_object(text: &str) -> Option<serde_json::Value> {
    // The limit keeps a text of nothing but braces from taking long.
    for (at, _) in text.match_indices('{').take(64) {
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter();
        if let Some(Ok(value @ serde_json::Value::Object(_))) = values.next() {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::tree::tree;

    #[test]
    fn a_call_is_read_wherever_it_is() {
        let before = tree([("src/a.py", "1\n"), ("b.py", "2\n")]);
        let edited = |path: &str| {
            let mut after = before.clone();
            after.insert(path.to_owned(), b"3\n".to_vec());
            Made::Edited(after)
        };
        let call = |path: &str| {
            format!(r#"{{"tool":"write_file","arguments":{{"path":"{path}","content":"3\n"}}}}"#)
        };
        assert_eq!(read(&call("src/a.py"), &before), edited("src/a.py"));
        let fenced = format!("Sure {{ok}}:\n```json\n{}\n```\n", call("a.py"));
        assert_eq!(read(&fenced, &before), edited("src/a.py"));
        assert_eq!(read(&call("c/new.py"), &before), edited("c/new.py"));
        let no = r#"{"tool":"no_edit","arguments":{"reason":"done"}}"#;
        assert_eq!(read(no, &before), Made::Declined("done".to_owned()));

        let torn = r#"{"tool":"write_file","#;
        let bare = r#"{"tool":"write_file","arguments":{"path":"b.py"}}"#;
        for (answer, expected) in [
            (call("../a").as_str(), "path_not_real"),
            ("I have done it.", "no_json"),
            (bare, "unknown_key"),
            (torn, "no_json"),
        ] {
            let made = read(answer, &before);
            let kind = match &made {
                Made::Mechanics(kind, _) => kind.name(),
                _ => "",
            };
            assert_eq!(kind, expected, "{answer}: {made:?}");
        }
    }
}
