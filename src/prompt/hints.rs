//! The program's own search: which words of the task stand in a file, and how much a stretch of text
//! matters for a task. It is the cheapest help that a small model gets.

use std::collections::HashSet;

/// Words too common in tasks to say anything.
const COMMON: [&str; 35] = [
    "the",
    "line",
    "add",
    "change",
    "make",
    "use",
    "instead",
    "with",
    "and",
    "for",
    "from",
    "into",
    "remove",
    "delete",
    "insert",
    "put",
    "above",
    "below",
    "before",
    "after",
    "file",
    "function",
    "string",
    "replace",
    "rename",
    "comment",
    "everywhere",
    "should",
    "value",
    "number",
    "call",
    "name",
    "new",
    "text",
    "all",
];

/// A row shows this many.
const MAX_HINTS: usize = 4;

/// The words of a task that may stand in a file: identifiers of three characters or more and numbers of two
/// digits or more (ASCII), without common words, each once, in the order of the task.
pub fn task_words(task: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut seen = HashSet::new();
    let words = task.split(|c| !is_word(c)).flat_map(|run| {
        // "2x" is a number and a word, as it was for the model.
        let n_digits = run.len() - run.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        [&run[..n_digits], &run[n_digits..]]
    });
    words
        .filter(|w| if w.starts_with(|c: char| c.is_ascii_digit()) { w.len() >= 2 } else { w.len() >= 3 })
        .filter(|w| !COMMON.contains(&w.to_ascii_lowercase().as_str()))
        .filter(|w| seen.insert(*w))
        .collect()
}

/// Up to four words of a task that stand as whole words in a text, the longest first.
pub fn hints(words: &[&str], text: &str) -> Vec<String> {
    let mut found: Vec<&str> = words.iter().copied().filter(|word| stands_in(word, text)).collect();
    found.sort_by_key(|word| std::cmp::Reverse(word.len()));
    found.into_iter().take(MAX_HINTS).map(str::to_owned).collect()
}

/// How much a stretch of text matters: the letters of the task's words that stand in it.
pub fn score(words: &[&str], text: &str) -> usize {
    words.iter().filter(|word| stands_in(word, text)).map(|word| word.len()).sum()
}

/// Whether a task names a file: by its path or its name, as a whole.
pub fn names_file(task: &str, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    [path, name].iter().any(|wanted| {
        task.match_indices(wanted).any(|(at, _)| {
            let before = task[..at].chars().next_back();
            let after = task[at + wanted.len()..].chars().next();
            let extends = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
            !extends(before) && !extends(after)
        })
    })
}

/// Whether a task opens by naming the file it is about: "In PATH, …", "In the file PATH: …", "PATH: …". A
/// file named anywhere else may only be mentioned ("read the port from settings.json").
pub fn opens_with_file(task: &str, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let lower = task.to_ascii_lowercase();
    let skip = ["in the file ", "in file ", "in "].iter().find(|opening| lower.starts_with(*opening)).map_or(0, |o| o.len());
    let rest = task[skip..].trim_start_matches(['`', '"', '\'', ' ']);
    [path, name].iter().any(|named| {
        let after = rest.strip_prefix(named).map(|after| after.trim_start_matches(['`', '"', '\'']));
        // Behind "In PATH" anything but more of a name may follow; a bare path must be followed by a colon.
        after.is_some_and(|after| if skip > 0 { after.starts_with([',', ':', ' ', ';']) } else { after.starts_with(": ") })
    })
}

fn stands_in(word: &str, text: &str) -> bool {
    let is_word = |b: Option<&u8>| b.is_some_and(|&b| b.is_ascii_alphanumeric() || b == b'_');
    let bytes = text.as_bytes();
    text.match_indices(word)
        .any(|(at, _)| !is_word(at.checked_sub(1).and_then(|i| bytes.get(i))) && !is_word(bytes.get(at + word.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_task() {
        let words =
            task_words("Rename the function `processItem` to handle_2 everywhere, and set x to 42 or 7, then processItem");
        assert_eq!(words, ["processItem", "handle_2", "set", "42", "then"]);
    }

    #[test]
    fn hints_are_whole_words_longest_first() {
        let words = task_words("change max_retries from 10 to 25 in retry");
        assert_eq!(hints(&words, "max_retries = 10\nretry_all()\n"), ["max_retries", "10"]);
        assert_eq!(hints(&words, "max_retries2 = 100"), [""; 0]);
    }

    #[test]
    fn files_that_a_task_opens_with() {
        for task in ["In a.py, x", "in `src/a.py` x", "In the file \"a.py\": x", "a.py: x", "src/a.py: x"] {
            assert!(opens_with_file(task, "src/a.py"), "{task}");
        }
        for task in ["Read it from a.py", "In a.pyx, x", "a.py should x", "In the loader, read a.py", "In\u{e9} a.py"] {
            assert!(!opens_with_file(task, "src/a.py"), "{task}");
        }
    }

    #[test]
    fn files_named_in_a_task() {
        for task in ["In sample.swift, rename it", "edit src/sample.swift.", "`sample.swift`: x", "in /home/me/src/sample.swift"]
        {
            assert!(names_file(task, "src/sample.swift"), "{task}");
        }
        for task in ["In mysample.swift", "sample.swifty", "the sample"] {
            assert!(!names_file(task, "src/sample.swift"), "{task}");
        }
    }
}
