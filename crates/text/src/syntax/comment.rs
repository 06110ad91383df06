//! Which lines of a text are comments, by their form: no grammar is needed, so that this holds for
//! every language, for a part of a file and for a script inside a page.

use super::language::Language;
use crate::text::elision::{self, CLOSED};
use crate::text::ident::is_ident_char;
use crate::text::indentation;
use std::collections::HashSet;

/// The closed comments that may be longer than a line, as they begin.
const LONG: [&str; 2] = ["<!--", "/*"];

/// A line that says something: one with a letter or a digit, or with nothing but dots.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    /// Without the whitespace around it.
    pub text: &'a str,
    /// What a comment says, without its marks; a line of dots says these. `None` for code.
    pub said: Option<&'a str>,
    /// Whether a comment has code on the line below that is no shallower: it may be about that.
    pub heads: bool,
    /// The bytes of its indentation.
    depth: usize,
}

impl<'a> Line<'a> {
    fn new(text: &'a str, said: Option<&'a str>, depth: usize) -> Line<'a> {
        Line {
            text,
            said,
            heads: false,
            depth,
        }
    }

    pub fn is_code(&self) -> bool {
        self.said.is_none()
    }

    fn is_dots(&self) -> bool {
        self.said.is_some_and(elision::is_bare_ellipsis)
    }

    fn says_something(&self) -> bool {
        let said = self.said.unwrap_or(self.text);
        said.contains(char::is_alphanumeric) || self.is_dots()
    }

    /// The line as it is compared. Code that becomes a comment stays the same.
    pub fn key(&self) -> String {
        self.said.unwrap_or(self.text).split_whitespace().collect()
    }

    /// The different words and numbers.
    pub fn words(&self) -> HashSet<&str> {
        self.text
            .split(|c| !is_ident_char(c))
            .filter(|word| !word.is_empty())
            .collect()
    }
}

/// The lines of a text that say something.
pub(super) fn lines<'a>(path: &str, text: &'a str) -> Vec<Line<'a>> {
    let marks = Marks::of(path);
    let mut lines = Vec::new();
    // What ends the comment that is open.
    let mut end = None;
    for line in text.lines() {
        let depth = indentation(line).len();
        let line = line.trim();
        let said = match end {
            Some(close) if line.contains(close) => {
                end = None;
                line.split(close).next()
            }
            Some(_) => Some(line.trim_start_matches(['*', ' '])),
            None => marks.said(line, &mut end),
        };

        let body = if said.is_none() {
            marks.body_left_out(line)
        } else {
            None
        };
        if let Some((head, body)) = body {
            lines.push(Line::new(head, None, depth));
            let said = marks.said(body, &mut None).unwrap_or(body);
            lines.push(Line::new(body, Some(said), depth));
        } else {
            lines.push(Line::new(line, said, depth));
        }
    }

    mark_heads(&mut lines);
    lines.retain(Line::says_something);
    lines
}

/// Finds the comments that may be about the code below them.
fn mark_heads(lines: &mut [Line]) {
    let mut code_below = None;
    for line in lines.iter_mut().rev() {
        if !line.is_code() && !line.is_dots() {
            line.heads = code_below.is_some_and(|depth| depth >= line.depth);
        } else if line.text.contains(char::is_alphanumeric) {
            code_below = Some(line.depth);
        } else {
            code_below = None;
        }
    }
}

/// What begins a comment in a file.
struct Marks {
    /// `#` does.
    has_hash: bool,
    /// Nothing is known of the language: `;`, `%`, `--` and others may.
    is_unknown: bool,
}

impl Marks {
    fn of(path: &str) -> Marks {
        use Language::{Bash, Php, Python, Ruby, Toml, Yaml};
        let is_prose = [".md", ".mdx", ".markdown"]
            .iter()
            .any(|end| path.ends_with(end));
        let language = Language::of(path);
        let is_unknown = language.is_none() && !is_prose;
        let has_hash = matches!(language, Some(Bash | Php | Python | Ruby | Toml | Yaml));
        Marks {
            has_hash: has_hash || is_unknown,
            is_unknown,
        }
    }

    /// What a comment says that fills its line, or begins a longer one that ends with `end`.
    fn said<'a>(&self, line: &'a str, end: &mut Option<&'static str>) -> Option<&'a str> {
        for (open, close) in CLOSED {
            let Some(rest) = line.strip_prefix(open) else {
                continue;
            };
            if let Some((said, behind)) = rest.split_once(close) {
                return behind.trim().is_empty().then_some(said);
            }
            if LONG.contains(&open) {
                *end = Some(close);
                return Some(rest);
            }
        }

        if elision::is_bare_ellipsis(line) {
            return Some(line);
        }
        docstring(line).or_else(|| self.line_comment(line))
    }

    /// What a comment says that ends with its line.
    fn line_comment<'a>(&self, line: &'a str) -> Option<&'a str> {
        if let Some(said) = line.strip_prefix("//") {
            return Some(said.trim_start_matches(['/', '!']));
        }
        if self.has_hash
            && let Some(rest) = line.strip_prefix('#')
        {
            let is_code = rest.starts_with(['[', '!'])
                || (self.is_unknown && rest.starts_with(|c: char| c.is_ascii_alphabetic()));
            return (!is_code).then(|| rest.trim_start_matches('#'));
        }
        if !self.is_unknown {
            return None;
        }

        let mark = ["--", "::", ";", "%", "!", "'", "\""]
            .into_iter()
            .find(|mark| line.starts_with(mark))?;
        let rest = line.trim_start_matches(mark);
        (!rest.starts_with(|c: char| c.is_ascii_graphic())).then_some(rest)
    }

    /// A line that opens a block and has nothing but a comment or dots in it: `fn f() { /* … */ }`.
    fn body_left_out<'a>(&self, line: &'a str) -> Option<(&'a str, &'a str)> {
        for (at, open) in line.match_indices(['{', ':']) {
            let body = line[at + 1..]
                .trim()
                .trim_end_matches(['}', ')', ';', ',', ' ']);
            let behind = body.trim_start_matches(['.', '…']);
            let is_dots = body.len() - behind.len() >= "...".len()
                && (behind.is_empty() || self.said(behind.trim(), &mut None).is_some());
            let is_comment = open == "{" && body.starts_with("/*") && body.ends_with("*/");
            if is_dots || is_comment {
                return Some((&line[..=at], body));
            }
        }
        None
    }
}

/// The text of a docstring of one line.
fn docstring(line: &str) -> Option<&str> {
    ["\"\"\"", "'''"]
        .iter()
        .find_map(|quotes| line.strip_prefix(quotes)?.strip_suffix(quotes))
}
