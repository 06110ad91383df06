//! Which lines of a text are comments, by their form: no grammar is needed, so that this holds for
//! every language, for a part of a file and for a script inside a page.

use super::language::Language;
use crate::text::elision;
use crate::text::ident::is_ident_char;
use std::collections::HashSet;

/// Comments that have an end, as they begin and end.
const CLOSED: [(&str, &str); 10] = [
    ("<!--", "-->"),
    ("{/*", "*/}"),
    ("/*", "*/"),
    ("{#", "#}"),
    ("{{!", "}}"),
    ("<%--", "--%>"),
    ("--[[", "]]"),
    ("{-", "-}"),
    ("(*", "*)"),
    ("@*", "*@"),
];

/// Those of them that may be longer than a line.
const LONG: [&str; 2] = ["<!--", "/*"];

/// A line that says something: one with a letter or a digit, or with nothing but dots.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    /// Without the whitespace around it.
    pub text: &'a str,
    /// What a comment says, without its marks; a line of dots says these. None for code.
    pub said: Option<&'a str>,
    /// Whether a comment has code on the line below that is no shallower: it may be about that.
    pub heads: bool,
}

impl Line<'_> {
    pub fn is_code(&self) -> bool {
        self.said.is_none()
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
    let mut depths = Vec::new();
    let mut end = None;
    for line in text.lines() {
        let depth = line.len() - line.trim_start().len();
        let line = line.trim();
        let said = match end {
            Some(close) if line.contains(close) => {
                end = None;
                Some(line.split(close).next().unwrap_or_default())
            }
            Some(_) => Some(line.trim_start_matches(['*', ' '])),
            None => marks.said(line, &mut end),
        };
        let (code, comment) = match said {
            Some(_) => (None, Some((line, said))),
            None => match marks.body_left_out(line) {
                Some((head, body)) => (
                    Some(head),
                    Some((body, marks.said(body, &mut None).or(Some(body)))),
                ),
                None => (Some(line), None),
            },
        };
        lines.extend(code.map(|text| Line {
            text,
            said: None,
            heads: false,
        }));
        lines.extend(comment.map(|(text, said)| Line {
            text,
            said,
            heads: false,
        }));
        depths.resize(lines.len(), depth);
    }
    let mut below = None;
    for (line, depth) in lines.iter_mut().zip(depths).rev() {
        if line
            .said
            .is_some_and(|said| !elision::is_bare_ellipsis(said))
        {
            line.heads = below.is_some_and(|below| below >= depth);
        } else {
            below = line.text.contains(char::is_alphanumeric).then_some(depth);
        }
    }
    let says = |line: &Line| {
        let said = line.said.unwrap_or(line.text);
        said.contains(char::is_alphanumeric) || (!line.is_code() && elision::is_bare_ellipsis(said))
    };
    lines.retain(says);
    lines
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
        let is_prose = [".md", ".mdx", ".markdown"]
            .iter()
            .any(|end| path.ends_with(end));
        let language = Language::of(path);
        let is_unknown = language.is_none() && !is_prose;
        let has_hash = match language {
            Some(language) => matches!(
                language,
                Language::Bash
                    | Language::Php
                    | Language::Python
                    | Language::Ruby
                    | Language::Toml
                    | Language::Yaml
            ),
            None => is_unknown,
        };
        Marks {
            has_hash,
            is_unknown,
        }
    }

    /// What a comment says that fills its line, or begins a longer one that ends with `end`.
    fn said<'a>(&self, line: &'a str, end: &mut Option<&'static str>) -> Option<&'a str> {
        for (open, close) in CLOSED {
            let Some(rest) = line.strip_prefix(open) else {
                continue;
            };
            return match rest.split_once(close) {
                Some((said, behind)) => behind.trim().is_empty().then_some(said),
                None if LONG.contains(&open) => {
                    *end = Some(close);
                    Some(rest)
                }
                None => continue,
            };
        }
        for quotes in ["\"\"\"", "'''"] {
            let said = line
                .strip_prefix(quotes)
                .and_then(|rest| rest.strip_suffix(quotes));
            if said.is_some() {
                return said;
            }
        }
        if elision::is_bare_ellipsis(line) {
            return Some(line);
        }
        if let Some(said) = line.strip_prefix("//") {
            return Some(said.trim_start_matches(['/', '!']));
        }
        let is_spaced = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_graphic());
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
            .iter()
            .find(|mark| line.starts_with(**mark))?;
        let rest = line.trim_start_matches(*mark);
        is_spaced(rest).then_some(rest)
    }

    /// A line that opens a block and has nothing but a comment or dots in it: `fn f() { /* … */ }`.
    fn body_left_out<'a>(&self, line: &'a str) -> Option<(&'a str, &'a str)> {
        let mut opens = line.match_indices(['{', ':']);
        opens.find_map(|(at, open)| {
            let body = line[at + 1..]
                .trim()
                .trim_end_matches(['}', ')', ';', ',', ' ']);
            let behind = body.trim_start_matches(['.', '…']);
            let is_dots = body.len() - behind.len() >= "...".len()
                && (behind.is_empty() || self.said(behind.trim(), &mut None).is_some());
            let is_comment = open == "{" && body.starts_with("/*") && body.ends_with("*/");
            (is_dots || is_comment).then(|| (&line[..=at], body))
        })
    }
}
