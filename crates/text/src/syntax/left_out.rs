//! Finds comments in the place of code: `// The other functions remain the same`.
//!
//! Models leave out code that they were to repeat, and say so in a comment, in any words and any
//! language. So the words are not looked at, but what the change does: lines are gone that come back
//! nowhere in the changed files, not even inside a comment, and a new comment or a line of dots
//! stands between the same neighbours, without code that could take their place.
//!
//! Whether they are meant to go cannot be told from that: a comment that says why a function was
//! removed has the same shape. So this is a reason to ask.

use super::comment::{Line, lines};
use crate::text::{defined_name, line_diff};
use similar::DiffTag;
use std::collections::{HashMap, HashSet};

/// Lines that are less alike, 0 to 1, are not versions of each other.
const ALIKE: f64 = 0.6;
/// Fewer lines without a definition are seen at a glance.
const MIN_LINES: usize = 2;
/// The same where the comment is above code that stays: it may be about that.
const MIN_LINES_ABOVE_CODE: usize = 3;
/// Fewer lines for each new one may be replaced by it.
const MIN_LINES_FOR_ONE: usize = 3;
/// A version of a line is looked for in so many lines.
const MOST_LINES_BETWEEN: usize = 200;

/// A file of a change. A text is empty where there is none.
#[derive(Clone, Copy, Debug)]
pub struct ChangedText<'a> {
    /// The path relative to the root.
    pub path: &'a str,
    /// The text before the change.
    pub before: &'a str,
    /// The text after it.
    pub after: &'a str,
}

/// A comment in the place of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The path of the file.
    pub path: String,
    /// The comment's line, without the whitespace around it.
    pub line: String,
    /// How many lines of code are gone.
    pub n_lines: usize,
    /// The names of the definitions that are gone.
    pub names: Vec<String>,
}

/// The first comment in the place of code of each file of a change.
pub fn left_out(files: &[ChangedText<'_>]) -> Vec<LeftOut> {
    let mut change = Change::default();
    let mut texts = Vec::with_capacity(files.len());
    for file in files {
        let before = lines(file.path, file.before);
        let after = lines(file.path, file.after);
        change.count(&before, &after);
        texts.push((file.path, before, after));
    }

    let mut found = Vec::new();
    for (path, before, after) in &texts {
        let gaps = gaps(before, after);
        found.extend(gaps.iter().find_map(|gap| change.first(path, gap)));
    }
    found
}

/// Lines that were replaced, between two that stay.
struct Gap<'g, 'a> {
    old: &'g [Line<'a>],
    new: &'g [Line<'a>],
    /// The line that stays below.
    below: Option<&'g Line<'a>>,
}

fn gaps<'g, 'a>(before: &'g [Line<'a>], after: &'g [Line<'a>]) -> Vec<Gap<'g, 'a>> {
    let old: Vec<String> = before.iter().map(Line::key).collect();
    let new: Vec<String> = after.iter().map(Line::key).collect();
    let n_old = counts(&old);
    let n_new = counts(&new);

    let mut gaps = Vec::new();
    let mut old_from = 0;
    let mut new_from = 0;
    for op in line_diff::diff(&old, &new) {
        let stay = op.old_range();
        // A line or two that occur elsewhere too may be other ones.
        let are_sure = stay.len() > 2
            || old[stay.clone()]
                .iter()
                .any(|key| n_old[key.as_str()] == 1 && n_new.get(key.as_str()) == Some(&1));
        if op.tag() == DiffTag::Equal && are_sure {
            let new_stay = op.new_range();
            gaps.push(Gap {
                old: &before[old_from..stay.start],
                new: &after[new_from..new_stay.start],
                below: after.get(new_stay.start),
            });
            old_from = stay.end;
            new_from = new_stay.end;
        }
    }
    gaps.push(Gap {
        old: &before[old_from..],
        new: &after[new_from..],
        below: None,
    });
    gaps.retain(|gap| !gap.old.is_empty() && !gap.new.is_empty());
    gaps
}

/// How often each text occurs.
fn counts(texts: &[String]) -> HashMap<&str, usize> {
    let mut counts = HashMap::new();
    for text in texts {
        *counts.entry(text.as_str()).or_default() += 1;
    }
    counts
}

/// The lines that all files of a change lost and gained.
#[derive(Default)]
struct Change {
    /// By a line's text: how many more there were before.
    n_gone: HashMap<String, isize>,
    /// The names that are defined afterwards.
    defined: HashSet<String>,
}

impl Change {
    fn count(&mut self, before: &[Line], after: &[Line]) {
        for line in before {
            *self.n_gone.entry(line.key()).or_default() += 1;
        }
        for line in after {
            *self.n_gone.entry(line.key()).or_default() -= 1;
            self.defined.extend(name(line).map(str::to_owned));
        }
    }

    /// The first comment in the place of lines of a gap.
    fn first(&self, path: &str, gap: &Gap) -> Option<LeftOut> {
        if !gap.new.iter().any(|line| self.is_new_comment(line)) {
            return None;
        }

        let mut from = 0;
        let mut part = Part::default();
        for (i, line) in gap.new.iter().enumerate() {
            if !line.is_code() {
                if part.comment.is_none() && self.stands_alone(gap, i, from) {
                    part.comment = Some(line);
                }
            } else if let Some(at) = partner(line, &gap.old[from..]) {
                let found = self.left_out(path, &part, &gap.old[from..from + at]);
                if found.is_some() {
                    return found;
                }
                from += at + 1;
                part = Part::default();
            } else {
                // `pass` or `return` alone do nothing.
                part.n_new += usize::from(line.words().len() > 1);
                part.n_defined += usize::from(name(line).is_some());
            }
        }
        self.left_out(path, &part, &gap.old[from..])
    }

    fn is_new_comment(&self, line: &Line) -> bool {
        !line.is_code() && self.n_gone.get(&line.key()).is_some_and(|n| *n < 0)
    }

    /// Whether a line of a gap is a new comment that is not about the code below it.
    fn stands_alone(&self, gap: &Gap, i: usize, from: usize) -> bool {
        let line = &gap.new[i];
        let is_version = gap
            .old
            .iter()
            .any(|old| !old.is_code() && alike(line, old) >= ALIKE);
        if !self.is_new_comment(line) || is_version {
            return false;
        }
        if !line.heads {
            return !line.text.starts_with("//!");
        }
        match gap.new[i + 1..].iter().find(|line| line.is_code()) {
            Some(code) => partner(code, &gap.old[from..]).is_some() && !documents(line, code),
            None => gap.below.is_none_or(|below| !documents(line, below)),
        }
    }

    /// What is left out where a part of a gap has a comment for some old lines.
    fn left_out(&self, path: &str, part: &Part, old: &[Line]) -> Option<LeftOut> {
        let comment = part.comment?;
        let mut n_lines = 0;
        let mut names = Vec::new();
        for line in old.iter().filter(|line| line.is_code()) {
            if self.n_gone.get(&line.key()).is_some_and(|n| *n > 0) {
                n_lines += 1;
                let name = name(line).filter(|name| !self.defined.contains(*name));
                names.extend(name.map(str::to_owned));
            }
        }

        let is_left_out = match (part.n_new, comment.heads) {
            (0, true) => n_lines >= MIN_LINES_ABOVE_CODE || !names.is_empty(),
            (0, false) => n_lines >= MIN_LINES || !names.is_empty(),
            (_, true) => false,
            (_, false) if !names.is_empty() => names.len() >= part.n_defined,
            (n_new, false) => part.n_defined == 0 && n_lines >= MIN_LINES_FOR_ONE * n_new,
        };
        is_left_out.then(|| LeftOut {
            path: path.to_owned(),
            line: comment.text.to_owned(),
            n_lines,
            names,
        })
    }
}

/// New lines between two that are versions of old ones.
#[derive(Default)]
struct Part<'g, 'a> {
    /// The first comment that is not about the code below it.
    comment: Option<&'g Line<'a>>,
    /// How many lines of code there are.
    n_new: usize,
    /// How many of them are definitions.
    n_defined: usize,
}

fn name<'a>(line: &Line<'a>) -> Option<&'a str> {
    defined_name(line.text).filter(|_| line.is_code())
}

/// The first of some old lines that a line of code is a version of.
fn partner(line: &Line, old: &[Line]) -> Option<usize> {
    let mut old = old.iter().take(MOST_LINES_BETWEEN);
    old.position(|old| match (name(line), name(old)) {
        (Some(new), Some(old)) => new == old,
        _ => old.is_code() && alike(line, old) >= ALIKE,
    })
}

/// Which part of the different words two lines share, 0 to 1 (Dice).
fn alike(a: &Line, b: &Line) -> f64 {
    let a = a.words();
    let b = b.words();
    2.0 * a.intersection(&b).count() as f64 / (a.len() + b.len()).max(1) as f64
}

/// Whether a comment is the documentation of the code below it.
fn documents(comment: &Line, below: &Line) -> bool {
    let mut marks = ["///", "//!", "/**", "\"\"\"", "'''", "##"].iter();
    marks.any(|mark| comment.text.starts_with(mark))
        || name(below).is_some_and(|name| comment.words().contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::testing::{cells, rows};

    const FILE: &str = "\
import { a } from \"./a\";
import { b } from \"./b\";

const LIMIT = 3;

export function run(x) {
  const first = a(x);
  log(first);
  return first + LIMIT;
}

export function stop() {
  close(a);
  return 0;
}

export function reset() {
  return LIMIT;
}
";
    /// What models of several languages write for what they leave out.
    const SAID: &str = "
        The rest of the code will remain the same | full function | truncated for brevity
        See original file for the rest | stop and reset remain unchanged | same as above | snip
        其余代码保持不变 | остальной код без изменений | le reste du code reste inchangé
        der Rest bleibt, wie er ist | 以下のコードは変更なし | 나머지 코드는 동일
        el resto del código no cambia | ... | …
    ";

    fn found(path: &str, before: &str, after: &str) -> Option<LeftOut> {
        let text = ChangedText {
            path,
            before,
            after,
        };
        left_out(&[text]).pop()
    }

    #[track_caller]
    fn check(after: &str, n_lines: usize, names: &[&str]) {
        let found = found("a.js", FILE, after).unwrap_or_else(|| panic!("{after}"));
        assert_eq!(
            (found.n_lines, found.names),
            (n_lines, names.iter().map(|&name| name.to_owned()).collect()),
            "{after}"
        );
    }

    #[test]
    fn a_comment_in_the_place_of_code_in_any_words() {
        let (head, tail) = FILE.split_at(FILE.find("export function stop").unwrap());
        let (stop, reset) = tail.split_at(tail.find("export function reset").unwrap());
        for said in cells(SAID) {
            for comment in [format!("// {said}"), format!("/* {said} */")] {
                let both = ["stop", "reset"];
                check(&format!("{head}{comment}\n"), 5, &both);
                // A line beside it is changed, or is new.
                let changed = head.replace("first + LIMIT", "first * LIMIT");
                check(&format!("{changed}{comment}\n"), 5, &both);
                let more = "export function pause() {\n  return 7;\n}\n\n";
                check(&format!("{head}{more}{comment}\n"), 5, &both);
                check(&format!("{head}{comment}\n\n{more}"), 5, &both);
                // In the middle, and in the place of a body.
                check(&format!("{head}{comment}\n\n{reset}"), 3, &["stop"]);
                let body = stop.replace("  close(a);\n  return 0;", &format!("  {comment}"));
                check(&format!("{head}{body}{reset}"), 2, &[]);
            }
            let body = format!("export function stop() {{ /* {said} */ }}\n\n");
            check(&format!("{head}{body}{reset}"), 2, &[]);
        }
        check(&format!("{head}...\n"), 5, &["stop", "reset"]);
    }

    #[test]
    fn comments_of_other_languages() {
        for [path, lines, comment] in rows(
            "
            a.py   | x = one()⏎y = two()⏎z = three()⏎        | # tout le reste
            a.py   | x = one()⏎y = two()⏎z = three()⏎        | ...
            a.sql  | select a;⏎select b;⏎select c;⏎          | -- all the others
            a.el   | (setq a 1)⏎(setq b 2)⏎(setq c 3)⏎       | ;; all the others
            a.tex  | first line⏎second line⏎third line⏎      | % all the others
            a.html | <p>one</p>⏎<p>two</p>⏎<p>three</p>⏎     | <!-- the same as now -->
            a.html | <p>one</p>⏎<p>two</p>⏎<p>three</p>⏎     | <!--⏎  the same⏎-->
            a.css  | .a { top: 1 }⏎.b { top: 2 }⏎.c { x: 3 }⏎ | /* other styles */
            a.yml  | one: 1⏎two: 2⏎three: 3⏎                 | # weitere Schlüssel
            a.md   | One.⏎Two.⏎Three.⏎                       | <!-- as it was -->
            a.txt  | One.⏎Two.⏎Three.⏎                       | [...]
            ",
        ) {
            let before = format!("first 1\n{lines}last 9\n");
            let after = format!("first 1\n{comment}\n\nlast 9\n");
            let is_found = found(&path, &before, &after).is_some();
            assert_eq!(is_found, comment != "[...]", "{path}: {after}");
        }
    }

    #[test]
    fn code_that_is_meant_to_go_or_is_still_there() {
        let (head, tail) = FILE.split_at(FILE.find("export function stop").unwrap());
        let (stop, reset) = tail.split_at(tail.find("export function reset").unwrap());
        let commented: String = stop.lines().map(|line| format!("// {line}\n")).collect();
        for after in [
            // It goes, without a comment or with one for what stays.
            format!("{head}{reset}"),
            format!("{head}// reset is the last one.\n{reset}"),
            format!("{head}/** The last one. */\n{reset}"),
            // It moves, or becomes a comment.
            format!("// first of all\n{stop}{head}{reset}"),
            format!("{head}// off for now:\n{commented}\n{reset}"),
            format!("{head}/* off for now:\n{stop}*/\n{reset}"),
            // Other code takes its place.
            format!("{head}// Closes it as well.\nexport const stop = closing(a);\n\n{reset}"),
            FILE.replace(
                "  close(a);\n  return 0;",
                "  // It knows more.\n  return closed(a);",
            ),
            // One line, and a comment that is there.
            FILE.replace("  log(first);", "  // nothing is logged"),
            FILE.replace("const LIMIT", "// the limit\nconst LIMIT"),
        ] {
            assert_eq!(found("a.js", FILE, &after), None, "{after}");
        }
        let heading = found("a.md", "# A\n\nOne.\nTwo.\n", "# A\n\n# B\n");
        assert_eq!(heading, None);
        assert_eq!(found("a.c", "int a;\nint b;\n", "#include \"a.h\"\n"), None);
        let text = |path, before, after| ChangedText {
            path,
            before,
            after,
        };
        let left = format!("{head}// see b.js\n");
        let moved = [text("a.js", FILE, &left), text("b.js", "", tail)];
        assert_eq!(left_out(&moved), []);
        assert_eq!(left_out(&moved[..1]).len(), 1);
    }
}
