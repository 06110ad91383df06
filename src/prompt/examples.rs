//! The worked examples with which every conversation with an instruct model begins.
//!
//! A model that was never trained for slots learns them from examples, far better than from
//! instructions ("few-shot", Brown et al., 2020). Each example shows one thing that models got
//! wrong without it. They are from other files than those being edited, so that there is nothing
//! to copy, and they are the same for every task, so that they are read once.

use super::instruct::{self, Wording};
use super::question::{Question, Row};
use super::template::Turn;
use crate::edit::{EditSet, place};
use crate::slots::{Create, Operation, Pick, Reason, Slots};
use crate::text::{Shown, Text};

/// A task about a file, and both lines of the right answer.
struct Example {
    file: &'static File,
    task: &'static str,
    pick: &'static str,
    /// Empty for a declined task, and for a block to be rewritten, which is a question of its own.
    slots: &'static str,
}

/// A file, and the list that it is the first of.
struct File {
    path: &'static str,
    text: &'static str,
    others: &'static [&'static str],
}

static LOANS: File = File {
    path: "loans.py",
    text: "from datetime import timedelta\n\nLOAN_DAYS = 21\n\n\ndef due(start):\n    \
           return start + timedelta(days=LOAN_DAYS)\n\n\ndef late(loan, today):\n    \
           end = due(loan)\n    days = (today - end).days\n    \
           return max(days, 0)\n",
    others: &[],
};

static SEARCH: File = File {
    path: "web/search.js",
    text: "const app = require(\"express\")();\n\napp.get(\"/search\", async (req, res) => {\n  \
           const hits = await find(req.query);\n  res.json({ hits });\n});\n",
    others: &["package.json"],
};

static SETTINGS: File = File {
    path: "config/app.toml",
    text: "[server]\nport = 8080\ntimeout = 30\n\n[database]\ntimeout = 30\n",
    others: &[],
};

const REPLACE_LOANS: &str = r#"{"path":"loans.py","operation":"replace"}"#;
const REPLACE_SEARCH: &str = r#"{"path":"web/search.js","operation":"replace"}"#;
const INSERT_SEARCH: &str = r#"{"path":"web/search.js","operation":"insert"}"#;

/// The first line is copied without its indentation, as models do by themselves. A line that gets one
/// element more is replaced, else models insert it a second time. A model repeats what it saw last,
/// so the declined tasks are not at the end: with two of them there, Qwen2.5-Coder-0.5B declined 38
/// of 64 development tasks.
static EXAMPLES: &[Example] = &[
    Example {
        file: &LOANS,
        task: "books may be kept for four weeks",
        pick: REPLACE_LOANS,
        slots: r#"{"old":"LOAN_DAYS = 21","new":"LOAN_DAYS = 28"}"#,
    },
    Example {
        file: &LOANS,
        task: "rename due to due_date",
        pick: r#"{"path":"loans.py","operation":"rename"}"#,
        slots: r#"{"old":"due","new":"due_date"}"#,
    },
    Example {
        file: &LOANS,
        task: "import date as well",
        pick: REPLACE_LOANS,
        slots: concat!(
            r#"{"old":"from datetime import timedelta","#,
            r#""new":"from datetime import date, timedelta"}"#
        ),
    },
    Example {
        file: &LOANS,
        task: "print days before late returns",
        pick: r#"{"path":"loans.py","operation":"insert"}"#,
        slots: r#"{"position":"above","anchor":"return max(days, 0)","text":"print(days)"}"#,
    },
    Example {
        file: &SEARCH,
        task: "Log in with OAuth instead of passwords.",
        pick: r#"{"operation":"none","reason":"not_in_these_files"}"#,
        slots: "",
    },
    Example {
        file: &LOANS,
        task: "we don't need late() any more",
        pick: REPLACE_LOANS,
        slots: concat!(
            r#"{"old":"def late(loan, today):\n    end = due(loan)\n    days = (today - end).days\n"#,
            r#"    return max(days, 0)","new":""}"#
        ),
    },
    Example {
        file: &SETTINGS,
        task: "new file docs/setup.md with the heading Setup",
        pick: r#"{"operation":"create"}"#,
        slots: r##"{"path":"docs/setup.md","text":"# Setup\n"}"##,
    },
    Example {
        file: &SETTINGS,
        task: "the database has to answer within 10 seconds",
        pick: r#"{"path":"config/app.toml","operation":"replace"}"#,
        slots: r#"{"old":"timeout = 30","place":"database, line 6","new":"timeout = 10"}"#,
    },
    Example {
        file: &SETTINGS,
        task: "set it to what we discussed",
        pick: r#"{"operation":"none","reason":"unclear"}"#,
        slots: "",
    },
    Example {
        file: &SEARCH,
        task: "the route is /find now",
        pick: REPLACE_SEARCH,
        slots: concat!(
            r#"{"old":"app.get(\"/search\", async (req, res) => {","#,
            r#""new":"app.get(\"/find\", async (req, res) => {"}"#
        ),
    },
    Example {
        file: &LOANS,
        task: "late() has to leave out Sundays, and log each day that it counts",
        pick: r#"{"path":"loans.py","operation":"rewrite"}"#,
        slots: "",
    },
    Example {
        file: &SEARCH,
        task: "Add body-parser below express.",
        pick: INSERT_SEARCH,
        slots: concat!(
            r#"{"position":"below","anchor":"const app = require(\"express\")();","#,
            r#""text":"const bodyParser = require(\"body-parser\");"}"#
        ),
    },
    Example {
        file: &SEARCH,
        task: "find needs a limit of 50 as its second argument",
        pick: REPLACE_SEARCH,
        slots: concat!(
            r#"{"old":"const hits = await find(req.query);","#,
            r#""new":"const hits = await find(req.query, 50);"}"#
        ),
    },
    Example {
        file: &SEARCH,
        task: "answer with 404 if nothing was found",
        pick: INSERT_SEARCH,
        slots: concat!(
            r#"{"position":"below","anchor":"const hits = await find(req.query);","#,
            r#""text":"if (hits.length === 0) {\n  return res.sendStatus(404);\n}"}"#
        ),
    },
    Example {
        file: &SEARCH,
        task: "send the number of hits too",
        pick: REPLACE_SEARCH,
        slots: concat!(
            r#"{"old":"res.json({ hits });","#,
            r#""new":"res.json({ hits, count: hits.length });"}"#
        ),
    },
];

impl Example {
    fn question(&self) -> String {
        let File {
            path, text, others, ..
        } = *self.file;
        let mut rows = Vec::new();
        for path in std::iter::once(&path).chain(others) {
            rows.push(Row {
                path: (*path).to_owned(),
                words: Vec::new(),
            });
        }
        instruct::question(&Question {
            task: self.task,
            rows: &rows,
            file: Some((path, &Shown::whole(text))),
            so_far: &[],
        })
    }
}

/// A worked example, for a model that is asked for another format of edits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkedExample {
    /// The user's message.
    pub question: String,
    /// What is to be done.
    pub edit: WorkedEdit,
}

/// What the right answer to a [`WorkedExample`] does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkedEdit {
    /// Changes a file.
    Change {
        /// Relative to the root.
        path: &'static str,
        /// The file's text.
        before: &'static str,
        /// Its text afterwards.
        after: String,
    },
    /// Makes a new file.
    Create {
        /// Relative to the root.
        path: String,
        /// Its text.
        text: String,
    },
    /// Changes nothing.
    Declined(Reason),
}

/// The worked examples, without the format of our own answers.
pub fn worked_examples() -> Vec<WorkedExample> {
    let mut worked = Vec::new();
    for example in EXAMPLES {
        let edit = match example.answer() {
            Answer::Rewrite => continue,
            Answer::Declined(reason) => WorkedEdit::Declined(reason),
            Answer::Edit(_, Slots::Create(Create { path, text })) => {
                WorkedEdit::Create { path, text }
            }
            Answer::Edit(_, slots) => WorkedEdit::Change {
                path: example.file.path,
                before: example.file.text,
                after: example.after(&slots),
            },
        };
        worked.push(WorkedExample {
            question: example.question(),
            edit,
        });
    }
    worked
}

/// The answer to an example, parsed.
enum Answer {
    Edit(Pick, Slots),
    Rewrite,
    Declined(Reason),
}

/// Why parsing an example cannot fail.
const TESTED: &str = "a test makes the edit of every example";

impl Example {
    fn answer(&self) -> Answer {
        let pick: Pick = serde_json::from_str(self.pick).expect(TESTED);
        let operation = match &pick {
            Pick::File(pick) => pick.operation,
            Pick::Create(_) => Operation::Create,
            Pick::None(pick) => return Answer::Declined(pick.reason),
        };
        if operation == Operation::Rewrite {
            return Answer::Rewrite;
        }
        Answer::Edit(pick, Slots::parse(operation, self.slots).expect(TESTED))
    }

    /// The file's text after the edit.
    fn after(&self, slots: &Slots) -> String {
        let File { path, text, .. } = *self.file;
        let before = Text::decode(text.as_bytes().to_vec()).expect(TESTED);
        let edit = place(slots, &Shown::whole(text))
            .expect(TESTED)
            .expect(TESTED);
        let after = EditSet::of(&edit, path, &before)
            .expect(TESTED)
            .apply(&before);
        String::from_utf8(after.expect(TESTED)).expect(TESTED)
    }

    /// Both lines of the answer, in the words of a JSON Schema. The second is empty for a declined
    /// task.
    fn in_schema_words(&self) -> (String, String) {
        // Serialized, each thing has its first word.
        let (pick, slots) = match self.answer() {
            Answer::Declined(_) | Answer::Rewrite => return (self.pick.to_owned(), String::new()),
            Answer::Edit(pick, slots) => (pick, slots),
        };
        let pick = serde_json::to_string(&pick).expect("a pick is plain data");
        let slots = serde_json::to_string(&slots).expect("slots are plain data");
        (pick, slots)
    }
}

/// The examples as earlier turns of the conversation. With `continues_answers` both lines of an
/// answer are one message; otherwise they answer two questions. A trained model needs none.
pub(super) fn turns(continues_answers: bool, wording: Wording) -> Vec<Turn> {
    let mut turns = Vec::new();
    if wording == Wording::Trained {
        return turns;
    }
    for example in EXAMPLES {
        let (pick, slots) = if wording == Wording::Schema {
            example.in_schema_words()
        } else {
            (example.pick.to_owned(), example.slots.to_owned())
        };
        let user = example.question();
        if continues_answers && !slots.is_empty() {
            let answer = format!("{pick}\n{slots}");
            turns.push(Turn { user, answer });
            continue;
        }
        turns.push(Turn { user, answer: pick });
        if !slots.is_empty() {
            turns.push(Turn {
                user: instruct::second_question(example.task),
                answer: slots,
            });
        }
    }
    turns
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constrain::{Constraint, NoEdit, PickFile, SlotSpec, SlotStyle};

    const NATURAL: SlotStyle = SlotStyle {
        blocks: false,
        side_first: true,
    };

    #[test]
    fn the_examples_are_answers_that_apply() {
        let mut operations = Vec::new();
        for Example {
            file,
            task,
            pick,
            slots,
        } in EXAMPLES
        {
            let shown = Shown::whole(file.text);
            let files = std::iter::once(&file.path).chain(file.others);
            let files = files.map(|path| PickFile {
                path: (*path).to_owned(),
                operations: Operation::possible_in(file.text),
            });
            let spec = SlotSpec::Pick {
                files: files.collect(),
                may_create: true,
                goes_on: true,
                no_edit: NoEdit::ForAnyReason,
            };
            let is_declined = pick.contains("none");
            let answer = if is_declined {
                (*pick).to_owned()
            } else {
                format!("{pick}\n")
            };
            assert!(Constraint::new(&spec).accepts(answer.as_bytes()), "{task}");
            let operation = match serde_json::from_str(pick).unwrap() {
                Pick::File(pick) => pick.operation,
                Pick::Create(_) => Operation::Create,
                Pick::None(_) => {
                    assert_eq!(*slots, "");
                    continue;
                }
            };
            operations.push(operation);
            if operation == Operation::Rewrite {
                continue;
            }
            let spec = SlotSpec::of(operation, shown.clone(), Vec::new(), NATURAL);
            assert!(Constraint::new(&spec).accepts(slots.as_bytes()), "{task}");
            let text = Text::decode(file.text.as_bytes().to_vec()).unwrap();
            let edit = place(&Slots::parse(operation, slots).unwrap(), &shown)
                .unwrap()
                .unwrap();
            assert!(
                !EditSet::of(&edit, file.path, &text).unwrap().is_empty(),
                "{task}"
            );
        }
        for operation in Operation::ALL {
            assert!(
                operations.contains(&operation),
                "{operation:?} has an example"
            );
        }
    }

    #[test]
    fn in_the_words_of_a_schema_the_examples_are_the_same_edits() {
        for example in EXAMPLES {
            let (pick, slots) = example.in_schema_words();
            let words = [r#""rename""#, r#""above""#, r#""below""#];
            let both = format!("{pick}{slots}");
            assert!(!words.iter().any(|word| both.contains(word)), "{both}");
            let Answer::Edit(_, right) = example.answer() else {
                continue;
            };
            let operation = match serde_json::from_str(&pick).unwrap() {
                Pick::File(pick) => pick.operation,
                Pick::Create(_) | Pick::None(_) => continue,
            };
            let same = Slots::parse(operation, &slots).unwrap();
            assert_eq!(example.after(&same), example.after(&right), "{slots}");
        }
    }
}
