//! Finds the file name near a block in a model's answer. Models decorate names in many ways:
//! headings, bold type, backticks, a colon, a label, a remark. So the decorations are removed
//! first. Then the form decides: a name has a slash or an extension, and is never a sentence.
//!
//! ```text
//! on a line       src/main.rs   `src/main.rs`   ### src/main.rs   **src/main.rs:**
//!                 File: src/main.rs   // a.js   2. `a.js`   ### src/main.rs (modified)
//!                 [src/main.rs](src/main.rs)
//! after a fence   ```rust src/main.rs   ```rust:src/main.rs   ```src/main.rs
//!                 ```rust title="src/main.rs"
//! a single word   LICENSE   `rustfmt`   only directly above a search/replace block or its fence
//! in a heading    ### Changes to `src/main.rs`   In `src/main.rs`:
//! in prose        Next, `src/main.rs` needs the new argument.
//! ```
//!
//! A heading or a line with a colon has one name. Prose may name several files, or things that only
//! look like files (`config.timeout`), so its names are candidates: the files of the folder decide,
//! and two of them are refused.

use super::patch::{Action, FileEdit};
use crate::text::ident::is_ident_char;

/// A line of backticks or tildes that opens or closes a block of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CodeFence<'a> {
    /// A backtick or a tilde.
    pub(super) mark: char,
    /// How many marks there are; at least three.
    pub(super) length: usize,
    /// The trimmed text after the marks. A closing fence has none.
    pub(super) info: &'a str,
}

/// Opening tags: Aider's fences for files with backticks, and the tags that Cline and Roo Code put
/// around a block, separated by blanks. Closing tags have a slash.
const TAGS: &str = "source code pre codeblock sourcecode diff content replace_in_file apply_diff";

/// Labels before a name on its line, in lower case.
const LABELS: [&str; 7] = [
    "file:",
    "filename:",
    "file name:",
    "filepath:",
    "file path:",
    "path:",
    "new file:",
];

/// Known file names without a slash or an extension, separated by blanks.
const KNOWN: &str = "Dockerfile Containerfile Makefile Gemfile Rakefile Procfile Jenkinsfile \
    Vagrantfile Pipfile Justfile justfile Caddyfile LICENSE README CODEOWNERS";

/// Punctuation of scripts that put no blanks between words. No file name has it.
const WIDE: [char; 13] = [
    '：', '，', '、', '；', '。', '（', '）', '「', '」', '『', '』', '《', '》',
];

/// The longest name, in bytes. Anything longer is text.
const MAX_LENGTH: usize = 512;

/// Reads a line as a fence. As in Markdown, deeper indented lines are content.
pub(super) fn fence(line: &str) -> Option<CodeFence<'_>> {
    let body = line.trim_start_matches(' ');
    let mark = body
        .chars()
        .next()
        .filter(|mark| matches!(mark, '`' | '~'))?;
    let info = body.trim_start_matches(mark);
    let length = body.len() - info.len();
    let is_fence =
        line.len() - body.len() <= 3 && length >= 3 && !(mark == '`' && info.contains('`'));
    is_fence.then_some(CodeFence {
        mark,
        length,
        info: info.trim(),
    })
}

/// What the lines above a block say about its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FileMention<'a> {
    /// Nothing.
    Not,
    /// Its name.
    File(&'a str),
    /// Names in prose: the file is one of them, if it is there.
    OneOf(Vec<&'a str>),
}

impl<'a> FileMention<'a> {
    /// The same for a block below another one, whose file is `before`. A block without a name is
    /// for that file, too. Prose that names another file makes it unclear.
    pub fn or(self, before: FileMention<'a>) -> FileMention<'a> {
        match (self, before) {
            (FileMention::Not, before) => before,
            (FileMention::OneOf(names), FileMention::File(before)) => {
                FileMention::one_of(&names, &[before])
            }
            (FileMention::OneOf(names), FileMention::OneOf(before)) => {
                FileMention::one_of(&names, &before)
            }
            (named, _) => named,
        }
    }

    /// Whether it names nothing else than `other` does.
    pub fn is_same_or_not(&self, other: &FileMention<'a>) -> bool {
        match (self, other) {
            (FileMention::Not, _) => true,
            (FileMention::File(name), FileMention::File(other)) => name == other,
            (FileMention::OneOf(names), FileMention::File(other)) => {
                names.iter().all(|name| name == other)
            }
            (one, other) => one == other,
        }
    }

    fn one_of(names: &[&'a str], others: &[&'a str]) -> FileMention<'a> {
        // A longer list is not read by anybody, and would grow with each block.
        const MAX_NAMES: usize = 30;
        let mut distinct: Vec<&'a str> = Vec::new();
        for name in names.iter().chain(others) {
            if distinct.len() < MAX_NAMES && !distinct.contains(name) {
                distinct.push(name);
            }
        }
        if distinct.is_empty() {
            FileMention::Not
        } else {
            FileMention::OneOf(distinct)
        }
    }

    /// An edit of that file.
    pub fn edit(&self, line: usize, action: Action) -> FileEdit {
        match self {
            FileMention::Not => FileEdit::unnamed(line, action),
            FileMention::File(path) => FileEdit::of(path, line, action),
            FileMention::OneOf(names) => {
                let names = names.iter().map(|&name| name.to_owned()).collect();
                let action = Box::new(action);
                FileEdit::unnamed(line, Action::OneOf { names, action })
            }
        }
    }
}

/// What the lines directly above a search/replace block say about its file. The name is on its own
/// line, after a fence or in prose, with only fences and blank lines between. The search ends with
/// the first other line, or the paragraph around it.
pub(super) fn above<'a>(lines: &[&'a str]) -> FileMention<'a> {
    named(lines, single_word)
}

/// The same for a block that a word without the form of a path never names.
pub(super) fn path_above<'a>(lines: &[&'a str]) -> FileMention<'a> {
    named(lines, |_| None)
}

fn named<'a>(lines: &[&'a str], word: fn(&str) -> Option<&str>) -> FileMention<'a> {
    let mut n_fences = 0;
    let mut n_blank = 0;
    for (line_idx, line) in lines.iter().enumerate().rev() {
        if line.trim().is_empty() {
            n_blank += 1;
        } else if let Some(info) = opening_info(line) {
            n_fences += 1;
            if let Some(path) = in_info(info) {
                return FileMention::File(path);
            }
        } else {
            let own = on_line(line).or_else(|| word(line).filter(|_| n_blank == 0));
            return match own.or_else(|| in_heading(line)) {
                Some(path) => FileMention::File(path),
                None => in_prose(paragraph(&lines[..=line_idx])),
            };
        }
        if n_fences > 2 || n_blank > 2 {
            return FileMention::Not;
        }
    }
    FileMention::Not
}

/// The text after a fence, or after a tag that stands for one.
fn opening_info(line: &str) -> Option<&str> {
    let fence = fence(line);
    fence.map(|fence| fence.info).or_else(|| tag_info(line))
}

/// The last lines of a text up to a blank line or a fence.
pub(super) fn paragraph<'a, 'b>(lines: &'b [&'a str]) -> &'b [&'a str] {
    let above = lines
        .iter()
        .rposition(|line| line.trim().is_empty() || opening_info(line).is_some());
    &lines[above.map_or(0, |above| above + 1)..]
}

/// The names in a paragraph.
pub(super) fn in_prose<'a>(paragraph: &[&'a str]) -> FileMention<'a> {
    FileMention::one_of(&names_in(paragraph), &[])
}

/// Words of prose that look like file names: in backticks, or plain with an extension.
fn names_in<'a>(paragraph: &[&'a str]) -> Vec<&'a str> {
    // Longer paragraphs are no heading of a block.
    const MAX_LINES: usize = 6;
    let start = paragraph.len().saturating_sub(MAX_LINES);
    let mut names = Vec::new();
    for line in &paragraph[start..] {
        for (idx, span) in line.split('`').enumerate() {
            if idx % 2 == 1 {
                if looks_like_a_path(span) {
                    names.push(span);
                }
                continue;
            }
            for word in span.split(|char: char| char.is_whitespace() || WIDE.contains(&char)) {
                let word = word
                    .trim_matches(['*', '_', '"', '\'', '(', ')', ',', ':', ';', '!', '?'])
                    .trim_end_matches('.');
                if looks_like_a_path(word) && has_extension(word) && !matches!(word, "e.g" | "i.e")
                {
                    names.push(word);
                }
            }
        }
    }
    names
}

/// The file name on a line that has nothing else but decorations.
pub(super) fn on_line(line: &str) -> Option<&str> {
    let mut name = line.trim();
    let mut is_wrapped = false;
    loop {
        let n_before = name.len();
        name = name.trim_start_matches('#').trim_end_matches(':').trim();
        name = name.strip_prefix("//").unwrap_or(name);
        // Pictures that models put before a heading.
        name = name.trim_start_matches(|char: char| !char.is_ascii() && !char.is_alphanumeric());
        name = name
            .strip_prefix("<path>")
            .and_then(|rest| rest.strip_suffix("</path>"))
            .unwrap_or(name);
        name = without_bullet(name).trim();
        if !is_wrapped {
            name = link_text(without_remark(name));
        }

        if let Some(rest) = LABELS.iter().find_map(|label| strip_label(name, label)) {
            name = rest.trim();
        }
        let bare = name.trim_matches(['`', '*', '"', '\'', '“', '”', '‘', '’', '«', '»']);
        is_wrapped |= bare.len() < name.len() && !name.starts_with(['*', ' ']);
        name = bare.trim();
        if name.len() == n_before {
            break;
        }
    }

    (is_known(name)
        || (looks_like_a_path(name) && (is_wrapped || !name.contains(char::is_whitespace))))
    .then_some(name)
}

/// A line without the bullet or the number of a list item.
fn without_bullet(line: &str) -> &str {
    let numbered = line.trim_start_matches(|char: char| char.is_ascii_digit());
    let rest = match line.len() - numbered.len() {
        0 => line.strip_prefix("- "),
        _ => numbered
            .strip_prefix(". ")
            .or_else(|| numbered.strip_prefix(") ")),
    };
    rest.unwrap_or(line)
}

/// A line without words in brackets at its end, as in `a.py (modified)`. They name no other file.
fn without_remark(line: &str) -> &str {
    let inner = line.strip_suffix(')');
    match inner.and_then(|inner| inner.rsplit_once(" (")) {
        Some((name, remark))
            if remark.contains(char::is_alphabetic) && names_in(&[remark]).is_empty() =>
        {
            name.trim_end()
        }
        _ => line,
    }
}

/// The text of a Markdown link, if it links to the file that it names.
fn link_text(line: &str) -> &str {
    let link = line
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(')'));
    match link.and_then(|link| link.split_once("](")) {
        Some((text, target)) if target.ends_with(text.trim_matches('`')) => text,
        _ => line,
    }
}

/// A path behind a label, in any script; or the only path in backticks in a heading, a bold line, or
/// a sentence that ends with a colon: ``### Changes to `src/a.py` ``, ``Change `src/a.py` like this:``.
fn in_heading(line: &str) -> Option<&str> {
    let line = line.trim();
    if let Some(name) = behind_label(line) {
        return Some(name);
    }
    let is_bold = line.len() > 4 && line.starts_with("**") && line.ends_with("**");
    let has_colon = line.trim_end_matches(['*', '_']).ends_with(':');
    if !(line.starts_with('#') || is_bold || has_colon) {
        return None;
    }
    let mut quoted = line.split('`').skip(1).step_by(2);
    let name = quoted.find(|name| looks_like_a_path(name))?;
    let is_only = names_in(&[line]).iter().all(|other| *other == name);
    is_only.then_some(name)
}

/// The path behind a label and a colon, which are all there is: `Datei: a.py`, `文件：a.py`.
fn behind_label(line: &str) -> Option<&str> {
    // A longer one is a sentence.
    const MOST_WORDS: usize = 3;
    let line = line.trim_start_matches(['#', '*', ' ']);
    let (label, name) = line.split_once([':', '：'])?;
    let is_label = label.chars().count() > 1
        && label.split_whitespace().count() <= MOST_WORDS
        && label
            .chars()
            .all(|char| char.is_alphabetic() || char == ' ');
    on_line(name).filter(|_| is_label)
}

/// The file name in the text after a fence: after the language, after a colon, or in its place.
pub(super) fn in_info(info: &str) -> Option<&str> {
    let (first, rest) = info.split_once(char::is_whitespace).unwrap_or((info, ""));
    let rest = rest.trim();
    let rest = ["title=", "file=", "filename=", "path="]
        .iter()
        .find_map(|key| rest.strip_prefix(key))
        .unwrap_or(rest);
    let after_colon = first.split_once(':').map_or("", |(_, path)| path);
    // `Dockerfile` is a language here.
    [rest, after_colon]
        .into_iter()
        .find_map(on_line)
        .or_else(|| on_line(first).filter(|name| !is_known(name)))
}

fn tag_info(line: &str) -> Option<&str> {
    let (tag, info) = line.trim().strip_prefix('<')?.split_once('>')?;
    let tag = tag.strip_prefix('/').unwrap_or(tag);
    TAGS.split(' ').any(|known| known == tag).then_some(info)
}

fn is_known(name: &str) -> bool {
    KNOWN.split(' ').any(|known| known == name)
}

fn strip_label<'a>(name: &'a str, label: &str) -> Option<&'a str> {
    name.get(..label.len())
        .filter(|start| start.eq_ignore_ascii_case(label))
        .map(|start| &name[start.len()..])
}

/// A single word on its own line. A word with a colon (`Output:`) or in bold type is a heading.
fn single_word(line: &str) -> Option<&str> {
    let line = line.trim();
    let word = line
        .strip_prefix('`')
        .and_then(|rest| rest.strip_suffix('`'))
        .unwrap_or(line);
    let is_word = word.chars().all(|char| is_ident_char(char) || char == '-');
    (is_word && word.len() <= MAX_LENGTH && word.starts_with(char::is_alphabetic)).then_some(word)
}

fn looks_like_a_path(name: &str) -> bool {
    let has_slash = name.contains(['/', '\\']);
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    // The only colon of a path is that of a drive: `std::fmt` and `https://…` are no paths.
    let has_colon = name.char_indices().any(|(at, char)| char == ':' && at != 1);
    !has_colon
        && name.len() <= MAX_LENGTH
        && last.contains(char::is_alphanumeric)
        && !last.ends_with(['.', ')'])
        && !name.contains(WIDE)
        && !name.contains(|char: char| char.is_control() || "<>\"|*?;={}`,".contains(char))
        && (has_slash || has_extension(name))
}

/// Whether the last component has an extension: `v1.2` and `e.g.` have none, but `archive.7z` has.
fn has_extension(name: &str) -> bool {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    last.rsplit_once('.').is_some_and(|(_, extension)| {
        extension.contains(char::is_alphabetic)
            && extension
                .chars()
                .all(|char| char.is_alphanumeric() || "_-+".contains(char))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decorations_go_and_sentences_are_no_names() {
        for (line, name) in [
            ("src/main.rs", Some("src/main.rs")),
            ("  main.rs  ", Some("main.rs")),
            ("### `a/b.txt`", Some("a/b.txt")),
            ("# file1.py", Some("file1.py")),
            ("**src/main.rs**:", Some("src/main.rs")),
            ("**src/main.rs:**", Some("src/main.rs")),
            ("\"a.py\"", Some("a.py")),
            ("File: `a.py`", Some("a.py")),
            ("**File path:** a.py", Some("a.py")),
            ("1. `a.py`", Some("a.py")),
            ("- a.py", Some("a.py")),
            ("// web/a.js", Some("web/a.js")),
            ("📄 a.py", Some("a.py")),
            ("### 🛠️ `src/a.py`", Some("src/a.py")),
            ("文件：a.py", None),
            ("`my notes/to do.md`", Some("my notes/to do.md")),
            ("src\\cli\\a.py", Some("src\\cli\\a.py")),
            ("C:\\a.py", Some("C:\\a.py")),
            (".gitignore", Some(".gitignore")),
            ("./x", Some("./x")),
            ("### src/a.py (modified)", Some("src/a.py")),
            ("### `src/a.py` (new file):", Some("src/a.py")),
            ("**src/a.py** (lines 3 to 7)", Some("src/a.py")),
            ("2. `a.py`", Some("a.py")),
            ("12) a.py", Some("a.py")),
            ("[src/a.py](src/a.py)", Some("src/a.py")),
            ("### [`a.py`](./a.py) (changed)", Some("a.py")),
            ("a.py (as in b.py)", None),
            ("`docs/a (copy)`", None),
            ("src/a (1)", None),
            ("[the docs](https://example.com/a.html)", None),
            ("2.a.py", Some("2.a.py")),
            (
                "app/[id]/(group)/+page.tsx",
                Some("app/[id]/(group)/+page.tsx"),
            ),
            ("Dockerfile", Some("Dockerfile")),
            ("", None),
            ("...", None),
            ("Output:", None),
            ("word", None),
            ("Here is a.txt for you", None),
            ("Then run main.rs:", None),
            ("v1.2", None),
            ("Done.", None),
            ("e.g.", None),
            ("os.remove()", None),
            ("x = a.b", None),
            ("std::fmt", None),
            ("https://example.com/a.html", None),
            ("</source>", None),
            ("src/", None),
            ("```", None),
        ] {
            assert_eq!(on_line(line), name, "{line:?}");
        }
    }

    #[test]
    fn a_name_after_a_fence_stands_apart_from_the_language() {
        for (info, name) in [
            ("python", None),
            ("", None),
            ("python a.py", Some("a.py")),
            ("python:src/a.py", Some("src/a.py")),
            ("src/a.py", Some("src/a.py")),
            ("python # a.py", Some("a.py")),
            ("js title=\"web/a.js\"", Some("web/a.js")),
            ("{.python .numberLines}", None),
            ("Dockerfile", None),
            ("text Dockerfile", Some("Dockerfile")),
            ("diff HEAD", None),
        ] {
            assert_eq!(in_info(info), name, "{info:?}");
        }
    }

    #[test]
    fn the_nearest_line_above_a_block_names_its_file() {
        for (lines, name) in [
            (&["a.py"][..], Some("a.py")),
            (&["a.py", "```python"], Some("a.py")),
            (&["a.py", "", "```python"], Some("a.py")),
            (&["```python a.py"], Some("a.py")),
            (&["```python", "a.py"], Some("a.py")),
            (&["```python", "a.py", "```", "```python"], Some("a.py")),
            (&["a.py", "<source>python"], Some("a.py")),
            (&["LICENCE", "```"], Some("LICENCE")),
            (&["LICENCE", "", "```"], None),
            (&["Then", "", "```python"], None),
            (&["a.py", "", "It does this.", "```python"], None),
            (&["```python"], None),
            (&[], None),
            (&["### a.py (modified)", "", "```"], Some("a.py")),
            (&["文件：a.py", "```python"], Some("a.py")),
            (&["ファイル：`src/a.py`", "```"], Some("src/a.py")),
            (&["**Файл: a.py**", "", "```"], Some("a.py")),
            (&["Neue Datei: a.py", "```"], Some("a.py")),
            (&["In `src/a.py`:", "```"], Some("src/a.py")),
            (&["### Changes to `src/a.py`", "```"], Some("src/a.py")),
            (&["**Changes to `src/a.py`**", "```"], Some("src/a.py")),
            (&["Change `a.py` as `a.py` says:", "```"], Some("a.py")),
        ] {
            assert_eq!(
                above(lines),
                name.map_or(FileMention::Not, FileMention::File),
                "{lines:?}"
            );
        }
        for (lines, names) in [
            (&["a.py", "It does this.", "```python"][..], &["a.py"][..]),
            (&["Now `a.py` needs it, too.", "", "```"], &["a.py"]),
            (&["In src/a.py:", "```"], &["src/a.py"]),
            (
                &["In a.py (as in **b.py**), and/or e.g. v1.2.", "```"],
                &["a.py", "b.py"],
            ),
            (
                &["Unlike `b.py`, use", "`config.timeout` in `a.py`:", "```"],
                &["b.py", "config.timeout", "a.py"],
            ),
        ] {
            assert_eq!(
                above(lines),
                FileMention::OneOf(names.to_vec()),
                "{lines:?}"
            );
        }
    }

    #[test]
    fn a_block_without_a_name_is_for_the_file_of_the_one_before() {
        let (a, prose) = (FileMention::File("a.py"), FileMention::OneOf(vec!["b.py"]));
        assert_eq!(FileMention::Not.or(a.clone()), a);
        assert_eq!(
            FileMention::File("c.py").or(a.clone()),
            FileMention::File("c.py")
        );
        let either = prose.or(a);
        assert_eq!(either, FileMention::OneOf(vec!["b.py", "a.py"]));
        let delete = Action::Delete { holds: None };
        let one_of = Action::OneOf {
            names: ["b.py", "a.py"].map(str::to_owned).to_vec(),
            action: Box::new(delete.clone()),
        };
        assert_eq!(either.edit(3, delete), FileEdit::unnamed(3, one_of));
    }

    #[test]
    fn fences_are_as_in_markdown() {
        assert_eq!(
            fence("  ~~~~ md "),
            Some(CodeFence {
                mark: '~',
                length: 4,
                info: "md"
            })
        );
        for line in ["``", "    ```", "``` a ``` b", "a```", ""] {
            assert_eq!(fence(line), None, "{line:?}");
        }
    }
}
