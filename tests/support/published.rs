//! The kinds of edit that the published evaluation of this design used (rename, number, string, a line above a
//! function, an import on top, async), in Swift as there and in Python, a language the bundled model has seen;
//! and what that model makes of each.

/// One task on a file, and the file as it should be afterwards.
pub struct Task {
    pub kind: &'static str,
    pub file: &'static str,
    pub before: &'static str,
    pub sentence: &'static str,
    pub wanted: String,
    pub expected: Expected,
}

/// What the bundled model comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    Right,
    /// An edit that is right, but that the model was unsure of: `--yes` refuses it.
    RightRefused,
    /// An edit that applies and is not what was asked for.
    Wrong,
    /// Likewise, and the model was unsure of it: `--yes` refuses it.
    WrongRefused,
    /// None, because it changes nothing.
    NoChange,
    /// The same, and the model was unsure of it.
    NoChangeRefused,
}

pub const SWIFT: &str = r#"import Foundation

let maxRetries = 3

func processItem(_ item: String) -> Bool {
    print("Processing item")
    return item.count > 0
}

func load(path: String) -> String {
    return path
}

func run(items: [String]) {
    for item in items {
        if !processItem(item) {
            print("failed")
        }
    }
}
"#;

pub const PYTHON: &str = r#"import os

MAX_RETRIES = 3


def process_item(item):
    print("Processing item")
    return len(item) > 0


def load(path):
    with open(path) as file:
        return file.read()
"#;

/// All of them. What goes wrong is marked with a FIXME: a model that gets better must say so here and in
/// README.md.
pub fn tasks() -> Vec<Task> {
    use Expected::*;
    let swift = |kind, sentence, (old, new): (&str, &str), expected| Task {
        kind,
        file: "sample.swift",
        before: SWIFT,
        sentence,
        wanted: SWIFT.replace(old, new),
        expected,
    };
    let python = |kind, sentence, (old, new): (&str, &str), expected| Task {
        kind,
        file: "tool.py",
        before: PYTHON,
        sentence,
        wanted: PYTHON.replace(old, new),
        expected,
    };
    vec![
        swift(
            "rename",
            "In sample.swift, rename the function processItem to handleItem everywhere.",
            ("processItem", "handleItem"),
            Right,
        ),
        swift("rename", "Rename processItem to handleItem", ("processItem", "handleItem"), Right),
        python("rename", "Rename the function process_item to handle_item everywhere", ("process_item", "handle_item"), Right),
        swift("number", "Change maxRetries from 3 to 5.", ("= 3", "= 5"), Right),
        swift("number", "Set maxRetries to 10", ("= 3", "= 10"), Right),
        python("number", "Change MAX_RETRIES from 3 to 5", ("= 3", "= 5"), Right),
        swift(
            "string",
            "Change the string \"Processing item\" to \"Handling item\".",
            ("Processing item", "Handling item"),
            Right,
        ),
        python("string", "Replace \"Processing item\" with \"Handling item\"", ("Processing item", "Handling item"), Right),
        // FIXME: in Swift it takes the wrong line, `return`.
        swift(
            "line above a function",
            "Add the comment // reads a file above the function load.",
            ("func load", "// reads a file\nfunc load"),
            WrongRefused,
        ),
        python(
            "line above a function",
            "Add the comment # reads a file above the function load",
            ("def load", "# reads a file\ndef load"),
            Right,
        ),
        // FIXME: it does not look for the first line, it takes a `return`.
        swift(
            "import at the top",
            "Add import UIKit at the top of the file.",
            ("import Foundation", "import UIKit\nimport Foundation"),
            WrongRefused,
        ),
        python("import at the top", "Add import sys at the top", ("import os", "import sys\nimport os"), WrongRefused),
        python("import at the top", "Add import sys after import os", ("import os\n", "import os\nimport sys\n"), Right),
        // FIXME: where Swift puts the word is a judgment that it has not learned.
        swift("async", "Make the function load async.", ("path: String) ->", "path: String) async ->"), NoChangeRefused),
        python("async", "Make load async", ("def load", "async def load"), Right),
    ]
}
