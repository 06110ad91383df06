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

use super::file_name::{self, Fence, Named};
use super::patch::{Action, FileEdit, FormatError, Over, quoted};
use crate::syntax;
use crate::text::elision;
use std::collections::HashSet;

/// Whether there is a fence with a file's name, or a single fence that is more than half of the
/// text.
pub(super) fn is_in(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    match blocks(&lines) {
        Ok(blocks) if blocks.iter().any(|block| block.name.is_some()) => true,
        Ok(blocks) => match &blocks[..] {
            [block] => {
                let n_bytes = |lines: &[&str]| lines.iter().map(|line| line.len()).sum::<usize>();
                2 * n_bytes(block.lines) > n_bytes(&lines)
            }
            _ => false,
        },
        Err(_) => fences(&lines)
            .into_iter()
            .any(|(line_idx, fence)| Name::of(&lines[..line_idx], fence).is_some()),
    }
}

pub(super) fn parse(text: &str) -> Result<Vec<FileEdit>, FormatError> {
    let lines: Vec<&str> = text.lines().collect();
    let blocks = blocks(&lines)?;
    let is_alone = blocks.len() == 1;
    let mut paths = HashSet::new();
    let mut file_edits = Vec::new();
    let is_file = |block: &FencedFile| is_alone || block.name.is_some() || block.is_mentioned;
    for block in blocks.into_iter().filter(is_file) {
        let path = block.name.map(|name| name.path);
        if path.is_some_and(|path| !paths.insert(path)) {
            let message = format!(
                "{} stands there twice; write each file once",
                quoted(path.unwrap_or_default())
            );
            return Err(FormatError::at(block.line_idx + 1, message));
        }
        let is_partial = block
            .lines
            .iter()
            .any(|line| is_left_out(line, path, block.info));
        let named = match path {
            Some(path) => Named::File(path),
            None => file_name::path_above(&lines[..block.line_idx]),
        };
        let over = match (block.name, &named) {
            _ if is_partial => Over::File,
            (Some(name), _) if name.is_in_sentence => Over::File,
            (None, _) if block.is_mentioned => Over::NothingOrVersion,
            (Some(_), _) | (None, Named::Not) => Over::Anything,
            (None, Named::File(_) | Named::OneOf(_)) => Over::Version,
        };
        let text = block.lines.iter().flat_map(|line| [line, "\n"]).collect();
        let (path, action) = named.of(Action::Write { text, over });
        file_edits.push(FileEdit {
            path,
            line: block.line_idx + 1,
            action,
        });
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
    name: Option<Name<'a>>,
    /// Whether prose names its file: see [`Holds::Mentioned`].
    is_mentioned: bool,
    info: &'a str,
    lines: &'b [&'a str],
}

#[derive(Clone, Copy)]
struct Name<'a> {
    path: &'a str,
    is_in_sentence: bool,
}

impl<'a> Name<'a> {
    /// The name of a fence. `above` is the lines above it, starting after the last block.
    fn of(above: &[&'a str], fence: Fence<'a>) -> Option<Name<'a>> {
        const MAX_BLANK: usize = 2;
        let n_blank = above
            .iter()
            .rev()
            .take_while(|line| line.trim().is_empty())
            .count();
        let above = &above[..above.len() - n_blank];
        let path = file_name::in_info(fence.info)
            .or_else(|| above.last().and_then(|line| file_name::on_line(line)));
        if let Some(path) = path.filter(|_| n_blank <= MAX_BLANK) {
            return Some(Name {
                path,
                is_in_sentence: false,
            });
        }
        let is_prose = |line: &&&str| !line.trim().is_empty() && file_name::fence(line).is_none();
        let n_lines = above.iter().rev().take_while(is_prose).count();
        let path = in_sentence(&above[above.len() - n_lines..])?;
        Some(Name {
            path,
            is_in_sentence: true,
        })
    }
}

/// The only file name in backticks in a paragraph that announces a whole file. `Here's how to run`
/// announces none.
fn in_sentence<'a>(paragraph: &[&'a str]) -> Option<&'a str> {
    const ANNOUNCES: [&str; 14] = [
        "version",
        "updated",
        "modified",
        "new",
        "complete",
        "full",
        "revised",
        "corrected",
        "fixed",
        "final",
        "contents",
        "content",
        "rewritten",
        "refactored",
    ];
    const OTHERWISE: [&str; 10] = [
        "how", "run", "use", "using", "usage", "example", "output", "snippet", "part", "call",
    ];
    let text = paragraph.join(" ").to_lowercase().replace('’', "'");
    let (_, announced) = text
        .split_once("here is ")
        .or_else(|| text.split_once("here's "))?;
    let mut words = announced.split(|char: char| !char.is_alphanumeric());
    let is_announced =
        announced.starts_with('`') || words.clone().any(|word| ANNOUNCES.contains(&word));
    if !is_announced || words.any(|word| OTHERWISE.contains(&word)) {
        return None;
    }
    let quoted = paragraph
        .iter()
        .flat_map(|line| line.split('`').skip(1).step_by(2));
    let mut names = quoted.filter_map(file_name::on_line);
    let name = names.next()?;
    names.all(|other| other == name).then_some(name)
}

fn fences<'a>(lines: &[&'a str]) -> Vec<(usize, Fence<'a>)> {
    lines
        .iter()
        .enumerate()
        .filter_map(|(line_idx, line)| Some((line_idx, file_name::fence(line)?)))
        .collect()
}

fn blocks<'a, 'b>(lines: &'b [&'a str]) -> Result<Vec<FencedFile<'a, 'b>>, FormatError> {
    let fences = fences(lines);
    let mut blocks = Vec::new();
    let (mut fence_idx, mut below_block) = (0, 0);
    while let Some(&(line_idx, fence)) = fences.get(fence_idx) {
        let name = Name::of(&lines[below_block..line_idx], fence);
        let below = fences[fence_idx..].iter().map(|(_, fence)| *fence);
        let Some(close_idx) = closing(below).map(|n_fences| fence_idx + n_fences) else {
            let message = "the fence that opens here is not closed; the answer may have been cut \
                off, or a fence in it needs a shorter mark";
            return Err(FormatError::at(line_idx + 1, message));
        };
        let end = fences[close_idx].0;
        if let (Some(name), Some(&(next_line_idx, next))) = (name, fences.get(close_idx + 1)) {
            let is_next_named = Name::of(&lines[end + 1..next_line_idx], next).is_some();
            let is_followed_by_text = lines
                .get(end + 1)
                .is_some_and(|line| !line.trim().is_empty());
            if !is_next_named
                && (is_markdown(name.path, fence.info)
                    || (next.info.is_empty() && is_followed_by_text))
            {
                let message = format!(
                    "it is unclear which fence ends {}; put a longer fence around it",
                    quoted(name.path)
                );
                return Err(FormatError::at(end + 1, message));
            }
        }
        let above = &lines[below_block..line_idx];
        let is_mentioned = name.is_none() && held(above, fence) == Holds::File;
        blocks.push(FencedFile {
            line_idx,
            name,
            is_mentioned,
            info: fence.info,
            lines: &lines[line_idx + 1..end],
        });
        fence_idx = close_idx + 1;
        below_block = end + 1;
    }
    Ok(blocks)
}

/// How many fences below the first of these is the one that closes it. A fence with a language
/// opens an inner block.
fn closing<'a>(mut fences: impl Iterator<Item = Fence<'a>>) -> Option<usize> {
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
    let is_fence = |line_idx: &usize| file_name::fence(lines[*line_idx]);
    let n_fences = closing((line_idx..lines.len()).filter_map(|line_idx| is_fence(&line_idx)))?;
    (line_idx..lines.len())
        .filter(|line_idx| is_fence(line_idx).is_some())
        .nth(n_fences)
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
pub(super) fn held<'a>(above: &[&'a str], fence: Fence<'a>) -> Holds<'a> {
    if Name::of(above, fence).is_some() {
        return Holds::File;
    }
    let path = match file_name::path_above(above) {
        Named::File(path) => path,
        Named::OneOf(paths) => match paths[..] {
            [path] => path,
            // Which of several is for the person to tell.
            [path, ..] => return Holds::Mentioned(path),
            [] => return Holds::Unnamed,
        },
        Named::Not => return Holds::Unnamed,
    };
    let word = fence
        .info
        .split(|char: char| !char.is_alphanumeric())
        .next()
        .unwrap_or_default();
    match syntax::names_language(word, path) {
        Some(true) => Holds::File,
        // A command about the file, or its output.
        Some(false) => Holds::Unnamed,
        None => Holds::Mentioned(path),
    }
}

/// Whether a fence has the name of a file of JSON.
pub(super) fn is_json(above: &[&str], fence: Fence) -> bool {
    Name::of(above, fence)
        .is_some_and(|name| syntax::names_language("json", name.path) == Some(true))
}

/// Whether a fence has the name of a file of a shell.
pub(super) fn is_script(above: &[&str], fence: Fence) -> bool {
    let name = Name::of(above, fence);
    name.is_some_and(|name| syntax::names_language("sh", name.path) == Some(true))
}

/// Whether a fence holds a page, which may show blocks as they are.
pub(super) fn holds_prose(above: &[&str], fence: Fence) -> bool {
    let path = Name::of(above, fence).map_or("", |name| name.path);
    let is_text = [".txt", ".rst", ".adoc", ".org"]
        .iter()
        .any(|extension| path.ends_with(extension));
    is_text || is_markdown(path, fence.info)
}

/// Whether the file probably contains fences.
fn is_markdown(path: &str, info: &str) -> bool {
    let path = path.to_lowercase();
    [".md", ".mdx", ".markdown"]
        .iter()
        .any(|extension| path.ends_with(extension))
        || info.starts_with("md")
        || info.starts_with("markdown")
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
        let shown = |file_edit: &FileEdit| match &file_edit.action {
            Action::Write { text, over } => (
                file_edit.path.clone().unwrap_or_default(),
                text.clone(),
                *over,
            ),
            other => panic!("{other:?}"),
        };
        let expected: Vec<_> = expected
            .iter()
            .map(|(path, text, over)| (path.to_string(), text.to_string(), *over))
            .collect();
        assert_eq!(
            file_edits.iter().map(shown).collect::<Vec<_>>(),
            expected,
            "{text}"
        );
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

        #[test]
        fn no_text_is_too_strange(text in "\\PC*", marks in prop::collection::vec(
            prop::sample::select(vec!["```", "````", "~~~", "python", " a.md", "é.py",
                "Here is the new `a.py`", "`", "...", "\r", "\n", "\n", "\n"]), 0..20)) {
            let _ = parse(&text);
            let _ = parse(&marks.concat());
            let _ = is_in(&marks.concat());
        }
    }
}
