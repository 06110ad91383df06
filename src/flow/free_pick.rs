//! What a pick means that no constraint forced to fit: the answer of a model on a server.

use crate::constrain::SlotSpec;
use crate::slots::{FilePick, Operation, Pick, Slots};
use crate::text::paths::{Resolved, ends_like, plain_path, resolve_path};

/// Why a pick names nothing that was offered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PickError {
    /// No listed file has this path.
    #[error("the answer names {path:?}, and there is no such file among those to edit")]
    NoFile {
        /// As the answer has it.
        path: String,
    },
    /// Several listed files may be meant.
    #[error("the answer names {path:?}, which may be any of {}", candidates.join(", "))]
    Ambiguous {
        /// As the answer has it.
        path: String,
        /// Their paths.
        candidates: Vec<String>,
    },
    /// The operation was not offered for this file.
    #[error("the answer is {:?}, which was not offered{}", operation.word(), of(path))]
    NotOffered {
        /// The operation of the answer.
        operation: Operation,
        /// The file; empty for a new one.
        path: String,
    },
    /// The answer creates a file that exists.
    #[error("the answer makes the file {path}, and there is one already")]
    Exists {
        /// Its path.
        path: String,
    },
}

fn of(path: &str) -> String {
    if path.is_empty() {
        String::new()
    } else {
        format!(" for {path}")
    }
}

/// The pick with its path as it was listed.
pub(super) fn resolved(pick: Pick, spec: &SlotSpec) -> Result<Pick, PickError> {
    let SlotSpec::Pick {
        files, may_create, ..
    } = spec
    else {
        return Ok(pick);
    };
    let FilePick { path, operation } = match pick {
        Pick::File(pick) => pick,
        Pick::Create(_) if !may_create => {
            return Err(PickError::NotOffered {
                operation: Operation::Create,
                path: String::new(),
            });
        }
        other => return Ok(other),
    };

    let listing: Vec<String> = files.iter().map(|file| file.path.clone()).collect();
    let found = match resolve_path(&path, &listing) {
        Resolved::File(found) => found,
        Resolved::Ambiguous(candidates) => return Err(PickError::Ambiguous { path, candidates }),
        Resolved::Missing => return Err(PickError::NoFile { path }),
    };
    let named = plain_path(&path);
    // Of another folder it is another file.
    if !ends_like(&found, &named) && !ends_like(&named, &found) {
        return Err(PickError::NoFile { path });
    }

    let mut listed = files.iter();
    let file = listed.find(|file| file.path == found);
    let path = found;
    if !file.is_some_and(|file| file.operations.contains(&operation)) {
        return Err(PickError::NotOffered { operation, path });
    }
    Ok(Pick::File(FilePick { path, operation }))
}

/// The slots with the path of a new file in plain form.
pub(super) fn named(mut slots: Slots, spec: &SlotSpec) -> Result<Slots, PickError> {
    if let (Slots::Create(create), SlotSpec::Create { existing, .. }) = (&mut slots, spec) {
        create.path = plain_path(&create.path);
        if existing.contains(&create.path) {
            return Err(PickError::Exists {
                path: create.path.clone(),
            });
        }
    }
    Ok(slots)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constrain::{NoEdit, PickFile};

    #[track_caller]
    fn check(answer: &str, expected: Result<&str, &str>) {
        let file = |path: &str, operations: &[Operation]| PickFile {
            path: path.to_owned(),
            operations: operations.to_vec(),
        };
        use Operation::{Insert, Replace};
        let files = vec![
            file("src/a.py", &[Replace, Insert]),
            file("tests/a.py", &[Replace]),
            file("src/b.py", &[Insert]),
        ];
        let resolved = resolved(
            serde_json::from_str(answer).unwrap(),
            &SlotSpec::Pick {
                files,
                may_create: false,
                goes_on: false,
                no_edit: NoEdit::ForAnyReason,
            },
        );
        match (resolved, expected) {
            (Ok(pick), Ok(expected)) => assert_eq!(serde_json::to_string(&pick).unwrap(), expected),
            (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
            (found, _) => panic!("{found:?}"),
        }
    }

    #[test]
    fn a_path_is_one_of_those_listed() {
        let a = r#"{"path":"src/a.py","operation":"replace"}"#;
        check(a, Ok(a));
        check(
            r#"{"path":"./project/src/a.py","operation":"replace"}"#,
            Ok(a),
        );
        check(
            r#"{"path":"b.py","operation":"insert"}"#,
            Ok(r#"{"path":"src/b.py","operation":"insert"}"#),
        );
        check(
            r#"{"path":"a.py","operation":"replace"}"#,
            Err("may be any of src/a.py, tests/a.py"),
        );
        check(
            r#"{"path":"c.py","operation":"replace"}"#,
            Err("no such file"),
        );
        check(
            r#"{"path":"b.py","operation":"replace"}"#,
            Err("\"replace\", which was not offered for src/b.py"),
        );
        check(
            r#"{"operation":"create"}"#,
            Err("\"create\", which was not offered"),
        );
        let none = r#"{"operation":"none","reason":"unclear"}"#;
        check(none, Ok(none));
    }
    #[test]
    fn a_new_file_is_a_new_one() {
        let named = |path: &str| {
            let slots = Slots::parse(
                Operation::Create,
                &format!(r#"{{"path":"{path}","text":""}}"#),
            )
            .unwrap();
            named(
                slots,
                &SlotSpec::Create {
                    existing: vec!["a.py".to_owned()],
                    spelled: vec![],
                },
            )
        };
        assert!(matches!(named("./b//c.py"), Ok(Slots::Create(create)) if create.path == "b/c.py"));
        assert_eq!(
            named("./a.py"),
            Err(PickError::Exists {
                path: "a.py".to_owned()
            })
        );
    }
}
