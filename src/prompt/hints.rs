//! The program's own search: which words of the task stand in a file, and which file the task names. It is the
//! cheapest help that a small model gets.

use memchr::memmem::Finder;
use std::collections::HashSet;

/// Words too common in tasks to say anything; sorted.
#[rustfmt::skip]
const COMMON: [&str; 177] = [
    "a", "about", "above", "add", "added", "after", "again", "all", "also", "and", "any", "anything", "are", "back", "because",
    "been", "before", "below", "but", "call", "called", "can", "change", "changed", "code", "comment", "could", "current",
    "delete", "did", "does", "done", "down", "each", "else", "end", "ever", "every", "everything", "everywhere", "file", "find",
    "first", "fix", "for", "from", "function", "get", "gets", "give", "given", "goes", "going", "had", "has", "have", "here",
    "how", "insert", "instead", "into", "its", "just", "keep", "last", "leave", "let", "like", "line", "lines", "little",
    "long", "look", "made", "make", "many", "may", "mean", "more", "most", "move", "must", "name", "need", "needs", "never",
    "new", "next", "not", "nothing", "now", "number", "off", "once", "one", "only", "other", "our", "out", "over", "own",
    "part", "piece", "place", "please", "put", "really", "remove", "rename", "replace", "right", "said", "same", "say", "says",
    "see", "set", "should", "show", "simply", "small", "some", "something", "still", "string", "take", "text", "than", "thanks",
    "that", "the", "their", "them", "then", "there", "these", "they", "thing", "think", "this", "those", "time", "too", "turn",
    "two", "under", "until", "update", "use", "used", "uses", "using", "value", "very", "want", "wants", "was", "way", "well",
    "were", "what", "when", "where", "which", "while", "who", "why", "will", "with", "without", "word", "work", "works",
    "would", "wrong", "you", "your",
];

/// A row shows this many.
const MAX_HINTS: usize = 4;

/// A word of a task, ready to be looked for.
pub struct Word<'t> {
    /// As the task has it.
    pub text: &'t str,
    /// In lower case and in the singular: what every text has that has it in any form.
    part: String,
    finder: Finder<'static>,
}

impl<'t> Word<'t> {
    fn new(text: &'t str) -> Word<'t> {
        let mut part = text.to_ascii_lowercase();
        if part.len() > SHORTEST_PART && part.ends_with('s') {
            part.pop();
        }
        let finder = Finder::new(&part).into_owned();
        Word { text, part, finder }
    }
}

/// Whether a word is too common in tasks to say anything.
pub fn is_common(word: &str) -> bool {
    COMMON.binary_search(&word.to_ascii_lowercase().as_str()).is_ok()
}

/// The words of a task that may stand in a file: identifiers of three characters or more and numbers of two
/// digits or more (ASCII), without common words, each once, in the order of the task.
pub fn task_words(task: &str) -> Vec<Word<'_>> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut seen = HashSet::new();
    let words = task.split(|c| !is_word(c)).flat_map(|run| {
        // "2x" is a number and a word, as it was for the model.
        let n_digits = run.len() - run.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        [&run[..n_digits], &run[n_digits..]]
    });
    words
        .filter(|w| if w.starts_with(|c: char| c.is_ascii_digit()) { w.len() >= 2 } else { w.len() >= 3 })
        .filter(|w| !is_common(w))
        .filter(|w| seen.insert(*w))
        .map(Word::new)
        .collect()
}

/// A text to be searched for the words of a task.
pub struct Searched<'t> {
    text: &'t str,
    lower: String,
}

impl<'t> Searched<'t> {
    /// Linear in the text.
    pub fn new(text: &'t str) -> Searched<'t> {
        Searched { text, lower: text.to_ascii_lowercase() }
    }

    /// Up to four words of a task that stand in the text: first those that stand as whole words, then those that
    /// are a part of a name (`retry` of `MAX_RETRY`, `timeouts` of `readTimeout`); of each kind the longest first.
    pub fn hints(&self, words: &[Word]) -> Vec<String> {
        let mut found: Vec<(bool, &str)> = words.iter().filter_map(|word| Some((self.finds(word)?, word.text))).collect();
        found.sort_by_key(|(is_whole, word)| std::cmp::Reverse((*is_whole, word.len())));
        found.into_iter().take(MAX_HINTS).map(|(_, word)| word.to_owned()).collect()
    }

    /// How much the text matters: the letters of the task's words that stand in it, twice those of whole words.
    pub fn score(&self, words: &[Word]) -> usize {
        let weight = |word: &Word| self.finds(word).map_or(0, |is_whole| word.text.len() * if is_whole { 2 } else { 1 });
        words.iter().map(weight).sum()
    }

    /// Whether a word stands here, and whether as a whole word.
    fn finds(&self, word: &Word) -> Option<bool> {
        // Mostly it does not, and this is fast.
        let first = word.finder.find(self.lower.as_bytes())?;
        if stands_in(word.text, &self.text[floor(self.text, first)..]) {
            return Some(true);
        }
        self.has_part(&word.part, first).then_some(false)
    }

    /// Whether a name has this word as a part, which begins where a part begins: in any case, singular or plural. `first`
    /// is where it stands first.
    fn has_part(&self, part: &str, first: usize) -> bool {
        if part.len() < SHORTEST_PART || !part.bytes().all(|b| b.is_ascii_alphabetic()) {
            return false;
        }
        let bytes = self.text.as_bytes();
        let mut places = self.lower[first..].match_indices(part).map(|(at, _)| at + first);
        places.any(|at| {
            let before = at.checked_sub(1).map(|i| bytes[i]);
            before.is_none_or(|b| !b.is_ascii_alphabetic())
                || (bytes[at].is_ascii_uppercase() && before.is_some_and(|b| b.is_ascii_lowercase()))
        })
    }
}

/// The beginning of the character before this place, or of the text: what stands there decides whether a word is whole.
fn floor(text: &str, at: usize) -> usize {
    (0..at).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0)
}

/// A part of a name that says something.
const SHORTEST_PART: usize = 4;

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

/// The words of a task that may be paths, as somebody types them: they have a dot or a slash, and no quotes around them.
pub fn paths_in(task: &str) -> impl Iterator<Item = &str> {
    let is_around = |c: char| c.is_whitespace() || matches!(c, '`' | '"' | '\'' | '(' | ')' | '[' | ']' | '<' | '>' | ',' | ';');
    task.split(is_around)
        .map(|word| word.trim_end_matches(['.', ':', '!', '?']))
        .map(|word| word.strip_prefix("./").unwrap_or(word))
        .filter(|word| word.contains(['.', '/']))
}

/// The file that a task opens with: "In PATH, …", "In the file PATH: …", "PATH: …". A file named anywhere
/// else may only be mentioned ("read the port from settings.json").
pub fn opening_file(task: &str) -> Option<OpeningFile<'_>> {
    let lower = task.to_ascii_lowercase();
    let skip = ["in the file ", "in file ", "in "].iter().find(|opening| lower.starts_with(*opening)).map_or(0, |o| o.len());
    let rest = task[skip..].trim_start();
    let quote = rest.chars().next().filter(|c| matches!(c, '`' | '"' | '\''));
    let (path, after) = match quote {
        Some(quote) => rest[1..].split_once(quote)?,
        None => rest.split_at(rest.find([',', ' ', ';']).unwrap_or(rest.len())),
    };
    let (path, colon) = path.strip_suffix(':').map_or((path, false), |path| (path, true));
    let is_marked = quote.is_some() || colon || after.starts_with([',', ';', ':']);
    // A bare path is only known by its colon; "In a function" is no file called `a`.
    let is_opening =
        if skip > 0 { is_marked || path.contains(['.', '/']) } else { colon || (quote.is_some() && after.starts_with(':')) };
    let path = path.strip_prefix("./").unwrap_or(path);
    (is_opening && !path.is_empty()).then_some(OpeningFile { path, is_marked })
}

/// See [`opening_file`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpeningFile<'t> {
    /// As the task has it.
    pub path: &'t str,
    /// Whether a comma, a colon or quotes set it off.
    is_marked: bool,
}

impl OpeningFile<'_> {
    /// Whether it means this file: its path, or its name; or the path's end, as an absolute path has it.
    pub fn names(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        self.path == path || self.path == name || (self.path.starts_with('/') && self.path.ends_with(&format!("/{path}")))
    }

    /// Whether it can hardly be anything but a file, listed or not: it is set off, and has a slash, begins
    /// with a dot, or ends as some listed file does.
    pub fn is_surely_a_file(&self, listed: &[String]) -> bool {
        let extension = |path: &str| path.rsplit_once('.').map(|(_, extension)| extension.to_owned());
        let known = || extension(self.path).is_some_and(|e| listed.iter().any(|path| extension(path).as_ref() == Some(&e)));
        self.is_marked
            && !self.path.contains(char::is_whitespace)
            && (self.path.contains('/') || self.path.starts_with('.') || known())
    }
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
    fn paths_are_found_in_a_task() {
        let paths: Vec<&str> = paths_in("Put X=1 into .env, \"ci/.rc\" and ./a.b: not e.g. into (lib/c).").collect();
        assert_eq!(paths, [".env", "ci/.rc", "a.b", "e.g", "lib/c"]);
    }

    #[test]
    fn words_of_a_task() {
        let words =
            task_words("Rename the function `processItem` to handle_2 everywhere, and set x to 42 or 7, then processItem");
        assert_eq!(words.iter().map(|word| word.text).collect::<Vec<_>>(), ["processItem", "handle_2", "42"]);
    }

    #[test]
    fn hints_are_whole_words_longest_first() {
        let words = task_words("change max_retries from 10 to 25 in retry");
        let hints = |text: &str| Searched::new(text).hints(&words);
        assert_eq!(hints("max_retries = 10\nretry_all()\n"), ["max_retries", "10", "retry"]);
        assert_eq!(hints("max_retries2 = 100"), [""; 0]);
    }

    #[test]
    fn hints_are_parts_of_names_too() {
        let words = task_words("raise the timeouts of the HTTP retry");
        let hints = |text: &str| Searched::new(text).hints(&words);
        assert_eq!(hints("readTimeout = 1"), ["timeouts"]);
        assert_eq!(hints("MAX_RETRY: 1 // http"), ["retry", "HTTP"]);
        assert_eq!(hints("untimeout() + sentry"), [""; 0], "only where a part begins");
    }

    #[test]
    fn common_words_are_sorted() {
        assert!(COMMON.is_sorted());
    }

    #[test]
    fn files_that_a_task_opens_with() {
        let opens = |task: &str, path: &str| opening_file(task).is_some_and(|opening| opening.names(path));
        for task in [
            "In a.py, x",
            "in `src/a.py` x",
            "In the file \"a.py\": x",
            "a.py: x",
            "src/a.py: x",
            "In ./src/a.py, x",
            "in /home/me/src/a.py x",
        ] {
            assert!(opens(task, "src/a.py"), "{task}");
        }
        assert!(opens("In Makefile, x", "Makefile") && opens("In `a`, x", "a"));
        for task in ["Read it from a.py", "In a.pyx, x", "a.py should x", "In the loader, read a.py", "In\u{e9} a.py", "`a.py"] {
            assert!(!opens(task, "src/a.py"), "{task}");
        }
        assert!(!opens("In a function, x", "a") && !opens("In test mode do x", "test"));
    }

    #[test]
    fn files_that_are_not_there() {
        let listed = ["src/a.py".to_owned()];
        let missing = |task: &str| opening_file(task).is_some_and(|opening| opening.is_surely_a_file(&listed));
        for task in ["In b.py, x", "In .env, x", "lib/x: do", "In `src/b.rs` x"] {
            assert!(missing(task), "{task}");
        }
        for task in ["In Python 3.11, x", "In v2.0, x", "In app.config.load, x", "In main(), x", "Fix: x", "In b.py x"] {
            assert!(!missing(task), "{task}");
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
