//! The unified diff of a file before and after a change, as `patch` and `git apply` take it, and its
//! hunks one by one.

mod hunks;

pub use hunks::{Choice, Hunk, Hunks, Seam, to_type, typed};

use crate::text::{Encoding, Text};
use hunks::{CONTEXT, line_changes, lines};

/// A file before and after a change.
pub struct FileDiff<'a> {
    /// The path relative to the root.
    pub path: &'a str,
    /// The new path, if the file is moved.
    pub moved_to: Option<&'a str>,
    /// The path of the file that it is a copy of, if it is one. `before` is that file's text.
    pub copied_from: Option<&'a str>,
    /// Whether it can be run as a program afterwards, if that changes.
    pub is_executable: Option<bool>,
    /// The file before; `None` for a new file.
    pub before: Option<&'a Text>,
    /// The file's bytes after; `None` for a removed file.
    pub after: Option<&'a [u8]>,
}

impl<'a> FileDiff<'a> {
    /// A file that keeps its path.
    pub fn of(path: &'a str, before: Option<&'a Text>, after: Option<&'a [u8]>) -> FileDiff<'a> {
        FileDiff {
            path,
            moved_to: None,
            copied_from: None,
            is_executable: None,
            before,
            after,
        }
    }
}

/// The unified diff. For a UTF-8 file it is of the bytes, line endings included, as `git apply`
/// takes it. For other encodings it is of the decoded text, for people to read.
pub fn unified(file: &FileDiff) -> String {
    let FileDiff {
        path,
        moved_to,
        copied_from,
        is_executable,
        before,
        after,
    } = file;
    let encoding = before.map_or(Encoding::Utf8, Text::encoding);
    let (before, after) = (
        before.map(|text| encoding.decoded(text.bytes())),
        after.map(|bytes| encoding.decoded(bytes)),
    );
    let new_path = moved_to.unwrap_or(path);
    let path = copied_from.unwrap_or(path);
    let mut extended = String::new();
    match (is_executable, &before, &after) {
        (Some(true), Some(_), Some(_)) => extended += "old mode 100644\nnew mode 100755\n",
        (Some(false), Some(_), Some(_)) => extended += "old mode 100755\nnew mode 100644\n",
        (Some(true), None, Some(_)) => extended += "new file mode 100755\n",
        // An empty file has no hunks, so only the header shows what happens to it.
        (_, None, Some(after)) if after.is_empty() => extended += "new file mode 100644\n",
        (_, Some(before), None) if before.is_empty() => extended += "deleted file mode 100644\n",
        _ => {}
    }
    if moved_to.is_some() {
        extended += &format!("rename from {path}\nrename to {new_path}\n");
    } else if copied_from.is_some() {
        extended += &format!("copy from {path}\ncopy to {new_path}\n");
    }
    let header = match extended.as_str() {
        "" => String::new(),
        extended => format!("diff --git a/{path} b/{new_path}\n{extended}"),
    };
    let old = if before.is_some() {
        format!("a/{path}")
    } else {
        "/dev/null".to_owned()
    };
    let new = if after.is_some() {
        format!("b/{new_path}")
    } else {
        "/dev/null".to_owned()
    };
    let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
    let (before, after) = (lines(&before), lines(&after));
    let diff = line_changes(&before, &after);
    header
        + &diff
            .unified_diff()
            .context_radius(CONTEXT)
            .header(&old, &new)
            .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unified_of(before: &[u8], after: &[u8]) -> String {
        let before = Text::decode(before.to_vec()).unwrap();
        unified(&FileDiff::of("a.rs", Some(&before), Some(after)))
    }

    #[test]
    fn a_diff_has_the_bytes_of_the_file() {
        let diff = unified_of(b"a\r\nb\r\nc", b"a\r\nx\r\nc");
        assert_eq!(
            diff,
            "--- a/a.rs\n+++ b/a.rs\n@@ -1,3 +1,3 @@\n a\r\n-b\r\n+x\r\n c\n\
             \\ No newline at end of file\n"
        );
        let lone = unified_of(b"a\rb\nc\n", b"a\rx\nc\n");
        assert_eq!(
            lone,
            "--- a/a.rs\n+++ b/a.rs\n@@ -1,2 +1,2 @@\n-a\rb\n+a\rx\n c\n"
        );
        let last_accent = unified_of(b"caf\xe9\r\nx\r\n", b"cafe\r\nx\r\n");
        assert_eq!(
            last_accent,
            "--- a/a.rs\n+++ b/a.rs\n@@ -1,2 +1,2 @@\n-caf\u{e9}\r\n+cafe\r\n x\r\n"
        );
        let latin = unified_of(b"caf\xe9 1\n", b"caf\xe9 2\n");
        assert_eq!(
            latin,
            "--- a/a.rs\n+++ b/a.rs\n@@ -1 +1 @@\n-caf\u{e9} 1\n+caf\u{e9} 2\n"
        );
    }

    #[test]
    fn files_that_come_go_and_move() {
        let text = Text::decode(b"a\n".to_vec()).unwrap();
        let check = |moved_to: Option<&str>,
                     before: Option<&Text>,
                     after: Option<&[u8]>,
                     expected: &str| {
            let file_diff = FileDiff {
                moved_to,
                ..FileDiff::of("x", before, after)
            };
            assert_eq!(unified(&file_diff), expected);
        };
        check(
            None,
            None,
            Some(b"a\n"),
            "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n",
        );
        check(
            None,
            Some(&text),
            None,
            "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
        );
        check(
            Some("y"),
            Some(&text),
            Some(b"a\n"),
            "diff --git a/x b/y\nrename from x\nrename to y\n",
        );
        check(
            None,
            None,
            Some(b""),
            "diff --git a/x b/x\nnew file mode 100644\n",
        );
        check(
            None,
            Some(&Text::decode(vec![]).unwrap()),
            None,
            "diff --git a/x b/x\ndeleted file mode 100644\n",
        );
    }

    #[test]
    fn copies_and_programs() {
        let text = Text::decode(b"a\n".to_vec()).unwrap();
        let copy = FileDiff {
            copied_from: Some("x"),
            ..FileDiff::of("y", Some(&text), Some(b"b\n".as_slice()))
        };
        assert_eq!(
            unified(&copy),
            "diff --git a/x b/y\ncopy from x\ncopy to y\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n"
        );
        let program = |is_executable: bool, before: Option<&Text>| {
            let file_diff = FileDiff::of("x", before, Some(b"a\n".as_slice()));
            unified(&FileDiff {
                is_executable: Some(is_executable),
                ..file_diff
            })
        };
        let header = |lines: &str| format!("diff --git a/x b/x\n{lines}");
        assert_eq!(
            program(true, Some(&text)),
            header("old mode 100644\nnew mode 100755\n")
        );
        assert_eq!(
            program(false, Some(&text)),
            header("old mode 100755\nnew mode 100644\n")
        );
        assert_eq!(
            program(true, None),
            header("new file mode 100755\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n")
        );
    }
}
