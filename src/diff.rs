//! The unified diff of a file before and after, as `patch` and `git apply` take it.

use crate::flow::Patched;
use crate::slots::Operation;
use crate::text::{Encoding, Text};
use similar::TextDiff;

/// Lines around a change.
const CONTEXT: usize = 3;

/// A file before and after.
pub struct FileDiff<'a> {
    /// Relative to the root.
    pub path: &'a str,
    /// Where it goes, if it is moved.
    pub moved_to: Option<&'a str>,
    /// None for a new file.
    pub before: Option<&'a Text>,
    /// None for one that goes.
    pub after: Option<&'a [u8]>,
}

impl<'a> From<&'a Patched> for FileDiff<'a> {
    fn from(patched: &'a Patched) -> FileDiff<'a> {
        let before = (patched.operation != Operation::Create).then_some(&patched.before);
        FileDiff { path: &patched.path, moved_to: None, before, after: Some(&patched.after) }
    }
}

/// The diff of the bytes of UTF-8 files, line endings and all, as `git apply` takes it; of other
/// encodings the diff of the text, for people.
pub fn unified(file: &FileDiff) -> String {
    let FileDiff { path, moved_to, before, after } = file;
    let encoding = before.map_or(Encoding::Utf8, Text::encoding);
    let (before, after) = (
        before.map(|text| encoding.decoded(text.bytes())),
        after.map(|bytes| encoding.decoded(bytes)),
    );
    let new_path = moved_to.unwrap_or(path);
    let mut header = String::new();
    if moved_to.is_some() {
        header =
            format!("diff --git a/{path} b/{new_path}\nrename from {path}\nrename to {new_path}\n");
    }
    // A file of no lines has no hunks: what becomes of it stands in the header alone.
    match (&before, &after) {
        (None, Some(after)) if after.is_empty() => {
            return format!("diff --git a/{path} b/{path}\nnew file mode 100644\n");
        }
        (Some(before), None) if before.is_empty() => {
            return format!("diff --git a/{path} b/{path}\ndeleted file mode 100644\n");
        }
        _ => {}
    }
    let old = if before.is_some() { format!("a/{path}") } else { "/dev/null".to_owned() };
    let new = if after.is_some() { format!("b/{new_path}") } else { "/dev/null".to_owned() };
    let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
    // Only a line feed ends a line here, as for git: a lone carriage return is a character of its
    // line.
    let (before, after): (Vec<&str>, Vec<&str>) =
        (before.split_inclusive('\n').collect(), after.split_inclusive('\n').collect());
    let diff = TextDiff::configure().newline_terminated(true).diff_slices(&before, &after);
    header + &diff.unified_diff().context_radius(CONTEXT).header(&old, &new).to_string()
}
