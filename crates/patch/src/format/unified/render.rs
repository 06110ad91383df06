//! Writes unified diffs as git does.

use crate::format::diff;
use crate::format::patch::{Action, FileEdit, Over};
use crate::locate::hunk::{Hunk, HunkLine, Tag};

const NO_NEWLINE: &str = "\\ No newline at end of file\n";

/// Writes edits as git does, with `@@ ... @@` if no line number is known.
pub(in crate::format) fn render(file_edits: &[FileEdit]) -> Option<String> {
    let mut text = String::new();
    let mut runs = diff::by_file(file_edits).enumerate().peekable();
    while let Some((i, run)) = runs.next() {
        let Some(path) = &run[0].path else {
            // Only the first hunks can do without a file's header.
            (i == 0).then_some(())?;
            render_hunks(&mut text, &diff::hunks(run)?)?;
            continue;
        };
        diff::is_name(path).then_some(())?;
        let (a, b) = (format!("a/{path}"), format!("b/{path}"));
        let names = |a: &str, b: &str| {
            format!(
                "--- {}\n+++ {}\n",
                diff::header_name(a),
                diff::header_name(b)
            )
        };
        let git = |b: &str| format!("diff --git {} {}\n", diff::quoted(&a), diff::quoted(b));
        match &run[0].action {
            Action::Edit(_) => {
                text += &(git(&b) + &names(&a, &b));
                render_hunks(&mut text, &diff::hunks(run)?)?;
            }
            Action::Write {
                text: new,
                over: Over::Nothing,
            } => {
                text += &(git(&b) + "new file mode 100644\n");
                if !new.is_empty() {
                    text += &names(diff::NO_FILE, &b);
                    let lines: Vec<&str> =
                        new.strip_suffix('\n').unwrap_or(new).split('\n').collect();
                    lines
                        .iter()
                        .all(|line| diff::is_one_line(line))
                        .then_some(())?;
                    text += &format!("@@ -0,0 +{} @@\n", range(1, lines.len()));
                    lines.iter().for_each(|line| text += &format!("+{line}\n"));
                    text += if new.ends_with('\n') { "" } else { NO_NEWLINE };
                }
            }
            Action::Delete { holds } => {
                let holds = holds.as_ref()?;
                text += &(git(&b) + "deleted file mode 100644\n");
                if !holds.is_empty() {
                    holds
                        .iter()
                        .all(|line| diff::is_one_line(line))
                        .then_some(())?;
                    text += &names(&a, diff::NO_FILE);
                    text += &format!("@@ -{} +0,0 @@\n", range(1, holds.len()));
                    holds.iter().for_each(|line| text += &format!("-{line}\n"));
                }
            }
            Action::Move { to } => {
                diff::is_name(to).then_some(())?;
                let b = format!("b/{to}");
                text += &(git(&b)
                    + &format!(
                        "rename from {}\nrename to {}\n",
                        diff::quoted(path),
                        diff::quoted(to)
                    ));
                if let Some((_, run)) =
                    runs.next_if(|(_, run)| run[0].path.as_ref() == Some(path) && is_edit(&run[0]))
                {
                    text += &names(&a, &b);
                    render_hunks(&mut text, &diff::hunks(run)?)?;
                }
            }
            Action::Copy { from } => {
                diff::is_name(from).then_some(())?;
                text += &format!(
                    "diff --git {} {}\ncopy from {}\ncopy to {}\n",
                    diff::quoted(&format!("a/{from}")),
                    diff::quoted(&b),
                    diff::quoted(from),
                    diff::quoted(path)
                );
                if let Some((_, run)) =
                    runs.next_if(|(_, run)| run[0].path.as_ref() == Some(path) && is_edit(&run[0]))
                {
                    text += &names(&format!("a/{from}"), &b);
                    render_hunks(&mut text, &diff::hunks(run)?)?;
                }
            }
            Action::Mode { is_executable } => {
                let [old, new] = if *is_executable {
                    [644, 755]
                } else {
                    [755, 644]
                };
                text += &(git(&b) + &format!("old mode 100{old}\nnew mode 100{new}\n"));
            }
            Action::Write { .. }
            | Action::Lines(_)
            | Action::Insert(_)
            | Action::Refused { .. }
            | Action::OneOf { .. } => return None,
        }
    }
    Some(text)
}

fn is_edit(file_edit: &FileEdit) -> bool {
    matches!(file_edit.action, Action::Edit(_))
}

/// Whether two of its lines would be read as a file's names in a hunk without counts.
pub(super) fn has_names(hunk: &Hunk) -> bool {
    let look_like_names = |pair: &[HunkLine]| {
        let [old, new] = pair else { return false };
        (old.tag, new.tag) == (Tag::Delete, Tag::Insert)
            && old.text.starts_with("--")
            && new.text.starts_with("++")
    };
    hunk.lines.windows(2).any(look_like_names)
}

fn render_hunks(text: &mut String, hunks: &[&Hunk]) -> Option<()> {
    let (mut n_old_before, mut n_new_before) = (0, 0);
    for hunk in hunks {
        let marks = diff::newline_marks(hunk)?;
        let (n_old, n_new) = diff::counts(hunk);
        if let Some(line) = hunk.hints.line {
            // The number of an empty range is that of the line before it.
            let first = |line: usize, n: usize| {
                range(if n == 0 { line.saturating_sub(1) } else { line }, n)
            };
            let new_line = line
                .saturating_add(n_new_before)
                .saturating_sub(n_old_before)
                .max(1);
            *text += &format!("@@ -{} +{} @@", first(line, n_old), first(new_line, n_new));
        } else {
            (!has_names(hunk)).then_some(())?;
            *text += "@@ ... @@";
        }
        if let Some(above) = hunk.hints.above.last() {
            diff::is_one_line(above).then_some(())?;
            *text += &format!(" {above}");
        }
        text.push('\n');
        for (i, line) in hunk.lines.iter().enumerate() {
            let sign = match line.tag {
                Tag::Keep => ' ',
                Tag::Delete => '-',
                Tag::Insert => '+',
            };
            *text += &format!("{sign}{}\n", line.text);
            if marks.0 == Some(i) || marks.1 == Some(i) {
                *text += NO_NEWLINE;
            }
        }
        n_old_before += n_old;
        n_new_before += n_new;
    }
    Some(())
}

fn range(line: usize, n: usize) -> String {
    if n == 1 {
        line.to_string()
    } else {
        format!("{line},{n}")
    }
}
