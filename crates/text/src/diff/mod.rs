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
    let encoding = file.before.map_or(Encoding::Utf8, Text::encoding);
    let before = file.before.map(|text| encoding.decoded(text.bytes()));
    let after = file.after.map(|bytes| encoding.decoded(bytes));
    let old_path = file.copied_from.unwrap_or(file.path);
    let new_path = file.moved_to.unwrap_or(file.path);

    let changes = changes_besides_lines(file, before.as_deref(), after.as_deref());
    let mut unified = String::new();
    if !changes.is_empty() {
        unified = format!("diff --git a/{old_path} b/{new_path}\n{changes}");
    }

    let old = before
        .as_ref()
        .map_or("/dev/null".to_owned(), |_| format!("a/{old_path}"));
    let new = after
        .as_ref()
        .map_or("/dev/null".to_owned(), |_| format!("b/{new_path}"));
    let before = before.unwrap_or_default();
    let after = after.unwrap_or_default();
    let before = lines(&before);
    let after = lines(&after);
    let diff = line_changes(&before, &after);
    unified += &diff
        .unified_diff()
        .context_radius(CONTEXT)
        .header(&old, &new)
        .to_string();
    unified
}

/// The extended header of git: what happens to a file apart from its lines.
fn changes_besides_lines(file: &FileDiff, before: Option<&str>, after: Option<&str>) -> String {
    let mode = match (file.is_executable, before, after) {
        (Some(true), Some(_), Some(_)) => "old mode 100644\nnew mode 100755\n",
        (Some(false), Some(_), Some(_)) => "old mode 100755\nnew mode 100644\n",
        (Some(true), None, Some(_)) => "new file mode 100755\n",
        // An empty file has no hunks, so only the header shows what happens to it.
        (_, None, Some("")) => "new file mode 100644\n",
        (_, Some(""), None) => "deleted file mode 100644\n",
        _ => "",
    };

    let path = file.path;
    if let Some(new_path) = file.moved_to {
        let path = file.copied_from.unwrap_or(path);
        format!("{mode}rename from {path}\nrename to {new_path}\n")
    } else if let Some(original) = file.copied_from {
        format!("{mode}copy from {original}\ncopy to {path}\n")
    } else {
        mode.to_owned()
    }
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
        for (before, after, lines) in [
            (
                &b"a\r\nb\r\nc"[..],
                &b"a\r\nx\r\nc"[..],
                "@@ -1,3 +1,3 @@\n a\r\n-b\r\n+x\r\n c\n\\ No newline at end of file\n",
            ),
            (
                b"a\rb\nc\n",
                b"a\rx\nc\n",
                "@@ -1,2 +1,2 @@\n-a\rb\n+a\rx\n c\n",
            ),
            (
                b"caf\xe9\r\nx\r\n",
                b"cafe\r\nx\r\n",
                "@@ -1,2 +1,2 @@\n-caf\u{e9}\r\n+cafe\r\n x\r\n",
            ),
            (
                b"caf\xe9 1\n",
                b"caf\xe9 2\n",
                "@@ -1 +1 @@\n-caf\u{e9} 1\n+caf\u{e9} 2\n",
            ),
        ] {
            let expected = format!("--- a/a.rs\n+++ b/a.rs\n{lines}");
            assert_eq!(unified_of(before, after), expected);
        }
    }

    #[test]
    fn files_that_come_go_and_move() {
        let text = Text::decode(b"a\n".to_vec()).unwrap();
        let empty = Text::decode(vec![]).unwrap();
        for (before, after, expected) in [
            (
                None,
                Some(&b"a\n"[..]),
                "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n",
            ),
            (
                Some(&text),
                None,
                "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
            ),
            (
                None,
                Some(b""),
                "diff --git a/x b/x\nnew file mode 100644\n",
            ),
            (
                Some(&empty),
                None,
                "diff --git a/x b/x\ndeleted file mode 100644\n",
            ),
        ] {
            assert_eq!(unified(&FileDiff::of("x", before, after)), expected);
        }
        let moved = FileDiff {
            moved_to: Some("y"),
            ..FileDiff::of("x", Some(&text), Some(b"a\n"))
        };
        assert_eq!(
            unified(&moved),
            "diff --git a/x b/y\nrename from x\nrename to y\n"
        );
        let copy = FileDiff {
            copied_from: Some("x"),
            ..FileDiff::of("y", Some(&text), Some(b"b\n"))
        };
        assert_eq!(
            unified(&copy),
            "diff --git a/x b/y\ncopy from x\ncopy to y\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n"
        );
    }

    #[test]
    fn programs() {
        let text = Text::decode(b"a\n".to_vec()).unwrap();
        let new = "new file mode 100755\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n";
        for (is_executable, before, lines) in [
            (true, Some(&text), "old mode 100644\nnew mode 100755\n"),
            (false, Some(&text), "old mode 100755\nnew mode 100644\n"),
            (true, None, new),
        ] {
            let file_diff = FileDiff {
                is_executable: Some(is_executable),
                ..FileDiff::of("x", before, Some(b"a\n"))
            };
            assert_eq!(unified(&file_diff), format!("diff --git a/x b/x\n{lines}"));
        }
    }
}
