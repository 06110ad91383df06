//! Files that a task names: a path anywhere in the sentence, or the file that it opens with.

use super::terms::Terms;
use crate::text::Text;

/// Whether a task has the path or the name of a file, as a whole word.
pub fn names_file(task: &str, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    [path, name].iter().any(|wanted| has_path(task, wanted))
}

/// Whether a text has a path that is not part of a longer one.
fn has_path(text: &str, path: &str) -> bool {
    text.match_indices(path).any(|(at, _)| {
        !text[..at].ends_with(is_of_name) && !text[at + path.len()..].starts_with(is_of_name)
    })
}

/// Whether a character goes on with the name of a file.
fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-')
}

/// Whether a task names a file and has no term of this text of it: it may mean the file itself.
pub fn names_nothing_of(task: &str, path: &str, text: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    if !paths_in(task).any(|named| named == path || named == name) {
        return false;
    }
    let others = task.replace(path, " ").replace(name, " ");
    Terms::of(&others).counts(text).terms().next().is_none()
}

/// The words of a task that may be paths, without quotes: those that have a dot or a slash.
pub fn paths_in(task: &str) -> impl Iterator<Item = &str> {
    task.split(|c: char| c.is_whitespace() || "`\"'()[]<>,;".contains(c))
        .map(|word| word.trim_end_matches(['.', ':', '!', '?']))
        .map(|word| word.strip_prefix("./").unwrap_or(word))
        .filter(|word| word.contains(['.', '/']))
}

/// The file that a task opens with: "In PATH, …", "In the file PATH: …", "PATH: …", "In PATH and
/// PATH, …".
///
/// A file named anywhere else may only be mentioned ("read the port from settings.json").
pub fn opening_file(task: &str) -> Option<OpeningFile<'_>> {
    let lower = task.to_ascii_lowercase();
    let skip = ["in the file ", "in file ", "in "]
        .iter()
        .find(|opening| lower.starts_with(*opening))
        .map_or(0, |o| o.len());
    let rest = task[skip..].trim_start();
    let first = rest.chars().next();
    let quote = first.filter(|c| matches!(c, '`' | '"' | '\''));
    let (path, after) = match quote {
        Some(quote) => rest[1..].split_once(quote)?,
        None => rest.split_at(rest.find([',', ' ', ';']).unwrap_or(rest.len())),
    };
    let colon = path.ends_with(':');
    let path = path.strip_suffix(':').unwrap_or(path);

    let is_marked = quote.is_some() || colon || after.starts_with([',', ';', ':']);
    // A bare path is known by its colon. "In a function" is no file called `a`.
    let is_opening = if skip > 0 {
        is_marked || path.contains(['.', '/'])
    } else {
        colon || (quote.is_some() && after.starts_with(':'))
    };
    let path = plain(path);
    (is_opening && !path.is_empty()).then_some(OpeningFile {
        path,
        is_marked,
        after,
    })
}

/// A path as a listing has it: `./src/a.py:12` is `src/a.py`.
fn plain(path: &str) -> &str {
    let path = path.strip_prefix("./").unwrap_or(path);
    match path.rsplit_once(':') {
        Some((path, line)) if line.bytes().all(|b| b.is_ascii_digit()) => path,
        _ => path,
    }
}

/// Whether a path as a task has it is the path or the name of this file, or an absolute path that
/// ends with its path.
fn is_path_of(written: &str, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    written == path
        || written == name
        || (written.starts_with('/') && written.ends_with(&format!("/{path}")))
}

/// See [`opening_file`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpeningFile<'t> {
    /// As the task has it.
    pub path: &'t str,
    /// Whether a comma, a colon or quotes separate it from the rest.
    is_marked: bool,
    /// What follows it, perhaps with more files.
    after: &'t str,
}

impl OpeningFile<'_> {
    /// Whether it is the path or the name of this file, or an absolute path that ends with its
    /// path.
    pub fn names(&self, path: &str) -> bool {
        is_path_of(self.path, path)
    }

    /// Whether this file is named behind it, joined by commas or an "and".
    pub fn also_names(&self, path: &str) -> bool {
        let mut rest = self.after;
        loop {
            let start = rest;
            for joint in [",", " and ", " & "] {
                rest = rest.strip_prefix(joint).unwrap_or(rest);
            }
            if rest.len() == start.len() {
                return false;
            }
            rest = rest.trim_start();
            let end = rest.find([',', ' ', ';']).unwrap_or(rest.len());
            let word = rest[..end].trim_end_matches(':');
            if is_path_of(plain(word.trim_matches(['`', '"', '\''])), path) {
                return true;
            }
            rest = &rest[end..];
        }
    }

    /// Whether it is a folder with this file in it. A word without a slash may be anything.
    pub fn is_folder_of(&self, path: &str) -> bool {
        let folder = self.path.trim_end_matches('/');
        self.path.contains('/')
            && !folder.is_empty()
            && path
                .strip_prefix(folder)
                .is_some_and(|rest| rest.starts_with('/'))
    }

    /// Whether it can hardly be anything but a file, listed or not: it is separated from the rest,
    /// and it has a slash, begins with a dot, or has the extension of some listed file.
    ///
    /// `texts` are those of the listed files. A route, a selector or a target looks like a path too
    /// ("In /help, …", ".close: …") and occurs in one of them. With the extension of a listed file
    /// it is a file nevertheless, since code names files that are gone.
    pub fn is_surely_a_file(
        &self,
        listed: &[String],
        mut texts: impl Iterator<Item = Text>,
    ) -> bool {
        if !self.is_marked || self.path.contains(char::is_whitespace) {
            return false;
        }
        let extension = extension_of(self.path);
        if extension.is_some() && listed.iter().any(|path| extension_of(path) == extension) {
            return true;
        }
        let is_like_a_path = self.path.contains('/') || self.path.starts_with('.');
        is_like_a_path && !texts.any(|text| has_path(text.shown(), self.path))
    }
}

fn extension_of(path: &str) -> Option<&str> {
    Some(path.rsplit_once('.')?.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_alone_or_something_in_it() {
        let text = "Milk\nBread of the day\n";
        for task in [
            "delete the file notes/old.txt",
            "Please remove `old.txt`.",
            "lösche old.txt",
        ] {
            assert!(names_nothing_of(task, "notes/old.txt", text), "{task}");
        }
        for task in [
            "take Milk off old.txt",
            "In old.txt, remove the breads",
            "delete new.txt",
            "delete it",
        ] {
            assert!(!names_nothing_of(task, "notes/old.txt", text), "{task}");
        }
    }

    #[test]
    fn paths_are_found_in_a_task() {
        let paths: Vec<&str> =
            paths_in("Put X=1 into .env, \"ci/.rc\" and ./a.b: not e.g. into (lib/c).").collect();
        assert_eq!(paths, [".env", "ci/.rc", "a.b", "e.g", "lib/c"]);
    }

    #[test]
    fn folders_and_lines_that_a_task_opens_with() {
        let is_folder = |task: &str| opening_file(task).unwrap().is_folder_of("src/a.py");
        assert!(is_folder("In src/, rename x") && is_folder("In ./src/: rename x"));
        assert!(!is_folder("In src, rename x") && !is_folder("In sr/, rename x"));
        assert!(
            opening_file("In src/a.py:12, rename x")
                .unwrap()
                .names("src/a.py")
        );
    }

    #[test]
    fn files_that_a_task_opens_with() {
        let opens =
            |task: &str, path: &str| opening_file(task).is_some_and(|opening| opening.names(path));
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
        for task in [
            "Read it from a.py",
            "In a.pyx, x",
            "a.py should x",
            "In the loader, read a.py",
            "In\u{e9} a.py",
            "`a.py",
        ] {
            assert!(!opens(task, "src/a.py"), "{task}");
        }
        assert!(!opens("In a function, x", "a") && !opens("In test mode do x", "test"));
    }

    #[test]
    fn several_files_that_a_task_opens_with() {
        for task in [
            "In b.py and a.py, x",
            "In b.py & src/a.py x",
            "In `b.py` and `a.py`: x",
            "In b.py, c.py, and a.py: x",
            "in b.py, c.py and ./src/a.py x",
        ] {
            let opening = opening_file(task).unwrap();
            assert!(
                opening.names("b.py") && !opening.names("src/a.py"),
                "{task}"
            );
            assert!(opening.also_names("src/a.py"), "{task}");
        }
        for task in [
            "In b.py, read a.py",
            "In b.py, rename it and a.py",
            "In b.py and sea.py, x",
        ] {
            assert!(
                !opening_file(task).unwrap().also_names("src/a.py"),
                "{task}"
            );
        }
    }

    #[test]
    fn files_that_are_not_there() {
        let listed = ["src/a.py".to_owned()];
        let text = "import b.py\nGET('/help/me') .close{} ./lib/xy";
        let texts = [Text::decode(text.into()).unwrap()];
        let missing = |task: &str| {
            opening_file(task)
                .is_some_and(|opening| opening.is_surely_a_file(&listed, texts.iter().cloned()))
        };
        for task in [
            "In b.py, x",
            "In .env, x",
            "lib/x: do",
            "In `src/b.rs` x",
            "In /helper, x",
        ] {
            assert!(missing(task), "{task}");
        }
        for task in [
            "In Python 3.11, x",
            "In v2.0, x",
            "In app.config.load, x",
            "In main(), x",
            "Fix: x",
            "In b.py x",
            "In /help, x",
            "In `/help/me`, x",
            ".close: x",
        ] {
            assert!(!missing(task), "{task}");
        }
    }

    #[test]
    fn files_named_in_a_task() {
        for task in [
            "In sample.swift, rename it",
            "edit src/sample.swift.",
            "`sample.swift`: x",
            "in /home/me/src/sample.swift",
        ] {
            assert!(names_file(task, "src/sample.swift"), "{task}");
        }
        for task in ["In mysample.swift", "sample.swifty", "the sample"] {
            assert!(!names_file(task, "src/sample.swift"), "{task}");
        }
    }
}
