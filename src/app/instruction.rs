//! Comments that are tasks: those that end in `AI!`.
//!
//! ```text
//! # read it from the environment AI!        all of the line, or what stands behind the code
//! /* the same, on several lines AI! */      also <!-- … AI! -->
//! ```
//!
//! Where there is a grammar it tells what is a comment. Elsewhere a comment begins with `//`, `#`, `--`,
//! `;` or `%`, at the start of the line or after whitespace, outside of quotes; and in prose and markup
//! only `<!-- -->` and `/* */` count.

use super::arguments::LinePlace;
use super::request::EditRequest;
use crate::patched::Patched;
use crate::syntax::{Class, Language, highlights};
use crate::text::Text;
use std::ops::Range;

const MARK: &str = "AI!";

/// The most marks of a file that are looked at. Whoever writes more means something else.
const MAX_MARKS: usize = 200;

/// The beginnings and ends of comments that may have several lines.
const BLOCKS: [(&str, &str); 2] = [("/*", "*/"), ("<!--", "-->")];

/// The beginnings of comments that go up to the end of the line.
const LINES: [&str; 5] = ["//", "#", "--", ";", "%"];

/// Endings of files in which a line that begins like a comment is a heading, a list or a text.
const PROSE: [&str; 15] = [
    "adoc", "csv", "htm", "html", "json", "jsonl", "log", "markdown", "md", "mdx", "org", "rst",
    "svg", "txt", "xml",
];

/// A comment that asks for an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Instruction {
    /// What it asks for.
    pub sentence: String,
    /// The comment as the file has it.
    pub comment: String,
    /// Its first line, counted from 1.
    pub line: usize,
    /// What is taken out of the text: whole lines, or the comment with the whitespace before it.
    taken_out: Range<usize>,
    /// What comes in its place: a space, where two words would meet.
    left: &'static str,
}

impl Instruction {
    /// The task: the edit is made around the place of the comment, which goes. `None` if the file's
    /// encoding cannot hold what is left.
    pub fn request(&self, path: &str, text: Text) -> Option<EditRequest> {
        let n_left = without(text.shown(), &self.taken_out).lines().count();
        // The line after a comment has its number then.
        let line = self.line.min(n_left);
        let at = (line > 0).then(|| LinePlace {
            path: path.to_owned(),
            line,
        });
        let without_comment =
            Patched::replacing(path, text, vec![self.taken_out.clone()], self.left)?;
        Some(EditRequest {
            sentence: self.sentence.clone(),
            files: vec![path.to_owned()],
            at,
            beforehand: vec![without_comment],
            ..EditRequest::default()
        })
    }
}

fn without(text: &str, range: &Range<usize>) -> String {
    [&text[..range.start], &text[range.end..]].concat()
}

/// The comments of a file that ask for an edit, in its order.
pub(crate) fn instructions(path: &str, text: &str) -> Vec<Instruction> {
    let marks = text.match_indices(MARK).map(|(at, _)| at);
    let marks: Vec<usize> = marks.take(MAX_MARKS).collect();
    if marks.is_empty() {
        return Vec::new();
    }
    let comments: Option<Vec<Range<usize>>> = Language::of_file(path, text)
        .map(|language| highlights(language, text, 0..text.len()))
        .filter(|parts| !parts.is_empty())
        .map(|mut parts| {
            parts.retain(|(_, class)| *class == Class::Comment);
            parts.into_iter().map(|(range, _)| range).collect()
        });

    let mut found: Vec<Instruction> = Vec::new();
    for mark in marks {
        let end = found.last().map_or(0, |last| last.taken_out.end);
        match comment_around(path, text, mark, comments.as_deref()) {
            Some(range) if range.start >= end => found.push(instruction(text, range, mark)),
            _ => {}
        }
    }
    found
}

/// The comment that ends with this mark. `comments`: where comments are, if a grammar tells.
fn comment_around(
    path: &str,
    text: &str,
    mark: usize,
    comments: Option<&[Range<usize>]>,
) -> Option<Range<usize>> {
    if text[..mark].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
        return None; // as in "OpenAI!"
    }
    let known = match comments {
        Some(comments) => Some(comments.iter().find(|range| range.contains(&mark))?),
        None => None,
    };
    let after = mark + MARK.len();
    for (opening, closing) in BLOCKS {
        let rest = text[after..].trim_start();
        if rest.starts_with(closing) {
            let start = text[..mark].rfind(opening)?;
            if text[start..mark].contains(closing) {
                return None; // that comment has ended before
            }
            if known.is_some_and(|comment| is_text_about_comments(text, comment, start)) {
                return None;
            }
            let end = text.len() - rest.len() + closing.len();
            return Some(start..end);
        }
    }

    let end = line_end(text, mark);
    if !text[after..end].trim().is_empty() {
        return None;
    }
    let line = line_start(text, mark);
    let start = match known {
        Some(range) => {
            let start = range.start.max(line);
            let comment = text[start..mark].trim_start();
            is_line_comment(comment).then(|| mark - comment.len())?
        }
        None if is_prose(path) => return None,
        None => line + line_comment(&text[line..mark])?,
    };
    Some(start..end)
}

/// Whether what begins like a comment with an end is only named in a comment, or before it.
fn is_text_about_comments(text: &str, comment: &Range<usize>, start: usize) -> bool {
    let line = comment.start.max(line_start(text, start));
    start < line || is_line_comment(&text[line..start])
}

fn is_line_comment(comment: &str) -> bool {
    let comment = comment.trim_start();
    LINES.iter().any(|marker| comment.starts_with(marker))
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// Where the line ends, without its newline.
fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |n| at + n)
}

fn is_prose(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    PROSE.contains(&ending.to_ascii_lowercase().as_str())
}

/// Where a comment begins in a line that ends with one.
fn line_comment(line: &str) -> Option<usize> {
    let mut outside = None;
    let mut anywhere = None;
    for (at, _) in line.char_indices() {
        if !LINES.iter().any(|marker| line[at..].starts_with(marker)) {
            continue;
        }
        let before = &line[..at];
        let is_apart = before.is_empty() || before.ends_with(char::is_whitespace);
        if is_apart {
            match open_quote(before) {
                None => outside = outside.or(Some(at)),
                Some('\'') => anywhere = anywhere.or(Some(at)),
                Some(_) => {}
            }
        }
    }
    // An apostrophe in a text is no quote that ends.
    outside.or(anywhere)
}

/// The quote that is open at the end of a piece of a line.
fn open_quote(before: &str) -> Option<char> {
    let mut quote = None;
    let mut is_escaped = false;
    for c in before.chars() {
        match quote {
            _ if is_escaped => is_escaped = false,
            _ if c == '\\' => is_escaped = true,
            Some(open) if open == c => quote = None,
            None if "\"'`".contains(c) => quote = Some(c),
            _ => {}
        }
    }
    quote
}

fn instruction(text: &str, range: Range<usize>, mark: usize) -> Instruction {
    let number = text[..range.start].matches('\n').count() + 1;
    let taken_out = taken_out(text, range.clone());
    Instruction {
        sentence: words(&text[range.start..mark]),
        comment: text[range.clone()].to_owned(),
        line: number,
        left: if is_between_words(text, &taken_out) {
            " "
        } else {
            ""
        },
        taken_out,
    }
}

fn is_between_words(text: &str, range: &Range<usize>) -> bool {
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
    text[..range.start].ends_with(is_of_word) && text[range.end..].starts_with(is_of_word)
}

/// The words of a comment, without what begins it and its lines.
fn words(comment: &str) -> String {
    let mut words = Vec::new();
    for line in comment.lines() {
        let line = line.trim_start();
        let line = line.strip_prefix("<!--").unwrap_or(line);
        let line = line.trim_start_matches(['/', '*', '#', ';', '%', '!']);
        let line = line.strip_prefix("--").unwrap_or(line);
        words.extend(line.split_whitespace());
    }
    words.join(" ")
}

/// What goes with a comment: its lines, if nothing else is on them.
fn taken_out(text: &str, comment: Range<usize>) -> Range<usize> {
    let start = line_start(text, comment.start);
    let end = line_end(text, comment.end);
    let before = text[start..comment.start].trim();
    let after = text[comment.end..end].trim();
    let is_alone = before.is_empty() && after.is_empty();
    // A comment in JSX is an expression.
    if is_alone || (before, after) == ("{", "}") {
        return start..(end + 1).min(text.len());
    }
    if after.is_empty() {
        let code = text[..comment.start].trim_end_matches([' ', '\t']);
        return code.len()..end;
    }
    let rest = &text[comment.end..];
    let n_spaces = rest.len() - rest.trim_start_matches(' ').len();
    comment.start..comment.end + n_spaces
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sentences of a text, and the text without its first comment.
    fn read(path: &str, text: &str) -> (Vec<String>, String) {
        let found = instructions(path, text);
        let left = found.first().map(|it| {
            let Range { start, end } = it.taken_out;
            format!("{}{}{}", &text[..start], it.left, &text[end..])
        });
        let sentences = found.into_iter().map(|it| it.sentence).collect();
        (sentences, left.unwrap_or_default())
    }

    #[track_caller]
    fn check(path: &str, text: &str, sentence: &str, left: &str) {
        assert_eq!(
            read(path, text),
            (vec![sentence.to_owned()], left.to_owned()),
            "{text}"
        );
    }

    #[test]
    fn what_is_no_comment_is_no_task() {
        for (path, text) in [
            ("a.unknown", "s = \"a # make it 5 AI!\n"),
            ("a.unknown", "/* one */\nkeep = 1;\nx AI! */\n"),
        ] {
            assert_eq!(read(path, text), (vec![], String::new()), "{text}");
        }
        let many = "# AI!\n".repeat(20_000);
        assert_eq!(instructions("a.py", &many).len(), MAX_MARKS);
    }

    #[test]
    fn comments_of_many_languages() {
        for (path, before, after) in [
            ("a.py", "# ", ""),
            ("a.rs", "// ", ""),
            ("a.rs", "/// ", ""),
            ("a.js", "//", ""),
            ("a.c", "/* ", " */"),
            ("a.css", "/* ", " */"),
            ("a.html", "<!-- ", " -->"),
            ("a.go", "/*\n * ", "\n */"),
            ("a.rb", "# ", ""),
            ("a.sh", "# ", ""),
            ("a.yaml", "# ", ""),
            ("a.toml", "# ", ""),
            ("Makefile", "# ", ""),
            ("a.lua", "-- ", ""),
            ("a.sql", "-- ", ""),
            ("a.hs", "-- ", ""),
            ("a.el", ";; ", ""),
            ("a.tex", "% ", ""),
            ("a.erl", "%% ", ""),
            ("a.unknown", "# ", ""),
            ("a.md", "<!-- ", " -->"),
        ] {
            let text = format!("{before}make it 5 AI!{after}\n");
            check(path, &text, "make it 5", "");
        }
        check("a.py", "x = 1  # make it 5 AI!  \n", "make it 5", "x = 1\n");
        check("a.c", "f(/* rather 5 AI! */ 4);\n", "rather 5", "f(4);\n");
        check("a.c", "return/* 5 AI! */3;\n", "5", "return 3;\n");
        check(
            "a.c",
            "int a; /* make it\n long AI! */\n",
            "make it long",
            "int a;\n",
        );
        check(
            "a.jsx",
            "x = <p>\n  {/* bold AI! */}\n</p>;\n",
            "bold",
            "x = <p>\n</p>;\n",
        );
        check("a.py", "# AI!\nx = 1", "", "x = 1");
    }

    #[test]
    fn quotes_and_other_marks_are_no_comments() {
        check(
            "a.foo",
            "x = \"a # b\"  # use #c AI!\n",
            "use #c",
            "x = \"a # b\"\n",
        );
        check("a.foo", "don't ; say it AI!\n", "say it", "don't\n");
        check(
            "a.foo",
            "u = \"http://a\" // change u AI!\n",
            "change u",
            "u = \"http://a\"\n",
        );
        for (path, text) in [
            ("a.py", "print('# hello AI!')\n"),
            ("a.py", "# hello AI! he said\n"),
            ("a.py", "# we love OpenAI!\n"),
            ("a.rs", "/// /* rather 5 AI! */ is one\nfn f() {}\n"),
            ("a.sh", "ls /* # that AI! */\n"),
            ("a.md", "# We love AI!\n"),
            ("a.md", "- one -- two AI!\n"),
            ("a.txt", "# We love AI!\n"),
            ("a.foo", "We love AI!\n"),
            ("a.foo", "a#b AI!\n"),
        ] {
            assert_eq!(instructions(path, text), [], "{text}");
        }
        if cfg!(feature = "grammars") {
            let text = "\"\"\"\n# We love AI!\n\"\"\"\nx = '''\n// AI!\n'''\n";
            assert_eq!(instructions("a.py", text), []);
            assert_eq!(instructions("a.js", "x = `\n# We love AI!\n`;\n"), []);
        }
    }

    #[test]
    fn each_comment_has_its_place() {
        let text = "a = 1\n\n# first AI!\nb = 2\nc = 3  # second AI!\n";
        let found = instructions("a.py", text);
        let places: Vec<_> = found
            .iter()
            .map(|it| (it.line, it.comment.as_str()))
            .collect();
        assert_eq!(places, [(3, "# first AI!"), (5, "# second AI!")]);
        let request = |text: &str| {
            let text = Text::decode(text.as_bytes().to_vec()).unwrap();
            let found = instructions("a.py", text.shown());
            found[0].request("a.py", text).unwrap()
        };
        let first = request(text);
        assert_eq!(first.at.unwrap().line, 3);
        assert_eq!(
            first.beforehand[0].after,
            text.replace("# first AI!\n", "").as_bytes()
        );
        assert_eq!(request("a = 1\n# last AI!").at.unwrap().line, 1);
        assert_eq!(request("# alone AI!\n").at, None);
        let windows = request("a = 1\r\n# last AI!\r\nb = 2\r\n");
        assert_eq!(windows.beforehand[0].after, b"a = 1\r\nb = 2\r\n");
    }

    proptest::proptest! {
        /// Whatever a file holds, comments do not overlap, and what is left is the rest of it.
        #[test]
        fn comments_are_parts_of_any_text(
            name in r"(a|Makefile)(\.(py|rs|js|jsx|html|md|sh|css|foo))?",
            pieces in proptest::collection::vec(
                r#"AI!|/\*|\*/|<!--|-->|//|#|--|%|;|\n| |"|'|`|\{|\}|x|é|\\"#, 0..24,
            ),
        ) {
            let text = pieces.concat();
            let mut end = 0;
            for found in instructions(&name, &text) {
                proptest::prop_assert!(found.taken_out.start >= end);
                end = found.taken_out.end;
                let left = without(&text, &found.taken_out);
                proptest::prop_assert!(found.comment.contains(MARK) && left.len() < text.len());
            }
        }
    }
}
