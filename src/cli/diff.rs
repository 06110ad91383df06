//! A file's diff as it is printed: for a terminal made safe, coloured, and with the names of the
//! definitions that its hunks are in.

use crate::diff::{Hunk, Hunks};
use crate::review::gate::ProposedFile;
use crate::syntax::{Class, Language, blank, highlights, without_prose};
use crate::text::{Outline, Text, visible};
use std::borrow::Cow;
use std::ops::Range;

/// Code that lies further apart is not coloured: it would take too long.
const MAX_COLORED: usize = 256 << 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Colors {
    Ansi,
    None,
}

/// How a diff is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Style {
    pub colors: Colors,
    /// Whether control characters are spelled out: the text of a file must not move the cursor over
    /// what the person is asked to confirm.
    pub for_terminal: bool,
}

/// A diff, printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Printed {
    /// The lines above the hunks.
    pub header: String,
    pub hunks: Vec<String>,
}

impl Printed {
    /// All of it.
    pub fn whole(&self) -> String {
        self.header.clone() + &self.hunks.concat()
    }
}

/// The hunks of a file's change. `None` if the file cannot be read as text, or if it is a copy: its
/// diff is to the file that it is a copy of.
pub(super) fn hunks(file: &ProposedFile) -> Option<Hunks> {
    let lines = file.diff.lines();
    let mut header = lines.take_while(|line| !line.starts_with("@@ "));
    if header.any(|line| line.starts_with("copy from ")) {
        return None;
    }
    let changes = &file.changes;
    let before = changes.iter().find_map(|change| change.before.clone());
    let before = before.map(Text::decode).transpose().ok()?;
    let after = changes.iter().find_map(|change| change.after.as_deref());
    Some(Hunks::of(before.as_ref(), after.unwrap_or_default()))
}

/// A text with what looks like a definition and is none left blank: comments and texts. Headings
/// are marked like comments.
fn definitions<'t>(path: &str, text: &'t str) -> Cow<'t, str> {
    let headings = [".md", ".markdown", ".mdx"];
    if headings.iter().any(|ending| path.ends_with(ending)) {
        return Cow::Borrowed(text);
    }
    let mut code = without_prose(path, text).into_owned();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with("# ") || line.starts_with("##") {
            blank(&mut code, at..at + line.len());
        }
        at += line.len();
    }
    Cow::Owned(code)
}

/// Prints a diff.
pub(super) fn print(file: &ProposedFile, style: Style) -> Printed {
    let is_plain = style.colors == Colors::None && !style.for_terminal;
    let context = if is_plain {
        None
    } else {
        Context::of(file, style.colors)
    };
    let mut printed = Printed::default();
    // The lines of the file that the next line of the diff is, counted from 0.
    let mut old = 0;
    let mut new = 0;
    for line in file.diff.split_inclusive('\n') {
        let text = line.strip_suffix('\n').unwrap_or(line);
        let ending = &line[text.len()..];

        // A line of a file has its mark before it, so this is no such line.
        if text.starts_with("@@ ") {
            let mut header = text.to_owned();
            let hunk = context
                .as_ref()
                .and_then(|it| it.hunks.get(printed.hunks.len()));
            if let Some((hunk, place)) = hunk {
                old = hunk.old.start;
                new = hunk.new.start;
                if let Some(place) = place {
                    header += &format!(" in {place}");
                }
            }
            printed
                .hunks
                .push(painted(&header, Some("36"), style) + ending);
            continue;
        }
        let Some(hunk) = printed.hunks.last_mut() else {
            printed.header += &(painted(text, Some("1"), style) + ending);
            continue;
        };

        let (mark, code) = text.split_at_checked(1).unwrap_or((text, ""));
        let color = match mark {
            "-" => Some("31"),
            "+" => Some("32"),
            _ => None,
        };
        let parts = match (mark, &context) {
            ("-", Some(context)) => context.old.parts(old, code),
            ("+" | " ", Some(context)) => context.new.parts(new, code),
            _ => Vec::new(),
        };
        old += usize::from(matches!(mark, "-" | " "));
        new += usize::from(matches!(mark, "+" | " "));
        *hunk += &painted(mark, color, style);
        *hunk += &(painted_code(code, &parts, color, style) + ending);
    }
    printed
}

/// A line of code, with its parts in their own colours and the rest in `color`.
fn painted_code(
    code: &str,
    parts: &[(Range<usize>, Class)],
    color: Option<&str>,
    style: Style,
) -> String {
    let mut code = code;
    if style.for_terminal {
        code = code.strip_suffix('\r').unwrap_or(code);
    }
    let mut line = String::new();
    let mut at = 0;
    for (range, class) in parts {
        let end = range.end.min(code.len());
        line += &painted(&code[at..range.start], color, style);
        line += &painted(&code[range.start..end], Some(code_color(*class)), style);
        at = end;
    }
    line + &painted(&code[at..], color, style)
}

/// Colours that are neither the red nor the green of the lines, and that a light and a dark terminal
/// both show.
fn code_color(class: Class) -> &'static str {
    match class {
        Class::Comment => "90",
        Class::Keyword => "35",
        Class::Text => "33",
        Class::Number => "36",
        Class::Function => "34",
        Class::Type => "94",
    }
}

fn painted(text: &str, color: Option<&str>, style: Style) -> String {
    let text = if style.for_terminal {
        visible(text)
    } else {
        Cow::Borrowed(text)
    };
    match color {
        Some(color) if style.colors == Colors::Ansi && !text.is_empty() => {
            format!("\x1b[{color}m{text}\x1b[0m")
        }
        _ => text.into_owned(),
    }
}

/// What a diff does not say about its lines.
struct Context {
    /// The hunks, and the names of the definitions that they are in.
    hunks: Vec<(Hunk, Option<String>)>,
    old: FileText,
    new: FileText,
}

impl Context {
    fn of(file: &ProposedFile, colors: Colors) -> Option<Context> {
        let hunks = hunks(file)?;
        let outline = Outline::of(&definitions(&file.path, hunks.after()));
        let n_lines = hunks.after().lines().count();
        let mut placed = Vec::new();
        for hunk in hunks.hunks() {
            let place = n_lines.checked_sub(1).and_then(|last_line| {
                let line = hunk.first_changed.min(last_line);
                outline.enclosing(line).map(str::to_owned)
            });
            placed.push((hunk.clone(), place));
        }

        let language = Language::of(&file.path).filter(|_| colors == Colors::Ansi);
        let first = hunks.hunks().first();
        let last = hunks.hunks().last();
        let old = first.map_or(0, |it| it.old.start)..last.map_or(0, |it| it.old.end);
        let new = first.map_or(0, |it| it.new.start)..last.map_or(0, |it| it.new.end);
        Some(Context {
            hunks: placed,
            old: FileText::of(hunks.before(), old, language),
            new: FileText::of(hunks.after(), new, language),
        })
    }
}

/// A file before or after a change.
struct FileText {
    text: String,
    /// Byte ranges, without line endings.
    lines: Vec<Range<usize>>,
    /// The coloured parts, as byte ranges.
    parts: Vec<(Range<usize>, Class)>,
}

impl FileText {
    /// `shown`: the lines from the first to the last that the diff shows.
    fn of(text: &str, shown: Range<usize>, language: Option<Language>) -> FileText {
        let mut lines: Vec<Range<usize>> = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            lines.push(start..start + line.strip_suffix('\n').unwrap_or(line).len());
            start += line.len();
        }

        let first = lines
            .get(shown.start)
            .map_or(text.len(), |range| range.start);
        let end = lines.get(shown.end).map_or(text.len(), |range| range.start);
        let parts = match language {
            Some(language) if end - first <= MAX_COLORED => highlights(language, text, first..end),
            _ => Vec::new(),
        };
        FileText {
            text: text.to_owned(),
            lines,
            parts,
        }
    }

    /// The coloured parts of a line, as byte ranges of its text.
    fn parts(&self, line: usize, text: &str) -> Vec<(Range<usize>, Class)> {
        let Some(range) = self.lines.get(line) else {
            return Vec::new();
        };
        if &self.text[range.clone()] != text {
            return Vec::new();
        }

        let first = self
            .parts
            .partition_point(|(part, _)| part.end <= range.start);
        let mut of_line = Vec::new();
        for (part, class) in &self.parts[first..] {
            if part.start >= range.end {
                break;
            }
            let start = part.start.max(range.start) - range.start;
            let end = part.end.min(range.end) - range.start;
            of_line.push((start..end, *class));
        }
        of_line
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::{FileDiff, unified};
    use crate::workspace::Change;

    const PIPED: Style = Style {
        colors: Colors::None,
        for_terminal: false,
    };
    const PLAIN: Style = Style {
        for_terminal: true,
        ..PIPED
    };
    const COLORED: Style = Style {
        colors: Colors::Ansi,
        ..PLAIN
    };

    fn file(path: &str, before: &str, after: &str) -> ProposedFile {
        let text = Text::decode(before.into()).unwrap();
        let (before, after) = (before.as_bytes(), after.as_bytes());
        ProposedFile {
            path: path.to_owned(),
            changes: vec![Change::replace(path, before, after)],
            diff: unified(&FileDiff::of(path, Some(&text), Some(after))),
            seams: Vec::new(),
        }
    }

    #[test]
    fn a_terminal_sees_control_characters_spelled_out() {
        let file = file("x", "\x1b[2J\ta\r\nc\n", "\u{202e}b\nc\n");
        assert_eq!(print(&file, PIPED).whole(), file.diff);
        assert_eq!(
            print(&file, PLAIN).whole(),
            "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-^[[2J\ta\n+<U+202E>b\n c\n"
        );
        let colored = print(&file, COLORED).whole();
        assert!(
            colored.contains("\x1b[31m-\x1b[0m\x1b[31m^[[2J\ta\x1b[0m\n"),
            "{colored:?}"
        );
    }

    #[test]
    fn a_line_that_looks_like_a_header_is_a_line() {
        let comment = file("x", "-- removed comment\n@@ b\n", "@@ b\n");
        let printed = print(&comment, COLORED);
        let expected = "\x1b[31m-\x1b[0m\x1b[31m-- removed comment\x1b[0m\n @@ b\n";
        assert!(printed.hunks[0].ends_with(expected), "{printed:?}");
        assert_eq!(printed.hunks.len(), 1);
    }

    #[track_caller]
    fn check_place(path: &str, before: &str, old: &str, place: Option<&str>) {
        let printed = print(&file(path, before, &before.replace(old, "changed")), PLAIN);
        let head = printed.hunks[0].lines().next().unwrap().to_owned();
        let said = head.split_once(" in ").map(|(_, place)| place);
        assert_eq!(said, place, "{before}");
    }

    #[test]
    fn hunks_say_where_they_are() {
        let before = "def load(path):\n    a\n    b\n    c\n    d\n    return 1\n\n\nx = 1\n";
        check_place("a.py", before, "return 1", Some("load"));
        check_place("a.py", before, "x = 1", None);
    }

    #[test]
    fn no_comment_is_a_place() {
        let comment = "# in some words of mine\n\nRETRIES = 3\n";
        check_place("a.py", comment, "RETRIES = 3", None);
        check_place(".env", comment, "RETRIES = 3", None);
        check_place("Makefile", "## Targets\n\nall: x\n", "all: x", None);
        let page = "# Install\n\nFirst this.\n";
        check_place("a.md", page, "First this.", Some("Install"));
    }

    #[test]
    #[cfg(feature = "grammars")]
    fn no_string_or_block_comment_is_a_place() {
        let docstring = "\"\"\"\nmodule words of mine\n   and more\n\"\"\"\n";
        check_place("a.py", docstring, "   and more", None);
        let within =
            "def load():\n    \"\"\"Reads.\n\n    type of thing\n    \"\"\"\n    return 1\n";
        check_place("a.py", within, "return 1", Some("load"));
        let block = "/*\n struct of words\n   and more\n*/\nint x = 1;\n";
        check_place("a.c", block, "   and more", None);
        check_place("a.rs", "// fn words\n    x\n", "    x", None);
    }

    #[test]
    #[cfg(feature = "grammars")]
    fn code_is_coloured() {
        let changed = file("a.py", "if x:\r\n    y\r\n", "if 1:\r\n    y\r\n");
        let hunk = &print(&changed, COLORED).hunks[0];
        let line =
            "\x1b[32m+\x1b[0m\x1b[35mif\x1b[0m\x1b[32m \x1b[0m\x1b[36m1\x1b[0m\x1b[32m:\x1b[0m\n";
        assert!(hunk.contains(line), "{hunk:?}");
        assert!(hunk.ends_with("\n     y\n"), "{hunk:?}");
    }
}
