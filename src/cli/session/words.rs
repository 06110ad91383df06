//! What a line at the prompt means.

use crate::app::arguments::LinePlace;
use crate::app::talk;
use crate::failure::{Failure, FailureKind};
use crate::text::visible;
use crate::workspace::Workspace;

/// The commands: name, what follows it, and what it does.
pub(super) const COMMANDS: [(&str, &str, &str); 8] = [
    (
        "also",
        "WORDS",
        "change the edit that was shown last and not written, or add to it",
    ),
    (
        "more",
        "",
        "that edit is right, and one is missing: have the model go on",
    ),
    (
        "apply",
        "",
        "apply a patch that you paste; a line with a dot ends it",
    ),
    (
        "undo",
        "[N|list]",
        "take back what was written last; show what was written",
    ),
    (
        "file",
        "[PATH ...]",
        "only these files from now on; \".\" for all again",
    ),
    (
        "model",
        "[NAME]",
        "another model from now on; show what there is",
    ),
    ("help", "", "this help"),
    ("quit", "", "end (so does Ctrl-D)"),
];

/// A line at the prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line {
    Nothing,
    /// A sentence.
    Task(String),
    /// A command and what follows it.
    Command(&'static str, String),
    /// This is no command.
    Unknown(String),
    /// It asks for no edit, and is answered in words.
    Talk(&'static str),
}

impl Line {
    pub fn of(line: &str) -> Line {
        let line = line.trim();
        if line.is_empty() {
            return Line::Nothing;
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let Some(name) = word.strip_prefix('/').filter(|name| !name.contains('/')) else {
            // As in other programs with a prompt.
            match line {
                "exit" | "quit" => return Line::Command("quit", String::new()),
                "help" | "?" => return Line::Command("help", String::new()),
                _ => {}
            }
            return match talk::answer(line) {
                Some(answer) => Line::Talk(answer),
                None => Line::Task(line.to_owned()),
            };
        };
        let name = name.to_lowercase();
        match COMMANDS.iter().find(|(known, _, _)| *known == name) {
            Some((known, _, _)) => Line::Command(known, rest.trim().to_owned()),
            None => Line::Unknown(word.to_owned()),
        }
    }
}

/// The commands, a line each.
pub(super) fn help() -> String {
    let mut lines = String::new();
    for (name, follows, about) in COMMANDS {
        let usage = format!("/{name} {follows}");
        lines += &format!("  {usage:<18} {about}\n");
    }
    lines
}

/// A sentence, and the files that it names with an `@`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    /// With paths in the place of `@path`.
    pub sentence: String,
    /// Relative to the root.
    pub files: Vec<String>,
    /// The line of `@path:12`, if it is the only file.
    pub at: Option<LinePlace>,
    /// Words with an `@` that name no file. They stay in the sentence.
    pub others: Vec<String>,
}

impl Said {
    pub fn of(line: &str, workspace: &Workspace) -> Said {
        let mut said = Said::default();
        let mut rest = line;
        while let Some(at) = next_mention(rest) {
            let (before, mention) = (&rest[..at], &rest[at + 1..]);
            said.sentence += before;
            let n_taken = said.take(mention, workspace);
            rest = &mention[n_taken..];
        }
        said.sentence += rest;

        said.files.dedup();
        said.at = said.at.filter(|_| said.files.len() == 1);
        said
    }

    /// Adds what follows an `@`. Returns how many bytes of it were read.
    fn take(&mut self, mention: &str, workspace: &Workspace) -> usize {
        if let Some(quoted) = mention.strip_prefix('"')
            && let Some((path, _)) = quoted.split_once('"')
            && self.add(path, workspace)
        {
            return path.len() + 2;
        }
        let end = mention.find(char::is_whitespace).unwrap_or(mention.len());
        let word = &mention[..end];
        let bare = word.trim_end_matches(['.', ',', ':', ';', '!', '?', ')', '\'', '"', '`']);
        for path in [word, bare] {
            if self.add(path, workspace) {
                return path.len();
            }
        }

        self.sentence += &format!("@{word}");
        if !bare.is_empty() {
            self.others.push(format!("@{bare}"));
        }
        end
    }

    /// Adds a file, with its line or without. False if there is none.
    fn add(&mut self, named: &str, workspace: &Workspace) -> bool {
        let mut place = None;
        let found = match workspace.resolve_named(named) {
            Ok(path) => Some(path),
            Err(_) => match named.parse::<LinePlace>() {
                Ok(LinePlace { path, line }) => {
                    let path = workspace.resolve_named(&path).ok();
                    place = path.clone().map(|path| LinePlace { path, line });
                    path
                }
                Err(_) => None,
            },
        };
        let Some(path) = found else { return false };

        self.sentence += &path;
        self.at = self.at.take().or(place);
        self.files.push(path);
        true
    }

    /// A word that is meant as a file, and names none.
    ///
    /// # Errors
    /// If there is one.
    pub fn check_files(&self) -> Result<(), Failure> {
        let mut others = self.others.iter();
        match others.find(|word| word.contains(['.', '/'])) {
            Some(word) => {
                let message = format!("there is no file for {word}");
                let failure = Failure::new(FailureKind::Missing, message);
                Err(failure.hint("Tab after @ shows the files"))
            }
            None => Ok(()),
        }
    }

    /// Says which words name no file.
    pub fn remark(&self) -> Option<String> {
        if self.others.is_empty() {
            return None;
        }
        let words = visible(&self.others.join(", ")).into_owned();
        Some(format!(
            "there is no file for {words}; Tab after @ shows the files"
        ))
    }
}

/// Where the next `@` is that begins a word.
fn next_mention(text: &str) -> Option<usize> {
    let mut places = text.match_indices('@').map(|(at, _)| at);
    places.find(|at| {
        let before = text[..*at].chars().next_back();
        before.is_none_or(|c| c.is_whitespace() || "([`'\"".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_first_words() {
        assert_eq!(Line::of("  "), Line::Nothing);
        assert_eq!(Line::of(" Use 20 "), Line::Task("Use 20".to_owned()));
        assert_eq!(Line::of("/undo  3 "), Line::Command("undo", "3".to_owned()));
        assert_eq!(Line::of("/quit"), Line::Command("quit", String::new()));
        assert_eq!(Line::of("/undu 3"), Line::Unknown("/undu".to_owned()));
        assert_eq!(Line::of("exit"), Line::Command("quit", String::new()));
        assert!(matches!(Line::of("y"), Line::Talk(_)));
        assert_eq!(Line::of("/QUIT"), Line::Command("quit", String::new()));
        assert!(matches!(Line::of("What does f do?"), Line::Talk(_)));
        let path = "/etc/hosts is named in a.py: take it out";
        assert_eq!(Line::of(path), Line::Task(path.to_owned()));
    }

    #[test]
    fn mentions_are_files() {
        let dir = tempfile::tempdir().unwrap();
        for path in ["a.py", "my tool.py"] {
            std::fs::write(dir.path().join(path), "x = 1\n").unwrap();
        }
        let workspace = Workspace::open(dir.path()).unwrap();
        let said = |line: &str| Said::of(line, &workspace);

        let one = said("In @a.py, rename x to y");
        assert_eq!(one.sentence, "In a.py, rename x to y");
        assert_eq!((one.files, one.at), (vec!["a.py".to_owned()], None));

        let placed = said("Log it here (@a.py:1).");
        assert_eq!(placed.sentence, "Log it here (a.py).");
        assert_eq!(placed.at.unwrap().line, 1);

        let two = said("Move x of @a.py:1 to @\"my tool.py\"!");
        assert_eq!(two.sentence, "Move x of a.py to my tool.py!");
        assert_eq!(two.files.len(), 2);
        assert_eq!(two.at, None);

        let none = said("Put @property above x, mail me@a.py, @\"b");
        assert_eq!(none.sentence, "Put @property above x, mail me@a.py, @\"b");
        assert_eq!(none.files, [""; 0]);
        assert_eq!(none.others, ["@property", "@\"b"]);
    }
}
