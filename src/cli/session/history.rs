//! The lines that were typed at the prompt, kept from session to session.
//!
//! One JSON string a line, the newest last, in a file beside the journal that only its owner may read.

use crate::app::folders;
use crate::workspace::private_folder::make_private_folder;
use std::io::{self, Write};
use std::path::PathBuf;

/// Lines that are kept.
const MOST_LINES: usize = 1_000;

/// A longer line is not kept: it is a patch or a mistake.
const LONGEST: usize = 4_096;

/// The file.
pub(super) struct History {
    path: PathBuf,
}

impl History {
    pub fn of_person() -> History {
        History {
            path: folders::history(),
        }
    }

    /// The lines, the oldest first. What cannot be read is left out.
    pub fn lines(&self) -> Vec<String> {
        let text = std::fs::read(&self.path).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let mut lines: Vec<String> = Vec::new();
        for line in text.lines() {
            lines.extend(serde_json::from_str::<String>(line));
        }
        lines.drain(..lines.len().saturating_sub(MOST_LINES));
        lines
    }

    /// Keeps a line.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&self, line: &str) -> io::Result<()> {
        if line.len() > LONGEST {
            return Ok(());
        }
        if let Some(folder) = self.path.parent() {
            make_private_folder(folder)?;
        }
        // At once, so that two sessions do not mix their lines.
        let line = serde_json::to_string(line)? + "\n";
        self.open(std::fs::OpenOptions::new().append(true))?
            .write_all(line.as_bytes())
    }

    /// Removes the oldest lines, if there are twice as many as are kept.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn shorten(&self) -> io::Result<()> {
        let text = std::fs::read(&self.path)?;
        if memchr::memchr_iter(b'\n', &text).count() < 2 * MOST_LINES {
            return Ok(());
        }
        let mut text = String::new();
        for line in self.lines() {
            text += &(serde_json::to_string(&line)? + "\n");
        }
        self.open(std::fs::OpenOptions::new().write(true).truncate(true))?
            .write_all(text.as_bytes())
    }

    fn open(&self, options: &mut std::fs::OpenOptions) -> io::Result<std::fs::File> {
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
        options.create(true).open(&self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_kept_for_their_owner_and_the_oldest_go() {
        let state = tempfile::tempdir().unwrap();
        let path = state.path().join("slotwright/history");
        let history = History { path: path.clone() };
        assert_eq!(history.lines(), [""; 0]);
        history.add("first").unwrap();
        history.add("two\nlines \"\u{e9}\"").unwrap();
        history.add(&"x".repeat(LONGEST + 1)).unwrap();
        assert_eq!(history.lines(), ["first", "two\nlines \"\u{e9}\""]);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode();
            assert_eq!(mode(&path) & 0o777, 0o600);
            assert_eq!(mode(path.parent().unwrap()) & 0o777, 0o700);
        }

        std::fs::write(&path, "\"old\"\nno string\n".repeat(MOST_LINES)).unwrap();
        history.add("new").unwrap();
        history.shorten().unwrap();
        let lines = history.lines();
        assert_eq!((lines.len(), lines[0].as_str()), (MOST_LINES, "old"));
        assert_eq!(lines[MOST_LINES - 1], "new");
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), MOST_LINES);
    }
}
