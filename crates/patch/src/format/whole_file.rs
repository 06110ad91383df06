//! Whole files in fences, as Aider requests them: each with its name on the line above or after the
//! fence.
//!
//! ```text
//! file = name fence line* fence        name: see file_name; none beside the only fence of a text
//!      | fence-with-name line* fence
//! ```
//!
//! A fence inside a fence is content if it is shorter, or if it names a language; then the fence
//! that closes it is content too. If it is unclear which fence ends the file, the text is refused,
//! since half a file would be written.
//!
//! Fences without a name are illustrations if others have names. A name in a sentence (``Here is
//! the new version of `a.txt`:``) counts too, but only for an existing file. Any other name in
//! prose (``In `a.txt`:``) counts only above the single fence of a text, since such a fence is often
//! a part of the file: it must be a version of an existing one.

use super::file_name::{self, CodeFence, FileMention};
use super::patch::{Action, FileEdit, FormatError, Over, quoted};
use crate::syntax;
use crate::text::elision;
use std::collections::HashSet;

/// Whether there is a fence with a file's name, or a single fence that is more than half of the
/// text.
pub(super) fn is_in(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    let Ok(blocks) = blocks(&lines) else {
        let mut fences = fences(&lines).into_iter();
        return fences.any(|(line_idx, fence)| FenceName::of(&lines[..line_idx], fence).is_some());
    };
    match &blocks[..] {
        [block] if block.name.is_none() => 2 * n_bytes(block.lines) > n_bytes(&lines),
        blocks => blocks.iter().any(|block| block.name.is_some()),
    }
}

fn n_bytes(lines: &[&str]) -> usize {
    lines.iter().map(|line| line.len()).sum()
}

pub(super) fn parse(text: &str) -> Result<Vec<FileEdit>, FormatError> {
    let lines: Vec<&str> = text.lines().collect();
    let blocks = blocks(&lines)?;
    let is_alone = blocks.len() == 1;
    let mut paths = HashSet::new();
    let mut file_edits = Vec::new();
    for block in blocks {
        let line = block.line_idx + 1;
        if !is_alone && block.name.is_none() && !block.is_mentioned {
            continue;
        }
        let path = block.name.map(|name| name.path);
        if let Some(path) = path
            && !paths.insert(path)
        {
            let message = format!("{} stands there twice; write each file once", quoted(path));
            return Err(FormatError::at(line, message));
        }

        let named = match path {
            Some(path) => FileMention::File(path),
            None => file_name::path_above(&lines[..block.line_idx]),
        };
        let mut content = block.lines.iter();
        let is_partial = content.any(|line| is_left_out(line, path, block.info));
        let over = match (block.name, &named) {
            _ if is_partial => Over::File,
            (Some(name), _) if name.is_in_sentence => Over::File,
            (None, _) if block.is_mentioned => Over::NothingOrVersion,
            (Some(_), _) | (None, FileMention::Not) => Over::Anything,
            (None, FileMention::File(_) | FileMention::OneOf(_)) => Over::Version,
        };
        let text = block.lines.iter().flat_map(|line| [line, "\n"]).collect();
        file_edits.push(named.edit(line, Action::Write { text, over }));
    }
    Ok(file_edits)
}

/// Whether a line says that lines were left out. In Python, an indented ellipsis is a statement.
fn is_left_out(line: &str, path: Option<&str>, info: &str) -> bool {
    let is_python = info.starts_with("py")
        || path.is_some_and(|path| path.ends_with(".py") || path.ends_with(".pyi"));
    elision::is_elision(line)
        || (elision::is_bare_ellipsis(line) && !(is_python && line.starts_with([' ', '\t'])))
}

/// A fence and its content.
struct FencedFile<'a, 'b> {
    /// The index of the line with the opening fence.
    line_idx: usize,
    name: Option<FenceName<'a>>,
    /// Whether prose names its file: see [`Holds::Mentioned`].
    is_mentioned: bool,
    info: &'a str,
    lines: &'b [&'a str],
}

#[derive(Clone, Copy)]
struct FenceName<'a> {
    path: &'a str,
    is_in_sentence: bool,
}

impl<'a> FenceName<'a> {
    /// The name of a fence. `above` is the lines above it, starting after the last block.
    fn of(above: &[&'a str], fence: CodeFence<'a>) -> Option<FenceName<'a>> {
        const MAX_BLANK: usize = 2;
        let n_blank = above
            .iter()
            .rev()
            .take_while(|line| line.trim().is_empty())
            .count();
        let above = &above[..above.len() - n_blank];
        let own = file_name::in_info(fence.info);
        let own = own.or_else(|| above.last().and_then(|line| file_name::on_line(line)));
        if let Some(path) = own
            && n_blank <= MAX_BLANK
        {
            return Some(FenceName {
                path,
                is_in_sentence: false,
            });
        }
        let outside = above
            .iter()
            .rposition(|line| line.trim().is_empty() || file_name::fence(line).is_some());
        let paragraph = &above[outside.map_or(0, |outside| outside + 1)..];
        Some(FenceName {
            path: in_sentence(paragraph)?,
            is_in_sentence: true,
        })
    }
}

/// The only file name in backticks in a paragraph that announces a whole file. `Here's how to run`
/// announces none.
fn in_sentence<'a>(paragraph: &[&'a str]) -> Option<&'a str> {
    const ANNOUNCES: &str = "version updated modified new complete full revised corrected fixed \
        final contents content rewritten refactored";
    const OTHERWISE: &str = "how run use using usage example output snippet part call";
    let text = paragraph.join(" ").to_lowercase().replace('’', "'");
    let (_, announced) = text
        .split_once("here is ")
        .or_else(|| text.split_once("here's "))?;
    let mut words = announced.split(|char: char| !char.is_alphanumeric());
    let is_announced =
        announced.starts_with('`') || words.clone().any(|word| is_one_of(word, ANNOUNCES));
    if !is_announced || words.any(|word| is_one_of(word, OTHERWISE)) {
        return None;
    }

    let mut name = None;
    for quoted in paragraph
        .iter()
        .flat_map(|line| line.split('`').skip(1).step_by(2))
    {
        if let Some(path) = file_name::on_line(quoted) {
            if name.is_some_and(|name| name != path) {
                return None;
            }
            name = Some(path);
        }
    }
    name
}

fn is_one_of(word: &str, words: &str) -> bool {
    words.split(' ').any(|other| other == word)
}

fn fences<'a>(lines: &[&'a str]) -> Vec<(usize, CodeFence<'a>)> {
    lines
        .iter()
        .enumerate()
        .filter_map(|(line_idx, line)| Some((line_idx, file_name::fence(line)?)))
        .collect()
}

fn blocks<'a, 'b>(lines: &'b [&'a str]) -> Result<Vec<FencedFile<'a, 'b>>, FormatError> {
    let fences = fences(lines);
    let mut blocks = Vec::new();
    let mut fence_idx = 0;
    let mut below_block = 0;
    while let Some(&(line_idx, fence)) = fences.get(fence_idx) {
        let above = &lines[below_block..line_idx];
        let name = FenceName::of(above, fence);
        let below = fences[fence_idx..].iter().map(|(_, fence)| *fence);
        let Some(n_fences) = closing(below) else {
            let message = "the fence that opens here is not closed; the answer may have been cut \
                off, or a fence in it needs a shorter mark";
            return Err(FormatError::at(line_idx + 1, message));
        };
        let end = fences[fence_idx + n_fences].0;
        fence_idx += n_fences + 1;
        if let (Some(name), Some(next)) = (name, fences.get(fence_idx)) {
            let is_page = is_markdown(name.path, fence.info);
            if is_unclear_end(lines, end, *next, is_page) {
                let message = format!(
                    "it is unclear which fence ends {}; put a longer fence around it",
                    quoted(name.path)
                );
                return Err(FormatError::at(end + 1, message));
            }
        }

        blocks.push(FencedFile {
            line_idx,
            name,
            is_mentioned: name.is_none() && held(above, fence) == Holds::File,
            info: fence.info,
            lines: &lines[line_idx + 1..end],
        });
        below_block = end + 1;
    }
    Ok(blocks)
}

/// Whether the fence on the line `end` may open a fence in the file, and the next one closes that.
fn is_unclear_end(lines: &[&str], end: usize, next: (usize, CodeFence), is_page: bool) -> bool {
    let (next_idx, next) = next;
    let below = &lines[end + 1..next_idx];
    let is_followed_by_text = lines
        .get(end + 1)
        .is_some_and(|line| !line.trim().is_empty());
    FenceName::of(below, next).is_none() && (is_page || next.info.is_empty() && is_followed_by_text)
}

/// How many fences below the first of these is the one that closes it. A fence with a language
/// opens an inner block.
fn closing<'a>(mut fences: impl Iterator<Item = CodeFence<'a>>) -> Option<usize> {
    let outer = fences.next()?;
    let mut open = vec![outer.length];
    for (n_above, fence) in fences.enumerate() {
        if fence.mark != outer.mark || fence.length < outer.length {
            continue;
        }
        if !fence.info.is_empty() {
            open.push(fence.length);
        } else if open.last().is_some_and(|length| fence.length >= *length) {
            open.pop();
        }
        if open.is_empty() {
            return Some(n_above + 1);
        }
    }
    None
}

/// The line of the fence that closes the one at a line.
pub(super) fn closing_line(lines: &[&str], line_idx: usize) -> Option<usize> {
    let mut fences = (line_idx..lines.len())
        .filter_map(|line_idx| Some((line_idx, file_name::fence(lines[line_idx])?)));
    let n_fences = closing(fences.clone().map(|(_, fence)| fence))?;
    fences.nth(n_fences).map(|(line_idx, _)| line_idx)
}

/// What a fence holds that begins no edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds<'a> {
    /// The text of a file: it has the file's name, or prose names one file, of its language.
    File,
    /// Code, or what a command prints, below prose that names this file.
    Mentioned(&'a str),
    /// An illustration.
    Unnamed,
}

/// What a fence holds. `above` is the lines above it, starting after the last section or fence.
pub(super) fn held<'a>(above: &[&'a str], fence: CodeFence<'a>) -> Holds<'a> {
    if FenceName::of(above, fence).is_some() {
        return Holds::File;
    }
    let path = match file_name::path_above(above) {
        FileMention::File(path) => path,
        // Which of several is for the person to tell.
        FileMention::OneOf(paths) if paths.len() > 1 => return Holds::Mentioned(paths[0]),
        FileMention::OneOf(paths) => paths[0],
        FileMention::Not => return Holds::Unnamed,
    };
    let mut words = fence.info.split(|char: char| !char.is_alphanumeric());
    match syntax::names_language(words.next().unwrap_or_default(), path) {
        Some(true) => Holds::File,
        // A command about the file, or its output.
        Some(false) => Holds::Unnamed,
        None => Holds::Mentioned(path),
    }
}

/// Whether a fence has the name of a file of JSON.
pub(super) fn is_json(above: &[&str], fence: CodeFence) -> bool {
    is_named_in_language(above, fence, "json")
}

/// Whether a fence has the name of a file of a shell.
pub(super) fn is_script(above: &[&str], fence: CodeFence) -> bool {
    is_named_in_language(above, fence, "sh")
}

fn is_named_in_language(above: &[&str], fence: CodeFence, language: &str) -> bool {
    FenceName::of(above, fence)
        .is_some_and(|name| syntax::names_language(language, name.path) == Some(true))
}

/// Whether a fence holds a page, which may show blocks as they are.
pub(super) fn holds_prose(above: &[&str], fence: CodeFence) -> bool {
    let path = FenceName::of(above, fence).map_or("", |name| name.path);
    ends_with_any(path, &[".txt", ".rst", ".adoc", ".org"]) || is_markdown(path, fence.info)
}

/// Whether the file probably contains fences.
fn is_markdown(path: &str, info: &str) -> bool {
    ends_with_any(&path.to_lowercase(), &[".md", ".mdx", ".markdown"])
        || info.starts_with("md")
        || info.starts_with("markdown")
}

fn ends_with_any(path: &str, extensions: &[&str]) -> bool {
    extensions.iter().any(|extension| path.ends_with(extension))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::testing::is_refused;
    use proptest::prelude::*;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, &str, Over)]) {
        assert_eq!(is_in(text), !expected.is_empty(), "{text}");
        let file_edits = parse(text).unwrap();
        assert_eq!(file_edits.len(), expected.len(), "{text}");
        for (file_edit, (path, text, over)) in file_edits.iter().zip(expected) {
            let action = Action::Write {
                text: (*text).to_owned(),
                over: *over,
            };
            assert_eq!(file_edit.path.as_deref().unwrap_or_default(), *path);
            assert_eq!(file_edit.action, action);
        }
    }

    #[track_caller]
    fn check_err(text: &str, line: usize, part: &str) {
        is_refused(&parse(text), line, part);
    }

    #[test]
    fn names_stand_above_or_after_the_fence() {
        for text in [
            "a.txt\n```\nx\n```",
            "### `a.txt`\n\n```text\nx\n```\n",
            "```text a.txt\nx\n```",
            "```a.txt\nx\n```",
            "Do this:\n\na.txt\n~~~~\nx\n~~~~\n\nIt is done.\n",
            "a.txt\r\n```\r\nx\r\n```\r\n",
            "a.txt\n```\nx\n```\n\nRun it like this:\n\n```\ncat a.txt\n```\n",
            "a.txt\n```\nx\n```\nRun it:\n```sh\ncat a.txt\n```\n",
        ] {
            check(text, &[("a.txt", "x\n", Over::Anything)]);
        }
        check(
            "a.py\n```\n```\n\nMakefile\n```\nx\n```",
            &[
                ("a.py", "", Over::Anything),
                ("Makefile", "x\n", Over::Anything),
            ],
        );
    }

    #[test]
    fn a_name_in_a_sentence_is_one_where_the_file_is_announced() {
        for text in [
            "Here is a new version of `a.txt` for you to consider:\n\n```\nx\n```\n",
            "And here's `a.txt`:\n```\nx\n```\n",
            "Here’s the modified `a.txt` file with the `accumulate` function:\n\n```\nx\n```\n",
        ] {
            check(text, &[("a.txt", "x\n", Over::File)]);
        }
        for text in [
            "Here's how to run the new `a.txt`:\n\n```\nx\n```\n\n```\ny\n```\n",
            "Then change `a.txt`:\n\n```\nx\n```\n\n```\ny\n```\n",
            "Here are the new `a.txt` and `b.txt`:\n\n```\nx\n```\n\n```\ny\n```\n",
        ] {
            check(text, &[]);
        }
    }

    #[test]
    fn a_single_fence_needs_no_name() {
        check(
            "Sure:\n```\nit is long enough\n```\n",
            &[("", "it is long enough\n", Over::Anything)],
        );
        let mostly_prose =
            "To print it in most languages, you can write the following:\n\n```\nx\n```\n";
        assert!(!is_in(mostly_prose));
        assert_eq!(parse(mostly_prose).unwrap().len(), 1);
        check("```\nx\n```\n\n```\ny\n```\n", &[]);
        check("no fence", &[]);
    }

    #[test]
    fn parts_that_are_left_out_are_seen() {
        for (path, line, over) in [
            ("a.js", "// ... existing code ...", Over::File),
            ("a.js", "  ...", Over::File),
            ("a.py", "...", Over::File),
            ("a.py", "    ...", Over::Anything),
            ("a.py", "    # ... (unchanged)", Over::File),
            ("a.js", "f(...args)", Over::Anything),
        ] {
            check(
                &format!("{path}\n```\nx\n{line}\n```\n"),
                &[(path, &format!("x\n{line}\n"), over)],
            );
        }
    }

    #[test]
    fn fences_nest() {
        check(
            "a.md\n````\n```\nx\n```\n````\n",
            &[("a.md", "```\nx\n```\n", Over::Anything)],
        );
        check(
            "a.md\n```md\n```sh\nx\n```\n~~~\n```\n\nb.py\n```\ny\n```",
            &[
                ("a.md", "```sh\nx\n```\n~~~\n", Over::Anything),
                ("b.py", "y\n", Over::Anything),
            ],
        );
        check(
            "a.py\n```\n    ```\n    x\n    ```\n```",
            &[("a.py", "    ```\n    x\n    ```\n", Over::Anything)],
        );
    }

    #[test]
    fn half_a_file_is_never_written() {
        check_err("a.py\n```\nx\n", 2, "not closed");
        check_err(
            "a.py\n```python\nx\nb.py\n```python\ny\n```\n",
            2,
            "not closed",
        );
        check_err(
            "a.py\n```\n\"\"\"\n```\nx\n```\n\"\"\"\n```\n",
            4,
            "unclear which fence ends `a.py`",
        );
        check_err(
            "a.md\n```\nx\n```\n\nThen run\n\n```sh\ny\n```\n",
            4,
            "longer fence",
        );
        check_err("a.py\n```\nx\n```\n\na.py\n```\ny\n```\n", 7, "twice");
    }

    fn line() -> impl Strategy<Value = String> {
        prop_oneof![
            "[ -~é]{0,6}",
            "```+[a-z]{0,2}",
            "~~~",
            "[/#] \\.\\.\\. existing code \\.\\.\\.",
            " ?\\.\\.\\."
        ]
    }

    proptest! {
        #[test]
        fn any_line_may_be_in_a_longer_fence(lines in prop::collection::vec(line(), 0..6)) {
            let longest = lines.iter().filter_map(|line| Some(file_name::fence(line)?.length)).max();
            let fence = "`".repeat(longest.map_or(3, |length| length + 1));
            let text: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
            let file_edits = parse(&format!("a.md\n{fence}\n{text}{fence}\n")).unwrap();
            let Action::Write { text: read, .. } = &file_edits[0].action else { panic!() };
            prop_assert_eq!((file_edits.len(), read), (1, &text));
        }
    }
}
