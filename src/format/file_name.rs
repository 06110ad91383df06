//! Finds the file name near a block in a model's answer. Models decorate names in many ways:
//! headings, bold type, backticks, a colon, a label. So the decorations are removed first. Then the
//! form decides: a name has a slash or an extension, and is never a sentence.
//!
//! ```text
//! on a line       src/main.rs   `src/main.rs`   ### src/main.rs   **src/main.rs:**
//!                 File: src/main.rs   // a.js
//! after a fence   ```rust src/main.rs   ```rust:src/main.rs   ```src/main.rs
//!                 ```rust title="src/main.rs"
//! a single word   LICENSE   `rustfmt`   only directly above a search/replace block or its fence
//! ```

use crate::text::ident::is_ident_char;

/// A line of backticks or tildes that opens or closes a block of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fence<'a> {
    /// A backtick or a tilde.
    pub(super) mark: char,
    /// How many marks there are; at least three.
    pub(super) length: usize,
    /// The trimmed text after the marks. A closing fence has none.
    pub(super) info: &'a str,
}

/// Opening tags: Aider's fences for files with backticks, and the tags that Cline and Roo Code put
/// around a block. Closing tags have a slash.
const TAGS: [&str; 9] = [
    "source",
    "code",
    "pre",
    "codeblock",
    "sourcecode",
    "diff",
    "content",
    "replace_in_file",
    "apply_diff",
];

/// Labels before a name on its line, in lower case.
const LABELS: [&str; 7] =
    ["file:", "filename:", "file name:", "filepath:", "file path:", "path:", "new file:"];

/// Known file names without a slash or an extension.
const KNOWN: [&str; 15] = [
    "Dockerfile",
    "Containerfile",
    "Makefile",
    "Gemfile",
    "Rakefile",
    "Procfile",
    "Jenkinsfile",
    "Vagrantfile",
    "Pipfile",
    "Justfile",
    "justfile",
    "Caddyfile",
    "LICENSE",
    "README",
    "CODEOWNERS",
];

/// The longest name, in bytes. Anything longer is text.
const MAX_LENGTH: usize = 512;

/// Reads a line as a fence. As in Markdown, deeper indented lines are content.
pub(super) fn fence(line: &str) -> Option<Fence<'_>> {
    let body = line.trim_start_matches(' ');
    let mark = body.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let info = body.trim_start_matches(mark);
    let length = body.len() - info.len();
    let is_fence =
        line.len() - body.len() <= 3 && length >= 3 && !(mark == '`' && info.contains('`'));
    is_fence.then_some(Fence { mark, length, info: info.trim() })
}

/// The file name in the lines directly above a search/replace block. It is on its own line or after
/// a fence, with only fences and blank lines between. The search ends at the first other line.
pub(super) fn above<'a>(lines: &[&'a str]) -> Option<&'a str> {
    let (mut n_fences, mut n_blank) = (0, 0);
    for line in lines.iter().rev() {
        if line.trim().is_empty() {
            n_blank += 1;
        } else if let Some(info) = fence(line).map(|fence| fence.info).or_else(|| tag_info(line)) {
            n_fences += 1;
            if let Some(path) = in_info(info) {
                return Some(path);
            }
        } else {
            return on_line(line)
                .or_else(|| single_word(line).filter(|_| n_blank == 0))
                .or_else(|| announced(line));
        }
        if n_fences > 2 || n_blank > 2 {
            return None;
        }
    }
    None
}

/// The file name on a line that has nothing else but decorations.
pub(super) fn on_line(line: &str) -> Option<&str> {
    let mut name = line.trim();
    let mut is_wrapped = false;
    loop {
        let n_before = name.len();
        name = name.trim_start_matches('#').trim_end_matches(':').trim();
        name = name.strip_prefix("//").unwrap_or(name);
        name = name
            .strip_prefix("<path>")
            .and_then(|rest| rest.strip_suffix("</path>"))
            .unwrap_or(name);
        name = ["- ", "1. "].iter().find_map(|mark| name.strip_prefix(mark)).unwrap_or(name).trim();
        if let Some(rest) = LABELS.iter().find_map(|label| strip_label(name, label)) {
            name = rest.trim();
        }
        let bare = name.trim_matches(['`', '*', '"', '\'']);
        is_wrapped |= bare.len() < name.len() && !name.starts_with(['*', ' ']);
        name = bare.trim();
        if name.len() == n_before {
            break;
        }
    }
    (KNOWN.contains(&name)
        || (looks_like_a_path(name) && (is_wrapped || !name.contains(char::is_whitespace))))
    .then_some(name)
}

/// The only path in backticks in a sentence that ends with a colon: ``Change `src/a.py` like
/// this:``.
fn announced(line: &str) -> Option<&str> {
    let sentence = line.trim().trim_end_matches(['*', '_']).strip_suffix(':')?;
    let mut names = sentence.split('`').skip(1).step_by(2).filter(|name| looks_like_a_path(name));
    names.next().filter(|_| names.next().is_none())
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
        .or_else(|| on_line(first).filter(|name| !KNOWN.contains(name)))
}

fn tag_info(line: &str) -> Option<&str> {
    let (tag, info) = line.trim().strip_prefix('<')?.split_once('>')?;
    TAGS.contains(&tag.strip_prefix('/').unwrap_or(tag)).then_some(info)
}

fn strip_label<'a>(name: &'a str, label: &str) -> Option<&'a str> {
    name.get(..label.len())
        .filter(|start| start.eq_ignore_ascii_case(label))
        .map(|start| &name[start.len()..])
}

/// A single word on its own line. A word with a colon (`Output:`) or in bold type is a heading.
fn single_word(line: &str) -> Option<&str> {
    let line = line.trim();
    let word = line.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')).unwrap_or(line);
    let is_word = word.chars().all(|char| is_ident_char(char) || char == '-');
    (is_word && word.len() <= MAX_LENGTH && word.starts_with(char::is_alphabetic)).then_some(word)
}

fn looks_like_a_path(name: &str) -> bool {
    let has_slash = name.contains(['/', '\\']);
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    // `v1.2` and `e.g.` have no extension, but `archive.7z` has.
    let has_extension = last.rsplit_once('.').is_some_and(|(_, extension)| {
        extension.contains(char::is_alphabetic)
            && extension.chars().all(|char| char.is_alphanumeric() || "_-+".contains(char))
    });
    // The only colon of a path is that of a drive: `std::fmt` and `https://…` are no paths.
    let has_colon = name.char_indices().any(|(at, char)| char == ':' && at != 1);
    !has_colon
        && name.len() <= MAX_LENGTH
        && last.contains(char::is_alphanumeric)
        && !last.ends_with(['.', ')'])
        && !name.contains(|char: char| char.is_control() || "<>\"|*?;={}`,".contains(char))
        && (has_slash || has_extension)
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
            ("`my notes/to do.md`", Some("my notes/to do.md")),
            ("src\\cli\\a.py", Some("src\\cli\\a.py")),
            ("C:\\a.py", Some("C:\\a.py")),
            (".gitignore", Some(".gitignore")),
            ("./x", Some("./x")),
            ("app/[id]/(group)/+page.tsx", Some("app/[id]/(group)/+page.tsx")),
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
            (&["a.py", "It does this.", "```python"], None),
            (&["```python"], None),
            (&[], None),
        ] {
            assert_eq!(above(lines), name, "{lines:?}");
        }
    }

    #[test]
    fn fences_are_as_in_markdown() {
        assert_eq!(fence("  ~~~~ md "), Some(Fence { mark: '~', length: 4, info: "md" }));
        for line in ["``", "    ```", "``` a ``` b", "a```", ""] {
            assert_eq!(fence(line), None, "{line:?}");
        }
    }
}
