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

use super::file_name::{self, FileMention};
use super::patch::{Action, FileEdit, FormatError, LineEdit, Over, quoted};
use crate::hunk::Hunk;
use marks::{BlockOpening, begins_opening, is_closing, is_number, is_separator, unescaped};
use std::borrow::Cow;

/// Whether a block begins or ends in the text. Git's conflict markers in a file (`<<<<<<< HEAD`) do
/// not count.
pub(super) fn is_in(text: &str) -> bool {
    text.lines()
        .any(|line| BlockOpening::of(line).is_some() || is_closing(line))
}

/// Whether a line is the first mark of a block.
pub(super) fn opens(line: &str) -> bool {
    BlockOpening::of(line).is_some()
}

/// The first line below the block that begins at a line; `None` if no block does. A block that was
/// cut off goes on to the end, and a mark that closes nothing is a block, too: both are refused.
pub(super) fn end_at(lines: &[&str], line_idx: usize) -> Option<usize> {
    if is_closing(lines[line_idx]) {
        return Some(line_idx + 1);
    }
    BlockOpening::of(lines[line_idx])?;
    let n_lines = lines[line_idx..].iter().position(|line| is_closing(line));
    Some(n_lines.map_or(lines.len(), |n_lines| line_idx + n_lines + 1))
}

pub(super) fn parse(text: &str) -> Result<Vec<FileEdit>, FormatError> {
    let lines: Vec<&str> = text.lines().collect();
    let mut file_edits = Vec::new();
    let mut named = FileMention::Not;
    let mut unchanged = None;
    let mut below_block = 0;
    let mut line_idx = 0;
    while let Some(line) = lines.get(line_idx) {
        if is_closing(line) {
            let message = format!(
                "found {}, expected `<<<<<<< SEARCH` and `=======` above it",
                quoted(line.trim())
            );
            return Err(FormatError::at(line_idx + 1, message));
        }
        let Some(opening) = BlockOpening::of(line) else {
            line_idx += 1;
            continue;
        };
        named = file_name::above(&lines[below_block..line_idx]).or(named);
        let block = match SearchBlock::read(&lines, line_idx, &opening) {
            // An answer that was cut off: the blocks above are whole.
            Err(FormatError::Malformed { line, message })
                if end_at(&lines, line_idx) == Some(lines.len()) && !file_edits.is_empty() =>
            {
                let path = match named {
                    FileMention::File(path) => Some(path.to_owned()),
                    FileMention::Not | FileMention::OneOf(_) => None,
                };
                file_edits.push(FileEdit {
                    path,
                    line,
                    action: Action::malformed(message),
                });
                below_block = lines.len();
                break;
            }
            block => block?,
        };
        match block.action {
            Some(action) => file_edits.push(named.edit(line_idx + 1, action)),
            None => unchanged = Some(line_idx + 1),
        }
        line_idx = block.end;
        below_block = block.end;
    }

    if let Some(cut_off) = cut_off_mark(&lines, below_block) {
        if file_edits.is_empty() {
            return Err(cut_off);
        }
        if let FormatError::Malformed { line, message } = cut_off {
            file_edits.push(FileEdit::unnamed(line, Action::malformed(message)));
        }
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

/// The error of a text that ends within the first mark of a block.
fn cut_off_mark(lines: &[&str], below_block: usize) -> Option<FormatError> {
    let last = lines.iter().rposition(|line| !line.trim().is_empty())?;
    if last < below_block || !begins_opening(lines[last]) {
        return None;
    }
    let message = format!(
        "{} ends the text; the answer was cut off",
        quoted(lines[last])
    );
    Some(FormatError::at(last + 1, message))
}

struct SearchBlock {
    /// `None` if both halves are the same.
    action: Option<Action>,
    /// The first line below the block, counted from 0.
    end: usize,
}

impl SearchBlock {
    fn read(
        lines: &[&str],
        start: usize,
        opening: &BlockOpening,
    ) -> Result<SearchBlock, FormatError> {
        let line = start + 1;
        if !opening.is_whole {
            let message = format!(
                "found {}, expected `<<<<<<< SEARCH` and nothing after it",
                quoted(lines[start].trim())
            );
            return Err(FormatError::at(line, message));
        }
        let body = &lines[start + 1..];
        let end = body
            .iter()
            .position(|line| is_closing(line) || BlockOpening::of(line).is_some());
        let Some(n_lines) = end else {
            let message = "the block that begins here has no `>>>>>>> REPLACE`; the answer may have \
                been cut off";
            return Err(FormatError::at(line, message));
        };
        let last = body[n_lines];
        let body = &body[..n_lines];
        let separator = separator(body, opening, line)?;
        let Some(separator) = separator.filter(|_| is_closing(last)) else {
            let expected = if separator.is_some() {
                "`>>>>>>> REPLACE`"
            } else {
                "`=======` between old and new text"
            };
            let message = format!(
                "found {}, expected {expected}; a line that is content needs a `\\` first",
                quoted(last.trim())
            );
            return Err(FormatError::at(line + n_lines + 1, message));
        };

        let search = &body[..separator];
        let replace = &body[separator + 1..];
        if let Some(n_above) = replace.iter().position(|line| is_number(line)) {
            let message = format!(
                "found {} in the new text; it stands directly under `<<<<<<< SEARCH`",
                quoted(replace[n_above].trim())
            );
            return Err(FormatError::at(line + separator + n_above + 2, message));
        }
        let (first_line, search) = numbers(search, line + 1)?;
        let action = action(first_line, search, replace)
            .map_err(|message| FormatError::at(line, message))?;
        Ok(SearchBlock {
            action,
            end: line + n_lines + 1,
        })
    }
}

/// The index of the separator in a block's lines; `n_above` lines of the text are above them.
fn separator(
    body: &[&str],
    opening: &BlockOpening,
    n_above: usize,
) -> Result<Option<usize>, FormatError> {
    let mut candidates: Vec<usize> = Vec::new();
    let mut has_exact = false;
    for (line_idx, line) in body.iter().enumerate() {
        if !is_separator(line) {
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        let is_exact = line.trim().len() == opening.length && indent == opening.indent;
        if is_exact && !has_exact {
            candidates.clear();
            has_exact = true;
        }
        if is_exact || !has_exact {
            candidates.push(line_idx);
        }
    }
    if let Some(second) = candidates.get(1) {
        let message = "found a second `=======`, expected `>>>>>>> REPLACE`; a line that is content \
            needs a `\\` first";
        return Err(FormatError::at(n_above + second + 1, message));
    }
    Ok(candidates.first().copied())
}

/// The line number before the searched lines, and the lines below it. `line` is the number of the
/// first line of `search`.
fn numbers<'a, 'b>(
    search: &'b [&'a str],
    line: usize,
) -> Result<(Option<usize>, &'b [&'a str]), FormatError> {
    let mut first_line = None;
    let mut rest = search;
    while let [text, below @ ..] = rest
        && is_number(text)
    {
        let digits = text.splitn(3, ':').nth(2).unwrap_or_default().trim();
        let number = if digits.is_empty() {
            Ok(0)
        } else {
            digits.parse::<usize>()
        };
        let Ok(number) = number else {
            let message = format!(
                "found {}, expected the number of a line after it",
                quoted(text.trim())
            );
            return Err(FormatError::at(line + search.len() - rest.len(), message));
        };
        if text.trim().starts_with(":start_line:") && number > 0 {
            first_line = Some(number);
        }
        rest = below;
    }

    if rest.len() < search.len()
        && let [rule, below @ ..] = rest
        && rule.trim() == "-------"
    {
        rest = below;
    }
    Ok((first_line, rest))
}

/// What a block asks for; `None` if both halves are the same.
fn action(
    line: Option<usize>,
    search: &[&str],
    replace: &[&str],
) -> Result<Option<Action>, String> {
    let new: Vec<Cow<str>> = replace.iter().map(|line| unescaped(line)).collect();
    if !search.is_empty() {
        let old: Vec<Cow<str>> = search.iter().map(|line| unescaped(line)).collect();
        let old: Vec<&str> = old.iter().map(AsRef::as_ref).collect();
        let new: Vec<&str> = new.iter().map(AsRef::as_ref).collect();
        let mut hunk = Hunk::of_lines(&old, &new);
        hunk.hints.line = line;
        return Ok((old != new).then_some(Action::Edit(hunk)));
    }

    let Some(line) = line else {
        return Ok(Some(Action::Write {
            text: new.iter().flat_map(|line| [line.as_ref(), "\n"]).collect(),
            over: Over::Nothing,
        }));
    };
    if new.is_empty() {
        return Err("the block is empty; put the lines to insert below `=======`".to_owned());
    }
    // Roo inserts above the line with this number.
    Ok(Some(Action::Lines(LineEdit {
        line: line - 1,
        n_deleted: 0,
        new: new.into_iter().map(Cow::into_owned).collect(),
    })))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::testing::{self, is_refused};
    use proptest::prelude::*;

    /// A text whose lines are separated by bars. `<`, `=` and `>` stand for the marks of a block.
    fn in_full(text: &str) -> String {
        let lines: Vec<&str> = text
            .split('|')
            .map(|line| match line {
                "<" => "<<<<<<< SEARCH",
                "=" => "=======",
                ">" => ">>>>>>> REPLACE",
                line => line,
            })
            .collect();
        lines.join("\n")
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let text = in_full(text);
        assert!(is_in(&text), "{text}");
        testing::is_read(parse, &text, expected);
    }

    #[track_caller]
    fn check_err(text: &str, line: usize, part: &str) {
        is_refused(&parse(&in_full(text)), line, part);
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
                &format!("a.py|{search}|x|{separator}|y|{replace}|"),
                &["a.py: -x +y"],
            );
        }
    }

    #[test]
    fn prose_and_fences_are_passed_over() {
        check(
            "Sure!|=|a.py|```python|<|x|=|y|>|```||And then||```|<|z|=|>|```|b.py|```|<||=|1|>|```|",
            &["a.py: -x +y", "a.py: -z", "b.py: - +1"],
        );
        check("<|x|=|y|>", &["-: -x +y"]);
    }

    #[test]
    fn an_empty_search_makes_a_file_or_inserts_at_a_line() {
        check("a.py|<|=|x|>", &["a.py: write x\n"]);
        let inserted = r#"-: lines 2, 0 deleted, new ["x"]"#;
        check("<|:start_line:3|-------|=|x|>", &[inserted]);
    }

    #[test]
    fn line_numbers_are_hints() {
        for (head, hint) in [
            (":start_line:12|-------|", "@12 "),
            (":start_line: 12|:end_line:14|-------|", "@12 "),
            (":start_line:12|", "@12 "),
            (":start_line:0|-------|", ""),
            (":start_line:|-------|", ""),
        ] {
            let edit = format!("-: {hint}-x +y");
            check(&format!("<|{head}x|=|y|>"), &[&edit]);
        }
    }

    #[test]
    fn lines_like_marks_are_content_where_they_can_be() {
        check(
            "a.md|<|A|=====|=|B|========|>",
            &["a.md: -A -===== +B +========"],
        );
        check(
            "a.md|<|\\=======| \\<<<<<<< HEAD|\\\\=====|\\begin|=|\\>>>>>>> REPLACE|\\:start_line:1|>",
            &["a.md: -======= - <<<<<<< HEAD -\\===== -\\begin +>>>>>>> REPLACE +:start_line:1"],
        );
        check("a.md|<|-------|=|+++++++|>", &["a.md: -------- ++++++++"]);
        check("a.c|<|>>>>>>> main|=|>", &["a.c: ->>>>>>> main"]);
    }

    #[test]
    fn a_block_that_changes_nothing_is_left_out() {
        let same = "<|x|=|x|>|";
        check_err(same, 1, "the same");
        check(&format!("{same}a.py|<|x|=|y|>"), &["a.py: -x +y"]);
    }

    #[test]
    fn a_last_block_that_is_cut_off_leaves_the_others() {
        let cut_off = "<|x|=|z";
        let refused = "b.py: refused the block that begins here has no `>>>>>>> REPLACE`; the answer \
            may have been cut off";
        check(
            &format!("a.py|<|x|=|y|>||b.py|{cut_off}"),
            &["a.py: -x +y", refused],
        );
        check_err(cut_off, 1, "no `>>>>>>> REPLACE`");
        let refused = "-: refused `<<<<<<< SEAR` ends the text; the answer was cut off";
        check("a.py|<|x|=|y|>|<<<<<<< SEAR", &["a.py: -x +y", refused]);
    }

    #[test]
    fn a_broken_block_is_refused_with_its_line() {
        check_err("=|x|>", 3, "above it");
        check_err("<|x|>", 3, "expected `=======`");
        check_err("<|x|=|=|>", 4, "second");
        check_err("<|x|=|y|=", 1, "no `>>>>>>> REPLACE`");
        check_err("<|x|=|y|=|z|>", 5, "second");
        check_err("|<|x|=|y|<", 6, "expected `>>>>>>> REPLACE`");
        check_err("<|x|=|y", 1, "cut off");
        check_err("<<<<<<< SEARCH>>|x|=|y|>", 1, "SEARCH>>");
        check_err("<<<<<<< SEARCH  >|x|=|y|>", 1, "nothing after it");
        check_err("<|:start_line:x|=|y|>", 2, "the number of a line");
        check_err("<|x|=|y| :end_line:9|>", 5, "directly under");
        check_err("<|:start_line:9|=|>", 1, "empty");
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
            let edit = Action::Edit(Hunk::of_lines(&old, &new));
            prop_assert_eq!(parse(&text), Ok(vec![FileEdit::of("a.py", 2, edit)]));
        }
    }
}
