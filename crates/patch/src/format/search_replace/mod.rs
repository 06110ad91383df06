//! Search/replace blocks, as Aider, Cline and Roo Code have their models write them. Blocks may be
//! anywhere in prose, with or without fences. The file's name is above the block or its fence (see
//! [`file_name`]). A block without a name is for the file of the block before it.
//!
//! ```text
//! block     = search number* old* separator new* replace
//! search    = "<<<<<<< SEARCH" | "<<<<<<< ORIGINAL" | "------- SEARCH"   each may end with ">"
//! number    = ":start_line:" N | ":end_line:" N                       Roo's; "-------" may follow
//! separator = "======="
//! replace   = ">>>>>>> REPLACE" | ">>>>>>> UPDATED" | "+++++++ REPLACE"
//! old, new  = a line; one that looks like a mark has a backslash before it, as in Roo
//! ```
//!
//! A mark has 5 to 9 characters, since models miscount, and may be indented. The separator has as
//! many `=`, and the same indentation, as the block's first mark. Other lines of `=` are content:
//! Markdown underlines headings with them. If no line matches exactly, a single line that comes
//! close is the separator.

mod marks;

use super::file_name::{self, Named};
use super::patch::{Action, FileEdit, FormatError, LineEdit, Over, quoted};
use crate::hunk::Hunk;
use marks::{Opening, begins_opening, is_closing, is_number, is_separator, unescaped};
use std::borrow::Cow;

/// Whether a block begins or ends in the text. Git's conflict markers in a file (`<<<<<<< HEAD`) do
/// not count.
pub(super) fn is_in(text: &str) -> bool {
    text.lines()
        .any(|line| Opening::of(line).is_some() || is_closing(line))
}

/// Whether a line is the first mark of a block.
pub(super) fn opens(line: &str) -> bool {
    Opening::of(line).is_some()
}

/// The first line below the block that begins at a line; none if none does. A block that was cut
/// off goes on to the end, and a mark that closes nothing is a block, too: both are refused.
pub(super) fn end_at(lines: &[&str], line_idx: usize) -> Option<usize> {
    if is_closing(lines[line_idx]) {
        return Some(line_idx + 1);
    }
    Opening::of(lines[line_idx])?;
    let n_lines = lines[line_idx..].iter().position(|line| is_closing(line));
    Some(n_lines.map_or(lines.len(), |n_lines| line_idx + n_lines + 1))
}

pub(super) fn parse(text: &str) -> Result<Vec<FileEdit>, FormatError> {
    let lines: Vec<&str> = text.lines().collect();
    let mut file_edits = Vec::new();
    let mut named = Named::Not;
    let mut unchanged = None;
    let (mut below_block, mut line_idx) = (0, 0);
    while let Some(line) = lines.get(line_idx) {
        if is_closing(line) {
            let message = format!(
                "found {}, expected `<<<<<<< SEARCH` and `=======` above it",
                quoted(line.trim())
            );
            return Err(FormatError::at(line_idx + 1, message));
        }
        if let Some(opening) = Opening::of(line) {
            let block = match SearchBlock::read(&lines, line_idx, &opening) {
                // An answer that was cut off: the blocks above are whole.
                Err(FormatError::Malformed { line, message })
                    if end_at(&lines, line_idx) == Some(lines.len()) && !file_edits.is_empty() =>
                {
                    let path = match file_name::above(&lines[below_block..line_idx]).or(named) {
                        Named::File(path) => Some(path.to_owned()),
                        Named::Not | Named::OneOf(_) => None,
                    };
                    file_edits.push(FileEdit {
                        path,
                        line,
                        action: Action::malformed(message),
                    });
                    break;
                }
                block => block?,
            };
            named = file_name::above(&lines[below_block..line_idx]).or(named);
            match block.action {
                Some(action) => {
                    let (path, action) = named.of(action);
                    file_edits.push(FileEdit {
                        path,
                        line: line_idx + 1,
                        action,
                    });
                }
                None => unchanged = Some(line_idx + 1),
            }
            line_idx = block.end;
            below_block = block.end;
        } else {
            line_idx += 1;
        }
    }
    if let Some(line) = lines.iter().rposition(|line| !line.trim().is_empty())
        && line >= below_block
        && begins_opening(lines[line])
    {
        let message = format!(
            "{} ends the text; the answer was cut off",
            quoted(lines[line])
        );
        if file_edits.is_empty() {
            return Err(FormatError::at(line + 1, message));
        }
        file_edits.push(FileEdit {
            path: None,
            line: line + 1,
            action: Action::malformed(message),
        });
    }
    match unchanged {
        // A block without a change is an error only if no block changes anything, as in Aider.
        Some(line) if file_edits.is_empty() => Err(FormatError::at(
            line,
            "the old and the new text of the block are the same; say what changes",
        )),
        _ => Ok(file_edits),
    }
}

struct SearchBlock {
    /// `None` if both halves are the same.
    action: Option<Action>,
    /// The first line below the block, counted from 0.
    end: usize,
}

impl SearchBlock {
    fn read(lines: &[&str], start: usize, opening: &Opening) -> Result<SearchBlock, FormatError> {
        if !opening.is_whole {
            let message = format!(
                "found {}, expected `<<<<<<< SEARCH` and nothing after it",
                quoted(lines[start].trim())
            );
            return Err(FormatError::at(start + 1, message));
        }
        let body = &lines[start + 1..];
        let n_lines = body
            .iter()
            .position(|line| is_closing(line) || Opening::of(line).is_some())
            .ok_or_else(|| {
                FormatError::at(
                    start + 1,
                    "the block that begins here has no `>>>>>>> REPLACE`; the \
                     answer may have been cut off",
                )
            })?;
        let (body, last) = (&body[..n_lines], body[n_lines]);
        let separator = separator(body, opening, start + 1)?;
        let end = start + 1 + n_lines;
        if !is_closing(last) || separator.is_none() {
            let expected = if separator.is_some() {
                "`>>>>>>> REPLACE`"
            } else {
                "`=======` between old and new text"
            };
            let message = format!(
                "found {}, expected {expected}; a line that is content needs a `\\` first",
                quoted(last.trim())
            );
            return Err(FormatError::at(end + 1, message));
        }
        let (search, replace) = body.split_at(separator.unwrap_or_default());
        let replace = replace.get(1..).unwrap_or_default();
        if let Some(n_above) = replace.iter().position(|line| is_number(line)) {
            let message = format!(
                "found {} in the new text; it stands directly under `<<<<<<< SEARCH`",
                quoted(replace[n_above].trim())
            );
            return Err(FormatError::at(
                start + 1 + search.len() + 1 + n_above + 1,
                message,
            ));
        }
        let (line, search) = numbers(search, start + 2)?;
        let action =
            action(line, search, replace).map_err(|message| FormatError::at(start + 1, message))?;
        Ok(SearchBlock {
            action,
            end: end + 1,
        })
    }
}

/// The index of the separator in a block's lines; `n_above` lines of the text are above them.
fn separator(
    body: &[&str],
    opening: &Opening,
    n_above: usize,
) -> Result<Option<usize>, FormatError> {
    let all: Vec<usize> = (0..body.len())
        .filter(|line_idx| is_separator(body[*line_idx]))
        .collect();
    let is_exact = |line_idx: &usize| {
        let line = body[*line_idx];
        line.trim().len() == opening.length
            && line.len() - line.trim_start().len() == opening.indent
    };
    let exact: Vec<usize> = all.iter().copied().filter(is_exact).collect();
    let candidates = if exact.is_empty() { all } else { exact };
    match candidates[..] {
        [_, second, ..] => {
            let message = "found a second `=======`, expected `>>>>>>> REPLACE`; a line that is \
                content needs a `\\` first";
            Err(FormatError::at(n_above + second + 1, message))
        }
        _ => Ok(candidates.first().copied()),
    }
}

/// The line number before the searched lines, and the lines below it. `line` is the number of the
/// first line of `search`.
fn numbers<'a, 'b>(
    search: &'b [&'a str],
    line: usize,
) -> Result<(Option<usize>, &'b [&'a str]), FormatError> {
    let n_numbers = search.iter().take_while(|line| is_number(line)).count();
    let mut first_line = None;
    for (n_above, text) in search[..n_numbers].iter().enumerate() {
        let number = text.splitn(3, ':').nth(2).unwrap_or_default().trim();
        let number = if number.is_empty() {
            Ok(0)
        } else {
            number.parse::<usize>()
        };
        let number = number.map_err(|_| {
            FormatError::at(
                line + n_above,
                format!(
                    "found {}, expected the number of a line after it",
                    quoted(text.trim())
                ),
            )
        })?;
        if text.trim().starts_with(":start_line:") && number > 0 {
            first_line = Some(number);
        }
    }
    let rest = &search[n_numbers..];
    let has_rule = n_numbers > 0 && rest.first().is_some_and(|line| line.trim() == "-------");
    Ok((first_line, &rest[usize::from(has_rule)..]))
}

fn action(
    line: Option<usize>,
    search: &[&str],
    replace: &[&str],
) -> Result<Option<Action>, String> {
    let new: Vec<Cow<str>> = replace.iter().map(|line| unescaped(line)).collect();
    if !search.is_empty() {
        let old: Vec<Cow<str>> = search.iter().map(|line| unescaped(line)).collect();
        let (old, new): (Vec<&str>, Vec<&str>) = (
            old.iter().map(AsRef::as_ref).collect(),
            new.iter().map(AsRef::as_ref).collect(),
        );
        let mut hunk = Hunk::of_lines(&old, &new);
        hunk.hints.line = line;
        return Ok((old != new).then_some(Action::Edit(hunk)));
    }
    Ok(Some(match line {
        Some(_) if new.is_empty() => {
            return Err("the block is empty; put the lines to insert below `=======`".to_owned());
        }
        // Roo inserts above the line with this number.
        Some(line) => Action::Lines(LineEdit {
            line: line - 1,
            n_deleted: 0,
            new: new.into_iter().map(Cow::into_owned).collect(),
        }),
        None => Action::Write {
            text: new.iter().flat_map(|line| [line.as_ref(), "\n"]).collect(),
            over: Over::Nothing,
        },
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::testing::is_refused;
    use crate::hunk::Hints;
    use proptest::prelude::*;

    fn edit(path: &str, old: &[&str], new: &[&str]) -> (Option<String>, Action) {
        (
            Some(path.to_owned()),
            Action::Edit(Hunk::of_lines(old, new)),
        )
    }

    #[track_caller]
    fn check(text: &str, expected: &[(Option<String>, Action)]) {
        assert!(is_in(text), "{text}");
        let file_edits: Vec<_> = parse(text)
            .unwrap()
            .into_iter()
            .map(|file_edit| (file_edit.path, file_edit.action))
            .collect();
        assert_eq!(file_edits, expected, "{text}");
    }

    #[track_caller]
    fn check_err(text: &str, line: usize, part: &str) {
        is_refused(&parse(text), line, part);
    }

    #[test]
    fn every_writer_of_marks_is_read() {
        for (search, separator, replace) in [
            ("<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE"),
            ("<<<<<<< SEARCH>", "=======", ">>>>>>> REPLACE"),
            ("<<<<<<< ORIGINAL", "=======", ">>>>>>> UPDATED"),
            ("------- SEARCH", "=======", "+++++++ REPLACE"),
            ("<<<<< SEARCH", "=====", ">>>>> REPLACE  "),
            ("<<<<<<<<< SEARCH", "=======", ">>>>>> REPLACE"),
            ("  <<<<<<< SEARCH", "  =======", "  >>>>>>> REPLACE"),
            ("<<<<<<< SEARCH\r", "=======\r", ">>>>>>> REPLACE\r"),
        ] {
            check(
                &format!("a.py\n{search}\nx\n{separator}\ny\n{replace}\n"),
                &[edit("a.py", &["x"], &["y"])],
            );
        }
    }

    #[test]
    fn prose_and_fences_are_passed_over() {
        check(
            "Sure!\n=======\na.py\n```python\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n\
                ```\n\nAnd then\n\n```\n<<<<<<< SEARCH\nz\n=======\n>>>>>>> REPLACE\n```\nb.py\n\
                ```\n<<<<<<< SEARCH\n\n=======\n1\n>>>>>>> REPLACE\n```\n",
            &[
                edit("a.py", &["x"], &["y"]),
                edit("a.py", &["z"], &[]),
                edit("b.py", &[""], &["1"]),
            ],
        );
        check(
            "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE",
            &[(None, edit("", &["x"], &["y"]).1)],
        );
    }

    #[test]
    fn an_empty_search_makes_a_file_or_inserts_at_a_line() {
        let write = Action::Write {
            text: "x\n".to_owned(),
            over: Over::Nothing,
        };
        check(
            "a.py\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE",
            &[(Some("a.py".to_owned()), write)],
        );
        let lines = Action::Lines(LineEdit {
            line: 2,
            n_deleted: 0,
            new: vec!["x".to_owned()],
        });
        check(
            "<<<<<<< SEARCH\n:start_line:3\n-------\n=======\nx\n>>>>>>> REPLACE",
            &[(None, lines)],
        );
    }

    #[test]
    fn line_numbers_are_hints() {
        for (head, line) in [
            (":start_line:12\n-------\n", Some(12)),
            (":start_line: 12\n:end_line:14\n-------\n", Some(12)),
            (":start_line:12\n", Some(12)),
            (":start_line:0\n-------\n", None),
            (":start_line:\n-------\n", None),
        ] {
            let mut hunk = Hunk::of_lines(&["x"], &["y"]);
            hunk.hints = Hints {
                line,
                ..Hints::default()
            };
            check(
                &format!("<<<<<<< SEARCH\n{head}x\n=======\ny\n>>>>>>> REPLACE"),
                &[(None, Action::Edit(hunk))],
            );
        }
    }

    #[test]
    fn lines_like_marks_are_content_where_they_can_be() {
        check(
            "a.md\n<<<<<<< SEARCH\nA\n=====\n=======\nB\n========\n>>>>>>> REPLACE",
            &[edit("a.md", &["A", "====="], &["B", "========"])],
        );
        check(
            "a.md\n<<<<<<< SEARCH\n\\=======\n \\<<<<<<< HEAD\n\\\\=====\n\\begin\n=======\n\
                \\>>>>>>> REPLACE\n\\:start_line:1\n>>>>>>> REPLACE",
            &[edit(
                "a.md",
                &["=======", " <<<<<<< HEAD", "\\=====", "\\begin"],
                &[">>>>>>> REPLACE", ":start_line:1"],
            )],
        );
        check(
            "a.md\n<<<<<<< SEARCH\n-------\n=======\n+++++++\n>>>>>>> REPLACE",
            &[edit("a.md", &["-------"], &["+++++++"])],
        );
        check(
            "a.c\n<<<<<<< SEARCH\n>>>>>>> main\n=======\n>>>>>>> REPLACE",
            &[edit("a.c", &[">>>>>>> main"], &[])],
        );
    }

    #[test]
    fn a_block_that_changes_nothing_is_left_out() {
        let same = "<<<<<<< SEARCH\nx\n=======\nx\n>>>>>>> REPLACE\n";
        check_err(same, 1, "the same");
        check(
            &format!("{same}a.py\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE"),
            &[edit("a.py", &["x"], &["y"])],
        );
    }

    #[test]
    fn a_last_block_that_is_cut_off_leaves_the_others() {
        let cut_off = "<<<<<<< SEARCH\nx\n=======\nz";
        let message = "the block that begins here has no `>>>>>>> REPLACE`; the answer may have \
                       been cut off";
        check(
            &format!("a.py\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n\nb.py\n{cut_off}"),
            &[
                edit("a.py", &["x"], &["y"]),
                (
                    Some("b.py".to_owned()),
                    Action::malformed(message.to_owned()),
                ),
            ],
        );
        check_err(cut_off, 1, "no `>>>>>>> REPLACE`");
        let message = "`<<<<<<< SEAR` ends the text; the answer was cut off";
        check(
            "a.py\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n<<<<<<< SEAR",
            &[
                edit("a.py", &["x"], &["y"]),
                (None, Action::malformed(message.to_owned())),
            ],
        );
    }

    #[test]
    fn a_broken_block_is_refused_with_its_line() {
        check_err("=======\nx\n>>>>>>> REPLACE", 3, "above it");
        check_err(
            "<<<<<<< SEARCH\nx\n>>>>>>> REPLACE",
            3,
            "expected `=======`",
        );
        check_err(
            "<<<<<<< SEARCH\nx\n=======\n=======\n>>>>>>> REPLACE",
            4,
            "second",
        );
        check_err(
            "<<<<<<< SEARCH\nx\n=======\ny\n=======",
            1,
            "no `>>>>>>> REPLACE`",
        );
        check_err(
            "<<<<<<< SEARCH\nx\n=======\ny\n=======\nz\n>>>>>>> REPLACE",
            5,
            "second",
        );
        check_err(
            "\n<<<<<<< SEARCH\nx\n=======\ny\n<<<<<<< SEARCH",
            6,
            "expected `>>>>>>> REPLACE`",
        );
        check_err("<<<<<<< SEARCH\nx\n=======\ny", 1, "cut off");
        check_err(
            "<<<<<<< SEARCH>>\nx\n=======\ny\n>>>>>>> REPLACE",
            1,
            "SEARCH>>",
        );
        check_err(
            "<<<<<<< SEARCH  >\nx\n=======\ny\n>>>>>>> REPLACE",
            1,
            "nothing after it",
        );
        check_err(
            "<<<<<<< SEARCH\n:start_line:x\n=======\ny\n>>>>>>> REPLACE",
            2,
            "the number of a line",
        );
        check_err(
            "<<<<<<< SEARCH\nx\n=======\ny\n :end_line:9\n>>>>>>> REPLACE",
            5,
            "directly under",
        );
        check_err(
            "<<<<<<< SEARCH\n:start_line:9\n=======\n>>>>>>> REPLACE",
            1,
            "empty",
        );
    }

    #[test]
    fn other_texts_have_no_block() {
        for text in [
            "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> branch",
            "------- SEARCH RESULTS -------",
            "SEARCH",
            "<<<<<<< SEARCHING",
        ] {
            assert!(!is_in(text), "{text}");
            assert_eq!(parse(text), Ok(Vec::new()), "{text}");
        }
    }

    fn lines() -> impl Strategy<Value = Vec<String>> {
        let line = prop_oneof![
            "[ -~]{0,8}",
            "[ \\\\]{0,3}(<{4,10} SEARCH|={4,10}|>{4,10} REPLACE|-{7}|:start_line:[0-9]?|```+)>?",
        ];
        prop::collection::vec(line, 0..5)
    }

    /// Lines with a backslash before each that would be read as a mark.
    fn escaped(lines: &[String]) -> String {
        let mut text = String::new();
        for line in lines {
            let body = line.trim_start();
            let is_mark = opens(line) || is_closing(line) || is_separator(line) || is_number(line);
            let escape = if is_mark || body.starts_with('\\') && *unescaped(line) != **line {
                "\\"
            } else {
                ""
            };
            let indent = &line[..line.len() - body.len()];
            text += &format!("{indent}{escape}{body}\n");
        }
        text
    }

    proptest! {
        #[test]
        fn any_line_may_be_in_a_block(old in lines(), new in lines()) {
            prop_assume!(!old.is_empty() && old != new);
            let text = format!(
                "a.py\n<<<<<<< SEARCH\n{}=======\n{}>>>>>>> REPLACE\n",
                escaped(&old),
                escaped(&new)
            );
            let old: Vec<&str> = old.iter().map(String::as_str).collect();
            let new: Vec<&str> = new.iter().map(String::as_str).collect();
            check(&text, &[edit("a.py", &old, &new)]);
        }

        #[test]
        fn no_text_is_too_strange(text in "\\PC*", marks in prop::collection::vec(
            prop::sample::select(vec!["<<<<<<< SEARCH", "=======",
                ">>>>>>> REPLACE", ":start_line:1", "-------", "```", "é.py", "\\=====", "\r",
                "\n", "\n", "\n"]), 0..20)) {
            let _ = parse(&text);
            let _ = parse(&marks.concat());
        }
    }
}
