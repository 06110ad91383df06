//! The kinds of edit that the published evaluation of this design used (rename, number, string, a
//! line above a function, an import on top, async), in Swift as there, each in five wordings; and
//! in Python.

/// The file of the tasks in Swift, and of those in Python.
pub const IN_SWIFT: &str = "sample.swift";
pub const IN_PYTHON: &str = "tool.py";

/// One task on a file, and the file as it should be afterwards.
pub struct Task {
    pub kind: &'static str,
    pub file: &'static str,
    pub before: &'static str,
    pub sentence: &'static str,
    pub wanted: String,
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

/// A kind of edit: what becomes what in Swift, five sentences; the same in Python, one sentence.
type Kind = (
    &'static str,
    (&'static str, &'static str),
    [&'static str; 5],
    (&'static str, &'static str),
    &'static str,
);

const KINDS: [Kind; 6] = [
    (
        "rename",
        ("processItem", "handleItem"),
        [
            "In sample.swift, rename the function processItem to handleItem everywhere.",
            "Rename processItem to handleItem",
            "processItem should be called handleItem",
            "Please change the name of the function processItem to handleItem, \
             in all places where it is used.",
            "The function is called processItem, call it handleItem instead.",
        ],
        ("process_item", "handle_item"),
        "Rename the function process_item to handle_item everywhere",
    ),
    (
        "number",
        ("= 3", "= 5"),
        [
            "Change maxRetries from 3 to 5.",
            "Set maxRetries to 5",
            "maxRetries should be 5 instead of 3",
            "Please use 5 for maxRetries, not 3.",
            "Increase maxRetries to 5.",
        ],
        ("= 3", "= 5"),
        "Change MAX_RETRIES from 3 to 5",
    ),
    (
        "string",
        ("Processing item", "Handling item"),
        [
            "Change the string \"Processing item\" to \"Handling item\".",
            "Replace \"Processing item\" with \"Handling item\"",
            "It should print \"Handling item\" instead of \"Processing item\"",
            "The message \"Processing item\" should read \"Handling item\".",
            "print \"Handling item\" rather than \"Processing item\"",
        ],
        ("Processing item", "Handling item"),
        "Replace \"Processing item\" with \"Handling item\"",
    ),
    (
        "line above a function",
        ("func load", "// reads a file\nfunc load"),
        [
            "Add the comment // reads a file above the function load.",
            "Insert the line // reads a file before func load",
            "Put a comment above load: // reads a file",
            "Above load, add \"// reads a file\"",
            "The function load needs the comment // reads a file on the line before it.",
        ],
        ("def load", "# reads a file\ndef load"),
        "Add the comment # reads a file above the function load",
    ),
    (
        "import at the top",
        ("import Foundation", "import UIKit\nimport Foundation"),
        [
            "Add import UIKit at the top of the file.",
            "Insert import UIKit as the first line",
            "Add the line import UIKit before import Foundation",
            "import UIKit at the top, please",
            "We need import UIKit, put it at the very top.",
        ],
        ("import os", "import sys\nimport os"),
        "Add import sys at the top",
    ),
    (
        "async",
        ("path: String) ->", "path: String) async ->"),
        [
            "Make the function load async.",
            "Make load async",
            "load should be async",
            "Turn load into an async function",
            "Add async to the function load",
        ],
        ("def load", "async def load"),
        "Make load async",
    ),
];

/// All of them, those in Swift first.
pub fn tasks() -> Vec<Task> {
    let task = |kind, file, before: &'static str, sentence, (old, new): (&str, &str)| Task {
        kind,
        file,
        before,
        sentence,
        wanted: before.replace(old, new),
    };
    let swift = KINDS.into_iter().flat_map(|(kind, change, sentences, ..)| {
        sentences.map(|sentence| task(kind, IN_SWIFT, SWIFT, sentence, change))
    });
    let python = KINDS
        .into_iter()
        .map(|(kind, .., change, sentence)| task(kind, IN_PYTHON, PYTHON, sentence, change));
    swift.chain(python).collect()
}
