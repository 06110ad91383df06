//! The files that a sentence mentions: paths anywhere in it, and the file or folder that it opens with.

/// The files that a sentence mentions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mentions {
    paths: Vec<String>,
    opening: Option<Opening>,
}

/// The file or folder that a sentence opens with: "In PATH, …", "In the file PATH: …", "PATH: …",
/// "In PATH and PATH, …".
///
/// A file that is mentioned anywhere else may only be mentioned ("read the port from settings.json").
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    path: String,
    /// Further paths after it, joined by commas or an "and".
    others: Vec<String>,
    /// Whether a comma, a colon or quotes separate it from the rest.
    is_marked: bool,
}

impl Mentions {
    /// Reads a sentence.
    pub fn of(sentence: &str) -> Mentions {
        Mentions {
            paths: paths_in(sentence),
            opening: opening(sentence),
        }
    }

    /// The words that may be paths, without quotes: those that have a dot or a slash.
    pub fn paths(&self) -> &[String] {
        &self.paths
    }

    /// The file or folder that the sentence opens with.
    pub fn opening(&self) -> Option<&Opening> {
        self.opening.as_ref()
    }
}

fn paths_in(sentence: &str) -> Vec<String> {
    let mut paths = Vec::new();
    for word in sentence.split(is_around_path) {
        let word = word.trim_end_matches(['.', ':', '!', '?']);
        let path = word.strip_prefix("./").unwrap_or(word);
        if path.contains(['.', '/']) {
            paths.push(path.to_owned());
        }
    }
    paths
}

fn is_around_path(c: char) -> bool {
    c.is_whitespace() || "`\"'()[]<>,;".contains(c)
}

fn opening(sentence: &str) -> Option<Opening> {
    let lower = sentence.to_ascii_lowercase();
    let mut openings = ["in the file ", "in file ", "in "].iter();
    let n_skipped = openings
        .find(|opening| lower.starts_with(**opening))
        .map_or(0, |opening| opening.len());
    let rest = sentence[n_skipped..].trim_start();
    let quote = rest.chars().next().filter(|c| "`\"'".contains(*c));
    let (path, after) = match quote {
        Some(quote) => rest[1..].split_once(quote)?,
        None => rest.split_at(rest.find([',', ' ', ';']).unwrap_or(rest.len())),
    };
    let has_colon = path.ends_with(':');
    let path = plain(path.strip_suffix(':').unwrap_or(path));
    let is_marked = quote.is_some() || has_colon || after.starts_with([',', ';', ':']);
    // A bare path is known by its colon. "In a function" is no file called `a`.
    let is_opening = if n_skipped > 0 {
        is_marked || path.contains(['.', '/'])
    } else {
        has_colon || (quote.is_some() && after.starts_with(':'))
    };
    (is_opening && !path.is_empty()).then(|| Opening {
        path: path.to_owned(),
        others: other_paths(after),
        is_marked,
    })
}

/// The paths that follow the first one, as long as commas or an "and" join them.
fn other_paths(mut rest: &str) -> Vec<String> {
    let mut paths = Vec::new();
    loop {
        let n_before = rest.len();
        for joint in [",", " and ", " & "] {
            rest = rest.strip_prefix(joint).unwrap_or(rest);
        }
        if rest.len() == n_before {
            return paths;
        }
        rest = rest.trim_start();
        let end = rest.find([',', ' ', ';']).unwrap_or(rest.len());
        let word = rest[..end].trim_end_matches(':');
        paths.push(plain(word.trim_matches(['`', '"', '\''])).to_owned());
        rest = &rest[end..];
    }
}

/// A path as a listing has it: `./src/a.py:12` is `src/a.py`.
fn plain(path: &str) -> &str {
    let path = path.strip_prefix("./").unwrap_or(path);
    match path.rsplit_once(':') {
        Some((path, line)) if line.bytes().all(|b| b.is_ascii_digit()) => path,
        _ => path,
    }
}

impl Opening {
    /// The path as the sentence has it.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Whether it is the path or the name of this file, or an absolute path that ends with its path.
    pub fn names(&self, path: &str) -> bool {
        is_path_of(&self.path, path)
    }

    /// The same, or whether one of the further paths is.
    pub fn names_or_also(&self, path: &str) -> bool {
        self.names(path) || self.others.iter().any(|other| is_path_of(other, path))
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
    /// ("In /help, …", ".close: …") and occurs in one of them. With the extension of a listed file it
    /// is a file nevertheless, since code names files that are gone.
    pub fn is_surely_a_file(
        &self,
        listed: &[String],
        mut texts: impl Iterator<Item = impl AsRef<str>>,
    ) -> bool {
        if !self.is_marked || self.path.contains(char::is_whitespace) {
            return false;
        }
        let own = extension(&self.path);
        if own.is_some() && listed.iter().any(|path| extension(path) == own) {
            return true;
        }
        let is_like_a_path = self.path.contains('/') || self.path.starts_with('.');
        is_like_a_path && !texts.any(|text| has_word(text.as_ref(), &self.path))
    }
}

fn extension(path: &str) -> Option<&str> {
    Some(path.rsplit_once('.')?.1)
}

/// Whether a path as a sentence has it is the path or the name of this file, or an absolute path that
/// ends with its path.
fn is_path_of(written: &str, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    written == path
        || written == name
        || (written.starts_with('/') && written.ends_with(&format!("/{path}")))
}

/// Whether a text has the path or the name of a file, as a whole word.
pub fn names_file(text: &str, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    has_word(text, path) || has_word(text, name)
}

/// A whole word that may have characters of paths in it: `-` extends it.
fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(extends_path) && !after.is_some_and(extends_path)
    })
}

fn extends_path(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_in_a_task() {
        let paths = paths_in("Put X=1 into .env, \"ci/.rc\" and ./a.b: not e.g. into (lib/c).");
        assert_eq!(paths, [".env", "ci/.rc", "a.b", "e.g", "lib/c"]);
    }

    #[test]
    fn folders_and_lines_that_a_task_opens_with() {
        let is_folder = |task: &str| opening(task).unwrap().is_folder_of("src/a.py");
        assert!(is_folder("In src/, rename x") && is_folder("In ./src/: rename x"));
        assert!(!is_folder("In src, rename x") && !is_folder("In sr/, rename x"));
        assert!(
            opening("In src/a.py:12, rename x")
                .unwrap()
                .names("src/a.py")
        );
    }

    #[test]
    fn files_that_a_task_opens_with() {
        let opens =
            |task: &str, path: &str| opening(task).is_some_and(|opening| opening.names(path));
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
            let opening = opening(task).unwrap();
            assert!(
                opening.names("b.py") && !opening.names("src/a.py"),
                "{task}"
            );
            assert!(opening.names_or_also("src/a.py"), "{task}");
        }
        for task in [
            "In b.py, read a.py",
            "In b.py, rename it and a.py",
            "In b.py and sea.py, x",
        ] {
            assert!(!opening(task).unwrap().names_or_also("src/a.py"), "{task}");
        }
    }

    #[test]
    fn files_that_are_not_there() {
        let listed = ["src/a.py".to_owned()];
        let texts = ["import b.py\nGET('/help/me') .close{} ./lib/xy"];
        let missing = |task: &str| {
            opening(task).is_some_and(|opening| opening.is_surely_a_file(&listed, texts.iter()))
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
